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
//! Which tooth the body is on is part of its mode: tooth n is [nΔ, (n+1)Δ]. It changes where the body
//! reaches the edge ahead, so that rounding at an edge never decides. A body set down on an edge has
//! one tooth on either side: `index[0]` is the one it enters going right, `index[1]` going left.
use super::{Drive, Memoryless, Mode};
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
    /// The tooth that a body at `x` enters going in the direction `way`.
    #[inline(always)]
    pub(super) fn entered(&self, x: S, way: S) -> S {
        let turns = x / self.delta;
        S::select(way.lt(S::from(0.0)), -(-turns).floor() - 1.0, turns.floor())
    }

    /// The edge at the end of tooth `n`, going in the direction `way`.
    #[inline(always)]
    pub(super) fn edge(&self, n: S, way: S) -> S {
        S::select(way.lt(S::from(0.0)), n, n + 1.0) * self.delta
    }

    /// F_min + (F_max − F_min) mod(way x, Δ)/Δ on tooth `n`: (48), (49).
    #[inline(always)]
    pub(super) fn level(&self, x: S, n: S, way: S) -> S {
        let along = way * (x / self.delta - (n + 0.5)) + 0.5;
        self.f_min + (self.f_max - self.f_min) * along
    }
}

/// The edge ahead: positive before it, 1 where the body is stuck.
#[inline(always)]
pub(super) fn ahead<S: Real>(way: S, edge: S, x: S) -> S {
    S::select(way.abs().gt(S::from(0.0)), way * (edge - x), S::from(1.0))
}

impl<S: Real> Sawtooth<S> {
    /// Where the tooth that the body is on begins and ends, m, going right (`way` = 1) or left (−1).
    #[inline(always)]
    pub fn tooth(&self, at: &Drive<S>, way: f64) -> [S; 2] {
        let n = Self::entered(&at.mode, S::from(way));
        [n * self.delta, (n + 1.0) * self.delta]
    }

    /// The tooth of the mode in the direction `way`.
    #[inline(always)]
    fn entered(mode: &Mode<S>, way: S) -> S {
        S::select(way.lt(S::from(0.0)), mode.index[1], mode.index[0])
    }

    #[inline(always)]
    fn level(&self, at: &Drive<S>, way: S) -> S {
        self.teeth().level(at.x, Self::entered(&at.mode, way), way)
    }

    #[inline(always)]
    fn teeth(&self) -> Teeth<S> {
        Teeth { f_min: self.f_min, f_max: self.f_max, delta: self.delta }
    }
}

impl Sawtooth<f64> {
    /// The guard that falls to zero next, the body going the way of its mode, and where it does, m.
    /// `None` where the body is stuck. By rounding it may lie a little behind: the guard has fallen.
    pub fn edge(&self, at: &Drive<f64>) -> Option<(usize, f64)> {
        let way = at.mode.way;
        (way != 0.0).then(|| (0, self.teeth().edge(Self::entered(&at.mode, way), way)))
    }
}

memoryless!(Sawtooth<S> {
    #[inline(always)]
    fn guards(&self) -> usize {
        1
    }

    #[inline(always)]
    fn watch(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        let way = at.mode.way;
        out[0] = ahead(way, self.teeth().edge(Self::entered(&at.mode, way), way), at.x);
    }

    #[inline(always)]
    fn begin(&self, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let (teeth, one) = (self.teeth(), S::from(1.0));
        let mode = Mode::default().with(0, teeth.entered(at.x, one)).with(1, teeth.entered(at.x, -one));
        let way = at.v.sign();
        let moving = self.depart(&Drive { mode, ..*at }, way);
        Mode::select(way.abs().gt(S::from(0.0)), moving, mode)
    }

    #[inline(always)]
    fn next(&self, _k: usize, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let Mode { way, index } = at.mode;
        at.mode.with(0, index[0] + way).with(1, index[1] + way)
    }

    #[inline(always)]
    fn depart(&self, at: &Drive<S>, way: S) -> Mode<S> {
        let n = Self::entered(&at.mode, way);
        Mode { way, ..at.mode.with(0, n).with(1, n) }
    }

    #[inline(always)]
    fn positional(&self) -> bool {
        true
    }
});

