//! Patch contact against numbers that this project did not compute, and its facts.
use crate::common::{Row, read, table_1};
use bristle_contact::patch::energy::condition;
use bristle_contact::patch::transient::{Manoeuvre, Rolled, relaxation_length, settling_distance};
use bristle_contact::patch::{Model, Outcome, Patch, Profile, Rolling, Steady, Table};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::{Full, Isotropic};
use bristle_kernel::{AnyChoice, Start};

type Bristle = FrbdPlanar<f64, Isotropic<f64, Stribeck<f64>>>;

fn bristle() -> Bristle {
    FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law: table_1() }) }
}

fn patch(shape: &str, pressure: &str) -> Patch<f64> {
    let e = if shape == "ell" { 2.0 } else { 18.0 };
    let mut profile = Profile::Constant;
    assert!(profile.set(pressure), "{pressure}");
    Patch { n: e, m: e, pressure: profile, ..Patch::start(()) }
}

fn rolling(row: &Row<'_>) -> Rolling<f64> {
    let mut model = Model::Standard;
    assert!(model.set(row.text("model")));
    Rolling {
        model,
        sigma_x: row.number("sigma_x"),
        sigma_y: row.number("sigma_y"),
        phi1: row.number("phi1"),
        phi2: row.number("phi2"),
        ..Rolling::start(())
    }
}

fn wrench(o: &Outcome) -> [f64; 4] {
    o.wrench()
}

const STEADY: [&str; 4] = ["Fx_N", "Fy_N", "Mz37b_Nm", "Mz38_Nm"];

fn solve(p: &Patch<f64>, r: &Rolling<f64>, accuracy: f64) -> Outcome {
    Steady::new(p, &bristle(), accuracy).unwrap().solve(r).unwrap()
}

#[test]
fn peak_pressures_are_those_of_the_reference() {
    for row in read("rolling/p0_check.csv").iter() {
        let name = row.text("pressure");
        let profile = match name {
            "const" => Profile::Constant,
            "parab" => Profile::Parabolic,
            n if n.starts_with("exp108") => Profile::Exponential,
            _ => Profile::ParabolicExponential,
        };
        let p =
            Patch { n: row.number("n"), m: row.number("m"), pressure: profile, ..Patch::start(()) };
        let (ours, reference) = (p.pressure().scale(), row.number("p0_quadrature_Pa"));
        assert!((ours / reference - 1.0).abs() < 1e-10, "{name}: {ours}, not {reference}");
    }
}

#[test]
fn all_models_agree_without_spin_and_the_last_two_without_turning() {
    let p = patch("rect", "exp");
    let at = |model, phi1| {
        let r = Rolling { model, sigma_x: 0.05, sigma_y: -0.08, phi1, ..Rolling::start(()) };
        wrench(&solve(&p, &r, 1e-6))
    };
    assert_eq!(at(Model::Standard, 0.0), at(Model::Semilinear, 0.0));
    assert_eq!(at(Model::Standard, 0.0), at(Model::Linear, 0.0));
    assert_eq!(at(Model::Semilinear, 2.0), at(Model::Linear, 2.0));
}

#[test]
fn only_a_skewed_pressure_reverses_the_moment() {
    for (pressure, reverses) in [("parab", false), ("const", false), ("exp", true)] {
        let p = patch("ell", pressure);
        let moment = |sigma_y| solve(&p, &Rolling { sigma_y, ..Rolling::start(()) }, 1e-6).moment;
        assert!(moment(0.02) < 0.0);
        assert_eq!(moment(0.9) > 0.0, reverses, "{pressure}: {}", moment(0.9));
    }
}

