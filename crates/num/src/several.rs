use crate::real::{Logic, Real};
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// `K` numbers of another kind, one operation after the other for all of them.
///
/// A function that is a long chain of operations, each waiting for the one before, takes hardly longer for some of
/// them than for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Several<S, const K: usize>(pub [S; K]);

/// Truth values of [`Several`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masks<M, const K: usize>([M; K]);

impl<S: Real, const K: usize> Several<S, K> {
    /// Plain loops: functions of an index or an element are not always inlined.
    #[inline(always)]
    fn each(mut self, f: impl Fn(S) -> S) -> Self {
        for x in &mut self.0 {
            *x = f(*x);
        }
        self
    }
    #[inline(always)]
    fn both(mut self, rhs: Self, f: impl Fn(S, S) -> S) -> Self {
        for k in 0..K {
            self.0[k] = f(self.0[k], rhs.0[k]);
        }
        self
    }
    #[inline(always)]
    fn compare(self, rhs: Self, f: impl Fn(S, S) -> S::Mask) -> Masks<S::Mask, K> {
        let mut masks = [S::Mask::splat(false); K];
        for k in 0..K {
            masks[k] = f(self.0[k], rhs.0[k]);
        }
        Masks(masks)
    }
}

impl<M: Logic, const K: usize> BitAnd for Masks<M, K> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, rhs: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k] & rhs.0[k];
        }
        self
    }
}

impl<M: Logic, const K: usize> BitOr for Masks<M, K> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, rhs: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k] | rhs.0[k];
        }
        self
    }
}

impl<M: Logic, const K: usize> Not for Masks<M, K> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        for m in &mut self.0 {
            *m = !*m;
        }
        self
    }
}

impl<M: Logic, const K: usize> Logic for Masks<M, K> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        Masks([M::splat(value); K])
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.into_iter().any(M::any)
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.into_iter().all(M::all)
    }
}

impl<S: Real, const K: usize> Default for Several<S, K> {
    fn default() -> Self {
        Several([S::default(); K])
    }
}

impl<S: Real, const K: usize> From<f64> for Several<S, K> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Several([S::from(x); K])
    }
}

impl<S: Real, const K: usize> Neg for Several<S, K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(
            #[inline(always)]
            |x| -x,
        )
    }
}

macro_rules! operators {
    ($($Op:ident $op:ident),*) => {$(
        impl<S: Real, const K: usize> $Op for Several<S, K> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: Self) -> Self {
                self.both(rhs, #[inline(always)] |x, y| $Op::$op(x, y))
            }
        }
        impl<S: Real, const K: usize> $Op<f64> for Several<S, K> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, rhs: f64) -> Self {
                self.each(#[inline(always)] |x| $Op::$op(x, rhs))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl<S: Real, const K: usize> AddAssign for Several<S, K> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

macro_rules! each {
    ($($f:ident),*) => {$(
        #[inline(always)]
        fn $f(self) -> Self {
            self.each(#[inline(always)] |x| x.$f())
        }
    )*};
}

macro_rules! both {
    ($($f:ident),*) => {$(
        #[inline(always)]
        fn $f(self, rhs: Self) -> Self {
            self.both(rhs, #[inline(always)] |x, y| x.$f(y))
        }
    )*};
}

impl<S: Real, const K: usize> Real for Several<S, K> {
    const LANES: usize = K * S::LANES;
    const EPSILON: f64 = S::EPSILON;
    type Mask = Masks<S::Mask, K>;

    each!(abs, sqrt, exp, ln, sin, cos, atan, floor);
    both!(powf, max, min);

    #[inline(always)]
    fn lt(self, rhs: Self) -> Self::Mask {
        self.compare(
            rhs,
            #[inline(always)]
            |x, y| x.lt(y),
        )
    }
    #[inline(always)]
    fn le(self, rhs: Self) -> Self::Mask {
        self.compare(
            rhs,
            #[inline(always)]
            |x, y| x.le(y),
        )
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, mut no: Self) -> Self {
        for k in 0..K {
            no.0[k] = S::select(mask.0[k], yes.0[k], no.0[k]);
        }
        no
    }
    #[inline(always)]
    fn mul_add(mut self, a: Self, b: Self) -> Self {
        for k in 0..K {
            self.0[k] = self.0[k].mul_add(a.0[k], b.0[k]);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_is_what_it_is_alone(x in prop::array::uniform3(0.1..9.0f64), y in prop::array::uniform3(0.1..9.0f64)) {
            let f = |a: f64, b: f64| (a - b).abs().sqrt() * 3.0 + (-a).exp() / b;
            let (a, b) = (Several(x), Several(y));
            let together = (a - b).abs().sqrt() * 3.0 + (-a).exp() / b;
            for k in 0..3 {
                prop_assert_eq!(together.0[k], f(x[k], y[k]));
                prop_assert_eq!(a.powf(b).0[k], Real::powf(x[k], y[k]));
                prop_assert_eq!(a.mul_add(b, a).0[k], x[k] * y[k] + x[k]);
                prop_assert_eq!(Several::select(a.lt(b), a, b).0[k], x[k].min(y[k]));
                prop_assert_eq!(a.max(b).0[k], x[k].max(y[k]));
            }
            let below = x.iter().zip(&y).filter(|(x, y)| x < y).count();
            prop_assert_eq!(a.lt(b).any(), below > 0);
            prop_assert_eq!(a.lt(b).all(), below == 3);
            prop_assert_eq!((!a.lt(b)).all(), below == 0);
            prop_assert_eq!(a.lt(b) | b.le(a), Masks::splat(true));
            prop_assert_eq!(a.lt(b) & b.le(a), Masks::splat(false));
        }
    }
}
