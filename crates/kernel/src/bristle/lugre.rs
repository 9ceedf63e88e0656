//! LuGre: a bristle with micro-damping, over a velocity-dependent friction level.
//!
//! ```text
//! ż = v − σ₀|v| z/(μ(|v|) F_N)           (17)
//! F = σ₀ z + σ₁ ż + ν F_N v              (15)
//!
//! F v − Ẇ = σ₀a z² − σ₁a z v + (σ₁ + σ₂) v²,   W = ½ σ₀z²,  a = σ₀|v|/(μF_N),  σ₂ = νF_N
//! ```
//!
//! Equation numbers of 002; σ₀ in N/m, σ₁ in N·s/m. 001 (61)-(63) is the same with z_ss = μF_N/σ₀, and
//! 000 uses it with σ₀ in 1/m, σ₁ in s/m per unit load. Two options:
//!
//! - the viscous part stands in the force, as printed, or in μ, as 002 recommends;
//! - σ₁ is constant, or decays with speed as in listing 5, case 5: σ₁ exp(−(|v|/v_A)^α).
//!
//! The dissipation can be negative. It cannot if σ₂ ≥ σ₁(μ_max/μ_min − 1) and z starts inside its bound
//! (N. Barabanov, R. Ortega, IEEE Trans. Autom. Control 45, 2000, 830-832), or if σ₁(v)|v| ≤ 4μ(v)F_N
//! at all speeds, when the form above has no negative value.
use super::{Drive, Energy, Passivity, Relaxation, Relaxing, Scaling, by_contact, free_rate};
use crate::law::sgn_eps;
use crate::{Law, Params, Report, choice, relaxing};
use bristle_num::Real;

choice! {
    /// Where the viscous part ν of the law acts.
    Viscous {
        /// added to the force, outside the bristle: 002 (15)
        Force = "force",
        /// inside μ, as in 002 (4)
        Law = "law",
    }
}

choice! {
    /// Whether σ₁ depends on speed.
    Damping {
        /// the same at every speed
        Constant = "constant",
        /// times the law's Stribeck factor: 002 listing 5, case 5
        Decaying = "decaying",
    }
}

/// The model of the literature; kept to compare with, and because it is in use.
///
/// Choose it to reproduce published results. Its break-away force falls with the rate of loading,
/// it drifts under loads below the static limit, it departs from the law it is given whenever
/// speed changes, and with damping it is passive only under a condition. Its rate grows without
/// bound with speed. `frbd` costs the same and has neither of the last two faults.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "lugre",
    title = "LuGre, with the viscous part in the force or in the law",
    source = "002 §2.3, (15)-(17), listing 5; 001 (61)-(63); doi:10.1109/MCS.2008.929425",
    stick = "no: drifts and slips under pulsating loads below the static limit (002 §4.3)",
    passive = "only for sigma1 = 0 or under its condition; otherwise no storage function is known",
    law = "in steady sliding only; far from it when speed changes (002 Fig. 8, 11)",
    rules = "damping = decaying needs law.model = stribeck",
    check = decay_needs_a_stribeck_law,
    over = Law
)]
pub struct LuGre<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "002 (17)")]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(unit = "s/m", absolute = "N*s/m", start = 64.5, range = "[0, inf)", eq = "002 (15)")]
    pub sigma1: S,
    /// where the law's viscous part acts
    #[param(choice, start = Viscous::Force, eq = "002 (15), (4)")]
    pub viscous: Viscous,
    /// whether σ₁ depends on speed
    #[param(choice, start = Damping::Constant, eq = "002 listing 5")]
    pub damping: Damping,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "000 (11)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

fn decay_needs_a_stribeck_law<L: Law<f64>>(p: &LuGre<f64, L>, report: &mut Report<'_>) {
    report.expect(
        p.damping == Damping::Constant || p.law.decay(0.0).is_some(),
        ("sigma1", None, p.sigma1),
        "cannot decay: Stribeck factors in the law:",
        0.0,
        "set law.model = \"stribeck\" or damping = \"constant\"",
    );
}

impl<S: Real, L: Law<S>> LuGre<S, L> {
    /// σ₁ at this speed, in newtons under load `n`.
    #[inline(always)]
    fn damping(&self, v: S, n: S) -> S {
        let s1 = self.scaling.newtons(self.sigma1, n);
        match self.damping {
            Damping::Constant => s1,
            Damping::Decaying => self.law.decay(v).map_or(s1, |e| s1 * e),
        }
    }

