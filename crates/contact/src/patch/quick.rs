//! Quick rules for steady rolling: of bristles that prefer no direction and have no damping, under a smooth pressure.
//!
//! As in [`march`](super::march), paths are divided into cells and each cell is solved by collocation, but with more
//! nodes to a cell and fewer cells, with as many paths to a panel as flow enters through it, and with friction
//! laws good to nine digits. What the two highest polynomials of a rule hold, along every cell and across every panel,
//! tells whether it resolves what it integrates.
use super::crossing::Strips;
use super::flow::{Flow, turn};
use super::inflow::{self, Panel, Paths, WIDTH, Wide};
use super::loads::{Loads, MOST_CELLS, Purpose, Roll};
use super::march::{Cells, Motion, Spread};
use super::shape::{STEEP, Shape, is_smooth};
use super::steady::{CAUTION, Division, MODESTY, Outcome, Steady, nearest, outcome};
use super::{Model, Pressure};
use crate::quadrature::{MOST_NODES, Stages, highest_polynomials, legendre};
use bristle_kernel::{Cast, Logic, Planar, Real};
use bristle_num::{Swift, simd};

/// The scalar of quick rules.
pub type Brisk = Swift<WIDTH>;

/// How many paths and cells a quick rule has.
#[derive(Clone, Copy, Debug)]
struct Tier {
    /// Straight paths where the slip velocity vanishes nowhere.
    rows: usize,
    /// Straight paths on either side of the point where it vanishes.
    halves: usize,
    /// Bent paths, did all of them enter through one panel.
    bent: usize,
    /// How many fewer stand for a tenth of the flow.
    decade: f64,
    /// Where the cells of a path end, as parts of it.
    whole: &'static [f64],
    /// Where cells end between the point where the slip velocity vanishes and the edge, as parts of that way.
    half: &'static [f64],
    /// How many times the shortest length on which a bristle settles the first cell may be long.
    first: f64,
    /// When the iteration of Model 2 has settled, in units of μ/σ₀.
    settled: f64,
}

/// The first try at a thousandth where paths are straight and the slip velocity vanishes inside, with six nodes to a
/// cell: one vector of paths on either side of that point.
const LIGHT: Tier = Tier { halves: WIDTH, ..THOUSANDTH };

/// For a thousandth, with six nodes to a cell, where the outline is smooth half way along a path.
const THOUSANDTH: Tier = Tier {
    rows: 12,
    halves: 10,
    bent: 10,
    decade: 2.5,
    whole: &[0.15, 0.85, 1.0],
    half: &[0.6, 1.0],
    first: 8.0,
    settled: 1e-4,
};

/// The same with eight nodes to a cell, where it is not.
const ROUGH_THOUSANDTH: Tier = Tier { whole: &[0.5, 1.0], first: 12.0, ..THOUSANDTH };

/// For a millionth, with eight nodes to a cell; its difference from the next is the error of that.
const MILLIONTH: Tier = Tier {
    rows: 28,
    halves: 20,
    bent: 20,
    decade: 3.0,
    whole: &[0.1, 0.5, 0.9, 1.0],
    half: &[0.4, 0.8, 1.0],
    first: 6.0,
    settled: 1e-8,
};

/// The finer rule for a millionth.
const FINE_MILLIONTH: Tier = Tier {
    rows: 36,
    halves: 26,
    bent: 26,
    decade: 3.5,
    whole: &[0.05, 0.2, 0.5, 0.8, 0.95, 1.0],
    half: &[0.2, 0.5, 0.8, 1.0],
    first: 4.0,
    settled: 1e-9,
};

/// What the highest polynomials may hold of force and moment along cells of six nodes, of eight nodes, and across
/// panels. Of 1007 random cases with known answers, 97 of 100 stay below, and none of these is off by more than
/// half a thousandth.
const HELD: [[f64; 2]; 3] = [[0.5, 0.4], [0.1, 0.2], [0.1, 0.15]];

/// The same across strips of bent paths under a load that ends abruptly at the edge, which is hard to see: of 12,000
/// random cases one within the other bounds was off by 2.8 thousandths, with 0.076 of the moment.
const HELD_HARD: [f64; 2] = [0.04, 0.06];

