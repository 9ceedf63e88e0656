//! Many runs of one file: grids, samples and boundaries, thousands to millions of them.
//!
//! A [`Sweep`] is declared in a file or a table: a base, what is varied, what is kept of each run. Its points are known by their
//! index, and so are their random numbers: a row does not depend on threads, order or interruptions. [`Rows`] keeps finished ones
//! on the disk, each at a place of its own; [`run()`] makes those that are missing; [`report()`] says what came of all of them.
//!
//! ```
//! use bristle_sweep::{Source, Sweep};
//!
//! let belt = "[system]\nmodel = \"belt\"\n[friction]\nmodel = \"lugre\"\n[run]\nend = 0.5\n";
//! let table = "
//!     [[vary]]
//!     key = 'system.drive.value'
//!     values = '0.05:0.2:4'
//!     [[keep]]
//!     name = 'reach'
//!     value = 'max(x)'
//! ";
//! let base = Source { name: "belt".into(), text: belt.into(), ..Source::default() };
//! let sweep = Sweep::new(base, table.parse().unwrap(), None).unwrap();
//! let rows = sweep.rows(0..sweep.len(), &|| true, &|| ()).unwrap();
//! assert_eq!((rows.len(), sweep.columns()[0].1.as_str()), (4, "m"));
//! assert!(rows.iter().all(|row| row.failed.is_none() && row.values[0] > 0.0));
//! ```
#![forbid(unsafe_code)]

pub mod axis;
pub mod base;
pub mod boundary;
pub mod distribution;
pub mod expression;
mod figure;
mod parquet;
pub mod plan;
mod report;
pub mod rows;
mod run;
pub mod sequence;
pub mod statistics;
mod sweep;
mod table;

pub use base::Source;
pub use parquet::write_parquet;
pub use report::report;
pub use rows::{Row, Rows, RowsError};
pub use run::{Ended, Event, run};
pub use sweep::{Keep, Sweep};
pub use table::{Finished, write_csv};
