//! Radau IIA of order 5, for whoever integrates along with a run.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5.

/// √6
pub(crate) const SQRT6: f64 = 2.449_489_742_783_178;

/// The nodes c.
pub const NODES: [f64; 3] = [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0];

/// The matrix A. Its last row holds the weights.
pub const MATRIX: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0],
    [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
];

/// The weights b.
pub const WEIGHTS: [f64; 3] = MATRIX[2];
