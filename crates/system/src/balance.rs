//! What becomes of the energy of a whole mechanism, part by part.
//!
//! ```text
//! ∫(work of drives) dt = Δ(stored) + ∫(loss of parts) dt + ∫F v dt + residual
//! ```
//!
//! The mechanism says what each of its parts does ([`Mechanism::flow`]); what goes into friction is accounted for by the
//! [`Ledger`](crate::Ledger). Integrals are taken over the stages of Radau IIA, like those of the ledger.
use crate::coupled::{Values, zeros};
use crate::ledger::{ALLOWANCE, Fault, SPLITS};
use crate::{Coupled, Flow, FlowKind, Mechanism, Mode, Role};
use alloc::vec;
use alloc::vec::Vec;
use bristle_ode::tableau::{NODES, WEIGHTS};
use bristle_ode::{Dense, System};

/// The energy of a mechanism since the start of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Of each flow, J: work brought in, energy lost, or growth of what is stored.
    totals: Vec<f64>,
    /// What went into friction, J.
    friction: f64,
    /// All energy that was moved, whatever its sign, J.
    turnover: f64,
    /// What absolute tolerances change the stored energy by, J, for a relative tolerance of 1.
    unseen: f64,
    /// What was stored where the last step ended, by flow.
    stored: Vec<f64>,
    /// A small value of each state of the mechanism.
    small: Vec<f64>,
    tolerance: f64,
    fault: Option<(f64, Fault)>,
}

/// What a span of a step adds.
#[derive(Clone, Default)]
struct Span {
    totals: Vec<f64>,
    friction: f64,
    turnover: f64,
}

impl Span {
    fn add(&mut self, other: &Span) {
        self.totals.iter_mut().zip(&other.totals).for_each(|(a, b)| *a += b);
        self.friction += other.friction;
        self.turnover += other.turnover;
    }
}

impl Balance {
    /// Opened at the state `y`, for a run with that relative tolerance; nothing for a mechanism that says nothing of its
    /// energy.
    pub fn new<M: Mechanism>(
        system: &Coupled<M>,
        mode: &Mode,
        t: f64,
        y: &[f64],
        tolerance: f64,
    ) -> Option<Self> {
        let flows = system.mechanism.flows();
        if flows.is_empty() {
            return None;
        }
        let small = system.mechanism.quantities().iter().map(|q| q.small).collect();
        Some(Balance {
            totals: vec![0.0; flows.len()],
            friction: 0.0,
            turnover: 0.0,
            unseen: 0.0,
            stored: stored(system, mode, t, y),
            small,
            tolerance,
            fault: None,
        })
    }

    /// What each flow amounts to, J.
    pub fn totals<'a, M: Mechanism>(
        &'a self,
        system: &'a Coupled<M>,
    ) -> impl Iterator<Item = (Flow, f64)> + 'a {
        system.mechanism.flows().iter().copied().zip(self.totals.iter().copied())
    }

    /// What went into friction, J.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// What does not balance, J.
    pub fn residual<M: Mechanism>(&self, system: &Coupled<M>) -> f64 {
        residual(system.mechanism.flows(), &self.totals, self.friction)
    }

    /// When the books were first seen not to balance, s, and by how much.
    pub fn fault(&self) -> Option<(f64, Fault)> {
        self.fault
    }

    /// Enters a step that was taken in `mode`.
    pub fn enter<M: Mechanism>(&mut self, system: &Coupled<M>, mode: &Mode, dense: &dyn Dense) {
        let (from, to) = (dense.start(), dense.end());
        if to <= from {
            return;
        }
        let flows = system.mechanism.flows();
        let mut span = self.span(system, mode, dense, [from, to], SPLITS);
        let mut y: Values<f64> = zeros(system.states());
        dense.at(to, &mut y);
        let now = stored(system, mode, to, &y);
        // Since the last step, and not since the start of this one: no jump between them is left out.
        for (k, _) in flows.iter().enumerate().filter(|(_, f)| f.kind == FlowKind::Stored) {
            span.totals[k] = now[k] - self.stored[k];
        }
        self.totals.iter_mut().zip(&span.totals).for_each(|(total, by)| *total += by);
        self.friction += span.friction;
        self.turnover += span.turnover;
        let whole: f64 = now.iter().sum();
        self.turnover = self.turnover.max(whole.abs());
        for sign in [-1.0, 1.0] {
            let mut near = y.clone();
            near.iter_mut().zip(&self.small).for_each(|(y, small)| *y += sign * small);
            let there: f64 = stored(system, mode, to, &near).iter().sum();
            self.unseen = self.unseen.max((there - whole).abs());
        }
        self.stored = now;
        let residual = residual(flows, &self.totals, self.friction);
        let allowed = ALLOWANCE * self.tolerance * (self.turnover + self.unseen);
        if self.fault.is_none() && (residual.is_nan() || residual.abs() > allowed) {
            self.fault = Some((to, Fault::Residual { residual, allowed }));
        }
    }

    /// What a span of a step adds. Where it does not balance, and its halves do better, three nodes have not resolved a
    /// power that changes faster than the motion: the halves count.
    fn span<M: Mechanism>(
        &self,
        system: &Coupled<M>,
        mode: &Mode,
        dense: &dyn Dense,
        [from, to]: [f64; 2],
        splits: u32,
    ) -> Span {
        let flows = system.mechanism.flows();
        let off = |span: &Span| residual(flows, &span.totals, span.friction).abs();
        let whole = by_nodes(system, mode, dense, [from, to]);
        let allowed = 0.1 * ALLOWANCE * self.tolerance * (whole.turnover + self.unseen);
        if splits == 0 || off(&whole) <= allowed {
            return whole;
        }
        let middle = 0.5 * (from + to);
        let halves = [[from, middle], [middle, to]];
        let in_halves: f64 =
            halves.iter().map(|half| off(&by_nodes(system, mode, dense, *half))).sum();
        if in_halves > 0.5 * off(&whole) {
            return whole;
        }
        let [mut first, second] =
            halves.map(|half| self.span(system, mode, dense, half, splits - 1));
        first.add(&second);
        first
    }
}

