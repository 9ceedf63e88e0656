//! Runs random systems and judges them.
//!
//! ```text
//! cargo run --release -p bristle-random -- --seed 1 --count 20000
//! cargo run --release -p bristle-random -- --seed 1 --only 1234
//! ```
//!
//! `--every K` holds one case in K against small steps too (10). `--only N` shows one case: what it is,
//! what is wrong with it and, with `--steps`, every step that it takes.
use bristle_random::generator::Case;
use bristle_random::judge::{Judgement, Verdict, judge};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What the command line asks for.
struct Wanted {
    seed: u64,
    first: u64,
    count: u64,
    every: u64,
    only: Option<u64>,
    steps: bool,
}

impl Wanted {
    fn read() -> Result<Self, String> {
        let mut wanted =
            Wanted { seed: 1, first: 0, count: 1000, every: 10, only: None, steps: false };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || {
                let next = words.next().and_then(|n| n.parse::<u64>().ok());
                next.ok_or(format!("{word} needs a number"))
            };
            match word.as_str() {
                "--seed" => wanted.seed = number()?,
                "--first" => wanted.first = number()?,
                "--count" => wanted.count = number()?,
                "--every" => wanted.every = number()?.max(1),
                "--only" => wanted.only = Some(number()?),
                "--steps" => wanted.steps = true,
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(wanted)
    }
}

/// How many cases came out how.
#[derive(Clone, Default)]
struct Tally {
    right: u64,
    ill: u64,
    excused: u64,
    wrong: u64,
    compared: u64,
}

impl Tally {
    fn enter(&mut self, judgement: &Judgement) {
        match judgement.verdict {
            Verdict::Right => self.right += 1,
            Verdict::IllConditioned => self.ill += 1,
            Verdict::Excused(_) => self.excused += 1,
            Verdict::Wrong(_) => self.wrong += 1,
        }
        self.compared += u64::from(judgement.compared);
    }
}

/// All verdicts of a run.
#[derive(Default)]
struct Table {
    all: Tally,
    models: BTreeMap<String, Tally>,
    kinds: BTreeMap<&'static str, Tally>,
    faults: BTreeMap<&'static str, u64>,
    wrong: Vec<(u64, String)>,
    steps: usize,
    slowest: Vec<(f64, u64)>,
}

impl Table {
    fn enter(&mut self, case: &Case, judgement: &Judgement, seconds: f64) {
        self.all.enter(judgement);
        self.models.entry(case.models()).or_default().enter(judgement);
        self.kinds.entry(case.kind).or_default().enter(judgement);
        self.steps += judgement.statistics.accepted;
        self.slowest.push((seconds, case.number));
        if let Verdict::Wrong(faults) = &judgement.verdict {
            for fault in faults {
                *self.faults.entry(fault.kind()).or_default() += 1;
            }
            let faults: Vec<String> =
                faults.iter().map(|fault| format!("{}: {fault}", fault.kind())).collect();
            let text = format!("{} / {}: {}", case.kind, case.models(), faults.join("; "));
            eprintln!("wrong {}: {text}", case.number);
            self.wrong.push((case.number, text));
        }
    }

    fn print(&mut self) {
        self.wrong.sort();
        for (number, text) in &self.wrong {
            println!("wrong {number}: {text}");
        }
        let line = |name: &str, tally: &Tally| {
            let Tally { right, ill, excused, wrong, compared } = tally;
            println!("{name:24} {right:7} {ill:7} {excused:7} {wrong:7} {compared:9}");
        };
        println!(
            "{:24} {:>7} {:>7} {:>7} {:>7} {:>9}",
            "", "right", "ill", "excused", "wrong", "compared"
        );
        self.models.iter().for_each(|(name, tally)| line(name, tally));
        println!();
        self.kinds.iter().for_each(|(name, tally)| line(name, tally));
        println!();
        line("all", &self.all);
        for (kind, count) in &self.faults {
            println!("{count:7} {kind}");
        }
        self.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        let slowest: Vec<String> =
            self.slowest.iter().take(5).map(|(s, n)| format!("{n} ({s:.1} s)")).collect();
        println!("{} steps; slowest: {}", self.steps, slowest.join(", "));
    }
}

fn show(case: &Case, steps: bool) -> ExitCode {
    println!("{case:#?}");
    let judgement = judge(case, true, steps);
    println!("{:?}, until {} s", judgement.statistics, judgement.end);
    match judgement.verdict {
        Verdict::Wrong(faults) => {
            faults.iter().for_each(|fault| println!("wrong: {}: {fault}", fault.kind()));
            ExitCode::FAILURE
        }
        Verdict::Right => {
            println!("right{}", if judgement.compared { ", by small steps too" } else { "" });
            ExitCode::SUCCESS
        }
        Verdict::IllConditioned => {
            println!("ill conditioned");
            ExitCode::SUCCESS
        }
        Verdict::Excused(reason) => {
            println!("excused: {reason}");
            ExitCode::SUCCESS
        }
    }
}

fn main() -> ExitCode {
    let wanted = match Wanted::read() {
        Ok(wanted) => wanted,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(number) = wanted.only {
        return show(&Case::draw(wanted.seed, number), wanted.steps);
    }
    // Panics are verdicts: they are told in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let (begun, end) = (Instant::now(), wanted.first + wanted.count);
    let next = AtomicU64::new(wanted.first);
    let table = Mutex::new(Table::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        break;
                    }
                    let (case, start) = (Case::draw(wanted.seed, number), Instant::now());
                    let judgement = judge(&case, number.is_multiple_of(wanted.every), false);
                    let mut table = table.lock().unwrap_or_else(|broken| broken.into_inner());
                    table.enter(&case, &judgement, start.elapsed().as_secs_f64());
                    let done = table.slowest.len();
                    if done.is_multiple_of(500) {
                        let Tally { ill, wrong, .. } = table.all;
                        let seconds = begun.elapsed().as_secs_f64();
                        eprintln!(
                            "{done} cases, {wrong} wrong, {ill} ill conditioned, {seconds:.0} s"
                        );
                    }
                }
            });
        }
    });
    let mut table = table.into_inner().unwrap_or_else(|broken| broken.into_inner());
    table.print();
    if table.all.wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
