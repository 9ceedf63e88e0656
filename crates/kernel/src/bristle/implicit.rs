//! The implicit bristle: force balance at the tip of a massless Kelvin-Voigt bristle.
//!
//! ```text
//! v_S = v − ż                                                       (1)
//! F_R(v_S) = σ₀ z + σ₁ ż                                            (5)
//! F_R(v_S) = sgn(v_S) μ(|v_S|) F_N,   |F_R| ≤ μ_s F_N at v_S = 0    (3)
//! ż = −(σ₀/σ₁) z                      at lift-off                   (6)
//!
//! W = ½ σ₀z²,   F v − Ẇ = σ₁ż² + F_R v_S ≥ 0
//! ```
//!
//! Equation numbers of 002; z in m, σ₀ in N/m, σ₁ in N·s/m, or 1/m and s/m per unit load. With the
//! trial force b = σ₀z + σ₁v, that of a sticking tip, (5) reads σ₁|v_S| + μ(|v_S|)F_N = |b|. Where it
//! has several roots, the one followed is that of the branch that the mode is on: `index[0]` is the sign
//! of sliding times the number of steepest falls of the law below |v_S|, 0 while sticking. The branch
//! changes where the force leaves it at one of its ends. `index[1]` is the side of the static limit, a
//! kink. For a Stribeck exponent of 1 the root is in closed form (Lambert W).
use super::root::{Balance, Branch};
use super::{Bristle, Drive, Energy, Free, Mode, Passivity, Scaling, Update, Variable, free_rate};
use crate::{Law, Params};
use bristle_num::{Logic, Real};

/// The bristle of which LuGre is a first guess: it sticks, exactly.
///
/// Choose it when a stick must be a stick: below the static limit it has no drift at all, it
/// follows its law at every instant, not only in steady sliding, and it is passive. It costs a
/// root per evaluation and a mode; its force jumps when the law falls faster than
/// σ₁ damps, so a solver must locate these events.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "implicit",
    title = "implicit bristle: exact force balance at the tip",
    source = "002 §2.1, (1)-(6), listings 6, 7; with the branch-following root instead of fzero",
    stick = "yes, exactly: no drift below the static limit",
    passive = "yes: W = σ₀z²/2, both the damper and the tip dissipate",
    law = "yes, at every instant, as a function of the sliding velocity v − ż"
)]
pub struct Implicit<S, L> {
    /// what stiffness and damping are measured against
    #[param(choice, start = Scaling::PerLoad, eq = "000 (13), 002 (2)")]
    pub scaling: Scaling,
    /// bristle stiffness σ₀
    #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "002 (2)")]
    pub sigma0: S,
    /// bristle damping σ₁
    #[param(unit = "s/m", absolute = "N*s/m", start = 64.5, range = "(0, inf)", eq = "002 (2)")]
    pub sigma1: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

impl<S: Real, L: Law<S>> Implicit<S, L> {
    #[inline(always)]
    fn bristle(&self, n: S) -> (S, S) {
        (self.scaling.newtons(self.sigma0, n), self.scaling.newtons(self.sigma1, n))
    }

