//! What a fit says: intervals that are true, or none.
//!
//! ```text
//! C = H⁻¹,  H = JᵀJ over noise levels;   S = H⁻¹ (Σ_l w_l Γ_l) H⁻¹,  Γ_l = Σ_k g_k g_(k+l)ᵀ,  g_k = J_kᵀ e_k
//! ```
//!
//! C holds for noise as it was taken to be; S (W. Newey, K. West, Econometrica 55, 1987, 703-708) also where its level
//! changes along the log or some correlation is left. The larger of the two counts for each parameter. Intervals follow the
//! profile of the residuals: the others are fitted anew at each end.
use crate::fit::{COLOURED, LAGS, Options, split};
use crate::noise::{colour, correlation};
use crate::objective::{Measure, Noise, Point};
use crate::search::{Ended, Search};
use crate::{Channel, Free, Scale};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// How well the data determine a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// Within 20 % or better.
    Determined,
    /// Worse than 20 %.
    Hardly,
    /// Not at all: its size is open.
    Undetermined,
    /// It ended at this bound, where intervals mean nothing.
    AtBound(f64),
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// What was free.
    pub free: Free,
    /// Its value at the best fit.
    pub value: f64,
    /// Its standard error, where one can be given.
    pub error: Option<f64>,
    /// Its 95 % interval, where one can be given.
    pub interval: Option<[f64; 2]>,
    /// How well it is determined.
    pub standing: Standing,
}

/// How a channel was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Root mean square of the residuals, in the channel's unit.
    pub rms: f64,
    /// Mean absolute residual.
    pub mean: f64,
    /// Correlation of residuals one sample apart.
    pub lag_one: f64,
    /// Whether residuals are correlated beyond chance.
    pub coloured: bool,
    /// Its noise.
    pub noise: Noise,
    /// Correlation of the innovations one sample apart.
    pub left: f64,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// All that was free.
    pub estimates: Vec<Estimate>,
    /// Correlation of the estimates; of those without an interval it is NaN.
    pub correlation: DMatrix<f64>,
    /// How each channel was fitted.
    pub channels: Vec<(Channel, Quality)>,
    /// Measured minus predicted, channel after channel.
    pub residuals: Vec<f64>,
    /// What the data do not determine, in words.
    pub undetermined: Vec<String>,
    /// What else to know, in words.
    pub remarks: Vec<String>,
    /// Why the search ended.
    pub ended: Ended,
    /// From how many of the starts followed it ended here.
    pub agree: usize,
    /// How often the experiment was predicted.
    pub evaluations: usize,
    /// Akaike's criterion with its correction for few samples, and
    pub aic: f64,
    /// Schwarz's. Less is better.
    pub bic: f64,
    /// Why no intervals are given at all, if so.
    pub refused: Option<String>,
}

impl Fitted {
    /// The values.
    pub fn theta(&self) -> Vec<f64> {
        self.estimates.iter().map(|e| e.value).collect()
    }

    /// The estimate of that name.
    pub fn estimate(&self, name: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|e| e.free.name == name)
    }

    /// Root mean square of the residuals of all channels that were fitted, or that were held out; each in its unit,
    /// so it means something where all share one.
    pub fn rms(&self, held_out: bool) -> Option<f64> {
        let (mut square, mut count) = (0.0, 0);
        for (channel, quality) in self.channels.iter().filter(|(c, _)| c.held_out == held_out) {
            square += quality.rms * quality.rms * channel.measured.len() as f64;
            count += channel.measured.len();
        }
        (count > 0).then(|| (square / count as f64).sqrt())
    }
}

/// 97.5 % of a normal distribution lie below.
const TWO_SIDED: f64 = 1.959_963_985;
/// Half an interval beyond this part of the value is wide.
const HARDLY: f64 = 0.2;
/// Estimates that are correlated by more than this take each other's place.
const ALIKE: f64 = 0.8;
/// A direction along which coordinates may move by more than this standard error is lost.
const LOST: f64 = 0.5;
/// An unseen force above this part of the known one is no noise.
const SMALL_BESIDE: f64 = 0.03;
/// A model that leaves more than this part of what was measured does not describe it.
const LEFT_OVER: f64 = 0.5;
/// Innovations correlated by more than this are no innovations.
const STILL_COLOURED: f64 = 0.3;

