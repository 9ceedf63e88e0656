//! `bristle linearize`: poles, zeros and frequency response.
use crate::figure::symbol;
use crate::run::{parameters, short};
use crate::subject::{Load, What, positive, refuse};
use crate::work::Report;
use crate::{Outcome, Trouble};
use bristle_analysis::linearise::{LinearLine, Point, element, equilibrium, planar, system};
use bristle_analysis::{Complex, Response, StateSpace, around, bode, frequencies, spaced};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_scenario::{Subject, line};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// The sliding velocity of a model or a line contact, m/s
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    at: Option<f64>,
    #[command(flatten)]
    load: Load,
    /// The output shown, of a system or in a plane [default: the first]
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Print the response at these frequencies, Hz: 1,2.5,10
    #[arg(long, value_name = "HZ,…", value_delimiter = ',', allow_negative_numbers = true, conflicts_with_all = ["from", "to"])]
    frequencies: Vec<f64>,
    /// The lowest frequency, Hz [default: a hundredth of the slowest pole's]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    from: Option<f64>,
    /// The highest frequency, Hz [default: a hundred times the fastest pole's]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    to: Option<f64>,
}

/// The speed of a model if nothing is said, m/s.
const USUAL_SPEED: f64 = 0.01;

/// A state of equilibrium that is smaller, in SI units, is zero but for rounding.
const ROUNDING: f64 = 1e-13;

/// Linearises and reports.
pub fn run(args: &Args) -> Outcome {
    for (flag, value) in [("--from", args.from), ("--to", args.to)] {
        value.map_or(Ok(0.0), |f| positive(flag, f, "Hz"))?;
    }
    args.frequencies.iter().try_for_each(|f| positive("--frequencies", *f, "Hz").map(|_| ()))?;
    if let Some(v) = args.at.filter(|v| !v.is_finite()) {
        return Err(Trouble::Input(format!("--at {v} m/s is outside (-inf, inf): give a number")));
    }
    let what = &args.what;
    let refused = |e: &dyn std::fmt::Display| what.refused(&e.to_string());
    let one_output = || {
        let instead = "there is one output, the friction force";
        refuse("--output", args.output.is_some(), instead)
    };
    let subject = what.read()?;
    let _progress = what.begin("linearize")?;
    match subject {
        Subject::Line(scenario) => {
            args.load.refuse()?;
            one_output()?;
            of_line(args, &scenario)
        }
        Subject::Friction(model) => {
            one_output()?;
            let (v, load) = (args.at.unwrap_or(USUAL_SPEED), args.load.of_model()?);
            let point = Point::steady(&model, v, load).map_err(|e| refused(&e))?;
            let name = model.info().name;
            let head = format!(
                "{name} at v = {} m/s under {} N: force {} N",
                short(v),
                short(load),
                short(point.force)
            );
            let about = json!({
                "friction": { "model": name, "parameters": parameters(&model) },
                "v_mps": v, "load_N": load, "force_N": point.force, "state": point.z,
            });
            let title = format!("{name} at {v} m/s");
            report(args, &title, head, about, &element(&model, &point))
        }
        Subject::Plane(model) => {
            let (v, load) = (args.at.unwrap_or(USUAL_SPEED), args.load.of_model()?);
            let name = model.info().name;
            let head = format!("{name} at v = ({}, 0) m/s under {} N", short(v), short(load));
            let about = json!({
                "friction": { "model": name, "parameters": parameters(&model) },
                "v_mps": [v, 0.0], "load_N": load,
            });
            let title = format!("{name} at {v} m/s");
            report(args, &title, head, about, &planar(&model, [v, 0.0], load))
        }
        Subject::System(scenario) => {
            args.load.refuse()?;
            let instead = "a system is linearised at its equilibrium under its drive: take --set system.drive.…";
            refuse("--at", args.at.is_some(), instead)?;
            let (coupled, _) = scenario.system().map_err(|e| refused(&e))?;
            let y = equilibrium(&coupled, None).map_err(|e| Trouble::Run(e.to_string()))?;
            let linear = system(&coupled, &y);
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
            report(args, &scenario.title, head, about, &linear)
        }
    }
}

fn complex(z: &Complex<f64>) -> Value {
    json!([z.re, z.im])
}

fn report(args: &Args, title: &str, head: String, about: Value, linear: &StateSpace) -> Outcome {
    let names: Vec<&str> = linear.outputs.iter().map(|l| l.name.as_str()).collect();
    let output = match &args.output {
        None => 0,
        Some(name) => names.iter().position(|n| n == name).ok_or_else(|| {
            Trouble::Input(format!("--output {name}: there are {}", names.join(", ")))
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
    text += &asked(args, &name, &unit, |asked| linear.bode(output, 0, asked), &mut summary);
    let range = range(args, modes.iter().map(|m| m.frequency))?;
    let all = linear.bode(output, 0, &frequencies(range, &modes));
    let (table, figure) =
        draw(title, &all, &format!("{}/{}", symbol(&shown.name), symbol(&input.name)), &unit);
    let table = Some(("bode.csv", &table));
    args.what.finish(
        "linearize",
        Report { text, summary: &summary, tables: table.into_iter().collect(), figure: &figure },
    )
}

/// The response at the frequencies that were asked for.
fn asked(
    args: &Args,
    name: &str,
    unit: &str,
    bode: impl FnOnce(&[f64]) -> Vec<Response>,
    summary: &mut Value,
) -> String {
    if args.frequencies.is_empty() {
        return String::new();
    }
    let all = bode(&args.frequencies);
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

/// One unit over another.
fn over(unit: &str, by: &str) -> String {
    if unit == by { "1".into() } else { format!("{unit}/({by})") }
}

/// From well below the slowest pole to well above the fastest one, unless it is said.
fn range(args: &Args, poles: impl Iterator<Item = f64>) -> Result<[f64; 2], Trouble> {
    let [low, high] = around(poles);
    // A decade at least beside an end that was asked for.
    let from = args.from.unwrap_or_else(|| args.to.map_or(low, |to| low.min(0.1 * to)));
    let to = args.to.unwrap_or_else(|| high.max(10.0 * from));
    if from < to {
        return Ok([from, to]);
    }
    Err(Trouble::Input(format!("--from {from} Hz must be below --to {to} Hz")))
}

fn of_line(args: &Args, scenario: &line::Scenario) -> Outcome {
    let v = args.at.unwrap_or_else(|| scenario.first_slip());
    let refused = |e: &dyn std::fmt::Display| args.what.refused(&e.to_string());
    let linear = scenario.with(|line| LinearLine::new(line, v)).map_err(|e| refused(&e))?;
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
    let [from, to] = range(args, [scenario.contact.rate].into_iter())?;
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
    let respond = |asked: &[f64]| bode(asked, |omega| linear.response(omega));
    text += &self::asked(args, "F/v", "N·s/m", respond, &mut summary);
    let (table, figure) = draw(&scenario.title, &all, "F/v", "N·s/m");
    let table = Some(("bode.csv", &table));
    args.what.finish(
        "linearize",
        Report { text, summary: &summary, tables: table.into_iter().collect(), figure: &figure },
    )
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
