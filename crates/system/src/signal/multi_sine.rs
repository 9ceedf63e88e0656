//! A sum of sines about a mean.
//!
//! ```text
//! u(t) = u₀ + Σ Aᵢ sin(2πfᵢt + φᵢ)
//! ```
use super::Signal;
use bristle_kernel::{List, Params, Real, Report};
use core::f64::consts::TAU;

/// A multi-sine: what an axis is excited with to tell its frequencies apart.
#[derive(Clone, Debug, Params)]
#[params(
    name = "multi_sine",
    title = "sum of sines about a mean",
    source = "",
    rules = "as many frequencies as amplitudes; as many angles, or none",
    check = matching
)]
pub struct MultiSine<S: Real> {
    /// mean u₀, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub mean: S,
    /// amplitudes Aᵢ, in the unit of the drive
    #[param(list, unit = "drive", start = [1.0], range = "(-inf, inf)", eq = "")]
    pub amplitude: List<S>,
    /// frequencies fᵢ
    #[param(list, unit = "Hz", start = [1.0], range = "(0, inf)", eq = "")]
    pub frequency: List<S>,
    /// angles φᵢ at t = 0; zeros if none are given
    #[param(list, unit = "rad", start = [], range = "(-inf, inf)", eq = "")]
    pub angle: List<S>,
}

fn matching(p: &MultiSine<f64>, report: &mut Report<'_>) {
    let n = p.amplitude.len();
    let reason = "every sine has an amplitude and a frequency";
    let frequencies = ("frequency", p.frequency.len());
    report.expect_count(
        p.frequency.len() == n,
        frequencies,
        "entries, not as many as amplitude has:",
        n,
        reason,
    );
    let angles = ("angle", p.angle.len());
    let reason = "give one for each sine, or none";
    report.expect_count(
        p.angle.is_empty() || p.angle.len() == n,
        angles,
        "entries, not as many as amplitude has:",
        n,
        reason,
    );
}

impl MultiSine<f64> {
    /// Amplitude, 2πf and angle of each sine.
    fn sines(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        let angle = |i: usize| self.angle.get(i).copied().unwrap_or(0.0);
        let pairs = self.amplitude.iter().zip(self.frequency.iter()).enumerate();
        pairs.map(move |(i, (a, f))| [*a, TAU * f, angle(i)])
    }
}

impl Signal for MultiSine<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, _phase: usize) -> S {
        let start = S::from(self.mean);
        self.sines().fold(start, |sum, [a, omega, angle]| sum + (t * omega + angle).sin() * a)
    }
    #[inline]
    fn integral<S: Real>(&self, t: S, _phase: usize) -> S {
        self.sines().fold(t * self.mean, |sum, [a, omega, angle]| {
            sum + (S::from(Real::cos(angle)) - (t * omega + angle).cos()) * (a / omega)
        })
    }
    fn smooth_for(&self) -> f64 {
        0.125 / self.frequency.iter().copied().fold(0.0, f64::max)
    }
}
