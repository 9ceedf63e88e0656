//! All rows as a table: CSV.
use crate::axis::number;
use crate::rows::{Row, Rows, RowsError};
use crate::sweep::Sweep;
use std::io::{self, Write};
use toml::Value;

/// Rows that are finished, wherever they are.
pub trait Finished {
    /// Some of them, the first of that index.
    fn get(&self, first: u64, count: usize) -> Result<Vec<Option<Row>>, RowsError>;
}

impl Finished for Rows {
    fn get(&self, first: u64, count: usize) -> Result<Vec<Option<Row>>, RowsError> {
        Rows::get(self, first, count)
    }
}

impl Finished for [Row] {
    fn get(&self, first: u64, count: usize) -> Result<Vec<Option<Row>>, RowsError> {
        let first = first as usize;
        Ok((first..first + count).map(|k| <[Row]>::get(self, k).cloned()).collect())
    }
}

/// So many rows are read at once.
const AT_ONCE: u64 = 4096;

/// Calls a function with every row and its point, in their order.
pub(crate) fn each(
    sweep: &Sweep,
    rows: &(impl Finished + ?Sized),
    mut f: impl FnMut(u64, &[Value], &Row) -> io::Result<()>,
) -> io::Result<()> {
    let mut first = 0;
    while first < sweep.len() {
        let count = AT_ONCE.min(sweep.len() - first) as usize;
        let own = rows.get(first, count).map_err(io::Error::other)?;
        for (index, row) in (first..).zip(&own) {
            let Some(row) = row else {
                return Err(io::Error::other(format!("row {index} is missing")));
            };
            f(index, &sweep.plan.point(index), row)?;
        }
        first += count as u64;
    }
    Ok(())
}

/// A name with its unit.
pub(crate) fn titled(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

/// Writes index, parameters, what is kept, and why a row failed. Numbers have as many digits as bring the same bits back; a value
/// that is none is an empty field.
pub fn write_csv(
    sweep: &Sweep,
    rows: &(impl Finished + ?Sized),
    out: &mut dyn Write,
) -> io::Result<()> {
    let keys = sweep.plan.axes.iter().map(|axis| titled(&axis.key, &axis.unit));
    let kept = sweep.columns();
    let kept = kept.iter().map(|(name, unit)| titled(name, unit));
    let names = ["index".to_owned()].into_iter().chain(keys).chain(kept);
    let names: Vec<String> = names.chain(["failed".to_owned()]).map(|name| quoted(&name)).collect();
    writeln!(out, "{}", names.join(","))?;
    each(sweep, rows, |index, point, row| {
        write!(out, "{index}")?;
        for value in point {
            match number(value) {
                Some(x) => write!(out, ",{}", shown(x))?,
                None => write!(out, ",{}", quoted(&text(value)))?,
            }
        }
        for value in &row.values {
            write!(out, ",{}", shown(*value))?;
        }
        writeln!(out, ",{}", quoted(row.failed.as_deref().unwrap_or_default()))
    })
}

/// A value that is no number.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(x: f64) -> String {
    let size = x.abs();
    match x {
        x if x.is_nan() => String::new(),
        x if size == 0.0 || (1e-4..1e15).contains(&size) => format!("{x}"),
        x => format!("{x:e}"),
    }
}

/// As RFC 4180 has it.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
