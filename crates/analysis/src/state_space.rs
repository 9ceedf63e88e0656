//! Linear systems of a few states.
//!
//! ```text
//! ẋ = A x + B u,   y = C x + D u,   H(s) = C (s − A)⁻¹ B + D
//! ```
use nalgebra::{Complex, DMatrix, Schur, linalg::balancing};

/// What a number of a linear system is.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its name in traces.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
}

impl Label {
    /// A name and its unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Label { name: name.into(), unit: unit.into() }
    }
}

/// A linear system with named states, inputs and outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// A, states by states.
    pub a: DMatrix<f64>,
    /// B, states by inputs.
    pub b: DMatrix<f64>,
    /// C, outputs by states.
    pub c: DMatrix<f64>,
    /// D, outputs by inputs.
    pub d: DMatrix<f64>,
    /// x.
    pub states: Vec<Label>,
    /// u.
    pub inputs: Vec<Label>,
    /// y.
    pub outputs: Vec<Label>,
}

/// A pole and what it does to an oscillation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The pole, 1/s.
    pub pole: Complex<f64>,
    /// |pole|/2π, Hz.
    pub frequency: f64,
    /// −Re(pole)/|pole|: 1 and more do not oscillate, less than 0 grows. Of a pole at zero it is 0.
    pub damping: f64,
}

/// A value of a frequency response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Frequency, Hz.
    pub frequency: f64,
    /// H(2πif), the output's unit over the input's.
    pub value: Complex<f64>,
    /// The angle of H in degrees, continued without jumps from the first frequency on.
    pub phase: f64,
}

/// `count` frequencies from `low` to `high`, evenly spaced by ratio.
pub fn spaced(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|k| low * (high / low).powf(k as f64 / last)).collect()
}

/// The frequency response `h` of an angular frequency at these frequencies, Hz: what Bode's and Nyquist's
/// plots show.
pub fn bode(frequencies: &[f64], h: impl Fn(f64) -> Complex<f64>) -> Vec<Response> {
    let mut turns = 0.0;
    let mut last: Option<f64> = None;
    let each = frequencies.iter().map(|&frequency| {
        let value = h(core::f64::consts::TAU * frequency);
        let angle = value.arg().to_degrees();
        if let Some(last) = last {
            turns -= ((angle - last) / 360.0).round();
        }
        last = Some(angle);
        Response { frequency, value, phase: angle + 360.0 * turns }
    });
    each.collect()
}

/// The eigenvalues of a matrix, fastest decay first. States of very different size are balanced before. Those of a
/// matrix that is not finite are infinite.
pub fn eigenvalues(matrix: &DMatrix<f64>) -> Vec<Complex<f64>> {
    if matrix.nrows() == 0 {
        return Vec::new();
    }
    if matrix.iter().any(|x| !x.is_finite()) {
        return vec![Complex::new(f64::NEG_INFINITY, 0.0); matrix.nrows()];
    }
    // Balancing takes squares, which overflow where rates do not.
    let size = matrix.amax().max(f64::MIN_POSITIVE);
    let mut balanced = matrix / size;
    balancing::balance_parlett_reinsch(&mut balanced);
    let scaled = Schur::new(balanced).complex_eigenvalues();
    let mut all: Vec<_> = scaled.iter().map(|p| p * size).collect();
    all.sort_by(|p, q| p.re.total_cmp(&q.re).then(p.im.total_cmp(&q.im)));
    all
}

/// The same, where those that are no larger than what rounding of the matrix makes are zero.
fn resolved(matrix: &DMatrix<f64>) -> Vec<Complex<f64>> {
    let all = eigenvalues(matrix);
    let size = matrix.amax().max(f64::MIN_POSITIVE);
    let mut balanced = matrix / size;
    if balanced.nrows() > 0 && size.is_finite() {
        balancing::balance_parlett_reinsch(&mut balanced);
    }
    let rounding = f64::EPSILON * matrix.nrows() as f64 * balanced.norm() * size;
    let known = |p: Complex<f64>| if p.norm() <= rounding { Complex::new(0.0, 0.0) } else { p };
    all.into_iter().map(known).collect()
}

impl StateSpace {
    /// The poles: eigenvalues of A, 1/s. A pole that rounding hides is 0.
    pub fn poles(&self) -> Vec<Complex<f64>> {
        resolved(&self.a)
    }

