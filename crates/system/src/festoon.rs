//! A festoon cable system: two cable trolleys on a rail, towed by a third through hanging cable.
//!
//! ```text
//! clamp ─ C1 ─ T1 ─ C2 ─ T2 ─ C3 ─ TT      002 §5.1, Fig. 9
//! ```
//!
//! Between neighbours on the rail hangs a point mass on two ropes, which only pull: a rope of length l
//! from anchor A to mass C pulls with
//!
//! ```text
//! F_e = max(k (l − l₀), 0),   F_d = clamp(c l̇, −F_e, F_e),   F = F_e + F_d,
//! ```
//!
//! the damping limited to the elastic part (as 002 takes it from its reference 11). Trolleys carry their weight
//! and the vertical parts of their ropes, so the normal force varies. Rubber buffers act between
//! neighbours on the rail that come closer than their length. z points down.
//!
//! The paper's table (Fig. 9) is not in its text: masses, ropes, buffers and the tow's course are a
//! reconstruction that reproduces the numbers the text gives.
use crate::{Mechanism, Quantity};
use bristle_kernel::{Drive, Real};

/// Three hanging cables, two trolleys, one tow.
#[derive(Clone, Copy, Debug)]
pub struct Festoon {
    /// gravity g, m/s²
    pub gravity: f64,
    /// mass of a trolley m_T, kg
    pub trolley: f64,
    /// mass of a hanging cable m_C, kg
    pub cable: f64,
    /// unloaded length of a rope l₀, m
    pub length: f64,
    /// stiffness of a rope k, N/m
    pub stiffness: f64,
    /// damping of a rope c, N·s/m
    pub damping: f64,
    /// spacing below which buffers act, m
    pub buffer: f64,
    /// stiffness of a buffer, N/m
    pub buffer_stiffness: f64,
    /// damping of a buffer, N·s/m
    pub buffer_damping: f64,
    /// initial position of the tow, m
    pub start: f64,
}

impl Default for Festoon {
    /// The reconstruction of docs/errata.md.
    fn default() -> Self {
        Festoon {
            gravity: 9.81,
            trolley: 0.4426,
            cable: 1.8,
            length: 1.0,
            stiffness: 9000.0,
            damping: 60.0,
            buffer: 0.2,
            buffer_stiffness: 20_000.0,
            buffer_damping: 100.0,
            start: 1.5529,
        }
    }
}

/// The tow's velocity: straight lines through these points (s, m/s). To and fro by 0.5 m, then out.
const COURSE: [(f64, f64); 14] = [
    (0.0, 0.0),
    (3.0, 0.0),
    (3.5, 0.5 / 2.88),
    (5.88, 0.5 / 2.88),
    (6.38, 0.0),
    (7.6, 0.0),
    (8.1, -0.5 / 3.435),
    (11.035, -0.5 / 3.435),
    (11.535, 0.0),
    (14.0, 0.0),
    (15.0, 0.7),
    (18.8, 0.7),
    (19.0, 0.0),
    (24.0, 0.0),
];

/// Places of the states: trolley i at 2i, its velocity after it; cable j at 4 + 4j: x, z and their
/// velocities.
const QUANTITIES: [Quantity; 16] = {
    const fn q(name: &'static str, unit: &'static str) -> Quantity {
        Quantity { name, unit }
    }
    [
        q("x_T1", "m"),
        q("v_T1", "m/s"),
        q("x_T2", "m"),
        q("v_T2", "m/s"),
        q("x_C1", "m"),
        q("z_C1", "m"),
        q("vx_C1", "m/s"),
        q("vz_C1", "m/s"),
        q("x_C2", "m"),
        q("z_C2", "m"),
        q("vx_C2", "m/s"),
        q("vz_C2", "m/s"),
        q("x_C3", "m"),
        q("z_C3", "m"),
        q("vx_C3", "m/s"),
        q("vz_C3", "m/s"),
    ]
};

impl Festoon {
    /// Position and velocity of the tow.
    pub fn tow(&self, t: f64, phase: usize) -> (f64, f64) {
        let mut x = self.start;
        let last = phase.min(COURSE.len() - 2);
        for pair in COURSE.windows(2).take(last) {
            x += 0.5 * (pair[0].1 + pair[1].1) * (pair[1].0 - pair[0].0);
        }
        let ((t0, v0), (t1, v1)) = (COURSE[last], COURSE[last + 1]);
        let s = t - t0;
        let slope = (v1 - v0) / (t1 - t0);
        (x + s * (v0 + 0.5 * slope * s), v0 + slope * s)
    }

