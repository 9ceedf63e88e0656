use crate::{Body, Push};
use bristle_kernel::bristle::RotatingDiscontinuous;
use bristle_kernel::{Bristle, Cast, Drive, Real};
use bristle_ode::{DormandPrince, Equations, Failure, Options, Solver, Stack, Statistics};

/// The Switch Model, 001 (27)-(37): the jump of friction at v = 0 smoothed within a band |v| ≤ η.
///
/// In the band the body is brought to rest, v̇ = −v/τ, where both sides push it back (28), (32), and
/// follows the side it goes to elsewhere (34), (36). Outside it nothing is changed (37). It needs no
/// events, so an ordinary solver runs it, through the jumps of the force. The paper gives η and not τ;
/// (29) reads ġ = −τ g there, with which (32) does not agree.
#[derive(Clone, Copy, Debug)]
pub struct SwitchModel {
    /// What moves.
    pub body: Body,
    /// What it moves on.
    pub friction: RotatingDiscontinuous<f64>,
    /// Half the width η of the band, m/s.
    pub eta: f64,
    /// The time τ in which v decays within the band, s.
    pub tau: f64,
}

impl Equations for SwitchModel {
    fn states(&self) -> usize {
        2
    }

    fn rhs<S: Real>(&self, t: f64, y: &[S], dy: &mut [S]) {
        let (x, v) = (y[0], y[1]);
        let model = self.friction.cast(&mut |p| S::from(p));
        // At rest each corner has the bristles that it would have going outwards.
        let at = Drive { x, ..Drive::new(S::from(0.0), S::from(1.0)) };
        let at = Drive { mode: model.begin(&at, &[]), ..at };
        let others = S::from(self.body.push.at(t)) - x * self.body.stiffness;
        let side = |way: f64| (others - model.branch(&at, way)) / self.body.mass;
        let (plus, minus) = (side(1.0), side(-1.0));
        let zero = S::from(0.0);
        let (up, down) = (plus.gt(zero), minus.lt(zero));
        // Attractive (27): rest. Both down, (34): f₋. Both up, or repulsive (36): f₊.
        let band = S::select(up, plus, S::select(down, minus, -v / self.tau));
        let sliding = S::select(v.gt(zero), plus, minus);
        dy[0] = v;
        dy[1] = S::select(v.abs().le(S::from(self.eta)), band, sliding);
    }
}

impl SwitchModel {
    /// Position and velocity at each of the `times`, which increase, from rest at x = 0, with the
    /// relative tolerance `rtol`; and what it cost.
    pub fn run(&self, times: &[f64], rtol: f64) -> Result<(Vec<[f64; 2]>, Statistics), Failure> {
        // A long stick must not make the solver step over the next slip.
        let longest = match self.body.push {
            Push::Ramp { .. } => f64::INFINITY,
            Push::Sine { omega, .. } => 0.1 / omega,
        };
        let options = Options {
            max_step: longest,
            max_steps: 1_000_000_000,
            ..Options::new(rtol, &[1e-3 * rtol; 2])
        };
        let method: DormandPrince<Stack<2>> = DormandPrince::new(self);
        let mut solver = Solver::new(self, method, 0.0, &[0.0; 2], (), options);
        let mut states = Vec::with_capacity(times.len());
        for t in times {
            solver.run(self, *t)?;
            states.push([solver.y()[0], solver.y()[1]]);
        }
        Ok((states, *solver.statistics()))
    }
}
