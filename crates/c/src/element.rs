//! One friction element: made, stepped, asked, saved.
use crate::arguments::{finite, mutable, positive, slice, slice_mut, text};
use crate::error::{Teller, guarded};
use crate::{Code, Failure};
use bristle_kernel::{
    AnyBristle, AnyLaw, Bristle, Drive, Field, Free, Group, Mode, Params, Update, faults,
};
use core::ffi::{c_char, c_int, c_void};
use core::mem::{align_of, size_of};

/// So many doubles have room for an element.
pub const ELEMENT_NUMBERS: usize = 192;

/// So many states an element may have.
const MAX_STATES: usize = 24;

/// Entries of a list of parameters.
const MAX_ENTRIES: usize = 8;

/// Numbers that a saved state consists of.
pub const STATE_NUMBERS: usize = 40;

/// What a saved state begins with.
const SAVED: f64 = 2601.0;
/// Numbers before the bristle states: the mark above, how many states, position, velocity, load, torques, energy, mode.
const BEFORE: usize = 3 + 1 + 2 + 2 + 8;
const _: () = assert!(BEFORE + MAX_STATES <= STATE_NUMBERS);

/// Memory for one element, which bristle_init begins.
#[repr(C)]
pub struct Memory {
    /// It belongs to the library.
    pub numbers: [f64; ELEMENT_NUMBERS],
}

/// One parameter of a model: a number, or a choice.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name, as `bristle models NAME` lists it: "sigma0", "law.mu_s". The entries of a list are "tau[0]", "tau[1]", ….
    pub name: *const c_char,
    /// Its value, if it is a number.
    pub value: f64,
    /// Its value, if it is a choice: "absolute"; else NULL.
    pub text: *const c_char,
}

/// What marks memory that holds an element.
const MARK: u64 = 0x6272_6973_746c_6532;

/// A friction element.
pub struct Element {
    mark: u64,
    model: AnyBristle<f64>,
    update: Update,
    at: Drive<f64>,
    z: [f64; MAX_STATES],
    /// Rate of the state, as the last step had it.
    dz: [f64; MAX_STATES],
    states: usize,
}

const _: () = assert!(size_of::<Element>() <= size_of::<Memory>());
const _: () = assert!(align_of::<Element>() <= align_of::<Memory>());

/// The model `name` over the law `law`, with these parameters.
fn model(
    name: &str,
    law: Option<&str>,
    parameters: &[Parameter],
    teller: &mut Teller<'_>,
) -> Result<AnyBristle<f64>, Code> {
    let law = law.unwrap_or("stribeck");
    let Some(law) = AnyLaw::named(law, ()) else {
        return Err(teller.tell(Code::Model, format_args!("there is no law `{law}`")));
    };
    let Some(mut model) = AnyBristle::named(name, law) else {
        return Err(teller.tell(Code::Model, format_args!("there is no friction model `{name}`")));
    };
    for parameter in parameters {
        // SAFETY: the caller of the C function vouches for its texts.
        let (name, choice) = unsafe {
            let choice = if parameter.text.is_null() { None } else { Some(text(parameter.text)?) };
            (text(parameter.name)?, choice)
        };
        set(&mut model, name, parameter.value, choice, teller)?;
    }
    let mut first = None;
    faults(&model, &mut |fault| {
        if first.is_none() {
            first = Some(fault);
        }
    });
    match first {
        Some(fault) => Err(teller.tell(Code::Parameter, format_args!("{fault}"))),
        None => Ok(model),
    }
}

/// Whether `typed` is the name of this parameter, written `group.name` or `group.name[3]`; then the entry too.
fn entry(typed: &str, group: Group, name: &str) -> Option<Option<usize>> {
    /// Compares what is written with what is there, without memory of its own.
    struct Rest<'a>(&'a str);
    impl core::fmt::Write for Rest<'_> {
        fn write_str(&mut self, s: &str) -> core::fmt::Result {
            self.0 = self.0.strip_prefix(s).ok_or(core::fmt::Error)?;
            Ok(())
        }
    }
    let mut rest = Rest(typed);
    core::fmt::write(&mut rest, format_args!("{group}{name}")).ok()?;
    if rest.0.is_empty() {
        return Some(None);
    }
    rest.0.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(Some)
}

