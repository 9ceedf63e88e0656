//! What each view of the page asks the library, and how it is answered.
pub mod audit;
pub mod compare;
pub mod fit;
pub mod papers;
pub mod patch;
pub mod run;

use crate::answer::Answer;
use crate::ask::Ask;
use crate::draw;
use crate::work::{Ticket, Trouble};
use bristle_report::{Drawing, Failure, Report, in_file};
use serde_json::{Value, json};
use std::path::Path;

/// A file that is handed out.
#[derive(Debug)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// What kind of file it is.
    pub mime: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The file with what was put over it.
    Toml,
    /// All numbers.
    Csv,
    /// The figure, to be scaled.
    Svg,
    /// The figure, in pixels.
    Png,
}

impl Format {
    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "toml" => Some(Format::Toml),
            "csv" => Some(Format::Csv),
            "svg" => Some(Format::Svg),
            "png" => Some(Format::Png),
            _ => None,
        }
    }

    fn ending(self) -> (&'static str, &'static str) {
        match self {
            Format::Toml => ("toml", "application/toml"),
            Format::Csv => ("csv", "text/csv"),
            Format::Svg => ("svg", "image/svg+xml"),
            Format::Png => ("png", "image/png"),
        }
    }
}

/// A view by its name: what answers it, and what of it is exported.
struct View {
    name: &'static str,
    answer: fn(&Ask, &Ticket) -> Result<Answer, Trouble>,
    report: fn(&Ask, &Ticket) -> Result<Report, Trouble>,
}

const VIEWS: [View; 6] = [
    View { name: "run", answer: run::answer, report: run::report },
    View { name: "compare", answer: compare::answer, report: compare::report },
    View { name: "audit", answer: audit::answer, report: audit::report },
    View { name: "patch", answer: patch::answer, report: patch::report },
    View { name: "fit", answer: fit::answer, report: fit::report },
    View { name: "papers", answer: papers::answer, report: papers::report },
];

/// The names of the views.
pub fn names() -> impl Iterator<Item = &'static str> {
    VIEWS.iter().map(|view| view.name)
}

fn named(name: &str) -> Result<&'static View, Trouble> {
    VIEWS.iter().find(|view| view.name == name).ok_or_else(|| {
        let names = VIEWS.map(|view| view.name).join(", ");
        Trouble::Input(format!("there is no view {name:?}; there are {names}"))
    })
}

/// Answers a view.
pub fn answer(view: &str, ask: &Ask, ticket: &Ticket) -> Result<Answer, Trouble> {
    (named(view)?.answer)(ask, ticket)
}

/// Writes what a view shows as a file.
pub fn export(view: &str, format: Format, ask: &Ask, ticket: &Ticket) -> Result<Export, Trouble> {
    let (view, (ending, mime)) = (named(view)?, format.ending());
    let bytes = match format {
        Format::Toml => written(ask)?.into_bytes(),
        _ => of_report((view.report)(ask, ticket)?, format)?,
    };
    let stem = Path::new(&ask.file).file_stem().map(|s| s.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_else(|| view.name.to_owned());
    Ok(Export { name: format!("{stem}.{ending}"), mime, bytes })
}

/// The file of a request, with what was put over it.
fn written(ask: &Ask) -> Result<String, Trouble> {
    let table = bristle_scenario::table::set_over(ask.text()?, &ask.settings());
    Ok(table.map_err(|problems| ask.refused(&problems))?.to_string())
}

/// One of the files of a report.
fn of_report(report: Report, format: Format) -> Result<Vec<u8>, Trouble> {
    let failed = |why: String| Trouble::Run(why);
    let nothing = || Trouble::Run("there is nothing of that kind to export here".into());
    if format == Format::Csv {
        let (_, table) = report.tables.first().ok_or_else(nothing)?;
        let mut bytes = Vec::new();
        bristle_trace::write_csv(table, &mut bytes).map_err(|e| failed(e.to_string()))?;
        return Ok(bytes);
    }
    let (_, drawing) = report.figures.first().ok_or_else(nothing)?;
    picture(drawing, format)
}

fn picture(drawing: &Drawing, format: Format) -> Result<Vec<u8>, Trouble> {
    match format {
        Format::Png => drawing.png(2.0).map_err(|e| Trouble::Run(e.to_string())),
        _ => Ok(drawing.svg().into_bytes()),
    }
}

/// Why there is no report, as the command line says it.
fn failed(ask: &Ask, ticket: &Ticket, why: Failure) -> Trouble {
    match why {
        _ if ticket.go_on().is_break() => ticket.why(),
        Failure::Input(problems) => Trouble::Input(in_file(Path::new(&ask.file), &problems)),
        Failure::Asked(why) => Trouble::Input(why),
        Failure::Run(why) => Trouble::Run(why),
    }
}

/// The figures of a report as the page draws them, and what it says.
fn header(answer: &mut Answer, report: Report, ask: &Ask) -> Value {
    let figures: Vec<Value> = report
        .figures
        .iter()
        .filter_map(|(_, drawing)| match drawing {
            Drawing::Figure(figure) => Some(draw::figure(answer, figure, ask.screen())),
            Drawing::Diagram(_) => None,
        })
        .collect();
    json!({ "figures": figures, "text": report.text, "summary": report.summary })
}
