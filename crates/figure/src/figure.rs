//! A figure: panels on a page.

use crate::drawing::Drawing;
use crate::legend::Legend;
use crate::look::{INK, TITLE_SIZE};
use crate::panel::{Panel, x_range};
use crate::plan::{Foot, Plan};
use crate::png::{self, PngError};
use crate::series::Series;
use crate::svg;
use crate::text::Anchor;

/// How the panels of a figure stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrangement {
    /// In rows of some columns, each with its own axes.
    Grid {
        /// Panels side by side.
        columns: usize,
    },
    /// Below each other over one x axis, that of the last panel.
    Stacked,
}

/// A figure.
///
/// Panels that name the same series share one legend above them all.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Text above the figure; none if empty.
    pub title: String,
    /// What is shown, row by row.
    pub panels: Vec<Panel>,
    /// How the panels stand.
    pub arrangement: Arrangement,
    /// Width in px at 100 %.
    pub width: f64,
}

/// Around everything.
const BORDER: f64 = 8.0;
/// Between panels side by side, and below each other.
const BETWEEN_COLUMNS: f64 = 16.0;
const BETWEEN_ROWS: f64 = 10.0;
/// A frame is never smaller than this, whatever stands around it.
const LEAST: f64 = 40.0;

impl Figure {
    /// Panels in rows of some columns.
    pub fn grid(columns: usize, panels: impl Into<Vec<Panel>>) -> Self {
        let arrangement = Arrangement::Grid { columns };
        Figure { title: String::new(), panels: panels.into(), arrangement, width: 720.0 }
    }

    /// Panels below each other over one x axis.
    pub fn stacked(panels: impl Into<Vec<Panel>>) -> Self {
        Figure { arrangement: Arrangement::Stacked, ..Figure::grid(1, panels) }
    }

    /// The figure with a title.
    pub fn titled(self, title: impl Into<String>) -> Self {
        Figure { title: title.into(), ..self }
    }

    /// The figure with a width in px.
    pub fn width(self, width: f64) -> Self {
        Figure { width, ..self }
    }

    /// The figure as an SVG file.
    pub fn svg(&self) -> String {
        svg::write(&self.draw(), &self.title)
    }

    /// The figure as a PNG file with `scale` pixels for each px; 2 is good for screens and for
    /// print at column width.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, PngError> {
        png::write(&self.draw(), scale)
    }

    fn columns(&self) -> usize {
        match self.arrangement {
            Arrangement::Grid { columns } => columns.clamp(1, self.panels.len().max(1)),
            Arrangement::Stacked => 1,
        }
    }

    fn height_of(&self, panel: &Panel) -> f64 {
        let usual = match (self.arrangement, self.columns()) {
            (Arrangement::Stacked, _) => 130.0,
            (_, 1) => 340.0,
            _ => 230.0,
        };
        panel.height.filter(|h| h.is_finite()).unwrap_or(usual).clamp(LEAST, 1e4)
    }

    /// The legend that several panels have in common.
    fn common_legend(&self) -> Option<Legend> {
        let legends = self.panels.iter().map(|p| Legend::new(&p.series));
        let legends: Vec<Legend> = legends.filter(|l| !l.is_empty()).collect();
        let same = legends.len() > 1 && legends.windows(2).all(|pair| pair[0] == pair[1]);
        legends.into_iter().next().filter(|_| same)
    }

    /// Panels of a row that all stand over panels with the same axes leave the numbers to those.
    fn foot(&self, i: usize) -> Foot {
        let (all, columns) = (self.panels.as_slice(), self.columns());
        let range = |panel: &Panel| x_range(&panel.x, std::slice::from_ref(panel));
        let above = |k: usize| {
            let same = |below: &Panel| below.x == all[k].x && range(below) == range(&all[k]);
            all.get(k + columns).is_some_and(same)
        };
        let row = i - i % columns;
        match (row..row + columns).all(above) {
            true => Foot::Bare,
            false => Foot::Labelled,
        }
    }

    /// The panels planned for frames of a width.
    fn plans(&self, width: f64, common: Option<&Legend>) -> Vec<Plan<'_>> {
        let all = self.panels.as_slice();
        let last = all.len().saturating_sub(1);
        let plan = |i: usize| {
            let (x, foot) = match self.arrangement {
                Arrangement::Grid { .. } => (x_range(&all[i].x, &all[i..=i]), self.foot(i)),
                Arrangement::Stacked if i < last => (x_range(&all[last].x, all), Foot::Bare),
                Arrangement::Stacked => (x_range(&all[last].x, all), Foot::Labelled),
            };
            let series: &[Series] = if common.is_some() { &[] } else { &all[i].series };
            let size = (width, self.height_of(&all[i]));
            Plan::new(&all[i], size, x, foot, Legend::new(series))
        };
        (0..all.len()).map(plan).collect()
    }

    fn draw(&self) -> Drawing {
        let columns = self.columns();
        let width = if self.width.is_finite() { self.width.clamp(100.0, 1e4) } else { 720.0 };
        let common = self.common_legend();
        let gaps = 2.0 * BORDER + BETWEEN_COLUMNS * (columns - 1) as f64;
        // What stands beside a frame depends on the numbers, and these (a little) on the frame.
        let guess = ((width - gaps) / columns as f64 - 80.0).max(LEAST);
        let first = self.plans(guess, common.as_ref());
        let lefts = widest(columns, first.iter().map(Plan::left));
        let rights = widest(columns, first.iter().map(Plan::right));
        let beside: f64 = lefts.iter().chain(&rights).sum();
        let frame = ((width - gaps - beside) / columns as f64).floor().max(LEAST);
        let plans = self.plans(frame, common.as_ref());

        let mut drawing = Drawing { width, ..Drawing::default() };
        let mut top = BORDER;
        if !self.title.is_empty() {
            let at = [0.5 * width, top + TITLE_SIZE];
            drawing.text(at, Anchor::Middle, TITLE_SIZE, INK, &self.title);
            top += 1.8 * TITLE_SIZE;
        }
        if let Some(legend) = &common {
            let left = BORDER + lefts[0];
            let room = width - left - BORDER;
            legend.draw_above(&mut drawing, left, top, room);
            top += legend.height_above(room);
        }
        for (r, row) in plans.chunks(columns).enumerate() {
            let above = row.iter().map(Plan::top).fold(0.0, f64::max).ceil();
            let below = row.iter().map(Plan::bottom).fold(0.0, f64::max).ceil();
            let tallest = (0..row.len()).map(|c| self.height_of(&self.panels[r * columns + c]));
            let mut left = BORDER;
            for (c, plan) in row.iter().enumerate() {
                // On half pixels, where a line of one pixel is sharp.
                drawing.origin = [left + lefts[c] + 0.5, (top + above).round() + 0.5];
                plan.draw(&mut drawing, lefts[c]);
                left += lefts[c] + frame + rights[c] + BETWEEN_COLUMNS;
            }
            top += above + tallest.fold(0.0, f64::max) + below + BETWEEN_ROWS;
        }
        drawing.origin = [0.0, 0.0];
        drawing.height = (top - BETWEEN_ROWS + BORDER).max(2.0 * BORDER).round();
        drawing
    }
}

/// The largest of each column, in whole pixels, of lengths given row by row.
fn widest(columns: usize, lengths: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut widest = vec![0.0f64; columns];
    for (i, length) in lengths.enumerate() {
        widest[i % columns] = widest[i % columns].max(length.ceil());
    }
    widest
}