#[test]
fn reflections_of_the_motion_are_reflections_of_the_force() {
    let p = patch("rect", "parab");
    for model in [Model::Standard, Model::Semilinear, Model::Linear] {
        let r = Rolling {
            model,
            sigma_x: 0.1,
            sigma_y: 0.04,
            phi1: 1.5,
            phi2: 0.7,
            ..Rolling::start(())
        };
        let mirrored = Rolling { sigma_y: -r.sigma_y, phi1: -r.phi1, phi2: -r.phi2, ..r };
        let (a, b) = (wrench(&solve(&p, &r, 1e-6)), wrench(&solve(&p, &mirrored, 1e-6)));
        for (a, b) in a.into_iter().zip([b[0], -b[1], -b[2], -b[3]]) {
            assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
    }
}

#[test]
fn arcs_become_rows() {
    for (shape, accuracy) in [("ell", 1e-6), ("rect", 1e-6), ("ell", 1e-9), ("rect", 1e-9)] {
        let p = patch(shape, "parab");
        let at = |phi1: f64| {
            let r = Rolling {
                sigma_x: 0.1,
                sigma_y: 0.05,
                phi1,
                phi2: 1.0 - phi1,
                ..Rolling::start(())
            };
            wrench(&solve(&p, &r, accuracy))
        };
        let (row, arc) = (at(0.0), at(1e-12));
        for (a, b) in row.into_iter().zip(arc) {
            assert!((a - b).abs() < 1e-9 * 4000.0, "{shape} at {accuracy}: {a} and {b}");
        }
        // Where paths begin to count as bent nothing jumps.
        let edge = 1e-3 * accuracy / (p.a + p.b);
        for (a, b) in at(0.99 * edge).into_iter().zip(at(1.01 * edge)) {
            assert!((a - b).abs() < 0.3 * accuracy * 4000.0, "{shape} at {accuracy}: {a} and {b}");
        }
    }
}

/// Just outside, the zero of the slip velocity is felt all the same; a load that ends abruptly is carried by few
/// bent paths; and steep outlines have few paths past their corners. They were once off by 1.0 to 2.8 thousandths.
#[test]
fn a_thousandth_is_kept_where_rules_are_easily_deceived() {
    let long = Patch { a: 0.0908, b: 0.0393, n: 18.0, m: 12.0, ..Patch::start(()) };
    let (n, pressure) = (18.0, Profile::Constant);
    let flat = Patch { a: 0.0532, b: 0.0539, n, m: n, pressure, ..Patch::start(()) };
    let square = |n: f64| Patch { n, m: n, ..Patch::start(()) };
    let even = Patch { pressure, ..square(18.0) };
    let wide = Patch { n: 2.0, pressure: Profile::Exponential, ..square(18.0) };
    let rolling = |model, sigma: [f64; 2], phi1: f64, phi2: f64, v_r: f64| Rolling {
        model,
        sigma_x: sigma[0],
        sigma_y: sigma[1],
        phi1,
        phi2,
        v_r,
        ..Rolling::start(())
    };
    for (p, r) in [
        (long, rolling(Model::Standard, [0.0226, -0.0162], 1.284, -1.734, 38.1)),
        (flat, rolling(Model::Linear, [0.340, -0.212], -0.351, 0.0, 25.5)),
        (square(17.3123), rolling(Model::Linear, [-0.03927, -0.28896], -1.1424, 0.09897, 1.0621)),
        (square(12.0), rolling(Model::Linear, [-0.14395, 0.29342], 0.0, -3.8406, 0.41157)),
        (even, rolling(Model::Semilinear, [0.23958, -0.09334], -0.11371, 0.0, 17.108)),
        (wide, rolling(Model::Standard, [0.00575, 0.0894], -3.51796, 3.26579, 16.67)),
    ] {
        let mut contact = Steady::new(&p, &bristle(), 1e-3).unwrap();
        let (rough, fine) = (contact.solve(&r).unwrap(), solve(&p, &r, 1e-8));
        let off = contact.distance(&wrench(&rough), &wrench(&fine));
        assert!(off < rough.error && rough.error <= 1e-3, "{off}, estimated {}", rough.error);
    }
}

/// Behind a zero near the trailing edge levels once had one and the same cell and agreed where they were 3 to 7 thousandths
/// off. Laws that change fast with speed, unlike those of the papers, hid from bounds read off these: up to 3.9 thousandths at
/// a thousandth, 25 millionths at a millionth. Two of 40,000 cases under random laws, whose bent paths pass the zero, were just
/// below a bound that let them be 1.02 and 1.67 thousandths off.
#[test]
fn accuracy_is_kept_behind_the_zero_and_for_sharp_laws() {
    use Model::{Linear, Semilinear, Standard};
    use Profile::{Constant, Parabolic};
    let usual = (0.7, 1.0, 3.49, 0.6);
    let steep = (0.6349, 1.3964, 1.3758, 1.8539);
    let sharp = (0.3822, 1.0734, 1.1762, 1.9791);
    let sharper = (0.3673, 1.3962, 0.6283, 1.7758);
    let falling = (0.5039518683351272, 0.9202943711921527, 0.33262814154260173, 1.7795466819480792);
    let rounded = (0.46133379089386245, 1.0256074335723218, 11.300366001590548, 1.93283412305493);
    for (accuracy, n, pressure, model, [sigma_x, sigma_y], phi1, phi2, v_r, law) in [
        (1e-3, 18.27, Parabolic, Semilinear, [0.004883, 0.048439], 0.91676, 0.0, 0.1567, usual),
        (1e-3, 18.0, Parabolic, Linear, [-0.012213, 0.042425], 0.72273, 0.0, 2.4102, usual),
        (
            1e-3,
            18.0,
            Parabolic,
            Semilinear,
            [-0.017611, -0.062034],
            -0.65503,
            -0.41376,
            1.3272,
            steep,
        ),
        (1e-3, 2.0, Constant, Semilinear, [-0.029528, -0.1321], -0.89022, -1.25332, 35.269, sharp),
        (
            1e-3,
            18.0,
            Parabolic,
            Standard,
            [-0.009691, -0.019024],
            -1.04806,
            -2.66011,
            32.113,
            sharper,
        ),
        (
            1e-3,
            18.0,
            Parabolic,
            Semilinear,
            [0.0011638187745924723, -0.12080509602530286],
            -1.9781782132692172,
            0.0,
            3.3729069350626424,
            falling,
        ),
        (
            1e-3,
            18.0,
            Parabolic,
            Linear,
            [0.07396341768677046, 0.10312958159230079],
            1.9754425774533892,
            0.0,
            0.11333226503216344,
            rounded,
        ),
        (
            1e-6,
            18.0,
            Parabolic,
            Standard,
            [-0.009691, -0.019024],
            -1.04806,
            -2.66011,
            32.113,
            sharper,
        ),
    ] {
        let p = Patch { n, m: n, pressure, ..Patch::start(()) };
        let r = Rolling { model, sigma_x, sigma_y, phi1, phi2, v_r, ..Rolling::start(()) };
        let mut b = bristle();
        let l = &mut b.matrix.law;
        (l.mu_d, l.mu_s, l.v_s, l.exponent) = law;
        let mut contact = Steady::new(&p, &b, accuracy).unwrap();
        let ours = contact.solve(&r).unwrap();
        let fine = Steady::new(&p, &b, 1e-8).and_then(|mut s| s.solve(&r)).unwrap();
        let off = contact.distance(&wrench(&ours), &wrench(&fine));
        assert!(
            off < ours.error && ours.error <= accuracy,
            "{off:e}, {:e}: {p:?} {r:?}",
            ours.error
        );
    }
}

/// The same at a millionth, where one rule is enough if all is smooth: the zero just outside or near a corner, paths that
/// hardly bend, an outline that is steep one way only. Rules tried on the way were off by up to 3.6 millionths.
#[test]
fn a_millionth_is_kept_where_rules_are_easily_deceived() {
    use Model::{Linear, Semilinear, Standard};
    use Profile::{Parabolic, ParabolicExponential};
    for (n, m, pressure, model, sigma_x, sigma_y, phi1, phi2, v_r) in [
        (2.0, 18.0, ParabolicExponential, Standard, -0.2590, 0.0305, -0.8306, -3.5652, 2.644),
        (2.0, 8.0, ParabolicExponential, Semilinear, -0.1988, -0.1637, 0.0, 3.6376, 16.67),
        (8.0, 8.0, Parabolic, Semilinear, 0.1466, -0.00106, 0.7253, -3.0343, 16.67),
        (18.0, 18.0, Parabolic, Semilinear, -0.1592, -0.2325, 0.0101, -3.3745, 16.67),
        (18.0, 18.0, Parabolic, Semilinear, -0.00657, 0.2078, -0.01113, 3.3605, 16.67),
        (18.0, 18.0, Parabolic, Linear, 0.0075, 0.0242, -0.0138, 3.2796, 16.67),
        (2.0, 18.0, Parabolic, Standard, 0.1693, 0.0252, -3.6166, -2.1268, 16.67),
        (4.0, 18.0, Parabolic, Standard, 0.2803, 0.1134, 2.2173, 3.0564, 16.67),
    ] {
        let p = Patch { n, m, pressure, ..Patch::start(()) };
        let r = Rolling { model, sigma_x, sigma_y, phi1, phi2, v_r, ..Rolling::start(()) };
        let mut contact = Steady::new(&p, &bristle(), 1e-6).unwrap();
        let (ours, fine) = (contact.solve(&r).unwrap(), solve(&p, &r, 1e-9));
        let off = contact.distance(&wrench(&ours), &wrench(&fine));
        assert!(off < ours.error && ours.error <= 1e-6, "{off:e}, {:e}: {p:?} {r:?}", ours.error);
    }
}

/// Forces per load and moments per load and length depend on ratios only.
#[test]
fn units_do_not_matter_at_a_thousandth() {
    let points = [
        (Model::Standard, [0.3, 0.2], [0.5, 0.25]),
        (Model::Standard, [0.08, 0.08], [1.5, 1.5]),
        (Model::Linear, [0.08, 0.08], [3.0, 0.0]),
        (Model::Semilinear, [0.08, 0.08], [1.5, 1.5]),
    ];
    let scales = [1e-24, 1e-12, 1e-7, 1e-4, 1.0, 1e3, 1e7, 1e12, 1e24];
    for shape in ["rect", "ell"] {
        for (model, [sigma_x, sigma_y], [phi1, phi2]) in points {
            let at = |length: f64, load: f64, speed: f64, accuracy: f64| {
                let p = patch(shape, "parab");
                let p = Patch { a: p.a * length, b: p.b * length, load: p.load * load, ..p };
                let mut b = bristle();
                (b.sigma0_xx, b.sigma0_yy) = (b.sigma0_xx / length, b.sigma0_yy / length);
                b.epsilon *= speed * speed;
                b.matrix.law.v_s *= speed;
                let start = Rolling::start(());
                let (phi1, phi2, v_r) = (phi1 / length, phi2 / length, start.v_r * speed);
                let r = Rolling { model, sigma_x, sigma_y, phi1, phi2, v_r, ..start };
                let o = Steady::new(&p, &b, accuracy).and_then(|mut s| s.solve(&r)).ok()?;
                Some([o.force[0] / load, o.force[1] / load, o.moment / (load * length)])
            };
            let exact = at(1.0, 1.0, 1.0, 1e-6).unwrap();
            for scale in scales {
                for [length, load, speed] in
                    [[scale, 1.0, 1.0], [1.0, scale, 1.0], [1.0, 1.0, scale]]
                {
                    // Spins and speeds have bounds.
                    let Some(found) = at(length, load, speed, 1e-3) else { continue };
                    let force = exact[0].hypot(exact[1]);
                    let off = (found[0] - exact[0]).hypot(found[1] - exact[1]) / force;
                    let turned = (found[2] - exact[2]).abs() / exact[2].abs().max(6.0);
                    let off = off.max(turned);
                    assert!(
                        off < 1e-3,
                        "{shape} {model:?}: lengths times {length}, loads times {load}, speeds times {speed}: {off:e}"
                    );
                }
            }
        }
    }
}

/// Rolling along y an ellipse is one with its axes exchanged; and a turn by any angle turns a circle's force.
#[test]
fn sideways_rolling_turns_with_the_patch() {
    let round = Patch { a: 0.06, b: 0.06, n: 2.0, m: 2.0, ..Patch::start(()) };
    let straight =
        Rolling { sigma_x: 0.1, sigma_y: 0.03, phi1: 1.0, phi2: 0.5, ..Rolling::start(()) };
    let (s, c) = (0.6f64, 0.8f64);
    // The axes of rolling are (c, −s) and (s, c).
    let turn = |[x, y]: [f64; 2]| [c * x + s * y, c * y - s * x];
    let [sigma_x, sigma_y] = turn([straight.sigma_x, straight.sigma_y]);
    let sideways = Rolling { sigma_x, sigma_y, epsilon_x: s, ..straight };
    let (a, b) = (solve(&round, &straight, 1e-6), solve(&round, &sideways, 1e-6));
    let f = turn(a.force);
    assert!((f[0] - b.force[0]).hypot(f[1] - b.force[1]) < 2e-6 * 4000.0, "{f:?} {:?}", b.force);
    assert!((a.moment - b.moment).abs() < 2e-6 * 300.0);
}

#[test]
fn degenerate_motions_have_their_limits_or_an_error() {
    let p = patch("ell", "parab");
    let none = solve(&p, &Rolling::start(()), 1e-6);
    assert_eq!(wrench(&none), [0.0; 4]);
    // Tiny slip: the brush model, F = 2/3-law-free linear stiffness ∫pσ₀ξσ.
    let tiny = solve(&p, &Rolling { sigma_x: 1e-9, ..Rolling::start(()) }, 1e-6);
    let stiff = solve(&p, &Rolling { sigma_x: 1e-7, ..Rolling::start(()) }, 1e-6);
    assert!((tiny.force[0] * 100.0 / stiff.force[0] - 1.0).abs() < 1e-4);
    // Very stiff bristles: sliding everywhere.
    let hard = Bristle { sigma0_xx: 1e7, sigma0_yy: 1e7, ..bristle() };
    let r = Rolling { sigma_x: 0.3, ..Rolling::start(()) };
    let slid = Steady::new(&p, &hard, 1e-6).unwrap().solve(&r).unwrap();
    let mu = bristle_kernel::Law::level(&table_1(), 0.3 * r.v_r);
    assert!((slid.force[0] / (4000.0 * mu) - 1.0).abs() < 1e-4, "{}", slid.force[0]);
    let spun = Rolling { phi1: 0.5, phi2: 0.5, ..r };
    let slid = Steady::new(&p, &hard, 1e-3).unwrap().solve(&spun).unwrap();
    assert!(slid.error <= 1e-3 && slid.force[0] < 4000.0);
    // No load, no force.
    for r in [r, spun] {
        assert_eq!(wrench(&solve(&Patch { load: 0.0, ..p }, &r, 1e-6)), [0.0; 4]);
    }
    // A tilting centre ever closer to the edge, which hardly moves there.
    let rectangle = patch("rect", "parab");
    let edge = |phi1: f64| solve(&rectangle, &Rolling { sigma_x: 0.1, phi1, ..r }, 1e-6);
    let [far, near, nearer] = [19.0, 19.99, 19.999].map(edge);
    assert!(far.error <= 1e-6 && near.error <= 1e-5, "{far:?}, {near:?}");
    assert!((near.force[0] - nearer.force[0]).abs() < 0.2, "{near:?}, {nearer:?}");
    let centred = Rolling { phi1: 30.0, ..Rolling::start(()) };
    let refused = Steady::new(&p, &bristle(), 1e-6).unwrap().solve(&centred).unwrap_err();
    assert!(refused.to_string().contains("tilting centre"), "{refused}");
    let wrong = Steady::new(&Patch { a: -1.0, ..p }, &bristle(), 1e-6).unwrap_err();
    assert!(wrong.to_string().contains("a = -1 m is outside (0, inf)"), "{wrong}");
}

#[test]
fn a_table_of_a_pressure_gives_what_the_pressure_gives() {
    let p = patch("ell", "parab");
    let n = 61;
    let at = |k: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
    let values: Vec<f64> =
        (0..n * n).map(|i| (1.0 - at(i % n).powi(2) - at(i / n).powi(2)).max(0.0)).collect();
    let table = Table::new(n, values).unwrap();
    let pressure = bristle_contact::patch::Pressure::tabulated(&p.shape(), table, 4000.0).unwrap();
    let r = Rolling { sigma_x: 0.08, sigma_y: 0.08, ..Rolling::start(()) };
    let mut tabulated =
        Steady::with_pressure(p.shape(), pressure, 4000.0, &bristle(), 1e-3).unwrap();
    let (a, b) = (tabulated.solve(&r).unwrap(), solve(&p, &r, 1e-6));
    assert!((a.force[0] / b.force[0] - 1.0).abs() < 2e-3, "{} {}", a.force[0], b.force[0]);
    assert!(
        Table::new(3, vec![1.0; 7]).is_err() && Table::new(2, vec![1.0, -1.0, 0.0, 0.0]).is_err()
    );
}

#[test]
fn transients_follow_the_reference_as_closely_as_asked_for() {
    let mut worst: f64 = 0.0;
    for group in ["fig12", "fig13", "extra"] {
        let all = read("rolling/transient_reference.csv");
        let rows: Vec<Row<'_>> = all.iter().filter(|r| r.text("fig") == group).collect();
        let mut start = 0;
        while start < rows.len() {
            let first = &rows[start];
            let key = |r: &Row<'_>| {
                ["shape", "pressure", "model", "sigma_x", "sigma_y", "phi1", "phi2"]
                    .map(|c| r.text(c).to_owned())
            };
            let count = rows[start..].iter().take_while(|r| key(r) == key(first)).count();
            let (p, r) = (patch(first.text("shape"), first.text("pressure")), rolling(first));
            let at: Vec<f64> = rows[start..start + count].iter().map(|r| r.number("s_m")).collect();
            let course =
                Manoeuvre { rolling: &|_| r, jumps: &[], at: &at, start: &|_, _| [0.0; 2] };
            for accuracy in [1e-3, 1e-6, 1e-9] {
                let contact = Steady::new(&p, &bristle(), accuracy).unwrap();
                let ours = contact.roll(&course).unwrap();
                let theirs =
                    rows[start..start + count].iter().map(|row| STEADY.map(|c| row.number(c)));
                let most = |k: usize| theirs.clone().map(|w| w[k].abs()).fold(6.0, f64::max);
                let force = theirs.clone().map(|w| w[0].hypot(w[1])).fold(0.0, f64::max);
                for (o, w) in ours.iter().zip(theirs.clone()) {
                    let off = (o.force[0] - w[0]).hypot(o.force[1] - w[1]) / force;
                    let off = off.max((o.moment - w[2]).abs() / most(2));
                    assert!(
                        off <= accuracy && o.error <= accuracy && off <= o.error + 1e-9,
                        "{:?}: {off:e}, {:e} said, {accuracy:e} asked for",
                        key(first),
                        o.error
                    );
                }
                worst = worst.max(ours.iter().map(|o| o.error).fold(0.0, f64::max));
            }
            start += count;
        }
    }
    assert!(worst > 0.0, "an estimate is never nothing");
}

