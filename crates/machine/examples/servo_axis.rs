//! Our side of the comparison on a servo axis: see `tools/peers/servo.sh`.
//!
//! `servo_axis FILE` writes the position at every tenth of a second, at 1e-12, to FILE, and a row for each tolerance to
//! standard output: solver, tolerance, greatest error of the position, best time of several runs.
use bristle_kernel::Start;
use bristle_kernel::bristle::LuGre;
use bristle_kernel::law::Stribeck;
use bristle_machine::{Body, Control, Damper, End, Machine};
use bristle_ode::{Heap, Options, Radau, Solver};
use bristle_system::signal::MultiSine;
use bristle_system::{Coupled, Step, Watch, run};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::ops::ControlFlow;
use std::{env, fs};

/// Processor time of this thread so far, s: a busy machine does not count.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

const END: f64 = 10.0;
const SAMPLES: usize = 100;
/// The best of so many runs counts.
const RUNS: usize = 20;

/// The axis of S1: PD control within ±150 N, a damper and one contact.
fn axis() -> Result<Coupled<Machine>, Box<dyn Error>> {
    let mut parts = Machine::builder();
    let slide = parts.body("slide", Body { mass: 95.1, ..Body::start(()) });
    parts.damper("guide", [slide, End::GROUND], Damper { damping: 203.5 });
    let law = Stribeck {
        mu_s: 0.13,
        mu_d: 0.102,
        v_s: 0.005,
        exponent: 2.0,
        viscous: 0.0,
        ..Stribeck::start(())
    };
    let friction = LuGre { sigma0: 1e4, sigma1: 50.0, ..LuGre::start(law) };
    parts.contact("rail", [slide, End::GROUND], 200.0, friction);
    let reference = MultiSine {
        amplitude: [0.05, 0.006].into_iter().collect(),
        frequency: [0.3, 1.9].into_iter().collect(),
        ..MultiSine::start(())
    };
    let control = Control { kp: 3e4, kd: 2e3, limit: 150.0, ..Control::start(()) };
    parts.control("servo", slide, reference, control);
    Ok(parts.build()?)
}

/// Takes positions at every sample.
struct Sampler {
    next: usize,
    y: Vec<f64>,
    positions: Vec<f64>,
}

impl Watch<Machine> for Sampler {
    fn step(&mut self, _system: &Coupled<Machine>, step: &Step<'_>) -> ControlFlow<()> {
        let at = |k: usize| END * k as f64 / SAMPLES as f64;
        while self.next <= SAMPLES && at(self.next) <= step.end() {
            step.dense.at(at(self.next), &mut self.y);
            self.positions.push(self.y[0]);
            self.next += 1;
        }
        ControlFlow::Continue(())
    }
}

fn solve(system: &Coupled<Machine>, rtol: f64) -> Result<Vec<f64>, Box<dyn Error>> {
    let atol = [rtol, rtol, 1e-5 * rtol];
    let y = system.initial();
    let radau: Radau<Heap> = Radau::new(system);
    let mode = system.begin(0.0, &y);
    let mut solver = Solver::new(system, radau, 0.0, &y, mode, Options::new(rtol, &atol));
    let mut sampler = Sampler { next: 1, y, positions: Vec::with_capacity(SAMPLES) };
    let _ = run(system, &mut solver, END, &mut sampler)?;
    Ok(sampler.positions)
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("servo_axis FILE: where does the trajectory go?")?;
    let system = axis()?;
    let reference = solve(&system, 1e-12)?;
    let lines: Vec<String> = reference.iter().map(|x| format!("{x:.17e}")).collect();
    fs::write(file, lines.join("\n"))?;
    for k in 6..=20 {
        let rtol = 10f64.powf(-0.5 * f64::from(k));
        let positions = solve(&system, rtol)?;
        let error = positions.iter().zip(&reference).map(|(x, r)| (x - r).abs());
        let error = error.fold(0.0, f64::max);
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = processor();
            std::hint::black_box(solve(&system, rtol)?);
            best = best.min(processor() - start);
        }
        println!("bristle,{rtol:.1e},{error:.2e},{best:.4e}");
    }
    Ok(())
}
