//! `bristle cycle`: motions that repeat, found directly, and where stick-slip ends.
use crate::run::{parameters, short};
use crate::subject::What;
use crate::{Outcome, Trouble};
use bristle_analysis::limit_cycle::{NoCycle, Vanishing, limit_cycle, vanishing};
use bristle_analysis::march::Begin;
use bristle_analysis::periodic::periodic;
use bristle_analysis::{Complex, Cycle, System};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_scenario::{Scenario, Subject};
use bristle_system::{Mechanism, Units};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
}

/// Relative tolerance of runs, and that of the many that look for the end of stick-slip.
const TOLERANCE: f64 = 1e-10;
const SEARCH: f64 = 1e-8;
/// The speed at which stick-slip ends is found within this part of it.
const WIDTH: f64 = 1e-3;

/// Finds the motion and reports.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let Subject::System(scenario) = what.read()? else {
        return Err(what.refused(
            "a cycle needs [system]: a belt, a dragged spring, or any under a sine or pulses",
        ));
    };
    let (system, y) = scenario.system().map_err(|p| what.refused(&p.to_string()))?;
    let begin = Begin::at(&system, y);
    let period = system.mechanism.period().filter(|_| system.contacts() == 1);
    let found = match period {
        Some(period) => {
            let _progress = what.begin("cycle")?;
            driven(&system, &begin, period).map_err(Trouble::Run)?
        }
        None if !system.mechanism.self_excited() => {
            let text = "nothing drags it along, so that it has no cycles of its own: take system.model = \"belt\" or \
                        \"spring_drag\", or system.drive.model = \"sine\" or \"pulses\"";
            return Err(what.refused(text));
        }
        None => {
            let _progress = what.begin("cycle")?;
            by_itself(&system, &begin).map_err(|e| match e {
                NoCycle::Driven | NoCycle::Position => what.refused(&e.to_string()),
                other => Trouble::Run(other.to_string()),
            })?
        }
    };
    let (name, friction) = (scenario.mechanism.info().name, scenario.friction.info().name);
    let mut text = String::new();
    if !scenario.title.is_empty() {
        text += &format!("{}\n", scenario.title);
    }
    text += &format!("{name} with {friction}, {}\n\n", found.kind);
    let units = system.mechanism.contacts()[0].units;
    for (label, said) in found.said(units) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{label:16} {said}");
    }
    let (table, figure) = draw(&scenario, units, &found);
    what.finish("cycle", text, &found.json(&scenario, units), ("cycle.csv", &table), &figure)
}

/// A motion that repeats.
struct Found {
    /// Whose period it has.
    kind: &'static str,
    period: f64,
    /// Half the range of the position in a frame that moves on with the body, m.
    amplitude: f64,
    /// The part of the period in which the body sticks; nothing under a drive that changes.
    stuck: Option<f64>,
    multipliers: Vec<Complex<f64>>,
    gap: f64,
    cycle: Cycle,
    /// Where stick-slip ends, or why that is not known; nothing under a drive that changes.
    end: Option<Result<Vanishing, String>>,
}

/// With the period of the drive.
fn driven(system: &System, begin: &Begin, period: f64) -> Result<Found, String> {
    let found = periodic(system, period, Some(begin), TOLERANCE).map_err(|e| e.to_string())?;
    let mut multipliers = found.multipliers;
    multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    Ok(Found {
        kind: "in the period of its drive",
        period,
        amplitude: found.cycle.amplitude(),
        stuck: None,
        multipliers,
        gap: found.gap,
        cycle: found.cycle,
        end: None,
    })
}

/// Stick-slip under a constant drive.
fn by_itself(system: &System, begin: &Begin) -> Result<Found, NoCycle> {
    let found = limit_cycle(system, Some(begin), TOLERANCE)?;
    let end = vanishing(system, WIDTH, SEARCH).map_err(|e| e.to_string());
    Ok(Found {
        kind: "in a limit cycle",
        period: found.period,
        amplitude: found.amplitude,
        stuck: Some(found.stuck),
        multipliers: found.multipliers,
        gap: found.gap,
        cycle: found.cycle,
        end: Some(end),
    })
}

