//! Data series and reference marks.

use crate::drawing::{Marker, Pen};
use crate::look::{self, Colour};

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Look {
    /// A line, dashed differently for each series of a panel.
    #[default]
    Line,
    /// A line without dashes.
    Solid,
    /// A dashed line.
    Dashed,
    /// A marker at each point.
    Points,
    /// Dots, for clouds of many points that would bury each other.
    Dots,
}

/// Points (x, y), in order. A value that is not a number breaks a line; if one list is longer, its
/// rest is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; none if empty.
    pub name: String,
    /// Values along x.
    pub x: Vec<f64>,
    /// Values along y.
    pub y: Vec<f64>,
    /// Line or points.
    pub look: Look,
    /// Which colour, dashes and marker; the place in the panel if not given. Give it where a series
    /// shall look the same in several panels.
    pub rank: Option<usize>,
}

impl Series {
    /// A line through points.
    pub fn new(name: impl Into<String>, x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>) -> Self {
        Series { name: name.into(), x: x.into(), y: y.into(), ..Series::default() }
    }

    /// The series drawn otherwise.
    pub fn look(self, look: Look) -> Self {
        Series { look, ..self }
    }

    /// The series in the colour, dashes and marker of a rank.
    pub fn rank(self, rank: usize) -> Self {
        Series { rank: Some(rank), ..self }
    }

    /// The points that both lists have.
    pub(crate) fn points(&self) -> (&[f64], &[f64]) {
        let n = self.x.len().min(self.y.len());
        (&self.x[..n], &self.y[..n])
    }

    pub(crate) fn sign(&self, place: usize) -> Sign {
        let rank = self.rank.unwrap_or(place);
        let colour = look::colour(rank);
        let pen = |dashes| Sign::Line(Pen { colour, width: look::LINE, dashes });
        match self.look {
            Look::Line => pen(look::dashes(rank)),
            Look::Solid => pen(&[]),
            Look::Dashed => pen(look::dashed()),
            Look::Points => Sign::Points(look::marker(rank), look::MARKER, colour),
            Look::Dots => Sign::Points(Marker::Circle, look::DOT, colour),
        }
    }
}

/// What stands for a series, in the panel and in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sign {
    Line(Pen),
    Points(Marker, f64, Colour),
}

/// A reference in a panel, in grey.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line across the panel at a value of y.
    Horizontal {
        /// Value of y.
        at: f64,
        /// Text beside the line.
        label: String,
    },
    /// A line from bottom to top at a value of x.
    Vertical {
        /// Value of x.
        at: f64,
        /// Text beside the line.
        label: String,
    },
    /// A ringed point.
    Point {
        /// Value of x.
        x: f64,
        /// Value of y.
        y: f64,
        /// Text beside the point.
        label: String,
    },
    /// A shaded stretch of x, such as a phase of sticking.
    Band {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// A shaded region, such as all equilibria. It does not widen the axes.
    Region {
        /// Values of x around it.
        x: Vec<f64>,
        /// Values of y around it.
        y: Vec<f64>,
    },
}

impl Mark {
    /// A line across the panel.
    pub fn horizontal(at: f64, label: impl Into<String>) -> Self {
        Mark::Horizontal { at, label: label.into() }
    }

    /// A line from bottom to top.
    pub fn vertical(at: f64, label: impl Into<String>) -> Self {
        Mark::Vertical { at, label: label.into() }
    }

    /// A ringed point.
    pub fn point(x: f64, y: f64, label: impl Into<String>) -> Self {
        Mark::Point { x, y, label: label.into() }
    }

    /// A shaded stretch of x.
    pub fn band(from: f64, to: f64) -> Self {
        Mark::Band { from, to }
    }

    /// A shaded region within the outline (x, y).
    pub fn region(x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>) -> Self {
        Mark::Region { x: x.into(), y: y.into() }
    }

    /// The values of x and y that the panel must show.
    pub(crate) fn extent(&self) -> (Option<f64>, Option<f64>) {
        match *self {
            Mark::Horizontal { at, .. } => (None, Some(at)),
            Mark::Vertical { at, .. } => (Some(at), None),
            Mark::Point { x, y, .. } => (Some(x), Some(y)),
            Mark::Band { .. } | Mark::Region { .. } => (None, None),
        }
    }
}
