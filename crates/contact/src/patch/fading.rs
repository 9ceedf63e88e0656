//! How fast deflections fade: λ of z′ = −v̄ − λz, at many slip velocities at once.
//!
//! A law of friction is a chain of some hundred operations, and λ is one smooth function of the speed of sliding. From
//! rest up to the greatest speed in a patch it is well served by a polynomial of the root of the speed: a Stribeck curve
//! of exponent δ departs from rest like v^δ, λ like v^(1 + δ), and the root is sure to have twice as many derivatives. What
//! the highest of Chebyshev's polynomials hold tells how good that is; where it is not good enough, the law is asked.
use super::inflow::{WIDTH, Wide};
use super::march::{Motion, Side};
use super::shape::Shape;
use bristle_kernel::{Logic, Planar, Real};
use bristle_num::{Lanes, Several, Single, Swift, simd};
use std::sync::OnceLock;

/// The scalar of quick rules that are to be good to a millionth.
pub type Brisk = Swift<WIDTH>;

/// The scalar of those that are to be good to a thousandth: rounding is off by less than a hundredth of that.
pub type Brief = Single<WIDTH>;

/// Six of [`Brief`] at once.
pub type Briefs = Several<Brief, 6>;

/// A scalar in which paths are followed quickly. A law of friction is asked at several nodes of a path at a time: it is a
/// long chain of operations that wait for each other, and meanwhile those of other nodes can be done.
pub trait Prompt: Side {
    /// One number of its precision.
    type Number: Copy + core::fmt::Debug;
    /// Some of them at once.
    type Several: Real;
    /// How many.
    const SEVERAL: usize;
    /// What the terms that a polynomial leaves out may hold of the greatest λ.
    const LEFT_OUT: f64;
    /// How much of it λ at rest may be for it to be left out.
    const AT_REST: f64;
    /// A number of its precision.
    fn number(x: f64) -> Self::Number;
    /// The same number in all lanes.
    fn all(x: Self::Number) -> Self;
    /// Those of a slice that is not longer than that; what is missing is like the first.
    fn together(nodes: &[Self]) -> Self::Several;
    /// The k-th of them.
    fn apart(several: &Self::Several, k: usize) -> Self;
}

macro_rules! one_at_a_time {
    ($($Scalar:ty: $left_out:expr, $at_rest:expr;)*) => {$(
        impl Prompt for $Scalar {
            type Number = f64;
            type Several = Self;
            const SEVERAL: usize = 1;
            const LEFT_OUT: f64 = $left_out;
            const AT_REST: f64 = $at_rest;
            #[inline(always)]
            fn number(x: f64) -> f64 {
                x
            }
            #[inline(always)]
            fn all(x: f64) -> Self {
                Self::from(x)
            }
            #[inline(always)]
            fn together(nodes: &[Self]) -> Self {
                nodes[0]
            }
            #[inline(always)]
            fn apart(several: &Self, _: usize) -> Self {
                *several
            }
        }
    )*};
}
one_at_a_time! {
    Brisk: 1e-8, 2e-5;
    // Where nothing is fused nothing is quick: the law itself.
    Wide: 0.0, 0.0;
}

impl Prompt for Brief {
    type Number = f32;
    type Several = Briefs;
    const SEVERAL: usize = 6;
    const LEFT_OUT: f64 = 5e-7;
    const AT_REST: f64 = 5e-4;
    #[inline(always)]
    fn number(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn all(x: f32) -> Self {
        Single([x; WIDTH])
    }
    #[inline(always)]
    fn together(nodes: &[Self]) -> Briefs {
        let mut several = [nodes[0]; 6];
        for (one, node) in several.iter_mut().zip(nodes) {
            *one = *node;
        }
        Several(several)
    }
    #[inline(always)]
    fn apart(several: &Briefs, k: usize) -> Self {
        several.0[k]
    }
}

/// The most terms of a polynomial.
const MOST_TERMS: usize = 20;

/// Where a law is asked for one.
const LOOKS: usize = 32;

/// λ, 1/s, of a bristle that prefers no direction, from rest up to a greatest speed of sliding: a polynomial of
/// 2√(v/v_max) − 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fade {
    /// v_max, m/s, a power of two: motions that are much alike share one.
    fastest: f64,
    /// From the constant upwards.
    terms: [f64; MOST_TERMS],
    /// How many of them it takes, if so many are enough.
    count: Option<usize>,
}

