//! Where bristles enter the patch, and the paths that stand for all of them.
//!
//! The flow is without divergence, so ∬f dx dy = ∫|V̄ × dℓ| ∫f dτ over the inflow part of the outline and
//! the distance travelled since: rows, arcs and sideways rolling are one case, and φ₁ → 0 is no limit.
use super::flow::Flow;
use super::shape::{Piece, Shape, is_smooth};
use crate::quadrature::legendre;
use bristle_kernel::{Logic, Real};
use bristle_num::{Lanes, Mask, simd};

/// How many paths are followed side by side.
pub const WIDTH: usize = 8;
/// As many numbers.
pub type Wide = Lanes<WIDTH>;

/// An inflow stretch of one piece, on which all that is integrated is smooth.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    piece: Piece,
    from: f64,
    to: f64,
    /// Whether nodes crowd quadratically towards either end, where only few derivatives exist.
    graded: [bool; 2],
    /// How much of the outline it is.
    size: Size,
    /// Whether it is what a division left, with nodes that crowd at one end and are sparse at the other.
    divided: bool,
}

/// What a panel is a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Size {
    /// A whole side.
    Half,
    /// A piece of an outline that turns gently.
    Part,
    /// The flat middle of a piece that turns sharply at its ends.
    Flat,
    /// The sharp end of such a piece.
    Sharp,
}

/// Paths side by side.
#[derive(Clone, Copy, Debug)]
pub struct Paths {
    /// Where they enter.
    pub x: Wide,
    /// Where they enter.
    pub y: Wide,
    /// The element of the outline that each stands for, times its quadrature weight; 0 in lanes that
    /// are not used.
    pub dx: Wide,
    /// Its other component.
    pub dy: Wide,
    /// The distance travelled inside.
    pub length: Wide,
}

/// How many paths stand for a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Density {
    /// That is a whole side.
    pub half: usize,
    /// That is a piece of an outline that turns gently.
    pub part: usize,
    /// That is the flat middle of a piece.
    pub flat: usize,
    /// That is the sharp end of a piece.
    pub sharp: usize,
}

impl Density {
    /// How many paths stand for this panel.
    pub fn of(&self, panel: &Panel) -> usize {
        let more = |n: usize| if panel.divided { n + n / 2 } else { n };
        match panel.size {
            Size::Half => self.half,
            Size::Part => more(self.part),
            Size::Flat => more(self.flat),
            Size::Sharp => more(self.sharp),
        }
    }
}

/// The inflow stretches of the outline under a flow.
pub fn panels(shape: &Shape, flow: &Flow<f64>, out: &mut Vec<Panel>) {
    out.clear();
    // No piece turns from inflow to outflow more often than this.
    let (mut grazes, mut count) = ([[0.0; 2]; 32], 0);
    let mut graze = |at: [f64; 2]| {
        if count < grazes.len() {
            grazes[count] = at;
            count += 1;
        }
    };
    for piece in shape.pieces() {
        let outward = |w: f64| {
            let p = shape.point(*piece, w);
            let (v, g) = (flow.velocity(p.x, p.y), shape.gradient(p.x, p.y));
            v[0] * g[0] + v[1] * g[1]
        };
        let end = shape.extent(*piece);
        let samples = samples(end);
        // At the ends of a whole side the gradient is that of the tip: look just inside.
        let inflow = |k: usize| outward(samples[k] * (1.0 - 1e-9)) < 0.0;
        let mut start = inflow(0).then_some(-end);
        for k in 1..samples.len() {
            if inflow(k) == inflow(k - 1) {
                continue;
            }
            let w = bisect(|w| (outward(w) < 0.0) == inflow(k), samples[k - 1], samples[k]);
            let p = shape.point(*piece, w);
            graze([p.x, p.y]);
            match start.take() {
                Some(from) => push(shape, *piece, from, w, out),
                None => start = Some(w),
            }
        }
        if let Some(from) = start {
            push(shape, *piece, from, end, out);
        }
    }
    // The tips of whole sides, where two pieces meet, are not between samples.
    if matches!(shape.pieces()[0], Piece::Half { .. }) {
        graze([0.0, shape.b]);
        graze([0.0, -shape.b]);
    }
    for graze in grazes.into_iter().take(count) {
        let small = 3e-5 * shape.a;
        let v = flow.velocity(graze[0], graze[1]);
        let inside = |tau: f64| {
            let [x, y] = flow.follow(graze, v, tau);
            shape.contains(x, y)
        };
        if flow.phi1 != 0.0 && inside(small) && inside(-small) {
            split_at_path_through(shape, flow, graze, true, out);
        }
    }
    // Where the outline turns sharply, so does the length of the paths that leave there; where a power is
    // not smooth, neither is that length.
    if !flow.is_symmetric() && shape.pieces().len() == 4 {
        let leaves = |at: [f64; 2]| {
            let (v, g) = (flow.velocity(at[0], at[1]), shape.gradient(at[0], at[1]));
            v[0] * g[0] + v[1] * g[1] > 0.0
        };
        let (x, y) = (shape.a * 0.5f64.powf(1.0 / shape.n), shape.b * 0.5f64.powf(1.0 / shape.m));
        let corners = [[x, y], [x, -y], [-x, y], [-x, -y]].map(|at| (at, false));
        let tips = |e: f64, at: [f64; 2]| {
            [at, at.map(|x| -x)].into_iter().filter(move |_| !is_smooth(e)).map(|at| (at, true))
        };
        let rough = tips(shape.m, [shape.a, 0.0]).chain(tips(shape.n, [0.0, shape.b]));
        for (at, crowd) in corners.into_iter().chain(rough).filter(|(at, _)| leaves(*at)) {
            split_at_path_through(shape, flow, at, crowd, out);
        }
    }
}

