//! A mass on a moving belt, held by a spring.
//!
//! ```text
//! m ẍ = −k x − F_R(v_ij),   v_ij = ẋ − v_b,   F_N = m g      002 (26), model 2
//! ```
//!
//! The mass starts at x = 0, where the spring is free, and moves with the belt.
use super::{Mechanism, driven_by, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A mass on a conveyor belt, tied to the wall by a spring.
///
/// m ẍ = −k x − F, where v_rel = ẋ − v_b.
#[derive(Clone, Debug, Params)]
#[params(
    name = "belt",
    title = "mass on a belt, tied to the wall by a spring",
    source = "002 (26) model 2"
)]
pub struct Belt<S, L> {
    /// mass m
    #[param(unit = "kg", start = 1.0, range = "(0, inf)", eq = "002 (26)")]
    pub mass: S,
    /// spring stiffness k
    #[param(unit = "N/m", start = 2.0, range = "[0, inf)", eq = "002 (26)")]
    pub stiffness: S,
    /// normal load F_N
    #[param(unit = "N", start = 9.81, range = "[0, inf)", eq = "002 (26)")]
    pub load: S,
    /// belt velocity v_b(t), m/s
    #[param(nested)]
    pub drive: L,
}

impl<L: Signal> Mechanism for Belt<f64, L> {
    driven_by!("v_b", "m/s");
    one_body!();

    fn self_excited(&self) -> bool {
        true
    }

    fn initial(&self, y: &mut [f64]) {
        y[0] = 0.0;
        y[1] = self.drive.value(0.0, 0);
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let v = y[1] - self.drive.value(t, phase[0]);
        Drive { x: y[0] - self.drive.integral(t, phase[0]), ..Drive::new(v, S::from(self.load)) }
    }

    #[inline]
    fn rates<S: Real>(&self, _t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] = (-(y[0] * self.stiffness) - force[0]) / self.mass; // (26)
    }
}
