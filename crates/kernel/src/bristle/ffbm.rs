//! FFBM: the friction-force-based single-state model.
//!
//! ```text
//! ż = v − σ₀|v| z/F_ss(x)                                           (66)
//! F_ss = F_min + (F_max − F_min)/Δ · mod(sign(v) x, Δ)              (65)
//! F = σ₀ z                                                          (67)
//!
//! W = ½ σ₀z²,   F v − Ẇ = σ₀²|v| z²/F_ss ≥ 0
//! ```
//!
//! Equation numbers of 001: a Dahl bristle whose level is the sawtooth (50). z is in m and σ₀ in N/m.
use super::sawtooth::Teeth;
use super::{Drive, Energy, Memory, Passivity, Relaxation, Relaxing};
use crate::{Params, Report, relaxing};
use bristle_num::Real;

/// The sawtooth as a smooth model: one elastic bristle that tends to it.
///
/// Choose it instead of `sawtooth` where an ordinary solver must do: no set-valued force, and with
/// a large σ₀ the same equilibria and hysteresis. It is passive. Sticks are elastic and, as for
/// Dahl, creep under pulsating loads. The load enters only as contact or lift-off.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "ffbm",
    title = "friction-force-based model: a Dahl bristle over the sawtooth",
    source = "001 §4.2, (65)-(67)",
    stick = "no: elastic, creeps under pulsating loads",
    passive = "yes: W = σ₀z²/2",
    law = "has none: tends to the sawtooth of position",
    rules = "f_max at least f_min",
    check = least_below_greatest
)]
pub struct Ffbm<S> {
    /// bristle stiffness σ₀
    #[param(unit = "N/m", start = 1.0e5, range = "(0, inf)", eq = "001 (66)")]
    pub sigma0: S,
    /// least friction force F_min
    #[param(unit = "N", start = 1.0, range = "(0, inf)", eq = "001 (65)")]
    pub f_min: S,
    /// greatest friction force F_max
    #[param(unit = "N", start = 1.5, range = "(0, inf)", eq = "001 (65)")]
    pub f_max: S,
    /// tooth width Δ, the distance between bristles
    #[param(unit = "m", start = 0.05, range = "(0, inf)", eq = "001 (65)")]
    pub delta: S,
}

fn least_below_greatest(p: &Ffbm<f64>, report: &mut Report<'_>) {
    report.expect_at_least(
        ("f_max", p.f_max),
        "must be at least f_min =",
        p.f_min,
        "a tooth rises; swap the two",
    );
}

impl<S: Real> Ffbm<S> {
    /// σ₀ z_ss of (65), N.
    #[inline(always)]
    fn level(&self, at: &Drive<S>) -> S {
        // From rest the motion begins to the right, as in (47).
        let right = at.v.ge(S::from(0.0));
        self.teeth().level(at, S::select(right, S::from(1.0), S::from(-1.0)))
    }

    #[inline(always)]
    fn teeth(&self) -> Teeth<S> {
        Teeth { f_min: self.f_min, f_max: self.f_max, delta: self.delta }
    }
}

relaxing!(Ffbm<S>);

impl<S: Real> Relaxing<S> for Ffbm<S> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let a = self.sigma0 * at.v.abs() / self.level(at); // (66)
        Relaxation::undamped(at, a)
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, _dz: S) -> S {
        S::select(at.pressed(), self.sigma0 * z, S::from(0.0)) // (67)
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let z = at.v.sign() * self.level(at) / self.sigma0;
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, _dz: S) -> Energy<S> {
        self.relaxation(at).undamped_energy(self.sigma0, z)
    }

    #[inline(always)]
    fn edge(&self, at: &Drive<S>) -> S {
        self.teeth().edge(at)
    }

    #[inline(always)]
    fn committed(&self, at: &Drive<S>) -> Memory<S> {
        self.teeth().commit(at)
    }

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always("W = σ₀z²/2: F v − Ẇ = σ₀²|v|z²/F_ss ≥ 0")
    }

    fn reach(&self, _v_max: S, _load_max: S) -> S {
        self.f_max / self.sigma0
    }
}
