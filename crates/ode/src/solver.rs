use crate::guards::{LOOKS, Watched, dip, first_bracket};
use crate::method::{Start, first_step};
use crate::{Cause, Dense, Failure, Method, Options, Statistics, Storage, System, Why};

/// So often a step to an event is taken, each one nearer.
const LANDINGS: usize = 12;
/// So many times the noise of an event a step ends before it at most.
const MOST_RETREAT: f64 = 8.0;
/// A guard that stays closer to zero than this part of the tolerances moves it cannot be told from zero:
/// at rest, rounding and Newton's method change its sign in every step.
const UNSEEN: f64 = 1e-3;
/// So many events within [`CHATTER_SPAN`] of the run are chattering.
const CHATTER_EVENTS: usize = 1000;
/// A part of the time asked for, or of that passed if it is shorter.
const CHATTER_SPAN: f64 = 1e-6;

/// Why [`Solver::advance`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A step was accepted.
    Step,
    /// The mode has changed at the end of the step, which may have no length.
    Event,
    /// The time asked for.
    End,
}

/// A run of one system by one method: time, state and mode, and what the method has learned. Cloned, it
/// is a run saved, and goes on with the same bits.
///
/// The system is handed to every call and keeps nothing of the run.
pub struct Solver<Sys: System, M: Method<Sys>> {
    method: M,
    options: Options<M::Storage>,
    mode: Sys::Mode,
    /// The mode of the last step, if it ended with it.
    left: Option<Sys::Mode>,
    t: f64,
    y: States<Sys, M>,
    f: States<Sys, M>,
    /// The state that a trial step ends in, and one within it.
    trial: States<Sys, M>,
    inside: States<Sys, M>,
    /// The step to try next.
    h: Option<f64>,
    /// The length of the last step, before an event cut it: the first one after that is not far longer.
    usual: f64,
    /// The state whose error set it.
    held: usize,
    /// The guards where the next step begins, and over the last one.
    watched: Guards<Sys, M, Watched>,
    /// The same in the last mode.
    kept: Guards<Sys, M, Watched>,
    seen: [Guards<Sys, M, f64>; LOOKS + 2],
    scratch: Guards<Sys, M, f64>,
    fired: Guards<Sys, M, bool>,
    statistics: Statistics,
    /// When the last thousand events began.
    mark: f64,
}

/// Not derived: that would ask the system to be `Clone` too.
impl<Sys: System, M: Method<Sys>> Clone for Solver<Sys, M> {
    fn clone(&self) -> Self {
        Solver {
            method: self.method.clone(),
            options: self.options.clone(),
            mode: self.mode.clone(),
            left: self.left.clone(),
            y: self.y.clone(),
            f: self.f.clone(),
            trial: self.trial.clone(),
            inside: self.inside.clone(),
            watched: self.watched.clone(),
            kept: self.kept.clone(),
            seen: self.seen.clone(),
            scratch: self.scratch.clone(),
            fired: self.fired.clone(),
            ..*self
        }
    }
}

type States<Sys, M> = <<M as Method<Sys>>::Storage as Storage>::States<f64>;
type Guards<Sys, M, T> = <<M as Method<Sys>>::Storage as Storage>::Guards<T>;

/// What became of a step with respect to events.
enum Landing {
    /// It has none.
    Nothing,
    /// It was cut short at one.
    On,
    /// A step of this length comes first: it has one that no single step reaches, or hides something before its end.
    Nearer(f64),
}

/// How a mode ends.
#[derive(Clone, Copy, PartialEq)]
enum Exit {
    /// Its time has come.
    Clock,
    /// A step landed where a guard falls to zero.
    Landed,
    /// A guard was below zero where a step would begin.
    Fallen,
}

