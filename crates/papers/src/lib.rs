//! The five papers run again: every figure and table, and beside each the numbers that the paper
//! prints, those that an independent program found, ours, and a verdict.
//!
//! - [`Experiment`]: a figure or table and how to run it; [`experiments()`] has them all, one file for
//!   each paper;
//! - [`Reference`]: rows of `data/reference`, made by programs independent of this project;
//! - [`Row`]: one number, compared; [`Verdict`]: what came of it;
//! - [`Course`]: a run of a scenario kept whole, so that anything can be asked of it afterwards;
//! - [`run()`]: all of them on every core; [`report`]: the page, the table and `results.json`.
#![forbid(unsafe_code)]

mod course;
#[cfg(test)]
mod facts;
mod frbd;
mod lugre_or_not;
mod plot;
mod reference;
pub mod report;
mod rolling;
mod rotating;
mod row;
mod run;
#[cfg(test)]
mod trajectories;
mod viscoelastic;

pub use course::Course;
pub use reference::{Entry, Reference};
pub use row::{Found, Row, Verdict};
pub use run::{Done, run};

use bristle_figure::Figure;
use bristle_kernel::AnyBristle;
use bristle_scenario::friction::Friction;
use bristle_scenario::sets;

/// How exactly to run, and what that is good for.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The relative tolerance of runs.
    pub tolerance: f64,
    /// The relative error that a number from such a run may have.
    pub allowed: f64,
}

impl Setting {
    /// Runs of another tolerance: a number is good to a thousand times that, and never better than the reference files.
    pub fn with_tolerance(tolerance: f64) -> Self {
        Setting { tolerance, allowed: (1e3 * tolerance).max(Setting::TIGHT.allowed) }
    }

    /// The program's own default.
    pub const USUAL: Setting = Setting { tolerance: 1e-9, allowed: 1e-6 };
    /// As exact as the reference files ask for.
    pub const TIGHT: Setting = Setting { tolerance: 1e-11, allowed: 1e-9 };
}

/// A figure or a table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The paper's number.
    pub paper: &'static str,
    /// Where in it: `Fig. 5`.
    pub place: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Runs it. An error is one that no input explains: the experiments are fixed.
    pub run: fn(Setting) -> Result<Findings, String>,
}

impl Experiment {
    /// A name for files and links: `000-fig-5`.
    pub fn name(&self) -> String {
        let place = self.place.to_lowercase().replace(['.', ','], "").replace(' ', "-");
        format!("{}-{place}", self.paper)
    }
}

/// What came of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Numbers compared.
    pub rows: Vec<Row>,
    /// The paper's figure drawn again, in one or more.
    pub figures: Vec<Figure>,
    /// What to know: readings, corrections, what the paper does not print.
    pub remarks: Vec<&'static str>,
}

impl Findings {
    /// Compares every number that an independent program found for this experiment and model with what
    /// `read` makes of the quantity's name; one that it does not know is left to others.
    pub fn compare(
        &mut self,
        reference: &Reference,
        experiment: &str,
        model: &str,
        allowed: f64,
        read: impl Fn(&str) -> Option<Found>,
    ) {
        for entry in reference.of(experiment, model) {
            if let Some(found) = read(&entry.quantity) {
                self.rows.push(Row::compared(entry, &found, allowed));
            }
        }
    }
}

/// Every experiment, by paper.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    [
        frbd::EXPERIMENTS,
        rotating::EXPERIMENTS,
        lugre_or_not::EXPERIMENTS,
        viscoelastic::EXPERIMENTS,
        rolling::EXPERIMENTS,
    ]
    .into_iter()
    .flatten()
}

/// Those asked for by the number of a paper or the name of a figure; all if nothing is. What there is not is told.
pub fn choose(only: &[String]) -> Result<Vec<&'static Experiment>, String> {
    let all: Vec<&'static Experiment> = experiments().collect();
    for typed in only {
        if !all.iter().any(|e| e.paper == typed || e.name() == *typed) {
            let paper = typed.split('-').next().unwrap_or_default();
            let of_paper: Vec<String> =
                all.iter().filter(|e| e.paper == paper).map(|e| e.name()).collect();
            // A figure that its paper does not have is near to none with another number.
            let number = |name: &str| name.rsplit('-').next().map(str::to_owned);
            let same = |name: &&str| number(name) == number(typed);
            let names: Vec<String> = all.iter().map(|e| e.name()).collect();
            let near =
                bristle_scenario::nearest(typed, names.iter().map(String::as_str).filter(same));
            let hint = match near {
                Some(near) => format!("did you mean {near}?"),
                None if !of_paper.is_empty() => format!("{paper} has {}", of_paper.join(", ")),
                None => "papers are 000 to 004, figures 002-fig-8".to_owned(),
            };
            return Err(format!("there is no {typed} among the papers; {hint}"));
        }
    }
    let asked = |e: &&&Experiment| {
        only.is_empty() || only.iter().any(|typed| e.paper == typed || e.name() == *typed)
    };
    Ok(all.iter().filter(asked).copied().collect())
}

/// A model with the parameters of a named set.
fn friction(set: &str, model: &str) -> Result<AnyBristle<f64>, String> {
    match sets::load(set, model).map_err(|e| e.to_string())? {
        Friction::Line(friction) => Ok(friction),
        Friction::Plane(_) => Err(format!("{model} slides in a plane")),
    }
}
