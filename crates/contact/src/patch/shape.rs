//! The outline of a contact patch: |x/a|ⁿ + |y/b|ᵐ = 1, 004 (102).
use bristle_kernel::Real;

/// A superellipse. 004 calls n = m = 2 elliptical and n = m = 18 rectangular; where an exponent is infinite the patch is a
/// rectangle indeed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Half the length along x, m.
    pub a: f64,
    /// Half the width along y, m.
    pub b: f64,
    /// The exponent of x.
    pub n: f64,
    /// The exponent of y.
    pub m: f64,
}

/// The exponent that 004 takes for a rectangle.
pub const RECTANGULAR: f64 = 18.0;

/// A smooth stretch of the outline and the parameter that runs along it.
///
/// Near y = 0 the outline is a smooth function of y, near x = 0 of x; they meet where both powers are ½.
/// One parameter w with y = b w(3 − w²)/2 serves for a whole side of an ellipse, and of any outline that is entered along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// x = ±a(1 − |u|ᵐ)^(1/n) over u = y/b.
    Side {
        /// Whether x > 0.
        right: bool,
    },
    /// y = ±b(1 − |u|ⁿ)^(1/m) over u = x/a.
    Face {
        /// Whether y > 0.
        top: bool,
    },
    /// A whole side over w.
    Half {
        /// Whether x > 0.
        right: bool,
    },
}

/// A point of the outline and its derivatives with respect to the parameter.
#[derive(Clone, Copy, Debug)]
pub struct Point<S> {
    /// Where it is.
    pub x: S,
    /// Where it is.
    pub y: S,
    /// dx/dw.
    pub dx: S,
    /// dy/dw.
    pub dy: S,
}

/// xᵉ for 0 ≤ x < 1, by multiplication where e is a small whole number.
#[inline(always)]
pub fn power<S: Real>(x: S, e: f64) -> S {
    powers([x], e)[0]
}

/// The same of several numbers, whose multiplications need not wait for each other.
#[inline(always)]
pub fn powers<S: Real, const N: usize>(mut x: [S; N], e: f64) -> [S; N] {
    if e.is_infinite() {
        return [S::from(0.0); N];
    }
    let mut k = e as u32;
    if e != f64::from(k) || k > 64 {
        for x in &mut x {
            *x = x.powf(S::from(e));
        }
        return x;
    }
    let mut result = [S::from(1.0); N];
    while k > 0 {
        for i in 0..N {
            if k & 1 == 1 {
                result[i] = result[i] * x[i];
            }
            if k > 1 {
                x[i] = x[i] * x[i];
            }
        }
        k >>= 1;
    }
    result
}

#[inline(always)]
fn root<S: Real>(x: S, e: f64) -> S {
    if e == 2.0 {
        x.sqrt()
    } else if e == 1.0 {
        x
    } else {
        x.powf(S::from(1.0 / e))
    }
}

/// The derivative of |x/a|ᵉ.
#[inline(always)]
fn slope<S: Real>(x: S, a: f64, e: f64) -> S {
    let u = x * (1.0 / a);
    u.sign() * power(u.abs(), e - 1.0) * (e / a)
}

/// Whether |u|ᵉ is smooth at 0, or as good as.
pub fn is_smooth(e: f64) -> bool {
    e % 2.0 == 0.0 || e > 24.0
}

impl Shape {
    /// Whether an exponent is infinite.
    #[inline(always)]
    pub fn is_rectangle(&self) -> bool {
        self.n.is_infinite() || self.m.is_infinite()
    }

    /// |x/a|ⁿ + |y/b|ᵐ, of a rectangle the greater of |x/a| and |y/b|: 1 on the outline, less inside.
    #[inline(always)]
    pub fn level<S: Real>(&self, x: S, y: S) -> S {
        let (u, v) = ((x * (1.0 / self.a)).abs(), (y * (1.0 / self.b)).abs());
        if self.is_rectangle() { u.max(v) } else { power(u, self.n) + power(v, self.m) }
    }

    /// The gradient of [`level`](Shape::level).
    #[inline(always)]
    pub fn gradient<S: Real>(&self, x: S, y: S) -> [S; 2] {
        if self.is_rectangle() {
            let (u, v, zero) = (x * (1.0 / self.a), y * (1.0 / self.b), S::from(0.0));
            let along = v.abs().le(u.abs());
            let (gx, gy) = (u.sign() * (1.0 / self.a), v.sign() * (1.0 / self.b));
            return [S::select(along, gx, zero), S::select(along, zero, gy)];
        }
        [slope(x, self.a, self.n), slope(y, self.b, self.m)]
    }

    /// x_L/a over |y|/b: the leading edge, 004 (110).
    #[inline(always)]
    pub fn edge<S: Real>(&self, u: S) -> S {
        if self.is_rectangle() {
            return S::from(1.0);
        }
        root((S::from(1.0) - power(u, self.m)).max(S::from(0.0)), self.n)
    }

