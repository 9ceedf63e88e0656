//! The commands: one function each.
use crate::errors::Refusal;
use crate::friction::Element;
use crate::given::Asked;
use crate::report::Report;
use crate::work;
use bristle::kernel::{AnyBristle, AnyPlanar};
use bristle::report::{self, Failure, linearise};
use bristle::scenario::friction::Friction;
use bristle::scenario::{Subject, line, patch};
use bristle_papers as papers;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a command looks at: a friction element, or a file.
#[derive(FromPyObject)]
pub enum What<'py> {
    /// An element.
    Element(PyRef<'py, Element>),
    /// A file.
    Asked(Asked<'py>),
}

impl What<'_> {
    fn read(&self, py: Python<'_>) -> PyResult<(String, Subject)> {
        match self {
            What::Element(element) => {
                let subject = match element.friction() {
                    Friction::Line(model) => Subject::Friction(model.clone()),
                    Friction::Plane(model) => Subject::Plane(model.clone()),
                };
                Ok((element.friction().info().name.to_owned(), subject))
            }
            What::Asked(asked) => {
                let given = asked.read(py)?;
                let subject = Subject::read(&given.text, &given.settings, &given.folder);
                let subject = subject.map_err(|p| Refusal::from(p).raise(py, &given.subject))?;
                Ok((given.subject, subject))
            }
        }
    }
}

/// Runs the work and makes a report of what it gives.
fn reported(
    py: Python<'_>,
    subject: &str,
    tell: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&work::Watch) -> Result<report::Report, Failure> + Send + 'static,
) -> PyResult<Report> {
    let found = work::run(py, subject, tell, |watch| work(watch).map_err(Refusal::from))?;
    Report::new(py, found)
}

fn in_a_plane(command: &str, model: &str) -> Failure {
    Failure::Asked(format!(
        "`{model}` slides in a plane, which `bristle {command}` does not look at: take `frbd`, the same model along a \
         line, or `bristle linearize` and `bristle patch`, which take it as it is"
    ))
}

fn positive(name: &str, value: f64, unit: &str) -> Result<f64, Refusal> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    let message = format!("{name} = {value} {unit} is outside (0, inf): give a positive number");
    Err(Refusal::of(name, message))
}

/// The load of an element that stands alone; a file has one of its own.
fn load_of(subject: &Subject, load: Option<f64>) -> Result<f64, Refusal> {
    match subject {
        Subject::Friction(_) | Subject::Plane(_) => report::pressing("load", load.unwrap_or(1.0))
            .map_err(|why| Refusal::of("load", why.to_string())),
        _ if load.is_some() => Err(Refusal::of(
            "load",
            "load has no meaning here: the file has a load of its own; put another over it",
        )),
        _ => Ok(1.0),
    }
}

/// Audits a model, a system or a line contact.
#[pyfunction]
#[pyo3(signature = (what, load, tell))]
pub fn audit(
    py: Python<'_>,
    what: What<'_>,
    load: Option<f64>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let (name, subject) = what.read(py)?;
    let load = load_of(&subject, load).map_err(|e| e.raise(py, &name))?;
    reported(py, &name, tell.as_ref(), move |watch| match subject {
        Subject::Plane(model) => Err(in_a_plane("audit", model.info().name)),
        Subject::Friction(model) => Ok(report::audit::model(&model, load)),
        Subject::Line(scenario) => report::audit::line(&scenario),
        Subject::System(scenario) => {
            let end = scenario.run.end;
            report::audit::system(&scenario, &mut |t| watch.at(t / end))
        }
    })
}

