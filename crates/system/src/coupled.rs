use crate::complementarity::{Problem, Verdict, hold};
use crate::friction::{Friction, Scalar};
use crate::{Mechanism, Quantity, Role};
use alloc::vec;
use alloc::vec::Vec;
use bristle_kernel::{self as kernel, Bristle, Drive, MAX_GUARDS, Measure, Variable};
use bristle_num::Dual;
use bristle_ode::{Cause, Slope, System};
use core::ops::Range;
use tinyvec::{Array, ArrayVec, TinyVec};

/// Guards of a set-valued contact beside those of its model.
const STICK_GUARDS: usize = 2;

/// What is discrete about a coupled system: changed by located events, and by nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// How many switches each drive has passed, then the mechanism's own modes.
    pub phase: Vec<usize>,
    /// What is discrete about each contact.
    pub contacts: Vec<ContactMode>,
}

/// What is discrete about one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMode {
    /// About its friction element. Of set-valued friction `way` is 0 while it sticks.
    pub element: kernel::Mode<f64>,
    /// The side of v = 0 that it is on, of friction that has a kink there; else 0.
    pub side: f64,
    /// Whether it rests because its motion is prescribed, and not because friction holds it.
    pub carried: bool,
    /// Whether its force is not unique: it holds together with others, and shares with them in proportion to what
    /// each can hold.
    pub shared: bool,
}

/// A state variable of a coupled system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// One of the mechanism's.
    Body(Quantity),
    /// One of the friction element in the contact of that number.
    Bristle(usize, Variable),
}

/// A force for each contact; for a few of them without allocation.
pub type Forces<S> = TinyVec<[S; 4]>;

/// A value for each state likewise.
pub(crate) type Values<S> = TinyVec<[S; 12]>;

/// So many zeros.
#[inline]
pub(crate) fn zeros<A: Array>(n: usize) -> TinyVec<A>
where
    A::Item: Clone,
{
    match n <= A::CAPACITY {
        true => TinyVec::Inline(ArrayVec::from_array_len(A::default(), n)),
        false => TinyVec::Heap(vec![A::Item::default(); n]),
    }
}

/// A mechanism with a friction element in each contact: its states first, then those of the contacts in turn.
#[derive(Clone, Debug)]
pub struct Coupled<M> {
    /// The mechanism.
    pub mechanism: M,
    elements: Vec<Element>,
    /// How many states the mechanism has.
    bodies: usize,
    states: usize,
    guards: usize,
    /// Contacts whose forces move each other: at rest they are decided together.
    groups: Vec<Vec<usize>>,
    /// The states that the rate of each state depends on.
    depends: Vec<Vec<usize>>,
}

/// What |v| is on the other side of v = 0 from where the mode has it.
#[derive(Clone, Copy, PartialEq)]
enum Beyond {
    /// |v|.
    Kink,
    /// What it is on this side, continued: a solver lands on v = 0 and no trial step sees the kink.
    Continued,
}

/// A friction element in its contact.
#[derive(Clone, Debug)]
struct Element {
    friction: Friction,
    /// Whether it is set-valued at v = 0, and its force decided with those of others.
    set_valued: bool,
    /// The places of its states.
    states: Range<usize>,
    /// The places of its guards.
    guards: Range<usize>,
}

impl<M: Mechanism> Coupled<M> {
    /// The mechanism with that friction in every contact.
    pub fn new(mechanism: M, friction: impl Into<Friction>) -> Self {
        let friction = friction.into();
        let contacts = mechanism.contacts().len();
        Coupled::each(mechanism, vec![friction; contacts])
    }

    /// The same with another friction in contact `i`.
    pub fn with(self, i: usize, friction: impl Into<Friction>) -> Self {
        let mut all: Vec<Friction> = self.elements.into_iter().map(|e| e.friction).collect();
        if let Some(own) = all.get_mut(i) {
            *own = friction.into();
        }
        Coupled::each(self.mechanism, all)
    }

    /// The same friction in the contacts of another mechanism.
    pub fn around(&self, mechanism: M) -> Self {
        Coupled::each(mechanism, self.elements.iter().map(|e| e.friction.clone()).collect())
    }

