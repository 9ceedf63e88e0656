//! Gauss rules: Legendre's, and those of a measure given by its points.

use bristle_kernel::{Logic, Real};
use bristle_num::{Lanes, simd};
use std::sync::OnceLock;

/// The most nodes of a rule that is kept.
pub const MOST_NODES: usize = 64;

/// Nodes and weights of the n-point Gauss-Legendre rule on [0, 1], n up to [`MOST_NODES`]; each is worked out
/// once in a program.
pub fn legendre(n: usize) -> &'static [(f64, f64)] {
    static RULES: [OnceLock<Vec<(f64, f64)>>; MOST_NODES + 1] =
        [const { OnceLock::new() }; MOST_NODES + 1];
    RULES[n].get_or_init(|| work_out(n))
}

/// Newton's iteration on the zeros of Legendre's polynomial.
fn work_out(n: usize) -> Vec<(f64, f64)> {
    let mut rule = vec![(0.0, 0.0); n];
    for i in 0..n {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let (mut slope, mut settled) = (1.0, false);
        for _ in 0..50 {
            let (mut p, mut before) = (1.0, 0.0);
            for j in 0..n {
                let j = j as f64;
                (p, before) = (((2.0 * j + 1.0) * x * p - j * before) / (j + 1.0), p);
            }
            slope = n as f64 * (x * p - before) / (x * x - 1.0);
            let step = p / slope;
            x -= step;
            if settled {
                break;
            }
            // Newton squares its error: the next step, which the slope is still to be taken after, is the last.
            settled = step.abs() < 1e-9;
        }
        rule[n - 1 - i] = (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope));
    }
    rule
}

/// The polynomials that are 1 at one of some nodes and 0 at the others.
#[derive(Clone, Debug)]
pub struct Lagrange {
    nodes: Vec<f64>,
    /// 1/Π(x_k − x_j) over all other nodes j.
    scales: Vec<f64>,
}

impl Lagrange {
    /// Those of `nodes`.
    pub fn new(nodes: &[f64]) -> Self {
        let scale = |k: usize| {
            let others = nodes.iter().enumerate().filter(|(j, _)| *j != k);
            1.0 / others.map(|(_, x)| nodes[k] - x).product::<f64>()
        };
        Lagrange { nodes: nodes.to_vec(), scales: (0..nodes.len()).map(scale).collect() }
    }

    /// Their values at `x`, into `values`.
    pub fn at(&self, x: f64, values: &mut [f64]) {
        // Π(x − x_j) over the nodes before k, then over those behind it.
        let mut product = 1.0;
        for (value, node) in values.iter_mut().zip(&self.nodes) {
            *value = product;
            product *= x - node;
        }
        let mut product = 1.0;
        for (k, value) in values.iter_mut().enumerate().rev() {
            *value *= product * self.scales[k];
            product *= x - self.nodes[k];
        }
    }
}

/// Collocation with N stages on [0, 1]: what turns a differential equation into N linear ones.
#[derive(Clone, Debug)]
pub struct Stages<const N: usize> {
    /// Where the stages are.
    pub c: [f64; N],
    /// The weights of the quadrature over the cell.
    pub b: [f64; N],
    /// The integrals from 0 to each stage of the polynomials belonging to each stage.
    pub a: [[f64; N]; N],
}

impl<const N: usize> Stages<N> {
    /// Gauss's rule, of order 2N.
    pub fn gauss() -> Self {
        let rule = legendre(N);
        Self::at(std::array::from_fn(|i| rule[i].0))
    }

    /// Collocation at nodes.
    fn at(c: [f64; N]) -> Self {
        let (mut a, mut b) = ([[0.0; N]; N], [0.0; N]);
        let basis = Lagrange::new(&c);
        let mut values = [0.0; N];
        for (x, w) in legendre(N) {
            basis.at(*x, &mut values);
            for (b, value) in b.iter_mut().zip(values) {
                *b += w * value;
            }
            for (row, end) in a.iter_mut().zip(c) {
                basis.at(end * x, &mut values);
                for (a, value) in row.iter_mut().zip(values) {
                    *a += end * w * value;
                }
            }
        }
        Stages { c, b, a }
    }
}

