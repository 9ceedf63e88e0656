//! Random systems, each run and judged by what holds for all: forces within limits, friction against slip, energy balanced, two
//! tolerances and small steps agreed with.
#![allow(missing_docs, reason = "fields are explained where they belong together")]
pub mod generator;
pub mod judge;
pub mod network;
mod reference;
