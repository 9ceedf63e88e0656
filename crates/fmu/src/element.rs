//! A friction element as a unit: velocity and load in, force out.
use crate::block::{Block, Description, Event, Fault, Given, MARGIN, Role, Saved, Variable, sound};
use bristle_kernel::{
    AnyBristle, Bristle, Cast, Drive, Field, Free, Group, Kind, MAX_GUARDS, Mode, Params, Update,
    faults,
};
use bristle_num::Dual;

type D = Dual<f64, 1>;

/// An element, running.
pub struct Element {
    template: AnyBristle<f64>,
    model: AnyBristle<f64>,
    update: Update,
    /// Whether it sees the position, and the torques of a transmission.
    positional: bool,
    torques: bool,
    /// Whether it is set-valued at rest: it then slides as the input says, and not as events do.
    set_valued: bool,
    t: f64,
    at: Drive<f64>,
    inputs: Vec<f64>,
    slopes: Vec<f64>,
    z: Vec<f64>,
}

/// A velocity, load and step at which things are tried.
const TRIED: [f64; 3] = [0.01, 1.0, 1e-3];

impl Element {
    /// The element and what it is.
    pub fn new(model: AnyBristle<f64>) -> (Self, Description) {
        let [v, load, h] = TRIED;
        let mut z = vec![0.0; model.states()];
        let takes = |update: &Update| {
            let free = Free::prescribed(v);
            let (mut at, mut z) = (Drive::new(v, load), z.clone());
            model.advance(*update, &mut at, &free, h, &mut z).is_some()
        };
        let update = [Update::Midpoint, Update::Exponential, Update::End].into_iter().find(takes);
        let mut force = |torques: [f64; 2]| {
            let mut at = Drive { torques, ..Drive::new(v, load) };
            at.mode = model.begin(&at, &z);
            model.steady(&at, &mut z)
        };
        let torques = force([0.0; 2]) != force([1.0, 0.0]) || force([0.0; 2]) != force([0.0, 1.0]);
        let positional = model.positional();
        let set_valued = model.limits(&Drive::new(0.0, load)).is_some();
        let description = describe(&model, positional, torques);
        let element = Element {
            template: model.clone(),
            update: update.unwrap_or(Update::Midpoint),
            positional,
            torques,
            set_valued,
            t: 0.0,
            at: Drive::new(0.0, 0.0),
            inputs: vec![0.0; description.inputs],
            slopes: vec![0.0; description.inputs],
            z: vec![0.0; model.states()],
            model,
        };
        (element, description)
    }

    /// What the element sees, in any scalar.
    fn drive<S: bristle_kernel::Real>(&self, inputs: &[S], mode: Mode<f64>) -> Drive<S> {
        let mut at = Drive::new(inputs[0], inputs[1]);
        let mut rest = inputs[2..].iter().copied();
        if self.positional {
            at.x = rest.next().unwrap_or(at.x);
        }
        if self.torques {
            at.torques = std::array::from_fn(|_| rest.next().unwrap_or(S::from(0.0)));
        }
        at.mode = mode.map(S::from);
        if self.set_valued {
            at.mode.way = at.v.sign();
        }
        at
    }

    fn seen(&self) -> Drive<f64> {
        self.drive(&self.inputs, self.at.mode)
    }
}

