//! What many rows say together, in one pass over them and in little memory.
use crate::plan::Block;
use crate::sequence::random;

/// So many values are kept of a quantity: all of them, or as many chosen at random.
pub const SHOWN: usize = 200_000;

/// What is known of a quantity.
#[derive(Clone, Debug)]
pub struct Summary {
    /// How many values there are.
    pub count: u64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
    /// The sum of the squares of what they differ from it.
    squares: f64,
}

impl Default for Summary {
    fn default() -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        Summary { count: 0, min, max, mean: 0.0, squares: 0.0 }
    }
}

impl Summary {
    /// Takes in a value; one that is no number is left out. Welford's recurrence.
    pub fn take(&mut self, x: f64) {
        if !x.is_finite() {
            return;
        }
        self.count += 1;
        (self.min, self.max) = (self.min.min(x), self.max.max(x));
        let off = x - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (x - self.mean);
    }

    /// The standard deviation of a sample.
    pub fn deviation(&self) -> f64 {
        (self.squares / (self.count.max(2) - 1) as f64).sqrt()
    }
}

/// Rows, of which some are chosen where there are too many: those with the least random numbers, so that the choice does not
/// depend on the order.
#[derive(Debug)]
pub struct Chosen {
    rows: std::collections::BinaryHeap<Own>,
    most: usize,
}

#[derive(Debug)]
struct Own {
    rank: u64,
    index: u64,
    values: Vec<f64>,
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        (self.rank, self.index) == (other.rank, other.index)
    }
}

impl Eq for Own {}

impl PartialOrd for Own {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Own {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank, self.index).cmp(&(other.rank, other.index))
    }
}

impl Chosen {
    /// At most so many.
    pub fn new(most: usize) -> Self {
        Chosen { rows: std::collections::BinaryHeap::new(), most }
    }

    /// Takes in a row.
    pub fn take(&mut self, index: u64, values: impl FnOnce() -> Vec<f64>) {
        let rank = random(0, index);
        if self.rows.len() == self.most {
            match self.rows.peek() {
                Some(last) if (rank, index) < (last.rank, last.index) => {
                    self.rows.pop();
                }
                _ => return,
            }
        }
        self.rows.push(Own { rank, index, values: values() });
    }

    /// The chosen rows in their order.
    pub fn rows(self) -> Vec<(u64, Vec<f64>)> {
        let mut rows: Vec<_> = self.rows.into_iter().map(|own| (own.index, own.values)).collect();
        rows.sort_by_key(|(index, _)| *index);
        rows
    }
}

/// The value below which a part of sorted values lies, between them where need be.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = part * last as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + at.fract() * (above - below)
}

/// In so many groups samples are split, to see how far indices vary.
const GROUPS: usize = 20;

/// What part of the variance of a quantity each parameter brings.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    groups: Vec<Sums>,
    parameters: usize,
    taken: u64,
    block: Vec<f64>,
    /// Values are counted from the first one: far from zero the products would lose their digits.
    origin: Option<f64>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    n: f64,
    sum: f64,
    squares: f64,
    /// Σ f_B (f_AB − f_A), and Σ (f_A − f_AB)².
    first: Vec<f64>,
    total: Vec<f64>,
}

/// A Sobol index and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Index {
    /// Its value.
    pub value: f64,
    /// The standard error, by leaving out groups of samples in turn.
    pub error: f64,
}

impl Indices {
    /// Of so many parameters.
    pub fn new(parameters: usize) -> Self {
        let sums =
            Sums { first: vec![0.0; parameters], total: vec![0.0; parameters], ..Sums::default() };
        Indices { groups: vec![sums; GROUPS], parameters, ..Indices::default() }
    }

    /// Takes in the value of a point; points come in their order. Samples of which a value is no number are left out.
    pub fn take(&mut self, block: Block, value: f64) {
        if block == Block::A {
            self.block.clear();
        }
        self.block.push(value);
        if self.block.len() < self.parameters + 2 {
            return;
        }
        // At random: samples that are even are not alike at equal distances.
        let group = &mut self.groups[(random(1, self.taken) % GROUPS as u64) as usize];
        self.taken += 1;
        if self.block.iter().any(|x| !x.is_finite()) {
            return;
        }
        let origin = *self.origin.get_or_insert(self.block[0]);
        let (a, b) = (self.block[0] - origin, self.block[1] - origin);
        group.n += 1.0;
        group.sum += a + b;
        group.squares += a * a + b * b;
        for (k, mixed) in self.block[2..].iter().map(|x| x - origin).enumerate() {
            group.first[k] += b * (mixed - a);
            group.total[k] += (a - mixed) * (a - mixed);
        }
    }

