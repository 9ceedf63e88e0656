//! Paths of a flow that is its own mirror image about x = 0, each known by where it crosses that line.
//!
//! With ε = (0, 1) every path crosses x = 0 at right angles. On an outline with exponents of at least 2 it leaves
//! the patch once on either side of that line; only one that crosses it beyond the tip is outside in between and
//! enters twice (decision 0012). So y at the crossing and one length, or two, make a path, and rows are the case
//! φ₁ = 0. Paths are counted by y: through dy flow (1 − φ₁y) dy.
use super::flow::{Flow, turn};
use super::inflow::{Paths, WIDTH, Wide, crowded};
use super::march::Side;
use super::shape::{Shape, is_smooth};
use bristle_kernel::{Logic, Real};
use bristle_num::{Lanes, Several, simd};

/// Paths that cross x = 0 between two heights, along which and across which all is smooth.
///
/// Heights are those of the mirror image with φ₁ ≥ 0: there the tilting centre is above the patch.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// The lowest crossing, m.
    pub from: f64,
    /// The highest.
    pub to: f64,
    /// Whether nodes crowd quadratically towards either end, where paths are as short as a root.
    pub graded: [bool; 2],
    /// Whether its paths cross below the patch and pass through it before and behind.
    pub twice: bool,
}

impl Strip {
    /// How often its paths pass through the patch.
    pub fn passes(&self) -> usize {
        if self.twice { 2 } else { 1 }
    }

    /// The flow through it, m.
    pub fn flux(&self, phi1: f64) -> f64 {
        (self.to - self.from) * (1.0 - 0.5 * phi1.abs() * (self.to + self.from))
    }

    /// Its two parts.
    fn divided_at(&self, height: f64) -> [Self; 2] {
        let [low, high] = self.graded;
        [
            Strip { to: height, graded: [low, true], ..*self },
            Strip { from: height, graded: [true, high], ..*self },
        ]
    }
}

/// Which of its passes through the patch a path is.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Near = -1,
    Only = 0,
    Far = 1,
}

/// How many times eight paths are laid out at a time: each is a long chain of operations that wait for each other.
const ABREAST: usize = 3;

/// All strips of a patch under a flow.
#[derive(Clone, Copy, Debug)]
pub struct Strips {
    list: [Strip; MOST_STRIPS],
    count: usize,
    /// |φ₁|, 1/m.
    phi1: f64,
    /// −1 where heights are mirrored.
    sign: f64,
    /// Where the lowest path crosses, and how far from there it touches the outline, m.
    lowest: f64,
    touch: f64,
}

/// Never are there more strips.
pub const MOST_STRIPS: usize = 8;

/// Less of the flow than this is no strip of its own.
const LEAST_SHARE: f64 = 1e-5;

/// The exponent n from which on paths that leave through a flat face and those that leave through a side are strips apart.
const CORNERED: f64 = 3.0;

impl Strips {
    /// Those of an outline.
    pub fn new(shape: &Shape, flow: &Flow<f64>) -> Self {
        let phi1 = flow.phi1.abs();
        let all = Strip { from: -shape.b, to: shape.b, graded: [true; 2], twice: false };
        let mut strips = Strips {
            list: [all; MOST_STRIPS],
            count: 1,
            phi1,
            sign: if flow.phi1 < 0.0 { -1.0 } else { 1.0 },
            lowest: -shape.b,
            touch: 0.0,
        };
        if phi1 == 0.0 {
            strips.divide_where_rough(shape);
            return strips;
        }
        let share = LEAST_SHARE * shape.b;
        let [lowest, touch] = strips.lowest(shape);
        if -shape.b - lowest > share {
            let below = Strip { from: lowest, to: -shape.b, graded: [true; 2], twice: true };
            strips.list[1] = below;
            strips.count = 2;
            (strips.lowest, strips.touch) = (lowest, touch);
            // Paths that just do not touch the tip are as long as any: nothing vanishes there.
            strips.list[0].graded[0] = -shape.b - lowest < 0.02 * shape.b;
        }
        if shape.n >= CORNERED {
            let corner =
                [shape.a * 0.5f64.powf(1.0 / shape.n), shape.b * 0.5f64.powf(1.0 / shape.m)];
            let height = strips.height(corner[0], corner[1]);
            if shape.b - height > share && height + shape.b > share {
                strips.list[strips.count] =
                    Strip { from: height, graded: [false, true], ..strips.list[0] };
                strips.list[0].to = height;
                strips.list[0].graded[1] = false;
                strips.count += 1;
            }
        }
        strips.divide_where_rough(shape);
        strips
    }