impl<Sys: System, M: Method<Sys>> Solver<Sys, M> {
    /// Stands at `t` with state `y` in `mode`.
    pub fn new(
        system: &Sys,
        method: M,
        t: f64,
        y: &[f64],
        mode: Sys::Mode,
        options: Options<M::Storage>,
    ) -> Self {
        let (n, guards) = (system.states(), system.guards());
        let options = Options { max_step: options.max_step.min(system.smooth_for()), ..options };
        let zero = <M::Storage as Storage>::states(n, 0.0);
        let values = <M::Storage as Storage>::guards(guards, 0.0);
        let mut own = zero.clone();
        own.as_mut().copy_from_slice(y);
        let mut solver = Solver {
            method,
            h: options.first_step,
            options,
            mode,
            left: None,
            t,
            y: own,
            f: zero.clone(),
            trial: zero.clone(),
            inside: zero,
            usual: f64::INFINITY,
            held: 0,
            watched: <M::Storage as Storage>::guards(guards, Watched::default()),
            kept: <M::Storage as Storage>::guards(guards, Watched::default()),
            seen: core::array::from_fn(|_| values.clone()),
            scratch: values,
            fired: <M::Storage as Storage>::guards(guards, false),
            statistics: Statistics::default(),
            mark: t,
        };
        let start = Start { t, y: solver.y.as_ref(), f: solver.f.as_ref() };
        solver.method.line(start, t, solver.y.as_ref());
        solver.begin(system);
        solver
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// State.
    pub fn y(&self) -> &[f64] {
        self.y.as_ref()
    }

    /// f(t, y).
    pub fn rate(&self) -> &[f64] {
        self.f.as_ref()
    }

    /// Mode.
    pub fn mode(&self) -> &Sys::Mode {
        &self.mode
    }

    /// The solution over the last step.
    pub fn dense(&self) -> &M::Dense {
        self.method.dense()
    }

    /// The mode in which the last step was taken.
    pub fn step_mode(&self) -> &Sys::Mode {
        self.left.as_ref().unwrap_or(&self.mode)
    }

    /// The guards that ended the last step, each marked by `true`.
    pub fn fired(&self) -> &[bool] {
        self.fired.as_ref()
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The shortest step that moves time.
    fn resolution(&self) -> f64 {
        8.0 * f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE)
    }

    /// Goes on from the same time with another state or mode: nothing learned from earlier steps is used.
    pub fn restart(&mut self, system: &Sys, y: &[f64], mode: Sys::Mode) {
        self.y.as_mut().copy_from_slice(y);
        self.mode = mode;
        self.begin(system);
    }

    /// Begins a mode; tells whether the rates are those of the last one, which are in `inside`.
    fn begin(&mut self, system: &Sys) -> bool {
        /// Rates that differ by less than this part have not jumped.
        const JUMP: f64 = 1e-6;
        system.rates(&self.mode, self.t, self.y.as_ref(), self.f.as_mut());
        self.statistics.rhs += 1;
        let rates = self.f.as_ref().iter().zip(self.inside.as_ref());
        let goes_on = rates.into_iter().all(|(f, g)| (f - g).abs() <= JUMP * (f.abs() + g.abs()));
        self.method.restart();
        self.h = self.options.first_step;
        if system.guards() == 0 {
            return goes_on;
        }
        // What tolerances, rounding and the resolution of time change a guard by is no side of zero.
        let (y, f, atol) = (self.y.as_ref(), self.f.as_ref(), self.options.atol.as_ref());
        system.watch(&self.mode, self.t, y, self.seen[0].as_mut());
        self.watched.as_mut().fill(Watched::default());
        for close in [0.0, 2.0 * self.resolution()] {
            let inside = self.inside.as_mut();
            let states = y.iter().zip(f).zip(atol).enumerate();
            for (inside, (k, ((y, f), atol))) in inside.iter_mut().zip(states) {
                // By different parts, so that differences of states move too.
                let part = 0.5 + (0.618 * k as f64) % 1.0;
                let unseen = (UNSEEN * atol).max(4.0 * f64::EPSILON * y.abs());
                *inside = if close > 0.0 { y + close * f } else { y + part * unseen };
            }
            system.watch(&self.mode, self.t + close, inside, self.scratch.as_mut());
            let values = self.seen[0].as_ref().iter().zip(self.scratch.as_ref());
            for (watched, (here, there)) in self.watched.as_mut().iter_mut().zip(values) {
                watched.own = watched.own.max((there - here).abs());
                watched.slack = watched.own;
                watched.armed = *here > watched.slack;
            }
        }
        goes_on
    }

    /// Advances to `end`, through all events.
    pub fn run(&mut self, system: &Sys, end: f64) -> Result<(), Failure> {
        while self.advance(system, end)? != Reached::End {}
        Ok(())
    }

    /// Takes one accepted step, not beyond `end`, and stops it at the first event inside.
    pub fn advance(&mut self, system: &Sys, end: f64) -> Result<Reached, Failure> {
        self.left = None;
        self.fired.as_mut().fill(false);
        if self.t >= end {
            return Ok(Reached::End);
        }
        let due = system.due(&self.mode);
        if self.fallen(system) {
            self.stay();
            return self.leave(system, Exit::Fallen, end);
        }
        if due <= self.t {
            self.stay();
            return self.leave(system, Exit::Clock, end);
        }
        let limit = end.min(due);
        if limit - self.t <= self.resolution() {
            // An event was landed on just before: no method can resolve the rest.
            let (t, rest) = (self.t, limit - self.t);
            let trial = self.trial.as_mut();
            for ((trial, y), f) in trial.iter_mut().zip(self.y.as_ref()).zip(self.f.as_ref()) {
                *trial = y + rest * f;
            }
            let start = Start { t, y: self.y.as_ref(), f: self.f.as_ref() };
            self.method.line(start, limit, self.trial.as_ref());
            self.look(system);
            self.arrive(system, limit);
        } else {
            loop {
                let next = self.accept(system, limit)?;
                match self.land(system, due) {
                    Landing::Nothing => {
                        self.h = Some(next);
                        break;
                    }
                    Landing::On => return self.leave(system, Exit::Landed, end),
                    Landing::Nearer(h) => self.h = Some(h),
                }
            }
        }
        // What is due at the end itself belongs to what comes after.
        if self.t >= due && self.t < end {
            return self.leave(system, Exit::Clock, end);
        }
        Ok(if self.t >= end { Reached::End } else { Reached::Step })
    }

    /// Whether a guard is clearly below zero where a step would begin; marks those that are.
    fn fallen(&mut self, system: &Sys) -> bool {
        let mut any = false;
        let guards = self.seen[0].as_ref().iter().zip(self.watched.as_ref()).take(system.guards());
        for (fired, (value, watched)) in self.fired.as_mut().iter_mut().zip(guards) {
            *fired = *value < -watched.slack;
            any |= *fired;
        }
        any
    }

    /// Makes the last step one without length.
    fn stay(&mut self) {
        let start = Start { t: self.t, y: self.y.as_ref(), f: self.f.as_ref() };
        self.method.line(start, self.t, self.y.as_ref());
    }

    /// Moves on to the next mode.
    fn leave(&mut self, system: &Sys, exit: Exit, end: f64) -> Result<Reached, Failure> {
        self.count_event(end)?;
        self.left = Some(self.mode.clone());
        let cause = match exit {
            Exit::Clock => Cause::Clock,
            Exit::Landed | Exit::Fallen => Cause::Guards(self.fired.as_ref()),
        };
        // By how much a landing missed its zero, which time and state resolve no better, is no side of it: neither
        // for the guard that fired nor for one that the next mode has there. Guards that go on know nothing of it.
        let mut missed: f64 = 0.0;
        system.watch(&self.mode, self.t, self.y.as_ref(), self.seen[1].as_mut());
        if exit == Exit::Landed {
            let values = self.seen[1].as_ref().iter().zip(self.watched.as_ref());
            for ((value, watched), _) in values.zip(self.fired.as_ref()).filter(|v| *v.1) {
                missed = missed.max(2.0 * watched.missed(*value));
            }
        }
        system.next(&mut self.mode, self.t, self.y.as_mut(), cause);
        self.inside.as_mut().copy_from_slice(self.f.as_ref());
        core::mem::swap(&mut self.watched, &mut self.kept);
        let goes_on = self.begin(system);
        if goes_on && self.options.first_step.is_none() {
            // A kink: the step that was good before it is a good guess after it.
            self.h = Some(self.usual);
        }
        let [here, before, ..] = &self.seen;
        let guards = here.as_ref().iter().zip(before.as_ref()).zip(self.fired.as_ref());
        let guards = guards.zip(self.kept.as_ref());
        for (watched, (((here, before), fired), kept)) in
            self.watched.as_mut().iter_mut().zip(guards)
        {
            if !fired && (here - before).abs() <= watched.own {
                watched.slack = watched.slack.max(kept.slack);
                watched.armed = kept.armed || *here > watched.slack;
            } else if here.abs() <= missed {
                watched.armed = false;
                watched.slack = watched.slack.max(missed);
            }
        }
        Ok(if self.t >= end { Reached::End } else { Reached::Event })
    }

    fn count_event(&mut self, end: f64) -> Result<(), Failure> {
        self.statistics.events += 1;
        if !self.statistics.events.is_multiple_of(CHATTER_EVENTS) {
            return Ok(());
        }
        let within = self.t - self.mark;
        self.mark = self.t;
        if within >= CHATTER_SPAN * end.abs().min(self.t.abs()) {
            return Ok(());
        }
        let h = self.dense().end() - self.dense().start();
        Err(self.failure(h, 0, Why::Chattering { events: CHATTER_EVENTS, within }))
    }

    /// Tries steps until one passes; leaves its end in `trial` and gives the next step.
    fn accept(&mut self, system: &Sys, limit: f64) -> Result<f64, Failure> {
        let span = limit - self.t;
        if let Some(state) = self.f.as_ref().iter().position(|f| !f.is_finite()) {
            return Err(self.failure(span, state, Why::NotFinite));
        }
        let wanted = match self.h {
            Some(h) => h,
            None => {
                let start = Start { t: self.t, y: self.y.as_ref(), f: self.f.as_ref() };
                let order = M::ESTIMATE_ORDER;
                let first = first_step(system, &self.mode, start, span, order, &self.options);
                self.statistics.rhs += 1;
                // Where a state passes zero the guess, which goes by its size, may vanish.
                first.min(8.0 * self.usual).max(16.0 * self.resolution())
            }
        };
        let mut h = wanted.min(self.options.max_step);
        loop {
            if h.is_nan() || h <= self.resolution() {
                return Err(self.failure(h, self.held, Why::StepTooSmall));
            }
            let tries =
                self.statistics.accepted + self.statistics.rejected + self.statistics.diverged;
            if tries >= self.options.max_steps {
                let limit = self.options.max_steps;
                return Err(self.failure(h, self.held, Why::TooManySteps { limit }));
            }
            // The rest in one step if it nearly fits, in two equal ones if it would leave a crumb.
            let last = h * (1.0 + 1e-8) >= span;
            let step = if last {
                span
            } else if 2.0 * h >= span {
                0.5 * span
            } else {
                h
            };
            let trial = self.step(system, step);
            self.held = trial.state;
            if !trial.accepted {
                self.statistics.rejected += 1;
                h = trial.next;
                continue;
            }
            if let Some(state) = self.trial.as_ref().iter().position(|y| !y.is_finite()) {
                self.held = state;
                self.statistics.rejected += 1;
                h = 0.1 * step;
                self.method.restart();
                continue;
            }
            self.statistics.accepted += 1;
            self.usual = step;
            // A step cut short for the end says nothing against the one wanted.
            return Ok(if step < h { trial.next.max(h) } else { trial.next });
        }
    }

    /// One trial step of length `h`.
    fn step(&mut self, system: &Sys, h: f64) -> crate::Trial {
        let Solver { method, mode, t, y, f, options, statistics, trial, .. } = self;
        let start = Start { t: *t, y: y.as_ref(), f: f.as_ref() };
        method.step(system, mode, start, h, options, statistics, trial.as_mut())
    }

    fn failure(&self, h: f64, state: usize, why: Why) -> Failure {
        Failure { t: self.t, h, state, why }
    }

    /// Whether a step without an event ends so close to one that it may hide what one that ends there does.
    fn nearly(&self) -> bool {
        /// A guard has fallen to less than this part of what it was.
        const LEFT: f64 = 1e-2;
        let guards = self.seen[0].as_ref().iter().zip(self.seen[LOOKS + 1].as_ref());
        let mut guards = guards.zip(self.watched.as_ref());
        guards.any(|((start, end), watched)| watched.armed && *end < LEFT * start)
    }

    /// Where a step that ends at an event hides something: the length to cut it to. Rates of friction vanish with
    /// speed, so that a step which ends where a contact comes to rest does not see the layer, as narrow as v_s, that
    /// it passes just before. The solution is held against the rates ever closer to the end.
    fn hidden(&mut self, system: &Sys) -> Option<f64> {
        /// So many places, each a quarter as far from the end as the one before.
        const PLACES: i32 = 5;
        let Solver { method, mode, statistics, .. } = self;
        let h = method.dense().end() - method.dense().start();
        let mut rest = 0.25 * h;
        for _ in 0..PLACES {
            let t = method.dense().end() - rest;
            if method.defect(system, mode, t, statistics) > 1.0 {
                method.again();
                return Some(h - rest);
            }
            rest *= 0.25;
        }
        None
    }

    /// Moves to the end of the step just taken, in which no guard ends.
    fn pass(&mut self, system: &Sys, due: f64) -> Landing {
        let end = self.dense().end();
        if (end >= due || self.nearly())
            && let Some(h) = self.hidden(system)
        {
            return Landing::Nearer(h);
        }
        self.arrive(system, end);
        Landing::Nothing
    }

    /// Moves to the end of the step just taken, or to the first event in it.
    fn land(&mut self, system: &Sys, due: f64) -> Landing {
        let from = self.t;
        let end = self.dense().end();
        let Some((mut index, mut level, mut t)) = self.first_event(system, None) else {
            return self.pass(system, due);
        };
        // The polynomial is less accurate than the step: step again to where it puts the event, and
        // look again, until the time stays. The trial is the state at `t` throughout: a time
        // corrected without a step to it would be an error of the whole state.
        let (mut last, mut retreat) = (f64::INFINITY, 1.0);
        // A step that ends on the event is there already.
        let landings = if t == end { 0 } else { LANDINGS };
        for landing in 1..=landings {
            let h = t - from;
            if h <= self.resolution().max(16.0 * f64::EPSILON * (end - from)) {
                self.trial.as_mut().copy_from_slice(self.y.as_ref());
                t = from;
                self.stay();
                break;
            }
            self.method.again();
            if !self.step(system, h).accepted {
                return Landing::Nearer(0.5 * h);
            }
            if landing == LANDINGS {
                break;
            }
            // Another one before it, which the longer step had not shown?
            if let Some((other, other_level, earlier)) = self.first_event(system, Some(index))
                && earlier < t - 1e-9 * h
            {
                (index, level, t) = (other, other_level, earlier);
                last = f64::INFINITY;
                continue;
            }
            // Newton's method on the true solution, whose slope the guard has here. Where the shifts
            // stop shrinking they are noise.
            let e = 1e-6 * h;
            let value = self.guard(system, index, t, 0.0);
            if t == end && value > level {
                // The polynomial falls to zero within the step, the solution does not.
                return self.pass(system, due);
            }
            let slope = (self.guard(system, index, t, e) - value) / e;
            let shift = (level - value) / slope;
            let settled = shift.abs() <= 4.0 * f64::EPSILON * t.abs().max(h);
            let nearer = shift.abs() < 0.5 * h.min(last);
            // Noise that leaves a guard clearly below zero is too much: rather a little before it.
            let beyond = value < level - self.watched.as_ref()[index].own;
            let retreats = beyond && retreat < MOST_RETREAT && MOST_RETREAT * shift.abs() < 0.5 * h;
            if settled || !(nearer || retreats) {
                break;
            }
            retreat = if nearer { 1.0 } else { 2.0 * retreat };
            last = shift.abs();
            // What is due at the end of the step is not passed.
            t = (t + retreat * shift).min(end);
        }
        let h = t - from;
        if h > 0.0
            && let Some(h) = self.hidden(system)
        {
            return Landing::Nearer(h);
        }
        // Others whose zero is no further away than time can tell fire with it.
        let close = 16.0 * f64::EPSILON * t.abs().max(h);
        self.guard(system, index, t, close);
        let values = self.scratch.as_ref().iter().zip(self.watched.as_ref());
        for (i, (fired, (value, watched))) in self.fired.as_mut().iter_mut().zip(values).enumerate()
        {
            *fired = i == index || (watched.armed && *value <= 0.0);
        }
        self.arrive(system, t);
        Landing::On
    }

    /// Writes the guards at the end of a trial step to `t`, or `ahead` of it along the rates there, into `scratch`;
    /// gives guard `i`.
    fn guard(&mut self, system: &Sys, i: usize, t: f64, ahead: f64) -> f64 {
        let Solver { trial, inside, scratch, mode, .. } = self;
        if ahead > 0.0 {
            system.rates(mode, t, trial.as_ref(), inside.as_mut());
            self.statistics.rhs += 1;
            for (inside, y) in inside.as_mut().iter_mut().zip(trial.as_ref()) {
                *inside = y + ahead * *inside;
            }
        } else {
            inside.as_mut().copy_from_slice(trial.as_ref());
        }
        system.watch(mode, t + ahead, inside.as_ref(), scratch.as_mut());
        scratch.as_ref()[i]
    }

    /// Stands at `t` in the trial state.
    fn arrive(&mut self, system: &Sys, t: f64) {
        self.t = t;
        core::mem::swap(&mut self.y, &mut self.trial);
        system.rates(&self.mode, t, self.y.as_ref(), self.f.as_mut());
        self.statistics.rhs += 1;
        // Of a step without events the guards at its end are known.
        self.seen.swap(0, LOOKS + 1);
        for (watched, value) in self.watched.as_mut().iter_mut().zip(self.seen[0].as_ref()) {
            watched.armed |= *value > watched.slack;
        }
    }

    /// Writes the guards over the step just taken, whose end is the trial state.
    fn look(&mut self, system: &Sys) {
        if system.guards() == 0 {
            return;
        }
        let Solver { method, mode, seen, inside, trial, .. } = self;
        let dense = method.dense();
        for (k, values) in seen.iter_mut().enumerate().skip(1).take(LOOKS) {
            let t = time_of(dense, k);
            dense.at(t, inside.as_mut());
            system.watch(mode, t, inside.as_ref(), values.as_mut());
        }
        system.watch(mode, dense.end(), trial.as_ref(), seen[LOOKS + 1].as_mut());
    }

    /// The earliest event within the step just taken, but for that of guard `known`: which guard, the level that it
    /// passes, and when.
    fn first_event(&mut self, system: &Sys, known: Option<usize>) -> Option<(usize, f64, f64)> {
        self.look(system);
        let Solver { method, mode, seen, watched, inside, scratch, .. } = self;
        let dense = method.dense();
        let mut first: Option<(usize, f64, f64)> = None;
        for (i, &watched) in watched.as_ref().iter().enumerate().take(system.guards()) {
            let values: [f64; LOOKS + 2] = core::array::from_fn(|k| seen[k].as_ref()[i]);
            let clear = watched.armed && values.iter().all(|v| *v > 0.0) && dip(&values).is_none();
            if clear || known == Some(i) {
                continue;
            }
            let mut at = |t: f64| {
                dense.at(t, inside.as_mut());
                system.guard(i, mode, t, inside.as_ref(), scratch.as_mut())
            };
            let Some(mut bracket) = first_bracket(watched, values, |k| time_of(dense, k), &mut at)
            else {
                continue;
            };
            // Only what is passed before the earliest so far is worth locating.
            if let Some((_, _, earliest)) = first {
                if bracket.above >= earliest {
                    continue;
                }
                if bracket.below > earliest {
                    let value = at(earliest);
                    if value > bracket.level {
                        continue;
                    }
                    (bracket.below, bracket.values[1]) = (earliest, value);
                }
            }
            first = Some((i, bracket.level, bracket.locate(&mut at)));
        }
        first
    }
}

/// The time of look `k`.
fn time_of(dense: &impl Dense, k: usize) -> f64 {
    let (start, end) = (dense.start(), dense.end());
    if k > LOOKS { end } else { start + (end - start) * k as f64 / (LOOKS + 1) as f64 }
}
