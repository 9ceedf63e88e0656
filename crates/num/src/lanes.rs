use crate::real::{Logic, Real};
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// `W` independent evaluations side by side.
///
/// Plain arrays whose loops the compiler turns into SIMD instructions of whatever width the
/// surrounding code may use: SSE2 by default on x86-64, AVX2 inside
/// [`simd::widest`](crate::simd::widest). Every operation but [`exp`](Real::exp) and
/// [`powf`](Real::powf) gives each lane the bits that `f64` would give.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes<const W: usize>(pub [f64; W]);

/// `f(0)`, `f(1)`, …, by a plain loop: `array::from_fn`, `map` and iterators are not always inlined, and then are no vector
/// instructions.
#[inline(always)]
fn from_fn<T: Copy + Default, const W: usize>(f: impl Fn(usize) -> T) -> [T; W] {
    let mut all = [T::default(); W];
    let mut i = 0;
    while i < W {
        all[i] = f(i);
        i += 1;
    }
    all
}

/// Truth values of [`Lanes`]: all bits set where it holds, none where it does not, so that a
/// selection is three bit operations on a whole vector. `T` is as wide as the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Mask<const W: usize, T = u64>([T; W]);

/// As many bits as a number has.
pub trait Bits:
    Copy
    + core::fmt::Debug
    + Default
    + PartialEq
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
{
}
impl Bits for u32 {}
impl Bits for u64 {}

impl<const W: usize, T: Bits> Mask<W, T> {
    /// The mask whose `i`-th lane is `f(i)`.
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize) -> bool) -> Self {
        Mask(from_fn(|i| if f(i) { !T::default() } else { T::default() }))
    }
    /// Whether it holds in lane `i`.
    #[inline(always)]
    pub fn lane(&self, i: usize) -> bool {
        self.0[i] != T::default()
    }
    /// All bits of lane `i`.
    #[inline(always)]
    pub(crate) fn bits(&self, i: usize) -> T {
        self.0[i]
    }
}

impl<const W: usize, T: Bits> BitAnd for Mask<W, T> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, rhs: Self) -> Self {
        Mask(from_fn(|i| self.0[i] & rhs.0[i]))
    }
}

impl<const W: usize, T: Bits> BitOr for Mask<W, T> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, rhs: Self) -> Self {
        Mask(from_fn(|i| self.0[i] | rhs.0[i]))
    }
}

impl<const W: usize, T: Bits> Not for Mask<W, T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask(from_fn(|i| !self.0[i]))
    }
}

impl<const W: usize, T: Bits> Logic for Mask<W, T> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        Mask::from_fn(|_| value)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(T::default(), |a, m| a | *m) != T::default()
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().fold(!T::default(), |a, m| a & *m) != T::default()
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

impl<const W: usize> Lanes<W> {
    /// A function of each lane.
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i])))
    }
}

impl<const W: usize> Neg for Lanes<W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(|x| -x)
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
                self.each(|x| $Op::$op(x, rhs))
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
    const LANES: usize = W;
    type Mask = Mask<W>;

    #[inline(always)]
    fn number(self) -> f64 {
        self.0[0]
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.each(Real::abs)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(Real::sqrt)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.each(Real::ln)
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        if Mask::<W>::from_fn(|i| e.0[i] == 2.0).all() {
            self * self
        } else if Mask::<W>::from_fn(|i| e.0[i] == 1.0).all() {
            self
        } else {
            pow(self, e)
        }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.each(Real::sin)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.each(Real::cos)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        self.each(Real::atan)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.each(Real::floor)
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
            let m = mask.bits(i);
            f64::from_bits((yes.0[i].to_bits() & m) | (no.0[i].to_bits() & !m))
        }))
    }
}

/// Adding 3·2⁵¹ rounds to an integer and leaves it in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 to 33 bits, and the rest of it.
const LN2_HI: f64 = 0.693_147_180_369_123_8;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// eˣ in every lane, within 1 ulp of the correctly rounded value over the whole range.
///
/// x = n ln 2 + r with |r| ≤ ln 2 / 2 (Cody and Waite: n·`LN2_HI` is exact, so r carries no
/// error of the product); eʳ = 1 + r + r²·q(r), the Taylor series to r¹³, whose truncation is
/// below 2⁻⁵⁹; then 2ⁿ in two factors, which reaches the subnormals with a single rounding.
/// No fused multiply-add, no table: the same bits on every machine, and every step vectorises
/// with SSE2 as with AVX2.
#[inline(always)]
fn exp<const W: usize>(x: Lanes<W>) -> Lanes<W> {
    /// Beyond overflow, and beyond a result of zero.
    const MAX: f64 = 710.0;
    const MIN: f64 = -746.0;
    // Beyond these ends the two factors below overflow or underflow of themselves. A NaN passes.
    let x = x.max(Lanes::from(MIN)).min(Lanes::from(MAX));
    let (p, n) = exp_parts(x);
    let half = n * 0.5 + ROUND;
    let rest = (n - (half - ROUND)) + ROUND;
    p * power_of_two(half) * power_of_two(rest)
}

