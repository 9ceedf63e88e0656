//! Friction elements, one and many.
use crate::errors::Refusal;
use crate::given::{Numbers, Slice, float, table};
use crate::work::pool;
use bristle::kernel::{
    AnyBristle, AnyPlanar, Bristle, Cast, Drive, Field, Free, Group, Kind, Mode, Params, Slip,
    Update,
};
use bristle::num::{Lanes, simd};
use bristle::scenario::friction::{Friction, element};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyTuple};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Elements that go side by side.
const WIDTH: usize = 4;
type Wide = Lanes<WIDTH>;

/// Fewer elements than this are stepped without releasing the interpreter: that takes longer than they do.
const SMALL: usize = 512;
/// From so many elements on, threads are worth their waking.
const MANY: usize = 16_384;
/// So many elements go to a thread at a time.
const SHARE: usize = 4096;
/// Signals are looked for about as often as this.
const LOOK: Duration = Duration::from_millis(20);
/// States that need no allocation.
const FEW: usize = 16;

/// The model in lanes.
#[allow(clippy::large_enum_variant)]
enum InLanes {
    Line(AnyBristle<Wide>),
    Plane(AnyPlanar<Wide>),
}

/// A friction element.
#[pyclass(frozen, subclass, module = "bristle._bristle")]
pub struct Element {
    friction: Friction,
    /// In a box: objects of Python are not aligned as lanes must be.
    wide: OnceLock<Box<InLanes>>,
}

impl Element {
    /// What the library has.
    pub fn friction(&self) -> &Friction {
        &self.friction
    }

    fn wide(&self) -> &InLanes {
        self.wide.get_or_init(|| {
            Box::new(match &self.friction {
                Friction::Line(m) => InLanes::Line(m.cast(&mut |x| Wide::from(x))),
                Friction::Plane(m) => InLanes::Plane(m.cast(&mut |x| Wide::from(x))),
            })
        })
    }

    fn raise(&self, py: Python<'_>, refusal: Refusal) -> PyErr {
        refusal.raise(py, self.friction.info().name)
    }
}

/// Group, model, name, unit, value, start, range, options, meaning and equation of a parameter.
type Declared<'py> = (
    String,
    &'static str,
    &'static str,
    &'static str,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<String>,
    Option<Vec<&'static str>>,
    &'static str,
    &'static str,
);

