//! Our side of the comparison with other solvers: see `tools/peers`.
//!
//! `peers DIR` writes, for each problem, a reference trajectory to DIR and a row for each tolerance
//! to standard output: what error the run had, against the reference, and what its best time was.
use bristle_bench::chain::Chain;
use bristle_kernel::{AnyBristle, Start};
use bristle_ode::{Heap, Options, Radau, Solver, Statistics};
use bristle_scenario::{friction::Friction, sets};
use bristle_system::mechanism::{Belt, Festoon, Valve};
use bristle_system::signal::{Constant, Points, Sine};
use bristle_system::{Coupled, Mechanism, Step, Watch, run};
use rustix::time::{ClockId, clock_gettime};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use std::{env, error::Error, fmt::Write, fs, path::Path};

/// Time between samples of a trajectory, s.
const SAMPLE: f64 = 0.1;
/// The tolerance of reference trajectories.
const TIGHT: f64 = 1e-12;
/// A run is repeated for so long, and at least so often.
const REPEAT: (Duration, usize) = (Duration::from_millis(400), 5);

/// Processor time of this thread so far, s: a busy machine does not count.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// A mechanism and its friction, over some time.
struct Problem<M> {
    name: String,
    model: &'static str,
    system: Coupled<M>,
    end: f64,
    /// The states that are positions.
    positions: Vec<usize>,
    /// Absolute tolerances, as multiples of the relative one: the size of each state.
    sizes: Vec<f64>,
}

/// Positions at every sample, and what they cost.
struct Run {
    positions: Vec<f64>,
    statistics: Statistics,
}

/// Takes positions at every sample.
struct Sampler<'a> {
    places: &'a [usize],
    end: f64,
    next: usize,
    y: Vec<f64>,
    positions: Vec<f64>,
}

impl<M> Watch<M> for Sampler<'_> {
    fn step(&mut self, _system: &Coupled<M>, step: &Step<'_>) -> ControlFlow<()> {
        let samples = (self.end / SAMPLE).round() as usize;
        while self.next <= samples && (self.next as f64 * SAMPLE).min(self.end) <= step.end() {
            step.dense.at((self.next as f64 * SAMPLE).min(self.end), &mut self.y);
            self.positions.extend(self.places.iter().map(|&i| self.y[i]));
            self.next += 1;
        }
        ControlFlow::Continue(())
    }
}

impl<M: Mechanism> Problem<M> {
    fn solve(&self, rtol: f64) -> Result<Run, Box<dyn Error>> {
        let system = &self.system;
        let atol: Vec<f64> = self.sizes.iter().map(|s| rtol * s).collect();
        let y = system.initial();
        let radau: Radau<Heap> = Radau::new(system);
        let mode = system.begin(0.0, &y);
        let mut solver = Solver::new(system, radau, 0.0, &y, mode, Options::new(rtol, &atol));
        let (places, end, positions) = (&self.positions, self.end, Vec::new());
        let mut sampler = Sampler { places, end, next: 1, y, positions };
        let _ = run(system, &mut solver, self.end, &mut sampler)?;
        Ok(Run { positions: sampler.positions, statistics: *solver.statistics() })
    }

    /// The best time of several runs, s.
    fn time(&self, rtol: f64) -> Result<f64, Box<dyn Error>> {
        let begin = Instant::now();
        let (mut best, mut runs) = (f64::INFINITY, 0);
        while runs < REPEAT.1 || begin.elapsed() < REPEAT.0 {
            let start = processor();
            std::hint::black_box(self.solve(rtol)?);
            best = best.min(processor() - start);
            runs += 1;
        }
        Ok(best)
    }

    fn compare(&self, folder: &Path, end: Option<f64>) -> Result<(), Box<dyn Error>> {
        let reference = self.solve(TIGHT)?.positions;
        let mut text = String::new();
        for row in reference.chunks(self.positions.len()) {
            let row: Vec<String> = row.iter().map(|x| format!("{x:.17e}")).collect();
            writeln!(text, "{}", row.join(","))?;
        }
        fs::write(folder.join(format!("{}-{}.csv", self.name, self.model)), text)?;
        for k in 8..=20 {
            let rtol = 10f64.powf(-0.5 * f64::from(k));
            let run = self.solve(rtol)?;
            let error = match end {
                Some(end) => run.positions.last().map_or(f64::NAN, |x| (x - end).abs()),
                None => {
                    let pairs = run.positions.iter().zip(&reference);
                    pairs.fold(0.0, |worst: f64, (x, r)| worst.max((x - r).abs()))
                }
            };
            let seconds = self.time(rtol)?;
            let Statistics { accepted, rejected, diverged, rhs, jacobians, events, factorisations } =
                run.statistics;
            println!("bristle,{},{},{rtol:.1e},{error:.2e},{seconds:.4e}", self.name, self.model);
            eprintln!(
                "  {accepted} steps, {rejected} + {diverged} failed, {rhs} rhs, {jacobians} \
                 jacobians, {factorisations} factorisations, {events} events"
            );
        }
        Ok(())
    }
}

