//! Derivatives of forces and moment at one operating point.
//!
//! Dual numbers are carried along every path. Where φ₁ is what changes, paths bend. From the same entry they
//! then lead elsewhere and end elsewhere (`Course::length`), and the flow that
//! each stands for, V̄ × dℓ, changes too. Where bristles begin to enter or to leave, no flow does, so that
//! moving adds nothing.
//!
//! One thing is left. A path may touch the outline from inside, as all do that bend along the flat face of a
//! rectangle. Behind that point its neighbours on one side go on; those on the other have left, and bristles
//! enter anew, undeflected. As the path moves, flow passes from one side to the other: with the stream function
//! ψ = φ₁(x² + y²)/2 − ε·x the path through g is ψ = ψ(g), and because V̄ is along the outline there,
//!
//! ```text
//! d(ψ(g) − ψ(x))/dφ₁ = (|g|² − |x|²)/2.
//! ```
use super::Rolling;
use super::bristles::{Bristles, WideDual};
use super::inflow::{self, Paths, Wide};
use super::motion::Motion;
use super::steady::{Refused, Steady, measure};
use super::tally::{Forces, Tally};
use super::tiles::refine;
use bristle_num::{Dual, Lanes};

/// Derivatives of F_x, F_y and M_z (37b) with respect to one quantity, and how far off they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivative {
    /// Those of F_x, F_y and M_z.
    pub values: [f64; 3],
    /// An estimate of the error: the larger of that of the force over its size, and of that of the moment over its own, or
    /// over 0.02 a times that of the force.
    pub error: f64,
}

/// Derivatives at an operating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// With respect to σ_x.
    pub sigma_x: Derivative,
    /// With respect to σ_y.
    pub sigma_y: Derivative,
    /// With respect to φ₁, m.
    pub phi1: Derivative,
    /// With respect to φ₂, m.
    pub phi2: Derivative,
    /// With respect to V_r, s/m.
    pub v_r: Derivative,
}

impl Steady {
    /// Derivatives with respect to slip, spin and speed.
    pub fn gradient(&self, rolling: &Rolling<f64>) -> Result<Gradient, Refused> {
        let bristle = self.bristle.seeded(None);
        let along = |direction: usize| {
            let seed = |x: f64, i: usize| match i == direction {
                true => Dual::<Wide, 1>::variable(Wide::from(x), 0),
                false => Dual::constant(Wide::from(x)),
            };
            let seeded = Motion::new(&Rolling {
                sigma_x: seed(rolling.sigma_x, 0),
                sigma_y: seed(rolling.sigma_y, 1),
                phi1: seed(rolling.phi1, 2),
                phi2: seed(rolling.phi2, 3),
                v_r: seed(rolling.v_r, 4),
                epsilon_x: Dual::constant(Wide::from(rolling.epsilon_x)),
                model: rolling.model,
                counterpart: rolling.counterpart,
            });
            self.derive(rolling, seeded, &*bristle, 0.0)
        };
        Ok(Gradient {
            sigma_x: along(0)?,
            sigma_y: along(1)?,
            phi1: along(2)?,
            phi2: along(3)?,
            v_r: along(4)?,
        })
    }

    /// Derivatives with respect to every number of the bristle and its law, in declaration order.
    pub fn parameter_gradient(&self, rolling: &Rolling<f64>) -> Result<Vec<Derivative>, Refused> {
        let all: Vec<(usize, f64)> =
            (0..self.bristle.numbers).map(|k| (k, f64::INFINITY)).collect();
        self.derivatives(rolling, &all)
    }

    /// The same with respect to some of these numbers, by their places, each with its size: derivatives are then as accurate
    /// beside F_z over that size, so that those which vanish cost nothing.
    pub fn derivatives(
        &self,
        rolling: &Rolling<f64>,
        numbers: &[(usize, f64)],
    ) -> Result<Vec<Derivative>, Refused> {
        let at = Motion::new(rolling).cast(|x| Dual::<Wide, 1>::constant(Wide::from(x)));
        let load = self.load;
        let by = |(seed, size): &(usize, f64)| {
            self.derive(rolling, at, &*self.bristle.seeded(Some(*seed)), load / size)
        };
        numbers.iter().map(by).collect()
    }