/// Where the first cell of a path ends in rules of the load, and how many times over bristles may settle in it.
const LOAD_CELL: f64 = 0.4;
const LOAD_FIRST: f64 = 9.0;
/// Straight paths of such a rule; bent ones, did all belong to one strip, and how many fewer stand for a tenth of the flow.
const LOAD_ROWS: f64 = 8.0;
const LOAD_BENT: [f64; 2] = [9.0, 2.5];
/// What it counts for that the highest polynomials of rules of the load hold parts of force and moment, along and
/// across paths. All together must stay below 1: of 16,000 random cases 9 of 10 do, and none of these is off by more
/// than 0.7 thousandths.
const LOAD_DOUBT: [f64; 4] = [15.0, 3.0, 40.0, 5.0];

/// How many times less of that the first try may hold.
const LIGHTER: f64 = 1.5;

/// What a quick rule found.
#[derive(Clone, Copy, Debug)]
struct Sounding {
    /// F_x, F_y and M_z.
    sums: [f64; 3],
    /// What the highest polynomials hold along cells, as parts of the force and of the moment.
    along: [f64; 2],
    /// The same across panels.
    across: [f64; 2],
}

/// A collocation rule and its two highest polynomials at its nodes.
#[derive(Clone, Debug)]
pub(crate) struct Collocation<const N: usize> {
    pub(crate) stages: Stages<N>,
    pub(crate) tops: [[f64; 2]; N],
}

impl<const N: usize> Collocation<N> {
    pub(crate) fn new(stages: Stages<N>) -> Self {
        let rule: [(f64, f64); N] = std::array::from_fn(|i| (stages.c[i], stages.b[i]));
        let mut tops = [[0.0; 2]; N];
        for (top, highest) in tops.iter_mut().zip(highest_polynomials(&rule)) {
            *top = highest;
        }
        Collocation { stages, tops }
    }
}

/// What quick rules keep between evaluations.
#[derive(Clone, Debug)]
pub(crate) struct Quick {
    six: Collocation<6>,
    eight: Collocation<8>,
    loads: Loads<5>,
    /// The highest polynomials of every rule across a panel.
    highest: Vec<Vec<[f64; 2]>>,
    /// Paths of each panel.
    counts: Vec<usize>,
    /// ∫p z and its moment over each path, and what the highest polynomials hold of them.
    sums: Vec<[Brisk; 5]>,
    /// The strips of the last flow with bent paths.
    strips: Option<(Flow<f64>, Strips)>,
}

impl Quick {
    pub(crate) fn new() -> Self {
        Quick {
            six: Collocation::new(Stages::gauss()),
            eight: Collocation::new(Stages::gauss()),
            highest: (0..=MOST_NODES).map(|n| highest_polynomials(legendre(n)).collect()).collect(),
            loads: Loads::new(),
            counts: Vec::new(),
            sums: Vec::new(),
            strips: None,
        }
    }
}

/// How many paths stand for each panel, given the flow through it and how often a path of it passes the patch.
pub(crate) fn share_out(
    all: f64,
    decade: f64,
    panels: impl Iterator<Item = (f64, usize)> + Clone,
    counts: &mut Vec<usize>,
) {
    let total: f64 = panels.clone().map(|p| p.0).sum();
    counts.clear();
    counts.extend(panels.clone().map(|(flux, _)| {
        let count = (all + decade * (flux / total).log10()).ceil();
        count.clamp(3.0, MOST_NODES as f64) as usize
    }));
    // Lanes that would be idle are given to the panels with most paths.
    let paths: usize = counts.iter().zip(panels.clone()).map(|(n, p)| n * p.1).sum();
    for _ in 0..paths.wrapping_neg() % WIDTH {
        let once = counts.iter_mut().zip(panels.clone()).filter(|(_, p)| p.1 == 1);
        if let Some((most, _)) = once.max_by_key(|(n, _)| **n) {
            *most = (*most + 1).min(MOST_NODES);
        }
    }
}

