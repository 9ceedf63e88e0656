//! Transient rolling, step by step of travelled distance, with exact transport.
//!
//! A path is divided into cells as long as a step, with a few Gauss nodes each. In one step every bristle
//! moves on by exactly one cell: z ← E z + b, where E and b belong to the stretch between a node and its
//! successor. They are worked out when slip, spin or speed change, and kept while those stay; the load is a
//! factor. Bristles that entered since have settled: they are as their neighbours were before them, and only
//! those that were inside at the change are moved on. Without spin all paths are alike, and one of them stands for the patch ([`Straight`]).
use super::inflow::{self, Paths, WIDTH, Wide};
use super::march::Motion;
use super::matrix::{inverse, product, times};
use super::relax::relax;
use super::shape::Shape;
use super::steady::{LEVELS, Refused, motion};
use super::{Model, Patch, Pressure, Rolling};
use crate::quadrature::{Lagrange, Stages, legendre};
use bristle_kernel::{Cast, Matrix2, Planar, Real, Sym2, validate};
use bristle_num::simd;

/// How finely a transient is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// The distance travelled in a step, m.
    pub step: f64,
    /// Nodes to a cell.
    pub nodes: usize,
    /// Which of [`LEVELS`] says how many paths there are.
    pub level: usize,
}

impl Resolution {
    fn check(&self) -> Result<(), Refused> {
        if self.step > 0.0 { Ok(()) } else { Err(Refused::Step { value: self.step }) }
    }
}

/// Forces and moments: F_x, F_y, M_z by 004 (37b) and by (38).
pub type Wrench = [f64; 4];

/// What happens to a deflection between two nodes: z ← E z + b.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<S> {
    pub(crate) e: [[S; 2]; 2],
    pub(crate) b: [S; 2],
}

/// z′ = d − M z at the two stages of a passage of length h, by Gauss collocation of order four.
#[inline(always)]
pub(crate) fn passage<S: Real>(
    rule: &Stages<2>,
    h: S,
    forget: [[[S; 2]; 2]; 2],
    drive: [[S; 2]; 2],
) -> Passage<S> {
    let (zero, one) = (S::from(0.0), S::from(1.0));
    let block = |i: usize, j: usize| {
        let k = h * rule.a[i][j];
        let m = forget[j];
        let own = if i == j { one } else { zero };
        [[k * m[0][0] + own, k * m[0][1]], [k * m[1][0], k * m[1][1] + own]]
    };
    let (p, q, r, s) = (block(0, 0), block(0, 1), block(1, 0), block(1, 1));
    let p_inv = inverse(&p);
    let factor = product(&r, &p_inv);
    let less = product(&factor, &q);
    let schur = inverse(&[
        [s[0][0] - less[0][0], s[0][1] - less[0][1]],
        [s[1][0] - less[1][0], s[1][1] - less[1][1]],
    ]);
    // Both stages for one right-hand side each, and where that ends.
    let end = |start: [S; 2], on: f64| {
        let right = |i: usize| {
            let k = [h * (rule.a[i][0] * on), h * (rule.a[i][1] * on)];
            [
                start[0] + k[0] * drive[0][0] + k[1] * drive[1][0],
                start[1] + k[0] * drive[0][1] + k[1] * drive[1][1],
            ]
        };
        let (first, second) = (right(0), right(1));
        let f = times(&factor, first);
        let z1 = times(&schur, [second[0] - f[0], second[1] - f[1]]);
        let c = times(&q, z1);
        let z0 = times(&p_inv, [first[0] - c[0], first[1] - c[1]]);
        let (m0, m1) = (times(&forget[0], z0), times(&forget[1], z1));
        let half = h * 0.5;
        [
            start[0] + half * (drive[0][0] * on - m0[0] + drive[1][0] * on - m1[0]),
            start[1] + half * (drive[0][1] * on - m0[1] + drive[1][1] * on - m1[1]),
        ]
    };
    let (x, y) = (end([one, zero], 0.0), end([zero, one], 0.0));
    Passage { e: [[x[0], y[0]], [x[1], y[1]]], b: end([zero; 2], 1.0) }
}

