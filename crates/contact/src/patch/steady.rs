//! Steady rolling: forces and moment at constant slip, spin and speed, with an error estimate.
//!
//! The patch is covered by paths ([`inflow`]), each path by cells
//! ([`march`](super::march)). Rules come in levels, each some ten times as accurate as the one before. The two
//! levels that the requested accuracy suggests are evaluated; the finer is returned, and some times their
//! difference is its error estimate. Where that is not enough the next level follows.
use super::fading::{Briefs, Brisk};
use super::flow::Flow;
use super::inflow::{self, Density, Panel, Paths, Wide};
use super::march::{Cells, Course, Forces, Motion, Node, Side, Spread, Tally};
use super::plain::{FINEST, Held, Plain};
use super::quick::Quick;
use super::shape::STEEP;
use super::{Counterpart, Model, Patch, Pressure, Rolling, Shape};
use crate::quadrature::Stages;
use bristle_kernel::{Cast, Invalid, Planar, Real, validate};
use bristle_num::simd;
use std::fmt;

/// A rule: how many paths, how many cells to a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Paths to a panel.
    pub density: Density,
    /// Cells to a path, each with [`STAGES`] nodes: 3, 4, 6 or a multiple of 8.
    pub cells: usize,
    /// When the iteration of Model 2 has settled, in units of μ/σ₀.
    pub settled: f64,
}

/// Nodes to a cell.
pub const STAGES: usize = 4;

const fn level([half, part, flat, sharp]: [usize; 4], cells: usize, settled: f64) -> Level {
    Level { density: Density { half, part, flat, sharp }, cells, settled }
}

/// From coarse to fine.
pub const LEVELS: [Level; 7] = [
    level([6, 4, 4, 3], 3, 1e-2),
    level([8, 5, 5, 4], 4, 1e-3),
    level([12, 7, 7, 6], 6, 1e-5),
    level([16, 10, 10, 8], 8, 1e-7),
    level([24, 14, 14, 12], 16, 1e-9),
    level([40, 22, 22, 18], 32, 1e-11),
    level([64, 36, 32, 28], 56, 1e-12),
];

/// The estimate of the finer of two rules is this many times their difference. Two rules may agree by chance
/// while both are off; rows of the reference showed 2.5 times.
pub(crate) const CAUTION: f64 = 4.0;

/// The same where the finer rule is the third level: it is so much better than the second that of 1079 cases none
/// was off by more than 1.1 times the difference, and of 40,000 under random laws one by 1.33 times.
const CAUTION_OF_THIRD: f64 = 1.5;

/// An estimate never claims less than this part of the accuracy asked for: two rules may agree by chance. Of 1000
/// random cases two did so to a hundredth of their error.
pub(crate) const MODESTY: f64 = 1.0 / 3.0;

/// Forces and moments of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// F_x and F_y, N, 004 (37a).
    pub force: [f64; 2],
    /// M_z in the undeformed configuration, N·m, 004 (37b).
    pub moment: f64,
    /// M_z in the deformed configuration, N·m, 004 (38).
    pub moment_deformed: f64,
    /// An estimate of the error: the larger of |ΔF|/|F| and |ΔM_z|/max(|M_z|, 0.02 F_z a).
    pub error: f64,
}

/// Why a contact was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// Parameters outside their range.
    Invalid(Invalid),
    /// The tilting centre lies inside the patch.
    CentreInside {
        /// φ₁, 1/m.
        phi1: f64,
        /// Where the centre is, m.
        centre: [f64; 2],
    },
    /// An accuracy that is not a positive number.
    Accuracy {
        /// What was asked for.
        value: f64,
    },
    /// A step that is not a positive number.
    Step {
        /// What was asked for, m.
        value: f64,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Invalid(invalid) => invalid.fmt(f),
            Refused::CentreInside { phi1, centre: [x, y] } => write!(
                f,
                "rolling: phi1 = {phi1} 1/m puts the tilting centre at ({x}, {y}) m, inside the patch: \
                 bristles there never enter or leave and have no steady state of their own; keep \
                 |epsilon/phi1| outside the outline, or use model 1 (004 §3.3, Lemma 4.1)"
            ),
            Refused::Accuracy { value } => {
                write!(f, "accuracy = {value} must be a number above 0; 1e-3 and 1e-6 are usual")
            }
            Refused::Step { value } => write!(
                f,
                "step = {value} m must be above 0; a fiftieth of the patch's length is usual"
            ),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Refused::Invalid(invalid)
    }
}

