//! The figure of a run: columns of its trace over time or over each other.
use super::Plant;
use crate::{symbol, typeset};
use bristle_figure::{Axis, Diagram, Figure, Look, Outline, Panel, Series, Symbol};
use bristle_machine::Machine;
use bristle_scenario::Panel as Asked;
use bristle_scenario::machine::Measured;
use bristle_trace::{Column, Trace};

/// The panels that the scenario asks for: stacked where all are over time, side by side otherwise.
pub(crate) fn of_run(plant: &Plant, trace: &Trace) -> Figure {
    let panels = match plant.panels() {
        [] => standard(trace),
        panels => panels.to_vec(),
    };
    let drawn: Vec<Panel> = panels.iter().map(|asked| panel(plant, trace, asked)).collect();
    let figure = match (panels.iter().all(|panel| panel.x.is_none()), drawn.len()) {
        (true, _) => Figure::stacked(drawn),
        // Without an empty place.
        (false, 1) => Figure::grid(1, drawn),
        (false, count) if count % 3 == 0 => Figure::grid(3, drawn).width(1100.0),
        (false, _) => Figure::grid(2, drawn),
    };
    figure.titled(plant.title().to_owned())
}

/// Columns over time or over another one.
fn panel(plant: &Plant, trace: &Trace, asked: &Asked) -> Panel {
    let over = trace.column(asked.x.as_deref().unwrap_or("t"));
    let x = over.map(|c| c.values.clone()).unwrap_or_default();
    let below = match (&asked.x, over) {
        (Some(name), Some(column)) => Axis::new(symbol(name), typeset(&column.unit)),
        _ => Axis::new("time t", "s"),
    };
    let columns: Vec<&Column> = asked.y.iter().filter_map(|n| trace.column(n)).collect();
    let logs = || measured(plant, asked);
    let names = columns.iter().map(|c| &c.name).chain(logs().map(|m| &m.name));
    let label: Vec<String> = names.map(|name| symbol(name)).collect();
    let unit = columns.first().map(|c| &c.unit).or(logs().next().map(|m| &m.unit));
    let unit = unit.map_or_else(String::new, |unit| typeset(unit));
    let several = label.len() > 1 || asked.law;
    let panel = Panel::new(below, Axis::new(label.join(", "), unit));
    let panel = columns.iter().fold(panel, |panel, column| {
        let name = if several { symbol(&column.name) } else { String::new() };
        panel.with(Series::new(name, x.clone(), column.values.clone()))
    });
    let panel = measured(plant, asked).fold(panel, |panel, own| {
        let series = Series::new(symbol(&own.name), own.t.clone(), own.values.clone());
        panel.with(series.look(Look::Dashed))
    });
    match &asked.x {
        Some(name) if asked.law => panel.with(law(plant, name, &x)),
        _ => panel,
    }
}

/// What was measured and is asked for over time.
pub(crate) fn measured<'a>(
    plant: &'a Plant,
    asked: &'a Asked,
) -> impl Iterator<Item = &'a Measured> + 'a {
    let over_time = asked.x.is_none();
    plant.measured().iter().filter(move |own| over_time && asked.y.contains(&own.name))
}

/// The force of steady sliding at the velocities that were reached, under the load at the beginning.
pub(crate) fn law(plant: &Plant, column: &str, v: &[f64]) -> Series {
    let [low, high] = v.iter().fold([0.0f64; 2], |[l, h], v| [l.min(*v), h.max(*v)]);
    // Closer where the law is steep, and without a line across its jump at rest.
    let side = |end: &f64| {
        let places: Vec<f64> = (1..=200).map(|k| end * (0.005 * f64::from(k)).powi(4)).collect();
        places.into_iter().chain([f64::NAN])
    };
    let places: Vec<f64> = [low, high].iter().filter(|end| **end != 0.0).flat_map(side).collect();
    let forces = plant.law(column, &places);
    Series::new("steady sliding", places, forces).look(Look::Dashed)
}

/// The first state, relative velocities and forces.
pub(crate) fn standard(trace: &Trace) -> Vec<Asked> {
    let named = |prefix: &str| -> Vec<String> {
        let mine = |c: &&Column| c.name == prefix || c.name.starts_with(&format!("{prefix}_"));
        trace.columns().iter().filter(mine).map(|c| c.name.clone()).collect()
    };
    let state = trace.columns().iter().skip(1).find(|c| matches!(c.unit.as_str(), "m" | "rad"));
    let first = state.map(|c| vec![c.name.clone()]).unwrap_or_default();
    let panels = [first, named("v_rel"), named("F")].into_iter().filter(|panel| !panel.is_empty());
    panels.map(|y| Asked { y, ..Asked::default() }).collect()
}

/// The parts of a machine and what joins them.
pub fn layout(title: &str, machine: &Machine) -> Diagram {
    let mut diagram = Diagram::new(title);
    let layout = machine.layout();
    for element in &layout.elements {
        let outline = match element.kind {
            "rotor" => Outline::Disc,
            "motion" => Outline::Moving,
            _ => Outline::Block,
        };
        diagram.element(&element.name, &element.label, outline);
    }
    for link in &layout.links {
        let symbol = match link.kind {
            "damper" => Symbol::Damper,
            "contact" => Symbol::Contact,
            "rope" => Symbol::Rope,
            "buffer" | "stop" => Symbol::Buffer,
            "gear" | "rack" => Symbol::Gear,
            _ => Symbol::Spring,
        };
        match link.ends[..] {
            [a, b] => diagram.join(a, b, symbol, &link.name),
            [Some(k)] => diagram.push(k, &link.name),
            _ => {}
        }
    }
    diagram
}
