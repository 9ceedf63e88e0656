//! A mass dragged over a plate by a spring whose end moves.
//!
//! ```text
//! m ẍ = k (y − x) − F_b,   ẏ = v_ref      000 (60)
//! ```
use super::{Mechanism, driven_by, on_ground, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A mass dragged by a spring.
///
/// m ẍ = k (y − x) − F with ẏ = v_ref and y(0) = 0, where v_rel = ẋ.
#[derive(Clone, Debug, Params)]
#[params(name = "spring_drag", title = "mass dragged by a spring", source = "000 (60)")]
pub struct SpringDrag<S, L> {
    /// mass m
    #[param(unit = "kg", start = 1.0, range = "(0, inf)", eq = "000 (60)")]
    pub mass: S,
    /// spring stiffness k
    #[param(unit = "N/m", start = 2.0, range = "[0, inf)", eq = "000 (60)")]
    pub stiffness: S,
    /// normal load
    #[param(unit = "N", start = 1.0, range = "[0, inf)", eq = "000 (60)")]
    pub load: S,
    /// velocity v_ref(t) of the spring's end, m/s
    #[param(nested)]
    pub drive: L,
}

impl<L: Signal> Mechanism for SpringDrag<f64, L> {
    driven_by!("v_ref", "m/s");
    one_body!();

    fn self_excited(&self) -> bool {
        true
    }

    fn drift(&self, u: f64, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = u;
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        on_ground(y, self.load)
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let end = self.drive.integral(t, phase[0]); // (60b)
        dy[0] = y[1];
        dy[1] = ((end - y[0]) * self.stiffness - force[0]) / self.mass; // (60a)
    }
}
