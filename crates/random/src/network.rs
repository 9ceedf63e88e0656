//! Mechanisms of the random runs: those of the catalogue, and bodies in a network of springs, dampers
//! and ropes.
use bristle_kernel::{Drive, Real};
use bristle_system::{AnyMechanism, AnySignal, Contact, Mechanism, Quantity, Role, Signal, Units};

/// A spring with a damper between two bodies, or between a body and the wall.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The body that it pulls back,
    pub body: usize,
    /// and what it ties it to; the wall, if to nothing.
    pub to: Option<usize>,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N·s/m.
    pub damping: f64,
    /// Whether it only pulls. A rope has no damping.
    pub rope: bool,
}

/// A contact of the network.
#[derive(Clone, Debug)]
pub struct Rub {
    /// The bodies that it sees, each with the ratio at which it does.
    pub sees: Vec<(usize, f64)>,
    /// Whether the counterpart is the belt, which moves at the velocity of the drive.
    pub belt: bool,
    /// Normal load, N.
    pub load: f64,
}

/// What the drive of a network is.
#[derive(Clone, Copy, Debug)]
pub enum Acts {
    /// A force on that body, N.
    Force(usize),
    /// The velocity of the belt, m/s.
    Belt,
    /// The velocity of the far end of a spring of that stiffness, N/m, which pulls that body, m/s.
    End(usize, f64),
}

/// Bodies along a line or about an axis.
#[derive(Clone, Debug)]
pub struct Network {
    /// Masses, kg.
    pub mass: Vec<f64>,
    /// Constant forces on them, N.
    pub weight: Vec<f64>,
    /// What joins them.
    pub links: Vec<Link>,
    /// What they rub on.
    pub rubs: Vec<Rub>,
    /// What the drive is.
    pub acts: Acts,
    /// Whether the network says which states depend on which.
    pub sparse: bool,
    /// Whether ropes are modes of the mechanism, with guards, and not kinks.
    pub guarded: bool,
    /// The drive.
    pub drive: AnySignal<f64>,
}

/// A network has no more bodies and no more contacts than this.
pub const MOST: usize = 6;

const QUANTITIES: [Quantity; 2 * MOST] = [
    Quantity::position("x1"),
    Quantity::velocity("v1"),
    Quantity::position("x2"),
    Quantity::velocity("v2"),
    Quantity::position("x3"),
    Quantity::velocity("v3"),
    Quantity::position("x4"),
    Quantity::velocity("v4"),
    Quantity::position("x5"),
    Quantity::velocity("v5"),
    Quantity::position("x6"),
    Quantity::velocity("v6"),
];

const fn contact(name: &'static str) -> Contact {
    Contact { name, role: Role::Friction, units: Units::LINE }
}

const CONTACTS: [Contact; MOST] =
    [contact("1"), contact("2"), contact("3"), contact("4"), contact("5"), contact("6")];

impl Network {
    /// The ropes that have modes.
    fn ropes(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.rope && self.guarded)
    }

    /// By how much a link is longer than where it has no force.
    fn elongation<S: Real>(link: &Link, y: &[S]) -> S {
        link.to.map_or(y[2 * link.body], |to| y[2 * link.body] - y[2 * to])
    }
}

impl Mechanism for Network {
    fn quantities(&self) -> &[Quantity] {
        &QUANTITIES[..2 * self.mass.len()]
    }

    fn contacts(&self) -> &[Contact] {
        &CONTACTS[..self.rubs.len()]
    }

