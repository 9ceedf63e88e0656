//! Bristles on their way: those that entered within one step travel together.
//!
//! A bristle that entered after the distance e is at τ = s − e of its path. Bristles between two entries e are a batch, and its
//! nodes are those of a [`Radau`] rule of e. Nodes never move from one bristle to another, so transport is exact; where
//! inputs jump a batch ends, so that what differs across a jump never shares a polynomial.
use super::inflow::{Paths, Wide};
use super::march::{Course, Passage};
use super::matrix::{product, times};
use super::motion::Motion;
use super::tally::{Node, Tally};
use crate::quadrature::Radau;
use bristle_kernel::{Logic, Real};
use std::collections::VecDeque;

/// Bristles that entered between two distances.
#[derive(Clone, Debug)]
struct Batch {
    /// When the first of them entered, m.
    from: f64,
    /// Within which distance, m.
    width: f64,
    /// Deflections: the nodes of the first eight paths, of the next eight, and so on.
    z: Vec<[Wide; 2]>,
}

/// All bristles of some paths, by one rule with N nodes to a batch and N stages to a step.
#[derive(Clone, Debug)]
pub struct Batches<const N: usize> {
    rule: Radau<N>,
    paths: Vec<Paths>,
    longest: f64,
    /// The youngest first.
    batches: VecDeque<Batch>,
    /// What one step makes of the nodes of every batch, as long as inputs are held and all batches are as wide.
    passages: Vec<Passage<Wide>>,
    /// Where nodes are and what they weigh, as long as all batches are as wide.
    places: Vec<Place>,
    /// The width that both are for.
    width: f64,
    /// Whether all iterations settled.
    pub settled: bool,
}

/// Where a node of a batch is.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [Wide; 2],
    area: Wide,
    load: Wide,
    /// Which part of the batch is still inside, lane by lane.
    inside: Wide,
}

/// What drives the bristles after a distance, m.
pub type Inputs<'a> = &'a dyn Fn(f64) -> Motion<f64>;

/// A step of the distance travelled.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// From which distance, m.
    pub from: f64,
    /// How far, m.
    pub length: f64,
    /// What drives the bristles.
    pub inputs: Inputs<'a>,
    /// The one motion of the whole step, if inputs are held.
    pub held: Option<&'a Motion<f64>>,
    /// Whether the step before was the same.
    pub again: bool,
    /// Where the slip velocity vanishes while inputs are held.
    pub zero: Option<[f64; 2]>,
}

impl<const N: usize> Batches<N> {
    /// The bristles inside after the distance 0, deflected by z at a place, in batches as wide as the first step.
    pub fn new(
        paths: Vec<Paths>,
        flow: &super::flow::Flow<f64>,
        width: f64,
        z: &dyn Fn(f64, f64) -> [f64; 2],
    ) -> Self {
        let rule: Radau<N> = Radau::new();
        let longest = paths.iter().flat_map(|p| p.length().0).fold(0.0, f64::max);
        let flow = flow.cast(Wide::from);
        let count = (longest / width).ceil() as usize;
        let batch = |age: usize| {
            let deflection = |paths: &Paths, c: f64| {
                let [x, y] = paths.entry;
                // The oldest bristle of a batch is its end: deflections that jump there are those inside.
                let tau = Wide::from((age as f64 + c * (1.0 - 1e-9)) * width);
                let at = flow.follow(paths.entry, flow.velocity(x, y), tau);
                let mut z_at = [Wide::from(0.0); 2];
                for lane in 0..super::inflow::WIDTH {
                    let z = z(at[0].0[lane], at[1].0[lane]);
                    (z_at[0].0[lane], z_at[1].0[lane]) = (z[0], z[1]);
                }
                z_at
            };
            let nodes = paths.iter().flat_map(|p| rule.c.iter().map(move |c| (p, *c)));
            let z = nodes.map(|(p, c)| deflection(p, c)).collect();
            Batch { from: -((age + 1) as f64) * width, width, z }
        };
        let batches = (0..count).map(batch).collect();
        let (passages, places) = (Vec::new(), Vec::new());
        Batches { rule, paths, longest, batches, passages, places, width, settled: true }
    }

