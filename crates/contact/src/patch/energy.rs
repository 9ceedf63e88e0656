//! Where the energy goes: condition (71), the storage (72) and the balance (97)-(101) of 004.
use super::fading::{Briefs, Brisk};
use super::flow::Flow;
use super::inflow::Wide;
use super::march::{Motion, Node, Tally};
use super::matrix::times;
use super::passage::local;
use super::steady::{LEVELS, Refused, Steady, motion};
use super::transient::Rolled;
use super::{Model, Patch, Pressure, Rolling, Shape};
use crate::quadrature::{Lagrange, legendre};
use bristle_kernel::{Cast, Planar, Real, Sym2, validate};
use bristle_num::{Dual, Lanes};

/// Whether ∇·(pV̄) ≤ 0 everywhere, 004 (71), which makes rolling passive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The largest ∇·(pV̄) found, in units of p₀/a.
    pub worst: f64,
    /// Where it is, m.
    pub at: [f64; 2],
    /// On which part of the patch it is positive.
    pub broken: f64,
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.worst <= 1e-9
    }
}

/// V̄·∇p, which is ∇·(pV̄) because the flow is without divergence.
#[inline(always)]
fn drift<S: Real>(pressure: &Pressure, shape: &Shape, flow: &Flow<S>, [x, y]: [S; 2]) -> S {
    let v = flow.velocity(x, y);
    let along = |re: S, eps: S| Dual::<S, 1> { re, eps: [eps] };
    pressure.at(shape, along(x, v[0]), along(y, v[1])).eps[0]
}

/// Checks 004 (71) on 200 × 200 points of the rectangle around the patch.
pub fn condition(patch: &Patch<f64>, rolling: &Rolling<f64>) -> Result<Condition, Refused> {
    validate(patch)?;
    condition_of(&patch.shape(), &patch.pressure(), rolling)
}

/// The same for any pressure.
pub fn condition_of(
    shape: &Shape,
    pressure: &Pressure,
    rolling: &Rolling<f64>,
) -> Result<Condition, Refused> {
    validate(rolling)?;
    let flow = motion(rolling).flow;
    let mut found = Condition { worst: f64::NEG_INFINITY, at: [0.0; 2], broken: 0.0 };
    let (mut all, mut broken) = (0.0, 0.0);
    // Points crowd towards the edges, where pressures are steep; each stands for its own area.
    const POINTS: u32 = 200;
    let part = |k: u32| {
        let t = std::f64::consts::FRAC_PI_2 * (f64::from(2 * k + 1) / f64::from(POINTS) - 1.0);
        (t.sin(), t.cos())
    };
    for i in 0..POINTS {
        for j in 0..POINTS {
            let ((x, wide), (y, high)) = (part(i), part(j));
            let at = [x * shape.a, y * shape.b];
            if !shape.contains(at[0], at[1]) {
                continue;
            }
            let value = drift(pressure, shape, &flow, at) * shape.a / pressure.scale();
            all += wide * high;
            if value > 1e-9 {
                broken += wide * high;
            }
            if value > found.worst {
                (found.worst, found.at) = (value, at);
            }
        }
    }
    found.broken = broken / all;
    Ok(found)
}

/// The balance of a patch in steady rolling, per metre travelled, in newtons: what is put in is dissipated,
/// leaves at the trailing edge, or goes where the pressure changes along the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// −∬p f·v̄_r, 004 (66)-(69).
    pub supplied: f64,
    /// ∬p zᵀQ₁z, 004 (98a).
    pub sliding: f64,
    /// ∬V_r p v̄ᵀQ₂v̄, 004 (98b).
    pub damping: f64,
    /// −½∬∇·(pV̄) zᵀΣ₀z, 004 (100); negative where (71) fails.
    pub unloading: f64,
    /// ½∮p zᵀΣ₀z V̄·n over the trailing edge.
    pub leaving: f64,
    /// The stored energy, J, 004 (72).
    pub stored: f64,
}

impl Balance {
    /// What is dissipated, leaves or goes where the pressure changes.
    pub fn spent(&self) -> f64 {
        self.sliding + self.damping + self.unloading + self.leaving
    }

    /// What does not add up in steady rolling, over what is supplied.
    pub fn residual(&self) -> f64 {
        (self.supplied - self.spent()) / self.supplied.abs().max(f64::MIN_POSITIVE)
    }