/// The same for a bristle without damping that prefers no direction: z′ = d − λz in a frame that turns with
/// z, its drive given in that frame; `turn` is the cosine and sine of how far it turns.
#[inline(always)]
fn passage_alike<S: Real>(
    rule: &Stages<2>,
    h: S,
    forget: [S; 2],
    drive: [[S; 2]; 2],
    turn: [f64; 2],
) -> Passage<S> {
    let one = S::from(1.0);
    let [[p, q], [r, s]]: Matrix2<S> = std::array::from_fn(|i| {
        std::array::from_fn(|j| h * forget[j] * rule.a[i][j] + if i == j { 1.0 } else { 0.0 })
    });
    let scale = one / (p * s - q * r);
    // What is forgotten on the way by stages that are z at the start and have the right-hand sides x and y.
    let half = h * 0.5;
    let lost =
        |x: S, y: S| (forget[0] * (s * x - q * y) + forget[1] * (p * y - r * x)) * (scale * half);
    let e = one - lost(one, one);
    let gain = |k: usize| {
        let (d0, d1) = (drive[0][k], drive[1][k]);
        let right = |i: usize| h * (d0 * rule.a[i][0] + d1 * rule.a[i][1]);
        half * (d0 + d1) - lost(right(0), right(1))
    };
    let ([c, s], [x, y]) = (turn, [gain(0), gain(1)]);
    Passage { e: [[e * c, e * -s], [e * s, e * c]], b: [x * c - y * s, x * s + y * c] }
}

/// M and d of z′ = d − M z, the slip velocity being `slip` and the one that friction is taken at `taken`.
#[inline(always)]
pub(crate) fn local<S: Real>(
    bristle: &impl Planar<S>,
    motion: &Motion<S>,
    slip: [S; 2],
    taken: [S; 2],
) -> ([[S; 2]; 2], [S; 2]) {
    let (speed, phi2) = (motion.speed, motion.phi2);
    let pace = S::from(1.0) / speed;
    let r = bristle.response([-(taken[0] * speed), -(taken[1] * speed)]);
    let (f, b) = (r.forget, r.follow);
    let forget = [
        [f[0][0] * pace - phi2 * b[0][1], f[0][1] * pace + phi2 * b[0][0]],
        [f[1][0] * pace - phi2 * b[1][1], f[1][1] * pace + phi2 * b[1][0]],
    ];
    let follow = times(&b, slip);
    (forget, [-follow[0], -follow[1]])
}

/// A patch that rolls with spin.
///
/// The way bristles travel (φ₁ and ε in Models 2 and 3) is that of the start; slip, φ₂, speed and load may
/// change at every step, with second order in the step.
#[derive(Clone, Debug)]
pub struct Rolled<B: Cast<f64>> {
    pub(crate) shape: Shape,
    pub(crate) pressure: Pressure,
    pub(crate) wide: B::Over<Wide>,
    pub(crate) stiffness: Sym2<Wide>,
    pub(crate) damping: Sym2<Wide>,
    /// Whether no direction is preferred and nothing is damped: the force is along the deflection.
    alike: bool,
    pub(crate) resolution: Resolution,
    stages: Stages<2>,
    pub(crate) c: Vec<f64>,
    pub(crate) paths: Vec<Paths>,
    pub(crate) cells: usize,
    /// How many groups of paths reach each cell: the longest come first.
    reach: Vec<usize>,
    /// Load of each node and its moments about y and x, at the pressure of the start.
    pub(crate) weights: Vec<[Wide; 3]>,
    pub(crate) state: Vec<[Wide; 2]>,
    passages: Vec<Passage<Wide>>,
    last: Option<(Motion<f64>, Model)>,
    /// How many cells hold only bristles that entered since the inputs last changed.
    settled: usize,
    /// What those add to forces and moment.
    kept: [f64; 3],
    travelled: f64,
}

impl<B> Rolled<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
{
    /// A patch of undeflected bristles that is to roll as `rolling` says.
    pub fn new(
        patch: &Patch<f64>,
        bristle: &B,
        rolling: &Rolling<f64>,
        resolution: Resolution,
    ) -> Result<Self, Refused> {
        validate(patch)?;
        Self::with_pressure(patch.shape(), patch.pressure(), bristle, rolling, resolution)
    }

