//! Functional mock-up units: friction elements, systems, machines and contact patches for whatever imports FMI 2.0 or 3.0.
//!
//! ```text
//! source  ─►  block  ─►  instance  ─►  fmi2 · fmi3
//!    └──────►  xml  ─►  archive
//! ```
//!
//! A unit is a description, the text that it is made from, and one shared library: this crate. It is the same in every unit
//! and reads from the resources what it is. Nothing is compiled when a unit is exported.
pub mod archive;
pub mod block;
mod border;
pub mod element;
pub mod fmi2;
pub mod fmi3;
pub mod instance;
pub mod library;
pub mod patch;
pub mod source;
pub mod system;
pub mod units;
pub mod xml;

pub use archive::pack;
pub use block::Fault;
pub use source::{Matter, Source};
pub use xml::Version;
