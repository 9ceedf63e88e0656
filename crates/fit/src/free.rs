//! What is free in a fit, and the scaled coordinates in which it is searched.

/// How a parameter is measured in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By its logarithm: it is positive, and its order of magnitude may be unknown.
    Log,
    /// In parts of its size.
    Linear,
}

/// One free parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Its key: `sigma0`, `mass`, `delay`.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// Where the search begins.
    pub start: f64,
    /// The least value it may take,
    pub lo: f64,
    /// and the greatest.
    pub hi: f64,
    /// Its size, in which steps of a linear one are measured. Positive.
    pub size: f64,
    /// How it is measured in the search.
    pub scale: Scale,
}

impl Free {
    /// A positive parameter, within a factor of 10⁴ of its start.
    pub fn positive(name: &str, unit: &str, start: f64) -> Self {
        let (lo, hi) = (start * 1e-4, start * 1e4);
        Free { name: name.into(), unit: unit.into(), start, lo, hi, size: start, scale: Scale::Log }
    }

    /// A parameter of any sign, of about this size.
    pub fn signed(name: &str, unit: &str, start: f64, size: f64) -> Self {
        let (lo, hi) = (f64::NEG_INFINITY, f64::INFINITY);
        Free { name: name.into(), unit: unit.into(), start, lo, hi, size, scale: Scale::Linear }
    }

    /// The same between bounds.
    pub fn within(self, lo: f64, hi: f64) -> Self {
        Free { lo, hi, start: self.start.clamp(lo, hi), ..self }
    }

    /// The coordinate of a value.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log => (value / self.size).ln(),
            Scale::Linear => value / self.size,
        }
    }

    /// The value at a coordinate, kept within the bounds.
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = match self.scale {
            Scale::Log => self.size * coordinate.exp(),
            Scale::Linear => self.size * coordinate,
        };
        value.clamp(self.lo, self.hi)
    }

    /// d value/d coordinate.
    pub fn slope(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log => value,
            Scale::Linear => self.size,
        }
    }

    /// The bound that a value lies on, within rounding of the search.
    pub fn bound(&self, value: f64) -> Option<f64> {
        let near = |bound: &f64| (value - bound).abs() <= 1e-9 * self.size.max(bound.abs());
        [self.lo, self.hi].into_iter().filter(|b| b.is_finite()).find(|b| near(b))
    }
}
