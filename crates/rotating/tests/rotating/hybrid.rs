//! The models in the kernel, run by the general solver over any mechanism, against event-driven runs.
use bristle_kernel::Start;
use bristle_kernel::bristle::{Mpabm, Rotating, RotatingDiscontinuous, rotating::Rule};
use bristle_ode::{DormandPrince, Heap, Method, Options, Radau, Solver};
use bristle_rotating::{Body, Friction, Path, Run};
use bristle_system::mechanism::{Mass, Prescribed, SpringDrag};
use bristle_system::signal::{Constant, Sine};
use bristle_system::{Coupled, Ledger, Mechanism};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Runs to each of the times; gives position, velocity and force there, and the ledger.
fn general<M: Mechanism>(
    mechanism: M,
    friction: impl Into<bristle_system::Friction>,
    times: &[f64],
    tolerance: f64,
) -> (Vec<[f64; 3]>, Ledger) {
    let system = Coupled::new(mechanism, friction);
    let (y, options) = (system.initial(), Options::new(tolerance, &system.tolerances(tolerance)));
    let mode = system.begin(0.0, &y);
    let mut ledger = Ledger::new(&system, &mode, 0.0, &y, tolerance);
    let radau: Radau<Heap> = Radau::new(&system);
    let mut solver = Solver::new(&system, radau, 0.0, &y, mode, options);
    let mut found = Vec::new();
    for t in times {
        while solver.t() < *t {
            solver.advance(&system, *t).unwrap();
            ledger.enter(&system, solver.step_mode(), solver.dense());
        }
        let (at, _) = system.contact(solver.mode(), 0, *t, solver.y());
        let force = system.forces(solver.mode(), *t, solver.y())[0];
        found.push([at.x, at.v, force]);
    }
    (found, ledger)
}

/// The event-driven run at the same times.
fn exact(body: Body, friction: Friction, times: &[f64]) -> Vec<[f64; 3]> {
    let mut run = Run::new(body, friction, 0.0, 0.0);
    let mut found = Vec::new();
    for t in times {
        let mut force = 0.0;
        run.to(*t, |run, step| force = step.force(run, *t)).unwrap();
        found.push([run.x(), run.v(), force]);
    }
    found
}

fn close(ours: &[[f64; 3]], exact: &[[f64; 3]], allowed: impl Fn(usize) -> f64) {
    for (k, (a, b)) in ours.iter().zip(exact).enumerate() {
        let error = (a[0] - b[0]).abs();
        assert!(error < allowed(k), "{k}: {a:?} {b:?}");
    }
}

fn spring(stiffness: f64, speed: f64) -> SpringDrag<f64, Constant<f64>> {
    let drive = Constant { value: speed };
    SpringDrag { mass: 1.0, stiffness, load: 1.0, drive }
}

#[test]
fn bristles_with_memory_under_a_dragged_mass() {
    let times: Vec<f64> = (1..=40).map(|k| 0.5 * f64::from(k)).collect();
    for rule in [Rule::Consistent, Rule::Table1] {
        let m = Rotating { rule, ..Rotating::start(()) };
        let (ours, ledger) = general(spring(1.0, 0.5), m, &times, 1e-12);
        let body = Body::dragged(1.0, 1.0, 0.5);
        let exact = exact(body, Friction::Rotating(m), &times);
        // The literal table is chaotic.
        close(&ours, &exact, |k| {
            if rule == Rule::Consistent { 1e-8 } else { 1e-8 * 1.8f64.powi(k as i32) }
        });
        let account = ledger.account(0);
        assert!(account.residual().abs() < 1e-8 * account.work, "{account:?}");
        assert_eq!(account.creates_energy(), rule != Rule::Consistent, "{account:?}");
    }
}

#[test]
fn bristles_that_swing_over_under_a_dragged_mass() {
    let times = [20.0, 60.0, 90.0, 120.0, 140.0, 180.0, 195.0];
    let m: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
    let (ours, ledger) = general(spring(1.0, 0.002), m, &times, 1e-12);
    let exact = exact(Body::dragged(1.0, 1.0, 0.002), Friction::Discontinuous(m), &times);
    // Two slips lie between the third time and the last; errors grow 25 times in each.
    close(&ours, &exact, |k| [1e-9, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4][k]);
    let account = ledger.account(0);
    assert!(account.residual().abs() < 1e-9 * account.work, "{account:?}");
}

