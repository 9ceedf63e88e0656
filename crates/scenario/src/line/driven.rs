//! Signals that drive a line contact.
use bristle_contact::line::sign_changes;
use bristle_system::{AnySignal, Signal};

/// A signal with the times at which it switches.
#[derive(Clone, Debug)]
pub(super) struct Driven {
    signal: AnySignal<f64>,
    pub switches: Vec<f64>,
}

/// The most switches that are looked for.
const MAX_SWITCHES: usize = 1_000_000;

impl Driven {
    /// That signal until `end`.
    pub fn new(signal: AnySignal<f64>, end: f64) -> Self {
        let all = (0..MAX_SWITCHES).map(|k| signal.switch(k)).take_while(|t| *t < end);
        Driven { switches: all.collect(), signal }
    }

    /// The value at t; before the start it is what it is at the start.
    pub fn at(&self, t: f64) -> f64 {
        self.signal.value(t.max(0.0), self.switches.partition_point(|s| *s <= t))
    }

    /// The value to which it tends towards t.
    pub fn until(&self, t: f64) -> f64 {
        self.signal.value(t, self.switches.partition_point(|s| *s < t))
    }

    /// Its integral from 0.
    pub fn integral(&self, t: f64) -> f64 {
        self.signal.integral(t, self.switches.partition_point(|s| *s <= t))
    }

    /// Value and slope at samples on every piece up to `end`, both ends included.
    pub fn samples(&self, end: f64) -> impl Iterator<Item = [f64; 2]> {
        self.pieces(end).flat_map(move |(phase, from, to)| {
            (0..=200).map(move |k| {
                let t = from + (to - from) * f64::from(k) / 200.0;
                let [value, slope, _] = self.signal.derivatives(t, phase);
                [value, slope]
            })
        })
    }

    /// The pieces between switches: number, beginning and end.
    fn pieces(&self, end: f64) -> impl Iterator<Item = (usize, f64, f64)> {
        let starts = std::iter::once(0.0).chain(self.switches.iter().copied());
        let ends = self.switches.iter().copied().chain([end]);
        starts.zip(ends).enumerate().map(|(phase, (from, to))| (phase, from, to))
    }

    /// Where it changes sign on its pieces.
    pub fn sign_changes(&self, end: f64) -> Vec<f64> {
        let found = self.pieces(end).flat_map(|(phase, from, to)| {
            let samples = ((to - from) / self.signal.smooth_for()).ceil().max(1.0);
            sign_changes(&|t| self.signal.value(t, phase), from, to, samples as usize)
        });
        found.filter(|t| *t > 0.0).collect()
    }
}
