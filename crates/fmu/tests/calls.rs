//! The functions of both standards, as an importer calls them: a run, and sequences that make no sense.
use bristle_fmu::archive::{RESOURCE, token};
use bristle_fmu::fmi2::*;
use bristle_fmu::fmi3::*;
use bristle_fmu::{Source, Version, xml};
use bristle_scenario::{OnImbalance, Scenario, simulate};
use proptest::prelude::*;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The resources of a unit in a folder, and its token.
struct Unit {
    folder: PathBuf,
    token: CString,
    source: Source,
}

fn scenario(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    std::fs::read_to_string(path).unwrap()
}

impl Unit {
    fn new(name: &str, source: Result<Source, bristle_fmu::Fault>) -> Self {
        let source = source.unwrap_or_else(|fault| panic!("{name}: {}", fault.0));
        // Tests run side by side, each with folders of its own.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("unit-{count}-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let text = source.to_resources();
        std::fs::write(folder.join(RESOURCE), &text).unwrap();
        Unit { folder, token: CString::new(token(&text)).unwrap(), source }
    }

    fn of_file(name: &str, drives_are_inputs: bool) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        Unit::new(name, Source::of_file(&scenario(name), &[], &folder, drives_are_inputs))
    }

    fn folder(&self) -> CString {
        CString::new(self.folder.to_str().unwrap()).unwrap()
    }

    fn exchange(&self) -> *mut c_void {
        let (folder, name) = (self.folder(), c"one");
        unsafe {
            fmi3InstantiateModelExchange(
                name.as_ptr(),
                self.token.as_ptr(),
                folder.as_ptr(),
                false,
                true,
                null_mut(),
                Some(log),
            )
        }
    }

    fn steps(&self) -> *mut c_void {
        let (folder, name) = (self.folder(), c"one");
        unsafe {
            fmi3InstantiateCoSimulation(
                name.as_ptr(),
                self.token.as_ptr(),
                folder.as_ptr(),
                false,
                true,
                false,
                true,
                null(),
                0,
                null_mut(),
                Some(log),
                None,
            )
        }
    }

    fn two(&self, kind: c_int) -> *mut c_void {
        let uri = CString::new(format!("file://{}", self.folder.display())).unwrap();
        unsafe {
            fmi2Instantiate(c"two".as_ptr(), kind, self.token.as_ptr(), uri.as_ptr(), null(), 0, 1)
        }
    }

    fn reference(&self, name: &str) -> u32 {
        let (_, description) = self.source.make().unwrap();
        let at = description.variables.iter().position(|v| v.name == name);
        at.unwrap_or_else(|| panic!("no {name}")) as u32 + 1
    }
}

