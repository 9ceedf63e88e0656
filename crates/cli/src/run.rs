//! `bristle run`: a scenario file becomes a trace, a summary and a figure.
use crate::work::{Progress, Report, Work};
use crate::{Outcome, Trouble};
use bristle_kernel::{Field, Group, Params};
use bristle_scenario::table::Problems;
use bristle_scenario::{
    Agreed, Cost, Method, NoSetting, OnImbalance, Scenario, Setting, Stopped, simulate,
};
use bristle_simulation as simulation;
use bristle_system::Account;
use bristle_system::condition::COARSER;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The scenario file
    file: PathBuf,
    /// Put a value over the file's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write the results, marked, even where the energy does not balance
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    work: Work,
}

/// Runs the scenario and writes its results.
pub fn run(args: &Args) -> Outcome {
    let refused = |problems: &Problems| Trouble::Input(in_file(&args.file, &problems.to_string()));
    let scenario =
        Scenario::read(&text_of(&args.file)?, &settings(&args.set)?).map_err(|p| refused(&p))?;
    crate::note_left_out(&scenario, args.work.quiet);
    let stem = args.file.file_stem().map_or_else(|| "run".into(), |s| s.to_string_lossy());
    let progress = args.work.begin(&stem, Some(PARTS))?;
    let began = Instant::now();
    let on_imbalance = if args.force { OnImbalance::Mark } else { OnImbalance::Stop };
    let outcome = simulate(&scenario, on_imbalance, &mut watch(&progress, scenario.run.end));
    let outcome = outcome.map_err(|stopped| match stopped {
        Stopped::Input(problems) => refused(&problems),
        Stopped::Run(stopped) => Trouble::Run(told(&stopped)),
    })?;
    let text = report(&scenario, &outcome, began.elapsed());
    let figure = crate::figure::of_run(&scenario, &outcome.trace);
    let table = Some(("trace.csv", &outcome.trace));
    let summary = &summary(&scenario, &outcome);
    args.work.finish(
        &stem,
        Report { text, summary, tables: table.into_iter().collect(), figure: &figure },
    )
}

/// Why a run stopped, and which key or option helps.
fn told(stopped: &simulation::Stopped) -> String {
    match stopped {
        simulation::Stopped::Imbalance(imbalance) => format!(
            "{imbalance}; lower run.tolerance, or keep the results, marked as wrong, with --force"
        ),
        simulation::Stopped::TooManyRows { until, .. } => {
            format!("{stopped}: --set run.spacing={:e}", simulation::suggested(*until))
        }
        other => other.to_string(),
    }
}

/// A scenario is no longer than this, bytes.
const LONGEST: u64 = 16 << 20;

/// What is in a scenario file.
pub fn text_of(file: &Path) -> Result<String, Trouble> {
    text_up_to(file, LONGEST, "scenarios/ has examples")
}

/// What is in a file, which may have so many bytes; `hint` is for who named one that cannot be read.
pub fn text_up_to(file: &Path, most: u64, hint: &str) -> Result<String, Trouble> {
    let name = file.display();
    let cannot = |why: String| Trouble::Input(format!("cannot read {name}: {why}"));
    let unread = |e: std::io::Error| cannot(format!("{e}; {hint}"));
    let mut text = String::new();
    // What has no end, such as a device, is not read for ever.
    let mut limited = std::fs::File::open(file).map_err(unread)?.take(most + 1);
    limited.read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 > most {
        return Err(cannot(format!("it has more than {} MB; is it the right file?", most >> 20)));
    }
    Ok(text)
}

/// Keys and values of `--set key=value`.
pub fn settings(set: &[String]) -> Result<Vec<Setting>, Trouble> {
    let read =
        |text: &String| text.parse().map_err(|e: NoSetting| Trouble::Input(format!("--set {e}")));
    set.iter().map(read).collect()
}

/// Every line of `problems` under the file's name.
pub fn in_file(file: &Path, problems: &str) -> String {
    let mut text = format!("{} cannot be run:", file.display());
    for line in problems.lines() {
        let _ = write!(text, "\n  {line}");
    }
    text
}

