//! GMS: generalised Maxwell slip, elements that stick and slip in parallel.
//!
//! ```text
//! stick:  Ḟ_i = k_i v                              until F_i sgn v ≥ α_i S(|v|)
//! slip:   Ḟ_i = C (α_i sgn v − F_i/S)              until v = 0             as published
//!         Ḟ_i = sgn v · min(C(α_i − |F_i|/S), k_i|v|)                      clamped
//! F = Σ F_i + νN v,   S = N μ(v) without the viscous part,   Σ α_i = 1
//!
//! W = Σ F_i²/2k_i,   D = Σ F_i (v − Ḟ_i/k_i) + νN v²
//! ```
//!
//! V. Lampaert, F. Al-Bender, J. Swevers, PhysCon 2003, 1170-1177; F. Al-Bender, V. Lampaert, J. Swevers, IEEE
//! Trans. Autom. Control 50 (2005) 1883-1887. F_i in N, k_i in N/m, C in N/s.
//!
//! As published the model gives out energy wherever μ_s > μ_d: forces relax in time, not in distance. Slid fast and then
//! crept on at next to no speed, F_i climbs from the dynamic level to the static one for nothing, and is let back:
//! each cycle gives out up to Σα_i²N²(μ_s² − μ_d²)/2k_i. Clamped, the slider never runs backwards, and every drive, load and
//! history dissipates.
//!
//! At constant speed, or over a Coulomb law, the model is Prandtl's and Ishlinskii's: it remembers where it turned, loops close
//! and are wiped out, branches are Masing's, F = F_r ± 2y(|x − x_r|/2) with y(x) = Σ min(k_i x, α_i S).
//!
//! `index[0]` of the mode is the direction of sliding, `index[1]` the elements that slip, one bit each, `index[2]` those whose
//! relaxation is faster than the body. The step at frozen velocity is exact.
use super::modal::Column;
use super::{
    Bristle, Drive, Energy, Free, LIFT_OFF_TIME, Measure, Mode, Passivity, Update, Variable,
    coupled,
};
use crate::{Law, List, Params, Report, choice};
use bristle_num::{Real, special::phi12};

choice! {
    /// How elements that slip relax.
    Slip {
        /// no faster than the body moves: passive
        Clamped = "clamped",
        /// in time, as published: not passive over a law that falls
        Published = "published",
    }
}

/// Elements in parallel that stick exactly and remember where they turned.
///
/// Choose it for presliding: hysteresis with non-local memory, loops that close, no drift at all below the level at
/// which all elements slip. Any number of elements; up to eight need no allocation. Clamped it is passive for every history, also
/// under a load that varies: its stiffness does not scale with the load.
#[derive(Clone, Debug, Params)]
#[params(
    name = "gms",
    title = "generalised Maxwell slip: elements in parallel with memory",
    source = "doi:10.1109/TAC.2005.858676; PhysCon 2003, 1170-1177; clamped by its energy balance",
    stick = "yes, exactly while not all elements slip; loops close at constant speed",
    passive = "yes, clamped: for every history and load; as published not over a law that falls",
    law = "yes in steady sliding; with a lag of about S/C in time",
    rules = "as many alpha as k; the alpha sum to 1",
    check = shares_of_one
)]
pub struct Gms<S: Real, L> {
    /// how elements that slip relax
    #[param(choice, start = Slip::Clamped, eq = "Al-Bender et al. 2005")]
    pub slip: Slip,
    /// stiffness k_i of each element
    #[param(list, unit = "N/m", start = [4.0e3, 3.0e3, 2.0e3, 1.0e3], range = "(0, inf)",
        eq = "Al-Bender et al. 2005")]
    pub k: List<S>,
    /// share α_i of the friction level that each element carries
    #[param(shares, unit = "1", start = [0.1, 0.2, 0.3, 0.4], range = "(0, 1]",
        eq = "Al-Bender et al. 2005")]
    pub alpha: List<S>,
    /// attraction C: how fast forces of slipping elements relax
    #[param(unit = "N/s", start = 50.0, range = "(0, inf)", eq = "Al-Bender et al. 2005")]
    pub attraction: S,
    /// friction law μ(v)
    #[param(nested)]
    pub law: L,
}

