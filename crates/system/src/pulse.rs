//! A mass on a plate under a pulsating load.
//!
//! ```text
//! m ẍ = F_E(t) − F_R,   F_N = m g      002 (26), model 1
//! ```
//!
//! The load is on in [0, T), off in [T, 2T), on in [2T, 3T), … (002 Fig. 3, listing 2).
use crate::{Mechanism, Quantity, mechanism::BODY};
use bristle_kernel::{Drive, Real};

/// A mass on a plate, pushed and released.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    /// mass m, kg
    pub mass: f64,
    /// normal load F_N, N
    pub load: f64,
    /// push F_I while it is on, N
    pub push: f64,
    /// how long it is on, and then off, T, s
    pub duration: f64,
}

impl Mechanism for Pulse {
    fn quantities(&self) -> &'static [Quantity] {
        &BODY
    }

    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
    }

    #[inline(always)]
    fn drive<S: Real>(&self, _i: usize, _t: f64, _phase: usize, y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(y[1], S::from(self.load)) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, _t: f64, phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        let push = if phase.is_multiple_of(2) { self.push } else { 0.0 };
        dy[0] = y[1];
        dy[1] = (-force[0] + push) / self.mass; // (26)
    }

    fn switch(&self, k: usize) -> f64 {
        (k + 1) as f64 * self.duration
    }
}
