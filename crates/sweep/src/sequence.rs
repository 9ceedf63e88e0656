//! Points of the unit cube that depend on their index alone: random, Latin hypercubes, Sobol sequences.

/// How samples are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Independent of each other.
    #[default]
    Random,
    /// Each parameter takes every one of as many equal shares of its distribution once.
    LatinHypercube,
    /// A Sobol sequence, shifted by the seed: the most even one; counts are best powers of two.
    Sobol,
}

/// All methods by name.
pub const METHODS: [(&str, Method); 3] = [
    ("random", Method::Random),
    ("latin_hypercube", Method::LatinHypercube),
    ("sobol", Method::Sobol),
];

/// So many numbers a point of a Sobol sequence has at most.
pub const SOBOL_DIMENSIONS: usize = DIRECTIONS.len() + 1;

/// A sequence of points, each known by its index.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    /// How they are spread.
    pub method: Method,
    /// How many there are.
    pub count: u64,
    /// Another seed gives other points.
    pub seed: u64,
}

impl Sequence {
    /// The number of a point along a dimension, strictly between 0 and 1.
    pub fn at(&self, index: u64, dimension: usize) -> f64 {
        let stream = mix(self.seed ^ mix(dimension as u64 + 1));
        match self.method {
            Method::Random => unit(random(stream, index)),
            Method::LatinHypercube => {
                let share = permuted(index, self.count, stream);
                let within = unit(random(mix(stream), index));
                (share as f64 + within) / self.count as f64
            }
            Method::Sobol => {
                let shift = (stream >> 32) as u32;
                (f64::from(sobol(index as u32, dimension) ^ shift) + 0.5) / 4_294_967_296.0
            }
        }
    }
}

/// The finishing step of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The number of that index of the SplitMix64 that starts at `stream`.
pub(crate) fn random(stream: u64, index: u64) -> u64 {
    mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(index.wrapping_add(1))))
}

/// In the middle of one of 2⁵² equal parts of (0, 1).
fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0
}

/// A permutation of 0 … count − 1: a Feistel network over as many bits as it takes, walked until it is below the count.
fn permuted(index: u64, count: u64, key: u64) -> u64 {
    let bits = (64 - count.saturating_sub(1).leading_zeros()).max(2);
    let half = bits.div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut x = index;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..6 {
            (left, right) = (right, left ^ (mix(key ^ mix(right + (round << 32))) & mask));
        }
        x = left << half | right;
        if x < count {
            return x;
        }
    }
}

/// The bits of a point of the Sobol sequence, in the order of the index (not of its Gray code).
fn sobol(index: u32, dimension: usize) -> u32 {
    let mut bits = 0;
    for k in 0..32 {
        if index >> k & 1 == 1 {
            bits ^= direction(k, dimension);
        }
    }
    bits
}

/// Direction number `k` of a dimension; the first dimension is that of van der Corput.
fn direction(k: usize, dimension: usize) -> u32 {
    let Some((a, m)) = dimension.checked_sub(1).map(|d| DIRECTIONS[d % DIRECTIONS.len()]) else {
        return 1 << (31 - k);
    };
    let s = m.len();
    let mut v = [0u32; 32];
    for i in 0..=k {
        v[i] = match i < s {
            true => m[i] << (31 - i),
            false => {
                let own = v[i - s] ^ (v[i - s] >> s);
                (1..s).filter(|j| a >> (s - 1 - j) & 1 == 1).fold(own, |own, j| own ^ v[i - j])
            }
        };
    }
    v[k]
}

/// Polynomial and first direction numbers of the dimensions after the first: S. Joe, F. Y. Kuo, "Constructing Sobol sequences
/// with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), new-joe-kuo-6.
const DIRECTIONS: [(u32, &[u32]); 40] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
    (7, &[1, 1, 3, 13, 7, 35, 63]),
    (8, &[1, 3, 5, 9, 1, 25, 53]),
    (14, &[1, 3, 1, 13, 9, 35, 107]),
    (19, &[1, 3, 1, 5, 27, 61, 31]),
    (21, &[1, 1, 5, 11, 19, 41, 61]),
    (28, &[1, 3, 5, 3, 3, 13, 69]),
    (31, &[1, 1, 7, 13, 1, 19, 1]),
    (32, &[1, 3, 7, 5, 13, 19, 59]),
    (37, &[1, 1, 3, 9, 25, 29, 41]),
    (41, &[1, 3, 5, 13, 23, 1, 55]),
    (42, &[1, 3, 7, 3, 13, 59, 17]),
    (50, &[1, 3, 1, 3, 5, 53, 69]),
    (55, &[1, 1, 5, 5, 23, 33, 13]),
    (56, &[1, 1, 7, 7, 1, 61, 123]),
    (59, &[1, 1, 7, 9, 13, 61, 49]),
    (62, &[1, 3, 3, 5, 3, 55, 33]),
    (14, &[1, 3, 1, 15, 31, 13, 49, 245]),
    (21, &[1, 3, 5, 15, 31, 59, 63, 97]),
    (22, &[1, 3, 1, 11, 11, 11, 77, 249]),
    (38, &[1, 3, 1, 11, 27, 43, 71, 9]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(method: Method, count: u64) -> Sequence {
        Sequence { method, count, seed: 7 }
    }

    /// As scipy 1.17 has it (`qmc.Sobol(12, scramble=False).random(64)[5]`, whose Gray code is 7).
    #[test]
    fn the_sobol_sequence_is_that_of_joe_and_kuo() {
        let expected =
            [0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375, 0.375, 0.125, 0.375, 0.875];
        for (dimension, expected) in expected.into_iter().enumerate() {
            assert_eq!(f64::from(sobol(7, dimension)) / 4_294_967_296.0, expected);
        }
    }

    /// Of 2^k points one lies in each of 2^k equal intervals, along every dimension.
    #[test]
    fn stratified_sequences_fill_every_share_once() {
        for (method, count) in
            [(Method::Sobol, 256), (Method::LatinHypercube, 256), (Method::LatinHypercube, 1000)]
        {
            let points = sequence(method, count);
            for dimension in 0..SOBOL_DIMENSIONS {
                let mut seen = vec![false; count as usize];
                for index in 0..count {
                    let share = points.at(index, dimension) * count as f64;
                    assert!(!std::mem::replace(&mut seen[share as usize], true), "{method:?}");
                }
            }
        }
    }

    #[test]
    fn random_points_are_even_and_unrelated() {
        let points = sequence(Method::Random, 20_000);
        let column = |d: usize| (0..points.count).map(|i| points.at(i, d)).collect::<Vec<_>>();
        let (a, b) = (column(0), column(1));
        let mean = |of: &mut dyn Iterator<Item = f64>| of.sum::<f64>() / points.count as f64;
        // Three standard errors of each.
        assert!((mean(&mut a.iter().copied()) - 0.5).abs() < 3.0 * 0.2887 / 141.4);
        let product = mean(&mut a.iter().zip(&b).map(|(a, b)| (a - 0.5) * (b - 0.5)));
        assert!(product.abs() < 3.0 / 12.0 / 141.4, "{product}");
        assert!(a.iter().all(|x| *x > 0.0 && *x < 1.0));
        assert_ne!(points.at(3, 0), Sequence { seed: 8, ..points }.at(3, 0));
    }
}
