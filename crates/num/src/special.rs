//! Functions that friction models need and no standard library has, over any [`Real`].
use crate::{Logic, Real};

/// φ₁(x) = (eˣ − 1)/x and φ₂(x) = (φ₁(x) − 1)/x for x ≤ 0: the mean of eˣᵗ over t ∈ [0, 1], and of
/// its running integral.
///
/// Together, because they share the exponential or, near 0, the series: φ₁ = 1 + xφ₂.
#[inline(always)]
pub fn phi12<S: Real>(x: S) -> (S, S) {
    let far = x.lt(S::from(-NEAR));
    let (mut one, mut two) = (S::from(1.0), S::from(0.5));
    if !far.all() {
        two = series(x);
        one = x * two + 1.0;
    }
    if far.any() {
        let direct = (x.exp() - 1.0) / x;
        one = S::select(far, direct, one);
        two = S::select(far, (direct - 1.0) / x, two);
    }
    (one, two)
}

/// Above −½ the quotients cancel and the series takes over; below it they lose under 4 ulp.
const NEAR: f64 = 0.5;

/// φ₂(x) = Σ xʲ/(j + 2)!, to 15 terms: below 2⁻⁵³ relative for |x| ≤ ½.
#[inline(always)]
fn series<S: Real>(x: S) -> S {
    let mut sum = S::from(1.0);
    for j in (1..15).rev() {
        sum = x * (1.0 / f64::from(j + 2)) * sum + 1.0;
    }
    sum * 0.5
}

/// The principal branch W₀ of Lambert's function, W eᵂ = x, for x ≥ −1/e.
///
/// Starts from the expansion about the branch point −1/e or from ln(1 + x), and repeats Halley's
/// step until no lane moves. Below −1/e, by rounding or otherwise, the branch point −1 is given.
pub fn lambert_w0<S: Real>(x: S) -> S {
    let one = S::from(1.0);
    // p² = 2(1 + e x); W = −1 + p − p²/3 + 11p³/72 − … near the branch point.
    let p2 = (x * core::f64::consts::E + 1.0) * 2.0;
    let p = p2.max(S::from(0.0)).sqrt();
    let near = p * (p * (p * (11.0 / 72.0) - 1.0 / 3.0) + 1.0) - 1.0;
    let far = (x.max(S::from(0.0)) + 1.0).ln();
    let mut w = S::select(x.lt(S::from(0.0)), near, far);
    let inside = p2.gt(S::from(0.0));
    let mut moving = inside;
    for _ in 0..8 {
        let e = w.exp();
        let f = w * e - x;
        let d = f / (e * (w + 1.0) - (w + 2.0) * f / ((w + 1.0) * 2.0));
        let next = S::select(moving, w - d, w);
        moving = moving & d.abs().gt(w.abs() * 1e-16);
        w = next;
        if !moving.any() {
            break;
        }
    }
    S::select(inside, w, -one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn phi_functions_satisfy_their_recurrence(x in -40.0f64..0.0) {
            let (phi1, phi2) = phi12(x);
            prop_assert!((phi1 - x.exp_m1() / x).abs() < 4e-16);
            let two = (x.exp_m1() / x - 1.0) / x;
            let tolerance = if x > -0.1 { 1e-14 / x.abs() } else { 2e-15 };
            prop_assert!((phi2 - two).abs() < tolerance, "{} {}", phi2, two);
        }

        #[test]
        fn lambert_w0_inverts_its_definition(w in -0.999f64..8.0) {
            let x = w * w.exp();
            let back = lambert_w0(x);
            // Near the branch point the inverse is a square root: the residual is the fair test.
            prop_assert!((back * back.exp() - x).abs() <= 4e-16 * (1.0 + x.abs()));
            prop_assert!((back - w).abs() < 1e-12 / (1.0 + w));
        }

        #[test]
        fn lambert_w0_has_the_derivative_of_an_inverse(w in -0.9f64..5.0) {
            let x = Dual::<f64, 1>::variable(w * w.exp(), 0);
            let expected = 1.0 / (w.exp() * (1.0 + w));
            prop_assert!((lambert_w0(x).eps[0] / expected - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn phi_functions_have_their_limits() {
        assert_eq!((phi12(0.0), phi12(-0.0)), ((1.0, 0.5), (1.0, 0.5)));
        assert_eq!(phi12(-1e300).0, 1e-300);
        assert_eq!(phi12(f64::NEG_INFINITY), (0.0, 0.0));
    }

    #[test]
    fn lambert_w0_at_known_points() {
        assert!((lambert_w0(1.0) - 0.567_143_290_409_783_8).abs() < 1e-15);
        assert_eq!(lambert_w0(0.0), 0.0);
        assert_eq!(lambert_w0(-1.0), -1.0);
        assert!((lambert_w0(core::f64::consts::E) - 1.0).abs() < 1e-15);
    }
}
