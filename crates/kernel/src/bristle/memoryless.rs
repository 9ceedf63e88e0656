//! What all models without a state share.
use super::Drive;
use bristle_num::Real;

/// A model whose force depends on the drive alone, mode included, and has the sign of the velocity.
///
/// Everything [`Bristle`](crate::Bristle) asks for follows: see [`memoryless!`](crate::memoryless).
pub trait Memoryless<S: Real> {
    /// The force, N, at a load that presses.
    fn force_at(&self, at: &Drive<S>) -> S;

    /// The mean force over `h` seconds at frozen velocity, from the position and in the mode at their start, at a load
    /// that presses.
    #[inline(always)]
    fn mean_force(&self, at: &Drive<S>, _h: S) -> S {
        self.force_at(at)
    }

    /// The least and greatest force at v = 0, for models that are set-valued there.
    #[inline(always)]
    fn limits_at(&self, _at: &Drive<S>) -> Option<[S; 2]> {
        None
    }
}

/// Makes a [`Memoryless`] model a [`Bristle`](crate::Bristle). Its guards and modes stand in braces:
/// `memoryless!(Static<S, L: Law> { … });`.
#[macro_export]
macro_rules! memoryless {
    ($Model:ident < S $(, $L:ident : $Bound:ident)? > { $($modes:item)* }) => {
        impl<S: $crate::Real $(, $L: $crate::$Bound<S>)?> $crate::Bristle<S> for $Model<S $(, $L)?> {
            #[inline(always)]
            fn states(&self) -> usize {
                0
            }
            fn variable(&self, _i: usize) -> $crate::Variable {
                $crate::Variable::DEFLECTION
            }
            #[inline(always)]
            fn rate(&self, _at: &$crate::Drive<S>, _z: &[S], _dz: &mut [S]) {}
            #[inline(always)]
            fn force(&self, at: &$crate::Drive<S>, _z: &[S], _dz: &[S]) -> S {
                S::select(at.pressed(), $crate::Memoryless::force_at(self, at), S::from(0.0))
            }
            /// The force in the mode in which a motion at this drive begins.
            #[inline(always)]
            fn steady(&self, at: &$crate::Drive<S>, _z: &mut [S]) -> S {
                let mode = $crate::Bristle::begin(self, at, &[]);
                $crate::Bristle::force(self, &$crate::Drive { mode, ..*at }, &[], &[])
            }
            #[inline(always)]
            fn energy(&self, at: &$crate::Drive<S>, z: &[S], dz: &[S]) -> $crate::Energy<S> {
                let dissipated = $crate::Bristle::force(self, at, z, dz) * at.v;
                let known = <S::Mask as $crate::Logic>::splat(true);
                $crate::Energy { stored: S::from(0.0), dissipated, known }
            }
            fn passivity(&self) -> $crate::Passivity<S> {
                $crate::Passivity::always("F v ≥ 0 at every instant; nothing is stored")
            }
            fn bound(&self, _z0: &[S], _v_max: S, _load_max: S, _out: &mut [S]) {}
            #[inline(always)]
            fn step(
                &self,
                _how: $crate::Update,
                at: &$crate::Drive<S>,
                h: S,
                _z: &mut [S],
            ) -> Option<S> {
                Some(S::select(at.pressed(), $crate::Memoryless::mean_force(self, at, h), S::from(0.0)))
            }
            /// Where it is set-valued at rest: there its force jumps.
            #[inline(always)]
            fn solved_with_body(&self) -> bool {
                let at = $crate::Drive::new(S::from(0.0), S::from(1.0));
                $crate::Memoryless::limits_at(self, &at).is_some()
            }
            #[inline(always)]
            fn limits(&self, at: &$crate::Drive<S>) -> Option<[S; 2]> {
                let on = |f: S| S::select(at.pressed(), f, S::from(0.0));
                $crate::Memoryless::limits_at(self, at).map(|limits| limits.map(on))
            }
            $($modes)*
        }
    };
}
