//! Small motions: closed forms, reference rows, resonances.
use crate::common;
use crate::common::{frbd, lugre, set, table, table_1, table_2};
use bristle_analysis::linearise::{LinearLine, Point, element, equilibrium, planar, system};
use bristle_analysis::{Complex, System};
use bristle_contact::line::{Along, Bristles, Length, Line, Points, Transport};
use bristle_kernel::bristle::Frbd;
use bristle_kernel::law::{Stribeck, abs_eps};
use bristle_kernel::{AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Bristle, Drive, Law, Start};
use bristle_system::signal::{Constant, Sine};
use bristle_system::{AnyMechanism, AnySignal, Coupled};
use proptest::prelude::*;

fn under(name: &str, value: f64, values: &[(&str, f64)], friction: AnyBristle<f64>) -> System {
    let drive = AnySignal::Constant(Constant { value });
    let mut mechanism = AnyMechanism::named(name, drive).unwrap();
    set(&mut mechanism, values);
    Coupled::new(mechanism, friction)
}

proptest! {
    /// 000 (28)-(32) with the factor z in the last term of (30a), for constant σ₀ and σ₁: then σ₀′ = σ₁′ = 0.
    #[test]
    fn an_element_has_the_closed_forms_of_000(
        v in prop_oneof![-0.5f64..-1e-4, 1e-4f64..0.5], z in -2e-4f64..2e-4, load in 0.1f64..20.0,
        sigma0 in 1e2f64..1e6, sigma1 in 0.0f64..500.0, epsilon in 0.0f64..1e-6,
    ) {
        let law = table_2();
        let model = Frbd { sigma0, sigma1, epsilon, ..Frbd::start(AnyLaw::Stribeck(law)) };
        let at = Drive::new(v, load);
        let model = AnyBristle::Frbd(model);
        let linear = element(&model, &Point::new(&model, at, vec![z]));
        let (mu, speed) = (law.level(v), abs_eps(v, epsilon));
        let (dmu, dspeed) = (law.slope(v) * v.signum(), v / speed);
        let g = sigma1 * speed + mu; // (15)
        let dg = sigma1 * dspeed + dmu;
        let h1 = mu / g * (1.0 - v / g * dg) + v / g * dmu
            - sigma0 * z / g * (dspeed - speed / g * dg); // (30a)
        let stiffness = sigma0 * (1.0 - sigma1 * speed / g); // (17)
        let dstiffness = -sigma0 * sigma1 / g * (dspeed - speed / g * dg); // (31a)
        let viscous = sigma1 * mu / g;
        let dviscous = sigma1 / (g * g) * (g * dmu - mu * dg); // (31b)
        let h2 = dstiffness * z + dviscous * v + viscous; // (30b)
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-12 * scale;
        prop_assert!(close(linear.a[(0, 0)], -sigma0 * speed / g, sigma0 * speed / g));
        prop_assert!(close(linear.b[(0, 0)], h1, 1.0 + sigma0 * z.abs() / g));
        prop_assert!(close(linear.c[(0, 0)], load * stiffness, load * sigma0));
        let size = load * (sigma1 + sigma0 * sigma1 * z.abs() / g);
        prop_assert!(close(linear.d[(0, 0)], load * h2, 10.0 * size), "{} {}", linear.d[(0, 0)], load * h2);
    }
}

/// Rows `lumped` of frf.csv: μ_b/v at v* = 0.005 and 0.02 m/s.
#[test]
fn the_lumped_frequency_response_is_that_of_the_reference() {
    let rows = table("frbd/frf.csv");
    let rows: Vec<_> = rows.iter().filter(|r| r[0] == "lumped").collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let [v, f, re, im] = core::array::from_fn(|k| row[k + 1].parse::<f64>().unwrap());
        let model = frbd();
        let linear = element(&model, &Point::steady(&model, v, 1.0).unwrap());
        let found = linear.response(0, 0, core::f64::consts::TAU * f);
        let expected = Complex::new(re, im);
        assert!((found - expected).norm() < 1e-11 * expected.norm(), "{row:?}: {found}");
    }
}

