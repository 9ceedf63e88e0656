//! RBM: the rotating-bristle model.
//!
//! ```text
//! F = Σ_r (κ/h) θ_i cos²θ_i + Σ_l (κ/h) θ_i cos²θ_i                 (7)-(9)
//! r = {i > q : R − d₀ < b_i ≤ R},  l = {i ≤ q : L ≤ b_i < L + d₀}
//! W = Σ κθ_i²/2 over all bristles that lean,  F v = Ẇ between releases
//! ```
//!
//! Equation numbers of 001; θ_i = atan((corner − b_i)/h) is (2) and (3). Tables 1 and 2 do not say what
//! happens in nested reversals. One integer does: bristles up to q lean to the left under the body or
//! stand free left of it, those beyond q lean to the right or stand free right of it. It follows the
//! body, q ← max(q, ⌈(L − d₀)/Δ⌉ − 1), q ← min(q, ⌊(R + d₀)/Δ⌋), and each change releases one bristle
//! with its κθ_max²/2; at fixed q the force is conservative. So no history creates energy.
//!
//! At the start no bristle leans (Table 2): those under the body belong to the side of the first
//! motion and carry no force until the leading corner passes their tip, or they leave the body at
//! that corner.
use super::row::row_of;
use super::{Bristle, Cell, Drive, Energy, GUARDS, Memory, Passivity, Variable};
use crate::{Params, choice};
use bristle_num::{Logic, Real};

choice! {
    /// How bristles change sides.
    Rule {
        /// as the body passes them: conserves energy for every history
        Consistent = "consistent",
        /// by Table 1 anew at every reversal, x_r the last bristle with its tip under the body: not passive
        Table1 = "table_1",
        /// the same, but x_r− the last bristle with its base d₀ or more inside the right corner
        Table1Inner = "table_1_inner",
    }
}

/// Frictionless bristles that lean on the corners of a body, each with its own history.
///
/// Choose it to study how hysteresis comes out of sudden release. Reversals store and give back
/// energy, so the body does not stick: it rests on springs, and a belt or spring that drags it need
/// not make it stop. It is passive: only released bristles lose energy. The tables of the paper,
/// taken literally at every reversal, spare bristles their release: the body passes them without
/// loss. They are there for comparison (`rule`). Force
/// depends on position and history, not on speed. The load enters only as contact or lift-off.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "rotating",
    title = "rotating bristles with contact memory (RBM)",
    source = "001 §2, (1)-(9), Tables 1, 2",
    stick = "no: rests on springs",
    passive = "yes, unless Table 1 is taken literally",
    law = "has none: the force depends on position and history",
    rules = "l_b above h",
    check = tips_reach_the_body
)]
pub struct Rotating<S> {
    /// torsional stiffness κ of a bristle
    #[param(unit = "N*m/rad", start = 0.5, range = "(0, inf)", eq = "001 (5)")]
    pub kappa: S,
    /// height h of the body above the ground
    #[param(unit = "m", start = 0.098, range = "(0, inf)", eq = "001 (1)")]
    pub h: S,
    /// length l_b of a bristle
    #[param(unit = "m", start = 0.1, range = "(0, inf)", eq = "001 (1)")]
    pub l_b: S,
    /// distance Δ between bristles
    #[param(unit = "m", start = 0.01, range = "(0, inf)", eq = "001 §2")]
    pub delta: S,
    /// length d of the body
    #[param(unit = "m", start = 1.0, range = "(0, inf)", eq = "001 (2)")]
    pub d: S,
    /// position of bristle 0; the others stand Δ apart on both sides
    #[param(unit = "m", start = 0.0, range = "(-inf, inf)", eq = "001 (2)")]
    pub offset: S,
    /// how bristles change sides
    #[param(choice, start = Rule::Consistent, eq = "001 Table 1")]
    pub rule: Rule,
}

row_of!(Rotating);

/// What is remembered, in the order of [`Drive::memory`]. Mirrored, every number changes its sign.
#[derive(Clone, Copy)]
struct Contacts<S> {
    /// The middle of the cell.
    middle: S,
    /// q + ½: between the last bristle on the left and the first one on the right. 0 before anything
    /// was committed.
    divide: S,
    /// The bristles under the body that do not lean yet lie between these, in either order.
    idle: [S; 2],
    /// The direction of the last motion: −1, 1, or 0 before the first.
    way: S,
}

