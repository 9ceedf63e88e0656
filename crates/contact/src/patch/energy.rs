//! Where the energy goes: condition (71), the storage (72) and the balance (97)-(101) of 004.
use super::bristles::Bristles;
use super::flow::Flow;
use super::inflow::Wide;
use super::matrix::times;
use super::motion::Motion;
use super::steady::{Refused, Steady};
use super::tally::{Node, Tally};
use super::tiles::{largest, refine};
use super::{Patch, Pressure, Rolling, Shape};
use bristle_kernel::{Real, Response, Sym2, validate};
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
fn drift<S: Real>(pressure: &Pressure, shape: &Shape, flow: &Flow<S>, at: [S; 2]) -> S {
    // A place on the outline itself may lie beyond it by rounding, where there is no pressure.
    let [x, y] = at.map(|x| x * (1.0 - 1e-12));
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
    let flow = Motion::new(rolling).flow;
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

    /// From the sums of a [`Ledger`].
    pub(super) fn new(sums: [f64; 6]) -> Self {
        let [supplied, sliding, damping, unloading, leaving, stored] = sums;
        Balance { supplied, sliding, damping, unloading, leaving, stored }
    }

    /// The same under another load.
    pub fn times(self, load: f64) -> Self {
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

/// What [`Balance`] is summed by.
#[derive(Clone)]
pub(super) struct Ledger<'a> {
    shape: &'a Shape,
    pressure: &'a Pressure,
    bristle: &'a dyn Bristles<Wide>,
    motion: Motion<Wide>,
    stiffness: Sym2<Wide>,
    damping: Sym2<Wide>,
    sums: [Wide; 6],
}

impl<'a> Ledger<'a> {
    pub(super) fn new(
        shape: &'a Shape,
        pressure: &'a Pressure,
        bristle: &'a dyn Bristles<Wide>,
        motion: Motion<Wide>,
    ) -> Self {
        let (stiffness, damping) = (bristle.stiffness(), bristle.damping());
        let sums = [Wide::from(0.0); 6];
        Ledger { shape, pressure, bristle, motion, stiffness, damping, sums }
    }
}

impl Tally<Wide, 6> for Ledger<'_> {
    fn node(&mut self, n: &Node<Wide>) {
        let speed = self.motion.speed;
        let elastic = self.stiffness.times(n.z);
        let viscous = self.damping.times(n.dz.map(|d| d * speed));
        let f = [elastic[0] + viscous[0], elastic[1] + viscous[1]];
        let none = [[speed; 2]; 2];
        let mut r = [Response { forget: none, follow: none }];
        let sliding = self.motion.sliding(self.motion.slip(n.at), n.z);
        self.bristle.responses(&[sliding], &mut r);
        let [r] = r;
        let dot = |a: [Wide; 2], b: [Wide; 2]| a[0] * b[0] + a[1] * b[1];
        let energy = dot(n.z, elastic);
        self.sums[0] += -(n.load * dot(f, n.slip));
        self.sums[1] += n.load * dot(elastic, times(&r.forget, n.z)) / speed;
        let flow = times(&r.follow, n.slip);
        self.sums[2] += n.load * speed * dot(flow, self.damping.times(n.slip));
        let rise = drift(self.pressure, self.shape, &self.motion.flow, n.at);
        self.sums[3] += -(n.area * rise * energy * 0.5);
        self.sums[5] += n.load * energy * 0.5;
    }

    fn exit(&mut self, z: [Wide; 2], load: Wide) {
        self.sums[4] += load * self.stiffness.form(z) * 0.5;
    }

    fn sums(&self) -> [Wide; 6] {
        self.sums
    }
}

impl Steady {
    /// The energy balance of steady rolling, and by which part of what is supplied its terms may be off.
    pub fn balance(&self, rolling: &Rolling<f64>) -> Result<(Balance, f64), Refused> {
        let motion = self.checked(rolling)?;
        if motion.is_free() || self.load == 0.0 {
            return Ok((Balance::new([0.0; 6]), 0.0));
        }
        let (bristle, wide) = (&*self.bristle.wide, [motion.cast(Wide::from)]);
        let (panels, ground) = self.layout(&motion);
        let tally = Ledger::new(&self.shape, &self.pressure, bristle, wide[0]);
        let task = self.task(bristle, &wide, ground, tally);
        let mut tiles = task.tiles(panels, &ground.cells(self.turns(&motion)));
        let found = refine(&mut tiles, &task, self.accuracy, |sums| {
            let supplied = sums[0][0].abs().max(f64::MIN_POSITIVE);
            move |off: &[f64; 6]| largest(off[..5].iter().map(|x| x / supplied))
        });
        Ok((Balance::new(found[0].sums), found[0].error))
    }
}
