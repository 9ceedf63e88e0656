//! Derivatives of predictions are those of the predictions: against differences of order 8, across stick and slip.
use bristle_fit::{Axis, Channel, Driven, Element, Experiment, Motion, Prediction};
use bristle_kernel::{AnyBristle, AnyLaw, Field, Group, Params};

fn model(name: &str, values: &[(&str, f64)], absolute: bool) -> AnyBristle<f64> {
    let mut model = AnyBristle::named(name, AnyLaw::named("stribeck", ()).unwrap()).unwrap();
    model.visit(Group::default(), &mut |visit| match visit.field {
        Field::Number(x) => {
            if let Some((_, value)) = values.iter().find(|(n, _)| *n == visit.param.name) {
                *x = *value;
            }
        }
        Field::Choice(choice) if absolute && visit.param.name == "scaling" => {
            choice.set("absolute");
        }
        _ => {}
    });
    model
}

fn channel(n: usize) -> Channel {
    Channel {
        log: "log".into(),
        name: "y".into(),
        unit: "1".into(),
        at: (0..n).map(|k| 1e-3 * k as f64).collect(),
        measured: vec![0.0; n],
        weight: 1.0,
        serial: true,
        held_out: false,
    }
}

/// The largest difference between slopes and differences of order 8, over the largest slope, of each parameter.
fn worst(experiment: &dyn Experiment, theta: &[f64], steps: &[f64]) -> Vec<f64> {
    const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut at = Prediction::default();
    experiment.predict(theta, &mut at).unwrap();
    let p = theta.len();
    let n = at.value.len();
    (0..p)
        .map(|i| {
            let mut slope = vec![0.0; n];
            for (k, w) in WEIGHTS.iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut moved = theta.to_vec();
                    moved[i] += sign * steps[i] * (k + 1) as f64;
                    let mut out = Prediction::default();
                    experiment.predict(&moved, &mut out).unwrap();
                    for (s, y) in slope.iter_mut().zip(&out.value) {
                        *s += sign * w * y / steps[i];
                    }
                }
            }
            let size = (0..n).fold(0.0f64, |m, k| m.max(at.slope[k * p + i].abs()));
            (0..n).fold(0.0f64, |m, k| m.max((at.slope[k * p + i] - slope[k]).abs())) / size
        })
        .collect()
}

/// A mass that sticks and slips under a slow force with a fast one over it; u is held from sample to sample and late by a
/// part of a sample.
#[test]
fn of_an_axis_across_stick_and_slip() {
    let values = [
        ("sigma0", 1e5),
        ("sigma1", 100.0),
        ("mu_d", 2.0),
        ("mu_s", 3.0),
        ("v_s", 0.01),
        ("viscous", 4.0),
    ];
    for name in ["lugre", "frbd"] {
        let t: Vec<f64> = (0..800).map(|k| 1e-3 * k as f64).collect();
        let u = t.iter().map(|t| 4.0 * (9.0 * t).sin() + 1.0 * (61.0 * t).sin()).collect();
        let driven = Driven { t: t.clone(), force: u, load: 1.0, ..Driven::default() };
        let mut axis = Axis::new(1.0, model(name, &values, true), vec![(driven, channel(t.len()))]);
        let mut theta = Vec::new();
        for (key, value) in values.into_iter().chain([
            ("mass", 1.0),
            ("offset", 0.2),
            ("delay", 1.37e-3),
            ("x0", 0.01),
        ]) {
            axis.release(key).unwrap();
            theta.push(value);
        }
        let mut out = Prediction::default();
        axis.predict(&theta, &mut out).unwrap();
        let turns = out.value.windows(3).filter(|x| (x[1] - x[0]) * (x[2] - x[1]) < 0.0).count();
        assert!(turns > 3, "{turns}");
        let steps: Vec<f64> =
            theta.iter().zip(axis.free()).map(|(t, f)| 1e-4 * t.abs().max(1e-2 * f.size)).collect();
        for (free, off) in axis.free().iter().zip(worst(&axis, &theta, &steps)) {
            assert!(off < 1e-6, "{name}: {} is off by {off:e}", free.name);
        }
    }
}

#[test]
fn of_elements_under_measured_motion() {
    let values = [
        ("sigma0", 2e4),
        ("sigma1", 50.0),
        ("mu_d", 0.3),
        ("mu_s", 0.45),
        ("v_s", 0.01),
        ("viscous", 0.3),
    ];
    // The last one has no step of its own and takes that of Radau.
    for name in ["lugre", "frbd", "dahl", "bristle2"] {
        let t: Vec<f64> = (0..500).map(|k| 1e-3 * k as f64).collect();
        let x: Vec<f64> =
            t.iter().map(|t| 1e-3 * (20.0 * t).sin() + 2e-5 * (150.0 * t).sin()).collect();
        let v = t.iter().map(|t| 2e-2 * (20.0 * t).cos() + 3e-3 * (150.0 * t).cos()).collect();
        let load = t.iter().map(|t| 40.0 + 10.0 * (7.0 * t).sin()).collect();
        let motion = Motion { t: t.clone(), x, v, load, acceleration: Vec::new() };
        let mut element =
            Element::new(model(name, &values, false), vec![(motion, channel(t.len()))]);
        let mut theta = Vec::new();
        for (key, value) in
            values.into_iter().chain([("offset", 1.0), ("gain", 1.1), ("delay", 0.4e-3)])
        {
            if element.release(key).is_some() {
                theta.push(value);
            }
        }
        let steps: Vec<f64> = theta.iter().map(|t| 1e-4 * t).collect();
        for (free, off) in element.free().iter().zip(worst(&element, &theta, &steps)) {
            assert!(off < 1e-6, "{name}: {} is off by {off:e}", free.name);
        }
    }
}
