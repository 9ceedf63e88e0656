//! Three forms of one linear viscoelastic solid, and the way from each to the others.
//!
//! ```text
//! GM   f = k₀ z + Σ fᵢ                                             (3a)
//!      ḟᵢ = −fᵢ/τᵢ + kᵢ ż                                          (3b)
//! GKV  f = K₀ z − K₀ Σ zᵢ                                          (4a)
//!      f = Kᵢ zᵢ + Cᵢ żᵢ                                           (4b)
//! ODE  f + Σ_{i≥1} γᵢ dⁱf/dtⁱ = Σ_{i≥0} σᵢ dⁱz/dtⁱ                 (5)
//! ```
//!
//! Generalised Maxwell: a spring and n relaxing branches side by side. Generalised Kelvin-Voigt: a
//! spring and n creeping elements in a row. Equation numbers of 003, which states that (3) and (4) are
//! equivalent and leaves the conversion to the reader; it writes k in both forms, here k, τ belong to GM
//! and K, C to GKV. f is per unit load, z in m, so stiffness is in 1/m, damping in s/m.
//!
//! # The stiffness they share
//!
//! In the Laplace domain each form is f = E(s) z with the same E:
//!
//! ```text
//! E   = k₀ + Σ kᵢ s/(s + aᵢ),   aᵢ = 1/τᵢ
//! 1/E = 1/K₀ + Σ 1/(Kᵢ + Cᵢ s)
//! E   = Σ σᵢsⁱ / Σ γᵢsⁱ,   γ₀ = 1
//! ```
//!
//! At rest (s → 0) this is (15), f = k₀z, and (16), z = Σ f/Kᵢ: the elements of GKV are in series,
//! where the paper says parallel. Struck suddenly (s → ∞) it is K₀ = Σ kᵢ.
//!
//! # GM to GKV and back: one secular equation
//!
//! On the negative axis, s = −p, with a₀ = 0 and bᵢ = Kᵢ/Cᵢ,
//!
//! ```text
//! E/p  = Σ_{i≥0} kᵢ/(p − aᵢ),   −1/E = Σ_{i≥1} (1/Cᵢ)/(p − bᵢ) − 1/K₀.
//! ```
//!
//! Either is F(p) = Σ wᵢ/(p − aᵢ) − h, which falls from +∞ to −∞ between neighbouring poles: one zero
//! p_j in each gap and, if h > 0, one beyond the last pole. The zeros of one form are the poles of the
//! other. With the slope S_j = −dF/dp at p_j,
//!
//! ```text
//! C_j = p_j S_j,   K_j = p_j² S_j        (GM to GKV)
//! τ_j = 1/p_j,     k_j = 1/(p_j S_j)     (GKV to GM)
//! S_j = Σᵢ wᵢ/(p_j − aᵢ)² = λ Π_{i≠j} |p_j − pᵢ| / Πᵢ |p_j − aᵢ|,
//! ```
//!
//! where λ is h or, if h = 0, Σ wᵢ.
//!
//! What counts is how far p_j is from the poles, and that may be a tiny part of p_j. A zero is therefore
//! solved for as its distance from the nearest pole, and differences of poles are taken from the
//! parameters as given (a_m − aᵢ = (τᵢ − τ_m)/(τ_m τᵢ)), so that nothing is lost when time constants
//! cluster. The product is used for S_j: poles and zeros, however rounded, then are those of one solid
//! next to the given one (the idea of M. Gu, S. C. Eisenstat, SIAM J. Matrix Anal. Appl. 15(4), 1994),
//! while slopes summed one by one need not fit together. That matters on the way back: Kᵢ and Cᵢ
//! rounded to ε tell how stiffness is shared among τ of relative distance d to about ε/d only, but E
//! to ε.
//!
//! # Coefficients
//!
//! To (5): γ and σ grow branch by branch through sums of positive terms. From (5): the roots of Σγᵢsⁱ
//! (for GM) or Σσᵢsⁱ (for GKV), each between two roots of the derivative, then the residues of E or 1/E
//! there. Close roots are badly determined by coefficients in any arithmetic: rounding γ and σ to ε
//! moves two time constants of relative distance d by about ε/d, their stiffnesses by ε/d² (and hardly
//! E); below d ≈ √ε the two roots may be lost, which is an error.
//!
//! Every root is bracketed by a change of sign. There is a root or an error, never a guess.
use crate::List;
use core::fmt;
use core::iter::once;

/// Generalised Maxwell, eq. (3): a spring `k0` beside branches of a spring `k` and a dashpot in
/// series. Branches may come in any order; conversions give the longest time first.
#[derive(Clone, Debug, PartialEq)]
pub struct Maxwell {
    /// stiffness at rest k₀, 1/m
    pub k0: f64,
    /// stiffness k of each branch, 1/m
    pub k: List<f64>,
    /// relaxation time τ of each branch, s
    pub tau: List<f64>,
}

/// Generalised Kelvin-Voigt, eq. (4): a spring `k0` in series with elements of a spring `k` beside
/// a dashpot `c`. Elements may come in any order; conversions give the longest time `c/k` first.
#[derive(Clone, Debug, PartialEq)]
pub struct KelvinVoigt {
    /// sudden stiffness K₀, 1/m
    pub k0: f64,
    /// stiffness K of each element, 1/m
    pub k: List<f64>,
    /// damping C of each element, s/m
    pub c: List<f64>,
}

