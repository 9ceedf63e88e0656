//! Mechanics around friction.
//!
//! A [`Mechanism`] knows masses, springs and loads, and nothing of friction but that each of its
//! contacts has a relative velocity, a normal load and a force; a [`Signal`] drives it. [`Coupled`]
//! puts a [`Friction`] into each contact and is a system that a solver can integrate. What is discrete about
//! it, phases of drives, directions, sticks, teeth and branches, is its [`Mode`]. [`FixedStep`] takes it with a
//! fixed step instead. A [`Ledger`] keeps account of the energy of every contact, a
//! [`Balance`] of that of the whole mechanism.
//!
//! Sign: the friction force of a contact is positive for positive sliding, and the mechanism
//! subtracts it.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod balance;
mod complementarity;
pub mod condition;
mod coupled;
mod fixed;
mod friction;
mod ledger;
pub mod mechanism;
mod run;
pub mod signal;

pub use balance::Balance;
pub use coupled::{ContactMode, Coupled, Forces, Mode, State};
pub use fixed::FixedStep;
pub use friction::{Friction, Scalar};
pub use ledger::{Account, Fault, Imbalance, Ledger};
pub use mechanism::{
    AnyMechanism, Contact, Flow, FlowKind, Kind, Mechanism, Quantity, Role, Units,
};
pub use run::{Step, Watch, run, tell};
pub use signal::{AnySignal, Signal};