/// A patch made ready to be rolled.
#[derive(Clone, Debug)]
pub struct Steady<B: Cast<f64>> {
    pub(crate) shape: Shape,
    pub(crate) pressure: Pressure,
    pub(crate) load: f64,
    pub(crate) bristle: B,
    pub(crate) wide: B::Over<Wide>,
    pub(crate) swift: B::Over<Brisk>,
    pub(crate) brief: B::Over<Briefs>,
    accuracy: f64,
    pub(crate) stages: Stages<STAGES>,
    /// The flow that `base` is for.
    pub(crate) flow: Option<Flow<f64>>,
    pub(crate) plain: Option<Plain>,
    pub(crate) quick: Quick,
    pub(crate) base: Vec<Panel>,
    pub(crate) panels: Vec<Panel>,
    pub(crate) paths: Vec<Paths>,
}

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    /// The patch over a bristle, to the accuracy asked for.
    pub fn new(patch: &Patch<f64>, bristle: &B, accuracy: f64) -> Result<Self, Refused> {
        validate(patch)?;
        let (shape, pressure) = (patch.shape(), patch.pressure());
        Self::with_pressure(shape, pressure, patch.load, bristle, accuracy)
    }

    /// The same under any pressure, which must carry `load`.
    pub fn with_pressure(
        shape: Shape,
        pressure: Pressure,
        load: f64,
        bristle: &B,
        accuracy: f64,
    ) -> Result<Self, Refused> {
        check_accuracy(accuracy)?;
        Ok(Steady {
            shape,
            pressure,
            load,
            bristle: bristle.clone(),
            wide: bristle.cast(&mut |x| Wide::from(x)),
            swift: bristle.cast(&mut |x| Brisk::from(x)),
            brief: bristle.cast(&mut |x| Briefs::from(x)),
            accuracy,
            stages: Stages::gauss(),
            flow: None,
            plain: None,
            quick: Quick::new(),
            base: Vec::new(),
            panels: Vec::new(),
            paths: Vec::new(),
        })
    }

    /// Forces and moments in steady rolling.
    pub fn solve(&mut self, rolling: &Rolling<f64>) -> Result<Outcome, Refused> {
        let mut motion = self.checked(rolling)?;
        // Paths that turn by less than a thousandth of the accuracy asked for are taken as straight: rows are laid out
        // otherwise than arcs, and one must become the other.
        let turn = motion.flow.phi1.abs() * (self.shape.a + self.shape.b);
        if motion.flow.is_symmetric() && turn < 1e-3 * self.accuracy {
            motion.flow.phi1 = 0.0;
        }
        if motion.phi == 0.0 && motion.phi2 == 0.0 && motion.flow.is_along_x() {
            let plain = self.plain.get_or_insert_with(|| Plain::new(&self.shape, &self.pressure));
            // A bristle that forgets at once is beyond all Gauss rules: its path is followed instead.
            let held = Held::at(&self.bristle, motion.sigma, motion.speed);
            let first = Plain::first(self.accuracy, held.turns(plain.longest()));
            let mut coarse = plain.wrench(&held, first - 1);
            for rule in first..=FINEST {
                let fine = plain.wrench(&held, rule);
                let error = CAUTION * distance(self.load, self.shape.a, &coarse, &fine);
                if error <= self.accuracy {
                    return Ok(outcome(fine, error.max(1e-13)));
                }
                coarse = fine;
            }
        }
        match self.solve_quickly(&motion, rolling.model) {
            Some(outcome) => Ok(outcome),
            None => self.climb(&motion, rolling.model),
        }
    }

    /// What a rolling does to the patch, if the patch can roll so.
    pub(crate) fn checked(&self, rolling: &Rolling<f64>) -> Result<Motion<f64>, Refused> {
        validate(rolling)?;
        let motion = motion(rolling);
        match motion.flow.centre() {
            Some(centre) if self.shape.level(centre[0], centre[1]) <= 1.0 => {
                Err(Refused::CentreInside { phi1: motion.flow.phi1, centre })
            }
            _ => Ok(motion),
        }
    }

    /// By levels, until two agree.
    fn climb(&mut self, motion: &Motion<f64>, model: Model) -> Result<Outcome, Refused> {
        // Coarse levels agree by chance where friction changes fast.
        let sharp =
            self.accuracy >= 1e-3 && self.bristle.is_alike() && self.is_sharp(motion, model);
        let first = self.first_level() + usize::from(sharp);
        let mut coarse = self.at_level(&LEVELS[first], motion, model);
        for (k, level) in LEVELS.iter().enumerate().skip(first + 1) {
            let fine = self.at_level(level, motion, model);
            let difference = self.distance(&coarse, &fine);
            let caution = if k == 2 && !sharp { CAUTION_OF_THIRD } else { CAUTION };
            // What is no number is not known at all.
            let known = if difference.is_nan() { f64::INFINITY } else { caution * difference };
            let error = known.max(MODESTY * self.accuracy);
            if error <= self.accuracy || k == LEVELS.len() - 1 {
                return Ok(outcome(fine, error));
            }
            coarse = fine;
        }
        Ok(outcome(coarse, f64::INFINITY))
    }

    /// The accuracy asked for.
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    fn first_level(&self) -> usize {
        match self.accuracy {
            x if x >= 1e-3 => 1,
            x if x >= 1e-5 => 2,
            _ => 3,
        }
    }

    /// The metric of [`Outcome::error`].
    pub fn distance(&self, a: &[f64; 4], b: &[f64; 4]) -> f64 {
        distance(self.load, self.shape.a, a, b)
    }

    /// F_x, F_y and both M_z by one rule, without an estimate.
    pub fn at_level(&mut self, level: &Level, motion: &Motion<f64>, model: Model) -> [f64; 4] {
        if motion.sigma == [0.0; 2] && motion.phi == 0.0 {
            return [0.0; 4];
        }
        let divided = self.prepare(level, motion, model);
        let wide = motion.cast(Wide::from);
        let cells = self.cells(level, motion, divided);
        let this = &*self;
        simd::widest(
            #[inline(always)]
            || this.sum(level, &wide, model, divided, &cells),
        )
    }

    /// Lays out the paths; says where to divide them if the slip velocity vanishes in or near the patch.
    pub(crate) fn prepare(
        &mut self,
        level: &Level,
        motion: &Motion<f64>,
        model: Model,
    ) -> Option<Division> {
        let flow = &motion.flow;
        if self.flow != Some(*flow) {
            inflow::panels(&self.shape, flow, &mut self.base);
            self.flow = Some(*flow);
        }
        self.panels.clone_from(&self.base);
        let deflection = |at| self.deflection(at, motion, model);
        let singular = self.singular(motion, model, deflection);
        let divided = singular.map(|at| {
            let near = self.near(at);
            inflow::split_at_path_through(&self.shape, flow, near, true, &mut self.panels);
            self.division(flow, at)
        });
        let density = level.density;
        inflow::paths(&self.shape, flow, &self.panels, |p| density.of(p), &mut self.paths);
        divided
    }

    /// The point of the patch on whose path the cone of the slip velocity is felt: beyond the outline that is the
    /// one that passes nearest to its tip.
    pub(crate) fn near(&self, at: [f64; 2]) -> [f64; 2] {
        let level = self.shape.level(at[0], at[1]);
        let k = if level < 0.98 {
            1.0
        } else {
            (0.98 / level).powf(1.0 / self.shape.n.min(self.shape.m))
        };
        at.map(|x| x * k)
    }

    /// The division of paths at a point.
    pub(crate) fn division(&self, flow: &Flow<f64>, at: [f64; 2]) -> Division {
        // Which part of a path lies before the tip, for one through the middle.
        let [across, along] = flow.epsilon;
        let reach = self.shape.a * along.abs() + self.shape.b * across.abs();
        let part = 0.5 * (1.0 - (at[0] * along - at[1] * across) / reach);
        Division { at, part: part.clamp(0.15, 0.85) }
    }

    /// Where v̄, in Model 2 v̄_r, is zero, given the deflection of the bristle that is at a point inside.
    pub(crate) fn singular(
        &self,
        motion: &Motion<f64>,
        model: Model,
        mut deflection: impl FnMut([f64; 2]) -> [f64; 2],
    ) -> Option<[f64; 2]> {
        if motion.phi == 0.0 {
            return None;
        }
        let zero_of = |z: [f64; 2]| {
            let [sx, sy] = motion.sigma;
            [-(sy + motion.phi2 * z[0]) / motion.phi, (sx - motion.phi2 * z[1]) / motion.phi]
        };
        let mut at = zero_of([0.0; 2]);
        // Outside, but near enough for the outline to be within the cone's tip.
        const NEAR: f64 = 1.0 / 1.25;
        if !self.shape.contains(at[0] * NEAR, at[1] * NEAR) {
            return None;
        }
        if model == Model::Semilinear && motion.phi2 != 0.0 {
            for _ in 0..4 {
                if !self.shape.contains(at[0], at[1]) {
                    break;
                }
                at = zero_of(deflection(at));
            }
        }
        Some(at)
    }

    /// The pressure at a point inside, Pa.
    pub fn pressure_at(&self, [x, y]: [f64; 2]) -> f64 {
        self.pressure.at(&self.shape, x, y)
    }

    /// How far the bristle that is now at a point inside has travelled, m.
    pub(crate) fn way_since_entry(&self, flow: &Flow<f64>, at: [f64; 2]) -> f64 {
        match flow.is_along_x() {
            true => self.shape.a * self.shape.edge((at[1] / self.shape.b).abs()) - at[0],
            false => flow.until_edge(&self.shape, at, true),
        }
    }

    /// The deflection of the bristle that is now at a point inside.
    pub fn deflection(&self, at: [f64; 2], motion: &Motion<f64>, model: Model) -> [f64; 2] {
        struct End(Option<[Wide; 2]>);
        impl Tally<Wide> for End {
            fn node(&mut self, _: &Node<Wide>) {}
            fn exit(&mut self, _: [Wide; 2], z: [Wide; 2], _: Wide) {
                self.0 = Some(z);
            }
            const EXITS: bool = true;
        }
        let back = self.way_since_entry(&motion.flow, at);
        let v = motion.flow.velocity(at[0], at[1]);
        let entry = motion.flow.follow(at, v, -back);
        let zero = Wide::from(0.0);
        let paths = Paths {
            x: entry[0].into(),
            y: entry[1].into(),
            dx: zero,
            dy: zero,
            length: back.into(),
        };
        let wide = motion.cast(Wide::from);
        let mut end = End(None);
        let course = self.course(&self.wide, &wide, model, 1e-6);
        let level = Level { cells: 4, ..LEVELS[1] };
        let cells = self.cells(&level, motion, None);
        course.march(&paths, [paths.length; 2], &cells, &mut end);
        end.0.map_or([0.0; 2], |z| z.map(|z| z.0[0]))
    }

    pub(crate) fn course<'a, S: Side, P: Planar<S>>(
        &'a self,
        bristle: &'a P,
        motion: &Motion<S>,
        model: Model,
        settled: f64,
    ) -> Course<'a, S, P, STAGES> {
        let settled = settled * self.largest_deflection(motion.speed.value().0[0]);
        Course {
            shape: &self.shape,
            pressure: &self.pressure,
            bristle,
            motion: *motion,
            model,
            stages: &self.stages,
            settled,
            pace: S::from(1.0) / motion.speed,
        }
    }

    /// Sums over all paths.
    #[inline(always)]
    pub(crate) fn tally<S: Side, P: Planar<S>>(
        &self,
        course: &Course<'_, S, P, STAGES>,
        divided: Option<Division>,
        cells: &Cells,
        sums: &mut impl Tally<S>,
    ) {
        let plain = Flow {
            phi1: course.motion.flow.phi1.value(),
            epsilon: course.motion.flow.epsilon.map(Side::value),
        };
        for paths in &self.paths {
            let length = course.length(paths);
            let nearest = match divided {
                Some(d) => S::lift(nearest(&plain, [paths.x, paths.y], paths.length, d.at)),
                None => length,
            };
            course.march(paths, [nearest, length], cells, sums);
        }
    }

    #[inline(always)]
    fn sum(
        &self,
        level: &Level,
        wide: &Motion<Wide>,
        model: Model,
        divided: Option<Division>,
        cells: &Cells,
    ) -> [f64; 4] {
        let course = self.course(&self.wide, wide, model, level.settled);
        let mut forces = Forces::new(&self.wide, wide.speed);
        self.tally(&course, divided, cells, &mut forces);
        forces.sums.map(|s| s.0.iter().sum())
    }

    /// About μ/σ₀, m: how far a bristle that slides is deflected.
    pub(crate) fn largest_deflection(&self, speed: f64) -> f64 {
        speed / self.bristle.fastest(speed).max(1e-300)
    }

    /// How many times over the fastest bristle settles on its way through the patch.
    pub(crate) fn settling(&self, motion: &Motion<f64>) -> f64 {
        let radius = self.shape.a.hypot(self.shape.b);
        let speed = motion.sigma[0].hypot(motion.sigma[1]) + motion.phi.abs() * radius;
        self.bristle.fastest(speed * motion.speed) / motion.speed * 2.0 * self.shape.a
    }

    /// The cells of every path: shorter near both ends, most so where the outline is steep, and divided
    /// where the slip velocity vanishes.
    pub(crate) fn cells(
        &self,
        level: &Level,
        motion: &Motion<f64>,
        divided: Option<Division>,
    ) -> Cells {
        let mut cells = Cells::none();
        let end = if self.shape.n.max(self.shape.m) >= STEEP { 0.12 } else { 0.16 };
        // Rules that are compared must not share their first and last cells, or the error of these is not seen.
        let end = if matches!(level.cells, 3 | 6) { 1.25 * end } else { end };
        // Bristles that forget fast settle close behind the edge: the first cell is quartered until it
        // is no longer than some lengths of that.
        let rate = self.settling(motion);
        // A skewed pressure has the leading edge in it, and with that a root of the distance from the side
        // through which a turning path enters or leaves.
        let sharp = match self.pressure.is_skewed() && !motion.flow.is_along_x() {
            true => level.cells.min(8) - 2,
            false => 0,
        };
        let tail = (1..=sharp).map(|k| 0.25f64.powi(k as i32)).chain([0.0]);
        let quarter = |cells: &mut Cells, first: f64, share: f64| {
            let (mut q, mut bounds) = (first, [0.0; 12]);
            let mut count = 0;
            while (q * share * rate > 6.0 || count < sharp) && count < bounds.len() {
                q *= 0.25;
                bounds[count] = q;
                count += 1;
            }
            for q in bounds[..count].iter().rev() {
                cells.push([*q, 0.0], Spread::Even);
            }
        };
        let Some(Division { part, .. }) = divided else {
            quarter(&mut cells, fraction(1, level.cells, end), 1.0);
            for k in 1..level.cells {
                cells.push([fraction(k, level.cells, end), 0.0], Spread::Even);
            }
            for q in tail {
                cells.push(
                    [1.0 - q * (1.0 - fraction(level.cells - 1, level.cells, end)), 0.0],
                    Spread::Even,
                );
            }
            return cells;
        };
        // Two more cells than a path that is not divided has, shared out by length; but on either side there are more of them
        // at every level, for the same reason.
        let total = level.cells + 2;
        let least = (level.cells / 2).min(4 + level.cells / 16);
        let before = ((total as f64 * part).round() as usize).clamp(1, total - 1);
        let (before, after) = (before.max(least), (total - before).max(least));
        let first = |count: usize, part: f64| {
            if count == 1 { 1.0 } else { (end / part).min(1.0 / count as f64) }
        };
        let bound = |k: usize, count: usize, part: f64| {
            let f = first(count, part);
            if count == 1 {
                k as f64
            } else if k == 0 {
                0.0
            } else {
                f + (1.0 - f) * (k - 1) as f64 / (count - 1) as f64
            }
        };
        quarter(&mut cells, bound(1, before, part), part);
        for k in 1..=before {
            let spread = if k == before { Spread::ToEnd } else { Spread::Even };
            cells.push([bound(k, before, part), 0.0], spread);
        }
        for k in 1..after {
            let spread = if k == 1 { Spread::ToStart } else { Spread::Even };
            cells.push([1.0, 1.0 - bound(after - k, after, 1.0 - part)], spread);
        }
        let last = bound(1, after, 1.0 - part);
        for (k, q) in tail.enumerate() {
            let only = after == 1 && k == 0;
            cells.push([1.0, 1.0 - q * last], if only { Spread::ToStart } else { Spread::Even });
        }
        cells
    }
}

