//! Steady rolling without spin: every bristle sees the same slip, and its deflection depends only on how far
//! it has travelled.
//!
//! The patch is then a measure over that distance ξ: how much load, and with what moments, has travelled so
//! far. A Gauss rule of that measure, worked out once for a patch, integrates e^{−λξ} to all digits for every
//! λ that is not very large. All three models coincide (004 §5.1.3).
use super::matrix::times;
use super::pressure::Pressure;
use super::relax::relax;
use super::shape::Shape;
use crate::quadrature::{Lagrange, gauss_of_measure};
use bristle_kernel::{Matrix2, Planar, Real, Sym2};

/// Nodes of one rule: distance, load, and the moments of the load about y and x.
#[derive(Clone, Debug)]
struct Rule {
    nodes: Vec<[f64; 4]>,
    /// The sums of load and moments.
    total: [f64; 3],
}

/// The load of a patch by distance travelled.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Of 12, 18, 28 and 40 nodes, each some 1e-4 of the error of the one before.
    rules: [Rule; FINEST + 1],
    longest: f64,
}

impl Plain {
    /// That of a pressure over a shape.
    pub fn new(shape: &Shape, pressure: &Pressure) -> Self {
        let (mut xi, mut load, mut place) = (Vec::new(), Vec::new(), Vec::new());
        let rule = crate::quadrature::legendre(18);
        for row in shape.rows(24) {
            let cells = 6;
            for k in 0..cells {
                let bound =
                    |k: usize| -row.x * (std::f64::consts::PI * k as f64 / cells as f64).cos();
                let (from, to) = (bound(k), bound(k + 1));
                for (c, w) in rule {
                    let x = from + (to - from) * c;
                    xi.push(row.x - x);
                    load.push(pressure.at(shape, x, row.y) * w * (to - from) * row.weight);
                    place.push([x, row.y]);
                }
            }
        }
        let of = |n: usize| {
            // Gauss rules are those of a load.
            if pressure.scale() == 0.0 {
                return Rule { nodes: Vec::new(), total: [0.0; 3] };
            }
            let nodes = gauss_of_measure(&xi, &load, n);
            let at: Vec<f64> = nodes.iter().map(|n| n.0).collect();
            let basis = Lagrange::new(&at);
            let (mut moments, mut values) = (vec![[0.0; 2]; n], vec![0.0; n]);
            // The moments of polynomials up to degree n − 1, exactly.
            for ((xi, load), [x, y]) in xi.iter().zip(&load).zip(&place) {
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
        };
        let rules = [of(12), of(18), of(28), of(40)];
        Plain { rules, longest: 2.0 * shape.a }
    }

    /// The rule to begin with where bristles settle `turns` times over on the longest way: the first that may be
    /// expected to agree with its predecessor, or for many digits the last.
    pub fn first(accuracy: f64, turns: f64) -> usize {
        let reach = match accuracy {
            x if x >= 1e-3 => [60.0, 140.0],
            x if x >= 1e-7 => [27.0, 70.0],
            _ => [0.0; 2],
        };
        1 + reach.iter().filter(|reach| turns > **reach).count()
    }

    /// The longest way, m.
    pub fn longest(&self) -> f64 {
        self.longest
    }

    /// F_x, F_y and both M_z by a rule.
    #[inline(always)]
    pub fn wrench<S: Real>(&self, held: &Held<S>, rule: usize) -> [S; 4] {
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

/// The number of the finest rule.
pub const FINEST: usize = 3;

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
    pub fn at(bristle: &impl Planar<S>, sigma: [S; 2], speed: S) -> Self {
        let pace = S::from(1.0) / speed;
        let (stiffness, damping) = (bristle.stiffness(), bristle.damping().scaled(speed));
        if bristle.is_alike() {
            let slip = sigma[0] * sigma[0] + sigma[1] * sigma[1];
            let r = bristle.scalar_response(slip * (speed * speed));
            let (stiff, damp) = (stiffness.xx * r.follow, damping.xx * r.follow);
            return Held::Alike { sigma, rate: r.forget * pace, stiff, damp };
        }
        let r = bristle.response([sigma[0] * speed, sigma[1] * speed]);
        let forget = r.forget.map(|row| row.map(|f| f * pace));
        Held::Directed { forget, drive: times(&r.follow, sigma), stiffness, damping }
    }

    /// How many times over it settles on a way of length `xi`, or somewhat more.
    #[inline(always)]
    pub fn turns(&self, xi: f64) -> S {
        match self {
            Held::Alike { rate, .. } => *rate * xi,
            // No eigenvalue is negative: none is above their sum.
            Held::Directed { forget, .. } => (forget[0][0] + forget[1][1]) * xi,
        }
    }
}
