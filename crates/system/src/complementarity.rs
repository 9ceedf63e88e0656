//! Which contacts stick, which slide, and with what force.
//!
//! At rest a set-valued contact takes any force within its limits. With the accelerations
//! a = a₀ − W F, W symmetric and positive semidefinite, the forces of all contacts at rest together are
//!
//! ```text
//! F_l ≤ F ≤ F_r:   a_i > 0 only if F_i = F_r,i,   a_i < 0 only if F_i = F_l,i
//! ```
//!
//! a linear complementarity problem with bounds. Its solution exists; accelerations are unique, forces
//! where W is regular. It is found by principal pivoting with the least index (K. G. Murty, Opsearch 11
//! (1974) 178-184), which ends for every regular W.
use alloc::vec;
use alloc::vec::Vec;
use bristle_kernel::{Logic, Real};

/// A pivot below this part of the largest entry is none: the contact has no say beside the others.
const SINGULAR: f64 = 1e-11;
/// Forces and accelerations are known so well, relative to what they are made of.
const RESOLVED: f64 = 1e-12;

/// What a contact at rest does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It sticks.
    Stick,
    /// It slides forward.
    Forward,
    /// It slides backward.
    Backward,
}

/// Contacts at rest, coupled to each other.
pub(crate) struct Problem {
    /// Accelerations without their forces.
    pub(crate) free: Vec<f64>,
    /// W by rows.
    pub(crate) response: Vec<f64>,
    /// Least and greatest forces.
    pub(crate) limits: Vec<[f64; 2]>,
}

impl Problem {
    /// What each contact does.
    pub(crate) fn solve(&self) -> Vec<Verdict> {
        let n = self.free.len();
        let mut verdict = vec![Verdict::Stick; n];
        // Each pass changes one contact; a regular W needs no more than 2ⁿ, and far fewer in practice.
        for _ in 0..64 + 8 * n {
            let force = self.forces(&verdict);
            let wrong = (0..n).find_map(|i| self.wrong(i, verdict[i], &force).map(|to| (i, to)));
            let Some((i, to)) = wrong else { return verdict };
            verdict[i] = to;
        }
        self.relaxed()
    }

    /// The forces, given what each contact does.
    fn forces(&self, verdict: &[Verdict]) -> Vec<f64> {
        let n = verdict.len();
        let mut force: Vec<f64> = (0..n)
            .map(|i| match verdict[i] {
                Verdict::Stick => 0.0,
                Verdict::Forward => self.limits[i][1],
                Verdict::Backward => self.limits[i][0],
            })
            .collect();
        let sticks: Vec<usize> = (0..n).filter(|i| verdict[*i] == Verdict::Stick).collect();
        let m = sticks.len();
        let mut held: Vec<f64> = sticks.iter().map(|i| self.acceleration(*i, &force)).collect();
        hold(&mut self.part(&sticks), &mut held, |k| self.limits[sticks[k]], m);
        sticks.iter().zip(held).for_each(|(i, held)| force[*i] = held);
        force
    }

    /// The part of W that is about these contacts.
    fn part(&self, contacts: &[usize]) -> Vec<f64> {
        let n = self.free.len();
        let row = |i: usize| contacts.iter().map(move |j| self.response[i * n + j]);
        contacts.iter().flat_map(|i| row(*i)).collect()
    }

    fn acceleration(&self, i: usize, force: &[f64]) -> f64 {
        let n = force.len();
        self.free[i] - (0..n).map(|j| self.response[i * n + j] * force[j]).sum::<f64>()
    }

    /// What contact `i` does instead, if this cannot be.
    fn wrong(&self, i: usize, verdict: Verdict, force: &[f64]) -> Option<Verdict> {
        let n = force.len();
        let [low, high] = self.limits[i];
        let terms = (0..n).map(|j| (self.response[i * n + j] * force[j]).abs());
        let noise = RESOLVED * terms.fold(self.free[i].abs(), f64::max);
        let spare = RESOLVED * (low.abs() + high.abs());
        let a = self.acceleration(i, force);
        match verdict {
            Verdict::Stick if force[i] > high + spare => Some(Verdict::Forward),
            Verdict::Stick if force[i] < low - spare => Some(Verdict::Backward),
            // It does not obey its force: its motion is prescribed.
            Verdict::Stick if a > noise => Some(Verdict::Forward),
            Verdict::Stick if a < -noise => Some(Verdict::Backward),
            Verdict::Forward if a < -noise => Some(self.back(i, Verdict::Backward)),
            Verdict::Backward if a > noise => Some(self.back(i, Verdict::Forward)),
            _ => None,
        }
    }

    /// A contact that goes against its limit sticks, or goes the other way if no force holds it.
    fn back(&self, i: usize, other: Verdict) -> Verdict {
        let n = self.free.len();
        let most = self.response.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        if self.response[i * n + i] > SINGULAR * most { Verdict::Stick } else { other }
    }

    /// Whether the force of contact `i` is not unique: it can be changed together with others without moving
    /// anything.
    pub(crate) fn is_shared(&self, i: usize) -> bool {
        let n = self.free.len();
        let most = self.response.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let own = self.response[i * n + i];
        // A column is a combination of the others if nothing of it is left after they are eliminated.
        let others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        let m = others.len();
        let mut column: Vec<f64> = others.iter().map(|j| self.response[j * n + i]).collect();
        hold(&mut self.part(&others), &mut column, |_| [-1.0, 1.0], m);
        let along = others.iter().zip(&column).map(|(j, c)| self.response[i * n + j] * c);
        own - along.sum::<f64>() <= SINGULAR * most
    }

