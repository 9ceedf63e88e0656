//! Many operating points at once.
use super::bristles::wide;
use super::inflow::WIDTH;
use super::{Motion, Outcome, Refused, Rolling, Steady};
use bristle_kernel::validate;
use rayon::prelude::*;

impl Steady {
    /// Steady rolling at many operating points, on all processors.
    pub fn solve_all(&self, points: &[Rolling<f64>]) -> Vec<Result<Outcome, Refused>> {
        let mut ready = self.clone();
        if points.iter().filter(|r| Motion::new(*r).is_spinless()).nth(1).is_some() {
            ready.prepare_spinless();
        }
        let share = points.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let solved = points.par_chunks(share).map(|points| {
            let mut own = ready.clone();
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
        let across = sigma_y.len();
        let rolling = |k: usize| Rolling {
            sigma_x: sigma_x[k / across],
            sigma_y: sigma_y[k % across],
            ..*at
        };
        let all: Vec<Rolling<f64>> = (0..sigma_x.len() * across).map(rolling).collect();
        if Motion::new(at).is_spinless() {
            self.prepare_spinless();
        }
        let Some(spinless) = self.spinless.as_ref().filter(|_| Motion::new(at).is_spinless())
        else {
            return self.solve_all(&all).into_iter().collect();
        };
        let eights = all.par_chunks(WIDTH).flat_map_iter(|points| {
            let lane = |i: usize| &points[i.min(points.len() - 1)];
            let sigma = [wide(|i| lane(i).sigma_x), wide(|i| lane(i).sigma_y)];
            spinless.solve_wide(sigma, at.v_r).into_iter().take(points.len())
        });
        let mut done: Vec<Outcome> = eights.collect();
        // Bristles that settle at once are beyond all Gauss rules, and no slip has no rate: these are solved one by one.
        let accuracy = self.accuracy();
        for (r, done) in all.iter().zip(&mut done).filter(|(_, o)| o.error > accuracy) {
            *done = self.solve(r)?;
        }
        Ok(done)
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
