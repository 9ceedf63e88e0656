//! The force at which a body gives way.
//!
//! A force that rises at a constant rate pulls a mass from rest. Friction follows it up to a peak, the break-away
//! force. In a bristle that creeps before it slides the peak is below the static limit, and the lower the faster
//! the load rises (002 §4).
use crate::System;
use crate::cycle::Cycle;
use crate::march::{Accuracy, Begin, march};
use crate::periodic::presliding;
use bristle_kernel::{AnyBristle, Bristle, Drive, Start};
use bristle_ode::Failure;
use bristle_system::mechanism::Mass;
use bristle_system::signal::Points;
use bristle_system::{AnyMechanism, AnySignal, Coupled, Step, Watch};
use std::ops::ControlFlow;

/// A break-away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakAway {
    /// The greatest friction force, N.
    pub force: f64,
    /// When it was reached, s.
    pub t: f64,
    /// How far the body had moved by then, m.
    pub x: f64,
}

/// The greatest force of an element that slides slowly or sticks, N.
pub fn static_limit(model: &dyn Bristle<f64>, load: f64) -> f64 {
    let mut z = vec![0.0; model.states()];
    let steady = |v: f64, z: &mut [f64]| model.steady(&Drive::new(v, load), z);
    let still = Drive::new(0.0, load);
    let still = Drive { mode: model.begin(&still, &z), ..still };
    let at_rest = model.limits(&still).map_or(0.0, |[_, high]| high);
    // Over places too, for models that depend on them.
    let mut at = Drive::new(1e-3, load);
    at.mode = model.begin(&at, &z);
    let mut placed = 0.0f64;
    let places = if model.positional() { 400 } else { 1 };
    for k in 0..places {
        at.x = 1e-3 * f64::from(k) * core::f64::consts::SQRT_2;
        at.mode = model.commit(&at, &z);
        placed = placed.max(model.steady(&at, &mut z));
    }
    let speeds = (0..100).map(|k| 1e-9 * 10f64.powf(f64::from(k) / 12.5));
    speeds.map(|v| steady(v, &mut z)).fold(at_rest.max(placed), f64::max)
}

/// The mass that a force pulls, rising at `rate`, N/s, to twice the static limit.
fn ramp(model: &AnyBristle<f64>, load: f64, mass: f64, rate: f64) -> (System, f64) {
    let most = 2.0 * static_limit(model, load);
    let end = most / rate;
    let list = |values: [f64; 2]| values.into_iter().collect();
    let force = Points { t: list([0.0, end]), value: list([0.0, most]) };
    let mass = Mass { mass, load, ..Mass::start(AnySignal::Points(force)) };
    (Coupled::new(AnyMechanism::Mass(mass), model.clone()), end)
}

/// The body has given way once it has gone so many times as far as a bristle bends: later a viscous force may grow
/// beyond the peak.
const WAY: f64 = 100.0;

/// Ends a run where the body has gone so far, m.
struct Gone {
    way: f64,
}

impl Watch<AnyMechanism<f64>> for Gone {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        let x = system.contact(step.mode, 0, step.end(), &step.at(step.end())).0.x;
        if x > self.way { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The break-away of a mass, kg, under a force that rises at `rate`, N/s.
pub fn break_away(
    model: &AnyBristle<f64>,
    load: f64,
    mass: f64,
    rate: f64,
    tolerance: f64,
) -> Result<BreakAway, Failure> {
    let (system, end) = ramp(model, load, mass, rate);
    let begin = Begin::of(&system);
    let mut cycle = Cycle::new(&system, &begin, 0.0);
    let stiffness = presliding(model, load, 1.0)[0];
    let way = if stiffness > 0.0 { WAY * static_limit(model, load) / stiffness } else { 1e-2 };
    let accuracy = Accuracy { max_step: end / 64.0, max_steps: 100_000, ..tolerance.into() };
    march(&system, &begin, end, accuracy, &mut (&mut cycle, &mut Gone { way }))?;
    let t = cycle.force.t_max;
    Ok(BreakAway { force: cycle.force.max, t, x: cycle.at(t).x })
}
