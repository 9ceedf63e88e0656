//! Tiles: a panel of the inflow boundary, the paths that enter through it, and the cells that they are divided into.
//!
//! Two differences tell how far off a tile is, of rules that were all evaluated:
//!
//! - across its paths, that of a nested rule and the one before it, and no less than a sixteenth of the difference before: two
//!   rules may agree by chance;
//! - along its paths, that of a collocation with [`MAIN`] stages and one with [`CHECK`], of which the finer is the result.
//!
//! The worst tile is refined (more paths, then two panels; its worst cells bisected) until the sum over all tiles, times
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
/// The nested rule that a tile begins with: two coarser ones say how far off it is.
pub const FIRST: usize = 2;
/// How often tiles are refined, all in all.
const MAX_REFINEMENTS: usize = 600;
/// Cells to a path.
const MAX_CELLS: usize = 512;
/// The cells that hold this part of the error along a path are bisected (bulk criterion; W. Dörfler, SIAM J. Numer. Anal. 33,
/// 1996).
const BULK: f64 = 0.5;

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
    /// What each path adds, per unit of the panel's parameter, by the finer collocation.
    sums: Vec<[Wide; K]>,
    /// What it has in excess of the coarser.
    excess: Vec<[Wide; K]>,
    /// Whether all iterations settled.
    settled: bool,
}

impl<const K: usize> Tile<K> {
    /// A tile of few paths and given cells.
    pub fn new(panel: Panel, cells: Vec<f64>) -> Self {
        Tile {
            panel,
            level: FIRST,
            cells,
            paths: Vec::new(),
            sums: Vec::new(),
            excess: Vec::new(),
            settled: true,
        }
    }

    /// The integral by one of the nested rules.
    fn integral(&self, level: usize) -> [f64; K] {
        let mut all = [0.0; K];
        for (k, sums) in self.sums.iter().enumerate().take(vectors(level)) {
            let weights = weights(level, k);
            for (all, sum) in all.iter_mut().zip(sums) {
                *all += total(*sum * weights);
            }
        }
        all
    }

    /// How far off the k-th eight paths are along themselves.
    fn along(&self, k: usize) -> [f64; K] {
        let weights = weights(self.level, k);
        self.excess[k].map(|excess| total(excess.abs() * weights))
    }

    /// How far off the tile is across and along its paths, by a measure of differences.
    fn errors(&self, size: &impl Fn(&[f64; K]) -> f64) -> [f64; 2] {
        let across = across(|level| self.integral(level), self.level, size);
        let mut along = [0.0; K];
        for k in 0..self.excess.len() {
            let own = self.along(k);
            along = std::array::from_fn(|c| along[c] + own[c]);
        }
        [across, if self.settled { size(&along) } else { f64::INFINITY }]
    }

    /// Lays and follows the paths that the tile lacks.
    fn fill<S: Side, T: Tally<S, K>>(&mut self, task: &Task<'_, S, T>) {
        for k in self.sums.len()..vectors(self.level) {
            if self.paths.len() <= k {
                self.paths.push(self.panel.lay(task.ground.shape, task.ground.flow, nodes(k)));
            }
            let (fine, excess, settled) = self.follow(task, k);
            self.sums.push(fine);
            self.excess.push(excess);
            self.settled &= settled;
        }
    }

    /// Bisects cells until the worst eight paths are off by `enough` along themselves, then follows all paths through them.
    fn shorten<S: Side, T: Tally<S, K>>(
        &mut self,
        task: &Task<'_, S, T>,
        size: &impl Fn(&[f64; K]) -> f64,
        enough: f64,
    ) {
        let off = |tile: &Self, k: usize| {
            let off = size(&tile.along(k));
            if off.is_nan() { f64::INFINITY } else { off }
        };
        let all = 0..self.excess.len();
        let worst = all.max_by(|p, q| off(self, *p).total_cmp(&off(self, *q))).unwrap_or(0);
        let enough = enough / self.excess.len() as f64;
        loop {
            self.bisect(task, worst);
            let (_, excess, settled) = self.follow(task, worst);
            (self.excess[worst], self.settled) = (excess, settled);
            if (settled && off(self, worst) <= enough) || self.cells.len() >= MAX_CELLS {
                break;
            }
        }
        self.sums.clear();
        self.excess.clear();
        self.settled = true;
        self.fill(task);
    }

    /// Bisects the cells in which most of the error along the k-th eight paths arises.
    fn bisect<S: Side, T: Tally<S, K>>(&mut self, task: &Task<'_, S, T>, k: usize) {
        let paths = &self.paths[k];
        let (parts, weights) = (task.ground.parts(paths), weights(self.level, k));
        let arising = task.course.arising(task.rules, paths, &parts, &self.cells, weights);
        let mut worst = vec![false; arising.len()];
        // Of values and of derivatives.
        for part in 0..2 {
            let mut by_size: Vec<(usize, f64)> =
                arising.iter().map(|own| own[part]).enumerate().collect();
            by_size.sort_by(|p, q| q.1.total_cmp(&p.1));
            let whole: f64 = by_size.iter().map(|c| c.1).sum();
            let mut held = 0.0;
            for (cell, own) in by_size {
                // What is no number, or has not settled, is bisected everywhere.
                worst[cell] |= held < BULK * whole || !whole.is_finite() || !self.settled;
                held += own;
            }
        }
        let none = !worst.contains(&true);
        for cell in (0..worst.len()).rev().filter(|cell| worst[*cell] || none) {
            let from = if cell == 0 { 0.0 } else { self.cells[cell - 1] };
            self.cells.insert(cell, 0.5 * (from + self.cells[cell]));
        }
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

    /// What the k-th eight paths add, by how much that differs from the coarser rule, and whether all iterations settled.
    fn follow<S: Side, T: Tally<S, K>>(
        &self,
        task: &Task<'_, S, T>,
        k: usize,
    ) -> ([Wide; K], [Wide; K], bool) {
        let (mut main, mut check) = (task.tally.clone(), task.tally.clone());
        let (paths, rules, cells) = (&self.paths[k], task.rules, &self.cells);
        let parts = task.ground.parts(paths);
        let settled = task.course.march(&rules.main, paths, &parts, cells, &mut main)
            & task.course.march(&rules.check, paths, &parts, cells, &mut check);
        let (fine, coarse) = (check.sums(), main.sums());
        (fine, std::array::from_fn(|c| fine[c] - coarse[c]), settled)
    }
}

/// How far off the finest of three nested rules is: its difference from the one before it, and no less than a part of the
/// difference before, since two rules may agree by chance.
pub fn across<const K: usize>(
    by: impl Fn(usize) -> [f64; K],
    level: usize,
    size: &impl Fn(&[f64; K]) -> f64,
) -> f64 {
    let [fine, coarse, coarser] = [by(level), by(level - 1), by(level - 2)];
    let last = size(&std::array::from_fn(|c| fine[c] - coarse[c]));
    let before = size(&std::array::from_fn(|c| coarse[c] - coarser[c]));
    largest([last, before * CREDIT])
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
