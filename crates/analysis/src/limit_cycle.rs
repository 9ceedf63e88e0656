//! Stick-slip: motions that repeat by themselves under a constant drive.
//!
//! ```text
//! y(T; y₀) = y₀ + s T,   v(0) on the section
//! ```
//!
//! y₀ on a section across the motion and the period T are found together by Newton's method, with the derivative
//! of the computed run carried across its events. s is the drift of a body that is dragged along. Multipliers are
//! the eigenvalues of ∂y(T)/∂y₀ but for the one, equal to 1, of a shift in time. Where a model leaves a branch at a
//! fold, as `implicit` does when its law falls faster than σ₁ damps, the derivative there goes as a square root and
//! is known roughly: the cycle is found all the same, its multipliers are not exact.
use crate::cycle::{Cycle, Reach};
use crate::linearise::{drift, equilibrium, input, system as linearise, under};
use crate::march::{Accuracy, Begin, march};
use crate::periodic::{CLOSED, NotPeriodic};
use crate::sensitivity::{Sensitivity, rate};
use crate::{System, eigenvalues};
use bristle_ode::Failure;
use bristle_system::signal::Constant;
use bristle_system::{AnyMechanism, AnySignal, Mechanism, Mode, Step, Watch};
use nalgebra::{Complex, DMatrix, DVector};
use std::fmt;
use std::ops::ControlFlow;

