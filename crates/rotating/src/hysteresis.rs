use crate::{Audit, Body, Friction, Push, Run, Slips};
use bristle_ode::Failure;

/// The map from force to position over one cycle of a sine, at any frequency: 001 §3.3.
#[derive(Clone, Debug)]
pub struct Hysteresis {
    /// (u, x) along the loop, N and m.
    pub points: Vec<[f64; 2]>,
    /// Energies and extremes of the cycle: ∮u dx is `supplied`, ∮F dx `friction`.
    pub audit: Audit,
    /// Its slips.
    pub slips: Slips,
}

/// So many points to a step in which the body moves.
const POINTS: usize = 4;

impl Hysteresis {
    /// The cycle from T/4 to 5T/4, after a start from rest at x = 0, of a body that is tied to a wall and
    /// pushed by a sine. `None` if it is dragged.
    pub fn new(body: Body, friction: Friction) -> Option<Result<Self, Failure>> {
        let Push::Sine { omega, .. } = body.push else { return None };
        let period = core::f64::consts::TAU / omega;
        Some(Self::cycle(Run::new(body, friction, 0.0, 0.0), period))
    }

    fn cycle(mut run: Run, period: f64) -> Result<Self, Failure> {
        run.to(0.25 * period, |_, _| {})?;
        let (mut audit, mut slips, mut points) = (Audit::new(&run), Slips::default(), Vec::new());
        run.to(1.25 * period, |run, step| {
            audit.enter(run, step);
            slips.enter(run, step);
            let h = (step.end - step.start) / POINTS as f64;
            for t in (0..=POINTS).map(|k| step.start + h * k as f64) {
                points.push([run.body().push.at(t), step.motion(t)[0]]);
            }
        })?;
        Ok(Hysteresis { points, audit, slips })
    }
}
