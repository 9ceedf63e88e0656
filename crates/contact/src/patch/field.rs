//! The bristles of a patch that rolls by steps: where they are, how they are deflected, and how that moves on.
//!
//! A path is divided into cells as long as a step, with a few Gauss nodes each: in one step every bristle moves on by
//! exactly one cell. Paths side by side are a group. A row is one node of all paths.
use super::Pressure;
use super::fading::{Brief, Brisk, Fading, Prompt};
use super::flow::{Flow, turn};
use super::inflow::{Paths, WIDTH, Wide};
use super::march::{Motion, Side};
use super::matrix::{times, turned, turned_plus};
use super::passage::{Alike, Onward, Passage, Trend, Turn, local, passage, trend_weights};
use super::shape::Shape;
use crate::quadrature::{Lagrange, Stages, legendre};
use bristle_kernel::{Planar, Real};
use bristle_num::simd;
use std::ops::Range;

/// How far a bristle has come: the complex number −C − iS, S = sin(φ₁τ)/φ₁ and C = (1 − cos φ₁τ)/φ₁ of
/// [`Flow::follow`].
type Way = [f64; 2];

/// A row of nodes, and the passage that ends there.
#[derive(Clone, Debug)]
struct Row {
    /// The length of the passage, m.
    h: f64,
    node: Way,
    stages: [Way; 2],
    trend: Trend<Way>,
    /// Where its node of the first group is, and that of the cell before.
    place: usize,
    before: Option<usize>,
    /// The first of the rates between which the passage interpolates.
    first: usize,
    /// Which of [`Field::shares`] those have.
    shares: usize,
    /// Which of [`Field::turns`] it takes.
    turn: usize,
}

/// The slip velocity along the paths of a group: v̄ = entry + way · onward, of complex numbers x + iy.
struct Line<S> {
    entry: [S; 2],
    onward: [S; 2],
}

impl<S: Side> Line<S> {
    #[inline(always)]
    fn new(motion: &Motion<S>, flow: &Flow<Wide>, p: &Paths) -> Self {
        let [v, w] = flow.velocity(p.x, p.y);
        let onward = [S::lift(v) * motion.phi, S::lift(w) * motion.phi];
        Line { entry: motion.slip(S::lift(p.x), S::lift(p.y)), onward }
    }

