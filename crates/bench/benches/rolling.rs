//! Rolling contact: microseconds per operating point and transient, beside the scheme of paper 004.
//!
//! Both are measured in turn, round after round, and the best round counts; errors are against this crate's
//! own solution at 1e-9, which tests compare with an independent reference.
use bristle_bench::upwind::Upwind;
use bristle_contact::patch::transient::{Resolution, Rolled, Straight};
use bristle_contact::patch::{Model, Outcome, Patch, Rolling, Steady};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::{Law, Start};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 30;

/// The best of the rounds of each task, µs.
fn best<const N: usize>(tasks: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    let mut tasks = tasks;
    for _ in 0..ROUNDS {
        for (task, best) in tasks.iter_mut().zip(&mut best) {
            let start = Instant::now();
            for _ in 0..3 {
                task();
            }
            *best = best.min(start.elapsed().as_secs_f64() * 1e6 / 3.0);
        }
    }
    best
}

fn main() {
    let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
    let bristle = FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law }) };
    let forget = move |v_r: f64| move |q: f64| 240.0 * q.sqrt() / law.level(v_r * q.sqrt());
    println!(
        "| patch | model | slip and spin | upwind, µs | off by | at 1e-3, µs | off by | times faster | at 1e-6, µs | off by |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for (shape, e) in [("rectangle", 18.0), ("ellipse", 2.0)] {
        let patch = Patch { n: e, m: e, ..Patch::start(()) };
        for (model, sigma, spin) in [
            (Model::Standard, [0.08, 0.08], [0.0, 0.0]),
            (Model::Standard, [0.3, 0.2], [0.5, 0.25]),
            (Model::Standard, [0.08, 0.08], [1.5, 1.5]),
            (Model::Linear, [0.3, 0.2], [0.5, 0.25]),
            (Model::Linear, [0.08, 0.08], [3.0, 0.0]),
            (Model::Linear, [0.08, 0.08], [0.0, 3.0]),
            (Model::Semilinear, [0.08, 0.08], [0.0, 3.0]),
        ] {
            let r = Rolling {
                model,
                sigma_x: sigma[0],
                sigma_y: sigma[1],
                phi1: spin[0],
                phi2: spin[1],
                ..Rolling::start(())
            };
            let mut grid = Upwind::new(&patch, 50, 240.0, Box::new(forget(r.v_r)));
            let make = |accuracy: f64| Steady::new(&patch, &bristle, accuracy).ok();
            let (Some(mut rough), Some(mut fine), Some(mut exact)) =
                (make(1e-3), make(1e-6), make(1e-9))
            else {
                return;
            };
            let four = |o: &Outcome| [o.force[0], o.force[1], o.moment, o.moment];
            let Ok(truth) = exact.solve(&r) else { return };
            let truth = four(&truth);
            let [upwind, at_3, at_6] = best([
                &mut || {
                    black_box(grid.steady(black_box(&r)));
                },
                &mut || {
                    let _ = black_box(rough.solve(black_box(&r)));
                },
                &mut || {
                    let _ = black_box(fine.solve(black_box(&r)));
                },
            ]);
            let [fx, fy, m] = grid.steady(&r);
            let off = |o: [f64; 4]| exact.distance(&o, &truth);
            let ours = |s: &mut Steady<_>| s.solve(&r).map_or(f64::NAN, |o| off(four(&o)));
            println!(
                "| {shape} | {model:?} | σ {sigma:?}, φ {spin:?} | {upwind:.1} | {:.1e} | {at_3:.2} | {:.1e} | {:.0} | {at_6:.1} | {:.1e} |",
                off([fx, fy, m, m]),
                ours(&mut rough),
                upwind / at_3,
                ours(&mut fine),
            );
        }
    }

    println!("\n| transient | upwind, µs | ours, µs | times faster | per step, µs | set-up, µs |");
    println!("|---|---:|---:|---:|---:|---:|");
    let patch: Patch<f64> = Patch::start(());
    let r = Rolling { sigma_x: 0.16, sigma_y: 0.08, ..Rolling::start(()) };
    let mut grid = Upwind::new(&patch, 50, 240.0, Box::new(forget(r.v_r)));
    let resolution = Resolution { step: 0.006, nodes: 2, level: 1 };
    let Ok(straight) = Straight::new(&patch, &bristle, resolution) else { return };
    let steps = 30;
    let [upwind, ours, setup] = best([
        &mut || {
            black_box(grid.transient(black_box(&r), 0.18));
        },
        &mut || {
            let mut s = straight.clone();
            for _ in 0..steps {
                black_box(s.step([r.sigma_x, r.sigma_y], r.v_r, 1.0));
            }
        },
        &mut || {
            let _ = black_box(Straight::new(&patch, &bristle, resolution));
        },
    ]);
    println!(
        "| Fig. 12, no spin, 0.18 m | {upwind:.0} | {ours:.1} | {:.0} | {:.2} | {setup:.0} |",
        upwind / ours,
        ours / f64::from(steps)
    );
    let r = Rolling {
        model: Model::Linear,
        sigma_x: 0.08,
        sigma_y: 0.08,
        phi1: 3.0,
        ..Rolling::start(())
    };
    let resolution = Resolution { step: 0.006, nodes: 2, level: 1 };
    let Ok(rolled) = Rolled::new(&patch, &bristle, &r, resolution) else { return };
    let mut warm = rolled.clone();
    warm.step(&r, 1.0);
    let [upwind, step, setup] = best([
        &mut || {
            black_box(grid.transient(black_box(&r), 0.18));
        },
        &mut || {
            black_box(warm.step(black_box(&r), 1.0));
        },
        &mut || {
            let _ = black_box(Rolled::new(&patch, &bristle, &r, resolution));
        },
    ]);
    let total = step * 30.0;
    println!(
        "| Fig. 13, φ₁ = 3 1/m, 0.18 m | {upwind:.0} | {total:.1} | {:.0} | {step:.2} | {setup:.0} |",
        upwind / total
    );

    let grid: Vec<f64> = (0..300).map(|k| f64::from(k) / 150.0 - 1.0).collect();
    let Ok(mut solver) = Steady::new(&patch, &bristle, 1e-6) else { return };
    let at = Rolling::start(());
    let [surface] = best([&mut || {
        let _ = black_box(solver.surface(black_box(&at), &grid, &grid));
    }]);
    println!("\nA force-slip surface of 300 × 300 points without spin: {:.2} ms.", surface / 1e3);
}
