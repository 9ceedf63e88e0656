use crate::scenario::{MAX_ROWS, Method, Scenario, index};
use crate::table::{Problem, Problems};
use bristle_ode::{Dense, DormandPrince, Failure, Options, Radau, Statistics};
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
    /// With a row for each step the trace would be longer than one may be; when that was, s.
    TooManyRows(f64),
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
            Stopped::TooManyRows(t) => write!(
                f,
                "the trace has {MAX_ROWS} rows at t = {t} s, one for each step; give run.spacing, the time \
                 between rows in s, or end the run earlier"
            ),
        }
    }
}

impl std::error::Error for Stopped {}

/// What a scenario runs.
pub type System = Coupled<AnyMechanism<f64>>;

/// The largest number of states that a run can have.
const MAX_STATES: usize = 24;

/// One step of a run, whatever the number of states.
pub trait Step {
    /// When it begins and ends.
    fn span(&self) -> [f64; 2];
    /// The state within it.
    fn state(&self, t: f64) -> Vec<f64>;
    /// The step, to keep.
    fn kept(&self) -> Box<dyn Step>;
    /// Records it.
    fn record(&self, system: &System, recorder: &mut Recorder);
    /// Enters it into the books.
    fn enter(&self, system: &System, ledger: &mut Ledger);
}

impl<const N: usize> Step for Dense<N> {
    fn span(&self) -> [f64; 2] {
        [self.start(), self.end()]
    }
    fn state(&self, t: f64) -> Vec<f64> {
        self.at(t).to_vec()
    }
    fn kept(&self) -> Box<dyn Step> {
        Box::new(*self)
    }
    fn record(&self, system: &System, recorder: &mut Recorder) {
        recorder.step(system, self);
    }
    fn enter(&self, system: &System, ledger: &mut Ledger) {
        ledger.enter(system, self);
    }
}

/// Sees every step, in the discrete state that it was taken in, and may end the run after it.
pub type Watch<'a> = &'a mut dyn FnMut(&dyn Step) -> ControlFlow<()>;

/// Where a run ended.
#[derive(Clone, Debug)]
pub struct Walked {
    /// When.
    pub t: f64,
    /// In which state.
    pub y: Vec<f64>,
    /// What it took.
    pub cost: Cost,
    /// The books that a run with fixed steps keeps of itself; else none.
    books: Vec<Account>,
}

/// Runs a scenario whose system and initial state are these. A step ends at each of the times `stops`,
/// which increase; with fixed steps there are none.
pub fn walk(
    scenario: &Scenario,
    system: &System,
    y: &[f64],
    stops: &[f64],
    watch: Watch<'_>,
) -> Result<Walked, Stopped> {
    /// One instance of the solver for each number of states.
    macro_rules! by_states {
        ($($n:literal)*) => {
            match y.len() {
                $($n => sized::<$n>(scenario, system, y, stops, watch),)*
                _ => unreachable!("a mechanism has states, and no more than were checked"),
            }
        };
    }
    by_states!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
}

