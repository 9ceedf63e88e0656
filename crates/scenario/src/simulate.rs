use crate::scenario::{MAX_ROWS, Method, Scenario, index};
use crate::table::{Problem, Problems};
use bristle_kernel::Drive;
use bristle_ode::{DormandPrince, Failure, Heap, Options, Radau, Solver, Statistics};
use bristle_system::condition::{Agreement, COARSER, Samples};
use bristle_system::{
    Account, AnyMechanism, Coupled, FixedStep, Imbalance, Ledger, Mechanism, Mode, Role, Step,
    Watch, run, tell,
};
use bristle_trace::{Extreme, Recorder, Signals, Spacing, Trace};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The recorded columns.
    pub trace: Trace,
    /// The extremes of each column over the whole run.
    pub extremes: Vec<Extreme>,
    /// The account of each friction element that acts on a body: its name and its books.
    pub ledger: Vec<(&'static str, Account)>,
    /// What is wrong with the books, where a run was to go on all the same.
    pub imbalance: Option<Imbalance>,
    /// The contacts that held a body together with others, so that their forces are not unique, by name.
    pub shared: Vec<&'static str>,
    /// How well it agrees with a coarser run; not known with fixed steps, or where that one failed.
    pub agreement: Option<Agreed>,
    /// What the run cost.
    pub cost: Cost,
}

/// By how much a run at ten times the tolerance differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreed {
    /// The column that differs most.
    pub column: String,
    /// When, and by how much.
    pub by: Agreement,
}

/// What to do where the books of a run do not balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnImbalance {
    /// The run ends with an error.
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
    /// The energy of a contact does not balance.
    Imbalance(Imbalance),
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
            Stopped::Imbalance(imbalance) => write!(
                f,
                "{imbalance}; lower run.tolerance, or keep the results, marked as wrong, with --force"
            ),
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

/// Where a run ended.
#[derive(Clone, Debug)]
pub struct Walked {
    /// When.
    pub t: f64,
    /// In which state.
    pub y: Vec<f64>,
    /// In which mode.
    pub mode: Mode,
    /// What it took.
    pub cost: Cost,
    /// The books that a run with fixed steps keeps of itself, and what is wrong with them; else none.
    books: Option<(Vec<Account>, Option<Imbalance>)>,
}

/// Runs a scenario whose system and initial state are these. A step ends at each of the times `stops`,
/// which increase; with fixed steps there are none.
pub fn walk(
    scenario: &Scenario,
    system: &System,
    y: &[f64],
    stops: &[f64],
    watch: &mut dyn Watch<AnyMechanism<f64>>,
) -> Result<Walked, Stopped> {
    match scenario.run.method {
        Method::Radau => adaptive(scenario, system, Radau::new(system), y, stops, watch),
        Method::DormandPrince => {
            adaptive(scenario, system, DormandPrince::new(system), y, stops, watch)
        }
        Method::Fixed => fixed(scenario, system, y, watch),
    }
}

/// Records a run and keeps its books, and asks whether it goes on.
struct Clerk<'a> {
    recorder: Recorder,
    ledger: Option<Ledger>,
    on_imbalance: OnImbalance,
    shared: Vec<bool>,
    too_long: bool,
    go_on: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
}

impl Watch<AnyMechanism<f64>> for Clerk<'_> {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        self.recorder.step(system, step)?;
        for (shared, contact) in self.shared.iter_mut().zip(&step.mode.contacts) {
            *shared |= contact.shared && contact.element.way == 0.0;
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(system, step.mode, step.dense);
            if ledger.imbalance().is_some() && self.on_imbalance == OnImbalance::Stop {
                return ControlFlow::Break(());
            }
        }
        self.too_long = self.recorder.rows() >= MAX_ROWS;
        if self.too_long { ControlFlow::Break(()) } else { (self.go_on)(step.end()) }
    }

    fn arrived(&mut self, system: &System, mode: &Mode, t: f64, y: &[f64]) {
        self.recorder.arrived(system, mode, t, y);
    }
}

