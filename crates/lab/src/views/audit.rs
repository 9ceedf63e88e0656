//! What a model, a system or a line contact does with energy, with the motion that takes some out.
use super::failed;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::work::{Ticket, Trouble};
use bristle_kernel::AnyBristle;
use bristle_report::{Failure, Report, adjust, audit, pressing};
use bristle_scenario::{Setting, Subject};
use serde_json::json;
use std::borrow::Cow;

/// The load of a model that stands alone, N; that of the command line.
const LOAD: f64 = 1.0;

/// The file, or one that has no more than a model.
fn text(ask: &Ask) -> Result<Cow<'_, str>, Trouble> {
    if !ask.file.is_empty() || ask.text.is_some() {
        return ask.text().map(Cow::Borrowed);
    }
    let first = AnyBristle::<f64>::CATALOG[0].name;
    let model = ask.models.first().map_or(first, String::as_str);
    Ok(Cow::Owned(format!("[friction]\nmodel = {model:?}\n")))
}

fn subject(ask: &Ask, settings: &[Setting]) -> Result<Subject, Trouble> {
    let read = Subject::read(&text(ask)?, settings, &ask.files());
    read.map_err(|problems| match ask.file.as_str() {
        "" => Trouble::Input(problems.to_string()),
        _ => ask.refused(&problems),
    })
}

fn load(ask: &Ask) -> Result<f64, Trouble> {
    let load = pressing("--load", ask.load.unwrap_or(LOAD));
    load.map_err(|why| Trouble::Input(why.to_string()))
}

/// What `bristle audit` reports.
fn of(subject: &Subject, ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let report = match subject {
        Subject::Plane(model) => {
            let name = model.info().name;
            let why = format!(
                "`{name}` slides in a plane, which an audit does not look at: take a model along a line"
            );
            Err(Failure::Asked(why))
        }
        Subject::Friction(model) => Ok(audit::model(model, load(ask)?)),
        Subject::Line(scenario) => audit::line(scenario),
        Subject::System(scenario) => audit::system(scenario, &mut |_| ticket.go_on()),
    };
    report.map_err(|why| failed(ask, ticket, why))
}

/// What `bristle audit` reports.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    of(&subject(ask, &ask.settings())?, ask, ticket)
}

/// The same with what can be set, and a scenario that plays the motion that was found.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let subject = subject(ask, &ask.settings())?;
    let report = of(&subject, ask, ticket)?;
    let drive = report.documents.iter().find(|(name, _)| *name == "drive.toml");
    let drive = drive.map(|(_, text)| text.clone());
    let file = self::subject(ask, &ask.names()).ok();
    let file = file.map(|alone| adjust::of_subject(&alone, &[])).unwrap_or_default();
    let mut answer = Answer::default();
    let mut header = super::header(&mut answer, report, ask);
    header["settings"] = json!(adjust::of_subject(&subject, &file));
    header["drive"] = json!(drive);
    header["load"] = json!(match subject {
        Subject::Friction(_) => Some(load(ask)?),
        _ => None,
    });
    answer.header = header;
    Ok(answer)
}
