//! Zero-phase smoothing and differentiation: a local polynomial, fitted to the samples around each.
//!
//! A. Savitzky, M. J. E. Golay, Analytical Chemistry 36, 1964, 1627-1639. Cut-off by R. W. Schafer, IEEE Signal
//! Processing Magazine 28 (4), 2011, 111-117: f_c ≈ (n + 1)/(3.2 m − 4.6) f_s/2 for degree n and m samples to each side.

/// A smoothed signal, its rate, and how it was smoothed.
#[derive(Clone, Debug, PartialEq)]
pub struct Smooth {
    /// The values.
    pub value: Vec<f64>,
    /// Their rates, 1/s,
    pub rate: Vec<f64>,
    /// and the rates of those, 1/s².
    pub bend: Vec<f64>,
    /// How many samples on each side were used.
    pub half: usize,
    /// The frequency above which signals are damped by more than half, Hz.
    pub bandwidth: f64,
    /// The noise level that was taken away.
    pub noise: f64,
}

const DEGREE: usize = 3;
/// Windows tried, in samples on each side. The shortest needs as many samples as a cubic has coefficients.
const HALVES: [usize; 14] = [2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 47, 60];

/// The noise level of a signal: white noise of level σ has third differences of level √20 σ, in which a smooth motion
/// nearly vanishes. The largest tenth, where jerks are, is left out; of normal noise that leaves 62.3 % of the variance.
pub fn noise(values: &[f64]) -> f64 {
    let mut third: Vec<f64> =
        values.windows(4).map(|w| (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).powi(2)).collect();
    if third.is_empty() {
        return 0.0;
    }
    third.sort_by(f64::total_cmp);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let most = mean(&third[..(third.len() * 9).div_ceil(10)]) / 0.623;
    // Of a quantised signal at rest most differences are zero.
    let variance = if most > 0.0 { most } else { mean(&third) };
    (variance / 20.0).sqrt()
}

/// Smooths with the longest window that changes the signal by no more than its noise, or with the given bandwidth, Hz.
pub fn smooth(t: &[f64], x: &[f64], bandwidth: Option<f64>) -> Smooth {
    let n = x.len();
    let rate = (n.max(2) - 1) as f64 / (t[n - 1] - t[0]).max(f64::MIN_POSITIVE);
    let cut_off =
        |half: usize| (DEGREE + 1) as f64 / (3.2 * half as f64 - 4.6).max(1.0) * 0.5 * rate;
    let level = noise(x);
    let mut best = filtered(t, x, HALVES[0]);
    let mut half = HALVES[0];
    for next in HALVES.into_iter().skip(1).filter(|h| 2 * h < n) {
        match bandwidth {
            Some(wanted) if cut_off(next) < wanted => break,
            Some(_) => best = filtered(t, x, next),
            None => {
                let tried = filtered(t, x, next);
                // Noise leaves residuals of level σ√(1 − w₀), where w₀ is the weight of the middle sample.
                let middle = 9.0 / (4.0 * (2 * next + 1) as f64);
                let change = rms(x, &tried.0);
                if change > 1.03 * level * (1.0 - middle).max(0.1).sqrt() {
                    break;
                }
                best = tried;
            }
        }
        half = next;
    }
    Smooth {
        value: best.0,
        rate: best.1,
        bend: best.2,
        half,
        bandwidth: cut_off(half),
        noise: level,
    }
}

fn rms(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64).sqrt()
}

/// Values and rates of the cubic through the samples around each, at their own times.
fn filtered(t: &[f64], x: &[f64], half: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let n = x.len();
    let mut out = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for k in 0..n {
        // At the ends the window stays whole and the sample moves off its middle.
        let from = k.saturating_sub(half).min(n.saturating_sub(2 * half + 1));
        let window = from..(from + 2 * half + 1).min(n);
        let width = (t[window.end - 1] - t[window.start]).max(f64::MIN_POSITIVE);
        let mut normal = [[0.0; DEGREE + 2]; DEGREE + 1];
        for i in window {
            let s = 2.0 * (t[i] - t[k]) / width;
            let powers: [f64; DEGREE + 1] = std::array::from_fn(|p| s.powi(p as i32));
            for (row, p) in normal.iter_mut().zip(powers) {
                for (cell, q) in row.iter_mut().zip(powers) {
                    *cell += p * q;
                }
                row[DEGREE + 1] += p * (x[i] - x[k]);
            }
        }
        let c = solve(normal);
        out.0.push(x[k] + c[0]);
        out.1.push(c[1] * 2.0 / width);
        out.2.push(c[2] * 8.0 / (width * width));
    }
    out
}

/// Gauss elimination of symmetric positive equations; a pivot that vanishes leaves its unknown at 0.
fn solve(mut m: [[f64; DEGREE + 2]; DEGREE + 1]) -> [f64; DEGREE + 1] {
    for k in 0..=DEGREE {
        if m[k][k].abs() < 1e-12 * m[0][0] {
            continue;
        }
        for i in k + 1..=DEGREE {
            let f = m[i][k] / m[k][k];
            for j in k..DEGREE + 2 {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    let mut c = [0.0; DEGREE + 1];
    for k in (0..=DEGREE).rev() {
        let known: f64 = (k + 1..=DEGREE).map(|j| m[k][j] * c[j]).sum();
        c[k] = if m[k][k].abs() < 1e-12 * m[0][0] {
            0.0
        } else {
            (m[k][DEGREE + 1] - known) / m[k][k]
        };
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cubic passes unchanged, at even and uneven times, ends included.
    #[test]
    fn cubics_pass() {
        let t: Vec<f64> = (0..40).map(|k| 0.01 * (k as f64 + 0.3 * (k as f64).sin())).collect();
        let x: Vec<f64> = t.iter().map(|t| 1.0 + 2.0 * t - 3.0 * t * t + 5.0 * t * t * t).collect();
        let smooth = smooth(&t, &x, Some(1.0));
        for k in 0..t.len() {
            let rate = 2.0 - 6.0 * t[k] + 15.0 * t[k] * t[k];
            assert!((smooth.value[k] - x[k]).abs() < 1e-11 && (smooth.rate[k] - rate).abs() < 1e-9);
        }
    }

    /// A sine is not shifted: what is left of it is in phase.
    #[test]
    fn a_sine_keeps_its_phase() {
        let t: Vec<f64> = (0..1000).map(|k| 1e-3 * k as f64).collect();
        let omega = std::f64::consts::TAU * 20.0;
        let x: Vec<f64> = t.iter().map(|t| (omega * t).sin()).collect();
        let smooth = smooth(&t, &x, Some(60.0));
        let along = |f: fn(f64) -> f64| -> f64 {
            (100..900).map(|k| smooth.value[k] * f(omega * t[k])).sum::<f64>() / 400.0
        };
        assert!(along(f64::cos).abs() < 1e-9 && along(f64::sin) > 0.9);
    }
}