impl Fade {
    /// That of a bristle up to a speed, as good as a scalar asks for; `known` if it is the same.
    pub(crate) fn up_to<S: Prompt>(
        bristle: &impl Planar<Wide>,
        speed: f64,
        known: Option<Fade>,
    ) -> Fade {
        let fastest = power_of_two_above(speed);
        match known {
            Some(known) if known.fastest == fastest => known,
            _ => Self::new::<S>(bristle, fastest),
        }
    }

    /// Whether the law is smooth enough for a polynomial.
    pub(crate) fn is_good(&self) -> bool {
        self.count.is_some()
    }

    fn new<S: Prompt>(bristle: &impl Planar<Wide>, fastest: f64) -> Fade {
        let looks = looks();
        let chebyshev = simd::widest(
            #[inline(always)]
            || {
                let mut at = [Wide::from(0.0); LOOKS / WIDTH];
                let mut rates = at;
                for (g, (at, rate)) in at.iter_mut().zip(&mut rates).enumerate() {
                    *at = Lanes(std::array::from_fn(|i| looks[g * WIDTH + i]));
                    let root = (*at + 1.0) * 0.5;
                    let speed = root * root * fastest;
                    *rate = bristle.scalar_response(speed * speed).forget;
                }
                // Regularised laws fade at rest too, as √(v² + ε) does: a polynomial would have to follow that bend, and
                // where λ is not much above what it is at rest it matters little.
                let rest = bristle.scalar_response(Wide::from(0.0)).forget;
                let greatest = bristle.scalar_response(Wide::from(fastest * fastest)).forget;
                if rest.le(greatest * S::AT_REST).all() {
                    for rate in &mut rates {
                        *rate = (*rate * *rate - rest * rest).max(Wide::from(0.0)).sqrt();
                    }
                }
                let mut coefficients = [0.0; LOOKS];
                let (mut now, mut before) = ([Wide::from(1.0); LOOKS / WIDTH], at);
                for coefficient in &mut coefficients {
                    let mut sum = Wide::from(0.0);
                    for g in 0..LOOKS / WIDTH {
                        sum += rates[g] * now[g];
                        (now[g], before[g]) = (at[g] * 2.0 * now[g] - before[g], now[g]);
                    }
                    *coefficient = sum.0.iter().sum::<f64>() * (2.0 / LOOKS as f64);
                }
                coefficients[0] *= 0.5;
                coefficients
            },
        );
        let most = S::LEFT_OUT * chebyshev.iter().map(|c| c.abs()).sum::<f64>();
        let (mut left_out, mut count) = (0.0, LOOKS);
        while count > 1 && left_out + chebyshev[count - 1].abs() <= most {
            count -= 1;
            left_out += chebyshev[count].abs();
        }
        let count = (count <= MOST_TERMS).then_some(count);
        Fade { fastest, terms: powers(&chebyshev[..count.unwrap_or(0)]), count }
    }
}

/// Chebyshev's points, worked out once in a program.
fn looks() -> &'static [f64; LOOKS] {
    static POINTS: OnceLock<[f64; LOOKS]> = OnceLock::new();
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / LOOKS as f64;
    POINTS.get_or_init(|| std::array::from_fn(|k| angle(k).cos()))
}

/// The powers of a sum of Chebyshev's polynomials.
fn powers(chebyshev: &[f64]) -> [f64; MOST_TERMS] {
    let mut sum = [0.0; MOST_TERMS];
    let (mut now, mut before) = ([0.0; MOST_TERMS], [0.0; MOST_TERMS]);
    now[0] = 1.0;
    for (degree, coefficient) in chebyshev.iter().enumerate() {
        let mut next = [0.0; MOST_TERMS];
        for k in 0..MOST_TERMS {
            sum[k] += coefficient * now[k];
            let raised = if k == 0 { 0.0 } else { now[k - 1] };
            // T₁ = t T₀; from then on T_{n+1} = 2t Tₙ − T_{n−1}.
            next[k] = if degree == 0 { raised } else { 2.0 * raised - before[k] };
        }
        (before, now) = (now, next);
    }
    sum
}

/// Of a number that is not 0 and not too great for it.
fn power_of_two_above(x: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    f64::from_bits(((x.to_bits() >> MANTISSA) + 1) << MANTISSA)
}

