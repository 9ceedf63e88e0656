//! How the load is spread over the patch: 004 (103)-(109), normalised so that ∬p = F_z.
use super::shape::{Shape, powers};
use crate::quadrature::{legendre, tanh_sinh};
use bristle_kernel::{Real, choice};

choice! {
    /// The shape function p̄ of the pressure.
    Profile {
        /// the same everywhere, 004 (105)
        Constant = "const",
        /// 1 − |x/a|ⁿ − |y/b|ᵐ, 004 (107); powers of infinite exponents are 0
        Parabolic = "parab",
        /// exp(−γ(x_L(y) − x)), highest at the leading edge, 004 (108)
        Exponential = "exp",
        /// the product of the last two, 004 (109)
        ParabolicExponential = "pexp",
    }
}

/// A pressure measured on a grid over the rectangle around the patch, row by row in y, bilinear in
/// between.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    nx: usize,
    values: Vec<f64>,
}

/// Why a table of pressures was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum BadTable {
    /// Fewer than two columns or rows, or rows of different length.
    NotAGrid {
        /// Columns asked for.
        columns: usize,
        /// Numbers given.
        numbers: usize,
    },
    /// A pressure that is negative or not a number.
    Negative {
        /// Its place in the list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// No pressure anywhere inside the patch.
    Empty,
}

impl std::fmt::Display for BadTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadTable::NotAGrid { columns, numbers } => write!(
                f,
                "pressure table: {numbers} numbers in rows of {columns} are no grid; give at least two \
                 columns (along x, from -a to a) and two full rows (along y, from -b to b)"
            ),
            BadTable::Negative { index, value } => write!(
                f,
                "pressure table: entry {index} = {value} must be finite and at least 0; only ratios \
                 matter, the table is scaled to the vertical force"
            ),
            BadTable::Empty => write!(
                f,
                "pressure table: the pressure is 0 everywhere inside the patch, so it cannot carry the \
                 vertical force; give at least one positive entry"
            ),
        }
    }
}

impl std::error::Error for BadTable {}

impl Table {
    /// `values` in rows of `columns` from x = −a to a, the first row at y = −b, the last at y = b.
    pub fn new(columns: usize, values: Vec<f64>) -> Result<Self, BadTable> {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        if columns < 2 || rows < 2 || rows * columns != values.len() {
            return Err(BadTable::NotAGrid { columns, numbers: values.len() });
        }
        let wrong = values.iter().position(|p| !(p.is_finite() && *p >= 0.0));
        match wrong {
            Some(index) => Err(BadTable::Negative { index, value: values[index] }),
            None => Ok(Table { nx: columns, values }),
        }
    }

    fn rows(&self) -> usize {
        self.values.len() / self.nx
    }

    /// Σ over the grid of tent functions: generic in the scalar, as only it can be without a gather.
    fn at<S: Real>(&self, u: S, v: S) -> S {
        let tent = |t: S, i: usize, cells: usize| {
            let at = (t + 1.0) * (0.5 * cells as f64) - i as f64;
            (S::from(1.0) - at.abs()).max(S::from(0.0))
        };
        let mut sum = S::from(0.0);
        for j in 0..self.rows() {
            let across = tent(v, j, self.rows() - 1);
            let mut row = S::from(0.0);
            for i in 0..self.nx {
                row += tent(u, i, self.nx - 1) * self.values[j * self.nx + i];
            }
            sum += across * row;
        }
        sum
    }
}

/// A pressure over a shape, in pascals.
#[derive(Clone, Debug)]
pub struct Pressure {
    kind: Kind,
    gamma: f64,
    /// p₀ of 004 (104).
    p0: f64,
}

#[derive(Clone, Debug)]
enum Kind {
    Profile(Profile),
    Table(Table),
}

