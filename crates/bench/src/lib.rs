//! Every model of the catalogues as work to be measured, in `f64` and in four SIMD lanes.
//!
//! A subject is a model at its start values with as many independent drives and states as there
//! are evaluations in one pass. They differ from each other in speed, direction, load, position
//! and deflection, and the model is passed through [`black_box`] at every evaluation: nothing that
//! depends on parameters alone is worked out once for all of them.
pub mod chain;
pub mod upwind;

use bristle_kernel::{
    AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Bristle, Cast, Drive, Mode, Real, Slip, Start,
    Update,
    bristle::{Frbd, FrbdPlanar, LuGre},
    law::Stribeck,
    matrix::Isotropic,
};
use bristle_num::{Lanes, simd};
use std::hint::black_box;

/// How many evaluations a vector holds.
pub const WIDTH: usize = 4;

/// The step of a fixed-step update, s.
const STEP: f64 = 1e-4;

/// A scalar to measure in.
pub trait Number: Real {
    /// The numbers `f(0)`, `f(1)`, … side by side.
    fn pack(f: impl FnMut(usize) -> f64) -> Self;
    /// Runs `f` with the instructions that this scalar is meant for.
    fn run<R>(f: impl FnOnce() -> R) -> R;
}

impl Number for f64 {
    fn pack(mut f: impl FnMut(usize) -> f64) -> f64 {
        f(0)
    }
    #[inline(always)]
    fn run<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
}

impl Number for Lanes<WIDTH> {
    fn pack(f: impl FnMut(usize) -> f64) -> Self {
        Lanes(std::array::from_fn(f))
    }
    #[inline(always)]
    fn run<R>(f: impl FnOnce() -> R) -> R {
        simd::widest(f)
    }
}

/// What is measured of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// The rate and the force.
    Eval,
    /// One fixed step.
    Step(Update),
}

impl Task {
    /// All of them.
    pub const ALL: [Task; 4] = [
        Task::Eval,
        Task::Step(Update::Midpoint),
        Task::Step(Update::End),
        Task::Step(Update::Exponential),
    ];

    /// What it is called in a table.
    pub fn title(self) -> &'static str {
        match self {
            Task::Eval => "rate and force",
            Task::Step(Update::Midpoint) => "fixed step, midpoint",
            Task::Step(Update::End) => "fixed step, end of step",
            Task::Step(Update::Exponential) => "fixed step, exponential",
        }
    }
}

/// Something to be done once for each of many independent inputs.
pub trait Work {
    /// Whether it can be done at all.
    fn can(&self, task: Task) -> bool;
    /// Does it for every input.
    fn pass(&mut self, task: Task);
}

/// A model with its drives and states.
struct Batch<S, V, M> {
    model: M,
    states: usize,
    at: Vec<Drive<S, V>>,
    z: Vec<S>,
    dz: Vec<S>,
    force: Vec<V>,
}

impl<S: Number, V: Slip<S>, M: Bristle<S, V>> Batch<S, V, M> {
    #[inline(always)]
    fn each(&mut self, f: impl Fn(&M, &Drive<S, V>, &mut [S], &mut [S]) -> V) {
        let Batch { model, states, at, z, dz, force } = self;
        let states = *states;
        for (i, (at, force)) in at.iter().zip(force).enumerate() {
            let own = i * states..(i + 1) * states;
            *force = f(black_box(model), at, &mut z[own.clone()], &mut dz[own]);
        }
    }
}

impl<S: Number, V: Slip<S>, M: Bristle<S, V>> Work for Batch<S, V, M> {
    fn can(&self, task: Task) -> bool {
        let mut z = self.z[..self.states].to_vec();
        match task {
            Task::Eval => true,
            Task::Step(how) => self.model.step(how, &self.at[0], S::from(STEP), &mut z).is_some(),
        }
    }

    fn pass(&mut self, task: Task) {
        black_box((&mut self.at, &mut self.z));
        match task {
            Task::Eval => S::run(
                #[inline(always)]
                || {
                    self.each(
                        #[inline(always)]
                        |m, at, z, dz| m.eval(at, z, dz),
                    );
                },
            ),
            Task::Step(how) => S::run(
                #[inline(always)]
                || {
                    let h = black_box(S::from(STEP));
                    self.each(
                        #[inline(always)]
                        |m, at, z, _| m.step(how, at, h, z).unwrap_or(at.v),
                    );
                },
            ),
        }
        black_box((&mut self.z, &mut self.dz, &mut self.force));
    }
}

/// The exponential function alone, the unit that costs are expressed in.
struct Exp<S> {
    x: Vec<S>,
    y: Vec<S>,
}

impl<S: Number> Work for Exp<S> {
    fn can(&self, task: Task) -> bool {
        task == Task::Eval
    }

    fn pass(&mut self, _: Task) {
        let Exp { x, y } = self;
        black_box(&mut *x);
        S::run(
            #[inline(always)]
            || {
                for (x, y) in x.iter().zip(y.iter_mut()) {
                    *y = x.exp();
                }
            },
        );
        black_box(y);
    }
}

/// The fractional part of iφ + offset: a sequence that fills (0, 1) evenly and never repeats.
fn spread(i: usize, offset: f64) -> f64 {
    (i as f64 * 0.618_033_988_749_894_9 + offset).fract()
}

