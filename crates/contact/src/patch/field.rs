//! The bristles of a patch that rolls by steps: where they are, how they are deflected, and how that moves on.
//!
//! A path is divided into cells as long as a step, with a few Gauss nodes each: in one step every bristle moves on by
//! exactly one cell. Paths side by side are a group. A row is one node of all paths.
use super::Pressure;
use super::fading::{Brief, Fading, Prompt};
use super::flow::{Flow, turn};
use super::inflow::{Paths, WIDTH, Wide};
use super::march::{Motion, Side};
use super::matrix::times;
use super::passage::{Alike, Onward, Passage, Trend, Turn, local, passage, trend_weights};
use super::shape::Shape;
use crate::quadrature::{Lagrange, Stages, legendre};
use bristle_kernel::{Planar, Real};

/// How far a bristle has come: S = sin(φ₁τ)/φ₁ and C = (1 − cos φ₁τ)/φ₁ of [`Flow::follow`].
type Way = [f64; 2];

/// A row of nodes, and the passage that ends there.
#[derive(Clone, Debug)]
struct Row {
    /// The length of the passage, m.
    h: f64,
    node: Way,
    stages: [Way; 2],
    trend: Trend<Way>,
    /// The first of the rates between which the passage interpolates.
    first: usize,
    /// Which of [`Field::shares`] those have.
    shares: usize,
    /// Which of [`Field::turns`] it takes.
    turn: usize,
}

/// The slip velocity along the paths of a group: v̄ = entry + along S + aside C.
struct Line<S> {
    entry: [S; 2],
    along: [S; 2],
    aside: [S; 2],
}

impl<S: Side> Line<S> {
    #[inline(always)]
    fn new(motion: &Motion<S>, flow: &Flow<Wide>, p: &Paths) -> Self {
        let v = flow.velocity(p.x, p.y);
        let [v, w] = [S::lift(v[0]) * motion.phi, S::lift(v[1]) * motion.phi];
        let entry = motion.slip(S::lift(p.x), S::lift(p.y));
        Line { entry, along: [w, -v], aside: [-v, -w] }
    }

    #[inline(always)]
    fn at(&self, way: Way) -> [S; 2] {
        let [x, y] = self.risen(way);
        [self.entry[0] + x, self.entry[1] + y]
    }

    #[inline(always)]
    fn risen(&self, [s, c]: Way) -> [S; 2] {
        let (s, c) = (S::from(s), S::from(c));
        [self.along[0].mul_add(s, self.aside[0] * c), self.along[1].mul_add(s, self.aside[1] * c)]
    }

    #[inline(always)]
    fn trend(&self, t: &Trend<Way>) -> Trend<[S; 2]> {
        Trend { mean: self.at(t.mean), rise: self.risen(t.rise) }
    }
}

impl<S: Real> Motion<S> {
    /// v̄_r, the slip velocity that a deflected bristle feels where v̄ is the rigid one.
    #[inline(always)]
    fn felt(&self, v: [S; 2], z: [S; 2]) -> [S; 2] {
        [self.phi2.mul_add(z[1], v[0]), (-self.phi2).mul_add(z[0], v[1])]
    }
}

/// With more nodes to a cell than this, interpolation between the nodes of two cells is no longer sound.
const MOST_SHARED: usize = 4;

/// At how many nodes friction is asked for at a time.
const TOGETHER: usize = 6;

