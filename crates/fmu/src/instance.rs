//! One instance of a unit: which call is allowed when, and what it does. Both versions of the standard stand on this.
use crate::archive::{RESOURCE, token};
use crate::block::{Block, Description, Event, Fault, Given, Role, Saved};
use crate::fmi3::Importer;
use crate::source::Source;
use std::ffi::c_int;
use std::path::Path;

/// What a call returns, as in the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Ok = 0,
    /// The step was not taken, and a shorter one may be.
    Discard = 2,
    /// The call was wrong.
    Error = 3,
    /// The library is at fault.
    Fatal = 4,
}

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What it returns.
    pub status: Status,
    /// Why.
    pub why: String,
}

impl From<Fault> for Refusal {
    fn from(Fault(why): Fault) -> Self {
        Refusal { status: Status::Error, why }
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Self {
        Refusal { status: Status::Error, why: why.to_owned() }
    }
}

/// What a call gives.
pub type Outcome = Result<(), Refusal>;

/// Where an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Made, and not started.
    Instantiated,
    /// Its structure is being set (FMI 3.0).
    Configuration,
    /// Its start is being found.
    Initialization,
    /// At an event.
    Event,
    /// Between events, solved by others.
    Continuous,
    /// Between steps of its own.
    Step,
    /// At its end.
    Terminated,
}

/// All of them, by number.
const PHASES: [Phase; 7] = [
    Phase::Instantiated,
    Phase::Configuration,
    Phase::Initialization,
    Phase::Event,
    Phase::Continuous,
    Phase::Step,
    Phase::Terminated,
];

/// Phases in which there are values to be asked for.
pub const RUNNING: [Phase; 5] =
    [Phase::Initialization, Phase::Event, Phase::Continuous, Phase::Step, Phase::Terminated];

/// Who is told of failures.
pub type Log = Box<dyn Fn(Status, &str)>;

/// Marks an instance.
const MARK: u64 = 0x6272_6973_746c_6566;
/// Marks a state.
const STATE_MARK: u64 = 0x6272_6973_746c_6573;

/// How an instance is made.
pub struct Asked {
    /// Whether it is solved by others.
    pub exchange: bool,
    /// Whether events are told to the importer between steps (FMI 3.0).
    pub event_mode: bool,
    /// Whether a step may end early (FMI 3.0).
    pub early_return: bool,
    /// Whether failures are logged.
    pub logging: bool,
}

/// Runs begin so early or late, s: where a double still tells a tenth of a microsecond.
const LATEST: f64 = 1e9;

/// A time at which a run may begin.
fn begins(start: f64) -> Result<f64, Refusal> {
    if start.abs() <= LATEST {
        return Ok(start);
    }
    let why = format!("a run that starts at {start} s: give a start from -1e9 to 1e9 s");
    Err(Refusal { status: Status::Error, why })
}

/// An instance.
pub struct Instance {
    mark: u64,
    block: Box<dyn Block>,
    description: Description,
    given: Given,
    asked: Asked,
    phase: Phase,
    /// Whether what is given has not yet reached the block.
    unbegun: bool,
    inputs_changed: bool,
    start: f64,
    stop: f64,
    /// Which unit it is of.
    token: String,
    log: Log,
    /// Who looks at steps (FMI 3.0).
    pub(crate) importer: Importer,
}

/// The whole state of an instance.
#[derive(Clone)]
pub struct State {
    mark: u64,
    numbers: Vec<f64>,
}

