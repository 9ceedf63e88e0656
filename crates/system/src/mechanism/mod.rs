//! Mechanisms: one file each, listed below.
use crate::signal::AnySignal;
use bristle_kernel::{Drive, Real, catalog};

/// A mechanical quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in traces.
    pub name: &'static str,
    /// Its SI unit.
    pub unit: &'static str,
}

/// One contact of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What its quantities are marked with where there are several contacts: `F_T1`.
    pub name: &'static str,
    /// What the friction element does there.
    pub role: Role,
}

/// What a friction element does in a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It acts on a body and has an energy balance.
    Friction,
    /// It is a copy that a controller computes along.
    Observer,
}

const fn q(name: &'static str, unit: &'static str) -> Quantity {
    Quantity { name, unit }
}

/// One body along a line: position and velocity.
const BODY: [Quantity; 2] = [q("x", "m"), q("v", "m/s")];
/// What a body sees that slides on something at rest.
#[inline]
fn on_ground<S: Real>(y: &[S], load: f64) -> Drive<S> {
    Drive { x: y[0], ..Drive::new(y[1], S::from(load)) }
}

/// One contact.
const SINGLE: [Contact; 1] = [Contact { name: "", role: Role::Friction }];

/// Bodies, springs and loads around one or more contacts.
///
/// Time is a scalar like the states, so that dual numbers give rates of what depends on it. What
/// switches with time is told by `phase`, the number of switches passed: see [`Signal`](crate::Signal).
pub trait Mechanism {
    /// Its states, in order: position and velocity of one body, if it has no more.
    fn quantities(&self) -> &'static [Quantity] {
        &BODY
    }

    /// Its contacts, in order.
    fn contacts(&self) -> &'static [Contact] {
        &SINGLE
    }

    /// What the drive is.
    fn driven(&self) -> Quantity;

    /// Writes the state at t = 0.
    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
    }

    /// Writes how fast each state moves on under the drive `u` where the motion is otherwise at rest or
    /// periodic: a body that is dragged along. Zeros, if none is.
    fn drift(&self, _u: f64, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// What contact `i` sees: relative position and velocity, normal load.
    fn drive<S: Real>(&self, i: usize, t: S, phase: usize, y: &[S]) -> Drive<S>;

    /// Writes the rates of its states, given the friction force of each contact, in which they are
    /// linear.
    fn rates<S: Real>(&self, t: S, phase: usize, y: &[S], force: &[S], dy: &mut [S]);

    /// The value of the drive.
    fn input(&self, t: f64, phase: usize) -> f64;

    /// The time of switch `k`, counted from 0; infinite when there are no more.
    fn switch(&self, k: usize) -> f64;

    /// What else is worth recording.
    fn outputs(&self) -> &'static [Quantity] {
        &[]
    }

    /// Writes the outputs.
    fn output(&self, _t: f64, _phase: usize, _y: &[f64], _force: &[f64], _out: &mut [f64]) {}
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
}

impl Mechanism for AnyMechanism<f64> {
    fn quantities(&self) -> &'static [Quantity] {
        each_mechanism!(self, m => m.quantities())
    }
    fn contacts(&self) -> &'static [Contact] {
        each_mechanism!(self, m => m.contacts())
    }
    fn driven(&self) -> Quantity {
        each_mechanism!(self, m => m.driven())
    }
    fn initial(&self, y: &mut [f64]) {
        each_mechanism!(self, m => m.initial(y))
    }
    fn drift(&self, u: f64, out: &mut [f64]) {
        each_mechanism!(self, m => m.drift(u, out))
    }
    #[inline]
    fn drive<S: Real>(&self, i: usize, t: S, phase: usize, y: &[S]) -> Drive<S> {
        each_mechanism!(self, m => m.drive(i, t, phase, y))
    }
    #[inline]
    fn rates<S: Real>(&self, t: S, phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        each_mechanism!(self, m => m.rates(t, phase, y, force, dy))
    }
    fn input(&self, t: f64, phase: usize) -> f64 {
        each_mechanism!(self, m => m.input(t, phase))
    }
    fn switch(&self, k: usize) -> f64 {
        each_mechanism!(self, m => m.switch(k))
    }
    fn outputs(&self) -> &'static [Quantity] {
        each_mechanism!(self, m => m.outputs())
    }
    fn output(&self, t: f64, phase: usize, y: &[f64], force: &[f64], out: &mut [f64]) {
        each_mechanism!(self, m => m.output(t, phase, y, force, out))
    }
}

/// Writes what every mechanism with a field `drive` says of it.
macro_rules! driven_by {
    ($name:literal, $unit:literal) => {
        fn driven(&self) -> $crate::Quantity {
            $crate::Quantity { name: $name, unit: $unit }
        }
        fn input(&self, t: f64, phase: usize) -> f64 {
            self.drive.value(t, phase)
        }
        fn switch(&self, k: usize) -> f64 {
            self.drive.switch(k)
        }
    };
}
use driven_by;