/// All bristles of a patch, kept in T.
#[derive(Clone, Debug)]
pub(crate) struct Field<T> {
    c: Vec<f64>,
    paths: Vec<Paths>,
    cells: usize,
    /// Load of each node and its moments about y and x, at the pressure of the start.
    weights: Vec<[T; 3]>,
    state: Vec<[T; 2]>,
    /// What bristles enter with: nothing.
    entering: Vec<[T; 2]>,
    /// The way bristles travel.
    flow: Flow<Wide>,
    stages: Stages<2>,
    /// How many groups of paths reach each cell: the longest come first.
    reach: Vec<usize>,
    rows: Vec<Row>,
    /// What rates at nodes weigh in mean and rise: for each passage of the first cell, and of any other.
    shares: Vec<Vec<[f64; 2]>>,
    /// The passages to all nodes, of bristles that prefer no direction and are not damped.
    alike: Vec<Alike<T>>,
    /// Those of any other.
    any: Vec<Passage<Wide>>,
    /// λ at the entry and at the nodes of one group.
    rates: Vec<T>,
    /// Those of the passages of the first cell, and the one of all others.
    turns: Vec<Turn>,
    /// The φ₂ that they are for.
    turned: f64,
    /// How many cells hold only bristles that entered since the inputs last changed.
    settled: usize,
    /// What those add to forces and moment.
    kept: [f64; 3],
}

/// The bristles of a patch in single precision, which is enough on few paths, or in double.
#[derive(Clone, Debug)]
pub(crate) enum Bristles {
    Single(Field<Brief>),
    Double(Field<Wide>),
}

/// Where bristles are.
pub(crate) struct Grid<'a> {
    /// The nodes of a cell.
    pub(crate) c: &'a [f64],
    pub(crate) paths: &'a [Paths],
    pub(crate) cells: usize,
}

impl Bristles {
    pub(crate) fn grid(&self) -> Grid<'_> {
        let (c, paths, cells) = match self {
            Bristles::Single(f) => (&f.c, &f.paths, f.cells),
            Bristles::Double(f) => (&f.c, &f.paths, f.cells),
        };
        Grid { c, paths, cells }
    }

    /// The load of a node and its moments, and how it is deflected.
    pub(crate) fn node(&self, at: usize) -> ([Wide; 3], [Wide; 2]) {
        match self {
            Bristles::Single(f) => f.node(at),
            Bristles::Double(f) => f.node(at),
        }
    }

    /// Deflects a node.
    pub(crate) fn deflect(&mut self, at: usize, z: [Wide; 2]) {
        match self {
            Bristles::Single(f) => f.deflect(at, z),
            Bristles::Double(f) => f.deflect(at, z),
        }
    }

    /// From now on nothing is as it was for the bristles before.
    pub(crate) fn unsettle(&mut self) {
        match self {
            Bristles::Single(f) => f.unsettle(),
            Bristles::Double(f) => f.unsettle(),
        }
    }
}

/// How the inputs of a step are to those of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inputs {
    /// The same.
    Held,
    /// Others.
    New,
}

impl Field<Wide> {
    /// The same in single precision.
    pub(crate) fn single(self) -> Field<Brief> {
        fn lists<const N: usize>(list: Vec<[Wide; N]>) -> Vec<[Brief; N]> {
            list.into_iter().map(|x| x.map(Brief::of)).collect()
        }
        Field {
            weights: lists(self.weights),
            state: lists(self.state),
            entering: lists(self.entering),
            alike: self.alike.into_iter().map(Alike::narrowed).collect(),
            rates: self.rates.into_iter().map(Brief::of).collect(),
            c: self.c,
            paths: self.paths,
            cells: self.cells,
            flow: self.flow,
            stages: self.stages,
            reach: self.reach,
            rows: self.rows,
            shares: self.shares,
            any: self.any,
            turns: self.turns,
            turned: self.turned,
            settled: self.settled,
            kept: self.kept,
        }
    }
}