/// What a patch adds by hand is what it adds in one go; half the load, half the force.
#[test]
fn steps_by_hand_are_the_course_in_one_go() {
    for (model, phi1, phi2) in
        [(Model::Standard, 0.0, 0.0), (Model::Linear, 3.0, 0.5), (Model::Semilinear, 1.0, 2.0)]
    {
        let (p, accuracy) = (patch("ell", "parab"), 1e-5);
        let r = Rolling { model, sigma_x: 0.1, sigma_y: 0.06, phi1, phi2, ..Rolling::start(()) };
        let at: Vec<f64> = (1..=60).map(|k| 0.003 * f64::from(k)).collect();
        let course = Manoeuvre { rolling: &|_| r, jumps: &[], at: &at, start: &|_, _| [0.0; 2] };
        let contact = Steady::new(&p, &bristle(), accuracy).unwrap();
        let whole = contact.clone().roll(&course).unwrap();
        let mut rolled = Rolled::new(contact.clone(), &r, 0.003).unwrap();
        let mut last = 0.0;
        for o in &whole {
            let step = rolled.step(&r, 0.5).unwrap();
            let off = (2.0 * step.force[0] - o.force[0]).hypot(2.0 * step.force[1] - o.force[1]);
            let greatest = whole.iter().map(|o| o.force[0].hypot(o.force[1])).fold(0.0, f64::max);
            assert!(off / greatest <= step.error + accuracy, "{model:?}: {off}, {}", step.error);
            last = step.force[0];
        }
        assert!((rolled.travelled() - 0.18).abs() < 1e-12);
        let steady = contact.clone().solve(&r).unwrap();
        assert!((2.0 * last / steady.force[0] - 1.0).abs() < 1e-3, "{last}");
    }
}

