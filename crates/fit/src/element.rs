//! A friction element under measured motion and load.
//!
//! ```text
//! ż = f(v(t), N(t), z; θ),   F̂(t_k) = g F(v(t_k), N(t_k), z(t_k), ż(t_k); θ) + b,   measured at t_k + d
//! ```
//!
//! v and N are known, so that f is known between samples up to z. Models with an exact step at frozen velocity take it at the mean
//! velocity of up to four parts of an interval, which carries the displacement over exactly; others take Radau IIA of order
//! 5 over a velocity that is linear between samples, and an interval in which v changes its sign is cut there.
use crate::experiment::Stages;
use crate::model::{self, Number, Seeded, WIDTH};
use crate::radau::{MAX_STATES, Step};
use crate::{Channel, Experiment, Prediction, Refused};
use bristle_kernel::{AnyBristle, Bristle, Cast, Drive, Free, Mode, Update};
use std::ops::Range;

/// A log of a friction element: what it was moved and pressed by.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Times, s.
    pub t: Vec<f64>,
    /// Positions, m; where they were not measured, the integral of the velocity.
    pub x: Vec<f64>,
    /// Velocities, m/s.
    pub v: Vec<f64>,
    /// Loads, N.
    pub load: Vec<f64>,
    /// Accelerations, m/s², where the measured force also moves a mass; else empty.
    pub acceleration: Vec<f64>,
}

/// What a free parameter does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// A number of the friction model.
    Friction(usize),
    /// Added to the measured force, N.
    Offset,
    /// Times the model's force.
    Gain,
    /// The force is measured so late, s.
    Delay,
    /// Times the acceleration, kg.
    Mass,
}

/// Logs of one friction element.
#[derive(Clone, Debug)]
pub struct Element {
    model: AnyBristle<f64>,
    numbers: Vec<Number>,
    roles: Vec<Role>,
    free: Vec<crate::Free>,
    motions: Vec<Motion>,
    channels: Vec<Channel>,
    guesses: Vec<Vec<f64>>,
}

impl Element {
    /// The model under each of the motions, with what was measured in each.
    pub fn new(model: AnyBristle<f64>, logs: Vec<(Motion, Channel)>) -> Self {
        let numbers = model::numbers(&model);
        let (motions, channels) = logs.into_iter().unzip();
        let (roles, free, guesses) = (Vec::new(), Vec::new(), Vec::new());
        Element { model, numbers, roles, free, motions, channels, guesses }
    }

    /// The names that can be free.
    pub fn names(&self) -> Vec<String> {
        let own = ["offset", "gain", "delay"].map(str::to_owned);
        self.numbers.iter().map(|n| n.key.clone()).chain(own).collect()
    }

    /// Frees the parameter of that name; gives it, to set its start and bounds.
    pub fn release(&mut self, name: &str) -> Option<&mut crate::Free> {
        let forces =
            || self.channels.iter().flat_map(|c| &c.measured).fold(0.0f64, |m, f| m.max(f.abs()));
        let step = || {
            self.motions
                .first()
                .map_or(1e-3, |m| (m.t[m.t.len() - 1] - m.t[0]) / (m.t.len() - 1) as f64)
        };
        let (role, free) = match name {
            "mass" => (Role::Mass, crate::Free::positive(name, "kg", 1.0)),
            "offset" => (Role::Offset, crate::Free::signed(name, "N", 0.0, forces().max(1e-12))),
            "gain" => (Role::Gain, crate::Free::positive(name, "1", 1.0)),
            "delay" => (
                Role::Delay,
                crate::Free::signed(name, "s", 0.0, step()).within(-20.0 * step(), 20.0 * step()),
            ),
            _ => {
                let k = model::find(&self.numbers, name)?;
                (Role::Friction(k), self.numbers[k].free(name, self.numbers[k].value))
            }
        };
        self.roles.push(role);
        self.free.push(free);
        self.free.last_mut()
    }

    /// The motions.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The model with these values of what is free.
    pub fn model(&self, theta: &[f64]) -> AnyBristle<f64> {
        model::with(&self.model, &self.numbers, |k, own| {
            self.value(Role::Friction(k), theta).unwrap_or(own)
        })
    }

    pub(crate) fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    pub(crate) fn free_mut(&mut self) -> &mut [crate::Free] {
        &mut self.free
    }

    /// Starting points to try first.
    pub fn guess(&mut self, guesses: Vec<Vec<f64>>) {
        self.guesses = guesses;
    }

    fn value(&self, role: Role, theta: &[f64]) -> Option<f64> {
        self.roles.iter().position(|r| *r == role).map(|i| theta[i])
    }

