use crate::{Dense, System, powf, sqrt, vector};

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

    /// One over the square of the error that each state may have at `y`.
    #[inline(always)]
    pub(crate) fn weight(&self, y: &[f64; N]) -> [f64; N] {
        vector(|i| {
            let scale = self.atol[i] + self.rtol * y[i].abs();
            1.0 / (scale * scale)
        })
    }
}

/// The mean of `f(0)` to `f(n − 1)`. Four sums at a time do not wait for each other.
#[inline(always)]
pub(crate) fn mean(f: impl Fn(usize) -> f64, n: usize) -> f64 {
    let mut sums = [0.0; 4];
    for i in 0..n {
        sums[i % 4] += f(i);
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) / n as f64
}

/// Root mean square of `e`, in units of what is allowed.
#[inline(always)]
pub(crate) fn norm<const N: usize>(e: &[f64; N], weight: &[f64; N]) -> f64 {
    sqrt(mean(|i| e[i] * e[i] * weight[i], N))
}

/// The state whose error is largest, not-a-number first.
#[inline(always)]
pub(crate) fn worst<const N: usize>(e: &[f64; N], weight: &[f64; N]) -> usize {
    let (mut worst, mut most) = (0, 0.0);
    for i in 0..N {
        let size = e[i] * e[i] * weight[i];
        if !size.is_finite() {
            return i;
        }
        if size > most {
            (worst, most) = (i, size);
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

    /// The next step begins where the last accepted one began: it was too long.
    fn again(&mut self) {
        self.restart();
    }

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
    let weight = options.weight(&start.y);
    let (size, rate) = (norm(&start.y, &weight), norm(&start.f, &weight));
    let guess = if size < 1e-5 || rate < 1e-5 { 1e-6 } else { 0.01 * size / rate };
    let guess = guess.min(span);
    let y = vector(|i| start.y[i] + guess * start.f[i]);
    statistics.rhs += 1;
    let f = system.rate(start.t + guess, &y);
    let change = vector(|i| f[i] - start.f[i]);
    let bend = norm(&change, &weight) / guess;
    let steepest = rate.max(bend);
    let next = if steepest <= 1e-15 {
        (guess * 1e-3).max(1e-6)
    } else {
        powf(0.01 / steepest, 1.0 / f64::from(order + 1))
    };
    let step = (100.0 * guess).min(next);
    if step.is_finite() && step > 0.0 { step.min(span) } else { guess }
}
