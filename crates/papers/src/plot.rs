//! What the figures of several papers have in common.
use crate::Course;
use bristle_figure::{Axis, Figure, Panel, Series};

/// A quantity drawn: its column, and its name and unit on an axis.
pub type Drawn<'a> = (&'a str, &'a str, &'a str);

/// The axis of time.
pub fn time() -> Axis {
    Axis::new("time t", "s")
}

/// One panel for each quantity over time, one line in it for each run.
pub fn histories(runs: &[(&str, &Course)], quantities: &[Drawn<'_>]) -> Figure {
    let panel = |(column, label, unit): &Drawn<'_>| {
        runs.iter().fold(Panel::new(time(), Axis::new(*label, *unit)), |panel, (name, run)| {
            let (t, y) = run.history(column);
            panel.with(Series::new(*name, t, y))
        })
    };
    Figure::stacked(quantities.iter().map(panel).collect::<Vec<_>>())
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