/// eˣ for |x| ≤ 700, where 2ⁿ is one factor.
#[inline(always)]
fn exp_inside<const W: usize>(x: Lanes<W>) -> Lanes<W> {
    let (p, n) = exp_parts(x);
    p * power_of_two(n + ROUND)
}

/// 2ⁿ of the integer that adding [`ROUND`] left in the low bits.
#[inline(always)]
fn power_of_two<const W: usize>(rounded: Lanes<W>) -> Lanes<W> {
    rounded.each(|t| f64::from_bits((t.to_bits() << 52).wrapping_add(1023 << 52)))
}

/// eʳ and n of x = n ln 2 + r.
#[inline(always)]
fn exp_parts<const W: usize>(x: Lanes<W>) -> (Lanes<W>, Lanes<W>) {
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
    ((r + r2 * q) + 1.0, n)
}

/// xᵉ = exp(e ln x) in every lane, for x ≥ 0, within 3 + |e| ulp.
///
/// ln x in two parts, of which the first has 26 bits, so that its product with the upper half of e is
/// exact; what exp does not see of the sum is multiplied on afterwards.
#[inline(always)]
fn pow<const W: usize>(x: Lanes<W>, e: Lanes<W>) -> Lanes<W> {
    // Where every lane is far from the ends of all ranges, which is the rule, no end is looked at.
    let (y, rest) = scaled_ln(ln_parts(x, Lanes::from(0.0)), e);
    let far = x.gt(Lanes::from(1e-300)) & x.lt(Lanes::from(1e300)) & y.abs().lt(Lanes::from(700.0));
    let exact = Mask::from_fn(|i| e.0[i] == 1.0 || e.0[i] == 2.0);
    if (far & !exact).all() {
        return exp_inside(y) * (rest + 1.0);
    }
    pow_to_the_ends(x, e)
}

/// [`pow`] over its whole range.
#[inline(never)]
fn pow_to_the_ends<const W: usize>(x: Lanes<W>, e: Lanes<W>) -> Lanes<W> {
    let (zero, one, inf) = (Lanes::from(0.0), Lanes::from(1.0), Lanes::from(f64::INFINITY));
    let subnormal = x.lt(Lanes::from(f64::MIN_POSITIVE));
    let doublings = Lanes::select(subnormal, Lanes::from(54.0), zero);
    let normal = Lanes::select(subnormal, x * 18_014_398_509_481_984.0, x);
    let (y, rest) = scaled_ln(ln_parts(normal, doublings), e);
    // Beyond the ends of exp the rest is of no account, and may be the difference of infinities.
    let inside = y.abs().lt(Lanes::from(746.0));
    let power = exp(y) * (Lanes::select(inside, rest, zero) + 1.0);
    let none = e.le(zero) & e.ge(zero);
    let at_end = |toward: Mask<W>| Lanes::select(toward, zero, Lanes::select(none, one, inf));
    let power = Lanes::select(x.le(zero), at_end(e.gt(zero)), power);
    let power = Lanes::select(x.ge(inf), at_end(e.lt(zero)), power);
    // Not a number stays so.
    let power = Lanes::select(x.ge(zero), power, x + f64::NAN);
    // A lane's result does not depend on its neighbours: 1 and 2 are exact here too.
    let power = Lanes::select(Mask::from_fn(|i| e.0[i] == 2.0), x * x, power);
    Lanes::select(Mask::from_fn(|i| e.0[i] == 1.0), x, power)
}

/// e ln x as a number for exp and what is missing of it.
#[inline(always)]
fn scaled_ln<const W: usize>((hi, lo): (Lanes<W>, Lanes<W>), e: Lanes<W>) -> (Lanes<W>, Lanes<W>) {
    let e_hi = upper_half(e);
    let (big, small) = (e_hi * hi, (e - e_hi) * hi + e * lo);
    let y = big + small;
    (y, (big - y) + small)
}

/// x with the lower 27 bits of its significand cleared.
#[inline(always)]
fn upper_half<const W: usize>(x: Lanes<W>) -> Lanes<W> {
    x.each(|x| f64::from_bits(x.to_bits() & !0x7ff_ffff))
}