    /// Rolls on by one step.
    pub fn step(&mut self, course: &Course<'_, Wide>, step: &Step<'_>) {
        let motions = match step.held {
            Some(motion) => vec![motion.cast(Wide::from)],
            None => self.stages(step, step.from, step.length),
        };
        let course = Course { motions: &motions, ..*course };
        let linear = motions.iter().all(|motion| !motion.feels);
        let end = step.from + step.length;
        // Batches as wide as the step are, one after the other, where the one before was.
        let even = self.batches.iter().all(|b| b.width == step.length);
        if self.width != step.length || !even {
            self.places.clear();
        }
        let known = linear && step.again && even && self.width == step.length;
        if !known {
            self.passages.clear();
        }
        self.width = step.length;
        let mut batches = std::mem::take(&mut self.batches);
        for (age, batch) in batches.iter_mut().enumerate() {
            let first = step.from - batch.from - batch.width;
            for i in 0..batch.z.len() {
                let tau = first + batch.width * self.rule.c[i % N];
                let stretch = [Wide::from(tau), Wide::from(tau + step.length)];
                let place = age * batch.z.len() + i;
                if !linear {
                    let (z, still) = self.advance(&course, step, i / N, stretch, batch.z[i]);
                    self.settled &= still;
                    batch.z[i] = z;
                    continue;
                }
                if place == self.passages.len() {
                    let passage = self.passage(&course, step, i / N, stretch);
                    self.passages.push(passage);
                }
                let Passage { keep, gain } = &self.passages[place];
                let kept = times(keep, batch.z[i]);
                batch.z[i] = [kept[0] + gain[0], kept[1] + gain[1]];
            }
        }
        batches.push_front(self.entered(&course, step));
        // Those are gone of whom the youngest has left.
        batches.retain(|b| end - b.from - b.width < self.longest);
        if !(linear && even && step.held.is_some()) {
            self.passages.clear();
        }
        self.batches = batches;
    }

    /// The motions at the stages of a stretch of the distance.
    fn stages(&self, step: &Step<'_>, from: f64, length: f64) -> Vec<Motion<Wide>> {
        // At the end of a step inputs are those before a jump.
        let at = |c: &f64| (step.inputs)(from + length * c * (1.0 - 1e-12)).cast(Wide::from);
        self.rule.c.iter().map(at).collect()
    }

    /// The bristles that enter during a step.
    fn entered(&mut self, course: &Course<'_, Wide>, step: &Step<'_>) -> Batch {
        let (end, zero) = (step.from + step.length, Wide::from(0.0));
        let mut z = Vec::with_capacity(self.paths.len() * N);
        for j in 0..self.paths.len() {
            for c in self.rule.c {
                let way = c * step.length;
                let motions = match step.held {
                    Some(_) => course.motions.to_vec(),
                    None => self.stages(step, end - way, way),
                };
                let course = Course { motions: &motions, ..*course };
                let (deflection, still) =
                    self.advance(&course, step, j, [zero, Wide::from(way)], [zero; 2]);
                self.settled &= still;
                z.push(deflection);
            }
        }
        Batch { from: step.from, width: step.length, z }
    }

    /// Where a stretch of the j-th eight paths is divided: nearest to the zero of the slip velocity.
    fn middle(
        &self,
        course: &Course<'_, Wide>,
        step: &Step<'_>,
        j: usize,
        stretch: [Wide; 2],
    ) -> Option<Wide> {
        let (at, held) = (step.zero?, step.held?);
        debug_assert!(course.motions.len() == 1);
        let nearest = super::inflow::nearest(&held.flow, &self.paths[j], at);
        let between = nearest.gt(stretch[0]) & nearest.lt(stretch[1]);
        between.any().then(|| nearest.max(stretch[0]).min(stretch[1]))
    }

    fn passage(
        &self,
        course: &Course<'_, Wide>,
        step: &Step<'_>,
        j: usize,
        stretch: [Wide; 2],
    ) -> Passage<Wide> {
        let entry = self.paths[j].entry;
        let through = |stretch: [Wide; 2]| course.passage(&self.rule, entry, stretch);
        let Some(middle) = self.middle(course, step, j, stretch) else { return through(stretch) };
        let (first, second) = (through([stretch[0], middle]), through([middle, stretch[1]]));
        let kept = times(&second.keep, first.gain);
        Passage {
            keep: product(&second.keep, &first.keep),
            gain: [kept[0] + second.gain[0], kept[1] + second.gain[1]],
        }
    }

    fn advance(
        &self,
        course: &Course<'_, Wide>,
        step: &Step<'_>,
        j: usize,
        stretch: [Wide; 2],
        z: [Wide; 2],
    ) -> ([Wide; 2], bool) {
        let entry = self.paths[j].entry;
        let through =
            |stretch: [Wide; 2], z: [Wide; 2]| course.advance(&self.rule, entry, stretch, z);
        let Some(middle) = self.middle(course, step, j, stretch) else {
            return through(stretch, z);
        };
        let (z, first) = through([stretch[0], middle], z);
        let (z, second) = through([middle, stretch[1]], z);
        (z, first & second)
    }

