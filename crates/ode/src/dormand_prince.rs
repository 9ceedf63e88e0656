//! Dormand and Prince's explicit pair of order 5(4) with continuous extension.
//!
//! J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26; continuous extension of
//! order 4 and step control of E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential
//! Equations I, II.5-6.
use crate::method::{Start, Trial, norm, worst};
use crate::{Method, Options, Polynomial, Statistics, Storage, System, powf};

/// Explicit, order 5: for systems that are not stiff.
#[derive(Clone, Debug)]
pub struct DormandPrince<St: Storage> {
    /// The error of the last accepted step, for the proportional-integral controller.
    before: f64,
    rejected: bool,
    dense: Polynomial<St>,
    /// The rates of the stages.
    k: [St::States<f64>; 7],
    stage: St::States<f64>,
    error: St::States<f64>,
    weight: St::States<f64>,
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
/// The error that the controller begins with.
const BEFORE: f64 = 1e-4;

impl<St: Storage> DormandPrince<St> {
    /// Ready for a first step of `system`.
    pub fn new<Sys: System>(system: &Sys) -> Self {
        let zero = St::states(system.states(), 0.0);
        DormandPrince {
            before: BEFORE,
            rejected: false,
            dense: Polynomial::rest(0.0, zero.as_ref()),
            k: core::array::from_fn(|_| zero.clone()),
            stage: zero.clone(),
            error: zero.clone(),
            weight: zero,
        }
    }

    /// Σ c_j k_j of state `i`.
    #[inline(always)]
    fn sum(&self, c: &[f64], i: usize) -> f64 {
        c.iter().zip(&self.k).map(|(c, k)| c * k.as_ref()[i]).sum()
    }
}

impl<Sys: System, St: Storage + 'static> Method<Sys> for DormandPrince<St> {
    type Storage = St;
    type Dense = Polynomial<St>;
    const ESTIMATE_ORDER: u32 = 4;

    fn restart(&mut self) {
        (self.before, self.rejected) = (BEFORE, false);
    }

    fn step(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        options: &Options<St>,
        statistics: &mut Statistics,
        y: &mut [f64],
    ) -> Trial {
        let n = y.len();
        self.k[0].as_mut().copy_from_slice(start.f);
        for s in 1..7 {
            for i in 0..n {
                self.stage.as_mut()[i] = start.y[i] + h * self.sum(&A[s][..s], i);
            }
            system.rates(mode, start.t + C[s] * h, self.stage.as_ref(), self.k[s].as_mut());
        }
        statistics.rhs += 6;
        for i in 0..n {
            self.error.as_mut()[i] = h * self.sum(&E, i);
        }
        let larger = start.y.iter().zip(self.stage.as_ref()).map(|(a, b)| a.abs().max(b.abs()));
        options.weigh(larger, self.weight.as_mut());
        let err = norm(self.error.as_ref(), self.weight.as_ref());
        let state = worst(self.error.as_ref().iter().copied(), self.weight.as_ref());
        if err.is_nan() || err > 1.0 {
            self.rejected = true;
            let shrink = if err.is_finite() { (0.9 * powf(err, -0.2)).max(0.2) } else { 0.1 };
            return Trial { accepted: false, next: h * shrink, state };
        }
        // Proportional-integral control damps the step's oscillation at the stability limit.
        let floor = err.max(1e-10);
        let grow = 0.9 * powf(floor, -0.17) * powf(self.before, 0.04);
        let grow = grow.clamp(0.2, if self.rejected { 1.0 } else { 10.0 });
        self.before = err.max(1e-4);
        self.rejected = false;
        y.copy_from_slice(self.stage.as_ref());
        (self.dense.t0, self.dense.h) = (start.t, h);
        self.dense.y0.as_mut().copy_from_slice(start.y);
        for i in 0..n {
            // y₀ + θ(r₂ + (1 − θ)(r₃ + θ(r₄ + (1 − θ)r₅))), by powers of θ.
            let r2 = y[i] - start.y[i];
            let r3 = h * self.k[0].as_ref()[i] - r2;
            let r4 = r2 - h * self.k[6].as_ref()[i] - r3;
            let r5 = h * self.sum(&D, i);
            self.dense.c.as_mut()[i] = [r2 + r3, r4 - r3 + r5, -r4 - 2.0 * r5, r5];
        }
        Trial { accepted: true, next: h * grow, state }
    }

    fn dense(&self) -> &Polynomial<St> {
        &self.dense
    }

    fn line(&mut self, start: Start<'_>, t: f64, y: &[f64]) {
        self.dense.line(start.t, start.y, t, y);
    }
}
