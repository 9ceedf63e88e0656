//! The figure that suits what was varied.
use crate::axis::{Axis as Varied, Values, number};
use crate::statistics::quantile;
use crate::sweep::Sweep;
use crate::table::text;
use bristle_figure::{Axis, Figure, Look, Mark, Panel, Series, Surface};
use bristle_report::{Drawing, symbol, typeset};

/// So many quantities are drawn at most.
const MOST: usize = 6;
/// So many points make a cloud.
const CLOUD: usize = 2000;

/// Rows as they are drawn.
pub(crate) struct Drawn<'a> {
    pub(crate) sweep: &'a Sweep,
    /// Index and values of rows, in their order; all of them, or some where there are too many.
    pub(crate) rows: &'a [(u64, Vec<f64>)],
}

/// A key by its last part, as a symbol.
fn named(key: &str) -> String {
    symbol(key.rsplit('.').next().unwrap_or(key))
}

/// A key as it stands on an axis: `system.drive.value` says more than `value`.
fn titled(key: &str) -> String {
    match key.rsplit_once('.') {
        Some((group, "value" | "amplitude" | "mean")) => {
            format!("{} {}", group.rsplit('.').next().unwrap_or(group), named(key))
        }
        _ => named(key),
    }
}

fn axis_of(varied: &Varied) -> Axis {
    let axis = Axis::new(titled(&varied.key), typeset(&varied.unit));
    if varied.values.is_logarithmic() { axis.log() } else { axis }
}