/// λ per metre travelled, of bristles in a motion.
pub(crate) struct Fading<'a, S, P> {
    bristle: &'a P,
    /// 1/V_r, s/m.
    pace: S,
    /// The terms of λ/V_r, the highest first, if that is a polynomial.
    terms: [S; MOST_TERMS],
    /// How many there are.
    count: Option<usize>,
    /// What squares of v̄ are multiplied by: then they are those of v/v_max, or else of v.
    scale: S,
}

impl<'a, S: Prompt, P: Planar<S::Several>> Fading<'a, S, P> {
    pub(crate) fn new(bristle: &'a P, speed: f64, fade: Option<&Fade>) -> Self {
        let fade = fade.filter(|fade| fade.is_good());
        let mut terms = [S::from(0.0); MOST_TERMS];
        let count = fade.and_then(|fade| fade.count);
        if let (Some(fade), Some(count)) = (fade, count) {
            for (term, exact) in terms.iter_mut().zip(fade.terms[..count].iter().rev()) {
                *term = S::from(exact / speed);
            }
        }
        let unit = fade.map_or(1.0, |fade| fade.fastest);
        let scale = S::from((speed / unit) * (speed / unit));
        Fading { bristle, pace: S::from(1.0 / speed), terms, count, scale }
    }

    /// λ at N slip velocities.
    #[inline(always)]
    pub(crate) fn at<const N: usize>(&self, slip: &[[S; 2]; N]) -> [S; N] {
        let mut rates = [S::from(0.0); N];
        for i in 0..N {
            let [x, y] = slip[i];
            rates[i] = x.mul_add(x, y * y) * self.scale;
        }
        match self.count {
            Some(count) => {
                // As many chains as registers hold.
                let terms = &self.terms[..count];
                if S::SEVERAL > 1 {
                    sum_up(terms, &mut rates);
                } else {
                    let (fours, rest) = rates.as_chunks_mut::<4>();
                    for some in fours {
                        sum_up(terms, some);
                    }
                    for one in rest.as_chunks_mut::<1>().0 {
                        sum_up(terms, one);
                    }
                }
            }
            None => {
                for rates in rates.chunks_mut(S::SEVERAL) {
                    let found = self.bristle.scalar_response(S::together(rates)).forget;
                    for (k, rate) in rates.iter_mut().enumerate() {
                        *rate = S::apart(&found, k) * self.pace;
                    }
                }
            }
        }
        rates
    }
}

/// Replaces squares of v/v_max by a polynomial of 2√(v/v_max) − 1, the highest of its terms first.
#[inline(always)]
fn sum_up<S: Real, const N: usize>(terms: &[S], squares: &mut [S; N]) {
    let mut at = *squares;
    // A plain loop: what is built by a function of an element is not always inlined.
    for at in &mut at {
        // Beyond the greatest speed there is nothing but a slip of an iteration.
        let root = at.sqrt().sqrt().min(S::from(1.0));
        *at = root.mul_add(S::from(2.0), S::from(-1.0));
    }
    let mut sums = [S::from(0.0); N];
    for term in terms {
        for i in 0..N {
            sums[i] = sums[i].mul_add(at[i], *term);
        }
    }
    *squares = sums;
}

