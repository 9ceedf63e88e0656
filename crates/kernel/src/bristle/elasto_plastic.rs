//! The elasto-plastic bristle: elastic up to a break-away deflection, then gradually plastic.
//!
//! ```text
//! as printed:  ż = v (1 − α(z,v) z sgn(v)/z_ss(v)),   z_ss = μN/σ₀
//! passive:     ż = v − α |v| (σ₀z + σ₁v)/(σ₁|v| + μN)
//! F = σ₀z + σ₁ż  (+ νNv as printed)
//!
//! α = 0                                                     if sgn z ≠ sgn v or |z| ≤ z_ba
//! α = ½ + ½ sin(π(|z| − (z_ss + z_ba)/2)/(z_ss − z_ba))     if z_ba < |z| < z_ss
//! α = 1                                                     if |z| ≥ z_ss
//!
//! W = ½σ₀z²,   F v − Ẇ = σ₀z (v − ż) + σ₁ż v    affine in ż
//! ```
//!
//! P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Autom. Control 47 (2002) 787-792. z in m, σ₀ in
//! N/m, σ₁ in N·s/m, or per unit load. z_ba = β μ_min N/σ₀ stays below z_ss at every speed and load.
//!
//! The power F v − Ẇ is affine in ż. Where ż = v (elastic: σ₁v²) and FrBD's ż are both passive, so is every mixture with
//! 0 ≤ α ≤ 1: that is the passive form, by this argument. The printed form mixes with LuGre in place of FrBD: where
//! |z| > z_ss, after speeding up, its damper pushes.
use super::coupled::DOUBLINGS;
use super::root::crossing;
use super::{Bristle, Drive, Energy, Free, Mode, Passivity, Scaling, Update, Variable, free_rate};
use crate::{Law, Params, choice};
use bristle_num::{Logic, Real};
use core::f64::consts::PI;

choice! {
    /// What the elastic bristle is mixed with.
    Form {
        /// FrBD: passive for all parameters
        Passive = "passive",
        /// LuGre, as printed; the viscous part of the law acts outside the bristle
        Printed = "printed",
    }
}

/// A bristle that does not creep at all under small loads.
///
/// Choose it where loads stay below a known part β of the static limit and a right-hand side without roots is
/// wanted: below it the bristle is exactly elastic, whatever the load does. Above it creeps like `frbd`. The
/// passive form is passive for all parameters; the printed one is kept to reproduce published results, and is passive no
/// more often than LuGre.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "elasto_plastic",
    title = "elasto-plastic bristle: elastic up to a break-away deflection",
    source = "doi:10.1109/TAC.2002.1000274; passive form by mixture with 000 (14)",
    stick = "exactly, below a part of the limit: up to beta times the least level; above it creeps like frbd",
    passive = "yes, in its passive form: a mixture of passive rates; as printed no more than LuGre",
    law = "yes in steady sliding; with a lag of about μ/σ₀ in travelled distance"
)]
pub struct ElastoPlastic<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// what the elastic bristle is mixed with
    #[param(choice, start = Form::Passive, eq = "Dupont et al. 2002")]
    pub form: Form,
    /// bristle stiffness σ₀
    #[param(
        unit = "1/m",
        absolute = "N/m",
        start = 1.0e4,
        range = "(0, inf)",
        eq = "Dupont et al. 2002"
    )]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(
        unit = "s/m",
        absolute = "N*s/m",
        start = 64.5,
        range = "[0, inf)",
        eq = "Dupont et al. 2002"
    )]
    pub sigma1: S,
    /// break-away deflection as a part β of the least that sliding settles at
    #[param(unit = "1", start = 0.7, range = "(0, 1)", eq = "Dupont et al. 2002")]
    pub beta: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

impl<S: Real, L: Law<S>> ElastoPlastic<S, L> {
    #[inline(always)]
    fn bristle(&self, n: S) -> (S, S) {
        (self.scaling.newtons(self.sigma0, n), self.scaling.newtons(self.sigma1, n))
    }

    /// The level that the bristle tends to, N: the viscous part of the printed form is outside.
    #[inline(always)]
    fn level(&self, v: S, n: S) -> S {
        match self.form {
            Form::Passive => n * self.law.level(v),
            Form::Printed => n * self.law.dry(v),
        }
    }

    /// νN of the printed form.
    #[inline(always)]
    fn outside(&self, n: S) -> S {
        match self.form {
            Form::Passive => S::from(0.0),
            Form::Printed => n * self.law.viscous(),
        }
    }

