use crate::{Extreme, Trace};
use bristle_kernel::Measure;
use bristle_ode::Dense;
use bristle_system::{Coupled, Kind, Mechanism, Mode, State, Step, Units, Watch};
use std::ops::ControlFlow;

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
#[derive(Clone, Debug)]
pub struct Signals {
    /// Name and unit of each.
    pub columns: Vec<(String, &'static str)>,
    /// The places of the states among them.
    pub states: Vec<usize>,
    /// The places of velocities among them.
    pub velocities: Vec<usize>,
    /// How many of them are drives.
    drives: usize,
}

impl Signals {
    /// Those of a system.
    pub fn of<M: Mechanism>(system: &Coupled<M>) -> Self {
        let mechanism = &system.mechanism;
        let contacts = mechanism.contacts();
        let bodies = mechanism.quantities();
        let drives = if mechanism.shows_drives() { mechanism.drives() } else { &[] };
        let mut columns: Vec<(String, &'static str)> = vec![("t".into(), "s")];
        columns.extend(drives.iter().map(|q| (q.name.into(), q.unit)));
        let mut states: Vec<usize> = (columns.len()..columns.len() + bodies.len()).collect();
        let moving = bodies.iter().zip(&states).filter(|(q, _)| q.kind == Kind::Velocity);
        let mut velocities: Vec<usize> = moving.map(|(_, column)| *column).collect();
        columns.extend(bodies.iter().map(|q| (q.name.into(), q.unit)));
        for (i, contact) in contacts.iter().enumerate() {
            let marked = |name: &str| match contact.name {
                "" => name.to_owned(),
                contact => format!("{name}_{contact}"),
            };
            let units = contact.units;
            velocities.push(columns.len());
            for (name, unit) in [("v_rel", units.velocity), ("N", units.force), ("F", units.force)]
            {
                columns.push((marked(name), unit));
            }
            for k in system.place(i) {
                let State::Bristle(_, variable) = system.state(k) else { continue };
                states.push(columns.len());
                // What a model measures along a line turns where its contact does.
                let unit = match (variable.measure, units == Units::LINE) {
                    (Measure::Deflection, false) => units.position,
                    (Measure::Rate, false) => units.velocity,
                    (Measure::Force, false) => units.force,
                    _ => variable.unit,
                };
                columns.push((marked(&variable.to_string()), unit));
            }
        }
        columns.extend(mechanism.outputs().iter().map(|q| (q.name.into(), q.unit)));
        Signals { columns, states, velocities, drives: drives.len() }
    }

    /// Their values at one instant.
    pub fn at<M: Mechanism>(
        &self,
        system: &Coupled<M>,
        mode: &Mode,
        t: f64,
        y: &[f64],
        row: &mut Vec<f64>,
    ) {
        let mechanism = &system.mechanism;
        let bodies = &y[..mechanism.quantities().len()];
        let force = system.forces(mode, t, y);
        row.clear();
        row.push(t);
        row.extend((0..self.drives).map(|i| mechanism.input(i, t, &mode.phase)));
        row.extend(bodies);
        for i in 0..system.contacts() {
            let (at, z) = system.contact(mode, i, t, y);
            row.extend([at.v, at.load, force[i]]);
            row.extend(z);
        }
        let outputs = row.len();
        row.resize(self.columns.len(), 0.0);
        mechanism.output(t, &mode.phase, bodies, &force, &mut row[outputs..]);
    }
}

/// Records a run: a trace at times of its own, and the extremes of every column between them.
///
/// Both lie on the dense output: what is recorded does not change the run, and the extremes do not
/// depend on the rows. Where a quantity jumps both sides are extremes, and rows taken at every step show both;
/// rows at equal distances show what is from then on.
#[derive(Clone, Debug)]
pub struct Recorder {
    signals: Signals,
    trace: Trace,
    extremes: Vec<Extreme>,
    spacing: Spacing,
    next: u64,
    last: f64,
    /// The row where the run stands; those in the middle and at the start of the last step, and a state.
    row: Vec<f64>,
    middle: Vec<f64>,
    before: Vec<f64>,
    y: Vec<f64>,
}

/// At so many places within a step extremes are looked for.
const LOOKS: usize = 8;

impl Recorder {
    /// For that system; the state `y` at `t` is the first row.
    pub fn new<M: Mechanism>(
        system: &Coupled<M>,
        mode: &Mode,
        t: f64,
        y: &[f64],
        spacing: Spacing,
    ) -> Self {
        let signals = Signals::of(system);
        let mut trace =
            Trace::new(signals.columns.iter().map(|(name, unit)| (name.as_str(), *unit)));
        let mut row = Vec::new();
        signals.at(system, mode, t, y, &mut row);
        let extremes = row.iter().map(|x| Extreme::new(t, *x)).collect();
        let next = match spacing {
            Spacing::Even(dt) => (t / dt).floor() as u64 + 1,
            Spacing::Steps => 0,
        };
        let (middle, before, y) = (row.clone(), row.clone(), y.to_vec());
        trace.push(&row);
        Recorder { signals, trace, extremes, spacing, next, last: t, row, middle, before, y }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.trace.rows()
    }

