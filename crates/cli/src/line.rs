//! `bristle line`: a line contact that rolls.
use crate::run::{in_file, settings, text_of};
use crate::work::Work;
use crate::{Outcome, Trouble};
use bristle_report::line::line;
use bristle_scenario::line::Scenario;
use clap::Args;
use std::path::{Path, PathBuf};

/// Which line contact, and where results go.
#[derive(Args)]
pub struct What {
    /// The scenario file
    file: PathBuf,
    /// Put a value over the file's: line.rate=100 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    work: Work,
}

/// Rolls the contact and writes its results.
pub fn run(what: &What) -> Outcome {
    let refused = |problems: &str| Trouble::Input(in_file(&what.file, problems));
    let folder = what.file.parent().unwrap_or(Path::new(""));
    let scenario = Scenario::read(&text_of(&what.file)?, &settings(&what.set)?, folder)
        .map_err(|p| refused(&p.to_string()))?;
    let stem = what.file.file_stem().map_or_else(|| "line".into(), |s| s.to_string_lossy());
    let _progress = what.work.begin(&stem, None)?;
    let report = line(&scenario).map_err(|why| Trouble::of(&what.file, &why))?;
    what.work.finish(&stem, report)
}