/// Where the k-th of some cells ends, as a part of a path whose steep ends take `e` of it each.
fn fraction(k: usize, cells: usize, e: f64) -> f64 {
    if 2 * k > cells {
        return 1.0 - fraction(cells - k, cells, e);
    }
    match (cells, k) {
        (_, 0) => 0.0,
        (2, 1) | (4, 2) | (6, 3) | (8, 4) => 0.5,
        (3, 1) | (4, 1) | (6, 2) | (8, 2) => e,
        (6, 1) | (8, 1) => 0.4 * e,
        (8, 3) => 0.25 + 0.5 * e,
        _ => {
            // A multiple of eight: the cells of eight, divided evenly.
            let fine = cells.div_ceil(8);
            let (i, j) = (k / fine, k % fine);
            let (from, to) = (fraction(i, 8, e), fraction(i + 1, 8, e));
            from + (to - from) * j as f64 / fine as f64
        }
    }
}

/// Where the slip velocity vanishes, and after which part of the path through that point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    pub(crate) at: [f64; 2],
    pub(crate) part: f64,
}

pub(crate) fn check_accuracy(value: f64) -> Result<(), Refused> {
    if value > 0.0 { Ok(()) } else { Err(Refused::Accuracy { value }) }
}

/// The metric of [`Outcome::error`] for a patch of half length `a` under a load.
#[inline(always)]
pub(crate) fn distance<S: Real>(load: f64, a: f64, of: &[S; 4], from: &[S; 4]) -> S {
    if load == 0.0 {
        return S::from(0.0);
    }
    // Newtons neither overflow nor vanish when squared, and `hypot` takes longer than the rest.
    let size = |x: S, y: S| (x * x + y * y).sqrt();
    let force = size(from[0], from[1]).max(S::from(1e-9 * load));
    let least = S::from(0.02 * load * a);
    let moment = |i: usize| (of[i] - from[i]).abs() / from[i].abs().max(least);
    let off = size(of[0] - from[0], of[1] - from[1]) / force;
    off.max(moment(2)).max(moment(3))
}

