//! Stribeck: from the static level down to the dynamic one, exponentially in speed, plus a viscous
//! part.
//!
//! ```text
//! μ(v) = μ_d + (μ_s − μ_d) exp(−(|v|/v_S)^δ) + ν|v|                (5)
//! ```
//!
//! Equation number of 000; v_S in m/s, ν in s/m. 002 (4), 003 (25) and 004 (13) are the same law with
//! other letters. 003 (25) prints δ as a factor, exp(−δ|v|/v_S): both readings are here.
use crate::{Law, Params, Report, choice};
use bristle_num::{Logic, Real, special::lambert_w0};

choice! {
    /// Where the exponent δ stands.
    Reading {
        /// exp(−(|v|/v_S)^δ), 000 (5)
        Power = "power",
        /// exp(−δ|v|/v_S), 003 (25)
        Factor = "factor",
    }
}

/// The curve with a static peak, the Stribeck fall and a viscous rise.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "stribeck",
    title = "static peak, exponential fall, viscous rise",
    source = "000 (5); 002 (4); 003 (25); 004 (13)",
    rules = "mu_s at least mu_d",
    check = static_is_highest
)]
pub struct Stribeck<S> {
    /// dynamic friction coefficient μ_d
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "000 (5)")]
    pub mu_d: S,
    /// static friction coefficient μ_s
    #[param(unit = "1", start = 1.5, range = "(0, inf)", eq = "000 (5)")]
    pub mu_s: S,
    /// Stribeck velocity v_S, the speed on which the excess falls
    #[param(unit = "m/s", start = 0.01, range = "(0, inf)", eq = "000 (5)")]
    pub v_s: S,
    /// Stribeck exponent δ
    #[param(unit = "1", start = 2.0, range = "(0, inf)", eq = "000 (5)")]
    pub exponent: S,
    /// viscous coefficient ν: μ gains ν|v|
    #[param(unit = "s/m", start = 0.0, range = "[0, inf)", eq = "000 (5), 002 (4)")]
    pub viscous: S,
    /// where the exponent stands
    #[param(choice, start = Reading::Power, eq = "000 (5), 003 (25)")]
    pub reading: Reading,
}

fn static_is_highest(p: &Stribeck<f64>, report: &mut Report<'_>) {
    report.expect_at_least(
        ("mu_s", p.mu_s),
        "must be at least mu_d =",
        p.mu_d,
        "friction at rest is not below sliding friction; raise mu_s or lower mu_d",
    );
}

impl<S: Real> Stribeck<S> {
    /// r and d with the Stribeck factor written as exp(−rᵈ).
    #[inline(always)]
    fn scaled(&self, v: S) -> (S, S) {
        let r = v.abs() / self.v_s;
        match self.reading {
            Reading::Power => (r, self.exponent),
            Reading::Factor => (r * self.exponent, S::from(1.0)),
        }
    }

    /// Where r is 1, m/s.
    #[inline(always)]
    fn unit_speed(&self) -> S {
        match self.reading {
            Reading::Power => self.v_s,
            Reading::Factor => self.v_s / self.exponent,
        }
    }

    #[inline(always)]
    fn factor(&self, v: S) -> S {
        let (r, d) = self.scaled(v);
        // Beyond this the factor is lost in μ_d, and an exponential that underflows takes far longer.
        let most = S::from(700.0);
        let y = r.powf(d);
        (-S::select(y.gt(most), most, y)).exp()
    }
}

impl<S: Real> Law<S> for Stribeck<S> {
    #[inline(always)]
    fn dry(&self, v: S) -> S {
        self.mu_d + (self.mu_s - self.mu_d) * self.factor(v) // (5)
    }

    /// The factor is exactly 1 at rest: no exponential is needed.
    #[inline(always)]
    fn rest(&self) -> S {
        self.mu_d + (self.mu_s - self.mu_d)
    }

    #[inline(always)]
    fn dry_slope(&self, v: S) -> S {
        let (r, d) = self.scaled(v);
        let y = r.powf(d);
        // r^(d−1), whose value at r = 0 depends on d.
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let at_rest = S::select(d.lt(one), S::from(f64::INFINITY), S::select(d.gt(one), zero, one));
        let power = S::select(r.gt(zero), y / r, at_rest);
        (self.mu_d - self.mu_s) / self.unit_speed() * d * power * (-y).exp()
    }

    #[inline(always)]
    fn bounds(&self) -> [S; 2] {
        [self.mu_d, self.mu_s]
    }

    /// The slope is steepest at r = ((d − 1)/d)^(1/d), or at rest for d ≤ 1.
    #[inline(always)]
    fn pieces(&self) -> usize {
        2
    }

