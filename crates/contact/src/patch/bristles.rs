//! The bristles of a patch, behind one door: the engine is compiled once, whatever bristle it carries.
use super::inflow::{WIDTH, Wide};
use bristle_kernel::{Cast, Logic, Planar, Real, Response, ScalarResponse, Sym2};
use bristle_num::{Dual, Lanes, simd};
use std::sync::Arc;

/// Wide numbers with one derivative.
pub type WideDual = Dual<Wide, 1>;

/// A planar bristle at many places at once, so that a call through a table of functions is paid once for all of them.
pub trait Bristles<S: Real>: Send + Sync {
    /// Σ₀, 1/m.
    fn stiffness(&self) -> Sym2<S>;
    /// Σ₁, s/m.
    fn damping(&self) -> Sym2<S>;
    /// Whether no direction is preferred.
    fn is_alike(&self) -> bool;
    /// A and B at speeds whose squares are given, of a bristle that prefers no direction.
    fn scalar_responses(&self, squares: &[S], out: &mut [ScalarResponse<S>]);
    /// A and B at velocities.
    fn responses(&self, velocities: &[[S; 2]], out: &mut [Response<S>]);
}

impl<S: Real, P: Planar<S> + Send + Sync> Bristles<S> for P {
    fn stiffness(&self) -> Sym2<S> {
        Planar::stiffness(self)
    }
    fn damping(&self) -> Sym2<S> {
        Planar::damping(self)
    }
    fn is_alike(&self) -> bool {
        Planar::is_alike(self)
    }
    fn scalar_responses(&self, squares: &[S], out: &mut [ScalarResponse<S>]) {
        simd::widest(
            #[inline(always)]
            || {
                for (square, out) in squares.iter().zip(out) {
                    *out = self.scalar_response(*square);
                }
            },
        );
    }
    fn responses(&self, velocities: &[[S; 2]], out: &mut [Response<S>]) {
        simd::widest(
            #[inline(always)]
            || {
                for (v, out) in velocities.iter().zip(out) {
                    *out = self.response(*v);
                }
            },
        );
    }
}

/// One bristle in every scalar that the engine works in.
#[derive(Clone)]
pub struct Bristle {
    /// Plain numbers.
    pub plain: Arc<dyn Planar<f64> + Send + Sync>,
    /// The same, seen as all others.
    pub single: Arc<dyn Bristles<f64>>,
    /// Paths side by side.
    pub wide: Arc<dyn Bristles<Wide>>,
    /// With the derivative by one of its numbers, or by none.
    seeded: Arc<dyn Fn(Option<usize>) -> Box<dyn Bristles<WideDual>> + Send + Sync>,
    /// How many numbers it has.
    pub numbers: usize,
}

impl std::fmt::Debug for Bristle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bristle({} numbers)", self.numbers)
    }
}

impl Bristle {
    /// A bristle of the kernel.
    pub fn new<B: Rolls>(bristle: &B) -> Self {
        bristle.behind_a_door()
    }

    /// With the derivative by its number `seed`, in declaration order, or by none.
    pub fn seeded(&self, seed: Option<usize>) -> Box<dyn Bristles<WideDual>> {
        (self.seeded)(seed)
    }

    /// Whether the force is along the deflection, σ₀z.
    pub fn is_elastic(&self) -> bool {
        let Sym2 { xx, xy, yy } = self.plain.damping();
        self.plain.is_alike() && [xx, xy, yy] == [0.0; 3]
    }

    /// How far friction lets a bristle be deflected at a crawl, or somewhat less, m.
    pub fn reach(&self) -> f64 {
        1.0 / self.plain.fastest(1.0).max(f64::MIN_POSITIVE)
    }
}

/// A planar bristle that a patch can be made of: any that can be cast to other scalars, as all of the kernel can.
pub trait Rolls {
    /// The bristle in every scalar that the engine works in.
    fn behind_a_door(&self) -> Bristle;
}

impl<B> Rolls for B
where
    B: Cast<f64> + Planar<f64> + Clone + Send + Sync + 'static,
    B::Over<Wide>: Planar<Wide> + Send + Sync + 'static,
    B::Over<WideDual>: Planar<WideDual> + Send + Sync + 'static,
{
    fn behind_a_door(&self) -> Bristle {
        let mut numbers = 0;
        let wide = self.cast(&mut |x| {
            numbers += 1;
            Wide::from(x)
        });
        let own = self.clone();
        let seeded = move |seed: Option<usize>| -> Box<dyn Bristles<WideDual>> {
            let mut i = 0;
            Box::new(own.cast(&mut |x| {
                i += 1;
                let x = Wide::from(x);
                if seed == Some(i - 1) { Dual::variable(x, 0) } else { Dual::constant(x) }
            }))
        };
        Bristle {
            plain: Arc::new(self.clone()),
            single: Arc::new(self.clone()),
            wide: Arc::new(wide),
            seeded: Arc::new(seeded),
            numbers,
        }
    }
}

/// Nodes of an interpolated response.
const NODES: usize = 48;

