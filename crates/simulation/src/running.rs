use crate::simulation::{Stepping, name_of};
use crate::{Cost, Energy, Event, MAX_ROWS, Method, OnImbalance, Run, Simulation, Stopped};
use bristle_ode::{DormandPrince, Failure, Heap, Options, Radau, Solver};
use bristle_system::{
    Account, Balance, Coupled, FixedStep, Imbalance, Ledger, Mechanism, Mode, Role, Step, Watch,
    run, tell,
};
use bristle_trace::{Recorder, Signals, Trace};
use std::ops::ControlFlow;

/// Where a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// When, s.
    pub t: f64,
    /// In which state.
    pub y: Vec<f64>,
    /// In which mode.
    pub mode: Mode,
    /// What it took.
    pub statistics: Cost,
}

/// What steps time.
pub(crate) enum Engine<'s, M: Mechanism> {
    Radau(Box<Solver<Coupled<M>, Radau<Heap>>>),
    DormandPrince(Box<Solver<Coupled<M>, DormandPrince<Heap>>>),
    Fixed(Box<FixedStep<'s, M>>),
}

/// Not derived: that would ask the mechanism to be `Clone` too.
impl<M: Mechanism> Clone for Engine<'_, M> {
    fn clone(&self) -> Self {
        match self {
            Engine::Radau(solver) => Engine::Radau(solver.clone()),
            Engine::DormandPrince(solver) => Engine::DormandPrince(solver.clone()),
            Engine::Fixed(steps) => Engine::Fixed(steps.clone()),
        }
    }
}

/// Evaluates the expression for whatever steps time.
macro_rules! each {
    ($engine:expr, $e:ident => $value:expr) => {
        match $engine {
            Engine::Radau($e) => $value,
            Engine::DormandPrince($e) => $value,
            Engine::Fixed($e) => $value,
        }
    };
}

impl<'s, M: Mechanism> Engine<'s, M> {
    pub(crate) fn new(
        system: &'s Coupled<M>,
        y: &[f64],
        stepping: Stepping,
    ) -> Result<Self, Stopped> {
        let Stepping { method, tolerance, max_steps } = stepping;
        let atol = system.tolerances(tolerance);
        let options = Options { max_steps, ..Options::new(tolerance, &atol) };
        let mode = system.begin(0.0, y);
        Ok(match method {
            Method::Radau => {
                let radau = Radau::new(system);
                Engine::Radau(Box::new(Solver::new(system, radau, 0.0, y, mode, options)))
            }
            Method::DormandPrince => {
                let pair = DormandPrince::new(system);
                Engine::DormandPrince(Box::new(Solver::new(system, pair, 0.0, y, mode, options)))
            }
            Method::Fixed { step, update } => {
                let steps = FixedStep::new(system, update, step, y);
                Engine::Fixed(Box::new(steps.ok_or(Stopped::NoFixedStep)?))
            }
        })
    }