    /// The break-away deflection under load `n`.
    #[inline(always)]
    fn break_away(&self, n: S) -> S {
        self.beta * self.law.bounds()[0] * n / self.bristle(n).0
    }

    /// α of a deflection towards `way`, the direction of sliding, where the level is `level`.
    #[inline(always)]
    fn plastic(&self, level: S, n: S, z: S, way: S) -> S {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (settled, first) = (level / self.bristle(n).0, self.break_away(n));
        // Continued beyond v = 0 from a known side, a bent bristle stays bent.
        let bent = z * way;
        let phase = (z.abs() - (settled + first) * 0.5) / (settled - first) * PI;
        let inside = S::select(z.abs().ge(settled), one, phase.sin() * 0.5 + 0.5);
        S::select(bent.gt(zero) & z.abs().gt(first), inside, zero)
    }

    /// What of z a sliding speed takes away: ż = v − q (σ₀z + s v), in m/(N·s), with s = σ₁ or, as printed, 0.
    #[inline(always)]
    fn drag(&self, level: S, n: S, speed: S, alpha: S) -> S {
        match self.form {
            Form::Passive => alpha * speed / (self.bristle(n).1 * speed + level),
            Form::Printed => alpha * speed / level,
        }
    }

    #[inline(always)]
    fn trial(&self, n: S) -> S {
        match self.form {
            Form::Passive => self.bristle(n).1,
            Form::Printed => S::from(0.0),
        }
    }

    /// The direction of sliding; at rest the one to the right, which then changes nothing but derivatives.
    #[inline(always)]
    fn way(at: &Drive<S>) -> S {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let way = S::select(at.v.lt(zero), -one, one);
        S::select(at.side.abs().gt(zero), at.side, way)
    }

    /// α at a point: 0 elastic, 1 plastic.
    pub fn alpha(&self, at: &Drive<S>, z: S) -> S {
        let n = at.divisor();
        self.plastic(self.level(at.v, n), n, z, Self::way(at))
    }

    /// ż, whatever the load.
    #[inline(always)]
    fn pressed(&self, at: &Drive<S>, z: S) -> S {
        let n = at.divisor();
        let level = self.level(at.v, n);
        let alpha = self.plastic(level, n, z, Self::way(at));
        let q = self.drag(level, n, at.speed(S::from(0.0)), alpha);
        let trial = self.trial(n);
        // From its parts, so that nothing cancels where the bristle has settled.
        at.input() * (S::from(1.0) - q * trial) - q * self.bristle(n).0 * z
    }

    /// A step at the level and speed of its start: z_m = z + θh w(z_m), whose right side does not rise with z_m while v keeps
    /// its sign.
    fn stepped(
        &self,
        how: Update,
        at: &Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut S,
    ) -> Option<[S; 2]> {
        let (theta, n) = (how.stage()?, at.divisor());
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let ((s0, s1), trial, s2) = (self.bristle(n), self.trial(n), self.outside(n));
        let (level, speed) = (self.level(at.v, n), at.v.abs());
        let v_free = free.velocity;
        // w and F at a deflection z_m: F = σ₀z_m + σ₁w + σ₂v, v = v_free − gF, w = v(1 − qs) − qσ₀z_m.
        let at_deflection = |middle: S| {
            let alpha = self.plastic(level, n, middle, Self::way(at));
            let q = self.drag(level, n, speed, alpha);
            let keeps = one - q * trial;
            let spring = s0 * middle * (one - s1 * q);
            let force =
                (spring + (s1 * keeps + s2) * v_free) / (one + free.gain * (s1 * keeps + s2));
            let v = v_free - free.gain * force;
            ((v + at.injection) * keeps - q * s0 * middle, force, v)
        };
        let begun = *z;
        let part = h * theta;
        let left = |middle: S| middle - begun - part * at_deflection(middle).0;
        let over = left(begun);
        let mut other = begun - over;
        let mut there = left(other);
        // The right side may rise where the body turns round within the step; far out it falls, so that further out is a root.
        for _ in 0..DOUBLINGS {
            let same = (over * there).gt(zero);
            if !same.any() {
                break;
            }
            other = S::select(same, begun + (other - begun) * 2.0, other);
            there = left(other);
        }
        let swap = other.lt(begun);
        let ends = [S::select(swap, there, over), S::select(swap, over, there)];
        let root = crossing(begun.min(other), begun.max(other), ends, left);
        // Within rounding of an end there is nothing between.
        let apart = (over * there).lt(zero);
        let middle = S::select(apart, root, S::select(over.abs().lt(there.abs()), begun, other));
        // Newton's method at prescribed velocity carries the derivative in duals. What interpolation leaves in that of the root
        // is as large as rounding is small, so that one step does not clear it.
        let alpha = self.plastic(level, n, middle, Self::way(at));
        let (settled, first) = (level / s0, self.break_away(n));
        let phase = (middle.abs() - (settled + first) * 0.5) / (settled - first) * PI;
        let bends = alpha.gt(zero) & alpha.lt(one);
        let steep =
            S::select(bends, phase.cos() * 0.5 * PI / (settled - first), zero) * middle.sign();
        let drag = self.drag(level, n, speed, one);
        let slope =
            -(drag * (alpha * s0 + steep * (trial * (v_free + at.injection) + s0 * middle)));
        let held = free.gain.gt(zero);
        let newton = |middle: S| middle - left(middle) / (one - part * slope);
        let middle = S::select(held, middle, newton(newton(middle)));
        let (rate, _, v) = at_deflection(middle);
        // From the deflections: the rate itself is a difference of large numbers, and work must be what they store and lose.
        let moved = (middle - begun) / part.max(S::from(f64::MIN_POSITIVE));
        let rate = S::select(part.gt(zero), moved, rate);
        let force = s0 * middle + s1 * rate + s2 * v;
        let on = at.pressed();
        let relaxing = (-free_rate(s0, s1) * h).exp();
        *z = S::select(on, begun + (middle - begun) / theta, begun * relaxing);
        let force = S::select(on, force, zero);
        Some([force, S::select(on, v, v_free)])
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for ElastoPlastic<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        1
    }
    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let (s0, s1) = self.bristle(at.divisor());
        let free = -free_rate(s0, s1) * z[0];
        dz[0] = S::select(at.pressed(), self.pressed(at, z[0]), free);
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> S {
        let (s0, s1) = self.bristle(at.load);
        let force = s0 * z[0] + s1 * dz[0] + self.outside(at.load) * at.v;
        S::select(at.pressed(), force, S::from(0.0))
    }

