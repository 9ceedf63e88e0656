use crate::connection::Connection;
use crate::control::{Controller, begin_limit, watch_limit};
use crate::input::{Leaves, Sum};
use crate::{Builder, Joint, Layout};
use bristle_kernel::{Drive, Real};
use bristle_system::signal::Ramp;
use bristle_system::{Contact, Flow, Mechanism, Quantity};

/// A machine, made by a [`Builder`].
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Position and velocity of each coordinate, then the states of controllers.
    pub(crate) quantities: Vec<Quantity>,
    pub(crate) coordinates: Vec<Coordinate>,
    /// What signals are made of, each with a phase of its own.
    pub(crate) leaves: Leaves,
    pub(crate) drives: Vec<Quantity>,
    pub(crate) motions: Vec<Carried>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) forces: Vec<Push>,
    pub(crate) controllers: Vec<Controller>,
    pub(crate) weights: Vec<Weight>,
    /// Where each body is.
    pub(crate) bodies: Vec<Joint>,
    /// What is discrete, each with a mode and two guards.
    pub(crate) switches: Vec<Switch>,
    /// How many modes there are of its own, those of clocks included.
    pub(crate) modes: usize,
    pub(crate) outputs: Vec<Quantity>,
    pub(crate) shown: Vec<Shown>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) powers: Vec<Power>,
    pub(crate) layout: Layout,
}

/// What moves as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    pub(crate) mass: f64,
    pub(crate) start: [f64; 2],
}

/// Something whose motion is prescribed.
#[derive(Clone, Debug)]
pub(crate) enum Carried {
    /// By its velocity; its position is the integral.
    Velocity(Sum),
    /// By its position; its velocity is the derivative.
    Position(Sum),
}

/// A force on a coordinate.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub(crate) on: Joint,
    pub(crate) force: Sum,
}

/// Gravity on a coordinate: it pulls back by `force`, or by `force` sin φ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub(crate) on: Joint,
    pub(crate) force: f64,
    pub(crate) swings: bool,
}

/// A contact and its load N = N₀ + Σ c |force|.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub(crate) ends: [Joint; 2],
    pub(crate) load: Sum,
    pub(crate) pressed_by: Vec<Pressed>,
    /// The torques of motor and load that its friction looks at, each a weighted sum of forces.
    pub(crate) torques: Option<[Vec<(Transmitted, f64)>; 2]>,
    /// The controller whose observer it is.
    pub(crate) observes: Option<usize>,
}

/// A part of a load that a transmitted force makes.
#[derive(Clone, Debug)]
pub(crate) struct Pressed {
    /// The forces whose sum it is, each with its weight.
    pub(crate) by: Vec<(Transmitted, f64)>,
    /// The coefficient where the sliding velocity and that force have the same sign,
    pub(crate) driving: f64,
    /// and where they have not.
    pub(crate) driven: f64,
    /// The place of the mode that is the sign of the force.
    pub(crate) sign: usize,
}

/// A force that is transmitted or exerted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Transmitted {
    Connection(usize),
    Force(usize),
    Control(usize),
    /// The weight of a body, as it acts on it.
    Weight(usize),
}

/// What is discrete about a part.
#[derive(Clone, Debug)]
pub(crate) enum Switch {
    /// The flanks of a connection.
    Flanks(usize),
    /// The sign of a force that presses a contact, and the place of its mode.
    Sign(Vec<(Transmitted, f64)>, usize),
    /// The limit of a controller.
    Clip(usize),
    /// The limit of its rate.
    Ramp(usize),
    /// The direction of its reference, where friction is fed forward.
    Direction(usize),
}

/// What an output shows.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    State(usize),
    Position(Joint),
    Velocity(Joint),
    Force(Transmitted),
    Reference(usize),
    Error(usize),
    ContactForce(usize),
    ContactLoad(usize),
    ContactVelocity(usize),
    Energy,
    /// What is stored in one way, J.
    Stored(Power),
    /// Another one, rounded to a resolution.
    Rounded(Box<Shown>, f64),
}

/// What makes a flow of energy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Power {
    Kinetic,
    Gravity,
    Spring(usize),
    Damping(usize),
    Force(usize),
    Control(usize),
    Motion(usize),
}

