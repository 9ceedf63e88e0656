//! Quick rules where the slip velocity vanishes nowhere: paths, nodes and weights made for a patch and a flow.
//!
//! Deflections are then smooth along paths and from path to path, and the load need not be: each node of a cell
//! stands for ∫p ℓ_k, the load times the polynomial that belongs to it, and straight paths are the nodes of a Gauss
//! rule of the load of rows. What is left to do for a slip is friction at the nodes and a small linear system to
//! a cell.
use super::crossing::{MOST_STRIPS, Strips};
use super::fading::{Fading, Prompt};
use super::flow::{Flow, turn};
use super::inflow::{Paths, WIDTH, Wide};
use super::march::{Motion, Side};
use super::matrix::turned;
use super::quick::{Collocation, MOST_ITERATIONS, share_out};
use super::{Pressure, Shape};
use crate::quadrature::{Lagrange, MOST_NODES, Stieltjes, highest_polynomials, legendre};
use bristle_kernel::{Logic, Planar};
use bristle_num::simd;

/// How closely the load is looked at when a rule is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    /// Points of a cell.
    pub(crate) cell: usize,
    /// Points of a path.
    pub(crate) along: usize,
    /// Paths of a strip.
    pub(crate) across: usize,
}

/// Nodes along eight paths.
#[derive(Clone, Copy, Debug)]
struct Node<S> {
    /// Where they are.
    at: [S; 2],
    /// How far they are from where the paths enter, m.
    way: S,
    /// The load that they stand for, N, and its moments about y and x.
    weights: [S; 3],
}

/// A cell of eight paths.
#[derive(Clone, Copy, Debug)]
struct Cell<S, const N: usize> {
    length: S,
    nodes: [Node<S>; N],
    /// The load of the cell, and its moments without their signs.
    weights: [S; 3],
}

/// What a rule is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Purpose {
    pub(crate) flow: Flow<f64>,
    /// Where the cells of a path end, as parts of it.
    pub(crate) ends: [f64; MOST_CELLS],
    /// How many cells there are.
    pub(crate) cells: usize,
    /// Paths, did all of them belong to one strip, and how many fewer stand for a tenth of the flow.
    pub(crate) paths: [f64; 2],
}

/// The most cells of a path.
pub(crate) const MOST_CELLS: usize = 8;

/// A rule of the load over a patch, with N nodes to a cell.
#[derive(Clone, Debug)]
pub(crate) struct Rule<S, const N: usize> {
    purpose: Option<Purpose>,
    /// Those of the first eight paths first.
    cells: Vec<Cell<S, N>>,
    /// How many there are to a path.
    count: usize,
    /// Paths of each strip.
    counts: Vec<usize>,
    /// The two highest polynomials across its strip, at every path.
    tops: Vec<[f64; 2]>,
}

impl<S, const N: usize> Default for Rule<S, N> {
    fn default() -> Self {
        Rule { purpose: None, cells: Vec::new(), count: 0, counts: Vec::new(), tops: Vec::new() }
    }
}

impl<S, const N: usize> Rule<S, N> {
    /// The two highest polynomials across each strip, at its paths.
    pub(crate) fn strips(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        let mut rest = &self.tops[..];
        self.counts.iter().map(move |count| {
            let (strip, behind) = rest.split_at(*count);
            rest = behind;
            strip
        })
    }
}

/// Rules of the load, made when they are first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Loads<S, const N: usize> {
    collocation: Collocation<S, N>,
    rules: Vec<Rule<S, N>>,
    looks: Looks,
    /// Which of them is made anew next.
    oldest: usize,
    /// The polynomials of the nodes at the points where the load is looked at.
    basis: Vec<[S; N]>,
    paths: Vec<Paths>,
    /// What each of them carries.
    loads: Vec<f64>,
    /// What the cells of each path add up to, its moment about x, and what they are multiplied by.
    carried: Vec<[Wide; 2]>,
    scales: Vec<Wide>,
    /// Where the nodes of each strip are and what they carry.
    nodes: Vec<(f64, f64)>,
    stieltjes: Stieltjes,
}

/// Rules that are kept.
const KEPT: usize = 6;

impl<S: Side, const N: usize> Loads<S, N> {
    pub(crate) fn new(looks: Looks) -> Self {
        let collocation = Collocation::new();
        let basis = Lagrange::new(&collocation.stages.c);
        let at = |look: &(f64, f64)| {
            let mut values = [0.0; N];
            basis.at(look.0, &mut values);
            values.map(S::from)
        };
        Loads {
            collocation,
            rules: Vec::new(),
            looks,
            oldest: 0,
            basis: legendre(looks.cell).iter().map(at).collect(),
            paths: Vec::new(),
            loads: Vec::new(),
            carried: Vec::new(),
            scales: Vec::new(),
            nodes: Vec::new(),
            stieltjes: Stieltjes::default(),
        }
    }

