//! The festoon cable system of 002 §5, against independent numbers and trajectories.
use bristle_kernel::bristle::{Bristle2, Implicit, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Scaling, Start};
use bristle_ode::{Options, Radau};
use bristle_system::mechanism::Festoon;
use bristle_system::signal::Points;
use bristle_system::{Coupled, Hybrid, Mechanism};

/// The tow goes to and fro by 0.5 m, then out.
fn festoon() -> Festoon<f64, Points<f64>> {
    let course = [
        (0.0, 0.0),
        (3.0, 0.0),
        (3.5, 0.5 / 2.88),
        (5.88, 0.5 / 2.88),
        (6.38, 0.0),
        (7.6, 0.0),
        (8.1, -0.5 / 3.435),
        (11.035, -0.5 / 3.435),
        (11.535, 0.0),
        (14.0, 0.0),
        (15.0, 0.7),
        (18.8, 0.7),
        (19.0, 0.0),
        (24.0, 0.0),
    ];
    let (t, value) = course.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    Festoon::start(Points { t: t.into_iter().collect(), value: value.into_iter().collect() })
}

fn law() -> AnyLaw<f64> {
    let (mu_s, mu_d, v_s, exponent) = (0.08, 0.05, 1.5e-3, 2.0);
    AnyLaw::Stribeck(Stribeck { mu_s, mu_d, v_s, exponent, ..Stribeck::start(()) })
}

fn lugre() -> AnyBristle<f64> {
    let (scaling, sigma0, sigma1) = (Scaling::Absolute, 4e4, 180.0);
    AnyBristle::LuGre(LuGre { scaling, sigma0, sigma1, ..LuGre::start(law()) })
}

fn bristle2() -> AnyBristle<f64> {
    let (scaling, sigma0, sigma1, v_r) = (Scaling::Absolute, 4e4, 180.0, 0.15e-3);
    AnyBristle::Bristle2(Bristle2 { scaling, sigma0, sigma1, v_r, law: law() })
}

fn implicit() -> AnyBristle<f64> {
    let (scaling, sigma0, sigma1) = (Scaling::Absolute, 4e4, 180.0);
    AnyBristle::Implicit(Implicit { scaling, sigma0, sigma1, law: law() })
}

fn options<const N: usize>(rtol: f64) -> Options<N> {
    // Bodies in m and m/s, bristles in m.
    let scale = |i: usize| if i < 16 { 1e-2 } else { 1e-6 };
    Options::new(rtol, std::array::from_fn(|i| rtol * scale(i)))
}

/// quantity → (value, uncertainty)
fn rows(model: &str) -> Vec<(String, f64, f64)> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/reference/lugre-or-not/scalars.csv");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>())
        .filter(|r| r[0] == "festoon" && r[1] == model)
        .map(|r| (r[2].clone(), r[3].parse().unwrap(), r[4].parse().unwrap()))
        .collect()
}

/// Positions of both trolleys at 14 and 24 s, and their greatest force against the static limit.
fn run<const N: usize>(friction: AnyBristle<f64>, rtol: f64) -> [f64; 4] {
    let system = Coupled::new(festoon(), friction);
    let mut y = [0.0; N];
    system.initial(&mut y);
    let mut run = Hybrid::new(&system, Radau::new(), y, options(rtol));
    run.run(14.0, |_| {}).unwrap();
    let half = *run.y();
    run.run(24.0, |_| {}).unwrap();
    [half[0], half[2], run.y()[0], run.y()[2]]
}

fn check(model: &str, [x1, x2, end1, end2]: [f64; 4], tolerance: f64) {
    let third = 1.5529 / 3.0;
    let mut checked = 0;
    for (quantity, value, uncertainty) in rows(model) {
        let ours = match quantity.as_str() {
            "dT1(14)_mm" => 1e3 * (x1 - third),
            "dT2(14)_mm" => 1e3 * (x2 - 2.0 * third),
            "x_T1(24)_m" => end1,
            "x_T2(24)_m" => end2,
            _ => continue,
        };
        let unit = if quantity.ends_with("_mm") { 1e3 } else { 1.0 };
        let limit = (tolerance * unit).max(uncertainty);
        assert!((ours - value).abs() <= limit, "{model} {quantity}: {ours}, not {value}");
        checked += 1;
    }
    assert_eq!(checked, 4);
}

#[test]
fn trolleys_stop_where_the_reference_says() {
    check("LuGre", run::<18>(lugre(), 1e-8), 1e-6);
    check("bm2", run::<20>(bristle2(), 1e-8), 1e-6);
}

#[test]
fn sticking_trolleys_stop_where_the_reference_says_at_tight_tolerance() {
    check("bm2", run::<20>(bristle2(), 1e-10), 1e-8);
}

/// 002: LuGre's trolley 1 breaks away; a bristle that sticks holds it to a few micrometres.
#[test]
fn only_lugre_lets_the_first_trolley_go() {
    let third = 1.5529 / 3.0;
    assert!(run::<18>(lugre(), 1e-8)[0] - third > 0.02);
    assert!((run::<20>(bristle2(), 1e-8)[0] - third).abs() < 1e-5);
    assert!((run::<18>(implicit(), 1e-8)[0] - third).abs() < 1e-5);
}

#[test]
fn it_hangs_in_equilibrium_and_the_tow_goes_its_way() {
    let festoon = festoon();
    let mut y = [0.0; 16];
    festoon.initial(&mut y);
    assert!((y[5] - 0.9669777800085484).abs() < 1e-12, "the sag");
    for (t, phase, x) in [(0.0, 0, 1.5529), (7.0, 4, 2.0529), (12.0, 8, 1.5529), (24.0, 12, 4.6329)]
    {
        assert!((festoon.tow(t, phase).0 - x).abs() < 1e-12, "{t}");
    }
    let mut dy = [0.0; 16];
    festoon.rates(0.0f64, 0, &y, &[0.0; 2], &mut dy);
    assert!(dy.iter().all(|d| d.abs() < 1e-9), "{dy:?}");
    let load: f64 = festoon.drive(0, 0.0, 0, &y).load;
    assert!((load - 21.999906).abs() < 1e-8);
}
