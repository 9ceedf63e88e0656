//! What goes wrong, as Python's exceptions: see `bristle/_errors.py`.
use bristle::kernel::{Allowed, Invalid};
use bristle::report::Failure;
use bristle::scenario::Stopped;
use bristle::scenario::table::{At, Problem, Problems};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// One thing that is wrong with what was given.
#[derive(Clone, Default)]
pub struct Fault {
    /// The key that it is about.
    key: Option<String>,
    message: String,
    /// Line and column of a file.
    place: Option<(usize, usize)>,
    value: Option<f64>,
    unit: Option<&'static str>,
    allowed: Option<String>,
}

/// Why there is no result.
pub enum Refusal {
    /// What was given makes no sense.
    Input(Vec<Fault>),
    /// The computation came to no end.
    Run(String),
}

impl Refusal {
    /// One thing that is wrong with a key.
    pub fn of(key: &str, message: impl Into<String>) -> Self {
        let (key, message) = (Some(key.to_owned()), message.into());
        Refusal::Input(vec![Fault { key, message, ..Fault::default() }])
    }

    /// Every line of a text is a fault.
    pub fn lines(text: &str) -> Self {
        let fault = |line: &str| Fault { message: line.to_owned(), ..Fault::default() };
        Refusal::Input(text.lines().map(fault).collect())
    }

    /// The exception; `subject` is what could not be run.
    pub fn raise(self, py: Python<'_>, subject: &str) -> PyErr {
        static INPUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static RUN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let made = match self {
            Refusal::Input(faults) => {
                let faults: Vec<_> = faults
                    .into_iter()
                    .map(|f| {
                        let (line, column) = f.place.unzip();
                        (f.key, f.message, line, column, f.value, f.unit, f.allowed)
                    })
                    .collect();
                INPUT
                    .import(py, "bristle._errors", "input_error")
                    .and_then(|make| make.call1((subject, faults)))
            }
            Refusal::Run(text) => RUN
                .import(py, "bristle._errors", "run_error")
                .and_then(|make| make.call1((subject, text))),
        };
        match made {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        let key = problem.key();
        let (place, problem) = match problem {
            Problem::Located { at: At::Line { line, column }, problem } => {
                (Some((line, column)), *problem)
            }
            Problem::Located { problem, .. } => (None, *problem),
            problem => (None, problem),
        };
        let message = problem.to_string();
        let Problem::Fault { fault, .. } = problem else {
            return Fault { key, message, place, ..Fault::default() };
        };
        let allowed = match fault.allowed {
            Allowed::Within(range) => range.to_string(),
            Allowed::Relation { rule, limit, .. } => format!("{rule} {limit}"),
        };
        let (value, unit) = (Some(fault.value), Some(fault.unit));
        Fault { key, message, place, value, unit, allowed: Some(allowed) }
    }
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Self {
        Refusal::Input(problems.0.into_iter().map(Fault::from).collect())
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Self {
        let fault = |fault| Problem::Fault { prefix: String::new(), fault };
        Refusal::from(Problems(invalid.0.into_iter().map(fault).collect()))
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Input(why) | Failure::Asked(why) => Refusal::lines(&why),
            Failure::Run(why) => Refusal::Run(why),
        }
    }
}

impl From<bristle::Stopped> for Refusal {
    fn from(stopped: bristle::Stopped) -> Self {
        use bristle::Stopped::{NoFixedStep, Setting, TooManyRows, Unknown};
        match &stopped {
            Setting { .. } | Unknown { .. } | NoFixedStep | TooManyRows { .. } => {
                Refusal::lines(&stopped.to_string())
            }
            _ => Refusal::Run(stopped.to_string()),
        }
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Input(problems) => problems.into(),
            Stopped::Run(stopped) => stopped.into(),
        }
    }
}