/// Parts of a run that its progress is counted in.
pub const PARTS: u64 = 1000;

/// Tells how far a run is.
pub fn watch(progress: &Progress, end: f64) -> impl FnMut(f64) -> ControlFlow<()> {
    move |t| {
        let part = (PARTS as f64 * t / end) as u64;
        progress.at(part, || format!("t = {t:.3} of {end} s"));
        ControlFlow::Continue(())
    }
}

/// Every parameter with its value.
pub fn parameters(of: &(impl Params<f64> + Clone)) -> Value {
    let mut all = Map::new();
    of.clone().visit(Group::default(), &mut |visit| {
        let value = match visit.field {
            Field::Number(x) => json!(*x),
            Field::List(list) => json!(list.as_slice()),
            Field::Choice(choice) => json!(choice.get()),
        };
        all.insert(format!("{}{}", visit.group, visit.param.name), value);
    });
    Value::Object(all)
}

fn summary(scenario: &Scenario, outcome: &simulation::Run) -> Value {
    let element =
        |name: &str, parameters: Value| json!({ "model": name, "parameters": parameters });
    let last = outcome.trace.rows().saturating_sub(1);
    let mut columns = Map::new();
    for (column, extreme) in outcome.trace.columns().iter().zip(&outcome.extremes).skip(1) {
        let row = json!({
            "unit": column.unit, "end": column.values[last],
            "min": extreme.min, "t_min": extreme.t_min,
            "max": extreme.max, "t_max": extreme.t_max,
        });
        columns.insert(column.name.clone(), row);
    }
    let ledger: Vec<Value> =
        outcome.ledger.iter().map(|(name, account)| books(name, account)).collect();
    let mut all = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "system": element(scenario.mechanism.info().name, parameters(&scenario.mechanism)),
        "friction": element(scenario.friction.info().name, parameters(&scenario.friction)),
        "run": parameters(&scenario.run),
        "solver": cost(&outcome.statistics),
        "ledger": ledger,
        "columns": columns,
        "rows": outcome.trace.rows(),
        "balanced": outcome.imbalance.is_none(),
    });
    if let Some(imbalance) = &outcome.imbalance {
        all["imbalance"] = json!(imbalance.to_string());
    }
    if let Some(Agreed { column, by }) = &outcome.agreement {
        all["agreement"] = json!({
            "with_tolerance": COARSER * by.tolerance, "column": column, "t": by.t,
            "part_of_range": by.part, "ill_conditioned": by.is_ill_conditioned(),
        });
    }
    if !scenario.left_out.is_empty() {
        all["left_out"] = json!(scenario.left_out);
    }
    if !outcome.shared.is_empty() {
        all["force_not_unique"] = json!(outcome.shared);
    }
    if let Some(observer) = &scenario.observer {
        all["observer"] = element(observer.info().name, parameters(observer));
    }
    all
}

fn books(contact: &str, account: &Account) -> Value {
    json!({
        "contact": contact,
        "work_J": account.work,
        "load_J": account.load,
        "stored_J": account.stored,
        "dissipated_J": account.dissipated,
        "slip_J": account.slip,
        "residual_J": account.residual(),
        "returned_J": account.returned,
        "least_power_W": account.least,
        "least_power_at_s": account.least_at,
        "creates_energy": account.creates_energy(),
    })
}

fn cost(cost: &Cost) -> Value {
    match cost {
        Cost::Adaptive(s) => json!({
            "accepted": s.accepted, "rejected": s.rejected, "diverged": s.diverged,
            "evaluations": s.rhs, "jacobians": s.jacobians,
            "factorisations": s.factorisations, "events": s.events,
        }),
        Cost::Fixed { steps, iterations, halvings } => {
            json!({ "steps": steps, "iterations": iterations, "halvings": halvings })
        }
    }
}

/// Seven digits, as engineers read them.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&size) {
        let digits = (6 - size.log10().floor() as i32).clamp(0, 9) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.5e}")
    }
}

