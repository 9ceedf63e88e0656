//! Line contact: a row of bristles through which the counterpart travels, 000 §IV.
//!
//! ```text
//! ∂z/∂t + V ∂z/∂ξ = ż(z, v),   z(0, t) = 0                         (34)
//! F = L ∫₀¹ p(ξ) f(ξ, t) dξ                                        (38), (39)
//! ```
//!
//! Equation numbers of 000; ξ in [0, 1] from the leading edge, V in 1/s, p in N/m, f the bristle's force per
//! unit load. Any model of the kernel that is linear in its state may stand in the row, along a line or in a
//! plane, one state or many; it may change with ξ. A bristle is followed along its own path from where it
//! entered: transport is exact, and what is left is the integral (40) of one linear equation, which
//! extrapolation takes to rounding.
use crate::quadrature::legendre;
use bristle_kernel::{Bristle, Drive, Slip, Update};

/// How the counterpart travels along the contact.
#[derive(Clone, Copy)]
pub enum Transport<'a> {
    /// V, 1/s.
    Constant(f64),
    /// V(ξ), 1/s, positive.
    Profile(&'a dyn Fn(f64) -> f64),
    /// V(t), 1/s, positive: 000 Remark IV.3.
    Speed(&'a dyn Fn(f64) -> f64),
}

/// ∫f from `from` to `to`.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let h = to - from;
    legendre(24).iter().map(|(c, w)| w * h * f(from + c * h)).sum()
}

/// The zero of `f`, whose derivative is `slope`, near `x`.
fn newton(f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64, x: f64) -> f64 {
    let mut x = x;
    for _ in 0..40 {
        let step = f(x) / slope(x);
        x -= step;
        if step.abs() <= 1e-15 * x.abs().max(1e-6) {
            break;
        }
    }
    x
}

impl Transport<'_> {
    /// The time at which the bristle that is at ξ at time t entered.
    pub fn entry(&self, xi: f64, t: f64) -> f64 {
        match self {
            Transport::Constant(v) => t - xi / v,
            Transport::Profile(v) => t - integral(|x| 1.0 / v(x), 0.0, xi), // (41)
            Transport::Speed(v) => {
                newton(|entry| integral(v, entry, t) - xi, |entry| -v(entry), t - xi / v(t))
            }
        }
    }

    /// Where the bristle was at time `earlier` that is at ξ at time t.
    pub fn place(&self, xi: f64, t: f64, earlier: f64) -> f64 {
        match self {
            Transport::Constant(v) => xi - v * (t - earlier),
            Transport::Profile(v) => {
                let time = |x: f64| integral(|x| 1.0 / v(x), x, xi);
                newton(|x| time(x) - (t - earlier), |x| -1.0 / v(x), xi - v(xi) * (t - earlier))
            }
            Transport::Speed(v) => xi - integral(v, earlier, t),
        }
    }
}

/// A line contact.
#[derive(Clone, Copy)]
pub struct Line<'a, B> {
    /// L, m.
    pub length: f64,
    /// V.
    pub transport: Transport<'a>,
    /// p(ξ), N/m.
    pub pressure: &'a dyn Fn(f64) -> f64,
    /// The bristle at ξ.
    pub bristle: &'a dyn Fn(f64) -> B,
    /// Times at which the slip velocity jumps or bends, s; its changes of sign are found.
    pub breaks: &'a [f64],
}

/// What a line contact does at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<V> {
    /// The friction force, N.
    pub force: V,
    /// The energy stored in the bristles, J, 000 (51).
    pub stored: f64,
    /// The power that is dissipated in them, W.
    pub dissipated: f64,
    /// The load, N.
    pub load: f64,
}

/// Why a line contact was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLinear;

impl std::fmt::Display for NotLinear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "line contact: the bristle has no fixed-step update, so it is not linear in its state; take one \
             of dahl, lugre, frbd, frbd_gm, frbd_gkv, frbd_planar"
        )
    }
}

impl std::error::Error for NotLinear {}

/// The most states a bristle in a line may have.
const STATES: usize = 24;

/// A bristle's state, and how many entries of it are used.
type States = ([f64; STATES], usize);

