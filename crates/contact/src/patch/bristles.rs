//! The bristles of a patch, behind one door: the engine is compiled once, whatever bristle it carries.
use super::inflow::{WIDTH, Wide};
use bristle_kernel::{Cast, Planar, Real, Response, ScalarResponse, Sym2};
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
            wide: Arc::new(wide),
            seeded: Arc::new(seeded),
            numbers,
        }
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
