//! What a field of bristles in a plane asks of each of them.
use crate::Sym2;
use bristle_num::Real;

/// A 2×2 matrix, by rows.
pub type Matrix2<S> = [[S; 2]; 2];

/// ż = B u − A z at one sliding velocity: how a bristle follows and forgets.
#[derive(Clone, Copy, Debug)]
pub struct Response<S> {
    /// A, 1/s: what deviations die out with.
    pub forget: Matrix2<S>,
    /// B, a pure number: what the velocity u is followed with.
    pub follow: Matrix2<S>,
}

/// The same where no direction is preferred: both matrices are multiples of the identity.
#[derive(Clone, Copy, Debug)]
pub struct ScalarResponse<S> {
    /// A, 1/s.
    pub forget: S,
    /// B, a pure number.
    pub follow: S,
}

/// A bristle in the plane that is linear in its deflection, per unit load:
/// ż = B(v)u − A(v)z, f = Σ₀z + Σ₁ż.
///
/// v is the velocity at which A and B are taken, u the one that is followed: the same in a lumped
/// element; in rolling contact with large spin, 004 (55) keeps them apart.
pub trait Planar<S: Real> {
    /// Σ₀, 1/m.
    fn stiffness(&self) -> Sym2<S>;

    /// Σ₁, s/m.
    fn damping(&self) -> Sym2<S>;

    /// A and B at sliding velocity v.
    fn response(&self, v: [S; 2]) -> Response<S>;

    /// Whether no direction is preferred, so that A and B are numbers.
    fn is_alike(&self) -> bool;

    /// A and B at a speed, given its square, of a bristle that prefers no direction.
    fn scalar_response(&self, speed_squared: S) -> ScalarResponse<S>;

    /// An upper bound of the eigenvalues of A for speeds up to `v_max`, 1/s.
    fn fastest(&self, v_max: S) -> S;

    /// An upper bound of the friction coefficient for speeds up to `v_max`, whatever the direction.
    fn highest(&self, v_max: S) -> S;
}
