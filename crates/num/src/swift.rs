use crate::lanes::{Lanes, Mask};
use crate::math::fma;
use crate::real::Real;
use core::array::from_fn;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// [`Lanes`] whose [`exp`](Real::exp) and [`powf`](Real::powf) are good to nine digits and take half the time.
///
/// For quadratures that are themselves off by far more, inside [`simd::fused`](crate::simd::fused): elsewhere every
/// fused multiplication is a call. Every other operation is that of [`Lanes`]. Powers are those of numbers from
/// 1e-300 to 1e300, and 0 of what is less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Swift<const W: usize>(pub Lanes<W>);

impl<const W: usize> From<f64> for Swift<W> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Swift(Lanes::from(x))
    }
}

impl<const W: usize> Neg for Swift<W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Swift(-self.0)
    }
}

macro_rules! as_lanes {
    ($($Op:ident $op:ident),*) => {$(
        impl<const W: usize> $Op for Swift<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: Self) -> Self {
                Swift($Op::$op(self.0, rhs.0))
            }
        }
        impl<const W: usize> $Op<f64> for Swift<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: f64) -> Self {
                Swift($Op::$op(self.0, rhs))
            }
        }
    )*};
}
as_lanes!(Add add, Sub sub, Mul mul, Div div);

impl<const W: usize> AddAssign for Swift<W> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl<const W: usize> Real for Swift<W> {
    const LANES: usize = W;
    type Mask = Mask<W>;

    #[inline(always)]
    fn abs(self) -> Self {
        Swift(self.0.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Swift(self.0.sqrt())
    }
    #[inline(always)]
    fn exp(self) -> Self {
        exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Swift(self.0.ln())
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        exp(ln(self) * e)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Swift(self.0.sin())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Swift(self.0.cos())
    }
    #[inline(always)]
    fn atan(self) -> Self {
        Swift(self.0.atan())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Swift(self.0.floor())
    }
    #[inline(always)]
    fn lt(self, rhs: Self) -> Mask<W> {
        self.0.lt(rhs.0)
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> Mask<W> {
        self.0.le(rhs.0)
    }
    #[inline(always)]
    fn select(mask: Mask<W>, yes: Self, no: Self) -> Self {
        Swift(Lanes::select(mask, yes.0, no.0))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Swift(Lanes(from_fn(|i| fma(self.0.0[i], a.0.0[i], b.0.0[i]))))
    }
    /// Written as processors compare: one instruction.
    #[inline(always)]
    fn max(self, rhs: Self) -> Self {
        let (a, b) = (self.0.0, rhs.0.0);
        Swift(Lanes(from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })))
    }
    #[inline(always)]
    fn min(self, rhs: Self) -> Self {
        let (a, b) = (self.0.0, rhs.0.0);
        Swift(Lanes(from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })))
    }
}

/// Adding 3·2⁵¹ rounds to an integer and leaves it in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// eˣ, x = n ln 2 + r, by the Taylor series to r⁸: 2e-10. Beyond ±700 it stays what it is there.
#[inline(always)]
fn exp<const W: usize>(x: Swift<W>) -> Swift<W> {
    let x = x.max(Swift::from(-700.0)).min(Swift::from(700.0));
    let rounded = x.mul_add(core::f64::consts::LOG2_E.into(), ROUND.into());
    let r = (rounded - ROUND).mul_add((-core::f64::consts::LN_2).into(), x);
    // By Estrin's scheme, whose steps wait less for each other than Horner's.
    let (r2, one) = (r * r, Swift::from(1.0));
    let r4 = r2 * r2;
    let pair = |low: f64, high: f64| r.mul_add(Swift::from(1.0 / high), Swift::from(1.0 / low));
    let top = r2.mul_add(Swift::from(1.0 / 40_320.0), pair(720.0, 5_040.0));
    let high = r2.mul_add(top, pair(24.0, 120.0));
    let p = r4.mul_add(high, r2.mul_add(pair(2.0, 6.0), r + one));
    // 2ⁿ, added to the exponent.
    Swift(Lanes(from_fn(|i| {
        f64::from_bits(p.0.0[i].to_bits().wrapping_add(rounded.0.0[i].to_bits() << 52))
    })))
}

/// ln x = k ln 2 + 2 artanh s, s = (m − 1)/(m + 1), m in [√½, √2), by the series to s¹¹: 1e-10.
#[inline(always)]
fn ln<const W: usize>(x: Swift<W>) -> Swift<W> {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2⁵² and the bits of it: a small integer in the low bits becomes a number.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let x = x.max(Swift::from(1e-300));
    let exponent = |x: f64| x.to_bits().wrapping_sub(SQRT_HALF) & 0xfff0_0000_0000_0000;
    let k = Swift(Lanes(x.0.0.map(
        #[inline(always)]
        |x| f64::from_bits(((exponent(x) >> 52) ^ 0x800) | WHOLE.to_bits()),
    ))) - (WHOLE + 2048.0);
    let m = Swift(Lanes(x.0.0.map(
        #[inline(always)]
        |x| f64::from_bits(x.to_bits().wrapping_sub(exponent(x))),
    )));
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let s4 = s2 * s2;
    let pair = |low: f64, high: f64| s2.mul_add(Swift::from(2.0 / high), Swift::from(2.0 / low));
    let series = pair(9.0, 11.0).mul_add(s4, pair(5.0, 7.0)).mul_add(s4, pair(1.0, 3.0));
    k.mul_add(core::f64::consts::LN_2.into(), s * series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn off(ours: Swift<4>, exact: f64) -> f64 {
        (ours.0.0[0] / exact - 1.0).abs()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn exp_has_nine_digits(x in -690.0..690.0f64) {
            prop_assert!(off(Swift::from(x).exp(), x.exp()) < 4e-10);
        }

        #[test]
        fn powers_have_nine_digits(x in 1e-3..1.0f64, d in -20i32..3, e in 0.05..20.0f64) {
            let x = x * 10f64.powi(d);
            let (ours, exact) = (Swift::<4>::from(x).powf(e.into()), x.powf(e));
            // Powers that the exponential's end cuts off are as good as nothing.
            match exact > 1e-300 {
                true => prop_assert!(off(ours, exact) < 1e-9 * (1.0 + 0.2 * e)),
                false => prop_assert!((0.0..1.1e-300).contains(&ours.0.0[0])),
            }
        }
    }

    #[test]
    fn ends_are_what_they_are_near() {
        assert!(Swift::<4>::from(0.0).powf(Swift::from(0.6)).0.0[0] < 1e-170);
        assert!(Swift::<4>::from(-1e9).exp().0.0[0] < 1e-300);
        assert_eq!(Swift::<4>::from(0.0).exp().0.0[0], 1.0);
        assert_eq!(Swift::<4>::from(2.0).max(Swift::from(3.0)), Swift::from(3.0));
    }
}
