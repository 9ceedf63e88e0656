//! Ticks and their numbers.
//!
//! Ticks of a linear axis are whole multiples of 1, 2 or 5 times a power of ten. They are kept as
//! whole numbers until the last moment, so a label has no digit that the tick has not. Very large or
//! small values are shown with an SI prefix of the unit, or, where the unit takes none, as multiples
//! of a power of ten.

use crate::axis::{Axis, Range, Scale};
use crate::look::TICK_SIZE;
use crate::text;

/// A line of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    /// Empty for lines between the numbered ones.
    pub label: String,
}

/// How the values of an axis are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notation {
    /// A label counts in 10ᵉˣᵖᵒⁿᵉⁿᵗ.
    pub exponent: i32,
    /// The axis' label with its unit.
    pub title: String,
    /// The unit alone.
    pub unit: String,
    /// "×10ⁿ" if the unit does not say it.
    pub factor: String,
}

const PREFIXES: [(i32, &str); 9] = [
    (-15, "f"),
    (-12, "p"),
    (-9, "n"),
    (-6, "µ"),
    (-3, "m"),
    (0, ""),
    (3, "k"),
    (6, "M"),
    (9, "G"),
];

/// Units that take a prefix, where they stand first and alone or before a `/` or `·`.
const PREFIXABLE: [&str; 10] = ["m", "s", "N", "Pa", "J", "W", "V", "A", "Hz", "rad"];
/// Units that are prefixed downwards only: nobody counts in kiloseconds.
const SMALL_ONLY: [&str; 2] = ["s", "rad"];

impl Notation {
    /// The notation for values up to `size`.
    pub fn new(axis: &Axis, size: f64) -> Self {
        let written = |exponent: i32, prefix: &str, factor: String| {
            let unit = format!("{prefix}{}", axis.unit);
            // A number without a unit needs none on its axis.
            let bare = unit.is_empty() || unit == "1";
            let title = match (axis.label.is_empty(), bare) {
                (_, true) => axis.label.clone(),
                (true, false) => unit.clone(),
                (false, false) => format!("{} in {unit}", axis.label),
            };
            Notation { exponent, title, unit, factor }
        };
        if axis.scale == Scale::Log {
            return written(0, "", String::new());
        }
        // Numbers of 1 to 999 in front of the point.
        let exponent = 3 * (decade(size * (1.0 + 1e-9)) as f64 / 3.0).floor() as i32;
        let prefixable = takes_prefix(&axis.unit, exponent);
        let plain = if prefixable { 0.1..1e4 } else { 0.01..1e5 };
        if plain.contains(&size) {
            return written(0, "", String::new());
        }
        match PREFIXES.iter().find(|(power, _)| *power == exponent) {
            Some((_, prefix)) if prefixable => written(exponent, prefix, String::new()),
            _ => written(exponent, "", format!("×10{}", superscript(exponent))),
        }
    }
}

fn takes_prefix(unit: &str, exponent: i32) -> bool {
    let symbol = unit.split(['/', '·']).next().unwrap_or("");
    PREFIXABLE.contains(&symbol) && (exponent < 0 || !SMALL_ONLY.contains(&symbol))
}

/// Between numbers side by side, px, and where there would be too few of them.
const GAP: f64 = 12.0;
const LEAST_GAP: f64 = 4.0;
/// So many numbers tell where an axis is and how long.
const ENOUGH: usize = 3;

/// Where lines and numbers are, with at most `most` steps between numbers, fewer if `room` (in px)
/// is too short for the numbers side by side. Without `room` they stand below each other.
pub(crate) fn ticks(range: &Range, exponent: i32, most: usize, room: Option<f64>) -> Vec<Tick> {
    let numbered = |ticks: &Vec<Tick>| ticks.iter().filter(|t| !t.label.is_empty()).count();
    let fits = |ticks: &Vec<Tick>, gap: f64| {
        let Some(room) = room else { return true };
        let numbered: Vec<&Tick> = ticks.iter().filter(|t| !t.label.is_empty()).collect();
        numbered.windows(2).all(|pair| {
            let distance = room * (range.place(pair[1].at) - range.place(pair[0].at));
            let widths = pair.iter().map(|t| text::width(&t.label, TICK_SIZE)).sum::<f64>();
            distance >= 0.5 * widths + gap
        })
    };
    let attempt = |most| match range.scale {
        Scale::Linear => linear(range, exponent, most),
        Scale::Log => logarithmic(range, most),
    };
    let usual = (2..=most.max(2)).rev().map(attempt).find(|t| fits(t, GAP));
    match usual {
        Some(ticks) if numbered(&ticks) >= ENOUGH => ticks,
        // Two numbers do not make a scale: closer ones, if they have room.
        usual => (2..=3 * most + 3)
            .map(attempt)
            .find(|t| numbered(t) >= ENOUGH && fits(t, LEAST_GAP))
            .or(usual)
            .unwrap_or_else(|| attempt(1)),
    }
}

