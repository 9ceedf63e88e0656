use crate::Real;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A value and its `N` first derivatives, over any other real.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const N: usize> {
    /// The value.
    pub re: T,
    /// Its derivatives in the `N` directions that were seeded.
    pub eps: [T; N],
}

/// `f(0)`, `f(1)`, …, by a plain loop, which compilers turn into wide instructions more readily
/// than `array::from_fn` and `map`.
#[inline(always)]
fn each<T: Real, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [T::from(0.0); N];
    let mut i = 0;
    while i < N {
        all[i] = f(i);
        i += 1;
    }
    all
}

impl<T: Real, const N: usize> Dual<T, N> {
    /// The `i`-th independent variable, at `re`.
    #[inline(always)]
    pub fn variable(re: T, i: usize) -> Self {
        Dual { re, eps: each(|j| T::from(if i == j { 1.0 } else { 0.0 })) }
    }

    /// A constant: all derivatives are zero.
    #[inline(always)]
    pub fn constant(re: T) -> Self {
        Dual { re, eps: [T::from(0.0); N] }
    }

    /// `f(self)`, given `f` and `f'` at the value.
    #[inline(always)]
    fn chain(self, f: T, df: T) -> Self {
        Dual { re: f, eps: each(|i| self.eps[i] * df) }
    }
}

impl<T: Real, const N: usize> Default for Dual<T, N> {
    fn default() -> Self {
        Dual::from(0.0)
    }
}

impl<T: Real, const N: usize> From<f64> for Dual<T, N> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Dual::constant(x.into())
    }
}

impl<T: Real, const N: usize> Neg for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: each(|i| -self.eps[i]) }
    }
}

impl<T: Real, const N: usize> Add for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Dual { re: self.re + b.re, eps: each(|i| self.eps[i] + b.eps[i]) }
    }
}

impl<T: Real, const N: usize> Sub for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Dual { re: self.re - b.re, eps: each(|i| self.eps[i] - b.eps[i]) }
    }
}

impl<T: Real, const N: usize> Mul for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Dual { re: self.re * b.re, eps: each(|i| self.eps[i] * b.re + self.re * b.eps[i]) }
    }
}

impl<T: Real, const N: usize> Div for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let re = self.re / b.re;
        Dual { re, eps: each(|i| (self.eps[i] - re * b.eps[i]) / b.re) }
    }
}

impl<T: Real, const N: usize> Add<f64> for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: f64) -> Self {
        Dual { re: self.re + b, ..self }
    }
}

impl<T: Real, const N: usize> Sub<f64> for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: f64) -> Self {
        Dual { re: self.re - b, ..self }
    }
}

impl<T: Real, const N: usize> Mul<f64> for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: f64) -> Self {
        Dual { re: self.re * b, eps: each(|i| self.eps[i] * b) }
    }
}

impl<T: Real, const N: usize> Div<f64> for Dual<T, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: f64) -> Self {
        Dual { re: self.re / b, eps: each(|i| self.eps[i] / b) }
    }
}

impl<T: Real, const N: usize> AddAssign for Dual<T, N> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl<T: Real, const N: usize> Real for Dual<T, N> {
    const LANES: usize = T::LANES;
    const EPSILON: f64 = T::EPSILON;
    type Mask = T::Mask;

    #[inline(always)]
    fn number(self) -> f64 {
        self.re.number()
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::select(self.lt(0.0.into()), -self, self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let (r, zero) = (self.re.sqrt(), T::from(0.0));
        self.chain(r, T::select(r.gt(zero), T::from(0.5) / r, zero))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::from(1.0) / self.re)
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        // d(xᵉ) = e xᵉ⁻¹ dx + xᵉ ln x de; at x = 0 the first factor is 1 for e = 1, and neither
        // an infinite one nor 0·ln 0 is let through.
        let (x, zero) = (self.re, T::from(0.0));
        let f = x.powf(e.re);
        let plain = e.re.le(T::from(1.0)) & T::from(1.0).le(e.re);
        let at_zero = T::select(plain, T::from(1.0), zero);
        let df_dx = T::select(x.gt(zero), e.re * f / x, at_zero);
        if e.eps == [zero; N] {
            return self.chain(f, df_dx);
        }
        let df_de = T::select(x.gt(zero), f * x.ln(), zero);
        Dual { re: f, eps: each(|i| df_dx * self.eps[i] + df_de * e.eps[i]) }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(self.re.sin(), self.re.cos())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(self.re.cos(), -self.re.sin())
    }
    #[inline(always)]
    fn atan(self) -> Self {
        self.chain(self.re.atan(), T::from(1.0) / (self.re * self.re + 1.0))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Dual::constant(self.re.floor())
    }
    #[inline(always)]
    fn lt(self, rhs: Self) -> T::Mask {
        self.re.lt(rhs.re)
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> T::Mask {
        self.re.le(rhs.re)
    }
    #[inline(always)]
    fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Dual {
            re: T::select(mask, yes.re, no.re),
            eps: each(|i| T::select(mask, yes.eps[i], no.eps[i])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;
    use proptest::prelude::*;

    type D = Dual<f64, 2>;

    /// A formula that uses every operation, with parameters that keep it smooth.
    fn formula<S: Real>(x: S, y: S) -> S {
        let a = (x * y + 2.0).sqrt() / (y - 5.0) * 3.0;
        let b = (-(x.abs() + 0.5).powf(y) / 2.0).exp();
        let a = a + (x * y).sin() * (x - y).cos() + (x / y).atan();
        a + b.max((x + 3.0).ln()) - x.hypot(y).min(S::from(2.0)) + x.floor()
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_central_differences(x in 0.1f64..0.9, y in 0.2f64..3.0) {
            let d = formula(D::variable(x, 0), D::variable(y, 1));
            let h = 1e-6;
            let dx = (formula(x + h, y) - formula(x - h, y)) / (2.0 * h);
            let dy = (formula(x, y + h) - formula(x, y - h)) / (2.0 * h);
            prop_assume!((x.hypot(y) - 2.0).abs() > 1e-3);
            prop_assert!((d.eps[0] - dx).abs() < 1e-7 * (1.0 + dx.abs()), "{} {}", d.eps[0], dx);
            prop_assert!((d.eps[1] - dy).abs() < 1e-7 * (1.0 + dy.abs()), "{} {}", d.eps[1], dy);
        }

        /// A dual of lanes is a lane of duals, up to the lanes' own `exp`.
        #[test]
        fn duals_of_lanes_are_lanes_of_duals(
            x in prop::array::uniform4(0.1f64..0.9), y in prop::array::uniform4(0.2f64..3.0),
        ) {
            type L = Dual<Lanes<4>, 2>;
            let d = formula(L::variable(Lanes(x), 0), L::variable(Lanes(y), 1));
            for i in 0..4 {
                let one = formula(D::variable(x[i], 0), D::variable(y[i], 1));
                prop_assert!((d.re.0[i] - one.re).abs() < 1e-14);
                for k in 0..2 {
                    prop_assert!((d.eps[k].0[i] - one.eps[k]).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn jacobians_stay_finite_where_a_root_has_infinite_slope() {
        let x = D::variable(0.0, 0);
        assert_eq!(x.sqrt().eps, [0.0; 2]);
        assert_eq!(x.powf(0.6.into()).eps, [0.0; 2]);
        assert_eq!(x.powf(1.0.into()).eps, [1.0, 0.0]);
        assert_eq!(x.powf(2.0.into()).eps, [0.0; 2]);
        assert_eq!(x.powf(D::variable(0.6, 1)).eps, [0.0; 2]);
    }
}
