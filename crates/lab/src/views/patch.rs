//! Rolling contact: a patch in steady rolling, over its slips, on its way; a line.
use super::failed;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::draw;
use crate::shipped::Kind;
use crate::work::{Ticket, Trouble};
use bristle_figure::Figure;
use bristle_report::{Report, adjust, patch};
use bristle_scenario::patch::Scenario;
use bristle_scenario::{Setting, Subject};
use serde_json::json;
use std::borrow::Cow;

/// What can be done with a patch.
const TASKS: [&str; 6] = ["steady", "rule", "curves", "surface", "transient", "film"];
/// So many pictures a film has.
const PICTURES: usize = 25;
/// The grid of a surface has no more points, and a transient no more steps: for more there is the command line.
const POINTS: usize = 40_000;
const STEPS: f64 = 4000.0;

/// The file, or nothing but 004 Table 1.
fn text(ask: &Ask) -> Result<Cow<'_, str>, Trouble> {
    match ask.file.is_empty() && ask.text.is_none() {
        true => Ok(Cow::Borrowed("")),
        false => ask.text().map(Cow::Borrowed),
    }
}

fn scenario(ask: &Ask, settings: &[Setting]) -> Result<Scenario, Trouble> {
    Scenario::read(&text(ask)?, settings).map_err(|problems| match ask.file.as_str() {
        "" => Trouble::Input(problems.to_string()),
        _ => ask.refused(&problems),
    })
}

fn too_much(what: &str, count: f64, most: f64) -> Trouble {
    Trouble::Input(format!(
        "{count} {what} are more than the lab computes at once: at most {most}, or `bristle patch` for more"
    ))
}

fn of(scenario: &Scenario, ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let task = if ask.task.is_empty() { TASKS[0] } else { ask.task.as_str() };
    let report = match task {
        "steady" => patch::steady(scenario, false),
        "rule" => patch::steady(scenario, true),
        "curves" => patch::curves(scenario),
        "surface" => {
            let [x, y] = scenario.grid.slips();
            let points = x.len() * y.len();
            if points > POINTS {
                return Err(too_much("points", points as f64, POINTS as f64));
            }
            let mut count = 0;
            patch::surface(scenario, &mut || {
                count += 1;
                let part = f64::from(count) / x.len() as f64;
                ticket
                    .tell(json!({ "part": part, "text": format!("{count} of {} rows", x.len()) }));
                ticket.go_on()
            })
        }
        "transient" | "film" => {
            let steps = (scenario.transient.distance / scenario.transient.step).round();
            if steps > STEPS {
                return Err(too_much("steps", steps, STEPS));
            }
            patch::transient(scenario, &mut |_| ())
        }
        other => {
            let why = format!("there is no task {other:?}; there are {}", TASKS.join(", "));
            return Err(Trouble::Input(why));
        }
    };
    report.map_err(|why| failed(ask, ticket, why))
}

/// What `bristle patch` or `bristle line` reports.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    if Kind::of(&text(ask)?) == Kind::Line {
        return line(ask, &ask.settings(), ticket).map(|(_, report)| report);
    }
    of(&scenario(ask, &ask.settings())?, ask, ticket)
}

fn line(ask: &Ask, settings: &[Setting], ticket: &Ticket) -> Result<(Subject, Report), Trouble> {
    let read = bristle_scenario::line::Scenario::read(&text(ask)?, settings, &ask.files());
    let scenario = read.map_err(|problems| ask.refused(&problems))?;
    let report = bristle_report::line::line(&scenario).map_err(|why| failed(ask, ticket, why))?;
    Ok((Subject::Line(scenario), report))
}

/// The same with what can be set, and the pictures of a film.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let mut answer = Answer::default();
    if Kind::of(&text(ask)?) == Kind::Line {
        let (subject, report) = line(ask, &ask.settings(), ticket)?;
        let mut header = super::header(&mut answer, report, ask);
        let file = adjust::of_subject(&subject, &[]);
        header["settings"] = json!(adjust::of_subject(&subject, &file));
        header["tasks"] = json!([]);
        answer.header = header;
        return Ok(answer);
    }
    let scenario = scenario(ask, &ask.settings())?;
    let report = of(&scenario, ask, ticket)?;
    let mut header = super::header(&mut answer, report, ask);
    if ask.task == "film" {
        let film = patch::film(&scenario, PICTURES, &mut |k| {
            let (part, s) = ((k + 1) as f64 / PICTURES as f64, scenario.transient.distance);
            ticket.tell(json!({ "part": part, "text": format!("{:.3} of {s} m", part * s) }));
            ticket.go_on()
        });
        let film = film.map_err(|why| failed(ask, ticket, why))?;
        let pictures: Vec<_> = film
            .into_iter()
            .map(|(s, panel)| {
                let figure = Figure::grid(1, [panel]);
                json!({ "s": s, "figure": draw::figure(&mut answer, &figure, ask.screen()) })
            })
            .collect();
        header["film"] = json!(pictures);
    }
    let alone = self::scenario(ask, &ask.names()).ok();
    let file = alone.map(|alone| adjust::of_patch(&alone, &[])).unwrap_or_default();
    header["settings"] = json!(adjust::of_patch(&scenario, &file));
    header["tasks"] = json!(TASKS);
    answer.header = header;
    Ok(answer)
}