impl Panel {
    /// A whole side that bristles enter through when they travel along x.
    pub fn side() -> Self {
        Panel {
            piece: Piece::Half { right: true },
            from: -1.0,
            to: 1.0,
            graded: [false; 2],
            size: Size::Half,
            divided: false,
        }
    }

    /// Its two parts below and above parameter `w`; nodes crowd towards it if asked to.
    pub fn divided_at(&self, w: f64, crowd: bool) -> [Self; 2] {
        [
            Panel { to: w, graded: [self.graded[0], crowd], divided: crowd, ..*self },
            Panel { from: w, graded: [crowd, self.graded[1]], divided: crowd, ..*self },
        ]
    }

    /// Its two parts on either side of the middle of its nodes.
    pub fn halves(&self) -> [Self; 2] {
        let [middle, _] = crowded(self.graded, 0.5);
        self.divided_at(self.from + (self.to - self.from) * middle, false)
    }

    /// The paths at nodes of [0, 1], with the element of the outline per unit of that parameter.
    pub fn lay(&self, shape: &Shape, flow: &Flow<f64>, nodes: Wide) -> Paths {
        let (p, weight) = simd::widest(
            #[inline(always)]
            || {
                let [z, dz] = crowded(self.graded, nodes);
                let range = self.to - self.from;
                (shape.point(self.piece, z * range + self.from), dz * range)
            },
        );
        let length = length(shape, flow, p.x, p.y, WIDTH);
        Paths { x: p.x, y: p.y, dx: p.dx * weight, dy: p.dy * weight, length }
    }

    /// The flow that enters through it, m: the difference of the stream function φ₁(x² + y²)/2 − ε_x x − ε_y y.
    pub fn flux(&self, shape: &Shape, flow: &Flow<f64>) -> f64 {
        if flow.is_along_x() && matches!(self.piece, Piece::Half { .. }) {
            return shape.b * (Shape::height_of_side(self.to) - Shape::height_of_side(self.from));
        }
        let stream = |w: f64| {
            let p = shape.point(self.piece, w);
            0.5 * flow.phi1 * (p.x * p.x + p.y * p.y)
                - flow.epsilon[0] * p.x
                - flow.epsilon[1] * p.y
        };
        (stream(self.to) - stream(self.from)).abs()
    }
}

