//! Coefficients of Radau IIA with three and with five stages.
//!
//! Nodes, eigenvalues and eigenvectors are given to more digits than a number holds; the rest
//! follows from the nodes. `tools/reference/radau.py` computes them, the tests below check them
//! against each other.
use crate::lu::Bundle;
use crate::tableau::NODES;

/// √6
const SQRT6: f64 = 2.449_489_742_783_178;

/// The highest degree of the solution over a step: one more than there are stages.
pub(crate) const DEGREE: usize = 6;

/// Radau IIA with `S` stages: one real and `P` = (S − 1)/2 pairs of complex eigenvalues.
#[derive(Debug)]
pub(super) struct Coefficients<const S: usize, const P: usize> {
    /// c
    pub(super) nodes: [f64; S],
    /// The eigenvalues of A⁻¹ = T Λ T⁻¹, Λ = diag(γ, [[α, −β], [β, α]], …).
    pub(super) eigenvalues: Bundle<P>,
    pub(super) t: [[f64; S]; S],
    pub(super) t_inv: [[f64; S]; S],
    /// The collocation polynomial less y₀ is Σ zᵢ ℓᵢ(θ), ℓᵢ(cⱼ) = δᵢⱼ, ℓᵢ(0) = 0: row k has the
    /// coefficients of θᵏ⁺¹ in the ℓᵢ. The first row gives its slope at the start.
    pub(super) lagrange: [[f64; S]; S],
    /// ∫(1 − θ/c₁)…(1 − θ/c_s)dθ by powers of θ: slope 1 at the start and 0 at the nodes, value 0 at
    /// both ends.
    pub(super) bump: [f64; DEGREE],
    /// θ halfway between the last two nodes, and the weights of z in the collocation polynomial and in its
    /// slope there.
    pub(super) late: f64,
    pub(super) late_value: [f64; S],
    pub(super) late_slope: [f64; S],
}

/// Order 5, error estimate of order 3.
pub(super) const THREE: Coefficients<3, 1> = Coefficients::new(
    [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0],
    Bundle {
        real: 3.637_834_252_744_495_732_21,
        re: [2.681_082_873_627_752_133_90],
        im: [3.050_430_199_247_410_569_43],
    },
    [
        [
            9.123_239_487_089_294_279_2e-2,
            -0.141_255_295_020_954_208_43,
            -3.002_919_410_514_742_449_2e-2,
        ],
        [0.241_717_932_707_107_018_96, 0.204_129_352_293_799_931_99, 0.382_942_112_757_261_937_79],
        [0.966_048_182_615_092_936_19, 1.0, 0.0],
    ],
    [
        [4.325_579_890_063_155_351_0, 0.339_199_251_815_809_869_54, 0.541_770_539_935_874_871_19],
        [-4.178_718_591_551_904_727_3, -0.327_682_820_761_062_387_08, 0.476_623_554_500_550_451_96],
        [-0.502_872_634_945_786_875_95, 2.571_926_949_855_605_429_2, -0.596_039_204_828_224_924_97],
    ],
);

/// Order 9, error estimate of order 5.
pub(super) const FIVE: Coefficients<5, 2> = Coefficients::new(
    NODES,
    Bundle {
        real: 6.286_704_751_729_276_645_17,
        re: [5.700_953_298_671_789_419_17, 3.655_694_325_463_572_258_24],
        im: [3.210_265_600_308_549_888_43, 6.543_736_899_360_077_294_02],
    },
    [
        [
            0.012_517_586_220_501_045_890_1,
            -0.011_478_515_255_229_514_707_9,
            -0.014_019_858_892_875_410_281_1,
            -0.010_242_047_817_908_827_070_1,
            0.047_673_877_290_295_723_863_2,
        ],
        [
            0.001_491_670_151_895_382_429_00,
            -0.007_668_830_749_180_162_885_16,
            0.024_708_578_426_518_526_812_5,
            0.050_172_864_517_371_058_163_0,
            -0.094_331_819_181_611_436_980_7,
        ],
        [
            0.072_981_876_388_087_148_622_7,
            0.019_398_463_998_828_950_911_2,
            0.081_800_353_703_751_170_836_4,
            -0.230_539_534_043_417_946_721,
            0.102_703_045_380_125_899_792,
        ],
        [
            0.380_091_440_003_568_104_126,
            0.407_601_171_280_199_066_622,
            0.199_682_427_886_802_525_937,
            0.377_893_902_248_861_249_544,
            0.466_744_130_332_494_359_290,
        ],
        [0.921_978_973_681_210_488_488, 1.0, 0.0, 1.0, 0.0],
    ],
    [
        [
            30.041_567_721_544_401_627_7,
            13.865_107_856_271_413_165_2,
            3.480_002_774_795_185_561_83,
            -1.032_008_797_825_263_422_77,
            0.804_303_045_073_989_917_475,
        ],
        [
            -33.041_880_213_519_000_008_1,
            -17.376_953_479_063_567_019_5,
            -0.172_129_063_254_005_561_152,
            -0.099_169_777_982_542_642_588_2,
            0.531_228_115_838_306_667_185,
        ],
        [
            -8.611_443_979_875_291_977_70,
            9.699_991_409_528_808_231_34,
            1.914_728_639_696_874_284_85,
            2.418_692_006_084_940_026_43,
            -1.047_463_487_935_337_418_69,
        ],
        [
            5.344_186_437_834_911_598_90,
            4.593_615_567_759_161_004_45,
            -3.036_360_323_459_424_298_65,
            1.050_660_190_231_458_863_86,
            -0.272_778_611_864_296_270_539,
        ],
        [
            3.748_059_807_439_804_860_05,
            -3.984_965_736_343_884_667_25,
            -1.044_415_641_608_018_792_94,
            1.184_098_568_137_948_487_23,
            -0.449_917_770_156_780_368_899,
        ],
    ],
);

