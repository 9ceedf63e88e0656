//! Where everything of a panel is, and its drawing.

use crate::axis::Range;
use crate::band::{Drawn, once};
use crate::contour;
use crate::drawing::{Drawing, Marker, Pen};
use crate::geometry::{Point, Rect};
use crate::legend::{Legend, Obstacles};
use crate::look::{
    self, FINE_GRID, GRID, HAIRLINE, INK, LABEL_SIZE, REFERENCE, SHADE, TICK_LENGTH, TICK_SIZE,
    WHITE,
};
use crate::panel::{Aspect, Panel, y_range};
use crate::relief;
use crate::series::{Mark, Sign};
use crate::text::{self, Anchor};
use crate::ticks::{Notation, Tick, ticks};
use crate::trace::{Frame, never_turns};

/// Whether a panel has numbers and a label at its x axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    Labelled,
    Bare,
}

/// A panel whose places are known, relative to the top left corner of its frame.
pub(crate) struct Plan<'a> {
    panel: &'a Panel,
    frame: Frame,
    foot: Foot,
    x: Side,
    y: Side,
    /// Lines or points of each series, and the bands of what is too fast for a line.
    traces: Vec<(Drawn, Sign)>,
    obstacles: Obstacles,
    legend: Legend,
    legend_box: Option<Rect>,
    /// The numbers of the colour bar.
    bar: Option<Side>,
}

/// An axis with its ticks.
struct Side {
    notation: Notation,
    ticks: Vec<Tick>,
}

impl Side {
    fn widest(&self) -> f64 {
        self.ticks.iter().map(|t| text::width(&t.label, TICK_SIZE)).fold(0.0, f64::max)
    }
}

/// Least distance in px between numbers below each other, and side by side.
const Y_PITCH: f64 = 26.0;
const X_PITCH: f64 = 50.0;
/// More numbers than this are noise.
const MOST: f64 = 9.0;
/// How strong the colour of a band is.
const BAND: f64 = 0.35;
/// From the frame to the numbers, and from there to the label.
const TO_NUMBERS: f64 = TICK_LENGTH + 4.0;
const TO_LABEL: f64 = 8.0;
/// Width of the colour bar, and its distance from the frame.
const BAR: f64 = 14.0;
/// Height of a line of text with what is around it.
const LINE_OF_TEXT: f64 = 20.0;

impl<'a> Plan<'a> {
    /// The plan for a frame of a size; with a legend of its own unless the figure has one for all.
    pub fn new(
        panel: &'a Panel,
        (width, height): (f64, f64),
        x: Range,
        foot: Foot,
        legend: Legend,
    ) -> Self {
        let y = y_range(panel, x);
        let mut frame = Frame { x, y, width, height };
        let (mut x_size, mut y_size) = (x.size(), y.size());
        if panel.aspect == Aspect::Equal {
            frame = equal(frame);
            (x_size, y_size) = (frame.x.size(), frame.y.size());
            if panel.x.unit == panel.y.unit {
                // One prefix for both.
                (x_size, y_size) = (x_size.max(y_size), x_size.max(y_size));
            }
        }
        let x_notation = Notation::new(&panel.x, x_size);
        let y_notation = Notation::new(&panel.y, y_size);
        let most = |length: f64, pitch: f64| (length / pitch).clamp(2.0, MOST) as usize;
        let x_most = most(width, X_PITCH);
        let x_ticks = ticks(&frame.x, x_notation.exponent, x_most, Some(width));
        let y_ticks = ticks(&frame.y, y_notation.exponent, most(height, Y_PITCH), None);
        let mut traces = Vec::new();
        let mut obstacles = Obstacles::default();
        for (i, series) in panel.series.iter().enumerate() {
            let (x, y) = series.points();
            let sign = series.sign(i);
            let drawn = match sign {
                Sign::Line(pen) => {
                    let mut drawn = Drawn::of(frame.lines(x, y));
                    if !pen.dashes.is_empty() && !never_turns(x) {
                        drawn.lines = once(&drawn.lines);
                    }
                    drawn
                }
                Sign::Points(..) => Drawn { lines: vec![frame.points(x, y)], bands: Vec::new() },
            };
            match sign {
                Sign::Line(_) => obstacles.lines.extend(drawn.lines.iter().cloned()),
                Sign::Points(..) => obstacles.points.extend(drawn.lines.concat()),
            }
            traces.push((drawn, sign));
        }
        for mark in &panel.marks {
            obstacles.lines.extend(mark_line(mark, &frame));
        }
        let legend_box = legend.inside(width, height, &obstacles);
        obstacles.boxes.extend(legend_box);
        let x = Side { notation: x_notation, ticks: x_ticks };
        let y = Side { notation: y_notation, ticks: y_ticks };
        let bar = panel.surface.as_ref().filter(|_| panel.oblique().is_none()).map(|surface| {
            let range = surface.range();
            let notation = Notation::new(&surface.value, range.size());
            let ticks = ticks(&range, notation.exponent, most(height, Y_PITCH), None);
            Side { notation, ticks }
        });
        Plan { panel, frame, foot, x, y, traces, obstacles, legend, legend_box, bar }
    }