fn describe(model: &AnyBristle<f64>, positional: bool, torques: bool) -> Description {
    let info = model.info();
    let mut variables = Vec::new();
    let mut numbers = 0;
    model.clone().visit(Group::default(), &mut |visit| {
        let mut enter = |index: Option<usize>, value: f64| {
            let name = match index {
                None => format!("{}{}", visit.group, visit.param.name),
                Some(k) => format!("{}{}[{k}]", visit.group, visit.param.name),
            };
            let range = match visit.param.kind {
                Kind::Number { range, .. } | Kind::List { range, .. } => Some(range),
                Kind::Choice { .. } => None,
            };
            let role = Role::Parameter(numbers);
            numbers += 1;
            variables.push(Variable {
                meaning: visit.param.meaning.to_owned(),
                start: Some(value),
                range,
                ..Variable::new(name, visit.unit, role)
            });
        };
        match &visit.field {
            Field::Number(x) => enter(None, **x),
            Field::List(list) => list.iter().enumerate().for_each(|(k, x)| enter(Some(k), *x)),
            Field::Choice(_) => {}
        }
    });
    let mut inputs = vec![
        ("v", "m/s", "velocity of the body relative to its counterpart"),
        ("N", "N", "normal load; zero or less is lift-off"),
    ];
    if positional {
        inputs.push(("x", "m", "position of the body relative to its counterpart"));
    }
    if torques {
        inputs.push(("tau_motor", "N*m", "torque of the motor"));
        inputs.push(("tau_external", "N*m", "torque of what it drives"));
    }
    for (k, (name, unit, meaning)) in inputs.iter().enumerate() {
        variables.push(Variable {
            meaning: (*meaning).to_owned(),
            start: Some(0.0),
            ..Variable::new(*name, *unit, Role::Input(k))
        });
    }
    let n = model.states();
    let at = Drive::new(0.1, 1.0);
    let (mut reach, zero) = (vec![0.0; n], vec![0.0; n]);
    model.bound(&zero, at.v, at.load, &mut reach);
    let all: Vec<Role> =
        (0..n).map(Role::State).chain((0..inputs.len()).map(Role::Input)).collect();
    for (k, reach) in reach.iter().enumerate() {
        let of = model.variable(k);
        let known = reach.is_finite() && *reach > 0.0;
        variables.push(Variable {
            meaning: "state of the bristle".to_owned(),
            start: Some(0.0),
            nominal: Some(if known { 0.1 * reach } else { 1e-6 }),
            depends: Some(vec![Role::State(k)]),
            ..Variable::new(of.to_string(), of.unit, Role::State(k))
        });
    }
    for k in 0..n {
        let of = model.variable(k);
        let depends = Some(all.clone());
        variables.push(Variable {
            depends,
            ..Variable::new(format!("der({of})"), per_second(of.unit), Role::Rate(k))
        });
    }
    let outputs = [
        ("F", "N", "friction force, positive for positive sliding"),
        ("W", "J", "energy that the bristles store"),
        ("P", "W", "power that friction dissipates"),
    ];
    for (k, (name, unit, meaning)) in outputs.iter().enumerate() {
        variables.push(Variable {
            meaning: (*meaning).to_owned(),
            depends: Some(all.clone()),
            ..Variable::new(*name, *unit, Role::Output(k))
        });
    }
    let guards = model.guards();
    for k in 0..guards {
        let name = format!("event_{}", k + 1);
        variables.push(Variable::new(name, "", Role::Indicator(k)));
    }
    Description {
        name: info.name.to_owned(),
        title: info.title.to_owned(),
        variables,
        inputs: inputs.len(),
        states: n,
        outputs: outputs.len(),
        indicators: guards,
        exchanges: true,
        derives: true,
        end: 1.0,
        step: 1e-3,
        tolerance: 1e-6,
    }
}

/// The unit of a rate.
pub fn per_second(unit: &str) -> String {
    match unit {
        "" | "1" => "1/s".to_owned(),
        unit if unit.contains('/') => format!("{unit}/s"),
        unit => format!("{unit}/s"),
    }
}

impl Block for Element {
    fn begin(&mut self, t: f64, given: &Given) -> Result<(), Fault> {
        let mut model = self.template.clone();
        let mut values = given.parameters.iter();
        model.visit(Group::default(), &mut |visit| match visit.field {
            Field::Number(x) => *x = values.next().copied().unwrap_or(*x),
            Field::List(list) => {
                list.iter_mut().for_each(|x| *x = values.next().copied().unwrap_or(*x));
            }
            Field::Choice(_) => {}
        });
        let mut told = Vec::new();
        faults(&model, &mut |fault| told.push(fault.to_string()));
        if !told.is_empty() {
            return Err(Fault(told.join("; ")));
        }
        self.model = model;
        self.t = t;
        self.set_inputs(&given.inputs, &given.slopes);
        self.z.copy_from_slice(&given.start);
        self.at = self.seen();
        self.at.mode = self.model.begin(&self.at, &self.z);
        Ok(())
    }

    fn time(&self) -> f64 {
        self.t
    }
    fn set_time(&mut self, t: f64) {
        self.t = t;
    }
    fn set_inputs(&mut self, inputs: &[f64], slopes: &[f64]) {
        self.inputs.copy_from_slice(inputs);
        self.slopes.copy_from_slice(slopes);
    }
    fn states(&self) -> &[f64] {
        &self.z
    }
    fn set_states(&mut self, y: &[f64]) {
        self.z.copy_from_slice(y);
    }

