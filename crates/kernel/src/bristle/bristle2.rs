//! The second-order bristle model with asymmetric regularisation.
//!
//! ```text
//! m_b z̈ = F_R(v − ż) − (σ₀ z + σ₁ ż)                               (23)
//! m_b = σ₁²/(4σ₀)                                                  (24)
//! F₀ = σ₀ z + σ₁ v                                                 (25)
//! Δv_S = sgn(F₀) v_r (1 − √(1 − |F₀|/F_s)),  v_r if |F₀| > F_s     (22)
//!
//! W = ½ σ₀z² + ½ m_b ż²,   F v − Ẇ = σ₁ż² + F_R v_S
//! ```
//!
//! Equation numbers of 002; z in m, σ₀ in N/m, σ₁ in N·s/m, or 1/m and s/m per unit load. F_R is the
//! parabolic regularisation (21) at v_S + Δv_S: shifted so that it passes, at zero sliding, through the
//! force F₀ that holds the stick. The shift is added to v_S, and the body feels F_R, as in listings 2
//! to 4 (the text says F_B). The square root has an infinite slope at |F₀| = F_s: the force has a cusp.
//!
//! Inside the band, |v_S| < v_r, the shifted force can have the sign opposite to v_S: slip work is then
//! negative. Small strokes just below the static limit take energy out: the model is not passive.
use super::root::Balance;
use super::static_friction::regularised;
use super::{
    Bristle, Drive, Energy, Free, Measure, Mode, Passivity, Scaling, Update, Variable, free_rate,
};
use crate::{Law, Params};
use bristle_num::{Logic, Real};
use core::f64::consts::E;

/// A bristle with a small mass: it keeps a stick without a root to solve.
///
/// Choose it in multibody programs that take only continuous right-hand sides: it holds a stick to
/// within its regularisation (it creeps back by parts of a micrometre), breaks away at the static
/// force at any rate of loading, and follows its law to within v_r. The price is a second state, a
/// stiff one, and slip work that can be negative inside the band: it is not passive.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "bristle2",
    title = "second-order bristle with asymmetric regularisation",
    source = "002 §3.1-3.2, (21)-(25), listings 3, 4",
    stick = "yes, to within its regularisation: creeps back by less than a micrometre per pulse",
    passive = "no: gives out a little energy inside its band |v_S| < v_r, where slip work can be negative",
    law = "to within v_r in speed; exactly where μN + σ₁|v| ≥ μ_s N"
)]
pub struct Bristle2<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "002 (23)")]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(unit = "s/m", absolute = "N*s/m", start = 64.5, range = "(0, inf)", eq = "002 (23)")]
    pub sigma1: S,
    /// regularisation velocity v_r
    #[param(unit = "m/s", start = 1.0e-3, range = "(0, inf)", eq = "002 (21), (22)")]
    pub v_r: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

/// Where the mode keeps the branch of a step: its kinks come before.
const BRANCH: usize = 3;

impl<S: Real, L: Law<S>> Bristle2<S, L> {
    #[inline(always)]
    fn bristle(&self, n: S) -> (S, S) {
        (self.scaling.newtons(self.sigma0, n), self.scaling.newtons(self.sigma1, n))
    }

    /// The fictitious mass m_b, kg, under load `n`: (24).
    #[inline(always)]
    fn mass(&self, n: S) -> S {
        self.scaling.newtons(self.sigma1 * self.sigma1 / (self.sigma0 * 4.0), n)
    }

    /// The shifted sliding velocity at which (21) is taken, and 1 − |F₀|/F_s.
    #[inline(always)]
    fn shifted(&self, at: &Drive<S>, z: S, dz: S) -> (S, S) {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let stick = s0 * z + s1 * at.input(); // (25)
        let spare = S::from(1.0) - stick.abs() / (self.law.rest() * n);
        let root = spare.max(S::from(0.0)).sqrt();
        // A side also at rest, where the shift is zero and its slope is not.
        let side = S::select(stick.lt(S::from(0.0)), S::from(-1.0), S::from(1.0));
        let shift = side * self.v_r * (S::from(1.0) - root); // (22)
        (at.input() - dz + shift, spare)
    }