#[test]
fn transients_settle_where_the_reference_says() {
    for row in read("rolling/transient_settle.csv").iter() {
        let (p, r) = (patch(row.text("shape"), row.text("pressure")), rolling(&row));
        let ours = settling_distance(&p, &r).unwrap();
        let reference = row.number("s_settle_m");
        assert!((ours - reference).abs() < 2e-8, "{ours}, not {reference}");
    }
    let samples: Vec<(f64, f64)> = (0..=2000)
        .map(|k| (0.001 * f64::from(k), 1.0 - (-0.001 * f64::from(k) / 0.1).exp()))
        .collect();
    assert!((relaxation_length(&samples).unwrap() - 0.1).abs() < 1e-5);
}

/// Inputs that change, smoothly or in jumps, are followed as accurately as asked for: against ten times the accuracy and half the
/// step, jumps between the steps.
#[test]
fn varying_inputs_are_followed_as_accurately_as_asked_for() {
    let p = patch("ell", "parab");
    let smooth = |s: f64| Rolling {
        model: Model::Linear,
        sigma_x: 0.15 + 0.05 * (40.0 * s).sin(),
        phi1: 1.0,
        phi2: 0.5 + 0.5 * (30.0 * s).cos(),
        v_r: 16.67 + 50.0 * s,
        ..Rolling::start(())
    };
    let jumping = |s: f64| {
        let r = Rolling { sigma_x: 0.08, sigma_y: 0.05, phi1: 3.0, ..Rolling::start(()) };
        if s < 0.0417 { r } else { Rolling { sigma_x: -0.3, sigma_y: 0.2, v_r: 10.0, ..r } }
    };
    for (rolling, jumps) in
        [(&smooth as &dyn Fn(f64) -> Rolling<f64>, &[][..]), (&jumping, &[0.0417])]
    {
        let roll = |accuracy: f64, step: f64| {
            let at: Vec<f64> =
                (0..=(0.12 / step).round() as usize).map(|k| k as f64 * step).collect();
            let course = Manoeuvre { rolling, jumps, at: &at, start: &|_, _| [0.0; 2] };
            Steady::new(&p, &bristle(), accuracy).unwrap().roll(&course).unwrap()
        };
        for accuracy in [1e-3, 1e-6] {
            let (ours, finer) = (roll(accuracy, 0.006), roll(0.1 * accuracy, 0.003));
            let greatest = finer.iter().map(|o| o.force[0].hypot(o.force[1])).fold(0.0, f64::max);
            for (o, f) in ours.iter().zip(finer.iter().step_by(2)) {
                let off = (o.force[0] - f.force[0]).hypot(o.force[1] - f.force[1]) / greatest;
                assert!(o.error <= accuracy && off <= o.error, "{off:e}, {:e} said", o.error);
            }
        }
    }
}

