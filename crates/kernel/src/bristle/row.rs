//! A row of rotating bristles under a body: geometry, and which bristles its corners can touch.
//!
//! ```text
//! R = x + d/2,  L = x − d/2            the lower corners of the body
//! d₀ = √(l_b² − h²)                    how far a corner takes a bristle before it passes its tip
//! F_i = (κ/h) θ cos²θ,  θ = atan(s/h)  a bristle whose base is s behind the corner      (6), (2), (3)
//! W_i = κθ²/2                          what its spring holds
//! ```
//!
//! Equation numbers of 001. Bristle i stands at iΔ plus an offset. Which bristles a corner can touch
//! changes at places that repeat with Δ: where a corner reaches a base and where it passes a tip.
//! Between two neighbouring places, in a [`Cell`], the indices are fixed. The discrete memory of a
//! model is the middle of its cell. Indices follow from that point, which is far from every edge,
//! and never from the position, which on an edge may round to either side.
use super::Drive;
use bristle_num::{Logic, Real};

/// Bristles of one kind in a row, and the body above them.
#[derive(Clone, Copy, Debug)]
pub struct Row<S> {
    /// Torsional stiffness κ, N·m/rad.
    pub kappa: S,
    /// Height h of the body, m.
    pub h: S,
    /// Length l_b of a bristle, m.
    pub l_b: S,
    /// Distance Δ between bristles, m.
    pub delta: S,
    /// Length d of the body, m.
    pub d: S,
    /// Position of bristle 0, m.
    pub offset: S,
}

/// Where the same bristles can touch the corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell<S> {
    /// Between these positions of the body, m.
    pub edges: [S; 2],
    /// First and last bristle at the right corner: R − d₀ < b ≤ R.
    pub right: [S; 2],
    /// First and last bristle at the left corner: L ≤ b < L + d₀.
    pub left: [S; 2],
}

/// So near to an edge, in units of Δ, the body stands on it.
const NEAR: f64 = 1e-9;
/// So far beyond an edge, in units of Δ, a solver lands, so that in the next cell it is inside.
const SLACK: f64 = 1e-10;
/// So far beyond an edge, in units of Δ, the next cell is looked for; what is narrower is no cell.
const BEYOND: f64 = 1e-7;
/// So far outside its cell, in units of Δ, the body was set down and did not move there.
const LOST: f64 = 1e-6;

impl<S: Real> Row<S> {
    /// d₀.
    #[inline(always)]
    pub fn d0(&self) -> S {
        ((self.l_b - self.h) * (self.l_b + self.h)).sqrt()
    }

    /// The force of a bristle whose base is `s` behind the corner: (6) with cos²θ = h²/(h² + s²).
    #[inline(always)]
    pub fn pull(&self, s: S) -> S {
        self.kappa * self.h * (s / self.h).atan() / (self.h.sq() + s.sq())
    }

    /// The energy in its spring, κθ²/2.
    #[inline(always)]
    pub fn wound(&self, s: S) -> S {
        self.kappa * (s / self.h).atan().sq() * 0.5
    }

    /// The energy that a released bristle takes with it, κθ_max²/2.
    #[inline(always)]
    pub fn released(&self) -> S {
        self.wound(self.d0())
    }

    /// The least and the greatest force of steady sliding, Σ_{j≥1} and Σ_{j≥0} of F(d₀ − jΔ): 001 (19)
    /// for any number of bristles in contact.
    pub fn range(&self) -> [S; 2] {
        let (d0, zero) = (self.d0(), S::from(0.0));
        let greatest = self.pull(d0);
        let (mut least, mut s) = (zero, d0 - self.delta);
        while s.gt(zero).any() {
            least += S::select(s.gt(zero), self.pull(s), zero);
            s = s - self.delta;
        }
        [least, least + greatest]
    }

    /// The left and the right corner, seen from bristle 0.
    #[inline(always)]
    pub fn corners(&self, x: S) -> [S; 2] {
        let half = self.d * 0.5;
        [x - self.offset - half, x - self.offset + half]
    }

