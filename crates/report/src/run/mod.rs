//! Runs of scenarios and machines: what a run gave, and several beside each other.
pub mod explore;
mod figure;
mod plant;
mod several;

pub use figure::layout;
pub use plant::Plant;

use crate::{Drawing, Report, parameters, short};
use bristle_scenario::machine::Measured;
use bristle_scenario::{Agreed, Cost, Halved, Method};
use bristle_simulation as simulation;
use bristle_simulation::Energy;
use bristle_system::condition::COARSER;
use bristle_system::{Account, FlowKind};
use serde_json::{Map, Value, json};
use several::Several;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// One run of several.
pub struct Job {
    /// The file that it comes from.
    pub file: PathBuf,
    /// What sets it apart from the others; empty where it is alone.
    pub label: String,
    /// What is run.
    pub plant: Plant,
}

impl Job {
    /// Why its run stopped, and which key or option helps.
    pub fn stopped(&self, why: &simulation::Stopped) -> String {
        let told = match why {
            simulation::Stopped::Imbalance(imbalance) => format!(
                "{imbalance}; lower run.tolerance, or keep the results, marked as wrong, with --force"
            ),
            simulation::Stopped::TooManyRows { until, .. } => {
                format!("{why}: --set run.spacing={:e}", simulation::suggested(*until))
            }
            other => other.to_string(),
        };
        if self.label.is_empty() { told } else { format!("{}: {told}", self.label) }
    }
}

/// What a run gave, and how long it took.
pub fn run(plant: &Plant, mut outcome: simulation::Run, elapsed: Duration) -> Report {
    let text = told(plant, &outcome, elapsed);
    let figure = figure::of_run(plant, &outcome.trace);
    let summary = summary(plant, &outcome);
    let trace = std::mem::take(&mut outcome.trace);
    let mut report = Report::new(text, summary, figure).table("trace.csv", trace);
    if let Some(machine) = plant.machine() {
        let layout = Drawing::Diagram(figure::layout(plant.title(), machine));
        report.figures.push(("layout".into(), layout));
    }
    report
}

/// What one run or several gave: beside each other in one table and one figure.
pub fn runs(jobs: &[Job], mut outcomes: Vec<simulation::Run>, elapsed: Duration) -> Report {
    if let [job] = jobs
        && let Some(outcome) = outcomes.pop()
    {
        return run(&job.plant, outcome, elapsed);
    }
    let several = Several { jobs, outcomes: &outcomes };
    let report = Report::new(several.text(elapsed), several.summary(), several.figure());
    report.table("trace.csv", several.table())
}

/// What a run gave, for programs.
fn summary(plant: &Plant, outcome: &simulation::Run) -> Value {
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
    let mut all = json!({ "bristle": env!("CARGO_PKG_VERSION"), "title": plant.title() });
    let rest = json!({
        "run": parameters(plant.how()),
        "solver": cost(&outcome.statistics),
        "ledger": ledger,
        "columns": columns,
        "rows": outcome.trace.rows(),
        "balanced": outcome.imbalance.is_none(),
    });
    for part in [plant.description(), rest] {
        if let (Value::Object(all), Value::Object(part)) = (&mut all, part) {
            all.extend(part);
        }
    }
    if let Some(Energy { parts, friction, residual }) = &outcome.balance {
        let parts: Vec<Value> = parts
            .iter()
            .map(|(flow, total)| json!({ "part": flow.name, "kind": kind(flow.kind), "J": total }))
            .collect();
        all["energy"] = json!({ "parts": parts, "friction_J": friction, "residual_J": residual });
    }
    if let Some(imbalance) = &outcome.imbalance {
        all["imbalance"] = json!(imbalance.to_string());
    }
    if let Some(Agreed { column, by }) = &outcome.agreement {
        all["agreement"] = json!({
            "with_tolerance": COARSER * by.tolerance, "column": column, "t": by.t,
            "part_of_range": by.part, "ill_conditioned": by.is_ill_conditioned(),
        });
    }
    if let Some(Halved { by: Agreed { column, by }, would_do }) = &outcome.halved {
        all["half_step"] = json!({
            "column": column, "t": by.t, "part_of_range": by.part, "step_that_would_do": would_do,
        });
    }
    if !plant.left_out().is_empty() {
        all["left_out"] = json!(plant.left_out());
    }
    let measured: Vec<Value> = compared(plant)
        .filter_map(|(measured, beside)| {
            let by = measured.deviation(&outcome.trace)?;
            Some(json!({
                "measured": measured.name, "column": beside, "unit": measured.unit,
                "samples": by.samples, "rms": by.rms, "greatest": by.greatest, "t": by.at,
            }))
        })
        .collect();
    if !measured.is_empty() {
        all["measured"] = json!(measured);
    }
    if !outcome.shared.is_empty() {
        all["force_not_unique"] = json!(outcome.shared);
    }
    all
}