/// ln(x/2ᵈ) = hi + lo for normal x > 0, hi with 26 bits.
///
/// x = 2ᵏ(1 + f) with 1 + f in [√½, √2); ln(1 + f) = f − f²/2 + s(f²/2 + R), s = f/(2 + f), where R is the
/// series 2s²/3 + 2s⁴/5 + … of 2 artanh s without its first term: every large term is exact or split.
#[inline(always)]
fn ln_parts<const W: usize>(x: Lanes<W>, doublings: Lanes<W>) -> (Lanes<W>, Lanes<W>) {
    /// 2/23, 2/21, …, 2/3.
    const R: [f64; 11] = [
        2.0 / 23.0,
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
    ];
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2⁵² and the bits of it: a small integer in the low bits becomes a number.
    const WHOLE: f64 = 4_503_599_627_370_496.0;

    let split = |x: f64| {
        let bits = x.to_bits();
        let exponent = bits.wrapping_sub(SQRT_HALF) & 0xfff0_0000_0000_0000;
        let k = f64::from_bits(((exponent >> 52) ^ 0x800) | WHOLE.to_bits()) - (WHOLE + 2048.0);
        (k, f64::from_bits(bits.wrapping_sub(exponent)))
    };
    let k = x.each(|x| split(x).0) - doublings;
    let f = x.each(|x| split(x).1) - 1.0;

    let s = f / (f + 2.0);
    let s2 = s * s;
    // By Estrin's scheme, as in exp.
    let s4 = s2 * s2;
    let s8 = s4 * s4;
    let pair = |i: usize| s2 * R[i - 1] + R[i];
    let (p0, p2, p4, p6, p8) = (pair(10), pair(8), pair(6), pair(4), pair(2));
    let (q0, q4, q8) = (s4 * p2 + p0, s4 * p6 + p4, s4 * R[0] + p8);
    let r = s8 * (s8 * q8 + q4) + q0;
    // f²/2 with its rounding error: f in two halves.
    let (f_hi, square) = (upper_half(f), f * f * 0.5);
    let f_lo = f - f_hi;
    let missing = (f_hi * f_hi * 0.5 - square) + f_hi * f_lo + f_lo * f_lo * 0.5;
    let tail = s * (square + r * s2) - missing;
    // k ln 2 + f − f²/2 + tail, largest first.
    let base = k * LN2_HI;
    let a = base + f;
    let a_rest = (base - (a - (a - base))) + (f - (a - base));
    let b = a - square;
    let b_rest = (a - (b + (a - b))) + ((a - b) - square);
    let low = tail + (k * LN2_LO + (a_rest + b_rest));
    let sum = b + low;
    let hi = upper_half(sum);
    (hi, (b - hi) + low)
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

    /// The reference is within 1 ulp.
    fn check_pow(x: f64, e: f64) {
        let (ours, reference) = (Lanes([x; 4]).powf(Lanes([e; 4])).0[0], crate::math::pow(x, e));
        if reference.is_nan() {
            assert!(ours.is_nan(), "{x:e}^{e} = {ours}");
        } else {
            let allowed = 3 + e.abs() as u64;
            assert!(ulps(ours, reference) <= allowed, "{x:e}^{e} = {ours:e}, not {reference:e}");
        }
    }

    #[test]
    fn pow_is_right_at_the_ends_of_its_range() {
        for x in [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 0.5, 1.0, 1e300, f64::MAX, f64::INFINITY]
        {
            for e in [-3.5, -1.0, -0.5, 0.0, 1e-300, 0.3, 0.5, 0.6, 1.5, 18.0] {
                check_pow(x, e);
            }
        }
        check_pow(f64::NAN, 0.6);
        assert!(Lanes([-1.0; 4]).powf(Lanes([0.6; 4])).0[0].is_nan());
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
        fn pow_is_right_for_the_exponents_of_laws(x in 0.0..1e3, d in -30i32..3, e in 0.05..4.0) {
            check_pow(x * 10f64.powi(d), e);
        }

        #[test]
        fn pow_is_right_for_the_exponents_of_shapes(x in 0.0..1.0, e in 4.0..40.0) {
            check_pow(x, e);
        }

        #[test]
        fn pow_is_right_near_one(x in -1.0f64..1.0, d in 0i32..17, e in -5.0..5.0) {
            check_pow(1.0 + x * 0.5 * 10f64.powi(-d), e);
        }

        #[test]
        fn exp_is_right_near_zero(x in -1.0f64..1.0, e in 0i32..300) {
            check(x * 10f64.powi(-e));
        }
    }

    proptest! {
        #[test]
        fn every_operation_but_exp_and_powf_has_the_bits_of_f64(
            a in prop::array::uniform4(-1e3..1e3), b in prop::array::uniform4(-1e3..1e3),
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
                for e in [1.0, 2.0] {
                    prop_assert_eq!(x.abs().powf(e.into()).0[i], Real::powf(p.abs(), e));
                }
                prop_assert_eq!(x.lt(y).lane(i), p < q);
            }
        }
    }
}
