//! From a log to friction parameters that can be defended.
#![forbid(unsafe_code)]

mod axis;
pub mod design;
mod element;
mod experiment;
pub mod file;
mod fit;
mod free;
mod guess;
pub mod log;
mod machine;
mod model;
mod noise;
mod objective;
mod passage;
mod patch;
mod radau;
pub mod report;
mod search;
pub mod smooth;
mod verdict;

pub use axis::{Axis, Driven, Servo};
pub use element::{Element, Motion};
pub use experiment::{Channel, Experiment, Prediction, Refused};
pub use fit::{Method, Options, fit};
pub use free::{Free, Scale};
pub use machine::{Machine, Observed};
pub use objective::Noise;
pub use patch::{Patch, Sweep, Wrench};
pub use search::{Ended, Listener, Told};
pub use verdict::{Estimate, Fitted, Quality, Standing};
