//! What a friction model does with the parameters it has, with reasons.
//!
//! A verdict on passivity comes from a lemma, which the model states with its inequality and margin, or from a drive
//! that takes energy out of it, which is searched for and run; otherwise it is unknown. Sticking, following the law
//! and bounded rates are measured.
pub mod dissipation;
mod extraction;
mod line;
mod loads;
mod loops;

pub use extraction::{Extraction, Motion, Phase, extraction, extraction_of};
pub use line::{LineAudit, LineExtraction, cycle_work, line};
pub use loads::{LoadCycle, under_varying_load};
pub use loops::{Course, loops};

use crate::break_away::static_limit;
use crate::eigenvalues;
use crate::linearise::{Point, element};
use crate::march::{Accuracy, Begin, march};
use crate::periodic::{periodic, presliding};
use bristle_kernel::{AnyBristle, Bristle, Drive, Start};
use bristle_ode::Failure;
use bristle_system::mechanism::{Mass, Prescribed};
use bristle_system::signal::{Pulses, Sine};
use bristle_system::{AnyMechanism, AnySignal, Coupled, Friction};

/// Whether a model can give out more energy than was put into it.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It cannot: a storage function is known for every drive at constant load.
    Passive {
        /// The lemma or the condition.
        why: &'static str,
        /// By how much the condition holds, in its unit; ∞ if there is none.
        margin: f64,
    },
    /// It can: this drive takes energy out.
    NotPassive(Extraction),
    /// No storage function is known, and no drive was found.
    Unknown {
        /// What is known.
        why: &'static str,
        /// By how much the condition fails; −∞ if there is none.
        margin: f64,
    },
}

/// How a model holds a body under pulses below the static limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// How far the body moves on with every pulse, m.
    pub creep: f64,
    /// How far a pulse bends the bristles, m.
    pub bend: f64,
}

/// Below this part of the bend there is no creep but rounding.
const EXACT: f64 = 1e-6;
/// Below this part a stick is held to within a regularisation.
const NEARLY: f64 = 1e-2;

impl Stick {
    /// How well.
    pub fn holds(&self) -> Holds {
        match (self.creep / self.bend).abs() {
            part if part < EXACT => Holds::Exactly,
            part if part < NEARLY => Holds::Nearly,
            _ => Holds::Not,
        }
    }
}

/// How well a stick is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// To rounding.
    Exactly,
    /// To within a hundredth of what a pulse bends the bristles.
    Nearly,
    /// It creeps.
    Not,
}

/// How fast a state forgets, as speed grows: 000 Rem. III.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The fastest rate at 1 m/s, 1/s.
    pub usual: f64,
    /// The fastest rate at any speed that was tried, up to 10⁸ m/s, 1/s.
    pub fastest: f64,
    /// Whether it stays bounded: it does not still grow with speed.
    pub bounded: bool,
}

/// What an audit found.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The model.
    pub model: &'static str,
    /// The load at which it was looked at, N.
    pub load: f64,
    /// The greatest force at rest or in slow sliding, N.
    pub static_limit: f64,
    /// Stiffness, N/m, and damping, N·s/m, of small motions at rest, at 10 Hz.
    pub presliding: [f64; 2],
    /// Whether it can create energy.
    pub passivity: Verdict,
    /// A load that changes and takes energy out of it; nothing where none was found.
    pub varying_load: Option<LoadCycle>,
    /// Whether it holds a stick; nothing where the run failed.
    pub stick: Option<Stick>,
    /// The greatest distance from the force of steady sliding at the same speed, as a part of the static limit,
    /// while speed goes to and fro between 0.001 and 0.1 m/s in a second; nothing where the force depends on
    /// position.
    pub departure: Option<f64>,
    /// How fast its state changes.
    pub rates: Rates,
}

/// The verdict on a model under a constant load, N: by what it states, or by search.
pub fn passivity(model: &AnyBristle<f64>, load: f64) -> Verdict {
    let known = model.passivity();
    if known.known {
        return Verdict::Passive { why: known.why, margin: known.margin };
    }
    match extraction(model, load) {
        Some(found) => Verdict::NotPassive(found),
        None => Verdict::Unknown { why: known.why, margin: known.margin },
    }
}

