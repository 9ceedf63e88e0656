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
//!
//! Three things go beyond the paper's first result, by its own procedure (9)-(12), with e(z) the spring:
//!
//! - hardening: e(z) = σ₀z + σ₃z³;
//! - damping that depends on the state: σ₁ exp(−(v/v_d)²), 000 Lemma III.2, and σ₁ (z/z_d)², taken at the present z
//!   (at the settled one, as (12) prints it, the model gives out energy);
//! - passes: (7) is repeated with its slope taken anew. In terms of the tip's speed u = v − ż and the trial force
//!   b = e + σ₁v it reads
//!
//! ```text
//! u₀ = v,   u_{j+1} = |u_j| b/(μ(u_j) + σ₁|u_j|),   ż = v − u_k,   F = b − σ₁u_k
//! ```
//!
//! F = b μ/(μ + σ₁|u_{k−1}|), so that F, b and u_k have one sign, and F v − Ẇ = F u_k + σ₁ż² ≥ 0 for every k ≥ 1, every
//! spring and every damper. Steady sliding, u = v, is a fixed point. As k grows the tip tends to that of the implicit bristle,
//! a stick with ratio b/μ_s: below the static limit the creep per pulse falls as that power.
//!
//! A stiffness that depends on speed is not here: loaded soft at one speed and unloaded stiff at another, it gives
//! out energy. [`General`](super::General) has it, and does not call it passive.
use super::root::rising;
use super::{
    Bristle, Drive, Energy, Free, Mode, Passivity, Relaxation, Relaxing, Scaling, Update, Variable,
    by_contact, free_rate,
};
use crate::law::{abs_eps, sgn_eps};
use crate::{Law, Params, Report, choice};
use bristle_num::{Logic, Real};

choice! {
    /// What σ₁ depends on.
    Damping {
        /// nothing
        Constant = "constant",
        /// the speed: σ₁ exp(−(v/v_d)²)
        Speed = "speed",
        /// the deflection: σ₁ (z/z_d)²
        Deflection = "deflection",
        /// both: σ₁ (z/z_d)² exp(−(v/v_d)²)
        Both = "both",
    }
}

/// The bristle that LuGre approximates: passive for every parameter.
///
/// Choose it as the default in control, observers and real time: rates stay bounded at any speed
/// (000 Rem. III.3), it is passive whatever its damping, and it costs what LuGre costs. Its steady
/// force is the law exactly. It does not hold a stick: like LuGre it creeps under pulsating loads
/// below the static limit. With more `passes` it creeps far less (16 hold 40 % of the limit to parts of a
/// nanometre) and stays passive, at that many evaluations of the law. For parts that must stay put use `implicit` or
/// `bristle2`.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "frbd",
    title = "friction with bristle dynamics, one Kelvin-Voigt bristle (FrBD1-KV)",
    source = "000 §III, (13)-(18); 002 (18)-(20)",
    stick = "no: creeps under pulsating loads below the static limit; less with more passes",
    passive = "yes, at constant load, for all parameters: 000 Lemma III.2; under any load if absolute",
    law = "yes in steady sliding, 000 (22); with a lag of about μ/σ₀ in travelled distance",
    rules = "passes a whole number",
    check = passes_are_counted
)]
pub struct Frbd<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "000 (13)")]
    pub sigma0: S,
    /// hardening σ₃: the spring has σ₀z + σ₃z³
    #[param(
        unit = "1/m^3",
        absolute = "N/m^3",
        start = 0.0,
        range = "[0, inf)",
        eq = "000 (9)-(12)"
    )]
    pub sigma3: S,
    /// bristle damping σ₁
    #[param(unit = "s/m", absolute = "N*s/m", start = 64.5, range = "[0, inf)", eq = "000 (13)")]
    pub sigma1: S,
    /// what σ₁ depends on
    #[param(choice, start = Damping::Constant, eq = "000 (12)")]
    pub damping: Damping,
    /// speed v_d at which the damping has fallen to 1/e
    #[param(unit = "m/s", start = 0.02, range = "(0, inf)", eq = "000 (12)")]
    pub v_d: S,
    /// deflection z_d at which the damping is σ₁
    #[param(unit = "m", start = 1.0e-4, range = "(0, inf)", eq = "000 (12)")]
    pub z_d: S,
    /// passes k: how often the friction curve is evaluated
    #[param(unit = "1", start = 1.0, range = "[1, 64]", eq = "000 (7), 002 (10)")]
    pub passes: S,
    /// regularisation ε of |v|
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "000 (11)")]
    pub epsilon: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

