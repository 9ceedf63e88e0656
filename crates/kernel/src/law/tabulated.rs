//! Tabulated: a curve through the user's own points.
//!
//! Between points (vᵢ, μᵢ) the cubic Hermite polynomial with the slopes of Fritsch and Butland
//! (SIAM J. Sci. Stat. Comput. 5, 1984, 300-304): the curve is C¹, rises and falls only where the
//! points do, and never overshoots them. Below the first point it is flat; beyond the last it is
//! flat or goes on with the slope it arrives with.
use crate::{Law, List, Params, Report, choice};
use bristle_num::{Logic, Real};

choice! {
    /// How the curve goes on beyond its last point.
    Beyond {
        /// at the last value
        Flat = "flat",
        /// along the last slope
        Linear = "linear",
    }
}

/// The curve you measured: shape-preserving interpolation through your points.
#[derive(Clone, Debug, Params)]
#[params(
    name = "tabulated",
    title = "shape-preserving curve through given points",
    source = "F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304",
    rules = "as many mu as v, at least two; v rising; with beyond = linear the last mu not falling",
    check = points_are_a_curve
)]
pub struct Tabulated<S: Real> {
    /// sliding speeds of the points, rising
    #[param(list, unit = "m/s", start = [0.0, 0.005, 0.01, 0.02, 0.04], range = "[0, inf)",
        eq = "points (v, mu)")]
    pub v: List<S>,
    /// friction coefficients of the points
    #[param(list, unit = "1", start = [1.5, 1.39, 1.18, 1.01, 1.0], range = "(0, inf)",
        eq = "points (v, mu)")]
    pub mu: List<S>,
    /// how the curve goes on beyond its last point
    #[param(choice, start = Beyond::Flat, eq = "points (v, mu)")]
    pub beyond: Beyond,
}

fn points_are_a_curve(p: &Tabulated<f64>, report: &mut Report<'_>) {
    let (n, m) = (p.v.len(), p.mu.len());
    report.expect_count(
        n >= 2,
        ("v", n),
        "entries, fewer than",
        2,
        "a curve needs two points; use `coulomb` for a constant",
    );
    report.expect_count(
        n == m,
        ("mu", m),
        "entries, not as many as v has:",
        n,
        "every speed has one coefficient",
    );
    for i in 1..n {
        report.expect(
            p.v[i] > p.v[i - 1],
            ("v", Some(i), p.v[i]),
            "must be above the speed before it,",
            p.v[i - 1],
            "sort the points by speed and drop repeated ones",
        );
    }
    if p.beyond == Beyond::Linear && n == m && n >= 2 {
        report.expect(
            p.mu[n - 1] >= p.mu[n - 2],
            ("mu", Some(n - 1), p.mu[n - 1]),
            "must be at least the value before it,",
            p.mu[n - 2],
            "a falling curve continued in a straight line would reach zero; use beyond = \"flat\"",
        );
    }
}

/// The cubic that holds at a speed: ends, values and slopes.
struct Segment<S> {
    x: [S; 2],
    y: [S; 2],
    m: [S; 2],
}

impl<S: Real> Segment<S> {
    /// Coefficients of y₀ + h t (m₀ + t (c + t d)), t ∈ [0, 1].
    #[inline(always)]
    fn cubic(&self) -> (S, S, S) {
        let h = self.x[1] - self.x[0];
        let d = (self.y[1] - self.y[0]) / h;
        (h, d * 3.0 - self.m[0] * 2.0 - self.m[1], self.m[0] + self.m[1] - d * 2.0)
    }
}

/// The slope at a knot from the two secants beside it: their weighted harmonic mean, 0 where they
/// disagree in sign.
#[inline(always)]
fn inner_slope<S: Real>(h: [S; 2], d: [S; 2]) -> S {
    let (w0, w1) = (h[1] * 2.0 + h[0], h[1] + h[0] * 2.0);
    let zero = S::from(0.0);
    let agree = (d[0] * d[1]).gt(zero);
    S::select(agree, (w0 + w1) / (w0 / d[0] + w1 / d[1]), zero)
}

/// The slope at an end from the two secants nearest to it, limited so that the shape is kept.
#[inline(always)]
fn end_slope<S: Real>(h: [S; 2], d: [S; 2]) -> S {
    let m = ((h[0] * 2.0 + h[1]) * d[0] - h[0] * d[1]) / (h[0] + h[1]);
    let zero = S::from(0.0);
    let bends = (d[0] * d[1]).lt(zero) & m.abs().gt(d[0].abs() * 3.0);
    S::select((m * d[0]).gt(zero), S::select(bends, d[0] * 3.0, m), zero)
}

