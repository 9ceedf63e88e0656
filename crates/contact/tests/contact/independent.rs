//! Random rolling contacts, and their forces by a rule that shares nothing with the engine's.
//!
//! The outline is known by rays from the middle; what enters through it is integrated over their angle by Gauss and Kronrod's
//! rules, bisected where they differ. From each entry a bristle is followed by implicit Euler steps extrapolated to order
//! six, whose length adapts, together with the load and the forces that it meets, until it is outside.
use bristle_contact::patch::{Model, Patch, Profile, Rolling};
use bristle_kernel::bristle::{FrbdPlanar, Planar, Response};
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Full;
use bristle_kernel::{Start, Sym2};
use proptest::test_runner::TestRng;
use rand::RngExt;

pub type Case = (Patch<f64>, FrbdPlanar<f64, Full<f64, Stribeck<f64>>>, Rolling<f64>);

/// Shapes, pressures, models, laws sharp and smooth, tensors, slips, spins up to the tilting centre, speeds, and stiffness
/// over six decades.
pub fn random(rng: &mut TestRng) -> Case {
    let exponents = [1.5, 2.0, 2.0, 2.68, 4.0, 8.0, 18.0, f64::INFINITY];
    let mut exponent = || exponents[rng.random_range(0..exponents.len())];
    let (n, m) = (exponent(), exponent());
    let profiles = [
        Profile::Constant,
        Profile::Parabolic,
        Profile::Exponential,
        Profile::ParabolicExponential,
    ];
    let mut log = |from: f64, to: f64| 10f64.powf(rng.random_range(from..to));
    let (a, b, load) = (log(-2.0, -0.5), log(-2.0, -0.5), log(1.0, 5.0));
    let (gamma, v_r) = (log(0.0, 2.0), log(-1.0, 1.8));
    let (mu_d, v_s, stiffness) = (log(-0.7, 0.0), log(-1.0, 1.2), log(-0.5, 5.5));
    let slips = [log(-4.0, 0.3), log(-4.0, 0.3)];
    let pressure = profiles[rng.random_range(0..4)];
    let patch = Patch { a, b, n, m, pressure, gamma, load };
    let mut sign = || if rng.random_range(0..2) == 0 { -1.0 } else { 1.0 };
    let [sigma_x, sigma_y] = slips.map(|s| s * sign());
    let (mu_s, exponent) = (mu_d * rng.random_range(1.0..2.0), rng.random_range(0.5..2.5));
    let law = Stribeck { mu_d, mu_s, v_s, exponent, ..Stribeck::start(()) };
    let part = if rng.random_range(0..2) == 0 { 0.0 } else { rng.random_range(0.0..1.0) };
    // Friction lets a bristle go no further than a small part of the patch.
    let sigma0_xx = stiffness / a;
    let bristle = FrbdPlanar {
        sigma0_xx,
        sigma0_yy: sigma0_xx * (1.0 + part),
        sigma0_xy: 0.3 * part * sigma0_xx,
        sigma1_xx: 0.1 * part,
        sigma1_yy: 0.05 * part,
        ..FrbdPlanar::start(Full { m_xx: 1.0, m_xy: 0.2 * part, m_yy: 1.0 - 0.3 * part, law })
    };
    let models = [Model::Standard, Model::Semilinear, Model::Linear];
    let spins = rng.random_range(0..4) > 0;
    let mut spin = || if spins { rng.random_range(-0.95..0.95) } else { 0.0 };
    let (phi1, phi2) = (spin() / b.max(a), 3.0 * spin() / b.max(a));
    let model = models[rng.random_range(0..3)];
    let rolling = Rolling { model, sigma_x, sigma_y, phi1, phi2, v_r, ..Rolling::start(()) };
    (patch, bristle, rolling)
}

/// F_x, F_y, M_z in both configurations, and the load.
type Sums = [f64; 5];

fn combined(p: Sums, q: Sums, factor: f64) -> Sums {
    std::array::from_fn(|c| p[c] + factor * q[c])
}

struct Truth<'a> {
    patch: &'a Patch<f64>,
    bristle: &'a dyn Planar<f64>,
    rolling: &'a Rolling<f64>,
    phi1: f64,
    phi2: f64,
    stiffness: Sym2<f64>,
    damping: Sym2<f64>,
    tolerance: f64,
}

/// uᵉ, which is 0 inside if e is infinite.
fn power(u: f64, e: f64) -> f64 {
    match e {
        _ if e.is_infinite() => 0.0,
        _ if e.fract() == 0.0 => u.powi(e as i32),
        _ => u.powf(e),
    }
}

/// Implicit Euler steps to a step: their number falls out of the error, term by term.
const PARTS: [usize; 6] = [1, 2, 3, 4, 5, 6];

