//! Two by two.
use bristle_kernel::{Matrix2, Real};

/// The matrix times a vector.
#[inline(always)]
pub fn times<S: Real>(m: &Matrix2<S>, v: [S; 2]) -> [S; 2] {
    [m[0][0] * v[0] + m[0][1] * v[1], m[1][0] * v[0] + m[1][1] * v[1]]
}

/// The matrix times another.
#[inline(always)]
pub fn product<S: Real>(a: &Matrix2<S>, b: &Matrix2<S>) -> Matrix2<S> {
    let (p, q) = (times(a, [b[0][0], b[1][0]]), times(a, [b[0][1], b[1][1]]));
    [[p[0], q[0]], [p[1], q[1]]]
}

/// The inverse of a matrix that has one.
#[inline(always)]
pub fn inverse<S: Real>(m: &Matrix2<S>) -> Matrix2<S> {
    let d = S::from(1.0) / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    [[m[1][1] * d, -(m[0][1] * d)], [-(m[1][0] * d), m[0][0] * d]]
}
