//! Transient rolling over the distance travelled, along the paths and by the rules of steady rolling.
//!
//! Bristles do not know of each other, so every tile of the inflow boundary rolls by itself: its bristles travel in
//! batches, of which one enters with every step. As in steady rolling (`tiles`) two differences tell
//! how far off a tile is, at every distance: across its paths that of two nested rules, along them that of steps with `MAIN` nodes
//! and stages and steps with `CHECK`, of which the latter are the result. The worst tile has its paths doubled, or its steps halved, and rolls anew.
use super::batches::{Batches, Step};
use super::bristles::{Bristles, total};
use super::energy::{Balance, Ledger};
use super::flow::Flow;
use super::inflow::{self, Panel, Wide};
use super::motion::Motion;
use super::rules::{FINEST, nodes, vectors, weights};
use super::steady::{Outcome, Refused, Steady, first_four, measure};
use super::tally::{Forces, Tally};
use super::tiles::{CREDIT, FIRST, SAFETY, largest};
use super::{Model, Patch, Rolling};
use bristle_kernel::{Real, validate};
use std::sync::Arc;

/// Nodes of a batch, and stages of a step, of the coarser rule.
const MAIN: usize = 3;
/// The same of the finer.
const CHECK: usize = 4;
/// How often tiles are refined, all in all.
const MAX_REFINEMENTS: usize = 200;
/// Into how many parts a step is divided at most.
const MAX_PARTS: usize = 64;

/// How a patch rolls over the distance travelled, m.
pub struct Manoeuvre<'a> {
    /// Slip, spin and speed. The way bristles travel (φ₁ and ε in Models 2 and 3) must stay as it is.
    pub rolling: &'a dyn Fn(f64) -> Rolling<f64>,
    /// Where it jumps.
    pub jumps: &'a [f64],
    /// Where results are wanted, in ascending order.
    pub at: &'a [f64],
    /// The deflections after the distance 0.
    pub start: &'a dyn Fn(f64, f64) -> [f64; 2],
}

/// Some paths of a tile that roll, by both rules.
#[derive(Clone, Debug)]
struct Strand {
    level: usize,
    main: Batches<MAIN>,
    check: Batches<CHECK>,
}

/// What a tile adds at one distance, and by what its rules differ.
#[derive(Clone, Copy, Debug)]
struct Sample<const K: usize> {
    value: [f64; K],
    /// The last difference across, and the one before.
    across: [[f64; K]; 2],
    along: [f64; K],
}

impl<const K: usize> Sample<K> {
    /// How far off it is across and along the paths of a tile, by a measure of differences.
    fn errors(&self, size: &impl Fn(&[f64; K]) -> f64) -> [f64; 2] {
        let [last, before] = self.across.map(|off| size(&off));
        [largest([last, before * CREDIT]), size(&self.along)]
    }
}

impl Strand {
    fn new(
        contact: &Steady,
        flow: &Flow<f64>,
        panel: &Panel,
        level: usize,
        width: f64,
        start: &dyn Fn(f64, f64) -> [f64; 2],
    ) -> Self {
        let lay = |k: usize| panel.lay(&contact.shape, flow, nodes(k));
        let paths: Vec<_> = (0..vectors(level)).map(lay).collect();
        let check = Batches::new(paths.clone(), flow, width, start);
        Strand { level, main: Batches::new(paths, flow, width, start), check }
    }