impl Machine {
    /// No parts yet.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Its parts and what joins them.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Position and velocity of an end.
    #[inline]
    pub(crate) fn motion<S: Real>(&self, end: Joint, t: S, phase: &[usize], y: &[S]) -> [S; 2] {
        match end {
            Joint::Ground => [S::from(0.0); 2],
            Joint::Coordinate(k, ratio) => [y[2 * k] * ratio, y[2 * k + 1] * ratio],
            Joint::Motion(k, ratio) => {
                let [x, v] = match &self.motions[k] {
                    Carried::Velocity(of) => {
                        [self.leaves.integral(of, t, phase), self.leaves.value(of, t, phase)]
                    }
                    Carried::Position(of) => self.leaves.slope(of, t, phase),
                };
                [x * ratio, v * ratio]
            }
        }
    }

    /// By how much the first end is ahead of the second, and how fast it gets further.
    #[inline]
    fn between<S: Real>(&self, [a, b]: [Joint; 2], t: S, phase: &[usize], y: &[S]) -> [S; 2] {
        let ([xa, va], [xb, vb]) = (self.motion(a, t, phase, y), self.motion(b, t, phase, y));
        [xa - xb, va - vb]
    }

    /// The force of gravity as it is felt at an end.
    pub(crate) fn weight<S: Real>(&self, on: Joint, y: &[S]) -> S {
        let Joint::Coordinate(k, ratio) = on else { return S::from(0.0) };
        let own = |w: &&Weight| matches!(w.on, Joint::Coordinate(of, _) if of == k);
        let sum = self.weights.iter().filter(own).map(|w| self.gravity(w, y));
        sum.fold(S::from(0.0), |sum, w| sum + w) / ratio
    }

    /// The force of gravity along its coordinate.
    #[inline]
    fn gravity<S: Real>(&self, weight: &Weight, y: &[S]) -> S {
        let Joint::Coordinate(k, ratio) = weight.on else { return S::from(0.0) };
        let along = if weight.swings { (y[2 * k] * ratio).sin() } else { S::from(1.0) };
        along * (-weight.force * ratio)
    }

    /// A force that is transmitted or exerted.
    #[inline]
    pub(crate) fn transmitted<S: Real>(
        &self,
        of: Transmitted,
        t: S,
        phase: &[usize],
        y: &[S],
    ) -> S {
        match of {
            Transmitted::Connection(k) => {
                let connection = &self.connections[k];
                connection.force(phase, self.between(connection.ends, t, phase, y))
            }
            Transmitted::Force(k) => self.leaves.value(&self.forces[k].force, t, phase),
            Transmitted::Control(k) => self.controllers[k].applied(self, t, phase, y),
            Transmitted::Weight(k) => self.weight(self.bodies[k], y),
        }
    }

    /// A sum of forces.
    #[inline]
    fn sum<S: Real>(&self, of: &[(Transmitted, f64)], t: S, phase: &[usize], y: &[S]) -> S {
        of.iter().fold(S::from(0.0), |sum, (of, weight)| {
            sum + self.transmitted(*of, t, phase, y) * *weight
        })
    }

    /// The load of a contact that slides towards `way`.
    #[inline]
    fn load<S: Real>(&self, i: usize, way: S, t: S, phase: &[usize], y: &[S]) -> S {
        let touch = &self.touches[i];
        let base = self.leaves.value(&touch.load, t, phase);
        touch.pressed_by.iter().fold(base, |load, pressed| {
            let sign = if phase[pressed.sign] == 0 { 1.0 } else { -1.0 };
            let size = self.sum(&pressed.by, t, phase, y) * sign;
            let drives = (way * sign).gt(S::from(0.0));
            load + size * S::select(drives, S::from(pressed.driving), S::from(pressed.driven))
        })
    }

    /// Energy that is stored, J.
    pub fn energy(&self, t: f64, phase: &[usize], y: &[f64]) -> f64 {
        let stored = |power: &Power| match power {
            Power::Kinetic | Power::Gravity | Power::Spring(_) => {
                self.power(*power, t, phase, y, &[])
            }
            _ => 0.0,
        };
        self.powers.iter().map(stored).sum()
    }

