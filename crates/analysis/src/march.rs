//! Runs of a system of any number of states, watched step by step.
use crate::System;
use bristle_kernel::{MEMORY, Memory};
use bristle_ode::{Event, Failure, Options, Radau, Why};
use bristle_system::{Hybrid, MAX_CONTACTS, Stop};
use std::ops::ControlFlow;

/// What every contact of a system committed to.
pub type Memories = [Memory<f64>; MAX_CONTACTS];
/// Nothing.
pub const NOTHING: Memories = [[0.0; MEMORY]; MAX_CONTACTS];

/// An accepted step.
pub struct Step<'a> {
    /// Where it begins, s.
    pub start: f64,
    /// Where it ends, s.
    pub end: f64,
    /// The event it ends at, if it does.
    pub landed: Option<Event>,
    dense: &'a dyn Fn(f64, &mut [f64]),
    states: usize,
}

impl Step<'_> {
    /// The state at a time within the step.
    pub fn at(&self, t: f64) -> Vec<f64> {
        let mut y = vec![0.0; self.states];
        (self.dense)(t, &mut y);
        y
    }
}

/// Sees a run.
pub trait Watch {
    /// An accepted step, before anything discrete changes at its end.
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()>;

    /// The end of the step, after that.
    fn arrived(&mut self, _system: &System, _t: f64, _y: &[f64]) {}
}

/// What sees a run in two ways.
impl<A: Watch, B: Watch> Watch for (&mut A, &mut B) {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        self.0.step(system, step)?;
        self.1.step(system, step)
    }
    fn arrived(&mut self, system: &System, t: f64, y: &[f64]) {
        self.0.arrived(system, t, y);
        self.1.arrived(system, t, y);
    }
}

/// Sees nothing.
pub struct Blind;

impl Watch for Blind {
    fn step(&mut self, _system: &System, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Begin {
    /// The state.
    pub y: Vec<f64>,
    /// What the contacts committed to before.
    pub memory: Memories,
}

impl Begin {
    /// The initial state of a system.
    pub fn of(system: &System) -> Self {
        let mut y = vec![0.0; system.states()];
        system.initial(&mut y);
        Begin { y, memory: NOTHING }
    }
}

/// How a run is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Relative tolerance of each state.
    pub tolerance: f64,
    /// No step is longer, s: what is integrated along with the run needs some.
    pub max_step: f64,
    /// The run fails after so many steps.
    pub max_steps: usize,
}

impl From<f64> for Accuracy {
    fn from(tolerance: f64) -> Self {
        Accuracy { tolerance, max_step: f64::INFINITY, max_steps: 10_000_000 }
    }
}

/// At most so many states.
pub const MOST_STATES: usize = 16;

/// Runs a system from t = 0 to `end` that accurately; gives where it stopped.
pub fn march(
    system: &System,
    begin: &Begin,
    end: f64,
    accuracy: impl Into<Accuracy>,
    watch: &mut dyn Watch,
) -> Result<(f64, Begin), Failure> {
    let accuracy = accuracy.into();
    /// One instance of the solver for each number of states.
    macro_rules! by_states {
        ($($n:literal)*) => {
            match begin.y.len() {
                $($n => sized::<$n>(system, begin, end, accuracy, watch),)*
                // There is no solver for it: refused where systems come in.
                states => Err(Failure { t: 0.0, h: 0.0, state: states, why: Why::NotFinite }),
            }
        };
    }
    by_states!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn sized<const N: usize>(
    system: &System,
    begin: &Begin,
    end: f64,
    accuracy: Accuracy,
    watch: &mut dyn Watch,
) -> Result<(f64, Begin), Failure> {
    let y: [f64; N] = core::array::from_fn(|k| begin.y[k]);
    let Accuracy { tolerance, max_step, max_steps } = accuracy;
    let options = Options { max_step, max_steps, ..system.options(tolerance) };
    let mut run = Hybrid::resumed(system, Radau::new(), y, options, begin.memory);
    loop {
        let mut flow = ControlFlow::Continue(());
        let stop = run.advance(end, &mut |run| {
            let dense = run.dense();
            let at = |t: f64, y: &mut [f64]| y.copy_from_slice(&dense.at(t));
            let (start, end, landed) = (dense.start(), dense.end(), run.landed());
            let step = Step { start, end, landed, dense: &at, states: N };
            flow = watch.step(system, &step);
        })?;
        watch.arrived(system, run.t(), run.y());
        if stop == Stop::End || flow.is_break() {
            return Ok((run.t(), Begin { y: run.y().to_vec(), memory: system.memory() }));
        }
    }
}

/// √6
const ROOT: f64 = 2.449_489_742_783_178;
/// Nodes of Radau IIA of order 5.
pub const NODES: [f64; 3] = [(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0];
/// Its matrix; the last row has the weights.
pub const MATRIX: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * ROOT) / 360.0, (296.0 - 169.0 * ROOT) / 1800.0, (-2.0 + 3.0 * ROOT) / 225.0],
    [(296.0 + 169.0 * ROOT) / 1800.0, (88.0 + 7.0 * ROOT) / 360.0, (-2.0 - 3.0 * ROOT) / 225.0],
    [(16.0 - ROOT) / 36.0, (16.0 + ROOT) / 36.0, 1.0 / 9.0],
];
