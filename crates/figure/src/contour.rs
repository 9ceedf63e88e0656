//! The part of the plane where a surface is at or above a level, by marching squares.
//!
//! The grid gets a rim of nodes at the places of its border with the value −∞. Every line between
//! above and below is then a closed loop, and the loops under the even-odd rule are the region. The
//! same holds around holes.

use crate::surface::Surface;

/// No next edge.
const NONE: usize = usize::MAX;

/// The loops around the region with z at or above the level, in x and y.
pub(crate) fn region(surface: &Surface, level: f64) -> Vec<Vec<[f64; 2]>> {
    let (rows, columns) = (surface.rows(), surface.columns);
    if rows < 2 || columns < 2 {
        return Vec::new();
    }
    let wide = columns + 2;
    let node = |i: usize| {
        let (r, c) = (i / wide, i % wide);
        let [x, y, z] = surface.node(r.clamp(1, rows) - 1, c.clamp(1, columns) - 1);
        let inside = (1..=rows).contains(&r) && (1..=columns).contains(&c);
        let known = inside && x.is_finite() && y.is_finite() && z.is_finite();
        [x, y, if known { z } else { f64::NEG_INFINITY }]
    };
    let above = |i: usize| {
        let z = node(i)[2];
        z >= level && z > f64::NEG_INFINITY
    };
    // Edge 2i leads from node i to the right, edge 2i + 1 from node i downwards. Each edge that the
    // level crosses joins two others, one in each of the cells beside it.
    let mut joined = vec![[NONE; 2]; 2 * wide * (rows + 2)];
    let mut join = |a: usize, b: usize| {
        for (from, to) in [(a, b), (b, a)] {
            let free = if joined[from][0] == NONE { 0 } else { 1 };
            joined[from][free] = to;
        }
    };
    for r in 0..=rows {
        for c in 0..=columns {
            let i = r * wide + c;
            let corners = [i, i + 1, i + wide + 1, i + wide];
            let edges = [2 * i, 2 * (i + 1) + 1, 2 * (i + wide), 2 * i + 1];
            let up = corners.map(above);
            let crossed: Vec<usize> = (0..4).filter(|&k| up[k] != up[(k + 1) % 4]).collect();
            match crossed[..] {
                [a, b] => join(edges[a], edges[b]),
                [_, _, _, _] => {
                    // A saddle: the mean says whether the two high corners are connected.
                    let mean = corners.iter().map(|&k| 0.25 * node(k)[2]).sum::<f64>();
                    let turn = if (mean >= level) == up[0] { 0 } else { 1 };
                    join(edges[turn], edges[turn + 1]);
                    join(edges[turn + 2], edges[(turn + 3) % 4]);
                }
                _ => {}
            }
        }
    }
    let crossing = |edge: usize| {
        let (i, j) = (edge / 2, edge / 2 + if edge.is_multiple_of(2) { 1 } else { wide });
        let (low, high) = if above(i) { (node(j), node(i)) } else { (node(i), node(j)) };
        // From the high node down; to −∞ the line is at the high node itself.
        let t = (high[2] - level) / (high[2] - low[2]);
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        if t == 0.0 {
            return [high[0], high[1]];
        }
        [high[0] + t * (low[0] - high[0]), high[1] + t * (low[1] - high[1])]
    };
    let mut loops = Vec::new();
    for start in 0..joined.len() {
        let mut corners = Vec::new();
        let mut edge = start;
        while joined[edge][0] != NONE {
            let [a, b] = std::mem::replace(&mut joined[edge], [NONE; 2]);
            corners.push(crossing(edge));
            edge = if joined[a][0] != NONE { a } else { b };
        }
        if corners.len() > 2 {
            loops.push(corners);
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;

    fn grid(n: usize) -> Vec<f64> {
        (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect()
    }

    /// Area by the shoelace formula, holes counted off.
    fn area(loops: &[Vec<[f64; 2]>]) -> f64 {
        let one = |c: &Vec<[f64; 2]>| {
            let pairs = (0..c.len()).map(|i| (c[i], c[(i + 1) % c.len()]));
            0.5 * pairs.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
        };
        let mut areas: Vec<f64> = loops.iter().map(|c| one(c).abs()).collect();
        areas.sort_by(f64::total_cmp);
        let largest = areas.pop().unwrap_or(0.0);
        largest - areas.iter().sum::<f64>()
    }

    #[test]
    fn a_cone_is_cut_in_circles() {
        let cone =
            Surface::over(Axis::new("z", ""), &grid(101), &grid(101), |x, y| 1.0 - x.hypot(y));
        for level in [0.2, 0.5, 0.8] {
            let loops = region(&cone, level);
            assert_eq!(loops.len(), 1);
            let radius = 1.0 - level;
            for p in &loops[0] {
                assert!((p[0].hypot(p[1]) - radius).abs() < 2e-3, "{p:?}");
            }
        }
        // Below the corners the region is the whole square; the cone's hole is a hole.
        assert!((area(&region(&cone, -2.0)) - 4.0).abs() < 1e-12);
        let bowl = Surface::over(Axis::new("z", ""), &grid(101), &grid(101), |x, y| x.hypot(y));
        let ring = area(&region(&bowl, 0.5));
        assert!((ring - (4.0 - std::f64::consts::PI * 0.25)).abs() < 1e-3, "{ring}");
    }

    #[test]
    fn a_plane_is_cut_exactly_and_missing_values_are_left_out() {
        let plane = |x: f64, y: f64| if x > 0.5 { f64::NAN } else { y };
        let surface = Surface::over(Axis::new("z", ""), &grid(9), &grid(9), plane);
        assert!((area(&region(&surface, 0.3)) - 1.5 * 0.7).abs() < 1e-12);
    }

    #[test]
    fn a_saddle_stays_in_closed_loops() {
        let saddle = Surface::over(Axis::new("z", ""), &grid(2), &grid(2), |x, y| x * y);
        // Two corners are high and the mean is 0: apart above it, connected below.
        assert_eq!(region(&saddle, 0.1).len(), 2);
        assert_eq!(region(&saddle, -0.1).len(), 1);
    }
}