/// Shares may miss 1 by so much: decimals in files are rounded.
const SUM: f64 = 1e-9;
/// So many elements have a bit each in a mode.
const MOST: usize = 48;

fn shares_of_one<L>(p: &Gms<f64, L>, report: &mut Report<'_>) {
    report.expect_count(
        p.k.len() == p.alpha.len() && !p.k.is_empty() && p.k.len() <= MOST,
        ("alpha", p.alpha.len()),
        "entries (1 to 48, as many as k has):",
        p.k.len(),
        "every element has one stiffness and one share",
    );
    let sum: f64 = p.alpha.iter().sum();
    let first = p.alpha.first().copied().unwrap_or(0.0);
    report.expect(
        (sum - 1.0).abs() <= SUM,
        ("alpha", None, first),
        "is the first of shares that do not sum to",
        1.0,
        "divide each by their sum",
    );
}

/// Whether bit `i` of a number is set.
#[inline(always)]
fn bit<S: Real>(bits: S, i: usize) -> S::Mask {
    let halved = (bits / (1u64 << i) as f64).floor();
    (halved - (halved * 0.5).floor() * 2.0).gt(S::from(0.5))
}

impl<S: Real, L: Law<S>> Gms<S, L> {
    #[inline(always)]
    fn elements(&self) -> impl Iterator<Item = (usize, S, S)> {
        self.k.iter().zip(self.alpha.iter()).enumerate().map(|(i, (k, alpha))| (i, *k, *alpha))
    }

    /// S(|v|), N.
    #[inline(always)]
    fn level(&self, at: &Drive<S>) -> S {
        at.divisor() * self.law.dry(at.v)
    }

    /// The direction of sliding of the mode.
    #[inline(always)]
    fn way(mode: &Mode<S>) -> S {
        S::select(mode.index[0].lt(S::from(0.0)), S::from(-1.0), S::from(1.0))
    }

    /// The rate of an element that slips.
    #[inline(always)]
    fn relaxing(&self, level: S, [k, alpha]: [S; 2], force: S, v: S, way: S) -> S {
        let free = self.attraction * (alpha - way * force / level);
        match self.slip {
            Slip::Published => way * free,
            Slip::Clamped => way * free.min(k * way * v),
        }
    }

    /// The mode of elements that have these forces, each slipping where its force is at its level.
    #[inline(always)]
    fn placed(&self, at: &Drive<S>, z: &[S], way: S) -> Mode<S> {
        let (zero, level) = (S::from(0.0), self.level(at));
        let mut slipping = zero;
        for (i, _, alpha) in self.elements() {
            let bit = (1u64 << i) as f64;
            let slips = (z[i] * way).ge(alpha * level);
            slipping += S::select(slips, S::from(bit), zero);
        }
        let mode = Mode::default().with(0, way).with(1, slipping);
        mode.with(2, self.hasty(&Drive { mode, ..*at }, z))
    }

    /// The elements whose relaxation is faster than the body.
    #[inline(always)]
    fn hasty(&self, at: &Drive<S>, z: &[S]) -> S {
        let (zero, level, way) = (S::from(0.0), self.level(at), Self::way(&at.mode));
        self.elements().fold(zero, |sum, (i, k, alpha)| {
            let spare = self.spare(level, [k, alpha], z[i], at.v, way);
            sum + S::select(spare.gt(zero), S::from((1u64 << i) as f64), zero)
        })
    }

    /// C(α − |F|/S) − k|v|.
    #[inline(always)]
    fn spare(&self, level: S, [k, alpha]: [S; 2], force: S, v: S, way: S) -> S {
        self.attraction * (alpha - way * force / level) - k * way * v
    }

