//! What came of all rows, for a person and for programs.
use crate::figure::Drawn;
use crate::plan::Plan;
use crate::statistics::{Chosen, Indices, SHOWN, Summary, quantile};
use crate::sweep::Sweep;
use crate::table::{Finished, each, titled};
use bristle_report::{Report, short};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::io;

/// So many reasons of failed rows are told.
const REASONS: usize = 5;
const PARTS: [(&str, f64); 3] = [("p05", 0.05), ("median", 0.5), ("p95", 0.95)];

/// What came of all rows: a summary with quantiles and sensitivities, figures.
pub fn report(sweep: &Sweep, rows: &(impl Finished + ?Sized)) -> io::Result<Report> {
    let columns = sweep.columns();
    let mut summaries = vec![Summary::default(); columns.len()];
    let sensitive = sweep.plan.samples.is_some_and(|samples| samples.sensitivities);
    // Of one point of a grid at a time.
    let mut indices = vec![Indices::new(sweep.plan.spread()); columns.len()];
    let mut sensitivities = Vec::new();
    let mut chosen = Chosen::new(SHOWN);
    let (mut failed, mut reasons) = (0u64, Vec::<(String, u64)>::new());
    let per_grid_point = sweep.plan.per_grid_point();
    each(sweep, rows, |index, _, row| {
        if let Some(why) = &row.failed {
            failed += 1;
            match reasons.iter().position(|(own, _)| own == why) {
                Some(k) => reasons[k].1 += 1,
                None if reasons.len() < REASONS => reasons.push((why.clone(), 1)),
                None => {}
            }
        }
        summaries.iter_mut().zip(&row.values).for_each(|(own, value)| own.take(*value));
        chosen.take(index, || row.values.clone());
        if sensitive {
            let (_, block) = sweep.plan.sample(index);
            indices.iter_mut().zip(&row.values).for_each(|(own, value)| own.take(block, *value));
            if (index + 1).is_multiple_of(per_grid_point) {
                let fresh = vec![Indices::new(sweep.plan.spread()); columns.len()];
                sensitivities
                    .push((index / per_grid_point, std::mem::replace(&mut indices, fresh)));
            }
        }
        Ok(())
    })?;
    let chosen = chosen.rows();
    let sorted: Vec<Vec<f64>> = (0..columns.len())
        .map(|k| {
            let mut values: Vec<f64> =
                chosen.iter().map(|(_, row)| row[k]).filter(|x| x.is_finite()).collect();
            values.sort_by(f64::total_cmp);
            values
        })
        .collect();
    let tables = Tables { sweep, columns: &columns, summaries: &summaries, sorted: &sorted };
    let mut text = tables.text(failed, &reasons);
    let mut summary = tables.summary(failed, &reasons);
    if sensitive {
        let (told, all) = tables.sensitivities(&sensitivities);
        text += &told;
        summary["sensitivities"] = all;
    }
    let figures = Drawn { sweep, rows: &chosen }.figures();
    Ok(Report { figures, ..Report::bare(text, summary) })
}

struct Tables<'a> {
    sweep: &'a Sweep,
    columns: &'a [(String, String)],
    summaries: &'a [Summary],
    sorted: &'a [Vec<f64>],
}

