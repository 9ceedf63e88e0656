//! Mechanisms: one file each, listed below.
use crate::signal::{AnySignal, Ramp};
use bristle_kernel::{Drive, Real, catalog};

/// A mechanical quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in traces.
    pub name: &'static str,
    /// Its SI unit.
    pub unit: &'static str,
    /// A small value of it, in that unit: what absolute errors are held against.
    pub small: f64,
    /// What it is to a body.
    pub kind: Kind,
}

/// What a quantity is to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Where it is.
    Position,
    /// How fast the position before it changes.
    Velocity,
    /// Something else.
    Other,
}

impl Quantity {
    /// Something with a name and a unit, of which `small` is little.
    pub const fn new(name: &'static str, unit: &'static str, small: f64) -> Self {
        Quantity { name, unit, small, kind: Kind::Other }
    }
    /// A position along a line, m.
    pub const fn position(name: &'static str) -> Self {
        Quantity { kind: Kind::Position, ..Quantity::new(name, "m", 1e-3) }
    }
    /// A velocity along a line, m/s.
    pub const fn velocity(name: &'static str) -> Self {
        Quantity { kind: Kind::Velocity, ..Quantity::new(name, "m/s", 1e-3) }
    }
    /// An angle, rad.
    pub const fn angle(name: &'static str) -> Self {
        Quantity { kind: Kind::Position, ..Quantity::new(name, "rad", 1e-3) }
    }
    /// An angular velocity, rad/s.
    pub const fn turning(name: &'static str) -> Self {
        Quantity { kind: Kind::Velocity, ..Quantity::new(name, "rad/s", 1e-3) }
    }
}

/// One contact of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What its quantities are marked with, `F_T1`; nothing for the one contact of a mechanism that never has another.
    pub name: &'static str,
    /// What the friction element does there.
    pub role: Role,
    /// The units of its motion and its force.
    pub units: Units,
}

/// The units of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of the relative position.
    pub position: &'static str,
    /// Of the relative velocity.
    pub velocity: &'static str,
    /// Of force and load.
    pub force: &'static str,
}

impl Units {
    /// Sliding along a line.
    pub const LINE: Self = Units { position: "m", velocity: "m/s", force: "N" };
    /// Turning about an axis.
    pub const SHAFT: Self = Units { position: "rad", velocity: "rad/s", force: "N*m" };
}

/// Where energy goes in one part of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The part.
    pub name: &'static str,
    /// What it does with energy.
    pub kind: FlowKind,
}

/// What a part does with energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// It brings energy in.
    Work,
    /// It takes energy out for good.
    Loss,
    /// It keeps energy.
    Stored,
}

/// What a friction element does in a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It acts on a body and has an energy balance.
    Friction,
    /// It is a copy that a controller computes along.
    Observer,
}

/// One body along a line: position and velocity.
const BODY: [Quantity; 2] = [Quantity::position("x"), Quantity::velocity("v")];
/// What a body sees that slides on something at rest.
#[inline]
fn on_ground<S: Real>(y: &[S], load: f64) -> Drive<S> {
    Drive { x: y[0], ..Drive::new(y[1], S::from(load)) }
}

/// One contact along a line.
const SINGLE: [Contact; 1] = [Contact { name: "", role: Role::Friction, units: Units::LINE }];

/// A body tied to a wall by a spring, under a force F₀ sin 2πft: what hysteresis maps are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tied {
    /// Mass, kg.
    pub mass: f64,
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
    /// F₀, N.
    pub amplitude: f64,
    /// f, Hz.
    pub frequency: f64,
}

/// Bodies, springs and loads around contacts.
///
/// Time is a scalar like the states, so that dual numbers give rates of what depends on it. What is
/// discrete is told by `phase`: for each drive the number of switches that it has passed (see
/// [`Signal`](crate::Signal)), then the mechanism's own [`modes`](Mechanism::modes).
pub trait Mechanism {
    /// Its states, in order: position and velocity of one body, if it has no more.
    fn quantities(&self) -> &[Quantity] {
        &BODY
    }

    /// Its contacts, in order.
    fn contacts(&self) -> &[Contact] {
        &SINGLE
    }

    /// What its drives are; none, if it does not say.
    fn drives(&self) -> &[Quantity] {
        &[]
    }

    /// Whether the drives are quantities of their own, which a prescribed velocity of the contact is not.
    fn shows_drives(&self) -> bool {
        true
    }