/// From a start at the very limit of friction, which is zero there.
#[test]
fn bristles_that_swing_over_under_a_tied_mass() {
    let times: Vec<f64> = (1..=30).map(f64::from).collect();
    let m = RotatingDiscontinuous { delta: 0.01, d: 1.0, ..RotatingDiscontinuous::start(()) };
    let drive = Sine { frequency: 0.05 / TAU, ..Sine::start(()) };
    let exact = exact(Body::tied(1.0, 1.0, 1.0, 0.05), Friction::Discontinuous(m), &times);
    for (tolerance, allowed) in [(1e-8, 1e-4), (1e-12, 1e-7)] {
        let mass = Mass { mass: 1.0, stiffness: 1.0, load: 1.0, drive };
        let (ours, _) = general(mass, m, &times, tolerance);
        close(&ours, &exact, |_| allowed);
    }
}

/// Fig. 3, through ±5 m and over places where both corners stand on bases at once.
#[test]
fn bristles_with_memory_under_prescribed_motion() {
    let m = Rotating { kappa: 0.1, delta: 0.002, ..Rotating::start(()) };
    let times: Vec<f64> = (1..=120).map(|k| 0.5237 * f64::from(k)).collect();
    let drive = Sine { mean: 0.0, amplitude: 0.5, frequency: 0.1 / TAU, angle: FRAC_PI_2 };
    for (tolerance, allowed) in [(1e-8, 1e-4), (1e-12, 1e-7)] {
        let prescribed = Prescribed { load: 1.0, drive };
        let (ours, ledger) = general(prescribed, m, &times, tolerance);
        let mut path = Path::new(Friction::Rotating(m), 0.0);
        let mut before = 0.0;
        for (t, ours) in times.iter().zip(&ours) {
            let turn = (0.1 * before / FRAC_PI_2).floor() as i32;
            if (0.1 * t / FRAC_PI_2).floor() as i32 != turn && turn % 2 == 0 {
                path.to(if turn % 4 == 0 { 5.0 } else { -5.0 });
            }
            path.to(5.0 * (0.1 * t).sin());
            before = *t;
            let error = (ours[2] - path.force()).abs();
            assert!(error < allowed, "t = {t}: {ours:?} {}", path.force());
        }
        let account = ledger.account(0);
        assert!(account.residual().abs() < 1e-8 * account.work, "{account:?}");
        assert!(!account.creates_energy(), "{account:?}");
    }
}

/// Fig. 15, three quarters of a cycle: 51 vibrations a second while the body hardly moves, and slips in between whose
/// beginning depends on them. At the tolerance that runs have by themselves places are right to 1e-6 m, by another
/// method at a tolerance that is 10⁴ times as small.
#[test]
fn figure_15_is_right_to_a_micrometre() {
    let drive = Sine { amplitude: 2.0, frequency: 0.01 / TAU, ..Sine::start(()) };
    let mass = Mass { mass: 1.0, stiffness: 2.0, load: 1.0, drive };
    let mean_angle: Mpabm<f64> = Mpabm::start(());
    let system = Coupled::new(mass, mean_angle);
    let (rough, fine) = (Radau::new(&system), DormandPrince::new(&system));
    let (rough, fine) = (places(&system, rough, 1e-9), places(&system, fine, 1e-13));
    let off = rough.iter().zip(&fine).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off:e} m");
    let moved = fine.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!(moved > 0.5, "it never slipped: {moved} m");
}

/// Positions every half a second until 471 s.
fn places<M: Mechanism, Me: Method<Coupled<M>, Storage = Heap>>(
    system: &Coupled<M>,
    method: Me,
    tolerance: f64,
) -> Vec<f64> {
    let (y, options) = (system.initial(), Options::new(tolerance, &system.tolerances(tolerance)));
    let mut solver = Solver::new(system, method, 0.0, &y, system.begin(0.0, &y), options);
    let at = |k| {
        solver.run(system, 0.5 * f64::from(k)).unwrap();
        solver.y()[0]
    };
    (1..=942).map(at).collect()
}