pub(crate) fn verdict(
    mut search: Search<'_>,
    options: &Options,
    measure: Measure,
    point: Point,
    ended: Ended,
    agree: usize,
    outliers: bool,
) -> Fitted {
    let experiment = search.experiment;
    let (free, channels) = (experiment.free(), experiment.channels());
    let p = free.len();
    let qualities: Vec<Quality> = measure
        .noise
        .iter()
        .zip(split(channels, &point.raw))
        .map(|(noise, raw)| {
            let n = raw.len().max(1) as f64;
            Quality {
                rms: (raw.iter().map(|r| r * r).sum::<f64>() / n).sqrt(),
                mean: raw.iter().map(|r| r.abs()).sum::<f64>() / n,
                lag_one: correlation(raw, 1)[1],
                coloured: raw.len() > 3 * LAGS && colour(raw, LAGS) > COLOURED,
                noise: noise.clone(),
                left: noise.left(raw),
            }
        })
        .collect();
    let mut remarks = Vec::new();
    let mut refused = None;
    for ((channel, q), raw) in channels.iter().zip(&qualities).zip(split(channels, &point.raw)) {
        if !channel.serial || channel.held_out {
            continue;
        }
        if let Some(filter) = &q.noise.unseen {
            let force = filter.ratio * root_mean(&q.noise.innovations(raw));
            if force > SMALL_BESIDE * experiment.drive() {
                refused = Some(format!(
                    "only an unseen force of about {force:.2} N, new at every sample, would explain the residuals of {}, and \
                     that is not small beside what drives it: the model is wrong, or the search ended in a wrong place; give \
                     other starts or another model",
                    channel.name
                ));
            } else {
                remarks.push(format!(
                    "an unseen force of about {force:.2} N, new at every sample, moves the body; residuals of {} remember it \
                     ({:.3} from sample to sample), and intervals allow for it",
                    channel.name, q.lag_one
                ));
            }
            if q.left.abs() > STILL_COLOURED {
                refused = Some(format!(
                    "residuals of {} are correlated ({:.2} from sample to sample) in a way that no unseen force describes",
                    channel.name, q.left
                ));
            }
        } else if q.coloured && q.noise.recursion.is_empty() {
            refused = Some(format!(
                "residuals of {} are correlated ({:.2} from sample to sample), and not as noise is: the model leaves something out",
                channel.name, q.lag_one
            ));
        } else if q.coloured {
            remarks.push(format!(
                "residuals of {} are correlated ({:.2} from sample to sample): something moves it that the model does not \
                 know; the correlation is estimated (order {}) and intervals allow for it",
                channel.name, q.lag_one, q.noise.recursion.len()
            ));
            if q.left.abs() > STILL_COLOURED {
                refused = Some(format!(
                    "residuals of {} are correlated in a way that no autoregression of order {} describes",
                    channel.name,
                    q.noise.recursion.len()
                ));
            }
        }
    }
    for (channel, q) in channels.iter().zip(&qualities).filter(|(c, _)| !c.held_out) {
        let size = root_mean(&channel.measured);
        if q.rms > LEFT_OVER * size {
            refused = Some(format!(
                "the model leaves {:.2} of {}, which is {size:.2} (root mean squares): it explains less than half; take another \
                 model, other starts, or free more",
                q.rms, channel.name
            ));
        }
    }
    if outliers {
        remarks.push(
            "some samples are far out; they count by their size and not by its square".into(),
        );
    }
    match ended {
        Ended::Converged => {}
        Ended::Exhausted => {
            refused = Some("the search took all its steps and was not at its end".into())
        }
        Ended::Interrupted => {
            refused = Some("the search was interrupted: this is the best so far".into())
        }
    }

    let bounds: Vec<Option<f64>> =
        free.iter().zip(&point.theta).map(|(f, t)| f.bound(*t)).collect();
    let inside: Vec<usize> = (0..p).filter(|i| bounds[*i].is_none()).collect();
    let m = inside.len();
    let normal = DMatrix::from_fn(m, m, |i, j| point.normal[(inside[i], inside[j])]);
    let eigen = SymmetricEigen::new(normal.clone());
    let largest = eigen.eigenvalues.iter().fold(0.0f64, |m, l| m.max(*l));
    // Below this an eigenvalue is rounding, and along its vector nothing is known.
    let null = |l: f64| l <= 1e-13 * largest || l <= 0.0;
    let inverse = |l: f64| if null(l) { 0.0 } else { 1.0 / l };
    let vectors = &eigen.eigenvectors;
    let plain =
        vectors * DMatrix::from_diagonal(&eigen.eigenvalues.map(inverse)) * vectors.transpose();
    let meat = scores(channels, &measure, &point, &inside, p);
    let honest = &plain * meat * &plain;
    let mut deviation = vec![f64::INFINITY; m];
    for i in 0..m {
        let lost = (0..m).any(|k| null(eigen.eigenvalues[k]) && vectors[(i, k)].abs() > 1e-3);
        if !lost {
            deviation[i] = plain[(i, i)].max(honest[(i, i)]).max(0.0).sqrt();
        }
    }

    // Directions that are open, in words, the worst first.
    let mut undetermined = Vec::new();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    for k in order {
        let along: DVector<f64> = vectors.column(k).into_owned();
        let l = eigen.eigenvalues[k];
        let spread = if null(l) {
            f64::INFINITY
        } else {
            (1.0 / l).max((along.transpose() * &honest * &along)[0]).sqrt()
        };
        if spread > LOST {
            let named: Vec<(usize, f64)> =
                (0..m).filter(|i| along[*i].abs() > 0.3).map(|i| (inside[i], along[i])).collect();
            undetermined.push(words(free, &named, experiment));
        }
    }

    let mut estimates = Vec::new();
    for i in 0..p {
        let (f, value) = (&free[i], point.theta[i]);
        let place = inside.iter().position(|k| *k == i);
        let mut estimate = Estimate {
            free: f.clone(),
            value,
            error: None,
            interval: None,
            standing: Standing::Undetermined,
        };
        match (bounds[i], place) {
            (Some(bound), _) => estimate.standing = Standing::AtBound(bound),
            (None, Some(k)) if deviation[k] <= 2.0 * LOST => {
                let sd = deviation[k];
                let half = TWO_SIDED * sd;
                // What cannot be negative is known beside its value.
                let part = match f.scale {
                    Scale::Linear if f.lo >= 0.0 => half * f.size / value.abs().max(1e-300),
                    _ => half,
                };
                estimate.standing = match part {
                    part if part > 1.0 => Standing::Undetermined,
                    part if part > HARDLY => Standing::Hardly,
                    _ => Standing::Determined,
                };
                if estimate.standing == Standing::Undetermined {
                    let add = experiment
                        .advice(&f.name)
                        .unwrap_or_else(|| "a motion that shows it".into());
                    undetermined.push(format!(
                        "{} is not determined: the data do not tell it from {}; add {add}, or fix it",
                        f.name, f.lo
                    ));
                } else if refused.is_none() {
                    estimate.error = Some(sd * f.slope(value));
                    let widening = sd / plain[(k, k)].sqrt();
                    let ends = if options.profile {
                        profile(&mut search, &measure, &point, i, half, widening, &bounds)
                    } else {
                        [-half, half]
                    };
                    let u = f.coordinate(value);
                    let ends = ends.map(|d| match f.scale {
                        Scale::Log => f.size * (u + d).exp(),
                        Scale::Linear => f.size * (u + d),
                    });
                    estimate.interval = Some(ends.map(|e| e.clamp(f.lo, f.hi)));
                }
            }
            _ => {}
        }
        estimates.push(estimate);
    }
    for estimate in &estimates {
        if let Standing::AtBound(bound) = estimate.standing {
            let Free { name, unit, .. } = &estimate.free;
            let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
            remarks.push(format!("{name} ended at its bound {bound}{unit}: widen the bound, fix {name}, or take another model"));
        }
    }
    let correlation = DMatrix::from_fn(p, p, |i, j| {
        let at =
            |k: usize| inside.iter().position(|l| *l == k).filter(|l| deviation[*l] <= 2.0 * LOST);
        match (at(i), at(j)) {
            (Some(a), Some(b)) => plain[(a, b)] / (plain[(a, a)] * plain[(b, b)]).sqrt(),
            _ => f64::NAN,
        }
    });
    for (i, estimate) in estimates.iter().enumerate() {
        if estimate.standing != Standing::Hardly {
            continue;
        }
        let name = &estimate.free.name;
        let with = (0..p)
            .filter(|j| *j != i && correlation[(i, *j)].abs() > ALIKE)
            .max_by(|a, b| correlation[(i, *a)].abs().total_cmp(&correlation[(i, *b)].abs()));
        let beside = with.map_or(String::new(), |j| {
            format!(
                ", because {} takes its place (correlation {:.2})",
                free[j].name,
                correlation[(i, j)]
            )
        });
        let add = experiment.advice(name).map_or(String::new(), |a| format!("; add {a}"));
        remarks.push(format!("{name} is hardly determined{beside}{add}"));
    }
    let (mut likelihood, mut count, mut parameters) = (0.0, 0.0, p as f64);
    for ((channel, q), raw) in channels.iter().zip(&qualities).zip(split(channels, &point.raw)) {
        if !channel.held_out && channel.weight > 0.0 {
            let e = q.noise.innovations(raw);
            let n = e.len() as f64;
            let mean = e.iter().map(|e| e * e).sum::<f64>() / n;
            likelihood +=
                n * mean.max(1e-300).ln() + q.noise.unseen.as_ref().map_or(0.0, |f| f.burden());
            count += n;
            parameters += 1.0
                + q.noise.recursion.len() as f64
                + f64::from(u8::from(q.noise.unseen.is_some()));
        }
    }
    let small = 2.0 * parameters * (parameters + 1.0) / (count - parameters - 1.0).max(1.0);
    if search.interrupted && ended != Ended::Interrupted {
        remarks.push(
            "interrupted while intervals were worked out: some are those of the quadratic".into(),
        );
    }
    Fitted {
        estimates,
        correlation,
        channels: channels.iter().cloned().zip(qualities).collect(),
        residuals: point.raw.clone(),
        undetermined,
        remarks,
        ended: if search.interrupted { Ended::Interrupted } else { ended },
        agree,
        evaluations: search.evaluations,
        aic: likelihood + 2.0 * parameters + small,
        bic: likelihood + parameters * count.ln(),
        refused,
    }
}

