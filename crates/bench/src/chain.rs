//! Blocks in a row on a belt (Burridge-Knopoff), of any number: what large systems are measured by.
use bristle_kernel::bristle::LuGre;
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Drive, Real, Start};
use bristle_system::{Contact, Coupled, Mechanism, Quantity, Role, Units};

/// Speed of the belt, m/s.
const BELT: f64 = 0.04;
/// Springs to the ground and between neighbours, N/m.
const GROUND: f64 = 30.0;
const COUPLING: f64 = 45.0;
/// Masses, kg, and loads, N, which repeat.
const MASS: [f64; 3] = [1.0, 1.1, 0.9];
const LOAD: [f64; 3] = [10.0, 11.0, 12.5];

/// Blocks on a belt, each tied to the ground and to its neighbours.
pub struct Chain {
    quantities: Vec<Quantity>,
    contacts: Vec<Contact>,
}

impl Chain {
    /// So many blocks, with LuGre friction under each.
    pub fn with_lugre(blocks: usize) -> Coupled<Chain> {
        let pair = [Quantity::position("x"), Quantity::velocity("v")];
        let quantities = pair.into_iter().cycle().take(2 * blocks).collect();
        let contact = Contact { name: "", role: Role::Friction, units: Units::LINE };
        let law = Stribeck {
            mu_s: 0.45,
            mu_d: 0.30,
            v_s: 0.03,
            exponent: 2.0,
            viscous: 0.4,
            ..Stribeck::start(())
        };
        let lugre = LuGre { sigma0: 2e4, sigma1: 80.0, ..LuGre::start(law) };
        Coupled::new(Chain { quantities, contacts: vec![contact; blocks] }, lugre)
    }

    fn blocks(&self) -> usize {
        self.contacts.len()
    }

    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> {
        [i.wrapping_sub(1), i + 1].into_iter().filter(|j| *j < self.blocks())
    }
}

impl Mechanism for Chain {
    fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
    fn drives(&self) -> &[Quantity] {
        &[]
    }
    fn initial(&self, y: &mut [f64]) {
        for (i, y) in y.chunks_mut(2).enumerate() {
            (y[0], y[1]) = (0.03 + 0.02 * (1.7 * (i + 1) as f64).sin(), BELT);
        }
    }
    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        if k.is_multiple_of(2) {
            return on(k + 1);
        }
        on(k - 1);
        self.neighbours(k / 2).for_each(|j| on(2 * j));
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        on(2 * i + 1);
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        on(2 * i + 1);
    }
    fn drive<S: Real>(&self, i: usize, t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[2 * i] - t * BELT, ..Drive::new(y[2 * i + 1] - BELT, S::from(LOAD[i % 3])) }
    }
    fn rates<S: Real>(&self, _t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        for i in 0..self.blocks() {
            let x = y[2 * i];
            let mut sum = -(x * GROUND) - force[i];
            for j in self.neighbours(i) {
                sum += (y[2 * j] - x) * COUPLING;
            }
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = sum / MASS[i % 3];
        }
    }
    fn input(&self, _i: usize, _t: f64, _phase: &[usize]) -> f64 {
        0.0
    }
    fn switch(&self, _i: usize, _k: usize) -> f64 {
        f64::INFINITY
    }
}
