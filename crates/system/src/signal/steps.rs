//! A staircase.
use super::{Signal, times_and_values};
use bristle_kernel::{List, Params, Real, Report};

/// Constant between given times, at which it jumps.
#[derive(Clone, Debug, Params)]
#[params(
    name = "steps",
    title = "steps at given times",
    source = "",
    rules = "t begins at 0 and increases; as many values as times",
    check = increasing
)]
pub struct Steps<S: Real> {
    /// times at which the values begin
    #[param(list, unit = "s", start = [0.0], range = "[0, inf)", eq = "")]
    pub t: List<S>,
    /// values from those times on, in the unit of the drive
    #[param(list, unit = "drive", start = [0.0], range = "(-inf, inf)", eq = "")]
    pub value: List<S>,
}

fn increasing(p: &Steps<f64>, report: &mut Report<'_>) {
    times_and_values(&p.t, &p.value, report);
}

impl Signal for Steps<f64> {
    #[inline]
    fn value<S: Real>(&self, _t: S, phase: usize) -> S {
        S::from(self.value[phase.min(self.value.len() - 1)])
    }

    #[inline]
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let last = phase.min(self.t.len() - 1);
        let before: f64 = (0..last).map(|i| self.value[i] * (self.t[i + 1] - self.t[i])).sum();
        (t - self.t[last]) * self.value[last] + before
    }

    fn switch(&self, k: usize) -> f64 {
        self.t.get(k + 1).copied().unwrap_or(f64::INFINITY)
    }
}