    fn rates(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.model.rate(&self.seen(), &self.z, out);
        sound("a rate", out)
    }

    fn outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        let (at, mut dz) = (self.seen(), vec![0.0; self.z.len()]);
        out[0] = self.model.eval(&at, &self.z, &mut dz);
        let energy = self.model.energy(&at, &self.z, &dz);
        (out[1], out[2]) = (energy.stored, energy.dissipated);
        sound("an output", out)
    }

    fn indicators(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.model.watch(&self.seen(), &self.z, out);
        out.iter_mut().for_each(|guard| *guard += MARGIN);
        sound("an event indicator", out)
    }

    fn event(&mut self) -> Result<Event, Fault> {
        let mut guards = [0.0; MAX_GUARDS];
        let guards = &mut guards[..self.model.guards()];
        for _ in 0..MAX_CHANGES {
            let at = self.seen();
            self.model.watch(&at, &self.z, guards);
            let Some(k) = guards.iter().position(|guard| *guard < -0.5 * MARGIN) else {
                return Ok(Event { jumped: false, next: f64::INFINITY });
            };
            self.at.mode = self.model.next(k, &at, &self.z);
        }
        Err(Fault::from("the modes of the friction model follow each other without end"))
    }

    fn slopes(&mut self, known: Role, rates: &mut [f64], outputs: &mut [f64]) -> Result<(), Fault> {
        let mut number = 0;
        let model = self.model.cast(&mut |x| {
            let seeded = known == Role::Parameter(number);
            number += 1;
            if seeded { D::variable(x, 0) } else { D::constant(x) }
        });
        let seed = |of: &[f64], role: fn(usize) -> Role| -> Vec<D> {
            let seeded = |(k, x): (usize, &f64)| match known == role(k) {
                true => D::variable(*x, 0),
                false => D::constant(*x),
            };
            of.iter().enumerate().map(seeded).collect()
        };
        let (inputs, z) = (seed(&self.inputs, Role::Input), seed(&self.z, Role::State));
        let at = self.drive(&inputs, self.at.mode);
        let mut dz = vec![D::constant(0.0); z.len()];
        let force = model.eval(&at, &z, &mut dz);
        let energy = model.energy(&at, &z, &dz);
        rates.iter_mut().zip(&dz).for_each(|(to, from)| *to = from.eps[0]);
        let all = [force, energy.stored, energy.dissipated];
        outputs.iter_mut().zip(all).for_each(|(to, from)| *to = from.eps[0]);
        Ok(())
    }

    /// The model's own update at the velocity in the middle of the step: what `bristle_step` does.
    fn step(&mut self, h: f64, _stop: &mut dyn FnMut(f64) -> bool) -> Result<f64, Fault> {
        let middle: Vec<f64> =
            self.inputs.iter().zip(&self.slopes).map(|(u, du)| u + 0.5 * h * du).collect();
        let mut at = self.drive(&middle, self.at.mode);
        let mut z = self.z.clone();
        let free = Free::prescribed(at.v);
        let force = self.model.advance(self.update, &mut at, &free, h, &mut z);
        let Some(force) = force else {
            return Err(Fault::from("the friction model has no step of a fixed length"));
        };
        sound("the force", &[force])?;
        sound("a state", &z)?;
        (self.at.mode, self.z) = (at.mode, z);
        self.t += h;
        Ok(self.t)
    }

    fn save(&self) -> Vec<f64> {
        let Mode { way, index } = self.at.mode;
        [self.t, way].into_iter().chain(index).chain(self.z.iter().copied()).collect()
    }

    fn restore(&mut self, saved: &[f64]) -> Result<(), Fault> {
        let mut saved = Saved(saved);
        let (t, way) = (saved.one()?, saved.one()?);
        let mut index = Mode::<f64>::default().index;
        let n = index.len();
        index.copy_from_slice(saved.take(n)?);
        let z = saved.take(self.z.len())?;
        (self.t, self.at.mode) = (t, Mode { way, index });
        self.z.copy_from_slice(z);
        Ok(())
    }
}

/// So many changes of mode one event may bring.
const MAX_CHANGES: usize = 10_000;
