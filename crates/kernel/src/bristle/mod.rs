//! Bristle models: one file each, listed below.
use crate::law::abs_eps;
use crate::{AnyLaw, AnyMatrix, Law, Sym2, choice};
use bristle_num::{Logic, Real};
use core::fmt;

mod coupled;
pub mod general;
mod memoryless;
mod modal;
mod planar;
mod relaxation;
mod root;
mod row;

pub use general::{General, Rheology};
pub use memoryless::Memoryless;
pub use planar::{Matrix2, Planar, Response, ScalarResponse};
pub use relaxation::{Relaxation, Relaxing};
pub use root::MOST_EVALUATIONS;
pub use row::{Cell, Row};

choice! {
    /// What stiffness and damping are measured against.
    Scaling {
        /// times the load: stiffness in 1/m, force = N·(…); papers 000, 003, 004
        PerLoad = "per_load",
        /// as they are: stiffness in N/m; paper 002
        Absolute = "absolute",
    }
}

impl Scaling {
    /// A stiffness or damping in newtons per unit, under the load `n`.
    #[inline(always)]
    pub(crate) fn newtons<S: Real>(self, sigma: S, n: S) -> S {
        match self {
            Scaling::PerLoad => sigma * n,
            Scaling::Absolute => sigma,
        }
    }
}

choice! {
    /// How a fixed step is taken at frozen drive.
    Update {
        /// implicit midpoint: passive in discrete time for every step; keeps the bounds while ah ≤ 2
        Midpoint = "midpoint",
        /// the exact solution: keeps passivity and bounds for every step
        Exponential = "exponential",
        /// implicit, at the end of the step: passive for every step, of first order; it damps what it cannot resolve
        End = "end",
    }
}

impl Update {
    /// The part θ of a step after which an implicit update takes its force: ½ or 1. Nothing for the exact one.
    pub fn stage(self) -> Option<f64> {
        match self {
            Update::Midpoint => Some(0.5),
            Update::End => Some(1.0),
            Update::Exponential => None,
        }
    }
}

/// How the rest of a mechanism lets a contact move in one step: under the force F at the velocity
/// `velocity` − `gain`·F, which is that of the stage at which the update takes its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Free<S, V = S> {
    /// The velocity without friction, m/s.
    pub velocity: V,
    /// How much a unit of force slows it, m/(N·s); 0 where the motion is prescribed.
    pub gain: S,
}

impl<S: Real, V: Slip<S>> Free<S, V> {
    /// A motion that no force changes.
    pub fn prescribed(velocity: V) -> Self {
        Free { velocity, gain: S::from(0.0) }
    }
}

impl<S: Real> Free<S> {
    /// A body of the effective mass `mass` that goes at `v` under the force `push`, for a step of `h` seconds. After it
    /// the body goes at v + (h/m)(push − F). The exact update has the stage of the midpoint.
    pub fn body(how: Update, v: S, mass: S, push: S, h: S) -> Self {
        let gain = h * how.stage().unwrap_or(0.5) / mass;
        Free { velocity: v + gain * push, gain }
    }
}

/// What is discrete about a friction element.
///
/// It changes where a guard falls to zero ([`Bristle::next`]) and nowhere else, so that rounding
/// never decides which tooth, bristle or branch the element is on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mode<S> {
    /// The direction of sliding: −1, 0 or 1. In set-valued models 0 means stuck.
    pub way: S,
    /// Teeth, bristles, branches, sides of kinks, as the model counts them. (The length is spelt out:
    /// rustc 1.95 breaks down on a named one where closures capture parts of a drive.)
    pub index: [S; 7],
}

impl<S> Mode<S> {
    /// Every number through `f`.
    #[inline(always)]
    pub fn map<T>(self, mut f: impl FnMut(S) -> T) -> Mode<T> {
        Mode { way: f(self.way), index: self.index.map(f) }
    }
}

impl<S: Real> Mode<S> {
    /// `yes` where the mask holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: S::Mask, yes: Self, no: Self) -> Self {
        let index = core::array::from_fn(|k| S::select(mask, yes.index[k], no.index[k]));
        Mode { way: S::select(mask, yes.way, no.way), index }
    }

    /// This mode with `value` at place `k`.
    #[inline(always)]
    pub(crate) fn with(mut self, k: usize, value: S) -> Self {
        self.index[k] = value;
        self
    }
}

/// How many [guards](Bristle::guards) a model may have.
pub const MAX_GUARDS: usize = 8;

