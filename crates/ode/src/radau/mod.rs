//! Radau IIA of orders 5 and 9, with three and with five stages.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8, and "Stiff differential
//! equations solved by Radau methods", J. Comput. Appl. Math. 111 (1999) 93-111: collocation,
//! simplified Newton iteration on one real and (s − 1)/2 complex systems of the size of the state, an
//! error estimate of order s filtered through the real factor, and Gustafsson's predictive step
//! control. The Jacobian is exact (dual numbers) and is kept while Newton's method converges fast.
//!
//! The order follows from what a step gets for its cost. (The paper goes by the rate at which Newton's
//! method converges: up below 0.002, down above 0.8.) Steps of order 9 tell from their own collocation
//! polynomial how long steps of order 5 could be; as long as they get further for each evaluation, on
//! the average of the last ten or so, the order stays. It falls where they do not, and, as in the paper,
//! where Newton's method fails. Ten steps later order 9 is tried again. An event does not change the
//! order: it says little about the equations on its other side.
mod coefficients;
mod collocation;

use crate::method::{Start, Trial, worst};
use crate::structure::Structure;
use crate::{Dense, Method, Options, Polynomial, Slope, Statistics, Storage, System, powf, sqrt};
use coefficients::{DEFECT_OF_THREE, DEGREE, FIVE, THREE};
use collocation::{Collocation, Converged, KEEP_JACOBIAN, Workspace, max_iterations};

/// Implicit, orders 5 and 9, L-stable: for stiff systems.
#[derive(Clone, Debug)]
pub struct Radau<St: Storage> {
    /// The order to keep to, if one was asked for.
    fixed: Option<Order>,
    /// The order of the next step,
    order: Order,
    /// for how many steps it has been that,
    steps: u32,
    /// and how many iterations a step of order 5 last took.
    iterations: i32,
    /// How much further order 9 gets with its evaluations than order 5: the product over the last steps, in
    /// which older ones fade. Above 1 it pays.
    gain: f64,
    three: Collocation<St, 3, 1>,
    five: Collocation<St, 5, 2>,
    own: Workspace<St>,
    /// Whether the Jacobian belongs to the point the next step starts from, or may be kept.
    jacobian_is: Age,
    /// Whether it is taken at the end of a straight line over the step: where the step begins it may have no bound.
    ahead: bool,
    /// The last accepted step, as a guess for the next.
    last: Option<Last>,
    /// Whether the next step begins where the last one began, not where it ended.
    again: bool,
    /// How much of its last correction Newton's method left undone at last.
    convergence: f64,
    rejected: bool,
}

/// An order of [`Radau`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// With three stages.
    Five,
    /// With five stages.
    Nine,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Age {
    None,
    Old,
    Fresh,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    order: Order,
    h: f64,
    error: f64,
}

/// So many steps have order 5 before order 9 is tried, as in Hairer's code, and about so many steps of
/// order 9 count when it is judged.
const MEMORY: u32 = 10;
/// The next step is shorter by this than its error would allow.
const SAFETY: f64 = 0.9;

/// What the stages of a trial step gave.
struct Solved {
    converged: Converged,
    /// The estimate of its error, in units of what is allowed.
    err: f64,
    /// What it would have been with order 5.
    err_of_five: f64,
}

/// Evaluates the expression with the stages of that order.
macro_rules! with {
    ($order:expr, $radau:expr, $s:ident => $e:expr) => {
        match $order {
            Order::Five => {
                let $s = &mut $radau.three;
                $e
            }
            Order::Nine => {
                let $s = &mut $radau.five;
                $e
            }
        }
    };
}

impl Order {
    /// x^(1/(s + 1)): what relates the step to its error.
    fn root(self, x: f64) -> f64 {
        match self {
            Order::Five => sqrt(sqrt(x)),
            Order::Nine => powf(x, 1.0 / 6.0),
        }
    }

    /// Newton iterations before a step is given up.
    fn iterations(self) -> i32 {
        match self {
            Order::Five => max_iterations(3),
            Order::Nine => max_iterations(5),
        }
    }
}

impl<St: Storage> Radau<St> {
    /// Ready for a first step of `system`.
    pub fn new<Sys: System>(system: &Sys) -> Self {
        let n = system.states();
        let structure = Structure::of(system, false);
        let zero = St::states(n, 0.0);
        Radau {
            fixed: None,
            order: Order::Five,
            steps: 0,
            iterations: 1,
            gain: 1.0,
            three: Collocation::new(&THREE, &structure, n),
            five: Collocation::new(&FIVE, &structure, n),
            own: Workspace {
                jacobian: St::pairs(structure.entries(), 0.0),
                structure,
                dense: Polynomial::rest(0.0, zero.as_ref()),
                stage: zero.clone(),
                one_rate: zero.clone(),
                error: zero.clone(),
                ordered: zero.clone(),
                weight: zero,
            },
            jacobian_is: Age::None,
            ahead: false,
            last: None,
            again: false,
            convergence: 1.0,
            rejected: false,
        }
    }