    /// Writes the state at t = 0.
    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
    }

    /// Writes how fast each state moves on under the drive `u` where the motion is otherwise at rest or
    /// periodic: a body that is dragged along. Zeros, if none is.
    fn drift(&self, _u: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// The period of its drives, if they have one.
    fn period(&self) -> Option<f64> {
        None
    }

    /// A time, s, over which its drives are nearly cubics between their switches: no step is longer.
    fn smooth_for(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether its drives never change.
    fn is_constant(&self) -> bool {
        false
    }

    /// Whether it can oscillate under drives that are constant: something drags it along.
    fn self_excited(&self) -> bool {
        false
    }

    /// The one body that it is, if it is one tied to a wall under a sine.
    fn tied(&self) -> Option<Tied> {
        None
    }

    /// What contact `i` sees: relative position and velocity, normal load.
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S>;

    /// Writes the rates of its states, given the friction force of each contact, in which they are
    /// linear.
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]);

    /// The value of drive `i`.
    fn input(&self, _i: usize, _t: f64, _phase: &[usize]) -> f64 {
        0.0
    }

    /// Steers drive `i`, if it is a [`Ramp`].
    fn steer(&mut self, _i: usize, _ramp: Ramp<f64>) {}

    /// The time of switch `k` of drive `i`, counted from 0; infinite when there are no more.
    fn switch(&self, _i: usize, _k: usize) -> f64 {
        f64::INFINITY
    }

    /// Calls `on` with every state that the rate of state `k` depends on but through friction. All, if it
    /// does not know better.
    fn depends(&self, _k: usize, on: &mut dyn FnMut(usize)) {
        (0..self.quantities().len()).for_each(on);
    }

    /// Calls `on` with every state whose rate the force of contact `i` enters.
    fn moves(&self, _i: usize, on: &mut dyn FnMut(usize)) {
        (0..self.quantities().len()).for_each(on);
    }

    /// Calls `on` with every state that contact `i` sees something of.
    fn sees(&self, _i: usize, on: &mut dyn FnMut(usize)) {
        (0..self.quantities().len()).for_each(on);
    }

    /// How many numbers tell what is discrete about the mechanism itself: backlash, stops, saturation.
    fn modes(&self) -> usize {
        0
    }

    /// How many guards end them.
    fn guards(&self) -> usize {
        0
    }

    /// Writes the guards, which are positive as long as a mode lasts.
    fn watch(&self, _t: f64, _phase: &[usize], _y: &[f64], _guards: &mut [f64]) {}

    /// Moves on where guard `k` fell to zero.
    fn next(&self, _k: usize, _t: f64, _phase: &mut [usize], _y: &mut [f64]) {}

    /// Sets its own modes, which are all 0, at the start of a run.
    fn begin(&self, _t: f64, _phase: &mut [usize], _y: &[f64]) {}

    /// The next time at which it changes something by a clock of its own, as a sampled controller does.
    fn due(&self, _phase: &[usize]) -> f64 {
        f64::INFINITY
    }

    /// Changes it. States may jump; afterwards it is due later.
    fn tick(&self, _t: f64, _phase: &mut [usize], _y: &mut [f64]) {}

    /// The load of contact `i` where it slides towards `way`, −1 or 1, if that makes a difference.
    fn load_towards<S: Real>(
        &self,
        _i: usize,
        _way: S,
        _t: S,
        _phase: &[usize],
        _y: &[S],
    ) -> Option<S> {
        None
    }

    /// Where energy goes besides into friction: one entry for each part. None, if it does not say.
    fn flows(&self) -> &[Flow] {
        &[]
    }

    /// Writes the flows under these friction forces: power, W, of what is work or loss, and energy, J, of what is stored.
    fn flow(&self, _t: f64, _phase: &[usize], _y: &[f64], _force: &[f64], _out: &mut [f64]) {}

    /// What else is worth recording.
    fn outputs(&self) -> &[Quantity] {
        &[]
    }

    /// Writes the outputs.
    fn output(&self, _t: f64, _phase: &[usize], _y: &[f64], _force: &[f64], _out: &mut [f64]) {}
}

catalog! {
    /// Any mechanism of the catalogue, under any drive.
    AnyMechanism (AnySignal<S>) by each_mechanism:
    mass::Mass<AnySignal>,
    belt::Belt<AnySignal>,
    spring_drag::SpringDrag<AnySignal>,
    prescribed::Prescribed<AnySignal>,
    valve::Valve<AnySignal>,
    festoon::Festoon<AnySignal>,
    arm::Arm<AnySignal>,
    joint::Joint<AnySignal>,
}