impl<T: Side> Field<T> {
    /// Undeflected bristles on paths of which the longest come first.
    pub(crate) fn new(
        flow: &Flow<f64>,
        paths: Vec<Paths>,
        step: f64,
        nodes: usize,
        alike: bool,
    ) -> Self {
        let cells_of = |p: &Paths| (p.length.0[0] / step - 1e-9).ceil().max(1.0) as usize;
        let cells = paths.first().map_or(0, cells_of);
        let c: Vec<f64> = legendre(nodes).iter().map(|n| n.0).collect();
        let count = cells * nodes * paths.len();
        let (zero, none) = (T::from(0.0), [Wide::from(0.0); 2]);
        let still = [zero; 2];
        Field {
            cells,
            weights: vec![[zero; 3]; count],
            state: vec![still; count],
            entering: vec![still; paths.len()],
            flow: flow.cast(Wide::from),
            stages: Stages::gauss(),
            reach: (0..cells).map(|i| paths.iter().filter(|p| i < cells_of(p)).count()).collect(),
            rows: rows(flow, &c, cells, step),
            shares: if nodes <= MOST_SHARED { shares(&c) } else { Vec::new() },
            alike: vec![Alike { e: zero, b: still }; if alike { count } else { 0 }],
            any: vec![Passage { e: [none; 2], b: none }; if alike { 0 } else { count }],
            rates: vec![zero; cells * nodes + 1],
            turns: vec![Turn::by(0.0); nodes + 1],
            turned: 0.0,
            settled: 0,
            kept: [0.0; 3],
            c,
            paths,
        }
    }

    /// The load that each node stands for: ∫p ℓ_k over its cell, the last one cut where the path ends.
    pub(crate) fn weigh(&mut self, shape: &Shape, pressure: &Pressure, step: f64) {
        let rule = legendre(10);
        let (basis, mut values) = (Lagrange::new(&self.c), vec![0.0; self.c.len()]);
        let mut weights = vec![[Wide::from(0.0); 3]; self.weights.len()];
        for (j, p) in self.paths.iter().enumerate() {
            let v = self.flow.velocity(p.x, p.y);
            let flux = (v[0] * p.dy - v[1] * p.dx).abs();
            for i in 0..self.cells {
                let from = Wide::from(i as f64 * step).min(p.length);
                let to = Wide::from((i + 1) as f64 * step).min(p.length);
                for (x, w) in rule {
                    let tau = from + (to - from) * *x;
                    let at = self.flow.follow([p.x, p.y], v, tau);
                    let load = pressure.at(shape, at[0], at[1]) * flux * (to - from) * *w;
                    let part = (tau - Wide::from(i as f64 * step)) / step;
                    for lane in 0..WIDTH {
                        basis.at(part.0[lane], &mut values);
                        for (k, value) in values.iter().enumerate() {
                            let node = &mut weights[(i * self.c.len() + k) * self.paths.len() + j];
                            let load = load.0[lane] * value;
                            node[0].0[lane] += load;
                            node[1].0[lane] += load * at[0].0[lane];
                            node[2].0[lane] += load * at[1].0[lane];
                        }
                    }
                }
            }
        }
        self.weights = weights.into_iter().map(|w| w.map(T::lift)).collect();
    }

    /// The load of all bristles, N.
    pub(crate) fn load(&self) -> f64 {
        self.weights.iter().map(|w| total(w[0])).sum()
    }

    fn node(&self, at: usize) -> ([Wide; 3], [Wide; 2]) {
        (self.weights[at].map(T::value), self.state[at].map(T::value))
    }

    fn deflect(&mut self, at: usize, z: [Wide; 2]) {
        self.state[at] = z.map(T::lift);
    }

    fn unsettle(&mut self) {
        (self.settled, self.kept) = (0, [0.0; 3]);
    }

    /// How many rows a group of paths has.
    #[inline(always)]
    fn rows_of(&self, group: usize) -> usize {
        self.reach.partition_point(|reach| group < *reach) * self.c.len()
    }

    /// What a new φ₂ or other new inputs change.
    fn prepare(&mut self, motion: &Motion<f64>, inputs: Inputs) {
        if self.turned != motion.phi2 {
            self.turned = motion.phi2;
            for (turn, row) in self.turns.iter_mut().zip(&self.rows) {
                *turn = Turn::by(motion.phi2 * row.h);
            }
        }
        if inputs == Inputs::New {
            self.unsettle();
        }
    }