    /// A parameter seeded where it is one of the `WIDTH` from `from` on.
    fn seeded(&self, role: Role, theta: &[f64], own: f64, from: usize) -> Seeded {
        match self.roles.iter().position(|r| *r == role) {
            Some(i) if (from..from + WIDTH).contains(&i) => Seeded::variable(theta[i], i - from),
            Some(i) => Seeded::from(theta[i]),
            None => Seeded::from(own),
        }
    }
}

impl Experiment for Element {
    fn free(&self) -> &[crate::Free] {
        &self.free
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }

    fn predict(&self, theta: &[f64], out: &mut Prediction) -> Result<(), Refused> {
        let p = self.free.len();
        let plain = self.model(theta);
        if let (Some(why), _) = model::refusals(&plain, &self.numbers) {
            return Err(Refused(why));
        }
        let fixed = plain.cast(&mut Seeded::from);
        let total: usize = self.channels.iter().map(|c| c.measured.len()).sum();
        out.value.resize(total, 0.0);
        out.slope.resize(total * p, 0.0);
        for from in (0..p.max(1)).step_by(WIDTH) {
            let seeded = |role, own| self.seeded(role, theta, own, from);
            let model =
                model::with(&self.model, &self.numbers, |k, own| seeded(Role::Friction(k), own));
            let (gain, offset) = (seeded(Role::Gain, 1.0), seeded(Role::Offset, 0.0));
            let mass = seeded(Role::Mass, 0.0);
            let width = WIDTH.min(p - from);
            let mut row = 0;
            for motion in &self.motions {
                let begin = row;
                forces(&fixed, &model, motion, |f| {
                    let moves = motion.acceleration.get(row - begin).copied().unwrap_or(0.0);
                    let f = (f + mass * moves) * gain + offset;
                    out.value[row] = f.re;
                    out.slope[row * p + from..][..width].copy_from_slice(&f.eps[..width]);
                    row += 1;
                })?;
            }
        }
        let delay = self.value(Role::Delay, theta).unwrap_or(0.0);
        let by = self.roles.iter().position(|r| *r == Role::Delay);
        let mut first = 0;
        for motion in &self.motions {
            let rows = first..first + motion.t.len();
            first = rows.end;
            late(&motion.t, out, rows, delay, p, by);
        }
        out.finite()
    }

    fn admit(&self, theta: &mut [f64]) {
        let (_, bound) = model::refusals(&self.model(theta), &self.numbers);
        for (k, limit) in bound {
            if let Some(i) = self.roles.iter().position(|r| *r == Role::Friction(k)) {
                theta[i] = limit;
            }
        }
    }

    fn stages(&self) -> Option<Stages> {
        let bristle = |role: &Role| match role {
            Role::Friction(k) => !self.numbers[*k].key.contains('.'),
            _ => false,
        };
        let level = self.motions.iter().zip(&self.channels).flat_map(|(motion, channel)| {
            channel.measured.iter().zip(&motion.load).map(|(f, n)| f / n.abs().max(1e-9))
        });
        let level: Vec<f64> = level.collect();
        Some(Stages::by_level(self.roles.iter().map(bristle).collect(), &level))
    }

    fn advice(&self, name: &str) -> Option<String> {
        let fastest = self.motions.iter().flat_map(|m| &m.v).fold(0.0f64, |m, v| m.max(v.abs()));
        Some(match name.rsplit('.').next().unwrap_or(name) {
            "viscous" => format!("motion above {:.2e} m/s", 2.0 * fastest),
            "v_s" | "mu_d" => {
                format!("steady motion at several speeds up to {:.2e} m/s", 2.0 * fastest)
            }
            "mu_s" => "slow starts from rest".into(),
            "sigma0" => "reversals over less than the pre-sliding distance".into(),
            "sigma1" => "small oscillations at higher frequency".into(),
            _ => return None,
        })
    }

    fn guesses(&self) -> Vec<Vec<f64>> {
        self.guesses.clone()
    }
}

