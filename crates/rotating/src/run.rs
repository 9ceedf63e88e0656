use crate::{Body, Friction, Motion, Pieces, Segment};
use bristle_kernel::{Drive, Mode};
use bristle_ode::{Dense, Failure, Options, Solver};
use bristle_system::Coupled;

/// How the body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// At rest, held by friction.
    Stuck,
    /// To the right (1) or to the left (−1).
    Moving(f64),
}

impl Phase {
    fn of(mode: &Mode<f64>) -> Self {
        if mode.way == 0.0 { Phase::Stuck } else { Phase::Moving(mode.way) }
    }
}

/// What ended a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Nothing: another piece of the motion begins, or the time asked for was reached.
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
    /// What was discrete about friction meanwhile.
    pub mode: Mode<f64>,
    /// What ended it.
    pub event: Event,
    /// What is discrete about friction after that.
    pub after: Mode<f64>,
}

impl Step {
    /// Position, velocity and acceleration at `t`.
    pub fn motion(&self, t: f64) -> Motion {
        self.segment.at(t - self.start)
    }

    /// The drive of the friction model at `t`.
    pub fn drive(&self, t: f64) -> Drive<f64> {
        let [x, v, _] = self.motion(t);
        Drive { x, mode: self.mode, ..Drive::new(v, 1.0) }
    }

    /// The friction force at `t`, N.
    pub fn force(&self, run: &Run, t: f64) -> f64 {
        match self.phase {
            Phase::Stuck => run.body().others(t, self.motion(t)[0]),
            Phase::Moving(way) => run.friction.force(&self.drive(t), way),
        }
    }
}

/// A run of a body on bristles or teeth: the general solver with [`Pieces`] of motion for its method.
#[derive(Clone)]
pub struct Run {
    /// What the body moves on.
    pub friction: Friction,
    system: Coupled<Body>,
    solver: Solver<Coupled<Body>, Pieces>,
}

impl Run {
    /// At t = 0 in `x`, with the velocity `v`.
    pub fn new(body: Body, friction: Friction, x: f64, v: f64) -> Self {
        let system = Coupled::new(body, friction);
        let mut mode = system.begin(0.0, &[x, v]);
        let element = &mut mode.contacts[0].element;
        if element.way == 0.0 && !system.set_valued(0) {
            // It rests on springs: it goes where it is pushed, or will be.
            let at = Drive { x, mode: *element, ..Drive::new(v, 1.0) };
            let net = body.others(0.0, x) - friction.force(&at, 0.0);
            let push = if net == 0.0 { body.push.rate(0.0) } else { net };
            *element = friction.model().depart(&at, if push < 0.0 { -1.0 } else { 1.0 });
        }
        /// What is this part of small values is zero: a guard that begins there has not fallen yet.
        const ZERO: f64 = 1e-11;
        let first_step = Some(f64::INFINITY);
        let options = Options { first_step, ..Options::new(ZERO, &system.tolerances(ZERO)) };
        let solver = Solver::new(&system, Pieces::new(friction), 0.0, &[x, v], mode, options);
        Run { friction, system, solver }
    }

    /// What moves.
    pub fn body(&self) -> &Body {
        &self.system.mechanism
    }

    /// Time, s.
    pub fn t(&self) -> f64 {
        self.solver.t()
    }

    /// Position, m.
    pub fn x(&self) -> f64 {
        self.solver.y()[0]
    }

    /// Velocity, m/s.
    pub fn v(&self) -> f64 {
        self.solver.y()[1]
    }

    /// How the body moves.
    pub fn phase(&self) -> Phase {
        Phase::of(&self.drive().mode)
    }

    /// What the friction model is given.
    pub fn drive(&self) -> Drive<f64> {
        let mode = self.solver.mode().contacts[0].element;
        Drive { x: self.x(), mode, ..Drive::new(self.v(), 1.0) }
    }

    /// Runs to `end`; `each` sees every step.
    pub fn to(&mut self, end: f64, mut each: impl FnMut(&Self, &Step)) -> Result<(), Failure> {
        while self.t() < end {
            let step = self.advance(end)?;
            each(self, &step);
        }
        Ok(())
    }

    /// Takes one step, not beyond `end`.
    pub fn advance(&mut self, end: f64) -> Result<Step, Failure> {
        self.solver.advance(&self.system, end)?;
        let (piece, at) = (self.solver.dense(), self.drive());
        let (mode, after) = (self.solver.step_mode().contacts[0].element, at.mode);
        let phase = Phase::of(&mode);
        let event = match phase {
            _ if mode == after => Event::Nothing,
            Phase::Stuck => Event::Leave,
            Phase::Moving(way) if way != after.way => Event::Stop,
            Phase::Moving(way) => {
                let [before, now] =
                    [mode, after].map(|mode| self.friction.passed(&Drive { mode, ..at }, way));
                Event::Edge { passed: (now - before).round().max(0.0) as usize }
            }
        };
        let (start, end, segment) = (piece.start(), piece.end(), piece.segment);
        Ok(Step { start, end, phase, segment, mode, event, after })
    }
}
