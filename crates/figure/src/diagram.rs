//! A schematic drawing: elements in a row, what joins them above, what ties them to the ground below.

use crate::drawing::{Drawing, Pen};
use crate::geometry::Point;
use crate::look::{Colour, INK, LABEL_SIZE, REFERENCE, TICK_SIZE, TITLE_SIZE};
use crate::png::{self, PngError};
use crate::svg;
use crate::text::Anchor;

/// How an element looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// A block.
    Block,
    /// A disc.
    Disc,
    /// Something that moves by itself, below what it carries.
    Moving,
}

/// What joins two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A zigzag line.
    Spring,
    /// A piston.
    Damper,
    /// Two hatched faces.
    Contact,
    /// A line with two knots.
    Rope,
    /// Two plates with a gap.
    Buffer,
    /// Two wheels.
    Gear,
}

/// A schematic drawing.
///
/// ```
/// use bristle_figure::{Diagram, Outline, Symbol};
///
/// let mut diagram = Diagram::new("mass and spring");
/// let block = diagram.element("block", "1 kg", Outline::Block);
/// diagram.join(Some(block), None, Symbol::Spring, "wall");
/// diagram.push(block, "F");
/// assert!(diagram.svg().contains("wall"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    title: String,
    elements: Vec<(String, String, Outline)>,
    /// Between two elements, by number, or one and the ground.
    links: Vec<([Option<usize>; 2], Symbol, String)>,
    pushes: Vec<(usize, String)>,
}

/// Around everything.
const BORDER: f64 = 16.0;
/// Height of an element, and its least width.
const HEIGHT: f64 = 54.0;
const LEAST: f64 = 104.0;
/// Between elements.
const GAP: f64 = 46.0;
/// What one link to the ground takes below its element, in width and height.
const PITCH: f64 = 62.0;
const LEG: f64 = 70.0;
/// Height of one link above the elements.
const LANE: f64 = 44.0;
/// Length of a symbol.
const SIGN: f64 = 34.0;
/// The line that symbols and elements are drawn with.
const STROKE: f64 = 1.4;
/// Elements, filled.
const FILL: Colour = Colour::new(0xE4, 0xEF, 0xF7);

impl Diagram {
    /// Nothing yet, under a title.
    pub fn new(title: impl Into<String>) -> Self {
        let (elements, links, pushes) = (Vec::new(), Vec::new(), Vec::new());
        Diagram { title: title.into(), elements, links, pushes }
    }

    /// Adds an element with a label below its name; its number is what links know it by.
    pub fn element(
        &mut self,
        name: impl Into<String>,
        label: impl Into<String>,
        outline: Outline,
    ) -> usize {
        self.elements.push((name.into(), label.into(), outline));
        self.elements.len() - 1
    }

    /// Joins two elements; none is the ground.
    pub fn join(
        &mut self,
        a: Option<usize>,
        b: Option<usize>,
        symbol: Symbol,
        name: impl Into<String>,
    ) {
        self.links.push(([a, b], symbol, name.into()));
    }

    /// An arrow that pushes an element.
    pub fn push(&mut self, element: usize, name: impl Into<String>) {
        self.pushes.push((element, name.into()));
    }

    /// The drawing as an SVG file.
    pub fn svg(&self) -> String {
        svg::write(&self.draw(), &self.title)
    }

