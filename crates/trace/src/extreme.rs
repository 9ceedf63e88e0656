/// The least and the greatest value that a column took, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// When it was least, s.
    pub t_min: f64,
    /// How small it was.
    pub min: f64,
    /// When it was greatest, s.
    pub t_max: f64,
    /// How great it was.
    pub max: f64,
}

/// Iterations of a golden-section search: its bracket shrinks to 10⁻⁸ of its length, and an error
/// that small in time is none in the value at a smooth extreme.
const SECTIONS: usize = 38;

impl Extreme {
    /// Of a single value.
    pub fn new(t: f64, value: f64) -> Self {
        Extreme { t_min: t, min: value, t_max: t, max: value }
    }

    /// Whether a value lies outside.
    pub fn exceeded(&self, value: f64) -> bool {
        value < self.min || value > self.max
    }

    /// Takes in a value.
    pub fn take(&mut self, t: f64, value: f64) {
        if value > self.max {
            (self.t_max, self.max) = (t, value);
        }
        if value < self.min {
            (self.t_min, self.min) = (t, value);
        }
    }

    /// Takes in the greatest value of `sign` times `f` in [lo, hi], beside the value at `t`.
    pub fn refine(
        &mut self,
        sign: f64,
        (t, value): (f64, f64),
        [lo, hi]: [f64; 2],
        mut f: impl FnMut(f64) -> f64,
    ) {
        let ratio = 0.5 * (5.0f64.sqrt() - 1.0);
        let (mut a, mut b) = (lo, hi);
        let (mut best_t, mut best) = (t, sign * value);
        for _ in 0..SECTIONS {
            let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
            let (fc, fd) = (sign * f(c), sign * f(d));
            for (t, value) in [(c, fc), (d, fd)] {
                if value > best {
                    (best_t, best) = (t, value);
                }
            }
            if fc > fd { b = d } else { a = c }
        }
        if sign > 0.0 && best > self.max {
            (self.t_max, self.max) = (best_t, best);
        }
        if sign < 0.0 && -best < self.min {
            (self.t_min, self.min) = (best_t, -best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_a_parabola_is_found_between_samples() {
        let f = |t: f64| 3.0 - (t - 0.31).powi(2);
        let mut extreme = Extreme::new(0.0, f(0.0));
        extreme.refine(1.0, (0.25, f(0.25)), [0.0, 0.5], f);
        assert!((extreme.max - 3.0).abs() < 1e-15 && (extreme.t_max - 0.31).abs() < 1e-7);
        assert_eq!(extreme.min, f(0.0));
        // One that is no higher changes nothing.
        let known = extreme;
        extreme.refine(1.0, (0.25, f(0.25) - 0.1), [0.0, 0.5], |t| f(t) - 0.1);
        assert_eq!(extreme, known);
    }
}
