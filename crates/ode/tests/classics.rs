//! Published end values, orders of convergence, and events with closed forms.
use bristle_num::Real;
use bristle_ode::{
    Cause, Dense, DormandPrince, Equations, Heap, Method, Options, Order, Radau, Reached, Slope,
    Solver, Stack, Storage, System, Why,
};
use std::f64::consts::PI;

/// A right-hand side of so many states.
macro_rules! equations {
    ($System:ty, $n:literal, |$this:ident, $t:ident, $y:ident| $rates:expr) => {
        impl Equations for $System {
            fn states(&self) -> usize {
                $n
            }
            fn rhs<S: Real>(&self, $t: f64, $y: &[S], dy: &mut [S]) {
                let $this = self;
                dy.copy_from_slice(&$rates);
            }
        }
    };
}

/// H. H. Robertson (1966), three reactions over eleven decades of time.
struct Robertson;
equations!(Robertson, 3, |_this, _t, y| {
    let (a, b, c) = (y[0] * 0.04, y[1] * y[2] * 1e4, y[1] * y[1] * 3e7);
    [b - a, a - b - c, c]
});

/// Van der Pol's oscillator, ε = 1e-6.
struct VanDerPol;
equations!(VanDerPol, 2, |_this, _t, y| [y[1], ((-(y[0] * y[0]) + 1.0) * y[1] - y[0]) / 1e-6]);

/// A. Prothero, A. Robinson (1974): y = sin t whatever λ.
struct ProtheroRobinson(f64);
equations!(ProtheroRobinson, 1, |this, t, y| [(y[0] - t.sin()) * this.0 + t.cos()]);

/// A release: what drives grows with time, and what holds gives way ever faster, as friction does whose level falls
/// as a root of the speed. y = qt² with 2q = a + c√q, and the rate of growth is infinite at the start.
struct Release;
const PULL: f64 = 0.01;
equations!(Release, 1, |_this, t, y| [(y[0].abs() + 1e-24).sqrt() + PULL * t]);

struct Oscillator;
equations!(Oscillator, 2, |_this, _t, y| [y[1], -y[0]]);

fn solve<Sys: System<Mode = ()>, M: Method<Sys>>(
    system: &Sys,
    method: M,
    y: &[f64],
    end: f64,
    options: Options<M::Storage>,
) -> Vec<f64> {
    let mut solver = Solver::new(system, method, 0.0, y, (), options);
    solver.run(system, end).unwrap();
    solver.y().to_vec()
}

fn radau<St: Storage, Sys: System>(system: &Sys) -> Radau<St> {
    Radau::new(system)
}

fn nine<St: Storage, Sys: System>(system: &Sys) -> Radau<St> {
    Radau::of_order(system, Order::Nine)
}

fn explicit<St: Storage, Sys: System>(system: &Sys) -> DormandPrince<St> {
    DormandPrince::new(system)
}

fn relative(a: f64, b: f64) -> f64 {
    (a / b - 1.0).abs()
}

/// Test Set for IVP Solvers (Mazzia, Magherini), problem ROBER: reference at t = 1e11.
#[test]
fn robertson_reaches_its_published_end() {
    let options = Options::new(1e-10, &[1e-14, 1e-20, 1e-14]);
    let y = solve(&Robertson, radau::<Stack<3>, _>(&Robertson), &[1.0, 0.0, 0.0], 1e11, options);
    let expected = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050];
    for i in 0..3 {
        assert!(relative(y[i], expected[i]) < 1e-8, "{y:?}");
    }
}

/// Test Set for IVP Solvers, problem VDPOL: reference at t = 2.
#[test]
fn van_der_pol_reaches_its_published_end() {
    let options = Options::new(1e-10, &[1e-10; 2]);
    let y = solve(&VanDerPol, radau::<Heap, _>(&VanDerPol), &[2.0, 0.0], 2.0, options);
    let expected = [0.1706167732170483e1, -0.8928097010247975];
    for i in 0..2 {
        assert!(relative(y[i], expected[i]) < 1e-9, "{y:?}");
    }
}

#[test]
fn prothero_robinson_follows_the_sine_at_any_stiffness() {
    for lambda in [-1.0, -1e3, -1e6, -1e9] {
        let (system, options) = (ProtheroRobinson(lambda), Options::new(1e-9, &[1e-9]));
        let y = solve(&system, radau::<Stack<1>, _>(&system), &[0.0], 1.5, options);
        assert!((y[0] - 1.5f64.sin()).abs() < 1e-8, "λ = {lambda}: {}", y[0]);
    }
}