/// The differential form, eq. (5), lowest derivative first.
#[derive(Clone, Debug, PartialEq)]
pub struct Differential {
    /// coefficients γᵢ of the derivatives of f, sⁱ; `gamma[0]` is 1
    pub gamma: List<f64>,
    /// coefficients σᵢ of the derivatives of z, sⁱ/m; as many as `gamma`
    pub sigma: List<f64>,
}

impl Maxwell {
    /// E(s) by eq. (3), for s ≥ 0 in 1/s.
    pub fn modulus(&self, s: f64) -> f64 {
        let branch = |(k, tau): (&f64, &f64)| k / (1.0 + 1.0 / (s * tau));
        self.k0 + self.k.iter().zip(&*self.tau).map(branch).sum::<f64>()
    }

    /// The same solid as eq. (4). Branches of equal τ become one.
    pub fn to_kelvin_voigt(&self) -> Result<KelvinVoigt, NotASolid> {
        let poles = self.poles()?;
        let (c, k) = zeros(&poles, 0.0)
            .iter()
            .map(|zero| (zero.rate * zero.slope, zero.rate * (zero.rate * zero.slope)))
            .unzip();
        let form = KelvinVoigt { k0: total(&poles), k, c };
        form.check(NotASolid::Derived)?;
        Ok(form)
    }

    /// The same solid as eq. (5). Branches of equal τ become one.
    pub fn to_differential(&self) -> Result<Differential, NotASolid> {
        let [mut gamma, mut sigma] = [1.0, self.k0].map(|x| once(x).collect::<List<f64>>());
        for branch in &self.poles()?[1..] {
            // σ/γ + kτs/(1 + τs)
            attach(&mut sigma, &mut gamma, branch, 1);
        }
        Differential { gamma, sigma }.derived()
    }

    /// The poles of E/p by ascending rate; the spring k₀ comes first, as the pole at 0.
    fn poles(&self) -> Result<List<Pole>, NotASolid> {
        self.check(NotASolid::Given)?;
        let branches = self.k.iter().zip(&*self.tau);
        let poles = branches.map(|(&weight, &den)| Pole { weight, num: 1.0, den });
        Ok(merged(once(Pole { weight: self.k0, num: 0.0, den: 1.0 }).chain(poles).collect()))
    }

    fn check(&self, blame: fn(Entry) -> NotASolid) -> Result<(), NotASolid> {
        check_branches(self.k0, &self.k, ("tau", &self.tau), blame)
    }
}

impl KelvinVoigt {
    /// E(s) by eq. (4), for s ≥ 0 in 1/s.
    pub fn modulus(&self, s: f64) -> f64 {
        let element = |(k, c): (&f64, &f64)| 1.0 / (k + c * s);
        1.0 / (1.0 / self.k0 + self.k.iter().zip(&*self.c).map(element).sum::<f64>())
    }

    /// The same solid as eq. (3). Elements of equal `c/k` become one.
    pub fn to_maxwell(&self) -> Result<Maxwell, NotASolid> {
        let poles = self.poles()?;
        let (k, tau) = zeros(&poles, 1.0 / self.k0)
            .iter()
            .map(|zero| (1.0 / (zero.rate * zero.slope), 1.0 / zero.rate))
            .unzip();
        let compliance = 1.0 / self.k0 + poles.iter().map(Pole::strength).sum::<f64>(); // (16)
        let form = Maxwell { k0: 1.0 / compliance, k, tau };
        form.check(NotASolid::Derived)?;
        Ok(form)
    }

    /// The same solid as eq. (5). Elements of equal `c/k` become one.
    pub fn to_differential(&self) -> Result<Differential, NotASolid> {
        let [mut gamma, mut sigma] = [1.0, self.k0].map(|x| once(x).collect::<List<f64>>());
        for element in &self.poles()? {
            // γ/σ + (1/K)/(1 + (C/K)s)
            attach(&mut gamma, &mut sigma, element, 0);
        }
        let scale = gamma[0];
        gamma.iter_mut().chain(sigma.iter_mut()).for_each(|x| *x /= scale);
        Differential { gamma, sigma }.derived()
    }

    /// The poles of 1/E by ascending rate.
    fn poles(&self) -> Result<List<Pole>, NotASolid> {
        self.check(NotASolid::Given)?;
        let elements = self.k.iter().zip(&*self.c);
        Ok(merged(elements.map(|(&num, &den)| Pole { weight: 1.0 / den, num, den }).collect()))
    }

    fn check(&self, blame: fn(Entry) -> NotASolid) -> Result<(), NotASolid> {
        check_branches(self.k0, &self.k, ("c", &self.c), blame)
    }
}

impl Differential {
    /// E(s) by eq. (5), for s ≥ 0 in 1/s whose powers stay within `f64`.
    pub fn modulus(&self, s: f64) -> f64 {
        horner(&self.sigma, s) / horner(&self.gamma, s)
    }

