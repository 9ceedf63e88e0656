//! What becomes of the energy that goes into each friction element.
//!
//! ```text
//! ∫F v dt + ∫(∂W/∂N) Ṅ dt = ΔW + ∫D dt + residual
//! ```
//!
//! W and D are what the model states ([`Bristle::energy`](bristle_kernel::Bristle::energy)). A bristle whose
//! stiffness scales with the load also gains energy from the load: the second term. The integrals are taken over
//! the stages of Radau IIA on the dense output: for that method they are what it would give if they were states.
use crate::coupled::{Forces, Values, zeros};
use crate::{Coupled, Kind, Mechanism, Mode, Role};
use alloc::vec::Vec;
use bristle_kernel::Drive;
use bristle_ode::tableau::{NODES, WEIGHTS};
use bristle_ode::{Dense, Slope, System};
use core::fmt;

/// The account of one friction element, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Work done on it, ∫F v dt.
    pub work: f64,
    /// Energy it gained because its load changed.
    pub load: f64,
    /// Growth of the stored energy.
    pub stored: f64,
    /// Energy dissipated.
    pub dissipated: f64,
    /// The part of it where the tips slide, ∫F (v − ż) dt.
    pub slip: f64,
    /// Energy given back by negative dissipation, ≤ 0: part of `dissipated`.
    pub returned: f64,
    /// The part of it where the model claims to be passive, ≤ 0.
    pub broken: f64,
    /// All energy that was moved, whatever its sign: ∫|F v| dt, and what was stored at most.
    pub turnover: f64,
    /// The greatest force, N, and a small way, m: what absolute tolerances explain.
    grip: f64,
    small: f64,
    /// The dissipated power where it was least, W.
    pub least: f64,
    /// When that was, s.
    pub least_at: f64,
}

impl Account {
    /// Nothing entered yet, at time `t`, for a mechanism in which positions are held against the least of its small
    /// ones.
    pub(crate) fn open(t: f64, mechanism: &impl Mechanism) -> Self {
        let places = mechanism.quantities().iter().filter(|q| q.kind == Kind::Position);
        let small = places.map(|q| q.small).fold(f64::INFINITY, f64::min);
        let small = if small.is_finite() { small } else { 0.0 };
        Account { small, ..Account::blank(t) }
    }

    /// Nothing entered yet, at time `t`.
    fn blank(t: f64) -> Self {
        Account { least: f64::INFINITY, least_at: t, ..Account::default() }
    }

    /// Adds the account of a later span.
    fn add(&mut self, span: &Account) {
        self.work += span.work;
        self.load += span.load;
        self.stored += span.stored;
        self.dissipated += span.dissipated;
        self.slip += span.slip;
        self.returned += span.returned;
        self.broken += span.broken;
        self.turnover += span.turnover;
        self.grip = self.grip.max(span.grip);
        if span.least < self.least {
            (self.least, self.least_at) = (span.least, span.least_at);
        }
    }

    /// Enters the work of `force` at `v` over `weight` seconds.
    pub(crate) fn work(&mut self, weight: f64, force: f64, v: f64) {
        self.work += weight * force * v;
        self.turnover += weight * (force * v).abs();
        self.grip = self.grip.max(force.abs());
    }

    /// What does not balance.
    pub fn residual(&self) -> f64 {
        self.work + self.load - self.stored - self.dissipated
    }

    /// Whether dissipation was negative by more than rounding and quadrature can make it.
    pub fn creates_energy(&self) -> bool {
        let gross = self.work.abs().max(self.dissipated.abs()).max(self.stored.abs());
        -self.returned > 1e-9 * gross + self.residual().abs()
    }

    /// Enters the power of dissipation over `weight` seconds at `t`.
    pub(crate) fn dissipate(&mut self, t: f64, weight: f64, power: f64, claimed: bool) {
        self.dissipated += weight * power;
        self.returned += weight * power.min(0.0);
        if claimed {
            self.broken += weight * power.min(0.0);
        }
        if power < self.least {
            (self.least, self.least_at) = (power, t);
        }
    }

    /// Whether the books balance and the model keeps its claim, as well as a run at this tolerance can tell.
    pub(crate) fn fault(&self, tolerance: f64) -> Option<Fault> {
        let allowed = ALLOWANCE * tolerance * (self.turnover + self.grip * self.small);
        let residual = self.residual();
        if residual.is_nan() || residual.abs() > allowed {
            Some(Fault::Residual { residual, allowed })
        } else if -self.broken > allowed {
            Some(Fault::Dissipation { created: -self.broken, allowed })
        } else {
            None
        }
    }
}

/// So many times its tolerance a run may be off in energy, relative to all that was moved.
pub(crate) const ALLOWANCE: f64 = 1e3;

/// So often a step is halved whose account does not balance.
pub(crate) const SPLITS: u32 = 7;