    /// The trial force per unit load in the direction of the mode, or in its own while the tip sticks,
    /// that direction, and the balance it enters. In the air it is 0.
    #[inline(always)]
    fn balance(&self, at: &Drive<S>, z: S) -> (S, S, Balance<'_, S, L>) {
        let (n, zero) = (at.divisor(), S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let b = S::select(at.pressed(), (s0 * z + s1 * at.input()) / n, zero);
        let slides = at.mode.index[0].abs().gt(zero);
        let side = S::select(slides, at.mode.index[0], b).sign();
        (
            S::select(side.abs().gt(zero), side * b, zero),
            side,
            Balance { law: &self.law, a: s1 / n },
        )
    }

    /// The forces at which the mode ends, and in which lanes the ends are folds: elsewhere the tip
    /// passes a steepest fall of the law, and the branch goes on.
    #[inline(always)]
    fn ends(balance: &Balance<'_, S, L>, branch: &Branch<S>, falls: S) -> [(S, S::Mask); 2] {
        let [low, high] = balance.between(falls);
        let end = |fold: S::Mask, k: usize, fall: S| {
            (S::select(fold, branch.forces[k], balance.h(fall)), fold)
        };
        [end(branch.ends[0].gt(low), 0, low), end(branch.ends[1].le(high), 1, high)]
    }

    /// The mode on the branch that holds a force a little above `b`, or a little below it.
    #[inline(always)]
    fn landed(&self, balance: &Balance<'_, S, L>, side: S, falls: S, b: S, up: bool) -> Mode<S> {
        let branch = balance.reached(falls, b, up);
        let falls = balance.falls_below(balance.speed(&branch, b));
        let limit = S::select(b.lt(self.law.rest()), S::from(-1.0), S::from(1.0));
        Mode::default().with(0, side * falls).with(1, limit)
    }

    /// A step by the force balance at its end or its midpoint, with what the contact moves: (5) with σ₁ + θhσ₀ in
    /// place of σ₁, divided by 1 + that times the gain. Gives the force, the velocity and the mode.
    fn stepped(
        &self,
        how: Update,
        at: &Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut S,
    ) -> Option<(S, S, Mode<S>)> {
        let (theta, n, zero) = (how.stage()?, at.divisor(), S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let a = s1 + s0 * h * theta;
        let eased = S::from(1.0) / (free.gain * a + 1.0);
        let b = (s0 * *z + a * (free.velocity + at.injection)) * eased;
        let on = at.pressed();
        let (b, side) = (S::select(on, b.abs() / n, zero), b.sign());
        let balance = Balance { law: &self.law, a: a * eased / n };
        // On the other side of zero a motion begins at rest.
        let kept = (at.mode.index[0] * side).gt(zero);
        let falls = S::select(kept, at.mode.index[0].abs(), zero);
        let (speed, falls) = balance.slid(falls, b);
        let force = side * n * (b - balance.a * speed);
        let v = free.velocity - free.gain * S::select(on, force, zero);
        // ż = v − v_S, or from F = σ₀z_m + σ₁ż, whichever is the difference of smaller numbers.
        let bent = (force - s0 * *z) / a.max(S::from(f64::MIN_POSITIVE));
        let nearer = (force.abs() + (s0 * *z).abs()).lt(a * (v.abs() + speed));
        let rate = S::select(nearer, bent, v + at.injection - side * speed);
        let (begun, relaxing) = (*z, (-free_rate(s0, s1) * h).exp());
        *z = S::select(on, begun + h * rate, begun * relaxing);
        // The force is that of the deflections as they are rounded: its work is what they store and lose.
        let moved = (*z - begun) / h.max(S::from(f64::MIN_POSITIVE));
        let own = s0 * (begun + (*z - begun) * theta) + s1 * moved;
        let force = S::select(h.gt(zero), own, force);
        let limit = S::select(b.lt(self.law.rest()), S::from(-1.0), S::from(1.0));
        let mode = Mode::default().with(0, side * falls).with(1, limit);
        Some((S::select(on, force, zero), v, mode))
    }

    /// The sliding velocity v_S of the tip.
    #[inline(always)]
    pub fn sliding(&self, at: &Drive<S>, z: S) -> S {
        let (b, side, balance) = self.balance(at, z);
        let branch = balance.committed(at.mode.index[0].abs());
        side * balance.speed(&branch, b)
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for Implicit<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        1
    }
    fn variable(&self, _i: usize) -> Variable {
        Variable::DEFLECTION
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let n = at.divisor();
        let (s0, s1) = self.bristle(n);
        let slip = self.sliding(at, z[0]);
        // (5) solved for ż: v − v_S of (1) would be a small difference of large numbers.
        let friction = slip.sign() * n * self.law.level(slip); // (3)
        let sliding = (friction - s0 * z[0]) / s1;
        let rate = S::select(slip.abs().gt(S::from(0.0)), sliding, at.input());
        let free = -free_rate(s0, s1) * z[0]; // (6)
        dz[0] = S::select(at.pressed(), rate, free);
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> S {
        let (s0, s1) = self.bristle(at.load);
        S::select(at.pressed(), s0 * z[0] + s1 * dz[0], S::from(0.0)) // (5)
    }

    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let n = at.divisor();
        let force = at.v.sign() * n * self.law.level(at.v);
        z[0] = S::select(at.pressed(), force / self.bristle(n).0, S::from(0.0));
        S::select(at.pressed(), force, S::from(0.0))
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let (s0, s1) = self.bristle(n);
        let slip = at.v - dz[0];
        Energy {
            stored: s0 * z[0] * z[0] * 0.5,
            dissipated: s1 * dz[0] * dz[0] + self.force(at, z, dz) * slip,
            known: S::Mask::splat(true),
        }
    }

    fn passivity(&self) -> Passivity<S> {
        Passivity::always(
            "W = σ₀z²/2 at constant load: F v − Ẇ = σ₁ż² + F_R v_S ≥ 0, damper and tip dissipate at \
             every instant",
        )
    }

    /// F_R ≤ μN gives ż ≤ 0 wherever σ₀z ≥ μN, as in 000 Lemma III.1.
    fn bound(&self, z0: &[S], v_max: S, load_max: S, out: &mut [S]) {
        let reach = load_max * self.law.highest(v_max) / self.bristle(load_max).0;
        out[0] = z0[0].abs().max(reach);
    }

    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        self.stepped(how, at, &Free::prescribed(at.v), h, &mut z[0]).map(|(force, ..)| force)
    }

    /// A stick is decided without the law's curve. A tip that slides takes one root; the law is evaluated at most
    /// as often as [`MOST_EVALUATIONS`](super::MOST_EVALUATIONS) says, at each of its pieces.
    fn advance(
        &self,
        how: Update,
        at: &mut Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut [S],
    ) -> Option<S> {
        let how = if how == Update::Exponential { Update::Midpoint } else { how };
        let (force, v, mode) = self.stepped(how, at, free, h, &mut z[0])?;
        at.x += h * v;
        (at.v, at.mode) = (v, mode);
        Some(force)
    }

    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        true
    }

