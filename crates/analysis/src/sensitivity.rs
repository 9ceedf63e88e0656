//! How the end of a run depends on its beginning.
//!
//! ```text
//! Ẏ = (∂f/∂y) Y,   Y(0) = 1
//! Y⁺ = (1 + (f⁺ − f⁻) ∇hᵀ/(∂h/∂t + ∇hᵀ f⁻)) Y        where the rate jumps at h(t, y) = 0
//! ```
//!
//! The variational equation is integrated along with the run, over the same steps and by the same method, with
//! ∂f/∂y from dual numbers at its stages: what comes out is the derivative of the computed run itself. At an
//! event across which the rate jumps, a branch left or a stick begun, the saltation matrix carries it over (R. I.
//! Leine, H. Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, 2004, chapter 7).
use crate::System;
use crate::linearise::jacobian;
use bristle_num::Dual;
use bristle_ode::System as _;
use bristle_ode::tableau::{MATRIX, NODES, STAGES};
use bristle_system::{AnyMechanism, Mode, Step, Watch};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Watches a run and carries the derivative of its state by the initial one.
pub struct Sensitivity {
    /// ∂y(t)/∂y(0).
    pub matrix: DMatrix<f64>,
    /// Where the last step ended at an event: the rate before anything changed there, and ∇h and ∂h/∂t.
    landing: Option<(DVector<f64>, DVector<f64>, f64)>,
}

impl Sensitivity {
    /// Of a run that begins, with so many states.
    pub fn new(states: usize) -> Self {
        Sensitivity { matrix: DMatrix::identity(states, states), landing: None }
    }
}

/// The rates at one moment.
pub fn rate(system: &System, mode: &Mode, t: f64, y: &[f64]) -> DVector<f64> {
    let mut dy = vec![0.0; y.len()];
    system.flow(mode, t, y, &mut dy);
    DVector::from_vec(dy)
}

impl Watch<AnyMechanism<f64>> for Sensitivity {
    fn step(&mut self, system: &System, step: &Step<'_>) -> ControlFlow<()> {
        let n = self.matrix.nrows();
        let h = step.end() - step.start();
        let mut matrix = DMatrix::identity(STAGES * n, STAGES * n);
        for (j, node) in NODES.iter().enumerate() {
            let t = step.start() + node * h;
            let slopes = jacobian(system, step.mode, t, &step.at(t));
            for i in 0..STAGES {
                let mut block = matrix.view_mut((i * n, j * n), (n, n));
                block -= &slopes * (h * MATRIX[i][j]);
            }
        }
        let mut right = DMatrix::zeros(STAGES * n, n);
        for i in 0..STAGES {
            right.view_mut((i * n, 0), (n, n)).copy_from(&self.matrix);
        }
        if let Some(stages) = matrix.lu().solve(&right) {
            // The last stage is the end of the step.
            self.matrix.copy_from(&stages.view(((STAGES - 1) * n, 0), (n, n)));
        }
        self.landing = step.fired.iter().position(|fired| *fired).map(|event| {
            let (t, y) = (step.end(), step.at(step.end()));
            let slope = |seed: Option<usize>| {
                let seeded = |own: bool| [f64::from(own), 0.0, 0.0, 0.0];
                let clock = Dual { re: t, eps: seeded(seed.is_none()) };
                let along: Vec<Dual<f64, 4>> =
                    (0..n).map(|k| Dual { re: y[k], eps: seeded(seed == Some(k)) }).collect();
                let mut guards = vec![Dual::from(0.0); system.guards()];
                system.contact_guards(step.mode, clock, &along, &mut guards);
                guards[event].eps[0]
            };
            let gradient = DVector::from_fn(n, |k, _| slope(Some(k)));
            (rate(system, step.mode, t, &y), gradient, slope(None))
        });
        ControlFlow::Continue(())
    }

    fn arrived(&mut self, system: &System, mode: &Mode, t: f64, y: &[f64]) {
        let Some((before, gradient, by_time)) = self.landing.take() else { return };
        let after = rate(system, mode, t, y);
        let jump = &after - &before;
        // Across a kink, where only the slope of the rate changes, what is left is rounding.
        if (0..y.len()).all(|k| jump[k].abs() <= 1e-9 * (before[k].abs() + after[k].abs())) {
            return;
        }
        let along = by_time + gradient.dot(&before);
        if along != 0.0 {
            self.matrix += &jump * (gradient.transpose() * &self.matrix) / along;
        }
    }
}
