//! Steady rolling: forces and moments at constant slip, spin and speed, with the error of each result.
//!
//! The inflow part of the outline is divided into panels ([`inflow`]), each with its bundle of paths, each path into cells
//! (`march`), refined where they are worst (`tiles`). What is known beforehand is checked: the load that
//! all paths meet together, and that no force exceeds friction.
use super::bristles::{Bristle, Bristles, Rolls};
use super::flow::Flow;
use super::inflow::{self, Panel, Wide};
use super::march::{Course, Side};
use super::motion::Motion;
use super::spinless::Spinless;
use super::tally::{Forces, Tally};
use super::tiles::{Found, Ground, Rules, Task, Tile, known, largest, refine};
use super::{Patch, Pressure, Rolling, Shape};
use bristle_kernel::{Invalid, validate};
use std::fmt;

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
        if motion.is_spinless() && self.bristle.plain.is_alike() {
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
        Ok(self.by_tiles(&motion).1)
    }

    /// The tiles that a motion is solved by, and the result.
    pub(super) fn by_tiles(&self, motion: &Motion<f64>) -> (Vec<Tile<5>>, Outcome) {
        let (bristle, wide) = (&*self.bristle.wide, [motion.cast(Wide::from)]);
        let (panels, ground) = self.layout(motion);
        let task = self.task(bristle, &wide, ground, Forces::new(bristle, wide[0].speed));
        let (load, a) = (self.load, self.shape.a);
        let mut tiles = task.tiles(panels, &ground.cells(self.turns(motion)));
        let found = refine(&mut tiles, &task, self.accuracy, |sums| {
            let of = first_four(&sums[0]);
            move |off: &[f64; 5]| measure(load, a, &of, &first_four(off))
        });
        let Found { sums: [x, y, m, d, met], error } = found[0];
        // The load that all paths meet is known: a layout that misses a part of the patch is seen by that. So is that no
        // force exceeds friction.
        let missed = (met / load - 1.0).abs();
        let above = match self.bristle.is_elastic() {
            true => x.hypot(y) / (self.bristle.plain.highest(self.fastest(motion)) * load) - 1.0,
            false => 0.0,
        };
        (tiles, Outcome::new([x, y, m, d], known(largest([error, missed, above.max(0.0)]))))
    }

    /// The panels of a motion, and what its paths are laid through.
    pub(super) fn layout<'a>(&'a self, motion: &'a Motion<f64>) -> (Vec<Panel>, Ground<'a>) {
        let zero = self.zero_of_slip(motion);
        let memory = self.longest() / self.turns(motion);
        let panels = self.panels(&motion.flow, zero.as_slice(), memory);
        (panels, Ground { shape: &self.shape, flow: &motion.flow, zero })
    }

    /// What is to be summed over the tiles of a motion.
    pub(super) fn task<'a, S: Side, T: Tally<S, K>, const K: usize>(
        &'a self,
        bristle: &'a dyn Bristles<S>,
        motions: &'a [Motion<S>],
        ground: Ground<'a>,
        tally: T,
    ) -> Task<'a, S, T, K> {
        Task { course: self.course(bristle, motions), rules: &self.rules, ground, tally }
    }

    /// No path is longer, but for one around half a tilting centre, m.
    pub(super) fn longest(&self) -> f64 {
        2.0 * self.shape.a.hypot(self.shape.b)
    }

    /// The greatest speed of sliding, m/s, of bristles as far deflected as friction lets them.
    fn fastest(&self, motion: &Motion<f64>) -> f64 {
        motion.fastest(0.5 * self.longest(), self.bristle.reach())
    }

    /// How often bristles forget on the longest path, at most.
    pub(super) fn turns(&self, motion: &Motion<f64>) -> f64 {
        let fastest = motion.fastest(0.5 * self.longest(), 0.0);
        self.bristle.plain.fastest(fastest) / motion.speed * self.longest()
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

    /// The panels of a flow, divided at the paths through some points, and near ends where bristles remember their entry for good.
    pub(super) fn panels(&self, flow: &Flow<f64>, through: &[[f64; 2]], memory: f64) -> Vec<Panel> {
        let mut panels = inflow::panels(&self.shape, flow);
        for at in through {
            inflow::split_at_path_through(&self.shape, flow, *at, true, &mut panels);
        }
        panels.into_iter().flat_map(|panel| panel.resolved(&self.shape, flow, memory)).collect()
    }

    pub(super) fn course<'a, S: Side>(
        &'a self,
        bristle: &'a dyn Bristles<S>,
        motions: &'a [Motion<S>],
    ) -> Course<'a, S> {
        // A tenth of the accuracy, of the largest deflection that friction allows.
        let settled = 0.1 * self.accuracy * self.bristle.reach();
        let (shape, pressure) = (&self.shape, &self.pressure);
        Course { shape, pressure, bristle, motions, settled }
    }

    /// Where the slip velocity vanishes inside: v̄ = 0, in Model 2 v̄_r = 0 with the deflection there.
    pub(super) fn zero_of_slip(&self, motion: &Motion<f64>) -> Option<[f64; 2]> {
        let inside = |at: &[f64; 2]| self.shape.contains(at[0], at[1]);
        let mut at = motion.zero_of_slip([0.0; 2]).filter(inside)?;
        if motion.feels {
            // Each pass brings the zero closer by the factor φ₂z′/φ.
            for _ in 0..MAX_PASSES {
                let z = self.reached(at, motion);
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
        Ok(self.reached(at, &self.checked(rolling)?))
    }

    /// The same in a motion that was checked: in cells that are halved until the deflection stays.
    fn reached(&self, at: [f64; 2], motion: &Motion<f64>) -> [f64; 2] {
        let wide = [motion.cast(Wide::from)];
        let course = self.course(&*self.bristle.wide, &wide);
        let back = motion.flow.until_entry(&self.shape, at);
        let entry = motion.flow.follow(at, motion.flow.velocity(at[0], at[1]), -back);
        let through = |cells: &[f64]| {
            let (mut z, mut from) = ([Wide::from(0.0); 2], 0.0);
            for to in cells {
                let stretch = [from, *to].map(|part| Wide::from(part * back));
                (z, _) = course.advance(&self.rules.check, entry.map(Wide::from), stretch, z);
                from = *to;
            }
            z.map(|z| z.0[0])
        };
        let ground = Ground { shape: &self.shape, flow: &motion.flow, zero: None };
        let mut cells = ground.cells(self.turns(motion));
        cells.retain(|end| *end <= 1.0);
        let mut z = through(&cells);
        loop {
            let ends = [0.0].into_iter().chain(cells.iter().copied());
            let middles = ends.zip(&cells).map(|(from, to)| 0.5 * (from + to));
            cells = middles.zip(&cells).flat_map(|(middle, to)| [middle, *to]).collect();
            let last = std::mem::replace(&mut z, through(&cells));
            let off = (z[0] - last[0]).hypot(z[1] - last[1]);
            if off <= self.accuracy * self.bristle.reach() || cells.len() > 1024 {
                return z;
            }
        }
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
