//! An integral over the line with its error: the rule of Clenshaw and Curtis with 17 nodes, on panels that are halved
//! where it differs most from the one with 9, which is inside it.
//!
//! Both rules integrate polynomials through their nodes. The error that is stated is the integral of the *absolute*
//! difference of the two polynomials: the difference of the integrals themselves may vanish by chance. Both have nodes at
//! the ends of a panel. That matters here: behind the leading edge bristles may settle within a thousandth of the line,
//! which rules without a node at the edge, such as Gauss's and Kronrod's, step over in agreement with each other.
use super::NotLinear;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Parts into which the angle is divided, by the coarser and by the finer rule.
const COARSE: usize = 8;
const FINE: usize = 2 * COARSE;
/// Ends are taken so little inside a panel: what jumps there jumps outside.
const INSIDE: f64 = 1e-12;

struct Rule {
    /// Nodes cos(πj/16) on [−1, 1] and their weights.
    nodes: [(f64, f64); FINE + 1],
    /// The coarser rule's polynomial at the nodes that it does not have, from its values.
    between: [[f64; COARSE + 1]; COARSE],
}

fn rule() -> &'static Rule {
    static RULE: OnceLock<Rule> = OnceLock::new();
    RULE.get_or_init(|| {
        let node = |j: usize| (PI * j as f64 / FINE as f64).cos();
        let inside = |x: f64| x.clamp(INSIDE - 1.0, 1.0 - INSIDE);
        Rule {
            nodes: std::array::from_fn(|j| (inside(node(j)), weight(j))),
            between: std::array::from_fn(|k| {
                // Barycentric: the weights of these nodes are ±1, and half of it at the ends.
                let part = |j: usize| {
                    let end = if j == 0 || j == COARSE { 0.5 } else { 1.0 };
                    let sign = if j.is_multiple_of(2) { end } else { -end };
                    sign / (node(2 * k + 1) - node(2 * j))
                };
                let total: f64 = (0..=COARSE).map(part).sum();
                std::array::from_fn(|j| part(j) / total)
            }),
        }
    })
}

/// The weight of node cos(πj/16): the integral of the cosine series through all nodes.
fn weight(j: usize) -> f64 {
    let term = |k: usize| {
        let double = if 2 * k == FINE { 1.0 } else { 2.0 };
        double / (4 * k * k - 1) as f64 * (2.0 * PI * (k * j) as f64 / FINE as f64).cos()
    };
    let sum = 1.0 - (1..=FINE / 2).map(term).sum::<f64>();
    if j == 0 || j == FINE { sum / FINE as f64 } else { 2.0 * sum / FINE as f64 }
}

/// The most panels.
const MAX_PANELS: usize = 1000;

/// Integrals of several functions, what they have in size, and their errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integral<const N: usize> {
    /// ∫f.
    pub value: [f64; N],
    /// ∫|f|.
    pub size: [f64; N],
    /// The error of the value: what two rules differ by, and what is not known of f itself.
    pub error: [f64; N],
}

impl<const N: usize> Integral<N> {
    /// The largest of the errors, each over the size of what it is the error of.
    pub fn relative(&self) -> f64 {
        share(&self.error, &self.size)
    }
}

/// The largest part that errors have in sizes.
fn share<const N: usize>(errors: &[f64; N], sizes: &[f64; N]) -> f64 {
    let part = |(error, size): (&f64, &f64)| if *error == 0.0 { 0.0 } else { error / size };
    errors.iter().zip(sizes).map(part).fold(0.0, f64::max)
}

/// Values of functions at one place, and their errors.
pub(super) type Values<const N: usize> = [[f64; N]; 2];

/// Integrals over a part of the line.
#[derive(Clone, Copy)]
struct Panel<const N: usize> {
    ends: [f64; 2],
    value: [f64; N],
    size: [f64; N],
    /// What the two polynomials differ by.
    rule: [f64; N],
    /// ∫ of the errors of f.
    inherent: [f64; N],
}

impl<const N: usize> Panel<N> {
    fn new(
        f: &impl Fn(f64) -> Result<Values<N>, NotLinear>,
        ends: [f64; 2],
    ) -> Result<Self, NotLinear> {
        let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]));
        let zero = [0.0; N];
        let mut sum = Panel { ends, value: zero, size: zero, rule: zero, inherent: zero };
        let Rule { nodes, between } = rule();
        let mut seen = [zero; FINE + 1];
        for ((x, weight), seen) in nodes.iter().zip(&mut seen) {
            let [values, errors] = f(middle + x * half)?;
            for i in 0..N {
                sum.value[i] += half * weight * values[i];
                sum.size[i] += half * weight * values[i].abs();
                sum.inherent[i] += half * weight * errors[i];
            }
            *seen = values;
        }
        for (k, row) in between.iter().enumerate() {
            let at = 2 * k + 1;
            for i in 0..N {
                let through: f64 = row.iter().enumerate().map(|(j, c)| c * seen[2 * j][i]).sum();
                sum.rule[i] += half * nodes[at].1 * (seen[at][i] - through).abs();
            }
        }
        Ok(sum)
    }
}

