//! Gaussian elimination of γ/h − J and of all (α + iβ)/h − J at once, over one set of entries.
//!
//! Pivots stay on the diagonal, where the step puts its own: they lose digits only where a step is too
//! long, and that is told.
use crate::Storage;
use crate::structure::Structure;

/// A real number and `P` complex ones side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundle<const P: usize> {
    pub(crate) real: f64,
    pub(crate) re: [f64; P],
    pub(crate) im: [f64; P],
}

impl<const P: usize> Bundle<P> {
    pub(crate) const ZERO: Self = Bundle { real: 0.0, re: [0.0; P], im: [0.0; P] };

    /// Each divided by `h`.
    pub(crate) fn over(self, h: f64) -> Self {
        Bundle { real: self.real / h, re: self.re.map(|x| x / h), im: self.im.map(|x| x / h) }
    }

    #[inline(always)]
    fn times(mut self, o: Self) -> Self {
        self.real *= o.real;
        for p in 0..P {
            let (re, im) = (self.re[p], self.im[p]);
            self.re[p] = re * o.re[p] - im * o.im[p];
            self.im[p] = re * o.im[p] + im * o.re[p];
        }
        self
    }

    #[inline(always)]
    fn subtract_product(&mut self, a: Self, b: Self) {
        self.real -= a.real * b.real;
        for p in 0..P {
            self.re[p] -= a.re[p] * b.re[p] - a.im[p] * b.im[p];
            self.im[p] -= a.re[p] * b.im[p] + a.im[p] * b.re[p];
        }
    }

    #[inline(always)]
    fn inverse(mut self) -> Self {
        self.real = 1.0 / self.real;
        for p in 0..P {
            let d = 1.0 / (self.re[p] * self.re[p] + self.im[p] * self.im[p]);
            (self.re[p], self.im[p]) = (self.re[p] * d, -self.im[p] * d);
        }
        self
    }

    /// The size of the smallest of them.
    #[inline(always)]
    fn smallest(&self) -> f64 {
        let complex = self.re.iter().zip(&self.im).map(|(re, im)| re.abs() + im.abs());
        complex.fold(self.real.abs(), f64::min)
    }
}

/// A pivot that is smaller than this part of its row was cancelled: the digits are gone.
const CANCELLED: f64 = 1e-12;

/// A pivot that is smaller than this part of a positive shift is raised to it.
const LEAST: f64 = 0.1;

/// The factors of a real and `P` complex matrices.
#[derive(Clone, Debug)]
pub(crate) struct Factors<St: Storage, const P: usize> {
    entries: St::Pairs<Bundle<P>>,
    /// One over the pivots.
    inverse: St::States<Bundle<P>>,
    row: St::States<Bundle<P>>,
}

impl<St: Storage, const P: usize> Factors<St, P> {
    /// Of nothing yet.
    pub(crate) fn new(structure: &Structure<St>, n: usize) -> Self {
        let zero = Bundle::ZERO;
        let entries = St::pairs(structure.entries(), zero);
        Factors { entries, inverse: St::states(n, zero), row: St::states(n, zero) }
    }

    /// Factorises `shift` − J; false if a matrix is singular or not finite.
    ///
    /// A pivot far below a positive shift means that something grows faster than the step can tell. The inverse would
    /// damp it, and an error measured by that inverse with it. Such pivots are raised, as if it grew no faster:
    /// Newton's method then converges only in steps that resolve the growth, and the error is measured as it is.
    pub(crate) fn factorise(
        &mut self,
        structure: &Structure<St>,
        jacobian: &[f64],
        shift: Bundle<P>,
    ) -> bool {
        let Structure { first, diagonal, last, column, .. } = structure;
        let (first, diagonal, last) = (first.as_ref(), diagonal.as_ref(), last.as_ref());
        let column = column.as_ref();
        let entries = self.entries.as_mut();
        let inverse = self.inverse.as_mut();
        let row = self.row.as_mut();
        for i in 0..row.len() {
            let (from, middle, to) = (first[i] as usize, diagonal[i] as usize, last[i] as usize);
            let mut largest = shift.real;
            for (c, j) in column[from..to].iter().zip(&jacobian[from..to]) {
                row[*c as usize] = Bundle { real: -j, re: [-j; P], im: [0.0; P] };
                largest = largest.max(j.abs());
            }
            row[i].real += shift.real;
            for p in 0..P {
                row[i].re[p] += shift.re[p];
                row[i].im[p] += shift.im[p];
            }
            for e in from..middle {
                let k = column[e] as usize;
                let factor = row[k].times(inverse[k]);
                entries[e] = factor;
                let (after, end) = (diagonal[k] as usize + 1, last[k] as usize);
                for (c, u) in column[after..end].iter().zip(&entries[after..end]) {
                    row[*c as usize].subtract_product(factor, *u);
                }
            }
            for (c, entry) in column[middle..to].iter().zip(&mut entries[middle..to]) {
                *entry = row[*c as usize];
            }
            let pivot = &mut entries[middle];
            let lacks = LEAST * shift.real - pivot.real;
            if lacks > 0.0 {
                pivot.real += lacks;
                pivot.re.iter_mut().for_each(|re| *re += lacks);
            }
            let size = pivot.smallest();
            if size.is_nan() || size <= CANCELLED * largest || !largest.is_finite() {
                return false;
            }
            inverse[i] = pivot.inverse();
        }
        true
    }

    /// Solves all systems. `b` is in the order of elimination.
    #[inline]
    pub(crate) fn solve(&self, structure: &Structure<St>, b: &mut [Bundle<P>]) {
        let Structure { first, diagonal, last, column, .. } = structure;
        let (first, diagonal, last) = (first.as_ref(), diagonal.as_ref(), last.as_ref());
        let (column, entries) = (column.as_ref(), self.entries.as_ref());
        for i in 0..b.len() {
            let (from, to) = (first[i] as usize, diagonal[i] as usize);
            let mut sum = b[i];
            for (c, l) in column[from..to].iter().zip(&entries[from..to]) {
                sum.subtract_product(*l, b[*c as usize]);
            }
            b[i] = sum;
        }
        for i in (0..b.len()).rev() {
            let (from, to) = (diagonal[i] as usize + 1, last[i] as usize);
            let mut sum = b[i];
            for (c, u) in column[from..to].iter().zip(&entries[from..to]) {
                sum.subtract_product(*u, b[*c as usize]);
            }
            b[i] = sum.times(self.inverse.as_ref()[i]);
        }
    }

    /// Solves the real one alone.
    #[inline]
    pub(crate) fn solve_real(&self, structure: &Structure<St>, b: &mut [f64]) {
        let Structure { first, diagonal, last, column, .. } = structure;
        let (first, diagonal, last) = (first.as_ref(), diagonal.as_ref(), last.as_ref());
        let (column, entries) = (column.as_ref(), self.entries.as_ref());
        for i in 0..b.len() {
            let (from, to) = (first[i] as usize, diagonal[i] as usize);
            let mut sum = b[i];
            for (c, l) in column[from..to].iter().zip(&entries[from..to]) {
                sum -= l.real * b[*c as usize];
            }
            b[i] = sum;
        }
        for i in (0..b.len()).rev() {
            let (from, to) = (diagonal[i] as usize + 1, last[i] as usize);
            let mut sum = b[i];
            for (c, u) in column[from..to].iter().zip(&entries[from..to]) {
                sum -= u.real * b[*c as usize];
            }
            b[i] = sum * self.inverse.as_ref()[i].real;
        }
    }
}
