//! Friction laws and bristle models, as pure functions of slip, load and state.
//!
//! ```text
//! law  ─►  bristle  ─►  contact
//! μ(v)     ż, F         a field of bristles under a pressure
//! ```
//!
//! Every model is one file laid beside the page of its paper. It states its rate and force, its
//! steady state, its stored energy and dissipated power, bounds on its state, and, where it is
//! linear in its state, fixed-step updates: see [`Bristle`]. Everything is generic over the scalar
//! ([`Real`]: `f64`, duals, SIMD lanes), allocates nothing and needs no `std`.
//!
//! ```
//! use bristle_kernel::{Bristle, Drive, Start, Update, bristle::Frbd, law::Stribeck};
//!
//! let friction: Frbd<f64, Stribeck<f64>> = Frbd::start(Stribeck::start(()));
//! let mut z = [0.0];
//! let mut force = 0.0;
//! for _ in 0..1000 {
//!     // one millisecond at 20 mm/s under 1 N, by the passive update
//!     force = friction.step(Update::Midpoint, &Drive::new(0.02, 1.0), 1e-3, &mut z).unwrap();
//! }
//! assert!((force - friction.steady(&Drive::new(0.02, 1.0), &mut z)).abs() < 1e-12);
//! ```
//!
//! # Sign and units
//!
//! SI throughout. `v` is the velocity of the body relative to its counterpart; the force is
//! positive for positive sliding, and an equation of motion subtracts it. `N` is the normal load
//! in newtons; `N ≤ 0` is lift-off: the force is zero and the bristle relaxes (002 §2.1).
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
extern crate self as bristle_kernel;

#[macro_use]
mod catalog;
mod params;

pub mod bristle;
pub mod law;
pub mod matrix;
#[cfg(feature = "alloc")]
pub mod viscoelastic;

pub use bristle::{
    AnyBristle, AnyPlanar, Bristle, Drive, Energy, Free, MAX_GUARDS, Matrix2, Measure, Memoryless,
    Mode, Passivity, Planar, Relaxation, Relaxing, Response, ScalarResponse, Scaling, Slip, Update,
    Variable,
};
pub use bristle_derive::Params;
pub use bristle_num::{Logic, Real};
pub use law::{AnyLaw, Law};
pub use matrix::{AnyMatrix, FrictionMatrix, Sym2};
pub use params::*;

/// A short list of numbers: up to eight of them without allocation. Longer ones need the feature
/// `alloc`.
#[cfg(feature = "alloc")]
pub type List<S> = tinyvec::TinyVec<[S; 8]>;
/// A short list of numbers: at most eight of them, without allocation.
#[cfg(not(feature = "alloc"))]
pub type List<S> = tinyvec::ArrayVec<[S; 8]>;
