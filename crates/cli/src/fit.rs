//! `bristle fit`: a log becomes parameters with intervals.
use crate::run::{in_file, text_of};
use crate::work::{Work, gently};
use crate::{Outcome, Trouble};
use bristle_fit::file::Job;
use bristle_fit::report::{self, Outcome as Found};
use bristle_report::Report;
use clap::ValueEnum;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The file that names logs, system and what is free
    file: PathBuf,
    /// Compare these models: lugre,frbd,dahl
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    models: Vec<String>,
    /// Also write the parameters for another program
    #[arg(long, value_name = "PROGRAM")]
    export: Option<Export>,
    #[command(flatten)]
    work: Work,
}

/// Other programs.
#[derive(Clone, Copy, ValueEnum)]
enum Export {
    /// Attributes of a MuJoCo joint
    Mujoco,
}

/// Fits and reports.
pub fn run(args: &Args) -> Outcome {
    let (file, work) = (&args.file, &args.work);
    let refused = |e: String| Trouble::Input(in_file(file, &e));
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut job = Job::read(&text_of(file)?, folder).map_err(|e| refused(e.to_string()))?;
    if !args.models.is_empty() {
        job.models = args.models.clone();
    }
    let subjects: Result<Vec<_>, Trouble> = job
        .models
        .iter()
        .map(|m| job.subject(m).map(|s| (m.clone(), s)).map_err(|e| refused(e.to_string())))
        .collect();
    let stem = file.file_stem().map_or_else(|| "fit".into(), |s| s.to_string_lossy());
    let name = format!("fit-{stem}");
    let subjects = subjects?;
    let progress = work.begin(&name, None)?;
    let interrupted = gently();
    let mut found = Vec::new();
    for (model, subject) in subjects {
        let began = Instant::now();
        let mut listener = |told: &bristle_fit::Told<'_>| {
            progress.at(told.evaluations as u64, || {
                format!(
                    "{model}: {}, residuals of {:.3} noise levels, about {:.0} s left",
                    told.stage, told.rms, told.left
                )
            });
            if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let fitted = bristle_fit::fit(subject.experiment(), &job.options, &mut listener)
            .map_err(|e| Trouble::Run(format!("{model}: {e}")))?;
        found.push(Found { model, subject, fitted, seconds: began.elapsed().as_secs_f64() });
        if interrupted() {
            break;
        }
    }
    drop(progress);
    report::rank(&mut found);
    let Some(best) = found.first() else {
        return Err(Trouble::Run("there is no model to fit".into()));
    };
    let figure = report::figure(&job, best);
    let page = report::page(&job, &found, &figure.svg());
    let mut told = Report::new(report::text(&job, &found), report::summary(&job, &found), figure);
    told.summary_file = "fit.json";
    told.documents.extend([("fit.toml", report::set(&job, best)), ("report.html", page)]);
    told.documents.extend(report::machine(best).map(|text| ("machine.toml", text)));
    if args.export.is_some() {
        told.documents.push(("joint.xml", report::mujoco(best).map_err(Trouble::Input)?));
    }
    work.finish(&name, told)
}
