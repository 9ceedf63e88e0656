//! Steady rolling without spin: every bristle sees the same slip, and its deflection depends only on how far it has
//! travelled. All three models coincide (004 §5.1.3).
//!
//! The patch is then a measure over that distance ξ: how much load, and with what moments, has travelled so far. Gauss rules of
//! that measure, worked out once for a patch, integrate e^{−λξ} to all digits for every λ that is not very large; what the last two
//! of them differ by is the error. Where λ is too large for all of them paths are followed instead.
use super::inflow::{WIDTH, Wide};
use super::motion::Motion;
use super::rules::weights;
use super::shape::Shape;
use super::steady::{Outcome, Steady, measure};
use super::tally::{Node, Tally};
use super::tiles::{SAFETY, known, largest, refine};
use super::{Model, Rolling};
use crate::quadrature::{Lagrange, gauss_of_measure};
use bristle_kernel::{Planar, Real, Start};
use std::sync::Arc;

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
#[derive(Clone)]
pub struct Spinless {
    rules: [Rule; RULES.len()],
    bristle: Arc<dyn Planar<f64> + Send + Sync>,
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
        let (panels, ground) = self.layout(&motion);
        let (shape, a, b) = (self.shape, self.shape.a, self.shape.b);
        let probe = Probe { shape: &shape, sums: [Wide::from(0.0); 9] };
        let task = self.task(&*self.bristle.wide, &wide, ground, probe);
        let mut tiles = task.tiles(panels, &ground.cells(self.turns(&motion)));
        // Of moments a part of the load times an arm is enough.
        let found = refine(&mut tiles, &task, 0.01 * self.accuracy, |sums| {
            let sums = sums[0];
            move |off: &[f64; 9]| {
                let part = |k: usize| {
                    let load = sums[3 * k].abs();
                    [off[3 * k] / load, off[3 * k + 1] / (load * a), off[3 * k + 2] / (load * b)]
                };
                largest((0..PROBED.len()).flat_map(part))
            }
        });
        let (mut xi, mut loads, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for tile in &tiles {
            let places = task.replay(tile, &self.rules.check, &Places::default());
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
            bristle: self.bristle.plain.clone(),
            accuracy: self.accuracy,
            load: self.load,
            a,
            error: found[0].error * b.max(a) / (0.02 * a),
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
        let [x, y] = motion.sigma.map(|sigma| sigma * motion.speed);
        let response = self.bristle.scalar_response(x * x + y * y);
        let [stiffness, damping] = [self.bristle.stiffness().xx, self.bristle.damping().xx];
        let held = Held {
            sigma: motion.sigma,
            rate: response.forget / motion.speed,
            stiff: stiffness * response.follow,
            damp: damping * motion.speed * response.follow,
        };
        let mut coarse = self.rules[0].wrench(&held);
        let mut found = Outcome::new(coarse, f64::INFINITY);
        for rule in &self.rules[1..] {
            let fine = rule.wrench(&held);
            let off = std::array::from_fn(|c| fine[c] - coarse[c]);
            let error = SAFETY * measure(self.load, self.a, &fine, &off) + self.error;
            found = Outcome::new(fine, known(error));
            if found.error <= self.accuracy {
                break;
            }
            coarse = fine;
        }
        found
    }
}

/// What a slip makes of a bristle, the same all over the patch.
struct Held {
    sigma: [f64; 2],
    /// λ = A/V_r, 1/m.
    rate: f64,
    /// σ₀B, 1/m.
    stiff: f64,
    /// σ₁B V_r, a pure number.
    damp: f64,
}

impl Rule {
    /// F_x, F_y and both M_z: f = s σ with s = b(σ₀ξφ₁(−λξ) + V_rσ₁e^{−λξ}). The force is along the slip, so that (38) is (37b).
    fn wrench(&self, held: &Held) -> [f64; 4] {
        // (1 − e^{−λξ})/λ loses digits only where λξ is tiny, and there it is ξ.
        let tiny = held.rate < 1e-9;
        let mut grown = [0.0; 3];
        for [xi, w, x, y] in &self.nodes {
            let g = if tiny { *xi } else { 1.0 - (-held.rate * xi).exp() };
            for (grown, w) in grown.iter_mut().zip([w, x, y]) {
                *grown = g.mul_add(*w, *grown);
            }
        }
        let (follow, decay) = if tiny { (1.0, held.rate) } else { (1.0 / held.rate, 1.0) };
        let part = |k: usize| {
            held.stiff * follow * grown[k] + held.damp * (self.total[k] - grown[k] * decay)
        };
        let (t, [sx, sy]) = (part(0), held.sigma);
        let moment = part(1) * sy - part(2) * sx;
        [t * sx, t * sy, moment, moment]
    }
}
