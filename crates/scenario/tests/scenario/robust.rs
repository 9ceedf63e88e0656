//! Files that are wrong in every way are refused, and scenarios that are right end or say why not.
//!
//! The search takes a few seconds. `BRISTLE_FUZZ_SECONDS=600 cargo test --release -p bristle-scenario --test
//! scenario robust` goes on for ten minutes, from another start each time (`BRISTLE_FUZZ_START` repeats one). What
//! was ever found stands in `fuzz/` and is tried first.
use bristle_scenario::{OnImbalance, Scenario, Setting, Stopped, line, machine, patch, simulate};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// No input may take longer than this, on a machine that has other things to do as well.
const PATIENCE: Duration = Duration::from_secs(300);

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str) -> Vec<String> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    paths.sort();
    paths.retain(|p| p.extension().is_some_and(|e| e == ending));
    paths.iter().map(|p| fs::read_to_string(p).unwrap()).collect()
}

/// Marsaglia's xorshift: what it gives is the same on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Values that are hard on readers.
const ODD: [&str; 28] = [
    "nan",
    "inf",
    "-inf",
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "5e-324",
    "1e400",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "\"\"",
    "\"belt\"",
    "\"frbd\"",
    "true",
    "[]",
    "{}",
    "[[]]",
    "[1, \"a\"]",
    "[nan]",
    "{ model = 1 }",
    "1979-05-27",
    "'''",
    "=",
    "[",
    "\u{0}",
    "\u{202e}µ",
];

/// A file made wrong, or right in another way.
fn mutated(chance: &mut Chance, corpus: &[String]) -> String {
    let mut lines: Vec<String> =
        corpus[chance.below(corpus.len())].lines().map(str::to_owned).collect();
    for _ in 0..=chance.below(4) {
        let k = chance.below(lines.len());
        match chance.below(8) {
            0 => drop(lines.remove(k.min(lines.len().saturating_sub(1)))),
            1 => lines.insert(k, lines[chance.below(lines.len())].clone()),
            2 => {
                let other = chance.below(lines.len());
                lines.swap(k, other);
            }
            3 | 4 => {
                if let Some((key, _)) = lines[k].clone().split_once('=') {
                    lines[k] = format!("{key}= {}", chance.pick(&ODD));
                }
            }
            5 => {
                let donor = &corpus[chance.below(corpus.len())];
                let all: Vec<&str> = donor.lines().collect();
                lines.insert(k, chance.pick(&all).to_owned());
            }
            6 => {
                let mut bytes = lines[k].clone().into_bytes();
                if !bytes.is_empty() {
                    let at = chance.below(bytes.len());
                    bytes[at] = chance.next() as u8;
                }
                lines[k] = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {
                let at = lines[k].char_indices().nth(chance.below(20)).map_or(0, |(i, _)| i);
                lines[k].insert_str(at, chance.pick(&ODD));
            }
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

/// What the program does with a text before it begins to compute.
fn read(text: &str) {
    if let Ok(scenario) = Scenario::read(text, &[]) {
        let _ = scenario.system();
    }
    let _ = machine::Scenario::read(text, &[], Path::new("scenarios"));
    let _ = patch::Scenario::read(text, &[]);
    let _ = line::Scenario::read(text, &[], Path::new("scenarios"));
    let _ = bristle_trace::read_csv(text.as_bytes());
}

/// Runs `work` on another thread; panics with the input if it panics there or takes too long.
fn guarded(text: &str, work: impl FnOnce(&str) + Send + 'static) {
    let (done, heard) = channel();
    let own = text.to_owned();
    thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&own)));
        let _ = done.send(outcome.is_ok());
    });
    match heard.recv_timeout(PATIENCE) {
        Ok(true) => {}
        Ok(false) => panic!("a reader panics at:\n{text}"),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            panic!("a reader takes more than {PATIENCE:?} at:\n{text}")
        }
    }
}

