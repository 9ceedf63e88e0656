use crate::real::{Logic, Real};
use core::array::from_fn;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// `W` independent evaluations side by side.
///
/// Plain arrays whose loops the compiler turns into SIMD instructions of whatever width the
/// surrounding code may use: SSE2 by default on x86-64, AVX2 inside
/// [`simd::widest`](crate::simd::widest). Every operation but [`exp`](Real::exp) gives each lane
/// the bits that `f64` would give.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes<const W: usize>(pub [f64; W]);

/// Truth values of [`Lanes`]: all bits set where it holds, none where it does not, so that a
/// selection is three bit operations on a whole vector.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Mask<const W: usize>([u64; W]);

impl<const W: usize> Mask<W> {
    /// The mask whose `i`-th lane is `f(i)`.
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize) -> bool) -> Self {
        Mask(from_fn(|i| if f(i) { u64::MAX } else { 0 }))
    }
    /// Whether it holds in lane `i`.
    #[inline(always)]
    pub fn lane(&self, i: usize) -> bool {
        self.0[i] != 0
    }
}

impl<const W: usize> BitAnd for Mask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, rhs: Self) -> Self {
        Mask(from_fn(|i| self.0[i] & rhs.0[i]))
    }
}

impl<const W: usize> BitOr for Mask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, rhs: Self) -> Self {
        Mask(from_fn(|i| self.0[i] | rhs.0[i]))
    }
}

impl<const W: usize> Not for Mask<W> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask(self.0.map(|m| !m))
    }
}

impl<const W: usize> Logic for Mask<W> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        Mask::from_fn(|_| value)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |a, m| a | m) != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().fold(u64::MAX, |a, m| a & m) != 0
    }
}

impl<const W: usize> Default for Lanes<W> {
    fn default() -> Self {
        Lanes([0.0; W])
    }
}

impl<const W: usize> From<f64> for Lanes<W> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Lanes([x; W])
    }
}

impl<const W: usize> Neg for Lanes<W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(self.0.map(|x| -x))
    }
}

macro_rules! lanewise {
    ($($Op:ident $op:ident),*) => {$(
        impl<const W: usize> $Op for Lanes<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: Self) -> Self {
                Lanes(from_fn(|i| $Op::$op(self.0[i], rhs.0[i])))
            }
        }
        impl<const W: usize> $Op<f64> for Lanes<W> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: f64) -> Self {
                Lanes(self.0.map(|x| $Op::$op(x, rhs)))
            }
        }
    )*};
}
lanewise!(Add add, Sub sub, Mul mul, Div div);