pub(crate) fn outcome(sums: [f64; 4], error: f64) -> Outcome {
    Outcome { force: [sums[0], sums[1]], moment: sums[2], moment_deformed: sums[3], error }
}

/// How far along paths that enter at `entry` the point nearest to `at` is: where V̄ has turned to the direction that it
/// has there.
#[inline(always)]
pub(crate) fn nearest<S: Real>(flow: &Flow<S>, entry: [S; 2], length: S, at: [f64; 2]) -> S {
    let at = at.map(S::from);
    let (v, u) = (flow.velocity(entry[0], entry[1]), flow.velocity(at[0], at[1]));
    let ahead = v[0] * (at[0] - entry[0]) + v[1] * (at[1] - entry[1]);
    let alike = v[0] * u[0] + v[1] * u[1];
    // The angle between both is φ₁τ, its sine goes as φ₁ times `ahead`, its cosine as `alike`.
    let (straight, zero) = (ahead / alike, S::from(0.0));
    let tau = straight * inflow::atan_quotient(flow.phi1 * straight);
    let half_turn = S::from(std::f64::consts::PI) / flow.phi1.abs();
    let tau = S::select(alike.lt(zero), tau + half_turn, tau);
    S::select(ahead.gt(zero), tau.max(zero).min(length), zero)
}