/// Audits a model under a constant load, N.
pub fn audit(model: &AnyBristle<f64>, load: f64) -> Audit {
    Audit {
        model: model.info().name,
        load,
        static_limit: static_limit(model, load),
        presliding: presliding(model, load, 10.0),
        passivity: passivity(model, load),
        varying_load: under_varying_load(&Friction::from(model.clone()), load),
        stick: stick(model, load, PART).ok(),
        departure: departure(model, load),
        rates: rates(model, load),
    }
}

/// Pulses of so much of the static limit: a body on a bristle swings to twice the deflection.
const PART: f64 = 0.4;
/// Pulses of a tenth of a second.
const PULSE: f64 = 0.1;
/// A run that takes more steps is given up: its bristle swings too fast to be looked at in a second.
const MOST_STEPS: usize = 50_000;
/// Pulses that are counted, and those before.
const PULSES: [f64; 2] = [3.0, 2.0];

/// The creep of a body that weighs `load`, under pulses of `part` of the static limit: 002 §4.3.
pub fn stick(model: &AnyBristle<f64>, load: f64, part: f64) -> Result<Stick, Failure> {
    let value = part * static_limit(model, load);
    let drive = AnySignal::Pulses(Pulses { value, on: PULSE, period: 2.0 * PULSE });
    let mass = Mass { mass: load / 9.81, load, ..Mass::start(drive) };
    let system = Coupled::new(AnyMechanism::Mass(mass), model.clone());
    let [counted, before] = PULSES;
    let x = |pulses: f64| -> Result<f64, Failure> {
        let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-9.into() };
        Ok(march(&system, &Begin::of(&system), 2.0 * PULSE * pulses, accuracy, &mut ())?.1.y[0])
    };
    let creep = (x(before + counted)? - x(before)?) / counted;
    let stiffness = presliding(model, load, 0.5 / PULSE)[0];
    // A model that does not bend is measured against what it moves by in a pulse.
    let bend = if stiffness > 0.0 { value / stiffness } else { x(0.5)?.abs().max(1e-9) };
    Ok(Stick { creep, bend })
}

/// How far the force departs from that of steady sliding while speed changes: see [`Audit::departure`].
pub fn departure(model: &AnyBristle<f64>, load: f64) -> Option<f64> {
    if model.positional() {
        return None;
    }
    let angle = -core::f64::consts::FRAC_PI_2;
    let drive = Sine { mean: 0.0505, amplitude: 0.0495, frequency: 1.0, angle };
    let prescribed = Prescribed { load, ..Prescribed::start(AnySignal::Sine(drive)) };
    let system = Coupled::new(AnyMechanism::Prescribed(prescribed), model.clone());
    let accuracy = Accuracy { max_steps: MOST_STEPS, ..1e-8.into() };
    let found = periodic(&system, 1.0, None, accuracy).ok()?;
    let mut z = vec![0.0; model.states()];
    let from_law = found.cycle.samples.iter().map(|s| {
        let steady = model.steady(&Drive::new(s.v, load), &mut z);
        (s.force - steady).abs()
    });
    Some(from_law.fold(0.0, f64::max) / static_limit(model, load))
}

/// The eigenvalues of ∂ż/∂z in steady sliding, as speed grows.
pub fn rates(model: &AnyBristle<f64>, load: f64) -> Rates {
    let fastest = |v: f64| {
        let mut z = vec![0.0; model.states()];
        let at = Drive::new(v, load);
        model.steady(&at, &mut z);
        let point = Point::new(model, at, z);
        let all = eigenvalues(&element(model, &point).a);
        all.iter().map(|p| p.norm()).fold(0.0, f64::max)
    };
    let at: Vec<f64> = (-6..=8).map(|k| fastest(10f64.powi(k))).collect();
    let last = at.len() - 1;
    Rates {
        usual: at[6],
        fastest: at.iter().copied().fold(0.0, f64::max),
        bounded: at[last] <= 1.5 * at[last - 2],
    }
}