/// How many changes of mode [`Bristle::commit`] follows in one step: a body that passes more teeth or
/// bristles in a step needs a shorter step.
pub(crate) const MAX_CHANGES: usize = 10_000;

/// What a friction element is given: it integrates none of this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<S, V = S> {
    /// Position of the body relative to its counterpart, m. Few models look at it.
    pub x: V,
    /// Its velocity, m/s.
    pub v: V,
    /// Normal load, N. Zero or less is lift-off.
    pub load: S,
    /// What is discrete about the element: [`Bristle::begin`] gives it at the start of a motion.
    pub mode: Mode<S>,
    /// The side of v = 0 on which the motion is, −1 or 1, where a solver lands on v = 0 and sees to it that no step passes
    /// it: side·v then continues |v|, and a trial step that ends on the other side sees no kink. 0 elsewhere.
    pub side: S,
    /// A velocity added to v where v deflects the bristle, not where it sets the friction level: an
    /// observer's correction, 003 (28a). Zero in a contact.
    pub injection: V,
    /// The torques that a transmission carries, N·m: of the motor, and of what it drives, both as they act on the
    /// joint. Friction that depends on what is transmitted looks at them, and zeros do elsewhere.
    pub torques: [S; 2],
}

impl<S: Real, V: Slip<S>> Drive<S, V> {
    /// Sliding at `v` under `load`, at x = 0, in the mode of zeros. Models without modes need no other.
    #[inline(always)]
    pub fn new(v: V, load: S) -> Self {
        let zero = V::from_fn(|_| S::from(0.0));
        let (mode, side, torques) = (Mode::default(), S::from(0.0), [S::from(0.0); 2]);
        Drive { x: zero, v, load, mode, side, injection: zero, torques }
    }

    /// The velocity that deflects the bristle.
    #[inline(always)]
    pub fn input(&self) -> V {
        V::from_fn(|i| self.v.get(i) + self.injection.get(i))
    }

    /// Whether there is contact. A load under 10⁻¹⁰⁰ N is none: where stiffness does not scale
    /// with load, rates go as 1/N and would overflow.
    #[inline(always)]
    pub fn pressed(&self) -> S::Mask {
        self.load.gt(S::from(1e-100))
    }

    /// The load, or 1 N where there is none: a divisor whose quotient is then not chosen.
    #[inline(always)]
    pub(crate) fn divisor(&self) -> S {
        S::select(self.pressed(), self.load, S::from(1.0))
    }
}

impl<S: Real> Drive<S> {
    /// The speed |v|_ε, continued beyond v = 0 from where the motion is [known](Drive::side) to be.
    #[inline(always)]
    pub fn speed(&self, epsilon: S) -> S {
        let (zero, side) = (S::from(0.0), self.side);
        let continued = side.abs().gt(zero) & !epsilon.gt(zero);
        S::select(continued, side * self.v, abs_eps(self.v, epsilon))
    }
}

/// A sliding velocity, position or force: one component along a line, two in a plane.
pub trait Slip<S: Real>: Copy + fmt::Debug + PartialEq {
    /// How many components.
    const DIM: usize;
    /// Component `i`.
    fn get(&self, i: usize) -> S;
    /// From components.
    fn from_fn(f: impl FnMut(usize) -> S) -> Self;
    /// The sum of products of components.
    #[inline(always)]
    fn dot(&self, rhs: &Self) -> S {
        (0..Self::DIM).fold(S::from(0.0), |sum, i| sum + self.get(i) * rhs.get(i))
    }
}

impl<S: Real> Slip<S> for S {
    const DIM: usize = 1;
    #[inline(always)]
    fn get(&self, _i: usize) -> S {
        *self
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> S) -> S {
        f(0)
    }
}

impl<S: Real> Slip<S> for [S; 2] {
    const DIM: usize = 2;
    #[inline(always)]
    fn get(&self, i: usize) -> S {
        self[i]
    }
    #[inline(always)]
    fn from_fn(f: impl FnMut(usize) -> S) -> [S; 2] {
        core::array::from_fn(f)
    }
}

/// One state variable: `z`, `f2`, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    /// Its letter.
    pub symbol: &'static str,
    /// Its number, where several share the letter.
    pub index: Option<usize>,
    /// Its SI unit.
    pub unit: &'static str,
    /// What it measures.
    pub measure: Measure,
}

