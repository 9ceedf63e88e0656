//! `bristle line`: a line contact that rolls.
use crate::run::{in_file, parameters, settings, short, text_of};
use crate::work::{Report, Work};
use crate::{Outcome, Trouble, patch_figure as figure};
use bristle_scenario::line::{Before, Scenario};
use bristle_trace::Trace;
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

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
    let scenario = Scenario::read(&text_of(&what.file)?, &settings(&what.set)?)
        .map_err(|p| refused(&p.to_string()))?;
    let stem = what.file.file_stem().map_or_else(|| "line".into(), |s| s.to_string_lossy());
    let _progress = what.work.begin(&stem, None)?;
    let moments = scenario.roll().map_err(|e| refused(&e.to_string()))?;
    let steady = scenario.steady().map_err(|e| refused(&e.to_string()))?;
    let names = [("t", "s"), ("v", "m/s"), ("F", "N"), ("F_load", "1"), ("W", "J"), ("P", "W")];
    let mut trace = Trace::new(names);
    for m in &moments {
        let s = m.state;
        let part = if s.load == 0.0 { 0.0 } else { s.force / s.load };
        trace.push(&[m.t, m.v, s.force, part, s.stored, s.dissipated]);
    }
    let mut summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "line": parameters(&scenario.contact),
        "friction": {
            "model": scenario.bristle.info().name,
            "parameters": parameters(&scenario.bristle),
        },
        "run": parameters(&scenario.run),
        "load_N": steady.load,
        "steady_at_the_end": { "F_N": steady.force, "W_J": steady.stored },
        "rows": trace.rows(),
    });
    let mut text = String::new();
    if !scenario.title.is_empty() {
        let _ = writeln!(text, "{}", scenario.title);
    }
    let before = match scenario.run.before {
        Before::Rest => "undeflected bristles",
        Before::Steady => "steady rolling",
    };
    let _ = writeln!(
        text,
        "{} under {} N, {} s from {before}\n\n{:12} {:>13} {:>13} {:>13}",
        scenario.bristle.info().name,
        short(steady.load),
        scenario.run.end,
        "",
        "at the end",
        "least",
        "greatest"
    );
    for column in &trace.columns()[1..] {
        let end = column.values.last().copied().unwrap_or(f64::NAN);
        let least = column.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = column.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let _ = writeln!(
            text,
            "{:12} {:>13} {:>13} {:>13}",
            format!("{} [{}]", column.name, column.unit),
            short(end),
            short(least),
            short(most)
        );
        summary["columns"][&column.name] =
            json!({ "unit": column.unit, "end": end, "min": least, "max": most });
    }
    let _ = writeln!(text, "\nsteady rolling at the slip of the end: {} N\n", short(steady.force));
    let drawn = figure::line(&scenario.title, &trace);
    let table = Some(("trace.csv", &trace));
    what.work.finish(&stem, Report { text, summary: &summary, table, figure: &drawn })
}
