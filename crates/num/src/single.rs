use crate::lanes::{Lanes, Mask};
use crate::math;
use crate::real::Real;
use core::array::from_fn;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// `W` numbers of single precision side by side: twice as many to an instruction as [`Lanes`].
///
/// For quadratures that are to be good to a thousandth, inside [`simd::fused`](crate::simd::fused): elsewhere every
/// fused multiplication is a call. [`exp`](Real::exp), [`ln`](Real::ln) and [`powf`](Real::powf) are good to six digits;
/// logarithms and powers are those of numbers from 1e-37 to 1e37, and of 1e-37 for what is less.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Single<const W: usize>(pub [f32; W]);

impl<const W: usize> Single<W> {
    /// Every lane as it is, in double precision.
    #[inline(always)]
    pub fn lanes(self) -> Lanes<W> {
        Lanes(from_fn(|i| f64::from(self.0[i])))
    }

    /// Each lane by a function of double precision, which takes its time.
    #[inline(always)]
    fn one_by_one(self, f: impl Fn(f64) -> f64) -> Self {
        Single(self.0.map(
            #[inline(always)]
            |x| f(f64::from(x)) as f32,
        ))
    }
}

impl<const W: usize> Default for Single<W> {
    fn default() -> Self {
        Single([0.0; W])
    }
}

impl<const W: usize> From<f64> for Single<W> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Single([x as f32; W])
    }
}

impl<const W: usize> From<Lanes<W>> for Single<W> {
    #[inline(always)]
    fn from(x: Lanes<W>) -> Self {
        Single(from_fn(|i| x.0[i] as f32))
    }
}

impl<const W: usize> Neg for Single<W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Single(self.0.map(|x| -x))
    }
}

macro_rules! lanewise {
    ($($Op:ident $op:ident),*) => {$(
        impl<const W: usize> $Op for Single<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: Self) -> Self {
                Single(from_fn(|i| $Op::$op(self.0[i], rhs.0[i])))
            }
        }
        impl<const W: usize> $Op<f64> for Single<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: f64) -> Self {
                $Op::$op(self, Self::from(rhs))
            }
        }
    )*};
}
lanewise!(Add add, Sub sub, Mul mul, Div div);

impl<const W: usize> AddAssign for Single<W> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl<const W: usize> Real for Single<W> {
    const LANES: usize = W;
    const EPSILON: f64 = f32::EPSILON as f64;
    type Mask = Mask<W, u32>;

    #[inline(always)]
    fn abs(self) -> Self {
        Single(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Single(self.0.map(math::sqrt_single))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        ln(self)
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        exp(ln(self) * e)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.one_by_one(math::sin)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.one_by_one(math::cos)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        self.one_by_one(math::atan)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.one_by_one(math::floor)
    }
    #[inline(always)]
    fn lt(self, rhs: Self) -> Self::Mask {
        Mask::from_fn(|i| self.0[i] < rhs.0[i])
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> Self::Mask {
        Mask::from_fn(|i| self.0[i] <= rhs.0[i])
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Single(from_fn(|i| {
            let m = mask.bits(i);
            f32::from_bits((yes.0[i].to_bits() & m) | (no.0[i].to_bits() & !m))
        }))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Single(from_fn(|i| math::fma_single(self.0[i], a.0[i], b.0[i])))
    }
    /// Written as processors compare: one instruction.
    #[inline(always)]
    fn max(self, rhs: Self) -> Self {
        let (a, b) = (self.0, rhs.0);
        Single(from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] }))
    }
    #[inline(always)]
    fn min(self, rhs: Self) -> Self {
        let (a, b) = (self.0, rhs.0);
        Single(from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] }))
    }
}

/// Adding 3·2²² rounds to an integer and leaves it in the low bits.
const ROUND: f64 = 12_582_912.0;

