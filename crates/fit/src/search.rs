//! The search: Levenberg-Marquardt between bounds, from several starts.
//!
//! ```text
//! (JᵀJ + λ D) δ = −Jᵀr,   D = diag JᵀJ, never less than it was
//! ```
//!
//! J. J. Moré, The Levenberg-Marquardt algorithm, 1978; λ after H. B. Nielsen, IMM-REP-1999-05. Coordinates that lie on a
//! bound and would leave it stand still. Steps are in logarithms of positive parameters.
use crate::objective::{Measure, Point, evaluate};
use crate::{Experiment, Prediction, Refused};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;
use std::time::Instant;

/// How far a fit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told<'a> {
    /// What is being done.
    pub stage: &'a str,
    /// How often the experiment was predicted so far.
    pub evaluations: usize,
    /// The root mean square of the residuals, in noise levels.
    pub rms: f64,
    /// About how long it still takes, s.
    pub left: f64,
}

/// Hears how far a fit is, and may end it.
pub type Listener<'a> = dyn FnMut(&Told<'_>) -> ControlFlow<()> + 'a;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No step makes the residuals smaller.
    Converged,
    /// It took all iterations that it may.
    Exhausted,
    /// It was interrupted.
    Interrupted,
}

pub(crate) struct Search<'a> {
    pub experiment: &'a dyn Experiment,
    pub listener: &'a mut Listener<'a>,
    pub evaluations: usize,
    pub stage: &'static str,
    pub interrupted: bool,
    pub began: Instant,
    /// How many evaluations the whole fit is expected to take.
    pub expected: usize,
    pub room: Prediction,
}

/// A step that promises less than this part of the cost ends a search.
const LITTLE: f64 = 1e-10;
/// The longest step of a coordinate: a factor of 7 in a logarithm.
const LONGEST: f64 = 2.0;

