//! One step of Radau IIA of order 5, and the exact derivative of that step.
//!
//! ```text
//! Z_i = y + h Σ a_ij f(c_j, Z_j),   y⁺ = Z_3
//! ```
//!
//! Newton's method with the full Jacobian solves for the stages in plain numbers. One more Newton step in dual numbers,
//! with the factors of the last, gives their derivatives: at the solution that is the implicit function theorem.
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5.
use crate::Refused;
use crate::model::{Seeded, WIDTH};
use bristle_num::Dual;

const STAGES: usize = 3;
/// √6
const R: f64 = 2.449489742783178;
/// Nodes of the stages.
pub(crate) const NODES: [f64; STAGES] = [(4.0 - R) / 10.0, (4.0 + R) / 10.0, 1.0];
const MATRIX: [[f64; STAGES]; STAGES] = [
    [(88.0 - 7.0 * R) / 360.0, (296.0 - 169.0 * R) / 1800.0, (-2.0 + 3.0 * R) / 225.0],
    [(296.0 + 169.0 * R) / 1800.0, (88.0 + 7.0 * R) / 360.0, (-2.0 - 3.0 * R) / 225.0],
    [(16.0 - R) / 36.0, (16.0 + R) / 36.0, 1.0 / 9.0],
];
const ITERATIONS: usize = 25;
/// How close stages come, relative to their scale. The error of the derivatives is of this order.
const CLOSE: f64 = 1e-10;
/// States that a step takes at most: each needs a derivative.
pub(crate) const MAX_STATES: usize = WIDTH;

/// The stages of a step, and the factors of Newton's method at them.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    n: usize,
    /// What is small for each state.
    scale: Vec<f64>,
    stages: Vec<f64>,
    factors: Vec<f64>,
    pivots: Vec<usize>,
    seeded: Vec<Seeded>,
    rates: Vec<Seeded>,
    right: Vec<f64>,
}

impl Step {
    /// For systems of so many states, with a typical size of each.
    pub(crate) fn new(scale: &[f64]) -> Self {
        let n = scale.len();
        let m = STAGES * n;
        Step {
            n,
            scale: scale.to_vec(),
            stages: vec![0.0; m],
            factors: vec![0.0; m * m],
            pivots: vec![0; m],
            seeded: vec![Seeded::from(0.0); m],
            rates: vec![Seeded::from(0.0); m],
            right: vec![0.0; m],
        }
    }

    /// Solves for the stages of a step of `h` from `y`. `f(c, y, dy)` gives the rates at node c.
    pub(crate) fn solve(
        &mut self,
        h: f64,
        y: &[Seeded],
        f: &mut impl FnMut(f64, &[Seeded], &mut [Seeded]),
    ) -> Result<(), Refused> {
        let n = self.n;
        let m = STAGES * n;
        for i in 0..STAGES {
            for k in 0..n {
                self.stages[i * n + k] = y[k].re;
            }
        }
        for _ in 0..ITERATIONS {
            for i in 0..STAGES {
                for k in 0..n {
                    self.seeded[k] = Dual::variable(self.stages[i * n + k], k);
                }
                let rates = &mut self.rates[i * n..(i + 1) * n];
                f(NODES[i], &self.seeded[..n], rates);
            }
            for i in 0..STAGES {
                for k in 0..n {
                    let row = i * n + k;
                    let mut residual = y[k].re - self.stages[row];
                    for j in 0..STAGES {
                        let rate = &self.rates[j * n + k];
                        let a = h * MATRIX[i][j];
                        residual += a * rate.re;
                        for l in 0..n {
                            self.factors[row * m + j * n + l] = -a * rate.eps[l];
                        }
                    }
                    self.factors[row * m + row] += 1.0;
                    self.right[row] = residual;
                }
            }
            if !factor(&mut self.factors, &mut self.pivots) {
                break;
            }
            back(&self.factors, &self.pivots, &mut self.right);
            let mut change = 0.0f64;
            for row in 0..m {
                self.stages[row] += self.right[row];
                let scale = self.scale[row % n] + self.stages[row].abs();
                change = change.max(self.right[row].abs() / scale);
            }
            if change <= CLOSE {
                return Ok(());
            }
            if !change.is_finite() {
                break;
            }
        }
        Err(Refused("a step of the simulation finds no solution".into()))
    }

    /// The end of the step, before derivatives are carried over.
    pub(crate) fn end(&self, k: usize) -> f64 {
        self.stages[(STAGES - 1) * self.n + k]
    }