impl Found {
    fn said(&self, units: Units) -> Vec<(&'static str, String)> {
        let Units { position, velocity, force } = units;
        let number = |m: &Complex<f64>| match m.im {
            0.0 => format!("{:.3e}", m.re),
            im => format!("{:.3e} {} {:.3e}i", m.re, if im < 0.0 { '−' } else { '+' }, im.abs()),
        };
        let all: Vec<String> = self.multipliers.iter().map(number).collect();
        let largest = self.multipliers.iter().map(|m| m.norm()).fold(0.0, f64::max);
        let attracts = if largest < 1.0 { "it attracts" } else { "it repels" };
        let mut said = vec![
            ("period", format!("{:.10} s", self.period)),
            ("amplitude", format!("{} {position}", short(self.amplitude))),
        ];
        said.extend(self.stuck.map(|part| ("sticks for", format!("{:.1} % of it", 100.0 * part))));
        said.extend([
            (
                "force",
                format!(
                    "{} to {} {force}",
                    short(self.cycle.force.min),
                    short(self.cycle.force.max)
                ),
            ),
            ("friction takes", format!("{} J a cycle", short(self.cycle.work))),
            ("multipliers", format!("{}: {attracts}", all.join(", "))),
            ("closes within", format!("{:.1e} of its size", self.gap)),
        ]);
        match &self.end {
            None => {}
            Some(Err(why)) => said.push(("ends at", format!("unknown: {why}"))),
            Some(Ok(end)) => {
                let (there, gone) = (short(end.there), short(end.gone));
                said.push((
                    "ends between",
                    format!("{there} {velocity}, where it is still found, and {gone} {velocity}"),
                ));
                if let Some(v) = end.stable_above {
                    said.push((
                        "",
                        format!("steady sliding is stable above {} {velocity}", short(v)),
                    ));
                }
            }
        }
        said
    }

    fn json(&self, scenario: &Scenario, units: Units) -> Value {
        let (mechanism, friction) = (&scenario.mechanism, &scenario.friction);
        let [position, force] = [units.position, units.force].map(|unit| unit.replace('*', ""));
        let speed = |name: &str| format!("{name}_{}", units.velocity.replace('/', "p"));
        let ends = self.end.as_ref().and_then(|end| end.as_ref().ok()).map(|end| {
            let (there, gone, stable) = (speed("there"), speed("gone"), speed("stable_above"));
            json!({ there: end.there, gone: end.gone, stable: end.stable_above })
        });
        let (amplitude, range) = (format!("amplitude_{position}"), format!("force_{force}"));
        json!({
            "bristle": env!("CARGO_PKG_VERSION"),
            "title": scenario.title,
            "system": { "model": mechanism.info().name, "parameters": parameters(mechanism) },
            "friction": { "model": friction.info().name, "parameters": parameters(friction) },
            "period_s": self.period,
            amplitude: self.amplitude,
            "stuck": self.stuck,
            range: [self.cycle.force.min, self.cycle.force.max],
            "work_J": self.cycle.work,
            "multipliers": self.multipliers.iter().map(|m| [m.re, m.im]).collect::<Vec<_>>(),
            "gap": self.gap,
            "ends": ends,
        })
    }
}

/// Phase portrait and friction force.
fn draw(scenario: &Scenario, units: Units, found: &Found) -> (Trace, Figure) {
    let Units { position: place, velocity: speed, force: load } = units;
    let mut table = Trace::new([("t", "s"), ("x", place), ("v", speed), ("F", load)]);
    let samples = &found.cycle.samples;
    // In the frame in which the motion closes.
    let ends = samples.first().zip(samples.last());
    let drift = ends.map_or(0.0, |(a, b)| (b.x - a.x) / found.period);
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