    /// One flow of energy: W, or J of what is stored.
    fn power(&self, of: Power, t: f64, phase: &[usize], y: &[f64], force: &[f64]) -> f64 {
        let velocity = |on: Joint| self.motion(on, t, phase, y)[1];
        let spring = |k: usize| {
            let connection = &self.connections[k];
            connection.energy(phase, self.between(connection.ends, t, phase, y))
        };
        match of {
            Power::Kinetic => {
                let own = |(k, c): (usize, &Coordinate)| 0.5 * c.mass * y[2 * k + 1].powi(2);
                self.coordinates.iter().enumerate().map(own).sum()
            }
            Power::Gravity => {
                let own = |w: &Weight| match w.on {
                    Joint::Coordinate(k, ratio) if w.swings => {
                        w.force * (1.0 - (ratio * y[2 * k]).cos())
                    }
                    Joint::Coordinate(k, ratio) => w.force * ratio * y[2 * k],
                    _ => 0.0,
                };
                self.weights.iter().map(own).sum()
            }
            Power::Spring(k) => spring(k)[0],
            Power::Damping(k) => spring(k)[1],
            Power::Force(k) => {
                self.transmitted(Transmitted::Force(k), t, phase, y) * velocity(self.forces[k].on)
            }
            Power::Control(k) => {
                let observed = self.controllers[k].observer.map_or(0.0, |i| force[i]);
                let output = self.transmitted(Transmitted::Control(k), t, phase, y) + observed;
                output * velocity(self.controllers[k].on)
            }
            Power::Motion(k) => {
                let mut total = 0.0;
                let mut enter = |ends: [Joint; 2], force: f64| {
                    for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                        if matches!(end, Joint::Motion(own, _) if own == k) {
                            total += sign * force * velocity(end);
                        }
                    }
                };
                for (i, connection) in self.connections.iter().enumerate() {
                    let force = self.transmitted(Transmitted::Connection(i), t, phase, y);
                    enter(connection.ends, force);
                }
                for (touch, force) in self.acting().zip(force) {
                    enter(touch.ends, *force);
                }
                total
            }
        }
    }

    /// The contacts that act on bodies: observers come after them.
    fn acting(&self) -> impl Iterator<Item = &Touch> {
        self.touches.iter().filter(|touch| touch.observes.is_none())
    }

    /// What an output shows.
    fn show(&self, of: &Shown, t: f64, phase: &[usize], y: &[f64], force: &[f64]) -> f64 {
        let reference = |k: usize| self.leaves.value(&self.controllers[k].reference, t, phase);
        match of {
            Shown::State(k) => y[*k],
            Shown::Position(end) => self.motion(*end, t, phase, y)[0],
            Shown::Velocity(end) => self.motion(*end, t, phase, y)[1],
            Shown::Force(of) => {
                let observed = match of {
                    Transmitted::Control(k) => self.controllers[*k].observer,
                    _ => None,
                };
                self.transmitted(*of, t, phase, y) + observed.map_or(0.0, |i| force[i])
            }
            Shown::Reference(k) => reference(*k),
            Shown::Error(k) => {
                reference(*k) - self.motion(self.controllers[*k].measured, t, phase, y)[0]
            }
            Shown::ContactForce(i) => force[*i],
            Shown::ContactLoad(i) => {
                let at = self.drive(*i, t, phase, y);
                self.load_towards(*i, at.v.sign(), t, phase, y).unwrap_or(at.load)
            }
            Shown::ContactVelocity(i) => self.drive(*i, t, phase, y).v,
            Shown::Energy => self.energy(t, phase, y),
            Shown::Stored(of) => self.power(*of, t, phase, y, force),
            Shown::Rounded(of, resolution) => {
                resolution * (self.show(of, t, phase, y, force) / resolution).round()
            }
        }
    }

    /// Calls `on` with position and velocity of an end.
    fn read(&self, end: Joint, on: &mut dyn FnMut(usize)) {
        if let Joint::Coordinate(k, _) = end {
            on(2 * k);
            on(2 * k + 1);
        }
    }

    /// Calls `on` with every state that a controller looks at.
    fn read_control(&self, k: usize, on: &mut dyn FnMut(usize)) {
        let controller = &self.controllers[k];
        self.read(controller.measured, on);
        self.read(controller.on, on);
        [controller.integral, controller.filtered, controller.output]
            .into_iter()
            .flatten()
            .for_each(on);
    }

    /// Calls `on` with every state that a force depends on.
    fn read_force(&self, of: Transmitted, on: &mut dyn FnMut(usize)) {
        match of {
            Transmitted::Connection(k) => {
                self.connections[k].ends.into_iter().for_each(|end| self.read(end, on));
            }
            Transmitted::Control(k) => self.read_control(k, on),
            Transmitted::Weight(k) => self.read(self.bodies[k], on),
            Transmitted::Force(_) => {}
        }
    }

    /// The place of the mode of a switch, and its guards.
    fn look(&self, switch: &Switch, t: f64, phase: &[usize], y: &[f64]) -> [f64; 2] {
        match switch {
            Switch::Flanks(k) => {
                let connection = &self.connections[*k];
                let at = self.between(connection.ends, t, phase, y);
                connection.flanks.map_or([1.0; 2], |flanks| connection.watch(&flanks, phase, at))
            }
            Switch::Sign(of, mode) => {
                let force = self.sum(of, t, phase, y);
                [if phase[*mode] == 0 { force } else { -force }, 1.0]
            }
            Switch::Clip(k) => {
                let controller = &self.controllers[*k];
                let [wanted, _] = controller.wanted(self, t, phase, y);
                let mode = controller.clip.map_or(0, |k| phase[k]);
                watch_limit(mode, controller.numbers.limit, wanted)
            }
            Switch::Ramp(k) => {
                let controller = &self.controllers[*k];
                let [wanted, _] = controller.wanted(self, t, phase, y);
                let pull = controller.pull(wanted, phase, y);
                let mode = controller.ramp.map_or(0, |k| phase[k]);
                watch_limit(mode, controller.numbers.rate, pull)
            }
            Switch::Direction(k) => {
                let controller = &self.controllers[*k];
                let [_, rate] = self.leaves.slope(&controller.reference, t, phase);
                let back = controller.friction.as_ref().is_some_and(|(.., k)| phase[*k] != 0);
                [if back { -rate } else { rate }, 1.0]
            }
        }
    }

    /// Where the mode of a switch is kept.
    fn place(&self, switch: &Switch) -> Option<usize> {
        match switch {
            Switch::Flanks(k) => self.connections[*k].flanks.map(|flanks| flanks.mode),
            Switch::Sign(_, mode) => Some(*mode),
            Switch::Clip(k) => self.controllers[*k].clip,
            Switch::Ramp(k) => self.controllers[*k].ramp,
            Switch::Direction(k) => self.controllers[*k].friction.as_ref().map(|(.., k)| *k),
        }
    }
}

