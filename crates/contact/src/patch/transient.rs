//! Transient rolling, step by step of travelled distance, with exact transport.
//!
//! In one step every bristle moves on by exactly one cell of its path: z ← E z + b, where E and b belong to the stretch
//! between a node and its successor. They are worked out when slip, spin or speed change, and kept while those stay; the
//! load is a factor. Bristles that entered since have settled: they are as their neighbours were before them, and only
//! those that were inside at the change are moved on. Without spin all paths are alike, and one of them stands for the
//! patch ([`Straight`]).
use super::fading::{Brief, Briefs, Brisk, Fade, Fading};
use super::field::{Bristles, Field, Inputs};
use super::flow::Flow;
use super::inflow::{self, Density, Panel, Paths, WIDTH, Wide};
use super::march::Motion;
use super::matrix::{product, times};
use super::passage::Passage;
use super::relax::relax;
use super::shape::{Shape, is_smooth};
use super::steady::{LEVELS, Refused, motion};
use super::{Model, Patch, Pressure, Rolling};
use crate::quadrature::{Lagrange, MOST_NODES, legendre};
use bristle_kernel::{Cast, Planar, Real, Sym2, validate};
use bristle_num::simd;

/// How finely a transient is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// The distance travelled in a step, m.
    pub step: f64,
    /// Nodes to a cell.
    pub nodes: usize,
    /// Which of [`LEVELS`] says how many paths there are.
    pub level: usize,
}

impl Resolution {
    fn check(&self) -> Result<(), Refused> {
        if self.step > 0.0 { Ok(()) } else { Err(Refused::Step { value: self.step }) }
    }
}

/// Up to this of [`LEVELS`] bristles are kept in single precision: few paths are off by far more.
const COARSE: usize = 1;

/// Forces and moments: F_x, F_y, M_z by 004 (37b) and by (38).
pub type Wrench = [f64; 4];

/// A patch that rolls with spin.
///
/// The way bristles travel (φ₁ and ε in Models 2 and 3) is that of the start; slip, φ₂, speed and load may
/// change at every step, with second order in the step.
#[derive(Clone, Debug)]
pub struct Rolled<B: Cast<f64>> {
    pub(crate) shape: Shape,
    pub(crate) pressure: Pressure,
    pub(crate) wide: B::Over<Wide>,
    swift: B::Over<Brisk>,
    brief: B::Over<Briefs>,
    /// The bristle itself.
    plain: B,
    /// How fast deflections fade up to the greatest speed of the last motion.
    fade: Option<Fade>,
    /// No bristle was ever deflected further by hand, m.
    deflected: f64,
    pub(crate) stiffness: Sym2<Wide>,
    /// Whether no direction is preferred and nothing is damped: the force is along the deflection.
    alike: bool,
    pub(crate) resolution: Resolution,
    pub(crate) field: Bristles,
    last: Option<(Motion<f64>, Model)>,
    travelled: f64,
}