    /// The same by projected relaxation, which converges for singular W too.
    fn relaxed(&self) -> Vec<Verdict> {
        let n = self.free.len();
        let mut force = vec![0.0; n];
        for _ in 0..10_000 {
            for i in 0..n {
                let w = self.response[i * n + i];
                let [low, high] = self.limits[i];
                if w > 0.0 {
                    force[i] = (force[i] + self.acceleration(i, &force) / w).clamp(low, high);
                }
            }
        }
        (0..n)
            .map(|i| match force[i] {
                f if f >= self.limits[i][1] => Verdict::Forward,
                f if f <= self.limits[i][0] => Verdict::Backward,
                _ => Verdict::Stick,
            })
            .collect()
    }
}

/// Solves W F = a for `n` contacts in place of `a`, W by rows. Where W is singular, forces are shared in
/// proportion to what each contact can hold between its `limits`; tells whether that was so.
pub(crate) fn hold<S: Real>(
    matrix: &mut [S],
    a: &mut [S],
    limits: impl Fn(usize) -> [S; 2],
    n: usize,
) -> bool {
    let most = matrix.iter().fold(S::from(0.0), |most, w| most.max(w.abs()));
    let mut regular = vec![true; n];
    for p in 0..n {
        regular[p] = matrix[p * n + p].abs().gt(most * SINGULAR).any();
        if !regular[p] {
            continue;
        }
        for i in (0..n).filter(|i| *i != p) {
            let ratio = matrix[i * n + p] / matrix[p * n + p];
            for j in p..n {
                matrix[i * n + j] = matrix[i * n + j] - ratio * matrix[p * n + j];
            }
            a[i] = a[i] - ratio * a[p];
        }
    }
    for p in 0..n {
        a[p] = if regular[p] { a[p] / matrix[p * n + p] } else { S::from(0.0) };
    }
    if regular.iter().all(|r| *r) {
        return false;
    }
    // Ranges as parts of the largest. A contact that holds nothing beside others takes no part worth a digit; if
    // none holds anything, all take the same.
    let widths: Vec<S> = (0..n).map(&limits).map(|[low, high]| high - low).collect();
    let widest = widths.iter().fold(S::from(f64::MIN_POSITIVE), |most, w| most.max(*w));
    let range = |p: usize| widths[p] / widest + f64::EPSILON;
    // A combination of forces that moves nothing: one without a pivot, against those that have one.
    for free in (0..n).filter(|p| !regular[*p]) {
        let null = |p: usize| match p {
            _ if p == free => S::from(1.0),
            _ if regular[p] => -(matrix[p * n + free] / matrix[p * n + p]),
            _ => S::from(0.0),
        };
        let mut sums = [S::from(0.0); 2];
        for p in 0..n {
            sums[0] += null(p) * a[p] / range(p);
            sums[1] += null(p) * null(p) / range(p);
        }
        let share = sums[0] / sums[1];
        for p in 0..n {
            a[p] = a[p] - share * null(p);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bodies of 1 kg, coupled rigidly by nothing: each decides for itself.
    #[test]
    fn contacts_of_their_own_decide_by_their_own_limits() {
        let problem = Problem {
            free: vec![0.5, 2.0],
            response: vec![1.0, 0.0, 0.0, 1.0],
            limits: vec![[-1.0, 1.0]; 2],
        };
        assert_eq!(problem.solve(), [Verdict::Stick, Verdict::Forward]);
    }

    /// A lever: the force of one contact moves the other. Decided one by one both would slide; together
    /// the first one holds both.
    #[test]
    fn coupled_contacts_hold_each_other() {
        let problem = Problem {
            free: vec![2.0, 1.6],
            response: vec![1.0, 0.8, 0.8, 1.0],
            limits: vec![[-3.0, 3.0], [-1.5, 1.5]],
        };
        assert_eq!(problem.solve(), [Verdict::Stick; 2]);
    }

    /// Two brakes on one shaft hold more than either alone; what each takes is not unique.
    #[test]
    fn two_brakes_on_one_shaft_share() {
        let shaft = |free: f64| Problem {
            free: vec![free; 2],
            response: vec![1.0; 4],
            limits: vec![[-1.0, 1.0], [-2.0, 2.0]],
        };
        assert_eq!(shaft(2.9).solve(), [Verdict::Stick; 2]);
        assert_eq!(shaft(3.1).solve(), [Verdict::Forward; 2]);
        let (mut w, mut a) = (vec![1.0; 4], vec![2.4; 2]);
        assert!(hold(&mut w, &mut a, |k| [[-1.0, 1.0], [-2.0, 2.0]][k], 2));
        assert!((a[0] - 0.8).abs() < 1e-14 && (a[1] - 1.6).abs() < 1e-14, "{a:?}");
    }

    /// Lift-off: nothing is held, and nothing is divided by what is held.
    #[test]
    fn contacts_without_load_share_finite_forces() {
        for (limits, first) in [([[0.0; 2], [0.0; 2]], 1.2), ([[0.0; 2], [-2.0, 2.0]], 0.0)] {
            let (mut w, mut a) = (vec![1.0; 4], vec![2.4; 2]);
            assert!(hold(&mut w, &mut a, |k| limits[k], 2));
            assert!((a[0] - first).abs() < 1e-14 && (a[0] + a[1] - 2.4).abs() < 1e-14, "{a:?}");
        }
    }

    #[test]
    fn a_prescribed_motion_goes_where_it_goes() {
        let problem = Problem { free: vec![-1.0], response: vec![0.0], limits: vec![[-1.0, 1.0]] };
        assert_eq!(problem.solve(), [Verdict::Backward]);
    }
}