    /// The same under any pressure.
    pub fn with_pressure(
        shape: Shape,
        pressure: Pressure,
        bristle: &B,
        rolling: &Rolling<f64>,
        resolution: Resolution,
    ) -> Result<Self, Refused> {
        validate(rolling)?;
        resolution.check()?;
        let flow = motion(rolling).flow;
        if let Some(centre) = flow.centre()
            && shape.level(centre[0], centre[1]) <= 1.0
        {
            return Err(Refused::CentreInside { phi1: flow.phi1, centre });
        }
        let density = LEVELS[resolution.level.min(LEVELS.len() - 1)].density;
        let (mut panels, mut paths) = (Vec::new(), Vec::new());
        inflow::panels(&shape, &flow, &mut panels);
        inflow::paths(&shape, &flow, &panels, |p| density.of(p), &mut paths);
        inflow::longest_first(&mut paths);
        let cells_of =
            |p: &Paths| (p.length.0[0] / resolution.step - 1e-9).ceil().max(1.0) as usize;
        let cells = paths.first().map_or(0, cells_of);
        let reach = (0..cells).map(|i| paths.iter().filter(|p| i < cells_of(p)).count()).collect();
        let c: Vec<f64> = legendre(resolution.nodes).iter().map(|n| n.0).collect();
        let count = cells * c.len() * paths.len();
        let wide = bristle.cast(&mut |x| Wide::from(x));
        let (zero, damping) = (Wide::from(0.0), bristle.damping());
        let mut rolled = Rolled {
            shape,
            pressure,
            stiffness: wide.stiffness(),
            damping: wide.damping(),
            alike: bristle.is_alike() && damping.xx == 0.0,
            wide,
            resolution,
            stages: Stages::gauss(),
            c,
            paths,
            cells,
            reach,
            weights: vec![[zero; 3]; count],
            state: vec![[zero; 2]; count],
            passages: vec![Passage { e: [[zero; 2]; 2], b: [zero; 2] }; count],
            last: None,
            settled: 0,
            kept: [0.0; 3],
            travelled: 0.0,
        };
        rolled.weigh(&motion(rolling));
        Ok(rolled)
    }

