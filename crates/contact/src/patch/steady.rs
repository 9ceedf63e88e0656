//! Steady rolling: forces and moments at constant slip, spin and speed, with the error of each result.
//!
//! The inflow part of the outline is divided into panels ([`inflow`]), each with its bundle of paths, each path into cells
//! (`march`), refined where they are worst (`tiles`). What is known beforehand is checked: the load that
//! all paths meet together, and that no force exceeds friction.
use super::bristles::{Bristle, Bristles, Interpolated, Rolls};
use super::flow::Flow;
use super::inflow::{self, Panel, Paths, Wide};
use super::march::{Course, Side};
use super::motion::Motion;
use super::spinless::Spinless;
use super::tally::{Forces, Node, Tally};
use super::tiles::{Found, Ground, MAIN, Rules, SAFETY, Task, Tile, largest, refine};
use super::{Model, Patch, Pressure, Rolling, Shape};
use bristle_kernel::{Invalid, validate};
use std::fmt;
use std::sync::Arc;

/// A force or moment below this part of F_z, or of F_z a, is as good as none.
const LEAST_FORCE: f64 = 1e-9;
const LEAST_MOMENT: f64 = 0.02;
/// How often the zero of the slip velocity is looked for where deflections move it.
const MAX_PASSES: usize = 16;

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

impl Outcome {
    pub(crate) fn new([x, y, moment, moment_deformed]: [f64; 4], error: f64) -> Self {
        Outcome { force: [x, y], moment, moment_deformed, error }
    }

    /// F_x, F_y, and M_z in the undeformed and the deformed configuration.
    pub fn wrench(&self) -> [f64; 4] {
        [self.force[0], self.force[1], self.moment, self.moment_deformed]
    }
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
#[derive(Clone)]
pub struct Steady {
    pub(super) shape: Shape,
    pub(super) pressure: Pressure,
    pub(super) load: f64,
    pub(super) bristle: Bristle,
    pub(super) accuracy: f64,
    pub(super) rules: Rules,
    /// The panels of the last flow.
    panels: Option<(Flow<f64>, Vec<Panel>)>,
    /// The bristle over the speeds of the last motions.
    interpolated: Option<Arc<Interpolated>>,
    /// The load by distance travelled, once two motions without spin have asked for it.
    pub(super) spinless: Option<Spinless>,
    seen_spinless: bool,
}

impl Steady {
    /// The patch over a bristle, to the accuracy asked for.
    pub fn new(patch: &Patch<f64>, bristle: &impl Rolls, accuracy: f64) -> Result<Self, Refused> {
        validate(patch)?;
        let (shape, pressure) = (patch.shape(), patch.pressure());
        Self::with_pressure(shape, pressure, patch.load, bristle, accuracy)
    }

    /// The same under any pressure, which must carry `load`.
    pub fn with_pressure(
        shape: Shape,
        pressure: Pressure,
        load: f64,
        bristle: &impl Rolls,
        accuracy: f64,
    ) -> Result<Self, Refused> {
        if accuracy.is_nan() || accuracy <= 0.0 {
            return Err(Refused::Accuracy { value: accuracy });
        }
        Ok(Steady {
            shape,
            pressure,
            load,
            bristle: bristle.behind_a_door(),
            accuracy,
            rules: Rules::new(),
            panels: None,
            interpolated: None,
            spinless: None,
            seen_spinless: false,
        })
    }

    /// The accuracy asked for.
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The metric of [`Outcome::error`] between F_x, F_y and both M_z of two results.
    pub fn distance(&self, of: &[f64; 4], from: &[f64; 4]) -> f64 {
        let off = std::array::from_fn(|c| of[c] - from[c]);
        measure(self.load, self.shape.a, from, &off)
    }

    /// Forces and moments in steady rolling.
    pub fn solve(&mut self, rolling: &Rolling<f64>) -> Result<Outcome, Refused> {
        let motion = self.checked(rolling)?;
        if motion.is_free() || self.load == 0.0 {
            return Ok(Outcome::new([0.0; 4], 0.0));
        }
        if motion.is_spinless() {
            if self.seen_spinless {
                self.prepare_spinless();
            }
            self.seen_spinless = true;
            if let Some(found) = self.spinless.as_ref().map(|s| s.solve(&motion))
                && found.error <= self.accuracy
            {
                return Ok(found);
            }
        }
        Ok(self.by_tiles(&motion, rolling.model).1)
    }

    /// The tiles that a motion is solved by, and the result.
    pub(super) fn by_tiles(
        &mut self,
        motion: &Motion<f64>,
        model: Model,
    ) -> (Vec<Tile<5>>, Outcome) {
        let radius = self.shape.a.hypot(self.shape.b);
        let fastest = motion.fastest(radius, self.bristle.reach());
        if let Some(bristle) = self.interpolated(fastest) {
            let limit = bristle.greatest_force * self.load;
            let law = bristle.forces_off(self.load, radius);
            let for_law = 0.25 * self.accuracy;
            let (tiles, found) = self.sum(&*bristle, motion, model, self.accuracy - for_law);
            let law = measure(self.load, self.shape.a, &found.wrench(), &law);
            if law <= for_law {
                // A force is above friction by no more than it is not known.
                let above = found.force[0].hypot(found.force[1]) / limit - 1.0;
                return (tiles, Outcome { error: (found.error + law).max(above), ..found });
            }
        }
        let own = self.bristle.wide.clone();
        self.sum(&*own, motion, model, self.accuracy)
    }

