use bristle_kernel::{Drive, Real};
use bristle_num::Dual;
use bristle_ode::Start;
use bristle_system::{Mechanism, Quantity};
use std::f64::consts::{FRAC_PI_2, PI};

/// The force that pushes a body, as a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Push {
    /// from + rate·t, N: a spring whose far end moves at a constant speed.
    Ramp {
        /// The force at t = 0, N.
        from: f64,
        /// Its rate, N/s.
        rate: f64,
    },
    /// amplitude·sin(ωt), N.
    Sine {
        /// Amplitude, N.
        amplitude: f64,
        /// ω, rad/s.
        omega: f64,
    },
}

impl Push {
    /// The force at `t`.
    pub fn at<S: Real>(&self, t: S) -> S {
        match *self {
            Push::Ramp { from, rate } => t * rate + from,
            Push::Sine { amplitude, omega } => (t * omega).sin() * amplitude,
        }
    }

    /// Its rate at `t`, N/s.
    pub fn rate(&self, t: f64) -> f64 {
        self.at(Dual { re: t, eps: [1.0] }).eps[0]
    }

    /// The time from `t` to where the force has changed by `change` or turns, s.
    pub(crate) fn lasts(&self, t: f64, change: f64) -> f64 {
        match *self {
            Push::Ramp { rate, .. } => change / rate.abs(),
            // A peak that is so near is passed.
            Push::Sine { omega, .. } => (FRAC_PI_2 - omega * t).rem_euclid(PI).max(1e-9) / omega,
        }
    }

    /// Its Taylor coefficients at `t`, one after the other.
    pub(crate) fn coefficients(&self, t: f64) -> impl Iterator<Item = f64> {
        // Each is so many times the one two before it, but for a factor of its number.
        let again = match *self {
            Push::Ramp { .. } => 0.0,
            Push::Sine { omega, .. } => -omega * omega,
        };
        let mut next = [self.at(t), self.rate(t)];
        (1..).map(move |k| {
            let value = next[0];
            next = [next[1], again * value / f64::from(k * (k + 1))];
            value
        })
    }
}

/// A body on bristles, tied to a spring and pushed: m ẍ = push(t) − K x − F.
///
/// Dragged by a spring whose end moves at v_p it is 001 (10)-(12) with the push K v_p t, since
/// l = v_p t − x; tied to a wall under the force u(t) it is (40), (41).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Mass m, kg.
    pub mass: f64,
    /// Stiffness K of the spring, N/m.
    pub stiffness: f64,
    /// What pushes it.
    pub push: Push,
}

impl Body {
    /// Dragged by a spring whose end moves at `speed`: 001 (10)-(12).
    pub fn dragged(mass: f64, stiffness: f64, speed: f64) -> Self {
        Body { mass, stiffness, push: Push::Ramp { from: 0.0, rate: stiffness * speed } }
    }

    /// Tied to a wall and pushed by amplitude·sin(ωt): 001 (40), (41).
    pub fn tied(mass: f64, stiffness: f64, amplitude: f64, omega: f64) -> Self {
        Body { mass, stiffness, push: Push::Sine { amplitude, omega } }
    }

    /// All forces but friction, N.
    pub fn others(&self, t: f64, x: f64) -> f64 {
        self.push.at(t) - self.stiffness * x
    }

    /// All forces, N, where a piece of motion starts against this friction. A body at rest whose forces balance but
    /// for rounding leaves a stick at its limit: there they are zero.
    pub(crate) fn net(&self, start: &Start<'_>, friction: f64) -> f64 {
        /// Forces and times are known so well, relative to what they are made of.
        const ROUNDING: f64 = 1e-13;
        let (t, [x, v]) = (start.t, [start.y[0], start.y[1]]);
        let (push, spring) = (self.push.at(t), self.stiffness * x);
        let net = push - spring - friction;
        let terms = push.abs() + spring.abs() + friction.abs() + (self.push.rate(t) * t).abs();
        if v == 0.0 && net.abs() <= ROUNDING * terms { 0.0 } else { net }
    }

    /// The speed of the spring's far end, m/s: the push of a moving end is the spring's own.
    fn end_speed(&self) -> Option<f64> {
        match self.push {
            Push::Ramp { rate, .. } if self.stiffness > 0.0 => Some(rate / self.stiffness),
            _ => None,
        }
    }

    /// Kinetic energy and that of the spring, K l²/2 or K x²/2, J.
    pub fn energy(&self, t: f64, x: f64, v: f64) -> f64 {
        let spring = match self.end_speed() {
            Some(_) => self.others(t, x).powi(2) / self.stiffness,
            None => self.stiffness * x * x,
        };
        0.5 * (self.mass * v * v + spring)
    }

    /// The power supplied, K l v_p or u v, W.
    pub fn supply(&self, t: f64, x: f64, v: f64) -> f64 {
        match self.end_speed() {
            Some(speed) => self.others(t, x) * speed,
            None => self.push.at(t) * v,
        }
    }
}

impl Mechanism for Body {
    fn drives(&self) -> &[Quantity] {
        &[]
    }
    fn input(&self, _i: usize, _t: f64, _phase: &[usize]) -> f64 {
        0.0
    }
    fn switch(&self, _i: usize, _k: usize) -> f64 {
        f64::INFINITY
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(y[1], S::from(1.0)) }
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1]; // (10), (40)
        dy[1] = (self.push.at(t) - y[0] * self.stiffness - force[0]) / self.mass; // (11), (41)
    }

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        on(1 - k);
    }
    fn moves(&self, _i: usize, on: &mut dyn FnMut(usize)) {
        on(1);
    }
}
