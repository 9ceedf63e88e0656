//! Parts are collected, then made a system.
use crate::connection::{Connection, Flanks};
use crate::control::{Controller, Sampling};
use crate::gear::{Gear, Share};
use crate::input::Sum;
use crate::machine::{
    Carried, Coordinate, Machine, Power, Pressed, Push, Shown, Switch, Touch, Transmitted, Weight,
};
use crate::names::keep;
use crate::{
    Body, Buffer, Control, Damper, Element, End, Estimate, Fault, Faults, Input, Joint, Link,
    Place, Rope, Rotor, Sampled, Spring, Stop, Structure,
};
use bristle_kernel::bristle::Dry;
use bristle_kernel::law::Coulomb;
use bristle_kernel::{AnyLaw, Check, Drive, Params, Start, faults};
use bristle_system::{Contact, Coupled, Flow, FlowKind, Friction, Quantity, Role, Units};

/// A part that transmits or exerts a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source(Transmitted);

/// A weighted sum of forces: `Forces::from(motor).and(gear, -0.02)`.
#[derive(Clone, Debug)]
pub struct Forces(Vec<(Source, f64)>);

impl From<Source> for Forces {
    fn from(source: Source) -> Self {
        Forces(vec![(source, 1.0)])
    }
}

impl FromIterator<(Source, f64)> for Forces {
    fn from_iter<I: IntoIterator<Item = (Source, f64)>>(terms: I) -> Self {
        Forces(terms.into_iter().collect())
    }
}

impl Forces {
    /// Adds `weight` times another one.
    pub fn and(mut self, source: Source, weight: f64) -> Self {
        self.0.push((source, weight));
        self
    }
}

/// The load of a contact: N = N₀ + Σ c |Σ w force|.
#[derive(Clone, Debug)]
pub struct Load {
    base: Input,
    pressed_by: Vec<(Forces, [f64; 2])>,
}

impl<T: Into<Input>> From<T> for Load {
    fn from(base: T) -> Self {
        Load { base: base.into(), pressed_by: Vec::new() }
    }
}

impl Load {
    /// Adds `coefficient` times the size of a force, or of a sum of forces.
    pub fn pressed(self, by: impl Into<Forces>, coefficient: f64) -> Self {
        self.pressed_both_ways(by, coefficient, coefficient)
    }

    /// The same with a coefficient for each direction: `driving` where the sliding velocity and the force, as its column shows
    /// it, have the same sign, and `driven` where they have not. A motor's torque and its bearing have the same sign where the
    /// motor drives; so have a shaft's torque and the contact of the body at its first end where that body drives the shaft.
    pub fn pressed_both_ways(mut self, by: impl Into<Forces>, driving: f64, driven: f64) -> Self {
        self.pressed_by.push((by.into(), [driving, driven]));
        self
    }
}

/// A kind of part and its number among those of its kind.
pub(crate) type Part = (&'static str, usize);

#[derive(Clone, Debug)]
struct BodyPart {
    name: &'static str,
    part: Part,
    units: Units,
    mass: f64,
    start: [f64; 2],
    /// The force of gravity, and whether it goes with the sine of the angle.
    weight: (f64, bool),
}

#[derive(Clone, Debug)]
struct ConnectionPart {
    name: &'static str,
    part: Part,
    ends: [End; 2],
    numbers: Spring<f64>,
    /// The flanks, where it has some.
    flanks: Option<[f64; 2]>,
}

#[derive(Clone, Debug)]
struct ContactPart {
    name: &'static str,
    part: Part,
    ends: [End; 2],
    load: Load,
    friction: Friction,
    torques: Option<[Forces; 2]>,
    observes: Option<usize>,
}

#[derive(Clone, Debug)]
struct ForcePart {
    name: &'static str,
    part: Part,
    on: End,
    force: Input,
}

#[derive(Clone, Debug)]
struct ControlPart {
    name: &'static str,
    part: Part,
    on: End,
    measured: End,
    reference: Input,
    numbers: Control<f64>,
    sampled: Option<Sampled<f64>>,
    friction: Option<(AnyLaw<f64>, f64)>,
    observer: Option<(Load, Friction)>,
}

#[derive(Clone, Debug)]
struct MotionPart {
    name: &'static str,
    part: Part,
    units: Units,
    input: Input,
    by_position: bool,
}

#[derive(Clone, Debug)]
struct SensorPart {
    name: &'static str,
    part: Part,
    of: String,
    resolution: f64,
}

/// Collects the parts of a machine.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    bodies: Vec<BodyPart>,
    motions: Vec<MotionPart>,
    connections: Vec<ConnectionPart>,
    gears: Vec<(Part, [End; 2], f64)>,
    contacts: Vec<ContactPart>,
    forces: Vec<ForcePart>,
    controls: Vec<ControlPart>,
    sensors: Vec<SensorPart>,
    counts: Vec<Part>,
    faults: Vec<Fault>,
}

impl Builder {
    /// Adds a body along a line; its columns are `x_NAME` and `v_NAME`.
    pub fn body(&mut self, name: &str, body: Body<f64>) -> End {
        let part = self.enter("body", name, &body);
        let Body { mass, position, velocity, incline, gravity } = body;
        let weight = (mass * gravity * incline.sin(), false);
        self.add_body(BodyPart {
            name: keep(name),
            part,
            units: Units::LINE,
            mass,
            start: [position, velocity],
            weight,
        })
    }

    /// Adds a body about an axis; its columns are `phi_NAME` and `omega_NAME`.
    pub fn rotor(&mut self, name: &str, rotor: Rotor<f64>) -> End {
        let part = self.enter("body", name, &rotor);
        let Rotor { inertia, position, velocity, weight, arm, gravity } = rotor;
        self.add_body(BodyPart {
            name: keep(name),
            part,
            units: Units::SHAFT,
            mass: inertia,
            start: [position, velocity],
            weight: (weight * gravity * arm, true),
        })
    }