impl Instance {
    /// Makes an instance from the resources in a folder.
    pub fn new(folder: &Path, wanted: &str, asked: Asked, log: Log) -> Option<Box<Self>> {
        let made = Instance::made(folder, wanted);
        match made {
            Ok((block, description, token)) => {
                let given = Given::of(&description);
                Some(Box::new(Instance {
                    mark: MARK,
                    block,
                    given,
                    asked,
                    phase: Phase::Instantiated,
                    unbegun: true,
                    inputs_changed: false,
                    start: 0.0,
                    stop: f64::INFINITY,
                    description,
                    token,
                    log,
                    importer: Importer::NONE,
                }))
            }
            Err(Fault(why)) => {
                log(Status::Error, &format!("the unit cannot be made: {why}"));
                None
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn made(folder: &Path, wanted: &str) -> Result<(Box<dyn Block>, Description, String), Fault> {
        let path = folder.join(RESOURCE);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Fault(format!("{} cannot be read: {e}", path.display())))?;
        let token = token(&text);
        if token != wanted {
            return Err(Fault(format!(
                "the description asks for {wanted}, and the resources are {token}: they do not belong together"
            )));
        }
        let (block, description) = Source::of_resources(&text, folder)?.make()?;
        Ok((block, description, token))
    }

    /// # Safety
    /// `handle` is NULL or came from `Box::into_raw` of an instance that nothing else uses meanwhile.
    unsafe fn of<'a>(handle: *mut Self) -> Option<&'a mut Self> {
        if !handle.is_aligned() {
            return None;
        }
        // SAFETY: as above.
        unsafe { handle.as_mut() }.filter(|instance| instance.mark == MARK)
    }

    /// Calls `f` with the instance, if it is one and in one of these phases; tells the log why not.
    ///
    /// # Safety
    /// `handle` is NULL or came from `Box::into_raw` of an instance that nothing else uses meanwhile.
    pub unsafe fn call(
        handle: *mut Self,
        name: &str,
        phases: &[Phase],
        f: impl FnOnce(&mut Self) -> Outcome,
    ) -> c_int {
        // SAFETY: as above.
        let Some(instance) = (unsafe { Self::of(handle) }) else { return Status::Error as c_int };
        if !phases.contains(&instance.phase) {
            let why = format!(
                "{name} is not allowed in the phase {:?}, only in {phases:?}",
                instance.phase
            );
            return instance.tell(Status::Error, &why);
        }
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(instance)));
        // SAFETY: as above; the call is over.
        let Some(instance) = (unsafe { Self::of(handle) }) else { return Status::Fatal as c_int };
        match outcome {
            Ok(Ok(())) => Status::Ok as c_int,
            Ok(Err(Refusal { status, why })) => instance.tell(status, &format!("{name}: {why}")),
            Err(_) => instance.tell(Status::Fatal, &format!("{name}: a fault of the library")),
        }
    }

    fn tell(&self, status: Status, why: &str) -> c_int {
        if self.asked.logging {
            (self.log)(status, why);
        }
        status as c_int
    }

    /// # Safety
    /// As for [`call`](Instance::call), and nothing uses it afterwards.
    pub unsafe fn free(handle: *mut Self) {
        // SAFETY: as above.
        unsafe {
            if let Some(instance) = Self::of(handle) {
                instance.mark = 0;
                drop(Box::from_raw(handle));
            }
        }
    }

    /// Whether failures are logged from now on.
    pub fn set_logging(&mut self, on: bool) {
        self.asked.logging = on;
    }

    /// What it is.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The phase that a phase of steps or of model exchange comes from.
    fn exchanges(&self) -> Outcome {
        if self.asked.exchange { Ok(()) } else { Err("the instance is for co-simulation".into()) }
    }

    /// Sets start and stop.
    pub fn set_up(&mut self, start: f64, stop: Option<f64>) -> Outcome {
        let stop = stop.unwrap_or(f64::INFINITY);
        let begin = begins(start)?;
        if stop.is_nan() || stop < start {
            let why =
                format!("a run from {start} s to {stop} s: the start must come before the stop");
            return Err(Refusal { status: Status::Error, why });
        }
        (self.start, self.stop) = (begin, stop);
        Ok(())
    }

