//! DRBM: the discontinuous rotating-bristle model.
//!
//! ```text
//! v > 0: F = F^r(x) = Σ (κ/h) θ_i cos²θ_i,  R − d₀ < b_i ≤ R        (13), (14)
//! v < 0: F = F^l(x) = Σ (κ/h) θ_i cos²θ_i,  L ≤ b_i < L + d₀        (15), (16)
//! θ_i = atan((corner − b_i)/h)                                      (2), (3)
//! ```
//!
//! Equation numbers of 001. At a reversal all bristles swing to the other side at once, so F jumps
//! from F^r to F^l and is any value between them at v = 0. See [`Row`](super::Row) for the geometry.
use super::row::{mean, nearest, row_of, walked};
use super::sawtooth::ahead;
use super::{Cell, Drive, Memoryless, Mode};
use crate::{Params, memoryless};
use bristle_num::Real;

/// Frictionless bristles that spring back: stick-slip and hysteresis without a friction law.
///
/// Choose it to study how friction comes out of the release of bristles; `sawtooth` is its
/// approximation. It holds a stick exactly (it is set-valued at rest, so it needs an event-driven
/// solver) and it is dissipative: what a bristle holds is lost when the corner passes its tip. It
/// knows no Stribeck curve: force depends on position, not speed. The load enters only as contact
/// or lift-off. The printed d₀ are rounded; here it is √(l_b² − h²).
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "rotating_discontinuous",
    title = "rotating bristles that swing over at every reversal (DRBM)",
    source = "001 §3, (13)-(16)",
    stick = "yes: set-valued at v = 0",
    passive = "yes: the force has the sign of the speed",
    law = "has none: the force depends on position",
    rules = "l_b above h",
    check = tips_reach_the_body
)]
pub struct RotatingDiscontinuous<S> {
    /// torsional stiffness κ of a bristle
    #[param(unit = "N*m/rad", start = 0.1, range = "(0, inf)", eq = "001 (5)")]
    pub kappa: S,
    /// height h of the body above the ground
    #[param(unit = "m", start = 0.0995, range = "(0, inf)", eq = "001 (1)")]
    pub h: S,
    /// length l_b of a bristle
    #[param(unit = "m", start = 0.1, range = "(0, inf)", eq = "001 (1)")]
    pub l_b: S,
    /// distance Δ between bristles
    #[param(unit = "m", start = 0.005, range = "(0, inf)", eq = "001 §2")]
    pub delta: S,
    /// length d of the body
    #[param(unit = "m", start = 0.5, range = "(0, inf)", eq = "001 (2)")]
    pub d: S,
    /// position of bristle 0; the others stand Δ apart on both sides
    #[param(unit = "m", start = 0.0, range = "(-inf, inf)", eq = "001 (2)")]
    pub offset: S,
}

row_of!(RotatingDiscontinuous);
memoryless!(RotatingDiscontinuous<S> {
    #[inline(always)]
    fn guards(&self) -> usize {
        4
    }

    /// The edges ahead, one for each index of the cell.
    #[inline(always)]
    fn watch(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        let way = at.mode.way;
        for (guard, edge) in out.iter_mut().zip(self.row().edges(&at.mode, way)) {
            *guard = ahead(way, edge, at.x);
        }
    }

    /// At rest on an edge each corner has the bristles that it would have going outwards, as in (14)
    /// and (16).
    #[inline(always)]
    fn begin(&self, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let way = at.v.sign();
        let outwards = |side: S| S::select(way.abs().gt(zero), way, side);
        let [a, b, c, d] = self.row().begin(at.x, [outwards(one), outwards(-one)]);
        Mode { way, index: [a, b, c, d, zero, zero, zero] }
    }

    #[inline(always)]
    fn next(&self, k: usize, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        at.mode.with(k, at.mode.index[k] + at.mode.way)
    }

    #[inline(always)]
    fn positional(&self) -> bool {
        true
    }
});

impl<S: Real> RotatingDiscontinuous<S> {
    /// The bristles that the corners can touch.
    #[inline(always)]
    pub fn cell(&self, at: &Drive<S>) -> Cell<S> {
        Cell::of(&at.mode)
    }

    /// F^r for `way` = 1, F^l for −1: (13), (15).
    #[inline(always)]
    pub fn branch(&self, at: &Drive<S>, way: f64) -> S {
        let row = self.row();
        let mut sum = S::from(0.0);
        self.touching(at, way, |there, s| sum += S::select(there, row.pull(s), S::from(0.0)));
        sum
    }

    /// Calls `each` for every bristle at the right corner (`way` = 1) or the left one (−1): whether
    /// there is one, and how far its base is behind the corner.
    #[inline(always)]
    pub fn touching(&self, at: &Drive<S>, way: f64, mut each: impl FnMut(S::Mask, S)) {
        self.row().touched(&self.cell(at), at.x, way, |there, _, s| each(there, s));
    }
}

impl RotatingDiscontinuous<f64> {
    /// The guard that falls to zero next, the body going the way of its mode, and where it does, m.
    /// `None` where the body is stuck. By rounding it may lie a little behind: the guard has fallen.
    pub fn edge(&self, at: &Drive<f64>) -> Option<(usize, f64)> {
        let way = at.mode.way;
        nearest(&self.row().edges(&at.mode, way), way).filter(|_| way != 0.0)
    }
}

