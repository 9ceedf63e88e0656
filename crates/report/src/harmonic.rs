//! What a friction element does under a harmonic motion.
use crate::print::{digits, unit_of_length};
use crate::{Failure, Report, parameters, short};
use bristle_analysis::Cycle;
use bristle_analysis::march::Accuracy;
use bristle_analysis::periodic::{Periodic, hysteresis, usual_amplitude};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::{AnyBristle, Bristle};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// A loop that takes more steps to a period is given up.
const MOST_STEPS: usize = 200_000;

/// Moves a model to and fro under a load, N, with an amplitude, m, and a frequency, Hz. Without an amplitude it is twice what
/// the static limit bends the bristles by.
pub fn harmonic(
    model: &AnyBristle<f64>,
    load: f64,
    amplitude: Option<f64>,
    frequency: f64,
) -> Result<Report, Failure> {
    if model.positional() {
        return Err(Failure::input(
            "its force depends on position: `bristle audit` shows it forth and back, `bristle map` its hysteresis",
        ));
    }
    let amplitude = amplitude.unwrap_or_else(|| usual_amplitude(model, load));
    let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-10.into() };
    let found = hysteresis(model, load, amplitude, frequency, accuracy);
    let found = found.map_err(Failure::run)?;
    let name = model.info().name;
    let (unit, many) = unit_of_length(amplitude);
    let title = format!("{name}: {} {unit} at {frequency} Hz", digits(many * amplitude));
    let head = format!(
        "{name} under {} N: x = {} sin(2π·{} t) m",
        short(load),
        short(amplitude),
        short(frequency)
    );
    let mut summary = numbers(&found);
    summary["friction"] = json!({ "model": name, "parameters": parameters(model) });
    summary["load_N"] = json!(load);
    summary["amplitude_m"] = json!(amplitude);
    summary["frequency_Hz"] = json!(frequency);
    let (table, figure) = draw(&title, &found.cycle);
    Ok(Report::new(report(&head, &found), summary, figure).table("loop.csv", table))
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
