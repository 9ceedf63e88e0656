//! A table of operating points of a patch in, the same table with forces and moments out.
//!
//! Columns are named after the parameters of patch, motion and bristle, as in files and flags; [`OLDER`] names are read too. What is
//! absent takes the value of 004 Table 1; columns of other names are passed on and named, unless they look like one of
//! these misspelt. Rows that share a patch share one contact.
use bristle_contact::patch::{Outcome, Patch, Refused, Rolling, Steady};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Full;
use bristle_kernel::{Field, Group, Invalid, Kind, Params, Start, Visitor, validate};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;

/// What is appended to every row.
pub const RESULTS: [&str; 5] = ["Fx_N", "Fy_N", "Mz_Nm", "Mz_deformed_Nm", "est_error"];

/// Older names of columns, and what they are called now.
pub const OLDER: [(&str, &str); 12] = [
    ("F_z", "load"),
    ("V_r", "v_r"),
    ("delta", "exponent"),
    ("Mxx", "m_xx"),
    ("Mxy", "m_xy"),
    ("Myy", "m_yy"),
    ("S0xx", "sigma0_xx"),
    ("S0xy", "sigma0_xy"),
    ("S0yy", "sigma0_yy"),
    ("S1xx", "sigma1_xx"),
    ("S1xy", "sigma1_xy"),
    ("S1yy", "sigma1_yy"),
];

/// A table with its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The table; the results of a bad row are empty.
    pub table: String,
    /// What is wrong with which rows.
    pub faults: Vec<BadCase>,
    /// Columns that say nothing about a case.
    pub unknown: Vec<String>,
}

/// More faults than this are counted.
const SHOWN: usize = 20;

/// Faults, one to a line.
pub fn listed(faults: &[BadCase]) -> String {
    let mut text: Vec<String> = faults.iter().take(SHOWN).map(BadCase::to_string).collect();
    if let more @ 1.. = faults.len().saturating_sub(SHOWN) {
        text.push(format!("and {more} more faults"));
    }
    text.join("\n")
}

/// Something wrong with a table.
#[derive(Clone, Debug, PartialEq)]
pub enum BadCase {
    /// No header.
    Empty,
    /// No column that says anything about a case.
    Silent,
    /// A column whose name is nearly one of ours.
    Column {
        /// The name.
        found: String,
        /// Ours.
        meant: &'static str,
    },
    /// Two columns that say the same.
    Twice {
        /// What they are.
        column: &'static str,
    },
    /// A row with more or fewer fields than the header.
    Ragged {
        /// Its line in the table.
        line: usize,
        /// How many fields it has.
        fields: usize,
        /// How many the header has.
        columns: usize,
    },
    /// A field that is not what its column holds.
    Field {
        /// Its line in the table.
        line: usize,
        /// The column.
        column: &'static str,
        /// What was there.
        found: String,
        /// What may be there.
        expected: String,
    },
    /// Numbers that the contact refuses.
    Refused {
        /// Their line in the table.
        line: usize,
        /// Why.
        why: Refused,
    },
}

impl fmt::Display for BadCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCase::Empty => {
                write!(f, "the table has no header; name its columns in the first line")
            }
            BadCase::Silent => {
                write!(f, "no column is named as one of {}", columns().join(", "))
            }
            BadCase::Column { found, meant } => {
                write!(
                    f,
                    "column {found} is not known; name it {meant} if that is meant, otherwise give it a name that is less like it"
                )
            }
            BadCase::Twice { column } => {
                write!(f, "{column} has two columns; keep one of them")
            }
            BadCase::Ragged { line, fields, columns } => {
                write!(f, "line {line} has {fields} fields, not {columns} as the header has")
            }
            BadCase::Field { line, column, found, expected } => {
                write!(f, "line {line}: {column} = {found} must be {expected}")
            }
            BadCase::Refused { line, why } => write!(f, "line {line}: {why}"),
        }
    }
}

/// A bristle with full tensors; the patch sees where they prefer no direction.
type Bristle = FrbdPlanar<f64, Full<f64, Stribeck<f64>>>;

/// One operating point of one patch.
#[derive(Clone, Copy, Debug)]
struct Case {
    patch: Patch<f64>,
    rolling: Rolling<f64>,
    bristle: Bristle,
}

impl Case {
    /// That of 004 Table 1.
    fn start() -> Self {
        let start = Stribeck::start(());
        let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..start };
        let bristle = FrbdPlanar::start(Full { m_xx: 1.0, m_xy: 0.0, m_yy: 1.0, law });
        let bristle = Bristle { epsilon: 1e-12, ..bristle };
        Case { patch: Patch::start(()), rolling: Rolling::start(()), bristle }
    }

    fn visit(&mut self, f: &mut Visitor<'_, f64>) {
        self.patch.visit(Group::default(), f);
        self.rolling.visit(Group::default(), f);
        self.bristle.visit(Group::default(), f);
    }

    /// The case that a row describes; an empty field says nothing.
    fn read(
        line: usize,
        meaning: &[Option<&'static str>],
        fields: &[&str],
    ) -> Result<Self, BadCase> {
        let (mut case, mut fault) = (Case::start(), None);
        case.visit(&mut |visit| {
            let name = visit.param.name;
            let Some(i) = meaning.iter().position(|m| *m == Some(name)) else { return };
            let found = fields[i].trim();
            let (known, expected) = match visit.field {
                _ if found.is_empty() => return,
                Field::Number(x) => {
                    (found.parse().map(|read| *x = read).is_ok(), "a number".to_owned())
                }
                Field::Choice(choice) => {
                    (choice.set(found), format!("one of {}", names(&visit.param.kind)))
                }
                Field::List(_) => return,
            };
            if !known && fault.is_none() {
                let found = found.to_owned();
                fault = Some(BadCase::Field { line, column: name, found, expected });
            }
        });
        let refused = |why: Invalid| BadCase::Refused { line, why: why.into() };
        match fault {
            Some(fault) => return Err(fault),
            None => validate(&case.patch).map_err(refused)?,
        }
        validate(&case.rolling).map_err(refused)?;
        validate(&case.bristle).map_err(refused)?;
        Ok(case)
    }
}

