//! Fixed steps: stable and passive at any length, converging to the run with error control.
use crate::common::{Run, options};
use bristle_kernel::Start;
use bristle_kernel::bristle::{Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Bristle, Scaling, Update};
use bristle_system::mechanism::{Belt, Festoon, Mass};
use bristle_system::signal::{Constant, Pulses, Sine};
use bristle_system::{Coupled, FixedStep};

/// 002 set 1.
fn frbd() -> AnyBristle<f64> {
    let (mu_s, mu_d, v_s, exponent) = (0.6, 0.3, 0.01, 1.0);
    let law = AnyLaw::Stribeck(Stribeck { mu_s, mu_d, v_s, exponent, ..Stribeck::start(()) });
    let (scaling, sigma0, sigma1) = (Scaling::Absolute, 3.9e4, 395.0);
    AnyBristle::Frbd(Frbd { scaling, sigma0, sigma1, ..Frbd::start(law) })
}

fn pulsed(friction: AnyBristle<f64>) -> Coupled<Mass<f64, Pulses<f64>>> {
    let drive = Pulses { value: 4.5, on: 0.1, period: 0.2 };
    Coupled::new(Mass { mass: 1.0, stiffness: 0.0, load: 9.81, drive }, friction)
}

/// Second order, to the solution with error control.
#[test]
fn it_converges_with_order_two() {
    let system = pulsed(frbd());
    let y = system.initial();
    let mut exact = Run::new(&system, &y, options(&system, 1e-12));
    exact.go(0.4);
    let target = exact.y()[0];
    let error = |h: f64| {
        let mut run = FixedStep::new(&system, Update::Midpoint, h, &y).unwrap();
        run.run(0.4, |_| {}).unwrap();
        (run.y()[0] - target).abs()
    };
    let (coarse, fine) = (error(2e-4), error(1e-4));
    let order = (coarse / fine).log2();
    assert!(order > 1.8 && order < 2.3, "{coarse:e} {fine:e}: {order}");
    assert!(fine < 1e-3 * target.abs(), "{fine:e} of {target:e}");
}

/// The discrete account of every passive model with an update of its own balances to rounding and
/// shows no negative dissipation, for steps from a microsecond to a second.
#[test]
fn the_discrete_account_balances_at_any_step() {
    for info in AnyBristle::<f64>::CATALOG {
        let law = AnyLaw::named("stribeck", ()).unwrap();
        let friction = AnyBristle::named(info.name, law).unwrap();
        if friction.limits(&bristle_kernel::Drive::new(0.0, 1.0)).is_some() {
            continue;
        }
        let drive = Sine { mean: 0.5, amplitude: 3.0, frequency: 0.7, angle: 0.3 };
        let mechanism = Mass { mass: 1.0, stiffness: 20.0, load: 1.0, drive };
        let own = friction
            .step(Update::Midpoint, &bristle_kernel::Drive::new(0.1, 1.0), 1e-3, &mut [0.0; 3])
            .is_some();
        let known = friction.passivity().known;
        let positional = friction.positional();
        let system = Coupled::new(mechanism, friction);
        if FixedStep::new(&system, Update::Midpoint, 1e-3, &system.initial()).is_none() {
            assert!(positional && !own, "{} is refused", info.name);
            continue;
        }
        for h in [1e-6, 1e-4, 1e-2, 0.3, 1.0] {
            let (account, last, fastest) = books(&system, h);
            let name = info.name;
            assert!(last.is_finite() && fastest < 50.0, "{name} at {h}: {fastest}");
            let gross = account.work.abs() + account.dissipated.abs() + 1e-6;
            if own {
                let residual = account.residual().abs();
                assert!(residual < 1e-9 * gross, "{name} at {h}: {account:?} {residual:e}");
            }
            // Where nothing is lost, as between slips of rotating bristles, half of the steps return their rounding.
            if own && known {
                assert!(account.returned >= -1e-11 * gross, "{name} at {h}: {account:?}");
            }
        }
    }
}

/// The account after 2000 steps, the last position and the greatest speed.
fn books(system: &Coupled<Mass<f64, Sine<f64>>>, h: f64) -> (bristle_system::Account, f64, f64) {
    let mut run = FixedStep::new(system, Update::Midpoint, h, &system.initial()).unwrap();
    let mut fastest = 0.0f64;
    run.run(2000.0 * h, |run| fastest = fastest.max(run.y()[1].abs())).unwrap();
    (*run.account(0), run.y()[0], fastest)
}

/// On the belt stick-slip has its period, at a step that a controller has.
#[test]
fn the_belt_slips_in_time_at_a_millisecond() {
    let (mu_s, mu_d, v_s, viscous) = (0.15, 0.1, 1e-3, 0.1 / 9.81);
    let law = AnyLaw::Stribeck(Stribeck { mu_s, mu_d, v_s, viscous, ..Stribeck::start(()) });
    let (scaling, sigma0, sigma1) = (Scaling::Absolute, 1e5, 1e5f64.sqrt());
    let friction = AnyBristle::LuGre(LuGre { scaling, sigma0, sigma1, ..LuGre::start(law) });
    let mechanism = Belt { mass: 1.0, stiffness: 2.0, load: 9.81, drive: Constant { value: 0.1 } };
    let system = Coupled::new(mechanism, friction);
    let y = system.initial();
    let mut exact = Run::new(&system, &y, options(&system, 1e-9));
    exact.go(20.0);
    let mut run = FixedStep::new(&system, Update::Midpoint, 1e-3, &y).unwrap();
    run.run(20.0, |_| {}).unwrap();
    assert!((run.y()[0] - exact.y()[0]).abs() < 5e-3, "{} {}", run.y()[0], exact.y()[0]);
}

/// Sixteen mechanical states and two contacts, at 10 ms.
#[test]
fn the_festoon_is_stable_at_ten_milliseconds() {
    let drive = Sine { mean: 0.0, amplitude: 0.2, frequency: 0.2, angle: 0.0 };
    let system = Coupled::new(Festoon::start(drive), frbd());
    let mut run = FixedStep::new(&system, Update::Midpoint, 1e-2, &system.initial()).unwrap();
    run.run(10.0, |run| assert!(run.y().iter().all(|y| y.abs() < 10.0), "{:?}", run.y())).unwrap();
    for i in 0..2 {
        assert!(run.account(i).residual().abs() < 1e-9, "{:?}", run.account(i));
    }
}