#[test]
fn the_condition_for_passivity_holds_or_fails_where_the_reference_says() {
    for row in read("rolling/passivity_checks.csv").iter().filter(|r| r.text("check") == "eq71") {
        let p = patch(row.text("shape"), row.text("pressure"));
        let mut model = Model::Standard;
        assert!(model.set(row.text("model")));
        let r = Rolling { model, phi1: row.number("case"), ..Rolling::start(()) };
        let c = condition(&p, &r).unwrap();
        let (worst, broken) = (row.number("values"), row.number("relative_residual_or_fraction"));
        assert_eq!(c.holds(), worst <= 0.0, "{c:?}, not {worst}");
        // The reference looked at other points of a steep function; at the edge they differ.
        if worst.abs() < 30.0 {
            assert!((c.worst - worst).abs() < 0.06 * worst.abs().max(0.1), "{c:?}, not {worst}");
        }
        assert!((c.broken - broken).abs() < 0.12, "{c:?}, not {broken}");
    }
}

#[test]
fn the_balance_closes_term_by_term() {
    let mut seen = 0;
    for row in read("rolling/passivity_checks.csv").iter() {
        if row.text("check") != "steady_balance" {
            continue;
        }
        let case = row.text("case");
        let numbers: Vec<f64> = case[1..case.find(')').unwrap()]
            .split(',')
            .map(|n| n.trim().parse().unwrap())
            .collect();
        let tensors = case.contains("Mh");
        if tensors || case.contains("S1") {
            continue;
        }
        let mut model = Model::Standard;
        assert!(model.set(row.text("model")));
        let r = Rolling {
            model,
            sigma_x: numbers[0],
            sigma_y: numbers[1],
            phi1: numbers[2],
            phi2: numbers[3],
            ..Rolling::start(())
        };
        let p = patch(row.text("shape"), row.text("pressure"));
        let (b, error) = Steady::new(&p, &bristle(), 1e-6).unwrap().balance(&r).unwrap();
        assert!(error <= 1e-6, "{case} {} {}: {error:e}", row.text("shape"), row.text("pressure"));
        assert!(b.residual().abs() < 2e-6, "{case}: {b:?}");
        let value = |name: &str| -> f64 {
            let text = row.text("values").split(name).nth(1).unwrap();
            text.split_whitespace().next().unwrap().parse().unwrap()
        };
        for (ours, name) in
            [(b.supplied, "Pow="), (b.sliding, "Q1="), (b.unloading, "Div="), (b.leaving, "Bnd=")]
        {
            let reference = value(name);
            assert!(
                (ours - reference).abs() < 1e-4 * value("Pow="),
                "{case} {name}: {ours}, not {reference}"
            );
        }
        seen += 1;
    }
    assert!(seen > 20);
    // Damping and full tensors: the residual alone.
    let full = FrbdPlanar {
        sigma0_xx: 300.0,
        sigma0_xy: 40.0,
        sigma0_yy: 240.0,
        sigma1_xx: 0.1,
        sigma1_xy: 0.02,
        sigma1_yy: 0.05,
        epsilon: 1e-12,
        matrix: Full { m_xx: 1.0, m_xy: 0.15, m_yy: 0.8, law: table_1() },
    };
    let r = Rolling {
        model: Model::Linear,
        sigma_x: 0.08,
        sigma_y: 0.05,
        phi1: 1.0,
        ..Rolling::start(())
    };
    let (b, _) = Steady::new(&patch("ell", "exp"), &full, 1e-6).unwrap().balance(&r).unwrap();
    assert!(b.residual().abs() < 2e-6 && b.damping > 0.0, "{b:?}");
}

