//! How a command works: where its results go, on how many cores, what it shows meanwhile and how it is stopped.
use crate::{Outcome, Trouble, files, models};
use bristle_figure::Figure;
use bristle_trace::Trace;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where results go and how the command reports.
#[derive(clap::Args)]
pub struct Work {
    /// The folder for results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

/// On how many cores.
#[derive(clap::Args)]
pub struct Threads {
    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<usize>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let wrong = || "it takes a whole number, at least 1".to_owned();
    text.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)
}

impl Threads {
    /// Keeps all that follows to them, and says how many there are.
    pub fn take(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let count = self.threads.unwrap_or_else(cores);
        // It fails where threads are at work already, which is never before this.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(count).build_global();
        count
    }
}

impl Work {
    /// The folder for the results of that name.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("results").join(name))
    }

    /// Before the work begins: refuses a folder that cannot be written into, listens to interrupts, and shows a bar
    /// of so many parts, or the time where they are not known.
    pub fn begin(&self, name: &str, parts: Option<u64>) -> Result<Progress, Trouble> {
        files::check(&self.folder(name)).map_err(Trouble::Run)?;
        Ok(Progress::new(self.quiet, parts))
    }

    /// Writes a summary, a table and a figure; gives the report, with the files' names, or the summary as JSON.
    pub fn finish(
        &self,
        name: &str,
        report: String,
        summary: &Value,
        table: Option<(&'static str, &Trace)>,
        figure: &Figure,
    ) -> Outcome {
        let text = models::to_json(summary)?;
        let mut results = Vec::new();
        if let Some((name, trace)) = table {
            let mut bytes = Vec::new();
            bristle_trace::write_csv(trace, &mut bytes)
                .map_err(|e| Trouble::Run(format!("cannot write {name}: {e}")))?;
            results.push((name, bytes));
        }
        let png =
            figure.png(2.0).map_err(|e| Trouble::Run(format!("cannot draw the figure: {e}")))?;
        results.extend([
            ("summary.json", text.clone().into_bytes()),
            ("figure.svg", figure.svg().into_bytes()),
            ("figure.png", png),
        ]);
        let written = files::write(&self.folder(name), &results).map_err(Trouble::Run)?;
        if self.json {
            return Ok(text);
        }
        let mut report = report;
        for path in written {
            // Writing to a String cannot fail.
            let _ = writeln!(report, "{}", path.display());
        }
        Ok(report)
    }
}

/// How far the work is. On a terminal it is shown once that takes longer than a second.
pub struct Progress {
    bar: ProgressBar,
    told: Mutex<Option<Instant>>,
}

/// What an interrupt takes away from the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Before it is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks.
const TICK: Duration = Duration::from_millis(200);

impl Progress {
    /// Of work in so many parts. From now on interrupts are heard; before, the program ends at once, which leaves no
    /// half file either.
    pub fn new(quiet: bool, parts: Option<u64>) -> Self {
        listen();
        let template = match parts {
            Some(_) => "{bar:40} {percent}% {msg}",
            None => "{spinner} {elapsed} {msg}",
        };
        let style = ProgressStyle::with_template(template);
        let bar = ProgressBar::with_draw_target(parts, ProgressDrawTarget::hidden())
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        if !quiet {
            let shown = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !shown.is_finished() {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            });
        }
        Progress { bar, told: Mutex::new(None) }
    }

    /// One more part is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// What is being done.
    pub fn name(&self, place: String) {
        self.bar.set_message(place);
    }

    /// The work is there, which `place` names. Called often, it looks up now and then.
    pub fn at(&self, position: u64, place: impl FnOnce() -> String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|last| last.elapsed() > TICK) {
            *told = Some(Instant::now());
            self.bar.set_position(position);
            self.bar.set_message(place());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Ends the program when it is told to, from the keyboard or otherwise.
#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let heard = [SIGINT, SIGTERM].into_iter().chain((!deaf_to_hang_ups()).then_some(SIGHUP));
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) {
        std::thread::spawn(move || signals.forever().next().map(|_| stop()));
    }
}

/// Elsewhere the system ends it at once.
#[cfg(not(unix))]
fn listen() {}

/// Whether hang-ups are to be ignored, as under `nohup`; so too where that cannot be seen.
#[cfg(unix)]
fn deaf_to_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signals are counted from 1, and a hang-up is the first.
    mask.is_none_or(|mask| mask & 1 != 0)
}

/// Takes away what is half done, says where it was, and ends.
#[cfg(unix)]
fn stop() {
    use std::io::Write;
    let _nothing_more = files::abandon();
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let place = shown.map(|bar| {
        bar.finish_and_clear();
        bar.message()
    });
    let at = place.filter(|p| !p.is_empty()).map_or_else(String::new, |p| format!(" at {p}"));
    // Nobody may be listening any more.
    let _ = writeln!(std::io::stderr(), "error: interrupted{at}");
    std::process::exit(1);
}
