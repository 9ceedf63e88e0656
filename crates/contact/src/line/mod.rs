//! Line contact: a row of bristles through which the counterpart travels, 000 §IV.
//!
//! ```text
//! ∂z/∂t + V ∂z/∂ξ = ż(z, v),   z(0, t) = 0,   z(ξ, 0) = z₀(ξ)        (34)
//! F = L ∫₀¹ p(ξ) f(ξ, t) dξ                                        (38), (39)
//! ```
//!
//! Equation numbers of 000; ξ in [0, 1] from the leading edge, V in 1/s, p in N/m, f the bristle's force per
//! unit load. Any model of the kernel that is linear in its state may stand in the row, along a line or in a
//! plane, one state or many. V, p and the bristle may change along the line, V and the length in time.
//!
//! - A bristle keeps its label for life: transport is exact (`transport`).
//! - Along its path one linear equation is left, (40), which extrapolation solves; bristles that are all the same
//!   share what time does to them (`path`).
//! - The integral over the line is cut where the integrand bends and refined where two rules differ (`rule`).
//!
//! Every result carries its error: the sum of what the last two rules of each panel and the last two columns of each
//! extrapolation differ by.
use bristle_kernel::{Bristle, Drive, Slip, Update};

mod path;
mod rule;
mod transport;

use path::{Cells, Known, STATES, Step, Tolerance, follow};
pub use rule::Integral;
use transport::Travel;
pub use transport::{Along, Length, Points, Transport};

/// The bristles of a line.
pub enum Bristles<'a, B> {
    /// The same everywhere.
    Same(&'a B),
    /// The bristle at ξ.
    Along(&'a dyn Fn(f64) -> B),
}

// A derived copy would ask for a bristle that can be copied.
impl<B> Copy for Bristles<'_, B> {}
impl<B> Clone for Bristles<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Bristles<'_, B> {
    /// What `f` says of the bristle at ξ, which is asked for only where it matters.
    pub fn at<R>(&self, xi: impl FnOnce() -> f64, f: impl FnOnce(&B) -> R) -> R {
        match self {
            Bristles::Same(bristle) => f(bristle),
            Bristles::Along(bristle) => f(&bristle(xi())),
        }
    }
}

/// A line contact.
pub struct Line<'a, B> {
    /// L.
    pub length: Length<'a>,
    /// V.
    pub transport: Transport<'a>,
    /// p(ξ), N/m.
    pub pressure: &'a dyn Fn(f64) -> f64,
    /// What stands in the row.
    pub bristles: Bristles<'a, B>,
    /// Places ξ, increasing, at which V(ξ), p(ξ), z₀(ξ) or the bristles bend.
    pub places: &'a [f64],
    /// The error that results may have, relative to the integrals of absolute values.
    pub accuracy: f64,
}

impl<B> Copy for Line<'_, B> {}
impl<B> Clone for Line<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

/// What the bristles did before t = 0.
#[derive(Clone, Copy)]
pub enum Before<'a, V> {
    /// They were undeflected.
    Rest,
    /// They rolled steadily at this velocity.
    Steady(V),
    /// The state of the bristle that is at ξ at t = 0.
    Deflected(&'a dyn Fn(f64, &mut [f64])),
}

/// What a line contact goes through.
#[derive(Clone, Copy)]
pub struct Course<'a, V> {
    /// v(t), m/s, smooth between `breaks`.
    pub v: &'a dyn Fn(f64) -> V,
    /// Times after 0, increasing, at which v changes sign, jumps or bends, or V or L bend.
    pub breaks: &'a [f64],
    /// What was before.
    pub before: Before<'a, V>,
}

impl<'a, V> Course<'a, V> {
    /// From undeflected bristles, with no breaks.
    pub fn smooth(v: &'a dyn Fn(f64) -> V) -> Self {
        Course { v, breaks: &[], before: Before::Rest }
    }
}

/// What a line contact does at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<V> {
    /// The friction force, N.
    pub force: V,
    /// The energy stored in the bristles, J, 000 (51).
    pub stored: f64,
    /// The power that is dissipated in them, W.
    pub dissipated: f64,
    /// The load, N.
    pub load: f64,
    /// The largest relative error of these, each relative to the integral of absolute values.
    pub error: f64,
}

/// One bristle at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a, V> {
    /// Where it is.
    pub xi: f64,
    /// Its state.
    pub z: &'a [f64],
    /// Its force per unit load.
    pub force: V,
    /// Its stored energy per unit load, m.
    pub stored: f64,
    /// The power it dissipates per unit load, m/s.
    pub dissipated: f64,
}

/// Why a line contact was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLinear;

impl std::fmt::Display for NotLinear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "line contact: the bristle has no fixed-step update, so it is not linear in its state; take one \
             of dahl, lugre, frbd, frbd_gm, frbd_gkv, frbd_planar"
        )
    }
}

impl std::error::Error for NotLinear {}

