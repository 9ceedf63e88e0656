//! Passivity of a line contact.
//!
//! ```text
//! d(Σ₀V)/dξ ≤ 0,   Σ₀ = σ₀p          000 (50)
//! ```
//!
//! Where that fails and the bristles are undeflected at rest, a small motion ṽ = a sin ωt takes energy out if the
//! real part of the frequency response is negative at ω.
use crate::linearise::{LinearLine, NotLinear};
use crate::periodic::presliding;
use crate::spaced;
use bristle_contact::line::{Before, Course, Line};
use bristle_kernel::{AnyBristle, Bristle};
use core::f64::consts::TAU;

/// A motion v = a sin ωt that takes energy out of a line contact, confirmed by following its bristles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineExtraction {
    /// a, m/s.
    pub amplitude: f64,
    /// ω, rad/s.
    pub omega: f64,
    /// The work done on the contact in a cycle, J: negative.
    pub work: f64,
    /// The real part of the frequency response there, N·s/m.
    pub response: f64,
}

/// What an audit of a line contact found.
#[derive(Clone, Debug)]
pub struct LineAudit {
    /// By how much 000 (50) holds: −max d(Σ₀V)/dξ, N/(m²·s). Negative where it fails.
    pub margin: f64,
    /// Where it is least, ξ.
    pub at: f64,
    /// Whether the bristles themselves are passive.
    pub bristles: bool,
    /// A motion that takes energy out.
    pub extraction: Option<LineExtraction>,
}

impl LineAudit {
    /// Passive by 000 Lemma IV.2.
    pub fn is_passive(&self) -> bool {
        self.bristles && self.margin >= 0.0
    }
}

/// Places at which (50) is looked at.
const PLACES: usize = 200;
/// Moments of a cycle at which the contact is computed.
const MOMENTS: usize = 48;

/// Audits a line contact.
pub fn line(contact: &Line<'_, AnyBristle<f64>>) -> Result<LineAudit, NotLinear> {
    let speed = |xi: f64| contact.transport.rate(xi, 0.0);
    let stiffness = |xi: f64| contact.bristles.at(|| xi, |b| presliding(b, 1.0, 1.0)[0]);
    let flux = |xi: f64| stiffness(xi) * (contact.pressure)(xi) * speed(xi);
    let h = 1e-4;
    let slope = |xi: f64| {
        let (low, high) = ((xi - h).max(0.0), (xi + h).min(1.0));
        (flux(high) - flux(low)) / (high - low)
    };
    // Rounding in the differences is no rise.
    let rounding = 1e-9 * (0..=10).map(|k| flux(f64::from(k) / 10.0)).fold(0.0, f64::max) / h;
    let places = (0..=PLACES).map(|k| k as f64 / PLACES as f64);
    let (at, steepest) = places
        .map(|xi| (xi, slope(xi)))
        .fold((0.0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
    let steepest = if steepest.abs() <= rounding { 0.0 } else { steepest };
    let bristles = contact.bristles.at(|| 0.5, |b| b.passivity().known);
    let mut audit = LineAudit { margin: -steepest, at, bristles, extraction: None };
    if audit.is_passive() {
        return Ok(audit);
    }
    let linear = LinearLine::new(contact, 0.0)?;
    let passage = passage(&speed);
    let omegas = spaced(0.2 / passage, 60.0 / passage, 240);
    let negative = |omega: &f64| (*omega, linear.response(*omega).re);
    let least = omegas.iter().map(negative).fold((0.0, 0.0), |best, next| {
        // What is taken out in a cycle goes as Re H/ω.
        if next.1 / next.0 < best.1 / f64::max(best.0, 1e-300) { next } else { best }
    });
    let (omega, response) = least;
    if response < 0.0 {
        // Small against what bends a bristle to its limit, so that it does not slide.
        let bend = 1.0 / stiffness(0.5);
        for amplitude in [1e-3, 1e-4, 1e-5].map(|part| part * bend * omega) {
            let work = cycle_work(contact, amplitude, omega, passage)?;
            if work < 0.0 {
                audit.extraction = Some(LineExtraction { amplitude, omega, work, response });
                break;
            }
        }
    }
    Ok(audit)
}

/// The time from edge to edge, s.
fn passage(speed: &impl Fn(f64) -> f64) -> f64 {
    (0..100).map(|k| 0.01 / speed(0.01 * (f64::from(k) + 0.5))).sum()
}

/// The work done on a line contact in one cycle of v = a sin ωt, J, once no bristle is left from before.
pub fn cycle_work(
    contact: &Line<'_, AnyBristle<f64>>,
    amplitude: f64,
    omega: f64,
    passage: f64,
) -> Result<f64, NotLinear> {
    let v = |t: f64| amplitude * (omega * t).sin();
    let period = TAU / omega;
    let start = (passage / period).ceil() * period;
    let turns = 2 * (start / period).round() as usize + 2;
    let breaks: Vec<f64> = (1..turns).map(|k| 0.5 * period * k as f64).collect();
    let course = Course { v: &v, breaks: &breaks, before: Before::Rest };
    let mut work = 0.0;
    for k in 0..MOMENTS {
        let t = start + period * (k as f64 + 0.5) / MOMENTS as f64;
        let state = contact.at(t, &course).map_err(|_| NotLinear::Bristle)?;
        work += state.force * v(t) * period / MOMENTS as f64;
    }
    Ok(work)
}
