use crate::vector;

/// The solution over one step as a polynomial.
///
/// y(t) = y₀ + θ(c₁ + θ(c₂ + θ(c₃ + θ c₄))), θ = (t − t₀)/h.
#[derive(Clone, Copy, Debug)]
pub struct Dense<const N: usize> {
    pub(crate) t0: f64,
    pub(crate) h: f64,
    pub(crate) y0: [f64; N],
    pub(crate) c: [[f64; N]; 4],
}

impl<const N: usize> Dense<N> {
    /// A straight line between two states.
    pub fn line(t0: f64, y0: [f64; N], t1: f64, y1: [f64; N]) -> Self {
        let mut c = [[0.0; N]; 4];
        c[0] = core::array::from_fn(|i| y1[i] - y0[i]);
        Dense { t0, h: t1 - t0, y0, c }
    }

    /// Where the step began.
    pub fn start(&self) -> f64 {
        self.t0
    }

    /// Where it ended.
    pub fn end(&self) -> f64 {
        self.t0 + self.h
    }

    /// The solution at a time within the step.
    #[inline]
    pub fn at(&self, t: f64) -> [f64; N] {
        let theta = if self.h > 0.0 { (t - self.t0) / self.h } else { 0.0 };
        let [c1, c2, c3, c4] = &self.c;
        vector(|i| self.y0[i] + theta * (c1[i] + theta * (c2[i] + theta * (c3[i] + theta * c4[i]))))
    }
}
