//! Many operating points at once.
use super::Rolling;
use super::fading::{Briefs, Brisk};
use super::inflow::{WIDTH, Wide};
use super::plain::{FINEST, Held, Plain};
use super::steady::{CAUTION, Outcome, Refused, Steady, distance, motion, outcome};
use bristle_kernel::{Cast, Planar, Real, validate};
use bristle_num::{Lanes, Swift, simd};
use rayon::prelude::*;

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone + Send + Sync,
    B::Over<Wide>: Planar<Wide> + Clone + Send + Sync,
    B::Over<Brisk>: Planar<Brisk> + Clone + Send + Sync,
    B::Over<Briefs>: Planar<Briefs> + Clone + Send + Sync,
{
    /// Steady rolling at many operating points, on all processors.
    pub fn solve_all(&self, points: &[Rolling<f64>]) -> Vec<Result<Outcome, Refused>> {
        let share = points.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let solved = points.par_chunks(share).map(|points| {
            let mut own = self.clone();
            points.iter().map(|r| own.solve(r)).collect::<Vec<_>>()
        });
        solved.flatten().collect()
    }

    /// The force-slip surface: every σ_y for every σ_x, row by row. What F_x, F_y and M_z trace out together
    /// is the action surface, its outline over F_x and F_y the friction circle or ellipse.
    pub fn surface(
        &mut self,
        at: &Rolling<f64>,
        sigma_x: &[f64],
        sigma_y: &[f64],
    ) -> Result<Vec<Outcome>, Refused> {
        validate(at)?;
        let motion = motion(at);
        let across = sigma_y.len();
        let point = |k: usize| [sigma_x[k / across], sigma_y[k % across]];
        let rolling = |k: usize| {
            let [sigma_x, sigma_y] = point(k);
            Rolling { sigma_x, sigma_y, ..*at }
        };
        let count = sigma_x.len() * across;
        if motion.phi != 0.0 || motion.phi2 != 0.0 || !motion.flow.is_along_x() {
            let all: Vec<Rolling<f64>> = (0..count).map(rolling).collect();
            return self.solve_all(&all).into_iter().collect();
        }
        let plain = self.plain.take().unwrap_or_else(|| Plain::new(&self.shape, &self.pressure));
        let mut done = vec![outcome([0.0; 4], 0.0); count];
        // Some vectors to a task.
        const SHARE: usize = 64 * WIDTH;
        done.par_chunks_mut(SHARE).enumerate().for_each(|(i, done)| {
            for (j, done) in done.chunks_mut(WIDTH).enumerate() {
                let first = i * SHARE + j * WIDTH;
                let lane =
                    |k: usize| Lanes(std::array::from_fn(|i| point((first + i).min(count - 1))[k]));
                let sigma = [lane(0), lane(1)];
                let mut quickly = || {
                    simd::fused(
                        #[inline(always)]
                        || {
                            let speed = Brisk::from(at.v_r);
                            let held = Held::at(&self.swift, sigma.map(Swift), speed);
                            self.plain_points(&plain, &held, |s| s.0, 1e-9, done)
                        },
                    )
                };
                // Nine digits are enough for who asks for seven.
                if self.accuracy() < 1e-7 || quickly().is_none() {
                    simd::widest(
                        #[inline(always)]
                        || {
                            let held = Held::at(&self.wide, sigma, Wide::from(at.v_r));
                            self.plain_points(&plain, &held, |s| s, 1e-13, done)
                        },
                    );
                }
            }
        });
        self.plain = Some(plain);
        // Bristles that forget at once are beyond all Gauss rules: their paths are followed one by one.
        let accuracy = self.accuracy();
        for (k, done) in done.iter_mut().enumerate().filter(|(_, o)| o.error > accuracy) {
            *done = self.solve(&rolling(k))?;
        }
        Ok(done)
    }

    /// Points without spin, one to a lane, by the rule that serves all of them, or the finest. The error is that of
    /// each point, and no less than `least`.
    #[inline(always)]
    fn plain_points<S: Real>(
        &self,
        plain: &Plain,
        held: &Held<S>,
        lanes: impl Fn(S) -> Wide,
        least: f64,
        done: &mut [Outcome],
    ) {
        let turns = lanes(held.turns(plain.longest())).0.into_iter().fold(0.0, f64::max);
        let first = Plain::first(self.accuracy(), turns);
        let mut coarse = plain.wrench(held, first - 1);
        for rule in first..=FINEST {
            let fine = plain.wrench(held, rule);
            let error = distance(self.load, self.shape.a, &coarse, &fine) * CAUTION;
            let (error, sums) = (lanes(error.max(S::from(least))).0, fine.map(&lanes));
            for (i, done) in done.iter_mut().enumerate() {
                *done = outcome(sums.map(|s| s.0[i]), error[i]);
            }
            if error.iter().all(|e| *e <= self.accuracy()) {
                break;
            }
            coarse = fine;
        }
    }
}

/// Points on the friction circle: for each of `count` directions of slip, the outcome of slip `sigma` long.
pub fn circle(at: &Rolling<f64>, sigma: f64, count: usize) -> Vec<Rolling<f64>> {
    (0..count)
        .map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / count as f64;
            Rolling { sigma_x: sigma * angle.cos(), sigma_y: sigma * angle.sin(), ..*at }
        })
        .collect()
}
