//! The points of a sweep, each known by its index.
use crate::axis::{Axis, Values};
use crate::sequence::{Method, SOBOL_DIMENSIONS, Sequence};
use toml::Value;

/// How samples of the distributions are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Samples {
    /// How they are spread.
    pub method: Method,
    /// How many; with sensitivities, of the first kind.
    pub count: u64,
    /// Another seed gives other samples.
    pub seed: u64,
    /// Whether points are added from which Sobol indices follow: `count` times the number of distributions and two.
    pub sensitivities: bool,
}

/// All points: every combination of the ranges and lists, each with the same samples of the distributions. The last key changes
/// fastest, samples faster than all.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is varied.
    pub axes: Vec<Axis>,
    /// How distributions are sampled, if there are any.
    pub samples: Option<Samples>,
}

/// A sweep has at most so many points.
const MOST: u64 = 1_000_000_000_000;

/// Which point of the design a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// An independent sample.
    A,
    /// Another one, which belongs to it.
    B,
    /// The first with this distribution's value of the other.
    Mixed(usize),
}

impl Plan {
    /// Whether it can be counted and sampled.
    pub fn check(&self) -> Result<(), String> {
        let spread = self.spread();
        let grid = self.axes.iter().try_fold(1u64, |n, axis| n.checked_mul(axis.values.count()));
        let all = match &self.samples {
            None => grid,
            Some(samples) => {
                let dimensions = if samples.sensitivities { 2 * spread } else { spread };
                if samples.method == Method::Sobol && dimensions > SOBOL_DIMENSIONS {
                    return Err(format!(
                        "a Sobol sequence has at most {SOBOL_DIMENSIONS} dimensions, and this takes {dimensions}: take \
                         method = \"latin_hypercube\""
                    ));
                }
                if samples.method == Method::Sobol && samples.count > 1 << 32 {
                    return Err("a Sobol sequence has at most 2^32 points".into());
                }
                grid.and_then(|n| n.checked_mul(samples.count)?.checked_mul(self.block()))
            }
        };
        match all.filter(|n| *n <= MOST) {
            Some(_) => Ok(()),
            None => Err(format!("a sweep has at most {MOST:e} points")),
        }
    }

    /// How many keys have a distribution.
    pub fn spread(&self) -> usize {
        self.axes.iter().filter(|axis| matches!(axis.values, Values::Spread(_))).count()
    }

    /// How many points belong to each sample.
    pub fn block(&self) -> u64 {
        match &self.samples {
            Some(samples) if samples.sensitivities => self.spread() as u64 + 2,
            _ => 1,
        }
    }

    /// How many points of a grid there are.
    pub fn grid(&self) -> u64 {
        self.axes.iter().map(|axis| axis.values.count()).product()
    }

    /// How many points belong to each of the grid.
    pub fn per_grid_point(&self) -> u64 {
        self.samples.map_or(1, |samples| samples.count * self.block())
    }

    /// How many points there are.
    pub fn len(&self) -> u64 {
        self.grid() * self.per_grid_point()
    }

    /// Never: a plan without keys has one point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which sample a point is, and of which block.
    pub fn sample(&self, index: u64) -> (u64, Block) {
        let within = index % self.per_grid_point();
        let block = match (self.block(), within % self.block()) {
            (1, _) | (_, 0) => Block::A,
            (_, 1) => Block::B,
            (_, k) => Block::Mixed(k as usize - 2),
        };
        (within / self.block(), block)
    }

    /// The values of a point, one for each key.
    pub fn point(&self, index: u64) -> Vec<Value> {
        let (sample, block) = self.sample(index);
        let mut grid = index / self.per_grid_point();
        let spread = self.spread();
        let sequence =
            self.samples.map(|s| Sequence { method: s.method, count: s.count, seed: s.seed });
        let mut values = vec![Value::Boolean(false); self.axes.len()];
        let mut dimension = spread;
        for (axis, value) in self.axes.iter().zip(&mut values).rev() {
            let mut u = 0.5;
            if let (Values::Spread(_), Some(sequence)) = (&axis.values, sequence) {
                dimension -= 1;
                let other = match block {
                    Block::A => false,
                    Block::B => true,
                    Block::Mixed(k) => k == dimension,
                };
                u = sequence.at(sample, if other { spread + dimension } else { dimension });
            }
            let count = axis.values.count();
            *value = axis.values.at(grid % count, u);
            grid /= count;
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &str) -> Axis {
        let values = Values::typed(values).unwrap().unwrap();
        Axis { key: key.into(), unit: String::new(), values }
    }

    #[test]
    fn a_grid_has_every_combination_once() {
        let list = Values::List(vec![Value::String("a".into()), Value::String("b".into())]);
        let names = Axis { key: "m".into(), unit: String::new(), values: list };
        let plan = Plan { axes: vec![axis("x", "0:2:3"), names], samples: None };
        let points: Vec<String> = (0..plan.len()).map(|i| format!("{:?}", plan.point(i))).collect();
        assert_eq!(points.len(), 6);
        assert_eq!(plan.point(3), [Value::Float(1.0), Value::String("b".into())]);
        assert_eq!(points.iter().collect::<std::collections::BTreeSet<_>>().len(), 6);
    }

    /// Saltelli's design: each mixed point differs from the first in one distribution alone, whose value is that of the other.
    #[test]
    fn mixed_points_take_one_value_from_the_other_sample() {
        let axes = vec![axis("a", "uniform(0, 1)"), axis("g", "0:1:2"), axis("b", "normal(0, 1)")];
        let samples = Samples { method: Method::Sobol, count: 16, seed: 1, sensitivities: true };
        let plan = Plan { axes, samples: Some(samples) };
        assert_eq!((plan.len(), plan.block()), (2 * 16 * 4, 4));
        for start in (0..plan.len()).step_by(4) {
            let [a, b, ab0, ab1] = [0, 1, 2, 3].map(|k| plan.point(start + k));
            assert!(a[0] != b[0] && a[2] != b[2] && a[1] == b[1]);
            assert_eq!((&ab0[0], &ab0[2]), (&b[0], &a[2]));
            assert_eq!((&ab1[0], &ab1[2]), (&a[0], &b[2]));
        }
        // The same samples at every point of the grid.
        assert_eq!(plan.point(0)[0], plan.point(64)[0]);
        assert_eq!(plan.point(64)[1], Value::Float(1.0));
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let axes = vec![axis("a", "0:1:10000000"), axis("b", "0:1:10000000")];
        assert!(Plan { axes, samples: None }.check().unwrap_err().contains("at most"));
        let axes = (0..21).map(|k| axis(&k.to_string(), "uniform(0, 1)")).collect();
        let samples = Samples { method: Method::Sobol, count: 16, seed: 1, sensitivities: true };
        let plan = Plan { axes, samples: Some(samples) };
        assert!(plan.check().unwrap_err().contains("latin_hypercube"));
    }
}
