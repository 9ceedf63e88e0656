//! Runs of scenarios and machines.
use crate::commands::going;
use crate::errors::Refusal;
use crate::given::Asked;
use crate::report::{Column, Report, columns};
use crate::work;
use bristle::report::run::{Job, Plant};
use bristle::{Account, Cost, Event, OnImbalance, Run};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Runs beside each other.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Runs {
    jobs: Arc<Vec<Job>>,
    outcomes: Vec<Arc<Run>>,
    elapsed: Duration,
}

/// What a run recorded.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Recorded(Arc<Run>);

impl From<Run> for Recorded {
    fn from(run: Run) -> Self {
        Recorded(Arc::new(run))
    }
}

/// Runs everything that is asked for: label and file of each. `tell` hears how much is done.
#[pyfunction]
#[pyo3(signature = (asked, force, tell))]
pub fn run(
    py: Python<'_>,
    asked: Vec<(String, Asked<'_>)>,
    force: bool,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let (mut jobs, mut subject) = (Vec::new(), String::new());
    for (label, own) in &asked {
        let given = own.read(py)?;
        let plant = Plant::read(&given.text, &given.settings, &given.folder)
            .map_err(|problems| Refusal::from(problems).raise(py, &given.subject))?;
        jobs.push(Job { file: PathBuf::from(&given.subject), label: label.clone(), plant });
        subject = given.subject;
    }
    let on_imbalance = if force { OnImbalance::Mark } else { OnImbalance::Stop };
    work::run(py, &subject, tell.as_ref(), move |watch| {
        let began = Instant::now();
        let done = AtomicUsize::new(0);
        let one = |job: &Job| {
            let end = job.plant.how().end;
            let outcome = match jobs.len() {
                1 => job.plant.simulate_with_events(on_imbalance, &mut going(watch, end)),
                _ => job.plant.simulate_with_events(on_imbalance, &mut |_| match watch.stopped() {
                    true => std::ops::ControlFlow::Break(()),
                    false => std::ops::ControlFlow::Continue(()),
                }),
            };
            let _ = watch.at((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / jobs.len() as f64);
            outcome.map(Arc::new).map_err(|stopped| {
                match (Refusal::from(stopped), job.label.as_str()) {
                    (Refusal::Run(why), label) if !label.is_empty() => {
                        Refusal::Run(format!("{label}: {why}"))
                    }
                    (other, _) => other,
                }
            })
        };
        let outcomes: Vec<Result<Arc<Run>, Refusal>> = match jobs.as_slice() {
            [job] => vec![one(job)],
            all => all.par_iter().map(one).collect(),
        };
        let outcomes = outcomes.into_iter().collect::<Result<_, _>>()?;
        Ok(Runs { jobs: Arc::new(jobs), outcomes, elapsed: began.elapsed() })
    })
}

#[pymethods]
impl Recorded {
    /// Name, unit and values of each column.
    fn columns<'py>(&self, py: Python<'py>) -> Vec<Column<'py>> {
        columns(py, &self.0.trace)
    }

    /// When something discrete happened, what, to which contact or drive, and in which direction.
    fn events(&self) -> Vec<(f64, &'static str, Option<usize>, Option<f64>)> {
        let row = |(t, event): &(f64, Event)| match *event {
            Event::Stick { contact } => (*t, "stick", Some(contact), None),
            Event::Slip { contact, way } => (*t, "slip", Some(contact), Some(way)),
            Event::Reversal { contact, way } => (*t, "reversal", Some(contact), Some(way)),
            Event::Element { contact } => (*t, "element", Some(contact), None),
            Event::Drive(drive) => (*t, "drive", Some(drive), None),
            Event::Mechanism => (*t, "mechanism", None, None),
        };
        self.0.events.iter().map(row).collect()
    }

    /// The energy account of each contact.
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, account) in &self.0.ledger {
            all.set_item(name, books(py, account)?)?;
        }
        Ok(all)
    }

    /// What the solver did.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        match &self.0.statistics {
            Cost::Adaptive(s) => {
                all.set_item("accepted", s.accepted)?;
                all.set_item("rejected", s.rejected)?;
                all.set_item("diverged", s.diverged)?;
                all.set_item("evaluations", s.rhs)?;
                all.set_item("jacobians", s.jacobians)?;
                all.set_item("factorisations", s.factorisations)?;
                all.set_item("events", s.events)?;
            }
            Cost::Fixed { steps, iterations, halvings } => {
                all.set_item("steps", steps)?;
                all.set_item("iterations", iterations)?;
                all.set_item("halvings", halvings)?;
            }
        }
        Ok(all)
    }
}

#[pymethods]
impl Runs {
    fn __len__(&self) -> usize {
        self.outcomes.len()
    }

    /// What sets a run apart from the others.
    fn label(&self, i: usize) -> PyResult<String> {
        Ok(self.job(i)?.label.clone())
    }

    /// What a file says and has no meaning with what was put over it.
    fn left_out(&self, i: usize) -> PyResult<Vec<String>> {
        Ok(self.job(i)?.plant.left_out().to_vec())
    }

    /// What a run recorded.
    fn recorded(&self, i: usize) -> PyResult<Recorded> {
        Ok(Recorded(self.outcome(i)?.clone()))
    }

    /// What a run gave, as the command line tells it.
    fn report(&self, py: Python<'_>, i: usize) -> PyResult<Report> {
        let (job, outcome) = (self.job(i)?, self.outcome(i)?);
        let found =
            py.detach(|| bristle::report::run::run(&job.plant, Run::clone(outcome), self.elapsed));
        Report::new(py, found)
    }

    /// The same of all of them beside each other.
    fn together(&self, py: Python<'_>) -> PyResult<Report> {
        let outcomes = self.outcomes.iter().map(|run| Run::clone(run)).collect();
        let found = py.detach(|| bristle::report::run::runs(&self.jobs, outcomes, self.elapsed));
        Report::new(py, found)
    }
}

impl Runs {
    fn job(&self, i: usize) -> PyResult<&Job> {
        self.jobs.get(i).ok_or_else(no_such_run)
    }

    fn outcome(&self, i: usize) -> PyResult<&Arc<Run>> {
        self.outcomes.get(i).ok_or_else(no_such_run)
    }
}

fn no_such_run() -> PyErr {
    pyo3::exceptions::PyIndexError::new_err("there is no run of that number")
}

/// The books of a contact, J.
pub fn books<'py>(py: Python<'py>, account: &Account) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (key, value) in [
        ("work", account.work),
        ("load", account.load),
        ("stored", account.stored),
        ("dissipated", account.dissipated),
        ("slip", account.slip),
        ("residual", account.residual()),
    ] {
        all.set_item(key, value)?;
    }
    Ok(all)
}
