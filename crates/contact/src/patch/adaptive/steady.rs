//! Steady rolling: forces and moments at constant slip, spin and speed, with the error of each result.
//!
//! The inflow part of the outline is divided into panels ([`inflow`]), each with its bundle of paths, each path into
//! cells ([`march`](super::march)): a tile. Two differences tell how far off a tile is, of rules that were all evaluated:
//!
//! - across its paths, that of a nested rule and the one before it;
//! - along its paths, that of a collocation with [`MAIN`] stages and one with [`CHECK`], on the first paths of the tile. The
//!   finer is better by that difference, which is added to the result.
//!
//! The worst tile is refined (more paths, then two panels; shorter cells) until the sum over all tiles, times [`SAFETY`],
//! is below the accuracy asked for, or [`MOST_REFINEMENTS`] are used up; the outcome says what was reached. The load that
//! all paths meet together is known beforehand: a layout of paths that misses a part of the patch is seen by that.
use super::bristles::{Bristle, Bristles, WideDual};
use super::march::{Cells, Course, Forces, Node, Side, Tally};
use super::rules::{NODES, POINTS, Radau, WEIGHTS};
use super::spinless::Spinless;
use crate::patch::flow::Flow;
use crate::patch::inflow::{self, Panel, Paths, WIDTH, Wide};
use crate::patch::march::Motion;
use crate::patch::steady::{check_accuracy, motion, nearest, outcome};
use crate::patch::{Model, Outcome, Patch, Pressure, Refused, Rolling, Shape};
use bristle_kernel::{Cast, Planar, Real, validate};
use bristle_num::{Lanes, simd};

/// Stages to a cell.
pub const MAIN: usize = 6;
/// Stages to a cell where its error is looked for.
pub const CHECK: usize = 8;
/// What differences are multiplied by.
pub(crate) const SAFETY: f64 = 2.0;
/// How often a tile is refined at most, all in all.
const MOST_REFINEMENTS: usize = 400;
/// Cells to a part of a path at most.
const MOST_CELLS: usize = 256;
/// A force or moment below this part of F_z, or of F_z a, is as good as none.
const LEAST_FORCE: f64 = 1e-9;
const LEAST_MOMENT: f64 = 0.02;

/// A panel with its paths and cells.
#[derive(Clone, Debug)]
struct Tile {
    panel: Panel,
    /// Which of the nested rules its paths are those of, 1 to 3.
    level: usize,
    /// Cells to a part of a path.
    count: usize,
    cells: Cells,
    /// In the order of the nodes, eight at a time.
    paths: Vec<Paths>,
    /// What each path adds, per unit of the panel's parameter.
    sums: Vec<[Wide; 5]>,
    /// What the finer collocation has in excess, and the sum of its absolute values.
    excess: [f64; 5],
    along: [f64; 5],
    /// Whether all iterations settled.
    settled: bool,
}

impl Tile {
    /// The integral by one of the nested rules.
    fn integral(&self, level: usize) -> [f64; 5] {
        let mut all = [0.0; 5];
        for (k, sums) in self.sums.iter().enumerate() {
            let weights = weights(level, k);
            for (all, sum) in all.iter_mut().zip(sums) {
                *all += total(*sum * weights);
            }
        }
        all
    }
}

/// Where the k-th eight of nodes begin: after seven, fifteen, twenty-three.
pub(crate) fn first_node(k: usize) -> usize {
    (WIDTH * k).saturating_sub(1)
}

/// How many eights of nodes a rule has.
pub(crate) fn vectors(level: usize) -> usize {
    (POINTS[level] + 1) / WIDTH
}

/// What a nested rule gives to the k-th eight of its nodes; the eighth of the first stands for none.
pub(crate) fn weights(level: usize, k: usize) -> Wide {
    let (from, count) = (first_node(k), if k == 0 { WIDTH - 1 } else { WIDTH });
    Lanes(std::array::from_fn(|i| if i < count { WEIGHTS[level][from + i] } else { 0.0 }))
}

