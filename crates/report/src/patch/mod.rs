//! A contact patch in steady rolling, its force-slip surface, its transients, tables of cases.
pub(crate) mod figure;

use crate::{Failure, Report, parameters, short};
use bristle_contact::patch::history::History;
use bristle_contact::patch::{Refused, energy, transient as contact};
use bristle_figure::Panel;
use bristle_scenario::cases;
use bristle_scenario::patch::{Failure as Failed, Moment, Scenario};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// A table of cases with its results.
pub struct Cases {
    /// The table as it is written: the one that came in, with results appended to every row.
    pub table: String,
    /// For a person: how many there are, and how exact.
    pub text: String,
    /// The same for programs.
    pub summary: Value,
    /// What is wrong with which rows.
    pub faults: Option<String>,
    /// Columns that say nothing about a case.
    pub unknown: Vec<String>,
}

/// A table of cases in, the same with results out.
pub fn cases(text: &str, accuracy: f64) -> Result<Cases, Failure> {
    let cases::Evaluated { table, faults, unknown } =
        cases::evaluate(text, accuracy).map_err(|e| Failure::Input(cases::listed(&e)))?;
    let rows = table.lines().filter(|l| !l.starts_with('#')).skip(1);
    let errors = rows.filter_map(|l| l.rsplit(',').next()?.parse::<f64>().ok());
    let (count, worst) = errors.fold((0usize, 0.0f64), |(n, w), e| (n + 1, w.max(e)));
    let missed = missed(worst, accuracy);
    let text = format!("{count} cases, error at most {worst:.1e} by estimate{missed}\n");
    let summary = json!({
        "cases": count, "accuracy": accuracy, "worst_est_error": worst,
        "faults": faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    let faults = (!faults.is_empty()).then(|| cases::listed(&faults));
    Ok(Cases { table, text, summary, faults, unknown })
}

/// The rows of a table by the names of its columns, with numbers where numbers stand.
pub fn objects(table: &str) -> Value {
    let mut rows = table.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(','));
    let header: Vec<&str> = rows.next().into_iter().flatten().collect();
    let field = |text: &str| match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(text.trim()),
    };
    let row = |fields: std::str::Split<'_, char>| -> Value {
        header.iter().map(|h| (*h).to_owned()).zip(fields.map(field)).collect()
    };
    rows.map(row).collect()
}

fn refused(why: Refused) -> Failure {
    Failure::input(Failed::Refused(why))
}

/// What the patch is, for a summary.
fn described(scenario: &Scenario) -> Value {
    let mut patch = parameters(&scenario.patch);
    if scenario.table.is_some() {
        patch["pressure"] = json!("table");
    }
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "patch": patch,
        "rolling": parameters(&scenario.rolling),
        "friction": {
            "model": scenario.bristle.info().name,
            "parameters": parameters(&scenario.bristle),
        },
        "accuracy": scenario.run.accuracy,
    })
}

fn headline(scenario: &Scenario) -> String {
    let r = &scenario.rolling;
    let mut text = String::new();
    if !scenario.title.is_empty() {
        let _ = writeln!(text, "{}", scenario.title);
    }
    let p = &scenario.patch;
    let _ = writeln!(
        text,
        "model {}, sigma = ({}, {}), phi1 = {} 1/m, phi2 = {} 1/m, v_r = {} m/s, load = {} N\n",
        bristle_kernel::AnyChoice::get(&r.model),
        r.sigma_x,
        r.sigma_y,
        r.phi1,
        r.phi2,
        r.v_r,
        p.load
    );
    text
}

/// Without what rounding leaves of a quantity that is zero, for the eye.
fn tidy(x: f64, scale: f64) -> f64 {
    if x.abs() < 1e-14 * scale { 0.0 } else { x }
}

/// What to say of an error that is above what was asked for.
fn missed(error: f64, accuracy: f64) -> String {
    match error <= accuracy {
        true => String::new(),
        false => format!(", more than the {accuracy:e} asked for"),
    }
}

