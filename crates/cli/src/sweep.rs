//! `bristle sweep`: many runs of one file, kept as they finish.
use crate::run::{in_file, listed, settings, text_of};
use crate::work::{Threads, Work, gently};
use crate::{Outcome, Trouble};
use bristle_sweep::axis::Values;
use bristle_sweep::base::COMMANDS;
use bristle_sweep::sequence::METHODS;
use bristle_sweep::{Ended, Event, Rows, RowsError, Source, Sweep};
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The file of a sweep, which names its base, or a scenario
    file: PathBuf,
    /// Put a value over the scenario's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Vary a key over from:to:count[:log], a list a,b,… or a distribution such as normal(0.6,0.05) (repeatable, in all
    /// combinations; the last changes fastest)
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// Keep a number of each run: "drift [mm]=1e3*end(x)" (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    keep: Vec<String>,
    /// How many samples of the distributions are taken [default: 1000]
    #[arg(long, value_name = "N")]
    samples: Option<u32>,
    /// How they are spread
    #[arg(long, value_parser = PossibleValuesParser::new(METHODS.map(|(name, _)| name)))]
    method: Option<String>,
    /// Another seed gives other samples [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Say what part of the variance each key brings (Sobol indices); takes as many runs again for each key
    #[arg(long)]
    sensitivities: bool,
    /// Look for the place along a key where a property changes: system.drive.value=0.01:1[:log]
    #[arg(long, value_name = "KEY=FROM:TO", requires = "holds")]
    boundary: Option<String>,
    /// The property: range(after(10, v_rel)) > 1e-3
    #[arg(long, value_name = "EXPRESSION", requires = "boundary")]
    holds: Option<String>,
    /// What is done with the file
    #[arg(long, value_parser = PossibleValuesParser::new(COMMANDS.map(|(name, _)| name)))]
    command: Option<String>,
    /// Compare each run with a second one at ten times the tolerance, or with half the step; takes twice the time
    #[arg(long)]
    twin: bool,
    /// Go on with what an interrupted sweep left
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    work: Work,
}

impl Args {
    /// What the flags say, as a file of a sweep would.
    fn table(&self) -> Result<Table, Trouble> {
        let mut table = Table::new();
        let mut put = |key: &str, value: Value| {
            table.insert(key.to_owned(), value);
        };
        if !self.set.is_empty() {
            let set = settings(&self.set)?.into_iter().map(|s| (s.key, s.value));
            put("set", Value::Table(set.collect()));
        }
        let of_list = |list: Result<Vec<Value>, Trouble>| list.map(Value::Array);
        if !self.vary.is_empty() {
            put("vary", of_list(self.vary.iter().map(|typed| varied(typed)).collect())?);
        }
        if !self.keep.is_empty() {
            put("keep", Value::Array(self.keep.iter().map(|typed| kept(typed)).collect()));
        }
        let mut samples = Table::new();
        for (key, count) in [("count", self.samples), ("seed", self.seed)] {
            samples.extend(count.map(|count| (key.to_owned(), Value::Integer(i64::from(count)))));
        }
        samples.extend(self.method.clone().map(|name| ("method".to_owned(), Value::String(name))));
        samples
            .extend(self.sensitivities.then(|| ("sensitivities".to_owned(), Value::Boolean(true))));
        if !samples.is_empty() {
            put("samples", Value::Table(samples));
        }
        if let (Some(typed), Some(holds)) = (&self.boundary, &self.holds) {
            let (key, between) = typed.split_once('=').ok_or_else(|| {
                Trouble::Input(format!(
                    "--boundary {typed} must read key=from:to, as in --boundary system.drive.value=0.01:1:log"
                ))
            })?;
            let text = |text: &str| Value::String(text.trim().to_owned());
            let own = [("key", text(key)), ("between", text(between)), ("holds", text(holds))];
            let own = own.into_iter().map(|(key, value)| (key.to_owned(), value));
            put("boundary", Value::Table(own.collect()));
        }
        if let Some(command) = &self.command {
            put("command", Value::String(command.clone()));
        }
        if self.twin {
            put("twin", Value::Boolean(true));
        }
        Ok(table)
    }

    fn sweep(&self) -> Result<Sweep, Trouble> {
        let file = &self.file;
        let source = Source {
            name: file.to_string_lossy().into_owned(),
            text: text_of(file)?,
            folder: bristle_sweep::base::folder_of(file),
        };
        let open = |path: &Path| {
            text_of(path).map_err(|trouble| match trouble {
                Trouble::Input(why) | Trouble::Run(why) => why,
            })
        };
        let read = Sweep::read(source, &self.table()?, &open);
        read.map_err(|problems| Trouble::Input(in_file(file, &problems.to_string())))
    }
}

