//! Where bristles are and when they entered.
//!
//! ```text
//! dξ/dt = V                          →   η(ξ) = D(t) − D(τ)                000 (34), (41)
//! D = Vt,  η = ξ                         V constant
//! D = t,   η = ∫₀^ξ dξ′/V(ξ′)            V along the line
//! D = ∫₀ᵗ V dt′,  η = ξ                  V in time
//! L(t) ξ/L₀ = D(t) − D(τ),               a length that changes, 004 (75)
//!     D = ∫₀ᵗ V dt′ + ½(L(t)/L₀ − 1)
//! ```
//!
//! τ is the time of entry. D only grows, so it tells bristles apart: a bristle keeps D(τ) for life. Before t = 0
//! everything is as it is at t = 0. Where the length changes, the middle of the contact stays in place and both edges
//! move by half of the change: bristles pass the middle at L₀V, L₀ = L(0).

/// Straight lines between points along the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    xi: Vec<f64>,
    value: Vec<f64>,
}

impl Points {
    /// Through `value` at `xi`, which increases from 0 to 1.
    ///
    /// # Panics
    ///
    /// If there are not as many values as places, or fewer than two.
    pub fn new(xi: Vec<f64>, value: Vec<f64>) -> Self {
        assert!(
            xi.len() == value.len() && xi.len() > 1,
            "one value for each of two places or more"
        );
        Points { xi, value }
    }

    /// The places.
    pub fn places(&self) -> &[f64] {
        &self.xi
    }

    /// The piece on which ξ lies: its number, where it begins, the value there and the slope.
    fn piece(&self, xi: f64) -> (usize, f64, f64, f64) {
        let k = self.xi.partition_point(|x| *x <= xi).clamp(1, self.xi.len() - 1) - 1;
        let slope = (self.value[k + 1] - self.value[k]) / (self.xi[k + 1] - self.xi[k]);
        (k, self.xi[k], self.value[k], slope)
    }

    /// The value at ξ.
    pub fn at(&self, xi: f64) -> f64 {
        let (_, from, value, slope) = self.piece(xi);
        value + slope * (xi - from)
    }
}

/// V(ξ), 1/s, positive: straight lines between points, on which η is a logarithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    rate: Points,
    /// η at the points, s.
    eta: Vec<f64>,
}

impl Along {
    /// That rate.
    pub fn new(rate: Points) -> Self {
        let mut eta = vec![0.0];
        for k in 1..rate.xi.len() {
            let ratio = rate.value[k] / rate.value[k - 1] - 1.0;
            let crossed = (rate.xi[k] - rate.xi[k - 1]) / rate.value[k - 1];
            eta.push(eta[k - 1] + crossed * log_mean(ratio));
        }
        Along { rate, eta }
    }

    /// V at ξ.
    pub fn rate(&self, xi: f64) -> f64 {
        self.rate.at(xi)
    }

    fn eta(&self, xi: f64) -> f64 {
        let (k, from, rate, slope) = self.rate.piece(xi);
        let crossed = (xi - from) / rate;
        self.eta[k] + crossed * log_mean(slope * crossed)
    }

    /// ξ at η.
    fn place(&self, eta: f64) -> f64 {
        let k = self.eta.partition_point(|e| *e <= eta).clamp(1, self.eta.len() - 1) - 1;
        let (_, from, rate, slope) = self.rate.piece(self.rate.xi[k]);
        let time = eta - self.eta[k];
        let growth = slope * time;
        from + rate
            * time
            * if growth.abs() < 1e-8 { 1.0 + 0.5 * growth } else { growth.exp_m1() / growth }
    }
}

/// ln(1 + r)/r.
fn log_mean(r: f64) -> f64 {
    if r.abs() < 1e-8 { 1.0 - 0.5 * r } else { r.ln_1p() / r }
}

/// How bristles travel through the contact.
#[derive(Clone, Copy)]
pub enum Transport<'a> {
    /// V, 1/s.
    Constant(f64),
    /// V(ξ).
    Along(&'a Along),
    /// V(t), 1/s, positive, and its integral from 0 to t: 000 Remark IV.3.
    Speed {
        /// V(t), 1/s.
        rate: &'a dyn Fn(f64) -> f64,
        /// ∫₀ᵗ V dt′.
        travelled: &'a dyn Fn(f64) -> f64,
    },
}

impl Transport<'_> {
    /// V at ξ and t, 1/s.
    pub fn rate(&self, xi: f64, t: f64) -> f64 {
        match self {
            Transport::Constant(v) => *v,
            Transport::Along(v) => v.rate(xi),
            Transport::Speed { rate, .. } => rate(t.max(0.0)),
        }
    }
}

/// The length of the contact.
#[derive(Clone, Copy)]
pub enum Length<'a> {
    /// L, m.
    Constant(f64),
    /// L(t), m, with |L′| < 2L₀V, and V that does not change along the line.
    Changing(&'a dyn Fn(f64) -> f64),
}

