//! Straight lines between points.
use super::{Signal, times_and_values};
use bristle_kernel::{List, Params, Real, Report};

/// Linear between given points; after the last one it keeps its value.
#[derive(Clone, Debug, Params)]
#[params(
    name = "points",
    title = "straight lines through points",
    source = "",
    rules = "t begins at 0 and increases; as many values as times",
    check = increasing
)]
pub struct Points<S: Real> {
    /// times of the points
    #[param(list, unit = "s", start = [0.0], range = "[0, inf)", eq = "")]
    pub t: List<S>,
    /// values there, in the unit of the drive
    #[param(list, unit = "drive", start = [0.0], range = "(-inf, inf)", eq = "")]
    pub value: List<S>,
}

fn increasing(p: &Points<f64>, report: &mut Report<'_>) {
    times_and_values(&p.t, &p.value, report);
}

impl Points<f64> {
    /// The piece of that number: where it begins, its value there and its slope.
    #[inline]
    fn piece(&self, i: usize) -> (f64, f64, f64) {
        match (self.t.get(i + 1), self.value.get(i + 1)) {
            (Some(t), Some(value)) => {
                let slope = (value - self.value[i]) / (t - self.t[i]);
                (self.t[i], self.value[i], slope)
            }
            _ => (self.t[self.t.len() - 1], self.value[self.value.len() - 1], 0.0),
        }
    }
}

impl Signal for Points<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, phase: usize) -> S {
        let (start, value, slope) = self.piece(phase);
        (t - start) * slope + value
    }

    #[inline]
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let last = phase.min(self.t.len() - 1);
        let trapezium = |i| 0.5 * (self.value[i] + self.value[i + 1]) * (self.t[i + 1] - self.t[i]);
        let before: f64 = (0..last).map(trapezium).sum();
        let (start, value, slope) = self.piece(phase);
        let s = t - start;
        s * (s * (0.5 * slope) + value) + before
    }

    fn switch(&self, k: usize) -> f64 {
        self.t.get(k + 1).copied().unwrap_or(f64::INFINITY)
    }
}