/// The error against the length of equal steps, whose size only `max_step` sets.
/// Implicit methods damp what grows faster than a step can tell: such steps are not taken. (What a step is off by
/// grows with t itself: a hundredfold from the first hundredth on.)
#[test]
fn what_grows_is_resolved_at_any_rate() {
    let root = (1.0 + (1.0 + 8.0 * PULL).sqrt()) / 4.0;
    for rtol in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
        let options = Options::new(rtol, &[1e-3 * rtol]);
        let method = radau::<Stack<1, 0>, _>(&Release);
        let y = solve(&Release, method, &[0.0], 3.0, options);
        let exact = 9.0 * root * root;
        assert!(relative(y[0], exact) < 100.0 * rtol, "{rtol:e}: {} for {exact}", y[0]);
    }
}

fn order<M: Method<Oscillator>>(method: M, steps: [f64; 2]) -> f64 {
    let errors = steps.map(|n| {
        let h = 2.0 / n;
        let options = Options { max_step: h, first_step: Some(h), ..Options::new(1.0, &[1e3; 2]) };
        let y = solve(&Oscillator, method.clone(), &[0.0, 1.0], 2.0, options);
        (y[0] - 2f64.sin()).hypot(y[1] - 2f64.cos())
    });
    (errors[0] / errors[1]).ln() / (steps[1] / steps[0]).ln()
}

#[test]
fn both_methods_have_order_five() {
    let implicit = order(radau::<Stack<2>, _>(&Oscillator), [10.0, 20.0]);
    assert!((implicit - 5.0).abs() < 0.15, "Radau: {implicit}");
    let pair = order(explicit::<Stack<2>, _>(&Oscillator), [10.0, 20.0]);
    assert!((pair - 5.0).abs() < 0.2, "Dormand-Prince: {pair}");
}

#[test]
fn five_stages_have_order_nine() {
    let order = order(nine::<Stack<2>, _>(&Oscillator), [2.0, 4.0]);
    assert!((order - 9.0).abs() < 0.3, "{order}");
}

/// Stiffly accurate: at equal steps of 0.1 the error does not grow with stiffness.
#[test]
fn prothero_robinson_is_followed_at_equal_steps_of_order_nine() {
    for lambda in [-1e2, -1e4, -1e6, -1e8] {
        let system = ProtheroRobinson(lambda);
        let options =
            Options { max_step: 0.1, first_step: Some(0.1), ..Options::new(1e-5, &[1e-5]) };
        let y = solve(&system, nine::<Stack<1>, _>(&system), &[0.0], 1.5, options);
        assert!((y[0] - 1.5f64.sin()).abs() < 1e-11, "λ = {lambda}: {}", y[0]);
    }
}

/// y = tᵏ in one step of five stages: exact at its end up to k = 9, and within it up to k = 6.
#[test]
fn one_step_of_order_nine_is_exact_for_polynomials() {
    struct Power(i32);
    equations!(Power, 1, |this, t, _y| [S::from(f64::from(this.0) * t.powi(this.0 - 1))]);
    for k in 1..=10 {
        let system = Power(k);
        let options = Options { first_step: Some(1.0), ..Options::new(1.0, &[1e3]) };
        let mut solver =
            Solver::new(&system, nine::<Stack<1>, _>(&system), 0.0, &[0.0], (), options);
        assert_eq!(solver.advance(&system, 1.0).unwrap(), Reached::End);
        let end = (solver.y()[0] - 1.0).abs();
        assert_eq!(end < 4e-15, k <= 9, "t^{k}: off by {end:e} at the end");
        let mut y = [0.0];
        solver.dense().at(0.3, &mut y);
        let within = (y[0] - 0.3f64.powi(k)).abs();
        assert_eq!(within < 4e-15, k <= 6, "t^{k}: off by {within:e} within the step");
    }
}

