//! Initial value problems of a few states, stiff or not, with events.
//!
//! ```text
//! ẏ = f(t, y),   y ∈ ℝᴺ,   N from 1 to about 30
//! ```
//!
//! [`Radau`] is the Radau IIA method of order 5 for stiff systems, [`DormandPrince`] the explicit
//! pair of order 5 for the others. Both are of fixed size, allocate nothing and need no `std`;
//! Jacobians come from dual numbers, so a system is written once, over [`Real`]. A [`Solver`] takes
//! accepted steps one by one, gives a polynomial over each ([`Dense`]), and lands on events.
//!
//! ```
//! use bristle_num::Real;
//! use bristle_ode::{Options, Radau, Solver, System};
//!
//! struct Decay;
//! impl System<1> for Decay {
//!     fn rhs<S: Real>(&self, _t: f64, y: &[S; 1]) -> [S; 1] {
//!         [-y[0]]
//!     }
//! }
//!
//! let mut solver = Solver::new(&Decay, Radau::new(), 0.0, [1.0], Options::new(1e-8, [1e-10]));
//! solver.run(1.0).unwrap();
//! assert!((solver.y()[0] - (-1.0f64).exp()).abs() < 1e-8);
//! ```
//!
//! Nothing here knows about friction.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod dense;
mod dormand_prince;
mod event;
mod failure;
mod lu;
mod method;
mod radau;
mod solver;
mod system;

pub use dense::Dense;
pub use dormand_prince::DormandPrince;
pub use event::{Crossing, Event};
pub use failure::{Failure, Why};
pub use lu::solve;
pub use method::{Method, Options, Statistics};
pub use radau::Radau;
pub use solver::{Reached, Solver};
pub use system::System;

use bristle_num::Real;

/// √x without naming the trait at every call.
pub(crate) fn sqrt(x: f64) -> f64 {
    Real::sqrt(x)
}

/// xᵉ likewise.
pub(crate) fn powf(x: f64, e: f64) -> f64 {
    Real::powf(x, e)
}

/// The vector of `f(0)`, `f(1)`, …, by a plain loop, which compilers turn into wide instructions
/// more readily than `array::from_fn`.
#[inline(always)]
pub(crate) fn vector<const N: usize>(f: impl Fn(usize) -> f64) -> [f64; N] {
    let mut v = [0.0; N];
    for i in 0..N {
        v[i] = f(i);
    }
    v
}