    /// The friction level that the bristle tends to, per unit load.
    #[inline(always)]
    fn level(&self, v: S) -> S {
        match self.viscous {
            Viscous::Force => self.law.dry(v),
            Viscous::Law => self.law.level(v),
        }
    }

    /// Whether the condition that holds, if any, covers this deflection: that on ν asks for
    /// |σ₀z| ≤ μ_max N.
    #[inline(always)]
    fn inside(&self, at: &Drive<S>, z: S) -> S::Mask {
        let n = at.divisor();
        let limit = n * self.law.bounds()[1] * (1.0 + 1e-12);
        let reached = (self.scaling.newtons(self.sigma0, n) * z).abs().le(limit);
        let definite = self.definite().ge(S::from(0.0)) | self.sigma1.le(S::from(0.0));
        reached | definite | !at.pressed()
    }

    /// By how much σ₁(v)|v| ≤ 4μ(v) holds at all speeds; −∞ where it does not or depends on the load.
    #[inline(always)]
    fn definite(&self) -> S {
        let never = S::from(f64::NEG_INFINITY);
        match (self.scaling, self.damping, self.viscous) {
            (Scaling::Absolute, ..) => never,
            (_, Damping::Decaying, _) => {
                self.law.bounds()[0] * 4.0 - self.sigma1 * self.law.decay_reach()
            }
            (_, _, Viscous::Law) => self.law.viscous() * 4.0 - self.sigma1,
            (_, _, Viscous::Force) => never,
        }
    }

    /// The viscous coefficient outside the bristle, per unit load.
    #[inline(always)]
    fn outside(&self) -> S {
        match self.viscous {
            Viscous::Force => self.law.viscous(),
            Viscous::Law => S::from(0.0),
        }
    }
}

relaxing!(LuGre<S, L: Law>);