/// The polynomial over a step has order 4 in both.
#[test]
fn dense_output_has_its_order() {
    fn error<M: Method<Oscillator>>(method: M, h: f64) -> f64 {
        let options = Options { max_step: h, first_step: Some(h), ..Options::new(1.0, &[1e3; 2]) };
        let mut solver = Solver::new(&Oscillator, method, 0.0, &[0.0, 1.0], (), options);
        let mut worst = 0.0f64;
        let mut y = [0.0; 2];
        while solver.advance(&Oscillator, 1.0).unwrap() != Reached::End {
            let dense = solver.dense();
            for k in 1..10 {
                let t = dense.start() + (dense.end() - dense.start()) * f64::from(k) / 10.0;
                dense.at(t, &mut y);
                worst = worst.max((y[0] - t.sin()).abs());
            }
        }
        worst
    }
    let implicit = [0.1, 0.05].map(|h| error(radau::<Stack<2>, _>(&Oscillator), h));
    assert!((implicit[0] / implicit[1]).log2() > 4.7, "{implicit:?}");
    let pair = [0.1, 0.05].map(|h| error(explicit::<Stack<2>, _>(&Oscillator), h));
    assert!((pair[0] / pair[1]).log2() > 4.7, "{pair:?}");
}

#[test]
fn tolerances_are_kept() {
    for exponent in [4, 6, 8, 10] {
        let tol = 10f64.powi(-exponent);
        let options = Options::<Heap>::new(tol, &[tol; 2]);
        let exact = (20f64.sin(), 20f64.cos());
        for y in [
            solve(&Oscillator, radau(&Oscillator), &[0.0, 1.0], 20.0, options.clone()),
            solve(&Oscillator, explicit(&Oscillator), &[0.0, 1.0], 20.0, options),
        ] {
            let error = (y[0] - exact.0).hypot(y[1] - exact.1);
            assert!(error < 100.0 * tol, "{error:e} at {tol:e}");
        }
    }
}

/// Bit for bit the same on the stack and on the heap.
#[test]
fn storage_does_not_change_a_digit() {
    let (atol, y) = ([1e-14, 1e-20, 1e-14], [1.0, 0.0, 0.0]);
    let on_stack = radau::<Stack<3>, _>(&Robertson);
    let stack = solve(&Robertson, on_stack, &y, 1e3, Options::new(1e-10, &atol));
    let on_heap = radau::<Heap, _>(&Robertson);
    let heap = solve(&Robertson, on_heap, &y, 1e3, Options::new(1e-10, &atol));
    assert_eq!(stack, heap);
}

/// A body thrown up under g = 2: height 2t − t². Its mode is on which side of two levels it is and which
/// way it goes.
struct Thrown {
    levels: [f64; 2],
}
impl System for Thrown {
    type Mode = [f64; 3];
    fn states(&self) -> usize {
        2
    }
    fn rates(&self, _mode: &[f64; 3], _t: f64, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&[y[1], -2.0]);
    }
    fn slopes(&self, _mode: &[f64; 3], _t: f64, y: &[Slope], dy: &mut [Slope]) {
        dy.copy_from_slice(&[y[1], Slope::from(-2.0)]);
    }
    fn guards(&self) -> usize {
        3
    }
    fn watch(&self, mode: &[f64; 3], _t: f64, y: &[f64], guards: &mut [f64]) {
        let values = [y[0] - self.levels[0], y[0] - self.levels[1], y[1]];
        (0..3).for_each(|i| guards[i] = mode[i] * values[i]);
    }
    fn next(&self, mode: &mut [f64; 3], _t: f64, _y: &mut [f64], cause: Cause<'_>) {
        let Cause::Guards(fired) = cause else { return };
        (0..3).filter(|i| fired[*i]).for_each(|i| mode[i] = -mode[i]);
    }
}

fn events<M: Method<Thrown>>(system: &Thrown, method: M, end: f64) -> Vec<(usize, f64)> {
    let options = Options::new(1e-10, &[1e-12; 2]);
    let sides = system.levels.map(|level| if level > 0.0 { -1.0 } else { 1.0 });
    let mode = [sides[0], sides[1], 1.0];
    let mut solver = Solver::new(system, method, 0.0, &[0.0, 2.0], mode, options);
    let mut found = Vec::new();
    loop {
        let reached = solver.advance(system, end).unwrap();
        found.extend((0..3).filter(|i| solver.fired()[*i]).map(|i| (i, solver.t())));
        if reached == Reached::End {
            return found;
        }
    }
}

type Room = Stack<2, 3>;

