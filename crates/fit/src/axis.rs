//! A body under a measured force, torque, voltage or reference: an axis or a joint.
//!
//! ```text
//! M v̇ = τ_m + τ_e − F(v, N, τ_m, τ_e, z; θ),   ẋ = v,   ż = f(v, N, τ_m, τ_e, z; θ),   measured: x(t − l)
//! τ_m = p(t) (g u(t − d) − k_b v),   τ_e = b − G sin(x + φ)
//! u   = measured, or of a servo: clip(k_p (r(t) − x) − k_d v, ± limit)
//! ```
//!
//! Under a voltage u of a motor g is k_t/R and k_b is k_t²/R: R by itself is in neither. p is 1 where the motor is powered.
//! u or r is held from sample to sample, as a digital controller does. Steps of Radau IIA go from one change of u to the next and
//! to each sample, and are cut where v passes zero, so that none sees a kink. The times of all these depend on parameters:
//! lengths of steps are dual numbers, and the derivatives are those of the computed run itself, across events too.
use crate::model::{self, Number, Seeded, WIDTH};
use crate::passage::Passage;
use crate::radau::{MAX_STATES, Step};
use crate::smooth::smooth;
use crate::{Channel, Element, Experiment, Free, Motion, Options, Prediction, Refused, fit};
use bristle_kernel::{AnyBristle, Bristle, Drive, Mode, Real};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// A servo that follows a reference: u = k_p (r − x) − k_d v, within ± its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    /// k_p, in units of u over those of x.
    pub kp: f64,
    /// k_d.
    pub kd: f64,
    /// The greatest u.
    pub limit: f64,
}

/// What drives an axis in one log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driven {
    /// Times, s.
    pub t: Vec<f64>,
    /// What is held from each sample to the next: a force, torque or voltage; with a servo its reference.
    pub force: Vec<f64>,
    /// The servo, where what is logged is its reference.
    pub servo: Option<Servo>,
    /// From each sample to the next, 1 where the motor is powered and 0 where it is not; empty if it always is.
    pub powered: Vec<f64>,
    /// Loads of the contact, N; one for all times.
    pub load: f64,
    /// Where the body is first, and how fast. A body that rests then is held by its bristles; one that moves has been
    /// sliding.
    pub start: [f64; 2],
}

/// What a free parameter does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Friction(usize),
    Own(usize),
}

/// Parameters of the body itself, in this order.
pub(crate) const OWN: [&str; 10] =
    ["mass", "offset", "delay", "gain", "x0", "v0", "back_emf", "lag", "gravity", "tilt"];
/// What the mass of a joint is called.
pub(crate) const INERTIA: &str = "inertia";
const MASS: usize = 0;
const OFFSET: usize = 1;
const DELAY: usize = 2;
const GAIN: usize = 3;
const X0: usize = 4;
const V0: usize = 5;
const BACK_EMF: usize = 6;
const LAG: usize = 7;
const GRAVITY: usize = 8;
const TILT: usize = 9;

/// Logs of one axis, or of one joint.
#[derive(Clone, Debug)]
pub struct Axis {
    model: AnyBristle<f64>,
    numbers: Vec<Number>,
    turns: bool,
    /// Whether its logs are pieces of others.
    is_piece: bool,
    /// Values of what is not free.
    own: [f64; OWN.len()],
    roles: Vec<Role>,
    free: Vec<Free>,
    logs: Vec<Driven>,
    channels: Vec<Channel>,
    guesses: Vec<Vec<f64>>,
}

