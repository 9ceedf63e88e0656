//! Tiles: a panel of the inflow boundary, the paths that enter through it, and the cells that they are divided into.
//!
//! Two differences tell how far off a tile is, of rules that were all evaluated:
//!
//! - across its paths, what is left when differences of three nested rules go on to fall as they did ([`left`]);
//! - along its first seven paths, that of a collocation with [`MAIN`] stages and one with [`CHECK`]; the result has it added.
//!
//! The worst tile is refined (more paths, then two panels; its worst cells divided) until the sum over all tiles, times
//! [`SAFETY`], is below the accuracy asked for, or [`MAX_REFINEMENTS`] are used up; the result says what was reached.
use super::bristles::total;
use super::flow::Flow;
use super::inflow::{self, Panel, Paths, Wide};
use super::march::{Course, Side};
use super::rules::{FINEST, Radau, nodes, vectors, weights};
use super::shape::{Shape, is_smooth};
use super::tally::Tally;
use bristle_kernel::Real;

/// Stages to a cell of the coarser rule along paths.
pub const MAIN: usize = 6;
/// Stages to a cell of the finer.
pub const CHECK: usize = 8;
/// What differences are multiplied by.
pub const SAFETY: f64 = 4.0;
/// No rule counts as better than the one before it by more than this.
pub const CREDIT: f64 = 1.0 / 16.0;
/// The nested rule that a tile begins with, that of seven paths: two coarser ones say how far off it is, and its paths say how
/// far off all of the tile are along themselves.
pub const FIRST: usize = 2;
/// How often tiles are refined, all in all.
const MAX_REFINEMENTS: usize = 600;
/// Cells to a path.
const MAX_CELLS: usize = 512;
/// Both collocation rules.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The coarser.
    pub main: Radau<MAIN>,
    /// The finer.
    pub check: Radau<CHECK>,
}

impl Rules {
    /// Works them out.
    pub fn new() -> Self {
        Rules { main: Radau::new(), check: Radau::new() }
    }
}

/// What paths are laid through.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The outline.
    pub shape: &'a Shape,
    /// The way bristles travel.
    pub flow: &'a Flow<f64>,
    /// Where the slip velocity vanishes, if that divides paths.
    pub zero: Option<[f64; 2]>,
}

impl Ground<'_> {
    /// Where the parts of paths end between which nothing is smooth: nearest to the zero of the slip velocity; where x = 0 is
    /// passed, if the power of x is not smooth there; and at their end.
    pub fn parts(&self, paths: &Paths) -> Vec<Wide> {
        let middle = self.flow.is_symmetric() && !is_smooth(self.shape.n);
        let places = self.zero.into_iter().chain(middle.then_some([0.0; 2]));
        let mut ends: Vec<Wide> = places.map(|at| inflow::nearest(self.flow, paths, at)).collect();
        if let [first, second] = &mut ends[..] {
            (*first, *second) = (first.min(*second), first.max(*second));
        }
        ends.push(paths.length);
        ends
    }

    /// How many parts a path has.
    pub fn count(&self) -> usize {
        let middle = self.flow.is_symmetric() && !is_smooth(self.shape.n);
        1 + usize::from(self.zero.is_some()) + usize::from(middle)
    }
}

/// A panel with its paths and cells, and K sums over them.
#[derive(Clone, Debug)]
pub struct Tile<const K: usize> {
    /// The panel.
    pub panel: Panel,
    /// Which of the nested rules its paths are those of, 2 or 3.
    pub level: usize,
    /// Where cells end: 1.25 is after a quarter of the second part of every path.
    pub cells: Vec<f64>,
    /// In the order of the nodes, eight at a time.
    pub paths: Vec<Paths>,
    /// What each path adds, per unit of the panel's parameter, by the coarser collocation.
    sums: Vec<[Wide; K]>,
    /// What the finer finds in excess of that on the first paths.
    excess: [Wide; K],
    /// Whether all iterations settled.
    settled: bool,
}

impl<const K: usize> Tile<K> {
    /// A tile of few paths and given cells.
    pub fn new(panel: Panel, cells: Vec<f64>) -> Self {
        let (level, excess) = (FIRST, [Wide::from(0.0); K]);
        Tile { panel, level, cells, paths: Vec::new(), sums: Vec::new(), excess, settled: true }
    }

