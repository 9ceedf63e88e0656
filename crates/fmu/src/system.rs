//! A system with friction as a unit: drives in, columns out.
use crate::block::{Block, Description, Event, Fault, Given, MARGIN, Role, Saved, Variable, sound};
use crate::element::per_second;
use bristle_kernel::Mode as ElementMode;
use bristle_num::Dual;
use bristle_ode::{Cause, Heap, Options, Radau, Reached, Slope, Solver, System as Equations};
use bristle_simulation::Simulation;
use bristle_system::signal::{Ramp, Signal};
use bristle_system::{Coupled, Mechanism, Mode, Units};
use bristle_trace::Signals;

/// A number of a file that may be set before the unit starts.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its key: `system.mass`.
    pub key: String,
    /// Which entry, of a list.
    pub index: Option<usize>,
    /// As a variable.
    pub variable: Variable,
}

/// A drive that comes from outside.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its key in the file: `system.drive`.
    pub key: String,
    /// Its name as a variable.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its value at the start.
    pub start: f64,
}

/// Where a system comes from.
pub struct Origin<M> {
    /// What it is called.
    pub name: String,
    /// One line.
    pub title: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// When a run ends, s, and its tolerance.
    pub end: f64,
    /// The tolerance of a run.
    pub tolerance: f64,
    /// Makes it with these values of its parameters and inputs; all of them may be as they were.
    #[allow(clippy::type_complexity)]
    pub make: Box<dyn Fn(&[f64], &[f64]) -> Result<Simulation<M>, Fault> + Send>,
}

/// A system, running.
pub struct SystemBlock<M: Mechanism> {
    origin: Origin<M>,
    system: Coupled<M>,
    signals: Signals,
    /// The drives of the mechanism that follow each input.
    drives: Vec<Vec<usize>>,
    /// Inputs whose integral matters: where they are solved by others, each is a state.
    integrals: Vec<usize>,
    ramps: Vec<Ramp<f64>>,
    /// What the inputs came to at the end of the last step.
    applied: Vec<f64>,
    t: f64,
    y: Vec<f64>,
    mode: Mode,
    /// States as others see them: those of the system, then integrals of inputs.
    whole: Vec<f64>,
    /// Outputs that are no states, by column.
    shown: Vec<usize>,
    solver: Option<Solver<Coupled<M>, Radau<Heap>>>,
    /// Whether an input changed over the last step.
    sloped: bool,
    tolerance: f64,
}

/// Columns of a contact before its states: velocity, load, force.
const OF_CONTACT: usize = 3;