impl Length<'_> {
    /// L(t), m.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Length::Constant(length) => *length,
            Length::Changing(length) => length(t.max(0.0)),
        }
    }
}

/// D, η and what they say.
#[derive(Clone, Copy)]
pub(super) struct Travel<'a> {
    pub transport: Transport<'a>,
    pub length: Length<'a>,
}

impl Travel<'_> {
    /// L(t)/L₀.
    fn stretch(&self, t: f64) -> f64 {
        match self.length {
            Length::Constant(_) => 1.0,
            Length::Changing(_) => self.length.at(t) / self.length.at(0.0),
        }
    }

    /// D(t).
    pub fn distance(&self, t: f64) -> f64 {
        let travelled = match self.transport {
            Transport::Constant(v) => v * t,
            Transport::Along(_) => t,
            Transport::Speed { rate, travelled } => {
                if t < 0.0 {
                    rate(0.0) * t
                } else {
                    travelled(t)
                }
            }
        };
        travelled + 0.5 * (self.stretch(t) - 1.0)
    }

    /// D(τ) of the bristle that is at ξ at time t.
    pub fn label(&self, xi: f64, t: f64) -> f64 {
        let eta = if let Transport::Along(v) = self.transport { v.eta(xi) } else { xi };
        self.distance(t) - self.stretch(t) * eta
    }

    /// Where the bristle of that label is at time t.
    pub fn place(&self, label: f64, t: f64) -> f64 {
        let eta = (self.distance(t) - label) / self.stretch(t);
        if let Transport::Along(v) = self.transport { v.place(eta) } else { eta }
    }

    /// When the bristle of that label entered, not after `now`.
    pub fn entry(&self, label: f64, now: f64) -> f64 {
        match (self.transport, self.length) {
            (Transport::Constant(v), Length::Constant(_)) => label / v,
            (Transport::Along(_), _) => label,
            _ if label < 0.0 => label / self.transport.rate(0.0, 0.0),
            _ => crossing(|t| self.distance(t) - label, 0.0, now.max(0.0)),
        }
    }

    /// When the bristle of that label passes ξ, between two times.
    pub fn passes(&self, label: f64, xi: f64, between: [f64; 2]) -> f64 {
        match (self.transport, self.length) {
            (Transport::Constant(v), Length::Constant(_)) => (label + xi) / v,
            (Transport::Along(v), _) => label + v.eta(xi),
            _ => {
                let [from, to] = between;
                crossing(|t| self.distance(t) - label - self.stretch(t) * xi, from, to)
            }
        }
    }
}

/// Where a function that is negative at `lo` and positive at `hi` crosses zero: the Illinois form of regula falsi.
fn crossing(f: impl Fn(f64) -> f64, lo: f64, hi: f64) -> f64 {
    let (mut lo, mut hi) = ((lo, f(lo)), (hi, f(hi)));
    if lo.1 >= 0.0 {
        return lo.0;
    }
    if hi.1 <= 0.0 {
        return hi.0;
    }
    for _ in 0..100 {
        let x = hi.0 - hi.1 * (hi.0 - lo.0) / (hi.1 - lo.1);
        if !(x > lo.0 && x < hi.0) {
            break;
        }
        let y = f(x);
        if y < 0.0 {
            lo = (x, y);
            hi.1 *= 0.5;
        } else {
            hi = (x, y);
            lo.1 *= 0.5;
        }
        if y == 0.0 || hi.0 - lo.0 <= 2.0 * f64::EPSILON * hi.0.abs() {
            break;
        }
    }
    if -lo.1 < hi.1 { lo.0 } else { hi.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entry, place and passage are inverse to each other, however bristles travel.
    #[test]
    fn a_bristle_is_where_its_label_says() {
        let along =
            Along::new(Points::new(vec![0.0, 0.3, 0.31, 1.0], vec![200.0, 350.0, 90.0, 90.0]));
        let (rate, travelled) = (
            |t: f64| 200.0 + 90.0 * (60.0 * t).sin(),
            |t: f64| 200.0 * t + 1.5 * (1.0 - (60.0 * t).cos()),
        );
        let length = |t: f64| 0.1 + 0.02 * (300.0 * t).sin();
        let speed = Transport::Speed { rate: &rate, travelled: &travelled };
        let constant = Length::Constant(0.1);
        for (transport, length) in [
            (Transport::Constant(200.0), constant),
            (Transport::Along(&along), constant),
            (speed, constant),
            (speed, Length::Changing(&length)),
        ] {
            let travel = Travel { transport, length };
            for k in 0..200 {
                let (xi, t) = (f64::from(k) / 199.0, 0.004 + 1e-4 * f64::from(k));
                let label = travel.label(xi, t);
                let entry = travel.entry(label, t);
                assert!((travel.place(label, t) - xi).abs() < 1e-13);
                assert!(travel.place(label, entry).abs() < 1e-12, "{xi} {t}");
                let half = travel.passes(label, 0.5 * xi, [entry, t]);
                assert!((travel.place(label, half) - 0.5 * xi).abs() < 1e-12, "{xi} {t}");
            }
        }
    }
}
