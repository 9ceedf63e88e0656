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
use crate::setting::Setting;
use crate::simulate::Names;
use crate::table::{Problem, Problems, Strays, choice, fill, inner, merge, number, sections, text};
use bristle_kernel::{AnyBristle, Params, Report, Update, choice, faults};
use bristle_simulation::MAX_ROWS;
use bristle_system::{AnyMechanism, AnySignal, Mechanism};
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
    /// What the file says and has no meaning any more with what was set over it, each with its reason.
    pub left_out: Vec<String>,
    /// The file, with what was set over it.
    pub table: Table,
    /// Where its keys stand.
    pub(crate) places: Places,
}

const SECTIONS: [&str; 6] = ["system", "friction", "observer", "initial", "run", "figure"];

impl Scenario {
    /// Reads a file's text. `settings` are put over it.
    pub fn read(text: &str, settings: &[Setting]) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let table = sections(text, settings, "scenario", &SECTIONS, &mut problems)?;
        let places = Places::of(text, settings);
        let scenario = Self::from_table(table, &mut problems);
        let mut left_out = Vec::new();
        if !settings.is_empty() && !problems.is_empty() {
            // What another model does not have is no mistake of the file, which was written for its own.
            let mut alone = Vec::new();
            let table = sections(text, &[], "scenario", &SECTIONS, &mut alone)?;
            Self::from_table(table, &mut alone);
            left_out = left_behind(&mut problems, &alone, &places);
        }
        match scenario {
            Some(scenario) if problems.is_empty() => {
                let mut scenario = Scenario { places, left_out, ..scenario };
                scenario.take_old_names();
                if !settings.is_empty() {
                    scenario.leave_names_out(|| Scenario::read(text, &[]).ok());
                }
                Ok(scenario)
            }
            _ => Err(places.locate(problems)),
        }
    }

    /// The one contact of a mechanism that may have several was not named in columns: `F` is `F_joint`.
    fn take_old_names(&mut self) {
        let [contact] = self.mechanism.contacts() else { return };
        let (suffix, Names { columns, .. }) = (format!("_{}", contact.name), self.names());
        let now = |name: &mut String| {
            let marked = format!("{name}{suffix}");
            if !columns.contains(name) && columns.contains(&marked) {
                *name = marked;
            }
        };
        self.initial.iter_mut().for_each(|(name, _)| now(name));
        self.panels
            .iter_mut()
            .flat_map(|panel| panel.x.iter_mut().chain(&mut panel.y))
            .for_each(now);
    }

    /// Leaves out initial states and columns of panels that only the file alone has: what was set took them away.
    fn leave_names_out(&mut self, alone: impl FnOnce() -> Option<Scenario>) {
        let names = self.names();
        let mut shown = Shown { initial: &mut self.initial, panels: &mut self.panels };
        let before = || alone().map(|scenario| scenario.names());
        self.left_out.extend(shown.leave_out(&self.places, &names, before));
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
        let run = how(section("run"), problems);
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
            left_out: Vec::new(),
            table: table.clone(),
            places: Places::default(),
        })
    }
}

/// What a file names of a run.
pub(crate) struct Shown<'a> {
    pub(crate) initial: &'a mut Vec<(String, f64)>,
    pub(crate) panels: &'a mut Vec<Panel>,
}

impl Shown<'_> {
    /// Leaves out what the run does not have and the file's own had, and says so.
    pub(crate) fn leave_out(
        &mut self,
        places: &Places,
        Names { columns, states }: &Names,
        before: impl FnOnce() -> Option<Names>,
    ) -> Vec<String> {
        let gone = |name: &String, now: &[String]| !now.contains(name);
        let shown = |panel: &Panel| panel.x.iter().chain(&panel.y).cloned().collect::<Vec<_>>();
        let lost = self.initial.iter().any(|(name, _)| gone(name, states))
            || self.panels.iter().flat_map(shown).any(|name| gone(&name, columns));
        let Some(before) = lost.then(before).flatten() else { return Vec::new() };
        let mut left_out = Vec::new();
        let mut void = |key: &str, own: &str, name: &String, now: &[String], then: &[String]| {
            let void = places.in_file(own) && gone(name, now) && then.contains(name);
            if void {
                left_out.push(
                    places.said(own, &format!("{key} leaves `{name}` out: this run has none")),
                );
            }
            void
        };
        self.initial.retain(|(name, _)| {
            !void("initial", &format!("initial.{name}"), name, states, &before.states)
        });
        let key = "figure.panels";
        for panel in self.panels.iter_mut() {
            panel.y.retain(|name| !void(key, key, name, columns, &before.columns));
        }
        self.panels.retain(|panel| {
            let x = panel.x.as_ref();
            !panel.y.is_empty() && !x.is_some_and(|x| void(key, key, x, columns, &before.columns))
        });
        left_out.dedup();
        left_out
    }
}

