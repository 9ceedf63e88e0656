//! Figures of rolling contact.
use crate::print::digits;
use bristle_contact::patch::show::RulePath;
use bristle_contact::patch::{Rolling, Shape, Steady};
use bristle_figure::{Arrows, Axis, Figure, Look, Panel, Series, Surface};
use bristle_kernel::Planar;
use bristle_scenario::patch::Scenario;
use bristle_trace::Trace;

/// The tangential traction over the patch: its size, and its direction as arrows.
pub fn tractions(scenario: &Scenario, contact: &Steady) -> Figure {
    let traction = |at: [f64; 2]| {
        // What is refused has no deflection to be drawn.
        let z = contact.deflection(at, &scenario.rolling).unwrap_or([f64::NAN; 2]);
        let p = contact.pressure_at(at);
        scenario.bristle.stiffness().times(z).map(|f| f * p)
    };
    let panel = field(&scenario.patch.shape(), [48, 32], &traction);
    Figure::grid(1, [panel]).titled(titled(scenario))
}

/// A field of vectors over a patch, on so many cells.
pub fn field(
    shape: &Shape,
    [columns, rows]: [usize; 2],
    traction: &dyn Fn([f64; 2]) -> [f64; 2],
) -> Panel {
    // Rows across, each from edge to edge, closer where the outline ends; a little inside, where paths begin.
    let place = |u: f64, v: f64| {
        let y = 0.995 * (std::f64::consts::FRAC_PI_2 * v).sin();
        [0.995 * u * shape.a * shape.edge(y.abs()), y * shape.b]
    };
    let even = |k: usize, last: usize| 2.0 * k as f64 / last as f64 - 1.0;
    let nodes: Vec<[f64; 2]> = (0..=rows)
        .flat_map(|j| (0..=columns).map(move |i| place(even(i, columns), even(j, rows))))
        .collect();
    let size: Vec<f64> = nodes.iter().map(|at| traction(*at)).map(|f| f[0].hypot(f[1])).collect();
    let value = Axis::new("traction", "Pa");
    let (x, y): (Vec<f64>, Vec<f64>) = nodes.iter().map(|n| (n[0], n[1])).unzip();
    let surface = Surface::bent(value, columns + 1, x, y, size);
    let sparse: Vec<[f64; 2]> = (0..9)
        // Far enough inside for the arrows not to leave it.
        .flat_map(|j| {
            (0..13).map(move |i| place(0.9 * even(2 * i + 1, 26), 0.7 * even(2 * j + 1, 18)))
        })
        .collect();
    let (x, y): (Vec<f64>, Vec<f64>) = sparse.iter().map(|n| (n[0], n[1])).unzip();
    let (u, v): (Vec<f64>, Vec<f64>) = sparse.iter().map(|n| traction(*n).into()).unzip();
    let arrows = Arrows::new(Axis::new("traction", "Pa"), [x, y], [u, v]);
    let panel = Panel::new(Axis::new("rolling direction x", "m"), Axis::new("across y", "m"));
    panel.surface(surface).arrows(arrows).equal()
}

/// Forces and moment over one slip while the other stays.
pub fn curves(scenario: &Scenario, contact: &Steady) -> Figure {
    let [x, y] = scenario.grid.slips();
    let r = scenario.rolling;
    let along = |label: &str, slips: &[f64], at: &dyn Fn(f64) -> Rolling<f64>| {
        let points: Vec<_> = slips.iter().map(|slip| at(*slip)).collect();
        // What is refused has no force to be drawn.
        let found = contact.solve_all(&points).into_iter();
        let found: Vec<[f64; 4]> = found.map(|o| o.map_or([f64::NAN; 4], |o| o.wrench())).collect();
        let series = |name: &str, k: usize| {
            Series::new(name, slips, found.iter().map(|w| w[k]).collect::<Vec<_>>())
        };
        let over = || Axis::new(label, "");
        let forces = Panel::new(over(), Axis::new("force F", "N"));
        let moment = Panel::new(over(), Axis::new("moment M_{z}", "N·m"));
        [forces.with(series("F_{x}", 0)).with(series("F_{y}", 1)), moment.with(series("M_{z}", 2))]
    };
    let [fx, mx] = along("slip σ_{x}", &x, &|sigma_x| Rolling { sigma_x, ..r });
    let [fy, my] = along("slip σ_{y}", &y, &|sigma_y| Rolling { sigma_y, ..r });
    Figure::grid(2, [fx, fy, mx, my]).titled(titled(scenario)).width(1000.0)
}

/// The file's title, or how it rolls.
fn titled(scenario: &Scenario) -> String {
    let r = &scenario.rolling;
    match scenario.title.as_str() {
        "" => format!("σ = ({}, {}), φ = ({}, {}) 1/m", r.sigma_x, r.sigma_y, r.phi1, r.phi2)
            .replace('-', "−"),
        title => title.to_owned(),
    }
}

