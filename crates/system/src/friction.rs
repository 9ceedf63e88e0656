use alloc::sync::Arc;
use bristle_kernel::{Bristle, Cast, Real};
use bristle_ode::Slope;
use core::fmt;

/// A friction element in plain numbers and with derivatives: any model, built in or the user's own.
///
/// ```
/// use bristle_kernel::{Start, bristle::LuGre, law::Stribeck};
/// use bristle_system::Friction;
///
/// let lugre: LuGre<f64, Stribeck<f64>> = LuGre::start(Stribeck::start(()));
/// let friction = Friction::from(lugre);
/// assert_eq!(friction.model().states(), 1);
/// ```
#[derive(Clone)]
pub struct Friction {
    plain: Arc<dyn Bristle<f64> + Send + Sync>,
    sloped: Arc<dyn Bristle<Slope> + Send + Sync>,
}

impl Friction {
    /// The model in plain numbers.
    #[inline]
    pub fn model(&self) -> &dyn Bristle<f64> {
        &*self.plain
    }
}

impl fmt::Debug for Friction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Friction({} states)", self.plain.states())
    }
}

impl<B> From<B> for Friction
where
    B: Bristle<f64> + Cast<f64> + Send + Sync + 'static,
    B::Over<Slope>: Bristle<Slope> + Send + Sync + 'static,
{
    fn from(model: B) -> Self {
        let sloped = Arc::new(model.cast(&mut |x| Slope::from(x)));
        Friction { plain: Arc::new(model), sloped }
    }
}

/// The scalars that a system runs in.
pub trait Scalar: Real {
    /// The model in this scalar.
    fn of(friction: &Friction) -> &dyn Bristle<Self>;
}

impl Scalar for f64 {
    #[inline]
    fn of(friction: &Friction) -> &dyn Bristle<f64> {
        &*friction.plain
    }
}

impl Scalar for Slope {
    #[inline]
    fn of(friction: &Friction) -> &dyn Bristle<Slope> {
        &*friction.sloped
    }
}