fn root_mean(e: &[f64]) -> f64 {
    (e.iter().map(|e| e * e).sum::<f64>() / e.len().max(1) as f64).sqrt()
}

/// Σ w_l Γ_l with Bartlett's weights, over each channel by itself.
fn scores(
    channels: &[Channel],
    measure: &Measure,
    point: &Point,
    inside: &[usize],
    p: usize,
) -> DMatrix<f64> {
    let m = inside.len();
    let mut sum = DMatrix::zeros(m, m);
    let mut first = 0;
    for (channel, noise) in channels.iter().zip(&measure.noise) {
        if channel.held_out || channel.weight <= 0.0 {
            continue;
        }
        let n = channel.measured.len() - noise.skipped();
        let g: Vec<f64> = (first..first + n)
            .flat_map(|k| inside.iter().map(move |i| point.slope[k * p + i] * point.residual[k]))
            .collect();
        first += n;
        if let Some(filter) = &noise.unseen {
            let slope: Vec<f64> = (first - n..first)
                .flat_map(|k| inside.iter().map(move |i| point.slope[k * p + i]))
                .collect();
            let raw: Vec<f64> = point.residual[first - n..first].to_vec();
            sum += filter.meat(&slope, m) * root_mean(&noise.innovations(&raw)).powi(2);
            continue;
        }
        let lags = if channel.serial { (n as f64).cbrt().ceil() as usize } else { 0 };
        for lag in 0..=lags.min(n.saturating_sub(1)) {
            let weight = 1.0 - lag as f64 / (lags + 1) as f64;
            let mut product = vec![0.0; m * m];
            for k in lag..n {
                let (now, then) = (&g[k * m..(k + 1) * m], &g[(k - lag) * m..(k - lag + 1) * m]);
                for i in 0..m {
                    for j in 0..m {
                        product[i * m + j] += now[i] * then[j];
                    }
                }
            }
            for i in 0..m {
                for j in 0..m {
                    let both = if lag == 0 {
                        product[i * m + j]
                    } else {
                        product[i * m + j] + product[j * m + i]
                    };
                    sum[(i, j)] += weight * both;
                }
            }
        }
    }
    sum
}

