//! The inequality behind a verdict, with numbers put in.
//!
//! ```text
//! F v − Ẇ ≥ 0
//! ```
//!
//! for a stored energy W and every drive: what a model takes up and does not store is lost. Of a bristle with one
//! state it is, at a given speed, a quadratic form
//!
//! ```text
//! F v − Ẇ = a z² + b z v + c v²,   never negative if b² ≤ 4ac
//! ```
//!
//! b = 0 for `frbd`, 000 (26). For LuGre a = σ₀²|v|/(μN), b = −σ₁σ₀|v|/(μN), c = σ₁ + σ₂, and the condition is
//! σ₁²|v| ≤ 4μN(σ₁ + σ₂): σ₁|v| ≤ 4μN without a viscous part.
use super::extraction::Random;
use crate::break_away::static_limit;
use crate::linearise::Point;
use bristle_kernel::{AnyBristle, Bristle, Drive};

/// Where the least is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Least {
    /// (F v − Ẇ)/(F_s|v|), with the static limit F_s; negative where energy is given out.
    pub part: f64,
    /// The velocity there, m/s.
    pub v: f64,
    /// The state there.
    pub z: Vec<f64>,
}

/// a z² + b z v + c v² at one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// a, N/(m·s).
    pub a: f64,
    /// b, N/m.
    pub b: f64,
    /// c, N·s/m.
    pub c: f64,
}

impl Form {
    /// 1 − |b|/(2√(ac)): negative where some state gives energy out; 1 where nothing is coupled.
    pub fn margin(&self) -> f64 {
        match self.b {
            0.0 => 1.0,
            b => 1.0 - b.abs() / (2.0 * (self.a * self.c).sqrt()),
        }
    }
}

/// Speeds looked at, m/s, so many to a decade.
const SPEEDS: [f64; 2] = [1e-6, 10.0];
const PER_DECADE: usize = 6;
/// States looked at for each.
const STATES: usize = 60;
/// A form whose coupling is less than this part of its other terms has none but rounding.
const ROUNDING: f64 = 1e-12;

fn speeds([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    let count = PER_DECADE * (high / low).log10().round() as usize;
    (0..=count).map(move |k| low * (high / low).powf(k as f64 / count as f64))
}

/// How far each state can go, at speeds up to the fastest.
fn reach(model: &AnyBristle<f64>, load: f64) -> Vec<f64> {
    let mut reach = vec![0.0; model.states()];
    model.bound(&vec![0.0; reach.len()], SPEEDS[1], load, &mut reach);
    let mut z = vec![0.0; reach.len()];
    model.steady(&Drive::new(SPEEDS[0], load), &mut z);
    // Without a bound, as far as sliding bends it.
    reach.iter().zip(z).map(|(r, z)| if r.is_finite() { *r } else { z.abs() }).collect()
}

/// F v − Ẇ, W.
fn lost(model: &AnyBristle<f64>, at: Drive<f64>, z: &[f64]) -> f64 {
    let Point { at, .. } = Point::new(model, at, z.to_vec());
    let mut dz = vec![0.0; z.len()];
    model.rate(&at, z, &mut dz);
    model.energy(&at, z, &dz).dissipated
}

/// Where the least is lost, over speeds from 1 µm/s to 10 m/s and states within their bounds.
pub fn least(model: &AnyBristle<f64>, load: f64) -> Least {
    let (limit, reach) = (static_limit(model, load), reach(model, load));
    let mut random = Random::new(0);
    let mut least = Least { part: f64::INFINITY, v: 0.0, z: vec![0.0; reach.len()] };
    for v in speeds(SPEEDS) {
        for k in 0..STATES {
            let place = if k == 0 { 0.0 } else { 1.0 };
            let z: Vec<f64> =
                reach.iter().map(|r| place * r * (2.0 * random.next() - 1.0)).collect();
            // Irrational places fall on no lattice.
            let x = 1e-3 * k as f64 * core::f64::consts::SQRT_2;
            let part = lost(model, Drive { x, ..Drive::new(v, load) }, &z) / (limit * v);
            if part < least.part {
                least = Least { part, v, z };
            }
        }
    }
    least
}

/// The form of a model with one state at a speed; nothing where it is none.
pub fn form(model: &AnyBristle<f64>, load: f64, v: f64) -> Option<Form> {
    let reach = reach(model, load);
    let [r] = reach[..] else { return None };
    let at = |part: f64| lost(model, Drive::new(v, load), &[part * r]);
    let [low, rest, high, half] = [-1.0, 0.0, 1.0, 0.5].map(at);
    let (even, odd) = (0.5 * (low + high) - rest, 0.5 * (high - low));
    let size = low.abs() + rest.abs() + high.abs();
    let quadratic = (rest + 0.5 * odd + 0.25 * even - half).abs() <= 1e-9 * size;
    let odd = if odd.abs() <= ROUNDING * size { 0.0 } else { odd };
    let form = Form { a: even / (r * r), b: odd / (r * v), c: rest / (v * v) };
    (quadratic && form.a.is_finite() && form.c.is_finite()).then_some(form)
}

/// The speed, m/s, up to which the form of a model has no negative value; ∞ where it has none up to 10 km/s, nothing
/// for a model without a form.
pub fn definite_up_to(model: &AnyBristle<f64>, load: f64) -> Option<f64> {
    let holds = |v: f64| form(model, load, v).map(|f| f.margin() >= 0.0);
    let mut low = SPEEDS[0];
    for high in speeds([SPEEDS[0], 1e4]) {
        if !holds(high)? {
            let (mut low, mut high) = (low, high);
            for _ in 0..60 {
                let middle = (low * high).sqrt();
                *(if holds(middle)? { &mut low } else { &mut high }) = middle;
            }
            return Some(high);
        }
        low = high;
    }
    Some(f64::INFINITY)
}
/// The inequality F v − Ẇ ≥ 0 of a model with numbers put in.
#[derive(Clone, Debug)]
pub struct Inequality {
    /// Where it is nearest to failing, or fails.
    pub least: Least,
    /// Its quadratic form at [`SPEED`], and the speed up to which that has no negative value; of a model with one state.
    pub form: Option<(Form, f64)>,
}

/// The speed at which a form is given, m/s.
pub const SPEED: f64 = 0.1;

impl Inequality {
    /// That of a model under a load.
    pub fn of(model: &AnyBristle<f64>, load: f64) -> Self {
        let form = form(model, load, SPEED).zip(definite_up_to(model, load));
        Inequality { least: least(model, load), form }
    }
}
