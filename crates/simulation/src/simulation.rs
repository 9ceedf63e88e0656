use crate::running::Engine;
use crate::{Agreed, Ended, Halved, OnImbalance, Run, Running, Stopped};
use bristle_kernel::Update;
use bristle_system::condition::{Agreement, COARSER, Samples};
use bristle_system::{Coupled, Friction, Mechanism, Step, Watch};
use bristle_trace::{Signals, Spacing};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// A trace may have so many rows.
pub const MAX_ROWS: usize = 5_000_000;
/// A run that differs from one of half the step by more than this part of a range means nothing.
const MEANINGLESS: f64 = 0.3;
/// Runs with fixed steps that are tried in search of a step that would do take no more steps than this.
const MOST_STEPS: f64 = 2e5;

/// How time is stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Radau IIA of orders 5 and 9, implicit, with error control: for stiff systems, which most are.
    #[default]
    Radau,
    /// Dormand-Prince of order 5, explicit, with error control: for soft ones.
    DormandPrince,
    /// Fixed steps: the friction model's own update, the bodies by the midpoint rule.
    Fixed {
        /// Their length, s. A run ends with the last whole one.
        step: f64,
        /// The friction model's update.
        update: Update,
    },
}

/// How time is stepped, and how closely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepping {
    pub(crate) method: Method,
    pub(crate) tolerance: f64,
    pub(crate) max_steps: usize,
}

/// What is run, and how.
#[derive(Clone, Debug)]
pub struct Simulation<M> {
    pub(crate) system: Coupled<M>,
    pub(crate) y: Vec<f64>,
    pub(crate) stepping: Stepping,
    pub(crate) spacing: Spacing,
    pub(crate) stops: Vec<f64>,
    pub(crate) on_imbalance: OnImbalance,
    pub(crate) keeps_events: bool,
    compares: bool,
    pub(crate) keeps_books: bool,
    /// The first initial value that belongs to no state.
    unknown: Option<String>,
}

impl<M: Mechanism> Simulation<M> {
    /// A mechanism with that friction in every contact.
    pub fn new(mechanism: M, friction: impl Into<Friction>) -> Self {
        Simulation::of(Coupled::new(mechanism, friction))
    }

    /// A mechanism with friction in its contacts.
    pub fn of(system: Coupled<M>) -> Self {
        Simulation {
            y: system.initial(),
            system,
            stepping: Stepping { method: Method::Radau, tolerance: 1e-9, max_steps: 10_000_000 },
            spacing: Spacing::Steps,
            stops: Vec::new(),
            on_imbalance: OnImbalance::Stop,
            keeps_events: true,
            compares: true,
            keeps_books: false,
            unknown: None,
        }
    }

    /// What is run.
    pub fn system(&self) -> &Coupled<M> {
        &self.system
    }

    /// Its state at t = 0.
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// Another value of a state at the start, by its column.
    pub fn initial(mut self, state: &str, value: f64) -> Self {
        match states(&self.system).iter().position(|name| name == state) {
            Some(k) => self.y[k] = value,
            None => self.unknown = self.unknown.or_else(|| Some(state.into())),
        }
        self
    }

    /// The relative tolerance of each state, 1e-9 if not given; the absolute one follows from it.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Simulation { stepping: Stepping { tolerance, ..self.stepping }, ..self }
    }

    /// How time is stepped.
    pub fn method(self, method: Method) -> Self {
        Simulation { stepping: Stepping { method, ..self.stepping }, ..self }
    }

    /// Fixed steps of this length, s, by the midpoint rule.
    pub fn fixed(self, step: f64) -> Self {
        self.method(Method::Fixed { step, update: Update::Midpoint })
    }

    /// When rows of the trace are taken.
    pub fn spacing(self, spacing: Spacing) -> Self {
        Simulation { spacing, ..self }
    }

    /// Times at which a step ends, in their order; with fixed steps there are none.
    pub fn stops(self, stops: &[f64]) -> Self {
        Simulation { stops: stops.to_vec(), ..self }
    }

    /// Steps after which a run is given up, 10⁷ if not given.
    pub fn max_steps(self, max_steps: usize) -> Self {
        Simulation { stepping: Stepping { max_steps, ..self.stepping }, ..self }
    }

    /// What to do where the energy of a contact does not balance.
    pub fn on_imbalance(self, on_imbalance: OnImbalance) -> Self {
        Simulation { on_imbalance, ..self }
    }

    /// Whether the run keeps its events, as it does if not told otherwise: one of years has millions.
    pub fn keep_events(self, keeps_events: bool) -> Self {
        Simulation { keeps_events, ..self }
    }

    /// Whether a second run, at ten times the tolerance or with half the step, tells how well this one agrees with it, as it
    /// does if not told otherwise. Without it a run takes half the time, and its energy ledger alone checks it.
    pub fn compare(self, compares: bool) -> Self {
        Simulation { compares, ..self }
    }

    /// Whether the run keeps its energy over time, in [`Run::books`]; with fixed steps there is none.
    pub fn keep_books(self, keeps_books: bool) -> Self {
        Simulation { keeps_books, ..self }
    }

    /// At t = 0, to be stepped by hand.
    pub fn start(&self) -> Result<Running<'_, M>, Stopped> {
        self.check()?;
        Running::new(self)
    }

    /// Follows a run to `end`, s, without recording it.
    pub fn follow(&self, end: f64, watch: &mut dyn Watch<M>) -> Result<Ended, Stopped> {
        self.check_until(end)?;
        let mut engine = Engine::new(&self.system, &self.y, self.stepping)?;
        engine.follow(&self.system, &self.stops, end, watch)?;
        Ok(engine.ended())
    }

    fn check_until(&self, end: f64) -> Result<(), Stopped> {
        self.check()?;
        within("end", end, end > 0.0 && end.is_finite(), "a time above 0 s")?;
        let (name, between) = match (self.spacing, self.stepping.method) {
            (Spacing::Even(dt), _) => ("spacing", dt),
            (Spacing::Steps, Method::Fixed { step, .. }) => ("step", step),
            (Spacing::Steps, _) => return Ok(()),
        };
        let allowed = "such that the trace has at most 5,000,000 rows";
        within(name, between, end / between <= MAX_ROWS as f64, allowed)
    }

    fn check(&self) -> Result<(), Stopped> {
        if let Some(name) = &self.unknown {
            return Err(Stopped::Unknown { name: name.clone(), known: states(&self.system) });
        }
        let Stepping { tolerance, method, .. } = self.stepping;
        within("tolerance", tolerance, (1e-13..=1e-2).contains(&tolerance), "in [1e-13, 1e-2]")?;
        if let Spacing::Even(dt) = self.spacing {
            within("spacing", dt, dt > 0.0, "a time above 0 s")?;
        }
        if let Method::Fixed { step, .. } = method {
            within("step", step, step > 0.0 && step.is_finite(), "a time above 0 s")?;
        }
        for y in &self.y {
            within("initial", *y, y.is_finite(), "a number")?;
        }
        Ok(())
    }
}

