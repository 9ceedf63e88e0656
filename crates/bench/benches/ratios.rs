//! Nanoseconds per evaluation, and the same in units of one `f64::exp`.
//!
//! Throughput: each pass evaluates many independent drives and states, so that one evaluation may
//! overlap with the next, as in a sweep or a field of bristles. Everything takes turns in short
//! batches, round after round, so that a change of clock or a busy neighbour hits all alike; a
//! figure is the best batch of all rounds, and the unit, `exp`, is measured among the others.
use bristle_bench::{Subject, Task, WIDTH, concrete, exp, unions};
use bristle_num::simd;
use std::time::{Duration, Instant};

/// Evaluations to a pass: inputs and outputs stay in the first-level cache.
const COUNT: usize = 256;
/// How often everything takes its turn.
const ROUNDS: usize = 150;
/// How long a batch of passes lasts, about.
const BATCH: Duration = Duration::from_micros(50);

/// One task of one subject in one scalar, and how long it took.
struct Probe {
    subject: usize,
    wide: bool,
    task: Task,
    passes: usize,
    /// Nanoseconds per evaluation in every batch so far.
    batches: Vec<f64>,
}

impl Probe {
    fn new(subject: usize, wide: bool, task: Task, of: &mut Subject) -> Self {
        let mut probe = Probe { subject, wide, task, passes: 1, batches: Vec::new() };
        // Once to warm up, once to see how many passes make a batch.
        probe.time(of);
        let pass = probe.time(of).as_nanos().max(1);
        probe.passes = (BATCH.as_nanos() / pass).clamp(1, 10_000) as usize;
        probe
    }

    fn time(&self, of: &mut Subject) -> Duration {
        let work = if self.wide { &mut of.lanes } else { &mut of.scalar };
        let start = Instant::now();
        for _ in 0..self.passes {
            work.pass(self.task);
        }
        start.elapsed()
    }

    fn turn(&mut self, of: &mut Subject) {
        let nanos = self.time(of).as_secs_f64() * 1e9;
        self.batches.push(nanos / (self.passes * COUNT) as f64);
    }
}

/// Nanoseconds per evaluation in `f64` and in lanes: the best batch and the median one.
struct Cost {
    best: [f64; 2],
    median: [f64; 2],
}

struct Results {
    subjects: Vec<Subject>,
    probes: Vec<Probe>,
}

impl Results {
    fn measure(mut subjects: Vec<Subject>) -> Self {
        let mut probes = Vec::new();
        for (i, s) in subjects.iter_mut().enumerate() {
            for task in Task::ALL.into_iter().filter(|t| s.scalar.can(*t)).collect::<Vec<_>>() {
                probes.extend([false, true].map(|wide| Probe::new(i, wide, task, s)));
            }
        }
        for _ in 0..ROUNDS {
            for probe in &mut probes {
                probe.turn(&mut subjects[probe.subject]);
            }
        }
        probes.iter_mut().for_each(|p| p.batches.sort_by(f64::total_cmp));
        Results { subjects, probes }
    }

    fn cost(&self, subject: usize, task: Task) -> Option<Cost> {
        let find = |wide| {
            self.probes.iter().find(|p| (p.subject, p.wide, p.task) == (subject, wide, task))
        };
        let pair = [find(false)?, find(true)?];
        Some(Cost { best: pair.map(|p| p.batches[0]), median: pair.map(|p| p.batches[ROUNDS / 2]) })
    }
}

fn main() {
    let (unit, types, models) = (exp(COUNT), concrete(COUNT), unions(COUNT));
    let first_model = 1 + types.len();
    let subjects = [unit].into_iter().chain(types).chain(models).collect();
    let results = Results::measure(subjects);
    let name = |i: usize| &results.subjects[i].name;
    let Some(unit) = results.cost(0, Task::Eval) else { return };
    let (ns, median) = (unit.best[0], unit.median[0]);

    println!(
        "Throughput: {COUNT} independent evaluations to a pass; the best of {ROUNDS} batches of \
         about {} µs.\nLanes: {WIDTH}, {}. One exp: {ns:.2} ns ({median:.2} ns in the median \
         batch).",
        BATCH.as_micros(),
        if simd::has_avx2() { "with AVX2" } else { "without AVX2" },
    );
    for task in Task::ALL {
        println!("\n### {}\n", task.title());
        println!("| model | f64, ns | f64, exp | a lane, ns | a lane, exp | times faster |");
        println!("|---|---:|---:|---:|---:|---:|");
        for i in 0..results.subjects.len() {
            let name = match i {
                _ if i == 0 || i >= first_model => name(i).clone(),
                _ => format!("{}, concrete type", name(i)),
            };
            match results.cost(i, task) {
                Some(Cost { best: [f, l], .. }) => println!(
                    "| {name} | {f:.1} | {:.2} | {l:.1} | {:.2} | {:.2} |",
                    f / ns,
                    l / ns,
                    f / l
                ),
                None if i == 0 => {}
                None => println!("| {name} | - | - | - | - | - |"),
            }
        }
    }

    println!("\n### what the unions cost, as a multiple of the concrete type\n");
    println!("| model | task | f64 | lanes |\n|---|---|---:|---:|");
    for i in 1..first_model {
        let twin = (first_model..results.subjects.len()).find(|j| name(*j) == name(i));
        for task in Task::ALL {
            let pair = (results.cost(i, task), twin.and_then(|j| results.cost(j, task)));
            if let (Some(own), Some(twin)) = pair {
                let [f, l] = [0, 1].map(|k| twin.best[k] / own.best[k]);
                println!("| {} | {} | {f:.2} | {l:.2} |", name(i), task.title());
            }
        }
    }

    println!("\n### promises, for {} as a concrete type\n", name(1));
    let (eval, step) = (results.cost(1, Task::ALL[0]), results.cost(1, Task::ALL[1]));
    let (Some(eval), Some(step)) = (eval, step) else { return };
    let promise = |what: &str, [best, median]: [f64; 2], kept: bool| {
        let mark = if kept { "PASS" } else { "MISS" };
        println!("- {mark}: {what}: {best:.2} (medians: {median:.2})");
    };
    let cost = [eval.best[0] / ns, eval.median[0] / median];
    promise("rate and force in f64, at most 4 exp", cost, cost[0] <= 4.0);
    let cost = [step.best[0] / ns, step.median[0] / median];
    promise("midpoint step in f64, at most 5 exp", cost, cost[0] <= 5.0);
    let faster = [eval.best, eval.median].map(|[scalar, lane]| scalar / lane);
    if simd::has_avx2() {
        promise("four lanes with AVX2 at least 2.5 times faster", faster, faster[0] >= 2.5);
    }
}
