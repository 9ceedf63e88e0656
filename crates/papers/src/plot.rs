//! What the figures of several papers have in common.
use crate::Course;
use bristle_figure::{Axis, Figure, Look, Panel, Series};

/// A quantity drawn: its column, and its name and unit on an axis.
pub type Drawn<'a> = (&'a str, &'a str, &'a str);

/// The axis of time.
pub fn time() -> Axis {
    Axis::new("time t", "s")
}

/// One panel for each quantity over time, one line in it for each run.
pub fn histories(runs: &[(&str, &Course)], quantities: &[Drawn<'_>]) -> Figure {
    let panel = |(column, label, unit): &Drawn<'_>| {
        let empty = Panel::new(time(), Axis::new(*label, *unit));
        let mut all =
            runs.iter().map(|(name, run)| (*name, run.history(column))).collect::<Vec<_>>();
        // An input that all runs share is drawn once, in black.
        let input = INPUTS.contains(column) && all.iter().all(|(_, other)| alike(&all[0].1, other));
        if all.len() > 1 && input {
            let (_, (t, y)) = all.swap_remove(0);
            return empty.with(Series::new("", t, y).look(Look::Solid).rank(BLACK));
        }
        all.into_iter().fold(empty, |panel, (name, (t, y))| panel.with(Series::new(name, t, y)))
    };
    Figure::stacked(quantities.iter().map(panel).collect::<Vec<_>>())
}

/// Columns that may be inputs: forces, velocities and positions that are given.
const INPUTS: [&str; 6] = ["F_E", "OP", "v_ref", "v_rel", "x_TT", "q_ref"];
/// The place of black among the colours.
const BLACK: usize = 6;

/// Whether two histories cannot be told apart on paper.
fn alike((t, y): &(Vec<f64>, Vec<f64>), other: &(Vec<f64>, Vec<f64>)) -> bool {
    let [low, high] =
        y.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], y| [l.min(*y), h.max(*y)]);
    let part = |t: f64| {
        // At a jump either side will do.
        let after = other.0.partition_point(|s| *s <= t).clamp(1, other.0.len().max(2) - 1);
        let ([a, b], [u, v]) =
            ([other.0[after - 1], other.0[after]], [other.1[after - 1], other.1[after]]);
        if b > a { u + (v - u) * ((t - a) / (b - a)).clamp(0.0, 1.0) } else { v }
    };
    let near = |(t, y): &(&f64, &f64)| (part(**t) - **y).abs() <= SEEN * (high - low);
    let count = t.iter().zip(y).filter(near).count();
    other.0.len() > 1 && count + JUMPS >= t.len()
}

/// A part of its range that can be seen in a line, and so many samples beside jumps may be more than that apart.
const SEEN: f64 = 2e-3;
const JUMPS: usize = 16;

/// Panels that are compared show the same range upwards.
pub fn same_range(panels: impl IntoIterator<Item = Panel>) -> Vec<Panel> {
    let panels: Vec<Panel> = panels.into_iter().collect();
    let all = panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.y).filter(|y| y.is_finite());
    let [low, high] =
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], y| [l.min(*y), h.max(*y)]);
    let margin = 0.05 * (high - low);
    let shown = |mut panel: Panel| {
        panel.y = panel.y.within(low - margin, high + margin);
        panel
    };
    panels.into_iter().map(shown).collect()
}

/// One quantity over another between two times, one line for each run.
pub fn loops(runs: &[(&str, &Course)], x: Drawn<'_>, y: Drawn<'_>, between: [f64; 2]) -> Panel {
    let panel = Panel::new(Axis::new(x.1, x.2), Axis::new(y.1, y.2));
    runs.iter().fold(panel, |panel, (name, run)| {
        let (t, across) = run.history(x.0);
        let (_, up) = run.history(y.0);
        let inside =
            |(t, xy): (f64, (f64, f64))| (t >= between[0] && t <= between[1]).then_some(xy);
        let (across, up): (Vec<f64>, Vec<f64>) =
            t.into_iter().zip(across.into_iter().zip(up)).filter_map(inside).unzip();
        panel.with(Series::new(*name, across, up))
    })
}