impl Axis {
    /// A body of that mass on the friction model, under each of the drives, with the position that was measured.
    pub fn new(mass: f64, model: AnyBristle<f64>, logs: Vec<(Driven, Channel)>) -> Self {
        let numbers = model::numbers(&model);
        let (logs, channels): (Vec<Driven>, _) = logs.into_iter().unzip();
        Axis {
            model,
            numbers,
            turns: false,
            is_piece: false,
            own: [mass, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            roles: Vec::new(),
            free: Vec::new(),
            logs,
            channels,
            guesses: Vec::new(),
        }
    }

    /// The same as a joint: it turns, its mass is an `inertia`, and gravity may turn it back.
    pub fn turning(self) -> Self {
        Axis { turns: true, ..self }
    }

    /// The place of a parameter of the body.
    fn own_place(&self, name: &str) -> Option<usize> {
        match (name, self.turns) {
            (INERTIA, true) => Some(MASS),
            ("mass", true) | ("gravity" | "tilt", false) => None,
            _ => OWN.iter().position(|n| *n == name),
        }
    }

    /// The names that can be free.
    pub fn names(&self) -> Vec<String> {
        let friction = self.numbers.iter().map(|n| n.key.clone());
        let own = OWN.iter().copied().chain([INERTIA]).filter(|n| self.own_place(n).is_some());
        own.map(str::to_owned).chain(friction).collect()
    }

    /// Sets a parameter of the body that is not free; `x0` and `v0` are added to where each log begins.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        self.own_place(name).inspect(|k| self.own[*k] = value).is_some()
    }

    /// Frees the parameter of that name; gives it, to set its start and bounds.
    pub fn release(&mut self, name: &str) -> Option<&mut Free> {
        let largest = |of: &dyn Fn(&Self) -> Vec<f64>| {
            of(self).into_iter().fold(1e-12f64, |m, x| m.max(x.abs()))
        };
        let force = largest(&|s| s.logs.iter().flat_map(|l| l.force.clone()).collect());
        let way = largest(&|s| s.channels.iter().flat_map(|c| c.measured.clone()).collect());
        let (end, step) = self.logs.first().map_or((1.0, 1e-3), |log| {
            let end = log.t[log.t.len() - 1] - log.t[0];
            (end, end / (log.t.len() - 1) as f64)
        });
        let (role, free) = match self.own_place(name) {
            Some(k) => {
                let own = self.own[k];
                let push = force * self.own[GAIN];
                let [mass, newtons, way_unit, speed, damping] = match self.turns {
                    true => ["kg*m^2", "N*m", "rad", "rad/s", "N*m*s/rad"],
                    false => ["kg", "N", "m", "m/s", "N*s/m"],
                };
                let free = match k {
                    MASS => Free::positive(name, mass, own),
                    GAIN => Free::positive(name, "1", own),
                    OFFSET => Free::signed(name, newtons, own, 0.1 * push),
                    DELAY => Free::signed(name, "s", own, step).within(0.0, 20.0 * step),
                    LAG => Free::signed(name, "s", own, step).within(-20.0 * step, 20.0 * step),
                    X0 => Free::signed(name, way_unit, own, 1e-3 * way),
                    BACK_EMF => {
                        let start = if own > 0.0 { own } else { 0.03 * push * end / way };
                        Free::positive(name, damping, start)
                    }
                    GRAVITY => Free::signed(name, newtons, own, own.abs().max(0.1 * push)),
                    TILT => Free::signed(name, way_unit, own, 0.1).within(-1.6, 1.6),
                    _ => Free::signed(name, speed, own, way / end),
                };
                (Role::Own(k), free)
            }
            None => {
                let k = model::find(&self.numbers, name)?;
                (Role::Friction(k), self.numbers[k].free(name, self.numbers[k].value))
            }
        };
        self.roles.push(role);
        self.free.push(free);
        self.free.last_mut()
    }