    /// The outline is not smooth where y = 0, and neither are the lengths of paths that enter and leave there.
    fn divide_where_rough(&mut self, shape: &Shape) {
        if !is_smooth(shape.m) {
            self.divide(self.height(shape.a, 0.0));
        }
    }

    /// The strips.
    pub fn list(&self) -> &[Strip] {
        &self.list[..self.count]
    }

    /// Where the path through a point crosses x = 0: y − φ₁x²/(φ₁r + 1 − φ₁y), r being the distance from the tilting centre.
    fn height<S: Real>(&self, x: S, y: S) -> S {
        let (turned, along) = (x * self.phi1, S::from(1.0) - y * self.phi1);
        y - x * turned / ((turned * turned + along * along).sqrt() + along)
    }

    /// Divides the strip that the path through a point belongs to, unless at its end.
    pub fn divide_at_path_through(&mut self, x: f64, y: f64) {
        self.divide(self.height(x, self.sign * y));
    }

    fn divide(&mut self, height: f64) {
        let inside = |s: &Strip| {
            let least = 1e-3 * (s.to - s.from);
            height - s.from > least && s.to - height > least
        };
        if let Some(i) = self.list().iter().position(inside)
            && self.count < self.list.len()
        {
            let [below, above] = self.list[i].divided_at(height);
            (self.list[i], self.list[self.count]) = (below, above);
            self.count += 1;
        }
    }

    /// The lowest crossing of a path that reaches the patch, and how far from it that path touches the outline.
    fn lowest(&self, shape: &Shape) -> [f64; 2] {
        // Along the lower outline heights fall and rise once: ever closer around the least of eight.
        let (mut from, mut to) = (0.0, 1.0);
        let (mut at, mut lowest) = ([0.0, -shape.b], -shape.b);
        for _ in 0..8 {
            let step = (to - from) / (WIDTH + 1) as f64;
            let u: Wide = Lanes(std::array::from_fn(|i| from + step * (i + 1) as f64));
            let (x, y) = (u * shape.a, shape.face(u) * -shape.b);
            let heights = self.height(x, y);
            let least = (0..WIDTH).min_by(|i, j| heights.0[*i].total_cmp(&heights.0[*j]));
            let k = least.unwrap_or(0);
            if heights.0[k] < lowest {
                (at, lowest) = ([x.0[k], y.0[k]], heights.0[k]);
            }
            (from, to) = (from + step * k as f64, from + step * (k + 2) as f64);
        }
        let angle = (self.phi1 * at[0]).atan2(1.0 - self.phi1 * at[1]);
        [lowest, angle / self.phi1]
    }

    /// Where paths that cross at `height` are, `way` metres from there.
    #[inline(always)]
    fn place<S: Real>(&self, height: S, way: S) -> [S; 2] {
        let [s, c] = turn(way * self.phi1);
        let reach = (S::from(1.0) - height * self.phi1) * way;
        [reach * s, height + reach * c]
    }

