//! A field of vectors, such as the shear stress in a contact patch.

use crate::axis::Axis;
use crate::drawing::{Drawing, Pen};
use crate::geometry::Point;
use crate::look::{INK, LABEL_SIZE, TICK_SIZE};
use crate::text::{self, Anchor};
use crate::ticks::{Notation, decimal, round_below, times_power};
use crate::trace::Frame;

/// Vectors (u, v) at points (x, y); those with a value that is not a number are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrows {
    /// What the vectors are, and their unit.
    pub value: Axis,
    /// Values of x.
    pub x: Vec<f64>,
    /// Values of y.
    pub y: Vec<f64>,
    /// Components along x.
    pub u: Vec<f64>,
    /// Components along y.
    pub v: Vec<f64>,
}

/// Width of the lines of arrows.
const WIDTH: f64 = 1.1;

impl Arrows {
    /// Vectors at points.
    pub fn new(
        value: Axis,
        [x, y]: [impl Into<Vec<f64>>; 2],
        [u, v]: [impl Into<Vec<f64>>; 2],
    ) -> Self {
        Arrows { value, x: x.into(), y: y.into(), u: u.into(), v: v.into() }
    }

    fn vectors(&self) -> impl Iterator<Item = [f64; 4]> {
        let places = self.x.iter().zip(&self.y);
        let all = places.zip(self.u.iter().zip(&self.v)).map(|((x, y), (u, v))| [*x, *y, *u, *v]);
        all.filter(|values| values.iter().all(|v| v.abs() < 1e150))
    }

    fn longest(&self) -> f64 {
        self.vectors().map(|[_, _, u, v]| u.hypot(v)).fold(0.0, f64::max)
    }

    /// Pixels per unit: the longest arrow is as long as the points are apart.
    fn scale(&self, frame: &Frame) -> f64 {
        let rect = frame.rect();
        let seen = self.vectors().filter(|[x, y, ..]| rect.contains(frame.place(*x, *y))).count();
        let apart = (frame.width * frame.height / seen.max(1) as f64).sqrt();
        let longest = self.longest();
        if longest > 1e-150 { apart.clamp(10.0, 40.0) / longest } else { 0.0 }
    }

    /// Draws the arrows that lie inside the frame, each with its middle at its point.
    pub(crate) fn draw(&self, drawing: &mut Drawing, frame: &Frame) {
        let scale = self.scale(frame);
        let mut shafts = Vec::new();
        let mut heads = Vec::new();
        for [x, y, u, v] in self.vectors() {
            let middle = frame.place(x, y);
            let half = [0.5 * scale * u, -0.5 * scale * v];
            let from = [middle[0] - half[0], middle[1] - half[1]];
            let to = [middle[0] + half[0], middle[1] + half[1]];
            if frame.rect().contains(from) && frame.rect().contains(to) {
                arrow(from, to, &mut shafts, &mut heads);
            }
        }
        drawing.lines(shafts, Pen::solid(INK, WIDTH));
        for head in heads {
            drawing.area(vec![head], INK);
        }
    }

    /// Draws an arrow of a round length with what it stands for, ending at the right of the frame.
    pub(crate) fn draw_key(&self, drawing: &mut Drawing, frame: &Frame, baseline: f64) {
        let (scale, longest) = (self.scale(frame), self.longest());
        if scale == 0.0 {
            return;
        }
        let (digit, power) = round_below(longest);
        let value = times_power(digit, power);
        let notation = Notation::new(&self.value, value);
        let number = decimal(digit, power - notation.exponent);
        let text = format!("{} = {number}{} {}", self.value.label, notation.factor, notation.unit);
        let text = text.trim();
        let start = frame.width - text::width(text, LABEL_SIZE);
        drawing.text([start, baseline], Anchor::Start, LABEL_SIZE, INK, text);
        let (mut shafts, mut heads) = (Vec::new(), Vec::new());
        let y = baseline - 0.36 * TICK_SIZE;
        arrow([start - 8.0 - scale * value, y], [start - 8.0, y], &mut shafts, &mut heads);
        drawing.lines(shafts, Pen::solid(INK, WIDTH));
        heads.into_iter().for_each(|head| drawing.area(vec![head], INK));
    }
}

/// An arrow: a shaft that ends inside the head, and the head, smaller for a short arrow.
fn arrow(from: Point, to: Point, shafts: &mut Vec<Vec<Point>>, heads: &mut Vec<Vec<Point>>) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = dx.hypot(dy);
    if length < 0.5 {
        return;
    }
    let head = (0.4 * length).min(6.0);
    let (ex, ey) = (dx / length, dy / length);
    let base = [to[0] - head * ex, to[1] - head * ey];
    shafts.push(vec![from, base]);
    let half = 0.38 * head;
    heads.push(vec![
        to,
        [base[0] - half * ey, base[1] + half * ex],
        [base[0] + half * ey, base[1] - half * ex],
    ]);
}