    /// A start from the motion that was measured: the same parameters make M a + F − b follow u(t − d) closely, which has
    /// neither stick-slip of its own nor wrong minima a few millimetres wide. (The gain is left where it is.)
    fn inverse(&self) -> Option<Vec<f64>> {
        let step =
            |log: &Driven| (log.t[log.t.len() - 1] - log.t[0]) / (log.t.len() - 1).max(1) as f64;
        let pairs = self.logs.iter().zip(&self.channels).filter(|(_, c)| !c.held_out);
        let logs: Vec<(Motion, Channel)> = pairs
            .map(|(log, channel)| {
                // Accelerations need more smoothing than velocities: 17 samples.
                let smooth = smooth(&log.t, &channel.measured, Some(0.095 / step(log)));
                let load = vec![log.load; log.t.len()];
                let measured = log.force.clone();
                let motion = Motion {
                    t: log.t.clone(),
                    x: smooth.value,
                    v: smooth.rate,
                    load,
                    acceleration: smooth.bend,
                };
                (motion, Channel { measured, weight: 1.0, ..channel.clone() })
            })
            .collect();
        let h = step(self.logs.first()?);
        let mut element =
            Element::new(self.model(&self.free.iter().map(|f| f.start).collect::<Vec<_>>()), logs);
        let mut places = Vec::new();
        for (i, free) in self.free.iter().enumerate() {
            let (name, start) = match free.name.as_str() {
                // A force that comes late is measured early; −offset is added.
                "delay" => ("delay", -free.start),
                "offset" => ("offset", -free.start),
                "x0" | "v0" | "gain" | "back_emf" | "lag" => continue,
                own => (own, free.start),
            };
            let own = element.release(name)?;
            *own = match name {
                "delay" => Free::signed("delay", "s", start, h).within(-free.hi - h, -free.lo + h),
                _ => Free {
                    start,
                    lo: own.lo.min(start * 1e-4),
                    size: if start > 0.0 { start } else { own.size },
                    ..own.clone()
                },
            };
            if name == "mass" {
                *own = Free { lo: free.lo, hi: free.hi, ..own.clone() };
            }
            places.push((i, name == "delay" || name == "offset"));
        }
        if !self.free.iter().any(|f| f.name == "mass") {
            return None;
        }
        let options = Options {
            starts: 8,
            robust: true,
            correlated: false,
            profile: false,
            iterations: 60,
            ..Options::default()
        };
        let found = fit(&element, &options, &mut |_| ControlFlow::Continue(())).ok()?.theta();
        let mut theta: Vec<f64> = self.free.iter().map(|f| f.start).collect();
        for ((i, turned), value) in places.into_iter().zip(found) {
            // A force that is held acts half a sample later than it is written down.
            let held = if self.free[i].name == "delay" { 0.5 * h } else { 0.0 };
            let value = if turned { -value - held } else { value };
            theta[i] = value.clamp(self.free[i].lo, self.free[i].hi);
        }
        Some(theta)
    }

    /// A start from short pieces of the logs, each from where the body was measured: a run cannot go far astray in one.
    fn windows(&self) -> Option<Vec<f64>> {
        let own = |role: &Role| matches!(role, Role::Own(X0 | V0));
        let kept: Vec<usize> = (0..self.free.len()).filter(|i| !own(&self.roles[*i])).collect();
        let mut pieces = Vec::new();
        for (log, channel) in self.logs.iter().zip(&self.channels).filter(|(_, c)| !c.held_out) {
            let n = log.t.len();
            let seen = smooth(&log.t, &channel.measured, None);
            let length = (n / WINDOWS).max(FEWEST_IN_WINDOW);
            let still = seen.noise * (n - 1) as f64 / (log.t[n - 1] - log.t[0]);
            for from in (0..n.saturating_sub(length)).step_by(length) {
                let rows = from..(from + length).min(n);
                let part = |of: &[f64]| of.get(rows.clone()).unwrap_or_default().to_vec();
                let v = if seen.rate[from].abs() > still { seen.rate[from] } else { 0.0 };
                let driven = Driven {
                    t: part(&log.t),
                    force: part(&log.force),
                    powered: part(&log.powered),
                    start: [seen.value[from], v],
                    ..*log
                };
                let (at, measured) = (part(&channel.at), part(&channel.measured));
                pieces.push((driven, Channel { at, measured, ..channel.clone() }));
            }
        }
        let (logs, channels) = pieces.into_iter().unzip();
        let pick = |i: &usize| (self.roles[*i], self.free[*i].clone());
        let (roles, free): (Vec<Role>, Vec<Free>) = kept.iter().map(pick).unzip();
        let guesses = Vec::new();
        let mut short = Axis { logs, channels, roles, free, guesses, ..self.clone() };
        short.is_piece = true;
        let options =
            Options { correlated: false, profile: false, iterations: 30, ..Options::default() };
        let found = fit(&short, &options, &mut |_| ControlFlow::Continue(())).ok()?.theta();
        let mut theta: Vec<f64> = self.free.iter().map(|f| f.start).collect();
        for (i, value) in kept.into_iter().zip(found) {
            theta[i] = value;
        }
        Some(theta)
    }

