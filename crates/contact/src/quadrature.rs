//! Gauss rules: Legendre's, and those of a measure given by its points.

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

/// What Gauss rules of measures are worked out with, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Stieltjes {
    before: Vec<f64>,
    now: Vec<f64>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    first: Vec<f64>,
}

impl Stieltjes {
    /// The rule of [`gauss_of_measure`] with as many nodes as there is room for in `rule`.
    pub fn gauss(&mut self, points: &[f64], weights: &[f64], rule: &mut [(f64, f64)]) {
        let n = rule.len();
        let total: f64 = weights.iter().sum();
        let anew = |list: &mut Vec<f64>, count: usize, value: f64| {
            list.clear();
            list.resize(count, value);
        };
        anew(&mut self.before, points.len(), 0.0);
        anew(&mut self.now, points.len(), 1.0 / total.sqrt());
        for list in [&mut self.diagonal, &mut self.beside, &mut self.first] {
            anew(list, n, 0.0);
        }
        let mut norm = 0.0;
        for i in 0..n {
            let weighted = weights.iter().zip(&self.now).map(|(w, p)| w * p * p);
            let mean: f64 = weighted.zip(points).map(|(w, x)| w * x).sum();
            for ((before, now), x) in self.before.iter_mut().zip(&self.now).zip(points) {
                *before = (x - mean) * now - norm * *before;
            }
            std::mem::swap(&mut self.before, &mut self.now);
            norm = self.now.iter().zip(weights).map(|(p, w)| w * p * p).sum::<f64>().sqrt();
            self.now.iter_mut().for_each(|p| *p /= norm);
            (self.diagonal[i], self.beside[i]) = (mean, norm);
        }
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
