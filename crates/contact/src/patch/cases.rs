//! A table of operating points in, the same table with forces and moments out.
//!
//! What a column is called: see [`COLUMNS`]. What is absent takes the value of 004 Table 1; columns of other names are passed on
//! and named, unless they look like one of these misspelt. Rows that share a patch share one contact.
use super::{Model, Outcome, Patch, Profile, Refused, Rolling, Steady};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::{Full, Isotropic};
use bristle_kernel::{AnyChoice, Choice, Invalid, Start, validate};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;

/// What is appended to every row.
pub const RESULTS: [&str; 5] = ["Fx_N", "Fy_N", "Mz_Nm", "Mz_deformed_Nm", "est_error"];

/// What a table may say about a case, by the name that files and flags have for it too, and by an older one.
pub const COLUMNS: [(&str, &str); 29] = [
    ("a", "a"),
    ("b", "b"),
    ("n", "n"),
    ("m", "m"),
    ("pressure", "pressure"),
    ("gamma", "gamma"),
    ("load", "F_z"),
    ("model", "model"),
    ("sigma_x", "sigma_x"),
    ("sigma_y", "sigma_y"),
    ("phi1", "phi1"),
    ("phi2", "phi2"),
    ("v_r", "V_r"),
    ("epsilon_x", "epsilon_x"),
    ("mu_d", "mu_d"),
    ("mu_s", "mu_s"),
    ("v_s", "v_s"),
    ("exponent", "delta"),
    ("viscous", "viscous"),
    ("epsilon", "epsilon"),
    ("m_xx", "Mxx"),
    ("m_xy", "Mxy"),
    ("m_yy", "Myy"),
    ("sigma0_xx", "S0xx"),
    ("sigma0_xy", "S0xy"),
    ("sigma0_yy", "S0yy"),
    ("sigma1_xx", "S1xx"),
    ("sigma1_xy", "S1xy"),
    ("sigma1_yy", "S1yy"),
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
                let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
                write!(f, "no column is named as one of {}", names.join(", "))
            }
            BadCase::Column { found, meant } => {
                write!(f, "column {found} must be named {meant}, or otherwise if it is not meant")
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

/// One row, by column names.
struct Fields<'a> {
    line: usize,
    /// What each field is, if it says something about the case.
    meaning: &'a [Option<&'static str>],
    fields: Vec<&'a str>,
}

impl Fields<'_> {
    fn get(&self, column: &str) -> Option<&str> {
        let i = self.meaning.iter().position(|m| *m == Some(column))?;
        Some(self.fields[i].trim()).filter(|f| !f.is_empty())
    }

    fn number(&self, column: &'static str, absent: f64) -> Result<f64, BadCase> {
        let Some(text) = self.get(column) else { return Ok(absent) };
        text.parse().map_err(|_| BadCase::Field {
            line: self.line,
            column,
            found: text.to_owned(),
            expected: "a number".to_owned(),
        })
    }

    fn choice<C: Choice>(&self, column: &'static str, absent: C) -> Result<C, BadCase> {
        let Some(text) = self.get(column) else { return Ok(absent) };
        let mut chosen = absent;
        if chosen.set(text) {
            return Ok(chosen);
        }
        let expected = format!("one of {}", C::NAMES.join(", "));
        Err(BadCase::Field { line: self.line, column, found: text.to_owned(), expected })
    }

    /// The case that the row describes.
    fn case(&self) -> Result<Case, BadCase> {
        let start: Patch<f64> = Patch::start(());
        let patch = Patch {
            a: self.number("a", start.a)?,
            b: self.number("b", start.b)?,
            n: self.number("n", start.n)?,
            m: self.number("m", start.m)?,
            pressure: self.choice("pressure", Profile::Parabolic)?,
            gamma: self.number("gamma", start.gamma)?,
            load: self.number("load", start.load)?,
        };
        let start: Rolling<f64> = Rolling::start(());
        let rolling = Rolling {
            model: self.choice("model", Model::Linear)?,
            sigma_x: self.number("sigma_x", 0.0)?,
            sigma_y: self.number("sigma_y", 0.0)?,
            phi1: self.number("phi1", 0.0)?,
            phi2: self.number("phi2", 0.0)?,
            v_r: self.number("v_r", start.v_r)?,
            epsilon_x: self.number("epsilon_x", 0.0)?,
            ..start
        };
        let law = Stribeck {
            mu_d: self.number("mu_d", 0.7)?,
            mu_s: self.number("mu_s", 1.0)?,
            v_s: self.number("v_s", 3.49)?,
            exponent: self.number("exponent", 0.6)?,
            viscous: self.number("viscous", 0.0)?,
            ..Stribeck::start(())
        };
        let [m_xx, m_xy, m_yy] =
            [self.number("m_xx", 1.0)?, self.number("m_xy", 0.0)?, self.number("m_yy", 1.0)?];
        let epsilon = self.number("epsilon", 1e-12)?;
        let bristle = FrbdPlanar {
            sigma0_xx: self.number("sigma0_xx", 240.0)?,
            sigma0_xy: self.number("sigma0_xy", 0.0)?,
            sigma0_yy: self.number("sigma0_yy", 240.0)?,
            sigma1_xx: self.number("sigma1_xx", 0.0)?,
            sigma1_xy: self.number("sigma1_xy", 0.0)?,
            sigma1_yy: self.number("sigma1_yy", 0.0)?,
            epsilon,
            matrix: Full { m_xx, m_xy, m_yy, law },
        };
        let refused = |why: Invalid| BadCase::Refused { line: self.line, why: why.into() };
        validate(&patch).map_err(refused)?;
        validate(&rolling).map_err(refused)?;
        validate(&bristle).map_err(refused)?;
        Ok(Case { patch, bristle, rolling })
    }
}