fn report(scenario: &Scenario, outcome: &simulation::Run, elapsed: Duration) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |s: std::fmt::Arguments<'_>| writeln!(text, "{s}").unwrap_or_default();
    if !scenario.title.is_empty() {
        line(format_args!("{}", scenario.title));
    }
    let how = match scenario.run.method {
        Method::Radau => format!("Radau IIA(5, 9), tolerance {:e}", scenario.run.tolerance),
        Method::DormandPrince => {
            format!("Dormand-Prince 5(4), tolerance {:e}", scenario.run.tolerance)
        }
        Method::Fixed => format!("fixed steps of {} s", scenario.run.step),
    };
    let (system, friction) = (scenario.mechanism.info().name, scenario.friction.info().name);
    line(format_args!("{system} with {friction}, {} s, {how}\n", scenario.run.end));
    let columns = outcome.trace.columns();
    let titled: Vec<String> = columns.iter().map(|c| format!("{} [{}]", c.name, c.unit)).collect();
    let width = titled.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    line(format_args!(
        "{:width$} {:>13} {:>13} {:>10} {:>13} {:>10}",
        "", "at the end", "least", "at t [s]", "greatest", "at t [s]"
    ));
    for ((column, title), extreme) in columns.iter().zip(&titled).zip(&outcome.extremes).skip(1) {
        let pad = width - title.chars().count();
        line(format_args!(
            "{title}{:pad$} {:>13} {:>13} {:>10.4} {:>13} {:>10.4}",
            "",
            short(column.values.last().copied().unwrap_or(f64::NAN)),
            short(extreme.min),
            extreme.t_min,
            short(extreme.max),
            extreme.t_max,
        ));
    }
    line(format_args!(
        "\n{:12} {:>13} {:>13} {:>13} {:>13} {:>13} {:>10}",
        "energy [J]", "work in", "by load", "stored", "dissipated", "of it slip", "residual"
    ));
    for (name, account) in &outcome.ledger {
        let name = if name.is_empty() { "contact" } else { name };
        line(format_args!(
            "{name:12} {:>13} {:>13} {:>13} {:>13} {:>13} {:>10.1e}",
            short(account.work),
            short(account.load),
            short(account.stored),
            short(account.dissipated),
            short(account.slip),
            account.residual(),
        ));
    }
    for (name, account) in outcome.ledger.iter().filter(|(_, a)| a.creates_energy()) {
        let name = if name.is_empty() { "the contact" } else { name };
        line(format_args!(
            "negative dissipation: {name} gave back {:.2e} J; its power was least at t = {:.4} s: \
             {:.2e} W",
            -account.returned, account.least_at, account.least,
        ));
    }
    if !outcome.shared.is_empty() {
        let names = outcome.shared.join(", ");
        line(format_args!(
            "not unique: {names} held together; each is given a part of the force in proportion to what it can hold"
        ));
    }
    if let Some(Agreed { column, by }) = &outcome.agreement {
        let verdict = if by.is_ill_conditioned() { "ill conditioned: " } else { "" };
        line(format_args!(
            "{verdict}at tolerance {:e} the run differs by {:.1e} of the range of {column} at most, at t = {:.4} s",
            COARSER * by.tolerance,
            by.part,
            by.t,
        ));
    }
    if let Some(imbalance) = &outcome.imbalance {
        line(format_args!("WRONG: {imbalance}; written because of --force"));
    }
    match &outcome.statistics {
        Cost::Adaptive(s) => line(format_args!(
            "\n{} steps ({} rejected), {} evaluations, {} Jacobians, {} events, {:.1} ms",
            s.accepted,
            s.rejected + s.diverged,
            s.rhs,
            s.jacobians,
            s.events,
            1e3 * elapsed.as_secs_f64(),
        )),
        Cost::Fixed { steps, iterations, halvings } => line(format_args!(
            "\n{steps} steps, {:.2} Newton iterations each, {halvings} halved, {:.1} ms",
            *iterations as f64 / (*steps).max(1) as f64,
            1e3 * elapsed.as_secs_f64(),
        )),
    }
    text
}
