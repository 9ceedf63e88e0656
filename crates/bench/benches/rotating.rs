//! What a slip over rotating bristles costs: by body length, by the bristles passed before, and at low
//! frequency. `cargo bench -p bristle-bench --bench rotating`
use bristle_kernel::Start;
use bristle_kernel::bristle::{Rotating, RotatingDiscontinuous};
use bristle_rotating::{Body, Event, Friction, Push, Run};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

/// Milliseconds of the fastest of many runs, each short, so that a busy machine matters little.
fn fastest(runs: usize, mut run: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

/// Dragged as in Fig. 7, over so many bristles under the body, from `x`.
fn dragged(bristles: f64, x: f64) -> Run {
    let m = RotatingDiscontinuous::start(());
    let m = RotatingDiscontinuous { d: bristles * m.delta, ..m };
    // The spring is slack where the body is set down.
    let push = Push::Ramp { from: x, rate: 0.002 };
    Run::new(Body { push, ..Body::dragged(1.0, 1.0, 0.002) }, Friction::Discontinuous(m), x, 0.0)
}

fn slips(mut run: Run, count: usize) -> usize {
    let (mut teeth, mut found, mut steps) = (0, 0, 0);
    while found < count {
        let step = run.advance(f64::INFINITY).expect("no chattering");
        steps += 1;
        match step.event {
            Event::Edge { passed } => teeth += passed,
            Event::Stop if teeth > 0 => (found, teeth) = (found + 1, 0),
            _ => {}
        }
    }
    black_box(run.x());
    steps
}

fn main() {
    println!("one DRBM slip of Fig. 7 with its creep, mean of 5:");
    for bristles in [10.0, 1e3, 1e5] {
        let ms = fastest(200, || _ = black_box(slips(dragged(bristles, 0.0), 5))) / 5.0;
        println!("  {bristles:>8} bristles under the body: {ms:.4} ms");
    }
    let ms = fastest(200, || _ = black_box(slips(dragged(100.0, 500.0), 5))) / 5.0;
    println!("  {:>8} bristles passed before: {ms:.4} ms", 100_000);
    let steps = slips(dragged(100.0, 0.0), 50) / 50;
    println!("  {steps} steps each");
    for delta in [0.01, 0.005] {
        let m = RotatingDiscontinuous { delta, d: 1.0, ..RotatingDiscontinuous::start(()) };
        let ms = fastest(20, || {
            let body = Body::tied(1.0, 1.0, 1.0, 0.001);
            let mut run = Run::new(body, Friction::Discontinuous(m), 0.0, 0.0);
            run.to(1.25 * TAU / 0.001, |_, _| {}).expect("no chattering");
            black_box(run.x());
        });
        println!("hysteresis of Fig. 9 at 0.001 rad/s, delta = {delta} m, 1.25 cycles: {ms:.1} ms");
    }
    let ms = fastest(20, || {
        let m: Rotating<f64> = Rotating::start(());
        let mut run = Run::new(Body::dragged(1.0, 1.0, 0.5), Friction::Rotating(m), 0.0, 0.0);
        run.to(100.0, |_, _| {}).expect("no chattering");
        black_box(run.x());
    });
    println!("RBM of Fig. 5, 100 s, 5000 bristles passed: {ms:.2} ms");
}
