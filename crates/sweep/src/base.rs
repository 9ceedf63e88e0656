//! What is run again and again: a file of another command, read once.
use crate::axis::number;
use crate::expression::{Kind, Quantities, Quantity};
use bristle_report::{Failure, Report, audit, cycle, line as rolling, patch as contact};
use bristle_scenario::table::{Problem, Problems};
use bristle_scenario::{Scenario, Setting, line, machine, patch};
use bristle_simulation::{Cost, Event, Run, Simulation, Stopped};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use toml::Value;

/// What is done with the file at every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A scenario or a machine is run: `bristle run`.
    Run,
    /// The motion that repeats is found: `bristle cycle`.
    Cycle,
    /// A patch rolls steadily: `bristle patch steady`.
    Patch,
    /// A line contact rolls: `bristle line`.
    Line,
    /// Friction is audited: `bristle audit`.
    Audit,
}

/// All of them by name.
pub const COMMANDS: [(&str, Command); 5] = [
    ("run", Command::Run),
    ("cycle", Command::Cycle),
    ("patch", Command::Patch),
    ("line", Command::Line),
    ("audit", Command::Audit),
];

/// A file, and where it comes from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// What it is called in messages.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Where the tables and logs that it names stand.
    pub folder: PathBuf,
}

/// A file with what is set over it, and what is done with it.
#[derive(Debug)]
pub struct Base {
    pub(crate) source: Source,
    pub(crate) command: Command,
    settings: Vec<Setting>,
    subject: Subject,
}

/// The file as it was read, without what is varied.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)]
enum Subject {
    System(Scenario),
    Machine(machine::Scenario),
    Patch(patch::Scenario),
    Line(line::Scenario),
}

impl Subject {
    fn read(source: &Source, settings: &[Setting]) -> Result<Self, Problems> {
        let Source { text, folder, .. } = source;
        let table = text.parse::<toml::Table>().unwrap_or_default();
        let has = |sections: &[&str]| sections.iter().any(|section| table.contains_key(*section));
        if machine::Scenario::is_one(text) {
            return machine::Scenario::read(text, settings, folder).map(Subject::Machine);
        }
        if has(&["line", "slip", "transport"]) {
            return line::Scenario::read(text, settings, folder).map(Subject::Line);
        }
        if has(&["patch", "rolling", "surface", "transient"]) {
            return patch::Scenario::read(text, settings).map(Subject::Patch);
        }
        Scenario::read(text, settings).map(Subject::System)
    }

    fn unit(&self, key: &str) -> Option<String> {
        match self {
            Subject::System(scenario) => scenario.unit(key),
            Subject::Machine(scenario) => scenario.unit(key),
            Subject::Patch(scenario) => scenario.unit(key).map(str::to_owned),
            Subject::Line(scenario) => scenario.unit(key).map(str::to_owned),
        }
    }

    /// What can be done with it; what is usual comes first.
    fn commands(&self) -> &'static [Command] {
        match self {
            Subject::System(_) => &[Command::Run, Command::Cycle, Command::Audit],
            Subject::Machine(_) => &[Command::Run],
            Subject::Patch(_) => &[Command::Patch],
            Subject::Line(_) => &[Command::Line, Command::Audit],
        }
    }
}

/// Why a point has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It failed: the reason.
    Failed(String),
    /// It was told to end.
    Interrupted,
}

/// How a point is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// Whether events are counted.
    pub events: bool,
    /// Whether a second run tells how well the first agrees with it.
    pub twin: bool,
}

impl Base {
    /// Reads a file. `settings` are put over it; a command that is not named is the usual one of the file.
    pub fn read(
        source: Source,
        command: Option<Command>,
        settings: Vec<Setting>,
    ) -> Result<Self, Problems> {
        let subject = Subject::read(&source, &settings)?;
        let known = subject.commands();
        let command = command.unwrap_or(known[0]);
        if !known.contains(&command) {
            let named =
                |of: Command| COMMANDS.iter().find(|(_, own)| *own == of).map_or("", |c| c.0);
            let names: Vec<&str> = known.iter().map(|own| named(*own)).collect();
            return Err(Problems(vec![Problem::WrongKind {
                key: "command".into(),
                expected: format!("one of {} for {}", names.join(", "), source.name),
                found: format!("{:?}", named(command)),
            }]));
        }
        Ok(Base { source, command, settings, subject })
    }

    /// The unit of a key; empty if it has none, or is not known.
    pub(crate) fn unit(&self, key: &str) -> String {
        self.subject.unit(key).filter(|unit| unit != "1").unwrap_or_default()
    }

    /// What tells one base from another: everything that was read, tables and logs included.
    pub(crate) fn fingerprint(&self) -> u32 {
        crc32fast::hash(format!("{:?}", self.subject).as_bytes())
    }