    /// The load that each node stands for: ∫p ℓ_k over its cell, the last one cut where the path ends.
    fn weigh(&mut self, motion: &Motion<f64>) {
        let (rule, step) = (legendre(10), self.resolution.step);
        let (basis, mut values) = (Lagrange::new(&self.c), vec![0.0; self.c.len()]);
        let flow = motion.cast(Wide::from).flow;
        for (j, p) in self.paths.iter().enumerate() {
            let v = flow.velocity(p.x, p.y);
            let flux = (v[0] * p.dy - v[1] * p.dx).abs();
            for i in 0..self.cells {
                let from = Wide::from(i as f64 * step).min(p.length);
                let to = Wide::from((i + 1) as f64 * step).min(p.length);
                for (x, w) in rule {
                    let tau = from + (to - from) * *x;
                    let at = flow.follow([p.x, p.y], v, tau);
                    let load =
                        self.pressure.at(&self.shape, at[0], at[1]) * flux * (to - from) * *w;
                    let part = (tau - Wide::from(i as f64 * step)) / step;
                    for lane in 0..WIDTH {
                        basis.at(part.0[lane], &mut values);
                        for (k, value) in values.iter().enumerate() {
                            let node =
                                &mut self.weights[(i * self.c.len() + k) * self.paths.len() + j];
                            let load = load.0[lane] * value;
                            node[0].0[lane] += load;
                            node[1].0[lane] += load * at[0].0[lane];
                            node[2].0[lane] += load * at[1].0[lane];
                        }
                    }
                }
            }
        }
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Where the nodes are, with a deflection to start from.
    pub fn deflect(&mut self, rolling: &Rolling<f64>, z: impl Fn(f64, f64) -> [f64; 2]) {
        (self.settled, self.kept) = (0, [0.0; 3]);
        let flow = motion(rolling).flow.cast(Wide::from);
        for i in 0..self.cells {
            for k in 0..self.c.len() {
                for (j, p) in self.paths.iter().enumerate() {
                    let tau = Wide::from((i as f64 + self.c[k]) * self.resolution.step);
                    let at = flow.follow([p.x, p.y], flow.velocity(p.x, p.y), tau);
                    let node = &mut self.state[(i * self.c.len() + k) * self.paths.len() + j];
                    for lane in 0..WIDTH {
                        let z = z(at[0].0[lane], at[1].0[lane]);
                        (node[0].0[lane], node[1].0[lane]) = (z[0], z[1]);
                    }
                }
            }
        }
    }

    /// Rolls on by one step. The inputs are those of the middle of the step; `load` multiplies the
    /// vertical force of the patch.
    pub fn step(&mut self, rolling: &Rolling<f64>, load: f64) -> Wrench {
        let now = (motion(rolling), rolling.model);
        if self.last != Some(now) {
            (self.settled, self.kept) = (0, [0.0; 3]);
        }
        // Model 2 takes friction at the velocity that the bristle feels.
        let felt = rolling.model == Model::Semilinear && now.0.phi2 != 0.0;
        let prepared = !felt && self.last == Some(now);
        self.last = Some(now);
        self.travelled += self.resolution.step;
        let this = &mut *self;
        let sums = simd::widest(
            #[inline(always)]
            || {
                if !prepared {
                    this.prepare(&now.0, felt);
                }
                let [x, y, m] = match this.alike && now.0.phi2 == 0.0 {
                    true => this.advance::<false>(),
                    false => this.advance::<true>(),
                };
                if this.alike { [x, y, m, m] } else { this.sums_of_forces(&now.0) }
            },
        );
        sums.map(|s| s * load)
    }

    /// E and b of every node that has not settled under these inputs.
    #[inline(always)]
    fn prepare(&mut self, motion: &Motion<f64>, felt: bool) {
        let wide = motion.cast(Wide::from);
        let (nodes, across, zero) = (self.c.len(), self.paths.len(), Wide::from(0.0));
        for i in self.settled..self.cells {
            for k in 0..nodes {
                let h = if i == 0 { self.c[k] } else { 1.0 } * self.resolution.step;
                let end = (i as f64 + self.c[k]) * self.resolution.step;
                let turn = |part: f64| {
                    let (s, c) = (motion.phi2 * h * part).sin_cos();
                    [c, s]
                };
                let (whole, parts) = (turn(1.0), self.stages.c.map(turn));
                for j in 0..self.reach[i] {
                    let at = (i * nodes + k) * across + j;
                    let p = &self.paths[j];
                    let v = wide.flow.velocity(p.x, p.y);
                    let slip = self.stages.c.map(
                        #[inline(always)]
                        |c| {
                            let tau = Wide::from(end - h + h * c);
                            let [x, y] = wide.flow.follow([p.x, p.y], v, tau);
                            wide.slip(x, y)
                        },
                    );
                    // The deflection is the one half way, which one correction gives.
                    let start = if i == 0 { [zero; 2] } else { self.state[at - nodes * across] };
                    let mut middle = start;
                    for _ in 0..if felt { 3 } else { 1 } {
                        let mut taken = slip;
                        if felt {
                            for t in &mut taken {
                                t[0] += wide.phi2 * middle[1];
                                t[1] += -(wide.phi2 * middle[0]);
                            }
                        }
                        let h = Wide::from(h);
                        let passage = if self.alike {
                            let mut drive = slip;
                            for (d, [c, s]) in drive.iter_mut().zip(parts) {
                                let [x, y] = *d;
                                *d = [-(x * c + y * s), x * s - y * c];
                            }
                            let forget = taken.map(
                                #[inline(always)]
                                |[x, y]| {
                                    let speed_squared = (x * x + y * y) * (wide.speed * wide.speed);
                                    self.wide.scalar_response(speed_squared).forget / wide.speed
                                },
                            );
                            passage_alike(&self.stages, h, forget, drive, whole)
                        } else {
                            let [p, q] = [0, 1].map(
                                #[inline(always)]
                                |s| local(&self.wide, &wide, slip[s], taken[s]),
                            );
                            passage(&self.stages, h, [p.0, q.0], [p.1, q.1])
                        };
                        self.passages[at] = passage;
                        if felt {
                            let to = times(&passage.e, start);
                            middle =
                                std::array::from_fn(|c| (start[c] + to[c] + passage.b[c]) * 0.5);
                        }
                    }
                }
            }
        }
    }

    /// Every bristle that has not settled moves on by one cell; the last go first. Returns ∫p Σ₀z and its moment
    /// for bristles that prefer no direction. `TURNED`: whether E is more than a number.
    #[inline(always)]
    fn advance<const TURNED: bool>(&mut self) -> [f64; 3] {
        let mut moving = [Wide::from(0.0); 3];
        for i in (self.settled + 1..self.cells).rev() {
            self.move_into::<TURNED>(i, &mut moving);
        }
        let stiffness = self.stiffness.xx.0[0];
        let total = |sums: [Wide; 3]| sums.map(|s| s.0.iter().sum::<f64>() * stiffness);
        if self.settled < self.cells {
            let mut settling = [Wide::from(0.0); 3];
            self.move_into::<TURNED>(self.settled, &mut settling);
            self.settled += 1;
            let settling = total(settling);
            self.kept = std::array::from_fn(|k| self.kept[k] + settling[k]);
        }
        let moving = total(moving);
        std::array::from_fn(|k| self.kept[k] + moving[k])
    }

    /// Bristles move into a cell, and are added up.
    #[inline(always)]
    fn move_into<const TURNED: bool>(&mut self, cell: usize, sums: &mut [Wide; 3]) {
        let (nodes, across, reach) = (self.c.len(), self.paths.len(), self.reach[cell]);
        for k in 0..nodes {
            let row = (cell * nodes + k) * across;
            let (before, behind) = self.state.split_at_mut(row);
            // Those of the first cell entered undeflected.
            let from = row.checked_sub(nodes * across).map(|at| &before[at..][..reach]);
            let to = &mut behind[..reach];
            let (p, w) = (&self.passages[row..][..reach], &self.weights[row..][..reach]);
            for (j, to) in to.iter_mut().enumerate() {
                let (p, w, mut z) = (&p[j], &w[j], p[j].b);
                if let Some(from) = from {
                    let from = from[j];
                    let moved = match TURNED {
                        true => times(&p.e, from),
                        false => [p.e[0][0] * from[0], p.e[0][0] * from[1]],
                    };
                    z = [moved[0] + z[0], moved[1] + z[1]];
                }
                *to = z;
                sums[0] += w[0] * z[0];
                sums[1] += w[0] * z[1];
                sums[2] += w[1] * z[1] - w[2] * z[0];
            }
        }
    }

    #[inline(always)]
    fn sums_of_forces(&self, motion: &Motion<f64>) -> Wrench {
        let wide = motion.cast(Wide::from);
        let damping = self.damping.scaled(wide.speed);
        let (nodes, across) = (self.c.len(), self.paths.len());
        let mut sums = [Wide::from(0.0); 4];
        for (at, (w, z)) in self.weights.iter().zip(&self.state).enumerate() {
            let (i, k, j) = (at / across / nodes, at / across % nodes, at % across);
            let p = &self.paths[j];
            let tau = Wide::from((i as f64 + self.c[k]) * self.resolution.step);
            let [x, y] = wide.flow.follow([p.x, p.y], wide.flow.velocity(p.x, p.y), tau);
            let slip = wide.slip(x, y);
            let (forget, drive) = local(&self.wide, &wide, slip, slip);
            let back = times(&forget, *z);
            let elastic = self.stiffness.times(*z);
            let viscous = damping.times([drive[0] - back[0], drive[1] - back[1]]);
            let f = [elastic[0] + viscous[0], elastic[1] + viscous[1]];
            sums[0] += w[0] * f[0];
            sums[1] += w[0] * f[1];
            let m = w[1] * f[1] - w[2] * f[0];
            sums[2] += m;
            sums[3] += m + w[0] * (z[0] * f[1] - z[1] * f[0]);
        }
        sums.map(|s| s.0.iter().sum())
    }

    /// The energy stored in the bristles, J, 004 (72).
    pub fn stored(&self, load: f64) -> f64 {
        let sum = self
            .weights
            .iter()
            .zip(&self.state)
            .fold(Wide::from(0.0), |sum, (w, z)| sum + w[0] * self.stiffness.form(*z) * 0.5);
        sum.0.iter().sum::<f64>() * load
    }
}

impl super::flow::Flow<f64> {
    /// The same in another scalar.
    pub fn cast<S: Real>(&self, f: impl Fn(f64) -> S) -> super::flow::Flow<S> {
        super::flow::Flow { phi1: f(self.phi1), epsilon: self.epsilon.map(&f) }
    }
}

/// A patch that rolls without spin: bristles that have travelled the same distance are alike.
#[derive(Clone, Debug)]
pub struct Straight<B> {
    bristle: B,
    c: Vec<f64>,
    step: f64,
    /// Load of each node and its moments.
    weights: [Vec<f64>; 3],
    state: [Vec<f64>; 2],
    passages: Vec<Passage<f64>>,
    whole: Passage<f64>,
    last: Option<[f64; 3]>,
    stiffness: Sym2<f64>,
    damping: Sym2<f64>,
    travelled: f64,
}

impl<B: Planar<f64> + Clone> Straight<B> {
    /// A patch of undeflected bristles.
    pub fn new(patch: &Patch<f64>, bristle: &B, resolution: Resolution) -> Result<Self, Refused> {
        validate(patch)?;
        resolution.check()?;
        let (shape, pressure, step) = (patch.shape(), patch.pressure(), resolution.step);
        let c: Vec<f64> = legendre(resolution.nodes).iter().map(|n| n.0).collect();
        let cells = (2.0 * shape.a / step - 1e-9).ceil().max(1.0) as usize;
        let count = cells * c.len();
        let mut weights = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
        let rule = legendre(10);
        let (basis, mut values) = (Lagrange::new(&c), vec![0.0; c.len()]);
        for row in shape.rows(40) {
            for i in 0..cells {
                let (from, to) = (i as f64 * step, ((i + 1) as f64 * step).min(2.0 * row.x));
                if to <= from {
                    continue;
                }
                for (x, w) in rule {
                    let tau = from + (to - from) * x;
                    let at = row.x - tau;
                    let load = pressure.at(&shape, at, row.y) * row.weight * (to - from) * w;
                    basis.at(tau / step - i as f64, &mut values);
                    for (k, value) in values.iter().enumerate() {
                        weights[0][i * c.len() + k] += load * value;
                        weights[1][i * c.len() + k] += load * value * at;
                        weights[2][i * c.len() + k] += load * value * row.y;
                    }
                }
            }
        }
        let none = Passage { e: [[0.0; 2]; 2], b: [0.0; 2] };
        Ok(Straight {
            passages: vec![none; c.len()],
            whole: none,
            last: None,
            stiffness: bristle.stiffness(),
            damping: bristle.damping(),
            bristle: bristle.clone(),
            c,
            step,
            weights,
            state: [vec![0.0; count], vec![0.0; count]],
            travelled: 0.0,
        })
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Rolls on by one step at slip σ and speed V_r, those of the middle of the step; `load` multiplies the
    /// vertical force of the patch.
    pub fn step(&mut self, sigma: [f64; 2], speed: f64, load: f64) -> Wrench {
        let now = [sigma[0], sigma[1], speed];
        let r = self.bristle.response([sigma[0] * speed, sigma[1] * speed]);
        let follow = times(&r.follow, sigma);
        let forget = r.forget.map(|row| row.map(|f| f / speed));
        if self.last != Some(now) {
            // Coefficients that are constant along a step: the exact solution.
            for k in 0..self.c.len() {
                self.passages[k] = exact(self.c[k] * self.step, &forget, follow);
            }
            self.whole = exact(self.step, &forget, follow);
            self.last = Some(now);
        }
        self.travelled += self.step;
        let nodes = self.c.len();
        let Passage { e, b } = self.whole;
        let [zx, zy] = &mut self.state;
        let count = zx.len();
        zx.copy_within(0..count - nodes, nodes);
        zy.copy_within(0..count - nodes, nodes);
        for (x, y) in zx.iter_mut().zip(zy.iter_mut()) {
            (*x, *y) = (e[0][0] * *x + e[0][1] * *y + b[0], e[1][0] * *x + e[1][1] * *y + b[1]);
        }
        for k in 0..nodes {
            (zx[k], zy[k]) = (self.passages[k].b[0], self.passages[k].b[1]);
        }
        let [w, wx, wy] = &self.weights;
        // f = Σ₀z + V_rΣ₁(follow − forget z) = G z + g
        let damping = self.damping.scaled(speed);
        let g = damping.times(follow);
        let s0 = [[self.stiffness.xx, self.stiffness.xy], [self.stiffness.xy, self.stiffness.yy]];
        let back = product(&[[damping.xx, damping.xy], [damping.xy, damping.yy]], &forget);
        let pull: [[f64; 2]; 2] =
            std::array::from_fn(|i| std::array::from_fn(|j| s0[i][j] - back[i][j]));
        let mut t = [0.0; 10];
        for k in 0..count {
            let (x, y) = (zx[k], zy[k]);
            let row = [
                w[k] * x,
                w[k] * y,
                wx[k] * x,
                wx[k] * y,
                wy[k] * x,
                wy[k] * y,
                w[k] * x * x,
                w[k] * x * y,
                w[k] * y * y,
                w[k],
            ];
            for (t, r) in t.iter_mut().zip(row) {
                *t += r;
            }
        }
        let sum = |v: &[f64]| -> f64 { v.iter().sum() };
        let (mx, my) = if g == [0.0; 2] { (0.0, 0.0) } else { (sum(wx), sum(wy)) };
        let along =
            |i: usize, x: f64, y: f64, one: f64| pull[i][0] * x + pull[i][1] * y + g[i] * one;
        let force = [along(0, t[0], t[1], t[9]), along(1, t[0], t[1], t[9])];
        let moment = along(1, t[2], t[3], mx) - along(0, t[4], t[5], my);
        let more = along(1, t[6], t[7], t[0]) - along(0, t[7], t[8], t[1]);
        [force[0], force[1], moment, moment + more].map(|s| s * load)
    }
}

/// The passage through a stretch of length h on which nothing changes.
fn exact(h: f64, forget: &[[f64; 2]; 2], drive: [f64; 2]) -> Passage<f64> {
    let [e, integral] = relax(forget, h);
    Passage { e, b: times(&integral, drive) }
}

/// The distance after which a quantity has covered 63 % (1 − 1/e) of the way to its last value, by linear
/// interpolation between samples (s, value); `None` if it starts there.
pub fn relaxation_length(samples: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    let level = |v: f64| (v - first.1) / (last.1 - first.1);
    let target = 1.0 - (-1.0f64).exp();
    let i = samples.iter().position(|s| level(s.1) >= target)?;
    let (p, q) = (samples.get(i.checked_sub(1)?)?, samples[i]);
    Some(p.0 + (q.0 - p.0) * (target - level(p.1)) / (level(q.1) - level(p.1)))
}

/// The distance after which the response to a step is over: that of the longest path, exactly.
pub fn settling_distance(patch: &Patch<f64>, rolling: &Rolling<f64>) -> Result<f64, Refused> {
    validate(patch)?;
    validate(rolling)?;
    let (shape, flow) = (patch.shape(), motion(rolling).flow);
    if let Some(centre) = flow.centre()
        && shape.level(centre[0], centre[1]) <= 1.0
    {
        return Err(Refused::CentreInside { phi1: flow.phi1, centre });
    }
    let (mut panels, mut paths) = (Vec::new(), Vec::new());
    inflow::panels(&shape, &flow, &mut panels);
    let density = LEVELS[LEVELS.len() - 1].density;
    inflow::paths(&shape, &flow, &panels, |p| density.of(p), &mut paths);
    // The longest of the sampled paths, and a parabola through it and its neighbours in length.
    let start = paths
        .iter()
        .flat_map(|p| (0..WIDTH).map(|i| (p.length.0[i], [p.x.0[i], p.y.0[i]])))
        .fold((0.0, [0.0; 2]), |best, p| if p.0 > best.0 { p } else { best });
    Ok(inflow::longest(&shape, &flow, start.1))
}
