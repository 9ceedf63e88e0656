//! From the pivot angles to a friction curve: the steps that lead to the MPABM.

/// The exponentially weighted moving average of 001 (79): θ̄_j = βθ_j + (1 − β)θ̄_{j−1}, θ̄_0 = θ_0.
pub fn ewma(values: &[f64], beta: f64) -> Vec<f64> {
    let mut mean = values.first().copied().unwrap_or(0.0);
    let next = |value: &f64| {
        mean += beta * (value - mean);
        mean
    };
    values.iter().map(next).collect()
}

/// θ̂_min + (θ̂_max − θ̂_min) exp(−(v/v̂_s)²), 001 (81) for v > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// What it tends to at high speed, rad.
    pub theta_min: f64,
    /// At rest, rad.
    pub theta_max: f64,
    /// Decay speed, m/s.
    pub v_s: f64,
}

impl Curve {
    /// The angle at speed `v`, rad.
    pub fn at(&self, v: f64) -> f64 {
        let decay = (-(v / self.v_s).powi(2)).exp();
        self.theta_min + (self.theta_max - self.theta_min) * decay
    }

    /// The root mean square distance from points (v, θ), rad.
    pub fn distance(&self, points: &[[f64; 2]]) -> f64 {
        let sum: f64 = points.iter().map(|[v, angle]| (angle - self.at(*v)).powi(2)).sum();
        (sum / points.len() as f64).sqrt()
    }

    /// The curve nearest to points (v, θ): linear least squares at each v̂_s, and the v̂_s between
    /// `low` and `high` for which what is left is least. `None` without at least three speeds.
    pub fn fit(points: &[[f64; 2]], low: f64, high: f64) -> Option<Self> {
        let best = |v_s: f64| Self::linear(points, v_s).map(|c| (c.distance(points), c));
        let place = |k: f64| low * (high / low).powf(k);
        let cells = 200;
        let scan = (0..=cells).filter_map(|k| Some((best(place(k as f64 / cells as f64))?.0, k)));
        let (_, k) = scan.min_by(|a, b| a.0.total_cmp(&b.0))?;
        // Golden section within the two cells around the least.
        let (mut a, mut b) = ((k as f64 - 1.0) / cells as f64, (k as f64 + 1.0) / cells as f64);
        let ratio = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..60 {
            let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
            if best(place(c))?.0 < best(place(d))?.0 { b = d } else { a = c }
        }
        best(place(0.5 * (a + b))).map(|(_, curve)| curve)
    }

    fn linear(points: &[[f64; 2]], v_s: f64) -> Option<Self> {
        let n = points.len() as f64;
        let (mut e, mut ee, mut y, mut ey) = (0.0, 0.0, 0.0, 0.0);
        for [v, angle] in points {
            let decay = (-(v / v_s).powi(2)).exp();
            e += decay;
            ee += decay * decay;
            y += angle;
            ey += decay * angle;
        }
        let determinant = n * ee - e * e;
        if determinant <= 1e-12 * n * ee {
            return None;
        }
        let rise = (n * ey - e * y) / determinant;
        let theta_min = (y - rise * e) / n;
        Some(Curve { theta_min, theta_max: theta_min + rise, v_s })
    }
}
