//! Periodic motions: closed forms, reference rows, and what waiting would give.
use crate::common;
use crate::common::{frbd, lugre, scalar, set};
use bristle_analysis::System;
use bristle_analysis::break_away::{break_away, static_limit};
use bristle_analysis::linearise::{Point, element};
use bristle_analysis::march::{Begin, march};
use bristle_analysis::periodic::{hysteresis, lag, periodic, presliding};
use bristle_kernel::bristle::Dahl;
use bristle_kernel::law::Coulomb;
use bristle_kernel::{AnyBristle, AnyLaw, Bristle, Start};
use bristle_system::signal::Sine;
use bristle_system::{AnyMechanism, AnySignal, Coupled};
use core::f64::consts::TAU;

fn sine(name: &str, sine: Sine<f64>, values: &[(&str, f64)], friction: AnyBristle<f64>) -> System {
    let mut mechanism = AnyMechanism::named(name, AnySignal::Sine(sine)).unwrap();
    set(&mut mechanism, values);
    Coupled::new(mechanism, friction)
}

/// Rows lag_25Hz and lag_50Hz of both models: start, extremes, area and multiplier of the periodic solution.
#[test]
fn lag_loops_are_those_of_the_reference() {
    for (name, model) in [("FrBD1-KV", frbd()), ("LuGre", lugre())] {
        for f in [25.0, 50.0] {
            let found = lag(&model, 1.0, 0.015, 0.014, f, 1e-12).unwrap();
            assert!(found.gap <= 1e-10, "{}", found.gap);
            let cycle = &found.cycle;
            for (quantity, value) in [
                ("z_periodic_at_t0_m", found.begin.y[1]),
                ("mu_b_max", cycle.force.max),
                ("mu_b_min", cycle.force.min),
                ("loop_area_int_mub_dv", cycle.lag),
                ("floquet_multiplier", found.multipliers[0].re),
            ] {
                let expected = scalar(&format!("lag_{f}Hz"), name, quantity);
                assert!(
                    (value / expected - 1.0).abs() < 1e-9,
                    "{name} {f} Hz {quantity}: {value}, not {expected}"
                );
            }
        }
    }
}

/// Dahl over Coulomb under x = A sin ωt: the loop does not depend on speed, and its area is
/// 4μNζ(A/ζ − tanh(A/ζ)) with ζ = μ/σ₀.
#[test]
fn the_loop_of_dahls_model_has_its_closed_form() {
    let (mu, sigma0, load) = (0.4, 2e4, 3.0);
    let law = AnyLaw::Coulomb(Coulomb { mu });
    let model = AnyBristle::Dahl(Dahl { sigma0, ..Dahl::start(law) });
    let zeta = mu / sigma0;
    for (amplitude, frequency) in [(5e-6, 1.0), (2e-5, 40.0), (3e-4, 0.2)] {
        let found = hysteresis(&model, load, amplitude, frequency, 1e-12).unwrap();
        let area = 4.0 * mu * load * (amplitude - zeta * (amplitude / zeta).tanh());
        let cycle = &found.cycle;
        assert!(
            (cycle.work / area - 1.0).abs() < 1e-8,
            "{amplitude} m: {} J, not {area}",
            cycle.work
        );
        // Where it turns z = ζ tanh(A/ζ), so that the secant is μN tanh(A/ζ)/A.
        let secant = mu * load * (amplitude / zeta).tanh() / amplitude;
        assert!((cycle.secant_stiffness() / secant - 1.0).abs() < 1e-8);
        // The work is all in the first harmonic of the force, because the motion has no other.
        let damping = cycle.describing_function().im / (TAU * frequency);
        assert!((damping / cycle.equivalent_damping() - 1.0).abs() < 1e-8);
        // The multiplier is what is forgotten over the distance travelled.
        let forgotten = (-4.0 * amplitude / zeta).exp();
        assert!((found.slowest() - forgotten).abs() < 1e-9, "{} {forgotten}", found.slowest());
    }
}

