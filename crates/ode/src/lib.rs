//! Initial value problems with modes, stiff or not, of any size.
//!
//! ```text
//! ẏ = f(mode, t, y)
//! ```
//!
//! [`Radau`] is the Radau IIA method of orders 5 and 9 for stiff systems, [`DormandPrince`] the explicit
//! pair of order 5 for the others. A [`Solver`] takes accepted steps one by one, gives the solution
//! over each ([`Dense`]), lands where a mode ends and asks the [`System`] for the next. One source
//! serves sizes known at compile time ([`Stack`]: no allocation, no `std`) and at run time (`Heap`).
//! Jacobians come from dual numbers, in as few directions as their zeros allow.
//!
//! ```
//! use bristle_num::Real;
//! use bristle_ode::{Equations, Options, Radau, Solver, Stack};
//!
//! struct Decay;
//! impl Equations for Decay {
//!     fn states(&self) -> usize {
//!         1
//!     }
//!     fn rhs<S: Real>(&self, _t: f64, y: &[S], dy: &mut [S]) {
//!         dy[0] = -y[0];
//!     }
//! }
//!
//! let radau: Radau<Stack<1>> = Radau::new(&Decay);
//! let mut solver = Solver::new(&Decay, radau, 0.0, &[1.0], (), Options::new(1e-8, &[1e-10]));
//! solver.run(&Decay, 1.0).unwrap();
//! assert!((solver.y()[0] - (-1.0f64).exp()).abs() < 1e-8);
//! ```
//!
//! Nothing here knows about friction.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod dense;
mod dormand_prince;
mod failure;
mod guards;
mod lu;
mod method;
mod newton;
mod radau;
mod solver;
mod storage;
mod structure;
mod system;
pub mod tableau;

pub use dense::{Dense, Polynomial};
pub use dormand_prince::DormandPrince;
pub use failure::{Failure, Why};
pub use method::{Method, Options, Start, Statistics, Trial};
pub use newton::Newton;
pub use radau::{Order, Radau};
pub use solver::{Reached, Solver};
#[cfg(feature = "alloc")]
pub use storage::Heap;
pub use storage::{Slots, Stack, Storage};
pub use system::{Cause, Equations, Slope, System};

use bristle_num::Real;

/// √x without naming the trait at every call.
pub(crate) fn sqrt(x: f64) -> f64 {
    Real::sqrt(x)
}

/// xᵉ likewise.
pub(crate) fn powf(x: f64, e: f64) -> f64 {
    Real::powf(x, e)
}
