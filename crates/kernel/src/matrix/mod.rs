//! Friction matrices: friction in a plane that may depend on direction. One file each, listed
//! below.
use crate::AnyLaw;
use bristle_num::Real;

/// A symmetric 2×2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sym2<S> {
    /// Upper left.
    pub xx: S,
    /// Off the diagonal.
    pub xy: S,
    /// Lower right.
    pub yy: S,
}

impl<S: Real> Sym2<S> {
    /// The matrix times a vector.
    #[inline(always)]
    pub fn times(&self, v: [S; 2]) -> [S; 2] {
        [self.xx * v[0] + self.xy * v[1], self.xy * v[0] + self.yy * v[1]]
    }
    /// The matrix times a number.
    #[inline(always)]
    pub fn scaled(&self, s: S) -> Self {
        Sym2 { xx: self.xx * s, xy: self.xy * s, yy: self.yy * s }
    }
    /// The sum of two matrices.
    #[inline(always)]
    pub fn plus(&self, o: &Self) -> Self {
        Sym2 { xx: self.xx + o.xx, xy: self.xy + o.xy, yy: self.yy + o.yy }
    }
    /// The matrix times itself.
    #[inline(always)]
    pub fn squared(&self) -> Self {
        Sym2 {
            xx: self.xx * self.xx + self.xy * self.xy,
            xy: self.xy * (self.xx + self.yy),
            yy: self.xy * self.xy + self.yy * self.yy,
        }
    }
    /// The determinant.
    #[inline(always)]
    pub fn det(&self) -> S {
        self.xx * self.yy - self.xy * self.xy
    }
    /// The inverse; entries are infinite where there is none.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let d = S::from(1.0) / self.det();
        Sym2 { xx: self.yy * d, xy: -self.xy * d, yy: self.xx * d }
    }
    /// The matrix times another; the product need not be symmetric.
    #[inline(always)]
    pub fn product(&self, o: &Self) -> [[S; 2]; 2] {
        [
            [self.xx * o.xx + self.xy * o.xy, self.xx * o.xy + self.xy * o.yy],
            [self.xy * o.xx + self.yy * o.xy, self.xy * o.xy + self.yy * o.yy],
        ]
    }
    /// vᵀ A v.
    #[inline(always)]
    pub fn form(&self, v: [S; 2]) -> S {
        let w = self.times(v);
        v[0] * w[0] + v[1] * w[1]
    }
    /// The least and the greatest eigenvalue of a positive semidefinite matrix.
    #[inline(always)]
    pub fn eigenvalues(&self) -> [S; 2] {
        let mean = (self.xx + self.yy) * 0.5;
        let most = mean + ((self.xx - self.yy) * 0.5).hypot(self.xy);
        // det/most instead of mean − …: no cancellation for a nearly singular matrix.
        let zero = S::from(0.0);
        [S::select(most.gt(zero), self.det() / most, zero), most]
    }
}

/// A friction matrix M(v) ≻ 0, 004 (12). Sliding at v under unit load the force is
/// M²v/‖Mv‖ (14), which dissipates most among all forces with ‖M⁻¹f‖ ≤ 1.
pub trait FrictionMatrix<S: Real> {
    /// M at sliding velocity v.
    fn matrix(&self, v: [S; 2]) -> Sym2<S>;
    /// An upper bound of the eigenvalues of M for speeds up to `v_max`.
    fn highest(&self, v_max: S) -> S;
    /// A lower bound of the eigenvalues of M.
    fn lowest(&self) -> S;
    /// Whether M is a multiple of the identity.
    #[inline(always)]
    fn is_scalar(&self) -> bool {
        false
    }
    /// What M is a multiple of the identity by, at a speed; where directions differ, a number of no
    /// meaning.
    #[inline(always)]
    fn scalar(&self, speed: S) -> S {
        self.matrix([speed, S::from(0.0)]).xx
    }
}

catalog! {
    /// Any friction matrix of the catalogue, over any law.
    AnyMatrix (AnyLaw<S>) by each:
    isotropic::Isotropic<AnyLaw>,
    diagonal::Diagonal<AnyLaw>,
    full::Full<AnyLaw>,
}

impl<S: Real> FrictionMatrix<S> for AnyMatrix<S> {
    #[inline(always)]
    fn matrix(&self, v: [S; 2]) -> Sym2<S> {
        each!(self, m => m.matrix(v))
    }
    #[inline(always)]
    fn highest(&self, v_max: S) -> S {
        each!(self, m => m.highest(v_max))
    }
    #[inline(always)]
    fn lowest(&self) -> S {
        each!(self, m => m.lowest())
    }
    #[inline(always)]
    fn is_scalar(&self) -> bool {
        each!(self, m => m.is_scalar())
    }
    #[inline(always)]
    fn scalar(&self, speed: S) -> S {
        each!(self, m => m.scalar(speed))
    }
}
