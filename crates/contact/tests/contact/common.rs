//! Reference files.
use bristle_kernel::law::Stribeck;

/// A reference file: its columns by name.
pub struct Rows {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The rows of a file, without its `#` lines.
pub fn read(file: &str) -> Rows {
    let path = format!("{}/../../data/reference/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut lines = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    // Fields in quotes may hold commas.
    let split = |line: &str| {
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
    };
    let header = split(lines.next().unwrap());
    Rows { header, rows: lines.map(split).collect() }
}

/// One row.
pub struct Row<'a>(&'a Rows, &'a [String]);

impl Rows {
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|r| Row(self, r))
    }
}

impl Row<'_> {
    pub fn text(&self, column: &str) -> &str {
        let i = self.0.header.iter().position(|h| h == column);
        &self.1[i.unwrap_or_else(|| panic!("no column {column}"))]
    }
    pub fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{column}: {}", self.text(column)))
    }
}

/// The law of 000 Table I.
pub fn table_i() -> Stribeck<f64> {
    use bristle_kernel::Start;
    Stribeck {
        mu_d: 0.2,
        mu_s: 0.6,
        v_s: 10.0,
        exponent: 2.0,
        viscous: 0.0018,
        ..Stribeck::start(())
    }
}

/// The law of 004 Table 1.
pub fn table_1() -> Stribeck<f64> {
    use bristle_kernel::Start;
    Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) }
}
