use crate::{Mechanism, Quantity};
use bristle_kernel::{AnyBristle, Bristle, Cast, Drive, GUARDS, MEMORY, Memory, Real, Variable};
use bristle_num::Dual;
use bristle_ode::{Options, System};
use core::borrow::Borrow;
use core::cell::Cell;

/// At most so many contacts.
pub const MAX_CONTACTS: usize = 2;
/// At most so many mechanical states.
const MAX_BODIES: usize = 16;
/// At most so many states. What does not depend on their number is compiled once, on slices, and not
/// for every N.
pub const MAX_STATES: usize = 40;
/// Event functions of one contact: the guards of its model, and two for set-valued friction.
pub(crate) const EVENTS: usize = GUARDS + 2;

/// How a contact with set-valued friction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// v > 0: the force is on its upper branch.
    Forward,
    /// v < 0: on its lower branch.
    Backward,
    /// v = 0: the force is whatever holds the body.
    Stuck,
}

/// A state variable of a coupled system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// One of the mechanism's.
    Body(Quantity),
    /// One of the friction element in the contact of that number.
    Bristle(usize, Variable),
}

/// A mechanism with a friction model in each contact: its states first, then those of the contacts
/// in turn.
///
/// What is discrete, the phase of the drive, what the models committed to and which set-valued
/// contacts are stuck, is held here and changed only between steps.
#[derive(Clone, Debug)]
pub struct Coupled<M> {
    /// The mechanism.
    pub mechanism: M,
    friction: [AnyBristle<f64>; MAX_CONTACTS],
    /// Whether the friction of a contact is set-valued at v = 0.
    set_valued: [bool; MAX_CONTACTS],
    /// Where the states of each contact begin and, last, how many states there are.
    places: [usize; MAX_CONTACTS + 1],
    pub(crate) phase: Cell<usize>,
    pub(crate) memory: [Cell<Memory<f64>>; MAX_CONTACTS],
    pub(crate) motion: [Cell<Motion>; MAX_CONTACTS],
}

impl<M: Mechanism> Coupled<M> {
    /// The mechanism with that model in every contact.
    pub fn new(mechanism: M, friction: AnyBristle<f64>) -> Self {
        let coupled = Coupled {
            mechanism,
            friction: core::array::from_fn(|_| friction.clone()),
            set_valued: [false; MAX_CONTACTS],
            places: [0; MAX_CONTACTS + 1],
            phase: Cell::new(0),
            memory: [const { Cell::new([0.0; MEMORY]) }; MAX_CONTACTS],
            motion: [const { Cell::new(Motion::Forward) }; MAX_CONTACTS],
        };
        coupled.placed()
    }

    /// The same with another model in contact `i`: an observer that does not know the true one.
    pub fn with(mut self, i: usize, friction: AnyBristle<f64>) -> Self {
        self.friction[i] = friction;
        self.placed()
    }

    fn placed(mut self) -> Self {
        debug_assert!(self.contacts() <= MAX_CONTACTS && self.bodies() <= MAX_BODIES);
        self.places[0] = self.bodies();
        for i in 0..MAX_CONTACTS {
            let states = if i < self.contacts() { self.friction[i].states() } else { 0 };
            self.places[i + 1] = self.places[i] + states;
            self.set_valued[i] = self.friction[i].limits(&Drive::new(0.0, 1.0)).is_some();
        }
        self
    }

    /// How many contacts there are.
    #[inline]
    pub fn contacts(&self) -> usize {
        self.mechanism.contacts().len()
    }

    /// The model in contact `i`.
    pub fn friction(&self, i: usize) -> &AnyBristle<f64> {
        &self.friction[i]
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.places[MAX_CONTACTS]
    }

    #[inline]
    fn bodies(&self) -> usize {
        self.mechanism.quantities().len()
    }

    /// What state `k` is.
    pub fn state(&self, k: usize) -> State {
        if k < self.bodies() {
            return State::Body(self.mechanism.quantities()[k]);
        }
        let i = (0..self.contacts()).find(|i| k < self.places[i + 1]).unwrap_or_default();
        State::Bristle(i, self.friction[i].variable(k - self.places[i]))
    }

    /// Where the states of contact `i` are.
    #[inline]
    pub fn place(&self, i: usize) -> core::ops::Range<usize> {
        self.places[i]..self.places[i + 1]
    }

