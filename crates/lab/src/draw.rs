//! Figures as the page draws them: what stands in them as JSON, with thinned columns.
use crate::answer::Answer;
use crate::thin;
use bristle_figure::{Arrangement, Aspect, Axis, Figure, Look, Mark, Panel, Scale, Series};
use bristle_report::run::explore::{Explored, View};
use serde_json::{Value, json};

/// How large the screen is that a panel is drawn on.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Pixels across.
    pub pixels: usize,
    /// What of time is shown; all of it, if not given.
    pub window: Option<[f64; 2]>,
}

/// Every panel of a figure.
pub fn figure(answer: &mut Answer, figure: &Figure, screen: Screen) -> Value {
    let panels: Vec<Value> =
        figure.panels.iter().map(|p| panel(answer, p, &[], screen, false)).collect();
    let columns = match figure.arrangement {
        Arrangement::Grid { columns } => columns,
        Arrangement::Stacked => 1,
    };
    json!({ "title": figure.title, "panels": panels, "columns": columns })
}

/// A panel of a run.
pub fn explored(answer: &mut Answer, own: &Explored, screen: Screen) -> Value {
    let mut shown = panel(answer, &own.panel, &own.clocks, screen, own.view == View::Energy);
    shown["view"] = json!(match own.view {
        View::History => "history",
        View::Phase => "phase",
        View::Law => "law",
        View::Energy => "energy",
        View::Other => "other",
    });
    for (series, run) in shown["series"].as_array_mut().into_iter().flatten().zip(&own.runs) {
        series["run"] = json!(run);
    }
    shown
}

fn axis(axis: &Axis) -> Value {
    json!({
        "label": axis.label, "unit": axis.unit, "log": axis.scale == Scale::Log,
        "limits": axis.limits.map(|(from, to)| [from, to]),
    })
}

/// A panel; `clocks` are the times of the points of its series, where they have one. What is to be stacked keeps the same points of
/// all series.
fn panel(
    answer: &mut Answer,
    panel: &Panel,
    clocks: &[Vec<f64>],
    screen: Screen,
    stacked: bool,
) -> Value {
    let log = [&panel.x, &panel.y].map(|axis| axis.scale == Scale::Log);
    let units = [
        size(panel.series.iter().flat_map(|s| &s.x), log[0]) / screen.pixels as f64,
        size(panel.series.iter().flat_map(|s| &s.y), log[1]) / screen.pixels as f64,
    ];
    let mut places: Vec<Vec<usize>> =
        panel.series.iter().map(|series| kept(series, log, units, screen)).collect();
    if stacked {
        let mut common: Vec<usize> = places.iter().flatten().copied().collect();
        common.sort_unstable();
        common.dedup();
        places.fill(common);
    }
    let mut all = Vec::new();
    for (k, (series, kept)) in panel.series.iter().zip(&places).enumerate() {
        let clock = clocks.get(k).filter(|clock| clock.len() == series.x.len());
        let pick = |values: &[f64]| kept.iter().map(|k| values[*k]).collect::<Vec<_>>();
        all.push(json!({
            "name": series.name,
            "look": match series.look {
                Look::Line => "line",
                Look::Solid => "solid",
                Look::Dashed => "dashed",
                Look::Points => "points",
                Look::Dots => "dots",
            },
            "rank": series.rank,
            "x": answer.column(pick(&series.x)),
            "y": answer.column(pick(&series.y)),
            "t": clock.map(|clock| answer.column(pick(clock))),
        }));
    }
    let surface = panel.surface.as_ref().map(|surface| {
        json!({
            "value": axis(&surface.value), "columns": surface.columns,
            "x": answer.column(surface.x.iter().copied()),
            "y": answer.column(surface.y.iter().copied()),
            "z": answer.column(surface.z.iter().copied()),
        })
    });
    let arrows = panel.arrows.as_ref().map(|arrows| {
        json!({
            "value": axis(&arrows.value),
            "x": answer.column(arrows.x.iter().copied()),
            "y": answer.column(arrows.y.iter().copied()),
            "u": answer.column(arrows.u.iter().copied()),
            "v": answer.column(arrows.v.iter().copied()),
        })
    });
    json!({
        "title": panel.title, "x": axis(&panel.x), "y": axis(&panel.y), "series": all,
        "marks": panel.marks.iter().map(|m| mark(answer, m)).collect::<Vec<_>>(),
        "surface": surface, "arrows": arrows, "equal": panel.aspect == Aspect::Equal,
    })
}

fn mark(answer: &mut Answer, mark: &Mark) -> Value {
    match mark {
        Mark::Horizontal { at, label } => json!({ "kind": "horizontal", "at": at, "label": label }),
        Mark::Vertical { at, label } => json!({ "kind": "vertical", "at": at, "label": label }),
        Mark::Point { x, y, label } => json!({ "kind": "point", "x": x, "y": y, "label": label }),
        Mark::Band { from, to } => json!({ "kind": "band", "from": from, "to": to }),
        Mark::Region { x, y } => json!({
            "kind": "region",
            "x": answer.column(x.iter().copied()), "y": answer.column(y.iter().copied()),
        }),
    }
}

/// How far values go, or their logarithms; 1 where they do not.
fn size<'a>(values: impl Iterator<Item = &'a f64>, log: bool) -> f64 {
    let ends = values.map(|x| if log { x.log10() } else { *x }).filter(|x| x.is_finite());
    let [low, high] =
        ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    if high > low { high - low } else { 1.0 }
}

fn kept(series: &Series, log: [bool; 2], units: [f64; 2], screen: Screen) -> Vec<usize> {
    let n = series.x.len().min(series.y.len());
    let (x, y) = (&series.x[..n], &series.y[..n]);
    let spread = |values: &[f64], log: bool| -> Vec<f64> {
        if log { values.iter().map(|x| x.log10()).collect() } else { values.to_vec() }
    };
    let rises = x.windows(2).all(|pair| pair[0] <= pair[1]);
    match series.look {
        Look::Points | Look::Dots => thin::cloud(&spread(x, log[0]), &spread(y, log[1]), units),
        _ if rises && !log[0] && n > 0 => {
            let window = screen.window.unwrap_or([x[0], x[n - 1]]);
            thin::history(x, y, window, screen.pixels)
        }
        _ => thin::path(&spread(x, log[0]), &spread(y, log[1]), units),
    }
}
