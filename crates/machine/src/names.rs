//! Names that outlive the file they stand in.
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Quantities and contacts carry their names as `&'static str`, which costs nothing where they are written in Rust. Those of
/// files are kept here, each once however often it is read.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The same name for as long as the program runs.
pub(crate) fn keep(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = names.get(name) {
        return kept;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let (a, b) = (keep("slide"), keep(&String::from("slide")));
        assert!(std::ptr::eq(a, b));
    }
}