/// A bristle and what it has met.
#[derive(Clone, Copy)]
struct State {
    z: [f64; 2],
    sums: Sums,
}

impl Truth<'_> {
    /// |x/a|ⁿ + |y/b|ᵐ, or the greatest of what an infinite exponent belongs to: 1 on the outline.
    fn level(&self, [x, y]: [f64; 2]) -> f64 {
        let (u, v) = ((x / self.patch.a).abs(), (y / self.patch.b).abs());
        match self.patch.n.is_infinite() || self.patch.m.is_infinite() {
            true => u.max(v),
            false => power(u, self.patch.n) + power(v, self.patch.m),
        }
    }

    /// The outline in the direction (a cos θ, b sin θ).
    fn outline(&self, theta: f64) -> [f64; 2] {
        let (s, c) = theta.sin_cos();
        let at = |r: f64| [r * c * self.patch.a, r * s * self.patch.b];
        let (mut inside, mut outside) = (0.5, 2.0);
        while outside - inside > 2e-16 * outside {
            let middle = 0.5 * (inside + outside);
            if middle <= inside || middle >= outside {
                break;
            }
            *(if self.level(at(middle)) < 1.0 { &mut inside } else { &mut outside }) = middle;
        }
        at(0.5 * (inside + outside))
    }

    /// The pressure but for a factor.
    fn pressure(&self, [x, y]: [f64; 2]) -> f64 {
        let Patch { a, b, n, m, .. } = *self.patch;
        let (u, v) = ((x / a).abs().min(1.0), (y / b).abs().min(1.0));
        let parabola = (1.0 - power(u, n) - power(v, m)).max(0.0);
        let edge = match n.is_infinite() || m.is_infinite() {
            true => a,
            false => a * (1.0 - power(v, m)).powf(1.0 / n),
        };
        let skew = (self.patch.gamma * (x - edge)).exp();
        match self.patch.pressure {
            Profile::Constant => 1.0,
            Profile::Parabolic => parabola,
            Profile::Exponential => skew,
            Profile::ParabolicExponential => parabola * skew,
        }
    }

    fn velocity(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.phi1 * y - 1.0, -self.phi1 * x]
    }

    /// Where a bristle is `tau` metres after an entry.
    fn place(&self, entry: [f64; 2], tau: f64) -> [f64; 2] {
        if self.phi1 == 0.0 {
            return [entry[0] - tau, entry[1]];
        }
        // About the tilting centre (0, 1/φ₁), clockwise seen with φ₁ > 0.
        let (s, c) = (self.phi1 * tau).sin_cos();
        let (x, y) = (entry[0], entry[1] - 1.0 / self.phi1);
        [x * c + y * s, 1.0 / self.phi1 + y * c - x * s]
    }

    /// z′ = d − E z at a place: d and E, A and B taken at the deflection.
    fn equation(&self, at: [f64; 2], z: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
        let r = self.rolling;
        let phi = r.phi1 + r.phi2;
        let slip = [phi * at[1] - r.sigma_x, -phi * at[0] - r.sigma_y];
        let taken = match r.model {
            Model::Semilinear => [slip[0] + self.phi2 * z[1], slip[1] - self.phi2 * z[0]],
            _ => slip,
        };
        let Response { forget: a, follow: b } =
            self.bristle.response([-r.v_r * taken[0], -r.v_r * taken[1]]);
        let d = [0, 1].map(|i| -(b[i][0] * slip[0] + b[i][1] * slip[1]));
        let e = [0, 1].map(|i| {
            [a[i][0] / r.v_r - self.phi2 * b[i][1], a[i][1] / r.v_r + self.phi2 * b[i][0]]
        });
        (d, e)
    }

    /// `parts` implicit steps over [from, from + h].
    fn euler(&self, entry: [f64; 2], from: f64, h: f64, parts: usize, mut state: State) -> State {
        let step = h / parts as f64;
        for k in 1..=parts {
            let at = self.place(entry, from + step * k as f64);
            let (d, e) = self.equation(at, state.z);
            let m =
                [[1.0 + step * e[0][0], step * e[0][1]], [step * e[1][0], 1.0 + step * e[1][1]]];
            let right = [0, 1].map(|i| state.z[i] + step * d[i]);
            let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
            let z = [
                (right[0] * m[1][1] - m[0][1] * right[1]) / det,
                (m[0][0] * right[1] - m[1][0] * right[0]) / det,
            ];
            let dz = [0, 1].map(|i| d[i] - e[i][0] * z[0] - e[i][1] * z[1]);
            let (f, g) = (self.stiffness.times(z), self.damping.times(dz));
            let p = self.pressure(at);
            let [fx, fy] = [0, 1].map(|i| p * (f[i] + self.rolling.v_r * g[i]));
            let arms = [at[0] * fy - at[1] * fx, (at[0] + z[0]) * fy - (at[1] + z[1]) * fx];
            state.sums = combined(state.sums, [fx, fy, arms[0], arms[1], p], step);
            state.z = z;
        }
        state
    }

    /// What bristles meet on the way from an entry to the outside, per metre of flow.
    fn path(&self, entry: [f64; 2]) -> Sums {
        let length = self.length(entry);
        let mut state = State { z: [0.0; 2], sums: [0.0; 5] };
        let radius = self.patch.a.hypot(self.patch.b);
        let (mut tau, mut h, mut greatest, mut met) = (0.0, 0.01 * length, 1e-300f64, 1e-300f64);
        while tau < length {
            h = h.min(length - tau);
            let mut row: Vec<State> = Vec::new();
            for (i, parts) in PARTS.into_iter().enumerate() {
                let mut now = self.euler(entry, tau, h, parts, state);
                // Aitken and Neville's scheme: `row` is the line before.
                let mut line = vec![now];
                for j in 0..i {
                    let ratio = parts as f64 / PARTS[i - 1 - j] as f64 - 1.0;
                    let better = |new: f64, old: f64| new + (new - old) / ratio;
                    now = State {
                        z: std::array::from_fn(|c| better(line[j].z[c], row[j].z[c])),
                        sums: std::array::from_fn(|c| better(line[j].sums[c], row[j].sums[c])),
                    };
                    line.push(now);
                }
                row = line;
            }
            let (best, last) = (row[PARTS.len() - 1], row[PARTS.len() - 2]);
            let z = best.z[0].hypot(best.z[1]).max(greatest);
            let gain = combined(best.sums, state.sums, -1.0);
            let force = met + gain[0].hypot(gain[1]);
            let off = combined(best.sums, last.sums, -1.0);
            let error = [
                (best.z[0] - last.z[0]).hypot(best.z[1] - last.z[1]) / z,
                off[0].hypot(off[1]) / force,
                off[2].abs().max(off[3].abs()) / (force * radius),
                off[4].abs() / best.sums[4].max(1e-300),
            ];
            let error = error.into_iter().fold(0.0, f64::max) / self.tolerance;
            if error <= 1.0 || h < 1e-14 * length {
                (tau, state, greatest, met) = (tau + h, best, z, force);
            }
            h *= (0.8 * error.max(1e-6).powf(-1.0 / 6.0)).clamp(0.2, 4.0);
            if length - tau < 1e-15 * length {
                break;
            }
        }
        state.sums
    }

    /// How far bristles travel until they are outside: the first of many places, and bisection.
    fn length(&self, entry: [f64; 2]) -> f64 {
        let outside = |tau: f64| self.level(self.place(entry, tau)) > 1.0;
        let reach = match self.phi1 == 0.0 {
            true => 2.1 * self.patch.a,
            false => std::f64::consts::PI / self.phi1.abs(),
        };
        let slowest = self.velocity(entry)[0].hypot(self.velocity(entry)[1]);
        let reach = reach.min(4.0 * self.patch.a.hypot(self.patch.b) / slowest);
        // Rounding puts the entry itself on either side.
        let mut inside = 1e-12 * reach;
        let close = (0..30).map(|k| 2f64.powi(k - 40));
        let even = (1..=250).map(|k| f64::from(k) / 250.0);
        for part in close.chain(even) {
            let mut tau = part * reach;
            if tau <= inside {
                continue;
            }
            if outside(tau) {
                while tau - inside > 1e-15 * reach {
                    let middle = 0.5 * (inside + tau);
                    *(if outside(middle) { &mut tau } else { &mut inside }) = middle;
                }
                return tau;
            }
            inside = tau;
        }
        reach
    }

    /// What enters through the outline near θ makes of itself, per radian.
    fn through(&self, theta: f64) -> Sums {
        let at = self.outline(theta);
        let g = self.gradient(at);
        let (s, c) = theta.sin_cos();
        let r = (at[0] / self.patch.a).hypot(at[1] / self.patch.b);
        // Of x = r(θ)(a cos θ, b sin θ): the change with θ that keeps level at 1.
        let (ray, across) =
            ([c * self.patch.a, s * self.patch.b], [-s * self.patch.a, c * self.patch.b]);
        let dr = -r * (g[0] * across[0] + g[1] * across[1]) / (g[0] * ray[0] + g[1] * ray[1]);
        let tangent = [0, 1].map(|i| dr * ray[i] + r * across[i]);
        let v = self.velocity(at);
        // Counterclockwise, the inside is on the left.
        let inflow = v[1] * tangent[0] - v[0] * tangent[1];
        match inflow > 0.0 {
            true => self.path(at).map(|sum| sum * inflow),
            false => [0.0; 5],
        }
    }

    /// The direction in which level grows fastest.
    fn gradient(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let Patch { a, b, n, m, .. } = *self.patch;
        let (u, v) = (x / a, y / b);
        match n.is_infinite() || m.is_infinite() {
            true if u.abs() > v.abs() => [u.signum(), 0.0],
            true => [0.0, v.signum()],
            false => [
                n / a * u.signum() * u.abs().powf(n - 1.0),
                m / b * v.signum() * v.abs().powf(m - 1.0),
            ],
        }
    }

    /// By the rule of fifteen angles between two, and by how much that of seven differs.
    fn between(&self, from: f64, to: f64) -> (Sums, Sums) {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let (mut fine, mut coarse) = ([0.0; 5], [0.0; 5]);
        for (k, (node, weight)) in KRONROD.into_iter().enumerate() {
            for side in if node == 0.0 { &[0.0][..] } else { &[1.0, -1.0][..] } {
                let own = self.through(middle + side * half * node);
                fine = combined(fine, own, half * weight);
                if k % 2 == 1 {
                    coarse = combined(coarse, own, half * GAUSS[k / 2]);
                }
            }
        }
        (fine, combined(fine, coarse, -1.0))
    }
}