    /// Carries `y`, with its derivatives and those of the length, over the step that was solved. Gives the integral of
    /// the first state over it.
    pub(crate) fn carry(
        &mut self,
        h: Seeded,
        y: &mut [Seeded],
        f: &mut impl FnMut(f64, &[Seeded], &mut [Seeded]),
    ) -> Seeded {
        let n = self.n;
        let m = STAGES * n;
        for i in 0..STAGES {
            for k in 0..n {
                self.seeded[i * n + k] = Dual { re: self.stages[i * n + k], eps: y[k].eps };
            }
            let (stages, rates) =
                (&self.seeded[i * n..(i + 1) * n], &mut self.rates[i * n..(i + 1) * n]);
            f(NODES[i], stages, rates);
        }
        let mut residual = [[0.0; WIDTH]; STAGES * MAX_STATES];
        for i in 0..STAGES {
            for k in 0..n {
                let mut sum = Seeded::from(0.0);
                for j in 0..STAGES {
                    sum += self.rates[j * n + k] * MATRIX[i][j];
                }
                residual[i * n + k] = (h * sum).eps;
            }
        }
        back_all(&self.factors, &self.pivots, &mut residual[..m]);
        let stages = if n == 0 { 0 } else { STAGES };
        let integral = (0..stages).fold(Seeded::from(0.0), |sum, j| {
            let eps = std::array::from_fn(|e| y[0].eps[e] + residual[j * n][e]);
            sum + Dual { re: self.stages[j * n], eps } * MATRIX[STAGES - 1][j]
        });
        for k in 0..n {
            let row = (STAGES - 1) * n + k;
            let start = y[k].eps;
            y[k] = Dual {
                re: self.stages[row],
                eps: std::array::from_fn(|e| start[e] + residual[row][e]),
            };
        }
        h * integral
    }
}

/// LU factors with row pivots, in place; false where the matrix is singular.
fn factor(a: &mut [f64], pivots: &mut [usize]) -> bool {
    let m = pivots.len();
    for k in 0..m {
        let (mut p, mut largest) = (k, a[k * m + k].abs());
        for i in k + 1..m {
            if a[i * m + k].abs() > largest {
                (p, largest) = (i, a[i * m + k].abs());
            }
        }
        pivots[k] = p;
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        if p != k {
            for j in 0..m {
                a.swap(k * m + j, p * m + j);
            }
        }
        let inverse = 1.0 / a[k * m + k];
        let (top, below) = a.split_at_mut((k + 1) * m);
        let pivot = &top[k * m..];
        for row in below.chunks_exact_mut(m) {
            let f = row[k] * inverse;
            row[k] = f;
            if f != 0.0 {
                for j in k + 1..m {
                    row[j] -= f * pivot[j];
                }
            }
        }
    }
    true
}

fn back(a: &[f64], pivots: &[usize], b: &mut [f64]) {
    let m = pivots.len();
    for k in 0..m {
        b.swap(k, pivots[k]);
    }
    for i in 1..m {
        let sum: f64 = (0..i).map(|j| a[i * m + j] * b[j]).sum();
        b[i] -= sum;
    }
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|j| a[i * m + j] * b[j]).sum();
        b[i] = (b[i] - sum) / a[i * m + i];
    }
}

fn back_all(a: &[f64], pivots: &[usize], b: &mut [[f64; WIDTH]]) {
    let m = pivots.len();
    for k in 0..m {
        b.swap(k, pivots[k]);
    }
    for i in 1..m {
        let (done, rest) = b.split_at_mut(i);
        for (j, known) in done.iter().enumerate() {
            let f = a[i * m + j];
            for e in 0..WIDTH {
                rest[0][e] -= f * known[e];
            }
        }
    }
    for i in (0..m).rev() {
        let (rest, done) = b.split_at_mut(i + 1);
        let own = &mut rest[i];
        for (j, known) in done.iter().enumerate() {
            let f = a[i * m + i + 1 + j];
            for e in 0..WIDTH {
                own[e] -= f * known[e];
            }
        }
        let inverse = 1.0 / a[i * m + i];
        for e in 0..WIDTH {
            own[e] *= inverse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ẏ = −λ y² over a step: the derivatives by λ, by y(0) and by h are those of y/(1 + λ y t), to the order of the step.
    #[test]
    fn a_step_carries_its_derivatives() {
        let (lambda, start, h) =
            (Seeded::variable(0.7, 0), Seeded::variable(1.3, 1), Seeded::variable(0.02, 2));
        let mut step = Step::new(&[1.0]);
        let mut y = [start];
        step.solve(h.re, &y, &mut |_, y, dy| dy[0] = y[0] * y[0] * -0.7).unwrap();
        step.carry(h, &mut y, &mut |_, y, dy| dy[0] = -(lambda * y[0] * y[0]));
        let exact = start / (lambda * start * h + 1.0);
        assert!((y[0].re - exact.re).abs() < 1e-12);
        for e in 0..3 {
            assert!(
                (y[0].eps[e] - exact.eps[e]).abs() < 1e-9,
                "{e}: {} {}",
                y[0].eps[e],
                exact.eps[e]
            );
        }
    }
}
