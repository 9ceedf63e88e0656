//! What a rolling does to the bristles of a patch: the slip velocity of 004, written down once.
use super::flow::Flow;
use super::matrix::times;
use super::{Counterpart, Model, Rolling};
use bristle_kernel::{Matrix2, Real, Response};

/// What drives the bristles, per metre travelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<S> {
    /// σ, the translational slip.
    pub sigma: [S; 2],
    /// φ, the total spin slip, 1/m.
    pub phi: S,
    /// φ₂, 1/m, as far as the model feels it.
    pub phi2: S,
    /// V_r, m/s.
    pub speed: S,
    /// Whether friction is taken at the velocity that a bristle feels, as in Model 2, and that depends on its deflection.
    pub feels: bool,
    /// The way bristles travel.
    pub flow: Flow<S>,
}

impl<S: Real> Motion<S> {
    /// That of a rolling, 004 §3.3.
    pub fn new(r: &Rolling<S>) -> Self {
        let zero = S::from(0.0);
        let (phi1, phi2) = match r.counterpart {
            Counterpart::Rigid => (r.phi1, r.phi2),
            Counterpart::Similar => ((r.phi1 - r.phi2) * 0.5, (r.phi2 - r.phi1) * 0.5),
        };
        let across = (S::from(1.0) - r.epsilon_x * r.epsilon_x).max(zero).sqrt();
        let (flow, phi2) = match r.model {
            Model::Standard => (Flow { phi1: zero, epsilon: [zero, S::from(1.0)] }, zero),
            _ => (Flow { phi1, epsilon: [r.epsilon_x, across] }, phi2),
        };
        let (sigma, phi) = ([r.sigma_x, r.sigma_y], r.phi1 + r.phi2);
        let feels = r.model == Model::Semilinear && phi2 != zero;
        Motion { sigma, phi, phi2, speed: r.v_r, feels, flow }
    }

    /// The rigid slip velocity v̄ at a place, 004 (41).
    #[inline(always)]
    pub fn slip(&self, [x, y]: [S; 2]) -> [S; 2] {
        [self.phi * y - self.sigma[0], -(self.phi * x) - self.sigma[1]]
    }

    /// The slip velocity v̄_r of a bristle that is deflected by z where the rigid one is `slip`, 004 (50).
    #[inline(always)]
    pub fn felt(&self, slip: [S; 2], z: [S; 2]) -> [S; 2] {
        [slip[0] + self.phi2 * z[1], slip[1] - self.phi2 * z[0]]
    }

    /// The velocity of sliding, m/s, that A and B are taken at: −V_r v̄ in Models 1 and 3, 004 (44), (55); −V_r v̄_r in Model 2, (52).
    #[inline(always)]
    pub fn sliding(&self, slip: [S; 2], z: [S; 2]) -> [S; 2] {
        let slip = if self.feels { self.felt(slip, z) } else { slip };
        slip.map(|v| -(v * self.speed))
    }

    /// E and d of z′ = d − E z: E = A/V_r + φ₂B[[0, 1], [−1, 0]], d = −Bv̄.
    #[inline(always)]
    pub fn equation(&self, r: &Response<S>, slip: [S; 2]) -> (Matrix2<S>, [S; 2]) {
        let (pace, Response { forget: a, follow: b }) = (S::from(1.0) / self.speed, r);
        let row =
            |i: usize| [a[i][0] * pace - self.phi2 * b[i][1], a[i][1] * pace + self.phi2 * b[i][0]];
        ([row(0), row(1)], times(b, slip).map(|d| -d))
    }
}

impl Motion<f64> {
    /// The same in another scalar.
    pub fn cast<S: Real>(&self, f: impl Fn(f64) -> S) -> Motion<S> {
        Motion {
            sigma: self.sigma.map(&f),
            phi: f(self.phi),
            phi2: f(self.phi2),
            speed: f(self.speed),
            feels: self.feels,
            flow: self.flow.cast(&f),
        }
    }

    /// Whether bristles stay undeflected.
    pub fn is_free(&self) -> bool {
        self.sigma == [0.0; 2] && self.phi == 0.0
    }

    /// Whether all bristles see the same slip and travel along x.
    pub fn is_spinless(&self) -> bool {
        self.phi == 0.0 && self.phi2 == 0.0 && self.flow.is_along_x()
    }

    /// Where v̄_r vanishes for a bristle that is deflected by z, if it does.
    pub fn zero_of_slip(&self, z: [f64; 2]) -> Option<[f64; 2]> {
        let [sx, sy] = self.sigma;
        (self.phi != 0.0)
            .then(|| [-(sy + self.phi2 * z[0]) / self.phi, (sx - self.phi2 * z[1]) / self.phi])
    }

    /// The greatest speed of sliding, m/s, of bristles no further than `radius` from the middle and deflected by no more than `z`.
    pub fn fastest(&self, radius: f64, z: f64) -> f64 {
        let slip = self.sigma[0].hypot(self.sigma[1]) + self.phi.abs() * radius;
        self.speed * (slip + self.phi2.abs() * z)
    }
}
