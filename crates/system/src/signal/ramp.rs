//! A value that changes evenly, as an input from outside is held between two instants.
//!
//! ```text
//! u(t) = u₀ + s (t − t₀)
//! ```
use super::Signal;
use bristle_kernel::{Params, Real};

/// A straight line over time.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "ramp", title = "straight line over time", source = "")]
pub struct Ramp<S> {
    /// value u₀ at t₀, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub value: S,
    /// slope s, in the unit of the drive per second
    #[param(unit = "drive/s", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub slope: S,
    /// time t₀
    #[param(unit = "s", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub since: S,
    /// integral of the drive up to t₀, where it was another one before
    #[param(unit = "drive*s", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub before: S,
}

impl Ramp<f64> {
    /// The same line told from `t` on.
    pub fn told_from(&self, t: f64) -> Self {
        Ramp { value: self.value(t, 0), since: t, before: self.integral(t, 0), ..*self }
    }
}

impl Signal for Ramp<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, _phase: usize) -> S {
        (t - self.since) * self.slope + self.value
    }
    #[inline]
    fn integral<S: Real>(&self, t: S, _phase: usize) -> S {
        let passed = t - self.since;
        (passed * (0.5 * self.slope) + self.value) * passed + self.before
    }
    fn is_constant(&self) -> bool {
        self.slope == 0.0
    }
    fn steer(&mut self, ramp: Ramp<f64>) {
        *self = ramp;
    }
}