    /// The same solid as eq. (3), or why the coefficients are not those of a passive solid.
    pub fn to_maxwell(&self) -> Result<Maxwell, NotASolid> {
        self.check()?;
        // Near s = −a, ks/(s + a) has the residue −ka.
        let poles = residues(&self.sigma, "gamma", &self.gamma)?;
        let (k, tau) = poles.iter().map(|(rate, residue)| (-residue / rate, 1.0 / rate)).unzip();
        let form = Maxwell { k0: self.sigma[0], k, tau };
        form.check(NotASolid::Derived)?;
        Ok(form)
    }

    /// The same solid as eq. (4), or why the coefficients are not those of a passive solid.
    pub fn to_kelvin_voigt(&self) -> Result<KelvinVoigt, NotASolid> {
        self.check()?;
        let n = self.gamma.len() - 1;
        // Near s = −K/C, 1/(K + Cs) has the residue 1/C.
        let poles = residues(&self.gamma, "sigma", &self.sigma)?;
        let (k, c) = poles.iter().map(|(rate, residue)| (rate / residue, 1.0 / residue)).unzip();
        let form = KelvinVoigt { k0: self.sigma[n] / self.gamma[n], k, c };
        form.check(NotASolid::Derived)?;
        Ok(form)
    }

    fn check(&self) -> Result<(), NotASolid> {
        let [gamma, sigma] = [self.gamma.len(), self.sigma.len()];
        if gamma != sigma || gamma == 0 {
            return Err(NotASolid::Lengths { fields: ["gamma", "sigma"], lengths: [gamma, sigma] });
        }
        check_positive(self.entries(), NotASolid::Given)?;
        if self.gamma[0] != 1.0 {
            return Err(NotASolid::NotNormalised { value: self.gamma[0] });
        }
        Ok(())
    }

    fn derived(self) -> Result<Self, NotASolid> {
        check_positive(self.entries(), NotASolid::Derived)?;
        Ok(self)
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        entries("gamma", &self.gamma).chain(entries("sigma", &self.sigma))
    }
}

/// Why parameters do not describe a passive solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotASolid {
    /// A given parameter is not positive and finite.
    Given(Entry),
    /// The form asked for would need a parameter that is not positive and finite.
    Derived(Entry),
    /// Two lists that belong together differ in length, or are empty where they may not be.
    Lengths {
        /// the names of the lists
        fields: [&'static str; 2],
        /// how many entries each has
        lengths: [usize; 2],
    },
    /// `gamma[0]` is not 1, as eq. (5) has it.
    NotNormalised {
        /// the value of `gamma[0]`
        value: f64,
    },
    /// A polynomial has no change of sign where a root of a solid would be.
    NoRoot {
        /// the coefficients, `gamma` or `sigma`
        field: &'static str,
        /// which root is missing, counted from the slowest; of the polynomial or of the first of
        /// its derivatives that lacks one
        index: usize,
        /// where the search for it began, as a rate −s, 1/s
        value: f64,
    },
}

/// One parameter: its field, its place in the list (none for `k0`), its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// name of the field
    pub field: &'static str,
    /// place in the list, from 0
    pub index: Option<usize>,
    /// what was found there
    pub value: f64,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}[{index}] = {}", self.field, self.value),
            None => write!(f, "{} = {}", self.field, self.value),
        }
    }
}

impl fmt::Display for NotASolid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(entry) => write!(
                f,
                "{entry} is not positive and finite, as every parameter of a solid is: \
                 correct it, or leave that branch out"
            ),
            Self::Derived(entry) => write!(
                f,
                "the equivalent form would need {entry}, which is not positive and finite: \
                 the parameters are not those of a passive solid, or span more than f64 can hold"
            ),
            Self::Lengths { fields: [a, b], lengths: [m, n] } => {
                write!(f, "{a} has {m} entries and {b} has {n}: give as many of each")?;
                if *m == 0 { write!(f, ", and at least one") } else { Ok(()) }
            }
            Self::NotNormalised { value } => {
                write!(f, "gamma[0] = {value} must be 1: divide all coefficients by it")
            }
            Self::NoRoot { field, index, value } => write!(
                f,
                "{field} has no root for branch {index}, sought beyond the rate {value} 1/s: the \
                 roots of a solid are real, negative and distinct; check that the lowest \
                 derivative comes first, or give stiffnesses and times instead of coefficients"
            ),
        }
    }
}

impl core::error::Error for NotASolid {}

fn entries(field: &'static str, values: &[f64]) -> impl Iterator<Item = Entry> {
    values.iter().enumerate().map(move |(i, &value)| Entry { field, index: Some(i), value })
}

fn check_positive(
    mut entries: impl Iterator<Item = Entry>,
    blame: fn(Entry) -> NotASolid,
) -> Result<(), NotASolid> {
    let bad = entries.find(|entry| !(entry.value > 0.0 && entry.value.is_finite()));
    bad.map_or(Ok(()), |entry| Err(blame(entry)))
}

