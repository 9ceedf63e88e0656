//! What is on the page: a list of shapes that the SVG and the PNG writer both draw.

use crate::geometry::{Point, Rect};
use crate::look::Colour;
use crate::text::Anchor;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pen {
    pub colour: Colour,
    pub width: f64,
    /// Lengths of dashes and gaps in turn; none for a solid line.
    pub dashes: &'static [f64],
}

impl Pen {
    pub fn solid(colour: Colour, width: f64) -> Self {
        Pen { colour, width, dashes: &[] }
    }
}

/// The sign at a data point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Marker {
    /// The corners around the point, of about the area of the circle of radius 1; none for the
    /// circle itself.
    pub fn corners(self) -> &'static [Point] {
        match self {
            Marker::Circle => &[],
            Marker::Square => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
            Marker::Triangle => &[[0.0, -1.25], [1.15, 0.8], [-1.15, 0.8]],
            Marker::Diamond => &[[0.0, -1.25], [1.25, 0.0], [0.0, 1.25], [-1.25, 0.0]],
        }
    }
}

/// One thing on the page.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Open lines of one look.
    Lines { runs: Vec<Vec<Point>>, pen: Pen },
    /// The inside of closed loops, by the even-odd rule, and the loops themselves.
    Area { loops: Vec<Vec<Point>>, colour: Colour, edge: Option<Pen> },
    /// Signs at points.
    Markers { at: Vec<Point>, marker: Marker, radius: f64, colour: Colour },
    /// One line of text.
    Text(Text),
}

/// A line of text whose baseline begins, ends or has its middle at a place.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub at: Point,
    pub anchor: Anchor,
    pub size: f64,
    pub colour: Colour,
    pub content: String,
    /// Degrees by which it is turned to the left.
    pub turned: f64,
}

/// A page of shapes in the order they are painted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
    /// Added to every shape pushed: the corner of the panel being drawn.
    pub origin: Point,
}

impl Drawing {
    fn moved(&self, p: Point) -> Point {
        [p[0] + self.origin[0], p[1] + self.origin[1]]
    }

    fn moved_runs(&self, runs: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
        runs.into_iter().map(|run| run.into_iter().map(|p| self.moved(p)).collect()).collect()
    }

    /// Open lines of one look.
    pub fn lines(&mut self, runs: Vec<Vec<Point>>, pen: Pen) {
        if !runs.is_empty() {
            let runs = self.moved_runs(runs);
            self.shapes.push(Shape::Lines { runs, pen });
        }
    }

    /// The outline of a rectangle.
    pub fn outline(&mut self, rect: Rect, pen: Pen) {
        let mut corners = rect.corners();
        corners.push(corners[0]);
        self.lines(vec![corners], pen);
    }

    /// The inside of closed loops.
    pub fn area(&mut self, loops: Vec<Vec<Point>>, colour: Colour) {
        if !loops.is_empty() {
            let loops = self.moved_runs(loops);
            self.shapes.push(Shape::Area { loops, colour, edge: None });
        }
    }

    /// A polygon with its edges.
    pub fn facet(&mut self, corners: Vec<Point>, colour: Colour, edge: Pen) {
        let loops = self.moved_runs(vec![corners]);
        self.shapes.push(Shape::Area { loops, colour, edge: Some(edge) });
    }

    /// Signs at points.
    pub fn markers(&mut self, at: &[Point], marker: Marker, radius: f64, colour: Colour) {
        if !at.is_empty() {
            let at = at.iter().map(|&p| self.moved(p)).collect();
            self.shapes.push(Shape::Markers { at, marker, radius, colour });
        }
    }

    /// A line of text.
    pub fn text(&mut self, at: Point, anchor: Anchor, size: f64, colour: Colour, content: &str) {
        if !content.is_empty() {
            let (at, content) = (self.moved(at), content.to_string());
            self.shapes.push(Shape::Text(Text { at, anchor, size, colour, content, turned: 0.0 }));
        }
    }

    /// The label of an upright axis, read from bottom to top, with its middle at `at`.
    pub fn upwards(&mut self, at: Point, size: f64, colour: Colour, content: &str) {
        if !content.is_empty() {
            let (at, content) = (self.moved(at), content.to_string());
            let (anchor, turned) = (Anchor::Middle, 90.0);
            self.shapes.push(Shape::Text(Text { at, anchor, size, colour, content, turned }));
        }
    }
}
