//! Runs by builder, by hand, saved and interrupted.
use bristle_kernel::bristle::{Dry, Frbd};
use bristle_kernel::law::{Coulomb, Stribeck};
use bristle_kernel::{Bristle, Cast, Drive, Energy, Passivity, Real, Start, Variable};
use bristle_simulation::{Event, Method, OnImbalance, Simulation, Spacing, Stopped};
use bristle_system::mechanism::{Belt, Mass, SpringDrag};
use bristle_system::signal::{Constant, Pulses};
use bristle_system::{Fault, Mechanism, Quantity};
use std::ops::ControlFlow;

fn belt() -> Belt<f64, Constant<f64>> {
    Belt::start(Constant { value: 0.1 })
}

fn dry() -> Dry<f64, Stribeck<f64>> {
    Dry::start(Stribeck { mu_s: 0.15, mu_d: 0.1, ..Stribeck::start(()) })
}

/// A mass that slides to rest under Coulomb friction: x = v²/(2μg), t = v/(μg).
#[test]
fn a_mass_that_slides_to_rest_stops_where_and_when_it_must() {
    let mass = Mass::start(Constant { value: 0.0 });
    let (load, m) = (mass.load, mass.mass);
    let coulomb = Dry::start(Coulomb { mu: 0.2 });
    let run = Simulation::new(mass, coulomb).initial("v", 0.5).run(2.0).unwrap();
    let a = 0.2 * load / m;
    let (t, event) = run.events[0];
    assert_eq!(event, Event::Stick { contact: 0 });
    assert!((t - 0.5 / a).abs() < 1e-12, "{t}");
    let x = &run.trace.column("x").unwrap().values;
    assert!((x[x.len() - 1] - 0.125 / a).abs() < 1e-12);
    assert!((run.ledger[0].1.dissipated - 0.125 * m).abs() < 1e-12);
}

/// Sticks and slips of a belt alternate, and each is told.
#[test]
fn sticks_and_slips_alternate() {
    let run = Simulation::new(belt(), dry()).run(20.0).unwrap();
    let kinds: Vec<bool> =
        run.events.iter().map(|(_, e)| matches!(e, Event::Stick { .. })).collect();
    assert!(
        kinds.len() >= 4 && kinds.windows(2).all(|pair| pair[0] != pair[1]),
        "{:?}",
        run.events
    );
}

/// A run that is stepped by hand ends with the bits of one that is not, whether it was saved in between or not.
#[test]
fn a_run_by_hand_ends_with_the_same_bits() {
    for method in [
        Method::Radau,
        Method::DormandPrince,
        Method::Fixed { step: 1e-3, update: bristle_kernel::Update::Midpoint },
    ] {
        let stops: Vec<f64> = (1..8).map(f64::from).collect();
        let simulation = Simulation::new(belt(), Frbd::start(Stribeck::start(())));
        let simulation = simulation.method(method).stops(&stops).spacing(Spacing::Even(0.1));
        let whole = simulation.run(8.0).unwrap();
        let mut running = simulation.start().unwrap();
        running.advance(3.0).unwrap();
        let saved = running.clone();
        running.advance(8.0).unwrap();
        for mut other in [saved, running] {
            other.advance(8.0).unwrap();
            assert_eq!(other.value("x"), Some(other.y()[0]));
            assert_eq!(other.finish().unwrap().trace, whole.trace, "{method:?}");
        }
    }
}

#[test]
fn a_run_may_be_interrupted() {
    let mut go_on = |t: f64| match t > 1.0 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let stopped = Simulation::new(belt(), dry()).run_while(20.0, &mut go_on).unwrap_err();
    assert!(matches!(stopped, Stopped::Interrupted(t) if t > 1.0 && t < 5.0), "{stopped}");
}

