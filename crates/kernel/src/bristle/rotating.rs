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
//! that corner. A body that starts at rest is taken to move right first, unless it is told otherwise
//! ([`Bristle::depart`]) or turns back before any bristle changes.
use super::row::{mean, nearest, row_of, walked};
use super::{Bristle, Cell, Drive, Energy, Mode, Passivity, Update, Variable};
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

/// The guard of a reversal. It comes last, after those of the four indices of the cell and of the
/// divide: an unlocated step is followed to its end before the body turns.
const REVERSAL: usize = 5;

/// So near to a corner, in units of Δ, a base is under it at the start: the position of a body that is
/// set down with a corner on a base is rounded.
const UNDER: f64 = 1e-9;

/// The mode, by name.
#[derive(Clone, Copy)]
struct Contacts<S> {
    /// The bristles at the corners.
    cell: Cell<S>,
    /// q + ½: between the last bristle on the left and the first one on the right.
    divide: S,
    /// The bristles under the body that do not lean yet lie between these.
    idle: [S; 2],
    /// The direction of the last motion: −1, 1, or 0 before the first.
    way: S,
}

impl<S: Real> Contacts<S> {
    #[inline(always)]
    fn of(mode: &Mode<S>) -> Self {
        let [.., divide, low, high] = mode.index;
        Contacts { cell: Cell::of(mode), divide, idle: [low, high], way: mode.way }
    }

    #[inline(always)]
    fn mode(&self) -> Mode<S> {
        let Cell { right, left } = self.cell;
        let index = [right[0], right[1], left[0], left[1], self.divide, self.idle[0], self.idle[1]];
        Mode { way: self.way, index }
    }

    /// The direction of motion; to the right before the first.
    #[inline(always)]
    fn heading(&self) -> S {
        S::select(self.way.lt(S::from(0.0)), S::from(-1.0), S::from(1.0))
    }

    /// Whether bristle `i` does not lean yet.
    #[inline(always)]
    fn idles(&self, i: S) -> S::Mask {
        let [low, high] = self.idle;
        i.gt(low) & i.lt(high)
    }

    /// On either side, idle bristles lean from where the leading corner has passed their tip, and are
    /// free where it has left their base, going back.
    #[inline(always)]
    fn clipped(self) -> Self {
        let (zero, Cell { right, left }) = (S::from(0.0), self.cell);
        let [low, high] = self.idle;
        let on_right = low.ge(self.divide);
        let (forward, back) = (self.way.gt(zero), self.way.lt(zero));
        let low_end = S::select(on_right, right[0], S::select(forward, left[0], low)) - 0.5;
        let high_end = S::select(on_right, S::select(back, right[1], high), left[1]) + 0.5;
        let (low, high) = (low.max(low_end), high.min(high_end));
        let some = low.lt(high);
        Contacts { idle: [S::select(some, low, zero), S::select(some, high, zero)], ..self }
    }
}

impl<S: Real> Rotating<S> {
    /// The mode of a body at `x` that moves in the direction `way` and did not before.
    #[inline(always)]
    fn turned(&self, old: &Contacts<S>, x: S, way: S) -> Mode<S> {
        let zero = S::from(0.0);
        // Table 2: bristles under the body belong to the side of the first motion.
        let side = S::select(way.lt(zero), old.idle[1], old.idle[0]);
        let first = Contacts { way, divide: side, ..*old };
        let reversed = match self.rule {
            Rule::Consistent => Contacts { way, ..*old },
            _ => Contacts { way, divide: self.anew(x, way), idle: [zero; 2], ..*old },
        };
        let moved = old.way.abs().gt(zero);
        Mode::select(moved, reversed.clipped().mode(), first.clipped().mode())
    }

    /// Where the body stands when each index of the cell changes, and where the divide does: guards 0
    /// to 4.
    #[inline(always)]
    fn edges(&self, at: &Drive<S>) -> [S; 5] {
        let (row, contacts) = (self.row(), Contacts::of(&at.mode));
        let way = contacts.heading();
        let [a, b, c, d] = row.edges(&at.mode, way);
        // The trailing corner passes the tip of the next bristle on the other side.
        let bristle = (contacts.divide + way * 0.5) * self.delta;
        [a, b, c, d, bristle + way * (row.d0() + self.d * 0.5) + self.offset]
    }

