//! Transient rolling over the distance travelled, along the paths and by the rules of steady rolling.
//!
//! Bristles do not know of each other, so every tile of the inflow boundary rolls by itself: its bristles travel in
//! batches, of which one enters with every step. As in steady rolling (`tiles`) two numbers tell how far off a tile is, at
//! every distance: across its paths what is left of the spectrum, along them the difference of steps with `MAIN` nodes and stages and
//! steps with `CHECK`, of which the latter are the result. The worst tile has its paths doubled, or its steps halved, and
//! rolls anew.
use super::batches::{Batches, Inputs, Step};
use super::energy::{Balance, Ledger};
use super::flow::Flow;
use super::inflow::{self, Panel, Wide};
use super::motion::Motion;
use super::rules::{FINEST, integrals, nodes, thirds, vectors};
use super::steady::{Outcome, Refused, Steady, first_four, measure};
use super::tally::{Forces, Tally};
use super::tiles::{FIRST, Follow, Found, SAFETY, Sample, known, largest, refine};
use super::{Patch, Rolling};
use bristle_kernel::{Real, validate};

/// Nodes of a batch, and stages of a step, of the coarser rule.
const MAIN: usize = 3;
/// The same of the finer.
const CHECK: usize = 4;
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
    /// The last step, if inputs were held.
    last: Option<(Motion<f64>, f64)>,
}

impl Strand {
    fn new(
        contact: &Steady,
        flow: &Flow<f64>,
        (panel, level): (&Panel, usize),
        width: f64,
        start: &dyn Fn(f64, f64) -> [f64; 2],
    ) -> Self {
        let lay = |k: usize| panel.lay(&contact.shape, flow, nodes(k));
        let paths: Vec<_> = (0..vectors(level)).map(lay).collect();
        let check = Batches::new(paths.clone(), flow, width, start);
        Strand { level, main: Batches::new(paths, flow, width, start), check, last: None }
    }

    /// Rolls on by one step.
    fn step(&mut self, contact: &Steady, inputs: Inputs<'_>, from: f64, length: f64) {
        let held = held(inputs, from, length);
        let now = held.map(|held| (held, length));
        let again = now.is_some() && now == self.last;
        let zero = held.filter(|held| !held.feels).and_then(|held| contact.zero_of_slip(&held));
        let step = Step { from, length, inputs, held: held.as_ref(), again, zero };
        let wide = [inputs(from).cast(Wide::from)];
        let course = contact.course(&*contact.bristle.wide, &wide);
        self.main.step(&course, &step);
        self.check.step(&course, &step);
        self.last = now;
    }