/// Every setting is named with its value and its range.
#[test]
fn what_cannot_be_run_says_why() {
    let said = |simulation: Simulation<_>, end: f64| simulation.run(end).unwrap_err().to_string();
    let simulation = || Simulation::new(belt(), dry());
    for (text, parts) in [
        (said(simulation().initial("y", 1.0), 1.0), ["`y`", "x, v"]),
        (said(simulation().initial("x", f64::NAN), 1.0), ["initial = NaN", "a number"]),
        (said(simulation().tolerance(0.5), 1.0), ["tolerance = 0.5", "[1e-13, 1e-2]"]),
        (said(simulation(), f64::INFINITY), ["end = inf", "above 0 s"]),
        (said(simulation().spacing(Spacing::Even(1e-9)), 1.0), ["spacing = 0.000000001", "rows"]),
        (said(simulation().fixed(0.0), 1.0), ["step = 0", "above 0 s"]),
    ] {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

/// A mechanism of one's own: two masses that a spring joins, of which the second slides.
struct Towed;

impl Mechanism for Towed {
    fn quantities(&self) -> &[Quantity] {
        const STATES: [Quantity; 4] = [
            Quantity::position("x1"),
            Quantity::velocity("v1"),
            Quantity::position("x2"),
            Quantity::velocity("v2"),
        ];
        &STATES
    }
    fn initial(&self, y: &mut [f64]) {
        y.copy_from_slice(&[0.5, 0.0, 0.0, 0.0]);
    }
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[2], ..Drive::new(y[3], S::from(9.81)) }
    }
    fn rates<S: Real>(&self, _t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let pull = (y[0] - y[2]) * 40.0;
        dy.copy_from_slice(&[y[1], -pull, y[3], pull - force[0]]);
    }
}

/// What the spring had is what the masses have, the spring keeps and friction took.
#[test]
fn a_mechanism_of_ones_own_keeps_its_energy() {
    let run = Simulation::new(Towed, dry()).run(3.0).unwrap();
    let end = |name: &str| run.trace.column(name).unwrap().values.last().copied().unwrap();
    let (v1, v2, stretch) = (end("v1"), end("v2"), end("x1") - end("x2"));
    let left = 0.5 * (v1 * v1 + v2 * v2 + 40.0 * stretch * stretch);
    assert!((5.0 - left - run.ledger[0].1.work).abs() < 1e-7, "{left}");
}

/// What drags is what the ledger books: a constant speed against Coulomb friction.
#[test]
fn steady_sliding_dissipates_force_times_way() {
    let drag = SpringDrag::start(Constant { value: 0.2 });
    let coulomb = Dry::start(Coulomb { mu: 0.2 });
    let force = 0.2 * drag.load;
    let run = Simulation::new(drag, coulomb).run(30.0).unwrap();
    let x = run.trace.column("x").unwrap().values.last().copied().unwrap();
    let way = run.ledger[0].1.dissipated / force;
    assert!(way >= x - 1e-9, "{way} {x}");
}

/// A trace that would be too long is refused when its rate of rows is known, or before the run where that is fixed.
#[test]
fn a_trace_that_would_be_too_long_is_refused_early() {
    let simulation = Simulation::new(belt(), Frbd::start(Stribeck::start(())));
    let mut last = 0.0;
    let stopped = simulation.run_while(1e9, &mut |t| {
        last = t;
        ControlFlow::Continue(())
    });
    let Err(Stopped::TooManyRows { rows, until }) = stopped else { panic!("{stopped:?}") };
    assert!(rows > 5e6 && until == 1e9 && last < 1e-3 * until, "{rows} {last}");
    let mut steps = 0;
    let stopped = simulation.clone().fixed(1e-3).run_while(1e5, &mut |_| {
        steps += 1;
        ControlFlow::Continue(())
    });
    assert!(matches!(stopped, Err(Stopped::Setting { name: "step", .. })) && steps == 0);
    let spaced = simulation.fixed(1e-3).spacing(Spacing::Even(1.0)).keep_events(false);
    let run = spaced.run(100.0).unwrap();
    assert!(run.events.is_empty() && run.trace.rows() == 101);
}

/// Viscous friction: a model of one's own.
#[derive(Clone, Copy)]
struct Oil<S> {
    /// F = drag·v, N·s/m.
    drag: S,
    /// The loss that it states is this times v².
    stated: S,
}

impl<S: Real> Cast<S> for Oil<S> {
    type Over<T: Real> = Oil<T>;
    fn cast<T: Real>(&self, f: &mut impl FnMut(S) -> T) -> Oil<T> {
        Oil { drag: f(self.drag), stated: f(self.stated) }
    }
}