/// 004 (70): free rolling from a front-loaded deflection. Where the pressure rises along the way the stored
/// energy rises with no supply.
#[test]
fn free_rolling_gains_energy_only_under_a_pressure_that_rises() {
    for (pressure, gains) in [("const", false), ("exp", false), ("parab", true)] {
        let p = patch("ell", pressure);
        let r = Rolling::start(());
        let at: Vec<f64> = (0..=40).map(|k| 0.0025 * f64::from(k)).collect();
        let deflected = |x: f64, _: f64| if x > 0.03 { [1e-3, 0.0] } else { [0.0, 0.0] };
        let course = Manoeuvre { rolling: &|_| r, jumps: &[], at: &at, start: &deflected };
        let contact = Steady::new(&p, &bristle(), 1e-2).unwrap();
        let stored: Vec<f64> =
            contact.roll_with_balances(&course).unwrap().1.iter().map(|b| b.stored).collect();
        let (start, most) = (stored[0], stored.iter().copied().fold(0.0, f64::max));
        assert_eq!(most > 1.05 * start, gains, "{pressure}: from {start} to {most} J");
    }
}

#[test]
fn surfaces_are_their_points() {
    let p = patch("rect", "parab");
    let mut s = Steady::new(&p, &bristle(), 1e-6).unwrap();
    let grid = [-0.2, 0.03, 0.0, 1.0];
    for phi1 in [0.0, 1.0] {
        let at = Rolling { phi1, ..Rolling::start(()) };
        let all = s.surface(&at, &grid, &grid).unwrap();
        for (i, sigma_x) in grid.into_iter().enumerate() {
            for (j, sigma_y) in grid.into_iter().enumerate() {
                let one = s.solve(&Rolling { sigma_x, sigma_y, ..at }).unwrap();
                let other = all[i * 4 + j];
                for (a, b) in wrench(&one).into_iter().zip(wrench(&other)) {
                    assert!((a - b).abs() < 1e-9 * 4000.0, "{sigma_x} {sigma_y}: {a} {b}");
                }
            }
        }
    }
}