    fn sample<T: Tally<Wide, K>, const K: usize>(
        &mut self,
        course: &super::march::Course<'_, Wide>,
        s: f64,
        rates: bool,
        tally: &T,
    ) -> Sample<K> {
        let main = self.main.tally(course, s, rates, tally);
        let check = self.check.tally(course, s, rates, tally);
        let by = |level: usize| -> [f64; K] {
            let weighted = |c: usize| {
                check.iter().enumerate().map(|(k, s)| total(s[c] * weights(level, k))).sum()
            };
            std::array::from_fn(weighted)
        };
        let [fine, coarse, coarser] = [0, 1, 2].map(|less| by(self.level - less));
        let less = |p: &[f64; K], q: &[f64; K]| std::array::from_fn(|c| p[c] - q[c]);
        let settled = self.main.settled && self.check.settled;
        let along = |c: usize| {
            let both = check.iter().zip(&main).enumerate();
            let off = both.map(|(k, (p, q))| total((p[c] - q[c]).abs() * weights(self.level, k)));
            if settled { off.sum() } else { f64::INFINITY }
        };
        Sample {
            value: fine,
            across: [less(&fine, &coarse), less(&coarse, &coarser)],
            along: std::array::from_fn(along),
        }
    }
}

/// A panel and how finely it rolls.
#[derive(Clone, Debug)]
struct Tile {
    panel: Panel,
    level: usize,
    /// Parts of a step.
    parts: usize,
    samples: Vec<Sample<5>>,
}

impl Steady {
    /// Rolls the patch from given deflections. Forces and moments are those of the patch's own load; the error of each is beside
    /// the greatest force and moment of the whole manoeuvre.
    pub fn roll(&mut self, manoeuvre: &Manoeuvre<'_>) -> Result<Vec<Outcome>, Refused> {
        Ok(self.roll_tiles(manoeuvre)?.1)
    }

