//! Derivatives at an operating point against differences of precise results.
use crate::common::table_1;
use bristle_contact::patch::gradient::Derivative;
use bristle_contact::patch::{Counterpart, Model, Patch, Profile, Rolling, Steady};
use bristle_kernel::Start;
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;

type Bristle = FrbdPlanar<f64, Isotropic<f64, Stribeck<f64>>>;

fn bristle() -> Bristle {
    FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law: table_1() }) }
}

fn patch([n, m]: [f64; 2], pressure: Profile) -> Patch<f64> {
    Patch { n, m, pressure, ..Patch::start(()) }
}

const ELLIPSE: [f64; 2] = [2.0; 2];
const RECTANGLE: [f64; 2] = [18.0; 2];

/// F_x, F_y and M_z to eleven digits.
fn finest(p: &Patch<f64>, b: &Bristle, r: &Rolling<f64>) -> [f64; 4] {
    Steady::new(p, b, 1e-11).unwrap().solve(r).unwrap().wrench()
}

/// Central differences over h, h/2, h/4 and h/8, extrapolated to none: of order eight.
fn difference(h: f64, f: impl Fn(f64) -> [f64; 4]) -> [f64; 3] {
    let mut row = [1.0, 0.5, 0.25, 0.125].map(|k| {
        let (up, down) = (f(k * h), f(-k * h));
        std::array::from_fn::<f64, 3, _>(|i| (up[i] - down[i]) / (2.0 * k * h))
    });
    for order in 1..4 {
        let more = 4f64.powi(order as i32);
        for k in 0..4 - order {
            row[k] = std::array::from_fn(|i| (more * row[k + 1][i] - row[k][i]) / (more - 1.0));
        }
    }
    row[0]
}

/// How far a derivative is off, in the metric of its own estimate.
fn off(ours: Derivative, reference: [f64; 3]) -> f64 {
    let [x, y, m] = reference;
    let off: [f64; 3] = std::array::from_fn(|i| (ours.values[i] - reference[i]).abs());
    let force = x.hypot(y);
    (off[0].hypot(off[1]) / force).max(off[2] / m.abs().max(0.02 * 0.075 * force))
}

/// The derivative by φ₁, where paths bend, is as accurate as asked for, and its estimate covers its error.
fn by_phi1(shape: [f64; 2], pressure: Profile, r: Rolling<f64>, h: f64, accuracy: f64) {
    let p = patch(shape, pressure);
    let ours = Steady::new(&p, &bristle(), accuracy).unwrap().gradient(&r).unwrap().phi1;
    let turned = |h: f64| finest(&p, &bristle(), &Rolling { phi1: r.phi1 + h, ..r });
    let reference = difference(h, turned);
    let error = off(ours, reference);
    // Differences over h/8 multiply what is left of eleven digits, and extrapolation does so again.
    let noise = 4e-11 * 4000.0 / (0.125 * h) / reference[0].hypot(reference[1]);
    assert!(
        error < accuracy + noise && error < ours.error + noise,
        "{shape:?} {pressure:?} {r:?}: {error:e} off: {ours:?}, not {reference:?}"
    );
}

fn bend(model: Model, phi1: f64) -> Rolling<f64> {
    Rolling { model, sigma_x: 0.25, sigma_y: 0.1, phi1, phi2: 0.6, ..Rolling::start(()) }
}

#[test]
fn arcs_are_derived_by_their_curvature() {
    use Model::{Linear, Semilinear};
    use Profile::{Constant, Parabolic};
    for model in [Linear, Semilinear] {
        by_phi1(ELLIPSE, Constant, bend(model, 1.0), 0.4, 1e-9);
        by_phi1(RECTANGLE, Constant, bend(model, -3.0), 0.4, 1e-9);
    }
    by_phi1(ELLIPSE, Parabolic, bend(Linear, 10.0), 0.4, 1e-7);
    by_phi1(RECTANGLE, Parabolic, bend(Linear, 8.0), 0.4, 1e-7);
    // A tip that paths touch from inside.
    by_phi1([2.0, 4.0], Constant, bend(Linear, 8.0), 0.2, 1e-6);
    // Exponents that are not whole, and one below that of a circle.
    by_phi1([3.3, 1.5], Constant, bend(Linear, 4.0), 0.2, 1e-7);
    let similar = Rolling { counterpart: Counterpart::Similar, ..bend(Linear, 4.0) };
    by_phi1(RECTANGLE, Parabolic, similar, 0.4, 1e-7);
}