    /// Position and velocity of what is on the rail, from the clamp (0) to the tow (3).
    #[inline(always)]
    fn rail<S: Real>(&self, i: usize, t: f64, phase: usize, y: &[S]) -> (S, S) {
        match i {
            0 => (S::from(0.0), S::from(0.0)),
            3 => {
                let (x, v) = self.tow(t, phase);
                (S::from(x), S::from(v))
            }
            i => (y[2 * i - 2], y[2 * i - 1]),
        }
    }

    /// How the rope from the rail's `anchor` to cable `j` pulls its anchor: along x and down.
    #[inline(always)]
    fn rope<S: Real>(&self, anchor: usize, j: usize, t: f64, phase: usize, y: &[S]) -> (S, S) {
        let (x, v) = self.rail(anchor, t, phase, y);
        let c = &y[4 + 4 * j..];
        let (dx, dz) = (c[0] - x, c[1]);
        let length = dx.hypot(dz);
        let (nx, nz) = (dx / length, dz / length);
        let rate = nx * (c[2] - v) + nz * c[3];
        let elastic = ((length - self.length) * self.stiffness).max(S::from(0.0));
        let damped = (rate * self.damping).max(-elastic).min(elastic);
        let pull = elastic + damped;
        (pull * nx, pull * nz)
    }

    /// The force with which a buffer pushes the right one of two neighbours, given their spacing.
    #[inline(always)]
    fn buffer<S: Real>(&self, spacing: S, rate: S) -> S {
        let zero = S::from(0.0);
        let elastic = ((-spacing + self.buffer) * self.buffer_stiffness).max(zero);
        let damped = (-(rate * self.buffer_damping)).max(-elastic).min(elastic);
        elastic + damped
    }
}

impl Mechanism for Festoon {
    fn quantities(&self) -> &'static [Quantity] {
        &QUANTITIES
    }

    fn contacts(&self) -> usize {
        2
    }

    /// Equal spacing, cables hanging in the middle in equilibrium.
    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
        let third = self.start / 3.0;
        (y[0], y[2]) = (third, 2.0 * third);
        // 2k(l − l₀) z/l = m_C g, l² = (third/2)² + z²: the sag by bisection.
        let half = 0.5 * third;
        let pull = |z: f64| {
            let l = Real::hypot(half, z);
            2.0 * self.stiffness * (l - self.length) * z / l - self.cable * self.gravity
        };
        let (mut lo, mut hi) = (0.0, 2.0 * self.length);
        for _ in 0..200 {
            let middle = 0.5 * (lo + hi);
            *if pull(middle) < 0.0 { &mut lo } else { &mut hi } = middle;
        }
        for j in 0..3 {
            y[4 + 4 * j] = (j as f64 + 0.5) * third;
            y[5 + 4 * j] = hi;
        }
    }

    #[inline(always)]
    fn drive<S: Real>(&self, i: usize, t: f64, phase: usize, y: &[S]) -> Drive<S> {
        let left = self.rope(i + 1, i, t, phase, y).1;
        let right = self.rope(i + 1, i + 1, t, phase, y).1;
        let load = left + right + self.trolley * self.gravity;
        Drive { x: y[2 * i], ..Drive::new(y[2 * i + 1], load) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, t: f64, phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        let zero = S::from(0.0);
        // What pulls each place of the rail along x.
        let mut along = [zero; 4];
        for j in 0..3 {
            let (lx, lz) = self.rope(j, j, t, phase, y);
            let (rx, rz) = self.rope(j + 1, j, t, phase, y);
            along[j] += lx;
            along[j + 1] += rx;
            let c = 4 + 4 * j;
            dy[c] = y[c + 2];
            dy[c + 1] = y[c + 3];
            dy[c + 2] = -(lx + rx) / self.cable;
            dy[c + 3] = -(lz + rz) / self.cable + self.gravity;
            let ((x0, v0), (x1, v1)) = (self.rail(j, t, phase, y), self.rail(j + 1, t, phase, y));
            let push = self.buffer(x1 - x0, v1 - v0);
            along[j] = along[j] - push;
            along[j + 1] += push;
        }
        for i in 0..2 {
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = (along[i + 1] - force[i]) / self.trolley;
        }
    }

    fn switch(&self, k: usize) -> f64 {
        COURSE.get(k + 1).map_or(f64::INFINITY, |p| p.0)
    }
}
