use crate::Friction;
use bristle_kernel::{Drive, Mode};

/// Prescribed motion: the body is taken from place to place.
///
/// Speed plays no part: force and work depend on the path. Every edge on the way is landed on.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    friction: Friction,
    at: Drive<f64>,
    /// Work done against friction so far, J.
    pub work: f64,
    /// Energy lost in released bristles, less what was created, J; 0 for models that do not say.
    pub released: f64,
}

impl Path {
    /// Set down at `x`.
    pub fn new(friction: Friction, x: f64) -> Self {
        Path { friction, at: friction.set_down(x, 0.0), work: 0.0, released: 0.0 }
    }

    /// What the friction model is given.
    pub fn drive(&self) -> Drive<f64> {
        self.at
    }

    /// Takes the body to `x`.
    pub fn to(&mut self, x: f64) {
        if x == self.at.x {
            return;
        }
        let (friction, way) = (self.friction, (x - self.at.x).signum());
        self.at.v = way;
        self.enter(friction.model().depart(&self.at, way));
        while let Some((k, edge)) = friction.edge(&self.at).filter(|e| (x - e.1) * way >= 0.0) {
            // An edge may lie behind by rounding.
            self.slide(if (edge - self.at.x) * way > 0.0 { edge } else { self.at.x });
            self.enter(friction.model().next(k, &self.at, &[]));
        }
        self.slide(x);
    }

    /// Moves on one piece of the force.
    fn slide(&mut self, x: f64) {
        let start = self.friction.potential(&self.at, self.at.v);
        self.at.x = x;
        self.work += self.friction.potential(&self.at, self.at.v) - start;
    }

    fn enter(&mut self, mode: Mode<f64>) {
        let before = self.at;
        self.at.mode = mode;
        // A new cell alone changes nothing that is stored.
        if mode.index[4..] != before.mode.index[4..] {
            self.released += self.friction.stored(&before) - self.friction.stored(&self.at);
        }
    }

    /// The friction force, N; before the first motion that of one to the right.
    pub fn force(&self) -> f64 {
        self.friction.force(&self.at, self.at.v.signum())
    }

    /// How many bristles push.
    pub fn contacts(&self) -> usize {
        let mut count = 0;
        self.friction.touching(&self.at, self.at.v.signum(), |_| count += 1);
        count
    }
}
