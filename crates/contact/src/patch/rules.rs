//! Nested rules across the paths of a panel, eight paths at a time, and what their values say of the error.
use super::bristles::{total, wide};
use super::inflow::{WIDTH, Wide};
use crate::quadrature::{NODES, WEIGHTS};
use std::sync::OnceLock;

/// The number of the finest rule.
pub const FINEST: usize = WEIGHTS.len() - 1;

/// How many eights of nodes a rule has.
pub fn vectors(level: usize) -> usize {
    WEIGHTS[level].len().div_ceil(WIDTH)
}

/// Which node is in a lane of the k-th eight: the first eight holds seven.
fn node(k: usize, lane: usize) -> Option<usize> {
    match k {
        0 => (lane < WIDTH - 1).then_some(lane),
        _ => Some(WIDTH * k + lane - 1),
    }
}

/// The k-th eight of nodes; that in a lane without one stands for nothing.
pub fn nodes(k: usize) -> Wide {
    wide(|lane| NODES[node(k, lane).unwrap_or(WIDTH - 1)])
}

/// A rule by eights.
struct ByEights {
    weights: Vec<Wide>,
    /// What takes values at the nodes to their coefficients in polynomials that are orthonormal over the rule, of degrees from
    /// 1 to n − 1 for n nodes.
    spectrum: Vec<Vec<Wide>>,
}

/// Each is worked out once.
fn by_eights(level: usize) -> &'static ByEights {
    static ALL: [OnceLock<ByEights>; WEIGHTS.len()] = [const { OnceLock::new() }; WEIGHTS.len()];
    ALL[level].get_or_init(|| {
        let (x, w) = (NODES, WEIGHTS[level]);
        let n = w.len();
        let eights = |values: &[f64]| -> Vec<Wide> {
            let lane = |k: usize, i: usize| node(k, i).and_then(|i| values.get(i)).copied();
            (0..vectors(level)).map(|k| wide(|i| lane(k, i).unwrap_or(0.0))).collect()
        };
        let dot = |p: &[f64], q: &[f64]| -> f64 { (0..n).map(|i| w[i] * p[i] * q[i]).sum() };
        // Stieltjes' recurrence.
        let (mut before, mut now) = (vec![0.0; n], vec![1.0; n]);
        let degree = |_| {
            let next: Vec<f64> = (0..n).map(|i| x[i] * now[i]).collect();
            let (mean, beside) = (dot(&next, &now), dot(&next, &before));
            let next: Vec<f64> =
                (0..n).map(|i| next[i] - mean * now[i] - beside * before[i]).collect();
            let size = dot(&next, &next).sqrt();
            let next = next.iter().map(|p| p / size).collect();
            before = std::mem::replace(&mut now, next);
            eights(&(0..n).map(|i| w[i] * now[i]).collect::<Vec<_>>())
        };
        let spectrum = (1..n).map(degree).collect();
        ByEights { weights: eights(w), spectrum }
    })
}

/// What a rule gives to the k-th eight of its nodes.
pub fn weights(level: usize, k: usize) -> Wide {
    by_eights(level).weights[k]
}

/// K integrals by a rule, from values at its nodes.
pub fn integrals<const K: usize>(level: usize, values: &[[Wide; K]]) -> [f64; K] {
    let rule = by_eights(level).weights.iter().zip(values);
    rule.fold([Wide::from(0.0); K], |sums, (w, v)| std::array::from_fn(|c| sums[c] + v[c] * *w))
        .map(total)
}

/// What [`left`] is worked out from: how large the last third of the spectrum is, and the third before, in each of K components.
pub fn thirds<const K: usize>(level: usize, values: &[[Wide; K]]) -> [[f64; K]; 2] {
    let spectrum = &by_eights(level).spectrum;
    let (n, third) = (spectrum.len(), spectrum.len() / 3);
    [n - third..n, n - 2 * third..n - third].map(|degrees| {
        let mut squares = [0.0; K];
        for row in &spectrum[degrees] {
            let add = |c: usize| {
                row.iter().zip(values).fold(Wide::from(0.0), |sum, (m, v)| sum + *m * v[c])
            };
            squares = std::array::from_fn(|c| squares[c] + total(add(c)).powi(2));
        }
        squares.map(f64::sqrt)
    })
}

/// No term of a series counts as smaller than the one before by more than this: two may agree by chance.
const CREDIT: f64 = 1.0 / 16.0;

/// What is left of a series after two of its terms, if all that follow fall as the last did: last·(r + r² + …), r = last/before.
/// r counts as no less than [`CREDIT`] and no more than 1 − `CREDIT`.
pub fn left(last: f64, before: f64) -> f64 {
    if last == 0.0 {
        return 0.0;
    }
    let r = (last / before).clamp(CREDIT, 1.0 - CREDIT);
    last * r / (1.0 - r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial shows in the thirds up to its degree; of a function that the outermost node sees what is left covers the error.
    #[test]
    fn spectra_know_polynomials_and_errors() {
        let values = |level: usize, f: &dyn Fn(f64) -> f64| -> Vec<[Wide; 1]> {
            (0..vectors(level)).map(|k| [wide(|i| f(nodes(k).0[i]))]).collect()
        };
        for level in 2..=FINEST {
            let n = WEIGHTS[level].len() - 1;
            for (degree, known) in
                [(n / 3, [false, false]), (2 * n / 3, [false, true]), (n, [true; 2])]
            {
                let found = thirds(level, &values(level, &|x| (2.0 * x - 1.0).powi(degree as i32)));
                assert_eq!(found.map(|[third]| third > 1e-9), known, "{level}: {found:?}");
            }
            for steep in [1.0, 10.0, 1.0 / NODES[3]] {
                let values = values(level, &|x| (-steep * x).exp());
                let [[last], [before]] = thirds(level, &values);
                let [sum] = integrals(level, &values);
                let off = (sum - (1.0 - (-steep).exp()) / steep).abs();
                assert!(off <= left(last, before) + 1e-15, "{level}, {steep}: {off:e}");
            }
        }
    }
}