#[pymethods]
impl Element {
    #[new]
    #[pyo3(signature = (model, /, **parameters))]
    fn new(py: Python<'_>, model: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let made = || -> Result<Friction, Refusal> {
            let mut own = parameters.map(|p| table("", p, 0)).transpose()?.unwrap_or_default();
            own.insert("model".into(), model.into());
            Ok(element(&own)?)
        };
        let friction = made().map_err(|refusal| refusal.raise(py, model))?;
        Ok(Element { friction, wide: OnceLock::new() })
    }

    /// The name of the model.
    #[getter]
    fn model(&self) -> &'static str {
        self.friction.info().name
    }

    /// What the model is, in a line.
    #[getter]
    fn title(&self) -> &'static str {
        self.friction.info().title
    }

    /// Whether it slides in a plane.
    #[getter]
    fn planar(&self) -> bool {
        matches!(self.friction, Friction::Plane(_))
    }

    /// Name and unit of each state.
    #[getter]
    fn variables(&self) -> Vec<(String, &'static str)> {
        let of = |i: usize| match &self.friction {
            Friction::Line(m) => m.variable(i),
            Friction::Plane(m) => m.variable(i),
        };
        (0..count(&self.friction)).map(|i| (of(i).to_string(), of(i).unit)).collect()
    }

    /// Every parameter as it is declared, with its value.
    fn declared<'py>(&self, py: Python<'py>) -> PyResult<Vec<Declared<'py>>> {
        let mut all = Vec::new();
        let mut failed = None;
        let mut see = |visit: bristle::kernel::Visit<'_, f64>| {
            let any = |x: f64| PyFloat::new(py, x).into_any();
            let made = || -> PyResult<_> {
                Ok(match (&visit.field, &visit.param.kind) {
                    (Field::Number(x), Kind::Number { start, range }) => {
                        (any(**x), any(*start), Some(range.to_string()), None)
                    }
                    (Field::List(list), Kind::List { start, range, .. }) => (
                        list.as_slice().into_pyobject(py)?.into_any(),
                        start.into_pyobject(py)?.into_any(),
                        Some(range.to_string()),
                        None,
                    ),
                    (Field::Choice(choice), Kind::Choice { start, options, .. }) => (
                        choice.get().into_pyobject(py)?.into_any(),
                        start.into_pyobject(py)?.into_any(),
                        None,
                        Some(options.to_vec()),
                    ),
                    _ => return Err(PyValueError::new_err("a parameter is not what it declares")),
                })
            };
            match made() {
                Ok((value, start, range, options)) => all.push((
                    visit.group.to_string(),
                    visit.model,
                    visit.param.name,
                    visit.unit,
                    value,
                    start,
                    range,
                    options,
                    visit.param.meaning,
                    visit.param.equation,
                )),
                Err(error) => failed = Some(error),
            }
        };
        match &mut self.friction.clone() {
            Friction::Line(m) => m.visit(Group::default(), &mut see),
            Friction::Plane(m) => m.visit(Group::default(), &mut see),
        }
        failed.map_or(Ok(all), Err)
    }

    /// The force of steady sliding.
    #[pyo3(signature = (v, load, x, shape))]
    fn steady_at<'py>(
        &self,
        py: Python<'py>,
        v: &Bound<'py, PyAny>,
        load: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        shape: Vec<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n = shape.iter().product();
        match &self.friction {
            Friction::Line(m) => {
                let (v, x) = (Numbers::of(v, &shape)?, Numbers::of(x, &shape)?);
                let load = Numbers::of(load, &shape)?;
                let (v, load, x) = (v.slice()?, load.slice()?, x.slice()?);
                let at = |i: usize| Drive { x: x.at(i), ..Drive::new(v.at(i), load.at(i)) };
                steady(py, m, n, at, &shape)
            }
            Friction::Plane(m) => {
                let pairs = paired(&shape);
                let v = Numbers::of(v, &pairs)?;
                let load = Numbers::of(load, &shape)?;
                let (v, load) = (v.slice()?, load.slice()?);
                let at = |i: usize| Drive::new([v.at(2 * i), v.at(2 * i + 1)], load.at(i));
                steady(py, m, n, at, &pairs)
            }
        }
    }

    /// The force of steady sliding at velocities, under loads and at positions, which are broadcast.
    #[pyo3(signature = (v, load = None, x = None))]
    fn steady<'py>(
        slf: &Bound<'py, Self>,
        v: &Bound<'py, PyAny>,
        load: Option<&Bound<'py, PyAny>>,
        x: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        // Floats take the short way.
        if let Friction::Line(m) = &own.friction
            && let Some(v) = float(v)
            && let Some(load) = load.map_or(Some(1.0), float)
            && let Some(x) = x.map_or(Some(0.0), float)
        {
            let force =
                with_states(m.states(), |z| m.steady(&Drive { x, ..Drive::new(v, load) }, z));
            return Ok(PyFloat::new(py, force).into_any());
        }
        let one = PyFloat::new(py, 1.0).into_any();
        let zero = PyFloat::new(py, 0.0).into_any();
        let (load, x) = (load.unwrap_or(&one), x.unwrap_or(&zero));
        let arrays = py.import("bristle._arrays")?;
        arrays.getattr("steady")?.call1((slf, v, load, x))
    }

    /// Elements of this kind side by side, in a shape, all at rest and undeflected.
    #[pyo3(signature = (shape = None))]
    fn states(slf: Py<Self>, py: Python<'_>, shape: Option<&Bound<'_, PyAny>>) -> PyResult<States> {
        let shape: Vec<usize> = match shape {
            None => Vec::new(),
            Some(shape) => match shape.extract::<usize>() {
                Ok(n) => vec![n],
                Err(_) => shape.extract().map_err(|_| {
                    PyValueError::new_err("shape must be a whole number or a tuple of them, from 0")
                })?,
            },
        };
        States::new(py, slf, shape)
    }
}

