//! The fit: search, noise, intervals.
use crate::experiment::Stages;
use crate::noise::{autoregression, colour, correlation};
use crate::objective::{Measure, Noise, Point};
use crate::passage::Filter;
use crate::search::{Ended, Listener, Search};
use crate::verdict::{Fitted, verdict};
use crate::{Experiment, Prediction, Refused};
use std::sync::Arc;
use std::time::Instant;

/// By which procedure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// All parameters together, from many starts.
    #[default]
    Together,
    /// First those of the bristle from small slips, then those of the friction law from all samples, then all together, from
    /// there only: 004, App. C.2.
    TwoStage,
}

/// How a fit is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many random starts are looked at besides those that the data suggest.
    pub starts: usize,
    /// What the random starts depend on.
    pub seed: u64,
    /// How many steps a search takes at most.
    pub iterations: usize,
    /// By which procedure.
    pub method: Method,
    /// Whether residuals far out are kept from ruling the fit.
    pub robust: bool,
    /// Whether correlated noise is estimated and used.
    pub correlated: bool,
    /// Whether intervals follow the residuals where they are not quadratic.
    pub profile: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            starts: 8,
            seed: 1,
            iterations: 200,
            method: Method::Together,
            robust: true,
            correlated: true,
            profile: true,
        }
    }
}

/// Residuals farther out than so many noise levels are no noise.
const OUTLIER: f64 = 5.0;
/// Correlations farther than so many standard deviations from those of white noise are there.
pub(crate) const COLOURED: f64 = 5.0;
/// Lags looked at.
pub(crate) const LAGS: usize = 20;
/// The highest order of an autoregression.
const HIGHEST: usize = 30;
/// An unseen force must make residuals so much more probable to be there.
const PROBABLE: f64 = 20.0;
/// Whitened residuals may be larger than plain ones by so much.
const WORSE: f64 = 1.03;
/// How often noise is estimated anew.
const ROUNDS: usize = 6;

