//! Prescribed motion: the contact slides at a velocity that is given.
//!
//! Frictional lag (000 §V-A, 003 §IV-A: about a mean), reversals, relaxation (003 Fig. 4). The only
//! state is the position.
use super::{Mechanism, Quantity, driven_by};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A contact that is moved.
///
/// ẋ = v_rel = v(t).
#[derive(Clone, Debug, Params)]
#[params(
    name = "prescribed",
    title = "contact moved at a given velocity",
    source = "000 §V-A, 003 §IV-A"
)]
pub struct Prescribed<S, L> {
    /// normal load
    #[param(unit = "N", start = 1.0, range = "[0, inf)", eq = "000 (16)")]
    pub load: S,
    /// sliding velocity v(t), m/s
    #[param(nested)]
    pub drive: L,
}

const QUANTITIES: [Quantity; 1] = [Quantity::position("x")];

impl<L: Signal> Mechanism for Prescribed<f64, L> {
    driven_by!("v", "m/s");

    fn shows_drives(&self) -> bool {
        false
    }

    fn drift(&self, u: f64, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = u;
    }

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(self.drive.value(t, phase[0]), S::from(self.load)) }
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], _y: &[S], _force: &[S], dy: &mut [S]) {
        dy[0] = self.drive.value(t, phase[0]);
    }
}