    /// Rolls bristles over the rule for a purpose, and returns it; `sums` are then those of [`Roll::over`].
    pub(crate) fn roll<P: Planar<S::Several>>(
        &mut self,
        (shape, pressure, load): (&Shape, &Pressure, f64),
        purpose: &Purpose,
        (fading, motion, felt, settled): (&Fading<S, P>, &Motion<f64>, bool, f64),
        sums: &mut Vec<[Wide; 5]>,
    ) -> Option<&Rule<S, N>>
    where
        S: Prompt,
    {
        let rule = self.rule(shape, pressure, load, purpose)?;
        let rule = &self.rules[rule];
        let roll = Roll { fading, motion, collocation: &self.collocation, felt, settled };
        roll.over(rule, sums)?;
        Some(rule)
    }

    /// Which rule is for a purpose; made if there is none, on a machine that fuses multiplications and additions.
    fn rule(
        &mut self,
        shape: &Shape,
        pressure: &Pressure,
        load: f64,
        purpose: &Purpose,
    ) -> Option<usize> {
        let known = self.rules.iter().position(|r| r.purpose == Some(*purpose));
        if known.is_some() {
            return known;
        }
        if self.rules.len() < KEPT {
            self.rules.push(Rule::default());
        }
        self.oldest = (self.oldest + 1) % self.rules.len();
        let mut rule = std::mem::take(&mut self.rules[self.oldest]);
        rule.purpose = None;
        self.make(shape, pressure, load, purpose, &mut rule)?;
        rule.purpose = Some(*purpose);
        self.rules[self.oldest] = rule;
        Some(self.oldest)
    }

    fn make(
        &mut self,
        shape: &Shape,
        pressure: &Pressure,
        load: f64,
        purpose: &Purpose,
        rule: &mut Rule<S, N>,
    ) -> Option<()> {
        let Purpose { flow, paths: [all, decade], cells, .. } = *purpose;
        rule.count = cells;
        let strips = Strips::new(shape, &flow);
        let passes = |k: usize| strips.list()[k].passes();
        let shares = strips.list().iter().map(|s| (s.flux(flow.phi1), s.passes()));
        share_out(all, decade, shares, &mut rule.counts);
        // The load that flows through each strip, by paths that are many, and Gauss rules of that.
        let looks = legendre(self.looks.across);
        strips.paths::<S>(shape, |_| looks, &mut self.paths)?;
        self.weigh(shape, pressure, &flow)?;
        self.nodes.clear();
        rule.tops.clear();
        let mut points = [0.0; MOST_NODES];
        for (point, look) in points.iter_mut().zip(looks) {
            *point = look.0;
        }
        let points = &points[..looks.len()];
        let mut first = 0;
        for (k, count) in rule.counts.iter().enumerate() {
            let mut loads = [0.0; MOST_NODES];
            let loads = &mut loads[..looks.len()];
            for pass in 0..passes(k) {
                for (i, sum) in loads.iter_mut().enumerate() {
                    *sum += self.loads[first + pass * looks.len() + i];
                }
            }
            first += passes(k) * looks.len();
            let from = self.nodes.len();
            self.nodes.resize(from + count, (0.0, 0.0));
            self.stieltjes.gauss(points, loads, &mut self.nodes[from..]);
        }
        if flow.is_along_x() {
            mirror(&mut self.nodes);
        }
        let mut from = 0;
        for (k, count) in rule.counts.iter().enumerate() {
            for _ in 0..passes(k) {
                rule.tops.extend(highest_polynomials(&self.nodes[from..from + count]));
            }
            from += count;
        }
        let mut ends = [0; MOST_STRIPS + 1];
        for (k, count) in rule.counts.iter().enumerate() {
            ends[k + 1] = ends[k] + count;
        }
        strips.paths::<S>(shape, |k| &self.nodes[ends[k]..ends[k + 1]], &mut self.paths)?;
        self.cut(shape, pressure, purpose, rule)?;
        // What the cells of a path add up to is scaled to what its node carries.
        let carried = |at: usize| self.carried[at / WIDTH].map(|c| c.0[at % WIDTH]);
        self.scales.clear();
        self.scales.resize(self.carried.len(), Wide::from(0.0));
        let (mut path, mut sums) = (0, [0.0; 3]);
        for (k, count) in rule.counts.iter().enumerate() {
            for i in 0..*count {
                let pass = |pass: usize| path + pass * count + i;
                let all: f64 = (0..passes(k)).map(|p| carried(pass(p))[0]).sum();
                let scale = self.nodes[ends[k] + i].1 / all;
                for at in (0..passes(k)).map(pass) {
                    self.scales[at / WIDTH].0[at % WIDTH] = scale;
                    let [w, wy] = carried(at).map(|c| c * scale);
                    sums = [sums[0] + w, sums[1] + wy, sums[2] + wy * wy / w];
                }
            }
            path += passes(k) * count;
        }
        // Load and moment of the whole patch are known: paths are scaled by 1 + α + βy for them to come out.
        let [w, y, yy] = sums;
        let (missing, tilt) = (load - w, -y);
        let det = w * yy - y * y;
        let (alpha, beta) = ((missing * yy - tilt * y) / det, (tilt * w - missing * y) / det);
        for at in 0..path {
            let [w, wy] = carried(at);
            self.scales[at / WIDTH].0[at % WIDTH] *= 1.0 + alpha + beta * wy / w;
        }
        for (side_by_side, scale) in rule.cells.chunks_mut(cells).zip(&self.scales) {
            let scale = S::lift(*scale);
            for cell in side_by_side {
                let nodes = cell.nodes.iter_mut().map(|n| &mut n.weights);
                for w in nodes.chain([&mut cell.weights]).flatten() {
                    *w = *w * scale;
                }
            }
        }
        // Paths of both passes through the patch follow each other.
        for k in (0..strips.list().len()).rev() {
            if passes(k) == 2 {
                rule.counts.insert(k, rule.counts[k]);
            }
        }
        Some(())
    }

