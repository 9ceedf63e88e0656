//! A constant.
use super::Signal;
use bristle_kernel::{Params, Real};

/// The same value at all times.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "constant", title = "constant", source = "")]
pub struct Constant<S> {
    /// value, in the unit of the drive
    #[param(unit = "drive", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub value: S,
}

impl Signal for Constant<f64> {
    #[inline]
    fn value<S: Real>(&self, _t: S, _phase: usize) -> S {
        S::from(self.value)
    }
    #[inline]
    fn integral<S: Real>(&self, t: S, _phase: usize) -> S {
        t * self.value
    }
    fn is_constant(&self) -> bool {
        true
    }
}
