//! Friction of a transmission: its level depends on the torques that it carries, and on their direction.
//!
//! ```text
//! level(v) = C + S e^(−(|v|/v_s)^α) + K_v|v|,   N·m
//!
//! difference:   C = K_c + |K_mτ_m − K_eτ_e|,     S = K_cs + |K_msτ_m − K_esτ_e| + Q
//! sum:          C = K_c + K_m|τ_m| + K_e|τ_e|,   S = K_cs + K_ms|τ_m| + K_es|τ_e| + Q
//! directional:  C = K_c + K_m|τ_m| if |τ_m| ≥ |τ_e|, else K_c + K_e|τ_e|;  S likewise
//! Q = K_eq τ_e² if |τ_m| > |τ_e|,  K_mq τ_m² if |τ_m| < |τ_e|, where τ_m and τ_e oppose each other; else 0
//! ```
//!
//! M. Duclusaud et al., ICRA 2025, and the code of Rhoban BAM (commit 1b5a1cee), of which M1 to M6 are the difference form with
//! some coefficients 0, or K_m = K_e in M3 and M4; the condition on signs and the strict inequalities are in the code only. τ_m and
//! τ_e are the [torques](Drive::torques) of the motor and from outside, both as they act on the joint: J q̈ = τ_m + τ_e − F.
//!
//! The level takes the place of Nμ(v) in a bristle whose stiffness, in N·m/rad, is absolute. C and S are two
//! loads, not one: their ratio changes. With absolute stiffness nothing in the passivity of a bristle
//! asks how its level changes, so every torque history dissipates.
use super::elasto_plastic::Form as Mixture;
use super::frbd::Damping;
use super::{
    Bristle, Drive, ElastoPlastic, Energy, Frbd, Free, Implicit, Mode, Passivity, Scaling, Update,
    Variable,
};
use crate::law::{Stribeck, stribeck::Reading};
use crate::{Params, choice};
use bristle_num::Real;

choice! {
    /// How the level depends on the torques.
    Form {
        /// on a weighted difference: models M1 to M6
        Difference = "difference",
        /// on a weighted sum of magnitudes
        Sum = "sum",
        /// on the greater of the two: efficiencies driving and back
        Directional = "directional",
    }
}

choice! {
    /// The bristle that regularises the level.
    Inner {
        /// `frbd`, with its passes
        Frbd = "frbd",
        /// `elasto_plastic` in its passive form
        ElastoPlastic = "elasto_plastic",
        /// `implicit`
        Implicit = "implicit",
    }
}

/// Gears and strain-wave drives: friction that grows with what they transmit.
///
/// Choose it for the joints of geared motors, where friction under load is not friction without, and
/// differs when the joint drives and when it is driven back. The level is that of fitted models M1 to M6 or of two efficiencies, the
/// stiffness absolute, and the whole passive for every history of torques. The mechanism tells the torques; the load
/// only says whether there is contact.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "transmission",
    title = "transmission friction: level by motor and external torque, over a bristle",
    source = "Duclusaud et al., ICRA 2025; Rhoban BAM, models M1-M6; efficiencies",
    stick = "as its bristle does: exactly with implicit",
    passive = "yes, for every torque history: its stiffness is absolute",
    law = "yes in steady sliding, at the torques of the moment"
)]
pub struct Transmission<S> {
    /// how the level depends on the torques
    #[param(choice, start = Form::Difference, eq = "BAM M1-M6")]
    pub form: Form,
    /// the bristle that regularises the level
    #[param(choice, start = Inner::Frbd, eq = "000 (13)")]
    pub bristle: Inner,
    /// bristle stiffness σ₀
    #[param(unit = "N*m/rad", start = 20.0, range = "(0, inf)", eq = "000 (13)")]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(unit = "N*m*s/rad", start = 0.02, range = "(0, inf)", eq = "000 (13)")]
    pub sigma1: S,
    /// passes of `frbd`
    #[param(unit = "1", start = 1.0, range = "[1, 64]", eq = "000 (7)")]
    pub passes: S,
    /// break-away deflection of `elasto_plastic` as a part of the least level's
    #[param(unit = "1", start = 0.7, range = "(0, 1)", eq = "Dupont et al. 2002")]
    pub beta: S,
    /// Coulomb level K_c without load
    #[param(unit = "N*m", start = 0.02, range = "(0, inf)", eq = "BAM M1")]
    pub base: S,
    /// static excess K_cs without load
    #[param(unit = "N*m", start = 0.01, range = "[0, inf)", eq = "BAM M2")]
    pub stribeck: S,
    /// viscous coefficient K_v
    #[param(unit = "N*m*s/rad", start = 0.0, range = "[0, inf)", eq = "BAM M1")]
    pub viscous: S,
    /// Stribeck velocity v_s
    #[param(unit = "rad/s", start = 0.1, range = "(0, inf)", eq = "BAM M2")]
    pub v_s: S,
    /// Stribeck exponent α
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "BAM M2")]
    pub exponent: S,
    /// part K_m of the motor's torque in C
    #[param(unit = "1", start = 0.1, range = "(-inf, inf)", eq = "BAM M5")]
    pub base_motor: S,
    /// part K_e of the external torque in C
    #[param(unit = "1", start = 0.1, range = "(-inf, inf)", eq = "BAM M5")]
    pub base_external: S,
    /// part K_ms of the motor's torque in S
    #[param(unit = "1", start = 0.0, range = "(-inf, inf)", eq = "BAM M5")]
    pub stribeck_motor: S,
    /// part K_es of the external torque in S
    #[param(unit = "1", start = 0.0, range = "(-inf, inf)", eq = "BAM M5")]
    pub stribeck_external: S,
    /// quadratic part K_mq of the motor's torque
    #[param(unit = "1/(N*m)", start = 0.0, range = "[0, inf)", eq = "BAM M6")]
    pub quad_motor: S,
    /// quadratic part K_eq of the external torque
    #[param(unit = "1/(N*m)", start = 0.0, range = "[0, inf)", eq = "BAM M6")]
    pub quad_external: S,
}

