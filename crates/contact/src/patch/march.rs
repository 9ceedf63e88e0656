//! Deflections along paths, by Gauss collocation cell after cell.
//!
//! Per metre travelled, z′ = −B(v)v̄_r − A(v)z/V_r with v̄_r = v̄ + φ₂(z_y, −z_x): 004 (44), (52), (55), with A and
//! B of the kernel's bristle at the velocity −V_r v̄. A cell with N stages turns this into N linear equations
//! (2N where directions are coupled), exact for polynomials of degree N, of order 2N at its end, and without
//! a limit on A: a bristle that forgets fast simply sits at its steady deflection.
use super::Model;
use super::flow::{Flow, turn};
use super::inflow::{Paths, WIDTH, Wide};
use super::matrix::{inverse, product, times};
use super::pressure::Pressure;
use super::shape::Shape;
use crate::quadrature::Stages;
use bristle_kernel::{Logic, Planar, Real, ScalarResponse, Sym2};
use bristle_num::{Dual, Lanes, Single, Swift};

/// A scalar in which paths are followed: lanes of some precision, or lanes with derivatives.
pub trait Side: Real {
    /// A constant.
    fn lift(x: Wide) -> Self;
    /// The value without derivatives.
    fn value(self) -> Wide;
}

impl Side for Wide {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        x
    }
    #[inline(always)]
    fn value(self) -> Wide {
        self
    }
}

impl Side for Swift<WIDTH> {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        Swift(x)
    }
    #[inline(always)]
    fn value(self) -> Wide {
        self.0
    }
}

impl Side for Single<WIDTH> {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        Single::from(x)
    }
    #[inline(always)]
    fn value(self) -> Wide {
        self.lanes()
    }
}

impl<const N: usize> Side for Dual<Lanes<WIDTH>, N> {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        Dual::constant(x)
    }
    #[inline(always)]
    fn value(self) -> Wide {
        self.re
    }
}

/// What drives the bristles, per metre travelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<S> {
    /// σ, the translational slip.
    pub sigma: [S; 2],
    /// φ, the total spin slip, 1/m.
    pub phi: S,
    /// φ₂, 1/m, as far as the model feels it.
    pub phi2: S,
    /// V_r, m/s.
    pub speed: S,
    /// The way bristles travel.
    pub flow: Flow<S>,
}

impl<S: Real> Motion<S> {
    /// The rigid slip velocity v̄, 004 (41).
    #[inline(always)]
    pub fn slip(&self, x: S, y: S) -> [S; 2] {
        [self.phi * y - self.sigma[0], -(self.phi * x) - self.sigma[1]]
    }
}

/// One node of a path.
#[derive(Clone, Copy, Debug)]
pub struct Node<S> {
    /// The area it stands for, m².
    pub area: S,
    /// The load on it, N.
    pub load: S,
    /// Where it is.
    pub at: [S; 2],
    /// The deflection, m.
    pub z: [S; 2],
    /// Its derivative along the path.
    pub dz: [S; 2],
    /// v̄_r.
    pub slip: [S; 2],
}

/// What is summed over all nodes.
pub trait Tally<S: Real> {
    /// A node of a path.
    fn node(&mut self, node: &Node<S>);
    /// The end of a path: where it leaves, with which deflection, and the load that leaves, N/m.
    #[inline(always)]
    fn exit(&mut self, _at: [S; 2], _z: [S; 2], _load: S) {}
    /// Whether ends are wanted.
    const EXITS: bool = false;
}

/// F_x, F_y and M_z in both configurations, 004 (37), (38).
#[derive(Clone, Copy, Debug)]
pub struct Forces<S> {
    stiffness: Sym2<S>,
    /// V_rΣ₁.
    damping: Sym2<S>,
    /// The sums.
    pub sums: [S; 4],
}

impl<S: Real> Forces<S> {
    /// No force yet.
    #[inline(always)]
    pub fn new(bristle: &impl Planar<S>, speed: S) -> Self {
        let damping = bristle.damping().scaled(speed);
        Forces { stiffness: bristle.stiffness(), damping, sums: [S::from(0.0); 4] }
    }
}

impl<S: Real> Tally<S> for Forces<S> {
    #[inline(always)]
    fn node(&mut self, n: &Node<S>) {
        let ([ex, ey], [dx, dy]) = (self.stiffness.times(n.z), self.damping.times(n.dz));
        let (fx, fy) = ((ex + dx) * n.load, (ey + dy) * n.load); // (36)
        let [x, y] = n.at;
        self.sums[0] += fx;
        self.sums[1] += fy;
        self.sums[2] += x * fy - y * fx; // (37b)
        self.sums[3] += (x + n.z[0]) * fy - (y + n.z[1]) * fx; // (38)
    }
}

