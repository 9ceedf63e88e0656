//! What happens to a deflection on the way between two nodes: z ← E z + b.
use super::march::Motion;
use super::matrix::{inverse, product, times, turned};
use crate::quadrature::{Stages, legendre};
use bristle_kernel::{Planar, Real};

/// z ← E z + b.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<S> {
    pub(crate) e: [[S; 2]; 2],
    pub(crate) b: [S; 2],
}

/// z′ = d − M z at the two stages of a passage of length h, by Gauss collocation of order four.
#[inline(always)]
pub(crate) fn passage<S: Real>(
    rule: &Stages<2>,
    h: S,
    forget: [[[S; 2]; 2]; 2],
    drive: [[S; 2]; 2],
) -> Passage<S> {
    let (zero, one) = (S::from(0.0), S::from(1.0));
    let block = |i: usize, j: usize| {
        let k = h * rule.a[i][j];
        let m = forget[j];
        let own = if i == j { one } else { zero };
        [[k * m[0][0] + own, k * m[0][1]], [k * m[1][0], k * m[1][1] + own]]
    };
    let (p, q, r, s) = (block(0, 0), block(0, 1), block(1, 0), block(1, 1));
    let p_inv = inverse(&p);
    let factor = product(&r, &p_inv);
    let less = product(&factor, &q);
    let schur = inverse(&[
        [s[0][0] - less[0][0], s[0][1] - less[0][1]],
        [s[1][0] - less[1][0], s[1][1] - less[1][1]],
    ]);
    // Both stages for one right-hand side each, and where that ends.
    let end = |start: [S; 2], on: f64| {
        let right = |i: usize| {
            let k = [h * (rule.a[i][0] * on), h * (rule.a[i][1] * on)];
            [
                start[0] + k[0] * drive[0][0] + k[1] * drive[1][0],
                start[1] + k[0] * drive[0][1] + k[1] * drive[1][1],
            ]
        };
        let (first, second) = (right(0), right(1));
        let f = times(&factor, first);
        let z1 = times(&schur, [second[0] - f[0], second[1] - f[1]]);
        let c = times(&q, z1);
        let z0 = times(&p_inv, [first[0] - c[0], first[1] - c[1]]);
        let (m0, m1) = (times(&forget[0], z0), times(&forget[1], z1));
        let half = h * 0.5;
        [
            start[0] + half * (drive[0][0] * on - m0[0] + drive[1][0] * on - m1[0]),
            start[1] + half * (drive[0][1] * on - m0[1] + drive[1][1] * on - m1[1]),
        ]
    };
    let (x, y) = (end([one, zero], 0.0), end([zero, one], 0.0));
    Passage { e: [[x[0], y[0]], [x[1], y[1]]], b: end([zero; 2], 1.0) }
}

/// M and d of z′ = d − M z, the slip velocity being `slip` and the one that friction is taken at `taken`.
#[inline(always)]
pub(crate) fn local<S: Real>(
    bristle: &impl Planar<S>,
    motion: &Motion<S>,
    slip: [S; 2],
    taken: [S; 2],
) -> ([[S; 2]; 2], [S; 2]) {
    let (speed, phi2) = (motion.speed, motion.phi2);
    let pace = S::from(1.0) / speed;
    let r = bristle.response([-(taken[0] * speed), -(taken[1] * speed)]);
    let (f, b) = (r.forget, r.follow);
    let forget = [
        [f[0][0] * pace - phi2 * b[0][1], f[0][1] * pace + phi2 * b[0][0]],
        [f[1][0] * pace - phi2 * b[1][1], f[1][1] * pace + phi2 * b[1][0]],
    ];
    let follow = times(&b, slip);
    (forget, [-follow[0], -follow[1]])
}

/// A passage of a bristle without damping that prefers no direction: z ← e R z + b, where R turns by φ₂h and is the
/// same for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alike<S> {
    pub(crate) e: S,
    pub(crate) b: [S; 2],
}

/// A quantity along a passage, of which u ∈ [0, 1] is travelled: its mean ∫q du, and its rise 12∫(u − ½)q du,
/// from end to end if it is a straight line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trend<Q> {
    pub(crate) mean: Q,
    pub(crate) rise: Q,
}

/// What one value weighs in a trend, at u and with the weight w.
pub(crate) fn trend_weights(u: f64, w: f64) -> [f64; 2] {
    [w, 12.0 * (u - 0.5) * w]
}