    /// Rolls on by one step bristles that prefer no direction and are not damped. Returns ∫p z and its moment. `felt`:
    /// whether friction is taken at the velocity that the bristle feels, as in Model 2. Friction is worked out in S; R
    /// is for the rest.
    #[inline(always)]
    pub(crate) fn step_alike<S: Prompt, R: Side>(
        &mut self,
        fading: &Fading<S, impl Planar<S::Several>>,
        motion: &Motion<f64>,
        inputs: Inputs,
        felt: bool,
    ) -> [f64; 3] {
        self.prepare(motion, inputs);
        let motion = motion.cast(S::from);
        let mut passages = std::mem::take(&mut self.alike);
        let mut foretold = inputs == Inputs::Held;
        if !foretold && self.c.len() <= MOST_SHARED {
            match felt {
                true => self.pass_by_nodes::<S, true>(&mut passages, fading, &motion),
                false => self.pass_by_nodes::<S, false>(&mut passages, fading, &motion),
            }
            foretold = true;
        }
        if felt || !foretold {
            self.pass_alike_by_stages(&mut passages, fading, &motion, (felt, foretold));
        }
        let sums = self.advance::<R, _>(&passages);
        self.alike = passages;
        sums
    }

    /// The same of any other bristles.
    #[inline(always)]
    pub(crate) fn step_any<S: Side>(
        &mut self,
        bristle: &impl Planar<S>,
        motion: &Motion<f64>,
        inputs: Inputs,
        felt: bool,
    ) {
        self.prepare(motion, inputs);
        let motion = motion.cast(S::from);
        let mut passages = std::mem::take(&mut self.any);
        if felt || inputs == Inputs::New {
            self.pass_any(&mut passages, bristle, &motion, (felt, inputs == Inputs::Held));
        }
        self.advance::<S, _>(&passages);
        self.any = passages;
    }

