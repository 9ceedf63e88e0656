//! Quick rules for steady rolling: of bristles that prefer no direction and have no damping, under a smooth pressure.
//!
//! As in [`march`](super::march), paths are divided into cells and each cell is solved by collocation, but with more
//! nodes to a cell and fewer cells, with as many paths to a panel as flow enters through it, and with numbers no more
//! precise than the accuracy asked for needs. What the two highest polynomials of a rule hold, along every cell and across every panel,
//! tells whether it resolves what it integrates.
use super::crossing::Strips;
use super::fading::{Brief, Briefs, Brisk, Fade, Fading, Prompt};
use super::flow::{Flow, turn};
use super::inflow::{self, Panel, Paths, WIDTH, Wide};
use super::loads::{Loads, Looks, MOST_CELLS, Purpose};
use super::march::{Cells, Motion, Side, Spread};
use super::shape::{STEEP, Shape, is_smooth};
use super::steady::{CAUTION, Division, MODESTY, Outcome, Steady, nearest, outcome};
use super::{Model, Pressure};
use crate::quadrature::{MOST_NODES, Stages, highest_polynomials, legendre};
use bristle_kernel::{Cast, Logic, Planar, Real};
use bristle_num::{Lanes, Several, simd};

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
    /// Whether straight paths crowd towards the point where the slip velocity vanishes.
    crowded: bool,
}

/// The first try at a thousandth where the slip velocity vanishes inside, with five nodes to a cell: one vector of paths
/// on either side of that point. Of 40,000 random cases 5400 took it. Of 82 in 100 of these the highest polynomials hold
/// less than 1/1.5 of [`HELD`], and none is then off by more than 0.91 thousandths; of 75 less than 1/1.9, and none by more than
/// 0.38. It may hold 1/1.7.
const LIGHT: Tier = Tier { halves: WIDTH, bent: WIDTH, ..THOUSANDTH };

/// The same for bent paths of steep outlines. Of 3000 random cases 9 in 10 hold less than [`HELD`], and none of these is off
/// by more than 0.76 thousandths. It may hold 1/1.25: one case of 40,000 under random laws that held 1/1.13 was off by 1.67.
const LIGHT_BENT: Tier = Tier { half: &[0.65, 1.0], ..THOUSANDTH };

/// For a thousandth, with six nodes to a cell, where the outline is smooth half way along a path.
const THOUSANDTH: Tier = Tier {
    rows: 12,
    halves: 10,
    bent: 10,
    decade: 2.5,
    whole: &[0.15, 0.85, 1.0],
    half: &[0.6, 1.0],
    first: 8.0,
    settled: 1e-2,
    crowded: false,
};

/// The same with eight nodes to a cell, where it is not.
const ROUGH_THOUSANDTH: Tier = Tier { whole: &[0.5, 1.0], first: 12.0, ..THOUSANDTH };

/// The first try at a millionth where all is smooth, with eight nodes to a cell.
const SMOOTH_MILLIONTH: Tier = Tier {
    rows: 20,
    halves: 16,
    bent: 15,
    whole: &[0.5, 1.0],
    half: &[0.45, 1.0],
    settled: 1e-6,
    crowded: true,
    ..MILLIONTH
};

/// The same where the outline is steep.
const STEEP_MILLIONTH: Tier =
    Tier { halves: 20, bent: 16, whole: &[0.25, 0.75, 1.0], ..SMOOTH_MILLIONTH };

/// The first try elsewhere; its difference from the next is the error of that.
const LIGHT_MILLIONTH: Tier = Tier {
    rows: 20,
    halves: 14,
    bent: 14,
    whole: &[0.15, 0.85, 1.0],
    half: &[0.6, 1.0],
    first: 8.0,
    settled: 1e-6,
    ..MILLIONTH
};

/// For a millionth.
const MILLIONTH: Tier = Tier {
    rows: 28,
    halves: 20,
    bent: 20,
    decade: 3.0,
    whole: &[0.1, 0.5, 0.9, 1.0],
    half: &[0.4, 0.8, 1.0],
    first: 6.0,
    settled: 1e-7,
    crowded: false,
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
    settled: 1e-8,
    crowded: false,
};

/// What the highest polynomials may hold of force and moment, along cells and across panels, in the first try at a
/// millionth where the slip velocity vanishes inside, where it does not, and in rules of the load. Of 3000 random cases
/// with even exponents under a load that vanishes at the edge, 7 to 9 of 10 stay below, and none of these is off by more
/// than half a millionth.
const HELD_INSIDE: [[f64; 2]; 2] = [[2e-2, 5e-3], [5e-3, 4e-3]];
const HELD_OUTSIDE: [[f64; 2]; 2] = [[1.5e-2, 0.3], [3.8e-4, 5e-3]];
const HELD_OUTSIDE_STEEP: [[f64; 2]; 2] = [[5e-3, 0.15], [5e-4, 2.5e-3]];
const HELD_OF_LOADS: [[f64; 2]; 2] = [[2.9e-4, 3.9e-3], [2.6e-4, 3.9e-3]];

/// What the highest polynomials may hold of force and moment along cells of six nodes, of eight nodes, and across
/// panels. Of 1007 random cases with known answers, 97 of 100 stay below, and none of these is off by more than
/// half a thousandth.
const HELD: [[f64; 2]; 3] = [[0.5, 0.4], [0.1, 0.2], [0.1, 0.15]];

