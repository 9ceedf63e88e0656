//! `bristle papers`: every figure and table of the five papers, run again and compared.
use crate::work::{Threads, Work};
use crate::{Outcome, Trouble};
use bristle_papers::{Done, Setting, report};
use bristle_report::{Drawing, Report};
use std::time::Instant;

/// What the command line says.
#[derive(clap::Args)]
pub struct What {
    /// Only these: a paper (002), or one of its figures (002-fig-8) (repeatable)
    #[arg(value_name = "WHICH")]
    only: Vec<String>,
    /// The relative tolerance of runs; numbers are compared to what it is good for
    #[arg(long, value_name = "TOL", value_parser = tolerance, default_value_t = Setting::USUAL.tolerance)]
    tolerance: f64,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    work: Work,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let wrong = || "it takes a number in [1e-12, 1e-6]".to_owned();
    text.parse().ok().filter(|tol| (1e-12..=1e-6).contains(tol)).ok_or_else(wrong)
}

/// Runs them and writes the report.
pub fn papers(what: &What) -> Outcome {
    let chosen = bristle_papers::choose(&what.only).map_err(Trouble::Input)?;
    let threads = what.threads.take();
    let began = Instant::now();
    let progress = what.work.begin("papers", Some(chosen.len() as u64))?;
    let setting = Setting::with_tolerance(what.tolerance);
    let done = bristle_papers::run(&chosen, setting, threads, |done: &Done| {
        progress.step();
        progress.name(format!("{} {}", done.experiment.paper, done.experiment.place));
        true
    });
    drop(progress);
    // Nothing ends it before.
    let done = done.unwrap_or_default();
    let holds = report::holds(&done);
    let seconds = began.elapsed().as_secs_f64();
    let text = format!("{}\n{seconds:.1} s on {threads} threads\n", report::table(&done));
    let mut found = Report::bare(text, report::json(&done, setting));
    found.summary_file = "results.json";
    found.documents.push(("report.html", report::page(&done)));
    found.figures = done.into_iter().flat_map(figures).collect();
    let text = what.work.finish("papers", found)?;
    if holds {
        return Ok(text);
    }
    crate::print(&text);
    Err(Trouble::Run("not everything is as it should be: see the rows that deviate".into()))
}

/// The figures of an experiment, each in a file of its own.
fn figures(done: Done) -> Vec<(String, Drawing)> {
    let names = report::figures(&done);
    let all = done.outcome.map_or_else(|_| Vec::new(), |found| found.figures);
    let named = names.into_iter().map(|name| format!("figures/{name}"));
    named.zip(all.into_iter().map(Drawing::Figure)).collect()
}
