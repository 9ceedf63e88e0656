use crate::machine::{Connection, Machine, Mass, Touch};
use crate::{End, Place};
use bristle_system::{AnySignal, Contact, Quantity, Role, Units};
use std::fmt;

/// A body that translates or turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    quantities: [Quantity; 2],
    units: Units,
    mass: f64,
    start: [f64; 2],
}

impl Body {
    /// A body along a line: the columns of its position and velocity, and its mass, kg.
    pub fn translating([x, v]: [&'static str; 2], mass: f64) -> Self {
        let quantities = [Quantity::position(x), Quantity::velocity(v)];
        Body { quantities, units: Units::LINE, mass, start: [0.0; 2] }
    }

    /// A body about an axis: the columns of its angle and angular velocity, and its inertia, kg m².
    pub fn turning([angle, velocity]: [&'static str; 2], inertia: f64) -> Self {
        let quantities = [Quantity::angle(angle), Quantity::turning(velocity)];
        Body { quantities, units: Units::SHAFT, mass: inertia, start: [0.0; 2] }
    }

    /// The same with another position and velocity at t = 0.
    pub fn at(self, position: f64, velocity: f64) -> Self {
        Body { start: [position, velocity], ..self }
    }
}

/// Collects the parts of a machine.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    machine: Machine,
    faults: Vec<String>,
}

impl Builder {
    /// Adds a body.
    pub fn body(&mut self, body: Body) -> End {
        let name = body.quantities[0].name;
        let [x, v] = body.start;
        self.expect(body.mass > 0.0 && body.mass.is_finite(), || {
            format!(
                "the body of `{name}` has the mass or inertia {}: give one above 0; what has none is no body",
                body.mass
            )
        });
        self.expect(x.is_finite() && v.is_finite(), || {
            format!("the body of `{name}` starts at {x} with {v}: give numbers")
        });
        self.name_is_new(name);
        self.name_is_new(body.quantities[1].name);
        self.machine.quantities.extend(body.quantities);
        self.machine.masses.push(Mass { mass: body.mass, start: body.start, units: body.units });
        End { place: Place::Body(self.machine.masses.len() - 1), ratio: 1.0 }
    }

    /// Adds something whose velocity is prescribed, along a line or about an axis.
    pub fn motion(&mut self, name: &'static str, units: Units, velocity: AnySignal<f64>) -> End {
        self.name_is_new(name);
        self.machine.drives.push(Quantity::new(name, units.velocity, 1.0));
        self.machine.signals.push((velocity, None));
        End { place: Place::Motion(self.machine.signals.len() - 1), ratio: 1.0 }
    }

    /// Adds a force, N, or torque, N m, that acts on a body.
    pub fn force(&mut self, name: &'static str, on: End, force: AnySignal<f64>) {
        self.name_is_new(name);
        let Place::Body(body) = on.place else {
            self.faults.push(format!("the force `{name}` acts on no body: it moves nothing"));
            return;
        };
        let unit = self.machine.masses.get(body).map_or("N", |m| m.units.force);
        self.machine.drives.push(Quantity::new(name, unit, 1.0));
        self.machine.signals.push((force, Some((body, on.ratio))));
    }

    /// Adds a spring and a damper between two ends; the column shows the force, which is positive where the first end
    /// is ahead of the second.
    pub fn connect(&mut self, name: &'static str, a: End, b: End, stiffness: f64, damping: f64) {
        self.name_is_new(name);
        for (what, value) in [("stiffness", stiffness), ("damping", damping)] {
            self.expect(value >= 0.0 && value.is_finite(), || {
                format!("the {what} of `{name}` is {value}: give a number of at least 0")
            });
        }
        self.ends_are_joined(name, a, b);
        let unit = self.units(a, b).force;
        self.machine.outputs.push(Quantity::new(name, unit, 1.0));
        self.machine.connections.push(Connection { ends: [a, b], stiffness, damping });
    }

    /// Adds a contact under a constant load, N (N m about an axis).
    pub fn contact(&mut self, name: &'static str, a: End, b: End, load: f64) {
        if self.machine.contacts.iter().any(|c| c.name == name) {
            self.faults.push(format!("there are two contacts `{name}`: rename one"));
        }
        self.expect(load >= 0.0 && load.is_finite(), || {
            format!("the load of contact `{name}` is {load}: give a number of at least 0")
        });
        self.ends_are_joined(name, a, b);
        let units = self.units(a, b);
        self.machine.contacts.push(Contact { name, role: Role::Friction, units });
        self.machine.touches.push(Touch { ends: [a, b], load });
    }

    /// The machine, or all that is wrong with it.
    pub fn build(self) -> Result<Machine, Faults> {
        if self.faults.is_empty() { Ok(self.machine) } else { Err(Faults(self.faults)) }
    }

    fn expect(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    fn name_is_new(&mut self, name: &'static str) {
        let Machine { quantities, drives, outputs, .. } = &self.machine;
        let taken = quantities.iter().chain(drives).chain(outputs).any(|q| q.name == name);
        self.expect(!taken && name != "t", || {
            format!("there is already a column `{name}`: rename one")
        });
    }

    fn ends_are_joined(&mut self, name: &str, a: End, b: End) {
        let bodies = self.machine.masses.len();
        let signals = self.machine.signals.len();
        let own = |end: End| match end.place {
            Place::Ground => true,
            Place::Body(k) => k < bodies,
            Place::Motion(k) => k < signals,
        };
        self.expect(own(a) && own(b), || {
            format!("`{name}` is joined to a part of another machine: add the part to this one")
        });
        self.expect(a.place != b.place, || {
            format!("`{name}` joins a part to itself: give two different ends")
        });
        let moves = |end: End| matches!(end.place, Place::Body(_));
        self.expect(moves(a) || moves(b), || {
            format!("`{name}` is joined to no body: it moves nothing")
        });
        self.expect([a, b].iter().all(|e| e.ratio.is_finite() && e.ratio != 0.0), || {
            format!(
                "an end of `{name}` has the ratio {} or {}: give one other than 0",
                a.ratio, b.ratio
            )
        });
    }

    /// Those of the first end that is a body without a ratio, or else of the other body.
    fn units(&self, a: End, b: End) -> Units {
        let of = |end: End| match end.place {
            Place::Body(k) => self.machine.masses.get(k).map(|m| (m.units, end.ratio == 1.0)),
            _ => None,
        };
        let found: Vec<_> = [of(a), of(b)].into_iter().flatten().collect();
        let plain = found.iter().find(|(_, plain)| *plain).or(found.first());
        plain.map_or(Units::LINE, |(units, _)| *units)
    }
}

/// All that is wrong with the parts of a machine, one to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Faults {}