    /// The model with these values of what is free.
    pub fn model(&self, theta: &[f64]) -> AnyBristle<f64> {
        model::with(&self.model, &self.numbers, |k, own| {
            self.place(Role::Friction(k)).map_or(own, |i| theta[i])
        })
    }

    pub(crate) fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    pub(crate) fn free_mut(&mut self) -> &mut [Free] {
        &mut self.free
    }

    /// Starting points to try first.
    pub fn guess(&mut self, guesses: Vec<Vec<f64>>) {
        self.guesses = guesses;
    }

    fn place(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|r| *r == role)
    }

    fn seeded(&self, role: Role, theta: &[f64], own: f64, from: usize) -> Seeded {
        match self.place(role) {
            Some(i) if (from..from + WIDTH).contains(&i) => Seeded::variable(theta[i], i - from),
            Some(i) => Seeded::from(theta[i]),
            None => Seeded::from(own),
        }
    }
}

/// The motion with derivatives in eight directions.
struct Chunk {
    model: AnyBristle<Seeded>,
    own: [Seeded; OWN.len()],
    load: Seeded,
    servo: Option<Servo>,
    /// Whether where the body is matters to its rates: then that is the last of its states.
    placed: bool,
    /// What is held now.
    u: f64,
    powered: f64,
    /// A force from outside: zero, but for its derivative.
    push: Seeded,
    /// Where, and the velocity and the states of the bristle.
    x: Seeded,
    y: Vec<Seeded>,
    /// What is left of the step.
    left: Seeded,
}

impl Chunk {
    /// The states of the bristle in those of the motion.
    fn bristles(&self, states: usize) -> std::ops::Range<usize> {
        1..states - usize::from(self.placed)
    }

    /// The torques of the motor and from outside.
    #[inline]
    fn torques(&self, y: &[Seeded]) -> [Seeded; 2] {
        let own = &self.own;
        let mut u = Seeded::from(self.u);
        let mut outside = own[OFFSET] + self.push;
        if self.placed {
            let x = y[y.len() - 1];
            if let Some(Servo { kp, kd, limit }) = self.servo {
                let limit = Seeded::from(limit);
                u = ((u - x) * kp - y[0] * kd).min(limit).max(-limit);
            }
            outside = outside - own[GRAVITY] * (x + own[TILT]).sin();
        }
        [(own[GAIN] * u - own[BACK_EMF] * y[0]) * self.powered, outside]
    }

    fn drive(&self, y: &[Seeded], mode: Mode<Seeded>, side: f64) -> Drive<Seeded> {
        let torques = self.torques(y);
        Drive { mode, side: Seeded::from(side), torques, ..Drive::new(y[0], self.load) }
    }

    #[inline]
    fn rates(&self, y: &[Seeded], mode: Mode<Seeded>, side: f64, dy: &mut [Seeded]) {
        let at = self.drive(y, mode, side);
        let own = self.bristles(y.len());
        let friction = self.model.eval(&at, &y[own.clone()], &mut dy[own]);
        dy[0] = (at.torques[0] + at.torques[1] - friction) / self.own[MASS];
        if self.placed {
            dy[y.len() - 1] = y[0];
        }
    }

