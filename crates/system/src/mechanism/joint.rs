//! A geared joint under gravity: its transmission knows the motor's torque and the load's.
//!
//! ```text
//! J q̈ = τ_m(t) + τ_e − F,   τ_e = −G sin q
//! ```
//!
//! Torques as they act on the joint; the friction element sees both ([`Drive::torques`]). A load that is held has
//! τ_e = −τ_m.
use super::{Contact, Mechanism, Quantity, Role, Units, driven_by, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A joint with a motor, a transmission and a weight.
///
/// J q̈ = τ_m − G sin q − F, where v_rel = q̇.
#[derive(Clone, Debug, Params)]
#[params(
    name = "joint",
    title = "geared joint with a weight, driven by its motor's torque",
    source = "Duclusaud et al., ICRA 2025"
)]
pub struct Joint<S, L> {
    /// inertia J
    #[param(unit = "kg*m^2", start = 0.005, range = "(0, inf)", eq = "J q̈ = τ_m + τ_e − F")]
    pub inertia: S,
    /// greatest torque of the weight G
    #[param(unit = "N*m", start = 0.1, range = "[0, inf)", eq = "τ_e = −G sin q")]
    pub gravity: S,
    /// torque τ_m(t) of the motor, N·m
    #[param(nested)]
    pub drive: L,
}

const QUANTITIES: [Quantity; 2] = [Quantity::angle("q"), Quantity::turning("dq")];
const CONTACTS: [Contact; 1] = [Contact { name: "", role: Role::Friction, units: Units::SHAFT }];

impl<L: Signal> Mechanism for Joint<f64, L> {
    driven_by!("tau_m", "N*m");
    one_body!();

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES
    }
    fn contacts(&self) -> &[Contact] {
        &CONTACTS
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let torques = [self.drive.value(t, phase[0]), -(y[0].sin() * self.gravity)];
        Drive { x: y[0], torques, ..Drive::new(y[1], S::from(1.0)) }
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] =
            (self.drive.value(t, phase[0]) - y[0].sin() * self.gravity - force[0]) / self.inertia;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coupled, signal::Constant};
    use bristle_kernel::{Start, bristle::Transmission, bristle::transmission::Inner};

    /// Held between what drives it up and what lets it sink, a joint with a stick stays where it is.
    #[test]
    fn a_transmission_holds_more_than_it_takes_to_drive() {
        let m = Transmission { bristle: Inner::Implicit, ..Transmission::start(()) };
        for (torque, moves) in [(0.02, false), (0.15, true)] {
            let joint = Joint::start(Constant { value: torque });
            let system = Coupled::new(joint, m);
            let y = system.initial();
            let mut run =
                crate::FixedStep::new(&system, bristle_kernel::Update::Midpoint, 1e-3, &y).unwrap();
            run.run(2.0, |_| {}).unwrap();
            assert_eq!(run.y()[0].abs() > 0.01, moves, "{torque}: {:?}", run.y());
        }
    }
}
