//! What the observer of 003 §IV-B needs and does not need. Its numbers are tested through the scenarios.
use crate::common::{Run, options};
use bristle_kernel::bristle::FrbdGm;
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Bristle, Start};
use bristle_system::mechanism::Arm;
use bristle_system::mechanism::arm::Compensation;
use bristle_system::signal::Sine;
use bristle_system::{Coupled, Mechanism};

fn reference() -> Sine<f64> {
    Sine { mean: 0.0, amplitude: 0.5, frequency: 0.25, angle: 0.0 }
}

fn friction() -> FrbdGm<f64, AnyLaw<f64>> {
    FrbdGm {
        k0: 1e4,
        k: [1e4, 2e4].into_iter().collect(),
        tau: [0.1, 0.01].into_iter().collect(),
        ..FrbdGm::start(AnyLaw::Stribeck(Stribeck::start(())))
    }
}

type System = Coupled<Arm<f64, Sine<f64>>>;

/// Root mean square of q − q_ref over the first and over the last period, by Simpson's rule over the
/// steps.
fn errors(system: &System, rtol: f64) -> [f64; 2] {
    let mut y = system.initial();
    y[2] = 1e-4;
    let mut run = Run::new(system, &y, options(system, rtol));
    let mut square = |from: f64, to: f64| {
        run.go(from);
        let mut sum = 0.0;
        run.run(to, |step| {
            let (a, b) = (step.start(), step.end());
            for (t, weight) in [(a, 1.0), (0.5 * (a + b), 4.0), (b, 1.0)] {
                let y = step.at(t);
                let mut out = [0.0; 3];
                system.mechanism.output(t, &step.mode.phase, &y[..2], &[0.0; 2], &mut out);
                sum += weight * (b - a) / 6.0 * out[0] * out[0];
            }
        })
        .unwrap();
        (sum / (to - from)).sqrt()
    };
    [square(0.0, 4.0), square(16.0, 20.0)]
}

/// 003 Theorem 4.1 for an inertia that varies with the angle.
#[test]
fn the_compensated_arm_converges_with_varying_inertia() {
    let varying = Arm { variation: 0.6, ..Arm::start(reference()) };
    let [_, last] = errors(&Coupled::new(varying, AnyBristle::FrbdGm(friction())), 1e-11);
    assert!(last < 1e-9, "{last}");
}

/// The theorem needs the observer to know the friction: one that is 10% low leaves an error, yet a
/// far smaller one than no observer.
#[test]
fn a_mismatched_observer_helps_but_leaves_an_error() {
    let arm = Arm::start(reference());
    let weak = FrbdGm {
        law: AnyLaw::Stribeck(Stribeck { mu_d: 0.9, mu_s: 1.35, ..Stribeck::start(()) }),
        ..friction()
    };
    let system =
        Coupled::new(arm, AnyBristle::FrbdGm(friction())).with(1, AnyBristle::FrbdGm(weak));
    let bare = Arm { compensation: Compensation::None, ..Arm::start(reference()) };
    let [_, without] = errors(&Coupled::new(bare, AnyBristle::FrbdGm(friction())), 1e-8);
    let [_, last] = errors(&system, 1e-8);
    assert!(last > 1e-4 && last < 0.2 * without, "{last}, {without} without");
}

/// 003: interconverted, both rheologies give the same run.
#[test]
fn maxwell_and_kelvin_voigt_arms_move_alike() {
    let gm = friction();
    let gkv = gm.to_gkv().unwrap();
    assert_eq!(gkv.states(), 3);
    let arm = Arm::start(reference());
    let mut forces = Vec::new();
    // z(0) = 1e-4 is another state in the other form: start both undeflected.
    let start = |system: &System, each: &mut dyn FnMut(f64, f64)| {
        let mut run = Run::new(system, &system.initial(), options(system, 1e-12));
        for k in 1..=200 {
            run.go(0.1 * f64::from(k));
            each(run.y()[0], run.forces()[0]);
        }
    };
    start(&Coupled::new(arm.clone(), AnyBristle::FrbdGm(gm)), &mut |q, f| forces.push((q, f)));
    let mut other = forces.iter();
    start(&Coupled::new(arm, AnyBristle::FrbdGkv(gkv)), &mut |q, f| {
        let (a, b) = other.next().unwrap();
        assert!((q - a).abs() < 1e-9 && (f - b).abs() < 1e-9 * 2.0, "{q} {a}, {f} {b}");
    });
}