    /// The forces after `h` seconds at frozen velocity, in closed form; their mean without the viscous part, and the
    /// elements that slip.
    fn exact(&self, at: &Drive<S>, h: S, z: &mut [S]) -> (S, S) {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (level, way, speed) = (self.level(at), at.v.sign(), at.v.abs());
        let moves = speed.gt(zero);
        let turned = !(at.mode.index[0] * way).gt(zero);
        let (mut sum, mut slipping) = (zero, zero);
        let decay = self.attraction / level;
        for (i, k, alpha) in self.elements() {
            let top = alpha * level;
            let x = z[i] * way;
            let slips = bit(at.mode.index[1], i) & !turned;
            // Up to where the element slips, or relaxes no faster than the body moves, it goes with the body.
            let with = match self.slip {
                Slip::Published => x,
                Slip::Clamped => level * (alpha - k * speed / self.attraction),
            };
            let target = S::select(slips, with, top);
            let pace = S::select(moves, k * speed, one);
            let first = ((target - x).max(zero) / pace).min(h);
            let bent = x + k * speed * first;
            let yields = slips | ((target - x) / pace).lt(h);
            // Then its force goes to its level at the rate C/S.
            let left = h - first;
            let (phi1, phi2) = phi12(-decay * left);
            let change = S::select(yields, decay * left * (top - bent), zero);
            let end = bent + change * phi1;
            let area = first * (x + bent) * 0.5 + left * (bent + change * phi2);
            let on = at.pressed();
            let fading = (-h / LIFT_OFF_TIME).exp();
            // At rest elements stick, and would go with the body.
            let stuck = k * at.v * h;
            sum += S::select(moves, way * area / h, z[i] + stuck * 0.5);
            z[i] = S::select(on, S::select(moves, way * end, z[i] + stuck), z[i] * fading);
            slipping += S::select(yields & moves, S::from((1u64 << i) as f64), zero);
        }
        (S::select(h.gt(zero), sum, zero), slipping)
    }
}