    /// What each path carries.
    fn weigh(&mut self, shape: &Shape, pressure: &Pressure, flow: &Flow<f64>) -> Option<()> {
        self.loads.clear();
        let wide = flow.cast(S::from);
        for paths in &self.paths {
            let sum = simd::fused(
                #[inline(always)]
                || {
                    let (length, entry, v, flux) = begin(paths, &wide);
                    let mut sum = S::from(0.0);
                    for (c, w) in legendre(self.looks.along) {
                        let [x, y] = wide.follow(entry, v, length * *c);
                        sum += pressure.at(shape, x, y) * *w;
                    }
                    simd::apart(sum * length * flux).value()
                },
            )?;
            self.loads.extend(sum.0);
        }
        Some(())
    }

    /// Cuts the paths into cells.
    fn cut(
        &mut self,
        shape: &Shape,
        pressure: &Pressure,
        purpose: &Purpose,
        rule: &mut Rule<S, N>,
    ) -> Option<()> {
        rule.cells.clear();
        self.carried.clear();
        let Purpose { flow, ends, cells, .. } = *purpose;
        let wide = flow.cast(S::from);
        let zero = S::from(0.0);
        for paths in &self.paths {
            let mut carried = [zero; 2];
            let mut from = 0.0;
            for end in &ends[..cells] {
                simd::fused(
                    #[inline(always)]
                    || {
                        let (length, entry, v, flux) = begin(paths, &wide);
                        let mut weights = [[zero; 3]; N];
                        let mut all = [zero; 3];
                        for ((c, w), basis) in legendre(self.looks.cell).iter().zip(&self.basis) {
                            let way = length * (from + (end - from) * c);
                            let [x, y] = wide.follow(entry, v, way);
                            let load =
                                pressure.at(shape, x, y) * flux * length * ((end - from) * w);
                            let loads = [load, load * x, load * y];
                            carried = [carried[0] + load, carried[1] + loads[2]];
                            for (sum, load) in all.iter_mut().zip(loads) {
                                *sum += load.abs();
                            }
                            for (node, basis) in weights.iter_mut().zip(basis) {
                                for (weight, load) in node.iter_mut().zip(loads) {
                                    *weight = load.mul_add(*basis, *weight);
                                }
                            }
                        }
                        // A plain loop: what is built by a function of the index is not always inlined.
                        let mut nodes = [Node { at: [zero; 2], way: zero, weights: [zero; 3] }; N];
                        for (i, node) in nodes.iter_mut().enumerate() {
                            let way = length * (from + (end - from) * self.collocation.stages.c[i]);
                            let at = wide.follow(entry, v, way);
                            *node = Node { at, way, weights: weights[i] };
                        }
                        rule.cells.push(Cell {
                            length: length * (end - from),
                            nodes,
                            weights: all,
                        });
                    },
                )?;
                from = *end;
            }
            self.carried.push(carried.map(S::value));
        }
        Some(())
    }
}

/// Rows and their load are their own mirror image about y = 0, which rounding is to leave them.
fn mirror(nodes: &mut [(f64, f64)]) {
    for i in 0..nodes.len().div_ceil(2) {
        let k = nodes.len() - 1 - i;
        let ((x, w), (y, v)) = (nodes[i], nodes[k]);
        let (at, weight) = (0.5 * (x + (1.0 - y)), 0.5 * (w + v));
        (nodes[i], nodes[k]) = ((at, weight), (1.0 - at, weight));
    }
}

