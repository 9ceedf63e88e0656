//! FrBD₍ₙ₊₁₎-GKV: a generalised Kelvin-Voigt bristle.
//!
//! ```text
//! ż  = −(|v|_ε/μ(v)) k₀ (z − Σ zᵢ) + v                             (13a)
//! żᵢ = −(kᵢ/cᵢ) zᵢ + (k₀/cᵢ)(z − Σ zᵢ)                             (13b)
//! f  = k₀ z₀,   z₀ = z − Σ zᵢ,   F = p f                           (4a)
//!
//! V       = ½ p k₀ z₀² + ½ Σ p kᵢ zᵢ²                              (20)
//! F v − V̇ = (p|v|_ε/μ) f² + Σ (p/cᵢ)(kᵢzᵢ − k₀z₀)² ≥ 0             (21)
//! ```
//!
//! Equation numbers of 003; p is our load N, z and zᵢ in m, kᵢ in 1/m, cᵢ in s/m. Under absolute
//! scaling kᵢ and cᵢ are in N/m and N·s/m, f in N, and μ becomes μN. n = 0 is Dahl.
use super::modal::{self, roots, square};
use super::{Bristle, Drive, Energy, LIFT_OFF_TIME, Passivity, Scaling, Update, Variable, drag};
use crate::law::{abs_eps, sgn_eps};
#[cfg(feature = "alloc")]
use crate::viscoelastic::{KelvinVoigt, Maxwell, NotASolid};
use crate::{Law, List, Params, Report};
use bristle_num::{Logic, Real};

/// The same rubber as `frbd_gm`, described by its creep instead of its relaxation.
///
/// Choose it when compliances and retardation times are what you measured; interconverted, it and
/// `frbd_gm` give the same force. It is passive and bounded for every parameter and its steady
/// force is the law. It does not hold a stick. Up to eight branches need no allocation.
#[derive(Clone, Debug, Params)]
#[params(
    name = "frbd_gkv",
    title = "FrBD with a generalised Kelvin-Voigt bristle, n retardation times",
    source = "003 (4), (13), Lemmas 3.2, 3.3",
    stick = "no: creeps under load",
    passive = "yes, at constant load, for all parameters: 003 Lemma 3.3",
    law = "yes in steady sliding, 003 (14); after all branches have crept",
    rules = "as many c as k",
    check = one_damping_for_each_branch
)]
pub struct FrbdGkv<S: Real, L> {
    /// what the moduli are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "003 (4)")]
    pub scaling: Scaling,
    /// instantaneous stiffness k₀
    #[param(unit = "1/m", absolute = "N/m", start = 4.0e4, range = "(0, inf)", eq = "003 (4a)")]
    pub k0: S,
    /// stiffness k_i of each branch
    #[param(list, unit = "1/m", absolute = "N/m", start = [2.0e4, 6.0e4], range = "(0, inf)",
        eq = "003 (4b)")]
    pub k: List<S>,
    /// damping c_i of each branch
    #[param(list, unit = "s/m", absolute = "N*s/m", start = [4.0e3, 1.0e3], range = "(0, inf)",
        eq = "003 (4b)")]
    pub c: List<S>,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "003 (7)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

fn one_damping_for_each_branch<L>(p: &FrbdGkv<f64, L>, report: &mut Report<'_>) {
    report.expect_count(
        p.k.len() == p.c.len(),
        ("c", p.c.len()),
        "entries, not as many as k has:",
        p.k.len(),
        "every branch has one stiffness and one damping",
    );
}

#[cfg(feature = "alloc")]
impl<L: Clone> FrbdGkv<f64, L> {
    /// The same bristle with Maxwell branches. Branches of equal c/k become one.
    pub fn to_gm(&self) -> Result<super::FrbdGm<f64, L>, NotASolid> {
        let creep = KelvinVoigt { k0: self.k0, k: self.k.clone(), c: self.c.clone() };
        let Maxwell { k0, k, tau } = creep.to_maxwell()?;
        let (scaling, epsilon, law) = (self.scaling, self.epsilon, self.law.clone());
        Ok(super::FrbdGm { scaling, k0, k, tau, epsilon, law })
    }
}

impl<S: Real, L: Law<S>> FrbdGkv<S, L> {
    #[inline(always)]
    fn branches(&self) -> impl Iterator<Item = (usize, S, S)> {
        self.k.iter().zip(self.c.iter()).enumerate().map(|(i, (k, c))| (i + 1, *k, *c))
    }

    /// z₀ = z − Σzᵢ, the deflection of the free spring.
    #[inline(always)]
    fn spring(&self, z: &[S]) -> S {
        self.branches().fold(z[0], |z0, (i, ..)| z0 - z[i])
    }