    /// Passages that share rates at nodes, which are interpolated between these. Where friction is taken at the velocity
    /// that the bristle feels it is that of the bristle now at the node: good enough to foretell where others end.
    #[inline(always)]
    fn pass_by_nodes<S: Prompt, const FELT: bool>(
        &mut self,
        passages: &mut [Alike<T>],
        fading: &Fading<S, impl Planar<S::Several>>,
        motion: &Motion<S>,
    ) {
        let across = self.paths.len();
        let mut rates = std::mem::take(&mut self.rates);
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            let rows = &self.rows[..self.rows_of(j)];
            for (first, found) in rates[..=rows.len()].chunks_mut(TOGETHER).enumerate() {
                let mut asked = [[S::from(0.0); 2]; TOGETHER];
                for (i, asked) in asked[..found.len()].iter_mut().enumerate() {
                    // The entry comes before all nodes.
                    *asked = match (first * TOGETHER + i).checked_sub(1) {
                        None => line.entry,
                        Some(k) => {
                            let v = line.at(rows[k].node);
                            let [x, y] = self.state[k * across + j];
                            let z = [S::of(x), S::of(y)];
                            if FELT { motion.felt(v, z) } else { v }
                        }
                    };
                }
                for (found, rate) in found.iter_mut().zip(fading.at(&asked)) {
                    *found = T::of(rate);
                }
            }
            for (row, to) in rows.iter().zip(passages[j..].iter_mut().step_by(across)) {
                let mut rate = Trend { mean: S::from(0.0), rise: S::from(0.0) };
                for (r, [mean, rise]) in rates[row.first..].iter().zip(&self.shares[row.shares]) {
                    let r = S::of(*r);
                    rate.mean = r.mul_add(S::from(*mean), rate.mean);
                    rate.rise = r.mul_add(S::from(*rise), rate.rise);
                }
                let slip = line.trend(&row.trend);
                *to = Alike::new(row.h, rate, slip, &self.turns[row.turn]).narrowed();
            }
        }
        self.rates = rates;
    }

    /// Passages that have two stages each, at which friction is taken, some of them at a time. Where that depends on the
    /// deflection, the passages so far foretell where new ones end, if need be in two rounds.
    #[inline(always)]
    fn pass_alike_by_stages<S: Prompt>(
        &self,
        passages: &mut [Alike<T>],
        fading: &Fading<S, impl Planar<S::Several>>,
        motion: &Motion<S>,
        (felt, foretold): (bool, bool),
    ) {
        let across = self.paths.len();
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            let rows = self.settled * self.c.len()..self.rows_of(j);
            for first in rows.clone().step_by(TOGETHER / 2) {
                let some = first..rows.end.min(first + TOGETHER / 2);
                for _ in 0..if felt && !foretold { 2 } else { 1 } {
                    let mut asked = [[S::from(0.0); 2]; TOGETHER];
                    for (k, asked) in some.clone().zip(asked.chunks_mut(2)) {
                        let passage = &passages[k * across + j];
                        let taken = self.taken(&line, motion, (k, j), felt.then_some(passage));
                        asked.copy_from_slice(&taken);
                    }
                    for (k, rate) in some.clone().zip(fading.at(&asked).chunks(2)) {
                        let row = &self.rows[k];
                        let (mean, rise) = (rate[0] + rate[1], rate[1] - rate[0]);
                        let rate = Trend { mean: mean * 0.5, rise: rise * 3f64.sqrt() };
                        let slip = line.trend(&row.trend);
                        passages[k * across + j] =
                            Alike::new(row.h, rate, slip, &self.turns[row.turn]).narrowed();
                    }
                }
            }
        }
    }

    /// The same of bristles that are not alike.
    #[inline(always)]
    fn pass_any<S: Side>(
        &self,
        passages: &mut [Passage<Wide>],
        bristle: &impl Planar<S>,
        motion: &Motion<S>,
        (felt, foretold): (bool, bool),
    ) {
        let across = self.paths.len();
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            for k in self.settled * self.c.len()..self.rows_of(j) {
                let (row, at) = (&self.rows[k], k * across + j);
                for _ in 0..if felt && !foretold { 2 } else { 1 } {
                    let taken = self.taken(&line, motion, (k, j), felt.then_some(&passages[at]));
                    let [p, q] = [0, 1].map(
                        #[inline(always)]
                        |s| local(bristle, motion, line.at(row.stages[s]), taken[s]),
                    );
                    let (forget, drive) = ([p.0, q.0], [p.1, q.1]);
                    passages[at] = passage(&self.stages, S::from(row.h), forget, drive).narrowed();
                }
            }
        }
    }

    /// The velocities at both stages of the passage to row k of group j at which friction is taken: those that the
    /// bristle feels if the passage so far is given, which foretells where it ends.
    #[inline(always)]
    fn taken<S: Side, P: Onward<S>>(
        &self,
        line: &Line<S>,
        motion: &Motion<S>,
        (k, j): (usize, usize),
        felt: Option<&P>,
    ) -> [[S; 2]; 2] {
        let row = &self.rows[k];
        let mut taken = [line.at(row.stages[0]), line.at(row.stages[1])];
        if let Some(passage) = felt {
            let [x, y] = match k.checked_sub(self.c.len()) {
                Some(before) => self.state[before * self.paths.len() + j],
                None => self.entering[j],
            };
            let start = [S::of(x), S::of(y)];
            let end = passage.end(start, self.turns[row.turn].whole);
            let gain = [end[0] - start[0], end[1] - start[1]];
            for (taken, c) in taken.iter_mut().zip(self.stages.c) {
                let c = S::from(c);
                let z = [c.mul_add(gain[0], start[0]), c.mul_add(gain[1], start[1])];
                *taken = motion.felt(*taken, z);
            }
        }
        taken
    }

    /// Every bristle that has not settled moves on by one cell; the last go first.
    #[inline(always)]
    fn advance<S: Side, P: Onward<S>>(&mut self, passages: &[P]) -> [f64; 3] {
        let mut moving = [S::from(0.0); 3];
        for i in (self.settled + 1..self.cells).rev() {
            moving = self.move_into(i, passages, moving);
        }
        if self.settled < self.cells {
            let none = [S::from(0.0); 3];
            let settling = self.move_into(self.settled, passages, none);
            self.settled += 1;
            let settling = settling.map(total);
            self.kept = std::array::from_fn(|k| self.kept[k] + settling[k]);
        }
        let moving = moving.map(total);
        std::array::from_fn(|k| self.kept[k] + moving[k])
    }

    /// Bristles move into a cell, and are added up.
    #[inline(always)]
    fn move_into<S: Side, P: Onward<S>>(
        &mut self,
        cell: usize,
        passages: &[P],
        sums: [S; 3],
    ) -> [S; 3] {
        let (nodes, across, reach) = (self.c.len(), self.paths.len(), self.reach[cell]);
        let turn = self.turns[nodes].whole;
        let [mut x, mut y, mut m] = sums;
        for k in 0..nodes {
            let row = (cell * nodes + k) * across;
            let (before, behind) = self.state.split_at_mut(row);
            let from = match row.checked_sub(nodes * across) {
                Some(at) => &before[at..][..reach],
                None => &self.entering[..reach],
            };
            let (p, w) = (&passages[row..][..reach], &self.weights[row..][..reach]);
            for (j, to) in behind[..reach].iter_mut().enumerate() {
                let from = [S::of(from[j][0]), S::of(from[j][1])];
                let z = p[j].end(from, turn);
                *to = [T::of(z[0]), T::of(z[1])];
                let [w0, w1, w2] = w[j];
                let w = [S::of(w0), S::of(w1), S::of(w2)];
                x = w[0].mul_add(z[0], x);
                y = w[0].mul_add(z[1], y);
                m = w[1].mul_add(z[1], (-w[2]).mul_add(z[0], m));
            }
        }
        [x, y, m]
    }

    /// Forces and moments of bristles that prefer directions or are damped.
    #[inline(always)]
    pub(crate) fn forces<S: Side>(
        &self,
        bristle: &impl Planar<S>,
        motion: &Motion<f64>,
        felt: bool,
    ) -> [f64; 4] {
        let motion = motion.cast(S::from);
        let (stiffness, damping) = (bristle.stiffness(), bristle.damping().scaled(motion.speed));
        let zero = S::from(0.0);
        let damped = [damping.xx, damping.xy, damping.yy] != [zero; 3];
        let (across, mut sums) = (self.paths.len(), [zero; 4]);
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(&motion, &self.flow, path);
            for (k, row) in self.rows[..self.rows_of(j)].iter().enumerate() {
                let at = k * across + j;
                let [zx, zy] = self.state[at];
                let z = [S::of(zx), S::of(zy)];
                let mut f = stiffness.times(z);
                if damped {
                    let slip = line.at(row.node);
                    let taken = if felt { motion.felt(slip, z) } else { slip };
                    let (forget, drive) = local(bristle, &motion, slip, taken);
                    let back = times(&forget, z);
                    let viscous = damping.times([drive[0] - back[0], drive[1] - back[1]]);
                    f = [f[0] + viscous[0], f[1] + viscous[1]];
                }
                let [w0, w1, w2] = self.weights[at];
                let w = [S::of(w0), S::of(w1), S::of(w2)];
                sums[0] += w[0] * f[0];
                sums[1] += w[0] * f[1];
                let m = w[1] * f[1] - w[2] * f[0];
                sums[2] += m;
                sums[3] += m + w[0] * (z[0] * f[1] - z[1] * f[0]);
            }
        }
        sums.map(total)
    }
}

