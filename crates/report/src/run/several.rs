//! Several runs beside each other: one figure, one table.
use super::figure::standard;
use super::{Job, summary};
use crate::{short, symbol, typeset};
use bristle_figure::{Axis, Figure, Look, Panel, Series};
use bristle_scenario::machine::Measured;
use bristle_simulation::{Halved, Run};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// Runs and what they gave.
pub(crate) struct Several<'a> {
    pub(crate) jobs: &'a [Job],
    pub(crate) outcomes: &'a [Run],
}

impl Several<'_> {
    /// All traces below each other, the number of the run first; a column that a run does not have is NaN there.
    pub(crate) fn table(&self) -> Trace {
        let mut columns: Vec<(&str, &str)> = vec![("run", "1")];
        for column in self.outcomes.iter().flat_map(|run| run.trace.columns()) {
            if !columns.iter().any(|(name, _)| *name == column.name) {
                columns.push((&column.name, &column.unit));
            }
        }
        let mut all = Trace::new(columns.iter().copied());
        for (k, run) in self.outcomes.iter().enumerate() {
            let own: Vec<_> =
                columns.iter().skip(1).map(|(name, _)| run.trace.column(name)).collect();
            for row in 0..run.trace.rows() {
                let values = own.iter().map(|column| column.map_or(f64::NAN, |c| c.values[row]));
                let line: Vec<f64> = std::iter::once((k + 1) as f64).chain(values).collect();
                all.push(&line);
            }
        }
        all
    }

    /// The panels of the first file, with a curve of every run in each.
    pub(crate) fn figure(&self) -> Figure {
        let (Some(job), Some(first)) = (self.jobs.first(), self.outcomes.first()) else {
            return Figure::stacked(Vec::new());
        };
        let asked = match job.plant.panels() {
            [] => standard(&first.trace),
            panels => panels.to_vec(),
        };
        let mut panels = Vec::new();
        for panel in asked.iter().flat_map(|p| p.y.iter().map(move |y| (p.x.as_deref(), y))) {
            let (over, name) = panel;
            let axis = |name: &str| {
                let column = self.outcomes.iter().find_map(|run| run.trace.column(name));
                Axis::new(symbol(name), typeset(column.map_or("", |c| &c.unit)))
            };
            let below = over.map_or_else(|| Axis::new("time t", "s"), axis);
            if job.plant.measured().iter().any(|own| own.name == *name) {
                continue;
            }
            let mut drawn = Panel::new(below, axis(name));
            for (job, run) in self.jobs.iter().zip(self.outcomes) {
                let columns = (run.trace.column(over.unwrap_or("t")), run.trace.column(name));
                if let (Some(x), Some(y)) = columns {
                    let series = Series::new(job.label.clone(), x.values.clone(), y.values.clone());
                    drawn = drawn.with(series);
                }
            }
            // What was measured stands in the panel of the column that it is compared with.
            let beside = |own: &&Measured| over.is_none() && own.beside.as_ref() == Some(name);
            for own in job.plant.measured().iter().filter(beside) {
                let series = Series::new(symbol(&own.name), own.t.clone(), own.values.clone());
                drawn = drawn.with(series.look(Look::Dashed));
            }
            panels.push(drawn);
        }
        let over_time = asked.iter().all(|panel| panel.x.is_none());
        let figure = if over_time { Figure::stacked(panels) } else { Figure::grid(2, panels) };
        figure.titled(job.plant.title().to_owned())
    }

    pub(crate) fn summary(&self) -> Value {
        let runs: Vec<Value> = self
            .jobs
            .iter()
            .zip(self.outcomes)
            .map(|(job, run)| {
                let mut own = summary(&job.plant, run);
                own["label"] = json!(job.label);
                own["file"] = json!(job.file.to_string_lossy());
                own
            })
            .collect();
        json!({ "bristle": env!("CARGO_PKG_VERSION"), "runs": runs })
    }

    /// The columns of the first run, at the end of each.
    pub(crate) fn text(&self, elapsed: Duration) -> String {
        let width =
            self.jobs.iter().map(|job| job.label.chars().count()).max().unwrap_or(0).max(12);
        let mut text = String::new();
        let Some(first) = self.outcomes.first() else { return text };
        // Writing to a String cannot fail.
        let _ = write!(text, "{:28}", "");
        for job in self.jobs {
            let _ = write!(text, " {:>width$}", job.label);
        }
        type Value = fn(&Run, usize) -> f64;
        const ROWS: [(&str, Value); 3] = [
            ("end", |run, k| run.trace.columns()[k].values.last().copied().unwrap_or(f64::NAN)),
            ("least", |run, k| run.extremes[k].min),
            ("greatest", |run, k| run.extremes[k].max),
        ];
        for (k, column) in first.trace.columns().iter().enumerate().skip(1) {
            let of = |run: &Run| run.trace.columns().iter().position(|c| c.name == column.name);
            for (what, value) in ROWS {
                let title = format!("{} [{}]", first.trace.columns()[k].name, column.unit);
                let _ = write!(text, "\n{title:18} {what:9}");
                for run in self.outcomes {
                    let shown = of(run).map_or_else(|| "-".into(), |k| short(value(run, k)));
                    let _ = write!(text, " {shown:>width$}");
                }
            }
        }
        // What the first file was measured against, every run is.
        let logs = self.jobs.first().map_or(&[][..], |job| job.plant.measured());
        for log in logs.iter().filter(|log| log.beside.is_some()) {
            let title = format!("{} [{}]", log.name, log.unit);
            let _ = write!(text, "\n{title:18} {:9}", "rms off");
            for run in self.outcomes {
                let own = log.deviation(&run.trace);
                let shown = own.map_or_else(|| "-".into(), |own| short(own.rms));
                let _ = write!(text, " {shown:>width$}");
            }
        }
        let _ = write!(text, "\n{:18} {:9}", "friction [J]", "work");
        for run in self.outcomes {
            let work: f64 = run.ledger.iter().map(|(_, account)| account.work).sum();
            let _ = write!(text, " {:>width$}", short(work));
        }
        let _ = write!(text, "\n{:18} {:9}", "agreement", "part");
        for run in self.outcomes {
            let shown = match &run.agreement {
                Some(agreed) if agreed.by.is_ill_conditioned() => {
                    format!("{:.0e} ILL", agreed.by.part)
                }
                Some(agreed) => format!("{:.0e}", agreed.by.part),
                None => match &run.halved {
                    Some(Halved { by, would_do: None }) => format!("{:.0e}", by.by.part),
                    Some(Halved { by, .. }) => format!("{:.0e} LONG", by.by.part),
                    None => "-".into(),
                },
            };
            let _ = write!(text, " {shown:>width$}");
        }
        let _ =
            writeln!(text, "\n\n{} runs, {:.1} ms", self.jobs.len(), 1e3 * elapsed.as_secs_f64());
        text
    }
}
