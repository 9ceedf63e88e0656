//! The force balance at the tip of a massless bristle, and which of its roots holds.
//!
//! A tip that slides at speed u under the trial force b (per unit load) obeys
//!
//! ```text
//! h(u) = a u + μ(u) = b,   a > 0,
//! ```
//!
//! and sticks, u = 0, while b ≤ μ(0). Where μ falls faster than a u rises, h has several roots. A
//! bristle with a vanishing mass follows m u̇ = b − h(u): stretches on which h rises attract, those on
//! which it falls repel, and the tip stays on a rising stretch (a *branch*; the first begins with
//! sticking) until b leaves it at one of its ends, a fold.
use crate::Law;
use bristle_num::{Logic, Real};

/// How often a law is evaluated at most for one root or one fold of the balance: proven by halving, reached by nothing
/// (see `docs/performance.md`). A law with one fall has two folds and one root.
pub const MOST_EVALUATIONS: usize = 200;

/// A stretch of speeds on which h rises, and the forces it spans.
#[derive(Clone, Copy)]
pub(super) struct Branch<S> {
    /// Speeds at which it begins and ends.
    pub(super) ends: [S; 2],
    /// Forces h there; −∞ below the first branch, which sticks, and +∞ above the last.
    pub(super) forces: [S; 2],
    /// How many steepest falls of the law lie below it.
    pub(super) index: S,
}

/// The balance a u + μ(u) = b of one law.
pub(super) struct Balance<'a, S, L> {
    pub(super) law: &'a L,
    pub(super) a: S,
}

