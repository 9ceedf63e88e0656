//! A pneumatic diaphragm valve.
//!
//! ```text
//! m ẍ = S_a P − k x − F_b − F₀              000 (61a)
//! Ṗ   = (K_P OP(t) + P_min − P)/τ           000 (61b)
//! ```
//!
//! x is the stem's position, P the chamber's pressure, OP the input in per cent. The run starts at
//! rest, with the stem where pressure, spring and preload balance.
use super::{Mechanism, Quantity, driven_by, on_ground};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A diaphragm valve and its pressure converter.
///
/// m ẍ = S_a P − k x − F − F₀ and Ṗ = (K_P OP(t) + P_min − P)/τ, where v_rel = ẋ.
#[derive(Clone, Debug, Params)]
#[params(name = "valve", title = "pneumatic diaphragm valve", source = "000 (61), Table III")]
pub struct Valve<S, L> {
    /// moving mass m
    #[param(unit = "kg", start = 1.6, range = "(0, inf)", eq = "000 (61a)")]
    pub mass: S,
    /// diaphragm area S_a
    #[param(unit = "m^2", start = 445.0e-4, range = "(0, inf)", eq = "000 (61a)")]
    pub area: S,
    /// spring stiffness k
    #[param(unit = "N/m", start = 203_495.8, range = "(0, inf)", eq = "000 (61a)")]
    pub stiffness: S,
    /// preload F₀
    #[param(unit = "N", start = 2578.3, range = "(-inf, inf)", eq = "000 (61a)")]
    pub preload: S,
    /// pressure gain K_P, per per cent of opening
    #[param(unit = "Pa", start = 1666.49, range = "(-inf, inf)", eq = "000 (61b)")]
    pub gain: S,
    /// least pressure P_min
    #[param(unit = "Pa", start = 41_276.40, range = "(-inf, inf)", eq = "000 (61b)")]
    pub least: S,
    /// time constant τ of the converter: 0.933 s in Test 1, 0.425 s in Test 2
    #[param(unit = "s", start = 0.933, range = "(0, inf)", eq = "000 (61b)")]
    pub lag: S,
    /// load on the packing; 1 N where the friction coefficients carry newtons, as in Table III
    #[param(unit = "N", start = 1.0, range = "[0, inf)", eq = "000 (61a)")]
    pub load: S,
    /// input OP(t), per cent
    #[param(nested)]
    pub drive: L,
}

const QUANTITIES: [Quantity; 3] =
    [Quantity::position("x"), Quantity::velocity("v"), Quantity::new("P", "Pa", 1e3)];

impl<L: Signal> Mechanism for Valve<f64, L> {
    driven_by!("OP", "%");

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        let rows: [&[usize]; 3] = [&[1], &[0, 2], &[2]];
        rows[k].iter().copied().for_each(on);
    }

    fn moves(&self, _i: usize, on: &mut dyn FnMut(usize)) {
        on(1);
    }

    fn sees(&self, _i: usize, on: &mut dyn FnMut(usize)) {
        (0..2).for_each(on);
    }

    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES
    }

    fn initial(&self, y: &mut [f64]) {
        let pressure = self.gain * self.drive.value(0.0, 0) + self.least;
        y[0] = (self.area * pressure - self.preload) / self.stiffness;
        y[1] = 0.0;
        y[2] = pressure;
    }

    #[inline]
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        on_ground(y, self.load)
    }

    #[inline]
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let spring = y[0] * self.stiffness + self.preload;
        let target = self.drive.value(t, phase[0]) * self.gain + self.least;
        dy[0] = y[1];
        dy[1] = (y[2] * self.area - spring - force[0]) / self.mass; // (61a)
        dy[2] = (target - y[2]) / self.lag; // (61b)
    }
}
