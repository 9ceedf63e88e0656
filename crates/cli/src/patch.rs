//! `bristle patch`: a contact patch in steady rolling, its force-slip surface, its transients.
use crate::run::{PARTS, in_file, parameters, settings, short};
use crate::work::{Progress, Report, Threads, Work};
use crate::{Outcome, Trouble, files, patch_figure as figure};
use bristle_contact::patch::{cases, energy, transient};
use bristle_scenario::Setting;
use bristle_scenario::patch::{Failure, Scenario};
use bristle_trace::Trace;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a table of cases says for itself.
const IN_CASES: [&str; 10] =
    ["file", "set", "model", "sigma_x", "sigma_y", "phi1", "phi2", "v_r", "pressure", "load"];

/// What to do with a patch.
#[derive(Subcommand)]
pub enum Task {
    /// Forces and moment at constant slip and spin, or those of a table of cases
    #[command(after_help = "Examples:\n  bristle patch steady --sigma-x 0.08 --phi1 1.5\n  \
                            bristle patch steady scenarios/patch-bend.toml --json\n  \
                            bristle patch steady --sigma-x 0.08 --sigma-y 0.08 --phi1 3 --show-rule\n  \
                            bristle patch steady --cases IN.csv --out OUT.csv --accuracy 1e-6")]
    Steady {
        #[command(flatten)]
        what: What,
        /// A table of cases, one to a row: n, m, pressure, gamma, model, sigma_x, sigma_y, phi1, phi2, V_r, ...;
        /// with --out FILE for the same table with its results, which is printed otherwise
        #[arg(long, value_name = "IN.csv", conflicts_with_all = IN_CASES)]
        cases: Option<PathBuf>,
        /// Draw the paths and cells that the result was computed by, in place of the tractions
        #[arg(long, conflicts_with = "cases")]
        show_rule: bool,
    },
    /// Force-slip surface over a grid of slips
    #[command(after_help = "Examples:\n  bristle patch surface --pressure exp\n  \
                            bristle patch surface scenarios/patch-bend.toml --set surface.sigma_x_to=0.3")]
    Surface {
        #[command(flatten)]
        what: What,
    },
    /// Rolling from undeflected bristles, with slip, spin, speed, load and outline as signals
    #[command(
        after_help = "Examples:\n  bristle patch transient --sigma-x 0.16 --sigma-y 0.08\n  \
                            bristle patch transient scenarios/patch-shimmy.toml"
    )]
    Transient {
        #[command(flatten)]
        what: What,
    },
}

/// Which patch, and where results go.
#[derive(Args)]
pub struct What {
    /// The scenario file; without one everything is as in 004 Table 1
    file: Option<PathBuf>,
    /// Put a value over the file's: patch.load=3000 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Rolling contact model: 1 standard, 2 semilinear, 3 linear (rolling.model)
    #[arg(long)]
    model: Option<String>,
    /// Longitudinal slip (rolling.sigma_x)
    #[arg(long, allow_negative_numbers = true)]
    sigma_x: Option<String>,
    /// Lateral slip (rolling.sigma_y)
    #[arg(long, allow_negative_numbers = true)]
    sigma_y: Option<String>,
    /// Spin that bends the paths, 1/m (rolling.phi1)
    #[arg(long, allow_negative_numbers = true)]
    phi1: Option<String>,
    /// Spin that turns the deflections, 1/m (rolling.phi2)
    #[arg(long, allow_negative_numbers = true)]
    phi2: Option<String>,
    /// Rolling speed, m/s (rolling.v_r)
    #[arg(long, allow_negative_numbers = true)]
    v_r: Option<String>,
    /// Pressure: const, parab, exp, pexp (patch.pressure)
    #[arg(long)]
    pressure: Option<String>,
    /// Vertical force, N (patch.load)
    #[arg(long, allow_negative_numbers = true)]
    load: Option<String>,
    /// Largest error of force and moment, relative (run.accuracy)
    #[arg(long, allow_negative_numbers = true)]
    accuracy: Option<String>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    work: Work,
}

impl What {
    /// The scenario, or all that is wrong with it.
    fn scenario(&self) -> Result<Scenario, Trouble> {
        let text = match &self.file {
            Some(file) => crate::run::text_of(file)?,
            None => String::new(),
        };
        let flags = [
            ("rolling.model", &self.model),
            ("rolling.sigma_x", &self.sigma_x),
            ("rolling.sigma_y", &self.sigma_y),
            ("rolling.phi1", &self.phi1),
            ("rolling.phi2", &self.phi2),
            ("rolling.v_r", &self.v_r),
            ("patch.pressure", &self.pressure),
            ("patch.load", &self.load),
            ("run.accuracy", &self.accuracy),
        ];
        let mut over = settings(&self.set)?;
        for (key, value) in flags {
            over.extend(value.as_ref().map(|v| Setting::typed(key, v)));
        }
        Scenario::read(&text, &over).map_err(|p| self.refused(&p.to_string()))
    }

