//! Models beside each other in the standard tests.
use crate::answer::Answer;
use crate::ask::Ask;
use crate::work::{Ticket, Trouble};
use bristle_kernel::AnyBristle;
use bristle_report::compare::{Candidate, Row, TESTS, of_rows};
use bristle_report::{Report, adjust, pressing};
use bristle_scenario::{Setting, Subject};
use serde_json::json;
use std::sync::{Mutex, PoisonError};

/// So many models are compared where none is named.
const FIRST: usize = 5;
/// The load, N; that of the command line.
const LOAD: f64 = 1.0;

/// What was found before: a model with its parameters, and its row.
static KNOWN: Mutex<Vec<(String, Row)>> = Mutex::new(Vec::new());
/// So many rows are kept.
const KEPT: usize = 200;

fn names(ask: &Ask) -> Vec<String> {
    if ask.models.is_empty() {
        let first = AnyBristle::<f64>::CATALOG.iter().take(FIRST);
        return first.map(|info| info.name.to_owned()).collect();
    }
    ask.models.clone()
}

fn subject(model: &str, settings: &[Setting]) -> Result<Subject, Trouble> {
    let text = format!("[friction]\nmodel = {model:?}\n");
    let refused = |problems: &dyn ToString| Trouble::Input(problems.to_string());
    Subject::read(&text, settings, std::path::Path::new("")).map_err(|p| refused(&p))
}

/// The row of a model, from the tests or from memory.
fn row(candidate: &Candidate, load: f64) -> Option<Row> {
    let key = format!("{load} {candidate:?}");
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, row)) = known.iter().find(|(own, _)| *own == key) {
        return Some(row.clone());
    }
    drop(known);
    let row =
        bristle_analysis::compare::compare(std::slice::from_ref(candidate), load, &|| ()).pop()?;
    known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= KEPT {
        known.remove(0);
    }
    known.push((key, row.clone()));
    Some(row)
}

/// What `bristle compare` reports. A value that a model does not take leaves it out, as long as another one takes it.
pub fn report(ask: &Ask, ticket: &Ticket) -> Result<Report, Trouble> {
    let load = pressing("--load", ask.load.unwrap_or(LOAD));
    let load = load.map_err(|why| Trouble::Input(why.to_string()))?;
    let (names, settings) = (names(ask), ask.settings());
    let (mut rows, mut left_out, mut why) = (Vec::new(), Vec::new(), None);
    for (k, name) in names.iter().enumerate() {
        ticket.check()?;
        ticket.tell(json!({ "part": k as f64 / names.len() as f64, "text": name }));
        let model = match subject(name, &settings) {
            Ok(subject) => subject.friction().cloned(),
            Err(trouble) => {
                let info = AnyBristle::<f64>::CATALOG.iter().find(|info| info.name == *name);
                left_out.extend(info.map(|info| info.name));
                why = Some(trouble);
                continue;
            }
        };
        let Some(model) = model else {
            return Err(Trouble::Input(format!(
                "`{name}` slides in a plane, which a comparison does not look at: take a model along a line"
            )));
        };
        rows.extend(row(&Candidate { name: name.clone(), model }, load));
    }
    match why {
        Some(trouble) if rows.is_empty() => Err(trouble),
        _ => Ok(of_rows(&rows, load, &left_out)),
    }
}

/// The same with what can be set of the first model.
pub fn answer(ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    let report = report(ask, ticket)?;
    let names = names(ask);
    let first = subject(&names[0], &ask.settings()).or_else(|_| subject(&names[0], &[]))?;
    let file = adjust::of_subject(&subject(&names[0], &[])?, &[]);
    let settings = adjust::of_subject(&first, &file);
    let mut answer = Answer::default();
    let mut header = super::header(&mut answer, report, ask);
    // The model is chosen from the list, for each row.
    let own: Vec<_> = settings.iter().filter(|s| s.key != "friction.model").collect();
    header["settings"] = json!(own);
    header["models"] = json!(names);
    header["tests"] = json!(TESTS);
    answer.header = header;
    Ok(answer)
}