    /// What the panel needs to the left of its frame.
    pub fn left(&self) -> f64 {
        if self.panel.oblique().is_some() {
            return relief::ROOM[0];
        }
        let label = TO_LABEL + 1.3 * LABEL_SIZE * self.y_label().len() as f64;
        TO_NUMBERS + self.y.widest() + label
    }

    /// What it needs to the right: half of the last number, or a colour bar.
    pub fn right(&self) -> f64 {
        if self.panel.oblique().is_some() {
            return relief::ROOM[1];
        }
        if let Some(bar) = &self.bar {
            return 2.0 * BAR + TO_NUMBERS + bar.widest() + TO_LABEL + 1.3 * LABEL_SIZE;
        }
        let overhang = |t: &Tick| {
            0.5 * text::width(&t.label, TICK_SIZE)
                - self.frame.width * (1.0 - self.frame.x.place(t.at))
        };
        self.x.ticks.iter().map(overhang).fold(4.0, f64::max) + 4.0
    }

    fn legend_above(&self) -> f64 {
        if self.legend_box.is_some() { 0.0 } else { self.legend.height_above(self.frame.width) }
    }

    /// Powers of ten of the y axis and the colour bar, and what the arrows stand for.
    fn factor_above(&self) -> f64 {
        let bar = self.bar.as_ref().is_some_and(|bar| !bar.notation.factor.is_empty());
        let any = bar || !self.y.notation.factor.is_empty() || self.panel.arrows.is_some();
        if any && self.panel.oblique().is_none() { LINE_OF_TEXT - 3.0 } else { 0.0 }
    }

    /// What it needs above: title, legend, power of ten.
    pub fn top(&self) -> f64 {
        let title = if self.panel.title.is_empty() { 0.0 } else { LINE_OF_TEXT };
        title + self.legend_above() + self.factor_above() + 6.0
    }

    /// What it needs below: numbers and label.
    pub fn bottom(&self) -> f64 {
        match self.foot {
            _ if self.panel.oblique().is_some() => relief::ROOM[2],
            Foot::Labelled => TO_NUMBERS + TICK_SIZE + TO_LABEL + LABEL_SIZE + 4.0,
            Foot::Bare => TICK_LENGTH,
        }
    }

    /// The label of the y axis, its unit on a second line where the frame is too short for both.
    fn y_label(&self) -> Vec<&str> {
        let title = self.y.notation.title.as_str();
        match title.rsplit_once(" in ") {
            _ if title.is_empty() => Vec::new(),
            Some((name, _)) if text::width(title, LABEL_SIZE) > self.frame.height => {
                vec![name, title[name.len()..].trim_start()]
            }
            _ => vec![title],
        }
    }

