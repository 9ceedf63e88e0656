//! A drawing as PNG.

use crate::drawing::{Drawing, Marker, Pen, Shape, Text};
use crate::geometry::Point;
use crate::look::Colour;
use crate::text;
use std::fmt;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

/// The longest side of a picture, in pixels: 16384² pixels are a gigabyte.
const LONGEST: f64 = 16384.0;

/// Why there is no picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PngError {
    /// The scale makes no picture of 1 to 16384 pixels each way.
    Scale {
        /// The scale asked for.
        scale: f64,
        /// Width of the figure at 100 %, in px.
        width: f64,
        /// Height of the figure at 100 %, in px.
        height: f64,
    },
    /// The picture could not be compressed.
    Encoding,
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PngError::Scale { scale, width, height } => write!(
                f,
                "scale {scale} of a figure of {width} x {height} px: the picture must have 1 to \
                 {LONGEST} px each way; give a scale between {:.3} and {:.1}",
                1.0 / width.min(height),
                LONGEST / width.max(height)
            ),
            PngError::Encoding => write!(f, "the picture could not be compressed as PNG"),
        }
    }
}

impl std::error::Error for PngError {}

/// The file of a drawing, with `scale` pixels for each of its own.
pub(crate) fn write(drawing: &Drawing, scale: f64) -> Result<Vec<u8>, PngError> {
    let (width, height) = (drawing.width, drawing.height);
    let refused = PngError::Scale { scale, width, height };
    let side = |length: f64| {
        let pixels = (length * scale).round();
        if (1.0..=LONGEST).contains(&pixels) { Ok(pixels as u32) } else { Err(refused) }
    };
    let mut pixmap = Pixmap::new(side(width)?, side(height)?).ok_or(refused)?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let zoom = Transform::from_scale(scale as f32, scale as f32);
    for shape in &drawing.shapes {
        match shape {
            Shape::Lines { runs, pen } => {
                let mut path = PathBuilder::new();
                runs.iter().for_each(|run| add_run(&mut path, run));
                if let Some(path) = path.finish() {
                    pixmap.stroke_path(&path, &paint(pen.colour), &stroke(pen), zoom, None);
                }
            }
            Shape::Area { loops, colour, edge } => {
                let mut path = PathBuilder::new();
                loops.iter().for_each(|corners| add_polygon(&mut path, corners));
                let path = path.finish();
                fill(&mut pixmap, path.as_ref(), *colour, FillRule::EvenOdd, zoom);
                if let (Some(path), Some(pen)) = (path, edge) {
                    pixmap.stroke_path(&path, &paint(pen.colour), &stroke(pen), zoom, None);
                }
            }
            Shape::Markers { at, marker, radius, colour } => {
                let mut path = PathBuilder::new();
                at.iter().for_each(|&p| add_marker(&mut path, p, *marker, *radius));
                fill(&mut pixmap, path.finish().as_ref(), *colour, FillRule::Winding, zoom);
            }
            Shape::Text(text) => {
                let place = zoom.pre_translate(text.at[0] as f32, text.at[1] as f32);
                let place = place.pre_concat(Transform::from_rotate(-text.turned as f32));
                fill(&mut pixmap, text_path(text).as_ref(), text.colour, FillRule::Winding, place);
            }
        }
    }
    pixmap.encode_png().map_err(|_| PngError::Encoding)
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let alpha = (colour.opacity * 255.0).round() as u8;
    paint.set_color_rgba8(colour.red, colour.green, colour.blue, alpha);
    paint
}

fn fill(pixmap: &mut Pixmap, path: Option<&Path>, colour: Colour, rule: FillRule, to: Transform) {
    if let Some(path) = path {
        pixmap.fill_path(path, &paint(colour), rule, to, None);
    }
}

fn stroke(pen: &Pen) -> Stroke {
    let dashes = pen.dashes.iter().map(|&d| d as f32).collect();
    Stroke {
        width: pen.width as f32,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dashes, 0.0),
        ..Stroke::default()
    }
}

fn add_run(path: &mut PathBuilder, points: &[Point]) {
    for (i, p) in points.iter().enumerate() {
        let (x, y) = (p[0] as f32, p[1] as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
}

fn add_polygon(path: &mut PathBuilder, corners: &[Point]) {
    if corners.len() > 2 {
        add_run(path, corners);
        path.close();
    }
}

fn add_marker(path: &mut PathBuilder, p: Point, marker: Marker, radius: f64) {
    if marker == Marker::Circle {
        path.push_circle(p[0] as f32, p[1] as f32, radius as f32);
    } else {
        let corner = |c: &Point| [p[0] + radius * c[0], p[1] + radius * c[1]];
        add_polygon(path, &marker.corners().iter().map(corner).collect::<Vec<_>>());
    }
}

fn text_path(text: &Text) -> Option<Path> {
    let (placed, width) = text::lay_out(&text.content, text.size);
    let start = text.anchor.start(width);
    let mut outline = Outline { path: PathBuilder::new(), x: 0.0, y: 0.0, scale: 1.0 };
    for p in placed {
        outline.x = (p.x + start) as f32;
        outline.y = p.y as f32;
        outline.scale = p.scale as f32;
        text::face().outline_glyph(p.glyph, &mut outline);
    }
    outline.path.finish()
}

/// The outline of a glyph at its place, y turned downwards.
struct Outline {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, self.y - self.scale * y)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