    /// Goes on to `end`, or until the one who watches ends it; with fixed steps to the last whole one before.
    pub(crate) fn advance(
        &mut self,
        system: &Coupled<M>,
        end: f64,
        watch: &mut dyn Watch<M>,
    ) -> Result<ControlFlow<()>, Failure> {
        match self {
            Engine::Radau(solver) => run(system, solver, end, watch),
            Engine::DormandPrince(solver) => run(system, solver, end, watch),
            Engine::Fixed(steps) => {
                // Rounding may leave the last one a little short.
                while steps.t() < end - (1.0 - 1e-9) * steps.h() {
                    steps.step()?;
                    let (mode, t, y) = (steps.mode(), steps.t(), steps.y());
                    let step = Step::new(steps.step_mode(), mode, steps.dense(), &[], y.len());
                    let flow = tell(watch, system, &step, (mode, t, y));
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// Goes on to `end` by way of `stops`.
    pub(crate) fn follow(
        &mut self,
        system: &Coupled<M>,
        stops: &[f64],
        end: f64,
        watch: &mut dyn Watch<M>,
    ) -> Result<(), Stopped> {
        let now = self.t();
        let stops = stops.iter().copied().filter(|t| *t > now && *t < end);
        for stop in stops.chain([end]) {
            let flow = self.advance(system, stop, watch);
            let flow = flow.map_err(|f| Stopped::Failed(f, name_of(system, f.state)))?;
            if flow.is_break() {
                return Err(Stopped::Interrupted(self.t()));
            }
        }
        Ok(())
    }

    fn t(&self) -> f64 {
        each!(self, e => e.t())
    }

    fn y(&self) -> &[f64] {
        each!(self, e => e.y())
    }

    fn mode(&self) -> &Mode {
        each!(self, e => e.mode())
    }

    /// The books that fixed steps keep of themselves, and what is wrong with them.
    fn books(&self) -> Option<(Vec<Account>, Option<Imbalance>)> {
        match self {
            Engine::Fixed(steps) => {
                let contacts = 0..self.mode().contacts.len();
                Some((contacts.map(|i| *steps.account(i)).collect(), steps.imbalance()))
            }
            _ => None,
        }
    }

    fn statistics(&self) -> Cost {
        match self {
            Engine::Radau(solver) => Cost::Adaptive(*solver.statistics()),
            Engine::DormandPrince(solver) => Cost::Adaptive(*solver.statistics()),
            Engine::Fixed(run) => {
                let (iterations, halvings) = (run.iterations, run.halvings);
                Cost::Fixed { steps: run.steps(), iterations, halvings }
            }
        }
    }

    pub(crate) fn ended(&self) -> Ended {
        let (t, y, mode) = (self.t(), self.y().to_vec(), self.mode().clone());
        Ended { t, y, mode, statistics: self.statistics() }
    }
}

/// Records a run and keeps its books.
#[derive(Clone)]
struct Clerk {
    recorder: Recorder,
    ledger: Option<Ledger>,
    balance: Option<Balance>,
    books: Option<Trace>,
    events: Vec<(f64, Event)>,
    on_imbalance: OnImbalance,
    shared: Vec<bool>,
    keeps_events: bool,
    /// When the run is to end, s.
    until: f64,
    /// How many rows the trace would have then, where those are too many.
    too_many: Option<f64>,
    /// The mode that the last step ended.
    left: Option<Mode>,
}

/// After so many rows their rate says how many there will be.
const FORECAST: usize = 1 << 14;

impl Clerk {
    /// How many rows the trace will have, where those are clearly more than it may: a run that takes minutes is not
    /// refused at its end.
    fn forecast(&self, t: f64) -> Option<f64> {
        let rows = self.recorder.rows();
        let forecast = rows as f64 * self.until / t;
        let clear = rows >= FORECAST && forecast > 2.0 * MAX_ROWS as f64;
        (clear || rows >= MAX_ROWS).then_some(forecast)
    }

    /// What is wrong with the books, if something is: of a contact, or of the mechanism as a whole.
    fn imbalance(&self) -> Option<Imbalance> {
        let contact = self.ledger.as_ref().and_then(|ledger| ledger.imbalance().copied());
        contact.or_else(|| {
            let (t, fault) = self.balance.as_ref()?.fault()?;
            Some(Imbalance { t, contact: None, name: "", fault })
        })
    }
}

/// What the columns of [`Run::books`] are called.
const BOOKS: [(&str, &str); 7] = [
    ("t", "s"),
    ("work", "J"),
    ("by_load", "J"),
    ("stored", "J"),
    ("slip", "J"),
    ("dissipated", "J"),
    ("residual", "J"),
];

/// The energy of all friction elements that act on bodies, summed up.
fn entry<M: Mechanism>(system: &Coupled<M>, ledger: &Ledger, t: f64) -> [f64; 7] {
    let mut row = [t, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let contacts = system.mechanism.contacts().iter().enumerate();
    for (i, _) in contacts.filter(|(_, contact)| contact.role == Role::Friction) {
        let a = ledger.account(i);
        let own = [a.work, a.load, a.stored, a.slip, a.dissipated, a.residual()];
        row[1..].iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
    row
}

impl<M: Mechanism> Watch<M> for Clerk {
    fn step(&mut self, system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        self.recorder.step(system, step)?;
        for (shared, contact) in self.shared.iter_mut().zip(&step.mode.contacts) {
            *shared |= contact.shared && contact.element.way == 0.0;
        }
        self.left = step.ends_mode.then(|| step.mode.clone());
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(system, step.mode, step.dense);
        }
        if let Some(balance) = &mut self.balance {
            balance.enter(system, step.mode, step.dense);
        }
        if let (Some(books), Some(ledger)) = (&mut self.books, &self.ledger) {
            books.push(&entry(system, ledger, step.end()));
        }
        if self.on_imbalance == OnImbalance::Stop && self.imbalance().is_some() {
            return ControlFlow::Break(());
        }
        self.too_many = self.forecast(step.end());
        if self.too_many.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn arrived(&mut self, system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) {
        self.recorder.arrived(system, mode, t, y);
        if let Some(left) = self.left.take().filter(|_| self.keeps_events) {
            Event::between(system, [&left, mode], |event| self.events.push((t, event)));
        }
    }
}

/// A run that is stepped by hand. Its clone is a run saved.
pub struct Running<'s, M: Mechanism> {
    simulation: &'s Simulation<M>,
    engine: Engine<'s, M>,
    clerk: Clerk,
}

impl<M: Mechanism> Clone for Running<'_, M> {
    fn clone(&self) -> Self {
        let (engine, clerk) = (self.engine.clone(), self.clerk.clone());
        Running { simulation: self.simulation, engine, clerk }
    }
}

impl<'s, M: Mechanism> Running<'s, M> {
    pub(crate) fn new(simulation: &'s Simulation<M>) -> Result<Self, Stopped> {
        let Simulation { system, y, stepping, spacing, .. } = simulation;
        let Simulation { on_imbalance, keeps_events, keeps_books: with_books, .. } = simulation;
        let engine = Engine::new(system, y, *stepping)?;
        let mode = engine.mode();
        let keeps_books = matches!(stepping.method, Method::Fixed { .. });
        let ledger = (!keeps_books).then(|| Ledger::new(system, mode, 0.0, y, stepping.tolerance));
        let mut books = (*with_books && !keeps_books).then(|| Trace::new(BOOKS));
        if let (Some(books), Some(ledger)) = (&mut books, &ledger) {
            books.push(&entry(system, ledger, 0.0));
        }
        let clerk = Clerk {
            recorder: Recorder::new(system, mode, 0.0, y, *spacing),
            ledger,
            balance: match keeps_books {
                true => None,
                false => Balance::new(system, mode, 0.0, y, stepping.tolerance),
            },
            books,
            events: Vec::new(),
            on_imbalance: *on_imbalance,
            shared: vec![false; system.contacts()],
            keeps_events: *keeps_events,
            until: 0.0,
            too_many: None,
            left: None,
        };
        Ok(Running { simulation, engine, clerk })
    }

    /// Time, s.
    pub fn t(&self) -> f64 {
        self.engine.t()
    }

    /// The state.
    pub fn y(&self) -> &[f64] {
        self.engine.y()
    }

    /// What is discrete about it.
    pub fn mode(&self) -> &Mode {
        self.engine.mode()
    }

    /// The value of a column now; nothing if there is none of that name.
    pub fn value(&self, column: &str) -> Option<f64> {
        let (system, mut row) = (&self.simulation.system, Vec::new());
        let signals = Signals::of(system);
        let k = signals.columns.iter().position(|(name, _)| name == column)?;
        signals.at(system, self.mode(), self.t(), self.y(), &mut row);
        Some(row[k])
    }

    /// What has happened so far, and when.
    pub fn events(&self) -> &[(f64, Event)] {
        &self.clerk.events
    }

    /// Goes on to a time, s; with fixed steps to the last whole step before it.
    pub fn advance(&mut self, to: f64) -> Result<(), Stopped> {
        self.watched(to, &mut ())
    }

    /// The same under the eyes of one who may end it.
    pub fn watched(&mut self, to: f64, watch: &mut dyn Watch<M>) -> Result<(), Stopped> {
        let Running { simulation, engine, clerk } = self;
        clerk.until = to;
        let flow =
            engine.follow(&simulation.system, &simulation.stops, to, &mut (&mut *clerk, watch));
        match (flow, clerk.imbalance()) {
            (Err(Stopped::Interrupted(_)), Some(imbalance))
                if clerk.on_imbalance == OnImbalance::Stop =>
            {
                Err(Stopped::Imbalance(imbalance))
            }
            (flow @ Err(Stopped::Interrupted(_)), _) => match clerk.too_many {
                Some(rows) => Err(Stopped::TooManyRows { rows, until: to }),
                None => flow,
            },
            (flow, _) => flow,
        }
    }

    /// Ends the run here.
    pub fn finish(self) -> Result<Run, Stopped> {
        let Running { simulation: Simulation { system, .. }, engine, clerk } = self;
        let contacts = system.mechanism.contacts();
        let (accounts, imbalance) = match (engine.books(), &clerk.ledger) {
            (Some(books), _) => books,
            (None, Some(ledger)) => {
                let accounts = (0..contacts.len()).map(|i| *ledger.account(i)).collect();
                (accounts, clerk.imbalance())
            }
            (None, None) => (Vec::new(), None),
        };
        if let (Some(imbalance), OnImbalance::Stop) = (imbalance, clerk.on_imbalance) {
            return Err(Stopped::Imbalance(imbalance));
        }
        let Ended { t, y, mode, statistics } = engine.ended();
        let (trace, extremes) = clerk.recorder.finish(system, &mode, t, &y);
        let books = contacts.iter().zip(accounts).filter(|(c, _)| c.role == Role::Friction);
        let shared = contacts.iter().zip(&clerk.shared).filter(|(_, shared)| **shared);
        Ok(Run {
            trace,
            extremes,
            ledger: books.map(|(contact, account)| (contact.name, account)).collect(),
            balance: clerk.balance.map(|balance| Energy {
                parts: balance.totals(system).collect(),
                friction: balance.friction(),
                residual: balance.residual(system),
            }),
            books: clerk.books,
            events: clerk.events,
            imbalance,
            shared: shared.map(|(contact, _)| contact.name).collect(),
            agreement: None,
            halved: None,
            statistics,
        })
    }
}