impl Pressure {
    /// The profile over `shape` that carries `load` newtons.
    pub fn new(shape: &Shape, profile: Profile, gamma: f64, load: f64) -> Self {
        Pressure { kind: Kind::Profile(profile), gamma, p0: 1.0 }.scaled_to(shape, load)
    }

    /// The table over `shape`, scaled so that it carries `load` newtons.
    pub fn tabulated(shape: &Shape, table: Table, load: f64) -> Result<Self, BadTable> {
        let bare = Pressure { kind: Kind::Table(table), gamma: 0.0, p0: 1.0 };
        let total = bare.total(shape);
        if total > 0.0 { Ok(bare.scaled_to(shape, load)) } else { Err(BadTable::Empty) }
    }

    fn scaled_to(self, shape: &Shape, load: f64) -> Self {
        let p0 = load / self.total(shape);
        Pressure { p0, ..self }
    }

    /// ∬p, by cells between whose ends nothing is smooth: those of a table's grid, or quarters, whose edges have roots at their
    /// ends.
    fn total(&self, shape: &Shape) -> f64 {
        let (rule, from, [rows, columns]): (&[(f64, f64)], f64, _) = match &self.kind {
            Kind::Table(table) => (legendre(8), -1.0, [table.rows() - 1, table.nx - 1]),
            // All profiles are even in y.
            Kind::Profile(_) => (tanh_sinh(), 0.0, [1, 2]),
        };
        let step = [(1.0 - from) / rows as f64, 2.0 / columns as f64];
        let mut sum = 0.0;
        for (j, (c, across)) in (0..rows).flat_map(|j| rule.iter().map(move |node| (j, node))) {
            let v = from + step[0] * (j as f64 + c);
            let edge = shape.edge(v.abs());
            for i in 0..columns {
                let ends = [i, i + 1].map(|i| (step[1] * i as f64 - 1.0).clamp(-edge, edge));
                for (c, along) in rule {
                    let u = ends[0] + (ends[1] - ends[0]) * c;
                    let p = self.at(shape, u * shape.a, v * shape.b);
                    sum += p * across * along * (ends[1] - ends[0]) * step[0];
                }
            }
        }
        sum * shape.a * shape.b * 2.0 / (1.0 - from)
    }

    /// p at a point of the patch.
    #[inline(always)]
    pub fn at<S: Real>(&self, shape: &Shape, x: S, y: S) -> S {
        self.over(shape, &[[x, y]])[0]
    }

    /// p at several points of the patch.
    #[inline(always)]
    pub fn over<S: Real, const N: usize>(&self, shape: &Shape, at: &[[S; 2]; N]) -> [S; N] {
        let mut p = [S::from(self.p0); N];
        let profile = match &self.kind {
            Kind::Table(table) => {
                for (p, [x, y]) in p.iter_mut().zip(at) {
                    *p = *p * table.at(*x * (1.0 / shape.a), *y * (1.0 / shape.b));
                }
                return p;
            }
            Kind::Profile(profile) => *profile,
        };
        if matches!(profile, Profile::Parabolic | Profile::ParabolicExponential) {
            let (mut u, mut v) = (p, p);
            for i in 0..N {
                u[i] = (at[i][0] * (1.0 / shape.a)).abs();
                v[i] = (at[i][1] * (1.0 / shape.b)).abs();
            }
            let (u, v) = (powers(u, shape.n), powers(v, shape.m));
            for i in 0..N {
                p[i] = p[i] * (S::from(1.0) - u[i] - v[i]).max(S::from(0.0));
            }
        }
        if matches!(profile, Profile::Exponential | Profile::ParabolicExponential) {
            for (p, [x, y]) in p.iter_mut().zip(at) {
                let edge = shape.edge((*y * (1.0 / shape.b)).abs()) * shape.a;
                *p = *p * ((*x - edge) * self.gamma).exp();
            }
        }
        p
    }

    /// p₀ of 004 (104), Pa.
    pub fn scale(&self) -> f64 {
        self.p0
    }
}