/// How nodes lie in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// As the rule says.
    Even,
    /// Crowding quadratically towards the end.
    ToEnd,
    /// Crowding quadratically towards the start.
    ToStart,
}

impl Spread {
    /// Where the node c of a rule on [0, 1] lies, and dτ/dc there, over the length of the cell.
    #[inline(always)]
    pub fn at(self, c: f64) -> [f64; 2] {
        match self {
            Spread::Even => [c, 1.0],
            Spread::ToEnd => [c * (2.0 - c), 2.0 * (1.0 - c)],
            Spread::ToStart => [c * c, 2.0 * c],
        }
    }
}

/// The cells of a path, the same parts of every path: a bound is `from[0]` times the distance to the
/// point where paths are divided plus `from[1]` times the distance from there to the end.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// The bounds, the first of them the entry.
    pub bounds: [[f64; 2]; MAX_CELLS + 1],
    /// How nodes lie in each cell.
    pub spread: [Spread; MAX_CELLS],
    /// How many cells.
    pub count: usize,
}

/// More cells than any rule asks for.
pub const MAX_CELLS: usize = 95;

impl Cells {
    /// None yet.
    pub fn none() -> Self {
        Cells { bounds: [[0.0; 2]; MAX_CELLS + 1], spread: [Spread::Even; MAX_CELLS], count: 0 }
    }

    /// One more, up to that bound.
    pub fn push(&mut self, bound: [f64; 2], spread: Spread) {
        if self.count < MAX_CELLS {
            self.spread[self.count] = spread;
            self.count += 1;
            self.bounds[self.count] = bound;
        }
    }

    #[inline(always)]
    fn bound<S: Real>(&self, k: usize, [before, after]: [S; 2]) -> S {
        before * self.bounds[k][0] + after * self.bounds[k][1]
    }
}

/// What a march needs to know and does not change.
#[derive(Clone, Copy)]
pub struct Course<'a, S, B, const N: usize> {
    /// The outline.
    pub shape: &'a Shape,
    /// The pressure.
    pub pressure: &'a Pressure,
    /// The bristle.
    pub bristle: &'a B,
    /// What drives it.
    pub motion: Motion<S>,
    /// Which velocity A and B are taken at.
    pub model: Model,
    /// The collocation rule.
    pub stages: &'a Stages<N>,
    /// When the iteration of Model 2 has settled, m.
    pub settled: f64,
    /// 1/V_r, s/m.
    pub pace: S,
}

/// Where paths begin.
#[derive(Clone, Copy)]
struct Start<S> {
    entry: [S; 2],
    /// V̄ there.
    v: [S; 2],
    /// The flow that enters, m.
    weight: S,
    /// The lengths before and after the point where cells are divided.
    parts: [S; 2],
}

/// The part of a node that does not depend on the deflection.
#[derive(Clone, Copy)]
struct Place<S> {
    tau: S,
    at: [S; 2],
    slip: [S; 2],
    area: S,
    load: S,
    /// dτ/dc over the length of the cell.
    stretch: f64,
}

