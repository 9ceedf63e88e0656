//! What changes along a line: straight lines between points, from lists in the file or from a table beside it.
use crate::files::Files;
use crate::table::{Problem, number};
use bristle_contact::line::{Along as Rate, Points};
use bristle_kernel::{AnyBristle, Field, Group, Kind, Params, Range, faults};
use bristle_trace::{Column, read_csv};
use toml::{Table, Value};

/// The most points: every bristle stops at each of them.
const MAX_POINTS: usize = 200;
/// The largest table that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is read of a line beside a friction model's own parameters: name, unit, range, meaning.
pub const COLUMNS: [(&str, &str, Range, &str); 5] = [
    ("xi", "1", UNSIGNED, "places from the leading edge, ξ: from 0 to 1"),
    ("x", "m", UNSIGNED, "the same in m: from 0 to line.length"),
    ("rate", "1/s", Range { lo: 0.0, ..REAL }, "transport rate V there"),
    ("p", "N/m", UNSIGNED, "line load p there"),
    ("z0", "m", REAL, "initial deflection z₀ there"),
];
const REAL: Range =
    Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY, lo_open: true, hi_open: true };
const UNSIGNED: Range = Range { lo: 0.0, lo_open: false, ..REAL };

/// What changes along the line.
#[derive(Clone, Debug)]
pub struct Along {
    /// The points, ξ from 0 to 1.
    pub xi: Vec<f64>,
    /// V, 1/s.
    pub rate: Option<Rate>,
    /// p, N/m.
    pub pressure: Option<Points>,
    /// z₀, m.
    pub deflection: Option<Points>,
    /// Parameters of the friction model by their number in its declaration.
    friction: Vec<(usize, Points)>,
    /// What is given, by name.
    pub names: Vec<String>,
}

impl Along {
    /// The model at ξ; nothing where it is the same everywhere.
    pub fn bristle(&self, model: &AnyBristle<f64>, xi: f64) -> AnyBristle<f64> {
        let mut model = model.clone();
        let mut count = 0;
        model.visit(Group::default(), &mut |visit| {
            if let Field::Number(x) = visit.field
                && let Some((_, points)) = self.friction.iter().find(|(k, _)| *k == count)
            {
                *x = points.at(xi);
            }
            count += 1;
        });
        model
    }

    /// Whether bristles differ.
    pub fn varies(&self) -> bool {
        !self.friction.is_empty()
    }

    /// From the section `[along]`, or all that is wrong with it. A table stands in `files`.
    pub fn read(
        section: &Table,
        length: f64,
        model: &AnyBristle<f64>,
        files: Files<'_>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let before = problems.len();
        let columns = match section.get("file") {
            Some(file) => from_file(file, section, files, problems)?,
            None => from_lists(section, problems),
        };
        let mut declared = Vec::new();
        let mut count = 0;
        model.clone().visit(Group::default(), &mut |visit| {
            if let Kind::Number { range, .. } = visit.param.kind {
                let name = format!("{}{}", visit.group, visit.param.name);
                declared.push((name, visit.unit, range, visit.param.meaning, Some(count)));
            }
            count += 1;
        });
        declared.extend(
            COLUMNS
                .map(|(name, unit, range, meaning)| (name.to_owned(), unit, range, meaning, None)),
        );
        let mut along = Along {
            xi: places(&columns, length, problems)?,
            rate: None,
            pressure: None,
            deflection: None,
            friction: Vec::new(),
            names: Vec::new(),
        };
        for column in &columns {
            let key = format!("along.{}", column.name);
            let Some((name, unit, range, meaning, place)) =
                declared.iter().find(|d| d.0 == column.name)
            else {
                let options = declared.iter().map(|d| d.0.clone()).collect();
                problems.push(Problem::UnknownKey {
                    key: column.name.clone(),
                    model: "along",
                    options,
                });
                continue;
            };
            let wrong = |expected: String, found: String| Problem::WrongKind {
                key: key.clone(),
                expected,
                found,
            };
            // Lists in the file are in declared units.
            let bare = column.unit.is_empty() && (section.get("file").is_none() || *unit == "1");
            if !bare && column.unit != *unit {
                let expected = format!("in {unit}: head the column `{name} [{unit}]`");
                problems.push(wrong(expected, format!("[{}]", column.unit)));
            }
            if column.values.len() != along.xi.len() {
                let expected = format!("{} numbers, one for each place", along.xi.len());
                problems.push(wrong(expected, format!("{} numbers", column.values.len())));
            } else if let Some(k) = column.values.iter().position(|v| !range.contains(*v)) {
                let expected = format!(
                    "in {range} {unit} at every point ({meaning}): correct point {}",
                    k + 1
                );
                problems.push(wrong(expected, format!("{} {unit}", column.values[k])));
            } else if !matches!(name.as_str(), "xi" | "x") {
                let points = Points::new(along.xi.clone(), column.values.clone());
                match (name.as_str(), place) {
                    (_, Some(place)) => along.friction.push((*place, points)),
                    ("rate", _) => along.rate = Some(Rate::new(points)),
                    ("p", _) => along.pressure = Some(points),
                    _ => along.deflection = Some(points),
                }
                along.names.push(name.clone());
            }
        }
        // Relations between parameters, such as μ_s ≥ μ_d, at every point; between two points they hold then too.
        if problems.len() == before && along.varies() {
            for xi in &along.xi {
                let fault = Problem::fault("friction.");
                faults(&along.bristle(model, *xi), &mut |f| problems.push(fault(f)));
                if problems.len() > before {
                    break;
                }
            }
        }
        (problems.len() == before).then_some(along)
    }
}