    /// The poles with frequency and damping.
    pub fn modes(&self) -> Vec<Mode> {
        let mode = |pole: Complex<f64>| {
            let size = pole.norm();
            let damping = if size > 0.0 { -pole.re / size } else { 0.0 };
            Mode { pole, frequency: size / core::f64::consts::TAU, damping }
        };
        self.poles().into_iter().map(mode).collect()
    }

    /// The zeros from input `j` to output `i`: the poles of the system that keeps the output at rest.
    ///
    /// Where the input reaches the r-th derivative of the output first, y⁽ʳ⁾ = C Aʳ x + c u, the input
    /// u = −C Aʳ x/c keeps it zero, and what is left moves where y and its first r − 1 derivatives vanish. None
    /// where the input never reaches the output.
    pub fn zeros(&self, i: usize, j: usize) -> Option<Vec<Complex<f64>>> {
        let n = self.a.nrows();
        let b = self.b.column(j).clone_owned();
        let mut row = self.c.row(i).clone_owned();
        let mut direct = self.d[(i, j)];
        let mut kept = DMatrix::zeros(0, n);
        for _ in 0..=n {
            // What is left by rounding of a product is no feedthrough.
            let size = row.iter().zip(&b).map(|(c, b)| (c * b).abs()).sum::<f64>();
            if direct.abs() > 1e-12 * size && direct != 0.0 {
                let inner = &self.a - &b * &row / direct;
                let free = null_space(&kept);
                return Some(resolved(&(free.transpose() * inner * free)));
            }
            let rows = kept.nrows();
            kept = kept.insert_row(rows, 0.0);
            kept.set_row(rows, &row);
            direct = (&row * &b)[(0, 0)];
            row = &row * &self.a;
        }
        None
    }

    /// H(iω) from input `j` to output `i`, at ω in rad/s.
    pub fn response(&self, i: usize, j: usize, omega: f64) -> Complex<f64> {
        let n = self.a.nrows();
        let complex = |x: f64| Complex::new(x, 0.0);
        let direct = complex(self.d[(i, j)]);
        if n == 0 {
            return direct;
        }
        let mut matrix = self.a.map(|a| complex(-a));
        for k in 0..n {
            matrix[(k, k)] += Complex::new(0.0, omega);
        }
        let b = self.b.column(j).map(complex);
        let infinite = Complex::new(f64::INFINITY, 0.0);
        matrix.lu().solve(&b).map_or(infinite, |x| {
            self.c.row(i).iter().zip(&x).map(|(c, x)| x * *c).sum::<Complex<f64>>() + direct
        })
    }

    /// Bode's and Nyquist's data from input `j` to output `i`.
    pub fn bode(&self, i: usize, j: usize, frequencies: &[f64]) -> Vec<Response> {
        bode(frequencies, |omega| self.response(i, j, omega))
    }
}

/// An orthonormal basis of the vectors that all rows of a matrix take to zero; the rows are independent.
fn null_space(rows: &DMatrix<f64>) -> DMatrix<f64> {
    let n = rows.ncols();
    if rows.nrows() == 0 {
        return DMatrix::identity(n, n);
    }
    // The rows first, then all directions: what Gram and Schmidt leave of the latter.
    let mut basis: Vec<nalgebra::DVector<f64>> = Vec::new();
    let mut free = Vec::new();
    let own = rows.row_iter().map(|r| r.transpose());
    let unit = (0..n).map(|k| nalgebra::DVector::from_fn(n, |i, _| f64::from(i == k)));
    for (k, mut v) in own.chain(unit).enumerate() {
        v /= v.norm();
        for _ in 0..2 {
            for b in &basis {
                let along = b.dot(&v);
                v.axpy(-along, b, 1.0);
            }
        }
        let left = v.norm();
        if left > 1e-8 {
            v /= left;
            if k >= rows.nrows() {
                free.push(v.clone());
            }
            basis.push(v);
        }
    }
    if free.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&free) }
}

/// From a hundredth of the least frequency, Hz, to a hundred times the greatest; those that are not positive count for
/// nothing.
pub fn around(all: impl Iterator<Item = f64>) -> [f64; 2] {
    let positive = all.filter(|f| *f > 0.0 && f.is_finite());
    let [low, high] = positive.fold([f64::INFINITY, 0.0], |[l, h], f| [f.min(l), f.max(h)]);
    if high > 0.0 { [1e-2 * low, 1e2 * high] } else { [1e-2, 1e3] }
}

