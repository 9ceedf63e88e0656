//! What becomes of the energy that goes into each friction element.
//!
//! ```text
//! ∫F v dt + ∫(∂W/∂N) Ṅ dt = ΔW + ∫D dt + residual
//! ```
//!
//! W and D are what the model states ([`Bristle::energy`]). A bristle whose stiffness scales with the
//! load also gains energy from the load: the second term. The integrals are taken over the
//! stages of Radau IIA on the dense output: for that method they are what it would give if they were states.
use crate::coupled::{MAX_CONTACTS, MAX_STATES};
use crate::{Coupled, Mechanism, Role};
use bristle_kernel::{Bristle, Cast, Drive, Memory};
use bristle_num::Dual;
use bristle_ode::Dense;

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
    /// The dissipated power where it was least, W.
    pub least: f64,
    /// When that was, s.
    pub least_at: f64,
}

impl Account {
    /// What does not balance.
    pub fn residual(&self) -> f64 {
        self.work + self.load - self.stored - self.dissipated
    }

    /// Whether dissipation was negative by more than rounding and quadrature can make it.
    pub fn creates_energy(&self) -> bool {
        let gross = self.work.abs().max(self.dissipated.abs()).max(self.stored.abs());
        -self.returned > 1e-9 * gross + self.residual().abs()
    }
}

/// The accounts of all friction elements of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledger {
    accounts: [Account; MAX_CONTACTS],
    stored: [f64; MAX_CONTACTS],
    memory: [Memory<f64>; MAX_CONTACTS],
}

/// √6
const ROOT: f64 = 2.449_489_742_783_178;
/// Nodes and weights of Radau IIA of order 5.
const NODES: [(f64, f64); 3] = [
    ((4.0 - ROOT) / 10.0, (16.0 - ROOT) / 36.0),
    ((4.0 + ROOT) / 10.0, (16.0 + ROOT) / 36.0),
    (1.0, 1.0 / 9.0),
];

impl Ledger {
    /// Opened at the state `y`.
    pub fn new<M: Mechanism>(system: &Coupled<M>, t: f64, y: &[f64]) -> Self {
        let fresh = Account { least: f64::INFINITY, least_at: t, ..Account::default() };
        let stored = stored(system, t, y);
        Ledger { accounts: [fresh; MAX_CONTACTS], stored, memory: system.memory() }
    }

    /// The account of contact `i`.
    pub fn account(&self, i: usize) -> &Account {
        &self.accounts[i]
    }

    /// Enters a step.
    pub fn enter<M: Mechanism, const N: usize>(&mut self, system: &Coupled<M>, dense: &Dense<N>) {
        let (start, h) = (dense.start(), dense.end() - dense.start());
        self.release(system, start, &dense.at(start));
        for (node, weight) in NODES {
            let t = start + node * h;
            self.enter_at(system, t, &dense.at(t), weight * h);
        }
        let now = stored(system, dense.end(), &dense.at(dense.end()));
        for i in 0..system.contacts() {
            self.accounts[i].stored += now[i] - self.stored[i];
        }
        self.stored = now;
    }

    /// Where a model committed to something else since the last step, stored energy is lost at once: a
    /// bristle was released. What appears instead is created.
    fn release<M: Mechanism>(&mut self, system: &Coupled<M>, t: f64, y: &[f64]) {
        let memory = system.memory();
        if memory == self.memory {
            return;
        }
        let now = stored(system, t, y);
        for i in (0..system.contacts()).filter(|i| memory[*i] != self.memory[*i]) {
            let lost = self.stored[i] - now[i];
            let account = &mut self.accounts[i];
            account.stored -= lost;
            account.dissipated += lost;
            account.returned += lost.min(0.0);
            self.stored[i] = now[i];
        }
        self.memory = memory;
    }

    fn enter_at<M: Mechanism>(&mut self, system: &Coupled<M>, t: f64, y: &[f64], weight: f64) {
        let n = y.len();
        let mut dy = [0.0; MAX_STATES];
        let force = system.flow(t, y, &mut dy[..n]);
        let along: [Dual<f64, 1>; MAX_STATES] =
            core::array::from_fn(|k| Dual { re: y.get(k).copied().unwrap_or(0.0), eps: [dy[k]] });
        let clock = Dual { re: t, eps: [1.0] };
        for i in acting(system) {
            let (at, z) = system.contact(i, t, y);
            let dz = &dy[system.place(i)];
            let friction = system.friction(i);
            let power = friction.energy(&at, z, dz).dissipated;
            // ∂W/∂N Ṅ: the load as it changes, all else held.
            let load = system.contact(i, clock, &along[..n]).0.load;
            let held: Drive<Dual<f64, 1>> = Drive {
                x: at.x.into(),
                memory: at.memory.map(Dual::from),
                injection: at.injection.into(),
                ..Drive::new(at.v.into(), load)
            };
            let lift = |values: &[f64]| -> [Dual<f64, 1>; MAX_STATES] {
                core::array::from_fn(|k| values.get(k).copied().unwrap_or(0.0).into())
            };
            let (zs, dzs) = (lift(z), lift(dz));
            let own = z.len();
            let dual = friction.cast(&mut |x| Dual::from(x));
            let loading = dual.energy(&held, &zs[..own], &dzs[..own]).stored.eps[0];
            let account = &mut self.accounts[i];
            account.work += weight * force[i] * at.v;
            account.load += weight * loading;
            account.dissipated += weight * power;
            account.slip += weight * force[i] * friction.tip(&at, dz);
            account.returned += weight * power.min(0.0);
            if power < account.least {
                (account.least, account.least_at) = (power, t);
            }
        }
    }
}

/// The contacts whose friction acts on a body.
fn acting<M: Mechanism>(system: &Coupled<M>) -> impl Iterator<Item = usize> {
    let contacts = system.mechanism.contacts();
    (0..contacts.len()).filter(|i| contacts[*i].role == Role::Friction)
}

fn stored<M: Mechanism>(system: &Coupled<M>, t: f64, y: &[f64]) -> [f64; MAX_CONTACTS] {
    core::array::from_fn(|i| {
        if i >= system.contacts() {
            return 0.0;
        }
        let (at, z) = system.contact(i, t, y);
        system.friction(i).energy(&at, z, &y[..z.len()]).stored
    })
}
