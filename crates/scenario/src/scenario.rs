//! A scenario file: what is run, with which friction, how, and what is shown of it.
//!
//! ```toml
//! title = "Stick-slip on a belt"
//!
//! [system]
//! model = "belt"                  # mass, belt, spring_drag, prescribed, valve, festoon, arm
//! mass = 1.0                      # its parameters; what is absent keeps its start value
//!
//! [system.drive]                  # what drives it, as a function of time
//! model = "constant"              # constant, sine, pulses, steps, points
//! value = 0.1
//!
//! [friction]
//! model = "lugre"
//! set = "lugre-or-not-set-2"      # a parameter set to start from
//! sigma1 = 400.0                  # and what differs from it
//!
//! [initial]                       # states that do not start where the system says
//! x = 0.0
//!
//! [run]
//! end = 20.0                      # s
//!
//! [figure]
//! panels = [["x"], ["v_rel"], ["F"]]          # over time
//! # panels = [["x"], { x = "x", y = ["v"] }, { x = "v_rel", y = ["F"], law = true }]
//! ```
//!
//! An arm may have an `[observer]`, written like `[friction]`, where it does not know the true one.
use crate::friction::{self, Friction};
use crate::nearest;
use crate::places::Places;
use crate::table::{Problem, Problems, Strays, choice, fill, inner, merge, number, sections, text};
use bristle_kernel::{AnyBristle, Params, Report, Update, choice, faults};
use bristle_simulation::MAX_ROWS;
use bristle_system::{AnyMechanism, AnySignal};
use toml::{Table, Value};

choice! {
    /// How time is stepped.
    Method {
        /// Radau IIA of orders 5 and 9, implicit, with error control: for stiff systems, which most are
        Radau = "radau",
        /// Dormand-Prince of order 5, explicit, with error control: for soft ones
        DormandPrince = "dormand_prince",
        /// fixed steps: the friction model's own update, the bodies by the midpoint rule
        Fixed = "fixed",
    }
}

/// How a system is run and recorded.
#[derive(Clone, Debug, Params)]
#[params(
    name = "run",
    title = "how a scenario is run",
    source = "",
    rules = "at most 5,000,000 rows, and max_steps fixed steps",
    check = not_endless
)]
pub struct Run<S> {
    /// time at which the run ends
    #[param(unit = "s", start = 1.0, range = "(0, inf)", eq = "")]
    pub end: S,
    /// how time is stepped
    #[param(choice, start = Method::Radau, eq = "")]
    pub method: Method,
    /// relative tolerance of each state; the absolute one follows from it by the state's unit
    #[param(unit = "1", start = 1.0e-9, range = "[1e-13, 1e-2]", eq = "")]
    pub tolerance: S,
    /// length of a fixed step; a run ends with the last whole one
    #[param(unit = "s", start = 1.0e-3, range = "(0, inf)", eq = "")]
    pub step: S,
    /// update of the friction model in fixed steps
    #[param(choice, start = Update::Midpoint, eq = "")]
    pub update: Update,
    /// time between rows of the trace; 0 for one row per step
    #[param(unit = "s", start = 0.0, range = "[0, inf)", eq = "")]
    pub spacing: S,
    /// steps after which the run is given up
    #[param(unit = "1", start = 10_000_000.0, range = "[1, inf)", eq = "")]
    pub max_steps: S,
}

fn not_endless(run: &Run<f64>, report: &mut Report<'_>) {
    let rows = run.end / MAX_ROWS as f64;
    report.expect(
        run.spacing == 0.0 || run.spacing >= rows,
        ("spacing", None, run.spacing),
        "must be 0 or at least",
        rows,
        "a trace has at most 5,000,000 rows",
    );
    report.expect(
        run.method != Method::Fixed || run.spacing > 0.0 || run.step >= rows,
        ("spacing", None, run.spacing),
        "must be at least",
        rows,
        "with a row for each fixed step the trace would have more than 5,000,000",
    );
    let step = run.end / run.max_steps;
    report.expect(
        run.method != Method::Fixed || run.step >= step,
        ("step", None, run.step),
        "must be at least",
        step,
        "the run would take more than max_steps steps",
    );
    report.expect(
        run.method != Method::Fixed || run.step <= run.end,
        ("step", None, run.step),
        "must be at most",
        run.end,
        "the run would end before its first step",
    );
}

/// One panel of a figure, by columns of the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What runs to the right; time if not given.
    pub x: Option<String>,
    /// What is shown over it.
    pub y: Vec<String>,
    /// Whether the force of steady sliding is drawn as well, over a velocity.
    pub law: bool,
}

/// A scenario, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One line; empty if the file gives none.
    pub title: String,
    /// The mechanism with its drive.
    pub mechanism: AnyMechanism<f64>,
    /// The friction model.
    pub friction: AnyBristle<f64>,
    /// Another one for an observer.
    pub observer: Option<AnyBristle<f64>>,
    /// States that start elsewhere, by the names they have in the trace.
    pub initial: Vec<(String, f64)>,
    /// How it is run.
    pub run: Run<f64>,
    /// What each panel of the figure shows.
    pub panels: Vec<Panel>,
    /// The file, with what was set over it.
    pub table: Table,
    /// Where its keys stand.
    pub(crate) places: Places,
}

const SECTIONS: [&str; 6] = ["system", "friction", "observer", "initial", "run", "figure"];

