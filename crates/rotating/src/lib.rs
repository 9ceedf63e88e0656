//! Rotating bristles from event to event.
//!
//! Paper 001: a body over a row of frictionless bristles, dragged by a spring or tied to a wall.
//! The models are those of the kernel and the solver is the general one; [`Pieces`] is a method for it that is
//! exact to rounding between events. [`Run`] runs a body with it, and the paper's maps are drawn from its runs.
//! [`SwitchModel`] smooths what happens at v = 0 as the paper does.
#![forbid(unsafe_code)]

mod audit;
mod body;
mod equilibria;
mod friction;
mod hysteresis;
mod mean_angle;
mod path;
mod pieces;
mod root;
mod run;
mod segment;
mod slips;
mod switch;

pub use audit::Audit;
pub use body::{Body, Push};
pub use equilibria::{Equilibria, Kind};
pub use friction::Friction;
pub use hysteresis::Hysteresis;
pub use mean_angle::{Curve, ewma};
pub use path::Path;
pub use pieces::{Piece, Pieces};
pub use run::{Event, Phase, Run, Step};
pub use segment::{Harmonic, Motion, Segment, Series};
pub use slips::{Slip, Slips};
pub use switch::SwitchModel;
