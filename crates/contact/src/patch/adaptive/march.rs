//! Deflections along paths, by collocation cell after cell.
//!
//! Per metre travelled, z′ = −B(v)v̄_r − A(v)z/V_r with v̄_r = v̄ + φ₂(z_y, −z_x): 004 (44), (52), (55), with A and
//! B of the kernel's bristle at the velocity −V_r v̄, in Model 2 at −V_r v̄_r. A cell with N stages turns this into N linear
//! equations, (A⁻¹ + h diag λ)z = A⁻¹z₀ + h d with the A of [`Radau`], or 2N where directions are coupled.
use super::bristles::{Bristles, WideDual};
use super::rules::Radau;
use crate::patch::Model;
use crate::patch::inflow::{Paths, Wide};
use crate::patch::march::Motion;
use crate::patch::matrix::{inverse, product, times, turned};
use crate::patch::pressure::Pressure;
use crate::patch::shape::Shape;
use bristle_kernel::{Matrix2, Real, Response, ScalarResponse, Sym2};
use bristle_num::{Dual, Logic};

/// A scalar in which paths are followed: plain lanes, or lanes with a derivative.
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

impl Side for WideDual {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        Dual::constant(x)
    }
    #[inline(always)]
    fn value(self) -> Wide {
        self.re
    }
}

/// One node of a path.
#[derive(Clone, Copy, Debug)]
pub struct Node<S> {
    /// The load on it, N.
    pub load: S,
    /// Where it is.
    pub at: [S; 2],
    /// The deflection, m.
    pub z: [S; 2],
    /// Its derivative along the path.
    pub dz: [S; 2],
}

/// What is summed over all nodes.
pub trait Tally<S: Real> {
    /// A node of a path.
    fn node(&mut self, node: &Node<S>);
    /// The end of a path: with which deflection, and the load that leaves, N/m.
    #[inline(always)]
    fn exit(&mut self, _z: [S; 2], _load: S) {}
}

/// F_x, F_y and M_z in both configurations, 004 (37), (38), and the load that was met.
#[derive(Clone, Copy, Debug)]
pub struct Forces<S> {
    stiffness: Sym2<S>,
    /// V_rΣ₁.
    damping: Sym2<S>,
    /// The sums.
    pub sums: [S; 5],
}

impl<S: Real> Forces<S> {
    /// No force yet.
    pub fn new(bristle: &dyn Bristles<S>, speed: S) -> Self {
        let damping = bristle.damping().scaled(speed);
        Forces { stiffness: bristle.stiffness(), damping, sums: [S::from(0.0); 5] }
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
        self.sums[4] += n.load;
    }
}

/// Bounds of the cells of every path, as parts of its way to where it is divided and of its way from there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// From 0, above it, to 1: before the division.
    pub before: Vec<f64>,
    /// From 0, above it, to 1: behind the division; empty where paths are not divided.
    pub behind: Vec<f64>,
}

/// What a march needs to know and does not change.
pub struct Course<'a, S> {
    /// The outline.
    pub shape: &'a Shape,
    /// The pressure.
    pub pressure: &'a Pressure,
    /// The bristle.
    pub bristle: &'a dyn Bristles<S>,
    /// What drives it.
    pub motion: Motion<S>,
    /// Which velocity A and B are taken at.
    pub model: Model,
    /// When the iteration of Model 2 has settled, m.
    pub settled: f64,
}

/// Iterations of Model 2 in one cell. What has not settled by then does not count as solved, and cells grow shorter.
const MOST_ITERATIONS: usize = 30;

/// How a cell is solved.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    /// Directions are alike and nothing turns.
    Still,
    /// Directions are alike; in a frame that turns by φ₂τ, z = e^{iφ₂τ}w and w′ = −λw − e^{−iφ₂τ}v̄.
    Turning,
    /// Directions are coupled.
    Coupled,
}

impl<S: Side> Course<'_, S> {
    fn frame(&self) -> Frame {
        let (zero, alike) = (S::from(0.0), self.bristle.is_alike());
        match self.motion.phi2 == zero {
            true if alike => Frame::Still,
            false if alike && self.bristle.damping().xx == zero => Frame::Turning,
            _ => Frame::Coupled,
        }
    }

    /// Follows paths of a length from their entry to their end through cells divided `nearest` metres behind the entry.
    /// Says whether every iteration settled.
    #[inline(always)]
    pub fn march<const N: usize>(
        &self,
        rule: &Radau<N>,
        paths: &Paths,
        [nearest, length]: [S; 2],
        cells: &Cells,
        tally: &mut impl Tally<S>,
    ) -> bool {
        let (zero, frame) = (S::from(0.0), self.frame());
        let entry = [S::lift(paths.x), S::lift(paths.y)];
        let v = self.motion.flow.velocity(entry[0], entry[1]);
        let flux = (v[0] * S::lift(paths.dy) - v[1] * S::lift(paths.dx)).abs();
        let (mut z, mut from, mut settled) = ([zero; 2], zero, true);
        let before = cells.before.iter().map(|part| nearest * *part);
        let behind = cells.behind.iter().map(|part| nearest + (length - nearest) * *part);
        for to in before.chain(behind) {
            let cell = Cell::new(self, rule, entry, v, [from, to], flux, frame);
            settled &= match frame {
                Frame::Coupled => cell.coupled(self, rule, &mut z, tally),
                _ => cell.scalar(self, rule, &mut z, tally),
            };
            from = to;
        }
        let at = self.motion.flow.follow(entry, v, from);
        let p = self.pressure.at(self.shape, at[0], at[1]);
        tally.exit(z, p * flux);
        settled
    }
}

