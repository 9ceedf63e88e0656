//! The pulse-load and belt experiments of 002, against independent numbers.

use crate::common::Run;
use crate::paper002::{model, rows, set1, set2};
use bristle_kernel::AnyBristle;
use bristle_ode::{Heap, Options, System};
use bristle_system::{Coupled, Mechanism};

fn start<M: Mechanism>(system: &Coupled<M>, rtol: f64) -> Run<'_, M> {
    // Positions in m, velocities in m/s, bristle deflections in m.
    let scale: [f64; 4] = [1e-4, 1e-2, 1e-6, 1e-4];
    let atol = scale.map(|small| rtol * small);
    let options: Options<Heap> = Options::new(rtol, &atol[..system.states()]);
    Run::new(system, &system.initial(), options)
}

/// x, v and z at multiples of 0.1 s.
fn pulse(push: f64, friction: AnyBristle<f64>, rtol: f64) -> Vec<[f64; 3]> {
    let system = Coupled::new(crate::paper002::pulse(push), friction);
    let mut run = start(&system, rtol);
    (1..=4)
        .map(|k| {
            run.go(0.1 * f64::from(k));
            let y = run.y();
            [y[0], y[1], y.get(2).copied().unwrap_or(0.0)]
        })
        .collect()
}

fn check_pulse(rtol: f64, allowed: f64) {
    let mut checked = 0;
    for row in rows("pulse_") {
        let parts: Vec<&str> = row.case.split('_').collect();
        let push: f64 = parts[1][1..].parse().unwrap();
        let sigma1: f64 = parts[3].parse().unwrap();
        let at = pulse(push, model(&row.model, set1(sigma1)), rtol);
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

fn belt(friction: AnyBristle<f64>, rtol: f64) -> (f64, Vec<f64>) {
    let system = Coupled::new(crate::paper002::belt(), friction);
    let mut run = start(&system, rtol);
    let mut crossings = Vec::new();
    // v_m − v_b crosses −v_A, located on the dense output.
    let relative = |y: Vec<f64>| y[1] - 0.1 + 1e-3;
    run.run(20.0, |step| {
        let (mut a, mut b) = (step.start(), step.end());
        let (fa, fb) = (relative(step.at(a)), relative(step.at(b)));
        if fa * fb < 0.0 {
            for _ in 0..80 {
                let m = 0.5 * (a + b);
                *if relative(step.at(m)) * fa > 0.0 { &mut a } else { &mut b } = m;
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
        let (x, crossings) = belt(model(&row.model, set2()), 1e-11);
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
        let mut run = start(&system, rtol);
        let mut jumps = 0;
        let mut before = 0.0;
        run.run(20.0, |step| {
            let (start, end) = (step.start(), step.end());
            let middle = 0.5 * (start + end);
            let y = step.at(middle);
            let (at, z) = system.contact(step.mode, 0, middle, &y);
            let due = system.friction(0).commit(&at, z);
            assert!(due == at.mode || end - start < 1e-14, "at {rtol:e}, {middle} s");
            jumps += usize::from(at.mode.index[0] != before);
            before = at.mode.index[0];
        })
        .unwrap();
        assert_eq!(jumps, 4, "two slips, two sticks");
    }
}
