//! A rolling patch under measured slips: steady forces and moment.
//!
//! Each row is a steady state of 004; its derivatives by the numbers of the bristle are those of the contact, carried as dual
//! numbers along every path. Forces grow with the load as the pressure does, so that rows of other loads are scaled.
use crate::experiment::Stages;
use crate::model::{self, Number};
use crate::{Channel, Experiment, Free, Prediction, Refused};
use bristle_contact::patch::Rolling;
use bristle_kernel::AnyPlanar;
use bristle_scenario::patch::Scenario;
use rayon::prelude::*;

/// Which force or moment a channel measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrench {
    /// F_x, N.
    Fx,
    /// F_y, N.
    Fy,
    /// M_z in the undeformed configuration, N·m, 004 (37b).
    Mz,
}

impl Wrench {
    /// All of them, with what they are called and their units.
    pub const ALL: [(Wrench, &'static str, &'static str); 3] =
        [(Wrench::Fx, "Fx", "N"), (Wrench::Fy, "Fy", "N"), (Wrench::Mz, "Mz", "N*m")];
}

/// What one log of steady rolling holds.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// How the patch rolls in each row.
    pub rolling: Vec<Rolling<f64>>,
    /// The vertical force of each row, N; empty where it is that of the patch.
    pub load: Vec<f64>,
    /// What was measured.
    pub channels: Vec<(Wrench, Channel)>,
}

/// Logs of a rolling patch.
#[derive(Clone, Debug)]
pub struct Patch {
    scenario: Scenario,
    numbers: Vec<Number>,
    places: Vec<usize>,
    free: Vec<Free>,
    sweeps: Vec<Sweep>,
    channels: Vec<Channel>,
}

impl Patch {
    /// The patch of a scenario in each of the sweeps.
    pub fn new(scenario: Scenario, sweeps: Vec<Sweep>) -> Self {
        let numbers = model::numbers(&scenario.bristle);
        let channels =
            sweeps.iter().flat_map(|s| s.channels.iter().map(|(_, c)| c.clone())).collect();
        Patch { scenario, numbers, places: Vec::new(), free: Vec::new(), sweeps, channels }
    }

    /// The names that can be free.
    pub fn names(&self) -> Vec<String> {
        self.numbers.iter().map(|n| n.key.clone()).collect()
    }

    /// Frees the parameter of that name; gives it, to set its start and bounds.
    pub fn release(&mut self, name: &str) -> Option<&mut Free> {
        let k = model::find(&self.numbers, name)?;
        self.places.push(k);
        self.free.push(self.numbers[k].free(name, self.numbers[k].value));
        self.free.last_mut()
    }

    pub(crate) fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    pub(crate) fn free_mut(&mut self) -> &mut [Free] {
        &mut self.free
    }

    /// The bristle with these values of what is free.
    pub fn model(&self, theta: &[f64]) -> AnyPlanar<f64> {
        let mut model = self.scenario.bristle.clone();
        model::set(&mut model, |k, own| self.place(k).map_or(own, |i| theta[i]));
        model
    }

    fn place(&self, number: usize) -> Option<usize> {
        self.places.iter().position(|k| *k == number)
    }
}

impl Experiment for Patch {
    fn free(&self) -> &[Free] {
        &self.free
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn predict(&self, theta: &[f64], out: &mut Prediction) -> Result<(), Refused> {
        let bristle = self.model(theta);
        if let (Some(why), _) = model::refusals(&bristle, &self.numbers) {
            return Err(Refused(why));
        }
        let said = |e: &dyn std::fmt::Display| Refused(e.to_string());
        let contact =
            Scenario { bristle, ..self.scenario.clone() }.steady().map_err(|e| said(&e))?;
        let (p, own) = (theta.len(), self.scenario.patch.load);
        let numbers: Vec<(usize, f64)> = self
            .places
            .iter()
            .zip(&self.free)
            .zip(theta)
            .map(|((k, free), value)| (*k, free.slope(*value)))
            .collect();
        out.value.clear();
        out.slope.clear();
        for sweep in &self.sweeps {
            // Force, moment and their derivatives of each row.
            let row = |k: usize| -> Result<([f64; 3], Vec<[f64; 3]>), Refused> {
                let (mut contact, rolling) = (contact.clone(), &sweep.rolling[k]);
                let scale = sweep.load.get(k).map_or(1.0, |load| load / own);
                let found = contact.solve(rolling).map_err(|e| said(&e))?;
                let slopes = contact
                    .derivatives(rolling, &numbers)
                    .map_err(|e| said(&e))?
                    .into_iter()
                    .map(|d| d.values.map(|v| v * scale));
                let value = [found.force[0], found.force[1], found.moment].map(|v| v * scale);
                Ok((value, slopes.collect()))
            };
            let rows: Result<Vec<_>, Refused> =
                (0..sweep.rolling.len()).into_par_iter().map(row).collect();
            let rows = rows?;
            for (wrench, _) in &sweep.channels {
                let c = *wrench as usize;
                for (value, slopes) in &rows {
                    out.value.push(value[c]);
                    out.slope.extend((0..p).map(|i| slopes[i][c]));
                }
            }
        }
        out.finite()
    }

    fn admit(&self, theta: &mut [f64]) {
        let (_, bound) = model::refusals(&self.model(theta), &self.numbers);
        for (k, limit) in bound {
            if let Some(i) = self.place(k) {
                theta[i] = limit;
            }
        }
    }

    fn stages(&self) -> Option<Stages> {
        let bristle = |k: &usize| !self.numbers[*k].key.contains('.');
        let own = self.scenario.patch.load;
        let mut level = Vec::new();
        for sweep in &self.sweeps {
            let of = |wrench: Wrench, k: usize| {
                let found = sweep.channels.iter().find(|(w, _)| *w == wrench);
                found.map_or(0.0, |(_, c)| c.measured[k])
            };
            let rows: Vec<f64> = (0..sweep.rolling.len())
                .map(|k| {
                    let force = of(Wrench::Fx, k).hypot(of(Wrench::Fy, k));
                    force / sweep.load.get(k).unwrap_or(&own)
                })
                .collect();
            sweep.channels.iter().for_each(|_| level.extend(&rows));
        }
        Some(Stages::by_level(self.places.iter().map(bristle).collect(), &level))
    }

    fn advice(&self, name: &str) -> Option<String> {
        let rows = || self.sweeps.iter().flat_map(|s| &s.rolling);
        let most = |f: &dyn Fn(&Rolling<f64>) -> f64| rows().map(f).fold(0.0f64, f64::max);
        let fastest = most(&|r| r.v_r * r.sigma_x.hypot(r.sigma_y));
        Some(match name.rsplit('.').next().unwrap_or(name) {
            "v_s" | "mu_d" | "exponent" | "viscous" => format!(
                "rows whose sliding speed is far above {fastest:.1} m/s, the highest so far, by \
                 a higher rolling speed"
            ),
            "mu_s" => "rows of full sliding at low rolling speed".into(),
            "sigma0_xx" => "rows of little longitudinal slip".into(),
            "sigma0_yy" => "rows of little lateral slip".into(),
            _ => return None,
        })
    }
}