/// How far a coordinate goes down and up until the residuals, all others fitted anew, are worse by what 95 % allow.
fn profile(
    search: &mut Search<'_>,
    measure: &Measure,
    point: &Point,
    i: usize,
    half: f64,
    widening: f64,
    bounds: &[Option<f64>],
) -> [f64; 2] {
    search.stage = "intervals";
    let free = search.experiment.free();
    let u = free[i].coordinate(point.theta[i]);
    let mut held: Vec<bool> = bounds.iter().map(Option::is_some).collect();
    held[i] = true;
    [-1.0, 1.0].map(|side| {
        let mut reach = half;
        for _ in 0..4 {
            let mut theta = point.theta.clone();
            theta[i] = free[i].value(u + side * reach);
            if search.interrupted || theta[i] == point.theta[i] {
                break;
            }
            // The others follow the quadratic first.
            let Ok(from) = search.evaluate(measure, &theta) else { break };
            let (best, _) = search.descend(measure, from, &held, 6);
            let risen = (2.0 * (best.cost - point.cost)).max(0.0).sqrt() / widening;
            if risen < 0.2 * TWO_SIDED {
                break;
            }
            let next = reach * (TWO_SIDED / risen).clamp(0.4, 2.5);
            let close = (next / reach - 1.0).abs() < 0.05;
            reach = next;
            if close {
                break;
            }
        }
        side * reach
    })
}