fn total<const N: usize>(panels: &[Panel<N>], part: impl Fn(&Panel<N>) -> [f64; N]) -> [f64; N] {
    panels.iter().map(part).fold([0.0; N], |sum, p| std::array::from_fn(|i| sum[i] + p[i]))
}

/// The integrals over all panels between `cuts`, which increase, to a relative `accuracy`.
pub(super) fn integrate<const N: usize>(
    f: &impl Fn(f64) -> Result<Values<N>, NotLinear>,
    cuts: &[f64],
    accuracy: f64,
) -> Result<Integral<N>, NotLinear> {
    let whole = cuts.windows(2).map(|cut| Panel::new(f, [cut[0], cut[1]]));
    let mut panels: Vec<Panel<N>> = whole.collect::<Result<_, _>>()?;
    let most = MAX_PANELS.max(2 * panels.len());
    loop {
        let size = total(&panels, |p| p.size);
        let rule = total(&panels, |p| p.rule);
        // What f leaves unknown no rule takes away.
        let inherent = share(&total(&panels, |p| p.inherent), &size);
        let allowed = (accuracy - inherent).max(0.25 * accuracy);
        let before = panels.len();
        if share(&rule, &size) > allowed && before < most {
            // All that are within a factor of the worst are halved at once: sums over panels stay few.
            let worst = panels.iter().map(|p| share(&p.rule, &size)).fold(0.0, f64::max);
            for k in 0..before {
                let [from, to] = panels[k].ends;
                let middle = 0.5 * (from + to);
                if share(&panels[k].rule, &size) >= 0.5 * worst && middle > from && middle < to {
                    panels[k] = Panel::new(f, [from, middle])?;
                    panels.push(Panel::new(f, [middle, to])?);
                }
            }
        }
        if panels.len() == before {
            let error = total(&panels, |p| std::array::from_fn(|i| p.rule[i] + p.inherent[i]));
            return Ok(Integral { value: total(&panels, |p| p.value), size, error });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finer rule is exact up to degree 17 and the coarser polynomial up to 8, but for what the ends are inside.
    #[test]
    fn both_rules_have_their_degree() {
        for degree in 0..=17 {
            let power = |x: f64| Ok([[x.powi(degree)], [0.0]]);
            let found = Panel::new(&power, [0.0, 1.0]).unwrap();
            assert!((found.value[0] * f64::from(degree + 1) - 1.0).abs() < 1e-12, "{degree}");
            assert_eq!(found.rule[0] < 1e-12, degree < 9, "{degree}: {:e}", found.rule[0]);
        }
    }

    /// A layer that is thinner than the distance of nodes does not escape: 1 − e^(−x/δ).
    #[test]
    fn a_layer_behind_the_edge_is_seen() {
        for k in 0..400 {
            let layer = 10f64.powf(-0.02 * f64::from(k));
            let settling = |x: f64| Ok([[1.0 - (-x / layer).exp()], [0.0]]);
            for accuracy in [1e-3, 1e-6, 1e-9] {
                let found = integrate(&settling, &[0.0, 1.0], accuracy).unwrap();
                let off = (found.value[0] - (1.0 + layer * ((-1.0 / layer).exp() - 1.0))).abs();
                assert!(
                    off <= found.error[0] && found.relative() <= accuracy,
                    "{off:e}: {found:?}"
                );
            }
        }
    }

    /// A kink that is not told is found; what cannot be reached is not claimed.
    #[test]
    fn panels_are_halved_until_the_error_is_small() {
        let kink = |x: f64| Ok([[(x - 0.3f64).abs()], [0.0]]);
        let found = integrate(&kink, &[0.0, 1.0], 1e-12).unwrap();
        assert!((found.value[0] - 0.29).abs() <= found.error[0].max(1e-15), "{found:?}");
        assert!(found.relative() <= 1e-12);
        let unknown = |x: f64| Ok([[x], [1e-3]]);
        assert!(integrate(&unknown, &[0.0, 1.0], 1e-6).unwrap().relative() >= 1e-3);
    }
}
