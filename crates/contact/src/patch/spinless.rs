//! Steady rolling without spin: every bristle sees the same slip, and its deflection depends only on how far it has
//! travelled. All three models coincide (004 §5.1.3).
//!
//! The patch is then a measure over that distance ξ: how much load, and with what moments, has travelled so far. Gauss rules of
//! that measure, worked out once for a patch, integrate e^{−λξ} to all digits for every λ that is not very large; what the last two
//! of them differ by is the error. Where λ is too large for all of them paths are followed instead.
use super::bristles::{Bristle, Bristles};
use super::inflow::{WIDTH, Wide};
use super::matrix::times;
use super::motion::Motion;
use super::relax::relax;
use super::rules::weights;
use super::shape::Shape;
use super::steady::{Outcome, Steady, measure};
use super::tally::{Node, Tally};
use super::tiles::{Found, Ground, SAFETY, Task, Tile, largest, refine};
use super::{Model, Rolling};
use crate::quadrature::{Lagrange, gauss_of_measure};
use bristle_kernel::{Matrix2, Real, Response, ScalarResponse, Start, Sym2};

/// Nodes of the rules, each some 1e-4 of the error of the one before.
const RULES: [usize; 4] = [12, 18, 28, 40];

/// Nodes of one rule: distance, load, and the moments of the load about y and x.
#[derive(Clone, Debug)]
struct Rule {
    nodes: Vec<[f64; 4]>,
    /// The sums of load and moments.
    total: [f64; 3],
}

/// The load of a patch by distance travelled.
#[derive(Clone, Debug)]
pub struct Spinless {
    rules: [Rule; RULES.len()],
    bristle: Bristle,
    accuracy: f64,
    load: f64,
    a: f64,
    /// By how much of a force or moment the measure may be off.
    error: f64,
}

/// Load and moments, as they are and as bristles carry them that settle within the patch and within a small part of it.
#[derive(Clone)]
struct Probe<'a> {
    shape: &'a Shape,
    sums: [Wide; 9],
}

/// How often bristles of a [`Probe`] settle on the longest way.
const PROBED: [f64; 3] = [0.0, 4.0, 32.0];

/// How far a bristle that entered along x has travelled.
fn travelled(shape: &Shape, [x, y]: [Wide; 2]) -> Wide {
    shape.edge((y * (1.0 / shape.b)).abs()) * shape.a - x
}

impl Tally<Wide, 9> for Probe<'_> {
    fn node(&mut self, n: &Node<Wide>) {
        let xi = travelled(self.shape, n.at) * (0.5 / self.shape.a);
        for (k, settled) in PROBED.into_iter().enumerate() {
            let load = n.load * (xi * -settled).exp();
            for (sum, arm) in self.sums[3 * k..].iter_mut().zip([Wide::from(1.0), n.at[0], n.at[1]])
            {
                *sum += load * arm;
            }
        }
    }
    fn sums(&self) -> [Wide; 9] {
        self.sums
    }
}

/// Where the nodes are, and what load is on them.
#[derive(Clone, Default)]
struct Places(Vec<([Wide; 2], Wide)>);

impl Tally<Wide, 0> for Places {
    fn node(&mut self, n: &Node<Wide>) {
        self.0.push((n.at, n.load));
    }
    fn sums(&self) -> [Wide; 0] {
        []
    }
}

