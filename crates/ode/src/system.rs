use bristle_num::{Dual, Real};

/// A number with derivatives in four directions: what Jacobians are made of.
pub type Slope = Dual<f64, 4>;

/// Why a mode ends.
#[derive(Clone, Copy, Debug)]
pub enum Cause<'a> {
    /// The time [`System::due`] has come.
    Clock,
    /// These guards fell to zero, each marked by `true`.
    Guards(&'a [bool]),
}

/// ẏ = f(mode, t, y): smooth while a mode lasts, and modes that follow each other.
///
/// A mode lasts until one of the guards, which are positive in it, falls to zero, or until a time that
/// the system knows. The solver lands there, and the system says what comes next. It keeps nothing of a
/// run itself, so that several runs of one system do not disturb each other.
pub trait System {
    /// What is discrete.
    type Mode: Clone;

    /// How many states there are.
    fn states(&self) -> usize;

    /// Writes f(mode, t, y).
    fn rates(&self, mode: &Self::Mode, t: f64, y: &[f64], dy: &mut [f64]);

    /// The same with derivatives: ∂f/∂y comes from here.
    fn slopes(&self, mode: &Self::Mode, t: f64, y: &[Slope], dy: &mut [Slope]);

    /// Calls `on` with every state that the rate of state `k` depends on in any mode. All of them, if the
    /// system does not know better.
    fn depends(&self, _k: usize, on: &mut dyn FnMut(usize)) {
        (0..self.states()).for_each(on);
    }

    /// A time over which what depends on time alone is nearly a cubic: no step is longer. The error of a step does not
    /// see it where the states rest.
    fn smooth_for(&self) -> f64 {
        f64::INFINITY
    }

    /// How many guards there are, whatever the mode.
    fn guards(&self) -> usize {
        0
    }

    /// Writes the guards: positive as long as the mode lasts.
    fn watch(&self, _mode: &Self::Mode, _t: f64, _y: &[f64], _guards: &mut [f64]) {}

    /// Guard `k` alone, for systems that have it cheaper than all of them. What is written into `guards` besides
    /// does not matter.
    fn guard(&self, k: usize, mode: &Self::Mode, t: f64, y: &[f64], guards: &mut [f64]) -> f64 {
        self.watch(mode, t, y, guards);
        guards[k]
    }

    /// The time at which the mode ends by the clock.
    fn due(&self, _mode: &Self::Mode) -> f64 {
        f64::INFINITY
    }

    /// Moves on to the mode that follows, and to the state in which it begins.
    fn next(&self, _mode: &mut Self::Mode, _t: f64, _y: &mut [f64], _cause: Cause<'_>) {}
}

/// A system without modes, written once for every scalar: `impl Equations for Decay` makes it a
/// [`System`].
pub trait Equations {
    /// How many states there are.
    fn states(&self) -> usize;

    /// Writes f(t, y). Time is a plain number: no method differentiates by it.
    fn rhs<S: Real>(&self, t: f64, y: &[S], dy: &mut [S]);
}

impl<E: Equations> System for E {
    type Mode = ();

    fn states(&self) -> usize {
        Equations::states(self)
    }
    #[inline(always)]
    fn rates(&self, _mode: &(), t: f64, y: &[f64], dy: &mut [f64]) {
        self.rhs(t, y, dy);
    }
    fn slopes(&self, _mode: &(), t: f64, y: &[Slope], dy: &mut [Slope]) {
        self.rhs(t, y, dy);
    }
}
