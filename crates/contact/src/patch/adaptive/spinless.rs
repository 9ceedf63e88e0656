//! Steady rolling without spin: every bristle sees the same slip, and its deflection depends only on how far it has
//! travelled. All three models coincide (004 §5.1.3).
//!
//! The patch is then a load over that distance ξ: how much, and with what moments, has travelled so far. It is tabulated
//! once for a patch, at the nodes of nested rules on panels that grow geometrically from the leading edge, so that bristles
//! that settle within a millionth of the patch are seen as well as those that never do.
use super::bristles::Bristle;
use super::rules::{NODES, POINTS, WEIGHTS};
use super::steady::{SAFETY, distance, first_node, total, vectors, weights};
use crate::patch::Outcome;
use crate::patch::inflow::Wide;
use crate::patch::march::Motion;
use crate::patch::matrix::times;
use crate::patch::pressure::Pressure;
use crate::patch::relax::relax;
use crate::patch::shape::Shape;
use crate::patch::steady::outcome;
use bristle_kernel::{Matrix2, Sym2};
use bristle_num::{simd, special::phi12};

/// Each panel is this many times as long as the one before it.
const GROWTH: f64 = 4.0;
/// Panels towards the leading edge, and towards the trailing edge of the longest path.
const PANELS: [i32; 2] = [11, 6];

/// By which part of itself a tabulated load may be off, and how often a stretch is halved for that at most.
const DENSITY_ERROR: f64 = 1e-13;
const MOST_HALVINGS: usize = 10;

/// The load over one panel of distances, at the nodes of the finest rule, eight at a time.
#[derive(Clone, Debug)]
struct Panel {
    xi: [Wide; 4],
    /// Load per unit of the panel's parameter, and its moments about y and x.
    load: [[Wide; 3]; 4],
}

/// The load of a patch by distance travelled.
#[derive(Clone, Debug)]
pub struct Spinless {
    panels: Vec<Panel>,
    bristle: Bristle,
    load: f64,
    a: f64,
    /// By which part of it the tabulated load is off.
    missed: f64,
}

impl Spinless {
    /// That of a pressure over a shape.
    pub fn new(shape: &Shape, pressure: &Pressure, load: f64, bristle: &Bristle) -> Self {
        let longest = 2.0 * shape.a;
        // Half the way in panels that grow, the other half in panels that shrink.
        let near = (0..PANELS[0]).rev().map(|k| 0.5 * longest * GROWTH.powi(-k));
        let far = (1..PANELS[1]).map(|k| longest * (1.0 - 0.5 * GROWTH.powi(-k)));
        let mut from = 0.0;
        let mut panels = Vec::new();
        for to in near.chain(far).chain([longest]) {
            let range = to - from;
            let at = |i: usize| from + range * NODES[i.min(NODES.len() - 1)];
            let mut panel = Panel { xi: [Wide::from(0.0); 4], load: [[Wide::from(0.0); 3]; 4] };
            for k in 0..4 {
                for lane in 0..8 {
                    // The eighth of the first belongs to the second, and stands for nothing in the first.
                    let xi = at(first_node(k) + lane);
                    panel.xi[k].0[lane] = xi;
                    for (c, moment) in density(shape, pressure, xi).into_iter().enumerate() {
                        panel.load[k][c].0[lane] = range * moment;
                    }
                }
            }
            panels.push(panel);
            from = to;
        }
        let mut spinless =
            Spinless { panels, bristle: bristle.clone(), load, a: shape.a, missed: 0.0 };
        let finest = POINTS.len() - 1;
        let met: f64 = spinless.panels.iter().map(|p| p.sum(finest, |_, k| p.load[k][0])).sum();
        spinless.missed = (met / load - 1.0).abs();
        spinless
    }

    /// Forces and moments, by ever finer rules until two agree.
    pub fn solve(&self, motion: &Motion<f64>, accuracy: f64) -> Outcome {
        let held = Held::at(&self.bristle, motion);
        let mut found = outcome([0.0; 4], f64::INFINITY);
        for level in 2..POINTS.len() {
            let (mut fine, mut off) = ([0.0; 4], Vec::with_capacity(self.panels.len()));
            for panel in &self.panels {
                let [own, coarse] = panel.wrench(&held, level);
                fine = std::array::from_fn(|c| fine[c] + own[c]);
                off.push(std::array::from_fn(|c| own[c] - coarse[c]));
            }
            let size = |d: &[f64; 4]| {
                let other = std::array::from_fn(|c| fine[c] + d[c]);
                distance(self.load, self.a, &other, &fine)
            };
            let error = SAFETY * off.iter().map(size).sum::<f64>() + self.missed;
            found = outcome(fine, if error.is_nan() { f64::INFINITY } else { error });
            if found.error <= accuracy {
                break;
            }
        }
        found
    }
}

impl Panel {
    /// ∫ over the panel by a nested rule.
    fn sum(&self, level: usize, f: impl Fn(Wide, usize) -> Wide) -> f64 {
        (0..vectors(level)).map(|k| total(f(self.xi[k], k) * weights(level, k))).sum()
    }

    /// F_x, F_y and both M_z by a rule and by the one before it.
    fn wrench(&self, held: &Held, level: usize) -> [[f64; 4]; 2] {
        let zero = Wide::from(0.0);
        let mut sums = [[zero; 4]; 2];
        simd::widest(
            #[inline(always)]
            || {
                for k in 0..vectors(level) {
                    let [load, x, y] = self.load[k];
                    let (z, f) = held.at_distance(self.xi[k]);
                    let moment = x * f[1] - y * f[0];
                    let turned = moment + load * (z[0] * f[1] - z[1] * f[0]);
                    let all = [load * f[0], load * f[1], moment, turned];
                    for (sums, level) in sums.iter_mut().zip([level, level - 1]) {
                        let weights = weights(level, k);
                        for c in 0..4 {
                            sums[c] += all[c] * weights;
                        }
                    }
                }
            },
        );
        sums.map(|sums| sums.map(total))
    }
}

