//! Runs: one, or several over each other.
use crate::answer::Answer;
use crate::ask::Ask;
use crate::draw;
use crate::work::{Ticket, Trouble};
use bristle_report::run::explore::{events, explore};
use bristle_report::run::{Job, Plant};
use bristle_report::{Report, adjust};
use bristle_scenario::{OnImbalance, Setting, Stopped};
use bristle_simulation::{self as simulation, Run};
use serde_json::{Value, json};
use std::time::Instant;

/// So many runs are told apart in one panel.
const MOST: usize = 8;
/// So many events are marked.
const EVENTS: usize = 500;

/// The runs that are asked for.
fn jobs(ask: &Ask) -> Result<Vec<Job>, Trouble> {
    let (text, files, fixed) = (ask.text()?, ask.files(), ask.settings());
    let plant = |settings: &[Setting]| {
        Plant::read(text, settings, &files).map_err(|problems| ask.refused(&problems))
    };
    let job = |label: String, plant: Plant| Job { file: (&ask.file).into(), label, plant };
    let Some((key, values)) = ask.vary.as_ref().filter(|(_, values)| !values.is_empty()) else {
        return Ok(vec![job(String::new(), plant(&fixed)?)]);
    };
    if values.len() > MOST {
        let count = values.len();
        return Err(Trouble::Input(format!(
            "{count} runs are more than can be told apart: give at most {MOST}"
        )));
    }
    let short = key.rsplit('.').next().unwrap_or(key);
    let mut jobs = Vec::new();
    for value in values {
        let own = Setting::typed(key.trim(), value.trim());
        let label = match own.value.as_str() {
            Some(text) => text.to_owned(),
            None => format!("{short} = {}", own.value),
        };
        let with: Vec<Setting> = fixed.iter().cloned().chain([own]).collect();
        jobs.push(job(label, plant(&with)?));
    }
    Ok(jobs)
}

/// Runs them one after the other.
fn outcomes(ask: &Ask, jobs: &[Job], ticket: &Ticket) -> Result<Vec<Run>, Trouble> {
    let run = |job: &Job| {
        let end = job.plant.how().end;
        let mut go_on = |t: f64| {
            ticket.tell(json!({ "part": t / end, "text": format!("t = {t:.3} of {end} s") }));
            ticket.go_on()
        };
        let run = job.plant.simulate_with_events(OnImbalance::Stop, &mut go_on);
        run.map_err(|stopped| match stopped {
            Stopped::Run(simulation::Stopped::Interrupted(_)) => ticket.why(),
            Stopped::Input(problems) => ask.refused(&problems),
            Stopped::Run(stopped) => Trouble::Run(job.stopped(&stopped)),
        })
    };
    jobs.iter().map(run).collect()
}

/// What `bristle run` reports.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let (began, jobs) = (Instant::now(), jobs(ask)?);
    let outcomes = outcomes(ask, &jobs, ticket)?;
    Ok(bristle_report::run::runs(&jobs, outcomes, began.elapsed()))
}

/// Panels, events, what can be set, and what `bristle run` reports.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let (began, jobs) = (Instant::now(), jobs(ask)?);
    let outcomes = outcomes(ask, &jobs, ticket)?;
    let elapsed = began.elapsed();
    let (mut answer, screen) = (Answer::default(), ask.screen());
    let panels: Vec<Value> = explore(&jobs, &outcomes)
        .iter()
        .map(|panel| draw::explored(&mut answer, panel, screen))
        .collect();
    let happened = events(&jobs, &outcomes);
    let shown: Vec<Value> = happened
        .iter()
        .take(EVENTS)
        .map(|event| json!({ "run": event.run, "t": event.t, "what": event.what }))
        .collect();
    let first = &jobs[0].plant;
    let columns: Vec<Value> = outcomes[0].trace.columns()[1..]
        .iter()
        .map(|column| json!({ "name": column.name, "unit": column.unit }))
        .collect();
    let layout =
        first.machine().map(|machine| bristle_report::run::layout(first.title(), machine).svg());
    let mut header = json!({
        "title": first.title(),
        "runs": jobs.iter().map(|job| &job.label).collect::<Vec<_>>(),
        "end": first.how().end,
        "panels": panels,
        "events": shown,
        "events_in_all": happened.len(),
        "left_out": first.left_out(),
        "columns": columns,
        "layout": layout,
        "settings": settings(ask, first),
        "seconds": elapsed.as_secs_f64(),
    });
    let report = bristle_report::run::runs(&jobs, outcomes, elapsed);
    header["text"] = json!(report.text);
    header["summary"] = report.summary;
    answer.header = header;
    Ok(answer)
}

/// What can be set, with sliders around what the file says.
fn settings(ask: &Ask, plant: &Plant) -> Vec<adjust::Adjustable> {
    let alone = ask.text().ok().and_then(|text| Plant::read(text, &ask.names(), &ask.files()).ok());
    let file = alone.map(|plant| adjust::of_run(&plant, &[])).unwrap_or_default();
    adjust::of_run(plant, &file)
}
