//! Deflections along paths, by collocation cell after cell.
//!
//! Per metre travelled, z′ = −B(v)v̄_r − A(v)z/V_r with v̄_r = v̄ + φ₂(z_y, −z_x): 004 (44), (52), (55), with A and
//! B of the kernel's bristle at the velocity −V_r v̄, in Model 2 at −V_r v̄_r. A cell with N stages turns this into N linear
//! equations, (A⁻¹ + h diag λ)z = A⁻¹z₀ + h d with the A of [`Radau`], or 2N where directions are coupled.
use super::bristles::{Bristles, WideDual, total};
use super::cell::{Cell, Stretch, solve_alike, solve_coupled};
use super::inflow::{Paths, Wide};
use super::matrix::{times, turned};
use super::motion::Motion;
use super::pressure::Pressure;
use super::shape::Shape;
use super::tally::Tally;
use super::tiles::{CHECK, MAIN, Rules};
use crate::quadrature::Radau;
use bristle_kernel::{Matrix2, Real, Response};
use bristle_num::{Dual, simd};

/// A scalar in which paths are followed: plain lanes, or lanes with a derivative.
pub trait Side: Real {
    /// A constant.
    fn lift(x: Wide) -> Self;
    /// The value, and its derivative or 0.
    fn parts(self) -> [Wide; 2];
    /// The value without derivatives.
    #[inline(always)]
    fn value(self) -> Wide {
        self.parts()[0]
    }
}

impl Side for Wide {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        x
    }
    #[inline(always)]
    fn parts(self) -> [Wide; 2] {
        [self, Wide::from(0.0)]
    }
}

impl Side for WideDual {
    #[inline(always)]
    fn lift(x: Wide) -> Self {
        Dual::constant(x)
    }
    #[inline(always)]
    fn parts(self) -> [Wide; 2] {
        [self.re, self.eps[0]]
    }
}

/// What a march needs to know and does not change.
#[derive(Clone, Copy)]
pub struct Course<'a, S> {
    /// The outline.
    pub shape: &'a Shape,
    /// The pressure.
    pub pressure: &'a Pressure,
    /// The bristle.
    pub bristle: &'a dyn Bristles<S>,
    /// What drives it: one motion, or one for each stage of a cell. All have the same flow.
    pub motions: &'a [Motion<S>],
    /// When the iteration of Model 2 has settled, m.
    pub settled: f64,
}

/// How a cell is solved.
#[derive(Clone, Copy, PartialEq)]
pub enum Frame {
    /// Directions are alike and nothing turns.
    Still,
    /// Directions are alike; in a frame that turns by φ₂τ, z = e^{iφ₂τ}w and w′ = −λw − e^{−iφ₂τ}v̄.
    Turning,
    /// Directions are coupled.
    Coupled,
}

/// What a stretch of a path makes of the deflection at its beginning: z ← E z + b.
#[derive(Clone, Copy, Debug)]
pub struct Passage<S> {
    /// E.
    pub keep: Matrix2<S>,
    /// b.
    pub gain: [S; 2],
}

