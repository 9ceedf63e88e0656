//! A surface seen from the side: a mesh in a box with three labelled axes.

use crate::axis::{Axis, Range};
use crate::drawing::{Drawing, Pen};
use crate::geometry::Point;
use crate::look::{self, GRID, HAIRLINE, INK, LABEL_SIZE, TICK_SIZE};
use crate::surface::Surface;
use crate::text::{self, Anchor};
use crate::ticks::{Notation, ticks};
use crate::trace::Frame;

/// The mesh has at most this many cells each way; a finer one is a blot.
const CELLS: usize = 40;
/// Height of the box; its base is 1 by 1.
const TALL: f64 = 0.7;
/// Left of, right of and below the box, for numbers and labels.
pub(crate) const ROOM: [f64; 3] = [66.0, 48.0, 40.0];

/// The box with its axes in the unit cube, projected in parallel.
struct View {
    right: [f64; 3],
    up: [f64; 3],
    towards: [f64; 3],
    scale: f64,
    centre: Point,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl View {
    /// From an azimuth and an elevation in degrees, filling a frame of a size.
    fn new(azimuth: f64, elevation: f64, width: f64, height: f64) -> Self {
        let finite = |angle: f64| if angle.is_finite() { angle.to_radians() } else { 0.5 };
        let (a, e) = (finite(azimuth), finite(elevation.clamp(5.0, 85.0)));
        let right = [-a.sin(), a.cos(), 0.0];
        let up = [-e.sin() * a.cos(), -e.sin() * a.sin(), e.cos()];
        let towards = [e.cos() * a.cos(), e.cos() * a.sin(), e.sin()];
        // The extent of the box along a direction.
        let extent = |d: [f64; 3]| d[0].abs() + d[1].abs() + TALL * d[2].abs();
        let scale = (width / extent(right)).min(height / extent(up));
        View { right, up, towards, scale, centre: [0.5 * width, 0.5 * height] }
    }

    /// The place of a point of the box, whose coordinates run from 0 to 1.
    fn place(&self, p: [f64; 3]) -> Point {
        let q = [p[0] - 0.5, p[1] - 0.5, TALL * (p[2] - 0.5)];
        [
            self.centre[0] + self.scale * dot(q, self.right),
            self.centre[1] - self.scale * dot(q, self.up),
        ]
    }

    /// Which end of an axis is nearer to the viewer.
    fn near(&self, axis: usize) -> f64 {
        if self.towards[axis] > 0.0 { 1.0 } else { 0.0 }
    }

    /// The edge of the box where the numbers of an axis stand, by its fixed coordinates: the near
    /// one on the floor for x and y, the one furthest to the left for z.
    fn edge(&self, axis: usize) -> [f64; 3] {
        match axis {
            0 => [0.0, self.near(1), 0.0],
            1 => [self.near(0), 0.0, 0.0],
            _ => {
                let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
                let across = |c: &[f64; 2]| self.place([c[0], c[1], 0.0])[0];
                let left = corners.into_iter().min_by(|a, b| across(a).total_cmp(&across(b)));
                let [x, y] = left.unwrap_or_default();
                [x, y, 0.0]
            }
        }
    }
}

/// Draws a surface into a frame, over its ranges of x and y.
pub(crate) fn draw(
    drawing: &mut Drawing,
    surface: &Surface,
    (azimuth, elevation): (f64, f64),
    axes: [&Axis; 2],
    frame: &Frame,
) {
    let view = View::new(azimuth, elevation, frame.width, frame.height);
    let ranges = [frame.x, frame.y, surface.range()];
    walls(drawing, &view, &ranges);
    mesh(drawing, &view, surface, &ranges);
    for (i, axis) in [axes[0], axes[1], &surface.value].into_iter().enumerate() {
        label(drawing, &view, axis, &ranges[i], i);
    }
}

/// Grid lines on the floor and on the two far walls.
fn walls(drawing: &mut Drawing, view: &View, ranges: &[Range; 3]) {
    let far = [1.0 - view.near(0), 1.0 - view.near(1), 0.0];
    let mut lines = Vec::new();
    for axis in 0..3 {
        let places = numbers(&ranges[axis], 0).into_iter().map(|(at, _)| at);
        for at in places.chain([0.0, 1.0]) {
            // On each far wall that contains the axis' direction, across it.
            for wall in (0..3).filter(|&w| w != axis) {
                let run = 3 - axis - wall;
                let mut from = far;
                from[axis] = at;
                let mut to = from;
                (from[run], to[run]) = (0.0, 1.0);
                lines.push(vec![view.place(from), view.place(to)]);
            }
        }
    }
    drawing.lines(lines, Pen::solid(GRID, HAIRLINE));
}

/// The numbers of an axis of the box and where they are.
fn numbers(range: &Range, exponent: i32) -> Vec<(f64, String)> {
    let all = ticks(range, exponent, 5, None).into_iter();
    all.filter(|t| !t.label.is_empty()).map(|t| (range.place(t.at), t.label)).collect()
}

/// The cells from the far to the near.
fn mesh(drawing: &mut Drawing, view: &View, surface: &Surface, ranges: &[Range; 3]) {
    let (rows, columns) = (surface.rows(), surface.columns);
    if rows < 2 || columns < 2 {
        return;
    }
    let picked = |n: usize| -> Vec<usize> {
        let cells = (n - 1).min(CELLS);
        (0..=cells).map(|i| i * (n - 1) / cells).collect()
    };
    let node = |r: usize, c: usize| {
        let values = surface.node(r, c);
        [0, 1, 2].map(|i| ranges[i].place(values[i]))
    };
    let mut cells = Vec::new();
    for r in picked(rows).windows(2) {
        for c in picked(columns).windows(2) {
            let corners = [node(r[0], c[0]), node(r[0], c[1]), node(r[1], c[1]), node(r[1], c[0])];
            // Limits may cut a surface off; NaN is outside, too.
            if corners.iter().flatten().all(|v| (0.0..=1.0).contains(v)) {
                let middle = [0, 1, 2].map(|i| corners.iter().map(|p| 0.25 * p[i]).sum::<f64>());
                let depth = dot([middle[0], middle[1], TALL * middle[2]], view.towards);
                cells.push((depth, middle[2], corners.map(|p| view.place(p)).to_vec()));
            }
        }
    }
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, z, corners) in cells {
        drawing.facet(corners, look::shade(z), Pen::solid(INK, 0.25));
    }
}