    /// Moves the end of what was done by a time that is zero but for its derivatives.
    fn shift(&mut self, by: Seeded, mode: Mode<Seeded>, side: f64, dy: &mut [Seeded]) {
        self.rates(&self.y, mode, side, dy);
        for e in 0..WIDTH {
            self.x.eps[e] += self.y[0].re * by.eps[e];
        }
        for (y, dy) in self.y.iter_mut().zip(&*dy) {
            for e in 0..WIDTH {
                y.eps[e] += dy.re * by.eps[e];
            }
        }
    }

    /// What is discrete about the bristle, in this mode and state.
    fn commit(&self, mode: Mode<Seeded>, side: f64) -> Mode<Seeded> {
        self.model.commit(&self.drive(&self.y, mode, side), &self.y[self.bristles(self.y.len())])
    }
}

/// Pieces of a log that a first search is made on, and the fewest samples of one.
const WINDOWS: usize = 24;
const FEWEST_IN_WINDOW: usize = 25;
/// A velocity below this part of its scale is a stop; it begins no new event.
const STILL: f64 = 1e-12;
/// A step is cut at most so often.
const CUTS: usize = 50;
/// Velocities that matter, m/s or rad/s, and deflections.
const SMALL: f64 = 1e-6;
/// Times closer than this are one, s.
const AT_ONCE: f64 = 1e-12;

struct Run<'a> {
    /// Without derivatives, for Newton's method.
    rough: Chunk,
    chunks: &'a mut [Chunk],
    step: Step,
    mode: Mode<Seeded>,
    side: f64,
    dy: Vec<Seeded>,
}

impl Run<'_> {
    fn solve(&mut self, h: f64, side: f64) -> Result<(), Refused> {
        let (rough, mode, y) = (&self.rough, self.mode, &self.chunks[0].y);
        self.step.solve(h, y, &mut |_, y, dy| rough.rates(y, mode, side, dy))
    }

    /// Takes the step that was solved; `length` says how long it is.
    fn take(&mut self, side: f64, length: impl Fn(usize, &Chunk) -> Seeded) {
        let mode = self.mode;
        for (k, chunk) in self.chunks.iter_mut().enumerate() {
            let h = length(k, chunk);
            let mut y = std::mem::take(&mut chunk.y);
            let way = self.step.carry(h, &mut y, &mut |_, y, dy| chunk.rates(y, mode, side, dy));
            chunk.y = y;
            chunk.x = if chunk.placed { chunk.y[chunk.y.len() - 1] } else { chunk.x + way };
            chunk.left = chunk.left - h;
        }
        self.mode = self.chunks[0].commit(mode, side);
    }

    /// How long the step of `cut` that was solved is in each chunk: with the parameters its length moves so that v stays zero at its end.
    /// The rate of v there is that of the step as it is made, which differs from v̇ by the error of the step.
    fn moments(&mut self, cut: f64, side: f64) -> Vec<Seeded> {
        let Run { rough, chunks, step, mode, .. } = self;
        let mut y: Vec<Seeded> = chunks[0].y.iter().map(|y| Seeded::from(y.re)).collect();
        step.carry(Seeded::variable(cut, 0), &mut y, &mut |_, y, dy| {
            rough.rates(y, *mode, side, dy)
        });
        let rate = y[0].eps[0];
        let moment = |chunk: &Chunk| {
            let mut y = chunk.y.clone();
            step.carry(Seeded::from(cut), &mut y, &mut |_, y, dy| chunk.rates(y, *mode, side, dy));
            let by = |v: f64| if rate == 0.0 { 0.0 } else { -v / rate };
            Seeded { re: cut, eps: y[0].eps.map(by) }
        };
        chunks.iter().map(moment).collect()
    }

    fn v(&self) -> f64 {
        self.chunks[0].y[0].re
    }

    /// Carries the state over what is left, in pieces that end where v passes zero.
    fn advance(&mut self) -> Result<(), Refused> {
        for _ in 0..CUTS {
            let left = self.chunks[0].left.re;
            if left <= 0.0 {
                for chunk in self.chunks.iter_mut() {
                    chunk.shift(chunk.left, self.mode, self.side, &mut self.dy);
                }
                return Ok(());
            }
            if self.side == 0.0 {
                // Out of rest: to where the body is pushed.
                let chunk = &self.chunks[0];
                self.rough.rates(&chunk.y, self.mode, 0.0, &mut self.dy);
                self.side = if self.dy[0].re == 0.0 { 0.0 } else { self.dy[0].re.signum() };
            }
            let side = self.side;
            self.solve(left, side)?;
            if side == 0.0 || side * self.step.end(0) >= -STILL * SMALL {
                self.take(side, |_, chunk| chunk.left);
                return Ok(());
            }
            if side * self.v() <= 0.0 {
                // It begins at rest and ends on the other side: it goes there, or to and fro within the step.
                self.solve(left, -side)?;
                if side * self.step.end(0) <= 0.0 {
                    self.side = -side;
                    self.take(-side, |_, chunk| chunk.left);
                    return Ok(());
                }
                self.solve(0.5 * left, side)?;
                self.take(side, |_, chunk| chunk.left * 0.5);
                self.side = if self.v() == 0.0 { 0.0 } else { self.v().signum() };
                continue;
            }
            // v passes zero inside: where, by the rule of Illinois.
            let (mut lo, mut hi, mut cut) = (0.0, left, left);
            let (mut at_lo, mut at_hi) = (side * self.v(), side * self.step.end(0));
            let mut last = 0;
            for _ in 0..60 {
                cut = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
                if !(cut > lo && cut < hi) {
                    cut = 0.5 * (lo + hi);
                }
                self.solve(cut, side)?;
                let v = side * self.step.end(0);
                if v.abs() <= STILL * SMALL || hi - lo <= 1e-15 * left {
                    break;
                }
                if v > 0.0 {
                    (lo, at_lo) = (cut, v);
                    at_hi *= if last == 1 { 0.5 } else { 1.0 };
                    last = 1;
                } else {
                    (hi, at_hi) = (cut, v);
                    at_lo *= if last == -1 { 0.5 } else { 1.0 };
                    last = -1;
                }
            }
            let moments = self.moments(cut, side);
            self.take(side, |k, _| moments[k]);
            for chunk in self.chunks.iter_mut() {
                chunk.y[0] = Seeded::from(0.0);
            }
            self.side = 0.0;
        }
        Err(Refused("the body changes its direction too often within one sample".into()))
    }
}

