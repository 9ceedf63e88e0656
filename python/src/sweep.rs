//! Many runs of one file.
use crate::errors::Refusal;
use crate::given::{Asked, table};
use crate::report::Report;
use crate::work;
use bristle::sweep::axis::Values;
use bristle::sweep::{self, Finished, Row, Source};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods, ToPyArray,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A sweep that was read: its points and what is kept of each.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Sweep {
    sweep: Arc<sweep::Sweep>,
    subject: String,
}

/// Numbers of rows, one below the other, and why some failed.
type Rows<'py> = (Bound<'py, PyArray2<f64>>, Vec<(u64, String)>);

/// Reads a sweep: the file of one, or a scenario, and what is said beside it.
#[pyfunction]
pub fn read_sweep(py: Python<'_>, asked: Asked<'_>, over: Bound<'_, PyDict>) -> PyResult<Sweep> {
    let given = asked.read(py)?;
    let subject = given.subject.clone();
    let raise = |refusal: Refusal| refusal.raise(py, &subject);
    let mut over = table("", &over, 0).map_err(raise)?;
    if !given.settings.is_empty() {
        let set = given.settings.into_iter().map(|s| (s.key, s.value)).collect();
        over.insert("set".into(), toml::Value::Table(set));
    }
    let source = Source { name: given.subject, text: given.text, folder: given.folder };
    let open = |path: &Path| {
        std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
    };
    let read = sweep::Sweep::read(source, &over, &open);
    let sweep = Arc::new(read.map_err(|problems| raise(Refusal::from(problems)))?);
    Ok(Sweep { sweep, subject })
}

/// The same sweep from its parts, which [`Sweep::parts`] gives.
#[pyfunction]
pub fn same_sweep(
    py: Python<'_>,
    name: String,
    text: String,
    folder: PathBuf,
    table: &str,
) -> PyResult<Sweep> {
    let raise = |refusal: Refusal| refusal.raise(py, &name);
    let table =
        table.parse().map_err(|e: toml::de::Error| raise(Refusal::lines(&e.to_string())))?;
    let source = Source { name: name.clone(), text, folder };
    let made = sweep::Sweep::new(source, table, None);
    let sweep = Arc::new(made.map_err(|problems| raise(Refusal::from(problems)))?);
    Ok(Sweep { sweep, subject: name })
}

fn rows_of(values: &PyReadonlyArray2<'_, f64>, failed: &[(u64, String)]) -> PyResult<Vec<Row>> {
    let width = values.shape()[1];
    let flat = values.as_slice()?;
    let why: HashMap<u64, &String> = failed.iter().map(|(index, why)| (*index, why)).collect();
    let row = |k: usize| Row {
        values: flat[k * width..(k + 1) * width].to_vec(),
        failed: why.get(&(k as u64)).map(|why| (*why).clone()),
    };
    Ok((0..values.shape()[0]).map(row).collect())
}

fn numbers<'py>(py: Python<'py>, rows: Vec<Row>, width: usize) -> PyResult<Rows<'py>> {
    let count = rows.len();
    let mut flat = Vec::with_capacity(count * width);
    let mut failed = Vec::new();
    for (index, row) in (0..).zip(rows) {
        flat.extend(row.values);
        failed.extend(row.failed.map(|why| (index, why)));
    }
    let values = PyArray1::from_vec(py, flat).reshape([count, width])?;
    Ok((values, failed))
}

#[pymethods]
impl Sweep {
    fn __len__(&self) -> usize {
        self.sweep.len() as usize
    }

    /// One line; empty if nothing gives one.
    fn title(&self) -> &str {
        &self.sweep.title
    }

    /// Names and units of what is kept of each point.
    fn columns(&self) -> Vec<(String, String)> {
        self.sweep.columns()
    }

    /// What it was made of: name, text and folder of its base, and a table as TOML.
    fn parts(&self) -> PyResult<(String, String, PathBuf, String)> {
        let (base, table) = self.sweep.parts();
        let table = toml::to_string(table).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok((base.name.clone(), base.text.clone(), base.folder.clone(), table))
    }

    /// What tells its rows from those of all other sweeps.
    fn description(&self) -> String {
        self.sweep.description()
    }