impl<S: Real> Alike<S> {
    /// z′ = −v − λz in the frame that turns with z, of hλ and of [`Turn::seen`] −hv.
    ///
    /// Magnus' series to fourth order is e = e^(−x), x = hλ̄, and b = −h(φ(x)v̄ + ψ(x)(Δv − v̄Δλ/λ̄)) in the frame of the
    /// middle, φ = (1 − e)/x and ψ = (1 − φ(1 + x/2))/x being exact where λ is constant and v rises in a straight line.
    /// The exponential is Padé's approximant 3/4, off by 2.4e-7 at x = 1 and 9e-4 at x = 4, with which φ and ψ are
    /// fractions too: nothing cancels at x = 0, and a bristle that forgets at once is where it belongs at the end.
    #[inline(always)]
    pub(crate) fn new(rate: Trend<S>, slip: Trend<[S; 2]>) -> Self {
        let number = S::from;
        let (x, steeper) = (rate.mean, rate.rise);
        let x2 = x * x;
        let line = |a: f64, b: f64| x.mul_add(number(b), number(a));
        let scale = number(1.0) / x2.mul_add(x2 + line(120.0, 16.0), line(840.0, 480.0));
        let e = x2.mul_add(line(60.0, -4.0), line(840.0, -360.0)) * scale;
        let phi = x2.mul_add(x + number(20.0), line(840.0, 60.0));
        // ψ/x
        let psi = x2.mul_add(number(0.5), line(70.0, 5.0));
        let (on_mean, on_rise) = ((-psi).mul_add(steeper, phi) * scale, psi * x * scale);
        let Trend { mean, rise } = slip;
        let b = [
            on_mean.mul_add(mean[0], on_rise * rise[0]),
            on_mean.mul_add(mean[1], on_rise * rise[1]),
        ];
        Alike { e, b }
    }
}

/// How a vector that does not turn is seen from a frame that turns by θ = φ₂h along a passage, and not in its middle:
/// ∫cos θw, ∫w sin θw and 12∫w² cos θw over w = u − ½.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    even: f64,
    odd: f64,
    rise: f64,
    /// Cosine and sine of θ/2.
    half: [f64; 2],
    /// Cosine and sine of θ.
    pub(crate) whole: [f64; 2],
}

impl Turn {
    pub(crate) fn by(theta: f64) -> Self {
        let (mut even, mut odd, mut rise) = (0.0, 0.0, 0.0);
        for (u, weight) in legendre(6) {
            let w = u - 0.5;
            let (s, c) = (theta * w).sin_cos();
            even += weight * c;
            odd += weight * w * s;
            rise += 12.0 * weight * w * w * c;
        }
        let turned = |angle: f64| [angle.cos(), angle.sin()];
        Turn { even, odd, rise, half: turned(0.5 * theta), whole: turned(theta) }
    }

    /// −hv as seen so, and turned on to where the passage ends.
    pub(crate) fn seen(&self, h: f64, v: Trend<[f64; 2]>) -> Trend<[f64; 2]> {
        let ([x, y], [rise_x, rise_y]) = (v.mean, v.rise);
        let Turn { even, odd, rise, .. } = *self;
        let mean = [x * even + rise_y * odd, y * even - rise_x * odd];
        let rise = [rise_x * rise + y * 12.0 * odd, rise_y * rise - x * 12.0 * odd];
        let end = |v: [f64; 2]| turned(self.half, v).map(|v| -h * v);
        Trend { mean: end(mean), rise: end(rise) }
    }
}

/// What moves deflections on from one node to the next.
pub(crate) trait Onward<S> {
    /// Where they end that start at z; `turn` is the cosine and sine of φ₂h.
    fn end(&self, z: [S; 2], turn: [S; 2]) -> [S; 2];
}

impl<S: Real> Onward<S> for Alike<S> {
    #[inline(always)]
    fn end(&self, z: [S; 2], turn: [S; 2]) -> [S; 2] {
        let [x, y] = turned(turn, z);
        [self.e.mul_add(x, self.b[0]), self.e.mul_add(y, self.b[1])]
    }
}