#[inline(always)]
fn total<S: Side>(x: S) -> f64 {
    x.value().0.iter().sum()
}

/// Where the nodes of all cells are.
fn rows(flow: &Flow<f64>, c: &[f64], cells: usize, step: f64) -> Vec<Row> {
    let (nodes, gauss) = (c.len(), Stages::<2>::gauss());
    let way = |tau: f64| turn(flow.phi1 * tau).map(|t| t * tau);
    let row = |r: usize| {
        let (i, k) = (r / nodes, r % nodes);
        let h = if i == 0 { c[k] } else { 1.0 } * step;
        let end = (i as f64 + c[k]) * step;
        let mut trend = Trend { mean: [0.0; 2], rise: [0.0; 2] };
        for (u, w) in legendre(6) {
            let (at, [mean, rise]) = (way(end - h + h * u), trend_weights(*u, *w));
            for n in 0..2 {
                trend.mean[n] += mean * at[n];
                trend.rise[n] += rise * at[n];
            }
        }
        Row {
            h,
            node: way(end),
            stages: gauss.c.map(|u| way(end - h + h * u)),
            trend,
            first: (r + 1).saturating_sub(nodes),
            shares: if i == 0 { k } else { nodes + k },
            turn: if i == 0 { k } else { nodes },
        }
    };
    (0..cells * nodes).map(row).collect()
}

