//! What all models without a state share.
use super::{Drive, Memory};
use bristle_num::Real;

/// A model whose force depends on the drive alone and has the sign of the velocity.
///
/// Everything [`Bristle`](crate::Bristle) asks for follows: see [`memoryless!`](crate::memoryless).
pub trait Memoryless<S: Real> {
    /// The force, N, at a load that presses.
    fn force_at(&self, at: &Drive<S>) -> S;

    /// Where the force is not smooth besides v = 0: one of them changes sign there.
    #[inline(always)]
    fn edges(&self, _at: &Drive<S>) -> [S; 2] {
        [S::from(1.0); 2]
    }

    /// The discrete memory after an accepted step.
    #[inline(always)]
    fn committed(&self, at: &Drive<S>) -> Memory<S> {
        at.memory
    }

    /// The least and greatest force at v = 0, for models that are set-valued there.
    #[inline(always)]
    fn limits_at(&self, _at: &Drive<S>) -> Option<[S; 2]> {
        None
    }
}

/// Makes a [`Memoryless`] model a [`Bristle`](crate::Bristle): `memoryless!(Static<S, L: Law>);`.
#[macro_export]
macro_rules! memoryless {
    ($Model:ident < S $(, $L:ident : $Bound:ident)? >) => {
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
            #[inline(always)]
            fn steady(&self, at: &$crate::Drive<S>, _z: &mut [S]) -> S {
                $crate::Bristle::force(self, at, &[], &[])
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
                _h: S,
                _z: &mut [S],
            ) -> Option<S> {
                Some($crate::Bristle::force(self, at, &[], &[]))
            }
            #[inline(always)]
            fn guards(&self, at: &$crate::Drive<S>, _z: &[S]) -> [S; $crate::GUARDS] {
                {
                let [low, high] = $crate::Memoryless::edges(self, at);
                [at.v, low, high]
            }
            }
            #[inline(always)]
            fn commit(&self, at: &$crate::Drive<S>, _z: &[S]) -> $crate::Memory<S> {
                $crate::Memoryless::committed(self, at)
            }
            #[inline(always)]
            fn limits(&self, at: &$crate::Drive<S>) -> Option<[S; 2]> {
                let on = |f: S| S::select(at.pressed(), f, S::from(0.0));
                $crate::Memoryless::limits_at(self, at).map(|limits| limits.map(on))
            }
        }
    };
}