/// What a state variable measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How far something bends.
    Deflection,
    /// How fast.
    Rate,
    /// A force.
    Force,
    /// A force per unit load.
    ForcePerLoad,
}

impl Variable {
    /// The bristle deflection z, m.
    pub const DEFLECTION: Self =
        Variable { symbol: "z", index: None, unit: "m", measure: Measure::Deflection };
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol)?;
        self.index.map_or(Ok(()), |i| write!(f, "{i}"))
    }
}

/// The energy balance of an element, F·v = Ẇ + D, at constant load.
#[derive(Clone, Copy, Debug)]
pub struct Energy<S: Real> {
    /// The stored energy W, J.
    pub stored: S,
    /// The dissipated power D, W.
    pub dissipated: S,
    /// Whether W is known to be a storage function here, so that D ≥ 0 is proven. Where it is
    /// not, the balance still holds, and D may be negative.
    pub known: S::Mask,
}

/// What is known of a model's passivity with the parameters it has.
#[derive(Clone, Copy, Debug)]
pub struct Passivity<S: Real> {
    /// Whether a storage function is known for every drive at constant load.
    pub known: S::Mask,
    /// By how much the condition holds, in the unit of its left side; ∞ if there is none.
    pub margin: S,
    /// The lemma, the condition, or why none is known.
    pub why: &'static str,
}

impl<S: Real> Passivity<S> {
    /// Passive whatever the parameters.
    #[inline(always)]
    pub fn always(why: &'static str) -> Self {
        Passivity { known: S::Mask::splat(true), margin: S::from(f64::INFINITY), why }
    }
}

/// A friction element: a force that depends on slip, load and an internal state.
///
/// Slices hold [`states`](Bristle::states) entries, those of [`watch`](Bristle::watch) and
/// [`kinks`](Bristle::kinks) hold [`guards`](Bristle::guards). `dz` given to a method is the rate at the same
/// drive and state. `V` is `S` along a line and `[S; 2]` in a plane.
pub trait Bristle<S: Real, V: Slip<S> = S> {
    /// How many numbers the element remembers.
    fn states(&self) -> usize;

    /// Name and unit of state `i`.
    fn variable(&self, i: usize) -> Variable;

    /// Writes the rate of the state into `dz`.
    fn rate(&self, at: &Drive<S, V>, z: &[S], dz: &mut [S]);

    /// The friction force, N, given the state and its rate.
    fn force(&self, at: &Drive<S, V>, z: &[S], dz: &[S]) -> V;

    /// Writes the state that stays as it is at constant drive and gives its force. At v = 0, where
    /// many states are steady, the undeflected one.
    fn steady(&self, at: &Drive<S, V>, z: &mut [S]) -> V;

    /// The stored energy and dissipated power.
    fn energy(&self, at: &Drive<S, V>, z: &[S], dz: &[S]) -> Energy<S>;

    /// The velocity v − ż at which the tips slide; its product with the force is the slip work's
    /// power, the part of the dissipation that is not the bristle's own.
    #[inline(always)]
    fn tip(&self, at: &Drive<S, V>, dz: &[S]) -> V {
        V::from_fn(|i| dz.get(i).map_or(at.v.get(i), |dz| at.v.get(i) - *dz))
    }

    /// What is known of passivity.
    fn passivity(&self) -> Passivity<S>;

    /// Writes a bound on each |state| that holds for ever, from `z0`, under speeds up to `v_max`
    /// and loads up to `load_max`. ∞ where none is known.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]);

    /// Advances the state by `h` seconds at frozen drive and gives the mean force over the step;
    /// `None`, and nothing changed, for models that are not linear in their state.
    #[inline(always)]
    fn step(&self, _how: Update, _at: &Drive<S, V>, _h: S, _z: &mut [S]) -> Option<V> {
        None
    }

    /// Advances state and mode by `h` seconds together with what the contact moves, and gives the force of the step.
    /// `at` is what the contact sees at the start; afterwards its velocity is that of the step. Passive at any step
    /// where [`step`](Bristle::step) is. `None`, and nothing changed, for models without a step, and in a plane.
    ///
    /// Here the velocity v = v₀ − gF(v) is bracketed and found in at most 120 steps tried; models that know a
    /// shorter way have their own.
    #[inline(always)]
    fn advance(
        &self,
        how: Update,
        at: &mut Drive<S, V>,
        free: &Free<S, V>,
        h: S,
        z: &mut [S],
    ) -> Option<V> {
        coupled::advance(self, how, at, free, h, z)
    }