impl Scenario {
    /// Reads a file's text. `settings` are put over it: `("friction.sigma1", "400")`.
    pub fn read(text: &str, settings: &[(String, String)]) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let table = sections(text, settings, "scenario", &SECTIONS, &mut problems)?;
        let places = Places::of(text, settings);
        match Self::from_table(table, &mut problems) {
            Some(scenario) if problems.is_empty() => Ok(Scenario { places, ..scenario }),
            _ => Err(places.locate(problems)),
        }
    }

    fn from_table(table: Table, problems: &mut Vec<Problem>) -> Option<Self> {
        let empty = Table::new();
        let section = |key: &str| inner(&table, key).unwrap_or(&empty);
        let title = text("", &table, "title", problems).unwrap_or_default().to_owned();
        let mechanism = mechanism(section("system"), problems);
        let friction = on_line("friction.", section("friction"), problems);
        let observer = match inner(&table, "observer") {
            Some(own) => {
                let mut whole = section("friction").clone();
                merge(&mut whole, own);
                Some(on_line("observer.", &whole, problems)?)
            }
            None => None,
        };
        let mut run: Run<f64> = bristle_kernel::Start::start(());
        if !section("run").contains_key("end") {
            let (key, options) = ("run.end".to_owned(), vec![]);
            problems.push(Problem::Missing {
                key,
                what: "the time at which the run ends, in s",
                options,
            });
        }
        fill(&mut run, "run.", section("run"), Strays::Refuse, problems);
        let fault = Problem::fault("run.");
        faults(&run, &mut |f| problems.push(fault(f)));
        let initial = initial(section("initial"), problems);
        let panels = panels(section("figure"), problems);
        Some(Scenario {
            title,
            mechanism: mechanism?,
            friction: friction?,
            observer,
            initial,
            run,
            panels,
            table: table.clone(),
            places: Places::default(),
        })
    }
}

/// The mechanism that `[system]` names.
fn mechanism(table: &Table, problems: &mut Vec<Problem>) -> Option<AnyMechanism<f64>> {
    let catalog = AnyMechanism::<f64>::CATALOG;
    if !table.contains_key("model") {
        let options = catalog.iter().map(|i| i.name).collect();
        let key = "system.model".to_owned();
        problems.push(Problem::Missing { key, what: "a mechanism", options });
        return None;
    }
    let name = choice(Some(table), "system.model", catalog, "", problems)?;
    let drive = inner(table, "drive");
    let signals = AnySignal::<f64>::CATALOG;
    let signal = choice(drive, "system.drive.model", signals, "constant", problems);
    let mut mechanism =
        AnyMechanism::named(name, AnySignal::named(signal.unwrap_or("constant"), ())?)?;
    let mut own = table.clone();
    if signal.is_none() {
        own.remove("drive");
    }
    fill(&mut mechanism, "system.", &own, Strays::Refuse, problems);
    let fault = Problem::fault("system.");
    faults(&mechanism, &mut |f| problems.push(fault(f)));
    Some(mechanism)
}

/// The friction model of a contact along a line.
fn on_line(prefix: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<AnyBristle<f64>> {
    match friction::read(prefix, table, problems)? {
        Friction::Line(model) => Some(model),
        Friction::Plane(model) => {
            problems.push(Problem::UnknownModel {
                key: format!("{prefix}model"),
                name: model.info().name.to_owned(),
                options: AnyBristle::<f64>::CATALOG.iter().map(|i| i.name).collect(),
            });
            None
        }
    }
}

fn initial(table: &Table, problems: &mut Vec<Problem>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (name, value) in table {
        match number(value) {
            Some(x) if x.is_finite() => found.push((name.clone(), x)),
            _ => problems.push(Problem::WrongKind {
                key: format!("initial.{name}"),
                expected: "a finite number".into(),
                found: value.to_string(),
            }),
        }
    }
    found
}

fn panels(table: &Table, problems: &mut Vec<Problem>) -> Vec<Panel> {
    for key in table.keys().filter(|k| *k != "panels") {
        let (key, options) = (format!("figure.{key}"), vec!["figure.panels".to_owned()]);
        problems.push(Problem::UnknownKey { key, model: "figure", options });
    }
    let Some(value) = table.get("panels") else { return Vec::new() };
    let panels = value.as_array().and_then(|panels| panels.iter().map(panel).collect());
    panels.unwrap_or_else(|| {
        problems.push(Problem::WrongKind {
            key: "figure.panels".into(),
            expected: "a list of panels, each a list of columns over time, [\"F\", \"N\"], or columns over \
                       another, { x = \"v_rel\", y = [\"F\"], law = true }"
                .into(),
            found: value.to_string(),
        });
        Vec::new()
    })
}

/// `["F", "N"]`, or `{ x = "v_rel", y = ["F"], law = true }`.
fn panel(value: &Value) -> Option<Panel> {
    let names = |list: &Value| -> Option<Vec<String>> {
        list.as_array()?.iter().map(|n| n.as_str().map(str::to_owned)).collect()
    };
    let Some(table) = value.as_table() else {
        return Some(Panel { y: names(value)?, ..Panel::default() });
    };
    let known = table.keys().all(|key| ["x", "y", "law"].contains(&key.as_str()));
    let law = table.get("law").map_or(Some(false), Value::as_bool)?;
    let x = Some(table.get("x")?.as_str()?.to_owned());
    known.then_some(Panel { x, y: names(table.get("y")?)?, law })
}

/// The index of `name` among `names`, or a problem that says which there are.
pub(crate) fn index(
    key: &str,
    name: &str,
    names: &[String],
    problems: &mut Vec<Problem>,
) -> Option<usize> {
    let found = names.iter().position(|n| n == name);
    if found.is_none() {
        let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        problems.push(Problem::UnknownName {
            key: key.to_owned(),
            name: name.to_owned(),
            near,
            options: names.to_vec(),
        });
    }
    found
}
