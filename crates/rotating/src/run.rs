//! The run from event to event.
use crate::root::{between, minimum};
use crate::segment::{Begin, Harmonic, Segment, Workspace};
use crate::{Body, Friction};
use bristle_kernel::{Drive, Memory};
use std::fmt;

/// How the body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// At rest, held by friction.
    Stuck,
    /// To the right (1) or to the left (−1).
    Moving(f64),
}

/// What ended a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Nothing: the series had to be renewed, or the time asked for was reached.
    Nothing,
    /// A corner reached a base or passed a tip, or a tooth ended; so many bristles were released or
    /// teeth passed.
    Edge {
        /// How many.
        passed: usize,
    },
    /// The body came to rest.
    Stop,
    /// Friction no longer holds it.
    Leave,
}

/// A part of the run without events but at its end.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// When it began, s.
    pub start: f64,
    /// When it ended, s.
    pub end: f64,
    /// How the body moved.
    pub phase: Phase,
    /// The motion.
    pub segment: Segment,
    /// The discrete memory meanwhile.
    pub memory: Memory<f64>,
    /// What ended it.
    pub event: Event,
    /// The discrete memory after that.
    pub after: Memory<f64>,
}

impl Step {
    /// Position, velocity and acceleration at `t`.
    pub fn motion(&self, t: f64) -> [f64; 3] {
        self.segment.at(t - self.start)
    }

    /// The drive of the friction model at `t`.
    pub fn drive(&self, t: f64) -> Drive<f64> {
        let [x, v, _] = self.motion(t);
        Drive { x, memory: self.memory, ..Drive::new(v, 1.0) }
    }

    /// The friction force at `t`, N.
    pub fn force(&self, run: &Run, t: f64) -> f64 {
        match self.phase {
            Phase::Stuck => run.body.others(t, self.motion(t)[0]),
            Phase::Moving(way) => run.friction.force(&self.drive(t), way),
        }
    }
}

/// So many events without time passing are chattering.
const CHATTER: usize = 1000;

/// The body came to rest and left again a thousand times without getting anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chattering {
    /// When, s.
    pub t: f64,
    /// Where, m.
    pub x: f64,
}

impl fmt::Display for Chattering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chattering { t, x } = self;
        write!(
            f,
            "{CHATTER} events without progress at t = {t} s, x = {x} m: no motion satisfies the rule \
             there; take rule = \"consistent\", or another start"
        )
    }
}

impl std::error::Error for Chattering {}

/// An event-driven run: contacts are integers, changed where a corner lands on a base or a tip;
/// between events motion is a power series or, on a sawtooth, harmonic; a stick ends where the push
/// reaches the limit, in closed form.
#[derive(Clone)]
pub struct Run {
    /// What moves.
    pub body: Body,
    /// What it moves on.
    pub friction: Friction,
    t: f64,
    x: f64,
    v: f64,
    memory: Memory<f64>,
    phase: Phase,
    balanced: bool,
    workspace: Workspace,
    behind: Vec<f64>,
    idle: usize,
}

impl Run {
    /// At t = 0 in `x`, with the velocity `v`.
    pub fn new(body: Body, friction: Friction, x: f64, v: f64) -> Self {
        let mut run = Run {
            body,
            friction,
            t: 0.0,
            x,
            v,
            memory: [0.0; 5],
            phase: Phase::Moving(v.signum()),
            balanced: false,
            workspace: Workspace::default(),
            behind: Vec::new(),
            idle: 0,
        };
        run.memory = run.friction.commit(&run.drive());
        if v == 0.0 {
            run.settle(0.0);
        }
        run
    }

    /// Time, s.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// Position, m.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// Velocity, m/s.
    pub fn v(&self) -> f64 {
        self.v
    }

    /// How the body moves.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What the friction model is given.
    pub fn drive(&self) -> Drive<f64> {
        Drive { x: self.x, memory: self.memory, ..Drive::new(self.v, 1.0) }
    }

    /// Runs to `end`; `each` sees every step.
    pub fn to(&mut self, end: f64, mut each: impl FnMut(&Self, &Step)) -> Result<(), Chattering> {
        while self.t < end {
            let step = self.advance(end)?;
            each(self, &step);
        }
        Ok(())
    }

    /// Takes one step, not beyond `end`.
    pub fn advance(&mut self, end: f64) -> Result<Step, Chattering> {
        let (start, phase, memory) = (self.t, self.phase, self.memory);
        let (segment, event) = match phase {
            Phase::Stuck => self.hold(end),
            Phase::Moving(way) => self.slide(way, end),
        };
        self.idle = if self.t > start { 0 } else { self.idle + 1 };
        if self.idle >= CHATTER {
            return Err(Chattering { t: self.t, x: self.x });
        }
        Ok(Step { start, end: self.t, phase, segment, memory, event, after: self.memory })
    }

    /// Stays stuck until the push reaches a limit.
    fn hold(&mut self, end: f64) -> (Segment, Event) {
        let segment = Segment::Rest { x: self.x };
        let [low, high] = self.friction.limits(&self.drive()).unwrap_or_default();
        let spring = self.body.stiffness * self.x;
        let (leaves, way) = self.body.push.leaves(self.t, low + spring, high + spring);
        if leaves >= end {
            self.t = end;
            return (segment, Event::Nothing);
        }
        self.t = leaves;
        self.set_off(way, true);
        (segment, Event::Leave)
    }

