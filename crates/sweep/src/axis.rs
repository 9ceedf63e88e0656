//! What is varied: a key, and the values that it takes.
use crate::distribution::{Distribution, FORMS};
use toml::Value;

/// Values of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `from:to:count`, evenly spaced, or `from:to:count:log`.
    Range {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// How many.
        count: u64,
        /// Whether their logarithms are evenly spaced.
        log: bool,
    },
    /// One after the other.
    List(Vec<Value>),
    /// At random.
    Spread(Distribution),
}

/// A key that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The key of the scenario: `friction.sigma1`.
    pub key: String,
    /// Its unit; empty if it has none, or is not known.
    pub unit: String,
    /// Its values.
    pub values: Values,
}

/// More points along an axis are a mistake.
const MOST: u64 = 1 << 40;

impl Values {
    /// Reads `0:500:35`, `1e-3:1:20:log`, `normal(0.6, 0.05)`, or a list.
    pub fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Array(list) if list.is_empty() => Err("a list with at least one value".into()),
            Value::Array(list) => Ok(Values::List(list.clone())),
            Value::String(text) => match Self::typed(text) {
                Some(read) => read,
                None => Err(expected()),
            },
            _ => Err(expected()),
        }
    }

    /// The same from a text, where it is no list.
    pub fn typed(text: &str) -> Option<Result<Self, String>> {
        if let Some(read) = Distribution::read(text) {
            return Some(read.map(Values::Spread));
        }
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let (numbers, log) = match parts.as_slice() {
            [numbers @ .., "log"] if numbers.len() == 3 => (numbers, true),
            numbers if numbers.len() == 3 => (numbers, false),
            // Numbers between colons are meant for one.
            [_, _, ..] if parts.iter().any(|x| x.parse::<f64>().is_ok()) => {
                return Some(Err(expected()));
            }
            _ => return None,
        };
        let ends = numbers[..2].iter().map(|x| x.parse::<f64>());
        let ends: Option<Vec<f64>> = ends.map(Result::ok).collect();
        let (Some(ends), Ok(count)) = (ends, numbers[2].parse::<u64>()) else {
            return Some(Err(expected()));
        };
        let (from, to) = (ends[0], ends[1]);
        Some(if !(from.is_finite() && to.is_finite()) {
            Err("from:to:count with finite ends".into())
        } else if count == 0 || count > MOST || (count == 1 && from != to) {
            Err("from:to:count with a count of at least 2".into())
        } else if log && !(from > 0.0 && to > 0.0) {
            Err("from:to:count:log with positive ends".into())
        } else {
            Ok(Values::Range { from, to, count, log })
        })
    }

    /// How many values of a grid there are; one of a distribution.
    pub fn count(&self) -> u64 {
        match self {
            Values::Range { count, .. } => *count,
            Values::List(list) => list.len() as u64,
            Values::Spread(_) => 1,
        }
    }

    /// The value of an index of a grid; for a distribution that below which a part `u` lies.
    pub fn at(&self, index: u64, u: f64) -> Value {
        match self {
            Values::Range { from, to, count, log } => {
                let part = index as f64 / (*count - 1).max(1) as f64;
                Value::Float(between(*from, *to, part, *log))
            }
            Values::List(list) => list[index as usize].clone(),
            Values::Spread(distribution) => Value::Float(distribution.quantile(u)),
        }
    }

    /// Whether all its values are numbers.
    pub fn is_numeric(&self) -> bool {
        match self {
            Values::List(list) => list.iter().all(|value| number(value).is_some()),
            _ => true,
        }
    }

    /// Whether they belong on a logarithmic axis.
    pub fn is_logarithmic(&self) -> bool {
        match self {
            Values::Range { log, .. } => *log,
            Values::List(_) => false,
            Values::Spread(distribution) => distribution.is_logarithmic(),
        }
    }
}

/// A part of the way from one number to another; exactly these at the ends.
pub(crate) fn between(from: f64, to: f64, part: f64, log: bool) -> f64 {
    match part {
        0.0 => from,
        1.0 => to,
        part if log => from * (part * (to / from).ln()).exp(),
        part => from + part * (to - from),
    }
}

/// A number of a file.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}

fn expected() -> String {
    format!(
        "from:to:count, from:to:count:log, a list of values, or a distribution: {}",
        FORMS.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hit_their_ends() {
        let range = Values::typed("0:500:35").unwrap().unwrap();
        assert_eq!((range.at(0, 0.0), range.at(34, 0.0)), (Value::Float(0.0), Value::Float(500.0)));
        let range = Values::typed("1e-3 : 10 : 5 : log").unwrap().unwrap();
        let values: Vec<f64> = (0..5).filter_map(|i| number(&range.at(i, 0.0))).collect();
        assert_eq!((values[0], values[4]), (1e-3, 10.0));
        assert!((values[2] - 0.1).abs() < 1e-15 && range.is_logarithmic());
    }

    #[test]
    fn what_cannot_be_varied_over_says_what_can() {
        for (text, said) in [
            ("0:1:0", "at least 2"),
            ("0:1:1", "at least 2"),
            ("0:1:3:log", "positive ends"),
            ("a:b:3", "a distribution: normal"),
            ("0:1", "from:to:count"),
            ("normal(1)", "normal(mean, deviation)"),
            ("inf:1:3", "finite"),
        ] {
            let refused = Values::read(&Value::String(text.into())).unwrap_err();
            assert!(refused.contains(said), "{text}: {refused}");
        }
        assert!(Values::read(&Value::String("lugre".into())).is_err());
        assert!(Values::read(&Value::Array(Vec::new())).is_err());
        assert!(Values::read(&Value::Integer(3)).is_err());
    }
}