    #[inline(always)]
    fn piece(&self, i: usize) -> S {
        let d = self.scaled(S::from(0.0)).1;
        let one = S::from(1.0);
        if i == 0 || d.le(one).all() {
            return S::from(0.0);
        }
        let steepest = ((d - 1.0).max(S::from(0.0)) / d).powf(one / d);
        steepest * self.unit_speed()
    }

    #[inline(always)]
    fn viscous(&self) -> S {
        self.viscous
    }

    #[inline(always)]
    fn decay(&self, v: S) -> Option<S> {
        Some(self.factor(v))
    }

    /// |v| exp(−rᵈ) is largest at rᵈ = 1/d.
    #[inline(always)]
    fn decay_reach(&self) -> S {
        let d = self.scaled(S::from(0.0)).1;
        let one = S::from(1.0);
        self.unit_speed() * (one / d).powf(one / d) * (-one / d).exp()
    }

    /// For d = 1, a u + μ_d + (μ_s − μ_d) e^(−u/v) + νu = b has the outer root
    /// u = v (e + W₀(−(c/a′) e^(−e))), a′ = a + ν, c = (μ_s − μ_d)/v, e = (b − μ_d)/(a′ v).
    #[inline(always)]
    fn slide(&self, a: S, b: S) -> Option<(S::Mask, S)> {
        let d = self.scaled(S::from(0.0)).1;
        let simple = d.le(S::from(1.0)) & d.ge(S::from(1.0));
        if !simple.any() {
            return None;
        }
        let v = self.unit_speed();
        let a = a + self.viscous;
        let c = (self.mu_s - self.mu_d) / v;
        let e = (b - self.mu_d) / (a * v);
        Some((simple, v * (e + lambert_w0(-(c / a) * (-e).exp()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Start, validate};
    use std::string::ToString;

    fn law() -> Stribeck<f64> {
        Stribeck { viscous: 0.04, ..Stribeck::start(()) }
    }

    /// μ(0) = μ_s, μ(v_S) = μ_d + (μ_s − μ_d)/e + νv_S, μ(∞) → μ_d + ν|v|.
    #[test]
    fn the_curve_passes_through_its_marks() {
        let law = law();
        assert_eq!(law.level(0.0), 1.5);
        let mark = 1.0 + 0.5 * (-1.0f64).exp() + 0.04 * 0.01;
        assert!((law.level(-0.01) - mark).abs() < 1e-15);
        assert_eq!(law.level(10.0), 1.0 + 0.4);
    }

    #[test]
    fn the_two_readings_of_the_exponent_agree_where_they_must() {
        let one = Stribeck { exponent: 1.0, ..law() };
        let factor = Stribeck { exponent: 2.0, reading: Reading::Factor, ..law() };
        let halved = Stribeck { v_s: 0.005, ..one };
        for v in [0.0, 0.003, 0.01, 0.2] {
            assert!((factor.level(v) - halved.level(v)).abs() < 1e-15);
        }
        // 003 Table I at v = 0.01 m/s: e⁻¹ by (5), e⁻² by (25)
        assert!((factor.level(0.01) - (1.0 + 0.5 * (-2.0f64).exp() + 4e-4)).abs() < 1e-15);
    }

    #[test]
    fn the_slope_is_monotone_on_each_piece() {
        for exponent in [0.6, 1.0, 1.5, 2.0, 3.0] {
            let law = Stribeck { exponent, ..law() };
            let turn = law.piece(1);
            let at = |v: f64| law.dry_slope(v);
            let steps: std::vec::Vec<f64> = (1..200).map(|i| i as f64 * 5e-4).collect();
            for pair in steps.windows(2) {
                let (a, b) = (at(pair[0]), at(pair[1]));
                if pair[1] <= turn {
                    assert!(b <= a, "{exponent}: falls before {turn}");
                } else if pair[0] >= turn {
                    assert!(b >= a, "{exponent}: rises after {turn}");
                }
            }
        }
    }

    #[test]
    fn a_static_level_below_the_dynamic_one_is_refused() {
        let error = validate(&Stribeck { mu_s: 0.3, ..law() }).unwrap_err().to_string();
        assert_eq!(
            error,
            "stribeck: mu_s = 0.3 must be at least mu_d = 1: friction at rest is not below sliding \
             friction; raise mu_s or lower mu_d (static friction coefficient μ_s, eq. 000 (5))"
        );
    }

    #[test]
    fn decay_reach_is_the_maximum() {
        for (exponent, reading) in [
            (0.6, Reading::Power),
            (1.0, Reading::Power),
            (2.0, Reading::Power),
            (2.0, Reading::Factor),
        ] {
            let law = Stribeck { exponent, reading, ..law() };
            let best = (1..100_000)
                .map(|i| i as f64 * 1e-6)
                .map(|v| v * law.factor(v))
                .fold(0.0, f64::max);
            assert!((best / law.decay_reach() - 1.0).abs() < 1e-6);
        }
    }
}
