//! One cell of a path: its stages, and the equations that collocation makes of z′ there.
use super::flow::turn_by;
use super::inflow::{Wide, crowded};
use super::march::{Course, Frame, Side};
use super::matrix::{inverse, product, times, turned};
use super::rules::left;
use super::tally::{Node, Tally};
use super::tiles::largest;
use crate::quadrature::Radau;
use bristle_kernel::{Matrix2, Real, Response, ScalarResponse};

/// Iterations of Model 2 in one cell. What has not settled by then does not count as solved, and cells grow shorter.
const MAX_ITERATIONS: usize = 30;

/// What a cell is laid over: a stretch of a part of paths.
///
/// Nodes crowd quadratically towards where two parts meet: what is not smooth there, as friction beside the zero of the slip
/// velocity, is smoother over the root of the distance.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<S> {
    start: S,
    length: S,
    crowd: [bool; 2],
    from: f64,
    to: f64,
}

impl<S: Real> Stretch<S> {
    /// A stretch as it is.
    pub fn plain([from, to]: [S; 2]) -> Self {
        Stretch { start: from, length: to - from, crowd: [false; 2], from: 0.0, to: 1.0 }
    }

    /// From one end of a cell to the next, given the ends of parts: 1.25 is after a quarter of the second.
    pub fn of(parts: &[S], from: f64, to: f64) -> Self {
        let part = to.ceil() as usize - 1;
        let start = if part == 0 { S::from(0.0) } else { parts[part - 1] };
        let (length, own) = (parts[part] - start, part as f64);
        let crowd = [part > 0, part + 1 < parts.len()];
        Stretch { start, length, crowd, from: from - own, to: to - own }
    }

    /// The distance at a part of the stretch, and its derivative.
    #[inline(always)]
    pub fn at(&self, c: f64) -> [S; 2] {
        let range = self.to - self.from;
        let [u, du] = crowded(self.crowd, self.from + range * c);
        [self.start + self.length * u, self.length * (du * range)]
    }
}

/// The stages of one cell.
pub struct Cell<S, const N: usize> {
    /// dτ over the part of the cell at each stage, m.
    pub h: [S; N],
    frame: Frame,
    at: [[S; 2]; N],
    slip: [[S; 2]; N],
    /// e^{iφ₂(τ − τ₀)}, τ₀ being where the cell begins.
    pub turns: [[S; 2]; N],
    /// z.
    pub z: [[S; 2]; N],
    /// z′.
    dz: [[S; 2]; N],
}

impl<S: Side, const N: usize> Cell<S, N> {
    /// One to be laid over a stretch.
    pub fn new(frame: Frame) -> Self {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (none, turns) = ([[zero; 2]; N], [[one, zero]; N]);
        Cell { h: [zero; N], frame, at: none, slip: none, turns, z: none, dz: none }
    }

    /// Lays it over a stretch of the path that enters at a place.
    #[inline(always)]
    pub fn lay(
        &mut self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        entry: [S; 2],
        stretch: &Stretch<S>,
    ) {
        let flow = course.motions[0].flow;
        let v = flow.velocity(entry[0], entry[1]);
        let [from, _] = stretch.at(0.0);
        // Plain loops: what is built by a function of the index is not always inlined.
        for i in 0..N {
            let [tau, h] = stretch.at(rule.c[i]);
            let ahead = tau - from;
            self.h[i] = h;
            self.at[i] = flow.follow(entry, v, tau);
            self.slip[i] = course.motion(i).slip(self.at[i]);
            if self.frame == Frame::Turning {
                self.turns[i] = turn_by(course.motions[0].phi2 * ahead);
            }
        }
    }

    /// A vector of the turning frame at a stage, seen from the fixed one.
    #[inline(always)]
    fn fixed(&self, i: usize, w: [S; 2]) -> [S; 2] {
        if self.frame == Frame::Turning { turned(self.turns[i], w) } else { w }
    }