    fn add_body(&mut self, body: BodyPart) -> End {
        self.bodies.push(body);
        End { place: Place::Body(self.bodies.len() - 1), ..End::GROUND }
    }

    /// Adds something whose velocity is prescribed, along a line or about an axis; its column is `v_NAME` or `omega_NAME`.
    pub fn moving(&mut self, name: &str, units: Units, velocity: impl Into<Input>) -> End {
        self.add_motion(name, units, velocity.into(), false)
    }

    /// Adds something whose position is prescribed; its velocity is the derivative.
    pub fn placed(&mut self, name: &str, units: Units, position: impl Into<Input>) -> End {
        self.add_motion(name, units, position.into(), true)
    }

    fn add_motion(&mut self, name: &str, units: Units, input: Input, by_position: bool) -> End {
        let part = self.enter_named("motion", name);
        self.motions.push(MotionPart { name: keep(name), part, units, input, by_position });
        End { place: Place::Motion(self.motions.len() - 1), ..End::GROUND }
    }

    /// Adds a spring, perhaps with damping and play. Its column, `F_NAME`, is positive where the first end is pulled back.
    pub fn spring(&mut self, name: &str, ends: [End; 2], spring: Spring<f64>) -> Source {
        let part = self.enter("spring", name, &spring);
        self.add_spring(part, name, ends, spring)
    }

    /// The same by the name of a torsion shaft.
    pub fn shaft(&mut self, name: &str, ends: [End; 2], shaft: Spring<f64>) -> Source {
        let part = self.enter("shaft", name, &shaft);
        self.add_spring(part, name, ends, shaft)
    }

    fn add_spring(
        &mut self,
        part: Part,
        name: &str,
        ends: [End; 2],
        spring: Spring<f64>,
    ) -> Source {
        let half = 0.5 * spring.play;
        let flanks = (spring.play > 0.0).then_some([spring.rest - half, spring.rest + half]);
        self.connect(part, name, ends, spring, flanks)
    }

    /// Adds a damper.
    pub fn damper(&mut self, name: &str, ends: [End; 2], damper: Damper<f64>) -> Source {
        let part = self.enter("damper", name, &damper);
        let spring = Spring { damping: damper.damping, ..Spring::start(()) };
        self.connect(part, name, ends, spring, None)
    }

    /// Adds a rope, which pulls where the first end is ahead of the second by more than its slack.
    pub fn rope(&mut self, name: &str, ends: [End; 2], rope: Rope<f64>) -> Source {
        let part = self.enter("rope", name, &rope);
        let Rope { stiffness, damping, slack, release } = rope;
        let spring = Spring { stiffness, damping, release, ..Spring::start(()) };
        self.connect(part, name, ends, spring, Some([f64::NEG_INFINITY, slack]))
    }

    /// Adds a buffer, which pushes where the first end is behind the second by more than its gap.
    pub fn buffer(&mut self, name: &str, ends: [End; 2], buffer: Buffer<f64>) -> Source {
        let part = self.enter("buffer", name, &buffer);
        let Buffer { stiffness, damping, gap, release } = buffer;
        let spring = Spring { stiffness, damping, release, ..Spring::start(()) };
        self.connect(part, name, ends, spring, Some([gap, f64::INFINITY]))
    }

    /// Adds end stops.
    pub fn stop(&mut self, name: &str, ends: [End; 2], stop: Stop<f64>) -> Source {
        let part = self.enter("stop", name, &stop);
        let Stop { stiffness, damping, lower, upper, release } = stop;
        let spring = Spring { stiffness, damping, release, ..Spring::start(()) };
        self.connect(part, name, ends, spring, Some([lower, upper]))
    }

    fn connect(
        &mut self,
        part: Part,
        name: &str,
        ends: [End; 2],
        numbers: Spring<f64>,
        flanks: Option<[f64; 2]>,
    ) -> Source {
        self.check_ends(part, name, ends);
        self.connections.push(ConnectionPart { name: keep(name), part, ends, numbers, flanks });
        Source(Transmitted::Connection(self.connections.len() - 1))
    }

    /// Adds a rigid gear: the first body turns `ratio` times while the second turns once. Negative turns the other way.
    pub fn gear(&mut self, name: &str, ends: [End; 2], ratio: f64) {
        let part = self.enter_named("gear", name);
        self.tie(part, name, ends, ratio, "ratio");
    }

    /// Adds a rigid rack: the second body moves by `radius`, m, for each radian that the first one turns.
    pub fn rack(&mut self, name: &str, ends: [End; 2], radius: f64) {
        let part = self.enter_named("rack", name);
        self.tie(part, name, ends, 1.0 / radius, "radius");
    }

    fn tie(&mut self, part: Part, name: &str, ends: [End; 2], ratio: f64, field: &'static str) {
        if !ratio.is_finite() || ratio == 0.0 {
            let text = format!("the {field} of `{name}` must be a number other than 0");
            self.fault(part, field, text);
            return;
        }
        let [a, b] = ends.map(|end| self.units_of(end));
        let expected = if part.0 == "rack" {
            [Units::SHAFT, Units::LINE]
        } else {
            [b.unwrap_or(Units::LINE); 2]
        };
        let both = matches!((ends[0].place, ends[1].place), (Place::Body(_), Place::Body(_)));
        if !both || ends[0].place == ends[1].place {
            let text = format!(
                "`{name}` must tie two different bodies: what it holds to the ground does not move"
            );
            self.fault(part, "between", text);
        } else if [a, b] != expected.map(Some) {
            let text = match part.0 {
                "rack" => format!(
                    "`{name}` must join a body that turns to one that moves along a line, in this order"
                ),
                _ => format!(
                    "`{name}` joins a body that turns to one that does not: take a [[rack]]"
                ),
            };
            self.fault(part, "between", text);
        } else {
            self.gears.push((part, ends, ratio));
        }
    }

