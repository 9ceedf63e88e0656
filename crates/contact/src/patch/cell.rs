//! One cell of a path: its stages, and the equations that collocation makes of z′ there.
use super::Model;
use super::inflow::Wide;
use super::march::{Course, Frame, Side};
use super::matrix::{inverse, product, times, turned};
use super::rules::Radau;
use super::tally::{Node, Tally};
use bristle_kernel::{Matrix2, Real, Response, ScalarResponse};
use bristle_num::Logic;

/// Iterations of Model 2 in one cell. What has not settled by then does not count as solved, and cells grow shorter.
const MAX_ITERATIONS: usize = 30;

/// The stages of one cell.
pub struct Cell<S, const N: usize> {
    /// Its length, m.
    pub length: S,
    at: [[S; 2]; N],
    slip: [[S; 2]; N],
    /// e^{iφ₂(τ − τ₀)}, τ₀ being where the cell begins.
    pub turns: [[S; 2]; N],
}

/// Deflections and their derivatives at the stages.
pub struct Solved<S, const N: usize> {
    /// z.
    pub z: [[S; 2]; N],
    /// z′.
    pub dz: [[S; 2]; N],
}

impl<S: Side, const N: usize> Cell<S, N> {
    /// That of a stretch of the path that enters at a place.
    #[inline(always)]
    pub fn new(
        course: &Course<'_, S>,
        rule: &Radau<N>,
        entry: [S; 2],
        [from, to]: [S; 2],
        frame: Frame,
    ) -> Self {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (length, flow) = (to - from, course.motions[0].flow);
        let v = flow.velocity(entry[0], entry[1]);
        let mut cell =
            Cell { length, at: [[zero; 2]; N], slip: [[zero; 2]; N], turns: [[one, zero]; N] };
        // Plain loops: what is built by a function of the index is not always inlined.
        for i in 0..N {
            let ahead = length * rule.c[i];
            cell.at[i] = flow.follow(entry, v, from + ahead);
            cell.slip[i] = course.motion(i).slip(cell.at[i]);
            if frame == Frame::Turning {
                let theta = course.motions[0].phi2 * ahead;
                cell.turns[i] = [theta.cos(), theta.sin()];
            }
        }
        cell
    }