/// A shape with a velocity of two components at each place.
fn paired(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().chain([2]).collect()
}

fn count(friction: &Friction) -> usize {
    match friction {
        Friction::Line(m) => m.states(),
        Friction::Plane(m) => m.states(),
    }
}

/// Calls `f` with room for so many states, which are zero.
#[inline(always)]
fn with_states<R>(states: usize, f: impl FnOnce(&mut [f64]) -> R) -> R {
    let mut few = [0.0; FEW];
    match few.get_mut(..states) {
        Some(z) => f(z),
        None => f(&mut vec![0.0; states]),
    }
}

/// Room for so many numbers, or an exception.
fn room(n: usize) -> PyResult<Vec<f64>> {
    let mut all = Vec::new();
    all.try_reserve_exact(n).map_err(|e| PyMemoryError::new_err(e.to_string()))?;
    all.resize(n, 0.0);
    Ok(all)
}

/// An array of that shape.
fn array<'py>(py: Python<'py>, all: &[f64], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(all.to_pyarray(py).reshape(shape)?.into_any())
}

/// Fills `out`, of `per` numbers for each element, block by block, with a look for signals after each.
fn blocks(
    py: Python<'_>,
    out: &mut [f64],
    per: usize,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> PyResult<()> {
    let n = out.len() / per;
    if n < SMALL {
        fill(0, out);
        return Ok(());
    }
    in_blocks(py, n, |own| {
        let first = own.start;
        let block = &mut out[own.start * per..own.end * per];
        match n < MANY {
            true => fill(first, block),
            false => pool().install(|| {
                let shares = block.par_chunks_mut(SHARE * per).enumerate();
                shares.for_each(|(j, share)| fill(first + j * SHARE, share));
            }),
        }
    })
}

/// Does `work` for all elements without the interpreter, block by block, and looks for signals after each. Blocks become as
/// large as they may be.
fn in_blocks(py: Python<'_>, n: usize, mut work: impl FnMut(Range<usize>) + Send) -> PyResult<()> {
    let (mut first, mut size) = (0, MANY);
    while first < n {
        let own = first..n.min(first + size);
        first = own.end;
        let began = Instant::now();
        let work = &mut work;
        py.detach(move || work(own));
        match began.elapsed() {
            spent if spent < LOOK / 4 => size *= 2,
            spent if spent > LOOK && size > SHARE => size /= 2,
            _ => {}
        }
        py.check_signals()?;
    }
    Ok(())
}

fn steady<'py, V: Slip<f64>>(
    py: Python<'py>,
    model: &(impl Bristle<f64, V> + Sync),
    n: usize,
    at: impl Fn(usize) -> Drive<f64, V> + Sync,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let mut out = room(n * V::DIM)?;
    blocks(py, &mut out, V::DIM, |first, share| {
        with_states(model.states(), |z| {
            for (i, out) in share.chunks_exact_mut(V::DIM).enumerate() {
                let force = model.steady(&at(first + i), z);
                out.iter_mut().enumerate().for_each(|(k, out)| *out = force.get(k));
            }
        });
    })?;
    array(py, &out, shape)
}

/// How a fixed step is taken, by name.
fn update(name: &str) -> Result<Update, Refusal> {
    use bristle::kernel::{AnyChoice, Choice};
    let mut how = Update::Midpoint;
    match how.set(name) {
        true => Ok(how),
        false => {
            let names = Update::NAMES.join("\", \"");
            Err(Refusal::of("update", format!("update = \"{name}\" must be one of \"{names}\"")))
        }
    }
}

/// Elements of one kind side by side, each with a state of its own.
#[pyclass(module = "bristle._bristle")]
pub struct States {
    element: Py<Element>,
    shape: Vec<usize>,
    n: usize,
    states: usize,
    /// The states of the first four elements, then those of the next, and so on.
    z: Vec<Wide>,
    /// Modes and positions, where the model has them.
    modes: Vec<Mode<Wide>>,
    x: Vec<Wide>,
    /// Whether modes have begun.
    begun: bool,
    /// Whether each update can be taken, once it is known.
    takes: [Option<bool>; 3],
}