    /// The mechanism with a friction of its own in each contact, in their order.
    pub fn each(mechanism: M, friction: Vec<Friction>) -> Self {
        let bodies = mechanism.quantities().len();
        let (mut states, mut guards) = (bodies, mechanism.guards());
        let contacts = mechanism.contacts();
        let mut elements = Vec::with_capacity(contacts.len());
        for (contact, friction) in contacts.iter().zip(friction) {
            let model = friction.model();
            let at = Drive::new(0.0, 1.0);
            let set_valued = contact.role == Role::Friction && model.limits(&at).is_some();
            let own = model.guards() + if set_valued { STICK_GUARDS } else { 0 };
            let element = Element {
                set_valued,
                states: states..states + model.states(),
                guards: guards..guards + own,
                friction: friction.clone(),
            };
            (states, guards) = (element.states.end, element.guards.end);
            elements.push(element);
        }
        let mut coupled = Coupled {
            mechanism,
            elements,
            bodies,
            states,
            guards,
            groups: Vec::new(),
            depends: Vec::new(),
        };
        coupled.groups = coupled.find_groups();
        coupled.depends = (0..states).map(|k| coupled.find_dependences(k)).collect();
        coupled
    }

    /// Contacts whose forces enter what another one sees belong together.
    fn find_groups(&self) -> Vec<Vec<usize>> {
        let n = self.contacts();
        let mut group: Vec<usize> = (0..n).collect();
        for i in (0..n).filter(|i| self.elements[*i].set_valued) {
            let mut moved = vec![false; self.bodies];
            self.mechanism.moves(i, &mut |k| moved[k] = true);
            for j in (0..n).filter(|j| self.elements[*j].set_valued) {
                let mut meets = false;
                self.mechanism.sees(j, &mut |k| meets |= moved[k]);
                if meets {
                    let (a, b) = (group[i], group[j]);
                    group.iter_mut().filter(|g| **g == a).for_each(|g| *g = b);
                }
            }
        }
        let members = |g: usize| {
            (0..n).filter(|i| self.elements[*i].set_valued && group[*i] == g).collect::<Vec<_>>()
        };
        (0..n).map(members).filter(|members| !members.is_empty()).collect()
    }

    /// The states that the rate of state `k` depends on, in any mode.
    fn find_dependences(&self, k: usize) -> Vec<usize> {
        let mut depends = vec![false; self.states];
        if k >= self.bodies {
            for (i, element) in self.elements.iter().enumerate() {
                if element.states.contains(&k) {
                    self.mechanism.sees(i, &mut |k| depends[k] = true);
                    depends[element.states.clone()].fill(true);
                }
            }
        } else {
            self.body_dependences(k, &mut depends);
            // The force that holds a stuck contact depends on all that accelerates it or others of its group.
            for group in &self.groups {
                let moves = |i: usize| {
                    let mut moves = false;
                    self.mechanism.moves(i, &mut |m| moves |= m == k);
                    moves
                };
                if group.iter().any(|i| moves(*i)) {
                    for &i in group {
                        self.mechanism
                            .sees(i, &mut |seen| self.body_dependences(seen, &mut depends));
                    }
                }
            }
        }
        (0..self.states).filter(|k| depends[*k]).collect()
    }

    /// Marks what the rate of the mechanism's state `k` depends on while all contacts slide.
    fn body_dependences(&self, k: usize, depends: &mut [bool]) {
        self.mechanism.depends(k, &mut |j| depends[j] = true);
        for (i, element) in self.elements.iter().enumerate() {
            let mut moves = false;
            self.mechanism.moves(i, &mut |m| moves |= m == k);
            if moves {
                self.mechanism.sees(i, &mut |j| depends[j] = true);
                depends[element.states.clone()].fill(true);
            }
        }
    }

    /// How many contacts there are.
    #[inline]
    pub fn contacts(&self) -> usize {
        self.elements.len()
    }

    /// The friction in contact `i`.
    pub fn friction(&self, i: usize) -> &dyn Bristle<f64> {
        self.elements[i].friction.model()
    }

    /// The same in any scalar.
    pub fn friction_in<S: Scalar>(&self, i: usize) -> &dyn Bristle<S> {
        S::of(&self.elements[i].friction)
    }

