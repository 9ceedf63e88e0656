//! Friction for simulation and control: one physics from an embedded controller to a tyre contact patch.
//!
//! ```
//! # #[cfg(feature = "simulate")]
//! # fn main() -> Result<(), bristle::Stopped> {
//! use bristle::{Simulation, Start, law::Stribeck, mechanism::Belt, model::LuGre, signal::Constant};
//!
//! let belt = Belt::start(Constant { value: 0.1 });             // a mass on a belt that runs at 0.1 m/s
//! let friction = LuGre::start(Stribeck::start(()));            // with the parameters it starts with
//! let run = Simulation::new(belt, friction).tolerance(1e-9).run(20.0)?;
//! println!("{} rows, {:?}", run.trace.rows(), run.ledger[0]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "simulate"))]
//! # fn main() {}
//! ```
//!
//! | module | what is in it |
//! |---|---|
//! | [`model`], [`law`], [`matrix`] | friction models, friction laws, friction matrices |
//! | [`mechanism`], [`signal`] | what they act on, and what drives it |
//! | [`machine`] | machines of one's own, from parts |
//! | [`Simulation`], [`Run`], [`trace`] | a run and what it gives |
//! | [`scenario`] | the same from files and names |
//! | [`contact`] | rolling contact: patches and lines of bristles |
//! | [`analysis`] | passivity audits, linearisation, limit cycles, hysteresis |
//! | `report` | what the program prints: text, JSON, tables, figures (feature `report`) |
//! | `sweep` | many runs of one file: grids, samples, boundaries (feature `sweep`) |
//! | `fit`, with the feature `fit` | parameters from logs |
//! | [`kernel`], [`ode`], [`num`] | the parts that all of it is made of |
//!
//! `docs/api.md` of this package lists every item with an example.
//!
//! Without default features there is [`kernel`] alone, which needs neither `std` nor an allocator; take the feature `libm`
//! where there is no `std`.
//!
//! Sign and units: SI throughout. A friction force is positive for positive sliding, and an equation of motion subtracts it.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub use bristle_kernel as kernel;
pub use bristle_kernel::bristle as model;
pub use bristle_kernel::{
    Bristle, Drive, Energy, Params, Passivity, Real, Start, Update, law, matrix,
};
pub use bristle_num as num;

#[cfg(feature = "analysis")]
pub use bristle_analysis as analysis;
#[cfg(feature = "contact")]
pub use bristle_contact as contact;
#[cfg(feature = "fit")]
pub use bristle_fit as fit;
#[cfg(feature = "report")]
pub use bristle_report as report;
#[cfg(feature = "sweep")]
pub use bristle_sweep as sweep;

#[cfg(feature = "simulate")]
pub use {
    bristle_machine as machine, bristle_ode as ode, bristle_scenario as scenario,
    bristle_simulation::{
        Agreed, Cost, Ended, Event, Halved, Method, OnImbalance, Run, Running, Simulation, Spacing,
        Stopped,
    },
    bristle_system::{
        Account, Contact, Coupled, Flow, FlowKind, Friction, Imbalance, Mechanism, Mode, Quantity,
        Role, Step, Units, Watch, mechanism, signal,
    },
    bristle_trace as trace,
};

/// The code of the README compiles and runs.
#[cfg(all(doctest, feature = "analysis"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// So does that of the chapter for Rust developers.
#[cfg(all(doctest, feature = "analysis"))]
#[doc = include_str!("../docs/rust.md")]
struct Chapter;

/// And that of the list of items.
#[cfg(all(doctest, feature = "analysis"))]
#[doc = include_str!("../docs/api.md")]
struct Items;
