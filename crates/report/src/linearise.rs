//! Poles, zeros and frequency response.
use crate::{Failure, Report, parameters, short, symbol};
use bristle_analysis::linearise::{self, LinearLine, Point};
use bristle_analysis::{Complex, Response, StateSpace, around, bode, frequencies, spaced};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::{AnyBristle, AnyPlanar, Bristle};
use bristle_scenario::{Scenario, line};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// What is asked of a linearisation; each has a value of its own if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The output shown, of a system or in a plane: the first.
    pub output: Option<String>,
    /// Print the response at these frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// The lowest frequency drawn, Hz: a hundredth of the slowest pole's.
    pub from: Option<f64>,
    /// The highest frequency drawn, Hz: a hundred times the fastest pole's.
    pub to: Option<f64>,
}

/// The speed of a model if nothing is said, m/s.
const USUAL_SPEED: f64 = 0.01;

/// A state of equilibrium that is smaller, in SI units, is zero but for rounding.
const ROUNDING: f64 = 1e-13;

/// Linearises a model in steady sliding at a velocity, m/s, under a load, N.
pub fn model(
    model: &AnyBristle<f64>,
    v: Option<f64>,
    load: f64,
    asked: &Asked,
) -> Result<Report, Failure> {
    if model.positional() {
        return Err(Failure::input(
            "its force depends on position, so that it has no response to the velocity alone: take a file with [system], \
             or `bristle audit`, which shows it forth and back",
        ));
    }
    let v = v.unwrap_or(USUAL_SPEED);
    let point = Point::steady(model, v, load).map_err(Failure::input)?;
    let name = model.info().name;
    let head = format!(
        "{name} at v = {} m/s under {} N: force {} N",
        short(v),
        short(load),
        short(point.force)
    );
    let about = json!({
        "friction": { "model": name, "parameters": parameters(model) },
        "v_mps": v, "load_N": load, "force_N": point.force, "state": point.z,
    });
    report(asked, &format!("{name} at {v} m/s"), head, about, &linearise::element(model, &point))
}

/// Linearises a model that slides in a plane at (v, 0) m/s under a load, N.
pub fn plane(
    model: &AnyPlanar<f64>,
    v: Option<f64>,
    load: f64,
    asked: &Asked,
) -> Result<Report, Failure> {
    let v = v.unwrap_or(USUAL_SPEED);
    let name = model.info().name;
    let head = format!("{name} at v = ({}, 0) m/s under {} N", short(v), short(load));
    let about = json!({
        "friction": { "model": name, "parameters": parameters(model) },
        "v_mps": [v, 0.0], "load_N": load,
    });
    let linear = linearise::planar(model, [v, 0.0], load);
    report(asked, &format!("{name} at {v} m/s"), head, about, &linear)
}

/// Linearises a system at its equilibrium.
pub fn system(scenario: &Scenario, asked: &Asked) -> Result<Report, Failure> {
    let (coupled, _) = scenario.system().map_err(Failure::input)?;
    let y = linearise::equilibrium(&coupled, None).map_err(Failure::run)?;
    let linear = linearise::system(&coupled, &y);
    let (name, friction) = (scenario.mechanism.info().name, scenario.friction.info().name);
    let values: Vec<String> = linear
        .states
        .iter()
        .zip(&y)
        .map(|(l, y)| (l, if y.abs() < ROUNDING { 0.0 } else { *y }))
        .map(|(l, y)| format!("{} = {} {}", l.name, short(y), l.unit))
        .collect();
    let head = format!("{name} with {friction}, in equilibrium at {}", values.join(", "));
    let about = json!({
        "title": scenario.title,
        "system": { "model": name, "parameters": parameters(&scenario.mechanism) },
        "friction": { "model": friction, "parameters": parameters(&scenario.friction) },
        "equilibrium": y,
    });
    report(asked, &scenario.title, head, about, &linear)
}

fn complex(z: &Complex<f64>) -> Value {
    json!([z.re, z.im])
}

