//! What 002 says of the models, as facts of runs through the scenario files.
use crate::Setting;
use crate::course::{Course, at_the_tip, with};
use crate::lugre_or_not::{BELT, FESTOON, PULSE, REFERENCE};
use bristle_kernel::{Bristle, Drive};
use bristle_scenario::Scenario;

fn scenario(text: &str, settings: &[(&str, &str)]) -> Scenario {
    with(text, Setting::USUAL, settings).unwrap()
}

fn pulse(model: &str, push: &str, sigma1: &str) -> Course {
    let settings =
        [("friction.model", model), ("friction.sigma1", sigma1), ("system.drive.value", push)];
    Course::run(&scenario(PULSE, &settings), &[]).unwrap()
}

/// A number of the reference in mm, as m.
fn metres(experiment: &str, quantity: &str) -> f64 {
    let mut rows = REFERENCE.of(experiment, "LuGre");
    1e-3 * rows.find(|row| row.quantity == quantity).unwrap().numbers()[0]
}

fn assert_near(ours: f64, reference: f64) {
    assert!((ours - reference).abs() <= 1e-6 * reference.abs(), "{ours}, not {reference}");
}

/// §4.3: 2 N is a third of the static limit, 5.886 N.
#[test]
fn lugre_drifts_under_a_third_of_the_static_limit_and_the_others_stay() {
    let drift = metres("pulse_F2_s1_395", "drift_cycle1_mm");
    assert_near(pulse("lugre", "2", "395").value("x", 0.2), drift);
    for (model, part) in [("implicit", 1e-6), ("bristle2", 5e-3)] {
        let moved = pulse(model, "2", "395").value("x", 0.2).abs();
        assert!(moved < part * drift, "{model}: {moved:e} m");
    }
}

/// §4.3: 4.5 N is three quarters of it.
#[test]
fn lugre_slips_under_three_quarters_of_the_static_limit_and_the_others_stay() {
    let slip = metres("pulse_F4.5_s1_395", "x(0.4)_mm");
    assert_near(pulse("lugre", "4.5", "395").value("x", 0.4), slip);
    for (model, part) in [("implicit", 1e-6), ("bristle2", 1e-4)] {
        let moved = pulse(model, "4.5", "395").value("x", 0.4).abs();
        assert!(moved < part * slip, "{model}: {moved:e} m");
    }
}

/// §4.3: at 5.6 N the bristle's overshoot decides, and its damping decides that.
#[test]
fn damping_decides_whether_bristle2_slides_near_the_static_limit() {
    let slides = pulse("bristle2", "5.6", "395").value("x", 0.4);
    let sticks = pulse("bristle2", "5.6", "790").value("x", 0.4);
    assert!(slides > 0.03 && sticks.abs() < 1e-5, "{slides:e} m, {sticks:e} m");
}

/// The belt's velocity scale v_r, m/s.
const V_R: f64 = 1e-4;

fn belt(model: &str) -> Scenario {
    scenario(BELT, &[("friction.model", model)])
}

/// How far the force is at most from the law μ(v_S)N, allowing v_r in v_S, while the tip slides faster
/// than v_r along the belt run, N.
fn distance_from_the_law(model: &str) -> f64 {
    // In steady sliding every model has the law; `implicit` at any speed.
    let law = belt("implicit").friction;
    let level = |u: f64| law.steady(&Drive::new(u, 9.81), &mut [0.0]);
    let distances = Course::run(&belt(model), &[]).unwrap().looks(|system, mode, t, y| {
        let (force, tip) = at_the_tip(system, mode, 0, t, y);
        let (force, tip) = (force * tip.signum(), tip.abs());
        if tip <= V_R {
            return 0.0;
        }
        let levels = (0..=40).map(|k| level((tip + V_R * (f64::from(k) / 20.0 - 1.0)).max(1e-12)));
        let (least, most) =
            levels.fold((f64::INFINITY, 0.0f64), |(least, most), mu| (least.min(mu), most.max(mu)));
        (least - force).max(force - most).max(0.0)
    });
    distances.into_iter().fold(0.0, f64::max)
}

/// §4.4, Fig. 11.
#[test]
fn all_but_lugre_follow_the_friction_law_while_they_slide() {
    for model in ["static", "implicit", "bristle2"] {
        let distance = distance_from_the_law(model);
        assert!(distance < 1e-9, "{model}: {distance:e} N");
    }
    let distance = distance_from_the_law("lugre");
    assert!(distance > 0.5, "lugre: {distance:e} N");
}

/// The least power that goes into sliding at a tip of the festoon, W.
fn least_power(model: &str) -> f64 {
    let settings = [("friction.model", model)];
    let powers =
        Course::run(&scenario(FESTOON, &settings), &[]).unwrap().looks(|system, mode, t, y| {
            let power = |i: usize| {
                let (force, tip) = at_the_tip(system, mode, i, t, y);
                force * tip
            };
            power(0).min(power(1))
        });
    powers.into_iter().fold(f64::INFINITY, f64::min)
}

/// §5, Fig. 15: a friction force that pushes.
#[test]
fn lugre_enters_the_second_and_fourth_quadrant_and_implicit_never_does() {
    let (lugre, implicit) = (least_power("lugre"), least_power("implicit"));
    assert!(lugre < -2e-4, "{lugre:e} W");
    assert!(implicit >= 0.0, "{implicit:e} W");
}
