//! Loops that show what a model does: over position at three amplitudes, over velocity in one direction, and for friction
//! over position the way forth and back.
use crate::Sample;
use crate::audit::Audit;
use crate::march::Accuracy;
use crate::periodic::{hysteresis, lag};
use bristle_kernel::{AnyBristle, Bristle, Drive, Mode};
use bristle_rotating::Friction;

/// What is done to go round a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// A sine of position about rest at 1 Hz, of that amplitude, m.
    Position(f64),
    /// A sine of velocity of 0.015 ± 0.014 m/s at so many Hz.
    Velocity(f64),
    /// Slowly forth and back over some spacings of the bristles.
    ForthAndBack,
}

/// A loop that takes more steps to a period is left out.
const MOST_STEPS: usize = 20_000;
/// Velocities of the loops in one direction, m/s.
const MEAN: f64 = 0.015;
const AMPLITUDE: f64 = 0.014;

/// The loops of a model that was audited; those that cannot be followed are left out.
pub fn loops(model: &AnyBristle<f64>, found: &Audit) -> Vec<(Course, Vec<Sample>)> {
    if let Some(friction) = Friction::of(model) {
        return vec![(Course::ForthAndBack, forth_and_back(model, found.load, friction.delta()))];
    }
    let [k, _] = found.presliding;
    let bend = if k > 0.0 { found.static_limit / k } else { 1e-4 };
    let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-8.into() };
    let over_position = [0.5, 2.0, 8.0].into_iter().filter_map(|part| {
        let found = hysteresis(model, found.load, part * bend, 1.0, accuracy).ok()?;
        Some((Course::Position(part * bend), found.cycle.samples))
    });
    let frequencies: &[f64] = if model.positional() { &[] } else { &[1.0, 10.0, 50.0] };
    let over_velocity = frequencies.iter().filter_map(|f| {
        let found = lag(model, found.load, MEAN, AMPLITUDE, *f, accuracy).ok()?;
        Some((Course::Velocity(*f), found.cycle.samples))
    });
    over_position.chain(over_velocity).collect()
}

/// A slow way forth and back is so long, in spacings, has so many samples to a spacing, and this speed, m/s.
const WAY: usize = 4;
const SAMPLES: usize = 250;
const SLOWLY: f64 = 1e-3;

/// The second time there and back, when the friction no longer knows where it began.
fn forth_and_back(model: &AnyBristle<f64>, load: f64, spacing: f64) -> Vec<Sample> {
    let (z, step, half) = (vec![0.0; model.states()], spacing / SAMPLES as f64, WAY * SAMPLES);
    let mut at = Drive::new(SLOWLY, load);
    let mut samples = Vec::new();
    for k in 0..=4 * half {
        let place = k % (2 * half);
        at.v = if place < half { SLOWLY } else { -SLOWLY };
        // Between the places at which bristles meet, where the force jumps.
        at.x = step * (if place < half { place } else { 2 * half - place } as f64 + 0.5);
        at.mode = if k == 0 { model.begin(&at, &z) } else { turned(model, &at, &z) };
        let force = model.eval(&at, &z, &mut vec![0.0; z.len()]);
        samples.push(Sample { t: step * k as f64 / SLOWLY, x: at.x, v: at.v, force });
    }
    samples.split_off(2 * half)
}

/// The mode on the way: a model that is set-valued at rest turns with the motion.
fn turned(model: &AnyBristle<f64>, at: &Drive<f64>, z: &[f64]) -> Mode<f64> {
    let turns = model.limits(at).is_some() && at.v * at.mode.way < 0.0;
    let mode = if turns { model.depart(at, at.v.signum()) } else { at.mode };
    model.commit(&Drive { mode, ..*at }, z)
}