/// Adds a force that pulls the first end back and the second along.
#[inline]
fn pull<S: Real>([a, b]: [Joint; 2], force: S, dy: &mut [S]) {
    for (end, sign) in [(a, -1.0), (b, 1.0)] {
        push(end, force * sign, dy);
    }
}

/// Adds a force on an end.
#[inline]
fn push<S: Real>(end: Joint, force: S, dy: &mut [S]) {
    if let Joint::Coordinate(k, ratio) = end {
        dy[2 * k + 1] += force * ratio;
    }
}

impl Mechanism for Machine {
    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    fn drives(&self) -> &[Quantity] {
        &self.drives
    }
    /// Drives are what signals are made of; what they make stands among the outputs.
    fn shows_drives(&self) -> bool {
        false
    }
    fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
        for (y, coordinate) in y.chunks_exact_mut(2).zip(&self.coordinates) {
            y.copy_from_slice(&coordinate.start);
        }
    }
    fn period(&self) -> Option<f64> {
        self.leaves.period()
    }
    fn smooth_for(&self) -> f64 {
        self.leaves.smooth_for()
    }
    fn is_constant(&self) -> bool {
        (0..self.leaves.len()).all(|k| self.leaves.is_constant(k))
    }
    fn self_excited(&self) -> bool {
        !self.motions.is_empty()
    }
    fn input(&self, i: usize, t: f64, phase: &[usize]) -> f64 {
        self.leaves.leaf(i, t, phase[i])
    }
    fn steer(&mut self, i: usize, ramp: Ramp<f64>) {
        self.leaves.steer(i, ramp);
    }
    fn switch(&self, i: usize, k: usize) -> f64 {
        self.leaves.switch(i, k)
    }

    #[inline]
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let touch = &self.touches[i];
        let [x, v] = self.between(touch.ends, t, phase, y);
        let load = self.load(i, v.sign(), t, phase, y);
        let mut drive = Drive { x, ..Drive::new(v, load) };
        if let Some([motor, external]) = &touch.torques {
            drive.torques = [motor, external].map(|of| self.sum(of, t, phase, y));
        }
        if let Some(k) = touch.observes {
            let controller = &self.controllers[k];
            let reference = controller.follows(self, t, phase);
            let at = self.motion(controller.measured, t, phase, y);
            drive.injection = controller.sliding(reference, at) * -controller.numbers.k2; // 003 (28a)
        }
        drive
    }

    #[inline]
    fn load_towards<S: Real>(&self, i: usize, way: S, t: S, phase: &[usize], y: &[S]) -> Option<S> {
        let directed = self.touches[i].pressed_by.iter().any(|p| p.driving != p.driven);
        directed.then(|| self.load(i, way, t, phase, y))
    }

    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        dy.fill(S::from(0.0));
        for (k, connection) in self.connections.iter().enumerate() {
            let force = self.transmitted(Transmitted::Connection(k), t, phase, y);
            pull(connection.ends, force, dy);
        }
        for (touch, force) in self.acting().zip(force) {
            pull(touch.ends, *force, dy);
        }
        for (k, own) in self.forces.iter().enumerate() {
            push(own.on, self.transmitted(Transmitted::Force(k), t, phase, y), dy);
        }
        for controller in &self.controllers {
            let mut output = controller.rates(self, t, phase, y, dy);
            if let Some(i) = controller.observer {
                output += force[i];
            }
            push(controller.on, output, dy);
        }
        for weight in &self.weights {
            if let Joint::Coordinate(k, _) = weight.on {
                dy[2 * k + 1] += self.gravity(weight, y);
            }
        }
        for (k, coordinate) in self.coordinates.iter().enumerate() {
            dy[2 * k] = y[2 * k + 1];
            dy[2 * k + 1] = dy[2 * k + 1] / coordinate.mass;
        }
    }

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        let bodies = 2 * self.coordinates.len();
        if k >= bodies {
            let owns = |c: &Controller| [c.integral, c.filtered, c.output].contains(&Some(k));
            for (i, _) in self.controllers.iter().enumerate().filter(|(_, c)| owns(c)) {
                self.read_control(i, on);
            }
            return;
        }
        if k.is_multiple_of(2) {
            return on(k + 1);
        }
        let own = |end: Joint| matches!(end, Joint::Coordinate(c, _) if c == k / 2);
        for (i, connection) in self.connections.iter().enumerate() {
            if connection.ends.into_iter().any(own) {
                self.read_force(Transmitted::Connection(i), on);
            }
        }
        for (i, controller) in self.controllers.iter().enumerate() {
            if own(controller.on) {
                self.read_control(i, on);
            }
        }
        if self.weights.iter().any(|w| own(w.on)) {
            on(k - 1);
        }
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        let velocity = |end: Joint, on: &mut dyn FnMut(usize)| {
            if let Joint::Coordinate(k, _) = end {
                on(2 * k + 1);
            }
        };
        match self.touches[i].observes {
            Some(k) => velocity(self.controllers[k].on, on),
            None => self.touches[i].ends.into_iter().for_each(|end| velocity(end, on)),
        }
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        let touch = &self.touches[i];
        touch.ends.into_iter().for_each(|end| self.read(end, on));
        let torques = touch.torques.iter().flatten().flatten();
        let forces = touch.pressed_by.iter().flat_map(|pressed| &pressed.by).chain(torques);
        forces.for_each(|(of, _)| self.read_force(*of, on));
        if let Some(k) = touch.observes {
            self.read_control(k, on);
        }
    }

    fn modes(&self) -> usize {
        self.modes
    }
    fn guards(&self) -> usize {
        2 * self.switches.len()
    }
    fn watch(&self, t: f64, phase: &[usize], y: &[f64], guards: &mut [f64]) {
        for (guards, switch) in guards.chunks_exact_mut(2).zip(&self.switches) {
            guards.copy_from_slice(&self.look(switch, t, phase, y));
        }
    }
    fn next(&self, k: usize, _t: f64, phase: &mut [usize], _y: &mut [f64]) {
        let (switch, side) = (&self.switches[k / 2], k % 2);
        let Some(place) = self.place(switch) else { return };
        match switch {
            Switch::Flanks(i) => {
                let connection = &self.connections[*i];
                if let Some(flanks) = connection.flanks {
                    connection.next(&flanks, phase, side);
                }
            }
            Switch::Sign(..) | Switch::Direction(_) => phase[place] = 1 - phase[place],
            Switch::Clip(_) | Switch::Ramp(_) => {
                phase[place] = if phase[place] == 0 { 1 + side } else { 0 };
            }
        }
    }
    fn begin(&self, t: f64, phase: &mut [usize], y: &[f64]) {
        for switch in &self.switches {
            let Some(place) = self.place(switch) else { continue };
            phase[place] = 0;
            match switch {
                Switch::Flanks(k) => {
                    let connection = &self.connections[*k];
                    let at = self.between(connection.ends, t, phase, y);
                    if let Some(flanks) = connection.flanks {
                        connection.begin(&flanks, phase, at);
                    }
                }
                Switch::Sign(..) | Switch::Direction(_) => {
                    phase[place] = usize::from(self.look(switch, t, phase, y)[0] < 0.0);
                }
                Switch::Clip(k) => {
                    let controller = &self.controllers[*k];
                    let [wanted, _] = controller.wanted(self, t, phase, y);
                    phase[place] = begin_limit(controller.numbers.limit, wanted);
                }
                Switch::Ramp(k) => {
                    let controller = &self.controllers[*k];
                    let [wanted, _] = controller.wanted(self, t, phase, y);
                    let pull = controller.pull(wanted, phase, y);
                    phase[place] = begin_limit(controller.numbers.rate, pull);
                }
            }
        }
        // A run that begins later has taken the samples before.
        for controller in &self.controllers {
            if let Some(sampling) = &controller.sampling {
                let late = sampling.late.map(|(_, count)| count);
                for (k, count) in [Some(sampling.count), late].into_iter().enumerate() {
                    let Some(count) = count else { continue };
                    // Most of them by division, the last ones as they fall due.
                    let passed = (t - controller.due(phase)[k]) / sampling.numbers.period;
                    phase[count] += (passed - 1.0).max(0.0) as usize;
                    while controller.due(phase)[k] < t {
                        phase[count] += 1;
                    }
                }
            }
        }
    }
    fn due(&self, phase: &[usize]) -> f64 {
        let due = self.controllers.iter().flat_map(|c| c.due(phase));
        due.fold(f64::INFINITY, f64::min)
    }
    fn tick(&self, t: f64, phase: &mut [usize], y: &mut [f64]) {
        for controller in &self.controllers {
            // What has waited comes before what is new.
            let [sample, late] = controller.due(phase);
            if late <= t {
                controller.apply(phase, y);
            }
            if sample <= t {
                controller.sample(self, t, phase, y);
            }
        }
    }

    fn outputs(&self) -> &[Quantity] {
        &self.outputs
    }
    fn output(&self, t: f64, phase: &[usize], y: &[f64], force: &[f64], out: &mut [f64]) {
        out.iter_mut()
            .zip(&self.shown)
            .for_each(|(out, of)| *out = self.show(of, t, phase, y, force));
    }

    fn flows(&self) -> &[Flow] {
        &self.flows
    }
    fn flow(&self, t: f64, phase: &[usize], y: &[f64], force: &[f64], out: &mut [f64]) {
        out.iter_mut()
            .zip(&self.powers)
            .for_each(|(out, of)| *out = self.power(*of, t, phase, y, force));
    }
}
