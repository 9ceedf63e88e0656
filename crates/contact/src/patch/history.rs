//! Rolling with everything a function of the distance travelled: slip, spin, speed, load, and the patch itself.
//!
//! [`Steady::roll`](super::Steady::roll) is for a patch whose paths stay where they are. Where φ₁ or the outline change,
//! paths do too. Here each point of the patch asks back along its own path, through the
//! outlines that it met, to where it entered; from there its deflection is followed forward. Transport is exact
//! to the fourth order of the step, and nothing is kept between two moments.
use super::cell::solve_coupled;
use super::flow::Flow;
use super::inflow::{self, Panel, WIDTH};
use super::matrix::times;
use super::motion::Motion;
use super::rules::{nodes as nested, vectors, weights};
use super::steady::{Outcome, Refused, measure};
use super::tiles::{SAFETY, known};
use super::{Patch, Rolling};
use crate::quadrature::{Radau, legendre};
use bristle_kernel::{Matrix2, Planar, validate};
use rayon::prelude::*;

/// A patch and its motion over the distance travelled, m.
pub struct History<'a, B> {
    /// The bristle.
    pub bristle: &'a B,
    /// The patch at a distance, with its load.
    pub patch: &'a (dyn Fn(f64) -> Patch<f64> + Sync),
    /// The motion at a distance.
    pub rolling: &'a (dyn Fn(f64) -> Rolling<f64> + Sync),
    /// Where all bristles were undeflected, m.
    pub from: f64,
}

/// Which nested rule a panel has its rows by, how many nodes there are to a third of a row, and steps to the length of the patch.
const LEVELS: [(usize, usize, f64); 4] = [(1, 4, 10.0), (2, 8, 16.0), (3, 16, 28.0), (4, 24, 48.0)];

/// A bristle on its way: where it is after which distance.
#[derive(Clone, Copy)]
struct Here {
    s: f64,
    at: [f64; 2],
}