impl<S: Real, L: Law<S>> Relaxing<S> for LuGre<S, L> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let n = at.divisor();
        let s0 = self.scaling.newtons(self.sigma0, n);
        let a = s0 * at.speed(self.epsilon) / (n * self.level(at.v)); // (17)
        let free = || free_rate(s0, self.scaling.newtons(self.sigma1, n));
        let on = at.pressed();
        Relaxation { a: by_contact(on, a, free), b: S::select(on, at.input(), S::from(0.0)) }
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, dz: S) -> S {
        let n = at.load;
        let s0 = self.scaling.newtons(self.sigma0, n);
        let force = s0 * z + self.damping(at.v, n) * dz + self.outside() * n * at.v; // (15)
        S::select(at.pressed(), force, S::from(0.0))
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let n = at.divisor();
        let s0 = self.scaling.newtons(self.sigma0, n);
        let z = sgn_eps(at.v, self.epsilon) * n * self.level(at.v) / s0;
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, dz: S) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let (s0, s1) = (self.scaling.newtons(self.sigma0, n), self.damping(at.v, n));
        let Relaxation { a, b } = self.relaxation(at);
        let s2 = self.outside() * n;
        // The form above with ż put back for v − az, which does not cancel. b is v in contact and 0
        // at lift-off, where the damper works on the bristle alone.
        Energy {
            stored: s0 * z * z * 0.5,
            dissipated: s0 * a * z * z + s1 * dz * b + s2 * b * b,
            known: self.passivity_of().known & self.inside(at, z),
        }
    }

    fn passivity_of(&self) -> Passivity<S> {
        // Under absolute scaling the second condition holds μN against σ₁ and depends on the
        // load; it is then left to an audit at a given load.
        let [lo, hi] = self.law.bounds();
        let (s1, s2, zero) = (self.sigma1, self.outside(), S::from(0.0));
        let bounded = s2 - s1 * (hi / lo - 1.0);
        let definite = self.definite();
        let bounded = match (self.scaling, self.viscous) {
            (Scaling::PerLoad, Viscous::Force) => bounded,
            _ => S::from(f64::NEG_INFINITY),
        };
        let margin = bounded.max(definite);
        let undamped = s1.le(zero);
        // A regularised |v|_ε exceeds |v| near rest, where neither condition allows for it.
        let sharp = self.epsilon.le(zero);
        Passivity {
            known: undamped | (sharp & margin.ge(zero)),
            margin: S::select(undamped, S::from(f64::INFINITY), margin),
            why: "ν ≥ σ₁(μ_max/μ_min − 1) with z inside its bound, or σ₁(v)|v| ≤ 4μ(v) at all \
                  speeds; otherwise no storage function is known",
        }
    }

    fn reach(&self, v_max: S, load_max: S) -> S {
        let level = match self.viscous {
            Viscous::Force => self.law.bounds()[1],
            Viscous::Law => self.law.highest(v_max),
        };
        load_max * level / self.scaling.newtons(self.sigma0, load_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, Start, Update, law::Stribeck};

    fn lugre() -> LuGre<f64, Stribeck<f64>> {
        LuGre::start(Stribeck { viscous: 0.04, ..Stribeck::start(()) })
    }

    /// 002 listing 5, types 2 and 5, transcribed.
    #[test]
    fn both_dampings_are_those_of_the_listing() {
        let law = Stribeck {
            mu_d: 0.3,
            mu_s: 0.6,
            v_s: 0.01,
            exponent: 1.0,
            viscous: 0.02,
            ..Stribeck::start(())
        };
        for (damping, v, z) in [(Damping::Constant, 0.003, 1e-5), (Damping::Decaying, -0.012, 7e-5)]
        {
            let m = LuGre {
                scaling: Scaling::Absolute,
                sigma0: 3.9e4,
                sigma1: 395.0,
                damping,
                ..LuGre::start(law)
            };
            let (n, mu) = (9.81, 0.3 + 0.3 * (-v.abs() / 0.01f64).exp());
            let zdot = v - v.abs() * (3.9e4 * z / (mu * n));
            let s1 = match damping {
                Damping::Constant => 395.0,
                Damping::Decaying => 395.0 * (-v.abs() / 0.01f64).exp(),
            };
            let fr = 3.9e4 * z + s1 * zdot + 0.02 * n * v;
            let mut dz = [0.0];
            let force = m.eval(&Drive::new(v, n), &[z], &mut dz);
            assert!((dz[0] - zdot).abs() < 1e-15 && (force - fr).abs() < 1e-13);
        }
    }

    /// Without damping LuGre is Dahl; with it, no storage function is known at Table II of 000.
    #[test]
    fn the_passivity_claim_follows_its_condition() {
        assert!(!lugre().passivity().known);
        assert!(LuGre { sigma1: 0.0, ..lugre() }.passivity().known);
        let mut viscous = lugre();
        viscous.law.viscous = 64.5 * 0.5;
        assert!(viscous.passivity().known && viscous.passivity().margin.abs() < 1e-12);
        viscous.law.viscous *= 0.999;
        assert!(!viscous.passivity().known);
        let decaying = LuGre { damping: Damping::Decaying, ..lugre() };
        assert!(decaying.passivity().known, "64.5 · 0.01/√(2e) < 4");
    }

    /// The counter-example: from rest, pulled slowly to the static limit and then suddenly fast, the
    /// bristle snaps back, its damper pushes the body on, and more work comes out than ever went in.
    #[test]
    fn with_damping_it_creates_energy() {
        let m: LuGre<f64, Stribeck<f64>> = LuGre::start(Stribeck::start(()));
        let mut z = [0.0];
        let mut work = 0.0;
        for (v, time) in [(5e-4, 2.0), (1.0, 3e-4)] {
            let force = m.step(Update::Exponential, &Drive::new(v, 1.0), time, &mut z).unwrap();
            work += force * v * time;
        }
        assert!(work < -1e-3, "{work} J");
        assert!(!m.passivity().known);
        let at = Drive::new(1.0, 1.0);
        let mut dz = [0.0];
        m.rate(&at, &[1.4e-4], &mut dz);
        let energy = m.energy(&at, &[1.4e-4], &dz);
        assert!(!energy.known && energy.dissipated < 0.0);
    }

    /// The condition on ν covers only deflections inside the bound.
    #[test]
    fn beyond_its_bound_the_claim_is_not_made() {
        let mut m = lugre();
        m.law.viscous = 32.25;
        let at = Drive::new(1.0, 1.0);
        let known = |z: f64| m.energy(&at, &[z], &[m.relaxation(&at).rate(z)]).known;
        assert!(m.passivity().known && known(1.4e-4) && !known(4.5e-4));
    }
}
