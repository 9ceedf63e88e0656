//! Mechanics that is a function of Python.
//!
//! The solvers ask a mechanism for numbers and, in dual numbers, for slopes. A function of Python gives numbers only: its
//! slopes are differences, which is as good where they serve to converge and no result depends on them.
use crate::commands::going;
use crate::errors::Refusal;
use crate::friction::Element;
use crate::runs::Recorded;
use crate::work;
use bristle::kernel::{Drive, Real};
use bristle::scenario::friction::Friction;
use bristle::{
    Contact, Coupled, Mechanism, OnImbalance, Quantity, Role, Simulation, Spacing, Units,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// A name that lives as long as the program; one for all that are equal.
fn keep(name: &str) -> &'static str {
    static KEPT: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_with(HashSet::new);
    match kept.get(name) {
        Some(known) => known,
        None => {
            let new: &'static str = String::leak(name.to_owned());
            kept.insert(new);
            new
        }
    }
}

/// Values and slopes of a function, by what they were asked for.
struct Slopes {
    at: Vec<f64>,
    value: Vec<f64>,
    /// Row by row, one for each value.
    slopes: Vec<f64>,
}

/// So many are remembered: those of two runs beside each other.
const REMEMBERED: usize = 8;

/// A function of Python: from numbers to numbers.
struct Function {
    call: Py<PyAny>,
    /// How many of its arguments, after the time, are states; the rest are forces.
    states: usize,
    outputs: usize,
    /// Differences of each argument are no smaller.
    small: Vec<f64>,
    failed: Arc<Mutex<Option<PyErr>>>,
    known: Mutex<VecDeque<Slopes>>,
}

impl Function {
    /// Its values; not numbers where it raised an exception, which is kept.
    fn value(&self, at: &[f64]) -> Vec<f64> {
        let called = Python::attach(|py| -> PyResult<Vec<f64>> {
            let y = PyArray1::from_slice(py, &at[1..1 + self.states]);
            let force = PyArray1::from_slice(py, &at[1 + self.states..]);
            let given = self.call.bind(py).call1((at[0], y, force))?;
            let given: PyReadonlyArray1<'_, f64> = given.extract()?;
            Ok(given.as_array().to_vec())
        });
        called.unwrap_or_else(|error| {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
            vec![f64::NAN; self.outputs]
        })
    }

    fn slopes(&self, at: &[f64]) -> Slopes {
        let value = self.value(at);
        let mut slopes = vec![0.0; self.outputs * at.len()];
        for k in 0..at.len() {
            let mut beside = at.to_vec();
            beside[k] += f64::EPSILON.sqrt() * at[k].abs().max(self.small[k]);
            let by = beside[k] - at[k];
            for (i, moved) in self.value(&beside).iter().enumerate() {
                slopes[i * at.len() + k] = (moved - value[i]) / by;
            }
        }
        Slopes { at: at.to_vec(), value, slopes }
    }

    /// Its values in any scalar: what derivatives there are go by the slopes.
    fn eval<S: Real>(&self, at: &[S], out: &mut [S]) {
        let plain: Vec<f64> = at.iter().map(|x| x.number()).collect();
        if size_of::<S>() == size_of::<f64>() {
            let value = self.value(&plain);
            out.iter_mut().zip(value).for_each(|(out, x)| *out = S::from(x));
            return;
        }
        let known = |known: &VecDeque<Slopes>| known.iter().position(|k| k.at == plain);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = lock();
        let place = known(&all);
        if place.is_none() {
            // Python is not called under the lock.
            drop(all);
            let new = self.slopes(&plain);
            all = lock();
            all.push_front(new);
            all.truncate(REMEMBERED);
        }
        let Slopes { value, slopes, .. } = &all[place.unwrap_or(0)];
        for (i, out) in out.iter_mut().enumerate() {
            let terms = at.iter().zip(&plain).zip(&slopes[i * at.len()..]);
            *out = terms.fold(S::from(value[i]), |sum, ((x, at), slope)| sum + (*x - *at) * *slope);
        }
    }
}

/// A mechanism whose rates and drives are functions of Python.
struct Mechanics {
    quantities: Vec<Quantity>,
    contacts: Vec<Contact>,
    initial: Vec<f64>,
    rates: Function,
    /// Position, velocity and load of each contact.
    drives: Vec<Function>,
}