fn report(
    asked: &Asked,
    title: &str,
    head: String,
    about: Value,
    linear: &StateSpace,
) -> Result<Report, Failure> {
    let names: Vec<&str> = linear.outputs.iter().map(|l| l.name.as_str()).collect();
    let output = match &asked.output {
        None => 0,
        Some(name) => names.iter().position(|n| n == name).ok_or_else(|| {
            Failure::Asked(format!("--output {name}: there are {}", names.join(", ")))
        })?,
    };
    let mut text = head + "\n\n";
    // Writing to a String cannot fail.
    let mut line = |s: String| writeln!(text, "{s}").unwrap_or_default();
    line(format!(
        "{:>14} {:>14} {:>14} {:>10}",
        "pole, re 1/s", "im rad/s", "frequency Hz", "damping"
    ));
    let modes = linear.modes();
    for mode in &modes {
        let p = mode.pole;
        line(format!(
            "{:>14} {:>14} {:>14} {:>10.4}",
            short(p.re),
            short(p.im),
            short(mode.frequency),
            mode.damping
        ));
    }
    if modes.is_empty() {
        line(format!("{:>14}", "none"));
    }
    let (input, shown) = (&linear.inputs[0], &linear.outputs[output]);
    let zeros = linear.zeros(output, 0).unwrap_or_default();
    let listed: Vec<String> = zeros
        .iter()
        .map(|z| match z.im {
            0.0 => short(z.re),
            im => {
                format!("{} {} {}i", short(z.re), if im < 0.0 { '−' } else { '+' }, short(im.abs()))
            }
        })
        .collect();
    let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
    line(format!("\nzeros from {} to {}, 1/s: {listed}", input.name, shown.name));
    let still = linear.response(output, 0, 0.0);
    if still.re.is_finite() {
        line(format!(
            "at 0 Hz {}/{} = {} {}",
            shown.name,
            input.name,
            short(still.re),
            over(&shown.unit, &input.unit)
        ));
    }
    let rows = |m: &bristle_analysis::DMatrix<f64>| -> Value {
        m.row_iter().map(|r| r.iter().copied().collect::<Vec<f64>>()).collect::<Vec<_>>().into()
    };
    let labels = |all: &[bristle_analysis::Label]| -> Vec<Value> {
        all.iter().map(|l| json!({ "name": l.name, "unit": l.unit })).collect()
    };
    let mut summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "A": rows(&linear.a), "B": rows(&linear.b), "C": rows(&linear.c), "D": rows(&linear.d),
        "states": labels(&linear.states), "inputs": labels(&linear.inputs),
        "outputs": labels(&linear.outputs),
        "poles": modes.iter().map(|m| json!({
            "pole": complex(&m.pole), "frequency_Hz": m.frequency, "damping": m.damping,
        })).collect::<Vec<_>>(),
        "output": shown.name,
        "zeros": zeros.iter().map(complex).collect::<Vec<_>>(),
    });
    summary["about"] = about;
    let unit = over(&shown.unit, &input.unit);
    let name = format!("{}/{}", shown.name, input.name);
    text += &answered(asked, &name, &unit, |at| linear.bode(output, 0, at), &mut summary);
    let range = range(asked, modes.iter().map(|m| m.frequency))?;
    let all = linear.bode(output, 0, &frequencies(range, &modes));
    let (table, figure) =
        draw(title, &all, &format!("{}/{}", symbol(&shown.name), symbol(&input.name)), &unit);
    Ok(Report::new(text, summary, figure).table("bode.csv", table))
}

/// The response at the frequencies that were asked for.
fn answered(
    asked: &Asked,
    name: &str,
    unit: &str,
    bode: impl FnOnce(&[f64]) -> Vec<Response>,
    summary: &mut Value,
) -> String {
    if asked.frequencies.is_empty() {
        return String::new();
    }
    let all = bode(&asked.frequencies);
    let mut text =
        format!("\n{:>14} {:>14} {:>14}\n", "frequency Hz", format!("|{name}|"), "phase degrees");
    for r in &all {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>14} {:>14} {:>14.3}",
            short(r.frequency),
            short(r.value.norm()),
            r.phase
        );
    }
    summary["response"] = all
        .iter()
        .map(|r| json!({ "frequency_Hz": r.frequency, "value": complex(&r.value), "unit": unit, "phase_deg": r.phase }))
        .collect();
    text
}