    #[inline(always)]
    fn at(&self, way: [S; 2]) -> [S; 2] {
        turned_plus(way, self.onward, self.entry)
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

/// Between how many rates a passage then interpolates at most.
const MOST_INTERPOLATED: usize = MOST_SHARED + 1;

/// At how many nodes friction is asked for at a time.
const TOGETHER: usize = 6;

/// After how many more steps a cell is settled where rates at nodes depend on deflections: they are those of the middle
/// of a step, for which the one before has to be settled, and once more what those rates did is felt.
const LINGER: usize = 2;

/// All bristles of a patch, kept and moved on in T.
#[derive(Clone, Debug)]
pub(crate) struct Field<T: Prompt> {
    c: Vec<f64>,
    paths: Vec<Paths>,
    cells: usize,
    /// Where the nodes of each cell begin, and where those of the last end. Only groups of which paths reach a cell have
    /// nodes there, the longest first; those of one group lie side by side, so that what moves on lies so too.
    starts: Vec<usize>,
    /// How many rows each group of paths has.
    reach: Vec<usize>,
    /// Load of each node and its moments about y and x, at the pressure of the start.
    weights: Vec<[T; 3]>,
    state: Vec<[T; 2]>,
    /// The same in the middle of a step, foretold.
    halfway: Vec<[T; 2]>,
    /// The way bristles travel.
    flow: Flow<Wide>,
    stages: Stages<2>,
    rows: Vec<Row>,
    /// What rates at nodes weigh in mean and rise of hλ: for each passage of the first cell, and of any other.
    shares: Vec<[[T::Number; 2]; MOST_INTERPOLATED]>,
    /// [`Row::node`].
    ways: Vec<[T::Number; 2]>,
    /// What entry and onward velocity weigh in [`Turn::seen`] −hv̄: the one for each turn, the other for each row.
    entering: Vec<Trend<[T::Number; 2]>>,
    going: Vec<Trend<[T::Number; 2]>>,
    /// The passages to all nodes, of bristles that prefer no direction and are not damped.
    alike: Vec<Alike<T>>,
    /// Those of any other.
    any: Vec<Passage<T>>,
    /// λ at the entry and at the nodes of one group, and some more than there are.
    rates: Vec<T>,
    /// Those of the passages of the first cell, and the one of all others.
    turns: Vec<Turn>,
    /// The φ₂ that they are for.
    turned: f64,
    /// For how many steps the inputs have been what they are.
    held: usize,
    /// How many cells hold only bristles that entered since.
    settled: usize,
    /// What those add to forces and moment.
    kept: [f64; 3],
}

/// The bristles of a patch in the scalar that is quickest: single precision, which is enough on few paths, or double,
/// where the machine fuses multiplications and additions; and where it does not.
#[derive(Clone, Debug)]
pub(crate) enum Bristles {
    Brief(Field<Brief>),
    Brisk(Field<Brisk>),
    Plain(Field<Wide>),
}

/// Where bristles are.
pub(crate) struct Grid<'a> {
    /// The nodes of a cell.
    pub(crate) c: &'a [f64],
    paths: &'a [Paths],
    starts: &'a [usize],
}

impl<'a> Grid<'a> {
    pub(crate) fn cells(&self) -> usize {
        self.starts.len() - 1
    }

    /// The groups that reach a cell, and where their nodes there begin.
    pub(crate) fn groups(&self, cell: usize) -> impl Iterator<Item = (usize, &'a Paths)> + use<'a> {
        (self.starts[cell]..self.starts[cell + 1]).step_by(self.c.len()).zip(self.paths)
    }
}

impl Bristles {
    pub(crate) fn grid(&self) -> Grid<'_> {
        match self {
            Bristles::Brief(f) => f.grid(),
            Bristles::Brisk(f) => f.grid(),
            Bristles::Plain(f) => f.grid(),
        }
    }

    /// The load of a node and its moments, and how it is deflected.
    pub(crate) fn node(&self, at: usize) -> ([Wide; 3], [Wide; 2]) {
        match self {
            Bristles::Brief(f) => f.node(at),
            Bristles::Brisk(f) => f.node(at),
            Bristles::Plain(f) => f.node(at),
        }
    }

    /// Deflects all nodes; from now on nothing is as it was for the bristles before.
    pub(crate) fn deflect(&mut self, z: &[[Wide; 2]]) {
        match self {
            Bristles::Brief(f) => f.deflect(z),
            Bristles::Brisk(f) => f.deflect(z),
            Bristles::Plain(f) => f.deflect(z),
        }
    }
}

/// How the inputs of a step are to those of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inputs {
    /// The same.
    Held,
    /// Not much different.
    Close,
    /// Others.
    New,
}