impl Mechanism for AnyMechanism<f64> {
    fn quantities(&self) -> &[Quantity] {
        each_mechanism!(self, m => m.quantities())
    }
    fn contacts(&self) -> &[Contact] {
        each_mechanism!(self, m => m.contacts())
    }
    fn drives(&self) -> &[Quantity] {
        each_mechanism!(self, m => m.drives())
    }
    fn shows_drives(&self) -> bool {
        each_mechanism!(self, m => m.shows_drives())
    }
    fn initial(&self, y: &mut [f64]) {
        each_mechanism!(self, m => m.initial(y))
    }
    fn drift(&self, u: f64, out: &mut [f64]) {
        each_mechanism!(self, m => m.drift(u, out))
    }
    fn period(&self) -> Option<f64> {
        each_mechanism!(self, m => m.period())
    }
    fn smooth_for(&self) -> f64 {
        each_mechanism!(self, m => m.smooth_for())
    }
    fn is_constant(&self) -> bool {
        each_mechanism!(self, m => m.is_constant())
    }
    fn self_excited(&self) -> bool {
        each_mechanism!(self, m => m.self_excited())
    }
    fn tied(&self) -> Option<Tied> {
        each_mechanism!(self, m => m.tied())
    }
    #[inline]
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        each_mechanism!(self, m => m.drive(i, t, phase, y))
    }
    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        each_mechanism!(self, m => m.rates(t, phase, y, force, dy))
    }
    fn input(&self, i: usize, t: f64, phase: &[usize]) -> f64 {
        each_mechanism!(self, m => m.input(i, t, phase))
    }
    fn steer(&mut self, i: usize, ramp: Ramp<f64>) {
        each_mechanism!(self, m => m.steer(i, ramp))
    }
    fn switch(&self, i: usize, k: usize) -> f64 {
        each_mechanism!(self, m => m.switch(i, k))
    }
    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        each_mechanism!(self, m => m.depends(k, on))
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        each_mechanism!(self, m => m.moves(i, on))
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        each_mechanism!(self, m => m.sees(i, on))
    }
    fn modes(&self) -> usize {
        each_mechanism!(self, m => m.modes())
    }
    fn guards(&self) -> usize {
        each_mechanism!(self, m => m.guards())
    }
    fn watch(&self, t: f64, phase: &[usize], y: &[f64], guards: &mut [f64]) {
        each_mechanism!(self, m => m.watch(t, phase, y, guards))
    }
    fn next(&self, k: usize, t: f64, phase: &mut [usize], y: &mut [f64]) {
        each_mechanism!(self, m => m.next(k, t, phase, y))
    }
    fn begin(&self, t: f64, phase: &mut [usize], y: &[f64]) {
        each_mechanism!(self, m => m.begin(t, phase, y))
    }
    fn due(&self, phase: &[usize]) -> f64 {
        each_mechanism!(self, m => m.due(phase))
    }
    fn tick(&self, t: f64, phase: &mut [usize], y: &mut [f64]) {
        each_mechanism!(self, m => m.tick(t, phase, y))
    }
    #[inline]
    fn load_towards<S: Real>(&self, i: usize, way: S, t: S, phase: &[usize], y: &[S]) -> Option<S> {
        each_mechanism!(self, m => m.load_towards(i, way, t, phase, y))
    }
    fn flows(&self) -> &[Flow] {
        each_mechanism!(self, m => m.flows())
    }
    fn flow(&self, t: f64, phase: &[usize], y: &[f64], force: &[f64], out: &mut [f64]) {
        each_mechanism!(self, m => m.flow(t, phase, y, force, out))
    }
    fn outputs(&self) -> &[Quantity] {
        each_mechanism!(self, m => m.outputs())
    }
    fn output(&self, t: f64, phase: &[usize], y: &[f64], force: &[f64], out: &mut [f64]) {
        each_mechanism!(self, m => m.output(t, phase, y, force, out))
    }
}

/// Writes what every mechanism with a field `drive` says of it.
macro_rules! driven_by {
    ($name:literal, $unit:literal) => {
        fn drives(&self) -> &[$crate::Quantity] {
            const DRIVES: [$crate::Quantity; 1] = [$crate::Quantity::new($name, $unit, 1.0)];
            &DRIVES
        }
        fn input(&self, _i: usize, t: f64, phase: &[usize]) -> f64 {
            self.drive.value(t, phase[0])
        }
        fn steer(&mut self, _i: usize, ramp: $crate::signal::Ramp<f64>) {
            self.drive.steer(ramp)
        }
        fn switch(&self, _i: usize, k: usize) -> f64 {
            self.drive.switch(k)
        }
        fn period(&self) -> Option<f64> {
            self.drive.period()
        }
        fn smooth_for(&self) -> f64 {
            self.drive.smooth_for()
        }
        fn is_constant(&self) -> bool {
            self.drive.is_constant()
        }
    };
}
use driven_by;

/// Writes what one body says of its two states, position and velocity: the position follows the velocity, and
/// forces change the velocity alone.
macro_rules! one_body {
    () => {
        fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
            if k == 1 {
                on(0);
            }
            on(1);
        }
        fn moves(&self, _i: usize, on: &mut dyn FnMut(usize)) {
            on(1);
        }
    };
}
use one_body;