    /// The integral by one of the nested rules, and what the finer collocation adds to it.
    fn integral(&self, level: usize) -> [f64; K] {
        let first = weights(FIRST, 0);
        let mut all = self.excess.map(|excess| excess * first);
        for (k, sums) in self.sums.iter().enumerate().take(vectors(level)) {
            let weights = weights(level, k);
            for (all, sum) in all.iter_mut().zip(sums) {
                *all += *sum * weights;
            }
        }
        all.map(total)
    }

    /// How far off the tile is along its paths.
    fn along(&self, size: &impl Fn(&[f64; K]) -> f64) -> f64 {
        let first = weights(FIRST, 0);
        let off = size(&self.excess.map(|excess| total(excess.abs() * first)));
        if self.settled { off } else { f64::INFINITY }
    }

    /// How far off the tile is across and along its paths, by a measure of differences.
    fn errors(&self, size: &impl Fn(&[f64; K]) -> f64) -> [f64; 2] {
        [across(|level| self.integral(level), self.level, size), self.along(size)]
    }

    /// Lays and follows the paths that the tile lacks.
    fn fill<S: Side, T: Tally<S, K>>(&mut self, task: &Task<'_, S, T>) {
        for k in self.sums.len()..vectors(self.level) {
            if self.paths.len() <= k {
                self.paths.push(self.panel.lay(task.ground.shape, task.ground.flow, nodes(k)));
            }
            let (sums, settled) = self.follow(task, &task.rules.main, k);
            self.settled &= settled;
            self.sums.push(sums);
            if k == 0 {
                let (fine, settled) = self.follow(task, &task.rules.check, k);
                self.settled &= settled;
                self.excess = std::array::from_fn(|c| fine[c] - sums[c]);
            }
        }
    }

    /// Bisects cells until the first paths are off by `enough` along themselves, then follows all paths through them.
    fn shorten<S: Side, T: Tally<S, K>>(
        &mut self,
        task: &Task<'_, S, T>,
        size: &impl Fn(&[f64; K]) -> f64,
        enough: f64,
    ) {
        let level = std::mem::replace(&mut self.level, FIRST);
        loop {
            self.divide(task, self.along(size) / enough);
            self.sums.clear();
            self.settled = true;
            self.fill(task);
            if self.along(size) <= enough || self.cells.len() >= MAX_CELLS {
                break;
            }
        }
        self.level = level;
        self.fill(task);
    }

    /// Divides the cells in which more than their share of the error along the first paths arises, which is `excess` times as
    /// large as it may be: into as many as a smooth solution needs, whose error falls by 2^(2N − 1) as they are halved.
    fn divide<S: Side, T: Tally<S, K>>(&mut self, task: &Task<'_, S, T>, excess: f64) {
        let paths = &self.paths[0];
        let (parts, weights) = (task.ground.parts(paths), weights(FIRST, 0));
        let arising = task.course.arising(task.rules, paths, &parts, &self.cells, weights);
        // Of values and of derivatives.
        let whole = [0, 1].map(|part| arising.iter().map(|own| own[part]).sum::<f64>());
        let beyond = |own: &[f64; 2]| {
            let shares =
                [0, 1].map(|part| if own[part] > 0.0 { own[part] / whole[part] } else { 0.0 });
            shares[0].max(shares[1]) * excess * arising.len() as f64
        };
        // What is no number, or has not settled, is halved everywhere.
        let known =
            self.settled && excess.is_finite() && whole[0].is_finite() && whole[1].is_finite();
        let mut cells = Vec::with_capacity(2 * self.cells.len());
        let mut from = 0.0;
        for (to, own) in self.cells.iter().zip(&arising) {
            let halvings = match known {
                true => (beyond(own).log2() / (2 * MAIN - 1) as f64).ceil().clamp(0.0, 3.0) as i32,
                false => 1,
            };
            let pieces = 2i32.pow(halvings as u32);
            cells
                .extend((1..pieces).map(|k| from + (to - from) * f64::from(k) / f64::from(pieces)));
            cells.push(*to);
            from = *to;
        }
        if cells.len() == self.cells.len() {
            // Rounding left none.
            cells.insert(0, 0.5 * cells[0]);
        }
        self.cells = cells;
    }

    /// Follows all paths once more with another tally, which begins anew with every eight of them.
    pub fn replay<S: Side, T: Tally<S, J>, const J: usize, const N: usize>(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        ground: &Ground<'_>,
        tally: &T,
    ) -> Vec<T> {
        let follow = |paths: &Paths| {
            let mut own = tally.clone();
            course.march(rule, paths, &ground.parts(paths), &self.cells, &mut own);
            own
        };
        self.paths[..vectors(self.level)].iter().map(follow).collect()
    }