/// What values at nodes weigh in mean and rise of a passage: of those of the first cell, which interpolate between the
/// entry and all its nodes, then of those of others, which do between the two nodes at their ends and all between.
fn shares(c: &[f64]) -> Vec<Vec<[f64; 2]>> {
    let between = |points: Vec<f64>, from: f64, to: f64| {
        let (basis, mut values) = (Lagrange::new(&points), vec![0.0; points.len()]);
        let mut shares = vec![[0.0; 2]; points.len()];
        for (u, w) in legendre(points.len()) {
            basis.at(from + (to - from) * u, &mut values);
            let weights = trend_weights(*u, *w);
            for (share, value) in shares.iter_mut().zip(&values) {
                *share = [0, 1].map(|n| share[n] + weights[n] * value);
            }
        }
        shares
    };
    let first = c.iter().map(|to| {
        let entry_and_nodes = std::iter::once(0.0).chain(c.iter().copied());
        between(entry_and_nodes.collect(), 0.0, *to)
    });
    let others = (0..c.len()).map(|k| {
        let before = c[k..].iter().map(|c| c - 1.0);
        between(before.chain(c[..=k].iter().copied()).collect(), c[k] - 1.0, c[k])
    });
    first.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_give_mean_and_rise_of_what_the_nodes_interpolate() {
        for nodes in 1..=MOST_SHARED {
            let c: Vec<f64> = legendre(nodes).iter().map(|n| n.0).collect();
            for (k, shares) in shares(&c).iter().enumerate() {
                let first = k < nodes;
                let (from, to) = match first {
                    true => (0.0, c[k]),
                    false => (c[k - nodes] - 1.0, c[k - nodes]),
                };
                let points: Vec<f64> = match first {
                    true => std::iter::once(0.0).chain(c.clone()).collect(),
                    false => (0..=nodes)
                        .map(|n| n + k - nodes)
                        .map(|n| c[n % nodes] + (n / nodes) as f64 - 1.0)
                        .collect(),
                };
                for degree in 0..=nodes as i32 {
                    let value = |x: f64| (x + 0.3).powi(degree);
                    let ours = |n: usize| -> f64 {
                        points.iter().zip(shares).map(|(x, s)| value(*x) * s[n]).sum()
                    };
                    let mut exact = [0.0; 2];
                    for (u, w) in legendre(10) {
                        let at = value(from + (to - from) * u);
                        let [mean, rise] = trend_weights(*u, *w);
                        exact = [exact[0] + mean * at, exact[1] + rise * at];
                    }
                    for n in 0..2 {
                        assert!((ours(n) - exact[n]).abs() < 1e-13, "{nodes} {k} {degree} {n}");
                    }
                }
            }
        }
    }
}