impl Tables<'_> {
    fn text(&self, failed: u64, reasons: &[(String, u64)]) -> String {
        let mut text = String::new();
        if !self.sweep.title.is_empty() {
            text += &format!("{}\n", self.sweep.title);
        }
        let Plan { axes, samples } = &self.sweep.plan;
        let keys: Vec<&str> = axes.iter().map(|axis| axis.key.as_str()).collect();
        let count = self.sweep.len();
        let runs = if count == 1 { "run" } else { "runs" };
        let over =
            if keys.is_empty() { String::new() } else { format!(" over {}", keys.join(", ")) };
        // Writing to a String cannot fail.
        let _ = write!(text, "{count} {runs}{over}");
        if let Some(samples) = samples {
            let _ = write!(text, ", seed {}", samples.seed);
        }
        let titles: Vec<String> =
            self.columns.iter().map(|(name, unit)| titled(name, unit)).collect();
        let width = titles.iter().map(|title| title.chars().count()).max().unwrap_or(0);
        let _ = write!(text, "\n\n{:width$}", "");
        for title in ["least", "5 %", "median", "95 %", "greatest", "mean", "deviation"] {
            let _ = write!(text, " {title:>13}");
        }
        for ((title, own), sorted) in titles.iter().zip(self.summaries).zip(self.sorted) {
            let pad = width - title.chars().count();
            let _ = write!(text, "\n{title}{:pad$}", "");
            let [p05, median, p95] = PARTS.map(|(_, part)| quantile(sorted, part));
            for x in [own.min, p05, median, p95, own.max, own.mean, own.deviation()] {
                let shown = if own.count == 0 { "-".to_owned() } else { short(x) };
                let _ = write!(text, " {shown:>13}");
            }
        }
        text.push('\n');
        if self.summaries.iter().any(|own| own.count > SHOWN as u64) {
            let _ = writeln!(text, "\nquantiles and figures are of {SHOWN} rows, chosen at random");
        }
        if let Some(boundary) = &self.sweep.boundary {
            let without = count - failed - self.summaries.first().map_or(0, |own| own.count);
            let several = self.summaries.get(4).is_some_and(|own| own.max > 1.0);
            let _ = writeln!(
                text,
                "\n`{}` changes between {} and {} of {}; it does not in {without} of {count} searches",
                boundary.holds, boundary.from, boundary.to, boundary.key
            );
            if several {
                let _ = writeln!(
                    text,
                    "in some it changes more than once, and the first change is given"
                );
            }
        } else if self.sweep.runs() && !self.sweep.twin {
            let _ = writeln!(
                text,
                "\neach run was checked by its energy ledger; --twin compares each with a coarser one as well"
            );
        }
        if failed > 0 {
            let _ = writeln!(text, "\n{failed} of {count} failed:");
            for (why, times) in reasons {
                let _ = writeln!(text, "  {times} × {why}");
            }
        }
        text
    }

    fn summary(&self, failed: u64, reasons: &[(String, u64)]) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let mut columns = Map::new();
        for (((name, unit), own), sorted) in
            self.columns.iter().zip(self.summaries).zip(self.sorted)
        {
            let mut all = json!({
                "unit": unit, "count": own.count, "min": finite(own.min), "max": finite(own.max),
            });
            if own.count > 0 {
                all["mean"] = finite(own.mean);
                all["deviation"] = finite(own.deviation());
                for (name, part) in PARTS {
                    all[name] = finite(quantile(sorted, part));
                }
            }
            columns.insert(name.clone(), all);
        }
        let axes = self.sweep.plan.axes.iter().map(|axis| {
            let values = match &axis.values {
                crate::axis::Values::Range { from, to, count, log } => {
                    json!({ "from": from, "to": to, "count": count, "log": log })
                }
                crate::axis::Values::List(list) => json!(list),
                crate::axis::Values::Spread(distribution) => json!(distribution.to_string()),
            };
            json!({ "key": axis.key, "unit": axis.unit, "values": values })
        });
        let mut all = json!({
            "bristle": env!("CARGO_PKG_VERSION"),
            "title": self.sweep.title,
            "points": self.sweep.len(),
            "failed": failed,
            "varied": axes.collect::<Vec<_>>(),
            "columns": columns,
        });
        if self.sweep.runs() {
            let by = if self.sweep.twin { "ledger, coarser run" } else { "ledger" };
            all["checked_by"] = json!(by);
        }
        if failed > 0 {
            let told = |(why, count): &(String, u64)| json!({ "reason": why, "count": count });
            all["reasons"] = json!(reasons.iter().map(told).collect::<Vec<_>>());
        }
        if let Some(samples) = &self.sweep.plan.samples {
            let method = crate::sequence::METHODS.iter().find(|(_, own)| *own == samples.method);
            all["samples"] = json!({
                "count": samples.count, "seed": samples.seed, "method": method.map(|(name, _)| name),
            });
        }
        all
    }

    /// Sobol indices of each quantity, at each point of the grid.
    fn sensitivities(&self, found: &[(u64, Vec<Indices>)]) -> (String, Value) {
        let axes = &self.sweep.plan.axes;
        let spread: Vec<&str> = axes
            .iter()
            .filter(|axis| matches!(axis.values, crate::axis::Values::Spread(_)))
            .map(|axis| axis.key.as_str())
            .collect();
        let width = spread.iter().map(|key| key.chars().count()).max().unwrap_or(0);
        let (mut text, mut all) = (String::new(), Vec::new());
        for (point, columns) in found {
            for ((name, _), own) in self.columns.iter().zip(columns) {
                let _ = writeln!(
                    text,
                    "\n{:width$} {:>20} {:>20}",
                    format!("parts of the variance of {name}"),
                    "alone",
                    "with all others",
                );
                for (key, [first, total]) in spread.iter().zip(own.indices()) {
                    let shown = |own: crate::statistics::Index| {
                        format!("{:.3} ± {:.3}", own.value, own.error)
                    };
                    let _ =
                        writeln!(text, "{key:width$} {:>20} {:>20}", shown(first), shown(total));
                    all.push(json!({
                        "grid_point": point, "quantity": name, "key": key,
                        "first": first.value, "first_error": first.error,
                        "total": total.value, "total_error": total.error,
                    }));
                }
            }
        }
        (text, json!(all))
    }
}