    /// Draws the panel; `left` is how far its label is from the frame.
    pub fn draw(&self, drawing: &mut Drawing, left: f64) {
        self.draw_title(drawing);
        if let Some((surface, direction)) = self.panel.oblique() {
            let (axes, frame) = ([&self.panel.x, &self.panel.y], &self.frame);
            relief::draw(drawing, surface, direction, axes, frame);
            return;
        }
        self.draw_shades(drawing);
        for (drawn, sign) in &self.traces {
            if let Sign::Line(pen) = sign {
                // One by one: where two overlap, both are there.
                drawn
                    .bands
                    .iter()
                    .for_each(|b| drawing.area(vec![b.clone()], pen.colour.tint(BAND)));
            }
        }
        self.draw_grid(drawing);
        self.draw_contours(drawing);
        self.draw_mark_lines(drawing);
        for (drawn, sign) in &self.traces {
            match *sign {
                Sign::Line(pen) => {
                    let (lone, lines) = drawn.lines.iter().cloned().partition(|run| run.len() == 1);
                    drawing.lines(lines, pen);
                    let lone: Vec<Vec<Point>> = lone;
                    drawing.markers(&lone.concat(), Marker::Circle, pen.width, pen.colour);
                }
                Sign::Points(marker, radius, colour) => {
                    drawing.markers(&drawn.lines.concat(), marker, radius, colour);
                }
            }
        }
        if let Some(arrows) = &self.panel.arrows {
            arrows.draw(drawing, &self.frame);
            arrows.draw_key(drawing, &self.frame, -6.0);
        }
        drawing.outline(self.frame.rect(), look::frame());
        self.draw_ticks(drawing);
        self.draw_colour_bar(drawing);
        self.draw_labels(drawing, left);
        self.draw_mark_labels(drawing);
        match self.legend_box {
            Some(rect) => self.legend.draw_inside(drawing, rect),
            None => {
                let top = -self.factor_above() - self.legend_above() - 4.0;
                self.legend.draw_above(drawing, 0.0, top, self.frame.width);
            }
        }
    }

    fn across(&self, at: f64) -> f64 {
        self.frame.width * self.frame.x.place(at)
    }

    fn up(&self, at: f64) -> f64 {
        self.frame.height * (1.0 - self.frame.y.place(at))
    }

    fn draw_shades(&self, drawing: &mut Drawing) {
        for mark in &self.panel.marks {
            let corners: Vec<Point> = match mark {
                Mark::Band { from, to } => {
                    let (top, bottom) = (0.0, self.frame.height);
                    let [a, b] = [*from, *to].map(|x| self.across(x).clamp(0.0, self.frame.width));
                    vec![[a, top], [b, top], [b, bottom], [a, bottom]]
                }
                Mark::Region { x, y } => {
                    x.iter().zip(y).map(|(x, y)| self.frame.place(*x, *y)).collect()
                }
                _ => continue,
            };
            if corners.iter().flatten().any(|c| c.is_nan()) {
                continue;
            }
            let seen = self.frame.rect().clip_polygon(&corners);
            if !seen.is_empty() {
                drawing.area(vec![seen], SHADE);
            }
        }
    }

    fn draw_grid(&self, drawing: &mut Drawing) {
        let (width, height) = (self.frame.width, self.frame.height);
        for (numbered, colour) in [(false, FINE_GRID), (true, GRID)] {
            let wanted = |t: &&Tick| t.label.is_empty() != numbered;
            let vertical = self.x.ticks.iter().filter(wanted).map(|t| self.across(t.at));
            let vertical = vertical.map(|x| vec![[x, 0.0], [x, height]]);
            let horizontal = self.y.ticks.iter().filter(wanted).map(|t| self.up(t.at));
            let horizontal = horizontal.map(|y| vec![[0.0, y], [width, y]]);
            drawing.lines(vertical.chain(horizontal).collect(), Pen::solid(colour, HAIRLINE));
        }
    }

    fn draw_ticks(&self, drawing: &mut Drawing) {
        let (width, height) = (self.frame.width, self.frame.height);
        let length = |t: &Tick| if t.label.is_empty() { 0.5 * TICK_LENGTH } else { TICK_LENGTH };
        let mut strokes = Vec::new();
        for tick in &self.x.ticks {
            let x = self.across(tick.at);
            strokes.push(vec![[x, height], [x, height + length(tick)]]);
            if self.foot == Foot::Labelled {
                let at = [x, height + TO_NUMBERS + 0.76 * TICK_SIZE];
                drawing.text(at, Anchor::Middle, TICK_SIZE, INK, &tick.label);
            }
        }
        for tick in &self.y.ticks {
            let y = self.up(tick.at);
            strokes.push(vec![[0.0, y], [-length(tick), y]]);
            let at = [-TO_NUMBERS, y + 0.36 * TICK_SIZE];
            drawing.text(at, Anchor::End, TICK_SIZE, INK, &tick.label);
        }
        drawing.lines(strokes, look::frame());
        if self.foot == Foot::Labelled {
            let at = [width, height + self.bottom() - 4.0];
            drawing.text(at, Anchor::End, TICK_SIZE, INK, &self.x.notation.factor);
        }
        drawing.text([0.0, -6.0], Anchor::Start, TICK_SIZE, INK, &self.y.notation.factor);
    }