/// ∫p dy, ∫xp dy and ∫yp dy over all bristles that have travelled ξ metres.
fn density(shape: &Shape, pressure: &Pressure, xi: f64) -> [f64; 3] {
    // Those on rows that are long enough: x_L(y) ≥ ξ/2.
    let reach = shape.b * shape.face((0.5 * xi / shape.a).min(1.0));
    let at = |y: f64| {
        let x = shape.a * shape.edge((y / shape.b).abs()) - xi;
        let p = pressure.at(shape, x, y);
        [p, x * p, y * p]
    };
    let mut sum = [0.0; 3];
    for side in [reach, -reach] {
        // Towards the end of the row of rows nodes crowd: y = reach(1 − (1 − t)²).
        let f = |t: f64| at(side * t * (2.0 - t)).map(|p| p * 2.0 * (1.0 - t) * reach);
        let [_, [load, ..]] = by_rules(&f, [0.0, 1.0]);
        let off = [load, load * shape.a, load * shape.b].map(|x| DENSITY_ERROR * x);
        let part = integrate(&f, [0.0, 1.0], off, MOST_HALVINGS);
        sum = std::array::from_fn(|c| sum[c] + part[c]);
    }
    sum
}

/// ∫f by the nested rules, on two halves where the last two differ by more than `off`, at most `depth` times over.
fn integrate(
    f: &impl Fn(f64) -> [f64; 3],
    [from, to]: [f64; 2],
    off: [f64; 3],
    depth: usize,
) -> [f64; 3] {
    let [coarse, fine] = by_rules(f, [from, to]);
    if depth == 0 || (0..3).all(|c| (fine[c] - coarse[c]).abs() <= off[c]) {
        return fine;
    }
    let middle = 0.5 * (from + to);
    let halves = [[from, middle], [middle, to]].map(|half| integrate(f, half, off, depth - 1));
    std::array::from_fn(|c| halves[0][c] + halves[1][c])
}

/// ∫f by the last two of the nested rules.
fn by_rules(f: &impl Fn(f64) -> [f64; 3], [from, to]: [f64; 2]) -> [[f64; 3]; 2] {
    let mut sums = [[0.0; 3]; 2];
    for (i, node) in NODES.iter().enumerate() {
        let value = f(from + (to - from) * node);
        for (sums, weights) in sums.iter_mut().zip(&WEIGHTS[POINTS.len() - 2..]) {
            for c in 0..3 {
                sums[c] += (to - from) * weights[i] * value[c];
            }
        }
    }
    sums
}

/// What a slip makes of a bristle, the same all over the patch.
enum Held {
    /// Of one that prefers no direction.
    Alike {
        /// Bσ.
        drive: [f64; 2],
        /// λ = A/V_r, 1/m.
        rate: f64,
        /// σ₀, 1/m.
        stiffness: f64,
        /// V_rσ₁, a pure number.
        damping: f64,
    },
    /// Of any other.
    Directed {
        /// A/V_r, 1/m.
        forget: Matrix2<f64>,
        /// Bσ.
        drive: [f64; 2],
        /// Σ₀, 1/m.
        stiffness: Sym2<f64>,
        /// V_rΣ₁, a pure number.
        damping: Sym2<f64>,
    },
}

impl Held {
    fn at(bristle: &Bristle, motion: &Motion<f64>) -> Self {
        let (sigma, speed) = (motion.sigma, motion.speed);
        let plain = &bristle.plain;
        let (stiffness, damping) = (plain.stiffness(), plain.damping().scaled(speed));
        if plain.is_alike() {
            let slip = sigma[0] * sigma[0] + sigma[1] * sigma[1];
            let r = plain.scalar_response(slip * speed * speed);
            return Held::Alike {
                drive: sigma.map(|s| r.follow * s),
                rate: r.forget / speed,
                stiffness: stiffness.xx,
                damping: damping.xx,
            };
        }
        let r = plain.response(sigma.map(|s| s * speed));
        Held::Directed {
            forget: r.forget.map(|row| row.map(|f| f / speed)),
            drive: times(&r.follow, sigma),
            stiffness,
            damping,
        }
    }

    /// Deflection and force per unit load after ξ metres: z = ∫e^{−λτ}dτ Bσ, f = Σ₀z + V_rΣ₁z′.
    #[inline(always)]
    fn at_distance(&self, xi: Wide) -> ([Wide; 2], [Wide; 2]) {
        match self {
            Held::Alike { drive, rate, stiffness, damping } => {
                let settled = phi12(xi * -*rate).0 * xi;
                let decay = Wide::from(1.0) - settled * *rate;
                let force = settled * *stiffness + decay * *damping;
                (drive.map(|d| settled * d), drive.map(|d| force * d))
            }
            Held::Directed { forget, drive, stiffness, damping } => {
                let wide =
                    |m: &Sym2<f64>| Sym2 { xx: m.xx.into(), xy: m.xy.into(), yy: m.yy.into() };
                let [decay, integral] = relax(&forget.map(|row| row.map(Wide::from)), xi);
                let drive = drive.map(Wide::from);
                let (z, dz) = (times(&integral, drive), times(&decay, drive));
                let (e, v) = (wide(stiffness).times(z), wide(damping).times(dz));
                (z, [e[0] + v[0], e[1] + v[1]])
            }
        }
    }
}
