//! Text as outlines of the embedded font, so that a label looks the same in every viewer and needs
//! no font of the system.
//!
//! `_{…}` and `^{…}` lower and raise what is in the braces; a combining mark (v̇, σ̇) is centred over
//! its letter.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, Rect};

/// DejaVu Sans, reduced to what labels need; see `font/README.md`.
static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("../font/DejaVuSans-figure.ttf"), 0)
        .expect("the embedded font can be read")
});

/// Which part of a text is at the given place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Where a text of a width begins, relative to its place.
    pub fn start(self, width: f64) -> f64 {
        match self {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        }
    }
}

/// A glyph of a text, relative to the start of the baseline, y downwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub glyph: GlyphId,
    pub x: f64,
    pub y: f64,
    /// Pixels per unit of the font.
    pub scale: f64,
}

/// The font of all texts.
pub(crate) fn face() -> &'static Face<'static> {
    &FACE
}

/// Size and shift of a lowered or raised text, relative to the size of the text.
const SCRIPT: f64 = 0.72;
const LOWERED: f64 = 0.2;
const RAISED: f64 = -0.38;

/// The glyphs of a text of a size and its width.
pub(crate) fn lay_out(content: &str, size: f64) -> (Vec<Placed>, f64) {
    let face = face();
    let em = f64::from(face.units_per_em());
    let mut placed: Vec<Placed> = Vec::new();
    let (mut pen, mut scale, mut shift) = (0.0, size / em, 0.0);
    let mut characters = content.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '_' | '^' if characters.peek() == Some(&'{') => {
                characters.next();
                scale = SCRIPT * size / em;
                shift = size * if character == '_' { LOWERED } else { RAISED };
                continue;
            }
            '}' if shift != 0.0 => {
                (scale, shift) = (size / em, 0.0);
                continue;
            }
            _ => {}
        }
        let character = if character.is_whitespace() { ' ' } else { character };
        if character.is_control() {
            continue;
        }
        // A character that the font lacks shows as the empty box of glyph 0.
        let glyph = face.glyph_index(character).unwrap_or_default();
        let base = placed.last().copied();
        match (combining(character), base, face.glyph_bounding_box(glyph)) {
            (true, Some(base), Some(mark)) => {
                let letter = face.glyph_bounding_box(base.glyph).unwrap_or(mark);
                placed.push(over(base, letter, glyph, mark));
            }
            _ => {
                placed.push(Placed { glyph, x: pen, y: shift, scale });
                pen += scale * f64::from(face.glyph_hor_advance(glyph).unwrap_or(0));
            }
        }
    }
    (placed, pen)
}

/// The width of a text of a size.
pub(crate) fn width(content: &str, size: f64) -> f64 {
    lay_out(content, size).1
}

fn combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

/// A mark over its letter: centred, and as far above it as the font puts it above an x.
fn over(base: Placed, letter: Rect, glyph: GlyphId, mark: Rect) -> Placed {
    let centre = |r: Rect| 0.5 * (f64::from(r.x_min) + f64::from(r.x_max));
    let x = face().glyph_index('x').and_then(|x| face().glyph_bounding_box(x));
    let x_height = f64::from(x.map_or(0, |x| x.y_max));
    let lift = if mark.y_min > 0 { (f64::from(letter.y_max) - x_height).max(0.0) } else { 0.0 };
    Placed {
        glyph,
        x: base.x + base.scale * (centre(letter) - centre(mark)),
        y: base.y - base.scale * lift,
        scale: base.scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_of_the_field() {
        for sign in
            "z₀ μ σ₁ ẋ ẍ ż φ Ω Σ ε η θ − × · ⁻⁰¹²³⁴⁵⁶⁷⁸⁹ ₊₋ₐₑₙₛₜₓᵢ ∂ ∮ ∞ ≤ ≥ ≈ ± ° √ → ‖ ä é Å"
                .chars()
        {
            assert!(face().glyph_index(sign).is_some(), "no glyph for {sign}");
        }
    }

    #[test]
    fn a_combining_dot_takes_no_width_and_stands_over_its_letter() {
        let (glyphs, with_dot) = lay_out("v\u{307}", 100.0);
        assert_eq!(with_dot, width("v", 100.0));
        let middle = |p: &Placed| {
            let b = face().glyph_bounding_box(p.glyph).unwrap();
            p.x + 0.5 * p.scale * f64::from(b.x_min + b.x_max)
        };
        assert!((middle(&glyphs[0]) - middle(&glyphs[1])).abs() < 1e-9);
        // Over a v as over an x, over an F higher by what an F is higher than an x.
        assert_eq!(glyphs[1].y, 0.0);
        assert!((lay_out("F\u{307}", 100.0).0[1].y + 18.2).abs() < 0.1);
    }

    #[test]
    fn braces_lower_and_raise_and_single_underscores_are_themselves() {
        let (glyphs, _) = lay_out("μ_{s}x^{2}", 100.0);
        assert_eq!(glyphs.len(), 4);
        assert!(glyphs[1].y > 0.0 && glyphs[2].y == 0.0 && glyphs[3].y < 0.0);
        assert!(glyphs[1].scale < glyphs[0].scale);
        assert_eq!(lay_out("frbd_gm", 100.0).0.len(), 7);
    }
}