impl<M: Mechanism + Clone + Send + 'static> SystemBlock<M> {
    /// The system and what it is.
    pub fn new(origin: Origin<M>) -> Result<(Self, Description), Fault> {
        let start: Vec<f64> = origin.parameters.iter().filter_map(|p| p.variable.start).collect();
        // A mark for each input tells which drives follow it.
        let marks: Vec<f64> = (0..origin.inputs.len()).map(|k| 7.0 + k as f64 / 16.0).collect();
        let marked = (origin.make)(&start, &marks)?;
        let mechanism = &marked.system().mechanism;
        let mode = marked.system().begin(0.0, marked.state());
        let follows = |mark: &f64| {
            let all = 0..mechanism.drives().len();
            all.filter(|i| mechanism.input(*i, 0.0, &mode.phase) == *mark).collect()
        };
        let drives: Vec<Vec<usize>> = marks.iter().map(follows).collect();
        let inputs: Vec<f64> = origin.inputs.iter().map(|i| i.start).collect();
        let made = (origin.make)(&start, &inputs)?;
        let (system, y) = (made.system().clone(), made.state().to_vec());
        let signals = Signals::of(&system);
        let shown: Vec<usize> =
            (1..signals.columns.len()).filter(|c| !signals.states.contains(c)).collect();
        let mode = system.begin(0.0, &y);
        let tolerance = origin.tolerance;
        let mut block = SystemBlock {
            origin,
            signals,
            drives,
            integrals: Vec::new(),
            ramps: inputs.iter().map(|u| held(*u, 0.0, 0.0)).collect(),
            applied: inputs.clone(),
            t: 0.0,
            whole: y.clone(),
            y,
            mode,
            shown,
            solver: None,
            sloped: false,
            tolerance,
            system,
        };
        block.integrals = (0..inputs.len()).filter(|k| block.integrates(*k)).collect();
        let description = block.describe();
        Ok((block, description))
    }

    /// Whether the integral of input `k` enters rates or columns.
    fn integrates(&mut self, k: usize) -> bool {
        let mut seen = Vec::new();
        for before in [0.0, 1e-3] {
            self.steer(k, held(0.1, 0.0, before));
            let (mut dy, mut row) = (vec![0.0; self.y.len()], Vec::new());
            self.system.flow(&self.mode, 0.0, &self.y, &mut dy);
            self.signals.at(&self.system, &self.mode, 0.0, &self.y, &mut row);
            seen.push((dy, row));
        }
        self.steer(k, self.ramps[k]);
        seen[0] != seen[1]
    }

    fn steer(&mut self, k: usize, ramp: Ramp<f64>) {
        for i in &self.drives[k] {
            self.system.mechanism.steer(*i, ramp);
        }
    }

    fn describe(&self) -> Description {
        let (system, signals, origin) = (&self.system, &self.signals, &self.origin);
        let mut variables: Vec<Variable> =
            origin.parameters.iter().map(|p| p.variable.clone()).collect();
        for (k, input) in origin.inputs.iter().enumerate() {
            variables.push(Variable {
                meaning: "drive".to_owned(),
                start: Some(input.start),
                ..Variable::new(&input.name, &input.unit, Role::Input(k))
            });
        }
        let n = self.y.len();
        let sizes = system.small_values();
        let inputs = (0..origin.inputs.len()).map(Role::Input);
        let summed = (0..self.integrals.len()).map(|k| Role::State(n + k));
        let outside: Vec<Role> = inputs.chain(summed).collect();
        let column = |c: usize| (signals.columns[c].0.as_str(), signals.columns[c].1);
        for (k, c) in signals.states.iter().enumerate() {
            let (name, unit) = column(*c);
            variables.push(Variable {
                meaning: "state".to_owned(),
                start: Some(self.y[k]),
                nominal: Some(sizes[k]),
                depends: Some(vec![Role::State(k)]),
                ..Variable::new(name, unit, Role::State(k))
            });
        }
        for (k, i) in self.integrals.iter().enumerate() {
            let input = &origin.inputs[*i];
            variables.push(Variable {
                meaning: format!("integral of {}", input.name),
                start: Some(0.0),
                nominal: Some(1e-3),
                depends: Some(vec![Role::State(n + k)]),
                ..Variable::new(
                    format!("int({})", input.name),
                    times_second(&input.unit),
                    Role::State(n + k),
                )
            });
        }
        for (k, c) in signals.states.iter().enumerate() {
            let (name, unit) = column(*c);
            let mut depends = Vec::new();
            system.depends(k, &mut |on| depends.push(Role::State(on)));
            depends.extend(&outside);
            variables.push(Variable {
                depends: Some(depends),
                ..Variable::new(format!("der({name})"), per_second(unit), Role::Rate(k))
            });
        }
        for (k, i) in self.integrals.iter().enumerate() {
            let input = &origin.inputs[*i];
            variables.push(Variable {
                depends: Some(vec![Role::Input(*i)]),
                ..Variable::new(format!("der(int({}))", input.name), &input.unit, Role::Rate(n + k))
            });
        }
        for (k, c) in self.shown.iter().enumerate() {
            let (name, unit) = column(*c);
            variables.push(Variable::new(name, unit, Role::Output(k)));
        }
        let guards = Equations::guards(system);
        for k in 0..guards {
            variables.push(Variable::new(format!("event_{}", k + 1), "", Role::Indicator(k)));
        }
        Description {
            name: origin.name.clone(),
            title: origin.title.clone(),
            variables,
            inputs: origin.inputs.len(),
            states: n + self.integrals.len(),
            outputs: self.shown.len(),
            indicators: guards,
            exchanges: true,
            derives: self.derives(),
            end: origin.end,
            step: origin.end / 1000.0,
            tolerance: origin.tolerance,
        }
    }

    /// Whether everything has exact derivatives: not what mechanisms put out beside their contacts, nor along integrals.
    fn derives(&self) -> bool {
        self.integrals.is_empty() && self.system.mechanism.outputs().is_empty()
    }

    /// Puts inputs where the mechanism sees them, at this time.
    fn hold(&mut self) {
        for k in 0..self.ramps.len() {
            let before = match self.integrals.iter().position(|i| *i == k) {
                Some(place) => self.whole[self.y.len() + place],
                None => 0.0,
            };
            let ramp = held(self.ramps[k].value, self.t, before);
            self.steer(k, ramp);
        }
    }

    /// Whether set-valued contacts that stick are torn off by a jump of an input: then their modes begin anew.
    fn resume(&mut self) {
        let sets = (0..self.system.contacts()).any(|i| self.system.set_valued(i));
        if sets {
            let resumed = self.system.resume(self.t, &self.y, &self.mode.contacts);
            self.mode.contacts = resumed.contacts;
        }
    }

    /// The columns of contacts in dual numbers, those of others as they are.
    fn row(&self, t: Slope, y: &[Slope], dy: &mut [Slope]) -> Vec<(usize, Slope)> {
        let force = self.system.flow(&self.mode, t, y, dy);
        let first = self.contact_columns();
        (0..self.system.contacts())
            .flat_map(|i| {
                let (at, _) = self.system.contact(&self.mode, i, t, y);
                let column = first[i];
                [(column, at.v), (column + 1, at.load), (column + 2, force[i])]
            })
            .collect()
    }

    /// Where the columns of each contact begin.
    fn contact_columns(&self) -> Vec<usize> {
        let mechanism = &self.system.mechanism;
        let drives = if mechanism.shows_drives() { mechanism.drives().len() } else { 0 };
        let mut next = 1 + drives + mechanism.quantities().len();
        let mut all = Vec::new();
        for i in 0..self.system.contacts() {
            all.push(next);
            next += OF_CONTACT + self.system.place(i).len();
        }
        all
    }
}