    fn derive(
        &self,
        rolling: &Rolling<f64>,
        seeded: Motion<WideDual>,
        bristle: &dyn Bristles<WideDual>,
        least: f64,
    ) -> Result<Derivative, Refused> {
        let at = self.checked(rolling)?;
        let (bend, a) = (seeded.flow.phi1.eps[0].0[0], self.shape.a);
        let ((panels, ground), seeded) = (self.layout(&at), [seeded]);
        let task = self.task(bristle, &seeded, ground, Forces::new(bristle, seeded[0].speed));
        let mut tiles = task.tiles(panels, &ground.cells(self.turns(&at)));
        // Differences of derivatives are beside these themselves, or the least that matters.
        let size = |of: [f64; 3], off: [f64; 3]| {
            let whole = of[0].hypot(of[1]);
            if whole < least {
                return off[0].hypot(off[1]).max(off[2].abs() / a) / least;
            }
            let [of, off] = [of, off].map(|[x, y, m]| [x, y, m, m]);
            measure(whole, a, &of, &off)
        };
        let derivatives = |sums: &[f64; 10]| [sums[5], sums[6], sums[7]];
        let found = refine(&mut tiles, &task, self.accuracy, |sums| {
            let of = derivatives(&sums[0]);
            move |off: &[f64; 10]| size(of, derivatives(off))
        });
        let (mut values, mut error) = (derivatives(&found[0].sums), found[0].error);
        if bend != 0.0 {
            for g in inflow::touching(&self.shape, &at.flow) {
                // The path is looked for a little inside; from four times as far its length differs by as much as it is off.
                let [near, far] = [1.0, 4.0].map(|times| self.passed(&at, g, times * INSIDE));
                values = std::array::from_fn(|k| values[k] + bend * near[k]);
                error += size(values, std::array::from_fn(|k| bend * (near[k] - far[k])));
            }
        }
        Ok(Derivative { values, error })
    }

    /// What forces and moment gain per unit of φ₁ because the path that touches the outline at `g` moves: the
    /// flow that passes to the side on which bristles go on, and what they do behind `g`.
    fn passed(&self, at: &Motion<f64>, g: [f64; 2], inside: f64) -> [f64; 3] {
        let (flow, near) = (&at.flow, g.map(|x| x * (1.0 - inside)));
        let [behind, ahead] = [true, false].map(|b| flow.until_edge(&self.shape, near, b));
        let entry = flow.follow(near, flow.velocity(near[0], near[1]), -behind);
        let square = |[x, y]: [f64; 2]| x * x + y * y;
        let [vx, vy] = flow.velocity(entry[0], entry[1]);
        let unit = 1.0 / square([vx, vy]);
        // Side by side the whole path and the part before g; the flow is 1 m.
        let paths = Paths {
            entry: entry.map(Wide::from),
            element: [-vy * unit, vx * unit].map(Wide::from),
            ends: vec![Lanes(std::array::from_fn(|i| behind + if i == 0 { ahead } else { 0.0 }))],
        };
        let wide = [at.cast(Wide::from)];
        let course = self.course(&*self.bristle.wide, &wide);
        let cells: Vec<f64> = (1..=CELLS).map(|k| f64::from(k) / f64::from(CELLS)).collect();
        let mut forces = Forces::new(&*self.bristle.wide, wide[0].speed);
        course.march(&self.rules.check, &paths, &cells, &mut forces);
        // ψ grows to the left of V̄; those go on that are on the side away from the outline.
        let ([vx, vy], [nx, ny]) = (flow.velocity(g[0], g[1]), self.shape.gradient(g[0], g[1]));
        let side = (vx * ny - vy * nx).signum();
        let flux = 0.5 * side * (square(g) - square(entry));
        let sums = forces.sums();
        std::array::from_fn(|k| flux * (sums[k].0[0] - sums[k].0[1]))
    }
}

/// By which part of its coordinates a point is inside that stands for one of the outline.
const INSIDE: f64 = 1e-10;

/// Cells of the path that touches the outline.
const CELLS: u32 = 32;
