//! Isotropic friction: M(v) = m μ(‖v‖) I, 004 after (12).
use crate::{FrictionMatrix, Law, Params, Sym2};
use bristle_num::Real;

/// The same friction in every direction.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "isotropic",
    title = "the same friction in every direction",
    source = "004 (12), (13), (17)"
)]
pub struct Isotropic<S, L> {
    /// what the law is multiplied by
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "004 (12)")]
    pub m: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

impl<S: Real, L: Law<S>> FrictionMatrix<S> for Isotropic<S, L> {
    #[inline(always)]
    fn matrix(&self, v: [S; 2]) -> Sym2<S> {
        let mu = self.m * self.law.level(v[0].hypot(v[1]));
        Sym2 { xx: mu, xy: S::from(0.0), yy: mu }
    }
    #[inline(always)]
    fn is_scalar(&self) -> bool {
        true
    }
    #[inline(always)]
    fn scalar(&self, speed: S) -> S {
        self.m * self.law.level(speed)
    }
    #[inline(always)]
    fn lowest(&self) -> S {
        self.m * self.law.bounds()[0]
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        self.m * self.law.highest(v_max)
    }
}
