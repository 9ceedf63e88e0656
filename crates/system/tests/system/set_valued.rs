//! Set-valued friction in mechanisms: teeth, several sticks at once, shared loads, saved runs.
use crate::common::{Run, options};
use bristle_kernel::bristle::{Dry, Rotating, RotatingDiscontinuous, Sawtooth};
use bristle_kernel::law::{Coulomb, Stribeck};
use bristle_kernel::{Drive, Real, Start};
use bristle_ode::{Heap, Options, Radau, Solver};
use bristle_system::mechanism::arm::Compensation;
use bristle_system::mechanism::{Arm, Belt, Festoon, Mass, Prescribed, SpringDrag};
use bristle_system::signal::{Constant, Points, Signal, Sine};
use bristle_system::{
    Contact, Coupled, Friction, Ledger, Mechanism, Mode, Quantity, Role, Step, Units,
};

fn teeth(f_min: f64, f_max: f64, delta: f64) -> Sawtooth<f64> {
    Sawtooth { f_min, f_max, delta }
}

fn coulomb(mu: f64) -> Dry<f64, Coulomb<f64>> {
    Dry::start(Coulomb { mu })
}

/// A force that grows from zero.
fn ramp(rate: f64) -> Points<f64> {
    let (t, value) = ([0.0, 100.0], [0.0, 100.0 * rate]);
    Points { t: t.into_iter().collect(), value: value.into_iter().collect() }
}

/// The force of contact 0 at 21 points of a step.
fn forces<M: Mechanism>(system: &Coupled<M>, step: &Step<'_>) -> Vec<f64> {
    let h = step.end() - step.start();
    let at = |k: i32| {
        let t = step.start() + h * f64::from(k) / 20.0;
        let y = step.at(t);
        system.forces(step.mode, t, &y)[0]
    };
    (0..=20).map(at).collect()
}

/// Moved at 1 m/s over ten teeth from 1 to 2 N: each is passed, none is climbed beyond its end, and
/// the work is that of ten times their mean, whatever the tolerance.
#[test]
fn every_tooth_is_passed_at_any_tolerance() {
    for rtol in [1e-3, 1e-6, 1e-9, 1e-12] {
        let mechanism = Prescribed { load: 1.0, drive: Constant { value: 1.0 } };
        let system = Coupled::new(mechanism, teeth(1.0, 2.0, 0.1));
        let y = system.initial();
        let mut run = Run::new(&system, &y, options(&system, rtol));
        let mut ledger = Ledger::new(&system, run.mode(), 0.0, &y, rtol);
        let mut most = 0.0f64;
        run.run(1.0, |step| {
            most = forces(&system, step).into_iter().fold(most, f64::max);
            ledger.enter(&system, step.mode, step.dense);
        })
        .unwrap();
        let (work, events) = (ledger.account(0).work, run.solver.statistics().events);
        // The force at the end of a tooth is computed: 2 N but for rounding.
        assert!(most <= 2.0 * (1.0 + 1e-14), "at {rtol:e}: {:e} N above", most - 2.0);
        assert!((work - 1.5).abs() < 1e-9, "at {rtol:e}: {work} J");
        assert!(events >= 9, "at {rtol:e}: {events} events");
    }
}

/// A light body on high teeth, pulled forward by a spring, is never thrown back over its start.
#[test]
fn a_light_body_on_high_teeth_does_not_go_back() {
    let mechanism =
        SpringDrag { mass: 0.3, stiffness: 2.0, load: 1.0, drive: Constant { value: 0.1 } };
    let system = Coupled::new(mechanism, teeth(0.5, 3.0, 0.1));
    for rtol in [1e-6, 1e-9] {
        let y = system.initial();
        let mut run = Run::new(&system, &y, options(&system, rtol));
        let mut ledger = Ledger::new(&system, run.mode(), 0.0, &y, rtol);
        let mut least = 0.0f64;
        run.run(10.0, |step| {
            let middle = 0.5 * (step.start() + step.end());
            least = least.min(step.at(middle)[0]).min(step.at(step.end())[0]);
            ledger.enter(&system, step.mode, step.dense);
        })
        .unwrap();
        let account = ledger.account(0);
        assert!(least >= -1e-9, "at {rtol:e}: {least} m");
        assert!(account.residual().abs() < 1e-6, "at {rtol:e}: {account:?}");
        assert!(account.dissipated >= 0.0 && account.least >= -1e-9, "at {rtol:e}: {account:?}");
    }
}

