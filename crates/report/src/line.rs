//! A line contact that rolls.
use crate::patch::figure;
use crate::{Failure, Report, parameters, short};
use bristle_scenario::line::{Before, Moment, Profile, Scenario};
use bristle_trace::Trace;
use serde_json::json;
use std::fmt::Write;

/// Rolls the contact.
pub fn line(scenario: &Scenario) -> Result<Report, Failure> {
    let moments = scenario.roll().map_err(Failure::input)?;
    let profiles = scenario.look().map_err(Failure::input)?;
    let steady = scenario.steady().map_err(Failure::input)?;
    let (trace, deflections) = (trace(scenario, &moments), deflections(scenario, &profiles));
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
    let figure = figure::line(&scenario.title, &trace, &deflections);
    let report = Report::new(text, summary, figure).table("trace.csv", trace);
    Ok(match deflections {
        Some(profiles) => report.table("profiles.csv", profiles),
        None => report,
    })
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
