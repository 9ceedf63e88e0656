//! The figures of the five papers, run again.
use crate::answer::Answer;
use crate::ask::Ask;
use crate::draw;
use crate::work::{Ticket, Trouble};
use bristle_papers::{Done, Setting, report as page};
use bristle_report::{Drawing, Report};
use serde_json::{Value, json};

/// The experiment that is asked for, run.
fn done(ask: &Ask, ticket: &Ticket) -> Result<Vec<Done>, Trouble> {
    let name = match ask.task.as_str() {
        "" => bristle_papers::experiments().next().map(|e| e.name()).unwrap_or_default(),
        name => name.to_owned(),
    };
    let chosen = bristle_papers::choose(std::slice::from_ref(&name)).map_err(Trouble::Input)?;
    let go_on = |_: &Done| ticket.go_on().is_continue();
    let done =
        bristle_papers::run(&chosen, Setting::USUAL, 1, go_on).ok_or_else(|| ticket.why())?;
    for one in &done {
        if let Err(why) = &one.outcome {
            return Err(Trouble::Run(format!("{}: {why}", one.experiment.name())));
        }
    }
    Ok(done)
}

/// What `bristle papers` reports of it.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let done = done(ask, ticket)?;
    let mut report = Report::bare(page::table(&done), page::json(&done, Setting::USUAL));
    let figures =
        done.into_iter().flat_map(|one| one.outcome.map_or_else(|_| Vec::new(), |f| f.figures));
    report.figures =
        figures.enumerate().map(|(k, f)| (format!("figure-{k}"), Drawing::Figure(f))).collect();
    Ok(report)
}

/// Figures, rows and remarks of an experiment, and the files that it was run from.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let done = done(ask, ticket)?;
    let mut answer = Answer::default();
    let mut figures = Vec::new();
    let mut remarks: Vec<&str> = Vec::new();
    for found in done.iter().filter_map(|one| one.outcome.as_ref().ok()) {
        figures.extend(found.figures.iter().map(|f| draw::figure(&mut answer, f, ask.screen())));
        remarks.extend(&found.remarks);
    }
    let experiments: Vec<Value> = done
        .iter()
        .map(|one| {
            let e = one.experiment;
            json!({ "name": e.name(), "paper": e.paper, "place": e.place, "title": e.title })
        })
        .collect();
    answer.header = json!({
        "figures": figures, "remarks": remarks, "experiments": experiments,
        "text": page::table(&done), "summary": page::json(&done, Setting::USUAL),
    });
    Ok(answer)
}
