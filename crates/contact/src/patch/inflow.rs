//! Where bristles enter the patch, and the paths that stand for all of them.
//!
//! The flow is without divergence, so ∬f dx dy = ∫|V̄ × dℓ| ∫f dτ over the inflow part of the outline and
//! the distance travelled since: rows, arcs and sideways rolling are one case, and φ₁ → 0 is no limit.
use super::bristles::wide;
use super::flow::{Flow, bisect};
use super::shape::{Piece, Shape, is_smooth};
use crate::quadrature::NODES;
use bristle_kernel::{Logic, Real};
use bristle_num::{Lanes, simd};

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
}

/// Paths side by side.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Where they enter.
    pub entry: [Wide; 2],
    /// The element of the outline that each stands for, per unit of the panel's parameter.
    pub element: [Wide; 2],
    /// The distances travelled inside until the ends of their parts, the last being the end of the path.
    pub ends: Vec<Wide>,
}

impl Paths {
    /// The distance travelled inside.
    pub fn length(&self) -> Wide {
        self.ends[self.ends.len() - 1]
    }
}

/// The inflow stretches of the outline under a flow, divided at the paths beside which bristles live differently: those
/// that touch the outline from inside, and those that leave where it turns sharply or is not smooth.
pub fn panels(shape: &Shape, flow: &Flow<f64>) -> Vec<Panel> {
    let mut panels = Vec::new();
    for piece in shape.pieces() {
        let end = shape.extent(*piece);
        let mut from = -end;
        let mut inside = is_inflow(shape, flow, *piece, -end * (1.0 - NEAR_END));
        for w in turns(shape, flow, *piece).into_iter().chain([end]) {
            if inside {
                push(shape, *piece, [from, w], &mut panels);
            }
            (from, inside) = (w, !inside);
        }
    }
    for at in touching(shape, flow) {
        split_at_path_through(shape, flow, just_inside(at), true, &mut panels);
    }
    if shape.pieces().len() == 4 {
        let x = shape.a * shape.extent(Piece::Face { top: true });
        let y = shape.b * shape.extent(Piece::Side { right: true });
        let corners = [[x, y], [x, -y], [-x, y], [-x, -y]].map(|at| (at, false));
        let tips = |e: f64, at: [f64; 2]| {
            let rough = !shape.is_rectangle() && !is_smooth(e);
            [at, at.map(|x| -x)].into_iter().filter(move |_| rough).map(|at| (at, true))
        };
        let rough = tips(shape.m, [shape.a, 0.0]).chain(tips(shape.n, [0.0, shape.b]));
        for (at, crowd) in corners.into_iter().chain(rough) {
            // At the corner of a rectangle two gradients meet.
            if shape.is_rectangle() || outward(shape, flow, at) > 0.0 {
                split_at_path_through(shape, flow, just_inside(at), crowd, &mut panels);
            }
        }
    }
    panels
}

/// How often the end of a panel is divided.
const MAX_DIVISIONS: usize = 40;
/// How near to the end of a piece, in parts of it, the outline is looked at in place of the end, whose gradient may be that
/// of the next piece.
const NEAR_END: f64 = 1e-9;

/// V̄ along the outward gradient: negative where bristles enter.
fn outward(shape: &Shape, flow: &Flow<f64>, [x, y]: [f64; 2]) -> f64 {
    let (v, g) = (flow.velocity(x, y), shape.gradient(x, y));
    v[0] * g[0] + v[1] * g[1]
}

fn is_inflow(shape: &Shape, flow: &Flow<f64>, piece: Piece, w: f64) -> bool {
    let p = shape.point(piece, w);
    outward(shape, flow, [p.x, p.y]) < 0.0
}

/// Where bristles cease to enter through a piece, or begin to.
fn turns(shape: &Shape, flow: &Flow<f64>, piece: Piece) -> Vec<f64> {
    let end = shape.extent(piece) * (1.0 - NEAR_END);
    // Evenly, and ever closer to the middle, where a path that turns and a power that is flat compete.
    let even = (0..=32).map(|k| f64::from(k) / 16.0 - 1.0);
    let close = (5..36).map(|k| 0.5f64.powi(k)).flat_map(|x| [x, -x]);
    let mut samples: Vec<f64> = even.chain(close).map(|x| x * end).collect();
    samples.sort_unstable_by(f64::total_cmp);
    let inflow = |w: f64| is_inflow(shape, flow, piece, w);
    let changes = samples.windows(2).filter(|w| inflow(w[0]) != inflow(w[1]));
    changes.map(|w| bisect(|x| inflow(x) == inflow(w[1]), w[0], w[1])).collect()
}

