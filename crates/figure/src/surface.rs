//! A quantity over the plane.

use crate::axis::{Axis, Range, Scale};
use crate::ticks::ticks;

/// From where a surface is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// From above, as bands of colour between round values, with a colour bar.
    Contours,
    /// From the side, as a mesh in space.
    Oblique {
        /// Direction of the viewer around the vertical, in degrees from the x axis; −60 is usual.
        azimuth: f64,
        /// Height of the viewer above the plane, in degrees; 30 is usual.
        elevation: f64,
    },
}

/// A quantity z over (x, y), known at the nodes of a grid that may be bent. Where it is not a number
/// the surface has a hole.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Label, unit and limits of z; its scale is linear.
    pub value: Axis,
    /// Nodes in a row.
    pub columns: usize,
    /// Values of x, row by row.
    pub x: Vec<f64>,
    /// Values of y, row by row.
    pub y: Vec<f64>,
    /// Values of z, row by row.
    pub z: Vec<f64>,
    /// From where it is seen.
    pub view: View,
}

impl Surface {
    /// A function over all pairs of `x` and `y`, seen from above.
    pub fn over(value: Axis, x: &[f64], y: &[f64], z: impl Fn(f64, f64) -> f64) -> Self {
        let pairs = || y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y)));
        Surface {
            value,
            columns: x.len(),
            x: pairs().map(|(x, _)| x).collect(),
            y: pairs().map(|(_, y)| y).collect(),
            z: pairs().map(|(x, y)| z(x, y)).collect(),
            view: View::Contours,
        }
    }

    /// Values at the nodes of a bent grid, row by row, seen from above.
    pub fn bent(
        value: Axis,
        columns: usize,
        x: impl Into<Vec<f64>>,
        y: impl Into<Vec<f64>>,
        z: impl Into<Vec<f64>>,
    ) -> Self {
        let (x, y, z) = (x.into(), y.into(), z.into());
        Surface { value, columns, x, y, z, view: View::Contours }
    }

    /// The surface seen from the side.
    pub fn oblique(self, azimuth: f64, elevation: f64) -> Self {
        Surface { view: View::Oblique { azimuth, elevation }, ..self }
    }

    /// Full rows of nodes.
    pub(crate) fn rows(&self) -> usize {
        let nodes = self.x.len().min(self.y.len()).min(self.z.len());
        nodes.checked_div(self.columns).unwrap_or(0)
    }

    /// Place and value of a node.
    pub(crate) fn node(&self, row: usize, column: usize) -> [f64; 3] {
        let i = row * self.columns + column;
        [self.x[i], self.y[i], self.z[i]]
    }

    /// Whether the grid fills an upright rectangle.
    pub(crate) fn is_straight(&self) -> bool {
        let nodes = (0..self.rows()).flat_map(|r| (0..self.columns).map(move |c| (r, c)));
        nodes.into_iter().all(|(r, c)| {
            let [x, y, _] = self.node(r, c);
            x == self.node(0, c)[0] && y == self.node(r, 0)[1]
        })
    }

    pub(crate) fn range(&self) -> Range {
        let axis = Axis { scale: Scale::Linear, ..self.value.clone() };
        Range::new(&axis, self.z.iter().copied(), 0.0)
    }

    /// Round values between which the surface has one colour.
    pub(crate) fn levels(&self) -> Vec<f64> {
        let range = self.range();
        let inside = |at: &f64| range.low < *at && *at < range.high;
        ticks(&range, 0, 14, None).into_iter().map(|t| t.at).filter(inside).collect()
    }
}