#[test]
fn events_are_landed_on_to_the_last_digit_of_time() {
    let system = Thrown { levels: [0.5, -8.0] };
    for found in [
        events(&system, radau::<Room, _>(&system), 5.0),
        events(&system, explicit::<Room, _>(&system), 5.0),
    ] {
        let half = 0.5f64.sqrt();
        let expected = [(0, 1.0 - half), (2, 1.0), (0, 1.0 + half), (1, 4.0)];
        assert_eq!(found.len(), 4, "{found:?}");
        for ((index, t), (i, exact)) in found.iter().zip(expected) {
            assert_eq!(*index, i);
            assert!((t - exact).abs() < 4e-15 * exact.max(1.0), "event {i}: {t} not {exact}");
        }
    }
}

/// A guard that is zero at the start does not fire there, and fires once when it returns.
#[test]
fn an_event_at_the_start_does_not_fire_twice() {
    let system = Thrown { levels: [0.0, 9.0] };
    let found: Vec<_> = events(&system, radau::<Room, _>(&system), 3.0);
    let found: Vec<_> = found.into_iter().filter(|e| e.0 == 0).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].1 - 2.0).abs() < 1e-14);
}

#[test]
fn several_events_at_once_are_all_told() {
    let system = Thrown { levels: [0.75, 0.75] };
    let found = events(&system, radau::<Room, _>(&system), 0.9);
    assert_eq!(found.iter().map(|e| e.0).collect::<Vec<_>>(), [0, 1], "{found:?}");
    assert_eq!(found[0].1, found[1].1);
}

/// Many bodies that begin at rest and fall, each at a rate of its own, with the distance that each covers: y′ = −a,
/// w′ = |y|, where |y| is told by the side of zero that the mode has.
struct Falling;
const BODIES: usize = 60;
fn fall(i: usize) -> f64 {
    1.0 + 0.37 * (i as f64).sin()
}
impl System for Falling {
    type Mode = [f64; BODIES];
    fn states(&self) -> usize {
        2 * BODIES
    }
    fn rates(&self, mode: &Self::Mode, _t: f64, y: &[f64], dy: &mut [f64]) {
        for i in 0..BODIES {
            (dy[2 * i], dy[2 * i + 1]) = (-fall(i), mode[i] * y[2 * i]);
        }
    }
    fn slopes(&self, mode: &Self::Mode, _t: f64, y: &[Slope], dy: &mut [Slope]) {
        for i in 0..BODIES {
            (dy[2 * i], dy[2 * i + 1]) = (Slope::from(-fall(i)), y[2 * i] * mode[i]);
        }
    }
    fn guards(&self) -> usize {
        BODIES
    }
    fn watch(&self, mode: &Self::Mode, _t: f64, y: &[f64], guards: &mut [f64]) {
        (0..BODIES).for_each(|i| guards[i] = mode[i] * y[2 * i]);
    }
    fn next(&self, mode: &mut Self::Mode, _t: f64, _y: &mut [f64], cause: Cause<'_>) {
        let Cause::Guards(fired) = cause else { return };
        (0..BODIES).filter(|i| fired[*i]).for_each(|i| mode[i] = -mode[i]);
    }
}

/// Of many guards that fall from zero side by side none hides behind what the landings before it missed.
#[test]
fn many_events_side_by_side_are_all_seen() {
    let options = Options::new(1e-9, &[1e-9; 2 * BODIES]);
    let (y, mode) = ([0.0; 2 * BODIES], [1.0; BODIES]);
    let mut solver = Solver::new(&Falling, radau::<Heap, _>(&Falling), 0.0, &y, mode, options);
    solver.run(&Falling, 1.0).unwrap();
    for i in 0..BODIES {
        let off = solver.y()[2 * i + 1] - 0.5 * fall(i);
        assert!(off.abs() < 1e-11, "body {i}: {off:e}");
    }
}

/// A mode that begins with a guard below zero ends at once.
#[test]
fn a_guard_below_zero_fires_at_once() {
    let system = Thrown { levels: [-1.0, 9.0] };
    let options = Options::new(1e-10, &[1e-12; 2]);
    let method = radau::<Room, _>(&system);
    let mut solver = Solver::new(&system, method, 0.0, &[0.0, 2.0], [-1.0, -1.0, 1.0], options);
    assert_eq!(solver.advance(&system, 1.0).unwrap(), Reached::Event);
    assert_eq!((solver.t(), solver.mode()[0], solver.step_mode()[0]), (0.0, 1.0, -1.0));
}