/// A limit cycle.
#[derive(Clone, Debug)]
pub struct LimitCycle {
    /// T, s.
    pub period: f64,
    /// State and mode on the section, with time begun anew.
    pub begin: Begin,
    /// ∂y(T)/∂y(0).
    pub monodromy: DMatrix<f64>,
    /// Floquet's multipliers, the largest first; all inside the unit circle where the cycle attracts.
    pub multipliers: Vec<Complex<f64>>,
    /// By how much it fails to close, relative to the greatest value of each state.
    pub gap: f64,
    /// The contact over one period; positions are those of the body, not of its frame.
    pub cycle: Cycle,
    /// How far the body swings in its frame, m: half the range.
    pub amplitude: f64,
    /// The part of the period in which it sticks: in which its speed is below a hundredth of the drive's.
    pub stuck: f64,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum NoCycle {
    /// The system settles: the motion does not come back to the section.
    Settles,
    /// The drive changes with time, so that the system has a clock of its own.
    Driven,
    /// The friction force depends on position.
    Position,
    /// Shooting failed.
    NotPeriodic(NotPeriodic),
}

impl fmt::Display for NoCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCycle::Settles => write!(
                f,
                "there is no stick-slip: the motion settles; lower the speed or the stiffness of the spring, or take \
                 a law that falls with speed"
            ),
            NoCycle::Driven => write!(
                f,
                "the drive must be constant and not zero, as in system.drive.model = \"constant\", for a system to \
                 have limit cycles of its own"
            ),
            NoCycle::Position => write!(
                f,
                "the friction force depends on position: the body meets other bristles in every cycle, so that \
                 there is no limit cycle to shoot for; run it instead"
            ),
            NoCycle::NotPeriodic(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for NoCycle {}

impl From<Failure> for NoCycle {
    fn from(failure: Failure) -> Self {
        NoCycle::NotPeriodic(NotPeriodic::Failed(failure))
    }
}

/// Waits for the contact to pass half of the drive's speed, from sticking to slipping.
struct Section {
    /// The relative velocity at which it is.
    at: f64,
    /// Not before this time, s.
    after: f64,
    below: bool,
    /// When it was passed.
    found: Option<(f64, Vec<f64>)>,
}

impl Section {
    /// How far beyond the section the state is, towards slipping.
    fn beyond(&self, system: &System, mode: &Mode, t: f64, y: &[f64]) -> f64 {
        let v = system.contact(mode, 0, t, y).0.v;
        (v - self.at) * self.at.signum()
    }
}

impl Watch<AnyMechanism<f64>> for Section {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        const LOOKS: usize = 8;
        let mut from = step.start();
        for k in 1..=LOOKS {
            let to = step.start() + (step.end() - step.start()) * k as f64 / LOOKS as f64;
            let beyond = self.beyond(system, step.mode, to, &step.at(to)) > 0.0;
            if beyond && self.below && to > self.after {
                let (mut lo, mut hi) = (from, to);
                for _ in 0..60 {
                    let middle = 0.5 * (lo + hi);
                    let high = self.beyond(system, step.mode, middle, &step.at(middle)) > 0.0;
                    *(if high { &mut hi } else { &mut lo }) = middle;
                }
                self.found = Some((hi, step.at(hi)));
                return ControlFlow::Break(());
            }
            self.below = !beyond;
            from = to;
        }
        ControlFlow::Continue(())
    }
}

/// Newton's iterations.
const ITERATIONS: usize = 25;
/// Cycles that are run through first, and again where shooting fails.
const WARM_UP: [usize; 3] = [3, 10, 40];
/// Iterations that bring nothing before Newton's method is ended.
const VAIN: usize = 3;
/// A cycle takes no longer than so many times the time in which the drive loads the spring or swings it.
const PATIENCE: f64 = 40.0;

/// The drive's constant value, if a system with it may have limit cycles.
fn speed(system: &System) -> Result<f64, NoCycle> {
    let mechanism = &system.mechanism;
    let u = input(system);
    if u == 0.0 || !mechanism.is_constant() {
        return Err(NoCycle::Driven);
    }
    if system.friction(0).positional() {
        return Err(NoCycle::Position);
    }
    Ok(u)
}

/// The relative velocity of steady sliding.
fn sliding(system: &System) -> f64 {
    let drift = drift(system);
    let mut y = system.initial();
    y[1] = drift[0];
    system.contact(&system.begin(0.0, &y), 0, 0.0, &y).0.v
}

/// A time in which something happens: that in which the drive loads the spring to what friction holds.
fn usual_time(system: &System) -> f64 {
    let v = sliding(system).abs();
    let y = vec![0.0; system.initial().len()];
    let mode = system.begin(0.0, &y);
    let load = system.contact(&mode, 0, 0.0, &y).0.load;
    let force = crate::break_away::static_limit(system.friction(0), load);
    let slopes = crate::linearise::jacobian(system, &mode, 0.0, &y);
    let stiffness = slopes[(1, 0)].abs();
    let swing = core::f64::consts::TAU / stiffness.sqrt();
    // In units of the mass, as the stiffness is.
    let mass = mass(system);
    swing.max(force / (mass * stiffness * v))
}

/// The mass that friction moves: a newton more of it slows the body by 1/m.
fn mass(system: &System) -> f64 {
    let n = system.mechanism.quantities().len();
    let zero = vec![0.0; n];
    let (mut free, mut held) = (zero.clone(), zero.clone());
    let mut force = vec![0.0; system.contacts()];
    system.mechanism.rates(0.0, &[0], &zero, &force, &mut free);
    force[0] = 1.0;
    system.mechanism.rates(0.0, &[0], &zero, &force, &mut held);
    1.0 / (free[1] - held[1]).abs()
}

/// The state at which the motion next passes the section, with time begun anew, and how long that took.
fn next(
    system: &System,
    begin: &Begin,
    accuracy: Accuracy,
    patience: f64,
) -> Result<(f64, Begin), NoCycle> {
    let at = 0.5 * sliding(system);
    let mut section = Section { at, after: 1e-6 * patience, below: false, found: None };
    let (_, end) = march(system, begin, patience, accuracy, &mut section)?;
    let (t, mut y) = section.found.ok_or(NoCycle::Settles)?;
    for (y, s) in y.iter_mut().zip(drift(system)) {
        *y -= s * t;
    }
    Ok((t, Begin { y, contacts: end.contacts }))
}

/// The stick-slip of a mass on a belt or on a spring that is dragged, from its initial state or `begin` on.
pub fn limit_cycle(
    system: &System,
    begin: Option<&Begin>,
    tolerance: f64,
) -> Result<LimitCycle, NoCycle> {
    speed(system)?;
    let patience = PATIENCE * usual_time(system);
    let rough = Accuracy::from(1e-8f64.max(tolerance));
    let mut at = begin.cloned().unwrap_or_else(|| Begin::of(system));
    let mut period = 0.0;
    let mut last = NoCycle::Settles;
    // A motion that dies out slowly looks like a cycle for a while.
    for cycles in WARM_UP {
        for _ in 0..cycles {
            (period, at) = next(system, &at, rough, patience)?;
        }
        match shoot(system, at.clone(), period, tolerance) {
            Err(NoCycle::NotPeriodic(open @ NotPeriodic::Open { .. })) => {
                last = NoCycle::NotPeriodic(open);
            }
            other => return other,
        }
    }
    Err(last)
}

/// Newton's method from a point on the section.
fn shoot(
    system: &System,
    begin: Begin,
    period: f64,
    tolerance: f64,
) -> Result<LimitCycle, NoCycle> {
    let (n, drift, small) = (begin.y.len(), drift(system), system.small_values());
    let accuracy = Accuracy::from(tolerance);
    let (mut at, mut period) = (begin, period);
    let mut best: Option<(f64, f64, Begin, DMatrix<f64>)> = None;
    let mut vain = 0;
    for _ in 0..ITERATIONS {
        let (mut sensitivity, mut reach) = (Sensitivity::new(n), Reach::new(&at.y));
        let (_, end) = march(system, &at, period, accuracy, &mut (&mut sensitivity, &mut reach))?;
        let size: Vec<f64> = (0..n).map(|k| reach.0[k].max(1e-3 * small[k])).collect();
        let moved = DVector::from_fn(n, |k, _| (end.y[k] - at.y[k] - drift[k] * period) / size[k]);
        let gap = moved.amax();
        let speed = rate(system, &end.mode(system), period, &end.y);
        // The velocity stays on the section; in its place the period is unknown.
        let matrix = DMatrix::from_fn(n, n, |i, j| match j {
            1 => -(speed[i] - drift[i]) / size[i],
            _ => (f64::from(i == j) - sensitivity.matrix[(i, j)]) * size[j] / size[i],
        });
        let step = matrix.svd(true, true).solve(&moved, 1e-12).unwrap_or(moved);
        if best.as_ref().is_none_or(|b| gap < b.0) {
            best = Some((gap, period, at.clone(), sensitivity.matrix));
            vain = 0;
        } else {
            vain += 1;
        }
        if vain == VAIN {
            break;
        }
        // No more than half a period at once.
        let part = (0.5 * period / step[1].abs()).min(1.0);
        for k in (0..n).filter(|k| *k != 1) {
            at.y[k] += part * step[k] * size[k];
        }
        at.contacts = end.contacts;
        period += part * step[1];
    }
    match best {
        Some((gap, period, at, monodromy)) if gap <= CLOSED => {
            let mut cycle = Cycle::new(system, &at, core::f64::consts::TAU / period);
            march(system, &at, period, accuracy, &mut cycle)?;
            Ok(found(system, at, period, gap, monodromy, cycle))
        }
        best => {
            let gap = best.map_or(f64::INFINITY, |b| b.0);
            Err(NoCycle::NotPeriodic(NotPeriodic::Open { gap }))
        }
    }
}

/// What a closed motion is.
/// Where the place in a moving frame turns between two samples: the extreme of the cubic through their places and
/// velocities.
fn turn(a: &crate::Sample, b: &crate::Sample, frame: f64) -> Option<f64> {
    let h = b.t - a.t;
    let (from, rise) = (a.x - frame * a.t, b.x - a.x - frame * h);
    let (start, end) = (h * (a.v - frame), h * (b.v - frame));
    if start * end >= 0.0 {
        return None;
    }
    // start + 2 second θ + 3 third θ² = 0, in the form that loses no digits.
    let (second, third) = (3.0 * rise - 2.0 * start - end, start + end - 2.0 * rise);
    let root = (second * second - 3.0 * third * start).max(0.0).sqrt();
    let inside = [-second + root, -second - root].map(|d| start / d);
    let theta = inside.into_iter().find(|theta| (0.0..=1.0).contains(theta))?;
    Some(from + theta * (start + theta * (second + theta * third)))
}

fn found(
    system: &System,
    begin: Begin,
    period: f64,
    gap: f64,
    monodromy: DMatrix<f64>,
    cycle: Cycle,
) -> LimitCycle {
    let mut multipliers = eigenvalues(&monodromy);
    let shift = (0..multipliers.len())
        .min_by(|a, b| (multipliers[*a] - 1.0).norm().total_cmp(&(multipliers[*b] - 1.0).norm()));
    if let Some(shift) = shift {
        multipliers.remove(shift);
    }
    multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    let drift = drift(system)[0];
    let belt = sliding(system);
    // Belt: the contact's position moves with the belt; drag: with the body. Either way the body's own frame is
    // that in which steady sliding is rest.
    let frame = if drift == 0.0 { belt } else { drift };
    let places = cycle.samples.iter().map(|s| s.x - frame * s.t);
    let turns = cycle.samples.windows(2).filter_map(|pair| turn(&pair[0], &pair[1], frame));
    let (low, high) = places
        .chain(turns)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (x.min(l), x.max(h)));
    let still = |pair: &[crate::Sample]| {
        let slow = pair.iter().all(|s| s.v.abs() < 1e-2 * belt.abs());
        if slow { pair[1].t - pair[0].t } else { 0.0 }
    };
    let stuck = cycle.samples.windows(2).map(still).sum::<f64>() / period;
    LimitCycle {
        period,
        begin,
        monodromy,
        multipliers,
        gap,
        amplitude: 0.5 * (high - low),
        stuck,
        cycle,
    }
}

