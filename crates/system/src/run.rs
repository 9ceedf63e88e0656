use crate::{Coupled, Mechanism, Mode};
use alloc::vec;
use alloc::vec::Vec;
use bristle_ode::{Dense, Failure, Method, Reached, Solver};
use core::ops::ControlFlow;

/// An accepted step of a run.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The mode in which it was taken.
    pub mode: &'a Mode,
    /// The solution over it.
    pub dense: &'a dyn Dense,
    /// The guards that ended it, each marked by `true`; none, if it was the clock or nothing.
    pub fired: &'a [bool],
    /// Whether its mode ended with it.
    pub ends_mode: bool,
    states: usize,
}

impl<'a> Step<'a> {
    /// A step in `mode`, which the mode `next` follows, of a system of so many states.
    pub fn new(
        mode: &'a Mode,
        next: &Mode,
        dense: &'a dyn Dense,
        fired: &'a [bool],
        states: usize,
    ) -> Self {
        Step { mode, dense, fired, ends_mode: mode != next, states }
    }

    /// When it began, s.
    pub fn start(&self) -> f64 {
        self.dense.start()
    }

    /// When it ended, s.
    pub fn end(&self) -> f64 {
        self.dense.end()
    }

    /// The state at a time within it.
    pub fn at(&self, t: f64) -> Vec<f64> {
        let mut y = vec![0.0; self.states];
        self.dense.at(t, &mut y);
        y
    }
}

/// Sees a run.
pub trait Watch<M> {
    /// An accepted step, and may end the run after it. A step has no length where one mode follows another at once.
    fn step(&mut self, system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()>;

    /// The end of a step that ended its mode, in the mode that follows.
    fn arrived(&mut self, _system: &Coupled<M>, _mode: &Mode, _t: f64, _y: &[f64]) {}
}

/// What sees a run in two ways.
impl<M, A: Watch<M> + ?Sized, B: Watch<M> + ?Sized> Watch<M> for (&mut A, &mut B) {
    fn step(&mut self, system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        self.0.step(system, step)?;
        self.1.step(system, step)
    }
    fn arrived(&mut self, system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) {
        self.0.arrived(system, mode, t, y);
        self.1.arrived(system, mode, t, y);
    }
}

/// Sees nothing.
impl<M> Watch<M> for () {
    fn step(&mut self, _system: &Coupled<M>, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Tells one who watches of a step, and of the mode, time and state in which it ended.
pub fn tell<M>(
    watch: &mut dyn Watch<M>,
    system: &Coupled<M>,
    step: &Step<'_>,
    (mode, t, y): (&Mode, f64, &[f64]),
) -> ControlFlow<()> {
    let flow = watch.step(system, step);
    if step.ends_mode {
        watch.arrived(system, mode, t, y);
    }
    flow
}

/// Advances a run to `end`, or until the one who watches ends it.
pub fn run<M: Mechanism, Me: Method<Coupled<M>>>(
    system: &Coupled<M>,
    solver: &mut Solver<Coupled<M>, Me>,
    end: f64,
    watch: &mut dyn Watch<M>,
) -> Result<ControlFlow<()>, Failure> {
    while solver.t() < end {
        let reached = solver.advance(system, end)?;
        let (mode, t, y) = (solver.mode(), solver.t(), solver.y());
        let step = Step::new(solver.step_mode(), mode, solver.dense(), solver.fired(), y.len());
        let flow = tell(watch, system, &step, (mode, t, y));
        if flow.is_break() {
            return Ok(flow);
        }
        if reached == Reached::End {
            break;
        }
    }
    Ok(ControlFlow::Continue(()))
}