    /// Only where the damping outweighs the fall of the law: σ₁ + Nμ′(|v|) ≥ 0.
    fn attracts(&self, at: &Drive<S>) -> S::Mask {
        let (_, _, balance) = self.balance(at, S::from(0.0));
        balance.slope(at.v.abs()).ge(S::from(0.0))
    }

    fn guards(&self) -> usize {
        3
    }

    /// The static limit, where sliding begins, and the two ends of the branch.
    fn watch(&self, at: &Drive<S>, z: &[S], out: &mut [S]) {
        let (b, _, balance) = self.balance(at, z[0]);
        let (one, infinite) = (S::from(1.0), S::from(f64::INFINITY));
        let falls = at.mode.index[0].abs();
        // Only the branch that begins with sticking has the kink.
        let branch = balance.committed(falls);
        let first = branch.ends[0].le(S::from(0.0));
        out[0] = S::select(first, at.mode.index[1] * (b - self.law.rest()), one);
        let [(low, _), (high, _)] = Self::ends(&balance, &branch, falls);
        out[1] = S::select(low.abs().lt(infinite), b - low, one);
        out[2] = S::select(high.abs().lt(infinite), high - b, one);
    }

    /// From rest: the slowest branch that holds the force.
    fn begin(&self, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let (b, side, balance) = self.balance(&Drive { mode: Mode::default(), ..*at }, z[0]);
        self.landed(&balance, side, S::from(0.0), b, false)
    }