/// What was measured and is compared with a column, and that column.
fn compared(plant: &Plant) -> impl Iterator<Item = (&Measured, &str)> {
    plant.measured().iter().filter_map(|own| Some((own, own.beside.as_deref()?)))
}

/// What a part does with energy, in a word.
fn kind(kind: FlowKind) -> &'static str {
    match kind {
        FlowKind::Work => "work in",
        FlowKind::Loss => "lost",
        FlowKind::Stored => "stored",
    }
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

/// Where the energy of a machine went. Parts of one kind are summed up where there are many.
fn energy_of(energy: &Energy) -> String {
    /// So many parts are shown one by one.
    const SHOWN: usize = 16;
    let mut rows: Vec<(String, &str, f64)> = match energy.parts.len() <= SHOWN {
        true => energy
            .parts
            .iter()
            .map(|(f, total)| (f.name.to_owned(), kind(f.kind), *total))
            .collect(),
        false => [FlowKind::Work, FlowKind::Loss, FlowKind::Stored]
            .into_iter()
            .map(|of| {
                let own = energy.parts.iter().filter(|(f, _)| f.kind == of);
                let (count, total) =
                    own.fold((0, 0.0), |(n, sum), (_, total)| (n + 1, sum + total));
                (format!("{count} parts"), kind(of), total)
            })
            .collect(),
    };
    rows.push(("contacts".into(), "friction", energy.friction));
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(11);
    let mut text = format!("{:width$} {:>10} {:>13}", "machine [J]", "", "");
    for (name, kind, total) in rows {
        let _ = write!(text, "\n{name:width$} {kind:>10} {:>13}", short(total));
    }
    let _ = write!(text, "\n{:width$} {:>10} {:>13.1e}", "residual", "", energy.residual);
    text
}

fn told(plant: &Plant, outcome: &simulation::Run, elapsed: Duration) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |s: std::fmt::Arguments<'_>| writeln!(text, "{s}").unwrap_or_default();
    if !plant.title().is_empty() {
        line(format_args!("{}", plant.title()));
    }
    let run = plant.how();
    let how = match run.method {
        Method::Radau => format!("Radau IIA(5, 9), tolerance {:e}", run.tolerance),
        Method::DormandPrince => format!("Dormand-Prince 5(4), tolerance {:e}", run.tolerance),
        Method::Fixed => format!("fixed steps of {} s", run.step),
    };
    line(format_args!("{}, {} s, {how}\n", plant.heading(), run.end));
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
    if let Some(energy) = &outcome.balance {
        line(format_args!("\n{}", energy_of(energy)));
    }
    for (name, account) in outcome.ledger.iter().filter(|(_, a)| a.creates_energy()) {
        let name = if name.is_empty() { "the contact" } else { name };
        line(format_args!(
            "negative dissipation: {name} gave back {:.2e} J; its power was least at t = {:.4} s: \
             {:.2e} W",
            -account.returned, account.least_at, account.least,
        ));
    }
    for (measured, beside) in compared(plant) {
        if let Some(by) = measured.deviation(&outcome.trace) {
            line(format_args!(
                "{beside} differs from {} by {} {} (root mean square of {} samples), by {} at most, at t = {:.4} s",
                measured.name,
                short(by.rms),
                measured.unit,
                by.samples,
                short(by.greatest),
                by.at,
            ));
        }
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
    if let Some(Halved { by: Agreed { column, by }, would_do }) = &outcome.halved {
        let differs = format!(
            "with half the step the run differs by {:.1e} of the range of {column} at most, at t = {:.4} s",
            by.part, by.t,
        );
        match would_do {
            None => line(format_args!("{differs}")),
            Some(step) => line(format_args!(
                "TOO LONG A STEP: {differs}; the result means nothing. Try run.step = {step:.1e} s"
            )),
        }
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
