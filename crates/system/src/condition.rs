//! How well a run is determined: two runs at different tolerances, held against each other.
//!
//! No run knows the error it has at its end, only that of its steps. Where friction lets errors grow, at the edge between
//! sticking and slipping above all, they differ by orders of magnitude. A second run, ten times as coarse, costs little
//! more than half of the first and shows how large the error of the coarser one is.
use crate::{Coupled, Mechanism, Step, Watch};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// The second run is so many times as coarse.
pub const COARSER: f64 = 10.0;
/// Errors that grow beyond so many times the tolerance make a run ill conditioned.
const GROWTH: f64 = 1e3;
/// So many states of a run are held against those of the other, at equal distances in time.
const SAMPLES: usize = 200;

/// States of a run at equal distances in time, and the range of each state.
#[derive(Clone, Debug)]
pub struct Samples {
    end: f64,
    states: Vec<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Samples {
    /// For a run from `y` at t = 0 to `end`.
    pub fn new(y: &[f64], end: f64) -> Self {
        Samples { end, states: Vec::new(), low: y.to_vec(), high: y.to_vec() }
    }

    fn time(&self, k: usize) -> f64 {
        self.end * (k + 1) as f64 / SAMPLES as f64
    }

    /// Where a coarser run of the system differs most from this one.
    pub fn agreement<M: Mechanism>(
        &self,
        coarser: &Samples,
        system: &Coupled<M>,
        tolerance: f64,
    ) -> Agreement {
        let mut worst = Agreement { state: 0, t: 0.0, part: 0.0, tolerance };
        let small = system.small_values();
        let range = self.high.iter().zip(&self.low).map(|(high, low)| high - low);
        let size: Vec<f64> = range.zip(small).map(|(range, small)| range.max(small)).collect();
        for (k, (fine, coarse)) in self.states.iter().zip(&coarser.states).enumerate() {
            for (state, size) in size.iter().enumerate() {
                let part = (fine[state] - coarse[state]).abs() / size;
                if part > worst.part || part.is_nan() {
                    worst = Agreement { state, t: self.time(k), part, ..worst };
                }
            }
        }
        worst
    }
}

impl<M> Watch<M> for Samples {
    fn step(&mut self, _system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        while self.states.len() < SAMPLES && self.time(self.states.len()) <= step.end() {
            let state = step.at(self.time(self.states.len()));
            for ((low, high), y) in self.low.iter_mut().zip(&mut self.high).zip(&state) {
                (*low, *high) = (low.min(*y), high.max(*y));
            }
            self.states.push(state);
        }
        ControlFlow::Continue(())
    }
}

/// By how much two runs differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The state that differs most,
    pub state: usize,
    /// when, s,
    pub t: f64,
    /// and by which part of its range.
    pub part: f64,
    /// The tolerance of the finer run.
    pub tolerance: f64,
}

impl Agreement {
    /// Whether errors grow so much that the run is hardly determined.
    pub fn is_ill_conditioned(&self) -> bool {
        self.part.is_nan() || self.part > GROWTH * COARSER * self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousandfold_growth_is_ill_conditioned_and_so_is_no_number() {
        let by = |part: f64| Agreement { state: 0, t: 0.0, part, tolerance: 1e-9 };
        assert!(!by(9e-6).is_ill_conditioned());
        assert!(by(1.1e-5).is_ill_conditioned() && by(f64::NAN).is_ill_conditioned());
    }
}
