//! Springs and dampers, with play or on one side only.
use crate::{Joint, Release};
use bristle_kernel::Real;

/// A spring and a damper between two ends, everywhere or beyond flanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    pub(crate) ends: [Joint; 2],
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    /// The deflection at which it is free.
    pub(crate) rest: f64,
    /// Where it acts, and the place of its mode.
    pub(crate) flanks: Option<Flanks>,
}

/// The deflections below and above which a connection acts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flanks {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) release: Release,
    pub(crate) mode: usize,
}

/// The modes of flanks.
pub(crate) mod flank {
    /// Nothing is transmitted between the flanks.
    pub(crate) const FREE: usize = 0;
    /// The upper flank acts.
    pub(crate) const HIGH: usize = 1;
    /// The lower flank acts.
    pub(crate) const LOW: usize = 2;
    /// The deflection is beyond the upper flank, which lags behind.
    pub(crate) const LIFTED_HIGH: usize = 3;
    /// The same below the lower one.
    pub(crate) const LIFTED_LOW: usize = 4;
}
use flank::{FREE, HIGH, LIFTED_HIGH, LIFTED_LOW, LOW};

impl Connection {
    fn mode(&self, phase: &[usize]) -> usize {
        self.flanks.map_or(HIGH, |flanks| phase[flanks.mode])
    }

    /// Where the spring of this mode is free.
    fn origin(&self, mode: usize) -> f64 {
        match (self.flanks, mode) {
            (Some(flanks), HIGH | LIFTED_HIGH) => flanks.high,
            (Some(flanks), LOW | LIFTED_LOW) => flanks.low,
            _ => self.rest,
        }
    }

    /// The force at this deflection and rate, which is positive where the first end is pulled back.
    #[inline]
    pub(crate) fn force<S: Real>(&self, phase: &[usize], [e, de]: [S; 2]) -> S {
        let mode = self.mode(phase);
        match mode {
            FREE | LIFTED_HIGH | LIFTED_LOW => S::from(0.0),
            _ => (e - self.origin(mode)) * self.stiffness + de * self.damping,
        }
    }

    /// What it stores, J, and what it loses, W.
    pub(crate) fn energy(&self, phase: &[usize], [e, de]: [f64; 2]) -> [f64; 2] {
        let mode = self.mode(phase);
        let beyond = e - self.origin(mode);
        let stored = 0.5 * self.stiffness * beyond * beyond;
        match mode {
            FREE => [0.0, 0.0],
            // A spring that follows its flank without a force loses what it held.
            LIFTED_HIGH | LIFTED_LOW => [stored, -self.stiffness * beyond * de],
            _ => [stored, self.damping * de * de],
        }
    }

    /// Its two guards.
    pub(crate) fn watch(
        &self,
        flanks: &Flanks,
        phase: &[usize],
        at @ [e, _]: [f64; 2],
    ) -> [f64; 2] {
        let finite = |x: f64| if x.is_finite() { x } else { 1.0 };
        let push = |origin: f64| (e - origin) * self.stiffness + at[1] * self.damping;
        match (phase[flanks.mode], flanks.release) {
            (HIGH, Release::Force) => [push(flanks.high), 1.0],
            (HIGH, Release::Gap) => [e - flanks.high, 1.0],
            (LOW, Release::Force) => [-push(flanks.low), 1.0],
            (LOW, Release::Gap) => [flanks.low - e, 1.0],
            (LIFTED_HIGH, _) => [e - flanks.high, -push(flanks.high)],
            (LIFTED_LOW, _) => [flanks.low - e, push(flanks.low)],
            _ => [finite(flanks.high - e), finite(e - flanks.low)],
        }
    }

    /// The mode after guard `side` of this one.
    pub(crate) fn next(&self, flanks: &Flanks, phase: &mut [usize], side: usize) {
        // An undamped flank loses its force where the gap opens.
        let lifts = flanks.release == Release::Force && self.damping > 0.0;
        let mode = &mut phase[flanks.mode];
        *mode = match (*mode, side) {
            (FREE, 0) => HIGH,
            (FREE, _) => LOW,
            (HIGH, _) if lifts => LIFTED_HIGH,
            (LOW, _) if lifts => LIFTED_LOW,
            (LIFTED_HIGH, 1) => HIGH,
            (LIFTED_LOW, 1) => LOW,
            _ => FREE,
        };
    }

    /// The mode at the start.
    pub(crate) fn begin(&self, flanks: &Flanks, phase: &mut [usize], at @ [e, _]: [f64; 2]) {
        let push = |origin: f64| (e - origin) * self.stiffness + at[1] * self.damping;
        let sheds = flanks.release == Release::Force;
        phase[flanks.mode] = if e > flanks.high {
            if sheds && push(flanks.high) < 0.0 { LIFTED_HIGH } else { HIGH }
        } else if e < flanks.low {
            if sheds && push(flanks.low) > 0.0 { LIFTED_LOW } else { LOW }
        } else {
            FREE
        };
    }
}
