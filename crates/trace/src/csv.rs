//! CSV at full precision.
//!
//! The first line names the columns, each with its unit in brackets: `t [s],x [m],mu`. Numbers are
//! written with as many digits as it takes to read the same bits back, and no more. Lines that begin
//! with `#` are comments; leading ones are kept out of the table.
use crate::Trace;
use std::fmt;
use std::io::{self, BufRead, Write};

/// Writes the table.
pub fn write_csv(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    for (i, column) in trace.columns().iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        match column.unit.as_str() {
            "" => write!(out, "{comma}{}", column.name)?,
            unit => write!(out, "{comma}{} [{unit}]", column.name)?,
        }
    }
    writeln!(out)?;
    for row in 0..trace.rows() {
        for (i, column) in trace.columns().iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{}", Number(column.values[row]))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The shortest text that reads back as the same number.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-4..1e15).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// Why a table cannot be read.
#[derive(Debug)]
pub enum CsvError {
    /// The file cannot be.
    Io(io::Error),
    /// It has no line that names columns.
    Empty,
    /// Two columns have one name, or a column has none.
    Name {
        /// Which column, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// A line has too many or too few numbers.
    Length {
        /// Which line of the file, from 1.
        line: usize,
        /// How many it has.
        found: usize,
        /// How many columns there are.
        expected: usize,
    },
    /// A field is not a number.
    Number {
        /// Which line of the file, from 1.
        line: usize,
        /// The column's name.
        column: String,
        /// What stands there.
        text: String,
    },
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CsvError::Io(error) => error.fmt(f),
            CsvError::Empty => write!(
                f,
                "there is no line that names the columns; the first line must read like `t [s],x [m]`"
            ),
            CsvError::Name { column, name } if name.is_empty() => {
                write!(f, "line 1: column {column} has no name; write one, with its unit: `x [m]`")
            }
            CsvError::Name { column, name } => {
                write!(f, "line 1: column {column}: there is already a column `{name}`; rename it")
            }
            CsvError::Length { line, found, expected } => write!(
                f,
                "line {line}: {found} numbers, but there are {expected} columns; separate numbers by \
                 commas, with a point for decimals"
            ),
            CsvError::Number { line, column, text } => {
                write!(f, "line {line}: {column} = `{text}` is not a number; write it like -1.5e-3")
            }
        }
    }
}

impl std::error::Error for CsvError {}

impl From<io::Error> for CsvError {
    fn from(error: io::Error) -> Self {
        CsvError::Io(error)
    }
}

/// Reads a table.
pub fn read_csv(input: impl BufRead) -> Result<Trace, CsvError> {
    let mut trace: Option<Trace> = None;
    let mut row = Vec::new();
    for (i, line) in input.lines().enumerate() {
        let line = line?;
        // A byte order mark, as spreadsheets write it.
        let text = line.trim_start_matches('\u{feff}').trim_end();
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let Some(trace) = &mut trace else {
            trace = Some(header(text)?);
            continue;
        };
        row.clear();
        for (k, field) in text.split(',').enumerate() {
            let value = field.trim().parse().map_err(|_| CsvError::Number {
                line: i + 1,
                column: trace.columns().get(k).map_or_else(String::new, |c| c.name.clone()),
                text: field.chars().take(40).collect(),
            })?;
            row.push(value);
        }
        let expected = trace.columns().len();
        if row.len() != expected {
            return Err(CsvError::Length { line: i + 1, found: row.len(), expected });
        }
        trace.push(&row);
    }
    trace.ok_or(CsvError::Empty)
}

/// `t [s],x [m],mu`
fn header(text: &str) -> Result<Trace, CsvError> {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (i, field) in text.split(',').enumerate() {
        let field = field.trim().trim_matches('"');
        let (name, unit) = match field.split_once('[') {
            Some((name, unit)) => (name.trim(), unit.trim_end_matches(']').trim()),
            None => (field, ""),
        };
        if name.is_empty() || seen.iter().any(|(other, _)| *other == name) {
            return Err(CsvError::Name { column: i + 1, name: name.into() });
        }
        seen.push((name, unit));
    }
    Ok(Trace::new(seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(trace: &Trace) -> Trace {
        let mut text = Vec::new();
        write_csv(trace, &mut text).unwrap();
        read_csv(text.as_slice()).unwrap()
    }

    proptest! {
        /// Every finite number, subnormals and both zeros included, comes back with the same bits.
        #[test]
        fn numbers_come_back_bit_for_bit(bits in prop::collection::vec(any::<u64>(), 3..90)) {
            let mut trace = Trace::new([("t", "s"), ("x", "m"), ("mu", "")]);
            let finite = |b: u64| {
                let value = f64::from_bits(b);
                if value.is_finite() { value } else { -0.0 }
            };
            bits.chunks_exact(3).for_each(|r| trace.push(&[finite(r[0]), finite(r[1]), finite(r[2])]));
            let back = round_trip(&trace);
            for (a, b) in trace.columns().iter().zip(back.columns()) {
                prop_assert_eq!((&a.name, &a.unit), (&b.name, &b.unit));
                let bits = |c: &crate::Column| c.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(a), bits(b));
            }
        }

        /// Anything else is refused or read, never a panic.
        #[test]
        fn any_text_is_read_or_refused(text in "[-0-9a-z,.\\[\\]#\\n\" ]{0,200}") {
            let _ = read_csv(text.as_bytes());
        }
    }

    #[test]
    fn faults_name_line_column_and_what_to_do() {
        let fault = |text: &str| read_csv(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            fault("# log\nt [s],x [m]\n0,1\n0.1;2\n"),
            "line 4: t = `0.1;2` is not a number; write it like -1.5e-3"
        );
        assert!(fault("t,x\n0\n").starts_with("line 2: 1 numbers, but there are 2 columns"));
        assert!(fault("t,t\n").contains("already a column `t`"));
        assert!(fault("\n# nothing\n").starts_with("there is no line that names the columns"));
    }

    #[test]
    fn comments_spaces_and_spreadsheet_marks_are_no_matter() {
        let trace = read_csv("\u{feff}# log of 3 May\r\nt [s], F_b [N]\r\n0, 1e-3\r\n".as_bytes());
        let trace = trace.unwrap();
        assert_eq!((trace.rows(), trace.columns()[1].unit.as_str()), (1, "N"));
        assert_eq!(trace.column("F_b").unwrap().values, [1e-3]);
    }
}