/// Drive and state number `i`: a speed between 0.1 mm/s and 0.1 m/s either way, a load between
/// 0.5 N and 2 N, a state of up to the steady one either way.
fn situation<V: Slip<f64>>(model: &impl Bristle<f64, V>, i: usize) -> (Drive<f64, V>, Vec<f64>) {
    let v = V::from_fn(|k| {
        let k = 0.1 * k as f64;
        let speed = 10f64.powf(3.0 * spread(i, k) - 4.0);
        if spread(7 * i, 0.2 + k) < 0.5 { -speed } else { speed }
    });
    let mut at = Drive::new(v, 2f64.powf(2.0 * spread(i, 0.7) - 1.0));
    at.x = V::from_fn(|k| 2.0 * spread(3 * i, 0.3 + 0.1 * k as f64) - 1.0);
    let mut z = vec![0.0; model.states()];
    model.steady(&at, &mut z);
    z.iter_mut().for_each(|z| *z *= 2.0 * spread(5 * i, 0.4) - 1.0);
    at.mode = model.begin(&at, &z);
    (at, z)
}

/// `model` with `count` drives and states, which its twin `plain` works out in `f64`.
fn batch<S: Number, V: Slip<f64>, W: Slip<S>, M: Bristle<S, W>>(
    count: usize,
    plain: &impl Bristle<f64, V>,
    model: M,
) -> Batch<S, W, M> {
    let all: Vec<_> = (0..count).map(|i| situation(plain, i)).collect();
    let states = plain.states();
    let (mut at, mut z) = (Vec::new(), Vec::new());
    for own in all.chunks_exact(S::LANES) {
        at.push(Drive {
            x: W::from_fn(|k| S::pack(|l| own[l].0.x.get(k))),
            v: W::from_fn(|k| S::pack(|l| own[l].0.v.get(k))),
            load: S::pack(|l| own[l].0.load),
            mode: Mode {
                way: S::pack(|l| own[l].0.mode.way),
                index: std::array::from_fn(|k| S::pack(|l| own[l].0.mode.index[k])),
            },
            side: S::pack(|l| own[l].0.side),
            injection: W::from_fn(|k| S::pack(|l| own[l].0.injection.get(k))),
            torques: std::array::from_fn(|k| S::pack(|l| own[l].0.torques[k])),
        });
        z.extend((0..states).map(|k| S::pack(|l| own[l].1[k])));
    }
    let (dz, force) = (z.clone(), at.iter().map(|at| at.v).collect());
    Batch { model, states, at, z, dz, force }
}

/// Something to measure, in both scalars.
pub struct Subject {
    /// What it is.
    pub name: String,
    /// In `f64`.
    pub scalar: Box<dyn Work>,
    /// In four lanes.
    pub lanes: Box<dyn Work>,
}

macro_rules! subject {
    ($count:expr, $name:expr, $model:expr) => {{
        let model = $model;
        let wide = model.cast(&mut |x| Lanes::<WIDTH>::from(x));
        let lanes = batch::<Lanes<WIDTH>, _, _, _>($count, &model, wide);
        let scalar = batch::<f64, _, _, _>($count, &model, model.clone());
        Subject { name: $name, scalar: Box::new(scalar), lanes: Box::new(lanes) }
    }};
}

/// `f64::exp` and the one of lanes, at arguments that a Stribeck curve asks for: −25 to 0.
pub fn exp(count: usize) -> Subject {
    fn of<S: Number + 'static>(count: usize) -> Box<dyn Work> {
        let all = (0..count / S::LANES).map(|i| i * S::LANES);
        let x: Vec<S> = all.map(|i| S::pack(|l| -25.0 * spread(i + l, 0.0))).collect();
        Box::new(Exp { y: x.clone(), x })
    }
    Subject {
        name: "exp alone".to_owned(),
        scalar: of::<f64>(count),
        lanes: of::<Lanes<WIDTH>>(count),
    }
}

/// What a model is measured over: every law, or an unnamed one if it nests none.
fn laws(nested: bool) -> Vec<(String, AnyLaw<f64>)> {
    let all = AnyLaw::<f64>::CATALOG.iter();
    let all = all.filter_map(|i| Some((format!(" over {}", i.name), AnyLaw::named(i.name, ())?)));
    if nested { all.collect() } else { all.take(1).map(|(_, l)| (String::new(), l)).collect() }
}

/// Every model of the catalogues over all that it may nest, through the unions, with `count`
/// evaluations to a pass.
pub fn unions(count: usize) -> Vec<Subject> {
    let mut found = Vec::new();
    for info in AnyBristle::<f64>::CATALOG {
        for (over, law) in laws(info.nested.is_some()) {
            let Some(model) = AnyBristle::named(info.name, law) else { continue };
            found.push(subject!(count, format!("{}{over}", info.name), model));
        }
    }
    for info in AnyPlanar::<f64>::CATALOG {
        for matrix in AnyMatrix::<f64>::CATALOG {
            for (over, law) in laws(matrix.nested.is_some()) {
                let inner = AnyMatrix::named(matrix.name, law);
                let model = inner.and_then(|m| AnyPlanar::named(info.name, m));
                let Some(model) = model else { continue };
                let name = format!("{} over {}{over}", info.name, matrix.name);
                found.push(subject!(count, name, model));
            }
        }
    }
    found
}

/// Models as concrete types, with no union around them or their law, each under the name of its
/// twin among [`unions`]. The first is the one that the promises are about.
pub fn concrete(count: usize) -> Vec<Subject> {
    let law = || Stribeck::<f64>::start(());
    let frbd: Frbd<f64, _> = Frbd::start(law());
    let lugre: LuGre<f64, _> = LuGre::start(law());
    let planar: FrbdPlanar<f64, Isotropic<f64, _>> = FrbdPlanar::start(Isotropic::start(law()));
    vec![
        subject!(count, "frbd over stribeck".to_owned(), frbd),
        subject!(count, "lugre over stribeck".to_owned(), lugre),
        subject!(count, "frbd_planar over isotropic over stribeck".to_owned(), planar),
    ]
}