pub(crate) fn total(x: Wide) -> f64 {
    x.0.iter().sum()
}

/// A patch made ready to be rolled.
#[derive(Clone, Debug)]
pub struct Steady {
    pub(crate) shape: Shape,
    pub(crate) pressure: Pressure,
    pub(crate) load: f64,
    pub(crate) bristle: Bristle,
    accuracy: f64,
    main: Radau<MAIN>,
    check: Radau<CHECK>,
    spinless: Option<Spinless>,
    /// The tiles of the last motion.
    tiles: Vec<Tile>,
    /// Where its slip velocity vanishes, if that divides paths.
    zero: Option<[f64; 2]>,
}

impl Steady {
    /// The patch over a bristle, to the accuracy asked for.
    pub fn new<B>(patch: &Patch<f64>, bristle: &B, accuracy: f64) -> Result<Self, Refused>
    where
        B: Cast<f64> + Planar<f64> + Clone + Send + Sync + 'static,
        B::Over<Wide>: Planar<Wide> + Send + Sync + 'static,
        B::Over<WideDual>: Planar<WideDual> + Send + Sync + 'static,
    {
        validate(patch)?;
        let (shape, pressure) = (patch.shape(), patch.pressure());
        Self::with_pressure(shape, pressure, patch.load, bristle, accuracy)
    }

    /// The same under any pressure, which must carry `load`.
    pub fn with_pressure<B>(
        shape: Shape,
        pressure: Pressure,
        load: f64,
        bristle: &B,
        accuracy: f64,
    ) -> Result<Self, Refused>
    where
        B: Cast<f64> + Planar<f64> + Clone + Send + Sync + 'static,
        B::Over<Wide>: Planar<Wide> + Send + Sync + 'static,
        B::Over<WideDual>: Planar<WideDual> + Send + Sync + 'static,
    {
        check_accuracy(accuracy)?;
        Ok(Steady {
            shape,
            pressure,
            load,
            bristle: Bristle::new(bristle),
            accuracy,
            main: Radau::new(),
            check: Radau::new(),
            spinless: None,
            tiles: Vec::new(),
            zero: None,
        })
    }

    /// The accuracy asked for.
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The metric of [`Outcome::error`] between F_x, F_y and both M_z of two results.
    pub fn distance(&self, of: &[f64; 4], from: &[f64; 4]) -> f64 {
        distance(self.load, self.shape.a, of, from)
    }

    /// Forces and moments in steady rolling.
    pub fn solve(&mut self, rolling: &Rolling<f64>) -> Result<Outcome, Refused> {
        let motion = self.checked(rolling)?;
        if motion.is_free() || self.load == 0.0 {
            return Ok(outcome([0.0; 4], 0.0));
        }
        if motion.is_spinless() {
            let accuracy = self.accuracy;
            let found = self.spinless().solve(&motion, accuracy);
            if found.error <= self.accuracy {
                return Ok(found);
            }
        }
        self.lay(&motion, rolling.model);
        Ok(self.refine(&motion, rolling.model))
    }

    /// The load by distance travelled, worked out when it is first needed.
    pub(crate) fn spinless(&mut self) -> &Spinless {
        let Steady { spinless, shape, pressure, load, bristle, .. } = self;
        spinless.get_or_insert_with(|| Spinless::new(shape, pressure, *load, bristle))
    }

    /// What a rolling does to the patch, if the patch can roll so.
    pub(crate) fn checked(&self, rolling: &Rolling<f64>) -> Result<Motion<f64>, Refused> {
        validate(rolling)?;
        let mut motion = motion(rolling);
        // Paths that turn by less than rounding does are straight.
        let turn = motion.flow.phi1.abs() * (self.shape.a + self.shape.b);
        if motion.flow.is_symmetric() && turn < f64::EPSILON {
            motion.flow.phi1 = 0.0;
        }
        match motion.flow.centre() {
            Some(centre) if self.shape.level(centre[0], centre[1]) <= 1.0 => {
                Err(Refused::CentreInside { phi1: motion.flow.phi1, centre })
            }
            _ => Ok(motion),
        }
    }

