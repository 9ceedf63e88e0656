//! What can be fitted: something that predicts logs from parameters, with derivatives.
use crate::Free;
use crate::passage::Passage;
use std::fmt;

/// One measured quantity over one log.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The log it is of.
    pub log: String,
    /// Its name: `F`.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// Where its samples stand: over time, s, or over their number.
    pub at: Vec<f64>,
    /// What was measured, in SI.
    pub measured: Vec<f64>,
    /// What its residuals are multiplied by, besides by its noise level. 0 leaves it out of the fit.
    pub weight: f64,
    /// Whether samples follow each other in time, so that noise may be correlated.
    pub serial: bool,
    /// Whether it is kept back to test the fit.
    pub held_out: bool,
}

/// Predictions of all channels, one after the other, and their derivatives by the free parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// One number a sample.
    pub value: Vec<f64>,
    /// For each sample, one number a free parameter.
    pub slope: Vec<f64>,
}

impl Prediction {
    /// Itself if all of it are numbers.
    pub(crate) fn finite(&self) -> Result<(), Refused> {
        match self.value.iter().chain(&self.slope).all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(Refused("the prediction leaves the range of numbers".into())),
        }
    }
}

/// Why parameters give no prediction. The search takes a shorter step.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// The first of two stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    /// Of each parameter, whether it belongs to the bristle and not to its friction law.
    pub bristle: Vec<bool>,
    /// Of each sample of all channels, whether it is of a small slip.
    pub small: Vec<bool>,
}

impl Stages {
    /// The samples where forces over their loads are below half of the highest.
    pub(crate) fn by_level(bristle: Vec<bool>, level: &[f64]) -> Self {
        let mut sorted: Vec<f64> = level.iter().map(|l| l.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        let highest = sorted.get(sorted.len() * 199 / 200).copied().unwrap_or(0.0);
        Stages { bristle, small: level.iter().map(|l| l.abs() < 0.5 * highest).collect() }
    }
}

/// Something that predicts logs from parameters.
pub trait Experiment: Sync {
    /// What is free.
    fn free(&self) -> &[Free];

    /// What was measured.
    fn channels(&self) -> &[Channel];

    /// What the parameters `theta` predict, with derivatives by them.
    fn predict(&self, theta: &[f64], out: &mut Prediction) -> Result<(), Refused>;

    /// The parameters nearest to these that the system takes, where two of them are bound to each other.
    fn admit(&self, _theta: &mut [f64]) {}

    /// How an unseen force would move each channel, for systems that run by themselves.
    #[doc(hidden)]
    fn unseen(&self, _theta: &[f64]) -> Option<Vec<Vec<Passage>>> {
        None
    }

    /// The size of the force that is known to drive it, beside which an unseen one is small.
    fn drive(&self) -> f64 {
        f64::INFINITY
    }

    /// For a procedure in two stages: which parameters small slips alone determine, and which samples are of small slips.
    fn stages(&self) -> Option<Stages> {
        None
    }

    /// Which motion would determine that parameter, to follow "add".
    fn advice(&self, _name: &str) -> Option<String> {
        None
    }

    /// Starting points found from the data, best first.
    fn guesses(&self) -> Vec<Vec<f64>> {
        Vec::new()
    }
}
