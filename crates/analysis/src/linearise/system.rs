//! A system about an equilibrium: at rest, or at rest in a frame that moves with its drive.
use super::{D, columns};
use crate::{Label, StateSpace, System};
use bristle_kernel::{Drive, Field, Group, Params};
use bristle_num::Dual;
use bristle_system::signal::{Constant, Points};
use bristle_system::{AnyMechanism, AnySignal, Kind, Mechanism, Mode, State};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;
use std::fmt;

/// No equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoEquilibrium {
    /// The rate that was left, in units of small rates.
    pub left: f64,
}

impl fmt::Display for NoEquilibrium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no equilibrium was found from the initial state: rates of {:.1e} of their usual size are left; start \
             nearer to one with [initial], or lower the drive if the body cannot come to rest under it",
            self.left
        )
    }
}

impl std::error::Error for NoEquilibrium {}

/// The rates of all states at t = 0.
fn rates(system: &System, mode: &Mode, y: &[f64]) -> Vec<f64> {
    let mut dy = vec![0.0; y.len()];
    system.flow(mode, 0.0, y, &mut dy);
    dy
}

/// ∂f/∂y.
pub(crate) fn jacobian(system: &System, mode: &Mode, t: f64, y: &[f64]) -> DMatrix<f64> {
    let n = y.len();
    let mut a = DMatrix::zeros(n, n);
    let f = |y: &[D]| {
        let mut dy = vec![D::from(0.0); n];
        system.flow(mode, D::from(t), y, &mut dy);
        dy
    };
    columns(y, f, |row, column, slope| a[(row, column)] = slope);
    a
}

/// How fast each state moves on where the motion is otherwise at rest: a body dragged along.
pub(crate) fn drift(system: &System) -> Vec<f64> {
    let mechanism = &system.mechanism;
    let mut drift = vec![0.0; system.initial().len()];
    mechanism.drift(input(system), &mut drift[..mechanism.quantities().len()]);
    drift
}

/// The value of the drive at t = 0.
pub(crate) fn input(system: &System) -> f64 {
    let mode = system.begin(0.0, &system.initial());
    system.mechanism.input(0, 0.0, &mode.phase)
}

/// The system with its drive held at its value at t = 0.
fn held(system: &System) -> Option<System> {
    under(system, AnySignal::Constant(Constant { value: input(system) }))
}

/// The state of equilibrium nearest to `y` under the drive's value at t = 0, or, without a `y`, to steady
/// sliding with all bodies at rest or dragged along.
pub fn equilibrium(system: &System, y: Option<&[f64]>) -> Result<Vec<f64>, NoEquilibrium> {
    let held = held(system);
    let system = held.as_ref().unwrap_or(system);
    let drift = drift(system);
    let mut y = y.map_or_else(|| at_rest(system, &drift), <[f64]>::to_vec);
    let n = y.len();
    let small = system.small_values();
    let size = |f: &DVector<f64>| (0..n).map(|k| (f[k] / small[k]).abs()).fold(0.0, f64::max);
    let excess = |y: &[f64]| {
        DVector::from_iterator(
            n,
            rates(system, &system.begin(0.0, y), y).iter().zip(&drift).map(|(f, s)| f - s),
        )
    };
    let mut left = excess(&y);
    for _ in 0..60 {
        if size(&left) <= 1e-9 {
            break;
        }
        // Where a body sticks many states are at rest: the shortest step, in units of small values.
        let slopes = jacobian(system, &system.begin(0.0, &y), 0.0, &y);
        let scaled = DMatrix::from_fn(n, n, |i, k| slopes[(i, k)] * small[k] / small[i]);
        let right = DVector::from_fn(n, |i, _| -left[i] / small[i]);
        let Ok(step) = scaled.svd(true, true).solve(&right, 1e-13) else { break };
        let mut part = 1.0;
        loop {
            let next: Vec<f64> = (0..n).map(|k| y[k] + part * step[k] * small[k]).collect();
            let there = excess(&next);
            if size(&there) < size(&left) || part < 1e-4 {
                (y, left) = (next, there);
                break;
            }
            part *= 0.5;
        }
    }
    if size(&left) <= 1e-6 { Ok(y) } else { Err(NoEquilibrium { left: size(&left) }) }
}

/// The initial state with bodies at rest or dragged along, and bristles that slide steadily.
fn at_rest(system: &System, drift: &[f64]) -> Vec<f64> {
    let mut y = system.initial();
    let bodies = system.mechanism.quantities();
    for k in (1..bodies.len()).filter(|k| bodies[*k].kind == Kind::Velocity) {
        y[k] = drift[k - 1];
    }
    let mode = system.begin(0.0, &y);
    for i in 0..system.contacts() {
        let (at, _) = system.contact(&mode, i, 0.0, &y);
        let place = system.place(i);
        if at.v != 0.0 {
            system.friction(i).steady(&Drive { ..at }, &mut y[place]);
        }
    }
    y
}