    /// Lays out the panels of a motion, divided where the slip velocity vanishes, each with its fewest paths and cells.
    fn lay(&mut self, motion: &Motion<f64>, model: Model) {
        self.zero = self.zero_of_slip(motion, model).filter(|at| self.shape.contains(at[0], at[1]));
        let mut panels = Vec::new();
        inflow::panels(&self.shape, &motion.flow, &mut panels);
        if let Some(at) = self.zero {
            inflow::split_at_path_through(&self.shape, &motion.flow, at, true, &mut panels);
        }
        let wide = motion.cast(Wide::from);
        let course = self.course(&*self.bristle.wide, &wide, model);
        let tiles = panels.into_iter().map(|panel| {
            let mut tile = Tile {
                panel,
                level: 1,
                count: 1,
                cells: Cells::default(),
                paths: Vec::new(),
                sums: Vec::new(),
                excess: [0.0; 5],
                along: [0.0; 5],
                settled: true,
            };
            self.fill(&course, motion, &mut tile);
            tile
        });
        self.tiles = tiles.collect();
    }

    /// Lays and follows the paths that a tile lacks.
    fn fill(&self, course: &Course<'_, Wide>, motion: &Motion<f64>, tile: &mut Tile) {
        if tile.sums.is_empty() {
            tile.cells = self.cells(motion, tile.count);
        }
        for k in tile.sums.len()..vectors(tile.level) {
            if tile.paths.len() <= k {
                let nodes = Lanes(std::array::from_fn(|i| NODES[first_node(k) + i]));
                tile.paths.push(tile.panel.lay(&self.shape, &motion.flow, nodes));
            }
            let (sums, settled) = self.follow(course, &self.main, &tile.paths[k], &tile.cells);
            tile.sums.push(sums);
            tile.settled &= settled;
            if k == 0 {
                let (fine, settled) = self.follow(course, &self.check, &tile.paths[k], &tile.cells);
                tile.settled &= settled;
                for c in 0..5 {
                    let more = (fine[c] - sums[c]) * weights(1, 0);
                    (tile.excess[c], tile.along[c]) = (total(more), total(more.abs()));
                }
            }
        }
    }

    /// What eight paths add, per unit of their panel's parameter.
    fn follow<const N: usize>(
        &self,
        course: &Course<'_, Wide>,
        rule: &Radau<N>,
        paths: &Paths,
        cells: &Cells,
    ) -> ([Wide; 5], bool) {
        let mut forces = Forces::new(course.bristle, course.motion.speed);
        let settled = simd::widest(
            #[inline(always)]
            || {
                let nearest = self.nearest(course, paths, paths.length);
                course.march(rule, paths, [nearest, paths.length], cells, &mut forces)
            },
        );
        (forces.sums, settled)
    }

    /// Where paths are divided: nearest to the zero of the slip velocity.
    #[inline(always)]
    fn nearest<S: Side>(&self, course: &Course<'_, S>, paths: &Paths, length: S) -> S {
        let flow = Flow {
            phi1: course.motion.flow.phi1.value(),
            epsilon: course.motion.flow.epsilon.map(Side::value),
        };
        match self.zero {
            Some(at) => S::lift(nearest(&flow, [paths.x, paths.y], paths.length, at)),
            None => length,
        }
    }