    /// Whether the friction of contact `i` is set-valued at v = 0.
    pub fn set_valued(&self, i: usize) -> bool {
        self.elements[i].set_valued
    }

    /// What state `k` is.
    pub fn state(&self, k: usize) -> State {
        match self.elements.iter().enumerate().find(|(_, e)| e.states.contains(&k)) {
            Some((i, e)) => State::Bristle(i, e.friction.model().variable(k - e.states.start)),
            None => State::Body(self.mechanism.quantities()[k]),
        }
    }

    /// Where the states of contact `i` are.
    #[inline]
    pub fn place(&self, i: usize) -> Range<usize> {
        self.elements[i].states.clone()
    }

    /// The contact that a guard belongs to; the mechanism's own belong to none.
    pub fn guarded(&self, k: usize) -> Option<usize> {
        let after = self.elements.partition_point(|e| e.guards.end <= k);
        self.elements.get(after).filter(|e| e.guards.contains(&k)).map(|_| after)
    }

    /// The state at t = 0: bodies as the mechanism says, bristles undeflected.
    pub fn initial(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.states];
        self.mechanism.initial(&mut y[..self.bodies]);
        y
    }

    /// Absolute tolerances for a run: `rtol` times a small value of each state.
    pub fn tolerances(&self, rtol: f64) -> Vec<f64> {
        self.small_values().into_iter().map(|small| rtol * small).collect()
    }

    /// A small value of each state: what the mechanism says, and of bristles a tenth of what steady sliding takes.
    pub fn small_values(&self) -> Vec<f64> {
        /// Sliding, m/s, that shows what a bristle takes.
        const SLIDING: f64 = 0.1;
        /// The load of a contact that has none at first, N.
        const LEAST_LOAD: f64 = 1e-3;
        /// Where the model tells nothing: a small speed of a bristle, m/s, as of a body, and a small deflection, m.
        const SLOW: f64 = 1e-3;
        const SHORT: f64 = 1e-6;
        let y = self.initial();
        let mode = self.unset();
        let bodies = self.mechanism.quantities().iter().map(|q| q.small);
        let mut scale: Vec<f64> = bodies.chain(y[self.bodies..].iter().map(|_| 0.0)).collect();
        for (i, element) in self.elements.iter().enumerate() {
            let (at, z) = self.contact(&mode, i, 0.0, &y);
            let at = Drive { v: SLIDING, load: at.load.max(LEAST_LOAD), ..at };
            let model = element.friction.model();
            let (mut reach, mut steady) = (z.to_vec(), z.to_vec());
            model.bound(z, at.v, at.load, &mut reach);
            let force = model.steady(&at, &mut steady);
            for (k, place) in element.states.clone().enumerate() {
                // The bound may be far off where branches are slow: no more than steady sliding takes or, for the
                // force of a branch, which it leaves at zero, than it takes in all.
                let typical = if steady[k] > 0.0 {
                    steady[k]
                } else {
                    match model.variable(k).measure {
                        Measure::Force => force,
                        Measure::ForcePerLoad => force / at.load,
                        Measure::Deflection | Measure::Rate => f64::INFINITY,
                    }
                };
                let reach = reach[k].min(typical);
                let known = reach.is_finite() && reach > 0.0;
                scale[place] = match model.variable(k).measure {
                    _ if known => 0.1 * reach,
                    Measure::Rate => SLOW,
                    _ => SHORT,
                };
            }
        }
        scale
    }

    /// A mode of which nothing is known yet.
    fn unset(&self) -> Mode {
        let phases = self.mechanism.drives().len() + self.mechanism.modes();
        let element = kernel::Mode::default();
        let unset = ContactMode { element, side: 0.0, carried: false, shared: false };
        Mode { phase: vec![0; phases], contacts: vec![unset; self.contacts()] }
    }

    /// The mode at the start of a run.
    pub fn begin(&self, t: f64, y: &[f64]) -> Mode {
        let mut mode = self.unset();
        self.pass_switches(&mut mode, t);
        self.mechanism.begin(t, &mut mode.phase, &y[..self.bodies]);
        for i in 0..self.contacts() {
            let (at, z) = self.contact(&mode, i, t, y);
            mode.contacts[i].element = self.friction(i).begin(&at, z);
        }
        self.settle(&mut mode, t, y);
        mode
    }

    /// The mode at the start of a run whose contacts come from another: at another time, or in a state nearby.
    pub fn resume(&self, t: f64, y: &[f64], contacts: &[ContactMode]) -> Mode {
        let mut mode = Mode { contacts: contacts.to_vec(), ..self.unset() };
        self.pass_switches(&mut mode, t);
        self.mechanism.begin(t, &mut mode.phase, &y[..self.bodies]);
        for i in (0..self.contacts()).filter(|i| self.elements[*i].set_valued) {
            let (at, _) = self.contact(&mode, i, t, y);
            let element = &mut mode.contacts[i].element;
            *element = match at.v {
                0.0 => kernel::Mode { way: 0.0, ..*element },
                v if v * element.way > 0.0 => *element,
                v => self.friction(i).depart(&at, v.signum()),
            };
        }
        self.settle(&mut mode, t, y);
        mode
    }

    /// Passes all switches up to `t`.
    fn pass_switches(&self, mode: &mut Mode, t: f64) {
        for i in 0..self.mechanism.drives().len() {
            while self.mechanism.switch(i, mode.phase[i]) <= t {
                mode.phase[i] += 1;
            }
        }
    }

    /// What contact `i` sees, and its states.
    #[inline]
    pub fn contact<'y, S: Scalar>(
        &self,
        mode: &Mode,
        i: usize,
        t: S,
        y: &'y [S],
    ) -> (Drive<S>, &'y [S]) {
        let bodies = &y[..self.bodies];
        let drive = self.mechanism.drive(i, t, &mode.phase, bodies);
        let ContactMode { element, side, .. } = mode.contacts[i];
        let way = match if self.elements[i].set_valued { element.way } else { side } {
            0.0 => drive.v.sign(),
            way => S::from(way),
        };
        let towards = self.mechanism.load_towards(i, way, t, &mode.phase, bodies);
        let load = towards.unwrap_or(drive.load);
        (Drive { mode: element.map(S::from), load, ..drive }, &y[self.elements[i].states.clone()])
    }

    /// Between which forces set-valued friction holds contact `i`.
    fn limits<S: Scalar>(&self, mode: &Mode, i: usize, t: S, y: &[S]) -> [S; 2] {
        let at = self.contact(mode, i, t, y).0;
        let towards = |way: f64| {
            let (way, bodies) = (S::from(way), &y[..self.bodies]);
            let load = self.mechanism.load_towards(i, way, t, &mode.phase, bodies);
            let at = Drive { load: load.unwrap_or(at.load), ..at };
            S::of(&self.elements[i].friction).limits(&at).unwrap_or([S::from(0.0); 2])
        };
        [towards(-1.0)[0], towards(1.0)[1]]
    }

    /// The friction force of each contact, N.
    pub fn forces<S: Scalar>(&self, mode: &Mode, t: S, y: &[S]) -> Forces<S> {
        let (mut force, mut dy): (Forces<S>, Values<S>) =
            (zeros(self.contacts()), zeros(self.states));
        self.write_forces(mode, Beyond::Kink, t, y, &mut dy, &mut force);
        force
    }

    /// Writes the friction force of each contact and the rates of their states.
    #[inline]
    fn write_forces<S: Scalar>(
        &self,
        mode: &Mode,
        beyond: Beyond,
        t: S,
        y: &[S],
        dy: &mut [S],
        force: &mut [S],
    ) {
        let mut stuck = false;
        for (i, (element, force)) in self.elements.iter().zip(force.iter_mut()).enumerate() {
            let (mut at, z) = self.contact(mode, i, t, y);
            if beyond == Beyond::Continued {
                at.side = S::from(mode.contacts[i].side);
            }
            *force = S::of(&element.friction).eval(&at, z, &mut dy[element.states.clone()]);
            stuck |= self.sticks(mode, i);
        }
        if stuck {
            self.hold(mode, t, y, force);
        }
    }

    /// Whether friction holds contact `i`.
    #[inline]
    pub(crate) fn sticks(&self, mode: &Mode, i: usize) -> bool {
        self.elements[i].set_valued && mode.contacts[i].element.way == 0.0
    }

    /// Writes the forces that keep the stuck contacts at rest: those for which their relative accelerations, which
    /// are linear in them, vanish.
    fn hold<S: Scalar>(&self, mode: &Mode, t: S, y: &[S], force: &mut [S]) {
        let stuck = self.each_group(|i| self.sticks(mode, i));
        for i in stuck.iter().flatten() {
            force[*i] = S::from(0.0);
        }
        let free = self.accelerations(mode, t, y, force);
        let response = self.response(mode, t, y, &stuck);
        for (group, mut response) in stuck.iter().zip(response) {
            let mut held: Vec<S> = group.iter().map(|i| free[*i]).collect();
            let limits = |k: usize| self.limits(mode, group[k], t, y);
            hold(&mut response, &mut held, limits, group.len());
            group.iter().zip(held).for_each(|(i, held)| force[*i] = held);
        }
    }

    /// The members of each group of which `is` is true; groups without any are left out.
    fn each_group(&self, is: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
        let members = |group: &Vec<usize>| group.iter().copied().filter(|i| is(*i)).collect();
        self.groups.iter().map(members).filter(|g: &Vec<usize>| !g.is_empty()).collect()
    }

    /// By how much a unit of force at contact j slows contact i, for the contacts of each of these groups: W by
    /// rows. One contact of every group is probed at a time.
    fn response<S: Scalar>(
        &self,
        mode: &Mode,
        t: S,
        y: &[S],
        groups: &[Vec<usize>],
    ) -> Vec<Vec<S>> {
        let mut response: Vec<Vec<S>> =
            groups.iter().map(|g| vec![S::from(0.0); g.len() * g.len()]).collect();
        let most = groups.iter().map(Vec::len).max().unwrap_or(0);
        for k in 0..most {
            let mut unit: Forces<S> = zeros(self.contacts());
            for &j in groups.iter().filter_map(|g| g.get(k)) {
                unit[j] = S::from(1.0);
            }
            let pushed = self.pushed(mode, t, y, &unit);
            let along: Vec<Dual<S, 1>> =
                y.iter().zip(pushed).map(|(y, by)| Dual { re: *y, eps: [by] }).collect();
            for (group, response) in groups.iter().zip(&mut response).filter(|(g, _)| k < g.len()) {
                for (row, &i) in group.iter().enumerate() {
                    let drive = self.mechanism.drive(i, Dual::constant(t), &mode.phase, &along);
                    response[row * group.len() + k] = -drive.v.eps[0];
                }
            }
        }
        response
    }

    /// By how much these forces alone change the rates of the mechanism's states, which are linear in them.
    pub(crate) fn pushed<S: Scalar>(&self, mode: &Mode, t: S, y: &[S], force: &[S]) -> Vec<S> {
        let zero = S::from(0.0);
        let along: Vec<Dual<S, 1>> = force.iter().map(|f| Dual { re: zero, eps: [*f] }).collect();
        let held: Vec<Dual<S, 1>> = y[..self.bodies].iter().map(|y| Dual::constant(*y)).collect();
        let mut rates = held.clone();
        self.mechanism.rates(Dual::constant(t), &mode.phase, &held, &along, &mut rates);
        rates.into_iter().map(|rate| rate.eps[0]).collect()
    }

    /// The relative acceleration of each contact under these forces.
    fn accelerations<S: Scalar>(&self, mode: &Mode, t: S, y: &[S], force: &[S]) -> Vec<S> {
        let y = &y[..self.bodies];
        let mut rates = vec![S::from(0.0); self.bodies];
        self.mechanism.rates(t, &mode.phase, y, force, &mut rates);
        let along: Vec<Dual<S, 1>> =
            y.iter().zip(rates).map(|(y, rate)| Dual { re: *y, eps: [rate] }).collect();
        let clock = Dual { re: t, eps: [S::from(1.0)] };
        let drive = |i| self.mechanism.drive(i, clock, &mode.phase, &along);
        (0..self.contacts()).map(|i| drive(i).v.eps[0]).collect()
    }

    /// Completes a mode whose elements are known: who sticks, and on which side of v = 0 the others are.
    fn settle(&self, mode: &mut Mode, t: f64, y: &[f64]) {
        self.decide(mode, t, y);
        for (element, contact) in self.elements.iter().zip(&mut mode.contacts) {
            contact.side = element.friction.model().side(&contact.element);
        }
    }

    /// Decides which of the set-valued contacts at rest stick: those whose way is 0.
    fn decide(&self, mode: &mut Mode, t: f64, y: &[f64]) {
        let groups = self.each_group(|i| self.sticks(mode, i));
        if groups.is_empty() {
            return;
        }
        let mut dy = vec![0.0; self.states];
        let mut force: Forces<f64> = zeros(self.contacts());
        for (i, element) in self.elements.iter().enumerate() {
            let (at, z) = self.contact(mode, i, t, y);
            force[i] = element.friction.model().eval(&at, z, &mut dy[element.states.clone()]);
        }
        let free = self.accelerations(mode, t, y, &force);
        let response = self.response(mode, t, y, &groups);
        for (group, response) in groups.iter().zip(response) {
            let limits = group.iter().map(|&i| self.limits(mode, i, t, y));
            let n = group.len();
            let problem = Problem {
                free: group.iter().map(|i| free[*i]).collect(),
                limits: limits.collect(),
                response,
            };
            let verdict = problem.solve();
            for (k, &i) in group.iter().enumerate() {
                let (at, _) = self.contact(mode, i, t, y);
                let contact = &mut mode.contacts[i];
                contact.carried = problem.response[k * n + k] == 0.0;
                contact.shared = problem.is_shared(k);
                contact.element = match verdict[k] {
                    Verdict::Stick => kernel::Mode { way: 0.0, ..contact.element },
                    Verdict::Forward => self.friction(i).depart(&at, 1.0),
                    Verdict::Backward => self.friction(i).depart(&at, -1.0),
                };
            }
        }
    }

    /// Takes the rest of the relative velocity, which time and state resolve no better, from contacts that stick:
    /// by the impulses W⁻¹v.
    fn stop(&self, mode: &Mode, t: f64, y: &mut [f64]) {
        let groups = self.each_group(|i| self.sticks(mode, i) && !mode.contacts[i].carried);
        let velocity = |i: usize, y: &[f64]| self.contact(mode, i, t, y).0.v;
        if groups.iter().flatten().all(|i| velocity(*i, y) == 0.0) {
            return;
        }
        let mut impulse: Forces<f64> = zeros(self.contacts());
        let response = self.response(mode, t, y, &groups);
        for (group, mut response) in groups.iter().zip(response) {
            let mut along: Vec<f64> = group.iter().map(|i| velocity(*i, y)).collect();
            hold(&mut response, &mut along, |_| [-1.0, 1.0], group.len());
            group.iter().zip(along).for_each(|(i, along)| impulse[*i] = along);
        }
        let pushed = self.pushed(mode, t, y, &impulse);
        y.iter_mut().zip(pushed).for_each(|(y, by)| *y += by);
    }

    /// Writes the rates of all states and gives the forces.
    #[inline]
    pub fn flow<S: Scalar>(&self, mode: &Mode, t: S, y: &[S], dy: &mut [S]) -> Forces<S> {
        self.flow_beyond(mode, Beyond::Kink, t, y, dy)
    }

    #[inline]
    fn flow_beyond<S: Scalar>(
        &self,
        mode: &Mode,
        beyond: Beyond,
        t: S,
        y: &[S],
        dy: &mut [S],
    ) -> Forces<S> {
        let mut force = zeros(self.contacts());
        self.write_forces(mode, beyond, t, y, dy, &mut force);
        let n = self.bodies;
        self.mechanism.rates(t, &mode.phase, &y[..n], &force, &mut dy[..n]);
        force
    }

    /// Writes all guards, in any scalar: their derivatives tell how a change of the state moves an event. Of the
    /// mechanism's own there are none.
    pub fn contact_guards<S: Scalar>(&self, mode: &Mode, t: S, y: &[S], guards: &mut [S]) {
        let stuck = (0..self.contacts()).any(|i| self.sticks(mode, i));
        let force = stuck.then(|| self.forces(mode, t, y));
        for i in 0..self.contacts() {
            self.guards_of(mode, i, t, y, force.as_ref().map(|force| force[i]), guards);
        }
    }

    /// Writes the guards of contact `i`, given the force that holds it if it sticks.
    fn guards_of<S: Scalar>(
        &self,
        mode: &Mode,
        i: usize,
        t: S,
        y: &[S],
        force: Option<S>,
        guards: &mut [S],
    ) {
        let element = &self.elements[i];
        let guards = &mut guards[element.guards.clone()];
        if guards.is_empty() {
            return;
        }
        let (at, z) = self.contact(mode, i, t, y);
        let model = S::of(&element.friction);
        let own = guards.len() - if element.set_valued { STICK_GUARDS } else { 0 };
        model.watch(&at, z, &mut guards[..own]);
        if !element.set_valued {
            return;
        }
        let contact = &mode.contacts[i];
        let stick = match (force, contact.element.way == 0.0) {
            (_, false) => [at.v * contact.element.way, S::from(1.0)],
            // Friction does not hold it: it leaves as its motion does.
            (_, true) if contact.carried => [-at.v, at.v],
            (Some(force), true) => {
                let [low, high] = self.limits(mode, i, t, y);
                [high - force, force - low]
            }
            (None, true) => [S::from(1.0); 2],
        };
        guards[own..].copy_from_slice(&stick);
    }

    /// After events: what the models and the mechanism say, then who sticks.
    fn follow(&self, mode: &mut Mode, t: f64, y: &mut [f64], fired: &[bool]) {
        for k in (0..self.mechanism.guards()).filter(|k| fired[*k]) {
            self.mechanism.next(k, t, &mut mode.phase, &mut y[..self.bodies]);
        }
        for (i, element) in self.elements.iter().enumerate() {
            let fired = &fired[element.guards.clone()];
            let own = fired.len() - if element.set_valued { STICK_GUARDS } else { 0 };
            let watched = |mode: &Mode, y: &[f64]| {
                let mut guards = [0.0; MAX_GUARDS];
                let (at, z) = self.contact(mode, i, t, y);
                self.friction(i).watch(&at, z, &mut guards[..own]);
                guards
            };
            let ended = fired.iter().take(own).filter(|fired| **fired).count();
            let before = if ended > 1 { watched(mode, y) } else { [0.0; MAX_GUARDS] };
            for (n, k) in (0..own).filter(|k| fired[*k]).enumerate() {
                // Of several that end at once, the first may begin a mode in which the others stand elsewhere: an element that
                // would yield just as the motion turns does not.
                if n > 0 && watched(mode, y)[k] != before[k] {
                    continue;
                }
                let (at, z) = self.contact(mode, i, t, y);
                mode.contacts[i].element = self.friction(i).next(k, &at, z);
            }
            if !element.set_valued {
                continue;
            }
            let (at, _) = self.contact(mode, i, t, y);
            let contact = &mut mode.contacts[i];
            contact.element = match (contact.element.way == 0.0, fired[own], fired[own + 1]) {
                // It leaves on the side of the limit that it reached.
                (true, true, _) => self.friction(i).depart(&at, 1.0),
                (true, _, true) => self.friction(i).depart(&at, -1.0),
                (false, true, _) => kernel::Mode { way: 0.0, ..contact.element },
                _ => contact.element,
            };
        }
    }

    /// After a switch: contacts whose velocity jumps with it slide on as they then do, or rest.
    fn switch(&self, mode: &mut Mode, t: f64, y: &mut [f64]) {
        let velocity = |mode: &Mode, i: usize, y: &[f64]| self.contact(mode, i, t, y).0.v;
        let before: Vec<f64> = (0..self.contacts()).map(|i| velocity(mode, i, y)).collect();
        self.jump(mode, t, y);
        for i in (0..self.contacts()).filter(|i| self.elements[*i].set_valued) {
            /// A part of the jump that is no velocity.
            const ROUNDING: f64 = 1e-14;
            let (at, _) = self.contact(mode, i, t, y);
            let jump = (at.v - before[i]).abs();
            let contact = &mut mode.contacts[i];
            if jump == 0.0 {
                continue;
            }
            contact.element = if at.v.abs() <= ROUNDING * (at.v.abs() + before[i].abs() + jump) {
                kernel::Mode { way: 0.0, ..contact.element }
            } else if at.v * contact.element.way <= 0.0 {
                self.friction(i).depart(&at, at.v.signum())
            } else {
                contact.element
            };
        }
    }
}

