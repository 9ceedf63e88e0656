//! Rolling contact: microseconds per operating point and transient, beside the scheme of paper 004.
//!
//! Both are measured in turn, round after round, and the best round counts; errors are against this crate's
//! own solution at 1e-9, those of transients against a finer one; tests compare both with an independent reference.
use bristle_bench::upwind::Upwind;
use bristle_contact::patch::transient::{Resolution, Rolled, Straight, Wrench};
use bristle_contact::patch::{Model, Outcome, Patch, Rolling, Steady};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::{Law, Start};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 30;

/// How long a task is repeated before the next has its turn, µs: what the others left in the caches is then forgotten.
const TURN: f64 = 100.0;

/// The best of the rounds of each task, µs.
fn best<const N: usize>(tasks: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    let mut times = [3; N];
    let mut tasks = tasks;
    for _ in 0..ROUNDS {
        for ((task, best), times) in tasks.iter_mut().zip(&mut best).zip(&mut times) {
            let start = Instant::now();
            for _ in 0..*times {
                task();
            }
            *best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(*times));
            *times = ((TURN / *best) as u32).clamp(3, 1000);
        }
    }
    best
}

fn main() {
    let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
    let bristle = FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law }) };
    let forget = move |v_r: f64| move |q: f64| 240.0 * q.sqrt() / law.level(v_r * q.sqrt());
    println!(
        "| patch | model | slip and spin | upwind, µs | off by | at 1e-3, µs | new φ₁, µs | off by | times faster | at 1e-6, µs | off by |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (shape, e) in [("rectangle", 18.0), ("ellipse", 2.0)] {
        let patch = Patch { n: e, m: e, ..Patch::start(()) };
        for (model, sigma, spin) in [
            (Model::Standard, [0.08, 0.08], [0.0, 0.0]),
            (Model::Standard, [0.3, 0.2], [0.5, 0.25]),
            (Model::Standard, [0.08, 0.08], [1.5, 1.5]),
            (Model::Linear, [0.3, 0.2], [0.5, 0.25]),
            (Model::Linear, [0.08, 0.08], [3.0, 0.0]),
            (Model::Linear, [0.08, 0.08], [0.0, 3.0]),
            (Model::Semilinear, [0.3, 0.2], [0.5, 0.25]),
            (Model::Semilinear, [0.08, 0.08], [0.0, 3.0]),
            (Model::Semilinear, [0.08, 0.08], [1.5, 1.5]),
        ] {
            let r = Rolling {
                model,
                sigma_x: sigma[0],
                sigma_y: sigma[1],
                phi1: spin[0],
                phi2: spin[1],
                ..Rolling::start(())
            };
            let mut grid = Upwind::new(&patch, 50, 240.0, forget(r.v_r));
            let make = |accuracy: f64| Steady::new(&patch, &bristle, accuracy).ok();
            let (Some(mut rough), Some(mut fine), Some(mut exact)) =
                (make(1e-3), make(1e-6), make(1e-9))
            else {
                return;
            };
            let four = |o: &Outcome| [o.force[0], o.force[1], o.moment, o.moment];
            let Ok(truth) = exact.solve(&r) else { return };
            let truth = four(&truth);
            let mut turned = r;
            let Some(mut anew) = make(1e-3) else { return };
            let [upwind, at_3, new, at_6] = best([
                &mut || {
                    black_box(grid.steady(black_box(&r)));
                },
                &mut || {
                    let _ = black_box(rough.solve(black_box(&r)));
                },
                &mut || {
                    turned.phi1 += 1e-9 * r.phi1;
                    let _ = black_box(anew.solve(black_box(&turned)));
                },
                &mut || {
                    let _ = black_box(fine.solve(black_box(&r)));
                },
            ]);
            let [fx, fy, m] = grid.steady(&r);
            let off = |o: [f64; 4]| exact.distance(&o, &truth);
            let ours = |s: &mut Steady<_>| s.solve(&r).map_or(f64::NAN, |o| off(four(&o)));
            println!(
                "| {shape} | {model:?} | σ {sigma:?}, φ {spin:?} | {upwind:.1} | {:.1e} | {at_3:.2} | {new:.2} | {:.1e} | {:.0} | {at_6:.1} | {:.1e} |",
                off([fx, fy, m, m]),
                ours(&mut rough),
                upwind / at_3,
                ours(&mut fine),
            );
        }
    }

    println!(
        "\n| transient of 0.18 m | steps of, mm | upwind, µs | ours, µs | times faster | mean step, µs | dearest step at held inputs, µs | at close inputs, µs | after a jump, µs | set-up, µs | off by |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let patch: Patch<f64> = Patch::start(());
    for step in [0.01, 0.006] {
        let resolution = Resolution { step, nodes: 2, level: 1 };
        let finer = Resolution { step: 0.25 * step, nodes: 3, level: 3 };
        let (steps, millimetres) = ((0.18 / step).round() as u32, 1e3 * step);
        let r = Rolling { sigma_x: 0.16, sigma_y: 0.08, ..Rolling::start(()) };
        let mut grid = Upwind::new(&patch, 50, 240.0, forget(r.v_r));
        let make = |resolution| Straight::new(&patch, &bristle, resolution).ok();
        let (Some(straight), Some(mut fine)) = (make(resolution), make(finer)) else { return };
        let (mut held, mut changed, mut jumping) =
            (straight.clone(), straight.clone(), straight.clone());
        let roll = |s: &mut Straight<_>, x: f64| s.step(black_box([x, r.sigma_y]), r.v_r, 1.0);
        let mut ours = straight.clone();
        let off = worst((0..steps).map(|_| {
            let finest = (0..4).map(|_| roll(&mut fine, r.sigma_x)).last();
            (roll(&mut ours, r.sigma_x), finest.unwrap_or_default())
        }));
        let (mut nudge, mut there) = (0.0, 0.5);
        let [upwind, ours, held, changed, jump, setup] = best([
            &mut || {
                black_box(grid.transient(black_box(&r), 0.18));
            },
            &mut || {
                let mut s = straight.clone();
                for _ in 0..steps {
                    black_box(roll(&mut s, r.sigma_x));
                }
            },
            &mut || {
                black_box(roll(&mut held, r.sigma_x));
            },
            &mut || {
                nudge += 1e-6;
                black_box(roll(&mut changed, r.sigma_x + nudge));
            },
            &mut || {
                there = -there;
                black_box(roll(&mut jumping, there));
            },
            &mut || {
                let _ = black_box(make(resolution));
            },
        ]);
        println!(
            "| Fig. 12, no spin | {millimetres:.0} | {upwind:.0} | {ours:.1} | {:.0} | {:.2} | {held:.2} | {changed:.2} | {jump:.2} | {setup:.0} | {off:.1e} |",
            upwind / ours,
            ours / f64::from(steps)
        );
        for (name, model, spin) in [
            ("Fig. 13, Model 1, φ₁ = 3 1/m", Model::Standard, [3.0, 0.0]),
            ("Fig. 13, Model 3, φ₁ = 3 1/m", Model::Linear, [3.0, 0.0]),
            ("Fig. 13, Model 3, φ₂ = 3 1/m", Model::Linear, [0.0, 3.0]),
            ("Fig. 13, Model 2, φ₂ = 3 1/m", Model::Semilinear, [0.0, 3.0]),
        ] {
            let [phi1, phi2] = spin;
            let r =
                Rolling { model, sigma_x: 0.08, sigma_y: 0.08, phi1, phi2, ..Rolling::start(()) };
            let make = |resolution| Rolled::new(&patch, &bristle, &r, resolution).ok();
            let (Some(rolled), Some(mut fine)) = (make(resolution), make(finer)) else { return };
            let mut ours = rolled.clone();
            let off = worst((0..steps).map(|_| {
                let finest = (0..4).map(|_| fine.step(&r, 1.0)).last();
                (ours.step(&r, 1.0), finest.unwrap_or_default())
            }));
            // All but the first step of a run have their coefficients; the second moves most bristles.
            let mut dearest = f64::INFINITY;
            for _ in 0..10 * ROUNDS {
                let mut run = rolled.clone();
                black_box(run.step(&r, 1.0));
                let start = Instant::now();
                black_box(run.step(black_box(&r), 1.0));
                dearest = dearest.min(start.elapsed().as_secs_f64() * 1e6);
            }
            let (mut changed, mut now) = (rolled.clone(), r);
            let (mut jumping, mut there) = (rolled.clone(), r);
            let [upwind, ours, changed, jump, setup] = best([
                &mut || {
                    black_box(grid.transient(black_box(&r), 0.18));
                },
                &mut || {
                    let mut run = rolled.clone();
                    for _ in 0..steps {
                        black_box(run.step(black_box(&r), 1.0));
                    }
                },
                &mut || {
                    now.sigma_x += 1e-6;
                    black_box(changed.step(black_box(&now), 1.0));
                },
                &mut || {
                    there.sigma_x = -there.sigma_x;
                    black_box(jumping.step(black_box(&there), 1.0));
                },
                &mut || {
                    let _ = black_box(make(resolution));
                },
            ]);
            println!(
                "| {name} | {millimetres:.0} | {upwind:.0} | {ours:.1} | {:.0} | {:.2} | {dearest:.2} | {changed:.2} | {jump:.2} | {setup:.0} | {off:.1e} |",
                upwind / ours,
                ours / f64::from(steps)
            );
        }
    }

    let grid: Vec<f64> = (0..300).map(|k| f64::from(k) / 150.0 - 1.0).collect();
    let at = Rolling::start(());
    for accuracy in [1e-3, 1e-6, 1e-9] {
        let Ok(mut solver) = Steady::new(&patch, &bristle, accuracy) else { return };
        let [surface] = best([&mut || {
            let _ = black_box(solver.surface(black_box(&at), &grid, &grid));
        }]);
        println!(
            "\nA force-slip surface of 300 × 300 points without spin at {accuracy:e}: {:.2} ms.",
            surface / 1e3
        );
    }
}

/// The greatest differences of force and moment along a run, as parts of the greatest force and moment.
fn worst(run: impl Iterator<Item = (Wrench, Wrench)>) -> f64 {
    let size = |w: [f64; 4]| [w[0].hypot(w[1]), w[2].abs()];
    let (mut off, mut all) = ([0.0f64; 2], [0.0f64; 2]);
    for (ours, fine) in run {
        let (d, f) = (size(std::array::from_fn(|k| ours[k] - fine[k])), size(fine));
        off = std::array::from_fn(|k| off[k].max(d[k]));
        all = std::array::from_fn(|k| all[k].max(f[k]));
    }
    (off[0] / all[0]).max(off[1] / all[1])
}