    /// The number of switches passed.
    pub fn phase(&self) -> usize {
        self.phase.get()
    }

    /// The state at t = 0: bodies as the mechanism says, bristles undeflected.
    pub fn initial(&self, y: &mut [f64]) {
        y.fill(0.0);
        self.mechanism.initial(&mut y[..self.bodies()]);
    }

    /// Tolerances for a run: `rtol` relative to each state and, for the absolute part, to a small
    /// value of its kind: by unit for bodies, by what the model says it can reach for bristles.
    pub fn options<const N: usize>(&self, rtol: f64) -> Options<N> {
        let mut scale = [0.0; N];
        self.small_values(&mut scale);
        Options::new(rtol, scale.map(|s| rtol * s))
    }

    /// Writes a small value of each state: what absolute errors are held against.
    pub fn small_values(&self, scale: &mut [f64]) {
        let mut y = [0.0; MAX_STATES];
        let y = &mut y[..scale.len()];
        self.initial(y);
        for (k, small) in scale.iter_mut().enumerate() {
            *small = match self.state(k) {
                State::Body(quantity) => of_unit(quantity.unit),
                State::Bristle(_, variable) => 1e-3 * of_unit(variable.unit),
            };
        }
        for i in 0..self.contacts() {
            let (at, _) = self.contact(i, 0.0, y);
            let mut reach = [f64::INFINITY; MAX_STATES];
            let place = self.place(i);
            let none = [0.0; MAX_STATES];
            let n = place.len();
            let (v, load) = (0.1, at.load.max(1e-3));
            self.friction[i].bound(&none[..n], v, load, &mut reach[..n]);
            let mut steady = [0.0; MAX_STATES];
            let force = self.friction[i].steady(&Drive { v, load, ..at }, &mut steady[..n]);
            for k in 0..n {
                // The bound may be far off where branches are slow: no more than steady sliding
                // takes or, for the force of a branch, which it leaves at zero, than it takes in all.
                let typical = match self.friction[i].variable(k).unit {
                    _ if steady[k] > 0.0 => steady[k],
                    "N" => force,
                    "1" => force / load,
                    _ => f64::INFINITY,
                };
                let reach = reach[k].min(typical);
                if reach.is_finite() && reach > 0.0 {
                    scale[place.start + k] = 0.1 * reach;
                }
            }
        }
    }