    /// What the k-th eight paths add by a collocation, and whether all iterations settled.
    fn follow<S: Side, T: Tally<S, K>, const N: usize>(
        &self,
        task: &Task<'_, S, T>,
        rule: &Radau<N>,
        k: usize,
    ) -> ([Wide; K], bool) {
        let (paths, mut tally) = (&self.paths[k], task.tally.clone());
        let parts = task.ground.parts(paths);
        let settled = task.course.march(rule, paths, &parts, &self.cells, &mut tally);
        (tally.sums(), settled)
    }
}

/// How far off the finest of three nested rules is.
pub fn across<const K: usize>(
    by: impl Fn(usize) -> [f64; K],
    level: usize,
    size: &impl Fn(&[f64; K]) -> f64,
) -> f64 {
    let [fine, coarse, coarser] = [by(level), by(level - 1), by(level - 2)];
    let last = size(&std::array::from_fn(|c| fine[c] - coarse[c]));
    let before = size(&std::array::from_fn(|c| coarse[c] - coarser[c]));
    left(last, before)
}

/// What is left after two differences of three rules if all that follow fall as the last did: last·(r + r² + …), r = last/before.
///
/// Two rules may agree by chance: r counts as no less than [`CREDIT`]. It counts as no more than 1 − `CREDIT`.
pub fn left(last: f64, before: f64) -> f64 {
    if last == 0.0 {
        return 0.0;
    }
    let r = (last / before).clamp(CREDIT, 1.0 - CREDIT);
    last * r / (1.0 - r)
}

/// The largest of some parts, or no number if one is none, which a maximum would pass over.
pub fn largest(parts: impl IntoIterator<Item = f64>) -> f64 {
    let mut most = 0.0f64;
    for part in parts {
        if part.is_nan() {
            return part;
        }
        most = most.max(part.abs());
    }
    most
}

/// What is to be summed, over what.
pub struct Task<'a, S, T> {
    /// How bristles are followed.
    pub course: Course<'a, S>,
    /// The rules along paths.
    pub rules: &'a Rules,
    /// What paths are laid through.
    pub ground: Ground<'a>,
    /// The sums, none yet.
    pub tally: T,
}

/// K sums over a patch, and how far off they are.
#[derive(Clone, Copy, Debug)]
pub struct Found<const K: usize> {
    /// The sums.
    pub sums: [f64; K],
    /// By the measure of the task.
    pub error: f64,
}

/// Refines the worst tile until the estimate will do. `measure` says how large a difference is beside the sums.
pub fn refine<S: Side, T: Tally<S, K>, const K: usize>(
    tiles: &mut Vec<Tile<K>>,
    task: &Task<'_, S, T>,
    accuracy: f64,
    measure: impl Fn(&[f64; K], &[f64; K]) -> f64,
) -> Found<K> {
    for tile in tiles.iter_mut() {
        tile.fill(task);
    }
    let mut refinements = 0;
    loop {
        let mut sums = [0.0; K];
        for tile in tiles.iter() {
            let own = tile.integral(tile.level);
            sums = std::array::from_fn(|c| sums[c] + own[c]);
        }
        let size = |d: &[f64; K]| measure(&sums, d);
        let (mut error, mut worst) = (0.0, (0.0, 0, [0.0; 2]));
        for (i, tile) in tiles.iter().enumerate() {
            let own = tile.errors(&size);
            error += SAFETY * (own[0] + own[1]);
            let able = [own[0], if tile.cells.len() < MAX_CELLS { own[1] } else { 0.0 }];
            let most = able[0].max(able[1]);
            // What is no number is worse than any.
            if most > worst.0 || own[0].is_nan() {
                worst = (most, i, able);
            }
        }
        if error <= accuracy || refinements == MAX_REFINEMENTS || worst.0 == 0.0 {
            return Found { sums, error: if error.is_nan() { f64::INFINITY } else { error } };
        }
        refinements += 1;
        let share = 0.25 * accuracy / (SAFETY * tiles.len() as f64);
        let (_, i, [across, along]) = worst;
        let tile = &mut tiles[i];
        if along > across {
            tile.shorten(task, &size, share.max(0.5 * across));
        } else if tile.level < FINEST {
            tile.level += 1;
            tile.fill(task);
        } else {
            let halves = tile.panel.halves().map(|panel| Tile::new(panel, tile.cells.clone()));
            tiles.swap_remove(i);
            for mut half in halves {
                half.fill(task);
                tiles.push(half);
            }
        }
    }
}