/// The paths and cells that a result was computed by, each tile in its colour.
pub fn rule(scenario: &Scenario, paths: &[RulePath]) -> Figure {
    let panel = Panel::new(Axis::new("rolling direction x", "m"), Axis::new("across y", "m"));
    let tiles = paths.iter().map(|p| p.tile + 1).max().unwrap_or(0);
    let of = |tile: usize| paths.iter().filter(move |p| p.tile == tile);
    let panel = (0..tiles).fold(panel.equal(), |panel, tile| {
        // A value that is not a number breaks the line between two paths.
        let gap = [f64::NAN; 2];
        let ways = of(tile).flat_map(|p| p.way.iter().copied().chain([gap]));
        let ends = of(tile).flat_map(|p| p.way.first().into_iter().chain(&p.cells).copied());
        let (x, y): (Vec<f64>, Vec<f64>) = ways.map(|p| (p[0], p[1])).unzip();
        let (u, v): (Vec<f64>, Vec<f64>) = ends.map(|p| (p[0], p[1])).unzip();
        let name = |what: &str| if tile == 0 { what.to_owned() } else { String::new() };
        panel
            .with(Series::new(name("paths"), x, y).look(Look::Solid).rank(tile))
            .with(Series::new(name("ends of cells"), u, v).look(Look::Points).rank(tile))
    });
    let counted = format!("{} paths in {tiles} tiles", paths.len());
    let title =
        if scenario.title.is_empty() { counted } else { format!("{}: {counted}", scenario.title) };
    Figure::grid(1, [panel]).titled(title)
}

/// Forces and moment over the plane of slips.
pub fn surfaces(
    scenario: &Scenario,
    contact: &Steady,
    x: &[f64],
    y: &[f64],
    trace: &Trace,
) -> Figure {
    let panels = [("Fx", "F_{x}", "N"), ("Fy", "F_{y}", "N"), ("Mz", "M_{z}", "N·m")];
    let panels = panels.map(|(column, label, unit)| {
        let values = trace.column(column).map(|c| c.values.as_slice()).unwrap_or_default();
        // The table runs over σ_y first, the figure over σ_x.
        let at = |i: usize, j: usize| values.get(i * y.len() + j).copied().unwrap_or(f64::NAN);
        let pairs = || (0..y.len()).flat_map(|j| (0..x.len()).map(move |i| (i, j)));
        let surface = Surface::bent(
            Axis::new(label, unit),
            x.len(),
            pairs().map(|(i, _)| x[i]).collect::<Vec<_>>(),
            pairs().map(|(_, j)| y[j]).collect::<Vec<_>>(),
            pairs().map(|(i, j)| at(i, j)).collect::<Vec<_>>(),
        );
        Panel::new(Axis::new("slip σ_{x}", ""), Axis::new("slip σ_{y}", "")).surface(surface)
    });
    let [fx, fy, m] = panels;
    let (phi1, phi2) = (scenario.rolling.phi1, scenario.rolling.phi2);
    let title = match scenario.title.as_str() {
        "" => format!("φ = ({phi1}, {phi2}) 1/m").replace('-', "−"),
        title => title.to_owned(),
    };
    Figure::grid(2, [fx, fy, m, circles(scenario, contact, x, y)]).titled(title).width(1000.0)
}

/// Points along a side of a square of slips.
const ALONG: usize = 60;

/// F_y over F_x along squares of slip around the middle of the grid: what both can be together.
fn circles(scenario: &Scenario, contact: &Steady, x: &[f64], y: &[f64]) -> Panel {
    let panel = Panel::new(Axis::new("F_{x}", "N"), Axis::new("F_{y}", "N"))
        .titled("along squares of slip σ_{x}, σ_{y}")
        .equal();
    let ends = |all: &[f64]| [all[0], all[all.len() - 1]];
    [1.0 / 6.0, 1.0 / 3.0, 1.0].into_iter().fold(panel, |panel, part| {
        let shrunk = |[low, high]: [f64; 2]| {
            let (middle, half) = (0.5 * (low + high), 0.5 * part * (high - low));
            [middle - half, middle + half]
        };
        let ([x0, x1], [y0, y1]) = (shrunk(ends(x)), shrunk(ends(y)));
        let corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]];
        let side = |from: [f64; 2], to: [f64; 2]| {
            (0..ALONG).map(move |k| {
                let u = k as f64 / ALONG as f64;
                [from[0] + u * (to[0] - from[0]), from[1] + u * (to[1] - from[1])]
            })
        };
        let around = corners.windows(2).flat_map(|pair| side(pair[0], pair[1]));
        let points: Vec<_> = around
            .chain([corners[0]])
            .map(|[sigma_x, sigma_y]| Rolling { sigma_x, sigma_y, ..scenario.rolling })
            .collect();
        // What is refused has no force to be drawn.
        let forces = contact.solve_all(&points).into_iter();
        let forces = forces.map(|o| o.map_or([f64::NAN; 2], |o| o.force));
        let (fx, fy): (Vec<f64>, Vec<f64>) = forces.map(|f| (f[0], f[1])).unzip();
        panel.with(Series::new(square([x0, x1], [y0, y1]), fx, fy))
    })
}