impl<M: Mechanism> Coupled<M> {
    /// Passes all that is due: switches of drives, then clocks of the mechanism. Its own modes whose guards jump below
    /// zero with that end.
    pub(crate) fn jump(&self, mode: &mut Mode, t: f64, y: &mut [f64]) {
        let mut before = vec![0.0; self.mechanism.guards()];
        self.mechanism.watch(t, &mode.phase, &y[..self.bodies], &mut before);
        self.pass_switches(mode, t);
        let bodies = &mut y[..self.bodies];
        while self.mechanism.due(&mode.phase) <= t {
            self.mechanism.tick(t, &mut mode.phase, bodies);
        }
        self.end_modes(mode, t, y, |k, guard| guard < before[k]);
    }

    /// Ends the mechanism's own modes whose guards are below zero: with fixed steps nothing lands on them.
    pub(crate) fn catch_up(&self, mode: &mut Mode, t: f64, y: &mut [f64]) {
        self.end_modes(mode, t, y, |_, _| true);
    }

    /// Ends those of the mechanism's own modes whose guards are below zero and `which` of them.
    fn end_modes(
        &self,
        mode: &mut Mode,
        t: f64,
        y: &mut [f64],
        which: impl Fn(usize, f64) -> bool,
    ) {
        let mut guards = vec![0.0; self.mechanism.guards()];
        // One end may bring about another, but no more than each one once.
        for _ in 0..guards.len() {
            self.mechanism.watch(t, &mode.phase, &y[..self.bodies], &mut guards);
            let ends = |k: &usize| guards[*k] < 0.0 && which(*k, guards[*k]);
            let Some(k) = (0..guards.len()).find(ends) else { break };
            self.mechanism.next(k, t, &mut mode.phase, &mut y[..self.bodies]);
        }
    }
}