/// What a march needs to know and does not change.
struct Course<'a, P, const N: usize> {
    shape: &'a Shape,
    pressure: &'a Pressure,
    bristle: &'a P,
    motion: Motion<Brisk>,
    pace: Brisk,
    rule: &'a Collocation<N>,
    /// Whether friction is taken at the velocity that the bristle feels.
    felt: bool,
    /// When the iteration of Model 2 has settled, m.
    settled: f64,
}

/// Where paths begin.
#[derive(Clone, Copy)]
struct Start {
    entry: [Brisk; 2],
    /// V̄ there.
    v: [Brisk; 2],
    /// The flow that enters, m.
    flux: Brisk,
    /// The lengths before and after the point where cells are divided.
    parts: [Brisk; 2],
}

impl Start {
    #[inline(always)]
    fn new(motion: &Motion<f64>, paths: &Paths, divided: Option<Division>) -> Self {
        let flow = motion.cast(Wide::from).flow;
        let v = flow.velocity(paths.x, paths.y);
        let nearest = match divided {
            None => paths.length,
            Some(d) if motion.flow.is_along_x() => {
                (paths.x - d.at[0]).max(Wide::from(0.0)).min(paths.length)
            }
            Some(d) => nearest(&flow, paths, d.at),
        };
        Start {
            entry: [Swift(paths.x), Swift(paths.y)],
            v: [Swift(v[0]), Swift(v[1])],
            flux: Swift((v[0] * paths.dy - v[1] * paths.dx).abs()),
            parts: [Swift(nearest), Swift(paths.length - nearest)],
        }
    }
}

/// Model 2 contracts by φ₂zA′h per iteration.
pub(crate) const MOST_ITERATIONS: usize = 12;