/// The two highest of the polynomials that are orthonormal under a Gauss rule, at its nodes, in units in which all
/// weights sum up to 1.
///
/// The highest is, but for the weights, the functional that takes the highest divided difference: that vanishes for
/// all polynomials of less degree. The next is made of it and of its product with x.
pub fn highest_polynomials(rule: &[(f64, f64)]) -> impl Iterator<Item = [f64; 2]> {
    let total: f64 = rule.iter().map(|r| r.1).sum();
    let difference = move |i: usize| {
        let (x, w) = rule[i];
        let others = rule.iter().enumerate().filter(|(j, _)| *j != i);
        total / (w * others.map(|(_, r)| x - r.0).product::<f64>())
    };
    // ⟨p, p⟩, ⟨p, xp⟩ and ⟨xp, xp⟩ of that p.
    let mut moments = [0.0; 3];
    for (i, (x, w)) in rule.iter().enumerate() {
        let p = difference(i);
        let part = p * p * w / total;
        for (moment, part) in moments.iter_mut().zip([part, x * part, x * x * part]) {
            *moment += part;
        }
    }
    let [norm, along, square] = moments;
    let mean = along / norm;
    let beside = (square - mean * along).max(f64::MIN_POSITIVE);
    (0..rule.len()).map(move |i| {
        let p = difference(i);
        [p / norm.sqrt(), p * (rule[i].0 - mean) / beside.sqrt()]
    })
}

/// The n-point Gauss rule of the measure that gives `weights` to `points`: Stieltjes' procedure for the
/// recurrence, then the eigenvalues of Jacobi's matrix (Golub and Welsch).
pub fn gauss_of_measure(points: &[f64], weights: &[f64], n: usize) -> Vec<(f64, f64)> {
    let mut rule = vec![(0.0, 0.0); n];
    Stieltjes::default().gauss(points, weights, &mut rule);
    rule
}

/// Points side by side.
type Eight = Lanes<8>;

/// What Gauss rules of measures are worked out with, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Stieltjes {
    points: Vec<Eight>,
    weights: Vec<Eight>,
    before: Vec<Eight>,
    now: Vec<Eight>,
    nodes: Vec<Eight>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// What is beside the diagonal, inverted.
    inverse: Vec<f64>,
    first: Vec<f64>,
}

impl Stieltjes {
    /// The rule of [`gauss_of_measure`] with as many nodes as there is room for in `rule`.
    pub fn gauss(&mut self, points: &[f64], weights: &[f64], rule: &mut [(f64, f64)]) {
        let total: f64 = weights.iter().sum();
        side_by_side(points, &mut self.points);
        side_by_side(weights, &mut self.weights);
        let start = legendre(rule.len());
        let found = simd::widest(
            #[inline(always)]
            || {
                self.recurrence(rule.len(), total);
                self.roots(start, total, rule)
            },
        );
        if !found {
            self.eigenvalues(total, rule);
        }
    }

    /// Jacobi's matrix of the polynomials that are orthonormal under the measure.
    #[inline(always)]
    fn recurrence(&mut self, n: usize, total: f64) {
        let Stieltjes { points, weights, before, now, diagonal, beside, inverse, .. } = self;
        let (zero, one) = (Eight::from(0.0), Eight::from(1.0));
        for (list, value) in [(&mut *before, zero), (&mut *now, one / total.sqrt())] {
            list.clear();
            list.resize(points.len(), value);
        }
        for list in [&mut *diagonal, &mut *beside, &mut *inverse] {
            list.clear();
        }
        let mut mean = points.iter().zip(&*weights).fold(zero, |sum, (x, w)| sum + *x * *w);
        let mut norm = 0.0;
        let mut centre = added(mean) / total;
        for _ in 0..n {
            let mut size = zero;
            mean = zero;
            for k in 0..points.len() {
                let p = (points[k] - centre) * now[k] - before[k] * norm;
                let load = weights[k] * p * p;
                size += load;
                mean += load * points[k];
                (before[k], now[k]) = (now[k], p);
            }
            let (squared, moment) = (added(size), added(mean));
            norm = squared.sqrt();
            diagonal.push(centre);
            beside.push(norm);
            inverse.push(1.0 / norm);
            centre = moment / squared;
            for p in &mut *now {
                *p = *p * (1.0 / norm);
            }
        }
    }

