//! Gaussian elimination of γ/h − J and (α + iβ)/h − J at once, over one set of entries.
//!
//! Pivots stay on the diagonal, where the step puts its own: they lose digits only where a step is too
//! long, and that is told.
use crate::Storage;
use crate::structure::Structure;

/// A real and a complex number side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) real: f64,
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Pair {
    #[inline(always)]
    fn times(self, o: Pair) -> Pair {
        Pair {
            real: self.real * o.real,
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }

    #[inline(always)]
    fn subtract_product(&mut self, a: Pair, b: Pair) {
        self.real -= a.real * b.real;
        self.re -= a.re * b.re - a.im * b.im;
        self.im -= a.re * b.im + a.im * b.re;
    }

    #[inline(always)]
    fn inverse(self) -> Pair {
        let d = 1.0 / (self.re * self.re + self.im * self.im);
        Pair { real: 1.0 / self.real, re: self.re * d, im: -self.im * d }
    }
}

/// A pivot that is smaller than this part of its row was cancelled: the digits are gone.
const CANCELLED: f64 = 1e-12;

/// The factors of both matrices.
#[derive(Clone, Debug)]
pub(crate) struct Factors<St: Storage> {
    entries: St::Pairs<Pair>,
    /// One over the pivots.
    inverse: St::States<Pair>,
    row: St::States<Pair>,
}

impl<St: Storage> Factors<St> {
    /// Of nothing yet.
    pub(crate) fn new(structure: &Structure<St>, n: usize) -> Self {
        let zero = Pair::default();
        let entries = St::pairs(structure.entries(), zero);
        Factors { entries, inverse: St::states(n, zero), row: St::states(n, zero) }
    }

    /// Factorises `shift` − J; false if a matrix is singular or not finite.
    pub(crate) fn factorise(
        &mut self,
        structure: &Structure<St>,
        jacobian: &[f64],
        shift: Pair,
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
                row[*c as usize] = Pair { real: -j, re: -j, im: 0.0 };
                largest = largest.max(j.abs());
            }
            row[i].real += shift.real;
            row[i].re += shift.re;
            row[i].im += shift.im;
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
            let pivot = entries[middle];
            let size = pivot.real.abs().min(pivot.re.abs() + pivot.im.abs());
            if size.is_nan() || size <= CANCELLED * largest || !largest.is_finite() {
                return false;
            }
            inverse[i] = pivot.inverse();
        }
        true
    }

    /// Solves both systems. `b` is in the order of elimination.
    #[inline]
    pub(crate) fn solve(&self, structure: &Structure<St>, b: &mut [Pair]) {
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
