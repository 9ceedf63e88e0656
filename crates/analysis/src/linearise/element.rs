//! A friction element about a sliding velocity and a state.
//!
//! ```text
//! z̃˙ = −(σ₀|v*|_ε/g) z̃ + H₁(z*, v*) ṽ,   μ̃_b = σ̄₀(v*) z̃ + H₂(z*, v*) ṽ      000 (28), (29)
//! ```
//!
//! for one Kelvin-Voigt bristle; likewise for every other model.
use super::{D, columns};
use crate::{Label, StateSpace};
use bristle_kernel::{AnyBristle, AnyPlanar, Bristle, Cast, Drive, Slip};
use nalgebra::DMatrix;
use std::fmt;

/// Where a friction element is linearised.
#[derive(Clone, Debug)]
pub struct Point {
    /// Velocity, load, position and mode.
    pub at: Drive<f64>,
    /// The state z*.
    pub z: Vec<f64>,
    /// The force there, N.
    pub force: f64,
}

/// Steady sliding repels: nothing stays near it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repels {
    /// The model.
    pub model: &'static str,
    /// The velocity, m/s.
    pub v: f64,
}

impl fmt::Display for Repels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repels { model, v } = self;
        write!(
            f,
            "steady sliding of `{model}` at v = {v} m/s repels, so that no small motion stays near it: its law \
             falls faster than sigma1 damps; take a speed where the law falls less, or more sigma1"
        )
    }
}

impl std::error::Error for Repels {}

impl Point {
    /// Steady sliding at `v` under `load`; at v = 0 the undeflected state.
    pub fn steady(model: &AnyBristle<f64>, v: f64, load: f64) -> Result<Self, Repels> {
        let at = Drive::new(v, load);
        if !model.attracts(&at) {
            return Err(Repels { model: model.info().name, v });
        }
        let mut z = vec![0.0; model.states()];
        model.steady(&at, &mut z);
        Ok(Self::new(model, at, z))
    }

    /// This drive and state, with the mode that belongs to them.
    pub fn new(model: &AnyBristle<f64>, at: Drive<f64>, z: Vec<f64>) -> Self {
        let at = Drive { mode: model.begin(&at, &z), ..at };
        let force = model.eval(&at, &z, &mut vec![0.0; z.len()]);
        Point { at, z, force }
    }
}

/// A, B, C, D of an element along a line: from the velocity v to the friction force F.
///
/// Where a model has a kink, as at v = 0, derivatives are those for rising v.
pub fn element(model: &AnyBristle<f64>, point: &Point) -> StateSpace {
    let dual = model.cast(&mut |x| D::from(x));
    let at = &point.at;
    let names = |i: usize| {
        let variable = model.variable(i);
        Label::new(variable.to_string(), variable.unit)
    };
    assemble(point.z.len(), ["v"], ["F"], names, &point.z, [at.v], |z, [v]| {
        let drive = Drive {
            x: at.x.into(),
            mode: at.mode.map(D::from),
            injection: at.injection.into(),
            ..Drive::new(v, at.load.into())
        };
        let mut dz = vec![D::from(0.0); z.len()];
        let force = dual.eval(&drive, z, &mut dz);
        (dz, [force])
    })
}

/// The same of an element in a plane, in steady sliding at `v` under `load`: from v_x, v_y to F_x, F_y.
pub fn planar(model: &AnyPlanar<f64>, v: [f64; 2], load: f64) -> StateSpace {
    let dual = model.cast(&mut |x| D::from(x));
    let mut z = vec![0.0; model.states()];
    model.steady(&Drive::new(v, load), &mut z);
    let names = |i: usize| {
        let variable = model.variable(i);
        Label::new(variable.to_string(), variable.unit)
    };
    assemble(z.len(), ["v_x", "v_y"], ["F_x", "F_y"], names, &z, v, |z, v| {
        let drive: Drive<D, [D; 2]> = Drive::new(v, load.into());
        let mut dz = vec![D::from(0.0); z.len()];
        let force = dual.eval(&drive, z, &mut dz);
        (dz, [0, 1].map(|i| Slip::<D>::get(&force, i)))
    })
}

/// The matrices of ż = f(z, v), F = g(z, v).
fn assemble<const M: usize>(
    n: usize,
    inputs: [&str; M],
    outputs: [&str; M],
    state: impl Fn(usize) -> Label,
    z: &[f64],
    v: [f64; M],
    eval: impl Fn(&[D], [D; M]) -> (Vec<D>, [D; M]),
) -> StateSpace {
    let mut whole = DMatrix::zeros(n + M, n + M);
    let x: Vec<f64> = z.iter().chain(&v).copied().collect();
    let f = |x: &[D]| {
        let (mut dz, force) = eval(&x[..n], core::array::from_fn(|i| x[n + i]));
        dz.extend(force);
        dz
    };
    columns(&x, f, |row, column, slope| whole[(row, column)] = slope);
    StateSpace {
        a: whole.view((0, 0), (n, n)).into(),
        b: whole.view((0, n), (n, M)).into(),
        c: whole.view((n, 0), (M, n)).into(),
        d: whole.view((n, n), (M, M)).into(),
        states: (0..n).map(state).collect(),
        inputs: inputs.iter().map(|name| Label::new(*name, "m/s")).collect(),
        outputs: outputs.iter().map(|name| Label::new(*name, "N")).collect(),
    }
}