/// The length of paths, where they enter, V̄ there, and the flow that enters, m.
#[inline(always)]
fn begin<S: Side>(paths: &Paths, flow: &Flow<S>) -> (S, [S; 2], [S; 2], S) {
    let entry = [S::lift(paths.x), S::lift(paths.y)];
    let v = flow.velocity(entry[0], entry[1]);
    (S::lift(paths.length), entry, v, (v[0] * S::lift(paths.dy)).abs())
}

/// How bristles roll over a rule.
struct Roll<'a, S, P, const N: usize> {
    fading: &'a Fading<'a, S, P>,
    motion: &'a Motion<f64>,
    collocation: &'a Collocation<S, N>,
    /// Whether friction is taken at the velocity that the bristle feels.
    felt: bool,
    /// When the iteration of Model 2 has settled, m.
    settled: f64,
}

impl<S: Prompt, P: Planar<S::Several>, const N: usize> Roll<'_, S, P, N> {
    /// ∫p z and its moment over each path of a rule, and how much of it the highest polynomials of the cells hold; on a machine that fuses multiplications and additions.
    fn over(&self, rule: &Rule<S, N>, sums: &mut Vec<[Wide; 5]>) -> Option<()> {
        simd::fused(
            #[inline(always)]
            || {
                for cells in rule.cells.chunks(rule.count) {
                    sums.push(match self.motion.phi2 == 0.0 {
                        true => self.along::<false>(cells),
                        false => self.along::<true>(cells),
                    });
                }
            },
        )
    }

    #[inline(always)]
    fn along<const TURNED: bool>(&self, cells: &[Cell<S, N>]) -> [Wide; 5] {
        let zero = S::from(0.0);
        let Collocation { b, tops: highest, .. } = self.collocation;
        let m = self.motion.cast(S::from);
        let (mut z, mut sums) = ([zero; 2], [zero; 5]);
        for cell in cells {
            let (mut slip, mut drive, mut turns) = ([[zero; 2]; N], [[zero; 2]; N], [[zero; 2]; N]);
            let mut rates = [zero; N];
            for (i, node) in cell.nodes.iter().enumerate() {
                slip[i] = m.slip(node.at[0], node.at[1]);
                drive[i] = [-slip[i][0], -slip[i][1]];
                if TURNED {
                    let theta = m.phi2 * node.way;
                    let [s, c] = turn(theta);
                    turns[i] = [S::from(1.0) - c * theta, s * theta];
                    let ([c, s], [x, y]) = (turns[i], drive[i]);
                    drive[i] = [c * x + s * y, c * y - s * x];
                }
            }
            if !TURNED || !self.felt {
                rates = self.fading.at(&slip);
            }
            let right = self.collocation.driven(cell.length, z, &drive);
            let mut stage = [z; N];
            for _ in 0..if TURNED && self.felt { MOST_ITERATIONS } else { 1 } {
                if TURNED && self.felt {
                    let mut felt = slip;
                    for i in 0..N {
                        let [x, y] = turned(turns[i], stage[i]);
                        felt[i] = [slip[i][0] + m.phi2 * y, slip[i][1] - m.phi2 * x];
                    }
                    rates = self.fading.at(&felt);
                }
                let before = stage;
                stage = self.collocation.solve(cell.length, &rates, right);
                if TURNED && self.felt {
                    let mut change = zero;
                    for (now, before) in stage.iter().zip(&before) {
                        for c in 0..2 {
                            change = change.max((now[c] - before[c]).abs());
                        }
                    }
                    if change.le(S::from(self.settled)).all() {
                        break;
                    }
                }
            }
            let mut tops = [[zero; 2]; 2];
            for (i, node) in cell.nodes.iter().enumerate() {
                let [x, y] = if TURNED { turned(turns[i], stage[i]) } else { stage[i] };
                let [w, wx, wy] = node.weights;
                sums[0] = w.mul_add(x, sums[0]);
                sums[1] = w.mul_add(y, sums[1]);
                sums[2] = wx.mul_add(y, (-wy).mul_add(x, sums[2]));
                for (top, part) in tops.iter_mut().zip(highest[i]) {
                    let part = part * b[i];
                    *top = [x.mul_add(part, top[0]), y.mul_add(part, top[1])];
                }
            }
            let [p, q] = tops;
            let held = [p[0].abs() + q[0].abs(), p[1].abs() + q[1].abs()];
            let [w, wx, wy] = cell.weights;
            sums[3] = w.mul_add(held[0] + held[1], sums[3]);
            sums[4] = wx.mul_add(held[1], wy.mul_add(held[0], sums[4]));
            z = self.collocation.end(z, &stage);
        }
        simd::apart(sums).map(S::value)
    }
}