fn friction(set: &str, model: &str) -> Result<AnyBristle<f64>, Box<dyn Error>> {
    match sets::load(set, model)? {
        Friction::Line(friction) => Ok(friction),
        Friction::Plane(_) => Err(format!("{model} slides in a plane").into()),
    }
}

/// The tow of the festoon goes to and fro by 0.5 m, then out: docs/errata.md.
const COURSE: [(f64, f64); 14] = [
    (0.0, 0.0),
    (3.0, 0.0),
    (3.5, 0.5 / 2.88),
    (5.88, 0.5 / 2.88),
    (6.38, 0.0),
    (7.6, 0.0),
    (8.1, -0.5 / 3.435),
    (11.035, -0.5 / 3.435),
    (11.535, 0.0),
    (14.0, 0.0),
    (15.0, 0.7),
    (18.8, 0.7),
    (19.0, 0.0),
    (24.0, 0.0),
];

fn towed() -> Festoon<f64, Points<f64>> {
    let (t, value) = (COURSE.map(|p| p.0), COURSE.map(|p| p.1));
    Festoon::start(Points { t: t.into_iter().collect(), value: value.into_iter().collect() })
}

fn sinusoidal() -> Valve<f64, Sine<f64>> {
    let drive = Sine { mean: 50.0, amplitude: 30.0, frequency: 0.05, angle: 0.0 };
    Valve { lag: 0.425, ..Valve::start(drive) }
}

/// x(20 s) of the belt with LuGre, from the independent numbers of `data/reference`.
fn belt_end() -> Result<f64, Box<dyn Error>> {
    let file = "../../data/reference/lugre-or-not/scalars.csv";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))?;
    let row = text.lines().find_map(|l| l.strip_prefix("belt,LuGre,x(20)_m,"));
    let value = row.and_then(|r| r.split(',').next()).ok_or("no reference for the belt")?;
    Ok(value.parse()?)
}

fn belt(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mechanism = Belt::start(Constant { value: 0.1 });
    let problem = Problem {
        name: "belt".into(),
        model: "lugre",
        system: Coupled::new(mechanism, friction("lugre-or-not-set-2", "lugre")?),
        end: 20.0,
        positions: vec![0],
        // m, m/s, and what a bristle bends before it slides.
        sizes: vec![1.0, 1.0, 1e-4],
    };
    problem.compare(folder, Some(belt_end()?))
}

fn festoon(folder: &Path, model: &'static str) -> Result<(), Box<dyn Error>> {
    let system = Coupled::new(towed(), friction("lugre-or-not-festoon", model)?);
    let states = system.initial().len();
    let size = |i: usize| if i < 16 || (states == 20 && i % 2 == 1) { 1e-2 } else { 1e-6 };
    let problem = Problem {
        name: "festoon".into(),
        model,
        system,
        end: 24.0,
        positions: vec![0, 2, 4, 5, 8, 9, 12, 13],
        // m, m/s; bristles: z in m, and where there is a second state it is a velocity.
        sizes: (0..states).map(size).collect(),
    };
    problem.compare(folder, None)
}

fn valve(folder: &Path, model: &'static str) -> Result<(), Box<dyn Error>> {
    let problem = Problem {
        name: "valve".into(),
        model,
        system: Coupled::new(sinusoidal(), friction("frbd-table-3", model)?),
        end: 60.0,
        positions: vec![0],
        sizes: vec![1e-4, 1e-5, 1e3, 1e-7],
    };
    problem.compare(folder, None)
}

/// Blocks on a belt: x and v of each, then all bristles.
fn chain(folder: &Path, blocks: usize) -> Result<(), Box<dyn Error>> {
    let bodies = (0..2 * blocks).map(|_| 1e-1);
    let problem = Problem {
        name: format!("chain{blocks}"),
        model: "lugre",
        system: Chain::with_lugre(blocks),
        end: 5.0,
        positions: (0..blocks).map(|i| 2 * i).collect(),
        sizes: bodies.chain((0..blocks).map(|_| 1e-5)).collect(),
    };
    problem.compare(folder, None)
}

fn main() -> Result<(), Box<dyn Error>> {
    // cargo adds `--bench` of its own.
    let folder = env::args().skip(1).find(|a| !a.starts_with("--"));
    let folder = folder.ok_or("peers DIR: where do the trajectories go?")?;
    let folder = Path::new(&folder);
    belt(folder)?;
    festoon(folder, "static")?;
    festoon(folder, "lugre")?;
    festoon(folder, "bristle2")?;
    valve(folder, "frbd")?;
    valve(folder, "lugre")?;
    [5, 20, 50, 150].into_iter().try_for_each(|blocks| chain(folder, blocks))
}
