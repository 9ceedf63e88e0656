//! Elasto-plastic bristles, passes, Maxwell slip and transmissions over time, against references that this project did
//! not compute.
use crate::common::{Run, options};
use bristle_kernel::bristle::{
    ElastoPlastic, Frbd, Gms, LuGre, Scaling, Transmission, elasto_plastic, frbd::Damping, gms,
};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Drive, Real, Start};
use bristle_reference::Table;
use bristle_system::mechanism::{Belt, Mass, SpringDrag};
use bristle_system::signal::{Constant, Pulses, Steps};
use bristle_system::{Coupled, Friction, Ledger, Mechanism, Quantity};
use std::f64::consts::PI;

/// Law, scaling, σ₀, σ₁ and load of the cases.
pub type Set = (Stribeck<f64>, Scaling, f64, f64, f64);

pub fn set(name: &str) -> Set {
    let law = |mu_s, mu_d, v_s, exponent, viscous| Stribeck {
        mu_s,
        mu_d,
        v_s,
        exponent,
        viscous,
        ..Stribeck::start(())
    };
    match name {
        "set1" => (law(0.6, 0.3, 0.01, 1.0, 0.0), Scaling::Absolute, 3.9e4, 395.0, 9.81),
        "set2" => {
            let law = law(0.15, 0.1, 1e-3, 2.0, 0.1 / 9.81);
            (law, Scaling::Absolute, 1e5, 1e5f64.sqrt(), 9.81)
        }
        _ => (law(1.5, 1.0, 0.01, 2.0, 0.04), Scaling::PerLoad, 1e4, 64.5, 1.0),
    }
}

pub fn frbd((law, scaling, sigma0, sigma1, _): Set, passes: f64) -> Frbd<f64, Stribeck<f64>> {
    Frbd { scaling, sigma0, sigma1, passes, ..Frbd::start(law) }
}

fn ep((law, scaling, sigma0, sigma1, _): Set, name: &str) -> Friction {
    let form = match name {
        "ep" => elasto_plastic::Form::Printed,
        _ => elasto_plastic::Form::Passive,
    };
    ElastoPlastic { scaling, sigma0, sigma1, form, ..ElastoPlastic::start(law) }.into()
}

fn g1(name: &str, viscous: f64, attraction: f64) -> Friction {
    let slip = if name == "gms" { gms::Slip::Published } else { gms::Slip::Clamped };
    Gms { slip, attraction, ..Gms::start(Stribeck { viscous, ..set("T2").0 }) }.into()
}

/// A contact that is moved at mean + amplitude sin 2πft, or a body of 1 kg that is pushed, with the torques of a
/// transmission.
#[derive(Clone)]
struct Given {
    load: f64,
    mean: f64,
    amplitude: f64,
    frequency: f64,
    /// Amplitudes of torques at 0.7 Hz and 0.5 Hz.
    torques: [f64; 2],
    /// Whether it is a body, and the force on it.
    push: Option<Push>,
}

#[derive(Clone, Copy)]
enum Push {
    /// 0.55 t to 1 s, then 0.55 + 0.1 sin 10π(t − 1).
    Vibration,
    /// A(1 − cos 4πt)/2.
    Unloading(f64),
}

impl Given {
    fn moved(amplitude: f64, frequency: f64) -> Self {
        Given { load: 1.0, mean: 0.0, amplitude, frequency, torques: [0.0; 2], push: None }
    }
    fn pushed(push: Push) -> Self {
        Given { push: Some(push), ..Given::moved(0.0, 0.0) }
    }
    fn velocity<S: Real>(&self, t: S) -> S {
        (t * (2.0 * PI * self.frequency)).sin() * self.amplitude + self.mean
    }
}

