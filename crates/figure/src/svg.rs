//! A drawing as SVG.
//!
//! Coordinates are written in hundredths of a pixel. Texts are outlines, with what they say in
//! `aria-label`; each glyph is defined once per file. The names of glyphs are those of the font, so
//! several figures can stand in one HTML page.

use crate::drawing::{Drawing, Marker, Pen, Shape, Text};
use crate::geometry::Point;
use crate::look::Colour;
use crate::text::{self, Placed};
use std::collections::BTreeSet;
use std::fmt::Write;
use ttf_parser::{GlyphId, OutlineBuilder};

/// The file of a drawing. Writing to a string cannot fail, so results of `write!` are dropped.
pub(crate) fn write(drawing: &Drawing, title: &str) -> String {
    let mut body = String::new();
    let mut glyphs = BTreeSet::new();
    for shape in &drawing.shapes {
        match shape {
            Shape::Lines { runs, pen } => {
                let mut path = Path::default();
                runs.iter().for_each(|run| path.run(run));
                let _ = writeln!(body, r#"<path d="{}" {}/>"#, path.data, stroke(pen));
            }
            Shape::Area { loops, colour, edge } => {
                let mut path = Path::default();
                loops.iter().for_each(|corners| path.polygon(corners));
                let rule = if loops.len() > 1 { r#" fill-rule="evenodd""# } else { "" };
                let edge = edge.map_or(String::new(), |pen| {
                    format!(r#" stroke="{}" stroke-width="{}""#, hex(pen.colour), number(pen.width))
                });
                let _ =
                    writeln!(body, r#"<path d="{}" {}{rule}{edge}/>"#, path.data, fill(*colour));
            }
            Shape::Markers { at, marker, radius, colour } => {
                let mut path = Path::default();
                at.iter().for_each(|&p| path.marker(p, *marker, *radius));
                let _ = writeln!(body, r#"<path d="{}" {}/>"#, path.data, fill(*colour));
            }
            Shape::Text(text) => {
                let (placed, width) = text::lay_out(&text.content, text.size);
                glyphs.extend(placed.iter().map(|p| p.glyph.0));
                write_text(&mut body, text, &placed, width);
            }
        }
    }
    let (width, height) = (number(drawing.width), number(drawing.height));
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    if !title.is_empty() {
        let _ = writeln!(file, "<title>{}</title>", escaped(title));
    }
    file.push_str("<defs>\n");
    for glyph in glyphs {
        let mut outline = Outline::default();
        text::face().outline_glyph(GlyphId(glyph), &mut outline);
        let _ = writeln!(file, r#"<path id="dejavu{glyph}" d="{}"/>"#, outline.data);
    }
    file.push_str("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    file.push_str(&body);
    file.push_str("</svg>\n");
    file
}

fn write_text(body: &mut String, text: &Text, placed: &[Placed], width: f64) {
    let turn = match text.turned {
        0.0 => String::new(),
        angle => format!(" rotate({})", number(-angle)),
    };
    let _ = write!(
        body,
        r#"<g role="img" aria-label="{}" {} transform="translate({} {}){turn}">"#,
        escaped(&text.content),
        fill(text.colour),
        number(text.at[0]),
        number(text.at[1])
    );
    let start = text.anchor.start(width);
    for p in placed {
        let scale = (p.scale * 1e6).round() / 1e6;
        let (x, y) = (number(p.x + start), number(p.y));
        let _ = write!(
            body,
            r##"<use href="#dejavu{}" transform="translate({x} {y}) scale({scale} -{scale})"/>"##,
            p.glyph.0
        );
    }
    body.push_str("</g>\n");
}

fn stroke(pen: &Pen) -> String {
    let mut out = format!(
        r#"fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round" stroke-linecap="round""#,
        hex(pen.colour),
        number(pen.width)
    );
    if !pen.dashes.is_empty() {
        let dashes: Vec<String> = pen.dashes.iter().map(|&d| number(d)).collect();
        let _ = write!(out, r#" stroke-dasharray="{}""#, dashes.join(" "));
    }
    out
}

fn fill(colour: Colour) -> String {
    let mut out = format!(r#"fill="{}""#, hex(colour));
    if colour.opacity < 1.0 {
        let _ = write!(out, r#" fill-opacity="{}""#, number(colour.opacity));
    }
    out
}

fn hex(colour: Colour) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue)
}

fn escaped(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for character in content.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no place for these, not even escaped.
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A length to a hundredth of a pixel.
fn number(value: f64) -> String {
    hundredths(to_hundredths(value))
}

fn to_hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

fn hundredths(value: i64) -> String {
    let (sign, size) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    match (size / 100, size % 100) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, part) if part % 10 == 0 => format!("{sign}{whole}.{}", part / 10),
        (whole, part) => format!("{sign}{whole}.{part:02}"),
    }
}

/// Path data, relative to the point before and in whole hundredths, so that nothing adds up.
#[derive(Default)]
struct Path {
    data: String,
    last: [i64; 2],
}

impl Path {
    fn start(&mut self, p: Point) {
        self.last = p.map(to_hundredths);
        let [x, y] = self.last.map(hundredths);
        let _ = write!(self.data, "M{x} {y}");
    }

    fn line(&mut self, points: &[Point]) {
        self.data.push('l');
        for (i, p) in points.iter().enumerate() {
            let next = p.map(to_hundredths);
            let x = hundredths(next[0] - self.last[0]);
            let y = hundredths(next[1] - self.last[1]);
            let space = if i == 0 || x.starts_with('-') { "" } else { " " };
            let between = if y.starts_with('-') { "" } else { " " };
            let _ = write!(self.data, "{space}{x}{between}{y}");
            self.last = next;
        }
    }

    fn run(&mut self, points: &[Point]) {
        if let [first, rest @ ..] = points
            && !rest.is_empty()
        {
            self.start(*first);
            self.line(rest);
        }
    }

    fn polygon(&mut self, corners: &[Point]) {
        if corners.len() > 2 {
            self.run(corners);
            self.data.push('z');
        }
    }

    fn marker(&mut self, p: Point, marker: Marker, radius: f64) {
        if marker == Marker::Circle {
            self.start([p[0] - radius, p[1]]);
            let (r, d) = (number(radius), number(2.0 * radius));
            let _ = write!(self.data, "a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z");
        } else {
            let corner = |c: &Point| [p[0] + radius * c[0], p[1] + radius * c[1]];
            self.polygon(&marker.corners().iter().map(corner).collect::<Vec<_>>());
        }
    }
}

/// The outline of a glyph as path data in units of the font.
#[derive(Default)]
struct Outline {
    data: String,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let _ = write!(self.data, "M{x} {y}");
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let _ = write!(self.data, "L{x} {y}");
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let _ = write!(self.data, "Q{x1} {y1} {x} {y}");
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let _ = write!(self.data, "C{x1} {y1} {x2} {y2} {x} {y}");
    }

    fn close(&mut self) {
        self.data.push('z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_to_a_hundredth() {
        for (value, written) in [
            (0.0, "0"),
            (-0.004, "0"),
            (1.0, "1"),
            (-0.05, "-0.05"),
            (12.345, "12.35"),
            (7.5, "7.5"),
        ] {
            assert_eq!(number(value), written);
        }
    }

    #[test]
    fn relative_paths_do_not_drift() {
        let mut path = Path::default();
        let points: Vec<Point> = (0..1000).map(|i| [0.333333 * f64::from(i), 0.0]).collect();
        path.run(&points);
        assert_eq!(path.last, [(0.333333f64 * 999.0 * 100.0).round() as i64, 0]);
    }
}