/// The points of the outline that paths touch from inside.
pub fn touching(shape: &Shape, flow: &Flow<f64>) -> Vec<[f64; 2]> {
    if flow.phi1 == 0.0 {
        return Vec::new();
    }
    let mut tangent = Vec::new();
    for piece in shape.pieces() {
        tangent.extend(turns(shape, flow, *piece).into_iter().map(|w| {
            let p = shape.point(*piece, w);
            [p.x, p.y]
        }));
    }
    // The tips of whole sides, where two pieces meet, are not between samples.
    if matches!(shape.pieces()[0], Piece::Half { .. }) {
        let tips = [[0.0, shape.b], [0.0, -shape.b]];
        tangent.extend(tips.into_iter().filter(|tip| outward(shape, flow, *tip) == 0.0));
    }
    // A tip may have been found from a piece too.
    let mut found: Vec<[f64; 2]> = Vec::new();
    for at in tangent {
        let same = |p: &[f64; 2]| (p[0] - at[0]).hypot(p[1] - at[1]) < 1e-6 * shape.a;
        if !found.iter().any(same) {
            found.push(at);
        }
    }
    // Inside is where the path lies on either side.
    let small = 3e-5 * shape.a;
    found.retain(|at| {
        let v = flow.velocity(at[0], at[1]);
        [small, -small].into_iter().all(|tau| {
            let [x, y] = flow.follow(*at, v, tau);
            shape.contains(x, y)
        })
    });
    found
}

/// A point that close to one of the outline from which a path can be told to be inside.
pub fn just_inside(at: [f64; 2]) -> [f64; 2] {
    at.map(|x| x * (1.0 - 1e-10))
}

impl Panel {
    /// Its two parts below and above parameter `w`; nodes crowd towards it if asked to.
    fn divided_at(&self, w: f64, crowd: bool) -> [Self; 2] {
        [
            Panel { to: w, graded: [self.graded[0], crowd], ..*self },
            Panel { from: w, graded: [crowd, self.graded[1]], ..*self },
        ]
    }

    /// Its two parts before and behind a part of its nodes.
    pub fn divided(&self, part: f64) -> [Self; 2] {
        let [at, _] = crowded(self.graded, part);
        self.divided_at(self.from + (self.to - self.from) * at, false)
    }

    /// Divided ever closer to an end at which paths are so short that bristles remember their entry all the way, until the
    /// outermost node of the first rule is on one of these: otherwise all nodes might agree about what is not so at the end.
    /// `memory` is how far bristles remember, m.
    pub fn resolved(self, shape: &Shape, flow: &Flow<f64>, memory: f64) -> Vec<Self> {
        let mut all = vec![self];
        for (end, outermost) in [(0.0, NODES[3]), (1.0, NODES[6])] {
            for _ in 0..MAX_DIVISIONS {
                let k = if end == 0.0 { 0 } else { all.len() - 1 };
                let at = wide(|lane| if lane == 0 { end } else { outermost });
                let [young, other, ..] = all[k].lay(shape, flow, at).length().0;
                if young > memory || other <= memory {
                    break;
                }
                let parts = all[k].divided((end - 0.25f64).abs());
                all.splice(k..=k, parts);
            }
        }
        all
    }

    /// The paths at nodes of [0, 1].
    pub fn lay(&self, shape: &Shape, flow: &Flow<f64>, nodes: Wide) -> Paths {
        simd::widest(
            #[inline(always)]
            || {
                let [z, dz] = crowded(self.graded, nodes);
                let range = self.to - self.from;
                let p = shape.point(self.piece, z * range + self.from);
                let entry = [p.x, p.y];
                let element = [p.dx, p.dy].map(|d| d * dz * range);
                Paths { entry, element, ends: vec![length(shape, flow, entry)] }
            },
        )
    }
}