/// On a belt whose spring is stiffer than the teeth rise (11 N/m against 10): it leaves its stick, and
/// never is the force above that of a tooth.
#[test]
fn a_stiff_spring_on_a_belt_does_not_lift_the_force_above_the_teeth() {
    let mechanism = Belt { mass: 1.0, stiffness: 11.0, load: 1.0, drive: Constant { value: 0.05 } };
    let system = Coupled::new(mechanism, teeth(1.0, 2.0, 0.1));
    for rtol in [1e-6, 1e-9] {
        let mut run = Run::new(&system, &system.initial(), options(&system, rtol));
        let mut most = 0.0f64;
        run.run(40.0, |step| {
            most = forces(&system, step).into_iter().fold(most, |most, f| most.max(f.abs()));
        })
        .unwrap();
        assert!(most <= 2.0 + 1e-9, "at {rtol:e}: {most} N");
        assert!(run.solver.statistics().events >= 1, "it never left its stick");
    }
}

/// Bristles and teeth in both contacts of the festoon only take energy.
#[test]
fn set_valued_contacts_of_the_festoon_dissipate() {
    let row: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
    let saw: Sawtooth<f64> = Sawtooth::start(());
    for (name, friction) in [("rotating", Friction::from(row)), ("sawtooth", Friction::from(saw))] {
        let drive = Sine { mean: 0.0, amplitude: 0.4, frequency: 0.4, angle: 0.0 };
        let system = Coupled::new(Festoon::start(drive), friction);
        let y = system.initial();
        let rtol = 1e-8;
        let mut run = Run::new(&system, &y, options(&system, rtol));
        let mut ledger = Ledger::new(&system, run.mode(), 0.0, &y, rtol);
        run.run(5.0, |step| ledger.enter(&system, step.mode, step.dense)).unwrap();
        for i in 0..2 {
            let account = ledger.account(i);
            assert!(account.turnover > 0.0, "{name} {i}: it never moved");
            assert!(account.work >= -1e-9, "{name} {i}: {account:?}");
            let off = (account.work - account.dissipated).abs();
            assert!(off <= 1e-6 * account.turnover, "{name} {i}: {off:e}, {account:?}");
        }
        assert!(ledger.imbalance().is_none(), "{name}: {:?}", ledger.imbalance());
    }
}

/// An arm that is pushed to and fro over teeth or bristles keeps finite rates, and its friction takes energy.
#[test]
fn set_valued_contacts_of_the_arm_dissipate() {
    let row: Rotating<f64> = Rotating::start(());
    let turning: RotatingDiscontinuous<f64> = RotatingDiscontinuous::start(());
    let saw: Sawtooth<f64> = Sawtooth::start(());
    for friction in [Friction::from(row), Friction::from(turning), Friction::from(saw)] {
        let drive = Sine { mean: 0.0, amplitude: 1.0, frequency: 0.2, angle: 0.0 };
        let arm = Arm { compensation: Compensation::None, ..Arm::start(drive) };
        let system = Coupled::new(arm, friction);
        let (y, rtol) = (system.initial(), 1e-8);
        let mut run = Run::new(&system, &y, options(&system, rtol));
        let mut ledger = Ledger::new(&system, run.mode(), 0.0, &y, rtol);
        run.run(5.0, |step| ledger.enter(&system, step.mode, step.dense)).unwrap();
        let account = ledger.account(0);
        assert!(account.turnover > 0.0 && account.dissipated > 0.0, "{account:?}");
        assert!(ledger.imbalance().is_none(), "{:?}", ledger.imbalance());
    }
}

/// At rest under no force friction is zero, and not one of its limits.
#[test]
fn a_body_at_rest_begins_without_force() {
    let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive: Constant { value: 0.0 } };
    let system = Coupled::new(mechanism, teeth(1.0, 2.0, 0.1));
    let mut run = Run::new(&system, &system.initial(), options(&system, 1e-9));
    assert_eq!(run.forces(), [0.0]);
    assert_eq!(run.mode().contacts[0].element.way, 0.0);
    run.run(1.0, |step| assert!(forces(&system, step).iter().all(|f| *f == 0.0))).unwrap();
    assert_eq!(run.y(), [0.0, 0.0]);
    assert_eq!(run.forces(), [0.0]);
}

/// Two bodies of 1 kg, joined by a spring of 1 N/m; the first is pulled.
struct Pair<L> {
    /// Loads of the contacts, N.
    load: [f64; 2],
    /// Force on the first body, N.
    pull: L,
    /// Whether it says which states a contact moves and sees.
    sparse: bool,
}

