//! Mechanics around friction.
//!
//! A [`Mechanism`] knows masses, springs and loads, and nothing of friction but that each of its
//! contacts has a relative velocity, a normal load and a force; a [`Signal`] drives it. [`Coupled`]
//! puts a friction model into each contact and is a system that a solver can integrate; [`Hybrid`]
//! drives it through what is discrete: loads that switch, kinks of the models, branches they commit
//! to, sticks. [`FixedStep`] takes it with a fixed step instead. A [`Ledger`] keeps account of the
//! energy.
//!
//! Sign: the friction force of a contact is positive for positive sliding, and the mechanism
//! subtracts it.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod coupled;
mod fixed;
mod hybrid;
mod ledger;
pub mod mechanism;
pub mod signal;

pub use coupled::{Coupled, MAX_CONTACTS, MAX_STATES, Motion, State};
pub use fixed::FixedStep;
pub use hybrid::{Hybrid, Stop};
pub use ledger::{Account, Ledger};
pub use mechanism::{AnyMechanism, Contact, Mechanism, Quantity, Role};
pub use signal::{AnySignal, Signal};