/// What a curve along the border of a rectangle of slips is called.
fn square(x: [f64; 2], y: [f64; 2]) -> String {
    let same = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
    let text = |x: f64| digits(x).replace('-', "−");
    match same(-x[0], x[1]) && same(-y[0], x[1]) && same(y[1], x[1]) {
        true => format!("±{}", text(x[1])),
        false => {
            let [x0, x1, y0, y1] = [x[0], x[1], y[0], y[1]].map(text);
            format!("{x0}…{x1}, {y0}…{y1}")
        }
    }
}

/// Slip, forces and moment over the distance travelled.
pub fn transient(scenario: &Scenario, trace: &Trace) -> Figure {
    let column = |name: &str| trace.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let over = || Axis::new("distance s", "m");
    let series = |name: &str, label: &str| Series::new(label, column("s"), column(name));
    let slip = Panel::new(over(), Axis::new("slip σ", ""))
        .with(series("sigma_x", "σ_{x}"))
        .with(series("sigma_y", "σ_{y}"));
    let spin = Panel::new(over(), Axis::new("spin φ", "1/m"))
        .with(series("phi1", "φ_{1}"))
        .with(series("phi2", "φ_{2}"));
    let moves = |prefix: &str| scenario.signals.iter().any(|(name, _)| name.starts_with(prefix));
    let load = Panel::new(over(), Axis::new("load F_{z}", "N")).with(series("load", ""));
    let inputs =
        [(moves("phi"), spin), (!moves("phi") || moves("sigma"), slip), (moves("load"), load)];
    let results = [
        Panel::new(over(), Axis::new("force F", "N"))
            .with(series("Fx", "F_{x}"))
            .with(series("Fy", "F_{y}")),
        Panel::new(over(), Axis::new("moment M_{z}", "N·m")).with(series("Mz", "")),
    ];
    let inputs = inputs.into_iter().filter_map(|(shown, panel)| shown.then_some(panel));
    Figure::stacked(inputs.chain(results).collect::<Vec<_>>()).titled(scenario.title.clone())
}

/// Slip velocity and force over time.
pub fn line(title: &str, trace: &Trace, deflections: &Option<Trace>) -> Figure {
    let column = |name: &str| trace.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let over = || Axis::new("time t", "s");
    let panel = |name: &str, label: &str, unit: &str| {
        let series = Series::new("", column("t"), column(name));
        Panel::new(over(), Axis::new(label, unit)).with(series)
    };
    let mut panels = vec![panel("v", "slip v", "m/s"), panel("F", "force F", "N")];
    for (name, label, unit) in [("V", "rate V", "1/s"), ("L", "length L", "m")] {
        if trace.column(name).is_some() {
            panels.insert(1, panel(name, label, unit));
        }
    }
    match deflections {
        None => Figure::stacked(panels).titled(title),
        Some(table) => {
            // They do not share their axis: lower ones fit a page together.
            panels.push(along(table));
            let panels: Vec<Panel> = panels.into_iter().map(|p| p.height(220.0)).collect();
            Figure::grid(1, panels).titled(title)
        }
    }
}

/// The first state of the bristles over the place, one line for each moment.
fn along(table: &Trace) -> Panel {
    let column = |i: usize| &table.columns()[i].values;
    let (t, x) = (column(0), column(2));
    let state = &table.columns()[5];
    let mut from = 0;
    let label = if state.name == "z" { "deflection z".to_owned() } else { state.name.clone() };
    let mut panel = Panel::new(Axis::new("place x", "m"), Axis::new(label, state.unit.clone()));
    while from < t.len() {
        let to = from + t[from..].iter().take_while(|other| **other == t[from]).count();
        let z = state.values[from..to].to_vec();
        panel = panel.with(Series::new(format!("t = {} s", t[from]), x[from..to].to_vec(), z));
        from = to;
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_slip_say_how_large_they_are() {
        assert_eq!(square([-0.1, 0.1], [-0.1, 0.1]), "±0.1");
        let third = [-1.0 / 3.0, 1.0 / 3.0];
        assert_eq!(square(third, third), "±0.333");
        assert_eq!(square([0.0, 0.3], [-0.1, 0.1]), "0…0.3, −0.1…0.1");
    }
}