/// Linearises a model in steady sliding, a system at its equilibrium, or a line contact.
#[pyfunction]
#[pyo3(signature = (what, at, load, output, frequencies, lowest, highest))]
#[allow(clippy::too_many_arguments)]
pub fn linearize(
    py: Python<'_>,
    what: What<'_>,
    at: Option<f64>,
    load: Option<f64>,
    output: Option<String>,
    frequencies: Vec<f64>,
    lowest: Option<f64>,
    highest: Option<f64>,
) -> PyResult<Report> {
    let (name, subject) = what.read(py)?;
    let raise = |e: Refusal| e.raise(py, &name);
    let load = load_of(&subject, load).map_err(raise)?;
    let hertz = |key: &str, f: &f64| positive(key, *f, "Hz").map_err(raise);
    frequencies.iter().try_for_each(|f| hertz("frequencies", f).map(|_| ()))?;
    for (key, f) in [("lowest", lowest), ("highest", highest)] {
        f.iter().try_for_each(|f| hertz(key, f).map(|_| ()))?;
    }
    if let Some(v) = at.filter(|v| !v.is_finite()) {
        let message = format!("at = {v} m/s is outside (-inf, inf): give a number");
        return Err(raise(Refusal::of("at", message)));
    }
    match &subject {
        Subject::System(_) if at.is_some() => {
            let message = "at has no meaning here: a system is linearised at its equilibrium under its drive; put \
                           another value over system.drive";
            return Err(raise(Refusal::of("at", message)));
        }
        Subject::Friction(_) | Subject::Line(_) if output.is_some() => {
            let message = "output has no meaning here: there is one output, the friction force";
            return Err(raise(Refusal::of("output", message)));
        }
        _ => {}
    }
    let asked = linearise::Asked { output, frequencies, from: lowest, to: highest };
    reported(py, &name, None, move |_| match subject {
        Subject::Line(scenario) => linearise::line(&scenario, at, &asked),
        Subject::Friction(model) => linearise::model(&model, at, load, &asked),
        Subject::Plane(model) => linearise::plane(&model, at, load, &asked),
        Subject::System(scenario) => linearise::system(&scenario, &asked),
    })
}

/// Moves a model to and fro.
#[pyfunction]
#[pyo3(signature = (what, load, amplitude, frequency))]
pub fn loops(
    py: Python<'_>,
    what: What<'_>,
    load: Option<f64>,
    amplitude: Option<f64>,
    frequency: f64,
) -> PyResult<Report> {
    let (name, subject) = what.read(py)?;
    let raise = |e: Refusal| e.raise(py, &name);
    let alone = load_of(&subject, load).map_err(raise)?;
    let frequency = positive("frequency", frequency, "Hz").map_err(raise)?;
    let amplitude = amplitude.map(|a| positive("amplitude", a, "m")).transpose().map_err(raise)?;
    reported(py, &name, None, move |_| {
        let (model, load) = match subject {
            Subject::Friction(model) => (model, alone),
            Subject::System(scenario) => {
                let load = report::load_at_start(&scenario)?;
                (scenario.friction, load)
            }
            Subject::Line(_) => {
                let why = "a loop is of one bristle: give a model, or a file with [system]";
                return Err(Failure::Input(why.into()));
            }
            Subject::Plane(model) => return Err(in_a_plane("loop", model.info().name)),
        };
        report::harmonic::harmonic(&model, load, amplitude, frequency)
    })
}

/// Finds the motion of a system that repeats.
#[pyfunction]
pub fn cycle(py: Python<'_>, what: What<'_>) -> PyResult<Report> {
    let (name, subject) = what.read(py)?;
    reported(py, &name, None, move |_| match subject {
        Subject::System(scenario) => report::cycle::cycle(&scenario),
        _ => {
            let why =
                "a cycle needs [system]: a belt, a dragged spring, or any under a sine or pulses";
            Err(Failure::Input(why.into()))
        }
    })
}

/// Draws hysteresis and equilibria maps.
#[pyfunction]
pub fn map(py: Python<'_>, what: What<'_>) -> PyResult<Report> {
    let (name, subject) = what.read(py)?;
    reported(py, &name, None, move |_| match subject {
        Subject::System(scenario) => report::map::map(&scenario),
        _ => {
            let why = "a map needs [system]: a mass with a spring, under a sine";
            Err(Failure::Input(why.into()))
        }
    })
}

