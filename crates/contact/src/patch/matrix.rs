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

/// A vector turned and stretched by another: the product bc of complex numbers x + iy.
#[inline(always)]
pub fn turned<S: Real>(b: [S; 2], c: [S; 2]) -> [S; 2] {
    [b[0].mul_add(c[0], -(b[1] * c[1])), b[0].mul_add(c[1], b[1] * c[0])]
}