impl Search<'_> {
    pub fn evaluate(&mut self, measure: &Measure, theta: &[f64]) -> Result<Point, Refused> {
        self.evaluations += 1;
        let point = evaluate(self.experiment, measure, theta, &mut self.room);
        let rms = point
            .as_ref()
            .map_or(f64::NAN, |p| (2.0 * p.cost / p.residual.len().max(1) as f64).sqrt());
        let each = self.began.elapsed().as_secs_f64() / self.evaluations as f64;
        let left = each * self.expected.saturating_sub(self.evaluations) as f64;
        let told = Told { stage: self.stage, evaluations: self.evaluations, rms, left };
        if (self.listener)(&told).is_break() {
            self.interrupted = true;
        }
        point
    }

    /// Goes down from a point, with the coordinates in `held` where they are.
    pub fn descend(
        &mut self,
        measure: &Measure,
        mut at: Point,
        held: &[bool],
        iterations: usize,
    ) -> (Point, Ended) {
        let free = self.experiment.free();
        let p = free.len();
        let (mut lambda, mut growth) = (1e-3, 2.0);
        let mut weights = DVector::from_element(p, 0.0f64);
        for _ in 0..iterations {
            if self.interrupted {
                return (at, Ended::Interrupted);
            }
            let u: Vec<f64> = free.iter().zip(&at.theta).map(|(f, t)| f.coordinate(*t)).collect();
            let moves = |i: usize| {
                let down = -at.gradient[i];
                let out = (at.theta[i] <= free[i].lo && down < 0.0)
                    || (at.theta[i] >= free[i].hi && down > 0.0);
                !held[i] && !out && at.normal[(i, i)] > 0.0
            };
            let active: Vec<usize> = (0..p).filter(|i| moves(*i)).collect();
            if active.is_empty() {
                return (at, Ended::Converged);
            }
            for i in &active {
                weights[*i] = weights[*i].max(at.normal[(*i, *i)]);
            }
            let mut accepted = false;
            // λ grows faster each time: 40 failures in a row shrink a step beyond all numbers.
            for _ in 0..40 {
                let m = active.len();
                let matrix = DMatrix::from_fn(m, m, |i, j| {
                    let own = at.normal[(active[i], active[j])];
                    if i == j { own + lambda * weights[active[i]] } else { own }
                });
                let right = DVector::from_fn(m, |i, _| -at.gradient[active[i]]);
                let Some(step) = matrix.cholesky().map(|c| c.solve(&right)) else {
                    lambda *= growth;
                    growth *= 2.0;
                    continue;
                };
                let promised = 0.5
                    * (0..m)
                        .map(|i| step[i] * (lambda * weights[active[i]] * step[i] + right[i]))
                        .sum::<f64>();
                if promised <= LITTLE * at.cost {
                    return (at, Ended::Converged);
                }
                let mut theta = at.theta.clone();
                for (k, i) in active.iter().enumerate() {
                    theta[*i] = free[*i].value(u[*i] + step[k].clamp(-LONGEST, LONGEST));
                }
                self.experiment.admit(&mut theta);
                if theta == at.theta {
                    return (at, Ended::Converged);
                }
                let tried = self.evaluate(measure, &theta);
                if self.interrupted {
                    return (at, Ended::Interrupted);
                }
                match tried {
                    Ok(next) if next.cost < at.cost => {
                        let ratio = (at.cost - next.cost) / promised;
                        lambda *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                        lambda = lambda.max(1e-14);
                        growth = 2.0;
                        at = next;
                        accepted = true;
                        break;
                    }
                    _ => {
                        lambda *= growth;
                        growth *= 2.0;
                    }
                }
            }
            if !accepted {
                return (at, Ended::Converged);
            }
        }
        (at, Ended::Exhausted)
    }

    /// From several starts: a short descent from each that is worth it, and the best one to its end.
    pub fn global(
        &mut self,
        measure: &Measure,
        starts: &[Vec<f64>],
        random: usize,
        seed: u64,
        iterations: usize,
    ) -> Result<(Point, Ended, usize), Refused> {
        let free = self.experiment.free();
        let mut refused = Refused("there is no start".into());
        let mut points: Vec<Point> = Vec::new();
        let mut generator = Generator(seed ^ 0x9e37_79b9_7f4a_7c15);
        let around =
            starts.first().cloned().unwrap_or_else(|| free.iter().map(|f| f.start).collect());
        let scattered = (0..random).map(|_| {
            let draw = |(f, t): (&crate::Free, &f64)| {
                // Within an order of magnitude.
                f.value(f.coordinate(*t) + (2.0 * generator.next() - 1.0) * std::f64::consts::LN_10)
            };
            free.iter().zip(&around).map(draw).collect::<Vec<f64>>()
        });
        let all: Vec<Vec<f64>> = starts.iter().cloned().chain(scattered).collect();
        for mut theta in all {
            for (t, f) in theta.iter_mut().zip(free) {
                *t = t.clamp(f.lo, f.hi);
            }
            self.experiment.admit(&mut theta);
            match self.evaluate(measure, &theta) {
                Ok(point) => points.push(point),
                Err(e) => refused = e,
            }
            if self.interrupted && !points.is_empty() {
                break;
            }
        }
        points.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let held = vec![false; free.len()];
        /// Starts that are followed.
        const FOLLOWED: usize = 4;
        /// Steps of each before the best is followed to its end.
        const FIRST: usize = 12;
        let followed = points.len().min(FOLLOWED);
        if followed == 0 {
            return Err(refused);
        }
        let mut best: Option<(Point, Ended)> = None;
        let mut agree = 0;
        for point in points.into_iter().take(FOLLOWED) {
            let found = self.descend(measure, point, &held, FIRST);
            let same = |b: &(Point, Ended)| (b.0.cost - found.0.cost).abs() <= 1e-6 * b.0.cost;
            agree = match &best {
                Some(b) if same(b) => agree + 1,
                Some(b) if found.0.cost < b.0.cost => 1,
                Some(_) => agree,
                None => 1,
            };
            if best.as_ref().is_none_or(|b| found.0.cost < b.0.cost) {
                best = Some(found);
            }
            // Two that end in the same place settle it.
            if agree >= 2 || self.interrupted {
                break;
            }
        }
        let Some((point, ended)) = best else { return Err(refused) };
        let (point, ended) = match ended {
            Ended::Exhausted => self.descend(measure, point, &held, iterations),
            other => (point, other),
        };
        Ok((point, ended, agree))
    }
}

/// Numbers between 0 and 1 that look random: splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
pub(crate) struct Generator(pub u64);

impl Generator {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal, by Box and Muller.
    #[cfg(test)]
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.next().max(1e-300), self.next());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}