impl Steady {
    /// Works out the load by distance travelled, if it is not yet known.
    pub(super) fn prepare_spinless(&mut self) {
        if self.spinless.is_some() || self.load == 0.0 {
            return;
        }
        let motion = Motion::new(&Rolling { model: Model::Standard, ..Rolling::start(()) });
        let wide = [motion.cast(Wide::from)];
        let panels = self.panels(&motion.flow, None);
        let (shape, load, a, b) = (self.shape, self.load, self.shape.a, self.shape.b);
        let course = self.course(&*self.bristle.wide, &wide, Model::Standard);
        let ground = Ground { shape: &shape, flow: &motion.flow, zero: None };
        let cells: Vec<f64> = (1..=ground.count()).map(|k| k as f64).collect();
        let mut tiles: Vec<Tile<9>> =
            panels.into_iter().map(|p| Tile::new(p, cells.clone())).collect();
        let probe = Probe { shape: &shape, sums: [Wide::from(0.0); 9] };
        // Of moments a part of the load times an arm is enough.
        let size = |sums: &[f64; 9], off: &[f64; 9]| {
            let part = |k: usize| {
                let load = sums[3 * k].abs();
                [off[3 * k] / load, off[3 * k + 1] / (load * a), off[3 * k + 2] / (load * b)]
            };
            largest((0..PROBED.len()).flat_map(part))
        };
        let wanted = 0.01 * self.accuracy;
        let task = Task { course, rules: &self.rules, ground, tally: probe };
        let Found { error, .. } = refine(&mut tiles, &task, wanted, size);
        let (mut xi, mut loads, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for tile in &tiles {
            let places = tile.replay(&task.course, &self.rules.check, &ground, &Places::default());
            for (k, Places(places)) in places.into_iter().enumerate() {
                let weights = weights(tile.level, k);
                for (place, load) in places {
                    let (way, load) = (travelled(&shape, place), load * weights);
                    for lane in (0..WIDTH).filter(|lane| load.0[*lane] > 0.0) {
                        xi.push(way.0[lane]);
                        loads.push(load.0[lane]);
                        at.push(place.map(|x| x.0[lane]));
                    }
                }
            }
        }
        self.spinless = Some(Spinless {
            rules: RULES.map(|n| Rule::new(n, &xi, &loads, &at)),
            bristle: self.bristle.clone(),
            accuracy: self.accuracy,
            load,
            a,
            error: error * b.max(a) / (0.02 * a),
        });
    }
}

impl Rule {
    /// The n-point rule of a measure.
    fn new(n: usize, xi: &[f64], loads: &[f64], at: &[[f64; 2]]) -> Self {
        let nodes = gauss_of_measure(xi, loads, n);
        let places: Vec<f64> = nodes.iter().map(|n| n.0).collect();
        let basis = Lagrange::new(&places);
        let (mut moments, mut values) = (vec![[0.0; 2]; n], vec![0.0; n]);
        // The moments of polynomials up to degree n − 1, exactly.
        for ((xi, load), [x, y]) in xi.iter().zip(loads).zip(at) {
            basis.at(*xi, &mut values);
            for (moment, value) in moments.iter_mut().zip(&values) {
                moment[0] += load * x * value;
                moment[1] += load * y * value;
            }
        }
        let nodes = nodes.iter().zip(moments);
        let nodes: Vec<[f64; 4]> = nodes.map(|((xi, w), [x, y])| [*xi, *w, x, y]).collect();
        let total = [1, 2, 3].map(|k| nodes.iter().map(|n| n[k]).sum());
        Rule { nodes, total }
    }
}

impl Spinless {
    /// Forces and moments, by ever finer rules until two agree.
    pub fn solve(&self, motion: &Motion<f64>) -> Outcome {
        let held = Held::at(&*self.bristle.single, motion.sigma, motion.speed);
        let mut coarse = self.wrench(&held, 0);
        let mut found = Outcome::new(coarse, f64::INFINITY);
        for rule in 1..RULES.len() {
            let fine = self.wrench(&held, rule);
            found = Outcome::new(fine, self.error(&coarse, &fine));
            if found.error <= self.accuracy {
                break;
            }
            coarse = fine;
        }
        found
    }

    /// Points at one speed, one to a lane.
    pub fn solve_wide(&self, sigma: [Wide; 2], speed: f64) -> [Outcome; WIDTH] {
        let held = Held::at(&*self.bristle.wide, sigma, Wide::from(speed));
        let mut coarse = self.wrench(&held, 0);
        let mut found = [Outcome::new([0.0; 4], f64::INFINITY); WIDTH];
        for rule in 1..RULES.len() {
            let fine = self.wrench(&held, rule);
            for (lane, found) in found.iter_mut().enumerate() {
                let [coarse, fine] = [coarse, fine].map(|w| w.map(|x| x.0[lane]));
                *found = Outcome::new(fine, self.error(&coarse, &fine));
            }
            if found.iter().all(|o| o.error <= self.accuracy) {
                break;
            }
            coarse = fine;
        }
        found
    }

