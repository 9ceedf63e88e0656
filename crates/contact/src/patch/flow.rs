//! How bristles travel through the patch: 004 (48), circles about the tilting centre, or straight lines.
use super::inflow::{WIDTH, Wide};
use super::shape::Shape;
use bristle_kernel::{Logic, Real};
use bristle_num::{Lanes, simd};

/// The transport velocity V̄ = −(ε_y, −ε_x) + A_φ₁ x, per metre travelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow<S> {
    /// φ₁, 1/m: the curvature of the paths. 0 in Model 1.
    pub phi1: S,
    /// ε, a unit vector: (0, 1) without sideways rolling.
    pub epsilon: [S; 2],
}

/// sin θ/θ and (1 − cos θ)/θ, for |θ| up to π.
///
/// By the series of sin u/u and cos u at u = θ/2: exact in the limit of straight paths, and with the
/// derivatives that duals need there.
#[inline(always)]
pub fn turn<S: Real>(theta: S) -> [S; 2] {
    let u = theta * 0.5;
    let u2 = u * u;
    // u² ≤ 0.13 takes six terms to 1e-15, u ≤ π/2 takes twelve.
    let [sinc, cos] = match u2.le(S::from(0.13)).all() {
        true => series::<S, 6>(u2),
        false => series::<S, 12>(u2),
    };
    [sinc * cos, u * sinc * sinc]
}

/// cos θ and sin θ, by the same series where |θ| ≤ π.
#[inline(always)]
pub fn turn_by<S: Real>(theta: S) -> [S; 2] {
    if !theta.abs().le(S::from(std::f64::consts::PI)).all() {
        return [theta.cos(), theta.sin()];
    }
    let [s, c] = turn(theta);
    [S::from(1.0) - c * theta, s * theta]
}

/// sin u/u and cos u to T terms.
#[inline(always)]
fn series<S: Real, const T: usize>(u2: S) -> [S; 2] {
    /// 1/(2k(2k + 1)) and 1/(2k(2k − 1)).
    const RATIOS: [[f64; 2]; 12] = {
        let mut ratios = [[0.0; 2]; 12];
        let mut k = 1;
        while k < 12 {
            let even = 2.0 * k as f64;
            ratios[k] = [1.0 / (even * (even + 1.0)), 1.0 / (even * (even - 1.0))];
            k += 1;
        }
        ratios
    };
    let (mut sinc, mut cos) = (S::from(1.0), S::from(1.0));
    for [s, c] in RATIOS[1..T].iter().rev() {
        sinc = (u2 * sinc).mul_add(S::from(-*s), S::from(1.0));
        cos = (u2 * cos).mul_add(S::from(-*c), S::from(1.0));
    }
    [sinc, cos]
}

impl<S: Real> Flow<S> {
    /// V̄ at a point.
    #[inline(always)]
    pub fn velocity(&self, x: S, y: S) -> [S; 2] {
        [self.phi1 * y - self.epsilon[1], self.epsilon[0] - self.phi1 * x]
    }

    /// Where a bristle is that was at (x, y), with velocity `v`, `tau` metres ago.
    ///
    /// V̄ turns at the rate φ₁: x + V_x S + V_y C, y + V_y S − V_x C with S = sin(φ₁τ)/φ₁,
    /// C = (1 − cos φ₁τ)/φ₁.
    #[inline(always)]
    pub fn follow(&self, [x, y]: [S; 2], v: [S; 2], tau: S) -> [S; 2] {
        if self.phi1 == S::from(0.0) {
            return [x + v[0] * tau, y + v[1] * tau];
        }
        let [s, c] = turn(self.phi1 * tau);
        let (s, c) = (s * tau, c * tau);
        [x + v[0] * s + v[1] * c, y + v[1] * s - v[0] * c]
    }
}

impl Flow<f64> {
    /// The same in another scalar.
    pub fn cast<S: Real>(&self, f: impl Fn(f64) -> S) -> Flow<S> {
        Flow { phi1: f(self.phi1), epsilon: self.epsilon.map(&f) }
    }

    /// Whether paths are straight and along x.
    pub fn is_along_x(&self) -> bool {
        self.phi1 == 0.0 && self.epsilon == [0.0, 1.0]
    }

    /// Whether the patch is its own mirror image under the flow run backwards.
    pub fn is_symmetric(&self) -> bool {
        self.epsilon == [0.0, 1.0]
    }

    /// The tilting centre, 004 (53).
    pub fn centre(&self) -> Option<[f64; 2]> {
        (self.phi1 != 0.0).then(|| self.epsilon.map(|e| e / self.phi1))
    }

    fn at(&self, from: [f64; 2], tau: f64) -> [f64; 2] {
        let v = self.velocity(from[0], from[1]);
        self.follow(from, v, tau)
    }

    /// How far a bristle that is inside at a place has travelled.
    pub fn until_entry(&self, shape: &Shape, at: [f64; 2]) -> f64 {
        match self.is_along_x() {
            true => shape.a * shape.edge((at[1] / shape.b).abs()) - at[0],
            false => self.until_edge(shape, at, true),
        }
    }

