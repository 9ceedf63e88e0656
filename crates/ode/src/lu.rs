//! Gaussian elimination with row pivoting, for real and complex matrices of fixed size.
use core::ops::{Div, Mul, Sub};

/// A complex number; just what elimination needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Sub for Complex {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Complex { re: self.re - o.re, im: self.im - o.im }
    }
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
pub(crate) trait Scalar:
    Copy + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    const ONE: Self;
    /// How large it is, for choosing a pivot.
    fn size(self) -> f64;
}

impl Scalar for f64 {
    const ONE: f64 = 1.0;
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Scalar for Complex {
    const ONE: Self = Complex { re: 1.0, im: 0.0 };
    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// The solution of a x = b; `None` if the matrix is singular or not finite.
pub fn solve<const N: usize>(a: [[f64; N]; N], mut b: [f64; N]) -> Option<[f64; N]> {
    Lu::new(a)?.solve(&mut b);
    Some(b)
}

/// The factors of a matrix, diagonal of U inverted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lu<T, const N: usize> {
    a: [[T; N]; N],
    pivots: [usize; N],
}

impl<T: Scalar, const N: usize> Lu<T, N> {
    /// The factors of `a`; `None` if it is singular or not finite.
    #[inline]
    pub(crate) fn new(mut a: [[T; N]; N]) -> Option<Self> {
        let mut pivots = [0; N];
        for k in 0..N {
            let mut best = k;
            for i in k + 1..N {
                if a[i][k].size() > a[best][k].size() {
                    best = i;
                }
            }
            pivots[k] = best;
            a.swap(k, best);
            let size = a[k][k].size();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            let inverse = T::ONE / a[k][k];
            a[k][k] = inverse;
            let (upper, lower) = a.split_at_mut(k + 1);
            for row in lower {
                let factor = row[k] * inverse;
                row[k] = factor;
                for j in k + 1..N {
                    row[j] = row[j] - factor * upper[k][j];
                }
            }
        }
        Some(Lu { a, pivots })
    }

    /// Solves A x = b in place.
    #[inline]
    pub(crate) fn solve(&self, b: &mut [T; N]) {
        for k in 0..N {
            b.swap(k, self.pivots[k]);
        }
        for i in 1..N {
            let mut sum = b[i];
            for j in 0..i {
                sum = sum - self.a[i][j] * b[j];
            }
            b[i] = sum;
        }
        for i in (0..N).rev() {
            let mut sum = b[i];
            for j in i + 1..N {
                sum = sum - self.a[i][j] * b[j];
            }
            b[i] = sum * self.a[i][i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solving_inverts_multiplication(
            a in prop::array::uniform5(prop::array::uniform5(-1.0f64..1.0)),
            x in prop::array::uniform5(-1.0f64..1.0),
        ) {
            let mut b: [f64; 5] =
                core::array::from_fn(|i| (0..5).map(|j| a[i][j] * x[j]).sum());
            let lu = Lu::new(a).unwrap();
            lu.solve(&mut b);
            let again: [f64; 5] =
                core::array::from_fn(|i| (0..5).map(|j| a[i][j] * (b[j] - x[j])).sum());
            prop_assert!(again.iter().all(|r| r.abs() < 1e-13));
        }

        #[test]
        fn complex_solving_inverts_multiplication(
            re in prop::array::uniform4(prop::array::uniform4(-1.0f64..1.0)),
            im in prop::array::uniform4(prop::array::uniform4(-1.0f64..1.0)),
            x in prop::array::uniform4(-1.0f64..1.0),
        ) {
            let a: [[Complex; 4]; 4] = core::array::from_fn(|i| {
                core::array::from_fn(|j| Complex { re: re[i][j], im: im[i][j] })
            });
            let mut b: [Complex; 4] = core::array::from_fn(|i| Complex {
                re: (0..4).map(|j| re[i][j] * x[j]).sum(),
                im: (0..4).map(|j| im[i][j] * x[j]).sum(),
            });
            Lu::new(a).unwrap().solve(&mut b);
            for i in 0..4 {
                let row = |part: &[[f64; 4]; 4]| (0..4).map(|j| part[i][j] * (b[j].re - x[j])).sum::<f64>();
                prop_assert!(row(&re).abs() < 1e-11 && row(&im).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        assert!(Lu::new([[1.0, 2.0], [2.0, 4.0]]).is_none());
        assert!(Lu::new([[f64::NAN]]).is_none());
    }
}