    /// What contact `i` sees, and its states.
    #[inline]
    pub fn contact<'y, S: Real>(&self, i: usize, t: S, y: &'y [S]) -> (Drive<S>, &'y [S]) {
        let drive = self.mechanism.drive(i, t, self.phase.get(), &y[..self.bodies()]);
        (Drive { memory: self.memory[i].get().map(S::from), ..drive }, &y[self.place(i)])
    }

    /// The friction force of each contact, N; writes the rates of their states into `dy`.
    pub fn forces<S: Real>(&self, t: S, y: &[S], dy: &mut [S]) -> [S; MAX_CONTACTS] {
        self.forces_by(|i| self.friction[i].cast(&mut |x| S::from(x)), t, y, dy)
    }

    /// The same, with the model of each contact in the scalar of the states.
    #[inline]
    fn forces_by<S: Real, B: Borrow<AnyBristle<S>>>(
        &self,
        friction: impl Fn(usize) -> B,
        t: S,
        y: &[S],
        dy: &mut [S],
    ) -> [S; MAX_CONTACTS] {
        let mut force = [S::from(0.0); MAX_CONTACTS];
        let mut stuck = false;
        for i in 0..self.contacts() {
            let friction = friction(i);
            let friction = friction.borrow();
            let (at, z) = self.contact(i, t, y);
            force[i] = friction.eval(&at, z, &mut dy[self.place(i)]);
            if self.set_valued[i]
                && let Some([low, high]) = friction.limits(&at)
            {
                // Over the step the force stays on its branch, also where a trial crosses v = 0.
                force[i] = match self.motion[i].get() {
                    Motion::Forward => S::select(at.v.gt(S::from(0.0)), force[i], high),
                    Motion::Backward => S::select(at.v.lt(S::from(0.0)), force[i], low),
                    Motion::Stuck => S::from(0.0),
                };
                stuck |= self.motion[i].get() == Motion::Stuck;
            }
        }
        if stuck {
            self.hold(t, y, &mut force);
        }
        force
    }

    /// Writes the forces that keep the stuck contacts at rest: those for which their relative
    /// accelerations, which are linear in them, vanish.
    fn hold<S: Real>(&self, t: S, y: &[S], force: &mut [S; MAX_CONTACTS]) {
        let stuck = |i: usize| i < self.contacts() && self.motion[i].get() == Motion::Stuck;
        let free = self.accelerations(t, y, force);
        // Elimination without pivoting: masses make the matrix definite.
        let mut matrix = [[S::from(0.0); MAX_CONTACTS]; MAX_CONTACTS];
        let mut rhs = free.map(|a| -a);
        for j in (0..MAX_CONTACTS).filter(|j| stuck(*j)) {
            let mut probe = *force;
            probe[j] = S::from(1.0);
            let moved = self.accelerations(t, y, &probe);
            for i in (0..MAX_CONTACTS).filter(|i| stuck(*i)) {
                matrix[i][j] = moved[i] - free[i];
            }
            // Where motion is prescribed no force is needed to keep a contact at rest.
            let still = matrix[j][j].abs().le(S::from(0.0));
            matrix[j][j] = S::select(still, S::from(1.0), matrix[j][j]);
        }
        for p in (0..MAX_CONTACTS).filter(|p| stuck(*p)) {
            for i in (p + 1..MAX_CONTACTS).filter(|i| stuck(*i)) {
                let ratio = matrix[i][p] / matrix[p][p];
                for j in p..MAX_CONTACTS {
                    matrix[i][j] = matrix[i][j] - ratio * matrix[p][j];
                }
                rhs[i] = rhs[i] - ratio * rhs[p];
            }
        }
        for i in (0..MAX_CONTACTS).rev().filter(|i| stuck(*i)) {
            let later = (i + 1..MAX_CONTACTS).filter(|j| stuck(*j));
            let known = later.fold(S::from(0.0), |sum, j| sum + matrix[i][j] * force[j]);
            force[i] = (rhs[i] - known) / matrix[i][i];
        }
    }

    /// The relative acceleration of each contact under these forces.
    fn accelerations<S: Real>(&self, t: S, y: &[S], force: &[S]) -> [S; MAX_CONTACTS] {
        let (n, phase) = (self.bodies(), self.phase.get());
        let zero = S::from(0.0);
        let mut rates = [zero; MAX_BODIES];
        self.mechanism.rates(t, phase, &y[..n], force, &mut rates[..n]);
        let along: [Dual<S, 1>; MAX_BODIES] = core::array::from_fn(|k| {
            let re = if k < n { y[k] } else { zero };
            Dual { re, eps: [rates[k]] }
        });
        let clock = Dual { re: t, eps: [S::from(1.0)] };
        core::array::from_fn(|i| {
            if i < self.contacts() {
                self.mechanism.drive(i, clock, phase, &along[..n]).v.eps[0]
            } else {
                zero
            }
        })
    }

    /// Decides at v = 0 which of the `resting` contacts stick: Filippov's rule. All do, then the one
    /// whose holding force is farthest outside its limits is let go to that side, and so on.
    pub(crate) fn settle(&self, t: f64, y: &[f64], mut resting: [bool; MAX_CONTACTS]) {
        for (i, rests) in resting.iter_mut().enumerate().filter(|(_, rests)| **rests) {
            let carried = self.carried(i, t, y);
            self.motion[i].set(carried.unwrap_or(Motion::Stuck));
            *rests = carried.is_none();
        }
        while let Some((i, motion)) = self.worst(t, y, &resting) {
            self.motion[i].set(motion);
            resting[i] = false;
        }
    }

    /// Where contact `i`, which is at rest, goes if friction has no say in that: its motion is prescribed.
    fn carried(&self, i: usize, t: f64, y: &[f64]) -> Option<Motion> {
        let mut force = [0.0; MAX_CONTACTS];
        let free = self.accelerations(t, y, &force)[i];
        force[i] = 1.0;
        let soon = self.contact(i, t + 1e-6 * (1.0 + t.abs()), y).0.v;
        match self.accelerations(t, y, &force)[i] == free {
            true if soon > 0.0 => Some(Motion::Forward),
            true if soon < 0.0 => Some(Motion::Backward),
            _ => None,
        }
    }

    /// The relative velocity of each contact.
    pub(crate) fn velocities(&self, t: f64, y: &[f64]) -> [f64; MAX_CONTACTS] {
        core::array::from_fn(|i| if i < self.contacts() { self.contact(i, t, y).0.v } else { 0.0 })
    }

    /// After a switch, before which the contacts had these velocities: those that jump with it move on,
    /// those that rest may be let go.
    pub(crate) fn switched(&self, t: f64, y: &[f64], before: [f64; MAX_CONTACTS]) {
        let now = self.velocities(t, y);
        let resting = core::array::from_fn(|i| {
            /// Velocities are known so well, m/s.
            const RESOLVED: f64 = 1e-12;
            let rests = now[i].abs() <= RESOLVED;
            if !rests && (now[i] - before[i]).abs() > RESOLVED {
                self.motion[i].set(if now[i] < 0.0 { Motion::Backward } else { Motion::Forward });
            }
            let stuck = rests || self.motion[i].get() == Motion::Stuck;
            i < self.contacts() && self.set_valued[i] && stuck
        });
        self.settle(t, y, resting);
    }

    /// The contact whose holding force is farthest outside its limits, and where it goes. One that is
    /// at a limit goes if its force is about to pass it.
    fn worst(&self, t: f64, y: &[f64], resting: &[bool]) -> Option<(usize, Motion)> {
        let mut dy = [0.0; MAX_STATES];
        let force = self.forces(t, y, &mut dy[..y.len()]);
        let soon = self.forces(t + 1e-9 * (1.0 + t.abs()), y, &mut dy[..y.len()]);
        let mut worst = None;
        let mut most = 0.0;
        for i in (0..self.contacts()).filter(|i| resting[*i]) {
            let (at, _) = self.contact(i, t, y);
            let Some([low, high]) = self.friction[i].limits(&at) else { continue };
            for (excess, next, motion) in [
                (force[i] - high, soon[i] - high, Motion::Forward),
                (low - force[i], low - soon[i], Motion::Backward),
            ] {
                let excess = if excess == 0.0 { next } else { excess };
                if excess > most {
                    (worst, most) = (Some((i, motion)), excess);
                }
            }
        }
        worst
    }

    /// Whether the friction of contact `i` is set-valued at v = 0.
    pub(crate) fn set_valued(&self, i: usize) -> bool {
        self.set_valued[i]
    }

    /// What each contact committed to.
    pub fn memory(&self) -> [Memory<f64>; MAX_CONTACTS] {
        core::array::from_fn(|i| self.memory[i].get())
    }

    /// Everything discrete as it is at the beginning of a run, with that memory of what was before.
    pub(crate) fn reset(&self, t: f64, y: &[f64], memory: [Memory<f64>; MAX_CONTACTS]) {
        self.phase.set(0);
        self.memory.iter().zip(memory).for_each(|(own, m)| own.set(m));
        self.commit(t, y);
        let mut resting = [false; MAX_CONTACTS];
        for i in (0..self.contacts()).filter(|i| self.set_valued(*i)) {
            let v = self.contact(i, t, y).0.v;
            self.motion[i].set(if v < 0.0 { Motion::Backward } else { Motion::Forward });
            resting[i] = v == 0.0;
        }
        self.settle(t, y, resting);
    }

    /// Lets every contact commit at this state; tells whether one of them changed.
    pub(crate) fn commit(&self, t: f64, y: &[f64]) -> bool {
        let mut changed = false;
        for i in 0..self.contacts() {
            let (at, z) = self.contact(i, t, y);
            let memory = self.friction[i].commit(&at, z);
            changed |= memory != at.memory;
            self.memory[i].set(memory);
        }
        changed
    }

    /// Writes the rates of all states and gives the forces.
    pub fn flow<S: Real>(&self, t: S, y: &[S], dy: &mut [S]) -> [S; MAX_CONTACTS] {
        let force = self.forces(t, y, dy);
        self.move_bodies(t, y, &force, dy);
        force
    }

    /// The rates in plain numbers, without casting the models from numbers to numbers.
    fn plain_flow(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        let force = self.forces_by(|i| &self.friction[i], t, y, dy);
        self.move_bodies(t, y, &force, dy);
    }

    /// Writes the rates of the mechanism's states under these forces.
    #[inline]
    fn move_bodies<S: Real>(&self, t: S, y: &[S], force: &[S], dy: &mut [S]) {
        let n = self.bodies();
        self.mechanism.rates(t, self.phase.get(), &y[..n], force, &mut dy[..n]);
    }

    /// The event functions of contact `i`, whose model is given in the scalar of the states. For
    /// set-valued friction: v while it slides, the distances from both limits while it sticks.
    fn contact_events<S: Real>(
        &self,
        friction: &AnyBristle<S>,
        i: usize,
        t: S,
        y: &[S],
    ) -> [S; EVENTS] {
        let (at, z) = self.contact(i, t, y);
        let mut events = [S::from(1.0); EVENTS];
        let limits = if self.set_valued[i] { friction.limits(&at) } else { None };
        if let (Some([low, high]), Motion::Stuck) = (limits, self.motion[i].get()) {
            let force = self.forces(t, y, &mut [S::from(0.0); MAX_STATES][..y.len()])[i];
            events[GUARDS..].copy_from_slice(&[high - force, force - low]);
        } else {
            events[..GUARDS].copy_from_slice(&friction.guards(&at, z));
            if limits.is_some() {
                events[GUARDS] = at.v;
            }
        }
        events
    }

    /// Event function `k` in any scalar: its derivatives tell how a change of the state moves the event.
    pub fn event_in<S: Real>(&self, k: usize, t: S, y: &[S]) -> S {
        let i = k / EVENTS;
        let friction = self.friction[i].cast(&mut |x| S::from(x));
        self.contact_events(&friction, i, t, y)[k % EVENTS]
    }

    /// Columns `from..from + W` of the Jacobian.
    fn columns<const W: usize, const N: usize>(
        &self,
        t: f64,
        y: &[f64; N],
        from: usize,
        jacobian: &mut [[f64; N]; N],
    ) {
        let mut seeded = [Dual::<f64, W>::from(0.0); N];
        let mut rates = seeded;
        for (k, seeded) in seeded.iter_mut().enumerate() {
            seeded.re = y[k];
            if (from..from + W).contains(&k) {
                seeded.eps[k - from] = 1.0;
            }
        }
        self.flow(Dual::from(t), &seeded, &mut rates);
        for (row, rate) in jacobian.iter_mut().zip(&rates) {
            for (entry, slope) in row[from..].iter_mut().zip(rate.eps) {
                *entry = slope;
            }
        }
    }
}

