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
//!
//! Which tooth the body is on is discrete memory: its centre in units of Δ. It changes where the body
//! leaves the tooth and is going outwards, so that rounding at an edge never decides.
use super::{Drive, Memory, Memoryless};
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

/// A row of teeth of width Δ.
pub(super) struct Teeth<S> {
    pub(super) f_min: S,
    pub(super) f_max: S,
    pub(super) delta: S,
}

impl<S: Real> Teeth<S> {
    /// The centre of the tooth that the body is on, in units of Δ: the committed one, or where it
    /// stands, going in the direction s, before anything was committed.
    #[inline(always)]
    fn centre(&self, at: &Drive<S>, s: S) -> S {
        let fresh = at.memory[0].abs().lt(S::from(0.25));
        S::select(fresh, s * ((s * at.x / self.delta).floor() + 0.5), at.memory[0])
    }

    /// F_min + (F_max − F_min) mod(sx, Δ)/Δ going in the direction s: (48), (49).
    #[inline(always)]
    pub(super) fn level(&self, at: &Drive<S>, s: S) -> S {
        let along = s * (at.x / self.delta - self.centre(at, s)) + 0.5;
        self.f_min + (self.f_max - self.f_min) * along
    }

    /// sin(πx/Δ) is zero where a tooth ends.
    #[inline(always)]
    pub(super) fn edge(&self, at: &Drive<S>) -> S {
        (at.x / self.delta * core::f64::consts::PI).sin()
    }

    /// The tooth after a step: the next one where the body stands on an edge and moves outwards.
    #[inline(always)]
    pub(super) fn commit(&self, at: &Drive<S>) -> Memory<S> {
        let turns = at.x / self.delta;
        let way = S::select(at.v.lt(S::from(0.0)), S::from(-1.0), S::from(1.0));
        let centre = self.centre(at, way);
        let outwards = (turns - centre) * way;
        let leaves = outwards.gt(S::from(0.5 - 1e-9)) & at.v.abs().gt(S::from(0.0));
        let next = S::select(leaves, centre + way, centre);
        // Set down elsewhere, not moved there.
        let lost = (turns - next).abs().gt(S::from(0.5 + 1e-6));
        let mut memory = at.memory;
        memory[0] = S::select(lost, turns.floor() + 0.5, next);
        memory
    }
}

impl<S: Real> Sawtooth<S> {
    /// Where the tooth that the body is on begins and ends, m.
    #[inline(always)]
    pub fn tooth(&self, at: &Drive<S>) -> [S; 2] {
        let way = S::select(at.v.lt(S::from(0.0)), S::from(-1.0), S::from(1.0));
        let centre = self.teeth().centre(at, way);
        [(centre - 0.5) * self.delta, (centre + 0.5) * self.delta]
    }

    #[inline(always)]
    fn teeth(&self) -> Teeth<S> {
        Teeth { f_min: self.f_min, f_max: self.f_max, delta: self.delta }
    }
}

memoryless!(Sawtooth<S>);

impl<S: Real> Memoryless<S> for Sawtooth<S> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let s = at.v.sign();
        s * self.teeth().level(at, s) // (50)
    }

    #[inline(always)]
    fn edges(&self, at: &Drive<S>) -> [S; 2] {
        [self.teeth().edge(at), S::from(1.0)]
    }

    #[inline(always)]
    fn committed(&self, at: &Drive<S>) -> Memory<S> {
        self.teeth().commit(at)
    }

    #[inline(always)]
    fn limits_at(&self, at: &Drive<S>) -> Option<[S; 2]> {
        let one = S::from(1.0);
        Some([-self.teeth().level(at, -one), self.teeth().level(at, one)]) // (49), (48)
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
