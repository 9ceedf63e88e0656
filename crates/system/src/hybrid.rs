use crate::{Coupled, Mechanism};
use bristle_ode::{Dense, Failure, Method, Options, Reached, Solver, Statistics};

/// Why [`Hybrid::advance`] came back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A step was accepted.
    Step,
    /// A step that ended at a switch, at a kink of a model or at a change of branch.
    Event,
    /// The time asked for.
    End,
}

/// Drives a coupled system through its discrete changes.
///
/// Loads switch at their times, which are landed on. Where a friction model is not smooth the step
/// ends and the next one starts afresh. A model commits its discrete memory after accepted steps
/// only.
pub struct Hybrid<'s, M, Me, const N: usize> {
    system: &'s Coupled<M, N>,
    solver: Solver<'s, Coupled<M, N>, Me, N>,
}

impl<'s, M: Mechanism, Me: Method<N>, const N: usize> Hybrid<'s, M, Me, N> {
    /// At t = 0, in the state `y`.
    pub fn new(system: &'s Coupled<M, N>, method: Me, y: [f64; N], options: Options<N>) -> Self {
        system.phase.set(0);
        system.memory.iter().for_each(|m| m.set(0.0));
        system.commit(0.0, &y);
        Hybrid { system, solver: Solver::new(system, method, 0.0, y, options) }
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.solver.t()
    }

    /// State.
    pub fn y(&self) -> &[f64; N] {
        self.solver.y()
    }

    /// The solution over the last step.
    pub fn dense(&self) -> &Dense<N> {
        self.solver.dense()
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> &Statistics {
        self.solver.statistics()
    }

    /// Advances to `end`, calling `each` after every accepted step.
    pub fn run(&mut self, end: f64, mut each: impl FnMut(&Self)) -> Result<(), Failure> {
        loop {
            let stop = self.advance(end)?;
            each(self);
            if stop == Stop::End {
                return Ok(());
            }
        }
    }

    /// Takes one accepted step, not beyond `end`.
    pub fn advance(&mut self, end: f64) -> Result<Stop, Failure> {
        let phase = self.system.phase.get();
        let switch = self.system.mechanism.switch(phase);
        let reached = self.solver.advance(end.min(switch))?;
        let (t, y) = (self.solver.t(), *self.solver.y());
        match reached {
            Reached::Event(_) => {
                // On the zero itself a model cannot tell on which side it will be: look ahead.
                let ahead = 1e-9 * (self.solver.dense().end() - self.solver.dense().start());
                let rate = self.solver.rate();
                let later = core::array::from_fn(|i| y[i] + ahead * rate[i]);
                self.system.commit(t + ahead, &later);
                self.solver.restart(y);
                Ok(if t >= end { Stop::End } else { Stop::Event })
            }
            Reached::End if t >= switch => {
                self.system.phase.set(phase + 1);
                self.system.commit(t, &y);
                self.solver.restart(y);
                Ok(if t >= end { Stop::End } else { Stop::Event })
            }
            Reached::Step | Reached::End => {
                if self.system.commit(t, &y) {
                    self.solver.restart(y);
                }
                Ok(if reached == Reached::End { Stop::End } else { Stop::Step })
            }
        }
    }
}