impl<M: Mechanism> System for Coupled<M> {
    type Mode = Mode;

    fn states(&self) -> usize {
        self.states
    }

    #[inline]
    fn rates(&self, mode: &Mode, t: f64, y: &[f64], dy: &mut [f64]) {
        self.flow_beyond(mode, Beyond::Continued, t, y, dy);
    }

    fn slopes(&self, mode: &Mode, t: f64, y: &[Slope], dy: &mut [Slope]) {
        self.flow_beyond(mode, Beyond::Continued, Slope::from(t), y, dy);
    }

    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        self.depends[k].iter().copied().for_each(on);
    }

    fn smooth_for(&self) -> f64 {
        self.mechanism.smooth_for()
    }

    fn guards(&self) -> usize {
        self.guards
    }

    fn watch(&self, mode: &Mode, t: f64, y: &[f64], guards: &mut [f64]) {
        let own = self.mechanism.guards();
        self.mechanism.watch(t, &mode.phase, &y[..self.bodies], &mut guards[..own]);
        self.contact_guards(mode, t, y, guards);
    }

    fn guard(&self, k: usize, mode: &Mode, t: f64, y: &[f64], guards: &mut [f64]) -> f64 {
        match self.guarded(k) {
            Some(i) if !self.sticks(mode, i) => self.guards_of(mode, i, t, y, None, guards),
            _ => self.watch(mode, t, y, guards),
        }
        guards[k]
    }

    fn due(&self, mode: &Mode) -> f64 {
        let drives = 0..self.mechanism.drives().len();
        let switch = |i: usize| self.mechanism.switch(i, mode.phase[i]);
        drives.map(switch).fold(self.mechanism.due(&mode.phase), f64::min)
    }

    fn next(&self, mode: &mut Mode, t: f64, y: &mut [f64], cause: Cause<'_>) {
        // What has held until now had no velocity: rounding has no say in where it goes.
        self.stop(mode, t, y);
        match cause {
            Cause::Clock => self.switch(mode, t, y),
            Cause::Guards(fired) => self.follow(mode, t, y, fired),
        }
        self.settle(mode, t, y);
        self.stop(mode, t, y);
    }
}
