//! A table of operating points in, the same table with forces and moments out.
//!
//! Columns are named as in `data/reference/rolling/steady_reference.csv`: `n`, `m`, `pressure`, `gamma`, `model`,
//! `sigma_x`, `sigma_y`, `phi1`, `phi2`, `V_r`, and where wanted `a`, `b`, `F_z`, the tensors `S0xx` … `Myy`, the
//! law's `mu_d`, `mu_s`, `v_s`, `exponent`, `viscous`, `epsilon`, and `epsilon_x`. What is absent takes the value
//! of 004 Table 1; columns of other names are passed on, unless they look like one of these misspelt.
use super::fading::{Briefs, Brisk};
use super::inflow::Wide;
use super::steady::{Outcome, Refused, Steady};
use super::{Model, Patch, Profile, Rolling};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::{Full, Isotropic};
use bristle_kernel::{AnyChoice, Cast, Choice, Invalid, Planar, Start, validate};
use rayon::prelude::*;
use std::fmt;

/// What is appended to every row.
pub const RESULTS: [&str; 5] = ["Fx_N", "Fy_N", "Mz37b_Nm", "Mz38_Nm", "est_error"];

/// What a table may say about a case.
const COLUMNS: [&str; 29] = [
    "a",
    "b",
    "n",
    "m",
    "pressure",
    "gamma",
    "F_z",
    "model",
    "sigma_x",
    "sigma_y",
    "phi1",
    "phi2",
    "V_r",
    "epsilon_x",
    "mu_d",
    "mu_s",
    "v_s",
    "exponent",
    "viscous",
    "epsilon",
    "Mxx",
    "Mxy",
    "Myy",
    "S0xx",
    "S0xy",
    "S0yy",
    "S1xx",
    "S1xy",
    "S1yy",
];

/// All that is wrong with a table.
#[derive(Clone, Debug, PartialEq)]
pub struct BadCases(pub Vec<BadCase>);

impl fmt::Display for BadCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More faults than this are counted.
        const SHOWN: usize = 20;
        for (i, fault) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if i > 0 { "\n" } else { "" })?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more faults"),
        }
    }
}

impl std::error::Error for BadCases {}

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
                write!(f, "no column is named as one of {}", COLUMNS.join(", "))
            }
            BadCase::Column { found, meant } => {
                write!(f, "column {found} must be named {meant}, or otherwise if it is not meant")
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
    header: &'a [&'a str],
    fields: Vec<&'a str>,
}

impl Fields<'_> {
    fn get(&self, column: &str) -> Option<&str> {
        let i = self.header.iter().position(|h| *h == column)?;
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

    fn solve(&self, accuracy: f64) -> Result<Outcome, BadCase> {
        let start: Patch<f64> = Patch::start(());
        let patch = Patch {
            a: self.number("a", start.a)?,
            b: self.number("b", start.b)?,
            n: self.number("n", start.n)?,
            m: self.number("m", start.m)?,
            pressure: self.choice("pressure", Profile::Parabolic)?,
            gamma: self.number("gamma", start.gamma)?,
            load: self.number("F_z", start.load)?,
        };
        let start: Rolling<f64> = Rolling::start(());
        let rolling = Rolling {
            model: self.choice("model", Model::Linear)?,
            sigma_x: self.number("sigma_x", 0.0)?,
            sigma_y: self.number("sigma_y", 0.0)?,
            phi1: self.number("phi1", 0.0)?,
            phi2: self.number("phi2", 0.0)?,
            v_r: self.number("V_r", start.v_r)?,
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
            [self.number("Mxx", 1.0)?, self.number("Mxy", 0.0)?, self.number("Myy", 1.0)?];
        let epsilon = self.number("epsilon", 1e-12)?;
        let bristle = FrbdPlanar {
            sigma0_xx: self.number("S0xx", 240.0)?,
            sigma0_xy: self.number("S0xy", 0.0)?,
            sigma0_yy: self.number("S0yy", 240.0)?,
            sigma1_xx: self.number("S1xx", 0.0)?,
            sigma1_xy: self.number("S1xy", 0.0)?,
            sigma1_yy: self.number("S1yy", 0.0)?,
            epsilon,
            matrix: Full { m_xx, m_xy, m_yy, law },
        };
        let refused = |why: Refused| BadCase::Refused { line: self.line, why };
        let invalid = |why: Invalid| refused(why.into());
        validate(&bristle).map_err(invalid)?;
        // Friction that is the same in all directions is faster computed as such.
        if m_xx == m_yy && m_xy == 0.0 {
            let FrbdPlanar {
                sigma0_xx, sigma0_xy, sigma0_yy, sigma1_xx, sigma1_xy, sigma1_yy, ..
            } = bristle;
            let matrix = Isotropic { m: m_xx, law };
            let bristle = FrbdPlanar {
                sigma0_xx,
                sigma0_xy,
                sigma0_yy,
                sigma1_xx,
                sigma1_xy,
                sigma1_yy,
                epsilon,
                matrix,
            };
            return solve(&patch, &bristle, &rolling, accuracy).map_err(refused);
        }
        solve(&patch, &bristle, &rolling, accuracy).map_err(refused)
    }
}

fn solve<B>(
    patch: &Patch<f64>,
    bristle: &B,
    rolling: &Rolling<f64>,
    accuracy: f64,
) -> Result<Outcome, Refused>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    Steady::new(patch, bristle, accuracy)?.solve(rolling)
}