impl Axis {
    /// Whether where the body is matters to its motion.
    fn is_placed(&self) -> bool {
        let free = [GRAVITY, TILT].into_iter().any(|k| self.place(Role::Own(k)).is_some());
        free || self.own[GRAVITY] != 0.0 || self.logs.iter().any(|log| log.servo.is_some())
    }

    /// Motion with derivatives by the parameters from number `from` on; by states instead of parameters for `None`.
    fn chunk(&self, theta: &[f64], log: &Driven, from: Option<usize>) -> Chunk {
        let seeded = |role, own| match from {
            Some(from) => self.seeded(role, theta, own, from),
            None => Seeded::from(self.place(role).map_or(own, |i| theta[i])),
        };
        let own: [Seeded; OWN.len()] = std::array::from_fn(|k| seeded(Role::Own(k), self.own[k]));
        let model =
            model::with(&self.model, &self.numbers, |k, value| seeded(Role::Friction(k), value));
        let placed = self.is_placed();
        let mut y = vec![Seeded::from(0.0); 1 + model.states() + usize::from(placed)];
        y[0] = own[V0] + log.start[1];
        let x = own[X0] + log.start[0];
        if placed {
            let last = y.len() - 1;
            y[last] = x;
        }
        Chunk {
            model,
            own,
            load: Seeded::from(log.load),
            servo: log.servo,
            placed,
            u: log.force[0],
            powered: log.powered.first().copied().unwrap_or(1.0),
            push: Seeded::from(0.0),
            x,
            y,
            left: Seeded::from(0.0),
        }
    }