    /// What is wrong with the keys of a point, if it is not its numbers: that is wrong with every point.
    pub(crate) fn check(&self, point: &[(String, Value)]) -> Result<(), Problems> {
        let Err(Problems(problems)) = Subject::read(&self.source, &self.with(point)) else {
            return Ok(());
        };
        fn of_numbers(problem: &Problem) -> bool {
            match problem {
                Problem::Located { problem, .. } => of_numbers(problem),
                Problem::Fault { .. } => true,
                _ => false,
            }
        }
        let of_keys: Vec<Problem> = problems.into_iter().filter(|p| !of_numbers(p)).collect();
        if of_keys.is_empty() { Ok(()) } else { Err(Problems(of_keys)) }
    }

    fn with(&self, point: &[(String, Value)]) -> Vec<Setting> {
        let varied = point.iter().map(|(key, value)| Setting::new(key.clone(), value.clone()));
        self.settings.iter().cloned().chain(varied).collect()
    }

    /// The columns of a run and their units; nothing for other commands.
    pub(crate) fn columns(&self) -> Option<Vec<(String, String)>> {
        match (&self.subject, self.command) {
            (Subject::System(scenario), Command::Run) => Some(scenario.columns()),
            (Subject::Machine(scenario), Command::Run) => Some(scenario.columns()),
            _ => None,
        }
    }

    /// What comes of a point. `go_on` is asked now and then.
    pub(crate) fn evaluate(
        &self,
        point: &[(String, Value)],
        look: Look,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Found, Stop> {
        let made = self.at(point)?;
        let subject = made.as_ref().unwrap_or(&self.subject);
        let point = point.to_vec();
        if self.command == Command::Run {
            let run = match subject {
                Subject::System(scenario) => {
                    run(scenario.simulation(), scenario.run.end, look, go_on)?
                }
                Subject::Machine(scenario) => {
                    run(scenario.simulation(), scenario.run.end, look, go_on)?
                }
                _ => return Err(Stop::Failed("it is not run".into())),
            };
            return Ok(Found { run: Some(run), summary: serde_json::Value::Null, point });
        }
        let mut watch = |_: f64| match go_on() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let report: Result<Report, Failure> = match (self.command, subject) {
            (Command::Cycle, Subject::System(scenario)) => cycle::cycle(scenario),
            (Command::Audit, Subject::System(scenario)) => audit::system(scenario, &mut watch),
            (Command::Audit, Subject::Line(scenario)) => audit::line(scenario),
            (Command::Patch, Subject::Patch(scenario)) => contact::steady(scenario, false),
            (Command::Line, Subject::Line(scenario)) => rolling::line(scenario),
            _ => return Err(Stop::Failed("it does not fit the command".into())),
        };
        if !go_on() {
            return Err(Stop::Interrupted);
        }
        let report = report.map_err(|why| Stop::Failed(in_a_line(&why)))?;
        Ok(Found { run: None, summary: report.summary, point })
    }

    /// The file with the values of a point; nothing where there are none.
    fn at(&self, point: &[(String, Value)]) -> Result<Option<Subject>, Stop> {
        if point.is_empty() {
            return Ok(None);
        }
        if let Subject::System(scenario) = &self.subject {
            let numbers: Option<Vec<(&str, f64)>> =
                point.iter().map(|(key, value)| Some((key.as_str(), number(value)?))).collect();
            if let Some(varied) = numbers.and_then(|numbers| scenario.varied(&numbers)) {
                return Ok(Some(Subject::System(varied)));
            }
        }
        let read = Subject::read(&self.source, &self.with(point));
        read.map(Some).map_err(|problems| Stop::Failed(in_a_line(&problems)))
    }
}

/// A reason on one line.
fn in_a_line(why: &impl std::fmt::Display) -> String {
    why.to_string().trim().replace('\n', "; ")
}

fn run<M: bristle_system::Mechanism + Sync>(
    simulation: Result<Simulation<M>, Problems>,
    end: f64,
    look: Look,
    go_on: &dyn Fn() -> bool,
) -> Result<Run, Stop> {
    let simulation = simulation.map_err(|problems| Stop::Failed(in_a_line(&problems)))?;
    let simulation = simulation.keep_events(look.events).compare(look.twin);
    let mut watch = |_: f64| match go_on() {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    simulation.run_while(end, &mut watch).map_err(|stopped| match stopped {
        Stopped::Interrupted(_) => Stop::Interrupted,
        other => Stop::Failed(in_a_line(&other)),
    })
}

/// What came of a point.
pub(crate) struct Found {
    run: Option<Run>,
    summary: serde_json::Value,
    point: Vec<(String, Value)>,
}

/// A number of an account.
type Entry = fn(&bristle_system::Account) -> f64;

/// Accounts of the energy ledger, summed up over all contacts, or of one: `work_J`, `work_J.rail`.
const LEDGER: [(&str, Entry); 7] = [
    ("work_J", |account| account.work),
    ("load_J", |account| account.load),
    ("stored_J", |account| account.stored),
    ("dissipated_J", |account| account.dissipated),
    ("slip_J", |account| account.slip),
    ("residual_J", |account| account.residual()),
    ("returned_J", |account| account.returned),
];
/// Counts of what happened.
pub(crate) const EVENTS: [&str; 3] = ["sticks", "slips", "reversals"];
const COUNTS: [&str; 2] = ["steps", "rejected"];
/// How well a second run agrees.
pub(crate) const AGREEMENT: &str = "agreement";

/// What a name of a run is, but for its columns.
pub(crate) fn kind_of_number(name: &str) -> Option<Kind> {
    let account = name.split('.').next().unwrap_or(name);
    let known = LEDGER.iter().any(|(own, _)| *own == account)
        || EVENTS.contains(&name)
        || COUNTS.contains(&name)
        || name == AGREEMENT;
    known.then_some(Kind::Number)
}

/// The names of [`kind_of_number`].
pub(crate) fn numbers_of_a_run() -> impl Iterator<Item = &'static str> {
    LEDGER.iter().map(|(name, _)| *name).chain(EVENTS).chain(COUNTS).chain([AGREEMENT])
}

impl Found {
    fn of_run(&self, run: &Run, name: &str) -> Option<f64> {
        let count =
            |is: fn(&Event) -> bool| run.events.iter().filter(|(_, e)| is(e)).count() as f64;
        Some(match name {
            "sticks" => count(|event| matches!(event, Event::Stick { .. })),
            "slips" => count(|event| matches!(event, Event::Slip { .. })),
            "reversals" => count(|event| matches!(event, Event::Reversal { .. })),
            "steps" => match run.statistics {
                Cost::Adaptive(s) => s.accepted as f64,
                Cost::Fixed { steps, .. } => steps as f64,
            },
            "rejected" => match run.statistics {
                Cost::Adaptive(s) => (s.rejected + s.diverged) as f64,
                Cost::Fixed { halvings, .. } => halvings as f64,
            },
            AGREEMENT => {
                let halved = run.halved.as_ref().map(|halved| halved.by.by.part);
                run.agreement.as_ref().map(|agreed| agreed.by.part).or(halved)?
            }
            _ => {
                let (account, contact) = name.split_once('.').unwrap_or((name, ""));
                let (_, of) = LEDGER.iter().find(|(own, _)| *own == account)?;
                let mine = |name: &&str| contact.is_empty() || *name == contact;
                let mut own = run.ledger.iter().filter(|(name, _)| mine(name)).peekable();
                own.peek()?;
                own.map(|(_, account)| of(account)).sum()
            }
        })
    }

