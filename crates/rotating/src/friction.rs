use bristle_kernel::bristle::{Rotating, RotatingDiscontinuous, Sawtooth};
use bristle_kernel::{AnyBristle, Bristle, Drive, Memory};

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

    /// Between these positions the force is smooth.
    pub fn edges(&self, at: &Drive<f64>) -> [f64; 2] {
        match self {
            Friction::Rotating(m) => m.cell(at).edges,
            Friction::Discontinuous(m) => m.cell(at).edges,
            Friction::Sawtooth(m) => m.tooth(at),
        }
    }

    /// The discrete memory after the body came to this place going in this direction.
    pub fn commit(&self, at: &Drive<f64>) -> Memory<f64> {
        match self {
            Friction::Rotating(m) => m.commit(at, &[]),
            Friction::Discontinuous(m) => m.commit(at, &[]),
            Friction::Sawtooth(m) => m.commit(at, &[]),
        }
    }

    /// The least and greatest force at rest, where it is set-valued.
    pub fn limits(&self, at: &Drive<f64>) -> Option<[f64; 2]> {
        match self {
            Friction::Rotating(m) => m.limits(at),
            Friction::Discontinuous(m) => m.limits(at),
            Friction::Sawtooth(m) => m.limits(at),
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
        match self {
            Friction::Rotating(m) => m.force(at, &[], &[]),
            Friction::Discontinuous(m) => m.branch(at, way),
            Friction::Sawtooth(_) => {
                let [f0, c] = self.line(at, way);
                f0 + c * at.x
            }
        }
    }

    /// The force on a tooth as f₀ + c x, going that way; zeros for bristles.
    pub fn line(&self, at: &Drive<f64>, way: f64) -> [f64; 2] {
        let Friction::Sawtooth(m) = self else { return [0.0; 2] };
        let [low, high] = m.tooth(at);
        let c = (m.f_max - m.f_min) / m.delta;
        if way > 0.0 { [m.f_min - c * low, c] } else { [-m.f_min - c * high, c] }
    }

    /// A function of position whose slope is the force within the edges, J.
    pub fn potential(&self, at: &Drive<f64>, way: f64) -> f64 {
        let [f0, c] = self.line(at, way);
        let mut sum = f0 * at.x + 0.5 * c * at.x * at.x;
        let row = match self {
            Friction::Rotating(m) => m.row(),
            Friction::Discontinuous(m) => m.row(),
            Friction::Sawtooth(_) => return sum,
        };
        self.touching(at, way, |s| sum += row.wound(s));
        sum
    }

    /// The sum of the pivot angles of all bristles that push, rad.
    pub fn angles(&self, at: &Drive<f64>, way: f64) -> f64 {
        let h = match self {
            Friction::Rotating(m) => m.h,
            Friction::Discontinuous(m) => m.h,
            Friction::Sawtooth(_) => return 0.0,
        };
        let mut sum = 0.0;
        self.touching(at, way, |s| sum += (s / h).atan());
        sum
    }

    /// The energy in all springs, J; 0 for models that do not say.
    pub fn stored(&self, at: &Drive<f64>) -> f64 {
        match self {
            Friction::Rotating(m) => m.energy(at, &[], &[]).stored,
            _ => 0.0,
        }
    }

    /// How many bristles or teeth lie behind the leading corner.
    pub(crate) fn passed(&self, at: &Drive<f64>, way: f64) -> f64 {
        match self {
            Friction::Rotating(m) if way > 0.0 => m.cell(at).right[0],
            Friction::Rotating(m) => -m.cell(at).left[1],
            Friction::Discontinuous(m) if way > 0.0 => m.cell(at).right[0],
            Friction::Discontinuous(m) => -m.cell(at).left[1],
            Friction::Sawtooth(m) => way * m.tooth(at)[0] / m.delta,
        }
    }

    /// The distance between bristles, m.
    pub fn delta(&self) -> f64 {
        match self {
            Friction::Rotating(m) => m.delta,
            Friction::Discontinuous(m) => m.delta,
            Friction::Sawtooth(m) => m.delta,
        }
    }
}
