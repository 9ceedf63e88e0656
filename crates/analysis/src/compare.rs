//! Models side by side, in the standard tests.
//!
//! Every model goes through the same tests at its own parameters: pulses below the static limit, a load that rises
//! slowly and fast, a speed that changes, the search for energy, a second of stick-slip for its cost.
use crate::System;
use crate::audit::{Stick, Verdict, departure, passivity, rates, stick};
use crate::break_away::{break_away, static_limit};
use crate::march::{Accuracy, Begin, march};
use bristle_kernel::{AnyBristle, Bristle, Start};
use bristle_system::mechanism::SpringDrag;
use bristle_system::signal::Constant;
use bristle_system::{AnyMechanism, AnySignal, Coupled, Step, Watch};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::time::Instant;

/// A model under a name, which tells two sets of parameters of one model apart.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What its row is called.
    pub name: String,
    /// The model with its parameters.
    pub model: AnyBristle<f64>,
}

/// What one model did.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the row is called.
    pub name: String,
    /// The model.
    pub model: &'static str,
    /// The static limit, N.
    pub limit: f64,
    /// Creep under pulses of 40 % of the limit; nothing where the run failed.
    pub stick: Option<Stick>,
    /// The break-away force as a part of the limit, at each of [`RATES`]; nothing where it depends on position.
    pub break_away: Vec<Option<f64>>,
    /// The greatest departure from the law while speed changes, as a part of the limit.
    pub departure: Option<f64>,
    /// Whether it can create energy.
    pub passivity: Verdict,
    /// Whether its rates stay bounded at any speed.
    pub bounded: bool,
    /// Steps of the solver for a second of stick-slip, at a tolerance of 1e-6.
    pub steps: Option<f64>,
    /// Time by the clock for it, s: the least of three runs, while no other model runs.
    pub cost: Option<f64>,
}

/// Rates of loading, in static limits per second.
pub const RATES: [f64; 7] = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
/// How long the stick-slip run is, s.
const RUN: f64 = 20.0;
/// A run that takes more steps is given up.
const MOST_STEPS: usize = 200_000;
/// How often the stick-slip run is timed: what else the machine does can only make a run longer.
const REPEATS: usize = 3;

/// Counts steps.
struct Count(usize);

impl Watch<AnyMechanism<f64>> for Count {
    fn step(&mut self, _system: &System, _step: &Step<'_>) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Runs every model through all tests under `load`, N; calls `done` after each test.
///
/// ```
/// use bristle_analysis::compare::{Candidate, compare};
/// use bristle_kernel::{AnyBristle, AnyLaw};
///
/// let law = AnyLaw::named("stribeck", ()).ok_or("no such law")?;
/// let model = AnyBristle::named("frbd", law).ok_or("no such model")?;
/// let rows = compare(&[Candidate { name: "mine".into(), model }], 1.0, &|| ());
/// assert!(rows[0].bounded);
/// # Ok::<(), &str>(())
/// ```
pub fn compare(models: &[Candidate], load: f64, done: &(dyn Fn() + Sync)) -> Vec<Row> {
    let mut rows: Vec<Row> = models.par_iter().map(|model| row(model, load, done)).collect();
    // Runs that are timed have the machine to themselves.
    for (row, candidate) in rows.iter_mut().zip(models) {
        let cost = cost(&candidate.model, load, row.limit);
        (row.steps, row.cost) = (cost.map(|c| c.0), cost.map(|c| c.1));
        done();
    }
    rows
}

/// How often `done` is called for each model.
pub const TESTS: usize = 5;

/// All but what it costs.
fn row(candidate: &Candidate, load: f64, done: &(dyn Fn() + Sync)) -> Row {
    let Candidate { name, model } = candidate;
    let limit = static_limit(model, load);
    let mass = load / 9.81;
    // Where the force depends on position, so does the peak, and no one number says it.
    let placed = model.positional();
    let force = |rate: &f64| {
        if placed {
            return None;
        }
        let found = break_away(model, load, mass, rate * limit, 1e-7).ok()?;
        Some(found.force / limit)
    };
    let stick = stick(model, load, 0.4).ok();
    done();
    let break_away = RATES.iter().map(force).collect();
    done();
    let departure = departure(model, load);
    done();
    let passivity = passivity(model, load);
    done();
    Row {
        name: name.clone(),
        model: model.info().name,
        limit,
        stick,
        break_away,
        departure,
        passivity,
        bounded: rates(model, load).bounded,
        steps: None,
        cost: None,
    }
}

/// Steps and time by the clock for a second of stick-slip: a body that weighs `load`, on a spring that the load
/// stretches by a metre, whose end moves so that it sticks for seconds.
fn cost(model: &AnyBristle<f64>, load: f64, limit: f64) -> Option<(f64, f64)> {
    let stiffness = limit / 0.5;
    let drive = AnySignal::Constant(Constant { value: 0.1 });
    let drag = SpringDrag { mass: load / 9.81, stiffness, load, ..SpringDrag::start(drive) };
    let system = Coupled::new(AnyMechanism::SpringDrag(drag), model.clone());
    let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-6.into() };
    let begin = Begin::of(&system);
    let mut best: Option<(usize, f64)> = None;
    for _ in 0..REPEATS {
        let mut count = Count(0);
        let began = Instant::now();
        march(&system, &begin, RUN, accuracy, &mut count).ok()?;
        let took = began.elapsed().as_secs_f64();
        best = Some((count.0, best.map_or(took, |(_, least)| least.min(took))));
    }
    best.map(|(steps, took)| (steps as f64 / RUN, took / RUN))
}
