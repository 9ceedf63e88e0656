//! A rectangular pulse train: 002 Fig. 3.
use super::Signal;
use bristle_kernel::{Params, Real, Report};

/// On for a while, then off, again and again, beginning at t = 0.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "pulses",
    title = "rectangular pulses",
    source = "002 Fig. 3",
    rules = "period greater than on",
    check = pulses_end
)]
pub struct Pulses<S> {
    /// value while it is on, in the unit of the drive
    #[param(unit = "drive", start = 1.0, range = "(-inf, inf)", eq = "002 Fig. 3")]
    pub value: S,
    /// how long it is on
    #[param(unit = "s", start = 0.1, range = "(0, inf)", eq = "002 Fig. 3")]
    pub on: S,
    /// from the beginning of one pulse to that of the next
    #[param(unit = "s", start = 0.2, range = "(0, inf)", eq = "002 Fig. 3")]
    pub period: S,
}

fn pulses_end(p: &Pulses<f64>, report: &mut Report<'_>) {
    let reason = "a pulse ends before the next begins; use `constant` for one that does not";
    report.expect(
        p.period > p.on,
        ("period", None, p.period),
        "must be greater than on =",
        p.on,
        reason,
    );
}

impl Signal for Pulses<f64> {
    /// On in phases 0, 2, 4, …
    #[inline]
    fn value<S: Real>(&self, _t: S, phase: usize) -> S {
        S::from(if phase.is_multiple_of(2) { self.value } else { 0.0 })
    }

    #[inline]
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let whole = phase.div_ceil(2) as f64 * self.on * self.value;
        if phase.is_multiple_of(2) {
            (t - (phase / 2) as f64 * self.period) * self.value + whole
        } else {
            S::from(whole)
        }
    }

    fn switch(&self, k: usize) -> f64 {
        let begins = k.div_ceil(2) as f64 * self.period;
        if k.is_multiple_of(2) { begins + self.on } else { begins }
    }

    fn period(&self) -> Option<f64> {
        Some(self.period)
    }
}