    /// The bristles that the corners can touch.
    #[inline(always)]
    pub fn cell(&self, at: &Drive<S>) -> Cell<S> {
        Cell::of(&at.mode)
    }

    /// Whether Table 1 lets bristles on the other side of x_r push: its row (3), which holds for
    /// d₀ ≤ 2Δ only. `way` is the corner.
    #[inline(always)]
    fn unrestricted(&self, contacts: &Contacts<S>, way: f64) -> S::Mask {
        if self.rule == Rule::Consistent {
            return S::Mask::splat(false);
        }
        let Cell { right, left } = contacts.cell;
        let farthest = if way > 0.0 { right[1] } else { left[0] };
        let passed = ((farthest - contacts.divide) * way).gt(S::from(1.0));
        passed & (contacts.way * way).gt(S::from(0.0))
    }

    /// Calls `each` for every bristle at a corner: whether there is one, and how far its base is
    /// behind the corner.
    #[inline(always)]
    pub fn touching(&self, at: &Drive<S>, mut each: impl FnMut(S::Mask, S)) {
        let (row, contacts) = (self.row(), Contacts::of(&at.mode));
        for way in [1.0, -1.0] {
            let all = self.unrestricted(&contacts, way);
            row.touched(&contacts.cell, at.x, way, |there, i, s| {
                let own = ((i - contacts.divide) * way).gt(S::from(0.0));
                each(there & (own | all) & !contacts.idles(i), s);
            });
        }
    }

    /// How many bristles under the body are wound up to θ_max.
    #[inline(always)]
    fn wound_up(&self, at: &Drive<S>) -> S {
        let (zero, contacts) = (S::from(0.0), Contacts::of(&at.mode));
        let Cell { right, left } = contacts.cell;
        let [low, high] = contacts.idle;
        let right = (right[0] - 0.5 - contacts.divide).max(zero);
        let left = (contacts.divide - 0.5 - left[1]).max(zero);
        let moved = contacts.way.abs().gt(zero);
        high - low + S::select(moved, right + left, zero)
    }

    /// q + ½ after a reversal at `x`, by Table 1: x_r is the rightmost bristle under the body when it
    /// begins to move right, the leftmost when it begins to move left.
    #[inline(always)]
    fn anew(&self, x: S, way: S) -> S {
        let row = self.row();
        let d0 = row.d0();
        let reach = if self.rule == Rule::Table1 { d0 } else { -d0 };
        let [l, r] = row.corners(x);
        let rightmost = ((r + reach) / self.delta).floor() + 0.5;
        let leftmost = -((-(l - d0) / self.delta).floor()) - 0.5;
        S::select(way.lt(S::from(0.0)), leftmost, rightmost)
    }
}

impl Rotating<f64> {
    /// The guard that falls to zero next, reversals apart, the body going the way of its mode, and
    /// where it does, m. A body that has not moved yet goes right.
    pub fn edge(&self, at: &Drive<f64>) -> Option<(usize, f64)> {
        nearest(&self.edges(at), Contacts::of(&at.mode).heading())
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

    /// The work over the way at frozen velocity, bristle by bristle: what is not stored is released.
    fn step(&self, _how: Update, at: &Drive<S>, h: S, _z: &mut [S]) -> Option<S> {
        let (row, zero) = (self.row(), S::from(0.0));
        let springs = |at: &Drive<S>| {
            let mut sum = zero;
            self.touching(at, |there, s| sum += S::select(there, row.wound(s), zero));
            sum
        };
        let turned = self.depart(at, at.v.sign());
        let mode = Mode::select(at.v.abs().gt(zero), turned, at.mode);
        let begun = Drive { mode, ..*at };
        let (mut end, distance) = (begun, at.v * h);
        let edges = |at: &Drive<S>| self.edges(at);
        let next = |k: usize, at: &Drive<S>| self.next(k, at, &[]);
        let work = walked(&mut end, distance, edges, next, springs);
        let middle = Drive { x: at.x + distance * 0.5, ..begun };
        let force = mean(work, distance, row.h, self.force(&middle, &[], &[]));
        Some(S::select(at.pressed(), force, zero))
    }

    /// Its bristles come and go within a step.
    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        true
    }

