//! Small motions about a point: state space, poles, zeros, frequency response.
//!
//! Derivatives come from dual numbers, for every model and mechanism from its own statements.
mod element;
mod line;
mod system;

pub use element::{Point, Repels, element, planar};
pub use line::{LinearLine, NotLinear};
pub use system::{NoEquilibrium, equilibrium, system};
pub(crate) use system::{drift, input, jacobian, under};

use bristle_num::Dual;

/// Dual numbers of one width for all, so that models are compiled for it once.
const WIDTH: usize = 4;
type D = Dual<f64, WIDTH>;

/// The derivatives of `f` by each of the numbers `x`: calls it with some of them seeded at a time, and gives
/// `take` the column and the derivative of output k.
fn columns(x: &[f64], mut f: impl FnMut(&[D]) -> Vec<D>, mut take: impl FnMut(usize, usize, f64)) {
    for from in (0..x.len()).step_by(WIDTH) {
        let seeded: Vec<D> = x
            .iter()
            .enumerate()
            .map(|(k, x)| match k.checked_sub(from) {
                Some(i) if i < WIDTH => Dual::variable(*x, i),
                _ => Dual::from(*x),
            })
            .collect();
        for (row, y) in f(&seeded).into_iter().enumerate() {
            for (i, slope) in y.eps.into_iter().enumerate().take(x.len() - from) {
                take(row, from + i, slope);
            }
        }
    }
}
