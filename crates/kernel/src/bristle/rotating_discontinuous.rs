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
use super::row::row_of;
use super::{Cell, Drive, Memory, Memoryless};
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
memoryless!(RotatingDiscontinuous<S>);

impl<S: Real> RotatingDiscontinuous<S> {
    #[inline(always)]
    fn middle(&self, at: &Drive<S>) -> S {
        let committed = at.memory[1].abs().gt(S::from(0.25));
        self.row().middle(at, committed)
    }

    /// The cell that the body is in.
    #[inline(always)]
    pub fn cell(&self, at: &Drive<S>) -> Cell<S> {
        self.row().cell(self.middle(at))
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

impl<S: Real> Memoryless<S> for RotatingDiscontinuous<S> {
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let zero = S::from(0.0);
        let (right, left) = (self.branch(at, 1.0), self.branch(at, -1.0));
        S::select(at.v.gt(zero), right, S::select(at.v.lt(zero), left, zero))
    }

    #[inline(always)]
    fn edges(&self, at: &Drive<S>) -> [S; 2] {
        self.row().margins(at.x, self.middle(at))
    }

    #[inline(always)]
    fn committed(&self, at: &Drive<S>) -> Memory<S> {
        let mut memory = at.memory;
        memory[0] = self.row().moved(at, self.middle(at));
        memory[1] = S::from(1.0);
        memory
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

    #[test]
    fn the_force_drops_where_the_corner_passes_a_tip() {
        let m: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
        let row = m.row();
        let force = |x, v| m.force(&Drive { x, ..Drive::new(v, 1.0) }, &[], &[]);
        // d is a hundred Δ: at x = d₀ − Δ the right corner stands on a tip.
        let edge = row.d0() - m.delta;
        let (before, after) = (force(edge - 1e-8, 1.0), force(edge + 1e-8, 1.0));
        assert!((before - after - row.pull(row.d0())).abs() < 1e-6, "{before} {after}");
        assert_eq!(force(-0.0012, -1.0), -force(0.0012, 1.0));
        // Committed, the bristle stays until the edge is passed going outwards.
        let mut at = Drive { x: edge - 1e-8, ..Drive::new(1.0, 1.0) };
        at.memory = m.commit(&at, &[]);
        at.x = edge;
        assert!((m.force(&at, &[], &[]) - before).abs() < 1e-6);
        at.memory = m.commit(&at, &[]);
        assert!((m.force(&at, &[], &[]) - after).abs() < 1e-6);
    }
}
