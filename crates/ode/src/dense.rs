use crate::Storage;

/// The solution over one step.
pub trait Dense {
    /// When the step began.
    fn start(&self) -> f64;
    /// When it ended.
    fn end(&self) -> f64;
    /// Writes the state at a time within it.
    fn at(&self, t: f64, y: &mut [f64]);
    /// The same, to keep after the next step was taken.
    #[cfg(feature = "alloc")]
    fn kept(&self) -> alloc::boxed::Box<dyn Dense>;
}

/// The solution over one step as a polynomial.
///
/// y(t) = y₀ + θ(c₁ + θ(c₂ + θ(c₃ + …))), θ = (t − t₀)/h, of degree `D`.
#[derive(Clone, Debug)]
pub struct Polynomial<St: Storage, const D: usize = 4> {
    pub(crate) t0: f64,
    pub(crate) h: f64,
    pub(crate) y0: St::States<f64>,
    pub(crate) c: St::States<[f64; D]>,
}

impl<St: Storage, const D: usize> Polynomial<St, D> {
    /// The constant `y` at `t`.
    pub fn rest(t: f64, y: &[f64]) -> Self {
        let mut y0 = St::states(y.len(), 0.0);
        y0.as_mut().copy_from_slice(y);
        Polynomial { t0: t, h: 0.0, y0, c: St::states(y.len(), [0.0; D]) }
    }

    /// Writes the rate of the state at a time within the step.
    pub(crate) fn slope(&self, t: f64, rate: &mut [f64]) {
        let theta = (t - self.t0) / self.h;
        for (rate, c) in rate.iter_mut().zip(self.c.as_ref()) {
            let slope = (0..D).rev().fold(0.0, |sum, k| sum * theta + (k + 1) as f64 * c[k]);
            *rate = slope / self.h;
        }
    }

    /// A straight line from here to the state `y` at `t`.
    pub fn line(&mut self, t0: f64, y0: &[f64], t: f64, y: &[f64]) {
        (self.t0, self.h) = (t0, t - t0);
        self.y0.as_mut().copy_from_slice(y0);
        for (c, (y0, y)) in self.c.as_mut().iter_mut().zip(y0.iter().zip(y)) {
            *c = [0.0; D];
            c[0] = y - y0;
        }
    }
}

/// θ(c₁ + θ(c₂ + …))
#[inline(always)]
pub(crate) fn rise<const D: usize>(c: &[f64; D], theta: f64) -> f64 {
    theta * c.iter().rev().fold(0.0, |sum, c| sum * theta + c)
}

impl<St: Storage + 'static, const D: usize> Dense for Polynomial<St, D> {
    fn start(&self) -> f64 {
        self.t0
    }

    fn end(&self) -> f64 {
        self.t0 + self.h
    }

    #[inline]
    fn at(&self, t: f64, y: &mut [f64]) {
        let theta = if self.h > 0.0 { (t - self.t0) / self.h } else { 0.0 };
        let (y0, c) = (self.y0.as_ref(), self.c.as_ref());
        for (y, (y0, c)) in y.iter_mut().zip(y0.iter().zip(c)) {
            *y = y0 + rise(c, theta);
        }
    }

    #[cfg(feature = "alloc")]
    fn kept(&self) -> alloc::boxed::Box<dyn Dense> {
        alloc::boxed::Box::new(self.clone())
    }
}
