//! Periodic motions, found directly.
//!
//! ```text
//! y(T; y₀) = y₀:   (1 − ∂y(T)/∂y₀) δ = y(T; y₀) − y₀
//! ```
//!
//! Newton's method on the map over one period, whose derivative comes from the variational equation: a motion
//! that takes thousands of periods to settle costs no more than another. Positions on which nothing depends need
//! not return; what they gain in a period is the drift.
use crate::cycle::{Cycle, Reach};
use crate::march::{Accuracy, Begin, march};
use crate::sensitivity::Sensitivity;
use crate::{System, eigenvalues};
use bristle_kernel::{AnyBristle, Start};
use bristle_ode::Failure;
use bristle_system::mechanism::Prescribed;
use bristle_system::signal::Sine;
use bristle_system::{AnyMechanism, AnySignal, Coupled};
use core::f64::consts::{FRAC_PI_2, TAU};
use nalgebra::{Complex, DMatrix, DVector};
use std::fmt;

/// A periodic motion.
#[derive(Clone, Debug)]
pub struct Periodic {
    /// T, s.
    pub period: f64,
    /// State and mode at t = 0.
    pub begin: Begin,
    /// What each state gains in a period: 0 but for positions that nothing depends on.
    pub drift: Vec<f64>,
    /// ∂y(T)/∂y(0).
    pub monodromy: DMatrix<f64>,
    /// Its eigenvalues but for those of drifting positions: by what factors small deviations grow in a period.
    pub multipliers: Vec<Complex<f64>>,
    /// By how much the motion fails to close, relative to the greatest value of each state.
    pub gap: f64,
    /// How many times a period was computed.
    pub iterations: usize,
    /// The first contact over one period.
    pub cycle: Cycle,
}

impl Periodic {
    /// The largest multiplier in size; 0 if there are none.
    pub fn slowest(&self) -> f64 {
        self.multipliers.iter().map(|m| m.norm()).fold(0.0, f64::max)
    }

    /// Periods after which a deviation has fallen to `part` of itself, if it falls at all.
    pub fn periods_to_settle(&self, part: f64) -> Option<f64> {
        let slowest = self.slowest();
        if slowest >= 1.0 {
            None
        } else if slowest == 0.0 {
            Some(1.0)
        } else {
            Some(part.ln() / slowest.ln())
        }
    }
}

/// Why no periodic motion was found.
#[derive(Clone, Debug, PartialEq)]
pub enum NotPeriodic {
    /// The solver gave up.
    Failed(Failure),
    /// Newton's method came no nearer than this part of the states' size.
    Open {
        /// The gap.
        gap: f64,
    },
    /// The states return and the mode of a contact does not.
    Memory,
}

impl fmt::Display for NotPeriodic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPeriodic::Failed(failure) => failure.fmt(f),
            NotPeriodic::Open { gap } => write!(
                f,
                "no periodic motion was found: one period leaves a gap of {gap:.1e} of the states' size; start \
                 nearer to it, or look at a run: it may be of another period, or chaotic"
            ),
            NotPeriodic::Memory => write!(
                f,
                "the states return after a period, but the friction model is on another branch: the period may be \
                 a multiple of the one asked for"
            ),
        }
    }
}

impl std::error::Error for NotPeriodic {}

impl From<Failure> for NotPeriodic {
    fn from(failure: Failure) -> Self {
        NotPeriodic::Failed(failure)
    }
}

/// A motion counts as closed below this gap. Smooth ones come to 1e-12; where a model jumps from branch to branch
/// the time of an event is known less well.
pub const CLOSED: f64 = 1e-7;
/// Iterations that bring nothing before Newton's method is ended.
const VAIN: usize = 2;
/// Iterations of Newton's method.
const ITERATIONS: usize = 30;
/// At least so many steps to a period.
const STEPS: f64 = 64.0;
/// Periods that are run through before: bristles find their side, models their branch.
const WARM_UP: f64 = 2.0;

/// The motion of period `period` of a system whose drive has that period, from `begin` or the initial state on.
pub fn periodic(
    system: &System,
    period: f64,
    begin: Option<&Begin>,
    accuracy: impl Into<Accuracy>,
) -> Result<Periodic, NotPeriodic> {
    let begin = begin.cloned().unwrap_or_else(|| Begin::of(system));
    let small = system.small_values();
    let n = begin.y.len();
    let accuracy = accuracy.into();
    let accuracy = Accuracy { max_step: accuracy.max_step.min(period / STEPS), ..accuracy };
    let (_, mut at) = march(system, &begin, WARM_UP * period, accuracy, &mut ())?;
    let mut best: Option<(f64, Begin, DMatrix<f64>, Vec<f64>)> = None;
    let (mut vain, mut iterations) = (0, 0);
    while iterations < ITERATIONS && vain < VAIN {
        iterations += 1;
        let (mut sensitivity, mut reach) = (Sensitivity::new(n), Reach::new(&at.y));
        let (_, end) = march(system, &at, period, accuracy, &mut (&mut sensitivity, &mut reach))?;
        let kept = returning(&sensitivity.matrix);
        let moved: Vec<f64> = (0..n).map(|k| end.y[k] - at.y[k]).collect();
        let size: Vec<f64> = (0..n).map(|k| reach.0[k].max(1e-3 * small[k])).collect();
        let gap = kept.iter().map(|k| (moved[*k] / size[*k]).abs()).fold(0.0, f64::max);
        let step = step(&sensitivity.matrix, &kept, &moved, &size);
        let next = (0..n).map(|k| at.y[k] + step[k]).collect();
        if end.contacts == at.contacts && best.as_ref().is_none_or(|b| gap < b.0) {
            best = Some((gap, at, sensitivity.matrix, moved));
            vain = 0;
        } else {
            // Far off, Newton's method may have to go on a detour.
            vain += usize::from(best.as_ref().is_some_and(|b| b.0 <= CLOSED));
        }
        if gap == 0.0 {
            break;
        }
        // A model that is elsewhere after a period begins there.
        at = Begin { y: next, contacts: end.contacts };
    }
    let Some((gap, begin, monodromy, moved)) = best else { return Err(NotPeriodic::Memory) };
    if gap > CLOSED {
        return Err(NotPeriodic::Open { gap });
    }
    let mut cycle = Cycle::new(system, &begin, TAU / period);
    march(system, &begin, period, accuracy, &mut cycle)?;
    let kept = returning(&monodromy);
    let inner = DMatrix::from_fn(kept.len(), kept.len(), |i, j| monodromy[(kept[i], kept[j])]);
    let drift = (0..n).map(|k| if kept.contains(&k) { 0.0 } else { moved[k] }).collect();
    let multipliers = eigenvalues(&inner);
    Ok(Periodic { period, begin, drift, monodromy, multipliers, gap, iterations, cycle })
}

