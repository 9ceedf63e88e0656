//! The same system by small steps: no modes, no events, no error control.
//!
//! Set-valued friction is projected: v⁺ = v + h(a − W F), F the force within its limits for which the
//! contact stops, or that limit itself (J. J. Moreau, Numerical aspects of the sweeping process, Comput.
//! Methods Appl. Mech. Eng. 177 (1999) 329-349). Systems without it are taken by the classical method of
//! order four.
use crate::generator::{Case, dry_level, is_set_valued};
use crate::network::Machine;
use bristle_kernel::bristle::Row;
use bristle_kernel::{AnyBristle, Bristle, Drive, Mode};
use bristle_system::{Kind, Mechanism, Role};

/// The state at each of the times `at`, by about `steps` steps in all; nothing if it is lost on the way, or
/// too stiff for steps of that length.
pub fn states(case: &Case, at: &[f64], steps: usize) -> Option<Vec<Vec<f64>>> {
    let mut walk = Walk::new(case);
    let wanted = case.end / steps as f64;
    let mut states = Vec::new();
    for &sample in at {
        while walk.t < sample {
            walk.pass_switches();
            let due = walk.due().min(sample);
            let n = ((due - walk.t) / wanted).ceil().max(1.0);
            let (from, h) = (walk.t, (due - walk.t) / n);
            for k in 0..n as usize {
                walk.t = from + k as f64 * h;
                walk.step(h);
            }
            walk.t = due;
            if walk.y.iter().any(|y| !y.is_finite() || y.abs() > 1e9) {
                return None;
            }
        }
        if walk.stiffness() * wanted > 1.0 {
            return None;
        }
        states.push(walk.y.clone());
    }
    Some(states)
}

/// Time, state, and what a model without set-valued force counts.
struct Walk<'c> {
    case: &'c Case,
    machine: &'c Machine,
    bodies: usize,
    /// Where the states of each contact begin.
    places: Vec<usize>,
    /// Contacts whose force is projected.
    projected: Vec<usize>,
    t: f64,
    y: Vec<f64>,
    phase: Vec<usize>,
    modes: Vec<Mode<f64>>,
    /// The last projected forces.
    force: Vec<f64>,
}

impl<'c> Walk<'c> {
    fn new(case: &'c Case) -> Self {
        let machine = &case.machine;
        let bodies = machine.quantities().len();
        let mut places = vec![bodies];
        for model in &case.friction {
            places.push(places[places.len() - 1] + model.states());
        }
        let projected = (0..case.friction.len())
            .filter(|i| is_set_valued(&case.friction[*i]))
            .filter(|i| machine.contacts()[*i].role == Role::Friction)
            .collect();
        let mut walk = Walk {
            case,
            machine,
            bodies,
            places,
            projected,
            t: 0.0,
            y: case.start.clone(),
            phase: vec![0; machine.drives().len() + machine.modes()],
            modes: vec![Mode::default(); case.friction.len()],
            force: vec![0.0; case.friction.len()],
        };
        walk.pass_switches();
        walk.pass_guards();
        for i in 0..case.friction.len() {
            let at = walk.seen(i, walk.t, &walk.y);
            walk.modes[i] = case.friction[i].begin(&at, walk.own(i, &walk.y));
        }
        walk
    }

    /// What contact `i` sees.
    fn seen(&self, i: usize, t: f64, y: &[f64]) -> Drive<f64> {
        let drive = self.machine.drive(i, t, &self.phase, &y[..self.bodies]);
        Drive { mode: self.modes[i], ..drive }
    }

