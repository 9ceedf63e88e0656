//! `bristle loop`: what a friction element does under a harmonic motion.
use crate::run::{parameters, short};
use crate::subject::{Load, What, in_a_plane, load_of, positive};
use crate::work::Report;
use crate::{Outcome, Trouble};
use bristle_analysis::Cycle;
use bristle_analysis::march::Accuracy;
use bristle_analysis::periodic::{Periodic, hysteresis, usual_amplitude};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::Bristle;
use bristle_scenario::Subject;
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    load: Load,
    /// The amplitude of the position, m [default: twice what the static limit bends the bristles by]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    amplitude: Option<f64>,
    /// The frequency, Hz
    #[arg(long, value_name = "HZ", default_value_t = 1.0, allow_negative_numbers = true)]
    frequency: f64,
}

/// A loop that takes more steps to a period is given up.
const MOST_STEPS: usize = 200_000;

/// Finds the loop and reports.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let frequency = positive("--frequency", args.frequency, "Hz")?;
    args.amplitude.map_or(Ok(0.0), |a| positive("--amplitude", a, "m"))?;
    let (model, load) = match what.read()? {
        Subject::Friction(model) => (model, args.load.of_model()?),
        Subject::System(scenario) => {
            args.load.refuse()?;
            let load = load_of(what, &scenario)?;
            (scenario.friction, load)
        }
        Subject::Line(_) => {
            return Err(
                what.refused("a loop is of one bristle: give a model, or a file with [system]")
            );
        }
        Subject::Plane(model) => return Err(in_a_plane("loop", model.info().name)),
    };
    if model.positional() {
        let text = "its force depends on position: `bristle audit` shows it forth and back, `bristle map` its hysteresis";
        return Err(what.refused(text));
    }
    let amplitude = args.amplitude.unwrap_or_else(|| usual_amplitude(&model, load));
    let _progress = what.begin("loop")?;
    let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-10.into() };
    let found = hysteresis(&model, load, amplitude, frequency, accuracy);
    let found = found.map_err(|e| Trouble::Run(e.to_string()))?;
    let name = model.info().name;
    let title = format!("{name}: {amplitude:.2e} m at {frequency} Hz");
    let head = format!(
        "{name} under {} N: x = {} sin(2π·{} t) m",
        short(load),
        short(amplitude),
        short(frequency)
    );
    let mut summary = numbers(&found);
    summary["friction"] = json!({ "model": name, "parameters": parameters(&model) });
    summary["load_N"] = json!(load);
    summary["amplitude_m"] = json!(amplitude);
    summary["frequency_Hz"] = json!(frequency);
    let (table, figure) = draw(&title, &found.cycle);
    let (text, table) = (report(&head, &found), Some(("loop.csv", &table)));
    what.finish(
        "loop",
        Report { text, summary: &summary, tables: table.into_iter().collect(), figure: &figure },
    )
}

fn report(head: &str, found: &Periodic) -> String {
    let cycle = &found.cycle;
    let mut text = format!("{head}\n\n");
    let mut line = |label: &str, s: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{label:22} {s}");
    };
    let function = cycle.describing_function();
    let sign = if function.im < 0.0 { '−' } else { '+' };
    line("area ∮F dx", format!("{} J a cycle", short(cycle.work)));
    line("area ∮F dv", format!("{} W", short(cycle.lag)));
    line(
        "describing function",
        format!("{} {sign} {}i N/m", short(function.re), short(function.im.abs())),
    );
    line("secant stiffness", format!("{} N/m", short(cycle.secant_stiffness())));
    line("equivalent damping", format!("{} N·s/m", short(cycle.equivalent_damping())));
    line("loss factor", short(cycle.loss_factor()));
    line("force", format!("{} to {} N", short(cycle.force.min), short(cycle.force.max)));
    line("closes within", format!("{:.1e} of its size", found.gap));
    text
}

fn numbers(found: &Periodic) -> Value {
    let cycle = &found.cycle;
    let function = cycle.describing_function();
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "area_over_position_J": cycle.work,
        "area_over_velocity_W": cycle.lag,
        "describing_function_N_per_m": [function.re, function.im],
        "secant_stiffness_N_per_m": cycle.secant_stiffness(),
        "equivalent_damping_Ns_per_m": cycle.equivalent_damping(),
        "loss_factor": cycle.loss_factor(),
        "force_N": [cycle.force.min, cycle.force.max],
        "gap": found.gap,
    })
}

/// Force over position and over velocity.
fn draw(title: &str, cycle: &Cycle) -> (Trace, Figure) {
    let mut table = Trace::new([("t", "s"), ("x", "m"), ("v", "m/s"), ("F", "N")]);
    for s in &cycle.samples {
        table.push(&[s.t, s.x, s.v, s.force]);
    }
    let column = |name: &str| table.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let over = |name: &str, axis: Axis| {
        let series = Series::new("", column(name), column("F"));
        Panel::new(axis, Axis::new("friction force F", "N")).with(series)
    };
    let panels =
        [over("x", Axis::new("position x", "m")), over("v", Axis::new("velocity v", "m/s"))];
    (table.clone(), Figure::grid(2, panels).titled(title))
}