    fn sum(
        &mut self,
        bristle: &dyn Bristles<Wide>,
        motion: &Motion<f64>,
        model: Model,
        accuracy: f64,
    ) -> (Vec<Tile<5>>, Outcome) {
        let wide = [motion.cast(Wide::from)];
        let (mut tiles, zero) = self.tiles(motion, model);
        let tally = Forces::new(bristle, wide[0].speed);
        let task = self.task(bristle, &wide, (motion, zero), model, tally);
        let (load, a) = (self.load, self.shape.a);
        let Found { sums: [x, y, m, d, met], error } =
            refine(&mut tiles, &task, accuracy, |sums, off| {
                measure(load, a, &first_four(sums), &first_four(off))
            });
        // The load that all paths meet is known: a layout that misses a part of the patch is seen by that.
        let missed = (met / load - 1.0).abs();
        let error = if missed.is_nan() { f64::INFINITY } else { error.max(missed) };
        (tiles, Outcome::new([x, y, m, d], error))
    }

    /// Tiles to begin with, and where the slip velocity vanishes.
    pub(super) fn tiles<const K: usize>(
        &mut self,
        motion: &Motion<f64>,
        model: Model,
    ) -> (Vec<Tile<K>>, Option<[f64; 2]>) {
        let zero = self.zero_of_slip(motion, model);
        let cells = self.cells(motion, self.ground(motion, zero).count());
        let panels = self.panels(&motion.flow, zero);
        (panels.into_iter().map(|p| Tile::new(p, cells.clone())).collect(), zero)
    }

