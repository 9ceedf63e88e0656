//! What happens in a contact over a stretch of time: work, loops, harmonics, extremes.
use crate::System;
use crate::march::Begin;
use bristle_num::Dual;
use bristle_ode::tableau::{NODES, WEIGHTS};
use bristle_system::{AnyMechanism, Mode, Step, Watch};
use bristle_trace::Extreme;
use nalgebra::Complex;
use std::ops::ControlFlow;

/// The contact of a system at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time, s.
    pub t: f64,
    /// Relative position, m.
    pub x: f64,
    /// Relative velocity, m/s.
    pub v: f64,
    /// Friction force, N.
    pub force: f64,
}

/// The greatest size of each state over a run.
pub(crate) struct Reach(pub(crate) Vec<f64>);

impl Reach {
    /// At the beginning.
    pub(crate) fn new(y: &[f64]) -> Self {
        Reach(y.iter().map(|y| y.abs()).collect())
    }
}

impl Watch<AnyMechanism<f64>> for Reach {
    fn step(&mut self, _system: &System, step: &Step<'_>) -> ControlFlow<()> {
        for (reach, y) in self.0.iter_mut().zip(step.at(step.end())) {
            *reach = reach.max(y.abs());
        }
        ControlFlow::Continue(())
    }
}

/// The first contact of a system, over one run.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// ∮F dx = ∫F v dt, J: the area of the loop over position.
    pub work: f64,
    /// ∮F dv, W: the area of the loop over velocity, positive where the force is higher while the body is
    /// accelerated.
    pub lag: f64,
    /// ∫F e^{−iωt} dt, ∫x e^{−iωt} dt.
    harmonic: [Complex<f64>; 2],
    omega: f64,
    /// Extremes of the force, N.
    pub force: Extreme,
    /// Extremes of the position, m.
    pub x: Extreme,
    /// Extremes of the velocity, m/s.
    pub v: Extreme,
    /// The loop, at the ends of steps and between.
    pub samples: Vec<Sample>,
    duration: f64,
}

/// One number of a sample.
type Value = fn(&Sample) -> f64;

/// So many samples to a step; extremes are looked for at these and between them.
const LOOKS: usize = 12;

/// The contact at one moment of a step, and dv/dt.
fn look(system: &System, mode: &Mode, t: f64, y: &[f64]) -> (Sample, f64) {
    type D = Dual<f64, 4>;
    let n = y.len();
    let mut dy = vec![0.0; n];
    let force = system.flow(mode, t, y, &mut dy)[0];
    let along: Vec<D> = (0..n).map(|k| Dual { re: y[k], eps: [dy[k], 0.0, 0.0, 0.0] }).collect();
    let at = system.contact(mode, 0, D::variable(t, 0), &along).0;
    (Sample { t, x: at.x.re, v: at.v.re, force }, at.v.eps[0])
}

impl Cycle {
    /// Before the run, with harmonics at ω, rad/s.
    pub fn new(system: &System, begin: &Begin, omega: f64) -> Self {
        let (start, _) = look(system, &begin.mode(system), 0.0, &begin.y);
        Cycle {
            work: 0.0,
            lag: 0.0,
            harmonic: [Complex::new(0.0, 0.0); 2],
            omega,
            force: Extreme::new(0.0, start.force),
            x: Extreme::new(0.0, start.x),
            v: Extreme::new(0.0, start.v),
            samples: vec![start],
            duration: 0.0,
        }
    }

    /// The first harmonic of the force over that of the position, N/m: the describing function of the contact. Its
    /// real part is a stiffness, its imaginary part over ω a damping.
    pub fn describing_function(&self) -> Complex<f64> {
        self.harmonic[0] / self.harmonic[1]
    }

    /// The first harmonic of the force, N, as a complex amplitude of e^{iωt}.
    pub fn force_harmonic(&self) -> Complex<f64> {
        self.harmonic[0] * (2.0 / self.duration)
    }

