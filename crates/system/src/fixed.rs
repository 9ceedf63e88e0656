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
use crate::coupled::{MAX_CONTACTS, MAX_STATES};
use crate::{Account, Coupled, Mechanism, Role};
use bristle_kernel::{Bristle, Cast, MEMORY, Real, Update};
use bristle_num::Dual;
use bristle_ode::{Dense, Failure, Why, solve};

/// Newton iterations before a step is halved.
const ITERATIONS: usize = 30;
/// A step is halved at most so often.
const HALVINGS: u32 = 20;

/// Takes steps of one length.
pub struct FixedStep<'s, M, const N: usize> {
    system: &'s Coupled<M>,
    update: Update,
    h: f64,
    steps: u64,
    y: [f64; N],
    /// Small values of the states.
    scale: [f64; N],
    dense: Dense<N>,
    accounts: [Account; MAX_CONTACTS],
    /// How often the equations of a step were solved once more.
    pub iterations: usize,
    /// How often a step had to be halved.
    pub halvings: usize,
}

impl<'s, M: Mechanism, const N: usize> FixedStep<'s, M, N> {
    /// At t = 0 in the state `y`, with steps of `h` seconds. `None` for friction that is set-valued
    /// at rest: a step at frozen velocity cannot hold it.
    pub fn new(system: &'s Coupled<M>, update: Update, h: f64, y: [f64; N]) -> Option<Self> {
        if (0..system.contacts()).any(|i| system.set_valued(i)) {
            return None;
        }
        system.reset(0.0, &y, [[0.0; MEMORY]; MAX_CONTACTS]);
        let fresh = Account { least: f64::INFINITY, ..Account::default() };
        Some(FixedStep {
            system,
            update,
            h,
            steps: 0,
            y,
            scale: system.options(1.0).atol,
            dense: Dense::line(0.0, y, 0.0, y),
            accounts: [fresh; MAX_CONTACTS],
            iterations: 0,
            halvings: 0,
        })
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.steps as f64 * self.h
    }

    /// State.
    pub fn y(&self) -> &[f64; N] {
        &self.y
    }

    /// The last step, as a straight line.
    pub fn dense(&self) -> &Dense<N> {
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
        let (t, from) = (self.t(), self.y);
        // The drive is that of the midpoint.
        while self.system.mechanism.switch(self.system.phase()) <= t + 0.5 * self.h {
            self.system.phase.set(self.system.phase() + 1);
        }
        self.part(t, self.h, HALVINGS)?;
        self.steps += 1;
        self.dense = Dense::line(t, from, self.t(), self.y);
        Ok(())
    }