    /// Key, unit and number of values of everything that is varied; no number of what has a distribution.
    fn axes(&self) -> Vec<(String, String, Option<u64>)> {
        let axes = self.sweep.plan.axes.iter().map(|axis| {
            let spread = matches!(axis.values, Values::Spread(_));
            (axis.key.clone(), axis.unit.clone(), (!spread).then(|| axis.values.count()))
        });
        axes.collect()
    }

    /// How many points belong to each of the grid.
    fn per_grid_point(&self) -> u64 {
        self.sweep.plan.per_grid_point()
    }

    /// The values of a key at some points: numbers, or texts.
    fn values<'py>(
        &self,
        py: Python<'py>,
        axis: usize,
        start: u64,
        stop: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = (start..stop).map(|index| self.sweep.plan.point(index).swap_remove(axis));
        let own: Vec<toml::Value> = own.collect();
        let number = |v: &toml::Value| v.as_float().or_else(|| v.as_integer().map(|i| i as f64));
        let numbers: Option<Vec<f64>> = own.iter().map(number).collect();
        match numbers {
            Some(numbers) => Ok(numbers.to_pyarray(py).into_any()),
            None => {
                let text =
                    |v: &toml::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
                Ok(own.iter().map(text).collect::<Vec<_>>().into_pyobject(py)?.into_any())
            }
        }
    }

    /// The rows of some points, on all cores. `tell` hears how much is done.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
        tell: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        let (sweep, width) = (self.sweep.clone(), self.sweep.columns().len());
        let rows = work::run(py, &self.subject, tell.as_ref(), move |watch| {
            let done = AtomicU64::new(0);
            let count = (stop - start).max(1) as f64;
            let step = || {
                let _ = watch.at((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count);
            };
            let rows = sweep.rows(start..stop, &|| !watch.stopped(), &step);
            rows.ok_or_else(|| Refusal::Run("interrupted".into()))
        })?;
        numbers(py, rows, width)
    }

    /// What came of all rows.
    fn report(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        failed: Vec<(u64, String)>,
    ) -> PyResult<Report> {
        let rows = rows_of(&values, &failed)?;
        let made = py.detach(|| sweep::report(&self.sweep, rows.as_slice()));
        Report::new(py, made?)
    }

    /// All rows as CSV and as Parquet.
    fn files<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        failed: Vec<(u64, String)>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let rows = rows_of(&values, &failed)?;
        let (mut csv, mut parquet) = (Vec::new(), Vec::new());
        sweep::write_csv(&self.sweep, rows.as_slice(), &mut csv)?;
        sweep::write_parquet(&self.sweep, rows.as_slice(), &mut parquet)?;
        Ok((PyBytes::new(py, &csv), PyBytes::new(py, &parquet)))
    }

    /// Rows in a folder, where they are kept as they finish.
    fn kept(&self, folder: PathBuf) -> PyResult<Kept> {
        let (width, count) = (self.sweep.columns().len(), self.sweep.len());
        let rows = sweep::Rows::open(&folder, &self.sweep.description(), width, count);
        rows.map(|rows| Kept { rows, width }).map_err(refused)
    }
}

fn refused(why: sweep::RowsError) -> PyErr {
    match why {
        sweep::RowsError::Io(..) => pyo3::exceptions::PyOSError::new_err(why.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Rows in a folder.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Kept {
    rows: sweep::Rows,
    width: usize,
}

#[pymethods]
impl Kept {
    /// Whether all of some rows are there.
    fn has(&self, start: u64, stop: u64) -> PyResult<bool> {
        let rows = self.rows.get(start, (stop - start) as usize).map_err(refused)?;
        Ok(rows.iter().all(Option::is_some))
    }

    /// Writes rows, the first of that index.
    fn put(
        &self,
        start: u64,
        values: PyReadonlyArray2<'_, f64>,
        failed: Vec<(u64, String)>,
    ) -> PyResult<()> {
        self.rows.put(start, &rows_of(&values, &failed)?).map_err(refused)?;
        self.rows.sync().map_err(refused)
    }

    /// Reads rows, all of which must be there.
    fn get<'py>(&self, py: Python<'py>, start: u64, stop: u64) -> PyResult<Rows<'py>> {
        let rows = Finished::get(&self.rows, start, (stop - start) as usize).map_err(refused)?;
        let missing = || PyValueError::new_err("some rows are not finished");
        let rows: Vec<Row> = rows.into_iter().collect::<Option<_>>().ok_or_else(missing)?;
        numbers(py, rows, self.width)
    }
}