    /// Whether the model must be solved together with what it moves by [`advance`](Bristle::advance): its force is not a
    /// smooth function of a step's velocity.
    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        false
    }

    /// The least and greatest force at v = 0, for models that are set-valued there.
    #[inline(always)]
    fn limits(&self, _at: &Drive<S, V>) -> Option<[S; 2]> {
        None
    }

    /// Whether steady sliding at this drive attracts. Where it repels, the element leaves it for
    /// another branch or oscillates.
    #[inline(always)]
    fn attracts(&self, _at: &Drive<S, V>) -> S::Mask {
        S::Mask::splat(true)
    }

    /// How many guards the model has, at most [`MAX_GUARDS`].
    #[inline(always)]
    fn guards(&self) -> usize {
        0
    }

    /// Writes functions that change sign where the model is continuous but not smooth. A model that
    /// has no other guards states these, at most seven of them, and how many there are; its mode is
    /// the side of each kink, ±1, and its rate and force need not look at it.
    #[inline(always)]
    fn kinks(&self, _at: &Drive<S, V>, _z: &[S], _out: &mut [S]) {}

    /// The side of v = 0 that the mode is on, of a model that ends its mode there and takes |v| from [`Drive::speed`];
    /// 0 of others.
    #[inline(always)]
    fn side(&self, _mode: &Mode<S>) -> S {
        S::from(0.0)
    }

    /// Writes the guards. Each is positive while the mode lasts; the mode ends where one falls to
    /// zero. A guard that does not apply in this mode is 1.
    #[inline(always)]
    fn watch(&self, at: &Drive<S, V>, z: &[S], out: &mut [S]) {
        self.kinks(at, z, out);
        for (guard, side) in out.iter_mut().zip(at.mode.index) {
            *guard = *guard * side;
        }
    }

    /// The mode at the start of a motion, from position, velocity and state: the only place where a
    /// position is rounded to an index.
    #[inline(always)]
    fn begin(&self, at: &Drive<S, V>, z: &[S]) -> Mode<S> {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let mut kinks = [zero; MAX_GUARDS];
        let kinks = &mut kinks[..self.guards()];
        self.kinks(at, z, kinks);
        let mut mode = Mode::default();
        for (side, kink) in mode.index.iter_mut().zip(kinks) {
            *side = S::select(kink.lt(zero), -one, one);
        }
        mode
    }

    /// The mode after guard `k` fell to zero.
    #[inline(always)]
    fn next(&self, k: usize, at: &Drive<S, V>, _z: &[S]) -> Mode<S> {
        at.mode.with(k, -at.mode.index[k])
    }

    /// The mode of a contact that leaves a stick, or comes out of v = 0, in the direction `way`, −1 or
    /// 1. The caller of a set-valued model sets its direction by this and by `way` = 0.
    #[inline(always)]
    fn depart(&self, at: &Drive<S, V>, way: S) -> Mode<S> {
        Mode { way, ..at.mode }
    }

    /// Whether rate or force depend on the position x.
    #[inline(always)]
    fn positional(&self) -> bool {
        false
    }

    /// The mode after a step whose events were not located (fixed steps, sampled drives): every guard
    /// below zero is followed, one at a time, until none is. The first of several is followed first.
    #[inline(always)]
    fn commit(&self, at: &Drive<S, V>, z: &[S]) -> Mode<S> {
        let zero = S::from(0.0);
        let mut guards = [zero; MAX_GUARDS];
        let guards = &mut guards[..self.guards()];
        let mut at = *at;
        for _ in 0..MAX_CHANGES {
            self.watch(&at, z, guards);
            let (mut mode, mut changed) = (at.mode, S::Mask::splat(false));
            for (k, guard) in guards.iter().enumerate() {
                let ends = guard.lt(zero) & !changed;
                if ends.any() {
                    mode = Mode::select(ends, self.next(k, &at, z), mode);
                    changed = changed | ends;
                }
            }
            if !changed.any() {
                break;
            }
            at.mode = mode;
        }
        at.mode
    }

    /// Writes the rate and gives the force.
    #[inline(always)]
    fn eval(&self, at: &Drive<S, V>, z: &[S], dz: &mut [S]) -> V {
        self.rate(at, z, dz);
        self.force(at, z, dz)
    }
}

