//! A drive that takes energy out of a friction element.
//!
//! Two families are searched, both from undeflected bristles on. *Jerks*: a few constant speeds that repeat, such as
//! a slow pull and a fast jerk, after which a damped bristle pushes the body on. *Shakes*: a slow pull to just below
//! the static limit, small strokes there, and a slow return; a tip that slides against its own force winds the
//! bristle up meanwhile. What was found is run by the solver, and only what the run confirms is reported.
use crate::System;
use crate::break_away::static_limit;
use crate::march::{Accuracy, Begin, march};
use crate::periodic::presliding;
use bristle_kernel::{AnyBristle, Drive, Free, Start, Update};
use bristle_ode::Slope;
use bristle_ode::tableau::{NODES, WEIGHTS};
use bristle_system::mechanism::Prescribed;
use bristle_system::signal::Steps;
use bristle_system::{AnyMechanism, AnySignal, Coupled, Friction, Scalar, Step, Watch};
use rayon::prelude::*;
use std::fmt;
use std::ops::ControlFlow;

/// A stretch at constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// m/s.
    pub v: f64,
    /// s.
    pub time: f64,
}

/// A motion, from undeflected bristles on.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// These stretches, again and again.
    Jerks {
        /// One repetition.
        phases: Vec<Phase>,
        /// How many there are.
        repetitions: usize,
    },
    /// A pull, strokes back and forth, and the way back.
    Shakes {
        /// The pull; the return is its reverse.
        pull: Phase,
        /// The stroke back; the one forth is its reverse.
        stroke: Phase,
        /// How many strokes back there are.
        strokes: usize,
    },
}

impl Motion {
    /// All of it, stretch by stretch.
    pub fn phases(&self) -> Vec<Phase> {
        let reverse = |p: &Phase| Phase { v: -p.v, ..*p };
        match self {
            Motion::Jerks { phases, repetitions } => phases.repeat(*repetitions),
            Motion::Shakes { pull, stroke, strokes } => {
                let both = [*stroke, reverse(stroke)].repeat(*strokes);
                [*pull].into_iter().chain(both).chain([reverse(pull)]).collect()
            }
        }
    }
}

impl fmt::Display for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = |p: &Phase| format!("{:.3e} m/s for {:.3e} s", p.v, p.time);
        match self {
            Motion::Jerks { phases, repetitions } => {
                let all: Vec<String> = phases.iter().map(phase).collect();
                write!(f, "{}; {repetitions} times", all.join(", "))
            }
            Motion::Shakes { pull, stroke, strokes } => write!(
                f,
                "{}, then {strokes} strokes of {} back and the same forth, then back as it came",
                phase(pull),
                phase(stroke)
            ),
        }
    }
}

/// A drive that takes energy out of an element, confirmed by a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The motion.
    pub motion: Motion,
    /// The work done on the element over all of it, J: negative.
    pub work: f64,
    /// The greatest work that had been done on it on the way, J.
    pub lent: f64,
}

/// Repetitions of a jerk.
const REPETITIONS: usize = 4;
/// Jerks are searched class by class: parts of the range of the first way, times the orders of signs.
const CLASSES: [usize; 2] = [8, 4];
/// Jerks tried at random in each, for models that step by themselves and for others, which are integrated.
const TRIES: [usize; 2] = [125, 40];
/// Rounds of improvement, likewise.
const ROUNDS: [i32; 2] = [12, 4];
/// Speeds, m/s, and distances, in bends of the bristle, of jerks.
const SPEEDS: [f64; 2] = [1e-5, 3.0];
const WAYS: [f64; 2] = [0.02, 30.0];
/// How far below the limit it is shaken, as parts of it, and how long a stroke takes, in times σ₁/σ₀.
const BELOW: [f64; 5] = [3e-4, 1e-3, 3e-3, 1e-2, 3e-2];
const STROKE_TIMES: [f64; 2] = [10.0, 30.0];
/// How many strokes there are.
const STROKES: usize = 40;
/// A pull takes so many times σ₁/σ₀, so that it loses nothing to speak of.
const PULL_TIME: f64 = 1e6;
/// A run that takes more steps is given up.
const MOST_STEPS: usize = 20_000;
/// Less than this part of what was lent on the way may be rounding.
const SIGNIFICANT: f64 = 1e-6;

/// A jerk by places within the ranges, and its signs.
type Genes = [f64; 6];

/// Numbers that look random and are always the same (G. Marsaglia, Xorshift RNGs, J. Stat. Softw. 8, 2003).
pub(super) struct Random(u64);

