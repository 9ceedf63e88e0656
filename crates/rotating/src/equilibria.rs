use crate::Friction;
use crate::root::between;
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
    fn at(&self, x: f64, way: f64) -> f64 {
        let at = Drive { x, ..Drive::new(way, 1.0) };
        self.stiffness * x + self.friction.force(&at, way)
    }

    /// The least and the greatest force under which the body rests at `x`, N.
    pub fn bounds(&self, x: f64) -> [f64; 2] {
        [self.at(x, -1.0), self.at(x, 1.0)]
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
        let delta = self.friction.delta();
        let mut x = from;
        while x < to {
            let middle = Drive { x, ..Drive::new(1.0, 1.0) };
            let [start, end] = self.friction.edges(&middle);
            // The force of this piece, continued to its edges.
            let memory = self.friction.commit(&middle);
            let excess = |x: f64, way: f64| {
                let at = Drive { x, memory, ..Drive::new(way, 1.0) };
                self.stiffness * x + self.friction.force(&at, way) - u
            };
            let root = |way: f64| {
                let slope = |x: f64| {
                    let h = 1e-6 * delta;
                    let value = excess(x, way);
                    [value, (excess(x + h, way) - value) / h]
                };
                match (excess(start, way) >= 0.0, excess(end, way) >= 0.0) {
                    (true, _) => start,
                    (false, true) => between(start, end, slope),
                    (false, false) => f64::INFINITY,
                }
            };
            // u ≤ u_hi from `low` on, u_lo ≤ u up to `high`.
            let (low, high) = (root(1.0).max(from), root(-1.0).min(end).min(to));
            let high = if excess(start, -1.0) > 0.0 { f64::NEG_INFINITY } else { high };
            // A point is left where a bound drops: no interval.
            if low < high - 1e-9 * delta {
                match found.last_mut() {
                    Some(last) if (low - last[1]).abs() <= 1e-9 * delta => last[1] = high,
                    _ => found.push([low, high]),
                }
            }
            x = end + 1e-6 * delta;
        }
        found
    }
}