    #[inline(always)]
    fn guards(&self) -> usize {
        REVERSAL + 1
    }

    #[inline(always)]
    fn watch(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        let way = Contacts::of(&at.mode).heading();
        for (guard, edge) in out.iter_mut().zip(self.edges(at)) {
            *guard = way * (edge - at.x);
        }
        out[REVERSAL] = way * at.v;
    }

    #[inline(always)]
    fn begin(&self, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let (row, zero) = (self.row(), S::from(0.0));
        let [l, r] = row.corners(at.x);
        let first = -(-(l / self.delta) + UNDER).floor() - 0.5;
        let last = (r / self.delta + UNDER).floor() + 0.5;
        let [a, b, c, d] = row.begin(at.x, [at.v, at.v]);
        let cell = Cell { right: [a, b], left: [c, d] };
        let rest = Contacts { cell, divide: first, idle: [first, last], way: zero };
        let moving = self.turned(&rest, at.x, at.v.sign());
        Mode::select(at.v.abs().gt(zero), moving, rest.mode())
    }

    #[inline(always)]
    fn next(&self, k: usize, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let contacts = Contacts::of(&at.mode);
        let way = contacts.heading();
        if k == REVERSAL {
            return self.turned(&contacts, at.x, -way);
        }
        let mode = Mode { way, ..at.mode.with(k, at.mode.index[k] + way) };
        Contacts::of(&mode).clipped().mode()
    }

    /// A reversal, if the body last moved the other way; the first motion, if it has not moved.
    #[inline(always)]
    fn depart(&self, at: &Drive<S>, way: S) -> Mode<S> {
        let turned = self.turned(&Contacts::of(&at.mode), at.x, way);
        Mode::select((at.mode.way * way).gt(S::from(0.0)), at.mode, turned)
    }