/// Sets one parameter.
fn set(
    model: &mut AnyBristle<f64>,
    typed: &str,
    value: f64,
    choice: Option<&str>,
    teller: &mut Teller<'_>,
) -> Result<(), Code> {
    let name = model.info().name;
    let mut outcome = None;
    model.visit(Group::default(), &mut |visit| {
        let Some(index) = entry(typed, visit.group, visit.param.name) else { return };
        outcome = Some(match (visit.field, index, choice) {
            (Field::Number(x), None, None) => {
                *x = value;
                Ok(())
            }
            (Field::List(list), Some(k), None) if k < MAX_ENTRIES => {
                while list.len() <= k {
                    list.push(value);
                }
                list[k] = value;
                Ok(())
            }
            (Field::Choice(field), None, Some(choice)) => match field.set(choice) {
                true => Ok(()),
                false => Err("has no such option"),
            },
            (Field::Number(_), ..) => Err("is a number: leave text NULL"),
            (Field::List(_), ..) => Err("is a list of at most 8 numbers, each set by name[index]"),
            (Field::Choice(_), ..) => Err("is a choice: give it as text"),
        });
    });
    match outcome {
        Some(Ok(())) => Ok(()),
        Some(Err(why)) => {
            Err(teller.tell(Code::Parameter, format_args!("{name}: `{typed}` {why}")))
        }
        None => Err(teller.tell(
            Code::Parameter,
            format_args!("{name} has no parameter `{typed}`; `bristle models {name}` lists them"),
        )),
    }
}

impl Element {
    fn new(model: AnyBristle<f64>, teller: &mut Teller<'_>) -> Result<Self, Code> {
        let states = model.states();
        if states > MAX_STATES {
            let name = model.info().name;
            let why = format_args!("{name} has {states} states here, more than {MAX_STATES}");
            return Err(teller.tell(Code::Parameter, why));
        }
        let (z, dz) = ([0.0; MAX_STATES], [0.0; MAX_STATES]);
        let at = Drive::new(0.0, 0.0);
        let mut element =
            Element { mark: MARK, model, update: Update::Midpoint, at, z, dz, states };
        element.reset();
        Ok(element)
    }

    fn reset(&mut self) {
        self.z = [0.0; MAX_STATES];
        self.dz = [0.0; MAX_STATES];
        self.at = Drive::new(0.0, 0.0);
        self.at.mode = self.model.begin(&self.at, &self.z[..self.states]);
    }

    /// Takes the outcome of `f` on this element, or leaves all as it is.
    fn attempt(
        &mut self,
        f: impl FnOnce(&AnyBristle<f64>, &mut Drive<f64>, &mut [f64]) -> Option<f64>,
    ) -> Result<f64, Code> {
        let (mut at, mut z) = (self.at, self.z);
        let force = f(&self.model, &mut at, &mut z[..self.states]).ok_or(Code::NoStep)?;
        let sound = force.is_finite() && at.v.is_finite() && z.iter().all(|z| z.is_finite());
        if !sound {
            return Err(Code::Result);
        }
        (self.at, self.z) = (at, z);
        Ok(force)
    }

    /// One step at the velocity `v`.
    fn step(&mut self, v: f64, load: f64, h: f64, injection: f64) -> Result<f64, Code> {
        let (v, load) = (finite(v, Code::Velocity)?, finite(load, Code::Load)?);
        let (h, injection) = (positive(h, Code::Time)?, finite(injection, Code::Injection)?);
        let update = self.update;
        self.attempt(|model, at, z| {
            (at.v, at.load, at.injection) = (v, load, injection);
            let force = model.advance(update, at, &Free::prescribed(v), h, z);
            at.v = v;
            force
        })
    }

