use crate::MAX_ROWS;
use bristle_ode::{Failure, Statistics};
use bristle_system::condition::Agreement;
use bristle_system::{Account, Coupled, Flow, Imbalance, Mechanism, Mode};
use bristle_trace::{Extreme, Trace};
use std::fmt;

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// The recorded columns.
    pub trace: Trace,
    /// The extremes of each column over the whole run.
    pub extremes: Vec<Extreme>,
    /// The account of each friction element that acts on a body: its name and its books.
    pub ledger: Vec<(&'static str, Account)>,
    /// The energy of the mechanism as a whole, where it says what its parts do with it.
    pub balance: Option<Energy>,
    /// What became of the energy of all friction elements that act on bodies, a row after each step, where it was asked for.
    pub books: Option<Trace>,
    /// When something discrete happened, s, and what.
    pub events: Vec<(f64, Event)>,
    /// What is wrong with the books, where a run was to go on all the same.
    pub imbalance: Option<Imbalance>,
    /// The contacts that held a body together with others, so that their forces are not unique, by name.
    pub shared: Vec<&'static str>,
    /// How well it agrees with a coarser run; not known with fixed steps, or where that one failed.
    pub agreement: Option<Agreed>,
    /// With fixed steps: how well it agrees with a run of half the step.
    pub halved: Option<Halved>,
    /// What the run cost.
    pub statistics: Cost,
}

/// What became of the energy of a mechanism: the work of its drives is what its parts lost and stored, what went into
/// friction, and a residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Energy {
    /// What each part brought in, lost, or stored more than at the start, J.
    pub parts: Vec<(Flow, f64)>,
    /// What went into friction, J.
    pub friction: f64,
    /// What does not balance, J.
    pub residual: f64,
}

/// By how much a run at ten times the tolerance differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreed {
    /// The column that differs most.
    pub column: String,
    /// When, and by how much.
    pub by: Agreement,
}

/// By how much a run with half the step differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Halved {
    /// The column that differs most, when, and by how much.
    pub by: Agreed,
    /// A step that would do, s, where this one is too long for the result to mean anything.
    pub would_do: Option<f64>,
}

/// What to do where the books of a run do not balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnImbalance {
    /// The run ends with an error.
    #[default]
    Stop,
    /// The run goes on, and its outcome is marked.
    Mark,
}

/// What a run cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// With error control.
    Adaptive(Statistics),
    /// With fixed steps.
    Fixed {
        /// Steps taken.
        steps: u64,
        /// Newton iterations over all of them.
        iterations: usize,
        /// Steps that had to be halved.
        halvings: usize,
    },
}

/// What happened at an instant of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The contact of that number sticks from now on.
    Stick {
        /// Which one.
        contact: usize,
    },
    /// It slides from now on.
    Slip {
        /// Which one.
        contact: usize,
        /// In which direction, −1 or 1.
        way: f64,
    },
    /// Its velocity passes zero.
    Reversal {
        /// Which one.
        contact: usize,
        /// In which direction, −1 or 1.
        way: f64,
    },
    /// Something else that is discrete about its friction changes: a tooth, a branch, a bristle.
    Element {
        /// Which one.
        contact: usize,
    },
    /// The drive of that number jumps or turns.
    Drive(usize),
    /// The mechanism changes a mode of its own.
    Mechanism,
}

impl Event {
    /// Writes what differs between a mode and the one that follows it.
    pub(crate) fn between<M: Mechanism>(
        system: &Coupled<M>,
        [before, after]: [&Mode; 2],
        mut each: impl FnMut(Event),
    ) {
        let contacts = before.contacts.iter().zip(&after.contacts).enumerate();
        for (contact, (was, is)) in contacts.filter(|(_, (was, is))| was != is) {
            let (from, way) = (was.element.way, is.element.way);
            if system.set_valued(contact) && from != way {
                each(if way == 0.0 {
                    Event::Stick { contact }
                } else {
                    Event::Slip { contact, way }
                });
            } else if was.side != is.side {
                each(Event::Reversal { contact, way: is.side });
            } else if was.element != is.element {
                each(Event::Element { contact });
            }
        }
        let drives = system.mechanism.drives().len();
        let phases = before.phase.iter().zip(&after.phase).enumerate();
        for (k, _) in phases.filter(|(_, (was, is))| was != is) {
            each(if k < drives { Event::Drive(k) } else { Event::Mechanism });
        }
    }
}

/// Why there is no run.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// A setting outside its range.
    Setting {
        /// Its name.
        name: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// An initial value for a state that the system does not have.
    Unknown {
        /// Its name.
        name: String,
        /// The states that there are.
        known: Vec<String>,
    },
    /// Fixed steps cannot take the friction.
    NoFixedStep,
    /// The solver gave up; the name of the state that held it up, if one did.
    Failed(Failure, String),
    /// It was told to, at this time, s.
    Interrupted(f64),
    /// With a row for each step the trace would be longer than one may be.
    TooManyRows {
        /// How many rows it would have at about the rate so far.
        rows: f64,
        /// When the run was to end, s.
        until: f64,
    },
    /// The energy of a contact does not balance.
    Imbalance(Imbalance),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Setting { name, value, allowed } => {
                write!(f, "{name} = {value} must be {allowed}")
            }
            Stopped::Unknown { name, known } => write!(
                f,
                "initial value of `{name}`: the system has no such state; there are {}",
                known.join(", ")
            ),
            Stopped::NoFixedStep => f.write_str(
                "fixed steps cannot take this friction, whose force jumps at places or at rest that a fixed step passes \
                 by; take Method::Radau, which lands on them",
            ),
            Stopped::Failed(failure, state) => {
                let numbered = format!("state {}", failure.state);
                f.write_str(&failure.to_string().replace(&numbered, &format!("`{state}`")))
            }
            Stopped::Interrupted(t) => write!(f, "interrupted at t = {t} s"),
            Stopped::Imbalance(imbalance) => write!(
                f,
                "{imbalance}; lower the tolerance, or keep the results, marked as wrong"
            ),
            Stopped::TooManyRows { rows, until } => write!(
                f,
                "with one for each step the trace would have about {rows:.0e} rows until t = {until} s, and it may have \
                 {MAX_ROWS}; give a spacing, the time between rows, such as {:e} s",
                suggested(*until)
            ),
        }
    }
}

impl std::error::Error for Stopped {}

/// A power of ten that makes 10,000 to 100,000 rows.
pub fn suggested(until: f64) -> f64 {
    10f64.powf((until / 1e5).log10().ceil())
}
