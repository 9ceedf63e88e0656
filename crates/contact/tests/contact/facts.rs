//! Facts of the method: orders of convergence, limits, histories, books.
use crate::common::{table_1, table_i};
use bristle_contact::line::{Before, Bristles, Course, Length, Line, Transport};
use bristle_contact::patch::energy::Books;
use bristle_contact::patch::history::History;
use bristle_contact::patch::transient::Manoeuvre;
use bristle_contact::patch::{Counterpart, Model, Patch, Profile, Rolling, Steady};
use bristle_kernel::bristle::{Dahl, Frbd, FrbdGm, FrbdPlanar, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::{Bristle, Drive, Law, List, Start};

type Planar = FrbdPlanar<f64, Isotropic<f64, Stribeck<f64>>>;

fn bristle() -> Planar {
    FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law: table_1() }) }
}

fn ellipse() -> Patch<f64> {
    Patch { n: 2.0, m: 2.0, ..Patch::start(()) }
}

fn bend(model: Model) -> Rolling<f64> {
    Rolling { model, sigma_x: 0.3, sigma_y: 0.2, phi1: 1.0, phi2: 0.5, ..Rolling::start(()) }
}

/// Forces and moments of a motion that is held, at distances.
fn held(p: &Patch<f64>, b: &Planar, r: &Rolling<f64>, at: &[f64], accuracy: f64) -> Vec<[f64; 4]> {
    let course = Manoeuvre { rolling: &|_| *r, jumps: &[], at, start: &|_, _| [0.0; 2] };
    let outcomes = Steady::new(p, b, accuracy).unwrap().roll(&course).unwrap();
    outcomes.iter().map(|o| o.wrench()).collect()
}

#[test]
fn a_transient_held_long_enough_is_the_steady_state() {
    for model in [Model::Standard, Model::Semilinear, Model::Linear] {
        let r = bend(model);
        let steady = Steady::new(&ellipse(), &bristle(), 1e-7).unwrap().solve(&r).unwrap();
        let at: Vec<f64> = (1..=30).map(|k| 0.006 * f64::from(k)).collect();
        let rolled = held(&ellipse(), &bristle(), &r, &at, 1e-6);
        let last = rolled[rolled.len() - 1];
        let off = (last[0] - steady.force[0]).hypot(last[1] - steady.force[1]);
        assert!(off < 1e-6 * steady.force[0].hypot(steady.force[1]), "{model:?}: {off} N");
        assert!((last[2] - steady.moment).abs() < 1e-6 * steady.moment.abs().max(6.0), "{model:?}");
        // In Model 1 the longest path is 2a = 0.15 m: nothing changes from then on.
        if model == Model::Standard {
            let [before, settled, after] = [9, 24, 29].map(|k| rolled[k]);
            assert!((before[0] - settled[0]).abs() > 1e-7 * settled[0], "not settled before 2a");
            assert!((after[0] / settled[0] - 1.0).abs() < 1e-12, "settled at 2a");
        }
    }
}

/// The viscous force Σ₁ż is some hundredths of the elastic one here, and Model 2 takes friction in it at the velocity that the
/// bristle feels.
#[test]
fn damped_transients_end_in_damped_steady_states() {
    let damped = Planar { sigma1_xx: 0.1, sigma1_yy: 0.1, ..bristle() };
    for model in [Model::Standard, Model::Linear, Model::Semilinear] {
        let r = Rolling { sigma_x: 0.12, sigma_y: 0.05, v_r: 30.0, ..bend(model) };
        let steady = |b: &Planar| Steady::new(&ellipse(), b, 1e-6).unwrap().solve(&r).unwrap();
        let (with, without) = (steady(&damped), steady(&bristle()));
        let viscous = (with.force[0] - without.force[0]).abs() / with.force[0].abs();
        assert!(viscous > 0.01, "{model:?}: {viscous}");
        let at: Vec<f64> = (1..=20).map(|k| 0.01 * f64::from(k)).collect();
        let last = held(&ellipse(), &damped, &r, &at, 1e-5)[19];
        let off = (last[0] - with.force[0]).hypot(last[1] - with.force[1]);
        assert!(off < 1.1e-5 * with.force[0].hypot(with.force[1]), "{model:?}: {off} N");
        assert!((last[2] - with.moment).abs() < 1.1e-5 * with.moment.abs().max(6.0), "{model:?}");
        let deformed = with.moment_deformed;
        assert!((last[3] - deformed).abs() < 1.1e-5 * deformed.abs().max(6.0), "{model:?}");
    }
}