    /// The roots of the last of them, all at a time, by Aberth's method from the nodes of another rule with as many, which
    /// are shifted and stretched until their sum and the sum of their squares are those of the roots; and what they weigh.
    /// Says whether they were found.
    #[inline(always)]
    fn roots(&mut self, start: &[(f64, f64)], total: f64, rule: &mut [(f64, f64)]) -> bool {
        let n = rule.len();
        let Stieltjes { nodes, diagonal, beside, inverse, .. } = self;
        let (zero, one) = (Eight::from(0.0), Eight::from(1.0));
        nodes.clear();
        // Lanes that are not used repeat the last.
        nodes.extend(
            (0..n.div_ceil(8)).map(|g| -> Eight {
                Lanes(std::array::from_fn(|i| start[(8 * g + i).min(n - 1)].0))
            }),
        );
        // Convergence is cubic: what moves by so little is there.
        const CLOSE: f64 = 1e-6;
        let mut close = false;
        for _ in 0..20 {
            close = true;
            for g in 0..nodes.len() {
                let x = nodes[g];
                let (mut before, mut now) = ([zero; 2], [one, zero]);
                let mut last = 0.0;
                for k in 0..n {
                    let away = x - diagonal[k];
                    let next = (away * now[0] - before[0] * last) * inverse[k];
                    let rise = (away * now[1] + now[0] - before[1] * last) * inverse[k];
                    (before, now, last) = (now, [next, rise], beside[k]);
                }
                let newton = now[0] / now[1];
                let mut others = zero;
                for j in 0..n {
                    let apart = x - nodes[j / 8].0[j % 8];
                    let itself = apart.abs().le(zero);
                    others += Eight::select(itself, zero, one / Eight::select(itself, one, apart));
                }
                let change = newton / (one - newton * others);
                nodes[g] = x - change;
                close &= change.abs().le(Eight::from(CLOSE)).all();
            }
            if close {
                break;
            }
        }
        let mut found = 0.0;
        for (g, x) in nodes.iter().enumerate() {
            let (mut before, mut now, mut squares) = (zero, one, zero);
            let mut last = 0.0;
            for k in 0..n {
                squares += now * now;
                let next = ((*x - diagonal[k]) * now - before * last) * inverse[k];
                (before, now, last) = (now, next, beside[k]);
            }
            let weight = Eight::from(total) / squares;
            for (i, node) in rule[8 * g..].iter_mut().take(8).enumerate() {
                *node = (x.0[i], weight.0[i]);
                found += weight.0[i];
            }
        }
        rule.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
        // Of roots that were found twice the weights would not add up.
        let apart = rule.windows(2).all(|pair| pair[0].0 < pair[1].0);
        close && apart && (found / total - 1.0).abs() < 1e-9
    }

    /// The same as eigenvalues of Jacobi's matrix.
    fn eigenvalues(&mut self, total: f64, rule: &mut [(f64, f64)]) {
        let n = rule.len();
        self.first.clear();
        self.first.resize(n, 0.0);
        self.first[0] = 1.0;
        self.beside[n - 1] = 0.0;
        tridiagonal_eigen(&mut self.diagonal, &mut self.beside, &mut self.first);
        let nodes = self.diagonal.iter().zip(&self.first);
        for (node, (x, v)) in rule.iter_mut().zip(nodes) {
            *node = (*x, total * v * v);
        }
        rule.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
    }
}

/// Numbers eight at a time; those that are missing are 0.
fn side_by_side(list: &[f64], out: &mut Vec<Eight>) {
    out.clear();
    out.extend(list.chunks(8).map(|some| -> Eight {
        Lanes(std::array::from_fn(|i| some.get(i).copied().unwrap_or(0.0)))
    }));
}