impl<S: Real> Bristle<S> for Oil<S> {
    fn states(&self) -> usize {
        0
    }
    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }
    fn rate(&self, _at: &Drive<S>, _z: &[S], _dz: &mut [S]) {}
    fn force(&self, at: &Drive<S>, _z: &[S], _dz: &[S]) -> S {
        self.drag * at.v
    }
    fn steady(&self, at: &Drive<S>, _z: &mut [S]) -> S {
        self.drag * at.v
    }
    fn energy(&self, at: &Drive<S>, _z: &[S], _dz: &[S]) -> Energy<S> {
        let dissipated = at.v * at.v * self.stated;
        Energy { stored: S::from(0.0), dissipated, known: at.v.ge(at.v) }
    }
    fn passivity(&self) -> Passivity<S> {
        Passivity::always("F v = v²")
    }
    fn bound(&self, _z0: &[S], _v_max: S, _load_max: S, _out: &mut [S]) {}
}

/// A thrown mass in oil loses ½ m v² (1 − e^(−2t)). A model that states its loss wrongly, or gives energy out while it claims
/// to be passive, ends the run, which says when, where and by how much; kept all the same, the run is marked.
#[test]
fn books_that_do_not_balance_end_the_run() {
    let thrown = |drag: f64, stated: f64| {
        let mass = Mass { mass: 1.0, ..Mass::start(Constant { value: 0.0 }) };
        Simulation::new(mass, Oil { drag, stated }).initial("v", 1.0)
    };
    let right = thrown(1.0, 1.0).run(1.0).unwrap();
    let lost = 0.5 * (1.0 - (-2.0f64).exp());
    assert!((right.ledger[0].1.dissipated - lost).abs() < 1e-9 && right.imbalance.is_none());
    for (drag, stated) in [(1.0, 0.9), (1.0, 1.001), (1.0, -1.0), (-1.0, -1.0)] {
        let stopped = thrown(drag, stated).run(1.0);
        let Err(Stopped::Imbalance(imbalance)) = stopped else { panic!("it went on: {stated}") };
        assert!(
            imbalance.t > 0.0 && imbalance.t < 0.1 && imbalance.contact == Some(0),
            "{imbalance}"
        );
        match imbalance.fault {
            Fault::Residual { residual, allowed } => {
                assert!(
                    residual * (drag - stated) > 0.0 && residual.abs() > allowed,
                    "{imbalance}"
                );
            }
            Fault::Dissipation { created, allowed } => {
                assert!(drag == stated && created > allowed, "{imbalance}");
            }
        }
        let marked = thrown(drag, stated).on_imbalance(OnImbalance::Mark).run(1.0).unwrap();
        // ∫v² dt, v = e^(−drag t).
        let squares = (1.0 - (-2.0 * drag).exp()) / (2.0 * drag);
        let missing = marked.ledger[0].1.residual();
        assert!(marked.imbalance.is_some());
        assert!((missing - (drag - stated) * squares).abs() < 1e-8, "{missing}");
    }
}

/// A pulse of 2 N until 0.1 s: the drive is least from 0.1 s on, not from some row after it, and a trace with a row for each step
/// has both sides of the jump.
#[test]
fn both_sides_of_a_jump_are_recorded() {
    let drive = Pulses { value: 2.0, on: 0.1, period: 1.0 };
    let mass = Mass { mass: 1.0, ..Mass::start(drive) };
    let run = Simulation::new(mass, dry()).run(0.5).unwrap();
    let place = run.trace.columns().iter().position(|column| column.name == "F_E").unwrap();
    let extreme = run.extremes[place];
    assert_eq!([extreme.min, extreme.max], [0.0, 2.0]);
    assert_eq!([extreme.t_min, extreme.t_max], [0.1, 0.0]);
    let (times, forces) = (run.trace.column("t").unwrap(), run.trace.column("F_E").unwrap());
    let rows = times.values.iter().zip(&forces.values);
    let at_jump: Vec<f64> = rows.filter(|row| *row.0 == 0.1).map(|row| *row.1).collect();
    assert_eq!(at_jump, [2.0, 0.0]);
}