/// Where an exponent is infinite the patch is a rectangle: under a constant pressure without spin
/// F = μF_z(1 − (1 − e^{−λL})/(λL)) with L = 2a, whatever the other exponent is.
#[test]
fn a_true_rectangle_has_its_closed_form() {
    let law = Stribeck { mu_d: 0.7, mu_s: 0.7, ..Stribeck::start(()) };
    let b = FrbdPlanar::start(Isotropic { m: 1.0, law });
    let r = Rolling { sigma_y: 0.02, ..Rolling::start(()) };
    for (n, m) in [(f64::INFINITY, 2.0), (2.0, f64::INFINITY), (f64::INFINITY, f64::INFINITY)] {
        let p = Patch { n, m, pressure: Profile::Constant, ..Patch::start(()) };
        let o = Steady::new(&p, &b, 1e-9).unwrap().solve(&r).unwrap();
        let turns = b.sigma0_xx * 0.02 / 0.7 * 2.0 * p.a;
        let exact = 0.7 * p.load * (1.0 + (-turns).exp_m1() / turns);
        assert!((o.force[1] / exact - 1.0).abs() <= o.error.max(1e-11), "{o:?}, not {exact}");
    }
    // A parabola along x, constant across; and bent paths past its corners.
    let p = Patch { n: 2.0, m: f64::INFINITY, ..Patch::start(()) };
    let bent = Rolling { sigma_x: 0.1, phi1: 3.0, ..r };
    let (ours, finer) = (solve(&p, &bent, 1e-6), solve(&p, &bent, 1e-9));
    let off = (ours.force[0] / finer.force[0] - 1.0).abs();
    assert!(off <= ours.error && ours.error <= 1e-6, "{off:e}, {:e} said", ours.error);
}
