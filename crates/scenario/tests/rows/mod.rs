//! Reference rows, and what it means to agree with one.
#![allow(dead_code)] // each test takes a part
use std::collections::BTreeMap;

/// Tolerance of the run, and the error that a row may have.
pub const TOLERANCES: [(f64, f64); 2] = [(1e-9, 1e-6), (1e-11, 1e-9)];

/// A number from a program independent of this project.
#[derive(Clone, Debug)]
pub struct Row {
    pub experiment: String,
    pub model: String,
    pub quantity: String,
    pub value: f64,
    pub uncertainty: f64,
}

/// The lines of a reference file, split at commas, the column names first.
pub fn table(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../data/reference/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines.map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

/// The rows of `FOLDER/scalars.csv`.
pub fn rows(folder: &str) -> Vec<Row> {
    let table = table(&format!("{folder}/scalars.csv"));
    // Some files begin with the paper's number.
    let from = table[0].iter().position(|name| name == "model").unwrap() - 1;
    let row = |r: &Vec<String>| Row {
        experiment: r[from].clone(),
        model: r[from + 1].clone(),
        quantity: r[from + 2].clone(),
        value: r[from + 3].parse().unwrap(),
        uncertainty: r[from + 4].parse().unwrap(),
    };
    table[1..].iter().map(row).collect()
}

/// One of them.
pub fn row(folder: &str, experiment: &str, model: &str, quantity: &str) -> Row {
    let is = |r: &Row| r.experiment == experiment && r.model == model && r.quantity == quantity;
    let found = rows(folder).into_iter().find(is);
    found.unwrap_or_else(|| panic!("no row {experiment} {model} {quantity}"))
}

/// What a run found for a row, in SI units.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub value: f64,
    /// How far the quantity goes in the run; 0 where only its own value counts, as for times,
    /// counts and integrals.
    pub amplitude: f64,
}

impl From<f64> for Found {
    fn from(value: f64) -> Self {
        Found { value, amplitude: 0.0 }
    }
}

/// What the unit at the end of a quantity's name makes of 1 in SI.
fn unit(quantity: &str) -> f64 {
    match quantity {
        q if q.ends_with("_mm") || q.ends_with("_mm/s") => 1e3,
        q if q.ends_with("_uJ") => 1e6,
        _ => 1.0,
    }
}

/// The size that an error is relative to: the row's own value; or, if that is less than a tenth of
/// how far the quantity goes in the run, the latter. A drift is a difference of positions and a
/// deflection passes through zero: they are as exact as what they are differences of.
fn size(value: f64, amplitude: f64) -> f64 {
    if value.abs() < 0.1 * amplitude { amplitude } else { value.abs() }
}

/// The rows of a file, ticked off one by one.
pub struct Account {
    left: Vec<Row>,
    checked: BTreeMap<String, usize>,
    failures: Vec<String>,
    /// The error nearest to its limit at each tolerance, as a part of it, and where that is.
    worst: [(f64, String); 2],
}

/// Rows that no run stands behind: what their experiment, model and quantity begin with, and why.
pub type Elsewhere<'a> = [(&'a str, &'a str, &'a str, &'a str)];

impl Account {
    /// Opened with all rows of `FOLDER/scalars.csv` but those `elsewhere`.
    pub fn open(folder: &str, elsewhere: &Elsewhere) -> Self {
        let mut left = rows(folder);
        for (experiment, model, quantity, why) in elsewhere {
            let all = left.len();
            left.retain(|row| {
                !(row.experiment.starts_with(experiment)
                    && row.model.starts_with(model)
                    && row.quantity.starts_with(quantity))
            });
            assert!(left.len() < all, "no row {experiment} {model} {quantity} ({why})");
        }
        let (checked, failures, worst) = Default::default();
        Account { left, checked, failures, worst }
    }

    /// Checks the rows of an experiment: `run` with each of its models at each tolerance, in which
    /// `read` finds the quantities of that model.
    pub fn check<C>(
        &mut self,
        experiment: &str,
        run: impl Fn(&str, f64) -> C,
        read: impl Fn(&C, &str, &str) -> Option<Found>,
    ) {
        let all = std::mem::take(&mut self.left);
        let (mine, rest) = all.into_iter().partition::<Vec<_>, _>(|r| r.experiment == experiment);
        self.left = rest;
        let mut by_model: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        mine.into_iter().for_each(|row| by_model.entry(row.model.clone()).or_default().push(row));
        for (model, rows) in by_model {
            *self.checked.entry(experiment.to_owned()).or_default() += rows.len();
            for (tolerance, allowed) in TOLERANCES {
                let course = run(&model, tolerance);
                for row in &rows {
                    let found = read(&course, &model, &row.quantity);
                    let found = found.unwrap_or_else(|| panic!("not read: {row:?}"));
                    self.compare(row, found, tolerance, allowed);
                }
            }
        }
    }

    fn compare(&mut self, row: &Row, found: Found, tolerance: f64, allowed: f64) {
        let unit = unit(&row.quantity);
        let (ours, amplitude) = (unit * found.value, unit * found.amplitude);
        let limit = (allowed * size(row.value, amplitude)).max(row.uncertainty);
        let error = (ours - row.value).abs();
        let Row { experiment, model, quantity, value, .. } = row;
        let worst = &mut self.worst[usize::from(tolerance < 1e-9)];
        if error / limit > worst.0 {
            *worst = (error / limit, format!("{experiment} {model} {quantity}"));
        }
        if error.is_nan() || error > limit {
            self.failures.push(format!(
                "{experiment} {model} {quantity} at {tolerance:e}: {ours}, not {value}: {error:.1e} > \
                 {limit:.1e}"
            ));
        }
    }

    /// Every row must have been checked, so many in each experiment.
    pub fn close(self, checked: &[(&str, usize)]) {
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n"));
        assert!(self.left.is_empty(), "not checked: {:#?}", self.left);
        let checked = checked.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        assert_eq!(self.checked, checked, "rows checked in each experiment");
        println!("rows checked: {:?}; worst, as part of the limit: {:?}", self.checked, self.worst);
    }
}

/// The number after `key` in a quantity's name: `x_t=30s_m` has 30 after `t=`.
pub fn number(quantity: &str, key: &str) -> Option<f64> {
    let rest = quantity.split_once(key)?.1;
    (1..=rest.len()).rev().find_map(|end| rest.get(..end)?.parse().ok())
}