    /// The table, closed with the state `y` at the end of the run, and the extremes.
    pub fn finish<M: Mechanism>(
        mut self,
        system: &Coupled<M>,
        mode: &Mode,
        t: f64,
        y: &[f64],
    ) -> (Trace, Vec<Extreme>) {
        if t > self.last {
            self.signals.at(system, mode, t, y, &mut self.row);
            self.trace.push(&self.row);
        }
        (self.trace, self.extremes)
    }

    /// Looks for extremes within a step. Three places show whether a column can go beyond what it has been: no further
    /// than they lie apart, and only where a parabola through them has its vertex in the step or near it.
    fn look<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, dense: &dyn Dense) {
        let (start, end) = (dense.start(), dense.end());
        std::mem::swap(&mut self.row, &mut self.before);
        self.fill(system, mode, dense, 0.5 * (start + end));
        std::mem::swap(&mut self.row, &mut self.middle);
        self.fill(system, mode, dense, end);
        let mut turns = false;
        for column in 1..self.row.len() {
            let [a, b, c] = [&self.before, &self.middle, &self.row].map(|row| row[column]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let spread = high - low;
            let extreme = &mut self.extremes[column];
            if extreme.exceeded(high + spread) || extreme.exceeded(low - spread) {
                extreme.take(end, c);
                turns |= (c - a).abs() <= 4.0 * (a - 2.0 * b + c).abs();
            }
        }
        if turns {
            self.look_closely(system, mode, dense);
        }
    }

    /// Looks for extremes at a few places of a step, and beside one of them where a column turns there. At an end of the
    /// step it turns if it is beaten just inside.
    fn look_closely<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, dense: &dyn Dense) {
        let (start, end) = (dense.start(), dense.end());
        let spacing = (end - start) / LOOKS as f64;
        let mut seen = Vec::with_capacity(LOOKS + 3);
        let inside = 1e-3 * spacing;
        let places = (0..=LOOKS).map(|k| start + spacing * k as f64);
        let places = [start, start + inside].into_iter().chain(places.skip(1).take(LOOKS - 1));
        let mut y = vec![0.0; self.signals.states.len()];
        for t in places.chain([end - inside, end]) {
            let mut row = Vec::new();
            dense.at(t, &mut y);
            self.signals.at(system, mode, t, &y, &mut row);
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
                    dense.at(t, &mut y);
                    signals.at(system, mode, t, &y, &mut row);
                    row[column]
                });
            }
        }
    }

    /// Writes the row at a time within a step.
    fn fill<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, dense: &dyn Dense, t: f64) {
        dense.at(t, &mut self.y);
        self.signals.at(system, mode, t, &self.y, &mut self.row);
    }

    /// Whether a row at equal distances is due at `t`; the next one is, from then on.
    fn is_due(&mut self, t: f64) -> bool {
        let due = matches!(self.spacing, Spacing::Even(dt) if self.next as f64 * dt == t);
        self.next += u64::from(due);
        due
    }
}

impl<M: Mechanism> Watch<M> for Recorder {
    /// Records what lies in a step.
    fn step(&mut self, system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        let end = step.end();
        if end <= step.start() {
            return ControlFlow::Continue(());
        }
        self.look(system, step.mode, step.dense);
        if let Spacing::Even(dt) = self.spacing {
            while (self.next as f64 * dt) < end {
                let t = self.next as f64 * dt;
                step.dense.at(t, &mut self.y);
                self.signals.at(system, step.mode, t, &self.y, &mut self.middle);
                self.trace.push(&self.middle);
                self.next += 1;
            }
        }
        if self.spacing == Spacing::Steps || (!step.ends_mode && self.is_due(end)) {
            self.trace.push(&self.row);
            self.last = end;
        }
        ControlFlow::Continue(())
    }

    /// Records what is from the end of the step on.
    fn arrived(&mut self, system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) {
        let before = std::mem::take(&mut self.row);
        self.signals.at(system, mode, t, y, &mut self.row);
        let rounds = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUNDING * (a.abs() + b.abs());
        let jumps = !before.iter().zip(&self.row).all(rounds);
        if self.is_due(t) || (self.spacing == Spacing::Steps && jumps) {
            self.trace.push(&self.row);
            self.last = t;
        }
        for (extreme, value) in self.extremes.iter_mut().zip(&self.row) {
            extreme.take(t, *value);
        }
    }
}

/// What differs by less than this part is no jump.
const ROUNDING: f64 = 1e-9;