impl States {
    fn new(py: Python<'_>, element: Py<Element>, shape: Vec<usize>) -> PyResult<Self> {
        let friction = &element.get().friction;
        let states = count(friction);
        let (moded, positional) = match friction {
            Friction::Line(m) => (m.guards() > 0 || m.solved_with_body(), m.positional()),
            Friction::Plane(m) => (m.guards() > 0, m.positional()),
        };
        let n = shape.iter().try_fold(1usize, |n, k| n.checked_mul(*k));
        let too_many = || PyMemoryError::new_err("there is no room for so many elements");
        let n = n.filter(|n| *n <= isize::MAX as usize / 1024).ok_or_else(too_many)?;
        let groups = n.div_ceil(WIDTH);
        let fill = |count: usize| -> PyResult<Vec<Wide>> {
            let mut all = Vec::new();
            all.try_reserve_exact(count).map_err(|_| too_many())?;
            all.resize(count, Wide::default());
            Ok(all)
        };
        let mut modes = Vec::new();
        if moded {
            modes.try_reserve_exact(groups).map_err(|_| too_many())?;
            modes.resize(groups, Mode::default());
        }
        let (z, x) = (fill(groups * states)?, fill(if positional { groups } else { 0 })?);
        let element = element.clone_ref(py);
        Ok(States { element, shape, n, states, z, modes, x, begun: false, takes: [None; 3] })
    }

    /// Whether the model has such an update.
    fn can(&mut self, how: Update) -> bool {
        fn tried<V: Slip<f64>>(model: &impl Bristle<f64, V>, how: Update) -> bool {
            let (mut at, mut z) =
                (Drive::new(V::from_fn(|_| 0.01), 1.0), vec![0.0; model.states()]);
            let free = Free::prescribed(at.v);
            match model.solved_with_body() {
                true => model.advance(how, &mut at, &free, 1e-6, &mut z).is_some(),
                false => model.step(how, &at, 1e-6, &mut z).is_some(),
            }
        }
        let place = match how {
            Update::Midpoint => 0,
            Update::Exponential => 1,
            Update::End => 2,
        };
        *self.takes[place].get_or_insert_with(|| match &self.element.get().friction {
            Friction::Line(m) => tried(m, how),
            Friction::Plane(m) => tried(m, how),
        })
    }

    /// One element with floats for drive.
    fn single(&mut self, model: &AnyBristle<f64>, how: Update, v: f64, load: f64, h: f64) -> f64 {
        let States { z: wide, modes, x, begun, .. } = self;
        with_states(wide.len(), |z| {
            z.iter_mut().zip(wide.iter()).for_each(|(z, wide)| *z = wide.0[0]);
            let mut at = Drive::new(v, load);
            at.x = x.first().map_or(0.0, |x| x.0[0]);
            at.mode = match (modes.first(), *begun) {
                (Some(mode), true) => mode.map(|x| x.0[0]),
                (Some(_), false) => model.begin(&at, z),
                (None, _) => Mode::default(),
            };
            let force = if model.solved_with_body() {
                model.advance(how, &mut at, &Free::prescribed(v), h, z)
            } else {
                let force = model.step(how, &at, h, z);
                at.x += h * v;
                if model.guards() > 0 {
                    at.mode = model.commit(&at, z);
                }
                force
            };
            wide.iter_mut().zip(z.iter()).for_each(|(wide, z)| *wide = Wide::from(*z));
            if let Some(mode) = modes.first_mut() {
                *mode = at.mode.map(Wide::from);
            }
            if let Some(x) = x.first_mut() {
                *x = Wide::from(
                    x.0[0] + if model.solved_with_body() { h * v } else { at.x - x.0[0] },
                );
            }
            *begun = true;
            force.unwrap_or(f64::NAN)
        })
    }
}

/// States, positions, modes and whether these have begun.
type Saved<'py> = (Bound<'py, PyAny>, Vec<f64>, Vec<f64>, bool);

