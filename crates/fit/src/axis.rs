//! A body under a measured force: an axis or a joint.
//!
//! ```text
//! M v̇ = g u(t − d) + b − F(v, N, z; θ),   ẋ = v,   ż = f(v, N, z; θ),   measured: x
//! ```
//!
//! u is held from sample to sample, as a digital controller does. Steps of Radau IIA go from one change of u to the next and
//! to each sample, and are cut where v passes zero, so that none sees a kink. The times of all these depend on parameters:
//! lengths of steps are dual numbers, and the derivatives are those of the computed run itself, across events too.
use crate::model::{self, Number, Seeded, WIDTH};
use crate::passage::Passage;
use crate::radau::{MAX_STATES, Step};
use crate::smooth::smooth;
use crate::{Channel, Element, Experiment, Free, Motion, Options, Prediction, Refused, fit};
use bristle_kernel::{AnyBristle, Bristle, Drive, Mode};
use std::ops::ControlFlow;

/// What drives an axis in one log.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// Times, s.
    pub t: Vec<f64>,
    /// The force from each sample to the next, N or N·m.
    pub force: Vec<f64>,
    /// Loads of the contact, N; one for all times.
    pub load: f64,
    /// Where the body is first, and how fast.
    pub start: [f64; 2],
}

/// What a free parameter does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Friction(usize),
    Own(usize),
}

/// Parameters of the axis itself, in this order.
const OWN: [&str; 6] = ["mass", "offset", "delay", "gain", "x0", "v0"];
const MASS: usize = 0;
const OFFSET: usize = 1;
const DELAY: usize = 2;
const GAIN: usize = 3;
const X0: usize = 4;
const V0: usize = 5;

