//! Runs of a system, watched step by step.
use crate::System;
use bristle_ode::{Failure, Heap, Options, Radau, Solver};
use bristle_system::{AnyMechanism, ContactMode, Mode, Watch, run};

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Begin {
    /// The state.
    pub y: Vec<f64>,
    /// The mode of each contact.
    pub contacts: Vec<ContactMode>,
}

impl Begin {
    /// The initial state of a system.
    pub fn of(system: &System) -> Self {
        Begin::at(system, system.initial())
    }

    /// The state `y`, of which nothing else is known.
    pub fn at(system: &System, y: Vec<f64>) -> Self {
        let contacts = system.begin(0.0, &y).contacts;
        Begin { y, contacts }
    }

    /// The mode at t = 0.
    pub fn mode(&self, system: &System) -> Mode {
        system.resume(0.0, &self.y, &self.contacts)
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

/// Runs a system from t = 0 to `end` that accurately; gives where it stopped.
pub fn march(
    system: &System,
    begin: &Begin,
    end: f64,
    accuracy: impl Into<Accuracy>,
    watch: &mut dyn Watch<AnyMechanism<f64>>,
) -> Result<(f64, Begin), Failure> {
    let Accuracy { tolerance, max_step, max_steps } = accuracy.into();
    let options =
        Options { max_step, max_steps, ..Options::new(tolerance, &system.tolerances(tolerance)) };
    let method: Radau<Heap> = Radau::new(system);
    let mut solver = Solver::new(system, method, 0.0, &begin.y, begin.mode(system), options);
    // One who watches may end the run; where it stands then is the answer too.
    let _ = run(system, &mut solver, end, watch)?;
    let contacts = solver.mode().contacts.clone();
    Ok((solver.t(), Begin { y: solver.y().to_vec(), contacts }))
}