impl<S: Real> Contacts<S> {
    #[inline(always)]
    fn idle(&self) -> [S; 2] {
        [self.idle[0].min(self.idle[1]), self.idle[0].max(self.idle[1])]
    }

    /// Whether bristle `i` does not lean yet.
    #[inline(always)]
    fn idles(&self, i: S) -> S::Mask {
        let [low, high] = self.idle();
        i.gt(low) & i.lt(high)
    }
}

impl<S: Real> Rotating<S> {
    /// What is committed, or the start of Table 2 where the body stands.
    #[inline(always)]
    fn contacts(&self, at: &Drive<S>) -> Contacts<S> {
        let [middle, divide, a, b, way] = at.memory;
        let committed = divide.abs().gt(S::from(0.25));
        let row = self.row();
        let [l, r] = row.corners(at.x);
        // A base that is under a corner is under the body.
        let first = -((-(l / self.delta) + 1e-9).floor()) - 0.5;
        let last = (r / self.delta + 1e-9).floor() + 0.5;
        let or = |old: S, new: S| S::select(committed, old, new);
        let start = S::select(at.v.lt(S::from(0.0)), last, first);
        let middle = S::select(committed, middle, row.middle(at, committed));
        Contacts {
            middle,
            divide: or(divide, start),
            idle: [or(a, first), or(b, last)],
            way: or(way, at.v.sign()),
        }
    }

    /// The cell that the body is in.
    #[inline(always)]
    pub fn cell(&self, at: &Drive<S>) -> Cell<S> {
        self.row().cell(self.contacts(at).middle)
    }

    /// Whether Table 1 lets bristles on the other side of x_r push: its row (3), which holds for
    /// d₀ ≤ 2Δ only. `way` is the corner.
    #[inline(always)]
    fn unrestricted(&self, contacts: &Contacts<S>, cell: &Cell<S>, way: f64) -> S::Mask {
        if self.rule == Rule::Consistent {
            return S::Mask::splat(false);
        }
        let farthest = if way > 0.0 { cell.right[1] } else { cell.left[0] };
        let passed = ((farthest - contacts.divide) * way).gt(S::from(1.0));
        passed & (contacts.way * way).gt(S::from(0.0))
    }

    /// Calls `each` for every bristle at a corner: whether there is one, and how far its base is
    /// behind the corner.
    #[inline(always)]
    pub fn touching(&self, at: &Drive<S>, mut each: impl FnMut(S::Mask, S)) {
        let (row, contacts) = (self.row(), self.contacts(at));
        let cell = row.cell(contacts.middle);
        for way in [1.0, -1.0] {
            let all = self.unrestricted(&contacts, &cell, way);
            row.touched(&cell, at.x, way, |there, i, s| {
                let own = ((i - contacts.divide) * way).gt(S::from(0.0));
                each(there & (own | all) & !contacts.idles(i), s);
            });
        }
    }

    /// How many bristles under the body are wound up to θ_max.
    #[inline(always)]
    fn wound_up(&self, at: &Drive<S>) -> S {
        let (zero, contacts) = (S::from(0.0), self.contacts(at));
        let cell = self.row().cell(contacts.middle);
        let [low, high] = contacts.idle();
        let right = (cell.right[0] - 0.5 - contacts.divide).max(zero);
        let left = (contacts.divide - 0.5 - cell.left[1]).max(zero);
        let moved = contacts.way.abs().gt(zero);
        high - low + S::select(moved, right + left, zero)
    }

    /// q + ½ after a reversal, by Table 1: x_r is the rightmost bristle under the body when it
    /// begins to move right, the leftmost when it begins to move left.
    #[inline(always)]
    fn anew(&self, at: &Drive<S>) -> S {
        let row = self.row();
        let d0 = row.d0();
        let reach = if self.rule == Rule::Table1 { d0 } else { -d0 };
        let [l, r] = row.corners(at.x);
        let rightmost = ((r + reach) / self.delta).floor() + 0.5;
        let leftmost = -((-(l - d0) / self.delta).floor()) - 0.5;
        S::select(at.v.lt(S::from(0.0)), leftmost, rightmost)
    }
}

