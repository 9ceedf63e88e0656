//! Radau IIA of order 5, with three stages.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8: collocation at
//! c = (4 ∓ √6)/10 and 1, simplified Newton iteration on a real and a complex system of size N
//! instead of one of size 3N, an error estimate of order 3 filtered through the real factor, and
//! Gustafsson's predictive step control. The Jacobian is exact (dual numbers) and is kept while
//! Newton's method converges fast.
use crate::lu::{self, Complex, Lu, Parts};
use crate::method::{Start, Trial, mean, norm, worst};
use crate::{Dense, Method, Options, Statistics, System, powf, sqrt, vector};
use bristle_num::simd;

const SQRT6: f64 = 2.449_489_742_783_178;
const C1: f64 = (4.0 - SQRT6) / 10.0;
const C2: f64 = (4.0 + SQRT6) / 10.0;

/// A⁻¹ = T Λ T⁻¹ with Λ = diag(γ, [[α, −β], [β, α]]).
const T: [[f64; 3]; 3] = [
    [
        9.123_239_487_089_294_279_2e-2,
        -0.141_255_295_020_954_208_43,
        -3.002_919_410_514_742_449_2e-2,
    ],
    [0.241_717_932_707_107_018_96, 0.204_129_352_293_799_931_99, 0.382_942_112_757_261_937_79],
    [0.966_048_182_615_092_936_19, 1.0, 0.0],
];
const T_INV: [[f64; 3]; 3] = [
    [4.325_579_890_063_155_351_0, 0.339_199_251_815_809_869_54, 0.541_770_539_935_874_871_19],
    [-4.178_718_591_551_904_727_3, -0.327_682_820_761_062_387_08, 0.476_623_554_500_550_451_96],
    [-0.502_872_634_945_786_875_95, 2.571_926_949_855_605_429_2, -0.596_039_204_828_224_924_97],
];
const GAMMA: f64 = 3.637_834_252_744_496;
const ALPHA: f64 = 2.681_082_873_627_752_4;
const BETA: f64 = 3.050_430_199_247_410_5;
/// The error estimate's weights of the stages.
const ESTIMATE: [f64; 3] = [-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// Newton iterations before a step is given up.
const ITERATIONS: i32 = 7;
/// Below this rate of convergence the Jacobian is kept.
const KEEP_JACOBIAN: f64 = 3e-2;

/// Implicit, order 5, L-stable: for stiff systems.
#[derive(Clone, Debug)]
pub struct Radau<const N: usize> {
    /// The columns of −J.
    columns: [[f64; N]; N],
    /// Whether the Jacobian belongs to the point the next step starts from, or may be kept.
    jacobian_is: Age,
    /// The order in which states are eliminated.
    order: Option<[usize; N]>,
    /// γ/h − J and (α + iβ)/h − J.
    real: Lu<f64, N>,
    complex: Lu<Complex, N>,
    /// The step that they are for.
    factors_for: Option<f64>,
    /// The last accepted step's polynomial, as a guess for the next.
    last: Option<Last<N>>,
    /// Whether the next step begins where the last one began, not where it ended.
    again: bool,
    /// How fast Newton converged at last.
    convergence: f64,
    rejected: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Age {
    None,
    Old,
    Fresh,
}

#[derive(Clone, Copy, Debug)]
struct Last<const N: usize> {
    h: f64,
    error: f64,
    /// Newton's divided differences of the collocation polynomial.
    differences: [[f64; N]; 3],
}

/// The stages as Newton's method leaves them.
struct Stages<const N: usize> {
    /// Y − y₀.
    z: [[f64; N]; 3],
    iterations: i32,
    /// How much smaller each correction was than the one before it.
    rate: f64,
}

/// Newton's method does not get there: the step to try instead, and the state in the way.
struct Diverged {
    next: f64,
    state: usize,
}

impl<const N: usize> Radau<N> {
    /// Ready for a first step.
    pub fn new() -> Self {
        Radau {
            columns: [[0.0; N]; N],
            jacobian_is: Age::None,
            order: None,
            real: Lu::new(),
            complex: Lu::new(),
            factors_for: None,
            last: None,
            again: false,
            convergence: 1.0,
            rejected: false,
        }
    }

    /// Takes the Jacobian for the steps to come.
    fn take(&mut self, jacobian: &[[f64; N]; N]) {
        self.order.get_or_insert_with(|| lu::order(jacobian));
        for c in 0..N {
            self.columns[c] = vector(|r| -jacobian[r][c]);
        }
        self.jacobian_is = Age::Fresh;
        self.factors_for = None;
    }

    /// Factorises for steps of length `h`; false if a matrix is singular or not finite. Not inlined, as
    /// [`correct`](Radau::correct): once for each size is enough, not for each system.
    #[inline(never)]
    fn factorise(&mut self, h: f64) -> bool {
        wide::<N, _>(
            #[inline(always)]
            || self.eliminate(h),
        )
    }

    #[inline(always)]
    fn eliminate(&mut self, h: f64) -> bool {
        let Radau { columns, order: Some(order), real, complex, .. } = self else { return false };
        self.factors_for = None;
        let real = real.factorise(
            order,
            lu::SPARSE,
            #[inline(always)]
            |real| {
                *real = *columns;
                (0..N).for_each(|i| real[i][i] += GAMMA / h);
            },
        );
        let complex = complex.factorise(
            order,
            lu::SPARSE,
            #[inline(always)]
            |complex| {
                for i in 0..N {
                    complex[i] = Parts { re: columns[i], im: [0.0; N] };
                    complex[i].re[i] += ALPHA / h;
                    complex[i].im[i] = BETA / h;
                }
            },
        );
        if real && complex {
            self.factors_for = Some(h);
        }
        real && complex
    }

    /// The stages that the last step's polynomial foretells.
    fn guess(&self, h: f64) -> [[f64; N]; 3] {
        let mut stages = [[0.0; N]; 3];
        let Some(last) = &self.last else { return stages };
        let [d1, d2, d3] = &last.differences;
        // The polynomial, less its value where the step begins: at 0, or at −1 where it was y₀.
        let begin = if self.again { -1.0 } else { 0.0 };
        let shape =
            |s: f64, i: usize| s * (d1[i] + (s - (C2 - 1.0)) * (d2[i] + (s - (C1 - 1.0)) * d3[i]));
        for (stage, c) in stages.iter_mut().zip([C1, C2, 1.0]) {
            let end = begin + c * h / last.h;
            *stage = vector(|i| shape(end, i) - shape(begin, i));
        }
        stages
    }

    /// One correction of the stages z = Y − y₀, whose rates are `f`, in the coordinates w = T⁻¹z.
    /// Gives how large it was, in units of what is allowed, and its real part.
    #[inline(never)]
    fn correct(
        &self,
        h: f64,
        f: &[[f64; N]; 3],
        w: &mut [[f64; N]; 3],
        z: &mut [[f64; N]; 3],
        weight: &[f64; N],
    ) -> (f64, [f64; N]) {
        wide::<N, _>(
            #[inline(always)]
            || {
                let (gamma, alpha, beta) = (GAMMA / h, ALPHA / h, BETA / h);
                let g = transform(&T_INV, f);
                let mut d1 = vector(|i| g[0][i] - gamma * w[0][i]);
                let mut d2 = Parts {
                    re: vector(|i| g[1][i] - (alpha * w[1][i] - beta * w[2][i])),
                    im: vector(|i| g[2][i] - (alpha * w[2][i] + beta * w[1][i])),
                };
                self.real.solve(&mut d1);
                self.complex.solve(&mut d2);
                for i in 0..N {
                    w[0][i] += d1[i];
                    w[1][i] += d2.re[i];
                    w[2][i] += d2.im[i];
                }
                *z = transform(&T, w);
                let square = |i: usize| d1[i] * d1[i] + d2.re[i] * d2.re[i] + d2.im[i] * d2.im[i];
                (sqrt(mean(|i| square(i) * weight[i], N) / 3.0), d1)
            },
        )
    }

    /// Simplified Newton iteration for the stages.
    fn iterate<Sys: System<N>>(
        &mut self,
        system: &Sys,
        start: &Start<N>,
        h: f64,
        rtol: f64,
        weight: &[f64; N],
        statistics: &mut Statistics,
    ) -> Result<Stages<N>, Diverged> {
        let (t, y0) = (start.t, &start.y);
        let mut z = self.guess(h);
        let mut w = transform(&T_INV, &z);
        let goal = (10.0 * f64::EPSILON / rtol).max((10.0 * sqrt(rtol)).min(0.03));
        // How much of the last correction is still to come; it worsens from step to step, as ^0.8 does
        // in Hairer's code.
        let before = self.convergence.max(f64::EPSILON);
        let mut ahead = before / fourth_root(before);
        let mut rate = KEEP_JACOBIAN;
        let (mut size_before, mut rate_before) = (0.0, 0.0);
        for iterations in 1..=ITERATIONS {
            let mut f = [[0.0; N]; 3];
            for s in 0..3 {
                let y = vector(|i| y0[i] + z[s][i]);
                f[s] = system.rate(t + [C1, C2, 1.0][s] * h, &y);
            }
            statistics.rhs += 3;
            let (size, moved) = self.correct(h, &f, &mut w, &mut z, weight);
            let give_up = |shrink: f64| Diverged { next: h * shrink, state: worst(&moved, weight) };
            if !size.is_finite() {
                return Err(give_up(0.25));
            }
            if iterations > 1 {
                let now = size / size_before;
                rate = if iterations == 2 { now } else { sqrt(now * rate_before) };
                rate_before = now;
                if rate >= 0.99 {
                    return Err(give_up(0.5));
                }
                ahead = rate / (1.0 - rate);
                let left = ITERATIONS - 1 - iterations;
                // What the error will be when all iterations are used up.
                let end = (0..left).fold(ahead * size / goal, |end, _| end * rate);
                if end >= 1.0 && left >= 0 {
                    let shrink = 0.8 * powf(end.clamp(1e-4, 20.0), -1.0 / f64::from(4 + left));
                    return Err(give_up(shrink));
                }
            }
            size_before = size.max(f64::EPSILON);
            if ahead * size <= goal {
                self.convergence = ahead;
                return Ok(Stages { z, iterations, rate });
            }
        }
        Err(Diverged { next: h * 0.5, state: worst(&z[2], weight) })
    }

    /// After a step that failed: an old Jacobian may be why.
    fn fail(&mut self, next: f64, state: usize) -> Trial<N> {
        self.rejected = true;
        if self.jacobian_is == Age::Old {
            self.jacobian_is = Age::None;
        }
        Trial::Rejected { next, state }
    }

    /// γ/h − J applied backwards to the defect of an embedded formula of order 3, given f(t, y₀); and
    /// its size in units of what is allowed.
    fn estimate(
        &self,
        h: f64,
        z: &[[f64; N]; 3],
        f: &[f64; N],
        weight: &[f64; N],
    ) -> ([f64; N], f64) {
        let [e1, e2, e3] = ESTIMATE;
        let mut error = vector(|i| (e1 * z[0][i] + e2 * z[1][i] + e3 * z[2][i]) / h + f[i]);
        self.real.solve(&mut error);
        (error, norm(&error, weight).max(1e-10))
    }

    /// Judges the stages by the estimate of their error.
    fn judge(
        &mut self,
        start: &Start<N>,
        h: f64,
        stages: &Stages<N>,
        error: &[f64; N],
        weight: &[f64; N],
        err: f64,
    ) -> Trial<N> {
        let Stages { z, iterations, rate } = stages;
        let effort = 0.9 * f64::from(2 * ITERATIONS + 1) / f64::from(2 * ITERATIONS + iterations);
        let grow = (effort.min(0.9) / fourth_root(err)).clamp(0.2, 8.0);
        if err.is_nan() || err >= 1.0 {
            let next = if self.last.is_none() { 0.1 } else { grow.min(0.9) };
            let next = if err.is_finite() { h * next } else { h * 0.1 };
            return self.fail(next, worst(error, weight));
        }

        // Gustafsson: what the last two errors say of the next.
        let mut next = h * grow;
        if let Some(last) = &self.last
            && !self.again
        {
            let trend = 0.9 * (h / last.h) * fourth_root(last.error / (err * err));
            next = next.min(h * trend.clamp(0.2, 8.0));
        }
        if self.rejected {
            next = next.min(h);
        }
        self.rejected = false;

        let d1: [f64; N] = vector(|i| (z[1][i] - z[2][i]) / (C2 - 1.0));
        let middle: [f64; N] = vector(|i| (z[0][i] - z[1][i]) / (C1 - C2));
        let first: [f64; N] = vector(|i| (middle[i] - z[0][i] / C1) / C2);
        let d2: [f64; N] = vector(|i| (middle[i] - d1[i]) / (C1 - 1.0));
        let d3: [f64; N] = vector(|i| d2[i] - first[i]);
        self.last = Some(Last { h, error: err.max(1e-2), differences: [d1, d2, d3] });
        self.again = false;
        // A step that would hardly change is kept, and with it the factors.
        if *rate <= KEEP_JACOBIAN {
            self.jacobian_is = Age::Old;
            if next >= h && next <= 1.2 * h {
                next = h;
            }
        } else {
            self.jacobian_is = Age::None;
        }

        // The collocation polynomial y₀ + z₃ + s(d₁ + (s + 1 − c₂)(d₂ + (s + 1 − c₁)d₃)), s = θ − 1,
        // by powers of θ. It misses the slope at the start by the defect behind the error estimate;
        // κ∫(θ − c₁)(θ − c₂)(θ − 1)dθ mends that, leaves the slopes at the stages and the end alone,
        // and raises the order from 3 to 4. Taken from the filtered estimate, κ = −γ error/(c₁c₂), it
        // stays within the tolerance where the defect of a stiff component does not.
        let (a, b) = (C2, C1);
        let mend: [f64; N] = vector(|i| -GAMMA / (a * b) * error[i]);
        let c = [
            vector(|i| {
                let (d1, d2, d3) = (d1[i], d2[i], d3[i]);
                d1 - (1.0 + a) * d2 + (a + b + a * b) * d3 - a * b * mend[i]
            }),
            vector(|i| d2[i] - (1.0 + a + b) * d3[i] + 0.5 * (a + b + a * b) * mend[i]),
            vector(|i| d3[i] - (1.0 + a + b) / 3.0 * mend[i]),
            vector(|i| 0.25 * mend[i]),
        ];
        let dense = Dense { t0: start.t, h, y0: start.y, c };
        let y = vector(|i| start.y[i] + z[2][i]);
        Trial::Accepted { dense, y, next, state: worst(error, weight) }
    }
}

impl<const N: usize> Default for Radau<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Rows of `m` times the three stages.
#[inline(always)]
fn transform<const N: usize>(m: &[[f64; 3]; 3], z: &[[f64; N]; 3]) -> [[f64; N]; 3] {
    let mut product = [[0.0; N]; 3];
    for (row, m) in product.iter_mut().zip(m) {
        *row = vector(|i| m[0] * z[0][i] + m[1] * z[1][i] + m[2] * z[2][i]);
    }
    product
}

/// Runs `f` with the widest instructions where that pays: small systems are better off with all of it
/// inlined and in registers.
#[inline(always)]
fn wide<const N: usize, R>(f: impl FnOnce() -> R) -> R {
    if N <= lu::SMALL { f() } else { simd::widest(f) }
}

#[inline(always)]
fn fourth_root(x: f64) -> f64 {
    sqrt(sqrt(x))
}

impl<const N: usize> Method<N> for Radau<N> {
    const ESTIMATE_ORDER: u32 = 3;

    fn restart(&mut self) {
        self.jacobian_is = Age::None;
        self.factors_for = None;
        self.last = None;
        self.again = false;
        self.convergence = 1.0;
        self.rejected = false;
    }

    fn again(&mut self) {
        self.again = self.last.is_some();
        self.jacobian_is = Age::Old;
    }

    fn step<Sys: System<N>>(
        &mut self,
        system: &Sys,
        start: &Start<N>,
        h: f64,
        options: &Options<N>,
        statistics: &mut Statistics,
    ) -> Trial<N> {
        let weight = options.weight(&start.y);
        if self.jacobian_is == Age::None {
            self.take(&system.jacobian(start.t, &start.y));
            statistics.jacobians += 1;
        }
        let mut regular = true;
        if self.factors_for != Some(h) {
            regular = self.factorise(h);
            statistics.factorisations += 1;
        }
        let stages = if regular {
            self.iterate(system, start, h, options.rtol, &weight, statistics)
        } else {
            Err(Diverged { next: h * 0.5, state: 0 })
        };
        let stages = match stages {
            Ok(stages) => stages,
            Err(Diverged { next, state }) => {
                statistics.diverged += 1;
                return self.fail(next, state);
            }
        };
        let (mut error, mut err) = self.estimate(h, &stages.z, &start.f, &weight);
        if err >= 1.0 && (self.last.is_none() || self.rejected) {
            let y = vector(|i| start.y[i] + error[i]);
            statistics.rhs += 1;
            (error, err) = self.estimate(h, &stages.z, &system.rate(start.t, &y), &weight);
        }
        self.judge(start, h, &stages, &error, &weight, err)
    }
}
