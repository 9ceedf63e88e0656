//! A row of rotating bristles under a body: geometry, and which bristles its corners can touch.
//!
//! ```text
//! R = x + d/2,  L = x − d/2            the lower corners of the body
//! d₀ = √(l_b² − h²)                    how far a corner takes a bristle before it passes its tip
//! F_i = (κ/h) θ cos²θ,  θ = atan(s/h)  a bristle whose base is s behind the corner      (6), (2), (3)
//! W_i = κθ²/2                          what its spring holds
//! ```
//!
//! Equation numbers of 001. Bristle i stands at iΔ plus an offset. Which bristles a corner can touch,
//! the [`Cell`], is part of the mode: `index[..4]` holds the first and the last one at the right corner,
//! and the first and the last one at the left corner. Each of these four changes by one where a corner
//! reaches a base or passes a tip, and is never rounded from the position, which on such an edge may
//! round to either side.
use super::{Drive, MAX_CHANGES, Mode};
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

/// Which bristles can touch the corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell<S> {
    /// First and last bristle at the right corner: R − d₀ < b ≤ R.
    pub right: [S; 2],
    /// First and last bristle at the left corner: L ≤ b < L + d₀.
    pub left: [S; 2],
}

impl<S: Real> Cell<S> {
    /// The cell of a mode.
    #[inline(always)]
    pub(super) fn of(mode: &Mode<S>) -> Self {
        let [first_right, last_right, first_left, last_left, ..] = mode.index;
        Cell { right: [first_right, last_right], left: [first_left, last_left] }
    }
}

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

    /// The cell of a body at `x`. Where a corner is on an edge, the direction in which it moves decides;
    /// at rest it looks to the right.
    #[inline(always)]
    pub(super) fn begin(&self, x: S, [right, left]: [S; 2]) -> [S; 4] {
        let (d0, zero) = (self.d0(), S::from(0.0));
        let [l, r] = self.corners(x);
        // The last base that a point has reached going right, or has not reached yet going left.
        let behind = |point: S, way: S| {
            let turns = point / self.delta;
            S::select(way.lt(zero), -(-turns).floor() - 1.0, turns.floor())
        };
        [behind(r - d0, right) + 1.0, behind(r, right), behind(l, left) + 1.0, behind(l + d0, left)]
    }

    /// Half the length of the body in whole spacings, and what is left of it, m: iΔ ∓ d/2 is (i ∓ spacings)Δ ∓ left,
    /// without the difference of large numbers. A body creeps so slowly that the last digit of a base shows in when
    /// it is passed.
    #[inline(always)]
    fn half(&self) -> (S, S) {
        let half = self.d * 0.5;
        let spacings = (half / self.delta + 0.5).floor();
        (spacings, half - spacings * self.delta)
    }

    /// Where the body, going in the direction `way`, stands when each index of its cell changes.
    #[inline(always)]
    pub(super) fn edges(&self, mode: &Mode<S>, way: S) -> [S; 4] {
        let (d0, (half, rest), zero) = (self.d0(), self.half(), S::from(0.0));
        let back = S::select(way.lt(zero), S::from(1.0), zero);
        let edge = |index: S, shift: S| (index - back) * self.delta + shift + self.offset;
        let Cell { right, left } = Cell::of(mode);
        [
            edge(right[0] - half, d0 - rest),
            edge(right[1] + 1.0 - half, -rest),
            edge(left[0] + half, rest),
            edge(left[1] + 1.0 + half, rest - d0),
        ]
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
        let (half, rest) = self.half();
        let (nearest, last) =
            if way > 0.0 { (cell.right[1], cell.right[0]) } else { (cell.left[0], cell.left[1]) };
        // There is no room for more, however far away the body is and indices round.
        let further = ((nearest - last) * way).min(self.d0() / self.delta + 1.0);
        let mut j = 0.0;
        loop {
            let there = further.ge(S::from(j));
            if !there.any() {
                return;
            }
            let i = nearest - way * j;
            each(there, i, x - ((i - half * way) * self.delta - rest * way + self.offset));
            j += 1.0;
        }
    }
}

/// Moves a body on by `distance` at fixed bristles between edges, and gives the work done on it: what its springs
/// take up. At most [`MAX_CHANGES`] edges are passed.
pub(super) fn walked<S: Real, const N: usize>(
    at: &mut Drive<S>,
    distance: S,
    edges: impl Fn(&Drive<S>) -> [S; N],
    next: impl Fn(usize, &Drive<S>) -> Mode<S>,
    springs: impl Fn(&Drive<S>) -> S,
) -> S {
    let zero = S::from(0.0);
    let (way, end, mut work) = (distance.sign(), at.x + distance, zero);
    let mut going = way.abs().gt(zero);
    for _ in 0..=MAX_CHANGES {
        let (mut nearest, mut first) = (S::from(f64::INFINITY), S::from(-1.0));
        for (k, edge) in edges(at).into_iter().enumerate() {
            // By rounding an edge may lie a little behind.
            let ahead = (way * (edge - at.x)).max(zero);
            first = S::select(ahead.lt(nearest), S::from(k as f64), first);
            nearest = nearest.min(ahead);
        }
        let passes = going & nearest.lt(way * (end - at.x));
        let there = S::select(passes, at.x + way * nearest, end);
        let before = springs(at);
        at.x = S::select(going, there, at.x);
        work += S::select(going, springs(at) - before, zero);
        if !passes.any() {
            break;
        }
        let mut mode = at.mode;
        for k in 0..N {
            let this = passes & first.ge(S::from(k as f64)) & first.le(S::from(k as f64));
            if this.any() {
                mode = Mode::select(this, next(k, at), mode);
            }
        }
        at.mode = mode;
        going = passes;
    }
    work
}

/// The mean force over a way: its work over its length, or the force in its middle where it is so short that the
/// work would be a difference of equal numbers.
#[inline(always)]
pub(super) fn mean<S: Real>(work: S, distance: S, height: S, middle: S) -> S {
    let long = distance.abs().gt(height * 1e-6);
    S::select(long, work / S::select(long, distance, S::from(1.0)), middle)
}

/// The first of the edges that a body going in the direction `way` reaches, and its number.
pub(super) fn nearest(edges: &[f64], way: f64) -> Option<(usize, f64)> {
    let sooner = |a: &(usize, f64), b: &(usize, f64)| (way * a.1).total_cmp(&(way * b.1));
    edges.iter().copied().enumerate().min_by(sooner)
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
