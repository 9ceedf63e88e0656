//! Planar FrBD: one Kelvin-Voigt bristle in the plane, the local model of 004.
//!
//! ```text
//! ż = −G⁻¹ [Σ₀ m z − M² v],   m = ‖M v‖_ε                          (23a)
//! G = Σ₁ m + M²                                                    (24)
//! F = N (Σ₀ z + Σ₁ ż)                                              (2)
//!
//! W         = ½ N zᵀΣ₀z                                            (72)
//! F·v − Ẇ   = N (zᵀQ₁z + vᵀQ₂v) ≥ 0                                (97)
//! Q₁ = m Σ₀G⁻¹Σ₀,   Q₂ = M²G⁻¹Σ₁                                   (98)
//! ```
//!
//! Equation numbers of 004, (72), (97), (98) taken at one bristle, without transport; z in m, Σ₀ in 1/m,
//! Σ₁ in s/m, ‖y‖_ε = √(‖y‖² + ε). One change of sign: in the paper z and f point against the sliding
//! velocity (v_s = v_r + ż); here, as in every lumped model of this crate, along it. Σ₁ = 0 gives the
//! two-dimensional LuGre model.
//!
//! The paper asks for Q₂ ⪰ 0 as a condition. It always holds: m Q₂ is the parallel sum of M² and mΣ₁,
//! symmetric and positive semidefinite whenever both are.
use super::modal::{self, square};
use super::{
    Bristle, Drive, Energy, LIFT_OFF_TIME, Passivity, Planar, Response, ScalarResponse, Update,
    Variable,
};
use crate::{FrictionMatrix, Params, Report, Sym2};
use bristle_num::{Logic, Real};

/// The bristle in the plane, with stiffness, damping and friction that may depend on direction.
///
/// Choose it for a body that slides in two directions, and as what a rolling contact patch is made
/// of. It is passive for all admissible matrices, and its steady force is the one that dissipates
/// most among those the friction matrix allows. It does not hold a stick.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "frbd_planar",
    title = "FrBD in the plane, with full stiffness, damping and friction matrices",
    source = "004 §2, (2), (12)-(16), (23)-(26)",
    stick = "no: creeps under pulsating loads below the static limit",
    passive = "yes, at constant load, for all parameters: 004 (97), (98)",
    law = "yes in steady sliding, 004 (26)",
    rules = "|sigma0_xy| below sqrt(sigma0_xx sigma0_yy), |sigma1_xy| at most sqrt(sigma1_xx sigma1_yy)",
    check = definite
)]
pub struct FrbdPlanar<S, L> {
    /// stiffness Σ₀, entry xx
    #[param(unit = "1/m", start = 240.0, range = "(0, inf)", eq = "004 (3a)")]
    pub sigma0_xx: S,
    /// stiffness Σ₀, entry xy
    #[param(unit = "1/m", start = 0.0, range = "(-inf, inf)", eq = "004 (3a)")]
    pub sigma0_xy: S,
    /// stiffness Σ₀, entry yy
    #[param(unit = "1/m", start = 240.0, range = "(0, inf)", eq = "004 (3a)")]
    pub sigma0_yy: S,
    /// damping Σ₁, entry xx
    #[param(unit = "s/m", start = 0.0, range = "[0, inf)", eq = "004 (3b)")]
    pub sigma1_xx: S,
    /// damping Σ₁, entry xy
    #[param(unit = "s/m", start = 0.0, range = "(-inf, inf)", eq = "004 (3b)")]
    pub sigma1_xy: S,
    /// damping Σ₁, entry yy
    #[param(unit = "s/m", start = 0.0, range = "[0, inf)", eq = "004 (3b)")]
    pub sigma1_yy: S,
    /// regularisation ε of ‖Mv‖
    #[param(unit = "m^2/s^2", start = 0.0, range = "[0, inf)", eq = "004 (16)")]
    pub epsilon: S,
    /// friction matrix M(v)
    #[param(nested)]
    pub matrix: L,
}