/// An input that is held from `t` on.
fn held(value: f64, t: f64, before: f64) -> Ramp<f64> {
    Ramp { value, slope: 0.0, since: t, before }
}

fn times_second(unit: &str) -> String {
    match unit {
        "" | "1" => "s".to_owned(),
        "m/s" => Units::LINE.position.to_owned(),
        "rad/s" => Units::SHAFT.position.to_owned(),
        unit => format!("{unit}*s"),
    }
}

impl<M: Mechanism + Clone + Send + 'static> Block for SystemBlock<M> {
    fn begin(&mut self, t: f64, given: &Given) -> Result<(), Fault> {
        let made = (self.origin.make)(&given.parameters, &given.inputs)?;
        self.system = made.system().clone();
        self.t = t;
        let n = self.y.len();
        self.y.copy_from_slice(&given.start[..n]);
        self.whole.clear();
        self.whole.extend(&given.start);
        let ramps = given.inputs.iter().zip(&given.slopes);
        self.ramps = ramps.map(|(u, du)| Ramp { slope: *du, ..held(*u, t, 0.0) }).collect();
        self.applied.clone_from(&given.inputs);
        self.hold();
        self.mode = self.system.begin(t, &self.y);
        self.solver = None;
        Ok(())
    }

    fn time(&self) -> f64 {
        self.t
    }

    fn set_time(&mut self, t: f64) {
        self.t = t;
        self.solver = None;
    }

    fn set_inputs(&mut self, inputs: &[f64], slopes: &[f64]) {
        for (ramp, (u, du)) in self.ramps.iter_mut().zip(inputs.iter().zip(slopes)) {
            (ramp.value, ramp.slope) = (*u, *du);
        }
    }

    fn states(&self) -> &[f64] {
        &self.whole
    }

    fn set_states(&mut self, y: &[f64]) {
        self.whole.copy_from_slice(y);
        let n = self.y.len();
        self.y.copy_from_slice(&y[..n]);
        self.solver = None;
    }

    fn rates(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.hold();
        let n = self.y.len();
        self.system.flow(&self.mode, self.t, &self.y, &mut out[..n]);
        for (to, i) in out[n..].iter_mut().zip(&self.integrals) {
            *to = self.ramps[*i].value;
        }
        sound("a rate", out)
    }

    fn outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.hold();
        let mut row = Vec::new();
        self.signals.at(&self.system, &self.mode, self.t, &self.y, &mut row);
        out.iter_mut().zip(&self.shown).for_each(|(to, column)| *to = row[*column]);
        sound("an output", out)
    }

    fn indicators(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.hold();
        Equations::watch(&self.system, &self.mode, self.t, &self.y, out);
        out.iter_mut().for_each(|guard| *guard += MARGIN);
        sound("an event indicator", out)
    }

    fn event(&mut self) -> Result<Event, Fault> {
        self.hold();
        let before = self.y.clone();
        let mut guards = vec![0.0; Equations::guards(&self.system)];
        let due = Equations::due(&self.system, &self.mode);
        if self.t - due > LONGEST {
            let why = format!(
                "an event was due at {due} s, and time is {} s: it may not be passed over",
                self.t
            );
            return Err(Fault(why));
        }
        for _ in 0..MAX_CHANGES {
            let (mode, t) = (&self.mode, self.t);
            let late = Equations::due(&self.system, mode) <= t + RESOLUTION * t.abs().max(1e-3);
            Equations::watch(&self.system, mode, t, &self.y, &mut guards);
            let fired: Vec<bool> = guards.iter().map(|g| *g < -0.5 * MARGIN).collect();
            if late {
                // The clock may be a rounding ahead of the importer's.
                let due = Equations::due(&self.system, mode).max(t);
                Equations::next(&self.system, &mut self.mode, due, &mut self.y, Cause::Clock);
            } else if fired.contains(&true) {
                let cause = Cause::Guards(&fired);
                Equations::next(&self.system, &mut self.mode, t, &mut self.y, cause);
            } else {
                let n = self.y.len();
                self.whole[..n].copy_from_slice(&self.y);
                self.solver = None;
                let next = Equations::due(&self.system, &self.mode);
                return Ok(Event { jumped: before != self.y, next });
            }
        }
        Err(Fault::from(
            "events follow each other without end at one instant: friction and drive do not agree",
        ))
    }

    fn slopes(&mut self, known: Role, rates: &mut [f64], outputs: &mut [f64]) -> Result<(), Fault> {
        if !self.derives() {
            return Err(Fault::from("this unit has no exact derivatives"));
        }
        let columns = |shown: &[usize], row: &[(usize, f64)], outputs: &mut [f64]| {
            for (to, column) in outputs.iter_mut().zip(shown) {
                *to = row.iter().find(|(c, _)| c == column).map_or(0.0, |(_, slope)| *slope);
            }
        };
        self.hold();
        let n = self.y.len();
        let mut dy = vec![Slope::from(0.0); n];
        match known {
            Role::State(k) => {
                let seeded = |(i, y): (usize, &f64)| match i == k {
                    true => Slope::variable(*y, 0),
                    false => Slope::constant(*y),
                };
                let y: Vec<Slope> = self.y.iter().enumerate().map(seeded).collect();
                let row = self.row(Slope::from(self.t), &y, &mut dy);
                rates.iter_mut().zip(&dy).for_each(|(to, from)| *to = from.eps[0]);
                let row: Vec<_> = row.into_iter().map(|(c, x)| (c, x.eps[0])).collect();
                columns(&self.shown, &row, outputs);
            }
            Role::Input(k) => {
                // An input that rises by one a second changes all with time as a change of it does; what changes with time
                // besides is the same where it falls.
                let y: Vec<Slope> = self.y.iter().map(|y| Slope::constant(*y)).collect();
                let mut found = Vec::new();
                for slope in [1.0, -1.0] {
                    self.steer(k, Ramp { slope, ..held(self.ramps[k].value, self.t, 0.0) });
                    let row = self.row(Dual::variable(self.t, 0), &y, &mut dy);
                    let row: Vec<_> = row.into_iter().map(|(c, x)| (c, x.eps[0])).collect();
                    found.push((dy.iter().map(|d| d.eps[0]).collect::<Vec<f64>>(), row));
                }
                self.hold();
                let (up, down) = (&found[0], &found[1]);
                let pairs = up.0.iter().zip(&down.0);
                rates.iter_mut().zip(pairs).for_each(|(to, (a, b))| *to = 0.5 * (a - b));
                let pairs = up.1.iter().zip(&down.1);
                let row: Vec<_> = pairs.map(|((c, a), (_, b))| (*c, 0.5 * (a - b))).collect();
                columns(&self.shown, &row, outputs);
                // The drive itself may be among the columns.
                let drives = &self.drives[k];
                let shows = self.system.mechanism.shows_drives();
                for (to, column) in outputs.iter_mut().zip(&self.shown) {
                    if shows && drives.iter().any(|drive| 1 + drive == *column) {
                        *to = 1.0;
                    }
                }
            }
            _ => return Err(Fault::from("parameters of a system have no exact derivatives here")),
        }
        Ok(())
    }

    fn step(&mut self, h: f64, stop: &mut dyn FnMut(f64) -> bool) -> Result<f64, Fault> {
        let (t, end) = (self.t, self.t + h);
        let n = self.y.len();
        // What inputs have been until now is told by their integrals; now they go on as they are given.
        let mut changed = self.solver.is_none();
        let mut jumped = false;
        for k in 0..self.ramps.len() {
            let Ramp { value, slope, .. } = self.ramps[k];
            let place = self.integrals.iter().position(|i| *i == k);
            let before = place.map_or(0.0, |place| self.whole[n + place]);
            let now = Ramp { slope, ..held(value, t, before) };
            let was = self.applied[k];
            let differs = (was - value).abs() > ROUNDING * value.abs().max(was.abs());
            jumped |= differs;
            // A line that goes on from a slope is another one.
            changed |= differs || slope != 0.0 || self.sloped;
            self.steer(k, now);
        }
        self.sloped = self.ramps.iter().any(|ramp| ramp.slope != 0.0);
        if jumped {
            self.resume();
        }
        if changed {
            let (system, rtol) = (&self.system, self.tolerance);
            let atol = system.tolerances(rtol);
            let options = Options { max_steps: usize::MAX, ..Options::new(rtol, &atol) };
            match &mut self.solver {
                Some(solver) if solver.t() == t => {
                    solver.restart(system, &self.y, self.mode.clone())
                }
                solver => {
                    let radau = Radau::new(system);
                    *solver =
                        Some(Solver::new(system, radau, t, &self.y, self.mode.clone(), options));
                }
            }
        }
        let Some(solver) = &mut self.solver else { return Err(Fault::from("there is no solver")) };
        let limit = solver.statistics().accepted + solver.statistics().rejected + MOST_STEPS;
        let outcome = loop {
            if solver.t() >= end {
                break Ok(());
            }
            match solver.advance(&self.system, end) {
                Err(failure) => break Err(Fault(failure.to_string())),
                Ok(Reached::End) => break Ok(()),
                Ok(Reached::Event) if solver.t() > t && stop(solver.t()) => break Ok(()),
                Ok(_) => {}
            }
            let taken = solver.statistics().accepted + solver.statistics().rejected;
            if taken > limit {
                break Err(Fault(format!(
                    "the step took more than {MOST_STEPS} steps of the solver"
                )));
            }
        };
        if let Err(fault) = outcome {
            self.solver = None;
            return Err(fault);
        }
        self.t = if solver.t() >= end { end } else { solver.t() };
        self.y.copy_from_slice(solver.y());
        self.mode.clone_from(solver.mode());
        self.whole[..n].copy_from_slice(&self.y);
        for (place, i) in self.integrals.iter().enumerate() {
            let Ramp { value, slope, .. } = self.ramps[*i];
            let ramp = Ramp { slope, ..held(value, t, self.whole[n + place]) };
            self.whole[n + place] = ramp.integral(self.t, 0);
        }
        for (ramp, applied) in self.ramps.iter_mut().zip(&mut self.applied) {
            *applied = ramp.value + ramp.slope * (self.t - t);
            (ramp.value, ramp.slope) = (*applied, 0.0);
        }
        Ok(self.t)
    }

    fn save(&self) -> Vec<f64> {
        let mut all = vec![self.t];
        all.extend(&self.whole);
        let ramps = self.ramps.iter().zip(&self.applied);
        all.extend(ramps.flat_map(|(ramp, applied)| [ramp.value, ramp.slope, *applied]));
        all.extend(self.mode.phase.iter().map(|phase| *phase as f64));
        for contact in &self.mode.contacts {
            all.push(contact.element.way);
            all.extend(contact.element.index);
            all.extend([contact.side, f64::from(u8::from(contact.carried))]);
            all.push(f64::from(u8::from(contact.shared)));
        }
        all
    }

    fn restore(&mut self, saved: &[f64]) -> Result<(), Fault> {
        let mut saved = Saved(saved);
        let t = saved.one()?;
        let whole = saved.take(self.whole.len())?;
        let ramps = saved.take(3 * self.ramps.len())?;
        let phase = saved.take(self.mode.phase.len())?;
        let mut mode = self.mode.clone();
        for contact in &mut mode.contacts {
            let way = saved.one()?;
            let mut element = ElementMode { way, ..contact.element };
            let n = element.index.len();
            element.index.copy_from_slice(saved.take(n)?);
            let [side, carried, shared] = [saved.one()?, saved.one()?, saved.one()?];
            contact.element = element;
            (contact.side, contact.carried, contact.shared) = (side, carried != 0.0, shared != 0.0);
        }
        mode.phase.iter_mut().zip(phase).for_each(|(to, from)| *to = *from as usize);
        let n = self.y.len();
        self.y.copy_from_slice(&whole[..n]);
        self.whole.copy_from_slice(whole);
        let own = self.ramps.iter_mut().zip(&mut self.applied);
        for ((ramp, applied), saved) in own.zip(ramps.chunks_exact(3)) {
            (ramp.value, ramp.slope, *applied) = (saved[0], saved[1], saved[2]);
        }
        (self.t, self.mode, self.solver) = (t, mode, None);
        self.hold();
        Ok(())
    }
}

/// So many changes of mode one event may bring.
const MAX_CHANGES: usize = 1000;
/// So many steps of the solver one step may take.
const MOST_STEPS: usize = 200_000;
/// Nobody passes over an event for longer, s.
const LONGEST: f64 = 1e4;
/// A part of an input that is no jump of it.
const ROUNDING: f64 = 1e-12;
/// By what part of time an importer's clock may be off.
const RESOLUTION: f64 = 1e-12;
