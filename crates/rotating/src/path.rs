use crate::Friction;
use bristle_kernel::{Drive, Memory};

/// Prescribed motion: the body is taken from place to place.
///
/// Speed plays no part: force and work depend on the path. Every edge on the way is landed on.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    friction: Friction,
    x: f64,
    way: f64,
    memory: Memory<f64>,
    /// Work done against friction so far, J.
    pub work: f64,
    /// Energy lost in released bristles, less what was created, J; 0 for models that do not say.
    pub released: f64,
}

impl Path {
    /// Set down at `x`.
    pub fn new(friction: Friction, x: f64) -> Self {
        let mut path = Path { friction, x, way: 0.0, memory: [0.0; 5], work: 0.0, released: 0.0 };
        path.memory = friction.commit(&path.drive());
        path
    }

    /// What the friction model is given.
    pub fn drive(&self) -> Drive<f64> {
        Drive { x: self.x, memory: self.memory, ..Drive::new(self.way, 1.0) }
    }

    /// Takes the body to `x`.
    pub fn to(&mut self, x: f64) {
        let way = (x - self.x).signum();
        if x == self.x {
            return;
        }
        self.way = way;
        self.commit();
        loop {
            let edge = self.friction.edges(&self.drive())[usize::from(way > 0.0)];
            let next = if (x - edge) * way >= 0.0 { edge } else { x };
            let start = self.friction.potential(&self.drive(), way);
            self.x = next;
            self.work += self.friction.potential(&self.drive(), way) - start;
            self.commit();
            if next == x {
                return;
            }
        }
    }

    fn commit(&mut self) {
        let at = self.drive();
        self.memory = self.friction.commit(&at);
        // A new cell alone changes nothing that is stored.
        if self.memory[1..] != at.memory[1..] {
            self.released += self.friction.stored(&at) - self.friction.stored(&self.drive());
        }
    }

    /// The friction force, N.
    pub fn force(&self) -> f64 {
        self.friction.force(&self.drive(), if self.way < 0.0 { -1.0 } else { 1.0 })
    }

    /// How many bristles push.
    pub fn contacts(&self) -> usize {
        let mut count = 0;
        self.friction
            .touching(&self.drive(), if self.way < 0.0 { -1.0 } else { 1.0 }, |_| count += 1);
        count
    }
}
