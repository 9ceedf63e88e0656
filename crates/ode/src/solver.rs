use crate::event::{Event, counts, locate, side};
use crate::method::{Start, Trial, first_step};
use crate::{Dense, Failure, Method, Options, Statistics, System, Why, vector};

/// At most so many event functions are watched.
const MAX_EVENTS: usize = 16;
/// At so many places within a step event functions are looked at, besides its end.
const LOOKS: usize = 4;
/// So often a step to an event is taken, each one nearer.
const LANDINGS: usize = 12;

/// An event function that stays closer to zero than this part of the tolerances moves it has not
/// crossed: at rest, rounding and Newton's method change its sign in every step.
const UNSEEN: f64 = 1e-3;

/// Why [`Solver::advance`] came back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// A step was accepted.
    Step,
    /// An event fired at the end of the step, which is where the solver now stands. The earliest,
    /// if there are several; [`Solver::fired`] tells them all.
    Event(Event),
    /// The time asked for.
    End,
}

/// What became of a step with respect to events.
enum Landing {
    /// It has none.
    Nothing,
    /// It was cut short at this one.
    On(Event),
    /// It has one at this distance, which no single step reaches.
    TooFar(f64),
}

/// Advances one system by one method, step by step.
pub struct Solver<'s, Sys, M, const N: usize> {
    system: &'s Sys,
    method: M,
    options: Options<N>,
    at: Start<N>,
    /// The step to try next.
    h: Option<f64>,
    /// The length of the last step, before an event cut it: the first one after that is not far longer.
    usual: f64,
    /// The state whose error set it.
    held: usize,
    dense: Dense<N>,
    sides: [i8; MAX_EVENTS],
    /// How far from zero each event function must be to be on a side.
    slack: [f64; MAX_EVENTS],
    fired: [bool; MAX_EVENTS],
    statistics: Statistics,
}

impl<'s, Sys: System<N>, M: Method<N>, const N: usize> Solver<'s, Sys, M, N> {
    /// Stands at `t` with state `y`.
    pub fn new(system: &'s Sys, method: M, t: f64, y: [f64; N], options: Options<N>) -> Self {
        let at = Start { t, y, f: [0.0; N] };
        let dense = Dense { t0: t, h: 0.0, y0: y, c: [[0.0; N]; 4] };
        let mut solver = Solver {
            system,
            method,
            options,
            at,
            h: options.first_step,
            usual: f64::INFINITY,
            held: 0,
            dense,
            sides: [0; MAX_EVENTS],
            slack: [0.0; MAX_EVENTS],
            fired: [false; MAX_EVENTS],
            statistics: Statistics::default(),
        };
        solver.restart(y);
        solver
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.at.t
    }

    /// State.
    pub fn y(&self) -> &[f64; N] {
        &self.at.y
    }

    /// f(t, y).
    pub fn rate(&self) -> &[f64; N] {
        &self.at.f
    }

