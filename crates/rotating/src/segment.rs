//! Smooth motion between two events.
use crate::{Body, Push};
use bristle_kernel::bristle::Row;
use bristle_ode::Start;

/// At most so many powers of time.
const ORDER: usize = 36;

/// Motion from an event to the next, or a part of it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // nearly all of them are the large one
pub enum Segment {
    /// Against bristles, or at rest: a power series in time.
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
            Segment::Series(series) => series.at(after),
            Segment::Harmonic(harmonic) => harmonic.at(after),
        }
    }

    /// How far the body has moved since the beginning: with more digits than the difference of two places.
    pub(crate) fn way(&self, after: f64) -> f64 {
        match self {
            Segment::Series(series) => series.way(after),
            Segment::Harmonic(harmonic) => harmonic.at(after)[0] - harmonic.at(0.0)[0],
        }
    }
}

/// x(t) as a power series.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    x: [f64; ORDER + 1],
    order: usize,
}

impl Series {
    /// x₀ + v t + a t²/2.
    pub(crate) fn parabola([x0, v, a]: Motion) -> Self {
        let mut x = [0.0; ORDER + 1];
        x[..3].copy_from_slice(&[x0, v, 0.5 * a]);
        Series { x, order: 2 }
    }

    fn way(&self, t: f64) -> f64 {
        self.x[1..=self.order].iter().rev().fold(0.0, |x, c| (x + c) * t)
    }

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

/// The power series of a bristle whose base is `s` behind the corner it touches.
#[derive(Clone, Copy)]
pub(crate) struct Bristle {
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

impl Bristle {
    pub(crate) fn new(s: f64) -> Self {
        let zero = [0.0; ORDER + 1];
        Bristle { s, g: zero, turn: zero, force: zero }
    }
}

impl Series {
    /// The motion from `start`, with `rest` added to the place, against bristles of `row`, and how long it is exact
    /// to rounding, s: `wanted` or less.
    ///
    /// m ẍ = push − K x − Σ F_i, power by power: with g = h² + s², θ' = h s'/g and F g = κ h θ.
    pub(crate) fn new(
        body: &Body,
        row: &Row<f64>,
        bristles: &mut [Bristle],
        start: &Start<'_>,
        rest: f64,
        wanted: f64,
    ) -> (Self, f64) {
        let (h, stiff) = (row.h, row.kappa * row.h);
        let mut push = body.push.coefficients(start.t);
        let mut x = [0.0; ORDER + 1];
        x[..2].copy_from_slice(start.y);
        let close = 1e-15 * row.delta;
        let (mut span, mut order) = (wanted, ORDER);
        let (mut power, mut small) = (1.0, 0);
        for k in 0..=ORDER - 2 {
            // s² without its first and last term, the same for all bristles.
            let square = convolution(&x[1..k.max(1)], &x[1..k.max(1)]);
            let mut friction = 0.0;
            for b in &mut *bristles {
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
            let push = push.next().unwrap_or(0.0);
            let net = match k {
                0 => body.net(start, friction + body.stiffness * rest),
                _ => push - body.stiffness * x[k] - friction,
            };
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
                span = span.min((close / x[k].abs()).powf(1.0 / k as f64));
            }
        }
        (Series { x, order }, span)
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
    /// From `start` against the friction force f₀ + c x.
    pub(crate) fn new(body: &Body, start: &Start<'_>, [f0, c]: [f64; 2]) -> Self {
        let (k, m) = (body.stiffness + c, body.mass);
        let omega = (k / m).sqrt();
        let (x, v) = (start.y[0], start.y[1]);
        let net = body.net(start, f0 + c * x);
        let (drift, forced, lift, drive) = match body.push {
            Push::Ramp { rate, .. } => (rate / k, [0.0; 2], 0.0, 0.0),
            Push::Sine { amplitude, omega: drive } => {
                let gain = amplitude / (k - m * drive * drive);
                let (s, c) = (drive * start.t).sin_cos();
                (0.0, [-gain * s, gain * c], gain * s * m * drive * drive / k, drive)
            }
        };
        let swing = (v - drift - forced[1] * drive) / omega;
        Harmonic { x, omega, free: [net / k + lift, swing], drift, forced, drive }
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
