//! Radau IIA of order 5, with three stages.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8: collocation at
//! c = (4 ∓ √6)/10 and 1, simplified Newton iteration on a real and a complex system of size N
//! instead of one of size 3N, an error estimate of order 3 filtered through the real factor, and
//! Gustafsson's predictive step control. The Jacobian is exact (dual numbers) and is kept while
//! Newton's method converges fast.
use crate::lu::{Complex, Lu};
use crate::method::{Start, Trial, norm, worst};
use crate::{Dense, Method, Options, Statistics, System, powf, sqrt};

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
const KEEP_JACOBIAN: f64 = 1e-3;

/// Implicit, order 5, L-stable: for stiff systems.
#[derive(Clone, Debug)]
pub struct Radau<const N: usize> {
    jacobian: [[f64; N]; N],
    /// Whether the Jacobian belongs to the point the next step starts from, or may be kept.
    jacobian_is: Age,
    /// The factors, and the step they are for.
    factors: Option<(f64, Lu<f64, N>, Lu<Complex, N>)>,
    /// The last accepted step's polynomial, as a guess for the next.
    last: Option<Last<N>>,
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

impl<const N: usize> Radau<N> {
    /// Ready for a first step.
    pub fn new() -> Self {
        Radau {
            jacobian: [[0.0; N]; N],
            jacobian_is: Age::None,
            factors: None,
            last: None,
            convergence: 1.0,
            rejected: false,
        }
    }

    /// γ/h − J and (α + iβ)/h − J, factorised.
    fn factorise(&self, h: f64) -> Option<(f64, Lu<f64, N>, Lu<Complex, N>)> {
        let j = &self.jacobian;
        let real = core::array::from_fn(|r| {
            core::array::from_fn(|c| if r == c { GAMMA / h - j[r][c] } else { -j[r][c] })
        });
        let complex = core::array::from_fn(|r| {
            core::array::from_fn(|c| {
                let (re, im) = if r == c { (ALPHA / h, BETA / h) } else { (0.0, 0.0) };
                Complex { re: re - j[r][c], im }
            })
        });
        Some((h, Lu::new(real)?, Lu::new(complex)?))
    }

    /// The stages that the last step's polynomial foretells.
    fn guess(&self, h: f64) -> [[f64; N]; 3] {
        let Some(last) = &self.last else { return [[0.0; N]; 3] };
        let ratio = h / last.h;
        let [d1, d2, d3] = &last.differences;
        [C1 * ratio, C2 * ratio, ratio].map(|s| {
            core::array::from_fn(|i| {
                s * (d1[i] + (s - (C2 - 1.0)) * (d2[i] + (s - (C1 - 1.0)) * d3[i]))
            })
        })
    }

    fn give_up(&mut self, next: f64, state: usize, statistics: &mut Statistics) -> Trial<N> {
        statistics.diverged += 1;
        self.rejected = true;
        if self.jacobian_is == Age::Old {
            self.jacobian_is = Age::None;
        }
        Trial::Rejected { next, state }
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
    core::array::from_fn(|r| {
        core::array::from_fn(|i| m[r][0] * z[0][i] + m[r][1] * z[1][i] + m[r][2] * z[2][i])
    })
}

impl<const N: usize> Method<N> for Radau<N> {
    const ESTIMATE_ORDER: u32 = 3;

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
        let (t, y0) = (start.t, &start.y);
        let scale = options.scale(y0);
        if self.jacobian_is == Age::None {
            self.jacobian = system.jacobian(t, y0);
            self.jacobian_is = Age::Fresh;
            self.factors = None;
            statistics.jacobians += 1;
        }
        if self.factors.as_ref().is_none_or(|f| f.0 != h) {
            self.factors = self.factorise(h);
            statistics.factorisations += 1;
        }
        let Some((_, real, complex)) = self.factors else {
            return self.give_up(h * 0.5, 0, statistics);
        };