impl Mechanism for Given {
    fn quantities(&self) -> &[Quantity] {
        const BODY: [Quantity; 2] = [Quantity::position("x"), Quantity::velocity("v")];
        if self.push.is_some() { &BODY } else { &BODY[..1] }
    }
    fn smooth_for(&self) -> f64 {
        if self.push.is_some() { 0.02 } else { 0.1 / self.frequency }
    }
    /// The ramp of the vibration ends at 1 s.
    fn switch(&self, _i: usize, k: usize) -> f64 {
        if k == 0 { 1.0 } else { f64::INFINITY }
    }
    fn drives(&self) -> &[Quantity] {
        const PUSH: [Quantity; 1] = [Quantity::new("F_E", "N", 1.0)];
        if matches!(self.push, Some(Push::Vibration)) { &PUSH } else { &[] }
    }
    fn drive<S: Real>(&self, _i: usize, t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        let v = if self.push.is_some() { y[1] } else { self.velocity(t) };
        let torque = |a: f64, f: f64, angle: f64| (t * (2.0 * PI * f) + angle).sin() * a;
        let torques = [torque(self.torques[0], 0.7, 0.3), torque(self.torques[1], 0.5, 2.0)];
        Drive { x: y[0], torques, ..Drive::new(v, S::from(self.load)) }
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let push = match self.push {
            None => {
                dy[0] = self.velocity(t);
                return;
            }
            Some(Push::Vibration) if phase[0] == 0 => t * 0.55,
            Some(Push::Vibration) => ((t - 1.0) * (10.0 * PI)).sin() * 0.1 + 0.55,
            Some(Push::Unloading(a)) => (S::from(1.0) - (t * (4.0 * PI)).cos()) * (0.5 * a),
        };
        dy[0] = y[1];
        dy[1] = push - force[0];
    }
}

/// What a run gives at the end and on the way.
struct Found {
    /// Rows of the file: t, body, force, bristle.
    rows: Vec<[Vec<f64>; 3]>,
    work: f64,
    lost: f64,
    stored: f64,
}

/// Runs to the last of these times and looks at each; `from` is the state of the bristle.
fn found<M: Mechanism>(system: &Coupled<M>, from: &[f64], times: &[f64], rtol: f64) -> Found {
    let mut y = system.initial();
    let place = system.place(0);
    y[place.clone()].copy_from_slice(from);
    let mut run = Run::new(system, &y, options(system, rtol));
    let mut ledger = Ledger::new(system, run.mode(), 0.0, &y, rtol);
    let mut rows = Vec::new();
    let look = |mode: &bristle_system::Mode, t: f64, y: &[f64]| {
        let force = system.forces(mode, t, y)[0];
        [y[..place.start].to_vec(), vec![force], y[place.clone()].to_vec()]
    };
    let mut next = times.iter().copied().peekable();
    while next.next_if(|t| *t <= 0.0).is_some() {
        rows.push(look(run.mode(), 0.0, &y));
    }
    run.run(times[times.len() - 1], |step| {
        ledger.enter(system, step.mode, step.dense);
        while let Some(t) = next.next_if(|t| *t <= step.end()) {
            rows.push(look(step.mode, t, &step.at(t)));
        }
    })
    .unwrap();
    while next.next().is_some() {
        rows.push(look(run.mode(), run.t(), run.y()));
    }
    let account = ledger.account(0);
    let (at, z) = system.contact(run.mode(), 0, run.t(), run.y());
    let stored = system.friction(0).energy(&at, z, z).stored;
    Found { rows, work: account.work, lost: account.dissipated, stored }
}

/// Tolerances of runs and what is asked of them, relative to the greatest value of a column.
const TOLERANCES: [(f64, f64); 2] = [(1e-9, 1e-6), (1e-12, 1e-9)];

