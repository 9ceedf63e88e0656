//! What Python gives: scenarios, values put over them, arrays.
use crate::errors::Refusal;
use bristle::scenario::Setting;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::path::PathBuf;
use toml::{Table, Value};

/// Tables in tables go no deeper.
const DEEPEST: usize = 32;

/// A value as a file has it. `key` is for messages.
fn value(key: &str, given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, Refusal> {
    let is_none = || Refusal::of(key, format!("{key}: {}", describe(given)));
    if depth > DEEPEST {
        return Err(Refusal::of(key, format!("{key} is nested deeper than {DEEPEST} levels")));
    }
    if let Ok(b) = given.cast::<PyBool>() {
        return Ok(Value::Boolean(b.is_true()));
    }
    if let Ok(i) = given.cast::<PyInt>() {
        return i.extract().map(Value::Integer).map_err(|_| is_none());
    }
    if let Ok(x) = given.cast::<PyFloat>() {
        return Ok(Value::Float(x.value()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return text.extract().map(Value::String).map_err(|_| is_none());
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        return table(key, dict, depth).map(Value::Table);
    }
    let item =
        |(k, item): (usize, Bound<'_, PyAny>)| value(&format!("{key}[{k}]"), &item, depth + 1);
    if let Ok(list) = given.cast::<PyList>() {
        return list.iter().enumerate().map(item).collect::<Result<_, _>>().map(Value::Array);
    }
    if let Ok(tuple) = given.cast::<PyTuple>() {
        return tuple.iter().enumerate().map(item).collect::<Result<_, _>>().map(Value::Array);
    }
    Err(is_none())
}

fn describe(given: &Bound<'_, PyAny>) -> String {
    let kind = given.get_type().name().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    format!("a {kind} is neither a number, a text, a list nor a dict")
}

/// A table as a file has it.
pub fn table(key: &str, given: &Bound<'_, PyDict>, depth: usize) -> Result<Table, Refusal> {
    let mut table = Table::new();
    for (name, inner) in given.iter() {
        let Ok(name) = name.extract::<String>() else {
            return Err(Refusal::of(key, format!("{key}: a key must be a text, not {name}")));
        };
        let path = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        table.insert(name, value(&path, &inner, depth + 1)?);
    }
    Ok(table)
}

/// What is run: a text with values put over it.
#[derive(Clone)]
pub struct Given {
    /// What messages call it.
    pub subject: String,
    /// The text of a file.
    pub text: String,
    /// What is put over it.
    pub settings: Vec<Setting>,
    /// Where logs and tables stand that it names.
    pub folder: PathBuf,
}

/// As Python hands it over: name for messages, text or table, values put over it, folder.
#[derive(FromPyObject)]
pub struct Asked<'py>(
    pub String,
    pub Bound<'py, PyAny>,
    pub Vec<(String, Bound<'py, PyAny>)>,
    pub PathBuf,
);

impl Asked<'_> {
    /// The same as the library reads it.
    pub fn read(&self, py: Python<'_>) -> PyResult<Given> {
        let Asked(subject, what, over, folder) = self;
        let raise = |refusal: Refusal| refusal.raise(py, subject);
        let text = match what.cast::<PyDict>() {
            Ok(dict) => {
                let table = table("", dict, 0).map_err(raise)?;
                toml::to_string(&table).map_err(|e| raise(Refusal::lines(&e.to_string())))?
            }
            Err(_) => what.extract()?,
        };
        let setting = |(key, given): &(String, Bound<'_, PyAny>)| {
            value(key, given, 0).map(|value| Setting { key: key.clone(), value })
        };
        let settings = over.iter().map(setting).collect::<Result<_, _>>().map_err(raise)?;
        Ok(Given { subject: subject.clone(), text, settings, folder: folder.clone() })
    }
}

/// One number for all, or one for each.
pub enum Numbers<'py> {
    /// For all.
    One(f64),
    /// For each, in the order of the shape.
    Each(PyReadonlyArrayDyn<'py, f64>),
}

/// The same without the interpreter.
#[derive(Clone, Copy)]
pub enum Slice<'a> {
    /// For all.
    One(f64),
    /// For each.
    Each(&'a [f64]),
}

impl Slice<'_> {
    /// The number at a place.
    #[inline(always)]
    pub fn at(self, i: usize) -> f64 {
        match self {
            Slice::One(x) => x,
            Slice::Each(all) => all[i],
        }
    }
}

/// A float that needs no array.
#[inline]
pub fn float(given: &Bound<'_, PyAny>) -> Option<f64> {
    given.cast::<PyFloat>().ok().map(|x| x.value())
}

impl<'py> Numbers<'py> {
    /// Numbers of a shape: what is given is broadcast to it.
    pub fn of(given: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Self> {
        if let Some(x) = float(given) {
            return Ok(Numbers::One(x));
        }
        if let Ok(array) = given.cast::<PyArrayDyn<f64>>()
            && array.shape() == shape
            && array.is_c_contiguous()
        {
            return Ok(Numbers::Each(array.try_readonly()?));
        }
        static BROADCAST: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let broadcast = BROADCAST.import(given.py(), "bristle._arrays", "broadcast")?;
        let array = broadcast.call1((given, PyTuple::new(given.py(), shape)?))?;
        Ok(Numbers::Each(array.cast::<PyArrayDyn<f64>>()?.try_readonly()?))
    }

    /// The same without the interpreter.
    pub fn slice(&self) -> PyResult<Slice<'_>> {
        Ok(match self {
            Numbers::One(x) => Slice::One(*x),
            Numbers::Each(array) => Slice::Each(array.as_slice()?),
        })
    }
}