/// Multiples of `digit · 10^power` as a step between ticks, digit being 1, 2 or 5.
pub(crate) fn step(length: f64, most: usize) -> (i64, i32) {
    let least = length / most as f64;
    let power = decade(least);
    // The next decade's 1 is there for when `least` is between 5 and 10.
    let candidates = [(1, power), (2, power), (5, power), (1, power + 1), (2, power + 1)];
    let enough = |&(digit, power): &(i64, i32)| times_power(digit, power) >= least * (1.0 - 1e-9);
    candidates.into_iter().find(enough).unwrap_or((5, power + 1))
}

/// The largest digit · 10^power, digit being 1, 2 or 5, that is at most `size`.
pub(crate) fn round_below(size: f64) -> (i64, i32) {
    let power = decade(size);
    let fits = |digit: &i64| times_power(*digit, power) <= size * (1.0 + 1e-9);
    ([5, 2, 1].into_iter().find(fits).unwrap_or(1), power)
}

fn linear(range: &Range, exponent: i32, most: usize) -> Vec<Tick> {
    let (digit, power) = step(range.high - range.low, most);
    let width = times_power(digit, power);
    // A tick on the very end of the range is there whatever rounding says.
    let first = (range.low / width - 1e-6).ceil() as i64;
    let last = (range.high / width + 1e-6).floor() as i64;
    (first..=last)
        .map(|n| Tick {
            at: times_power(n * digit, power).clamp(range.low, range.high),
            label: decimal(n * digit, power - exponent),
        })
        .collect()
}

/// Decades, or 1, 2, 5 within decades, or plain multiples where not even those are two.
fn logarithmic(range: &Range, most: usize) -> Vec<Tick> {
    let (first, last) = (decade(range.low), decade(range.high) + 1);
    let inside = |at: f64| (range.low * (1.0 - 1e-9)..=range.high * (1.0 + 1e-9)).contains(&at);
    let decades = (first..=last).filter(|&p| inside(times_power(1, p))).count();
    // One number per `every` decades.
    let every = decades.div_ceil(most.max(1)).max(1) as i32;
    let plain = (first..=last).all(|p| (-3..=5).contains(&p));
    let numbered: &[i64] = if decades >= 3 || most < 2 { &[1] } else { &[1, 2, 5] };
    let mut ticks = Vec::new();
    for power in first..=last {
        for digit in 1..=9 {
            let at = times_power(digit, power);
            if !inside(at) || (every > 1 && digit > 1) {
                continue;
            }
            let label = if !numbered.contains(&digit) || power.rem_euclid(every) != 0 {
                String::new()
            } else if plain {
                decimal(digit, power)
            } else if digit == 1 {
                format!("10{}", superscript(power))
            } else {
                format!("{digit}·10{}", superscript(power))
            };
            ticks.push(Tick { at: at.clamp(range.low, range.high), label });
        }
    }
    if ticks.iter().filter(|t| !t.label.is_empty()).count() < 2 {
        return linear(range, 0, most);
    }
    ticks
}

/// The power of ten at or below a positive size.
fn decade(size: f64) -> i32 {
    if size > 0.0 && size.is_finite() { size.log10().floor() as i32 } else { 0 }
}

/// n · 10^power, exact where a number of that value is.
pub(crate) fn times_power(n: i64, power: i32) -> f64 {
    if power >= 0 { n as f64 * 10f64.powi(power) } else { n as f64 / 10f64.powi(-power) }
}