/// One axis along its edge: line, ticks, numbers, label.
fn label(drawing: &mut Drawing, view: &View, axis: &Axis, range: &Range, i: usize) {
    let notation = Notation::new(axis, range.size());
    let at = |along: f64| {
        let mut p = view.edge(i);
        p[i] = along;
        view.place(p)
    };
    let (from, to, middle) = (at(0.0), at(1.0), at(0.5));
    // Outwards: across the edge, away from the middle of the box.
    let length = (to[0] - from[0]).hypot(to[1] - from[1]).max(1e-9);
    let across = [(to[1] - from[1]) / length, (from[0] - to[0]) / length];
    let away = [middle[0] - view.centre[0], middle[1] - view.centre[1]];
    let side = if across[0] * away[0] + across[1] * away[1] < 0.0 { -1.0 } else { 1.0 };
    let out = across.map(|c| side * c);
    let beside = |p: Point, by: f64| [p[0] + by * out[0], p[1] + by * out[1]];
    let anchor = if out[0] < -0.1 {
        Anchor::End
    } else if out[0] > 0.1 {
        Anchor::Start
    } else {
        Anchor::Middle
    };
    let written = |drawing: &mut Drawing, p: Point, size: f64, text: &str| {
        // Centred on its height, lower the more it stands below the edge.
        let baseline = p[1] + size * (0.36 + 0.4 * out[1]);
        drawing.text([p[0], baseline], anchor, size, INK, text);
    };
    let mut strokes = vec![vec![from, to]];
    let mut widest = 0.0f64;
    for (along, number) in numbers(range, notation.exponent) {
        let p = at(along);
        strokes.push(vec![p, beside(p, 4.0)]);
        written(drawing, beside(p, 8.0), TICK_SIZE, &number);
        widest = widest.max(text::width(&number, TICK_SIZE));
    }
    drawing.lines(strokes, look::frame());
    let title = match notation.factor.as_str() {
        "" => notation.title,
        factor => format!("{} ({factor})", notation.title),
    };
    if i == 2 {
        let p = [from[0].min(to[0]) - widest - 18.0, 0.5 * (from[1] + to[1])];
        drawing.upwards(p, LABEL_SIZE, INK, &title);
    } else {
        written(
            drawing,
            beside(middle, 14.0 + TICK_SIZE + widest * out[0].abs()),
            LABEL_SIZE,
            &title,
        );
    }
}