impl<S: Side, B: Planar<S>, const N: usize> Course<'_, S, B, N> {
    /// The nodes of one cell.
    #[inline(always)]
    fn places(&self, start: &Start<S>, [from, to]: [S; 2], spread: Spread) -> [Place<S>; N] {
        let (zero, length) = (S::from(0.0), to - from);
        let none = Place {
            tau: zero,
            at: [zero; 2],
            slip: [zero; 2],
            area: zero,
            load: zero,
            stretch: 1.0,
        };
        let mut places = [none; N];
        // A plain loop: what is built by a function of the index is not always inlined.
        for i in 0..N {
            let [c, stretch] = spread.at(self.stages.c[i]);
            let tau = from + length * c;
            let at = self.motion.flow.follow(start.entry, start.v, tau);
            let slip = self.motion.slip(at[0], at[1]);
            let p = self.pressure.at(self.shape, at[0], at[1]);
            let area = start.weight * length * (stretch * self.stages.b[i]);
            places[i] = Place { tau, at, slip, area, load: p * area, stretch };
        }
        places
    }

    /// The length of paths, which changes as they bend: |x/a|ⁿ + |y/b|ᵐ = 1 where they end.
    #[inline(always)]
    pub fn length(&self, paths: &Paths) -> S {
        let (flow, length) = (&self.motion.flow, S::lift(paths.length));
        if flow.phi1 == S::lift(flow.phi1.value()) {
            return length;
        }
        let entry = [S::lift(paths.x), S::lift(paths.y)];
        let end = flow.follow(entry, flow.velocity(entry[0], entry[1]), length);
        let (g, v) = (self.shape.gradient(end[0], end[1]), flow.velocity(end[0], end[1]));
        let (outward, level) = (g[0] * v[0] + g[1] * v[1], self.shape.level(end[0], end[1]));
        // One step of Newton's method changes nothing but derivatives; a path without an end has none.
        let leaves = outward.gt(S::from(0.0));
        let step = (level - S::lift(level.value())) / S::select(leaves, outward, S::from(1.0));
        S::select(leaves, length - step, length)
    }

    /// Follows paths of a length from their entry to their end, through cells divided `nearest` metres behind
    /// the entry.
    #[inline(always)]
    pub fn march(
        &self,
        paths: &Paths,
        [nearest, length]: [S; 2],
        cells: &Cells,
        tally: &mut impl Tally<S>,
    ) {
        let entry = [S::lift(paths.x), S::lift(paths.y)];
        let v = self.motion.flow.velocity(entry[0], entry[1]);
        let weight = (v[0] * S::lift(paths.dy) - v[1] * S::lift(paths.dx)).abs();
        let parts = [nearest, length - nearest];
        let start = Start { entry, v, weight, parts };
        let zero = S::from(0.0);
        let still = self.motion.phi2 == zero;
        // A rotating frame takes the turning by φ₂ away where B = 1; elsewhere directions are coupled.
        let alike = self.bristle.is_alike();
        if alike && (still || self.bristle.damping().xx == zero) {
            self.march_scalar(&start, cells, still, tally);
        } else {
            self.march_coupled(&start, cells, still, tally);
        }
    }

    /// The velocity, per metre travelled, at which A and B are taken.
    #[inline(always)]
    fn taken_at(&self, slip: [S; 2], z: [S; 2]) -> [S; 2] {
        match self.model {
            Model::Semilinear => self.felt(slip, z),
            _ => slip,
        }
    }

    /// v̄_r, 004 (50).
    #[inline(always)]
    fn felt(&self, slip: [S; 2], z: [S; 2]) -> [S; 2] {
        let phi2 = self.motion.phi2;
        [slip[0] + phi2 * z[1], slip[1] - phi2 * z[0]]
    }

    #[inline(always)]
    fn scalar_at(&self, v: [S; 2]) -> ScalarResponse<S> {
        let speed = self.motion.speed;
        let r = self.bristle.scalar_response((v[0] * v[0] + v[1] * v[1]) * (speed * speed));
        ScalarResponse { forget: r.forget * self.pace, follow: r.follow }
    }

    #[inline(always)]
    fn march_scalar(&self, from: &Start<S>, cells: &Cells, still: bool, tally: &mut impl Tally<S>) {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let iterate = !still && self.model == Model::Semilinear;
        let a = &self.stages.a;
        let mut z = [zero; 2];
        for k in 0..cells.count {
            let bounds = [cells.bound(k, from.parts), cells.bound(k + 1, from.parts)];
            let length = bounds[1] - bounds[0];
            let places = self.places(from, bounds, cells.spread[k]);
            // In the frame turned by φ₂τ, z = e^{iφ₂τ}w and w′ = −A w − e^{−iφ₂τ}v̄.
            let mut turns = [[one, zero]; N];
            if !still {
                for i in 0..N {
                    turns[i] = self.turned(places[i].tau);
                }
            }
            let mut forget = [zero; N];
            let mut drive = [[zero; 2]; N];
            for i in 0..N {
                let p = &places[i];
                if !iterate {
                    let r = self.scalar_at(p.slip);
                    forget[i] = r.forget * p.stretch;
                    let follow = -(r.follow * p.stretch);
                    drive[i] = [follow * p.slip[0], follow * p.slip[1]];
                } else {
                    drive[i] = [p.slip[0] * -p.stretch, p.slip[1] * -p.stretch];
                }
                if !still {
                    drive[i] = rotate([turns[i][0], -turns[i][1]], drive[i]);
                }
            }
            let mut start = [z; N];
            for i in 0..N {
                let mut sum = [zero; 2];
                for j in 0..N {
                    sum = [sum[0] + drive[j][0] * a[i][j], sum[1] + drive[j][1] * a[i][j]];
                }
                start[i] = [z[0] + length * sum[0], z[1] + length * sum[1]];
            }
            let mut stage = [z; N];
            if iterate {
                for _ in 0..MOST_ITERATIONS {
                    for i in 0..N {
                        let fixed = rotate(turns[i], stage[i]);
                        let felt = self.felt(places[i].slip, fixed);
                        forget[i] = self.scalar_at(felt).forget * places[i].stretch;
                    }
                    let before = stage;
                    stage = solve_scalar(a, length, &forget, start);
                    if unchanged(&before, &stage, self.settled) {
                        break;
                    }
                }
            } else {
                stage = solve_scalar(a, length, &forget, start);
            }
            let mut gain = [zero; 2];
            for i in 0..N {
                let p = &places[i];
                let rate =
                    [drive[i][0] - forget[i] * stage[i][0], drive[i][1] - forget[i] * stage[i][1]];
                gain = [gain[0] + rate[0] * self.stages.b[i], gain[1] + rate[1] * self.stages.b[i]];
                let here = if still { stage[i] } else { rotate(turns[i], stage[i]) };
                let felt = self.felt(p.slip, here);
                // z′ in the fixed frame, from the equation itself; B = 1 wherever frames turn.
                let dz = if still {
                    [rate[0] * (1.0 / p.stretch), rate[1] * (1.0 / p.stretch)]
                } else {
                    let fast = forget[i] * (1.0 / p.stretch);
                    [-(fast * here[0]) - felt[0], -(fast * here[1]) - felt[1]]
                };
                tally.node(&Node { area: p.area, load: p.load, at: p.at, z: here, dz, slip: felt });
            }
            z = [z[0] + length * gain[0], z[1] + length * gain[1]];
        }
        self.leave(from, cells, z, still, tally);
    }

    /// e^{iφ₂τ}.
    #[inline(always)]
    fn turned(&self, tau: S) -> [S; 2] {
        let theta = self.motion.phi2 * tau;
        let [s, c] = turn(theta);
        [S::from(1.0) - c * theta, s * theta]
    }

    /// Tells where paths end; z is in the frame that turns, unless all is still.
    #[inline(always)]
    fn leave<T: Tally<S>>(
        &self,
        from: &Start<S>,
        cells: &Cells,
        z: [S; 2],
        still: bool,
        tally: &mut T,
    ) {
        if !T::EXITS {
            return;
        }
        let end = cells.bound(cells.count, from.parts);
        let at = self.motion.flow.follow(from.entry, from.v, end);
        let p = self.pressure.at(self.shape, at[0], at[1]);
        let z = if still { z } else { rotate(self.turned(end), z) };
        tally.exit(at, z, p * from.weight);
    }

    /// Not inlined: its equations are many, and it is the rarer case.
    #[inline(never)]
    fn march_coupled(
        &self,
        from: &Start<S>,
        cells: &Cells,
        still: bool,
        tally: &mut impl Tally<S>,
    ) {
        let zero = S::from(0.0);
        let iterate = !still && self.model == Model::Semilinear;
        let (phi2, speed, pace) = (self.motion.phi2, self.motion.speed, self.pace);
        let mut z = [zero; 2];
        for k in 0..cells.count {
            let bounds = [cells.bound(k, from.parts), cells.bound(k + 1, from.parts)];
            let length = bounds[1] - bounds[0];
            let places = self.places(from, bounds, cells.spread[k]);
            let mut stage = [z; N];
            // z′ = d − E z with E = A/V_r + φ₂B[[0, 1], [−1, 0]].
            let mut forget = [[[zero; 2]; 2]; N];
            let mut drive = [[zero; 2]; N];
            for _ in 0..if iterate { MOST_ITERATIONS } else { 1 } {
                for i in 0..N {
                    let p = &places[i];
                    let taken = self.taken_at(p.slip, stage[i]);
                    let r = self.bristle.response([-(taken[0] * speed), -(taken[1] * speed)]);
                    let (f, b) = (r.forget, r.follow);
                    forget[i] = [
                        [f[0][0] * pace - phi2 * b[0][1], f[0][1] * pace + phi2 * b[0][0]],
                        [f[1][0] * pace - phi2 * b[1][1], f[1][1] * pace + phi2 * b[1][0]],
                    ];
                    let follow = times(&b, p.slip);
                    drive[i] = [-follow[0], -follow[1]];
                }
                let before = stage;
                self.solve_coupled(length, &places, &forget, &drive, z, &mut stage);
                if !iterate || unchanged(&before, &stage, self.settled) {
                    break;
                }
            }
            let mut gain = [zero; 2];
            for i in 0..N {
                let p = &places[i];
                let back = times(&forget[i], stage[i]);
                let dz = [drive[i][0] - back[0], drive[i][1] - back[1]];
                let w = self.stages.b[i] * p.stretch;
                gain = [gain[0] + dz[0] * w, gain[1] + dz[1] * w];
                let slip = self.felt(p.slip, stage[i]);
                tally.node(&Node { area: p.area, load: p.load, at: p.at, z: stage[i], dz, slip });
            }
            z = [z[0] + length * gain[0], z[1] + length * gain[1]];
        }
        self.leave(from, cells, z, true, tally);
    }

    /// z_i + h Σ_j a_ij s_j E_j z_j = z + h Σ_j a_ij s_j d_j for all stages: block elimination without pivoting,
    /// which the positive definite symmetric part of a Gauss rule's equations allows.
    #[inline(always)]
    fn solve_coupled(
        &self,
        length: S,
        places: &[Place<S>; N],
        forget: &[[[S; 2]; 2]; N],
        drive: &[[S; 2]; N],
        z: [S; 2],
        stage: &mut [[S; 2]; N],
    ) {
        let zero = S::from(0.0);
        let a = &self.stages.a;
        let mut m = [[[[zero; 2]; 2]; N]; N];
        let mut right = [z; N];
        for i in 0..N {
            for j in 0..N {
                let h = length * (a[i][j] * places[j].stretch);
                for r in 0..2 {
                    for c in 0..2 {
                        m[i][j][r][c] = h * forget[j][r][c];
                    }
                    right[i][r] += h * drive[j][r];
                }
            }
            m[i][i][0][0] += S::from(1.0);
            m[i][i][1][1] += S::from(1.0);
        }
        let mut pivots = [[[zero; 2]; 2]; N];
        for q in 0..N {
            pivots[q] = inverse(&m[q][q]);
            for i in q + 1..N {
                let factor = product(&m[i][q], &pivots[q]);
                for j in q + 1..N {
                    let less = product(&factor, &m[q][j]);
                    for r in 0..2 {
                        for c in 0..2 {
                            m[i][j][r][c] = m[i][j][r][c] - less[r][c];
                        }
                    }
                }
                let less = times(&factor, right[q]);
                right[i] = [right[i][0] - less[0], right[i][1] - less[1]];
            }
        }
        for q in (0..N).rev() {
            for j in q + 1..N {
                let less = times(&m[q][j], stage[j]);
                right[q] = [right[q][0] - less[0], right[q][1] - less[1]];
            }
            stage[q] = times(&pivots[q], right[q]);
        }
    }
}

