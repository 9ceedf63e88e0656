//! Mechanics around friction.
//!
//! A [`Mechanism`] knows masses, springs and loads, and nothing of friction but that each of its
//! contacts has a relative velocity, a normal load and a force. [`Coupled`] puts a friction model
//! into each contact and is a system that a solver can integrate; [`Hybrid`] drives it through
//! what is discrete: loads that switch, kinks of the models, branches they commit to.
//!
//! Sign: the friction force of a contact is positive for positive sliding, and the mechanism
//! subtracts it.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod belt;
mod coupled;
mod festoon;
mod hybrid;
mod mechanism;
mod prescribed;
mod pulse;
mod spring_drag;
mod valve;
mod wall;

pub use belt::Belt;
pub use coupled::Coupled;
pub use festoon::Festoon;
pub use hybrid::{Hybrid, Stop};
pub use mechanism::{Mechanism, Quantity};
pub use prescribed::Prescribed;
pub use pulse::Pulse;
pub use spring_drag::SpringDrag;
pub use valve::{Opening, Valve};
pub use wall::Wall;