        // Simplified Newton iteration for the stages z = Y − y₀, in the coordinates w = T⁻¹z.
        let mut z = self.guess(h);
        let mut w = transform(&T_INV, &z);
        let goal = (10.0 * f64::EPSILON / options.rtol).max(sqrt(options.rtol).min(0.03));
        let mut ahead = powf(self.convergence.max(f64::EPSILON), 0.8);
        let mut rate = KEEP_JACOBIAN;
        let (mut size_before, mut rate_before) = (0.0, 0.0);
        let mut iterations = 0;
        loop {
            let f: [[f64; N]; 3] = core::array::from_fn(|s| {
                let y = core::array::from_fn(|i| y0[i] + z[s][i]);
                system.rhs(t + [C1, C2, 1.0][s] * h, &y)
            });
            statistics.rhs += 3;
            let g = transform(&T_INV, &f);
            let mut d1: [f64; N] = core::array::from_fn(|i| g[0][i] - GAMMA / h * w[0][i]);
            let mut d2: [Complex; N] = core::array::from_fn(|i| Complex {
                re: g[1][i] - (ALPHA * w[1][i] - BETA * w[2][i]) / h,
                im: g[2][i] - (ALPHA * w[2][i] + BETA * w[1][i]) / h,
            });
            real.solve(&mut d1);
            complex.solve(&mut d2);
            let (re, im) = (d2.map(|d| d.re), d2.map(|d| d.im));
            let parts = [norm(&d1, &scale), norm(&re, &scale), norm(&im, &scale)];
            let size = sqrt(parts.iter().map(|p| p * p).sum::<f64>() / 3.0);
            iterations += 1;
            if !size.is_finite() {
                return self.give_up(h * 0.25, worst(&d1, &scale), statistics);
            }
            if iterations > 1 {
                let now = size / size_before;
                rate = if iterations == 2 { now } else { sqrt(now * rate_before) };
                rate_before = now;
                if rate >= 0.99 {
                    return self.give_up(h * 0.5, worst(&d1, &scale), statistics);
                }
                ahead = rate / (1.0 - rate);
                let left = ITERATIONS - 1 - iterations;
                // What the error will be when all iterations are used up.
                let end = ahead * size * powf(rate, f64::from(left.max(0))) / goal;
                if end >= 1.0 && left >= 0 {
                    let shrink = 0.8 * powf(end.clamp(1e-4, 20.0), -1.0 / f64::from(4 + left));
                    return self.give_up(h * shrink, worst(&d1, &scale), statistics);
                }
            }
            size_before = size.max(f64::EPSILON);
            for i in 0..N {
                w[0][i] += d1[i];
                w[1][i] += d2[i].re;
                w[2][i] += d2[i].im;
            }
            z = transform(&T, &w);
            if ahead * size <= goal {
                break;
            }
            if iterations == ITERATIONS {
                return self.give_up(h * 0.5, worst(&d1, &scale), statistics);
            }
        }
        self.convergence = ahead;

        // The estimate: γ/h − J applied backwards to the defect of an embedded formula of order 3.
        let combined: [f64; N] = core::array::from_fn(|i| {
            (ESTIMATE[0] * z[0][i] + ESTIMATE[1] * z[1][i] + ESTIMATE[2] * z[2][i]) / h
        });
        let mut error: [f64; N] = core::array::from_fn(|i| combined[i] + start.f[i]);
        real.solve(&mut error);
        let mut err = norm(&error, &scale).max(1e-10);
        if err >= 1.0 && (self.last.is_none() || self.rejected) {
            let y = core::array::from_fn(|i| y0[i] + error[i]);
            statistics.rhs += 1;
            let f = system.rhs(t, &y);
            error = core::array::from_fn(|i| combined[i] + f[i]);
            real.solve(&mut error);
            err = norm(&error, &scale).max(1e-10);
        }
        let effort = 0.9 * f64::from(2 * ITERATIONS + 1) / f64::from(2 * ITERATIONS + iterations);
        let grow = (effort.min(0.9) * powf(err, -0.25)).clamp(0.2, 8.0);
        if err.is_nan() || err >= 1.0 {
            self.rejected = true;
            if self.jacobian_is == Age::Old {
                self.jacobian_is = Age::None;
            }
            let next = if self.last.is_none() { 0.1 } else { grow.min(0.9) };
            let next = if err.is_finite() { h * next } else { h * 0.1 };
            return Trial::Rejected { next, state: worst(&error, &scale) };
        }

        // Gustafsson: what the last two errors say of the next.
        let mut next = h * grow;
        if let Some(last) = &self.last {
            let trend = 0.9 * (h / last.h) * powf(last.error / (err * err), 0.25);
            next = next.min(h * trend.clamp(0.2, 8.0));
        }
        if self.rejected {
            next = next.min(h);
        }
        self.rejected = false;

        let d1: [f64; N] = core::array::from_fn(|i| (z[1][i] - z[2][i]) / (C2 - 1.0));
        let middle: [f64; N] = core::array::from_fn(|i| (z[0][i] - z[1][i]) / (C1 - C2));
        let first: [f64; N] = core::array::from_fn(|i| (middle[i] - z[0][i] / C1) / C2);
        let d2: [f64; N] = core::array::from_fn(|i| (middle[i] - d1[i]) / (C1 - 1.0));
        let d3: [f64; N] = core::array::from_fn(|i| d2[i] - first[i]);
        self.last = Some(Last { h, error: err.max(1e-2), differences: [d1, d2, d3] });
        // A step that would hardly change is kept, and with it the factors.
        if rate <= KEEP_JACOBIAN {
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
        let mend: [f64; N] = core::array::from_fn(|i| -GAMMA / (a * b) * error[i]);
        let c = [
            core::array::from_fn(|i| {
                let (d1, d2, d3) = (d1[i], d2[i], d3[i]);
                d1 - (1.0 + a) * d2 + (a + b + a * b) * d3 - a * b * mend[i]
            }),
            core::array::from_fn(|i| {
                d2[i] - (1.0 + a + b) * d3[i] + 0.5 * (a + b + a * b) * mend[i]
            }),
            core::array::from_fn(|i| d3[i] - (1.0 + a + b) / 3.0 * mend[i]),
            mend.map(|m| 0.25 * m),
        ];
        let dense = Dense { t0: t, h, y0: *y0, c };
        let y = core::array::from_fn(|i| y0[i] + z[2][i]);
        Trial::Accepted { dense, y, next, state: worst(&error, &scale) }
    }
}
