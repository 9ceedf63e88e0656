//! The figure of a run: columns of its trace over time.
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_scenario::Scenario;
use bristle_trace::{Column, Trace};

/// Stacked panels over time, as the scenario asks for them.
pub fn time_history(scenario: &Scenario, trace: &Trace) -> Figure {
    let panels = if scenario.panels.is_empty() { standard(trace) } else { scenario.panels.clone() };
    let time = trace.column("t").map(|c| c.values.clone()).unwrap_or_default();
    let drawn = panels.iter().map(|names| {
        let columns: Vec<&Column> = names.iter().filter_map(|n| trace.column(n)).collect();
        let label: Vec<String> = columns.iter().map(|c| symbol(&c.name)).collect();
        let unit = columns.first().map_or_else(String::new, |c| typeset(&c.unit));
        let panel = Panel::new(Axis::new("time t", "s"), Axis::new(label.join(", "), unit));
        columns.iter().fold(panel, |panel, column| {
            let name = if columns.len() > 1 { symbol(&column.name) } else { String::new() };
            panel.with(Series::new(name, time.clone(), column.values.clone()))
        })
    });
    Figure::stacked(drawn.collect::<Vec<_>>()).titled(scenario.title.clone())
}

/// The first state, relative velocities and forces.
fn standard(trace: &Trace) -> Vec<Vec<String>> {
    let named = |prefix: &str| -> Vec<String> {
        let mine = |c: &&Column| c.name == prefix || c.name.starts_with(&format!("{prefix}_"));
        trace.columns().iter().filter(mine).map(|c| c.name.clone()).collect()
    };
    let state = trace.columns().iter().skip(1).find(|c| matches!(c.unit.as_str(), "m" | "rad"));
    let first = state.map(|c| vec![c.name.clone()]).unwrap_or_default();
    [first, named("v_rel"), named("F")].into_iter().filter(|panel| !panel.is_empty()).collect()
}

/// `q_err` with its index set below.
fn symbol(name: &str) -> String {
    match name.split_once('_') {
        Some((letter, index)) => format!("{letter}_{{{}}}", index.replace('_', ",")),
        None => name.to_owned(),
    }
}

/// `N*s/m^2` as it is printed.
fn typeset(unit: &str) -> String {
    unit.replace('*', "·").replace("^2", "²")
}
