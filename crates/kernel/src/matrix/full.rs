//! Anisotropic friction with its principal axes turned: M(v) = μ(‖v‖) K with any symmetric positive
//! definite K, 004 (12).
use crate::{FrictionMatrix, Law, Params, Report, Sym2};
use bristle_num::Real;

/// Friction whose principal directions are not the axes.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "full",
    title = "a full symmetric positive definite friction matrix",
    source = "004 (12), (13)",
    rules = "|m_xy| below sqrt(m_xx m_yy)",
    check = positive_definite
)]
pub struct Full<S, L> {
    /// entry xx of what the law is multiplied by
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "004 (12)")]
    pub m_xx: S,
    /// entry xy of what the law is multiplied by
    #[param(unit = "1", start = 0.1, range = "(-inf, inf)", eq = "004 (12)")]
    pub m_xy: S,
    /// entry yy of what the law is multiplied by
    #[param(unit = "1", start = 0.8, range = "(0, inf)", eq = "004 (12)")]
    pub m_yy: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

fn positive_definite<L>(p: &Full<f64, L>, report: &mut Report<'_>) {
    let limit = (p.m_xx * p.m_yy).max(0.0).sqrt();
    report.expect(
        p.m_xy.abs() < limit,
        ("m_xy", None, p.m_xy),
        "must be, in magnitude, below sqrt(m_xx*m_yy) =",
        limit,
        "friction opposes sliding in every direction only if the matrix is positive definite",
    );
}

impl<S: Real, L: Law<S>> FrictionMatrix<S> for Full<S, L> {
    #[inline(always)]
    fn matrix(&self, v: [S; 2]) -> Sym2<S> {
        let mu = self.law.level(v[0].hypot(v[1]));
        Sym2 { xx: self.m_xx, xy: self.m_xy, yy: self.m_yy }.scaled(mu)
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        let k = Sym2 { xx: self.m_xx, xy: self.m_xy, yy: self.m_yy };
        k.eigenvalues()[1] * self.law.highest(v_max)
    }
    /// Equality is of all that the scalars carry: entries seeded apart have derivatives apart.
    #[inline(always)]
    fn is_scalar(&self) -> bool {
        self.m_xx == self.m_yy && self.m_xy == S::from(0.0)
    }
    #[inline(always)]
    fn lowest(&self) -> S {
        let k = Sym2 { xx: self.m_xx, xy: self.m_xy, yy: self.m_yy };
        k.eigenvalues()[0] * self.law.bounds()[0]
    }
}