impl Motion<f64> {
    /// The same in another scalar.
    pub fn cast<S: Real>(&self, f: impl Fn(f64) -> S) -> Motion<S> {
        let flow = Flow { phi1: f(self.flow.phi1), epsilon: self.flow.epsilon.map(&f) };
        Motion {
            sigma: self.sigma.map(&f),
            phi: f(self.phi),
            phi2: f(self.phi2),
            speed: f(self.speed),
            flow,
        }
    }
}

/// What a model makes of slip and spin: 004 §3.2-3.4.
pub fn motion<S: Real>(r: &Rolling<S>) -> Motion<S> {
    let zero = S::from(0.0);
    let (phi1, phi2) = match r.counterpart {
        Counterpart::Rigid => (r.phi1, r.phi2),
        Counterpart::Similar => ((r.phi1 - r.phi2) * 0.5, (r.phi2 - r.phi1) * 0.5),
    };
    let across = (S::from(1.0) - r.epsilon_x * r.epsilon_x).max(zero).sqrt();
    let (flow, phi2) = match r.model {
        Model::Standard => (Flow { phi1: zero, epsilon: [zero, S::from(1.0)] }, zero),
        _ => (Flow { phi1, epsilon: [r.epsilon_x, across] }, phi2),
    };
    Motion { sigma: [r.sigma_x, r.sigma_y], phi: r.phi1 + r.phi2, phi2, speed: r.v_r, flow }
}