/// The time in which a bristle without damping gives up its force at lift-off, s. A massless one
/// would do so at once; a finite time keeps rates finite, and no force reaches the body meanwhile.
pub const LIFT_OFF_TIME: f64 = 1e-3;

/// |v|_ε/μ(v), or over μN under absolute scaling: what the force f of a viscoelastic bristle is
/// multiplied by in ż = v − (|v|_ε/μ) f, 003 (11).
#[inline(always)]
pub(crate) fn drag<S: Real>(scaling: Scaling, law: &impl Law<S>, at: &Drive<S>, epsilon: S) -> S {
    let n = at.divisor();
    scaling.newtons(at.speed(epsilon), n) / (n * law.level(at.v))
}

/// How fast a Kelvin-Voigt bristle relaxes at lift-off, 1/s: σ₀/σ₁ by 002 (6).
#[inline(always)]
pub(crate) fn free_rate<S: Real>(sigma0: S, sigma1: S) -> S {
    let damped = sigma1.gt(S::from(0.0));
    let divisor = S::select(damped, sigma1, S::from(1.0));
    S::select(damped, sigma0 / divisor, S::from(1.0 / LIFT_OFF_TIME))
}

/// `pressed` where there is contact, `lifted()` elsewhere, which is worked out only if needed.
#[inline(always)]
pub(crate) fn by_contact<S: Real>(on: S::Mask, pressed: S, lifted: impl FnOnce() -> S) -> S {
    if on.all() { pressed } else { S::select(on, pressed, lifted()) }
}

catalog! {
    /// Any bristle model of the catalogue that slides along a line, over any law.
    AnyBristle (AnyLaw<S>) by on_line:
    static_friction::Static<AnyLaw>,
    dry::Dry<AnyLaw>,
    dahl::Dahl<AnyLaw>,
    lugre::LuGre<AnyLaw>,
    frbd::Frbd<AnyLaw>,
    elasto_plastic::ElastoPlastic<AnyLaw>,
    gms::Gms<AnyLaw>,
    implicit::Implicit<AnyLaw>,
    bristle2::Bristle2<AnyLaw>,
    frbd_gm::FrbdGm<AnyLaw>,
    frbd_gkv::FrbdGkv<AnyLaw>,
    rotating::Rotating<>,
    rotating_discontinuous::RotatingDiscontinuous<>,
    sawtooth::Sawtooth<>,
    ffbm::Ffbm<>,
    mpabm::Mpabm<>,
    transmission::Transmission<>,
}

/// Runs a statement of one model, apart from those of all others: a function that held them all would
/// take compilers minutes. Lanes are inlined nevertheless, so that they get the widest instructions.
#[inline(always)]
fn apart<S: Real, R>(statement: impl FnOnce() -> R) -> R {
    #[inline(never)]
    fn outlined<R>(statement: impl FnOnce() -> R) -> R {
        statement()
    }
    if S::LANES == 1 { outlined(statement) } else { statement() }
}