    /// The same under another load.
    fn times(self, load: f64) -> Self {
        Balance {
            supplied: self.supplied * load,
            sliding: self.sliding * load,
            damping: self.damping * load,
            unloading: self.unloading * load,
            leaving: self.leaving * load,
            stored: self.stored * load,
        }
    }
}

/// The books of a run, 004 (101): energies in joules since the first entry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Books {
    /// What slip put in.
    pub supplied: f64,
    /// What was dissipated, left, or went where the pressure changes.
    pub spent: f64,
    /// What a change of load did to the stored energy.
    pub by_load: f64,
    /// How much more is stored now.
    pub stored: f64,
    last: Option<(f64, f64, Balance)>,
}

impl Books {
    /// The balance after the distance `s`, the load being `load` times that of the patch.
    pub fn enter(&mut self, s: f64, load: f64, now: Balance) {
        if let Some((before, old, then)) = self.last {
            let half = 0.5 * (s - before);
            self.supplied += half * (then.supplied + now.supplied);
            self.spent += half * (then.spent() + now.spent());
            let mean = |energy: f64, load: f64| if load == 0.0 { 0.0 } else { 0.5 * energy / load };
            self.by_load += (load - old) * (mean(then.stored, old) + mean(now.stored, load));
            self.stored += now.stored - then.stored;
        }
        self.last = Some((s, load, now));
    }

    /// What does not add up, over what was supplied; it falls with the square of the step.
    pub fn residual(&self) -> f64 {
        let lost = self.supplied + self.by_load - self.spent - self.stored;
        lost / self.supplied.abs().max(self.spent.abs()).max(f64::MIN_POSITIVE)
    }
}

struct Ledger<'a, B> {
    shape: &'a Shape,
    pressure: &'a Pressure,
    bristle: &'a B,
    flow: Flow<Wide>,
    speed: Wide,
    /// Whether friction is taken at the velocity that the bristle feels.
    felt: bool,
    phi2: Wide,
    stiffness: Sym2<Wide>,
    damping: Sym2<Wide>,
    sums: [Wide; 6],
}

impl<'a, B: Planar<Wide>> Ledger<'a, B> {
    fn new(
        shape: &'a Shape,
        pressure: &'a Pressure,
        bristle: &'a B,
        motion: &Motion<Wide>,
        model: Model,
    ) -> Self {
        Ledger {
            shape,
            pressure,
            flow: motion.flow,
            speed: motion.speed,
            felt: model == Model::Semilinear,
            phi2: motion.phi2,
            stiffness: bristle.stiffness(),
            damping: bristle.damping(),
            bristle,
            sums: [Wide::from(0.0); 6],
        }
    }

    fn balance(&self) -> Balance {
        let [supplied, sliding, damping, unloading, leaving, stored] =
            self.sums.map(|s| s.0.iter().sum());
        Balance { supplied, sliding, damping, unloading, leaving, stored }
    }
}

impl<B: Planar<Wide>> Tally<Wide> for Ledger<'_, B> {
    const EXITS: bool = true;

    fn node(&mut self, n: &Node<Wide>) {
        let elastic = self.stiffness.times(n.z);
        let viscous = self.damping.times([n.dz[0] * self.speed, n.dz[1] * self.speed]);
        let f = [elastic[0] + viscous[0], elastic[1] + viscous[1]];
        let back = [self.phi2 * n.z[1], -(self.phi2 * n.z[0])];
        let taken = if self.felt { n.slip } else { [n.slip[0] - back[0], n.slip[1] - back[1]] };
        let r = self.bristle.response([-(taken[0] * self.speed), -(taken[1] * self.speed)]);
        let dot = |a: [Wide; 2], b: [Wide; 2]| a[0] * b[0] + a[1] * b[1];
        let energy = dot(n.z, elastic);
        self.sums[0] += -(n.load * dot(f, n.slip));
        self.sums[1] += n.load * dot(elastic, times(&r.forget, n.z)) / self.speed;
        let flow = times(&r.follow, n.slip);
        self.sums[2] += n.load * self.speed * dot(flow, self.damping.times(n.slip));
        self.sums[3] +=
            -(n.area * drift(self.pressure, self.shape, &self.flow, n.at) * energy * 0.5);
        self.sums[5] += n.load * energy * 0.5;
    }

    fn exit(&mut self, _at: [Wide; 2], z: [Wide; 2], load: Wide) {
        self.sums[4] += load * self.stiffness.form(z) * 0.5;
    }
}

