//! Gaussian elimination with row pivoting, for real and complex matrices of fixed size.
use crate::vector;
use core::ops::{Div, Mul};

/// A complex number; just what elimination needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Mul for Complex {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

impl Div for Complex {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let d = 1.0 / (o.re * o.re + o.im * o.im);
        Complex {
            re: (self.re * o.re + self.im * o.im) * d,
            im: (self.im * o.re - self.re * o.im) * d,
        }
    }
}

/// A field to eliminate in.
///
/// A column of complex numbers keeps its real parts together, and its imaginary parts: the loops
/// that elimination spends its time in then run along plain numbers.
pub(crate) trait Scalar: Copy + Mul<Output = Self> + Div<Output = Self> {
    const ZERO: Self;
    const ONE: Self;
    type Column<const N: usize>: Copy;

    fn zero<const N: usize>() -> Self::Column<N>;
    fn get<const N: usize>(column: &Self::Column<N>, i: usize) -> Self;
    fn set<const N: usize>(column: &mut Self::Column<N>, i: usize, value: Self);
    fn swap<const N: usize>(column: &mut Self::Column<N>, i: usize, j: usize);
    /// `column` times `factor` in rows where `mask` is 1; 0 where it is 0.
    fn scaled<const N: usize>(
        column: &Self::Column<N>,
        factor: Self,
        mask: &[f64; N],
    ) -> Self::Column<N>;
    /// Subtracts `factor` times `other`.
    fn subtract<const N: usize>(
        column: &mut Self::Column<N>,
        factor: Self,
        other: &Self::Column<N>,
    );
    /// Whether it is 0, so that nothing needs to be subtracted.
    fn is_zero(self) -> bool;
    /// How large it is, for choosing a pivot.
    fn size(self) -> f64;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    type Column<const N: usize> = [f64; N];

    #[inline(always)]
    fn zero<const N: usize>() -> [f64; N] {
        [0.0; N]
    }
    #[inline(always)]
    fn get<const N: usize>(column: &[f64; N], i: usize) -> f64 {
        column[i]
    }
    #[inline(always)]
    fn set<const N: usize>(column: &mut [f64; N], i: usize, value: f64) {
        column[i] = value;
    }
    #[inline(always)]
    fn swap<const N: usize>(column: &mut [f64; N], i: usize, j: usize) {
        column.swap(i, j);
    }
    #[inline(always)]
    fn scaled<const N: usize>(column: &[f64; N], factor: f64, mask: &[f64; N]) -> [f64; N] {
        vector(|i| column[i] * factor * mask[i])
    }
    #[inline(always)]
    fn subtract<const N: usize>(column: &mut [f64; N], factor: f64, other: &[f64; N]) {
        for i in 0..N {
            column[i] -= factor * other[i];
        }
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0.0
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
}

/// Complex numbers, real parts first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<const N: usize> {
    pub(crate) re: [f64; N],
    pub(crate) im: [f64; N],
}

impl Scalar for Complex {
    const ZERO: Self = Complex { re: 0.0, im: 0.0 };
    const ONE: Self = Complex { re: 1.0, im: 0.0 };
    type Column<const N: usize> = Parts<N>;

