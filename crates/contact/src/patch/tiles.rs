//! Tiles: a panel of the inflow boundary, the paths that enter through it, and the cells that they are divided into.
//!
//! Two numbers tell how far off a tile is, of rules that were all evaluated:
//!
//! - across its paths, what is left of the spectrum of what they add, if thirds that follow fall as the last one did ([`left`]);
//! - along its first seven paths, the difference of a collocation with [`MAIN`] stages and one with [`CHECK`]; the result has
//!   it added.
//!
//! The worst tile is refined (more paths, then two panels; its worst cells divided) until the sum over all tiles, times
//! [`SAFETY`], is below the accuracy asked for, or a cap is reached; the result says what was reached.
use super::bristles::total;
use super::flow::Flow;
use super::inflow::{self, Panel, Paths, Wide};
use super::march::{Course, Side};
use super::rules::{FINEST, integrals, left, nodes, thirds, vectors, weights};
use super::shape::{Shape, is_smooth};
use super::tally::Tally;
use crate::quadrature::Radau;
use bristle_kernel::Real;

/// Stages to a cell of the coarser rule along paths.
pub const MAIN: usize = 6;
/// Stages to a cell of the finer.
pub const CHECK: usize = 8;
/// What errors are multiplied by.
pub const SAFETY: f64 = 4.0;
/// By which part of all that is added up sums are rounded off.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The nested rule that a tile begins with, that of seven paths, which say how far off all of the tile is along itself.
pub const FIRST: usize = 2;
/// Cells to a path.
const MAX_CELLS: usize = 512;

/// What a tile adds after a distance, and how far off it is by the rules it was found by.
#[derive(Clone, Copy, Debug)]
pub struct Sample<const K: usize> {
    /// What it adds.
    pub value: [f64; K],
    /// The last third of the spectrum across, and the one before.
    pub across: [[f64; K]; 2],
    /// The difference of two rules along the paths.
    pub along: [f64; K],
}

impl<const K: usize> Sample<K> {
    /// How far off it is across and along the paths, by a measure of differences.
    pub fn errors(&self, size: &dyn Fn(&[f64; K]) -> f64) -> [f64; 2] {
        let [last, before] = self.across.map(|third| size(&third));
        [left(last, before), size(&self.along)]
    }
}

/// How tiles T are followed and refined.
pub trait Follow<T, const K: usize> {
    /// How often tiles are refined at most, all in all.
    const MAX_REFINEMENTS: usize;
    /// What a tile adds after each of some distances.
    fn samples<'a>(&self, tile: &'a T) -> &'a [Sample<K>];
    /// Whether cells or steps are as short as they may be.
    fn is_shortest(&self, tile: &T) -> bool;
    /// The tile with shorter cells or steps, if that will do until it is off by `enough` along its paths.
    fn shorten(&self, tile: &mut T, size: &dyn Fn(&[f64; K]) -> f64, enough: f64);
    /// The tile with more paths, or as two.
    fn widen(&self, tile: T) -> Vec<T>;
}

/// K sums over a patch, and how far off they are.
#[derive(Clone, Copy, Debug)]
pub struct Found<const K: usize> {
    /// The sums.
    pub sums: [f64; K],
    /// By the measure of the refinement.
    pub error: f64,
}

/// Refines the worst tile until the error at every distance will do. `measure` says, given all sums, how large a difference is
/// beside them.
pub fn refine<T, F: Follow<T, K>, S: Fn(&[f64; K]) -> f64, const K: usize>(
    tiles: &mut Vec<T>,
    follow: &F,
    accuracy: f64,
    measure: impl Fn(&[[f64; K]]) -> S,
) -> Vec<Found<K>> {
    let mut refinements = 0;
    loop {
        let count = tiles.first().map_or(0, |tile| follow.samples(tile).len());
        let (mut sums, mut errors) = (vec![[0.0; K]; count], vec![0.0; count]);
        for tile in tiles.iter() {
            for (sum, own) in sums.iter_mut().zip(follow.samples(tile)) {
                *sum = std::array::from_fn(|c| sum[c] + own.value[c]);
            }
        }
        let size = measure(&sums);
        let mut worst = (0.0, 0, [0.0; 2]);
        for (i, tile) in tiles.iter().enumerate() {
            let mut most = [0.0; 2];
            for (error, sample) in errors.iter_mut().zip(follow.samples(tile)) {
                let own = sample.errors(&size);
                let rounding = ROUNDING * size(&sample.value);
                *error += SAFETY * (own[0] + own[1] + rounding);
                most = [0, 1].map(|k| largest([most[k], own[k]]));
            }
            if follow.is_shortest(tile) {
                most[1] = 0.0;
            }
            let own = largest(most);
            // What is no number is worse than any.
            if own > worst.0 || own.is_nan() {
                worst = (own, i, most);
            }
        }
        let done = errors.iter().all(|error| *error <= accuracy);
        if done || refinements == F::MAX_REFINEMENTS || worst.0 == 0.0 {
            let found = |(sums, error)| Found { sums, error: known(error) };
            return sums.into_iter().zip(errors).map(found).collect();
        }
        refinements += 1;
        let (_, i, [across, along]) = worst;
        if along > across {
            let share = 0.25 * accuracy / (SAFETY * tiles.len() as f64);
            follow.shorten(&mut tiles[i], &size, share.max(0.5 * across));
        } else {
            let tile = tiles.swap_remove(i);
            tiles.extend(follow.widen(tile));
        }
    }
}