/// Compares models by name; `left_out` are those that do not take part.
#[pyfunction]
#[pyo3(signature = (candidates, load, left_out, tell))]
pub fn compare(
    py: Python<'_>,
    candidates: Vec<(String, What<'_>)>,
    load: f64,
    left_out: Vec<String>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let subject = "the comparison";
    let load = report::pressing("load", load)
        .map_err(|why| Refusal::of("load", why.to_string()).raise(py, subject))?;
    let mut models = Vec::new();
    for (name, what) in candidates {
        let (own, subject) = what.read(py)?;
        let Some(model) = subject.friction().cloned() else {
            return Err(Refusal::from(in_a_plane("compare", &own)).raise(py, &own));
        };
        models.push(report::compare::Candidate { name, model });
    }
    let named = |i: &&'static bristle::kernel::Info| left_out.iter().any(|name| name == i.name);
    let left_out: Vec<&'static str> =
        AnyBristle::<f64>::CATALOG.iter().copied().filter(named).map(|i| i.name).collect();
    reported(py, subject, tell.as_ref(), move |watch| {
        let (done, all) = (AtomicUsize::new(0), report::compare::TESTS * models.len().max(1));
        let step = || {
            let _ = watch.at((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / all as f64);
        };
        Ok(report::compare::compare(&models, load, &left_out, &step))
    })
}

/// Runs figures and tables of the papers again.
#[pyfunction]
#[pyo3(signature = (only, tolerance, tell))]
pub fn reproduce(
    py: Python<'_>,
    only: Vec<String>,
    tolerance: f64,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<(Report, bool)> {
    let subject = "the papers";
    let raise = |e: Refusal| e.raise(py, subject);
    let chosen = papers::choose(&only).map_err(|why| raise(Refusal::lines(&why)))?;
    if !(1e-12..=1e-6).contains(&tolerance) {
        let message = format!("tolerance = {tolerance} is outside [1e-12, 1e-6]");
        return Err(raise(Refusal::of("tolerance", message)));
    }
    let threads = work::threads();
    let (found, holds) = work::run(py, subject, tell.as_ref(), move |watch| {
        let setting = papers::Setting::with_tolerance(tolerance);
        let (count, all) = (AtomicUsize::new(0), chosen.len().max(1));
        let done = papers::run(&chosen, setting, threads, |done| {
            let count = count.fetch_add(1, Ordering::Relaxed) + 1;
            watch.name(format!("{} {}", done.experiment.paper, done.experiment.place));
            watch.at(count as f64 / all as f64).is_continue()
        });
        let Some(done) = done else { return Err(Refusal::Run("interrupted".into())) };
        let holds = papers::report::holds(&done);
        let summary = papers::report::json(&done, setting);
        let mut found = report::Report::bare(papers::report::table(&done), summary);
        found.summary_file = "results.json";
        found.documents.push(("report.html", papers::report::page(&done)));
        for own in done {
            let names = papers::report::figures(&own);
            let figures = own.outcome.map_or_else(|_| Vec::new(), |found| found.figures);
            let named = names.into_iter().map(|name| format!("figures/{name}"));
            found.figures.extend(named.zip(figures.into_iter().map(report::Drawing::Figure)));
        }
        Ok((found, holds))
    })?;
    Ok((Report::new(py, found)?, holds))
}

fn line_of(py: Python<'_>, asked: &Asked<'_>) -> PyResult<(String, line::Scenario)> {
    let given = asked.read(py)?;
    let scenario = line::Scenario::read(&given.text, &given.settings, &given.folder);
    let scenario = scenario.map_err(|p| Refusal::from(p).raise(py, &given.subject))?;
    Ok((given.subject, scenario))
}

/// Rolls a line contact.
#[pyfunction]
pub fn roll_line(py: Python<'_>, asked: Asked<'_>) -> PyResult<Report> {
    let (name, scenario) = line_of(py, &asked)?;
    reported(py, &name, None, move |_| report::line::line(&scenario))
}

/// Raises what is wrong with a line contact, if something is.
#[pyfunction]
pub fn check_line(py: Python<'_>, asked: Asked<'_>) -> PyResult<()> {
    line_of(py, &asked).map(|_| ())
}

/// Raises what is wrong with a patch, if something is.
#[pyfunction]
pub fn check_patch(py: Python<'_>, asked: Asked<'_>) -> PyResult<()> {
    patch_of(py, &asked).map(|_| ())
}

fn patch_of(py: Python<'_>, asked: &Asked<'_>) -> PyResult<(String, patch::Scenario)> {
    let given = asked.read(py)?;
    let scenario = patch::Scenario::read(&given.text, &given.settings);
    let scenario = scenario.map_err(|p| Refusal::from(p).raise(py, &given.subject))?;
    Ok((given.subject, scenario))
}

/// A patch in steady rolling.
#[pyfunction]
pub fn patch_steady(py: Python<'_>, asked: Asked<'_>, show_rule: bool) -> PyResult<Report> {
    let (name, scenario) = patch_of(py, &asked)?;
    reported(py, &name, None, move |_| report::patch::steady(&scenario, show_rule))
}

/// Its forces over a grid of slips.
#[pyfunction]
#[pyo3(signature = (asked, tell))]
pub fn patch_surface(
    py: Python<'_>,
    asked: Asked<'_>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let (name, scenario) = patch_of(py, &asked)?;
    reported(py, &name, tell.as_ref(), move |watch| {
        let (mut count, all) = (0, scenario.grid.slips()[0].len().max(1));
        report::patch::surface(&scenario, &mut || {
            count += 1;
            watch.at(f64::from(count) / all as f64)
        })
    })
}

/// Its transient from undeflected bristles.
#[pyfunction]
#[pyo3(signature = (asked, tell))]
pub fn patch_transient(
    py: Python<'_>,
    asked: Asked<'_>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let (name, scenario) = patch_of(py, &asked)?;
    reported(py, &name, tell.as_ref(), move |watch| {
        let end = scenario.transient.distance;
        report::patch::transient(&scenario, &mut |m| {
            let _ = watch.at(m.s / end);
        })
    })
}

/// Table, text, summary, faults, columns that say nothing.
type Solved = (String, String, String, Option<String>, Vec<String>);

/// A table of cases in, the same with results out.
#[pyfunction]
pub fn patch_cases(
    py: Python<'_>,
    subject: String,
    text: String,
    accuracy: f64,
) -> PyResult<Solved> {
    let solved = work::run(py, &subject, None, move |_| {
        if accuracy.is_nan() || accuracy <= 0.0 {
            let message = format!("accuracy = {accuracy} must be a number above 0");
            return Err(Refusal::of("accuracy", message));
        }
        report::patch::cases(&text, accuracy).map_err(Refusal::from)
    })?;
    let report::patch::Cases { table, text, summary, faults, unknown } = solved;
    Ok((table, text, summary.to_string(), faults, unknown))
}

/// Everything there is to choose from, or one of it.
#[pyfunction]
#[pyo3(signature = (name))]
pub fn explain(py: Python<'_>, name: Option<String>) -> PyResult<Report> {
    let found = match &name {
        None => report::models::list(),
        Some(name) => {
            report::models::explain(name).map_err(|why| Refusal::from(why).raise(py, name))?
        }
    };
    Report::new(py, found)
}

/// The JSON schema of one kind of file: run, patch or line.
#[pyfunction]
pub fn schema(py: Python<'_>, which: &str) -> PyResult<String> {
    use report::schema::{Which, schema};
    let which = match which {
        "run" => Which::Run,
        "patch" => Which::Patch,
        "line" => Which::Line,
        other => {
            let message =
                format!("which = \"{other}\" must be one of \"run\", \"patch\", \"line\"");
            return Err(Refusal::of("which", message).raise(py, "the schema"));
        }
    };
    Ok(schema(which).to_string())
}

/// The models along a line and in a plane, by name.
#[pyfunction]
pub fn names() -> (Vec<&'static str>, Vec<&'static str>) {
    let names = |all: &[&'static bristle::kernel::Info]| all.iter().map(|i| i.name).collect();
    (names(AnyBristle::<f64>::CATALOG), names(AnyPlanar::<f64>::CATALOG))
}

/// The lists of parts that a machine may have, and what each part is.
#[pyfunction]
pub fn parts() -> Vec<(&'static str, &'static str)> {
    bristle::scenario::machine::PARTS.to_vec()
}

/// Runs that stop where nobody waits for them.
pub fn going(watch: &work::Watch, end: f64) -> impl FnMut(f64) -> ControlFlow<()> {
    let watch = watch.clone();
    move |t| watch.at(t / end)
}