/// The coefficients c_m and c_e of the sum form at these efficiencies, driving and driven back.
///
/// ```text
/// c_m = (1 − 2η_d + η_dη_b)/(1 − η_dη_b),   c_e = (1 − 2η_b + η_dη_b)/(1 − η_dη_b)
/// ```
///
/// c_m < 0 asks for the directional form; c_e ≥ 1 is self-locking; c_m ≥ 1 cannot move.
pub fn coefficients(eta_drive: f64, eta_back: f64) -> [f64; 2] {
    let both = eta_drive * eta_back;
    [eta_drive, eta_back].map(|eta| (1.0 - 2.0 * eta + both) / (1.0 - both))
}

/// The efficiencies of the sum form, driving and driven back: (1 − c_m)/(1 + c_e) and (1 − c_e)/(1 + c_m).
pub fn efficiencies([c_m, c_e]: [f64; 2]) -> [f64; 2] {
    [(1.0 - c_m) / (1.0 + c_e), (1.0 - c_e) / (1.0 + c_m)]
}

impl<S: Real> Transmission<S> {
    /// C and S, N·m.
    pub fn loads(&self, [motor, external]: [S; 2]) -> [S; 2] {
        let zero = S::from(0.0);
        let (m, e) = (motor.abs(), external.abs());
        let loaded = |by_motor: S, by_external: S| match self.form {
            Form::Difference => (by_motor * motor - by_external * external).abs(),
            Form::Sum => (by_motor * m + by_external * e).max(zero),
            Form::Directional => S::select(m.ge(e), by_motor * m, by_external * e).max(zero),
        };
        let quad = S::select(
            m.gt(e),
            self.quad_external * e * e,
            S::select(m.lt(e), self.quad_motor * m * m, zero),
        );
        let opposed = (motor * external).le(zero);
        // sgn 0 is neither: with one of them zero the signs differ, with both there is nothing.
        let quad = S::select(opposed, quad, zero);
        [
            self.base + loaded(self.base_motor, self.base_external),
            self.stribeck + loaded(self.stribeck_motor, self.stribeck_external) + quad,
        ]
    }

    /// The friction torque of steady sliding at `v`, N·m, without its sign.
    pub fn level(&self, torques: [S; 2], v: S) -> S {
        crate::Law::level(&self.law(torques), v)
    }

    fn law(&self, torques: [S; 2]) -> Stribeck<S> {
        let [c, s] = self.loads(torques);
        let (v_s, exponent, viscous) = (self.v_s, self.exponent, self.viscous);
        Stribeck { mu_d: c, mu_s: c + s, v_s, exponent, viscous, reading: Reading::Power }
    }

    fn frbd(&self, torques: [S; 2]) -> Frbd<S, Stribeck<S>> {
        let one = S::from(1.0);
        Frbd {
            scaling: Scaling::Absolute,
            sigma0: self.sigma0,
            sigma3: S::from(0.0),
            sigma1: self.sigma1,
            damping: Damping::Constant,
            v_d: one,
            z_d: one,
            passes: self.passes,
            epsilon: S::from(0.0),
            law: self.law(torques),
        }
    }

    fn elasto_plastic(&self, torques: [S; 2]) -> ElastoPlastic<S, Stribeck<S>> {
        let (sigma0, sigma1, beta, law) = (self.sigma0, self.sigma1, self.beta, self.law(torques));
        let (scaling, form) = (Scaling::Absolute, Mixture::Passive);
        ElastoPlastic { scaling, form, sigma0, sigma1, beta, law }
    }

    fn implicit(&self, torques: [S; 2]) -> Implicit<S, Stribeck<S>> {
        let (sigma0, sigma1, law) = (self.sigma0, self.sigma1, self.law(torques));
        Implicit { scaling: Scaling::Absolute, sigma0, sigma1, law }
    }

    /// What depends on the torques has kinks and jumps where these change sign.
    fn turns(&self, at: &Drive<S>) -> [S; TURNS] {
        let [motor, external] = at.torques;
        let weighted = |by_motor: S, by_external: S| by_motor * motor - by_external * external;
        [
            motor,
            external,
            motor.abs() - external.abs(),
            match self.form {
                Form::Difference => weighted(self.base_motor, self.base_external),
                _ => motor,
            },
            match self.form {
                Form::Difference => weighted(self.stribeck_motor, self.stribeck_external),
                _ => motor,
            },
        ]
    }

