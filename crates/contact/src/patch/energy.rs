//! Where the energy goes: condition (71), the storage (72) and the balance (97)-(101) of 004.
use super::flow::Flow;
use super::inflow::Wide;
use super::march::{Node, Tally};
use super::steady::{LEVELS, Refused, Steady, motion};
use super::{Patch, Pressure, Rolling, Shape};
use bristle_kernel::{Cast, Planar, Real, Sym2, validate};
use bristle_num::Dual;

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
    validate(rolling)?;
    let (shape, pressure, flow) = (patch.shape(), patch.pressure(), motion(rolling).flow);
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
            let value = drift(&pressure, &shape, &flow, at) * shape.a / pressure.scale();
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
    /// What does not add up, over what is supplied.
    pub fn residual(&self) -> f64 {
        let spent = self.sliding + self.damping + self.unloading + self.leaving;
        (self.supplied - spent) / self.supplied.abs().max(f64::MIN_POSITIVE)
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
        let times = |m: &[[Wide; 2]; 2], v: [Wide; 2]| [dot(m[0], v), dot(m[1], v)];
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
{
    /// The energy balance of steady rolling, at one of [`LEVELS`].
    pub fn balance(&mut self, rolling: &Rolling<f64>, level: usize) -> Result<Balance, Refused> {
        validate(rolling)?;
        let (motion, model) = (motion(rolling), rolling.model);
        let level = &LEVELS[level.min(LEVELS.len() - 1)];
        let divided = self.prepare(level, &motion, model);
        let cells = self.cells(level, &motion, divided);
        let wide = motion.cast(Wide::from);
        let mut ledger = Ledger {
            shape: &self.shape,
            pressure: &self.pressure,
            bristle: &self.wide,
            flow: wide.flow,
            speed: wide.speed,
            felt: model == super::Model::Semilinear,
            phi2: wide.phi2,
            stiffness: self.wide.stiffness(),
            damping: self.wide.damping(),
            sums: [Wide::from(0.0); 6],
        };
        let course = self.course(&self.wide, &wide, model, level.settled);
        self.tally(&course, divided, &cells, &mut ledger);
        let [supplied, sliding, damping, unloading, leaving, stored] =
            ledger.sums.map(|s| s.0.iter().sum());
        Ok(Balance { supplied, sliding, damping, unloading, leaving, stored })
    }
}