/// How far from the outline the tip of the cone has to be for that, as a part of the way there.
const INWARDS: f64 = 0.9;

/// The same across strips of bent paths under a load that ends abruptly at the edge, which is hard to see: of 12,000
/// random cases one within the other bounds was off by 2.8 thousandths, with 0.076 of the moment.
const HELD_HARD: [f64; 2] = [0.04, 0.06];

/// The same in the first try across bent paths of a gentle outline, where nothing is hard: of 600 random cases none was
/// off by more than 0.2 thousandths, whatever was held.
const HELD_GENTLE: [f64; 2] = [0.3, 0.45];

/// How many paths and cells a rule of the load has.
#[derive(Clone, Copy, Debug)]
struct LoadTier {
    /// Straight paths.
    rows: f64,
    /// Bent paths, did all belong to one strip, and how many fewer stand for a tenth of the flow.
    bent: [f64; 2],
    /// Where the cells of a path end.
    ends: &'static [f64],
    /// How many times over bristles may settle in the first of them.
    first: f64,
    /// When the iteration of Model 2 has settled, in units of μ/σ₀.
    settled: f64,
    /// How closely the load is looked at.
    looks: Looks,
}

/// For a thousandth, with five nodes to a cell.
const LOAD_THOUSANDTH: LoadTier = LoadTier {
    rows: 8.0,
    bent: [9.0, 2.5],
    ends: &[0.4, 1.0],
    first: 9.0,
    settled: THOUSANDTH.settled,
    looks: Looks { cell: 12, along: 16, across: 24 },
};

/// For a millionth, with eight nodes to a cell, where paths are straight.
const LOAD_MILLIONTH: LoadTier = LoadTier {
    rows: 16.0,
    ends: &[0.2, 0.5, 1.0],
    first: 8.0,
    settled: SMOOTH_MILLIONTH.settled,
    looks: Looks { cell: 16, along: 32, across: 48 },
    ..LOAD_THOUSANDTH
};

/// What it counts for that the highest polynomials of rules of the load hold parts of force and moment, along and
/// across paths. All together must stay below 1: of 16,000 random cases 9 of 10 do, and none of these is off by more
/// than 0.7 thousandths.
const LOAD_DOUBT: [f64; 4] = [15.0, 3.0, 40.0, 5.0];

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

/// Runs a block for each number below N, which is at most 8, as constants: inner loops that end at one of them are
/// then unrolled.
macro_rules! unrolled {
    ($q:ident below $n:ident, [$($k:literal)*] $body:block) => {$({
        const $q: usize = $k;
        if $q < $n $body
    })*};
}

/// A collocation rule in the scalar that it is used in, and its two highest polynomials at its nodes, of which K are
/// worked out at a time.
#[derive(Clone, Debug)]
pub(crate) struct Collocation<S, const N: usize, const K: usize = N> {
    pub(crate) stages: Stages<N>,
    pub(crate) b: [S; N],
    /// The inverse of a, and what its rows add up to.
    inverse: [[S; N]; N],
    rows: [S; N],
    /// What stages and start weigh in the end, without their rates: bᵀa⁻¹ and what is left of 1.
    ending: [S; N],
    staying: S,
    pub(crate) tops: [[S; 2]; N],
    /// For every way in which nodes lie in a cell: where they are, dτ/dc over the length of the cell, the same with its sign
    /// changed, and their weights.
    lie: [[[S; 4]; N]; 3],
}

impl<S: Real, const N: usize, const K: usize> Collocation<S, N, K> {
    pub(crate) fn new() -> Self {
        let stages = Stages::<N>::gauss();
        let Stages { a, b, c } = &stages;
        let rule: [(f64, f64); N] = std::array::from_fn(|i| (c[i], b[i]));
        let mut tops = [[S::from(0.0); 2]; N];
        for (top, highest) in tops.iter_mut().zip(highest_polynomials(&rule)) {
            *top = highest.map(S::from);
        }
        let lie = [Spread::Even, Spread::ToEnd, Spread::ToStart].map(|spread| {
            std::array::from_fn(|i| {
                let [at, stretch] = spread.at(c[i]);
                [at, stretch, -stretch, b[i] * stretch].map(S::from)
            })
        });
        let inverse = inverted(*a);
        let ending: [f64; N] = std::array::from_fn(|j| (0..N).map(|i| b[i] * inverse[i][j]).sum());
        Collocation {
            rows: inverse.map(|row| S::from(row.iter().sum())),
            inverse: inverse.map(|row| row.map(S::from)),
            staying: S::from(1.0 - ending.iter().sum::<f64>()),
            ending: ending.map(S::from),
            b: b.map(S::from),
            tops,
            lie,
            stages,
        }
    }

    /// What drives the stages of a cell into which z is carried: the right-hand side of [`solve`](Self::solve).
    #[inline(always)]
    pub(crate) fn driven(&self, length: S, z: [S; 2], drive: &[[S; 2]; N]) -> [[S; 2]; N] {
        let mut right = [z; N];
        for i in 0..N {
            for c in 0..2 {
                right[i][c] = length.mul_add(drive[i][c], self.rows[i] * z[c]);
            }
        }
        right
    }

