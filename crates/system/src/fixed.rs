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
//!
//! Where the force of a contact is no smooth function of velocity, in a stick, at a tooth, at a fold, Newton's method does not do.
//! Then the bodies are linearised about the step, v = v₀ − W F, and each contact is [solved together with
//! them](bristle_kernel::Bristle::advance) in turn, by its own means, until forces agree; with one contact and a linear mechanism that is one
//! solution. What goes in and is not stored is then lost, which is never negative for a passive model.
use crate::coupled::zeros;
use crate::friction::Scalar;
use crate::{Account, Coupled, Forces, Imbalance, Mechanism, Mode, Role};
use alloc::vec;
use alloc::vec::Vec;
use bristle_kernel::{self as kernel, Drive, Free, Update};
use bristle_num::Dual;
use bristle_ode::{Failure, Heap, Newton, Polynomial, Why};

/// Sweeps over contacts that push each other.
const SWEEPS: usize = 500;
/// Newton iterations before a step is halved.
const ITERATIONS: usize = 30;
/// A step is halved at most so often.
const HALVINGS: u32 = 20;

/// State, forces and modes of contacts after a step.
type Together = (Vec<f64>, Vec<f64>, Vec<kernel::Mode<f64>>);

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
    /// Whether contacts are solved together with the bodies.
    together: bool,
    /// The forces of the last step.
    force: Vec<f64>,
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
            force: self.force.clone(),
            newton: self.newton.clone(),
            dense: self.dense.clone(),
            accounts: self.accounts.clone(),
            ..*self
        }
    }
}