/// Logs of one axis.
#[derive(Clone, Debug)]
pub struct Axis {
    model: AnyBristle<f64>,
    numbers: Vec<Number>,
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
        let start = logs.first().map_or([0.0; 2], |log| log.start);
        Axis {
            model,
            numbers,
            own: [mass, 0.0, 0.0, 1.0, start[0], start[1]],
            roles: Vec::new(),
            free: Vec::new(),
            logs,
            channels,
            guesses: Vec::new(),
        }
    }

    /// The names that can be free.
    pub fn names(&self) -> Vec<String> {
        let friction = self.numbers.iter().map(|n| n.key.clone());
        OWN.iter().map(|n| (*n).to_owned()).chain(friction).collect()
    }

    /// Sets a parameter of the axis that is not free.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        let place = OWN.iter().position(|n| *n == name);
        place.inspect(|k| self.own[*k] = value).is_some()
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
        let (role, free) = match OWN.iter().position(|n| *n == name) {
            Some(k) => {
                let own = self.own[k];
                let free = match k {
                    MASS => Free::positive(name, "kg", own),
                    GAIN => Free::positive(name, "1", own),
                    OFFSET => Free::signed(name, "N", own, 0.1 * force),
                    DELAY => Free::signed(name, "s", own, step).within(0.0, 20.0 * step),
                    X0 => Free::signed(name, "m", own, 1e-3 * way),
                    _ => Free::signed(name, "m/s", own, way / end),
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
                "x0" | "v0" | "gain" => continue,
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

    /// The model with these values of what is free.
    pub fn model(&self, theta: &[f64]) -> AnyBristle<f64> {
        model::with(&self.model, |k, own| self.place(Role::Friction(k)).map_or(own, |i| theta[i]))
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
    mass: Seeded,
    load: Seeded,
    gain: Seeded,
    offset: Seeded,
    delay: Seeded,
    /// The force now.
    u: Seeded,
    /// Where, and the velocity and the states of the bristle.
    x: Seeded,
    y: Vec<Seeded>,
    /// What is left of the step.
    left: Seeded,
}

impl Chunk {
    fn drive(&self, y: &[Seeded], mode: Mode<Seeded>, side: f64) -> Drive<Seeded> {
        Drive { mode, side: Seeded::from(side), ..Drive::new(y[0], self.load) }
    }

    #[inline]
    fn rates(&self, y: &[Seeded], u: Seeded, mode: Mode<Seeded>, side: f64, dy: &mut [Seeded]) {
        let friction = self.model.eval(&self.drive(y, mode, side), &y[1..], &mut dy[1..]);
        dy[0] = (u - friction) / self.mass;
    }

    /// Moves the end of what was done by a time that is zero but for its derivatives.
    fn shift(&mut self, by: Seeded, mode: Mode<Seeded>, side: f64, dy: &mut [Seeded]) {
        self.rates(&self.y, self.u, mode, side, dy);
        for e in 0..WIDTH {
            self.x.eps[e] += self.y[0].re * by.eps[e];
        }
        for (y, dy) in self.y.iter_mut().zip(&*dy) {
            for e in 0..WIDTH {
                y.eps[e] += dy.re * by.eps[e];
            }
        }
    }
}

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
        let u = Seeded::from(self.chunks[0].u.re);
        self.step.solve(h, y, &mut |_, y, dy| rough.rates(y, u, mode, side, dy))
    }

    /// Takes the step that was solved; `length` says how long it is.
    fn take(&mut self, side: f64, length: impl Fn(usize, &Chunk) -> Seeded) {
        let mode = self.mode;
        for (k, chunk) in self.chunks.iter_mut().enumerate() {
            let h = length(k, chunk);
            let mut y = std::mem::take(&mut chunk.y);
            let u = chunk.u;
            let way = self.step.carry(h, &mut y, &mut |_, y, dy| chunk.rates(y, u, mode, side, dy));
            chunk.y = y;
            chunk.x += way;
            chunk.left = chunk.left - h;
        }
        let first = &self.chunks[0];
        self.mode = first.model.commit(&first.drive(&first.y, mode, side), &first.y[1..]);
    }

    /// How long the step of `cut` that was solved is in each chunk: with the parameters its length moves so that v stays zero at its end.
    /// The rate of v there is that of the step as it is made, which differs from v̇ by the error of the step.
    fn moments(&mut self, cut: f64, side: f64) -> Vec<Seeded> {
        let Run { rough, chunks, step, mode, .. } = self;
        let u = Seeded::from(chunks[0].u.re);
        let mut y: Vec<Seeded> = chunks[0].y.iter().map(|y| Seeded::from(y.re)).collect();
        step.carry(Seeded::variable(cut, 0), &mut y, &mut |_, y, dy| {
            rough.rates(y, u, *mode, side, dy)
        });
        let rate = y[0].eps[0];
        let moment = |chunk: &Chunk| {
            let mut y = chunk.y.clone();
            step.carry(Seeded::from(cut), &mut y, &mut |_, y, dy| {
                chunk.rates(y, chunk.u, *mode, side, dy)
            });
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
                self.rough.rates(&chunk.y, Seeded::from(chunk.u.re), self.mode, 0.0, &mut self.dy);
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
    /// Motion with derivatives by the parameters from number `from` on; by states instead of parameters for `None`.
    fn chunk(&self, theta: &[f64], load: f64, from: Option<usize>) -> Chunk {
        let seeded = |role, own| match from {
            Some(from) => self.seeded(role, theta, own, from),
            None => Seeded::from(self.place(role).map_or(own, |i| theta[i])),
        };
        let own = |k: usize| seeded(Role::Own(k), self.own[k]);
        let model = model::with(&self.model, |k, value| seeded(Role::Friction(k), value));
        let mut y = vec![Seeded::from(0.0); 1 + model.states()];
        y[0] = own(V0);
        Chunk {
            model,
            mass: own(MASS),
            load: Seeded::from(load),
            gain: own(GAIN),
            offset: own(OFFSET),
            delay: own(DELAY),
            u: Seeded::from(0.0),
            x: own(X0),
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
        let rough = self.chunk(theta, log.load, None);
        let states = rough.y.len();
        if states >= MAX_STATES || rough.model.positional() {
            return Err(Refused(
                "models of so many states or over position cannot be fitted to an axis".into(),
            ));
        }
        let n = log.t.len();
        let mode = rough.model.begin(&rough.drive(&rough.y, Mode::default(), 0.0), &rough.y[1..]);
        let mut dy = vec![Seeded::from(0.0); states];
        for chunk in chunks.iter_mut() {
            // Before the log the first force was held. At rest the bristle carries what it must: force is linear there.
            chunk.u = chunk.gain * log.force[0] + chunk.offset;
            for _ in 0..if states > 1 && chunk.y[0].re == 0.0 { 3 } else { 0 } {
                let mut probe: Vec<Seeded> = chunk.y.iter().map(|x| Seeded::from(x.re)).collect();
                probe[1].eps[0] = 1.0;
                rough.rates(&probe, Seeded::from(chunk.u.re), mode, 0.0, &mut dy);
                let slope = dy[0].eps[0];
                chunk.rates(&chunk.y, chunk.u, mode, 0.0, &mut dy);
                if slope != 0.0 {
                    chunk.y[1] = chunk.y[1] - dy[0] / slope;
                }
            }
        }
        let v = chunks[0].y[0].re;
        let side = if v.abs() > STILL { v.signum() } else { 0.0 };
        let mut run = Run { rough, chunks, step: Step::new(&vec![SMALL; states]), mode, side, dy };
        let say = |run: &Run<'_>, tell: &mut dyn FnMut(usize, Seeded)| {
            run.chunks.iter().enumerate().for_each(|(c, chunk)| tell(c, chunk.x));
        };
        say(&run, &mut tell);
        let delay = run.chunks[0].delay.re;
        let mut next = 1;
        for k in 1..n {
            if passages.is_some() {
                // In the last chunk, by the states at this sample and by the force from here on.
                if let Some(chunk) = run.chunks.last_mut() {
                    chunk.x = Seeded::variable(chunk.x.re, 0);
                    for (i, y) in chunk.y.iter_mut().enumerate() {
                        *y = Seeded::variable(y.re, i + 1);
                    }
                    chunk.u = Seeded::variable(chunk.u.re, states + 1);
                }
            }
            let [begin, end] = [log.t[k - 1], log.t[k]];
            let mut at: Option<f64> = None;
            loop {
                // Changes of the force come `delay` after their samples.
                let change = (next < n && log.t[next] + delay <= end + AT_ONCE).then_some(next);
                let sample = at;
                for chunk in run.chunks.iter_mut() {
                    let to = change.map_or(Seeded::from(end), |i| chunk.delay + log.t[i]);
                    let from = sample.map_or(Seeded::from(begin), |t| chunk.delay + t);
                    chunk.left = to - from;
                    if chunk.left.re.abs() <= AT_ONCE {
                        chunk.left.re = 0.0;
                    }
                }
                run.advance()?;
                let Some(i) = change else { break };
                let keep = passages.is_some().then(|| run.chunks.len() - 1);
                for (c, chunk) in run.chunks.iter_mut().enumerate() {
                    let seed = if keep == Some(c) { chunk.u.eps } else { [0.0; WIDTH] };
                    chunk.u = chunk.gain * log.force[i] + chunk.offset;
                    if keep == Some(c) {
                        chunk.u.eps = seed;
                    }
                }
                at = Some(log.t[i]);
                next += 1;
            }
            say(&run, &mut tell);
            if let (Some(passages), Some(chunk)) = (passages.as_deref_mut(), run.chunks.last()) {
                let all: Vec<Seeded> =
                    std::iter::once(chunk.x).chain(chunk.y.iter().copied()).collect();
                passages.push(Passage {
                    matrix: all.iter().flat_map(|y| y.eps[..=states].to_vec()).collect(),
                    force: all.iter().map(|y| y.eps[states + 1]).collect(),
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
        let total: usize = self.channels.iter().map(|c| c.measured.len()).sum();
        out.value.resize(total, 0.0);
        out.slope.resize(total * p, 0.0);
        let mut first = 0;
        for log in &self.logs {
            let chunk = |from| self.chunk(theta, log.load, Some(from));
            let mut chunks: Vec<Chunk> = (0..p.max(1)).step_by(WIDTH).map(chunk).collect();
            let mut rows = vec![first; chunks.len()];
            let tell = |c: usize, x: Seeded| {
                let (row, from) = (rows[c], c * WIDTH);
                let width = WIDTH.min(p - from);
                out.value[row] = x.re;
                out.slope[row * p + from..][..width].copy_from_slice(&x.eps[..width]);
                rows[c] += 1;
            };
            self.run(theta, log, &mut chunks, tell, None)?;
            first += log.t.len();
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
        all.extend(self.inverse());
        all
    }

    fn drive(&self) -> f64 {
        let all = || self.logs.iter().flat_map(|log| &log.force);
        let n = all().count().max(1) as f64;
        let mean = all().sum::<f64>() / n;
        (all().map(|u| (u - mean).powi(2)).sum::<f64>() / n).sqrt()
    }

    fn unseen(&self, theta: &[f64]) -> Option<Vec<Vec<Passage>>> {
        let each = self.logs.iter().map(|log| {
            let mut passages = Vec::with_capacity(log.t.len());
            let mut chunks = [self.chunk(theta, log.load, None)];
            self.run(theta, log, &mut chunks, |_, _| {}, Some(&mut passages))
                .ok()
                .map(|()| passages)
        });
        each.collect()
    }
}