    /// The same, but all steps have that order.
    pub fn of_order<Sys: System>(system: &Sys, order: Order) -> Self {
        Radau { fixed: Some(order), order, ..Radau::new(system) }
    }

    /// Solves for the stages and estimates their error; by which factor to shorten the step, if that fails.
    fn solve<Sys: System>(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        rtol: f64,
        statistics: &mut Statistics,
    ) -> Result<(Converged, f64), f64> {
        let Radau { own, last, again, rejected, convergence, .. } = self;
        with!(self.order, self, stages => {
            if stages.factors_for != Some(h) {
                statistics.factorisations += 1;
                if !stages.factorise(own, h) {
                    return Err(0.5);
                }
            }
            match last {
                Some(_) => stages.predict(&own.dense, h, *again),
                None => stages.rest(),
            }
            // The rate of convergence worsens from step to step, as ^0.8 does in Hairer's code.
            let before = convergence.max(f64::EPSILON);
            let ahead = before / sqrt(sqrt(before));
            let converged =
                stages.iterate(own, system, mode, start, h, rtol, ahead, statistics)?;
            let mut err = stages.estimate(own, h, Some(start.f));
            if err >= 1.0 && (last.is_none() || *rejected) {
                let stage = own.stage.as_mut();
                for ((stage, y), error) in stage.iter_mut().zip(start.y).zip(own.error.as_ref()) {
                    *stage = y + error;
                }
                system.rates(mode, start.t, stage, own.one_rate.as_mut());
                statistics.rhs += 1;
                err = stages.estimate(own, h, None);
            }
            Ok((converged, err))
        })
    }

    /// Chooses the order of the next step after an accepted one of length `h`; gives how long the
    /// next may be for all this says.
    fn choose(&mut self, h: f64, solved: &Solved, max_step: f64) -> f64 {
        if self.fixed.is_some() {
            return f64::INFINITY;
        }
        let Solved { converged: Converged { iterations, .. }, err, err_of_five } = *solved;
        let five = (h / Order::Five.root(err_of_five)).min(max_step);
        self.steps += 1;
        match self.order {
            Order::Five => {
                self.iterations = iterations;
                if self.steps >= MEMORY && five < max_step {
                    self.change(Order::Nine);
                }
                f64::INFINITY
            }
            Order::Nine => {
                let nine = (h / Order::Nine.root(err)).min(max_step);
                let evaluations = f64::from(3 * self.iterations) / f64::from(5 * iterations);
                let fade = 1.0 - 1.0 / f64::from(MEMORY);
                self.gain = nine / five * evaluations * powf(self.gain, fade);
                if self.gain >= 1.0 {
                    return f64::INFINITY;
                }
                self.change(Order::Five);
                SAFETY * five
            }
        }
    }

    /// Takes that order from now on, unless another one is to be kept to.
    fn change(&mut self, order: Order) {
        if self.fixed.is_none() {
            (self.order, self.steps, self.gain) = (order, 0, 1.0);
        }
    }

    /// After a step that failed: an old Jacobian may be why.
    fn fail(&mut self, next: f64, state: usize) -> Trial {
        self.rejected = true;
        if self.jacobian_is == Age::Old {
            self.jacobian_is = Age::None;
        }
        Trial { accepted: false, next, state }
    }