impl<S: Real> Memoryless<S> for Sawtooth<S> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let way = at.mode.way;
        way * self.level(at, way) // (50)
    }

    /// Tooth by tooth in closed form: the rest of this one, whole ones, and the beginning of the last.
    #[inline(always)]
    fn mean_force(&self, at: &Drive<S>, h: S) -> S {
        let (one, way) = (S::from(1.0), at.mode.way);
        let n = Self::entered(&at.mode, way);
        let begun = way * (at.x / self.delta - (n + 0.5)) + 0.5;
        let way_along = at.v.abs() * h / self.delta;
        let end = begun + way_along;
        let level = |p: S| self.f_min + (self.f_max - self.f_min) * p;
        let whole = end.floor() - 1.0;
        let last = end - end.floor();
        let first = one - begun;
        let sum = first * level((begun + 1.0) * 0.5)
            + whole * level(S::from(0.5))
            + last * level(last * 0.5);
        let divisor = S::select(end.gt(one), way_along, one);
        way * S::select(end.gt(one), sum / divisor, level(begun + way_along * 0.5))
    }

    #[inline(always)]
    fn limits_at(&self, at: &Drive<S>) -> Option<[S; 2]> {
        let one = S::from(1.0);
        Some([-self.level(at, -one), self.level(at, one)]) // (49), (48)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start};
    use proptest::prelude::*;

    fn begun(m: &Sawtooth<f64>, x: f64, v: f64) -> Drive<f64> {
        let at = Drive { x, ..Drive::new(v, 1.0) };
        Drive { mode: m.begin(&at, &[]), ..at }
    }

    #[test]
    fn teeth_rise_against_the_motion_and_drop_at_their_ends() {
        let m: Sawtooth<f64> = Sawtooth::start(());
        let force = |x, v| m.force(&begun(&m, x, v), &[], &[]);
        assert_eq!((force(0.0, 1.0), force(0.05, 1.0)), (0.5, 0.75));
        assert!((force(0.1 - 1e-12, 1.0) - 1.0).abs() < 1e-10);
        assert_eq!((force(0.0, -1.0), force(-0.05, -1.0), force(0.025, 0.0)), (-0.5, -0.75, 0.0));
        let [lo, hi] = m.limits(&begun(&m, 0.025, 0.0)).unwrap();
        assert!((lo + 0.875).abs() < 1e-15 && (hi - 0.625).abs() < 1e-15);
    }

    /// (48) and (49) at x = 0: both forces are least, as a tooth lies ahead on either side.
    #[test]
    fn set_down_on_an_edge_it_stands_before_two_teeth() {
        let m: Sawtooth<f64> = Sawtooth::start(());
        let at = begun(&m, 0.0, 0.0);
        assert_eq!(m.limits(&at), Some([-0.5, 0.5]));
        for way in [1.0, -1.0] {
            let at = Drive { mode: m.depart(&at, way), ..at };
            let mut guard = [0.0];
            m.watch(&at, &[], &mut guard);
            assert_eq!((m.force(&at, &[], &[]), guard[0]), (way * 0.5, 0.1));
        }
    }

    /// Every edge is met and none twice, wherever rounding puts it.
    #[test]
    fn ten_teeth_are_passed_one_by_one() {
        let m: Sawtooth<f64> = Sawtooth::start(());
        for way in [1.0, -1.0] {
            let mut at = begun(&m, 0.03 * way, way);
            for tooth in 1..=10 {
                let (k, edge) = m.edge(&at).unwrap();
                assert!((edge - way * 0.1 * f64::from(tooth)).abs() < 1e-15);
                at.x = edge;
                let mut guard = [1.0];
                m.watch(&at, &[], &mut guard);
                assert_eq!(guard[0], 0.0);
                let before = way * m.force(&at, &[], &[]);
                assert!((before - m.f_max).abs() <= 4.0 * f64::EPSILON, "{before}");
                at.mode = m.next(k, &at, &[]);
                let after = way * m.force(&at, &[], &[]);
                assert!((after - m.f_min).abs() <= 1e-14, "{after}");
            }
        }
    }

    proptest! {
        /// Followed from anywhere to anywhere, the mode is that of a body set down there.
        #[test]
        fn the_mode_followed_is_the_mode_begun(path in prop::collection::vec(-1.0f64..1.0, 1..8)) {
            let m: Sawtooth<f64> = Sawtooth::start(());
            let mut at = begun(&m, 0.0, 0.0);
            for x in path {
                at.v = x - at.x;
                at.mode = m.depart(&at, at.v.signum());
                at.x = x;
                at.mode = m.commit(&at, &[]);
                prop_assert_eq!(at.mode, begun(&m, x, at.v).mode);
                let force = at.mode.way * m.force(&at, &[], &[]);
                prop_assert!(force >= m.f_min && force <= m.f_max);
            }
        }
    }
}
