//! Energy out of a load that changes.
//!
//! A proof of passivity at constant load says nothing where the load changes. A spring whose stiffness scales with the load is
//! bent under a small one and comes back under a great one: what the load adds to its energy comes out as work. Where stiffness
//! is absolute, W does not depend on the load, and no history of the load gives anything out.
use super::extraction::small_motions;
use crate::break_away::static_limit;
use bristle_kernel::{Drive, Free, Update};
use bristle_system::Friction;
use std::fmt;

/// A stroke forth under one load and back under another, again and again, that takes energy out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadCycle {
    /// How far the stroke goes, m.
    pub stroke: f64,
    /// At which speed, m/s.
    pub speed: f64,
    /// The loads, forth and back, N.
    pub loads: [f64; 2],
    /// The work done on the element in one cycle, J: negative.
    pub work: f64,
}

impl fmt::Display for LoadCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoadCycle { stroke, speed, loads: [forth, back], .. } = self;
        write!(
            f,
            "{stroke:.3e} m forth at {speed:.3e} m/s under {forth} N and back under {back} N, again and again"
        )
    }
}

/// Strokes, in bends of the bristle, and speeds, m/s.
const STROKES: [f64; 4] = [0.1, 0.3, 0.6, 1.0];
const SPEEDS: [f64; 3] = [1e-4, 1e-3, 1e-2];
/// Loads of the way back over that of the way forth.
const RATIOS: [f64; 4] = [0.25, 0.5, 2.0, 4.0];
/// Cycles, of which the last counts.
const CYCLES: usize = 4;
/// Steps of a stroke while searching, and to bear out what was found.
const STEPS: [usize; 2] = [100, 800];
/// Less than this part of what a stroke takes may be the error of its steps.
const SIGNIFICANT: f64 = 1e-4;

/// The work of the last cycle and the energy that a stroke moves, J.
fn cycled(friction: &Friction, cycle: &LoadCycle, steps: usize) -> Option<[f64; 2]> {
    let model = friction.model();
    let mut z = vec![0.0; model.states()];
    let mut at = Drive::new(0.0, cycle.loads[0]);
    at.mode = model.begin(&at, &z);
    let h = cycle.stroke / cycle.speed / steps as f64;
    let (mut work, mut moved) = (0.0, 0.0);
    for _ in 0..CYCLES {
        (work, moved) = (0.0, 0.0);
        for (load, v) in cycle.loads.into_iter().zip([cycle.speed, -cycle.speed]) {
            at.load = load;
            for _ in 0..steps {
                at.v = v;
                let free = Free::prescribed(v);
                let power = v * model.advance(Update::Midpoint, &mut at, &free, h, &mut z)?;
                work += h * power;
                moved += h * power.abs();
            }
        }
    }
    Some([work, moved])
}

/// A cycle of load and stroke that takes energy out of an element; nothing if none was found.
pub fn under_varying_load(friction: &Friction, load: f64) -> Option<LoadCycle> {
    let limit = static_limit(friction.model(), load);
    let [stiffness, _] = small_motions(friction, load);
    let bend = if stiffness > 0.0 { limit / stiffness } else { 1e-4 };
    let mut best: Option<LoadCycle> = None;
    for stroke in STROKES.map(|part| part * bend) {
        for speed in SPEEDS {
            for loads in RATIOS.map(|ratio| [load, ratio * load]) {
                let cycle = LoadCycle { stroke, speed, loads, work: 0.0 };
                let Some([work, moved]) = cycled(friction, &cycle, STEPS[0]) else { continue };
                let less = best.is_none_or(|best| work < best.work);
                if work < -SIGNIFICANT * moved && less {
                    best = Some(LoadCycle { work, ..cycle });
                }
            }
        }
    }
    let found = best?;
    let [work, moved] = cycled(friction, &found, STEPS[1])?;
    (work < -SIGNIFICANT * moved).then_some(LoadCycle { work, ..found })
}
