//! Friction elements and contact patches from C.
//!
//! The header `include/bristle.h` is made from these declarations, and a test keeps it so; `include/bristle.hpp` wraps it for
//! C++. Every function checks its arguments and gives a [`Code`]; what makes something also writes a text into a [`Failure`].
//!
//! The package `bare` beside this one compiles the same files without `std`: elements in the caller's memory alone, and nothing
//! allocates.
// Comments are those of the header, where brackets are indices.
#![allow(rustdoc::broken_intra_doc_links)]

mod arguments;
mod element;
mod error;
#[cfg(feature = "std")]
mod patch;

pub use element::*;
pub use error::*;
#[cfg(feature = "std")]
pub use patch::*;
