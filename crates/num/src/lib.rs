//! The numbers a friction kernel may be evaluated in.
//!
//! One trait, [`Real`], and its implementations:
//!
//! | type | what it is for |
//! |---|---|
//! | `f64` | one evaluation |
//! | [`Single`] | one evaluation in single precision |
//! | [`Lanes<W>`](Lanes) | `W` independent evaluations side by side (SIMD) |
//! | [`Dual<T, N>`](Dual) | a value with `N` first derivatives, over any other [`Real`] |
//!
//! They compose: `Dual<Lanes<4>, 3>` carries three derivatives in each of four lanes. A kernel
//! written once over [`Real`] gives rates, Jacobians, parameter sensitivities and vectorised
//! sweeps from the same source lines.
//!
//! Nothing here knows about friction.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("bristle-num needs elementary functions: enable the feature `std` or `libm`");

mod dual;
mod lanes;
mod math;
mod real;
pub mod simd;
mod single;
pub mod special;

pub use dual::Dual;
pub use lanes::{Bits, Lanes, Mask};
pub use real::{Logic, Real};
pub use single::Single;
