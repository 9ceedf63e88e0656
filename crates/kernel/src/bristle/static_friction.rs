//! Static friction with parabolic regularisation.
//!
//! ```text
//! F_R(v) = μ_s (v/v_r)(2 − |v|/v_r) F_N     for |v| ≤ v_r     (21)
//! F_R(v) = sgn(v) μ(|v| − v_r) F_N          beyond            (3), (4)
//! ```
//!
//! Equation numbers of 002; v_r in m/s. No state: the force is a function of speed, continuous, and
//! smooth at v = 0. Nothing is stored; F_R v ≥ 0 is dissipated.
use super::{Drive, Memoryless};
use crate::{Law, Params, memoryless};
use bristle_num::Real;

/// A steep curve through zero instead of a jump.
///
/// Choose it when bodies mostly slide and speed of computation matters most: no state, dissipative,
/// close to the law beyond v_r. It cannot hold a stick: whatever pushes it makes it creep, at up to
/// v_r, for as long as it pushes. A smaller v_r creeps less and is stiffer.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "static",
    title = "regularised static friction, no state",
    source = "002 §3.1, (21), listing 4 with f0 = 0",
    stick = "no: creeps at up to v_r under any load",
    passive = "yes: the force has the sign of the speed",
    law = "beyond v_r, shifted by v_r"
)]
pub struct Static<S, L> {
    /// regularisation velocity v_r
    #[param(unit = "m/s", start = 1.0e-3, range = "(0, inf)", eq = "002 (21)")]
    pub v_r: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

/// 002 (21) and beyond: the regularised friction force per unit load, at speed `v`.
#[inline(always)]
pub(super) fn regularised<S: Real>(law: &impl Law<S>, v: S, v_r: S) -> S {
    let speed = v.abs();
    // No sign here: at v = 0 it would hide the slope 2μ_s/v_r from dual numbers.
    let band = law.rest() * (v / v_r) * (S::from(2.0) - speed / v_r);
    let slides = v.sign() * law.level((speed - v_r).max(S::from(0.0)));
    S::select(speed.lt(v_r), band, slides)
}

memoryless!(Static<S, L: Law> {
    #[inline(always)]
    fn guards(&self) -> usize {
        2
    }

    #[inline(always)]
    fn kinks(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        out.copy_from_slice(&[at.v, at.v.abs() - self.v_r]);
    }
});

impl<S: Real, L: Law<S>> Memoryless<S> for Static<S, L> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        at.load * regularised(&self.law, at.v, self.v_r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start, law::Stribeck};

    /// 002 §4.3: set 1 needs 0.1875 mm/s to balance 2 N.
    #[test]
    fn the_printed_creep_velocity_balances_the_printed_load() {
        let law = Stribeck { mu_d: 0.3, mu_s: 0.6, exponent: 1.0, ..Stribeck::start(()) };
        let m: Static<f64, _> = Static::start(law);
        let force = m.force(&Drive::new(0.1875e-3, 9.81), &[], &[]);
        assert!((force - 2.0).abs() < 1e-3, "{force}");
    }

    #[test]
    fn the_force_is_continuous_where_the_band_ends() {
        let m: Static<f64, Stribeck<f64>> = Static::start(Stribeck::start(()));
        let at = |v| m.force(&Drive::new(v, 2.0), &[], &[]);
        assert!((at(m.v_r * (1.0 - 1e-12)) - at(m.v_r * (1.0 + 1e-12))).abs() < 1e-11);
        assert_eq!(at(m.v_r), 2.0 * 1.5);
        assert_eq!(at(0.0), 0.0);
    }
}
