//! Coulomb: a constant friction coefficient, μ(v) = μ.
use crate::{Law, Params};
use bristle_num::{Logic, Real};

/// The same friction at every speed.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "coulomb",
    title = "constant friction coefficient",
    source = "C. A. Coulomb, Théorie des machines simples (1785); 000 (5) with μ_s = μ_d"
)]
pub struct Coulomb<S> {
    /// friction coefficient μ
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "000 (5)")]
    pub mu: S,
}

impl<S: Real> Law<S> for Coulomb<S> {
    #[inline(always)]
    fn dry(&self, _v: S) -> S {
        self.mu
    }
    #[inline(always)]
    fn dry_slope(&self, _v: S) -> S {
        S::from(0.0)
    }
    #[inline(always)]
    fn bounds(&self) -> [S; 2] {
        [self.mu; 2]
    }
    #[inline(always)]
    fn pieces(&self) -> usize {
        1
    }
    #[inline(always)]
    fn piece(&self, _i: usize) -> S {
        S::from(0.0)
    }
    #[inline(always)]
    fn slide(&self, a: S, b: S) -> Option<(S::Mask, S)> {
        Some((S::Mask::splat(true), (b - self.mu) / a))
    }
}