    /// Adds a contact with friction; its columns are `v_rel_NAME`, `N_NAME`, `F_NAME` and those of the friction model.
    pub fn contact(
        &mut self,
        name: &str,
        ends: [End; 2],
        load: impl Into<Load>,
        friction: impl Into<Friction>,
    ) {
        let part = self.enter_named("contact", name);
        self.check_ends(part, name, ends);
        self.add_contact(part, name, ends, load.into(), friction.into());
    }

    fn add_contact(
        &mut self,
        part: Part,
        name: &str,
        ends: [End; 2],
        load: Load,
        friction: Friction,
    ) {
        let name = keep(name);
        let (torques, observes) = (None, None);
        self.contacts.push(ContactPart { name, part, ends, load, friction, torques, observes });
    }

    /// The weight of a body of this machine as a force that loads and friction may follow.
    pub fn weight(&self, of: End) -> Option<Source> {
        match of.place {
            Place::Body(k) => Some(Source(Transmitted::Weight(k))),
            _ => None,
        }
    }

    /// Lets the friction of a contact look at the torques that a transmission carries: of the motor, and from outside, both as
    /// they act on the first end.
    pub fn transmits(
        &mut self,
        contact: &str,
        motor: impl Into<Forces>,
        external: impl Into<Forces>,
    ) {
        let torques = [motor.into(), external.into()];
        match self.contacts.iter_mut().find(|own| own.name == contact) {
            Some(own) => own.torques = Some(torques),
            None => {
                let text = format!("there is no contact `{contact}` that could look at torques");
                self.fault(("contact", 0), "torques", text);
            }
        }
    }

    /// Gives a spring or shaft the losses of a gear: dry friction at its first end, such that the part `driving` of the power
    /// arrives where the first end drives the second, and `back` where the second drives the first.
    pub fn efficiency(&mut self, of: Source, driving: f64, back: f64) {
        let Transmitted::Connection(k) = of.0 else { return };
        let ConnectionPart { name, part, ends, .. } = self.connections[k];
        for (field, value, low) in
            [("efficiency", driving, 0.0), ("efficiency_back", back, f64::NEG_INFINITY)]
        {
            if !(value > low && value <= 1.0) {
                let text = format!(
                    "the {field} of `{name}` is {value}: give a number above {low} and at most 1"
                );
                self.fault(part, field, text);
            }
        }
        if !matches!(ends[0].place, Place::Body(_)) {
            let text = format!("the first end of `{name}` must be a body: its losses act there");
            self.fault(part, "between", text);
        }
        let load = Load::from(0.0).pressed_both_ways(of, 1.0 / driving - 1.0, 1.0 - back);
        let friction = Dry::start(Coulomb { mu: 1.0 });
        let name = format!("{name}_loss");
        self.add_contact(part, &name, [ends[0], End::GROUND], load, friction.into());
    }

    /// Adds a force, N, or torque, N m, on a body; its column has the name of the part.
    pub fn force(&mut self, name: &str, on: End, force: impl Into<Input>) -> Source {
        let part = self.enter_named("force", name);
        self.acts_on_body(part, name, on);
        self.forces.push(ForcePart { name: keep(name), part, on, force: force.into() });
        Source(Transmitted::Force(self.forces.len() - 1))
    }

    /// Adds a controller that makes a body follow a reference for its position; its columns are `r_NAME`, `e_NAME` and
    /// `u_NAME`.
    pub fn control(
        &mut self,
        name: &str,
        on: End,
        reference: impl Into<Input>,
        control: Control<f64>,
    ) -> Source {
        let part = self.enter("control", name, &control);
        self.acts_on_body(part, name, on);
        self.controls.push(ControlPart {
            name: keep(name),
            part,
            on,
            measured: on,
            reference: reference.into(),
            numbers: control,
            sampled: None,
            friction: None,
            observer: None,
        });
        Source(Transmitted::Control(self.controls.len() - 1))
    }

    fn controlled(&mut self, of: Source) -> Option<&mut ControlPart> {
        let Transmitted::Control(k) = of.0 else { return None };
        self.controls.get_mut(k)
    }

    /// Lets a controller look at another end than the one it acts on.
    pub fn measure(&mut self, of: Source, end: End) {
        if let Some(control) = self.controlled(of) {
            control.measured = end;
        }
    }

    /// Lets a controller take samples.
    pub fn sample(&mut self, of: Source, sampled: Sampled<f64>) {
        let Some(control) = self.controlled(of) else { return };
        let part = control.part;
        control.sampled = Some(sampled);
        self.check_numbers(part, &sampled);
    }

    /// Lets a controller feed friction forward: the law under a load, N, at the velocity of the reference.
    pub fn feed_friction(&mut self, of: Source, law: AnyLaw<f64>, load: f64) {
        if let Some(control) = self.controlled(of) {
            control.friction = Some((law, load));
        }
    }

    /// Gives a passivity-based controller its observer of 003 (28): a friction element under a load, which sees the velocity of
    /// what the controller measures.
    pub fn observe(&mut self, of: Source, load: impl Into<Load>, friction: impl Into<Friction>) {
        if let Some(control) = self.controlled(of) {
            control.observer = Some((load.into(), friction.into()));
        }
    }

    /// Adds a column that shows another one, rounded to a resolution; 0 for none. Energies are shown too: `energy` is all that
    /// is stored, `kinetic` and `gravity` are parts of it, and `E_NAME` is that of a connection, J.
    pub fn sensor(&mut self, name: &str, of: &str, resolution: f64) {
        let part = self.enter_named("sensor", name);
        if !(resolution >= 0.0 && resolution.is_finite()) {
            let text =
                format!("the resolution of `{name}` is {resolution}: give a number of at least 0");
            self.fault(part, "resolution", text);
        }
        self.sensors.push(SensorPart { name: keep(name), part, of: of.into(), resolution });
    }

