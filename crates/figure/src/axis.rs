//! Axes: what they show, and where a value lies on them.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; values that are not positive are left out.
    Log,
}

/// An axis with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is shown, without the unit: `velocity v`.
    pub label: String,
    /// Unit of the values: `m/s`; empty if they have none. The figure may show them with a prefix
    /// (`mm/s`).
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// First and last value shown; what the data need if not given.
    pub limits: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that shows all data.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Axis { label: label.into(), unit: unit.into(), scale: Scale::Linear, limits: None }
    }

    /// The axis with equal ratios equally long.
    pub fn log(self) -> Self {
        Axis { scale: Scale::Log, ..self }
    }

    /// The axis from `from` to `to` only.
    pub fn within(self, from: f64, to: f64) -> Self {
        Axis { limits: Some((from, to)), ..self }
    }
}

/// Values beyond this cannot be told from infinity on any page, and differences of values below it
/// do not overflow.
const LARGEST: f64 = 1e300;
/// Ratios of values above this do not overflow.
const SMALLEST: f64 = 1e-290;
/// Data that vary by less than this part of their size are constant up to rounding.
const CONSTANT: f64 = 1e-10;

/// The values that an axis shows, `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// The limits of the axis, or what `data` need with `margin` times that much on both sides.
    pub fn new(axis: &Axis, data: impl Iterator<Item = f64>, margin: f64) -> Self {
        let scale = axis.scale;
        if let Some((from, to)) = axis.limits
            && shown(scale, from)
            && shown(scale, to)
            && from != to
        {
            return Range { scale, low: from.min(to), high: from.max(to) }.wide_enough();
        }
        let range = data.filter(|&v| shown(scale, v)).fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((v.min(low), v.max(high))),
        });
        match range {
            Some((low, high)) => Range { scale, low, high }.wide_enough().widened(margin),
            None if scale == Scale::Log => Range { scale, low: 0.1, high: 10.0 },
            None => Range { scale, low: 0.0, high: 1.0 },
        }
    }

    /// The range, or for constant values one around them.
    fn wide_enough(self) -> Self {
        let Range { scale, low, high } = self;
        let size = low.abs().max(high.abs());
        if high - low > CONSTANT * size && high - low > SMALLEST {
            return self;
        }
        let (low, high) = match scale {
            Scale::Log => (low / 3.0, high * 3.0),
            Scale::Linear if size <= SMALLEST => (-1.0, 1.0),
            Scale::Linear => (low - 0.5 * size, high + 0.5 * size),
        };
        Range { scale, low, high }
    }

    /// The range with `margin` of its length more on both sides.
    pub fn widened(self, margin: f64) -> Self {
        let (low, high) = self.ends();
        let more = margin * (high - low);
        let value = |end: f64| match self.scale {
            Scale::Linear => end,
            // Short of what a number can hold.
            Scale::Log => 10f64.powf(end.clamp(-305.0, 305.0)),
        };
        if more == 0.0 {
            return self;
        }
        Range { low: value(low - more), high: value(high + more), ..self }
    }

    /// The ends as they lie along the axis: values, or their decimal logarithms.
    fn ends(&self) -> (f64, f64) {
        match self.scale {
            Scale::Linear => (self.low, self.high),
            Scale::Log => (self.low.log10(), self.high.log10()),
        }
    }

    /// Where a value lies, 0 at the low and 1 at the high end; NaN if it is nowhere.
    pub fn place(&self, value: f64) -> f64 {
        if !shown(self.scale, value) {
            return f64::NAN;
        }
        let (low, high) = self.ends();
        let along = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        (along - low) / (high - low)
    }

    /// The largest size of a value.
    pub fn size(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

/// Whether a value has a place on an axis of the scale.
fn shown(scale: Scale, value: f64) -> bool {
    match scale {
        Scale::Linear => value.abs() <= LARGEST,
        Scale::Log => (1.0 / LARGEST..=LARGEST).contains(&value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(data: &[f64]) -> (f64, f64) {
        let range = Range::new(&Axis::new("", ""), data.iter().copied(), 0.0);
        (range.low, range.high)
    }

    #[test]
    fn data_without_extent_get_an_axis_around_them() {
        assert_eq!(linear(&[]), (0.0, 1.0));
        assert_eq!(linear(&[f64::NAN, f64::INFINITY]), (0.0, 1.0));
        assert_eq!(linear(&[0.0, 0.0]), (-1.0, 1.0));
        assert_eq!(linear(&[-4.0]), (-6.0, -2.0));
        // Constant up to rounding.
        let (low, high) = linear(&[1.0, 1.0 + 1e-15]);
        assert!((low - 0.5).abs() < 1e-12 && (high - 1.5).abs() < 1e-12);
    }

    #[test]
    fn a_decade_is_a_decade_on_a_log_axis() {
        let range =
            Range::new(&Axis::new("f", "Hz").log(), [0.1, 1000.0, -3.0, 0.0].into_iter(), 0.0);
        for (value, place) in [(0.1, 0.0), (1.0, 0.25), (100.0, 0.75), (1000.0, 1.0)] {
            assert!((range.place(value) - place).abs() < 1e-14, "{value}");
        }
        assert!(range.place(-1.0).is_nan() && range.place(0.0).is_nan());
    }

    #[test]
    fn limits_are_kept_unless_they_cannot_be() {
        let range = |axis: Axis| Range::new(&axis, [3.0, 5.0].into_iter(), 0.0);
        let shown = range(Axis::new("", "").within(2.0, -1.0));
        assert_eq!((shown.low, shown.high), (-1.0, 2.0));
        for (from, to) in [(f64::NAN, 1.0), (1.0, 1.0), (0.0, f64::INFINITY)] {
            let shown = range(Axis::new("", "").within(from, to));
            assert_eq!((shown.low, shown.high), (3.0, 5.0));
        }
        let shown = range(Axis::new("", "").log().within(0.0, 1.0));
        assert_eq!((shown.low, shown.high), (3.0, 5.0));
    }
}