    /// What the bristles add after the distance s, for every eight paths. `rates` says whether z′ is wanted.
    pub fn tally<T: Tally<Wide, K>, const K: usize>(
        &mut self,
        course: &Course<'_, Wide>,
        s: f64,
        rates: bool,
        tally: &T,
    ) -> Vec<[Wide; K]> {
        let even = self.batches.iter().all(|b| b.width == self.width);
        if !even {
            self.places.clear();
        }
        let mut own = vec![tally.clone(); self.paths.len()];
        let batches = std::mem::take(&mut self.batches);
        for (age, batch) in batches.iter().enumerate() {
            let first = s - batch.from - batch.width;
            for j in 0..self.paths.len() {
                let z: [[Wide; 2]; N] = std::array::from_fn(|q| batch.z[j * N + q]);
                let place = (age * self.paths.len() + j) * N;
                if !even || place == self.places.len() {
                    let places = self.places_of(course, j, [first, batch.width]);
                    self.places.truncate(place);
                    self.places.extend(places);
                }
                let places = if even { &self.places[place..place + N] } else { &self.places[..N] };
                self.add(course, places, &z, rates, &mut own[j]);
                self.leave(course, j, [first, batch.width], &z, &mut own[j]);
                if !even {
                    self.places.clear();
                }
            }
        }
        self.batches = batches;
        own.iter().map(Tally::sums).collect()
    }

    /// Where the nodes are of the part of a batch that is still inside, and what they weigh.
    fn places_of(
        &self,
        course: &Course<'_, Wide>,
        j: usize,
        [first, width]: [f64; 2],
    ) -> [Place; N] {
        let (paths, flow) = (&self.paths[j], &course.motions[0].flow);
        let v = flow.velocity(paths.entry[0], paths.entry[1]);
        let flux = course.flux(paths);
        let (zero, one) = (Wide::from(0.0), Wide::from(1.0));
        let inside = ((paths.length() - first) / width).max(zero).min(one);
        std::array::from_fn(|q| {
            let tau = inside * (width * self.rule.c[q]) + first;
            let at = flow.follow(paths.entry, v, tau);
            let area = flux * inside * (width * self.rule.b[q]);
            let load = course.pressure.at(course.shape, at[0], at[1]) * area;
            // Beyond the end of a path there is no pressure to be asked for.
            let load = Wide::select(inside.gt(zero), load, zero);
            Place { at, area, load, inside }
        })
    }

    /// Adds the nodes of a batch; where only a part of it is inside, deflections are those of the polynomial through all.
    fn add<T: Tally<Wide, K>, const K: usize>(
        &self,
        course: &Course<'_, Wide>,
        places: &[Place],
        z: &[[Wide; 2]; N],
        rates: bool,
        tally: &mut T,
    ) {
        let whole = places[0].inside.ge(Wide::from(1.0)).all();
        for (q, place) in places.iter().enumerate() {
            let z = if whole { z[q] } else { self.between(z, place.inside * self.rule.c[q]) };
            let motion = &course.motions[0];
            let slip = motion.felt(motion.slip(place.at), z);
            let dz = if rates { course.rate(place.at, z) } else { [Wide::from(0.0); 2] };
            let Place { at, area, load, .. } = *place;
            tally.node(&Node { area, load, at, z, dz, slip });
        }
    }

    /// Tells of the bristles that leave, if some of a batch do.
    fn leave<T: Tally<Wide, K>, const K: usize>(
        &self,
        course: &Course<'_, Wide>,
        j: usize,
        [first, width]: [f64; 2],
        z: &[[Wide; 2]; N],
        tally: &mut T,
    ) {
        let (paths, flow) = (&self.paths[j], &course.motions[0].flow);
        let part = (paths.length() - first) / width;
        // A path that ends where a batch does belongs to that batch, whatever rounding says.
        let leaves = part.gt(Wide::from(1e-9)) & part.le(Wide::from(1.0 + 1e-9));
        if !leaves.any() {
            return;
        }
        let v = flow.velocity(paths.entry[0], paths.entry[1]);
        let at = flow.follow(paths.entry, v, paths.length());
        let load = course.pressure.at(course.shape, at[0], at[1]) * course.flux(paths);
        tally.exit(self.between(z, part), Wide::select(leaves, load, Wide::from(0.0)));
    }

    /// The polynomial through the nodes of a batch at a part of it.
    fn between(&self, z: &[[Wide; 2]; N], part: Wide) -> [Wide; 2] {
        let c = &self.rule.c;
        let mut sum = [Wide::from(0.0); 2];
        for r in 0..N {
            let mut basis = Wide::from(1.0);
            for j in (0..N).filter(|j| *j != r) {
                basis = basis * ((part - c[j]) * (1.0 / (c[r] - c[j])));
            }
            sum = [sum[0] + basis * z[r][0], sum[1] + basis * z[r][1]];
        }
        sum
    }
}
