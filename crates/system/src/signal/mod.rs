//! What drives a mechanism: a force, a velocity or an input as a function of time; one file each,
//! listed below.
use bristle_kernel::{Real, Report, catalog};
use bristle_num::Dual;

/// A function of time with corners and jumps at known times.
///
/// `phase` is the number of switches passed. It, and not a comparison of times, says on which piece
/// the signal is: at a switch both sides are needed, the left one to end a step and the right one to
/// begin the next.
pub trait Signal {
    /// The value at `t`.
    fn value<S: Real>(&self, t: S, phase: usize) -> S;

    /// Its integral from 0 to `t`.
    fn integral<S: Real>(&self, t: S, phase: usize) -> S;

    /// The time of switch `k`, counted from 0; infinite when there are no more.
    fn switch(&self, _k: usize) -> f64 {
        f64::INFINITY
    }

    /// Its period, if it repeats.
    fn period(&self) -> Option<f64> {
        None
    }

    /// A time, s, over which it is nearly a cubic between its switches: what is watched over a step is watched at
    /// four places.
    fn smooth_for(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether it never changes.
    fn is_constant(&self) -> bool {
        false
    }

    /// Amplitude and frequency, Hz, if it is a sine that begins at zero.
    fn harmonic(&self) -> Option<[f64; 2]> {
        None
    }

    /// Puts another ramp in the place of a [`Ramp`]: an input from outside has changed. Other signals stay as they are.
    fn steer(&mut self, _ramp: Ramp<f64>) {}

    /// The value and its first and second derivative.
    #[inline]
    fn derivatives<S: Real>(&self, t: S, phase: usize) -> [S; 3] {
        let one = S::from(1.0);
        let inner = Dual { re: t, eps: [one] };
        let seeded = Dual { re: inner, eps: [Dual { re: one, eps: [S::from(0.0)] }] };
        let value = self.value(seeded, phase);
        [value.re.re, value.re.eps[0], value.eps[0].eps[0]]
    }
}

/// Faults of a signal that is given by its values at times.
fn times_and_values(t: &[f64], value: &[f64], report: &mut Report<'_>) {
    let counts = ("value", value.len());
    let every = "every time has one value";
    report.expect_count(
        value.len() == t.len(),
        counts,
        "entries, not as many as t has:",
        t.len(),
        every,
    );
    report.expect_count(
        !t.is_empty(),
        ("t", t.len()),
        "entries, fewer than",
        1,
        "a signal has a value",
    );
    if let Some(first) = t.first() {
        let reason = "the run begins at t = 0; give the value there";
        report.expect(*first == 0.0, ("t", Some(0), *first), "must be", 0.0, reason);
    }
    for (i, pair) in t.windows(2).enumerate() {
        let later = ("t", Some(i + 1), pair[1]);
        let reason = "times increase; use `steps` for a jump";
        report.expect(pair[1] > pair[0], later, "must be greater than", pair[0], reason);
    }
}

catalog! {
    /// Any signal of the catalogue.
    AnySignal (()) by each_signal:
    constant::Constant<>,
    sine::Sine<>,
    pulses::Pulses<>,
    steps::Steps<>,
    points::Points<>,
    multi_sine::MultiSine<>,
    chirp::Chirp<>,
    noise::Noise<>,
    ramp::Ramp<>,
}

impl Signal for AnySignal<f64> {
    #[inline]
    fn value<S: Real>(&self, t: S, phase: usize) -> S {
        each_signal!(self, s => s.value(t, phase))
    }
    #[inline]
    fn integral<S: Real>(&self, t: S, phase: usize) -> S {
        each_signal!(self, s => s.integral(t, phase))
    }
    #[inline]
    fn switch(&self, k: usize) -> f64 {
        each_signal!(self, s => s.switch(k))
    }
    fn period(&self) -> Option<f64> {
        each_signal!(self, s => s.period())
    }
    fn smooth_for(&self) -> f64 {
        each_signal!(self, s => s.smooth_for())
    }
    fn is_constant(&self) -> bool {
        each_signal!(self, s => s.is_constant())
    }
    fn harmonic(&self) -> Option<[f64; 2]> {
        each_signal!(self, s => s.harmonic())
    }
    fn steer(&mut self, ramp: Ramp<f64>) {
        each_signal!(self, s => s.steer(ramp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bristle_kernel::List;

    fn list(values: &[f64]) -> List<f64> {
        values.iter().copied().collect()
    }

    fn all() -> [AnySignal<f64>; 9] {
        let (t, value) = (list(&[0.0, 0.5, 2.0, 2.25]), list(&[1.0, -2.0, 4.0, 0.5]));
        [
            AnySignal::Constant(Constant { value: 1.5 }),
            AnySignal::Sine(Sine { mean: 0.3, amplitude: 2.0, frequency: 0.7, angle: 0.4 }),
            AnySignal::Pulses(Pulses { value: 2.0, on: 0.3, period: 1.0 }),
            AnySignal::Steps(Steps { t: t.clone(), value: value.clone() }),
            AnySignal::Points(Points { t, value }),
            AnySignal::MultiSine(MultiSine {
                mean: 0.2,
                amplitude: list(&[0.5, 0.1]),
                frequency: list(&[0.3, 1.9]),
                angle: list(&[0.0, 0.7]),
            }),
            AnySignal::Chirp(Chirp {
                mean: -0.1,
                amplitude: 0.4,
                from: 0.2,
                to: 3.0,
                duration: 2.5,
                angle: 0.3,
            }),
            AnySignal::Noise(Noise { mean: 0.5, deviation: 2.0, interval: 0.11, seed: 7.0 }),
            AnySignal::Ramp(Ramp { value: 0.3, slope: -0.4, since: 0.0, before: 0.0 }),
        ]
    }

    /// d/dt ∫ = value, and the integral is continuous over switches, where the phase changes.
    #[test]
    fn the_integral_is_the_values_integral() {
        for signal in all() {
            assert_eq!(signal.integral(0.0, 0), 0.0, "{signal:?}");
            let mut phase = 0;
            for i in 0..300 {
                let t = 0.013 * f64::from(i);
                while signal.switch(phase) <= t {
                    let at = signal.switch(phase);
                    let jump = signal.integral(at, phase + 1) - signal.integral(at, phase);
                    assert!(jump.abs() < 1e-14, "{signal:?} at {at}");
                    phase += 1;
                }
                let slope = signal.integral(Dual::<f64, 1>::variable(t, 0), phase).eps[0];
                assert!((slope - signal.value(t, phase)).abs() < 1e-13, "{signal:?} at {t}");
            }
        }
    }

    /// Mean and deviation of the samples are those asked for, and another seed gives others.
    #[test]
    fn noise_is_normal_and_belongs_to_its_seed() {
        let noise = |seed: f64| Noise { mean: 1.0, deviation: 0.5, interval: 0.1, seed };
        let samples =
            |n: &Noise<f64>| (0..20_000).map(|k| n.value(k as f64 * 0.1, k)).collect::<Vec<f64>>();
        let (one, two) = (samples(&noise(1.0)), samples(&noise(2.0)));
        let mean = one.iter().sum::<f64>() / 2e4;
        let spread = (one.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2e4).sqrt();
        // Four standard errors.
        assert!((mean - 1.0).abs() < 0.015 && (spread - 0.5).abs() < 0.01, "{mean} {spread}");
        assert_eq!(one, samples(&noise(1.0)));
        let product: f64 = one.iter().zip(&two).map(|(a, b)| (a - 1.0) * (b - 1.0)).sum();
        assert!((product / 2e4).abs() < 4.0 * 0.25 / 2e4f64.sqrt(), "{product}");
    }

    /// Steering at any time goes on with the same line and its integral.
    #[test]
    fn a_ramp_told_from_later_is_the_same() {
        let ramp = Ramp { value: 0.3, slope: -0.4, since: 0.0, before: 0.0 };
        let later = ramp.told_from(1.7);
        for t in [1.7, 2.5] {
            assert!((later.value(t, 0) - ramp.value(t, 0)).abs() < 1e-15);
            assert!((later.integral(t, 0) - ramp.integral(t, 0)).abs() < 1e-15);
        }
        let mut steered = AnySignal::Ramp(ramp);
        steered.steer(later);
        assert!(matches!(steered, AnySignal::Ramp(r) if r == later));
    }

    #[test]
    fn a_sine_has_its_derivatives() {
        let sine: Sine<f64> = Sine { mean: 1.0, amplitude: 0.5, frequency: 0.25, angle: 0.0 };
        let (t, w) = (1.3, 0.5 * core::f64::consts::PI);
        let [q, dq, ddq] = sine.derivatives(t, 0);
        assert!((q - 1.0 - 0.5 * (w * t).sin()).abs() < 1e-15);
        assert!((dq - 0.5 * w * (w * t).cos()).abs() < 1e-15);
        assert!((ddq + 0.5 * w * w * (w * t).sin()).abs() < 1e-15);
    }

    #[test]
    fn times_that_do_not_increase_are_refused() {
        let signal = Points { t: list(&[0.5, 1.0, 1.0]), value: list(&[0.0]) };
        let text = bristle_kernel::validate(&AnySignal::Points(signal)).unwrap_err();
        let found: Vec<_> = text.0.iter().map(|f| (f.name, f.index, f.value)).collect();
        assert_eq!(found, [("value", None, 1.0), ("t", Some(0), 0.5), ("t", Some(2), 1.0)]);
    }
}