    /// One step together with a body.
    fn step_body(
        &mut self,
        v: f64,
        load: f64,
        mass: f64,
        push: f64,
        h: f64,
    ) -> Result<[f64; 2], Code> {
        let (v, load) = (finite(v, Code::Velocity)?, finite(load, Code::Load)?);
        let (mass, push) = (positive(mass, Code::Mass)?, finite(push, Code::Force)?);
        let (h, update) = (positive(h, Code::Time)?, self.update);
        let force = self.attempt(|model, at, z| {
            (at.v, at.load, at.injection) = (v, load, 0.0);
            model.advance(update, at, &Free::body(update, v, mass, push, h), h, z)
        })?;
        Ok([force, v + h / mass * (push - force)])
    }

    fn save(&self, out: &mut [f64; STATE_NUMBERS]) {
        let Drive { x, v, load, mode, .. } = self.at;
        *out = [0.0; STATE_NUMBERS];
        let head = [SAVED, self.states as f64, x, v, load, self.at.injection, self.at.torques[0]];
        let rest = core::iter::once(self.at.torques[1]).chain([mode.way]).chain(mode.index);
        let all = head.into_iter().chain(rest).chain(self.z);
        out.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    }

    fn restore(&mut self, saved: &[f64; STATE_NUMBERS]) -> Result<(), Code> {
        let known = saved[0] == SAVED && saved[1] == self.states as f64;
        if !known || saved.iter().any(|x| !x.is_finite()) {
            return Err(Code::State);
        }
        let index = core::array::from_fn(|k| saved[9 + k]);
        let mode = Mode { way: saved[8], index };
        self.at = Drive { x: saved[2], mode, ..Drive::new(saved[3], saved[4]) };
        (self.at.injection, self.at.torques) = (saved[5], [saved[6], saved[7]]);
        self.z.copy_from_slice(&saved[BEFORE..BEFORE + MAX_STATES]);
        Ok(())
    }

    /// # Safety
    /// `element` is NULL or comes from `bristle_init` or `bristle_create`, and nothing else uses it meanwhile.
    unsafe fn of<'a>(element: *mut Element) -> Result<&'a mut Element, Code> {
        // SAFETY: as above.
        let element = unsafe { mutable(element) }?;
        if element.mark == MARK { Ok(element) } else { Err(Code::Memory) }
    }
}

/// The code of an outcome.
fn code(outcome: impl FnOnce() -> Result<(), Code>) -> c_int {
    guarded(|| outcome().err().unwrap_or(Code::Ok)) as c_int
}

/// # Safety
/// `to` is NULL or points to a double.
unsafe fn write(to: *mut f64, value: f64) -> Result<(), Code> {
    // SAFETY: as above.
    *unsafe { mutable(to) }? = value;
    Ok(())
}

/// The version of the library: "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn bristle_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Makes an element in memory of the caller: as large and aligned as a bristle_memory.
/// Nothing is allocated, now or later, and the memory may simply be forgotten.
///
/// `model` and `law` are names that `bristle models` lists; law NULL is "stribeck". What is not among the `count`
/// parameters keeps its start value. `failure` may be NULL.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_init(
    memory: *mut c_void,
    bytes: usize,
    model: *const c_char,
    law: *const c_char,
    parameters: *const Parameter,
    count: usize,
    element: *mut *mut Element,
    failure: *mut Failure,
) -> c_int {
    // SAFETY: as the caller promises.
    guarded(|| unsafe {
        let mut teller = Teller(failure.as_mut());
        let place: *mut Element = memory.cast();
        if memory.is_null() || element.is_null() {
            return teller.plain(Code::Null);
        }
        if bytes < size_of::<Element>() || !place.is_aligned() {
            return teller.plain(Code::Memory);
        }
        *element = core::ptr::null_mut();
        match named(model, law, parameters, count, &mut teller) {
            Ok(made) => {
                place.write(made);
                *element = place;
                Code::Ok
            }
            Err(code) => code,
        }
    }) as c_int
}

/// # Safety
/// The pointers are NULL or point to what the types say.
unsafe fn named(
    name: *const c_char,
    law: *const c_char,
    parameters: *const Parameter,
    count: usize,
    teller: &mut Teller<'_>,
) -> Result<Element, Code> {
    // SAFETY: as above.
    let (name, law, parameters) = unsafe {
        let law = if law.is_null() { Ok(None) } else { text(law).map(Some) };
        let (name, law) = (text(name), law);
        let parameters = slice(parameters, count);
        match (name, law, parameters) {
            (Ok(name), Ok(law), Ok(parameters)) => (name, law, parameters),
            (Err(code), ..) | (_, Err(code), _) | (.., Err(code)) => return Err(teller.plain(code)),
        }
    };
    let model = model(name, law, parameters, teller)?;
    Element::new(model, teller)
}

