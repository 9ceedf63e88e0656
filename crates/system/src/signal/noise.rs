//! Random numbers at equal distances in time, joined by straight lines.
use super::Signal;
use bristle_kernel::{Params, Real};
use core::f64::consts::TAU;

/// Normally distributed noise of limited bandwidth: the same for the same seed, on every machine.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "noise",
    title = "normally distributed noise, straight between samples",
    source = ""
)]
pub struct Noise<S> {
    /// mean, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub mean: S,
    /// standard deviation of the samples, in the unit of the drive
    #[param(unit = "drive", start = 1.0, range = "[0, inf)", eq = "")]
    pub deviation: S,
    /// time between samples
    #[param(unit = "s", start = 0.01, range = "(0, inf)", eq = "")]
    pub interval: S,
    /// a whole number: another one gives other noise
    #[param(unit = "1", start = 1.0, range = "[0, 9007199254740992]", eq = "")]
    pub seed: S,
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014), the finalizer of SplitMix64.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number in (0, 1) that belongs to a seed and a place.
fn uniform(seed: u64, place: u64) -> f64 {
    let bits = mix(mix(seed).wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

impl Noise<f64> {
    /// Sample `k`, by Box and Muller.
    fn sample(&self, k: usize) -> f64 {
        let (seed, place) = (self.seed as u64, 2 * k as u64);
        let size = Real::sqrt(-2.0 * Real::ln(uniform(seed, place)));
        self.mean + self.deviation * size * Real::cos(TAU * uniform(seed, place + 1))
    }
}

impl Signal for Noise<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, phase: usize) -> S {
        let [from, to] = [self.sample(phase), self.sample(phase + 1)];
        (t / self.interval - phase as f64) * (to - from) + from
    }
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let before: f64 = (0..phase).map(|k| 0.5 * (self.sample(k) + self.sample(k + 1))).sum();
        let (from, part) = (self.sample(phase), t / self.interval - phase as f64);
        (part * (part * (0.5 * (self.sample(phase + 1) - from)) + from) + before) * self.interval
    }
    fn switch(&self, k: usize) -> f64 {
        (k + 1) as f64 * self.interval
    }
}
