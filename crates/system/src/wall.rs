//! A mass tied to a wall by a spring and pushed by a force.
//!
//! ```text
//! m v̇ = −K x + u(t) − F_f,   u = A sin ωt      001 (40), (41)
//! ```
//!
//! With K = 0 it is the pre-sliding experiment of 000 §V-A.
use crate::{Mechanism, Quantity, mechanism::BODY};
use bristle_kernel::{Drive, Real};

/// A mass on a spring under a sinusoidal force.
#[derive(Clone, Copy, Debug)]
pub struct Wall {
    /// mass m, kg
    pub mass: f64,
    /// spring stiffness K, N/m
    pub stiffness: f64,
    /// amplitude A of the force, N
    pub amplitude: f64,
    /// its angular frequency ω, rad/s
    pub omega: f64,
    /// normal load, N
    pub load: f64,
}

impl Mechanism for Wall {
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
    fn rates<S: Real>(&self, t: f64, _phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        let push = self.amplitude * Real::sin(self.omega * t);
        dy[0] = y[1]; // (40)
        dy[1] = (-(y[0] * self.stiffness) - force[0] + push) / self.mass; // (41)
    }
}