impl<S: Real, L: Law<S>> Balance<'_, S, L> {
    /// h(u).
    #[inline(always)]
    pub(super) fn h(&self, u: S) -> S {
        self.a * u + self.law.level(u)
    }

    /// h′(u).
    #[inline(always)]
    pub(super) fn slope(&self, u: S) -> S {
        self.a + self.law.slope(u)
    }

    /// The branch of a tip that sticks and cannot creep.
    #[inline(always)]
    fn sticking(&self) -> Branch<S> {
        let zero = S::from(0.0);
        let forces = [S::from(f64::NEG_INFINITY), self.law.rest()];
        Branch { ends: [zero, zero], forces, index: zero }
    }

    /// Calls `meet` with every branch, from the slowest up, in the lanes of the mask.
    ///
    /// Within a piece of the law h′ is monotone and has at most one zero; each zero found is a
    /// fold, at which a branch ends (h′ falls through 0) or begins (it rises through 0).
    #[inline(always)]
    fn branches(&self, mut meet: impl FnMut(S::Mask, Branch<S>)) {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let everywhere = S::Mask::splat(true);
        let pieces = self.law.pieces();
        let mut slope = self.slope(zero);
        let mut branch = self.sticking();
        // Where h falls from the start, the first branch is sticking alone.
        let mut rising = slope.ge(zero);
        meet(!rising, branch);
        // The law is taken as falling into u = 0; a turn to rising marks a steepest fall.
        let mut fell = everywhere;
        let mut falls = zero;
        for i in 0..pieces {
            let lo = self.law.piece(i);
            let last = i + 1 == pieces;
            let (hi, next) = if last {
                // −μ′ falls here and its integral is at most the span of μ, so it is below a at
                // this distance.
                let [least, most] = self.law.bounds();
                let span = S::select(most.lt(S::from(f64::INFINITY)), most - least, one);
                (lo + span / self.a, slope.max(self.a + self.law.viscous()))
            } else {
                let hi = self.law.piece(i + 1);
                (hi, self.slope(hi))
            };
            let turned = fell & next.gt(slope);
            falls = S::select(turned, falls + 1.0, falls);
            fell = (fell & !next.gt(slope)) | next.lt(slope);
            let ends = rising & next.lt(zero);
            let begins = !rising & next.ge(zero);
            if (ends | begins).any() {
                let fold = crossing(
                    lo,
                    hi,
                    [slope, next],
                    #[inline(always)]
                    |u| self.slope(u),
                );
                let force = self.h(fold);
                let met = Branch {
                    ends: [branch.ends[0], fold],
                    forces: [branch.forces[0], force],
                    ..branch
                };
                meet(ends, met);
                branch = Branch {
                    ends: [S::select(begins, fold, branch.ends[0]), fold],
                    forces: [S::select(begins, force, branch.forces[0]), force],
                    index: S::select(begins, falls, branch.index),
                };
                rising = (rising & !ends) | begins;
            }
            slope = next;
        }
        let no_end = S::from(f64::INFINITY);
        meet(
            everywhere,
            Branch {
                ends: [branch.ends[0], no_end],
                forces: [branch.forces[0], no_end],
                index: branch.index,
            },
        );
    }

    /// The branch with the largest index not above `falls`: the one that the mode is on, or what is
    /// left of it.
    #[inline(always)]
    pub(super) fn committed(&self, falls: S) -> Branch<S> {
        let mut chosen = self.sticking();
        self.branches(
            #[inline(always)]
            |mask, met| chosen = choose(mask & met.index.le(falls), met, chosen),
        );
        chosen
    }

    /// The branch on which a force a little above `b` (`up`), or a little below it, is found, coming
    /// from `falls`: that one while the force lies on it, the next above it or below it that holds the
    /// force once it does not.
    #[inline(always)]
    pub(super) fn reached(&self, falls: S, b: S, up: bool) -> Branch<S> {
        let beyond = |end: S| if up { b.ge(end) } else { b.gt(end) };
        let mut chosen = self.sticking();
        self.branches(
            #[inline(always)]
            |mask, met| {
                let low = met.index.le(falls) & beyond(met.forces[0]);
                let high = met.index.gt(falls) & beyond(chosen.forces[1]);
                chosen = choose(mask & (low | high), met, chosen);
            },
        );
        chosen
    }

    /// The speed at which the tip slides under force `b` in a step, coming from the branch `falls`, and how many
    /// falls lie below it. Without folds there is one root, and no branch is looked for.
    #[inline(always)]
    pub(super) fn slid(&self, falls: S, b: S) -> (S, S) {
        let zero = S::from(0.0);
        let sticks = b.le(self.law.rest()) & !falls.gt(zero);
        if sticks.all() {
            return (zero, zero);
        }
        let reached = self.reached(falls, b, false);
        let speed = self.speed(&reached, b);
        let count = S::select(speed.gt(zero), self.falls_below(speed), zero);
        (speed, count)
    }

    /// The sliding speed on `branch` under force `b`, or at its nearer end if b lies off it.
    #[inline(always)]
    pub(super) fn speed(&self, branch: &Branch<S>, b: S) -> S {
        let zero = S::from(0.0);
        let rest = self.law.rest();
        let first = branch.index.le(zero) & branch.ends[0].le(zero);
        let sticks = first & b.le(rest);
        if sticks.all() {
            return zero;
        }
        let floor = S::select(first, rest, branch.forces[0]);
        let b = b.max(floor).min(branch.forces[1]);
        // h(u) ≥ a u + least, so no root lies above (b − least)/a.
        let most = (b - self.law.bounds()[0]) / self.a;
        let (lo, hi) = (branch.ends[0], branch.ends[1].min(most).max(branch.ends[0]));
        let (closed, direct) = match self.law.slide(self.a, b) {
            Some((closed, u)) => (closed, u.max(lo).min(hi)),
            None => (S::Mask::splat(false), lo),
        };
        let search = !(sticks | closed);
        let mut u = direct;
        if search.any() {
            let found = rising(
                lo,
                hi,
                search,
                #[inline(always)]
                |u| (self.h(u) - b, self.slope(u)),
            );
            u = S::select(closed, direct, found);
        }
        // One step of Newton's method in full scalars: in duals it carries the derivative of the
        // root, whatever way the root was found.
        let slope = self.slope(u);
        let step = S::select(slope.gt(zero), (self.h(u) - b) / slope, zero);
        S::select(sticks, zero, (u - step).max(lo))
    }

    /// Calls `meet` with the speed of every steepest fall of the law, in the lanes of the mask.
    #[inline(always)]
    fn falls(&self, mut meet: impl FnMut(S::Mask, S)) {
        let mut slope = self.law.slope(S::from(0.0));
        let mut fell = S::Mask::splat(true);
        for i in 0..self.law.pieces() {
            let next = if i + 1 < self.law.pieces() {
                self.law.slope(self.law.piece(i + 1))
            } else {
                self.law.viscous()
            };
            meet(fell & next.gt(slope), self.law.piece(i));
            fell = (fell & !next.gt(slope)) | next.lt(slope);
            slope = next;
        }
    }

    /// How many steepest falls of the law lie below the speed `u`.
    #[inline(always)]
    pub(super) fn falls_below(&self, u: S) -> S {
        let mut count = S::from(0.0);
        self.falls(
            #[inline(always)]
            |mask, fall| count = S::select(mask & u.gt(fall), count + 1.0, count),
        );
        count
    }

    /// The speeds of the last of the first `falls` steepest falls, and of the next one; −∞ and ∞ where
    /// there is none.
    #[inline(always)]
    pub(super) fn between(&self, falls: S) -> [S; 2] {
        let infinite = S::from(f64::INFINITY);
        let ([mut low, mut high], mut count) = ([-infinite, infinite], S::from(0.0));
        self.falls(
            #[inline(always)]
            |mask, fall| {
                low = S::select(mask & count.lt(falls), fall, low);
                let next = mask & count.ge(falls) & count.lt(falls + 1.0);
                high = S::select(next, fall, high);
                count = S::select(mask, count + 1.0, count);
            },
        );
        [low, high]
    }
}

