//! A sine whose frequency rises or falls evenly with time.
//!
//! ```text
//! u(t) = u₀ + A sin(2π(f₀ t + (f₁ − f₀)t²/2T) + φ),   t ≤ T;   at f₁ from then on
//! ```
use super::Signal;
use bristle_kernel::{Params, Real};
use core::f64::consts::TAU;

/// A linear chirp.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "chirp", title = "sine of evenly changing frequency", source = "")]
pub struct Chirp<S> {
    /// mean u₀, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub mean: S,
    /// amplitude A, in the unit of the drive
    #[param(unit = "drive", start = 1.0, range = "(-inf, inf)", eq = "")]
    pub amplitude: S,
    /// frequency f₀ at t = 0
    #[param(unit = "Hz", start = 0.1, range = "[0, inf)", eq = "")]
    pub from: S,
    /// frequency f₁ at t = T
    #[param(unit = "Hz", start = 10.0, range = "(0, inf)", eq = "")]
    pub to: S,
    /// duration T of the sweep
    #[param(unit = "s", start = 10.0, range = "(0, inf)", eq = "")]
    pub duration: S,
    /// angle φ at t = 0
    #[param(unit = "rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub angle: S,
}

/// Gauss-Legendre nodes and weights on [0, 1], five of them: exact to rounding over an eighth of a cycle.
const GAUSS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668_004, 0.118_463_442_528_094_54],
    [0.230_765_344_947_158_45, 0.239_314_335_249_683_23],
    [0.5, 0.284_444_444_444_444_44],
    [0.769_234_655_052_841_55, 0.239_314_335_249_683_23],
    [0.953_089_922_969_332, 0.118_463_442_528_094_54],
];

impl Chirp<f64> {
    /// The sine's argument during the sweep.
    fn sweep<S: Real>(&self, t: S) -> S {
        let rate = 0.5 * (self.to - self.from) / self.duration;
        t * (t * rate + self.from) * TAU + self.angle
    }

    /// The integral of sin(argument) from 0 to `t`, during the sweep: a Fresnel integral, which has no closed form.
    fn swept<S: Real>(&self, t: S) -> S {
        let panels = Real::floor(8.0 * self.from.max(self.to) * self.duration) + 1.0;
        let width = t / panels;
        let mut sum = S::from(0.0);
        for k in 0..panels as usize {
            for [node, weight] in GAUSS {
                sum += self.sweep(width * (k as f64 + node)).sin() * weight;
            }
        }
        sum * width
    }
}

impl Signal for Chirp<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, phase: usize) -> S {
        let argument = match phase {
            0 => self.sweep(t),
            _ => (t - self.duration) * (TAU * self.to) + self.sweep(self.duration),
        };
        argument.sin() * self.amplitude + self.mean
    }
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let swung = match phase {
            0 => self.swept(t),
            _ => {
                let (omega, end) = (TAU * self.to, self.sweep(self.duration));
                let after = S::from(Real::cos(end)) - ((t - self.duration) * omega + end).cos();
                after / omega + self.swept(self.duration)
            }
        };
        t * self.mean + swung * self.amplitude
    }
    fn switch(&self, k: usize) -> f64 {
        if k == 0 { self.duration } else { f64::INFINITY }
    }
    fn smooth_for(&self) -> f64 {
        0.125 / self.from.max(self.to)
    }
}
