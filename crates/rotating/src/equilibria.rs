use crate::Friction;
use crate::root::crossing;
use bristle_kernel::Drive;

/// The equilibria of 001 (40), (41) under a constant force u: all (u, x) with
/// K x + F_l(x) ≤ u ≤ K x + F_r(x), the set that (56)-(58) and (76)-(78) mean.
#[derive(Clone, Copy, Debug)]
pub struct Equilibria {
    /// Friction that is set-valued at rest.
    pub friction: Friction,
    /// Stiffness K of the spring, N/m.
    pub stiffness: f64,
}

/// What kind of equilibrium a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// α in (0, 1): friction is below its limits.
    Pseudo,
    /// α = 0 or 1: friction is at a limit.
    Boundary,
}

impl Equilibria {
    /// The least and the greatest force under which the body rests at `x`, N.
    pub fn bounds(&self, x: f64) -> [f64; 2] {
        let force = |way: f64| self.friction.force(&self.friction.set_down(x, way), way);
        [-1.0, 1.0].map(|way| self.stiffness * x + force(way))
    }

    /// What (u, x) is, if it is an equilibrium; `close` is how near to a bound, in N, it is on it.
    pub fn kind(&self, u: f64, x: f64, close: f64) -> Option<Kind> {
        let [low, high] = self.bounds(x);
        if (u - low).abs() <= close || (u - high).abs() <= close {
            Some(Kind::Boundary)
        } else if low < u && u < high {
            Some(Kind::Pseudo)
        } else {
            None
        }
    }

    /// All positions between `from` and `to` at which the body rests under `u`, as intervals: between
    /// edges both bounds rise with x, so each has at most one end there.
    pub fn intervals(&self, u: f64, from: f64, to: f64) -> Vec<[f64; 2]> {
        let mut found: Vec<[f64; 2]> = Vec::new();
        let close = 1e-9 * self.friction.delta();
        let mut at = self.friction.set_down(from, 1.0);
        while at.x < to {
            let Some((k, edge)) = self.friction.edge(&at) else { break };
            let (start, end) = (at.x, edge.max(at.x).min(to));
            let excess = |x: f64, way: f64| {
                self.stiffness * x + self.friction.force(&Drive { x, ..at }, way) - u
            };
            let root = |way: f64| match (excess(start, way) >= 0.0, excess(end, way) >= 0.0) {
                (true, _) => start,
                (false, true) => crossing(start, end, |x| excess(x, way)),
                (false, false) => f64::INFINITY,
            };
            // u ≤ u_hi from `low` on, u_lo ≤ u up to `high`. A point is left where a bound drops: no interval.
            let (low, high) = (root(1.0), root(-1.0).min(end));
            if low < high - close {
                match found.last_mut() {
                    Some(last) if (low - last[1]).abs() <= close => last[1] = high,
                    _ => found.push([low, high]),
                }
            }
            at.x = end;
            at.mode = self.friction.model().next(k, &at, &[]);
        }
        found
    }
}
