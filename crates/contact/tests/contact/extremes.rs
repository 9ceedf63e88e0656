//! Where rules are easily deceived: bristles that settle at once, large spins.
use super::common::table_1;
use bristle_contact::patch::{Model, Patch, Profile, Rolling, Steady};
use bristle_kernel::Start;
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;

/// Coulomb friction under constant pressure without spin: F = μF_z(1 − (1 − e^{−λL})/(λL)) on every row of length L, here
/// for bristles that settle within a hundred-thousandth of the patch.
#[test]
fn bristles_that_settle_at_once_have_their_closed_form() {
    let law = Stribeck { mu_d: 0.7, mu_s: 0.7, ..Stribeck::start(()) };
    for (sigma0, sigma) in [(240.0, 0.05), (2.4e4, 0.3), (2.4e6, 0.3)] {
        let bristle = FrbdPlanar {
            sigma0_xx: sigma0,
            sigma0_yy: sigma0,
            ..FrbdPlanar::start(Isotropic { m: 1.0, law })
        };
        let patch = Patch { n: 2.0, m: 2.0, pressure: Profile::Constant, ..Patch::start(()) };
        let r = Rolling { sigma_y: sigma, ..Rolling::start(()) };
        let o = Steady::new(&patch, &bristle, 1e-9).unwrap().solve(&r).unwrap();
        // ∫∫(1 − e^{−λξ}) over the ellipse with y = b sin t, rows of length 2a cos t, by the trapezoidal rule, which is exact
        // for what is periodic: the integrand is even in both ends.
        let (lambda, n) = (sigma0 * sigma / 0.7, 4000);
        let mean: f64 = (0..n)
            .map(|k| {
                let t = std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(n);
                let length = 2.0 * patch.a * t.sin();
                let grown = length + (-lambda * length).exp_m1() / lambda;
                grown * patch.b * t.sin() * std::f64::consts::PI / f64::from(n)
            })
            .sum();
        let exact = 0.7 * patch.load * mean / (std::f64::consts::PI * patch.a * patch.b);
        let error = (o.force[1] / exact - 1.0).abs();
        assert!(
            error <= o.error.max(1e-9) && o.error < 1e-6,
            "{sigma0}: {error:e}, {:e} said",
            o.error
        );
    }
}

/// At large φ₂ forces stay below friction, or the result says that it is not known.
#[test]
fn large_spins_are_bounded_or_said_to_be_unknown() {
    let bristle = FrbdPlanar::start(Isotropic { m: 1.0, law: table_1() });
    for model in [Model::Semilinear, Model::Linear] {
        for phi2 in [30.0, 130.0, 150.0, 200.0] {
            let r = Rolling { model, sigma_y: 0.1, phi2, ..Rolling::start(()) };
            let o = Steady::new(&Patch::start(()), &bristle, 1e-3).unwrap().solve(&r).unwrap();
            let force = o.force[0].hypot(o.force[1]);
            let bounded = force <= 4000.0 * (1.0 + o.error);
            assert!(bounded || o.error > 1e-3, "{model:?}, {phi2}: {force} N, {:e} said", o.error);
        }
    }
}