/// How many inputs, until when, and where chance starts.
fn effort(usual: usize) -> (usize, Instant, u64) {
    let seconds = env::var("BRISTLE_FUZZ_SECONDS").ok().and_then(|s| s.parse::<u64>().ok());
    let start = env::var("BRISTLE_FUZZ_START").ok().and_then(|s| s.parse().ok());
    let clock = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(1, |d| d.as_nanos() as u64)
    };
    match seconds {
        Some(seconds) => (
            usize::MAX,
            Instant::now() + Duration::from_secs(seconds),
            start.unwrap_or_else(clock) | 1,
        ),
        None => (usual, Instant::now() + Duration::from_secs(3600), start.unwrap_or(0x9e37_79b9)),
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_and_no_more() {
    let corpus = files(&here().join("../../scenarios"), "toml");
    assert!(corpus.len() > 20);
    for text in files(&here().join("tests/fuzz"), "toml") {
        guarded(&text, read);
    }
    let (count, until, start) = effort(4000);
    let mut chance = Chance(start);
    let mut tried = 0;
    while tried < count && Instant::now() < until {
        // One thread for many inputs: what stops it is found again one by one.
        let batch: Vec<String> = (0..100).map(|_| mutated(&mut chance, &corpus)).collect();
        guarded(&batch.join("\u{1}"), |all| all.split('\u{1}').for_each(read));
        tried += batch.len();
    }
    println!("{tried} files from {start}");
}

#[test]
fn a_table_that_is_wrong_is_refused_and_no_more() {
    let folder = here().join("../../data/reference");
    let mut corpus = Vec::new();
    for name in ["frbd", "rotating", "rolling"] {
        // Their first lines are enough to be wrong in.
        let heads = files(&folder.join(name), "csv").into_iter();
        corpus.extend(heads.map(|t| t.lines().take(12).collect::<Vec<_>>().join("\n")));
    }
    corpus.push("t [s],x [m]\n0,1\n1,2\n".into());
    for text in files(&here().join("tests/fuzz"), "csv") {
        guarded(&text, read);
    }
    let (count, until, start) = effort(4000);
    let mut chance = Chance(start);
    let mut tried = 0;
    while tried < count && Instant::now() < until {
        let text = mutated(&mut chance, &corpus);
        guarded(&text, |text| drop(bristle_trace::read_csv(text.as_bytes())));
        tried += 1;
    }
    println!("{tried} tables from {start}");
}

/// A number of a file, some powers of ten away.
fn scaled(chance: &mut Chance, line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let number: f64 = value.trim().parse().ok()?;
    let times = 10f64.powf(4.0 * chance.unit() - 2.0);
    Some(format!("{key}= {:e}", number * times))
}

/// Every scenario with some of its numbers, its model and its method changed: it ends with numbers in its
/// trace, or it says why it does not.
#[test]
fn scenarios_end_or_say_why_not() {
    let models = bristle_kernel::AnyBristle::<f64>::CATALOG;
    let all = files(&here().join("../../scenarios"), "toml");
    let folder = here().join("../../scenarios");
    let runs = |text: &String| match machine::Scenario::is_one(text) {
        true => machine::Scenario::read(text, &[], &folder).is_ok(),
        false => Scenario::read(text, &[]).is_ok(),
    };
    let corpus: Vec<&String> = all.iter().filter(|text| runs(text)).collect();
    let (count, until, start) = effort(150);
    let mut chance = Chance(start);
    let (mut tried, mut ended, mut refused) = (0, 0, 0);
    while tried < count && Instant::now() < until {
        tried += 1;
        let text = corpus[chance.below(corpus.len())];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..chance.below(4) {
            let k = chance.below(lines.len());
            if let Some(line) = scaled(&mut chance, &lines[k]) {
                lines[k] = line;
            }
        }
        let mut settings = vec![
            Setting::new("run.max_steps", 3000),
            Setting::new("run.tolerance", 10f64.powf(-2.5 - 8.0 * chance.unit())),
            Setting::typed("figure.panels", "[]"),
        ];
        if chance.below(2) == 0 {
            let name = models[chance.below(models.len())].name;
            settings.push(Setting::new("friction.model", name));
            lines.retain(|l| !l.starts_with("set ="));
        }
        if chance.below(4) == 0 {
            let method = chance.pick(&["radau", "dormand_prince", "fixed"]);
            settings.push(Setting::new("run.method", method));
        }
        let text = lines.join("\n");
        let began = Instant::now();
        let mut go_on = |_: f64| match began.elapsed() < PATIENCE {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let outcome = match machine::Scenario::is_one(&text) {
            true => machine::Scenario::read(&text, &settings, &folder)
                .map(|scenario| scenario.simulate(OnImbalance::Stop, &mut go_on)),
            false => Scenario::read(&text, &settings)
                .map(|scenario| simulate(&scenario, OnImbalance::Stop, &mut go_on)),
        };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(problems) => {
                assert!(!problems.to_string().is_empty());
                refused += 1;
                continue;
            }
        };
        match outcome {
            Ok(outcome) => {
                ended += 1;
                for column in outcome.trace.columns() {
                    let all = column.values.iter().all(|x| x.is_finite());
                    assert!(all, "{} is not finite: {settings:?}\n{text}", column.name);
                }
            }
            Err(Stopped::Run(bristle_simulation::Stopped::Interrupted(_))) => {
                panic!("no end in sight: {settings:?}\n{text}")
            }
            Err(why) => assert!(why.to_string().len() > 20, "{why}: {settings:?}\n{text}"),
        }
    }
    println!("{tried} scenarios from {start}: {ended} ended, {refused} refused");
    assert!(ended * 4 > tried, "{ended} of {tried} ended");
}

#[test]
fn fixed_steps_end_with_the_last_whole_one() {
    let fixed = |end: f64, step: f64| {
        let run = format!("run = {{ method = \"fixed\", end = {end}, step = {step} }}\n");
        run + "system = { model = \"belt\" }\nfriction = { model = \"frbd\" }"
    };
    let last = |end: f64, step: f64| {
        let scenario = Scenario::read(&fixed(end, step), &[]).unwrap();
        let mut last = 0.0;
        let mut watch = |t| {
            last = t;
            ControlFlow::Continue(())
        };
        simulate(&scenario, OnImbalance::Stop, &mut watch).unwrap();
        last
    };
    assert!((last(1.0, 0.3) - 0.9).abs() < 1e-12);
    assert!((last(1.0, 0.1) - 1.0).abs() < 1e-12);
    let why = Scenario::read(&fixed(1.0, 2.0), &[]).unwrap_err().to_string();
    assert!(why.contains("step = 2 s must be at most 1"), "{why}");
}
