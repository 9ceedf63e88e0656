//! Stick-slip: reference rows, waiting, and where it ends.
use crate::common;
use crate::common::{frbd, lugre, scalar, set};
use bristle_analysis::limit_cycle::{NoCycle, limit_cycle, vanishing};
use bristle_analysis::march::{Begin, march};
use bristle_analysis::{Sensitivity, System};
use bristle_kernel::{AnyBristle, AnyLaw};
use bristle_system::signal::{Constant, Sine};
use bristle_system::{AnyMechanism, AnySignal, Coupled};

fn drawn(name: &str, speed: f64, friction: AnyBristle<f64>) -> System {
    let drive = AnySignal::Constant(Constant { value: speed });
    let mut mechanism = AnyMechanism::named(name, drive).unwrap();
    set(&mut mechanism, &[("mass", 1.0), ("stiffness", 2.0), ("load", 1.0)]);
    Coupled::new(mechanism, friction)
}

/// 000 (60): 7.6392670260 s and 7.6309183780 s.
#[test]
fn stick_slip_has_the_period_of_the_reference() {
    for (name, model, printed) in
        [("FrBD1-KV", frbd(), 7.639_267_026_0), ("LuGre", lugre(), 7.630_918_378_0)]
    {
        let found = limit_cycle(&drawn("spring_drag", 0.1, model), None, 1e-12).unwrap();
        let row = |quantity: &str| scalar("stickslip_60s", name, quantity);
        assert!((row("period_last_s") - printed).abs() < 1e-10);
        assert!(
            (found.period / row("period_last_s") - 1.0).abs() < 1e-10,
            "{name}: {}",
            found.period
        );
        assert!((found.cycle.v.max / row("peak_velocity_limit_cycle_mps") - 1.0).abs() < 1e-9);
        assert!((found.cycle.force.max / row("max_force_60s_N") - 1.0).abs() < 1e-8);
        assert!(found.gap <= 1e-10, "{:e}", found.gap);
        // It attracts, and a stick forgets nearly everything.
        assert_eq!(found.multipliers.len(), 2);
        assert!(found.multipliers[0].norm() < 0.1, "{:?}", found.multipliers);
        assert!(found.stuck > 0.3 && found.stuck < 0.9, "{}", found.stuck);
        // In the frame of the belt it is the same motion.
        let model = if name == "LuGre" { lugre() } else { frbd() };
        let belt = limit_cycle(&drawn("belt", 0.1, model), None, 1e-12).unwrap();
        assert!((belt.period / found.period - 1.0).abs() < 1e-10, "{}", belt.period);
        assert!((belt.amplitude / found.amplitude - 1.0).abs() < 1e-6);
    }
}

/// What is found repeats, also where a bristle with little damping leaves its branch at once; and the derivative
/// that shooting goes by is that of the run, but for such folds.
#[test]
fn shooting_goes_across_events_and_jumps() {
    for (name, sigma1) in
        [("frbd", 64.5), ("implicit", 64.5), ("implicit", 30.0), ("bristle2", 64.5)]
    {
        let mut model = AnyBristle::named(name, AnyLaw::Stribeck(common::table_2())).unwrap();
        set(&mut model, &[("sigma1", sigma1)]);
        let system = drawn("belt", 0.1, model);
        let found = limit_cycle(&system, None, 1e-10).unwrap_or_else(|e| panic!("{name}: {e}"));
        let after = |begin: &Begin, periods: f64| {
            march(&system, begin, periods * found.period, 1e-11, &mut ()).unwrap().1.y
        };
        let end = after(&found.begin, 3.0);
        for k in 0..2 {
            let error = (end[k] - found.begin.y[k]).abs() / found.begin.y[k].abs();
            assert!(error < 1e-6, "{name}, state {k}: {error:e} after three periods");
        }
        if sigma1 == 30.0 {
            continue;
        }
        // x and v of the end by those of the beginning.
        for j in 0..2 {
            let aside = |by: f64| {
                let mut begin = found.begin.clone();
                begin.y[j] += by;
                after(&begin, 1.0)
            };
            let h = 1e-5;
            let (ahead, behind) = (aside(h), aside(-h));
            for i in 0..2 {
                let slope = (ahead[i] - behind[i]) / (2.0 * h);
                let stated = found.monodromy[(i, j)];
                let size = found.monodromy.column(j).amax();
                assert!(
                    (slope - stated).abs() < 1e-3 * size,
                    "{name} {i}{j}: {slope}, stated {stated}"
                );
            }
        }
        assert!(
            found.multipliers.iter().all(|m| m.norm() < 1.0),
            "{name}: {:?}",
            found.multipliers
        );
    }
}

/// There is a speed above which the belt does not stick; steady sliding is stable already below it.
#[test]
fn stick_slip_ends_at_some_speed() {
    let found = vanishing(&drawn("belt", 0.1, frbd()), 1e-2, 1e-8).unwrap();
    assert!(found.gone / found.there < 1.01, "{found:?}");
    let stable = found.stable_above.unwrap();
    assert!(stable < found.there, "{found:?}");
    let above = limit_cycle(&drawn("belt", 1.05 * found.gone, frbd()), None, 1e-9);
    assert_eq!(above.err(), Some(NoCycle::Settles), "{found:?}");
    limit_cycle(&drawn("belt", 0.95 * found.there, frbd()), None, 1e-9).unwrap();
}

/// Across the jumps of a rate where a body comes to rest, sticks and lets go again, and where it passes teeth.
#[test]
fn the_derivative_of_a_run_goes_through_sticks() {
    let drive = AnySignal::Sine(Sine { mean: 0.0, amplitude: 3.0, frequency: 0.5, angle: 0.3 });
    let sawtooth = AnyBristle::named("sawtooth", AnyLaw::Stribeck(common::table_2())).unwrap();
    let mut mechanism = AnyMechanism::named("mass", drive).unwrap();
    set(&mut mechanism, &[("stiffness", 2.0), ("load", 1.0)]);
    let system = Coupled::new(mechanism, sawtooth);
    let mut begin = Begin::of(&system);
    begin.y = vec![0.0123, 0.01];
    for end in [0.5, 0.9] {
        let mut carried = Sensitivity::new(2);
        march(&system, &begin, end, 1e-12, &mut carried).unwrap();
        for j in 0..2 {
            let aside = |by: f64| {
                let mut begin = begin.clone();
                begin.y[j] += by;
                march(&system, &begin, end, 1e-12, &mut ()).unwrap().1.y
            };
            let h = 1e-7;
            let (ahead, behind) = (aside(h), aside(-h));
            for i in 0..2 {
                let slope = (ahead[i] - behind[i]) / (2.0 * h);
                let stated = carried.matrix[(i, j)];
                assert!(
                    (slope - stated).abs() < 1e-4,
                    "t = {end}, {i}{j}: {slope}, stated {stated}"
                );
            }
        }
    }
}

#[test]
fn what_has_no_limit_cycle_is_refused() {
    let sawtooth = AnyBristle::named("sawtooth", AnyLaw::Stribeck(common::table_2())).unwrap();
    let refused = limit_cycle(&drawn("belt", 0.1, sawtooth), None, 1e-9).err().unwrap();
    assert_eq!(refused, NoCycle::Position);
    let drive = AnySignal::Sine(Sine { mean: 0.1, amplitude: 0.01, frequency: 1.0, angle: 0.0 });
    let driven = Coupled::new(AnyMechanism::named("belt", drive).unwrap(), frbd());
    assert_eq!(limit_cycle(&driven, None, 1e-9).err(), Some(NoCycle::Driven));
}
