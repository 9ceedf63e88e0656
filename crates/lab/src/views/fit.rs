//! Parameters from logs.
use crate::answer::Answer;
use crate::ask::Ask;
use crate::work::{Ticket, Trouble};
use bristle_fit::file::Job;
use bristle_fit::report::{self as told, Outcome};
use bristle_fit::{Standing, Told};
use bristle_report::{Report, in_file};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

fn refused(ask: &Ask, why: &dyn ToString) -> Trouble {
    Trouble::Input(in_file(Path::new(&ask.file), &why.to_string()))
}

/// What came of a fit, and the residuals on the way, in noise levels.
struct Found {
    job: Job,
    outcomes: Vec<Outcome>,
    course: Vec<f64>,
}

/// Fits; says how far it is after every evaluation. What is stopped on the way has no answer.
fn found(ask: &Ask, ticket: &Ticket) -> Result<Found, Trouble> {
    let mut job = Job::read(ask.text()?, &ask.files()).map_err(|e| refused(ask, &e))?;
    if !ask.models.is_empty() {
        job.models = ask.models.clone();
    }
    let mut outcomes = Vec::new();
    let mut course: Vec<f64> = Vec::new();
    for model in job.models.clone() {
        let subject = job.subject(&model).map_err(|e| refused(ask, &e))?;
        let began = Instant::now();
        let mut listener = |now: &Told<'_>| {
            course.push(now.rms);
            ticket.tell(json!({
                "model": model, "stage": now.stage, "evaluations": now.evaluations, "rms": now.rms,
                "left": now.left, "course": course,
                "text": format!(
                    "{model}: {}, residuals of {:.3} noise levels, about {:.0} s left",
                    now.stage, now.rms, now.left
                ),
            }));
            ticket.go_on()
        };
        let fitted = bristle_fit::fit(subject.experiment(), &job.options, &mut listener)
            .map_err(|e| Trouble::Run(format!("{model}: {e}")))?;
        ticket.check()?;
        let seconds = began.elapsed().as_secs_f64();
        outcomes.push(Outcome { model, subject, fitted, seconds });
    }
    told::rank(&mut outcomes);
    if outcomes.is_empty() {
        return Err(Trouble::Run("there is no model to fit".into()));
    }
    Ok(Found { job, outcomes, course })
}

fn reported(job: &Job, outcomes: &[Outcome]) -> Report {
    let best = &outcomes[0];
    let text = told::text(job, outcomes);
    let mut report = Report::new(text, told::summary(job, outcomes), told::figure(job, best));
    report.documents.push(("fit.toml", told::set(job, best)));
    report
}

/// What `bristle fit` reports.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let Found { job, outcomes, .. } = found(ask, ticket)?;
    Ok(reported(&job, &outcomes))
}

/// The same, with what was found of each parameter, and the parameter set.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let Found { job, outcomes, course } = found(ask, ticket)?;
    let report = reported(&job, &outcomes);
    let estimates: Vec<Value> = outcomes
        .iter()
        .map(|o| {
            let all = o.fitted.estimates.iter().map(|e| {
                json!({
                    "name": e.free.name, "unit": e.free.unit, "value": e.value,
                    "interval": e.interval, "determined": e.standing != Standing::Undetermined,
                })
            });
            json!({ "model": o.model, "seconds": o.seconds, "estimates": all.collect::<Vec<_>>() })
        })
        .collect();
    let set = report.documents.first().map(|(_, text)| text.clone());
    let mut answer = Answer::default();
    let mut header = super::header(&mut answer, report, ask);
    header["title"] = json!(job.title);
    header["models"] = json!(job.models);
    header["outcomes"] = json!(estimates);
    header["set"] = json!(set);
    header["course"] = json!(course);
    answer.header = header;
    Ok(answer)
}