/// What is wrong with an account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It does not balance.
    Residual {
        /// What is missing (positive) or too much, J.
        residual: f64,
        /// What the tolerances explain, J.
        allowed: f64,
    },
    /// Dissipation is negative in a model that claims to be passive.
    Dissipation {
        /// The energy that came from nowhere, J.
        created: f64,
        /// What the tolerances explain, J.
        allowed: f64,
    },
}

/// The books of a run do not balance, or a model did not keep its claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// When that was first seen, s.
    pub t: f64,
    /// In which contact; none, where it is the mechanism as a whole.
    pub contact: Option<usize>,
    /// Its name; empty where there is only one.
    pub name: &'static str,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.contact, self.name) {
            (None, _) => write!(f, "the energy of the machine")?,
            (Some(_), "") => write!(f, "the energy of the contact")?,
            (Some(_), name) => write!(f, "the energy of contact `{name}`")?,
        }
        let t = self.t;
        match self.fault {
            Fault::Residual { residual, allowed } => write!(
                f,
                " does not balance: {residual:.3e} J of it are unaccounted for, and the tolerance explains \
                 {allowed:.1e} J; first seen at t = {t} s"
            ),
            Fault::Dissipation { created, allowed } => write!(
                f,
                " grew by {created:.3e} J from nothing, in a model that claims to be passive; the tolerance \
                 explains {allowed:.1e} J; first seen at t = {t} s"
            ),
        }
    }
}

impl core::error::Error for Imbalance {}

/// The accounts of all friction elements of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    accounts: Vec<Account>,
    stored: Forces<f64>,
    /// The mode of the last step.
    mode: Mode,
    tolerance: f64,
    imbalance: Option<Imbalance>,
}

impl Ledger {
    /// Opened at the state `y`, for a run with that relative tolerance.
    pub fn new<M: Mechanism>(
        system: &Coupled<M>,
        mode: &Mode,
        t: f64,
        y: &[f64],
        tolerance: f64,
    ) -> Self {
        let accounts =
            (0..system.contacts()).map(|_| Account::open(t, &system.mechanism)).collect();
        let stored = stored(system, mode, t, y);
        Ledger { accounts, stored, mode: mode.clone(), tolerance, imbalance: None }
    }

    /// The account of contact `i`.
    pub fn account(&self, i: usize) -> &Account {
        &self.accounts[i]
    }

    /// What is wrong with the books, if something is.
    pub fn imbalance(&self) -> Option<&Imbalance> {
        self.imbalance.as_ref()
    }

    /// Enters a step that was taken in `mode`.
    pub fn enter<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, dense: &dyn Dense) {
        let (start, h) = (dense.start(), dense.end() - dense.start());
        let mut y: Values<f64> = zeros(system.states());
        if self.mode != *mode {
            dense.at(start, &mut y);
            self.release(system, mode, start, &y);
            self.mode.clone_from(mode);
        }
        if h > 0.0 {
            let span = self.span(system, mode, dense, [start, dense.end()], SPLITS);
            dense.at(dense.end(), &mut y);
            let now = stored(system, mode, dense.end(), &y);
            for ((account, span), (stored, now)) in
                self.accounts.iter_mut().zip(span).zip(self.stored.iter_mut().zip(now))
            {
                // Since the last step, and not since the start of this one: no jump between them is left out.
                account.add(&Account { stored: now - *stored, ..span });
                account.turnover = account.turnover.max(now);
                *stored = now;
            }
        }
        self.audit(system, dense.end());
    }

    /// The accounts over a span of a step. Where one does not balance, and those of its halves do better, three nodes
    /// have not resolved a force that changes faster than the motion: the halves count.
    fn span<M: Mechanism>(
        &self,
        system: &Coupled<M>,
        mode: &Mode,
        dense: &dyn Dense,
        [from, to]: [f64; 2],
        splits: u32,
    ) -> Vec<Account> {
        let whole = by_nodes(system, mode, dense, [from, to]);
        // Each span is held to a tenth of what the run is: errors of quadrature may add up.
        let balances = whole.iter().all(|account| account.fault(0.1 * self.tolerance).is_none());
        if balances || splits == 0 {
            return whole;
        }
        let off = |accounts: &[Account]| accounts.iter().map(|a| a.residual().abs()).sum::<f64>();
        let middle = 0.5 * (from + to);
        let halves = [[from, middle], [middle, to]];
        let in_halves = halves.map(|half| off(&by_nodes(system, mode, dense, half)));
        if in_halves[0] + in_halves[1] > 0.5 * off(&whole) {
            return whole;
        }
        let [mut first, second] =
            halves.map(|half| self.span(system, mode, dense, half, splits - 1));
        first.iter_mut().zip(&second).for_each(|(first, second)| first.add(second));
        first
    }

    /// Where stored energy has jumped with the mode since the last step: part of it went with a jump of the load, as where a
    /// load depends on the direction. What the mode of a contact took besides is lost, a bristle was released, and what
    /// appears is created.
    fn release<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) {
        let now = stored(system, mode, t, y);
        for i in 0..now.len() {
            let lost = self.stored[i] - now[i];
            let (at, z) = system.contact(mode, i, t, y);
            let friction = system.friction(i);
            let claimed = friction.energy(&at, z, z).known;
            let by_load = match self.mode.contacts[i].element == mode.contacts[i].element {
                true => -lost,
                false => {
                    let before = system.contact(&self.mode, i, t, y).0.load;
                    now[i] - friction.energy(&Drive { load: before, ..at }, z, z).stored
                }
            };
            let account = &mut self.accounts[i];
            account.stored -= lost;
            account.load += by_load;
            let lost = lost + by_load;
            account.dissipated += lost;
            account.returned += lost.min(0.0);
            account.broken += if claimed { lost.min(0.0) } else { 0.0 };
            self.stored[i] = now[i];
        }
    }

    /// Looks whether the books balance.
    fn audit<M: Mechanism>(&mut self, system: &Coupled<M>, t: f64) {
        if self.imbalance.is_some() {
            return;
        }
        let contacts = system.mechanism.contacts();
        for contact in acting(system) {
            if let Some(fault) = self.accounts[contact].fault(self.tolerance) {
                let name = contacts[contact].name;
                self.imbalance = Some(Imbalance { t, contact: Some(contact), name, fault });
            }
        }
    }
}