impl<S: Real> Bristle<S> for Rotating<S> {
    #[inline(always)]
    fn states(&self) -> usize {
        0
    }

    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }

    #[inline(always)]
    fn rate(&self, _at: &Drive<S>, _z: &[S], _dz: &mut [S]) {}

    #[inline(always)]
    fn force(&self, at: &Drive<S>, _z: &[S], _dz: &[S]) -> S {
        let (row, zero) = (self.row(), S::from(0.0));
        let mut sum = zero;
        self.touching(at, |there, s| sum += S::select(there, row.pull(s), zero));
        S::select(at.pressed(), sum, zero)
    }

    /// The force where the body is: it depends on position, and nothing settles.
    #[inline(always)]
    fn steady(&self, at: &Drive<S>, _z: &mut [S]) -> S {
        self.force(at, &[], &[])
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, _z: &[S], _dz: &[S]) -> Energy<S> {
        let (row, zero) = (self.row(), S::from(0.0));
        let mut stored = self.wound_up(at) * row.released();
        self.touching(at, |there, s| stored += S::select(there, row.wound(s), zero));
        let known = S::Mask::splat(self.rule == Rule::Consistent) | !at.pressed();
        Energy { stored: S::select(at.pressed(), stored, zero), dissipated: zero, known }
    }

    fn passivity(&self) -> Passivity<S> {
        if self.rule == Rule::Consistent {
            return Passivity::always(
                "W = Σκθ²/2; a release loses κθ_max²/2, nothing else changes W",
            );
        }
        let why = "Table 1 turns bristles over at a reversal, without work: they push the body on";
        Passivity { known: S::Mask::splat(false), margin: S::from(f64::NEG_INFINITY), why }
    }

    fn bound(&self, _z0: &[S], _v_max: S, _load_max: S, _out: &mut [S]) {}

    /// Reversals, and both edges of the cell.
    #[inline(always)]
    fn guards(&self, at: &Drive<S>, _z: &[S]) -> [S; GUARDS] {
        let [low, high] = self.row().margins(at.x, self.contacts(at).middle);
        [at.v, low, high]
    }

    #[inline(always)]
    fn commit(&self, at: &Drive<S>, _z: &[S]) -> Memory<S> {
        let (row, zero, half) = (self.row(), S::from(0.0), S::from(0.5));
        let old = self.contacts(at);
        let middle = row.moved(at, old.middle);
        let cell = row.cell(middle);
        let [l, r] = row.corners(at.x);
        let d0 = row.d0();
        let now = at.v.sign();
        let way = S::select(now.abs().gt(zero), now, old.way);
        let first_motion = now.abs().gt(zero) & !old.way.abs().gt(zero);
        let [low, high] = old.idle();
        let side = S::select(now.lt(zero), high, low);
        let mut divide = S::select(first_motion, side, old.divide);
        let [mut low, mut high] = [low, high];
        if self.rule != Rule::Consistent {
            let reversed = (now * old.way).lt(zero);
            divide = S::select(reversed, self.anew(at), divide);
            high = S::select(reversed, low, high);
        }
        // Bristles that the body has left behind are released.
        divide = divide.max(((l - d0) / self.delta).floor() + half);
        divide = divide.min(((r + d0) / self.delta).floor() + half);
        // On either side, idle ones lean from where the leading corner has passed their tip, and are
        // free where it has left their base.
        let right = low.ge(divide);
        let corner = [
            S::select(right, cell.right[0], cell.left[0]) - half,
            S::select(right, cell.right[1], cell.left[1]) + half,
        ];
        let moved = way.abs().gt(zero);
        low = S::select(moved, low.max(corner[0]), low);
        high = S::select(moved, high.min(corner[1]), high);
        let some = low.lt(high);
        let idle = [S::select(some, low, zero), S::select(some, high, zero)];
        [middle, divide, idle[0], idle[1], way]
    }
}
