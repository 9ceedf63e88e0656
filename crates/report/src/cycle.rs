//! Motions that repeat, found directly, and where stick-slip ends.
use crate::{Failure, Report, load_at_start, parameters, short};
use bristle_analysis::Complex;
use bristle_analysis::limit_cycle::NoCycle;
use bristle_analysis::march::Begin;
use bristle_analysis::repeating::{NotRepeating, Origin, Repeating, repeating};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_scenario::Scenario;
use bristle_system::{Mechanism, Units};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// Finds the motion of a system that repeats, and where it ends.
pub fn cycle(scenario: &Scenario) -> Result<Report, Failure> {
    load_at_start(scenario)?;
    let (system, y) = scenario.system().map_err(Failure::input)?;
    let found = repeating(&system, &Begin::at(&system, y)).map_err(|e| match e {
        NotRepeating::AtRest => Failure::input(
            "nothing drags it along, so that it has no cycles of its own: take system.model = \"belt\" or \
             \"spring_drag\", or system.drive.model = \"sine\" or \"pulses\"",
        ),
        NotRepeating::Own(NoCycle::Driven | NoCycle::Position) => Failure::input(e),
        other => Failure::run(other),
    })?;
    let (name, friction) = (scenario.mechanism.info().name, scenario.friction.info().name);
    let mut text = String::new();
    if !scenario.title.is_empty() {
        text += &format!("{}\n", scenario.title);
    }
    let kind = match found.origin {
        Origin::Driven => "in the period of its drive",
        Origin::Own => "in a limit cycle",
    };
    text += &format!("{name} with {friction}, {kind}\n\n");
    let units = system.mechanism.contacts()[0].units;
    for (label, said) in said(&found, units) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{label:16} {said}");
    }
    let (table, figure) = draw(scenario, units, &found);
    Ok(Report::new(text, json(&found, scenario, units), figure).table("cycle.csv", table))
}

/// What a person reads of it.
fn said(found: &Repeating, units: Units) -> Vec<(&'static str, String)> {
    let Units { position, velocity, force } = units;
    let number = |m: &Complex<f64>| match m.im {
        0.0 => format!("{:.3e}", m.re),
        im => format!("{:.3e} {} {:.3e}i", m.re, if im < 0.0 { '−' } else { '+' }, im.abs()),
    };
    let all: Vec<String> = found.multipliers.iter().map(number).collect();
    let attracts = if found.attracts() { "it attracts" } else { "it repels" };
    let mut said = vec![
        ("period", format!("{:.10} s", found.period)),
        ("amplitude", format!("{} {position}", short(found.amplitude))),
    ];
    said.extend(found.stuck.map(|part| ("sticks for", format!("{:.1} % of it", 100.0 * part))));
    said.extend([
        (
            "force",
            format!("{} to {} {force}", short(found.cycle.force.min), short(found.cycle.force.max)),
        ),
        ("friction takes", format!("{} J a cycle", short(found.cycle.work))),
        ("multipliers", format!("{}: {attracts}", all.join(", "))),
        ("closes within", format!("{:.1e} of its size", found.gap)),
    ]);
    match &found.end {
        None => {}
        Some(Err(why)) => said.push(("ends at", format!("unknown: {why}"))),
        Some(Ok(end)) => {
            let (there, gone) = (short(end.there), short(end.gone));
            said.push((
                "ends between",
                format!("{there} {velocity}, where it is still found, and {gone} {velocity}"),
            ));
            if let Some(v) = end.stable_above {
                said.push(("", format!("steady sliding is stable above {} {velocity}", short(v))));
            }
        }
    }
    said
}

fn json(found: &Repeating, scenario: &Scenario, units: Units) -> Value {
    let (mechanism, friction) = (&scenario.mechanism, &scenario.friction);
    let [position, force] = [units.position, units.force].map(|unit| unit.replace('*', ""));
    let speed = |name: &str| format!("{name}_{}", units.velocity.replace('/', "p"));
    let ends = found.end.as_ref().and_then(|end| end.as_ref().ok()).map(|end| {
        let (there, gone, stable) = (speed("there"), speed("gone"), speed("stable_above"));
        json!({ there: end.there, gone: end.gone, stable: end.stable_above })
    });
    let (amplitude, range) = (format!("amplitude_{position}"), format!("force_{force}"));
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "system": { "model": mechanism.info().name, "parameters": parameters(mechanism) },
        "friction": { "model": friction.info().name, "parameters": parameters(friction) },
        "period_s": found.period,
        amplitude: found.amplitude,
        "stuck": found.stuck,
        range: [found.cycle.force.min, found.cycle.force.max],
        "work_J": found.cycle.work,
        "multipliers": found.multipliers.iter().map(|m| [m.re, m.im]).collect::<Vec<_>>(),
        "gap": found.gap,
        "ends": ends,
    })
}

/// Phase portrait and friction force.
fn draw(scenario: &Scenario, units: Units, found: &Repeating) -> (Trace, Figure) {
    let Units { position: place, velocity: speed, force: load } = units;
    let mut table = Trace::new([("t", "s"), ("x", place), ("v", speed), ("F", load)]);
    let samples = &found.cycle.samples;
    // In the frame in which the motion closes.
    let drift = found.drift();
    for s in samples {
        table.push(&[s.t, s.x - drift * s.t, s.v, s.force]);
    }
    let column = |name: &str| table.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let panel = |x: (&str, Axis), y: (&str, Axis)| {
        Panel::new(x.1, y.1).with(Series::new("", column(x.0), column(y.0)))
    };
    let position = || ("x", Axis::new("position x in its frame", place));
    let velocity = || ("v", Axis::new("relative velocity v", speed));
    let force = || ("F", Axis::new("friction force F", load));
    let time = || ("t", Axis::new("time t", "s"));
    let panels = [
        panel(position(), velocity()),
        panel(velocity(), force()),
        panel(time(), velocity()),
        panel(time(), force()),
    ];
    (table.clone(), Figure::grid(2, panels).titled(scenario.title.clone()))
}
