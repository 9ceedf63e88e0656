//! `bristle papers`: every figure and table of the five papers, run again and compared.
use crate::work::{Threads, Work, draw};
use crate::{Outcome, Trouble};
use bristle_papers::{Done, Experiment, Setting, experiments, report};
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
    let chosen = choose(&what.only)?;
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
    let json = serde_json::to_string_pretty(&report::json(&done, setting))
        .map_err(|e| Trouble::Run(format!("cannot write results.json: {e}")))?
        + "\n";
    let out = what.work.folder("papers");
    write(&what.work, &done, &json)?;
    let mut text = if what.work.json { json } else { report::table(&done) };
    if !what.work.json {
        text += &format!(
            "\n{:.1} s on {threads} threads\n{}\n{}\n",
            began.elapsed().as_secs_f64(),
            out.join("report.html").display(),
            out.join("results.json").display()
        );
    }
    if report::holds(&done) {
        return Ok(text);
    }
    crate::print(&text);
    Err(Trouble::Run("not everything is as it should be: see the rows that deviate".into()))
}

/// Those asked for, all if nothing is.
fn choose(only: &[String]) -> Result<Vec<&'static Experiment>, Trouble> {
    let all: Vec<&'static Experiment> = experiments().collect();
    for typed in only {
        if !all.iter().any(|e| e.paper == typed || e.name() == *typed) {
            let paper = typed.split('-').next().unwrap_or_default();
            let of_paper: Vec<String> =
                all.iter().filter(|e| e.paper == paper).map(|e| e.name()).collect();
            // A figure that its paper does not have is near to none with another number.
            let number = |name: &str| name.rsplit('-').next().map(str::to_owned);
            let same = |name: &&str| number(name) == number(typed);
            let names: Vec<String> = all.iter().map(|e| e.name()).collect();
            let near =
                bristle_scenario::nearest(typed, names.iter().map(String::as_str).filter(same));
            let hint = match near {
                Some(near) => format!("did you mean {near}?"),
                None if !of_paper.is_empty() => format!("{paper} has {}", of_paper.join(", ")),
                None => "papers are 000 to 004, figures 002-fig-8".to_owned(),
            };
            return Err(Trouble::Input(format!("there is no {typed} among the papers; {hint}")));
        }
    }
    let asked = |e: &&&Experiment| {
        only.is_empty() || only.iter().any(|typed| e.paper == typed || e.name() == *typed)
    };
    Ok(all.iter().filter(asked).copied().collect())
}

/// The figures, the report and its rows.
fn write(work: &Work, done: &[Done], json: &str) -> Result<(), Trouble> {
    let failed = |e: bristle_results::Error| Trouble::Run(e.to_string());
    let mut staging = work.stage("papers")?;
    for one in done.iter().filter(|_| !work.no_figure) {
        let Ok(found) = &one.outcome else { continue };
        for (figure, name) in found.figures.iter().zip(report::figures(one)) {
            draw(&mut staging, &format!("figures/{name}"), figure)?;
        }
    }
    let page = report::page(done);
    staging.write("report.html", |out| out.write_all(page.as_bytes())).map_err(failed)?;
    staging.write("results.json", |out| out.write_all(json.as_bytes())).map_err(failed)?;
    staging.commit().map_err(failed)
}