impl Mechanism for Mechanics {
    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn initial(&self, y: &mut [f64]) {
        y.copy_from_slice(&self.initial);
    }

    fn drive<S: Real>(&self, i: usize, t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        let at: Vec<S> = [t].iter().chain(&y[..self.quantities.len()]).copied().collect();
        let mut out = [S::from(0.0); 3];
        self.drives[i].eval(&at, &mut out);
        Drive { x: out[0], ..Drive::new(out[1], out[2]) }
    }

    fn rates<S: Real>(&self, t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let states = self.quantities.len();
        let at: Vec<S> = [t].iter().chain(&y[..states]).chain(force).copied().collect();
        self.rates.eval(&at, &mut dy[..states]);
    }
}

/// A state: name, unit, a small value, its start.
type State = (String, String, f64, f64);
/// A contact: name, friction, its function.
type Touch<'py> = (String, PyRef<'py, Element>, Py<PyAny>);

/// Runs mechanics of functions: `rates(t, y, F)` and, for each contact, position, velocity and load at `(t, y)`.
#[pyfunction]
#[pyo3(signature = (rates, states, contacts, end, tolerance, spacing, force, tell))]
#[allow(clippy::too_many_arguments)]
pub fn simulate(
    py: Python<'_>,
    rates: Py<PyAny>,
    states: Vec<State>,
    contacts: Vec<Touch<'_>>,
    end: f64,
    tolerance: f64,
    spacing: f64,
    force: bool,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Recorded> {
    let subject = "the simulation";
    let failed: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let function = |call: Py<PyAny>, outputs: usize, forces: usize| Function {
        call,
        states: states.len(),
        outputs,
        small: [1.0]
            .into_iter()
            .chain(states.iter().map(|s| s.2))
            .chain(vec![1.0; forces])
            .collect(),
        failed: failed.clone(),
        known: Mutex::default(),
    };
    let quantity = |(name, unit, small, _): &State| Quantity::new(keep(name), keep(unit), *small);
    let mechanics = Mechanics {
        quantities: states.iter().map(quantity).collect(),
        contacts: contacts
            .iter()
            .map(|(name, ..)| Contact {
                name: keep(name),
                role: Role::Friction,
                units: Units::LINE,
            })
            .collect(),
        initial: states.iter().map(|s| s.3).collect(),
        rates: function(rates, states.len(), contacts.len()),
        drives: contacts.iter().map(|(.., call)| function(call.clone_ref(py), 3, 0)).collect(),
    };
    let mut system: Option<Coupled<Mechanics>> = None;
    let mut mechanics = Some(mechanics);
    for (i, (_, element, _)) in contacts.iter().enumerate() {
        let Friction::Line(model) = element.friction() else {
            let message =
                "contacts of a function slide along a line: take `frbd` in place of `frbd_planar`";
            return Err(Refusal::of("contacts", message).raise(py, subject));
        };
        system = match (system.take(), mechanics.take()) {
            (Some(system), _) => Some(system.with(i, model.clone())),
            (None, mechanics) => mechanics.map(|m| Coupled::new(m, model.clone())),
        };
    }
    let Some(system) = system else {
        let message = "there is no contact: give at least one bristle.Contact";
        return Err(Refusal::of("contacts", message).raise(py, subject));
    };
    let on_imbalance = if force { OnImbalance::Mark } else { OnImbalance::Stop };
    let mut simulation = Simulation::of(system).tolerance(tolerance).on_imbalance(on_imbalance);
    if spacing > 0.0 {
        simulation = simulation.spacing(Spacing::Even(spacing));
    }
    let watched = failed.clone();
    let run = work::run(py, subject, tell.as_ref(), move |watch| {
        let mut go_on = going(watch, end);
        let mut go_on = |t: f64| match watched.lock().is_ok_and(|failed| failed.is_some()) {
            true => std::ops::ControlFlow::Break(()),
            false => go_on(t),
        };
        simulation.run_while(end, &mut go_on).map_err(Refusal::from)
    });
    run.map(Recorded::from).map_err(|error| {
        // What a function raised is why.
        let own = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        own.unwrap_or(error)
    })
}