/// Kronrod's nodes and weights, from the end to the middle; every second is one of Gauss's seven (R. Piessens et al.,
/// QUADPACK, 1983).
const KRONROD: [(f64, f64); 8] = [
    (0.991455371120812639, 0.022935322010529225),
    (0.949107912342758525, 0.063092092629978553),
    (0.864864423359769073, 0.104790010322250184),
    (0.741531185599394440, 0.140653259715525919),
    (0.586087235467691130, 0.169004726639267903),
    (0.405845151377397167, 0.190350578064785410),
    (0.207784955007898468, 0.204432940075298892),
    (0.0, 0.209482141084727828),
];
const GAUSS: [f64; 4] =
    [0.129484966168869693, 0.279705391489276668, 0.381830050505118945, 0.417959183673469388];

/// F_x, F_y and M_z in both configurations to a tenth of `accuracy`, if that can be had.
pub fn forces((patch, bristle, rolling): &Case, accuracy: f64) -> Option<[f64; 4]> {
    let bent = rolling.model != Model::Standard;
    let own = |spin: f64| if bent { spin } else { 0.0 };
    let truth = Truth {
        patch,
        bristle,
        rolling,
        phi1: own(rolling.phi1),
        phi2: own(rolling.phi2),
        stiffness: Planar::stiffness(bristle),
        damping: Planar::damping(bristle),
        // Small moments are what is left of greater ones.
        tolerance: 1e-3 * accuracy,
    };
    let turn = std::f64::consts::FRAC_PI_4;
    let new = |from: f64, to: f64| (from, to, truth.between(from, to));
    // What jumps close to a corner, where paths touch the outline, is not between the nodes of a long arc.
    let parts = [0.0, 1.0 / 512.0, 1.0 / 64.0, 1.0 / 8.0];
    let rest = parts.iter().rev().map(|part| 1.0 - part);
    let parts: Vec<f64> = parts.into_iter().chain(rest).collect();
    let arc = |k: u32, w: &[f64]| new(turn * (f64::from(k) + w[0]), turn * (f64::from(k) + w[1]));
    let mut arcs: Vec<_> = (0..8)
        .flat_map(|k| parts.windows(2).map(move |w| (k, [w[0], w[1]])))
        .map(|(k, w)| arc(k, &w))
        .collect();
    for _ in 0..3000 {
        let all = arcs.iter().fold([0.0; 5], |sum, arc| combined(sum, arc.2.0, 1.0));
        let force = all[0].hypot(all[1]).max(1e-9 * all[4]);
        let moment = |c: usize| all[c].abs().max(0.02 * all[4] * patch.a);
        let size = |off: &Sums| {
            let parts = [off[2] / moment(2), off[3] / moment(3), off[4] / all[4]];
            parts.into_iter().fold(off[0].hypot(off[1]) / force, |most, x| most.max(x.abs()))
        };
        let off: f64 = arcs.iter().map(|arc| size(&arc.2.1)).sum();
        if off <= 0.1 * accuracy {
            return Some([0, 1, 2, 3].map(|c| all[c] * patch.load / all[4]));
        }
        let worst = arcs.iter().enumerate().map(|(i, arc)| (size(&arc.2.1), i));
        let (_, i) = worst.fold((-1.0, 0), |most, now| if now.0 > most.0 { now } else { most });
        let (from, to, _) = arcs.swap_remove(i);
        let middle = 0.5 * (from + to);
        arcs.extend([new(from, middle), new(middle, to)]);
    }
    None
}
