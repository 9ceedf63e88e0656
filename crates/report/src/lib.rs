//! What the commands say, for every face: text for a person, JSON for a program, tables, figures.
//!
//! Each function takes a scenario, or a model with what it is looked at under, and gives a [`Report`]; a face writes it where
//! its user wants it.
//!
//! ```
//! use bristle_kernel::{AnyBristle, Start, bristle::LuGre, law::{AnyLaw, Stribeck}};
//!
//! let model = AnyBristle::from(LuGre::start(AnyLaw::from(Stribeck::start(()))));
//! let report = bristle_report::audit::model(&model, 10.0);
//! assert_eq!(report.summary["passivity"]["verdict"], "not passive");
//! assert!(report.text.contains("gives out"));
//! println!("{}", report.figures[0].1.svg());
//! ```
#![forbid(unsafe_code)]
pub mod adjust;
pub mod audit;
pub mod compare;
pub mod cycle;
pub mod harmonic;
pub mod line;
pub mod linearise;
pub mod map;
pub mod models;
pub mod patch;
mod print;
pub mod run;
pub mod schema;

pub use print::{parameters, short, symbol, typeset};

use bristle_figure::{Diagram, Figure, PngError};
use bristle_scenario::Scenario;
use bristle_trace::Trace;
use serde_json::Value;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

/// What a command gives.
pub struct Report {
    /// For a person at a terminal.
    pub text: String,
    /// The same and more for programs.
    pub summary: Value,
    /// The file that the summary goes into.
    pub summary_file: &'static str,
    /// Texts for other readers, by the names of their files: a page, a parameter set.
    pub documents: Vec<(&'static str, String)>,
    /// Numbers, by the name of the file that they go into.
    pub tables: Vec<(&'static str, Trace)>,
    /// What it looks like, by the names of the files without their endings; those in a folder are not listed to the user.
    pub figures: Vec<(String, Drawing)>,
}

impl Report {
    /// With one figure and no table.
    pub fn new(text: String, summary: Value, figure: Figure) -> Self {
        let figures = vec![("figure".to_owned(), Drawing::Figure(figure))];
        Report { figures, ..Report::bare(text, summary) }
    }

    /// With neither figure nor table.
    pub fn bare(text: String, summary: Value) -> Self {
        Report {
            text,
            summary,
            summary_file: "summary.json",
            documents: Vec::new(),
            tables: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// With one more table.
    #[must_use]
    pub fn table(mut self, file: &'static str, table: Trace) -> Self {
        self.tables.push((file, table));
        self
    }
}

/// A picture of numbers, or of the parts of a machine.
pub enum Drawing {
    /// Panels with axes.
    Figure(Figure),
    /// Parts and what joins them.
    Diagram(Diagram),
}

impl Drawing {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        match self {
            Drawing::Figure(figure) => figure.svg(),
            Drawing::Diagram(diagram) => diagram.svg(),
        }
    }

    /// The picture as PNG, so many points to a unit of the SVG.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, PngError> {
        match self {
            Drawing::Figure(figure) => figure.png(scale),
            Drawing::Diagram(diagram) => diagram.png(scale),
        }
    }
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// What is looked at makes no sense: what is wrong, and what to do.
    Input(String),
    /// What is asked of it makes no sense.
    Asked(String),
    /// The computation came to no end.
    Run(String),
}

impl Failure {
    pub(crate) fn input(why: impl fmt::Display) -> Self {
        Failure::Input(why.to_string())
    }

    pub(crate) fn run(why: impl fmt::Display) -> Self {
        Failure::Run(why.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Input(why) | Failure::Asked(why) | Failure::Run(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Failure {}

/// Every line of `problems` under the name of a file.
pub fn in_file(file: &Path, problems: &str) -> String {
    let mut text = format!("{} cannot be run:", file.display());
    for line in problems.lines() {
        text += "\n  ";
        text += line;
    }
    text
}

/// Loads under which there is friction to look at, N; beyond, forces and their squares leave the numbers.
const LOADS: RangeInclusive<f64> = 1e-9..=1e12;

/// A load, named for messages, under which there is friction to look at.
pub fn pressing(name: &str, load: f64) -> Result<f64, Failure> {
    if LOADS.contains(&load) {
        return Ok(load);
    }
    let (low, high) = (LOADS.start(), LOADS.end());
    // Without hundreds of zeros.
    let plain = load == 0.0 || (1e-6..1e15).contains(&load.abs());
    let shown = if plain { format!("{load}") } else { format!("{load:e}") };
    Err(Failure::Input(format!(
        "{name} {shown} N is outside [{low:e}, {high:e}]: give a load that presses the contact together"
    )))
}

/// The load of the first contact of a scenario when it begins, N.
pub fn load_at_start(scenario: &Scenario) -> Result<f64, Failure> {
    let (system, y) = scenario.system().map_err(Failure::input)?;
    pressing("the load at the start,", system.contact(&system.begin(0.0, &y), 0, 0.0, &y).0.load)
}