    /// What the bristles add after a distance. `rates` says whether z′ is wanted.
    fn sample<T: Tally<Wide, K>, const K: usize>(
        &mut self,
        contact: &Steady,
        (motion, s): (&Motion<f64>, f64),
        rates: bool,
        tally: &T,
    ) -> Sample<K> {
        let wide = [motion.cast(Wide::from)];
        let course = contact.course(&*contact.bristle.wide, &wide);
        let main = self.main.tally(&course, s, rates, tally);
        let check = self.check.tally(&course, s, rates, tally);
        let apart = |(fine, coarse): (&[Wide; K], &[Wide; K])| -> [Wide; K] {
            std::array::from_fn(|c| (fine[c] - coarse[c]).abs())
        };
        let apart: Vec<[Wide; K]> = check.iter().zip(&main).map(apart).collect();
        Sample {
            value: integrals(self.level, &check),
            across: thirds(self.level, &check),
            along: match self.main.settled && self.check.settled {
                true => integrals(self.level, &apart),
                false => [f64::INFINITY; K],
            },
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

/// How tiles roll.
struct Roll<'a> {
    contact: &'a Steady,
    manoeuvre: &'a Manoeuvre<'a>,
}

impl Roll<'_> {
    fn motion(&self, s: f64) -> Motion<f64> {
        Motion::new(&(self.manoeuvre.rolling)(s))
    }

    fn tile(&self, panel: Panel, level: usize, parts: usize) -> Tile {
        let mut tile = Tile { panel, level, parts, samples: Vec::new() };
        let bristle = &*self.contact.bristle.wide;
        let rates = !self.contact.bristle.is_elastic();
        let forces = |motion: &Motion<f64>| Forces::new(bristle, Wide::from(motion.speed));
        tile.samples = self.roll(&tile, rates, forces);
        tile
    }

    /// Rolls one tile and samples it.
    fn roll<T: Tally<Wide, K>, const K: usize>(
        &self,
        tile: &Tile,
        rates: bool,
        tally: impl Fn(&Motion<f64>) -> T,
    ) -> Vec<Sample<K>> {
        let Manoeuvre { at, jumps, start, .. } = self.manoeuvre;
        let inputs = |s: f64| self.motion(s);
        let mut bounds: Vec<f64> = at.iter().chain(*jumps).copied().filter(|s| *s > 0.0).collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let width = bounds.first().map_or(self.contact.shape.a, |s| s / tile.parts as f64);
        let (flow, paths) = (inputs(0.0).flow, (&tile.panel, tile.level));
        let mut strand = Strand::new(self.contact, &flow, paths, width, start);
        let mut samples = Vec::with_capacity(at.len());
        let mut sample = |strand: &mut Strand, s: f64| {
            if at.binary_search_by(|at| at.total_cmp(&s)).is_ok() {
                let now = inputs(s);
                samples.push(strand.sample(self.contact, (&now, s), rates, &tally(&now)));
            }
        };
        sample(&mut strand, 0.0);
        let (mut from, mut last) = (0.0, f64::NAN);
        for to in bounds {
            let length = (to - from) / tile.parts as f64;
            // Steps of the same length are the same but for rounding.
            last = if (length - last).abs() < 1e-9 * last { last } else { length };
            for part in 0..tile.parts {
                strand.step(self.contact, &inputs, from + last * part as f64, last);
            }
            from = to;
            sample(&mut strand, to);
        }
        samples
    }
}

impl Follow<Tile, 5> for Roll<'_> {
    const MAX_REFINEMENTS: usize = 200;

    fn samples<'a>(&self, tile: &'a Tile) -> &'a [Sample<5>] {
        &tile.samples
    }

    fn is_shortest(&self, tile: &Tile) -> bool {
        tile.parts >= MAX_PARTS
    }

    fn shorten(&self, tile: &mut Tile, _: &dyn Fn(&[f64; 5]) -> f64, _: f64) {
        *tile = self.tile(tile.panel, tile.level, 2 * tile.parts);
    }

    fn widen(&self, tile: Tile) -> Vec<Tile> {
        match tile.level {
            FINEST => tile.panel.divided(0.5).map(|p| self.tile(p, FIRST, tile.parts)).into(),
            level => vec![self.tile(tile.panel, level + 1, tile.parts)],
        }
    }
}

/// The greatest force and moments, these sums being among them.
fn greatest(most: [f64; 4], sums: &[f64; 5]) -> [f64; 4] {
    let force = sums[0].hypot(sums[1]).max(most[0]);
    [force, 0.0, sums[2].abs().max(most[2]), sums[3].abs().max(most[3])]
}

impl Steady {
    /// Rolls the patch from given deflections. Forces and moments are those of the patch's own load; the error of each is beside
    /// the greatest force and moment of the whole manoeuvre.
    pub fn roll(&self, manoeuvre: &Manoeuvre<'_>) -> Result<Vec<Outcome>, Refused> {
        Ok(self.roll_tiles(manoeuvre)?.1)
    }

    /// The same, and the energy balance at each distance, per metre travelled: what is supplied and not spent is being stored.
    pub fn roll_with_balances(
        &self,
        manoeuvre: &Manoeuvre<'_>,
    ) -> Result<(Vec<Outcome>, Vec<Balance>), Refused> {
        let (tiles, outcomes) = self.roll_tiles(manoeuvre)?;
        let mut sums = vec![[0.0; 6]; manoeuvre.at.len()];
        let (rolls, bristle) = (Roll { contact: self, manoeuvre }, &*self.bristle.wide);
        let ledger = |motion: &Motion<f64>| {
            Ledger::new(&self.shape, &self.pressure, bristle, motion.cast(Wide::from))
        };
        for tile in &tiles {
            for (sum, own) in sums.iter_mut().zip(rolls.roll(tile, true, ledger)) {
                *sum = std::array::from_fn(|c| sum[c] + own.value[c]);
            }
        }
        Ok((outcomes, sums.into_iter().map(Balance::new).collect()))
    }

