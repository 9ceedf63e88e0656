//! Our solver against the BDF method of the crate `diffsol`, on the same right-hand sides.
//!
//! The other solver knows nothing of kinks and events: it gets f(t, y) in plain numbers and the
//! Jacobian's product from dual numbers, and steps over v = 0 as it can. Digits that both give owe
//! nothing to event handling or step control.
#![forbid(unsafe_code)]
#![cfg(test)]

use bristle_kernel::bristle::{Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Scaling, Start};
use bristle_ode::{Heap, Options, Radau, Slope, Solver, System};
use bristle_system::mechanism::{Belt, SpringDrag, Valve};
use bristle_system::signal::{Constant, Sine};
use bristle_system::{Coupled, Mechanism};
use diffsol::{MatrixCommon, NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod};

/// What each is asked for.
const THEIRS: f64 = 1e-12;
const OURS: f64 = 1e-11;
/// How far apart they may be. Over a run the BDF method loses four digits on what it was asked for,
/// most of them on the belt: 1.3e-7 at 1e-10, 4.1e-8 at 1e-11, 5.9e-9 at 1e-12, 8.4e-10 at 1e-13.
const APART: f64 = 1e-8;

/// Our states at these times.
fn ours<M: Mechanism>(system: &Coupled<M>, times: &[f64]) -> Vec<Vec<f64>> {
    let y = system.initial();
    let radau: Radau<Heap> = Radau::new(system);
    let options = Options::new(OURS, &system.tolerances(OURS));
    let mut solver = Solver::new(system, radau, 0.0, &y, system.begin(0.0, &y), options);
    let at = |t: &f64| {
        solver.run(system, *t).unwrap();
        solver.y().to_vec()
    };
    times.iter().map(at).collect()
}

/// Theirs, of the flow with its kinks. The mode is that of the start: no model here looks at it but for where its kinks are.
fn theirs<M: Mechanism>(system: &Coupled<M>, times: &[f64]) -> Vec<Vec<f64>> {
    let start = system.initial();
    let (n, mode) = (start.len(), system.begin(0.0, &start));
    let mut problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(THEIRS)
        .atol(system.tolerances(THEIRS))
        .rhs_implicit(
            |y, _p, t, dy| {
                system.flow(&mode, t, y, dy);
            },
            |y, _p, t, v, jv| {
                let seed = |i: usize| Slope { re: y[i], eps: [v[i], 0.0, 0.0, 0.0] };
                let seeded: Vec<Slope> = (0..n).map(seed).collect();
                let mut rates = seeded.clone();
                system.flow(&mode, Slope::from(t), &seeded, &mut rates);
                (0..n).for_each(|i| jv[i] = rates[i].eps[0]);
            },
        )
        .init(|_p, _t, y| y.copy_from_slice(&start), n)
        .build()
        .unwrap();
    // It counts failures over the whole run.
    problem.ode_options.max_nonlinear_solver_failures = usize::MAX;
    let mut solver = problem.bdf::<NalgebraLU<f64>>().unwrap();
    let (states, _) = solver.solve_dense(times).unwrap();
    let column = |k: usize| (0..n).map(|i| states.inner().column(k)[i]).collect();
    (0..times.len()).map(column).collect()
}

/// Both at these times, relative to each state's greatest value there.
fn compare<M: Mechanism>(system: &Coupled<M>, times: &[f64]) {
    let (ours, theirs) = (ours(system, times), theirs(system, times));
    for i in 0..system.states() {
        let size = ours.iter().fold(0.0f64, |size, y| size.max(y[i].abs()));
        for (k, t) in times.iter().enumerate() {
            let error = (ours[k][i] - theirs[k][i]).abs() / size;
            assert!(error <= APART, "state {i} at {t} s: {} and {}", ours[k][i], theirs[k][i]);
        }
    }
}

/// 002 (26), model 2: two slips and two sticks.
#[test]
fn a_mass_on_a_belt_with_lugre() {
    let law = Stribeck {
        mu_s: 0.15,
        mu_d: 0.1,
        v_s: 1e-3,
        exponent: 2.0,
        viscous: 0.1 / 9.81,
        ..Stribeck::start(())
    };
    let friction = AnyBristle::LuGre(LuGre {
        scaling: Scaling::Absolute,
        sigma0: 1e5,
        sigma1: 1e5f64.sqrt(),
        ..LuGre::start(AnyLaw::Stribeck(law))
    });
    let drive = Constant { value: 0.1 };
    let belt = Belt { mass: 1.0, stiffness: 2.0, load: 9.81, drive };
    compare(&Coupled::new(belt, friction), &[2.0, 7.0, 8.0, 9.5, 12.0, 15.0, 20.0]);
}

/// 000 (60) over Table II: stick-slip for a minute.
#[test]
fn a_mass_dragged_by_a_spring_with_frbd() {
    let law = Stribeck { viscous: 0.04, ..Stribeck::start(()) };
    let friction = AnyBristle::Frbd(Frbd::start(AnyLaw::Stribeck(law)));
    let drive = Constant { value: 0.1 };
    let drag = SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive };
    compare(&Coupled::new(drag, friction), &[5.0, 10.0, 20.0, 30.0, 45.0, 60.0]);
}

/// 000 (61), Test 2, over Table III: the stem reverses every ten seconds.
#[test]
fn a_valve_under_a_sine_with_lugre() {
    let (mu_d, mu_s, v_s, viscous) = (39.73, 59.86, 6.42e-3, 2.97e3);
    let law = AnyLaw::Stribeck(Stribeck { mu_d, mu_s, v_s, viscous, ..Stribeck::start(()) });
    let friction = AnyBristle::LuGre(LuGre { sigma0: 6.82e7, sigma1: 701.97, ..LuGre::start(law) });
    let drive = Sine { mean: 50.0, amplitude: 30.0, frequency: 0.05, angle: 0.0 };
    let valve = Valve { lag: 0.425, ..Valve::start(drive) };
    compare(&Coupled::new(valve, friction), &[3.0, 7.0, 15.0, 26.0, 40.0, 60.0]);
}