    /// Begins to initialise.
    pub fn enter_initialization(&mut self) -> Outcome {
        self.phase = Phase::Initialization;
        self.unbegun = true;
        Ok(())
    }

    /// Ends to initialise.
    pub fn exit_initialization(&mut self) -> Outcome {
        self.begin()?;
        self.phase = match (self.asked.exchange, self.asked.event_mode) {
            (true, _) | (_, true) => Phase::Event,
            _ => Phase::Step,
        };
        Ok(())
    }

    /// Hands what is given to the block.
    fn begin(&mut self) -> Outcome {
        if self.unbegun {
            self.block.begin(self.start, &self.given)?;
            (self.unbegun, self.inputs_changed) = (false, false);
        }
        if self.inputs_changed {
            self.block.set_inputs(&self.given.inputs, &self.given.slopes);
            self.inputs_changed = false;
        }
        Ok(())
    }

    /// Back to where it was made.
    pub fn reset(&mut self) -> Outcome {
        self.given = Given::of(&self.description);
        (self.phase, self.unbegun, self.inputs_changed) = (Phase::Instantiated, true, false);
        (self.start, self.stop) = (0.0, f64::INFINITY);
        Ok(())
    }

    /// Ends the run.
    pub fn terminate(&mut self) -> Outcome {
        self.phase = Phase::Terminated;
        Ok(())
    }

    /// Goes to another phase.
    pub fn enter(&mut self, phase: Phase) -> Outcome {
        match phase {
            Phase::Continuous => self.exchanges()?,
            Phase::Step if self.asked.exchange => {
                return Err("the instance is for model exchange".into());
            }
            Phase::Event if !self.asked.exchange && !self.asked.event_mode => {
                return Err("the instance was made without event mode".into());
            }
            _ => {}
        }
        self.phase = phase;
        Ok(())
    }

    fn role(&self, reference: u32) -> Result<Role, Refusal> {
        self.description.role(reference).ok_or_else(|| Refusal {
            status: Status::Error,
            why: format!("there is no variable with the value reference {reference}"),
        })
    }

    fn name(&self, role: Role) -> &str {
        self.description.of(role).map_or("time", |v| &v.name)
    }

    /// Values of variables.
    pub fn get(&mut self, references: &[u32], out: &mut [f64]) -> Outcome {
        let running = RUNNING.contains(&self.phase);
        let (mut rates, mut outputs, mut indicators) = (Vec::new(), Vec::new(), Vec::new());
        for (reference, out) in references.iter().zip(out) {
            let role = self.role(*reference)?;
            let given = match role {
                Role::Parameter(k) => Some(self.given.parameters[k]),
                Role::Input(k) => Some(self.given.inputs[k]),
                Role::State(k) if !running || self.unbegun => Some(self.given.start[k]),
                Role::Time if !running || self.unbegun => Some(self.start),
                _ => None,
            };
            if let Some(value) = given {
                *out = value;
                continue;
            }
            if !running {
                let why = format!("{} has no value before the initialisation", self.name(role));
                return Err(Refusal { status: Status::Error, why });
            }
            self.begin()?;
            // What is computed is computed once for all that is asked for.
            macro_rules! computed {
                ($known:ident, $all:ident, $k:expr) => {{
                    if $known.is_empty() {
                        $known.resize(self.description.$all, 0.0);
                        self.block.$known(&mut $known)?;
                    }
                    $known[$k]
                }};
            }
            *out = match role {
                Role::Rate(k) => computed!(rates, states, k),
                Role::Output(k) => computed!(outputs, outputs, k),
                Role::Indicator(k) => computed!(indicators, indicators, k),
                Role::State(k) => self.block.states()[k],
                _ => self.block.time(),
            };
        }
        Ok(())
    }