    /// |y|/b of the outline over |x|/a.
    #[inline(always)]
    fn face<S: Real>(&self, u: S) -> S {
        if self.is_rectangle() {
            return S::from(1.0);
        }
        root((S::from(1.0) - power(u, self.n)).max(S::from(0.0)), self.m)
    }

    /// The pieces that make up the outline.
    pub fn pieces(&self) -> &'static [Piece] {
        use Piece::*;
        if self.n == 2.0 && self.m <= 4.0 {
            &[Half { right: true }, Half { right: false }]
        } else {
            &[Side { right: true }, Face { top: true }, Side { right: false }, Face { top: false }]
        }
    }

    /// The largest parameter of a piece; the least is its negative.
    pub fn extent(&self, piece: Piece) -> f64 {
        match piece {
            Piece::Side { .. } | Piece::Face { .. } if self.is_rectangle() => 1.0,
            Piece::Side { .. } => 0.5f64.powf(1.0 / self.m),
            Piece::Face { .. } => 0.5f64.powf(1.0 / self.n),
            Piece::Half { .. } => 1.0,
        }
    }

    /// Whether the piece is smooth at its middle, where a coordinate is 0.
    pub fn is_smooth_inside(&self, piece: Piece) -> bool {
        let e = if matches!(piece, Piece::Face { .. }) { self.n } else { self.m };
        self.is_rectangle() || is_smooth(e)
    }

    /// The point of a piece at parameter w.
    #[inline(always)]
    pub fn point<S: Real>(&self, piece: Piece, w: S) -> Point<S> {
        let one = S::from(1.0);
        let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
        // v = (1 − |u|ᵉ)^(1/f), dv/du = −(e/f)|u|^(e−1) sgn(u) v^(1−f)
        let slope = |u: S, v: S, e: f64, f: f64| match self.is_rectangle() {
            true => S::from(0.0),
            false => -(u.sign() * power(u.abs(), e - 1.0) * (e / f)) / power(v, f - 1.0),
        };
        match piece {
            Piece::Side { right } => {
                let (v, a) = (self.edge(w.abs()), self.a * sign(right));
                let dx = slope(w, v, self.m, self.n) * a;
                Point { x: v * a, y: w * self.b, dx, dy: one * self.b }
            }
            Piece::Face { top } => {
                let (v, b) = (self.face(w.abs()), self.b * sign(top));
                let dy = slope(w, v, self.n, self.m) * b;
                Point { x: w * self.a, y: v * b, dx: one * self.a, dy }
            }
            Piece::Half { right } => {
                let a = self.a * sign(right);
                let (u, du) = (Self::height_of_side(w), (one - w * w) * 1.5);
                if self.n != 2.0 {
                    let v = self.edge(u.abs());
                    let dx = slope(u, v, self.m, self.n) * du * a;
                    return Point { x: v * a, y: u * self.b, dx, dy: du * self.b };
                }
                // 1 − |u|ᵐ = (1 − w²)² c with a c that does not vanish, so neither x nor dx/dw is 0/0.
                let flat = one - w * w;
                let c = if self.m == 2.0 {
                    one - w * w * 0.25
                } else {
                    (one - power(u.abs(), self.m)) / (flat * flat)
                };
                let v = c.sqrt();
                let dx = -(u.sign() * power(u.abs(), self.m - 1.0) * (0.75 * self.m)) / v * a;
                Point { x: flat * v * a, y: u * self.b, dx, dy: du * self.b }
            }
        }
    }

    /// y/b of a whole side at parameter w.
    #[inline(always)]
    pub(super) fn height_of_side<S: Real>(w: S) -> S {
        w * (S::from(3.0) - w * w) * 0.5
    }

    /// The parameter of a whole side at y = ub: w(3 − w²)/2 = u, w = 2 sin(asin(u)/3).
    pub fn parameter_of_side(u: f64) -> f64 {
        2.0 * (u.asin() / 3.0).sin()
    }

    /// The piece and parameter of a point of the outline, or of the one that lies on the same ray from
    /// the centre.
    pub fn locate(&self, x: f64, y: f64) -> (Piece, f64) {
        let (u, v) = ((x / self.a).abs(), (y / self.b).abs());
        let (p, q) = match self.is_rectangle() {
            true => (u, v),
            false => (power(u, self.n), power(v, self.m)),
        };
        let right = x >= 0.0;
        if matches!(self.pieces()[0], Piece::Half { .. }) {
            let u = (y / self.b).clamp(-1.0, 1.0);
            return (Piece::Half { right }, Shape::parameter_of_side(u));
        }
        if q <= p {
            let c = self.extent(Piece::Side { right });
            (Piece::Side { right }, (y / self.b).clamp(-c, c))
        } else {
            let c = self.extent(Piece::Face { top: y > 0.0 });
            (Piece::Face { top: y > 0.0 }, (x / self.a).clamp(-c, c))
        }
    }

    /// Whether a point lies inside.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        self.level(x, y) < 1.0
    }
}