/// Takes out parameters that the file gives to a model which what was set replaced, and says which.
pub(crate) fn left_behind(
    problems: &mut Vec<Problem>,
    alone: &[Problem],
    places: &Places,
) -> Vec<String> {
    let mut said = Vec::new();
    problems.retain(|problem| match problem {
        Problem::UnknownKey { key, model, .. } if places.in_file(key) => {
            let known = !alone.iter().any(|p| p.key().as_deref() == Some(key));
            if known {
                said.push(
                    places
                        .said(key, &format!("{key} is left out: `{model}` has no such parameter")),
                );
            }
            !known
        }
        _ => true,
    });
    said
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

/// How a system is run.
pub(crate) fn how(table: &Table, problems: &mut Vec<Problem>) -> Run<f64> {
    let mut run: Run<f64> = bristle_kernel::Start::start(());
    if !table.contains_key("end") {
        let (key, options) = ("run.end".to_owned(), vec![]);
        problems.push(Problem::Missing {
            key,
            what: "the time at which the run ends, in s",
            options,
        });
    }
    fill(&mut run, "run.", table, Strays::Refuse, problems);
    let fault = Problem::fault("run.");
    faults(&run, &mut |f| problems.push(fault(f)));
    run
}

/// The friction model of a contact along a line.
pub(crate) fn on_line(
    prefix: &str,
    table: &Table,
    problems: &mut Vec<Problem>,
) -> Option<AnyBristle<f64>> {
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

pub(crate) fn initial(table: &Table, problems: &mut Vec<Problem>) -> Vec<(String, f64)> {
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

pub(crate) fn panels(table: &Table, problems: &mut Vec<Problem>) -> Vec<Panel> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const BELT: &str = "[system]\nmodel = \"belt\"\n[friction]\nmodel = \"lugre\"\nsigma1 = 40\n\
                        [friction.law]\nmu_s = 2\n[run]\nend = 1\n";
    const ARM: &str = "[system]\nmodel = \"arm\"\n[friction]\nmodel = \"frbd\"\n[initial]\nz_joint = 1e-6\n\
                       [run]\nend = 1\n[figure]\npanels = [[\"q\", \"F_joint\"], [\"F_observer\"]]\n";

    fn read(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
        let settings: Vec<_> =
            settings.iter().map(|(key, value)| Setting::typed(*key, value)).collect();
        Scenario::read(text, &settings).map_err(|problems| problems.to_string())
    }

    /// A file written before the joint was named reads as it did.
    #[test]
    fn old_names_of_columns_are_read() {
        let old = ARM.replace("z_joint", "z").replace("\"F_joint\"], [\"F_observer\"", "\"F\"");
        let read = read(&old, &[("system.compensation", "none")]).unwrap();
        assert_eq!(read.initial, [("z_joint".to_owned(), 1e-6)]);
        assert_eq!(read.panels[0].y, ["q", "F_joint"]);
        assert!(read.simulation().is_ok());
    }

    /// `mass = {}` took the start value without a word, and `[run.x]` passed.
    #[test]
    fn an_empty_table_is_no_number() {
        for (key, said) in [
            ("system.mass", "system.mass = {} must be a number"),
            ("friction.sigma0", "friction.sigma0 = {} must be a number"),
            ("friction.law.mu_s", "friction.law.mu_s = {} must be a number"),
            ("run.tolerance", "run.tolerance = {} must be a number"),
            ("run.method", "run.method = {} must be one of \"radau\""),
            ("run.x", "`run` has no parameter `run.x`"),
            ("system.drive.x", "`belt` has no parameter `system.drive.x`"),
        ] {
            let refused = read(BELT, &[(key, "{}")]).unwrap_err();
            assert!(refused.contains(said), "{key}: {refused}");
        }
        // A group that says nothing is one.
        assert!(read(BELT, &[("system.drive", "{}"), ("friction.law", "{}")]).is_ok());
    }

    #[test]
    fn a_file_of_another_command_says_which() {
        for (text, said) in [
            ("[rolling]\nsigma_x = 0.1\n[transient]\n", "line 3, column 2: [transient]"),
            ("[rolling]\nsigma_x = 0.1\n", "take `bristle patch steady`"),
            ("[surface]\n[run]\nend = 1\n", "take `bristle patch surface`"),
            ("[friction]\nmodel = \"frbd\"\n[slip]\nvalue = 1\n", "take `bristle line`"),
        ] {
            let refused = read(text, &[]).unwrap_err();
            assert!(refused.contains(said) && refused.lines().count() == 1, "{refused}");
        }
        let refused = crate::line::Scenario::read(BELT, &[], std::path::Path::new(""))
            .unwrap_err()
            .to_string();
        assert!(refused.contains("take `bristle run`"), "{refused}");
    }

    #[test]
    fn problems_stand_in_the_order_of_the_file() {
        let text = "[run]\nend = -1\n[friction]\nmodel = \"lugre\"\nsigma = 1\nsigma1 = -1\n[system]\n\
                    model = \"belt\"\nmas = 2\n";
        let refused = read(text, &[("system.stiffness", "-3"), ("initial.x", "nan")]).unwrap_err();
        let places: Vec<&str> =
            refused.lines().map(|line| line.split(':').next().unwrap()).collect();
        let expected =
            ["line 2, column 1", "line 5, column 1", "line 6, column 1", "line 9, column 1"];
        assert_eq!(places[..4], expected, "{refused}");
        assert!(places[4..].iter().all(|place| place.starts_with("--set ")), "{refused}");
    }

    /// The file is right for its own model; what another one does not have is left out, with a note.
    #[test]
    fn another_model_leaves_out_what_it_does_not_have() {
        assert!(read(BELT, &[]).unwrap().left_out.is_empty());
        let dahl = read(BELT, &[("friction.model", "dahl")]).unwrap();
        assert_eq!(
            dahl.left_out,
            ["line 5, column 1: friction.sigma1 is left out: `dahl` has no such parameter"]
        );
        let sawtooth = read(BELT, &[("friction.model", "sawtooth")]).unwrap();
        assert_eq!(sawtooth.left_out.len(), 2, "{:?}", sawtooth.left_out);
        // What is set itself is a mistake, as is what the file's own model does not have either.
        let set = [("friction.model", "dahl"), ("friction.sigma1", "3")];
        assert!(read(BELT, &set).unwrap_err().contains("no parameter `friction.sigma1`"));
        let wrong = BELT.replace("sigma1", "sigma_1");
        assert!(read(&wrong, &[("friction.model", "dahl")]).is_err());
    }

    #[test]
    fn columns_that_a_setting_takes_away_are_left_out() {
        assert_eq!(read(ARM, &[]).unwrap().panels.len(), 2);
        let plain = read(ARM, &[("system.compensation", "none")]).unwrap();
        let shown: Vec<_> = plain.panels.iter().map(|p| p.y.clone()).collect();
        assert_eq!(shown, [["q", "F_joint"]]);
        assert_eq!(plain.left_out.len(), 1, "{:?}", plain.left_out);
        let observed = ARM.replace("z_joint", "z_observer");
        let plain = read(&observed, &[("system.compensation", "none")]).unwrap();
        assert!(plain.initial.is_empty() && plain.left_out.len() == 2, "{:?}", plain.left_out);
        assert!(plain.simulation().is_ok());
        // A name that the file never had is a mistake.
        let wrong = ARM.replace("z_joint", "z_jiont");
        let wrong = read(&wrong, &[("system.compensation", "none")]).unwrap();
        assert!(wrong.simulation().is_err());
    }
}
