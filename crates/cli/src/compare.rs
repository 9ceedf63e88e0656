//! `bristle compare`: models side by side.
use crate::run::short;
use crate::{Outcome, Trouble, patch};
use bristle_analysis::audit::{Holds, Verdict};
use bristle_analysis::compare::{RATES, Row, TESTS, compare};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::{AnyBristle, AnyLaw};
use bristle_scenario::{friction::Friction, nearest, sets};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The models to compare [default: all that slide along a line]
    models: Vec<String>,
    /// A parameter set, for the models it was made for; others keep their start values
    #[arg(long, value_name = "SET")]
    set: Option<String>,
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
    let models = models(args)?;
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
        "models": rows.iter().map(entry).collect::<Vec<_>>(),
    });
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("results").join("compare"));
    let written = patch::write(&folder, &summary, ("table.csv", Some(&table)), &figure)?;
    if args.json {
        return crate::models::to_json(&summary);
    }
    let mut text = report(&rows);
    for path in written {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", path.display());
    }
    Ok(text)
}

/// The models asked for, with the set where it is for them.
fn models(args: &Args) -> Result<Vec<AnyBristle<f64>>, Trouble> {
    let known: Vec<&str> = AnyBristle::<f64>::CATALOG.iter().map(|i| i.name).collect();
    let mut names: Vec<&str> = args.models.iter().map(String::as_str).collect();
    if let Some(wrong) = names.iter().find(|n| !known.contains(n)) {
        let hint = match nearest(wrong, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known.join(", ")),
        };
        return Err(Trouble::Input(format!(
            "`{wrong}` is no model that slides along a line; {hint}"
        )));
    }
    if names.is_empty() {
        names = known;
    }
    if let Some(set) = &args.set {
        sets::named(set).map_err(|e| Trouble::Input(format!("--set {set}: {e}")))?;
    }
    let model = |name: &str| {
        if let Some(Ok(Friction::Line(model))) = args.set.as_ref().map(|set| sets::load(set, name))
        {
            return Some(model);
        }
        AnyBristle::named(name, AnyLaw::named("stribeck", ())?)
    };
    Ok(names.into_iter().filter_map(model).collect())
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
        "{:24} {:>7} {:>12} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}",
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
        "{:24} {:>7} {:>12} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}",
        "model", "held", "m a pulse", "slow", "fast", "law", "", "rates", "per s", "µs per s"
    ));
    let percent = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.1} %", 100.0 * x));
    for row in rows {
        line(format!(
            "{:24} {:>7} {:>12} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}",
            row.model,
            holds(row),
            row.stick.map_or("-".into(), |s| format!("{:.2e}", s.creep)),
            percent(row.break_away[0]),
            percent(row.break_away[RATES.len() - 1]),
            percent(row.departure),
            verdict(row),
            if row.bounded { "yes" } else { "no" },
            row.steps.map_or("-".into(), short),
            row.cost.map_or("-".into(), |c| format!("{:.0}", 1e6 * c)),
        ));
    }
    text + "\nbreak-away at 0.1 and 100 static limits a second; off its law while speed changes at 1 Hz\n\n"
}

/// The break-away force over the rate of loading.
fn draw(rows: &[Row]) -> (Trace, Figure) {
    let mut table = Trace::new([("model", "1"), ("rate", "1/s"), ("break_away", "1")]);
    let mut panel = Panel::new(
        Axis::new("rate of loading, static limits a second", "1/s").log(),
        Axis::new("break-away force over static limit", ""),
    );
    for (i, row) in rows.iter().enumerate() {
        let found: Vec<(f64, f64)> =
            RATES.iter().zip(&row.break_away).filter_map(|(r, b)| Some((*r, (*b)?))).collect();
        for (rate, force) in &found {
            table.push(&[i as f64, *rate, *force]);
        }
        let (x, y): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        panel = panel.with(Series::new(row.model, x, y));
    }
    (table, Figure::grid(1, [panel]).titled("Break-away against the rate of loading"))
}
