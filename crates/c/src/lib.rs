//! Friction elements and contact patches from C.
//!
//! The header `include/bristle.h` is made from these declarations, and a test keeps it so; `include/bristle.hpp` wraps it for
//! C++. Every function checks its arguments and gives a [`Code`]; what makes something also writes a text into a [`Failure`].
//!
//! Without the feature `std` there are elements in the caller's memory alone, and nothing allocates.
#![cfg_attr(not(feature = "std"), no_std)]

mod arguments;
mod element;
mod error;
#[cfg(feature = "std")]
mod patch;

pub use element::*;
pub use error::*;
#[cfg(feature = "std")]
pub use patch::*;
