//! Sawtooth: the discontinuous rotating-bristle model, seen as a function of position.
//!
//! ```text
//! F   = sign(v) (F_min + (F_max − F_min)/Δ · mod(sign(v) x, Δ))     (50)
//! F^r =          F_min + (F_max − F_min)/Δ · mod( x, Δ)             (48)
//! F^l =        −(F_min + (F_max − F_min)/Δ · mod(−x, Δ))            (49)
//! ```
//!
//! Equation numbers of 001; forces in N, x and Δ in m. At v = 0 the force is any value between F^l(x)
//! and F^r(x): the body sticks while the other forces lie between them.
use super::{Drive, Memoryless};
use crate::{Params, Report, memoryless};
use bristle_num::Real;

/// Stick-slip from a row of teeth: the force rises over each and drops at its end.
///
/// Choose it to study stick-slip, equilibria and hysteresis maps of rotating bristles without
/// tracking them. It holds a stick exactly (it is set-valued at rest, so it needs an event-driven
/// solver) and it is dissipative. It knows no Stribeck curve: force depends on position, not speed.
/// The load enters only as contact or lift-off.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "sawtooth",
    title = "sawtooth in position, in place of the DRBM's many bristles",
    source = "001 §3.4, (47)-(50)",
    stick = "yes: set-valued at v = 0",
    passive = "yes: the force has the sign of the speed",
    law = "has none: the force depends on position",
    rules = "f_max at least f_min",
    check = least_below_greatest
)]
pub struct Sawtooth<S> {
    /// least friction force F_min
    #[param(unit = "N", start = 0.5, range = "(0, inf)", eq = "001 (48)")]
    pub f_min: S,
    /// greatest friction force F_max
    #[param(unit = "N", start = 1.0, range = "(0, inf)", eq = "001 (48)")]
    pub f_max: S,
    /// tooth width Δ, the distance between bristles
    #[param(unit = "m", start = 0.1, range = "(0, inf)", eq = "001 (48)")]
    pub delta: S,
}

fn least_below_greatest(p: &Sawtooth<f64>, report: &mut Report<'_>) {
    report.expect_at_least(
        ("f_max", p.f_max),
        "must be at least f_min =",
        p.f_min,
        "a tooth rises; swap the two",
    );
}

/// F_min + (F_max − F_min) mod(x, Δ)/Δ: one tooth after another, 001 (48).
#[inline(always)]
pub(super) fn tooth<S: Real>(f_min: S, f_max: S, delta: S, x: S) -> S {
    let turns = x / delta;
    f_min + (f_max - f_min) * (turns - turns.floor())
}

memoryless!(Sawtooth<S>);

impl<S: Real> Memoryless<S> for Sawtooth<S> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let s = at.v.sign();
        s * tooth(self.f_min, self.f_max, self.delta, s * at.x) // (50)
    }

    /// sin(πx/Δ) is zero where a tooth ends.
    #[inline(always)]
    fn edge(&self, at: &Drive<S>) -> S {
        (at.x / self.delta * core::f64::consts::PI).sin()
    }

    #[inline(always)]
    fn limits_at(&self, at: &Drive<S>) -> Option<[S; 2]> {
        let f = |x| tooth(self.f_min, self.f_max, self.delta, x);
        Some([-f(-at.x), f(at.x)]) // (49), (48)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start};

    #[test]
    fn teeth_rise_against_the_motion_and_drop_at_their_ends() {
        let m: Sawtooth<f64> = Sawtooth::start(());
        let force = |x, v| m.force(&Drive { x, ..Drive::new(v, 1.0) }, &[], &[]);
        assert_eq!((force(0.0, 1.0), force(0.05, 1.0)), (0.5, 0.75));
        assert!((force(0.1 - 1e-12, 1.0) - 1.0).abs() < 1e-10);
        assert_eq!((force(0.0, -1.0), force(-0.05, -1.0), force(0.025, 0.0)), (-0.5, -0.75, 0.0));
        let [lo, hi] = m.limits(&Drive { x: 0.025, ..Drive::new(0.0, 1.0) }).unwrap();
        assert!((lo + 0.875).abs() < 1e-15 && (hi - 0.625).abs() < 1e-15);
    }
}
