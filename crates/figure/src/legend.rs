//! The legend: inside the panel where it covers no data, else above the panel.

use crate::drawing::{Drawing, Pen};
use crate::geometry::{Point, Rect};
use crate::look::{self, GRID, INK, LABEL_SIZE, WHITE};
use crate::series::{Series, Sign};
use crate::text::{self, Anchor};

/// Length of the sample line.
const SAMPLE: f64 = 30.0;
/// Between sample and name.
const GAP: f64 = 7.0;
/// Height of an entry.
const ROW: f64 = 19.0;
/// Between the border and the entries, and between the border and the frame.
const INSET: f64 = 7.0;
/// Between entries side by side.
const APART: f64 = 18.0;

/// The names of series with what stands for them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Legend {
    entries: Vec<(String, Sign)>,
}

/// What is drawn in a panel, which a text should not cover.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    pub lines: Vec<Vec<Point>>,
    pub points: Vec<Point>,
    pub boxes: Vec<Rect>,
}

impl Obstacles {
    /// How many segments, points and texts a rectangle touches.
    pub fn under(&self, rect: Rect) -> usize {
        let rect = rect.grown(2.0);
        let lines = self.lines.iter().flat_map(|run| run.windows(2));
        let crossed = lines.filter(|pair| rect.clip(pair[0], pair[1]).is_some()).count();
        let points = self.points.iter().filter(|&&p| rect.contains(p)).count();
        let apart = |other: &Rect| {
            other.left >= rect.right()
                || rect.left >= other.right()
                || other.top >= rect.bottom()
                || rect.top >= other.bottom()
        };
        // A text on a text cannot be read at all.
        let texts = self.boxes.iter().filter(|other| !apart(other)).count();
        crossed + points + 1000 * texts
    }

    /// The first of the candidates that covers least, and how much that is.
    pub fn clearest(&self, candidates: &[Rect]) -> Option<(Rect, usize)> {
        let covered = candidates.iter().map(|&rect| (rect, self.under(rect)));
        covered.min_by_key(|&(_, count)| count)
    }
}

impl Legend {
    /// The legend of the named series.
    pub fn new(series: &[Series]) -> Self {
        let named = series.iter().enumerate().filter(|(_, s)| !s.name.is_empty());
        Legend { entries: named.map(|(i, s)| (s.name.clone(), s.sign(i))).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn widths(&self) -> impl Iterator<Item = f64> {
        self.entries.iter().map(|(name, _)| SAMPLE + GAP + text::width(name, LABEL_SIZE))
    }

    /// Where the legend fits into a frame of a size without covering anything.
    pub fn inside(&self, width: f64, height: f64, obstacles: &Obstacles) -> Option<Rect> {
        let box_width = self.widths().fold(0.0, f64::max) + 2.0 * INSET;
        let box_height = ROW * self.entries.len() as f64 + INSET;
        if self.is_empty() || box_width > 0.6 * width || box_height > 0.6 * height {
            return None;
        }
        let right = width - box_width - INSET;
        let bottom = height - box_height - INSET;
        let (middle, centre) = (0.5 * (width - box_width), 0.5 * (height - box_height));
        // Corners first; right before left, top before bottom.
        let candidates = [
            (right, INSET),
            (INSET, INSET),
            (right, bottom),
            (INSET, bottom),
            (middle, INSET),
            (middle, bottom),
            (right, centre),
            (INSET, centre),
            (middle, centre),
        ]
        .map(|(left, top)| Rect::new(left, top, box_width, box_height));
        obstacles.clearest(&candidates).filter(|&(_, covered)| covered == 0).map(|(rect, _)| rect)
    }

    /// Entries in rows of at most a width.
    fn rows(&self, width: f64) -> Vec<Vec<(f64, usize)>> {
        let mut rows: Vec<Vec<(f64, usize)>> = Vec::new();
        let mut pen = f64::INFINITY;
        for (i, entry) in self.widths().enumerate() {
            if pen + entry > width {
                rows.push(Vec::new());
                pen = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((pen, i));
            }
            pen += entry + APART;
        }
        rows
    }

    /// The height of the legend above a panel of a width.
    pub fn height_above(&self, width: f64) -> f64 {
        ROW * self.rows(width).len() as f64
    }

    /// Draws the legend in rows of a width, down from `top`.
    pub fn draw_above(&self, drawing: &mut Drawing, left: f64, top: f64, width: f64) {
        for (r, row) in self.rows(width).into_iter().enumerate() {
            for (x, i) in row {
                self.draw_entry(drawing, i, left + x, top + ROW * (r as f64 + 0.5));
            }
        }
    }

    /// Draws the legend in its box.
    pub fn draw_inside(&self, drawing: &mut Drawing, rect: Rect) {
        drawing.area(vec![rect.corners()], WHITE.faded(0.85));
        drawing.outline(rect, Pen::solid(GRID, look::HAIRLINE));
        for i in 0..self.entries.len() {
            let y = rect.top + 0.5 * INSET + ROW * (i as f64 + 0.5);
            self.draw_entry(drawing, i, rect.left + INSET, y);
        }
    }

    fn draw_entry(&self, drawing: &mut Drawing, i: usize, x: f64, y: f64) {
        let (name, sign) = &self.entries[i];
        match *sign {
            Sign::Line(pen) => drawing.lines(vec![vec![[x, y], [x + SAMPLE, y]]], pen),
            Sign::Points(marker, _, colour) => {
                drawing.markers(&[[x + 0.5 * SAMPLE, y]], marker, look::MARKER, colour);
            }
        }
        let baseline = y + 0.36 * LABEL_SIZE;
        drawing.text([x + SAMPLE + GAP, baseline], Anchor::Start, LABEL_SIZE, INK, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend() -> Legend {
        Legend::new(&[Series::new("first", [0.0], [0.0]), Series::new("second", [0.0], [0.0])])
    }

    #[test]
    fn a_legend_goes_where_nothing_is() {
        // A curve through the top corners and along the left side leaves the bottom right.
        let lines = vec![vec![[0.0, 190.0], [5.0, 20.0], [395.0, 20.0]]];
        let obstacles = Obstacles { lines, ..Obstacles::default() };
        let rect = legend().inside(400.0, 200.0, &obstacles).unwrap();
        assert!(rect.left > 200.0 && rect.top > 100.0, "{rect:?}");
        assert_eq!(obstacles.under(rect), 0);
    }

    #[test]
    fn a_legend_that_would_cover_data_wherever_it_is_goes_above() {
        let zigzag = (0..80).map(|i| [5.0 * f64::from(i), 200.0 * f64::from(i % 2)]).collect();
        let obstacles = Obstacles { lines: vec![zigzag], ..Obstacles::default() };
        assert_eq!(legend().inside(400.0, 200.0, &obstacles), None);
        assert_eq!(legend().height_above(400.0), ROW);
        assert_eq!(legend().height_above(100.0), 2.0 * ROW);
    }

    #[test]
    fn one_long_segment_counts_though_its_ends_are_far() {
        let lines = vec![vec![[-100.0, 50.0], [500.0, 50.0]]];
        let obstacles = Obstacles { lines, ..Obstacles::default() };
        assert_eq!(obstacles.under(Rect::new(100.0, 40.0, 50.0, 20.0)), 1);
        assert_eq!(obstacles.under(Rect::new(100.0, 60.0, 50.0, 20.0)), 0);
    }
}