/// Makes an element on the heap: as bristle_init, and bristle_free frees it.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_create(
    model: *const c_char,
    law: *const c_char,
    parameters: *const Parameter,
    count: usize,
    element: *mut *mut Element,
    failure: *mut Failure,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { on_heap(element, failure, |teller| named(model, law, parameters, count, teller)) }
}

/// Puts what is made on the heap.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[cfg(feature = "std")]
unsafe fn on_heap(
    element: *mut *mut Element,
    failure: *mut Failure,
    make: impl FnOnce(&mut Teller<'_>) -> Result<Element, Code>,
) -> c_int {
    // SAFETY: as above.
    guarded(|| unsafe {
        let mut teller = Teller(failure.as_mut());
        if element.is_null() {
            return teller.plain(Code::Null);
        }
        *element = core::ptr::null_mut();
        match make(&mut teller) {
            Ok(made) => {
                *element = Box::into_raw(Box::new(made));
                Code::Ok
            }
            Err(code) => code,
        }
    }) as c_int
}

/// Makes an element on the heap from the text of a file: a table [friction] as in scenarios, perhaps with
/// set = "lugre-or-not-set-2". bristle_free frees it.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_create_from_text(
    toml: *const c_char,
    element: *mut *mut Element,
    failure: *mut Failure,
) -> c_int {
    use bristle_scenario::Subject;
    let make = |teller: &mut Teller<'_>| {
        // SAFETY: as the caller promises.
        let toml = unsafe { text(toml) }.map_err(|code| teller.plain(code))?;
        match Subject::read(toml, &[], std::path::Path::new(".")) {
            Ok(Subject::Friction(model)) => Element::new(model, teller),
            Ok(_) => {
                let why = "is no friction element along a line: write a table [friction] alone";
                Err(teller.tell(Code::File, format_args!("{why}")))
            }
            Err(problems) => Err(teller.tell(Code::File, format_args!("{problems}"))),
        }
    };
    // SAFETY: as the caller promises.
    unsafe { on_heap(element, failure, make) }
}

/// Frees an element of bristle_create or bristle_create_from_text; NULL is left alone.
///
/// # Safety
/// Nothing uses the element afterwards.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_free(element: *mut Element) {
    // SAFETY: as the caller promises.
    unsafe {
        if let Ok(own) = Element::of(element) {
            own.mark = 0;
            drop(Box::from_raw(element));
        }
    }
}

/// How fixed steps are taken: "midpoint" (from the start), "end" or "exponential".
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_set_update(element: *mut Element, update: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let name = text(update)?;
        let known: &mut dyn bristle_kernel::AnyChoice = &mut element.update;
        if known.set(name) { Ok(()) } else { Err(Code::Parameter) }
    })
}

/// How many numbers the bristles remember.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_states(element: *mut Element, states: *mut usize) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        *mutable(states)? = Element::of(element)?.states;
        Ok(())
    })
}

/// Puts the element back to its start: bristles undeflected, position 0.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_reset(element: *mut Element) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        Element::of(element)?.reset();
        Ok(())
    })
}

/// One step of h seconds in real time at the velocity v, m/s, under the normal load, N: passive at any step. Gives the
/// friction force of the step, N. Friction feed-forward is this with the reference velocity.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_step(
    element: *mut Element,
    v: f64,
    load: f64,
    h: f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let step = Element::of(element)?.step(v, load, h, 0.0)?;
        write(force, step)
    })
}

/// One step together with a body of that mass, kg, that moves at v under the force push, N. Gives the friction force of
/// the step, N, and the velocity after it: a stick holds, whatever the step.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_step_body(
    element: *mut Element,
    v: f64,
    load: f64,
    mass: f64,
    push: f64,
    h: f64,
    force: *mut f64,
    v_after: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let [step, after] = Element::of(element)?.step_body(v, load, mass, push, h)?;
        write(force, step)?;
        write(v_after, after)
    })
}

