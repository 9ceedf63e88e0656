use crate::Mechanism;
use bristle_kernel::{AnyBristle, Bristle, Cast, Drive, GUARDS, Real};
use bristle_ode::System;
use core::cell::Cell;

/// At most so many contacts.
pub(crate) const MAX_CONTACTS: usize = 4;

/// A mechanism with a friction model in each contact: N states, the mechanism's first, then those
/// of the contacts in turn.
///
/// What is discrete, the phase and what the models committed to, is held here and changed only
/// between steps.
#[derive(Clone, Debug)]
pub struct Coupled<M, const N: usize> {
    /// The mechanism.
    pub mechanism: M,
    /// The friction model of every contact.
    pub friction: AnyBristle<f64>,
    pub(crate) phase: Cell<usize>,
    pub(crate) memory: [Cell<f64>; MAX_CONTACTS],
}

impl<M: Mechanism, const N: usize> Coupled<M, N> {
    /// The mechanism with that model in every contact; `None` if it has not N states.
    pub fn new(mechanism: M, friction: AnyBristle<f64>) -> Option<Self> {
        let states = mechanism.quantities().len() + mechanism.contacts() * friction.states();
        let fits = states == N && mechanism.contacts() <= MAX_CONTACTS;
        fits.then(|| Coupled {
            mechanism,
            friction,
            phase: Cell::new(0),
            memory: [const { Cell::new(0.0) }; MAX_CONTACTS],
        })
    }

    /// The state at t = 0: bodies as the mechanism says, bristles undeflected.
    pub fn initial(&self) -> [f64; N] {
        let mut y = [0.0; N];
        self.mechanism.initial(&mut y[..self.mechanism.quantities().len()]);
        y
    }

    /// What contact `i` sees, and its states.
    #[inline(always)]
    pub fn contact<'y, S: Real>(&self, i: usize, t: f64, y: &'y [S; N]) -> (Drive<S>, &'y [S]) {
        let mechanical = self.mechanism.quantities().len();
        let drive = self.mechanism.drive(i, t, self.phase.get(), &y[..mechanical]);
        let n = self.friction.states();
        let start = mechanical + i * n;
        (Drive { memory: S::from(self.memory[i].get()), ..drive }, &y[start..start + n])
    }

    /// The friction force of contact `i`, N, and the rate of its first state.
    pub fn force(&self, i: usize, t: f64, y: &[f64; N]) -> f64 {
        let (at, z) = self.contact(i, t, y);
        let mut dz = [0.0; N];
        self.friction.eval(&at, z, &mut dz[..z.len()])
    }

    /// Lets every contact commit at this state; tells whether one of them changed.
    pub(crate) fn commit(&self, t: f64, y: &[f64; N]) -> bool {
        let mut changed = false;
        for i in 0..self.mechanism.contacts() {
            let (at, z) = self.contact(i, t, y);
            let memory = self.friction.commit(&at, z);
            changed |= memory != at.memory;
            self.memory[i].set(memory);
        }
        changed
    }
}

impl<M: Mechanism, const N: usize> System<N> for Coupled<M, N> {
    #[inline]
    fn rhs<S: Real>(&self, t: f64, y: &[S; N]) -> [S; N] {
        let friction = self.friction.cast(&mut |x| S::from(x));
        let mechanical = self.mechanism.quantities().len();
        let n = self.friction.states();
        let mut dy = [S::from(0.0); N];
        let mut force = [S::from(0.0); MAX_CONTACTS];
        for i in 0..self.mechanism.contacts() {
            let (at, z) = self.contact(i, t, y);
            let start = mechanical + i * n;
            force[i] = friction.eval(&at, z, &mut dy[start..start + n]);
        }
        let (bodies, rates) = (&y[..mechanical], &mut dy[..mechanical]);
        self.mechanism.rates(t, self.phase.get(), bodies, &force, rates);
        dy
    }

    fn events(&self) -> usize {
        self.mechanism.contacts() * GUARDS
    }

    fn event(&self, i: usize, t: f64, y: &[f64; N]) -> f64 {
        let (at, z) = self.contact(i / GUARDS, t, y);
        self.friction.guards(&at, z)[i % GUARDS]
    }
}