impl<S: Side> Course<'_, S> {
    /// What drives the bristles at stage `i`.
    #[inline(always)]
    pub fn motion(&self, i: usize) -> &Motion<S> {
        &self.motions[if self.motions.len() == 1 { 0 } else { i }]
    }

    fn frame(&self) -> Frame {
        let (zero, phi2) = (S::from(0.0), self.motions[0].phi2);
        let steady = self.motions.iter().all(|m| m.phi2 == phi2);
        match self.bristle.is_alike() {
            true if steady && phi2 == zero => Frame::Still,
            true if steady && self.bristle.damping().xx == zero => Frame::Turning,
            _ => Frame::Coupled,
        }
    }

    /// The ends of the parts of paths, the last with its derivative by φ₁ if that is wanted: it moves as paths bend.
    fn ends(&self, paths: &Paths) -> Vec<S> {
        let inner = paths.ends[..paths.ends.len() - 1].iter().map(|end| S::lift(*end));
        inner.chain([self.length(paths)]).collect()
    }

    fn length(&self, paths: &Paths) -> S {
        let (flow, length) = (&self.motions[0].flow, S::lift(paths.length()));
        if flow.phi1 == S::lift(flow.phi1.value()) {
            return length;
        }
        let entry = paths.entry.map(S::lift);
        let end = flow.follow(entry, flow.velocity(entry[0], entry[1]), length);
        let (g, v) = (self.shape.gradient(end[0], end[1]), flow.velocity(end[0], end[1]));
        let (outward, level) = (g[0] * v[0] + g[1] * v[1], self.shape.level(end[0], end[1]));
        // One step of Newton's method changes nothing but derivatives; a path without an end has none.
        let leaves = outward.gt(S::from(0.0));
        let step = (level - S::lift(level.value())) / S::select(leaves, outward, S::from(1.0));
        S::select(leaves, length - step, length)
    }

    /// The flow through the element of the outline that paths stand for.
    #[inline(always)]
    pub fn flux(&self, paths: &Paths) -> S {
        let v = self.motions[0].flow.velocity(S::lift(paths.entry[0]), S::lift(paths.entry[1]));
        (v[0] * S::lift(paths.element[1]) - v[1] * S::lift(paths.element[0])).abs()
    }

    /// Follows paths from their entry to their end through cells: one that ends at 1.25 does so after a quarter of their second
    /// part. Says whether every iteration settled.
    pub fn march<const N: usize, T: Tally<S, K>, const K: usize>(
        &self,
        rule: &Radau<N>,
        paths: &Paths,
        cells: &[f64],
        tally: &mut T,
    ) -> bool {
        let (entry, ends, flux) = (paths.entry.map(S::lift), self.ends(paths), self.flux(paths));
        let (mut z, mut from, mut settled) = ([S::from(0.0); 2], 0.0, true);
        let mut cell = Cell::new(self.frame());
        for to in cells {
            let stretch = Stretch::of(&ends, from, *to);
            settled &= self.solve(rule, entry, &stretch, z, &mut cell);
            simd::widest(
                #[inline(always)]
                || cell.tell(self, rule, flux, tally),
            );
            (z, from) = (cell.z[N - 1], *to);
        }
        let flow = &self.motions[0].flow;
        let at = flow.follow(entry, flow.velocity(entry[0], entry[1]), ends[ends.len() - 1]);
        let p = self.pressure.at(self.shape, at[0], at[1]);
        tally.exit(z, p * flux);
        settled
    }

    /// In which cells the error of the coarser rule arises, of values and of derivatives: both rules begin every cell with the
    /// same deflection; by what they differ in the load and in the load times deflection, and by what they differ at the end times the
    /// load that is still to come.
    pub fn arising(
        &self,
        rules: &Rules,
        paths: &Paths,
        cells: &[f64],
        weights: Wide,
    ) -> Vec<[f64; 2]> {
        let (entry, ends) = (paths.entry.map(S::lift), self.ends(paths));
        let flux = self.flux(paths).value() * weights;
        let (mut z, mut from) = ([S::from(0.0); 2], 0.0);
        let mut found = Vec::with_capacity(cells.len());
        let mut greatest = Wide::from(0.0);
        let (mut coarse, mut fine) = (Cell::new(self.frame()), Cell::new(self.frame()));
        for to in cells {
            let stretch = Stretch::of(&ends, from, *to);
            self.solve(&rules.main, entry, &stretch, z, &mut coarse);
            self.solve(&rules.check, entry, &stretch, z, &mut fine);
            let (ours, [load, x, y]) = simd::widest(
                #[inline(always)]
                || (coarse.carried(self, &rules.main), fine.carried(self, &rules.check)),
            );
            let (p, q) = (coarse.z[MAIN - 1], fine.z[CHECK - 1]);
            let off = [x - ours[1], y - ours[2], q[0] - p[0], q[1] - p[1], load - ours[0]];
            found.push((load.value(), off));
            greatest = greatest.max(q[0].value().abs().max(q[1].value().abs()));
            (z, from) = (q, *to);
        }
        // Where nothing is deflected the load alone counts.
        let greatest = Wide::select(greatest.gt(Wide::from(0.0)), greatest, Wide::from(1.0));
        let mut rest = Wide::from(0.0);
        let mut sizes: Vec<[f64; 2]> = Vec::with_capacity(found.len());
        for (load, off) in found.into_iter().rev() {
            let of = |part: usize| {
                let [x, y, p, q, load] = off.map(|x| x.parts()[part].abs());
                total((x + y + (p + q) * rest + load * greatest) * flux)
            };
            sizes.push([of(0), of(1)]);
            rest += load;
        }
        sizes.reverse();
        sizes
    }

    /// Solves the cell of a stretch that begins with z, and says whether the iteration settled.
    ///
    /// Compiled once for each scalar and rule, whatever is summed: it chooses its instructions by itself.
    #[inline(never)]
    fn solve<const N: usize>(
        &self,
        rule: &Radau<N>,
        entry: [S; 2],
        stretch: &Stretch<S>,
        z: [S; 2],
        cell: &mut Cell<S, N>,
    ) -> bool {
        simd::widest(
            #[inline(always)]
            || {
                cell.lay(self, rule, entry, stretch);
                cell.solve(self, rule, z)
            },
        )
    }

    /// The deflection at the end of a stretch that begins with z, and whether the iteration settled.
    pub fn advance<const N: usize>(
        &self,
        rule: &Radau<N>,
        entry: [S; 2],
        stretch: [S; 2],
        z: [S; 2],
    ) -> ([S; 2], bool) {
        let mut cell = Cell::new(self.frame());
        let settled = self.solve(rule, entry, &Stretch::plain(stretch), z, &mut cell);
        (cell.z[N - 1], settled)
    }

    /// z′ of a bristle at a place, under the first motion.
    #[inline(always)]
    pub fn rate(&self, at: [S; 2], z: [S; 2]) -> [S; 2] {
        let motion = &self.motions[0];
        let slip = motion.slip(at);
        let none = [[slip[0]; 2]; 2];
        let mut r = [Response { forget: none, follow: none }];
        self.bristle.responses(&[motion.sliding(slip, z)], &mut r);
        let (forget, drive) = motion.equation(&r[0], slip);
        let back = times(&forget, z);
        [drive[0] - back[0], drive[1] - back[1]]
    }

    /// What a stretch makes of any deflection, where A and B do not depend on it.
    #[inline(never)]
    pub fn passage<const N: usize>(
        &self,
        rule: &Radau<N>,
        entry: [S; 2],
        stretch: [S; 2],
    ) -> Passage<S> {
        simd::widest(
            #[inline(always)]
            || self.passed(rule, entry, stretch),
        )
    }

    #[inline(always)]
    fn passed<const N: usize>(
        &self,
        rule: &Radau<N>,
        entry: [S; 2],
        stretch: [S; 2],
    ) -> Passage<S> {
        let (zero, one, frame) = (S::from(0.0), S::from(1.0), self.frame());
        let mut cell = Cell::new(frame);
        cell.lay(self, rule, entry, &Stretch::plain(stretch));
        if frame == Frame::Coupled {
            let (forget, drive) = cell.coupled(self, &[[zero; 2]; N]);
            let mut right = [[[zero; 2]; 3]; N];
            for i in 0..N {
                let start = S::from(rule.start[i]);
                right[i] = [drive[i].map(|d| d * cell.h[i]), [start, zero], [zero, start]];
            }
            let [gain, x, y] = solve_coupled(rule, &cell.h, &forget, right)[N - 1];
            return Passage { keep: [[x[0], y[0]], [x[1], y[1]]], gain };
        }
        let (_, forget, drive) = cell.alike(self, &[[zero; 2]; N]);
        let mut right = [[zero; 3]; N];
        for i in 0..N {
            let [x, y] = drive[i].map(|d| d * cell.h[i]);
            right[i] = [x, y, one * rule.start[i]];
        }
        let [x, y, keep] = solve_alike(rule, &cell.h, &forget, right)[N - 1];
        let turn = cell.turns[N - 1];
        let [c, s] = turn.map(|t| t * keep);
        Passage { keep: [[c, -s], [s, c]], gain: turned(turn, [x, y]) }
    }
}
