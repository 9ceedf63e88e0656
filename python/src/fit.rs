//! Fits.
use crate::errors::Refusal;
use crate::given::Asked;
use crate::report::Report;
use crate::work;
use bristle::fit::file::Job;
use bristle::fit::report::{self, Outcome};
use bristle::fit::{Told, fit as fitted};
use pyo3::prelude::*;
use std::time::Instant;

/// Fits what is free to what was measured, with the model of the file or with several.
#[pyfunction]
#[pyo3(signature = (asked, models, export, tell))]
pub fn fit(
    py: Python<'_>,
    asked: Asked<'_>,
    models: Option<Vec<String>>,
    export: Option<String>,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let given = asked.read(py)?;
    let subject = given.subject.clone();
    if let Some(other) = export.as_ref().filter(|to| *to != "mujoco") {
        let message = format!("export = \"{other}\" must be \"mujoco\"");
        return Err(Refusal::of("export", message).raise(py, &subject));
    }
    let found = work::run(py, &subject, tell.as_ref(), move |watch| {
        let refused = |e: bristle::fit::file::Faults| Refusal::lines(&e.to_string());
        let mut job = Job::read(&given.text, &given.folder).map_err(refused)?;
        if let Some(models) = models.filter(|models| !models.is_empty()) {
            job.models = models;
        }
        let subjects = job
            .models
            .iter()
            .map(|m| job.subject(m).map(|s| (m.clone(), s)).map_err(refused))
            .collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::new();
        for (model, subject) in subjects {
            let began = Instant::now();
            let mut listener = |told: &Told<'_>| {
                watch.name(format!("{model}: {}", told.stage));
                let spent = began.elapsed().as_secs_f64();
                watch.at(spent / (spent + told.left).max(1e-9))
            };
            let fitted = fitted(subject.experiment(), &job.options, &mut listener)
                .map_err(|e| Refusal::Run(format!("{model}: {e}")))?;
            found.push(Outcome { model, subject, fitted, seconds: began.elapsed().as_secs_f64() });
        }
        report::rank(&mut found);
        let Some(best) = found.first() else {
            return Err(Refusal::Run("there is no model to fit".into()));
        };
        let figure = report::figure(&job, best);
        let page = report::page(&job, &found, &figure.svg());
        let (text, summary) = (report::text(&job, &found), report::summary(&job, &found));
        let mut told = bristle::report::Report::new(text, summary, figure);
        told.summary_file = "fit.json";
        told.documents.extend([("fit.toml", report::set(&job, best)), ("report.html", page)]);
        if export.is_some() {
            let joint = report::mujoco(best).map_err(|why| Refusal::lines(&why))?;
            told.documents.push(("joint.xml", joint));
        }
        Ok(told)
    })?;
    Report::new(py, found)
}