impl Field<Wide> {
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
        let mut starts = vec![0];
        for i in 0..cells {
            let reach = paths.iter().filter(|p| i < cells_of(p)).count();
            starts.push(starts[i] + nodes * reach);
        }
        let count = starts[cells];
        let (zero, one) = (Wide::from(0.0), Wide::from(1.0));
        let (none, still) = (Trend { mean: [0.0; 2], rise: [0.0; 2] }, [zero; 2]);
        let rows = rows(flow, &c, &starts, step);
        let mut field = Field {
            cells,
            weights: vec![[zero; 3]; count],
            state: vec![still; count],
            halfway: vec![still; count],
            flow: flow.cast(Wide::from),
            stages: Stages::gauss(),
            shares: if nodes <= MOST_SHARED { shares(&c, step) } else { Vec::new() },
            ways: rows.iter().map(|row| row.node).collect(),
            entering: vec![none; nodes + 1],
            going: vec![none; rows.len()],
            alike: vec![Alike { e: one, b: still }; if alike { count } else { 0 }],
            any: vec![Passage { e: [still; 2], b: still }; if alike { 0 } else { count }],
            rates: vec![zero; cells * nodes + TOGETHER],
            turns: vec![Turn::by(0.0); nodes + 1],
            turned: 0.0,
            held: 0,
            settled: 0,
            kept: [0.0; 3],
            reach: paths.iter().map(|p| cells_of(p) * nodes).collect(),
            rows,
            starts,
            c,
            paths,
        };
        field.turn(0.0);
        field
    }

    /// The load that each node stands for: ∫p ℓ_k over its cell, the last one cut where the path ends.
    pub(crate) fn weigh(&mut self, shape: &Shape, pressure: &Pressure, step: f64) {
        let rule = legendre(10);
        let (basis, mut values) = (Lagrange::new(&self.c), vec![0.0; self.c.len()]);
        let mut weights = vec![[Wide::from(0.0); 3]; self.weights.len()];
        for i in 0..self.cells {
            for (place, p) in self.grid().groups(i) {
                let v = self.flow.velocity(p.x, p.y);
                let flux = (v[0] * p.dy - v[1] * p.dx).abs();
                let from = Wide::from(i as f64 * step).min(p.length);
                let to = Wide::from((i + 1) as f64 * step).min(p.length);
                for (x, w) in rule {
                    let tau = from + (to - from) * *x;
                    let at = self.flow.follow([p.x, p.y], v, tau);
                    let load = pressure.at(shape, at[0], at[1]) * flux * (to - from) * *w;
                    let part = (tau - Wide::from(i as f64 * step)) / step;
                    for lane in 0..WIDTH {
                        basis.at(part.0[lane], &mut values);
                        for (node, value) in weights[place..].iter_mut().zip(&values) {
                            let load = load.0[lane] * value;
                            node[0].0[lane] += load;
                            node[1].0[lane] += load * at[0].0[lane];
                            node[2].0[lane] += load * at[1].0[lane];
                        }
                    }
                }
            }
        }
        self.weights = weights;
    }
}

impl<T: Prompt> Field<T> {
    /// The same in another scalar.
    pub(crate) fn cast<U: Prompt>(&self) -> Field<U> {
        fn all<T: Prompt, U: Prompt, const N: usize>(x: [T; N]) -> [U; N] {
            x.map(|x| U::lift(x.value()))
        }
        let number = |x: &T::Number| U::number(T::all(*x).value().0[0]);
        let pair = |x: &[T::Number; 2]| [number(&x[0]), number(&x[1])];
        let trend = |t: &Trend<_>| Trend { mean: pair(&t.mean), rise: pair(&t.rise) };
        let moved = |p: &Alike<T>| Alike { e: all([p.e])[0], b: all(p.b) };
        Field {
            weights: self.weights.iter().map(|w| all(*w)).collect(),
            state: self.state.iter().map(|z| all(*z)).collect(),
            halfway: self.halfway.iter().map(|z| all(*z)).collect(),
            shares: self.shares.iter().map(|s| s.each_ref().map(pair)).collect(),
            ways: self.ways.iter().map(pair).collect(),
            entering: self.entering.iter().map(trend).collect(),
            going: self.going.iter().map(trend).collect(),
            alike: self.alike.iter().map(moved).collect(),
            any: self.any.iter().map(|p| Passage { e: p.e.map(all), b: all(p.b) }).collect(),
            rates: self.rates.iter().map(|r| U::lift(r.value())).collect(),
            c: self.c.clone(),
            paths: self.paths.clone(),
            cells: self.cells,
            starts: self.starts.clone(),
            reach: self.reach.clone(),
            flow: self.flow,
            stages: self.stages.clone(),
            rows: self.rows.clone(),
            turns: self.turns.clone(),
            turned: self.turned,
            held: self.held,
            settled: self.settled,
            kept: self.kept,
        }
    }