/// 004 §3.3: on a counterpart as elastic as itself paths and deflections turn by the difference of both spins.
#[test]
fn equal_spins_of_similar_bodies_turn_nothing() {
    let solve = |r: &Rolling<f64>| {
        let o = Steady::new(&ellipse(), &bristle(), 1e-6).unwrap().solve(r).unwrap();
        [o.force[0], o.force[1], o.moment]
    };
    let similar = Rolling {
        sigma_x: 0.05,
        phi1: 3.0,
        phi2: 3.0,
        counterpart: Counterpart::Similar,
        ..bend(Model::Linear)
    };
    assert_eq!(solve(&similar), solve(&Rolling { model: Model::Standard, ..similar }));
    let rigid = Rolling { counterpart: Counterpart::Rigid, ..similar };
    assert!((solve(&similar)[1] - solve(&rigid)[1]).abs() > 0.1, "rigid is another case");
}

/// On y = 0 of a patch whose length grows, a bristle entered where a(s₀) − (s − s₀) = x.
#[test]
fn a_patch_that_grows_is_entered_at_its_moving_edge() {
    let (b, growth) = (bristle(), 0.3);
    let rolling = |_: f64| Rolling { sigma_x: 0.1, ..Rolling::start(()) };
    let patch = |s: f64| Patch { a: 0.05 + growth * s, ..ellipse() };
    let history = History { bristle: &b, patch: &patch, rolling: &rolling, from: 0.0 };
    let (s, lambda) = (0.06, 240.0 * 0.1 / table_1().level(0.1 * 16.67));
    for x in [0.06, 0.04, 0.02, 0.0] {
        let entered = (x + s - 0.05) / (1.0 + growth);
        let z = (1.0 - (-lambda * (s - entered)).exp()) / lambda * 0.1;
        let (ours, force) = history.bristle_at([x, 0.0], s, 0.0005);
        assert!((ours[0] - z).abs() < 1e-9 * z, "x = {x}: {}, not {z}", ours[0]);
        assert!((force[0] - 240.0 * ours[0]).abs() < 1e-9);
    }
    // What was there at the start has travelled s since, wherever the edge is.
    let (ours, _) = history.bristle_at([-0.05, 0.0], s, 0.002);
    assert!((ours[0] - (1.0 - (-lambda * s).exp()) / lambda * 0.1).abs() < 1e-10);
}

/// A history that changes nothing is a transient; one that ends its changes ends in the steady state.
#[test]
fn histories_agree_with_transients_and_end_in_steady_states() {
    let (b, p) = (bristle(), ellipse());
    for model in [Model::Semilinear, Model::Linear] {
        let r = bend(model);
        let (patch, rolling) = (|_: f64| p, |_: f64| r);
        let history = History { bristle: &b, patch: &patch, rolling: &rolling, from: 0.0 };
        let at: Vec<f64> = (1..=10).map(|k| 0.0045 * f64::from(k)).collect();
        let stepped = held(&p, &b, &r, &at, 1e-5)[9];
        let ours = history.at(0.045, 1e-3).unwrap();
        let off = (ours.force[0] - stepped[0]).hypot(ours.force[1] - stepped[1]);
        assert!(off < 1e-3 * stepped[0], "{model:?}: {off} N off {}", stepped[0]);
        // Spin and patch change until 0.05 m, and 0.2 m later nothing remembers.
        let rolling = |s: f64| Rolling { phi1: 1.0 - 20.0 * (0.05 - s).max(0.0), ..r };
        let patch = |s: f64| Patch { b: 0.05 - 0.2 * (0.05 - s).max(0.0), ..p };
        let history = History { bristle: &b, patch: &patch, rolling: &rolling, from: 0.0 };
        let end = history.at(0.25, 1e-3).unwrap();
        let steady = Steady::new(&p, &b, 1e-6).unwrap().solve(&r).unwrap();
        let off = (end.force[0] - steady.force[0]).hypot(end.force[1] - steady.force[1]);
        assert!(off < 1e-3 * steady.force[0], "{model:?}: {off} N off {}", steady.force[0]);
    }
}

/// 004 (101) along a run with slip, spin, speed and load that change: the residual falls with the step's square.
#[test]
fn the_books_of_a_run_balance() {
    let p = Patch { pressure: Profile::ParabolicExponential, ..ellipse() };
    let damped = Planar { sigma1_xx: 0.02, sigma1_yy: 0.02, ..bristle() };
    for b in [bristle(), damped] {
        let at = |s: f64| Rolling {
            sigma_x: 0.15 + 0.05 * (40.0 * s).sin(),
            phi2: 0.5 + 0.5 * (30.0 * s).cos(),
            v_r: 16.67 + 50.0 * s,
            ..bend(Model::Linear)
        };
        let load = |s: f64| 1.0 + 0.3 * (25.0 * s).sin();
        let residual = |step: f64| {
            let places: Vec<f64> =
                (0..=(0.12 / step).round() as usize).map(|k| k as f64 * step).collect();
            let start = |_: f64, _: f64| [0.0; 2];
            let course = Manoeuvre { rolling: &at, jumps: &[], at: &places, start: &start };
            let contact = Steady::new(&p, &b, 1e-5).unwrap();
            let (_, balances) = contact.roll_with_balances(&course).unwrap();
            let mut books = Books::default();
            for (s, balance) in places.iter().zip(balances) {
                books.enter(*s, load(*s), balance.times(load(*s)));
            }
            assert!(books.supplied > 0.0 && books.by_load != 0.0);
            books.residual().abs()
        };
        let (coarse, fine) = (residual(0.004), residual(0.002));
        assert!(fine < 3e-4 && fine < coarse / 3.0, "{coarse:e}, then {fine:e}");
    }
}