    /// A and B, λ and −e^{−iφ₂τ}Bv̄ at the stages, given the deflections there in the turning frame.
    #[inline(always)]
    pub fn alike(
        &self,
        course: &Course<'_, S>,
        w: &[[S; 2]; N],
    ) -> ([ScalarResponse<S>; N], [S; N], [[S; 2]; N]) {
        let zero = S::from(0.0);
        let mut responses = [ScalarResponse { forget: zero, follow: zero }; N];
        let (mut squares, mut forget, mut drive) = ([zero; N], [zero; N], [[zero; 2]; N]);
        for i in 0..N {
            let v = course.motion(i).sliding(self.slip[i], self.fixed(i, w[i]));
            squares[i] = v[0] * v[0] + v[1] * v[1];
        }
        course.bristle.scalar_responses(&squares, &mut responses);
        for i in 0..N {
            let ([c, s], r) = (self.turns[i], responses[i]);
            forget[i] = r.forget / course.motion(i).speed;
            drive[i] = self.slip[i].map(|v| -(r.follow * v));
            if self.frame == Frame::Turning {
                drive[i] = turned([c, -s], drive[i]);
            }
        }
        (responses, forget, drive)
    }

    /// E and d of z′ = d − E z at the stages, given the deflections there.
    #[inline(always)]
    pub fn coupled(
        &self,
        course: &Course<'_, S>,
        z: &[[S; 2]; N],
    ) -> ([Matrix2<S>; N], [[S; 2]; N]) {
        let zero = S::from(0.0);
        let mut responses = [Response { forget: [[zero; 2]; 2], follow: [[zero; 2]; 2] }; N];
        let (mut sliding, mut forget, mut drive) =
            ([[zero; 2]; N], [[[zero; 2]; 2]; N], [[zero; 2]; N]);
        for i in 0..N {
            sliding[i] = course.motion(i).sliding(self.slip[i], z[i]);
        }
        course.bristle.responses(&sliding, &mut responses);
        for i in 0..N {
            (forget[i], drive[i]) = course.motion(i).equation(&responses[i], self.slip[i]);
        }
        (forget, drive)
    }

    /// Finds the deflections at the stages of a cell that begins with z, in Model 2 by repetition until they stay. Says whether
    /// they did.
    #[inline(always)]
    pub fn solve(&mut self, course: &Course<'_, S>, rule: &Radau<N>, z: [S; 2]) -> bool {
        let (mut w, mut change) = ([z; N], f64::INFINITY);
        for _ in 0..=MAX_ITERATIONS {
            let before = (w, change);
            w = match self.frame {
                Frame::Coupled => self.solve_coupled(course, rule, z, w),
                _ => self.solve_alike(course, rule, z, w),
            };
            if !course.motions.iter().any(|motion| motion.feels) {
                return true;
            }
            change = greatest_change(&before.0, &w);
            if before.1 < f64::INFINITY && left(change, before.1) <= course.settled {
                return true;
            }
        }
        false
    }

    /// Deflections in the turning frame, given those that A and B are taken at.
    #[inline(always)]
    fn solve_alike(
        &mut self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: [S; 2],
        w: [[S; 2]; N],
    ) -> [[S; 2]; N] {
        let (responses, forget, drive) = self.alike(course, &w);
        let mut right = [[z[0]; 2]; N];
        for i in 0..N {
            for j in 0..2 {
                right[i][j] = self.h[i].mul_add(drive[i][j], z[j] * rule.start[i]);
            }
        }
        let w = solve_alike(rule, &self.h, &forget, right);
        for i in 0..N {
            let here = self.fixed(i, w[i]);
            let slip = course.motion(i).felt(self.slip[i], here);
            self.z[i] = here;
            // z′ from the equation itself.
            for j in 0..2 {
                self.dz[i][j] = -(responses[i].follow * slip[j]) - forget[i] * here[j];
            }
        }
        w
    }

    /// The same where directions are coupled.
    #[inline(always)]
    fn solve_coupled(
        &mut self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: [S; 2],
        w: [[S; 2]; N],
    ) -> [[S; 2]; N] {
        let (forget, drive) = self.coupled(course, &w);
        let mut right = [[z; 1]; N];
        for i in 0..N {
            for j in 0..2 {
                right[i][0][j] = self.h[i].mul_add(drive[i][j], z[j] * rule.start[i]);
            }
        }
        self.z = solve_coupled(rule, &self.h, &forget, right).map(|[z]| z);
        for i in 0..N {
            let back = times(&forget[i], self.z[i]);
            self.dz[i] = [drive[i][0] - back[0], drive[i][1] - back[1]];
        }
        self.z
    }

