//! The equations of one step, Y = y₀ + h A f(Y), and what solves them and judges the solution.
//!
//! With z = Y − y₀ and w = T⁻¹z simplified Newton iteration is a real and (S − 1)/2 complex systems
//! of the size of the state instead of one S times as large:
//! (γ/h − J) Δw₁ = (T⁻¹f)₁ − γ/h w₁, and so on (Hairer & Wanner, (IV.8.4)).
use super::coefficients::{Coefficients, DEGREE};
use crate::dense::rise;
use crate::lu::{Bundle, Factors};
use crate::method::{Start, norm};
use crate::structure::Structure;
use crate::{Polynomial, Statistics, Storage, System, powf, sqrt};

/// Below this rate of convergence the Jacobian is kept.
pub(super) const KEEP_JACOBIAN: f64 = 3e-2;

/// An error is not taken for smaller.
const ERROR_FLOOR: f64 = 1e-10;

/// Newton iterations before a step is given up: 7 with three stages, 12 with five, as in Hairer's code.
pub(super) const fn max_iterations(stages: usize) -> i32 {
    7 + 5 * (stages as i32 - 3) / 2
}

/// The stages of a step of order 2S − 1.
#[derive(Clone, Debug)]
pub(super) struct Collocation<St: Storage, const S: usize, const P: usize> {
    coefficients: &'static Coefficients<S, P>,
    factors: Factors<St, P>,
    /// The step that they are for.
    pub(super) factors_for: Option<f64>,
    // Y − y₀, the same in the coordinates of Λ, the rates of the stages, Newton's correction.
    z: St::States<[f64; S]>,
    w: St::States<[f64; S]>,
    rate: St::States<[f64; S]>,
    correction: St::States<Bundle<P>>,
}

/// What steps of either order work with.
#[derive(Clone, Debug)]
pub(super) struct Workspace<St: Storage> {
    pub(super) structure: Structure<St>,
    pub(super) jacobian: St::Pairs<f64>,
    /// The solution over the last accepted step.
    pub(super) dense: Polynomial<St, DEGREE>,
    /// One state and its rate.
    pub(super) stage: St::States<f64>,
    pub(super) one_rate: St::States<f64>,
    pub(super) error: St::States<f64>,
    pub(super) ordered: St::States<f64>,
    pub(super) weight: St::States<f64>,
}

/// How Newton's method went.
#[derive(Clone, Copy)]
pub(super) struct Converged {
    pub(super) iterations: i32,
    /// How much smaller each correction was than the one before it.
    pub(super) rate: f64,
    /// How much of the last correction is still to come.
    pub(super) ahead: f64,
}

impl<St: Storage, const S: usize, const P: usize> Collocation<St, S, P> {
    const ITERATIONS: i32 = max_iterations(S);

    pub(super) fn new(
        coefficients: &'static Coefficients<S, P>,
        structure: &Structure<St>,
        n: usize,
    ) -> Self {
        let stages = St::states(n, [0.0; S]);
        Collocation {
            coefficients,
            factors: Factors::new(structure, n),
            factors_for: None,
            z: stages.clone(),
            w: stages.clone(),
            rate: stages,
            correction: St::states(n, Bundle::ZERO),
        }
    }

    /// Factorises the iteration matrices for steps of `h`; false if one is singular.
    pub(super) fn factorise(&mut self, own: &Workspace<St>, h: f64) -> bool {
        let shift = self.coefficients.eigenvalues.over(h);
        let regular = self.factors.factorise(&own.structure, own.jacobian.as_ref(), shift);
        self.factors_for = regular.then_some(h);
        regular
    }

    /// Begins with stages at y₀.
    pub(super) fn rest(&mut self) {
        self.z.as_mut().fill([0.0; S]);
        self.w.as_mut().fill([0.0; S]);
    }

    /// Begins with the stages that the solution over the last step foretells for one of `h` from
    /// its end, or from its start `again`.
    pub(super) fn predict(&mut self, last: &Polynomial<St, DEGREE>, h: f64, again: bool) {
        let Coefficients { nodes, t_inv, .. } = self.coefficients;
        let begin = if again { 0.0 } else { 1.0 };
        let ends = nodes.map(|c| begin + c * h / last.h);
        let stages = self.z.as_mut().iter_mut().zip(self.w.as_mut());
        for ((z, w), c) in stages.zip(last.c.as_ref()) {
            let from = rise(c, begin);
            *z = ends.map(|end| rise(c, end) - from);
            *w = times(t_inv, z);
        }
    }