/// The states that have to return. Others nothing depends on, not even their own change: their columns are those of
/// the identity.
fn returning(monodromy: &DMatrix<f64>) -> Vec<usize> {
    let n = monodromy.nrows();
    let free = |k: usize| (0..n).all(|i| monodromy[(i, k)] == f64::from(i == k));
    (0..n).filter(|k| !free(*k)).collect()
}

/// Newton's step of the states that have to return; the shortest one, where many motions are periodic.
fn step(monodromy: &DMatrix<f64>, kept: &[usize], moved: &[f64], size: &[f64]) -> Vec<f64> {
    let mut step = vec![0.0; monodromy.nrows()];
    let m = kept.len();
    if m == 0 {
        return step;
    }
    let matrix = DMatrix::from_fn(m, m, |i, j| {
        let (row, column) = (kept[i], kept[j]);
        (f64::from(i == j) - monodromy[(row, column)]) * size[column] / size[row]
    });
    let right = DVector::from_fn(m, |i, _| moved[kept[i]] / size[kept[i]]);
    let solution = matrix.svd(true, true).solve(&right, 1e-11).unwrap_or(right);
    for (i, k) in kept.iter().enumerate() {
        step[*k] = solution[i] * size[*k];
    }
    step
}

/// A contact that is moved at v = `mean` + A ω cos ωt under `load`, with the displacement amplitude A, m, and the
/// frequency ω/2π, Hz.
pub fn moved(
    model: &AnyBristle<f64>,
    load: f64,
    amplitude: f64,
    frequency: f64,
    mean: f64,
) -> System {
    let drive = Sine { mean, amplitude: amplitude * TAU * frequency, frequency, angle: FRAC_PI_2 };
    let prescribed = Prescribed { load, ..Prescribed::start(AnySignal::Sine(drive)) };
    Coupled::new(AnyMechanism::Prescribed(prescribed), model.clone())
}

/// The loop of a friction element under a harmonic displacement x = A sin ωt: force over position and velocity,
/// work, describing function, stiffness, damping.
pub fn hysteresis(
    model: &AnyBristle<f64>,
    load: f64,
    amplitude: f64,
    frequency: f64,
    accuracy: impl Into<Accuracy>,
) -> Result<Periodic, NotPeriodic> {
    let system = moved(model, load, amplitude, frequency, 0.0);
    periodic(&system, 1.0 / frequency, None, accuracy)
}

/// The loop of frictional lag: v = `mean` + `swing` sin ωt, m/s, in one direction.
pub fn lag(
    model: &AnyBristle<f64>,
    load: f64,
    mean: f64,
    swing: f64,
    frequency: f64,
    accuracy: impl Into<Accuracy>,
) -> Result<Periodic, NotPeriodic> {
    let drive = Sine { mean, amplitude: swing, frequency, angle: 0.0 };
    let prescribed = Prescribed { load, ..Prescribed::start(AnySignal::Sine(drive)) };
    let system = Coupled::new(AnyMechanism::Prescribed(prescribed), model.clone());
    periodic(&system, 1.0 / frequency, None, accuracy)
}

/// Stiffness, N/m, and damping, N·s/m, of an undeflected element at rest under small harmonic motion.
pub fn presliding(model: &AnyBristle<f64>, load: f64, frequency: f64) -> [f64; 2] {
    use crate::linearise::{Point, element};
    let at = bristle_kernel::Drive::new(0.0, load);
    let point = Point::new(model, at, vec![0.0; bristle_kernel::Bristle::<f64>::states(model)]);
    let omega = TAU * frequency;
    let stiffness = element(model, &point).response(0, 0, omega) * Complex::new(0.0, omega);
    [stiffness.re, stiffness.im / omega]
}
/// An amplitude, m, that shows the loop of a model: twice what the static limit bends the bristles by, 0.1 mm where they
/// do not bend.
pub fn usual_amplitude(model: &AnyBristle<f64>, load: f64) -> f64 {
    let [stiffness, _] = presliding(model, load, 1.0);
    if stiffness > 0.0 {
        2.0 * crate::break_away::static_limit(model, load) / stiffness
    } else {
        1e-4
    }
}
