//! Rolling contact: microseconds per operating point and transient, beside the scheme of paper 004.
//!
//! Both are measured in turn, round after round, and the best round counts; errors are against this crate's
//! own solution at 1e-9; tests compare both with an independent reference.
use bristle_bench::upwind::Upwind;
use bristle_contact::patch::transient::{Manoeuvre, Rolled};
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
            let ours = |s: &mut Steady| s.solve(&r).map_or(f64::NAN, |o| off(four(&o)));
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
        "\n| transient of 0.18 m, 31 rows | upwind, µs | at 1e-3, µs | times faster | off by | at 1e-6, µs | off by | one step by hand, µs |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let patch: Patch<f64> = Patch::start(());
    let places: Vec<f64> = (0..=30).map(|k| 0.006 * f64::from(k)).collect();
    for (name, model, sigma, spin) in [
        ("Fig. 12, no spin", Model::Linear, [0.16, 0.08], [0.0, 0.0]),
        ("Fig. 13, Model 1, φ₁ = 3 1/m", Model::Standard, [0.08, 0.08], [3.0, 0.0]),
        ("Fig. 13, Model 3, φ₁ = 3 1/m", Model::Linear, [0.08, 0.08], [3.0, 0.0]),
        ("Fig. 13, Model 3, φ₂ = 3 1/m", Model::Linear, [0.08, 0.08], [0.0, 3.0]),
        ("Fig. 13, Model 2, φ₂ = 3 1/m", Model::Semilinear, [0.08, 0.08], [0.0, 3.0]),
    ] {
        let ([sigma_x, sigma_y], [phi1, phi2]) = (sigma, spin);
        let r = Rolling { model, sigma_x, sigma_y, phi1, phi2, ..Rolling::start(()) };
        let mut grid = Upwind::new(&patch, 50, 240.0, forget(r.v_r));
        let course =
            Manoeuvre { rolling: &|_| r, jumps: &[], at: &places, start: &|_, _| [0.0; 2] };
        let roll = |accuracy: f64| {
            Steady::new(&patch, &bristle, accuracy).and_then(|s| s.roll(&course)).ok()
        };
        let hand = Steady::new(&patch, &bristle, 1e-3).and_then(|s| Rolled::new(s, &r, 0.006));
        let (Some(truth), Ok(mut hand)) = (roll(1e-8), hand) else { return };
        let off =
            |accuracy: f64| roll(accuracy).map_or(f64::NAN, |ours| worst(ours.iter().zip(&truth)));
        let [upwind, at_3, at_6, step] = best([
            &mut || {
                black_box(grid.transient(black_box(&r), 0.18));
            },
            &mut || {
                let _ = black_box(roll(1e-3));
            },
            &mut || {
                let _ = black_box(roll(1e-6));
            },
            &mut || {
                let _ = black_box(hand.step(black_box(&r), 1.0));
            },
        ]);
        println!(
            "| {name} | {upwind:.0} | {at_3:.0} | {:.1} | {:.1e} | {at_6:.0} | {:.1e} | {step:.1} |",
            upwind / at_3,
            off(1e-3),
            off(1e-6)
        );
    }

    let grid: Vec<f64> = (0..300).map(|k| f64::from(k) / 150.0 - 1.0).collect();
    let at = Rolling::start(());
    for accuracy in [1e-3, 1e-6, 1e-9] {
        let Ok(solver) = Steady::new(&patch, &bristle, accuracy) else { return };
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
fn worst<'a>(run: impl Iterator<Item = (&'a Outcome, &'a Outcome)>) -> f64 {
    let size = |w: [f64; 4]| [w[0].hypot(w[1]), w[2].abs()];
    let (mut off, mut all) = ([0.0f64; 2], [0.0f64; 2]);
    for (ours, fine) in run {
        let (ours, fine) = (ours.wrench(), fine.wrench());
        let (d, f) = (size(std::array::from_fn(|k| ours[k] - fine[k])), size(fine));
        off = std::array::from_fn(|k| off[k].max(d[k]));
        all = std::array::from_fn(|k| all[k].max(f[k]));
    }
    (off[0] / all[0]).max(off[1] / all[1])
}
