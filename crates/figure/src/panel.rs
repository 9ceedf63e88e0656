//! A panel: one pair of axes with what is drawn between them.

use crate::arrows::Arrows;
use crate::axis::{Axis, Range};
use crate::series::{Look, Mark, Series};
use crate::surface::{Surface, View};
use crate::trace::never_turns;

/// How long a unit is along the two axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Aspect {
    /// Each axis fills the panel.
    #[default]
    Fill,
    /// A unit is as long along x as along y: shapes are true.
    Equal,
}

/// One pair of axes with data series and reference marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Text above the panel; none if empty.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// The data, drawn in this order.
    pub series: Vec<Series>,
    /// References, drawn under the data.
    pub marks: Vec<Mark>,
    /// A quantity over x and y, under everything else. Seen from the side it stands alone: series,
    /// marks and arrows of the panel are not drawn.
    pub surface: Option<Surface>,
    /// Vectors, over everything else.
    pub arrows: Option<Arrows>,
    /// Whether shapes are true.
    pub aspect: Aspect,
    /// Height of the frame in px; what the arrangement suggests if not given.
    pub height: Option<f64>,
}

impl Panel {
    /// A panel without data.
    pub fn new(x: Axis, y: Axis) -> Self {
        Panel {
            title: String::new(),
            x,
            y,
            series: Vec::new(),
            marks: Vec::new(),
            surface: None,
            arrows: None,
            aspect: Aspect::Fill,
            height: None,
        }
    }

    /// The panel with a title.
    pub fn titled(self, title: impl Into<String>) -> Self {
        Panel { title: title.into(), ..self }
    }

    /// The panel with one more series.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The panel with one more mark.
    pub fn mark(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    /// The panel with a quantity over x and y.
    pub fn surface(self, surface: Surface) -> Self {
        Panel { surface: Some(surface), ..self }
    }

    /// The panel with vectors.
    pub fn arrows(self, arrows: Arrows) -> Self {
        Panel { arrows: Some(arrows), ..self }
    }

    /// The panel with true shapes.
    pub fn equal(self) -> Self {
        Panel { aspect: Aspect::Equal, ..self }
    }

    /// The panel with a frame of a height in px.
    pub fn height(self, height: f64) -> Self {
        Panel { height: Some(height), ..self }
    }

    /// The values along x that must be shown.
    fn x_data(&self) -> impl Iterator<Item = f64> {
        let series = self.series.iter().flat_map(|s| s.points().0);
        let surface = self.surface.iter().flat_map(|s| &s.x);
        let arrows = self.arrows.iter().flat_map(|a| &a.x);
        let marks = self.marks.iter().filter_map(|m| m.extent().0);
        series.chain(surface).chain(arrows).copied().chain(marks)
    }

    /// The values along y that must be shown: those at values of x that are.
    fn y_data(&self, x: Range) -> impl Iterator<Item = f64> {
        let series = self.series.iter().flat_map(|s| s.x.iter().zip(&s.y));
        let surface = self.surface.iter().flat_map(|s| s.x.iter().zip(&s.y));
        let arrows = self.arrows.iter().flat_map(|a| a.x.iter().zip(&a.y));
        let points = series.chain(surface).chain(arrows);
        let seen = points.filter(move |(at, _)| (0.0..=1.0).contains(&x.place(**at)));
        seen.map(|(_, &y)| y).chain(self.marks.iter().filter_map(|m| m.extent().1))
    }

    /// Whether a surface fills the frame to its border.
    fn is_filled(&self) -> bool {
        self.surface.as_ref().is_some_and(Surface::is_straight)
    }

    /// The direction of the viewer of a surface seen from the side.
    pub(crate) fn oblique(&self) -> Option<(&Surface, (f64, f64))> {
        let surface = self.surface.as_ref()?;
        match surface.view {
            View::Contours => None,
            View::Oblique { azimuth, elevation } => Some((surface, (azimuth, elevation))),
        }
    }
}

/// Between the data and the frame, as a part of the frame.
const MARGIN: f64 = 0.05;

/// The range of x of panels with a common x axis.
pub(crate) fn x_range(axis: &Axis, panels: &[Panel]) -> Range {
    // A marker on the frame would be cut, a loop would touch it.
    let over_time = |p: &Panel| {
        let bent = p.surface.is_some() || p.arrows.is_some();
        !bent
            && p.series
                .iter()
                .all(|s| !matches!(s.look, Look::Points | Look::Dots) && never_turns(s.points().0))
    };
    let tight = panels.iter().all(|p| p.is_filled() || over_time(p));
    let margin = if tight { 0.0 } else { MARGIN };
    Range::new(axis, panels.iter().flat_map(|p| p.x_data()), margin)
}

/// The range of y of a panel that shows a range of x.
pub(crate) fn y_range(panel: &Panel, x: Range) -> Range {
    let margin = if panel.is_filled() { 0.0 } else { MARGIN };
    Range::new(&panel.y, panel.y_data(x), margin)
}