/// Follows one bristle: the exact step at frozen midpoint drive is symmetric, its error has even powers of
/// the step only, and Romberg's extrapolation takes them away one by one.
fn follow<B: Bristle<f64, V>, V: Slip<f64>>(
    at: impl Fn(f64) -> (B, V),
    from: f64,
    to: f64,
    start: States,
) -> Result<States, NotLinear> {
    if to <= from {
        return Ok(start);
    }
    let run = |steps: usize| {
        let h = (to - from) / steps as f64;
        let mut z = start;
        for i in 0..steps {
            let (bristle, v) = at(from + (i as f64 + 0.5) * h);
            let drive = Drive::new(v, 1.0);
            bristle.step(Update::Exponential, &drive, h, &mut z.0[..z.1]).ok_or(NotLinear)?;
        }
        Ok(z)
    };
    const ROWS: usize = 11;
    let mut table: [States; ROWS] = [start; ROWS];
    table[0] = run(1)?;
    for k in 1..ROWS {
        table[k] = run(1 << k)?;
        // The new row from right to left over the old one: table[k − j] becomes its j-th entry.
        let old = table;
        for j in 1..=k {
            let factor = 4f64.powi(j as i32) - 1.0;
            for i in 0..start.1 {
                table[k - j].0[i] =
                    table[k - j + 1].0[i] + (table[k - j + 1].0[i] - old[k - j].0[i]) / factor;
            }
        }
        let (best, before) = (table[0], old[0]);
        let scale = best.0[..start.1].iter().fold(0.0f64, |m, z| m.max(z.abs()));
        let change = (0..start.1).fold(0.0f64, |m, i| m.max((best.0[i] - before.0[i]).abs()));
        if change <= 2e-15 * scale {
            return Ok(best);
        }
    }
    Ok(table[0])
}

/// Where `f` changes sign between `from` and `to`.
fn zeros(f: impl Fn(f64) -> f64, from: f64, to: f64) -> Vec<f64> {
    const SAMPLES: usize = 256;
    let at = |k: usize| from + (to - from) * k as f64 / SAMPLES as f64;
    let mut found = Vec::new();
    for k in 0..SAMPLES {
        let (mut lo, mut hi) = (at(k), at(k + 1));
        let sign = f(lo) > 0.0;
        if (f(hi) > 0.0) == sign {
            continue;
        }
        for _ in 0..80 {
            let middle = 0.5 * (lo + hi);
            *(if (f(middle) > 0.0) == sign { &mut lo } else { &mut hi }) = middle;
        }
        found.push(hi);
    }
    found
}

impl<B> Line<'_, B> {
    /// The state at time t under the velocity v, from undeflected bristles at time 0.
    ///
    /// v must be smooth but for changes of sign and the `breaks` of the line; for a jump at time 0 `before` says
    /// what was there: the steady state under a constant velocity, or nothing.
    pub fn at<V: Slip<f64>>(
        &self,
        t: f64,
        v: &dyn Fn(f64) -> V,
        before: Option<V>,
    ) -> Result<State<V>, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        let first = self.transport.entry(1.0, t);
        let mut kinks: Vec<f64> =
            if V::DIM == 1 { zeros(|t| v(t).get(0), first.max(0.0), t) } else { Vec::new() };
        kinks.extend(self.breaks.iter().filter(|b| **b > 0.0 && **b < t));
        kinks.sort_by(f64::total_cmp);
        // Bristles that entered at time 0 or when v changed sign divide the contact.
        let mut cuts = vec![0.0, 1.0];
        let entered = |time: f64| {
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                *(if self.transport.entry(middle, t) > time { &mut lo } else { &mut hi }) = middle;
            }
            hi
        };
        cuts.extend(
            kinks.iter().copied().chain([0.0]).filter(|k| *k > first && *k < t).map(entered),
        );
        cuts.sort_by(f64::total_cmp);
        let zero = V::from_fn(|_| 0.0);
        let mut sum = State { force: zero, stored: 0.0, dissipated: 0.0, load: 0.0 };
        let rule = legendre(16);
        for cut in cuts.windows(2) {
            // Four panels to a stretch: bristles settle close behind the edge.
            let stretch = cut[1] - cut[0];
            if stretch <= 1e-15 {
                continue;
            }
            let mut from = cut[0];
            for part in [0.1, 0.35, 0.7, 1.0] {
                let to = cut[0] + part * stretch;
                for (c, w) in rule {
                    let xi = from + c * (to - from);
                    let z = self.bristle_at(xi, t, v, before, &kinks)?;
                    let bristle = (self.bristle)(xi);
                    let drive = Drive::new(v(t), 1.0);
                    let mut dz = [0.0; STATES];
                    let f = bristle.eval(&drive, &z.0[..z.1], &mut dz[..z.1]);
                    let energy = bristle.energy(&drive, &z.0[..z.1], &dz[..z.1]);
                    let load = self.length * (self.pressure)(xi) * w * (to - from); // (38)
                    sum.force = V::from_fn(|i| sum.force.get(i) + load * f.get(i)); // (39)
                    sum.stored += load * energy.stored;
                    sum.dissipated += load * energy.dissipated;
                    sum.load += load;
                }
                from = to;
            }
        }
        Ok(sum)
    }

    /// The state of the bristle that is at ξ at time t.
    fn bristle_at<V: Slip<f64>>(
        &self,
        xi: f64,
        t: f64,
        v: &dyn Fn(f64) -> V,
        before: Option<V>,
        kinks: &[f64],
    ) -> Result<States, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        let entry = self.transport.entry(xi, t);
        let mut z: States = ([0.0; STATES], (self.bristle)(xi).states());
        let here = |time: f64| (self.bristle)(self.transport.place(xi, t, time));
        if let (Some(v), true) = (before, entry < 0.0) {
            z = follow(|time| (here(time), v), entry, 0.0, z)?;
        }
        let mut from = entry.max(0.0);
        for to in kinks.iter().copied().filter(|k| *k > entry).chain([t]) {
            z = follow(|time| (here(time), v(time)), from, to, z)?;
            from = to.max(from);
        }
        Ok(z)
    }

    /// The state in steady rolling at constant velocity and transport.
    pub fn steady<V: Slip<f64>>(&self, v: V) -> Result<State<V>, NotLinear>
    where
        B: Bristle<f64, V>,
    {
        self.at(0.0, &|_| v, Some(v))
    }
}