impl<B> Rolled<B>
where
    B: Cast<f64> + Planar<f64> + Clone,
    B::Over<Wide>: Planar<Wide>,
    B::Over<Brisk>: Planar<Brisk>,
    B::Over<Briefs>: Planar<Briefs>,
{
    /// A patch of undeflected bristles that is to roll as `rolling` says.
    pub fn new(
        patch: &Patch<f64>,
        bristle: &B,
        rolling: &Rolling<f64>,
        resolution: Resolution,
    ) -> Result<Self, Refused> {
        validate(patch)?;
        Self::with_pressure(patch.shape(), patch.pressure(), bristle, rolling, resolution)
    }

    /// The same under any pressure.
    pub fn with_pressure(
        shape: Shape,
        pressure: Pressure,
        bristle: &B,
        rolling: &Rolling<f64>,
        resolution: Resolution,
    ) -> Result<Self, Refused> {
        validate(rolling)?;
        resolution.check()?;
        let flow = motion(rolling).flow;
        if let Some(centre) = flow.centre()
            && shape.level(centre[0], centre[1]) <= 1.0
        {
            return Err(Refused::CentreInside { phi1: flow.phi1, centre });
        }
        let Resolution { step, nodes, level } = resolution;
        let alike = bristle.is_alike() && bristle.damping().xx == 0.0;
        let mut field: Field<Wide> =
            Field::new(&flow, lay(&shape, &flow, level), step, nodes, alike);
        field.weigh(&shape, &pressure, step);
        // Single precision is for loads that it holds with their squares.
        let is_brief = alike && level <= COARSE && (1e-15..1e15).contains(&field.load());
        let field = match simd::fused(|| is_brief) {
            Some(true) => Bristles::Brief(field.cast()),
            Some(false) => Bristles::Brisk(field.cast()),
            None => Bristles::Plain(field),
        };
        let wide = bristle.cast(&mut |x| Wide::from(x));
        Ok(Rolled {
            shape,
            pressure,
            stiffness: wide.stiffness(),
            wide,
            swift: bristle.cast(&mut |x| Brisk::from(x)),
            brief: bristle.cast(&mut |x| Briefs::from(x)),
            plain: bristle.clone(),
            fade: None,
            deflected: 0.0,
            alike,
            resolution,
            field,
            last: None,
            travelled: 0.0,
        })
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Where the nodes are, with a deflection to start from.
    pub fn deflect(&mut self, rolling: &Rolling<f64>, z: impl Fn(f64, f64) -> [f64; 2]) {
        let flow = motion(rolling).flow.cast(Wide::from);
        let grid = self.field.grid();
        let mut deflections = Vec::new();
        for i in 0..grid.cells() {
            for (_, p) in grid.groups(i) {
                for c in grid.c {
                    let tau = Wide::from((i as f64 + c) * self.resolution.step);
                    let at = flow.follow([p.x, p.y], flow.velocity(p.x, p.y), tau);
                    let mut deflection = [Wide::from(0.0); 2];
                    for lane in 0..WIDTH {
                        let z = z(at[0].0[lane], at[1].0[lane]);
                        self.deflected = self.deflected.max(z[0].hypot(z[1]));
                        (deflection[0].0[lane], deflection[1].0[lane]) = (z[0], z[1]);
                    }
                    deflections.push(deflection);
                }
            }
        }
        self.field.deflect(&deflections);
    }

    /// Rolls on by one step. The inputs are those of the middle of the step; `load` multiplies the
    /// vertical force of the patch.
    pub fn step(&mut self, rolling: &Rolling<f64>, load: f64) -> Wrench {
        let now = (motion(rolling), rolling.model);
        let inputs = match self.last {
            Some(last) if last == now => Inputs::Held,
            Some((last, _)) if now.0.is_close_to(&last, &self.shape) => Inputs::Close,
            _ => Inputs::New,
        };
        self.last = Some(now);
        self.travelled += self.resolution.step;
        let felt = now.0.is_felt(rolling.model);
        if inputs != Inputs::Held {
            if let Bristles::Brief(field) = &self.field
                && !self.is_brief(&now.0)
            {
                (self.field, self.fade) = (Bristles::Brisk(field.cast()), None);
            }
            let deflected = felt.then_some((&self.wide, self.deflected));
            let speed = now.0.fastest_slip(&self.shape, deflected);
            self.fade = match self.field {
                Bristles::Brief(_) => Some(Fade::up_to::<Brief>(&self.wide, speed, self.fade)),
                Bristles::Brisk(_) if self.alike => {
                    Some(Fade::up_to::<Brisk>(&self.wide, speed, self.fade))
                }
                _ => None,
            };
        }
        let stiffness = self.plain.stiffness().xx;
        let Rolled { field, swift, brief, wide, alike, fade, .. } = self;
        let now = &now.0;
        // Bristles are quick only where something is fused.
        let wrench = match field {
            Bristles::Brief(field) => simd::fused(
                #[inline(always)]
                || {
                    let fading = Fading::new(brief, now.speed, fade.as_ref());
                    elastic(field.step_alike(&fading, now, inputs, felt), stiffness)
                },
            ),
            Bristles::Brisk(field) => simd::fused(
                #[inline(always)]
                || match alike {
                    true => {
                        let fading = Fading::new(swift, now.speed, fade.as_ref());
                        elastic(field.step_alike(&fading, now, inputs, felt), stiffness)
                    }
                    false => {
                        field.step_any(swift, now, inputs, felt);
                        field.forces(swift, now, felt)
                    }
                },
            ),
            Bristles::Plain(field) => Some(simd::widest(
                #[inline(always)]
                || match alike {
                    true => {
                        let fading = Fading::new(wide, now.speed, None);
                        elastic(field.step_alike(&fading, now, inputs, felt), stiffness)
                    }
                    false => {
                        field.step_any(wide, now, inputs, felt);
                        field.forces(wide, now, felt)
                    }
                },
            )),
        };
        wrench.unwrap_or([f64::NAN; 4]).map(|w| w * load)
    }

    /// Whether single precision is enough for friction: where bristles do not settle so often
    /// over in a step that powers of that number overflow.
    fn is_brief(&self, motion: &Motion<f64>) -> bool {
        let (Shape { a, b, .. }, speed) = (self.shape, motion.speed);
        let slip = motion.sigma[0].hypot(motion.sigma[1]) + motion.phi.abs() * a.hypot(b);
        let turns = self.plain.fastest(slip * speed) / speed * self.resolution.step;
        turns < 1e6 && (1e-6..1e6).contains(&speed)
    }

    /// The energy stored in the bristles, J, 004 (72).
    pub fn stored(&self, load: f64) -> f64 {
        let (grid, mut sum) = (self.field.grid(), Wide::from(0.0));
        for i in 0..grid.cells() {
            for (place, _) in grid.groups(i) {
                for at in place..place + grid.c.len() {
                    let (w, z) = self.field.node(at);
                    sum += w[0] * self.stiffness.form(z) * 0.5;
                }
            }
        }
        sum.0.iter().sum::<f64>() * load
    }
}

/// The paths of a transient. The slip velocity may vanish anywhere, and where it does may change: whole sides, which
/// are not divided there as for steady rolling, have twice as many paths, and paths along x enter through a whole side.
fn lay(shape: &Shape, flow: &Flow<f64>, level: usize) -> Vec<Paths> {
    let Density { half, part, flat, sharp } = LEVELS[level.min(LEVELS.len() - 1)].density;
    let mut density = Density { half: (2 * half).min(MOST_NODES), part, flat, sharp };
    let (mut panels, mut paths) = (Vec::new(), Vec::new());
    // What is sharper than an ellipse at its tips is for nodes that crowd there.
    if !flow.is_along_x() || shape.n.min(shape.m) < 2.0 {
        inflow::panels(shape, flow, &mut panels);
    } else if is_smooth(shape.m) {
        panels.push(Panel::side());
    } else {
        panels.extend(Panel::side().divided_at(0.0, true));
        density.half = half;
    }
    inflow::paths(shape, flow, &panels, |p| density.of(p), &mut paths);
    inflow::longest_first(&mut paths);
    paths
}

/// Forces and moments of bristles that pull along their deflection.
fn elastic(sums: [f64; 3], stiffness: f64) -> Wrench {
    let [x, y, m] = sums.map(|s| s * stiffness);
    [x, y, m, m]
}

impl Motion<f64> {
    /// Whether slip, spin and speed differ by less than a tenth from others.
    fn is_close_to(&self, other: &Self, shape: &Shape) -> bool {
        const PART: f64 = 0.1;
        let close = |a: f64, b: f64, size: f64| (a - b).abs() <= PART * size;
        let spun = self.phi.abs() * (shape.a + shape.b);
        let slip = self.sigma[0].hypot(self.sigma[1]) + spun;
        close(self.sigma[0], other.sigma[0], slip)
            && close(self.sigma[1], other.sigma[1], slip)
            && close(self.phi, other.phi, self.phi.abs())
            && close(self.phi2, other.phi2, self.phi2.abs())
            && close(self.speed, other.speed, self.speed)
    }
}

impl Flow<f64> {
    /// The same in another scalar.
    pub fn cast<S: Real>(&self, f: impl Fn(f64) -> S) -> Flow<S> {
        Flow { phi1: f(self.phi1), epsilon: self.epsilon.map(&f) }
    }
}

/// A patch that rolls without spin: bristles that have travelled the same distance are alike.
#[derive(Clone, Debug)]
pub struct Straight<B> {
    bristle: B,
    c: Vec<f64>,
    step: f64,
    /// Load of each node and its moments.
    weights: [Vec<f64>; 3],
    state: [Vec<f64>; 2],
    passages: Vec<Passage<f64>>,
    whole: Passage<f64>,
    last: Option<[f64; 3]>,
    stiffness: Sym2<f64>,
    damping: Sym2<f64>,
    travelled: f64,
}

impl<B: Planar<f64> + Clone> Straight<B> {
    /// A patch of undeflected bristles.
    pub fn new(patch: &Patch<f64>, bristle: &B, resolution: Resolution) -> Result<Self, Refused> {
        validate(patch)?;
        resolution.check()?;
        let (shape, pressure, step) = (patch.shape(), patch.pressure(), resolution.step);
        let c: Vec<f64> = legendre(resolution.nodes).iter().map(|n| n.0).collect();
        let cells = (2.0 * shape.a / step - 1e-9).ceil().max(1.0) as usize;
        let count = cells * c.len();
        let mut weights = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
        let rule = legendre(10);
        let (basis, mut values) = (Lagrange::new(&c), vec![0.0; c.len()]);
        for row in shape.rows(40) {
            for i in 0..cells {
                let (from, to) = (i as f64 * step, ((i + 1) as f64 * step).min(2.0 * row.x));
                if to <= from {
                    continue;
                }
                for (x, w) in rule {
                    let tau = from + (to - from) * x;
                    let at = row.x - tau;
                    let load = pressure.at(&shape, at, row.y) * row.weight * (to - from) * w;
                    basis.at(tau / step - i as f64, &mut values);
                    for (k, value) in values.iter().enumerate() {
                        weights[0][i * c.len() + k] += load * value;
                        weights[1][i * c.len() + k] += load * value * at;
                        weights[2][i * c.len() + k] += load * value * row.y;
                    }
                }
            }
        }
        let none = Passage { e: [[0.0; 2]; 2], b: [0.0; 2] };
        Ok(Straight {
            passages: vec![none; c.len()],
            whole: none,
            last: None,
            stiffness: bristle.stiffness(),
            damping: bristle.damping(),
            bristle: bristle.clone(),
            c,
            step,
            weights,
            state: [vec![0.0; count], vec![0.0; count]],
            travelled: 0.0,
        })
    }

    /// How far it has rolled, m.
    pub fn travelled(&self) -> f64 {
        self.travelled
    }

    /// Rolls on by one step at slip σ and speed V_r, those of the middle of the step; `load` multiplies the
    /// vertical force of the patch.
    pub fn step(&mut self, sigma: [f64; 2], speed: f64, load: f64) -> Wrench {
        let now = [sigma[0], sigma[1], speed];
        let r = self.bristle.response([sigma[0] * speed, sigma[1] * speed]);
        let follow = times(&r.follow, sigma);
        let forget = r.forget.map(|row| row.map(|f| f / speed));
        if self.last != Some(now) {
            // Coefficients that are constant along a step: the exact solution.
            for k in 0..self.c.len() {
                self.passages[k] = exact(self.c[k] * self.step, &forget, follow);
            }
            self.whole = exact(self.step, &forget, follow);
            self.last = Some(now);
        }
        self.travelled += self.step;
        let nodes = self.c.len();
        let Passage { e, b } = self.whole;
        let [zx, zy] = &mut self.state;
        let count = zx.len();
        zx.copy_within(0..count - nodes, nodes);
        zy.copy_within(0..count - nodes, nodes);
        for (x, y) in zx.iter_mut().zip(zy.iter_mut()) {
            (*x, *y) = (e[0][0] * *x + e[0][1] * *y + b[0], e[1][0] * *x + e[1][1] * *y + b[1]);
        }
        for k in 0..nodes {
            (zx[k], zy[k]) = (self.passages[k].b[0], self.passages[k].b[1]);
        }
        let [w, wx, wy] = &self.weights;
        // f = Σ₀z + V_rΣ₁(follow − forget z) = G z + g
        let damping = self.damping.scaled(speed);
        let g = damping.times(follow);
        let s0 = [[self.stiffness.xx, self.stiffness.xy], [self.stiffness.xy, self.stiffness.yy]];
        let back = product(&[[damping.xx, damping.xy], [damping.xy, damping.yy]], &forget);
        let pull: [[f64; 2]; 2] =
            std::array::from_fn(|i| std::array::from_fn(|j| s0[i][j] - back[i][j]));
        let mut t = [0.0; 10];
        for k in 0..count {
            let (x, y) = (zx[k], zy[k]);
            let row = [
                w[k] * x,
                w[k] * y,
                wx[k] * x,
                wx[k] * y,
                wy[k] * x,
                wy[k] * y,
                w[k] * x * x,
                w[k] * x * y,
                w[k] * y * y,
                w[k],
            ];
            for (t, r) in t.iter_mut().zip(row) {
                *t += r;
            }
        }
        let sum = |v: &[f64]| -> f64 { v.iter().sum() };
        let (mx, my) = if g == [0.0; 2] { (0.0, 0.0) } else { (sum(wx), sum(wy)) };
        let along =
            |i: usize, x: f64, y: f64, one: f64| pull[i][0] * x + pull[i][1] * y + g[i] * one;
        let force = [along(0, t[0], t[1], t[9]), along(1, t[0], t[1], t[9])];
        let moment = along(1, t[2], t[3], mx) - along(0, t[4], t[5], my);
        let more = along(1, t[6], t[7], t[0]) - along(0, t[7], t[8], t[1]);
        [force[0], force[1], moment, moment + more].map(|s| s * load)
    }
}

/// The passage through a stretch of length h on which nothing changes.
fn exact(h: f64, forget: &[[f64; 2]; 2], drive: [f64; 2]) -> Passage<f64> {
    let [e, integral] = relax(forget, h);
    Passage { e, b: times(&integral, drive) }
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
    let (shape, flow) = (patch.shape(), motion(rolling).flow);
    if let Some(centre) = flow.centre()
        && shape.level(centre[0], centre[1]) <= 1.0
    {
        return Err(Refused::CentreInside { phi1: flow.phi1, centre });
    }
    let (mut panels, mut paths) = (Vec::new(), Vec::new());
    inflow::panels(&shape, &flow, &mut panels);
    let density = LEVELS[LEVELS.len() - 1].density;
    inflow::paths(&shape, &flow, &panels, |p| density.of(p), &mut paths);
    // The longest of the sampled paths, and a parabola through it and its neighbours in length.
    let start = paths
        .iter()
        .flat_map(|p| (0..WIDTH).map(|i| (p.length.0[i], [p.x.0[i], p.y.0[i]])))
        .fold((0.0, [0.0; 2]), |best, p| if p.0 > best.0 { p } else { best });
    Ok(inflow::longest(&shape, &flow, start.1))
}
