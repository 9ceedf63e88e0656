//! What is summed over the bristles of a patch.
use super::bristles::{Bristles, WideDual};
use super::inflow::Wide;
use bristle_kernel::{Real, Sym2};

/// One node of a path.
#[derive(Clone, Copy, Debug)]
pub struct Node<S> {
    /// The area it stands for, m².
    pub area: S,
    /// The load on it, N.
    pub load: S,
    /// Where it is.
    pub at: [S; 2],
    /// The deflection, m.
    pub z: [S; 2],
    /// Its derivative along the path.
    pub dz: [S; 2],
    /// v̄_r.
    pub slip: [S; 2],
}

/// Some K sums over all nodes.
pub trait Tally<S: Real, const K: usize>: Clone {
    /// A node of a path.
    fn node(&mut self, node: &Node<S>);
    /// The end of a path: with which deflection, and the load that leaves, N/m.
    #[inline(always)]
    fn exit(&mut self, _z: [S; 2], _load: S) {}
    /// The sums, lane by lane.
    fn sums(&self) -> [Wide; K];
}

/// F_x, F_y and M_z in both configurations, 004 (37), (38), and the load that was met.
#[derive(Clone, Copy, Debug)]
pub struct Forces<S> {
    stiffness: Sym2<S>,
    /// V_rΣ₁.
    damping: Sym2<S>,
    sums: [S; 5],
}

impl<S: Real> Forces<S> {
    /// No force yet.
    pub fn new(bristle: &dyn Bristles<S>, speed: S) -> Self {
        let damping = bristle.damping().scaled(speed);
        Forces { stiffness: bristle.stiffness(), damping, sums: [S::from(0.0); 5] }
    }

    #[inline(always)]
    fn add(&mut self, n: &Node<S>) {
        let ([ex, ey], [dx, dy]) = (self.stiffness.times(n.z), self.damping.times(n.dz));
        let (fx, fy) = ((ex + dx) * n.load, (ey + dy) * n.load); // (36)
        let [x, y] = n.at;
        self.sums[0] += fx;
        self.sums[1] += fy;
        self.sums[2] += x * fy - y * fx; // (37b)
        self.sums[3] += (x + n.z[0]) * fy - (y + n.z[1]) * fx; // (38)
        self.sums[4] += n.load;
    }
}

impl Tally<Wide, 5> for Forces<Wide> {
    #[inline(always)]
    fn node(&mut self, node: &Node<Wide>) {
        self.add(node);
    }
    fn sums(&self) -> [Wide; 5] {
        self.sums
    }
}

/// Values first, then derivatives.
impl Tally<WideDual, 10> for Forces<WideDual> {
    #[inline(always)]
    fn node(&mut self, node: &Node<WideDual>) {
        self.add(node);
    }
    fn sums(&self) -> [Wide; 10] {
        std::array::from_fn(|k| if k < 5 { self.sums[k].re } else { self.sums[k - 5].eps[0] })
    }
}