/// Model 2 contracts by φ₂zA′h per iteration; what has not settled by then is refined by shorter cells.
const MOST_ITERATIONS: usize = 12;

#[inline(always)]
fn unchanged<S: Side, const N: usize>(a: &[[S; 2]; N], b: &[[S; 2]; N], settled: f64) -> bool {
    let mut change = Wide::from(0.0);
    for i in 0..N {
        for j in 0..2 {
            change = change.max((a[i][j] - b[i][j]).value().abs());
        }
    }
    change.le(Wide::from(settled)).all()
}

#[inline(always)]
fn rotate<S: Real>([c, s]: [S; 2], v: [S; 2]) -> [S; 2] {
    [c * v[0] - s * v[1], s * v[0] + c * v[1]]
}

/// (I + h a diag(forget)) z = right.
#[inline(always)]
fn solve_scalar<S: Real, const N: usize>(
    a: &[[f64; N]; N],
    length: S,
    forget: &[S; N],
    mut right: [[S; 2]; N],
) -> [[S; 2]; N] {
    let zero = S::from(0.0);
    let mut m = [[zero; N]; N];
    for j in 0..N {
        let h = length * forget[j];
        for i in 0..N {
            m[i][j] = h * a[i][j];
        }
        m[j][j] += S::from(1.0);
    }
    let mut pivots = [zero; N];
    for q in 0..N {
        pivots[q] = S::from(1.0) / m[q][q];
        for i in q + 1..N {
            let factor = m[i][q] * pivots[q];
            for j in q + 1..N {
                m[i][j] = m[i][j] - factor * m[q][j];
            }
            right[i] = [right[i][0] - factor * right[q][0], right[i][1] - factor * right[q][1]];
        }
    }
    for q in (0..N).rev() {
        for j in q + 1..N {
            right[q] = [right[q][0] - m[q][j] * right[j][0], right[q][1] - m[q][j] * right[j][1]];
        }
        right[q] = [right[q][0] * pivots[q], right[q][1] * pivots[q]];
    }
    right
}