    /// Judges a step by the estimate of its error.
    fn judge(
        &mut self,
        start: Start<'_>,
        h: f64,
        max_step: f64,
        solved: &Solved,
        y: &mut [f64],
    ) -> Trial {
        let Solved { converged: Converged { iterations, rate, .. }, err, .. } = *solved;
        let most = f64::from(self.order.iterations());
        let effort = SAFETY * (2.0 * most + 1.0) / (2.0 * most + f64::from(iterations));
        let grow = (effort.min(SAFETY) / self.order.root(err)).clamp(0.2, 8.0);
        let state = worst(self.own.error.as_ref().iter().copied(), self.own.weight.as_ref());
        if err.is_nan() || err >= 1.0 {
            let next = if self.last.is_none() { 0.1 } else { grow.min(0.9) };
            let next = if err.is_finite() { h * next } else { h * 0.1 };
            return self.fail(next, state);
        }

        // Gustafsson: what the last two errors say of the next.
        let mut next = h * grow;
        if let Some(last) = &self.last
            && last.order == self.order
            && !self.again
        {
            let trend = SAFETY * (h / last.h) * self.order.root(last.error / (err * err));
            next = next.min(h * trend.clamp(0.2, 8.0));
        }
        if self.rejected {
            next = next.min(h);
        }
        self.rejected = false;
        self.ahead = false;
        self.last = Some(Last { order: self.order, h, error: err.max(1e-2) });
        self.again = false;
        // A step that would hardly change is kept, and with it the factors.
        if rate <= KEEP_JACOBIAN {
            self.jacobian_is = Age::Old;
            if next >= h && next <= 1.2 * h {
                next = h;
            }
        } else {
            self.jacobian_is = Age::None;
        }
        with!(self.order, self, stages => stages.interpolate(&mut self.own, start, h, y));
        let next = next.min(self.choose(h, solved, max_step));
        Trial { accepted: true, next, state }
    }
}

impl<Sys: System, St: Storage + 'static> Method<Sys> for Radau<St> {
    type Storage = St;
    type Dense = Polynomial<St, DEGREE>;
    const ESTIMATE_ORDER: u32 = 3;

    fn restart(&mut self) {
        self.jacobian_is = Age::None;
        self.ahead = false;
        self.last = None;
        self.again = false;
        self.convergence = 1.0;
        self.rejected = false;
    }

    fn again(&mut self) {
        self.again = self.last.is_some();
        self.jacobian_is = Age::Old;
    }

    fn step(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        options: &Options<St>,
        statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Trial {
        options.weigh(start.y.iter().copied(), self.own.weight.as_mut());
        if self.jacobian_is == Age::None {
            let Workspace { structure, jacobian, stage, .. } = &mut self.own;
            let part = if self.ahead { h } else { 0.0 };
            for ((stage, y), f) in stage.as_mut().iter_mut().zip(start.y).zip(start.f) {
                *stage = y + part * f;
            }
            let slopes = |y: &[Slope], dy: &mut [Slope]| system.slopes(mode, start.t + part, y, dy);
            structure.jacobian(slopes, stage.as_ref(), jacobian.as_mut());
            self.jacobian_is = Age::Fresh;
            (self.three.factors_for, self.five.factors_for) = (None, None);
            statistics.jacobians += 1;
        }
        match self.solve(system, mode, start, h, options.rtol, statistics) {
            Ok((converged, err)) => {
                self.convergence = converged.ahead;
                let mut solved = Solved { converged, err, err_of_five: err };
                if self.order == Order::Nine && err < 1.0 {
                    let Radau { five, own, .. } = self;
                    solved.err_of_five = five.estimate_lower(own, h, &DEFECT_OF_THREE);
                    solved.err = five.late_defect(own, system, mode, start, h, statistics).max(err);
                }
                self.judge(start, h, options.max_step, &solved, y)
            }
            Err(shrink) => {
                statistics.diverged += 1;
                let state = with!(self.order, self, stages => stages.restless(&self.own));
                self.change(Order::Five);
                if self.rejected && self.jacobian_is == Age::Fresh {
                    self.ahead = true;
                    self.jacobian_is = Age::None;
                }
                self.fail(h * shrink, state)
            }
        }
    }

    /// (γ/h − J)⁻¹(f − ẏ): of stiff states the error itself, of others what the defect adds over the step.
    fn defect(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        t: f64,
        statistics: &mut Statistics,
    ) -> f64 {
        // That of the step itself: the next may have another.
        let order = self.last.map_or(self.order, |last| last.order);
        let Workspace { structure, dense, stage, one_rate, ordered, .. } = &mut self.own;
        dense.at(t, stage.as_mut());
        system.rates(mode, t, stage.as_ref(), one_rate.as_mut());
        statistics.rhs += 1;
        dense.slope(t, stage.as_mut());
        let places = structure.order.as_ref();
        for (b, &i) in ordered.as_mut().iter_mut().zip(places) {
            *b = one_rate.as_ref()[i as usize] - stage.as_ref()[i as usize];
        }
        with!(order, self, stages => stages.filtered(&mut self.own))
    }

    fn dense(&self) -> &Polynomial<St, DEGREE> {
        &self.own.dense
    }

    fn line(&mut self, start: Start<'_>, t: f64, y: &[f64]) {
        self.own.dense.line(start.t, start.y, t, y);
        // A line foretells nothing.
        self.last = None;
    }
}