fn passes_are_counted<L>(p: &Frbd<f64, L>, report: &mut Report<'_>) {
    report.expect(
        p.passes % 1.0 == 0.0,
        ("passes", None, p.passes),
        "must be a whole number: at most",
        64.0,
        "the friction curve is evaluated 1, 2, 3, … times",
    );
}

/// No tip slides faster between passes, m/s: under a load next to nothing each pass multiplies the speed.
const FASTEST: f64 = 1e12;

/// Spring and damper in newtons.
#[derive(Clone, Copy)]
struct Spring<S> {
    s0: S,
    s3: S,
    s1: S,
}

impl<S: Real> Spring<S> {
    /// e(z) = σ₀z + σ₃z³.
    #[inline(always)]
    fn force(&self, z: S) -> S {
        (self.s0 + self.s3 * z * z) * z
    }

    /// ∫e dz.
    #[inline(always)]
    fn stored(&self, z: S) -> S {
        (self.s0 + self.s3 * z * z * 0.5) * z * z * 0.5
    }

    /// The force of the spring over a step from z to z + hw, and its slope in w: at the end, or the mean in the sense of
    /// energy, (W(z⁺) − W(z))/(z⁺ − z) = σ₀y + σ₃y(2y² − 2yz + z²) with y = z + hw/2.
    #[inline(always)]
    fn over(&self, how: Update, z: S, h: S, w: S) -> (S, S) {
        match how {
            Update::End => {
                let y = z + h * w;
                (self.force(y), (self.s0 + self.s3 * y * y * 3.0) * h)
            }
            _ => {
                let y = z + h * w * 0.5;
                let force = (self.s0 + self.s3 * (y * y * 2.0 - y * z * 2.0 + z * z)) * y;
                let slope = self.s0 + self.s3 * (y * y * 6.0 - y * z * 4.0 + z * z);
                (force, slope * h * 0.5)
            }
        }
    }

    /// The rate w of a pass: (L + σ₁D) w + D ē(w) = L v, D = |u| + gL. The left side rises in w at least
    /// as its first part does, and its second part is zero where the spring is slack: either brackets the root.
    fn pass(&self, how: Update, [level, d]: [S; 2], v: S, h: S, z: S) -> S {
        let linear = level + self.s1 * d;
        let theta = how.stage().unwrap_or(0.5);
        if self.s3.le(S::from(0.0)).all() {
            return (level * v - d * self.s0 * z) / (linear + d * self.s0 * h * theta);
        }
        let left = |w: S| {
            let (force, slope) = self.over(how, z, h, w);
            (linear * w + d * force - level * v, linear + d * slope)
        };
        let one = level * v / linear;
        let steep = one - left(one).0 / linear;
        let slack = -z / (h * theta).max(S::from(f64::MIN_POSITIVE));
        let nearer = (steep - one).abs().le((slack - one).abs());
        let other = S::select(nearer, steep, slack);
        let root = rising(one.min(other), one.max(other), S::Mask::splat(true), left);
        // In duals one more step of Newton's method carries the derivative.
        let (value, slope) = left(root);
        root - value / slope
    }
}

impl<S: Real, L: Law<S>> Frbd<S, L> {
    /// σ₀ and σ₁ in newtons per metre and metre per second, under load `n`, as they are written.
    #[inline(always)]
    fn bristle(&self, n: S) -> (S, S) {
        (self.scaling.newtons(self.sigma0, n), self.scaling.newtons(self.sigma1, n))
    }

    /// σ₁ over its value as written, at this speed and deflection.
    #[inline(always)]
    fn damped(&self, v: S, z: S) -> Option<S> {
        let slow = || (-(v / self.v_d).sq()).exp();
        let bent = || (z / self.z_d).sq();
        match self.damping {
            Damping::Constant => None,
            Damping::Speed => Some(slow()),
            Damping::Deflection => Some(bent()),
            Damping::Both => Some(slow() * bent()),
        }
    }

    #[inline(always)]
    fn spring(&self, n: S, v: S, z: S) -> Spring<S> {
        let (s0, s1) = self.bristle(n);
        let s1 = self.damped(v, z).map_or(s1, |part| s1 * part);
        Spring { s0, s3: self.scaling.newtons(self.sigma3, n), s1 }
    }