/// Force per unit load of a bristle in steady rolling along a line of unit load, by plain Runge-Kutta steps.
fn by_steps(model: &impl Bristle<f64, f64>, v: f64, rate: f64) -> f64 {
    let (n, steps) = (model.states(), 4000);
    let eval = |z: &[f64]| {
        let mut dz = vec![0.0; n];
        let f = model.eval(&Drive::new(v, 1.0), z, &mut dz);
        (f, dz)
    };
    let h = 1.0 / (rate * f64::from(steps));
    let ahead = |z: &[f64], dz: &[f64], h: f64| -> Vec<f64> {
        z.iter().zip(dz).map(|(z, d)| z + h * d).collect()
    };
    let (mut z, mut force) = (vec![0.0; n], 0.0);
    for _ in 0..steps {
        let (f1, k1) = eval(&z);
        let (f2, k2) = eval(&ahead(&z, &k1, 0.5 * h));
        let (f3, k3) = eval(&ahead(&z, &k2, 0.5 * h));
        let (f4, k4) = eval(&ahead(&z, &k3, h));
        force += (f1 + 2.0 * (f2 + f3) + f4) / 6.0 / f64::from(steps);
        for i in 0..n {
            z[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }
    force
}

fn on_a_line<B: Bristle<f64, f64> + Clone>(model: &B, v: f64) -> f64 {
    let line = Line {
        length: Length::Constant(1.0),
        transport: Transport::Constant(200.0),
        pressure: &|_| 1.0,
        bristles: Bristles::Same(model),
        places: &[],
        accuracy: 1e-12,
    };
    line.steady(v).unwrap().force
}

/// dahl, lugre, frbd and the viscoelastic ones, which 003 and 004 name as missing; Maxwell's and Kelvin's form of
/// one solid are one friction.
#[test]
fn lines_of_any_linear_bristle_are_their_own_integrals() {
    let gm = FrbdGm::<f64, _> {
        k0: 252.0,
        k: List::from_iter([100.0, 50.0]),
        tau: List::from_iter([0.002, 0.01]),
        ..FrbdGm::start(table_i())
    };
    let gkv = gm.to_gkv().unwrap();
    for v in [0.3, 1.0, -4.0] {
        let close = |ours: f64, reference: f64, what: &str| {
            assert!((ours - reference).abs() < 1e-9, "{what} at {v} m/s: {ours}, not {reference}");
        };
        let dahl = Dahl { sigma0: 252.0, ..Dahl::start(table_i()) };
        close(on_a_line(&dahl, v), by_steps(&dahl, v, 200.0), "dahl");
        let lugre = LuGre { sigma0: 252.0, sigma1: 0.05, ..LuGre::start(table_i()) };
        close(on_a_line(&lugre, v), by_steps(&lugre, v, 200.0), "lugre");
        let frbd = Frbd { sigma0: 252.0, sigma1: 0.05, ..Frbd::start(table_i()) };
        close(on_a_line(&frbd, v), by_steps(&frbd, v, 200.0), "frbd");
        close(on_a_line(&gm, v), by_steps(&gm, v, 200.0), "frbd_gm");
        close(on_a_line(&gkv, v), by_steps(&gkv, v, 200.0), "frbd_gkv");
        close(on_a_line(&gkv, v), on_a_line(&gm, v), "both forms");
    }
}

/// A jump of slip in the middle of a run is the jump at a start that was rolling before.
#[test]
fn a_line_is_broken_where_its_slip_jumps() {
    let model = Frbd { sigma0: 252.0, sigma1: 0.0, ..Frbd::start(table_i()) };
    let line = Line {
        length: Length::Constant(0.1),
        transport: Transport::Constant(200.0),
        pressure: &|xi: f64| (-0.1 * xi).exp(),
        bristles: Bristles::Same(&model),
        places: &[],
        accuracy: 1e-12,
    };
    for after in [0.001, 0.003, 0.0049] {
        let jump = |t: f64| if t < 0.0083 { 1.0 } else { 0.5 };
        let course = Course { v: &jump, breaks: &[0.0083], before: Before::Rest };
        let ours = line.at(0.0083 + after, &course).unwrap().force;
        let course = Course { v: &|_| 0.5, breaks: &[], before: Before::Steady(1.0) };
        let reference = line.at(after, &course).unwrap().force;
        assert!((ours - reference).abs() < 1e-13, "{ours}, not {reference}");
    }
}
