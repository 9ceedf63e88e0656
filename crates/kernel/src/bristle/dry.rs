//! Dry friction: set-valued at rest.
//!
//! ```text
//! v ≠ 0:  F_R = sgn(v) μ(|v|) F_N
//! v = 0:  |F_R| ≤ μ_s F_N                                           (3)
//! ```
//!
//! Equation number of 002. A velocity that would change its sign stays at zero while the other forces
//! lie within the limits: A. F. Filippov, Differential Equations with Discontinuous Righthand Sides
//! (1988). Nothing is stored; F_R v ≥ 0 is dissipated.
use super::{Drive, Memoryless, Mode};
use crate::{
    Cast, Check, Fault, Group, Info, Law, Model, Param, Params, Start, Visitor, memoryless,
};
use bristle_num::Real;
use core::marker::PhantomData;

/// A friction law as it stands, with a jump at v = 0.
#[derive(Clone, Copy, Debug)]
pub struct Dry<S, L> {
    /// friction law μ(v)
    pub law: L,
    scalar: PhantomData<S>,
}

// Written out, not derived: the model has no number of its own, and `derive(Params)` asks for one.
impl<S: Real, L> Model for Dry<S, L> {
    const NAME: &'static str = "dry";
    const INFO: &'static Info = &Info {
        name: Self::NAME,
        title: "dry friction: set-valued at rest, over any law",
        source: "002 §2, (3); A. F. Filippov (1988)",
        doc: "A friction law as it stands, with a jump at v = 0.\n\nChoose it when a stick must be a \
              stick and the contact has no elasticity worth modelling. It holds a stick exactly (it is \
              set-valued at rest, so it needs an event-driven solver), has no state and is \
              dissipative. Before it slides, nothing moves: there is no presliding, and its stiffness \
              is infinite.",
        stick: "yes, exactly: set-valued at v = 0",
        passive: "yes: the force has the sign of the speed",
        law: "yes, at every instant",
        rules: "",
        nested: Some("law"),
        params: Self::PARAMS,
    };
}

impl<S: Real, L> Dry<S, L> {
    /// The parameter table: all its parameters are those of the law.
    pub const PARAMS: &'static [Param] = &[];
}

impl<S: Real, L> Start<L> for Dry<S, L> {
    fn start(law: L) -> Self {
        Dry { law, scalar: PhantomData }
    }
}

impl<S: Real, L: Params<S>> Params<S> for Dry<S, L> {
    fn visit(&mut self, group: Group, f: &mut Visitor<'_, S>) {
        self.law.visit(group.enter("law"), f);
    }
}

impl<L: Check> Check for Dry<f64, L> {
    fn check(&self, group: Group, report: &mut dyn FnMut(Fault)) {
        self.law.check(group.enter("law"), report);
    }
}

impl<S: Real, L: Cast<S>> Cast<S> for Dry<S, L> {
    type Over<T: Real> = Dry<T, L::Over<T>>;
    fn cast<T: Real>(&self, f: &mut impl FnMut(S) -> T) -> Self::Over<T> {
        Dry::start(self.law.cast(f))
    }
}

memoryless!(Dry<S, L: Law> {
    #[inline(always)]
    fn begin(&self, at: &Drive<S>, _z: &[S]) -> Mode<S> {
        Mode { way: at.v.sign(), ..Mode::default() }
    }
});

impl<S: Real, L: Law<S>> Memoryless<S> for Dry<S, L> {
    /// A trial step beyond v = 0 stays on its branch, at the level of rest.
    #[inline(always)]
    fn force_at(&self, at: &Drive<S>) -> S {
        let way = at.mode.way;
        way * at.load * self.law.level((way * at.v).max(S::from(0.0))) // (3)
    }

    #[inline(always)]
    fn limits_at(&self, at: &Drive<S>) -> Option<[S; 2]> {
        let most = at.load * self.law.rest();
        Some([-most, most]) // (3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bristle, law::Stribeck};

    /// The branch is that of the mode: it does not jump where a trial step crosses v = 0.
    #[test]
    fn a_branch_ends_at_its_limit() {
        let m: Dry<f64, Stribeck<f64>> = Dry::start(Stribeck::start(()));
        let force = |way, v| {
            let mode = Mode { way, ..Mode::default() };
            m.force(&Drive { mode, ..Drive::new(v, 2.0) }, &[], &[])
        };
        let [low, high] = m.limits(&Drive::new(0.0, 2.0)).unwrap();
        assert_eq!((low, high), (-2.0 * m.law.rest(), 2.0 * m.law.rest()));
        assert_eq!((force(1.0, 0.0), force(1.0, -1e-3)), (high, high));
        assert_eq!((force(-1.0, 0.0), force(-1.0, 1e-3), force(0.0, 0.0)), (low, low, 0.0));
        assert_eq!(force(-1.0, -0.3), -2.0 * m.law.level(0.3));
        assert_eq!(m.limits(&Drive::new(0.0, 0.0)), Some([0.0, 0.0]));
    }
}