    /// Tells a tally of the stages.
    #[inline(always)]
    pub fn tell<T: Tally<S, K>, const K: usize>(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        flux: S,
        tally: &mut T,
    ) {
        let p = course.pressure.over(course.shape, &self.at);
        for i in 0..N {
            let (at, z) = (self.at[i], self.z[i]);
            let area = flux * self.h[i] * rule.b[i];
            let load = p[i] * area;
            let slip = course.motion(i).felt(self.slip[i], z);
            tally.node(&Node { area, load, at, z, dz: self.dz[i], slip });
        }
    }

    /// Load and load times deflection over the cell.
    #[inline(always)]
    pub fn carried(&self, course: &Course<'_, S>, rule: &Radau<N>) -> [S; 3] {
        let mut sums = [S::from(0.0); 3];
        let p = course.pressure.over(course.shape, &self.at);
        for i in 0..N {
            let load = p[i] * self.h[i] * rule.b[i];
            let [x, y] = self.z[i];
            for (sum, more) in sums.iter_mut().zip([load, load * x, load * y]) {
                *sum += more;
            }
        }
        sums
    }
}

#[inline(always)]
fn greatest_change<S: Side, const N: usize>(a: &[[S; 2]; N], b: &[[S; 2]; N]) -> f64 {
    let mut change = Wide::from(0.0);
    for i in 0..N {
        for j in 0..2 {
            let own = (a[i][j] - b[i][j]).value().abs();
            // What is no number stays so.
            change = Wide::select(own.le(change) | !change.le(change), change, own);
        }
    }
    largest(change.0)
}

/// (A⁻¹ + h diag λ)z = r by elimination without pivots: with b the weights of the rule, diag(b)A⁻¹ has a positive
/// definite symmetric part, so that no pivot vanishes whatever λ ≥ 0.
#[inline(always)]
pub fn solve_alike<S: Real, const N: usize, const R: usize>(
    rule: &Radau<N>,
    h: &[S; N],
    forget: &[S; N],
    mut right: [[S; R]; N],
) -> [[S; R]; N] {
    let mut m = [[S::from(0.0); N]; N];
    for i in 0..N {
        for j in 0..N {
            m[i][j] = S::from(rule.inverse[i][j]);
        }
        m[i][i] = h[i].mul_add(forget[i], m[i][i]);
    }
    for q in 0..N {
        m[q][q] = S::from(1.0) / m[q][q];
        for i in q + 1..N {
            let factor = -(m[i][q] * m[q][q]);
            for j in q + 1..N {
                m[i][j] = factor.mul_add(m[q][j], m[i][j]);
            }
            for k in 0..R {
                right[i][k] = factor.mul_add(right[q][k], right[i][k]);
            }
        }
    }
    for q in (0..N).rev() {
        for k in 0..R {
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
pub fn solve_coupled<S: Real, const N: usize, const R: usize>(
    rule: &Radau<N>,
    h: &[S; N],
    forget: &[Matrix2<S>; N],
    mut right: [[[S; 2]; R]; N],
) -> [[[S; 2]; R]; N] {
    let zero = S::from(0.0);
    let mut m = [[[[zero; 2]; 2]; N]; N];
    for i in 0..N {
        for j in 0..N {
            let own = S::from(rule.inverse[i][j]);
            m[i][j] = [[own, zero], [zero, own]];
        }
        for r in 0..2 {
            for c in 0..2 {
                m[i][i][r][c] += h[i] * forget[i][r][c];
            }
        }
    }
    let less = |from: &mut [S; 2], by: [S; 2]| *from = [from[0] - by[0], from[1] - by[1]];
    for q in 0..N {
        m[q][q] = inverse(&m[q][q]);
        for i in q + 1..N {
            let factor = product(&m[i][q], &m[q][q]);
            for j in q + 1..N {
                let part = product(&factor, &m[q][j]);
                for r in 0..2 {
                    less(&mut m[i][j][r], part[r]);
                }
            }
            for k in 0..R {
                let part = times(&factor, right[q][k]);
                less(&mut right[i][k], part);
            }
        }
    }
    for q in (0..N).rev() {
        for k in 0..R {
            for j in q + 1..N {
                let part = times(&m[q][j], right[j][k]);
                less(&mut right[q][k], part);
            }
            right[q][k] = times(&m[q][q], right[q][k]);
        }
    }
    right
}
