//! Collocation at Radau's points.
use super::{Lagrange, legendre};

/// Collocation with N stages at Radau's points of [0, 1], the last of them the end: z′ = f becomes A⁻¹(z − z₀) = hf.
///
/// Exact for polynomials of degree N, of order 2N − 1 at the end, and without a limit on how fast z is forgotten: of a start
/// that is forgotten within the cell nothing is left at its end (E. Hairer, G. Wanner, Solving Ordinary Differential
/// Equations II, §IV.5).
#[derive(Clone, Debug)]
pub struct Radau<const N: usize> {
    /// Where the stages are.
    pub c: [f64; N],
    /// What they weigh in the integral over the cell.
    pub b: [f64; N],
    /// A⁻¹.
    pub inverse: [[f64; N]; N],
    /// A⁻¹·1, what z₀ adds to each equation.
    pub start: [f64; N],
}

impl<const N: usize> Radau<N> {
    /// Works the rule out.
    pub fn new() -> Self {
        let c = points::<N>();
        let basis = Lagrange::new(&c);
        let (mut a, mut values) = ([[0.0; N]; N], [0.0; N]);
        for (x, w) in legendre(N) {
            for (row, end) in a.iter_mut().zip(c) {
                basis.at(end * x, &mut values);
                for (a, value) in row.iter_mut().zip(values) {
                    *a += end * w * value;
                }
            }
        }
        let inverse = invert(a);
        Radau { c, b: a[N - 1], inverse, start: inverse.map(|row| row.iter().sum()) }
    }
}

/// The zeros of P_N − P_{N−1} on [0, 1], by Newton's method from Legendre's of N − 1 and 1, dividing by the zeros found.
fn points<const N: usize>() -> [f64; N] {
    let mut found = [1.0; N];
    for k in 0..N - 1 {
        let mut x = 2.0 * legendre(N)[k].0 - 1.0;
        for _ in 0..100 {
            // P_N, P_{N−1} and their derivatives by the recurrence.
            let ([mut p, mut before], [mut dp, mut dbefore]) = ([1.0, 0.0], [0.0, 0.0]);
            for j in 0..N {
                let j = j as f64;
                let next = ((2.0 * j + 1.0) * x * p - j * before) / (j + 1.0);
                let dnext = ((2.0 * j + 1.0) * (p + x * dp) - j * dbefore) / (j + 1.0);
                (before, p, dbefore, dp) = (p, next, dp, dnext);
            }
            let (value, slope) = (p - before, dp - dbefore);
            let known: f64 = found[..k].iter().map(|c| 1.0 / (x - (2.0 * c - 1.0))).sum();
            let step = value / (slope - value * (known + 1.0 / (x - 1.0)));
            x -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        found[k] = 0.5 * (1.0 + x);
    }
    found.sort_unstable_by(f64::total_cmp);
    found
}

/// Gauss and Jordan's elimination with pivots.
fn invert<const N: usize>(mut a: [[f64; N]; N]) -> [[f64; N]; N] {
    let mut inverse = [[0.0; N]; N];
    for (k, row) in inverse.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for k in 0..N {
        let size = |i: &usize| a[*i][k].abs();
        let pivot = (k..N).max_by(|i, j| size(i).total_cmp(&size(j))).unwrap_or(k);
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let scale = 1.0 / a[k][k];
        a[k] = a[k].map(|x| x * scale);
        inverse[k] = inverse[k].map(|x| x * scale);
        let (own, other) = (a[k], inverse[k]);
        for i in (0..N).filter(|i| *i != k) {
            let factor = a[i][k];
            for j in 0..N {
                a[i][j] -= factor * own[j];
                inverse[i][j] -= factor * other[j];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z′ = 7t⁶ is solved exactly by six stages, and its integral by the quadrature of degree ten.
    #[test]
    fn collocation_is_exact_for_its_degree() {
        let rule = Radau::<6>::new();
        assert_eq!(rule.c[5], 1.0);
        assert!((rule.c[0] - 0.039_809_857_051_469).abs() < 1e-14); // Hairer and Wanner's radau, s = 6
        for k in 1..=6i32 {
            let z = rule.c.map(|c| c.powi(k));
            for i in 0..6 {
                let f: f64 = (0..6).map(|j| rule.inverse[i][j] * z[j]).sum();
                assert!(
                    (f - f64::from(k) * rule.c[i].powi(k - 1)).abs() < 1e-11,
                    "stage {i}, degree {k}"
                );
            }
        }
        for k in 0..=10 {
            let sum: f64 = rule.c.iter().zip(rule.b).map(|(c, b)| b * c.powi(k)).sum();
            assert!((sum - 1.0 / f64::from(k + 1)).abs() < 1e-14);
        }
    }
}
