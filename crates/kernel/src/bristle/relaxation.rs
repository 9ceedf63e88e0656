//! What all models with one state that is linear in it share.
use super::{Drive, Energy, LIFT_OFF_TIME, Passivity, Update};
use bristle_num::{Logic, Real, special::phi12};

/// ż = b − a z, the bristle equation at frozen drive.
#[derive(Clone, Copy, Debug)]
pub struct Relaxation<S> {
    /// The rate at which deviations die out, a ≥ 0, 1/s.
    pub a: S,
    /// The rate of an undeflected bristle, m/s.
    pub b: S,
}

impl<S: Real> Relaxation<S> {
    /// An undamped bristle that forgets at the rate `a` in contact; at lift-off its force dies out
    /// in [`LIFT_OFF_TIME`].
    #[inline(always)]
    pub fn undamped(at: &Drive<S>, a: S) -> Self {
        let on = at.pressed();
        Relaxation {
            a: S::select(on, a, S::from(1.0 / LIFT_OFF_TIME)),
            b: S::select(on, at.input(), S::from(0.0)),
        }
    }

    /// The energy of an undamped bristle of that stiffness, N/m: W = ½kz², D = k a z².
    #[inline(always)]
    pub fn undamped_energy(&self, stiffness: S, z: S) -> Energy<S> {
        Energy {
            stored: stiffness * z * z * 0.5,
            dissipated: stiffness * self.a * z * z,
            known: S::Mask::splat(true),
        }
    }

    /// ż at z.
    #[inline(always)]
    pub fn rate(&self, z: S) -> S {
        self.b - self.a * z
    }

    /// Advances `z` by `h` seconds; gives the mean of z and of ż over the step, which is where the
    /// force, linear in both, has its mean.
    #[inline(always)]
    pub fn advance(&self, how: Update, h: S, z: &mut S) -> (S, S) {
        let (start, a, b) = (*z, self.a, self.b);
        match how {
            // z⁺ = ((1 − ah/2) z + hb)/(1 + ah/2). W is quadratic, so W(z⁺) − W(z) is exactly
            // h times Ẇ at the midpoint: the balance of the continuous model holds for every h.
            Update::Midpoint => {
                let rate = (b - a * start) / (a * h * 0.5 + 1.0);
                *z = start + h * rate;
                (start + h * rate * 0.5, rate)
            }
            Update::End => {
                let rate = (b - a * start) / (a * h + 1.0);
                *z = start + h * rate;
                (*z, rate)
            }
            Update::Exponential => {
                let (one, two) = phi12(-a * h);
                let rate = (b - a * start) * one;
                *z = start + h * rate;
                (start + h * (b - a * start) * two, rate)
            }
        }
    }
}

/// A model with one state z that obeys ż = b − a z at frozen drive.
///
/// Everything [`Bristle`](crate::Bristle) asks for follows from these statements: see
/// [`relaxing!`](crate::relaxing).
pub trait Relaxing<S: Real> {
    /// a and b of the bristle equation.
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S>;

    /// The force, N, at deflection `z` and rate `dz`.
    fn force_of(&self, at: &Drive<S>, z: S, dz: S) -> S;

    /// The deflection at which ż = 0.
    fn settled(&self, at: &Drive<S>) -> S;

    /// The stored energy and dissipated power.
    fn energy_of(&self, at: &Drive<S>, z: S, dz: S) -> Energy<S>;

    /// What is known of passivity.
    fn passivity_of(&self) -> Passivity<S>;

    /// The largest |z| at which the element can settle. The bristle equation pushes every larger
    /// deflection back, so this bounds z for ever: 000 Lemma III.1.
    fn reach(&self, v_max: S, load_max: S) -> S;
}

/// Makes a [`Relaxing`] model a [`Bristle`](crate::Bristle): `relaxing!(Frbd<S, L: Law>);`. Its kink is
/// v = 0, and its rate takes |v| from [`Drive::speed`](crate::Drive::speed). A model with other modes states its guards in braces: `relaxing!(Ffbm<S> { … });`.
///
/// A macro, because a blanket implementation would rule out every other one.
#[macro_export]
macro_rules! relaxing {
    ($Model:ident < S $(, $L:ident : $Bound:ident)? >) => {
        $crate::relaxing!($Model<S $(, $L: $Bound)?> {
            #[inline(always)]
            fn guards(&self) -> usize {
                1
            }
            #[inline(always)]
            fn kinks(&self, at: &$crate::Drive<S>, _z: &[S], out: &mut [S]) {
                out[0] = at.v;
            }
            #[inline(always)]
            fn side(&self, mode: &$crate::Mode<S>) -> S {
                mode.index[0]
            }
        });
    };
    ($Model:ident < S $(, $L:ident : $Bound:ident)? > { $($modes:item)* }) => {
        impl<S: $crate::Real $(, $L: $crate::$Bound<S>)?> $crate::Bristle<S> for $Model<S $(, $L)?> {
            #[inline(always)]
            fn states(&self) -> usize {
                1
            }
            #[inline(always)]
            fn variable(&self, _i: usize) -> $crate::Variable {
                $crate::Variable::DEFLECTION
            }
            #[inline(always)]
            fn rate(&self, at: &$crate::Drive<S>, z: &[S], dz: &mut [S]) {
                dz[0] = $crate::Relaxing::relaxation(self, at).rate(z[0]);
            }
            #[inline(always)]
            fn force(&self, at: &$crate::Drive<S>, z: &[S], dz: &[S]) -> S {
                $crate::Relaxing::force_of(self, at, z[0], dz[0])
            }
            #[inline(always)]
            fn steady(&self, at: &$crate::Drive<S>, z: &mut [S]) -> S {
                z[0] = $crate::Relaxing::settled(self, at);
                $crate::Relaxing::force_of(self, at, z[0], S::from(0.0))
            }
            #[inline(always)]
            fn energy(&self, at: &$crate::Drive<S>, z: &[S], dz: &[S]) -> $crate::Energy<S> {
                $crate::Relaxing::energy_of(self, at, z[0], dz[0])
            }
            #[inline(always)]
            fn passivity(&self) -> $crate::Passivity<S> {
                $crate::Relaxing::passivity_of(self)
            }
            #[inline(always)]
            fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
                out[0] = $crate::Real::max($crate::Real::abs(z0[0]), $crate::Relaxing::reach(self, v_max, load_max));
            }
            #[inline(always)]
            fn step(&self, how: $crate::Update, at: &$crate::Drive<S>, h: S, z: &mut [S]) -> Option<S> {
                let relaxation = $crate::Relaxing::relaxation(self, at);
                let mut free = z[0];
                let (mean, rate) = relaxation.advance(how, h, &mut z[0]);
                if !$crate::Logic::all(at.pressed()) {
                    // In the air nothing is to be balanced: the bristle relaxes as it does.
                    relaxation.advance($crate::Update::Exponential, h, &mut free);
                    z[0] = S::select(at.pressed(), z[0], free);
                }
                Some($crate::Relaxing::force_of(self, at, mean, rate))
            }
            $($modes)*
        }
    };
}