/// Lists of numbers in the file.
fn from_lists(section: &Table, problems: &mut Vec<Problem>) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut flat = Vec::new();
    for (key, value) in section {
        match value {
            Value::Table(inner) => {
                flat.extend(inner.iter().map(|(k, v)| (format!("{key}.{k}"), v)))
            }
            value => flat.push((key.clone(), value)),
        }
    }
    for (name, value) in flat {
        let numbers: Option<Vec<f64>> =
            value.as_array().and_then(|list| list.iter().map(number).collect());
        match numbers {
            Some(values) => columns.push(Column { name, unit: String::new(), values }),
            None => problems.push(Problem::WrongKind {
                key: format!("along.{name}"),
                expected: "a list of numbers, one for each place".into(),
                found: value.to_string(),
            }),
        }
    }
    columns
}

/// The columns of a table beside the file.
fn from_file(
    file: &Value,
    section: &Table,
    files: Files<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<Column>> {
    let mut wrong = |expected: String, found: String| {
        problems.push(Problem::WrongKind { key: "along.file".into(), expected, found });
        None
    };
    let Some(name) = file.as_str() else {
        return wrong("the name of a table beside this file".into(), file.to_string());
    };
    if let Some(key) = section.keys().find(|k| *k != "file") {
        return wrong(format!("alone, or absent with `{key}`"), format!("\"{name}\""));
    }
    let text = match files.read_text(name, MAX_BYTES) {
        Ok(text) => text,
        Err(error) => {
            let expected = format!("a table that can be read, beside this file: {error}");
            return wrong(expected, format!("\"{name}\""));
        }
    };
    if text.len() as u64 > MAX_BYTES {
        return wrong("a table of at most 1 MB".into(), format!("\"{name}\""));
    }
    match read_csv(text.as_bytes()) {
        Ok(trace) => Some(trace.columns().to_vec()),
        Err(error) => {
            problems
                .push(Problem::Set { key: "along.file".into(), error: format!("{name}: {error}") });
            None
        }
    }
}

/// ξ of the points.
fn places(columns: &[Column], length: f64, problems: &mut Vec<Problem>) -> Option<Vec<f64>> {
    let given: Vec<&Column> =
        columns.iter().filter(|c| matches!(c.name.as_str(), "xi" | "x")).collect();
    let [column] = given[..] else {
        problems.push(Problem::Missing {
            key: "along.xi".into(),
            what: "places from 0 to 1, or along.x from 0 to line.length in m, one of the two",
            options: Vec::new(),
        });
        return None;
    };
    let (key, values) = (format!("along.{}", column.name), &column.values);
    let (end, unit) = if column.name == "x" { (length, " m") } else { (1.0, "") };
    let wrong =
        |expected: String, found: String| Problem::WrongKind { key: key.clone(), expected, found };
    let mut found = Vec::new();
    if !(2..=MAX_POINTS).contains(&values.len()) {
        let expected = format!("2 to {MAX_POINTS} places: thin the table out");
        found.push(wrong(expected, format!("{} places", values.len())));
    } else {
        if let Some(k) = values.windows(2).position(|w| !(w[1] > w[0] && w[1].is_finite())) {
            let expected =
                format!("greater than the place before, {}{unit}: sort the points", values[k]);
            found.push(wrong(expected, format!("{}{unit}", values[k + 1])));
        }
        let (first, last) = (values[0], values[values.len() - 1]);
        if first != 0.0 || (last / end - 1.0).abs() > 1e-9 {
            let expected = format!("places from 0 to {end}{unit}: cover the whole line");
            found.push(wrong(expected, format!("{first} … {last}{unit}")));
        }
    }
    let right = found.is_empty();
    problems.extend(found);
    // The last place is the edge, whatever rounding says.
    let last = values.len().saturating_sub(1);
    right.then(|| (0..=last).map(|k| if k == last { 1.0 } else { values[k] / end }).collect())
}