    /// The stages of z′ = drive − forget z: z = z₀ + h a(drive − forget z), or (a⁻¹ + h diag(forget))z = a⁻¹z₀ + h drive,
    /// of which all but a diagonal is known beforehand.
    #[inline(always)]
    pub(crate) fn solve(&self, length: S, forget: &[S; N], mut right: [[S; 2]; N]) -> [[S; 2]; N] {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let mut m = self.inverse;
        for j in 0..N {
            m[j][j] = length.mul_add(forget[j], m[j][j]);
        }
        let mut pivots = [zero; N];
        unrolled!(Q below N, [0 1 2 3 4 5 6 7] {
            pivots[Q] = one / m[Q][Q];
            for i in Q + 1..N {
                let factor = -(m[i][Q] * pivots[Q]);
                for j in Q + 1..N {
                    m[i][j] = factor.mul_add(m[Q][j], m[i][j]);
                }
                for c in 0..2 {
                    right[i][c] = factor.mul_add(right[Q][c], right[i][c]);
                }
            }
        });
        unrolled!(Q below N, [7 6 5 4 3 2 1 0] {
            for c in 0..2 {
                let mut sum = right[Q][c];
                // What was found last comes last: until then there is something else to add.
                for j in (Q + 1..N).rev() {
                    sum = (-m[Q][j]).mul_add(right[j][c], sum);
                }
                right[Q][c] = sum * pivots[Q];
            }
        });
        right
    }

    /// The end of a cell of which the stages are known.
    #[inline(always)]
    pub(crate) fn end(&self, z: [S; 2], stages: &[[S; 2]; N]) -> [S; 2] {
        let mut end = [self.staying * z[0], self.staying * z[1]];
        for i in 0..N {
            for c in 0..2 {
                end[c] = stages[i][c].mul_add(self.ending[i], end[c]);
            }
        }
        end
    }
}

/// The inverse of a matrix of a Gauss rule, of which no pivot vanishes.
fn inverted<const N: usize>(mut a: [[f64; N]; N]) -> [[f64; N]; N] {
    let mut inverse = [[0.0; N]; N];
    for (i, row) in inverse.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for q in 0..N {
        let scale = 1.0 / a[q][q];
        (a[q], inverse[q]) = (a[q].map(|x| x * scale), inverse[q].map(|x| x * scale));
        for i in (0..N).filter(|i| *i != q) {
            let factor = a[i][q];
            for j in 0..N {
                a[i][j] -= factor * a[q][j];
                inverse[i][j] -= factor * inverse[q][j];
            }
        }
    }
    inverse
}

/// What quick rules keep between evaluations.
#[derive(Clone, Debug)]
pub(crate) struct Quick {
    six: Collocation<Brief, 6>,
    five: Collocation<Brief, 5>,
    eight: Collocation<Brief, 8, 4>,
    precise: Collocation<Brisk, 8, 2>,
    loads: Loads<Brief, 5>,
    precise_loads: Loads<Brisk, 8>,
    /// The highest polynomials of every rule across a panel.
    highest: Vec<Vec<[f64; 2]>>,
    /// Paths of each panel.
    counts: Vec<usize>,
    /// ∫p z and its moment over each path, and what the highest polynomials hold of them.
    sums: Vec<[Wide; 5]>,
    /// The cells of every path.
    cells: Option<Box<Cells>>,
    /// The strips of the last flow with bent paths.
    strips: Option<(Flow<f64>, Strips)>,
    /// How fast deflections fade, up to the greatest speed of the last motion.
    fade: Option<Fade>,
}