/// eˣ, x = n ln 2 + r, by the Taylor series to r⁶: 1.5e-7, and what single precision makes of x. Beyond ±87 it stays
/// what it is there.
#[inline(always)]
fn exp<const W: usize>(x: Single<W>) -> Single<W> {
    let x = x.max(Single::from(-87.0)).min(Single::from(87.0));
    let rounded = x.mul_add(core::f64::consts::LOG2_E.into(), ROUND.into());
    let r = (rounded - ROUND).mul_add((-core::f64::consts::LN_2).into(), x);
    let (r2, one) = (r * r, Single::from(1.0));
    let pair = |low: f64, high: f64| r.mul_add(Single::from(1.0 / high), Single::from(1.0 / low));
    let high = r2.mul_add(Single::from(1.0 / 720.0), pair(24.0, 120.0));
    let p = (r2 * r2).mul_add(high, r2.mul_add(pair(2.0, 6.0), r + one));
    // 2ⁿ, added to the exponent.
    Single(from_fn(|i| f32::from_bits(p.0[i].to_bits().wrapping_add(rounded.0[i].to_bits() << 23))))
}

/// ln x = k ln 2 + 2 artanh s, s = (m − 1)/(m + 1), m in [√½, √2), by the series to s⁷: 3e-8.
#[inline(always)]
fn ln<const W: usize>(x: Single<W>) -> Single<W> {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let x = x.max(Single::from(1e-37));
    let exponent = |x: f32| x.to_bits().wrapping_sub(SQRT_HALF) & 0xff80_0000;
    let k = Single(x.0.map(
        #[inline(always)]
        |x| (exponent(x).cast_signed() >> 23) as f32,
    ));
    let m = Single(x.0.map(
        #[inline(always)]
        |x| f32::from_bits(x.to_bits().wrapping_sub(exponent(x))),
    ));
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let pair = |low: f64, high: f64| s2.mul_add(Single::from(2.0 / high), Single::from(2.0 / low));
    let series = pair(5.0, 7.0).mul_add(s2 * s2, pair(1.0, 3.0));
    k.mul_add(core::f64::consts::LN_2.into(), s * series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn off(ours: Single<8>, exact: f64) -> f64 {
        (f64::from(ours.0[0]) / exact - 1.0).abs()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn exp_has_six_digits(x in -80.0..80.0f64) {
            let x = f64::from(x as f32);
            prop_assert!(off(Single::from(x).exp(), x.exp()) < 3e-7 + 4e-8 * x.abs());
        }

        #[test]
        fn powers_have_six_digits(x in 1e-3..1.0f64, d in -10i32..3, e in 0.05..20.0f64) {
            let x = f64::from((x * 10f64.powi(d)) as f32);
            let (ours, exact) = (Single::<8>::from(x).powf(e.into()), x.powf(e));
            // xᵉ = exp(e ln x): ln 2, e, ln x, their product and exp's reduction each round once, half a unit of 2⁻²³.
            let rounding = 5.0 * f64::from(f32::EPSILON) / 2.0;
            // Powers that the exponential's end cuts off are as good as nothing.
            match exact > 1e-34 && exact < 1e34 {
                true => prop_assert!(off(ours, exact) < 5e-7 + rounding * (e * x.ln()).abs()),
                false => prop_assert!(ours.0[0] < 1.1e-34 || ours.0[0] > 0.9e34),
            }
        }

        #[test]
        fn the_rest_is_that_of_single_precision(x in -9.0..9.0f32, y in 0.1..9.0f32) {
            let (a, b) = (Single([x; 8]), Single([y; 8]));
            prop_assert_eq!((a + b).0[0], x + y);
            prop_assert_eq!((a / b).0[0], x / y);
            prop_assert_eq!((a * 3.0 - b).0[7], x * 3.0 - y);
            prop_assert_eq!(b.sqrt().0[3], y.sqrt());
            prop_assert_eq!(a.max(b).0[1], x.max(y));
            prop_assert_eq!(a.floor().0[2], x.floor());
            prop_assert_eq!(Single::select(a.lt(b), a, b).0[5], x.min(y));
            prop_assert!((f64::from(a.sin().0[0]) - f64::from(x).sin()).abs() < 1e-7);
            prop_assert!((f64::from(b.ln().0[0]) - f64::from(y).ln()).abs() < 3e-7);
        }
    }

    #[test]
    fn ends_are_what_they_are_near() {
        assert!(Single::<8>::from(0.0).powf(Single::from(0.6)).0[0] < 1e-21);
        assert!(Single::<8>::from(-1e9).exp().0[0] < 1e-37);
        assert_eq!(Single::<8>::from(0.0).exp().0[0], 1.0);
    }
}
