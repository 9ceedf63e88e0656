//! Orthotropic friction: M(v) = μ(‖v‖) diag(m_x, m_y), 004 (12).
use crate::{FrictionMatrix, Law, Params, Sym2};
use bristle_num::Real;

/// Friction that differs along and across: a brushed surface, a tyre's tread.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "diagonal", title = "different friction along x and y", source = "004 (12), (13)")]
pub struct Diagonal<S, L> {
    /// what the law is multiplied by along x
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "004 (12)")]
    pub m_x: S,
    /// what the law is multiplied by along y
    #[param(unit = "1", start = 0.8, range = "(0, inf)", eq = "004 (12)")]
    pub m_y: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

impl<S: Real, L: Law<S>> FrictionMatrix<S> for Diagonal<S, L> {
    #[inline(always)]
    fn matrix(&self, v: [S; 2]) -> Sym2<S> {
        let mu = self.law.level(v[0].hypot(v[1]));
        Sym2 { xx: self.m_x * mu, xy: S::from(0.0), yy: self.m_y * mu }
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        self.m_x.max(self.m_y) * self.law.highest(v_max)
    }
    #[inline(always)]
    fn lowest(&self) -> S {
        self.m_x.min(self.m_y) * self.law.bounds()[0]
    }
}
