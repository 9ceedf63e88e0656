//! Friction laws: the friction coefficient as a function of sliding speed. One file each, listed
//! below.
use bristle_num::{Logic, Real};

/// A friction coefficient μ(|v|) > 0: a dry part and a viscous part ν|v|.
pub trait Law<S: Real> {
    /// The dry part of μ at speed |v|.
    fn dry(&self, v: S) -> S;

    /// The derivative of the dry part with respect to |v|, from the right at 0. It may be −∞ there.
    fn dry_slope(&self, v: S) -> S;

    /// The least and the greatest value of the dry part over all speeds.
    fn bounds(&self) -> [S; 2];

    /// How many stretches of speed there are on each of which [`dry_slope`](Law::dry_slope) is
    /// monotone. Roots of force balances are bracketed by them.
    fn pieces(&self) -> usize;

    /// The speed at which stretch `i` begins. Stretches follow each other; the first begins at 0
    /// and the last has no end.
    fn piece(&self, i: usize) -> S;

    /// The viscous coefficient ν, s/m.
    #[inline(always)]
    fn viscous(&self) -> S {
        S::from(0.0)
    }

    /// The Stribeck factor, 1 at rest and falling to 0 with speed, of laws that have one.
    #[inline(always)]
    fn decay(&self, _v: S) -> Option<S> {
        None
    }

    /// The largest value of |v| times the Stribeck factor.
    #[inline(always)]
    fn decay_reach(&self) -> S {
        S::from(f64::INFINITY)
    }

    /// The speed u at which a u + μ(u) = b and the left side rises, in closed form, and the lanes in
    /// which the law has one.
    #[inline(always)]
    fn slide(&self, _a: S, _b: S) -> Option<(S::Mask, S)> {
        None
    }

    /// μ at speed |v|.
    #[inline(always)]
    fn level(&self, v: S) -> S {
        self.dry(v) + self.viscous() * v.abs()
    }

    /// dμ/d|v|, from the right at 0.
    #[inline(always)]
    fn slope(&self, v: S) -> S {
        self.dry_slope(v) + self.viscous()
    }

    /// μ at rest: the coefficient of static friction.
    #[inline(always)]
    fn rest(&self) -> S {
        self.dry(S::from(0.0))
    }

    /// An upper bound of μ for speeds up to `v_max`.
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        self.bounds()[1] + self.viscous() * v_max
    }
}

/// |v|_ε = √(v² + ε), a regularised absolute value: 000 after (5). ε in m²/s².
#[inline(always)]
pub fn abs_eps<S: Real>(v: S, epsilon: S) -> S {
    let regular = epsilon.gt(S::from(0.0));
    if regular.any() { S::select(regular, (v * v + epsilon).sqrt(), v.abs()) } else { v.abs() }
}

/// sgn_ε(v) = v/|v|_ε, 000 (11); 0 at v = 0.
#[inline(always)]
pub fn sgn_eps<S: Real>(v: S, epsilon: S) -> S {
    S::select(epsilon.gt(S::from(0.0)), v / abs_eps(v, epsilon), v.sign())
}

catalog! {
    /// Any friction law of the catalogue.
    AnyLaw (()) by each:
    coulomb::Coulomb<>,
    stribeck::Stribeck<>,
    tabulated::Tabulated<>,
}

impl<S: Real> Law<S> for AnyLaw<S> {
    #[inline(always)]
    fn dry(&self, v: S) -> S {
        each!(self, law => law.dry(v))
    }
    #[inline(always)]
    fn dry_slope(&self, v: S) -> S {
        each!(self, law => law.dry_slope(v))
    }
    #[inline(always)]
    fn bounds(&self) -> [S; 2] {
        each!(self, law => law.bounds())
    }
    #[inline(always)]
    fn pieces(&self) -> usize {
        each!(self, law => law.pieces())
    }
    #[inline(always)]
    fn piece(&self, i: usize) -> S {
        each!(self, law => law.piece(i))
    }
    #[inline(always)]
    fn viscous(&self) -> S {
        each!(self, law => law.viscous())
    }
    #[inline(always)]
    fn decay(&self, v: S) -> Option<S> {
        each!(self, law => law.decay(v))
    }
    #[inline(always)]
    fn decay_reach(&self) -> S {
        each!(self, law => law.decay_reach())
    }
    #[inline(always)]
    fn level(&self, v: S) -> S {
        each!(self, law => law.level(v))
    }
    #[inline(always)]
    fn slope(&self, v: S) -> S {
        each!(self, law => law.slope(v))
    }
    #[inline(always)]
    fn rest(&self) -> S {
        each!(self, law => law.rest())
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        each!(self, law => law.highest(v_max))
    }
    #[inline(always)]
    fn slide(&self, a: S, b: S) -> Option<(S::Mask, S)> {
        each!(self, law => law.slide(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regularised_modulus_and_sign() {
        assert_eq!((abs_eps(-3.0, 0.0), sgn_eps(-3.0, 0.0)), (3.0, -1.0));
        assert_eq!((abs_eps(0.0, 0.0), sgn_eps(0.0, 0.0)), (0.0, 0.0));
        assert_eq!((abs_eps(3.0, 16.0), sgn_eps(3.0, 16.0)), (5.0, 0.6));
        assert_eq!((abs_eps(1e-200, 0.0), sgn_eps(-1e-200, 0.0)), (1e-200, -1.0));
    }
}
