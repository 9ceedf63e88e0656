//! A bristle under constant drive: z′ = d − M z solved exactly.
use bristle_kernel::{Matrix2, Real};
use bristle_num::special::phi12;

/// e^{−Mh} and ∫₀ʰe^{−Mτ}dτ, so that z(h) = e^{−Mh}z(0) + ∫ d.
///
/// M is the product of two definite matrices and has two real eigenvalues p ≤ q ≥ 0; a function of it is
/// f(p) I + f[p, q](M − p I) with the divided difference f[p, q], near equal eigenvalues the derivative.
#[inline(always)]
pub fn relax<S: Real>(m: &Matrix2<S>, h: S) -> [Matrix2<S>; 2] {
    let zero = S::from(0.0);
    let [[a, b], [c, d]] = *m;
    let (mean, half) = ((a + d) * 0.5, (a - d) * 0.5);
    let root = (half * half + b * c).max(zero).sqrt();
    let (p, q) = (mean - root, mean + root);
    let (p1, p2) = (phi12(-(p * h)), phi12(-(q * h)));
    let middle = phi12(-(mean * h));
    let near = (root * h).lt(S::from(1e-4));
    let gap = S::select(near, S::from(1.0), root * 2.0);
    // φ₁′ = φ₁ − φ₂; d/dp of hφ₁(−ph) is −h²φ₁′. At the mean the error of the slope is of second order.
    let islope = S::select(near, -(h * h * (middle.0 - middle.1)), h * (p2.0 - p1.0) / gap);
    let mid = h * middle.0;
    // About the mean of the two values, which is f(mean) up to second order in the gap.
    let ilevel = S::select(near, mid, h * (p1.0 + p2.0) * 0.5);
    let about = |level: S, slope: S| {
        let (x, y) = ((a - mean) * slope, (d - mean) * slope);
        [[level + x, b * slope], [c * slope, level + y]]
    };
    let integral = about(ilevel, islope);
    // e^{−Mh} = I − M ∫
    let one = S::from(1.0);
    let e = |x: S, y: S, own: S| own - (x + y);
    let decay = [
        [
            e(a * integral[0][0], b * integral[1][0], one),
            e(a * integral[0][1], b * integral[1][1], zero),
        ],
        [
            e(c * integral[0][0], d * integral[1][0], zero),
            e(c * integral[0][1], d * integral[1][1], one),
        ],
    ];
    [decay, integral]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relaxation_composes_over_any_division_of_the_way() {
        for m in [
            [[3.0, 0.5], [0.2, 1.0]],
            [[2.0, 0.0], [0.0, 2.0]],
            [[2.0, 1e-9], [1e-9, 2.0]],
            [[0.0, 0.0], [0.0, 0.0]],
            [[400.0, 30.0], [20.0, 100.0]],
        ] {
            let [e, i] = relax(&m, 0.3);
            let ([e1, i1], [e2, i2]) = (relax(&m, 0.1), relax(&m, 0.2));
            for r in 0..2 {
                for c in 0..2 {
                    let product = e1[r][0] * e2[0][c] + e1[r][1] * e2[1][c];
                    assert!((e[r][c] - product).abs() < 1e-13, "{m:?}");
                    let sum = i2[r][c] + e2[r][0] * i1[0][c] + e2[r][1] * i1[1][c];
                    assert!((i[r][c] - sum).abs() < 1e-14, "{m:?}");
                }
            }
        }
    }
}
