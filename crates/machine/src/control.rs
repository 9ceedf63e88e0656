//! Controllers: continuous or sampled, limited, with feed-forward.
//!
//! ```text
//! pid:         w = kp e + I + kd ė,                 İ = ki e,     e = r − x
//! cascade:     w = kp e_v + I,                      İ = ki e_v,   e_v = kx e + c ṙ − v
//! passivity:   w = −k₁ s + F̂ + m(r̈ − λ(v − ṙ)) + g,  s = (v − ṙ) − λ e                 003 (27)
//! u = w within ± limit
//! ```
//!
//! A pid adds c ṙ + m r̈ and friction at the reference's velocity, a cascade m r̈ and that friction.
use crate::input::Sum;
use crate::machine::Machine;
use crate::{AntiWindup, Control, Estimate, Integration, Joint, Rounding, Sampled, Structure};
use bristle_kernel::{AnyLaw, Cast, Law, Real};
use std::ops::Range;

/// A controller in its machine.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    pub(crate) numbers: Control<f64>,
    pub(crate) on: Joint,
    pub(crate) measured: Joint,
    pub(crate) reference: Sum,
    /// The law of the friction that is fed forward, its load and the place of the mode that says which way the reference goes.
    pub(crate) friction: Option<(AnyLaw<f64>, f64, usize)>,
    /// The contact in which the observer is.
    pub(crate) observer: Option<usize>,
    /// The places of its states: of the integrator, the filter, and the output where it lags or is held.
    pub(crate) integral: Option<usize>,
    pub(crate) filtered: Option<usize>,
    pub(crate) output: Option<usize>,
    /// The places of modes: within its limit or at it, and likewise for its rate.
    pub(crate) clip: Option<usize>,
    pub(crate) ramp: Option<usize>,
    pub(crate) sampling: Option<Sampling>,
}

/// What a sampled controller has besides.
#[derive(Clone, Debug)]
pub(crate) struct Sampling {
    pub(crate) numbers: Sampled<f64>,
    /// The place where its samples are counted.
    pub(crate) count: usize,
    /// How long after a sample an output is applied, s, and the place where those are counted; nothing where it is at a
    /// sample.
    pub(crate) late: Option<(f64, usize)>,
    /// Outputs that wait to be applied.
    pub(crate) pending: Range<usize>,
    /// What the encoder showed at the last sample, or the error there, where velocities are differences.
    pub(crate) before: Option<usize>,
    /// The velocity that the position loop asks for.
    pub(crate) asked: Option<usize>,
}

/// Modes of what is limited on both sides.
pub(crate) mod limit {
    pub(crate) const INSIDE: usize = 0;
    pub(crate) const HIGH: usize = 1;
}
use limit::{HIGH, INSIDE};

/// What is limited, by its mode.
fn limited<S: Real>(wanted: S, limit: f64, mode: Option<usize>) -> S {
    match mode {
        None | Some(INSIDE) => wanted,
        Some(HIGH) => S::from(limit),
        Some(_) => S::from(-limit),
    }
}

/// The two guards of what is limited.
pub(crate) fn watch_limit(mode: usize, limit: f64, wanted: f64) -> [f64; 2] {
    match mode {
        INSIDE => [limit - wanted, limit + wanted],
        HIGH => [wanted - limit, 1.0],
        _ => [-limit - wanted, 1.0],
    }
}

/// The mode of what is limited, where it begins.
pub(crate) fn begin_limit(limit: f64, wanted: f64) -> usize {
    match wanted {
        w if w > limit => HIGH,
        w if w < -limit => HIGH + 1,
        _ => INSIDE,
    }
}

impl Controller {
    /// The force of friction at the reference's velocity, in the direction of the mode.
    fn fed_friction<S: Real>(&self, phase: &[usize], dr: S) -> S {
        let Some((law, load, way)) = &self.friction else { return S::from(0.0) };
        let law = law.cast(&mut |x| S::from(x));
        // A reference at rest asks for nothing.
        let level = S::select(dr.abs().gt(S::from(0.0)), law.level(dr), S::from(0.0));
        level * if phase[*way] == 0 { *load } else { -*load }
    }

    /// The velocity that the position loop of a cascade asks for.
    fn asked<S: Real>(&self, [r, dr, _]: [S; 3], x: S) -> S {
        (r - x) * self.numbers.kx + dr * self.numbers.feed_velocity
    }

