//! A machine of parts, from a file.
//!
//! ```toml
//! title = "Servo axis"
//!
//! [[body]]
//! name = "slide"
//! mass = 95.1
//!
//! [[contact]]
//! name = "rail"
//! between = ["slide", "ground"]
//! load = 200.0
//!
//! [[control]]
//! name = "servo"
//! on = "slide"
//! reference = { model = "sine", amplitude = 0.05, frequency = 0.3 }
//! kp = 3.0e4
//! kd = 2.0e3
//!
//! [friction]                      # for every contact that has none of its own
//! model = "lugre"
//!
//! [run]
//! end = 10.0
//! ```
mod measured;
mod parts;
mod signal;

pub use measured::{Deviation, Measured};
pub use parts::{PARTS, declared};

use crate::files::Files;
use crate::places::Places;
use crate::scenario::{Panel, Run, Shown, how, initial, left_behind, panels};
use crate::setting::Setting;
use crate::simulate::{Names, Plan, Stopped};
use crate::table::{
    MACHINE, Problem, Problems, SECTIONS_OF_A_MACHINE, inner, numbered, sections, text,
};
use bristle_machine::{Builder, End, Machine, Source};
use bristle_simulation::{OnImbalance, Simulation};
use bristle_system::{Coupled, Units};
use bristle_trace::{Signals, Trace};
use std::ops::ControlFlow;
use std::sync::Arc;
use toml::{Table, Value};

/// A machine, read and checked, and how it is run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One line; empty if the file gives none.
    pub title: String,
    /// The machine with friction in its contacts.
    pub system: Coupled<Machine>,
    /// States that start elsewhere, by the names they have in the trace.
    pub initial: Vec<(String, f64)>,
    /// How it is run.
    pub run: Run<f64>,
    /// What each panel of the figure shows.
    pub panels: Vec<Panel>,
    /// What the file says and has no meaning any more with what was set over it, each with its reason.
    pub left_out: Vec<String>,
    /// The logs that it reads, by file.
    pub logs: Vec<(String, Arc<Trace>)>,
    /// What was measured, to be seen beside what is simulated.
    pub measured: Vec<Measured>,
    /// The file, with what was set over it.
    pub table: Table,
    places: Places,
}

/// What is known while a file is read.
pub(crate) struct Reading<'a> {
    builder: Builder,
    ends: Vec<(String, End, Units)>,
    sources: Vec<(String, Source)>,
    logs: Vec<(String, Arc<Trace>)>,
    measured: Vec<Measured>,
    /// Whether a contact takes the file's friction.
    shares_friction: bool,
    files: Files<'a>,
    problems: &'a mut Vec<Problem>,
}

impl Reading<'_> {
    /// Says that a value is of the wrong kind.
    fn wrong<T>(&mut self, key: &str, expected: String, found: &Value) -> Option<T> {
        let (key, found) = (key.to_owned(), found.to_string());
        self.problems.push(Problem::WrongKind { key, expected, found });
        None
    }
}

impl Scenario {
    /// Whether a text is a machine: it has bodies.
    pub fn is_one(text: &str) -> bool {
        text.parse::<Table>().is_ok_and(|table| {
            !table.contains_key("system") && PARTS.iter().any(|(kind, _)| table.contains_key(*kind))
        })
    }

