//! `bristle schema`: what scenario files may say.
use crate::Outcome;
use bristle_report::schema;

/// Which files.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Which {
    /// of `bristle run`
    Run,
    /// of `bristle patch`
    Patch,
    /// of `bristle line`
    Line,
}

/// The schema of one kind of file.
pub fn run(which: Which) -> Outcome {
    let which = match which {
        Which::Run => schema::Which::Run,
        Which::Patch => schema::Which::Patch,
        Which::Line => schema::Which::Line,
    };
    crate::models::to_json(&schema::schema(which))
}
