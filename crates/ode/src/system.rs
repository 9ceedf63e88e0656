use bristle_num::{Dual, Real};

/// ẏ = f(t, y), with functions whose zeros are events.
pub trait System<const N: usize> {
    /// f(t, y), in any scalar. Time is a plain number: no method here differentiates by it.
    fn rhs<S: Real>(&self, t: f64, y: &[S; N]) -> [S; N];

    /// f(t, y) in plain numbers, for systems that have it cheaper than through [`rhs`](System::rhs).
    #[inline(always)]
    fn rate(&self, t: f64, y: &[f64; N]) -> [f64; N] {
        self.rhs(t, y)
    }

    /// How many event functions there are.
    fn events(&self) -> usize {
        0
    }

    /// Event function `i`. It may jump, but should be smooth where it is zero.
    fn event(&self, _i: usize, _t: f64, _y: &[f64; N]) -> f64 {
        f64::NAN
    }

    /// Writes all event functions, for systems that have them cheaper together.
    #[inline]
    fn watch(&self, t: f64, y: &[f64; N], values: &mut [f64]) {
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.event(i, t, y);
        }
    }

    /// The direction in which event `i` counts.
    fn crossing(&self, _i: usize) -> crate::Crossing {
        crate::Crossing::Both
    }

    /// ∂f/∂y by rows.
    #[inline]
    fn jacobian(&self, t: f64, y: &[f64; N]) -> [[f64; N]; N] {
        let seeded: [Dual<f64, N>; N] = core::array::from_fn(|i| Dual::variable(y[i], i));
        self.rhs(t, &seeded).map(|f| f.eps)
    }
}
