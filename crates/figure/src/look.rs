//! The one look of all figures: colours, dashes, sizes.
//!
//! Colours of series are those of Okabe and Ito (2008), which people with any colour vision can tell
//! apart, without the yellow, too light on white. Dashes and markers change with the colour, so that
//! a print in grey can be read too.

use crate::drawing::{Marker, Pen};

/// A colour on the screen, with its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Colour {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
    pub opacity: f64,
}

impl Colour {
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Colour { red, green, blue, opacity: 1.0 }
    }

    /// Mixed with white: what lies under it does not show, and twice is as light as once.
    pub fn tint(self, part: f64) -> Self {
        let mix = |c: u8| (255.0 - part * (255.0 - f64::from(c))).round() as u8;
        Colour::new(mix(self.red), mix(self.green), mix(self.blue))
    }

    pub const fn faded(self, opacity: f64) -> Self {
        Colour { opacity, ..self }
    }
}

pub(crate) const WHITE: Colour = Colour::new(255, 255, 255);
/// Text, frames and ticks.
pub(crate) const INK: Colour = Colour::new(34, 34, 34);
/// Reference lines and their labels.
pub(crate) const REFERENCE: Colour = Colour::new(110, 110, 110);
/// The grid.
pub(crate) const GRID: Colour = Colour::new(226, 226, 226);
/// The grid between decades.
pub(crate) const FINE_GRID: Colour = Colour::new(241, 241, 241);
/// Shaded stretches.
pub(crate) const SHADE: Colour = Colour::new(236, 236, 236);

/// Title of the figure, in px.
pub(crate) const TITLE_SIZE: f64 = 15.0;
/// Labels of axes, titles of panels, legends.
pub(crate) const LABEL_SIZE: f64 = 13.0;
/// Numbers at ticks.
pub(crate) const TICK_SIZE: f64 = 12.0;
/// Ticks reach this far out of the frame.
pub(crate) const TICK_LENGTH: f64 = 4.0;
/// Width of the lines of series.
pub(crate) const LINE: f64 = 1.6;
/// Width of frames and ticks.
pub(crate) const HAIRLINE: f64 = 1.0;
/// Radius of markers.
pub(crate) const MARKER: f64 = 2.8;
/// The radius of a dot, px.
pub(crate) const DOT: f64 = 0.9;

const COLOURS: [Colour; 7] = [
    Colour::new(0x00, 0x72, 0xB2), // blue
    Colour::new(0xD5, 0x5E, 0x00), // vermilion
    Colour::new(0x00, 0x9E, 0x73), // bluish green
    Colour::new(0xCC, 0x79, 0xA7), // reddish purple
    Colour::new(0xE6, 0x9F, 0x00), // orange
    Colour::new(0x56, 0xB4, 0xE9), // sky blue
    Colour::new(0x00, 0x00, 0x00), // black
];

/// With round ends, which add a line's width to each dash and take it from each gap.
const DASHES: [&[f64]; 5] =
    [&[], &[6.0, 4.0], &[7.0, 4.0, 0.1, 4.0], &[0.1, 3.6], &[12.0, 4.0, 3.0, 4.0]];

const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];

/// The colour of the series of a rank.
pub(crate) fn colour(rank: usize) -> Colour {
    COLOURS[rank % COLOURS.len()]
}

/// The dashes of the series of a rank; 35 ranks have 35 different pens.
pub(crate) fn dashes(rank: usize) -> &'static [f64] {
    DASHES[rank % DASHES.len()]
}

/// The dashes of a line that is asked to be dashed.
pub(crate) fn dashed() -> &'static [f64] {
    DASHES[1]
}

/// The marker of the series of a rank.
pub(crate) fn marker(rank: usize) -> Marker {
    MARKERS[rank % MARKERS.len()]
}

/// Ten steps of viridis (van der Walt and Smith, 2015; public domain): equal steps look equally
/// large, to people with any colour vision and in grey.
const SHADES: [Colour; 10] = [
    Colour::new(0x44, 0x01, 0x54),
    Colour::new(0x48, 0x28, 0x78),
    Colour::new(0x3E, 0x4A, 0x89),
    Colour::new(0x31, 0x68, 0x8E),
    Colour::new(0x26, 0x82, 0x8E),
    Colour::new(0x1F, 0x9E, 0x89),
    Colour::new(0x35, 0xB7, 0x79),
    Colour::new(0x6D, 0xCD, 0x59),
    Colour::new(0xB4, 0xDE, 0x2C),
    Colour::new(0xFD, 0xE7, 0x25),
];

/// The colour of a value, 0 for the lowest and 1 for the highest.
pub(crate) fn shade(part: f64) -> Colour {
    let along = part.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64;
    let before = (along as usize).min(SHADES.len() - 2);
    let (a, b, t) = (SHADES[before], SHADES[before + 1], along - before as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
    Colour::new(mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue))
}

/// The pen of frames and ticks.
pub(crate) fn frame() -> Pen {
    Pen::solid(INK, HAIRLINE)
}