    /// The solution over the last step.
    pub fn dense(&self) -> &Dense<N> {
        &self.dense
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether event `i` fired at the end of the last step.
    pub fn fired(&self, i: usize) -> bool {
        self.fired.get(i).copied().unwrap_or(false)
    }

    /// The shortest step that moves time.
    fn resolution(&self) -> f64 {
        8.0 * f64::EPSILON * self.at.t.abs().max(f64::MIN_POSITIVE)
    }

    fn watched(&self) -> usize {
        self.system.events().min(MAX_EVENTS)
    }

    /// Goes on from the same time with another state, or with a system that has changed: nothing
    /// learned from earlier steps is used. An event function that is zero here, or that fired here,
    /// fires again only after it has left zero.
    pub fn restart(&mut self, y: [f64; N]) {
        self.at.y = y;
        self.at.f = self.system.rate(self.at.t, &y);
        self.statistics.rhs += 1;
        self.method.restart();
        self.h = self.options.first_step;
        let aside: [f64; N] = vector(|i| y[i] + UNSEEN * self.options.atol[i]);
        let (here, there) = (self.watch(self.at.t, &y), self.watch(self.at.t, &aside));
        for i in 0..self.watched() {
            let zero = self.fired[i] && self.near_zero(i, here[i]);
            self.sides[i] = if zero { 0 } else { side(here[i]) };
            self.slack[i] = (there[i] - here[i]).abs();
        }
    }

    /// The event functions at this time, in this state.
    fn watch(&self, t: f64, y: &[f64; N]) -> [f64; MAX_EVENTS] {
        let mut values = [0.0; MAX_EVENTS];
        self.system.watch(t, y, &mut values[..self.watched()]);
        values
    }

    /// Whether event function `i` is zero here as far as time can tell. One that fired is not where the
    /// system has changed it: the next edge of a row is not the one just passed.
    fn near_zero(&self, i: usize, value: f64) -> bool {
        let Start { t, y, f } = self.at;
        let e = 2.0 * self.resolution();
        let ahead: [f64; N] = vector(|k| y[k] + e * f[k]);
        value.abs() <= 1e6 * (self.system.event(i, t + e, &ahead) - value).abs()
    }

    /// Advances to `end`, through events, which only restart the method.
    pub fn run(&mut self, end: f64) -> Result<(), Failure> {
        loop {
            match self.advance(end)? {
                Reached::Step => {}
                Reached::Event(_) => self.restart(self.at.y),
                Reached::End => return Ok(()),
            }
        }
    }

    /// Takes one accepted step, not beyond `end`, and stops it at the first event inside.
    pub fn advance(&mut self, end: f64) -> Result<Reached, Failure> {
        self.fired = [false; MAX_EVENTS];
        if self.at.t >= end {
            return Ok(Reached::End);
        }
        if end - self.at.t <= self.resolution() {
            // An event was landed on just before: no method can resolve the rest.
            let Start { t, y, f } = self.at;
            let rest = end - t;
            self.dense = Dense { t0: t, h: rest, y0: y, c: [[0.0; N]; 4] };
            self.dense.c[0] = f.map(|f| rest * f);
            let y = self.dense.at(end);
            self.arrive(end, y, &self.watch(end, &y));
            return Ok(Reached::End);
        }
        loop {
            let (next, y) = self.accept(end)?;
            match self.land(y) {
                Landing::Nothing => {
                    self.h = Some(next);
                    return Ok(if self.at.t >= end { Reached::End } else { Reached::Step });
                }
                Landing::On(event) => {
                    self.h = None;
                    self.statistics.events += 1;
                    return Ok(Reached::Event(event));
                }
                // The step to the event does not pass on its own: come nearer first.
                Landing::TooFar(h) => self.h = Some(0.5 * h),
            }
        }
    }

    /// Tries steps until one passes; leaves it in `dense` and gives its end and the next step.
    fn accept(&mut self, end: f64) -> Result<(f64, [f64; N]), Failure> {
        let span = end - self.at.t;
        if let Some(state) = self.at.f.iter().position(|f| !f.is_finite()) {
            return Err(self.failure(span, state, Why::NotFinite));
        }
        let wanted = match self.h {
            Some(h) => h,
            None => {
                let order = M::ESTIMATE_ORDER;
                let Self { system, at, options, statistics, .. } = self;
                let first = first_step(*system, at, span, order, options, statistics);
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
            let Self { system, method, at, options, statistics, .. } = self;
            match method.step(*system, at, step, options, statistics) {
                Trial::Accepted { dense, y, next, state } if y.iter().all(|y| y.is_finite()) => {
                    self.statistics.accepted += 1;
                    self.dense = dense;
                    self.held = state;
                    self.usual = step;
                    // A step cut short for the end says nothing against the one wanted.
                    let next = if step < h { next.max(h) } else { next };
                    return Ok((next, y));
                }
                Trial::Accepted { y, .. } => {
                    self.held = y.iter().position(|y| !y.is_finite()).unwrap_or(0);
                    self.statistics.rejected += 1;
                    h = 0.1 * step;
                    self.method.restart();
                }
                Trial::Rejected { next, state } => {
                    self.statistics.rejected += 1;
                    self.held = state;
                    h = next;
                }
            }
        }
    }

    fn failure(&self, h: f64, state: usize, why: Why) -> Failure {
        Failure { t: self.at.t, h, state, why }
    }

    /// Moves to the end of the step just taken, or to the first event in it.
    fn land(&mut self, y: [f64; N]) -> Landing {
        let (first, values) = self.first_event(&y);
        let Some((mut index, mut t)) = first else {
            self.arrive(self.dense.end(), y, &values);
            return Landing::Nothing;
        };
        // The polynomial is less accurate than the step: step again to where it puts the event, and
        // look again, until the time stays. `reached` is the state at `t` throughout: a time
        // corrected without a step to it would be an error of the whole state.
        let start = self.at;
        let mut last = f64::INFINITY;
        let mut tries = 0;
        let reached = loop {
            let h = t - start.t;
            let Self { system, method, options, statistics, .. } = self;
            method.again();
            let Trial::Accepted { dense, y: reached, .. } =
                method.step(*system, &start, h, options, statistics)
            else {
                return Landing::TooFar(h);
            };
            self.dense = dense;
            tries += 1;
            if tries == LANDINGS {
                break reached;
            }
            // Another one before it, which the longer step had not shown?
            if let (Some((other, earlier)), _) = self.first_event(&reached)
                && other != index
                && earlier < t - 1e-9 * h
            {
                (index, t) = (other, earlier);
                last = f64::INFINITY;
                continue;
            }
            // Newton's method on the true solution, whose slope the event function has here. Where
            // the shifts stop shrinking they are noise.
            let Self { system, statistics, .. } = self;
            let rate = system.rate(t, &reached);
            statistics.rhs += 1;
            let value = system.event(index, t, &reached);
            let e = 1e-6 * h;
            let ahead: [f64; N] = vector(|i| reached[i] + e * rate[i]);
            let slope = (system.event(index, t + e, &ahead) - value) / e;
            let shift = -value / slope;
            let settled = shift.abs() <= 4.0 * f64::EPSILON * t.abs().max(h);
            let nearer = shift.abs() < 0.5 * h.min(last);
            if settled || !nearer {
                break reached;
            }
            last = shift.abs();
            t += shift;
        };
        self.dense.h = t - start.t;
        let rising = self.sides[index] < 0;
        let sides = self.sides;
        self.arrive(t, reached, &self.watch(t, &reached));
        // Others whose zero is no further away than time can tell fire with it.
        let close = 16.0 * f64::EPSILON * t.abs().max(self.dense.h);
        let ahead: [f64; N] = vector(|i| reached[i] + close * self.at.f[i]);
        for i in 0..self.watched() {
            let to = side(self.system.event(i, t + close, &ahead));
            if i == index || counts(self.system.crossing(i), sides[i], to) {
                self.fired[i] = true;
                self.sides[i] = 0;
            }
        }
        Landing::On(Event { index, t, rising })
    }

    /// Stands at `t` in state `y`, where the event functions have these values.
    fn arrive(&mut self, t: f64, y: [f64; N], values: &[f64; MAX_EVENTS]) {
        self.at = Start { t, y, f: self.system.rate(t, &y) };
        self.statistics.rhs += 1;
        for i in 0..self.watched() {
            let now = side(values[i]);
            if now != 0 && values[i].abs() >= self.slack[i] {
                self.sides[i] = now;
            }
        }
    }

    /// The earliest crossing within the step in `dense`, which ends at `y`, and the event functions there.
    fn first_event(&self, y: &[f64; N]) -> (Option<(usize, f64)>, [f64; MAX_EVENTS]) {
        let (t0, h) = (self.dense.t0, self.dense.h);
        let time =
            |k: usize| if k > LOOKS { t0 + h } else { t0 + h * k as f64 / (LOOKS + 1) as f64 };
        let state = |t: f64| if t >= t0 + h { *y } else { self.dense.at(t) };
        let watched = self.watched();
        let mut looks = [[0.0; MAX_EVENTS]; LOOKS + 1];
        for (k, values) in looks.iter_mut().enumerate() {
            let t = time(k + 1);
            self.system.watch(t, &state(t), &mut values[..watched]);
        }
        let mut first: Option<(usize, f64)> = None;
        for i in 0..watched {
            let away = f64::from(self.sides[i]);
            let stays = looks.iter().all(|values| away * values[i] > 0.0);
            if stays || looks.iter().all(|values| values[i].abs() < self.slack[i]) {
                continue;
            }
            let mut from = self.sides[i];
            for (k, values) in looks.iter().enumerate() {
                let to = side(values[i]);
                if counts(self.system.crossing(i), from, to) {
                    let value = |t: f64| self.system.event(i, t, &state(t));
                    let t = locate(time(k), time(k + 1), from, value);
                    if first.is_none_or(|(_, earliest)| t < earliest) {
                        first = Some((i, t));
                    }
                    break;
                }
                if to != 0 {
                    from = to;
                }
            }
        }
        (first, looks[LOOKS])
    }
}