    #[inline(always)]
    fn midpoint(&self, at: &Drive<S>, h: S, z: &mut [S]) -> S {
        let (half, r) = (h * 0.5, drag(self.scaling, &self.law, at, self.epsilon));
        // At the midpoint zᵢ = (zᵢ + (h/2cᵢ)f)/(1 + hkᵢ/2cᵢ) = pᵢ + qᵢf, and with (13a) one linear
        // equation for f remains.
        let (mut p, mut q) = (S::from(0.0), S::from(0.0));
        for (i, k, c) in self.branches() {
            let damp = S::from(1.0) / (half * k / c + 1.0);
            p += z[i] * damp;
            q += half / c * damp;
        }
        let f = self.k0 * (z[0] + half * at.input() - p) / (self.k0 * (half * r + q) + 1.0);
        // z at the midpoint from its parts, not from v − rf: over a long step that is a small
        // difference of equal numbers.
        let mut middle = f / self.k0;
        for (i, k, c) in self.branches() {
            let part = (z[i] + half / c * f) / (half * k / c + 1.0);
            middle += part;
            z[i] = part * 2.0 - z[i];
        }
        z[0] = middle * 2.0 - z[0];
        S::select(at.pressed(), self.scaling.newtons(f, at.load), S::from(0.0))
    }

    /// In y₀ = √k₀ z₀, yᵢ = √kᵢ zᵢ (20) is |y|²/2 and (13) reads ẏ = −S y + e₀√k₀ v with
    /// S₀₀ = rk₀ + Σk₀/cᵢ, Sᵢᵢ = kᵢ/cᵢ, S₀ᵢ = −√(k₀kᵢ)/cᵢ.
    ///
    /// At lift-off the spring z₀ dies out in [`LIFT_OFF_TIME`] and the others creep back without force:
    /// S = diag(1/T, kᵢ/cᵢ). V falls, on the ground and in the air.
    fn exponential(&self, at: &Drive<S>, h: S, z: &mut [S]) -> S {
        let (n, r, w) =
            (z.len(), drag(self.scaling, &self.law, at, self.epsilon), roots(self.k0, &self.k));
        let corner = self.branches().fold(r * self.k0, |sum, (_, _, c)| sum + self.k0 / c);
        let (on, zero) = (at.pressed(), S::from(0.0));
        let s = square(n, |i, j| match (i, j) {
            (0, 0) => S::select(on, corner, S::from(1.0 / LIFT_OFF_TIME)),
            (0, i) | (i, 0) => S::select(on, -w[0] * w[i] / self.c[i - 1], zero),
            (i, j) if i == j => self.k[i - 1] / self.c[i - 1],
            _ => zero,
        });
        let spring = self.spring(z);
        let y: modal::Column<S> =
            (0..n).map(|i| w[i] * if i == 0 { spring } else { z[i] }).collect();
        let input = |i| if i == 0 { S::select(on, w[0] * at.input(), zero) } else { zero };
        let c: modal::Column<S> = (0..n).map(input).collect();
        let (end, mean, _) = modal::advance(s, &y, &c, h);
        z[0] = end[0] / w[0];
        for i in 1..n {
            z[i] = end[i] / w[i];
            z[0] += z[i];
        }
        S::select(on, self.scaling.newtons(w[0] * mean[0], at.load), zero)
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for FrbdGkv<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.k.len()
    }