    /// The velocity, over V_r, that A and B are taken at where the deflection is z.
    #[inline(always)]
    fn taken(&self, course: &Course<'_, S>, i: usize, z: [S; 2]) -> [S; 2] {
        match course.model {
            Model::Semilinear => course.motion(i).felt(self.slip[i], z),
            _ => self.slip[i],
        }
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
            let v = self.taken(course, i, turned(self.turns[i], w[i]));
            let speed = course.motion(i).speed;
            squares[i] = (v[0] * v[0] + v[1] * v[1]) * (speed * speed);
        }
        course.bristle.scalar_responses(&squares, &mut responses);
        for i in 0..N {
            let ([c, s], r) = (self.turns[i], responses[i]);
            forget[i] = r.forget / course.motion(i).speed;
            drive[i] = turned([c, -s], self.slip[i].map(|v| -(r.follow * v)));
        }
        (responses, forget, drive)
    }

    /// E = A/V_r + φ₂B[[0, 1], [−1, 0]] and d = −Bv̄ of z′ = d − E z at the stages, given the deflections there.
    #[inline(always)]
    pub fn coupled(
        &self,
        course: &Course<'_, S>,
        z: &[[S; 2]; N],
    ) -> ([Matrix2<S>; N], [[S; 2]; N]) {
        let zero = S::from(0.0);
        let mut responses = [Response { forget: [[zero; 2]; 2], follow: [[zero; 2]; 2] }; N];
        let (mut velocities, mut forget, mut drive) =
            ([[zero; 2]; N], [[[zero; 2]; 2]; N], [[zero; 2]; N]);
        for i in 0..N {
            let speed = course.motion(i).speed;
            velocities[i] = self.taken(course, i, z[i]).map(|v| -(v * speed));
        }
        course.bristle.responses(&velocities, &mut responses);
        for i in 0..N {
            let Response { forget: f, follow: b } = responses[i];
            let motion = course.motion(i);
            let (pace, phi2) = (S::from(1.0) / motion.speed, motion.phi2);
            forget[i] = [
                [f[0][0] * pace - phi2 * b[0][1], f[0][1] * pace + phi2 * b[0][0]],
                [f[1][0] * pace - phi2 * b[1][1], f[1][1] * pace + phi2 * b[1][0]],
            ];
            drive[i] = times(&b, self.slip[i]).map(|d| -d);
        }
        (forget, drive)
    }

    /// Deflections at the stages of a cell that begins with z; in Model 2 by repetition until they stay.
    #[inline(always)]
    pub fn solve_alike(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: [S; 2],
    ) -> (Solved<S, N>, bool) {
        let (zero, h) = (S::from(0.0), self.length);
        let mut w = [z; N];
        let mut k = 0;
        loop {
            let (responses, forget, drive) = self.alike(course, &w);
            let mut right = [[zero; 2]; N];
            for i in 0..N {
                for j in 0..2 {
                    right[i][j] = h.mul_add(drive[i][j], z[j] * rule.start[i]);
                }
            }
            let before = w;
            w = solve_alike(rule, h, &forget, right);
            let settled = !course.iterates() || unchanged(&before, &w, course.settled);
            if settled || k == MAX_ITERATIONS {
                let mut solved = Solved { z: w, dz: w };
                for i in 0..N {
                    let here = turned(self.turns[i], w[i]);
                    let slip = course.motion(i).felt(self.slip[i], here);
                    solved.z[i] = here;
                    // z′ from the equation itself.
                    for j in 0..2 {
                        solved.dz[i][j] = -(responses[i].follow * slip[j]) - forget[i] * here[j];
                    }
                }
                return (solved, settled);
            }
            k += 1;
        }
    }

    /// The same where directions are coupled.
    #[inline(always)]
    pub fn solve_coupled(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        z: [S; 2],
    ) -> (Solved<S, N>, bool) {
        let h = self.length;
        let mut w = [z; N];
        let mut k = 0;
        loop {
            let (forget, drive) = self.coupled(course, &w);
            let mut right = [[z; 1]; N];
            for i in 0..N {
                for j in 0..2 {
                    right[i][0][j] = h.mul_add(drive[i][j], z[j] * rule.start[i]);
                }
            }
            let before = w;
            w = solve_coupled(rule, h, &forget, right).map(|[z]| z);
            let settled = !course.iterates() || unchanged(&before, &w, course.settled);
            if settled || k == MAX_ITERATIONS {
                let mut solved = Solved { z: w, dz: w };
                for i in 0..N {
                    let back = times(&forget[i], w[i]);
                    solved.dz[i] = [drive[i][0] - back[0], drive[i][1] - back[1]];
                }
                return (solved, settled);
            }
            k += 1;
        }
    }

    /// Tells a tally of the stages.
    #[inline(always)]
    pub fn tell<T: Tally<S, K>, const K: usize>(
        &self,
        course: &Course<'_, S>,
        rule: &Radau<N>,
        flux: S,
        solved: &Solved<S, N>,
        tally: &mut T,
    ) {
        for i in 0..N {
            let (at, z) = (self.at[i], solved.z[i]);
            let area = flux * self.length * rule.b[i];
            let load = course.pressure.at(course.shape, at[0], at[1]) * area;
            let slip = course.motion(i).felt(self.slip[i], z);
            tally.node(&Node { area, load, at, z, dz: solved.dz[i], slip });
        }
    }

    /// Load and load times deflection over the cell.
    #[inline(always)]
    pub fn carried(&self, course: &Course<'_, S>, rule: &Radau<N>, z: &[[S; 2]; N]) -> [S; 3] {
        let mut sums = [S::from(0.0); 3];
        for i in 0..N {
            let p = course.pressure.at(course.shape, self.at[i][0], self.at[i][1]);
            let load = p * self.length * rule.b[i];
            let [x, y] = z[i];
            for (sum, more) in sums.iter_mut().zip([load, load * x, load * y]) {
                *sum += more;
            }
        }
        sums
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

/// (A⁻¹ + h diag λ)z = r by elimination without pivots: with b the weights of the rule, diag(b)A⁻¹ has a positive
/// definite symmetric part, so that no pivot vanishes whatever λ ≥ 0.
#[inline(always)]
pub fn solve_alike<S: Real, const N: usize, const R: usize>(
    rule: &Radau<N>,
    h: S,
    forget: &[S; N],
    mut right: [[S; R]; N],
) -> [[S; R]; N] {
    let mut m = [[S::from(0.0); N]; N];
    for i in 0..N {
        for j in 0..N {
            m[i][j] = S::from(rule.inverse[i][j]);
        }
        m[i][i] = h.mul_add(forget[i], m[i][i]);
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
    h: S,
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
                m[i][i][r][c] += h * forget[i][r][c];
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
