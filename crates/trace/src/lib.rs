//! Recorded runs.
//!
//! A [`Trace`] is a table of numbers whose columns have names and units. It goes to CSV and comes
//! back bit for bit. A [`Recorder`] fills one from the dense output of a run, at times of its own, so
//! that what is recorded does not change the run.

mod csv;
mod extreme;
mod recorder;
mod table;

pub use csv::{CsvError, read_csv, write_csv};
pub use extreme::Extreme;
pub use recorder::{Recorder, Signals, Spacing};
pub use table::{Column, Trace};
