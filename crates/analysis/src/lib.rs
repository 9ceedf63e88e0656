//! What is done with a friction model besides running it.
//!
//! - [`linearise`]: state space, poles, zeros and frequency response of a friction element, of a system at an
//!   equilibrium, of a line contact;
//!
//! Functions take models and systems and give numbers in SI units.
#![forbid(unsafe_code)]

pub mod linearise;
mod state_space;

pub use nalgebra::{Complex, DMatrix};
pub use state_space::{Label, Mode, Response, StateSpace, bode, eigenvalues, spaced};

/// A mechanism of the catalogue with friction models in its contacts.
pub type System = bristle_system::Coupled<bristle_system::AnyMechanism<f64>>;
