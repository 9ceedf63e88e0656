//! Dormand and Prince's explicit pair of order 5(4) with continuous extension.
//!
//! J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26; continuous extension of
//! order 4 and step control of E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential
//! Equations I, II.5-6.
use crate::method::{Start, Trial, norm, worst};
use crate::{Dense, Method, Options, Statistics, System, powf, vector};

/// Explicit, order 5: for systems that are not stiff.
#[derive(Clone, Copy, Debug)]
pub struct DormandPrince {
    /// The error of the last accepted step, for the proportional-integral controller.
    before: f64,
    rejected: bool,
}

const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Order 5 minus order 4.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];
/// The continuous extension.
const D: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

impl DormandPrince {
    /// Ready for a first step.
    pub fn new() -> Self {
        DormandPrince { before: 1e-4, rejected: false }
    }
}

impl Default for DormandPrince {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Method<N> for DormandPrince {
    const ESTIMATE_ORDER: u32 = 4;

    fn restart(&mut self) {
        *self = Self::new();
    }

    fn step<Sys: System<N>>(
        &mut self,
        system: &Sys,
        start: &Start<N>,
        h: f64,
        options: &Options<N>,
        statistics: &mut Statistics,
    ) -> Trial<N> {
        let y0 = &start.y;
        let mut k = [start.f; 7];
        let mut y = *y0;
        for s in 1..7 {
            y = vector(|i| y0[i] + h * (0..s).map(|j| A[s][j] * k[j][i]).sum::<f64>());
            k[s] = system.rate(start.t + C[s] * h, &y);
        }
        statistics.rhs += 6;
        let error: [f64; N] = vector(|i| h * (0..7).map(|j| E[j] * k[j][i]).sum::<f64>());
        let larger = vector(|i| y0[i].abs().max(y[i].abs()));
        let weight = options.weight(&larger);
        let err = norm(&error, &weight);
        if err.is_nan() || err > 1.0 {
            self.rejected = true;
            let shrink = if err.is_finite() { (0.9 * powf(err, -0.2)).max(0.2) } else { 0.1 };
            return Trial::Rejected { next: h * shrink, state: worst(&error, &weight) };
        }
        // Proportional-integral control damps the step's oscillation at the stability limit.
        let floor = err.max(1e-10);
        let grow = 0.9 * powf(floor, -0.17) * powf(self.before, 0.04);
        let grow = grow.clamp(0.2, if self.rejected { 1.0 } else { 10.0 });
        self.before = err.max(1e-4);
        self.rejected = false;
        let r2: [f64; N] = vector(|i| y[i] - y0[i]);
        let r3: [f64; N] = vector(|i| h * k[0][i] - r2[i]);
        let r4: [f64; N] = vector(|i| r2[i] - h * k[6][i] - r3[i]);
        let r5: [f64; N] = vector(|i| h * (0..7).map(|j| D[j] * k[j][i]).sum::<f64>());
        // y₀ + θ(r₂ + (1 − θ)(r₃ + θ(r₄ + (1 − θ)r₅))), by powers of θ.
        let c = [
            vector(|i| r2[i] + r3[i]),
            vector(|i| r4[i] - r3[i] + r5[i]),
            vector(|i| -r4[i] - 2.0 * r5[i]),
            r5,
        ];
        let dense = Dense { t0: start.t, h, y0: *y0, c };
        Trial::Accepted { dense, y, next: h * grow, state: worst(&error, &weight) }
    }
}