/// Adds an inflow stretch, divided where a power is not smooth.
fn push(shape: &Shape, piece: Piece, [from, to]: [f64; 2], out: &mut Vec<Panel>) {
    // Stretches that bisection left empty are none.
    if to - from < 1e-12 {
        return;
    }
    let whole = Panel { piece, from, to, graded: [false; 2] };
    match !shape.is_smooth_inside(piece) && from < 0.0 && to > 0.0 {
        true => out.extend(whole.divided_at(0.0, true)),
        false => out.push(whole),
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
    let (back, v) = (flow.until_entry(shape, at), flow.velocity(at[0], at[1]));
    let entry = flow.follow(at, v, -back);
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

/// Nodes of [0, 1] that crowd towards the ends asked for, and what their weights are multiplied by.
#[inline(always)]
pub fn crowded<S: Real>(graded: [bool; 2], c: S) -> [S; 2] {
    let one = S::from(1.0);
    match graded {
        [false, false] => [c, one],
        [true, false] => [c * c, c * 2.0],
        [false, true] => [c * (S::from(2.0) - c), (one - c) * 2.0],
        [true, true] => [c * c * (S::from(3.0) - c * 2.0), c * (one - c) * 6.0],
    }
}

/// How far paths that enter at (x, y) travel.
#[inline(always)]
pub fn length(shape: &Shape, flow: &Flow<f64>, [x, y]: [Wide; 2]) -> Wide {
    let phi1 = Wide::from(flow.phi1);
    if flow.is_along_x() {
        return x * 2.0;
    }
    // An outline that is sharper than a circle at its tips may be left and entered again on the way.
    let gentle = shape.is_rectangle() || shape.n.min(shape.m) >= 2.0;
    if flow.is_symmetric() && gentle {
        // Half way x = 0 is passed; the second half mirrors the first, unless the middle is outside.
        let r = x / (Wide::from(1.0) - phi1 * y);
        let whole = r * atan_quotient(phi1 * r) * 2.0;
        let wide = flow.cast(Wide::from);
        let [_, middle] = wide.follow([x, y], wide.velocity(x, y), whole * 0.5);
        let (zero, right) = (Wide::from(0.0), x.gt(Wide::from(0.0)));
        let whole_way = right & middle.abs().le(Wide::from(shape.b));
        if whole_way.all() {
            return whole;
        }
        // What enters on the left leaves through that side for good: inside, x falls by no less than 1 − |φ₁|b per
        // metre.
        let slowest = 1.0 - flow.phi1.abs() * shape.b;
        let half_turn = Wide::from(std::f64::consts::PI / flow.phi1.abs());
        let outside = ((x + shape.a) * (1.01 / slowest)).max(zero).min(half_turn);
        let outside = Wide::select(right, whole * 0.5, outside);
        let shorter = wide.until_edge_before(shape, [x, y], outside);
        return Wide::select(whole_way, whole, shorter);
    }
    Lanes(std::array::from_fn(|i| flow.until_edge(shape, [x.0[i], y.0[i]], false)))
}

/// atan(s)/s, by halving the angle thrice and the series.
#[inline(always)]
pub fn atan_quotient<S: Real>(s: S) -> S {
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

/// The distance from the entry of paths to where they pass nearest to a point, within their length.
#[inline(always)]
pub fn nearest(flow: &Flow<f64>, paths: &Paths, at: [f64; 2]) -> Wide {
    let (flow, entry, at) = (flow.cast(Wide::from), paths.entry, at.map(Wide::from));
    let (v, u) = (flow.velocity(entry[0], entry[1]), flow.velocity(at[0], at[1]));
    let ahead = v[0] * (at[0] - entry[0]) + v[1] * (at[1] - entry[1]);
    let alike = v[0] * u[0] + v[1] * u[1];
    // The angle between both is φ₁τ, its sine goes as φ₁ times `ahead`, its cosine as `alike`.
    let (straight, zero) = (ahead / alike, Wide::from(0.0));
    let tau = straight * atan_quotient(flow.phi1 * straight);
    let half_turn = Wide::from(std::f64::consts::PI) / flow.phi1.abs();
    let tau = Wide::select(alike.lt(zero), tau + half_turn, tau);
    Wide::select(ahead.gt(zero), tau.max(zero).min(paths.length()), zero)
}

/// The length of the longest path: after that distance the response to a step is over.
pub fn longest(shape: &Shape, flow: &Flow<f64>) -> f64 {
    let mut best = 0.0f64;
    for panel in panels(shape, flow) {
        let value = |c: f64| panel.lay(shape, flow, Wide::from(c)).length().0[0];
        let (mut at, mut step) = (0.5, 0.25);
        for k in 1..32 {
            let c = f64::from(k) / 32.0;
            at = if value(c) > value(at) { c } else { at };
        }
        while step > 1e-12 {
            let around = [at - step, at + step].map(|c| c.clamp(0.0, 1.0));
            match around.into_iter().find(|c| value(*c) > value(at)) {
                Some(better) => at = better,
                None => step *= 0.5,
            }
        }
        best = best.max(value(at));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::bristles::total;
    use super::super::rules::{FINEST, nodes, vectors, weights};
    use super::*;
    use crate::quadrature::tanh_sinh;

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
        let inf = f64::INFINITY;
        for (n, m) in
            [(2.0, 2.0), (18.0, 18.0), (3.3, 2.5), (2.0, 6.0), (1.5, 4.0), (4.0, 1.3), (2.0, inf)]
        {
            let shape = Shape { a: 0.075, b: 0.05, n, m };
            let quarter: f64 = tanh_sinh().iter().map(|(u, w)| shape.edge(*u) * w).sum();
            let area = 4.0 * shape.a * shape.b * quarter;
            for phi1 in [0.0, 1e-9, 3.0, -3.0, 10.0] {
                for sideways in [0.0, 0.3, -1.0] {
                    let flow =
                        Flow { phi1, epsilon: [sideways, f64::sqrt(1.0 - sideways * sideways)] };
                    if flow.centre().is_some_and(|c| shape.contains(c[0], c[1])) {
                        continue;
                    }
                    let mut list = panels(&shape, &flow);
                    for _ in 0..4 {
                        list = list.iter().flat_map(|panel| panel.divided(0.5)).collect();
                    }
                    let mut sum = 0.0;
                    for panel in list {
                        for k in 0..vectors(FINEST) {
                            let p = panel.lay(&shape, &flow, nodes(k));
                            let wide = flow.cast(Wide::from);
                            let v = wide.velocity(p.entry[0], p.entry[1]);
                            let flux = (v[0] * p.element[1] - v[1] * p.element[0]).abs();
                            sum += total(flux * p.length() * weights(FINEST, k));
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
