//! A pneumatic diaphragm valve.
//!
//! ```text
//! m ẍ = S_a P − k x − F_b − F₀              000 (61a)
//! Ṗ   = (K_P OP(t) + P_min − P)/τ           000 (61b)
//! ```
//!
//! x is the stem's position, P the chamber's pressure, OP the input in per cent. The paper does not
//! print its inputs; ours are a trapezium (Test 1) and a sine (Test 2). The run starts at rest, with
//! the stem where pressure, spring and preload balance.
use crate::{Mechanism, Quantity};
use bristle_kernel::{Drive, Real};
use core::f64::consts::PI;

/// The input OP(t), per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Opening {
    /// 20 + t to 80 in 60 s, held 10 s, back in 60 s, held.
    Ramps,
    /// 50 + 30 sin(2πt/20 s).
    Sine,
}

/// A diaphragm valve and its pressure converter.
#[derive(Clone, Copy, Debug)]
pub struct Valve {
    /// moving mass m, kg
    pub mass: f64,
    /// area S_a, m²
    pub area: f64,
    /// spring stiffness k, N/m
    pub stiffness: f64,
    /// preload F₀, N
    pub preload: f64,
    /// pressure gain K_P, Pa per per cent
    pub gain: f64,
    /// least pressure P_min, Pa
    pub least: f64,
    /// time constant τ of the converter, s
    pub lag: f64,
    /// the input
    pub opening: Opening,
}

impl Valve {
    /// Table III of 000, with the time constant of Test 1 (ramps) or Test 2 (sine).
    pub fn table3(opening: Opening) -> Self {
        Valve {
            mass: 1.6,
            area: 445e-4,
            stiffness: 203_495.8,
            preload: 2578.3,
            gain: 1666.49,
            least: 41_276.40,
            lag: if opening == Opening::Ramps { 0.933 } else { 0.425 },
            opening,
        }
    }

    fn input(&self, t: f64, phase: usize) -> f64 {
        match (self.opening, phase) {
            (Opening::Sine, _) => 50.0 + 30.0 * Real::sin(2.0 * PI * t / 20.0),
            (Opening::Ramps, 0) => 20.0 + t,
            (Opening::Ramps, 1) => 80.0,
            (Opening::Ramps, 2) => 80.0 - (t - 70.0),
            (Opening::Ramps, _) => 20.0,
        }
    }
}

const QUANTITIES: [Quantity; 3] = [
    Quantity { name: "x", unit: "m" },
    Quantity { name: "v", unit: "m/s" },
    Quantity { name: "P", unit: "Pa" },
];

impl Mechanism for Valve {
    fn quantities(&self) -> &'static [Quantity] {
        &QUANTITIES
    }

    fn initial(&self, y: &mut [f64]) {
        let pressure = self.gain * self.input(0.0, 0) + self.least;
        y[0] = (self.area * pressure - self.preload) / self.stiffness;
        y[1] = 0.0;
        y[2] = pressure;
    }

    /// The coefficients of Table III carry newtons: the load is 1 N.
    #[inline(always)]
    fn drive<S: Real>(&self, _i: usize, _t: f64, _phase: usize, y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(y[1], S::from(1.0)) }
    }

    #[inline(always)]
    fn rates<S: Real>(&self, t: f64, phase: usize, y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        let spring = y[0] * self.stiffness + self.preload;
        dy[1] = (y[2] * self.area - spring - force[0]) / self.mass; // (61a)
        dy[2] = (-y[2] + (self.gain * self.input(t, phase) + self.least)) / self.lag; // (61b)
    }

    fn switch(&self, k: usize) -> f64 {
        match (self.opening, k) {
            (Opening::Ramps, 0) => 60.0,
            (Opening::Ramps, 1) => 70.0,
            (Opening::Ramps, 2) => 130.0,
            _ => f64::INFINITY,
        }
    }
}
