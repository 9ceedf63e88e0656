//! Design of the experiment: which of given motions determine the parameters.
//!
//! ```text
//! M = Σ_i M_i,   M_i = J_iᵀJ_i/σ²,   the next motion is the one that raises ln det M most
//! ```
//!
//! D-optimal choice, one motion at a time; J by the scaled coordinates of the search, so that a factor counts alike for all
//! parameters. A. C. Atkinson, A. N. Donev, Optimum Experimental Designs, 1992, chapters 9 and 11.
use crate::{Experiment, Prediction, Refused};
use nalgebra::DMatrix;

/// A motion that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The channel, by its number in the experiment.
    pub channel: usize,
    /// The 95 % half-width of each parameter over its value (of one of any sign, over its size) with all motions chosen so
    /// far; infinite where they leave it open.
    pub half_widths: Vec<f64>,
}

/// Before there is any motion, coordinates are known to within a factor of e¹⁰.
const NOTHING_KNOWN: f64 = 1e-2;

/// The best `count` of the channels of an experiment, the most telling first, if its parameters are `theta` and the noise of
/// each channel is `noise`, in its unit. A motion may be chosen again.
pub fn choose(
    experiment: &dyn Experiment,
    theta: &[f64],
    noise: f64,
    count: usize,
) -> Result<Vec<Choice>, Refused> {
    let mut out = Prediction::default();
    experiment.predict(theta, &mut out)?;
    let free = experiment.free();
    let p = free.len();
    let scale: Vec<f64> = free.iter().zip(theta).map(|(f, t)| f.slope(*t) / noise).collect();
    let mut row = 0;
    let information: Vec<DMatrix<f64>> = experiment
        .channels()
        .iter()
        .map(|channel| {
            let rows = row..row + channel.measured.len();
            row = rows.end;
            let slopes = DMatrix::from_fn(rows.len(), p, |k, i| {
                out.slope[(rows.start + k) * p + i] * scale[i]
            });
            slopes.transpose() * slopes
        })
        .collect();
    let mut known = DMatrix::identity(p, p) * NOTHING_KNOWN;
    let mut chosen = Vec::new();
    let volume =
        |m: DMatrix<f64>| m.symmetric_eigenvalues().iter().map(|l| l.max(1e-300).ln()).sum::<f64>();
    for _ in 0..count {
        let gain = |i: &usize| volume(&known + &information[*i]);
        let best = (0..information.len()).max_by(|a, b| gain(a).total_cmp(&gain(b)));
        let Some(channel) = best else { break };
        known += &information[channel];
        let inverse = known.clone().try_inverse();
        let half_widths = (0..p)
            .map(|i| {
                let variance = inverse.as_ref().map_or(f64::INFINITY, |m| m[(i, i)]);
                // What is hardly better known than before is open.
                if variance > 0.5 / NOTHING_KNOWN { f64::INFINITY } else { 1.96 * variance.sqrt() }
            })
            .collect();
        chosen.push(Choice { channel, half_widths });
    }
    Ok(chosen)
}