/// The oscillator crosses zero at multiples of π, hundreds of times.
struct Crossings;
impl System for Crossings {
    type Mode = f64;
    fn states(&self) -> usize {
        2
    }
    fn rates(&self, _mode: &f64, t: f64, y: &[f64], dy: &mut [f64]) {
        Oscillator.rhs(t, y, dy);
    }
    fn slopes(&self, _mode: &f64, t: f64, y: &[Slope], dy: &mut [Slope]) {
        Oscillator.rhs(t, y, dy);
    }
    fn guards(&self) -> usize {
        1
    }
    fn watch(&self, mode: &f64, _t: f64, y: &[f64], guards: &mut [f64]) {
        guards[0] = mode * y[0];
    }
    fn next(&self, mode: &mut f64, _t: f64, _y: &mut [f64], _cause: Cause<'_>) {
        *mode = -*mode;
    }
}

#[test]
fn long_runs_lose_no_event() {
    crossings_are_located(explicit::<Stack<2, 1>, _>(&Crossings));
    crossings_are_located(radau::<Stack<2, 1>, _>(&Crossings));
    crossings_are_located(nine::<Stack<2, 1>, _>(&Crossings));
}

fn crossings_are_located<M: Method<Crossings, Storage = Stack<2, 1>>>(method: M) {
    let options = Options::new(1e-11, &[1e-12; 2]);
    let mut solver = Solver::new(&Crossings, method, 0.0, &[0.0, 1.0], 1.0, options);
    let mut times = Vec::new();
    loop {
        match solver.advance(&Crossings, 500.0).unwrap() {
            Reached::Step => {}
            Reached::Event => times.push(solver.t()),
            Reached::End => break,
        }
    }
    assert_eq!(times.len(), 159);
    for (k, t) in times.iter().enumerate() {
        let exact = PI * (k + 1) as f64;
        assert!((t - exact).abs() < 1e-8, "{t} {exact}");
    }
}

/// A clone taken anywhere goes on as the run itself does, and neither disturbs the other.
#[test]
fn a_run_that_is_saved_goes_on_with_the_same_bits() {
    let options = Options::new(1e-9, &[1e-9; 2]);
    let method = radau::<Heap, _>(&Crossings);
    let mut solver = Solver::new(&Crossings, method, 0.0, &[0.0, 1.0], 1.0, options);
    for _ in 0..57 {
        solver.advance(&Crossings, 100.0).unwrap();
    }
    let mut saved = solver.clone();
    solver.run(&Crossings, 100.0).unwrap();
    saved.run(&Crossings, 100.0).unwrap();
    assert_eq!(solver.y(), saved.y());
    assert_eq!(solver.statistics(), saved.statistics());
}

/// A guard so flat that rounding hides its zero: y₀ rises by 1e-7 per second through a level between two
/// neighbouring numbers. Wherever the solver lands, the state is that of the time.
#[test]
fn where_rounding_hides_the_event_state_and_time_still_agree() {
    struct Flat;
    impl System for Flat {
        type Mode = bool;
        fn states(&self) -> usize {
            2
        }
        fn rates(&self, _mode: &bool, t: f64, _y: &[f64], dy: &mut [f64]) {
            dy.copy_from_slice(&[1e-7 * (1.0 + 0.1 * t.sin()), 1.0]);
        }
        fn slopes(&self, _mode: &bool, _t: f64, _y: &[Slope], dy: &mut [Slope]) {
            dy.fill(Slope::from(0.0));
        }
        fn guards(&self) -> usize {
            1
        }
        fn watch(&self, below: &bool, _t: f64, y: &[f64], guards: &mut [f64]) {
            guards[0] = if *below { (1.0 - y[0]) - 1e-16 } else { 1.0 };
        }
        fn next(&self, below: &mut bool, _t: f64, _y: &mut [f64], _cause: Cause<'_>) {
            *below = false;
        }
    }
    fn check<M: Method<Flat>>(method: M) {
        let options = Options::new(1e-11, &[1e-12; 2]);
        let mut solver = Solver::new(&Flat, method, 0.0, &[1.0 - 1e-7, 0.0], true, options);
        while solver.advance(&Flat, 10.0).unwrap() != Reached::Event {
            assert!(solver.t() < 10.0, "no event");
        }
        // t + 0.1(1 − cos t) = 1
        let t = solver.t();
        assert!((t - 0.957_552).abs() < 1e-6, "{t}");
        assert!((solver.y()[1] - t).abs() < 1e-14, "{} {t}", solver.y()[1]);
        let mut y = [0.0; 2];
        solver.dense().at(t, &mut y);
        assert!((y[1] - t).abs() < 1e-14);
    }
    check(radau::<Stack<2, 1>, _>(&Flat));
    check(explicit::<Stack<2, 1>, _>(&Flat));
}

