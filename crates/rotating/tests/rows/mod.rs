//! Rows of `data/reference/rotating`.
#![allow(dead_code)] // each test takes a part

/// A number from a program independent of this project, or several.
#[derive(Clone, Debug)]
pub struct Row {
    pub experiment: String,
    pub model: String,
    pub quantity: String,
    pub value: String,
    pub uncertainty: String,
}

/// Every experiment that a test reads.
pub const READ: [&str; 19] = [
    "closed form fig3",
    "closed form fig5,d0=0.0199",
    "closed form fig7",
    "closed form fig7,d0=0.01",
    "closed form fig9,D=0.01",
    "closed form fig9,D=0.01,d0=0.01",
    "fig3",
    "fig6",
    "fig10",
    "sawtooth vs DRBM",
    "fig7",
    "fig9b w=0.001",
    "fig9a w=0.05",
    "fig11 (u=2 sin 0.01t assumed)",
    "fig11",
    "fig12",
    "fig5",
    "fig13-14",
    "fig13a",
];

fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

fn lines(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../data/reference/rotating/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().filter(|l| !l.starts_with('#')).map(split).collect()
}

/// All rows of `scalars.csv`.
pub fn all() -> Vec<Row> {
    let row = |r: &Vec<String>| Row {
        experiment: r[0].clone(),
        model: r[1].clone(),
        quantity: r[2].clone(),
        value: r[3].clone(),
        uncertainty: r[4].clone(),
    };
    lines("scalars.csv")[1..].iter().map(row).collect()
}

/// Those of an experiment: a test reads them all or fails.
pub fn of(experiment: &str) -> Vec<Row> {
    assert!(READ.contains(&experiment), "{experiment}");
    let rows: Vec<Row> = all().into_iter().filter(|r| r.experiment == experiment).collect();
    assert!(!rows.is_empty(), "{experiment}");
    rows
}

/// The numbers of a trajectory, by column.
pub fn table(file: &str) -> Vec<Vec<f64>> {
    let rows = lines(file);
    rows[1..].iter().map(|r| r.iter().map(|x| x.parse().unwrap()).collect()).collect()
}

impl Row {
    /// The numbers in the value: `1; 2`, `1..2`, `1 (2..3)`.
    pub fn numbers(&self) -> Vec<f64> {
        let text = self.value.replace("..", " ").replace([';', '(', ')', '[', ']', ',', '/'], " ");
        text.split_whitespace().map(|x| x.parse().unwrap_or_else(|_| panic!("{self:?}"))).collect()
    }

    /// Ours must agree within `allowed`.
    pub fn agrees(&self, ours: &[f64], allowed: f64) {
        let theirs = self.numbers();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= allowed;
        assert!(
            theirs.len() == ours.len() && ours.iter().zip(&theirs).all(near),
            "{} | {} | {}: {ours:?}, not {theirs:?} within {allowed:e}",
            self.experiment,
            self.model,
            self.quantity
        );
    }

    /// Relative to its size.
    pub fn is(&self, ours: f64, part: f64) {
        self.agrees(&[ours], part * self.numbers()[0].abs().max(1e-300));
    }

    /// Whether the quantity begins so.
    pub fn says(&self, start: &str) -> bool {
        self.quantity.starts_with(start)
    }

    /// The number after `key` in the quantity.
    pub fn after(&self, key: &str) -> f64 {
        let rest = self.quantity.split_once(key).unwrap().1;
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        rest[..end].parse().unwrap()
    }

    /// No test knows this row.
    pub fn unread(&self) -> ! {
        panic!("not read: {self:?}")
    }
}

#[test]
fn every_experiment_has_a_test() {
    for row in all() {
        assert!(READ.contains(&row.experiment.as_str()), "not read: {row:?}");
    }
}
