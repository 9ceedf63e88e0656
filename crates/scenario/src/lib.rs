//! From files and names to friction elements, systems and runs.
//!
//! - [`friction`]: a model with its law and parameters, from a TOML table;
//! - [`sets`]: the named parameter sets of the papers, in `data/params`;
//! - [`Scenario`]: a system, its friction and how to run it, from a file;
//! - [`simulate()`]: the run, with trace, extremes and ledger;
//! - [`Subject`]: what a file is about, for commands that look at friction in several ways;
//! - [`machine`]: a machine of parts from a file;
//! - [`patch`], [`mod@line`]: rolling contact from files.

pub mod cases;
mod files;
pub mod friction;
pub mod line;
pub mod machine;
pub mod patch;
mod places;
mod scenario;
pub mod sets;
mod setting;
mod simulate;
mod subject;
pub mod table;
pub mod units;
mod varied;

pub use bristle_simulation::{Agreed, Cost, Halved, OnImbalance};
pub use files::{Files, Given, Place};
pub use scenario::{Method, Panel, Run, Scenario};
pub use setting::{NoSetting, Setting};
pub use simulate::{Stopped, System, simulate};
pub use subject::Subject;

/// The candidate nearest to what was typed, if it is near enough to be meant.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&typed.to_lowercase(), &c.to_lowercase()), c))
        // A name that shares nothing with what was typed is no help.
        .filter(|(distance, c)| *distance < c.chars().count() && *distance <= 1 + c.len() / 3)
        .min()
        .map(|(_, c)| c)
}