#[inline(always)]
fn choose<S: Real>(mask: S::Mask, yes: Branch<S>, no: Branch<S>) -> Branch<S> {
    Branch {
        ends: [S::select(mask, yes.ends[0], no.ends[0]), S::select(mask, yes.ends[1], no.ends[1])],
        forces: [
            S::select(mask, yes.forces[0], no.forces[0]),
            S::select(mask, yes.forces[1], no.forces[1]),
        ],
        index: S::select(mask, yes.index, no.index),
    }
}

/// The zero of a rising function in [lo, hi], in the lanes of `active`: Newton's method, kept
/// inside a shrinking bracket, bisecting when Newton's step leaves it or gains too little.
///
/// `f` gives value and slope. Lanes that have converged stay as they are, so that a lane's result
/// does not depend on its neighbours.
#[inline(always)]
pub(super) fn rising<S: Real>(lo: S, hi: S, active: S::Mask, f: impl Fn(S) -> (S, S)) -> S {
    let zero = S::from(0.0);
    let (mut lo, mut hi) = (lo, hi);
    let mut u = hi;
    let mut before = hi - lo;
    let mut active = active;
    // A Newton step that gains less than half is replaced by a bisection: 200 are never used up.
    for _ in 0..MOST_EVALUATIONS {
        let (value, slope) = f(u);
        let (below, above) = (value.lt(zero), value.gt(zero));
        lo = S::select(active & below, u, lo);
        hi = S::select(active & above, u, hi);
        let newton = u - value / slope;
        let step = (value / slope).abs();
        let good = newton.ge(lo) & newton.le(hi) & step.le(before * 0.5);
        let next = S::select(good, newton, (lo + hi) * 0.5);
        before = S::select(active, (next - u).abs(), before);
        let moved = (next - u).abs().gt(u.abs() * (0.9 * S::EPSILON));
        u = S::select(active & (below | above), next, u);
        active = active & moved & (below | above);
        if !active.any() {
            break;
        }
    }
    u
}

/// Where a function crosses zero on [lo, hi], in the lanes in which its `ends` differ in sign: inverse quadratic
/// interpolation where three points allow it, else bisection (T. R. Chandrupatla, Adv. Eng. Softw. 28, 1997, 145-149).
#[inline(always)]
pub(super) fn crossing<S: Real>(lo: S, hi: S, ends: [S; 2], f: impl Fn(S) -> S) -> S {
    let (zero, one) = (S::from(0.0), S::from(1.0));
    let below = |x: S| x.lt(zero);
    let differ = |a: S, b: S| (below(a) & !below(b)) | (!below(a) & below(b));
    let [mut f1, mut f2] = ends;
    let (mut x1, mut x2) = (lo, hi);
    let mut active = differ(f1, f2);
    let (mut u, mut t) = ((lo + hi) * 0.5, S::from(0.5));
    for _ in 0..MOST_EVALUATIONS {
        let x = x1 + t * (x2 - x1);
        let value = f(x);
        let crossed = differ(value, f1);
        // x1 and x2 enclose the root, x3 is the point before.
        let (x3, f3) = (S::select(crossed, x2, x1), S::select(crossed, f2, f1));
        (x2, f2) = (S::select(crossed, x1, x2), S::select(crossed, f1, f2));
        (x1, f1) = (x, value);
        let nearer = f2.abs().lt(f1.abs());
        let best = S::select(nearer, x2, x1);
        u = S::select(active, best, u);
        let width = (x2 - x1).abs();
        let resolved = best.abs() * (1.8 * S::EPSILON) + f64::MIN_POSITIVE;
        let done = width.le(resolved * 2.0) | f1.abs().le(zero) | f2.abs().le(zero);
        active = active & !done;
        if !active.any() {
            break;
        }
        let least = resolved / width;
        let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2));
        let smooth = phi.sq().lt(xi) & (one - phi).sq().lt(one - xi);
        let curved = f1 / (f2 - f1) * f3 / (f2 - f3)
            + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
        t = S::select(smooth, curved, S::from(0.5)).max(least).min(one - least);
    }
    u
}