    /// A step of (23) with the law as it stands, set-valued, in place of its regularisation: the balance of the implicit
    /// bristle with a = σ₁ + hσ₀ + m_b/h. What is taken in is stored or lost at any step. Gives force, velocity and mode.
    fn stepped(&self, at: &Drive<S>, free: &Free<S>, h: S, z: &mut [S]) -> (S, S, Mode<S>) {
        let (n, zero) = (at.divisor(), S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let inertia = self.mass(n) / h;
        let a = s1 + s0 * h + inertia;
        let eased = S::from(1.0) / (free.gain * a + 1.0);
        let b = (s0 * z[0] - inertia * z[1] + a * (free.velocity + at.injection)) * eased;
        let on = at.pressed();
        let (b, side) = (S::select(on, b.abs() / n, zero), b.sign());
        let balance = Balance { law: &self.law, a: a * eased / n };
        let branch = at.mode.index[BRANCH];
        let falls = S::select((branch * side).gt(zero), branch.abs(), zero);
        let (speed, falls) = balance.slid(falls, b);
        let force = side * n * (b - balance.a * speed);
        let v = free.velocity - free.gain * S::select(on, force, zero);
        let rate = v + at.injection - side * speed;
        // In the air both die out, as those of a massless bristle do.
        let relaxing = (-free_rate(s0, s1) * h).exp();
        z[0] = S::select(on, z[0] + h * rate, z[0] * relaxing);
        z[1] = S::select(on, rate, z[1] * relaxing);
        (S::select(on, force, zero), v, at.mode.with(BRANCH, side * falls))
    }

    /// F_R, N, under a load that presses.
    #[inline(always)]
    fn friction(&self, at: &Drive<S>, z: S, dz: S) -> S {
        at.divisor() * regularised(&self.law, self.shifted(at, z, dz).0, self.v_r)
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for Bristle2<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        2
    }
    fn variable(&self, i: usize) -> Variable {
        let rate = Variable { symbol: "dz", index: None, unit: "m/s", measure: Measure::Rate };
        if i == 0 { Variable::DEFLECTION } else { rate }
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        self.eval(at, z, dz);
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> S {
        S::select(at.pressed(), self.friction(at, z[0], z[1]), S::from(0.0))
    }

    #[inline(always)]
    fn eval(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) -> S {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let force = self.force(at, z, &[]);
        dz[0] = z[1];
        dz[1] = (force - s0 * z[0] - s1 * z[1]) / self.mass(n); // (23)
        force
    }

    /// Sliding at v ≥ 0, the shift is v_r (1 − q), and q² = 1 − (μ(v − v_r q)N + σ₁v)/F_s, or
    /// q = 0 where that is negative: then the force is μ(v)N. The root lies in [0, min(1, v/v_r)].
    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (v, limit) = (at.v.abs(), self.law.rest() * n);
        let gap = |q: S| q * q - 1.0 + (self.law.level(v - self.v_r * q) * n + s1 * v) / limit;
        let shifted = gap(zero).lt(zero);
        let (mut lo, mut hi) = (zero, (v / self.v_r).min(one));
        if shifted.any() {
            for _ in 0..60 {
                let middle = (lo + hi) * 0.5;
                let below = gap(middle).lt(zero);
                lo = S::select(below, middle, lo);
                hi = S::select(below, hi, middle);
            }
        }
        // One step of Newton's method in full scalars carries the derivative of the root.
        let slope = hi * 2.0 - self.v_r * self.law.slope(v - self.v_r * hi) * n / limit;
        let polished = (hi - gap(hi) / slope).max(zero);
        let q = S::select(shifted, polished, zero);
        let force = at.v.sign() * n * self.law.level(v - self.v_r * q);
        z[0] = S::select(at.pressed(), force / s0, zero);
        z[1] = zero;
        S::select(at.pressed(), force, zero)
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let slip = at.v - z[1];
        Energy {
            stored: (s0 * z[0] * z[0] + self.mass(n) * z[1] * z[1]) * 0.5,
            dissipated: s1 * z[1] * z[1] + self.force(at, z, dz) * slip,
            known: slip.abs().ge(self.v_r) | !at.pressed(),
        }
    }

    /// At the end of the step alone, and of the set-valued form.
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        let free = Free::prescribed(at.v);
        (how == Update::End).then(|| self.stepped(at, &free, h, z).0)
    }

