//! Many operating points at once.
use super::{Motion, Outcome, Refused, Rolling, Steady};
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
        &self,
        at: &Rolling<f64>,
        sigma_x: &[f64],
        sigma_y: &[f64],
    ) -> Result<Vec<Outcome>, Refused> {
        let row = |x: &f64| {
            let sigma_x = *x;
            sigma_y.iter().map(move |y| Rolling { sigma_x, sigma_y: *y, ..*at })
        };
        let all: Vec<Rolling<f64>> = sigma_x.iter().flat_map(row).collect();
        self.solve_all(&all).into_iter().collect()
    }
}