thread_local! {
    static TOLD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn log(_: *mut c_void, _: c_int, _: *const c_char, text: *const c_char) {
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
    TOLD.with_borrow_mut(|told| told.push(text));
}

fn told() -> String {
    TOLD.with_borrow_mut(std::mem::take).join("; ")
}

fn get(unit: *mut c_void, reference: u32) -> f64 {
    let mut value = f64::NAN;
    assert_eq!(unsafe { fmi3GetFloat64(unit, &reference, 1, &mut value, 1) }, 0, "{}", told());
    value
}

fn set(unit: *mut c_void, reference: u32, value: f64) -> c_int {
    unsafe { fmi3SetFloat64(unit, &reference, 1, &value, 1) }
}

fn begin(unit: *mut c_void) {
    unsafe {
        assert_eq!(fmi3EnterInitializationMode(unit, false, 0.0, 0.0, false, 0.0), 0, "{}", told());
        assert_eq!(fmi3ExitInitializationMode(unit), 0, "{}", told());
    }
}

fn step(unit: *mut c_void, t: f64, h: f64) -> c_int {
    let (mut a, mut b, mut c, mut last) = (false, false, false, 0.0);
    unsafe { fmi3DoStep(unit, t, h, false, &mut a, &mut b, &mut c, &mut last) }
}

/// Steps of any length end where our own run does.
#[test]
fn co_simulation_is_our_own_run() {
    let unit = Unit::of_file("belt.toml", true);
    let own = Scenario::read(&scenario("belt.toml"), &[]).unwrap();
    let run = simulate(&own, OnImbalance::Stop, &mut |_| ControlFlow::Continue(())).unwrap();
    let ours = *run.trace.column("x").unwrap().values.last().unwrap();
    for steps in [20, 500] {
        let one = unit.steps();
        begin(one);
        let h = own.run.end / f64::from(steps);
        for k in 0..steps {
            assert_eq!(step(one, f64::from(k) * h, h), 0, "{}", told());
        }
        let x = get(one, unit.reference("x"));
        assert!((x - ours).abs() < 1e-6, "{steps} steps: {x} m, ours {ours} m");
        unsafe { fmi3FreeInstance(one) };
    }
}

/// A state that was saved, written out and read again goes on as the run did, with the same bits.
#[test]
fn a_state_goes_on() {
    for file in ["belt.toml", "belt-dry.toml", "servo-sampled.toml", "gear-backlash.toml"] {
        let unit = Unit::of_file(file, true);
        let (one, other) = (unit.steps(), unit.steps());
        begin(one);
        for k in 0..40 {
            assert_eq!(step(one, 0.01 * f64::from(k), 0.01), 0, "{file}: {}", told());
        }
        let (mut state, mut copy, mut size) = (null_mut(), null_mut(), 0);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        unsafe {
            assert_eq!(fmi3GetFMUState(one, &mut state), 0);
            assert_eq!(fmi3SerializedFMUStateSize(one, state, &mut size), 0);
            let mut bytes = vec![0u8; size];
            assert_eq!(fmi3SerializeFMUState(one, state, bytes.as_mut_ptr(), size), 0);
            assert_eq!(fmi3SerializeFMUState(one, state, bytes.as_mut_ptr(), size - 1), 3);
            assert_eq!(fmi3DeserializeFMUState(other, bytes.as_ptr(), size, &mut copy), 0);
            bytes[0] ^= 1;
            assert_eq!(fmi3DeserializeFMUState(other, bytes.as_ptr(), size, &mut null_mut()), 3);
            // Both begin from the state: a run that goes on without one may remember more of its steps.
            assert_eq!(fmi3SetFMUState(one, state), 0);
            assert_eq!(fmi3SetFMUState(other, copy), 0, "{file}: {}", told());
        }
        let (_, description) = unit.source.make().unwrap();
        let all: Vec<u32> = (1..=description.variables.len() as u32).collect();
        for (unit, out) in [(one, &mut a), (other, &mut b)] {
            for k in 40..60 {
                assert_eq!(step(unit, 0.01 * f64::from(k), 0.01), 0, "{file}: {}", told());
            }
            out.extend(all.iter().map(|r| get(unit, *r).to_bits()));
        }
        assert_eq!(a, b, "{file}");
        unsafe {
            assert_eq!(fmi3FreeFMUState(one, &mut state), 0);
            assert_eq!(fmi3FreeFMUState(other, &mut copy), 0);
            fmi3FreeInstance(one);
            fmi3FreeInstance(other);
        }
    }
}

/// Derivatives are those of differences, for every known and unknown.
#[test]
fn derivatives_are_exact() {
    let units = [
        Unit::new("frbd", Source::of_model("frbd", &[])),
        Unit::new("implicit", Source::of_model("implicit", &[])),
        Unit::new("gms", Source::of_model("gms", &[])),
        Unit::of_file("belt.toml", true),
        Unit::of_file("stick-slip.toml", true),
    ];
    for unit in units {
        let (_, description) = unit.source.make().unwrap();
        if !description.derives {
            continue;
        }
        use bristle_fmu::block::Role;
        let of = |want: fn(&Role) -> bool| -> Vec<u32> {
            let all = description.variables.iter().enumerate().filter(|(_, v)| want(&v.role));
            all.map(|(k, _)| k as u32 + 1).collect()
        };
        let unknowns = of(|r| matches!(r, Role::Rate(_) | Role::Output(_)));
        let (inputs, states) =
            (of(|r| matches!(r, Role::Input(_))), of(|r| matches!(r, Role::State(_))));
        let one = unit.exchange();
        begin(one);
        unsafe { assert_eq!(fmi3EnterContinuousTimeMode(one), 0) };
        // Away from kinks.
        let typical: Vec<f64> = states
            .iter()
            .enumerate()
            .map(|(k, _)| description.of(Role::State(k)).and_then(|v| v.nominal).unwrap_or(1.0))
            .collect();
        let y: Vec<f64> =
            typical.iter().enumerate().map(|(k, n)| (0.7 + 0.1 * k as f64) * n).collect();
        unsafe { assert_eq!(fmi3SetContinuousStates(one, y.as_ptr(), y.len()), 0, "{}", told()) };
        for (k, r) in inputs.iter().enumerate() {
            assert_eq!(set(one, *r, 0.05 + 0.3 * k as f64), 0, "{}", told());
        }
        let values = || unknowns.iter().map(|r| get(one, *r)).collect::<Vec<f64>>();
        let knowns: Vec<u32> = inputs.iter().chain(&states).copied().collect();
        for (j, known) in knowns.iter().enumerate() {
            let h = match j.checked_sub(inputs.len()) {
                None => 1e-6,
                Some(k) => 1e-5 * typical[k],
            };
            let shifted = |by: f64| match j.checked_sub(inputs.len()) {
                None => {
                    let before = get(one, *known);
                    assert_eq!(set(one, *known, before + by), 0);
                    let out = values();
                    assert_eq!(set(one, *known, before), 0);
                    out
                }
                Some(k) => {
                    let mut moved = y.clone();
                    moved[k] += by;
                    unsafe {
                        assert_eq!(fmi3SetContinuousStates(one, moved.as_ptr(), moved.len()), 0)
                    };
                    let out = values();
                    unsafe { assert_eq!(fmi3SetContinuousStates(one, y.as_ptr(), y.len()), 0) };
                    out
                }
            };
            let (up, down) = (shifted(h), shifted(-h));
            let mut exact = vec![0.0; unknowns.len()];
            let seed = 1.0;
            let status = unsafe {
                fmi3GetDirectionalDerivative(
                    one,
                    unknowns.as_ptr(),
                    unknowns.len(),
                    known,
                    1,
                    &seed,
                    1,
                    exact.as_mut_ptr(),
                    exact.len(),
                )
            };
            assert_eq!(status, 0, "{}", told());
            for (i, exact) in exact.iter().enumerate() {
                let slope = (up[i] - down[i]) / (2.0 * h);
                let size = exact.abs().max(slope.abs()).max(1e-9 * up[i].abs() / h).max(1e-9);
                assert!(
                    (exact - slope).abs() < 1e-4 * size,
                    "{}: d {} / d {}: {exact}, by differences {slope}",
                    description.name,
                    description.variables[unknowns[i] as usize - 1].name,
                    description.variables[*known as usize - 1].name
                );
                // The adjoint is the same number.
                let (mut adjoint, unit_seed) = (0.0, 1.0);
                let status = unsafe {
                    fmi3GetAdjointDerivative(
                        one,
                        &unknowns[i],
                        1,
                        known,
                        1,
                        &unit_seed,
                        1,
                        &mut adjoint,
                        1,
                    )
                };
                assert_eq!((status, adjoint), (0, *exact));
            }
        }
        unsafe { fmi3FreeInstance(one) };
    }
}

/// What is wrong is refused with a message, and the unit goes on as before.
#[test]
fn wrong_calls_and_values_are_refused() {
    let unit = Unit::of_file("belt.toml", true);
    let one = unit.steps();
    told();
    assert_eq!(step(one, 0.0, 0.1), 3);
    assert!(told().contains("fmi3DoStep is not allowed in the phase Instantiated"));
    let sigma0 = unit.reference("friction.sigma0");
    assert_eq!(set(one, sigma0, -5.0), 0);
    unsafe {
        assert_eq!(fmi3EnterInitializationMode(one, false, 0.0, 0.0, false, 0.0), 0);
        assert_eq!(fmi3ExitInitializationMode(one), 3);
    }
    let text = told();
    assert!(text.contains("sigma0 = -5") && text.contains("outside"), "{text}");
    assert_eq!(set(one, sigma0, 1e5), 0);
    unsafe { assert_eq!(fmi3ExitInitializationMode(one), 0, "{}", told()) };
    for (wrong, says) in [(f64::NAN, "must be finite"), (f64::INFINITY, "must be finite")] {
        assert_eq!(set(one, unit.reference("v_b_in"), wrong), 3);
        assert!(told().contains(says));
    }
    assert_eq!(set(one, sigma0, 1e5), 3);
    assert!(told().contains("fixed once the run has begun"));
    assert_eq!(step(one, 0.5, 0.1), 3);
    assert!(told().contains("the unit stands at 0 s"));
    assert_eq!(step(one, 0.0, -0.1), 3);
    assert_eq!(step(one, 0.0, 0.1), 0, "{}", told());
    let none = 9999;
    assert_eq!(set(one, none, 1.0), 3);
    assert!(told().contains("no variable with the value reference 9999"));
    unsafe {
        assert_eq!(fmi3GetInt32(one, &none, 1, null_mut(), 1), 3);
        assert_eq!(fmi3Reset(one), 0);
        fmi3FreeInstance(one);
        fmi3FreeInstance(null_mut());
        assert_eq!(fmi3Terminate(null_mut()), 3);
    }
    // The wrong token, the wrong folder.
    let wrong = CString::new("{0}").unwrap();
    let made = unsafe {
        fmi3InstantiateModelExchange(
            c"x".as_ptr(),
            wrong.as_ptr(),
            unit.folder().as_ptr(),
            false,
            true,
            null_mut(),
            Some(log),
        )
    };
    assert!(made.is_null() && told().contains("do not belong together"));
}

/// An importer that solves by its own small steps lands on our own run, and events do not chatter.
#[test]
fn model_exchange_passes_events_once() {
    let unit = Unit::new("lugre", Source::of_model("lugre", &[]));
    let one = unit.exchange();
    begin(one);
    let (v, load) = (unit.reference("v"), unit.reference("N"));
    assert_eq!(set(one, load, 10.0), 0);
    let (h, mut z, mut dz, mut events) = (1e-5, 0.0f64, 0.0f64, 0);
    let (mut before, mut now) = (0.0f64, 0.0f64);
    unsafe { assert_eq!(fmi3EnterContinuousTimeMode(one), 0) };
    for k in 0..100_000 {
        let t = h * f64::from(k);
        unsafe {
            assert_eq!(fmi3SetTime(one, t), 0);
            assert_eq!(set(one, v, 1e-3 * (20.0 * t).cos()), 0);
            assert_eq!(fmi3SetContinuousStates(one, &z, 1), 0);
            assert_eq!(fmi3GetEventIndicators(one, &mut now, 1), 0);
            if now * before < 0.0 {
                events += 1;
                let (mut a, mut b, mut c, mut d, mut e, mut next) =
                    (true, true, true, true, true, 0.0);
                assert_eq!(fmi3EnterEventMode(one), 0);
                assert_eq!(
                    fmi3UpdateDiscreteStates(
                        one, &mut a, &mut b, &mut c, &mut d, &mut e, &mut next
                    ),
                    0
                );
                assert_eq!(fmi3EnterContinuousTimeMode(one), 0);
                assert_eq!(fmi3GetEventIndicators(one, &mut now, 1), 0);
                assert!(now > 0.0);
            }
            before = now;
            assert_eq!(fmi3GetContinuousStateDerivatives(one, &mut dz, 1), 0);
        }
        z += h * dz;
    }
    // cos(20 t) passes zero six times in a second.
    assert_eq!(events, 6);
    unsafe { fmi3FreeInstance(one) };
}

/// Several instances run in threads of their own and know nothing of each other.
#[test]
fn instances_are_apart() {
    let unit = Unit::of_file("belt.toml", true);
    let run = || {
        let one = unit.steps();
        begin(one);
        for k in 0..100 {
            assert_eq!(step(one, 0.05 * f64::from(k), 0.05), 0);
        }
        let x = get(one, unit.reference("x"));
        unsafe { fmi3FreeInstance(one) };
        x
    };
    let all: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|x| *x == all[0]), "{all:?}");
}

