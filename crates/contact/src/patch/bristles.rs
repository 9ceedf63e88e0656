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
/// Places at which a polynomial is worked out at a time, so that none waits for another.
const AT_A_TIME: usize = 4;

/// A bristle that prefers no direction, its A and B interpolated over the speed v.
///
/// A friction law is a chain of some hundred operations. But A/v and B are smooth functions of v^¼ between a small part of the
/// greatest speed and that speed: a Chebyshev series of v^¼, looked at between its nodes too, so that its error is known. (Of v itself
/// it would take many more terms: a Stribeck curve of exponent 0.6 departs from rest like v^0.6, and the range of v^¼ ends
/// far from there.) What is slower, or faster, asks the bristle itself.
#[derive(Clone)]
pub struct Interpolated {
    own: Arc<dyn Bristles<Wide>>,
    /// Between which speeds, m/s.
    range: [f64; 2],
    /// Of A/v and of B, in powers of t ∈ [−1, 1], the highest first.
    powers: [Vec<f64>; 2],
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
        let ends = range.map(|v| v.sqrt().sqrt());
        let at = |t: f64| {
            let v = (0.5 * (ends[0] + ends[1]) + 0.5 * (ends[1] - ends[0]) * t).powi(4);
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
        let powers = [0, 1].map(|c| {
            let all: Vec<f64> = (0..NODES).map(|j| coefficient(j, c)).collect();
            let least = values.iter().map(|v| v[c].abs()).fold(f64::INFINITY, f64::min);
            let (mut tail, mut count) = (0.0, NODES);
            while count > 1 && tail + all[count - 1].abs() <= 0.5 * part * least {
                count -= 1;
                tail += all[count].abs();
            }
            in_powers(&all[..count])
        });
        let stiffness = bristle.plain.stiffness().xx;
        let force = values.iter().map(|[forget, follow]| stiffness * follow / forget);
        let mut found = Interpolated {
            own: bristle.wide.clone(),
            range,
            greatest_force: force.fold(0.0, f64::max),
            powers,
            error: 0.0,
        };
        // Between the nodes and at both ends.
        for k in 0..=NODES {
            let t = (std::f64::consts::PI * k as f64 / NODES as f64).cos();
            let exact = at(t);
            for c in 0..2 {
                let off = horner(&found.powers[c], [t])[0] / exact[c] - 1.0;
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

/// Σ c_k T_k(t) in powers of t, the highest first.
fn in_powers(series: &[f64]) -> Vec<f64> {
    let count = series.len();
    let (mut powers, mut before, mut now) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    now[0] = 1.0;
    for (k, c) in series.iter().enumerate() {
        for j in 0..count {
            powers[count - 1 - j] += c * now[j];
        }
        // T_{k+1} = 2t T_k − T_{k−1}, and T₁ = t T₀.
        let twice = if k == 0 { 1.0 } else { 2.0 };
        let next = (0..count).map(|j| if j == 0 { 0.0 } else { twice * now[j - 1] } - before[j]);
        (now, before) = (next.collect(), now);
    }
    powers
}

/// A polynomial at some places.
#[inline(always)]
fn horner<S: Real, const N: usize>(powers: &[f64], t: [S; N]) -> [S; N] {
    let mut sums = [S::from(powers[0]); N];
    for c in &powers[1..] {
        for i in 0..N {
            sums[i] = sums[i] * t[i] + *c;
        }
    }
    sums
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
                let [low, high] = self.range.map(|v| v.sqrt().sqrt());
                let stretch = 2.0 / (high - low);
                for (squares, out) in squares.chunks(AT_A_TIME).zip(out.chunks_mut(AT_A_TIME)) {
                    let (mut v, mut t) =
                        ([Wide::from(high); AT_A_TIME], [Wide::from(0.0); AT_A_TIME]);
                    for (i, square) in squares.iter().enumerate() {
                        v[i] = square.sqrt();
                        t[i] = (v[i].sqrt().sqrt() - low) * stretch - 1.0;
                    }
                    let [forget, follow] = [0, 1].map(
                        #[inline(always)]
                        |c| horner(&self.powers[c], t),
                    );
                    for (i, out) in out.iter_mut().enumerate() {
                        let [slowest, fastest] = self.range.map(Wide::from);
                        if (v[i].ge(slowest) & v[i].le(fastest)).all() {
                            (out.forget, out.follow) = (forget[i] * v[i], follow[i]);
                        } else {
                            self.own.scalar_responses(&squares[i..=i], std::slice::from_mut(out));
                        }
                    }
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