impl<M: Mechanism + Sync> Simulation<M> {
    /// Runs to `end`, s.
    pub fn run(&self, end: f64) -> Result<Run, Stopped> {
        self.run_while(end, &mut |_| ControlFlow::Continue(()))
    }

    /// The same; `go_on` is called with the time after every step and may end the run.
    pub fn run_while(
        &self,
        end: f64,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        self.check_until(end)?;
        let mut running = Running::new(self)?;
        let (mut samples, mut ask) = (Samples::new(&self.y, end), Ask(go_on));
        if !self.compares {
            running.watched(end, &mut ask)?;
            return running.finish();
        }
        let over = AtomicBool::new(false);
        let (ended, twin) = std::thread::scope(|scope| {
            // Without a thread to spare there is no twin.
            let twin = std::thread::Builder::new().spawn_scoped(scope, || self.twin(end, &over));
            let ended = running.watched(end, &mut (&mut samples, &mut ask));
            over.store(ended.is_err(), Ordering::Relaxed);
            (ended, twin.ok().and_then(|twin| twin.join().unwrap_or_default()))
        });
        ended?;
        let mut run = running.finish()?;
        let Some(twin) = twin else { return Ok(run) };
        let by = samples.agreement(&twin, &self.system, self.stepping.tolerance);
        let agreed = Agreed { column: name_of(&self.system, by.state), by };
        match self.stepping.method {
            Method::Fixed { step, .. } => {
                let would_do = is_meaningless(&by).then(|| self.would_do(end, 0.5 * step, twin));
                run.halved = Some(Halved { by: agreed, would_do });
            }
            _ => run.agreement = Some(agreed),
        }
        Ok(run)
    }

    /// The same run at a tolerance that is ten times as coarse, or with half the step, unless it is over before.
    fn twin(&self, end: f64, over: &AtomicBool) -> Option<Samples> {
        let own = self.stepping;
        let stepping = match own.method {
            Method::Fixed { step, update } => {
                Stepping { method: Method::Fixed { step: 0.5 * step, update }, ..own }
            }
            _ => Stepping { tolerance: COARSER * own.tolerance, ..own },
        };
        self.sampled(end, stepping, over)
    }

    fn sampled(&self, end: f64, stepping: Stepping, over: &AtomicBool) -> Option<Samples> {
        let mut samples = Samples::new(&self.y, end);
        let mut until = |_: f64| match over.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let mut watch = (&mut samples, &mut Ask(&mut until));
        let mut engine = Engine::new(&self.system, &self.y, stepping).ok()?;
        engine.follow(&self.system, &self.stops, end, &mut watch).ok()?;
        Some(samples)
    }

    /// The longest of the halves of a step whose own half agrees with it, beginning with the first, of which the run is
    /// known; the shortest that was tried, where none does.
    fn would_do(&self, end: f64, mut step: f64, mut coarse: Samples) -> f64 {
        let Method::Fixed { update, .. } = self.stepping.method else { return step };
        while end / step < MOST_STEPS {
            let method = Method::Fixed { step: 0.5 * step, update };
            let stepping = Stepping { method, ..self.stepping };
            let Some(fine) = self.sampled(end, stepping, &AtomicBool::new(false)) else { break };
            if !is_meaningless(&coarse.agreement(&fine, &self.system, stepping.tolerance)) {
                break;
            }
            (step, coarse) = (0.5 * step, fine);
        }
        step
    }
}

fn is_meaningless(by: &Agreement) -> bool {
    by.part.is_nan() || by.part > MEANINGLESS
}

fn within(name: &'static str, value: f64, is: bool, allowed: &'static str) -> Result<(), Stopped> {
    if is { Ok(()) } else { Err(Stopped::Setting { name, value, allowed }) }
}

/// The columns of the states.
fn states<M: Mechanism>(system: &Coupled<M>) -> Vec<String> {
    let signals = Signals::of(system);
    signals.states.iter().map(|c| signals.columns[*c].0.clone()).collect()
}

/// The column of a state.
pub(crate) fn name_of<M: Mechanism>(system: &Coupled<M>, state: usize) -> String {
    states(system).into_iter().nth(state).unwrap_or_default()
}

/// Asks after every step whether the run goes on.
struct Ask<'a>(&'a mut dyn FnMut(f64) -> ControlFlow<()>);

impl<M> Watch<M> for Ask<'_> {
    fn step(&mut self, _system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        (self.0)(step.end())
    }
}
