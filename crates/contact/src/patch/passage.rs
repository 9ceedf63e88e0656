//! What happens to a deflection on the way between two nodes: z ← E z + b.
use super::inflow::Wide;
use super::march::{Motion, Side};
use super::matrix::{inverse, product, times};
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
    /// z′ = −v − λz in the frame that turns with z.
    ///
    /// Magnus' series to fourth order is e = e^(−x), x = hλ̄, and b = −h(φ(x)v̄ + ψ(x)(Δv − v̄Δλ/λ̄)) in the frame of the
    /// middle, φ = (1 − e)/x and ψ = (1 − φ(1 + x/2))/x being exact where λ is constant and v rises in a straight line.
    /// The exponential is Padé's approximant 3/4, off by 5e-8 at x = 1 and 9e-4 at x = 4, with which φ and ψ are
    /// fractions too: nothing cancels at x = 0, and a bristle that forgets at once is where it belongs at the end.
    #[inline(always)]
    pub(crate) fn new(h: f64, rate: Trend<S>, slip: Trend<[S; 2]>, turn: Option<&Turn>) -> Self {
        let number = S::from;
        let (x, steeper) = (rate.mean * h, rate.rise * h);
        let x2 = x * x;
        let line = |a: f64, b: f64| x.mul_add(number(b), number(a));
        let scale = number(1.0) / x2.mul_add(x2 + line(120.0, 16.0), line(840.0, 480.0));
        let e = x2.mul_add(line(60.0, -4.0), line(840.0, -360.0)) * scale;
        let phi = x2.mul_add(line(20.0, 1.0), line(840.0, 60.0));
        // ψ/x
        let psi = x2.mul_add(number(0.5), line(70.0, 5.0));
        let scale = scale * -h;
        let (on_mean, on_rise) = ((phi - psi * steeper) * scale, psi * x * scale);
        let gain =
            |slip: &Trend<[S; 2]>, k: usize| on_mean.mul_add(slip.mean[k], on_rise * slip.rise[k]);
        let b = match turn {
            None => [gain(&slip, 0), gain(&slip, 1)],
            Some(turn) => {
                let slip = turn.followed(slip);
                rotated(turn.half, [gain(&slip, 0), gain(&slip, 1)])
            }
        };
        Alike { e, b }
    }
}

/// A vector turned by an angle of this cosine and sine.
#[inline(always)]
fn rotated<S: Real>([c, s]: [f64; 2], [x, y]: [S; 2]) -> [S; 2] {
    [x.mul_add(S::from(c), y * -s), x.mul_add(S::from(s), y * c)]
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

    #[inline(always)]
    fn followed<S: Real>(&self, v: Trend<[S; 2]>) -> Trend<[S; 2]> {
        let number = S::from;
        let ([x, y], [rise_x, rise_y]) = (v.mean, v.rise);
        let (even, odd, more, rise) =
            (number(self.even), number(self.odd), number(12.0 * self.odd), number(self.rise));
        Trend {
            mean: [rise_y.mul_add(odd, x * even), (-rise_x).mul_add(odd, y * even)],
            rise: [y.mul_add(more, rise_x * rise), (-x).mul_add(more, rise_y * rise)],
        }
    }
}

/// What moves deflections on from one node to the next.
pub(crate) trait Onward<S> {
    /// Where they end that start at z; `turn` is the cosine and sine of φ₂h, if bristles turn.
    fn end(&self, z: [S; 2], turn: Option<[f64; 2]>) -> [S; 2];
}

impl<S: Side> Alike<S> {
    #[inline(always)]
    pub(crate) fn narrowed(self) -> Alike<Wide> {
        Alike { e: self.e.value(), b: [self.b[0].value(), self.b[1].value()] }
    }
}

impl<S: Side> Onward<S> for Alike<Wide> {
    #[inline(always)]
    fn end(&self, z: [S; 2], turn: Option<[f64; 2]>) -> [S; 2] {
        let e = S::lift(self.e);
        let [x, y] = match turn {
            Some(turn) => rotated(turn, z),
            None => z,
        };
        [e.mul_add(x, S::lift(self.b[0])), e.mul_add(y, S::lift(self.b[1]))]
    }
}

impl<S: Side> Passage<S> {
    #[inline(always)]
    pub(crate) fn narrowed(self) -> Passage<Wide> {
        let [[a, b], [c, d]] = self.e;
        let e = [[a.value(), b.value()], [c.value(), d.value()]];
        Passage { e, b: [self.b[0].value(), self.b[1].value()] }
    }
}

impl<S: Side> Onward<S> for Passage<Wide> {
    #[inline(always)]
    fn end(&self, [x, y]: [S; 2], _: Option<[f64; 2]>) -> [S; 2] {
        let row = |k: usize| {
            let ([p, q], b) = (self.e[k], self.b[k]);
            S::lift(p).mul_add(x, S::lift(q).mul_add(y, S::lift(b)))
        };
        [row(0), row(1)]
    }
}