    fn refused(&self, problems: &str) -> Trouble {
        let name = self.file.as_deref().unwrap_or(Path::new("the patch"));
        Trouble::Input(in_file(name, problems))
    }

    fn failed(&self, why: &Failure) -> Trouble {
        self.refused(&why.to_string())
    }

    /// What the results are called.
    fn name(&self, task: &str) -> String {
        let stem = self.file.as_ref().and_then(|f| f.file_stem()).map(|s| s.to_string_lossy());
        stem.map_or_else(|| format!("patch-{task}"), |s| s.into_owned())
    }

    /// Before the work begins: see [`Work::begin`].
    fn begin(&self, task: &str, parts: Option<u64>) -> Result<Progress, Trouble> {
        self.threads.take();
        self.work.begin(&self.name(task), parts)
    }
}

/// Runs one of the tasks.
pub fn run(task: &Task) -> Outcome {
    match task {
        Task::Steady { what, cases: Some(cases), .. } => table(what, cases),
        Task::Steady { what, cases: None, show_rule } => steady(what, *show_rule),
        Task::Surface { what } => surface(what),
        Task::Transient { what } => transient(what),
    }
}

/// A table of cases is no longer than this, bytes.
const LONGEST: u64 = 1 << 30;

/// The folder and the name of a file that is to be written, if that is possible.
fn place(out: &Path) -> Result<(&Path, &OsStr), Trouble> {
    let (Some(name), false) = (out.file_name(), out.is_dir()) else {
        let text = format!("--out {} must name a file: with --cases it is a table", out.display());
        return Err(Trouble::Input(text));
    };
    let folder = out.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::check(folder).map_err(Trouble::Run)?;
    Ok((folder, name))
}

/// A table of cases in, the same with results out.
fn table(what: &What, file: &Path) -> Outcome {
    let text =
        crate::run::text_up_to(file, LONGEST, "name a table of cases, as in docs/rolling.md")?;
    let accuracy = what.scenario()?.run.accuracy;
    let out = what.work.out.as_deref();
    let place = out.map(place).transpose()?;
    what.threads.take();
    let progress = Progress::new(what.work.quiet, None);
    let cases::Evaluated { table: solved, faults, unknown } = cases::evaluate(&text, accuracy)
        .map_err(|e| Trouble::Input(in_file(file, &cases::listed(&e))))?;
    drop(progress);
    if !unknown.is_empty() {
        let columns = unknown.join(", ");
        let name = file.display();
        crate::complain("warning", format_args!("{name}: columns passed on unread: {columns}"));
    }
    let rows = solved.lines().filter(|l| !l.starts_with('#')).skip(1);
    let errors = rows.filter_map(|l| l.rsplit(',').next()?.parse::<f64>().ok());
    let (count, worst) = errors.fold((0usize, 0.0f64), |(n, w), e| (n + 1, w.max(e)));
    let missed = missed(worst, accuracy);
    let text = match (place, out) {
        (Some((folder, name)), Some(out)) => {
            files::write(folder, &[(name, solved.into_bytes())]).map_err(Trouble::Run)?;
            match what.work.json {
                true => crate::models::to_json(&json!({
                    "cases": count, "accuracy": accuracy, "worst_est_error": worst, "file": out,
                    "faults": faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
                }))?,
                false => format!(
                    "{count} cases, error at most {worst:.1e} by estimate{missed}\n{}\n",
                    out.display()
                ),
            }
        }
        _ if what.work.json => crate::models::to_json(&objects(&solved))?,
        _ => solved,
    };
    if faults.is_empty() {
        return Ok(text);
    }
    // Good rows are there; bad ones are told.
    crate::print(&text);
    Err(Trouble::Run(in_file(file, &cases::listed(&faults))))
}

