//! Smooth motion between two events.
use crate::{Body, Push};
use bristle_kernel::bristle::Row;

/// At most so many powers of time.
const ORDER: usize = 36;

/// Motion from an event to the next, or a part of it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // nearly all of them are the large one
pub enum Segment {
    /// At rest.
    Rest {
        /// Position, m.
        x: f64,
    },
    /// Against bristles: a power series in time.
    Series(Series),
    /// Against a force that is linear in position: harmonic, in closed form.
    Harmonic(Harmonic),
}

/// Position, velocity and acceleration.
pub type Motion = [f64; 3];

impl Segment {
    /// Where the body is, `after` seconds from the beginning.
    pub fn at(&self, after: f64) -> Motion {
        match self {
            Segment::Rest { x } => [*x, 0.0, 0.0],
            Segment::Series(series) => series.at(after),
            Segment::Harmonic(harmonic) => harmonic.at(after),
        }
    }
}

/// x(t) as a power series, and how long it holds.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    x: [f64; ORDER + 1],
    order: usize,
    /// For so long it is exact to rounding, s.
    pub span: f64,
}

impl Series {
    fn at(&self, t: f64) -> Motion {
        let (mut x, mut v, mut a) = (0.0, 0.0, 0.0);
        for k in (0..=self.order).rev() {
            a = a * t + 2.0 * v;
            v = v * t + x;
            x = x * t + self.x[k];
        }
        [x, v, a]
    }
}

/// One bristle's power series.
#[derive(Clone, Copy)]
struct Bristle {
    s: f64,
    /// h² + s².
    g: [f64; ORDER + 1],
    /// The derivative of atan(s/h), one power behind: k times its coefficient k.
    turn: [f64; ORDER + 1],
    force: [f64; ORDER + 1],
}

/// Σ a_j b_{n−1−j}, in four sums that do not wait for each other.
fn convolution(a: &[f64], b: &[f64]) -> f64 {
    let (fours, backwards) = (a.chunks_exact(4), b.rchunks_exact(4));
    let left = fours.remainder().iter().zip(backwards.remainder().iter().rev());
    let mut sums = [left.map(|(a, b)| a * b).sum(), 0.0, 0.0, 0.0];
    for (a, b) in fours.zip(backwards) {
        for k in 0..4 {
            sums[k] += a[k] * b[3 - k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Reused from step to step.
#[derive(Clone, Default)]
pub(crate) struct Workspace(Vec<Bristle>);

/// Where a segment begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    pub t: f64,
    pub x: f64,
    pub v: f64,
    /// The forces balance: the body leaves a stick.
    pub balanced: bool,
}

impl Workspace {
    /// The motion from `begin` for at most `wanted` seconds against bristles of `row` whose bases are
    /// `behind` the corners they touch.
    ///
    /// m ẍ = push − K x − Σ F_i, power by power: with g = h² + s², θ' = h s'/g and F g = κ h θ.
    pub(crate) fn series(
        &mut self,
        body: &Body,
        row: &Row<f64>,
        behind: &[f64],
        begin: &Begin,
        wanted: f64,
    ) -> Series {
        let (h, stiff) = (row.h, row.kappa * row.h);
        let mut push = body.push.coefficients(begin.t);
        let mut x = [0.0; ORDER + 1];
        (x[0], x[1]) = (begin.x, begin.v);
        self.0.clear();
        self.0.extend(behind.iter().map(|&s| {
            let zero = [0.0; ORDER + 1];
            Bristle { s, g: zero, turn: zero, force: zero }
        }));
        let close = 1e-15 * row.delta;
        let mut span = wanted;
        let mut order = ORDER;
        let mut power = 1.0;
        let mut small = 0;
        for k in 0..=ORDER - 2 {
            // s² without its first and last term, the same for all bristles.
            let square = convolution(&x[1..k.max(1)], &x[1..k.max(1)]);
            let mut friction = 0.0;
            for b in &mut self.0 {
                let angle = if k == 0 {
                    b.g[0] = h * h + b.s * b.s;
                    (b.s / h).atan()
                } else {
                    b.g[k] = square + 2.0 * b.s * x[k];
                    let earlier = convolution(&b.turn[1..k], &b.g[1..k]);
                    b.turn[k] = (k as f64 * h * x[k] - earlier) / b.g[0];
                    b.turn[k] / k as f64
                };
                let earlier = convolution(&b.force[..k], &b.g[1..=k]);
                b.force[k] = (stiff * angle - earlier) / b.g[0];
                friction += b.force[k];
            }
            let net = push() - body.stiffness * x[k] - friction;
            let net = if k == 0 && begin.balanced { 0.0 } else { net };
            x[k + 2] = net / (body.mass * ((k + 1) * (k + 2)) as f64);
            power *= wanted;
            // Two small terms in a row: one may vanish by symmetry.
            small = if (x[k + 2] * power * wanted).abs() < close { small + 1 } else { 0 };
            if small >= 2 && k >= 2 {
                order = k + 2;
                break;
            }
        }
        if small < 2 {
            for k in [ORDER - 1, ORDER] {
                let limit = (close / x[k].abs()).powf(1.0 / k as f64);
                span = span.min(limit);
            }
        }
        Series { x, order, span }
    }
}

/// The solution of m ẍ = push(t) − K x − (f₀ + c x), as the way from where it begins, so that a start
/// from balance is one.
#[derive(Clone, Copy, Debug)]
pub struct Harmonic {
    x: f64,
    /// Of the free oscillation: √((K + c)/m), 1 − cosine part, sine part.
    omega: f64,
    free: [f64; 2],
    /// Of the forced one: drift, then 1 − cosine and sine part at the frequency of the push.
    drift: f64,
    forced: [f64; 2],
    drive: f64,
}

impl Harmonic {
    /// From `begin` against the friction force f₀ + c x.
    pub(crate) fn new(body: &Body, begin: &Begin, [f0, c]: [f64; 2]) -> Self {
        let (k, m) = (body.stiffness + c, body.mass);
        let omega = (k / m).sqrt();
        let net = body.others(begin.t, begin.x) - f0 - c * begin.x;
        let net = if begin.balanced { 0.0 } else { net };
        let (drift, forced, lift, drive) = match body.push {
            Push::Ramp { rate, .. } => (rate / k, [0.0; 2], 0.0, 0.0),
            Push::Sine { amplitude, omega: drive } => {
                let gain = amplitude / (k - m * drive * drive);
                let (s, c) = (drive * begin.t).sin_cos();
                (0.0, [-gain * s, gain * c], gain * s * m * drive * drive / k, drive)
            }
        };
        let swing = (begin.v - drift - forced[1] * drive) / omega;
        Harmonic { x: begin.x, omega, free: [net / k + lift, swing], drift, forced, drive }
    }

    fn at(&self, t: f64) -> Motion {
        // 1 − cos without loss of digits.
        let part = |omega: f64| {
            let (half, whole) = ((0.5 * omega * t).sin(), (omega * t).sin_cos());
            [2.0 * half * half, whole.0, whole.1]
        };
        let mut motion = [self.x + self.drift * t, self.drift, 0.0];
        for (w, [a, b]) in [(self.omega, self.free), (self.drive, self.forced)] {
            let [versine, sine, cosine] = part(w);
            motion[0] += a * versine + b * sine;
            motion[1] += w * (a * sine + b * cosine);
            motion[2] += w * w * (a * cosine - b * sine);
        }
        motion
    }
}