/// Where stick-slip ends as the drive gets faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vanishing {
    /// At this speed of the drive it is still there, m/s.
    pub there: f64,
    /// At this one it is not.
    pub gone: f64,
    /// Steady sliding is stable above this speed, if it is so only above some.
    pub stable_above: Option<f64>,
}

/// The speed above which there is no stick-slip, within a relative width of `width`: looked for from the system's
/// own speed on.
pub fn vanishing(system: &System, width: f64, tolerance: f64) -> Result<Vanishing, NoCycle> {
    let u = speed(system)?;
    let at =
        |u: f64| under(system, AnySignal::Constant(Constant { value: u })).ok_or(NoCycle::Driven);
    limit_cycle(system, None, tolerance)?;
    let (mut there, mut gone) = (u, f64::INFINITY);
    while gone / there - 1.0 > width {
        let next = if gone.is_finite() { (there * gone).sqrt() } else { 1.5 * there };
        let faster = at(next)?;
        // From a stick, which leads to stick-slip where there is any; sliding may be stable besides.
        match limit_cycle(&faster, None, tolerance) {
            Ok(_) => there = next,
            Err(NoCycle::Settles | NoCycle::NotPeriodic(NotPeriodic::Open { .. })) => gone = next,
            Err(other) => return Err(other),
        }
        if next > 1e6 * u {
            break;
        }
    }
    let stable = |u: f64| -> Option<bool> {
        let system = at(u).ok()?;
        let y = equilibrium(&system, None).ok()?;
        let linear = linearise(&system, &y);
        // The end of the spring has a pole at zero of its own.
        let poles = eigenvalues(&linear.a.view((0, 0), (y.len(), y.len())).clone_owned());
        Some(poles.iter().all(|p| p.re < 0.0))
    };
    let mut stable_above = None;
    if stable(there) == Some(false) || stable(1e-3 * there) == Some(false) {
        let (mut low, mut high) = (1e-3 * there, 10.0 * gone);
        if stable(high) == Some(true) {
            // From above, the last speed at which it is stable all the way down to.
            for _ in 0..60 {
                let middle = (low * high).sqrt();
                *(if stable(middle) == Some(true) { &mut high } else { &mut low }) = middle;
            }
            stable_above = Some(high);
        }
    }
    Ok(Vanishing { there, gone, stable_above })
}