/// The nodes of one cell.
struct Cell<S, const N: usize> {
    length: S,
    /// Whether Model 2 has to be iterated.
    iterate: bool,
    at: [[S; 2]; N],
    slip: [[S; 2]; N],
    load: [S; N],
    /// e^{iφ₂(τ − τ₀)}, τ₀ being where the cell begins.
    turns: [[S; 2]; N],
}

impl<S: Side, const N: usize> Cell<S, N> {
    #[inline(always)]
    fn new(
        course: &Course<'_, S>,
        rule: &Radau<N>,
        entry: [S; 2],
        v: [S; 2],
        [from, to]: [S; 2],
        flux: S,
        frame: Frame,
    ) -> Self {
        let (zero, one, motion) = (S::from(0.0), S::from(1.0), &course.motion);
        let length = to - from;
        let mut cell = Cell {
            length,
            iterate: course.model == Model::Semilinear && motion.phi2 != zero,
            at: [[zero; 2]; N],
            slip: [[zero; 2]; N],
            load: [zero; N],
            turns: [[one, zero]; N],
        };
        // Plain loops: what is built by a function of the index is not always inlined.
        for i in 0..N {
            let ahead = length * rule.c[i];
            let at = motion.flow.follow(entry, v, from + ahead);
            cell.at[i] = at;
            cell.slip[i] = motion.slip(at[0], at[1]);
            let area = flux * length * rule.b[i];
            cell.load[i] = course.pressure.at(course.shape, at[0], at[1]) * area;
            if frame == Frame::Turning {
                let theta = motion.phi2 * ahead;
                cell.turns[i] = [theta.cos(), theta.sin()];
            }
        }
        cell
    }

    /// Where the directions are alike.
    #[inline(always)]
    fn scalar(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: &mut [S; 2],
        tally: &mut impl Tally<S>,
    ) -> bool {
        let (zero, speed) = (S::from(0.0), course.motion.speed);
        let (square, pace, h) = (speed * speed, S::from(1.0) / speed, self.length);
        let mut responses = [ScalarResponse { forget: zero, follow: zero }; N];
        let (mut squares, mut forget) = ([zero; N], [zero; N]);
        let (mut drive, mut w) = ([[zero; 2]; N], [*z; N]);
        let mut settled = false;
        for _ in 0..if self.iterate { MOST_ITERATIONS } else { 1 } {
            for i in 0..N {
                let v = match self.iterate {
                    true => course.motion.felt_at(self.slip[i], turned(self.turns[i], w[i])),
                    false => self.slip[i],
                };
                squares[i] = (v[0] * v[0] + v[1] * v[1]) * square;
            }
            course.bristle.scalar_responses(&squares, &mut responses);
            for i in 0..N {
                let ([c, s], r) = (self.turns[i], responses[i]);
                forget[i] = r.forget * pace;
                drive[i] = turned([c, -s], self.slip[i].map(|v| -(r.follow * v)));
            }
            let before = w;
            w = solve_scalar(rule, h, &forget, &drive, *z);
            settled = !self.iterate || unchanged(&before, &w, course.settled);
            if settled {
                break;
            }
        }
        for i in 0..N {
            let here = turned(self.turns[i], w[i]);
            let slip = course.motion.felt_at(self.slip[i], here);
            // z′ from the equation itself.
            let r = &responses[i];
            let dz = std::array::from_fn(|k| -(r.follow * slip[k]) - forget[i] * here[k]);
            self.tell(i, here, dz, tally);
        }
        *z = turned(self.turns[N - 1], w[N - 1]);
        settled
    }