/// The accounts over a span of a step, by the nodes of Radau IIA.
fn by_nodes<M: Mechanism>(
    system: &Coupled<M>,
    mode: &Mode,
    dense: &dyn Dense,
    [from, to]: [f64; 2],
) -> Vec<Account> {
    let mut accounts = alloc::vec![Account::blank(from); system.contacts()];
    let mut y: Values<f64> = zeros(system.states());
    dense.at(from, &mut y);
    let before = stored(system, mode, from, &y);
    for (node, weight) in NODES.into_iter().zip(WEIGHTS) {
        let t = from + node * (to - from);
        dense.at(t, &mut y);
        enter_node(system, mode, t, &y, weight * (to - from), &mut accounts);
    }
    // The last node is the end.
    let after = stored(system, mode, to, &y);
    for i in acting(system) {
        accounts[i].stored = after[i] - before[i];
    }
    accounts
}

/// Enters what happens at one node, where the state is `y`.
fn enter_node<M: Mechanism>(
    system: &Coupled<M>,
    mode: &Mode,
    t: f64,
    y: &[f64],
    weight: f64,
    accounts: &mut [Account],
) {
    let mut dy: Values<f64> = zeros(y.len());
    let force = system.flow(mode, t, y, &mut dy);
    let slope = |re: f64, rate: f64| Slope { re, eps: [rate, 0.0, 0.0, 0.0] };
    let along: Values<Slope> = y.iter().zip(&dy).map(|(y, dy)| slope(*y, *dy)).collect();
    for i in acting(system) {
        let (at, z) = system.contact(mode, i, t, y);
        let sticks = system.sticks(mode, i) && !mode.contacts[i].carried;
        let dz = &dy[system.place(i)];
        let friction = system.friction(i);
        let energy = friction.energy(&at, z, dz);
        // ∂W/∂N Ṅ: the load as it changes, all else held.
        let load = system.contact(mode, i, slope(t, 1.0), &along).0.load;
        let held: Drive<Slope> = Drive {
            x: at.x.into(),
            mode: at.mode.map(Slope::from),
            injection: at.injection.into(),
            ..Drive::new(at.v.into(), load)
        };
        let lift = |values: &[f64]| values.iter().map(|x| Slope::from(*x)).collect::<Vec<_>>();
        let loading = match load.eps[0] == 0.0 {
            true => 0.0,
            false => {
                system.friction_in::<Slope>(i).energy(&held, &lift(z), &lift(dz)).stored.eps[0]
            }
        };
        let account = &mut accounts[i];
        account.work(weight, force[i], if sticks { 0.0 } else { at.v });
        account.load += weight * loading;
        account.dissipate(t, weight, energy.dissipated, energy.known);
        account.slip += weight * force[i] * friction.tip(&at, dz);
    }
}

/// The contacts whose friction acts on a body.
fn acting<M: Mechanism>(system: &Coupled<M>) -> impl Iterator<Item = usize> {
    let contacts = system.mechanism.contacts();
    (0..contacts.len()).filter(|i| contacts[*i].role == Role::Friction)
}

fn stored<M: Mechanism>(system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) -> Forces<f64> {
    let of = |i: usize| {
        let (at, z) = system.contact(mode, i, t, y);
        system.friction(i).energy(&at, z, z).stored
    };
    (0..system.contacts()).map(of).collect()
}
