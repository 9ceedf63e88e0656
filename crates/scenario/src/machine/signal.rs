//! What drives a part, from a file: a number, a signal by name, a column of a log, or a sum or product of such.
//!
//! ```toml
//! force = 3.0
//! force = { model = "sine", amplitude = 2.0, frequency = 0.5 }
//! force = { file = "log.csv", column = "u", interpolation = "cubic" }
//! force = { sum = [1.0, { product = [0.5, { model = "chirp" }] }] }
//! ```
use super::Reading;
use crate::table::{Problem, Strays, choice, fill, number, text};
use crate::units;
use bristle_kernel::faults;
use bristle_machine::{Column, Input, Interpolation};
use bristle_system::AnySignal;
use bristle_trace::read_csv;
use toml::{Table, Value};

/// The largest log that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Keys of what reads a log.
pub(super) const LOG: [&str; 6] = ["file", "column", "time", "unit", "start", "gain"];

/// A column of a log.
pub(super) struct Samples {
    pub(super) file: String,
    pub(super) column: String,
    pub(super) unit: String,
    /// Times, s, and values.
    pub(super) t: Vec<f64>,
    pub(super) x: Vec<f64>,
}

/// Sums and products stand inside each other at most so deep.
const DEPTH: usize = 16;

impl Reading<'_> {
    /// The input under `key`, in an SI unit.
    pub(super) fn input(&mut self, key: &str, value: &Value, unit: &str) -> Option<Input> {
        self.nested(key, value, unit, DEPTH)
    }

    fn nested(&mut self, key: &str, value: &Value, unit: &str, depth: usize) -> Option<Input> {
        if let Some(x) = number(value) {
            if !x.is_finite() {
                return self.wrong(key, format!("a finite number of {unit}"), value);
            }
            return Some(x.into());
        }
        let Some(table) = value.as_table() else {
            let expected = format!(
                "a number of {unit}, or a signal such as {{ model = \"sine\", amplitude = 1.0 }}"
            );
            return self.wrong(key, expected, value);
        };
        for (name, make) in
            [("sum", Input::Sum as fn(Vec<Input>) -> Input), ("product", Input::Product)]
        {
            let Some(list) = table.get(name) else { continue };
            let key = format!("{key}.{name}");
            let Some(items) = list.as_array().filter(|list| !list.is_empty() && depth > 0) else {
                return self.wrong(&key, "a list of signals".into(), list);
            };
            if table.len() > 1 {
                return self.wrong(
                    &key,
                    "alone: nothing stands beside a sum or product".into(),
                    value,
                );
            }
            // Factors have no unit of their own: that of the whole is the user's to see to.
            let inside = if name == "sum" { unit } else { "" };
            let read: Vec<_> =
                items.iter().map(|item| self.nested(&key, item, inside, depth - 1)).collect();
            return read.into_iter().collect::<Option<Vec<_>>>().map(make);
        }
        match table.contains_key("file") {
            true => self.log(key, table, unit).map(Input::from),
            false => self.signal(key, table),
        }
    }

    fn signal(&mut self, key: &str, table: &Table) -> Option<Input> {
        let model = format!("{key}.model");
        let name =
            choice(Some(table), &model, AnySignal::<f64>::CATALOG, "constant", self.problems)?;
        let mut signal = AnySignal::named(name, ())?;
        let prefix = format!("{key}.");
        fill(&mut signal, &prefix, table, Strays::Refuse, self.problems);
        let (fault, mut right) = (Problem::fault(&prefix), true);
        faults(&signal, &mut |f| {
            right = false;
            self.problems.push(fault(f));
        });
        right.then(|| signal.into())
    }

    /// A column of a log beside the file.
    fn log(&mut self, key: &str, table: &Table, unit: &str) -> Option<Column> {
        self.only_in(key, table, &[&LOG[..], &["interpolation"]].concat(), "log");
        let prefix = format!("{key}.");
        let interpolation = match text(&prefix, table, "interpolation", self.problems) {
            None | Some("linear") => Interpolation::Linear,
            Some("cubic") => Interpolation::Cubic,
            Some(other) => {
                let value = Value::String(other.into());
                let key = format!("{prefix}interpolation");
                return self.wrong(&key, "\"linear\" or \"cubic\"".into(), &value);
            }
        };
        let Samples { file, column, t, x, .. } = self.samples(key, table, unit)?;
        match Column::new(&t, &x, interpolation) {
            Ok(column) => Some(column),
            Err(bad) => {
                let text = format!("{file}, column {column}, {bad}");
                self.problems.push(Problem::Part { key: format!("{prefix}file"), text });
                None
            }
        }
    }

    /// Times and values of a column of a log, in a unit, or in its own where that is empty.
    pub(super) fn samples(&mut self, key: &str, table: &Table, unit: &str) -> Option<Samples> {
        let prefix = format!("{key}.");
        let read = |name: &str, problems: &mut Vec<Problem>| {
            text(&prefix, table, name, problems).map(str::to_owned)
        };
        let file = read("file", self.problems)?;
        let wanted = read("column", self.problems);
        let time = read("time", self.problems).unwrap_or_else(|| "t".into());
        let mut plain = |name: &str, otherwise: f64| -> Option<f64> {
            let Some(value) = table.get(name) else { return Some(otherwise) };
            match number(value).filter(|x| x.is_finite()) {
                Some(x) => Some(x),
                None => self.wrong(&format!("{prefix}{name}"), "a finite number".into(), value),
            }
        };
        let (start, gain) = (plain("start", 0.0)?, plain("gain", 1.0)?);
        let trace = self.logged(&format!("{prefix}file"), &file)?;
        let columns = trace.columns();
        let mut column = |key: &str, name: Option<String>| {
            let found = columns.iter().find(|c| Some(&c.name) == name.as_ref());
            if found.is_none() {
                let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
                let near = name.as_deref().and_then(|n| crate::nearest(n, names.iter().copied()));
                let what = name.map_or_else(
                    || format!("must name a column of {file}"),
                    |n| format!("there is no `{n}` in {file}"),
                );
                let hint =
                    near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
                let text = format!("{what}, which has {}{hint}", names.join(", "));
                self.problems.push(Problem::Part { key: format!("{prefix}{key}"), text });
            }
            found
        };
        let (clock, values) = (column("time", Some(time))?, column("column", wanted)?);
        let given = table.get("unit").and_then(Value::as_str);
        let seconds = self.factor(&format!("{prefix}time"), &clock.unit, "s")?;
        let own = given.unwrap_or(&values.unit);
        let factor = match unit {
            "" => 1.0,
            unit => self.factor(&format!("{prefix}column"), own, unit)?,
        };
        let t: Vec<f64> = clock.values.iter().map(|t| seconds * t - start).collect();
        let x: Vec<f64> = values.values.iter().map(|x| gain * factor * x).collect();
        let unit = if unit.is_empty() { own } else { unit }.to_owned();
        Some(Samples { file, column: values.name.clone(), unit, t, x })
    }

    /// What values in a unit are multiplied by. A column without one is in SI units.
    pub(super) fn factor(&mut self, key: &str, unit: &str, to: &str) -> Option<f64> {
        if unit.is_empty() {
            return Some(1.0);
        }
        let factor = units::factor(unit, to);
        if factor.is_none() {
            let text = format!("is in {unit}, and {to} is wanted; there are {}", units::known(to));
            self.problems.push(Problem::Part { key: key.into(), text });
        }
        factor
    }

    /// The columns of a log; each file is read once.
    pub(super) fn logged(
        &mut self,
        key: &str,
        file: &str,
    ) -> Option<std::sync::Arc<bristle_trace::Trace>> {
        if let Some((_, trace)) = self.logs.iter().find(|(name, _)| name == file) {
            return Some(trace.clone());
        }
        let told = match self.files.read_text(file, MAX_BYTES) {
            Err(error) => format!(
                "{file} cannot be read: {error}; its path is taken from the scenario's folder"
            ),
            Ok(text) if text.len() as u64 > MAX_BYTES => {
                format!("{file} has more than 256 MB: cut it")
            }
            Ok(text) => match read_csv(text.as_bytes()) {
                Err(error) => format!("{file}: {error}"),
                Ok(trace) => {
                    let trace = std::sync::Arc::new(trace);
                    self.logs.push((file.to_owned(), trace.clone()));
                    return Some(trace);
                }
            },
        };
        self.problems.push(Problem::Part { key: key.into(), text: told });
        None
    }
}
