//! What was measured, beside what is simulated.
//!
//! ```toml
//! [[measured]]
//! name = "x_log"                  # a name for panels
//! file = "log.csv"
//! column = "position"
//! unit = "mm"                     # where the log does not say it
//! beside = "x_slide"              # the column that it is compared with
//! ```
use super::Reading;
use super::parts::Part;
use super::signal::LOG;
use crate::nearest;
use crate::table::{Problem, text};
use bristle_trace::Trace;

/// A column of a log, to be drawn with the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its name in panels.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The column of the run that it is compared with.
    pub beside: Option<String>,
    /// Times, s.
    pub t: Vec<f64>,
    /// Values there.
    pub values: Vec<f64>,
}

/// By how much a run differs from what was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// How many samples lie within the run.
    pub samples: usize,
    /// The root of the mean square over these samples.
    pub rms: f64,
    /// The greatest difference, whatever its sign,
    pub greatest: f64,
    /// and when, s.
    pub at: f64,
}

impl Measured {
    /// The samples within the run against the column that they are compared with, on straight lines between its rows.
    pub fn deviation(&self, trace: &Trace) -> Option<Deviation> {
        let (t, x) = (trace.column("t")?, trace.column(self.beside.as_ref()?)?);
        let (mut samples, mut squares, mut greatest, mut when) = (0, 0.0, 0.0, f64::NAN);
        for (at, value) in self.t.iter().zip(&self.values) {
            // The row after it; at a jump the right limit counts.
            let after = t.values.partition_point(|t| t <= at);
            if after == 0 || t.values.last()? < at {
                continue;
            }
            let (before, after) = (after - 1, after.min(t.values.len() - 1));
            let width = t.values[after] - t.values[before];
            let part = if width > 0.0 { (at - t.values[before]) / width } else { 0.0 };
            let simulated = x.values[before] + part * (x.values[after] - x.values[before]);
            let difference = (simulated - value).abs();
            samples += 1;
            squares += difference * difference;
            if difference > greatest || samples == 1 {
                (greatest, when) = (difference, *at);
            }
        }
        let rms = (squares / samples as f64).sqrt();
        (samples > 0).then_some(Deviation { samples, rms, greatest, at: when })
    }
}

impl Reading<'_> {
    pub(super) fn measured(&mut self, part: &Part<'_>) {
        self.only(part, &[&LOG[..], &["name", "beside"]].concat());
        let prefix = format!("{}.", part.key);
        if !part.table.contains_key("file") {
            let what = "the file of the log, such as \"log.csv\"";
            let key = format!("{prefix}file");
            return self.problems.push(Problem::Missing { key, what, options: vec![] });
        }
        let beside = text(&prefix, part.table, "beside", self.problems).map(str::to_owned);
        let Some(own) = self.samples(&part.key, part.table, "") else { return };
        if let Some(k) = own.t.windows(2).position(|pair| pair[1] <= pair[0]) {
            let text = format!(
                "{}: t = {} s in sample {} is not after the one before: sort the log by time",
                own.file,
                own.t[k + 1],
                k + 2
            );
            return self.told(&format!("{prefix}file"), text);
        }
        let name = part.name.clone();
        self.measured.push(Measured { name, unit: own.unit, beside, t: own.t, values: own.x });
    }

    /// Says which measured columns are compared with what the run does not have, or in another unit; the others are converted
    /// to the unit of the run.
    pub(super) fn compare(&mut self, columns: &[(String, &str)]) {
        for k in 0..self.measured.len() {
            let Measured { name, unit, beside, .. } = self.measured[k].clone();
            let key = format!("measured[{k}].beside");
            if columns.iter().any(|(own, _)| *own == name) {
                let text = format!("there is already a column `{name}`: rename one");
                self.told(&format!("measured[{k}].name"), text);
            }
            let Some(beside) = beside else { continue };
            let Some((_, own)) = columns.iter().find(|(name, _)| *name == beside) else {
                let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                let hint = nearest(&beside, names.iter().copied())
                    .map_or_else(|| names.join(", "), |near| format!("did you mean `{near}`?"));
                self.told(&key, format!("the run has no column `{beside}`; {hint}"));
                continue;
            };
            if let Some(factor) = self.factor(&key, &unit, own) {
                let measured = &mut self.measured[k];
                measured.values.iter_mut().for_each(|x| *x *= factor);
                measured.unit = (*own).to_owned();
            }
        }
    }
}