    /// Simplified Newton iteration for the stages; by which factor to shorten the step, if it fails.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn iterate<Sys: System>(
        &mut self,
        own: &mut Workspace<St>,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        rtol: f64,
        mut ahead: f64,
        statistics: &mut Statistics,
    ) -> Result<Converged, f64> {
        let goal = (10.0 * f64::EPSILON / rtol).max((10.0 * sqrt(rtol)).min(0.03));
        let mut rate = KEEP_JACOBIAN;
        let (mut size_before, mut rate_before) = (0.0, 0.0);
        for iterations in 1..=Self::ITERATIONS {
            for s in 0..S {
                let (stage, one) = (own.stage.as_mut(), own.one_rate.as_mut());
                for ((stage, y), z) in stage.iter_mut().zip(start.y).zip(self.z.as_ref()) {
                    *stage = y + z[s];
                }
                system.rates(mode, start.t + self.coefficients.nodes[s] * h, stage, one);
                for (rate, one) in self.rate.as_mut().iter_mut().zip(one.iter()) {
                    rate[s] = *one;
                }
            }
            statistics.rhs += S;
            let size = self.correct(own, h);
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
                let left = Self::ITERATIONS - 1 - iterations;
                // What the error will be when all iterations are used up.
                let end = (0..left).fold(ahead * size / goal, |end, _| end * rate);
                if end >= 1.0 && left >= 0 {
                    return Err(0.8 * powf(end.clamp(1e-4, 20.0), -1.0 / f64::from(4 + left)));
                }
            }
            size_before = size.max(f64::EPSILON);
            if ahead * size <= goal {
                return Ok(Converged { iterations, rate, ahead });
            }
        }
        Err(0.5)
    }

    /// Corrects the stages by one Newton iteration, given their rates; gives how large the correction
    /// was, in units of what is allowed.
    #[inline]
    fn correct(&mut self, own: &Workspace<St>, h: f64) -> f64 {
        let Coefficients { eigenvalues, t, t_inv, .. } = self.coefficients;
        let shift = eigenvalues.over(h);
        let (order, weight) = (own.structure.order.as_ref(), own.weight.as_ref());
        let (z, w, rate) = (self.z.as_mut(), self.w.as_mut(), self.rate.as_ref());
        let correction = self.correction.as_mut();
        for (d, &i) in correction.iter_mut().zip(order) {
            let (g, w) = (times(t_inv, &rate[i as usize]), &w[i as usize]);
            d.real = g[0] - shift.real * w[0];
            for p in 0..P {
                let (alpha, beta) = (shift.re[p], shift.im[p]);
                let [re, im] = [2 * p + 1, 2 * p + 2];
                d.re[p] = g[re] - (alpha * w[re] - beta * w[im]);
                d.im[p] = g[im] - (alpha * w[im] + beta * w[re]);
            }
        }
        self.factors.solve(&own.structure, correction);
        let mut sum = 0.0;
        for (d, &i) in correction.iter().zip(order) {
            let i = i as usize;
            let w = &mut w[i];
            w[0] += d.real;
            let mut square = d.real * d.real;
            for p in 0..P {
                w[2 * p + 1] += d.re[p];
                w[2 * p + 2] += d.im[p];
                square += d.re[p] * d.re[p] + d.im[p] * d.im[p];
            }
            z[i] = times(t, w);
            sum += square * weight[i];
        }
        sqrt(sum / (S * z.len()) as f64)
    }

    /// The state that moved most in the last correction.
    pub(super) fn restless(&self, own: &Workspace<St>) -> usize {
        let order = own.structure.order.as_ref();
        let (mut restless, mut most) = (0, 0.0);
        for (d, &i) in self.correction.as_ref().iter().zip(order) {
            let size = d.real * d.real * own.weight.as_ref()[i as usize];
            if !size.is_finite() {
                return i as usize;
            }
            if size > most {
                (restless, most) = (i as usize, size);
            }
        }
        restless
    }

    /// Writes (γ/h − J)⁻¹(f − ṗ), where ṗ is the slope of the collocation polynomial at the start and
    /// f the rate there, or `one_rate` in its place; gives its size in units of what is allowed.
    ///
    /// That is the difference to an embedded formula of order S with the weight 1/γ for f, filtered
    /// (IV.8.20).
    pub(super) fn estimate(&self, own: &mut Workspace<St>, h: f64, f: Option<&[f64]>) -> f64 {
        let slope = &self.coefficients.lagrange[0];
        let f = f.unwrap_or(own.one_rate.as_ref());
        let (ordered, z) = (own.ordered.as_mut(), self.z.as_ref());
        let order = own.structure.order.as_ref();
        for (b, &i) in ordered.iter_mut().zip(order) {
            *b = f[i as usize] - dot(slope, &z[i as usize]) / h;
        }
        self.factors.solve_real(&own.structure, ordered);
        let error = own.error.as_mut();
        for (b, &i) in ordered.iter().zip(order) {
            error[i as usize] = *b;
        }
        norm(error, own.weight.as_ref()).max(ERROR_FLOOR)
    }

    /// The size that the estimate would have had with fewer stages, at the nodes of which the solution has
    /// the slopes that it has: `defect` are the weights of z in f − ṗ.
    pub(super) fn estimate_lower(&self, own: &mut Workspace<St>, h: f64, defect: &[f64; S]) -> f64 {
        let order = own.structure.order.as_ref();
        for (b, &i) in own.ordered.as_mut().iter_mut().zip(order) {
            *b = dot(defect, &self.z.as_ref()[i as usize]) / h;
        }
        self.filtered(own).max(ERROR_FLOOR)
    }

    /// The size of (γ/h − J)⁻¹(f − ṗ) between the last two nodes.
    ///
    /// The estimate looks at the start. It hardly sees a layer that begins near the end of the step, the
    /// less the stiffer a state is there, and the longer the step the more room there is for one.
    pub(super) fn late_defect<Sys: System>(
        &self,
        own: &mut Workspace<St>,
        system: &Sys,
        mode: &Sys::Mode,
        start: Start<'_>,
        h: f64,
        statistics: &mut Statistics,
    ) -> f64 {
        let Coefficients { late, late_value, late_slope, .. } = self.coefficients;
        let z = self.z.as_ref();
        let Workspace { structure, stage, one_rate, ordered, .. } = own;
        for ((stage, y), z) in stage.as_mut().iter_mut().zip(start.y).zip(z) {
            *stage = y + dot(late_value, z);
        }
        system.rates(mode, start.t + late * h, stage.as_ref(), one_rate.as_mut());
        statistics.rhs += 1;
        for (b, &i) in ordered.as_mut().iter_mut().zip(structure.order.as_ref()) {
            let i = i as usize;
            *b = one_rate.as_ref()[i] - dot(late_slope, &z[i]) / h;
        }
        self.filtered(own)
    }

    /// The size of (γ/h − J)⁻¹ b in units of what is allowed, where `ordered` is b.
    pub(super) fn filtered(&self, own: &mut Workspace<St>) -> f64 {
        let Workspace { structure, ordered, weight, .. } = own;
        let ordered = ordered.as_mut();
        self.factors.solve_real(structure, ordered);
        let weights = structure.order.as_ref().iter().map(|&i| weight.as_ref()[i as usize]);
        let sum: f64 = ordered.iter().zip(weights).map(|(e, w)| e * e * w).sum();
        sqrt(sum / ordered.len() as f64)
    }

    /// Writes the state at the end of the step and the solution over it.
    ///
    /// The collocation polynomial misses the slope at the start by the defect behind the error estimate.
    /// ∫(1 − θ/c₁)…(1 − θ/c_S)dθ times the defect mends that, leaves the slopes at the stages and
    /// both ends alone, and raises the order from S to S + 1. Taken from the filtered estimate, γ error, it
    /// stays within the tolerance where the defect of a stiff component does not.
    pub(super) fn interpolate(
        &self,
        own: &mut Workspace<St>,
        start: Start<'_>,
        h: f64,
        y: &mut [f64],
    ) {
        let Coefficients { eigenvalues, lagrange, bump, .. } = self.coefficients;
        let Workspace { dense, error, .. } = own;
        (dense.t0, dense.h) = (start.t, h);
        dense.y0.as_mut().copy_from_slice(start.y);
        let inputs = self.z.as_ref().iter().zip(error.as_ref());
        for ((z, error), c) in inputs.zip(dense.c.as_mut()) {
            let mend = eigenvalues.real * error;
            *c = bump.map(|bump| bump * mend);
            for (c, row) in c.iter_mut().zip(lagrange) {
                *c += dot(row, z);
            }
        }
        for ((y, from), z) in y.iter_mut().zip(start.y).zip(self.z.as_ref()) {
            *y = from + z[S - 1];
        }
    }
}

#[inline(always)]
fn dot<const S: usize>(a: &[f64; S], b: &[f64; S]) -> f64 {
    (1..S).fold(a[0] * b[0], |sum, k| sum + a[k] * b[k])
}

/// Rows of `m` times the stages of one state.
#[inline(always)]
fn times<const S: usize>(m: &[[f64; S]; S], z: &[f64; S]) -> [f64; S] {
    core::array::from_fn(|k| dot(&m[k], z))
}