    /// The system, or all that is wrong with it.
    pub fn build(mut self) -> Result<Coupled<Machine>, Faults> {
        let observers: Vec<_> = self
            .controls
            .iter()
            .enumerate()
            .filter_map(|(k, control)| {
                let (load, friction) = control.observer.clone()?;
                let ends = [control.measured, End::GROUND];
                let name = keep(&format!("observer_{}", control.name));
                Some(ContactPart {
                    name,
                    part: control.part,
                    ends,
                    load,
                    friction,
                    torques: None,
                    observes: Some(k),
                })
            })
            .collect();
        self.contacts.extend(observers);
        self.check_names();
        self.check_controls();
        self.check_reach();
        let gears: Vec<Gear> = self
            .gears
            .iter()
            .filter_map(|(part, ends, ratio)| match ends.map(|end| end.place) {
                [Place::Body(a), Place::Body(b)] => {
                    Some(Gear { bodies: [a, b], ratio: *ratio, part: *part })
                }
                _ => None,
            })
            .collect();
        let shares = self.share_coordinates(self.bodies.len(), &gears);
        let machine = Assembly::new(&mut self, &shares).finish();
        if !self.faults.is_empty() {
            return Err(Faults(self.faults));
        }
        let friction = self.contacts.into_iter().map(|contact| contact.friction).collect();
        Ok(Coupled::each(machine, friction))
    }

    pub(crate) fn fault(&mut self, (part, index): Part, field: &'static str, text: String) {
        self.faults.push(Fault { part, index, field, declared: false, text });
    }

    /// The number of the next part of a kind.
    fn enter_named(&mut self, kind: &'static str, name: &str) -> Part {
        let index = match self.counts.iter_mut().find(|(of, _)| *of == kind) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                self.counts.push((kind, 1));
                0
            }
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_word) || name == "ground" {
            let text = format!(
                "`{name}` is no name of a {kind}: give letters, digits and underscores, other than `ground`"
            );
            self.fault((kind, index), "name", text);
        }
        (kind, index)
    }

    /// The same for a part with numbers, which are checked.
    fn enter<P: Params<f64> + Check + Clone>(
        &mut self,
        kind: &'static str,
        name: &str,
        numbers: &P,
    ) -> Part {
        let part = self.enter_named(kind, name);
        self.check_numbers(part, numbers);
        part
    }

    fn check_numbers<P: Params<f64> + Check + Clone>(&mut self, (part, index): Part, numbers: &P) {
        let found = &mut self.faults;
        faults(numbers, &mut |fault| {
            let text = fault.to_string();
            found.push(Fault { part, index, field: fault.name, declared: true, text });
        });
    }

    /// The units of an end; none for the ground, which fits everything.
    fn units_of(&self, end: End) -> Option<Units> {
        let own = match end.place {
            Place::Ground => return None,
            Place::Body(k) => self.bodies.get(k)?.units,
            Place::Motion(k) => self.motions.get(k)?.units,
        };
        Some(if end.rack { Units::LINE } else { own })
    }

    /// The units of what joins two ends.
    fn units(&self, ends: [End; 2]) -> Units {
        ends.into_iter().find_map(|end| self.units_of(end)).unwrap_or(Units::LINE)
    }

    fn check_ends(&mut self, part: Part, name: &str, ends: [End; 2]) {
        let field = "between";
        let known = |end: &End| match end.place {
            Place::Ground => true,
            Place::Body(k) => k < self.bodies.len(),
            Place::Motion(k) => k < self.motions.len(),
        };
        if !ends.iter().all(known) {
            let text = format!(
                "`{name}` is joined to a part of another machine: add the part to this one"
            );
            return self.fault(part, field, text);
        }
        if ends[0].place == ends[1].place {
            let text = format!("`{name}` joins a part to itself: give two different ends");
            self.fault(part, field, text);
        } else if !ends.iter().any(|end| matches!(end.place, Place::Body(_))) {
            self.fault(part, field, format!("`{name}` is joined to no body: it moves nothing"));
        }
        if !ends.iter().all(|end| end.ratio.is_finite() && end.ratio != 0.0) {
            let text = format!(
                "an end of `{name}` has the ratio {} or {}: give a number other than 0",
                ends[0].ratio, ends[1].ratio
            );
            self.fault(part, "ratio", text);
        }
        if let [Some(a), Some(b)] = ends.map(|end| self.units_of(end))
            && a != b
        {
            let text = format!(
                "`{name}` joins {} to {}: give the radius of the pinion between them",
                a.position, b.position
            );
            self.fault(part, field, text);
        }
    }

    fn acts_on_body(&mut self, part: Part, name: &str, on: End) {
        if !matches!(on.place, Place::Body(k) if k < self.bodies.len()) {
            self.fault(
                part,
                "on",
                format!("`{name}` acts on no body of this machine: it moves nothing"),
            );
        }
    }

    /// Every column has a name of its own, and every part one among those that others may name.
    fn check_names(&mut self) {
        let mut taken: Vec<String> = vec!["t".into(), "ground".into()];
        let mut found = Vec::new();
        let mut take = |part: Part, names: Vec<String>| {
            for name in names {
                if taken.contains(&name) {
                    found.push((
                        part,
                        format!("there is already a column or part `{name}`: rename one"),
                    ));
                } else {
                    taken.push(name);
                }
            }
        };
        for body in &self.bodies {
            let [x, v] = columns_of(body.units, body.name);
            take(body.part, vec![body.name.into(), x.into(), v.into()]);
        }
        for motion in &self.motions {
            let [_, v] = columns_of(motion.units, motion.name);
            take(motion.part, vec![motion.name.into(), v.into()]);
        }
        for contact in &self.contacts {
            take(
                contact.part,
                ["F", "N", "v_rel"].map(|of| format!("{of}_{}", contact.name)).into(),
            );
        }
        for connection in &self.connections {
            take(connection.part, vec![format!("F_{}", connection.name)]);
        }
        for force in &self.forces {
            take(force.part, vec![force.name.into()]);
        }
        for control in &self.controls {
            take(control.part, ["r", "e", "u"].map(|of| format!("{of}_{}", control.name)).into());
        }
        for sensor in &self.sensors {
            take(sensor.part, vec![sensor.name.into()]);
        }
        for (part, text) in found {
            self.fault(part, "name", text);
        }
        if self.bodies.is_empty() {
            self.fault(("body", 0), "", "the machine has no body: add one".into());
        }
    }

    fn check_controls(&mut self) {
        let mut found = Vec::new();
        for control in &self.controls {
            let (name, numbers) = (control.name, &control.numbers);
            let mut fault =
                |field: &'static str, text: String| found.push((control.part, field, text));
            if let [Some(a), Some(b)] = [control.on, control.measured].map(|end| self.units_of(end))
                && a != b
            {
                fault(
                    "measure",
                    format!(
                        "`{name}` acts in {} and measures {}: let it measure a body of the same kind, or through a gear or rack",
                        a.force, b.position
                    ),
                );
            }
            if numbers.rate.is_finite() && control.sampled.is_none() && numbers.lag == 0.0 {
                fault(
                    "rate",
                    format!(
                        "the rate of `{name}` is limited to {}: give it a lag, s, or a [control.sampled] table, since a force that follows at once has no rate",
                        numbers.rate
                    ),
                );
            }
            if control.sampled.is_some() && numbers.lag > 0.0 {
                fault(
                    "lag",
                    format!(
                        "`{name}` is sampled and holds its output: leave lag = {} s out",
                        numbers.lag
                    ),
                );
            }
            let passive = numbers.structure == Structure::Passivity;
            if passive && (control.sampled.is_some() || numbers.limit.is_finite()) {
                fault(
                    "structure",
                    format!(
                        "the passivity-based controller `{name}` is proven passive without limits and in continuous time only: leave limit and sampled out, or take another structure"
                    ),
                );
            }
            if !passive && control.observer.is_some() {
                fault(
                    "observer",
                    format!("`{name}` has an observer, which belongs to structure = \"passivity\""),
                );
            }
            if let Some((_, friction)) = &control.observer {
                let at = bristle_kernel::Drive::new(0.0, 1.0);
                if friction.model().limits(&at).is_some() {
                    fault(
                        "observer",
                        format!(
                            "the observer of `{name}` has a set-valued friction model, whose force at rest it cannot know: take one with a bristle"
                        ),
                    );
                }
            }
            if let Some(sampled) = control.sampled {
                let waiting = sampled.delay + sampled.dead_time / sampled.period;
                if waiting > MOST_WAITING as f64 {
                    fault(
                        "sampled",
                        format!(
                            "{waiting:.0} outputs of `{name}` wait at a time, and at most {MOST_WAITING} can: shorten the delay or the dead time, or sample less often"
                        ),
                    );
                }
                if sampled.velocity == Estimate::Error && numbers.structure != Structure::Pid {
                    fault(
                        "sampled",
                        format!(
                            "sampled.velocity of `{name}` is \"error\", which belongs to structure = \"pid\": a cascade needs the velocity itself, \"exact\" or \"difference\""
                        ),
                    );
                }
                for (field, value) in
                    [("sampled.delay", sampled.delay), ("sampled.every", sampled.every)]
                {
                    if value.fract() != 0.0 {
                        fault(
                            "sampled",
                            format!(
                                "{field} of `{name}` is {value}: give a whole number of samples"
                            ),
                        );
                    }
                }
            }
        }
        for (part, field, text) in found {
            self.fault(part, field, text);
        }
    }

    /// Every body can be moved by something.
    fn check_reach(&mut self) {
        let mut found = Vec::new();
        for (k, body) in self.bodies.iter().enumerate() {
            let own = |end: &End| end.place == Place::Body(k);
            let joined = self.connections.iter().any(|c| c.ends.iter().any(own))
                || self.gears.iter().any(|(_, ends, _)| ends.iter().any(own))
                || self.contacts.iter().any(|c| c.ends.iter().any(own))
                || self.forces.iter().any(|f| own(&f.on))
                || self.controls.iter().any(|c| own(&c.on));
            if !joined && body.weight.0 == 0.0 {
                let text = format!(
                    "`{}` is loose: nothing is joined to it and nothing acts on it; join it or leave it out",
                    body.name
                );
                found.push((body.part, text));
            }
        }
        for (part, text) in found {
            self.fault(part, "name", text);
        }
    }
}

