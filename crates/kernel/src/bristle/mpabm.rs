//! MPABM: the mean-pivot-angle-based single-state model.
//!
//! ```text
//! ż = v − σ|v| z/θ(v)                                               (84)
//! θ(v) = θ_min + (θ_max − θ_min) exp(−(v/v_s)²)                     (81)
//! F = σ₀ z                                                          (85)
//!
//! W = ½ σ₀z²,   F v − Ẇ = σ₀σ|v| z²/θ ≥ 0
//! ```
//!
//! Equation numbers of 001: LuGre without damping, whose level is the averaged pivot angle of the
//! bristles, in rad; z in m, σ in rad/m, σ₀ in N/m. The paper takes σ₀ = (κ/h)σ.
use super::{Drive, Energy, Passivity, Relaxation, Relaxing};
use crate::{Params, Report, relaxing};
use bristle_num::Real;

/// Rotating bristles averaged into a Stribeck curve.
///
/// Choose it to see where a Stribeck curve can come from: it is the running mean of the bristles'
/// pivot angles. As a friction model it is Dahl over a Stribeck law and shares its merits: passive,
/// true to its curve in steady sliding, not able to hold a stick. The load enters only as contact or
/// lift-off.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "mpabm",
    title = "mean-pivot-angle-based model: an undamped LuGre from rotating bristles",
    source = "001 §4.3, (81)-(85)",
    stick = "no: elastic, creeps under pulsating loads",
    passive = "yes: W = σ₀z²/2",
    law = "yes in steady sliding: its own curve (82)",
    rules = "theta_max at least theta_min",
    check = least_below_greatest
)]
pub struct Mpabm<S> {
    /// bristle constant σ
    #[param(unit = "rad/m", start = 1.0e5, range = "(0, inf)", eq = "001 (84)")]
    pub sigma: S,
    /// bristle stiffness σ₀ = (κ/h)σ
    #[param(unit = "N/m", start = 1.0e5, range = "(0, inf)", eq = "001 (85)")]
    pub sigma0: S,
    /// mean pivot angle at high speed
    #[param(unit = "rad", start = 0.5, range = "(0, inf)", eq = "001 (81)")]
    pub theta_min: S,
    /// mean pivot angle at rest
    #[param(unit = "rad", start = 0.75, range = "(0, inf)", eq = "001 (81)")]
    pub theta_max: S,
    /// speed at which the excess angle has fallen to 1/e
    #[param(unit = "m/s", start = 1.0e-3, range = "(0, inf)", eq = "001 (81)")]
    pub v_s: S,
}

fn least_below_greatest(p: &Mpabm<f64>, report: &mut Report<'_>) {
    report.expect_at_least(
        ("theta_max", p.theta_max),
        "must be at least theta_min =",
        p.theta_min,
        "the mean angle falls with speed; swap the two",
    );
}

impl<S: Real> Mpabm<S> {
    /// θ̂(v), (81).
    #[inline(always)]
    fn angle(&self, v: S) -> S {
        let r = v / self.v_s;
        self.theta_min + (self.theta_max - self.theta_min) * (-(r * r)).exp()
    }
}

relaxing!(Mpabm<S>);

impl<S: Real> Relaxing<S> for Mpabm<S> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let a = self.sigma * at.speed(S::from(0.0)) / self.angle(at.v); // (84)
        Relaxation::undamped(at, a)
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, _dz: S) -> S {
        S::select(at.pressed(), self.sigma0 * z, S::from(0.0)) // (85)
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let z = at.v.sign() * self.angle(at.v) / self.sigma; // (83)
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, _dz: S) -> Energy<S> {
        self.relaxation(at).undamped_energy(self.sigma0, z)
    }

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always("W = σ₀z²/2: F v − Ẇ = σ₀σ|v|z²/θ ≥ 0")
    }

    fn reach(&self, _v_max: S, _load_max: S) -> S {
        self.theta_max / self.sigma
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bristle::{Dahl, Scaling};
    use crate::{Bristle, Start, law::Stribeck};

    /// 001 after (85): it is LuGre with σ₁ = σ₂ = 0, that is Dahl over the averaged curve.
    #[test]
    fn it_is_dahl_over_its_own_curve() {
        let m: Mpabm<f64> = Mpabm { sigma0: 3e5, ..Mpabm::start(()) };
        let k = m.sigma0 / m.sigma;
        let law = Stribeck { mu_d: k * 0.5, mu_s: k * 0.75, v_s: 1e-3, ..Stribeck::start(()) };
        let dahl = Dahl { scaling: Scaling::Absolute, sigma0: m.sigma0, ..Dahl::start(law) };
        for (v, z) in [(1e-4, 2e-6), (-2e-3, 5e-6), (0.1, -1e-6)] {
            let at = Drive::new(v, 1.0);
            let (mut a, mut b) = ([0.0], [0.0]);
            let forces = (m.eval(&at, &[z], &mut a), dahl.eval(&at, &[z], &mut b));
            assert!((a[0] - b[0]).abs() < 1e-15 && (forces.0 - forces.1).abs() < 1e-12);
        }
    }
}