    fn draw_labels(&self, drawing: &mut Drawing, left: f64) {
        let (width, height) = (self.frame.width, self.frame.height);
        if self.foot == Foot::Labelled {
            let at = [0.5 * width, height + self.bottom() - 4.0];
            drawing.text(at, Anchor::Middle, LABEL_SIZE, INK, &self.x.notation.title);
        }
        for (i, line) in self.y_label().into_iter().enumerate() {
            let at = [LABEL_SIZE * (1.0 + 1.3 * i as f64) - left, 0.5 * height];
            drawing.upwards(at, LABEL_SIZE, INK, line);
        }
    }

    fn draw_title(&self, drawing: &mut Drawing) {
        let baseline = 10.0 - self.top() + 0.5 * (LABEL_SIZE - 3.0);
        drawing.text([0.0, baseline], Anchor::Start, LABEL_SIZE, INK, &self.panel.title);
    }

    /// From the lowest level upwards, each over the one before.
    fn draw_contours(&self, drawing: &mut Drawing) {
        let Some(surface) = &self.panel.surface else { return };
        let levels = surface.levels();
        let below = std::iter::once(f64::MIN);
        for (i, level) in below.chain(levels.iter().copied()).enumerate() {
            let loops = contour::region(surface, level).into_iter().map(|corners| {
                let places = corners.iter().map(|p| self.frame.place(p[0], p[1]));
                let places: Vec<Point> =
                    places.filter(|p| p.iter().all(|c| c.is_finite())).collect();
                self.frame.rect().clip_polygon(&places)
            });
            let seen = loops.filter(|corners| corners.len() > 2).collect();
            drawing.area(seen, look::shade(i as f64 / levels.len().max(1) as f64));
        }
    }

    fn draw_colour_bar(&self, drawing: &mut Drawing) {
        let (Some(surface), Some(bar)) = (&self.panel.surface, &self.bar) else { return };
        let (range, levels) = (surface.range(), surface.levels());
        let up = |value: f64| self.frame.height * (1.0 - range.place(value));
        let rect = Rect::new(self.frame.width + BAR, 0.0, BAR, self.frame.height);
        for i in 0..=levels.len() {
            // Each colour up to the top; the next ones are painted over it.
            let bottom = if i == 0 { rect.height } else { up(levels[i - 1]) };
            let colour = look::shade(i as f64 / levels.len().max(1) as f64);
            drawing.area(vec![Rect::new(rect.left, 0.0, BAR, bottom).corners()], colour);
        }
        drawing.outline(rect, look::frame());
        let mut strokes = Vec::new();
        for tick in &bar.ticks {
            let (x, y) = (rect.right(), up(tick.at));
            strokes.push(vec![[x, y], [x + TICK_LENGTH, y]]);
            let at = [x + TO_NUMBERS, y + 0.36 * TICK_SIZE];
            drawing.text(at, Anchor::Start, TICK_SIZE, INK, &tick.label);
        }
        drawing.lines(strokes, look::frame());
        let at = [rect.left, -6.0];
        drawing.text(at, Anchor::Start, TICK_SIZE, INK, &bar.notation.factor);
        let at = [self.frame.width + self.right() - 0.3 * LABEL_SIZE, 0.5 * rect.height];
        drawing.upwards(at, LABEL_SIZE, INK, &bar.notation.title);
    }

    fn draw_mark_lines(&self, drawing: &mut Drawing) {
        let lines = self.panel.marks.iter().filter_map(|m| mark_line(m, &self.frame)).collect();
        let dashes: &[f64] = &[5.0, 3.0];
        drawing.lines(lines, Pen { colour: REFERENCE, width: 1.0, dashes });
    }