    /// Where they are not; not inlined: its equations are many, and it is the rarer case.
    #[inline(never)]
    fn coupled(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: &mut [S; 2],
        tally: &mut impl Tally<S>,
    ) -> bool {
        let (zero, speed, phi2) = (S::from(0.0), course.motion.speed, course.motion.phi2);
        let pace = S::from(1.0) / speed;
        let mut responses = [Response { forget: [[zero; 2]; 2], follow: [[zero; 2]; 2] }; N];
        // z′ = d − E z with E = A/V_r + φ₂B[[0, 1], [−1, 0]].
        let (mut forget, mut drive) = ([[[zero; 2]; 2]; N], [[zero; 2]; N]);
        let (mut velocities, mut w) = ([[zero; 2]; N], [*z; N]);
        let mut settled = false;
        for _ in 0..if self.iterate { MOST_ITERATIONS } else { 1 } {
            for i in 0..N {
                let v = match self.iterate {
                    true => course.motion.felt_at(self.slip[i], w[i]),
                    false => self.slip[i],
                };
                velocities[i] = v.map(|v| -(v * speed));
            }
            course.bristle.responses(&velocities, &mut responses);
            for i in 0..N {
                let Response { forget: f, follow: b } = responses[i];
                forget[i] = [
                    [f[0][0] * pace - phi2 * b[0][1], f[0][1] * pace + phi2 * b[0][0]],
                    [f[1][0] * pace - phi2 * b[1][1], f[1][1] * pace + phi2 * b[1][0]],
                ];
                drive[i] = times(&b, self.slip[i]).map(|d| -d);
            }
            let before = w;
            w = solve_coupled(rule, self.length, &forget, &drive, *z);
            settled = !self.iterate || unchanged(&before, &w, course.settled);
            if settled {
                break;
            }
        }
        for i in 0..N {
            let back = times(&forget[i], w[i]);
            let dz = [drive[i][0] - back[0], drive[i][1] - back[1]];
            self.tell(i, w[i], dz, tally);
        }
        *z = w[N - 1];
        settled
    }

    #[inline(always)]
    fn tell(&self, i: usize, z: [S; 2], dz: [S; 2], tally: &mut impl Tally<S>) {
        tally.node(&Node { load: self.load[i], at: self.at[i], z, dz });
    }
}

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

/// (A⁻¹ + h diag λ)z = A⁻¹z₀ + h d by elimination without pivots: with b the weights of the rule, diag(b)A⁻¹ has a positive
/// definite symmetric part, so that no pivot vanishes whatever λ ≥ 0.
#[inline(always)]
fn solve_scalar<S: Real, const N: usize>(
    rule: &Radau<N>,
    h: S,
    forget: &[S; N],
    drive: &[[S; 2]; N],
    z: [S; 2],
) -> [[S; 2]; N] {
    let mut m = [[S::from(0.0); N]; N];
    let mut right = [z; N];
    for i in 0..N {
        for j in 0..N {
            m[i][j] = S::from(rule.inverse[i][j]);
        }
        m[i][i] = h.mul_add(forget[i], m[i][i]);
        for k in 0..2 {
            right[i][k] = h.mul_add(drive[i][k], z[k] * rule.start[i]);
        }
    }
    for q in 0..N {
        m[q][q] = S::from(1.0) / m[q][q];
        for i in q + 1..N {
            let factor = -(m[i][q] * m[q][q]);
            for j in q + 1..N {
                m[i][j] = factor.mul_add(m[q][j], m[i][j]);
            }
            for k in 0..2 {
                right[i][k] = factor.mul_add(right[q][k], right[i][k]);
            }
        }
    }
    for q in (0..N).rev() {
        for k in 0..2 {
            let mut sum = right[q][k];
            for j in q + 1..N {
                sum = (-m[q][j]).mul_add(right[j][k], sum);
            }
            right[q][k] = sum * m[q][q];
        }
    }
    right
}

/// The same with blocks of two by two.
#[inline(always)]
fn solve_coupled<S: Real, const N: usize>(
    rule: &Radau<N>,
    h: S,
    forget: &[Matrix2<S>; N],
    drive: &[[S; 2]; N],
    z: [S; 2],
) -> [[S; 2]; N] {
    let zero = S::from(0.0);
    let mut m = [[[[zero; 2]; 2]; N]; N];
    let mut right = [z; N];
    for i in 0..N {
        for j in 0..N {
            let own = S::from(rule.inverse[i][j]);
            m[i][j] = [[own, zero], [zero, own]];
        }
        for r in 0..2 {
            for c in 0..2 {
                m[i][i][r][c] += h * forget[i][r][c];
            }
            right[i][r] = h * drive[i][r] + z[r] * rule.start[i];
        }
    }
    for q in 0..N {
        m[q][q] = inverse(&m[q][q]);
        for i in q + 1..N {
            let factor = product(&m[i][q], &m[q][q]);
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
            let less = times(&m[q][j], right[j]);
            right[q] = [right[q][0] - less[0], right[q][1] - less[1]];
        }
        right[q] = times(&m[q][q], right[q]);
    }
    right
}
