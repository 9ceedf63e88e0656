use crate::lu::{Bundle, Factors};
use crate::structure::Structure;
use crate::{Slope, Storage, System};

/// The slope of equations that couple the states of a system as its rates do, factorised: for Newton's
/// method on implicit formulas other than [`Radau`](crate::Radau)'s.
#[derive(Clone, Debug)]
pub struct Newton<St: Storage> {
    structure: Structure<St>,
    entries: St::Pairs<f64>,
    factors: Factors<St, 0>,
    ordered: St::States<f64>,
}

impl<St: Storage> Newton<St> {
    /// For equations of that system.
    pub fn new<Sys: System>(system: &Sys) -> Self {
        let n = system.states();
        let structure = Structure::of(system, true);
        let entries = St::pairs(structure.entries(), 0.0);
        let factors = Factors::new(&structure, n);
        Newton { structure, entries, factors, ordered: St::states(n, 0.0) }
    }

    /// Factorises the slope of `f` at `y`; false if it is singular or not finite.
    pub fn factorise(&mut self, f: impl FnMut(&[Slope], &mut [Slope]), y: &[f64]) -> bool {
        let entries = self.entries.as_mut();
        self.structure.jacobian(f, y, entries);
        entries.iter_mut().for_each(|entry| *entry = -*entry);
        self.factors.factorise(&self.structure, entries, Bundle::ZERO)
    }

    /// Solves f′ x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let order = self.structure.order.as_ref();
        for (own, k) in self.ordered.as_mut().iter_mut().zip(order) {
            *own = b[*k as usize];
        }
        self.factors.solve_real(&self.structure, self.ordered.as_mut());
        for (own, k) in self.ordered.as_ref().iter().zip(order) {
            b[*k as usize] = *own;
        }
    }
}