    /// How far from their crossing paths leave the patch that are inside after `inside` metres and not after
    /// `outside`: Newton's method on ln(level), of which 2(level − 1)/(level + 1) is enough, and bisection where that would
    /// leave the bracket.
    #[inline(always)]
    fn edge<S: Real>(&self, shape: &Shape, height: S, [inside, guess, outside]: [S; 3]) -> S {
        let one = S::from(1.0);
        let (mut lo, mut hi, mut way) = (inside, outside, guess);
        // Beyond what rounding leaves of a number nothing is to be solved; and what a step moves by so little is moved
        // by its square in the next.
        let close = 8.0 * S::EPSILON;
        let small = 0.2 * S::EPSILON.sqrt();
        for _ in 0..60 {
            let [x, y] = self.place(height, way);
            let (level, g) = shape.level_and_gradient(x, y);
            // Away from the crossing x grows by 1 − φ₁y and y by φ₁x per metre.
            let slope = g[0] * (one - y * self.phi1) + g[1] * (x * self.phi1);
            let beyond = level - one;
            let within = level.lt(one);
            (lo, hi) = (S::select(within, way, lo), S::select(within, hi, way));
            let guess = way - beyond * level * 2.0 / ((level + one) * slope);
            let good = guess.gt(lo.min(hi)) & guess.lt(lo.max(hi));
            let next = S::select(good, guess, (lo + hi) * 0.5);
            let (change, size) = ((next - way).abs(), way.abs());
            let still = change.le(size * close) | beyond.abs().lt(S::from(8.0 * close));
            way = S::select(still, way, next);
            if (still | (good & change.le(size * small))).all() {
                break;
            }
        }
        way
    }

