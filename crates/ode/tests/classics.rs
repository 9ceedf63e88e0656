//! Published end values, orders of convergence, and events with closed forms.
use bristle_num::Real;
use bristle_ode::{Crossing, DormandPrince, Method, Options, Radau, Reached, Solver, System, Why};
use std::f64::consts::PI;

/// H. H. Robertson (1966), three reactions over eleven decades of time.
struct Robertson;
impl System<3> for Robertson {
    fn rhs<S: Real>(&self, _t: f64, y: &[S; 3]) -> [S; 3] {
        let (a, b, c) = (y[0] * 0.04, y[1] * y[2] * 1e4, y[1] * y[1] * 3e7);
        [b - a, a - b - c, c]
    }
}

/// Van der Pol's oscillator, ε = 1e-6.
struct VanDerPol;
impl System<2> for VanDerPol {
    fn rhs<S: Real>(&self, _t: f64, y: &[S; 2]) -> [S; 2] {
        [y[1], ((-(y[0] * y[0]) + 1.0) * y[1] - y[0]) / 1e-6]
    }
}

/// A. Prothero, A. Robinson (1974): y = sin t whatever λ.
struct ProtheroRobinson(f64);
impl System<1> for ProtheroRobinson {
    fn rhs<S: Real>(&self, t: f64, y: &[S; 1]) -> [S; 1] {
        [(y[0] - t.sin()) * self.0 + t.cos()]
    }
}

struct Oscillator;
impl System<2> for Oscillator {
    fn rhs<S: Real>(&self, _t: f64, y: &[S; 2]) -> [S; 2] {
        [y[1], -y[0]]
    }
}

fn solve<Sys: System<N>, M: Method<N>, const N: usize>(
    system: &Sys,
    method: M,
    y: [f64; N],
    end: f64,
    options: Options<N>,
) -> [f64; N] {
    let mut solver = Solver::new(system, method, 0.0, y, options);
    solver.run(end).unwrap();
    *solver.y()
}

fn relative(a: f64, b: f64) -> f64 {
    (a / b - 1.0).abs()
}

/// Test Set for IVP Solvers (Mazzia, Magherini), problem ROBER: reference at t = 1e11.
#[test]
fn robertson_reaches_its_published_end() {
    let options = Options::new(1e-10, [1e-14, 1e-20, 1e-14]);
    let y = solve(&Robertson, Radau::new(), [1.0, 0.0, 0.0], 1e11, options);
    let expected = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050];
    for i in 0..3 {
        assert!(relative(y[i], expected[i]) < 1e-8, "{y:?}");
    }
}

/// Test Set for IVP Solvers, problem VDPOL: reference at t = 2.
#[test]
fn van_der_pol_reaches_its_published_end() {
    let options = Options::new(1e-10, [1e-10; 2]);
    let y = solve(&VanDerPol, Radau::new(), [2.0, 0.0], 2.0, options);
    let expected = [0.1706167732170483e1, -0.8928097010247975];
    for i in 0..2 {
        assert!(relative(y[i], expected[i]) < 1e-9, "{y:?}");
    }
}

#[test]
fn prothero_robinson_follows_the_sine_at_any_stiffness() {
    for lambda in [-1.0, -1e3, -1e6, -1e9] {
        let options = Options::new(1e-9, [1e-9]);
        let y = solve(&ProtheroRobinson(lambda), Radau::new(), [0.0], 1.5, options);
        assert!((y[0] - 1.5f64.sin()).abs() < 1e-8, "λ = {lambda}: {}", y[0]);
    }
}

/// The error against the length of equal steps, whose size only `max_step` sets.
fn order<M: Method<2>>(method: impl Fn() -> M, steps: [f64; 2]) -> f64 {
    let errors = steps.map(|n| {
        let h = 2.0 / n;
        let options = Options { max_step: h, first_step: Some(h), ..Options::new(1.0, [1e3; 2]) };
        let y = solve(&Oscillator, method(), [0.0, 1.0], 2.0, options);
        (y[0] - 2f64.sin()).hypot(y[1] - 2f64.cos())
    });
    (errors[0] / errors[1]).ln() / (steps[1] / steps[0]).ln()
}

#[test]
fn both_methods_have_order_five() {
    let radau = order(Radau::new, [10.0, 20.0]);
    assert!((radau - 5.0).abs() < 0.15, "Radau: {radau}");
    let explicit = order(DormandPrince::new, [10.0, 20.0]);
    assert!((explicit - 5.0).abs() < 0.2, "Dormand-Prince: {explicit}");
}