/// One step of the friction observer of Romano et al. (viscoelastic FrBD), eq. (28a): a copy of the friction, driven by the
/// measured velocity v and corrected by −gain·error, where error, m/s, is the controller's s = ė + λe. Gives the force to
/// compensate, N.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_observe(
    element: *mut Element,
    v: f64,
    error: f64,
    gain: f64,
    load: f64,
    h: f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let step = Element::of(element)?.step(v, load, h, -gain * error)?;
        write(force, step)
    })
}

/// `count` steps in a row: at v[k] under load[k] to force[k]. Stops at the first that fails; `done` may be NULL.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_step_series(
    element: *mut Element,
    count: usize,
    v: *const f64,
    load: *const f64,
    h: f64,
    force: *mut f64,
    done: *mut usize,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let (v, load, force) = (slice(v, count)?, slice(load, count)?, slice_mut(force, count)?);
        let mut taken = 0;
        let mut outcome = Ok(());
        for ((force, v), load) in force.iter_mut().zip(v).zip(load) {
            match element.step(*v, *load, h, 0.0) {
                Ok(step) => *force = step,
                Err(code) => {
                    outcome = Err(code);
                    break;
                }
            }
            taken += 1;
        }
        if let Some(done) = done.as_mut() {
            *done = taken;
        }
        outcome
    })
}

/// One step of each of `count` elements, all different: elements[k] at v[k] under load[k] to force[k].
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_step_batch(
    elements: *const *mut Element,
    count: usize,
    v: *const f64,
    load: *const f64,
    h: f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let (elements, v) = (slice(elements, count)?, slice(v, count)?);
        let (load, force) = (slice(load, count)?, slice_mut(force, count)?);
        for (k, element) in elements.iter().enumerate() {
            force[k] = Element::of(*element)?.step(v[k], load[k], h, 0.0)?;
        }
        Ok(())
    })
}

/// The friction force at this velocity and load in the state that the element is in, N; nothing changes.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_force(
    element: *mut Element,
    v: f64,
    load: f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let (v, load) = (finite(v, Code::Velocity)?, finite(load, Code::Load)?);
        let at = Drive { v, load, injection: 0.0, ..element.at };
        let n = element.states;
        let now = element.model.eval(&at, &element.z[..n], &mut element.dz[..n]);
        write(force, finite(now, Code::Result)?)
    })
}

/// The friction force of steady sliding, N; nothing changes.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_steady(
    element: *mut Element,
    v: f64,
    load: f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let (v, load) = (finite(v, Code::Velocity)?, finite(load, Code::Load)?);
        let mut at = Drive { v, load, injection: 0.0, ..element.at };
        let (mut z, n) = (element.z, element.states);
        at.mode = element.model.begin(&at, &z[..n]);
        let steady = element.model.steady(&at, &mut z[..n]);
        write(force, finite(steady, Code::Result)?)
    })
}

/// The energy that the bristles store, J, and the power that friction dissipates, W, in the present state at the velocity
/// and load of the last step.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_energy(
    element: *mut Element,
    stored: *mut f64,
    dissipated: *mut f64,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let n = element.states;
        element.model.rate(&element.at, &element.z[..n], &mut element.dz[..n]);
        let energy = element.model.energy(&element.at, &element.z[..n], &element.dz[..n]);
        write(stored, finite(energy.stored, Code::Result)?)?;
        write(dissipated, finite(energy.dissipated, Code::Result)?)
    })
}

/// Writes the whole state into BRISTLE_STATE_NUMBERS numbers.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_save(
    element: *mut Element,
    state: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        let state = slice_mut(state, count)?;
        element.save(state.try_into().map_err(|_| Code::Length)?);
        Ok(())
    })
}

/// Goes back to a state that was saved from an element of the same model and parameters.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_restore(
    element: *mut Element,
    state: *const f64,
    count: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    code(|| unsafe {
        let element = Element::of(element)?;
        element.restore(slice(state, count)?.try_into().map_err(|_| Code::Length)?)
    })
}
