//! A machine of parts whose columns were measured.
//!
//! The machine is a file of its own, run by the adaptive engine, and every number in it can be free by its key. Keys are
//! text to this crate: derivatives are central differences of whole runs, at a tolerance far below their steps.
use crate::{Channel, Experiment, Free, Prediction, Refused, Scale};
use bristle_scenario::machine::Scenario;
use bristle_scenario::{Files, OnImbalance, Place, Setting};
use rayon::prelude::*;
use toml::{Table, Value};

/// One log of a machine.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What is set for this log over the machine's file.
    pub settings: Vec<Setting>,
    /// Each measured column, by its name in the run.
    pub channels: Vec<(String, Channel)>,
}

/// Logs of one machine.
#[derive(Clone, Debug)]
pub struct Machine {
    text: String,
    place: Place,
    table: Table,
    /// What is set over the file in every log.
    fixed: Vec<Setting>,
    free: Vec<Free>,
    logs: Vec<Observed>,
    channels: Vec<Channel>,
}

/// How closely runs are followed.
const TOLERANCE: f64 = 1e-11;
/// The step of a difference, in coordinates of the search.
const STEP: f64 = 1e-4;

impl Machine {
    /// The machine of a file's text, whose logs lie in `files`.
    pub fn new<'f>(
        text: &str,
        files: impl Into<Files<'f>>,
        fixed: Vec<Setting>,
        logs: Vec<Observed>,
    ) -> Result<Self, Refused> {
        let channels =
            logs.iter().flat_map(|l| l.channels.iter().map(|(_, c)| c.clone())).collect();
        let mut machine = Machine {
            text: text.into(),
            place: Place::of(files.into()),
            table: Table::new(),
            fixed,
            free: Vec::new(),
            logs,
            channels,
        };
        let own = machine.logs.first().map(|l| l.settings.clone()).unwrap_or_default();
        machine.table = machine.scenario(&own, &[])?.table;
        let names: Vec<String> = machine.run(&machine.logs[0].settings, &[], &[0.0])?.0;
        for (column, channel) in machine.logs.iter().flat_map(|l| &l.channels) {
            if !names.contains(column) {
                return Err(Refused(format!(
                    "{}: the run has no column `{column}`; it has {}",
                    channel.log,
                    names.join(", ")
                )));
            }
        }
        Ok(machine)
    }

    /// The numbers of the machine's file, which can be free; others can be too, where they are given a start.
    pub fn names(&self) -> Vec<String> {
        let mut all = Vec::new();
        gather(&Value::Table(self.table.clone()), "", &mut all);
        all.into_iter().map(|(name, _)| name).collect()
    }

    /// Frees the number of that key; gives it, to set its start and bounds.
    pub fn release(&mut self, name: &str) -> Option<&mut Free> {
        let mut all = Vec::new();
        gather(&Value::Table(self.table.clone()), "", &mut all);
        let start = all.iter().find(|(own, _)| own == name)?.1;
        let unit = "";
        self.free.push(match start > 0.0 {
            true => Free::positive(name, unit, start),
            false => Free::signed(name, unit, start, if start == 0.0 { 1.0 } else { -start }),
        });
        self.free.last_mut()
    }

    pub(crate) fn free_mut(&mut self) -> &mut [Free] {
        &mut self.free
    }

    /// The machine's file with these values of what is free.
    pub fn file(&self, theta: &[f64]) -> Result<String, Refused> {
        let own = self.logs.first().map(|l| l.settings.clone()).unwrap_or_default();
        Ok(self.scenario(&own, theta)?.table.to_string())
    }

    fn scenario(&self, own: &[Setting], theta: &[f64]) -> Result<Scenario, Refused> {
        let free = self.free.iter().zip(theta);
        let settings: Vec<Setting> = self
            .fixed
            .iter()
            .chain(own)
            .cloned()
            .chain(free.map(|(f, value)| Setting::new(f.name.clone(), *value)))
            .collect();
        Scenario::read(&self.text, &settings, self.place.files())
            .map_err(|e| Refused(e.to_string()))
    }

    /// The names of all columns of a run, and their values at these times.
    fn run(
        &self,
        own: &[Setting],
        theta: &[f64],
        times: &[f64],
    ) -> Result<(Vec<String>, Vec<Vec<f64>>), Refused> {
        let said = |e: &dyn std::fmt::Display| Refused(e.to_string());
        let scenario = self.scenario(own, theta)?;
        let end = times.last().copied().unwrap_or(0.0).max(1e-6);
        let stops: Vec<f64> = times.iter().copied().filter(|t| *t > 0.0).collect();
        let run = scenario
            .simulation()
            .map_err(|e| said(&e))?
            .tolerance(TOLERANCE)
            .stops(&stops)
            .keep_events(false)
            .on_imbalance(OnImbalance::Mark)
            .run(end)
            .map_err(|e| said(&e))?;
        let clock = run.trace.column("t").ok_or_else(|| Refused("the run has no time".into()))?;
        // Of two rows at one time the second is what follows.
        let rows: Vec<usize> = times
            .iter()
            .map(|t| clock.values.partition_point(|own| *own <= *t + 1e-12).saturating_sub(1))
            .collect();
        let columns = || run.trace.columns().iter();
        let names = columns().map(|c| c.name.clone()).collect();
        Ok((names, columns().map(|c| rows.iter().map(|k| c.values[*k]).collect()).collect()))
    }

    /// What all channels would show.
    fn shown(&self, theta: &[f64]) -> Result<Vec<f64>, Refused> {
        let mut all = Vec::new();
        for log in &self.logs {
            let Some((_, first)) = log.channels.first() else { continue };
            let (names, columns) = self.run(&log.settings, theta, &first.at)?;
            for (name, _) in &log.channels {
                let place = names.iter().position(|own| own == name);
                all.extend(place.map(|k| columns[k].clone()).unwrap_or_default());
            }
        }
        Ok(all)
    }
}