/// Rows `dist_*` of frf.csv: (F_b/F_z)/v at v* = 1 m/s, constant and falling pressure, with and without damping.
#[test]
fn the_frequency_response_of_a_line_is_that_of_the_reference() {
    let rows = table("frbd/frf.csv");
    let rows: Vec<_> = rows.iter().filter(|r| r[0].starts_with("dist")).collect();
    assert_eq!(rows.len(), 24);
    for row in rows {
        let [v, f, re, im] = core::array::from_fn(|k| row[k + 1].parse::<f64>().unwrap());
        let sigma1 = if row[0].contains("sigma1=0.1") { 0.1 } else { 0.0 };
        let falling = row[0].ends_with("exp");
        let law = AnyLaw::Stribeck(table_1());
        let bristle = AnyBristle::Frbd(Frbd { sigma0: 252.0, sigma1, ..Frbd::start(law) });
        let pressure = |xi: f64| if falling { (-0.1 * xi).exp() } else { 1.0 };
        let transport = Transport::Constant(200.0);
        let line = Line {
            length: Length::Constant(0.1),
            transport,
            pressure: &pressure,
            bristles: Bristles::Same(&bristle),
            places: &[],
            accuracy: 1e-12,
        };
        let linear = LinearLine::new(&line, v).unwrap();
        let found = linear.response(core::f64::consts::TAU * f) / linear.load;
        let expected = Complex::new(re, im);
        assert!((found - expected).norm() < 1e-11 * expected.norm(), "{row:?}: {found}");
        let steady = line.steady(v).unwrap();
        assert!((linear.force - steady.force).abs() < 1e-12 * steady.force);
    }
}

/// Transport and stiffness that change along the line: at frequency zero the response is the slope of the steady
/// force, here by differences of the nonlinear contact.
#[test]
fn a_slow_response_is_the_slope_of_the_steady_force() {
    let bristle = |xi: f64| {
        let law = AnyLaw::Stribeck(table_1());
        AnyBristle::Frbd(Frbd { sigma0: 252.0 * (1.0 + xi), sigma1: 0.1, ..Frbd::start(law) })
    };
    let profile = Along::new(Points::new(vec![0.0, 1.0], vec![200.0, 300.0]));
    let transport = Transport::Along(&profile);
    let line = Line {
        length: Length::Constant(0.1),
        transport,
        pressure: &|xi| 1.0 - 0.5 * xi,
        bristles: Bristles::Along(&bristle),
        places: &[],
        accuracy: 1e-12,
    };
    let found = LinearLine::new(&line, 1.0).unwrap().response(0.0);
    let force = |v: f64| line.steady(v).unwrap().force;
    let h = 1e-3;
    let slope = (8.0 * (force(1.0 + h) - force(1.0 - h)) - force(1.0 + 2.0 * h)
        + force(1.0 - 2.0 * h))
        / (12.0 * h);
    assert!((found.re - slope).abs() < 1e-10 * slope.abs() && found.im == 0.0, "{found} {slope}");
}

/// At rest a bristle is a spring with a damper: f = √(σ₀N/m)/2π and ζ = σ₁N/(2√(σ₀N m)), and the body returns to
/// no place of its own.
#[test]
fn a_mass_on_a_bristle_resonates() {
    for (friction, load, m) in [(frbd(), 1.0, 1.0), (lugre(), 9.81, 3.0)] {
        let system_ = under("mass", 0.0, &[("mass", m), ("load", load)], friction.clone());
        let linear = system(&system_, &equilibrium(&system_, None).unwrap());
        let modes = linear.modes();
        let viscous = if friction.info().name == "lugre" { 0.04 } else { 0.0 };
        let (k, c) = (1e4 * load, (64.5 + viscous) * load);
        let still = modes.iter().filter(|m| m.pole.norm() < 1e-6).count();
        assert_eq!((modes.len(), still), (3, 1), "{modes:?}");
        let swing = modes.iter().find(|m| m.pole.im > 0.0).unwrap();
        let omega = (k / m).sqrt();
        assert!((swing.frequency * core::f64::consts::TAU / omega - 1.0).abs() < 1e-12);
        assert!((swing.damping - c / (2.0 * (k * m).sqrt())).abs() < 1e-12);
        // From the force on the mass to its position: 1/(m s² + c s + k), and z follows x.
        let h = linear.response(0, 0, 50.0);
        let expected = 1.0 / Complex::new(k - m * 2500.0, 50.0 * c);
        assert!((h - expected).norm() < 1e-12 * expected.norm());
    }
}

/// Steady sliding on a belt: m s² + H(s) s + k = 0, with H the element's response; and a spring whose end moves
/// sees the same poles besides that of its end.
#[test]
fn a_dragged_mass_has_the_poles_of_a_mass_on_a_belt() {
    let values = [("mass", 1.0), ("stiffness", 2.0), ("load", 1.0)];
    let belt = under("belt", 0.1, &values, frbd());
    let y = equilibrium(&belt, None).unwrap();
    let force = table_2().level(0.1);
    assert!((y[0] - force / 2.0).abs() < 1e-12 && y[1].abs() < 1e-14, "{y:?}");
    let on_belt = system(&belt, &y);
    let drag = under("spring_drag", 0.1, &values, frbd());
    let y = equilibrium(&drag, None).unwrap();
    assert!((y[0] + force / 2.0).abs() < 1e-12 && (y[1] - 0.1).abs() < 1e-15, "{y:?}");
    let dragged = system(&drag, &y);
    assert_eq!(dragged.states.last().unwrap().name, "∫v_ref");
    let model = frbd();
    let h = element(&model, &Point::steady(&model, 0.1, 1.0).unwrap());
    let (a, b, c, d) = (h.a[(0, 0)], h.b[(0, 0)], h.c[(0, 0)], h.d[(0, 0)]);
    for pole in on_belt.poles() {
        let response = c * b / (pole - a) + d;
        let left = pole * pole + response * pole + 2.0;
        assert!(left.norm() < 1e-8 * pole.norm_sqr().max(2.0), "{pole}: {left}");
        let near = dragged.poles().iter().map(|q| (q - pole).norm()).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-9 * (1.0 + pole.norm()));
    }
    // The end of the spring moves on, and at last everything with it: v/v_ref = 1, x/∫v_ref = 1.
    let slow = dragged.response(1, 0, 1e-4);
    assert!((slow - 1.0).norm() < 1e-3, "{slow}");
}