    /// Half the range of the position, m.
    pub fn amplitude(&self) -> f64 {
        0.5 * (self.x.max - self.x.min)
    }

    /// The slope of the line through both ends of the loop, N/m: force against position where it turns.
    pub fn secant_stiffness(&self) -> f64 {
        let at = |t: f64| self.at(t).force;
        (at(self.x.t_max) - at(self.x.t_min)) / (self.x.max - self.x.min)
    }

    /// The damper that takes the same work from a harmonic motion of this amplitude, N·s/m: W/(πωA²).
    pub fn equivalent_damping(&self) -> f64 {
        self.work / (core::f64::consts::PI * self.omega * self.amplitude().powi(2))
    }

    /// The loss factor W/(2π W_max), with W_max = ½kA² by the secant stiffness.
    pub fn loss_factor(&self) -> f64 {
        let stored = 0.5 * self.secant_stiffness() * self.amplitude().powi(2);
        self.work / (core::f64::consts::TAU * stored)
    }

    /// The sample nearest to that time.
    pub fn at(&self, t: f64) -> Sample {
        let after = self.samples.partition_point(|s| s.t < t).min(self.samples.len() - 1);
        let before = after.saturating_sub(1);
        let near = |k: usize| (self.samples[k].t - t).abs();
        self.samples[if near(before) < near(after) { before } else { after }]
    }
}

impl Watch<AnyMechanism<f64>> for Cycle {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        let h = step.end() - step.start();
        let first = self.samples[0];
        for (node, weight) in NODES.into_iter().zip(WEIGHTS) {
            let t = step.start() + node * h;
            let (sample, acceleration) = look(system, step.mode, t, &step.at(t));
            let turn = Complex::from_polar(weight * h, -self.omega * t);
            self.work += weight * h * sample.force * sample.v;
            self.lag += weight * h * sample.force * acceleration;
            // A constant has no harmonic, but a rule has errors: only what changes is integrated.
            self.harmonic[0] += turn * (sample.force - first.force);
            self.harmonic[1] += turn * (sample.x - first.x);
        }
        let places: Vec<f64> =
            (0..=LOOKS).map(|k| step.start() + h * k as f64 / LOOKS as f64).collect();
        let seen: Vec<Sample> =
            places.iter().map(|t| look(system, step.mode, *t, &step.at(*t)).0).collect();
        let columns: [(&mut Extreme, Value); 3] =
            [(&mut self.force, |s| s.force), (&mut self.x, |s| s.x), (&mut self.v, |s| s.v)];
        let mut turns = Vec::new();
        for (extreme, value) in columns {
            for sign in [1.0, -1.0] {
                let of = |k: usize| sign * value(&seen[k]);
                let best = (0..=LOOKS).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap_or(0);
                let found = value(&seen[best]);
                extreme.take(places[best], found);
                let (lo, hi) = (best.saturating_sub(1), (best + 1).min(LOOKS));
                // Between the looks it goes less far beyond the best one than that one is beyond others.
                let margin = of(best) - of(lo).min(of(hi));
                if margin > 0.0 && extreme.exceeded(found + sign * margin) {
                    let inside = |t: f64| value(&look(system, step.mode, t, &step.at(t)).0);
                    extreme.refine(sign, (places[best], found), [places[lo], places[hi]], inside);
                    turns.extend([extreme.t_min, extreme.t_max]);
                }
            }
        }
        let mut all: Vec<Sample> = seen.into_iter().skip(1).collect();
        let within = |t: &f64| *t > step.start() && *t < step.end();
        all.extend(
            turns.iter().filter(|t| within(t)).map(|t| look(system, step.mode, *t, &step.at(*t)).0),
        );
        all.sort_by(|a, b| a.t.total_cmp(&b.t));
        self.samples.extend(all);
        self.duration = step.end();
        ControlFlow::Continue(())
    }
}
