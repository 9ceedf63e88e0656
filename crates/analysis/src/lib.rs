//! What is done with a friction model besides running it.
//!
//! - [`linearise`]: state space, poles, zeros and frequency response of a friction element, of a system at an
//!   equilibrium, of a line contact;
//! - [`mod@periodic`]: motions that repeat, found by shooting: loops, lag, describing functions;
//! - [`mod@limit_cycle`]: stick-slip, its period and multipliers, and where it ends;
//! - [`mod@audit`]: passive or not, holds a stick or not, follows its law or not, with reasons;
//! - [`mod@compare`]: models side by side in the standard tests;
//! - [`repeating`]: motions that repeat, in the period of the drive or by themselves;
//! - [`maps`]: equilibria, hysteresis, action surfaces as tables;
//! - [`mod@break_away`]: the force at which a body gives way, against the rate of loading;
//!
//! Functions take models and systems and give numbers in SI units.
#![forbid(unsafe_code)]

pub mod audit;
pub mod break_away;
pub mod compare;
mod cycle;
pub mod limit_cycle;
pub mod linearise;
pub mod maps;
pub mod march;
pub mod periodic;
pub mod repeating;
mod sensitivity;
mod state_space;

pub use cycle::{Cycle, Sample};
pub use nalgebra::{Complex, DMatrix};
pub use sensitivity::Sensitivity;
pub use state_space::{
    Label, Mode, Response, StateSpace, around, bode, eigenvalues, frequencies, spaced,
};

/// A mechanism of the catalogue with friction models in its contacts.
pub type System = bristle_system::Coupled<bristle_system::AnyMechanism<f64>>;
