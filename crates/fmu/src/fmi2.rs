//! The functions of FMI 2.0.
// The standard has the names and says what each function does.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc)]
use crate::border::{
    Handle, folder_of_uri, free_state, get_state, list, list_mut, place, read_state, text,
};
use crate::instance::{Asked, Instance, Phase, Phase::*, RUNNING, Refusal, State, Status};
use std::ffi::{c_char, c_double, c_int, c_uint, c_void};

type Reference = c_uint;

/// What an importer offers.
#[repr(C)]
pub struct Callbacks {
    logger: Option<
        unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...),
    >,
    allocate: *const c_void,
    free: *const c_void,
    finished: *const c_void,
    environment: *mut c_void,
}

/// What an event has changed.
#[repr(C)]
pub struct EventInfo {
    new_discrete_states_needed: c_int,
    terminate: c_int,
    nominals_changed: c_int,
    values_changed: c_int,
    next_defined: c_int,
    next: c_double,
}

const ALL: [Phase; 6] = [Instantiated, Initialization, Event, Continuous, Step, Terminated];
/// Phases in which derivatives and outputs are asked for.
const SOLVED: [Phase; 4] = [Initialization, Event, Continuous, Terminated];

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: c_int,
    logging: c_int,
) -> Handle {
    // SAFETY: the importer gives texts and callbacks, or NULL.
    let made = std::panic::catch_unwind(|| unsafe {
        let own = text(name).unwrap_or_default();
        let given = callbacks.as_ref();
        let (logger, environment) =
            given.map_or((None, std::ptr::null_mut()), |c| (c.logger, c.environment));
        let log = move |status: Status, why: &str| {
            let Some(logger) = logger else { return };
            let [name, why] = [own.as_str(), why].map(crate::border::terminated);
            logger(
                environment,
                name.as_ptr(),
                status as c_int,
                c"logStatusError".as_ptr(),
                c"%s".as_ptr(),
                why.as_ptr(),
            );
        };
        let (Some(guid), Some(folder)) =
            (text(guid), text(resources).and_then(|uri| folder_of_uri(&uri)))
        else {
            log(
                Status::Error,
                "fmi2Instantiate needs a GUID and the location of the resources as a file URI",
            );
            return std::ptr::null_mut();
        };
        let asked = Asked {
            exchange: kind == 0,
            event_mode: false,
            early_return: false,
            logging: logging != 0,
        };
        Instance::new(&folder, &guid, asked, Box::new(log))
            .map_or(std::ptr::null_mut(), Box::into_raw)
    });
    made.unwrap_or(std::ptr::null_mut()).cast()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(handle: Handle) {
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
    fmi2SetDebugLogging[ALL](me, on: c_int, _count: usize, _categories: *const *const c_char) {
        me.set_logging(on != 0);
        Ok(())
    }
    fmi2SetupExperiment[[Instantiated]](
        me, _tolerant: c_int, _tolerance: c_double, start: c_double, stops: c_int, stop: c_double
    ) {
        me.set_up(start, (stops != 0).then_some(stop))
    }
    fmi2EnterInitializationMode[[Instantiated]](me) { me.enter_initialization() }
    fmi2ExitInitializationMode[[Initialization]](me) { me.exit_initialization() }
    fmi2Terminate[[Event, Continuous, Step]](me) { me.terminate() }
    fmi2Reset[ALL](me) { me.reset() }

    fmi2GetReal[ALL](me, references: *const Reference, n: usize, values: *mut c_double) {
        me.get(list(references, n)?, list_mut(values, n)?)
    }
    fmi2GetInteger[ALL](_me, _references: *const Reference, n: usize, _values: *mut c_int) { none(n) }
    fmi2GetBoolean[ALL](_me, _references: *const Reference, n: usize, _values: *mut c_int) { none(n) }
    fmi2GetString[ALL](_me, _references: *const Reference, n: usize, _values: *mut *const c_char) { none(n) }
    fmi2SetReal[[Instantiated, Initialization, Event, Continuous, Step]](
        me, references: *const Reference, n: usize, values: *const c_double
    ) {
        me.set(list(references, n)?, list(values, n)?)
    }
    fmi2SetInteger[ALL](_me, _references: *const Reference, n: usize, _values: *const c_int) { none(n) }
    fmi2SetBoolean[ALL](_me, _references: *const Reference, n: usize, _values: *const c_int) { none(n) }
    fmi2SetString[ALL](_me, _references: *const Reference, n: usize, _values: *const *const c_char) { none(n) }

    fmi2GetFMUstate[ALL](me, state: *mut *mut State) { get_state(me, state) }
    fmi2SetFMUstate[ALL](me, state: *mut State) { me.restore(State::of(state)?) }
    fmi2FreeFMUstate[ALL](_me, state: *mut *mut State) { free_state(state) }
    fmi2SerializedFMUstateSize[ALL](me, state: *mut State, size: *mut usize) {
        *place(size)? = me.bytes_of(State::of(state)?);
        Ok(())
    }
    fmi2SerializeFMUstate[ALL](me, state: *mut State, bytes: *mut u8, n: usize) {
        me.serialize(State::of(state)?, list_mut(bytes, n)?)
    }
    fmi2DeSerializeFMUstate[ALL](me, bytes: *const u8, n: usize, state: *mut *mut State) {
        read_state(me, bytes, n, state)
    }
    fmi2GetDirectionalDerivative[RUNNING](
        me, unknowns: *const Reference, n: usize, knowns: *const Reference, m: usize, seed: *const c_double,
        out: *mut c_double
    ) {
        let (unknowns, knowns) = (list(unknowns, n)?, list(knowns, m)?);
        me.derivatives(unknowns, knowns, list(seed, m)?, false, list_mut(out, n)?)
    }

    fmi2EnterEventMode[[Continuous, Event]](me) { me.enter(Event) }
    fmi2NewDiscreteStates[[Event]](me, info: *mut EventInfo) {
        let to = place(info)?;
        let event = me.event()?;
        *to = EventInfo {
            new_discrete_states_needed: 0,
            terminate: 0,
            nominals_changed: 0,
            values_changed: c_int::from(event.jumped),
            next_defined: c_int::from(event.next.is_finite()),
            next: if event.next.is_finite() { event.next } else { 0.0 },
        };
        Ok(())
    }
    fmi2EnterContinuousTimeMode[[Event]](me) { me.enter(Continuous) }
    fmi2CompletedIntegratorStep[[Continuous]](
        _me, _no_set_state: c_int, enter_event_mode: *mut c_int, terminate: *mut c_int
    ) {
        (*place(enter_event_mode)?, *place(terminate)?) = (0, 0);
        Ok(())
    }
    fmi2SetTime[[Event, Continuous]](me, t: c_double) { me.set_time(t) }
    fmi2SetContinuousStates[[Continuous]](me, y: *const c_double, n: usize) { me.set_states(list(y, n)?) }
    fmi2GetDerivatives[SOLVED](me, out: *mut c_double, n: usize) { me.rates(list_mut(out, n)?) }
    fmi2GetEventIndicators[SOLVED](me, out: *mut c_double, n: usize) { me.indicators(list_mut(out, n)?) }
    fmi2GetContinuousStates[SOLVED](me, out: *mut c_double, n: usize) { me.states(list_mut(out, n)?) }
    fmi2GetNominalsOfContinuousStates[ALL](me, out: *mut c_double, n: usize) { me.nominals(list_mut(out, n)?) }

    fmi2SetRealInputDerivatives[[Instantiated, Initialization, Step]](
        me, references: *const Reference, n: usize, orders: *const c_int, values: *const c_double
    ) {
        me.set_slopes(list(references, n)?, list(orders, n)?, list(values, n)?)
    }
    fmi2GetRealOutputDerivatives[[Step, Terminated]](
        _me, _references: *const Reference, n: usize, _orders: *const c_int, _values: *mut c_double
    ) {
        if n == 0 { Ok(()) } else { Err("derivatives of outputs over time are not known".into()) }
    }
    fmi2DoStep[[Step]](me, t: c_double, h: c_double, _no_set_state: c_int) {
        me.step(t, h, &mut |_| false).map(|_| ())
    }
    fmi2CancelStep[[Step]](_me) { Err("steps are over when fmi2DoStep returns".into()) }
    fmi2GetStatus[[Step, Terminated]](_me, _kind: c_int, _value: *mut c_int) { none_pending() }
    fmi2GetRealStatus[[Step, Terminated]](me, kind: c_int, value: *mut c_double) {
        /// `fmi2LastSuccessfulTime`.
        const LAST: c_int = 2;
        if kind != LAST {
            return none_pending();
        }
        *place(value)? = me.time();
        Ok(())
    }
    fmi2GetIntegerStatus[[Step, Terminated]](_me, _kind: c_int, _value: *mut c_int) { none_pending() }
    fmi2GetBooleanStatus[[Step, Terminated]](_me, kind: c_int, value: *mut c_int) {
        /// `fmi2Terminated`.
        const TERMINATED: c_int = 3;
        if kind != TERMINATED {
            return none_pending();
        }
        *place(value)? = 0;
        Ok(())
    }
    fmi2GetStringStatus[[Step, Terminated]](_me, _kind: c_int, _value: *mut *const c_char) { none_pending() }
}

fn none(n: usize) -> Result<(), Refusal> {
    if n == 0 { Ok(()) } else { Err("all variables are of type Real".into()) }
}

fn none_pending() -> Result<(), Refusal> {
    Err(Refusal { status: Status::Discard, why: "no step is pending".into() })
}