/// The rows of a table by the names of its columns, with numbers where numbers stand.
fn objects(table: &str) -> Value {
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
        "model {}, sigma = ({}, {}), phi1 = {} 1/m, phi2 = {} 1/m, V_r = {} m/s, F_z = {} N\n",
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

fn steady(what: &What, show_rule: bool) -> Outcome {
    let scenario = what.scenario()?;
    let _progress = what.begin("steady", None)?;
    let mut contact = scenario.steady().map_err(|e| what.failed(&e))?;
    let refused = |e| what.failed(&Failure::Refused(e));
    let o = contact.solve(&scenario.rolling).map_err(refused)?;
    let (balance, balance_error) = contact.balance(&scenario.rolling).map_err(refused)?;
    let condition = energy::condition_of(
        &scenario.patch.shape(),
        &scenario.pressure().map_err(|e| what.failed(&e.into()))?,
        &scenario.rolling,
    )
    .map_err(refused)?;
    let settles =
        transient::settling_distance(&scenario.patch, &scenario.rolling).map_err(refused)?;
    let mut summary = described(&scenario);
    summary["steady"] = json!({
        "Fx_N": o.force[0], "Fy_N": o.force[1],
        "Mz37b_Nm": o.moment, "Mz38_Nm": o.moment_deformed, "est_error": o.error,
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
    let mut text = headline(&scenario);
    let mut line = |s: String| {
        let _ = writeln!(text, "{s}");
    };
    let [fx, fy] = o.force.map(|f| short(tidy(f, scenario.patch.load)));
    let lever = scenario.patch.load * scenario.patch.a;
    let [m, deformed] = [o.moment, o.moment_deformed].map(|m| short(tidy(m, lever)));
    line(format!("F_x  {fx:>13} N"));
    line(format!("F_y  {fy:>13} N"));
    line(format!("M_z  {m:>13} N·m  (deformed {deformed} N·m)"));
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
    let field = match show_rule {
        true => figure::rule(&scenario, &contact.rule(&scenario.rolling).map_err(refused)?),
        false => figure::tractions(&scenario, &contact),
    };
    let report = Report { text, summary: &summary, tables: Vec::new(), figure: &field };
    what.work.finish(&what.name("steady"), report)
}

/// A surface is computed in so many shares.
const SHARES: usize = 10;

fn surface(what: &What) -> Outcome {
    let scenario = what.scenario()?;
    let mut contact = scenario.steady().map_err(|e| what.failed(&e))?;
    let [x, y] = scenario.grid.slips();
    let progress = what.begin("surface", Some(x.len() as u64))?;
    let mut all = Vec::new();
    // Rows enough for every core, and progress to be seen.
    for rows in x.chunks(x.len().div_ceil(SHARES)) {
        let part = contact.surface(&scenario.rolling, rows, &y);
        all.extend(part.map_err(|e| what.failed(&Failure::Refused(e)))?);
        rows.iter().for_each(|_| progress.step());
    }
    drop(progress);
    let names = [
        ("sigma_x", "1"),
        ("sigma_y", "1"),
        ("Fx", "N"),
        ("Fy", "N"),
        ("Mz37b", "N*m"),
        ("Mz38", "N*m"),
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
    let mut summary = described(&scenario);
    let mut text = headline(&scenario);
    let _ = writeln!(
        text,
        "{:12} {:>13} {:>20} {:>13} {:>20}",
        "", "least", "at (sigma_x, sigma_y)", "greatest", "at (sigma_x, sigma_y)"
    );
    for (name, unit) in &names[2..6] {
        let [low, high] = extremes(name);
        let place = |p: [f64; 3]| format!("({:.3}, {:.3})", p[1], p[2]);
        let _ = writeln!(
            text,
            "{:12} {:>13} {:>20} {:>13} {:>20}",
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
    let drawn = figure::surfaces(&scenario, &x, &y, &trace);
    let table = Some(("surface.csv", &trace));
    let report =
        Report { text, summary: &summary, tables: table.into_iter().collect(), figure: &drawn };
    what.work.finish(&what.name("surface"), report)
}

fn transient(what: &What) -> Outcome {
    let scenario = what.scenario()?;
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
        ("Mz37b", "N*m"),
        ("Mz38", "N*m"),
        ("est_error", "1"),
    ];
    let mut trace = Trace::new(names);
    let (progress, end) = (what.begin("transient", Some(PARTS))?, scenario.transient.distance);
    let books = scenario
        .roll(&mut |m| {
            let part = (PARTS as f64 * m.s / end) as u64;
            progress.at(part, || format!("s = {:.3} of {end} m", m.s));
            let (r, w) = (m.rolling, m.wrench);
            trace.push(&[
                m.s, r.sigma_x, r.sigma_y, r.phi1, r.phi2, r.v_r, m.load, w[0], w[1], w[2], w[3],
                m.error,
            ]);
        })
        .map_err(|e| what.failed(&e))?;
    drop(progress);
    let column = |name: &str| trace.column(name).map(|c| c.values.as_slice()).unwrap_or_default();
    let relaxation = |name: &str| {
        let samples: Vec<(f64, f64)> =
            column("s").iter().copied().zip(column(name).iter().copied()).collect();
        transient::relaxation_length(&samples).filter(|_| scenario.signals.is_empty())
    };
    let mut summary = described(&scenario);
    let mut text = headline(&scenario);
    let _ = writeln!(
        text,
        "{:12} {:>13} {:>13} {:>13} {:>18}",
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
            "{:12} {:>13} {:>13} {:>13} {:>18}",
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
    let drawn = figure::transient(&scenario, &trace);
    let table = Some(("trace.csv", &trace));
    let report =
        Report { text, summary: &summary, tables: table.into_iter().collect(), figure: &drawn };
    what.work.finish(&what.name("transient"), report)
}