    /// Cells of every path, `count` to a part. Towards both ends of a part they shrink with the fourth power of their number:
    /// towards the outline, where pressures may fall like a root, and towards the zero of the slip velocity. The first is quartered until it is no longer
    /// than a rule of so many stages can follow what a bristle forgets behind the edge, e^{−λτ}.
    fn cells(&self, motion: &Motion<f64>, count: usize) -> Cells {
        let bound = |k: usize| {
            let crowd = |part: f64| part * part * (3.0 - 2.0 * part);
            crowd(crowd(k as f64 / count as f64))
        };
        let bounds: Vec<f64> = (1..=count).map(bound).collect();
        let radius = self.shape.a.hypot(self.shape.b);
        let fastest = self.bristle.plain.fastest(motion.fastest(radius) * motion.speed);
        let turns = fastest / motion.speed * 2.0 * radius;
        let mut before = bounds.clone();
        let mut first = before[0];
        while first * turns > MAIN as f64 {
            first *= 0.25;
            before.insert(0, first);
        }
        let behind = if self.zero.is_some() { bounds } else { Vec::new() };
        Cells { before, behind }
    }

    /// Refines the worst tile until the estimate will do.
    fn refine(&mut self, motion: &Motion<f64>, model: Model) -> Outcome {
        let wide = motion.cast(Wide::from);
        let mut tiles = std::mem::take(&mut self.tiles);
        let bristle = self.bristle.wide.clone();
        let course = self.course(&*bristle, &wide, model);
        let mut refinements = 0;
        let found = loop {
            let mut sums = [0.0; 5];
            for tile in &tiles {
                let own = tile.integral(tile.level);
                for c in 0..5 {
                    sums[c] += own[c] + tile.excess[c];
                }
            }
            let found = [sums[0], sums[1], sums[2], sums[3]];
            let size = |d: [f64; 5]| {
                let other = std::array::from_fn(|c| found[c] + d[c]);
                distance(self.load, self.shape.a, &other, &found)
            };
            let (mut error, mut worst) = (0.0, (0.0, 0, false));
            for (i, tile) in tiles.iter().enumerate() {
                let (fine, coarse) = (tile.integral(tile.level), tile.integral(tile.level - 1));
                let across = size(std::array::from_fn(|c| fine[c] - coarse[c]));
                let along = if tile.settled { size(tile.along) } else { f64::INFINITY };
                error += SAFETY * (across + along);
                for (own, shorten) in [(across, false), (along, true)] {
                    // What is no number is worse than any.
                    let able = !shorten || tile.count < MOST_CELLS;
                    if able && (own > worst.0 || own.is_nan()) {
                        worst = (own, i, shorten);
                    }
                }
            }
            if error <= self.accuracy || refinements == MOST_REFINEMENTS || worst.0 == 0.0 {
                let missed = (sums[4] / self.load - 1.0).abs();
                let error = if error.is_nan() { f64::INFINITY } else { error.max(missed) };
                break outcome(found, error);
            }
            refinements += 1;
            let (_, i, shorten) = worst;
            if shorten {
                let tile = &mut tiles[i];
                tile.count *= 2;
                tile.sums.clear();
                tile.settled = true;
                self.fill(&course, motion, tile);
            } else if tiles[i].level + 1 < POINTS.len() {
                tiles[i].level += 1;
                self.fill(&course, motion, &mut tiles[i]);
            } else {
                for panel in tiles[i].panel.halves() {
                    let mut half = Tile {
                        panel,
                        level: 1,
                        count: tiles[i].count,
                        cells: Cells::default(),
                        paths: Vec::new(),
                        sums: Vec::new(),
                        ..tiles[i]
                    };
                    half.settled = true;
                    self.fill(&course, motion, &mut half);
                    tiles.push(half);
                }
                tiles.swap_remove(i);
            }
        };
        self.tiles = tiles;
        found
    }

