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
    pub fn at(&self, t: f64) -> f64 {
        match *self {
            Push::Ramp { from, rate } => from + rate * t,
            Push::Sine { amplitude, omega } => amplitude * (omega * t).sin(),
        }
    }

    /// Its rate at `t`, N/s.
    pub fn rate(&self, t: f64) -> f64 {
        match *self {
            Push::Ramp { rate, .. } => rate,
            Push::Sine { amplitude, omega } => amplitude * omega * (omega * t).cos(),
        }
    }

    /// Gives its Taylor coefficients at `t`, one after the other.
    pub(crate) fn coefficients(&self, t: f64) -> impl FnMut() -> f64 {
        let push = *self;
        let mut k = 0;
        let mut factor = 1.0;
        let (s, c) = match push {
            Push::Sine { omega, .. } => (omega * t).sin_cos(),
            Push::Ramp { .. } => (0.0, 0.0),
        };
        move || {
            let value = match push {
                Push::Ramp { from, rate } => match k {
                    0 => from + rate * t,
                    1 => rate,
                    _ => 0.0,
                },
                Push::Sine { amplitude, omega } => {
                    let turned = [s, c, -s, -c][k % 4];
                    let value = amplitude * factor * turned;
                    factor *= omega / (k + 1) as f64;
                    value
                }
            };
            k += 1;
            value
        }
    }

    /// The first time after `t` at which the push is above `high` or below `low`, between which it
    /// is at `t`, and which of the two: in closed form. Infinite if never.
    pub fn leaves(&self, t: f64, low: f64, high: f64) -> (f64, f64) {
        match *self {
            Push::Ramp { from, rate } if rate > 0.0 => (((high - from) / rate).max(t), 1.0),
            Push::Ramp { from, rate } if rate < 0.0 => (((low - from) / rate).max(t), -1.0),
            Push::Ramp { .. } => (f64::INFINITY, 1.0),
            Push::Sine { amplitude, omega } => {
                let turn = core::f64::consts::TAU / omega;
                let next = |level: f64, rising: bool| {
                    let share = level / amplitude;
                    if share.abs() > 1.0 {
                        return f64::INFINITY;
                    }
                    let angle = share.asin();
                    let angle = if rising { angle } else { core::f64::consts::PI - angle };
                    let first = angle / omega;
                    let t = first + ((t - first) / turn - 1e-12).ceil() * turn;
                    // asin is flat near its ends: one step of Newton's method on the sine itself.
                    let slope = amplitude * omega * (omega * t).cos();
                    let better = t - (amplitude * (omega * t).sin() - level) / slope;
                    if (better - t).abs() < 1e-6 * turn { better } else { t }
                };
                let (up, down) = (next(high, amplitude > 0.0), next(low, amplitude < 0.0));
                if up <= down { (up.max(t), 1.0) } else { (down.max(t), -1.0) }
            }
        }
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