impl<const W: usize> AddAssign for Lanes<W> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl<const W: usize> Real for Lanes<W> {
    type Mask = Mask<W>;

    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.map(Real::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(self.0.map(Real::sqrt))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Lanes(self.0.map(Real::ln))
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        if Mask::<W>::from_fn(|i| e.0[i] == 2.0).all() {
            self * self
        } else if Mask::<W>::from_fn(|i| e.0[i] == 1.0).all() {
            self
        } else {
            Lanes(from_fn(|i| Real::powf(self.0[i], e.0[i])))
        }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Lanes(self.0.map(Real::sin))
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Lanes(self.0.map(Real::cos))
    }
    #[inline(always)]
    fn atan(self) -> Self {
        Lanes(self.0.map(Real::atan))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Lanes(self.0.map(Real::floor))
    }
    #[inline(always)]
    fn lt(self, rhs: Self) -> Mask<W> {
        Mask::from_fn(|i| self.0[i] < rhs.0[i])
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> Mask<W> {
        Mask::from_fn(|i| self.0[i] <= rhs.0[i])
    }
    #[inline(always)]
    fn select(mask: Mask<W>, yes: Self, no: Self) -> Self {
        Lanes(from_fn(|i| {
            let m = mask.0[i];
            f64::from_bits((yes.0[i].to_bits() & m) | (no.0[i].to_bits() & !m))
        }))
    }
}

/// eˣ in every lane, within 1 ulp of the correctly rounded value over the whole range.
///
/// x = n ln 2 + r with |r| ≤ ln 2 / 2 (Cody and Waite: n·`LN2_HI` is exact, so r carries no
/// error of the product); eʳ = 1 + r + r²·q(r), the Taylor series to r¹³, whose truncation is
/// below 2⁻⁵⁹; then 2ⁿ in two factors, which reaches the subnormals with a single rounding.
/// No fused multiply-add, no table: the same bits on every machine, and every step vectorises
/// with SSE2 as with AVX2.
#[inline(always)]
fn exp<const W: usize>(x: Lanes<W>) -> Lanes<W> {
    /// Adding 3·2⁵¹ rounds to an integer and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// ln 2 to 33 bits, and the rest of it.
    const LN2_HI: f64 = 0.693_147_180_369_123_8;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    /// Beyond overflow, and beyond a result of zero.
    const MAX: f64 = 710.0;
    const MIN: f64 = -746.0;
    /// 1/13!, 1/12!, …, 1/2!
    const Q: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    #[inline(always)]
    fn power_of_two<const W: usize>(rounded: Lanes<W>) -> Lanes<W> {
        Lanes(rounded.0.map(|t| f64::from_bits((t.to_bits() << 52).wrapping_add(1023 << 52))))
    }

    // Beyond these ends the two factors below overflow or underflow of themselves. A NaN passes.
    let x = x.max(Lanes::from(MIN)).min(Lanes::from(MAX));

    let n = (x * core::f64::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - n * LN2_HI) - n * LN2_LO;
    // q by Estrin's scheme: a third of the latency of Horner's, and latency is what limits a loop
    // whose body nearly fills the processor's window.
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let pair = |i: usize| r * Q[i - 1] + Q[i];
    let (p0, p2, p4, p6, p8, p10) = (pair(11), pair(9), pair(7), pair(5), pair(3), pair(1));
    let (q0, q4, q8) = (r2 * p2 + p0, r2 * p6 + p4, r2 * p10 + p8);
    let q = r8 * q8 + (r4 * q4 + q0);
    let p = (r + r2 * q) + 1.0;
    let half = n * 0.5 + ROUND;
    let rest = (n - (half - ROUND)) + ROUND;
    p * power_of_two(half) * power_of_two(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Units in the last place between two results of the same sign.
    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    /// The reference is within 0.52 ulp of the true value, so a difference of 1 is an error below 2.
    fn check(x: f64) {
        let (ours, reference) = (Lanes([x; 4]).exp().0[0], crate::math::exp(x));
        if reference.is_nan() {
            assert!(ours.is_nan(), "exp({x}) = {ours}");
        } else {
            assert!(ulps(ours, reference) <= 1, "exp({x:e}) = {ours:e}, not {reference:e}");
        }
    }

    #[test]
    fn exp_is_right_at_the_ends_of_its_range() {
        for x in [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN,
            709.782_712_893_384,
            709.782_712_893_384_1,
            709.8,
            -708.396_418_532_264_1,
            -708.4,
            -740.0,
            -744.44,
            -745.133_219_101_941_1,
            -745.133_219_101_941_2,
            -746.0,
        ] {
            check(x);
        }
        assert_eq!(Lanes([709.782_712_893_384_1; 2]).exp().0[0], f64::INFINITY);
        assert_eq!(Lanes([-745.2; 2]).exp().0[0], 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200_000))]

        #[test]
        fn exp_is_right_over_its_whole_range(x in -746.0..710.0) {
            check(x);
        }

        #[test]
        fn exp_is_right_near_zero(x in -1.0f64..1.0, e in 0i32..300) {
            check(x * 10f64.powi(-e));
        }
    }

    proptest! {
        #[test]
        fn every_operation_but_exp_has_the_bits_of_f64(
            a in prop::array::uniform4(-1e3..1e3), b in prop::array::uniform4(-1e3..1e3),
            e in 0.1..3.0,
        ) {
            let (x, y) = (Lanes(a), Lanes(b));
            for i in 0..4 {
                let (p, q) = (a[i], b[i]);
                prop_assert_eq!((x + y).0[i], p + q);
                prop_assert_eq!((x - y).0[i], p - q);
                prop_assert_eq!((x * y).0[i], p * q);
                prop_assert_eq!((x / y).0[i], p / q);
                prop_assert_eq!((x * 3.0 - 1.0).0[i], p * 3.0 - 1.0);
                prop_assert_eq!(x.max(y).0[i], Real::max(p, q));
                prop_assert_eq!(x.floor().0[i], p.floor());
                prop_assert_eq!(x.sign().0[i], Real::sign(p));
                prop_assert_eq!((x.sin().0[i], x.cos().0[i]), (p.sin(), p.cos()));
                prop_assert_eq!(x.atan().0[i], p.atan());
                prop_assert_eq!(x.hypot(y).0[i], Real::hypot(p, q));
                prop_assert_eq!(x.abs().sqrt().0[i], p.abs().sqrt());
                prop_assert_eq!(x.abs().ln().0[i], p.abs().ln());
                for e in [1.0, 2.0, e] {
                    prop_assert_eq!(x.abs().powf(e.into()).0[i], Real::powf(p.abs(), e));
                }
                prop_assert_eq!(x.lt(y).lane(i), p < q);
            }
        }
    }
}