/// Forwards every statement of a model to whichever one is inside the union.
macro_rules! forward {
    ($Any:ident, $V:ty, $each:ident) => {
        impl<S: Real> Bristle<S, $V> for $Any<S> {
            #[inline(always)]
            fn states(&self) -> usize {
                $each!(self, m => m.states())
            }
            #[inline(always)]
            fn variable(&self, i: usize) -> Variable {
                $each!(self, m => m.variable(i))
            }
            #[inline(always)]
            fn rate(&self, at: &Drive<S, $V>, z: &[S], dz: &mut [S]) {
                $each!(self, m => apart::<S, _>(|| m.rate(at, z, dz)))
            }
            #[inline(always)]
            fn force(&self, at: &Drive<S, $V>, z: &[S], dz: &[S]) -> $V {
                $each!(self, m => apart::<S, _>(|| m.force(at, z, dz)))
            }
            #[inline(always)]
            fn eval(&self, at: &Drive<S, $V>, z: &[S], dz: &mut [S]) -> $V {
                $each!(self, m => apart::<S, _>(|| m.eval(at, z, dz)))
            }
            #[inline(always)]
            fn steady(&self, at: &Drive<S, $V>, z: &mut [S]) -> $V {
                $each!(self, m => apart::<S, _>(|| m.steady(at, z)))
            }
            #[inline(always)]
            fn energy(&self, at: &Drive<S, $V>, z: &[S], dz: &[S]) -> Energy<S> {
                $each!(self, m => apart::<S, _>(|| m.energy(at, z, dz)))
            }
            #[inline(always)]
            fn passivity(&self) -> Passivity<S> {
                $each!(self, m => m.passivity())
            }
            #[inline(always)]
            fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
                $each!(self, m => apart::<S, _>(|| m.bound(z0, v_max, load_max, out)))
            }
            #[inline(always)]
            fn step(&self, how: Update, at: &Drive<S, $V>, h: S, z: &mut [S]) -> Option<$V> {
                $each!(self, m => apart::<S, _>(|| m.step(how, at, h, z)))
            }
            #[inline(always)]
            fn advance(
                &self,
                how: Update,
                at: &mut Drive<S, $V>,
                free: &Free<S, $V>,
                h: S,
                z: &mut [S],
            ) -> Option<$V> {
                $each!(self, m => apart::<S, _>(|| m.advance(how, at, free, h, z)))
            }
            #[inline(always)]
            fn solved_with_body(&self) -> bool {
                $each!(self, m => m.solved_with_body())
            }
            #[inline(always)]
            fn limits(&self, at: &Drive<S, $V>) -> Option<[S; 2]> {
                $each!(self, m => apart::<S, _>(|| m.limits(at)))
            }
            #[inline(always)]
            fn attracts(&self, at: &Drive<S, $V>) -> S::Mask {
                $each!(self, m => apart::<S, _>(|| m.attracts(at)))
            }
            #[inline(always)]
            fn guards(&self) -> usize {
                $each!(self, m => m.guards())
            }
            #[inline(always)]
            fn kinks(&self, at: &Drive<S, $V>, z: &[S], out: &mut [S]) {
                $each!(self, m => apart::<S, _>(|| m.kinks(at, z, out)))
            }
            #[inline(always)]
            fn side(&self, mode: &Mode<S>) -> S {
                $each!(self, m => m.side(mode))
            }
            #[inline(always)]
            fn watch(&self, at: &Drive<S, $V>, z: &[S], out: &mut [S]) {
                $each!(self, m => apart::<S, _>(|| m.watch(at, z, out)))
            }
            #[inline(always)]
            fn begin(&self, at: &Drive<S, $V>, z: &[S]) -> Mode<S> {
                $each!(self, m => apart::<S, _>(|| m.begin(at, z)))
            }
            #[inline(always)]
            fn next(&self, k: usize, at: &Drive<S, $V>, z: &[S]) -> Mode<S> {
                $each!(self, m => apart::<S, _>(|| m.next(k, at, z)))
            }
            #[inline(always)]
            fn depart(&self, at: &Drive<S, $V>, way: S) -> Mode<S> {
                $each!(self, m => apart::<S, _>(|| m.depart(at, way)))
            }
            #[inline(always)]
            fn positional(&self) -> bool {
                $each!(self, m => m.positional())
            }
            #[inline(always)]
            fn commit(&self, at: &Drive<S, $V>, z: &[S]) -> Mode<S> {
                $each!(self, m => apart::<S, _>(|| m.commit(at, z)))
            }
        }
    };
}
forward!(AnyBristle, S, on_line);

catalog! {
    /// Any bristle model of the catalogue that slides in a plane, over any friction matrix.
    AnyPlanar (AnyMatrix<S>) by in_plane:
    frbd_planar::FrbdPlanar<AnyMatrix>,
}
forward!(AnyPlanar, [S; 2], in_plane);

impl<S: Real> Planar<S> for AnyPlanar<S> {
    #[inline(always)]
    fn stiffness(&self) -> Sym2<S> {
        in_plane!(self, m => m.stiffness())
    }
    #[inline(always)]
    fn damping(&self) -> Sym2<S> {
        in_plane!(self, m => m.damping())
    }
    #[inline(always)]
    fn response(&self, v: [S; 2]) -> Response<S> {
        in_plane!(self, m => apart::<S, _>(|| m.response(v)))
    }
    #[inline(always)]
    fn is_alike(&self) -> bool {
        in_plane!(self, m => m.is_alike())
    }
    #[inline(always)]
    fn scalar_response(&self, speed_squared: S) -> ScalarResponse<S> {
        in_plane!(self, m => apart::<S, _>(|| m.scalar_response(speed_squared)))
    }
    #[inline(always)]
    fn fastest(&self, v_max: S) -> S {
        in_plane!(self, m => apart::<S, _>(|| m.fastest(v_max)))
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        in_plane!(self, m => apart::<S, _>(|| m.highest(v_max)))
    }
}