/// Both descriptions name every variable once, with the same numbers.
#[test]
fn descriptions_name_every_variable_once() {
    for file in ["belt.toml", "servo-sampled.toml", "festoon.toml", "patch-step.toml"] {
        let unit = Unit::of_file(file, true);
        let (_, description) = unit.source.make().unwrap();
        let names: std::collections::BTreeSet<&str> =
            description.variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names.len(), description.variables.len(), "{file}");
        for version in [Version::Two, Version::Three] {
            let text = xml::write(&description, version, "bristle", "{t}");
            for (k, name) in description.variables.iter().map(|v| &v.name).enumerate() {
                let said = format!("name=\"{name}\" valueReference=\"{}\"", k + 1);
                assert_eq!(text.matches(&said).count(), 1, "{file}: {said}");
            }
        }
    }
}

/// One call of an importer that may know nothing of the standard.
fn any_call(
    unit: *mut c_void,
    three: bool,
    what: u8,
    x: f64,
    state: &mut *mut bristle_fmu::instance::State,
) -> c_int {
    let r = u32::from(what) % 24;
    let (mut a, mut b, mut c, mut last, mut out) = (false, false, false, 0.0, [0.0; 8]);
    let (mut i, mut j, mut size) = (0, 0, 0usize);
    let n = usize::from(what) % 5;
    let info: *mut EventInfo = null_mut();
    unsafe {
        match (three, what % 26) {
            (true, 0) => fmi3EnterInitializationMode(unit, false, 0.0, x, what > 128, x),
            (true, 1) => fmi3ExitInitializationMode(unit),
            (true, 2) => fmi3EnterEventMode(unit),
            (true, 3) => fmi3EnterContinuousTimeMode(unit),
            (true, 4) => fmi3EnterStepMode(unit),
            (true, 5) => fmi3Terminate(unit),
            (true, 6) => fmi3Reset(unit),
            (true, 7) => fmi3SetFloat64(unit, &r, 1, &x, 1),
            (true, 8) => fmi3GetFloat64(unit, &r, 1, out.as_mut_ptr(), 1),
            (true, 9) => fmi3DoStep(unit, x, 1e-3, false, &mut a, &mut b, &mut c, &mut last),
            (true, 10) => {
                fmi3DoStep(unit, 0.0, x.abs().min(0.1), false, &mut a, &mut b, &mut c, &mut last)
            }
            (true, 11) => fmi3SetTime(unit, x),
            (true, 12) => fmi3SetContinuousStates(unit, out.as_ptr(), n),
            (true, 13) => fmi3GetContinuousStateDerivatives(unit, out.as_mut_ptr(), n),
            (true, 14) => fmi3GetEventIndicators(unit, out.as_mut_ptr(), n),
            (true, 15) => fmi3GetFMUState(unit, state),
            (true, 16) => fmi3SetFMUState(unit, *state),
            (true, 17) => fmi3FreeFMUState(unit, state),
            (true, 18) => fmi3SerializedFMUStateSize(unit, *state, &mut size),
            (true, 19) => {
                fmi3GetDirectionalDerivative(unit, &r, 1, &(r / 2), 1, &x, 1, out.as_mut_ptr(), 1)
            }
            (true, 20) => fmi3UpdateDiscreteStates(
                unit,
                &mut a,
                &mut b,
                &mut c,
                null_mut(),
                null_mut(),
                &mut last,
            ),
            (true, 21) => fmi3GetFloat64(unit, null(), 3, null_mut(), 3),
            (true, 22) => fmi3EnterConfigurationMode(unit),
            (true, 23) => fmi3ExitConfigurationMode(unit),
            (true, 24) => fmi3CompletedIntegratorStep(unit, false, null_mut(), &mut a),
            (true, _) => fmi3GetString(unit, &r, n, null_mut(), n),
            (false, 0) => fmi2SetupExperiment(unit, 0, 0.0, x, c_int::from(what > 128), x),
            (false, 1) => fmi2EnterInitializationMode(unit),
            (false, 2) => fmi2ExitInitializationMode(unit),
            (false, 3) => fmi2EnterEventMode(unit),
            (false, 4) => fmi2EnterContinuousTimeMode(unit),
            (false, 5) => fmi2Terminate(unit),
            (false, 6) => fmi2Reset(unit),
            (false, 7) => fmi2SetReal(unit, &r, 1, &x),
            (false, 8) => fmi2GetReal(unit, &r, 1, out.as_mut_ptr()),
            (false, 9) => fmi2DoStep(unit, x, 1e-3, 0),
            (false, 10) => fmi2DoStep(unit, 0.0, x.abs().min(0.1), 0),
            (false, 11) => fmi2SetTime(unit, x),
            (false, 12) => fmi2SetContinuousStates(unit, out.as_ptr(), n),
            (false, 13) => fmi2GetDerivatives(unit, out.as_mut_ptr(), n),
            (false, 14) => fmi2GetEventIndicators(unit, out.as_mut_ptr(), n),
            (false, 15) => fmi2GetFMUstate(unit, state),
            (false, 16) => fmi2SetFMUstate(unit, *state),
            (false, 17) => fmi2FreeFMUstate(unit, state),
            (false, 18) => fmi2SerializedFMUstateSize(unit, *state, &mut size),
            (false, 19) => {
                fmi2GetDirectionalDerivative(unit, &r, 1, &(r / 2), 1, &x, out.as_mut_ptr())
            }
            (false, 20) => fmi2NewDiscreteStates(unit, info),
            (false, 21) => fmi2GetReal(unit, null(), 3, null_mut()),
            (false, 22) => fmi2SetRealInputDerivatives(unit, &r, 1, &1, &x),
            (false, 23) => fmi2GetRealStatus(unit, i, &mut last),
            (false, 24) => fmi2CompletedIntegratorStep(unit, 0, &mut i, &mut j),
            (false, _) => fmi2GetString(unit, &r, n, null_mut()),
        }
    }
}