impl<S: Real, L: Law<S>> Bristle<S> for Gms<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        self.k.len()
    }

    fn variable(&self, i: usize) -> Variable {
        Variable { symbol: "f", index: Some(i + 1), unit: "N", measure: Measure::Force }
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S>, z: &[S], dz: &mut [S]) {
        let (level, way) = (self.level(at), Self::way(&at.mode));
        for (i, k, alpha) in self.elements() {
            let slips = bit(at.mode.index[1], i);
            let slipping = self.relaxing(level, [k, alpha], z[i], at.v, way);
            let pressed = S::select(slips, slipping, k * at.input());
            dz[i] = S::select(at.pressed(), pressed, -(z[i] / LIFT_OFF_TIME));
        }
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S>, z: &[S], _dz: &[S]) -> S {
        let viscous = at.load * self.law.viscous() * at.v;
        let force = z.iter().fold(viscous, |sum, f| sum + *f);
        S::select(at.pressed(), force, S::from(0.0))
    }

    fn steady(&self, at: &Drive<S>, z: &mut [S]) -> S {
        let level = S::select(at.pressed(), at.v.sign() * self.level(at), S::from(0.0));
        for (i, _, alpha) in self.elements() {
            z[i] = alpha * level;
        }
        self.force(at, z, &[])
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S>, z: &[S], dz: &[S]) -> Energy<S> {
        let (on, zero) = (at.pressed(), S::from(0.0));
        let load = S::select(on, at.load, zero);
        let (mut stored, mut dissipated) = (zero, load * self.law.viscous() * at.v * at.v);
        for (i, k, _) in self.elements() {
            stored += z[i] * z[i] / k * 0.5;
            let slider = S::select(on, at.v, zero) - dz[i] / k;
            let slips = bit(at.mode.index[1], i) | !on;
            dissipated += S::select(slips, z[i] * slider, zero);
        }
        Energy { stored, dissipated, known: self.passivity().known }
    }

    /// The mean of the sliders.
    #[inline(always)]
    fn tip(&self, at: &Drive<S>, dz: &[S]) -> S {
        let zero = S::from(0.0);
        let stiffness = self.k.iter().fold(zero, |sum, k| sum + *k);
        at.v - dz.iter().fold(zero, |sum, df| sum + *df) / stiffness
    }

    fn passivity(&self) -> Passivity<S> {
        let [least, most] = self.law.bounds();
        let flat = most.le(least);
        match self.slip {
            Slip::Clamped => Passivity::always(
                "W = ΣF²/2k, under any load: elements that slip lose F(v − Ḟ/k) ≥ 0, as no slider runs backwards",
            ),
            Slip::Published => Passivity {
                known: flat,
                margin: least - most,
                why: "forces relax in time: they climb with μ at next to no speed, for nothing",
            },
        }
    }

    fn bound(&self, z0: &[S], _v_max: S, load_max: S, out: &mut [S]) {
        let most = load_max * self.law.bounds()[1];
        for (i, _, alpha) in self.elements() {
            out[i] = z0[i].abs().max(alpha * most);
        }
    }

    #[inline(always)]
    fn guards(&self) -> usize {
        3
    }

    /// Reversal; the next element to slip; the next one whose relaxation changes places with the body's motion.
    #[inline(always)]
    fn watch(&self, at: &Drive<S>, z: &[S], out: &mut [S]) {
        let (one, level, way) = (S::from(1.0), self.level(at), Self::way(&at.mode));
        let (mut yields, mut clamps) = (S::from(f64::INFINITY), S::from(f64::INFINITY));
        for (i, k, alpha) in self.elements() {
            let slips = bit(at.mode.index[1], i);
            let spare = alpha * level - way * z[i];
            yields = S::select(slips, yields, yields.min(spare));
            if self.slip == Slip::Clamped {
                let side = S::select(bit(at.mode.index[2], i), one, -one);
                let spare = side * self.spare(level, [k, alpha], z[i], at.v, way);
                clamps = S::select(slips, clamps.min(spare), clamps);
            }
        }
        let finite = |x: S| S::select(x.lt(S::from(f64::INFINITY)) & at.pressed(), x, one);
        out.copy_from_slice(&[at.mode.index[0] * at.v, finite(yields), finite(clamps)]);
    }

    #[inline(always)]
    fn begin(&self, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        self.placed(at, z, S::select(at.v.lt(zero), -one, one))
    }

    #[inline(always)]
    fn next(&self, k: usize, at: &Drive<S>, z: &[S]) -> Mode<S> {
        let way = Self::way(&at.mode);
        if k == 0 {
            // All elements stick where the motion turns; those that its other side holds too far slip at once.
            return self.placed(at, z, -way);
        }
        // The element whose guard is least.
        let (level, one) = (self.level(at), S::from(1.0));
        let (mut least, mut flips) = (S::from(f64::INFINITY), S::from(0.0));
        for (i, stiffness, alpha) in self.elements() {
            let slips = bit(at.mode.index[1], i);
            let (spare, takes) = if k == 1 {
                (alpha * level - way * z[i], !slips)
            } else {
                let side = S::select(bit(at.mode.index[2], i), one, -one);
                (side * self.spare(level, [stiffness, alpha], z[i], at.v, way), slips)
            };
            let takes = takes & spare.lt(least);
            least = S::select(takes, spare, least);
            let sets = if k == 1 { one } else { S::select(bit(at.mode.index[2], i), -one, one) };
            flips = S::select(takes, sets * (1u64 << i) as f64, flips);
        }
        let mode = at.mode.with(k, at.mode.index[k] + flips);
        match k {
            1 => mode.with(2, self.hasty(&Drive { mode, ..*at }, z)),
            _ => mode,
        }
    }

    #[inline(always)]
    fn side(&self, mode: &Mode<S>) -> S {
        mode.index[0]
    }

    /// Exact at frozen velocity, whatever is asked for.
    #[inline(always)]
    fn step(&self, how: Update, at: &Drive<S>, h: S, z: &mut [S]) -> Option<S> {
        if how != Update::Exponential {
            return None;
        }
        let force = self.exact(at, h, z).0 + at.load * self.law.viscous() * at.v;
        Some(S::select(at.pressed(), force, S::from(0.0)))
    }

    /// The exact step at the velocity that the body has in it: at most 150 evaluations of the law.
    fn advance(
        &self,
        _how: Update,
        at: &mut Drive<S>,
        free: &Free<S>,
        h: S,
        z: &mut [S],
    ) -> Option<S> {
        let before = *at;
        let mut begun: Column<S> = z.iter().copied().collect();
        let force = coupled::advance(self, Update::Exponential, at, free, h, z)?;
        let (_, slipping) = self.exact(&Drive { v: at.v, ..before }, h, &mut begun);
        let moves = at.v.abs().gt(S::from(0.0));
        let way = S::select(moves, at.v.sign(), before.mode.index[0]);
        let mode = before.mode.with(0, way).with(1, slipping);
        at.mode = mode.with(2, self.hasty(&Drive { mode, ..*at }, z));
        Some(force)
    }

    #[inline(always)]
    fn solved_with_body(&self) -> bool {
        true
    }
}