/// Where `f` changes sign between `from` and `to`, if it does so at most once between two of the samples.
pub fn sign_changes(f: &dyn Fn(f64) -> f64, from: f64, to: f64, samples: usize) -> Vec<f64> {
    let at = |k: usize| from + (to - from) * k as f64 / samples as f64;
    let mut found = Vec::new();
    for k in 0..samples {
        let (mut lo, mut hi) = (at(k), at(k + 1));
        let sign = f(lo) > 0.0;
        if (f(hi) > 0.0) == sign {
            continue;
        }
        for _ in 0..80 {
            let middle = 0.5 * (lo + hi);
            *(if (f(middle) > 0.0) == sign { &mut lo } else { &mut hi }) = middle;
        }
        found.push(hi);
    }
    found
}

/// A line at one moment: what its bristles went through is prepared once for all of them.
struct Moment<'a, B, V> {
    line: &'a Line<'a, B>,
    course: &'a Course<'a, V>,
    travel: Travel<'a>,
    t: f64,
    /// Breaks that a bristle of now has met.
    breaks: &'a [f64],
    cells: Option<Cells>,
    states: usize,
    tolerance: Tolerance,
}

impl<'a, B: Bristle<f64, V>, V: Slip<f64>> Moment<'a, B, V> {
    fn new(line: &'a Line<'a, B>, course: &'a Course<'a, V>, t: f64) -> Result<Self, NotLinear> {
        let travel = Travel { transport: line.transport, length: line.length };
        let first = travel.entry(travel.label(1.0, t), t).max(0.0);
        let after = course.breaks.partition_point(|b| *b <= first);
        let until = course.breaks.partition_point(|b| *b < t);
        let breaks = &course.breaks[after..until.max(after)];
        let states = line.bristles.at(|| 0.0, B::states);
        // Paths cost little, and their errors add up: they get a fiftieth.
        let relative = 0.02 * line.accuracy;
        let tolerance = Tolerance { relative, span: t - first, sizes: [0.0; STATES] };
        let mut moment = Moment { line, course, travel, t, breaks, cells: None, states, tolerance };
        moment.tolerance.sizes = moment.sizes(first)?;
        if let Bristles::Same(_) = line.bristles {
            let mut times = vec![first];
            times.extend(breaks);
            times.extend((t > first).then_some(t));
            let cells = Cells::new(&moment.step(0.0, course.v), states, &times, &moment.tolerance)?;
            moment.cells = Some(cells);
        }
        Ok(moment)
    }

    /// How large the states of the oldest bristle become, roughly: errors matter in comparison with it.
    fn sizes(&self, first: f64) -> Result<[f64; STATES], NotLinear> {
        const STEPS: usize = 4;
        let label = self.travel.label(1.0, self.t);
        let (mut z, mut sizes) = ([0.0; STATES], [0.0f64; STATES]);
        let mut pass = |v: &dyn Fn(f64) -> V, [from, to]: [f64; 2]| {
            let (step, h) = (self.step(label, v), (to - from) / STEPS as f64);
            for k in 0..STEPS {
                let middle = from + (k as f64 + 0.5) * h;
                step(middle, h, &mut z[..self.states]).ok_or(NotLinear)?;
                for (size, z) in sizes.iter_mut().zip(z) {
                    *size = size.max(z.abs());
                }
            }
            Ok(())
        };
        let entry = self.travel.entry(label, self.t);
        if let (Before::Steady(v), true) = (self.course.before, entry < 0.0) {
            pass(&|_| v, [entry, 0.0])?;
        }
        let mut from = first;
        for to in self.breaks.iter().copied().chain([self.t]) {
            pass(self.course.v, [from, to])?;
            from = to;
        }
        Ok(sizes)
    }

    /// Steps of the bristle of that label under a velocity.
    fn step(&self, label: f64, v: &dyn Fn(f64) -> V) -> impl Step {
        move |middle: f64, h: f64, z: &mut [f64]| {
            let drive = Drive::new(v(middle), 1.0);
            let here = || self.travel.place(label, middle);
            let step = |b: &B| b.step(Update::Exponential, &drive, h, z).map(|_| ());
            self.line.bristles.at(here, step)
        }
    }

    /// The state of the bristle that is at ξ and has that label.
    fn bristle_at(&self, xi: f64, label: f64) -> Result<Known, NotLinear> {
        let entry = self.travel.entry(label, self.t);
        let mut start = Known::zeros(self.states);
        if entry < 0.0 {
            let place = self.travel.place(label, 0.0);
            match self.course.before {
                Before::Rest => {}
                Before::Steady(v) => {
                    let (steady, span) = (|_: f64| v, [entry, 0.0]);
                    start = self.follow(&self.step(label, &steady), label, place, span, start)?;
                }
                Before::Deflected(state) => state(place, &mut start.z[..self.states]),
            }
        }
        let step = self.step(label, self.course.v);
        match &self.cells {
            Some(cells) if entry < 0.0 => Ok(cells.since_start(&start)),
            Some(cells) => cells.entered(&step, self.states, entry, &self.tolerance),
            None => self.follow(&step, label, xi, [entry.max(0.0), self.t], start),
        }
    }

