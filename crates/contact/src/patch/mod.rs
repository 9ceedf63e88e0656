//! Patch contact: 004 whole.
//!
//! A patch carries a field of planar bristles. It rolls: bristles enter undeflected at its leading edge,
//! travel through it along straight lines or circles, and leave. [`Patch`] says what it is,
//! [`Rolling`] how it moves; both are parameters as data, like every model of the kernel.
use bristle_kernel::{Params, choice};

mod batches;
pub mod bristles;
mod cell;
pub mod energy;
pub mod flow;
pub mod gradient;
pub mod history;
pub mod inflow;
mod march;
mod matrix;
pub mod motion;
pub mod pressure;
mod rules;
pub mod shape;
pub mod show;
mod spinless;
pub mod steady;
pub mod surface;
mod tally;
mod tiles;
pub mod transient;

pub use bristles::Rolls;
pub use motion::Motion;
pub use pressure::{BadTable, Pressure, Profile, Table};
pub use shape::Shape;
pub use steady::{Outcome, Refused, Steady};

choice! {
    /// Which of the three rolling contact models.
    Model {
        /// standard linear: bristles travel along x, spin acts through the slip velocity, 004 (44)
        Standard = "1",
        /// semilinear for large spin: everything at the velocity that the bristle feels, 004 (52)
        Semilinear = "2",
        /// linear for large spin: friction at the rigid slip velocity, 004 (55)
        Linear = "3",
    }
}

choice! {
    /// What the patch rolls on, which decides how spin turns paths and deflections: 004 §3.3.
    Counterpart {
        /// a rigid one, a tyre's road: φ₁ = φ_γ, φ₂ = φ_ψ
        Rigid = "rigid",
        /// one as elastic as itself, a wheel's rail: φ₁ = (φ_γ − φ_ψ)/2, φ₂ = −φ₁
        Similar = "similar",
    }
}

/// The contact patch: its outline and its load.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(
    name = "patch",
    title = "a superelliptical contact patch under a vertical force",
    source = "004 Table 1, Appendix B"
)]
pub struct Patch<S> {
    /// half the length along the rolling direction
    #[param(unit = "m", start = 0.075, range = "(0, inf)", eq = "004 (102)")]
    pub a: S,
    /// half the width
    #[param(unit = "m", start = 0.05, range = "(0, inf)", eq = "004 (102)")]
    pub b: S,
    /// exponent along the rolling direction: 2 for an ellipse, 18 for 004's rectangle, inf for a true one
    #[param(unit = "1", start = 18.0, range = "[1.25, inf]", eq = "004 (102)")]
    pub n: S,
    /// exponent across; inf for a true rectangle
    #[param(unit = "1", start = 18.0, range = "[1.25, inf]", eq = "004 (102)")]
    pub m: S,
    /// how the load is spread
    #[param(choice, start = Profile::Parabolic, eq = "004 (105)-(109)")]
    pub pressure: Profile,
    /// how fast an exponential pressure falls from the leading edge
    #[param(unit = "1/m", start = 10.0, range = "[0, inf)", eq = "004 (108)")]
    pub gamma: S,
    /// vertical force F_z
    #[param(unit = "N", start = 4000.0, range = "[0, inf)", eq = "004 (104)")]
    pub load: S,
}

impl Patch<f64> {
    /// The outline.
    pub fn shape(&self) -> Shape {
        Shape { a: self.a, b: self.b, n: self.n, m: self.m }
    }

    /// The pressure.
    pub fn pressure(&self) -> Pressure {
        Pressure::new(&self.shape(), self.pressure, self.gamma, self.load)
    }
}

/// How a patch rolls, slips and spins.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "rolling", title = "slip, spin and speed of a rolling contact", source = "004 §3")]
pub struct Rolling<S> {
    /// which rolling contact model
    #[param(choice, start = Model::Linear, eq = "004 (44), (52), (55)")]
    pub model: Model,
    /// longitudinal slip σ_x
    #[param(unit = "1", start = 0.0, range = "[-1e6, 1e6]", eq = "004 (41)")]
    pub sigma_x: S,
    /// lateral slip σ_y
    #[param(unit = "1", start = 0.0, range = "[-1e6, 1e6]", eq = "004 (41)")]
    pub sigma_y: S,
    /// geometrical spin φ_γ, on a rigid counterpart φ₁
    #[param(unit = "1/m", start = 0.0, range = "[-1e6, 1e6]", eq = "004 (43), (49)")]
    pub phi1: S,
    /// effective spin φ_ψ, on a rigid counterpart φ₂
    #[param(unit = "1/m", start = 0.0, range = "[-1e6, 1e6]", eq = "004 (43), (51)")]
    pub phi2: S,
    /// rolling speed V_r
    #[param(unit = "m/s", start = 16.67, range = "[1e-9, 1e6]", eq = "004 (30)")]
    pub v_r: S,
    /// sideways rolling ε_x; ε_y is what completes a unit vector
    #[param(unit = "1", start = 0.0, range = "[-1, 1]", eq = "004 (48)")]
    pub epsilon_x: S,
    /// what the patch rolls on
    #[param(choice, start = Counterpart::Rigid, eq = "004 §3.3")]
    pub counterpart: Counterpart,
}