/// An error, infinite if it is no number.
pub fn known(error: f64) -> f64 {
    if error.is_nan() { f64::INFINITY } else { error }
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
    /// Places nearest to which paths are divided: the zero of the slip velocity; x = 0, if the power of x is not smooth there.
    fn places(&self) -> impl Iterator<Item = [f64; 2]> {
        let middle = self.flow.is_symmetric() && !is_smooth(self.shape.n);
        self.zero.into_iter().chain(middle.then_some([0.0; 2]))
    }

    /// The paths at the k-th eight of nodes of a panel, with the ends of the parts between which nothing is smooth.
    pub fn lay(&self, panel: &Panel, k: usize) -> Paths {
        let mut paths = panel.lay(self.shape, self.flow, nodes(k));
        let inner = self.places().map(|at| inflow::nearest(self.flow, &paths, at));
        let mut ends: Vec<Wide> = inner.collect();
        if let [first, second] = &mut ends[..] {
            (*first, *second) = (first.min(*second), first.max(*second));
        }
        ends.append(&mut paths.ends);
        Paths { ends, ..paths }
    }

    /// Cells to begin with: one to each part of a path. The first is quartered until it is no longer than a rule of so many stages
    /// can follow what a bristle forgets behind the edge, e^{−λτ}, on a path on which it does so `turns` times.
    pub fn cells(&self, turns: f64) -> Vec<f64> {
        let mut cells: Vec<f64> = (1..=1 + self.places().count()).map(|k| k as f64).collect();
        while cells[0] * turns > MAIN as f64 {
            cells.insert(0, 0.25 * cells[0]);
        }
        cells
    }
}

/// A panel with its paths and cells, and K sums over them.
#[derive(Clone, Debug)]
pub struct Tile<const K: usize> {
    /// The panel.
    pub panel: Panel,
    /// Which of the nested rules its paths are those of.
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
    sample: [Sample<K>; 1],
}

/// What is to be summed, over what.
pub struct Task<'a, S, T, const K: usize> {
    /// How bristles are followed.
    pub course: Course<'a, S>,
    /// The rules along paths.
    pub rules: &'a Rules,
    /// What paths are laid through.
    pub ground: Ground<'a>,
    /// The sums, none yet.
    pub tally: T,
}