fn definite<L>(p: &FrbdPlanar<f64, L>, report: &mut Report<'_>) {
    let limit = |xx: f64, yy: f64| (xx * yy).max(0.0).sqrt();
    let stiff = limit(p.sigma0_xx, p.sigma0_yy);
    report.expect(
        p.sigma0_xy.abs() < stiff,
        ("sigma0_xy", None, p.sigma0_xy),
        "must be, in magnitude, below sqrt(sigma0_xx*sigma0_yy) =",
        stiff,
        "the stiffness must be positive definite",
    );
    let damp = limit(p.sigma1_xx, p.sigma1_yy);
    report.expect(
        p.sigma1_xy.abs() <= damp,
        ("sigma1_xy", None, p.sigma1_xy),
        "must be, in magnitude, at most sqrt(sigma1_xx*sigma1_yy) =",
        damp,
        "the damping must be positive semidefinite",
    );
}

/// The matrices of (23) at one sliding velocity.
struct Local<S> {
    sigma0: Sym2<S>,
    sigma1: Sym2<S>,
    /// M².
    friction: Sym2<S>,
    /// ‖Mv‖_ε.
    speed: S,
    /// G⁻¹.
    ginv: Sym2<S>,
}

impl<S: Real, L: FrictionMatrix<S>> FrbdPlanar<S, L> {
    #[inline(always)]
    fn local(&self, v: [S; 2]) -> Local<S> {
        let m = self.matrix.matrix(v);
        let [x, y] = m.times(v);
        let plain = x.hypot(y);
        let speed =
            S::select(self.epsilon.gt(S::from(0.0)), (plain * plain + self.epsilon).sqrt(), plain);
        let (sigma1, friction) = (self.damping(), m.squared());
        let g = sigma1.scaled(speed).plus(&friction); // (24)
        Local { sigma0: self.stiffness(), sigma1, friction, speed, ginv: g.inverse() }
    }

    /// −ż/z at lift-off as a matrix: Σ₁⁻¹Σ₀ where the damping is definite, as in 002 (6).
    #[inline(always)]
    fn free(&self, z: [S; 2]) -> [S; 2] {
        let damping = self.damping();
        let definite = damping.det().gt(S::from(0.0));
        let damped = damping.inverse().times(self.stiffness().times(z));
        core::array::from_fn(|i| -S::select(definite, damped[i], z[i] / LIFT_OFF_TIME))
    }

    /// Σ₀z + Σ₁ż, times the load.
    #[inline(always)]
    fn pull(&self, at: &Drive<S, [S; 2]>, z: [S; 2], dz: [S; 2]) -> [S; 2] {
        let (elastic, viscous) = (self.stiffness().times(z), self.damping().times(dz));
        core::array::from_fn(|i| {
            S::select(at.pressed(), at.load * (elastic[i] + viscous[i]), S::from(0.0))
        })
    }

    /// (I − hA/2)ż = A z + c: with (23) times G, (G + (h/2)mΣ₀) ż = M²v − mΣ₀z.
    #[inline(always)]
    fn midpoint(&self, at: &Drive<S, [S; 2]>, h: S, z: &mut [S]) -> [S; 2] {
        let (start, half) = ([z[0], z[1]], h * 0.5);
        let l = self.local(at.v);
        let g = l.sigma1.scaled(l.speed).plus(&l.friction);
        let (pull, back) = (l.friction.times(at.input()), l.sigma0.scaled(l.speed).times(start));
        let lhs = g.plus(&l.sigma0.scaled(half * l.speed)).inverse();
        let rate = lhs.times([pull[0] - back[0], pull[1] - back[1]]);
        let middle = core::array::from_fn(|i| start[i] + half * rate[i]);
        for i in 0..2 {
            z[i] += h * rate[i];
        }
        self.pull(at, middle, rate)
    }

