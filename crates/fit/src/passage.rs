//! Unseen forces: residuals of a system that runs by itself remember them.
//!
//! ```text
//! y_k = A_k y_(k−1) + b_k w_k,   r_k = c y_k + e_k,   w, e white
//! M = Σ_k J_k J_kᵀ var e + Σ_k (b_kᵀ λ_k)(b_kᵀ λ_k)ᵀ var w,   λ_(k−1) = A_kᵀ λ_k + c J_(k−1)
//! ```
//!
//! A_k and b_k are derivatives of the run. Kalman's filter for them makes residuals white; the ratio of the two levels is
//! that under which the residuals are most probable (L. Ljung, System Identification, 1999, 3.2). M is the variance that the
//! gradient of the plain squares then has. The squares themselves stay plain: a filter around a run that was never pushed
//! trusts its derivatives where the body was pushed elsewhere.

use nalgebra::DMatrix;
use std::fmt;

/// How position, velocity and bristles at one sample follow from those at the one before, and from a force between.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// ∂y_k/∂y_(k−1), row by row.
    pub matrix: Vec<f64>,
    /// ∂y_k/∂u.
    pub force: Vec<f64>,
}

/// A filter that makes residuals white.
#[derive(Clone, PartialEq)]
pub struct Filter {
    passages: Vec<Passage>,
    /// The root of the variance of each innovation, over the noise of the measurement.
    spread: Vec<f64>,
    gains: Vec<Vec<f64>>,
    /// The unseen force over the noise of the measurement, N/unit.
    pub ratio: f64,
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter").field("ratio", &self.ratio).finish_non_exhaustive()
    }
}

impl Filter {
    /// Σ ln of the variances of innovations, over the noise of the measurement.
    pub(crate) fn burden(&self) -> f64 {
        2.0 * self.spread.iter().map(|s| s.ln()).sum::<f64>()
    }

    /// M over the variance of the measurement's noise, of slopes with `p` numbers a sample.
    pub(crate) fn meat(&self, slope: &[f64], p: usize) -> DMatrix<f64> {
        let n = self.gains[0].len();
        let mut sum = DMatrix::zeros(p, p);
        let mut add = |row: &[f64]| {
            for i in 0..p {
                for j in 0..p {
                    sum[(i, j)] += row[i] * row[j];
                }
            }
        };
        let mut adjoint = vec![0.0; n * p];
        for k in (0..slope.len() / p).rev() {
            let own = &slope[k * p..(k + 1) * p];
            add(own);
            for (a, s) in adjoint.iter_mut().zip(own) {
                *a += s;
            }
            let Some(passage) = k.checked_sub(1).map(|before| &self.passages[before]) else {
                break;
            };
            let pushed: Vec<f64> = (0..p)
                .map(|c| {
                    self.ratio * (0..n).map(|i| passage.force[i] * adjoint[i * p + c]).sum::<f64>()
                })
                .collect();
            add(&pushed);
            let before = adjoint.clone();
            for j in 0..n {
                for c in 0..p {
                    adjoint[j * p + c] =
                        (0..n).map(|i| passage.matrix[i * n + j] * before[i * p + c]).sum();
                }
            }
        }
        sum
    }

    /// For an unseen force `ratio` times as large as the noise of the measurement.
    fn new(passages: &[Passage], ratio: f64) -> Self {
        let n = passages.first().map_or(0, |p| p.force.len());
        let mut variance = vec![0.0; n * n];
        let (mut spread, mut gains) = (Vec::new(), Vec::new());
        let mut put = |variance: &mut Vec<f64>| {
            let s = variance[0] + 1.0;
            let gain: Vec<f64> = (0..n).map(|i| variance[i * n] / s).collect();
            let row: Vec<f64> = variance[..n].to_vec();
            for i in 0..n {
                for j in 0..n {
                    variance[i * n + j] -= gain[i] * row[j];
                }
            }
            spread.push(s.sqrt());
            gains.push(gain);
        };
        put(&mut variance);
        for Passage { matrix, force } in passages {
            let mut next = vec![0.0; n * n];
            let mut half = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    half[i * n + j] = (0..n).map(|k| matrix[i * n + k] * variance[k * n + j]).sum();
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let sum: f64 = (0..n).map(|k| half[i * n + k] * matrix[j * n + k]).sum();
                    next[i * n + j] = sum + ratio * ratio * force[i] * force[j];
                }
            }
            variance = next;
            put(&mut variance);
        }
        Filter { passages: passages.to_vec(), spread, gains, ratio }
    }

    /// Makes `columns` numbers a sample white, in place.
    pub fn whiten(&self, rows: &mut [f64], columns: usize) {
        let n = self.gains[0].len();
        let mut state = vec![0.0; n * columns];
        let mut moved = state.clone();
        for (k, row) in rows.chunks_exact_mut(columns).enumerate() {
            if k > 0 {
                let matrix = &self.passages[k - 1].matrix;
                for i in 0..n {
                    for c in 0..columns {
                        moved[i * columns + c] =
                            (0..n).map(|j| matrix[i * n + j] * state[j * columns + c]).sum();
                    }
                }
                std::mem::swap(&mut state, &mut moved);
            }
            for (c, value) in row.iter_mut().enumerate() {
                let innovation = *value - state[c];
                for i in 0..n {
                    state[i * columns + c] += self.gains[k][i] * innovation;
                }
                *value = innovation / self.spread[k];
            }
        }
    }

    /// The filter under which these residuals are most probable, and how much more so than as white noise: twice the
    /// logarithm of the ratio of their probabilities.
    pub fn most_probable(passages: &[Passage], raw: &[f64]) -> (Self, f64) {
        let unlikely = |filter: &Filter| {
            let mut e = raw.to_vec();
            filter.whiten(&mut e, 1);
            let n = e.len() as f64;
            let square: f64 = e.iter().map(|e| e * e).sum();
            n * (square / n).max(1e-300).ln() + filter.burden()
        };
        // Ratios are looked at in units of what one force held for one sample does to the next.
        let typical =
            passages.iter().map(|p| p.force[0].abs()).sum::<f64>() / passages.len().max(1) as f64;
        let at = |log: f64| unlikely(&Filter::new(passages, log.exp() / typical.max(1e-300)));
        let grid: Vec<f64> = (-8..=8).map(|k| f64::from(k) * 1.0).collect();
        let costs: Vec<f64> = grid.iter().map(|g| at(*g)).collect();
        let best = (0..grid.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
        // Golden section around the best of the grid.
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut a, mut b) = (grid[best] - 1.0, grid[best] + 1.0);
        let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
        let (mut at_c, mut at_d) = (at(c), at(d));
        for _ in 0..10 {
            if at_c < at_d {
                (b, d, at_d) = (d, c, at_c);
                c = b - golden * (b - a);
                at_c = at(c);
            } else {
                (a, c, at_c) = (c, d, at_d);
                d = a + golden * (b - a);
                at_d = at(d);
            }
        }
        let filter = Filter::new(passages, (0.5 * (a + b)).exp() / typical.max(1e-300));
        let white = Filter::new(passages, 0.0);
        let gain = unlikely(&white) - unlikely(&filter);
        (filter, gain)
    }
}
