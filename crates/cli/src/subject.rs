//! What a command is about: a file, or a model by its name.
use crate::run::{in_file, settings, text_of};
use crate::{Outcome, Trouble, patch};
use bristle_figure::Figure;
use bristle_scenario::Subject;
use bristle_trace::Trace;
use clap::Args;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The subject of that file or model, with values put over it, or all that is wrong with it.
pub fn read(what: &str, set: &[String]) -> Result<Subject, Trouble> {
    let path = Path::new(what);
    let text = match path.extension().is_some() || path.exists() {
        true => text_of(path)?,
        false => format!("[friction]\nmodel = {what:?}\n"),
    };
    Subject::read(&text, &settings(set)?).map_err(|p| Trouble::Input(in_file(path, &p.to_string())))
}

/// What is looked at, and where results go.
#[derive(Args)]
pub struct What {
    /// A scenario file, or the name of a model
    pub what: String,
    /// Put a value over the file's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The folder for summary.json, a table, figure.svg and figure.png [default: results/COMMAND-NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

impl What {
    /// The subject, or all that is wrong with it.
    pub fn read(&self) -> Result<Subject, Trouble> {
        read(&self.what, &self.set)
    }

    /// What is wrong, under the name of the subject.
    pub fn refused(&self, problems: &str) -> Trouble {
        Trouble::Input(in_file(Path::new(&self.what), problems))
    }

    /// Writes the results; gives the report, with the files' names, or the summary as JSON.
    pub fn write(
        &self,
        command: &str,
        report: String,
        summary: &Value,
        table: (&'static str, &Trace),
        figure: &Figure,
    ) -> Outcome {
        let stem = Path::new(&self.what).file_stem().map(|s| s.to_string_lossy().into_owned());
        let name = format!("{command}-{}", stem.unwrap_or_default());
        let folder = self.out.clone().unwrap_or_else(|| PathBuf::from("results").join(name));
        let written = patch::write(&folder, summary, (table.0, Some(table.1)), figure)?;
        if self.json {
            return crate::models::to_json(summary);
        }
        let mut report = report + "\n";
        for path in written {
            // Writing to a String cannot fail.
            let _ = writeln!(report, "{}", path.display());
        }
        Ok(report)
    }
}