    /// First-order and total index of each parameter: Saltelli et al., Comput. Phys. Commun. 181 (2010) 259, Table 2 (b), (f).
    pub fn indices(&self) -> Vec<[Index; 2]> {
        let all = self.of(None);
        let without: Vec<Vec<[f64; 2]>> = (0..GROUPS).map(|k| self.of(Some(k))).collect();
        let index = |parameter: usize, kind: usize| {
            let value = all[parameter][kind];
            let squares = without.iter().map(|own| (own[parameter][kind] - value).powi(2));
            let error = ((GROUPS - 1) as f64 / GROUPS as f64 * squares.sum::<f64>()).sqrt();
            Index { value, error }
        };
        (0..self.parameters).map(|k| [index(k, 0), index(k, 1)]).collect()
    }

    fn of(&self, without: Option<usize>) -> Vec<[f64; 2]> {
        let groups = || self.groups.iter().enumerate().filter(|(k, _)| Some(*k) != without);
        let sum = |of: &dyn Fn(&Sums) -> f64| groups().map(|(_, sums)| of(sums)).sum::<f64>();
        let n = sum(&|s| s.n);
        let mean = sum(&|s| s.sum) / (2.0 * n);
        let variance = sum(&|s| s.squares) / (2.0 * n) - mean * mean;
        let of = |k: usize| {
            let first = sum(&|s| s.first[k]) / n;
            [first / variance, sum(&|s| s.total[k]) / (2.0 * n) / variance]
        };
        (0..self.parameters).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::{Axis, Values};
    use crate::plan::{Plan, Samples};
    use crate::sequence::Method;

    /// Ishigami and Homma's function, whose indices are known in closed form.
    #[test]
    fn sobol_indices_are_those_of_ishigami() {
        let (a, b) = (7.0, 0.1);
        let pi = std::f64::consts::PI;
        let values = |_| Values::typed(&format!("uniform({}, {pi})", -pi)).unwrap().unwrap();
        let axes =
            (0..3).map(|k| Axis { key: k.to_string(), unit: String::new(), values: values(k) });
        let samples = Samples { method: Method::Sobol, count: 4096, seed: 3, sensitivities: true };
        let plan = Plan { axes: axes.collect(), samples: Some(samples) };
        let mut indices = Indices::new(3);
        for index in 0..plan.len() {
            let x: Vec<f64> = plan.point(index).iter().map(|v| v.as_float().unwrap()).collect();
            let f = 1e4 + x[0].sin() + a * x[1].sin().powi(2) + b * x[2].powi(4) * x[0].sin();
            indices.take(plan.sample(index).1, f);
        }
        let v1 = 0.5 * (1.0 + b * pi.powi(4) / 5.0).powi(2);
        let v2 = a * a / 8.0;
        let v13 = 8.0 * b * b * pi.powi(8) / 225.0;
        let v = v1 + v2 + v13;
        let expected = [[v1 / v, (v1 + v13) / v], [v2 / v, v2 / v], [0.0, v13 / v]];
        for (own, expected) in indices.indices().iter().zip(expected) {
            for (own, expected) in own.iter().zip(expected) {
                assert!((own.value - expected).abs() < 0.02, "{own:?}, {expected}");
                assert!(own.error < 0.05, "{own:?}");
            }
        }
    }

    #[test]
    fn summaries_and_quantiles_are_those_of_the_values() {
        let mut summary = Summary::default();
        let values = [3.0, 1.0, f64::NAN, 4.0, 1.0, 6.0];
        values.iter().for_each(|x| summary.take(*x));
        assert_eq!((summary.count, summary.min, summary.max, summary.mean), (5, 1.0, 6.0, 3.0));
        assert!((summary.deviation() - (18.0f64 / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn a_choice_of_rows_does_not_depend_on_their_order() {
        let choose = |order: &mut dyn Iterator<Item = u64>| {
            let mut chosen = Chosen::new(10);
            order.for_each(|k| chosen.take(k, || vec![k as f64]));
            chosen.rows()
        };
        let rows = choose(&mut (0..1000));
        assert_eq!(rows, choose(&mut (0..1000).rev()));
        assert_eq!(rows.len(), 10);
        // From everywhere.
        assert!(rows[0].0 < 400 && rows[9].0 > 600, "{rows:?}");
    }
}
