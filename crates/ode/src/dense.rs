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
/// y(t) = y₀ + θ(c₁ + θ(c₂ + θ(c₃ + θ c₄))), θ = (t − t₀)/h.
#[derive(Clone, Debug)]
pub struct Polynomial<St: Storage> {
    pub(crate) t0: f64,
    pub(crate) h: f64,
    pub(crate) y0: St::States<f64>,
    pub(crate) c: St::States<[f64; 4]>,
}

impl<St: Storage> Polynomial<St> {
    /// The constant `y` at `t`.
    pub fn rest(t: f64, y: &[f64]) -> Self {
        let mut y0 = St::states(y.len(), 0.0);
        y0.as_mut().copy_from_slice(y);
        Polynomial { t0: t, h: 0.0, y0, c: St::states(y.len(), [0.0; 4]) }
    }

    /// Writes the rate of the state at a time within the step.
    pub(crate) fn slope(&self, t: f64, rate: &mut [f64]) {
        let theta = (t - self.t0) / self.h;
        for (rate, c) in rate.iter_mut().zip(self.c.as_ref()) {
            let slope = c[0] + theta * (2.0 * c[1] + theta * (3.0 * c[2] + theta * 4.0 * c[3]));
            *rate = slope / self.h;
        }
    }

    /// A straight line from here to the state `y` at `t`.
    pub fn line(&mut self, t0: f64, y0: &[f64], t: f64, y: &[f64]) {
        (self.t0, self.h) = (t0, t - t0);
        self.y0.as_mut().copy_from_slice(y0);
        for (c, (y0, y)) in self.c.as_mut().iter_mut().zip(y0.iter().zip(y)) {
            *c = [y - y0, 0.0, 0.0, 0.0];
        }
    }
}

impl<St: Storage + 'static> Dense for Polynomial<St> {
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
            *y = y0 + theta * (c[0] + theta * (c[1] + theta * (c[2] + theta * c[3])));
        }
    }

    #[cfg(feature = "alloc")]
    fn kept(&self) -> alloc::boxed::Box<dyn Dense> {
        alloc::boxed::Box::new(self.clone())
    }
}