/// What may be chosen.
fn names(kind: &Kind) -> String {
    match kind {
        Kind::Choice { options, .. } => options.join(", "),
        _ => String::new(),
    }
}

/// The names of all columns that say something about a case.
pub fn columns() -> Vec<&'static str> {
    let mut names = Vec::new();
    Case::start().visit(&mut |visit| names.push(visit.param.name));
    names
}

/// What each column is, if it says something about a case.
type Meanings = Vec<Option<&'static str>>;

/// What each column is, and which columns say nothing about a case; or what is wrong with their names: nothing
/// would say that a misspelt one was not read.
fn meanings(header: &[&str]) -> Result<(Meanings, Vec<String>), Vec<BadCase>> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    // One letter off, of letters enough for that to be no accident.
    let near = |found: &str, name: &str| {
        found.len().min(name.len()) >= 4 && strsim::osa_distance(found, name) <= 1
    };
    let names: Vec<(&str, &'static str)> =
        columns().into_iter().map(|name| (name, name)).chain(OLDER).collect();
    let (mut meaning, mut unknown, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for found in header {
        let known = names.iter().find(|(name, _)| name == found).map(|(_, column)| *column);
        if let Some(column) = known {
            if meaning.contains(&known) {
                faults.push(BadCase::Twice { column });
            }
        } else {
            let written = plain(found);
            let alike = |(name, _): &&(&str, _)| plain(name) == written;
            let misspelt = |(name, _): &&(&str, _)| near(&written, &plain(name));
            match names.iter().find(alike).or_else(|| names.iter().find(misspelt)) {
                Some((_, meant)) => {
                    faults.push(BadCase::Column { found: (*found).to_owned(), meant });
                }
                None => unknown.push((*found).to_owned()),
            }
        }
        meaning.push(known);
    }
    if faults.is_empty() && meaning.iter().all(Option::is_none) {
        faults.push(BadCase::Silent);
    }
    if faults.is_empty() { Ok((meaning, unknown)) } else { Err(faults) }
}

/// Evaluates every row of a comma-separated table on all processors; lines that begin with # are passed on. A table that
/// cannot be read is refused with all that is wrong with it.
pub fn evaluate(table: &str, accuracy: f64) -> Result<Evaluated, Vec<BadCase>> {
    // Some programs begin a file with a mark of its byte order.
    let table = table.strip_prefix('\u{feff}').unwrap_or(table);
    let is_row = |line: &str| !line.starts_with('#') && !line.trim().is_empty();
    let mut rows = table.lines().enumerate().filter(|(_, l)| is_row(l));
    let Some((head, header)) = rows.next() else { return Err(vec![BadCase::Empty]) };
    let header: Vec<&str> = header.split(',').map(str::trim).collect();
    let (meaning, unknown) = meanings(&header)?;
    let mut solved: HashMap<usize, Result<Outcome, BadCase>> = HashMap::new();
    let mut patches: HashMap<String, Vec<(usize, Case)>> = HashMap::new();
    for (line, text) in rows {
        let (fields, columns): (Vec<&str>, usize) = (text.split(',').collect(), header.len());
        let case = match fields.len() {
            found if found == columns => Case::read(line + 1, &meaning, &fields),
            found => Err(BadCase::Ragged { line: line + 1, fields: found, columns }),
        };
        match case {
            Ok(case) => {
                let key = format!("{:?}{:?}", case.patch, case.bristle);
                patches.entry(key).or_default().push((line, case));
            }
            Err(fault) => {
                solved.insert(line, Err(fault));
            }
        }
    }
    let groups: Vec<Vec<(usize, Case)>> = patches.into_values().collect();
    let of_group = |cases: &Vec<(usize, Case)>| -> Vec<(usize, Result<Outcome, BadCase>)> {
        let first = cases[0].1;
        let points: Vec<Rolling<f64>> = cases.iter().map(|c| c.1.rolling).collect();
        let outcomes = match Steady::new(&first.patch, &first.bristle, accuracy) {
            Ok(contact) => contact.solve_all(&points),
            Err(why) => vec![Err(why); points.len()],
        };
        let refused = |line: usize, why: Refused| BadCase::Refused { line: line + 1, why };
        let lines = cases.iter().map(|(line, _)| *line);
        lines.zip(outcomes).map(|(line, o)| (line, o.map_err(|e| refused(line, e)))).collect()
    };
    solved.extend(groups.par_iter().flat_map_iter(of_group).collect::<Vec<_>>());
    let (mut faults, mut out) = (Vec::new(), String::new());
    for (line, text) in table.lines().enumerate() {
        out.push_str(text);
        match solved.remove(&line) {
            _ if line == head => out.push_str(&format!(",{}", RESULTS.join(","))),
            Some(Ok(o)) => {
                let [x, y, m, d] = o.wrench();
                out.push_str(&format!(",{x},{y},{m},{d},{:e}", o.error));
            }
            Some(Err(fault)) => {
                out.push_str(&",".repeat(RESULTS.len()));
                faults.push(fault);
            }
            None => {}
        }
        out.push('\n');
    }
    Ok(Evaluated { table: out, faults, unknown })
}
