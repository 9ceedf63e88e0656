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
//! The paper's table (Fig. 9) is not in its text: masses, ropes and buffers are a reconstruction that
//! reproduces the numbers the text gives (docs/errata.md), and so is the tow's course in
//! `scenarios/festoon.toml`.
use super::{Contact, Mechanism, Quantity, Role, Units, driven_by};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// Three hanging cables, two trolleys, one tow.
///
/// Each trolley is a mass m_T on the rail under its two ropes, its buffers and F; each cable is a point mass m_C on two
/// ropes that only pull. v_rel is the trolley's velocity and N its weight with the vertical pull of its ropes.
#[derive(Clone, Debug, Params)]
#[params(
    name = "festoon",
    title = "festoon cable system: two trolleys, towed through hanging cable",
    source = "002 §5.1, Fig. 9"
)]
pub struct Festoon<S, L> {
    /// gravity g
    #[param(unit = "m/s^2", start = 9.81, range = "(0, inf)", eq = "002 §5.1")]
    pub gravity: S,
    /// mass of a trolley m_T
    #[param(unit = "kg", start = 0.4426, range = "(0, inf)", eq = "002 §5.1")]
    pub trolley: S,
    /// mass of a hanging cable m_C
    #[param(unit = "kg", start = 1.8, range = "(0, inf)", eq = "002 §5.1")]
    pub cable: S,
    /// unloaded length of a rope l₀
    #[param(unit = "m", start = 1.0, range = "(0, inf)", eq = "002 §5.1")]
    pub length: S,
    /// stiffness of a rope k
    #[param(unit = "N/m", start = 9000.0, range = "(0, inf)", eq = "002 §5.1")]
    pub stiffness: S,
    /// damping of a rope c
    #[param(unit = "N*s/m", start = 60.0, range = "[0, inf)", eq = "002 §5.1")]
    pub damping: S,
    /// spacing below which buffers act
    #[param(unit = "m", start = 0.2, range = "[0, inf)", eq = "002 §5.1")]
    pub buffer: S,
    /// stiffness of a buffer
    #[param(unit = "N/m", start = 20_000.0, range = "[0, inf)", eq = "002 §5.1")]
    pub buffer_stiffness: S,
    /// damping of a buffer
    #[param(unit = "N*s/m", start = 100.0, range = "[0, inf)", eq = "002 §5.1")]
    pub buffer_damping: S,
    /// position of the tow at t = 0
    #[param(unit = "m", start = 1.5529, range = "(0, inf)", eq = "002 §5.2")]
    pub start: S,
    /// velocity of the tow, m/s
    #[param(nested)]
    pub drive: L,
}

/// Places of the states: trolley i at 2i, its velocity after it; cable j at 4 + 4j: x, z and their
/// velocities.
const QUANTITIES: [Quantity; 16] = [
    Quantity::position("x_T1"),
    Quantity::velocity("v_T1"),
    Quantity::position("x_T2"),
    Quantity::velocity("v_T2"),
    Quantity::position("x_C1"),
    Quantity::position("z_C1"),
    Quantity::velocity("vx_C1"),
    Quantity::velocity("vz_C1"),
    Quantity::position("x_C2"),
    Quantity::position("z_C2"),
    Quantity::velocity("vx_C2"),
    Quantity::velocity("vz_C2"),
    Quantity::position("x_C3"),
    Quantity::position("z_C3"),
    Quantity::velocity("vx_C3"),
    Quantity::velocity("vz_C3"),
];

const CONTACTS: [Contact; 2] = [
    Contact { name: "T1", role: Role::Friction, units: Units::LINE },
    Contact { name: "T2", role: Role::Friction, units: Units::LINE },
];
const OUTPUTS: [Quantity; 1] = [Quantity::position("x_TT")];

impl<L: Signal> Festoon<f64, L> {
    /// Position and velocity of the tow.
    #[inline]
    pub fn tow<S: Real>(&self, t: S, phase: &[usize]) -> (S, S) {
        (self.drive.integral(t, phase[0]) + self.start, self.drive.value(t, phase[0]))
    }

    /// How the rope to cable `j` pulls its anchor, which is at `x` and moves at `v`: along x and down.
    #[inline(always)]
    fn rope<S: Real>(&self, (x, v): (S, S), j: usize, y: &[S]) -> (S, S) {
        let c = &y[4 + 4 * j..];
        let (dx, dz) = (c[0] - x, c[1]);
        // A rope is neither so short nor so long that squares could leave the range of numbers.
        let length = (dx.sq() + dz.sq()).sqrt();
        let inverse = S::from(1.0) / length;
        let (nx, nz) = (dx * inverse, dz * inverse);
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

impl<L: Signal> Mechanism for Festoon<f64, L> {
    driven_by!("v_TT", "m/s");

    /// Trolleys feel the cables and trolleys beside them, cables the trolleys that they hang on.
    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        let trolley = |i: usize| 2 * i..2 * i + 2;
        let cable = |j: usize| 4 + 4 * j..8 + 4 * j;
        match k {
            0 | 2 => on(k + 1),
            1 | 3 => {
                let i = k / 2;
                (0..4).chain(cable(i)).chain(cable(i + 1)).for_each(on);
            }
            _ if (k - 4) % 4 < 2 => on(k + 2),
            _ => {
                let j = (k - 4) / 4;
                (j.saturating_sub(1)..(j + 1).min(2))
                    .flat_map(trolley)
                    .chain(cable(j))
                    .for_each(on);
            }
        }
    }

    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        on(2 * i + 1);
    }

    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        (2 * i..2 * i + 2).chain(4 + 4 * i..12 + 4 * i).for_each(on);
    }

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES
    }

    fn contacts(&self) -> &[Contact] {
        &CONTACTS
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
    fn drive<S: Real>(&self, i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        let trolley = (y[2 * i], y[2 * i + 1]);
        let left = self.rope(trolley, i, y).1;
        let right = self.rope(trolley, i + 1, y).1;
        let load = left + right + self.trolley * self.gravity;
        Drive { x: y[2 * i], ..Drive::new(y[2 * i + 1], load) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let zero = S::from(0.0);
        // Position and velocity of what is on the rail, from the clamp to the tow.
        let rail = [(zero, zero), (y[0], y[1]), (y[2], y[3]), self.tow(t, phase)];
        // What pulls each place of the rail along x.
        let mut along = [zero; 4];
        for j in 0..3 {
            let (lx, lz) = self.rope(rail[j], j, y);
            let (rx, rz) = self.rope(rail[j + 1], j, y);
            along[j] += lx;
            along[j + 1] += rx;
            let c = 4 + 4 * j;
            dy[c] = y[c + 2];
            dy[c + 1] = y[c + 3];
            dy[c + 2] = -(lx + rx) / self.cable;
            dy[c + 3] = -(lz + rz) / self.cable + self.gravity;
            let ((x0, v0), (x1, v1)) = (rail[j], rail[j + 1]);
            let push = self.buffer(x1 - x0, v1 - v0);
            along[j] = along[j] - push;
            along[j + 1] += push;
        }
        for i in 0..2 {
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = (along[i + 1] - force[i]) / self.trolley;
        }
    }

    fn outputs(&self) -> &[Quantity] {
        &OUTPUTS
    }

    fn output(&self, t: f64, phase: &[usize], _y: &[f64], _force: &[f64], out: &mut [f64]) {
        out[0] = self.tow(t, phase).0;
    }
}
