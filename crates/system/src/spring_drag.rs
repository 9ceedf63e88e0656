//! A mass dragged over a plate by a spring whose end moves at constant speed.
//!
//! ```text
//! m ẍ = k (y − x) − F_b,   ẏ = v_ref      000 (60)
//! ```
use crate::{Mechanism, Quantity, mechanism::BODY};
use bristle_kernel::{Drive, Real};

/// A mass dragged by a spring.
#[derive(Clone, Copy, Debug)]
pub struct SpringDrag {
    /// mass m, kg
    pub mass: f64,
    /// spring stiffness k, N/m
    pub stiffness: f64,
    /// speed v_ref of the spring's end, m/s
    pub speed: f64,
    /// normal load, N
    pub load: f64,
}

impl Mechanism for SpringDrag {
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
        let end = self.speed * t; // (60b)
        dy[0] = y[1];
        dy[1] = ((-y[0] + end) * self.stiffness - force[0]) / self.mass; // (60a)
    }
}