/// Shifts these predictions so much later, on cubics through four samples.
fn late(
    t: &[f64],
    out: &mut Prediction,
    rows: Range<usize>,
    delay: f64,
    p: usize,
    by: Option<usize>,
) {
    if delay == 0.0 && by.is_none() {
        return;
    }
    let (first, n) = (rows.start, rows.len());
    let value = out.value[rows.clone()].to_vec();
    let slope = out.slope[first * p..rows.end * p].to_vec();
    for k in 0..n {
        let at = (t[k] - delay).clamp(t[0], t[n - 1]);
        let from = t.partition_point(|own| *own <= at).saturating_sub(2).min(n.saturating_sub(4));
        let nodes = from..(from + 4).min(n);
        let (mut sum, mut rate, mut slopes) = (0.0, 0.0, vec![0.0; p]);
        for i in nodes.clone() {
            let others = || nodes.clone().filter(move |j| *j != i);
            let part = |j: usize| (at - t[j]) / (t[i] - t[j]);
            let weight: f64 = others().map(part).product();
            let grows =
                |m: usize| others().filter(|j| *j != m).map(part).product::<f64>() / (t[i] - t[m]);
            rate += others().map(grows).sum::<f64>() * value[i];
            sum += weight * value[i];
            for (s, own) in slopes.iter_mut().zip(&slope[i * p..]) {
                *s += weight * own;
            }
        }
        // Before the log begins and after it ends the force stays.
        if let Some(by) = by.filter(|_| at == t[k] - delay) {
            slopes[by] -= rate;
        }
        out.value[first + k] = sum;
        out.slope[(first + k) * p..(first + k + 1) * p].copy_from_slice(&slopes);
    }
}

/// Into how many parts an interval between two samples is cut: the mean velocity of each stands for all of it.
fn parts(before: f64, after: f64) -> usize {
    match (after - before).abs() / before.abs().max(after.abs()) {
        change if change > 0.1 => 4,
        change if change > 0.02 => 2,
        _ => 1,
    }
}

/// Gives the friction force at each sample in turn to `tell`. `fixed` is the model without derivatives.
fn forces(
    fixed: &AnyBristle<Seeded>,
    model: &AnyBristle<Seeded>,
    motion: &Motion,
    mut tell: impl FnMut(Seeded),
) -> Result<(), Refused> {
    let number = Seeded::from;
    let drive = |x: f64, v: f64, load: f64, mode: Mode<Seeded>| Drive {
        x: number(x),
        mode,
        ..Drive::new(number(v), number(load))
    };
    let Motion { t, x, v, load, .. } = motion;
    let states = model.states();
    if states > MAX_STATES {
        return Err(Refused(format!("models of more than {MAX_STATES} states cannot be fitted")));
    }
    let guards = model.guards();
    let (mut z, mut dz) = (vec![number(0.0); states], vec![number(0.0); states]);
    let mut step = Step::new(&vec![1e-6; states]);
    let mut mode = model.begin(&drive(x[0], v[0], load[0], Mode::default()), &z);
    tell(model.eval(&drive(x[0], v[0], load[0], mode), &z, &mut dz));
    for k in 1..t.len() {
        let h = t[k] - t[k - 1];
        // Between samples the position is the cubic with their velocities: v changes little in each part of it.
        let parts = parts(v[k - 1], v[k]);
        let way = |s: f64| {
            let (a, b) = (s * s * (3.0 - 2.0 * s), s * (1.0 - s));
            x[k - 1] + a * (x[k] - x[k - 1]) + h * b * ((1.0 - s) * v[k - 1] - s * v[k])
        };
        let mut stepped = true;
        for i in 0..parts {
            let [from, to] = [i, i + 1].map(|i| i as f64 / parts as f64);
            let (x0, x1, h) = (way(from), way(to), h * (to - from));
            let middle = load[k - 1] + (load[k] - load[k - 1]) * 0.5 * (from + to);
            let mut moved = drive(x1, (x1 - x0) / h, middle, mode);
            let how = Update::Exponential;
            let done = if guards == 0 {
                model.step(how, &moved, number(h), &mut z)
            } else {
                // What is discrete moves on in the step.
                let free = Free::prescribed(moved.v);
                model.advance(how, &mut moved, &free, number(h), &mut z)
            };
            if done.is_none() {
                stepped = false;
                break;
            }
            mode = moved.mode;
        }
        if !stepped {
            // On each side of where it changes its sign, v is linear.
            let turn = if v[k - 1] * v[k] < 0.0 { v[k - 1] / (v[k - 1] - v[k]) } else { 1.0 };
            for [from, to] in [[0.0, turn], [turn, 1.0]] {
                let length = number((to - from) * h);
                if length.re <= 0.0 {
                    continue;
                }
                let at = |c: f64| {
                    let s = from + (to - from) * c;
                    let part = |y: &[f64]| y[k - 1] + (y[k] - y[k - 1]) * s;
                    drive(part(x), part(v), part(load), mode)
                };
                step.solve(length.re, &z, &mut |c, z, dz| fixed.rate(&at(c), z, dz))?;
                step.carry(length, &mut z, &mut |c, z, dz| model.rate(&at(c), z, dz));
                mode = model.commit(&at(1.0), &z);
            }
        }
        let at = drive(x[k], v[k], load[k], mode);
        mode = model.commit(&at, &z);
        tell(model.eval(&Drive { mode, ..at }, &z, &mut dz));
    }
    Ok(())
}
