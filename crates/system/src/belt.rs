//! A mass on a moving belt, held by a spring.
//!
//! ```text
//! m ẍ = −k x − F_R(v_ij),   v_ij = ẋ − v_b,   F_N = m g      002 (26), model 2
//! ```
//!
//! The mass starts at x = 0, where the spring is free, and moves with the belt.
use crate::{Mechanism, Quantity, mechanism::BODY};
use bristle_kernel::{Drive, Real};

/// A mass on a conveyor belt, tied to the wall by a spring.
#[derive(Clone, Copy, Debug)]
pub struct Belt {
    /// mass m, kg
    pub mass: f64,
    /// spring stiffness k, N/m
    pub stiffness: f64,
    /// belt velocity v_b, m/s
    pub speed: f64,
    /// normal load F_N, N
    pub load: f64,
}

impl Mechanism for Belt {
    fn quantities(&self) -> &'static [Quantity] {
        &BODY
    }

    fn initial(&self, y: &mut [f64]) {
        y[0] = 0.0;
        y[1] = self.speed;
    }

    #[inline(always)]
    fn drive<S: Real>(&self, _i: usize, t: f64, _phase: usize, y: &[S]) -> Drive<S> {
        let x = y[0] - self.speed * t;
        Drive { x, ..Drive::new(y[1] - self.speed, S::from(self.load)) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, _t: f64, _phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] = (-(y[0] * self.stiffness) - force[0]) / self.mass; // (26)
    }
}
