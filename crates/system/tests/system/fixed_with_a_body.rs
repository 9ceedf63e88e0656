//! Fixed steps solved together with a body.
use crate::models::{frbd, pulses, set};
use bristle_kernel::bristle::{
    Bristle2, Dry, Gms, Implicit, Rotating, RotatingDiscontinuous, Sawtooth,
};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Drive, Free, Start, Update};
use bristle_reference::Table;
use bristle_system::mechanism::{Belt, Mass};
use bristle_system::signal::{Constant, Sine};
use bristle_system::{Coupled, FixedStep, Friction, Mechanism};

fn implicit(name: &str) -> Friction {
    let (law, scaling, sigma0, sigma1, _) = set(name);
    Implicit { scaling, sigma0, sigma1, ..Implicit::start(law) }.into()
}

fn bristle2(name: &str) -> Friction {
    let (law, scaling, sigma0, sigma1, _) = set(name);
    Bristle2 { scaling, sigma0, sigma1, ..Bristle2::start(law) }.into()
}

/// Model and update of a row's name.
fn of(name: &str, set_name: &str) -> Option<(Friction, Update)> {
    Some(match name {
        "coupled_end" => (implicit(set_name), Update::End),
        "coupled_mid" => (implicit(set_name), Update::Midpoint),
        "bristle2_exact_coupled_end" => (bristle2(set_name), Update::End),
        _ => {
            let passes = name.strip_prefix("kpass_coupled_mid_k")?.parse().ok()?;
            if passes < 2.0 {
                return None;
            }
            (frbd(set(set_name), passes).into(), Update::Midpoint)
        }
    })
}

fn positions<M: Mechanism>(system: &Coupled<M>, update: Update, h: f64, times: &[f64]) -> Vec<f64> {
    let mut run = FixedStep::new(system, update, h, &system.initial()).unwrap();
    times
        .iter()
        .map(|t| {
            run.run(*t, |_| {}).unwrap();
            run.y()[0]
        })
        .collect()
}

/// Two pulses on a resting mass, at 1 and 10 ms: x after each half.
#[test]
fn pulses_at_fixed_steps_are_those_of_the_reference() {
    let mut checked = 0;
    for line in Table::of("models/scalars.csv").lines() {
        let Some(rest) = line.text("case").strip_prefix("pulse_set1_F") else { continue };
        let (force, h) = rest.split_once("_h").unwrap();
        let Some((model, update)) = of(line.text("model"), "set1") else { continue };
        let Some(t) = line.text("quantity").strip_prefix("x(") else { continue };
        let t: f64 = t.split(')').next().unwrap().parse().unwrap();
        let system = Coupled::new(pulses(force.parse().unwrap()), model);
        let x = positions(&system, update, h.parse().unwrap(), &[t])[0];
        let value = line.number("value");
        let allowed = 1e-9 * value.abs() + 1e-15;
        assert!((x - value).abs() <= allowed, "{:?}: {x:e}, not {value:e}", line);
        checked += 1;
    }
    assert!(checked >= 40, "{checked}");
}

/// Stick-slip on the belt by hand, as the reference has it: the spring pulls as it does at the start of a step. Where the
/// body is after 20 s, and when it first slips and sticks again.
fn belt_by_hand(model: &Friction, update: Update, h: f64) -> f64 {
    let model = model.model();
    let (mut x, mut v, mut z) = (0.0, 0.1, vec![0.0; model.states()]);
    let mut at = Drive::new(0.0, 9.81);
    at.mode = model.begin(&at, &z);
    for _ in 0..(20.0 / h).round() as usize {
        let pull = -2.0 * x;
        at.v = v - 0.1;
        let free = Free::body(update, at.v, 1.0, pull, h);
        let force = model.advance(update, &mut at, &free, h, &mut z).unwrap();
        let after = v + h * (pull - force);
        x += h * if update == Update::End { after } else { 0.5 * (v + after) };
        v = after;
    }
    x
}

/// Stick-slip on the belt: where it is after 20 s, with the spring taken at the start of each step as in the reference; with the
/// spring taken within the step it is there to the step's own error.
#[test]
fn belts_at_fixed_steps_are_those_of_the_reference() {
    let (mut checked, mut off) = (0, Vec::new());
    for line in Table::of("models/scalars.csv").lines() {
        let Some(h) = line.text("case").strip_prefix("belt_set2_h") else { continue };
        let Some((model, update)) = of(line.text("model"), "set2") else { continue };
        if line.text("quantity") != "x(20)_m" {
            continue;
        }
        let h = h.parse().unwrap();
        let x = belt_by_hand(&model, update, h);
        let belt = Belt { mass: 1.0, stiffness: 2.0, load: 9.81, drive: Constant { value: 0.1 } };
        let system = Coupled::new(belt, model);
        let within = positions(&system, update, h, &[20.0])[0];
        let value = line.number("value");
        if (x - value).abs() > 1e-9 * value || (within - value).abs() > 2.0 * h {
            off.push(format!("{} {h}: {x} {within}, not {value}", line.text("model")));
        }
        checked += 1;
    }
    assert!(checked >= 6 && off.is_empty(), "{checked}, {off:#?}");
}

/// A body on a spring, dragged to and fro: nothing is created at steps from a microsecond to a second by any model
/// that is solved together with it.
#[test]
fn no_step_with_a_body_creates_energy() {
    let law: Stribeck<f64> = Stribeck::start(());
    let models: [(&str, Friction); 8] = [
        ("implicit", Implicit::start(law).into()),
        ("bristle2", Bristle2::start(law).into()),
        ("passes", frbd(set("T2"), 4.0).into()),
        ("gms", Gms::start(law).into()),
        ("dry", Dry::start(law).into()),
        ("sawtooth", Sawtooth::start(()).into()),
        ("rotating", Rotating::start(()).into()),
        ("rotating_discontinuous", RotatingDiscontinuous::start(()).into()),
    ];
    for (name, model) in models {
        let drive = Sine { mean: 0.5, amplitude: 3.0, frequency: 0.7, angle: 0.3 };
        let mass = Mass { mass: 1.0, stiffness: 20.0, load: 1.0, drive };
        let system = Coupled::new(mass, model);
        for update in [Update::Midpoint, Update::End] {
            for h in [1e-4, 1e-2, 0.3] {
                let mut run = FixedStep::new(&system, update, h, &system.initial()).unwrap();
                run.run(300.0 * h, |_| {}).unwrap_or_else(|e| panic!("{name}, {h}: {e}"));
                let account = run.account(0);
                let gross = account.turnover + 1e-12;
                assert!(run.y().iter().all(|y| y.abs() < 1e3), "{name} {h}: {:?}", run.y());
                assert!(account.returned >= -1e-9 * gross, "{name}, {update:?}, {h}: {account:?}");
            }
        }
    }
}