    /// Sets the body at rest in motion.
    fn set_off(&mut self, way: f64, balanced: bool) {
        self.phase = Phase::Moving(way);
        self.v = 0.0;
        let at = Drive { v: way * f64::MIN_POSITIVE, ..self.drive() };
        let memory = self.friction.commit(&at);
        let moved = self.friction.edges(&at) != self.friction.edges(&Drive { memory, ..at });
        // On an edge the force is another one beyond it.
        self.balanced = balanced && !moved;
        self.memory = memory;
    }

    /// Decides at v = 0, having moved in the direction `way`: Filippov's rule where the force is
    /// set-valued; elsewhere the body turns round.
    fn settle(&mut self, way: f64) {
        let others = self.body.others(self.t, self.x);
        match self.friction.limits(&self.drive()) {
            Some([low, high]) if low <= others && others <= high => self.phase = Phase::Stuck,
            Some([_, high]) => self.set_off(if others > high { 1.0 } else { -1.0 }, false),
            None => {
                let net = others - self.friction.force(&self.drive(), way);
                let rate = self.body.push.rate(self.t);
                let way = match (way, net) {
                    (0.0, 0.0) if rate < 0.0 => -1.0,
                    (0.0, 0.0) => 1.0,
                    (0.0, net) => net.signum(),
                    (way, _) => -way,
                };
                self.set_off(way, net == 0.0);
            }
        }
    }

    /// Moves until the next event or as far as one series reaches.
    fn slide(&mut self, way: f64, end: f64) -> (Segment, Event) {
        let at = self.drive();
        let edge = self.friction.edges(&at)[usize::from(way > 0.0)];
        let begin = Begin { t: self.t, x: self.x, v: self.v, balanced: self.balanced };
        let (segment, span) = self.motion(&at, way, edge, end, &begin);
        self.balanced = false;
        let stop = first_stop(&segment, way, span, begin.v == 0.0);
        let span = stop.unwrap_or(span);
        let beyond = |t: f64| (segment.at(t)[0] - edge) * way;
        if beyond(span) >= 0.0 {
            let after = if beyond(0.0) >= 0.0 {
                0.0
            } else {
                between(0.0, span, |t| {
                    let [x, v, _] = segment.at(t);
                    [x - edge, v]
                })
            };
            self.t += after;
            self.x = edge;
            let v = segment.at(after)[1];
            self.v = if v * way > 0.0 { v } else { way * f64::MIN_POSITIVE };
            let before = self.friction.passed(&self.drive(), way);
            self.memory = self.friction.commit(&self.drive());
            let passed = self.friction.passed(&self.drive(), way) - before;
            return (segment, Event::Edge { passed: passed.round().max(0.0) as usize });
        }
        let [x, v, _] = segment.at(span);
        self.x = x;
        if stop.is_some() {
            self.t += span;
            self.v = 0.0;
            // Releases behind the body do not change the force, and are noted where it turns.
            self.memory =
                self.friction.commit(&Drive { v: way * f64::MIN_POSITIVE, ..self.drive() });
            self.settle(way);
            return (segment, Event::Stop);
        }
        self.t = if self.t + span >= end { end } else { self.t + span };
        self.v = v;
        (segment, Event::Nothing)
    }

    /// The motion from here, and how long it is known.
    fn motion(
        &mut self,
        at: &Drive<f64>,
        way: f64,
        edge: f64,
        end: f64,
        begin: &Begin,
    ) -> (Segment, f64) {
        let rest = end - self.t;
        let row = match &self.friction {
            Friction::Rotating(m) => m.row(),
            Friction::Discontinuous(m) => m.row(),
            Friction::Sawtooth(_) => {
                let line = self.friction.line(at, way);
                let stiffness = self.body.stiffness + line[1];
                let span = rest.min(2.0 / (stiffness / self.body.mass).sqrt());
                return (Segment::Harmonic(Harmonic::new(&self.body, begin, line)), span);
            }
        };
        self.behind.clear();
        let behind = &mut self.behind;
        self.friction.touching(at, way, |s| behind.push(s));
        let stiffness = self.body.stiffness + behind.len() as f64 * row.kappa / (row.h * row.h);
        let natural = 2.0 / (stiffness / self.body.mass).sqrt();
        let there = 1.3 * (edge - self.x).abs() / self.v.abs();
        let wanted = rest.min(natural).min(there.max(1e-6 * natural));
        let series = self.workspace.series(&self.body, &row, &self.behind, begin, wanted);
        (Segment::Series(series), series.span)
    }
}

/// At so many places a segment is looked at.
const LOOKS: usize = 4;

/// The first time at which the velocity along `way` is no longer positive. A minimum between two
/// looks is looked at too.
fn first_stop(segment: &Segment, way: f64, span: f64, from_rest: bool) -> Option<f64> {
    let speed = |t: f64| {
        let [_, v, a] = segment.at(t);
        [v * way, a * way]
    };
    let stop = |lo: f64, hi: f64| Some(between(lo, hi, speed));
    let mut before = 0.0;
    // From rest the velocity has no minimum at once, whatever the last digit says.
    let mut slope = if from_rest { 0.0 } else { speed(0.0)[1] };
    for k in 1..=LOOKS {
        let t = span * k as f64 / LOOKS as f64;
        let [v, a] = speed(t);
        if v <= 0.0 {
            if from_rest && k == 1 {
                // It moved before it stopped, or it did not move at all.
                let moved = (1..40).map(|j| t * 0.5f64.powi(j)).find(|t| speed(*t)[0] > 0.0);
                return moved.map_or(Some(0.0), |moved| stop(moved, t));
            }
            return stop(before, t);
        }
        if slope < 0.0 && a > 0.0 {
            let least = minimum(before, t, |t| speed(t)[1]);
            if speed(least)[0] <= 0.0 {
                return stop(before, least);
            }
        }
        (before, slope) = (t, a);
    }
    None
}