impl<S: Real> Onward<S> for Passage<S> {
    #[inline(always)]
    fn end(&self, [x, y]: [S; 2], _: [S; 2]) -> [S; 2] {
        let row = |k: usize| self.e[k][0].mul_add(x, self.e[k][1].mul_add(y, self.b[k]));
        [row(0), row(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rate that does not change and a slip velocity that rises in a straight line: the closed form.
    #[test]
    fn steady_rates_have_their_exponential() {
        let (h, v, rise) = (0.7, 0.3, 0.2);
        for (lambda, most) in [(1e-9, 1e-12), (0.3, 1e-9), (1.4, 3e-7), (5.0, 1e-3)] {
            let rate = Trend { mean: h * lambda, rise: 0.0 };
            let slip = Trend { mean: [v, 0.0], rise: [rise, 0.0] };
            let ours = Alike::new(rate, Turn::by(0.0).seen(h, slip));
            let e = (-lambda * h).exp();
            // By many terms of a sum, as the closed form cancels.
            let b: f64 = legendre(40)
                .iter()
                .map(|(u, w)| -w * h * (v + rise * (u - 0.5)) * (-lambda * h * (1.0 - u)).exp())
                .sum();
            assert!((ours.e - e).abs() < most, "{lambda}: {} {e}", ours.e);
            assert!((ours.b[0] - b).abs() < most * b.abs(), "{lambda}: {} {b}", ours.b[0]);
            assert!(ours.b[1].abs() < 1e-15);
        }
    }

    /// What forgets at once is −v/λ of where it ends.
    #[test]
    fn stiff_bristles_are_where_they_belong() {
        let (rate, slip) =
            (Trend { mean: 5e8, rise: 0.0 }, Trend { mean: [0.3, 0.1], rise: [0.2, 0.0] });
        let ours = Alike::new(rate, Turn::by(0.0).seen(0.5, slip));
        assert!(ours.e.abs() < 1e-6);
        assert!((ours.b[0] * 1e9 + 0.4).abs() < 1e-6 && (ours.b[1] * 1e9 + 0.1).abs() < 1e-6);
    }

    /// Rate and velocity that change in a frame that turns, against Runge-Kutta steps: order four.
    #[test]
    fn passages_are_of_fourth_order() {
        let rate = |s: f64| 1.5 + (3.0 * s).sin();
        let slip = |s: f64| [0.4 + (2.0 * s).cos(), (1.5 * s).sin() - 0.3];
        let phi2 = 0.8;
        let slope = |s: f64, z: [f64; 2]| {
            let (l, v) = (rate(s), slip(s));
            [-v[0] - l * z[0] - phi2 * z[1], -v[1] - l * z[1] + phi2 * z[0]]
        };
        let ahead = |z: [f64; 2], k: [f64; 2], h: f64| [z[0] + h * k[0], z[1] + h * k[1]];
        let (steps, mut exact) = (4000, [0.2, -0.1]);
        for n in 0..steps {
            let h = 1.0 / f64::from(steps);
            let s = h * f64::from(n);
            let k1 = slope(s, exact);
            let k2 = slope(s + 0.5 * h, ahead(exact, k1, 0.5 * h));
            let k3 = slope(s + 0.5 * h, ahead(exact, k2, 0.5 * h));
            let k4 = slope(s + h, ahead(exact, k3, h));
            exact = std::array::from_fn(|i| {
                exact[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
            });
        }
        let off = |parts: usize| {
            let h = 1.0 / parts as f64;
            let turn = Turn::by(phi2 * h);
            let z = (0..parts).fold([0.2, -0.1], |z: [f64; 2], n| {
                let mut r = Trend { mean: 0.0, rise: 0.0 };
                let mut v = Trend { mean: [0.0; 2], rise: [0.0; 2] };
                for (u, w) in legendre(6) {
                    let (s, [mean, rise]) = (h * (n as f64 + u), trend_weights(*u, *w));
                    r.mean += h * mean * rate(s);
                    r.rise += h * rise * rate(s);
                    for k in 0..2 {
                        v.mean[k] += mean * slip(s)[k];
                        v.rise[k] += rise * slip(s)[k];
                    }
                }
                Alike::new(r, turn.seen(h, v)).end(z, turn.whole)
            });
            (z[0] - exact[0]).hypot(z[1] - exact[1])
        };
        let (coarse, fine) = (off(4), off(8));
        assert!(fine < 1e-5 && coarse > 13.0 * fine, "{coarse:e}, then {fine:e}");
    }
}