/// The polynomial over a step has order 4 in both.
#[test]
fn dense_output_has_its_order() {
    fn error<M: Method<2>>(method: M, h: f64) -> f64 {
        let options = Options { max_step: h, first_step: Some(h), ..Options::new(1.0, [1e3; 2]) };
        let mut solver = Solver::new(&Oscillator, method, 0.0, [0.0, 1.0], options);
        let mut worst = 0.0f64;
        while solver.advance(1.0).unwrap() != Reached::End {
            let dense = solver.dense();
            for k in 1..10 {
                let t = dense.start() + (dense.end() - dense.start()) * f64::from(k) / 10.0;
                worst = worst.max((dense.at(t)[0] - t.sin()).abs());
            }
        }
        worst
    }
    let radau = (error(Radau::new(), 0.1) / error(Radau::new(), 0.05)).log2();
    assert!(radau > 4.7, "{radau}");
    let explicit = (error(DormandPrince::new(), 0.1) / error(DormandPrince::new(), 0.05)).log2();
    assert!(explicit > 4.7, "{explicit}");
}

#[test]
fn tolerances_are_kept() {
    for exponent in [4, 6, 8, 10] {
        let tol = 10f64.powi(-exponent);
        let options = Options::new(tol, [tol; 2]);
        let exact = (20f64.sin(), 20f64.cos());
        for y in [
            solve(&Oscillator, Radau::new(), [0.0, 1.0], 20.0, options),
            solve(&Oscillator, DormandPrince::new(), [0.0, 1.0], 20.0, options),
        ] {
            let error = (y[0] - exact.0).hypot(y[1] - exact.1);
            assert!(error < 100.0 * tol, "{error:e} at {tol:e}");
        }
    }
}

/// A body thrown up under g = 2: height 2t − t², and events at its height and velocity.
struct Thrown {
    levels: [f64; 2],
    crossing: Crossing,
}
impl System<2> for Thrown {
    fn rhs<S: Real>(&self, _t: f64, y: &[S; 2]) -> [S; 2] {
        [y[1], S::from(-2.0)]
    }
    fn events(&self) -> usize {
        3
    }
    fn event(&self, i: usize, _t: f64, y: &[f64; 2]) -> f64 {
        if i == 2 { y[1] } else { y[0] - self.levels[i] }
    }
    fn crossing(&self, i: usize) -> Crossing {
        if i == 0 { self.crossing } else { Crossing::Both }
    }
}

fn events<M: Method<2>>(system: &Thrown, method: M, end: f64) -> Vec<(usize, f64, bool)> {
    let options = Options::new(1e-10, [1e-12; 2]);
    let mut solver = Solver::new(system, method, 0.0, [0.0, 2.0], options);
    let mut found = Vec::new();
    loop {
        match solver.advance(end).unwrap() {
            Reached::Step => {}
            Reached::End => return found,
            Reached::Event(event) => {
                for i in 0..3 {
                    if solver.fired(i) {
                        found.push((i, event.t, event.rising));
                    }
                }
                solver.restart(*solver.y());
            }
        }
    }
}

#[test]
fn events_are_landed_on_to_the_last_digit_of_time() {
    let system = Thrown { levels: [0.5, -8.0], crossing: Crossing::Both };
    for found in [events(&system, Radau::new(), 5.0), events(&system, DormandPrince::new(), 5.0)] {
        let half = 0.5f64.sqrt();
        let expected = [(0, 1.0 - half), (2, 1.0), (0, 1.0 + half), (1, 4.0)];
        assert_eq!(found.len(), 4, "{found:?}");
        for ((index, t, _), (i, exact)) in found.iter().zip(expected) {
            assert_eq!(*index, i);
            assert!((t - exact).abs() < 4e-15 * exact.max(1.0), "event {i}: {t} not {exact}");
        }
    }
}

#[test]
fn the_direction_of_a_crossing_is_respected() {
    let rising = Thrown { levels: [0.5, 9.0], crossing: Crossing::Rising };
    let falling = Thrown { levels: [0.5, 9.0], crossing: Crossing::Falling };
    let of = |system: &Thrown| -> Vec<_> {
        events(system, Radau::new(), 2.0).into_iter().filter(|e| e.0 == 0).collect()
    };
    assert!(matches!(of(&rising)[..], [(0, t, true)] if t < 1.0));
    assert!(matches!(of(&falling)[..], [(0, t, false)] if t > 1.0));
}