/// An open direction in words.
fn words(free: &[Free], named: &[(usize, f64)], experiment: &dyn crate::Experiment) -> String {
    let name = |i: usize| free[i].name.as_str();
    let logs = named.iter().all(|(i, _)| free[*i].scale == Scale::Log);
    let said = match named {
        [] => "a combination of all parameters is not determined".to_owned(),
        [(i, _)] => format!("{} is not determined", name(*i)),
        [(i, a), (j, b)] if logs && (a.abs() / b.abs() - 1.0).abs() < 0.3 => {
            let what = if a * b > 0.0 { "ratio" } else { "product" };
            format!("of {} and {} only the {what} is determined", name(*i), name(*j))
        }
        [(i, a), (j, b)] if a * b < 0.0 => {
            format!(
                "{} and {} are determined only as a sum: more of one is less of the other",
                name(*i),
                name(*j)
            )
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(i, _)| name(*i)).collect();
            format!("{} are determined only together, not one by one", names.join(", "))
        }
    };
    let mut advice: Vec<String> = Vec::new();
    for hint in named.iter().filter_map(|(i, _)| experiment.advice(name(*i))) {
        if !advice.contains(&hint) {
            advice.push(hint);
        }
    }
    match advice.is_empty() {
        true if named.len() == 1 => format!("{said}: fix it, or add a motion that shows it"),
        true => format!("{said}: fix one of them, or add a motion that tells them apart"),
        false => format!("{said}; add {}", advice.join(", or ")),
    }
}
