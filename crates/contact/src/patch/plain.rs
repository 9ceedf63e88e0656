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
use bristle_kernel::{Planar, Real};

/// Nodes of one rule: distance, load, and the moments of the load about y and x.
#[derive(Clone, Debug)]
struct Rule(Vec<[f64; 4]>);

/// The load of a patch by distance travelled.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Of 12, 18, 28 and 40 nodes, each some 1e-4 of the error of the one before.
    rules: [Rule; FINEST + 1],
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
            Rule(nodes.iter().zip(moments).map(|((xi, w), [x, y])| [*xi, *w, x, y]).collect())
        };
        Plain { rules: [of(12), of(18), of(28), of(40)] }
    }

    /// The rule to begin with for an accuracy; the last is [`FINEST`].
    pub fn first(accuracy: f64) -> usize {
        if accuracy >= 1e-7 { 1 } else { FINEST }
    }

    /// F_x, F_y and both M_z by a rule.
    #[inline(always)]
    pub fn wrench<S: Real>(
        &self,
        bristle: &impl Planar<S>,
        sigma: [S; 2],
        speed: S,
        rule: usize,
    ) -> [S; 4] {
        wrench(&self.rules[rule], bristle, sigma, speed)
    }
}

/// The number of the finest rule.
pub const FINEST: usize = 3;

#[inline(always)]
fn wrench<S: Real>(rule: &Rule, bristle: &impl Planar<S>, sigma: [S; 2], speed: S) -> [S; 4] {
    let zero = S::from(0.0);
    let mut sums = [zero; 4];
    if bristle.is_alike() {
        // f = s σ with s = b(σ₀ξφ₁(−λξ) + V_rσ₁e^{−λξ}): force along slip, (38) is (37b).
        let r =
            bristle.scalar_response((sigma[0] * sigma[0] + sigma[1] * sigma[1]) * (speed * speed));
        let lambda = r.forget / speed;
        let (stiff, damp) =
            (bristle.stiffness().xx * r.follow, bristle.damping().xx * r.follow * speed);
        // (1 − e^{−λξ})/λ: the quotient loses digits only where λξ is tiny, and there it is ξ.
        let tiny = lambda.lt(S::from(1e-9));
        let rate = S::select(tiny, S::from(1.0), lambda);
        let mut t = [zero; 3];
        for [xi, w, x, y] in &rule.0 {
            let decay = (-(lambda * *xi)).exp();
            let z = S::select(tiny, S::from(*xi), (S::from(1.0) - decay) / rate);
            let f = stiff * z + damp * decay;
            t[0] += f * *w;
            t[1] += f * *x;
            t[2] += f * *y;
        }
        let moment = t[1] * sigma[1] - t[2] * sigma[0];
        return [t[0] * sigma[0], t[0] * sigma[1], moment, moment];
    }
    let r = bristle.response([sigma[0] * speed, sigma[1] * speed]);
    let pace = S::from(1.0) / speed;
    let forget = r.forget.map(|row| row.map(|f| f * pace));
    let drive = times(&r.follow, sigma);
    let (stiffness, damping) = (bristle.stiffness(), bristle.damping().scaled(speed));
    for [xi, w, x, y] in &rule.0 {
        let [decay, integral] = relax(&forget, S::from(*xi));
        let (z, dz) = (times(&integral, drive), times(&decay, drive));
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
