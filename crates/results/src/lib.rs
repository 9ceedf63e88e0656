//! A folder of results that is replaced as a whole or not at all.
//!
//! Results are written into a staging folder beside their destination. When all of them are there, the two folders
//! change places in one step, so that a signal, a kill or a full disk leaves the old results or the new ones, never
//! a mixture. What a killed program left behind is removed by the next one.
//!
//! Each result carries a record of what made it ([`Origin`]), so that the results of something else are not replaced
//! by accident. Files in the folder that are not on that record are kept.
mod destination;
mod file;
mod staging;

pub use destination::{Destination, Holds, Origin};
pub use file::{check, write};
pub use staging::{Left, Staging, abandon};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why results cannot be written.
#[derive(Debug)]
pub struct Error {
    /// Where.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Error {
    fn new(path: &Path, why: impl Into<String>) -> Self {
        Error { path: path.to_owned(), why: why.into() }
    }

    fn io(path: &Path, error: &io::Error) -> Self {
        Error::new(path, format!("{error}; choose another place with --out"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Error {}

/// The folder that holds a path; the working directory where its name stands alone.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