/// A chain of masses and springs, closed to a ring: its Jacobian has four entries in a row of a
/// hundred, and its motion keeps its energy.
#[test]
fn a_long_chain_is_solved_by_its_structure() {
    struct Ring(usize);
    impl Ring {
        fn rhs<S: Real>(&self, y: &[S], dy: &mut [S]) {
            let n = self.0;
            let (x, v) = y.split_at(n);
            for i in 0..n {
                dy[i] = v[i];
                dy[n + i] = x[(i + 1) % n] - x[i] * 2.0 + x[(i + n - 1) % n];
            }
        }
    }
    impl System for Ring {
        type Mode = ();
        fn states(&self) -> usize {
            2 * self.0
        }
        fn rates(&self, _mode: &(), _t: f64, y: &[f64], dy: &mut [f64]) {
            self.rhs(y, dy);
        }
        fn slopes(&self, _mode: &(), _t: f64, y: &[Slope], dy: &mut [Slope]) {
            self.rhs(y, dy);
        }
        fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
            let n = self.0;
            match k.checked_sub(n) {
                None => on(n + k),
                Some(i) => [i, (i + 1) % n, (i + n - 1) % n].into_iter().for_each(on),
            }
        }
    }
    /// The same with all entries.
    struct Dense(Ring);
    impl Equations for Dense {
        fn states(&self) -> usize {
            2 * self.0.0
        }
        fn rhs<S: Real>(&self, _t: f64, y: &[S], dy: &mut [S]) {
            self.0.rhs(y, dy);
        }
    }
    let n = 50;
    let mut y = vec![0.0; 2 * n];
    y[n / 2] = 1.0;
    let ring = Ring(n);
    let atol = vec![1e-9; 2 * n];
    let sparse = solve(&ring, radau::<Heap, _>(&ring), &y, 10.0, Options::new(1e-9, &atol));
    let dense = Dense(ring);
    let full = solve(&dense, radau::<Heap, _>(&dense), &y, 10.0, Options::new(1e-9, &atol));
    for (a, b) in sparse.iter().zip(&full) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    let (x, v) = sparse.split_at(n);
    let springs: f64 = (0..n).map(|i| (x[(i + 1) % n] - x[i]).powi(2)).sum();
    let energy = 0.5 * (springs + v.iter().map(|v| v * v).sum::<f64>());
    assert!((energy - 1.0).abs() < 1e-7, "{energy}");
}

/// A jump that is not declared as an event: the solver says where it failed.
#[test]
fn a_run_that_cannot_go_on_says_when_which_state_and_why() {
    struct Explosion;
    equations!(Explosion, 2, |_this, _t, y| [S::from(1.0), y[1] * y[1]]);
    let options = Options::new(1e-8, &[1e-8; 2]);
    let method = radau::<Stack<2>, _>(&Explosion);
    let mut solver = Solver::new(&Explosion, method, 0.0, &[0.0, 1.0], (), options);
    let failure = solver.run(&Explosion, 2.0).unwrap_err();
    assert!((failure.t - 1.0).abs() < 1e-6 && failure.state == 1, "{failure:?}");
    assert!(matches!(failure.why, Why::StepTooSmall | Why::NotFinite));
    assert!(failure.to_string().contains("state 1"), "{failure}");

    let few = Options { max_steps: 10, ..Options::new(1e-8, &[1e-8; 2]) };
    let method = explicit::<Stack<2>, _>(&Oscillator);
    let mut solver = Solver::new(&Oscillator, method, 0.0, &[0.0, 1.0], (), few);
    let failure = solver.run(&Oscillator, 1e3).unwrap_err();
    assert!(failure.to_string().starts_with("10 steps were not enough: t = "), "{failure}");
}
