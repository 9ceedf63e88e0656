//! The energy ledger along runs.
use crate::common::{Run, options};
use bristle_kernel::bristle::{Bristle2, Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Scaling, Start};
use bristle_reference::Table;
use bristle_system::mechanism::{Festoon, Mass, SpringDrag};
use bristle_system::signal::{Constant, Pulses, Sine};
use bristle_system::{Account, Coupled, Ledger, Mechanism};

fn books<M: Mechanism>(system: &Coupled<M>, rtol: f64, end: f64) -> Account {
    let y = system.initial();
    let mut run = Run::new(system, &y, options(system, rtol));
    let mut ledger = Ledger::new(system, run.mode(), 0.0, &y, rtol);
    run.run(end, |step| ledger.enter(system, step.mode, step.dense)).unwrap();
    *ledger.account(0)
}

fn reference(file: &str, key: [&str; 3]) -> (f64, f64) {
    let table = Table::of(file);
    let after =
        |row: &Vec<String>| row.windows(3).position(|w| w == key).map(|k| row[k + 3..].to_vec());
    let rest = table.texts().iter().find_map(after).unwrap();
    (rest[0].parse().unwrap(), rest[1].parse().unwrap())
}

/// 002 set 1.
fn bristle2() -> AnyBristle<f64> {
    let law = AnyLaw::Stribeck(Stribeck {
        mu_s: 0.6,
        mu_d: 0.3,
        v_s: 0.01,
        exponent: 1.0,
        viscous: 0.0,
        ..Stribeck::start(())
    });
    let (scaling, sigma0, sigma1, v_r) = (Scaling::Absolute, 3.9e4, 395.0, 1e-3);
    AnyBristle::Bristle2(Bristle2 { scaling, sigma0, sigma1, v_r, law })
}

/// Under pulses below the static limit, `bristle2` gives back slip work: −0.54 µJ per cycle at 2 N,
/// −6.25 µJ at 4.5 N.
#[test]
fn slip_work_of_the_second_order_bristle_is_negative() {
    let (printed, uncertainty) = reference(
        "lugre-or-not/scalars.csv",
        ["pulse_F2_s1_395", "bm2", "net_slip_work_cycle1_uJ"],
    );
    for (push, expected, within) in [(2.0, printed, uncertainty), (4.5, -6.25, 0.005)] {
        let drive = Pulses { value: push, on: 0.1, period: 0.2 };
        let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 9.81, drive };
        let system = Coupled::new(mechanism, bristle2());
        let account = books(&system, 1e-11, 0.2);
        let micro = 1e6 * account.slip;
        assert!((micro - expected).abs() <= within, "{push} N: {micro}");
        assert!(account.returned < 0.0 && account.creates_energy(), "{account:?}");
        assert!(account.least < 0.0 && account.least_at > 0.0);
        assert!(account.residual().abs() < 1e-12, "{account:?}");
    }
}

/// The loop area of 000 Fig. 5 is the work over the last cycle.
#[test]
fn work_over_a_cycle_is_the_reference_loop_area() {
    let law = AnyLaw::Stribeck(Stribeck { viscous: 0.04, ..Stribeck::start(()) });
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        for (model, friction) in [
            ("FrBD1-KV", AnyBristle::Frbd(Frbd::start(law.clone()))),
            ("LuGre", AnyBristle::LuGre(LuGre::start(law.clone()))),
        ] {
            for frequency in [1.0, 5.0] {
                let drive = Sine { mean: 0.0, amplitude: 0.9 * 1.5, frequency, angle: 0.0 };
                let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive };
                let system = Coupled::new(mechanism, friction.clone());
                let before = books(&system, rtol, 19.0 / frequency).work;
                let account = books(&system, rtol, 20.0 / frequency);
                let experiment = format!("presliding_{frequency}Hz");
                let (area, uncertainty) =
                    reference("frbd/scalars.csv", [&experiment, model, "loop_area_cycle20_J"]);
                let ours = account.work - before;
                let limit = (relative * area).max(uncertainty);
                assert!(
                    (ours - area).abs() <= limit,
                    "{model} {frequency} Hz at {rtol:e}: {ours}, not {area}"
                );
            }
        }
    }
}

/// The work against friction in 60 s of stick-slip, and its balance.
#[test]
fn the_books_of_stick_slip_balance() {
    let law = AnyLaw::Stribeck(Stribeck { viscous: 0.04, ..Stribeck::start(()) });
    let drive = Constant { value: 0.1 };
    let mechanism = SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive };
    let system = Coupled::new(mechanism, AnyBristle::Frbd(Frbd::start(law)));
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        let account = books(&system, rtol, 60.0);
        let (energy, uncertainty) =
            reference("frbd/scalars.csv", ["stickslip_60s", "FrBD1-KV", "energy_60s_J"]);
        let limit = (relative * energy).max(uncertainty);
        assert!((account.work - energy).abs() <= limit, "{} not {energy}", account.work);
        assert!(account.residual().abs() <= relative * energy, "{account:?}");
        assert!(!account.creates_energy() && account.least >= -1e-12, "{account:?}");
    }
}

/// Where stiffness scales with the load and the load varies, the load's own work closes the balance.
#[test]
fn a_varying_load_is_accounted_for() {
    let law = AnyLaw::Stribeck(Stribeck { mu_s: 0.08, mu_d: 0.05, ..Stribeck::start(()) });
    let friction = Frbd { sigma0: 200.0, sigma1: 8.0, ..Frbd::start(law) };
    let drive = Sine { mean: 0.0, amplitude: 0.4, frequency: 0.4, angle: 0.0 };
    let system = Coupled::new(Festoon::start(drive), AnyBristle::Frbd(friction));
    let account = books(&system, 1e-9, 5.0);
    assert!(account.load.abs() > 1e-6, "{account:?}");
    assert!(account.residual().abs() < 1e-4 * account.load.abs(), "{account:?}");
    assert!(!account.creates_energy(), "{account:?}");
}