    fn variable(&self, i: usize) -> Variable {
        let branch = Variable { index: Some(i), ..Variable::DEFLECTION };
        if i == 0 { Variable::DEFLECTION } else { branch }
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let (on, spring) = (at.pressed(), self.spring(z));
        let f = self.k0 * spring;
        let push = S::select(on, f, S::from(0.0));
        let mut flow = S::from(0.0);
        for (i, k, c) in self.branches() {
            dz[i] = (push - k * z[i]) / c; // (13b)
            flow += dz[i];
        }
        let free = flow - spring / LIFT_OFF_TIME;
        let drag = drag(self.scaling, &self.law, at, self.epsilon);
        dz[0] = S::select(on, at.input() - drag * f, free); // (13a)
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> S {
        let force = self.scaling.newtons(self.k0 * self.spring(z), at.load); // (4a)
        S::select(at.pressed(), force, S::from(0.0))
    }

    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let n = at.divisor();
        let zero = S::from(0.0);
        let force = sgn_eps(at.v, self.epsilon) * n * self.law.level(at.v); // (14)
        let force = S::select(at.pressed(), force, zero);
        let f = force / self.scaling.newtons(S::from(1.0), n);
        z[0] = f / self.k0;
        for (i, k, _) in self.branches() {
            z[i] = f / k; // (16)
            z[0] += z[i];
        }
        force
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> Energy<S> {
        let on = at.pressed();
        let n = S::select(on, at.load, S::from(0.0));
        let spring = self.spring(z);
        let f = self.k0 * spring;
        let push = S::select(on, f, S::from(0.0));
        let (mut stored, mut loss) = (f * spring * 0.5, S::from(0.0));
        for (i, k, c) in self.branches() {
            stored += k * z[i] * z[i] * 0.5; // (20)
            loss += (k * z[i] - push).sq() / c; // (21); at lift-off without f
        }
        let drag = drag(self.scaling, &self.law, at, self.epsilon);
        let tip = S::select(on, drag * f, spring / LIFT_OFF_TIME) * f;
        Energy {
            stored: self.scaling.newtons(stored, n),
            dissipated: self.scaling.newtons(tip + loss, n),
            known: S::Mask::splat(true),
        }
    }

    fn passivity(&self) -> Passivity<S> {
        Passivity::always(
            "003 Lemma 3.3, at constant load: F v − V̇ = p|v|f²/μ + Σ p(kᵢzᵢ − k₀z₀)²/cᵢ ≥ 0, (21)",
        )
    }

    /// 003 Lemma 3.2 with its constants worked out. In the coordinates of `exponential`,
    /// |f| ≤ √k₀ |y|, and with eᵢ = kᵢzᵢ − f one has |y|² ≤ f²(1/k₀ + 2Σ1/kᵢ) + Σ2eᵢ²/kᵢ, so
    /// f²/ρ₂ + Σeᵢ²/(ρ₁cᵢ) ≥ λ|y|² with the λ below, and |y| falls beyond √k₀/λ.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        let unit = self.scaling.newtons(S::from(1.0), load_max);
        let top = self.law.highest(v_max) * load_max / unit;
        let speed = abs_eps(v_max, self.epsilon).max(S::from(f64::MIN_POSITIVE));
        let soft =
            self.branches().fold(S::from(1.0) / self.k0, |a, (_, k, _)| a + S::from(2.0) / k);
        let lambda = self
            .branches()
            .fold(S::from(1.0) / (top * soft), |a, (_, k, c)| a.min(k / (speed * c * 2.0)));
        let spring = self.spring(z0);
        let start = self
            .branches()
            .fold(self.k0 * spring * spring, |sum, (i, k, _)| sum + k * z0[i] * z0[i])
            .sqrt();
        let y = start.max(self.k0.sqrt() / lambda);
        out[0] = y / self.k0.sqrt();
        for (i, k, _) in self.branches() {
            out[i] = y / k.sqrt();
            out[0] += out[i];
        }
    }

    #[inline(always)]
    fn guards(&self) -> usize {
        1
    }

    #[inline(always)]
    fn kinks(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        out[0] = at.v;
    }

    #[inline(always)]
    fn side(&self, mode: &super::Mode<S>) -> S {
        mode.index[0]
    }

    /// A bristle that is off the ground takes the exact update in both cases.
    #[inline(always)]
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        modal::step_by_contact(
            how,
            at,
            z,
            #[inline(always)]
            |z| self.midpoint(at, h, z),
            |z| self.exponential(at, h, z),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bristle::FrbdGm;
    use crate::{Start, law::Stribeck};

    /// Interconverted, both forms are one model: 003 after (4).
    #[test]
    fn maxwell_and_kelvin_voigt_give_the_same_force() {
        let mut gm: FrbdGm<f64, Stribeck<f64>> = FrbdGm::start(Stribeck::start(()));
        gm.k = [1e4, 2e4, 3e4].into_iter().collect();
        gm.tau = [1.0, 0.1, 0.01].into_iter().collect();
        let gkv = gm.to_gkv().unwrap();
        let back = gkv.to_gm().unwrap();
        assert!(back.k.iter().zip(gm.k.iter()).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
        let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
        for step in 0..2000 {
            let v = 0.02 * (0.031 * f64::from(step)).sin();
            let at = Drive::new(v, 3.0);
            let forces = (
                gm.step(Update::Exponential, &at, 1e-3, &mut a).unwrap(),
                gkv.step(Update::Exponential, &at, 1e-3, &mut b).unwrap(),
            );
            assert!((forces.0 - forces.1).abs() < 1e-11, "{step}: {forces:?}");
            assert!((a[0] - b[0]).abs() < 1e-15, "{step}: {} {}", a[0], b[0]);
        }
    }
}
