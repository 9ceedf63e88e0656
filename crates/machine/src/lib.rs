//! A machine is a list of parts.
//!
//! Bodies translate or turn; connections join two ends with a spring and a damper, each end through an ideal ratio
//! (gear or rack); contacts hold friction between two ends; forces push bodies, and motions carry what is prescribed,
//! such as a belt. [`Machine`] is a [`Mechanism`]: it runs like any other, with a friction model of choice in every
//! contact.
//!
//! ```text
//! T = k (r_a x_a − r_b x_b) + d (r_a v_a − r_b v_b)
//! m_a dv_a/dt = −r_a T − r_a F + u,   m_b dv_b/dt = r_b T + r_b F
//! ```
//!
//! ```
//! use bristle_kernel::{Start, bristle::LuGre, law::Stribeck};
//! use bristle_machine::{Body, End, Machine};
//! use bristle_simulation::Simulation;
//! use bristle_system::{AnySignal, Units, signal::Constant};
//!
//! let mut parts = Machine::builder();
//! let block = parts.body(Body::translating(["x", "v"], 1.0).at(0.0, 0.1));
//! let belt = parts.motion("v_b", Units::LINE, AnySignal::Constant(Constant { value: 0.1 }));
//! parts.connect("spring", block, End::GROUND, 2.0, 0.0);
//! parts.contact("belt", block, belt, 9.81);
//! let friction = LuGre::start(Stribeck::start(()));
//! let run = Simulation::new(parts.build()?, friction).run(1.0)?;
//! assert!(run.trace.column("F_belt").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod builder;
mod machine;

pub use builder::{Body, Builder, Faults};
pub use machine::Machine;

#[cfg(doc)]
use bristle_system::Mechanism;

/// Something that a part is joined to, seen through an ideal ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    place: Place,
    ratio: f64,
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
    pub const GROUND: Self = End { place: Place::Ground, ratio: 1.0 };

    /// The same through a gear or a rack: it moves by `ratio` times what the body moves, and the force acts on the body
    /// `ratio` times. A reduction of 50 has the ratio 1/50, a rack on a pinion the pinion's radius, m.
    pub fn through(self, ratio: f64) -> Self {
        End { ratio: self.ratio * ratio, ..self }
    }
}