/// An event function that is zero at the start does not fire there, and fires once when it returns.
#[test]
fn an_event_at_the_start_does_not_fire_twice() {
    let system = Thrown { levels: [0.0, 9.0], crossing: Crossing::Both };
    let found: Vec<_> =
        events(&system, Radau::new(), 3.0).into_iter().filter(|e| e.0 == 0).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].1 - 2.0).abs() < 1e-14);
}

#[test]
fn several_events_at_once_are_all_told() {
    let system = Thrown { levels: [0.75, 0.75], crossing: Crossing::Both };
    let found = events(&system, Radau::new(), 0.9);
    assert_eq!(found.iter().map(|e| e.0).collect::<Vec<_>>(), [0, 1], "{found:?}");
    assert_eq!(found[0].1, found[1].1);
}

/// The pendulum-like oscillator crosses zero at multiples of π, hundreds of times.
#[test]
fn long_runs_lose_no_event() {
    struct Crossings;
    impl System<2> for Crossings {
        fn rhs<S: Real>(&self, t: f64, y: &[S; 2]) -> [S; 2] {
            Oscillator.rhs(t, y)
        }
        fn events(&self) -> usize {
            1
        }
        fn event(&self, _i: usize, _t: f64, y: &[f64; 2]) -> f64 {
            y[0]
        }
    }
    let options = Options::new(1e-11, [1e-12; 2]);
    let mut solver = Solver::new(&Crossings, DormandPrince::new(), 0.0, [0.0, 1.0], options);
    let mut times = Vec::new();
    loop {
        match solver.advance(500.0).unwrap() {
            Reached::Step => {}
            Reached::Event(event) => times.push(event.t),
            Reached::End => break,
        }
    }
    assert_eq!(times.len(), 159);
    for (k, t) in times.iter().enumerate() {
        let exact = PI * (k + 1) as f64;
        assert!((t - exact).abs() < 1e-8, "{t} {exact}");
    }
}

/// An event function so flat that rounding hides its zero: y₀ rises by 1e-7 per second through a
/// level between two neighbouring numbers. Wherever the solver lands, the state is that of the time.
#[test]
fn where_rounding_hides_the_event_state_and_time_still_agree() {
    struct Flat;
    impl System<2> for Flat {
        fn rhs<S: Real>(&self, t: f64, _y: &[S; 2]) -> [S; 2] {
            [S::from(1e-7 * (1.0 + 0.1 * t.sin())), S::from(1.0)]
        }
        fn events(&self) -> usize {
            1
        }
        fn event(&self, _i: usize, _t: f64, y: &[f64; 2]) -> f64 {
            (y[0] - 1.0) + 1e-16
        }
    }
    fn check<M: Method<2>>(method: M) {
        let options = Options::new(1e-11, [1e-12; 2]);
        let mut solver = Solver::new(&Flat, method, 0.0, [1.0 - 1e-7, 0.0], options);
        let event = loop {
            match solver.advance(10.0).unwrap() {
                Reached::Step => {}
                Reached::Event(event) => break event,
                Reached::End => panic!("no event"),
            }
        };
        // t + 0.1(1 − cos t) = 1
        assert!((event.t - 0.957_552).abs() < 1e-6, "{}", event.t);
        assert_eq!(event.t, solver.t());
        assert!((solver.y()[1] - event.t).abs() < 1e-14, "{} {}", solver.y()[1], event.t);
        assert!((solver.dense().at(event.t)[1] - event.t).abs() < 1e-14);
    }
    check(Radau::new());
    check(DormandPrince::new());
}

/// A jump that is not declared as an event: the solver says where it failed.
#[test]
fn a_run_that_cannot_go_on_says_when_which_state_and_why() {
    struct Explosion;
    impl System<2> for Explosion {
        fn rhs<S: Real>(&self, _t: f64, y: &[S; 2]) -> [S; 2] {
            [S::from(1.0), y[1] * y[1]]
        }
    }
    let options = Options::new(1e-8, [1e-8; 2]);
    let mut solver = Solver::new(&Explosion, Radau::new(), 0.0, [0.0, 1.0], options);
    let failure = solver.run(2.0).unwrap_err();
    assert!((failure.t - 1.0).abs() < 1e-6 && failure.state == 1, "{failure:?}");
    assert!(matches!(failure.why, Why::StepTooSmall | Why::NotFinite));
    assert!(failure.to_string().contains("state 1"), "{failure}");

    let few = Options { max_steps: 10, ..options };
    let failure =
        Solver::new(&Oscillator, DormandPrince::new(), 0.0, [0.0, 1.0], few).run(1e3).unwrap_err();
    assert!(failure.to_string().starts_with("10 steps were not enough: t = "), "{failure}");
}