impl<S: Side, T: Tally<S, K>, const K: usize> Task<'_, S, T, K> {
    /// Panels with few paths and given cells, followed.
    pub fn tiles(&self, panels: Vec<Panel>, cells: &[f64]) -> Vec<Tile<K>> {
        panels.into_iter().map(|panel| self.tile(panel, cells.to_vec())).collect()
    }

    fn tile(&self, panel: Panel, cells: Vec<f64>) -> Tile<K> {
        let none = [0.0; K];
        let sample = [Sample { value: none, across: [none; 2], along: none }];
        let (paths, sums, excess) = (Vec::new(), Vec::new(), [Wide::from(0.0); K]);
        let mut tile =
            Tile { panel, level: FIRST, cells, paths, sums, excess, settled: true, sample };
        self.fill(&mut tile);
        tile
    }

    /// Lays and follows the paths that a tile lacks.
    fn fill(&self, tile: &mut Tile<K>) {
        for k in tile.sums.len()..vectors(tile.level) {
            if tile.paths.len() <= k {
                tile.paths.push(self.ground.lay(&tile.panel, k));
            }
            let (sums, settled) = self.path(tile, &self.rules.main, k);
            tile.settled &= settled;
            tile.sums.push(sums);
            if k == 0 {
                let (fine, settled) = self.path(tile, &self.rules.check, k);
                tile.settled &= settled;
                tile.excess = std::array::from_fn(|c| fine[c] - sums[c]);
            }
        }
        let first = weights(FIRST, 0);
        let value = integrals(tile.level, &tile.sums);
        let along = match tile.settled {
            true => tile.excess.map(|excess| total(excess.abs() * first)),
            false => [f64::INFINITY; K],
        };
        tile.sample = [Sample {
            value: std::array::from_fn(|c| value[c] + total(tile.excess[c] * first)),
            across: thirds(tile.level, &tile.sums),
            along,
        }];
    }

    /// What the k-th eight paths add by a collocation, and whether all iterations settled.
    fn path<const N: usize>(&self, tile: &Tile<K>, rule: &Radau<N>, k: usize) -> ([Wide; K], bool) {
        let mut tally = self.tally.clone();
        let settled = self.course.march(rule, &tile.paths[k], &tile.cells, &mut tally);
        (tally.sums(), settled)
    }

    /// Divides the cells in which more than their share of the error along the first paths arises, which is `excess` times as
    /// large as it may be: into as many as a smooth solution needs, whose error falls by 2^(2N − 1) as they are halved.
    fn divide(&self, tile: &mut Tile<K>, excess: f64) {
        let (course, weights) = (&self.course, weights(FIRST, 0));
        let arising = course.arising(self.rules, &tile.paths[0], &tile.cells, weights);
        // Of values and of derivatives.
        let whole = [0, 1].map(|part| arising.iter().map(|own| own[part]).sum::<f64>());
        let beyond = |own: &[f64; 2]| {
            let shares =
                [0, 1].map(|part| if own[part] > 0.0 { own[part] / whole[part] } else { 0.0 });
            shares[0].max(shares[1]) * excess * arising.len() as f64
        };
        // What is no number, or has not settled, is halved everywhere.
        let known = excess.is_finite() && whole[0].is_finite() && whole[1].is_finite();
        let (mut cells, mut from) = (Vec::with_capacity(2 * tile.cells.len()), 0.0);
        for (to, own) in tile.cells.iter().zip(&arising) {
            let halvings = match known {
                true => (beyond(own).log2() / (2 * MAIN - 1) as f64).ceil().clamp(0.0, 3.0) as u32,
                false => 1,
            };
            let pieces = 2u32.pow(halvings);
            let end = |k: u32| from + (to - from) * f64::from(k) / f64::from(pieces);
            cells.extend((1..pieces).map(end).chain([*to]));
            from = *to;
        }
        if cells.len() == tile.cells.len() {
            // Rounding left none.
            cells.insert(0, 0.5 * cells[0]);
        }
        tile.cells = cells;
    }

    /// Follows all paths of a tile once more with another tally, which begins anew with every eight of them.
    pub fn replay<U: Tally<S, J>, const J: usize, const N: usize>(
        &self,
        tile: &Tile<K>,
        rule: &Radau<N>,
        tally: &U,
    ) -> Vec<U> {
        let follow = |paths: &Paths| {
            let mut own = tally.clone();
            self.course.march(rule, paths, &tile.cells, &mut own);
            own
        };
        tile.paths[..vectors(tile.level)].iter().map(follow).collect()
    }
}

impl<S: Side, T: Tally<S, K>, const K: usize> Follow<Tile<K>, K> for Task<'_, S, T, K> {
    const MAX_REFINEMENTS: usize = 600;

    fn samples<'a>(&self, tile: &'a Tile<K>) -> &'a [Sample<K>] {
        &tile.sample
    }

    fn is_shortest(&self, tile: &Tile<K>) -> bool {
        tile.cells.len() >= MAX_CELLS
    }

    /// Divides cells until the first paths will do, then follows all paths through them.
    fn shorten(&self, tile: &mut Tile<K>, size: &dyn Fn(&[f64; K]) -> f64, enough: f64) {
        let level = std::mem::replace(&mut tile.level, FIRST);
        let along = |tile: &Tile<K>| tile.sample[0].errors(size)[1];
        loop {
            self.divide(tile, along(tile) / enough);
            tile.sums.clear();
            tile.settled = true;
            self.fill(tile);
            if along(tile) <= enough || self.is_shortest(tile) {
                break;
            }
        }
        tile.level = level;
        self.fill(tile);
    }

    fn widen(&self, mut tile: Tile<K>) -> Vec<Tile<K>> {
        if tile.level == FINEST {
            let cells = &tile.cells;
            return tile.panel.divided(0.5).map(|panel| self.tile(panel, cells.clone())).into();
        }
        tile.level += 1;
        self.fill(&mut tile);
        vec![tile]
    }
}