    /// Whether ż is linear in z: one pass, no hardening, no damping that looks at z.
    #[inline(always)]
    fn linear(&self) -> bool {
        matches!(self.damping, Damping::Constant | Damping::Speed)
            && (self.sigma3.le(S::from(0.0)) & self.passes.lt(S::from(1.5))).all()
    }

    /// Calls `each` for every pass.
    #[inline(always)]
    fn each_pass(&self, mut each: impl FnMut(S::Mask)) {
        // To the nearest whole number.
        let mut j = 0.5;
        loop {
            let taken = self.passes.gt(S::from(j));
            if !taken.any() {
                return;
            }
            each(taken);
            j += 1.0;
        }
    }

    /// ż by all passes, and the velocity of the tip, which is not found as the difference v − ż.
    fn passed(&self, at: &Drive<S>, z: S) -> [S; 2] {
        let (n, v) = (at.divisor(), at.input());
        let spring = self.spring(n, at.v, z);
        let trial = spring.force(z) + spring.s1 * v;
        // |u| may be continued beyond v = 0, and the law is even.
        let (mut speed, mut rate, mut tip) = (at.speed(self.epsilon), v, S::from(0.0));
        self.each_pass(|taken| {
            let level = n * self.law.level(speed);
            let divisor = level + spring.s1 * speed;
            // ż from its parts: v − u would be a small difference of large numbers.
            let next = (level * v - speed * spring.force(z)) / divisor;
            rate = S::select(taken, next, rate);
            tip = S::select(taken, speed * trial / divisor, tip);
            speed = S::select(taken, tip.abs().min(S::from(FASTEST)), speed);
        });
        let free = -free_rate(spring.s0, self.bristle(n).1) * z;
        [S::select(at.pressed(), rate, free), tip]
    }

    /// A step by passes: the speed that each is taken at is that of the one before, the first that at the start.
    fn stepped(
        &self,
        how: Update,
        at: &Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut S,
    ) -> Option<[S; 2]> {
        how.stage()?;
        let (n, zero) = (at.divisor(), S::from(0.0));
        let spring = self.spring(n, at.v, *z);
        let mut speed = abs_eps(at.v, self.epsilon);
        let (mut rate, mut force) = (zero, zero);
        let injected = free.velocity + at.injection;
        self.each_pass(|taken| {
            let level = n * self.law.level(speed);
            let d = speed + free.gain * level;
            let w = spring.pass(how, [level, d], injected, h, *z);
            rate = S::select(taken, w, rate);
            force = spring.over(how, *z, h, rate).0 + spring.s1 * rate;
            // F = (level/|u|) u⁺ gives the speed of the tip without a difference of large numbers.
            let next = (force.abs() * speed / level).min(S::from(FASTEST));
            speed = S::select(taken, next, speed);
        });
        let on = at.pressed();
        let relaxing = (-free_rate(spring.s0, self.bristle(n).1) * h).exp();
        *z = S::select(on, *z + h * rate, *z * relaxing);
        let force = S::select(on, force, zero);
        Some([force, free.velocity - free.gain * force])
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for Frbd<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        1
    }
    #[inline(always)]
    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }
    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        dz[0] =
            if self.linear() { self.relaxation(at).rate(z[0]) } else { self.passed(at, z[0])[0] };
    }
    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> S {
        self.force_of(at, z[0], dz[0])
    }
    #[inline(always)]
    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        z[0] = self.settled(at);
        self.force_of(at, z[0], S::from(0.0))
    }
    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        self.energy_of(at, z[0], dz[0])
    }
    #[inline(always)]
    fn passivity(&self) -> Passivity<S> {
        self.passivity_of()
    }
    #[inline(always)]
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        out[0] = z0[0].abs().max(self.reach(v_max, load_max));
    }

    /// The exact update exists where ż is linear in z.
    #[inline(always)]
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        if !self.linear() {
            let free = Free::prescribed(at.v);
            return self.stepped(how, at, &free, h, &mut z[0]).map(|[force, _]| force);
        }
        let relaxation = self.relaxation(at);
        let mut free = z[0];
        let (mean, rate) = relaxation.advance(how, h, &mut z[0]);
        if !at.pressed().all() {
            // In the air nothing is to be balanced: the bristle relaxes as it does.
            relaxation.advance(Update::Exponential, h, &mut free);
            z[0] = S::select(at.pressed(), z[0], free);
        }
        Some(self.force_of(at, mean, rate))
    }

    /// In as many evaluations of the law as there are passes: the first takes the speed at the start.
    fn advance(
        &self,
        how: Update,
        at: &mut Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut [S],
    ) -> Option<S> {
        let how = if how == Update::Exponential { Update::Midpoint } else { how };
        let [force, v] = self.stepped(how, at, free, h, &mut z[0])?;
        at.x += h * v;
        at.v = v;
        at.mode = self.commit(at, z);
        Some(force)
    }

    /// More than one pass makes the force steep in the velocity of a step.
    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        !self.linear()
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
    fn side(&self, mode: &Mode<S>) -> S {
        mode.index[0]
    }
}