/// Frequencies evenly spaced by ratio, and closer around each resonance, which a sharp one would slip through.
pub fn frequencies([from, to]: [f64; 2], modes: &[Mode]) -> Vec<f64> {
    let mut all = spaced(from, to, 400);
    for mode in modes.iter().filter(|m| m.pole.im > 0.0) {
        let beside =
            |k: i32| mode.frequency * (1.0 + mode.damping.abs() * (0.05 * f64::from(k)).sinh());
        all.extend((-100..=100).map(beside).filter(|f| *f > from && *f < to));
    }
    all.sort_by(f64::total_cmp);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(a: &[f64], b: &[f64], c: &[f64], d: f64) -> StateSpace {
        let n = b.len();
        let label = |k: usize| Label::new(format!("x{k}"), "1");
        StateSpace {
            a: DMatrix::from_row_slice(n, n, a),
            b: DMatrix::from_row_slice(n, 1, b),
            c: DMatrix::from_row_slice(1, n, c),
            d: DMatrix::from_element(1, 1, d),
            states: (0..n).map(label).collect(),
            inputs: vec![Label::new("u", "1")],
            outputs: vec![Label::new("y", "1")],
        }
    }

    fn close(found: &[Complex<f64>], expected: &[Complex<f64>], within: f64) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (f, e) in found.iter().zip(expected) {
            assert!(
                (f - e).norm() <= within * (1.0 + e.norm()),
                "{found:?}, expected {expected:?}"
            );
        }
    }

    /// (s + 5)/((s + 1)(s + 2)(s + 3)) in companion form: one zero although D = 0.
    #[test]
    fn poles_and_zeros_of_a_transfer_function() {
        let h = system(
            &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -6.0, -11.0, -6.0],
            &[0.0, 0.0, 1.0],
            &[5.0, 1.0, 0.0],
            0.0,
        );
        let real = |x: f64| Complex::new(x, 0.0);
        close(&h.poles(), &[real(-3.0), real(-2.0), real(-1.0)], 1e-12);
        close(&h.zeros(0, 0).unwrap(), &[real(-5.0)], 1e-12);
        let s = Complex::new(0.0, 2.0);
        let expected = (s + 5.0) / ((s + 1.0) * (s + 2.0) * (s + 3.0));
        assert!((h.response(0, 0, 2.0) - expected).norm() < 1e-15);
    }

    /// A mass on a stiff damped spring, in states of very different size: ω² = 1e8, ζ = 0.05.
    #[test]
    fn poles_of_a_stiff_oscillator_with_small_states() {
        let scale = 1e-7;
        let h = system(&[0.0, 1.0 / scale, -1e8 * scale, -1e3], &[0.0, 1.0], &[0.0, 1.0], 0.0);
        let root = 1e4 * (1.0f64 - 0.0025).sqrt();
        close(&h.poles(), &[Complex::new(-500.0, -root), Complex::new(-500.0, root)], 1e-12);
        let mode = h.modes()[0];
        assert!((mode.damping - 0.05).abs() < 1e-13);
        assert!((mode.frequency - 1e4 / core::f64::consts::TAU).abs() < 1e-8);
        close(&h.zeros(0, 0).unwrap(), &[Complex::new(0.0, 0.0)], 1e-9);
    }

    #[test]
    fn an_output_out_of_reach_has_no_zeros() {
        let h = system(&[-1.0, 0.0, 0.0, -2.0], &[1.0, 0.0], &[0.0, 1.0], 0.0);
        assert_eq!(h.zeros(0, 0), None);
    }

    /// Five lags in a row turn the phase by 450 degrees, without a jump on the way.
    #[test]
    fn phase_is_continued_beyond_a_turn() {
        let h = |omega: f64| Complex::new(1.0, omega).powi(-5);
        let all = bode(&spaced(1e-3, 1e3, 200), h);
        assert!(all.windows(2).all(|pair| (pair[1].phase - pair[0].phase).abs() < 30.0));
        assert!((all[199].phase + 450.0).abs() < 0.1, "{}", all[199].phase);
    }
}