    pub(crate) fn course<'a, S: Side>(
        &'a self,
        bristle: &'a dyn Bristles<S>,
        motion: &Motion<S>,
        model: Model,
    ) -> Course<'a, S> {
        // A tenth of the accuracy, of the largest deflection that friction allows.
        let largest = self.largest_deflection();
        let settled = 0.1 * self.accuracy * largest;
        let (shape, pressure) = (&self.shape, &self.pressure);
        Course { shape, pressure, bristle, motion: *motion, model, settled }
    }

    /// μ/σ₀, or somewhat less: how far friction lets a bristle be deflected at a crawl.
    fn largest_deflection(&self) -> f64 {
        1.0 / self.bristle.plain.fastest(1.0).max(f64::MIN_POSITIVE)
    }

    /// Where the slip velocity vanishes: v̄ = 0, in Model 2 v̄_r = 0 with the deflection there.
    fn zero_of_slip(&self, motion: &Motion<f64>, model: Model) -> Option<[f64; 2]> {
        let mut at = motion.zero_of_slip([0.0; 2])?;
        if model == Model::Semilinear && motion.phi2 != 0.0 {
            // Each pass brings the zero closer by the factor φ₂z′/φ; where it is divided at need not be exact.
            for _ in 0..4 {
                if !self.shape.contains(at[0], at[1]) {
                    break;
                }
                at = motion.zero_of_slip(self.deflection(at, motion, model))?;
            }
        }
        Some(at)
    }

    /// The pressure at a point inside, Pa.
    pub fn pressure_at(&self, [x, y]: [f64; 2]) -> f64 {
        self.pressure.at(&self.shape, x, y)
    }

    /// The deflection of the bristle that is now at a point inside, as accurate as asked for.
    pub fn deflection(&self, at: [f64; 2], motion: &Motion<f64>, model: Model) -> [f64; 2] {
        struct End(Option<[Wide; 2]>);
        impl Tally<Wide> for End {
            fn node(&mut self, _: &Node<Wide>) {}
            fn exit(&mut self, z: [Wide; 2], _: Wide) {
                self.0 = Some(z);
            }
        }
        let back = match motion.flow.is_along_x() {
            true => self.shape.a * self.shape.edge((at[1] / self.shape.b).abs()) - at[0],
            false => motion.flow.until_edge(&self.shape, at, true),
        };
        let entry = motion.flow.follow(at, motion.flow.velocity(at[0], at[1]), -back);
        let zero = Wide::from(0.0);
        let paths = Paths {
            x: entry[0].into(),
            y: entry[1].into(),
            dx: zero,
            dy: zero,
            length: back.into(),
        };
        let wide = motion.cast(Wide::from);
        let course = self.course(&*self.bristle.wide, &wide, model);
        let mut found = [0.0; 2];
        let mut count = 1;
        while count <= MOST_CELLS {
            let cells = Cells { behind: Vec::new(), ..self.cells(motion, count) };
            let (mut main, mut check) = (End(None), End(None));
            let length = [paths.length; 2];
            let settled = course.march(&self.main, &paths, length, &cells, &mut main)
                & course.march(&self.check, &paths, length, &cells, &mut check);
            let [coarse, fine] = [main, check].map(|e| e.0.map_or([0.0; 2], |z| z.map(|z| z.0[0])));
            found = fine;
            if settled && (fine[0] - coarse[0]).hypot(fine[1] - coarse[1]) <= course.settled {
                break;
            }
            count *= 2;
        }
        found
    }
}

/// The metric of [`Outcome::error`] for a patch of half length `a` under a load.
pub(crate) fn distance(load: f64, a: f64, of: &[f64; 4], from: &[f64; 4]) -> f64 {
    if load == 0.0 {
        return 0.0;
    }
    let force = from[0].hypot(from[1]).max(LEAST_FORCE * load);
    let moment = |i: usize| (of[i] - from[i]).abs() / from[i].abs().max(LEAST_MOMENT * load * a);
    let off = (of[0] - from[0]).hypot(of[1] - from[1]) / force;
    let all = [off, moment(2), moment(3)];
    // A maximum would pass over what is no number.
    if all.iter().any(|x| x.is_nan()) { f64::NAN } else { all.into_iter().fold(0.0, f64::max) }
}