    /// With Σ₀ = RᵀR (R upper triangular) and y = R z, (23) reads ẏ = −m R G⁻¹Rᵀ y + R G⁻¹M²v; at lift-off
    /// ẏ = −R Σ₁⁻¹Rᵀ y where the damping is definite, −y/T where it is not.
    fn exponential(&self, at: &Drive<S, [S; 2]>, h: S, z: &mut [S]) -> [S; 2] {
        let l = self.local(at.v);
        let r00 = l.sigma0.xx.sqrt();
        let r01 = l.sigma0.xy / r00;
        let r11 = (l.sigma0.yy - r01 * r01).sqrt();
        let up = |z: [S; 2]| [r00 * z[0] + r01 * z[1], r11 * z[1]];
        let down = |y: &[S]| {
            let z1 = y[1] / r11;
            [(y[0] - r01 * z1) / r00, z1]
        };
        let (on, zero) = (at.pressed(), S::from(0.0));
        let rows = [[r00, r01], [zero, r11]];
        let pressed = rows.map(|row| up(l.ginv.scaled(l.speed).times(row)));
        let damping = self.damping();
        let definite = damping.det().gt(zero);
        let free = rows.map(|row| up(damping.inverse().times(row)));
        let s = square(2, |i, j| {
            let alone = if i == j { S::from(1.0 / LIFT_OFF_TIME) } else { zero };
            S::select(on, pressed[j][i], S::select(definite, free[j][i], alone))
        });
        let c = up(l.ginv.times(l.friction.times(at.input()))).map(|c| S::select(on, c, zero));
        let (end, mean, rate) = modal::advance(s, &up([z[0], z[1]]), &c, h);
        z.copy_from_slice(&down(&end));
        self.pull(at, down(&mean), down(&rate))
    }
}

impl<S: Real, L: FrictionMatrix<S>> Planar<S> for FrbdPlanar<S, L> {
    #[inline(always)]
    fn stiffness(&self) -> Sym2<S> {
        Sym2 { xx: self.sigma0_xx, xy: self.sigma0_xy, yy: self.sigma0_yy }
    }
    #[inline(always)]
    fn damping(&self) -> Sym2<S> {
        Sym2 { xx: self.sigma1_xx, xy: self.sigma1_xy, yy: self.sigma1_yy }
    }

    /// A = mG⁻¹Σ₀, B = G⁻¹M² (23a).
    #[inline(always)]
    fn response(&self, v: [S; 2]) -> Response<S> {
        let l = self.local(v);
        Response {
            forget: l.ginv.scaled(l.speed).product(&l.sigma0),
            follow: l.ginv.product(&l.friction),
        }
    }

    /// Equality is of all that the scalars carry: parameters seeded apart have derivatives apart.
    fn is_alike(&self) -> bool {
        let multiple = |m: Sym2<S>| m.xx == m.yy && m.xy == S::from(0.0);
        multiple(self.stiffness()) && multiple(self.damping()) && self.matrix.is_scalar()
    }

    #[inline(always)]
    fn scalar_response(&self, speed_squared: S) -> ScalarResponse<S> {
        let mu = self.matrix.scalar(speed_squared.sqrt());
        let square = mu * mu;
        let m = (square * speed_squared + self.epsilon).sqrt();
        let g = S::from(1.0) / (self.sigma1_xx * m + square);
        ScalarResponse { forget: self.sigma0_xx * m * g, follow: square * g }
    }

    /// G ⪰ M² ⪰ μ_min²: ‖mG⁻¹Σ₀‖ ≤ ‖M‖v‖Σ₀‖/λ_min(M)², at its largest where v is.
    fn fastest(&self, v_max: S) -> S {
        let mu = self.matrix.highest(v_max);
        let low = self.matrix.lowest();
        (mu * v_max).hypot(self.epsilon.sqrt()) * self.stiffness().eigenvalues()[1] / (low * low)
    }

    fn highest(&self, v_max: S) -> S {
        self.matrix.highest(v_max)
    }
}