/// A small value of a quantity, by its unit.
fn of_unit(unit: &str) -> f64 {
    match unit {
        "m" | "m/s" | "rad" | "rad/s" => 1e-3,
        "Pa" => 1e3,
        _ => 1e-1,
    }
}

impl<M: Mechanism, const N: usize> System<N> for Coupled<M> {
    #[inline]
    fn rhs<S: Real>(&self, t: f64, y: &[S; N]) -> [S; N] {
        let mut dy = [S::from(0.0); N];
        self.flow(S::from(t), y, &mut dy);
        dy
    }

    #[inline]
    fn rate(&self, t: f64, y: &[f64; N]) -> [f64; N] {
        let mut dy = [0.0; N];
        self.plain_flow(t, y, &mut dy);
        dy
    }

    /// Dual numbers of two fixed widths, so that models are compiled for these and not for every N.
    fn jacobian(&self, t: f64, y: &[f64; N]) -> [[f64; N]; N] {
        let mut jacobian = [[0.0; N]; N];
        for from in (0..N).step_by(8) {
            if N - from <= 4 {
                self.columns::<4, N>(t, y, from, &mut jacobian);
            } else {
                self.columns::<8, N>(t, y, from, &mut jacobian);
            }
        }
        jacobian
    }

    fn events(&self) -> usize {
        self.contacts() * EVENTS
    }

    fn event(&self, k: usize, t: f64, y: &[f64; N]) -> f64 {
        let i = k / EVENTS;
        self.contact_events(&self.friction[i], i, t, y)[k % EVENTS]
    }

    #[inline]
    fn watch(&self, t: f64, y: &[f64; N], values: &mut [f64]) {
        for (i, values) in values.chunks_exact_mut(EVENTS).enumerate() {
            values.copy_from_slice(&self.contact_events(&self.friction[i], i, t, y));
        }
    }
}
