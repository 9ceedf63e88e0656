//! A column of a log as a function of time.
use bristle_kernel::Real;
use std::fmt;
use std::sync::Arc;

/// How values between those of a log are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// On straight lines.
    #[default]
    Linear,
    /// On a cubic spline whose second derivative is continuous, and whose third one is so at the second and the last but one
    /// sample ("not a knot").
    Cubic,
}

/// The values of a log over time; before the first and after the last sample they are those.
#[derive(Clone, Debug)]
pub struct Column {
    pieces: Arc<[Piece]>,
}

/// value + s (slope + s (bend + s twist)), s = t − start.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: f64,
    value: f64,
    slope: f64,
    bend: f64,
    twist: f64,
    /// The integral from t = 0 to its start.
    area: f64,
}

/// Why a log cannot be replayed.
#[derive(Clone, Debug, PartialEq)]
pub enum BadColumn {
    /// It has no samples.
    Empty,
    /// There are not as many times as values.
    Counts {
        /// How many times,
        times: usize,
        /// and how many values.
        values: usize,
    },
    /// A time or a value is no number.
    NotFinite {
        /// The sample, from 1.
        sample: usize,
    },
    /// Times do not increase.
    Order {
        /// The sample, from 1,
        sample: usize,
        /// and its time, s.
        t: f64,
    },
}

impl fmt::Display for BadColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadColumn::Empty => f.write_str("has no samples"),
            BadColumn::Counts { times, values } => {
                write!(f, "has {times} times and {values} values: give as many of each")
            }
            BadColumn::NotFinite { sample } => {
                write!(f, "has no number in sample {sample}: leave gaps out, or fill them")
            }
            BadColumn::Order { sample, t } => {
                write!(
                    f,
                    "has t = {t} s in sample {sample}, not after the one before: sort the log by time"
                )
            }
        }
    }
}

impl std::error::Error for BadColumn {}

impl Column {
    /// From times, s, and values there.
    pub fn new(t: &[f64], value: &[f64], interpolation: Interpolation) -> Result<Self, BadColumn> {
        if t.len() != value.len() {
            return Err(BadColumn::Counts { times: t.len(), values: value.len() });
        }
        if t.is_empty() {
            return Err(BadColumn::Empty);
        }
        if let Some(k) = t.iter().zip(value).position(|(t, x)| !t.is_finite() || !x.is_finite()) {
            return Err(BadColumn::NotFinite { sample: k + 1 });
        }
        if let Some(k) = t.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(BadColumn::Order { sample: k + 2, t: t[k + 1] });
        }
        let bends = match interpolation {
            Interpolation::Cubic if t.len() > 2 => not_a_knot(t, value),
            _ => vec![0.0; t.len()],
        };
        let flat = |start: f64, value: f64| Piece {
            start,
            value,
            slope: 0.0,
            bend: 0.0,
            twist: 0.0,
            area: 0.0,
        };
        let mut pieces = vec![flat(t[0], value[0])];
        for k in 0..t.len() - 1 {
            let h = t[k + 1] - t[k];
            let slope = (value[k + 1] - value[k]) / h - h * (2.0 * bends[k] + bends[k + 1]) / 6.0;
            let (bend, twist) = (0.5 * bends[k], (bends[k + 1] - bends[k]) / (6.0 * h));
            pieces.push(Piece { slope, bend, twist, ..flat(t[k], value[k]) });
        }
        pieces.push(flat(t[t.len() - 1], value[value.len() - 1]));
        // The first piece, before the first sample, is the only one that ends where it begins.
        let mut area = 0.0;
        for k in 0..pieces.len() {
            pieces[k].area = area;
            if let Some(next) = pieces.get(k + 1) {
                area += pieces[k].grown(next.start - pieces[k].start);
            }
        }
        // Areas count from t = 0, wherever the log begins.
        let mut column = Column { pieces: pieces.into() };
        let phase = (0..).find(|k| column.switch(*k) > 0.0).unwrap_or(0);
        let at_zero = column.integral(0.0, phase);
        let shifted = column.pieces.iter().map(|p| Piece { area: p.area - at_zero, ..*p });
        column.pieces = shifted.collect();
        Ok(column)
    }

    fn piece(&self, phase: usize) -> &Piece {
        &self.pieces[phase.min(self.pieces.len() - 1)]
    }

    #[inline]
    pub(crate) fn value<S: Real>(&self, t: S, phase: usize) -> S {
        let Piece { start, value, slope, bend, twist, .. } = *self.piece(phase);
        let s = t - start;
        s * (s * (s * twist + bend) + slope) + value
    }

    #[inline]
    pub(crate) fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        let piece = self.piece(phase);
        piece.grown(t - piece.start) + piece.area
    }

    pub(crate) fn switch(&self, k: usize) -> f64 {
        self.pieces.get(k + 1).map_or(f64::INFINITY, |p| p.start)
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.pieces.len() == 2
    }
}