/// Runs a scenario. `go_on` is called with the time after every step and may end the run.
pub fn simulate(
    scenario: &Scenario,
    on_imbalance: OnImbalance,
    go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Outcome, Stopped> {
    let (system, y) = scenario.system().map_err(Stopped::Input)?;
    let mode = system.begin(0.0, &y);
    let tolerance = scenario.run.tolerance;
    let mut clerk = Clerk {
        recorder: Recorder::new(&system, &mode, 0.0, &y, spacing(scenario)),
        ledger: (scenario.run.method != Method::Fixed)
            .then(|| Ledger::new(&system, &mode, 0.0, &y, tolerance)),
        on_imbalance,
        shared: vec![false; system.contacts()],
        too_long: false,
        go_on,
    };
    let mut samples = Samples::new(&y, scenario.run.end);
    let over = AtomicBool::new(false);
    let (walked, coarser) = std::thread::scope(|scope| {
        let coarser = scope.spawn(|| coarser(scenario, &system, &y, &over));
        let walked = walk(scenario, &system, &y, &[], &mut (&mut clerk, &mut samples));
        over.store(walked.is_err(), Ordering::Relaxed);
        (walked, coarser.join().unwrap_or_default())
    });
    let mut imbalance = clerk.ledger.as_ref().and_then(|l| l.imbalance().copied());
    let walked = match (walked, imbalance) {
        (Err(Stopped::Interrupted(_)), Some(imbalance)) => {
            return Err(Stopped::Imbalance(imbalance));
        }
        (Err(Stopped::Interrupted(Interrupted(t))), _) if clerk.too_long => {
            return Err(Stopped::TooManyRows(t));
        }
        (walked, _) => walked?,
    };
    let mut accounts: Vec<Account> = Vec::new();
    if let Some((books, fault)) = walked.books {
        (accounts, imbalance) = (books, fault);
    } else if let Some(ledger) = &clerk.ledger {
        accounts.extend((0..system.contacts()).map(|i| *ledger.account(i)));
    }
    if let (Some(imbalance), OnImbalance::Stop) = (imbalance, on_imbalance) {
        return Err(Stopped::Imbalance(imbalance));
    }
    let (trace, extremes) = clerk.recorder.finish(&system, &walked.mode, walked.t, &walked.y);
    let contacts = system.mechanism.contacts();
    let acts = |i: &usize| contacts[*i].role == Role::Friction;
    let ledger =
        (0..contacts.len()).filter(acts).map(|i| (contacts[i].name, accounts[i])).collect();
    let shared =
        (0..contacts.len()).filter(|i| clerk.shared[*i]).map(|i| contacts[i].name).collect();
    let agreement = coarser.map(|coarser| {
        let by = samples.agreement(&coarser, &system, tolerance);
        Agreed { column: name_of(&system, by.state), by }
    });
    Ok(Outcome { trace, extremes, ledger, imbalance, shared, agreement, cost: walked.cost })
}

/// The same run at a tolerance that is ten times as coarse, unless it is over before.
fn coarser(scenario: &Scenario, system: &System, y: &[f64], over: &AtomicBool) -> Option<Samples> {
    if scenario.run.method == Method::Fixed {
        return None;
    }
    let mut coarse = scenario.clone();
    coarse.run.tolerance *= COARSER;
    let mut samples = Samples::new(y, scenario.run.end);
    let mut until = Until(over);
    walk(&coarse, system, y, &[], &mut (&mut samples, &mut until)).ok()?;
    Some(samples)
}

/// Ends a run when it is told.
struct Until<'a>(&'a AtomicBool);

impl<M> Watch<M> for Until<'_> {
    fn step(&mut self, _system: &Coupled<M>, _step: &Step<'_>) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The column of a state.
fn name_of(system: &System, state: usize) -> String {
    let signals = Signals::of(system);
    let name = signals.states.get(state).map(|c| signals.columns[*c].0.clone());
    name.unwrap_or_default()
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
        let contacts = self.mechanism.contacts();
        if let Some(i) = contacts.iter().position(|c| c.role == Role::Observer) {
            let at = Drive::new(0.0, 1.0);
            if system.friction(i).limits(&at).is_some() {
                let model = self.observer.as_ref().unwrap_or(&self.friction).info().name;
                problems.push(Problem::SetValuedObserver { model });
            }
        }
        let mut y = system.initial();
        let signals = Signals::of(&system);
        let columns: Vec<String> = signals.columns.iter().map(|c| c.0.clone()).collect();
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
            if let Some((x, Some(k))) = x
                && panel.law
                && !signals.velocities.contains(&k)
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

fn spacing(scenario: &Scenario) -> Spacing {
    match scenario.run.spacing {
        dt if dt > 0.0 => Spacing::Even(dt),
        _ => Spacing::Steps,
    }
}

fn failed(system: &System, failure: Failure) -> Stopped {
    Stopped::Failed(failure, name_of(system, failure.state))
}

fn adaptive<Me: bristle_ode::Method<System, Storage = Heap>>(
    scenario: &Scenario,
    system: &System,
    method: Me,
    y: &[f64],
    stops: &[f64],
    watch: &mut dyn Watch<AnyMechanism<f64>>,
) -> Result<Walked, Stopped> {
    let rtol = scenario.run.tolerance;
    let max_steps = scenario.run.max_steps as usize;
    let options = Options { max_steps, ..Options::new(rtol, &system.tolerances(rtol)) };
    let mut solver = Solver::new(system, method, 0.0, y, system.begin(0.0, y), options);
    for stop in stops.iter().copied().chain([scenario.run.end]) {
        let flow = run(system, &mut solver, stop, watch).map_err(|f| failed(system, f))?;
        if flow.is_break() {
            return Err(Stopped::Interrupted(Interrupted(solver.t())));
        }
    }
    let (t, y, mode) = (solver.t(), solver.y().to_vec(), solver.mode().clone());
    Ok(Walked { t, y, mode, cost: Cost::Adaptive(*solver.statistics()), books: None })
}

fn fixed(
    scenario: &Scenario,
    system: &System,
    y: &[f64],
    watch: &mut dyn Watch<AnyMechanism<f64>>,
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
        let (mode, t, y) = (run.mode(), run.t(), run.y());
        let step = Step::new(run.step_mode(), mode, run.dense(), &[], y.len());
        let flow = tell(watch, system, &step, (mode, t, y));
        if flow.is_break() {
            return Err(Stopped::Interrupted(Interrupted(run.t())));
        }
    }
    let (steps, iterations, halvings) = (run.steps(), run.iterations, run.halvings);
    let cost = Cost::Fixed { steps, iterations, halvings };
    let accounts = (0..system.contacts()).map(|i| *run.account(i)).collect();
    let (t, y, mode) = (run.t(), run.y().to_vec(), run.mode().clone());
    Ok(Walked { t, y, mode, cost, books: Some((accounts, run.imbalance())) })
}
