//! A sine about a mean.
//!
//! ```text
//! u(t) = u₀ + A sin(2πft + φ)
//! ```
use super::Signal;
use bristle_kernel::{Params, Real};
use core::f64::consts::TAU;

/// A harmonic signal.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "sine", title = "sine about a mean", source = "")]
pub struct Sine<S> {
    /// mean u₀, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub mean: S,
    /// amplitude A, in the unit of the drive
    #[param(unit = "drive", start = 1.0, range = "(-inf, inf)", eq = "")]
    pub amplitude: S,
    /// frequency f
    #[param(unit = "Hz", start = 1.0, range = "(0, inf)", eq = "")]
    pub frequency: S,
    /// angle φ at t = 0
    #[param(unit = "rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub angle: S,
}

impl Signal for Sine<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, _phase: usize) -> S {
        (t * (TAU * self.frequency) + self.angle).sin() * self.amplitude + self.mean
    }
    #[inline]
    fn integral<S: Real>(&self, t: S, _phase: usize) -> S {
        let omega = TAU * self.frequency;
        let swing = S::from(Real::cos(self.angle)) - (t * omega + self.angle).cos();
        t * self.mean + swing * (self.amplitude / omega)
    }
    fn period(&self) -> Option<f64> {
        Some(1.0 / self.frequency)
    }
    fn smooth_for(&self) -> f64 {
        // A cubic through four points over an eighth of a period is off by (π/4)⁴/1944 of the amplitude at most.
        0.125 / self.frequency
    }
    fn harmonic(&self) -> Option<[f64; 2]> {
        let begins = self.mean == 0.0 && self.angle == 0.0;
        begins.then_some([self.amplitude, self.frequency])
    }
}