/// Forces and moment at constant slip and spin. The figure shows tractions, or the paths and cells that they were computed by.
pub fn steady(scenario: &Scenario, show_rule: bool) -> Result<Report, Failure> {
    let mut contact = scenario.steady().map_err(Failure::input)?;
    let o = contact.solve(&scenario.rolling).map_err(refused)?;
    let (balance, balance_error) = contact.balance(&scenario.rolling).map_err(refused)?;
    let condition = energy::condition_of(
        &scenario.patch.shape(),
        &scenario.pressure().map_err(|e| Failure::input(Failed::from(e)))?,
        &scenario.rolling,
    )
    .map_err(refused)?;
    let settles =
        contact::settling_distance(&scenario.patch, &scenario.rolling).map_err(refused)?;
    let mut summary = described(scenario);
    summary["steady"] = json!({
        "Fx_N": o.force[0], "Fy_N": o.force[1],
        "Mz_Nm": o.moment, "Mz_deformed_Nm": o.moment_deformed, "est_error": o.error,
    });
    summary["settling_distance_m"] = json!(settles);
    summary["passivity"] = json!({
        "holds": condition.holds(), "worst": condition.worst,
        "x_m": condition.at[0], "y_m": condition.at[1], "broken_part": condition.broken,
    });
    summary["energy_per_metre"] = json!({
        "supplied_N": balance.supplied, "sliding_N": balance.sliding, "damping_N": balance.damping,
        "unloading_N": balance.unloading, "leaving_N": balance.leaving, "stored_J": balance.stored,
        "residual": balance.residual(), "est_error": balance_error,
    });
    let mut text = headline(scenario);
    let mut line = |s: String| {
        let _ = writeln!(text, "{s}");
    };
    let [fx, fy] = o.force.map(|f| short(tidy(f, scenario.patch.load)));
    let lever = scenario.patch.load * scenario.patch.a;
    let [m, deformed] = [o.moment, o.moment_deformed].map(|m| short(tidy(m, lever)));
    for (name, value, unit) in
        [("Fx", fx, "N"), ("Fy", fy, "N"), ("Mz", m, "N·m"), ("Mz_deformed", deformed, "N·m")]
    {
        line(format!("{name:12} {value:>13} {unit}"));
    }
    let missed = missed(o.error, scenario.run.accuracy);
    line(format!(
        "error by estimate {:.1e}{missed}; settles within {} m\n",
        o.error,
        short(settles)
    ));
    // What rounding leaves of a term that is zero.
    let joules = |x: f64| short(if x.abs() < 1e-9 * balance.supplied.abs() { 0.0 } else { x });
    line(format!(
        "energy per metre: {} J put in, {} J slid away, {} J damped, {} J left at the edge, {} J to the pressure",
        joules(balance.supplied),
        joules(balance.sliding),
        joules(balance.damping),
        joules(balance.leaving),
        joules(balance.unloading)
    ));
    line(match condition.holds() {
        true => "passive: the pressure nowhere rises along a path, 004 (71)\n".to_owned(),
        false => format!(
            "not passive by 004 (71): the pressure rises along its path on {:.0} % of the patch, most at \
             ({:.4}, {:.4}) m\n",
            100.0 * condition.broken,
            condition.at[0],
            condition.at[1]
        ),
    });
    let figure = match show_rule {
        true => figure::rule(scenario, &contact.rule(&scenario.rolling).map_err(refused)?),
        false => figure::tractions(scenario, &contact),
    };
    Ok(Report::new(text, summary, figure))
}

/// A surface is computed in so many shares.
const SHARES: usize = 10;