/// Holds a run against a file, and gives it at the tight tolerance.
fn follows<M: Mechanism>(file: &str, system: &Coupled<M>, from: &[f64]) -> Found {
    let table = Table::of(&format!("models/{file}.csv"));
    // Some files round sixths of a hundredth of a second to ten digits.
    let sixth = |t: f64| {
        let whole = (600.0 * t).round() / 600.0;
        if (whole - t).abs() < 1e-9 { whole } else { t }
    };
    let times: Vec<f64> = table.column("t").into_iter().map(sixth).collect();
    let mut last = None;
    for (rtol, asked) in TOLERANCES {
        let found = found(system, from, &times, rtol);
        for name in table.names() {
            let ours = |row: &[Vec<f64>; 3]| match name {
                "x" => row[0].first().copied(),
                "v" => row[0].get(1).copied(),
                "z" | "F1" => row[2].first().copied(),
                "F2" | "F3" | "F4" => row[2].get(name[1..].parse::<usize>().unwrap() - 1).copied(),
                "F" | "F_without_viscous" => Some(row[1][0]),
                _ => None,
            };
            let column = table.column(name);
            let size = column.iter().fold(0.0f64, |size, x| size.max(x.abs()));
            let mut worst = (0.0f64, 0.0);
            for ((row, value), t) in found.rows.iter().zip(&column).zip(&times) {
                if let Some(ours) = ours(row) {
                    let off = (ours - value).abs() / size;
                    worst = if off > worst.0 { (off, *t) } else { worst };
                }
            }
            // Files print twelve or thirteen digits.
            let allowed = asked.max(1e-11);
            assert!(
                worst.0 <= allowed,
                "{file}, {name}, {rtol:e}: {:e} at t = {}",
                worst.0,
                worst.1
            );
        }
        last = Some(found);
    }
    last.unwrap()
}

fn scalar(case: &str, model: &str, quantity: &str) -> f64 {
    let table = Table::of("models/scalars.csv");
    let fits = |l: &bristle_reference::Line<'_>| {
        (l.text("case"), l.text("model"), l.text("quantity")) == (case, model, quantity)
    };
    let line = table.lines().find(fits);
    line.unwrap_or_else(|| panic!("{case} {model} {quantity}")).number("value")
}

/// Energies of a case, of those that the reference gives.
fn balances(case: &str, model: &str, found: &Found) {
    let table = Table::of("models/scalars.csv");
    for line in table.lines().filter(|l| l.text("case") == case && l.text("model") == model) {
        let ours = match line.text("quantity") {
            "supplied_J" | "supplied_J_incl_viscous" | "supplied_per_cycle_J" => found.work,
            "lost_J" => found.lost,
            "stored_end_J" => found.stored,
            _ => continue,
        };
        let off = (ours - line.number("value")).abs();
        let what = line.text("quantity");
        assert!(
            off <= 1e-9 * found.work.abs(),
            "{case} {model} {what}: {ours} {}",
            line.number("value")
        );
    }
}

pub fn pulses(force: f64) -> Mass<f64, Pulses<f64>> {
    let drive = Pulses { value: force, on: 0.1, period: 0.2 };
    Mass { mass: 1.0, stiffness: 0.0, load: 9.81, drive }
}

#[test]
fn elasto_plastic_bristles_follow_the_reference() {
    for name in ["ep", "ep_frbd"] {
        let sine = Coupled::new(Given::moved(2e-3, 1.0), ep(set("T2"), name));
        balances("sine_1Hz", name, &follows(&format!("{name}_sine_1Hz"), &sine, &[0.0]));
        for force in ["2", "4.5"] {
            let pulsed = Coupled::new(pulses(force.parse().unwrap()), ep(set("set1"), name));
            let found = follows(&format!("{name}_pulse_F{force}"), &pulsed, &[0.0]);
            let case = format!("pulse_F{force}");
            balances(&case, name, &found);
            let x = scalar(&case, name, "x(0.4)_m");
            let end = found.rows.last().unwrap()[0][0];
            assert!((end - x).abs() < 1e-15 + 1e-9 * x.abs(), "{name} {force}: {end:e} {x:e}");
        }
    }
}

