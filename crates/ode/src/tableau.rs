//! Radau IIA of order 9, for whoever integrates along with a run: exact over the longest steps that a run takes.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.5. `tools/reference/radau.py` computes the
//! nodes; the matrix follows from them.

/// How many stages there are.
pub const STAGES: usize = 5;

/// The nodes c.
pub const NODES: [f64; STAGES] = [
    0.057104196114517682193,
    0.27684301363812382768,
    0.58359043236891682006,
    0.86024013565621944785,
    1.0000000000000000000,
];

/// The matrix A. Its last row holds the weights.
pub const MATRIX: [[f64; STAGES]; STAGES] = [
    [
        0.072998864317903324306,
        -0.026735331107945571878,
        0.018676929763984354412,
        -0.012879106093306439854,
        0.0050428392338820152067,
    ],
    [
        0.15377523147918246867,
        0.14621486784749350665,
        -0.036444568905128089527,
        0.021233063119304719422,
        -0.0079355799027287775326,
    ],
    [
        0.14006304568480987151,
        0.29896712949128347940,
        0.16758507013524896344,
        -0.033969101686617746572,
        0.010944288744192252274,
    ],
    [
        0.14489430810953475754,
        0.27650006876015922756,
        0.32579792291042102998,
        0.12875675325490976116,
        -0.015708917378805328388,
    ],
    [
        0.14371356079122594132,
        0.28135601514946206019,
        0.31182652297574125408,
        0.22310390108357074440,
        0.040000000000000000000,
    ],
];

/// The weights b.
pub const WEIGHTS: [f64; STAGES] = MATRIX[STAGES - 1];

#[cfg(test)]
mod tests {
    use super::*;

    /// Aᵢ integrates θᵏ from 0 to cᵢ for k < 5, and the weights do over the whole step for k < 9.
    #[test]
    fn stages_and_weights_integrate_powers() {
        for k in 0..9 {
            let integral = |row: &[f64; STAGES]| {
                row.iter().zip(NODES).map(|(a, c)| a * c.powi(k)).sum::<f64>()
            };
            let exact = |c: f64| c.powi(k + 1) / f64::from(k + 1);
            assert!((integral(&WEIGHTS) - exact(1.0)).abs() < 1e-15, "{k}");
            for (row, c) in MATRIX.iter().zip(NODES).filter(|_| k < 5) {
                assert!((integral(row) - exact(c)).abs() < 1e-15, "{k}");
            }
        }
    }
}
