//! Radau IIA of order 5, with three stages.
//!
//! E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8: collocation at
//! c = (4 ∓ √6)/10 and 1, simplified Newton iteration on a real and a complex system of the size of the
//! state instead of one three times as large, an error estimate of order 3 filtered through the real
//! factor, and Gustafsson's predictive step control. The Jacobian is exact (dual numbers) and is kept
//! while Newton's method converges fast.
use crate::lu::{Factors, Pair};
use crate::method::{Start, Trial, norm, worst};
use crate::structure::Structure;
use crate::tableau::{NODES, SQRT6};
use crate::{Dense, Method, Options, Polynomial, Slope, Statistics, Storage, System, powf, sqrt};

const C1: f64 = NODES[0];
const C2: f64 = NODES[1];

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
const SHIFT: Pair =
    Pair { real: 3.637_834_252_744_496, re: 2.681_082_873_627_752_4, im: 3.050_430_199_247_410_5 };
/// The error estimate's weights of the stages.
const ESTIMATE: [f64; 3] = [-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// Newton iterations before a step is given up.
const ITERATIONS: i32 = 7;
/// Below this rate of convergence the Jacobian is kept.
const KEEP_JACOBIAN: f64 = 3e-2;

/// What is known of one state in the three stages, side by side.
type Stages = [f64; 3];

/// Implicit, order 5, L-stable: for stiff systems.
#[derive(Clone, Debug)]
pub struct Radau<St: Storage> {
    structure: Structure<St>,
    jacobian: St::Pairs<f64>,
    /// Whether the Jacobian belongs to the point the next step starts from, or may be kept.
    jacobian_is: Age,
    factors: Factors<St>,
    /// The step that they are for.
    factors_for: Option<f64>,
    /// The last accepted step, as a guess for the next.
    last: Option<Last>,
    /// Newton's divided differences of its collocation polynomial.
    differences: St::States<Stages>,
    /// Whether the next step begins where the last one began, not where it ended.
    again: bool,
    /// How fast Newton converged at last.
    convergence: f64,
    rejected: bool,
    dense: Polynomial<St>,
    // What a step works with: Y − y₀, the same in the coordinates of Λ, one stage and its rate.
    z: St::States<Stages>,
    w: St::States<Stages>,
    stage: St::States<f64>,
    rate: St::States<Stages>,
    one_rate: St::States<f64>,
    correction: St::States<Pair>,
    error: St::States<f64>,
    ordered: St::States<f64>,
    weight: St::States<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Age {
    None,
    Old,
    Fresh,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    h: f64,
    error: f64,
}

/// How Newton's method went.
struct Converged {
    iterations: i32,
    /// How much smaller each correction was than the one before it.
    rate: f64,
}

impl<St: Storage> Radau<St> {
    /// Ready for a first step of `system`.
    pub fn new<Sys: System>(system: &Sys) -> Self {
        let n = system.states();
        let structure = Structure::of(system, false);
        let jacobian = St::pairs(structure.entries(), 0.0);
        let factors = Factors::new(&structure, n);
        let (zero, stages) = (St::states(n, 0.0), St::states(n, [0.0; 3]));
        Radau {
            structure,
            jacobian,
            jacobian_is: Age::None,
            factors,
            factors_for: None,
            last: None,
            differences: stages.clone(),
            again: false,
            convergence: 1.0,
            rejected: false,
            dense: Polynomial::rest(0.0, zero.as_ref()),
            z: stages.clone(),
            w: stages.clone(),
            stage: zero.clone(),
            rate: stages,
            one_rate: zero.clone(),
            correction: St::states(n, Pair::default()),
            error: zero.clone(),
            ordered: zero.clone(),
            weight: zero,
        }
    }

    /// Writes the stages that the last step's polynomial foretells, in both coordinates.
    fn guess(&mut self, h: f64) {
        let (z, w) = (self.z.as_mut(), self.w.as_mut());
        let Some(last) = self.last else {
            z.fill([0.0; 3]);
            w.fill([0.0; 3]);
            return;
        };
        // The polynomial, less its value where the step begins: at 0, or at −1 where it was y₀.
        let begin = if self.again { -1.0 } else { 0.0 };
        let ends = NODES.map(|c| begin + c * h / last.h);
        let shape = |s: f64, [d1, d2, d3]: &Stages| {
            s * (d1 + (s - (C2 - 1.0)) * (d2 + (s - (C1 - 1.0)) * d3))
        };
        for ((z, w), d) in z.iter_mut().zip(w).zip(self.differences.as_ref()) {
            let from = shape(begin, d);
            *z = ends.map(|end| shape(end, d) - from);
            *w = times(&T_INV, z);
        }
    }

    /// Corrects the stages by one Newton iteration, given their rates; gives how large the correction
    /// was, in units of what is allowed.
    #[inline]
    fn correct(&mut self, h: f64) -> f64 {
        let (gamma, alpha, beta) = (SHIFT.real / h, SHIFT.re / h, SHIFT.im / h);
        let order = self.structure.order.as_ref();
        let (z, w, rate) = (self.z.as_mut(), self.w.as_mut(), self.rate.as_ref());
        let correction = self.correction.as_mut();
        for (d, &i) in correction.iter_mut().zip(order) {
            let (g, w) = (times(&T_INV, &rate[i as usize]), &w[i as usize]);
            *d = Pair {
                real: g[0] - gamma * w[0],
                re: g[1] - (alpha * w[1] - beta * w[2]),
                im: g[2] - (alpha * w[2] + beta * w[1]),
            };
        }
        self.factors.solve(&self.structure, correction);
        let mut sum = 0.0;
        for (d, &i) in correction.iter().zip(order) {
            let i = i as usize;
            let w = &mut w[i];
            w[0] += d.real;
            w[1] += d.re;
            w[2] += d.im;
            z[i] = times(&T, w);
            sum += (d.real * d.real + d.re * d.re + d.im * d.im) * self.weight.as_ref()[i];
        }
        sqrt(sum / (3 * z.len()) as f64)
    }

    /// The state that moved most in the last correction.
    fn restless(&self) -> usize {
        let order = self.structure.order.as_ref();
        let (mut restless, mut most) = (0, 0.0);
        for (d, &i) in self.correction.as_ref().iter().zip(order) {
            let size = d.real * d.real * self.weight.as_ref()[i as usize];
            if !size.is_finite() {
                return i as usize;
            }
            if size > most {
                (restless, most) = (i as usize, size);
            }
        }
        restless
    }

    /// Simplified Newton iteration for the stages; by which factor to shorten the step, if it fails.
    fn iterate<Sys: System>(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        rtol: f64,
        statistics: &mut Statistics,
    ) -> Result<Converged, f64> {
        self.guess(h);
        let goal = (10.0 * f64::EPSILON / rtol).max((10.0 * sqrt(rtol)).min(0.03));
        // How much of the last correction is still to come; it worsens from step to step, as ^0.8 does
        // in Hairer's code.
        let before = self.convergence.max(f64::EPSILON);
        let mut ahead = before / fourth_root(before);
        let mut rate = KEEP_JACOBIAN;
        let (mut size_before, mut rate_before) = (0.0, 0.0);
        for iterations in 1..=ITERATIONS {
            for s in 0..3 {
                let (stage, one) = (self.stage.as_mut(), self.one_rate.as_mut());
                for ((stage, y), z) in stage.iter_mut().zip(start.y).zip(self.z.as_ref()) {
                    *stage = y + z[s];
                }
                system.rates(mode, start.t + NODES[s] * h, stage, one);
                for (rate, one) in self.rate.as_mut().iter_mut().zip(one.iter()) {
                    rate[s] = *one;
                }
            }
            statistics.rhs += 3;
            let size = self.correct(h);
            if !size.is_finite() {
                return Err(0.25);
            }
            if iterations > 1 {
                let now = size / size_before;
                rate = if iterations == 2 { now } else { sqrt(now * rate_before) };
                rate_before = now;
                if rate >= 0.99 {
                    return Err(0.5);
                }
                ahead = rate / (1.0 - rate);
                let left = ITERATIONS - 1 - iterations;
                // What the error will be when all iterations are used up.
                let end = (0..left).fold(ahead * size / goal, |end, _| end * rate);
                if end >= 1.0 && left >= 0 {
                    return Err(0.8 * powf(end.clamp(1e-4, 20.0), -1.0 / f64::from(4 + left)));
                }
            }
            size_before = size.max(f64::EPSILON);
            if ahead * size <= goal {
                self.convergence = ahead;
                return Ok(Converged { iterations, rate });
            }
        }
        Err(0.5)
    }

    /// After a step that failed: an old Jacobian may be why.
    fn fail(&mut self, next: f64, state: usize) -> Trial {
        self.rejected = true;
        if self.jacobian_is == Age::Old {
            self.jacobian_is = Age::None;
        }
        Trial { accepted: false, next, state }
    }

    /// Writes γ/h − J applied backwards to the defect of an embedded formula of order 3, given the rate
    /// at the start, or with `one_rate` in its place; gives its size in units of what is allowed.
    fn estimate(&mut self, h: f64, f: Option<&[f64]>) -> f64 {
        let f = f.unwrap_or(self.one_rate.as_ref());
        let [e1, e2, e3] = ESTIMATE;
        let (ordered, z) = (self.ordered.as_mut(), self.z.as_ref());
        let order = self.structure.order.as_ref();
        for (b, &i) in ordered.iter_mut().zip(order) {
            let z = &z[i as usize];
            *b = (e1 * z[0] + e2 * z[1] + e3 * z[2]) / h + f[i as usize];
        }
        self.factors.solve_real(&self.structure, ordered);
        let error = self.error.as_mut();
        for (b, &i) in ordered.iter().zip(order) {
            error[i as usize] = *b;
        }
        norm(error, self.weight.as_ref()).max(1e-10)
    }

    /// Judges the stages by the estimate of their error.
    fn judge(
        &mut self,
        start: Start<'_>,
        h: f64,
        converged: &Converged,
        err: f64,
        y: &mut [f64],
    ) -> Trial {
        let Converged { iterations, rate } = converged;
        let effort = 0.9 * f64::from(2 * ITERATIONS + 1) / f64::from(2 * ITERATIONS + iterations);
        let grow = (effort.min(0.9) / fourth_root(err)).clamp(0.2, 8.0);
        let state = worst(self.error.as_ref().iter().copied(), self.weight.as_ref());
        if err.is_nan() || err >= 1.0 {
            let next = if self.last.is_none() { 0.1 } else { grow.min(0.9) };
            let next = if err.is_finite() { h * next } else { h * 0.1 };
            return self.fail(next, state);
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
        self.last = Some(Last { h, error: err.max(1e-2) });
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
        self.interpolate(start, h);
        for ((y, from), z) in y.iter_mut().zip(start.y).zip(self.z.as_ref()) {
            *y = from + z[2];
        }
        Trial { accepted: true, next, state }
    }

    /// Writes the solution over the step.
    ///
    /// The collocation polynomial is y₀ + z₃ + s(d₁ + (s + 1 − c₂)(d₂ + (s + 1 − c₁)d₃)), s = θ − 1. It
    /// misses the slope at the start by the defect behind the error estimate;
    /// κ∫(θ − c₁)(θ − c₂)(θ − 1)dθ mends that, leaves the slopes at the stages and the end alone, and
    /// raises the order from 3 to 4. Taken from the filtered estimate, κ = −γ error/(c₁c₂), it stays
    /// within the tolerance where the defect of a stiff component does not.
    fn interpolate(&mut self, start: Start<'_>, h: f64) {
        let (a, b) = (C2, C1);
        (self.dense.t0, self.dense.h) = (start.t, h);
        self.dense.y0.as_mut().copy_from_slice(start.y);
        let inputs = self.z.as_ref().iter().zip(self.error.as_ref());
        let outputs = self.dense.c.as_mut().iter_mut().zip(self.differences.as_mut());
        for ((z, error), (c, differences)) in inputs.zip(outputs) {
            let d1 = (z[1] - z[2]) / (C2 - 1.0);
            let middle = (z[0] - z[1]) / (C1 - C2);
            let first = (middle - z[0] / C1) / C2;
            let d2 = (middle - d1) / (C1 - 1.0);
            let d3 = d2 - first;
            *differences = [d1, d2, d3];
            let mend = -SHIFT.real / (a * b) * error;
            *c = [
                d1 - (1.0 + a) * d2 + (a + b + a * b) * d3 - a * b * mend,
                d2 - (1.0 + a + b) * d3 + 0.5 * (a + b + a * b) * mend,
                d3 - (1.0 + a + b) / 3.0 * mend,
                0.25 * mend,
            ];
        }
    }
}

/// Rows of `m` times the three stages of one state.
#[inline(always)]
fn times(m: &[[f64; 3]; 3], z: &Stages) -> Stages {
    let row = |m: &[f64; 3]| m[0] * z[0] + m[1] * z[1] + m[2] * z[2];
    [row(&m[0]), row(&m[1]), row(&m[2])]
}

#[inline(always)]
fn fourth_root(x: f64) -> f64 {
    sqrt(sqrt(x))
}

impl<Sys: System, St: Storage + 'static> Method<Sys> for Radau<St> {
    type Storage = St;
    type Dense = Polynomial<St>;
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
        options.weigh(start.y.iter().copied(), self.weight.as_mut());
        if self.jacobian_is == Age::None {
            let Radau { structure, jacobian, .. } = self;
            let slopes = |y: &[Slope], dy: &mut [Slope]| system.slopes(mode, start.t, y, dy);
            structure.jacobian(slopes, start.y, jacobian.as_mut());
            self.jacobian_is = Age::Fresh;
            self.factors_for = None;
            statistics.jacobians += 1;
        }
        let mut regular = true;
        if self.factors_for != Some(h) {
            let shift = Pair { real: SHIFT.real / h, re: SHIFT.re / h, im: SHIFT.im / h };
            regular = self.factors.factorise(&self.structure, self.jacobian.as_ref(), shift);
            self.factors_for = regular.then_some(h);
            statistics.factorisations += 1;
        }
        let converged = match regular {
            true => self.iterate(system, mode, start, h, options.rtol, statistics),
            false => Err(0.5),
        };
        let converged = match converged {
            Ok(converged) => converged,
            Err(shrink) => {
                statistics.diverged += 1;
                let state = self.restless();
                return self.fail(h * shrink, state);
            }
        };
        let mut err = self.estimate(h, Some(start.f));
        if err >= 1.0 && (self.last.is_none() || self.rejected) {
            let stage = self.stage.as_mut();
            for ((stage, y), error) in stage.iter_mut().zip(start.y).zip(self.error.as_ref()) {
                *stage = y + error;
            }
            system.rates(mode, start.t, stage, self.one_rate.as_mut());
            statistics.rhs += 1;
            err = self.estimate(h, None);
        }
        self.judge(start, h, &converged, err, y)
    }

    /// (γ/h − J)⁻¹(f − ẏ): of stiff states the error itself, of others what the defect adds over the step.
    fn defect(
        &mut self,
        system: &Sys,
        mode: &Sys::Mode,
        t: f64,
        statistics: &mut Statistics,
    ) -> f64 {
        self.dense.at(t, self.stage.as_mut());
        system.rates(mode, t, self.stage.as_ref(), self.one_rate.as_mut());
        statistics.rhs += 1;
        self.dense.slope(t, self.stage.as_mut());
        let order = self.structure.order.as_ref();
        for (b, &i) in self.ordered.as_mut().iter_mut().zip(order) {
            *b = self.one_rate.as_ref()[i as usize] - self.stage.as_ref()[i as usize];
        }
        self.factors.solve_real(&self.structure, self.ordered.as_mut());
        let mut sum = 0.0;
        for (b, &i) in self.ordered.as_ref().iter().zip(order) {
            sum += b * b * self.weight.as_ref()[i as usize];
        }
        sqrt(sum / order.len() as f64)
    }

    fn dense(&self) -> &Polynomial<St> {
        &self.dense
    }

    fn line(&mut self, start: Start<'_>, t: f64, y: &[f64]) {
        self.dense.line(start.t, start.y, t, y);
    }
}