    /// The same, and the energy balance at each distance, per metre travelled: what is supplied and not spent is being stored.
    pub fn roll_with_balances(
        &mut self,
        manoeuvre: &Manoeuvre<'_>,
    ) -> Result<(Vec<Outcome>, Vec<Balance>), Refused> {
        let (tiles, outcomes) = self.roll_tiles(manoeuvre)?;
        let mut sums = vec![[0.0; 6]; manoeuvre.at.len()];
        let bristle = self.bristle.wide.clone();
        for tile in &tiles {
            let ledger = |motion: &Motion<f64>, model: Model| {
                let motion = motion.cast(Wide::from);
                Ledger::new(&self.shape, &self.pressure, &*bristle, motion, model)
            };
            let own = self.roll_tile(&*bristle, manoeuvre, tile, true, ledger);
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum = std::array::from_fn(|c| sum[c] + own.value[c]);
            }
        }
        Ok((outcomes, sums.into_iter().map(Balance::new).collect()))
    }

    fn roll_tiles(
        &mut self,
        manoeuvre: &Manoeuvre<'_>,
    ) -> Result<(Vec<Tile>, Vec<Outcome>), Refused> {
        let first = self.checked(&(manoeuvre.rolling)(0.0))?;
        let mut panels = self.panels(&first.flow, None);
        // Beside the path through a zero of the slip velocity that stays for a while bristles live differently.
        for s in [0.0].iter().chain(manoeuvre.jumps) {
            let rolling = (manoeuvre.rolling)(*s);
            if let Some(at) = self.zero_of_slip(&Motion::new(&rolling), rolling.model) {
                inflow::split_at_path_through(&self.shape, &first.flow, at, true, &mut panels);
            }
        }
        let (bristle, law) = self.transient_bristle(manoeuvre);
        let (load, a) = (self.load, self.shape.a);
        let roll = |contact: &Steady, tile: &mut Tile| {
            let forces = |motion: &Motion<f64>, _| Forces::new(&*bristle, Wide::from(motion.speed));
            let rates = !contact.bristle.is_elastic();
            tile.samples = contact.roll_tile(&*bristle, manoeuvre, tile, rates, forces);
        };
        let new = |panel: Panel| Tile { panel, level: FIRST + 1, parts: 1, samples: Vec::new() };
        let mut tiles: Vec<Tile> = panels.into_iter().map(new).collect();
        for tile in &mut tiles {
            roll(self, tile);
        }
        let mut refinements = 0;
        loop {
            let mut sums = vec![[0.0; 5]; manoeuvre.at.len()];
            for tile in &tiles {
                for (sum, own) in sums.iter_mut().zip(&tile.samples) {
                    *sum = std::array::from_fn(|c| sum[c] + own.value[c]);
                }
            }
            // The greatest force and moments of the manoeuvre.
            let greatest = sums.iter().fold([0.0; 4], |most: [f64; 4], s| {
                let force = s[0].hypot(s[1]).max(most[0]);
                [force, 0.0, s[2].abs().max(most[2]), s[3].abs().max(most[3])]
            });
            let size = |off: &[f64; 5]| measure(load, a, &greatest, &first_four(off));
            // What is known of all: by how much the law may be off, and the load that bristles carry together.
            let missed = |s: &[f64; 5]| if load == 0.0 { 0.0 } else { (s[4] / load - 1.0).abs() };
            let law = measure(load, a, &greatest, &law);
            let mut errors: Vec<f64> = sums.iter().map(|s| law.max(missed(s))).collect();
            let mut worst = (0.0, 0, [0.0; 2]);
            for (i, tile) in tiles.iter().enumerate() {
                let mut most = [0.0f64; 2];
                for (error, sample) in errors.iter_mut().zip(&tile.samples) {
                    let [across, along] = sample.errors(&size);
                    *error += SAFETY * (across + along);
                    most = [most[0].max(across), most[1].max(along)];
                }
                if tile.parts >= MAX_PARTS {
                    most[1] = 0.0;
                }
                if most[0].max(most[1]) > worst.0 {
                    worst = (most[0].max(most[1]), i, most);
                }
            }
            let error = errors
                .iter()
                .fold(0.0, |most: f64, e| if e.is_nan() { f64::INFINITY } else { most.max(*e) });
            if error <= self.accuracy || refinements == MAX_REFINEMENTS || worst.0 == 0.0 {
                let known = |e: f64| if e.is_nan() { f64::INFINITY } else { e };
                let outcome = |(s, e): (&[f64; 5], &f64)| Outcome::new(first_four(s), known(*e));
                let outcomes = sums.iter().zip(&errors).map(outcome).collect();
                return Ok((tiles, outcomes));
            }
            refinements += 1;
            let (_, i, [across, along]) = worst;
            if along > across {
                tiles[i].parts *= 2;
            } else if tiles[i].level < FINEST {
                tiles[i].level += 1;
            } else {
                let Tile { panel, parts, .. } = tiles.swap_remove(i);
                for panel in panel.halves() {
                    tiles.push(Tile { parts, ..new(panel) });
                    if let Some(half) = tiles.last_mut() {
                        roll(self, half);
                    }
                }
                continue;
            }
            roll(self, &mut tiles[i]);
        }
    }

    /// The bristle as transients ask it, interpolated if that is good enough for the whole manoeuvre, and by how much forces
    /// and moments may be off because of that.
    fn transient_bristle(
        &mut self,
        manoeuvre: &Manoeuvre<'_>,
    ) -> (Arc<dyn Bristles<Wide>>, [f64; 4]) {
        let (radius, reach) = (self.shape.a.hypot(self.shape.b), self.bristle.reach());
        let speed = |s: &f64| Motion::new(&(manoeuvre.rolling)(*s)).fastest(radius, reach);
        let fastest = manoeuvre.at.iter().chain(manoeuvre.jumps).chain(&[0.0]).map(speed);
        let fastest = fastest.fold(0.0, f64::max);
        match self.interpolated(fastest) {
            Some(bristle) => {
                let law = bristle.forces_off(self.load, radius);
                (bristle, law)
            }
            None => (self.bristle.wide.clone(), [0.0; 4]),
        }
    }

    /// Rolls one tile and samples it.
    fn roll_tile<T: Tally<Wide, K>, const K: usize>(
        &self,
        bristle: &dyn Bristles<Wide>,
        manoeuvre: &Manoeuvre<'_>,
        tile: &Tile,
        rates: bool,
        tally: impl Fn(&Motion<f64>, Model) -> T,
    ) -> Vec<Sample<K>> {
        let motion = |s: f64| Motion::new(&(manoeuvre.rolling)(s));
        let first = motion(0.0);
        let mut bounds: Vec<f64> =
            manoeuvre.at.iter().chain(manoeuvre.jumps).copied().filter(|s| *s > 0.0).collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let width = bounds.first().map_or(self.shape.a, |s| s / tile.parts as f64);
        let Tile { panel, level, .. } = tile;
        let mut strand = Strand::new(self, &first.flow, panel, *level, width, manoeuvre.start);
        let mut samples = Vec::with_capacity(manoeuvre.at.len());
        let mut sample = |strand: &mut Strand, s: f64| {
            let rolling = (manoeuvre.rolling)(s);
            let (now, model) = (Motion::new(&rolling), rolling.model);
            let wide = [now.cast(Wide::from)];
            let course = self.course(bristle, &wide, model);
            samples.push(strand.sample(&course, s, rates, &tally(&now, model)));
        };
        let wanted = |s: f64| manoeuvre.at.binary_search_by(|at| at.total_cmp(&s)).is_ok();
        if wanted(0.0) {
            sample(&mut strand, 0.0);
        }
        let (mut from, mut last): (f64, Option<(Motion<f64>, f64)>) = (0.0, None);
        for to in bounds {
            let length = (to - from) / tile.parts as f64;
            // Steps of the same length are the same but for rounding.
            let length = match last {
                Some((_, before)) if (length - before).abs() < 1e-9 * before => before,
                _ => length,
            };
            for part in 0..tile.parts {
                let from = from + length * part as f64;
                let model = (manoeuvre.rolling)(from).model;
                let held = held(&motion, from, length);
                let again = held.is_some() && held.map(|h| (h, length)) == last;
                let zero = held.and_then(|held| match model {
                    Model::Semilinear if held.phi2 != 0.0 => None,
                    _ => self.zero_of_slip(&held, model),
                });
                let inputs: &dyn Fn(f64) -> Motion<f64> = &motion;
                let step = Step { from, length, inputs, held: held.as_ref(), again, zero };
                let wide = [motion(from).cast(Wide::from)];
                let on = self.course(bristle, &wide, model);
                strand.main.step(&on, &step);
                strand.check.step(&on, &step);
                last = held.map(|h| (h, length));
            }
            from = to;
            if wanted(to) {
                sample(&mut strand, to);
            }
        }
        samples
    }
}