/// Runs a scenario. `watch` is called with the time after every step and may end the run.
pub fn simulate(
    scenario: &Scenario,
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let (system, y) = scenario.system().map_err(Stopped::Input)?;
    let mut recorder = Recorder::new(&system, 0.0, &y, spacing(scenario));
    let mut ledger = Ledger::new(&system, 0.0, &y);
    let fixed = scenario.run.method == Method::Fixed;
    let mut rows = 0;
    let walked = walk(scenario, &system, &y, &[], &mut |step| {
        step.record(&system, &mut recorder);
        if !fixed {
            step.enter(&system, &mut ledger);
        }
        rows += usize::from(scenario.run.spacing == 0.0);
        if rows >= MAX_ROWS { ControlFlow::Break(()) } else { watch(step.span()[1]) }
    });
    let walked = match walked {
        Err(Stopped::Interrupted(Interrupted(t))) if rows >= MAX_ROWS => {
            return Err(Stopped::TooManyRows(t));
        }
        walked => walked?,
    };
    let (trace, extremes) = recorder.finish(&system, walked.t, &walked.y);
    let account = |i: usize| walked.books.get(i).copied().unwrap_or_else(|| *ledger.account(i));
    Ok(Outcome { trace, extremes, ledger: named(&system, account), cost: walked.cost })
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
            return Err(self.places.locate(problems));
        }
        let mut y = vec![0.0; states];
        system.initial(&mut y);
        let signals = Signals::of(&system);
        let (columns, units): (Vec<String>, Vec<&str>) = signals.columns.into_iter().unzip();
        let names: Vec<String> = signals.states.iter().map(|c| columns[*c].clone()).collect();
        for (name, value) in &self.initial {
            if let Some(k) = index("initial", name, &names, &mut problems) {
                y[k] = *value;
            }
        }
        for panel in &self.panels {
            let x =
                panel.x.as_ref().map(|x| (x, index("figure.panels", x, &columns, &mut problems)));
            for name in &panel.y {
                index("figure.panels", name, &columns, &mut problems);
            }
            let velocity = |k: usize| matches!(units[k], "m/s" | "rad/s");
            if let Some((x, Some(k))) = x
                && panel.law
                && !velocity(k)
            {
                problems.push(Problem::WrongKind {
                    key: "figure.panels".into(),
                    expected: "over a velocity where law = true, such as v_rel".into(),
                    found: format!("{{ x = \"{x}\", … }}"),
                });
            }
        }
        if problems.is_empty() { Ok((system, y)) } else { Err(self.places.locate(problems)) }
    }
}

fn sized<const N: usize>(
    scenario: &Scenario,
    system: &System,
    y: &[f64],
    stops: &[f64],
    watch: Watch<'_>,
) -> Result<Walked, Stopped> {
    let y: [f64; N] = core::array::from_fn(|k| y[k]);
    match scenario.run.method {
        Method::Radau => adaptive(scenario, system, Radau::new(), y, stops, watch),
        Method::DormandPrince => adaptive(scenario, system, DormandPrince::new(), y, stops, watch),
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
    stops: &[f64],
    watch: Watch<'_>,
) -> Result<Walked, Stopped> {
    let max_steps = scenario.run.max_steps as usize;
    let options = Options { max_steps, ..system.options(scenario.run.tolerance) };
    let mut run = Hybrid::new(system, method, y, options);
    let mut flow = ControlFlow::Continue(());
    for stop in stops.iter().copied().chain([scenario.run.end]) {
        loop {
            let stop = run.advance(stop, &mut |run| flow = watch(run.dense()));
            let reached = stop.map_err(|failure| failed(system, failure))?;
            if flow.is_break() {
                return Err(Stopped::Interrupted(Interrupted(run.t())));
            }
            if reached == Stop::End {
                break;
            }
        }
    }
    let cost = Cost::Adaptive(*run.statistics());
    Ok(Walked { t: run.t(), y: run.y().to_vec(), cost, books: Vec::new() })
}

fn fixed<const N: usize>(
    scenario: &Scenario,
    system: &System,
    y: [f64; N],
    watch: Watch<'_>,
) -> Result<Walked, Stopped> {
    let (update, h) = (scenario.run.update, scenario.run.step);
    let Some(mut run) = FixedStep::new(system, update, h, y) else {
        let model = scenario.friction.info().name;
        let problems = vec![Problem::NoFixedStep { model }];
        return Err(Stopped::Input(scenario.places.locate(problems)));
    };
    // The last whole step before the end; rounding may leave it a little short.
    while run.t() < scenario.run.end - (1.0 - 1e-9) * h {
        run.step().map_err(|failure| failed(system, failure))?;
        if watch(run.dense()).is_break() {
            return Err(Stopped::Interrupted(Interrupted(run.t())));
        }
    }
    let (steps, iterations, halvings) = (run.steps(), run.iterations, run.halvings);
    let cost = Cost::Fixed { steps, iterations, halvings };
    let books = (0..system.contacts()).map(|i| *run.account(i)).collect();
    Ok(Walked { t: run.t(), y: run.y().to_vec(), cost, books })
}

/// The accounts of the elements that act on a body.
fn named(system: &System, account: impl Fn(usize) -> Account) -> Vec<(&'static str, Account)> {
    let contacts = system.mechanism.contacts().iter().enumerate();
    contacts
        .filter(|(_, contact)| contact.role == Role::Friction)
        .map(|(i, contact)| (contact.name, account(i)))
        .collect()
}
