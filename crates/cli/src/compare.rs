//! `bristle compare`: models side by side.
use crate::subject::read;
use crate::{Outcome, Trouble, patch};
use bristle_analysis::audit::{Holds, Verdict};
use bristle_analysis::compare::{RATES, Row, TESTS, compare};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::AnyBristle;
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// Models by name, or scenario files for their friction [default: every model, those that take the values of --set]
    models: Vec<String>,
    /// Put a value over those of every model: friction.set=frbd-table-2 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The load, N
    #[arg(long, default_value_t = 1.0)]
    load: f64,
    /// The folder for table.csv, summary.json, figure.svg and figure.png [default: results/compare]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

/// Compares and reports.
pub fn run(args: &Args) -> Outcome {
    let positive = args.load.is_finite() && args.load > 0.0;
    if !positive {
        let text = format!("--load {} N must be a positive number", args.load);
        return Err(Trouble::Input(text));
    }
    let (models, left_out) = models(args)?;
    let bar = match args.quiet {
        true => indicatif::ProgressBar::hidden(),
        false => indicatif::ProgressBar::new((TESTS * models.len()) as u64),
    };
    let rows = compare(&models, args.load, &|| bar.inc(1));
    bar.finish_and_clear();
    let (table, figure) = draw(&rows);
    let summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "load_N": args.load,
        "rates_per_s": RATES,
        "left_out": left_out,
        "models": rows.iter().map(entry).collect::<Vec<_>>(),
    });
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("results").join("compare"));
    let written = patch::write(&folder, &summary, ("table.csv", Some(&table)), &figure)?;
    if args.json {
        return crate::models::to_json(&summary);
    }
    let mut text = report(&rows);
    // Writing to a String cannot fail.
    if !left_out.is_empty() {
        let _ =
            writeln!(text, "left out, because they do not take --set: {}\n", left_out.join(", "));
    }
    for path in written {
        let _ = writeln!(text, "{}", path.display());
    }
    Ok(text)
}

/// The models asked for, and the names of those left out because they do not take the values.
fn models(args: &Args) -> Result<(Vec<AnyBristle<f64>>, Vec<&'static str>), Trouble> {
    let of = |what: &str| read(what, &args.set).map(|subject| subject.friction().clone());
    if !args.models.is_empty() {
        let found: Result<Vec<_>, Trouble> = args.models.iter().map(|what| of(what)).collect();
        return Ok((found?, Vec::new()));
    }
    let (mut found, mut left_out, mut why) = (Vec::new(), Vec::new(), None);
    for info in AnyBristle::<f64>::CATALOG {
        match of(info.name) {
            Ok(model) => found.push(model),
            Err(trouble) => {
                left_out.push(info.name);
                why = Some(trouble);
            }
        }
    }
    // What no model takes is a mistake.
    match why {
        Some(trouble) if found.is_empty() => Err(trouble),
        _ => Ok((found, left_out)),
    }
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
        "model": row.model, "static_limit_N": row.limit,
        "holds_a_stick": holds(row), "creep_m": row.stick.map(|s| s.creep),
        "break_away": row.break_away, "departure_from_law": row.departure,
        "passive": verdict(row), "bounded_rates": row.bounded,
        "steps_per_s": row.steps, "cost_s_per_s": row.cost,
    })
}

fn report(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |s: String| writeln!(text, "{s}").unwrap_or_default();
    line(format!(
        "{:24} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
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
        "{:24} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
        "model", "held", "m a pulse", "slow", "fast", "law", "", "rates", "per s", "µs per s"
    ));
    let percent = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.1} %", 100.0 * x));
    for row in rows {
        line(format!(
            "{:24} {:>7} {:>12} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9} {:>10}",
            row.model,
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
    text + "\nbreak-away at 0.1 and 100 static limits a second; off its law while speed changes at 1 Hz\n\n"
}

/// The break-away force over the rate of loading.
fn draw(rows: &[Row]) -> (Trace, Figure) {
    let mut table = Trace::new([("model", "1"), ("rate", "1/s"), ("break_away", "1")]);
    let mut panel = Panel::new(
        Axis::new("rate of loading over static limit", "1/s").log(),
        Axis::new("break-away force over static limit", ""),
    );
    for (i, row) in rows.iter().enumerate() {
        let found: Vec<(f64, f64)> =
            RATES.iter().zip(&row.break_away).filter_map(|(r, b)| Some((*r, (*b)?))).collect();
        for (rate, force) in &found {
            table.push(&[i as f64, *rate, *force]);
        }
        let (x, y): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        if !x.is_empty() {
            panel = panel.with(Series::new(row.model, x, y));
        }
    }
    (table, Figure::grid(1, [panel]).titled("Break-away against the rate of loading"))
}
