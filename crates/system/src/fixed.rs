//! A run with a fixed step, as a controller or a real-time simulation takes it.
//!
//! The bristle goes by its model's own update at frozen drive, the bodies by the implicit midpoint
//! rule, and both together:
//!
//! ```text
//! Y − y = h f((y + Y)/2, F̄),   F̄ = mean force of Bristle::step at the midpoint velocity
//! ```
//!
//! The midpoint rule keeps the energy of springs and masses, and the bristle's midpoint update takes
//! exactly F̄ v h = ΔW + D h with D ≥ 0 from it: a passive model stays passive, and the run stable, at
//! any step. A model that has no update of its own is taken by the midpoint rule too.
use crate::coupled::zeros;
use crate::friction::Scalar;
use crate::{Account, Coupled, Forces, Imbalance, Mechanism, Mode, Role};
use alloc::vec;
use alloc::vec::Vec;
use bristle_kernel::{Drive, Update};
use bristle_ode::{Failure, Heap, Newton, Polynomial, Why};

/// Newton iterations before a step is halved.
const ITERATIONS: usize = 30;
/// A step is halved at most so often.
const HALVINGS: u32 = 20;

/// Takes steps of one length.
pub struct FixedStep<'s, M: Mechanism> {
    system: &'s Coupled<M>,
    mode: Mode,
    /// The mode in which the last step was taken.
    left: Mode,
    update: Update,
    h: f64,
    steps: u64,
    y: Vec<f64>,
    /// Small values of the states.
    scale: Vec<f64>,
    newton: Newton<Heap>,
    dense: Polynomial<Heap>,
    accounts: Vec<Account>,
    /// How often the equations of a step were solved once more.
    pub iterations: usize,
    /// How often a step had to be halved.
    pub halvings: usize,
}

/// Not derived: that would ask the mechanism to be `Clone` too.
impl<M: Mechanism> Clone for FixedStep<'_, M> {
    fn clone(&self) -> Self {
        FixedStep {
            mode: self.mode.clone(),
            left: self.left.clone(),
            y: self.y.clone(),
            scale: self.scale.clone(),
            newton: self.newton.clone(),
            dense: self.dense.clone(),
            accounts: self.accounts.clone(),
            ..*self
        }
    }
}

impl<'s, M: Mechanism> FixedStep<'s, M> {
    /// At t = 0 in the state `y`, with steps of `h` seconds. `None` for friction that is set-valued
    /// at rest, which a step at frozen velocity cannot hold, and for friction over position that has no update of
    /// its own: a step passes its edges without noticing.
    pub fn new(system: &'s Coupled<M>, update: Update, h: f64, y: &[f64]) -> Option<Self> {
        let steps = |i: usize| {
            let model = system.friction(i);
            let (at, mut z) = (Drive::new(0.0, 1.0), vec![0.0; model.states()]);
            let own = model.step(update, &at, h, &mut z).is_some();
            !system.set_valued(i) && (own || !model.positional())
        };
        if !(0..system.contacts()).all(steps) {
            return None;
        }
        let mode = system.begin(0.0, y);
        Some(FixedStep {
            system,
            left: mode.clone(),
            mode,
            update,
            h,
            steps: 0,
            y: y.to_vec(),
            scale: system.small_values(),
            newton: Newton::new(system),
            dense: Polynomial::rest(0.0, y),
            accounts: vec![Account::open(0.0, &system.mechanism); system.contacts()],
            iterations: 0,
            halvings: 0,
        })
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.steps as f64 * self.h
    }

    /// The length of a step, s.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// State.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// Mode.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// The mode in which the last step was taken.
    pub fn step_mode(&self) -> &Mode {
        &self.left
    }