    /// The load of all bristles, N.
    pub(crate) fn load(&self) -> f64 {
        self.weights.iter().map(|w| total(w[0])).sum()
    }

    fn grid(&self) -> Grid<'_> {
        Grid { c: &self.c, paths: &self.paths, starts: &self.starts }
    }

    fn node(&self, at: usize) -> ([Wide; 3], [Wide; 2]) {
        (self.weights[at].map(T::value), self.state[at].map(T::value))
    }

    fn deflect(&mut self, z: &[[Wide; 2]]) {
        for (state, z) in self.state.iter_mut().zip(z) {
            *state = z.map(T::lift);
        }
        self.unsettle();
    }

    fn unsettle(&mut self) {
        (self.held, self.settled, self.kept) = (0, 0, [0.0; 3]);
    }

    /// What a new φ₂ or other new inputs change.
    fn prepare(&mut self, motion: &Motion<f64>, inputs: Inputs) {
        if self.turned != motion.phi2 {
            self.turn(motion.phi2);
        }
        if inputs != Inputs::Held {
            self.unsettle();
        }
        self.held += 1;
    }

    /// Frames turn by another φ₂.
    fn turn(&mut self, phi2: f64) {
        self.turned = phi2;
        let numbers =
            |t: Trend<[f64; 2]>| Trend { mean: t.mean.map(T::number), rise: t.rise.map(T::number) };
        let entry = Trend { mean: [1.0, 0.0], rise: [0.0; 2] };
        for ((turn, entering), row) in self.turns.iter_mut().zip(&mut self.entering).zip(&self.rows)
        {
            *turn = Turn::by(phi2 * row.h);
            *entering = numbers(turn.seen(row.h, entry));
        }
        for (going, row) in self.going.iter_mut().zip(&self.rows) {
            *going = numbers(self.turns[row.turn].seen(row.h, row.trend));
        }
    }

    /// Rolls on by one step bristles that prefer no direction and are not damped. Returns ∫p z and its moment. `felt`:
    /// whether friction is taken at the velocity that the bristle feels, as in Model 2.
    #[inline(always)]
    pub(crate) fn step_alike(
        &mut self,
        fading: &Fading<T, impl Planar<T::Several>>,
        motion: &Motion<f64>,
        inputs: Inputs,
        felt: bool,
    ) -> [f64; 3] {
        self.prepare(motion, inputs);
        let motion = motion.cast(T::from);
        let mut passages = std::mem::take(&mut self.alike);
        let shared = self.c.len() <= MOST_SHARED;
        if shared && felt {
            if inputs != Inputs::Held {
                self.drive(&mut passages, &motion);
            }
            // What is new altogether is foretold by passages that are foretold themselves.
            for _ in 0..if inputs == Inputs::New { 2 } else { 1 } {
                self.look_ahead(&passages);
                match self.c.len() {
                    ..=2 => self.pass_by_nodes::<true, 3>(&mut passages, fading, &motion),
                    _ => self.pass_by_nodes::<true, MOST_INTERPOLATED>(
                        &mut passages,
                        fading,
                        &motion,
                    ),
                }
            }
        } else if !shared && (felt || inputs != Inputs::Held) {
            self.pass_by_stages(&mut passages, fading, &motion, (felt, inputs));
        } else if inputs != Inputs::Held {
            match self.c.len() {
                ..=2 => self.pass_by_nodes::<false, 3>(&mut passages, fading, &motion),
                _ => self.pass_by_nodes::<false, MOST_INTERPOLATED>(&mut passages, fading, &motion),
            }
        }
        let sums = self.advance(&passages, if shared && felt { LINGER } else { 0 });
        self.alike = passages;
        sums
    }

    /// The same of any other bristles.
    #[inline(always)]
    pub(crate) fn step_any(
        &mut self,
        bristle: &impl Planar<T>,
        motion: &Motion<f64>,
        inputs: Inputs,
        felt: bool,
    ) {
        self.prepare(motion, inputs);
        let motion = motion.cast(T::from);
        let mut passages = std::mem::take(&mut self.any);
        if felt || inputs != Inputs::Held {
            self.pass_any(&mut passages, bristle, &motion, (felt, inputs));
        }
        self.advance(&passages, 0);
        self.any = passages;
    }

    /// Passages that share rates at nodes, which are interpolated between K of these or fewer. Where friction is taken at
    /// the velocity that the bristle feels, it is that of the bristle that is at the node in the middle of the step.
    #[inline(always)]
    fn pass_by_nodes<const FELT: bool, const K: usize>(
        &mut self,
        passages: &mut [Alike<T>],
        fading: &Fading<T, impl Planar<T::Several>>,
        motion: &Motion<T>,
    ) {
        let nodes = self.c.len();
        let mut rates = std::mem::take(&mut self.rates);
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            let (settled, end) = (self.settled * nodes, self.reach[j]);
            if settled >= end {
                break;
            }
            // The first is that at the entry, before all nodes.
            let begin = if settled == 0 { 0 } else { settled - nodes + 1 };
            for first in (begin..=end).step_by(TOGETHER) {
                let mut asked = [line.entry; TOGETHER];
                for (i, asked) in asked.iter_mut().enumerate() {
                    if let Some(r) = (first + i).min(end).checked_sub(1) {
                        *asked = line.at(both(self.ways[r]));
                        if FELT {
                            let z = self.halfway[self.rows[r].place + j * nodes];
                            *asked = motion.felt(*asked, z);
                        }
                    }
                }
                rates[first..][..TOGETHER].copy_from_slice(&fading.at(&asked));
            }
            let none = Trend { mean: [T::from(0.0); 2], rise: [T::from(0.0); 2] };
            let entering = self.entering[nodes].of(line.entry, none);
            for (row, going) in self.rows[settled..end].iter().zip(&self.going[settled..end]) {
                let mut rate = Trend { mean: T::from(0.0), rise: T::from(0.0) };
                let (rates, shares) = (&rates[row.first..][..K], &self.shares[row.shares]);
                for k in 0..K {
                    let [mean, rise] = shares[k];
                    rate.mean = rates[k].mul_add(T::all(mean), rate.mean);
                    rate.rise = rates[k].mul_add(T::all(rise), rate.rise);
                }
                // Beyond the first cell all passages are as long.
                let entering = match row.before {
                    Some(_) => entering,
                    None => self.entering[row.turn].of(line.entry, none),
                };
                passages[row.place + j * nodes] = Alike::new(rate, going.of(line.onward, entering));
            }
        }
        self.rates = rates;
    }

    /// New inputs drive bristles that forget as before: what is known of passages before friction is.
    #[inline(always)]
    fn drive(&self, passages: &mut [Alike<T>], motion: &Motion<T>) {
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            for (row, going) in self.rows[..self.reach[j]].iter().zip(&self.going) {
                let entering = turned(both(self.entering[row.turn].mean), line.entry);
                let driven = turned_plus(both(going.mean), line.onward, entering);
                let passage = &mut passages[row.place + j * self.c.len()];
                let lasting = (passage.e + 1.0) * 0.5;
                passage.b = [driven[0] * lasting, driven[1] * lasting];
            }
        }
    }

    /// Looks half a step ahead: half-way between the bristle at a node now and the one there next.
    #[inline(always)]
    fn look_ahead(&mut self, passages: &[Alike<T>]) {
        let turn = self.whole(self.c.len());
        for cell in self.settled.saturating_sub(1)..self.cells {
            let places = self.starts[cell]..self.starts[cell + 1];
            let (now, passages) = (&self.state[places.clone()], &passages[places.clone()]);
            let halfway = self.halfway[places].iter_mut().zip(now).zip(passages);
            let none = [T::from(0.0); 2];
            match cell.checked_sub(1) {
                Some(last) => {
                    let before = &self.state[self.starts[last]..];
                    for (((halfway, now), passage), before) in halfway.zip(before) {
                        let next = passage.end(*before, turn);
                        *halfway = [(now[0] + next[0]) * 0.5, (now[1] + next[1]) * 0.5];
                    }
                }
                None => {
                    for ((halfway, now), passage) in halfway {
                        let next = passage.end(none, turn);
                        *halfway = [(now[0] + next[0]) * 0.5, (now[1] + next[1]) * 0.5];
                    }
                }
            }
        }
    }

    /// The deflection with which the passage to a row of group j starts.
    #[inline(always)]
    fn start(&self, row: &Row, j: usize) -> [T; 2] {
        match row.before {
            Some(before) => self.state[before + j * self.c.len()],
            None => [T::from(0.0); 2],
        }
    }

    /// By how much deflections turn in the passages of one turn.
    #[inline(always)]
    fn whole(&self, turn: usize) -> [T; 2] {
        both_from(self.turns[turn].whole)
    }

    /// Passages that have two stages each, at which friction is taken, some of them at a time. Where that depends on the
    /// deflection, the passages so far foretell where new ones end, if need be in two rounds.
    #[inline(always)]
    fn pass_by_stages(
        &self,
        passages: &mut [Alike<T>],
        fading: &Fading<T, impl Planar<T::Several>>,
        motion: &Motion<T>,
        (felt, inputs): (bool, Inputs),
    ) {
        let none = Trend { mean: [T::from(0.0); 2], rise: [T::from(0.0); 2] };
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            let rows = self.settled * self.c.len()..self.reach[j];
            for first in rows.clone().step_by(TOGETHER / 2) {
                let some = first..rows.end.min(first + TOGETHER / 2);
                for _ in 0..rounds(felt, inputs) {
                    let mut asked = [[T::from(0.0); 2]; TOGETHER];
                    for (row, asked) in self.rows[some.clone()].iter().zip(asked.chunks_mut(2)) {
                        let passage = &passages[row.place + j * self.c.len()];
                        let taken = self.taken(&line, motion, (row, j), felt.then_some(passage));
                        asked.copy_from_slice(&taken);
                    }
                    for (r, rate) in some.clone().zip(fading.at(&asked).chunks(2)) {
                        let row = &self.rows[r];
                        let (sum, difference) = (rate[0] + rate[1], rate[1] - rate[0]);
                        let rate = Trend {
                            mean: sum * (0.5 * row.h),
                            rise: difference * (3f64.sqrt() * row.h),
                        };
                        let entering = self.entering[row.turn].of(line.entry, none);
                        let slip = self.going[r].of(line.onward, entering);
                        passages[row.place + j * self.c.len()] = Alike::new(rate, slip);
                    }
                }
            }
        }
    }

    /// The same of bristles that are not alike.
    #[inline(always)]
    fn pass_any(
        &self,
        passages: &mut [Passage<T>],
        bristle: &impl Planar<T>,
        motion: &Motion<T>,
        (felt, inputs): (bool, Inputs),
    ) {
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(motion, &self.flow, path);
            let rows = self.settled * self.c.len()..self.reach[j];
            for row in self.rows.get(rows).unwrap_or_default() {
                let at = row.place + j * self.c.len();
                for _ in 0..rounds(felt, inputs) {
                    let taken = self.taken(&line, motion, (row, j), felt.then_some(&passages[at]));
                    let [p, q] = [0, 1].map(
                        #[inline(always)]
                        |s| local(bristle, motion, line.at(both_from(row.stages[s])), taken[s]),
                    );
                    let (forget, drive) = ([p.0, q.0], [p.1, q.1]);
                    passages[at] = passage(&self.stages, T::from(row.h), forget, drive);
                }
            }
        }
    }

    /// The velocities at both stages of the passage to a row of group j at which friction is taken: those that the
    /// bristle feels if the passage so far is given, which foretells where it ends.
    #[inline(always)]
    fn taken(
        &self,
        line: &Line<T>,
        motion: &Motion<T>,
        (row, j): (&Row, usize),
        felt: Option<&impl Onward<T>>,
    ) -> [[T; 2]; 2] {
        let mut taken = [line.at(both_from(row.stages[0])), line.at(both_from(row.stages[1]))];
        if let Some(passage) = felt {
            let start = self.start(row, j);
            let end = passage.end(start, self.whole(row.turn));
            let gain = [end[0] - start[0], end[1] - start[1]];
            for (taken, c) in taken.iter_mut().zip(self.stages.c) {
                let c = T::from(c);
                let z = [c.mul_add(gain[0], start[0]), c.mul_add(gain[1], start[1])];
                *taken = motion.felt(*taken, z);
            }
        }
        taken
    }

    /// Every bristle that has not settled moves on by one cell; the last go first. A cell has settled when its first
    /// bristles entered since the inputs changed, and as many steps later as they linger.
    #[inline(always)]
    fn advance(&mut self, passages: &[impl Onward<T>], linger: usize) -> [f64; 3] {
        let turn = self.whole(self.c.len());
        for cell in (self.settled..self.cells).rev() {
            let places = self.starts[cell]..self.starts[cell + 1];
            let (before, behind) = self.state.split_at_mut(places.start);
            let to = behind[..places.len()].iter_mut().zip(&passages[places]);
            match cell.checked_sub(1) {
                Some(last) => {
                    for ((to, passage), from) in to.zip(&before[self.starts[last]..]) {
                        *to = passage.end(*from, turn);
                    }
                }
                None => {
                    for (to, passage) in to {
                        *to = passage.end([T::from(0.0); 2], turn);
                    }
                }
            }
        }
        let settled = self.held.saturating_sub(linger).min(self.cells);
        let settling = self.sum(self.starts[self.settled]..self.starts[settled]);
        let moving = self.sum(self.starts[settled]..self.starts[self.cells]);
        self.settled = settled;
        for (kept, settling) in self.kept.iter_mut().zip(settling) {
            *kept += settling;
        }
        std::array::from_fn(|k| self.kept[k] + moving[k])
    }

    /// ∫p z and its moment over some nodes. Of sums that meet each other the compiler makes little: there are four.
    #[inline(always)]
    fn sum(&self, places: Range<usize>) -> [f64; 3] {
        let [mut x, mut y, mut ahead, mut aside] = [T::from(0.0); 4];
        for (w, z) in self.weights[places.clone()].iter().zip(&self.state[places]) {
            x = w[0].mul_add(z[0], x);
            y = w[0].mul_add(z[1], y);
            ahead = w[1].mul_add(z[1], ahead);
            aside = w[2].mul_add(z[0], aside);
        }
        let [x, y, ahead, aside] = simd::apart([x, y, ahead, aside]).map(total);
        [x, y, ahead - aside]
    }

    /// Forces and moments of bristles that prefer directions or are damped.
    #[inline(always)]
    pub(crate) fn forces(
        &self,
        bristle: &impl Planar<T>,
        motion: &Motion<f64>,
        felt: bool,
    ) -> [f64; 4] {
        let motion = motion.cast(T::from);
        let (stiffness, damping) = (bristle.stiffness(), bristle.damping().scaled(motion.speed));
        let zero = T::from(0.0);
        let damped = [damping.xx, damping.xy, damping.yy] != [zero; 3];
        let mut sums = [zero; 4];
        for (j, path) in self.paths.iter().enumerate() {
            let line = Line::new(&motion, &self.flow, path);
            for row in &self.rows[..self.reach[j]] {
                let at = row.place + j * self.c.len();
                let z = self.state[at];
                let mut f = stiffness.times(z);
                if damped {
                    let slip = line.at(both_from(row.node));
                    let taken = if felt { motion.felt(slip, z) } else { slip };
                    let (forget, drive) = local(bristle, &motion, slip, taken);
                    let back = times(&forget, z);
                    let viscous = damping.times([drive[0] - back[0], drive[1] - back[1]]);
                    f = [f[0] + viscous[0], f[1] + viscous[1]];
                }
                let w = self.weights[at];
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

impl<N: Copy> Trend<[N; 2]> {
    /// So much of v, and more.
    #[inline(always)]
    fn of<S: Prompt<Number = N>>(&self, v: [S; 2], more: Trend<[S; 2]>) -> Trend<[S; 2]> {
        Trend {
            mean: turned_plus(both(self.mean), v, more.mean),
            rise: turned_plus(both(self.rise), v, more.rise),
        }
    }
}

#[inline(always)]
fn both<S: Prompt>([x, y]: [S::Number; 2]) -> [S; 2] {
    [S::all(x), S::all(y)]
}

#[inline(always)]
fn both_from<S: Real>([x, y]: [f64; 2]) -> [S; 2] {
    [S::from(x), S::from(y)]
}

/// How often passages by stages are worked out: twice where they depend on deflections that the first ones foretell.
fn rounds(felt: bool, inputs: Inputs) -> usize {
    if felt && inputs != Inputs::Held { 2 } else { 1 }
}

#[inline(always)]
fn total<S: Side>(x: S) -> f64 {
    x.value().0.iter().sum()
}

/// Where the nodes of all cells are, those of each cell beginning at `starts`.
fn rows(flow: &Flow<f64>, c: &[f64], starts: &[usize], step: f64) -> Vec<Row> {
    let (nodes, gauss) = (c.len(), Stages::<2>::gauss());
    let way = |tau: f64| {
        let [s, c] = turn(flow.phi1 * tau).map(|t| t * tau);
        [-c, -s]
    };
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
            place: starts[i] + k,
            before: i.checked_sub(1).map(|i| starts[i] + k),
            first: (r + 1).saturating_sub(nodes),
            shares: if i == 0 { k } else { nodes + k },
            turn: if i == 0 { k } else { nodes },
        }
    };
    (0..(starts.len() - 1) * nodes).map(row).collect()
}

/// What λ at nodes weighs in mean and rise of hλ in a passage: of those of the first cell, which interpolate between the
/// entry and all its nodes, then of those of others, which do between the two nodes at their ends and all between.
fn shares(c: &[f64], step: f64) -> Vec<[[f64; 2]; MOST_INTERPOLATED]> {
    let between = |points: Vec<f64>, from: f64, to: f64| {
        let (basis, mut values) = (Lagrange::new(&points), vec![0.0; points.len()]);
        let mut shares = [[0.0; 2]; MOST_INTERPOLATED];
        for (u, w) in legendre(points.len()) {
            basis.at(from + (to - from) * u, &mut values);
            let weights = trend_weights(*u, *w);
            for (share, value) in shares.iter_mut().zip(&values) {
                *share = [0, 1].map(|n| share[n] + step * (to - from) * weights[n] * value);
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

    const STEP: f64 = 0.7;

    #[test]
    fn shares_give_mean_and_rise_of_what_the_nodes_interpolate() {
        for nodes in 1..=MOST_SHARED {
            let c: Vec<f64> = legendre(nodes).iter().map(|n| n.0).collect();
            for (k, shares) in shares(&c, STEP).iter().enumerate() {
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
                        let at = STEP * (to - from) * value(from + (to - from) * u);
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
