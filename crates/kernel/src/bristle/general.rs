//! The procedure of 000 for bristles of one's own: any rheology, any law, any number of passes.
//!
//! ```text
//! F_b = f(ż, z, v)                                                  (2a)
//! H(ż, z, v) = f(ż, z, v) − sgn(v_S) μ(v_S),   v_S = v − ż          (6)
//! ż_{j+1} = ż_j − (∂H/∂ż)⁻¹ H(ż_j, z, v),   ż₀ = 0                  (7)
//! ∂H/∂ż ≈ ∂f/∂ż + μ(v_S)/|v_S|                                      (8)
//! ż = −(|v|/g)(f(0, z, v) − μ(v) sgn v)                             (9), (10)
//! g = ∂f(0, z*, v)/∂ż |v| + μ(v)                                    (12)
//! ```
//!
//! Equation numbers of 000, f and μN in newtons. (9), (10) are one pass of (7); ∂f/∂ż comes from dual numbers. Where
//! (12) takes it, and whether later passes take it anew, is [`Inversion`]: at the present deflection and anew (002 (10)) every
//! f = e(z) + σ₁(z, v)ż is passive for any number of passes. As printed it is not: see the members.
use super::{Bristle, Drive, Energy, Mode, Passivity, Variable, free_rate};
use crate::{Cast, Law, choice};
use bristle_num::{Dual, Logic, Real};

/// What a bristle does: f(ż, z, v), N, under a load N.
pub trait Rheology<S: Real> {
    /// f(ż, z, v), N, under `load` > 0.
    fn force(&self, dz: S, z: S, v: S, load: S) -> S;

    /// The stored energy W(z) with ∂W/∂z = f(0, z, v), J; `None` where the spring depends on v, so that there is none.
    fn stored(&self, z: S, load: S) -> Option<S>;

    /// How fast it relaxes off the ground, 1/s.
    fn relaxing(&self) -> S;
}

choice! {
    /// Where the slope of the rheology is taken.
    Inversion {
        /// at the present deflection, and anew in each pass: passive for every damper linear in ż
        Present = "present",
        /// at the settled deflection z*(v), as (12) prints it: not passive where the damper depends on z
        Settled = "settled",
        /// with the slope of the first pass kept, as (7) prints it: not passive beyond one pass
        Frozen = "frozen",
        /// left out of g: LuGre, not passive
        Neglected = "neglected",
    }
}

/// A bristle of that rheology over a law.
///
/// ```
/// use bristle_kernel::bristle::general::{General, KelvinVoigt};
/// use bristle_kernel::{Bristle, Drive, Start, law::Stribeck};
///
/// let law: Stribeck<f64> = Stribeck::start(());
/// let frbd = General::new(KelvinVoigt { sigma0: 1e4, sigma1: 64.5 }, law);
/// let mut dz = [0.0];
/// let force = frbd.eval(&Drive::new(0.02, 1.0), &[1e-4], &mut dz);
/// assert!(force > 0.0 && frbd.passivity().known);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct General<R, L> {
    /// The bristle.
    pub rheology: R,
    /// The friction law μ(v).
    pub law: L,
    /// Where the slope is taken.
    pub inversion: Inversion,
    /// How often (7) is done: 1 is 000's first-order model, many the implicit bristle.
    pub passes: usize,
    /// Whether the spring is absolute, f without a factor of the load, and f linear in ż with a damper ≥ 0: claimed by
    /// who writes the rheology.
    pub linear: bool,
}

impl<R, L> General<R, L> {
    /// One pass at the present deflection.
    pub fn new(rheology: R, law: L) -> Self {
        General { rheology, law, inversion: Inversion::Present, passes: 1, linear: true }
    }
}

impl<R: Cast<f64>, L: Cast<f64>> Cast<f64> for General<R, L> {
    type Over<T: Real> = General<R::Over<T>, L::Over<T>>;
    fn cast<T: Real>(&self, f: &mut impl FnMut(f64) -> T) -> Self::Over<T> {
        let General { inversion, passes, linear, .. } = *self;
        let (rheology, law) = (self.rheology.cast(f), self.law.cast(f));
        General { rheology, law, inversion, passes, linear }
    }
}

impl<R, L> General<R, L> {
    /// f and ∂f/∂ż.
    #[inline(always)]
    fn sloped<S: Real>(&self, dz: S, z: S, v: S, load: S) -> [S; 2]
    where
        R: Cast<S>,
        R::Over<Dual<S, 1>>: Rheology<Dual<S, 1>>,
    {
        let dual = self.rheology.cast(&mut |x| Dual::<S, 1>::constant(x));
        let [z, v, load] = [z, v, load].map(Dual::constant);
        let f = dual.force(Dual::variable(dz, 0), z, v, load);
        [f.re, f.eps[0]]
    }

    /// The deflection at which the bristle holds `force`, by Newton's method with ∂f/∂z from duals.
    #[inline(always)]
    fn holding<S: Real>(&self, force: S, v: S, load: S) -> S
    where
        R: Cast<S>,
        R::Over<Dual<S, 1>>: Rheology<Dual<S, 1>>,
    {
        let dual = self.rheology.cast(&mut |x| Dual::<S, 1>::constant(x));
        let (zero, speed, load) = (Dual::from(0.0), Dual::constant(v), Dual::constant(load));
        let mut z = S::from(0.0);
        for _ in 0..60 {
            let f = dual.force(zero, Dual::variable(z, 0), speed, load);
            let step = (f.re - force) / f.eps[0];
            z = z - step;
            if step.abs().le(z.abs() * S::EPSILON).all() {
                break;
            }
        }
        z
    }