/// The columns of position and velocity.
fn columns_of(units: Units, name: &str) -> [&'static str; 2] {
    let [x, v] = if units == Units::SHAFT { ["phi", "omega"] } else { ["x", "v"] };
    [keep(&format!("{x}_{name}")), keep(&format!("{v}_{name}"))]
}

/// So many outputs of a sampled controller wait at most.
const MOST_WAITING: usize = 200;

/// Makes a machine of its parts.
struct Assembly<'a> {
    builder: &'a mut Builder,
    shares: &'a [Share],
    machine: Machine,
}

impl<'a> Assembly<'a> {
    fn new(builder: &'a mut Builder, shares: &'a [Share]) -> Self {
        Assembly { builder, shares, machine: Machine::default() }
    }

    fn finish(mut self) -> Machine {
        self.coordinates();
        self.motions();
        self.enter_connections();
        self.enter_forces();
        self.enter_controls();
        // Phases of signals come before the machine's own modes: what controllers are made of must be known first.
        self.enter_contacts();
        self.place_modes();
        self.enter_outputs();
        self.enter_flows();
        self.draw();
        self.machine
    }

    fn joint(&self, end: End) -> Joint {
        match end.place {
            Place::Ground => Joint::Ground,
            Place::Motion(k) => Joint::Motion(k, end.ratio),
            Place::Body(k) => match self.shares.get(k) {
                Some(share) => Joint::Coordinate(share.coordinate, share.ratio * end.ratio),
                None => Joint::Ground,
            },
        }
    }

    fn input(&mut self, input: &Input) -> Sum {
        self.machine.leaves.enter(input)
    }

