//! A run that is looked at step by step.
use bristle_ode::{Failure, Heap, Options, Radau, Solver};
use bristle_system::{Coupled, Mechanism, Mode, Step, Watch};
use std::ops::ControlFlow;

/// Tolerances: `rtol`, and `rtol` times a small value of each state.
pub fn options<M: Mechanism>(system: &Coupled<M>, rtol: f64) -> Options<Heap> {
    Options::new(rtol, &system.tolerances(rtol))
}

/// A system and a run of it from t = 0.
pub struct Run<'s, M: Mechanism> {
    system: &'s Coupled<M>,
    pub solver: Solver<Coupled<M>, Radau<Heap>>,
}

/// Sees every step.
struct Each<F>(F);

impl<M, F: FnMut(&Step<'_>)> Watch<M> for Each<F> {
    fn step(&mut self, _system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        (self.0)(step);
        ControlFlow::Continue(())
    }
}

impl<'s, M: Mechanism> Run<'s, M> {
    /// At t = 0 in the state `y`.
    pub fn new(system: &'s Coupled<M>, y: &[f64], options: Options<Heap>) -> Self {
        let mode = system.begin(0.0, y);
        let solver = Solver::new(system, Radau::new(system), 0.0, y, mode, options);
        Run { system, solver }
    }

    /// Advances to `end`; `each` sees every step, those without length too.
    pub fn run(&mut self, end: f64, each: impl FnMut(&Step<'_>)) -> Result<(), Failure> {
        bristle_system::run(self.system, &mut self.solver, end, &mut Each(each)).map(|_| ())
    }

    /// Advances to `end`.
    pub fn go(&mut self, end: f64) {
        self.run(end, |_| {}).unwrap();
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.solver.t()
    }

    /// State.
    pub fn y(&self) -> &[f64] {
        self.solver.y()
    }

    /// Mode.
    pub fn mode(&self) -> &Mode {
        self.solver.mode()
    }

    /// The forces of all contacts, now.
    pub fn forces(&self) -> Vec<f64> {
        self.system.forces(self.mode(), self.t(), self.y()).to_vec()
    }
}