    /// Lays out paths by a rule over [0, 1] for each strip. Where paths pass twice, all first passes come before all
    /// second ones. On a machine that fuses multiplications and additions.
    pub fn paths<'a, S: Side>(
        &self,
        shape: &Shape,
        rules: impl Fn(usize) -> &'a [(f64, f64)],
        out: &mut Vec<Paths>,
    ) -> Option<()> {
        let strips = || self.list().iter().enumerate().map(|(k, strip)| (strip, rules(k)));
        let count: usize = strips().map(|(strip, rule)| strip.passes() * rule.len()).sum();
        let idle = Wide::from(0.0);
        out.clear();
        out.resize(
            count.div_ceil(WIDTH),
            Paths { x: idle, y: idle, dx: idle, dy: idle, length: idle },
        );
        let mut at = 0;
        for (strip, rule) in strips() {
            let range = strip.to - strip.from;
            let passes: &[Pass] =
                if strip.twice { &[Pass::Far, Pass::Near] } else { &[Pass::Only] };
            for pass in passes {
                for (c, weight) in rule {
                    let [z, dz] = crowded(strip.graded, *c);
                    let height = strip.from + range * z;
                    let (paths, lane) = (&mut out[at / WIDTH], at % WIDTH);
                    paths.x.0[lane] = f64::from(*pass as i8);
                    paths.y.0[lane] = height;
                    paths.dy.0[lane] = dz * weight * range * self.along(height);
                    at += 1;
                }
            }
        }
        // Lanes that are not used are as the first beside them, but stand for nothing.
        let idle = (count + WIDTH - 1) % WIDTH + 1..WIDTH;
        if let Some(last) = out.last_mut() {
            let (pass, height) = (last.x.0[0], last.y.0[0]);
            last.x.0[idle.clone()].fill(pass);
            last.y.0[idle.clone()].fill(height);
        }
        for some in out.chunks_mut(ABREAST) {
            simd::fused(
                #[inline(always)]
                || self.enter::<S>(shape, some),
            )?;
        }
        // Paths that pass twice are as long as both their ends are apart.
        let mut first = 0;
        for (strip, rule) in strips() {
            for i in (first..first + rule.len()).filter(|_| strip.twice) {
                let ends = [i, i + rule.len()].map(|i| (i / WIDTH, i % WIDTH));
                let length: f64 = ends.iter().map(|(at, lane)| out[*at].length.0[*lane]).sum();
                for (at, lane) in ends {
                    out[at].length.0[lane] = length;
                }
            }
            first += strip.passes() * rule.len();
        }
        if let Some(last) = out.last_mut() {
            let length = last.length.0[0];
            last.length.0[idle].fill(length);
        }
        Some(())
    }

    /// Where paths enter that are given by their [`Pass`] in x and the height of their crossing in y; dy becomes the
    /// element of the outline that each stands for, and the length that of one that passes once, or how far from its
    /// crossing another enters.
    #[inline(always)]
    fn enter<S: Side>(&self, shape: &Shape, paths: &mut [Paths]) {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let (mut pass, mut height) = (Several([zero; ABREAST]), Several([zero; ABREAST]));
        for k in 0..ABREAST {
            let paths = &paths[k.min(paths.len() - 1)];
            (pass.0[k], height.0[k]) = (S::lift(paths.x), S::lift(paths.y));
        }
        let start = self.start(shape, pass, height);
        let at = self.place(height, start);
        for (k, paths) in paths.iter_mut().enumerate() {
            let twice = pass.0[k].abs();
            // As the entry of a path counts by its element of the outline: |V_x| dy.
            let (y, flux) = (at[1].0[k], S::lift(paths.dy));
            let found = simd::apart([
                at[0].0[k],
                y * self.sign,
                flux / self.along(y),
                start.0[k] * (one + (one - twice)),
            ]);
            [paths.x, paths.y, paths.dy, paths.length] = found.map(S::value);
        }
    }

    /// |V̄_x| at a height.
    #[inline(always)]
    fn along<S: Real>(&self, y: S) -> S {
        S::from(1.0) - y * self.phi1
    }

    /// Where paths enter, in metres from their crossing.
    #[inline(always)]
    fn start<S: Real>(&self, shape: &Shape, pass: S, height: S) -> S {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        if self.phi1 == 0.0 {
            return shape.edge((height * (1.0 / shape.b)).abs()) * shape.a;
        }
        // No further than where x = a, at the slowest that x grows; and no further than a quarter of a turn.
        let quarter = std::f64::consts::FRAC_PI_2 / self.phi1;
        let outside = S::from((shape.a * 1.01 / (1.0 - self.phi1 * shape.b)).min(quarter));
        // Most leave about where x = a: sin φ₁w = φ₁a/(1 − φ₁h); or through a face, where y = ±b:
        // 1 − cos φ₁w = φ₁(y − h)/(1 − φ₁h).
        let near = pass.lt(zero);
        let reach = one / self.along(height);
        let sine = reach * (self.phi1 * shape.a);
        let side = sine * (sine * sine * (1.0 / 6.0) + 1.0);
        let face = S::select(near, S::from(-shape.b), S::from(shape.b));
        let versine = ((face - height) * reach * self.phi1).max(zero);
        let face = (versine * 2.0).sqrt() * (versine * (1.0 / 12.0) + 1.0);
        let inverse = 1.0 / self.phi1;
        let (side, face) = (side * inverse, face * inverse);
        // Paths that pass twice are outside at their crossing, and inside where the lowest touches the outline. How far
        // away from there both ends are goes about as these powers of how far they cross above that one.
        let twice = pass.abs();
        let inside = twice * self.touch;
        let above =
            (height - self.lowest) * (1.0 / (-shape.b - self.lowest).max(f64::MIN_POSITIVE));
        let above = S::select(twice.gt(zero), above.max(zero).min(one), one);
        let (root, width) = (above.sqrt(), side - inside);
        let (fourth, close) = (root.sqrt(), inside - width * root * (above * 5.0 + 2.0));
        let far = face.min(side).min(outside).max(inside);
        let guess = S::select(
            near,
            S::select(above.lt(S::from(0.3)), face.max(close), face).min(inside),
            (far - inside).mul_add(fourth * fourth.sqrt(), inside),
        );
        let outside = S::select(near, zero, outside);
        let way = self.edge(shape, height, [inside, guess, outside]);
        S::select(near, -way, way)
    }
}