impl<B> Steady<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    /// The energy balance of steady rolling, at one of [`LEVELS`].
    pub fn balance(&mut self, rolling: &Rolling<f64>, level: usize) -> Result<Balance, Refused> {
        validate(rolling)?;
        let (motion, model) = (motion(rolling), rolling.model);
        let level = &LEVELS[level.min(LEVELS.len() - 1)];
        let divided = self.prepare(level, &motion, model);
        let cells = self.cells(level, &motion, divided);
        let wide = motion.cast(Wide::from);
        let mut ledger = Ledger::new(&self.shape, &self.pressure, &self.wide, &wide, model);
        let course = self.course(&self.wide, &wide, model, level.settled);
        self.tally(&course, divided, &cells, &mut ledger);
        Ok(ledger.balance())
    }
}

impl<B> Rolled<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    /// The balance of this moment, per metre travelled: what is supplied and not spent is being stored.
    pub fn balance(&self, rolling: &Rolling<f64>, load: f64) -> Balance {
        let (motion, model) = (motion(rolling).cast(Wide::from), rolling.model);
        let mut ledger = Ledger::new(&self.shape, &self.pressure, &self.wide, &motion, model);
        let grid = self.field.grid();
        for i in 0..grid.cells() {
            for (place, p) in grid.groups(i) {
                for (k, c) in grid.c.iter().enumerate() {
                    let (weights, z) = self.field.node(place + k);
                    let tau = (i as f64 + c) * self.resolution.step;
                    let v = motion.flow.velocity(p.x, p.y);
                    let place = motion.flow.follow([p.x, p.y], v, Wide::from(tau));
                    let rigid = motion.slip(place[0], place[1]);
                    let slip = [rigid[0] + motion.phi2 * z[1], rigid[1] - motion.phi2 * z[0]];
                    let taken = if model == Model::Semilinear { slip } else { rigid };
                    let (forget, drive) = local(&self.wide, &motion, rigid, taken);
                    let back = times(&forget, z);
                    let dz = [drive[0] - back[0], drive[1] - back[1]];
                    // What the pressure does along the way is summed below, with weights of its own.
                    let (area, load) = (Wide::from(0.0), weights[0]);
                    ledger.node(&Node { area, load, at: place, z, dz, slip });
                }
            }
        }
        let mut balance = ledger.balance();
        (balance.unloading, balance.leaving) = self.along_the_way(&motion);
        balance.times(load)
    }

    /// −½∬∇·(pV̄) zᵀΣ₀z and ½∮p zᵀΣ₀z V̄·n, zᵀΣ₀z being interpolated between the nodes of a cell.
    fn along_the_way(&self, motion: &Motion<Wide>) -> (f64, f64) {
        let grid = self.field.grid();
        let (rule, step, nodes) = (legendre(10), self.resolution.step, grid.c.len());
        let (basis, mut values) = (Lagrange::new(grid.c), vec![0.0; nodes]);
        let (mut unloading, mut leaving) = (0.0, 0.0);
        for i in 0..grid.cells() {
            for (place, p) in grid.groups(i) {
                let v = motion.flow.velocity(p.x, p.y);
                let flux = (v[0] * p.dy - v[1] * p.dx).abs();
                let nodes = (place..place + nodes).map(|at| self.field.node(at).1);
                let energy: Vec<Wide> = nodes.map(|z| self.stiffness.form(z) * 0.5).collect();
                let start = i as f64 * step;
                let mut between = |part: Wide, weight: Wide| {
                    let mut sum = 0.0;
                    for (lane, part) in part.0.into_iter().enumerate() {
                        basis.at(part, &mut values);
                        let here: f64 =
                            values.iter().zip(&energy).map(|(b, e)| b * e.0[lane]).sum();
                        sum += weight.0[lane] * here;
                    }
                    sum
                };
                let from = Wide::from(start).min(p.length);
                let to = Wide::from(start + step).min(p.length);
                for (x, w) in rule {
                    let tau = from + (to - from) * *x;
                    let at = motion.flow.follow([p.x, p.y], v, tau);
                    let rise = drift(&self.pressure, &self.shape, &motion.flow, at);
                    unloading -= between((tau - start) / step, rise * flux * (to - from) * *w);
                }
                // The cell in which a path ends.
                let at = motion.flow.follow([p.x, p.y], v, p.length);
                let last = Lanes(p.length.0.map(|l| f64::from(l > start && l <= start + step)));
                let out = self.pressure.at(&self.shape, at[0], at[1]) * flux * last;
                leaving += between((p.length - start) / step, out);
            }
        }
        (unloading, leaving)
    }
}