/// The response to a small oscillation about sliding is that of the linearised element, in every model whose force
/// does not depend on where it is. Where a rate bends at the steady state, as α of the elasto-plastic bristle does, the
/// response departs in proportion to the swing: two swings give the limit.
#[test]
fn small_motions_of_every_model_are_those_of_its_linearisation() {
    let mut count = 0;
    for model in common::all().into_iter().filter(|m| !m.positional()) {
        let name = model.info().name;
        let (v, swing, load) = (0.08, 2e-6, 2.0);
        let linear = element(&model, &Point::steady(&model, v, load).unwrap());
        for f in [3.0, 70.0] {
            let response = |swing: f64| {
                let found =
                    lag(&model, load, v, swing, f, 1e-13).unwrap_or_else(|e| panic!("{name}: {e}"));
                // v = … + a sin ωt = … + Re(−i a e^{iωt})
                let amplitude = bristle_analysis::Complex::new(0.0, -swing);
                (found.cycle.force_harmonic() / amplitude, found.cycle.force.max)
            };
            let (near, force) = response(swing);
            let limit = near * 2.0 - response(2.0 * swing).0;
            let expected = linear.response(0, 0, TAU * f);
            // Where a model does not respond at all, nothing is measured against the force over the speed.
            let size = expected.norm().max(1e-3 * force / v);
            let error = (limit - expected).norm() / size;
            assert!(error < 1e-6, "{name} at {f} Hz: {limit}, not {expected}: {error:e}");
        }
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

/// A mass on a spring and a bristle, under a sine that drags it to and fro: found by shooting and by waiting.
#[test]
fn shooting_agrees_with_a_long_simulation() {
    for mut model in [frbd(), lugre()] {
        set(&mut model, &[("law.viscous", 2.0)]);
        let drive = Sine { mean: 0.3, amplitude: 2.0, frequency: 2.0, angle: 0.0 };
        let system = sine("mass", drive, &[("stiffness", 150.0), ("load", 1.0)], model);
        let found = periodic(&system, 0.5, None, 1e-12).unwrap();
        assert!(found.gap <= 1e-10, "{:e}", found.gap);
        let periods = found.periods_to_settle(1e-11).unwrap().ceil();
        assert!(periods < 100.0, "{periods}");
        let (_, end) = march(&system, &Begin::of(&system), 0.5 * periods, 1e-12, &mut ()).unwrap();
        for k in 0..3 {
            let error = (end.y[k] - found.begin.y[k]).abs() / found.begin.y[k].abs();
            assert!(error < 1e-9, "state {k}: {error:e} after {periods} periods");
        }
    }
}

/// A valve stem that a ripple of the pressure shakes inside its packing: the bristle forgets where it was so slowly
/// that a thousand periods do not settle it; shooting needs a few.
#[test]
fn a_stem_that_does_not_settle_in_a_thousand_periods_is_found() {
    let mut model = frbd();
    let packing = [
        ("sigma0", 6.82e7),
        ("sigma1", 701.97),
        ("law.mu_d", 39.73),
        ("law.mu_s", 59.86),
        ("law.v_s", 6.42e-3),
        ("law.viscous", 2.97e3),
    ];
    set(&mut model, &packing);
    let drive = Sine { mean: 50.0, amplitude: 0.02, frequency: 5.0, angle: 0.0 };
    let system = sine("valve", drive, &[("lag", 0.425)], model);
    // It begins with a bristle that an earlier stroke left deflected.
    let mut begin = Begin::of(&system);
    begin.y[3] = 6e-7;
    begin.y[0] -= 6.82e7 * 6e-7 / 203_495.8;
    let found = periodic(&system, 0.2, Some(&begin), 1e-12).unwrap();
    assert!(found.gap <= 1e-10 && found.iterations <= 12, "{:e} {}", found.gap, found.iterations);
    let periods = found.periods_to_settle(1e-3).unwrap();
    assert!(periods > 1000.0, "{periods}");
    let (_, waited) = march(&system, &begin, 0.2 * 1000.0, 1e-9, &mut ()).unwrap();
    let error = (waited.y[3] - found.begin.y[3]).abs() / found.begin.y[3].abs();
    assert!(error > 1e-3, "settled to {error:e}");
}

/// At rest a Kelvin-Voigt bristle is σ₀N and σ₁N; Maxwell branches stiffen it with frequency.
#[test]
fn presliding_stiffness_and_damping() {
    let [k, c] = presliding(&frbd(), 3.0, 10.0);
    assert!((k - 3e4).abs() < 1e-8 && (c - 193.5).abs() < 1e-10, "{k} {c}");
    let model = AnyBristle::named("frbd_gm", AnyLaw::Stribeck(common::table_2())).unwrap();
    let stiffness = |f: f64| presliding(&model, 1.0, f)[0];
    assert!(stiffness(100.0) > stiffness(0.01) && stiffness(0.01) > 0.0);
}

/// 002 §4: the force at which LuGre breaks away falls with the rate of loading; that of the implicit bristle is
/// the static limit at any rate.
#[test]
fn only_some_models_break_away_at_the_static_limit() {
    let peak = |name: &str, rate: f64| {
        let model = AnyBristle::named(name, AnyLaw::Stribeck(common::table_2())).unwrap();
        break_away(&model, 1.0, 1.0, rate, 1e-9).unwrap().force
    };
    assert!((static_limit(&frbd(), 1.0) - 1.5).abs() < 1e-6);
    for name in ["lugre", "frbd"] {
        let rates = [0.1, 1.0, 10.0, 100.0].map(|rate| peak(name, rate));
        assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{name}: {rates:?}");
        assert!(rates[0] > 1.45 && rates[3] < 1.3, "{name}: {rates:?}");
    }
    for rate in [0.1, 1.0, 10.0, 100.0] {
        let force = peak("implicit", rate);
        assert!((force - 1.5).abs() < 1e-6, "{rate} N/s: {force}");
    }
}
