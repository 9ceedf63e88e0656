//! Prescribed motion: the contact slides at a velocity that is given.
//!
//! ```text
//! v(t) = v₀ + A sin ωt
//! ```
//!
//! Frictional lag (000 §V-A, 003 §IV-A: v₀ > A) and reversals (v₀ = 0). The only state is the position.
use crate::{Mechanism, Quantity};
use bristle_kernel::{Drive, Real};

/// A contact that is moved.
#[derive(Clone, Copy, Debug)]
pub struct Prescribed {
    /// mean velocity v₀, m/s
    pub mean: f64,
    /// amplitude A, m/s
    pub amplitude: f64,
    /// angular frequency ω, rad/s
    pub omega: f64,
    /// normal load, N
    pub load: f64,
}

impl Prescribed {
    /// v at time t.
    pub fn velocity(&self, t: f64) -> f64 {
        self.mean + self.amplitude * Real::sin(self.omega * t)
    }
}

const QUANTITIES: [Quantity; 1] = [Quantity { name: "x", unit: "m" }];

impl Mechanism for Prescribed {
    fn quantities(&self) -> &'static [Quantity] {
        &QUANTITIES
    }

    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
    }

    #[inline(always)]
    fn drive<S: Real>(&self, _i: usize, t: f64, _phase: usize, y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(S::from(self.velocity(t)), S::from(self.load)) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, t: f64, _phase: usize, _y: &[S], _force: &[S], dy: &mut [S]) {
        dy[0] = S::from(self.velocity(t));
    }
}