    /// The drawing as a PNG file with `scale` pixels for each px.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, PngError> {
        png::write(&self.draw(), scale)
    }

    /// Whether an element moves by itself: it is drawn below those that it carries, like the ground.
    fn moves(&self, k: usize) -> bool {
        self.elements.get(k).is_some_and(|(.., outline)| *outline == Outline::Moving)
    }

    /// The links of an element to what is below it: symbol, name, and what it is if not the ground.
    fn legs(&self, k: usize) -> Vec<(Symbol, &str, Option<&str>)> {
        let below = |end: Option<usize>| match end {
            None => Some(None),
            Some(m) if self.moves(m) => Some(Some(self.elements[m].0.as_str())),
            Some(_) => None,
        };
        let leg = |link: &'_ ([Option<usize>; 2], Symbol, String)| match link.0 {
            [a, b] if a == Some(k) => below(b),
            [a, b] if b == Some(k) => below(a),
            _ => None,
        };
        let links = self.links.iter().map(|link| (link, leg(link)));
        links.filter_map(|(link, below)| Some((link.1, link.2.as_str(), below?))).collect()
    }

    fn draw(&self) -> Drawing {
        let pen = Pen::solid(INK, STROKE);
        let between: Vec<_> = self
            .links
            .iter()
            .filter_map(|([a, b], symbol, name)| Some(((*a)?, (*b)?, *symbol, name)))
            .filter(|(a, b, ..)| !self.moves(*a) && !self.moves(*b))
            .collect();
        let top = BORDER + if self.title.is_empty() { 0.0 } else { 2.0 * TITLE_SIZE };
        let pushed = if self.pushes.is_empty() { 0.0 } else { LANE };
        let row = top + pushed + LANE * between.len() as f64 + 10.0;
        let floor = row + HEIGHT + LEG;
        // Each element is as wide as its links to the ground ask for.
        let width = |k: usize| LEAST.max(PITCH * self.legs(k).len() as f64);
        let mut left = BORDER;
        let mut centres = Vec::new();
        for k in 0..self.elements.len() {
            centres.push(left + 0.5 * width(k));
            left += if self.moves(k) { 0.0 } else { width(k) + GAP };
        }
        // Letters are about half as wide as they are high.
        let heading = 0.55 * TITLE_SIZE * self.title.chars().count() as f64 + BORDER;
        let wide = (left - GAP).max(240.0);
        let aside = (0.5 * (heading - wide)).max(0.0);
        centres.iter_mut().for_each(|x| *x += aside);
        let carried = (0..self.elements.len()).any(|k| self.moves(k));
        let mut page = Drawing {
            width: wide + 2.0 * aside + BORDER,
            height: floor + if carried { 42.0 } else { 26.0 },
            ..Drawing::default()
        };
        let title = [0.5 * page.width, BORDER + 0.8 * TITLE_SIZE];
        page.text(title, Anchor::Middle, TITLE_SIZE, INK, &self.title);
        for (lane, (a, b, symbol, name)) in between.iter().enumerate() {
            let y = row - 12.0 - LANE * lane as f64;
            // Links of one element leave it side by side.
            let shift = 7.0 * (lane as f64 % 5.0 - 2.0);
            let (from, to) = (centres[*a] + shift, centres[*b] + shift);
            page.lines(vec![vec![[from, row], [from, y]], vec![[to, y], [to, row]]], pen);
            let label = [0.5 * (from + to), y - 14.0];
            sign(&mut page, [[from, y], [to, y]], *symbol, pen);
            page.text(label, Anchor::Middle, TICK_SIZE, INK, name);
        }
        let mut stacked = vec![0usize; self.elements.len()];
        for (k, name) in &self.pushes {
            let Some(centre) = centres.get(*k) else { continue };
            let x = centre - 0.5 * width(*k) + 14.0 + 26.0 * stacked[*k] as f64;
            stacked[*k] += 1;
            let (start, end) = (top + 16.0, row - 3.0);
            page.lines(vec![vec![[x, start], [x, end]]], pen);
            page.area(vec![vec![[x - 4.0, end - 9.0], [x + 4.0, end - 9.0], [x, end]]], INK);
            page.text([x, start - 5.0], Anchor::Middle, TICK_SIZE, INK, name);
        }
        let standing = |k: &usize| !self.moves(*k);
        for k in (0..self.elements.len()).filter(standing) {
            let (name, label, outline) = &self.elements[k];
            let (x, half) = (centres[k], 0.5 * width(k));
            page.facet(shape(*outline, [x, row + 0.5 * HEIGHT], half), FILL, pen);
            let middle = row + 0.5 * HEIGHT;
            let lift = if label.is_empty() { 4.0 } else { -3.0 };
            page.text([x, middle + lift], Anchor::Middle, LABEL_SIZE, INK, name);
            page.text([x, middle + 15.0], Anchor::Middle, TICK_SIZE, REFERENCE, label);
            let legs = self.legs(k);
            for (i, (symbol, name, below)) in legs.iter().enumerate() {
                let place = x + PITCH * (i as f64 - 0.5 * (legs.len() as f64 - 1.0));
                sign(&mut page, [[place, row + HEIGHT], [place, floor]], *symbol, pen);
                page.text([place, floor + 18.0], Anchor::Middle, TICK_SIZE, INK, name);
                let sides = [place - 20.0, place + 20.0];
                match below {
                    None => ground(&mut page, sides, floor),
                    Some(moving) => {
                        belt(&mut page, sides, floor);
                        let label = [place, floor + 34.0];
                        page.text(label, Anchor::Middle, TICK_SIZE, REFERENCE, moving);
                    }
                }
            }
        }
        page
    }
}

