//! A one-joint arm that follows a reference, with friction compensated by an observer.
//!
//! ```text
//! m(q) q̈ = −c(q, q̇) q̇ − g(q) − F + U                                           (26a)
//! U = −k₁ s + F̂ + m(q)(q̈_ref − λ q̃′) + c(q, q̇)(q̇_ref − λ q̃) + g(q)             (27)
//! q̃ = q − q_ref,   s = q̃′ + λ q̃
//! ẑ′ = −(|q̇|/μ(q̇)) f̂ + q̇ − k₂ s,   f̂ᵢ′ = −f̂ᵢ/τᵢ + kᵢ ẑ′                         (28)
//! ```
//!
//! Equation numbers of 003. F = r p f is the friction torque, so the load of both contacts is rp. The
//! second contact is the observer: a friction element that sees the same velocity and −k₂s besides.
//!
//! The paper leaves m, c and g open; here a rod whose inertia may vary, as with a second link that
//! moves along: m(q) = J(1 + a cos q), c = ½ m′(q) q̇ = −½ J a q̇ sin q, g(q) = G sin q.
use super::{Contact, Mechanism, Quantity, Role, Units, driven_by, on_ground, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real, choice};

choice! {
    /// Whether the controller compensates friction.
    Compensation {
        /// by the observer's F̂, as in (27)
        Observer = "observer",
        /// not at all
        None = "none",
    }
}

/// A robot joint with controller and friction observer.
///
/// m(q) q̈ = −c(q, q̇) q̇ − G sin q − F + U with m(q) = J(1 + a cos q), where v_rel = q̇. The controller's torque is U = −k₁ s + F̂ +
/// m(q)(q̈_ref − λ q̃′) + c(q, q̇)(q̇_ref − λ q̃) + G sin q with q̃ = q − q_ref and s = q̃′ + λ q̃.
#[derive(Clone, Debug, Params)]
#[params(
    name = "arm",
    title = "one-joint arm with passivity-based controller and friction observer",
    source = "003 §IV-B, (26)-(28)"
)]
pub struct Arm<S, L> {
    /// inertia J
    #[param(unit = "kg*m^2", start = 0.5, range = "(0, inf)", eq = "003 (26a)")]
    pub inertia: S,
    /// by what part a the inertia varies with the angle
    #[param(unit = "1", start = 0.0, range = "(-1, 1)", eq = "003 (26a)")]
    pub variation: S,
    /// gravity torque G at q = 90°
    #[param(unit = "N*m", start = 2.943, range = "(-inf, inf)", eq = "003 (26a)")]
    pub gravity: S,
    /// joint radius times normal force, r p
    #[param(unit = "N*m", start = 2.0, range = "[0, inf)", eq = "003 (26a)")]
    pub load: S,
    /// weight λ of the position error in s
    #[param(unit = "1/s", start = 10.0, range = "(0, inf)", eq = "003 (27)")]
    pub lambda: S,
    /// controller gain k₁
    #[param(unit = "N*m*s/rad", start = 10.0, range = "(0, inf)", eq = "003 (27)")]
    pub k1: S,
    /// observer gain k₂
    #[param(unit = "1", start = 0.01, range = "[0, inf)", eq = "003 (28a)")]
    pub k2: S,
    /// whether friction is compensated
    #[param(choice, start = Compensation::Observer, eq = "003 (27)")]
    pub compensation: Compensation,
    /// angle q at t = 0
    #[param(unit = "rad", start = 0.1, range = "(-inf, inf)", eq = "003 (26d)")]
    pub start: S,
    /// reference q_ref(t), rad
    #[param(nested)]
    pub drive: L,
}

const QUANTITIES: [Quantity; 2] = [Quantity::angle("q"), Quantity::turning("dq")];
const OUTPUTS: [Quantity; 3] =
    [Quantity::angle("q_err"), Quantity::turning("s"), Quantity::new("U", "N*m", 0.1)];
const CONTACTS: [Contact; 2] = [
    Contact { name: "joint", role: Role::Friction, units: Units::SHAFT },
    Contact { name: "observer", role: Role::Observer, units: Units::SHAFT },
];

impl<L: Signal> Arm<f64, L> {
    /// q̃, its rate and s.
    #[inline]
    fn errors<S: Real>(&self, t: S, phase: &[usize], y: &[S]) -> [S; 3] {
        let [reference, rate, _] = self.drive.derivatives(t, phase[0]);
        let (error, slope) = (y[0] - reference, y[1] - rate);
        [error, slope, slope + error * self.lambda]
    }

    /// m(q), c(q, q̇) and g(q).
    #[inline]
    fn rod<S: Real>(&self, y: &[S]) -> [S; 3] {
        let (sin, cos) = (y[0].sin(), y[0].cos());
        let mass = (cos * self.variation + 1.0) * self.inertia;
        let coriolis = -(sin * y[1]) * (0.5 * self.inertia * self.variation);
        [mass, coriolis, sin * self.gravity]
    }

    /// The torque U of the controller.
    #[inline]
    fn torque<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S]) -> S {
        let [_, rate, curve] = self.drive.derivatives(t, phase[0]);
        let [error, slope, s] = self.errors(t, phase, y);
        let [mass, coriolis, weight] = self.rod(y);
        let estimate = match self.compensation {
            Compensation::Observer => force[1],
            Compensation::None => S::from(0.0),
        };
        let ahead = mass * (curve - slope * self.lambda) + coriolis * (rate - error * self.lambda);
        estimate - s * self.k1 + ahead + weight // (27)
    }
}

impl<L: Signal> Mechanism for Arm<f64, L> {
    driven_by!("q_ref", "rad");
    one_body!();

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES
    }

    fn contacts(&self) -> &[Contact] {
        match self.compensation {
            Compensation::Observer => &CONTACTS,
            Compensation::None => &CONTACTS[..1],
        }
    }

    fn initial(&self, y: &mut [f64]) {
        (y[0], y[1]) = (self.start, 0.0);
    }

    #[inline]
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let joint = on_ground(y, self.load);
        match i {
            0 => joint,
            _ => Drive { injection: self.errors(t, phase, y)[2] * -self.k2, ..joint }, // (28a)
        }
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let [mass, coriolis, weight] = self.rod(y);
        let torque = self.torque(t, phase, y, force);
        dy[0] = y[1];
        dy[1] = (torque - force[0] - coriolis * y[1] - weight) / mass; // (26a)
    }

    fn outputs(&self) -> &[Quantity] {
        &OUTPUTS
    }

    fn output(&self, t: f64, phase: &[usize], y: &[f64], force: &[f64], out: &mut [f64]) {
        let [error, _, s] = self.errors(t, phase, y);
        (out[0], out[1], out[2]) = (error, s, self.torque(t, phase, y, force));
    }
}