    #[inline(always)]
    fn positional(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use proptest::prelude::*;

    fn begun(m: &Rotating<f64>, x: f64, v: f64) -> Drive<f64> {
        let at = Drive { x, ..Drive::new(v, 1.0) };
        Drive { mode: m.begin(&at, &[]), ..at }
    }

    /// What a body sees in a mirror: corners and ends of rows change places.
    fn mirrored(mode: Mode<f64>) -> Mode<f64> {
        let [a, b, c, d, divide, low, high] = mode.index;
        Mode { way: -mode.way, index: [-d, -c, -b, -a, -divide, -high, -low] }
    }

    fn stored(m: &Rotating<f64>, at: &Drive<f64>) -> f64 {
        m.energy(at, &[], &[]).stored
    }

    /// Moves the body to `x`, event by event: the work done on it and the energy released.
    fn moved(m: &Rotating<f64>, at: &mut Drive<f64>, x: f64) -> (f64, f64) {
        let way = (x - at.x).signum();
        (at.v, at.mode) = (way, m.depart(at, way));
        let (mut work, mut lost) = (0.0, 0.0);
        loop {
            let (k, edge) = m.edge(at).unwrap();
            let stop = if way * edge < way * x { edge } else { x };
            // Simpson's rule: the force is smooth between events.
            let parts = 40;
            let h = (stop - at.x) / f64::from(parts);
            let force = |i: i32| m.force(&Drive { x: at.x + h * f64::from(i), ..*at }, &[], &[]);
            for i in (0..parts).step_by(2) {
                work += h / 3.0 * (force(i) + 4.0 * force(i + 1) + force(i + 2));
            }
            at.x = stop;
            if stop == x {
                return (work, lost);
            }
            let before = stored(m, at);
            at.mode = m.next(k, at, &[]);
            lost += before - stored(m, at);
        }
    }

    /// Table 2: nothing pushes until a bristle has been passed, and the first motion decides on the
    /// side, to the left as to the right.
    #[test]
    fn the_first_motion_decides_on_the_side() {
        let m: Rotating<f64> = Rotating::start(());
        let rest = begun(&m, 0.0, 0.0);
        assert_eq!((rest.mode.way, m.force(&rest, &[], &[])), (0.0, 0.0));
        for way in [1.0, -1.0] {
            let at = begun(&m, 0.0, way);
            assert_eq!((m.force(&at, &[], &[]), stored(&m, &at)), (0.0, stored(&m, &rest)));
            // Told or not, located or not, the same bristles lean after a step.
            let after = |mode| m.commit(&Drive { x: 0.055 * way, v: way, mode, ..at }, &[]);
            assert_eq!(after(rest.mode), after(at.mode));
            assert_eq!(after(m.depart(&rest, way)), after(at.mode));
        }
        assert_eq!(begun(&m, 0.0, -1.0).mode, mirrored(begun(&m, 0.0, 1.0).mode));
    }

    /// 101 bristles are under the body at first. Each is released once the trailing corner has passed
    /// its tip, and none before.
    #[test]
    fn a_body_that_leaves_its_bristles_releases_each_of_them() {
        let m: Rotating<f64> = Rotating::start(());
        let (each, d0) = (m.row().released(), m.row().d0());
        for way in [1.0, -1.0] {
            let mut at = begun(&m, 0.0, 0.0);
            assert!((stored(&m, &at) - 101.0 * each).abs() < 1e-12);
            assert!(moved(&m, &mut at, way * (d0 - 1e-6)).1.abs() < 1e-12);
            assert!((moved(&m, &mut at, way * (d0 + 1e-6)).1 - each).abs() < 1e-12);
            assert!(
                (moved(&m, &mut at, way * (1.0 + d0 + 1e-6)).1 - 101.0 * each).abs() < 1e-9 + each
            );
        }
    }

    /// An unlocated step is followed to its end before the body turns.
    #[test]
    fn a_step_that_ends_in_a_reversal_loses_no_bristle() {
        let m: Rotating<f64> = Rotating::start(());
        let at = Drive { x: 0.055, v: -0.1, ..begun(&m, 0.0, 1.0) };
        let mode = m.commit(&at, &[]);
        assert_eq!(mode.way, -1.0);
        assert_eq!(mode.index[..4], m.begin(&at, &[]).index[..4]);
    }

    proptest! {
        /// W(end) − W(start) = work − released over any history, and what is released is a whole
        /// number of bristles, never negative; mirrored histories have mirrored modes.
        #[test]
        fn energy_is_balanced_over_random_walks(
            path in prop::collection::vec(-0.15f64..0.15, 1..7),
            delta in 0.004f64..0.03, d in 0.02f64..0.3, l_b in 0.0985f64..0.102,
        ) {
            let m: Rotating<f64> = Rotating { delta, d, l_b, ..Rotating::start(()) };
            let mut at = begun(&m, 0.001, 0.0);
            let mut image = begun(&m, -0.001, 0.0);
            let each = m.row().released();
            for x in path {
                let start = stored(&m, &at);
                let (work, lost) = moved(&m, &mut at, x);
                let change = stored(&m, &at) - start;
                prop_assert!((change - work + lost).abs() < 1e-9, "{change} {work} {lost}");
                let count = lost / each;
                prop_assert!(count > -1e-6 && (count - count.round()).abs() < 1e-6, "{count}");
                let cell = begun(&m, x, at.v).mode;
                prop_assert_eq!(&at.mode.index[..4], &cell.index[..4]);
                let (back, gone) = moved(&m, &mut image, -x);
                prop_assert!((back - work).abs() < 1e-12 && (gone - lost).abs() < 1e-12);
                prop_assert_eq!(image.mode, mirrored(at.mode));
            }
        }

        /// Steps whose events are not located end in the modes of those whose events are.
        #[test]
        fn unlocated_steps_end_in_the_same_mode(
            path in prop::collection::vec(-0.15f64..0.15, 1..7), table in 0usize..3,
        ) {
            let rule = [Rule::Consistent, Rule::Table1, Rule::Table1Inner][table];
            let m: Rotating<f64> = Rotating { rule, ..Rotating::start(()) };
            let mut at = begun(&m, 0.001, 0.0);
            for x in path {
                let turned = Drive { mode: m.depart(&at, (x - at.x).signum()), ..at };
                let unlocated = m.commit(&Drive { x, v: x - at.x, ..turned }, &[]);
                moved(&m, &mut at, x);
                prop_assert_eq!(at.mode, unlocated);
            }
        }
    }
}