/// What elements see in a step.
#[derive(Clone, Copy)]
struct Seen<'a> {
    v: Slice<'a>,
    load: Slice<'a>,
    h: f64,
    how: Update,
    begun: bool,
    /// How many elements there are.
    n: usize,
}

/// Numbers of the elements from `first` on, side by side; the last one again where there are no more.
#[inline(always)]
fn lanes(all: Slice<'_>, first: usize, n: usize, per: usize, k: usize) -> Wide {
    match all {
        Slice::One(x) => Wide::from(x),
        Slice::Each(all) if per == 1 && first + WIDTH <= n => {
            let mut wide = Wide::default();
            wide.0.copy_from_slice(&all[first..first + WIDTH]);
            wide
        }
        Slice::Each(all) => Lanes(std::array::from_fn(|l| all[per * (first + l).min(n - 1) + k])),
    }
}

/// Steps some of the elements: their states, modes, positions and forces, from the element `first` on.
#[inline(always)]
fn step_some<V: Slip<Wide>>(
    model: &impl Bristle<Wide, V>,
    seen: Seen<'_>,
    first: usize,
    (z, modes, x): (&mut [Wide], &mut [Mode<Wide>], &mut [Wide]),
    out: &mut [f64],
) {
    let (states, h) = (model.states(), Wide::from(seen.h));
    let together = model.solved_with_body();
    for (g, out) in out.chunks_mut(WIDTH * V::DIM).enumerate() {
        let own = first + g * WIDTH;
        let v = V::from_fn(|k| lanes(seen.v, own, seen.n, V::DIM, k));
        let mut at = Drive::new(v, lanes(seen.load, own, seen.n, 1, 0));
        let z = &mut z[g * states..(g + 1) * states];
        if let Some(x) = x.get(g) {
            at.x = V::from_fn(|_| *x);
        }
        if let Some(mode) = modes.get(g) {
            at.mode = if seen.begun { *mode } else { model.begin(&at, z) };
        }
        let force = match together {
            true => model.advance(seen.how, &mut at, &Free::prescribed(v), h, z),
            false => model.step(seen.how, &at, h, z),
        };
        if let Some(x) = x.get_mut(g) {
            *x += h * v.get(0);
            at.x = V::from_fn(|_| *x);
        }
        if let Some(mode) = modes.get_mut(g) {
            *mode = if together { at.mode } else { model.commit(&at, z) };
        }
        let Some(force) = force else { continue };
        if V::DIM == 1 && out.len() == WIDTH {
            out.copy_from_slice(&force.get(0).0);
            continue;
        }
        for (l, out) in out.chunks_exact_mut(V::DIM).enumerate() {
            out.iter_mut().enumerate().for_each(|(k, out)| *out = force.get(k).0[l]);
        }
    }
}

/// Steps those from `first` on, with the widest instructions and on all threads.
fn step_all<V: Slip<Wide>>(
    model: &(impl Bristle<Wide, V> + Sync),
    seen: Seen<'_>,
    first: usize,
    (z, modes, x): (&mut [Wide], &mut [Mode<Wide>], &mut [Wide]),
    out: &mut [f64],
) {
    let some =
        |first: usize, parts: (&mut [Wide], &mut [Mode<Wide>], &mut [Wide]), out: &mut [f64]| {
            simd::widest(
                #[inline(always)]
                || step_some(model, seen, first, parts, out),
            );
        };
    let n = out.len() / V::DIM;
    if seen.n < MANY {
        return some(first, (z, modes, x), out);
    }
    let share = SHARE / WIDTH;
    let shares = n.div_ceil(SHARE);
    let cut = |length: usize, per: usize| if length == 0 { 0 } else { share * per };
    // What a model does not have is cut into as many empty parts.
    fn parts<T>(all: &mut [T], size: usize, shares: usize) -> Vec<&mut [T]> {
        match size {
            0 => (0..shares).map(|_| Default::default()).collect(),
            _ => all.chunks_mut(size).collect(),
        }
    }
    let per = model.states();
    let z = parts(z, if per == 0 { 0 } else { share * per }, shares);
    let modes_size = cut(modes.len(), 1);
    let modes = parts(modes, modes_size, shares);
    let x_size = cut(x.len(), 1);
    let x = parts(x, x_size, shares);
    let all: Vec<_> = z.into_iter().zip(modes).zip(x).collect();
    pool().install(|| {
        let outs = out.par_chunks_mut(SHARE * V::DIM);
        outs.zip(all).enumerate().for_each(|(k, (out, ((z, modes), x)))| {
            some(first + k * SHARE, (z, modes, x), out);
        });
    });
}