fn check_branches(
    k0: f64,
    k: &[f64],
    (field, second): (&'static str, &[f64]),
    blame: fn(Entry) -> NotASolid,
) -> Result<(), NotASolid> {
    if k.len() != second.len() {
        let lengths = [k.len(), second.len()];
        return Err(NotASolid::Lengths { fields: ["k", field], lengths });
    }
    let spring = once(Entry { field: "k0", index: None, value: k0 });
    check_positive(spring.chain(entries("k", k)).chain(entries(field, second)), blame)
}

/// A term w/(p − a) of the secular function. The rate a = num/den stays a quotient, so that
/// differences of rates can be formed from what was given.
#[derive(Clone, Copy, Default)]
struct Pole {
    weight: f64,
    num: f64,
    den: f64,
}

impl Pole {
    fn rate(&self) -> f64 {
        self.num / self.den
    }

    /// w/a: kτ of a Maxwell branch, 1/K of a Kelvin-Voigt element.
    fn strength(&self) -> f64 {
        self.weight * (self.den / self.num)
    }

    /// The difference of the rates, to full relative precision however close they are.
    fn minus(&self, other: &Pole) -> f64 {
        let (a, a_low) = two_product(self.num, other.den);
        let (b, b_low) = two_product(other.num, self.den);
        ((a - b) + (a_low - b_low)) / self.den / other.den
    }
}

/// The poles by ascending rate, with the weights of equal rates added up. Equal means up to what
/// rounding the parameters can do to a quotient: 1/0.1 and 3/0.3 are one rate.
fn merged(mut poles: List<Pole>) -> List<Pole> {
    poles.sort_unstable_by(|a, b| a.rate().total_cmp(&b.rate()));
    let mut distinct: List<Pole> = List::new();
    for pole in poles {
        match distinct.last_mut() {
            Some(last) if pole.rate() - last.rate() <= 2.0 * f64::EPSILON * pole.rate() => {
                last.weight += pole.weight;
            }
            _ => distinct.push(pole),
        }
    }
    distinct
}

/// A zero p of the secular function F(p) = Σ w/(p − a) − h, and the slope S = −F′(p) there.
#[derive(Clone, Copy, Default)]
struct Zero {
    rate: f64,
    slope: f64,
}

/// The zeros of F in ascending order: one between neighbouring poles and, for `level` h > 0, one
/// beyond the last.
///
/// S is taken as a product: zeros that the parameters fix only badly then still fit together.
fn zeros(poles: &[Pole], level: f64) -> List<Zero> {
    let (gaps, lead) =
        if level > 0.0 { (poles.len(), level) } else { (poles.len() - 1, total(poles)) };
    let places: List<Place> = (0..gaps).map(|gap| place(poles, level, gap)).collect();
    let zero = |(j, place): (usize, &Place)| {
        let near = &poles[place.pole];
        let mut slope = lead;
        for (i, pole) in poles.iter().enumerate() {
            slope /= (near.minus(pole) + place.offset).abs();
            if let Some(other) = places.get(i)
                && i != j
            {
                slope *= (near.minus(&poles[other.pole]) + (place.offset - other.offset)).abs();
            }
        }
        Zero { rate: near.rate() + place.offset, slope }
    };
    places.iter().enumerate().map(zero).collect()
}

/// Where a zero is: at `offset` from the nearest pole.
#[derive(Clone, Copy, Default)]
struct Place {
    pole: usize,
    offset: f64,
}

/// The zero of F between the poles `gap` and `gap + 1`, or beyond `gap` if that is the last.
fn place(poles: &[Pole], level: f64, gap: usize) -> Place {
    let distances =
        |near: usize| -> List<f64> { poles.iter().map(|pole| poles[near].minus(pole)).collect() };
    let value = |distances: &[f64], offset: f64| {
        poles.iter().zip(distances).map(|(pole, d)| pole.weight / (d + offset)).sum::<f64>() - level
    };
    let (pole, side, reach) = match poles.get(gap + 1) {
        Some(right) => {
            let half = 0.5 * right.minus(&poles[gap]);
            let beyond = value(&distances(gap), half) > 0.0;
            if beyond { (gap + 1, -1.0, half) } else { (gap, 1.0, half) }
        }
        // There F ≤ Σw/offset − h.
        None => (gap, 1.0, total(poles) / level),
    };
    let distances = distances(pole);
    // F is +∞ to the right of a pole and −∞ to the left: up to the zero it has the sign of `side`.
    let offset = last_where(0.0, reach, |x| side * value(&distances, side * x) > 0.0);
    Place { pole, offset: side * offset }
}

fn total(poles: &[Pole]) -> f64 {
    poles.iter().map(|pole| pole.weight).sum()
}

/// The last number from `low` on, 0 ≤ low < high, for which `inside` holds, if it holds at `low`
/// and not at `high`. Positive floats sort as their bit patterns do, so halving the patterns ends
/// at neighbouring floats after at most 64 calls, however many decades lie between.
fn last_where(low: f64, high: f64, inside: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low.to_bits(), high.to_bits());
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if inside(f64::from_bits(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::from_bits(low)
}

/// Adds (w/a) sʲ/(1 + s/a), the share of one branch, to the quotient `sum`/`base` of polynomials.
fn attach(sum: &mut List<f64>, base: &mut List<f64>, branch: &Pole, j: usize) {
    let time = branch.den / branch.num;
    stretch(sum, time);
    for (term, b) in sum[j..].iter_mut().zip(&**base) {
        *term += branch.strength() * b;
    }
    stretch(base, time);
}

/// Multiplies a polynomial by 1 + `time`·s.
fn stretch(polynomial: &mut List<f64>, time: f64) {
    polynomial.push(0.0);
    for i in (1..polynomial.len()).rev() {
        polynomial[i] += time * polynomial[i - 1];
    }
}

/// The roots s = −rate of `den`, ascending in rate, each with the residue of `num`/`den` there.
fn residues(num: &[f64], field: &'static str, den: &[f64]) -> Result<List<(f64, f64)>, NotASolid> {
    let (num_slope, den_slope) = (derivative(num), derivative(den));
    // What rounding the root left out matters where another root, of `num` or `den`, is close.
    let low = |rate: f64| horner(den, -rate) / horner(&den_slope, -rate);
    let roots: List<_> =
        negative_roots(field, den)?.iter().map(|&rate| (rate, low(rate))).collect();
    let residue = |(j, &(rate, low)): (usize, &(f64, f64))| {
        let at_root = horner(num, -rate) - horner(&num_slope, -rate) * low;
        let others = roots.iter().enumerate().filter(|(i, _)| *i != j);
        let slope = others.map(|(_, other)| (other.0 - rate) + (other.1 - low)).product::<f64>();
        (rate + low, at_root / (den[den.len() - 1] * slope))
    };
    Ok(roots.iter().enumerate().map(residue).collect())
}

/// The rates −s of all roots s of a polynomial with positive coefficients, ascending.
///
/// If all roots are real and negative, those of the derivative lie one between each two.
fn negative_roots(field: &'static str, polynomial: &[f64]) -> Result<List<f64>, NotASolid> {
    let mut roots = List::new();
    let [.., before, last] = polynomial else { return Ok(roots) };
    let between = negative_roots(field, &derivative(polynomial))?;
    // `before/last` is the sum of all rates; twice that is past the largest, rounded or not.
    let edges: List<f64> = once(0.0).chain(between).chain(once(2.0 * before / last)).collect();
    for (index, edge) in edges.windows(2).enumerate() {
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        let before_root = |rate: f64| sign * horner(polynomial, -rate) > 0.0;
        if !(edge[0] < edge[1] && before_root(edge[0]) && !before_root(edge[1])) {
            return Err(NotASolid::NoRoot { field, index, value: edge[0] });
        }
        roots.push(last_where(edge[0], edge[1], before_root));
    }
    Ok(roots)
}

fn derivative(polynomial: &[f64]) -> List<f64> {
    (1..polynomial.len()).map(|i| i as f64 * polynomial[i]).collect()
}

/// Horner's rule with the rounding errors carried along: as if in twice the precision, then
/// rounded (Graillat, Langlois, Louvet, "Algorithms for accurate, validated and fast polynomial
/// evaluation", 2009).
fn horner(polynomial: &[f64], s: f64) -> f64 {
    let (mut value, mut low) = (0.0, 0.0);
    for &coefficient in polynomial.iter().rev() {
        let (product, product_low) = two_product(value, s);
        let (sum, sum_low) = two_sum(product, coefficient);
        (value, low) = (sum, low * s + (product_low + sum_low));
    }
    value + low
}

/// a + b as the rounded sum and what rounding left out (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// ab as the rounded product and what rounding left out (Dekker; `core` has no fused multiply-add).
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let big = 134_217_729.0 * x; // 2²⁷ + 1
        let high = big - (big - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;
    use std::{collections::BTreeMap, string::ToString, vec::Vec};

    fn list(values: &[f64]) -> List<f64> {
        values.into()
    }

    /// k₀ = 1e4, k = 1e4, 2e4, 3e4 1/m, τ = 1, 0.1, 0.01 s.
    fn example() -> Maxwell {
        Maxwell { k0: 1e4, k: list(&[1e4, 2e4, 3e4]), tau: list(&[1.0, 0.1, 0.01]) }
    }

    /// The largest relative error of a list; infinite if the lengths differ.
    fn error(found: &[f64], expected: &[f64]) -> f64 {
        let errors = found.iter().zip(expected).map(|(x, y)| ((x - y) / y).abs());
        if found.len() == expected.len() { errors.fold(0.0, f64::max) } else { f64::INFINITY }
    }

    #[track_caller]
    fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
        let error = error(found, expected);
        assert!(error <= tolerance, "{error:.1e}: {found:?}, expected {expected:?}");
    }

    impl Maxwell {
        fn all(&self) -> Vec<f64> {
            once(&self.k0).chain(&self.k).chain(&self.tau).copied().collect()
        }
    }

    impl KelvinVoigt {
        fn all(&self) -> Vec<f64> {
            once(&self.k0).chain(&self.k).chain(&self.c).copied().collect()
        }
    }

    impl Differential {
        fn all(&self) -> Vec<f64> {
            self.gamma.iter().chain(&self.sigma).copied().collect()
        }
    }

    #[test]
    fn forms_agree_with_the_high_precision_reference() {
        let reference = bristle_reference::Table::of("viscoelastic/prony.csv");
        let mut forms: BTreeMap<[&str; 3], Vec<List<f64>>> = BTreeMap::new();
        for row in reference.texts() {
            let values = row[4].split(';').map(|x| x.parse().unwrap()).collect();
            forms.entry([&*row[0], &*row[1], &*row[2]]).or_default().push(values);
        }
        let mut compared = 0;
        for ([case, _, form], lists) in forms.iter().filter(|(key, _)| key[1] == "given") {
            let found = match (*form, lists.as_slice()) {
                ("gm", [k0, k, tau]) => {
                    let form = Maxwell { k0: k0[0], k: k.clone(), tau: tau.clone() };
                    let (gkv, ode) = (form.to_kelvin_voigt(), form.to_differential());
                    [("gkv", gkv.unwrap().all()), ("ode", ode.unwrap().all())]
                }
                ("gkv", [k0, k, c]) => {
                    let form = KelvinVoigt { k0: k0[0], k: k.clone(), c: c.clone() };
                    let (gm, ode) = (form.to_maxwell(), form.to_differential());
                    [("gm", gm.unwrap().all()), ("ode", ode.unwrap().all())]
                }
                ("ode", [gamma, sigma]) => {
                    let form = Differential { gamma: gamma.clone(), sigma: sigma.clone() };
                    let (gm, gkv) = (form.to_maxwell(), form.to_kelvin_voigt());
                    [("gm", gm.unwrap().all()), ("gkv", gkv.unwrap().all())]
                }
                _ => panic!("{case}: {form} with {} lists", lists.len()),
            };
            for (to, values) in found {
                let expected = forms[&[*case, "expected", to]].iter().flatten().copied();
                let error = error(&values, &expected.collect::<Vec<_>>());
                assert!(error <= 1e-12, "{case} to {to}: {error:.1e}");
                compared += 1;
            }
        }
        assert_eq!(compared, 12);
    }

    /// Rows `003,prony_n3` of the reference scalars for the paper.
    #[test]
    fn example_with_three_branches_has_the_published_values() {
        let gamma = [1.0, 1.11, 0.111, 0.001];
        let sigma = [10000.0, 23400.0, 4560.0, 70.0];
        let k = [17920.0597170006, 47243.5379461218, 114364.341662797];
        let c = [38119.1663397693, 9261.38460476466, 1919.77895377577];
        let (maxwell, voigt) = (example(), example().to_kelvin_voigt().unwrap());
        assert_close(&[voigt.k0], &[70000.0], 1e-15);
        assert_close(&voigt.k, &k, 1e-14); // as many digits as are given
        assert_close(&voigt.c, &c, 1e-14);
        for form in [maxwell.to_differential().unwrap(), voigt.to_differential().unwrap()] {
            assert_close(&form.gamma, &gamma, 1e-14);
            assert_close(&form.sigma, &sigma, 1e-14);
            assert_close(&form.to_maxwell().unwrap().all(), &maxwell.all(), 1e-13);
            assert_close(&form.to_kelvin_voigt().unwrap().all(), &voigt.all(), 1e-13);
        }
    }

    #[test]
    fn one_branch_converts_in_closed_form() {
        let (k0, k, tau) = (2.0, 3.0, 0.7);
        let maxwell = Maxwell { k0, k: list(&[k]), tau: list(&[tau]) };
        let voigt = maxwell.to_kelvin_voigt().unwrap();
        let sudden = k0 + k;
        assert_close(&voigt.all(), &[sudden, k0 * sudden / k, sudden * sudden * tau / k], 1e-15);
        assert_close(&voigt.to_maxwell().unwrap().all(), &maxwell.all(), 1e-15);
    }

    #[test]
    fn a_lone_spring_is_a_solid_in_every_form() {
        let maxwell = Maxwell { k0: 5.0, k: list(&[]), tau: list(&[]) };
        let voigt = maxwell.to_kelvin_voigt().unwrap();
        let coefficients = maxwell.to_differential().unwrap();
        assert_eq!(coefficients.all(), [1.0, 5.0]);
        assert_eq!(voigt.to_differential().unwrap(), coefficients);
        assert_eq!(voigt.to_maxwell().unwrap(), maxwell);
        assert_eq!(coefficients.to_maxwell().unwrap(), maxwell);
        assert_eq!(coefficients.to_kelvin_voigt().unwrap(), voigt);
    }

    #[test]
    fn order_of_branches_does_not_matter() {
        let shuffled = Maxwell { k0: 1e4, k: list(&[3e4, 1e4, 2e4]), tau: list(&[0.01, 1.0, 0.1]) };
        assert_eq!(shuffled.to_kelvin_voigt(), example().to_kelvin_voigt());
        assert_eq!(shuffled.to_differential(), example().to_differential());
    }

    #[test]
    fn branches_of_equal_time_add_up() {
        let split = Maxwell { k: list(&[1e4, 5e3, 3e4, 1.5e4]), ..example() };
        let split = Maxwell { tau: list(&[1.0, 0.1, 0.01, 0.1]), ..split };
        assert_eq!(split.to_kelvin_voigt(), example().to_kelvin_voigt());
        assert_eq!(split.to_differential(), example().to_differential());

        // Compliances add; 1/0.1 and 3/0.3 differ by rounding only.
        let split = KelvinVoigt { k0: 2.0, k: list(&[1.0, 3.0]), c: list(&[0.1, 0.3]) };
        let single = KelvinVoigt { k0: 2.0, k: list(&[0.75]), c: list(&[0.075]) };
        let [found, expected] = [&split, &single].map(|form| form.to_maxwell().unwrap().all());
        assert_close(&found, &expected, 1e-15);
        let [found, expected] = [&split, &single].map(|form| form.to_differential().unwrap().all());
        assert_close(&found, &expected, 1e-15);
    }

    #[test]
    fn parameters_of_no_solid_are_refused_by_name_place_and_value() {
        let text = |error: NotASolid| error.to_string();
        let error = Maxwell { k: list(&[1.0, -2.0, 3.0]), ..example() }.to_kelvin_voigt();
        assert_eq!(
            text(error.unwrap_err()),
            "k[1] = -2 is not positive and finite, as every parameter of a solid is: \
             correct it, or leave that branch out"
        );
        for k0 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Maxwell { k0, ..example() }.to_differential().unwrap_err();
            assert!(matches!(error, NotASolid::Given(Entry { field: "k0", index: None, .. })));
        }
        let error = Maxwell { tau: list(&[1.0]), ..example() }.to_kelvin_voigt().unwrap_err();
        assert_eq!(text(error), "k has 3 entries and tau has 1: give as many of each");
        let voigt = KelvinVoigt { k0: 1.0, k: list(&[1.0]), c: list(&[0.0]) };
        let given = Entry { field: "c", index: Some(0), value: 0.0 };
        assert_eq!(voigt.to_maxwell(), Err(NotASolid::Given(given)));
        assert_eq!(voigt.to_differential(), Err(NotASolid::Given(given)));

        let of = |gamma: &[f64], sigma: &[f64]| {
            let form = Differential { gamma: list(gamma), sigma: list(sigma) };
            form.to_maxwell().unwrap_err()
        };
        assert_eq!(
            text(of(&[], &[])),
            "gamma has 0 entries and sigma has 0: give as many of each, and at least one"
        );
        assert_eq!(
            text(of(&[2.0, 2.0], &[1.0, 3.0])),
            "gamma[0] = 2 must be 1: divide all coefficients by it"
        );
        let given = Entry { field: "sigma", index: Some(1), value: -3.0 };
        assert_eq!(of(&[1.0, 1.0], &[1.0, -3.0]), NotASolid::Given(given));
    }

    #[test]
    fn coefficients_of_no_passive_solid_are_refused() {
        // 1 + s + s²: roots are not real.
        let complex = Differential { gamma: list(&[1.0; 3]), sigma: list(&[1.0, 3.0, 2.0]) };
        let error = complex.to_maxwell().unwrap_err();
        assert_eq!(error, NotASolid::NoRoot { field: "gamma", index: 0, value: 0.0 });
        assert_eq!(
            error.to_string(),
            "gamma has no root for branch 0, sought beyond the rate 0 1/s: the roots of a solid \
             are real, negative and distinct; check that the lowest derivative comes first, or \
             give stiffnesses and times instead of coefficients"
        );
        let inverse = Differential { gamma: complex.sigma, sigma: complex.gamma };
        let error = inverse.to_kelvin_voigt().unwrap_err();
        assert_eq!(error, NotASolid::NoRoot { field: "sigma", index: 0, value: 0.0 });

        // (1 + s)²: two branches with one time are one branch.
        let double = Differential { gamma: list(&[1.0, 2.0, 1.0]), sigma: list(&[1.0, 4.0, 3.0]) };
        assert!(matches!(double.to_maxwell(), Err(NotASolid::NoRoot { field: "gamma", .. })));

        // (1 + s/2)/(1 + s): softer when struck than at rest.
        let active = Differential { gamma: list(&[1.0, 1.0]), sigma: list(&[1.0, 0.5]) };
        let k = Entry { field: "k", index: Some(0), value: -0.5 };
        let Err(NotASolid::Derived(found)) = active.to_maxwell() else { panic!() };
        assert_eq!(Entry { value: k.value, ..found }, k);
        assert_close(&[found.value], &[k.value], 1e-15);
        assert!(active.to_kelvin_voigt().is_err());
        assert_eq!(
            NotASolid::Derived(k).to_string(),
            "the equivalent form would need k[0] = -0.5, which is not positive and finite: the \
             parameters are not those of a passive solid, or span more than f64 can hold"
        );
    }

    #[test]
    fn what_f64_cannot_hold_is_an_error() {
        let tau: List<f64> = (0..20).map(|i| 1e-20 / f64::from(1 + i)).collect();
        let fast = Maxwell { k0: 1.0, k: tau.iter().map(|_| 1.0).collect(), tau };
        let error = fast.to_differential().unwrap_err(); // γ of order 16 is below 1e-320
        assert!(matches!(error, NotASolid::Derived(Entry { field: "gamma", value: 0.0, .. })));
        assert!(fast.to_kelvin_voigt().is_ok());
        let stiff = Maxwell { k0: 1e308, k: list(&[1e308]), tau: list(&[1.0]) };
        assert!(matches!(stiff.to_kelvin_voigt(), Err(NotASolid::Derived(_))));
    }

    prop_compose! {
        /// Up to 20 branches over nine decades; a share of them 1e-12 to 1e-3 from the one before.
        fn clustered()(
            k0 in 2.0f64..6.0,
            branches in prop::collection::vec((2.0f64..6.0, -6.0f64..3.0, -12.0f64..12.0), 0..21),
        ) -> Maxwell {
            let mut tau = List::<f64>::new();
            for &(_, time, gap) in &branches {
                let near = tau.last().map(|last| last * (1.0 + 10f64.powf(gap)));
                tau.push(near.filter(|_| gap < -3.0).unwrap_or(10f64.powf(time)));
            }
            let k = branches.iter().map(|branch| 10f64.powf(branch.0)).collect();
            Maxwell { k0: 10f64.powf(k0), k, tau }
        }
    }

    prop_compose! {
        /// Up to 20 branches in steps of 0.3 to 0.6 decades, stiffnesses within two decades.
        fn separate()(
            k0 in 3.0f64..5.0,
            branches in prop::collection::vec((3.0f64..5.0, 0.3f64..0.6), 0..21),
        ) -> Maxwell {
            let (mut decade, mut tau) = (3.0, List::new());
            for (_, step) in &branches {
                decade -= step;
                tau.push(10f64.powf(decade));
            }
            let k = branches.iter().map(|branch| 10f64.powf(branch.0)).collect();
            Maxwell { k0: 10f64.powf(k0), k, tau }
        }
    }

    proptest! {
        #[test]
        fn all_forms_have_one_modulus(maxwell in clustered(), decade in -5.0f64..8.0) {
            let s = 10f64.powf(decade);
            let voigt = maxwell.to_kelvin_voigt().unwrap();
            let moduli = [
                voigt.modulus(s),
                voigt.to_maxwell().unwrap().modulus(s),
                maxwell.to_differential().unwrap().modulus(s),
                voigt.to_differential().unwrap().modulus(s),
            ];
            prop_assert!(error(&moduli, &[maxwell.modulus(s); 4]) <= 1e-13, "{:?}", moduli);
            // Close roots may be lost, but are not found elsewhere.
            if let Ok(back) = maxwell.to_differential().unwrap().to_maxwell() {
                prop_assert!(error(&[back.modulus(s)], &moduli[..1]) <= 1e-13, "{:?}", back);
            }
        }

        #[test]
        fn creep_is_slower_than_relaxation_branch_by_branch(maxwell in clustered()) {
            let voigt = maxwell.to_kelvin_voigt().unwrap();
            let back = voigt.to_maxwell().unwrap();
            for (i, tau) in back.tau.iter().enumerate() {
                prop_assert!(*tau <= voigt.c[i] / voigt.k[i]);
                prop_assert!(i == 0 || voigt.c[i] / voigt.k[i] <= back.tau[i - 1]);
            }
        }

        /// Doubles of any sign and size, infinite and NaN.
        #[test]
        fn any_numbers_give_positive_parameters_or_an_error(
            k0 in prop::num::f64::ANY,
            pairs in prop::collection::vec(
                prop_oneof![
                    (prop::num::f64::POSITIVE, prop::num::f64::POSITIVE),
                    (prop::num::f64::ANY, prop::num::f64::ANY),
                ],
                0..6,
            ),
        ) {
            let (a, b): (List<f64>, List<f64>) = pairs.into_iter().unzip();
            let k0 = k0.abs();
            let maxwell = Maxwell { k0, k: a.clone(), tau: b.clone() };
            let voigt = KelvinVoigt { k0, k: a.clone(), c: b.clone() };
            let gamma = once(1.0).chain(a).collect();
            let form = Differential { gamma, sigma: once(k0).chain(b).collect() };
            let found = [
                maxwell.to_kelvin_voigt().map(|form| form.all()),
                maxwell.to_differential().map(|form| form.all()),
                voigt.to_maxwell().map(|form| form.all()),
                voigt.to_differential().map(|form| form.all()),
                form.to_maxwell().map(|form| form.all()),
                form.to_kelvin_voigt().map(|form| form.all()),
            ];
            for value in found.into_iter().flatten().flatten() {
                prop_assert!(value > 0.0 && value.is_finite());
            }
        }

        #[test]
        fn maxwell_survives_the_way_to_kelvin_voigt_and_back(maxwell in separate()) {
            let back = maxwell.to_kelvin_voigt().unwrap().to_maxwell().unwrap();
            prop_assert!(error(&back.all(), &maxwell.all()) <= 1e-12, "{:?}", back);
        }

        #[test]
        fn maxwell_and_kelvin_voigt_survive_the_way_to_coefficients_and_back(
            maxwell in separate()
        ) {
            let (voigt, form) = (maxwell.to_kelvin_voigt().unwrap(), maxwell.to_differential().unwrap());
            prop_assert!(error(&form.to_maxwell().unwrap().all(), &maxwell.all()) <= 1e-9);
            prop_assert!(error(&form.to_kelvin_voigt().unwrap().all(), &voigt.all()) <= 1e-9);
        }
    }
}