    /// Output and rate of the integrator without limits: from the reference and its derivatives, position and velocity, the
    /// integral, the slope of the error and the velocity that a cascade asks for.
    fn law<S: Real>(
        &self,
        phase: &[usize],
        [r, dr, ddr]: [S; 3],
        [x, v]: [S; 2],
        [integral, slope, asked]: [S; 3],
    ) -> [S; 2] {
        let k = &self.numbers;
        let e = r - x;
        let fed = ddr * k.feed_acceleration + self.fed_friction(phase, dr);
        match k.structure {
            Structure::Pid => {
                let wanted = e * k.kp + integral + slope * k.kd + dr * k.feed_velocity + fed;
                [wanted, e * k.ki]
            }
            Structure::Cascade => {
                let error = asked - v;
                [error * k.kp + integral + fed, error * k.ki]
            }
            Structure::Passivity => {
                let slope = v - dr;
                let s = slope - e * k.lambda;
                [fed - s * k.k1 - slope * (k.lambda * k.feed_acceleration), S::from(0.0)]
            }
        }
    }

    /// s of 003 (27).
    pub(crate) fn sliding<S: Real>(&self, [r, dr, _]: [S; 3], [x, v]: [S; 2]) -> S {
        (v - dr) - (r - x) * self.numbers.lambda
    }

    /// What a state of it is; nothing where it has none.
    fn state<S: Real>(place: Option<usize>, y: &[S]) -> S {
        place.map_or(S::from(0.0), |k| y[k])
    }

    /// The reference and its derivatives, as far as they are needed.
    pub(crate) fn follows<S: Real>(&self, m: &Machine, t: S, phase: &[usize]) -> [S; 3] {
        if self.numbers.feed_acceleration == 0.0 {
            let [r, dr] = m.leaves.slope(&self.reference, t, phase);
            [r, dr, S::from(0.0)]
        } else {
            m.leaves.derivatives(&self.reference, t, phase)
        }
    }

    /// Output and rate of the integrator without limits, in continuous time.
    pub(crate) fn wanted<S: Real>(&self, m: &Machine, t: S, phase: &[usize], y: &[S]) -> [S; 2] {
        let reference = self.follows(m, t, phase);
        let at @ [x, v] = m.motion(self.measured, t, phase, y);
        let slope = match self.filtered {
            Some(k) => (reference[0] - x - y[k]) / self.numbers.filter,
            None => reference[1] - v,
        };
        let inner = [Self::state(self.integral, y), slope, self.asked(reference, x)];
        let [wanted, grows] = self.law(phase, reference, at, inner);
        match self.numbers.structure {
            Structure::Passivity => [wanted - m.weight(self.on, y), grows],
            _ => [wanted, grows],
        }
    }

    /// The output that it strives for: within its limit.
    fn striven<S: Real>(&self, wanted: S, phase: &[usize]) -> S {
        limited(wanted, self.numbers.limit, self.clip.map(|k| phase[k]))
    }

    /// How fast a lagging output would follow what is wanted without a limit.
    pub(crate) fn pull<S: Real>(&self, wanted: S, phase: &[usize], y: &[S]) -> S {
        (self.striven(wanted, phase) - Self::state(self.output, y)) / self.numbers.lag
    }

    /// The force that it exerts but for the observer's.
    pub(crate) fn applied<S: Real>(&self, m: &Machine, t: S, phase: &[usize], y: &[S]) -> S {
        match self.output {
            Some(k) => y[k],
            None => self.striven(self.wanted(m, t, phase, y)[0], phase),
        }
    }

    /// Writes the rates of its states, and gives the force that it exerts but for the observer's.
    pub(crate) fn rates<S: Real>(
        &self,
        m: &Machine,
        t: S,
        phase: &[usize],
        y: &[S],
        dy: &mut [S],
    ) -> S {
        if let (Some(_), Some(held)) = (&self.sampling, self.output) {
            return y[held];
        }
        let [wanted, grows] = self.wanted(m, t, phase, y);
        if let Some(k) = self.integral {
            let clipped = self.clip.is_some_and(|k| phase[k] != INSIDE);
            dy[k] = match self.numbers.anti_windup {
                AntiWindup::Hold if clipped => S::from(0.0),
                AntiWindup::BackCalculation if clipped => {
                    grows + (self.striven(wanted, phase) - wanted) / self.tracking()
                }
                _ => grows,
            };
        }
        if let Some(k) = self.filtered {
            let r = m.leaves.value(&self.reference, t, phase);
            let [x, _] = m.motion(self.measured, t, phase, y);
            dy[k] = (r - x - y[k]) / self.numbers.filter;
        }
        match self.output {
            Some(k) => {
                let pull = self.pull(wanted, phase, y);
                dy[k] = limited(pull, self.numbers.rate, self.ramp.map(|k| phase[k]));
                y[k]
            }
            None => self.striven(wanted, phase),
        }
    }

