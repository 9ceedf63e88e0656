//! The figure of a run: columns of its trace over time or over each other.
use bristle_figure::{Axis, Figure, Look, Panel, Series};
use bristle_kernel::{Bristle, Drive};
use bristle_scenario::{Panel as Asked, Scenario};
use bristle_trace::{Column, Trace};

/// The panels that the scenario asks for: stacked where all are over time, side by side otherwise.
pub fn of_run(scenario: &Scenario, trace: &Trace) -> Figure {
    let panels = if scenario.panels.is_empty() { standard(trace) } else { scenario.panels.clone() };
    let drawn: Vec<Panel> = panels.iter().map(|asked| panel(scenario, trace, asked)).collect();
    let figure = match panels.iter().all(|panel| panel.x.is_none()) {
        true => Figure::stacked(drawn),
        false => Figure::grid(2, drawn),
    };
    figure.titled(scenario.title.clone())
}

/// Columns over time or over another one.
fn panel(scenario: &Scenario, trace: &Trace, asked: &Asked) -> Panel {
    let over = trace.column(asked.x.as_deref().unwrap_or("t"));
    let x = over.map(|c| c.values.clone()).unwrap_or_default();
    let below = match (&asked.x, over) {
        (Some(name), Some(column)) => Axis::new(symbol(name), typeset(&column.unit)),
        _ => Axis::new("time t", "s"),
    };
    let columns: Vec<&Column> = asked.y.iter().filter_map(|n| trace.column(n)).collect();
    let label: Vec<String> = columns.iter().map(|c| symbol(&c.name)).collect();
    let unit = columns.first().map_or_else(String::new, |c| typeset(&c.unit));
    let several = columns.len() > 1 || asked.law;
    let panel = Panel::new(below, Axis::new(label.join(", "), unit));
    let panel = columns.iter().fold(panel, |panel, column| {
        let name = if several { symbol(&column.name) } else { String::new() };
        panel.with(Series::new(name, x.clone(), column.values.clone()))
    });
    if asked.law { panel.with(law(scenario, &x)) } else { panel }
}

/// The force of steady sliding at the velocities that were reached, under the load at the beginning.
fn law(scenario: &Scenario, v: &[f64]) -> Series {
    let load = scenario
        .system()
        .map_or(0.0, |(system, y)| system.contact(&system.begin(0.0, &y), 0, 0.0, &y).0.load);
    let [low, high] = v.iter().fold([0.0f64; 2], |[l, h], v| [l.min(*v), h.max(*v)]);
    let model = &scenario.friction;
    let mut z = vec![0.0; model.states()];
    // Closer where the law is steep, and without a line across its jump at rest.
    let side = |end: &f64| {
        let places: Vec<f64> = (1..=200).map(|k| end * (0.005 * f64::from(k)).powi(4)).collect();
        places.into_iter().chain([f64::NAN])
    };
    let places: Vec<f64> = [low, high].iter().filter(|end| **end != 0.0).flat_map(side).collect();
    let force = |v: &f64| model.steady(&Drive::new(*v, load), &mut z);
    let forces: Vec<f64> = places.iter().map(force).collect();
    Series::new("steady sliding", places, forces).look(Look::Dashed)
}

/// The first state, relative velocities and forces.
fn standard(trace: &Trace) -> Vec<Asked> {
    let named = |prefix: &str| -> Vec<String> {
        let mine = |c: &&Column| c.name == prefix || c.name.starts_with(&format!("{prefix}_"));
        trace.columns().iter().filter(mine).map(|c| c.name.clone()).collect()
    };
    let state = trace.columns().iter().skip(1).find(|c| matches!(c.unit.as_str(), "m" | "rad"));
    let first = state.map(|c| vec![c.name.clone()]).unwrap_or_default();
    let panels = [first, named("v_rel"), named("F")].into_iter().filter(|panel| !panel.is_empty());
    panels.map(|y| Asked { y, ..Asked::default() }).collect()
}

/// `q_err` with its index set below.
pub fn symbol(name: &str) -> String {
    match name.split_once('_') {
        Some((letter, index)) => format!("{letter}_{{{}}}", index.replace('_', ",")),
        None => name.to_owned(),
    }
}

/// `N*s/m^2` as it is printed.
fn typeset(unit: &str) -> String {
    unit.replace('*', "·").replace("^2", "²")
}