    #[inline(always)]
    fn inverted<S: Real>(&self, at: &Drive<S>, z: S) -> S
    where
        L: Law<S>,
        R: Cast<S>,
        R::Over<Dual<S, 1>>: Rheology<Dual<S, 1>>,
    {
        let (n, v, zero) = (at.divisor(), at.input(), S::from(0.0));
        let mut rate = zero;
        let mut frozen = None;
        for pass in 0..self.passes {
            // |v| of the first pass may be continued beyond v = 0.
            let speed = if pass == 0 { at.speed(zero) } else { (v - rate).abs() };
            let level = n * self.law.level(if pass == 0 { at.v } else { speed });
            let [f, slope] = self.sloped(rate, z, v, n);
            let slope = match self.inversion {
                Inversion::Present | Inversion::Frozen => slope,
                Inversion::Neglected => zero,
                Inversion::Settled => {
                    let settled = self.holding(level * v.sign(), v, n);
                    self.sloped(zero, settled, v, n)[1]
                }
            };
            // (μ/|u|) u = μ sgn u, also at u = 0, where the step below vanishes with |u|.
            let (slope, inverse) = match (self.inversion, frozen) {
                (Inversion::Frozen, Some((slope, inverse))) => (slope, inverse),
                _ => (slope, speed / level),
            };
            frozen = Some((slope, inverse));
            let gap = if pass == 0 {
                // f − μ sgn v times |v|/μ, without a sign at v = 0.
                inverse * f - v
            } else {
                inverse * (f - level * (v - rate).sign())
            };
            rate = rate - gap / (slope * inverse + 1.0);
        }
        rate
    }
}

impl<S, R, L> Bristle<S> for General<R, L>
where
    S: Real,
    L: Law<S>,
    R: Rheology<S> + Cast<S>,
    R::Over<Dual<S, 1>>: Rheology<Dual<S, 1>>,
{
    fn states(&self) -> usize {
        1
    }
    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let free = -self.rheology.relaxing() * z[0];
        dz[0] = S::select(at.pressed(), self.inverted(at, z[0]), free);
    }
    fn force(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> S {
        let force = self.rheology.force(dz[0], z[0], at.v, at.divisor());
        S::select(at.pressed(), force, S::from(0.0))
    }
    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let force = at.v.sign() * at.divisor() * self.law.level(at.v);
        let settled = self.holding(force, at.v, at.divisor());
        z[0] = S::select(at.pressed(), settled, S::from(0.0));
        self.force(at, z, &[S::from(0.0)])
    }

    /// Without a storage function nothing is stored: what goes in is entered as lost, and comes out of the loss again.
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        let (n, zero) = (at.divisor(), S::from(0.0));
        let stored = self.rheology.stored(z[0], n);
        let power = self.force(at, z, dz) * at.v;
        let rising = match stored {
            Some(_) => self.rheology.force(zero, z[0], at.v, n) * dz[0],
            None => zero,
        };
        let known = self.passivity().known;
        let stored = S::select(at.pressed(), stored.unwrap_or(zero), zero);
        let rising = S::select(at.pressed(), rising, zero);
        Energy { stored, dissipated: power - rising, known }
    }

    fn passivity(&self) -> Passivity<S> {
        let zero = S::from(0.0);
        let stored = self.rheology.stored(zero, S::from(1.0)).is_some();
        if stored && self.linear && self.inversion == Inversion::Present {
            return Passivity::always(
                "f = e(z) + σ₁(z,v)ż with its slope at the present z: F, the trial force and the tip's velocity have \
                 one sign in every pass",
            );
        }
        let why = match self.inversion {
            _ if !stored => {
                "a spring that depends on v is loaded soft and unloaded stiff: no storage function"
            }
            Inversion::Present => "f is not linear in ż: passive in the limit of many passes only",
            Inversion::Settled => "the slope at z*(v), (12), is not that of the bristle as it is",
            Inversion::Frozen => {
                "with the slope of the first pass kept, later passes turn the tip round"
            }
            Inversion::Neglected => "without the damper in g it is LuGre, whose damper pushes",
        };
        Passivity { known: S::Mask::splat(false), margin: -S::from(f64::INFINITY), why }
    }

    fn bound(&self, _z0: &[S], _v_max: S, _load_max: S, out: &mut [S]) {
        out[0] = S::from(f64::INFINITY);
    }
    fn guards(&self) -> usize {
        1
    }
    fn kinks(&self, at: &Drive<S>, _z: &[S], out: &mut [S]) {
        out[0] = at.v;
    }
    fn side(&self, mode: &Mode<S>) -> S {
        mode.index[0]
    }
}

/// f = σ₀z + σ₁ż with absolute coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KelvinVoigt<S> {
    /// σ₀, N/m.
    pub sigma0: S,
    /// σ₁, N·s/m.
    pub sigma1: S,
}

impl<S: Real> Cast<S> for KelvinVoigt<S> {
    type Over<T: Real> = KelvinVoigt<T>;
    fn cast<T: Real>(&self, f: &mut impl FnMut(S) -> T) -> KelvinVoigt<T> {
        KelvinVoigt { sigma0: f(self.sigma0), sigma1: f(self.sigma1) }
    }
}

impl<S: Real> Rheology<S> for KelvinVoigt<S> {
    fn force(&self, dz: S, z: S, _v: S, _load: S) -> S {
        self.sigma0 * z + self.sigma1 * dz
    }
    fn stored(&self, z: S, _load: S) -> Option<S> {
        Some(self.sigma0 * z * z * 0.5)
    }
    fn relaxing(&self) -> S {
        free_rate(self.sigma0, self.sigma1)
    }
}
