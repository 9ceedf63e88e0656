//! `bristle patch`: a contact patch in steady rolling, its force-slip surface, its transients.
use crate::run::{PARTS, in_file, settings};
use crate::work::{Progress, Threads, Work};
use crate::{Outcome, Trouble, files};
use bristle_report::{Failure, Report, patch};
use bristle_scenario::Setting;
use bristle_scenario::patch::{Moment, Scenario};
use clap::{Args, Subcommand};
use serde_json::json;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a table of cases says for itself.
const IN_CASES: [&str; 10] =
    ["file", "set", "model", "sigma_x", "sigma_y", "phi1", "phi2", "v_r", "pressure", "load"];

/// What to do with a patch.
#[derive(Subcommand)]
pub enum Task {
    /// Forces and moment at constant slip and spin, or those of a table of cases
    #[command(after_help = "Examples:\n  bristle patch steady --sigma-x 0.08 --phi1 1.5\n  \
                            bristle patch steady scenarios/patch-bend.toml --json\n  \
                            bristle patch steady --sigma-x 0.08 --sigma-y 0.08 --phi1 3 --show-rule\n  \
                            bristle patch steady --cases IN.csv --out OUT.csv --accuracy 1e-6")]
    Steady {
        #[command(flatten)]
        what: What,
        /// A table of cases, one to a row: n, m, pressure, gamma, model, sigma_x, sigma_y, phi1, phi2, v_r, ...;
        /// with --out FILE for the same table with its results, which is printed otherwise
        #[arg(long, value_name = "IN.csv", conflicts_with_all = IN_CASES)]
        cases: Option<PathBuf>,
        /// Draw the paths and cells that the result was computed by, in place of the tractions
        #[arg(long, conflicts_with = "cases")]
        show_rule: bool,
    },
    /// Force-slip surface over a grid of slips
    #[command(after_help = "Examples:\n  bristle patch surface --pressure exp\n  \
                            bristle patch surface scenarios/patch-bend.toml --set surface.sigma_x_to=0.3")]
    Surface {
        #[command(flatten)]
        what: What,
    },
    /// Rolling from undeflected bristles, with slip, spin, speed, load and outline as signals
    #[command(
        after_help = "Examples:\n  bristle patch transient --sigma-x 0.16 --sigma-y 0.08\n  \
                            bristle patch transient scenarios/patch-shimmy.toml"
    )]
    Transient {
        #[command(flatten)]
        what: What,
    },
}

/// Which patch, and where results go.
#[derive(Args)]
pub struct What {
    /// The scenario file; without one everything is as in 004 Table 1
    file: Option<PathBuf>,
    /// Put a value over the file's: patch.load=3000 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Rolling contact model: 1 standard, 2 semilinear, 3 linear with large spin (rolling.model)
    #[arg(long)]
    model: Option<String>,
    /// Longitudinal slip (rolling.sigma_x)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    sigma_x: Option<f64>,
    /// Lateral slip (rolling.sigma_y)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    sigma_y: Option<f64>,
    /// Spin that bends the paths, 1/m (rolling.phi1)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    phi1: Option<f64>,
    /// Spin that turns the deflections, 1/m (rolling.phi2)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    phi2: Option<f64>,
    /// Rolling speed, m/s (rolling.v_r)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    v_r: Option<f64>,
    /// Pressure: const, parab, exp, pexp (patch.pressure)
    #[arg(long)]
    pressure: Option<String>,
    /// Vertical force, N (patch.load)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    load: Option<f64>,
    /// Largest error of force and moment, relative (run.accuracy)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    accuracy: Option<f64>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    work: Work,
}

impl What {
    /// The scenario, or all that is wrong with it.
    fn scenario(&self) -> Result<Scenario, Trouble> {
        let text = match &self.file {
            Some(file) => crate::run::text_of(file)?,
            None => String::new(),
        };
        let numbers = [
            ("rolling.sigma_x", self.sigma_x),
            ("rolling.sigma_y", self.sigma_y),
            ("rolling.phi1", self.phi1),
            ("rolling.phi2", self.phi2),
            ("rolling.v_r", self.v_r),
            ("patch.load", self.load),
            ("run.accuracy", self.accuracy),
        ];
        let names = [("rolling.model", &self.model), ("patch.pressure", &self.pressure)];
        let mut over = settings(&self.set)?;
        over.extend(numbers.iter().filter_map(|(key, x)| Some(Setting::new(*key, (*x)?))));
        over.extend(
            names.iter().filter_map(|(key, name)| Some(Setting::new(*key, (*name).clone()?))),
        );
        Scenario::read(&text, &over).map_err(|p| self.refused(&p.to_string()))
    }