/// A patch that is rolled step by step, for who learns its slip on the way. Its paths are those of steady rolling at the
/// start; its steps all have one length, and inputs are held within each.
#[derive(Clone, Debug)]
pub struct Rolled {
    contact: Steady,
    flow: Flow<f64>,
    strands: Vec<Strand>,
    step: f64,
    steps: usize,
    last: Option<Motion<f64>>,
    /// The greatest force and moments so far.
    greatest: [f64; 4],
}

impl Rolled {
    /// A contact with undeflected bristles that is to roll as `rolling` says, in steps of `step` metres.
    pub fn new(mut contact: Steady, rolling: &Rolling<f64>, step: f64) -> Result<Self, Refused> {
        if step.is_nan() || step <= 0.0 {
            return Err(Refused::Step { value: step });
        }
        let motion = contact.checked(rolling)?;
        let (tiles, _) = contact.by_tiles(&motion, rolling.model);
        let strand = |tile: &super::tiles::Tile<5>| {
            Strand::new(
                &contact,
                &motion.flow,
                &tile.panel,
                tile.level.max(FIRST + 1),
                step,
                &|_, _| [0.0; 2],
            )
        };
        let strands = tiles.iter().map(strand).collect();
        let (flow, greatest) = (motion.flow, [0.0; 4]);
        Ok(Rolled { contact, flow, strands, step, steps: 0, last: None, greatest })
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.steps as f64 * self.step
    }

