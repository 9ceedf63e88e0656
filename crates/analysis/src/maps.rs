//! Maps as tables of numbers: equilibria sets and hysteresis of paper 001, action surfaces and friction circles of
//! paper 004.
use bristle_contact::patch::{Refused, Rolling, Steady};
use bristle_ode::Failure;
use bristle_rotating::{Body, Equilibria, Friction, Hysteresis};
use bristle_trace::Trace;

/// The equilibria of a body that is tied to a wall, over `count` positions from `from` to `to`, m: columns `x`, and
/// `u_low` and `u_high`, between which the force u holds it there, N: 001 (56)-(58).
pub fn equilibria(friction: Friction, stiffness: f64, [from, to]: [f64; 2], count: usize) -> Trace {
    let set = Equilibria { friction, stiffness };
    let mut table = Trace::new([("x", "m"), ("u_low", "N"), ("u_high", "N")]);
    for k in 0..count {
        let x = from + (to - from) * k as f64 / (count - 1).max(1) as f64;
        let [low, high] = set.bounds(x);
        table.push(&[x, low, high]);
    }
    table
}

/// All positions at which the body rests under the force `u`, N, between `from` and `to`, as intervals: columns
/// `from` and `to`, m.
pub fn rests(friction: Friction, stiffness: f64, u: f64, [from, to]: [f64; 2]) -> Trace {
    let mut table = Trace::new([("from", "m"), ("to", "m")]);
    for interval in (Equilibria { friction, stiffness }).intervals(u, from, to) {
        table.push(&interval);
    }
    table
}

/// A hysteresis map, and what a cycle of it takes.
#[derive(Clone, Debug)]
pub struct HysteresisMap {
    /// Columns `u`, N, and `x`, m, along the loop.
    pub table: Trace,
    /// ∮u dx, J.
    pub supplied: f64,
    /// What friction took, J.
    pub friction: f64,
    /// How many slips there were.
    pub slips: usize,
}

/// The map from force to position over one cycle of a sine, 001 §3.3; nothing for a body that is dragged.
pub fn hysteresis(body: Body, friction: Friction) -> Option<Result<HysteresisMap, Failure>> {
    let found = Hysteresis::new(body, friction)?;
    Some(found.map(|found| {
        let mut table = Trace::new([("u", "N"), ("x", "m")]);
        found.points.iter().for_each(|point| table.push(point));
        HysteresisMap {
            table,
            supplied: found.audit.supplied,
            friction: found.audit.friction,
            slips: found.slips.all.len(),
        }
    }))
}

/// The action surface of a contact patch, 004: F_x, F_y, N, and M_z, N·m, at every pair of slips.
pub fn action_surface(
    contact: &mut Steady,
    at: &Rolling<f64>,
    sigma_x: &[f64],
    sigma_y: &[f64],
) -> Result<Trace, Refused> {
    let columns = [("sigma_x", "1"), ("sigma_y", "1"), ("Fx", "N"), ("Fy", "N"), ("Mz", "N*m")];
    let mut table = Trace::new(columns);
    let pairs = sigma_x.iter().flat_map(|x| sigma_y.iter().map(move |y| [*x, *y]));
    let found = contact.surface(at, sigma_x, sigma_y)?;
    for ([x, y], outcome) in pairs.zip(found) {
        table.push(&[x, y, outcome.force[0], outcome.force[1], outcome.moment]);
    }
    Ok(table)
}

/// The friction circle of a contact patch, 004: the forces at slips of one size in `count` directions.
pub fn friction_circle(
    contact: &Steady,
    at: &Rolling<f64>,
    slip: f64,
    count: usize,
) -> Result<Trace, Refused> {
    let columns = [("angle", "rad"), ("Fx", "N"), ("Fy", "N"), ("Mz", "N*m")];
    let mut table = Trace::new(columns);
    let angle = |k: usize| core::f64::consts::TAU * k as f64 / count as f64;
    let points: Vec<Rolling<f64>> = (0..count)
        .map(|k| Rolling { sigma_x: slip * angle(k).cos(), sigma_y: slip * angle(k).sin(), ..*at })
        .collect();
    for (k, outcome) in contact.solve_all(&points).into_iter().enumerate() {
        let outcome = outcome?;
        table.push(&[angle(k), outcome.force[0], outcome.force[1], outcome.moment]);
    }
    Ok(table)
}