impl<L: Signal> Mechanism for Pair<L> {
    fn quantities(&self) -> &[Quantity] {
        const ALL: [Quantity; 4] = [
            Quantity::position("x1"),
            Quantity::velocity("v1"),
            Quantity::position("x2"),
            Quantity::velocity("v2"),
        ];
        &ALL
    }
    fn contacts(&self) -> &[Contact] {
        &[
            Contact { name: "1", role: Role::Friction, units: Units::LINE },
            Contact { name: "2", role: Role::Friction, units: Units::LINE },
        ]
    }
    fn drives(&self) -> &[Quantity] {
        const ALL: [Quantity; 1] = [Quantity::new("F_E", "N", 1.0)];
        &ALL
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        if self.sparse { on(2 * i + 1) } else { (0..4).for_each(on) }
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        if self.sparse { (2 * i..2 * i + 2).for_each(on) } else { (0..4).for_each(on) }
    }
    fn drive<S: Real>(&self, i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[2 * i], ..Drive::new(y[2 * i + 1], S::from(self.load[i])) }
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let spring = y[0] - y[2];
        dy[0] = y[1];
        dy[1] = self.pull.value(t, phase[0]) - spring - force[0];
        dy[2] = y[3];
        dy[3] = spring - force[1];
    }
    fn input(&self, _i: usize, t: f64, phase: &[usize]) -> f64 {
        self.pull.value(t, phase[0])
    }
    fn switch(&self, _i: usize, k: usize) -> f64 {
        self.pull.switch(k)
    }
}

/// Pulled by 1 N/s, body 1 leaves at t₁ = L₁ s. From then on x₁ = τ − sin τ, τ = t − t₁, and this is
/// the spring's force: body 2 leaves where it is L₂.
#[test]
fn coupled_sticks_are_left_one_by_one() {
    for (limits, sparse) in [([1.0, 0.5], false), ([1.0, 0.5], true), ([0.3, 2.0], true)] {
        let system = Coupled::new(Pair { load: limits, pull: ramp(1.0), sparse }, coulomb(1.0));
        let options: Options<Heap> = Options::new(1e-12, &[1e-14; 4]);
        let mut run = Run::new(&system, &system.initial(), options);
        // When each contact began to slide, and the spring's force then.
        let mut left = [None; 2];
        run.run(limits[0] + 3.5, |step| {
            let ways = step.mode.contacts.iter().map(|c| c.element.way);
            for (left, _) in left.iter_mut().zip(ways).filter(|(_, way)| *way != 0.0) {
                let y = step.at(step.start());
                left.get_or_insert((step.start(), y[0] - y[2]));
            }
            let (t, y) = (step.end(), step.at(step.end()));
            let force = system.forces(step.mode, t, &y);
            for (force, limit) in force.iter().zip(limits) {
                assert!(force.abs() <= limit + 1e-9, "{force} N at {t} s");
            }
        })
        .unwrap();
        let (mut a, mut b) = (0.0f64, 6.0);
        for _ in 0..100 {
            let middle = 0.5 * (a + b);
            *if middle - middle.sin() < limits[1] { &mut a } else { &mut b } = middle;
        }
        let (first, spring) = left[0].unwrap();
        assert!((first - limits[0]).abs() < 1e-9 && spring == 0.0, "body 1 left at {first} s");
        let (second, spring) = left[1].unwrap();
        let due = limits[0] + b;
        assert!((second - due).abs() < 1e-9, "body 2 left at {second} s, not {due} s");
        assert!((spring - limits[1]).abs() < 1e-9, "body 2 left at {spring} N");
    }
}

/// One body with two brakes on it, pulled.
struct Brakes<L> {
    load: [f64; 2],
    pull: L,
}

impl<L: Signal> Mechanism for Brakes<L> {
    fn contacts(&self) -> &[Contact] {
        &[
            Contact { name: "1", role: Role::Friction, units: Units::SHAFT },
            Contact { name: "2", role: Role::Friction, units: Units::SHAFT },
        ]
    }
    fn drives(&self) -> &[Quantity] {
        const ALL: [Quantity; 1] = [Quantity::new("T", "N*m", 1.0)];
        &ALL
    }
    fn drive<S: Real>(&self, i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[0], ..Drive::new(y[1], S::from(self.load[i])) }
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] = self.pull.value(t, phase[0]) - force[0] - force[1];
    }
    fn input(&self, _i: usize, t: f64, phase: &[usize]) -> f64 {
        self.pull.value(t, phase[0])
    }
    fn switch(&self, _i: usize, k: usize) -> f64 {
        self.pull.switch(k)
    }
}