impl Random {
    /// One of many sequences.
    pub(super) fn new(which: usize) -> Self {
        Random((which as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Between 0 and 1.
    pub(super) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Search<'a> {
    friction: &'a Friction,
    load: f64,
    /// The static limit, N.
    limit: f64,
    /// How far it bends the bristles, m.
    bend: f64,
    /// σ₁/σ₀, s.
    time: f64,
}

impl Search<'_> {
    /// Two stretches, and the same backwards or once more. Out, back and once more out ends where it began: what takes
    /// energy out for ever has to close.
    fn jerk(&self, genes: &Genes) -> Motion {
        let between = |[low, high]: [f64; 2], part: f64| low * (high / low).powf(part);
        let sign = |part: f64| if part < 0.5 { -1.0 } else { 1.0 };
        let phase = |speed: f64, way: f64, sign: f64| {
            let v = between(SPEEDS, speed);
            Phase { v: sign * v, time: between(WAYS, way) * self.bend / v }
        };
        let (second, again) = (sign(genes[4]), sign(genes[5]));
        let way = if second < again { genes[1] } else { genes[3] };
        let half = [phase(genes[0], genes[1], 1.0), phase(genes[2], way, second)];
        let again = half.map(|p| Phase { v: again * p.v, ..p });
        let phases = half.into_iter().chain(again).collect();
        Motion::Jerks { phases, repetitions: REPETITIONS }
    }

    /// A shake so far below the limit, with strokes so long.
    fn shake(&self, below: f64, stroke: f64) -> Motion {
        let (pull, stroke) = (PULL_TIME * self.time, stroke * self.time);
        Motion::Shakes {
            pull: Phase { v: self.bend * (1.0 - below) / pull, time: pull },
            stroke: Phase { v: -0.8 * below * self.bend / stroke, time: stroke },
            strokes: STROKES,
        }
    }

    /// The work over a motion and the most on the way, J, by the model's own exact steps, if it has them.
    fn stepped(&self, motion: &Motion) -> Option<[f64; 2]> {
        let model = self.friction.model();
        let mut z = vec![0.0; model.states()];
        let (mut work, mut most) = (0.0, 0.0f64);
        let mut at = Drive::new(0.0, self.load);
        at.mode = model.begin(&at, &z);
        for phase in motion.phases() {
            at.v = phase.v;
            model.step(Update::Exponential, &at, phase.time, &mut z.clone())?;
            let free = Free::prescribed(phase.v);
            let force = model.advance(Update::Exponential, &mut at, &free, phase.time, &mut z)?;
            work += force * phase.v * phase.time;
            most = most.max(work);
        }
        Some([work, most])
    }

    /// The same by the solver.
    fn integrated(&self, motion: &Motion, tolerance: f64) -> Option<[f64; 2]> {
        let (mut t, mut times, mut speeds) = (0.0, Vec::new(), Vec::new());
        for phase in motion.phases() {
            times.push(t);
            speeds.push(phase.v);
            t += phase.time;
        }
        let steps = Steps { t: times.into_iter().collect(), value: speeds.into_iter().collect() };
        let moved = Prescribed { load: self.load, ..Prescribed::start(AnySignal::Steps(steps)) };
        let system = Coupled::new(AnyMechanism::Prescribed(moved), self.friction.clone());
        let mut work = Work::default();
        let accuracy = Accuracy { max_steps: MOST_STEPS, ..tolerance.into() };
        march(&system, &Begin::of(&system), t, accuracy, &mut work).ok()?;
        Some([work.done, work.most])
    }

    /// The work over what friction would take at its limit: less is better.
    fn score(&self, genes: &Genes) -> f64 {
        let motion = self.jerk(genes);
        let way: f64 = motion.phases().iter().map(|p| p.v.abs() * p.time).sum();
        match self.stepped(&motion).or_else(|| self.integrated(&motion, 1e-6)) {
            Some([work, _]) if work.is_finite() => work / (self.limit * way),
            _ => f64::INFINITY,
        }
    }

    /// The best jerk of a class, and its score.
    fn best_of(&self, class: usize) -> (f64, Genes) {
        let slow = usize::from(self.stepped(&self.jerk(&[0.5; 6])).is_none());
        let mut random = Random::new(class);
        let mut draw = || {
            let mut genes: Genes = core::array::from_fn(|_| random.next());
            genes[1] = ((class / CLASSES[1]) as f64 + genes[1]) / CLASSES[0] as f64;
            genes[4..].copy_from_slice(&[(class % 2) as f64, (class / 2 % 2) as f64]);
            (self.score(&genes), genes)
        };
        let (mut score, mut genes) = draw();
        for _ in 1..TRIES[slow] {
            let next = draw();
            if next.0 < score {
                (score, genes) = next;
            }
        }
        // Around it, nearer and nearer.
        for round in 0..ROUNDS[slow] {
            let width = 0.2 * 0.7f64.powi(round);
            for (k, way) in (0..4).flat_map(|k| [(k, -width), (k, width)]) {
                let mut next = genes;
                next[k] = (next[k] + way).clamp(0.0, 1.0);
                let there = self.score(&next);
                if there < score {
                    (score, genes) = (there, next);
                }
            }
        }
        (score, genes)
    }

    /// The best of the jerks. Each class is improved by itself: the smallest motions lose least, and would crowd out those
    /// that come near to a gain.
    fn best_jerk(&self) -> Motion {
        let classes = (0..CLASSES[0] * CLASSES[1]).into_par_iter();
        let best = classes.map(|class| self.best_of(class)).min_by(|a, b| a.0.total_cmp(&b.0));
        self.jerk(&best.expect("there are classes").1)
    }

    /// The motion as a finding, if a run at a tight tolerance bears it out.
    fn confirmed(&self, motion: Motion) -> Option<Extraction> {
        let [work, lent] = self.integrated(&motion, 1e-11)?;
        let found = work < -SIGNIFICANT * lent;
        found.then_some(Extraction { motion, work, lent })
    }
}

/// ∫F v dt of a run, and the most it was on the way.
#[derive(Default)]
struct Work {
    done: f64,
    most: f64,
}

impl Watch<AnyMechanism<f64>> for Work {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        let h = step.end() - step.start();
        for (node, weight) in NODES.into_iter().zip(WEIGHTS) {
            let t = step.start() + node * h;
            let y = step.at(t);
            let force = system.forces(step.mode, t, &y)[0];
            self.done += weight * h * force * system.contact(step.mode, 0, t, &y).0.v;
        }
        self.most = self.most.max(self.done);
        ControlFlow::Continue(())
    }
}

/// A drive that takes more energy out of the model than was put in; nothing if none was found.
pub fn extraction(model: &AnyBristle<f64>, load: f64) -> Option<Extraction> {
    // Slowly, so that a mass of the bristle does not count.
    searched(&Friction::from(model.clone()), load, presliding(model, load, 1e-2))
}

/// The same of any friction element, the user's own included.
pub fn extraction_of(friction: &Friction, load: f64) -> Option<Extraction> {
    searched(friction, load, small_motions(friction, load))
}

/// Stiffness, N/m, and damping, N·s/m, of an undeflected element at rest against a jerk: Σ ∂F/∂zᵢ ∂żᵢ/∂v and ∂F/∂v.
pub(super) fn small_motions(friction: &Friction, load: f64) -> [f64; 2] {
    let model = Slope::of(friction);
    let rest = vec![0.0; model.states()];
    let mode = friction.model().begin(&Drive::new(0.0, load), &rest).map(Slope::from);
    // The derivatives of the force, and of each rate, by the velocity and by state `i`.
    let slopes = |i: usize| {
        let seed = |k: usize| Slope { re: 0.0, eps: core::array::from_fn(|j| f64::from(j == k)) };
        let mut z = vec![Slope::from(0.0); rest.len()];
        let mut dz = z.clone();
        if let Some(z) = z.get_mut(i) {
            *z = seed(1);
        }
        let at = Drive { mode, ..Drive::new(seed(0), Slope::from(load)) };
        let force = model.eval(&at, &z, &mut dz);
        (force.eps, dz.get(i).map_or(0.0, |dz| dz.eps[0]))
    };
    let stiffness = (0..rest.len()).map(|i| {
        let (force, rate) = slopes(i);
        force[1] * rate
    });
    [stiffness.sum(), slopes(rest.len()).0[0]]
}

fn searched(friction: &Friction, load: f64, [stiffness, damping]: [f64; 2]) -> Option<Extraction> {
    let limit = static_limit(friction.model(), load);
    let bristle = stiffness > 0.0 && damping > 0.0;
    let (bend, time) =
        if bristle { (limit / stiffness, damping / stiffness) } else { (1e-4, 1e-2) };
    let search = Search { friction, load, limit, bend, time };
    let shakes: Vec<(f64, f64)> =
        BELOW.iter().flat_map(|below| STROKE_TIMES.map(|stroke| (*below, stroke))).collect();
    search.confirmed(search.best_jerk()).or_else(|| {
        let found = shakes
            .par_iter()
            .filter_map(|(below, stroke)| search.confirmed(search.shake(*below, *stroke)));
        found.min_by(|a, b| a.work.total_cmp(&b.work))
    })
}