    /// The cell around `x`, which is on none of its edges.
    #[inline(always)]
    pub fn cell(&self, x: S) -> Cell<S> {
        let (delta, d0, half) = (self.delta, self.d0(), self.d * 0.5);
        let [l, r] = self.corners(x);
        let right = [((r - d0) / delta).floor() + 1.0, (r / delta).floor()];
        let left = [(l / delta).floor() + 1.0, ((l + d0) / delta).floor()];
        // Upwards the right corner next reaches a base or passes a tip, and so does the left one.
        let up_r = ((right[1] + 1.0) * delta).min(right[0] * delta + d0) - half;
        let up_l = (left[0] * delta).min((left[1] + 1.0) * delta - d0) + half;
        let down_r = (right[1] * delta).max((right[0] - 1.0) * delta + d0) - half;
        let down_l = ((left[0] - 1.0) * delta).max(left[1] * delta - d0) + half;
        let edges = [down_r.max(down_l) + self.offset, up_r.min(up_l) + self.offset];
        Cell { edges, right, left }
    }

    /// The middle of the cell that the body is in: the committed one, or that of its position, going
    /// where it goes, before anything was committed.
    #[inline(always)]
    pub(super) fn middle(&self, at: &Drive<S>, committed: S::Mask) -> S {
        S::select(committed, at.memory[0], self.ahead(at))
    }

    /// A little way ahead of the body.
    #[inline(always)]
    fn ahead(&self, at: &Drive<S>) -> S {
        let way = S::select(at.v.lt(S::from(0.0)), S::from(-1.0), S::from(1.0));
        at.x + way * self.delta * BEYOND
    }

    /// The middle of the cell after a step: of the next one where the body stands on an edge of
    /// `cell` and moves outwards.
    #[inline(always)]
    pub(super) fn moved(&self, at: &Drive<S>, middle: S) -> S {
        let [low, high] = self.cell(middle).edges;
        let (near, beyond, zero) = (self.delta * NEAR, self.delta * BEYOND, S::from(0.0));
        let up = at.x.gt(high - near) & at.v.gt(zero);
        let down = at.x.lt(low + near) & at.v.lt(zero);
        let next = S::select(up, high + beyond, S::select(down, low - beyond, middle));
        let [low, high] = self.cell(next).edges;
        let far = self.delta * LOST;
        let lost = at.x.gt(high + far) | at.x.lt(low - far);
        let [low, high] = self.cell(S::select(lost, self.ahead(at), next)).edges;
        (low + high) * 0.5
    }

    /// Calls `each` with every bristle that `cell` lets the right corner touch (`way` = 1), or the left
    /// one (−1): whether there is one, its index, and how far its base is behind the corner. Those
    /// nearest to the corner come first.
    #[inline(always)]
    pub(super) fn touched(
        &self,
        cell: &Cell<S>,
        x: S,
        way: f64,
        mut each: impl FnMut(S::Mask, S, S),
    ) {
        let [l, r] = self.corners(x);
        let (corner, nearest, last) = if way > 0.0 {
            (r, cell.right[1], cell.right[0])
        } else {
            (l, cell.left[0], cell.left[1])
        };
        // There is no room for more, however far away the body is and indices round.
        let further = ((nearest - last) * way).min(self.d0() / self.delta + 1.0);
        let mut j = 0.0;
        loop {
            let there = further.ge(S::from(j));
            if !there.any() {
                return;
            }
            let i = nearest - way * j;
            each(there, i, corner - i * self.delta);
            j += 1.0;
        }
    }

    /// The distances from both edges of the cell, and a little more.
    #[inline(always)]
    pub(super) fn margins(&self, x: S, middle: S) -> [S; 2] {
        let [low, high] = self.cell(middle).edges;
        let slack = self.delta * SLACK;
        [x - low + slack, high - x + slack]
    }
}

/// The fields that `Model` shares with [`Row`].
macro_rules! row_of {
    ($Model:ident) => {
        impl<S: Real> $Model<S> {
            /// The bristles and the body above them.
            #[inline(always)]
            pub fn row(&self) -> $crate::bristle::Row<S> {
                let &$Model { kappa, h, l_b, delta, d, offset, .. } = self;
                $crate::bristle::Row { kappa, h, l_b, delta, d, offset }
            }
        }

        fn tips_reach_the_body(p: &$Model<f64>, report: &mut $crate::Report<'_>) {
            report.expect(
                p.l_b > p.h,
                ("l_b", None, p.l_b),
                "must exceed h =",
                p.h,
                "shorter bristles do not reach the body: lengthen them or lower the body",
            );
        }
    };
}
pub(super) use row_of;
