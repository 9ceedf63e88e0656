//! How a command works: where its results go, on how many cores, what it shows meanwhile and how it is stopped.
use crate::{Outcome, Program, Trouble, complain, models};
use bristle_report::{Drawing, Report};
use bristle_results::{Destination, Holds, Origin, Staging};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Draw no figure
    #[arg(long)]
    pub no_figure: bool,
    /// Replace what the folder holds, even if something else made it
    #[arg(long)]
    pub overwrite: bool,
}

/// On how many cores.
#[derive(clap::Args)]
pub struct Threads {
    /// How many threads to use, at most one for each core [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<usize>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let wrong = || "it takes a whole number, at least 1".to_owned();
    text.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)
}

impl Threads {
    /// Keeps all that follows to them, and says how many there are. More than there are cores would take memory and
    /// time and bring nothing.
    pub fn take(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let count = self.threads.unwrap_or(cores).min(cores);
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

    /// Before the work begins: refuses a folder that cannot be written into or that holds something else, listens to
    /// interrupts, and shows a bar of so many parts, or the time where they are not known.
    pub fn begin(&self, name: &str, parts: Option<u64>) -> Result<Progress, Trouble> {
        let destination = self.destination(name)?;
        let (folder, origin) = (self.folder(name), origin());
        let refuse = |held: String| {
            Trouble::Input(format!(
                "{} holds {held}; replace them with --overwrite, or choose another folder with --out",
                folder.display()
            ))
        };
        match destination.holds() {
            Holds::Results(held) if scenario(&held) != scenario(&origin) && !self.overwrite => {
                return Err(refuse(format!("the results of `{held}`")));
            }
            Holds::Others if !self.overwrite => {
                return Err(refuse("files that this version of bristle did not write".into()));
            }
            Holds::Results(held) if held != origin && !self.quiet => {
                let folder = folder.display();
                complain("note", format_args!("replacing the results of `{held}` in {folder}"));
            }
            _ => {}
        }
        Ok(Progress::new(self.quiet, parts))
    }

    fn destination(&self, name: &str) -> Result<Destination, Trouble> {
        Destination::new(&self.folder(name)).map_err(|e| Trouble::Run(e.to_string()))
    }

    /// Where the results of that name are written until all of them are there.
    pub fn stage(&self, name: &str) -> Result<Staging, Trouble> {
        let staged = self.destination(name)?.stage(origin());
        staged.map_err(|e| Trouble::Run(e.to_string()))
    }

    /// Writes what a report says; gives its text, with the files' names, or the summary as JSON.
    pub fn finish(&self, name: &str, report: Report) -> Outcome {
        self.finish_with(name, report, &mut |_| Ok(Vec::new()))
    }

    /// The same with files of other kinds, which `write` writes and names.
    pub fn finish_with(
        &self,
        name: &str,
        report: Report,
        write: &mut dyn FnMut(&mut Staging) -> Result<Vec<String>, bristle_results::Error>,
    ) -> Outcome {
        let summary = models::to_json(&report.summary)?;
        let failed = |e: bristle_results::Error| Trouble::Run(e.to_string());
        let mut staging = self.stage(name)?;
        let mut names = write(&mut staging).map_err(failed)?;
        for (file, table) in &report.tables {
            staging
                .write(file, |mut out| bristle_trace::write_csv(table, &mut out))
                .map_err(failed)?;
            names.push((*file).to_owned());
        }
        let summarised = (report.summary_file, &summary);
        for (file, text) in
            report.documents.iter().map(|(file, text)| (*file, text)).chain([summarised])
        {
            staging.write(file, |out| out.write_all(text.as_bytes())).map_err(failed)?;
            names.push(file.to_owned());
        }
        for (file, figure) in report.figures.iter().filter(|_| !self.no_figure) {
            draw(&mut staging, file, figure)?;
            names.extend(["svg", "png"].map(|kind| format!("{file}.{kind}")));
        }
        staging.commit().map_err(failed)?;
        if self.json {
            return Ok(summary);
        }
        let mut text = report.text;
        for file in names.iter().filter(|name| !name.contains('/')) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", self.folder(name).join(file).display());
        }
        Ok(text)
    }
}

