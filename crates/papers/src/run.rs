//! All experiments, on every core.
use crate::{Experiment, Findings, Setting};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An experiment that was run.
#[derive(Clone, Debug)]
pub struct Done {
    /// Which one.
    pub experiment: &'static Experiment,
    /// What came of it.
    pub outcome: Result<Findings, String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Runs experiments on so many threads and gives them back in their order. `each` hears of every one as
/// it ends and may ask to stop: what is under way is then finished, and nothing is given back.
pub fn run(
    experiments: &[&'static Experiment],
    setting: Setting,
    threads: usize,
    each: impl Fn(&Done) -> bool + Sync,
) -> Option<Vec<Done>> {
    // The next one to take; all of them when someone asked to stop.
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let done: Mutex<Vec<(usize, Done)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, experiments.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(experiment) = experiments.get(k) else { return };
                    let began = Instant::now();
                    let outcome = (experiment.run)(setting);
                    let one = Done { experiment, outcome, elapsed: began.elapsed() };
                    if !each(&one) {
                        stopped.store(true, Ordering::Relaxed);
                        next.store(experiments.len(), Ordering::Relaxed);
                    }
                    if let Ok(mut done) = done.lock() {
                        done.push((k, one));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().ok()?;
    done.sort_by_key(|(k, _)| *k);
    (!stopped.into_inner()).then(|| done.into_iter().map(|(_, one)| one).collect())
}