    fn drives(&self) -> &[Quantity] {
        const FORCE: [Quantity; 1] = [Quantity::new("F_E", "N", 1.0)];
        const VELOCITY: [Quantity; 1] = [Quantity::new("v_b", "m/s", 1.0)];
        if matches!(self.acts, Acts::Force(_)) { &FORCE } else { &VELOCITY }
    }

    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        let rub = &self.rubs[i];
        let (mut x, mut v) = (S::from(0.0), S::from(0.0));
        for &(body, ratio) in &rub.sees {
            x += y[2 * body] * ratio;
            v += y[2 * body + 1] * ratio;
        }
        if rub.belt {
            x = x - self.drive.integral(t, phase[0]);
            v = v - self.drive.value(t, phase[0]);
        }
        Drive { x, ..Drive::new(v, S::from(rub.load)) }
    }

    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let n = self.mass.len();
        for (i, weight) in self.weight.iter().enumerate() {
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = S::from(*weight);
        }
        match self.acts {
            Acts::Force(body) => dy[2 * body + 1] += self.drive.value(t, phase[0]),
            Acts::Belt => {}
            Acts::End(body, stiffness) => {
                let end = self.drive.integral(t, phase[0]);
                dy[2 * body + 1] += (end - y[2 * body]) * stiffness;
            }
        }
        let mut rope = 1;
        for link in &self.links {
            let long = Self::elongation(link, y);
            let mut pull = long * link.stiffness;
            if link.rope && self.guarded {
                pull = if phase[rope] == 1 { pull } else { S::from(0.0) };
                rope += 1;
            } else if link.rope {
                pull = pull.max(S::from(0.0));
            }
            let rate =
                link.to.map_or(y[2 * link.body + 1], |to| y[2 * link.body + 1] - y[2 * to + 1]);
            pull += rate * link.damping;
            dy[2 * link.body + 1] = dy[2 * link.body + 1] - pull;
            if let Some(to) = link.to {
                dy[2 * to + 1] += pull;
            }
        }
        for (rub, force) in self.rubs.iter().zip(force) {
            for &(body, ratio) in &rub.sees {
                dy[2 * body + 1] = dy[2 * body + 1] - *force * ratio;
            }
        }
        for i in 0..n {
            dy[2 * i + 1] = dy[2 * i + 1] / self.mass[i];
        }
    }

    fn input(&self, _i: usize, t: f64, phase: &[usize]) -> f64 {
        self.drive.value(t, phase[0])
    }

    fn switch(&self, _i: usize, k: usize) -> f64 {
        self.drive.switch(k)
    }

    fn period(&self) -> Option<f64> {
        self.drive.period()
    }

    fn smooth_for(&self) -> f64 {
        self.drive.smooth_for()
    }

    fn is_constant(&self) -> bool {
        self.drive.is_constant()
    }

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        if !self.sparse {
            return (0..2 * self.mass.len()).for_each(on);
        }
        on(k | 1);
        if k.is_multiple_of(2) {
            return;
        }
        on(k - 1);
        for link in &self.links {
            let ends = [Some(link.body), link.to];
            if ends.contains(&Some(k / 2)) {
                ends.iter().flatten().for_each(|body| (2 * body..2 * body + 2).for_each(&mut *on));
            }
        }
    }

    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        match self.sparse {
            true => self.rubs[i].sees.iter().for_each(|(body, _)| on(2 * body + 1)),
            false => (0..2 * self.mass.len()).for_each(on),
        }
    }

    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        match self.sparse {
            true => {
                self.rubs[i].sees.iter().for_each(|(b, _)| (2 * b..2 * b + 2).for_each(&mut *on))
            }
            false => (0..2 * self.mass.len()).for_each(on),
        }
    }

    fn modes(&self) -> usize {
        self.ropes().count()
    }

    fn guards(&self) -> usize {
        self.ropes().count()
    }

    fn watch(&self, _t: f64, phase: &[usize], y: &[f64], guards: &mut [f64]) {
        for ((link, guard), taut) in self.ropes().zip(guards).zip(&phase[1..]) {
            let long = Self::elongation(link, y);
            *guard = if *taut == 1 { long } else { -long };
        }
    }

    fn next(&self, k: usize, _t: f64, phase: &mut [usize], _y: &mut [f64]) {
        phase[1 + k] = 1 - phase[1 + k];
    }
}

/// Any mechanism that is run.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Machine {
    /// One of the catalogue.
    Catalog(AnyMechanism<f64>),
    /// A network.
    Network(Network),
}

/// Forwards to whichever mechanism is inside.
macro_rules! each {
    ($this:expr, $m:ident => $body:expr) => {
        match $this {
            Machine::Catalog($m) => $body,
            Machine::Network($m) => $body,
        }
    };
}

impl Mechanism for Machine {
    fn quantities(&self) -> &[Quantity] {
        each!(self, m => m.quantities())
    }
    fn contacts(&self) -> &[Contact] {
        each!(self, m => m.contacts())
    }
    fn drives(&self) -> &[Quantity] {
        each!(self, m => m.drives())
    }
    fn initial(&self, y: &mut [f64]) {
        each!(self, m => m.initial(y));
    }
    fn drive<S: Real>(&self, i: usize, t: S, phase: &[usize], y: &[S]) -> Drive<S> {
        each!(self, m => m.drive(i, t, phase, y))
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        each!(self, m => m.rates(t, phase, y, force, dy));
    }
    fn input(&self, i: usize, t: f64, phase: &[usize]) -> f64 {
        each!(self, m => m.input(i, t, phase))
    }
    fn switch(&self, i: usize, k: usize) -> f64 {
        each!(self, m => m.switch(i, k))
    }
    fn period(&self) -> Option<f64> {
        each!(self, m => m.period())
    }
    fn smooth_for(&self) -> f64 {
        each!(self, m => m.smooth_for())
    }
    fn is_constant(&self) -> bool {
        each!(self, m => m.is_constant())
    }
    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        each!(self, m => m.depends(k, on));
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        each!(self, m => m.moves(i, on));
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        each!(self, m => m.sees(i, on));
    }
    fn modes(&self) -> usize {
        each!(self, m => m.modes())
    }
    fn guards(&self) -> usize {
        each!(self, m => m.guards())
    }
    fn watch(&self, t: f64, phase: &[usize], y: &[f64], guards: &mut [f64]) {
        each!(self, m => m.watch(t, phase, y, guards));
    }
    fn next(&self, k: usize, t: f64, phase: &mut [usize], y: &mut [f64]) {
        each!(self, m => m.next(k, t, phase, y));
    }
}