    #[inline(always)]
    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let n = at.divisor();
        let settled = at.v.sign() * self.level(at.v, n) / self.bristle(n).0;
        z[0] = S::select(at.pressed(), settled, S::from(0.0));
        self.force(at, z, &[S::from(0.0)])
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        let on = at.pressed();
        let n = S::select(on, at.load, S::from(0.0));
        let (s0, s1) = self.bristle(n);
        // In the air the damper works on the bristle alone.
        let tip = S::select(on, at.v - dz[0], S::from(0.0));
        let inner = s0 * z[0] + s1 * dz[0];
        Energy {
            stored: s0 * z[0] * z[0] * 0.5,
            dissipated: s1 * dz[0] * dz[0] + inner * tip + self.outside(n) * at.v * at.v,
            known: self.passivity().known,
        }
    }

    fn passivity(&self) -> Passivity<S> {
        let undamped = self.sigma1.le(S::from(0.0));
        match self.form {
            Form::Passive => Passivity::always(
                "F v − Ẇ is affine in ż, and both ż = v and that of FrBD are passive: so is every mixture",
            ),
            Form::Printed => Passivity {
                known: undamped,
                margin: S::select(undamped, S::from(f64::INFINITY), S::from(f64::NEG_INFINITY)),
                why: "after speeding up, |z| > z_ss, it is LuGre, whose damper pushes: σ₁v²(1 − α|z|/z_ss) < 0",
            },
        }
    }

    /// ż ≤ 0 wherever |z| ≥ z_ss, as for LuGre and FrBD.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        let level = match self.form {
            Form::Passive => self.law.highest(v_max),
            Form::Printed => self.law.bounds()[1],
        };
        out[0] = z0[0].abs().max(load_max * level / self.bristle(load_max).0);
    }

    #[inline(always)]
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        let free = Free::prescribed(at.v);
        self.stepped(how, at, &free, h, &mut z[0]).map(|[force, _]| force)
    }

    /// One evaluation of the law, and at most 200 of α.
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

    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        true
    }

    #[inline(always)]
    fn guards(&self) -> usize {
        2
    }

    /// v = 0, and where α leaves 0. Where it reaches 1, steady sliding, nothing lands: α is smooth enough there.
    #[inline(always)]
    fn kinks(&self, at: &Drive<S>, z: &[S], out: &mut [S]) {
        out.copy_from_slice(&[at.v, z[0].abs() - self.break_away(at.divisor())]);
    }

    #[inline(always)]
    fn side(&self, mode: &Mode<S>) -> S {
        mode.index[0]
    }
}