/// One unit over another: `m/N`, `N/(m/s)`, and `s` for m over m/s.
fn over(unit: &str, by: &str) -> String {
    match by {
        _ if unit == by => "1".into(),
        _ if by.strip_suffix("/s") == Some(unit) => "s".into(),
        _ if by.chars().all(char::is_alphabetic) => format!("{unit}/{by}"),
        _ => format!("{unit}/({by})"),
    }
}

/// From well below the slowest pole to well above the fastest one, unless it is said.
fn range(asked: &Asked, poles: impl Iterator<Item = f64>) -> Result<[f64; 2], Failure> {
    let [low, high] = around(poles);
    // A decade at least beside an end that was asked for.
    let from = asked.from.unwrap_or_else(|| asked.to.map_or(low, |to| low.min(0.1 * to)));
    let to = asked.to.unwrap_or_else(|| high.max(10.0 * from));
    if from < to {
        return Ok([from, to]);
    }
    Err(Failure::Asked(format!("--from {from} Hz must be below --to {to} Hz")))
}

/// Linearises a line contact in steady rolling at a slip velocity, m/s, that of the scenario's start if nothing is said.
pub fn line(scenario: &line::Scenario, v: Option<f64>, asked: &Asked) -> Result<Report, Failure> {
    let v = v.unwrap_or_else(|| scenario.first_slip());
    let linear = scenario.with(|line| LinearLine::new(line, v)).map_err(Failure::input)?;
    let still = linear.response(0.0);
    let mut text = format!(
        "line of {} at v = {} m/s under {} N: force {} N\nat 0 Hz F/v = {} N·s/m\n",
        scenario.bristle.info().name,
        short(v),
        short(linear.load),
        short(linear.force),
        short(still.re)
    );
    // A bristle lives for one passage: below that the line is quasi-steady.
    let [from, to] = range(asked, [scenario.contact.rate].into_iter())?;
    let all = bode(&spaced(from, to, 400), |omega| linear.response(omega));
    let mut summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "line": parameters(&scenario.contact),
        "friction": {
            "model": scenario.bristle.info().name, "parameters": parameters(&scenario.bristle),
        },
        "v_mps": v, "load_N": linear.load, "force_N": linear.force, "slope_Ns_per_m": still.re,
    });
    let respond = |at: &[f64]| bode(at, |omega| linear.response(omega));
    text += &answered(asked, "F/v", "N·s/m", respond, &mut summary);
    let (table, figure) = draw(&scenario.title, &all, "F/v", "N·s/m");
    Ok(Report::new(text, summary, figure).table("bode.csv", table))
}

/// Bode's and Nyquist's plots.
fn draw(title: &str, all: &[Response], name: &str, unit: &str) -> (Trace, Figure) {
    let mut table =
        Trace::new([("f", "Hz"), ("re", unit), ("im", unit), ("size", unit), ("phase", "deg")]);
    for r in all {
        table.push(&[r.frequency, r.value.re, r.value.im, r.value.norm(), r.phase]);
    }
    let column = |f: fn(&Response) -> f64| all.iter().map(f).collect::<Vec<f64>>();
    let frequency = || Axis::new("frequency", "Hz").log();
    let size = Panel::new(frequency(), Axis::new(format!("|{name}|"), unit).log())
        .with(Series::new("", column(|r| r.frequency), column(|r| r.value.norm())));
    let phase = Panel::new(frequency(), Axis::new("phase", "degrees")).with(Series::new(
        "",
        column(|r| r.frequency),
        column(|r| r.phase),
    ));
    let nyquist =
        Panel::new(Axis::new(format!("Re {name}"), unit), Axis::new(format!("Im {name}"), unit))
            .with(Series::new("", column(|r| r.value.re), column(|r| r.value.im)))
            .equal();
    (table, Figure::grid(3, [size, phase, nyquist]).titled(title).width(1100.0))
}

#[cfg(test)]
mod tests {
    use super::over;

    #[test]
    fn units_cancel() {
        let all = [("m", "m/s"), ("m/s", "m/s"), ("N", "m/s"), ("m", "N"), ("rad/s", "N*m")];
        let shown = all.map(|(unit, by)| over(unit, by));
        assert_eq!(shown, ["s", "1", "N/(m/s)", "m/N", "rad/s/(N*m)"]);
    }
}
