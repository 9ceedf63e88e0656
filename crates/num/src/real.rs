use crate::math;
use core::fmt::Debug;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A real number, a vector of them, or one that carries derivatives.
///
/// Kernels branch with [`select`](Real::select), never with `if`: a comparison gives a
/// [`Mask`](Real::Mask), because lanes may disagree. Comparisons look at values only, never at
/// derivatives.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
{
    /// How many numbers are in it, side by side.
    const LANES: usize;

    /// How far 1 is from the next number.
    const EPSILON: f64 = f64::EPSILON;

    /// The outcome of a comparison, one truth value per lane.
    type Mask: Logic;

    /// The number without its derivatives, in the first lane. Kernels have no use for it: what stands outside of them, such as
    /// a mechanism that is a function of another language, asks for it.
    fn number(self) -> f64;
    /// |x|.
    fn abs(self) -> Self;
    /// √x. In duals its derivative at 0, which is infinite, is given as 0: a Jacobian stays finite.
    fn sqrt(self) -> Self;
    /// eˣ.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// xᵉ for x ≥ 0. The exponents 1 and 2 cost no call. In duals, derivatives at x = 0 that are
    /// infinite are given as 0, as for [`sqrt`](Real::sqrt).
    fn powf(self, e: Self) -> Self;
    /// sin x.
    fn sin(self) -> Self;
    /// cos x.
    fn cos(self) -> Self;
    /// arctan x.
    fn atan(self) -> Self;
    /// The largest integer not above x; its derivative is 0.
    fn floor(self) -> Self;
    /// x < y.
    fn lt(self, rhs: Self) -> Self::Mask;
    /// x ≤ y.
    fn le(self, rhs: Self) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere. Both are evaluated; what is not chosen may be
    /// infinite or not a number without harm.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// x > y.
    #[inline(always)]
    fn gt(self, rhs: Self) -> Self::Mask {
        rhs.lt(self)
    }
    /// x ≥ y.
    #[inline(always)]
    fn ge(self, rhs: Self) -> Self::Mask {
        rhs.le(self)
    }
    /// The larger of the two.
    #[inline(always)]
    fn max(self, rhs: Self) -> Self {
        Self::select(self.lt(rhs), rhs, self)
    }
    /// The smaller of the two.
    #[inline(always)]
    fn min(self, rhs: Self) -> Self {
        Self::select(rhs.lt(self), rhs, self)
    }
    /// x a + b, each rounded.
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    /// x².
    #[inline(always)]
    fn sq(self) -> Self {
        self * self
    }
    /// −1, 0 or 1, as x is negative, zero or positive.
    #[inline(always)]
    fn sign(self) -> Self {
        let zero = Self::from(0.0);
        let one = Self::from(1.0);
        Self::select(zero.lt(self), one, Self::select(self.lt(zero), -one, zero))
    }
    /// √(x² + y²), without overflow or underflow on the way.
    #[inline(always)]
    fn hypot(self, y: Self) -> Self {
        let (a, b) = (self.abs(), y.abs());
        let (big, small) = (a.max(b), a.min(b));
        let zero = Self::from(0.0);
        Self::select(big.gt(zero), big * ((small / big).sq() + 1.0).sqrt(), zero)
    }
}

/// Truth values, one per lane.
pub trait Logic:
    Copy + Debug + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// The same truth value in every lane.
    fn splat(value: bool) -> Self;
    /// Whether it holds in at least one lane.
    fn any(self) -> bool;
    /// Whether it holds in every lane.
    fn all(self) -> bool;
}

impl Logic for bool {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        value
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
}

impl Real for f64 {
    const LANES: usize = 1;
    type Mask = bool;

    #[inline(always)]
    fn number(self) -> f64 {
        self
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        math::sqrt(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        math::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        math::log(self)
    }
    #[inline(always)]
    fn powf(self, e: Self) -> Self {
        if e == 2.0 {
            self * self
        } else if e == 1.0 {
            self
        } else {
            math::pow(self, e)
        }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        math::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        math::cos(self)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        math::atan(self)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        math::floor(self)
    }
    #[inline(always)]
    fn lt(self, rhs: Self) -> bool {
        self < rhs
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> bool {
        self <= rhs
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}
