use bristle_kernel::bristle::{Rotating, RotatingDiscontinuous, Row, Sawtooth};
use bristle_kernel::{AnyBristle, Bristle, Drive};

/// A friction force that depends on position, by pieces.
#[derive(Clone, Copy, Debug)]
pub enum Friction {
    /// RBM: bristles with contact memory.
    Rotating(Rotating<f64>),
    /// DRBM: bristles that swing over at every reversal.
    Discontinuous(RotatingDiscontinuous<f64>),
    /// Its approximation by a sawtooth.
    Sawtooth(Sawtooth<f64>),
}

impl From<Friction> for bristle_system::Friction {
    fn from(friction: Friction) -> Self {
        match friction {
            Friction::Rotating(m) => m.into(),
            Friction::Discontinuous(m) => m.into(),
            Friction::Sawtooth(m) => m.into(),
        }
    }
}

impl Friction {
    /// The model as a force over position, if it is one.
    pub fn of(model: &AnyBristle<f64>) -> Option<Self> {
        match model {
            AnyBristle::Rotating(m) => Some(Friction::Rotating(*m)),
            AnyBristle::RotatingDiscontinuous(m) => Some(Friction::Discontinuous(*m)),
            AnyBristle::Sawtooth(m) => Some(Friction::Sawtooth(*m)),
            _ => None,
        }
    }

    /// The model.
    pub fn model(&self) -> &dyn Bristle<f64> {
        match self {
            Friction::Rotating(m) => m,
            Friction::Discontinuous(m) => m,
            Friction::Sawtooth(m) => m,
        }
    }

    /// The row of bristles, if there are any.
    pub fn row(&self) -> Option<Row<f64>> {
        match self {
            Friction::Rotating(m) => Some(m.row()),
            Friction::Discontinuous(m) => Some(m.row()),
            Friction::Sawtooth(_) => None,
        }
    }

    /// The distance between bristles or teeth, m.
    pub fn delta(&self) -> f64 {
        match self {
            Friction::Rotating(m) => m.delta,
            Friction::Discontinuous(m) => m.delta,
            Friction::Sawtooth(m) => m.delta,
        }
    }

    /// What the model is given where a body is set down at `x` with the velocity `v`.
    pub fn set_down(&self, x: f64, v: f64) -> Drive<f64> {
        let at = Drive { x, ..Drive::new(v, 1.0) };
        Drive { mode: self.model().begin(&at, &[]), ..at }
    }

    /// The guard that ends this piece of the force, going the way of the mode, and where it does, m.
    pub fn edge(&self, at: &Drive<f64>) -> Option<(usize, f64)> {
        match self {
            Friction::Rotating(m) => m.edge(at),
            Friction::Discontinuous(m) => m.edge(at),
            Friction::Sawtooth(m) => m.edge(at),
        }
    }

    /// Calls `each` with how far the base of every bristle is behind the corner that pushes it, the
    /// body going to the right (`way` = 1) or to the left (−1).
    pub fn touching(&self, at: &Drive<f64>, way: f64, mut each: impl FnMut(f64)) {
        let each = |there: bool, s: f64| {
            if there {
                each(s);
            }
        };
        match self {
            Friction::Rotating(m) => m.touching(at, each),
            Friction::Discontinuous(m) => m.touching(at, way, each),
            Friction::Sawtooth(_) => {}
        }
    }

    /// The force going that way, N.
    pub fn force(&self, at: &Drive<f64>, way: f64) -> f64 {
        match self.model().limits(at) {
            Some([_, right]) if way > 0.0 => right,
            Some([left, _]) => left,
            None => self.model().force(at, &[], &[]),
        }
    }

    /// The force on a tooth as f₀ + c x, going that way; zeros for bristles.
    pub fn line(&self, at: &Drive<f64>, way: f64) -> [f64; 2] {
        let Friction::Sawtooth(m) = self else { return [0.0; 2] };
        let [low, high] = m.tooth(at, way);
        let c = (m.f_max - m.f_min) / m.delta;
        [way * m.f_min - c * if way > 0.0 { low } else { high }, c]
    }

    /// A function of position whose slope is the force on this piece of it, J.
    pub fn potential(&self, at: &Drive<f64>, way: f64) -> f64 {
        let [f0, c] = self.line(at, way);
        let mut sum = (f0 + 0.5 * c * at.x) * at.x;
        if let Some(row) = self.row() {
            self.touching(at, way, |s| sum += row.wound(s));
        }
        sum
    }

    /// The sum of the pivot angles of all bristles that push, rad.
    pub fn angles(&self, at: &Drive<f64>, way: f64) -> f64 {
        let (h, mut sum) = (self.row().map_or(1.0, |row| row.h), 0.0);
        self.touching(at, way, |s| sum += (s / h).atan());
        sum
    }

    /// The energy in all springs, J; 0 for models that do not say.
    pub fn stored(&self, at: &Drive<f64>) -> f64 {
        self.model().energy(at, &[], &[]).stored
    }

    /// How many bristles or teeth lie behind the leading corner.
    pub(crate) fn passed(&self, at: &Drive<f64>, way: f64) -> f64 {
        let cell = match self {
            Friction::Rotating(m) => m.cell(at),
            Friction::Discontinuous(m) => m.cell(at),
            Friction::Sawtooth(m) => return way * m.tooth(at, way)[0] / m.delta,
        };
        if way > 0.0 { cell.right[0] } else { -cell.left[1] }
    }
}