    /// The tracking time of the back-calculation, s.
    fn tracking(&self) -> f64 {
        let Control { tracking, kp, ki, .. } = self.numbers;
        if tracking > 0.0 { tracking } else { kp.max(f64::MIN_POSITIVE) / ki }
    }

    /// Takes a sample.
    pub(crate) fn sample(&self, m: &Machine, t: f64, phase: &mut [usize], y: &mut [f64]) {
        let (Some(sampling), Some(held)) = (&self.sampling, self.output) else { return };
        let Sampled { period, resolution, rounding, velocity, every, integration, .. } =
            sampling.numbers;
        let count = phase[sampling.count];
        phase[sampling.count] += 1;
        let [x, v] = m.motion(self.measured, t, phase, y);
        let x = match (resolution > 0.0, rounding) {
            (false, _) => x,
            (true, Rounding::Nearest) => resolution * (x / resolution).round(),
            (true, Rounding::Down) => resolution * (x / resolution).floor(),
        };
        let v = match (velocity, sampling.before) {
            (Estimate::Difference, Some(k)) => {
                let before = if count == 0 { x } else { y[k] };
                y[k] = x;
                (x - before) / period
            }
            _ => v,
        };
        let reference = self.follows(m, t, phase);
        let mut asked = self.asked(reference, x);
        if let Some(k) = sampling.asked {
            // Between its own samples the position loop asks for what it asked for before.
            if !count.is_multiple_of(every as usize) {
                asked = y[k];
            }
            y[k] = asked;
        }
        let integral = Self::state(self.integral, y);
        let slope = match (velocity, sampling.before) {
            (Estimate::Error, Some(k)) => {
                let error = reference[0] - x;
                let before = if count == 0 { error } else { y[k] };
                y[k] = error;
                (error - before) / period
            }
            _ => reference[1] - v,
        };
        let slope = match self.filtered {
            // The filter of first order, by the implicit Euler rule.
            Some(k) => {
                y[k] += (slope - y[k]) * period / (period + self.numbers.filter);
                y[k]
            }
            None => slope,
        };
        let at = [x, v];
        let [_, grows] = self.law(phase, reference, at, [integral, slope, asked]);
        let grown = integral + period * grows;
        let taken = match integration {
            Integration::Now => grown,
            Integration::Before => integral,
        };
        let [wanted, _] = self.law(phase, reference, at, [taken, slope, asked]);
        let limit = self.numbers.limit;
        let mut output = wanted.clamp(-limit, limit);
        let last = sampling.pending.clone().last().unwrap_or(held);
        let most = self.numbers.rate * period;
        if most.is_finite() {
            output = output.clamp(y[last] - most, y[last] + most);
        }
        if let Some(k) = self.integral {
            y[k] = match self.numbers.anti_windup {
                AntiWindup::Hold if output != wanted => integral,
                AntiWindup::BackCalculation => {
                    grown + period / self.tracking().max(period) * (output - wanted)
                }
                _ => grown,
            };
        }
        // What was computed before comes first. With a dead time the first of the row waits for its own instant.
        for k in sampling.pending.clone() {
            match k == sampling.pending.start {
                true if sampling.late.is_some() => {}
                true => y[held] = y[k],
                false => y[k - 1] = y[k],
            }
        }
        y[last] = output;
    }

    /// Applies an output that has waited.
    pub(crate) fn apply(&self, phase: &mut [usize], y: &mut [f64]) {
        let (Some(sampling), Some(held)) = (&self.sampling, self.output) else { return };
        if let Some((_, count)) = sampling.late {
            phase[count] += 1;
            y[held] = y[sampling.pending.start];
        }
    }

    /// The times of the next sample and of the next output that has waited.
    pub(crate) fn due(&self, phase: &[usize]) -> [f64; 2] {
        let Some(Sampling { numbers, count, late, .. }) = &self.sampling else {
            return [f64::INFINITY; 2];
        };
        let at = |count: usize| phase[count] as f64 * numbers.period;
        [at(*count), late.map_or(f64::INFINITY, |(by, count)| at(count) + by)]
    }
}