impl Drawn<'_> {
    /// All figures, by name.
    pub(crate) fn figures(&self) -> Vec<(String, Drawing)> {
        let figure = |name: &str, figure: Figure| {
            let title = self.sweep.title.clone();
            (name.to_owned(), Drawing::Figure(figure.titled(title)))
        };
        let mut figures = Vec::new();
        let main = match self.sweep.plan.samples {
            None => self.of_grid(),
            Some(_) if self.numeric().is_empty() => self.histograms(),
            Some(_) => self.bands(),
        };
        figures.extend(main.map(|main| figure("figure", main)));
        if self.sweep.plan.samples.is_some() {
            figures.extend(self.scatter().map(|own| figure("scatter", own)));
        }
        figures
    }

    /// Axes of a grid that are numbers, and not the only one of their kind.
    fn numeric(&self) -> Vec<usize> {
        let axes = self.sweep.plan.axes.iter().enumerate();
        let own = axes.filter(|(_, axis)| {
            !matches!(axis.values, Values::Spread(_))
                && axis.values.is_numeric()
                && axis.values.count() > 1
        });
        own.map(|(k, _)| k).collect()
    }

    /// The place of what is drawn of each row, its name and unit.
    fn quantities(&self) -> Vec<(usize, String, String)> {
        let columns = self.sweep.columns().into_iter().enumerate();
        let shown = columns.map(|(k, (name, unit))| (k, name, unit));
        match &self.sweep.boundary {
            Some(boundary) => {
                shown.take(1).map(|(k, _, unit)| (k, titled(&boundary.key), unit)).collect()
            }
            None => shown.take(MOST).collect(),
        }
    }

    fn label(&self, name: &str, unit: &str) -> Axis {
        // An expression is no symbol.
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = if plain { symbol(name) } else { name.to_owned() };
        let axis = Axis::new(name, typeset(unit));
        let [low, high] =
            self.rows.iter().fold([f64::INFINITY, 0.0], |[low, high], (_, values)| {
                let own = values.first().copied().unwrap_or(f64::NAN);
                [own.min(low), own.max(high)]
            });
        match &self.sweep.boundary {
            // Within a decade a logarithmic axis has few numbers.
            Some(boundary) if boundary.log && high > 10.0 * low => axis.log(),
            _ => axis,
        }
    }

    fn of_grid(&self) -> Option<Figure> {
        match self.numeric().as_slice() {
            [] => None,
            [x] => Some(self.curves(*x)),
            [x, y] => self.maps(*x, *y),
            _ => None,
        }
    }

    /// What a row has in common with others of its curve: all values but those of an axis.
    fn company(&self, index: u64, but: &[usize]) -> String {
        let point = self.sweep.plan.point(index);
        let axes = self.sweep.plan.axes.iter().enumerate();
        let others = axes.filter(|(k, axis)| !but.contains(k) && axis.values.count() > 1);
        let others: Vec<String> = others
            .map(|(k, axis)| match number(&point[k]) {
                Some(x) => format!("{} = {x}", named(&axis.key)),
                None => text(&point[k]),
            })
            .collect();
        others.join(", ")
    }

    fn value(&self, index: u64, axis: usize) -> f64 {
        number(&self.sweep.plan.point(index)[axis]).unwrap_or(f64::NAN)
    }

    /// Every quantity over one axis, with a curve for each combination of the others.
    fn curves(&self, x: usize) -> Figure {
        let mut panels = Vec::new();
        for (place, name, unit) in self.quantities() {
            let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
            for (index, values) in self.rows {
                let company = self.company(*index, &[x]);
                let point = (self.value(*index, x), values[place]);
                match curves.iter_mut().find(|(name, _)| *name == company) {
                    Some((_, points)) => points.push(point),
                    None => curves.push((company, vec![point])),
                }
            }
            let mut panel = Panel::new(axis_of(&self.sweep.plan.axes[x]), self.label(&name, &unit));
            for (name, points) in curves {
                let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
                panel = panel.with(Series::new(name, x, y));
            }
            panels.push(panel);
        }
        match panels.len() {
            1 => Figure::grid(1, panels),
            _ => Figure::stacked(panels),
        }
    }

    /// Every quantity over two axes, or the first one for each value of a third.
    fn maps(&self, x: usize, y: usize) -> Option<Figure> {
        let axes = &self.sweep.plan.axes;
        let mut companies: Vec<String> =
            self.rows.iter().map(|(index, _)| self.company(*index, &[x, y])).collect();
        companies.sort();
        companies.dedup();
        let columns = axes[x].values.count() as usize;
        let nodes = columns * axes[y].values.count() as usize;
        let mut panels = Vec::new();
        for (place, name, unit) in self.quantities() {
            for company in companies.iter().take(MOST) {
                let own =
                    self.rows.iter().filter(|(index, _)| self.company(*index, &[x, y]) == *company);
                let mut points: Vec<[f64; 3]> = own
                    .map(|(index, values)| {
                        [self.value(*index, x), self.value(*index, y), values[place]]
                    })
                    .collect();
                if points.len() != nodes {
                    // Some are left out where there are too many.
                    return None;
                }
                // Row by row, as a surface takes them.
                points.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
                let list = |k: usize| points.iter().map(|point| point[k]).collect::<Vec<_>>();
                let value =
                    Axis { scale: bristle_figure::Scale::Linear, ..self.label(&name, &unit) };
                let surface = Surface::bent(value, columns, list(0), list(1), list(2));
                let panel = Panel::new(axis_of(&axes[x]), axis_of(&axes[y])).surface(surface);
                panels.push(if companies.len() > 1 {
                    panel.titled(company.clone())
                } else {
                    panel
                });
            }
            if companies.len() > 1 {
                break;
            }
        }
        let columns = if panels.len() == 1 { 1 } else { 2 };
        Some(Figure::grid(columns, panels))
    }

    /// How often values of each quantity come, with quantiles.
    fn histograms(&self) -> Option<Figure> {
        let mut panels = Vec::new();
        for (place, name, unit) in self.quantities() {
            let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
            for (index, values) in self.rows.iter().filter(|(_, values)| values[place].is_finite())
            {
                let company = self.company(*index, &[]);
                match groups.iter_mut().find(|(name, _)| *name == company) {
                    Some((_, own)) => own.push(values[place]),
                    None => groups.push((company, vec![values[place]])),
                }
            }
            let mut panel = Panel::new(self.label(&name, &unit), Axis::new("share of runs", ""));
            let alone = groups.len() == 1;
            for (name, mut values) in groups {
                values.sort_by(f64::total_cmp);
                let (x, y) = outline(&values);
                panel = panel.with(Series::new(name, x, y));
                if alone {
                    for (part, label) in [(0.05, "5 %"), (0.5, "50 %"), (0.95, "95 %")] {
                        panel = panel.mark(Mark::vertical(quantile(&values, part), label));
                    }
                }
            }
            panels.push(panel);
        }
        let columns = if panels.len() == 1 { 1 } else { 2 };
        (!panels.is_empty()).then(|| Figure::grid(columns, panels))
    }

    /// Quantiles of each quantity over the first axis of the grid.
    fn bands(&self) -> Option<Figure> {
        let x = *self.numeric().first()?;
        let mut panels = Vec::new();
        for (place, name, unit) in self.quantities() {
            let mut places: Vec<(f64, Vec<f64>)> = Vec::new();
            for (index, values) in self.rows {
                let at = self.value(*index, x);
                match places.iter_mut().find(|(own, _)| *own == at) {
                    Some((_, own)) => own.push(values[place]),
                    None => places.push((at, vec![values[place]])),
                }
            }
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            places.iter_mut().for_each(|(_, own)| {
                own.retain(|value| value.is_finite());
                own.sort_by(f64::total_cmp);
            });
            let over: Vec<f64> = places.iter().map(|(at, _)| *at).collect();
            let mut panel = Panel::new(axis_of(&self.sweep.plan.axes[x]), self.label(&name, &unit));
            for (part, label) in [(0.95, "95 %"), (0.5, "50 %"), (0.05, "5 %")] {
                let y: Vec<f64> = places.iter().map(|(_, own)| quantile(own, part)).collect();
                panel = panel.with(Series::new(label, over.clone(), y));
            }
            panels.push(panel);
        }
        let one = panels.len() == 1;
        Some(if one { Figure::grid(1, panels) } else { Figure::stacked(panels) })
    }

    /// Every quantity and parameter over every other one.
    fn scatter(&self) -> Option<Figure> {
        let axes = self.sweep.plan.axes.iter().enumerate();
        let spread = axes.filter(|(_, axis)| matches!(axis.values, Values::Spread(_)));
        let step = self.rows.len().div_ceil(CLOUD).max(1);
        let some = || self.rows.iter().step_by(step);
        let mut all: Vec<(Axis, Vec<f64>)> = spread
            .map(|(k, axis)| {
                (axis_of(axis), some().map(|(index, _)| self.value(*index, k)).collect())
            })
            .collect();
        all.extend(self.quantities().into_iter().map(|(place, name, unit)| {
            (self.label(&name, &unit), some().map(|(_, values)| values[place]).collect())
        }));
        all.truncate(MOST);
        if all.len() < 2 {
            return None;
        }
        let mut panels = Vec::new();
        for (row, (y_axis, y)) in all.iter().enumerate() {
            for (column, (x_axis, x)) in all.iter().enumerate() {
                if row == column {
                    let mut values: Vec<f64> =
                        x.iter().copied().filter(|v| v.is_finite()).collect();
                    values.sort_by(f64::total_cmp);
                    let (x, y) = outline(&values);
                    let axis = Axis { scale: bristle_figure::Scale::Linear, ..x_axis.clone() };
                    panels
                        .push(Panel::new(axis, Axis::new("share", "")).with(Series::new("", x, y)));
                } else {
                    let cloud = Series::new("", x.clone(), y.clone()).look(Look::Dots).rank(0);
                    panels.push(Panel::new(x_axis.clone(), y_axis.clone()).with(cloud));
                }
            }
        }
        let width = (260.0 * all.len() as f64).clamp(720.0, 1600.0);
        Some(Figure::grid(all.len(), panels).width(width))
    }
}

/// The outline of a histogram of sorted values: the share of all in each of equal intervals.
fn outline(sorted: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return (Vec::new(), Vec::new());
    };
    let bins = ((sorted.len() as f64).sqrt().round() as usize).clamp(1, 60);
    let width = (last - first) / bins as f64;
    if width <= 0.0 {
        return (vec![*first, *first], vec![0.0, 1.0]);
    }
    let (mut x, mut y) = (vec![*first], vec![0.0]);
    for k in 0..bins {
        let edge = |k: usize| if k == bins { *last } else { first + width * k as f64 };
        let below = |v: f64| sorted.partition_point(|own| *own < v);
        let until = if k + 1 == bins { sorted.len() } else { below(edge(k + 1)) };
        let share = (until - below(edge(k))) as f64 / sorted.len() as f64;
        x.extend([edge(k), edge(k + 1)]);
        y.extend([share, share]);
    }
    x.push(*last);
    y.push(0.0);
    (x, y)
}
