//! The rules that everything is integrated with: nested ones across the paths, collocation along them.
use super::bristles::wide;
use super::inflow::{WIDTH, Wide};
use crate::quadrature::{Lagrange, legendre};
use bristle_num::Lanes;

/// Nodes on [0, 1] of Patterson's nested rules with 1, 3, 7, 15 and 31 points, in the order in which the rules add them
/// (T. N. L. Patterson, "The optimum addition of points to quadrature formulae", Math. Comp. 22, 1968; worked out anew by
/// `tools/rules/patterson.py`).
pub const NODES: [f64; 31] = [
    0.1127016653792583115,
    0.5,
    0.8872983346207416885,
    0.01975436564598985829,
    0.282878125326598721,
    0.717121874673401279,
    0.9802456343540101417,
    3.084018393622488896e-3,
    0.05577038356387150055,
    0.1894485266313867985,
    0.3883066567855165592,
    0.6116933432144834408,
    0.8105514733686132015,
    0.9442296164361284994,
    0.9969159816063775111,
    4.509375161662011689e-4,
    9.234425223129946566e-3,
    0.03517257128512997166,
    0.08163703091556563225,
    0.1487518967542364607,
    0.234340128177812188,
    0.3344323033710115835,
    0.4437555284334066871,
    0.5562444715665933129,
    0.6655676966289884165,
    0.765659871822187812,
    0.8512481032457635393,
    0.9183629690844343678,
    0.9648274287148700283,
    0.9907655747768700534,
    0.9995490624838337988,
];

/// The weights of each rule, in the order of [`NODES`].
pub const WEIGHTS: [&[f64]; 5] = [
    &[0.0, 1.0],
    &[0.2777777777777777778, 0.4444444444444444444, 0.2777777777777777778],
    &[
        0.1342440449341667204,
        0.2254582693292370712,
        0.1342440449341667204,
        0.0523281130132336326,
        0.2006987073879811115,
        0.2006987073879811115,
        0.0523281130132336326,
    ],
    &[
        0.06720762762189211018,
        0.1127552498991033437,
        0.06720762762189211018,
        0.02580164149853986985,
        0.1003142646884945105,
        0.1003142646884945105,
        0.02580164149853986985,
        8.50085981497013017e-3,
        0.04646359765756226884,
        0.08575595456819569039,
        0.1095784292007937482,
        0.1095784292007937482,
        0.08575595456819569039,
        0.04646359765756226884,
        8.50085981497013017e-3,
    ],
    &[
        0.03360387714799535177,
        0.0563776283603843458,
        0.03360387714799535177,
        0.01290379904808832678,
        0.05015713930589778939,
        0.05015713930589778939,
        0.01290379904808832678,
        4.217282869660553123e-3,
        0.02323144663087899327,
        0.04287796002499517558,
        0.05478921052796231912,
        0.05478921052796231912,
        0.04287796002499517558,
        0.02323144663087899327,
        4.217282869660553123e-3,
        1.272390395780937208e-3,
        8.223024927193905467e-3,
        0.01797855165356466105,
        0.02848975474706167871,
        0.03843981024950176552,
        0.04681355499063223681,
        0.05283494679011740487,
        0.05597843651047672844,
        0.05597843651047672844,
        0.05283494679011740487,
        0.04681355499063223681,
        0.03843981024950176552,
        0.02848975474706167871,
        0.01797855165356466105,
        8.223024927193905467e-3,
        1.272390395780937208e-3,
    ],
];

/// How many eights of nodes a rule has.
pub fn vectors(level: usize) -> usize {
    WEIGHTS[level].len().div_ceil(WIDTH)
}

/// The k-th eight of nodes; that after the last of a rule belongs to the next one and stands for nothing.
pub fn nodes(k: usize) -> Wide {
    let first = (WIDTH * k).saturating_sub(1);
    wide(|i| NODES[(first + i).min(NODES.len() - 1)])
}

/// What a rule gives to the k-th eight of its nodes.
pub fn weights(level: usize, k: usize) -> Wide {
    Lanes(BY_EIGHTS[level][k])
}

/// [`WEIGHTS`] by eights; that after the first seven belongs to a node that stands for nothing.
const BY_EIGHTS: [[[f64; WIDTH]; 4]; 5] = {
    let mut all = [[[0.0; WIDTH]; 4]; 5];
    let mut level = 0;
    while level < 5 {
        let mut node = 0;
        while node < WEIGHTS[level].len() {
            // The first eight holds seven.
            let place = if node < WIDTH - 1 { node } else { node + 1 };
            all[level][place / WIDTH][place % WIDTH] = WEIGHTS[level][node];
            node += 1;
        }
        level += 1;
    }
    all
};

/// The number of the finest rule.
pub const FINEST: usize = WEIGHTS.len() - 1;

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

    /// A rule of n added points is exact for polynomials of degree (3n + 1)/2, and not for the next even one.
    #[test]
    fn nested_rules_have_their_degrees() {
        for (rule, degree) in [(0, 1), (1, 5), (2, 11), (3, 23), (4, 47)] {
            let integral = |k: i32| -> f64 {
                let nodes = NODES.iter().zip(WEIGHTS[rule]);
                nodes.map(|(x, w)| w * (2.0 * x - 1.0).powi(k)).sum()
            };
            for k in (0..=degree).step_by(2) {
                assert!(
                    (integral(k) - 1.0 / f64::from(k + 1)).abs() < 1e-15,
                    "rule {rule}, degree {k}"
                );
            }
            // Of degree 48 the error is below rounding.
            let next = (integral(degree + 1) - 1.0 / f64::from(degree + 2)).abs();
            assert!(rule == 4 || next > 1e-12, "rule {rule}: {next:e}");
            assert!(WEIGHTS[rule].iter().all(|w| *w >= 0.0));
        }
    }

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