    /// Rolls on by one step; `load` multiplies the vertical force of the patch. The error is beside the greatest force and moment so
    /// far: where it is too large, take shorter steps.
    pub fn step(&mut self, rolling: &Rolling<f64>, load: f64) -> Result<Outcome, Refused> {
        let motion = Motion { flow: self.flow, ..self.contact.checked(rolling)? };
        let from = self.travelled();
        let radius = self.contact.shape.a.hypot(self.contact.shape.b);
        let fastest = motion.fastest(radius, self.contact.bristle.reach());
        let bristle: Arc<dyn Bristles<Wide>> = match self.contact.interpolated(fastest) {
            Some(bristle) => bristle,
            None => self.contact.bristle.wide.clone(),
        };
        let zero = match rolling.model {
            Model::Semilinear if motion.phi2 != 0.0 => None,
            model => self.contact.zero_of_slip(&motion, model),
        };
        let again = self.last == Some(motion);
        let inputs: &dyn Fn(f64) -> Motion<f64> = &|_| motion;
        let step = Step { from, length: self.step, inputs, held: Some(&motion), again, zero };
        let wide = [motion.cast(Wide::from)];
        let course = self.contact.course(&*bristle, &wide, rolling.model);
        let tally = Forces::new(&*bristle, wide[0].speed);
        let rates = !self.contact.bristle.is_elastic();
        let mut samples = Vec::with_capacity(self.strands.len());
        for strand in &mut self.strands {
            strand.main.step(&course, &step);
            strand.check.step(&course, &step);
            samples.push(strand.sample(&course, from + self.step, rates, &tally));
        }
        (self.steps, self.last) = (self.steps + 1, Some(motion));
        let mut sums = [0.0; 5];
        for sample in &samples {
            sums = std::array::from_fn(|c| sums[c] + sample.value[c]);
        }
        let [x, y, m, d, _] = sums;
        let most = |k: usize, now: f64| self.greatest[k].max(now.abs());
        self.greatest = [most(0, x.hypot(y)), 0.0, most(2, m), most(3, d)];
        let (of, a) = (self.contact.load, self.contact.shape.a);
        let size = |off: &[f64; 5]| measure(of, a, &self.greatest, &first_four(off));
        let error: f64 =
            samples.iter().flat_map(|s| s.errors(&size)).map(|error| SAFETY * error).sum();
        Ok(Outcome::new(
            [x, y, m, d].map(|w| w * load),
            if error.is_nan() { f64::INFINITY } else { error },
        ))
    }
}

/// The motion of a step, if it is the same all along.
fn held(motion: &impl Fn(f64) -> Motion<f64>, from: f64, length: f64) -> Option<Motion<f64>> {
    let first = motion(from + 1e-9 * length);
    let same = |part: f64| motion(from + part * length) == first;
    [0.171, 0.418, 0.5, 0.723, 0.931, 1.0 - 1e-12].into_iter().all(same).then_some(first)
}

/// The distance after which a quantity has covered 63 % (1 − 1/e) of the way to its last value, by linear
/// interpolation between samples (s, value); `None` if it starts there.
pub fn relaxation_length(samples: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    let level = |v: f64| (v - first.1) / (last.1 - first.1);
    let target = 1.0 - (-1.0f64).exp();
    let i = samples.iter().position(|s| level(s.1) >= target)?;
    let (p, q) = (samples.get(i.checked_sub(1)?)?, samples[i]);
    Some(p.0 + (q.0 - p.0) * (target - level(p.1)) / (level(q.1) - level(p.1)))
}

/// The distance after which the response to a step is over: that of the longest path, exactly.
pub fn settling_distance(patch: &Patch<f64>, rolling: &Rolling<f64>) -> Result<f64, Refused> {
    validate(patch)?;
    validate(rolling)?;
    let (shape, flow) = (patch.shape(), Motion::new(rolling).flow);
    if let Some(centre) = flow.centre()
        && shape.level(centre[0], centre[1]) <= 1.0
    {
        return Err(Refused::CentreInside { phi1: flow.phi1, centre });
    }
    Ok(inflow::longest(&shape, &flow))
}
