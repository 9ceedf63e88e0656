//! FrBD₍ₙ₊₁₎-GM: a generalised Maxwell bristle.
//!
//! ```text
//! ż  = −(|v|_ε/μ(v)) (k₀ z + Σ fᵢ) + v                             (12a)
//! ḟᵢ = −fᵢ/τᵢ + kᵢ ż                                               (12b)
//! f  = k₀ z + Σ fᵢ,   F = p f                                      (3a)
//!
//! V       = ½ p k₀ z² + ½ Σ (p/kᵢ) fᵢ²                             (17)
//! F v − V̇ = (p|v|_ε/μ) f² + Σ p/(τᵢkᵢ) fᵢ² ≥ 0                     (18)
//! ```
//!
//! Equation numbers of 003; p is our load N, z in m, kᵢ in 1/m, τᵢ in s, fᵢ per unit load. Under
//! absolute scaling the kᵢ are in N/m, the fᵢ in N, and μ becomes μN. n = 0 is Dahl; k₁ → ∞ with
//! τ₁ = σ₁/(k₀ + k₁) is FrBD₁-KV.
use super::modal::{self, roots, square};
use super::{
    Bristle, Drive, Energy, LIFT_OFF_TIME, Measure, Passivity, Scaling, Update, Variable, drag,
};
use crate::law::{abs_eps, sgn_eps};
#[cfg(feature = "alloc")]
use crate::viscoelastic::{KelvinVoigt, Maxwell, NotASolid};
use crate::{Law, List, Params, Report};
use bristle_num::{Logic, Real};

/// Rubber: an elastic bristle with any number of relaxation times in parallel.
///
/// Choose it where the force goes on relaxing after sliding sets in or stops: polymers, seals,
/// tyres. It is passive and bounded for every parameter, and its steady force is the law. Moduli
/// and times come straight from a relaxation test (a Prony series). It does not hold a stick.
/// Up to eight branches need no allocation.
#[derive(Clone, Debug, Params)]
#[params(
    name = "frbd_gm",
    title = "FrBD with a generalised Maxwell bristle, n relaxation times",
    source = "003 (3), (12), Lemmas 3.2, 3.3",
    stick = "no: creeps and relaxes under load",
    passive = "yes, at constant load, for all parameters: 003 Lemma 3.3",
    law = "yes in steady sliding, 003 (14); after all branches have relaxed",
    rules = "as many tau as k",
    check = one_time_for_each_branch
)]
pub struct FrbdGm<S: Real, L> {
    /// what the moduli are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "003 (3)")]
    pub scaling: Scaling,
    /// long-term stiffness k₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "003 (3a)")]
    pub k0: S,
    /// stiffness k_i of each branch
    #[param(list, unit = "1/m", absolute = "N/m", start = [1.0e4, 2.0e4], range = "(0, inf)",
        eq = "003 (3b)")]
    pub k: List<S>,
    /// relaxation time τ_i of each branch
    #[param(list, unit = "s", start = [0.1, 0.01], range = "(0, inf)", eq = "003 (3b)")]
    pub tau: List<S>,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "003 (7)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

fn one_time_for_each_branch<L>(p: &FrbdGm<f64, L>, report: &mut Report<'_>) {
    report.expect_count(
        p.k.len() == p.tau.len(),
        ("tau", p.tau.len()),
        "entries, not as many as k has:",
        p.k.len(),
        "every branch has one stiffness and one relaxation time",
    );
}

#[cfg(feature = "alloc")]
impl<L: Clone> FrbdGm<f64, L> {
    /// The same bristle with Kelvin-Voigt branches. Branches of equal τ become one.
    pub fn to_gkv(&self) -> Result<super::FrbdGkv<f64, L>, NotASolid> {
        let maxwell = Maxwell { k0: self.k0, k: self.k.clone(), tau: self.tau.clone() };
        let KelvinVoigt { k0, k, c } = maxwell.to_kelvin_voigt()?;
        let (scaling, epsilon, law) = (self.scaling, self.epsilon, self.law.clone());
        Ok(super::FrbdGkv { scaling, k0, k, c, epsilon, law })
    }
}

