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
//! The mode is the tooth, `index[0]`, and the direction of sliding, by which the level jumps at v = 0.
use super::sawtooth::{Teeth, ahead};
use super::{Drive, Energy, Mode, Passivity, Relaxation, Relaxing};
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
    /// σ₀ z_ss of (65), N. Beyond its tooth, where only a trial step gets, it stays what it is at the end.
    #[inline(always)]
    fn level(&self, at: &Drive<S>) -> S {
        let level = self.teeth().level(at.x, at.mode.index[0], heading(at.mode.way));
        level.max(self.f_min).min(self.f_max)
    }

    #[inline(always)]
    fn teeth(&self) -> Teeth<S> {
        Teeth { f_min: self.f_min, f_max: self.f_max, delta: self.delta }
    }
}

/// From rest the motion begins to the right, as in (47).
#[inline(always)]
fn heading<S: Real>(way: S) -> S {
    S::select(way.lt(S::from(0.0)), S::from(-1.0), S::from(1.0))
}

relaxing!(Ffbm<S> {
    #[inline(always)]
    fn guards(&self) -> usize {
        2
    }

    /// The edge ahead, and the reversal.
    #[inline(always)]
    fn watch(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        let way = heading(at.mode.way);
        out[0] = ahead(way, self.teeth().edge(at.mode.index[0], way), at.x);
        out[1] = way * at.v;
    }

    #[inline(always)]
    fn begin(&self, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let way = heading(at.v);
        Mode { way, ..Mode::default().with(0, self.teeth().entered(at.x, way)) }
    }

    #[inline(always)]
    fn next(&self, k: usize, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        let way = heading(at.mode.way);
        match k {
            0 => at.mode.with(0, at.mode.index[0] + way),
            _ => Mode { way: -way, ..at.mode },
        }
    }

    #[inline(always)]
    fn side(&self, mode: &Mode<S>) -> S {
        mode.way
    }

    #[inline(always)]
    fn positional(&self) -> bool {
        true
    }
});

impl<S: Real> Relaxing<S> for Ffbm<S> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let a = self.sigma0 * at.speed(S::from(0.0)) / self.level(at); // (66)
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

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always("W = σ₀z²/2: F v − Ẇ = σ₀²|v|z²/F_ss ≥ 0")
    }

    fn reach(&self, _v_max: S, _load_max: S) -> S {
        self.f_max / self.sigma0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start};
    use proptest::prelude::*;

    proptest! {
        /// Followed from anywhere to anywhere, the mode is that of a body set down there.
        #[test]
        fn the_mode_followed_is_the_mode_begun(path in prop::collection::vec(-1.0f64..1.0, 1..8)) {
            let m: Ffbm<f64> = Ffbm::start(());
            let mut at = Drive::new(0.0, 1.0);
            at.mode = m.begin(&at, &[0.0]);
            for x in path {
                (at.v, at.x) = (x - at.x, x);
                at.mode = m.commit(&at, &[0.0]);
                prop_assert_eq!(at.mode, m.begin(&at, &[0.0]));
                let level = m.level(&at);
                prop_assert!(level >= m.f_min && level <= m.f_max);
            }
        }
    }
}