/// What is wrong with the names of columns: nothing would say that a misspelt one was not read.
fn misnamed(header: &[&str]) -> Vec<BadCase> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let meant = |found: &&str| {
        let ours = COLUMNS.into_iter().filter(|c| !header.contains(c));
        let meant = ours.into_iter().find(|c| plain(c) == plain(found))?;
        Some(BadCase::Column { found: (*found).to_owned(), meant })
    };
    let strange = header.iter().filter(|h| !COLUMNS.contains(h));
    let faults: Vec<BadCase> = strange.filter_map(meant).collect();
    match faults.is_empty() && !header.iter().any(|h| COLUMNS.contains(h)) {
        true => vec![BadCase::Silent],
        false => faults,
    }
}

/// Evaluates every row of a comma-separated table on all processors; lines that begin with # are passed on.
/// All faults, if there are any, are reported together.
pub fn evaluate(table: &str, accuracy: f64) -> Result<String, BadCases> {
    let lines: Vec<(usize, &str)> = table.lines().enumerate().map(|(i, l)| (i + 1, l)).collect();
    let is_row = |line: &str| !line.starts_with('#') && !line.trim().is_empty();
    let mut rows = lines.iter().filter(|(_, l)| is_row(l));
    let Some((_, header)) = rows.next() else { return Err(BadCases(vec![BadCase::Empty])) };
    let header: Vec<&str> = header.split(',').map(str::trim).collect();
    let mut faults = misnamed(&header);
    let rows: Vec<&(usize, &str)> = rows.collect();
    let row = |(line, text): &(usize, &str)| {
        let fields: Vec<&str> = text.split(',').collect();
        if fields.len() != header.len() {
            let (fields, columns) = (fields.len(), header.len());
            return Err(BadCase::Ragged { line: *line, fields, columns });
        }
        let o = Fields { line: *line, header: &header, fields }.solve(accuracy)?;
        let [fx, fy] = o.force;
        Ok(format!("{text},{fx},{fy},{},{},{:e}", o.moment, o.moment_deformed, o.error))
    };
    let solved: Vec<Result<String, BadCase>> = rows.into_par_iter().map(row).collect();
    faults.extend(solved.iter().filter_map(|row| row.as_ref().err().cloned()));
    if !faults.is_empty() {
        return Err(BadCases(faults));
    }
    // Columns of earlier results would stand beside the new ones under the same name.
    let names = RESULTS.map(|name| match header.contains(&name) {
        true => format!("{name}_new"),
        false => name.to_owned(),
    });
    let mut out: String =
        lines.iter().filter(|(_, l)| l.starts_with('#')).map(|(_, l)| format!("{l}\n")).collect();
    out += &format!("{},{}\n", header.join(","), names.join(","));
    out.extend(solved.into_iter().flatten().map(|row| row + "\n"));
    Ok(out)
}