impl<S: Real, L: Law<S>> FrbdGm<S, L> {
    #[inline(always)]
    fn branches(&self) -> impl Iterator<Item = (usize, S, S)> {
        self.k.iter().zip(self.tau.iter()).enumerate().map(|(i, (k, tau))| (i + 1, *k, *tau))
    }

    /// f, 003 (3a), in the unit of its scaling.
    #[inline(always)]
    fn stress(&self, z: &[S]) -> S {
        self.branches().fold(self.k0 * z[0], |f, (i, ..)| f + z[i])
    }

    /// k₀ + Σkᵢ: the stiffness of a sudden move.
    #[inline(always)]
    fn glassy(&self) -> S {
        self.k.iter().fold(self.k0, |sum, k| sum + *k)
    }

    /// At the midpoint fᵢ = (fᵢ + (h/2)kᵢż)/(1 + h/2τᵢ), so f = α + βż with known α, β, and (12a) is one
    /// linear equation for ż.
    #[inline(always)]
    fn midpoint(&self, at: &Drive<S>, h: S, z: &mut [S]) -> S {
        let (half, r) = (h * 0.5, drag(self.scaling, &self.law, at, self.epsilon));
        let (mut alpha, mut beta) = (self.k0 * z[0], self.k0 * half);
        for (i, k, tau) in self.branches() {
            let damp = S::from(1.0) / (half / tau + 1.0);
            alpha += z[i] * damp;
            beta += half * k * damp;
        }
        let rate = (at.input() - r * alpha) / (r * beta + 1.0);
        let mean = alpha + beta * rate;
        z[0] += h * rate;
        for (i, k, tau) in self.branches() {
            let middle = (z[i] + half * k * rate) / (half / tau + 1.0);
            z[i] += h * (k * rate - middle / tau);
        }
        S::select(at.pressed(), self.scaling.newtons(mean, at.load), S::from(0.0))
    }

    /// In y₀ = √k₀ z, yᵢ = fᵢ/√kᵢ (17) is |y|²/2 and (12) reads
    /// ẏ = −(D + r w wᵀ) y + w v, D = diag(0, 1/τᵢ), w = (√k₀, √kᵢ), f = w·y.
    ///
    /// At lift-off f = w·y dies out in [`LIFT_OFF_TIME`], and what is across it, Py with
    /// P = I − w wᵀ/K, relaxes as a bristle without force does: ẏ = −(PDP + w wᵀ/(KT)) y. Both matrices
    /// are symmetric and positive semidefinite: V falls, on the ground and in the air.
    fn exponential(&self, at: &Drive<S>, h: S, z: &mut [S]) -> S {
        let (n, r, w) =
            (z.len(), drag(self.scaling, &self.law, at, self.epsilon), roots(self.k0, &self.k));
        let (on, zero, stiff) = (at.pressed(), S::from(0.0), self.glassy());
        let own = |i: usize| if i > 0 { S::from(1.0) / self.tau[i - 1] } else { zero };
        let spread = (0..n).fold(zero, |sum, i| sum + own(i) * w[i] * w[i]) / stiff;
        let s = square(n, |i, j| {
            let diagonal = if i == j { own(i) } else { zero };
            let across = spread - own(i) - own(j) + 1.0 / LIFT_OFF_TIME;
            let coupling = S::select(on, r, across / stiff);
            diagonal + coupling * w[i] * w[j]
        });
        let scale = |i: usize| if i == 0 { w[0] } else { S::from(1.0) / w[i] };
        let y: modal::Column<S> = (0..n).map(|i| z[i] * scale(i)).collect();
        let c: modal::Column<S> = w.iter().map(|w| S::select(on, *w * at.input(), zero)).collect();
        let (end, mean, _) = modal::advance(s, &y, &c, h);
        for i in 0..n {
            z[i] = end[i] / scale(i);
        }
        let f = (0..n).fold(zero, |f, i| f + w[i] * mean[i]);
        S::select(on, self.scaling.newtons(f, at.load), zero)
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for FrbdGm<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        1 + self.k.len()
    }