/// `key=values` of `--vary`.
fn varied(typed: &str) -> Result<Value, Trouble> {
    let (key, values) = typed.split_once('=').ok_or_else(|| {
        Trouble::Input(format!(
            "--vary {typed} must read key=values, as in --vary friction.sigma1=0:500:35"
        ))
    })?;
    let value = |text: &str| bristle_scenario::Setting::typed(key, text).value;
    let values = match Values::typed(values) {
        Some(_) => Value::String(values.trim().to_owned()),
        None => Value::Array(listed(values).into_iter().map(value).collect()),
    };
    let key = ("key".to_owned(), Value::String(key.trim().to_owned()));
    Ok(Value::Table([key, ("values".to_owned(), values)].into_iter().collect()))
}

/// `name [unit]=expression` of `--keep`, or an expression that is its own name.
fn kept(typed: &str) -> Value {
    let named = typed.split_once('=').filter(|(name, rest)| {
        let plain = |c: char| c.is_alphanumeric() || "_ []/*^".contains(c);
        !rest.starts_with('=') && name.chars().all(plain)
    });
    let (title, value) = named.unwrap_or((typed, typed));
    let (name, unit) = match title.trim().strip_suffix(']').and_then(|t| t.split_once('[')) {
        Some((name, unit)) if named.is_some() => (name.trim(), unit.trim()),
        _ => (title.trim(), ""),
    };
    let all = [("name", name), ("unit", unit), ("value", value.trim())];
    let all = all.map(|(key, text)| (key.to_owned(), Value::String(text.to_owned())));
    Value::Table(all.into_iter().collect())
}

/// Runs all of it and writes the results.
pub fn run(args: &Args) -> Outcome {
    let sweep = args.sweep()?;
    let work = &args.work;
    let stem = args.file.file_stem().map_or_else(|| "sweep".into(), |s| s.to_string_lossy());
    let name = format!("sweep-{stem}");
    args.threads.take();
    let progress = work.begin(&name, Some(sweep.len()))?.counting();
    let mut unfinished = work.folder(&name).into_os_string();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    if Rows::are_in(&unfinished) && !args.resume {
        if !work.overwrite {
            return Err(Trouble::Input(format!(
                "{} holds the finished rows of a sweep that was interrupted: go on with it with --resume, or begin anew with \
                 --overwrite",
                unfinished.display()
            )));
        }
        Rows::discard(&unfinished).map_err(|why| Trouble::Run(why.to_string()))?;
    }
    let failed = |why: RowsError| match why {
        RowsError::Io(..) => {
            Trouble::Run(format!("{why}; what is finished is kept: go on with --resume"))
        }
        other => Trouble::Input(other.to_string()),
    };
    let rows = Rows::open(&unfinished, &sweep.description(), sweep.columns().len(), sweep.len());
    let rows = rows.map_err(failed)?;
    let interrupted = gently();
    let tell = |event: Event| match event {
        Event::Found(count) => progress.found(count),
        Event::Done => progress.step(),
    };
    let ended = bristle_sweep::run(&sweep, &rows, &|| !interrupted(), &tell).map_err(failed)?;
    if let Ended::Interrupted(there) = ended {
        return Err(Trouble::Run(format!(
            "interrupted: {there} of {} rows are kept in {}; go on with --resume",
            sweep.len(),
            unfinished.display()
        )));
    }
    drop(progress);
    let report = bristle_sweep::report(&sweep, &rows);
    let report = report.map_err(|why| Trouble::Run(why.to_string()))?;
    if report.summary["failed"] == report.summary["points"] {
        let why = &report.summary["reasons"][0]["reason"];
        let all = if sweep.len() == 1 { "the run failed" } else { "all runs failed" };
        // They would fail again.
        rows.remove().map_err(failed)?;
        return Err(Trouble::Run(format!("{all}: {}", why.as_str().unwrap_or_default())));
    }
    let text = report.text + "\n";
    let report = bristle_report::Report { text, ..report };
    let written = work.finish_with(&name, report, &mut |staging| {
        staging.write("sweep.csv", |out| bristle_sweep::write_csv(&sweep, &rows, out))?;
        staging.write("sweep.parquet", |out| bristle_sweep::write_parquet(&sweep, &rows, out))?;
        Ok(vec!["sweep.csv".to_owned(), "sweep.parquet".to_owned()])
    })?;
    rows.remove().map_err(failed)?;
    Ok(written)
}
