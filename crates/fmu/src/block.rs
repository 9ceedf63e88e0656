//! What every unit is, whatever stands in it: variables, states, events, steps.
use bristle_kernel::Range;
use std::fmt::Display;

/// Why something cannot be done, for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault(pub String);

impl<T: Display> From<T> for Fault {
    fn from(why: T) -> Self {
        Fault(why.to_string())
    }
}

/// What a variable is to the one who connects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Time.
    Time,
    /// The parameter of that number.
    Parameter(usize),
    /// The input of that number.
    Input(usize),
    /// The continuous state of that number, which is an output too.
    State(usize),
    /// Its rate.
    Rate(usize),
    /// The output of that number.
    Output(usize),
    /// The event indicator of that number.
    Indicator(usize),
}

/// One variable of a unit.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// Its SI unit; empty or `1` for a pure number.
    pub unit: String,
    /// What it is to others.
    pub role: Role,
    /// Its value before anything is said, where it has one.
    pub start: Option<f64>,
    /// Where it may lie.
    pub range: Option<Range>,
    /// A typical size.
    pub nominal: Option<f64>,
    /// What its value depends on; nothing where that may be all.
    pub depends: Option<Vec<Role>>,
}

impl Variable {
    /// A variable of which no more is known.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, role: Role) -> Self {
        let (name, unit) = (name.into(), unit.into());
        let meaning = String::new();
        Variable {
            name,
            meaning,
            unit,
            role,
            start: None,
            range: None,
            nominal: None,
            depends: None,
        }
    }
}

/// What a unit is.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// What stands in it: `lugre`, `belt`.
    pub name: String,
    /// One line.
    pub title: String,
    /// All variables but time, in the order of their numbers.
    pub variables: Vec<Variable>,
    /// How many inputs there are.
    pub inputs: usize,
    /// How many continuous states.
    pub states: usize,
    /// How many outputs that are no states.
    pub outputs: usize,
    /// How many event indicators.
    pub indicators: usize,
    /// Whether it can be solved by others: model exchange.
    pub exchanges: bool,
    /// Whether derivatives of all unknowns are exact.
    pub derives: bool,
    /// When a simulation of it ends by default, s.
    pub end: f64,
    /// A step of it by default, s.
    pub step: f64,
    /// A tolerance of it by default.
    pub tolerance: f64,
}

impl Description {
    /// The variable with that role.
    pub fn of(&self, role: Role) -> Option<&Variable> {
        self.variables.iter().find(|v| v.role == role)
    }

    /// What has the number `reference`: 0 is time.
    pub fn role(&self, reference: u32) -> Option<Role> {
        match reference as usize {
            0 => Some(Role::Time),
            k => self.variables.get(k - 1).map(|v| v.role),
        }
    }

    /// The number of the variable with that role.
    pub fn reference(&self, role: Role) -> Option<u32> {
        match role {
            Role::Time => Some(0),
            role => {
                let at = self.variables.iter().position(|v| v.role == role)?;
                Some(at as u32 + 1)
            }
        }
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.variables.iter().filter(|v| matches!(v.role, Role::Parameter(_))).count()
    }

    /// Start values of parameters, inputs or states, in their order.
    pub fn starts(&self, of: impl Fn(usize) -> Role, count: usize) -> Vec<f64> {
        let start = |k| self.of(of(k)).and_then(|v| v.start).unwrap_or(0.0);
        (0..count).map(start).collect()
    }
}

/// What an event has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Whether states have jumped.
    pub jumped: bool,
    /// When the next one is due, s; infinite if none is.
    pub next: f64,
}

/// The numbers that are given from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Parameters.
    pub parameters: Vec<f64>,
    /// Inputs.
    pub inputs: Vec<f64>,
    /// How fast inputs change, as far as that is known.
    pub slopes: Vec<f64>,
    /// States at the start.
    pub start: Vec<f64>,
}

impl Given {
    /// Start values.
    pub fn of(description: &Description) -> Self {
        Given {
            parameters: description.starts(Role::Parameter, description.parameters()),
            inputs: description.starts(Role::Input, description.inputs),
            slopes: vec![0.0; description.inputs],
            start: description.starts(Role::State, description.states),
        }
    }
}

/// The smallest value that an event indicator has in a mode, less than 0: events lie this far behind the zero of what is
/// watched, so that the mode that follows begins this far before it, and nothing chatters.
pub const MARGIN: f64 = 1e-11;

/// What stands in a unit, running.
pub trait Block: Send {
    /// Begins at `t` with what is given.
    fn begin(&mut self, t: f64, given: &Given) -> Result<(), Fault>;

    /// Time, s.
    fn time(&self) -> f64;
    /// Sets time.
    fn set_time(&mut self, t: f64);
    /// Takes inputs and how fast they change.
    fn set_inputs(&mut self, inputs: &[f64], slopes: &[f64]);
    /// The continuous states.
    fn states(&self) -> &[f64];
    /// Sets them.
    fn set_states(&mut self, y: &[f64]);
    /// Writes their rates.
    fn rates(&mut self, out: &mut [f64]) -> Result<(), Fault>;
    /// Writes the outputs.
    fn outputs(&mut self, out: &mut [f64]) -> Result<(), Fault>;
    /// Writes the event indicators.
    fn indicators(&mut self, out: &mut [f64]) -> Result<(), Fault>;
    /// Moves on what is discrete.
    fn event(&mut self) -> Result<Event, Fault>;
    /// The derivative of rates and outputs along a direction in states, inputs or parameters.
    fn slopes(&mut self, known: Role, rates: &mut [f64], outputs: &mut [f64]) -> Result<(), Fault>;

    /// Goes on by `h` seconds. `stop` is asked at every event whether the step ends there; gives the time reached.
    fn step(&mut self, h: f64, stop: &mut dyn FnMut(f64) -> bool) -> Result<f64, Fault>;

    /// Everything that is not given from outside, as numbers.
    fn save(&self) -> Vec<f64>;
    /// Goes back to it.
    fn restore(&mut self, saved: &[f64]) -> Result<(), Fault>;
}

/// Takes numbers from what was saved.
pub struct Saved<'a>(pub &'a [f64]);

impl<'a> Saved<'a> {
    /// The next `n` numbers.
    pub fn take(&mut self, n: usize) -> Result<&'a [f64], Fault> {
        if n > self.0.len() {
            return Err(Fault::from("the saved state belongs to another unit, or is damaged"));
        }
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        Ok(taken)
    }

    /// The next number.
    pub fn one(&mut self) -> Result<f64, Fault> {
        Ok(self.take(1)?[0])
    }
}

/// Says that a number is not finite.
pub fn sound(what: &str, values: &[f64]) -> Result<(), Fault> {
    match values.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(Fault(format!(
            "{what} came out as {x}: inputs, states or parameters are too large or not numbers"
        ))),
    }
}