    /// Runs one log. `tell` is given the position with its derivatives, in each chunk, at each sample; `passages` takes
    /// how each sample follows from the one before.
    fn run(
        &self,
        theta: &[f64],
        log: &Driven,
        chunks: &mut [Chunk],
        mut tell: impl FnMut(usize, Seeded),
        mut passages: Option<&mut Vec<Passage>>,
    ) -> Result<(), Refused> {
        let rough = self.chunk(theta, log, None);
        let states = rough.y.len();
        if states + 2 > MAX_STATES || rough.model.positional() {
            return Err(Refused(
                "models of so many states or over position cannot be fitted to an axis".into(),
            ));
        }
        let n = log.t.len();
        let own = rough.bristles(states);
        let mut dy = vec![Seeded::from(0.0); states];
        let start = rough.drive(&rough.y, Mode::default(), 0.0);
        let mut mode = rough.model.begin(&start, &rough.y[own.clone()]);
        for chunk in chunks.iter_mut().filter(|_| !own.is_empty()) {
            if log.start[1] != 0.0 {
                // It has been sliding.
                let at = chunk.drive(&chunk.y, mode, 0.0);
                chunk.model.steady(&at, &mut chunk.y[own.clone()]);
                mode = chunk.commit(mode, 0.0);
                continue;
            }
            // Before the log the first force was held. At rest the bristle carries what it must: force is linear there.
            for _ in 0..if chunk.y[0].re == 0.0 { 3 } else { 0 } {
                let mut probe: Vec<Seeded> = chunk.y.iter().map(|x| Seeded::from(x.re)).collect();
                probe[1].eps[0] = 1.0;
                rough.rates(&probe, mode, 0.0, &mut dy);
                let slope = dy[0].eps[0];
                chunk.rates(&chunk.y, mode, 0.0, &mut dy);
                if slope != 0.0 {
                    chunk.y[1] = chunk.y[1] - dy[0] / slope;
                }
            }
        }
        let v = chunks[0].y[0].re;
        let side = if v.abs() > STILL { v.signum() } else { 0.0 };
        let mut run = Run { rough, chunks, step: Step::new(&vec![SMALL; states]), mode, side, dy };
        let lags = self.place(Role::Own(LAG)).is_some() || self.own[LAG] != 0.0;
        let say = |run: &mut Run<'_>, tell: &mut dyn FnMut(usize, Seeded)| {
            for (c, chunk) in run.chunks.iter().enumerate() {
                // x(t − l) by the rates at t.
                let late = if lags {
                    chunk.rates(&chunk.y, run.mode, run.side, &mut run.dy);
                    let l = chunk.own[LAG];
                    l * (chunk.y[0] - l * 0.5 * run.dy[0])
                } else {
                    Seeded::from(0.0)
                };
                tell(c, chunk.x - late);
            }
        };
        say(&mut run, &mut tell);
        let delay = run.chunks[0].own[DELAY].re;
        let mut next = 1;
        // Velocity and bristles.
        let moving = own.end;
        for k in 1..n {
            if passages.is_some() {
                // In the last chunk, by the states at this sample and by the force from here on.
                if let Some(chunk) = run.chunks.last_mut() {
                    chunk.x = Seeded::variable(chunk.x.re, 0);
                    for (i, y) in chunk.y[..moving].iter_mut().enumerate() {
                        *y = Seeded::variable(y.re, i + 1);
                    }
                    chunk.y[moving..].fill(chunk.x);
                    chunk.push = Seeded::variable(0.0, moving + 1);
                }
            }
            let [begin, end] = [log.t[k - 1], log.t[k]];
            let mut at: Option<f64> = None;
            loop {
                // Changes of the force come `delay` after their samples.
                let change = (next < n && log.t[next] + delay <= end + AT_ONCE).then_some(next);
                let sample = at;
                for chunk in run.chunks.iter_mut() {
                    let delay = chunk.own[DELAY];
                    let to = change.map_or(Seeded::from(end), |i| delay + log.t[i]);
                    let from = sample.map_or(Seeded::from(begin), |t| delay + t);
                    chunk.left = to - from;
                    if chunk.left.re.abs() <= AT_ONCE {
                        chunk.left.re = 0.0;
                    }
                }
                run.advance()?;
                let Some(i) = change else { break };
                for chunk in run.chunks.iter_mut().chain([&mut run.rough]) {
                    chunk.u = log.force[i];
                    chunk.powered = log.powered.get(i).copied().unwrap_or(1.0);
                }
                at = Some(log.t[i]);
                next += 1;
            }
            say(&mut run, &mut tell);
            if let (Some(passages), Some(chunk)) = (passages.as_deref_mut(), run.chunks.last()) {
                let all: Vec<Seeded> =
                    std::iter::once(chunk.x).chain(chunk.y[..moving].iter().copied()).collect();
                passages.push(Passage {
                    matrix: all.iter().flat_map(|y| y.eps[..=moving].to_vec()).collect(),
                    force: all.iter().map(|y| y.eps[moving + 1]).collect(),
                });
            }
        }
        Ok(())
    }
}

