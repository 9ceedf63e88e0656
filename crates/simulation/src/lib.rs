//! Runs of mechanisms with friction.
//!
//! ```
//! use bristle_kernel::{Start, bristle::LuGre, law::Stribeck};
//! use bristle_simulation::Simulation;
//! use bristle_system::{mechanism::Belt, signal::Constant};
//!
//! let belt = Belt::start(Constant { value: 0.1 });
//! let lugre = LuGre::start(Stribeck::start(()));
//! let run = Simulation::new(belt, lugre).tolerance(1e-9).run(2.0)?;
//! let x = run.trace.column("x").unwrap();
//! assert_eq!((x.unit.as_str(), x.values.len()), ("m", run.trace.rows()));
//! # Ok::<(), bristle_simulation::Stopped>(())
//! ```
//!
//! A [`Simulation`] says what is run and how; [`Simulation::run`] gives a [`Run`] with its own checks: the books of every
//! contact, which end a run that does not balance, and what a second run at another tolerance or step makes of it.
//! [`Simulation::start`] gives a [`Running`] to step by hand. A clone of it is a run saved, and goes on with the same bits.
#![forbid(unsafe_code)]

mod outcome;
mod running;
mod simulation;

pub use bristle_trace::Spacing;
pub use outcome::{Agreed, Cost, Energy, Event, Halved, OnImbalance, Run, Stopped, suggested};
pub use running::{Ended, Running};
pub use simulation::{MAX_ROWS, Method, Simulation};