impl<P: Planar<Brisk>, const N: usize> Course<'_, P, N> {
    #[inline(always)]
    fn forget(&self, v: [Brisk; 2]) -> Brisk {
        let r = self.bristle.scalar_response((v[0] * v[0] + v[1] * v[1]) * self.motion.speed.sq());
        r.forget * self.pace
    }

    /// ∫p z and its moment over paths, and how much of it the highest polynomials of the cells hold.
    #[inline(always)]
    fn march<const STRAIGHT: bool>(&self, start: &Start, cells: &Cells) -> [Brisk; 5] {
        let zero = Brisk::from(0.0);
        let Stages { a, b, c: nodes } = &self.rule.stages;
        let m = &self.motion;
        let mut z = [zero; 2];
        let mut sums = [zero; 5];
        for k in 0..cells.count {
            let bound = |k: usize| {
                let [p, q] = cells.bounds[k];
                start.parts[0] * p + start.parts[1] * q
            };
            let from = bound(k);
            let length = bound(k + 1) - from;
            let (mut at, mut slip, mut drive, mut turns) =
                ([[zero; 2]; N], [[zero; 2]; N], [[zero; 2]; N], [[zero; 2]; N]);
            let (mut load, mut forget) = ([zero; N], [zero; N]);
            let mut stretch = [1.0; N];
            for i in 0..N {
                let c = nodes[i];
                let (g, s) = match cells.spread[k] {
                    Spread::Even => (c, 1.0),
                    Spread::ToEnd => (c * (2.0 - c), 2.0 * (1.0 - c)),
                    Spread::ToStart => (c * c, 2.0 * c),
                };
                stretch[i] = s;
                let tau = from + length * g;
                at[i] = if !STRAIGHT {
                    let [s, c] = turn(m.flow.phi1 * tau);
                    let (s, c) = (s * tau, c * tau);
                    let ([v, w], [x, y]) = (start.v, start.entry);
                    [v.mul_add(s, w.mul_add(c, x)), w.mul_add(s, (-v).mul_add(c, y))]
                } else {
                    [start.entry[0] - tau, start.entry[1]]
                };
                slip[i] = m.slip(at[i][0], at[i][1]);
                let p = self.pressure.at(self.shape, at[i][0], at[i][1]);
                load[i] = p * (b[i] * s);
                drive[i] = [slip[i][0] * -s, slip[i][1] * -s];
                if !STRAIGHT {
                    let theta = m.phi2 * tau;
                    let [s, c] = turn(theta);
                    turns[i] = [Brisk::from(1.0) - c * theta, s * theta];
                    let [c, s] = turns[i];
                    let [x, y] = drive[i];
                    drive[i] = [c * x + s * y, c * y - s * x];
                }
                if STRAIGHT || !self.felt {
                    forget[i] = self.forget(slip[i]) * s;
                }
            }
            let right = driven(a, length, z, &drive);
            let mut stage = [z; N];
            for _ in 0..if !STRAIGHT && self.felt { MOST_ITERATIONS } else { 1 } {
                if !STRAIGHT && self.felt {
                    for i in 0..N {
                        let ([c, s], [x, y]) = (turns[i], stage[i]);
                        let fixed = [c * x - s * y, s * x + c * y];
                        let felt = [slip[i][0] + m.phi2 * fixed[1], slip[i][1] - m.phi2 * fixed[0]];
                        forget[i] = self.forget(felt) * stretch[i];
                    }
                }
                let before = stage;
                stage = solve(a, length, &forget, right);
                if !STRAIGHT && self.felt {
                    let mut change = zero;
                    for i in 0..N {
                        for c in 0..2 {
                            change = change.max((stage[i][c] - before[i][c]).abs());
                        }
                    }
                    if change.le(Brisk::from(self.settled)).all() {
                        break;
                    }
                }
            }
            let mut gain = [zero; 2];
            let mut tops = [[zero; 3]; 2];
            for i in 0..N {
                for c in 0..2 {
                    let rate = (-forget[i]).mul_add(stage[i][c], drive[i][c]);
                    gain[c] = rate.mul_add(Brisk::from(b[i]), gain[c]);
                }
                let [x, y] = stage[i];
                let [x, y] = match STRAIGHT {
                    false => {
                        let [c, s] = turns[i];
                        [c * x - s * y, s * x + c * y]
                    }
                    true => [x, y],
                };
                let load = load[i] * length;
                let (fx, fy) = (load * x, load * y);
                let m = at[i][0] * fy - at[i][1] * fx;
                sums[0] += fx;
                sums[1] += fy;
                sums[2] += m;
                for (top, part) in tops.iter_mut().zip(self.rule.tops[i]) {
                    let part = Brisk::from(part);
                    for (top, value) in top.iter_mut().zip([fx, fy, m]) {
                        *top = value.mul_add(part, *top);
                    }
                }
            }
            let [p, q] = tops;
            sums[3] += (p[0].abs() + p[1].abs()) + (q[0].abs() + q[1].abs());
            sums[4] += p[2].abs() + q[2].abs();
            z = [z[0] + length * gain[0], z[1] + length * gain[1]];
        }
        sums.map(
            #[inline(always)]
            |s| s * start.flux,
        )
    }
}

/// Sums over paths, and what the highest polynomials hold: along paths, and across panels, for each of which these
/// are given at its paths. No moment counts as less than `least`.
fn tell<'a>(
    sums: &[[Brisk; 5]],
    panels: impl Iterator<Item = &'a [[f64; 2]]>,
    stiffness: f64,
    least: f64,
) -> Sounding {
    let mut total = [0.0; 5];
    for s in sums {
        for k in 0..5 {
            total[k] += s[k].0.0.iter().sum::<f64>();
        }
    }
    let (mut first, mut across) = (0, [0.0; 2]);
    for panel in panels {
        let mut tops = [[0.0f64; 3]; 2];
        for (i, parts) in panel.iter().enumerate() {
            let (group, lane) = ((first + i) / WIDTH, (first + i) % WIDTH);
            for k in 0..3 {
                let s = sums[group][k].0.0[lane];
                tops[0][k] += parts[0] * s;
                tops[1][k] += parts[1] * s;
            }
        }
        for t in tops {
            across[0] += t[0].abs() + t[1].abs();
            across[1] += t[2].abs();
        }
        first += panel.len();
    }
    let force = (total[0] * total[0] + total[1] * total[1]).sqrt();
    let moment = total[2].abs().max(least / stiffness);
    Sounding {
        sums: [total[0] * stiffness, total[1] * stiffness, total[2] * stiffness],
        along: [total[3] / force, total[4] / moment],
        across: [across[0] / force, across[1] / moment],
    }
}