/// Forces and moment over a grid of slips; `step` is called once a row of it, and may end it.
pub fn surface(
    scenario: &Scenario,
    step: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Report, Failure> {
    let contact = scenario.steady().map_err(Failure::input)?;
    let [x, y] = scenario.grid.slips();
    let mut all = Vec::new();
    // Rows enough for every core, and progress to be seen.
    for rows in x.chunks(x.len().div_ceil(SHARES)) {
        let part = contact.surface(&scenario.rolling, rows, &y);
        all.extend(part.map_err(refused)?);
        if rows.iter().try_for_each(|_| step()).is_break() {
            return Err(Failure::run("interrupted"));
        }
    }
    let names = [
        ("sigma_x", "1"),
        ("sigma_y", "1"),
        ("Fx", "N"),
        ("Fy", "N"),
        ("Mz", "N*m"),
        ("Mz_deformed", "N*m"),
        ("est_error", "1"),
    ];
    let mut trace = Trace::new(names);
    let pairs = x.iter().flat_map(|x| y.iter().map(move |y| (*x, *y)));
    for ((x, y), o) in pairs.zip(&all) {
        trace.push(&[x, y, o.force[0], o.force[1], o.moment, o.moment_deformed, o.error]);
    }
    let extremes = |name: &str| {
        let values = trace.column(name).map(|c| c.values.as_slice()).unwrap_or_default();
        let pick = |better: fn(f64, f64) -> bool| {
            let at =
                (0..values.len()).reduce(|i, j| if better(values[j], values[i]) { j } else { i });
            at.map_or([f64::NAN; 3], |i| [values[i], x[i / y.len()], y[i % y.len()]])
        };
        [pick(|a, b| a < b), pick(|a, b| a > b)]
    };
    let worst = all.iter().map(|o| o.error).fold(0.0, f64::max);
    let mut summary = described(scenario);
    let mut text = headline(scenario);
    let _ = writeln!(
        text,
        "{:18} {:>13} {:>20} {:>13} {:>20}",
        "", "least", "at (sigma_x, sigma_y)", "greatest", "at (sigma_x, sigma_y)"
    );
    for (name, unit) in &names[2..6] {
        let [low, high] = extremes(name);
        let place = |p: [f64; 3]| format!("({:.3}, {:.3})", p[1], p[2]);
        let _ = writeln!(
            text,
            "{:18} {:>13} {:>20} {:>13} {:>20}",
            format!("{name} [{unit}]"),
            short(low[0]),
            place(low),
            short(high[0]),
            place(high)
        );
        let one = |p: [f64; 3]| json!({ "value": p[0], "sigma_x": p[1], "sigma_y": p[2] });
        summary["extremes"][name] = json!({ "min": one(low), "max": one(high) });
    }
    summary["points"] = json!(all.len());
    summary["worst_est_error"] = json!(worst);
    let missed = missed(worst, scenario.run.accuracy);
    let _ = writeln!(text, "\n{} points, error at most {worst:.1e} by estimate{missed}", all.len());
    let figure = figure::surfaces(scenario, &contact, &x, &y, &trace);
    Ok(Report::new(text, summary, figure).table("surface.csv", trace))
}

/// Forces and moment over each slip while the other one stays.
pub fn curves(scenario: &Scenario) -> Result<Report, Failure> {
    let contact = scenario.steady().map_err(Failure::input)?;
    let figure = figure::curves(scenario, &contact);
    Ok(Report::new(headline(scenario), described(scenario), figure))
}

/// Pictures of a transient: the traction over the patch after so many distances, evenly on the way. `tell` hears of every one and
/// may end it.
pub fn film(
    scenario: &Scenario,
    pictures: usize,
    tell: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<(f64, Panel)>, Failure> {
    /// Cells of a picture, and steps of a bristle on its way through the patch.
    const CELLS: [usize; 2] = [28, 16];
    const STEPS: f64 = 24.0;
    if scenario.table.is_some() {
        let why = "pictures of a transient need a pressure by its name: [patch] table gives no law on the way";
        return Err(Failure::Asked(why.into()));
    }
    let (patch, rolling) = (|s: f64| scenario.patch_at(s), |s: f64| scenario.rolling_at(s));
    let bristle = &scenario.bristle;
    let history = History { bristle, patch: &patch, rolling: &rolling, from: 0.0 };
    let mut film = Vec::new();
    for k in 0..pictures {
        let s = scenario.transient.distance * k as f64 / (pictures.max(2) - 1) as f64;
        let now = scenario.patch_at(s);
        bristle_kernel::validate(&now).map_err(Failure::input)?;
        bristle_kernel::validate(&scenario.rolling_at(s)).map_err(Failure::input)?;
        let (shape, pressure) = (now.shape(), now.pressure());
        let traction = |at: [f64; 2]| {
            let (_, force) = history.bristle_at(at, s, 2.0 * now.a / STEPS);
            force.map(|f| f * pressure.at(&shape, at[0], at[1]))
        };
        film.push((s, figure::field(&shape, CELLS, &traction)));
        if tell(k).is_break() {
            return Err(Failure::run("interrupted"));
        }
    }
    Ok(film)
}

/// Rolling from undeflected bristles; `tell` hears of every moment.
pub fn transient(scenario: &Scenario, tell: &mut dyn FnMut(&Moment)) -> Result<Report, Failure> {
    let names = [
        ("s", "m"),
        ("sigma_x", "1"),
        ("sigma_y", "1"),
        ("phi1", "1/m"),
        ("phi2", "1/m"),
        ("v_r", "m/s"),
        ("load", "N"),
        ("Fx", "N"),
        ("Fy", "N"),
        ("Mz", "N*m"),
        ("Mz_deformed", "N*m"),
        ("est_error", "1"),
    ];
    let mut trace = Trace::new(names);
    let books = scenario
        .roll(&mut |m| {
            tell(&m);
            let (r, w) = (m.rolling, m.wrench);
            trace.push(&[
                m.s, r.sigma_x, r.sigma_y, r.phi1, r.phi2, r.v_r, m.load, w[0], w[1], w[2], w[3],
                m.error,
            ]);
        })
        .map_err(Failure::input)?;
    let column = |name: &str| trace.column(name).map(|c| c.values.as_slice()).unwrap_or_default();
    let relaxation = |name: &str| {
        let samples: Vec<(f64, f64)> =
            column("s").iter().copied().zip(column(name).iter().copied()).collect();
        contact::relaxation_length(&samples).filter(|_| scenario.signals.is_empty())
    };
    let mut summary = described(scenario);
    let mut text = headline(scenario);
    let _ = writeln!(
        text,
        "{:18} {:>13} {:>13} {:>13} {:>18}",
        "", "at the end", "least", "greatest", "63 % after [m]"
    );
    let load = column("load").iter().copied().fold(0.0, f64::max);
    for (name, unit) in &names[7..11] {
        let scale = if *unit == "N" { load } else { load * scenario.patch.a };
        let values: Vec<f64> = column(name).iter().map(|x| tidy(*x, scale)).collect();
        let end = values.last().copied().unwrap_or(f64::NAN);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let length = relaxation(name).filter(|_| end != 0.0);
        let _ = writeln!(
            text,
            "{:18} {:>13} {:>13} {:>13} {:>18}",
            format!("{name} [{unit}]"),
            short(end),
            short(least),
            short(most),
            length.map_or_else(|| "-".to_owned(), short)
        );
        summary["columns"][name] = json!({
            "unit": unit, "end": end, "min": least, "max": most, "relaxation_length_m": length,
        });
    }
    summary["rows"] = json!(trace.rows());
    let worst = column("est_error").iter().copied().fold(0.0, f64::max);
    summary["worst_est_error"] = json!(worst);
    let missed = missed(worst, scenario.run.accuracy);
    let _ = writeln!(text, "\nerror at most {worst:.1e} by estimate{missed}");
    if books.supplied != 0.0 {
        summary["energy"] = json!({
            "supplied_J": books.supplied, "spent_J": books.spent, "stored_J": books.stored,
            "by_load_J": books.by_load, "residual": books.residual(),
        });
        let _ = writeln!(
            text,
            "energy: {} J put in, {} J spent, {} J stored, {} J by the load; residual {:.1e}",
            short(books.supplied),
            short(books.spent),
            short(books.stored),
            short(books.by_load),
            books.residual()
        );
    }
    text.push('\n');
    let figure = figure::transient(scenario, &trace);
    Ok(Report::new(text, summary, figure).table("trace.csv", trace))
}
