use crate::scenario::{Method, Scenario, index};
use crate::table::{Problem, Problems};
use bristle_ode::{DormandPrince, Failure, Options, Radau, Statistics};
use bristle_system::{
    Account, AnyMechanism, Coupled, FixedStep, Hybrid, Ledger, Mechanism, Role, Stop,
};
use bristle_trace::{Extreme, Recorder, Signals, Spacing, Trace};
use std::fmt;
use std::ops::ControlFlow;

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The recorded columns.
    pub trace: Trace,
    /// The extremes of each column over the whole run.
    pub extremes: Vec<Extreme>,
    /// The account of each friction element that acts on a body: its name and its books.
    pub ledger: Vec<(&'static str, Account)>,
    /// What the run cost.
    pub cost: Cost,
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

/// The run was interrupted at this time, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interrupted(pub f64);

/// Why there is no outcome.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The scenario names what the system does not have.
    Input(Problems),
    /// The solver gave up; the name of the state that held it up, if one did.
    Failed(Failure, String),
    /// It was told to.
    Interrupted(Interrupted),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Input(problems) => problems.fmt(f),
            Stopped::Failed(failure, state) => {
                let numbered = format!("state {}", failure.state);
                f.write_str(&failure.to_string().replace(&numbered, &format!("`{state}`")))
            }
            Stopped::Interrupted(Interrupted(t)) => write!(f, "interrupted at t = {t} s"),
        }
    }
}

impl std::error::Error for Stopped {}

/// What a scenario runs.
pub type System = Coupled<AnyMechanism<f64>>;

/// The largest number of states that a run can have.
const MAX_STATES: usize = 24;

/// Runs a scenario. `watch` is called with the time after every step and may end the run.
pub fn simulate(
    scenario: &Scenario,
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let (system, y) = scenario.system().map_err(Stopped::Input)?;
    /// One instance of the solver for each number of states.
    macro_rules! by_states {
        ($($n:literal)*) => {
            match y.len() {
                $($n => sized::<$n>(scenario, &system, &y, watch),)*
                _ => unreachable!("a mechanism has states, and no more than were checked"),
            }
        };
    }
    by_states!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
}

impl Scenario {
    /// The system with its friction, and its state at t = 0.
    pub fn system(&self) -> Result<(System, Vec<f64>), Problems> {
        let mut system = Coupled::new(self.mechanism.clone(), self.friction.clone());
        let mut problems = Vec::new();
        if let Some(observer) = &self.observer {
            let contacts = self.mechanism.contacts();
            match contacts.iter().position(|c| c.role == Role::Observer) {
                Some(i) => system = system.with(i, observer.clone()),
                None => problems.push(Problem::NoObserver),
            }
        }
        let states = system.states();
        if states > MAX_STATES {
            problems.push(Problem::TooManyStates { states, limit: MAX_STATES });
            return Err(Problems(problems));
        }
        let mut y = vec![0.0; states];
        system.initial(&mut y);
        let signals = Signals::of(&system);
        let columns: Vec<String> = signals.columns.into_iter().map(|(name, _)| name).collect();
        let names: Vec<String> = signals.states.iter().map(|c| columns[*c].clone()).collect();
        for (name, value) in &self.initial {
            if let Some(k) = index("initial", name, &names, &mut problems) {
                y[k] = *value;
            }
        }
        for name in self.panels.iter().flatten() {
            index("figure.panels", name, &columns, &mut problems);
        }
        if problems.is_empty() { Ok((system, y)) } else { Err(Problems(problems)) }
    }
}

fn sized<const N: usize>(
    scenario: &Scenario,
    system: &System,
    y: &[f64],
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let y: [f64; N] = core::array::from_fn(|k| y[k]);
    match scenario.run.method {
        Method::Radau => adaptive(scenario, system, Radau::new(), y, watch),
        Method::DormandPrince => adaptive(scenario, system, DormandPrince::new(), y, watch),
        Method::Fixed => fixed(scenario, system, y, watch),
    }
}

fn spacing(scenario: &Scenario) -> Spacing {
    match scenario.run.spacing {
        dt if dt > 0.0 => Spacing::Even(dt),
        _ => Spacing::Steps,
    }
}

fn failed(system: &System, failure: Failure) -> Stopped {
    let signals = Signals::of(system);
    let name = signals.states.get(failure.state).map(|c| signals.columns[*c].0.clone());
    Stopped::Failed(failure, name.unwrap_or_default())
}

fn adaptive<Me: bristle_ode::Method<N>, const N: usize>(
    scenario: &Scenario,
    system: &System,
    method: Me,
    y: [f64; N],
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let max_steps = scenario.run.max_steps as usize;
    let options = Options { max_steps, ..system.options(scenario.run.tolerance) };
    let mut run = Hybrid::new(system, method, y, options);
    let mut recorder = Recorder::new(system, 0.0, &y, spacing(scenario));
    let mut ledger = Ledger::new(system, 0.0, &y);
    loop {
        let stop = run.advance(scenario.run.end, &mut |run| {
            recorder.step(system, run.dense());
            ledger.enter(system, run.dense());
        });
        if stop.map_err(|failure| failed(system, failure))? == Stop::End {
            break;
        }
        if watch(run.t()).is_break() {
            return Err(Stopped::Interrupted(Interrupted(run.t())));
        }
    }
    let (trace, extremes) = recorder.finish(system, run.t(), run.y());
    let ledger = named(system, |i| *ledger.account(i));
    Ok(Outcome { trace, extremes, ledger, cost: Cost::Adaptive(*run.statistics()) })
}

fn fixed<const N: usize>(
    scenario: &Scenario,
    system: &System,
    y: [f64; N],
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let (update, h) = (scenario.run.update, scenario.run.step);
    let Some(mut run) = FixedStep::new(system, update, h, y) else {
        let model = scenario.friction.info().name;
        return Err(Stopped::Input(Problems(vec![Problem::NoFixedStep { model }])));
    };
    let mut recorder = Recorder::new(system, 0.0, &y, spacing(scenario));
    while run.t() < scenario.run.end - 1e-9 * h {
        run.step().map_err(|failure| failed(system, failure))?;
        recorder.step(system, run.dense());
        if watch(run.t()).is_break() {
            return Err(Stopped::Interrupted(Interrupted(run.t())));
        }
    }
    let (trace, extremes) = recorder.finish(system, run.t(), run.y());
    let ledger = named(system, |i| *run.account(i));
    let (steps, iterations, halvings) = (run.steps(), run.iterations, run.halvings);
    Ok(Outcome { trace, extremes, ledger, cost: Cost::Fixed { steps, iterations, halvings } })
}

/// The accounts of the elements that act on a body.
fn named(system: &System, account: impl Fn(usize) -> Account) -> Vec<(&'static str, Account)> {
    let contacts = system.mechanism.contacts().iter().enumerate();
    contacts
        .filter(|(_, contact)| contact.role == Role::Friction)
        .map(|(i, contact)| (contact.name, account(i)))
        .collect()
}