impl<S: Real> Memoryless<S> for RotatingDiscontinuous<S> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let zero = S::from(0.0);
        let (right, left) = (self.branch(at, 1.0), self.branch(at, -1.0));
        let way = at.mode.way;
        S::select(way.gt(zero), right, S::select(way.lt(zero), left, zero))
    }

    /// The springs at the corner ahead take up its work, and lose it where a tip is passed.
    #[inline(always)]
    fn mean_force(&self, at: &Drive<S>, h: S) -> S {
        let (row, zero, way) = (self.row(), S::from(0.0), at.mode.way);
        let springs = |at: &Drive<S>| {
            let mut sum = zero;
            for side in [1.0, -1.0] {
                let ahead = (way * side).gt(zero);
                self.touching(at, side, |there, s| {
                    sum += S::select(there & ahead, row.wound(s), zero);
                });
            }
            sum
        };
        let (mut end, distance) = (*at, at.v * h);
        let edges = |at: &Drive<S>| row.edges(&at.mode, at.mode.way);
        let next = |k: usize, at: &Drive<S>| at.mode.with(k, at.mode.index[k] + at.mode.way);
        let work = walked(&mut end, distance, edges, next, springs);
        let middle = Drive { x: at.x + distance * 0.5, ..*at };
        mean(work, distance, row.h, self.force_at(&middle))
    }

    #[inline(always)]
    fn limits_at(&self, at: &Drive<S>) -> Option<[S; 2]> {
        Some([self.branch(at, -1.0), self.branch(at, 1.0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start};
    use proptest::prelude::*;

    fn begun(m: &RotatingDiscontinuous<f64>, x: f64, v: f64) -> Drive<f64> {
        let at = Drive { x, ..Drive::new(v, 1.0) };
        Drive { mode: m.begin(&at, &[]), ..at }
    }

    /// What a body sees in a mirror: corners and ends of rows change places.
    fn mirrored(mode: Mode<f64>) -> Mode<f64> {
        let [a, b, c, d, ..] = mode.index;
        Mode { way: -mode.way, index: [-d, -c, -b, -a, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn the_force_drops_where_the_corner_passes_a_tip() {
        let m: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
        let row = m.row();
        let force = |x, v| m.force(&begun(&m, x, v), &[], &[]);
        // d is a hundred Δ: at x = d₀ − Δ the right corner stands on a tip.
        let edge = row.d0() - m.delta;
        let (before, after) = (force(edge - 1e-8, 1.0), force(edge + 1e-8, 1.0));
        assert!((before - after - row.pull(row.d0())).abs() < 1e-6, "{before} {after}");
        assert_eq!(force(-0.0012, -1.0), -force(0.0012, 1.0));
        // The bristle stays until its guard has fallen to zero.
        let mut at = begun(&m, edge - 1e-8, 1.0);
        let (k, there) = m.edge(&at).unwrap();
        assert!((there - edge).abs() < 1e-12);
        at.x = there;
        assert!((m.force(&at, &[], &[]) - before).abs() < 1e-6);
        at.mode = m.next(k, &at, &[]);
        assert!((m.force(&at, &[], &[]) - after).abs() < 1e-6);
    }

    /// (13) and (15) hold on an edge too: the limits there are those of a body a little further out.
    #[test]
    fn at_rest_on_an_edge_both_limits_look_outwards() {
        let m: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
        let on_edge = m.limits(&begun(&m, 0.0, 0.0)).unwrap();
        let out = |way: f64| m.force(&begun(&m, 1e-12 * way, way), &[], &[]);
        assert!((on_edge[0] - out(-1.0)).abs() < 1e-9 && (on_edge[1] - out(1.0)).abs() < 1e-9);
        assert_eq!(on_edge[0], -on_edge[1]);
    }

    proptest! {
        /// Guard by guard, each index changes by one, and beyond the last guard they are those of a
        /// body set down there; mirrored motion has mirrored modes.
        #[test]
        fn the_mode_followed_is_the_mode_begun(path in prop::collection::vec(-0.1f64..0.1, 1..8)) {
            let m: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
            let mut at = begun(&m, 0.0, 0.0);
            let mut image = at;
            for x in path {
                let way = (x - at.x).signum();
                at = Drive { v: x - at.x, mode: m.depart(&at, way), ..at };
                image = Drive { v: -at.v, mode: m.depart(&image, -way), ..image };
                let unlocated = m.commit(&Drive { x, ..at }, &[]);
                while let Some((k, edge)) = m.edge(&at).filter(|e| way * e.1 < way * x) {
                    let mut guards = [0.0; 4];
                    m.watch(&Drive { x: edge, ..at }, &[], &mut guards);
                    prop_assert_eq!(guards[k], 0.0);
                    at.mode = m.next(k, &Drive { x: edge, ..at }, &[]);
                }
                (at.x, image.x) = (x, -x);
                image.mode = m.commit(&image, &[]);
                prop_assert_eq!(at.mode, begun(&m, x, way).mode);
                prop_assert_eq!(at.mode, unlocated);
                prop_assert_eq!(image.mode, mirrored(at.mode));
                prop_assert_eq!(m.force(&image, &[], &[]), -m.force(&at, &[], &[]));
            }
        }
    }
}