/// n · 10^power in digits, with a true minus sign.
pub(crate) fn decimal(n: i64, power: i32) -> String {
    let sign = if n < 0 { "\u{2212}" } else { "" };
    let digits = n.unsigned_abs().to_string();
    if power >= 0 {
        let zeros = if n == 0 { 0 } else { power as usize };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let places = power.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{part}")
}

/// A whole number in raised digits.
fn superscript(n: i32) -> String {
    let raised = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| raised[d as usize]);
    n.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64, exponent: i32, most: usize) -> Vec<String> {
        let range = Range { scale: Scale::Linear, low, high };
        ticks(&range, exponent, most, None).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn numbers_have_no_more_digits_than_they_need() {
        assert_eq!(labels(-1.05, 1.05, 0, 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 0.3, 0, 3), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.0, 2.5e4, 3, 5), ["0", "5", "10", "15", "20", "25"]);
        assert_eq!(labels(-1.5e-5, 1.5e-5, -6, 6), ["−15", "−10", "−5", "0", "5", "10", "15"]);
    }

    #[test]
    fn log_axes_number_decades_or_one_two_five() {
        let numbers = |low, high| -> Vec<String> {
            let range = Range { scale: Scale::Log, low, high };
            let all = ticks(&range, 0, 8, None);
            all.into_iter().map(|t| t.label).filter(|l| !l.is_empty()).collect()
        };
        assert_eq!(numbers(0.01, 100.0), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(numbers(1e-6, 1e-3), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"]);
        assert_eq!(numbers(1.0, 10.0), ["1", "2", "5", "10"]);
        assert_eq!(
            numbers(2.1, 2.5),
            ["2.10", "2.15", "2.20", "2.25", "2.30", "2.35", "2.40", "2.45", "2.50"]
        );
    }

    #[test]
    fn units_take_a_prefix_only_where_numbers_would_be_unreadable() {
        let notation = |unit: &str, size: f64| {
            let n = Notation::new(&Axis::new("q", unit), size);
            (n.title, n.factor)
        };
        let plain = |title: &str| (title.to_string(), String::new());
        assert_eq!(notation("m", 0.5), plain("q in m"));
        assert_eq!(notation("m", 1e-3), plain("q in mm"));
        assert_eq!(notation("m", 3e-5), plain("q in µm"));
        assert_eq!(notation("m/s", 2e-3), plain("q in mm/s"));
        assert_eq!(notation("N", 9000.0), plain("q in N"));
        assert_eq!(notation("N", 2e4), plain("q in kN"));
        assert_eq!(notation("s", 0.05), plain("q in ms"));
        assert_eq!(notation("s", 2e5), ("q in s".into(), "×10³".into()));
        assert_eq!(notation("m²", 2e-4), ("q in m²".into(), "×10⁻⁶".into()));
        assert_eq!(notation("1/m", 2e5), ("q in 1/m".into(), "×10³".into()));
        assert_eq!(notation("", 0.05), plain("q"));
        assert_eq!(notation("mm", 0.05), plain("q in mm"));
        assert_eq!(Notation::new(&Axis::new("", "N"), 1.0).title, "N");
    }

    proptest! {
        #[test]
        fn ticks_are_multiples_of_one_two_or_five(
            low in -1e6f64..1e6, log_length in -3f64..9.0, most in 2usize..12
        ) {
            let range = Range { scale: Scale::Linear, low, high: low + 10f64.powf(log_length) };
            let all = ticks(&range, 0, most, None);
            prop_assert!(all.len() >= ENOUGH, "{all:?}");
            // The finest step of which there are not too many, or a finer one where that leaves too few.
            let (digit, power) = step(range.high - range.low, most);
            prop_assert!([1, 2, 5].contains(&digit));
            let usual = times_power(digit, power);
            prop_assert!((range.high - range.low) / usual >= most as f64 / 2.5 * (1.0 - 1e-6));
            let width = if linear(&range, 0, most).len() >= ENOUGH { usual } else { all[1].at - all[0].at };
            prop_assert!(all.len() <= (most + 1).max(7), "{all:?}");
            for pair in all.windows(2) {
                prop_assert!(((pair[1].at - pair[0].at) / width - 1.0).abs() < 1e-5);
            }
            for tick in &all {
                let read: f64 = tick.label.replace('\u{2212}', "-").parse().unwrap();
                prop_assert!((read - tick.at).abs() <= 2e-6 * width + 1e-12 * tick.at.abs());
            }
        }
    }
}
