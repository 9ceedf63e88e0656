//! Derivatives of forces and moment at one operating point.
//!
//! Dual numbers are carried along every path. Where φ₁ is what changes, paths bend. From the same entry they
//! then lead elsewhere and end elsewhere ([`Course::length`](super::march::Course::length)), and the flow that
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
use super::fading::{Briefs, Brisk};
use super::flow::{Flow, root};
use super::inflow::{self, Paths, Wide};
use super::march::{Forces, Motion};
use super::shape::{Piece, Shape, power};
use super::steady::{LEVELS, Level, Refused, Steady, motion};
use bristle_kernel::{Cast, Planar};
use bristle_num::{Dual, Lanes};

/// Derivatives of F_x, F_y and M_z (37b) with respect to one quantity.
pub type Derivative = [f64; 3];

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

/// The rule that derivatives are taken of.
const RULE: Level = LEVELS[5];

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    /// Derivatives with respect to slip, spin and speed.
    pub fn gradient(&mut self, rolling: &Rolling<f64>) -> Result<Gradient, Refused>
    where
        B::Over<Dual<Wide, 1>>: Planar<Dual<Wide, 1>>,
    {
        let bristle = self.bristle.cast(&mut |x| Dual::constant(Wide::from(x)));
        let mut along = |direction: usize| {
            let seed = |x: f64, i: usize| match i == direction {
                true => Dual::<Wide, 1>::variable(Wide::from(x), 0),
                false => Dual::constant(Wide::from(x)),
            };
            let seeded = motion(&Rolling {
                sigma_x: seed(rolling.sigma_x, 0),
                sigma_y: seed(rolling.sigma_y, 1),
                phi1: seed(rolling.phi1, 2),
                phi2: seed(rolling.phi2, 3),
                v_r: seed(rolling.v_r, 4),
                epsilon_x: Dual::constant(Wide::from(rolling.epsilon_x)),
                model: rolling.model,
                counterpart: rolling.counterpart,
            });
            self.derive(rolling, &seeded, &bristle)
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
    pub fn parameter_gradient(&mut self, rolling: &Rolling<f64>) -> Result<Vec<Derivative>, Refused>
    where
        B::Over<Dual<Wide, 1>>: Planar<Dual<Wide, 1>>,
    {
        let mut count = 0;
        let _ = self.bristle.cast(&mut |x| {
            count += 1;
            x
        });
        let at = motion(rolling).cast(|x| Dual::<Wide, 1>::constant(Wide::from(x)));
        (0..count)
            .map(|seed| {
                let mut i = 0;
                let bristle = self.bristle.cast(&mut |x| {
                    i += 1;
                    let x = Wide::from(x);
                    if i - 1 == seed { Dual::variable(x, 0) } else { Dual::constant(x) }
                });
                self.derive(rolling, &at, &bristle)
            })
            .collect()
    }

    fn derive<P: Planar<Dual<Wide, 1>>>(
        &mut self,
        rolling: &Rolling<f64>,
        seeded: &Motion<Dual<Wide, 1>>,
        bristle: &P,
    ) -> Result<Derivative, Refused> {
        let at = self.checked(rolling)?;
        let divided = self.prepare(&RULE, &at, rolling.model);
        let bend = seeded.flow.phi1.eps[0].0[0];
        let touching = if bend == 0.0 { Vec::new() } else { touching(&self.shape, &at.flow) };
        for near in touching.iter().map(|g| just_inside(*g)) {
            inflow::split_at_path_through(&self.shape, &at.flow, near, true, &mut self.panels);
        }
        if !touching.is_empty() {
            let count = |p: &inflow::Panel| RULE.density.of(p);
            inflow::paths(&self.shape, &at.flow, &self.panels, count, &mut self.paths);
        }
        let cells = self.cells(&RULE, &at, divided);
        let course = self.course(bristle, seeded, rolling.model, RULE.settled);
        let mut forces = Forces::new(bristle, seeded.speed);
        self.tally(&course, divided, &cells, &mut forces);
        let mut derivative = std::array::from_fn(|k| forces.sums[k].eps[0].0.iter().sum());
        for g in touching {
            let passed = self.passed(rolling, &at, g);
            for (sum, passed) in derivative.iter_mut().zip(passed) {
                *sum += bend * passed;
            }
        }
        Ok(derivative)
    }

    /// What forces and moment gain per unit of φ₁ because the path that touches the outline at `g` moves: the
    /// flow that passes to the side on which bristles go on, and what they do behind `g`.
    fn passed(&self, rolling: &Rolling<f64>, at: &Motion<f64>, g: [f64; 2]) -> Derivative {
        let (flow, near) = (&at.flow, just_inside(g));
        let [behind, ahead] = [true, false].map(|b| flow.until_edge(&self.shape, near, b));
        let entry = flow.follow(near, flow.velocity(near[0], near[1]), -behind);
        let square = |[x, y]: [f64; 2]| x * x + y * y;
        let [vx, vy] = flow.velocity(entry[0], entry[1]);
        let unit = 1.0 / square([vx, vy]);
        // Side by side the whole path and the part before g; the flow is 1 m.
        let paths = Paths {
            x: entry[0].into(),
            y: entry[1].into(),
            dx: (-vy * unit).into(),
            dy: (vx * unit).into(),
            length: Lanes(std::array::from_fn(|i| behind + if i == 0 { ahead } else { 0.0 })),
        };
        let wide = at.cast(Wide::from);
        let course = self.course(&self.wide, &wide, rolling.model, RULE.settled);
        let cells = self.cells(&RULE, at, None);
        let mut forces = Forces::new(&self.wide, wide.speed);
        course.march(&paths, [paths.length; 2], &cells, &mut forces);
        // ψ grows to the left of V̄; those go on that are on the side away from the outline.
        let ([vx, vy], [nx, ny]) = (flow.velocity(g[0], g[1]), self.shape.gradient(g[0], g[1]));
        let side = (vx * ny - vy * nx).signum();
        let flux = 0.5 * side * (square(g) - square(entry));
        std::array::from_fn(|k| flux * (forces.sums[k].0[0] - forces.sums[k].0[1]))
    }
}

/// A point that close to one of the outline from which a path can be told to be inside.
fn just_inside(g: [f64; 2]) -> [f64; 2] {
    g.map(|x| x * (1.0 - 1e-10))
}

/// The points of the outline that paths touch from inside.
fn touching(shape: &Shape, flow: &Flow<f64>) -> Vec<[f64; 2]> {
    /// Places of a piece between which V̄ is looked at.
    const PLACES: u32 = 129;
    let outward = |[x, y]: [f64; 2]| {
        let (v, g) = (flow.velocity(x, y), shape.gradient(x, y));
        v[0] * g[0] + v[1] * g[1]
    };
    let mut tangent = Vec::new();
    for piece in shape.pieces() {
        let at = |w: f64| {
            let p = shape.point(*piece, w);
            [p.x, p.y]
        };
        // At the ends of a whole side the gradient is that of the tip: look just inside.
        let end = shape.extent(*piece) * (1.0 - 1e-9);
        let place = |k: u32| end * (2.0 * f64::from(k) / f64::from(PLACES) - 1.0);
        for (from, to) in (0..PLACES).map(|k| (place(k), place(k + 1))) {
            let sign = outward(at(to)).signum();
            if sign * outward(at(from)) < 0.0 {
                tangent.push(at(root(&|w| sign * outward(at(w)), from, to)));
            }
        }
    }
    let tips = [[0.0, shape.b], [0.0, -shape.b]];
    let whole_sides = matches!(shape.pieces()[0], Piece::Half { .. });
    tangent.extend(tips.into_iter().filter(|tip| whole_sides && outward(*tip) == 0.0));
    // Inside is where |x/a|ⁿ + |y/b|ᵐ falls both ways along the path, whose V̄ turns by φ₁ per metre.
    let second = |x: f64, a: f64, n: f64| n * (n - 1.0) / (a * a) * power((x / a).abs(), n - 2.0);
    tangent.retain(|&[x, y]| {
        let ([vx, vy], g) = (flow.velocity(x, y), shape.gradient(x, y));
        let bent = second(x, shape.a, shape.n) * vx * vx + second(y, shape.b, shape.m) * vy * vy;
        bent + flow.phi1 * (vy * g[0] - vx * g[1]) < 0.0
    });
    tangent
}
