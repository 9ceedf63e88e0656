//! Steady rolling by one method with a computed error: panels of the inflow boundary, bundles of paths, cells along them,
//! refined where two rules differ most.
//!
//! It stands beside [`Steady`](super::Steady), which it is to replace: it is slower, has no threshold that was read off
//! trials, and its estimate is a difference of rules that were evaluated.
pub mod bristles;
mod march;
mod rules;
mod spinless;
mod steady;

pub use steady::Steady;

use super::march::Motion;
use bristle_kernel::Real;

impl<S: Real> Motion<S> {
    /// The slip velocity v̄_r of a bristle that is deflected by z, 004 (50).
    #[inline(always)]
    fn felt_at(&self, slip: [S; 2], z: [S; 2]) -> [S; 2] {
        [slip[0] + self.phi2 * z[1], slip[1] - self.phi2 * z[0]]
    }
}

impl Motion<f64> {
    /// Whether bristles stay undeflected.
    fn is_free(&self) -> bool {
        self.sigma == [0.0; 2] && self.phi == 0.0
    }

    /// Whether all bristles see the same slip and travel along x.
    fn is_spinless(&self) -> bool {
        self.phi == 0.0 && self.phi2 == 0.0 && self.flow.is_along_x()
    }

    /// Where v̄_r vanishes for a bristle that is deflected by z, if it does.
    fn zero_of_slip(&self, z: [f64; 2]) -> Option<[f64; 2]> {
        let [sx, sy] = self.sigma;
        (self.phi != 0.0)
            .then(|| [-(sy + self.phi2 * z[0]) / self.phi, (sx - self.phi2 * z[1]) / self.phi])
    }

    /// A bound of |v̄| for places no further than `radius` from the middle of the patch.
    fn fastest(&self, radius: f64) -> f64 {
        self.sigma[0].hypot(self.sigma[1]) + self.phi.abs() * radius
    }
}
