//! `bristle compare`: models side by side.
use crate::subject::{in_a_plane, pressing, read};
use crate::work::{Threads, Work};
use crate::{Outcome, Trouble};
use bristle_kernel::AnyBristle;
use bristle_report::compare::{self, Candidate, TESTS};
use std::path::Path;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// Models by name, or scenario files for their friction [default: every model, those that take the values of --set]
    models: Vec<String>,
    /// Put a value over those of every model: friction.set=frbd-table-2 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The load, N
    #[arg(long, value_name = "N", default_value_t = 1.0, allow_negative_numbers = true)]
    load: f64,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    work: Work,
}

/// Compares and reports.
pub fn run(args: &Args) -> Outcome {
    pressing("--load", args.load)?;
    let (models, left_out) = models(args)?;
    args.threads.take();
    let progress = args.work.begin("compare", Some((TESTS * models.len()) as u64))?;
    let report = compare::compare(&models, args.load, &left_out, &|| progress.step());
    drop(progress);
    args.work.finish("compare", report)
}

/// What the row of a model is called: that of a file has the file's name too.
fn name_of(what: &str, model: &str) -> String {
    match Path::new(what).file_stem() {
        Some(file) if what != model => format!("{model} ({})", file.to_string_lossy()),
        _ => model.to_owned(),
    }
}

/// The models asked for, and the names of those left out because they do not take the values.
fn models(args: &Args) -> Result<(Vec<Candidate>, Vec<&'static str>), Trouble> {
    let of = |what: &str| {
        let subject = read(what, &args.set)?;
        let model = subject.friction().cloned().ok_or_else(|| in_a_plane("compare", what))?;
        Ok(Candidate { name: name_of(what, model.info().name), model })
    };
    if !args.models.is_empty() {
        let found: Result<Vec<_>, Trouble> = args.models.iter().map(|what| of(what)).collect();
        return Ok((found?, Vec::new()));
    }
    let (mut found, mut left_out, mut why) = (Vec::new(), Vec::new(), None);
    for info in AnyBristle::<f64>::CATALOG {
        match of(info.name) {
            Ok(model) => found.push(model),
            Err(trouble) => {
                left_out.push(info.name);
                why = Some(trouble);
            }
        }
    }
    // What no model takes is a mistake.
    match why {
        Some(trouble) if found.is_empty() => Err(trouble),
        _ => Ok((found, left_out)),
    }
}
