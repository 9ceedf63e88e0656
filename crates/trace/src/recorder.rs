use crate::{Extreme, Trace};
use bristle_ode::Dense;
use bristle_system::{Coupled, Mechanism, State};

/// When rows are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// At the end of every step of the solver.
    Steps,
    /// At multiples of this time, s, and at the end.
    Even(f64),
}

/// What a coupled system shows: time, drive, states, and for each contact velocity, load, force and
/// bristle states.
pub struct Signals {
    /// Name and unit of each.
    pub columns: Vec<(String, &'static str)>,
    /// The places of the states among them.
    pub states: Vec<usize>,
    /// Whether the drive is no quantity of its own, as a prescribed velocity is not.
    driven: bool,
}

impl Signals {
    /// Those of a system.
    pub fn of<M: Mechanism>(system: &Coupled<M>) -> Self {
        let mechanism = &system.mechanism;
        let driven = mechanism.driven();
        let single = mechanism.contacts().len() == 1;
        let bodies = mechanism.quantities();
        // A prescribed velocity is the contact's own.
        let own = driven.name != "v";
        let mut columns: Vec<(String, &'static str)> = vec![("t".into(), "s")];
        if own {
            columns.push((driven.name.into(), driven.unit));
        }
        let mut states: Vec<usize> = (columns.len()..columns.len() + bodies.len()).collect();
        columns.extend(bodies.iter().map(|q| (q.name.into(), q.unit)));
        for (i, contact) in mechanism.contacts().iter().enumerate() {
            let marked = |name: &str| match single {
                true => name.to_owned(),
                false => format!("{name}_{}", contact.name),
            };
            let (speed, load) = match driven.unit {
                "rad" => ("rad/s", "N*m"),
                _ => ("m/s", "N"),
            };
            for (name, unit) in [("v_rel", speed), ("N", load), ("F", load)] {
                columns.push((marked(name), unit));
            }
            for k in system.place(i) {
                let State::Bristle(_, variable) = system.state(k) else { continue };
                states.push(columns.len());
                columns.push((marked(&variable.to_string()), variable.unit));
            }
        }
        columns.extend(mechanism.outputs().iter().map(|q| (q.name.into(), q.unit)));
        Signals { columns, states, driven: own }
    }

    /// Their values at one instant.
    pub fn at<M: Mechanism>(&self, system: &Coupled<M>, t: f64, y: &[f64], row: &mut Vec<f64>) {
        let (mechanism, phase) = (&system.mechanism, system.phase());
        let bodies = &y[..mechanism.quantities().len()];
        let mut dy = y.to_vec();
        let force = system.forces(t, y, &mut dy);
        row.clear();
        row.push(t);
        if self.driven {
            row.push(mechanism.input(t, phase));
        }
        row.extend(bodies);
        for i in 0..system.contacts() {
            let (at, z) = system.contact(i, t, y);
            row.extend([at.v, at.load, force[i]]);
            row.extend(z);
        }
        let outputs = row.len();
        row.resize(self.columns.len(), 0.0);
        mechanism.output(t, phase, bodies, &force, &mut row[outputs..]);
    }
}

/// Records a run: a trace at times of its own, and the extremes of every column between them.
///
/// Both lie on the dense output: what is recorded does not change the run, and the extremes do not
/// depend on the rows. At a switch the row is that of the step which ends there.
pub struct Recorder {
    signals: Signals,
    trace: Trace,
    extremes: Vec<Extreme>,
    spacing: Spacing,
    next: u64,
    last: f64,
    row: Vec<f64>,
}

/// At so many places within a step extremes are looked for.
const LOOKS: usize = 8;

impl Recorder {
    /// For that system; the state `y` at `t` is the first row.
    pub fn new<M: Mechanism>(system: &Coupled<M>, t: f64, y: &[f64], spacing: Spacing) -> Self {
        let signals = Signals::of(system);
        let trace = Trace::new(signals.columns.iter().map(|(name, unit)| (name.as_str(), *unit)));
        let mut row = Vec::new();
        signals.at(system, t, y, &mut row);
        let extremes = row.iter().map(|x| Extreme::new(t, *x)).collect();
        let next = match spacing {
            Spacing::Even(dt) => (t / dt).floor() as u64 + 1,
            Spacing::Steps => 0,
        };
        let mut recorder = Recorder { signals, trace, extremes, spacing, next, last: t, row };
        recorder.take(system, t, y);
        recorder
    }

    /// Records what lies in a step, at the discrete state that it was taken in.
    pub fn step<M: Mechanism, const N: usize>(&mut self, system: &Coupled<M>, dense: &Dense<N>) {
        match self.spacing {
            Spacing::Steps => self.take(system, dense.end(), &dense.at(dense.end())),
            Spacing::Even(dt) => {
                while self.next as f64 * dt <= dense.end() {
                    let t = self.next as f64 * dt;
                    self.take(system, t, &dense.at(t));
                    self.next += 1;
                }
            }
        }
        self.look(system, dense);
    }

    /// The table, closed with the state `y` at the end of the run, and the extremes.
    pub fn finish<M: Mechanism>(
        mut self,
        system: &Coupled<M>,
        t: f64,
        y: &[f64],
    ) -> (Trace, Vec<Extreme>) {
        if t > self.last {
            self.take(system, t, y);
        }
        (self.trace, self.extremes)
    }

    fn take<M: Mechanism>(&mut self, system: &Coupled<M>, t: f64, y: &[f64]) {
        self.signals.at(system, t, y, &mut self.row);
        self.trace.push(&self.row);
        self.last = t;
    }

    /// Looks for extremes within a step: at a few places, and beside one of them where a column turns
    /// there. At an end of the step it turns if it is beaten just inside.
    fn look<M: Mechanism, const N: usize>(&mut self, system: &Coupled<M>, dense: &Dense<N>) {
        let (start, end) = (dense.start(), dense.end());
        let spacing = (end - start) / LOOKS as f64;
        let mut seen = Vec::with_capacity(LOOKS + 3);
        let inside = 1e-3 * spacing;
        let places = (0..=LOOKS).map(|k| start + spacing * k as f64);
        let places = [start, start + inside].into_iter().chain(places.skip(1).take(LOOKS - 1));
        for t in places.chain([end - inside, end]) {
            let mut row = Vec::new();
            self.signals.at(system, t, &dense.at(t), &mut row);
            seen.push((t, row));
        }
        for column in 1..self.row.len() {
            for sign in [1.0, -1.0] {
                let value = |k: usize| sign * seen[k].1[column];
                let best = (0..seen.len()).max_by(|a, b| value(*a).total_cmp(&value(*b)));
                let Some(k) = best else { continue };
                let (t, found) = (seen[k].0, seen[k].1[column]);
                if k == 0 || k + 1 == seen.len() {
                    self.extremes[column].take(t, found);
                    continue;
                }
                // Between the places it goes less far beyond the best one than that one is beyond
                // its neighbours: a turn a little higher than an earlier one is not missed.
                let margin = value(k) - value(k - 1).min(value(k + 1));
                if !self.extremes[column].exceeded(found + sign * margin) {
                    continue;
                }
                let (signals, mut row) = (&self.signals, Vec::new());
                let beside = [seen[k - 1].0, seen[k + 1].0];
                self.extremes[column].refine(sign, (t, found), beside, |t| {
                    signals.at(system, t, &dense.at(t), &mut row);
                    row[column]
                });
            }
        }
    }
}
