//! A mass on a plate under a force, with or without a spring to the wall.
//!
//! ```text
//! m ẍ = F_E(t) − k x − F_R
//! ```
//!
//! Without the spring and under pulses it is model 1 of 002 (26), under a sine the pre-sliding
//! experiment of 000 §V-A; with the spring it is 001 (40), (41).
use super::{Mechanism, Tied, driven_by, on_ground, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A mass on a plate, pushed by a force and tied to the wall by a spring.
///
/// m ẍ = F_E(t) − k x − F, where v_rel = ẋ.
#[derive(Clone, Debug, Params)]
#[params(
    name = "mass",
    title = "mass under a force, with or without a spring to the wall",
    source = "002 (26) model 1; 001 (40), (41); 000 §V-A"
)]
pub struct Mass<S, L> {
    /// mass m
    #[param(unit = "kg", start = 1.0, range = "(0, inf)", eq = "002 (26)")]
    pub mass: S,
    /// stiffness k of the spring to the wall
    #[param(unit = "N/m", start = 0.0, range = "[0, inf)", eq = "001 (41)")]
    pub stiffness: S,
    /// normal load F_N
    #[param(unit = "N", start = 9.81, range = "[0, inf)", eq = "002 (26)")]
    pub load: S,
    /// force F_E(t), N
    #[param(nested)]
    pub drive: L,
}

impl<L: Signal> Mechanism for Mass<f64, L> {
    driven_by!("F_E", "N");
    one_body!();

    fn tied(&self) -> Option<Tied> {
        let [amplitude, frequency] = self.drive.harmonic()?;
        let (mass, stiffness) = (self.mass, self.stiffness);
        (stiffness > 0.0).then_some(Tied { mass, stiffness, amplitude, frequency })
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        on_ground(y, self.load)
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let push = self.drive.value(t, phase[0]);
        dy[0] = y[1];
        dy[1] = (push - y[0] * self.stiffness - force[0]) / self.mass; // 002 (26), 001 (41)
    }
}