/// An Iwan distribution of elements with four parameters: D. J. Segalman, J. Appl. Mech. 72 (2005) 752-760.
///
/// ```text
/// ρ(φ) = Rφ^χ on (0, φ_max) + S δ(φ − φ_max),   F(x) = ∫₀ˣ φρ dφ + x ∫ₓ ρ dφ
/// ```
///
/// It is the continuum of [`Gms`] over a Coulomb law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iwan {
    /// Force F_S at which all slips, N.
    pub force: f64,
    /// Stiffness K_T of small motions, N/m.
    pub stiffness: f64,
    /// Exponent χ in (−1, 0]: the loss per cycle grows as amplitude^(χ+3).
    pub chi: f64,
    /// β ≥ 0: how much of the stiffness is lost at once where the last elements slip.
    pub beta: f64,
}

#[cfg(feature = "alloc")]
impl Iwan {
    /// φ_max, m: where the last elements slip.
    pub fn reach(&self) -> f64 {
        self.force * (1.0 + self.beta) / (self.stiffness * self.share())
    }

    /// β + (χ + 1)/(χ + 2).
    fn share(&self) -> f64 {
        self.beta + (self.chi + 1.0) / (self.chi + 2.0)
    }

    /// R.
    pub fn density(&self) -> f64 {
        self.force * (self.chi + 1.0) / (Real::powf(self.reach(), self.chi + 2.0) * self.share())
    }

    /// S, N/m.
    pub fn peak(&self) -> f64 {
        self.force * self.beta / (self.reach() * self.share())
    }

    /// ∫φᵖρ over the smooth part up to x ≤ φ_max.
    fn moment(&self, p: f64, x: f64) -> f64 {
        let e = self.chi + 1.0 + p;
        self.density() * Real::powf(x, e) / e
    }

    /// The virgin curve F(x), N.
    pub fn backbone(&self, x: f64) -> f64 {
        let top = self.reach();
        let y = x.abs().min(top);
        let beyond = self.moment(0.0, top) - self.moment(0.0, y) + self.peak();
        self.moment(1.0, y).mul_add(1.0, y * beyond) * Real::sign(x)
    }

    /// The loss per cycle at an amplitude x up to φ_max, J.
    pub fn loss(&self, x: f64) -> f64 {
        4.0 * (x * self.moment(1.0, x) - self.moment(2.0, x))
    }

    /// Elements for it, between the break displacements `edges` (the first 0, the last φ_max), and one more for the
    /// peak: stiffness and share of each. Stiffness and force of the whole are kept exactly.
    pub fn elements(&self, edges: &[f64]) -> (List<f64>, List<f64>) {
        let bins = edges.windows(2).map(|bin| {
            let part = |p: f64| self.moment(p, bin[1]) - self.moment(p, bin[0]);
            [part(0.0), part(1.0)]
        });
        let last = [self.peak(), self.peak() * self.reach()];
        let all: alloc::vec::Vec<[f64; 2]> =
            bins.chain((self.peak() > 0.0).then_some(last)).collect();
        let total: f64 = all.iter().map(|[_, force]| force).sum();
        (all.iter().map(|e| e[0]).collect(), all.iter().map(|e| e[1] / total).collect())
    }

    /// The model with so many elements, break displacements φ_max (m/n)², over a law that gives `force` in all.
    pub fn gms<L: Law<f64>>(&self, elements: usize, law: L) -> Gms<f64, L> {
        let edge = |m: usize| self.reach() * Real::sq(m as f64 / elements as f64);
        let edges: alloc::vec::Vec<f64> = (0..=elements).map(edge).collect();
        let (k, alpha) = self.elements(&edges);
        let attraction = 50.0;
        Gms { slip: Slip::Clamped, k, alpha, attraction, law }
    }
}