/// The outline of an element around its middle.
fn shape(outline: Outline, [x, y]: Point, half: f64) -> Vec<Point> {
    let high = 0.5 * HEIGHT;
    match outline {
        Outline::Block | Outline::Moving => {
            vec![
                [x - half, y - high],
                [x + half, y - high],
                [x + half, y + high],
                [x - half, y + high],
            ]
        }
        // A disc seen from the side: a block with round ends.
        Outline::Disc => (0..64)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 64.0).sin_cos();
                [x + (half - high) * cos.signum() + high * cos, y + high * sin]
            })
            .collect(),
    }
}

/// Hatched ground below a line.
fn ground(page: &mut Drawing, [from, to]: [f64; 2], y: f64) {
    let pen = Pen::solid(INK, 1.0);
    let mut runs = vec![vec![[from, y], [to, y]]];
    let mut x = from + 2.0;
    while x < to {
        runs.push(vec![[x + 4.0, y], [x, y + 5.0]]);
        x += 7.0;
    }
    page.lines(runs, pen);
}

/// What moves by itself: a line with an arrow below it.
fn belt(page: &mut Drawing, [from, to]: [f64; 2], y: f64) {
    let pen = Pen::solid(INK, 1.0);
    page.lines(
        vec![vec![[from, y], [to, y]], vec![[from + 4.0, y + 4.0], [to - 4.0, y + 4.0]]],
        pen,
    );
    let tip = [to - 2.0, y + 4.0];
    page.area(vec![vec![[tip[0] - 6.0, y + 1.5], [tip[0] - 6.0, y + 6.5], tip]], INK);
}

/// A symbol in the middle of a line, which leads to it from both sides.
fn sign(page: &mut Drawing, [a, b]: [Point; 2], symbol: Symbol, pen: Pen) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy).max(1.0);
    let along = [dx / length, dy / length];
    let middle = 0.5 * length;
    // Places by the way along the line and aside from it.
    let at = |s: f64, aside: f64| {
        [a[0] + along[0] * s - along[1] * aside, a[1] + along[1] * s + along[0] * aside]
    };
    let (from, to) = (middle - 0.5 * SIGN, middle + 0.5 * SIGN);
    let mut runs = vec![vec![a, at(from, 0.0)], vec![at(to, 0.0), b]];
    match symbol {
        Symbol::Spring => {
            let zig = |k: i32| match k {
                0 => at(from, 0.0),
                9 => at(to, 0.0),
                k => {
                    let s = from + SIGN * (f64::from(k) - 0.5) / 8.0;
                    at(s, if k % 2 == 0 { 7.0 } else { -7.0 })
                }
            };
            runs.push((0..=9).map(zig).collect());
        }
        Symbol::Damper => {
            let cup = [(to, -7.0), (from, -7.0), (from, 7.0), (to, 7.0)];
            runs.push(cup.iter().map(|(s, w)| at(*s, *w)).collect());
            runs.push(vec![at(to, 0.0), at(middle + 3.0, 0.0)]);
            runs.push(vec![at(middle + 3.0, -5.0), at(middle + 3.0, 5.0)]);
        }
        Symbol::Contact => {
            for (s, side) in [(middle - 2.0, -1.0), (middle + 2.0, 1.0)] {
                runs.push(vec![at(s, -12.0), at(s, 12.0)]);
                for k in -2..=1 {
                    let w = 6.0 * f64::from(k);
                    runs.push(vec![at(s, w + 3.0), at(s + 5.0 * side, w + 8.0)]);
                }
            }
            runs.push(vec![at(from, 0.0), at(middle - 2.0, 0.0)]);
            runs.push(vec![at(middle + 2.0, 0.0), at(to, 0.0)]);
        }
        Symbol::Rope => {
            let wave = |k: i32| {
                let part = f64::from(k) / 24.0;
                at(from + SIGN * part, 4.0 * (std::f64::consts::TAU * part).sin())
            };
            runs.push((0..=24).map(wave).collect());
        }
        Symbol::Buffer => {
            for s in [middle - 5.0, middle + 5.0] {
                runs.push(vec![at(s, -11.0), at(s, 11.0)]);
            }
            runs.push(vec![at(from, 0.0), at(middle - 5.0, 0.0)]);
            runs.push(vec![at(middle + 5.0, 0.0), at(to, 0.0)]);
        }
        Symbol::Gear => {
            for (s, radius) in [(middle - 6.0, 6.0), (middle + 8.0, 8.0)] {
                let turn = |k: i32| {
                    let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 32.0).sin_cos();
                    at(s + radius * cos, radius * sin)
                };
                runs.push((0..=32).map(turn).collect());
            }
            runs.push(vec![at(from, 0.0), at(middle - 12.0, 0.0)]);
        }
    }
    page.lines(runs, pen);
}
