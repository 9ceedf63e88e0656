//! The adaptive method: met references, estimates that hold, and what the other engine gets wrong in silence.
use super::common::table_1;
use bristle_contact::patch::adaptive::Steady;
use bristle_contact::patch::{Model, Outcome, Patch, Profile, Rolling};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::{Full, Isotropic};
use bristle_kernel::{AnyChoice, Start};

fn four(o: &Outcome) -> [f64; 4] {
    [o.force[0], o.force[1], o.moment, o.moment_deformed]
}

/// max(|ΔF|/|F|, |ΔM_z|/max(|M_z|, 0.02 F_z a)).
fn distance(ours: [f64; 4], reference: [f64; 4], patch: &Patch<f64>) -> f64 {
    let [x, y, ..] = reference;
    let force = (ours[0] - x).hypot(ours[1] - y) / x.hypot(y);
    let least = 0.02 * patch.load * patch.a;
    let moment = |i: usize| (ours[i] - reference[i]).abs() / reference[i].abs().max(least);
    force.max(moment(2)).max(moment(3))
}

/// Every row of a reference is met, and within its own estimate.
fn every_row_within(file: &str, accuracy: f64) {
    let path = format!("{}/../../data/reference/rolling/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = text.lines().filter(|l| !l.starts_with('#'));
    let header: Vec<&str> = rows.next().unwrap().split(',').collect();
    let mut count = 0;
    for row in rows {
        let field = |name: &str| {
            let i = header.iter().position(|h| *h == name)?;
            row.split(',').nth(i)
        };
        let number = |name: &str, absent: f64| field(name).map_or(absent, |f| f.parse().unwrap());
        let mut patch = Patch { n: number("n", 18.0), m: number("m", 18.0), ..Patch::start(()) };
        patch.gamma = number("gamma", patch.gamma);
        assert!(patch.pressure.set(field("pressure").unwrap()));
        let mut rolling = Rolling {
            sigma_x: number("sigma_x", 0.0),
            sigma_y: number("sigma_y", 0.0),
            phi1: number("phi1", 0.0),
            phi2: number("phi2", 0.0),
            v_r: number("V_r", 16.67),
            ..Rolling::start(())
        };
        assert!(rolling.model.set(field("model").unwrap()));
        let bristle = FrbdPlanar {
            sigma0_xx: number("S0xx", 240.0),
            sigma0_xy: number("S0xy", 0.0),
            sigma0_yy: number("S0yy", 240.0),
            sigma1_xx: number("S1xx", 0.0),
            sigma1_xy: number("S1xy", 0.0),
            sigma1_yy: number("S1yy", 0.0),
            epsilon: 1e-12,
            matrix: Full {
                m_xx: number("Mxx", 1.0),
                m_xy: number("Mxy", 0.0),
                m_yy: number("Myy", 1.0),
                law: table_1(),
            },
        };
        let o = Steady::new(&patch, &bristle, accuracy).unwrap().solve(&rolling).unwrap();
        let r = ["Fx_N", "Fy_N", "Mz37b_Nm", "Mz38_Nm"].map(|name| number(name, f64::NAN));
        let error = distance(four(&o), r, &patch);
        assert!(error <= accuracy, "{error:e} off: {row}");
        // References have an error of their own, of about 1e-9.
        assert!(error <= o.error + 2e-9, "{error:e} off, {:e} said: {row}", o.error);
        count += 1;
    }
    assert!(count >= 300);
}

#[test]
fn references_are_met_at_a_thousandth() {
    every_row_within("steady_reference.csv", 1e-3);
    every_row_within("steady_random.csv", 1e-3);
}

#[test]
fn references_are_met_at_a_millionth() {
    every_row_within("steady_reference.csv", 1e-6);
    every_row_within("steady_random.csv", 1e-6);
}

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
