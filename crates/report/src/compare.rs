//! Models side by side in the standard tests: creep, break-away, law, energy, cost.
use crate::Report;
use bristle_analysis::audit::{Holds, Verdict};
use bristle_analysis::compare::{self, RATES};
pub use bristle_analysis::compare::{Candidate, Row, TESTS};
use bristle_figure::{Axis, Figure, Look, Panel, Series};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;

/// Runs the standard tests with every model under a load, N. `left_out` names models that do not take part; `step` is called
/// after every test, [`TESTS`] times a model.
pub fn compare(
    models: &[Candidate],
    load: f64,
    left_out: &[&'static str],
    step: &(dyn Fn() + Sync),
) -> Report {
    of_rows(&compare::compare(models, load, step), load, left_out)
}

/// What rows of [`bristle_analysis::compare`] under one load say beside each other.
pub fn of_rows(rows: &[Row], load: f64, left_out: &[&'static str]) -> Report {
    let (table, figure) = draw(rows);
    let summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "load_N": load,
        "rates_per_s": RATES,
        "left_out": left_out,
        "models": rows.iter().map(entry).collect::<Vec<_>>(),
    });
    let mut text = report(rows);
    if !left_out.is_empty() {
        text += &format!("left out, because they do not take --set: {}\n\n", left_out.join(", "));
    }
    Report::new(text, summary, figure).table("table.csv", table)
}

fn verdict(row: &Row) -> &'static str {
    match row.passivity {
        Verdict::Passive { .. } => "yes",
        Verdict::NotPassive(_) => "no",
        Verdict::Unknown { .. } => "unknown",
    }
}

fn holds(row: &Row) -> &'static str {
    match row.stick.map(|s| s.holds()) {
        Some(Holds::Exactly) => "yes",
        Some(Holds::Nearly) => "nearly",
        Some(Holds::Not) => "no",
        None => "?",
    }
}

fn entry(row: &Row) -> Value {
    json!({
        "name": row.name, "model": row.model, "static_limit_N": row.limit,
        "holds_a_stick": holds(row), "creep_m": row.stick.map(|s| s.creep),
        "break_away": row.break_away, "departure_from_law": row.departure,
        "passive": verdict(row), "bounded_rates": row.bounded,
        "steps_per_s": row.steps, "cost_s_per_s": row.cost,
    })
}

fn report(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |s: String| writeln!(text, "{s}").unwrap_or_default();
    let wide = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(24);
    line(format!(
        "{:wide$} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
        "",
        "stick",
        "creep",
        "break-away",
        "break-away",
        "off its",
        "passive",
        "bounded",
        "steps",
        "cost"
    ));
    line(format!(
        "{:wide$} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
        "model", "held", "m a pulse", "slow", "fast", "law", "", "rates", "per s", "µs per s"
    ));
    let percent = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.1} %", 100.0 * x));
    for row in rows {
        line(format!(
            "{:wide$} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
            row.name,
            holds(row),
            row.stick.map_or("-".into(), |s| format!("{:.2e}", s.creep)),
            percent(row.break_away[0]),
            percent(row.break_away[RATES.len() - 1]),
            percent(row.departure),
            verdict(row),
            if row.bounded { "yes" } else { "no" },
            row.steps.map_or("-".into(), |s| format!("{s:.0}")),
            row.cost.map_or("-".into(), |c| format!("{:.0}", 1e6 * c)),
        ));
    }
    text += "\nbreak-away at 0.1 and 100 static limits a second; off its law while speed changes at 1 Hz\n";
    if rows.iter().any(|row| row.stick.is_none() || row.steps.is_none()) {
        text += "?, -: a run was given up; stiffness or damping is beyond what can be followed\n";
    }
    text + "\n"
}

/// Models whose forces differ by less than this part of the limit share a line.
const ALIKE: f64 = 2e-3;

/// The break-away force over the rate of loading.
fn draw(rows: &[Row]) -> (Trace, Figure) {
    let mut table = Trace::new([("model", "1"), ("rate", "1/s"), ("break_away", "1")]);
    let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let found: Vec<(f64, f64)> =
            RATES.iter().zip(&row.break_away).filter_map(|(r, b)| Some((*r, (*b)?))).collect();
        for (rate, force) in &found {
            table.push(&[i as f64, *rate, *force]);
        }
        let alike = |(_, other): &&mut (String, Vec<(f64, f64)>)| {
            let near = |(a, b): (&(f64, f64), &(f64, f64))| a.0 == b.0 && (a.1 - b.1).abs() < ALIKE;
            other.len() == found.len() && other.iter().zip(&found).all(near)
        };
        match curves.iter_mut().find(alike) {
            _ if found.is_empty() => {}
            Some((name, _)) => *name += &format!(", {}", row.name),
            None => curves.push((row.name.clone(), found)),
        }
    }
    let panel = Panel::new(
        Axis::new("rate of loading over static limit", "1/s").log(),
        Axis::new("break-away force over static limit", ""),
    );
    let panel = curves.into_iter().enumerate().fold(panel, |panel, (rank, (name, points))| {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let line = Series::new(name, x.clone(), y.clone()).rank(rank);
        panel.with(line).with(Series::new("", x, y).look(Look::Points).rank(rank))
    });
    (table, Figure::grid(1, [panel]).titled("Break-away against the rate of loading"))
}
