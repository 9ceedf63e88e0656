use crate::{Dense, System, powf, sqrt};

/// Tolerances and limits.
#[derive(Clone, Copy, Debug)]
pub struct Options<const N: usize> {
    /// Relative tolerance, of each state.
    pub rtol: f64,
    /// Absolute tolerance of each state, in its unit.
    pub atol: [f64; N],
    /// The first step; chosen by the solver if it is `None`.
    pub first_step: Option<f64>,
    /// No step is longer.
    pub max_step: f64,
    /// The run fails after so many steps, accepted or not.
    pub max_steps: usize,
}

impl<const N: usize> Options<N> {
    /// These tolerances, no limit on the step, ten million steps.
    pub fn new(rtol: f64, atol: [f64; N]) -> Self {
        let (first_step, max_step) = (None, f64::INFINITY);
        Options { rtol, atol, first_step, max_step, max_steps: 10_000_000 }
    }

    /// How large an error of each state may be at `y`.
    #[inline]
    pub(crate) fn scale(&self, y: &[f64; N]) -> [f64; N] {
        core::array::from_fn(|i| self.atol[i] + self.rtol * y[i].abs())
    }
}

/// Root mean square of `e` in units of `scale`.
#[inline]
pub(crate) fn norm<const N: usize>(e: &[f64; N], scale: &[f64; N]) -> f64 {
    let sum: f64 = (0..N).map(|i| (e[i] / scale[i]) * (e[i] / scale[i])).sum();
    sqrt(sum / N as f64)
}

/// The state whose error is largest, not-a-number first.
pub(crate) fn worst<const N: usize>(e: &[f64; N], scale: &[f64; N]) -> usize {
    let mut worst = 0;
    for i in 0..N {
        let ratio = |k: usize| (e[k] / scale[k]).abs();
        if !e[i].is_finite() {
            return i;
        }
        if ratio(i) > ratio(worst) {
            worst = i;
        }
    }
    worst
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Steps that counted.
    pub accepted: usize,
    /// Steps that failed the error test.
    pub rejected: usize,
    /// Steps on which Newton's method did not converge.
    pub diverged: usize,
    /// Evaluations of the right-hand side, those of Jacobians not counted.
    pub rhs: usize,
    /// Jacobians.
    pub jacobians: usize,
    /// Factorisations of the iteration matrix (a real and a complex one together).
    pub factorisations: usize,
    /// Events that fired.
    pub events: usize,
}

/// Where a step begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<const N: usize> {
    /// Time.
    pub t: f64,
    /// State.
    pub y: [f64; N],
    /// f(t, y).
    pub f: [f64; N],
}

/// What a trial step gave.
#[derive(Clone, Copy, Debug)]
pub enum Trial<const N: usize> {
    /// It passes the error test.
    Accepted {
        /// The solution over it.
        dense: Dense<N>,
        /// The solution at its end.
        y: [f64; N],
        /// The step to try next.
        next: f64,
        /// The state with the largest error.
        state: usize,
    },
    /// It does not; try `next` instead.
    Rejected {
        /// The shorter step to try.
        next: f64,
        /// The state that held it up.
        state: usize,
    },
}

/// A one-step method with error control.
pub trait Method<const N: usize> {
    /// The order of its error estimate, which relates error to step.
    const ESTIMATE_ORDER: u32;

    /// Forgets all that it learned from earlier steps: the solution does not go on smoothly.
    fn restart(&mut self);

    /// Tries one step of length `h`.
    fn step<Sys: System<N>>(
        &mut self,
        system: &Sys,
        start: &Start<N>,
        h: f64,
        options: &Options<N>,
        statistics: &mut Statistics,
    ) -> Trial<N>;
}

/// A first step that is neither blind nor timid: E. Hairer, S. P. Nørsett, G. Wanner, Solving
/// Ordinary Differential Equations I, II.4.
pub(crate) fn first_step<const N: usize, Sys: System<N>>(
    system: &Sys,
    start: &Start<N>,
    span: f64,
    order: u32,
    options: &Options<N>,
    statistics: &mut Statistics,
) -> f64 {
    let scale = options.scale(&start.y);
    let (size, rate) = (norm(&start.y, &scale), norm(&start.f, &scale));
    let guess = if size < 1e-5 || rate < 1e-5 { 1e-6 } else { 0.01 * size / rate };
    let guess = guess.min(span);
    let y = core::array::from_fn(|i| start.y[i] + guess * start.f[i]);
    statistics.rhs += 1;
    let f = system.rhs(start.t + guess, &y);
    let change = core::array::from_fn(|i| f[i] - start.f[i]);
    let bend = norm(&change, &scale) / guess;
    let steepest = rate.max(bend);
    let next = if steepest <= 1e-15 {
        (guess * 1e-3).max(1e-6)
    } else {
        powf(0.01 / steepest, 1.0 / f64::from(order + 1))
    };
    let step = (100.0 * guess).min(next);
    if step.is_finite() && step > 0.0 { step.min(span) } else { guess }
}
