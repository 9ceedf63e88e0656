//! Logs as text: everything that is wrong with one is told at once, with line and column.
use std::fmt;

/// A table of numbers with names and units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Name, unit and values of each column.
    pub columns: Vec<(String, String, Vec<f64>)>,
    /// The line of the file that each row stands on.
    pub lines: Vec<usize>,
}

/// One thing that is wrong with a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1; 0 where the whole line is meant.
    pub column: usize,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "line {}: {}", self.line, self.text),
            column => write!(f, "line {}, column {column}: {}", self.line, self.text),
        }
    }
}

/// So many faults of one log are told.
const TOLD: usize = 20;

/// Reads a table with a header such as `t [s],x [m]`; commas, semicolons or tabs separate.
pub fn read(text: &str) -> Result<Log, Vec<LogFault>> {
    let mut log = Log::default();
    let mut faults = Vec::new();
    let mut separator = ',';
    for (i, line) in text.lines().enumerate() {
        let line_text = line.trim_start_matches('\u{feff}').trim_end();
        if line_text.trim().is_empty() || line_text.starts_with('#') {
            continue;
        }
        let line = i + 1;
        if log.columns.is_empty() {
            separator =
                [',', '\t', ';'].into_iter().find(|s| line_text.contains(*s)).unwrap_or(',');
            for (c, field) in line_text.split(separator).enumerate() {
                let (name, unit) = field.trim().split_once('[').unwrap_or((field.trim(), ""));
                let (name, unit) =
                    (name.trim().to_owned(), unit.trim_end_matches(']').trim().to_owned());
                if name.is_empty() || name.parse::<f64>().is_ok() {
                    let text =
                        "the first line must name the columns with their units, like `t [s],x [m]`"
                            .into();
                    faults.push(LogFault { line, column: c + 1, text });
                } else if log.columns.iter().any(|own| own.0 == name) {
                    faults.push(LogFault {
                        line,
                        column: c + 1,
                        text: format!("there are two columns `{name}`: rename one"),
                    });
                }
                log.columns.push((name, unit, Vec::new()));
            }
            continue;
        }
        let fields: Vec<&str> = line_text.split(separator).collect();
        if fields.len() != log.columns.len() {
            let text =
                format!("{} fields, but there are {} columns", fields.len(), log.columns.len());
            faults.push(LogFault { line, column: 0, text });
            continue;
        }
        log.lines.push(line);
        for (c, (field, column)) in fields.iter().zip(&mut log.columns).enumerate() {
            match field.trim().parse::<f64>() {
                Ok(value) => column.2.push(value),
                Err(_) => {
                    let shown: String = field.trim().chars().take(40).collect();
                    let text = format!(
                        "{} = `{shown}` is not a number: write it like -1.5e-3, or take the row out",
                        column.0
                    );
                    faults.push(LogFault { line, column: c + 1, text });
                    column.2.push(f64::NAN);
                }
            }
        }
    }
    if log.columns.is_empty() {
        faults.push(LogFault { line: 1, column: 0, text: "the log is empty".into() });
    }
    if faults.is_empty() { Ok(log) } else { Err(shown(faults)) }
}

/// The first of many faults, and how many more there are.
fn shown(mut faults: Vec<LogFault>) -> Vec<LogFault> {
    let more = faults.len().saturating_sub(TOLD);
    if more > 0 {
        faults.truncate(TOLD);
        let line = faults[TOLD - 1].line;
        faults.push(LogFault {
            line,
            column: 0,
            text: format!("and {more} more faults after this"),
        });
    }
    faults
}

impl Log {
    /// The place of a column.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.0 == name)
    }

    /// What is wrong with these columns on these rows. The first of them is time, in its own unit, if `timed`; rows stand each
    /// for itself if not.
    pub fn check(
        &self,
        timed: bool,
        columns: &[usize],
        rows: &[usize],
    ) -> Result<(), Vec<LogFault>> {
        let mut faults = Vec::new();
        for (k, row) in rows.iter().enumerate() {
            let line = self.lines[*row];
            for c in columns {
                let (name, _, values) = &self.columns[*c];
                if !values[*row].is_finite() {
                    let text =
                        format!("{name} = {} is no measurement: take the row out", values[*row]);
                    faults.push(LogFault { line, column: c + 1, text });
                }
            }
            let (name, _, t) = &self.columns[columns[0]];
            if timed && k > 0 && t[*row] <= t[rows[k - 1]] {
                let text = format!(
                    "{name} = {} is not after {}: sort the rows by time",
                    t[*row],
                    t[rows[k - 1]]
                );
                faults.push(LogFault { line, column: columns[0] + 1, text });
            }
        }
        if rows.len() < if timed { FEWEST } else { 3 } {
            let line = rows.first().map_or(1, |r| self.lines[*r]);
            faults.push(LogFault {
                line,
                column: 0,
                text: format!(
                    "{} rows are too few: give at least {}",
                    rows.len(),
                    if timed { FEWEST } else { 3 }
                ),
            });
        }
        if faults.is_empty() { Ok(()) } else { Err(shown(faults)) }
    }
}

/// A log over time has at least so many rows.
const FEWEST: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_are_told_with_line_and_column() {
        let text = "t [s],x [m]\n0,1\n1,two\n2\n3,4,5\n";
        let told: Vec<String> = read(text).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "line 3, column 2: x = `two` is not a number: write it like -1.5e-3, or take the row out",
                "line 4: 1 fields, but there are 2 columns",
                "line 5: 3 fields, but there are 2 columns",
            ]
        );
        let log = read("t [s],x [m]\n0,1\n2,NaN\n1,3\n").unwrap();
        let told: Vec<String> = log
            .check(true, &[0, 1], &[0, 1, 2])
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            told,
            [
                "line 3, column 2: x = NaN is no measurement: take the row out",
                "line 4, column 1: t = 1 is not after 2: sort the rows by time",
                "line 2: 3 rows are too few: give at least 50",
            ]
        );
    }
}