    fn draw_mark_labels(&self, drawing: &mut Drawing) {
        let mut obstacles = self.obstacles.clone();
        let frame = self.frame.rect();
        for mark in &self.panel.marks {
            let (at, label) = match mark {
                Mark::Horizontal { at, label } => ([frame.right(), self.up(*at)], label),
                Mark::Vertical { at, label } => ([self.across(*at), 0.0], label),
                Mark::Point { x, y, label } => (self.frame.place(*x, *y), label),
                Mark::Band { .. } | Mark::Region { .. } => continue,
            };
            if !frame.contains(at) {
                continue;
            }
            if let Mark::Point { .. } = mark {
                drawing.markers(&[at], Marker::Circle, 4.5, INK);
                drawing.markers(&[at], Marker::Circle, 3.2, WHITE);
            }
            let (w, h) = (text::width(label, TICK_SIZE), 1.2 * TICK_SIZE);
            let rects: Vec<Rect> = label_places(mark, at, w, h, &frame)
                .into_iter()
                .map(|[left, top]| Rect::new(left, top, w, h))
                .filter(|rect| rect.corners().iter().all(|&corner| frame.contains(corner)))
                .collect();
            if let Some((rect, _)) = obstacles.clearest(&rects) {
                let baseline = [rect.left, rect.top + 0.95 * TICK_SIZE];
                drawing.text(baseline, Anchor::Start, TICK_SIZE, REFERENCE, label);
                obstacles.boxes.push(rect);
            }
        }
    }
}

/// The line of a mark inside a frame.
fn mark_line(mark: &Mark, frame: &Frame) -> Option<Vec<Point>> {
    let within = |place: f64| (0.0..=1.0).contains(&place);
    match *mark {
        Mark::Horizontal { at, .. } if within(frame.y.place(at)) => {
            let y = frame.height * (1.0 - frame.y.place(at));
            Some(vec![[0.0, y], [frame.width, y]])
        }
        Mark::Vertical { at, .. } if within(frame.x.place(at)) => {
            let x = frame.width * frame.x.place(at);
            Some(vec![[x, 0.0], [x, frame.height]])
        }
        _ => None,
    }
}

/// Top left corners of a label of a size beside its mark, in order of preference.
fn label_places(mark: &Mark, [x, y]: Point, w: f64, h: f64, frame: &Rect) -> Vec<Point> {
    let gap = 4.0;
    match mark {
        Mark::Horizontal { .. } => {
            let lefts = [frame.right() - w - gap, frame.left + gap, 0.5 * (frame.right() - w)];
            lefts.iter().flat_map(|&left| [[left, y - h - 2.0], [left, y + 2.5]]).collect()
        }
        Mark::Vertical { .. } => {
            let tops = [frame.top + gap, frame.bottom() - h - gap, 0.5 * (frame.bottom() - h)];
            tops.iter().flat_map(|&top| [[x + gap, top], [x - w - gap, top]]).collect()
        }
        _ => {
            let (right, left) = (x + 2.0 * gap, x - w - 2.0 * gap);
            let (over, under, level) = (y - h - gap, y + gap, y - 0.5 * h);
            vec![
                [right, over],
                [right, under],
                [left, over],
                [left, under],
                [right, level],
                [left, level],
                [x - 0.5 * w, over - gap],
                [x - 0.5 * w, under + gap],
                [x - 0.5 * w, over - h],
                [x - 0.5 * w, under + h],
            ]
        }
    }
}

/// The frame with the axis widened whose units are longer.
fn equal(frame: Frame) -> Frame {
    let length = |r: &Range| r.high - r.low;
    let ratio = (length(&frame.x) / frame.width) / (length(&frame.y) / frame.height);
    if !ratio.is_finite() || !(1e-9..1e9).contains(&ratio) {
        return frame;
    }
    let mut frame = frame;
    if ratio > 1.0 {
        frame.y = frame.y.widened(0.5 * (ratio - 1.0));
    } else {
        frame.x = frame.x.widened(0.5 * (1.0 / ratio - 1.0));
    }
    frame
}
