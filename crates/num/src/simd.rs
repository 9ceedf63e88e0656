//! The widest SIMD instructions of the machine, chosen at run time.
//!
//! [`widest`] runs a closure compiled once for AVX2 and once for the baseline, and picks by what
//! the processor can do. What the closure calls must be inlined into it to gain: all of
//! [`Lanes`](crate::Lanes) and the kernels built on it are. Closures are functions too: mark those
//! of your own `#[inline(always)]`, or write plain loops.
//!
//! ```
//! use bristle_num::{Lanes, Real, simd};
//! let x = [Lanes([0.5, 1.0, 1.5, 2.0]); 64];
//! let y = simd::widest(
//!     #[inline(always)]
//!     || x.map(|x| (-x * x).exp()),
//! );
//! assert!((y[0].0[1] - (-1.0f64).exp()).abs() < 1e-15);
//! ```

/// Whether [`widest`] uses AVX2 on this machine.
#[inline]
pub fn has_avx2() -> bool {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    return cfg!(target_feature = "avx2");
}

/// Runs `f` with AVX2 where the machine has it.
///
/// The choice changes speed, never a bit of the result: no operation of this crate is fused on one machine and
/// not on another, or reordered.
#[inline]
pub fn widest<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if has_avx2() {
        // SAFETY: the processor was just found to support AVX2, all that `avx2` asks for.
        #[allow(unsafe_code)]
        return unsafe { avx2(f) };
    }
    f()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}