/// The same mechanism under another drive.
fn driven_by(mechanism: &AnyMechanism<f64>, signal: AnySignal<f64>) -> Option<AnyMechanism<f64>> {
    let mut numbers = BTreeMap::new();
    let mut choices = BTreeMap::new();
    let own = |group: &Group, name: &str| format!("{group}{name}");
    mechanism.clone().visit(Group::default(), &mut |visit| {
        let key = own(&visit.group, visit.param.name);
        match visit.field {
            Field::Number(x) => drop(numbers.insert(key, vec![*x])),
            Field::List(list) => drop(numbers.insert(key, list.to_vec())),
            Field::Choice(choice) => drop(choices.insert(key, choice.get())),
        }
    });
    let mut other = AnyMechanism::named(mechanism.info().name, signal)?;
    other.visit(Group::default(), &mut |visit| {
        let key = own(&visit.group, visit.param.name);
        if key.starts_with("drive.") {
            return;
        }
        match visit.field {
            Field::Number(x) => *x = numbers.get(&key).map_or(*x, |v| v[0]),
            Field::List(list) => {
                if let Some(values) = numbers.get(&key) {
                    *list = values.iter().copied().collect();
                }
            }
            Field::Choice(choice) => {
                if let Some(name) = choices.get(&key) {
                    choice.set(name);
                }
            }
        }
    });
    Some(other)
}

/// The system under another drive, with the same friction.
pub(crate) fn under(system: &System, signal: AnySignal<f64>) -> Option<System> {
    let mechanism = driven_by(&system.mechanism, signal)?;
    Some(system.around(mechanism))
}

/// ∂f/∂t and the ∂F/∂t of each contact at t = 0 under that drive.
fn by_time(system: &System, signal: AnySignal<f64>, y: &[f64]) -> Vec<f64> {
    let contacts = system.contacts();
    let Some(system) = under(system, signal) else { return vec![0.0; y.len() + contacts] };
    let point: Vec<D> = y.iter().map(|y| D::from(*y)).collect();
    let mut dy = point.clone();
    let mode = system.begin(0.0, y);
    let forces = system.flow(&mode, Dual::variable(0.0, 0), &point, &mut dy);
    dy.iter().chain(&forces[..contacts]).map(|f| f.eps[0]).collect()
}

/// A, B, C, D of a system about the state `y`, an equilibrium under the drive's value at t = 0: from the drive
/// to the mechanism's states and the friction force of each contact.
///
/// A drive that moves the end of a spring acts through its integral, which is then one more state, `∫u`. What
/// acts through the derivative of the drive, as a reference does on a controller, is left out.
pub fn system(system: &System, y: &[f64]) -> StateSpace {
    let frozen = held(system);
    let system = frozen.as_ref().unwrap_or(system);
    let (n, contacts) = (y.len(), system.contacts());
    let mechanism = &system.mechanism;
    let (driven, bodies) = (mechanism.drives()[0], mechanism.quantities());
    let u = input(system);
    // A drive that rises with slope 1 shows ∂f/∂u, and a constant one ∂f/∂∫u times its value.
    let list = |values: [f64; 2]| values.into_iter().collect();
    let rising = Points { t: list([0.0, 1.0]), value: list([u, u + 1.0]) };
    let still = by_time(system, AnySignal::Constant(Constant { value: u }), y);
    let rising = by_time(system, AnySignal::Points(rising), y);
    let slow = if u == 0.0 { 1e-9 } else { u };
    let carried = by_time(system, AnySignal::Constant(Constant { value: slow }), y);
    let carried: Vec<f64> = carried[..n].iter().map(|f| f / slow).collect();
    let integrated = carried.iter().any(|f| *f != 0.0);
    let size = n + usize::from(integrated);
    let outputs = bodies.len() + contacts;

    let mode = system.begin(0.0, y);
    let inner = jacobian(system, &mode, 0.0, y);
    let mut a = DMatrix::zeros(size, size);
    a.view_mut((0, 0), (n, n)).copy_from(&inner);
    let mut b = DMatrix::zeros(size, 1);
    for k in 0..n {
        b[(k, 0)] = rising[k] - still[k];
        if integrated {
            a[(k, n)] = carried[k];
        }
    }
    if integrated {
        b[(n, 0)] = 1.0;
    }
    let mut c = DMatrix::zeros(outputs, size);
    let mut d = DMatrix::zeros(outputs, 1);
    for k in 0..bodies.len() {
        c[(k, k)] = 1.0;
    }
    let forces = |y: &[D]| system.forces(&mode, D::from(0.0), y).to_vec();
    columns(y, forces, |row, column, slope| c[(bodies.len() + row, column)] = slope);
    for i in 0..contacts {
        d[(bodies.len() + i, 0)] = rising[n + i] - still[n + i];
    }

    let label = |k: usize| match system.state(k) {
        State::Body(q) => Label::new(q.name, q.unit),
        State::Bristle(i, variable) => {
            let contact = mechanism.contacts()[i].name;
            let mark = if contact.is_empty() { String::new() } else { format!("_{contact}") };
            Label::new(format!("{variable}{mark}"), variable.unit)
        }
    };
    let mut states: Vec<Label> = (0..n).map(label).collect();
    if integrated {
        states.push(Label::new(format!("∫{}", driven.name), format!("{}*s", driven.unit)));
    }
    let force = |i: usize| {
        let contact = mechanism.contacts()[i];
        let name = if contact.name.is_empty() { "F".into() } else { format!("F_{}", contact.name) };
        Label::new(name, contact.units.force)
    };
    StateSpace {
        a,
        b,
        c,
        d,
        states,
        inputs: vec![Label::new(driven.name, driven.unit)],
        outputs: bodies
            .iter()
            .map(|q| Label::new(q.name, q.unit))
            .chain((0..contacts).map(force))
            .collect(),
    }
}
