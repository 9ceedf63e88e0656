use crate::coupled::{EVENTS, MAX_CONTACTS, Motion};
use crate::{Coupled, Mechanism};
use bristle_kernel::{GUARDS, MEMORY, Memory};
use bristle_ode::{
    Dense, Event, Failure, Method, Options, Reached, Solver, Statistics, System, Why,
};

/// Why [`Hybrid::advance`] came back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A step was accepted.
    Step,
    /// A step that ended at a switch, at a kink of a model or at a change of branch.
    Event,
    /// The time asked for.
    End,
}

/// So many events within [`CHATTER_SPAN`] of the run are chattering.
const CHATTER_EVENTS: usize = 1000;
/// A part of the time asked for.
const CHATTER_SPAN: f64 = 1e-6;

/// Drives a coupled system through its discrete changes.
///
/// Loads switch at their times, which are landed on. Where a friction model is not smooth the step
/// ends and the next one starts afresh. A model commits its discrete memory after accepted steps
/// only. Where friction is set-valued Filippov's rule decides at v = 0, and a stuck contact is left
/// where the force that holds it reaches its limit.
pub struct Hybrid<'s, M, Me, const N: usize> {
    system: &'s Coupled<M>,
    solver: Solver<'s, Coupled<M>, Me, N>,
    /// Events so far, and when the last thousand began.
    events: usize,
    mark: f64,
    landed: Option<Event>,
}

impl<'s, M: Mechanism, Me: Method<N>, const N: usize> Hybrid<'s, M, Me, N> {
    /// At t = 0, in the state `y`.
    pub fn new(system: &'s Coupled<M>, method: Me, y: [f64; N], options: Options<N>) -> Self {
        Self::resumed(system, method, y, options, [[0.0; MEMORY]; MAX_CONTACTS])
    }

    /// At t = 0, in the state `y`, with what each contact committed to before.
    pub fn resumed(
        system: &'s Coupled<M>,
        method: Me,
        y: [f64; N],
        options: Options<N>,
        memory: [Memory<f64>; MAX_CONTACTS],
    ) -> Self {
        debug_assert_eq!(system.states(), N);
        system.reset(0.0, &y, memory);
        let solver = Solver::new(system, method, 0.0, y, options);
        Hybrid { system, solver, events: 0, mark: 0.0, landed: None }
    }

    /// What is driven.
    pub fn system(&self) -> &'s Coupled<M> {
        self.system
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.solver.t()
    }

    /// State.
    pub fn y(&self) -> &[f64; N] {
        self.solver.y()
    }

    /// The solution over the last step.
    pub fn dense(&self) -> &Dense<N> {
        self.solver.dense()
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> &Statistics {
        self.solver.statistics()
    }

    /// The event at which the last step ended, if it did; of those of all contacts, in their order.
    pub fn landed(&self) -> Option<Event> {
        self.landed
    }

    /// Advances to `end`. `each` sees every accepted step before anything discrete changes at its
    /// end, so that forces within the step can be had from its dense output.
    pub fn run(&mut self, end: f64, mut each: impl FnMut(&Self)) -> Result<(), Failure> {
        while self.advance(end, &mut each)? != Stop::End {}
        Ok(())
    }

    /// Takes one accepted step, not beyond `end`.
    pub fn advance(&mut self, end: f64, each: &mut impl FnMut(&Self)) -> Result<Stop, Failure> {
        let (phase, before) = (self.system.phase.get(), self.solver.t());
        let switch = self.system.mechanism.switch(phase);
        if self.solver.t() >= end {
            return Ok(Stop::End);
        }
        // An event may have landed on the switch: then there is no step to it.
        let reached = match self.solver.t() < switch {
            true => self.solver.advance(end.min(switch))?,
            false => Reached::End,
        };
        self.landed = match reached {
            Reached::Event(event) => Some(event),
            Reached::Step | Reached::End => None,
        };
        if self.solver.t() > before {
            each(self);
        }
        let (t, y) = (self.solver.t(), *self.solver.y());
        match reached {
            Reached::Event(event) => {
                self.count_event(end)?;
                let (later, beyond) = self.beyond(event);
                self.change_motion(t, &y);
                self.system.commit(later, &beyond);
                self.solver.restart(y);
                Ok(if t >= end { Stop::End } else { Stop::Event })
            }
            Reached::End if t >= switch => {
                let before = self.system.velocities(t, &y);
                self.system.phase.set(phase + 1);
                self.system.commit(t, &y);
                self.system.switched(t, &y, before);
                self.solver.restart(y);
                Ok(if t >= end { Stop::End } else { Stop::Event })
            }
            Reached::Step | Reached::End => {
                if self.system.commit(t, &y) {
                    self.solver.restart(y);
                }
                Ok(if reached == Reached::End { Stop::End } else { Stop::Step })
            }
        }
    }

    /// Sets stuck contacts free that reached a limit, and decides for those that came to rest.
    fn change_motion(&self, t: f64, y: &[f64; N]) {
        let mut resting = [false; MAX_CONTACTS];
        for i in (0..self.system.contacts()).filter(|i| self.system.set_valued(*i)) {
            let motion = &self.system.motion[i];
            let fired = |k: usize| self.solver.fired(i * EVENTS + GUARDS + k);
            match motion.get() {
                Motion::Stuck if fired(0) => motion.set(Motion::Forward),
                Motion::Stuck if fired(1) => motion.set(Motion::Backward),
                Motion::Stuck => {}
                _ => resting[i] = fired(0),
            }
        }
        self.system.settle(t, y, resting);
    }

    fn count_event(&mut self, end: f64) -> Result<(), Failure> {
        self.events += 1;
        if !self.events.is_multiple_of(CHATTER_EVENTS) {
            return Ok(());
        }
        let (t, within) = (self.solver.t(), self.solver.t() - self.mark);
        self.mark = t;
        if within >= CHATTER_SPAN * end {
            return Ok(());
        }
        let h = self.dense().end() - self.dense().start();
        let why = Why::Chattering { events: CHATTER_EVENTS, within };
        Err(Failure { t, h, state: 0, why })
    }

    /// Time and state just beyond an event. On the zero itself a model cannot tell on which side it
    /// will be, and rounding may put the landing on either: look ahead until the guard has changed.
    fn beyond(&self, event: Event) -> (f64, [f64; N]) {
        let (t, y, rate) = (self.solver.t(), self.solver.y(), self.solver.rate());
        let look = |ahead: f64| (t + ahead, core::array::from_fn(|i| y[i] + ahead * rate[i]));
        let nearest = 1e-9 * (t - self.solver.dense().start());
        (0..30)
            .map(|k| look(nearest * f64::from(1 << k)))
            .find(|(t, y)| (self.system.event(event.index, *t, y) > 0.0) == event.rising)
            .unwrap_or_else(|| look(nearest))
    }
}
