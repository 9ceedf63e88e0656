//! A line contact about steady rolling, 000 (55)-(59).
//!
//! ```text
//! ∂z̃/∂t + V ∂z̃/∂ξ = A(ξ) z̃ + B(ξ) ṽ,   z̃(0, t) = 0                  (55)
//! F̃ = L ∫₀¹ p(ξ) (C(ξ) z̃ + D(ξ) ṽ) dξ                                (56), (59)
//! ```
//!
//! A, B, C, D are those of a friction element at v* and z*(ξ), per unit load. Under ṽ = e^{iωt} a bristle that
//! entered a time τ ago has z̃ = Ẑ(τ) e^{iωt} with dẐ/dτ = (A − iω) Ẑ + B: an ordinary equation along its path,
//! without any grid. It is solved by Gauss collocation of order 8, with as many panels as it takes to settle.
use super::element::{Point, element};
use crate::StateSpace;
use bristle_contact::line::{Length, Line, Transport};
use bristle_kernel::{AnyBristle, Bristle, Drive};
use nalgebra::{Complex, DMatrix, DVector};
use std::fmt;

/// The line contact cannot be linearised about steady rolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLinear {
    /// Its bristle is not linear in its state.
    Bristle,
    /// Its transport or length changes with time: there is no steady rolling.
    Transport,
}

impl fmt::Display for NotLinear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotLinear::Bristle => {
                "line contact: the bristle has no fixed-step update, so it is not linear in its state; take one \
                 that has, such as frbd"
            }
            NotLinear::Transport => {
                "line contact: transport or length change with time, so there is no steady rolling to linearise \
                 about; leave [transport] and [length] out"
            }
        })
    }
}

impl std::error::Error for NotLinear {}

/// Nodes in (0, 1) of Gauss's rule with four points, and its matrix and weights.
struct Gauss {
    nodes: [f64; 4],
    matrix: [[f64; 4]; 4],
    weights: [f64; 4],
}

impl Gauss {
    /// Collocation at the zeros of Legendre's polynomial: rows integrate Lagrange's polynomials to each node.
    fn new() -> Self {
        let (inner, outer) = ((3.0 - 2.0 * 1.2f64.sqrt()) / 7.0, (3.0 + 2.0 * 1.2f64.sqrt()) / 7.0);
        let half = [-outer.sqrt(), -inner.sqrt(), inner.sqrt(), outer.sqrt()];
        let nodes = half.map(|x| 0.5 * (1.0 + x));
        // Not `powi`, of which compilers make more or less exact numbers.
        let power = |x: f64, k: usize| (0..k).fold(1.0, |power, _| power * x);
        let vandermonde = DMatrix::from_fn(4, 4, |i, k| power(nodes[i], k));
        let inverse = vandermonde.try_inverse().unwrap_or_else(|| DMatrix::identity(4, 4));
        let integral = |to: f64, j: usize| {
            (0..4).map(|k| inverse[(k, j)] * power(to, k + 1) / (k as f64 + 1.0)).sum()
        };
        Gauss {
            nodes,
            matrix: core::array::from_fn(|i| core::array::from_fn(|j| integral(nodes[i], j))),
            weights: core::array::from_fn(|j| integral(1.0, j)),
        }
    }

    /// The stages of x′ = M x + r over a step h from x, and the end: (1 − h A⊗M) X = 1⊗x + h A⊗r.
    fn step(
        &self,
        h: f64,
        x: &DVector<Complex<f64>>,
        m: &[DMatrix<Complex<f64>>; 4],
        r: &[DVector<Complex<f64>>; 4],
    ) -> ([DVector<Complex<f64>>; 4], DVector<Complex<f64>>) {
        let n = x.len();
        let real = |x: f64| Complex::new(x, 0.0);
        let mut matrix = DMatrix::identity(4 * n, 4 * n);
        let mut right = DVector::zeros(4 * n);
        for i in 0..4 {
            let mut own = x.clone();
            for j in 0..4 {
                let factor = real(h * self.matrix[i][j]);
                own += &r[j] * factor;
                let mut block = matrix.view_mut((i * n, j * n), (n, n));
                block -= &m[j] * factor;
            }
            right.rows_mut(i * n, n).copy_from(&own);
        }
        let all = matrix.lu().solve(&right).unwrap_or(right);
        let stages: [DVector<Complex<f64>>; 4] =
            core::array::from_fn(|i| all.rows(i * n, n).clone_owned());
        let mut end = x.clone();
        for j in 0..4 {
            end += (&m[j] * &stages[j] + &r[j]) * real(h * self.weights[j]);
        }
        (stages, end)
    }
}

/// A place along the line.
struct Node {
    /// V there, 1/s.
    speed: f64,
    /// L p(ξ) dξ, N.
    load: f64,
    /// The element there, per unit load.
    element: StateSpace,
}

/// One panel: its width in ξ and its nodes.
struct Panel {
    width: f64,
    nodes: [Node; 4],
}

/// A line contact that rolls steadily at the slip velocity v*, linearised.
pub struct LinearLine {
    gauss: Gauss,
    panels: Vec<Panel>,
    /// The load, N.
    pub load: f64,
    /// The steady force, N.
    pub force: f64,
    states: usize,
}

