//! From files and names to friction elements.
//!
//! - [`friction`]: a model with its law and parameters, from a TOML table;
//! - [`sets`]: the named parameter sets of the papers, in `data/params`.

pub mod friction;
pub mod sets;

/// The candidate nearest to what was typed, if it is near enough to be meant.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&typed.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(distance, c)| *distance <= 1 + c.len() / 3)
        .min()
        .map(|(_, c)| c)
}
