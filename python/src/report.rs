//! What commands give: text, summary, tables, figures.
use bristle::report::{Drawing, Report as Found};
use bristle::trace::Trace;
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Name, unit and values of a column.
pub type Column<'py> = (String, String, Bound<'py, PyArray1<f64>>);

/// The columns of a table.
pub fn columns<'py>(py: Python<'py>, table: &Trace) -> Vec<Column<'py>> {
    let column = |c: &bristle::trace::Column| {
        (c.name.clone(), c.unit.clone(), c.values.as_slice().to_pyarray(py))
    };
    table.columns().iter().map(column).collect()
}

/// A picture.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Picture(Drawing);

#[pymethods]
impl Picture {
    /// The picture as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.svg())
    }

    /// The picture as PNG, so many points to a unit of the SVG.
    fn png<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| self.0.png(scale));
        let png = made.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &png))
    }
}

/// What a command gives.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Report {
    #[pyo3(get)]
    text: String,
    summary: serde_json::Value,
    tables: Vec<(&'static str, Trace)>,
    documents: Vec<(&'static str, String)>,
    figures: Vec<(String, Py<Picture>)>,
    #[pyo3(get)]
    summary_file: &'static str,
}

impl Report {
    /// From what the library gives.
    pub fn new(py: Python<'_>, found: Found) -> PyResult<Self> {
        let Found { text, summary, summary_file, documents, tables, figures } = found;
        let figure = |(name, drawing)| Ok((name, Py::new(py, Picture(drawing))?));
        let figures = figures.into_iter().map(figure).collect::<PyResult<_>>()?;
        Ok(Report { text, summary, tables, documents, figures, summary_file })
    }
}

#[pymethods]
impl Report {
    /// The summary as JSON.
    fn summary(&self) -> String {
        self.summary.to_string()
    }

    /// Tables by the names of their files: name, unit and values of each column.
    fn tables<'py>(&self, py: Python<'py>) -> Vec<(&'static str, Vec<Column<'py>>)> {
        self.tables.iter().map(|(file, table)| (*file, columns(py, table))).collect()
    }

    /// Texts for other readers, by the names of their files.
    fn documents(&self) -> Vec<(&'static str, String)> {
        self.documents.clone()
    }

    /// Pictures by name.
    fn figures(&self, py: Python<'_>) -> Vec<(String, Py<Picture>)> {
        self.figures.iter().map(|(name, own)| (name.clone(), own.clone_ref(py))).collect()
    }
}