/// Exponents between the gentle and the steep, whose ends are panels of their own, or one of either kind.
fn is_demanding(shape: &Shape) -> bool {
    let Shape { n, m, .. } = *shape;
    let between = [n, m].iter().any(|e| (4.5..STEEP).contains(e));
    between || (n < STEEP) != (m < STEEP)
}

/// z + h a drive: the right-hand side of [`solve`].
#[inline(always)]
pub(crate) fn driven<const N: usize>(
    a: &[[f64; N]; N],
    length: Brisk,
    z: [Brisk; 2],
    drive: &[[Brisk; 2]; N],
) -> [[Brisk; 2]; N] {
    let mut right = [z; N];
    for i in 0..N {
        let mut sum = [Brisk::from(0.0); 2];
        for j in 0..N {
            let a = Brisk::from(a[i][j]);
            sum = [drive[j][0].mul_add(a, sum[0]), drive[j][1].mul_add(a, sum[1])];
        }
        right[i] = [length.mul_add(sum[0], z[0]), length.mul_add(sum[1], z[1])];
    }
    right
}

/// (I + h a diag(forget)) z = right.
#[inline(always)]
pub(crate) fn solve<const N: usize>(
    a: &[[f64; N]; N],
    length: Brisk,
    forget: &[Brisk; N],
    mut right: [[Brisk; 2]; N],
) -> [[Brisk; 2]; N] {
    let mut m = [[Brisk::from(0.0); N]; N];
    for j in 0..N {
        let h = length * forget[j];
        for i in 0..N {
            m[i][j] = h * a[i][j];
        }
        m[j][j] += Brisk::from(1.0);
    }
    let mut pivots = [Brisk::from(0.0); N];
    for q in 0..N {
        pivots[q] = Brisk::from(1.0) / m[q][q];
        for i in q + 1..N {
            let factor = -(m[i][q] * pivots[q]);
            for j in q + 1..N {
                m[i][j] = factor.mul_add(m[q][j], m[i][j]);
            }
            for c in 0..2 {
                right[i][c] = factor.mul_add(right[q][c], right[i][c]);
            }
        }
    }
    for q in (0..N).rev() {
        for c in 0..2 {
            let mut sum = right[q][c];
            for j in q + 1..N {
                sum = (-m[q][j]).mul_add(right[j][c], sum);
            }
            right[q][c] = sum * pivots[q];
        }
    }
    right
}

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
{
    /// Whether quick rules are for this bristle, this pressure and this motion.
    pub(crate) fn is_quick(&self, motion: &Motion<f64>) -> bool {
        let damping = self.bristle.damping();
        self.bristle.is_alike()
            && [damping.xx, damping.xy, damping.yy] == [0.0; 3]
            && self.pressure.is_smooth_along(&motion.flow)
            && motion.flow.is_symmetric()
            // Sharper than an ellipse at its tips, and the load has a kink where paths are half way.
            && self.shape.n.min(self.shape.m) >= 2.0
    }

    /// Forces and moments where quick rules reach the accuracy asked for.
    pub(crate) fn solve_quickly(&mut self, motion: &Motion<f64>, model: Model) -> Option<Outcome> {
        let accuracy = self.accuracy();
        if accuracy < 1e-6 || !self.is_quick(motion) {
            return None;
        }
        let four = |[x, y, m]: [f64; 3]| [x, y, m, m];
        let singular = self.singular(motion, model, |at| self.rough_deflection(motion, at));
        if accuracy >= 1e-3 {
            // What a rule of the load doubted is not easy either.
            let hard = singular.is_none() || !self.pressure.is_parabolic();
            let across = if hard && !motion.flow.is_along_x() { HELD_HARD } else { HELD[2] };
            let doubt = |found: &Sounding, along: [f64; 2]| {
                let held = found.along.iter().chain(&found.across);
                let most = along.iter().chain(&across);
                held.zip(most).map(|(held, most)| held / most).fold(0.0, f64::max)
            };
            if singular.is_none() && self.is_far_from_zero(motion) {
                let found = self.sound_loads(motion, model)?;
                let held = found.along.iter().chain(&found.across);
                let doubt: f64 = held.zip(LOAD_DOUBT).map(|(held, counts)| held * counts).sum();
                if doubt <= 1.0 {
                    return Some(outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
                }
            }
            let smooth = is_smooth(self.shape.n);
            let plain = smooth && !is_demanding(&self.shape) && motion.flow.is_along_x();
            if plain && singular.is_some() {
                let found = self.sound(&LIGHT, |q| &q.six, motion, model, singular)?;
                let doubt = LIGHTER * doubt(&found, HELD[0]);
                if doubt <= 1.0 {
                    return Some(outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
                }
            }
            let found = match smooth {
                true => self.sound(&THOUSANDTH, |q| &q.six, motion, model, singular),
                false => self.sound(&ROUGH_THOUSANDTH, |q| &q.eight, motion, model, singular),
            }?;
            let doubt = doubt(&found, HELD[if smooth { 0 } else { 1 }]);
            // Not a number where there is no force.
            return (doubt <= 1.0).then(|| outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
        }
        let coarse = self.sound(&MILLIONTH, |q| &q.eight, motion, model, singular)?;
        let fine = self.sound(&FINE_MILLIONTH, |q| &q.eight, motion, model, singular)?;
        let (coarse, fine) = (four(coarse.sums), four(fine.sums));
        let error = (CAUTION * self.distance(&coarse, &fine)).max(MODESTY * accuracy);
        (error <= accuracy).then(|| outcome(fine, error))
    }

    /// Forces by a quick rule with N nodes to a cell, on a machine that fuses multiplications and additions.
    fn sound<const N: usize>(
        &mut self,
        tier: &Tier,
        rule: impl Fn(&Quick) -> &Collocation<N>,
        motion: &Motion<f64>,
        model: Model,
        singular: Option<[f64; 2]>,
    ) -> Option<Sounding> {
        let divided = self.lay(tier, motion, singular);
        let cells = self.quick_cells(tier, motion, divided);
        let mut sums = std::mem::take(&mut self.quick.sums);
        sums.clear();
        let course = Course {
            shape: &self.shape,
            pressure: &self.pressure,
            bristle: &self.swift,
            motion: motion.cast(Brisk::from),
            pace: Brisk::from(1.0 / motion.speed),
            rule: rule(&self.quick),
            felt: model == Model::Semilinear && motion.phi2 != 0.0,
            settled: tier.settled / self.bristle.fastest(self.shape.a).max(1e-300),
        };
        // Two copies of the march are enough: straight paths without turning, and all others.
        let straight = motion.flow.is_along_x() && motion.phi2 == 0.0;
        let done = simd::fused(
            #[inline(always)]
            || {
                for paths in &self.paths {
                    let start = Start::new(motion, paths, divided);
                    sums.push(match straight {
                        true => course.march::<true>(&start, &cells),
                        false => course.march::<false>(&start, &cells),
                    });
                }
            },
        );
        let panels = self.quick.counts.iter().map(|n| &self.quick.highest[*n][..]);
        let least = 0.02 * self.load * self.shape.a;
        let found = done.map(|()| tell(&sums, panels, self.bristle.stiffness().xx, least));
        self.quick.sums = sums;
        found
    }

    /// Whether the slip velocity vanishes, if anywhere, so far outside that its cone is as good as smooth inside.
    fn is_far_from_zero(&self, motion: &Motion<f64>) -> bool {
        const FAR: f64 = 1.5;
        let [sx, sy] = motion.sigma.map(|s| s / (FAR * motion.phi));
        motion.phi == 0.0 || !self.shape.contains(-sy, sx)
    }

    /// Forces by a rule of the load, where the slip velocity vanishes nowhere.
    fn sound_loads(&mut self, motion: &Motion<f64>, model: Model) -> Option<Sounding> {
        let (mut ends, mut cells) = ([0.0; MOST_CELLS], 0);
        let rate = self.settling(motion);
        let mut first = LOAD_CELL;
        while first * rate > LOAD_FIRST && cells < MOST_CELLS - 2 {
            first *= 0.25;
            cells += 1;
        }
        for (k, end) in ends[..cells + 1].iter_mut().enumerate() {
            *end = first * 4f64.powi(k as i32);
        }
        ends[cells + 1] = 1.0;
        let paths = match (motion.flow.is_along_x(), is_demanding(&self.shape)) {
            (true, _) => [LOAD_ROWS, 0.0],
            (false, false) => LOAD_BENT,
            (false, true) => [1.5 * LOAD_BENT[0], LOAD_BENT[1]],
        };
        let purpose = Purpose { flow: motion.flow, ends, cells: cells + 2, paths };
        let mut sums = std::mem::take(&mut self.quick.sums);
        sums.clear();
        let loads = &mut self.quick.loads;
        let rule = loads.rule(&self.shape, &self.pressure, self.load, &purpose);
        let rule = rule.map(|k| &loads.rules[k]);
        let roll = Roll {
            bristle: &self.swift,
            motion,
            collocation: &loads.collocation,
            felt: model == Model::Semilinear && motion.phi2 != 0.0,
            settled: THOUSANDTH.settled / self.bristle.fastest(self.shape.a).max(1e-300),
        };
        let done = rule.and_then(|rule| roll.over(rule, &mut sums).map(|()| rule));
        let found = done.map(|rule| {
            tell(&sums, rule.strips(), self.bristle.stiffness().xx, 0.02 * self.load * self.shape.a)
        });
        self.quick.sums = sums;
        found
    }

    /// Lays out the paths; says where to divide them if the slip velocity vanishes in or near the patch.
    fn lay(
        &mut self,
        tier: &Tier,
        motion: &Motion<f64>,
        singular: Option<[f64; 2]>,
    ) -> Option<Division> {
        let flow = &motion.flow;
        // Where the load does not vanish at the edge, a whole side is too much for one rule that is to be good.
        let one_side = flow.is_along_x()
            && (tier.decade < 3.0 || self.shape.n == 2.0 || self.pressure.is_parabolic());
        // Strips stop at a corner in its middle: that is too coarse for a millionth.
        if !flow.is_along_x() && tier.decade < 3.0 {
            return self.lay_bent(tier, flow, singular);
        }
        if one_side {
            self.panels.clear();
            let side = Panel::side();
            match is_smooth(self.shape.m) {
                true => self.panels.push(side),
                false => self.panels.extend(side.divided_at(0.0, true)),
            }
        } else {
            if self.flow != Some(*flow) {
                inflow::panels(&self.shape, flow, &mut self.base);
                self.flow = Some(*flow);
            }
            self.panels.clone_from(&self.base);
        }
        let divided = singular.map(|at| {
            if one_side {
                let u = (at[1] / self.shape.b).clamp(-1.0, 1.0);
                inflow::divide(&mut self.panels, Shape::parameter_of_side(u), false);
            } else {
                let near = self.near(at);
                inflow::split_at_path_through(&self.shape, flow, near, true, &mut self.panels);
            }
            self.division(flow, at)
        });
        let all = match (one_side, divided) {
            (true, None) => tier.rows as f64,
            (true, _) => tier.halves as f64,
            (false, _) if is_demanding(&self.shape) => 1.4 * tier.bent as f64,
            _ => tier.bent as f64,
        };
        let flux = |p: &Panel| p.flux(&self.shape, flow);
        let shares = self.panels.iter().map(|p| (flux(p), 1));
        share_out(all, tier.decade, shares, &mut self.quick.counts);
        let mut counts = self.quick.counts.iter();
        let count = |_: &Panel| counts.next().copied().unwrap_or(3);
        inflow::paths(&self.shape, flow, &self.panels, count, &mut self.paths);
        divided
    }

    /// The same where paths are bent.
    fn lay_bent(
        &mut self,
        tier: &Tier,
        flow: &Flow<f64>,
        singular: Option<[f64; 2]>,
    ) -> Option<Division> {
        let mut strips = match self.quick.strips {
            Some((of, strips)) if of == *flow => strips,
            _ => Strips::new(&self.shape, flow),
        };
        self.quick.strips = Some((*flow, strips));
        let divided = singular.map(|at| {
            let [x, y] = self.near(at);
            strips.divide_at_path_through(x, y);
            self.division(flow, at)
        });
        let all = if is_demanding(&self.shape) { 1.4 } else { 1.0 } * tier.bent as f64;
        let shares = strips.list().iter().map(|s| (s.flux(flow.phi1), s.passes()));
        share_out(all, tier.decade, shares, &mut self.quick.counts);
        let counts = &self.quick.counts;
        strips.paths(&self.shape, |k| legendre(counts[k]), &mut self.paths);
        // Paths of both passes through the patch follow each other.
        for (i, strip) in strips.list().iter().enumerate().rev() {
            if strip.twice {
                self.quick.counts.insert(i, self.quick.counts[i]);
            }
        }
        divided
    }

    /// The deflection of the bristle that is now at a point inside, in Model 2, to some hundredths: where the slip
    /// velocity vanishes need not be known better. A dozen steps, exact but for friction, which is that of the middle
    /// of a step with the deflection at its start.
    fn rough_deflection(&self, motion: &Motion<f64>, at: [f64; 2]) -> [f64; 2] {
        const STEPS: usize = 12;
        let flow = &motion.flow;
        let (back, v) = (self.way_since_entry(flow, at), flow.velocity(at[0], at[1]));
        let h = back / STEPS as f64;
        let rotated = |[x, y]: [f64; 2], angle: f64| {
            let (s, c) = angle.sin_cos();
            [c * x - s * y, s * x + c * y]
        };
        (0..STEPS).fold([0.0; 2], |z, k| {
            let [x, y] = flow.follow(at, v, (k as f64 + 0.5) * h - back);
            let slip = motion.slip(x, y);
            let felt = [slip[0] + motion.phi2 * z[1], slip[1] - motion.phi2 * z[0]];
            let speed_squared = (felt[0] * felt[0] + felt[1] * felt[1]) * motion.speed.sq();
            let rate = self.bristle.scalar_response(speed_squared).forget / motion.speed;
            let decay = (-rate * h).exp();
            let follow = if rate * h > 1e-9 { (1.0 - decay) / rate } else { h };
            let (kept, gained) =
                (rotated(z, motion.phi2 * h), rotated(slip, 0.5 * motion.phi2 * h));
            [decay * kept[0] - follow * gained[0], decay * kept[1] - follow * gained[1]]
        })
    }

    /// The cells of every path.
    fn quick_cells(&self, tier: &Tier, motion: &Motion<f64>, divided: Option<Division>) -> Cells {
        let mut cells = Cells::none();
        let rate = self.settling(motion);
        let quarter = |cells: &mut Cells, first: f64, share: f64| {
            let mut bounds = [0.0; 12];
            let (mut q, mut count) = (first, 0);
            while q * share * rate > tier.first && count < bounds.len() {
                q *= 0.25;
                bounds[count] = q;
                count += 1;
            }
            for q in bounds[..count].iter().rev() {
                cells.push([*q, 0.0], Spread::Even);
            }
        };
        let Some(Division { part, .. }) = divided else {
            quarter(&mut cells, tier.whole[0], 1.0);
            for end in tier.whole {
                cells.push([*end, 0.0], Spread::Even);
            }
            return cells;
        };
        let n = tier.half.len();
        let before = |k: usize| if k == 0 { 1.0 } else { 1.0 - tier.half[k - 1] };
        quarter(&mut cells, before(n - 1), part);
        for k in (0..n).rev() {
            cells.push([before(k), 0.0], if k == 0 { Spread::ToEnd } else { Spread::Even });
        }
        for k in 0..n {
            cells.push([1.0, tier.half[k]], if k == 0 { Spread::ToStart } else { Spread::Even });
        }
        cells
    }
}