    /// How far a bristle that is inside, or enters, at `from` travels until it leaves; backwards, how
    /// far it has travelled.
    ///
    /// The first place along the path where the level passes 1. Between the samples a path may graze the
    /// outline: a maximum there is looked at more closely.
    pub fn until_edge(&self, shape: &Shape, from: [f64; 2], backwards: bool) -> f64 {
        let sign = if backwards { -1.0 } else { 1.0 };
        let side_by_side = self.cast(Wide::from);
        let value = |tau: f64| {
            let [x, y] = self.at(from, sign * tau);
            shape.level(x, y)
        };
        let outside = |tau: f64| value(tau) > 1.0;
        let full =
            if self.phi1 == 0.0 { f64::INFINITY } else { std::f64::consts::PI / self.phi1.abs() };
        let v = self.velocity(from[0], from[1]);
        let reach = (2.05 * shape.a.hypot(shape.b) / v[0].hypot(v[1]) * 1.6).min(full);
        // Evenly, and ever closer to the entry: a path may leave soon after and come back.
        const CLOSE: usize = 10;
        const SAMPLES: usize = 128;
        let step = reach / SAMPLES as f64;
        let tau = |k: usize| match k < CLOSE {
            true => step * 0.5f64.powi((CLOSE - k) as i32),
            false => step * (k + 1 - CLOSE) as f64,
        };
        let at = from.map(Wide::from);
        let mut last = [(0.0, f64::INFINITY), (0.0, shape.level(from[0], from[1]))];
        for first in (0..CLOSE + SAMPLES).step_by(WIDTH) {
            let taus = Lanes(std::array::from_fn(|i| tau(first + i)));
            let levels = simd::widest(
                #[inline(always)]
                || {
                    let [x, y] = side_by_side.follow(at, v.map(Wide::from), taus * sign);
                    shape.level(x, y)
                },
            );
            for now in taus.0.into_iter().zip(levels.0) {
                if now.1 > 1.0 {
                    return bisect(outside, last[1].0, now.0);
                }
                if last[1].1 > last[0].1 && last[1].1 > now.1 {
                    let top = highest(&value, last[0].0, now.0);
                    if outside(top) {
                        return bisect(outside, last[0].0, top);
                    }
                }
                last = [last[1], now];
            }
        }
        reach
    }
}

impl Flow<Wide> {
    /// ln(level) after `tau` metres from a place with velocity `v`, and its slope.
    #[inline(always)]
    fn rise(&self, shape: &Shape, from: [Wide; 2], v: [Wide; 2], tau: Wide) -> (Wide, Wide) {
        let [x, y] = self.follow(from, v, tau);
        let (level, g) = (shape.level(x, y).max(Wide::from(1e-300)), shape.gradient(x, y));
        let u = self.velocity(x, y);
        (level.ln(), (g[0] * u[0] + g[1] * u[1]) / level)
    }

    /// How far bristles that enter at `from` travel until they leave, if they are outside after `outside`
    /// metres and leave once until then.
    ///
    /// Newton's method on ln(level), and bisection where that would leave the bracket.
    #[inline(always)]
    pub fn until_edge_before(&self, shape: &Shape, from: [Wide; 2], outside: Wide) -> Wide {
        let v = self.velocity(from[0], from[1]);
        let zero = Wide::from(0.0);
        let (mut lo, mut hi, mut tau) = (zero, outside, outside);
        for _ in 0..120 {
            let (f, slope) = self.rise(shape, from, v, tau);
            // On the outline itself, where they enter, the sign is rounding: only what is clearly inside is.
            let inside = f.lt(zero);
            (lo, hi) = (Wide::select(inside, tau, lo), Wide::select(inside, hi, tau));
            let guess = tau - f / slope;
            let good = guess.gt(lo) & guess.lt(hi) & lo.gt(zero);
            let next = Wide::select(good, guess, (lo + hi) * 0.5);
            let still = (next - tau).abs().le(tau * 4e-16) | f.abs().lt(Wide::from(1e-15));
            if still.all() {
                break;
            }
            tau = Wide::select(still, tau, next);
        }
        tau
    }
}

/// Where something begins to hold between two places.
pub(super) fn bisect(holds: impl Fn(f64) -> bool, lo: f64, hi: f64) -> f64 {
    let (mut lo, mut hi, least) = (lo, hi, 0.5 * f64::EPSILON * (hi - lo));
    loop {
        let middle = 0.5 * (lo + hi);
        if middle <= lo || middle >= hi || hi - lo <= least {
            return middle;
        }
        *(if holds(middle) { &mut hi } else { &mut lo }) = middle;
    }
}

/// Where a function with one maximum between `lo` and `hi` has it: golden section.
fn highest(f: &impl Fn(f64) -> f64, lo: f64, hi: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut lo, mut hi) = (lo, hi);
    let mut x = [hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo)];
    let mut y = x.map(f);
    for _ in 0..60 {
        if y[0] > y[1] {
            hi = x[1];
            (x[1], y[1]) = (x[0], y[0]);
            x[0] = hi - GOLDEN * (hi - lo);
            y[0] = f(x[0]);
        } else {
            lo = x[0];
            (x[0], y[0]) = (x[1], y[1]);
            x[1] = lo + GOLDEN * (hi - lo);
            y[1] = f(x[1]);
        }
    }
    0.5 * (lo + hi)
}