impl Piece {
    /// The integral over the first `s` seconds.
    #[inline]
    fn grown<S: Real>(&self, s: S) -> S {
        let cubic = s * (s * (0.25 * self.twist) + self.bend / 3.0) + 0.5 * self.slope;
        s * (s * cubic + self.value)
    }
}

/// The second derivatives of the spline at its points, by elimination in a tridiagonal system.
fn not_a_knot(t: &[f64], value: &[f64]) -> Vec<f64> {
    let n = t.len();
    let h: Vec<f64> = t.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let rise: Vec<f64> = (0..n - 1).map(|k| (value[k + 1] - value[k]) / h[k]).collect();
    if n == 3 {
        // One parabola.
        return vec![2.0 * (rise[1] - rise[0]) / (h[0] + h[1]); 3];
    }
    // h₀(m₂ − m₁) = h₁(m₁ − m₀) takes m₀ out of the first equation, and likewise at the end.
    let m = n - 2;
    let (mut low, mut mid, mut high) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    let mut right: Vec<f64> = (0..m).map(|i| 6.0 * (rise[i + 1] - rise[i])).collect();
    for i in 0..m {
        (low[i], mid[i], high[i]) = (h[i], 2.0 * (h[i] + h[i + 1]), h[i + 1]);
    }
    mid[0] += h[0] * (h[0] + h[1]) / h[1];
    high[0] -= h[0] * h[0] / h[1];
    let (a, b) = (h[n - 3], h[n - 2]);
    mid[m - 1] += b * (a + b) / a;
    low[m - 1] -= b * b / a;
    for i in 1..m {
        let part = low[i] / mid[i - 1];
        mid[i] -= part * high[i - 1];
        right[i] -= part * right[i - 1];
    }
    let mut bends = vec![0.0; n];
    for i in (0..m).rev() {
        let after = if i + 1 < m { high[i] * bends[i + 2] } else { 0.0 };
        bends[i + 1] = (right[i] - after) / mid[i];
    }
    bends[0] = bends[1] - h[0] * (bends[2] - bends[1]) / h[1];
    bends[n - 1] = bends[n - 2] + b * (bends[n - 2] - bends[n - 3]) / a;
    bends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(column: &Column, t: f64) -> [f64; 2] {
        let phase = (0..).find(|k| column.switch(*k) > t).unwrap();
        [column.value(t, phase), column.integral(t, phase)]
    }

    /// A cubic is its own spline, end conditions included.
    #[test]
    fn a_spline_through_a_cubic_is_the_cubic() {
        let cubic = |t: f64| 1.0 + t * (2.0 - t * (0.7 - 0.3 * t));
        let area = |t: f64| t * (1.0 + t * (1.0 - t * (0.7 / 3.0 - 0.075 * t)));
        let t = [-0.5, 0.0, 0.2, 0.9, 1.0, 1.7, 3.0];
        let column = Column::new(&t, &t.map(cubic), Interpolation::Cubic).unwrap();
        for k in 0..60 {
            let t = 0.05 * f64::from(k);
            let [value, integral] = at(&column, t);
            assert!((value - cubic(t)).abs() < 1e-13, "{t}: {value}");
            assert!((integral - area(t)).abs() < 1e-13, "{t}: {integral}");
        }
        let [value, _] = at(&column, 5.0);
        assert_eq!(value, cubic(3.0));
    }

    #[test]
    fn straight_lines_hold_beyond_their_ends() {
        let column = Column::new(&[1.0, 2.0], &[3.0, 5.0], Interpolation::Linear).unwrap();
        for (t, expected) in [(0.0, [3.0, 0.0]), (1.0, [3.0, 3.0]), (1.5, [4.0, 4.75])] {
            assert_eq!(at(&column, t), expected, "{t}");
        }
        assert_eq!(at(&column, 4.0), [5.0, 17.0]);
    }

    #[test]
    fn logs_that_cannot_be_replayed_are_refused() {
        let bad = |t: &[f64], x: &[f64]| Column::new(t, x, Interpolation::Linear).unwrap_err();
        assert_eq!(bad(&[], &[]), BadColumn::Empty);
        assert_eq!(bad(&[0.0], &[]), BadColumn::Counts { times: 1, values: 0 });
        assert_eq!(bad(&[0.0, 1.0], &[1.0, f64::NAN]), BadColumn::NotFinite { sample: 2 });
        assert_eq!(bad(&[0.0, 0.0], &[1.0, 1.0]), BadColumn::Order { sample: 2, t: 0.0 });
    }
}