    /// Follows a bristle from a time to a later one, at which it is at ξ, from one thing that bends to the next.
    fn follow(
        &self,
        step: &impl Step,
        label: f64,
        xi: f64,
        [mut from, to]: [f64; 2],
        mut z: Known,
    ) -> Result<Known, NotLinear> {
        let mut stops = self.breaks.to_vec();
        if let Bristles::Along(_) = self.line.bristles {
            let passed = self.line.places.iter().filter(|place| **place > 0.0 && **place < xi);
            stops.extend(passed.map(|place| self.travel.passes(label, *place, [from, to])));
            stops.sort_by(f64::total_cmp);
        }
        for stop in stops.into_iter().filter(|stop| *stop < to).chain([to]) {
            if stop > from {
                z = follow(step, from, stop, z, &self.tolerance)?;
                from = stop;
            }
        }
        Ok(z)
    }

    /// Places at which something bends along the line at this moment: those of the line, and bristles that entered
    /// when something bent in time.
    fn cuts(&self) -> Vec<f64> {
        let entered = std::iter::once(0.0).chain(self.breaks.iter().copied());
        let mut labels: Vec<f64> = entered.map(|time| self.travel.distance(time)).collect();
        if let Before::Deflected(_) = self.course.before {
            labels.extend(self.line.places.iter().map(|place| self.travel.label(*place, 0.0)));
        }
        let mut cuts: Vec<f64> = labels.into_iter().map(|l| self.travel.place(l, self.t)).collect();
        cuts.extend(self.line.places);
        cuts.retain(|xi| *xi > 0.0 && *xi < 1.0);
        cuts.extend([0.0, 1.0]);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|b, a| *b - *a < 1e-14);
        cuts
    }

    /// What the bristle at ξ does in that state.
    fn sample<'z>(&self, xi: f64, z: &'z [f64]) -> Sample<'z, V> {
        let drive = Drive::new((self.course.v)(self.t), 1.0);
        self.line.bristles.at(
            || xi,
            |bristle| {
                let mut dz = [0.0; STATES];
                let dz = &mut dz[..z.len()];
                let force = bristle.eval(&drive, z, dz);
                let energy = bristle.energy(&drive, z, dz);
                Sample { xi, z, force, stored: energy.stored, dissipated: energy.dissipated }
            },
        )
    }
}

impl<B> Line<'_, B> {
    /// L∫p g dξ over the bristles as they are at time t.
    pub fn integral<V: Slip<f64>, const N: usize>(
        &self,
        t: f64,
        course: &Course<'_, V>,
        g: impl Fn(&Sample<'_, V>) -> [f64; N],
    ) -> Result<Integral<N>, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        let moment = Moment::new(self, course, t)?;
        let length = self.length.at(t);
        let values = |xi: f64| {
            let known = moment.bristle_at(xi, moment.travel.label(xi, t))?;
            let values = g(&moment.sample(xi, known.state()));
            let beside = g(&moment.sample(xi, &known.beside()[..known.n]));
            let load = length * (self.pressure)(xi); // (38)
            let error = std::array::from_fn(|i| load * (beside[i] - values[i]).abs());
            Ok([values.map(|value| load * value), error])
        };
        rule::integrate(&values, &moment.cuts(), self.accuracy)
    }

    /// The state at time t.
    pub fn at<V: Slip<f64>>(&self, t: f64, course: &Course<'_, V>) -> Result<State<V>, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        let all = self.integral(t, course, |s| {
            let along = |i: usize| if i < V::DIM { s.force.get(i) } else { 0.0 };
            [along(0), along(1), s.stored, s.dissipated, 1.0] // (39)
        })?;
        let [x, y, stored, dissipated, load] = all.value;
        let force = V::from_fn(|i| [x, y][i]);
        Ok(State { force, stored, dissipated, load, error: all.relative() })
    }

    /// The bristles along the line at time t, each handed to `sink`: at `points` places evenly from edge to edge, and
    /// on both sides of each place at which the deflection bends or jumps.
    pub fn profile<V: Slip<f64>>(
        &self,
        t: f64,
        course: &Course<'_, V>,
        points: usize,
        mut sink: impl FnMut(&Sample<'_, V>),
    ) -> Result<(), NotLinear>
    where
        B: Bristle<f64, V>,
    {
        let moment = Moment::new(self, course, t)?;
        let even = (0..points).map(|k| k as f64 / (points - 1) as f64);
        let mut all: Vec<(f64, f64)> = even.map(|xi| (xi, moment.travel.label(xi, t))).collect();
        for xi in moment.cuts().into_iter().filter(|xi| *xi > 0.0 && *xi < 1.0) {
            let label = moment.travel.label(xi, t);
            // By so much labels on both sides of a cut differ from it.
            let aside = 1e-12 * (moment.travel.distance(t) - label).abs();
            all.extend([(xi, label + aside), (xi, label - aside)]);
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        for (xi, label) in all {
            let known = moment.bristle_at(xi, label)?;
            sink(&moment.sample(xi, known.state()));
        }
        Ok(())
    }

    /// The state in steady rolling at constant velocity, with length and transport as at t = 0.
    pub fn steady<V: Slip<f64>>(&self, v: V) -> Result<State<V>, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        self.at(0.0, &Course { v: &|_| v, breaks: &[], before: Before::Steady(v) })
    }
}
