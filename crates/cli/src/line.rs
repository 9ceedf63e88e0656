//! `bristle line`: a line contact that rolls.
use crate::run::{in_file, parameters, settings, short, text_of};
use crate::work::{Report, Work};
use crate::{Outcome, Trouble, patch_figure as figure};
use bristle_scenario::line::{Before, Moment, Profile, Scenario};
use bristle_trace::Trace;
use clap::Args;
use serde_json::json;
use std::fmt::Write;
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
    let moments = scenario.roll().map_err(|e| refused(&e.to_string()))?;
    let profiles = scenario.look().map_err(|e| refused(&e.to_string()))?;
    let steady = scenario.steady().map_err(|e| refused(&e.to_string()))?;
    let (trace, deflections) = (trace(&scenario, &moments), deflections(&scenario, &profiles));
    let worst = moments.iter().map(|m| m.state.error).chain([steady.error]).fold(0.0, f64::max);
    let asked = scenario.run.accuracy;
    let mut summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "line": parameters(&scenario.contact),
        "along": scenario.along.as_ref().map(|a| json!({ "points": a.xi.len(), "given": a.names })),
        "friction": {
            "model": scenario.bristle.info().name,
            "parameters": parameters(&scenario.bristle),
        },
        "run": parameters(&scenario.run),
        "load_N": steady.load,
        "steady_at_the_end": { "F_N": steady.force, "W_J": steady.stored },
        "worst_est_error": worst,
        "accuracy_reached": worst <= asked,
        "profiles_at_s": profiles.iter().map(|p| p.t).collect::<Vec<_>>(),
        "rows": trace.rows(),
    });
    let mut text = String::new();
    if !scenario.title.is_empty() {
        let _ = writeln!(text, "{}", scenario.title);
    }
    let before = match scenario.run.before {
        Before::Rest => "rest",
        Before::Steady => "steady rolling",
    };
    let _ = writeln!(
        text,
        "{} under {} N, {} s from {before}",
        scenario.bristle.info().name,
        short(steady.load),
        scenario.run.end,
    );
    if let Some(along) = &scenario.along {
        let _ =
            writeln!(text, "{} points along the line: {}", along.xi.len(), along.names.join(", "));
    }
    let _ = writeln!(text, "\n{:14} {:>13} {:>13} {:>13}", "", "at the end", "least", "greatest");
    for column in trace.columns()[1..].iter().filter(|c| c.name != "est_error") {
        let end = column.values.last().copied().unwrap_or(f64::NAN);
        let least = column.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = column.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let _ = writeln!(
            text,
            "{:14} {:>13} {:>13} {:>13}",
            format!("{} [{}]", column.name, column.unit),
            short(end),
            short(least),
            short(most)
        );
        summary["columns"][&column.name] =
            json!({ "unit": column.unit, "end": end, "min": least, "max": most });
    }
    let _ = writeln!(text, "\nsteady rolling at the slip of the end: {} N", short(steady.force));
    let reached = match worst <= asked {
        true => "as asked for",
        false => "more than was asked for: ask for less, or for smoother inputs",
    };
    let _ =
        writeln!(text, "largest estimated error: {worst:.1e} ({asked:.0e} allowed), {reached}\n");
    let drawn = figure::line(&scenario.title, &trace, &deflections);
    let mut tables = vec![("trace.csv", &trace)];
    tables.extend(deflections.as_ref().map(|d| ("profiles.csv", d)));
    what.work.finish(&stem, Report { text, summary: &summary, tables, figure: &drawn })
}

/// The moments of the run. What stays as it is has no column.
fn trace(scenario: &Scenario, moments: &[Moment]) -> Trace {
    let mut names = vec![("t", "s"), ("v", "m/s")];
    names.extend(scenario.rate_changes().then_some(("V", "1/s")));
    names.extend(
        scenario.length_changes().then_some([("L", "m"), ("N", "N")]).into_iter().flatten(),
    );
    names.extend([("F", "N"), ("F_load", "1"), ("W", "J"), ("P", "W"), ("est_error", "1")]);
    let mut trace = Trace::new(names);
    for m in moments {
        let s = m.state;
        let mut row = vec![m.t, m.v];
        row.extend(scenario.rate_changes().then_some(m.rate));
        row.extend(scenario.length_changes().then_some([m.length, s.load]).into_iter().flatten());
        let part = if s.load == 0.0 { 0.0 } else { s.force / s.load };
        row.extend([s.force, part, s.stored, s.dissipated, s.error]);
        trace.push(&row);
    }
    trace
}

/// The bristles at the moments at which they are looked at, if there are any.
fn deflections(scenario: &Scenario, profiles: &[Profile]) -> Option<Trace> {
    let states = scenario.variables();
    let named: Vec<(String, &str)> = states.iter().map(|v| (v.to_string(), v.unit)).collect();
    let fixed = [("t", "s"), ("xi", "1"), ("x", "m"), ("p", "N/m"), ("f", "1")];
    let mut table = Trace::new(
        fixed.into_iter().chain(named.iter().map(|(name, unit)| (name.as_str(), *unit))),
    );
    for profile in profiles {
        for (xi, pressure, force, z) in &profile.bristles {
            let mut row = vec![profile.t, *xi, xi * profile.length, *pressure, *force];
            row.extend(z);
            table.push(&row);
        }
    }
    (!profiles.is_empty()).then_some(table)
}
