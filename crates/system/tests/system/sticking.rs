//! Set-valued friction: Filippov's rule, sticks, chattering.
use crate::common::Run;
use bristle_kernel::bristle::Sawtooth;
use bristle_kernel::{AnyBristle, Drive, Real};
use bristle_ode::{DormandPrince, Heap, Options, Solver, Why};
use bristle_system::mechanism::{Mass, Prescribed, SpringDrag};
use bristle_system::signal::{Constant, Points, Signal, Sine, Steps};
use bristle_system::{Contact, Coupled, Mechanism, Quantity, Role, Units};

/// Teeth of equal height are Coulomb friction.
fn coulomb(level: f64) -> AnyBristle<f64> {
    AnyBristle::Sawtooth(Sawtooth { f_min: level, f_max: level, delta: 1e3 })
}

fn tight(states: usize) -> Options<Heap> {
    Options::new(1e-12, &vec![1e-14; states])
}

/// Thrown at 1 m/s against 1 N, a kilogram stops after 1 s and 0.5 m, and stays.
#[test]
fn a_thrown_mass_stops_and_stays() {
    let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive: Constant { value: 0.0 } };
    let system = Coupled::new(mechanism, coulomb(1.0));
    let mut run = Run::new(&system, &[0.0, 1.0], tight(2));
    run.go(100.0);
    assert!((run.y()[0] - 0.5).abs() < 1e-12, "{:?}", run.y());
    assert!(run.y()[1].abs() < 1e-14);
}

/// A push that grows by 1 N/s is held until it reaches 2 N, at t = 2 s; then m ẍ = t − 2.
#[test]
fn a_stick_is_left_where_the_push_reaches_its_limit() {
    let drive =
        Points { t: [0.0, 5.0].into_iter().collect(), value: [0.0, 5.0].into_iter().collect() };
    let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive };
    let system = Coupled::new(mechanism, coulomb(2.0));
    let mut run = Run::new(&system, &system.initial(), tight(2));
    run.run(1.999, |step| {
        let t = step.end();
        let held = system.forces(step.mode, t, &step.at(t))[0];
        assert!((held - t).abs() < 1e-12, "the force holds the push");
    })
    .unwrap();
    assert_eq!(run.y(), [0.0, 0.0]);
    run.go(5.0);
    assert!((run.y()[0] - 27.0 / 6.0).abs() < 1e-11, "{:?}", run.y());
    assert!((run.y()[1] - 4.5).abs() < 1e-11);
}

/// Dragged by a spring at 0.1 m/s with static force 2 N and kinetic force 1 N (a tooth that has
/// dropped): the first slip begins when the spring pulls 2 N.
#[test]
fn stick_slip_over_teeth_begins_at_the_static_force() {
    let mechanism =
        SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive: Constant { value: 0.1 } };
    let teeth = AnyBristle::Sawtooth(Sawtooth { f_min: 1.0, f_max: 2.0, delta: 0.1 });
    let system = Coupled::new(mechanism, teeth);
    let mut run = Run::new(&system, &system.initial(), tight(2));
    // At x = 0 the limit is F_min: it creeps up the first tooth as the spring pulls, quasi-statically
    // 2(0.1t − x) = 1 + 10x, and is over it when 2(0.1t − 0.1) = 2, at t = 11 s.
    run.go(10.9);
    assert!(run.y()[0] < 0.1 && run.y()[0] > 0.09, "{:?}", run.y());
    run.go(12.5);
    assert!(run.y()[0] > 0.15, "{:?}", run.y());
}

/// Where motion is given, Coulomb friction is against it at every reversal, jump and rest.
#[test]
fn friction_follows_prescribed_motion() {
    fn against<L: Signal>(drive: L, end: f64) {
        let system = Coupled::new(Prescribed { load: 1.0, drive }, coulomb(1.0));
        let mut run = Run::new(&system, &[0.0], tight(1));
        let mut seen = 0;
        run.run(end, |step| {
            if step.end() == step.start() {
                return;
            }
            let t = 0.5 * (step.start() + step.end());
            let y = step.at(t);
            let v = system.contact(step.mode, 0, t, &y).0.v;
            let force = system.forces(step.mode, t, &y)[0];
            assert!(v.abs() < 1e-12 || force == v.signum(), "v = {v} m/s, F = {force} N at {t} s");
            seen += usize::from(v < 0.0);
        })
        .unwrap();
        assert!(seen > 0, "it never went back");
    }
    for angle in [0.0, 0.7, std::f64::consts::FRAC_PI_2, 4.0] {
        against(Sine { mean: 0.1, amplitude: 1.3, frequency: 1.0, angle }, 3.3);
    }
    // Rest, forward, rest, back by a jump.
    let (t, value) = ([0.0, 1.0, 2.0, 3.0, 4.0, 4.5], [0.0, 0.0, 1.0, 0.0, 0.0, -1.0]);
    against(Points { t: t.into_iter().collect(), value: value.into_iter().collect() }, 6.0);
    let (t, value) = ([1.0, 2.0, 3.0], [1.0, -1.0, 0.5]);
    against(Steps { t: t.into_iter().collect(), value: value.into_iter().collect() }, 4.0);
}

/// A body under a force against its own motion that no friction can hold: v̇ = −4 sgn v as a
/// load, not as friction.
struct Relay;

impl Mechanism for Relay {
    fn quantities(&self) -> &[Quantity] {
        const { &[Quantity::velocity("v")] }
    }
    fn contacts(&self) -> &[Contact] {
        &[Contact { name: "", role: Role::Friction, units: Units::LINE }]
    }
    fn drives(&self) -> &[Quantity] {
        &[]
    }
    fn initial(&self, y: &mut [f64]) {
        y[0] = 1.0;
    }
    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive::new(y[0], S::from(1.0))
    }
    fn rates<S: Real>(&self, _t: S, _phase: &[usize], y: &[S], _force: &[S], dy: &mut [S]) {
        dy[0] = y[0].sign() * -4.0;
    }
    fn input(&self, _i: usize, _t: f64, _phase: &[usize]) -> f64 {
        0.0
    }
    fn switch(&self, _i: usize, _k: usize) -> f64 {
        f64::INFINITY
    }
}

#[test]
fn chattering_ends_in_an_error_that_says_what_to_do() {
    let friction =
        AnyBristle::named("static", bristle_kernel::AnyLaw::named("coulomb", ()).unwrap());
    let AnyBristle::Static(mut friction) = friction.unwrap() else { unreachable!() };
    friction.v_r = 1e-30;
    let system = Coupled::new(Relay, AnyBristle::Static(friction));
    let options = Options { max_steps: 1_000_000, ..Options::<Heap>::new(1e-10, &[1e-12]) };
    // An explicit method jumps to and fro; an implicit one would creep along v = 0.
    let mode = system.begin(0.0, &[1.0]);
    let method = DormandPrince::new(&system);
    let mut run = Solver::new(&system, method, 0.0, &[1.0], mode, options);
    let failure = run.run(&system, 1.0).unwrap_err();
    let chattering = matches!(failure.why, Why::Chattering { .. } | Why::StepTooSmall);
    assert!(chattering, "{failure}");
    assert!((failure.t - 0.25).abs() < 1e-6, "{failure}");
}
