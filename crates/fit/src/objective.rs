//! What is made small: residuals of each channel over its noise level, whitened where noise is correlated, and bounded in
//! their influence where some are far out.
use crate::passage::Filter;
use crate::{Channel, Experiment, Prediction, Refused};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// Beyond so many noise levels a residual counts by its size and no longer by its square.
const FAR: f64 = 3.0;

/// What is known of the noise of one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The level of what cannot be foretold from earlier samples, in the channel's unit.
    pub level: f64,
    /// e_k = r_k − Σ φ_i r_(k−i); empty where noise is white.
    pub recursion: Vec<f64>,
    /// What an unseen force leaves in residuals, where one moves the system.
    pub unseen: Option<Arc<Filter>>,
}

impl Noise {
    /// How many samples at the beginning only serve to foretell others.
    pub(crate) fn skipped(&self) -> usize {
        self.recursion.len()
    }

    /// What earlier samples do not foretell, of so many columns a sample, in place; the first samples are left out.
    pub(crate) fn whiten(&self, rows: &mut Vec<f64>, columns: usize) {
        let q = self.recursion.len();
        if q > 0 {
            let n = rows.len() / columns;
            for k in (q..n).rev() {
                for (i, f) in self.recursion.iter().enumerate() {
                    let from = (k - 1 - i) * columns;
                    for c in 0..columns {
                        rows[k * columns + c] -= f * rows[from + c];
                    }
                }
            }
            rows.drain(..q * columns);
        }
    }

    /// What earlier residuals do not foretell.
    pub(crate) fn innovations(&self, raw: &[f64]) -> Vec<f64> {
        let mut rows = raw.to_vec();
        self.whiten(&mut rows, 1);
        if let Some(filter) = &self.unseen {
            filter.whiten(&mut rows, 1);
        }
        rows
    }
}

/// How residuals count.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Of each channel.
    pub noise: Vec<Noise>,
    /// Whether residuals far out count by their size only.
    pub robust: bool,
    /// Which samples count, where not all do.
    pub only: Option<Vec<bool>>,
}

impl Measure {
    /// All channels in parts of the size of what they measure, in all logs that were fitted.
    pub fn plain(channels: &[Channel]) -> Self {
        let square = |c: &Channel| {
            let mean = c.measured.iter().sum::<f64>() / c.measured.len().max(1) as f64;
            c.measured.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
        };
        let level = |own: &Channel| {
            let alike = || channels.iter().filter(|c| c.name == own.name && !c.held_out);
            let n = alike().map(|c| c.measured.len()).sum::<usize>().max(1) as f64;
            (alike().map(square).sum::<f64>() / n).sqrt().max(1e-300)
        };
        let noise =
            channels.iter().map(|c| Noise { level: level(c), recursion: Vec::new(), unseen: None });
        Measure { noise: noise.collect(), robust: false, only: None }
    }
}

/// Residuals and their slopes by the scaled coordinates, ready to be squared.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub theta: Vec<f64>,
    pub cost: f64,
    /// Each over its noise level, whitened, times the root of its robust weight.
    pub residual: Vec<f64>,
    /// The same with the slopes, one row a sample.
    pub slope: Vec<f64>,
    /// JᵀJ and Jᵀr.
    pub normal: DMatrix<f64>,
    pub gradient: DVector<f64>,
    /// Measured minus predicted, of all channels, in their units.
    pub raw: Vec<f64>,
}

/// The experiment at `theta`, seen through `measure`.
pub(crate) fn evaluate(
    experiment: &dyn Experiment,
    measure: &Measure,
    theta: &[f64],
    room: &mut Prediction,
) -> Result<Point, Refused> {
    let (free, channels) = (experiment.free(), experiment.channels());
    let p = free.len();
    experiment.predict(theta, room)?;
    let scale: Vec<f64> = free.iter().zip(theta).map(|(f, t)| f.slope(*t)).collect();
    let n: usize = room.value.len();
    let mut point = Point {
        theta: theta.to_vec(),
        cost: 0.0,
        residual: Vec::with_capacity(n),
        slope: Vec::with_capacity(n * p),
        normal: DMatrix::zeros(p, p),
        gradient: DVector::zeros(p),
        raw: Vec::with_capacity(n),
    };
    let mut normal = vec![0.0; p * p];
    let mut row = vec![0.0; p];
    let mut first = 0;
    for (channel, noise) in channels.iter().zip(&measure.noise) {
        let count = channel.measured.len();
        let rows = first..first + count;
        first += count;
        let raw: Vec<f64> =
            channel.measured.iter().zip(&room.value[rows.clone()]).map(|(y, f)| y - f).collect();
        if !channel.held_out && channel.weight > 0.0 {
            // Residual and slopes of each sample, side by side, so that they are filtered alike.
            let columns = p + 1;
            let mut rows_of = Vec::with_capacity(count * columns);
            for (k, r) in raw.iter().enumerate() {
                rows_of.push(*r);
                rows_of
                    .extend_from_slice(&room.slope[(rows.start + k) * p..(rows.start + k + 1) * p]);
            }
            noise.whiten(&mut rows_of, columns);
            let scaled = channel.weight / noise.level;
            let skipped = noise.skipped() + rows.start;
            for (k, own) in rows_of.chunks_exact(columns).enumerate() {
                let counts = measure.only.as_ref().is_none_or(|only| only[skipped + k]);
                let scaled = if counts { scaled } else { 0.0 };
                let r = own[0] * scaled;
                let far = if measure.robust && r.abs() > FAR { FAR / r.abs() } else { 1.0 };
                point.cost += if far < 1.0 { FAR * (r.abs() - 0.5 * FAR) } else { 0.5 * r * r };
                let root = far.sqrt();
                for ((value, slope), s) in row.iter_mut().zip(&own[1..]).zip(&scale) {
                    *value = -slope * s * scaled * root;
                }
                for i in 0..p {
                    for j in 0..=i {
                        normal[i * p + j] += row[i] * row[j];
                    }
                    point.gradient[i] += row[i] * r * root;
                }
                point.residual.push(r * root);
                point.slope.extend_from_slice(&row);
            }
        }
        point.raw.extend(raw);
    }
    for i in 0..p {
        for j in 0..=i {
            point.normal[(i, j)] = normal[i * p + j];
            point.normal[(j, i)] = normal[i * p + j];
        }
    }
    match point.cost.is_finite() {
        true => Ok(point),
        false => Err(Refused("the residuals leave the range of numbers".into())),
    }
}