    fn own<'y>(&self, i: usize, y: &'y [f64]) -> &'y [f64] {
        &y[self.places[i]..self.places[i + 1]]
    }

    fn due(&self) -> f64 {
        let drives = 0..self.machine.drives().len();
        drives.map(|i| self.machine.switch(i, self.phase[i])).fold(f64::INFINITY, f64::min)
    }

    fn pass_switches(&mut self) {
        for i in 0..self.machine.drives().len() {
            while self.machine.switch(i, self.phase[i]) <= self.t {
                self.phase[i] += 1;
            }
        }
    }

    /// Modes of the mechanism, where they are found to have ended.
    fn pass_guards(&mut self) {
        let mut guards = vec![0.0; self.machine.guards()];
        self.machine.watch(self.t, &self.phase, &self.y[..self.bodies], &mut guards);
        for k in (0..guards.len()).filter(|k| guards[*k] < 0.0) {
            self.machine.next(k, self.t, &mut self.phase, &mut self.y[..self.bodies]);
        }
    }

    fn step(&mut self, h: f64) {
        if self.projected.is_empty() {
            self.step_smooth(h);
        } else {
            self.step_projected(h);
        }
        self.pass_guards();
        for i in 0..self.modes.len() {
            if !self.projected.contains(&i) && self.case.friction[i].guards() > 0 {
                let at = self.seen(i, self.t + h, &self.y);
                self.modes[i] = self.case.friction[i].commit(&at, self.own(i, &self.y));
            }
        }
    }

    /// The rates of all states, with projected forces as they are.
    fn rates(&self, t: f64, y: &[f64], force: &mut [f64]) -> Vec<f64> {
        let mut dy = vec![0.0; y.len()];
        for (i, model) in self.case.friction.iter().enumerate() {
            if !self.projected.contains(&i) {
                let (at, own) = (self.seen(i, t, y), self.places[i]..self.places[i + 1]);
                force[i] = model.eval(&at, &y[own.clone()], &mut dy[own]);
            }
        }
        let n = self.bodies;
        self.machine.rates(t, &self.phase, &y[..n], force, &mut dy[..n]);
        dy
    }

    /// How fast a state forgets its value at most, 1/s.
    fn stiffness(&self) -> f64 {
        let mut force = self.force.clone();
        let here = self.rates(self.t, &self.y, &mut force);
        let own = |k: usize| {
            let mut y = self.y.clone();
            let aside = 1e-9 * (y[k].abs() + 1e-3);
            y[k] += aside;
            let there = self.rates(self.t, &y, &mut self.force.clone());
            (there[k] - here[k]).abs() / aside
        };
        (0..self.y.len()).map(own).fold(0.0, f64::max)
    }

    fn step_smooth(&mut self, h: f64) {
        let mut force = vec![0.0; self.force.len()];
        let ahead = |rate: &[f64], h: f64| -> Vec<f64> {
            self.y.iter().zip(rate).map(|(y, rate)| y + h * rate).collect()
        };
        let a = self.rates(self.t, &self.y, &mut force);
        let b = self.rates(self.t + 0.5 * h, &ahead(&a, 0.5 * h), &mut force);
        let c = self.rates(self.t + 0.5 * h, &ahead(&b, 0.5 * h), &mut force);
        let d = self.rates(self.t + h, &ahead(&c, h), &mut force);
        for k in 0..self.y.len() {
            self.y[k] += h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]);
        }
    }

    /// Velocities first, with the projected forces; then positions, with the mean of old and new velocities.
    fn step_projected(&mut self, h: f64) {
        let quantities = self.machine.quantities();
        let limits: Vec<[f64; 2]> = self.projected.iter().map(|i| self.limits(*i)).collect();
        let after = |rate: &[f64]| -> Vec<f64> {
            let moved = |k: usize| match quantities[k].kind {
                Kind::Position => self.y[k],
                _ => self.y[k] + h * rate[k],
            };
            (0..self.bodies).map(moved).collect()
        };
        let velocities = |y: &[f64]| -> Vec<f64> {
            let seen = |i: &usize| self.machine.drive(*i, self.t + h, &self.phase, y).v;
            self.projected.iter().map(seen).collect()
        };
        // Velocities without the projected forces, and what a unit of each takes away.
        let mut force = self.force.clone();
        self.projected.iter().for_each(|i| force[*i] = 0.0);
        let free = velocities(&after(&self.rates(self.t, &self.y, &mut force)));
        let response: Vec<Vec<f64>> = self
            .projected
            .iter()
            .map(|i| {
                let mut unit = force.clone();
                unit[*i] = 1.0;
                let slowed = velocities(&after(&self.rates(self.t, &self.y, &mut unit)));
                free.iter().zip(slowed).map(|(free, slowed)| free - slowed).collect()
            })
            .collect();
        let mut held: Vec<f64> = self.projected.iter().map(|i| self.force[*i]).collect();
        for _ in 0..200 {
            let mut moved = 0.0f64;
            for i in 0..held.len() {
                if response[i][i] > 0.0 {
                    let v =
                        free[i] - (0..held.len()).map(|j| response[j][i] * held[j]).sum::<f64>();
                    let [low, high] = limits[i];
                    let to = (held[i] + v / response[i][i]).clamp(low, high);
                    moved = moved.max((to - held[i]).abs() / (high - low + 1e-300));
                    held[i] = to;
                }
            }
            if moved < 1e-13 || held.len() == 1 {
                break;
            }
        }
        for (i, held) in self.projected.iter().zip(held) {
            force[*i] = held;
        }
        let rates = self.rates(self.t, &self.y, &mut force);
        let mut next = after(&rates);
        let mut last = vec![0.0; self.bodies];
        self.machine.rates(self.t + h, &self.phase, &next, &force, &mut last);
        for k in (0..self.bodies).filter(|k| quantities[*k].kind == Kind::Position) {
            next[k] += 0.5 * h * (rates[k] + last[k]);
        }
        self.y[..self.bodies].copy_from_slice(&next);
        for k in self.bodies..self.y.len() {
            self.y[k] += h * rates[k];
        }
        self.force = force;
    }

    /// The least and greatest force of contact `i` over the step, by the definition of its model.
    fn limits(&self, i: usize) -> [f64; 2] {
        let at = self.seen(i, self.t, &self.y);
        if at.load <= 0.0 {
            return [0.0; 2];
        }
        let model = &self.case.friction[i];
        // A body on an edge that moves is beyond it.
        let beyond =
            |pitch: f64| at.x + if at.v == 0.0 { 0.0 } else { at.v.signum() * 1e-9 * pitch };
        match model {
            AnyBristle::Sawtooth(m) => {
                let tooth = |x: f64| (x / m.delta).rem_euclid(1.0);
                let level = |x: f64| m.f_min + (m.f_max - m.f_min) * tooth(x);
                [-level(-beyond(m.delta)), level(beyond(m.delta))]
            }
            AnyBristle::RotatingDiscontinuous(m) => row_limits(&m.row(), beyond(m.delta)),
            _ => {
                let most = at.load * dry_level(model, at.v).unwrap_or(0.0);
                [-most, most]
            }
        }
    }
}

/// 001 (13) and (15): the bristles at the left corner, and those at the right one.
fn row_limits(row: &Row<f64>, x: f64) -> [f64; 2] {
    let (d0, half) = (row.d0(), 0.5 * row.d);
    let (left, right) = (x - half - row.offset, x + half - row.offset);
    let sum = |from: f64, to: f64, pull: &dyn Fn(f64) -> f64, own: &dyn Fn(f64) -> bool| {
        let (first, last) =
            ((from / row.delta).floor() as i64 - 1, (to / row.delta).ceil() as i64 + 1);
        let bases = (first..=last).map(|i| i as f64 * row.delta);
        bases.filter(|b| own(*b)).map(pull).sum::<f64>()
    };
    [
        sum(left, left + d0, &|b| row.pull(left - b), &|b| b >= left && b < left + d0),
        sum(right - d0, right, &|b| row.pull(right - b), &|b| b > right - d0 && b <= right),
    ]
}