impl Motion<f64> {
    /// A speed, m/s, that no bristle slides faster than. Where friction is taken at the velocity that the bristle feels,
    /// its deflection counts, which is not much above that of steady sliding, or as large as it once was made.
    pub(crate) fn fastest_slip(
        &self,
        shape: &Shape,
        felt: Option<(&impl Planar<Wide>, f64)>,
    ) -> f64 {
        let along = self.sigma[0].abs() + self.phi.abs() * shape.b;
        let across = self.sigma[1].abs() + self.phi.abs() * shape.a;
        // Where nothing slides there is still a speed to divide by.
        let rigid = self.speed * (along * along + across * across).sqrt().max(1e-9);
        let Some((bristle, made)) = felt else { return rigid };
        let speeds: Wide = Lanes(std::array::from_fn(|i| {
            let part = (i + 1) as f64 / WIDTH as f64;
            2.0 * rigid * part * part
        }));
        let deflections = simd::widest(
            #[inline(always)]
            || speeds / bristle.scalar_response(speeds * speeds).forget,
        );
        let deflected = deflections.0.iter().fold(made, |most, z| most.max(1.5 * z));
        rigid + self.speed * self.phi2.abs() * deflected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bristle_kernel::bristle::FrbdPlanar;
    use bristle_kernel::law::Stribeck;
    use bristle_kernel::matrix::Isotropic;
    use bristle_kernel::{Cast, Start};

    type Bristle = FrbdPlanar<f64, Isotropic<f64, Stribeck<f64>>>;

    fn bristle(v_s: f64, exponent: f64) -> Bristle {
        let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s, exponent, ..Stribeck::start(()) };
        FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law }) }
    }

    /// The greatest difference from the law, as a part of λ at the greatest speed; nothing if it is not good.
    fn off<S: Prompt>(bristle: &Bristle, fastest: f64) -> Option<f64>
    where
        <Bristle as Cast<f64>>::Over<S::Several>: Planar<S::Several>,
    {
        let wide = bristle.cast(&mut |x| Wide::from(x));
        let fade = Fade::up_to::<S>(&wide, fastest, None);
        if !fade.is_good() {
            return None;
        }
        let law = bristle.cast(&mut |x| S::Several::from(x));
        let speed = 3.0;
        let fading: Fading<S, _> = Fading::new(&law, speed, Some(&fade));
        let exact = |v: f64| bristle.scalar_response(v * v).forget / speed;
        let most = (0..=1000).map(|k| {
            let v = fastest * f64::from(k) / 1000.0;
            let slip = [S::from(0.6 * v / speed), S::from(-0.8 * v / speed)];
            let [_, ours] = fading.at(&[[S::from(0.0); 2], slip]);
            (ours.value().0[0] - exact(v)).abs()
        });
        Some(most.fold(0.0, f64::max) / exact(fastest))
    }

    /// Bounds that the terms left out keep are those of the polynomial, up to a power of two and rounding.
    #[test]
    fn a_polynomial_is_as_good_as_its_law() {
        for (exponent, fastest) in
            [(0.5, 20.0), (0.6, 0.05), (0.6, 4.0), (0.6, 30.0), (1.0, 4.0), (2.0, 2.0)]
        {
            let b = bristle(3.49, exponent);
            let (single, double) = (off::<Brief>(&b, fastest), off::<Brisk>(&b, fastest));
            // At rest there is what the regularisation adds, too.
            let rest = b.scalar_response(0.0).forget / b.scalar_response(fastest * fastest).forget;
            assert!(single.unwrap() < 2e-6 + 2.0 * rest, "{exponent}, {fastest}: {single:?}");
            assert!(double.unwrap() < 4e-8 + 2.0 * rest, "{exponent}, {fastest}: {double:?}");
        }
    }

    #[test]
    fn laws_that_change_fast_are_asked_themselves() {
        assert_eq!(off::<Brief>(&bristle(0.1, 2.0), 3.0), None);
        assert_eq!(off::<Brisk>(&bristle(0.3, 1.5), 3.0), None);
        let b = bristle(0.1, 2.0);
        let law = b.cast(&mut |x| Brisk::from(x));
        let fade = Fade::up_to::<Brisk>(&b.cast(&mut |x| Wide::from(x)), 3.0, None);
        let fading: Fading<Brisk, _> = Fading::new(&law, 2.0, Some(&fade));
        let [ours] = fading.at(&[[Brisk::from(0.03), Brisk::from(0.04)]]);
        let exact = b.scalar_response(0.01).forget / 2.0;
        assert!((ours.value().0[3] / exact - 1.0).abs() < 1e-8);
    }

    /// One polynomial serves all motions that share a power of two, and none that do not.
    #[test]
    fn polynomials_are_shared() {
        let wide = bristle(3.49, 0.6).cast(&mut |x| Wide::from(x));
        let first = Fade::up_to::<Brief>(&wide, 2.1, None);
        assert_eq!(first.fastest, 4.0);
        assert_eq!(Fade::up_to::<Brief>(&wide, 3.9, Some(first)).terms, first.terms);
        assert_eq!(Fade::up_to::<Brief>(&wide, 3.9, None).terms, first.terms);
        assert_ne!(Fade::up_to::<Brief>(&wide, 4.0, Some(first)).terms, first.terms);
    }
}
