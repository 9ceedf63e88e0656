//! Gauss rules: Legendre's, and those of a measure given by its points; nested rules; collocation.
use std::sync::OnceLock;

mod nested;
mod radau;

pub use nested::{NODES, WEIGHTS};
pub(crate) use radau::Radau;

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

/// Nodes and weights on [0, 1] of the rule of Takahasi and Mori (Publ. RIMS 9, 1974), to which a root at an end does not matter:
/// the trapezoidal rule over t of x = (1 + tanh(π/2 sinh t))/2.
pub fn tanh_sinh() -> &'static [(f64, f64)] {
    const STEP: f64 = 0.1;
    // Further out weights are below rounding.
    const STEPS: i32 = 34;
    static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    RULE.get_or_init(|| {
        let node = |k: i32| {
            let t = STEP * f64::from(k);
            let u = std::f64::consts::FRAC_PI_2 * t.sinh();
            let x = 1.0 / (1.0 + (-2.0 * u).exp());
            (x, 0.5 * STEP * std::f64::consts::FRAC_PI_2 * t.cosh() / u.cosh().powi(2))
        };
        (-STEPS..=STEPS).map(node).collect()
    })
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

/// The n-point Gauss rule of the measure that gives `weights` to `points`: Stieltjes' procedure for the
/// recurrence, then the eigenvalues of Jacobi's matrix (Golub and Welsch).
pub fn gauss_of_measure(points: &[f64], weights: &[f64], n: usize) -> Vec<(f64, f64)> {
    let total: f64 = weights.iter().sum();
    let (mut diagonal, mut beside) = (vec![0.0; n], vec![0.0; n]);
    // The orthonormal polynomials at the points, this one and the one before.
    let (mut before, mut now) = (vec![0.0; points.len()], vec![1.0 / total.sqrt(); points.len()]);
    let mut norm = 0.0;
    for k in 0..n {
        let mean = points.iter().zip(weights).zip(&now).map(|((x, w), p)| w * p * p * x).sum();
        diagonal[k] = mean;
        let mut square = 0.0;
        for (i, x) in points.iter().enumerate() {
            let next = (x - mean) * now[i] - norm * before[i];
            square += weights[i] * next * next;
            (before[i], now[i]) = (now[i], next);
        }
        norm = square.sqrt();
        beside[k] = norm;
        for p in &mut now {
            *p /= norm;
        }
    }
    let mut first = vec![0.0; n];
    first[0] = 1.0;
    beside[n - 1] = 0.0;
    tridiagonal_eigen(&mut diagonal, &mut beside, &mut first);
    let mut rule: Vec<(f64, f64)> =
        diagonal.iter().zip(&first).map(|(x, v)| (*x, total * v * v)).collect();
    rule.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
    rule
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
    fn roots_at_both_ends_are_integrated() {
        for power in [0.0, 0.1, 0.5, 3.0] {
            let f = |x: f64| (x * (1.0 - x)).max(0.0).powf(power);
            let sum: f64 = tanh_sinh().iter().map(|(x, w)| w * f(*x)).sum();
            let fine: f64 = work_out(600)
                .iter()
                .map(|(t, w)| {
                    // x = t³(10 − 15t + 6t²) takes both roots away.
                    let x = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
                    w * f(x) * 30.0 * (t * (1.0 - t)).powi(2)
                })
                .sum();
            assert!((sum / fine - 1.0).abs() < 1e-12, "{power}: {sum}, not {fine}");
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
}