#[inline(always)]
fn added(x: Eight) -> f64 {
    let [a, b, c, d, e, f, g, h] = x.0;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Eigenvalues of a symmetric tridiagonal matrix, into `d`, and the first components of its
/// eigenvectors, by the implicit QL method. `e` holds what is beside the diagonal.
fn tridiagonal_eigen(d: &mut [f64], e: &mut [f64], first: &mut [f64]) {
    let n = d.len();
    for l in 0..n {
        for _ in 0..60 {
            let small = |m: usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs());
            let m = (l..n - 1).find(|m| small(*m)).unwrap_or(n - 1);
            if m == l {
                break;
            }
            let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            g = d[m] - d[l] + e[l] / (g + g.hypot(1.0).copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut i = m;
            while i > l {
                i -= 1;
                let (f, b) = (s * e[i], c * e[i]);
                // Neither overflows nor matters where it vanishes; `hypot` takes longer than the rest.
                let r = (f * f + g * g).sqrt();
                e[i + 1] = r;
                if r == 0.0 {
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let t = (d[i] - g) * s + 2.0 * c * b;
                p = s * t;
                d[i + 1] = g + p;
                g = c * t - b;
                (first[i + 1], first[i]) =
                    (s * first[i] + c * first[i + 1], c * first[i] - s * first[i + 1]);
            }
            if i > l {
                d[i + 1] -= p;
                e[m] = 0.0;
                continue;
            }
            d[l] -= p;
            e[l] = g;
            e[m] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legendre_integrates_polynomials_of_degree_2n_minus_1() {
        for n in 1..40 {
            let degree = 2 * n as i32 - 1;
            let sum: f64 = legendre(n).iter().map(|(x, w)| w * x.powi(degree)).sum();
            assert!((sum * f64::from(degree + 1) - 1.0).abs() < 1e-13, "{n} nodes: {sum}");
        }
    }

    #[test]
    fn the_rule_of_a_measure_is_the_one_of_its_moments() {
        // √x on [0, 1], as 200 Legendre points of x = t².
        let fine = work_out(200);
        let points: Vec<f64> = fine.iter().map(|(t, _)| t * t).collect();
        let weights: Vec<f64> = fine.iter().map(|(t, w)| 2.0 * t * t * w).collect();
        let rule = gauss_of_measure(&points, &weights, 12);
        for degree in 0..24 {
            let sum: f64 = rule.iter().map(|(x, w)| w * x.powi(degree)).sum();
            let exact = 1.0 / (f64::from(degree) + 1.5);
            assert!((sum / exact - 1.0).abs() < 1e-12, "degree {degree}: {sum}, not {exact}");
        }
    }

    /// Both ways to the nodes, for measures that crowd at an end, vanish there or are full of gaps.
    #[test]
    fn roots_are_eigenvalues() {
        let points = legendre(60);
        for (n, measure) in [
            (3, (|x| x) as fn(f64) -> f64),
            (9, |x| x * x * (1.0 - x)),
            (16, |x| 1.0 / (x + 1e-3)),
            (24, |x| (1.0 - x).powi(3)),
            (12, |x| if (0.3..0.5).contains(&x) { 1e-9 } else { 1.0 }),
        ] {
            let (x, w): (Vec<f64>, Vec<f64>) =
                points.iter().map(|(x, w)| (*x, w * measure(*x))).unzip();
            let total: f64 = w.iter().sum();
            let mut stieltjes = Stieltjes::default();
            let (mut roots, mut eigenvalues) = (vec![(0.0, 0.0); n], vec![(0.0, 0.0); n]);
            stieltjes.gauss(&x, &w, &mut roots);
            assert!(stieltjes.roots(legendre(n), total, &mut roots), "{n} nodes");
            stieltjes.eigenvalues(total, &mut eigenvalues);
            for (p, q) in roots.iter().zip(&eigenvalues) {
                assert!((p.0 - q.0).abs() < 1e-13, "{n} nodes: {p:?}, {q:?}");
                assert!((p.1 - q.1).abs() < 1e-12 * total, "{n} nodes: {p:?}, {q:?}");
            }
        }
    }

    #[test]
    fn the_highest_polynomials_of_a_rule_are_orthonormal() {
        for n in [2, 5, 12] {
            let rule = legendre(n);
            let tops: Vec<_> = highest_polynomials(rule).collect();
            let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| rule[i].1 * f(i)).sum::<f64>();
            for k in 0..2 {
                assert!((sum(&|i| tops[i][k] * tops[i][k]) - 1.0).abs() < 1e-12);
                for degree in 0..n - 1 - k {
                    let product = sum(&|i| tops[i][k] * rule[i].0.powi(degree as i32));
                    assert!(product.abs() < 1e-12, "{n} nodes, degree {degree}: {product}");
                }
            }
            assert!(sum(&|i| tops[i][0] * tops[i][1]).abs() < 1e-12);
        }
    }

    #[test]
    fn stages_integrate_the_polynomials_they_interpolate() {
        let s = Stages::<5>::gauss();
        for i in 0..5 {
            for degree in 0..5 {
                let sum: f64 = (0..5).map(|j| s.a[i][j] * s.c[j].powi(degree)).sum();
                let exact = s.c[i].powi(degree + 1) / f64::from(degree + 1);
                assert!((sum - exact).abs() < 1e-14);
            }
        }
    }
}