    fn refused(&self, problems: &str) -> Trouble {
        let name = self.file.as_deref().unwrap_or(Path::new("the patch"));
        Trouble::Input(in_file(name, problems))
    }

    /// What the results are called.
    fn name(&self, task: &str) -> String {
        let stem = self.file.as_ref().and_then(|f| f.file_stem()).map(|s| s.to_string_lossy());
        stem.map_or_else(|| format!("patch-{task}"), |s| s.into_owned())
    }

    /// Before the work begins: see [`Work::begin`].
    fn begin(&self, task: &str, parts: Option<u64>) -> Result<Progress, Trouble> {
        self.threads.take();
        self.work.begin(&self.name(task), parts)
    }

    /// Writes the results of a task: see [`Work::finish`].
    fn finish(&self, task: &str, report: Result<Report, Failure>) -> Outcome {
        let name = self.file.as_deref().unwrap_or(Path::new("the patch"));
        self.work.finish(&self.name(task), report.map_err(|why| Trouble::of(name, &why))?)
    }
}

/// Runs one of the tasks.
pub fn run(task: &Task) -> Outcome {
    match task {
        Task::Steady { what, cases: Some(cases), .. } => table(what, cases),
        Task::Steady { what, cases: None, show_rule } => steady(what, *show_rule),
        Task::Surface { what } => surface(what),
        Task::Transient { what } => transient(what),
    }
}

/// A table of cases is no longer than this, bytes.
const LONGEST: u64 = 1 << 30;

/// The folder and the name of a file that is to be written, if that is possible.
fn place(out: &Path) -> Result<(&Path, &OsStr), Trouble> {
    let (Some(name), false) = (out.file_name(), out.is_dir()) else {
        let text = format!("--out {} must name a file: with --cases it is a table", out.display());
        return Err(Trouble::Input(text));
    };
    let folder = out.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::check(folder).map_err(Trouble::Run)?;
    Ok((folder, name))
}

/// A table of cases in, the same with results out.
fn table(what: &What, file: &Path) -> Outcome {
    let text =
        crate::run::text_up_to(file, LONGEST, "name a table of cases, as in docs/rolling.md")?;
    let accuracy = what.scenario()?.run.accuracy;
    let out = what.work.out.as_deref();
    let place = out.map(place).transpose()?;
    what.threads.take();
    let progress = Progress::new(what.work.quiet, None);
    let solved = patch::cases(&text, accuracy).map_err(|why| Trouble::of(file, &why))?;
    drop(progress);
    if !solved.unknown.is_empty() {
        let columns = solved.unknown.join(", ");
        let name = file.display();
        crate::complain("warning", format_args!("{name}: columns passed on unread: {columns}"));
    }
    let text = match (place, out) {
        (Some((folder, name)), Some(out)) => {
            files::write(folder, &[(name, solved.table.into_bytes())]).map_err(Trouble::Run)?;
            let mut summary = solved.summary;
            summary["file"] = json!(out);
            match what.work.json {
                true => crate::models::to_json(&summary)?,
                false => format!("{}{}\n", solved.text, out.display()),
            }
        }
        _ if what.work.json => crate::models::to_json(&patch::objects(&solved.table))?,
        _ => solved.table,
    };
    let Some(faults) = solved.faults else { return Ok(text) };
    // Good rows are there; bad ones are told.
    crate::print(&text);
    Err(Trouble::Run(in_file(file, &faults)))
}

fn steady(what: &What, show_rule: bool) -> Outcome {
    let scenario = what.scenario()?;
    let _progress = what.begin("steady", None)?;
    what.finish("steady", patch::steady(&scenario, show_rule))
}

fn surface(what: &What) -> Outcome {
    let scenario = what.scenario()?;
    let progress = what.begin("surface", Some(scenario.grid.slips()[0].len() as u64))?;
    what.finish(
        "surface",
        patch::surface(&scenario, &mut || {
            progress.step();
            ControlFlow::Continue(())
        }),
    )
}

fn transient(what: &What) -> Outcome {
    let scenario = what.scenario()?;
    let (progress, end) = (what.begin("transient", Some(PARTS))?, scenario.transient.distance);
    let mut tell = |m: &Moment| {
        let part = (PARTS as f64 * m.s / end) as u64;
        progress.at(part, || format!("s = {:.3} of {end} m", m.s));
    };
    what.finish("transient", patch::transient(&scenario, &mut tell))
}