    fn roll_tiles(&self, manoeuvre: &Manoeuvre<'_>) -> Result<(Vec<Tile>, Vec<Outcome>), Refused> {
        let flow = self.checked(&(manoeuvre.rolling)(0.0))?.flow;
        let rolls = Roll { contact: self, manoeuvre };
        let seams = || [0.0].into_iter().chain(manoeuvre.jumps.iter().copied());
        // Beside the path through a zero of the slip velocity that stays for a while bristles live differently.
        let zeros: Vec<[f64; 2]> =
            seams().filter_map(|s| self.zero_of_slip(&rolls.motion(s))).collect();
        let all = seams().chain(manoeuvre.at.iter().copied());
        let turns = all.map(|s| self.turns(&rolls.motion(s))).fold(0.0, f64::max);
        let panels = self.panels(&flow, &zeros, self.longest() / turns);
        let mut tiles: Vec<Tile> =
            panels.into_iter().map(|panel| rolls.tile(panel, FIRST, 1)).collect();
        let (load, a) = (self.load, self.shape.a);
        let found = refine(&mut tiles, &rolls, self.accuracy, |sums| {
            let most = sums.iter().fold([0.0; 4], greatest);
            move |off: &[f64; 5]| measure(load, a, &most, &first_four(off))
        });
        let outcome = |Found { sums, error }: Found<5>| {
            // The load that bristles carry together is known.
            let missed = if load == 0.0 { 0.0 } else { (sums[4] / load - 1.0).abs() };
            Outcome::new(first_four(&sums), known(largest([error, missed])))
        };
        Ok((tiles, found.into_iter().map(outcome).collect()))
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
    /// The greatest force and moments so far.
    greatest: [f64; 4],
}

impl Rolled {
    /// A contact with undeflected bristles that is to roll as `rolling` says, in steps of `step` metres.
    pub fn new(contact: Steady, rolling: &Rolling<f64>, step: f64) -> Result<Self, Refused> {
        if step.is_nan() || step <= 0.0 {
            return Err(Refused::Step { value: step });
        }
        let motion = contact.checked(rolling)?;
        let (flow, (tiles, _)) = (motion.flow, contact.by_tiles(&motion));
        let strand = |tile: &super::tiles::Tile<5>| {
            Strand::new(&contact, &flow, (&tile.panel, tile.level), step, &|_, _| [0.0; 2])
        };
        let strands = tiles.iter().map(strand).collect();
        Ok(Rolled { contact, flow, strands, step, steps: 0, greatest: [0.0; 4] })
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.steps as f64 * self.step
    }

    /// Rolls on by one step; `load` multiplies the vertical force of the patch. The error is beside the greatest force and moment so
    /// far: where it is too large, take shorter steps.
    pub fn step(&mut self, rolling: &Rolling<f64>, load: f64) -> Result<Outcome, Refused> {
        let motion = Motion { flow: self.flow, ..self.contact.checked(rolling)? };
        let (from, contact) = (self.travelled(), &self.contact);
        self.steps += 1;
        let (bristle, rates) = (&*contact.bristle.wide, !contact.bristle.is_elastic());
        let tally = Forces::new(bristle, Wide::from(motion.speed));
        let now = (&motion, from + self.step);
        let mut samples = Vec::with_capacity(self.strands.len());
        for strand in &mut self.strands {
            strand.step(contact, &|_| motion, from, self.step);
            samples.push(strand.sample(contact, now, rates, &tally));
        }
        let add =
            |sums: [f64; 5], sample: &Sample<5>| std::array::from_fn(|c| sums[c] + sample.value[c]);
        let sums = samples.iter().fold([0.0; 5], add);
        self.greatest = greatest(self.greatest, &sums);
        let (of, a) = (contact.load, contact.shape.a);
        let size = |off: &[f64; 5]| measure(of, a, &self.greatest, &first_four(off));
        let error: f64 = samples.iter().flat_map(|s| s.errors(&size)).map(|e| SAFETY * e).sum();
        Ok(Outcome::new(first_four(&sums).map(|w| w * load), known(error)))
    }
}

/// The motion of a step, if it is the same all along.
fn held(motion: Inputs<'_>, from: f64, length: f64) -> Option<Motion<f64>> {
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