    fn error(&self, coarse: &[f64; 4], fine: &[f64; 4]) -> f64 {
        let off = std::array::from_fn(|c| fine[c] - coarse[c]);
        let error = SAFETY * measure(self.load, self.a, fine, &off) + self.error;
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// F_x, F_y and both M_z by a rule.
    #[inline(always)]
    fn wrench<S: Real>(&self, held: &Held<S>, rule: usize) -> [S; 4] {
        let Rule { nodes, total } = &self.rules[rule];
        let zero = S::from(0.0);
        match held {
            Held::Alike { sigma, rate, stiff, damp } => {
                // f = s σ with s = b(σ₀ξφ₁(−λξ) + V_rσ₁e^{−λξ}): force along slip, (38) is (37b).
                // (1 − e^{−λξ})/λ loses digits only where λξ is tiny, and there it is ξ.
                let tiny = rate.lt(S::from(1e-9));
                let mut grown = [zero; 3];
                for [xi, w, x, y] in nodes {
                    let decay = (-(*rate * *xi)).exp();
                    let g = S::select(tiny, S::from(*xi), S::from(1.0) - decay);
                    for (grown, w) in grown.iter_mut().zip([w, x, y]) {
                        *grown = g.mul_add(S::from(*w), *grown);
                    }
                }
                let (one, rate) = (S::from(1.0), *rate);
                let (follow, decay) =
                    (one / S::select(tiny, one, rate), S::select(tiny, rate, one));
                let (stiff, damp) = (*stiff, *damp);
                let [t, x, y]: [S; 3] = std::array::from_fn(
                    #[inline(always)]
                    |k| {
                        let left = S::from(total[k]) - grown[k] * decay;
                        stiff * follow * grown[k] + damp * left
                    },
                );
                let moment = x * sigma[1] - y * sigma[0];
                [t * sigma[0], t * sigma[1], moment, moment]
            }
            Held::Directed { forget, drive, stiffness, damping } => {
                let mut sums = [zero; 4];
                for [xi, w, x, y] in nodes {
                    let [decay, integral] = relax(forget, S::from(*xi));
                    let (z, dz) = (times(&integral, *drive), times(&decay, *drive));
                    let (e, v) = (stiffness.times(z), damping.times(dz));
                    let f = [e[0] + v[0], e[1] + v[1]];
                    sums[0] += f[0] * *w;
                    sums[1] += f[1] * *w;
                    let m = f[1] * *x - f[0] * *y;
                    sums[2] += m;
                    sums[3] += m + (z[0] * f[1] - z[1] * f[0]) * *w;
                }
                sums
            }
        }
    }
}

/// What a slip makes of a bristle, the same all over the patch.
#[derive(Clone, Copy, Debug)]
pub enum Held<S> {
    /// Of one that prefers no direction.
    Alike {
        /// σ.
        sigma: [S; 2],
        /// λ = A/V_r, 1/m.
        rate: S,
        /// σ₀B, 1/m.
        stiff: S,
        /// σ₁B V_r, a pure number.
        damp: S,
    },
    /// Of any other.
    Directed {
        /// A/V_r, 1/m.
        forget: Matrix2<S>,
        /// Bσ.
        drive: [S; 2],
        /// Σ₀, 1/m.
        stiffness: Sym2<S>,
        /// V_rΣ₁, a pure number.
        damping: Sym2<S>,
    },
}

impl<S: Real> Held<S> {
    /// A bristle held at slip σ and speed V_r.
    #[inline(always)]
    pub fn at(bristle: &dyn Bristles<S>, sigma: [S; 2], speed: S) -> Self {
        let pace = S::from(1.0) / speed;
        let (stiffness, damping) = (bristle.stiffness(), bristle.damping().scaled(speed));
        if bristle.is_alike() {
            let slip = sigma[0] * sigma[0] + sigma[1] * sigma[1];
            let mut r = [ScalarResponse { forget: slip, follow: slip }];
            bristle.scalar_responses(&[slip * (speed * speed)], &mut r);
            let [r] = r;
            let (stiff, damp) = (stiffness.xx * r.follow, damping.xx * r.follow);
            return Held::Alike { sigma, rate: r.forget * pace, stiff, damp };
        }
        let none = [[pace; 2]; 2];
        let mut r = [Response { forget: none, follow: none }];
        bristle.responses(&[[sigma[0] * speed, sigma[1] * speed]], &mut r);
        let [r] = r;
        let forget = r.forget.map(|row| row.map(|f| f * pace));
        Held::Directed { forget, drive: times(&r.follow, sigma), stiffness, damping }
    }
}
