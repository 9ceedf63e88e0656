//! What a command is about: a file, or a model by its name.
use crate::run::{in_file, settings, text_of};
use crate::work::{Progress, Work};
use crate::{Outcome, Trouble};
use bristle_kernel::{AnyBristle, AnyPlanar};
use bristle_report::{Failure, Report};
use bristle_scenario::{Subject, nearest};
use clap::Args;
use std::path::Path;

/// The subject of that file or model, with values put over it, or all that is wrong with it.
pub fn read(what: &str, set: &[String]) -> Result<Subject, Trouble> {
    let path = Path::new(what);
    let text = match path.extension().is_some() || path.exists() {
        true => text_of(path)?,
        false => named(what)?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    Subject::read(&text, &settings(set)?, folder)
        .map_err(|p| Trouble::Input(in_file(path, &p.to_string())))
}

/// A file that has no more than a model.
fn named(model: &str) -> Result<String, Trouble> {
    let names =
        || AnyBristle::<f64>::CATALOG.iter().chain(AnyPlanar::<f64>::CATALOG).map(|i| i.name);
    if names().any(|name| name == model) {
        return Ok(format!("[friction]\nmodel = {model:?}\n"));
    }
    let hint = match nearest(model, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`bristle models` lists the models, scenarios/ has files".to_owned(),
    };
    Err(Trouble::Input(format!("`{model}` is neither a file nor a model; {hint}")))
}

/// What does not look at friction in a plane says what does.
pub fn in_a_plane(command: &str, model: &str) -> Trouble {
    Trouble::Input(format!(
        "`{model}` slides in a plane, which `bristle {command}` does not look at: take `frbd`, the same model along a \
         line, or `bristle linearize {model}` and `bristle patch`, which take it as it is"
    ))
}

/// A number of a flag that must be positive.
pub fn positive(flag: &str, value: f64, unit: &str) -> Result<f64, Trouble> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Trouble::Input(format!(
        "{flag} {value} {unit} is outside (0, inf): give a positive number"
    )))
}

/// The load of a model that stands alone; files have one of their own.
#[derive(Args)]
pub struct Load {
    /// The load of a model that stands alone, N [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    load: Option<f64>,
}

/// A load under which there is friction to look at.
pub fn pressing(flag: &str, load: f64) -> Result<f64, Trouble> {
    bristle_report::pressing(flag, load).map_err(|why| Trouble::Input(why.to_string()))
}

impl Load {
    /// The load of a model.
    pub fn of_model(&self) -> Result<f64, Trouble> {
        pressing("--load", self.load.unwrap_or(1.0))
    }

    /// There is none where a file has its own.
    pub fn refuse(&self) -> Result<(), Trouble> {
        let instead = "the file has a load of its own, over which --set puts another";
        refuse("--load", self.load.is_some(), instead)
    }
}

/// Refuses a flag that would be ignored, with what to do instead.
pub fn refuse(flag: &str, given: bool, instead: &str) -> Result<(), Trouble> {
    if given {
        Err(Trouble::Input(format!("{flag} has no meaning here: {instead}")))
    } else {
        Ok(())
    }
}

/// What is looked at, and where results go.
#[derive(Args)]
pub struct What {
    /// A scenario file, or the name of a model
    pub what: String,
    /// Put a value over the file's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub work: Work,
}

impl What {
    /// The subject, or all that is wrong with it.
    pub fn read(&self) -> Result<Subject, Trouble> {
        let subject = read(&self.what, &self.set)?;
        if let Subject::System(scenario) = &subject {
            crate::note_left_out(&scenario.left_out, self.work.quiet);
        }
        Ok(subject)
    }

    /// What is wrong, under the name of the subject.
    pub fn refused(&self, problems: &str) -> Trouble {
        Trouble::Input(in_file(Path::new(&self.what), problems))
    }

    /// What the results of a command are called.
    fn name(&self, command: &str) -> String {
        let stem = Path::new(&self.what).file_stem().map(|s| s.to_string_lossy().into_owned());
        format!("{command}-{}", stem.unwrap_or_default())
    }

    /// Before the work of a command begins: see [`Work::begin`].
    pub fn begin(&self, command: &str) -> Result<Progress, Trouble> {
        self.work.begin(&self.name(command), None)
    }

    /// Why there is no report on the subject.
    pub fn failed(&self, why: &Failure) -> Trouble {
        Trouble::of(Path::new(&self.what), why)
    }

    /// Writes the results of a command: see [`Work::finish`].
    pub fn finish(&self, command: &str, report: Result<Report, Failure>) -> Outcome {
        let report = report.map_err(|why| self.failed(&why))?;
        let text = report.text + "\n";
        self.work.finish(&self.name(command), Report { text, ..report })
    }
}