    #[inline(always)]
    fn zero<const N: usize>() -> Parts<N> {
        Parts { re: [0.0; N], im: [0.0; N] }
    }
    #[inline(always)]
    fn get<const N: usize>(column: &Parts<N>, i: usize) -> Self {
        Complex { re: column.re[i], im: column.im[i] }
    }
    #[inline(always)]
    fn set<const N: usize>(column: &mut Parts<N>, i: usize, value: Self) {
        (column.re[i], column.im[i]) = (value.re, value.im);
    }
    #[inline(always)]
    fn swap<const N: usize>(column: &mut Parts<N>, i: usize, j: usize) {
        column.re.swap(i, j);
        column.im.swap(i, j);
    }
    #[inline(always)]
    fn scaled<const N: usize>(column: &Parts<N>, factor: Self, mask: &[f64; N]) -> Parts<N> {
        let Parts { re, im } = column;
        Parts {
            re: vector(|i| (re[i] * factor.re - im[i] * factor.im) * mask[i]),
            im: vector(|i| (re[i] * factor.im + im[i] * factor.re) * mask[i]),
        }
    }
    #[inline(always)]
    fn subtract<const N: usize>(column: &mut Parts<N>, factor: Self, other: &Parts<N>) {
        for i in 0..N {
            column.re[i] -= factor.re * other.re[i] - factor.im * other.im[i];
            column.im[i] -= factor.re * other.im[i] + factor.im * other.re[i];
        }
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.re == 0.0 && self.im == 0.0
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// The solution of a x = b, with `a` by rows; `None` if the matrix is singular or not finite.
pub fn solve<const N: usize>(a: [[f64; N]; N], mut b: [f64; N]) -> Option<[f64; N]> {
    let mut lu = Lu::<f64, N>::new();
    let transposed: [[f64; N]; N] = core::array::from_fn(|c| vector(|r| a[r][c]));
    let order: [usize; N] = core::array::from_fn(|i| i);
    let regular = lu.factorise(&order, LARGEST, |columns| *columns = transposed);
    lu.solve(&mut b);
    regular.then_some(b)
}

/// Up to so many rows a matrix is small.
pub(crate) const SMALL: usize = 6;

/// How large a part of what it eliminates a pivot is at least. Errors may grow by the inverse.
type Threshold = f64;
/// The largest is taken.
const LARGEST: Threshold = 1.0;
/// For Newton's method, which does not notice a few wrong digits.
pub(crate) const SPARSE: Threshold = 1e-3;

/// The factors of a matrix by columns, eliminated in some order.
///
/// Columns of both factors are as long as the matrix is high, with zeros where a triangle has none
/// to store: loops of one fixed length are faster than loops half as long on the average.
#[derive(Clone, Debug)]
pub(crate) struct Lu<T: Scalar, const N: usize> {
    order: [usize; N],
    lower: [T::Column<N>; N],
    /// Without its diagonal.
    upper: [T::Column<N>; N],
    /// One by one over the diagonal.
    inverse: [T; N],
    /// The row that changed places with row k when that was eliminated.
    pivots: [usize; N],
}

impl<T: Scalar, const N: usize> Lu<T, N> {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Lu {
            order: [0; N],
            lower: [T::zero(); N],
            upper: [T::zero(); N],
            inverse: [T::ZERO; N],
            pivots: [0; N],
        }
    }

    /// Factorises the matrix whose columns `fill` writes; false if it is singular or not finite.
    #[inline(always)]
    pub(crate) fn factorise(
        &mut self,
        order: &[usize; N],
        threshold: Threshold,
        fill: impl FnOnce(&mut [T::Column<N>; N]),
    ) -> bool {
        let Lu { lower, upper, inverse, pivots, .. } = self;
        self.order = *order;
        fill(upper);
        let mut below = [1.0; N];
        for step in 0..N {
            let k = nth(order, step);
            let Some(best) = pivot::<T, N>(&upper[k], k, &below, threshold) else { return false };
            pivots[k] = best;
            if best != k {
                upper.iter_mut().chain(&mut *lower).for_each(|c| T::swap(c, k, best));
            }
            inverse[k] = T::ONE / T::get(&upper[k], k);
            T::set(&mut upper[k], k, T::ZERO);
            lower[k] = T::scaled(&upper[k], inverse[k], &below);
            upper[k] = T::scaled(&upper[k], T::ONE, &vector(|i| 1.0 - below[i]));
            below[k] = 0.0;
            for later in step + 1..N {
                let j = nth(order, later);
                let factor = T::get(&upper[j], k);
                if !factor.is_zero() {
                    T::subtract(&mut upper[j], factor, &lower[k]);
                }
            }
        }
        true
    }

    /// Solves A x = b in place.
    #[inline(always)]
    pub(crate) fn solve(&self, b: &mut T::Column<N>) {
        for step in 0..N {
            let k = nth(&self.order, step);
            if self.pivots[k] != k {
                T::swap(b, k, self.pivots[k]);
            }
        }
        for step in 0..N {
            let k = nth(&self.order, step);
            let value = T::get(b, k);
            T::subtract(b, value, &self.lower[k]);
        }
        for step in (0..N).rev() {
            let k = nth(&self.order, step);
            let value = T::get(b, k) * self.inverse[k];
            T::set(b, k, value);
            T::subtract(b, value, &self.upper[k]);
        }
    }
}

/// The column to eliminate at that step. Small matrices are eliminated as they are: with places
/// known to the compiler they stay in registers.
#[inline(always)]
fn nth<const N: usize>(order: &[usize; N], step: usize) -> usize {
    if N <= SMALL { step } else { order[step] }
}

/// The row to eliminate column `k` with, among those `below`: its own unless that is far smaller
/// than another, the largest then. Staying on the diagonal keeps zeros where they are.
#[inline(always)]
fn pivot<T: Scalar, const N: usize>(
    column: &T::Column<N>,
    k: usize,
    below: &[f64; N],
    threshold: Threshold,
) -> Option<usize> {
    let size = |i: usize| T::get(column, i).size() * below[i];
    let own = size(k);
    let mut large = true;
    for i in 0..N {
        large &= threshold * size(i) <= own;
    }
    let mut best = k;
    if !large {
        for i in 0..N {
            if size(i) > size(best) {
                best = i;
            }
        }
    }
    (size(best) > 0.0 && size(best).is_finite()).then_some(best)
}

/// An order of elimination in which few zeros are lost: states whose rates depend on few others
/// first. Positions, whose rates are velocities, come first by that.
pub(crate) fn order<const N: usize>(rows: &[[f64; N]; N]) -> [usize; N] {
    let mut order = core::array::from_fn(|i| i);
    order.sort_unstable_by_key(|&i| (rows[i].iter().filter(|x| **x != 0.0).count(), i));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order_of<const N: usize>() -> impl Strategy<Value = [usize; N]> {
        let all: [usize; N] = core::array::from_fn(|i| i);
        Just(all.to_vec()).prop_shuffle().prop_map(move |v| core::array::from_fn(|i| v[i]))
    }

    proptest! {
        #[test]
        fn solving_inverts_multiplication(
            a in prop::array::uniform8(prop::array::uniform8(-1.0f64..1.0)),
            x in prop::array::uniform8(-1.0f64..1.0),
            order in order_of::<8>(),
            threshold in prop_oneof![Just(SPARSE), Just(LARGEST)],
        ) {
            let times = |x: [f64; 8]| -> [f64; 8] {
                core::array::from_fn(|i| (0..8).map(|j| a[j][i] * x[j]).sum())
            };
            let mut b = times(x);
            let mut lu = Lu::<f64, 8>::new();
            let regular = lu.factorise(&order, threshold, |columns| *columns = a);
            prop_assume!(regular);
            lu.solve(&mut b);
            let again = times(core::array::from_fn(|i| b[i] - x[i]));
            prop_assert!(again.iter().all(|r| r.abs() < 1e-13 / threshold));
        }

        #[test]
        fn complex_solving_inverts_multiplication(
            re in prop::array::uniform7(prop::array::uniform7(-1.0f64..1.0)),
            im in prop::array::uniform7(prop::array::uniform7(-1.0f64..1.0)),
            x in prop::array::uniform7(-1.0f64..1.0),
            y in prop::array::uniform7(-1.0f64..1.0),
            order in order_of::<7>(),
            threshold in prop_oneof![Just(SPARSE), Just(LARGEST)],
        ) {
            // Column j is re[j] + i im[j], and the solution x + i y.
            let times = |x: [f64; 7], y: [f64; 7]| Parts::<7> {
                re: core::array::from_fn(|i| (0..7).map(|j| re[j][i] * x[j] - im[j][i] * y[j]).sum()),
                im: core::array::from_fn(|i| (0..7).map(|j| im[j][i] * x[j] + re[j][i] * y[j]).sum()),
            };
            let mut b = times(x, y);
            let mut lu = Lu::<Complex, 7>::new();
            let columns = core::array::from_fn(|j| Parts { re: re[j], im: im[j] });
            let regular = lu.factorise(&order, threshold, |filled| *filled = columns);
            prop_assume!(regular);
            lu.solve(&mut b);
            let again = times(
                core::array::from_fn(|i| b.re[i] - x[i]),
                core::array::from_fn(|i| b.im[i] - y[i]),
            );
            prop_assert!(again.re.iter().chain(&again.im).all(|r| r.abs() < 1e-13 / threshold));
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        assert!(!Lu::<f64, 2>::new().factorise(&[1, 0], SPARSE, |c| *c = [[1.0, 2.0], [2.0, 4.0]]));
        assert!(!Lu::<f64, 1>::new().factorise(&[0], SPARSE, |c| *c = [[f64::NAN]]));
    }
}