fn residual(flows: &[Flow], totals: &[f64], friction: f64) -> f64 {
    let signed = flows.iter().zip(totals).map(|(flow, total)| match flow.kind {
        FlowKind::Work => *total,
        FlowKind::Loss | FlowKind::Stored => -total,
    });
    signed.sum::<f64>() - friction
}

/// What a span of a step adds, by the nodes of Radau IIA.
fn by_nodes<M: Mechanism>(
    system: &Coupled<M>,
    mode: &Mode,
    dense: &dyn Dense,
    [from, to]: [f64; 2],
) -> Span {
    let mechanism = &system.mechanism;
    let flows = mechanism.flows();
    let bodies = mechanism.quantities().len();
    let mut span = Span { totals: vec![0.0; flows.len()], ..Span::default() };
    let (mut y, mut power): (Values<f64>, Vec<f64>) =
        (zeros(system.states()), vec![0.0; flows.len()]);
    dense.at(from, &mut y);
    let before = stored(system, mode, from, &y);
    for (node, weight) in NODES.into_iter().zip(WEIGHTS) {
        let (t, weight) = (from + node * (to - from), weight * (to - from));
        dense.at(t, &mut y);
        let force = system.forces(mode, t, &y);
        mechanism.flow(t, &mode.phase, &y[..bodies], &force, &mut power);
        for (k, _) in flows.iter().enumerate().filter(|(_, f)| f.kind != FlowKind::Stored) {
            span.totals[k] += weight * power[k];
            span.turnover += weight * power[k].abs();
        }
        for (i, contact) in mechanism.contacts().iter().enumerate() {
            if contact.role == Role::Friction {
                let sticks = system.sticks(mode, i) && !mode.contacts[i].carried;
                let v = if sticks { 0.0 } else { system.contact(mode, i, t, &y).0.v };
                span.friction += weight * force[i] * v;
                span.turnover += weight * (force[i] * v).abs();
            }
        }
    }
    // The last node is the end.
    let after = stored(system, mode, to, &y);
    for (k, _) in flows.iter().enumerate().filter(|(_, f)| f.kind == FlowKind::Stored) {
        span.totals[k] = after[k] - before[k];
    }
    span
}

/// What is stored, by flow; zeros elsewhere.
fn stored<M: Mechanism>(system: &Coupled<M>, mode: &Mode, t: f64, y: &[f64]) -> Vec<f64> {
    let mechanism = &system.mechanism;
    let bodies = mechanism.quantities().len();
    let mut out = vec![0.0; mechanism.flows().len()];
    // What is stored does not depend on friction.
    let force = vec![0.0; system.contacts()];
    mechanism.flow(t, &mode.phase, &y[..bodies], &force, &mut out);
    let flows = mechanism.flows().iter().zip(&mut out);
    flows.filter(|(f, _)| f.kind != FlowKind::Stored).for_each(|(_, out)| *out = 0.0);
    out
}
