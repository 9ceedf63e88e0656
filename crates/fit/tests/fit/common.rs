//! Replicates of a log with known parameters.
use bristle_fit::{Channel, Element, Experiment, Motion, Options, Prediction, fit};
use bristle_kernel::{AnyBristle, AnyLaw};
use std::ops::ControlFlow;

const TRUTH: [(&str, f64); 6] = [
    ("sigma0", 2.0e4),
    ("sigma1", 60.0),
    ("mu_d", 0.25),
    ("mu_s", 0.38),
    ("v_s", 0.01),
    ("viscous", 0.5),
];

/// How many 95 % intervals are given, and how many of these miss the truth, for each parameter; noise with that correlation from
/// sample to sample.
pub fn coverage(replicates: usize, correlation: f64) -> Vec<(&'static str, [usize; 2])> {
    let t: Vec<f64> = (0..1500).map(|k| 2e-3 * f64::from(k)).collect();
    let parts = |t: f64| {
        [
            (1.5e-5 * t.min(1.0), 25.0),
            (if t > 1.0 { 6e-3 * (t - 1.0).min(1.0).powi(2) } else { 0.0 }, 6.0),
        ]
    };
    let x: Vec<f64> =
        t.iter().map(|t| parts(*t).iter().map(|(a, w)| a * (w * t).sin()).sum()).collect();
    let smooth = bristle_fit::smooth::smooth(&t, &x, Some(200.0));
    let motion = Motion {
        t: t.clone(),
        x,
        v: smooth.rate,
        load: vec![50.0; t.len()],
        acceleration: Vec::new(),
    };
    let channel = |measured: Vec<f64>| Channel {
        log: "replicate".into(),
        name: "F".into(),
        unit: "N".into(),
        at: t.clone(),
        measured,
        weight: 1.0,
        serial: true,
        held_out: false,
    };
    let element = |measured: Vec<f64>| {
        let model = AnyBristle::named("lugre", AnyLaw::named("stribeck", ()).unwrap()).unwrap();
        let mut element = Element::new(model, vec![(motion.clone(), channel(measured))]);
        for (name, truth) in TRUTH {
            let free = element.release(name).unwrap();
            *free = free.clone().starting(1.2 * truth);
        }
        element
    };
    let mut clean = Prediction::default();
    element(vec![0.0; t.len()]).predict(&TRUTH.map(|(_, v)| v), &mut clean).unwrap();
    let mut counts = [[0; 2]; 6];
    let mut seed = 7u64;
    // Sums of twelve uniform numbers are nearly normal.
    let mut normal = || {
        (0..12).fold(-6.0, |sum, _| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum + (seed >> 11) as f64 / (1u64 << 53) as f64
        })
    };
    for _ in 0..replicates {
        let mut before = 0.5 * normal();
        let measured = clean
            .value
            .iter()
            .map(|f| {
                before = correlation * before
                    + 0.5 * (1.0 - correlation * correlation).sqrt() * normal();
                f + before
            })
            .collect();
        let element = element(measured);
        let options = Options { starts: 0, profile: false, ..Options::default() };
        let fitted = fit(&element, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        for ([given, missed], (e, (_, truth))) in
            counts.iter_mut().zip(fitted.estimates.iter().zip(TRUTH))
        {
            let Some([a, b]) = e.interval else { continue };
            *given += 1;
            *missed += usize::from(truth < a || b < truth);
        }
    }
    TRUTH.iter().zip(counts).map(|((name, _), count)| (*name, count)).collect()
}