/// Writes a picture under a name, as SVG and as PNG.
fn draw(staging: &mut Staging, name: &str, picture: &Drawing) -> Result<(), Trouble> {
    let failed = |e: bristle_results::Error| Trouble::Run(e.to_string());
    let png = picture.png(2.0).map_err(|e| Trouble::Run(format!("cannot draw {name}: {e}")))?;
    let svg = picture.svg();
    staging.write(&format!("{name}.svg"), |out| out.write_all(svg.as_bytes())).map_err(failed)?;
    staging.write(&format!("{name}.png"), |out| out.write_all(&png)).map_err(failed)
}

/// The command and its subject. The tasks of `patch` are different looks at one scenario and share its folder.
fn scenario(origin: &Origin) -> Vec<&str> {
    let mut words: Vec<&str> = origin.command.split(' ').collect();
    if words.len() == 4 && words[1] == "patch" {
        words.remove(2);
    }
    words
}

/// Options that do not change results.
const ASIDE: [&str; 8] =
    ["out", "json", "quiet", "no_figure", "overwrite", "threads", "force", "resume"];

/// What the command line asks for: the command with its subject, and the options that change results.
fn origin() -> Origin {
    let command = Program::command();
    let matches = command.clone().try_get_matches().unwrap_or_default();
    let mut origin = Origin { command: "bristle".into(), options: Vec::new() };
    describe(&command, &matches, &mut origin);
    origin
}

fn describe(command: &clap::Command, matches: &ArgMatches, origin: &mut Origin) {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if ASIDE.contains(&id) || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let typed = matches.get_raw(id).into_iter().flatten().map(|v| v.to_string_lossy());
        for value in typed {
            if arg.is_positional() {
                origin.command += &format!(" {}", value.trim_start_matches("./"));
            } else {
                let flag = arg.get_long().unwrap_or(id);
                origin.options.push(format!("--{flag} {value}"));
            }
        }
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        origin.command += &format!(" {name}");
        describe(command, matches, origin);
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
            let show = move || {
                std::thread::sleep(PATIENCE);
                if !shown.is_finished() {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            };
            // Without a thread to spare the work goes on unseen.
            let _ = std::thread::Builder::new().spawn(show);
        }
        Progress { bar, told: Mutex::new(None) }
    }

    /// One more part is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// The bar of work in many equal parts: it shows how many are done in a second, and how long the others take.
    pub fn counting(self) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len}, {per_sec}, {eta} left");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self
    }

    /// So many parts were done before: they tell nothing of how long the others take.
    pub fn found(&self, count: u64) {
        if count > 0 {
            self.bar.inc(count);
            self.bar.reset_eta();
        }
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

static GENTLE: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first interrupt does not end the program; what is given tells whether it came.
pub fn gently() -> impl Fn() -> bool {
    GENTLE.store(true, Ordering::SeqCst);
    || INTERRUPTED.load(Ordering::SeqCst)
}

/// Ends the program when it is told to, from the keyboard or otherwise.
#[cfg(unix)]
fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let heard = [SIGINT, SIGTERM].into_iter().chain((!deaf_to_hang_ups()).then_some(SIGHUP));
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) {
        let wait = move || {
            for _ in signals.forever() {
                // Who asked for it hears of the first one and comes to an end by itself.
                match GENTLE.swap(false, Ordering::SeqCst) {
                    true => INTERRUPTED.store(true, Ordering::SeqCst),
                    false => stop(),
                }
            }
        };
        // Without a thread to spare nobody listens, and a signal ends the program at once.
        let _ = std::thread::Builder::new().spawn(wait);
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
    let left = bristle_results::abandon();
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let place = shown.map(|bar| {
        bar.finish_and_clear();
        bar.message()
    });
    let at = match (left.committed(), place.filter(|p| !p.is_empty())) {
        (Some(folder), _) => format!(" when all results were in {}", folder.display()),
        (None, Some(place)) => format!(" at {place}"),
        (None, None) => String::new(),
    };
    complain("error", format_args!("interrupted{at}"));
    std::process::exit(1);
}
