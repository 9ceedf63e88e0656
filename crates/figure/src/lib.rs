//! Static figures for publication, as SVG and PNG.
//!
//! One consistent look; axes labelled with units; colours that people with any colour vision can
//! tell apart, dashes for print in grey. No font or library of the system is used, and the same
//! input gives the same bytes.
//!
//! ```
//! use bristle_figure::{Axis, Figure, Panel, Series};
//!
//! let t: Vec<f64> = (0..=200).map(|i| 0.01 * f64::from(i)).collect();
//! let v: Vec<f64> = t.iter().map(|t| 1e-3 * (6.0 * t).sin()).collect();
//! let panel = Panel::new(Axis::new("time t", "s"), Axis::new("velocity ẋ", "m/s"))
//!     .with(Series::new("σ₀ = 200 1/m", t, v));
//! let figure = Figure::grid(1, [panel]);
//! assert!(figure.svg().contains("velocity ẋ in mm/s"));
//! assert_eq!(&figure.png(2.0).unwrap()[1..4], b"PNG");
//! ```
//!
//! Nothing here knows about friction.
#![forbid(unsafe_code)]

mod arrows;
mod axis;
mod band;
mod contour;
mod diagram;
mod drawing;
mod figure;
mod geometry;
mod legend;
mod look;
mod panel;
mod plan;
mod png;
mod relief;
mod series;
mod surface;
mod svg;
mod text;
mod ticks;
mod trace;

pub use arrows::Arrows;
pub use axis::{Axis, Scale};
pub use diagram::{Diagram, Outline, Symbol};
pub use figure::{Arrangement, Figure};
pub use panel::{Aspect, Panel};
pub use png::PngError;
pub use series::{Look, Mark, Series};
pub use surface::{Surface, View};
