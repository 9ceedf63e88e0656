use crate::{Dense, Storage, System, powf, sqrt};

/// Tolerances and limits.
#[derive(Clone, Debug)]
pub struct Options<St: Storage> {
    /// Relative tolerance, of each state.
    pub rtol: f64,
    /// Absolute tolerance of each state, in its unit.
    pub atol: St::States<f64>,
    /// The first step; chosen by the solver if it is `None`.
    pub first_step: Option<f64>,
    /// No step is longer.
    pub max_step: f64,
    /// The run fails after so many steps, accepted or not.
    pub max_steps: usize,
}

impl<St: Storage> Options<St> {
    /// These tolerances, no limit on the step, ten million steps.
    pub fn new(rtol: f64, atol: &[f64]) -> Self {
        let mut own = St::states(atol.len(), 0.0);
        own.as_mut().copy_from_slice(atol);
        let (first_step, max_step) = (None, f64::INFINITY);
        Options { rtol, atol: own, first_step, max_step, max_steps: 10_000_000 }
    }

    /// Writes one over the square of the error that each state may have at `y`.
    #[inline(always)]
    pub(crate) fn weigh(&self, y: impl Iterator<Item = f64>, weight: &mut [f64]) {
        for ((weight, y), atol) in weight.iter_mut().zip(y).zip(self.atol.as_ref()) {
            let scale = atol + self.rtol * y.abs();
            *weight = 1.0 / (scale * scale);
        }
    }
}

/// Root mean square of `e`, in units of what is allowed.
#[inline(always)]
pub(crate) fn norm(e: &[f64], weight: &[f64]) -> f64 {
    let sum: f64 = e.iter().zip(weight).map(|(e, w)| e * e * w).sum();
    sqrt(sum / e.len() as f64)
}

/// The state whose error is largest, not-a-number first.
pub(crate) fn worst(e: impl Iterator<Item = f64>, weight: &[f64]) -> usize {
    let (mut worst, mut most) = (0, 0.0);
    for (i, (e, weight)) in e.zip(weight).enumerate() {
        let size = e * e * weight;
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
    /// Factorisations of the iteration matrix (the real and the complex ones of a step together).
    pub factorisations: usize,
    /// Events that fired.
    pub events: usize,
}

/// Where a step begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Time.
    pub t: f64,
    /// State.
    pub y: &'a [f64],
    /// f(t, y).
    pub f: &'a [f64],
}

/// What a trial step gave.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Whether it passes the error test.
    pub accepted: bool,
    /// The step to try next: after it, or in its place. What is tried may be longer by a part in 10⁸, to end where it
    /// must.
    pub next: f64,
    /// The state with the largest error.
    pub state: usize,
}

/// A one-step method with error control.
pub trait Method<Sys: System>: Clone {
    /// Where it keeps its numbers.
    type Storage: Storage;
    /// The solution over a step.
    type Dense: Dense + Clone;

    /// The order of its error estimate, which relates error to step.
    const ESTIMATE_ORDER: u32;

    /// Forgets all that it learned from earlier steps: the solution does not go on smoothly.
    fn restart(&mut self);

    /// The next step begins where the last accepted one began: it was too long.
    fn again(&mut self) {
        self.restart();
    }

    /// Tries one step of length `h`. If it is accepted, writes the state at its end into `y` and the
    /// solution over it into `dense`.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        options: &Options<Self::Storage>,
        statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Trial;

    /// By how much the solution over the last accepted step is off at `t`, as its slope there tells, in units of what
    /// is allowed; 0 of a method that does not tell.
    fn defect(
        &mut self,
        _system: &Sys,
        _mode: &Sys::Mode,
        _t: f64,
        _statistics: &mut Statistics,
    ) -> f64 {
        0.0
    }

    /// The solution over the last accepted step.
    fn dense(&self) -> &Self::Dense;

    /// Makes the solution a straight line to the state `y` at `t`: no method can resolve so short a step.
    fn line(&mut self, start: Start<'_>, t: f64, y: &[f64]);
}

/// A first step that is neither blind nor timid: E. Hairer, S. P. Nørsett, G. Wanner, Solving
/// Ordinary Differential Equations I, II.4.
pub(crate) fn first_step<Sys: System, St: Storage>(
    system: &Sys,
    mode: &Sys::Mode,
    start: Start<'_>,
    span: f64,
    order: u32,
    options: &Options<St>,
) -> f64 {
    let n = start.y.len();
    let mut weight = St::states(n, 0.0);
    let weight = weight.as_mut();
    options.weigh(start.y.iter().copied(), weight);
    let (size, rate) = (norm(start.y, weight), norm(start.f, weight));
    let guess = if size < 1e-5 || rate < 1e-5 { 1e-6 } else { 0.01 * size / rate };
    let guess = guess.min(span);
    let (mut y, mut f) = (St::states(n, 0.0), St::states(n, 0.0));
    let (y, f) = (y.as_mut(), f.as_mut());
    for (y, (from, rate)) in y.iter_mut().zip(start.y.iter().zip(start.f)) {
        *y = from + guess * rate;
    }
    system.rates(mode, start.t + guess, y, f);
    f.iter_mut().zip(start.f).for_each(|(f, from)| *f -= from);
    let bend = norm(f, weight) / guess;
    let steepest = rate.max(bend);
    let next = if steepest <= 1e-15 {
        (guess * 1e-3).max(1e-6)
    } else {
        powf(0.01 / steepest, 1.0 / f64::from(order + 1))
    };
    let step = (100.0 * guess).min(next);
    if step.is_finite() && step > 0.0 { step.min(span) } else { guess }
}