    /// The last step, as a straight line.
    pub fn dense(&self) -> &Polynomial<Heap> {
        &self.dense
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The account of contact `i`, kept in discrete time: for the midpoint update its residual is
    /// rounding.
    pub fn account(&self, i: usize) -> &Account {
        &self.accounts[i]
    }

    /// What is wrong with the books, if something is: the midpoint update balances to rounding.
    pub fn imbalance(&self) -> Option<Imbalance> {
        /// As a tolerance.
        const ROUNDING: f64 = 1e-12;
        let exact = |i: usize| {
            let model = self.system.friction(i);
            let (at, mut z) = (Drive::new(0.0, 1.0), vec![0.0; model.states()]);
            model.step(self.update, &at, self.h, &mut z).is_some()
        };
        if self.update != Update::Midpoint {
            return None;
        }
        let contacts = self.system.mechanism.contacts();
        (0..contacts.len()).filter(|i| exact(*i)).find_map(|contact| {
            let fault = self.accounts[contact].fault(ROUNDING)?;
            Some(Imbalance { t: self.t(), contact, name: contacts[contact].name, fault })
        })
    }

    /// Takes steps until `end` is reached or passed by less than a step.
    pub fn run(&mut self, end: f64, mut each: impl FnMut(&Self)) -> Result<(), Failure> {
        while self.t() < end - 1e-9 * self.h {
            self.step()?;
            each(self);
        }
        Ok(())
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<(), Failure> {
        let (t, from) = (self.t(), self.y.clone());
        // The drive is that of the midpoint.
        for i in 0..self.system.mechanism.drives().len() {
            let phase = &mut self.mode.phase[i];
            while self.system.mechanism.switch(i, *phase) <= t + 0.5 * self.h {
                *phase += 1;
            }
        }
        self.left.clone_from(&self.mode);
        self.part(t, self.h, HALVINGS)?;
        self.steps += 1;
        self.dense.line(t, &from, self.t(), &self.y);
        Ok(())
    }

    /// Takes a step of length `h` from `t`, in halves if its equations are not solved in one.
    fn part(&mut self, t: f64, h: f64, halvings: u32) -> Result<(), Failure> {
        if let Some(next) = self.solve(t, h) {
            let mut left = next.clone();
            let force =
                self.system.residual(&self.mode, self.update, (t, h), &self.y, &next, &mut left);
            self.system.enter(&self.mode, &mut self.accounts, (t, h), &self.y, &next, &force);
            self.y = next;
            for i in 0..self.system.contacts() {
                let (at, z) = self.system.contact(&self.mode, i, t + h, &self.y);
                self.mode.contacts[i].element = self.system.friction(i).commit(&at, z);
            }
            return Ok(());
        }
        if halvings == 0 {
            return Err(Failure { t, h, state: 0, why: Why::StepTooSmall });
        }
        self.halvings += 1;
        self.part(t, 0.5 * h, halvings - 1)?;
        self.part(t + 0.5 * h, 0.5 * h, halvings - 1)
    }

    /// The state after a step, by Newton's method with backtracking.
    fn solve(&mut self, t: f64, h: f64) -> Option<Vec<f64>> {
        let FixedStep { system, mode, update, y, scale, newton, iterations, .. } = self;
        let size = |r: &[f64]| -> f64 {
            r.iter().zip(scale.iter()).map(|(r, s)| (r / s).abs()).fold(0.0, f64::max)
        };
        let mut next = y.clone();
        let (mut residual, mut r) = (y.clone(), y.clone());
        let mut trial = y.clone();
        system.residual(mode, *update, (t, h), y, &next, &mut residual);
        for _ in 0..ITERATIONS {
            *iterations += 1;
            let slopes = |at: &[_], left: &mut [_]| {
                system.residual(mode, *update, (t, h), y, at, left);
            };
            if !newton.factorise(slopes, &next) {
                return None;
            }
            let mut correction = residual.clone();
            newton.solve(&mut correction);
            let mut share = 1.0;
            let before = size(&residual);
            loop {
                for ((trial, next), correction) in trial.iter_mut().zip(&next).zip(&correction) {
                    *trial = next - share * correction;
                }
                system.residual(mode, *update, (t, h), y, &trial, &mut r);
                if size(&r) < before || (size(&r) == 0.0 && before == 0.0) {
                    core::mem::swap(&mut next, &mut trial);
                    core::mem::swap(&mut residual, &mut r);
                    break;
                }
                share *= 0.5;
                if share < 1e-6 {
                    // No better to be had: either solved to rounding or stuck at a kink.
                    return (before <= 1e-7).then_some(next);
                }
            }
            if size(&residual) <= 1e-13 {
                return Some(next);
            }
        }
        (size(&residual) <= 1e-7).then_some(next)
    }
}

impl<M: Mechanism> Coupled<M> {
    /// Writes what is left of the equations of a step from `y` to `next`, and gives the mean force
    /// of each contact.
    fn residual<S: Scalar>(
        &self,
        mode: &Mode,
        update: Update,
        (t, h): (f64, f64),
        y: &[f64],
        next: &[S],
        left: &mut [S],
    ) -> Forces<S> {
        let bodies = self.mechanism.quantities().len();
        let middle: Vec<S> = next.iter().zip(y).map(|(next, y)| (*next + *y) * 0.5).collect();
        let now = S::from(t + 0.5 * h);
        let mut force = zeros(self.contacts());
        for i in 0..self.contacts() {
            let friction = self.friction_in::<S>(i);
            let (at, z) = self.contact(mode, i, now, &middle);
            let place = self.place(i);
            let mut end: Vec<S> = y[place.clone()].iter().map(|y| S::from(*y)).collect();
            if let Some(mean) = friction.step(update, &at, S::from(h), &mut end) {
                force[i] = mean;
                for (k, end) in place.zip(end) {
                    left[k] = next[k] - end;
                }
            } else {
                force[i] = friction.eval(&at, z, &mut end);
                for (k, dz) in place.zip(end) {
                    left[k] = next[k] - y[k] - dz * h;
                }
            }
        }
        let rates = &mut left[..bodies];
        self.mechanism.rates(now, &mode.phase, &middle[..bodies], &force, rates);
        for k in 0..bodies {
            rates[k] = next[k] - y[k] - rates[k] * h;
        }
        force
    }

    /// Enters a step from `y` to `next` under these mean forces into the accounts.
    fn enter(
        &self,
        mode: &Mode,
        accounts: &mut [Account],
        (t, h): (f64, f64),
        y: &[f64],
        next: &[f64],
        force: &[f64],
    ) {
        let middle: Vec<f64> = y.iter().zip(next).map(|(y, next)| 0.5 * (y + next)).collect();
        let rate: Vec<f64> = y.iter().zip(next).map(|(y, next)| (next - y) / h).collect();
        let contacts = self.mechanism.contacts();
        for i in (0..contacts.len()).filter(|i| contacts[*i].role == Role::Friction) {
            let (at, z) = self.contact(mode, i, t + 0.5 * h, &middle);
            let (place, friction) = (self.place(i), self.friction(i));
            let dz = &rate[place.clone()];
            let energy = friction.energy(&at, z, dz);
            // What grows beyond the growth at the step's load is what the load adds.
            let held = |y: &[f64]| friction.energy(&at, &y[place.clone()], dz).stored;
            let stored = |t: f64, y: &[f64]| {
                let (at, z) = self.contact(mode, i, t, y);
                friction.energy(&at, z, dz).stored
            };
            let grown = stored(t + h, next) - stored(t, y);
            let account = &mut accounts[i];
            account.work(h, force[i], at.v);
            account.stored += grown;
            account.load += grown - (held(next) - held(y));
            account.dissipate(t + 0.5 * h, h, energy.dissipated, energy.known);
            account.slip += h * force[i] * friction.tip(&at, dz);
        }
    }
}
