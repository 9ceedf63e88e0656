//! A step solved together with what the contact moves, for any model with a step at frozen velocity.
//!
//! ```text
//! v = v₀ − g F(v)
//! ```
//!
//! F(v) is the mean force of a step at the velocity v. Where that step is passive, F v h ≥ ΔW, so is the
//! whole at the root, whichever it is. Set-valued friction holds the contact while g F_l ≤ v₀ ≤ g F_r.
use super::modal::Column;
use super::root::crossing;
use super::{Bristle, Drive, Free, Mode, Slip, Update};
use bristle_num::{Logic, Real};

/// How often an interval is doubled until it holds a root.
pub(super) const DOUBLINGS: usize = 20;

/// See [`Bristle::advance`].
pub(super) fn advance<S: Real, V: Slip<S>, B: Bristle<S, V> + ?Sized>(
    model: &B,
    how: Update,
    at: &mut Drive<S, V>,
    free: &Free<S, V>,
    h: S,
    z: &mut [S],
) -> Option<V> {
    if V::DIM != 1 {
        return None;
    }
    let zero = S::from(0.0);
    let along = |v: S| V::from_fn(|_| v);
    let (v0, gain) = (free.velocity.get(0), free.gain);
    let moved = gain.gt(zero);
    let limits = model.limits(at);
    let way = v0.sign();
    let held = match limits {
        Some([low, high]) => moved & v0.ge(gain * low) & v0.le(gain * high),
        None => S::Mask::splat(false),
    };
    let start = match limits {
        Some(_) => {
            let stuck = Mode { way: zero, ..at.mode };
            let goes = model.depart(&Drive { mode: at.mode, ..*at }, way);
            let rests = held | !way.abs().gt(zero);
            Drive { mode: Mode::select(rests, stuck, goes), ..*at }
        }
        None => *at,
    };
    let begun: Column<S> = z.iter().copied().collect();
    let force = |v: S| {
        let mut z = begun.clone();
        model.step(how, &Drive { v: along(v), ..start }, h, &mut z).map(|force| force.get(0))
    };
    force(v0)?;
    let left = |v: S| v - v0 + gain * force(v).unwrap_or(zero);
    let mut v = v0;
    let sought = moved & !held;
    if sought.any() {
        // Friction that is set-valued does not turn a contact round; other friction may, and the root is looked for
        // further and further out.
        let over = left(v0);
        let least =
            S::select(way.lt(zero), S::from(-f64::MIN_POSITIVE), S::from(f64::MIN_POSITIVE));
        let mut other = if limits.is_some() { least } else { v0 - over };
        let mut there = left(other);
        for _ in 0..DOUBLINGS {
            let same = (there * over).gt(zero);
            if limits.is_some() || !same.any() {
                break;
            }
            other = S::select(same, v0 + (other - v0) * 2.0, other);
            there = left(other);
        }
        let swap = other.gt(v0);
        let (lo, hi) = (S::select(swap, v0, other), S::select(swap, other, v0));
        let ends = [S::select(swap, over, there), S::select(swap, there, over)];
        let apart = (over * there).lt(zero);
        let root = crossing(lo, hi, ends, left);
        let near = S::select(over.abs().le(there.abs()), v0, other);
        v = S::select(sought, S::select(apart, root, near), v);
    }
    v = S::select(held, zero, v);
    let force = model.step(how, &Drive { v: along(v), ..start }, h, z)?.get(0);
    let divisor = S::select(moved, gain, S::from(1.0));
    let force = S::select(held, v0 / divisor, force);
    at.v = along(v);
    at.mode = start.mode;
    at.x = V::from_fn(|i| at.x.get(i) + h * at.v.get(i));
    at.mode = model.commit(at, z);
    Some(along(force))
}