    /// Sets variables.
    pub fn set(&mut self, references: &[u32], values: &[f64]) -> Outcome {
        let before = matches!(
            self.phase,
            Phase::Instantiated | Phase::Configuration | Phase::Initialization
        );
        for (reference, value) in references.iter().zip(values) {
            let role = self.role(*reference)?;
            let refuse = |why: &str| Refusal {
                status: Status::Error,
                why: format!("{} = {value}: {why}", self.name(role)),
            };
            if !value.is_finite() && !matches!(role, Role::Parameter(_)) {
                return Err(refuse("must be finite"));
            }
            match role {
                Role::Parameter(_) if !before => {
                    return Err(refuse("a parameter is fixed once the run has begun"));
                }
                Role::State(_) if !before => {
                    return Err(refuse("a state has its start value set before the run begins"));
                }
                Role::Parameter(k) => self.given.parameters[k] = *value,
                Role::State(k) => self.given.start[k] = *value,
                Role::Input(k) => self.given.inputs[k] = *value,
                _ => return Err(refuse("is calculated and cannot be set")),
            }
            match role {
                Role::Input(_) => self.inputs_changed = true,
                _ => self.unbegun = true,
            }
        }
        if before {
            self.unbegun = true;
        }
        Ok(())
    }

    /// How fast inputs change from now on.
    pub fn set_slopes(&mut self, references: &[u32], orders: &[c_int], values: &[f64]) -> Outcome {
        for ((reference, order), value) in references.iter().zip(orders).zip(values) {
            match self.role(*reference)? {
                Role::Input(k) if *order == 1 && value.is_finite() => {
                    self.given.slopes[k] = *value;
                    self.inputs_changed = true;
                }
                Role::Input(_) => {
                    let why = format!(
                        "derivative {value} of order {order}: only finite ones of order 1 are known"
                    );
                    return Err(Refusal { status: Status::Error, why });
                }
                role => {
                    let why = format!("{} is no input", self.name(role));
                    return Err(Refusal { status: Status::Error, why });
                }
            }
        }
        Ok(())
    }

    /// Sets time.
    pub fn set_time(&mut self, t: f64) -> Outcome {
        self.exchanges()?;
        if !t.is_finite() {
            return Err("time must be finite, s".into());
        }
        self.block.set_time(t);
        Ok(())
    }

    fn counts(&self, n: usize, is: usize, what: &str) -> Outcome {
        if n == is {
            return Ok(());
        }
        let why = format!("there are {is} {what}, not {n}");
        Err(Refusal { status: Status::Error, why })
    }

    /// Sets the continuous states.
    pub fn set_states(&mut self, y: &[f64]) -> Outcome {
        self.exchanges()?;
        self.counts(y.len(), self.description.states, "continuous states")?;
        if let Some(k) = y.iter().position(|y| !y.is_finite()) {
            let why = format!("{} = {} must be finite", self.name(Role::State(k)), y[k]);
            return Err(Refusal { status: Status::Error, why });
        }
        self.block.set_states(y);
        Ok(())
    }

    /// The continuous states.
    pub fn states(&mut self, out: &mut [f64]) -> Outcome {
        self.exchanges()?;
        self.counts(out.len(), self.description.states, "continuous states")?;
        self.begin()?;
        out.copy_from_slice(self.block.states());
        Ok(())
    }

    /// Their rates.
    pub fn rates(&mut self, out: &mut [f64]) -> Outcome {
        self.exchanges()?;
        self.counts(out.len(), self.description.states, "continuous states")?;
        self.begin()?;
        Ok(self.block.rates(out)?)
    }

    /// Their typical sizes.
    pub fn nominals(&mut self, out: &mut [f64]) -> Outcome {
        self.exchanges()?;
        self.counts(out.len(), self.description.states, "continuous states")?;
        for (k, out) in out.iter_mut().enumerate() {
            *out = self.description.of(Role::State(k)).and_then(|v| v.nominal).unwrap_or(1.0);
        }
        Ok(())
    }