impl<S: Real, L: Law<S>> Relaxing<S> for Frbd<S, L> {
    #[inline(always)]
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let s1 = self.damped(at.v, S::from(0.0)).map_or(s1, |part| s1 * part);
        let speed = at.speed(self.epsilon);
        let level = n * self.law.level(at.v);
        let g = S::from(1.0) / (s1 * speed + level); // 1/(15)
        let on = at.pressed();
        Relaxation {
            a: by_contact(on, s0 * speed * g, || free_rate(s0, self.bristle(n).1)), // (14a)
            b: S::select(on, level * g * at.input(), S::from(0.0)),
        }
    }

    #[inline(always)]
    fn force_of(&self, at: &Drive<S>, z: S, dz: S) -> S {
        let spring = self.spring(at.load, at.v, z);
        S::select(at.pressed(), spring.force(z) + spring.s1 * dz, S::from(0.0)) // (16), (18)
    }

    #[inline(always)]
    fn settled(&self, at: &Drive<S>) -> S {
        let n = at.divisor();
        let level = n * self.law.level(at.v);
        let z = sgn_eps(at.v, self.epsilon) * self.held_at(level, n); // (21)
        S::select(at.pressed(), z, S::from(0.0))
    }

    #[inline(always)]
    fn energy_of(&self, at: &Drive<S>, z: S, dz: S) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let spring = self.spring(n, at.v, z);
        if !self.linear() {
            // At the model's own rate the tip is known better than by the difference.
            let [rate, own] = self.passed(at, z);
            let tip = S::select(rate.le(dz) & rate.ge(dz), own, at.v - dz);
            let slides = spring.s1 * dz * dz + self.force_of(at, z, dz) * tip;
            let dissipated = S::select(at.pressed(), slides, -(spring.force(z) * dz));
            return Energy { stored: spring.stored(z), dissipated, known: S::Mask::splat(true) };
        }
        let Spring { s0, s1, .. } = spring;
        let Relaxation { a, b } = self.relaxation(at);
        Energy {
            stored: s0 * z * z * 0.5,                   // (24)
            dissipated: s0 * a * z * z + s1 * b * at.v, // (26)
            known: S::Mask::splat(true),
        }
    }

    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always(
            "000 Lemma III.2, at constant load: F v − Ẇ = p σ₀²|v|z²/g + p σ₁μv²/g ≥ 0, (26); for any spring, damper \
             and number of passes F, b and the tip's velocity have one sign",
        )
    }

    fn reach(&self, v_max: S, load_max: S) -> S {
        self.held_at(load_max * self.law.highest(v_max), load_max)
    }
}

impl<S: Real, L: Law<S>> Frbd<S, L> {
    /// The deflection at which the spring holds `force` ≥ 0, N, under load `n`.
    #[inline(always)]
    fn held_at(&self, force: S, n: S) -> S {
        let (s0, s3) = (self.bristle(n).0, self.scaling.newtons(self.sigma3, n));
        let zero = S::from(0.0);
        let plain = force / s0;
        let hard = s3.gt(zero);
        if !hard.any() {
            return plain;
        }
        // e rises and is at least σ₀z.
        let e = |z: S| ((s0 + s3 * z * z) * z - force, s0 + s3 * z * z * 3.0);
        let root = rising(zero, plain, hard & plain.gt(zero), e);
        let (value, slope) = e(root);
        S::select(hard, root - value / slope, plain)
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
