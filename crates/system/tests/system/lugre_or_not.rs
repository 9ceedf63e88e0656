//! The pulse-load and belt experiments of 002, against independent numbers.

use crate::paper002::{initial, model, rows, set1, set2};
use bristle_kernel::{AnyBristle, Bristle};
use bristle_ode::{Options, Radau};
use bristle_system::{Coupled, Hybrid};

fn options<const N: usize>(rtol: f64) -> Options<N> {
    // Positions in m, velocities in m/s, bristle deflections in m.
    let scale: [f64; 4] = [1e-4, 1e-2, 1e-6, 1e-4];
    Options::new(rtol, std::array::from_fn(|i| rtol * scale[i]))
}

/// x, v and z at multiples of 0.1 s.
fn pulse<const N: usize>(push: f64, friction: AnyBristle<f64>, rtol: f64) -> Vec<[f64; 3]> {
    let system = Coupled::new(crate::paper002::pulse(push), friction);
    let mut run = Hybrid::new(&system, Radau::new(), initial(&system), options::<N>(rtol));
    (1..=4)
        .map(|k| {
            run.run(0.1 * f64::from(k), |_| {}).unwrap();
            let y = run.y();
            [y[0], y[1], if N > 2 { y[2] } else { 0.0 }]
        })
        .collect()
}

fn check_pulse(rtol: f64, allowed: f64) {
    let mut checked = 0;
    for row in rows("pulse_") {
        let parts: Vec<&str> = row.case.split('_').collect();
        let push: f64 = parts[1][1..].parse().unwrap();
        let sigma1: f64 = parts[3].parse().unwrap();
        let friction = model(&row.model, set1(sigma1));
        let at = match friction.states() {
            0 => pulse::<2>(push, friction, rtol),
            1 => pulse::<3>(push, friction, rtol),
            _ => pulse::<4>(push, friction, rtol),
        };
        let quantity = row.quantity.as_str();
        let ours = match quantity {
            "drift_cycle1_mm" => at[1][0],
            "drift_cycle2_mm" => at[3][0] - at[1][0],
            q if q.starts_with("x(0.") => at[q[4..5].parse::<usize>().unwrap() - 1][0],
            q if q.starts_with("v(0.") => at[q[4..5].parse::<usize>().unwrap() - 1][1],
            q if q.starts_with("z(0.") => at[q[4..5].parse::<usize>().unwrap() - 1][2],
            _ => continue,
        };
        let (ours, reference) = (1e3 * ours, row.value);
        // Relative to how far the body moves in this case: a drift is a difference.
        let size = at.iter().fold(0.0, |a: f64, y| a.max(1e3 * y[0].abs()));
        let error = (ours - reference).abs();
        let limit = (allowed * reference.abs().max(size)).max(row.uncertainty);
        assert!(
            error <= limit,
            "{} {} {quantity} at {rtol:e}: {ours}, not {reference}: {error:e} > {limit:e}",
            row.case,
            row.model
        );
        checked += 1;
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn pulse_load_at_default_tolerance() {
    check_pulse(1e-8, 1e-6);
}

#[test]
fn pulse_load_at_tight_tolerance() {
    check_pulse(1e-11, 1e-9);
}

fn belt<const N: usize>(friction: AnyBristle<f64>, rtol: f64) -> (f64, Vec<f64>) {
    let system = Coupled::new(crate::paper002::belt(), friction);
    let mut run = Hybrid::new(&system, Radau::new(), initial(&system), options::<N>(rtol));
    let mut crossings = Vec::new();
    // v_m − v_b crosses −v_A, located on the dense output.
    let relative = |y: [f64; N]| y[1] - 0.1 + 1e-3;
    run.run(20.0, |run| {
        let dense = run.dense();
        let (mut a, mut b) = (dense.start(), dense.end());
        let (fa, fb) = (relative(dense.at(a)), relative(dense.at(b)));
        if fa * fb < 0.0 {
            for _ in 0..80 {
                let m = 0.5 * (a + b);
                *if relative(dense.at(m)) * fa > 0.0 { &mut a } else { &mut b } = m;
            }
            crossings.push(b);
        }
    })
    .unwrap();
    (run.y()[0], crossings)
}

#[test]
fn belt_stick_slip_at_tight_tolerance() {
    let mut checked = 0;
    for row in rows("belt") {
        let friction = model(&row.model, set2());
        let (x, crossings) = match friction.states() {
            0 => belt::<2>(friction, 1e-11),
            1 => belt::<3>(friction, 1e-11),
            _ => belt::<4>(friction, 1e-11),
        };
        let ours = match row.quantity.as_str() {
            "x(20)_m" => x,
            "t_slip1_s" => crossings[0],
            "t_stick1_s" => crossings[1],
            "t_slip2_s" => crossings[2],
            "t_stick2_s" => crossings[3],
            _ => continue,
        };
        let error = (ours - row.value).abs();
        let limit = (1e-9 * row.value.abs()).max(row.uncertainty);
        assert!(
            error <= limit,
            "{} {}: {ours}, not {}: {error:e}",
            row.model,
            row.quantity,
            row.value
        );
        checked += 1;
    }
    assert_eq!(checked, 20);
}

/// The implicit bristle jumps where its branch ends, at a force on whose either side rounding may
/// land. Whichever it is, no step is taken beyond the end of a branch, but for one to the next number.
#[test]
fn a_bristle_jumps_at_its_fold_at_every_tolerance() {
    let system = Coupled::new(crate::paper002::belt(), model("impl", set2()));
    for k in 0..30 {
        let rtol = 1e-6 * 10f64.powf(-0.1 * f64::from(k));
        let mut run = Hybrid::new(&system, Radau::new(), initial(&system), options::<3>(rtol));
        let mut jumps = 0;
        let mut before = 0.0;
        run.run(20.0, |run| {
            let (start, end) = (run.dense().start(), run.dense().end());
            let middle = 0.5 * (start + end);
            let y = run.dense().at(middle);
            let (at, z) = system.contact(0, middle, &y);
            let due = system.friction(0).commit(&at, z);
            assert!(due == at.memory || end - start < 1e-14, "at {rtol:e}, {middle} s");
            jumps += usize::from(at.memory[0] != before);
            before = at.memory[0];
        })
        .unwrap();
        assert_eq!(jumps, 4, "two slips, two sticks");
    }
}