/// 50 sequences each; `PROPTEST_CASES=200` makes ten thousand of them, which take minutes.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Calls in any order, with values of any kind, give a status.
    #[test]
    fn calls_in_any_order_never_crash(
        calls in proptest::collection::vec((any::<u8>(), prop_oneof![Just(0.0), -1.0..1.0, Just(f64::NAN), Just(1e300)]), 1..40),
        which in 0usize..3,
        exchange in any::<bool>(),
        three in any::<bool>(),
    ) {
        thread_local! {
            static UNITS: [Unit; 3] = [
                Unit::new("any-lugre", Source::of_model("lugre", &[])),
                Unit::of_file("belt-dry.toml", true),
                Unit::of_file("servo-sampled.toml", true),
            ];
        }
        UNITS.with(|units| {
            let unit = &units[which];
            let one = match (three, exchange) {
                (true, true) => unit.exchange(),
                (true, false) => unit.steps(),
                (false, true) => unit.two(0),
                (false, false) => unit.two(1),
            };
            assert!(!one.is_null(), "{}", told());
            for start in 0..50 {
                let mut state = null_mut();
                for k in 0..calls.len() {
                    let (what, x) = calls[(start * 7 + k) % calls.len()];
                    let status = any_call(one, three, what.wrapping_add(start as u8), x, &mut state);
                    assert!([0, 2, 3].contains(&status), "{status}");
                }
                unsafe {
                    match three {
                        true => fmi3FreeFMUState(one, &mut state),
                        false => fmi2FreeFMUstate(one, &mut state),
                    };
                }
            }
            told();
            unsafe { if three { fmi3FreeInstance(one) } else { fmi2FreeInstance(one) } };
        });
    }
}