    /// What the paths of a motion are laid through.
    pub(super) fn ground<'a>(
        &'a self,
        motion: &'a Motion<f64>,
        zero: Option<[f64; 2]>,
    ) -> Ground<'a> {
        Ground { shape: &self.shape, flow: &motion.flow, zero }
    }

    /// What is to be summed over the tiles of a motion.
    pub(super) fn task<'a, S: Side, T>(
        &'a self,
        bristle: &'a dyn Bristles<S>,
        motions: &'a [Motion<S>],
        (motion, zero): (&'a Motion<f64>, Option<[f64; 2]>),
        model: Model,
        tally: T,
    ) -> Task<'a, S, T> {
        let course = self.course(bristle, motions, model);
        Task { course, rules: &self.rules, ground: self.ground(motion, zero), tally }
    }

    /// What a rolling does to the patch, if the patch can roll so.
    pub(super) fn checked(&self, rolling: &Rolling<f64>) -> Result<Motion<f64>, Refused> {
        validate(rolling)?;
        let mut motion = Motion::new(rolling);
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

    /// The panels of a flow, divided at the path through a point.
    pub(super) fn panels(&mut self, flow: &Flow<f64>, through: Option<[f64; 2]>) -> Vec<Panel> {
        let known = self.panels.take().filter(|(known, _)| known == flow);
        let (flow, base) = known.unwrap_or_else(|| (*flow, inflow::panels(&self.shape, flow)));
        let mut panels = base.clone();
        if let Some(at) = through {
            inflow::split_at_path_through(&self.shape, &flow, at, true, &mut panels);
        }
        self.panels = Some((flow, base));
        panels
    }

    /// Cells to begin with: one to each part of a path. The first is quartered until it is no longer than a rule of so many
    /// stages can follow what a bristle forgets behind the edge, e^{−λτ}.
    pub(super) fn cells(&self, motion: &Motion<f64>, parts: usize) -> Vec<f64> {
        let radius = self.shape.a.hypot(self.shape.b);
        let fastest = self.bristle.plain.fastest(motion.fastest(radius, 0.0));
        let turns = fastest / motion.speed * 2.0 * radius;
        let mut cells: Vec<f64> = (1..=parts).map(|k| k as f64).collect();
        while cells[0] * turns > MAIN as f64 {
            cells.insert(0, 0.25 * cells[0]);
        }
        cells
    }

    /// The bristle interpolated up to a speed, where it prefers no direction and that is as accurate as asked for.
    pub(super) fn interpolated(&mut self, fastest: f64) -> Option<Arc<Interpolated>> {
        if !self.bristle.is_elastic() {
            return None;
        }
        // Motions whose greatest speeds are alike share it.
        let up_to = fastest.log2().ceil().exp2();
        if self.interpolated.as_ref().is_none_or(|i| i.fastest() != up_to) {
            let radius = self.shape.a.hypot(self.shape.b);
            let part = self.accuracy / SAFETY * LEAST_MOMENT * self.shape.a / radius;
            self.interpolated = Some(Arc::new(Interpolated::new(&self.bristle, up_to, part)));
        }
        self.interpolated.clone().filter(|i| i.error < self.accuracy)
    }

    pub(super) fn course<'a, S: Side>(
        &'a self,
        bristle: &'a dyn Bristles<S>,
        motions: &'a [Motion<S>],
        model: Model,
    ) -> Course<'a, S> {
        // A tenth of the accuracy, of the largest deflection that friction allows.
        let settled = 0.1 * self.accuracy * self.bristle.reach();
        let (shape, pressure) = (&self.shape, &self.pressure);
        Course { shape, pressure, bristle, motions, model, settled }
    }

    /// Where the slip velocity vanishes inside: v̄ = 0, in Model 2 v̄_r = 0 with the deflection there.
    pub(super) fn zero_of_slip(&self, motion: &Motion<f64>, model: Model) -> Option<[f64; 2]> {
        let inside = |at: &[f64; 2]| self.shape.contains(at[0], at[1]);
        let mut at = motion.zero_of_slip([0.0; 2]).filter(inside)?;
        if model == Model::Semilinear && motion.phi2 != 0.0 {
            // Each pass brings the zero closer by the factor φ₂z′/φ.
            for _ in 0..MAX_PASSES {
                let z = self.reached(at, motion, model);
                let last = std::mem::replace(&mut at, motion.zero_of_slip(z).filter(inside)?);
                if (at[0] - last[0]).hypot(at[1] - last[1]) <= self.accuracy * self.shape.a {
                    break;
                }
            }
        }
        Some(at)
    }

    /// The pressure at a point inside, Pa.
    pub fn pressure_at(&self, [x, y]: [f64; 2]) -> f64 {
        self.pressure.at(&self.shape, x, y)
    }

    /// The deflection of the bristle that is at a point inside, as accurate as asked for.
    pub fn deflection(&self, at: [f64; 2], rolling: &Rolling<f64>) -> Result<[f64; 2], Refused> {
        Ok(self.reached(at, &self.checked(rolling)?, rolling.model))
    }

    /// The same in a motion that was checked.
    fn reached(&self, at: [f64; 2], motion: &Motion<f64>, model: Model) -> [f64; 2] {
        let mut cells = self.cells(motion, 1);
        loop {
            let [coarse, fine] = self.end_of_path(at, motion, model, &cells);
            let off = (fine[0] - coarse[0]).hypot(fine[1] - coarse[1]);
            if off <= self.accuracy * self.bristle.reach() || cells.len() > 1024 {
                return fine;
            }
            let ends = [0.0].into_iter().chain(cells.iter().copied());
            let middles = ends.zip(&cells).map(|(from, to)| 0.5 * (from + to));
            cells = middles.zip(&cells).flat_map(|(middle, to)| [middle, *to]).collect();
        }
    }

    /// The deflection at a point by both rules, through cells that are parts of the way there.
    fn end_of_path(
        &self,
        at: [f64; 2],
        motion: &Motion<f64>,
        model: Model,
        cells: &[f64],
    ) -> [[f64; 2]; 2] {
        #[derive(Clone)]
        struct End([Wide; 2]);
        impl Tally<Wide, 0> for End {
            fn node(&mut self, _: &Node<Wide>) {}
            fn exit(&mut self, z: [Wide; 2], _: Wide) {
                self.0 = z;
            }
            fn sums(&self) -> [Wide; 0] {
                []
            }
        }
        let back = motion.flow.until_entry(&self.shape, at);
        let entry = motion.flow.follow(at, motion.flow.velocity(at[0], at[1]), -back);
        let (zero, length) = (Wide::from(0.0), Wide::from(back));
        let paths = Paths { entry: entry.map(Wide::from), element: [zero; 2], length };
        let wide = [motion.cast(Wide::from)];
        let course = self.course(&*self.bristle.wide, &wide, model);
        let mut ends = [End([zero; 2]), End([zero; 2])];
        course.march(&self.rules.main, &paths, &[length], cells, &mut ends[0]);
        course.march(&self.rules.check, &paths, &[length], cells, &mut ends[1]);
        ends.map(|end| end.0.map(|z| z.0[0]))
    }
}

impl fmt::Debug for Steady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, load, accuracy) = (&self.shape, self.load, self.accuracy);
        write!(f, "Steady {{ shape: {shape:?}, load: {load}, accuracy: {accuracy} }}")
    }
}

/// The first four of more sums.
pub(super) fn first_four<const K: usize>(sums: &[f64; K]) -> [f64; 4] {
    std::array::from_fn(|c| sums[c])
}

/// The metric of [`Outcome::error`]: how large a difference of F_x, F_y and both M_z is beside these themselves.
pub(super) fn measure(load: f64, a: f64, found: &[f64; 4], off: &[f64; 4]) -> f64 {
    if load == 0.0 {
        return 0.0;
    }
    let force = found[0].hypot(found[1]).max(LEAST_FORCE * load);
    let moment = |i: usize| off[i].abs() / found[i].abs().max(LEAST_MOMENT * load * a);
    largest([off[0].hypot(off[1]) / force, moment(2), moment(3)])
}