    /// Takes a step of length `h` from `t`, in halves if its equations are not solved in one.
    fn part(&mut self, t: f64, h: f64, halvings: u32) -> Result<(), Failure> {
        if let Some(next) = self.solve(t, h) {
            let (_, force) = self.residual(t, h, &next);
            self.system.enter(&mut self.accounts, (t, h), &self.y, &next, &force);
            self.y = next;
            self.system.commit(t + h, &self.y);
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
    fn solve(&mut self, t: f64, h: f64) -> Option<[f64; N]> {
        let scale = self.scale;
        let size = |r: &[f64; N]| -> f64 {
            r.iter().zip(&scale).map(|(r, s)| (r / s).abs()).fold(0.0, f64::max)
        };
        let mut next = self.y;
        let (mut residual, _) = self.residual(t, h, &next);
        for _ in 0..ITERATIONS {
            self.iterations += 1;
            let correction = solve(self.slopes(t, h, &next), residual)?;
            let mut share = 1.0;
            let before = size(&residual);
            loop {
                let trial: [f64; N] = core::array::from_fn(|k| next[k] - share * correction[k]);
                let (r, _) = self.residual(t, h, &trial);
                if size(&r) < before || (size(&r) == 0.0 && before == 0.0) {
                    (next, residual) = (trial, r);
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

    fn residual(&self, t: f64, h: f64, next: &[f64; N]) -> ([f64; N], [f64; MAX_CONTACTS]) {
        let mut left = [0.0; N];
        let force = self.system.residual(self.update, (t, h), &self.y, next, &mut left);
        (left, force)
    }

    /// The Jacobian of the residual, from dual numbers, eight columns at a time.
    fn slopes(&self, t: f64, h: f64, next: &[f64; N]) -> [[f64; N]; N] {
        let mut slopes = [[0.0; N]; N];
        for from in (0..N).step_by(8) {
            let mut seeded: [Dual<f64, 8>; N] = next.map(Dual::from);
            for (k, seeded) in seeded.iter_mut().enumerate().skip(from).take(8) {
                seeded.eps[k - from] = 1.0;
            }
            let mut left = [Dual::from(0.0); N];
            self.system.residual(self.update, (t, h), &self.y, &seeded, &mut left);
            for (row, left) in slopes.iter_mut().zip(&left) {
                for (entry, slope) in row[from..].iter_mut().zip(left.eps) {
                    *entry = slope;
                }
            }
        }
        slopes
    }
}

impl<M: Mechanism> Coupled<M> {
    /// Writes what is left of the equations of a step from `y` to `next`, and gives the mean force
    /// of each contact.
    fn residual<S: Real>(
        &self,
        update: Update,
        (t, h): (f64, f64),
        y: &[f64],
        next: &[S],
        left: &mut [S],
    ) -> [S; MAX_CONTACTS] {
        let n = y.len();
        let bodies = self.mechanism.quantities().len();
        let mut middle = [S::from(0.0); MAX_STATES];
        for k in 0..n {
            middle[k] = (next[k] + y[k]) * 0.5;
        }
        let now = S::from(t + 0.5 * h);
        let mut force = [S::from(0.0); MAX_CONTACTS];
        for i in 0..self.contacts() {
            let friction = self.friction(i).cast(&mut |x| S::from(x));
            let (at, z) = self.contact(i, now, &middle[..n]);
            let place = self.place(i);
            let mut end = [S::from(0.0); MAX_STATES];
            let end = &mut end[..place.len()];
            for (end, y) in end.iter_mut().zip(&y[place.clone()]) {
                *end = S::from(*y);
            }
            if let Some(mean) = friction.step(update, &at, S::from(h), end) {
                force[i] = mean;
                for (k, end) in place.zip(end) {
                    left[k] = next[k] - *end;
                }
            } else {
                let mut dz = [S::from(0.0); MAX_STATES];
                force[i] = friction.eval(&at, z, &mut dz[..z.len()]);
                for (k, dz) in place.zip(dz) {
                    left[k] = next[k] - y[k] - dz * h;
                }
            }
        }
        let mut rates = [S::from(0.0); MAX_STATES];
        let phase = self.phase();
        self.mechanism.rates(now, phase, &middle[..bodies], &force, &mut rates[..bodies]);
        for k in 0..bodies {
            left[k] = next[k] - y[k] - rates[k] * h;
        }
        force
    }

    /// Enters a step from `y` to `next` under these mean forces into the accounts.
    fn enter(
        &self,
        accounts: &mut [Account; MAX_CONTACTS],
        (t, h): (f64, f64),
        y: &[f64],
        next: &[f64],
        force: &[f64],
    ) {
        let n = y.len();
        let (mut middle, mut rate) = ([0.0; MAX_STATES], [0.0; MAX_STATES]);
        for k in 0..n {
            middle[k] = 0.5 * (y[k] + next[k]);
            rate[k] = (next[k] - y[k]) / h;
        }
        let contacts = self.mechanism.contacts();
        for i in (0..contacts.len()).filter(|i| contacts[*i].role == Role::Friction) {
            let (at, z) = self.contact(i, t + 0.5 * h, &middle[..n]);
            let (place, friction) = (self.place(i), self.friction(i));
            let dz = &rate[place.clone()];
            let power = friction.energy(&at, z, dz).dissipated;
            // What grows beyond the growth at the step's load is what the load adds.
            let held = |y: &[f64]| friction.energy(&at, &y[place.clone()], dz).stored;
            let stored = |t: f64, y: &[f64]| {
                let (at, z) = self.contact(i, t, y);
                friction.energy(&at, z, dz).stored
            };
            let grown = stored(t + h, next) - stored(t, y);
            let account = &mut accounts[i];
            account.work += h * force[i] * at.v;
            account.stored += grown;
            account.load += grown - (held(next) - held(y));
            account.dissipated += h * power;
            account.slip += h * force[i] * friction.tip(&at, dz);
            account.returned += h * power.min(0.0);
            if power < account.least {
                (account.least, account.least_at) = (power, t + 0.5 * h);
            }
        }
    }
}