    /// As long as that of the implicit bristle.
    fn advance(
        &self,
        _how: Update,
        at: &mut Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut [S],
    ) -> Option<S> {
        let (force, v, mode) = self.stepped(at, free, h, z);
        at.x += h * v;
        (at.v, at.mode) = (v, mode);
        Some(force)
    }

    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        true
    }

    #[inline(always)]
    fn guards(&self) -> usize {
        3
    }

    /// The cusp at |F₀| = F_s, and the ends of the band.
    #[inline(always)]
    fn kinks(&self, at: &Drive<S>, z: &[S], out: &mut [S]) {
        let (slip, spare) = self.shifted(at, z[0], z[1]);
        out.copy_from_slice(&[spare, slip - self.v_r, slip + self.v_r]);
    }

    fn passivity(&self) -> Passivity<S> {
        Passivity {
            known: S::Mask::splat(false),
            margin: -self.v_r,
            why: "not passive: for |v_S| < v_r the shifted force can have the sign opposite to the \
                  sliding velocity, and slip work is then negative",
        }
    }

    /// A critically damped bristle under a bounded force: its impulse response ω²te^(−ωt) is
    /// positive with integral 1, and that of its velocity has ∫|·| = 2ω/e.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        let load_max = load_max.max(S::from(1e-100));
        let s0 = self.bristle(load_max).0;
        // The ratio does not depend on the load, which may be 0.
        let omega = self.sigma0 * 2.0 / self.sigma1;
        let (start, kick) = (z0[0].abs(), (z0[1] + omega * z0[0]).abs());
        // |F| ≤ N (μ_max + ν(v_max + |ż|)) and |ż| ≤ still + gain·|F|.
        let still = z0[1].abs() + kick / E;
        let gain = omega * 2.0 / (s0 * E);
        let drag = load_max * self.law.viscous();
        let loop_gain = S::from(1.0) - drag * gain;
        let open = load_max * self.law.bounds()[1] + drag * (v_max + still + self.v_r);
        let closes = loop_gain.gt(S::from(0.0));
        let force = S::select(closes, open / loop_gain, S::from(f64::INFINITY));
        out[0] = start + kick / (omega * E) + force / s0;
        out[1] = still + gain * force;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Start, law::Stribeck};

    fn set1() -> Bristle2<f64, Stribeck<f64>> {
        let law = Stribeck { mu_d: 0.3, mu_s: 0.6, exponent: 1.0, ..Stribeck::start(()) };
        let scaling = Scaling::Absolute;
        Bristle2 { scaling, sigma0: 3.9e4, sigma1: 395.0, ..Bristle2::start(law) }
    }

    /// 002 (22), (25): at zero sliding the shifted curve passes through the force that holds.
    #[test]
    fn at_zero_sliding_the_force_is_the_one_that_holds_the_stick() {
        let m = set1();
        for (z, v) in [(5e-5, 0.0), (1e-4, -2e-3), (-1.4e-4, 1e-3)] {
            let stick = m.sigma0 * z + m.sigma1 * v;
            let force = m.force(&Drive::new(v, 9.81), &[z, v], &[]);
            assert!((force - stick).abs() < 1e-12, "{force} {stick}");
        }
    }

    /// Sliding backwards inside the band under a forward force: W is no storage function there.
    #[test]
    fn inside_its_band_slip_work_can_be_negative() {
        let m = set1();
        let at = Drive::new(0.0, 9.81);
        let z = [1e-4, 1e-4];
        let mut dz = [0.0; 2];
        m.rate(&at, &z, &mut dz);
        let energy = m.energy(&at, &z, &dz);
        let slip_power = m.force(&at, &z, &dz) * (at.v - z[1]);
        assert!(!energy.known && slip_power < 0.0);
        assert!((energy.dissipated - slip_power - m.sigma1 * z[1] * z[1]).abs() < 1e-15);
        assert!(energy.dissipated < 0.0);
    }

    /// Where the law falls faster than σ₁ rises, steady sliding keeps part of the shift.
    #[test]
    fn steady_sliding_holds_where_the_shift_does_not_vanish() {
        let mut m = set1();
        m.sigma1 = 20.0;
        for v in [2e-4, 1e-3, 5e-3, 0.05] {
            let at = Drive::new(v, 9.81);
            let mut z = [0.0; 2];
            let force = m.steady(&at, &mut z);
            let mut dz = [0.0; 2];
            assert!((m.eval(&at, &z, &mut dz) - force).abs() < 1e-12);
            assert!((m.sigma0 * z[0] - force).abs() < 1e-12 && z[1] == 0.0);
        }
    }
}