impl<S: Real> Tabulated<S> {
    fn secant(&self, i: usize) -> (S, S) {
        let h = self.v[i + 1] - self.v[i];
        (h, (self.mu[i + 1] - self.mu[i]) / h)
    }

    /// The slope at knot `i`.
    fn slope_at(&self, i: usize) -> S {
        let last = self.v.len() - 1;
        let ends = |a: usize, b: usize| {
            let ((h0, d0), (h1, d1)) = (self.secant(a), self.secant(b));
            ([h0, h1], [d0, d1])
        };
        if i == last && self.beyond == Beyond::Flat {
            return S::from(0.0);
        }
        if last == 1 {
            return self.secant(0).1;
        }
        match i {
            0 => {
                let (h, d) = ends(0, 1);
                // Flat below a first point that is not at rest.
                S::select(self.v[0].gt(S::from(0.0)), S::from(0.0), end_slope(h, d))
            }
            i if i == last => {
                let (h, d) = ends(last - 1, last - 2);
                end_slope(h, d)
            }
            _ => {
                let (h, d) = ends(i - 1, i);
                inner_slope(h, d)
            }
        }
    }

    fn segment(&self, i: usize) -> Segment<S> {
        Segment {
            x: [self.v[i], self.v[i + 1]],
            y: [self.mu[i], self.mu[i + 1]],
            m: [self.slope_at(i), self.slope_at(i + 1)],
        }
    }

    /// The curve and its derivative at speed |v|. A segment is worked out only if a lane lies in it.
    fn at(&self, v: S) -> (S, S) {
        let (u, last) = (v.abs(), self.v.len() - 1);
        let mut value = self.mu[0];
        let mut slope = S::from(0.0);
        for i in 0..last {
            let inside = u.ge(self.v[i]) & u.lt(self.v[i + 1]);
            if inside.any() {
                let s = self.segment(i);
                let (h, c, d) = s.cubic();
                let t = (u - s.x[0]) / h;
                value = S::select(inside, s.y[0] + h * t * (s.m[0] + t * (c + t * d)), value);
                slope = S::select(inside, s.m[0] + t * (c * 2.0 + t * d * 3.0), slope);
            }
        }
        let past = u.ge(self.v[last]);
        if past.any() {
            let m = self.slope_at(last);
            value = S::select(past, self.mu[last] + m * (u - self.v[last]), value);
            slope = S::select(past, m, slope);
        }
        (value, slope)
    }
}

impl<S: Real> Law<S> for Tabulated<S> {
    fn dry(&self, v: S) -> S {
        self.at(v).0
    }

    fn dry_slope(&self, v: S) -> S {
        self.at(v).1
    }

    fn bounds(&self) -> [S; 2] {
        let (lo, hi) = self
            .mu
            .iter()
            .fold((self.mu[0], self.mu[0]), |(lo, hi), mu| (lo.min(*mu), hi.max(*mu)));
        let rising = self.slope_at(self.v.len() - 1).gt(S::from(0.0));
        [lo, S::select(rising, S::from(f64::INFINITY), hi)]
    }

    /// Up to a speed even a curve that goes on rising is bounded.
    fn highest(&self, v_max: S) -> S {
        let points = self.mu.iter().fold(self.mu[0], |hi, mu| hi.max(*mu));
        points.max(self.dry(v_max))
    }

    /// Rest to the first point; two to a segment, split where its curvature changes sign; the rest.
    fn pieces(&self) -> usize {
        2 * self.v.len()
    }