/// Panels at first, and at most. Bristles settle close behind the edge: panels are shorter there.
const PANELS: [usize; 2] = [8, 512];
/// Where two numbers of panels agree so well, relatively, the response has settled.
const SETTLED: f64 = 1e-13;

impl LinearLine {
    /// About steady rolling at `v`.
    pub fn new(line: &Line<'_, AnyBristle<f64>>, v: f64) -> Result<Self, NotLinear> {
        let steady = matches!(line.length, Length::Constant(_));
        if !steady || matches!(line.transport, Transport::Speed { .. }) {
            return Err(NotLinear::Transport);
        }
        let drive = Drive::new(v, 1.0);
        let step = line.bristles.at(
            || 0.0,
            |b| {
                let mut z = vec![0.0; b.states()];
                b.step(bristle_kernel::Update::Exponential, &drive, 0.0, &mut z)
            },
        );
        if step.is_none() {
            return Err(NotLinear::Bristle);
        }
        let mut count = PANELS[0];
        let mut coarse = Self::with(line, v, count);
        loop {
            count *= 2;
            let fine = Self::with(line, v, count);
            let settled = [0.0, fine.fastest()].iter().all(|omega| {
                let (a, b) = (fine.response(*omega), coarse.response(*omega));
                (a - b).norm() <= SETTLED * a.norm()
            });
            if settled || count >= PANELS[1] {
                return Ok(fine);
            }
            coarse = fine;
        }
    }

    /// An angular frequency above which a contact hardly responds: twenty radians in the time of a passage.
    fn fastest(&self) -> f64 {
        20.0 / self.panels.iter().map(|p| p.width / p.nodes[1].speed).sum::<f64>()
    }

    fn with(line: &Line<'_, AnyBristle<f64>>, v: f64, count: usize) -> Self {
        let gauss = Gauss::new();
        let real = |x: f64| Complex::new(x, 0.0);
        let speed = |xi: f64| line.transport.rate(xi, 0.0);
        let states = line.bristles.at(|| 0.0, Bristle::states);
        let mut z: DVector<Complex<f64>> = DVector::zeros(states);
        let (mut panels, mut load, mut force) = (Vec::new(), 0.0, 0.0);
        let graded = (0..=count).map(|k| (k as f64 / count as f64).powi(2));
        let mut edges: Vec<f64> = graded.chain(line.places.iter().copied()).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup_by(|b, a| *b - *a < 1e-12);
        for edge in edges.windows(2) {
            let (from, width) = (edge[0], edge[1] - edge[0]);
            let places = gauss.nodes.map(|c| from + c * width);
            let bristles = places.map(|xi| line.bristles.at(|| xi, Clone::clone));
            // z* along the path: linear, dz/dξ = (A z + ż(0))/V.
            let undeflected = bristles.clone().map(|bristle| {
                let point = Point::new(&bristle, Drive::new(v, 1.0), vec![0.0; states]);
                let mut rate = vec![0.0; states];
                bristle.rate(&point.at, &point.z, &mut rate);
                (element(&bristle, &point).a, rate)
            });
            let m = core::array::from_fn(|i| undeflected[i].0.map(|a| real(a / speed(places[i]))));
            let r = core::array::from_fn(|i| {
                DVector::from_iterator(
                    states,
                    undeflected[i].1.iter().map(|r| real(r / speed(places[i]))),
                )
            });
            let (stages, end) = gauss.step(width, &z, &m, &r);
            z = end;
            let nodes = core::array::from_fn(|i| {
                let settled = stages[i].iter().map(|z| z.re).collect();
                let point = Point::new(&bristles[i], Drive::new(v, 1.0), settled);
                let share =
                    line.length.at(0.0) * (line.pressure)(places[i]) * gauss.weights[i] * width;
                load += share;
                force += share * point.force;
                Node {
                    speed: speed(places[i]),
                    load: share,
                    element: element(&bristles[i], &point),
                }
            });
            panels.push(Panel { width, nodes });
        }
        LinearLine { gauss, panels, load, force, states }
    }

    /// F̃/ṽ in N·s/m, at ω in rad/s.
    pub fn response(&self, omega: f64) -> Complex<f64> {
        let real = |x: f64| Complex::new(x, 0.0);
        let n = self.states;
        let mut z: DVector<Complex<f64>> = DVector::zeros(n);
        let mut sum = real(0.0);
        for panel in &self.panels {
            let m = core::array::from_fn(|i| {
                let node = &panel.nodes[i];
                let mut m = node.element.a.map(real);
                for k in 0..n {
                    m[(k, k)] -= Complex::new(0.0, omega);
                }
                m / real(node.speed)
            });
            let r = core::array::from_fn(|i| {
                let node = &panel.nodes[i];
                node.element.b.column(0).map(|b| real(b / node.speed))
            });
            let (stages, end) = self.gauss.step(panel.width, &z, &m, &r);
            z = end;
            for (node, stage) in panel.nodes.iter().zip(&stages) {
                let element = &node.element;
                let held: Complex<f64> =
                    element.c.row(0).iter().zip(stage).map(|(c, z)| z * *c).sum();
                sum += (held + element.d[(0, 0)]) * node.load; // (56), (59)
            }
        }
        sum
    }
}