/// Brakes of 1 and 2 N·m hold up to 3 N·m, each its part of what it can; then ω̇ = t − 3.
#[test]
fn two_brakes_on_one_shaft_hold_the_sum() {
    let system = Coupled::new(Brakes { load: [1.0, 2.0], pull: ramp(1.0) }, coulomb(1.0));
    let options: Options<Heap> = Options::new(1e-12, &[1e-14; 2]);
    let mut run = Run::new(&system, &system.initial(), options);
    let mut slides = None;
    run.run(5.0, |step| {
        let stuck = step.mode.contacts.iter().all(|c| c.element.way == 0.0);
        let t = step.end();
        let force = system.forces(step.mode, t, &step.at(t));
        if stuck {
            assert!(step.mode.contacts.iter().all(|c| c.shared && !c.carried), "{:?}", step.mode);
            assert!((force[0] - t / 3.0).abs() < 1e-12, "{force:?} at {t} s");
            assert!((force[1] - 2.0 * t / 3.0).abs() < 1e-12, "{force:?} at {t} s");
        } else if step.end() > step.start() {
            slides.get_or_insert(step.start());
            assert!(step.mode.contacts.iter().all(|c| c.element.way == 1.0), "{:?}", step.mode);
            assert!((force[0] - 1.0).abs() + (force[1] - 2.0).abs() < 1e-12, "{force:?}");
        }
    })
    .unwrap();
    let slides = slides.unwrap();
    assert!((slides - 3.0).abs() < 1e-12, "{slides} s");
    assert!((run.y()[1] - 2.0).abs() < 1e-11 && (run.y()[0] - 8.0 / 6.0).abs() < 1e-11);
}

/// A run saved in the middle of a stick goes on as if nothing had happened, to the bit.
#[test]
fn a_run_saved_in_a_stick_goes_on_with_the_same_bits() {
    type System = Coupled<SpringDrag<f64, Constant<f64>>>;
    let mechanism =
        SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive: Constant { value: 0.1 } };
    let law = Stribeck { viscous: 0.04, ..Stribeck::start(()) };
    let system: System = Coupled::new(mechanism, Dry::start(law));
    let y = system.initial();
    let mode = system.begin(0.0, &y);
    let radau: Radau<Heap> = Radau::new(&system);
    // Steps of a stick would be as long as the stick: there is a middle.
    let options = Options { max_step: 0.1, ..options(&system, 1e-9) };
    let mut solver = Solver::new(&system, radau, 0.0, &y, mode, options);
    let sticks = |mode: &Mode| mode.contacts[0].element.way == 0.0;
    // The second stick: the first is the start.
    while solver.t() < 8.0 || sticks(solver.mode()) {
        solver.advance(&system, 60.0).unwrap();
    }
    while !sticks(solver.mode()) {
        solver.advance(&system, 60.0).unwrap();
    }
    let begin = solver.t();
    for _ in 0..4 {
        solver.advance(&system, 60.0).unwrap();
    }
    assert!(
        sticks(solver.mode()) && solver.t() > begin,
        "{} {begin} {:?}",
        solver.t(),
        solver.mode()
    );
    assert!(solver.y()[1].abs() < 1e-15, "{}", solver.y()[1]);
    let mut saved = solver.clone();
    let mut slid = false;
    while solver.t() < 60.0 {
        let reached = solver.advance(&system, 60.0).unwrap();
        slid |= !sticks(solver.mode());
        assert_eq!(reached, saved.advance(&system, 60.0).unwrap());
        assert_eq!(solver.t().to_bits(), saved.t().to_bits());
        let same = solver.y().iter().zip(saved.y()).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same && solver.mode() == saved.mode(), "at {} s", solver.t());
    }
    assert!(slid);
    // And a copy set aside goes on later, when the system has served other runs.
    assert_eq!(saved.statistics(), solver.statistics());
}

/// Runs of one system may go on in several threads.
#[test]
fn a_system_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    type System = Coupled<Mass<f64, Constant<f64>>>;
    shared::<System>();
    shared::<Coupled<Festoon<f64, Sine<f64>>>>();
    shared::<Friction>();
    sent::<Solver<System, Radau<Heap>>>();
}