/// A bristle that prefers no direction, its A and B interpolated over the speed v.
///
/// A friction law is a chain of some hundred operations. But A/v and B are smooth functions of √v between a small part of the
/// greatest speed and that speed: a Chebyshev series of √v, looked at between its nodes too, so that its error is known. (Of v itself
/// it would take many more terms: a Stribeck curve of exponent 0.6 departs from rest like v^0.6.) What is slower, or faster, asks
/// the bristle itself.
#[derive(Clone)]
pub struct Interpolated {
    own: Arc<dyn Bristles<Wide>>,
    /// Between which speeds, m/s.
    range: [f64; 2],
    /// Of A/v and of B, the constants first.
    series: [Vec<f64>; 2],
    /// By which part of them A and B may be off.
    pub error: f64,
    /// The greatest force per unit load that a bristle settles at.
    pub greatest_force: f64,
}

impl Interpolated {
    /// The bristle for speeds up to `fastest`, with an error of about `part` of A and B, if that can be had.
    pub fn new(bristle: &Bristle, fastest: f64, part: f64) -> Self {
        // The slowest is so slow that few bristles are.
        let range = [fastest / 1024.0, fastest];
        let ends = range.map(f64::sqrt);
        let root = |t: f64| 0.5 * (ends[0] + ends[1]) + 0.5 * (ends[1] - ends[0]) * t;
        let at = |t: f64| {
            let v = root(t) * root(t);
            let r = bristle.plain.scalar_response(v * v);
            [r.forget / v, r.follow]
        };
        let angle = |k: f64| std::f64::consts::PI * (k + 0.5) / NODES as f64;
        let values: Vec<[f64; 2]> = (0..NODES).map(|k| at(angle(k as f64).cos())).collect();
        let coefficient = |j: usize, c: usize| -> f64 {
            let scale = if j == 0 { 1.0 } else { 2.0 } / NODES as f64;
            let terms = values.iter().enumerate();
            terms.map(|(k, v)| scale * v[c] * (j as f64 * angle(k as f64)).cos()).sum()
        };
        let series = [0, 1].map(|c| {
            let all: Vec<f64> = (0..NODES).map(|j| coefficient(j, c)).collect();
            let least = values.iter().map(|v| v[c].abs()).fold(f64::INFINITY, f64::min);
            let (mut tail, mut count) = (0.0, NODES);
            while count > 1 && tail + all[count - 1].abs() <= 0.5 * part * least {
                count -= 1;
                tail += all[count].abs();
            }
            all[..count].to_vec()
        });
        let stiffness = bristle.plain.stiffness().xx;
        let force = values.iter().map(|[forget, follow]| stiffness * follow / forget);
        let mut found = Interpolated {
            own: bristle.wide.clone(),
            range,
            greatest_force: force.fold(0.0, f64::max),
            series,
            error: 0.0,
        };
        // Between the nodes and at both ends.
        for k in 0..=NODES {
            let t = (std::f64::consts::PI * k as f64 / NODES as f64).cos();
            let exact = at(t);
            for c in 0..2 {
                let off = clenshaw(&found.series[c], t) / exact[c] - 1.0;
                found.error = if off.is_nan() { f64::INFINITY } else { found.error.max(off.abs()) };
            }
        }
        found
    }

    /// By how much F_x, F_y and both M_z of a patch may be off: deflections, and so forces, are off by no greater part than A.
    pub fn forces_off(&self, load: f64, radius: f64) -> [f64; 4] {
        let force = self.error * self.greatest_force * load;
        [force, 0.0, force * radius, force * radius]
    }

    /// Up to which speed it serves, m/s.
    pub fn fastest(&self) -> f64 {
        self.range[1]
    }
}

/// Σ c_k T_k(t).
#[inline(always)]
fn clenshaw<S: Real>(series: &[f64], t: S) -> S {
    let (twice, mut next, mut after) = (t * 2.0, S::from(0.0), S::from(0.0));
    for c in series[1..].iter().rev() {
        (next, after) = (twice * next - after + *c, next);
    }
    t * next - after + series[0]
}

impl Bristles<Wide> for Interpolated {
    fn stiffness(&self) -> Sym2<Wide> {
        self.own.stiffness()
    }
    fn damping(&self) -> Sym2<Wide> {
        self.own.damping()
    }
    fn is_alike(&self) -> bool {
        self.own.is_alike()
    }
    fn responses(&self, velocities: &[[Wide; 2]], out: &mut [Response<Wide>]) {
        self.own.responses(velocities, out);
    }
    fn scalar_responses(&self, squares: &[Wide], out: &mut [ScalarResponse<Wide>]) {
        simd::widest(
            #[inline(always)]
            || {
                let [low, high] = self.range.map(f64::sqrt);
                let stretch = 2.0 / (high - low);
                for (square, out) in squares.iter().zip(out) {
                    let v = square.sqrt();
                    let within = v.ge(Wide::from(self.range[0])) & v.le(Wide::from(self.range[1]));
                    if !within.all() {
                        self.own.scalar_responses(&[*square], std::slice::from_mut(out));
                        continue;
                    }
                    let t = (v.sqrt() - low) * stretch - 1.0;
                    out.forget = clenshaw(&self.series[0], t) * v;
                    out.follow = clenshaw(&self.series[1], t);
                }
            },
        );
    }
}

/// The lanes of a wide number added up.
pub fn total(x: Wide) -> f64 {
    x.0.iter().sum()
}

/// Wide numbers from plain ones.
pub fn wide(f: impl Fn(usize) -> f64) -> Wide {
    let lanes: [f64; WIDTH] = std::array::from_fn(f);
    Lanes(lanes)
}