    /// The load of the bristle inside: the level is a torque already.
    fn inside(at: &Drive<S>) -> Drive<S> {
        let load = S::select(at.pressed(), S::from(1.0), S::from(0.0));
        Drive { load, ..*at }
    }
}

/// Guards of the torques; they follow those of the bristle, and their modes stand behind the two of the bristle.
const TURNS: usize = 5;
const FIRST: usize = 2;

/// Runs a statement of the bristle inside.
macro_rules! inside {
    ($self:ident, $at:expr, $m:ident => $body:expr) => {
        match $self.bristle {
            Inner::Frbd => {
                let $m = $self.frbd($at.torques);
                $body
            }
            Inner::ElastoPlastic => {
                let $m = $self.elasto_plastic($at.torques);
                $body
            }
            Inner::Implicit => {
                let $m = $self.implicit($at.torques);
                $body
            }
        }
    };
}

/// Drive without torques, for what does not depend on them.
fn unloaded<S: Real>() -> Drive<S> {
    Drive::new(S::from(0.0), S::from(1.0))
}

impl<S: Real> Bristle<S> for Transmission<S> {
    fn states(&self) -> usize {
        1
    }
    fn variable(&self, _i: usize) -> Variable {
        Variable { unit: "rad", ..Variable::DEFLECTION }
    }
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        inside!(self, at, m => m.rate(&Self::inside(at), z, dz));
    }
    fn force(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> S {
        inside!(self, at, m => m.force(&Self::inside(at), z, dz))
    }
    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        inside!(self, at, m => m.steady(&Self::inside(at), z))
    }
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        inside!(self, at, m => m.energy(&Self::inside(at), z, dz))
    }
    fn passivity(&self) -> Passivity<S> {
        Passivity::always(
            "W = σ₀z²/2 with absolute stiffness: no proof for the bristle asks how its level changes, so this holds for \
             every torque history",
        )
    }
    /// Known where the level does not depend on the torques.
    fn bound(&self, z0: &[S], v_max: S, _load_max: S, out: &mut [S]) {
        let at = unloaded::<S>();
        inside!(self, at, m => m.bound(z0, v_max, S::from(1.0), out));
        let weights = [
            self.base_motor,
            self.base_external,
            self.stribeck_motor,
            self.stribeck_external,
            self.quad_motor,
            self.quad_external,
        ];
        let depends = weights.into_iter().fold(S::from(0.0), |sum, w| sum + w.abs());
        out[0] = S::select(depends.gt(S::from(0.0)), S::from(f64::INFINITY), out[0]);
    }
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        inside!(self, at, m => m.step(how, &Self::inside(at), h, z))
    }
    fn advance(
        &self,
        how: Update,
        at: &mut Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut [S],
    ) -> Option<S> {
        let (load, torques) = (at.load, at.torques);
        let mut within = Self::inside(at);
        let force = inside!(self, at, m => m.advance(how, &mut within, free, h, z))?;
        let mode = within.mode;
        *at = Drive {
            load,
            torques,
            mode: at.mode.with(0, mode.index[0]).with(1, mode.index[1]),
            ..within
        };
        Some(force)
    }
    fn solved_with_body(&self) -> bool {
        let at = unloaded::<S>();
        inside!(self, at, m => m.solved_with_body())
    }
    fn attracts(&self, at: &Drive<S>) -> S::Mask {
        inside!(self, at, m => m.attracts(&Self::inside(at)))
    }
    fn guards(&self) -> usize {
        let at = unloaded::<S>();
        TURNS + inside!(self, at, m => m.guards())
    }
    fn watch(&self, at: &Drive<S>, z: &[S], out: &mut [S]) {
        let own = out.len() - TURNS;
        inside!(self, at, m => m.watch(&Self::inside(at), z, &mut out[..own]));
        for (k, turn) in self.turns(at).into_iter().enumerate() {
            // A torque that is zero throughout does not change its sign.
            out[own + k] = turn * at.mode.index[FIRST + k] + f64::MIN_POSITIVE;
        }
    }
    fn begin(&self, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let mut mode = inside!(self, at, m => m.begin(&Self::inside(at), z));
        let (zero, one) = (S::from(0.0), S::from(1.0));
        for (k, turn) in self.turns(at).into_iter().enumerate() {
            mode = mode.with(FIRST + k, S::select(turn.lt(zero), -one, one));
        }
        mode
    }
    fn next(&self, k: usize, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let own = self.guards() - TURNS;
        if k >= own {
            let place = FIRST + k - own;
            return at.mode.with(place, -at.mode.index[place]);
        }
        let mode = inside!(self, at, m => m.next(k, &Self::inside(at), z));
        at.mode.with(0, mode.index[0]).with(1, mode.index[1])
    }
    fn side(&self, mode: &Mode<S>) -> S {
        let at = unloaded::<S>();
        inside!(self, at, m => m.side(mode))
    }
}