/// Shaken below its break-away deflection the elasto-plastic bristle does not drift at all; LuGre and FrBD do.
#[test]
fn vibration_moves_no_elasto_plastic_bristle_on() {
    let (law, _, _, sigma1, _) = set("T2");
    let lugre = LuGre { sigma1, ..LuGre::start(law) };
    let plain = frbd(set("T2"), 1.0);
    let models: [(&str, Friction); 4] = [
        ("ep", ep(set("T2"), "ep")),
        ("ep_frbd", ep(set("T2"), "ep_frbd")),
        ("lugre", lugre.into()),
        ("frbd", plain.into()),
    ];
    for (name, model) in models {
        let system = Coupled::new(Given::pushed(Push::Vibration), model);
        if name.starts_with("ep") {
            follows(&format!("{name}_vibration_T2"), &system, &[0.0]);
        }
        let found = found(&system, &[0.0], &[3.0, 5.0], 1e-11);
        let [x3, x5] = [0, 1].map(|k| found.rows[k][0][0]);
        for (quantity, ours) in [("x(3)_m", x3), ("x(5)_m", x5), ("x(5)-x(3)_m", x5 - x3)] {
            let value = scalar("vibration_T2", name, quantity);
            assert!(
                (ours - value).abs() <= 1e-9 * x5.abs(),
                "{name} {quantity}: {ours:e} {value:e}"
            );
        }
    }
}

#[test]
fn belts_slip_as_in_the_reference() {
    let drag = SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive: Constant { value: 0.1 } };
    let system = Coupled::new(drag.clone(), ep(set("T2"), "ep_frbd"));
    balances("belt_T2", "ep_frbd", &follows("ep_frbd_belt_T2", &system, &[0.0]));
    let system = Coupled::new(drag, g1("gms", 0.2, 1000.0));
    balances("belt_20s", "gms", &follows("gms_belt_20s", &system, &[0.0; 4]));
    for passes in [2.0, 4.0] {
        let belt = Belt { mass: 1.0, stiffness: 2.0, load: 9.81, drive: Constant { value: 0.1 } };
        let system = Coupled::new(belt, frbd(set("set2"), passes));
        follows(&format!("frbd_k{passes}_belt_set2"), &system, &[0.0]);
    }
}

#[test]
fn passes_and_rheologies_follow_the_reference() {
    for passes in [1.0, 4.0] {
        let m = Frbd { sigma3: 5e11, ..frbd(set("T2"), passes) };
        let system = Coupled::new(Given::moved(4e-3, 1.0), m);
        let found = follows(&format!("frbd_hard_k{passes}_sine_1Hz"), &system, &[0.0]);
        balances("sine_1Hz", &format!("frbd_hard_k{passes}"), &found);
    }
    let m = Frbd { damping: Damping::Speed, v_d: 0.02, ..frbd(set("T2"), 1.0) };
    let system = Coupled::new(Given::moved(0.05, 2.0), m);
    balances("sine_2Hz", "frbd_sigma1v", &follows("frbd_sigma1v_sine_2Hz", &system, &[0.0]));
    for passes in [1.0, 2.0, 4.0, 16.0] {
        for force in ["2", "4.5"] {
            let system = Coupled::new(pulses(force.parse().unwrap()), frbd(set("set1"), passes));
            if passes == 2.0 || passes == 4.0 {
                follows(&format!("frbd_k{passes}_pulse_F{force}"), &system, &[0.0]);
            }
            let found = found(&system, &[0.0], &[0.1, 0.2, 0.3, 0.4], 1e-12);
            let x: Vec<f64> = found.rows.iter().map(|row| row[0][0]).collect();
            let (case, model) = (format!("pulse_F{force}"), format!("frbd_k{passes}"));
            for (k, at) in ["0.1", "0.2", "0.3", "0.4"].into_iter().enumerate() {
                let value = scalar(&case, &model, &format!("x({at})_m"));
                let off = (x[k] - value).abs();
                assert!(off <= 1e-9 * x[0].abs(), "{case} {model} {at}: {:e} {value:e}", x[k]);
            }
            balances(&case, &model, &found);
        }
    }
}