impl<'s, M: Mechanism> FixedStep<'s, M> {
    /// At t = 0 in the state `y`, with steps of `h` seconds. `None` for friction that cannot be stepped so: over
    /// position without an update of its own, as a step would pass its edges without noticing, or without the update asked
    /// for.
    pub fn new(system: &'s Coupled<M>, update: Update, h: f64, y: &[f64]) -> Option<Self> {
        let contacts = 0..system.contacts();
        let together = contacts.clone().any(|i| system.friction(i).solved_with_body());
        let steps = |i: usize| {
            let model = system.friction(i);
            let (mut at, mut z) = (Drive::new(0.0, 1.0), vec![0.0; model.states()]);
            if together {
                return model.advance(update, &mut at, &Free::prescribed(0.0), h, &mut z).is_some();
            }
            model.step(update, &at, h, &mut z).is_some()
                || (!model.positional() && update != Update::End)
        };
        if !contacts.clone().all(steps) {
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
            together,
            force: vec![0.0; system.contacts()],
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
        if self.update != Update::Midpoint && !self.together {
            return None;
        }
        let contacts = self.system.mechanism.contacts();
        (0..contacts.len()).filter(|i| self.together || exact(*i)).find_map(|contact| {
            let fault = self.accounts[contact].fault(ROUNDING)?;
            let name = contacts[contact].name;
            Some(Imbalance { t: self.t(), contact: Some(contact), name, fault })
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
        // The drive is that of the midpoint, and so are samples and modes of the mechanism.
        self.system.jump(&mut self.mode, t + 0.5 * self.h, &mut self.y);
        self.system.catch_up(&mut self.mode, t, &mut self.y);
        self.left.clone_from(&self.mode);
        self.part(t, self.h, HALVINGS)?;
        self.steps += 1;
        self.dense.line(t, &from, self.t(), &self.y);
        Ok(())
    }

    /// Takes a step of length `h` from `t`, in halves if its equations are not solved in one.
    fn part(&mut self, t: f64, h: f64, halvings: u32) -> Result<(), Failure> {
        if self.together {
            let stage = self.stage();
            if let Some((next, force, elements)) = self.solve_together(t, h) {
                self.system.enter_balance(
                    &self.mode,
                    &elements,
                    &mut self.accounts,
                    (t, h, stage),
                    &self.y,
                    &next,
                    &force,
                );
                self.y = next;
                self.force = force;
                for (contact, element) in self.mode.contacts.iter_mut().zip(elements) {
                    contact.element = element;
                }
                return Ok(());
            }
            return self.halves(t, h, halvings);
        }
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
        self.halves(t, h, halvings)
    }

    /// The stage of the update, as a part of the step.
    fn stage(&self) -> f64 {
        self.update.stage().unwrap_or(0.5)
    }

    fn halves(&mut self, t: f64, h: f64, halvings: u32) -> Result<(), Failure> {
        if halvings == 0 {
            return Err(Failure { t, h, state: 0, why: Why::StepTooSmall });
        }
        self.halvings += 1;
        self.part(t, 0.5 * h, halvings - 1)?;
        self.part(t + 0.5 * h, 0.5 * h, halvings - 1)
    }

    /// The state after a step, the forces in it and the modes of the contacts after it: bodies by Newton's method, contacts
    /// by their own.
    fn solve_together(&mut self, t: f64, h: f64) -> Option<Together> {
        /// Forces and states agree to this part.
        const AGREED: f64 = 1e-13;
        let theta = self.stage();
        let FixedStep { system, mode, update, y, scale, newton, iterations, force, .. } = self;
        let (n, bodies) = (system.contacts(), system.mechanism.quantities().len());
        let now = t + theta * h;
        let mut force = force.clone();
        let mut next = y.clone();
        let mut elements: Vec<kernel::Mode<f64>> =
            mode.contacts.iter().map(|c| c.element).collect();
        for _ in 0..ITERATIONS {
            *iterations += 1;
            // Bodies under the forces as they are.
            let slopes = |at: &[_], left: &mut [_]| {
                system.bodies_left(mode, (t, h, theta), y, at, &force, left);
            };
            if !newton.factorise(slopes, &next) {
                return None;
            }
            let mut left = next.clone();
            system.bodies_left(mode, (t, h, theta), y, &next, &force, &mut left);
            newton.solve(&mut left);
            next.iter_mut().zip(&left).for_each(|(next, by)| *next -= by);
            // What a unit of each force does to the end of the step.
            let stage: Vec<f64> =
                y.iter().zip(&next).map(|(y, next)| y + theta * (next - y)).collect();
            let moved: Vec<Vec<f64>> = (0..n)
                .map(|j| {
                    let mut unit = vec![0.0; n];
                    unit[j] = 1.0;
                    let mut by = system.pushed(mode, now, &stage, &unit);
                    by.resize(y.len(), 0.0);
                    by.iter_mut().for_each(|by| *by *= h);
                    newton.solve(&mut by);
                    by
                })
                .collect();
            let velocity = |i: usize, along: &[f64]| {
                let at = stage.iter().zip(along).map(|(y, by)| Dual { re: *y, eps: [theta * by] });
                let at: Vec<Dual<f64, 1>> = at.take(bodies).collect();
                system.mechanism.drive(i, Dual::constant(now), &mode.phase, &at).v
            };
            // v = v₀ − W F.
            let w: Vec<f64> = (0..n * n).map(|k| -velocity(k / n, &moved[k % n]).eps[0]).collect();
            let free: Vec<f64> = (0..n)
                .map(|i| {
                    let v = velocity(i, &vec![0.0; y.len()]).re;
                    v + (0..n).map(|j| w[i * n + j] * force[j]).sum::<f64>()
                })
                .collect();
            let before = force.clone();
            for _ in 0..SWEEPS {
                let mut change = 0.0f64;
                for i in 0..n {
                    let others = (0..n).filter(|j| *j != i).map(|j| w[i * n + j] * force[j]);
                    let velocity = free[i] - others.sum::<f64>();
                    let (start, z) = system.contact(mode, i, t, y);
                    let mut at =
                        Drive { x: start.x, v: start.v, ..system.contact(mode, i, now, &stage).0 };
                    let mut z = z.to_vec();
                    let free = Free { velocity, gain: w[i * n + i].max(0.0) };
                    let model = system.friction(i);
                    let held = model.advance(*update, &mut at, &free, h, &mut z)?;
                    next[system.place(i)].copy_from_slice(&z);
                    change = change
                        .max((held - force[i]).abs() / (held.abs() + force[i].abs() + 1e-300));
                    (force[i], elements[i]) = (held, at.mode);
                }
                if n == 1 || change <= AGREED {
                    break;
                }
            }
            let mut largest = 0.0f64;
            for k in 0..bodies {
                let by: f64 = (0..n).map(|j| moved[j][k] * (force[j] - before[j])).sum();
                next[k] += by;
            }
            system.bodies_left(mode, (t, h, theta), y, &next, &force, &mut left);
            for k in 0..bodies {
                let size = scale[k] + next[k].abs() + y[k].abs();
                largest = largest.max((left[k] / size).abs());
            }
            if largest <= AGREED {
                return next.iter().all(|y| y.is_finite()).then_some((next, force, elements));
            }
        }
        None
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
        let theta = update.stage().unwrap_or(0.5);
        let stage = |(next, y): (&S, &f64)| (*next - *y) * theta + *y;
        let middle: Vec<S> = match update {
            Update::End => next.iter().zip(y).map(stage).collect(),
            _ => next.iter().zip(y).map(|(next, y)| (*next + *y) * 0.5).collect(),
        };
        let now = S::from(t + theta * h);
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

    /// Writes what is left of the equations of the bodies under these forces; of the bristles nothing is.
    fn bodies_left<S: Scalar>(
        &self,
        mode: &Mode,
        (t, h, theta): (f64, f64, f64),
        y: &[f64],
        next: &[S],
        force: &[f64],
        left: &mut [S],
    ) {
        let bodies = self.mechanism.quantities().len();
        let stage: Vec<S> = next.iter().zip(y).map(|(next, y)| (*next - *y) * theta + *y).collect();
        let force: Vec<S> = force.iter().map(|f| S::from(*f)).collect();
        let now = S::from(t + theta * h);
        for k in bodies..next.len() {
            left[k] = next[k] - y[k];
        }
        let rates = &mut left[..bodies];
        self.mechanism.rates(now, &mode.phase, &stage[..bodies], &force, rates);
        for k in 0..bodies {
            rates[k] = next[k] - y[k] - rates[k] * h;
        }
    }

    /// Enters a step whose contacts were solved together with the bodies: what goes in and is not stored is lost.
    #[allow(clippy::too_many_arguments)]
    fn enter_balance(
        &self,
        mode: &Mode,
        elements: &[kernel::Mode<f64>],
        accounts: &mut [Account],
        (t, h, theta): (f64, f64, f64),
        y: &[f64],
        next: &[f64],
        force: &[f64],
    ) {
        let stage: Vec<f64> = y.iter().zip(next).map(|(y, next)| y + theta * (next - y)).collect();
        let contacts = self.mechanism.contacts();
        let mut after = mode.clone();
        for (contact, element) in after.contacts.iter_mut().zip(elements) {
            contact.element = *element;
        }
        for i in (0..contacts.len()).filter(|i| contacts[*i].role == Role::Friction) {
            let (at, _) = self.contact(mode, i, t + theta * h, &stage);
            let (place, friction) = (self.place(i), self.friction(i));
            let dz: Vec<f64> = place.clone().map(|k| (next[k] - y[k]) / h).collect();
            let stored = |mode: &Mode, t: f64, y: &[f64], load: Option<f64>| {
                let (at, z) = self.contact(mode, i, t, y);
                friction.energy(&Drive { load: load.unwrap_or(at.load), ..at }, z, &dz).stored
            };
            // What grows beyond the growth at the step's load is what the load adds.
            let grown = stored(&after, t + h, next, None) - stored(mode, t, y, None);
            let held =
                stored(&after, t + h, next, Some(at.load)) - stored(mode, t, y, Some(at.load));
            let known = friction.energy(&at, &next[place], &dz).known;
            let account = &mut accounts[i];
            account.work(h, force[i], at.v);
            account.stored += grown;
            account.load += grown - held;
            account.dissipate(t + theta * h, h, force[i] * at.v - held / h, known);
            account.slip += h * force[i] * friction.tip(&at, &dz);
        }
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