    /// The event indicators.
    pub fn indicators(&mut self, out: &mut [f64]) -> Outcome {
        self.exchanges()?;
        self.counts(out.len(), self.description.indicators, "event indicators")?;
        self.begin()?;
        Ok(self.block.indicators(out)?)
    }

    /// Moves on what is discrete.
    pub fn event(&mut self) -> Result<Event, Refusal> {
        self.begin()?;
        Ok(self.block.event()?)
    }

    /// Derivatives of unknowns along a direction in knowns: `out` for each unknown. With `adjoint`, `seed` belongs to the
    /// unknowns and `out` to the knowns.
    pub fn derivatives(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        adjoint: bool,
        out: &mut [f64],
    ) -> Outcome {
        if !self.description.derives {
            return Err("this unit has no exact derivatives".into());
        }
        let (from, to) = if adjoint { (unknowns, knowns) } else { (knowns, unknowns) };
        self.counts(seed.len(), from.len(), "seeds")?;
        self.counts(out.len(), to.len(), "sensitivities")?;
        self.begin()?;
        let of = (self.description.states, self.description.outputs);
        let (mut rates, mut outputs) = (vec![0.0; of.0], vec![0.0; of.1]);
        out.fill(0.0);
        for (j, known) in knowns.iter().enumerate() {
            let known = self.role(*known)?;
            let free = match known {
                Role::Input(_) | Role::State(_) => true,
                Role::Parameter(_) => self.phase == Phase::Initialization,
                _ => false,
            };
            if !free {
                let why = format!("{} is no known here: inputs and states are", self.name(known));
                return Err(Refusal { status: Status::Error, why });
            }
            self.block.slopes(known, &mut rates, &mut outputs)?;
            for (i, unknown) in unknowns.iter().enumerate() {
                let slope = match self.role(*unknown)? {
                    Role::Rate(k) => rates[k],
                    Role::Output(k) => outputs[k],
                    state @ Role::State(_) => f64::from(u8::from(state == known)),
                    role => {
                        let why = format!(
                            "{} is no unknown: outputs and derivatives are",
                            self.name(role)
                        );
                        return Err(Refusal { status: Status::Error, why });
                    }
                };
                match adjoint {
                    true => out[j] += slope * seed[i],
                    false => out[i] += slope * seed[j],
                }
            }
        }
        Ok(())
    }

    /// One step of co-simulation. `stop` is asked at events whether it ends there. Gives the time reached.
    pub fn step(
        &mut self,
        t: f64,
        h: f64,
        stop: &mut dyn FnMut(f64) -> bool,
    ) -> Result<f64, Refusal> {
        self.begin()?;
        let now = self.block.time();
        /// By what part of a step an importer's clock may be off.
        const OFF: f64 = 1e-6;
        let refuse = |why: String| Err(Refusal { status: Status::Error, why });
        if !t.is_finite() || (t - now).abs() > OFF * h.abs().max(1e-9) + 1e-12 * now.abs() {
            return refuse(format!("the step begins at {t} s, and the unit stands at {now} s"));
        }
        if !h.is_finite() || h < 0.0 {
            return refuse(format!("the step {h} s must be finite and not negative"));
        }
        if t + h > self.stop + OFF * h {
            return refuse(format!(
                "the step ends at {} s, after the stop at {} s",
                t + h,
                self.stop
            ));
        }
        if h == 0.0 {
            return Ok(now);
        }
        // Clocks agree at the end of the step too.
        let reached = self.block.step(t + h - now, stop);
        let reached = reached.map_err(|Fault(why)| Refusal { status: Status::Discard, why })?;
        for (u, slope) in self.given.inputs.iter_mut().zip(&mut self.given.slopes) {
            *u += *slope * (reached - now);
            *slope = 0.0;
        }
        Ok(reached)
    }

    /// Where it stands, s.
    pub fn time(&self) -> f64 {
        if self.unbegun { self.start } else { self.block.time() }
    }