#[test]
fn maxwell_slip_follows_the_reference() {
    for name in ["gms", "gms_clamped"] {
        let system = Coupled::new(Given::moved(5e-3, 1.0), g1(name, 0.4, 50.0));
        follows(&format!("{name}_sine_1Hz"), &system, &[0.0; 4]);
        for frequency in [25.0, 2.0] {
            let given = Given { mean: 0.015, ..Given::moved(0.014, frequency) };
            let system = Coupled::new(given, g1(name, 0.0, 50.0));
            // The periodic state: transients die out at 50/s.
            let periods = [0.0, 40.0 / frequency];
            let settled = found(&system, &[0.0; 4], &periods, 1e-12).rows[1][2].clone();
            let settled: Vec<f64> = settled.into_iter().collect();
            follows(&format!("{name}_lag_{frequency}Hz"), &system, &settled);
        }
    }
    let body = |force: f64| {
        let drive = Pulses { value: force, on: 0.5, period: 1.0 };
        Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive }
    };
    let system = Coupled::new(body(1.0), g1("gms", 40.0, 50.0));
    balances("pulse_1N", "gms", &follows("gms_pulse_1N", &system, &[0.0; 4]));
    let system = Coupled::new(Given::pushed(Push::Unloading(0.9)), g1("gms", 40.0, 50.0));
    follows("gms_load_unload_0.9N", &system, &[0.0; 4]);
    let (mut t, mut x) = (0.0, 0.0);
    let (mut times, mut speeds) = (Vec::new(), Vec::new());
    for turn in [5.0, -2.0, 3.0, 0.0, 3.0, -2.0, 5.0, 7.0, -7.0, 7.0] {
        times.push(t);
        speeds.push(1e-3 * f64::signum(turn - x));
        t += 0.1 * (turn - x).abs();
        x = turn;
    }
    let drive = Steps { t: times.into_iter().collect(), value: speeds.into_iter().collect() };
    let path = bristle_system::mechanism::Prescribed { load: 1.0, drive };
    let system = Coupled::new(path, g1("gms", 0.4, 50.0));
    // F of the file is without the viscous part.
    let table = Table::of("models/gms_path_nested.csv");
    let found = found(&system, &[0.0; 4], &table.column("t"), 1e-12);
    for (row, value) in found.rows.iter().zip(table.column("F")) {
        let sum: f64 = row[2].iter().sum();
        assert!((sum - value).abs() < 1.5e-9, "{sum} {value}");
    }
}

#[test]
fn transmissions_follow_the_reference() {
    for (set, case, file, amplitude, torques, sigma0, sigma1) in [
        ("xl330_m6", "xl330_sweep", "gear_bam_m6_frbd", 1.5, [0.15, 0.1], 20.0, 0.02),
        ("mx106_m4", "mx106_sweep", "gear_bam_m4_frbd", 1.0, [2.0, 1.5], 200.0, 0.5),
    ] {
        let mut m = Transmission { sigma0, sigma1, ..Transmission::start(()) };
        for line in Table::of("models/bam_params.csv").lines().filter(|l| l.text("set") == set) {
            let value = line.number("value");
            match line.text("name") {
                "friction_base" => m.base = value,
                "friction_stribeck" => m.stribeck = value,
                "friction_viscous" => m.viscous = value,
                "load_friction_base" => (m.base_motor, m.base_external) = (value, value),
                "load_friction_stribeck" => {
                    (m.stribeck_motor, m.stribeck_external) = (value, value)
                }
                "load_friction_motor" => m.base_motor = value,
                "load_friction_external" => m.base_external = value,
                "load_friction_motor_stribeck" => m.stribeck_motor = value,
                "load_friction_external_stribeck" => m.stribeck_external = value,
                "load_friction_motor_quad" => m.quad_motor = value,
                "load_friction_external_quad" => m.quad_external = value,
                "dtheta_stribeck" => m.v_s = value,
                "alpha" => m.exponent = value,
                other => panic!("{other}"),
            }
        }
        let given = Given { torques, ..Given::moved(amplitude, 1.0) };
        let system = Coupled::new(given, m);
        let suffix = if set == "xl330_m6" { "xl330_sweep" } else { "mx106_sweep" };
        balances(case, file, &follows(&format!("{file}_{suffix}"), &system, &[0.0]));
    }
}
