//! Dahl: an elastic bristle that saturates at the friction level.
//!
//! ```text
//! ż = v − σ₀|v|_ε z/μ(v)          000 (14), σ₁ = 0
//! F = N σ₀ z                      000 (13), (18)
//!
//! W       = ½ N σ₀ z²             000 (24)
//! F v − Ẇ = N σ₀² |v|_ε z²/μ ≥ 0  000 (26)
//! ```
//!
//! 000 Remark III.1: without damping FrBD and LuGre coincide and are Dahl's model. z in m, σ₀ in 1/m
//! per unit load N; under absolute scaling σ₀ is in N/m and every μ becomes μN.
use super::{Drive, Energy, Passivity, Relaxation, Relaxing, Scaling};
use crate::law::sgn_eps;
use crate::{Law, Params, relaxing};
use bristle_num::Real;

/// The simplest bristle: elastic, no damping.
///
/// Choose it when hysteresis in displacement is all you need: it is rate-independent over a
/// constant law. It is passive and its steady force is the law. It does not hold a stick: under a
/// load that pulsates below the static limit it drifts. Undamped, it rings with a mass on it.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "dahl",
    title = "elastic bristle that saturates at the friction level",
    source = "P. R. Dahl, Aerospace Corp. TOR-0158(3107-18)-1 (1968); 000 Rem. III.1",
    stick = "no: drifts under pulsating loads below the static limit",
    passive = "yes, at constant load: 000 Lemma III.2 with σ₁ = 0",
    law = "yes in steady sliding; with a lag of μ/σ₀ in travelled distance"
)]
pub struct Dahl<S, L> {
    /// what the stiffness is measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "000 (13)")]
    pub sigma0: S,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "000 (11)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

relaxing!(Dahl<S, L: Law>);

impl<S: Real, L: Law<S>> Relaxing<S> for Dahl<S, L> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let n = at.divisor();
        let s0 = self.scaling.newtons(self.sigma0, n);
        let a = s0 * at.speed(self.epsilon) / (n * self.law.level(at.v));
        Relaxation::undamped(at, a)
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, _dz: S) -> S {
        let s0 = self.scaling.newtons(self.sigma0, at.load);
        S::select(at.pressed(), s0 * z, S::from(0.0))
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let n = at.divisor();
        let s0 = self.scaling.newtons(self.sigma0, n);
        let z = sgn_eps(at.v, self.epsilon) * n * self.law.level(at.v) / s0; // 000 (21)
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, _dz: S) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let s0 = self.scaling.newtons(self.sigma0, n);
        self.relaxation(at).undamped_energy(s0, z)
    }

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always(
            "000 Lemma III.2 with σ₁ = 0, at constant load: F v − Ẇ = p σ₀²|v|z²/μ ≥ 0, (26)",
        )
    }

    fn reach(&self, v_max: S, load_max: S) -> S {
        let s0 = self.scaling.newtons(self.sigma0, load_max);
        load_max * self.law.highest(v_max) / s0
    }
}