/// Fits what is free to what was measured.
pub fn fit(
    experiment: &dyn Experiment,
    options: &Options,
    listener: &mut Listener<'_>,
) -> Result<Fitted, Refused> {
    let (free, channels) = (experiment.free(), experiment.channels());
    let fitted = channels.iter().filter(|c| !c.held_out && c.weight > 0.0);
    let samples: usize = fitted.map(|c| c.measured.len()).sum();
    if samples <= free.len() {
        return Err(Refused(format!(
            "{samples} samples cannot determine {} parameters: give longer logs or free fewer",
            free.len()
        )));
    }
    let p = free.len();
    let profiles = if options.profile { 8 * p } else { 0 };
    let mut search = Search {
        experiment,
        listener,
        evaluations: 0,
        stage: "search",
        interrupted: false,
        began: Instant::now(),
        expected: options.starts + 60 + profiles,
        room: Prediction::default(),
    };
    let mut starts = vec![free.iter().map(|f| f.start).collect::<Vec<f64>>()];
    starts.extend(experiment.guesses());
    let mut measure = Measure::plain(channels);
    let mut remarks = Vec::new();
    let (mut random, held) = (options.starts, vec![false; p]);
    if options.method == Method::TwoStage {
        let Some(Stages { bristle, small }) = experiment.stages() else {
            return Err(Refused(
                "the procedure in two stages is for measured motion or slips: leave method out"
                    .into(),
            ));
        };
        let law: Vec<bool> = bristle.iter().map(|own| !own).collect();
        let count = small.iter().filter(|s| **s).count();
        if count <= p || bristle == held || law == held {
            return Err(Refused(format!(
                "the procedure in two stages needs parameters of the bristle and of its law, and samples of small slip: {count} \
                 samples are below half of the highest force"
            )));
        }
        let first = Measure { only: Some(small), ..measure.clone() };
        let mut best: Option<Point> = None;
        for theta in &starts {
            let Ok(from) = search.evaluate(&first, theta) else { continue };
            let (end, _) = search.descend(&first, from, &law, options.iterations);
            if best.as_ref().is_none_or(|b| end.cost < b.cost) {
                best = Some(end);
            }
        }
        let Some(stiff) = best else {
            return Err(Refused("no start can be predicted: give others".into()));
        };
        let from = search.evaluate(&measure, &stiff.theta)?;
        let (whole, _) = search.descend(&measure, from, &bristle, options.iterations);
        let told: Vec<String> =
            (0..p).map(|i| format!("{} = {:.5e}", free[i].name, whole.theta[i])).collect();
        remarks.push(format!(
            "two stages (004, App. C.2): the bristle from {count} samples of small slip, then the law from all of them gave {}; then \
             all together from there",
            told.join(", ")
        ));
        (starts, random) = (vec![whole.theta], 0);
    }
    let (point, mut ended, agree) =
        search.global(&measure, &starts, random, options.seed, options.iterations)?;
    let mut point = point;
    search.stage = "noise";
    let mut outliers = false;
    let round = |measure: &Measure, recursive: bool, point: &Point| -> Measure {
        let mut next = measure.clone();
        let passages = if recursive { experiment.unseen(&point.theta) } else { None };
        let mut left: Vec<Vec<f64>> = Vec::new();
        for (i, ((channel, noise), raw)) in
            channels.iter().zip(&mut next.noise).zip(split(channels, &point.raw)).enumerate()
        {
            if let Some(passages) = &passages {
                let (filter, gain) = Filter::most_probable(&passages[i], raw);
                noise.unseen = (gain > PROBABLE).then(|| Arc::new(filter));
            } else if recursive
                && channel.serial
                && (colour(raw, LAGS) > COLOURED || !noise.recursion.is_empty())
            {
                noise.recursion = autoregression(raw, HIGHEST);
            }
            let mut counted = raw.to_vec();
            noise.whiten(&mut counted, 1);
            left.push(counted);
        }
        // What measures the same quantity in several logs has one level.
        for i in 0..channels.len() {
            let alike = |k: &usize| {
                let (a, b) = (&channels[i], &channels[*k]);
                *k == i || (a.name == b.name && !a.held_out && !b.held_out)
            };
            let all: Vec<f64> =
                (0..channels.len()).filter(alike).flat_map(|k| left[k].iter().copied()).collect();
            next.noise[i].level = level(&all, p, samples, measure.robust);
        }
        next
    };
    // First how large noise is, then whether some of it is far out, then how it is correlated.
    measure = round(&measure, false, &point);
    let far = |measure: &Measure, point: &Point| -> bool {
        let parts = channels.iter().zip(&measure.noise).zip(split(channels, &point.raw));
        parts.filter(|((c, _), _)| !c.held_out).any(|((_, noise), raw)| {
            let left = noise.innovations(raw);
            let typical = level(&left, p, samples, true);
            // A sample that is far out stands alone. Several in a row are what the model leaves.
            let far = |k: usize| left.get(k).is_some_and(|e| e.abs() > OUTLIER * typical);
            let all: Vec<usize> = (0..left.len()).filter(|k| far(*k)).collect();
            let alone = |k: &&usize| !far(k.wrapping_sub(1)) && !far(**k + 1);
            let alone = all.iter().filter(alone).count();
            let count = all.len();
            count >= 3 && count as f64 > 2e-4 * left.len() as f64 && 2 * alone > count
        })
    };
    let size = |point: &Point| -> Vec<f64> {
        let square =
            |raw: &[f64]| (raw.iter().map(|r| r * r).sum::<f64>() / raw.len().max(1) as f64).sqrt();
        split(channels, &point.raw).map(square).collect()
    };
    let (plain_measure, plain_point) = (measure.clone(), point.clone());
    for k in 0..ROUNDS {
        if search.interrupted
            || (k == 0 && channels.len() == 1 && !options.robust && !options.correlated)
        {
            break;
        }
        let before = measure.clone();
        if options.correlated {
            measure = round(&measure, true, &point);
        }
        if options.robust && far(&measure, &point) {
            (outliers, measure.robust) = (true, true);
        }
        measure = round(&measure, options.correlated, &point);
        let steady = before.noise.iter().zip(&measure.noise).all(|(a, b)| {
            (a.level / b.level - 1.0).abs() < 1e-3
                && a.recursion.len() == b.recursion.len()
                && a.unseen.is_some() == b.unseen.is_some()
        });
        if k > 0 && steady {
            break;
        }
        let theta = point.theta.clone();
        let from = search.evaluate(&measure, &theta)?;
        (point, ended) = search.descend(&measure, from, &held, options.iterations);
    }
    // Where residuals are whitened into a fit that is plainly worse, they are no noise: the model leaves them.
    let worse = size(&point).iter().zip(size(&plain_point)).any(|(now, then)| *now > WORSE * then);
    if worse && measure.noise.iter().any(|n| !n.recursion.is_empty()) {
        (measure, point) = (plain_measure, plain_point);
    }
    if search.interrupted {
        ended = Ended::Interrupted;
    }
    let theta = point.theta.clone();
    let was = search.interrupted;
    point = search.evaluate(&measure, &theta)?;
    search.interrupted |= was;
    let mut fitted = verdict(search, options, measure, point, ended, agree, outliers);
    remarks.append(&mut fitted.remarks);
    Ok(Fitted { remarks, ..fitted })
}

/// The residuals of each channel.
pub(crate) fn split<'r>(
    channels: &'r [crate::Channel],
    raw: &'r [f64],
) -> impl Iterator<Item = &'r [f64]> + 'r {
    let mut first = 0;
    channels.iter().map(move |c| {
        let rows = first..first + c.measured.len();
        first = rows.end;
        &raw[rows]
    })
}

/// The noise level: the root mean square for what is free, or the median's where some are far out.
fn level(e: &[f64], p: usize, samples: usize, robust: bool) -> f64 {
    if robust {
        let mut size: Vec<f64> = e.iter().map(|e| e.abs()).collect();
        size.sort_by(f64::total_cmp);
        return (size.get(size.len() / 2).copied().unwrap_or(0.0) / 0.674_489_75).max(1e-300);
    }
    let square: f64 = e.iter().map(|e| e * e).sum();
    let own = e.len() as f64 * (1.0 - p as f64 / samples as f64);
    (square / own.max(1.0)).sqrt().max(1e-300)
}

impl Noise {
    /// How white what is left is: its correlation at lag one.
    pub(crate) fn left(&self, raw: &[f64]) -> f64 {
        correlation(&self.innovations(raw), 1)[1]
    }
}