#[pymethods]
impl States {
    /// How many there are, by axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// What they are.
    #[getter]
    fn element(&self, py: Python<'_>) -> Py<Element> {
        self.element.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.n
    }

    /// The states: an array whose first axis counts the variables, the rest as `shape`. What is assigned is broadcast.
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut all = room(self.n * self.states)?;
        for (k, row) in all.chunks_exact_mut(self.n.max(1)).enumerate() {
            for (i, z) in row.iter_mut().enumerate() {
                *z = self.z[(i / WIDTH) * self.states + k].0[i % WIDTH];
            }
        }
        let shape: Vec<usize> = [self.states].iter().chain(&self.shape).copied().collect();
        array(py, &all, &shape)
    }

    #[setter]
    fn set_z(&mut self, z: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape: Vec<usize> = [self.states].iter().chain(&self.shape).copied().collect();
        let given = Numbers::of(z, &shape)?;
        let given = given.slice()?;
        for k in 0..self.states {
            for i in 0..self.n {
                self.z[(i / WIDTH) * self.states + k].0[i % WIDTH] = given.at(k * self.n + i);
            }
            // Lanes that are no elements do as the last one.
            for i in self.n..self.n.next_multiple_of(WIDTH) {
                self.z[(i / WIDTH) * self.states + k].0[i % WIDTH] = given.at((k + 1) * self.n - 1);
            }
        }
        self.begun = false;
        Ok(())
    }

    /// Back to rest: undeflected, at position 0.
    fn reset(&mut self) {
        self.z.fill(Wide::default());
        self.x.fill(Wide::default());
        self.modes.fill(Mode::default());
        self.begun = false;
    }

    /// Advances all states by `h` seconds at these velocities under these loads, in place, and gives the mean forces. Velocities
    /// and loads are broadcast to the shape. An interrupt leaves a large batch half way: `reset()` it.
    #[pyo3(signature = (v, load, h, update = "midpoint", out = None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        v: &Bound<'py, PyAny>,
        load: &Bound<'py, PyAny>,
        h: f64,
        update: &str,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = match update {
            "midpoint" => Update::Midpoint,
            other => self::update(other).map_err(|e| self.element.get().raise(py, e))?,
        };
        if !(h.is_finite() && h > 0.0) {
            let message = format!("h = {h} s is outside (0, inf): give the length of a step");
            return Err(self.element.get().raise(py, Refusal::of("h", message)));
        }
        if !self.can(how) {
            let own = self.element.get();
            let message = format!(
                "`{}` has no update \"{update}\"; `bristle.models(\"{0}\")` tells which it has",
                own.friction.info().name
            );
            return Err(own.raise(py, Refusal::of("update", message)));
        }
        let element = self.element.clone_ref(py);
        let element = element.get();
        if let Friction::Line(model) = &element.friction
            && self.shape.is_empty()
            && out.is_none()
            && let (Some(v), Some(load)) = (float(v), float(load))
        {
            let force = self.single(model, how, v, load, h);
            return Ok(PyFloat::new(py, force).into_any());
        }
        let planar = matches!(element.friction, Friction::Plane(_));
        let shape = if planar { paired(&self.shape) } else { self.shape.clone() };
        let (v, load) = (Numbers::of(v, &shape)?, Numbers::of(load, &self.shape)?);
        let seen =
            Seen { v: v.slice()?, load: load.slice()?, h, how, begun: self.begun, n: self.n };
        let size = self.n * if planar { 2 } else { 1 };
        let mut written = out.map(|out| writable(out, &shape)).transpose()?;
        let mut own = match &written {
            Some(_) => Vec::new(),
            None => room(size)?,
        };
        let forces = match &mut written {
            Some(out) => out.as_slice_mut()?,
            None => &mut own,
        };
        let States { z, modes, x, states, n, begun, .. } = self;
        let per = if planar { 2 } else { 1 };
        let mut go = |own: Range<usize>| {
            fn part<'a, T>(all: &'a mut [T], own: &Range<usize>, per: usize) -> &'a mut [T] {
                match all.is_empty() {
                    true => all,
                    false => &mut all[own.start / WIDTH * per..own.end.div_ceil(WIDTH) * per],
                }
            }
            let (z, modes) = (part(z, &own, *states), part(modes, &own, 1));
            let parts = (z, modes, part(x, &own, 1));
            let forces = &mut forces[own.start * per..own.end * per];
            match element.wide() {
                InLanes::Line(model) => step_all(model, seen, own.start, parts, forces),
                InLanes::Plane(model) => step_all(model, seen, own.start, parts, forces),
            }
        };
        match *n < SMALL {
            true => go(0..*n),
            false => in_blocks(py, *n, go)?,
        }
        *begun = true;
        match out {
            Some(out) => Ok(out.clone()),
            None if shape.is_empty() => Ok(PyFloat::new(py, own[0]).into_any()),
            None => array(py, &own, &shape),
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<States>() else { return Ok(false) };
        // Compared with itself, it is borrowed already.
        let Ok(other) = other.try_borrow() else { return Ok(false) };
        let same = self.element.bind(py).eq(other.element.bind(py))?;
        let whole = |a: &[Wide], b: &[Wide]| a == b;
        Ok(same
            && (&self.shape, self.begun, &self.modes) == (&other.shape, other.begun, &other.modes)
            && whole(&self.z, &other.z)
            && whole(&self.x, &other.x))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = PyTuple::new(py, &self.shape)?;
        Ok(format!("{}.states({})", self.element.bind(py).repr()?, shape.repr()?))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restored = py.import("bristle._friction")?.getattr("_restored")?;
        let shape = PyTuple::new(py, &self.shape)?;
        Ok((restored, (self.element.bind(py), shape, self.saved(py)?).into_pyobject(py)?))
    }

    /// All that there is, to be stored.
    fn saved<'py>(&self, py: Python<'py>) -> PyResult<Saved<'py>> {
        let x = self.x.iter().flat_map(|x| x.0).collect();
        let modes = self.modes.iter().flat_map(|m| {
            let own = m.index.iter().flat_map(|i| i.0);
            m.way.0.into_iter().chain(own).collect::<Vec<f64>>()
        });
        Ok((self.z(py)?, x, modes.collect(), self.begun))
    }

    /// Takes what was stored.
    fn restore(
        &mut self,
        z: &Bound<'_, PyAny>,
        x: Vec<f64>,
        modes: Vec<f64>,
        begun: bool,
    ) -> PyResult<()> {
        let wide = |all: &[f64]| Lanes(std::array::from_fn(|l| all[l]));
        if x.len() != self.x.len() * WIDTH || modes.len() != self.modes.len() * WIDTH * 8 {
            return Err(PyValueError::new_err("what was stored belongs to other states"));
        }
        self.set_z(z)?;
        self.x.iter_mut().zip(x.chunks_exact(WIDTH)).for_each(|(own, x)| *own = wide(x));
        for (own, mode) in self.modes.iter_mut().zip(modes.chunks_exact(WIDTH * 8)) {
            let at = |k: usize| wide(&mode[k * WIDTH..(k + 1) * WIDTH]);
            *own = Mode { way: at(0), index: std::array::from_fn(|k| at(k + 1)) };
        }
        self.begun = begun;
        Ok(())
    }
}

/// An array that takes the forces of a step.
fn writable<'py>(
    out: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadwriteArrayDyn<'py, f64>> {
    let wrong = || {
        PyValueError::new_err(format!(
            "out must be a contiguous array of float64 of shape {shape:?}"
        ))
    };
    let array = out.cast::<PyArrayDyn<f64>>().map_err(|_| wrong())?;
    if array.shape() != shape || !array.is_c_contiguous() {
        return Err(wrong());
    }
    Ok(array.try_readwrite()?)
}