/// Weights of five stages that give the slope of their collocation polynomial at the start, less that which
/// three stages extrapolate from their nodes: what their estimate would be made of. The factor γ₅/γ₃ makes
/// up for the filter, which is that of five stages, of states that are not stiff; of others it is cautious.
pub(super) const DEFECT_OF_THREE: [f64; 5] = {
    let [a, b, c] = THREE.nodes;
    // At the start the quadratic through θ³ and θ⁴ at a, b, c is abc and abc(a + b + c).
    let (cubic, quartic) = (a * b * c, a * b * c * (a + b + c));
    let filter = FIVE.eigenvalues.real / THREE.eigenvalues.real;
    let mut weights = [0.0; 5];
    let mut i = 0;
    while i < 5 {
        let defect = -4.0 * cubic * FIVE.lagrange[3][i] - 5.0 * quartic * FIVE.lagrange[4][i];
        weights[i] = filter * defect;
        i += 1;
    }
    weights
};

impl<const S: usize, const P: usize> Coefficients<S, P> {
    const fn new(
        nodes: [f64; S],
        eigenvalues: Bundle<P>,
        t: [[f64; S]; S],
        t_inv: [[f64; S]; S],
    ) -> Self {
        let mut lagrange = [[0.0; S]; S];
        let mut bump = [0.0; DEGREE];
        bump[0] = 1.0;
        let mut i = 0;
        while i < S {
            // θ/cᵢ times all (θ − cⱼ)/(cᵢ − cⱼ) but that of i itself.
            lagrange[0][i] = 1.0 / nodes[i];
            let mut j = 0;
            while j < S {
                if j != i {
                    let scale = 1.0 / (nodes[i] - nodes[j]);
                    let mut k = S;
                    while k > 0 {
                        k -= 1;
                        let lower = if k > 0 { lagrange[k - 1][i] } else { 0.0 };
                        lagrange[k][i] = (lower - nodes[j] * lagrange[k][i]) * scale;
                    }
                }
                j += 1;
            }
            let mut k = S;
            while k > 0 {
                bump[k] -= bump[k - 1] / nodes[i];
                k -= 1;
            }
            i += 1;
        }
        let mut k = 0;
        while k <= S {
            bump[k] /= (k + 1) as f64;
            k += 1;
        }
        let late = 0.5 * (nodes[S - 2] + nodes[S - 1]);
        let (mut late_value, mut late_slope) = ([0.0; S], [0.0; S]);
        let mut i = 0;
        while i < S {
            let mut k = S;
            while k > 0 {
                k -= 1;
                late_value[i] = (late_value[i] + lagrange[k][i]) * late;
                late_slope[i] = late_slope[i] * late + (k + 1) as f64 * lagrange[k][i];
            }
            i += 1;
        }
        Coefficients { nodes, eigenvalues, t, t_inv, lagrange, bump, late, late_value, late_slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product<const S: usize>(a: &[[f64; S]; S], b: &[[f64; S]; S]) -> [[f64; S]; S] {
        core::array::from_fn(|i| core::array::from_fn(|j| (0..S).map(|k| a[i][k] * b[k][j]).sum()))
    }

    fn close<const S: usize>(a: &[[f64; S]; S], b: &[[f64; S]; S], tolerance: f64) {
        let size = a.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
            assert!((a - b).abs() <= tolerance * size, "{a} {b}");
        }
    }

    fn identity<const S: usize>() -> [[f64; S]; S] {
        core::array::from_fn(|i| core::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
    }

    /// A⁻¹ takes the stages to their slopes: (A⁻¹)ⱼᵢ = ℓᵢ′(cⱼ).
    fn inverse<const S: usize, const P: usize>(of: &Coefficients<S, P>) -> [[f64; S]; S] {
        let slope = |i: usize, c: f64| {
            (0..S).rev().fold(0.0, |sum, k| sum * c + (k + 1) as f64 * of.lagrange[k][i])
        };
        core::array::from_fn(|j| core::array::from_fn(|i| slope(i, of.nodes[j])))
    }

    fn check<const S: usize, const P: usize>(of: &Coefficients<S, P>) {
        let Coefficients { nodes, eigenvalues, t, t_inv, lagrange, bump, .. } = of;
        // Radau's nodes: the quadrature with them is exact up to degree 2S − 2. Its weights are those
        // with which A integrates up to the last node, b = eₛᵀA: bᵀA⁻¹ = eₛᵀ.
        let inverse = inverse(of);
        let mut lambda = [[0.0; S]; S];
        lambda[0][0] = eigenvalues.real;
        for p in 0..P {
            let (re, im) = (2 * p + 1, 2 * p + 2);
            (lambda[re][re], lambda[re][im]) = (eigenvalues.re[p], -eigenvalues.im[p]);
            (lambda[im][re], lambda[im][im]) = (eigenvalues.im[p], eigenvalues.re[p]);
        }
        close(&product(t, t_inv), &identity(), 1e-14);
        close(&product(&inverse, t), &product(t, &lambda), 2e-14);
        // A = T Λ⁻¹ T⁻¹, with Λ⁻¹ T⁻¹ = X from Λ X = T⁻¹ block by block.
        let mut x = *t_inv;
        for k in 0..S {
            x[0][k] /= eigenvalues.real;
            for p in 0..P {
                let (re, im) = (eigenvalues.re[p], eigenvalues.im[p]);
                let d = re * re + im * im;
                let [a, b] = [x[2 * p + 1][k], x[2 * p + 2][k]];
                x[2 * p + 1][k] = (re * a + im * b) / d;
                x[2 * p + 2][k] = (re * b - im * a) / d;
            }
        }
        let a = product(t, &x);
        for q in 1..=S as i32 {
            for (row, c) in a.iter().zip(nodes) {
                let sum: f64 = row.iter().zip(nodes).map(|(a, c)| a * c.powi(q - 1)).sum();
                assert!((sum - c.powi(q) / f64::from(q)).abs() < 1e-14, "C({q}): {sum}");
            }
        }
        for q in 1..=2 * S as i32 - 1 {
            let sum: f64 = a[S - 1].iter().zip(nodes).map(|(b, c)| b * c.powi(q - 1)).sum();
            assert!((sum - 1.0 / f64::from(q)).abs() < 1e-14, "B({q}): {sum}");
        }
        for (j, c) in nodes.iter().enumerate() {
            for i in 0..S {
                let value = (0..S).rev().fold(0.0, |sum, k| (sum + lagrange[k][i]) * c);
                assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13, "{value}");
            }
            let slope = (0..DEGREE).rev().fold(0.0, |sum, k| sum * c + (k + 1) as f64 * bump[k]);
            assert!(slope.abs() < 1e-12, "{slope}");
        }
        for k in 1..=S as i32 {
            let sum = |weights: &[f64; S]| -> f64 {
                weights.iter().zip(nodes).map(|(w, c)| w * c.powi(k)).sum()
            };
            assert!((sum(&of.late_value) - of.late.powi(k)).abs() < 1e-13);
            assert!((sum(&of.late_slope) - f64::from(k) * of.late.powi(k - 1)).abs() < 1e-12);
        }
        let end: f64 = bump.iter().sum();
        assert!(bump[0] == 1.0 && end.abs() < 1e-13, "{bump:?}");
    }

    #[test]
    fn coefficients_belong_together_and_have_their_order() {
        check(&THREE);
        check(&FIVE);
    }

    /// The defect of three stages is seen in θ⁴ and θ⁵ only, and there as f − ṗ of their own estimate.
    #[test]
    fn five_stages_see_the_defect_of_three() {
        for k in 1..=5 {
            let seen: f64 =
                DEFECT_OF_THREE.iter().zip(FIVE.nodes).map(|(d, c)| d * c.powi(k)).sum();
            // y = θᵏ: the slope at the start less the quadratic through the slopes at the nodes.
            let slope = |c: f64| f64::from(k) * c.powi(k - 1);
            let lagrange = |i: usize| {
                let c = THREE.nodes;
                (0..3).filter(|j| *j != i).map(|j| c[j] / (c[j] - c[i])).product::<f64>()
            };
            let foretold: f64 = (0..3).map(|i| lagrange(i) * slope(THREE.nodes[i])).sum();
            let filter = FIVE.eigenvalues.real / THREE.eigenvalues.real;
            let expected = filter * (slope(0.0) - foretold);
            assert!((seen - expected).abs() < 1e-13, "θ^{k}: {seen} {expected}");
        }
    }
}