    /// Whether a step may end early.
    pub fn may_return_early(&self) -> bool {
        self.asked.early_return
    }

    /// Its whole state.
    pub fn save(&mut self) -> State {
        let phase = PHASES.iter().position(|p| *p == self.phase).unwrap_or_default();
        let flags = [self.unbegun, self.inputs_changed].map(|flag| f64::from(u8::from(flag)));
        let mut numbers = vec![phase as f64, flags[0], flags[1], self.start, self.stop];
        let Given { parameters, inputs, slopes, start } = &self.given;
        for given in [parameters, inputs, slopes, start] {
            numbers.extend(given);
        }
        if !self.unbegun {
            numbers.extend(self.block.save());
        }
        State { mark: STATE_MARK, numbers }
    }

    /// Goes back to a state.
    pub fn restore(&mut self, state: &State) -> Outcome {
        let mut saved = Saved(&state.numbers);
        let phase = PHASES.get(saved.one()? as usize).copied();
        let phase = phase.ok_or("the saved state is damaged")?;
        let (unbegun, changed) = (saved.one()? != 0.0, saved.one()? != 0.0);
        let (start, stop) = (saved.one()?, saved.one()?);
        let mut given = self.given.clone();
        let Given { parameters, inputs, slopes, start: y } = &mut given;
        for own in [parameters, inputs, slopes, y] {
            let n = own.len();
            own.copy_from_slice(saved.take(n)?);
        }
        if !unbegun {
            if self.unbegun || self.given.parameters != given.parameters {
                self.block.begin(begins(start)?, &given)?;
            }
            self.block.restore(saved.0)?;
            if !changed {
                self.block.set_inputs(&given.inputs, &given.slopes);
            }
        }
        self.given = given;
        (self.phase, self.unbegun, self.inputs_changed) = (phase, unbegun, changed);
        (self.start, self.stop) = (start, stop);
        Ok(())
    }

    /// Bytes before those of a state's numbers: what unit it is of.
    fn head(&self) -> &[u8] {
        self.token.as_bytes()
    }

    /// How many bytes a state takes.
    pub fn bytes_of(&self, state: &State) -> usize {
        self.head().len() + 8 * state.numbers.len()
    }

    /// A state as bytes.
    pub fn serialize(&self, state: &State, out: &mut [u8]) -> Outcome {
        if out.len() < self.bytes_of(state) {
            let why =
                format!("the state takes {} bytes, more than {}", self.bytes_of(state), out.len());
            return Err(Refusal { status: Status::Error, why });
        }
        let numbers = state.numbers.iter().flat_map(|x| x.to_le_bytes());
        let all = self.head().iter().copied().chain(numbers);
        out.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        Ok(())
    }

    /// A state from bytes.
    pub fn deserialize(&self, bytes: &[u8]) -> Result<State, Refusal> {
        let Some(rest) = bytes.strip_prefix(self.head()).filter(|rest| rest.len() % 8 == 0) else {
            return Err("the bytes are no state of this unit".into());
        };
        let numbers = rest.chunks_exact(8).map(|bytes| {
            let mut own = [0; 8];
            own.copy_from_slice(bytes);
            f64::from_le_bytes(own)
        });
        Ok(State { mark: STATE_MARK, numbers: numbers.collect() })
    }
}

impl State {
    /// It is none any more.
    pub(crate) fn unmark(&mut self) {
        self.mark = 0;
    }

    /// # Safety
    /// `state` is NULL or came from `Box::into_raw` of a state that was not freed.
    pub unsafe fn of<'a>(state: *mut Self) -> Result<&'a mut Self, Refusal> {
        let given = if state.is_aligned() {
            // SAFETY: as above.
            unsafe { state.as_mut() }
        } else {
            None
        };
        given
            .filter(|state| state.mark == STATE_MARK)
            .ok_or_else(|| "there is no such state".into())
    }
}
