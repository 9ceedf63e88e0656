//! `bristle models`: what there is to choose from.
use crate::{Outcome, Trouble};
use bristle_report::models;
use serde::Serialize;

/// Lists everything, or explains one entry.
pub fn run(name: Option<&str>, json: bool) -> Outcome {
    let report = match name {
        None => models::list(),
        Some(name) => models::explain(name).map_err(|why| Trouble::Input(why.to_string()))?,
    };
    if json { to_json(&report.summary) } else { Ok(report.text) }
}

/// Pretty JSON.
pub fn to_json(value: &impl Serialize) -> Outcome {
    let text = serde_json::to_string_pretty(value);
    text.map(|t| t + "\n").map_err(|e| Trouble::Run(format!("cannot write JSON: {e}")))
}
