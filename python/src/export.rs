//! Friction for other tools.
use crate::errors::Refusal;
use crate::given::Asked;
use bristle_fmu::{Fault, Source, Version, library, pack};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A functional mock-up unit, as the bytes of its file.
#[pyfunction]
#[pyo3(signature = (asked, version, keep_drives, library))]
pub fn unit<'py>(
    py: Python<'py>,
    asked: Asked<'_>,
    version: u8,
    keep_drives: bool,
    library: Option<PathBuf>,
) -> PyResult<Bound<'py, PyBytes>> {
    let given = asked.read(py)?;
    let made = || -> Result<Vec<u8>, Refusal> {
        let version = match version {
            2 => Version::Two,
            3 => Version::Three,
            other => return Err(Refusal::of("fmi", format!("fmi = {other} must be 2 or 3"))),
        };
        let refused = |Fault(why): Fault| Refusal::lines(&why);
        let source = Source::of_file(&given.text, &given.settings, &given.folder, !keep_drives)
            .map_err(refused)?;
        source.make().map_err(refused)?;
        let library = library::read(library.as_deref()).map_err(|Fault(why)| Refusal::Run(why))?;
        pack(&source, version, &library).map_err(refused)
    };
    let bytes = made().map_err(|refusal| refusal.raise(py, &given.subject))?;
    Ok(PyBytes::new(py, &bytes))
}