impl Experiment for Axis {
    fn free(&self) -> &[Free] {
        &self.free
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn predict(&self, theta: &[f64], out: &mut Prediction) -> Result<(), Refused> {
        let p = self.free.len();
        if let (Some(why), _) = model::refusals(&self.model(theta), &self.numbers) {
            return Err(Refused(why));
        }
        let each = |log: &Driven| -> Result<Prediction, Refused> {
            let n = log.t.len();
            let mut own = Prediction { value: vec![0.0; n], slope: vec![0.0; n * p] };
            let chunk = |from| self.chunk(theta, log, Some(from));
            let mut chunks: Vec<Chunk> = (0..p.max(1)).step_by(WIDTH).map(chunk).collect();
            let mut rows = vec![0; chunks.len()];
            let tell = |c: usize, x: Seeded| {
                let (row, from) = (rows[c], c * WIDTH);
                let width = WIDTH.min(p - from);
                own.value[row] = x.re;
                own.slope[row * p + from..][..width].copy_from_slice(&x.eps[..width]);
                rows[c] += 1;
            };
            self.run(theta, log, &mut chunks, tell, None)?;
            Ok(own)
        };
        let parts: Result<Vec<Prediction>, Refused> = self.logs.par_iter().map(each).collect();
        out.value.clear();
        out.slope.clear();
        for part in parts? {
            out.value.extend(part.value);
            out.slope.extend(part.slope);
        }
        out.finite()
    }

    fn admit(&self, theta: &mut [f64]) {
        let (_, bound) = model::refusals(&self.model(theta), &self.numbers);
        for (k, limit) in bound {
            if let Some(i) = self.place(Role::Friction(k)) {
                theta[i] = limit;
            }
        }
    }

    fn guesses(&self) -> Vec<Vec<f64>> {
        let mut all = self.guesses.clone();
        match self.is_placed() {
            true if self.is_piece => {}
            true => all.extend(self.windows()),
            false => all.extend(self.inverse()),
        }
        all
    }

    fn drive(&self) -> f64 {
        let of = |(log, channel): (&Driven, &Channel)| -> Vec<f64> {
            let pairs = log.force.iter().zip(&channel.measured);
            let u = pairs.map(|(u, x)| match log.servo {
                Some(Servo { kp, limit, .. }) => ((u - x) * kp).clamp(-limit, limit),
                None => *u,
            });
            u.collect()
        };
        let all: Vec<f64> = self.logs.iter().zip(&self.channels).flat_map(of).collect();
        let n = all.len().max(1) as f64;
        let mean = all.iter().sum::<f64>() / n;
        self.own[GAIN] * (all.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / n).sqrt()
    }

    fn unseen(&self, theta: &[f64]) -> Option<Vec<Vec<Passage>>> {
        let each = self.logs.iter().map(|log| {
            let mut passages = Vec::with_capacity(log.t.len());
            let mut chunks = [self.chunk(theta, log, None)];
            self.run(theta, log, &mut chunks, |_, _| {}, Some(&mut passages))
                .ok()
                .map(|()| passages)
        });
        each.collect()
    }
}