    fn piece(&self, i: usize) -> S {
        if i == 0 {
            return S::from(0.0);
        }
        let (knot, turn) = ((i - 1) / 2, (i - 1) % 2);
        if turn == 0 || knot + 1 >= self.v.len() {
            return self.v[knot];
        }
        let s = self.segment(knot);
        let (h, c, d) = s.cubic();
        // slope′ ∝ c + 3 d t; where there is no turn inside, the piece is empty.
        let t = -c / (d * 3.0);
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let inside = t.gt(zero) & t.lt(one);
        s.x[0] + h * S::select(inside, t, zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Start, validate};
    use proptest::prelude::*;
    use std::string::ToString;
    use std::vec::Vec;

    fn table(points: &[(f64, f64)]) -> Tabulated<f64> {
        Tabulated {
            v: points.iter().map(|p| p.0).collect(),
            mu: points.iter().map(|p| p.1).collect(),
            ..Tabulated::start(())
        }
    }

    fn curve() -> impl Strategy<Value = Tabulated<f64>> {
        let step = (1e-4f64..1e-2, 0.05f64..2.0);
        (0usize..2, prop::collection::vec(step, 2..12)).prop_map(|(rest, steps)| {
            let mut v = 0.0;
            let points: Vec<_> = steps
                .iter()
                .enumerate()
                .map(|(i, (dv, mu))| {
                    v += if i == 0 && rest == 0 { 0.0 } else { *dv };
                    (v, *mu)
                })
                .collect();
            table(&points)
        })
    }

    proptest! {
        #[test]
        fn the_curve_passes_through_the_points_and_never_overshoots(law in curve()) {
            for i in 0..law.v.len() {
                prop_assert!((law.dry(law.v[i]) - law.mu[i]).abs() < 1e-14);
            }
            for i in 0..law.v.len() - 1 {
                let (lo, hi) = (law.mu[i].min(law.mu[i + 1]), law.mu[i].max(law.mu[i + 1]));
                for k in 0..=20 {
                    let t = f64::from(k) / 20.0;
                    let mu = law.dry(law.v[i] + t * (law.v[i + 1] - law.v[i]));
                    prop_assert!(mu > lo - 1e-12 && mu < hi + 1e-12);
                }
            }
        }

        #[test]
        fn the_slope_is_the_derivative_and_continuous(law in curve(), t in 0.01f64..0.99) {
            for i in 0..law.v.len() - 1 {
                let h = law.v[i + 1] - law.v[i];
                let (v, e) = (law.v[i] + t * h, 1e-5 * h);
                let numeric = (law.dry(v + e) - law.dry(v - e)) / (2.0 * e);
                prop_assert!((law.dry_slope(v) - numeric).abs() < 1e-6 * (1.0 / h));
                if i > 0 {
                    let before = law.v[i] - law.v[i - 1];
                    let jump = law.dry_slope(law.v[i] - 1e-9 * before) - law.dry_slope(law.v[i]);
                    prop_assert!(jump.abs() < 1e-7 / before, "{jump}");
                }
            }
        }

        #[test]
        fn pieces_are_ordered_and_the_slope_is_monotone_on_each(law in curve()) {
            let n = law.pieces();
            for i in 0..n {
                let lo = law.piece(i);
                let hi = if i + 1 < n { law.piece(i + 1) } else { lo + 0.1 };
                prop_assert!(hi >= lo);
                let at = |k: usize| law.dry_slope(lo + (hi - lo) * (k as f64 / 10.0) * 0.999_999);
                let steps: Vec<f64> = (0..10).map(|k| at(k + 1) - at(k)).collect();
                let scale = 1e-9 * (0..=10).map(|k| at(k).abs()).fold(1.0, f64::max);
                let rises = steps.iter().all(|d| *d >= -scale);
                let falls = steps.iter().all(|d| *d <= scale);
                prop_assert!(rises || falls, "piece {i} from {lo} to {hi}: {steps:?}");
            }
        }
    }

    #[test]
    fn beyond_its_points_the_curve_is_flat_or_straight() {
        let flat = table(&[(0.01, 0.3), (0.02, 0.2), (0.03, 0.5)]);
        assert_eq!((flat.dry(0.0), flat.dry(0.005), flat.dry(9.0)), (0.3, 0.3, 0.5));
        let straight = Tabulated { beyond: Beyond::Linear, ..flat };
        let m = straight.dry_slope(0.03);
        assert!(m > 0.0 && (straight.dry(1.03) - (0.5 + m)).abs() < 1e-12);
        assert_eq!(straight.bounds(), [0.2, f64::INFINITY]);
    }

    #[test]
    fn points_that_are_no_curve_are_refused_all_at_once() {
        let bad = table(&[(0.02, 0.3), (0.01, -0.2), (0.03, 0.5)]);
        let error = validate(&bad).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 2, "{error}");
        assert!(lines[0].starts_with("tabulated: mu[1] = -0.2 is outside (0, inf)"), "{error}");
        assert!(lines[1].starts_with("tabulated: v[1] = 0.01 m/s must be above"), "{error}");
    }
}
