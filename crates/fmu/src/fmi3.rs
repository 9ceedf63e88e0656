//! The functions of FMI 3.0.
// The standard has the names and says what each function does.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc)]
use crate::border::{
    Handle, free_state, get_state, list, list_mut, place, read_state, terminated, text,
};
use crate::instance::{Asked, Instance, Phase, Phase::*, RUNNING, Refusal, State, Status};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

type Reference = u32;

/// The importer's log.
type Log = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
/// The importer's look at a step in its midst.
type Intermediate =
    unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, bool, *mut bool, *mut f64);

const ALL: [Phase; 7] =
    [Instantiated, Configuration, Initialization, Event, Continuous, Step, Terminated];
const SOLVED: [Phase; 4] = [Initialization, Event, Continuous, Terminated];

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// # Safety
/// The importer gives texts and a callback, or NULL.
unsafe fn instantiate(
    [name, token, resources]: [*const c_char; 3],
    asked: Asked,
    environment: *mut c_void,
    log: Option<Log>,
    intermediate: Option<Intermediate>,
) -> Handle {
    // SAFETY: as above.
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| unsafe {
        let _ = name;
        let told = move |status: Status, why: &str| {
            let Some(log) = log else { return };
            log(environment, status as c_int, c"logStatusError".as_ptr(), terminated(why).as_ptr());
        };
        let (Some(token), Some(folder)) = (text(token), text(resources)) else {
            told(
                Status::Error,
                "an instance needs an instantiation token and the path of the resources",
            );
            return std::ptr::null_mut();
        };
        match Instance::new(Path::new(&folder), &token, asked, Box::new(told)) {
            Some(mut instance) => {
                instance.importer = Importer { environment, intermediate };
                Box::into_raw(instance)
            }
            None => std::ptr::null_mut(),
        }
    }));
    made.unwrap_or(std::ptr::null_mut()).cast()
}

/// Who looks at steps.
pub struct Importer {
    environment: *mut c_void,
    intermediate: Option<Intermediate>,
}

impl Importer {
    /// Nobody.
    pub const NONE: Self = Importer { environment: std::ptr::null_mut(), intermediate: None };