/// A bristle with full tensors.
type Bristle = FrbdPlanar<f64, Full<f64, Stribeck<f64>>>;

/// One operating point of one patch.
#[derive(Clone, Debug)]
struct Case {
    patch: Patch<f64>,
    bristle: Bristle,
    rolling: Rolling<f64>,
}

impl Case {
    /// The patch made ready to be rolled. Friction that is the same in all directions is faster computed as such.
    fn contact(&self, accuracy: f64) -> Result<Steady, Refused> {
        let b = &self.bristle;
        let Full { m_xx, m_xy, m_yy, law } = b.matrix;
        if m_xx != m_yy || m_xy != 0.0 {
            return Steady::new(&self.patch, b, accuracy);
        }
        let alike = FrbdPlanar {
            sigma0_xx: b.sigma0_xx,
            sigma0_xy: b.sigma0_xy,
            sigma0_yy: b.sigma0_yy,
            sigma1_xx: b.sigma1_xx,
            sigma1_xy: b.sigma1_xy,
            sigma1_yy: b.sigma1_yy,
            epsilon: b.epsilon,
            matrix: Isotropic { m: m_xx, law },
        };
        Steady::new(&self.patch, &alike, accuracy)
    }
}

/// What each column is, if it says something about a case.
type Meanings = Vec<Option<&'static str>>;

/// What each column is, which are unknown, and what is wrong with their names: nothing would say that a misspelt one was not
/// read.
fn meanings(header: &[&str]) -> Result<(Meanings, Vec<String>), Vec<BadCase>> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    // One letter off, of letters enough for that to be no accident.
    let near = |found: &str, name: &str| {
        found.len().min(name.len()) >= 4 && strsim::osa_distance(found, name) <= 1
    };
    let (mut meaning, mut unknown, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for found in header {
        let known = COLUMNS.iter().find(|(name, old)| name == found || old == found);
        if let Some((name, _)) = known {
            if meaning.contains(&Some(*name)) {
                faults.push(BadCase::Twice { column: name });
            }
            meaning.push(Some(*name));
            continue;
        }
        let written = plain(found);
        let alike = |(name, old): &&(&str, &str)| [*name, *old].map(plain).contains(&written);
        let misspelt =
            |(name, old): &&(&str, &str)| [*name, *old].iter().any(|n| near(&written, &plain(n)));
        match COLUMNS.iter().find(alike).or_else(|| COLUMNS.iter().find(misspelt)) {
            Some((meant, _)) => {
                faults.push(BadCase::Column { found: (*found).to_owned(), meant });
            }
            None => unknown.push((*found).to_owned()),
        }
        meaning.push(None);
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
    let read = |(line, text): (usize, &str)| -> (usize, Result<Case, BadCase>) {
        let fields: Vec<&str> = text.split(',').collect();
        let (found, columns) = (fields.len(), header.len());
        let row = Fields { line: line + 1, meaning: &meaning, fields };
        match found == columns {
            true => (line, row.case()),
            false => (line, Err(BadCase::Ragged { line: line + 1, fields: found, columns })),
        }
    };
    let mut solved: HashMap<usize, Result<Outcome, BadCase>> = HashMap::new();
    let mut patches: HashMap<String, Vec<(usize, Case)>> = HashMap::new();
    for (line, case) in rows.map(read) {
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
    // Rows of one patch in shares, each with a copy of its contact.
    let groups: Vec<Vec<(usize, Case)>> = patches.into_values().collect();
    let of_group = |cases: &Vec<(usize, Case)>| -> Vec<(usize, Result<Outcome, BadCase>)> {
        let refused = |line: usize, why: Refused| BadCase::Refused { line: line + 1, why };
        let contact = cases.first().map(|(_, case)| case.contact(accuracy));
        match contact {
            Some(Ok(contact)) => {
                let points: Vec<Rolling<f64>> = cases.iter().map(|c| c.1.rolling).collect();
                let outcomes = contact.solve_all(&points).into_iter().zip(cases);
                outcomes.map(|(o, (line, _))| (*line, o.map_err(|e| refused(*line, e)))).collect()
            }
            Some(Err(why)) => {
                cases.iter().map(|(line, _)| (*line, Err(refused(*line, why.clone())))).collect()
            }
            None => Vec::new(),
        }
    };
    solved.extend(groups.par_iter().flat_map_iter(of_group).collect::<Vec<_>>());
    let mut faults: Vec<(usize, BadCase)> = Vec::new();
    let mut out = String::new();
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
                faults.push((line, fault));
            }
            None => {}
        }
        out.push('\n');
    }
    faults.sort_by_key(|f| f.0);
    let faults = faults.into_iter().map(|f| f.1).collect();
    Ok(Evaluated { table: out, faults, unknown })
}