/// Every number of a table by its key; parts of a machine go by their names.
fn gather(value: &Value, key: &str, all: &mut Vec<(String, f64)>) {
    let under = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::Float(x) => all.push((key.into(), *x)),
        Value::Integer(i) => all.push((key.into(), *i as f64)),
        Value::Table(table) => table.iter().for_each(|(name, v)| gather(v, &under(name), all)),
        Value::Array(list) => {
            for part in list {
                if let Some(name) = part.get("name").and_then(Value::as_str) {
                    gather(part, &under(name), all);
                }
            }
        }
        _ => {}
    }
}

impl Experiment for Machine {
    fn free(&self) -> &[Free] {
        &self.free
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn predict(&self, theta: &[f64], out: &mut Prediction) -> Result<(), Refused> {
        let p = theta.len();
        // The run itself, then one on each side for each parameter.
        let sides = |i: usize| [1.0, -1.0].map(|side| (i, side));
        let jobs: Vec<Option<(usize, f64)>> =
            std::iter::once(None).chain((0..p).flat_map(sides).map(Some)).collect();
        let moved = |i: usize, side: f64| {
            let mut theta = theta.to_vec();
            let f = &self.free[i];
            theta[i] = match f.scale {
                Scale::Log => theta[i] * (side * STEP).exp(),
                Scale::Linear => theta[i] + side * STEP * f.size,
            };
            theta
        };
        let run = |job: &Option<(usize, f64)>| match job {
            None => self.shown(theta),
            Some((i, side)) => self.shown(&moved(*i, *side)),
        };
        let runs: Result<Vec<Vec<f64>>, Refused> = jobs.par_iter().map(run).collect();
        let runs = runs?;
        out.value.clone_from(&runs[0]);
        let n = runs[0].len();
        out.slope.clear();
        out.slope.resize(n * p, 0.0);
        for i in 0..p {
            let width = moved(i, 1.0)[i] - moved(i, -1.0)[i];
            let [up, down] = [&runs[1 + 2 * i], &runs[2 + 2 * i]];
            for k in 0..n {
                out.slope[k * p + i] = (up[k] - down[k]) / width;
            }
        }
        out.finite()
    }
}
