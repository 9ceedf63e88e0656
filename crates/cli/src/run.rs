//! `bristle run`: a scenario file becomes a trace, a summary and a figure.
use crate::work::{Progress, Work};
use crate::{Outcome, Trouble};
pub use bristle_report::in_file;
use bristle_report::run::{Job, Plant};
use bristle_scenario::{NoSetting, OnImbalance, Setting, Stopped};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The scenario files; several are run beside each other
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Put a value over the file's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Run with each of these values: friction.model=lugre,frbd (repeatable, in all combinations)
    #[arg(long, value_name = "KEY=A,B,…")]
    vary: Vec<String>,
    /// Write the results, marked, even where the energy does not balance
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    work: Work,
}

/// Runs the scenarios and writes their results.
pub fn run(args: &Args) -> Outcome {
    let jobs = jobs(args)?;
    for job in jobs.iter() {
        crate::note_left_out(job.plant.left_out(), args.work.quiet);
    }
    let file = &args.files[0];
    let stem = file.file_stem().map_or_else(|| "run".into(), |s| s.to_string_lossy());
    let progress = args.work.begin(&stem, Some(PARTS * jobs.len() as u64))?;
    let began = Instant::now();
    let on_imbalance = if args.force { OnImbalance::Mark } else { OnImbalance::Stop };
    let mut outcomes = Vec::new();
    for (k, job) in jobs.iter().enumerate() {
        let end = job.plant.how().end;
        let mut watch = watch_from(&progress, PARTS * k as u64, end);
        let outcome = job.plant.simulate(on_imbalance, &mut watch);
        outcomes.push(outcome.map_err(|stopped| match stopped {
            Stopped::Input(problems) => Trouble::Input(in_file(&job.file, &problems.to_string())),
            Stopped::Run(stopped) => Trouble::Run(job.stopped(&stopped)),
        })?);
    }
    let elapsed = began.elapsed();
    args.work.finish(&stem, bristle_report::run::runs(&jobs, outcomes, elapsed))
}

/// Every file with every combination of what is varied.
fn jobs(args: &Args) -> Result<Vec<Job>, Trouble> {
    /// So many runs make one picture at most.
    const MOST: usize = 64;
    let fixed = settings(&args.set)?;
    let mut combinations: Vec<Vec<Setting>> = vec![Vec::new()];
    for typed in &args.vary {
        let (key, values) = typed.split_once('=').ok_or_else(|| {
            Trouble::Input(format!(
                "--vary {typed} must read key=value,value, as in --vary friction.model=lugre,frbd"
            ))
        })?;
        let values = listed(values);
        combinations = combinations
            .iter()
            .flat_map(|with| {
                values.iter().map(move |value| {
                    let mut with = with.clone();
                    with.push(Setting::typed(key.trim(), value));
                    with
                })
            })
            .collect();
    }
    let count = args.files.len() * combinations.len();
    if count > MOST {
        return Err(Trouble::Input(format!(
            "{count} runs are more than one figure shows: give at most {MOST}"
        )));
    }
    let mut jobs = Vec::new();
    for file in &args.files {
        let text = text_of(file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        for varied in &combinations {
            let all: Vec<Setting> = fixed.iter().chain(varied).cloned().collect();
            let plant = Plant::read(&text, &all, folder)
                .map_err(|problems| Trouble::Input(in_file(file, &problems.to_string())))?;
            let short = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
            let mut label: Vec<String> = varied
                .iter()
                .map(|s| match s.value.as_str() {
                    Some(text) => text.to_owned(),
                    None => format!("{} = {}", short(&s.key), s.value),
                })
                .collect();
            if args.files.len() > 1 {
                label
                    .insert(0, file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
            }
            jobs.push(Job { file: file.clone(), label: label.join(", "), plant });
        }
    }
    Ok(jobs)
}

/// `a,b,[1,2]` at its outer commas.
pub fn listed(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// A scenario is no longer than this, bytes.
const LONGEST: u64 = 16 << 20;

/// What is in a scenario file.
pub fn text_of(file: &Path) -> Result<String, Trouble> {
    text_up_to(file, LONGEST, "scenarios/ has examples")
}

/// What is in a file, which may have so many bytes; `hint` is for who named one that cannot be read.
pub fn text_up_to(file: &Path, most: u64, hint: &str) -> Result<String, Trouble> {
    let name = file.display();
    let cannot = |why: String| Trouble::Input(format!("cannot read {name}: {why}"));
    let unread = |e: std::io::Error| cannot(format!("{e}; {hint}"));
    let mut text = String::new();
    // What has no end, such as a device, is not read for ever.
    let mut limited = std::fs::File::open(file).map_err(unread)?.take(most + 1);
    limited.read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 > most {
        return Err(cannot(format!("it has more than {} MB; is it the right file?", most >> 20)));
    }
    Ok(text)
}

/// Keys and values of `--set key=value`.
pub fn settings(set: &[String]) -> Result<Vec<Setting>, Trouble> {
    let read =
        |text: &String| text.parse().map_err(|e: NoSetting| Trouble::Input(format!("--set {e}")));
    set.iter().map(read).collect()
}

/// Parts of a run that its progress is counted in.
pub const PARTS: u64 = 1000;

/// Tells how far a run is.
pub fn watch(progress: &Progress, end: f64) -> impl FnMut(f64) -> ControlFlow<()> {
    watch_from(progress, 0, end)
}

/// The same for a run after others, which made so many parts.
fn watch_from(progress: &Progress, before: u64, end: f64) -> impl FnMut(f64) -> ControlFlow<()> {
    move |t| {
        let part = before + (PARTS as f64 * t / end) as u64;
        progress.at(part, || format!("t = {t:.3} of {end} s"));
        ControlFlow::Continue(())
    }
}