impl Quick {
    pub(crate) fn new() -> Self {
        Quick {
            six: Collocation::new(),
            five: Collocation::new(),
            eight: Collocation::new(),
            precise: Collocation::new(),
            highest: (0..=MOST_NODES).map(|n| highest_polynomials(legendre(n)).collect()).collect(),
            loads: Loads::new(LOAD_THOUSANDTH.looks),
            precise_loads: Loads::new(LOAD_MILLIONTH.looks),
            counts: Vec::new(),
            sums: Vec::new(),
            cells: None,
            strips: None,
            fade: None,
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

impl Motion<f64> {
    /// Whether friction is taken at the velocity that the bristle feels.
    pub(crate) fn is_felt(&self, model: Model) -> bool {
        model == Model::Semilinear && self.phi2 != 0.0
    }

    /// As seen in a mirror along x.
    fn mirrored(&self) -> Self {
        let Motion { sigma: [x, y], phi, phi2, speed, flow } = *self;
        let flow = Flow { phi1: -flow.phi1, ..flow };
        Motion { sigma: [x, -y], phi: -phi, phi2: -phi2, speed, flow }
    }
}

/// What a march needs to know and does not change.
struct Course<'a, S, P, const N: usize, const K: usize> {
    shape: &'a Shape,
    pressure: &'a Pressure,
    fading: &'a Fading<'a, S, P>,
    motion: Motion<S>,
    rule: &'a Collocation<S, N, K>,
    /// Whether friction is taken at the velocity that the bristle feels.
    felt: bool,
    /// When the iteration of Model 2 has settled, m.
    settled: S,
}

/// Where paths begin.
#[derive(Clone, Copy)]
struct Start<S> {
    entry: [S; 2],
    /// V̄ there.
    v: [S; 2],
    /// The flow that enters, m.
    flux: S,
    /// The lengths before and after the point where cells are divided.
    parts: [S; 2],
}

/// How many of them are worked out in a row.
const ABREAST: usize = 8;

impl<S: Side> Start<S> {
    #[inline(always)]
    fn none() -> Self {
        let zero = S::from(0.0);
        Start { entry: [zero; 2], v: [zero; 2], flux: zero, parts: [zero; 2] }
    }

    #[inline(always)]
    fn new(flow: &Flow<S>, paths: &Paths, divided: Option<Division>) -> Self {
        let entry = [S::lift(paths.x), S::lift(paths.y)];
        let (v, length) = (flow.velocity(entry[0], entry[1]), S::lift(paths.length));
        let nearest = match divided {
            None => length,
            Some(d) if flow.phi1 == S::from(0.0) => {
                (entry[0] - d.at[0]).max(S::from(0.0)).min(length)
            }
            Some(d) => nearest(flow, entry, length, d.at),
        };
        Start {
            entry,
            v,
            flux: (v[0] * S::lift(paths.dy) - v[1] * S::lift(paths.dx)).abs(),
            parts: [nearest, length - nearest],
        }
    }
}

/// Model 2 contracts by φ₂zA′h per iteration.
pub(crate) const MOST_ITERATIONS: usize = 12;

impl<S: Prompt, P: Planar<S::Several>, const N: usize, const K: usize> Course<'_, S, P, N, K> {
    /// λ at the nodes of a cell, times dτ/dc.
    #[inline(always)]
    fn forget(&self, slip: &[[S; 2]; N], lie: &[[S; 4]; N]) -> [S; N] {
        let mut rates = self.fading.at(slip);
        for i in 0..N {
            rates[i] = rates[i] * lie[i][1];
        }
        rates
    }

    /// ∫p z and its moment over paths, and how much of it the highest polynomials of the cells hold.
    #[inline(always)]
    fn march<const STRAIGHT: bool>(&self, start: &Start<S>, cells: &Cells) -> [Wide; 5] {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let m = &self.motion;
        let (bent, turned) = (m.flow.phi1 != zero, m.phi2 != zero);
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
                ([[zero; 2]; N], [[zero; 2]; N], [[zero; 2]; N], [[one, zero]; N]);
            let (mut way, mut load, mut forget) = ([zero; N], [zero; N], [zero; N]);
            let lie = &self.rule.lie[cells.spread[k] as usize];
            for i in 0..N {
                way[i] = length.mul_add(lie[i][0], from);
            }
            for first in (0..N).step_by(K) {
                let some = first..N.min(first + K);
                let mut ways = [way[first]; K];
                ways[..some.len()].copy_from_slice(&way[some.clone()]);
                let way = Several(ways);
                let all = |x: S| Several([x; K]);
                let [x, y] = start.entry.map(all);
                let place = if !STRAIGHT && bent {
                    let [s, c] = turn(all(m.flow.phi1) * way);
                    let (s, c) = (s * way, c * way);
                    let [v, w] = start.v.map(all);
                    [v.mul_add(s, w.mul_add(c, x)), w.mul_add(s, (-v).mul_add(c, y))]
                } else {
                    [x - way, y]
                };
                let pressure = self.pressure.at(self.shape, place[0], place[1]);
                let turned = match !STRAIGHT && turned {
                    true => {
                        let theta = all(m.phi2) * way;
                        let [s, c] = turn(theta);
                        [all(one) - c * theta, s * theta]
                    }
                    false => [all(one), all(zero)],
                };
                for (k, i) in some.enumerate() {
                    at[i] = [place[0].0[k], place[1].0[k]];
                    load[i] = pressure.0[k] * lie[i][3];
                    turns[i] = [turned[0].0[k], turned[1].0[k]];
                }
            }
            for i in 0..N {
                slip[i] = m.slip(at[i][0], at[i][1]);
            }
            if STRAIGHT || !self.felt {
                forget = self.forget(&slip, lie);
            }
            for i in 0..N {
                let against = lie[i][2];
                drive[i] = [slip[i][0] * against, slip[i][1] * against];
                if !STRAIGHT && turned {
                    let ([c, s], [x, y]) = (turns[i], drive[i]);
                    drive[i] = [c * x + s * y, c * y - s * x];
                }
            }
            let right = self.rule.driven(length, z, &drive);
            let mut stage = [z; N];
            for _ in 0..if !STRAIGHT && self.felt { MOST_ITERATIONS } else { 1 } {
                if !STRAIGHT && self.felt {
                    let mut felt = slip;
                    for i in 0..N {
                        let ([c, s], [x, y]) = (turns[i], stage[i]);
                        let fixed = [c * x - s * y, s * x + c * y];
                        felt[i] = [slip[i][0] + m.phi2 * fixed[1], slip[i][1] - m.phi2 * fixed[0]];
                    }
                    forget = self.forget(&felt, lie);
                }
                let before = stage;
                stage = self.rule.solve(length, &forget, right);
                if !STRAIGHT && self.felt {
                    let mut change = zero;
                    for i in 0..N {
                        for c in 0..2 {
                            change = change.max((stage[i][c] - before[i][c]).abs());
                        }
                    }
                    if change.le(self.settled).all() {
                        break;
                    }
                }
            }
            let mut tops = [[zero; 3]; 2];
            for i in 0..N {
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
                    for (top, value) in top.iter_mut().zip([fx, fy, m]) {
                        *top = value.mul_add(part, *top);
                    }
                }
            }
            let [p, q] = tops;
            sums[3] += (p[0].abs() + p[1].abs()) + (q[0].abs() + q[1].abs());
            sums[4] += p[2].abs() + q[2].abs();
            z = self.rule.end(z, &stage);
        }
        for sum in &mut sums {
            *sum = *sum * start.flux;
        }
        simd::apart(sums).map(S::value)
    }
}