    fn variable(&self, i: usize) -> Variable {
        let (unit, measure) = match self.scaling {
            Scaling::Absolute => ("N", Measure::Force),
            Scaling::PerLoad => ("1", Measure::ForcePerLoad),
        };
        let branch = Variable { symbol: "f", index: Some(i), unit, measure };
        if i == 0 { Variable::DEFLECTION } else { branch }
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let (on, f, stiff) = (at.pressed(), self.stress(z), self.glassy());
        // At lift-off gᵢ = fᵢ − kᵢf/K is what relaxes: see `exponential`.
        let share = S::select(on, S::from(0.0), f / stiff);
        let mut relaxing = S::from(0.0);
        for (i, k, tau) in self.branches() {
            relaxing += (z[i] - k * share) / tau;
        }
        let free = (relaxing - f / LIFT_OFF_TIME) / stiff;
        let drag = drag(self.scaling, &self.law, at, self.epsilon);
        dz[0] = S::select(on, at.input() - drag * f, free); // (12a)
        for (i, k, tau) in self.branches() {
            dz[i] = k * dz[0] - (z[i] - k * share) / tau; // (12b)
        }
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> S {
        let force = self.scaling.newtons(self.stress(z), at.load);
        S::select(at.pressed(), force, S::from(0.0))
    }

    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let n = at.divisor();
        let zero = S::from(0.0);
        let force = sgn_eps(at.v, self.epsilon) * n * self.law.level(at.v); // (14)
        z.fill(zero); // (15)
        let stiffness = self.scaling.newtons(self.k0, n);
        z[0] = S::select(at.pressed(), force / stiffness, zero);
        S::select(at.pressed(), force, zero)
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> Energy<S> {
        let on = at.pressed();
        let n = S::select(on, at.load, S::from(0.0));
        let f = self.stress(z);
        // At lift-off the loss is yᵀ(PDP + w wᵀ/(KT))y: see `exponential`.
        let stiff = self.glassy();
        let share = S::select(on, S::from(0.0), f / stiff);
        let (mut stored, mut loss) = (self.k0 * z[0] * z[0] * 0.5, S::from(0.0));
        for (i, k, tau) in self.branches() {
            stored += z[i] * z[i] / k * 0.5; // (17)
            loss += (z[i] - k * share).sq() / (k * tau); // (18)
        }
        let drag = drag(self.scaling, &self.law, at, self.epsilon);
        let tip = S::select(on, drag, S::from(1.0 / LIFT_OFF_TIME) / stiff) * f * f;
        Energy {
            stored: self.scaling.newtons(stored, n),
            dissipated: self.scaling.newtons(tip + loss, n),
            known: S::Mask::splat(true),
        }
    }

    fn passivity(&self) -> Passivity<S> {
        Passivity::always(
            "003 Lemma 3.3, at constant load: F v − V̇ = p|v|f²/μ + Σ p fᵢ²/(τᵢkᵢ) ≥ 0, (18)",
        )
    }

    /// 003 Lemma 3.2 with its constants worked out. In the coordinates of `exponential`,
    /// |f| ≤ √K |y| and f²/ρ₂ + Σyᵢ²/(ρ₁τᵢ) ≥ λ|y|², with K = Σk, ρ₁ = v_max, ρ₂ = μ_max, so |y|
    /// falls beyond √K/λ. λ is bounded below by the least eigenvalue with all τᵢ at the longest.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        let (zero, stiff) = (S::from(0.0), self.glassy());
        let unit = self.scaling.newtons(S::from(1.0), load_max);
        let top = self.law.highest(v_max) * load_max / unit;
        let longest = self.tau.iter().fold(zero, |a, t| a.max(*t));
        let speed = abs_eps(v_max, self.epsilon);
        // λ of (w wᵀ/ρ₂ + diag(0, d)): ρ₂λ² − (ρ₂d + K)λ + k₀d = 0; k₀/ρ₂ without branches.
        let d = S::from(1.0) / (speed * longest).max(S::from(f64::MIN_POSITIVE));
        let q = top * d + stiff;
        let lambda = if self.k.is_empty() {
            self.k0 / top
        } else {
            self.k0 * d * 2.0 / (q + (q * q - top * self.k0 * d * 4.0).max(zero).sqrt())
        };
        let start = self
            .branches()
            .fold(self.k0 * z0[0] * z0[0], |sum, (i, k, _)| sum + z0[i] * z0[i] / k)
            .sqrt();
        let y = start.max(stiff.sqrt() / lambda);
        out[0] = y / self.k0.sqrt();
        for (i, k, _) in self.branches() {
            out[i] = y * k.sqrt();
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