/// Where to look for changes between inflow and outflow: evenly, and ever closer to the middle, where a
/// path that turns and a power that is flat compete.
fn samples(end: f64) -> [f64; 95] {
    let even = (0..=32).map(|k| f64::from(k) / 16.0 - 1.0);
    let close = (5..36).map(|k| 0.5f64.powi(k));
    let mut all = [0.0; 95];
    for (sample, x) in all.iter_mut().zip(even.chain(close.flat_map(|x| [x, -x]))) {
        *sample = x * end;
    }
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Adds an inflow stretch, divided where powers are not smooth and where they become steep.
fn push(shape: &Shape, piece: Piece, from: f64, to: f64, out: &mut Vec<Panel>) {
    let smooth = shape.is_smooth_inside(piece);
    let steep = shape.steep_from(piece);
    let ends = [from, -steep.unwrap_or(0.0), 0.0, steep.unwrap_or(0.0), to];
    let mut last = from;
    for (k, end) in ends.into_iter().enumerate().skip(1) {
        // Nothing to divide at 0 where all is smooth; stretches that bisection left empty are none.
        let divides = (k == 2 && !smooth) || (steep.is_some() && k != 2) || k == 4;
        let end = end.clamp(from, to);
        if !divides || end - last < 1e-12 {
            continue;
        }
        let size = match (piece, steep) {
            (Piece::Half { .. }, _) => Size::Half,
            (_, None) => Size::Part,
            (_, Some(w)) if last.abs().max(end.abs()) <= w * (1.0 + 1e-12) => Size::Flat,
            _ => Size::Sharp,
        };
        let rough = |w: f64| w.abs() < 1e-12 && !smooth;
        out.push(Panel {
            piece,
            from: last,
            to: end,
            graded: [rough(last), rough(end)],
            size,
            divided: false,
        });
        last = end;
    }
}

/// Divides the panel on which the path through a point of the patch begins; nodes crowd towards that
/// path if asked to.
pub fn split_at_path_through(
    shape: &Shape,
    flow: &Flow<f64>,
    at: [f64; 2],
    crowd: bool,
    panels: &mut Vec<Panel>,
) {
    let entry = if flow.is_along_x() {
        [shape.a * shape.edge((at[1] / shape.b).abs()), at[1]]
    } else {
        let back = flow.until_edge(shape, at, true);
        flow.follow(at, flow.velocity(at[0], at[1]), -back)
    };
    let (piece, w) = shape.locate(entry[0], entry[1]);
    let Some(i) = panels.iter().position(|p| p.piece == piece && p.from <= w && w <= p.to) else {
        return;
    };
    let panel = panels[i];
    let least = 1e-7 * (panel.to - panel.from);
    if w - panel.from < least || panel.to - w < least {
        let near = [w - panel.from < least, panel.to - w < least];
        panels[i].graded = std::array::from_fn(|k| panel.graded[k] || (crowd && near[k]));
        return;
    }
    let [before, behind] = panel.divided_at(w, crowd);
    panels[i] = before;
    panels.push(behind);
}

/// Divides the panel of a list that holds parameter `w`, unless it is at its end.
pub fn divide(panels: &mut Vec<Panel>, w: f64, crowd: bool) {
    let inside = |p: &Panel| {
        let least = 1e-3 * (p.to - p.from);
        w - p.from > least && p.to - w > least
    };
    if let Some(i) = panels.iter().position(inside) {
        let [before, behind] = panels[i].divided_at(w, crowd);
        panels[i] = before;
        panels.push(behind);
    }
}

fn bisect(holds: impl Fn(f64) -> bool, lo: f64, hi: f64) -> f64 {
    let (mut lo, mut hi) = (lo, hi);
    while hi - lo > 1e-16 {
        let middle = 0.5 * (lo + hi);
        if middle == lo || middle == hi {
            break;
        }
        *(if holds(middle) { &mut hi } else { &mut lo }) = middle;
    }
    0.5 * (lo + hi)
}

/// The paths of all panels, by Gauss-Legendre rules with as many nodes as `count` says.
pub fn paths(
    shape: &Shape,
    flow: &Flow<f64>,
    panels: &[Panel],
    mut count: impl FnMut(&Panel) -> usize,
    out: &mut Vec<Paths>,
) {
    out.clear();
    let mut used = WIDTH;
    for panel in panels {
        let rule = legendre(count(panel));
        for nodes in rule.chunks(WIDTH) {
            let node = |i: usize| nodes[i.min(nodes.len() - 1)];
            let (c, q) = (
                Lanes(std::array::from_fn(|i| node(i).0)),
                Lanes(std::array::from_fn(|i| node(i).1)),
            );
            let (p, weight) = simd::widest(
                #[inline(always)]
                || {
                    let [z, dz] = crowded(panel.graded, c);
                    let range = panel.to - panel.from;
                    (shape.point(panel.piece, z * range + panel.from), dz * q * range)
                },
            );
            let length = length(shape, flow, p.x, p.y, nodes.len());
            let (dx, dy) = (p.dx * weight, p.dy * weight);
            for i in 0..nodes.len() {
                append(out, &mut used, [p.x, p.y, dx, dy, length].map(|k| k.0[i]));
            }
        }
    }
}

/// The paths of panels that are parts of the side on the right, where bristles travel along x: nodes of different panels
/// are worked out side by side.
pub fn rows(shape: &Shape, panels: &[Panel], counts: &[usize], out: &mut Vec<Paths>) {
    out.clear();
    let nodes = panels.iter().zip(counts).flat_map(|(panel, count)| {
        let range = panel.to - panel.from;
        legendre(*count).iter().map(move |(c, q)| {
            let [z, dz] = crowded(panel.graded, *c);
            [panel.from + range * z, range * dz * q]
        })
    });
    let (mut w, mut weight, mut used) = (Wide::from(0.0), Wide::from(0.0), 0);
    let mut lay = |w: Wide, weight: Wide| {
        out.push(simd::widest(
            #[inline(always)]
            || {
                let p = shape.point(Piece::Half { right: true }, w);
                let (dy, dx) = (p.dy * weight, Wide::from(0.0));
                Paths { x: p.x, y: p.y, dx, dy, length: p.x * 2.0 }
            },
        ));
    };
    for [at, stands_for] in nodes {
        // Lanes not yet used repeat it with no weight.
        w.0[used..].fill(at);
        weight.0[used] = stands_for;
        used += 1;
        if used == WIDTH {
            lay(w, weight);
            (weight, used) = (Wide::from(0.0), 0);
        }
    }
    if used > 0 {
        lay(w, weight);
    }
}

/// Adds a path (x, y, dx, dy, length) to those side by side, of which `used` are the last eight's. Lanes not yet used
/// repeat the first of the eight with no weight, so that they compute nothing odd.
fn append(out: &mut Vec<Paths>, used: &mut usize, path: [f64; 5]) {
    let [x, y, dx, dy, length] = path;
    if *used == WIDTH {
        let idle = Wide::from(0.0);
        out.push(Paths { x: x.into(), y: y.into(), dx: idle, dy: idle, length: length.into() });
        *used = 0;
    }
    if let Some(last) = out.last_mut() {
        let lane = *used;
        (last.x.0[lane], last.y.0[lane], last.length.0[lane]) = (x, y, length);
        (last.dx.0[lane], last.dy.0[lane]) = (dx, dy);
        *used += 1;
    }
}

/// Arranges paths by length, the longest first, so that those side by side end together.
pub fn longest_first(paths: &mut Vec<Paths>) {
    let lanes = |p: &Paths| {
        let p = *p;
        (0..WIDTH).map(move |i| [p.length, p.x, p.y, p.dx, p.dy].map(|k| k.0[i]))
    };
    let used = |p: &[f64; 5]| p[3] != 0.0 || p[4] != 0.0;
    let mut all: Vec<[f64; 5]> = paths.iter().flat_map(lanes).filter(used).collect();
    all.sort_by(|p, q| q[0].total_cmp(&p[0]));
    paths.clear();
    paths.extend(all.chunks(WIDTH).map(|p| {
        let repeated = |k: usize| Lanes(std::array::from_fn(|i| p[i.min(p.len() - 1)][k]));
        let weight = |k: usize| Lanes(std::array::from_fn(|i| p.get(i).map_or(0.0, |p| p[k])));
        let [length, x, y] = [0, 1, 2].map(repeated);
        Paths { x, y, dx: weight(3), dy: weight(4), length }
    }));
}

/// Nodes of [0, 1] that crowd towards the ends asked for, and what their weights are multiplied by.
#[inline(always)]
pub(super) fn crowded<S: Real>(graded: [bool; 2], c: S) -> [S; 2] {
    let one = S::from(1.0);
    match graded {
        [false, false] => [c, one],
        [true, false] => [c * c, c * 2.0],
        [false, true] => [c * (S::from(2.0) - c), (one - c) * 2.0],
        [true, true] => [c * c * (S::from(3.0) - c * 2.0), c * (one - c) * 6.0],
    }
}

/// How far paths that enter at (x, y) travel; only the first `count` matter.
fn length(shape: &Shape, flow: &Flow<f64>, x: Wide, y: Wide, count: usize) -> Wide {
    let phi1 = Wide::from(flow.phi1);
    // An outline that is sharper than a circle at its tips may be left and entered again on the way.
    let gentle = shape.n.min(shape.m) >= 2.0;
    if flow.is_along_x() {
        return x * 2.0;
    }
    if flow.is_symmetric() && gentle {
        // Half way x = 0 is passed; the second half mirrors the first, unless the middle is outside.
        let r = x / (Wide::from(1.0) - phi1 * y);
        let whole = r * atan_quotient(phi1 * r) * 2.0;
        let wide = Flow { phi1, epsilon: flow.epsilon.map(Wide::from) };
        let [_, middle] = wide.follow([x, y], wide.velocity(x, y), whole * 0.5);
        let (zero, right) = (Wide::from(0.0), x.gt(Wide::from(0.0)));
        let idle = Mask::from_fn(|i| i >= count);
        let whole_way = idle | (right & middle.abs().le(Wide::from(shape.b)));
        if whole_way.all() {
            return whole;
        }
        // What enters on the left leaves through that side for good: inside, x falls by no less than 1 − |φ₁|b per
        // metre.
        let slowest = 1.0 - flow.phi1.abs() * shape.b;
        let half_turn = Wide::from(std::f64::consts::PI / flow.phi1.abs());
        let outside = ((x + shape.a) * (1.01 / slowest)).max(zero).min(half_turn);
        let outside = Wide::select(right, whole * 0.5, outside);
        let shorter = simd::widest(
            #[inline(always)]
            || wide.until_edge_before(shape, [x, y], outside),
        );
        return Wide::select(whole_way, whole, shorter);
    }
    Lanes(std::array::from_fn(|i| match i < count {
        true => flow.until_edge(shape, [x.0[i], y.0[i]], false),
        false => 0.0,
    }))
}

/// atan(s)/s, by halving the angle thrice and the series.
#[inline(always)]
pub(super) fn atan_quotient<S: Real>(s: S) -> S {
    let (mut t, mut factor) = (s, S::from(1.0));
    for _ in 0..3 {
        // tan(α/2) = t/(1 + √(1 + t²))
        let half = S::from(1.0) / ((t * t + 1.0).sqrt() + 1.0);
        factor = factor * half * 2.0;
        t = t * half;
    }
    let t2 = t * t;
    let mut sum = S::from(1.0 / 17.0);
    for k in (0..8).rev() {
        sum = -(t2 * sum) + 1.0 / f64::from(2 * k + 1);
    }
    sum * factor
}

/// The length of the longest path that enters near a point of the outline.
pub fn longest(shape: &Shape, flow: &Flow<f64>, near: [f64; 2]) -> f64 {
    let (piece, w) = shape.locate(near[0], near[1]);
    let end = shape.extent(piece);
    let value = |w: f64| {
        let p = shape.point(piece, w.clamp(-end, end));
        length(shape, flow, p.x.into(), p.y.into(), 1).0[0]
    };
    let (mut at, mut step) = (w, 0.05 * end);
    while step > 1e-12 {
        let best =
            [at - step, at, at + step].into_iter().max_by(|p, q| value(*p).total_cmp(&value(*q)));
        match best {
            Some(b) if b != at => at = b,
            _ => step *= 0.5,
        }
    }
    value(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan_quotient_is_atan_over_its_argument() {
        for s in [1e-9, 0.1, 0.5, 1.0, 3.0, 1e3, -2.0f64] {
            assert!((atan_quotient(s) - s.atan() / s).abs() < 2e-16 * 4.0);
        }
        assert_eq!(atan_quotient(0.0), 1.0);
    }

    /// The area of a superellipse, whatever way bristles travel through it.
    #[test]
    fn paths_of_every_flow_cover_the_patch_once() {
        let density = Density { half: 40, part: 40, flat: 40, sharp: 40 };
        for (n, m) in [(2.0, 2.0), (18.0, 18.0), (3.3, 2.5), (2.0, 6.0), (1.5, 4.0), (4.0, 1.3)] {
            let shape = Shape { a: 0.075, b: 0.05, n, m };
            let area: f64 = shape.rows(40).iter().map(|r| 2.0 * r.x * r.weight).sum();
            for phi1 in [0.0, 1e-9, 3.0, -3.0, 10.0] {
                for sideways in [0.0, 0.3, -1.0] {
                    let flow =
                        Flow { phi1, epsilon: [sideways, f64::sqrt(1.0 - sideways * sideways)] };
                    if flow.centre().is_some_and(|c| shape.contains(c[0], c[1])) {
                        continue;
                    }
                    let (mut found, mut list) = (Vec::new(), Vec::new());
                    panels(&shape, &flow, &mut found);
                    paths(&shape, &flow, &found, |p| density.of(p), &mut list);
                    let mut sum = 0.0;
                    for p in &list {
                        for i in 0..WIDTH {
                            let v = flow.velocity(p.x.0[i], p.y.0[i]);
                            sum += (v[0] * p.dy.0[i] - v[1] * p.dx.0[i]).abs() * p.length.0[i];
                        }
                    }
                    assert!(
                        (sum / area - 1.0).abs() < 3e-9,
                        "n = {n}, m = {m}, phi1 = {phi1}, sideways {sideways}: {sum}, not {area}"
                    );
                }
            }
        }
    }
}