    /// Tells of an event at `t`, and gives whether the step is to end there.
    fn look(&self, t: f64, may: bool) -> bool {
        let Some(look) = self.intermediate else { return false };
        let (mut asks, mut early) = (false, t);
        // SAFETY: the importer's own function, with its own environment.
        unsafe { look(self.environment, t, false, true, true, false, may, &mut asks, &mut early) };
        may && asks
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    environment: *mut c_void,
    log: Option<Log>,
) -> Handle {
    let asked = Asked { exchange: true, event_mode: false, early_return: false, logging };
    // SAFETY: as the standard has it.
    unsafe { instantiate([name, token, resources], asked, environment, log, None) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    event_mode: bool,
    early_return: bool,
    _intermediate_variables: *const Reference,
    _count: usize,
    environment: *mut c_void,
    log: Option<Log>,
    intermediate: Option<Intermediate>,
) -> Handle {
    let asked = Asked { exchange: false, event_mode, early_return, logging };
    // SAFETY: as the standard has it.
    unsafe { instantiate([name, token, resources], asked, environment, log, intermediate) }
}

/// There is no scheduled execution.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    logging: bool,
    environment: *mut c_void,
    log: Option<Log>,
    _clock_update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> Handle {
    if let Some(log) = log.filter(|_| logging) {
        let why = c"there is no scheduled execution: take co-simulation or model exchange";
        // SAFETY: the importer's own function, with its own environment.
        unsafe {
            log(environment, Status::Error as c_int, c"logStatusError".as_ptr(), why.as_ptr())
        };
    }
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(handle: Handle) {
    // SAFETY: as the standard has it.
    unsafe { Instance::free(handle.cast()) }
}

/// Declares functions of an instance, each with the phases in which it is allowed.
macro_rules! functions {
    ($($name:ident [$phases:expr] ($me:ident $(, $argument:ident: $Type:ty)*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: Handle $(, $argument: $Type)*) -> c_int {
            // SAFETY: pointers are as the standard has them; NULL is refused where there must be something.
            #[allow(unused_unsafe)]
            unsafe { Instance::call(handle.cast(), stringify!($name), &$phases, |$me| unsafe { $body }) }
        }
    )*};
}

functions! {
    fmi3SetDebugLogging[ALL](me, on: bool, _count: usize, _categories: *const *const c_char) {
        me.set_logging(on);
        Ok(())
    }
    fmi3EnterInitializationMode[[Instantiated]](
        me, _tolerant: bool, _tolerance: f64, start: f64, stops: bool, stop: f64
    ) {
        me.set_up(start, stops.then_some(stop))?;
        me.enter_initialization()
    }
    fmi3ExitInitializationMode[[Initialization]](me) { me.exit_initialization() }
    fmi3EnterEventMode[[Continuous, Step, Event]](me) { me.enter(Event) }
    fmi3Terminate[[Event, Continuous, Step]](me) { me.terminate() }
    fmi3Reset[ALL](me) { me.reset() }
    fmi3EnterConfigurationMode[[Instantiated]](me) { me.enter(Configuration) }
    fmi3ExitConfigurationMode[[Configuration]](me) { me.enter(Instantiated) }

    fmi3GetFloat64[ALL](me, references: *const Reference, n: usize, values: *mut f64, m: usize) {
        same(n, m)?;
        me.get(list(references, n)?, list_mut(values, n)?)
    }
    fmi3SetFloat64[[Instantiated, Configuration, Initialization, Event, Continuous, Step]](
        me, references: *const Reference, n: usize, values: *const f64, m: usize
    ) {
        same(n, m)?;
        me.set(list(references, n)?, list(values, n)?)
    }

    fmi3GetFMUState[ALL](me, state: *mut *mut State) { get_state(me, state) }
    fmi3SetFMUState[ALL](me, state: *mut State) { me.restore(State::of(state)?) }
    fmi3FreeFMUState[ALL](_me, state: *mut *mut State) { free_state(state) }
    fmi3SerializedFMUStateSize[ALL](me, state: *mut State, size: *mut usize) {
        *place(size)? = me.bytes_of(State::of(state)?);
        Ok(())
    }
    fmi3SerializeFMUState[ALL](me, state: *mut State, bytes: *mut u8, n: usize) {
        me.serialize(State::of(state)?, list_mut(bytes, n)?)
    }
    fmi3DeserializeFMUState[ALL](me, bytes: *const u8, n: usize, state: *mut *mut State) {
        read_state(me, bytes, n, state)
    }
    fmi3GetDirectionalDerivative[RUNNING](
        me, unknowns: *const Reference, n: usize, knowns: *const Reference, m: usize, seed: *const f64, seeds: usize,
        out: *mut f64, outs: usize
    ) {
        let (unknowns, knowns) = (list(unknowns, n)?, list(knowns, m)?);
        me.derivatives(unknowns, knowns, list(seed, seeds)?, false, list_mut(out, outs)?)
    }
    fmi3GetAdjointDerivative[RUNNING](
        me, unknowns: *const Reference, n: usize, knowns: *const Reference, m: usize, seed: *const f64, seeds: usize,
        out: *mut f64, outs: usize
    ) {
        let (unknowns, knowns) = (list(unknowns, n)?, list(knowns, m)?);
        me.derivatives(unknowns, knowns, list(seed, seeds)?, true, list_mut(out, outs)?)
    }
    fmi3GetNumberOfVariableDependencies[ALL](me, reference: Reference, n: *mut usize) {
        *place(n)? = depends(me, reference)?.len();
        Ok(())
    }
    fmi3GetVariableDependencies[ALL](
        me, dependent: Reference, of: *mut usize, independents: *mut Reference, on: *mut usize, kinds: *mut c_int,
        n: usize
    ) {
        let all = depends(me, dependent)?;
        same(n, all.len())?;
        list_mut(independents, n)?.copy_from_slice(&all);
        list_mut(of, n)?.fill(0);
        list_mut(on, n)?.fill(0);
        /// `fmi3Dependent`.
        const DEPENDENT: c_int = 4;
        list_mut(kinds, n)?.fill(DEPENDENT);
        Ok(())
    }

    fmi3EvaluateDiscreteStates[[Event, Initialization]](_me) { Ok(()) }
    fmi3UpdateDiscreteStates[[Event]](
        me, again: *mut bool, terminate: *mut bool, nominals: *mut bool, values: *mut bool, defined: *mut bool,
        next: *mut f64
    ) {
        let (again, terminate, nominals) = (place(again)?, place(terminate)?, place(nominals)?);
        let (values, defined, next) = (place(values)?, place(defined)?, place(next)?);
        let event = me.event()?;
        (*again, *terminate, *nominals) = (false, false, false);
        (*values, *defined) = (event.jumped, event.next.is_finite());
        *next = if *defined { event.next } else { 0.0 };
        Ok(())
    }
    fmi3EnterContinuousTimeMode[[Event]](me) { me.enter(Continuous) }
    fmi3EnterStepMode[[Event]](me) { me.enter(Step) }
    fmi3CompletedIntegratorStep[[Continuous]](
        _me, _no_set_state: bool, enter_event_mode: *mut bool, terminate: *mut bool
    ) {
        (*place(enter_event_mode)?, *place(terminate)?) = (false, false);
        Ok(())
    }
    fmi3SetTime[[Event, Continuous]](me, t: f64) { me.set_time(t) }
    fmi3SetContinuousStates[[Continuous]](me, y: *const f64, n: usize) { me.set_states(list(y, n)?) }
    fmi3GetContinuousStateDerivatives[SOLVED](me, out: *mut f64, n: usize) { me.rates(list_mut(out, n)?) }
    fmi3GetEventIndicators[SOLVED](me, out: *mut f64, n: usize) { me.indicators(list_mut(out, n)?) }
    fmi3GetContinuousStates[SOLVED](me, out: *mut f64, n: usize) { me.states(list_mut(out, n)?) }
    fmi3GetNominalsOfContinuousStates[ALL](me, out: *mut f64, n: usize) { me.nominals(list_mut(out, n)?) }
    fmi3GetNumberOfEventIndicators[ALL](me, n: *mut usize) {
        *place(n)? = me.description().indicators;
        Ok(())
    }
    fmi3GetNumberOfContinuousStates[ALL](me, n: *mut usize) {
        *place(n)? = me.description().states;
        Ok(())
    }
    fmi3GetOutputDerivatives[[Step, Terminated]](
        _me, _references: *const Reference, n: usize, _orders: *const i32, _values: *mut f64, _m: usize
    ) {
        if n == 0 { Ok(()) } else { Err("derivatives of outputs over time are not known".into()) }
    }
    fmi3DoStep[[Step]](
        me, t: f64, h: f64, _no_set_state: bool, event: *mut bool, terminate: *mut bool, early: *mut bool,
        last: *mut f64
    ) {
        let (event, terminate, early) = (place(event)?, place(terminate)?, place(early)?);
        let last = place(last)?;
        (*event, *terminate, *early, *last) = (false, false, false, me.time());
        if h == 0.0 {
            return Err("a step must be longer than 0 s".into());
        }
        let may = me.may_return_early();
        let importer = Importer { ..me.importer };
        let reached = me.step(t, h, &mut |t| importer.look(t, may))?;
        *last = reached;
        *early = reached < t + h - 1e-9 * h;
        if !*early {
            importer.look(reached, false);
        }
        Ok(())
    }

    fmi3GetFloat32[ALL](_me, _references: *const Reference, n: usize, _values: *mut f32, _m: usize) { none(n) }
    fmi3GetInt8[ALL](_me, _references: *const Reference, n: usize, _values: *mut i8, _m: usize) { none(n) }
    fmi3GetUInt8[ALL](_me, _references: *const Reference, n: usize, _values: *mut u8, _m: usize) { none(n) }
    fmi3GetInt16[ALL](_me, _references: *const Reference, n: usize, _values: *mut i16, _m: usize) { none(n) }
    fmi3GetUInt16[ALL](_me, _references: *const Reference, n: usize, _values: *mut u16, _m: usize) { none(n) }
    fmi3GetInt32[ALL](_me, _references: *const Reference, n: usize, _values: *mut i32, _m: usize) { none(n) }
    fmi3GetUInt32[ALL](_me, _references: *const Reference, n: usize, _values: *mut u32, _m: usize) { none(n) }
    fmi3GetInt64[ALL](_me, _references: *const Reference, n: usize, _values: *mut i64, _m: usize) { none(n) }
    fmi3GetUInt64[ALL](_me, _references: *const Reference, n: usize, _values: *mut u64, _m: usize) { none(n) }
    fmi3GetBoolean[ALL](_me, _references: *const Reference, n: usize, _values: *mut bool, _m: usize) { none(n) }
    fmi3GetString[ALL](_me, _references: *const Reference, n: usize, _values: *mut *const c_char, _m: usize) { none(n) }
    fmi3GetBinary[ALL](
        _me, _references: *const Reference, n: usize, _sizes: *mut usize, _values: *mut *const u8, _m: usize
    ) { none(n) }
    fmi3GetClock[ALL](_me, _references: *const Reference, n: usize, _values: *mut bool) { none(n) }
    fmi3SetFloat32[ALL](_me, _references: *const Reference, n: usize, _values: *const f32, _m: usize) { none(n) }
    fmi3SetInt8[ALL](_me, _references: *const Reference, n: usize, _values: *const i8, _m: usize) { none(n) }
    fmi3SetUInt8[ALL](_me, _references: *const Reference, n: usize, _values: *const u8, _m: usize) { none(n) }
    fmi3SetInt16[ALL](_me, _references: *const Reference, n: usize, _values: *const i16, _m: usize) { none(n) }
    fmi3SetUInt16[ALL](_me, _references: *const Reference, n: usize, _values: *const u16, _m: usize) { none(n) }
    fmi3SetInt32[ALL](_me, _references: *const Reference, n: usize, _values: *const i32, _m: usize) { none(n) }
    fmi3SetUInt32[ALL](_me, _references: *const Reference, n: usize, _values: *const u32, _m: usize) { none(n) }
    fmi3SetInt64[ALL](_me, _references: *const Reference, n: usize, _values: *const i64, _m: usize) { none(n) }
    fmi3SetUInt64[ALL](_me, _references: *const Reference, n: usize, _values: *const u64, _m: usize) { none(n) }
    fmi3SetBoolean[ALL](_me, _references: *const Reference, n: usize, _values: *const bool, _m: usize) { none(n) }
    fmi3SetString[ALL](_me, _references: *const Reference, n: usize, _values: *const *const c_char, _m: usize) { none(n) }
    fmi3SetBinary[ALL](
        _me, _references: *const Reference, n: usize, _sizes: *const usize, _values: *const *const u8, _m: usize
    ) { none(n) }
    fmi3SetClock[ALL](_me, _references: *const Reference, n: usize, _values: *const bool) { none(n) }
    fmi3GetIntervalDecimal[ALL](_me, _references: *const Reference, n: usize, _intervals: *mut f64, _kinds: *mut c_int) { none(n) }
    fmi3GetIntervalFraction[ALL](
        _me, _references: *const Reference, n: usize, _counters: *mut u64, _resolutions: *mut u64, _kinds: *mut c_int
    ) { none(n) }
    fmi3GetShiftDecimal[ALL](_me, _references: *const Reference, n: usize, _shifts: *mut f64) { none(n) }
    fmi3GetShiftFraction[ALL](_me, _references: *const Reference, n: usize, _counters: *mut u64, _resolutions: *mut u64) { none(n) }
    fmi3SetIntervalDecimal[ALL](_me, _references: *const Reference, n: usize, _intervals: *const f64) { none(n) }
    fmi3SetIntervalFraction[ALL](
        _me, _references: *const Reference, n: usize, _counters: *const u64, _resolutions: *const u64
    ) { none(n) }
    fmi3SetShiftDecimal[ALL](_me, _references: *const Reference, n: usize, _shifts: *const f64) { none(n) }
    fmi3SetShiftFraction[ALL](_me, _references: *const Reference, n: usize, _counters: *const u64, _resolutions: *const u64) { none(n) }
    fmi3ActivateModelPartition[ALL](_me, _reference: Reference, _t: f64) {
        Err("there is no scheduled execution".into())
    }
}

fn same(n: usize, m: usize) -> Result<(), Refusal> {
    if n == m { Ok(()) } else { Err("arrays must be as long as there are variables".into()) }
}

fn none(n: usize) -> Result<(), Refusal> {
    if n == 0 { Ok(()) } else { Err("all variables are of type Float64".into()) }
}

fn depends(me: &Instance, reference: Reference) -> Result<Vec<Reference>, Refusal> {
    let description = me.description();
    let of = description.role(reference).and_then(|role| description.of(role));
    let Some(of) = of else { return Err("there is no such variable".into()) };
    let known = of.depends.as_ref().ok_or("the variable may depend on all others")?;
    Ok(known.iter().filter_map(|role| description.reference(*role)).collect())
}