    /// Reads a file's text. `settings` are put over it: a part goes by its name, `contact.rail.load`. Logs stand in `files`: a
    /// folder, or what was given with the file.
    pub fn read<'f>(
        file: &str,
        settings: &[Setting],
        files: impl Into<Files<'f>>,
    ) -> Result<Self, Problems> {
        let files = files.into();
        let plain: Table = file.parse().map_err(|_| crate::table::syntax(file))?;
        let settings: Vec<Setting> = settings
            .iter()
            .map(|setting| Setting { key: numbered(&plain, &setting.key), ..setting.clone() })
            .collect();
        let places = Places::of(file, &settings);
        let mut problems = Vec::new();
        let scenario = Self::with(file, &settings, files, &mut problems)?;
        let mut left_out = Vec::new();
        if !settings.is_empty() && !problems.is_empty() {
            // What another model does not have is no mistake of the file, which was written for its own.
            let mut alone = Vec::new();
            Self::with(file, &[], files, &mut alone)?;
            left_out = left_behind(&mut problems, &alone, &places);
            left_out.dedup();
        }
        let Some(scenario) = scenario.filter(|_| problems.is_empty()) else {
            return Err(places.locate(problems));
        };
        let mut scenario = Scenario { left_out, places, ..scenario };
        if !settings.is_empty() {
            let names = scenario.names();
            let mut shown = Shown { initial: &mut scenario.initial, panels: &mut scenario.panels };
            let before = || Self::read(file, &[], files).ok().map(|alone| alone.names());
            let left_out = shown.leave_out(&scenario.places, &names, before);
            scenario.left_out.extend(left_out);
        }
        scenario.simulation()?;
        Ok(scenario)
    }

    /// The machine with what is set over it, as far as it can be read.
    fn with(
        file: &str,
        settings: &[Setting],
        files: Files<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Self>, Problems> {
        let names: Vec<&str> =
            PARTS.iter().map(|(kind, _)| *kind).chain(SECTIONS_OF_A_MACHINE).collect();
        let table = sections(file, settings, MACHINE, &names, problems)?;
        let empty = Table::new();
        let section = |key: &str| inner(&table, key).unwrap_or(&empty);
        let title = text("", &table, "title", problems).unwrap_or_default().to_owned();
        let run = how(section("run"), problems);
        let initial = initial(section("initial"), problems);
        let panels = panels(section("figure"), problems);
        let mut reading = Reading {
            builder: Machine::builder(),
            ends: Vec::new(),
            sources: Vec::new(),
            logs: Vec::new(),
            measured: Vec::new(),
            shares_friction: false,
            files,
            problems,
        };
        reading.parts(&table);
        let built = std::mem::take(&mut reading.builder).build();
        if let Ok(system) = &built {
            reading.compare(&Signals::of(system).columns);
        }
        let Reading { logs, measured, shares_friction, .. } = reading;
        if table.contains_key("friction") && !shares_friction {
            let text = "no contact takes it: each names a friction model of its own; leave it out, or set that of a \
                        contact, as in contact.NAME.friction.model";
            problems.push(Problem::Part { key: "friction".into(), text: text.into() });
        }
        if let Err(faults) = &built {
            // Numbers out of their range were told when they were read.
            for fault in faults.0.iter().filter(|fault| !fault.declared) {
                let field = if fault.field.is_empty() { "" } else { "." };
                let key = format!("{}[{}]{field}{}", fault.part, fault.index, fault.field);
                problems.push(Problem::Part { key, text: fault.text.clone() });
            }
        }
        // Contacts that share a friction share its mistakes.
        let mut told: Vec<Problem> = Vec::new();
        problems.retain(|problem| {
            let new = !told.contains(problem);
            told.extend(new.then(|| problem.clone()));
            new
        });
        let places = Places::default();
        let left_out = Vec::new();
        let whole = |system| Scenario {
            title,
            system,
            initial,
            run,
            panels,
            logs,
            measured,
            left_out,
            table: table.clone(),
            places,
        };
        Ok(built.ok().map(whole))
    }

    /// The machine itself.
    pub fn machine(&self) -> &Machine {
        &self.system.mechanism
    }

    fn names(&self) -> Names {
        let mut names = Names::of(&Signals::of(&self.system));
        names.columns.extend(self.measured.iter().map(|m| m.name.clone()));
        names
    }

    /// What is run, and how.
    pub fn simulation(&self) -> Result<Simulation<Machine>, Problems> {
        // What was measured is shown and not run.
        let own = |name: &String| !self.measured.iter().any(|m| m.name == *name);
        let mut panels = self.panels.clone();
        panels.iter_mut().for_each(|panel| panel.y.retain(own));
        let plan = Plan { initial: &self.initial, panels: &panels, run: &self.run };
        let simulation = plan.simulation(self.system.clone(), Vec::new());
        simulation.map_err(|problems| self.places.locate(problems))
    }

    /// Runs it, without keeping its events. `go_on` is called with the time after every step and may end the run.
    pub fn simulate(
        &self,
        on_imbalance: OnImbalance,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<bristle_simulation::Run, Stopped> {
        let simulation = self.simulation().map_err(Stopped::Input)?;
        let simulation = simulation.on_imbalance(on_imbalance).keep_events(false);
        simulation.run_while(self.run.end, go_on).map_err(Stopped::Run)
    }

    /// The same with its events and its energy over time.
    pub fn simulate_with_events(
        &self,
        on_imbalance: OnImbalance,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<bristle_simulation::Run, Stopped> {
        let simulation = self.simulation().map_err(Stopped::Input)?.on_imbalance(on_imbalance);
        let simulation = simulation.keep_books(true);
        simulation.run_while(self.run.end, go_on).map_err(Stopped::Run)
    }
}