impl<B: Planar<f64> + Sync> History<'_, B> {
    /// Forces and moments at the distance `s`. The estimate is the difference of the last two of some rules
    /// that grow finer until it is below `accuracy` or there is none finer.
    pub fn at(&self, s: f64, accuracy: f64) -> Result<Outcome, Refused> {
        let (patch, rolling) = ((self.patch)(s), (self.rolling)(s));
        validate(&patch)?;
        validate(&rolling)?;
        if accuracy.is_nan() || accuracy <= 0.0 {
            return Err(Refused::Accuracy { value: accuracy });
        }
        let mut coarse = self.by(LEVELS[0], s, &patch);
        let mut error = f64::INFINITY;
        for level in &LEVELS[1..] {
            let fine = self.by(*level, s, &patch);
            let off = std::array::from_fn(|c| fine[c] - coarse[c]);
            error = SAFETY * measure(patch.load, patch.a, &fine, &off);
            coarse = fine;
            if error <= accuracy {
                break;
            }
        }
        Ok(Outcome::new(coarse, known(error)))
    }

    fn by(
        &self,
        (level, nodes, steps): (usize, usize, f64),
        s: f64,
        patch: &Patch<f64>,
    ) -> [f64; 4] {
        let (shape, pressure) = (patch.shape(), patch.pressure());
        let (rule, step) = (legendre(nodes), 2.0 * patch.a / steps);
        let along_x = Flow { phi1: 0.0, epsilon: [0.0, 1.0] };
        let row = |(panel, k): (&Panel, usize)| {
            let (paths, weights) = (panel.lay(&shape, &along_x, nested(k)), weights(level, k));
            let [edge, y, width] = [paths.entry[0], paths.entry[1], paths.element[1] * weights];
            let lanes = (0..WIDTH).map(move |i| [edge.0[i], y.0[i], width.0[i].abs()]);
            lanes.filter(|[.., width]| *width > 0.0)
        };
        let panels = inflow::panels(&shape, &along_x);
        let eights = panels.iter().flat_map(|panel| (0..vectors(level)).map(move |k| (panel, k)));
        let rows: Vec<[f64; 3]> = eights.flat_map(row).collect();
        let row_sums = rows.into_par_iter().map(|[edge, y, width]| {
            let mut sums = [0.0; 4];
            // Three cells to a row, shorter at both ends.
            for ends in [-edge, -0.7 * edge, 0.7 * edge, edge].windows(2) {
                for (c, w) in rule {
                    let length = ends[1] - ends[0];
                    let at = [ends[0] + length * c, y];
                    let load = pressure.at(&shape, at[0], at[1]) * width * length * w;
                    let (z, f) = self.bristle_at(at, s, step);
                    let moment = at[0] * f[1] - at[1] * f[0];
                    let more = z[0] * f[1] - z[1] * f[0];
                    let all = [f[0], f[1], moment, moment + more];
                    sums = std::array::from_fn(|i| sums[i] + load * all[i]);
                }
            }
            sums
        });
        row_sums.reduce(|| [0.0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i]))
    }

    /// V̄ at a place after a distance.
    fn velocity(&self, Here { s, at }: Here) -> [f64; 2] {
        Motion::new(&(self.rolling)(s)).flow.velocity(at[0], at[1])
    }

    /// One step of the classical Runge-Kutta method along the path, backwards if h < 0.
    fn move_on(&self, here: Here, h: f64) -> Here {
        let ahead = |h: f64, v: [f64; 2]| Here {
            s: here.s + h,
            at: [here.at[0] + h * v[0], here.at[1] + h * v[1]],
        };
        let k1 = self.velocity(here);
        let k2 = self.velocity(ahead(0.5 * h, k1));
        let k3 = self.velocity(ahead(0.5 * h, k2));
        let k4 = self.velocity(ahead(h, k3));
        ahead(h, std::array::from_fn(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0))
    }

    fn is_outside(&self, here: Here) -> bool {
        !(self.patch)(here.s).shape().contains(here.at[0], here.at[1])
    }

    /// Deflection and force per unit load of the bristle that is at a place after the distance `s`.
    pub fn bristle_at(&self, at: [f64; 2], s: f64, step: f64) -> ([f64; 2], [f64; 2]) {
        let mut way = vec![Here { s, at }];
        let mut here = way[0];
        while here.s > self.from {
            let h = step.min(here.s - self.from);
            let mut before = self.move_on(here, -h);
            let entered = self.is_outside(before);
            if entered {
                let (mut inside, mut outside) = (0.0, h);
                for _ in 0..50 {
                    let middle = 0.5 * (inside + outside);
                    *(if self.is_outside(self.move_on(here, -middle)) {
                        &mut outside
                    } else {
                        &mut inside
                    }) = middle;
                }
                before = self.move_on(here, -outside);
            }
            way.push(before);
            here = before;
            if entered {
                break;
            }
        }
        let stages = Radau::<STAGES>::new();
        let z = way.windows(2).rev().fold([0.0; 2], |z, w| self.step(&stages, w[1], w[0], z));
        let now = Motion::new(&(self.rolling)(s));
        let (forget, drive) = self.equation(&now, at, z);
        let (elastic, damping) = (self.bristle.stiffness().times(z), self.bristle.damping());
        let back = times(&forget, z);
        let viscous = damping.scaled(now.speed).times([drive[0] - back[0], drive[1] - back[1]]);
        (z, [elastic[0] + viscous[0], elastic[1] + viscous[1]])
    }

    /// E and d of z′ = d − E z at a place.
    fn equation(&self, now: &Motion<f64>, at: [f64; 2], z: [f64; 2]) -> (Matrix2<f64>, [f64; 2]) {
        let slip = now.slip(at);
        now.equation(&self.bristle.response(now.sliding(slip, z)), slip)
    }

    /// The deflection at the end of a step that began with z.
    fn step(&self, stages: &Radau<STAGES>, from: Here, to: Here, z: [f64; 2]) -> [f64; 2] {
        let h = to.s - from.s;
        let (v0, v1) = (self.velocity(from), self.velocity(to));
        let mut felt = [z; STAGES];
        // Model 2 takes friction at the deflections of the stages, which some repetitions give.
        for _ in 0..REPETITIONS {
            let mut forget = [[[0.0; 2]; 2]; STAGES];
            let mut right = [[z]; STAGES];
            let mut feels = false;
            for i in 0..STAGES {
                let c = stages.c[i];
                // Hermite's cubic through both ends.
                let at: [f64; 2] = std::array::from_fn(|k| {
                    let (p, q) = (from.at[k], to.at[k]);
                    let turn = c * (1.0 - c) * h * ((1.0 - c) * v0[k] - c * v1[k]);
                    p + (q - p) * c * c * (3.0 - 2.0 * c) + turn
                });
                let now = Motion::new(&(self.rolling)(from.s + c * h));
                feels |= now.feels;
                let drive;
                (forget[i], drive) = self.equation(&now, at, felt[i]);
                right[i] = [std::array::from_fn(|k| h * drive[k] + z[k] * stages.start[i])];
            }
            felt = solve_coupled(stages, &[h; STAGES], &forget, right).map(|[z]| z);
            if !feels {
                break;
            }
        }
        felt[STAGES - 1]
    }
}

/// Stages of a step.
const STAGES: usize = 3;
/// How often a step of Model 2 is solved; each time its error falls by about φ₂ times the step.
const REPETITIONS: usize = 6;
