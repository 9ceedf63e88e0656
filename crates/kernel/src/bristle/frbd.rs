//! FrBD₁-KV: friction with bristle dynamics, one Kelvin-Voigt bristle.
//!
//! ```text
//! ż = −σ₀|v|_ε z/g(v) + μ(v) v/g(v)               (14a)
//! g(v) = σ₁|v|_ε + μ(v)                           (15)
//! F = p (σ₀ z + σ₁ ż)                             (16), (18)
//!
//! W       = ½ p σ₀ z²                             (24)
//! F v − Ẇ = p σ₀² |v|_ε z²/g + p σ₁ μ v²/g ≥ 0    (26)
//! ```
//!
//! Equation numbers of 000; p is our load N, z in m, σ₀ in 1/m, σ₁ in s/m. Under absolute scaling σ₀
//! and σ₁ are in N/m and N·s/m and every μ becomes μN: that is the modified LuGre model (18)-(20) of
//! 002. Computed in newtons, which serves both.
use super::{Drive, Energy, Passivity, Relaxation, Relaxing, Scaling, by_contact, free_rate};
use crate::law::sgn_eps;
use crate::{Law, Params, relaxing};
use bristle_num::{Logic, Real};

/// The bristle that LuGre approximates: passive for every parameter.
///
/// Choose it as the default in control, observers and real time: rates stay bounded at any speed
/// (000 Rem. III.3), it is passive whatever its damping, and it costs what LuGre costs. Its steady
/// force is the law exactly. It does not hold a stick: like LuGre it creeps under pulsating loads
/// below the static limit. For parts that must stay put use `implicit` or `bristle2`.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "frbd",
    title = "friction with bristle dynamics, one Kelvin-Voigt bristle (FrBD1-KV)",
    source = "000 §III, (13)-(18); 002 (18)-(20)",
    stick = "no: creeps under pulsating loads below the static limit",
    passive = "yes, at constant load, for all parameters: 000 Lemma III.2",
    law = "yes in steady sliding, 000 (22); with a lag of about μ/σ₀ in travelled distance"
)]
pub struct Frbd<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "000 (13)")]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(unit = "s/m", absolute = "N*s/m", start = 64.5, range = "[0, inf)", eq = "000 (13)")]
    pub sigma1: S,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "000 (11)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

impl<S: Real, L: Law<S>> Frbd<S, L> {
    /// σ₀ and σ₁ in newtons per metre and metre per second, under load `n`.
    #[inline(always)]
    fn bristle(&self, n: S) -> (S, S) {
        (self.scaling.newtons(self.sigma0, n), self.scaling.newtons(self.sigma1, n))
    }
}

relaxing!(Frbd<S, L: Law>);

impl<S: Real, L: Law<S>> Relaxing<S> for Frbd<S, L> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let speed = at.speed(self.epsilon);
        let level = n * self.law.level(at.v);
        let g = S::from(1.0) / (s1 * speed + level); // 1/(15)
        let on = at.pressed();
        Relaxation {
            a: by_contact(on, s0 * speed * g, || free_rate(s0, s1)), // (14a)
            b: S::select(on, level * g * at.input(), S::from(0.0)),
        }
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, dz: S) -> S {
        let (s0, s1) = self.bristle(at.load);
        S::select(at.pressed(), s0 * z + s1 * dz, S::from(0.0)) // (16), (18)
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let n = at.divisor();
        let z = sgn_eps(at.v, self.epsilon) * n * self.law.level(at.v) / self.bristle(n).0; // (21)
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, _dz: S) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let Relaxation { a, b } = self.relaxation(at);
        Energy {
            stored: s0 * z * z * 0.5,                   // (24)
            dissipated: s0 * a * z * z + s1 * b * at.v, // (26)
            known: S::Mask::splat(true),
        }
    }

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always(
            "000 Lemma III.2, at constant load: F v − Ẇ = p σ₀²|v|z²/g + p σ₁μv²/g ≥ 0, (26)",
        )
    }

    fn reach(&self, v_max: S, load_max: S) -> S {
        load_max * self.law.highest(v_max) / self.bristle(load_max).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start, law::Stribeck, validate};
    use std::string::ToString;

    fn frbd() -> Frbd<f64, Stribeck<f64>> {
        Frbd::start(Stribeck { viscous: 0.04, ..Stribeck::start(()) })
    }

    /// 002 (18)-(20), written as printed, is the same model under absolute scaling.
    #[test]
    fn absolute_scaling_is_the_modified_lugre_model() {
        let (n, v, z) = (9.81, -0.004, 3e-5);
        let m = Frbd { scaling: Scaling::Absolute, sigma0: 3.9e4, sigma1: 395.0, ..frbd() };
        let mu = m.law.level(v);
        let printed = (v * mu * n - v.abs() * m.sigma0 * z) / (mu * n + v.abs() * m.sigma1);
        let mut dz = [0.0];
        let force = m.eval(&Drive::new(v, n), &[z], &mut dz);
        assert!((dz[0] - printed).abs() < 1e-15);
        assert!((force - (m.sigma0 * z + m.sigma1 * printed)).abs() < 1e-13);
    }

    /// 000 Rem. III.3: with μ bounded below, the relaxation rate is below σ₀/σ₁ at any speed.
    #[test]
    fn the_rate_stays_bounded_at_any_speed() {
        let m = frbd();
        for v in [1e-6, 1.0, 1e6, 1e12] {
            assert!(m.relaxation(&Drive::new(v, 1.0)).a <= m.sigma0 / m.sigma1);
        }
    }

    #[test]
    fn an_undeflected_bristle_starts_as_a_dashpot() {
        let m = frbd();
        let mut dz = [0.0];
        let v = 1e-9;
        let force = m.eval(&Drive::new(v, 2.0), &[0.0], &mut dz);
        assert!((force / (2.0 * m.sigma1 * v) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_negative_stiffness_is_refused_by_name_value_unit_and_range() {
        let wrong = Frbd { sigma0: -1.0, scaling: Scaling::Absolute, ..frbd() };
        assert_eq!(
            validate(&wrong).unwrap_err().to_string(),
            "frbd: sigma0 = -1 N/m is outside (0, inf) (bristle stiffness σ₀, eq. 000 (13))"
        );
    }
}