    fn coordinates(&mut self) {
        for (body, share) in self.builder.bodies.clone().iter().zip(self.shares) {
            let Share { coordinate, ratio } = *share;
            let on = Joint::Coordinate(coordinate, ratio);
            self.machine.bodies.push(on);
            if coordinate == self.machine.coordinates.len() {
                let [x, v] = columns_of(body.units, body.name);
                self.machine.quantities.extend(match body.units {
                    Units::SHAFT => [Quantity::angle(x), Quantity::turning(v)],
                    _ => [Quantity::position(x), Quantity::velocity(v)],
                });
                self.machine.coordinates.push(Coordinate { mass: 0.0, start: body.start });
            }
            let own = &mut self.machine.coordinates[coordinate];
            own.mass += body.mass * ratio * ratio;
            let start = own.start.map(|start| start * ratio);
            // A body that says nothing of its start goes with the others.
            let told = body.start != [0.0; 2];
            let agrees =
                start.iter().zip(body.start).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs());
            if told && !agrees {
                let text = format!(
                    "`{}` starts at {} with {}, and the gear wants {} with {}: give the start of one body only",
                    body.name, body.start[0], body.start[1], start[0], start[1]
                );
                self.builder.fault(body.part, "position", text);
            }
            if body.weight.0 != 0.0 {
                let (force, swings) = body.weight;
                self.machine.weights.push(Weight { on, force, swings });
            }
        }
    }

    fn motions(&mut self) {
        for motion in self.builder.motions.clone() {
            let of = self.input(&motion.input);
            let leaves = &self.machine.leaves;
            if motion.by_position && leaves.jumps(&of) {
                let text = format!(
                    "the position of `{}` jumps: a body would have to follow at once; take points, or give a velocity",
                    motion.name
                );
                self.builder.fault(motion.part, "position", text);
            }
            if !motion.by_position && !leaves.integrates(&of) {
                let text = format!(
                    "the velocity of `{}` is a product, whose integral is not known: give its position",
                    motion.name
                );
                self.builder.fault(motion.part, "velocity", text);
            }
            self.machine.motions.push(if motion.by_position {
                Carried::Position(of)
            } else {
                Carried::Velocity(of)
            });
        }
    }

    fn enter_connections(&mut self) {
        for (k, part) in self.builder.connections.clone().into_iter().enumerate() {
            let Spring { stiffness, damping, rest, release, .. } = part.numbers;
            let flanks = part.flanks.map(|[low, high]| Flanks { low, high, release, mode: 0 });
            if flanks.is_some() {
                self.machine.switches.push(Switch::Flanks(k));
            }
            let ends = part.ends.map(|end| self.joint(end));
            self.machine.connections.push(Connection { ends, stiffness, damping, rest, flanks });
        }
    }

    fn enter_forces(&mut self) {
        for part in self.builder.forces.clone() {
            let (on, force) = (self.joint(part.on), self.input(&part.force));
            self.machine.forces.push(Push { on, force });
        }
    }

    /// Adds a state that a controller has.
    fn state(&mut self, name: String, unit: &'static str) -> usize {
        self.machine.quantities.push(Quantity::new(keep(&name), unit, 1.0));
        self.machine.quantities.len() - 1
    }

    fn enter_controls(&mut self) {
        for (k, part) in self.builder.controls.clone().into_iter().enumerate() {
            let ControlPart { name, numbers, .. } = part;
            let units = self.builder.units_of(part.on).unwrap_or(Units::LINE);
            let passive = numbers.structure == Structure::Passivity;
            let integral = (numbers.ki > 0.0 && !passive)
                .then(|| self.state(format!("I_{name}"), units.force));
            let pid = numbers.structure == Structure::Pid;
            let filtered = (numbers.filter > 0.0 && pid)
                .then(|| self.state(format!("filter_{name}"), units.position));
            let output = (part.sampled.is_some() || numbers.lag > 0.0)
                .then(|| self.state(format!("held_{name}"), units.force));
            let sampling = part.sampled.map(|sampled| {
                let start = self.machine.quantities.len();
                // A dead time is whole samples and a rest, for which one more output waits.
                let samples = sampled.dead_time / sampled.period;
                let whole = if samples.is_finite() { (samples + 1e-9).floor() } else { 0.0 };
                let rest = sampled.dead_time - whole * sampled.period;
                let late = (rest > 1e-9 * sampled.period).then_some((rest, 0));
                let waiting = sampled.delay + whole + if late.is_some() { 1.0 } else { 0.0 };
                for i in 1..=(waiting as usize).min(MOST_WAITING) {
                    self.state(format!("next{i}_{name}"), units.force);
                }
                let pending = start..self.machine.quantities.len();
                let differs = sampled.velocity != Estimate::Exact;
                let before = differs.then(|| self.state(format!("encoder_{name}"), units.position));
                let cascade = numbers.structure == Structure::Cascade;
                let asked = (cascade && sampled.every > 1.0)
                    .then(|| self.state(format!("v_ref_{name}"), units.velocity));
                Sampling { numbers: sampled, count: 0, late, pending, before, asked }
            });
            let continuous = sampling.is_none();
            let mut switch = |on: bool, switch: Switch| {
                on.then(|| self.machine.switches.push(switch)).map(|()| 0)
            };
            let clip = switch(continuous && numbers.limit.is_finite(), Switch::Clip(k));
            let ramp = switch(continuous && numbers.rate.is_finite(), Switch::Ramp(k));
            switch(part.friction.is_some(), Switch::Direction(k));
            let reference = self.input(&part.reference);
            if passive && self.machine.leaves.jumps(&reference) {
                let text = format!(
                    "the reference of `{name}` jumps: the passivity-based controller needs its derivatives; take a smooth one"
                );
                self.builder.fault(part.part, "reference", text);
            }
            let controller = Controller {
                numbers,
                on: self.joint(part.on),
                measured: self.joint(part.measured),
                reference,
                friction: part.friction.map(|(law, load)| (law, load, 0)),
                observer: None,
                integral,
                filtered,
                output,
                clip,
                ramp,
                sampling,
            };
            self.machine.controllers.push(controller);
        }
    }

    fn enter_contacts(&mut self) {
        for (i, part) in self.builder.contacts.clone().into_iter().enumerate() {
            let load = self.input(&part.load.base);
            let pressed_by: Vec<Pressed> = part
                .load
                .pressed_by
                .iter()
                .map(|(by, [driving, driven])| Pressed {
                    by: by.0.iter().map(|(of, weight)| (of.0, *weight)).collect(),
                    driving: *driving,
                    driven: *driven,
                    sign: 0,
                })
                .collect();
            for pressed in &pressed_by {
                let observed = pressed.by.iter().any(|(of, _)| {
                    matches!(of, Transmitted::Control(k)
                        if self.builder.controls.get(*k).is_some_and(|c| c.observer.is_some()))
                });
                if observed {
                    let text = format!(
                        "the load of `{}` depends on a controller with an observer, whose force depends on friction in turn: an algebraic loop; take the force of a connection",
                        part.name
                    );
                    self.builder.fault(part.part, "load", text);
                }
                if !(pressed.driving >= 0.0
                    && pressed.by.iter().all(|(_, weight)| weight.is_finite())
                    && pressed.driven.is_finite()
                    && pressed.driving.is_finite())
                {
                    let text = format!(
                        "the load of `{}` has the coefficients {} and {}: give numbers, the first of at least 0",
                        part.name, pressed.driving, pressed.driven
                    );
                    self.builder.fault(part.part, "load", text);
                }
            }
            let units = self.builder.units(part.ends);
            let role = if part.observes.is_some() { Role::Observer } else { Role::Friction };
            self.machine.contacts.push(Contact { name: part.name, role, units });
            // A model that looks at torques and is given none would be another one.
            let steady = |torques: [f64; 2]| {
                let model = part.friction.model();
                let at = Drive { torques, ..Drive::new(1.0, 1.0) };
                model.steady(&at, &mut vec![0.0; model.states()]).to_bits()
            };
            let looks = [[1.0, -0.5], [0.5, -1.0], [1.0, 1.0]];
            if part.torques.is_none() && looks.iter().any(|of| steady(*of) != steady([0.0; 2])) {
                let text = format!(
                    "the friction of `{}` depends on torques that are transmitted: name them, as in torques = {{ motor = \"tau\", external = \"shaft\" }}",
                    part.name
                );
                self.builder.fault(part.part, "friction", text);
            }
            let named = |of: &Forces| of.0.iter().map(|(of, weight)| (of.0, *weight)).collect();
            let torques = part.torques.as_ref().map(|both| both.each_ref().map(named));
            let ends = part.ends.map(|end| self.joint(end));
            let observes = part.observes;
            self.machine.touches.push(Touch { ends, load, pressed_by, torques, observes });
            if let Some(k) = part.observes {
                self.machine.controllers[k].observer = Some(i);
            }
        }
    }

    /// Gives every switch and clock a place after the phases of the signals.
    fn place_modes(&mut self) {
        let Machine { leaves, switches, connections, touches, controllers, modes, drives, .. } =
            &mut self.machine;
        let mut next = leaves.len();
        let mut place = || {
            next += 1;
            next - 1
        };
        for switch in switches.iter_mut() {
            let mode = place();
            match switch {
                Switch::Flanks(k) => connections[*k].flanks.iter_mut().for_each(|f| f.mode = mode),
                Switch::Sign(_, own) => *own = mode,
                Switch::Clip(k) => controllers[*k].clip = Some(mode),
                Switch::Ramp(k) => controllers[*k].ramp = Some(mode),
                Switch::Direction(k) => {
                    controllers[*k].friction.iter_mut().for_each(|(.., own)| *own = mode);
                }
            }
        }
        // One sign for each force that presses, however many contacts it presses.
        let mut signs: Vec<(Vec<(Transmitted, f64)>, usize)> = Vec::new();
        for pressed in touches.iter_mut().flat_map(|touch| &mut touch.pressed_by) {
            pressed.sign = match signs.iter().find(|(of, _)| *of == pressed.by) {
                Some((_, mode)) => *mode,
                None => {
                    let mode = place();
                    signs.push((pressed.by.clone(), mode));
                    mode
                }
            };
        }
        switches.extend(signs.into_iter().map(|(of, mode)| Switch::Sign(of, mode)));
        for sampling in controllers.iter_mut().filter_map(|c| c.sampling.as_mut()) {
            sampling.count = place();
            sampling.late.iter_mut().for_each(|(_, count)| *count = place());
        }
        *modes = next - leaves.len();
        let leaf = |k: usize| Quantity::new(keep(&format!("signal{k}")), "1", 1.0);
        *drives = (0..leaves.len()).map(leaf).collect();
    }

    fn enter_outputs(&mut self) {
        let mut shown: Vec<(String, &'static str, Shown)> = Vec::new();
        let mut seen = vec![false; self.machine.coordinates.len()];
        let bodies = self.builder.bodies.iter().enumerate();
        for (k, body) in bodies {
            let Some(share) = self.shares.get(k) else { continue };
            if std::mem::replace(&mut seen[share.coordinate], true) {
                let [x, v] = columns_of(body.units, body.name);
                let joint = Joint::Coordinate(share.coordinate, share.ratio);
                shown.push((x.into(), body.units.position, Shown::Position(joint)));
                shown.push((v.into(), body.units.velocity, Shown::Velocity(joint)));
            }
        }
        for (k, motion) in self.builder.motions.iter().enumerate() {
            let [_, v] = columns_of(motion.units, motion.name);
            shown.push((v.into(), motion.units.velocity, Shown::Velocity(Joint::Motion(k, 1.0))));
        }
        for (k, part) in self.builder.connections.iter().enumerate() {
            let unit = self.builder.units(part.ends).force;
            shown.push((
                format!("F_{}", part.name),
                unit,
                Shown::Force(Transmitted::Connection(k)),
            ));
        }
        for (k, part) in self.builder.forces.iter().enumerate() {
            let unit = self.builder.units_of(part.on).unwrap_or(Units::LINE).force;
            shown.push((part.name.into(), unit, Shown::Force(Transmitted::Force(k))));
        }
        for (k, part) in self.builder.controls.iter().enumerate() {
            let units = self.builder.units_of(part.on).unwrap_or(Units::LINE);
            let name = part.name;
            shown.push((format!("r_{name}"), units.position, Shown::Reference(k)));
            shown.push((format!("e_{name}"), units.position, Shown::Error(k)));
            shown.push((format!("u_{name}"), units.force, Shown::Force(Transmitted::Control(k))));
        }
        for part in self.builder.sensors.clone() {
            let Some((unit, of)) = self.find(&part.of, &shown) else {
                let mut known: Vec<String> = shown.iter().map(|(name, ..)| name.clone()).collect();
                known.extend(self.machine.quantities.iter().map(|q| q.name.to_owned()));
                let text = format!(
                    "`{}` shows `{}`, which is no column of the machine itself; there are {}, energy, kinetic, gravity, E of every connection, and F, N, v_rel of every contact",
                    part.name,
                    part.of,
                    known.join(", ")
                );
                self.builder.fault(part.part, "of", text);
                continue;
            };
            let of = match part.resolution > 0.0 {
                true => Shown::Rounded(Box::new(of), part.resolution),
                false => of,
            };
            shown.push((part.name.into(), unit, of));
        }
        for (name, unit, of) in shown {
            self.machine.outputs.push(Quantity::new(keep(&name), unit, 1.0));
            self.machine.shown.push(of);
        }
    }

    /// What a column shows, and its unit.
    fn find(
        &self,
        name: &str,
        shown: &[(String, &'static str, Shown)],
    ) -> Option<(&'static str, Shown)> {
        match name {
            "energy" => return Some(("J", Shown::Energy)),
            "kinetic" => return Some(("J", Shown::Stored(Power::Kinetic))),
            "gravity" => return Some(("J", Shown::Stored(Power::Gravity))),
            _ => {}
        }
        let spring = |part: &ConnectionPart| name.strip_prefix("E_") == Some(part.name);
        if let Some(k) = self.builder.connections.iter().position(spring) {
            return Some(("J", Shown::Stored(Power::Spring(k))));
        }
        if let Some(k) = self.machine.quantities.iter().position(|q| q.name == name) {
            return Some((self.machine.quantities[k].unit, Shown::State(k)));
        }
        if let Some((_, unit, of)) = shown.iter().find(|(own, ..)| own == name) {
            return Some((unit, of.clone()));
        }
        self.machine.contacts.iter().enumerate().find_map(|(i, contact)| {
            let units = contact.units;
            let columns = [
                ("F", units.force, Shown::ContactForce(i)),
                ("N", units.force, Shown::ContactLoad(i)),
                ("v_rel", units.velocity, Shown::ContactVelocity(i)),
            ];
            let own = |of: &str| format!("{of}_{}", contact.name) == name;
            columns.into_iter().find(|(of, ..)| own(of)).map(|(_, unit, shown)| (unit, shown))
        })
    }

    fn enter_flows(&mut self) {
        let mut flows = vec![(("kinetic", FlowKind::Stored), Power::Kinetic)];
        if !self.machine.weights.is_empty() {
            flows.push((("gravity", FlowKind::Stored), Power::Gravity));
        }
        for (k, part) in self.builder.connections.iter().enumerate() {
            let Spring { stiffness, damping, .. } = part.numbers;
            if stiffness > 0.0 {
                flows.push(((part.name, FlowKind::Stored), Power::Spring(k)));
            }
            if damping > 0.0 {
                flows.push(((part.name, FlowKind::Loss), Power::Damping(k)));
            }
        }
        let forces = self.builder.forces.iter().enumerate();
        flows.extend(forces.map(|(k, f)| ((f.name, FlowKind::Work), Power::Force(k))));
        let controls = self.builder.controls.iter().enumerate();
        flows.extend(controls.map(|(k, c)| ((c.name, FlowKind::Work), Power::Control(k))));
        let motions = self.builder.motions.iter().enumerate();
        flows.extend(motions.map(|(k, m)| ((m.name, FlowKind::Work), Power::Motion(k))));
        for ((name, kind), power) in flows {
            self.machine.flows.push(Flow { name, kind });
            self.machine.powers.push(power);
        }
    }

    fn draw(&mut self) {
        let layout = &mut self.machine.layout;
        for body in &self.builder.bodies {
            let (kind, unit) = match body.units {
                Units::SHAFT => ("rotor", "kg m²"),
                _ => ("body", "kg"),
            };
            // A small number reads better with its power of ten.
            let label = match body.mass < 1e-3 {
                true => format!("{:e} {unit}", body.mass),
                false => format!("{} {unit}", body.mass),
            };
            layout.elements.push(Element { name: body.name.into(), kind, label });
        }
        for motion in &self.builder.motions {
            let label = String::new();
            layout.elements.push(Element { name: motion.name.into(), kind: "motion", label });
        }
        let bodies = self.builder.bodies.len();
        let end = |end: &End| match end.place {
            Place::Ground => None,
            Place::Body(k) => Some(k),
            Place::Motion(k) => Some(bodies + k),
        };
        let mut link = |name: &str, kind: &'static str, ends: &[End]| {
            let ends = ends.iter().map(end).collect();
            layout.links.push(Link { name: name.into(), kind, ends });
        };
        for part in &self.builder.connections {
            link(part.name, part.part.0, &part.ends);
        }
        for (part, ends, ratio) in &self.builder.gears {
            link(&format!("{ratio}"), part.0, ends);
        }
        for part in self.builder.contacts.iter().filter(|c| c.observes.is_none()) {
            link(part.name, "contact", &part.ends);
        }
        for part in &self.builder.forces {
            link(part.name, "force", &[part.on]);
        }
        for part in &self.builder.controls {
            link(part.name, "control", &[part.on]);
        }
    }
}
