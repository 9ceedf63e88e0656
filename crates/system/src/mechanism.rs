use bristle_kernel::{Drive, Real};

/// A mechanical state variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in traces.
    pub name: &'static str,
    /// Its SI unit.
    pub unit: &'static str,
}

/// One body along a line: position and velocity.
pub(crate) const BODY: [Quantity; 2] =
    [Quantity { name: "x", unit: "m" }, Quantity { name: "v", unit: "m/s" }];

/// Bodies, springs and loads around one or more contacts.
///
/// What switches with time is told by `phase`, the number of switches passed, not by comparing
/// times: at a switch both sides are needed, the left one to end a step and the right one to begin
/// the next.
pub trait Mechanism {
    /// Its states, in order.
    fn quantities(&self) -> &'static [Quantity];

    /// How many contacts it has.
    fn contacts(&self) -> usize {
        1
    }

    /// Writes the state at t = 0.
    fn initial(&self, y: &mut [f64]);

    /// What contact `i` sees: relative position and velocity, normal load.
    fn drive<S: Real>(&self, i: usize, t: f64, phase: usize, y: &[S]) -> Drive<S>;

    /// Writes the rates of its states, given the friction force of each contact.
    fn rates<S: Real>(&self, t: f64, phase: usize, y: &[S], force: &[S], dy: &mut [S]);

    /// The time of switch `k`, counted from 0; infinite when there are no more.
    fn switch(&self, _k: usize) -> f64 {
        f64::INFINITY
    }
}