    /// What a summary has under `steady.Fx_N`, or `ledger.0.work_J`.
    fn in_summary(&self, name: &str) -> Option<Quantity<'_>> {
        let pointer = format!("/{}", name.replace('.', "/"));
        match self.summary.pointer(&pointer)? {
            serde_json::Value::Number(x) => x.as_f64().map(Quantity::Number),
            serde_json::Value::Bool(is) => Some(Quantity::Number(f64::from(u8::from(*is)))),
            serde_json::Value::String(text) => Some(Quantity::Text(text)),
            // It has no value here.
            serde_json::Value::Null => Some(Quantity::Number(f64::NAN)),
            _ => None,
        }
    }

    /// What a name is; nothing if there is none.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        Some(match self.quantity(name)? {
            Quantity::Number(_) => Kind::Number,
            Quantity::Text(_) => Kind::Text,
            Quantity::Column(..) => Kind::Column,
        })
    }

    /// The names of all numbers and words of a summary, for a hint.
    pub(crate) fn names(&self) -> Vec<String> {
        fn enter(prefix: &str, value: &serde_json::Value, names: &mut Vec<String>) {
            match value {
                serde_json::Value::Object(all) => {
                    for (key, inner) in all {
                        let dot = if prefix.is_empty() { "" } else { "." };
                        enter(&format!("{prefix}{dot}{key}"), inner, names);
                    }
                }
                serde_json::Value::Array(_) => {}
                _ => names.push(prefix.to_owned()),
            }
        }
        let mut names = Vec::new();
        enter("", &self.summary, &mut names);
        names
    }
}

impl Quantities for Found {
    fn quantity(&self, name: &str) -> Option<Quantity<'_>> {
        let of_run = self.run.as_ref().and_then(|run| {
            let columns = run.trace.columns();
            match columns.iter().position(|column| column.name == name) {
                Some(k) => Some(Quantity::Column(&columns[k].values, run.extremes.get(k))),
                None => self.of_run(run, name).map(Quantity::Number),
            }
        });
        let varied = || {
            let (_, value) = self.point.iter().find(|(key, _)| key == name)?;
            Some(match number(value) {
                Some(x) => Quantity::Number(x),
                None => Quantity::Text(value.as_str()?),
            })
        };
        of_run.or_else(|| self.in_summary(name)).or_else(varied)
    }

    fn times(&self) -> &[f64] {
        self.run
            .as_ref()
            .and_then(|run| run.trace.columns().first())
            .map_or(&[], |t| t.values.as_slice())
    }
}

/// A file's folder, for what it names.
pub fn folder_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_owned()
}