/// A strip that changes its length and load while it rolls: 004 (75)-(83).
///
/// Equation numbers of 004; s is the distance travelled, m. Bristles enter at x = a(s) and travel to
/// x = −a(s); the slip is the same along the strip.
#[derive(Clone, Copy)]
pub struct Strip<'a, B> {
    /// The bristle, one that slides in a plane.
    pub bristle: &'a B,
    /// V_r, m/s.
    pub speed: f64,
    /// a(s), m, with |a′| < 1.
    pub half_length: &'a dyn Fn(f64) -> f64,
    /// F_z(s), N.
    pub load: &'a dyn Fn(f64) -> f64,
    /// The shape of the pressure over ξ = (a − x)/2a, scaled to F_z(s).
    pub profile: &'a dyn Fn(f64) -> f64,
    /// σ(s).
    pub slip: &'a dyn Fn(f64) -> [f64; 2],
}

impl<B: Bristle<f64, [f64; 2]> + Clone> Strip<'_, B> {
    /// F_x, F_y, M_z by (81b) and M_z in the deformed configuration (38), from undeflected bristles at s = 0.
    ///
    /// (82) lacks the term −z_y f_x, which is here.
    pub fn at(&self, s: f64) -> Result<[f64; 4], NotLinear> {
        let a = (self.half_length)(s);
        let area = integral(self.profile, 0.0, 1.0);
        // The bristle that entered at s = 0 divides the strip.
        let first = ((self.half_length)(0.0) - s).max(-a);
        let rule = legendre(16);
        let mut sums = [0.0; 4];
        for (top, bottom) in [(a, first), (first, -a)] {
            for part in 0..2 {
                let middle = 0.5 * (top + bottom);
                let (from, to) = if part == 0 { (top, middle) } else { (middle, bottom) };
                if from - to < 1e-15 {
                    continue;
                }
                for (c, w) in rule {
                    let x = from + c * (to - from);
                    let xi = (a - x) / (2.0 * a);
                    let p = (self.load)(s) * (self.profile)(xi) / (2.0 * a * area);
                    let (z, f) = self.bristle_at(x, s)?;
                    let load = p * w * (from - to);
                    sums[0] += load * f[0];
                    sums[1] += load * f[1];
                    sums[2] += load * x * f[1]; // (81b)
                    sums[3] += load * ((x + z[0]) * f[1] - z[1] * f[0]); // (38)
                }
            }
        }
        Ok(sums)
    }

    /// Deflection and force per unit load of the bristle at x.
    fn bristle_at(&self, x: f64, s: f64) -> Result<([f64; 2], [f64; 2]), NotLinear> {
        let velocity = |s: f64| (self.slip)(s).map(|c| c * self.speed);
        // a(s₀) − (s − s₀) = x; a bristle that was there at the start entered at s₀ < 0 or not at all.
        let reached = |entry: f64| (self.half_length)(entry) - (s - entry) - x;
        let mut entry = 0.0;
        if reached(0.0) < 0.0 {
            let (mut lo, mut hi) = (0.0, s);
            for _ in 0..80 {
                let middle = 0.5 * (lo + hi);
                *(if reached(middle) < 0.0 { &mut lo } else { &mut hi }) = middle;
            }
            entry = hi;
        }
        let start = ([0.0; STATES], self.bristle.states());
        let time = |s: f64| s / self.speed;
        let at = |t: f64| (self.bristle.clone(), velocity(t * self.speed));
        let z = follow(at, time(entry), time(s), start)?;
        let drive = Drive::new(velocity(s), 1.0);
        let mut dz = [0.0; STATES];
        let f = self.bristle.eval(&drive, &z.0[..z.1], &mut dz[..z.1]);
        Ok(([z.0[0], z.0[1]], f))
    }
}
