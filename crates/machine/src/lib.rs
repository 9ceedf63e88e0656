//! A machine is a list of parts.
//!
//! Bodies translate or turn. Springs, dampers, ropes, buffers and stops join two ends, rigid gears and racks tie two bodies
//! together, contacts hold friction, forces and controllers push bodies, and motions carry what is prescribed, such as a
//! belt. [`Machine`] is a [`Mechanism`]: it runs like any other, with a friction model of choice in every contact.
//!
//! ```text
//! e = r_a x_a − r_b x_b,   T = k e + d ė
//! m_a dv_a/dt = −r_a T − r_a F + u,   m_b dv_b/dt = r_b T + r_b F
//! ```
//!
//! ```
//! use bristle_kernel::{Start, bristle::LuGre, law::Stribeck};
//! use bristle_machine::{Body, End, Machine, Spring};
//! use bristle_simulation::Simulation;
//! use bristle_system::Units;
//!
//! let mut parts = Machine::builder();
//! let block = parts.body("block", Body { mass: 1.0, velocity: 0.1, ..Body::start(()) });
//! let belt = parts.moving("belt", Units::LINE, 0.1);
//! parts.spring("wall", [block, End::GROUND], Spring { stiffness: 2.0, ..Spring::start(()) });
//! parts.contact("rub", [block, belt], 9.81, LuGre::start(Stribeck::start(())));
//! let run = Simulation::of(parts.build()?).run(1.0)?;
//! assert!(run.trace.column("F_rub").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod builder;
mod column;
mod connection;
mod control;
mod fault;
mod gear;
mod input;
mod layout;
mod machine;
mod names;
mod part;

pub use builder::{Builder, Forces, Load, Source};
pub use column::{BadColumn, Column, Interpolation};
pub use fault::{Fault, Faults};
pub use input::Input;
pub use layout::{Element, Layout, Link};
pub use machine::Machine;
pub use part::{
    AntiWindup, Body, Buffer, Control, Damper, Estimate, Integration, Release, Rope, Rotor,
    Rounding, Sampled, Spring, Stop, Structure,
};

#[cfg(doc)]
use bristle_system::Mechanism;

/// Something that a part is joined to, seen through an ideal ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    place: Place,
    ratio: f64,
    /// Whether a rack makes a way of the angle.
    rack: bool,
}

/// What an end belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Ground,
    Body(usize),
    Motion(usize),
}

impl End {
    /// What never moves.
    pub const GROUND: Self = End { place: Place::Ground, ratio: 1.0, rack: false };

    /// The same through a gear: it turns by `ratio` times what the body turns, and the torque acts on the body `ratio`
    /// times. A reduction of 50 has the ratio 1/50.
    pub fn through(self, ratio: f64) -> Self {
        End { ratio: self.ratio * ratio, ..self }
    }

    /// The same through a rack on a pinion of this radius, m: it moves by the radius times what the pinion turns.
    pub fn on_rack(self, radius: f64) -> Self {
        End { ratio: self.ratio * radius, rack: true, ..self }
    }
}

/// An end in terms of the coordinates of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Joint {
    Ground,
    /// The coordinate of that number, times the ratio.
    Coordinate(usize, f64),
    /// The motion of that number, times the ratio.
    Motion(usize, f64),
}