impl<S: Real, L: FrictionMatrix<S>> Bristle<S, [S; 2]> for FrbdPlanar<S, L> {
    #[inline(always)]
    fn states(&self) -> usize {
        2
    }
    fn variable(&self, i: usize) -> Variable {
        Variable { symbol: ["zx", "zy"][i.min(1)], ..Variable::DEFLECTION }
    }

    #[inline(always)]
    fn rate(&self, at: &Drive<S, [S; 2]>, z: &[S], dz: &mut [S]) {
        let z = [z[0], z[1]];
        let l = self.local(at.v);
        let (pull, back) = (l.friction.times(at.input()), l.sigma0.times(z));
        let rate = l.ginv.times([pull[0] - l.speed * back[0], pull[1] - l.speed * back[1]]); // (23a)
        let (free, on) = (self.free(z), at.pressed());
        for i in 0..2 {
            dz[i] = S::select(on, rate[i], free[i]);
        }
    }

    #[inline(always)]
    fn force(&self, at: &Drive<S, [S; 2]>, z: &[S], dz: &[S]) -> [S; 2] {
        self.pull(at, [z[0], z[1]], [dz[0], dz[1]]) // (2)
    }

    fn steady(&self, at: &Drive<S, [S; 2]>, z: &mut [S]) -> [S; 2] {
        let zero = S::from(0.0);
        let l = self.local(at.v);
        let moving = l.speed.gt(zero) & at.pressed();
        let divisor = S::select(moving, l.speed, S::from(1.0));
        // (26), with v/‖Mv‖ formed first: both may be tiny.
        let along = at.v.map(|v| S::select(moving, v / divisor, zero));
        let f = l.friction.times(along);
        z.copy_from_slice(&l.sigma0.inverse().times(f)); // (25)
        f.map(|f| f * S::select(moving, at.load, zero))
    }

    #[inline(always)]
    fn energy(&self, at: &Drive<S, [S; 2]>, z: &[S], _dz: &[S]) -> Energy<S> {
        let n = S::select(at.pressed(), at.load, S::from(0.0));
        let z = [z[0], z[1]];
        let l = self.local(at.v);
        let q1 = l.ginv.form(l.sigma0.times(z)) * l.speed; // (98a)
        let flow = l.ginv.times(l.sigma1.times(at.v));
        let pull = l.friction.times(at.v);
        let q2 = pull[0] * flow[0] + pull[1] * flow[1]; // (98b)
        Energy {
            stored: n * l.sigma0.form(z) * 0.5,
            dissipated: n * (q1 + q2),
            known: S::Mask::splat(true),
        }
    }

    fn passivity(&self) -> Passivity<S> {
        Passivity::always("004 (97), (98): Q₁ and the parallel sum Q₂ are positive semidefinite")
    }

    /// With f = Σ₀z, d(fᵀΣ₀⁻¹f)/dt ≤ −2m√(fᵀG⁻¹f)(√(fᵀG⁻¹f) − 1) because G ⪰ M²: what exceeds
    /// λ_max(G)/λ_min(Σ₀) falls.
    fn bound(&self, z0: &[S], v_max: S, _load_max: S, out: &mut [S]) {
        let [soft, _] = self.stiffness().eigenvalues();
        let mu = self.matrix.highest(v_max);
        let speed = (mu * v_max).hypot(self.epsilon.sqrt());
        let g = self.damping().eigenvalues()[1] * speed + mu * mu;
        let start = self.stiffness().form([z0[0], z0[1]]);
        let energy = start.max(g / soft);
        out.fill((energy / soft).sqrt());
    }

    /// A bristle that is off the ground takes the exact update in both cases.
    #[inline(always)]
    fn step(&self, how: Update, at: &Drive<S, [S; 2]>, h: S, z: &mut [S]) -> Option<[S; 2]> {
        modal::step_by_contact(
            how,
            at,
            z,
            #[inline(always)]
            |z| self.midpoint(at, h, z),
            |z| self.exponential(at, h, z),
        )
    }
}