/// Sums over paths, and what the highest polynomials hold: along paths, and across panels, for each of which these
/// are given at its paths. No moment counts as less than `least`.
fn tell<'a>(
    sums: &[[Wide; 5]],
    panels: impl Iterator<Item = &'a [[f64; 2]]>,
    stiffness: f64,
    least: f64,
) -> Sounding {
    let mut totals = [Wide::from(0.0); 5];
    for s in sums {
        for k in 0..5 {
            totals[k] += s[k];
        }
    }
    let total = totals.map(|t| t.0.iter().sum::<f64>());
    let (mut first, mut across) = (0, [0.0; 2]);
    for panel in panels {
        let mut tops = [[0.0f64; 3]; 2];
        for (i, parts) in panel.iter().enumerate() {
            let (group, lane) = ((first + i) / WIDTH, (first + i) % WIDTH);
            for k in 0..3 {
                let s = sums[group][k].0[lane];
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

/// The greatest part that is held of what may be.
fn doubt(found: &Sounding, along: [f64; 2], across: [f64; 2]) -> f64 {
    let held = found.along.iter().chain(&found.across);
    let most = along.iter().chain(&across);
    held.zip(most).map(|(held, most)| held / most).fold(0.0, greatest)
}

/// The greater of two numbers; what is no number counts as greatest.
fn greatest(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// Exponents between the gentle and the steep, whose ends are panels of their own, or one of either kind.
fn is_demanding(shape: &Shape) -> bool {
    let Shape { n, m, .. } = *shape;
    let between = [n, m].iter().any(|e| (4.5..STEEP).contains(e));
    between || (n < STEEP) != (m < STEEP)
}

/// Exponents of an ellipse and not much more.
fn is_gentle(shape: &Shape) -> bool {
    shape.n.max(shape.m) < 4.5
}

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
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

    /// Whether single precision holds all there is with its squares and products.
    fn is_modest(&self, motion: &Motion<f64>) -> bool {
        let Shape { a, b, .. } = self.shape;
        let sizes = [a, b, self.load, self.bristle.stiffness().xx, motion.speed];
        let slips = [motion.sigma[0], motion.sigma[1], motion.phi * a, motion.phi * b];
        let modest = 1e-6..1e9;
        sizes.iter().all(|s| modest.contains(s)) && slips.iter().all(|s| s.abs() < modest.end)
    }

    /// Forces and moments where quick rules reach the accuracy asked for.
    pub(crate) fn solve_quickly(&mut self, motion: &Motion<f64>, model: Model) -> Option<Outcome> {
        let accuracy = self.accuracy();
        if accuracy < 1e-6 || !self.is_quick(motion) {
            return None;
        }
        if accuracy >= 1e-3 && !self.is_modest(motion) {
            return None;
        }
        // A motion and its mirror image about y = 0 are one to all that is symmetric, to the last digit.
        if motion.phi < 0.0 {
            let Outcome { force: [x, y], moment, moment_deformed, error } =
                self.solve_quickly(&motion.mirrored(), model)?;
            return Some(outcome([x, -y, -moment, -moment_deformed], error));
        }
        let four = |[x, y, m]: [f64; 3]| [x, y, m, m];
        let mut middles = [[0.0; 2]; WIDTH];
        let singular =
            self.singular(motion, model, |at| self.rough_deflection(motion, at, &mut middles));
        let straight = motion.flow.is_along_x();
        let turn = motion.flow.phi1.abs() * (self.shape.a + self.shape.b);
        if accuracy >= 1e-3 {
            // Of paths that hardly bend few enter through a steep side, where a load that ends abruptly is large.
            let few = !straight && turn < 0.05 && !is_gentle(&self.shape);
            if few && !self.pressure.is_parabolic() {
                return None;
            }
            // What a rule of the load doubted is not easy either.
            let hard = singular.is_none() || !self.pressure.is_parabolic();
            let across = if hard && !straight { HELD_HARD } else { HELD[2] };
            if singular.is_none() && self.is_far_from_zero(motion) {
                let found = self.sound_loads(motion, model)?;
                let held = found.along.iter().chain(&found.across);
                let doubt: f64 = held.zip(LOAD_DOUBT).map(|(held, counts)| held * counts).sum();
                if doubt <= 1.0 {
                    return Some(outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
                }
            }
            // Around a zero the highest polynomials do not tell of a sharp law.
            if singular.is_some() && self.is_sharp(motion, model) {
                return None;
            }
            // Of a cone whose tip is outside they tell less.
            let unsure = match singular {
                Some([x, y]) if !self.shape.contains(x, y) => 2.0,
                _ => 1.0,
            };
            let smooth = is_smooth(self.shape.n);
            let lighter = match singular {
                _ if !smooth => None,
                Some(_) if straight && !is_demanding(&self.shape) => Some((LIGHT, HELD[2], 1.7)),
                Some(_) if !straight && is_gentle(&self.shape) => Some((LIGHT, HELD_GENTLE, 1.7)),
                Some([x, y]) if !is_demanding(&self.shape) => {
                    let inside = turn > 0.05 && self.shape.contains(x, y);
                    inside.then_some((LIGHT_BENT, across, 1.25))
                }
                _ => None,
            };
            if let Some((tier, across, lighter)) = lighter {
                let found =
                    self.sound(&tier, |s| (&s.brief, &s.quick.five), motion, model, singular)?;
                let doubt = unsure * lighter * doubt(&found, HELD[0], across);
                if doubt <= 1.0 {
                    return Some(outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
                }
            }
            let found = match smooth {
                true => {
                    self.sound(&THOUSANDTH, |s| (&s.brief, &s.quick.six), motion, model, singular)
                }
                false => self.sound(
                    &ROUGH_THOUSANDTH,
                    |s| (&s.brief, &s.quick.eight),
                    motion,
                    model,
                    singular,
                ),
            }?;
            // Of 40,000 cases under random laws one, with bent paths over a steep outline, was off by 1.02 thousandths.
            let easy = straight || is_gentle(&self.shape) || !smooth;
            let steep = if easy { 1.0 } else { 1.1 };
            let doubt = steep * unsure * doubt(&found, HELD[if smooth { 0 } else { 1 }], across);
            // Not a number where there is no force.
            return (doubt <= 1.0).then(|| outcome(four(found.sums), 1e-3 * (0.8 + 0.2 * doubt)));
        }
        // Where all is smooth one rule is enough, if its highest polynomials hold next to nothing. Of a cone whose tip is
        // near the outline they do not tell.
        let clear = match singular {
            Some([x, y]) => self.shape.contains(x / INWARDS, y / INWARDS),
            None => self.is_far_from_zero(motion),
        };
        // Nor of paths that hardly bend, of which few enter through the flat sides.
        let bent = straight || is_gentle(&self.shape) || turn > 0.02;
        let smooth = self.pressure.is_parabolic()
            && is_smooth(self.shape.n)
            && is_smooth(self.shape.m)
            && !is_demanding(&self.shape)
            && clear
            && bent
            && !self.is_sharp(motion, model);
        if smooth {
            let steep = !is_gentle(&self.shape);
            let found = match singular {
                None if straight => self.sound_loads(motion, model),
                _ => self.sound(
                    if steep { &STEEP_MILLIONTH } else { &SMOOTH_MILLIONTH },
                    |s| (&s.swift, &s.quick.precise),
                    motion,
                    model,
                    singular,
                ),
            }?;
            let [along, across] = match singular {
                Some(_) => HELD_INSIDE,
                None if straight => HELD_OF_LOADS,
                None if steep => HELD_OUTSIDE_STEEP,
                None => HELD_OUTSIDE,
            };
            let doubt = doubt(&found, along, across);
            if doubt <= 1.0 {
                return Some(outcome(four(found.sums), 1e-6 * (0.5 + 0.5 * doubt)));
            }
        }
        let mut coarse = None;
        for tier in [LIGHT_MILLIONTH, MILLIONTH, FINE_MILLIONTH] {
            let found =
                self.sound(&tier, |s| (&s.swift, &s.quick.precise), motion, model, singular)?;
            let fine = four(found.sums);
            if let Some(coarse) = coarse {
                let error = (CAUTION * self.distance(&coarse, &fine)).max(MODESTY * accuracy);
                if error <= accuracy {
                    return Some(outcome(fine, error));
                }
            }
            coarse = Some(fine);
        }
        None
    }

    /// Forces by a quick rule with N nodes to a cell, on a machine that fuses multiplications and additions.
    fn sound<S: Prompt, P: Planar<S::Several>, const N: usize, const K: usize>(
        &mut self,
        tier: &Tier,
        tools: impl Fn(&Self) -> (&P, &Collocation<S, N, K>),
        motion: &Motion<f64>,
        model: Model,
        singular: Option<[f64; 2]>,
    ) -> Option<Sounding> {
        let divided = self.lay(tier, motion, singular);
        let mut sums = std::mem::take(&mut self.quick.sums);
        let mut cells = self.quick.cells.take().unwrap_or_else(|| Box::new(Cells::none()));
        sums.clear();
        self.quick_cells(tier, motion, divided, &mut cells);
        let (felt, fade) = (motion.is_felt(model), self.fade::<S>(motion, model));
        let (bristle, rule) = tools(self);
        let course = Course {
            shape: &self.shape,
            pressure: &self.pressure,
            fading: &Fading::new(bristle, motion.speed, Some(&fade)),
            motion: motion.cast(S::from),
            rule,
            felt,
            settled: S::from(tier.settled * self.largest_deflection(motion.speed)),
        };
        // Two copies of the march are enough: straight paths without turning, and all others.
        let straight = motion.flow.is_along_x() && motion.phi2 == 0.0;
        let done = simd::fused(
            #[inline(always)]
            || {
                // Where paths start is a long chain of operations too: some of them together.
                let mut starts = [Start::none(); ABREAST];
                for some in self.paths.chunks(ABREAST) {
                    for (start, paths) in starts.iter_mut().zip(some) {
                        *start = Start::new(&course.motion.flow, paths, divided);
                    }
                    for start in &starts[..some.len()] {
                        sums.push(match straight {
                            true => course.march::<true>(start, &cells),
                            false => course.march::<false>(start, &cells),
                        });
                    }
                }
            },
        );
        let panels = self.quick.counts.iter().map(|n| &self.quick.highest[*n][..]);
        let least = 0.02 * self.load * self.shape.a;
        let found = done.map(|()| tell(&sums, panels, self.bristle.stiffness().xx, least));
        self.quick.sums = sums;
        self.quick.cells = Some(cells);
        found
    }

    /// How fast deflections fade up to the greatest speed of a motion.
    fn fade<S: Prompt>(&mut self, motion: &Motion<f64>, model: Model) -> Fade {
        let felt = motion.is_felt(model).then_some((&self.wide, 0.0));
        let speed = motion.fastest_slip(&self.shape, felt);
        let fade = Fade::up_to::<S>(&self.wide, speed, self.quick.fade);
        self.quick.fade = Some(fade);
        fade
    }

    /// Whether friction changes faster with speed than a polynomial does: bounds and estimates were read off laws that
    /// are as smooth as those of the papers.
    pub(crate) fn is_sharp(&mut self, motion: &Motion<f64>, model: Model) -> bool {
        let fade = match self.accuracy() >= 1e-3 {
            true => self.fade::<Brief>(motion, model),
            false => self.fade::<Brisk>(motion, model),
        };
        !fade.is_good()
    }

    /// Whether the slip velocity vanishes, if anywhere, so far outside that its cone is as good as smooth inside.
    fn is_far_from_zero(&self, motion: &Motion<f64>) -> bool {
        const FAR: f64 = 1.5;
        let [sx, sy] = motion.sigma.map(|s| s / (FAR * motion.phi));
        motion.phi == 0.0 || !self.shape.contains(-sy, sx)
    }

    /// Forces by a rule of the load, where the slip velocity vanishes nowhere.
    fn sound_loads(&mut self, motion: &Motion<f64>, model: Model) -> Option<Sounding> {
        let precise = self.accuracy() < 1e-3;
        let tier = if precise { LOAD_MILLIONTH } else { LOAD_THOUSANDTH };
        let (mut ends, mut cells) = ([0.0; MOST_CELLS], 0);
        let rate = self.settling(motion);
        let mut first = tier.ends[0];
        while first * rate > tier.first && cells < MOST_CELLS - tier.ends.len() {
            first *= 0.25;
            cells += 1;
        }
        for (k, end) in ends[..cells].iter_mut().enumerate() {
            *end = first * 4f64.powi(k as i32);
        }
        for end in tier.ends {
            ends[cells] = *end;
            cells += 1;
        }
        let straight = motion.flow.is_along_x();
        let more = match is_demanding(&self.shape) {
            true => 1.5,
            false if straight || is_gentle(&self.shape) => 1.0,
            false => 1.25,
        };
        let [all, fewer] = if straight { [tier.rows, 0.0] } else { tier.bent };
        let paths = [more * all, fewer];
        let purpose = Purpose { flow: motion.flow, ends, cells, paths };
        let mut sums = std::mem::take(&mut self.quick.sums);
        sums.clear();
        let felt = motion.is_felt(model);
        let settled = tier.settled * self.largest_deflection(motion.speed);
        let (stiffness, least) = (self.bristle.stiffness().xx, 0.02 * self.load * self.shape.a);
        let fade = match precise {
            true => self.fade::<Brisk>(motion, model),
            false => self.fade::<Brief>(motion, model),
        };
        let patch = (&self.shape, &self.pressure, self.load);
        let Quick { loads, precise_loads, .. } = &mut self.quick;
        let found = match precise {
            true => {
                let fading = Fading::new(&self.swift, motion.speed, Some(&fade));
                precise_loads
                    .roll(patch, &purpose, (&fading, motion, felt, settled), &mut sums)
                    .map(|rule| tell(&sums, rule.strips(), stiffness, least))
            }
            false => {
                let fading = Fading::new(&self.brief, motion.speed, Some(&fade));
                loads
                    .roll(patch, &purpose, (&fading, motion, felt, settled), &mut sums)
                    .map(|rule| tell(&sums, rule.strips(), stiffness, least))
            }
        };
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
        let parts = self.panels.len();
        let divided = singular.map(|at| {
            if one_side {
                let u = (at[1] / self.shape.b).clamp(-1.0, 1.0);
                inflow::divide(&mut self.panels, Shape::parameter_of_side(u), tier.crowded);
            } else {
                let near = self.near(at);
                inflow::split_at_path_through(&self.shape, flow, near, true, &mut self.panels);
            }
            self.division(flow, at)
        });
        // Where the tip of the cone is beside the patch nothing was divided.
        let whole = self.panels.len() == parts;
        let all = match one_side {
            true if whole => tier.rows as f64,
            true => tier.halves as f64,
            false if is_demanding(&self.shape) => 1.4 * tier.bent as f64,
            false => tier.bent as f64,
        };
        let flux = |p: &Panel| p.flux(&self.shape, flow);
        let shares = self.panels.iter().map(|p| (flux(p), 1));
        share_out(all, tier.decade, shares, &mut self.quick.counts);
        if one_side {
            inflow::rows(&self.shape, &self.panels, &self.quick.counts, &mut self.paths);
            return divided;
        }
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
        strips.paths::<Brief>(&self.shape, |k| legendre(counts[k]), &mut self.paths);
        // Paths of both passes through the patch follow each other.
        for (i, strip) in strips.list().iter().enumerate().rev() {
            if strip.twice {
                self.quick.counts.insert(i, self.quick.counts[i]);
            }
        }
        divided
    }

    /// The deflection of the bristle that is now at a point inside, in Model 2, to some hundredths: where the slip
    /// velocity vanishes need not be known better. Eight steps, exact but for friction, which is that of the middle of
    /// a step with the deflection that was there when this was last asked for.
    fn rough_deflection(
        &self,
        motion: &Motion<f64>,
        at: [f64; 2],
        middles: &mut [[f64; 2]; WIDTH],
    ) -> [f64; 2] {
        let flow = &motion.flow;
        let (back, v) = (self.rough_way_since_entry(flow, at), flow.velocity(at[0], at[1]));
        let h = back / WIDTH as f64;
        let side_by_side = motion.cast(Wide::from);
        let ways = Lanes(std::array::from_fn(|k| (k as f64 + 0.5) * h - back));
        let [zx, zy] = [0, 1].map(|c| Lanes(std::array::from_fn(|k| middles[k][c])));
        let (slip, decay, follow) = simd::widest(
            #[inline(always)]
            || {
                let m = &side_by_side;
                let [x, y] = m.flow.follow(at.map(Wide::from), v.map(Wide::from), ways);
                let slip = m.slip(x, y);
                let felt = [slip[0] + m.phi2 * zy, slip[1] - m.phi2 * zx];
                let square = (felt[0] * felt[0] + felt[1] * felt[1]) * motion.speed.sq();
                let turns = self.wide.scalar_response(square).forget * (h / motion.speed);
                let decay = (-turns).exp();
                let settled = (Wide::from(1.0) - decay) / turns;
                let follow = Wide::select(turns.gt(Wide::from(1e-9)), settled, Wide::from(1.0)) * h;
                (slip, decay, follow)
            },
        );
        let rotated = |[x, y]: [f64; 2], (s, c): (f64, f64)| [c * x - s * y, s * x + c * y];
        let (whole, half) = ((motion.phi2 * h).sin_cos(), (0.5 * motion.phi2 * h).sin_cos());
        let mut z = [0.0; 2];
        for (k, middle) in middles.iter_mut().enumerate() {
            let (kept, gained) = (rotated(z, whole), rotated([slip[0].0[k], slip[1].0[k]], half));
            let (decay, follow) = (decay.0[k], follow.0[k]);
            let next = [0, 1].map(|c| decay * kept[c] - follow * gained[c]);
            *middle = [0, 1].map(|c| 0.5 * (z[c] + next[c]));
            z = next;
        }
        z
    }

    /// How far the bristle that is now at a point inside has travelled, m, to a thousandth or so.
    fn rough_way_since_entry(&self, flow: &Flow<f64>, at: [f64; 2]) -> f64 {
        if flow.is_along_x() {
            return self.way_since_entry(flow, at);
        }
        // Back to where x = a at the furthest, at the slowest that x falls; ever closer around the edge.
        let slowest = 1.0 - flow.phi1.abs() * self.shape.b;
        let half_turn = std::f64::consts::PI / flow.phi1.abs();
        let (mut from, mut to) = (0.0, ((self.shape.a - at[0]) * 1.01 / slowest).min(half_turn));
        let (side_by_side, v) = (flow.cast(Wide::from), flow.velocity(at[0], at[1]));
        for _ in 0..3 {
            let step = (to - from) / (WIDTH + 1) as f64;
            let ways = Lanes(std::array::from_fn(|k| -(from + step * (k + 1) as f64)));
            let levels = simd::widest(
                #[inline(always)]
                || {
                    let [x, y] = side_by_side.follow(at.map(Wide::from), v.map(Wide::from), ways);
                    self.shape.level(x, y)
                },
            );
            let outside = levels.0.iter().position(|level| *level > 1.0).unwrap_or(WIDTH);
            (from, to) = (from + step * outside as f64, from + step * (outside + 1) as f64);
        }
        0.5 * (from + to)
    }

    /// Divides every path into cells.
    fn quick_cells(
        &self,
        tier: &Tier,
        motion: &Motion<f64>,
        divided: Option<Division>,
        cells: &mut Cells,
    ) {
        cells.count = 0;
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
            quarter(cells, tier.whole[0], 1.0);
            for end in tier.whole {
                cells.push([*end, 0.0], Spread::Even);
            }
            return;
        };
        let n = tier.half.len();
        let before = |k: usize| if k == 0 { 1.0 } else { 1.0 - tier.half[k - 1] };
        quarter(cells, before(n - 1), part);
        for k in (0..n).rev() {
            cells.push([before(k), 0.0], if k == 0 { Spread::ToEnd } else { Spread::Even });
        }
        for k in 0..n {
            cells.push([1.0, tier.half[k]], if k == 0 { Spread::ToStart } else { Spread::Even });
        }
    }
}