    fn next(&self, k: usize, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let Mode { index, .. } = at.mode;
        if k == 0 {
            return at.mode.with(1, -index[1]);
        }
        let (_, side, balance) = self.balance(at, z[0]);
        let (falls, up) = (index[0].abs(), k == 2);
        let (b, fold) = Self::ends(&balance, &balance.committed(falls), falls)[k - 1];
        let passed = at.mode.with(0, side * (falls + if up { 1.0 } else { -1.0 }));
        Mode::select(fold, self.landed(&balance, side, falls, b, up), passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Stribeck, Tabulated};
    use crate::{AnyLaw, Start};
    use proptest::prelude::*;

    /// Sets 1 and 2 of 002 Fig. 4, under 9.81 N.
    fn set(number: usize) -> Implicit<f64, Stribeck<f64>> {
        let (sigma0, sigma1, mu_s, mu_d, v_s, exponent, viscous) = match number {
            1 => (3.9e4, 395.0, 0.6, 0.3, 0.01, 1.0, 0.0),
            _ => (1e5, 1e5f64.sqrt(), 0.15, 0.1, 0.001, 2.0, 0.1 / 9.81),
        };
        let law = Stribeck { mu_s, mu_d, v_s, exponent, viscous, ..Stribeck::start(()) };
        Implicit { scaling: Scaling::Absolute, sigma0, sigma1, ..Implicit::start(law) }
    }

    fn folds(m: &Implicit<f64, Stribeck<f64>>) -> std::vec::Vec<Stretch> {
        let (_, _, balance) = m.balance(&Drive::new(0.0, 9.81), 0.0);
        let mut all = std::vec::Vec::new();
        for falls in 0..3 {
            let b = balance.committed(f64::from(falls));
            all.push((b.ends, b.forces.map(|f| f * 9.81)));
        }
        all.dedup();
        all
    }
    type Stretch = ([f64; 2], [f64; 2]);

    /// The folds of set 2: 0.36967352 and 1.11306299 mm/s at 1.52578547 and 1.47519060 N; set 1 is
    /// monotone.
    #[test]
    fn branches_of_the_two_sets_of_002() {
        assert_eq!(folds(&set(1)).len(), 1);
        let two = folds(&set(2));
        assert_eq!(two.len(), 2, "{two:?}");
        let close = |a: f64, b: f64, e: f64| assert!((a - b).abs() < e, "{a} not {b}");
        close(two[0].0[1], 0.36967352e-3, 1e-11);
        close(two[1].0[0], 1.11306299e-3, 1e-11);
        close(two[0].1[1], 1.52578547, 1e-8);
        close(two[1].1[0], 1.47519060, 1e-8);
    }

    /// Raise the force through the upper fold, lower it through the lower one: the tip sticks,
    /// creeps on the inner branch, jumps out, and returns only at the lower force.
    #[test]
    fn a_branch_is_followed_until_it_ends() {
        let m = set(2);
        let mut at = Drive::new(0.0, 9.81);
        let mut speed = |force: f64| {
            let z = force / m.sigma0;
            at.mode = m.commit(&at, &[z]);
            (m.sliding(&at, z).abs(), at.mode.index[0])
        };
        assert_eq!(speed(1.4), (0.0, 0.0));
        let (inner, branch) = speed(1.52);
        assert!(inner > 0.0 && inner < 0.3697e-3 && branch == 0.0);
        let (outer, branch) = speed(1.53);
        assert!(outer > 1.1131e-3 && branch == 1.0);
        let (outer, branch) = speed(1.48);
        assert!(outer > 1.1130e-3 && branch == 1.0);
        assert_eq!(speed(1.47), (0.0, 0.0));
        let (outer, branch) = speed(-1.6);
        assert!(outer > 1.1131e-3 && branch == -1.0);
    }

    /// Set 2 at the forces of its folds, a few units in the last place to either side: what follows is
    /// the other branch, and the guards of that branch are far from zero.
    #[test]
    fn rounding_at_a_fold_does_not_decide() {
        let m = set(2);
        let fold = |falls: f64, k: usize| {
            let (_, _, balance) = m.balance(&Drive::new(0.0, 9.81), 0.0);
            balance.committed(falls).forces[k] * 9.81 / m.sigma0
        };
        for (falls, k, landed) in [(0.0, 2, 1.0), (1.0, 1, 0.0)] {
            for nudge in [-4e-16, 0.0, 4e-16] {
                for side in [1.0, -1.0] {
                    let z = [side * fold(falls, k - 1) * (1.0 + nudge)];
                    let mode = Mode::default().with(0, side * falls).with(1, 1.0);
                    let at = Drive { mode, ..Drive::new(0.0, 9.81) };
                    let next = m.next(k, &at, &z);
                    assert_eq!(next.index[0], side * landed);
                    let mut guards = [0.0; 3];
                    m.watch(&Drive { mode: next, ..at }, &z, &mut guards);
                    assert!(guards.iter().all(|g| *g > 1e-4), "{guards:?}");
                }
            }
        }
    }

    /// Where a law falls less steeply than the damper rises, the branch has no fold: the number of
    /// falls below the speed is followed nevertheless, and sliding reverses.
    #[test]
    fn a_branch_without_folds_keeps_count_of_the_falls_it_passes() {
        for number in [1, 2] {
            let m = Implicit { sigma1: 1e4, ..set(number) };
            let mut at = Drive::new(0.0, 9.81);
            for force in [1.0, 30.0, 1.0, -30.0, 0.0, 30.0, -30.0] {
                let z = force / m.sigma0;
                at.mode = m.commit(&at, &[z]);
                let (u, (_, _, balance)) = (m.sliding(&at, z), m.balance(&at, z));
                assert_eq!(at.mode.index[0], u.signum() * balance.falls_below(u.abs()));
                assert!((force.abs() > 2.0) == (u * force > 0.0), "{force}: {u}");
            }
        }
    }

    /// Without a commit the force is continued to the end of the branch, never beyond it.
    #[test]
    fn between_commits_the_root_stays_on_its_branch() {
        let m = set(2);
        let at = Drive::new(0.0, 9.81);
        let u = m.sliding(&at, 1.6 / m.sigma0);
        assert!((u - 0.36967352e-3).abs() < 1e-10, "{u}");
    }

    #[test]
    fn below_the_static_limit_the_tip_does_not_move() {
        let m = set(1);
        for v in [-1e-4, 1e-9, 2e-3] {
            let at = Drive::new(v, 9.81);
            let mut dz = [0.0];
            m.rate(&at, &[1e-5], &mut dz);
            assert_eq!(dz[0], v);
        }
    }

    /// Residual of the root found after a commit, relative to the force, and the slope there.
    fn residual<L: Law<f64>>(m: &Implicit<f64, L>, at: &Drive<f64>, z: f64) -> (f64, f64, f64) {
        let at = Drive { mode: m.commit(at, &[z]), ..*at };
        let u = m.sliding(&at, z);
        let (b, side, balance) = m.balance(&at, z);
        assert!(u == 0.0 || u.signum() == side);
        let force = if u == 0.0 { b.min(balance.law.rest()) } else { balance.h(u.abs()) };
        ((force - b).abs() / b, balance.slope(u.abs()), u.abs())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn random_roots_balance_and_are_never_on_the_unstable_branch(
            exponent in prop::sample::select(std::vec![0.6, 1.0, 1.5, 2.0, 3.0]),
            mu_d in 0.01f64..2.0, excess in 0.0f64..3.0, v_s in -5.0f64..0.0, viscous in 0.0f64..1.0,
            steep in -3.0f64..3.0, force in 0.0f64..4.0, branch in -1i32..2, n in 0.01f64..1e4,
            side in prop::bool::ANY,
        ) {
            let (mu_s, v_s) = (mu_d * (1.0 + excess), 10f64.powf(v_s));
            let law = Stribeck { mu_d, mu_s, v_s, exponent, viscous, ..Stribeck::start(()) };
            // From a law much flatter than the damping to one much steeper.
            let sigma1 = 10f64.powf(steep) * mu_d / v_s;
            let m: Implicit<f64, _> = Implicit { sigma0: 1e4, sigma1, ..Implicit::start(law) };
            let sign = if side { 1.0 } else { -1.0 };
            let z = sign * mu_s * force / m.sigma0;
            let mode = Mode::default().with(0, f64::from(branch));
            let at = Drive { mode, ..Drive::new(0.0, n) };
            prop_assume!(z != 0.0);
            let (residual, slope, u) = residual(&m, &at, z);
            prop_assert!(residual <= 1e-12, "residual {residual:e} at u = {u:e}");
            prop_assert!(u == 0.0 || slope >= -1e-6 * sigma1, "slope {slope:e} at u = {u:e}");
        }
    }

    /// A law with several falls: the middle branches are found and followed too.
    #[test]
    fn a_table_with_two_falls_has_three_branches() {
        let law = Tabulated {
            v: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into_iter().collect(),
            mu: [3.0, 3.5, 2.0, 2.4, 1.0, 1.0].into_iter().collect(),
            ..Tabulated::start(())
        };
        let m: Implicit<f64, AnyLaw<f64>> =
            Implicit { sigma1: 0.1, sigma0: 1.0, ..Implicit::start(AnyLaw::Tabulated(law)) };
        let mut at = Drive::new(0.0, 1.0);
        let mut seen = std::vec::Vec::new();
        for force in [1.0, 3.3, 3.61, 2.65, 2.5, 2.3, 2.25, 2.0] {
            let (residual, slope, u) = residual(&m, &at, force);
            at.mode = m.commit(&at, &[force]);
            assert!(residual < 1e-12 && slope > 0.0, "{force}: {residual:e} {slope} {u}");
            seen.push(u);
        }
        assert_eq!((seen[0], seen[7]), (0.0, 5.0 + 5.0), "{seen:?}");
        assert!(seen[1] > 0.0 && seen[1] < 1.2, "{seen:?}");
        assert!(seen[2] > 4.0, "jumps over the middle branch, which ends below 3.61: {seen:?}");
    }
}
