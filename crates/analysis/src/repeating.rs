//! Motions that repeat, whatever makes them: the period of the drive, or stick-slip of its own.
use crate::limit_cycle::{NoCycle, Vanishing, limit_cycle, vanishing};
use crate::march::Begin;
use crate::periodic::periodic;
use crate::{Complex, Cycle, System};
use bristle_system::Mechanism;
use std::fmt;

/// Relative tolerance of runs, and that of the many that look for the end of stick-slip.
const TOLERANCE: f64 = 1e-10;
const SEARCH: f64 = 1e-8;
/// The speed at which stick-slip ends is found within this part of it.
const WIDTH: f64 = 1e-3;

/// Whose period a motion has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The drive's.
    Driven,
    /// Its own.
    Own,
}

/// A motion that repeats.
#[derive(Clone, Debug)]
pub struct Repeating {
    /// Whose period it has.
    pub origin: Origin,
    /// s.
    pub period: f64,
    /// Half the range of the position in a frame that moves on with the body, m or rad.
    pub amplitude: f64,
    /// The part of the period in which the body sticks; nothing under a drive that changes.
    pub stuck: Option<f64>,
    /// Floquet's multipliers, the largest first.
    pub multipliers: Vec<Complex<f64>>,
    /// By how much it fails to close, relative to its size.
    pub gap: f64,
    /// The contact over one period.
    pub cycle: Cycle,
    /// Where stick-slip ends, or why that is not known; nothing under a drive that changes.
    pub end: Option<Result<Vanishing, NoCycle>>,
}

impl Repeating {
    /// How fast the frame moves in which the motion closes, m/s or rad/s.
    pub fn drift(&self) -> f64 {
        let samples = &self.cycle.samples;
        samples.first().zip(samples.last()).map_or(0.0, |(a, b)| (b.x - a.x) / self.period)
    }

    /// Whether motions nearby come closer.
    pub fn attracts(&self) -> bool {
        self.multipliers.iter().all(|m| m.norm() < 1.0)
    }
}

/// Why there is no motion that repeats.
#[derive(Clone, Debug)]
pub enum NotRepeating {
    /// Nothing drags the system along, and its drive has no period.
    AtRest,
    /// The motion in the period of the drive was not found.
    Driven(String),
    /// Nor was one of its own.
    Own(NoCycle),
}

impl fmt::Display for NotRepeating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRepeating::AtRest => {
                f.write_str("nothing drags it along, and its drive has no period: it has no cycles")
            }
            NotRepeating::Driven(why) => f.write_str(why),
            NotRepeating::Own(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for NotRepeating {}

/// The motion that repeats: in the period of the drive where it has one and there is one contact, otherwise by itself.
pub fn repeating(system: &System, begin: &Begin) -> Result<Repeating, NotRepeating> {
    match system.mechanism.period().filter(|_| system.contacts() == 1) {
        Some(period) => driven(system, begin, period),
        None if !system.mechanism.self_excited() => Err(NotRepeating::AtRest),
        None => by_itself(system, begin).map_err(NotRepeating::Own),
    }
}

fn driven(system: &System, begin: &Begin, period: f64) -> Result<Repeating, NotRepeating> {
    let found = periodic(system, period, Some(begin), TOLERANCE)
        .map_err(|e| NotRepeating::Driven(e.to_string()))?;
    let mut multipliers = found.multipliers;
    multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    Ok(Repeating {
        origin: Origin::Driven,
        period,
        amplitude: found.cycle.amplitude(),
        stuck: None,
        multipliers,
        gap: found.gap,
        cycle: found.cycle,
        end: None,
    })
}

fn by_itself(system: &System, begin: &Begin) -> Result<Repeating, NoCycle> {
    let found = limit_cycle(system, Some(begin), TOLERANCE)?;
    Ok(Repeating {
        origin: Origin::Own,
        period: found.period,
        amplitude: found.amplitude,
        stuck: Some(found.stuck),
        multipliers: found.multipliers,
        gap: found.gap,
        cycle: found.cycle,
        end: Some(vanishing(system, WIDTH, SEARCH)),
    })
}
