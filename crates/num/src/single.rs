use crate::real::Real;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// One number in single precision, as controllers without a unit for doubles compute.
///
/// A type of its own, because `f32` has no `From<f64>`. Elementary functions are those of `f64`, rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Single(pub f32);

impl From<f64> for Single {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Single(x as f32)
    }
}

impl From<Single> for f64 {
    #[inline(always)]
    fn from(x: Single) -> f64 {
        f64::from(x.0)
    }
}

macro_rules! operations {
    ($($Op:ident $op:ident),*) => {$(
        impl $Op for Single {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: Self) -> Self {
                Single($Op::$op(self.0, rhs.0))
            }
        }
        impl $Op<f64> for Single {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: f64) -> Self {
                Single($Op::$op(self.0, rhs as f32))
            }
        }
    )*};
}
operations!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Single {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Single(-self.0)
    }
}

impl AddAssign for Single {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        self.0 += rhs.0;
    }
}

macro_rules! functions {
    ($($f:ident($($arg:ident),*);)*) => {$(
        #[inline(always)]
        fn $f(self $(, $arg: Self)*) -> Self {
            Single(Real::$f(f64::from(self) $(, f64::from($arg))*) as f32)
        }
    )*};
}

impl Real for Single {
    const LANES: usize = 1;
    const EPSILON: f64 = f32::EPSILON as f64;
    type Mask = bool;

    #[inline(always)]
    fn number(self) -> f64 {
        self.into()
    }
    functions! {
        abs();
        sqrt();
        exp();
        ln();
        powf(e);
        sin();
        cos();
        atan();
        floor();
    }

    #[inline(always)]
    fn lt(self, rhs: Self) -> bool {
        self.0 < rhs.0
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> bool {
        self.0 <= rhs.0
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rounds_to_single_precision() {
        let third = Single::from(1.0) / 3.0;
        assert_eq!(third.0, 1.0f32 / 3.0f32);
        assert!((f64::from(third.exp()) - (1.0f64 / 3.0).exp()).abs() < 1e-7);
        assert_eq!(Single::EPSILON, f64::from(f32::EPSILON));
        assert!(third.lt(Single(0.5)) && third.sq().sqrt() == third);
    }
}
