//! Exact steps of small relaxation systems, ẏ = −S y + c with S symmetric and positive
//! semidefinite: the form that every viscoelastic bristle takes at frozen drive in the coordinates
//! of its storage function.
use super::{Drive, Slip, Update};
use crate::List;
use bristle_num::{Logic, Real, special::phi12};

/// A square matrix by rows: up to order 9, eight branches and the deflection, without allocation.
#[cfg(feature = "alloc")]
pub(super) type Square<S> = tinyvec::TinyVec<[S; 81]>;
/// A square matrix by rows, up to order 9.
#[cfg(not(feature = "alloc"))]
pub(super) type Square<S> = tinyvec::ArrayVec<[S; 81]>;

/// A vector of that order.
#[cfg(feature = "alloc")]
pub(super) type Column<S> = tinyvec::TinyVec<[S; 9]>;
/// A vector of that order.
#[cfg(not(feature = "alloc"))]
pub(super) type Column<S> = tinyvec::ArrayVec<[S; 9]>;

/// The matrix of order `n` with the entries `f(row, column)`.
#[inline(always)]
pub(super) fn square<S: Real>(n: usize, f: impl Fn(usize, usize) -> S) -> Square<S> {
    (0..n * n).map(|k| f(k / n, k % n)).collect()
}

/// y after `h` seconds, its mean over them, and its mean rate.
///
/// Along an eigenvector of S with eigenvalue λ, y⁺ = y + hφ₁(−λh)(c − λy), and the mean has φ₂ in
/// place of φ₁.
pub(super) fn advance<S: Real>(
    mut s: Square<S>,
    y: &[S],
    c: &[S],
    h: S,
) -> (Column<S>, Column<S>, Column<S>) {
    let n = y.len();
    let q = diagonalise(&mut s, n);
    let mut end: Column<S> = y.iter().copied().collect();
    let mut mean = end.clone();
    let mut slope: Column<S> = y.iter().map(|_| S::from(0.0)).collect();
    for k in 0..n {
        let along = |x: &[S]| (0..n).fold(S::from(0.0), |sum, i| sum + q[i * n + k] * x[i]);
        // A zero eigenvalue may come out as −ε; cutting it to 0 would cut its derivative too, so only
        // what would grow within the step is cut.
        let lambda = s[k * n + k];
        let grows = (lambda * h).lt(S::from(-0.5));
        let lambda = S::select(grows, S::from(0.0), lambda);
        let rate = along(c) - lambda * along(y);
        let (one, two) = phi12(-lambda * h);
        for i in 0..n {
            slope[i] += q[i * n + k] * (rate * one);
            end[i] += q[i * n + k] * (rate * one * h);
            mean[i] += q[i * n + k] * (rate * two * h);
        }
    }
    (end, mean, slope)
}

/// Cyclic Jacobi: leaves the eigenvalues on the diagonal of `s` and gives the eigenvectors as
/// columns. For the orders met here it is the simplest accurate method, and it vectorises: lanes
/// that are done rotate by nothing, whatever their neighbours still do.
fn diagonalise<S: Real>(s: &mut [S], n: usize) -> Square<S> {
    let (zero, one) = (S::from(0.0), S::from(1.0));
    let mut q = square(n, |i, j| if i == j { one } else { zero });
    // The first sweep and the last leave nothing out: an entry of value 0 may have a derivative, and
    // derivatives converge one sweep behind values.
    let mut all = true;
    for _ in 0..30 {
        let mut active = S::Mask::splat(false);
        for p in 0..n {
            for r in p + 1..n {
                let (spp, srr, spr) = (s[p * n + p], s[r * n + r], s[p * n + r]);
                let large = spr.abs().gt((spp * srr).abs().sqrt() * 1e-17);
                let rotate = large | S::Mask::splat(all);
                if !rotate.any() {
                    continue;
                }
                active = active | large;
                // t = tan of the angle: 2s/(d ± √(d² + 4s²)), the smaller root.
                let d = srr - spp;
                let root = d.hypot(spr * 2.0);
                let divisor = S::select(d.lt(zero), d - root, d + root);
                let turns = divisor.abs().gt(zero);
                let divisor = S::select(turns, divisor, one);
                let t = S::select(turns, spr * 2.0 / divisor, zero);
                let cos = S::select(rotate, one / (t * t + 1.0).sqrt(), one);
                let sin = S::select(rotate, t * cos, zero);
                let shift = S::select(rotate, t * spr, zero);
                for i in 0..n {
                    if i != p && i != r {
                        let (a, b) = (s[i * n + p], s[i * n + r]);
                        let (a, b) = (cos * a - sin * b, sin * a + cos * b);
                        (s[i * n + p], s[p * n + i]) = (a, a);
                        (s[i * n + r], s[r * n + i]) = (b, b);
                    }
                    let (a, b) = (q[i * n + p], q[i * n + r]);
                    (q[i * n + p], q[i * n + r]) = (cos * a - sin * b, sin * a + cos * b);
                }
                s[p * n + p] = spp - shift;
                s[r * n + r] = srr + shift;
                let off = S::select(rotate, zero, spr);
                (s[p * n + r], s[r * n + p]) = (off, off);
            }
        }
        if !active.any() && all {
            break;
        }
        all = !active.any();
    }
    q
}

/// √x of every entry.
#[inline(always)]
pub(super) fn roots<S: Real>(k0: S, k: &List<S>) -> Column<S> {
    core::iter::once(k0.sqrt()).chain(k.iter().map(|k| k.sqrt())).collect()
}

/// The update asked for where there is contact, the exact one where there is none: in the air
/// nothing is to be balanced, and a midpoint step longer than the time constant would turn the
/// bristle over.
#[inline(always)]
pub(super) fn step_by_contact<S: Real, V: Slip<S>>(
    how: Update,
    at: &Drive<S, V>,
    z: &mut [S],
    midpoint: impl Fn(&mut [S]) -> V,
    exponential: impl Fn(&mut [S]) -> V,
) -> Option<V> {
    let on = at.pressed();
    if how == Update::End {
        return None;
    }
    if how == Update::Exponential || !on.any() {
        return Some(exponential(z));
    }
    if on.all() {
        return Some(midpoint(z));
    }
    let mut other: Column<S> = z.iter().copied().collect();
    let (pressed, lifted) = (midpoint(z), exponential(&mut other));
    for (z, other) in z.iter_mut().zip(other) {
        *z = S::select(on, *z, other);
    }
    Some(V::from_fn(|i| S::select(on, pressed.get(i), lifted.get(i))))
}