/// Every model has a state space, with as many states as it says, and derivatives that are those of its force.
#[test]
fn every_model_is_linearised() {
    for model in common::all() {
        let Ok(point) = Point::steady(&model, 0.1, 2.0) else { panic!("{}", model.info().name) };
        let linear = element(&model, &point);
        assert_eq!((linear.a.nrows(), linear.poles().len()), (model.states(), model.states()));
        let name = model.info().name;
        assert!(linear.poles().iter().all(|p| p.re < 0.0), "{name}: {:?}", linear.poles());
        // At frequency zero: the slope of the steady force.
        let force = |v: f64| model.steady(&Drive { v, ..point.at }, &mut vec![0.0; model.states()]);
        let h = 1e-5;
        let slope = (force(0.1 + h) - force(0.1 - h)) / (2.0 * h);
        let found = linear.response(0, 0, 0.0);
        assert!((found.re - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{name}: {found} {slope}");
    }
    for info in AnyPlanar::<f64>::CATALOG {
        let law = AnyLaw::Stribeck(Stribeck::start(()));
        let matrix = AnyMatrix::named("isotropic", law.clone()).unwrap();
        let model = AnyPlanar::named(info.name, matrix).unwrap();
        let linear = planar(&model, [0.06, 0.08], 2.0);
        let force = |v: [f64; 2]| model.steady(&Drive::new(v, 2.0), &mut vec![0.0; model.states()]);
        let h = 1e-6;
        for j in 0..2 {
            let aside =
                |by: f64| core::array::from_fn(|k| [0.06, 0.08][k] + if k == j { by } else { 0.0 });
            let (ahead, behind) = (force(aside(h)), force(aside(-h)));
            for i in 0..2 {
                let slope = (ahead[i] - behind[i]) / (2.0 * h);
                let found = linear.response(i, j, 0.0).re;
                assert!(
                    (found - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{i}{j} {found} {slope}"
                );
            }
        }
    }
}

/// Where the law falls faster than the damping holds it, there is no small motion to speak of.
#[test]
fn what_repels_is_not_linearised() {
    let law = Stribeck { mu_s: 0.15, mu_d: 0.1, v_s: 1e-3, ..Stribeck::start(()) };
    let mut model = AnyBristle::named("implicit", AnyLaw::Stribeck(law)).unwrap();
    set(&mut model, &[("sigma1", 10.0)]);
    let text = Point::steady(&model, 7e-4, 1.0).unwrap_err().to_string();
    assert!(text.starts_with("steady sliding of `implicit` at v = 0.0007 m/s repels"), "{text}");
}

/// An arm that is to follow a sine is linearised with the sine held where it begins: no pole comes from the motion of the
/// reference, none but that of the free bristle, which is zero and not rounding, lies beside the left half-plane.
#[test]
fn a_moving_reference_adds_no_poles() {
    let sine: Sine<f64> = Sine { mean: 0.3, amplitude: 0.5, frequency: 0.25, angle: 0.4 };
    let held = Constant { value: sine.mean + sine.amplitude * sine.angle.sin() };
    let law = AnyLaw::Stribeck(table_2());
    let friction = AnyBristle::named("frbd_gm", law).unwrap();
    let about = |drive: AnySignal<f64>| {
        let arm = Coupled::new(AnyMechanism::named("arm", drive).unwrap(), friction.clone());
        let y = equilibrium(&arm, None).unwrap();
        (y[0], system(&arm, &y))
    };
    let (moving, still) = (about(AnySignal::Sine(sine)), about(AnySignal::Constant(held)));
    assert!((moving.0 - still.0).abs() < 1e-12, "{} {}", moving.0, still.0);
    let (poles, expected) = (moving.1.poles(), still.1.poles());
    for (p, q) in poles.iter().zip(&expected) {
        assert!((p - q).norm() <= 1e-6 * (1.0 + q.norm()), "{poles:?} {expected:?}");
    }
    assert!(poles.iter().all(|p| p.re <= 0.0 && (p.norm() == 0.0 || p.norm() > 1e-3)), "{poles:?}");
}