/// The length of a path along the face of a rectangle goes as a root of φ₁ there.
#[test]
fn arcs_are_derived_where_they_become_rows() {
    use Profile::{Constant, Parabolic};
    by_phi1(ELLIPSE, Constant, bend(Model::Linear, 0.0), 0.4, 1e-9);
    by_phi1(ELLIPSE, Constant, bend(Model::Semilinear, 1e-9), 0.4, 1e-9);
    by_phi1(RECTANGLE, Parabolic, bend(Model::Linear, 1e-4), 2e-5, 1e-7);
    by_phi1(RECTANGLE, Constant, bend(Model::Linear, 1e-2), 2e-3, 1e-7);
    by_phi1(RECTANGLE, Constant, bend(Model::Linear, 1e-4), 2e-5, 1e-6);
}

#[test]
fn sideways_arcs_are_derived() {
    use Profile::{Constant, Parabolic};
    let sideways = |epsilon_x: f64| Rolling { epsilon_x, ..bend(Model::Linear, 3.0) };
    by_phi1(ELLIPSE, Constant, sideways(0.3), 0.4, 1e-9);
    by_phi1(RECTANGLE, Constant, sideways(0.3), 0.4, 1e-9);
    by_phi1(RECTANGLE, Parabolic, sideways(-0.8), 0.4, 1e-9);
}

/// The slope of such a pressure has no bound at the corners; nor has, at its zero, that of the slip velocity.
#[test]
fn arcs_are_derived_under_pressures_and_slips_with_a_corner() {
    use Profile::{Constant, Exponential, Parabolic, ParabolicExponential};
    by_phi1(ELLIPSE, Exponential, bend(Model::Linear, 4.0), 0.2, 1e-7);
    by_phi1(RECTANGLE, Exponential, bend(Model::Linear, 3.0), 0.2, 1e-5);
    by_phi1([4.0, 6.0], ParabolicExponential, bend(Model::Linear, 3.0), 0.4, 1e-5);
    for model in [Model::Linear, Model::Semilinear] {
        let spun = Rolling { sigma_x: 0.05, sigma_y: -0.02, ..bend(model, 4.0) };
        by_phi1(ELLIPSE, Parabolic, spun, 0.1, 1e-5);
        by_phi1(RECTANGLE, Constant, spun, 0.1, 1e-5);
    }
}

#[test]
fn slips_spins_and_speed_are_derived() {
    for (shape, pressure, model) in [
        (ELLIPSE, Profile::Constant, Model::Semilinear),
        (RECTANGLE, Profile::Parabolic, Model::Linear),
        (RECTANGLE, Profile::Exponential, Model::Standard),
    ] {
        let (p, r) = (patch(shape, pressure), bend(model, 1.0));
        let g = Steady::new(&p, &bristle(), 1e-7).unwrap().gradient(&r).unwrap();
        let by = |h: f64, change: fn(&mut Rolling<f64>, f64)| {
            difference(h, |h| {
                let mut r = r;
                change(&mut r, h);
                finest(&p, &bristle(), &r)
            })
        };
        for (name, ours, reference) in [
            ("sigma_x", g.sigma_x, by(0.02, |r, h| r.sigma_x += h)),
            ("sigma_y", g.sigma_y, by(0.02, |r, h| r.sigma_y += h)),
            ("phi1", g.phi1, by(0.2, |r, h| r.phi1 += h)),
            ("phi2", g.phi2, by(0.2, |r, h| r.phi2 += h)),
            ("v_r", g.v_r, by(1.0, |r, h| r.v_r += h)),
        ] {
            let error = off(ours, reference);
            assert!(error < 1e-7, "{shape:?} {name}: {error:e} off: {ours:?}, not {reference:?}");
        }
    }
}

/// Every number that the bristle and its law declare, the first being σ₀_xx.
#[test]
fn parameters_are_derived() {
    let (p, r) = (patch(ELLIPSE, Profile::Parabolic), bend(Model::Linear, 0.5));
    let ours = Steady::new(&p, &bristle(), 1e-9).unwrap().parameter_gradient(&r).unwrap();
    let stiff = |h: f64| Bristle { sigma0_xx: 240.0 + h, ..bristle() };
    let reference = difference(20.0, |h| finest(&p, &stiff(h), &r));
    assert!(off(ours[0], reference) < 1e-8, "{:?}, not {reference:?}", ours[0]);
}

#[test]
fn nothing_is_derived_around_a_tilting_centre() {
    let p = patch(ELLIPSE, Profile::Parabolic);
    let s = Steady::new(&p, &bristle(), 1e-6).unwrap();
    let refused = s.gradient(&bend(Model::Linear, 30.0)).unwrap_err();
    assert!(refused.to_string().contains("tilting centre"), "{refused}");
}
