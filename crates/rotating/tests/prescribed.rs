//! Closed forms and prescribed motion against independent numbers: 001 Figs 3, 6, 10.
mod rows;

use bristle_kernel::Start;
use bristle_kernel::bristle::{Rotating, RotatingDiscontinuous, Row, Sawtooth};
use bristle_rotating::{Friction, Path};

const FIG3: Row<f64> = Row { kappa: 0.1, h: 0.098, l_b: 0.1, delta: 0.002, d: 1.0, offset: 0.0 };
const FIG7: Row<f64> = Row { kappa: 0.1, h: 0.0995, l_b: 0.1, delta: 0.005, d: 0.5, offset: 0.0 };

fn continuous(row: Row<f64>) -> Friction {
    let Row { kappa, h, l_b, delta, d, offset } = row;
    Friction::Rotating(Rotating { kappa, h, l_b, delta, d, offset, ..Rotating::start(()) })
}

fn discontinuous(row: Row<f64>) -> Friction {
    let Row { kappa, h, l_b, delta, d, offset } = row;
    Friction::Discontinuous(RotatingDiscontinuous { kappa, h, l_b, delta, d, offset })
}

/// Takes the body from place to place.
fn take(path: &mut Path, places: &[f64]) {
    places.iter().for_each(|x| path.to(*x));
}

/// The most bristles at a corner, over one spacing.
fn crowd(row: Row<f64>) -> usize {
    let mut path = Path::new(discontinuous(row), 0.0);
    let places = (1..=997).map(|k| f64::from(k) / 997.0 * row.delta);
    places.map(|x| (path.to(x), path.contacts()).1).max().unwrap()
}

#[test]
fn closed_forms() {
    let mut read = 0;
    for (experiment, nominal) in [
        ("closed form fig3", FIG3),
        ("closed form fig5,d0=0.0199", Row { kappa: 0.5, delta: 0.01, ..FIG3 }),
        ("closed form fig7", FIG7),
        ("closed form fig7,d0=0.01", FIG7),
        ("closed form fig9,D=0.01", Row { delta: 0.01, ..FIG7 }),
        ("closed form fig9,D=0.01,d0=0.01", Row { delta: 0.01, ..FIG7 }),
    ] {
        // A printed d₀ means another length of the bristles.
        let printed = experiment.split_once("d0=").map(|(_, d0)| d0.parse().unwrap());
        let l_b = printed.map_or(nominal.l_b, |d0: f64| nominal.h.hypot(d0));
        let row = Row { l_b, ..nominal };
        let [least, greatest] = row.range();
        for r in rows::of(experiment) {
            let (ours, part) = match r.quantity.as_str() {
                "d0" => (row.d0(), 1e-14),
                "theta_max=acos(h/lb)" => ((nominal.d0() / nominal.h).atan(), 1e-14),
                "F_min (inf over x, v>0)" => (least, 1e-12),
                "F_max (sup over x, v>0)" => (greatest, 1e-14),
                "energy per bristle kappa*th^2/2 (th=acos)" => (nominal.released(), 1e-13),
                "energy per bristle at release kappa*atan(d0/h)^2/2" => (row.released(), 1e-13),
                "mean force over a tooth = E_release/Delta" => (row.released() / row.delta, 1e-13),
                "max bristles in contact" => (crowd(row) as f64, 0.0),
                _ => r.unread(),
            };
            // Where d₀ is a multiple of Δ the last bristle contributes rounding.
            r.agrees(&[ours], part * r.numbers()[0] + 1e-15);
            read += 1;
        }
    }
    assert_eq!(read, 48);
}

#[test]
fn figure_3() {
    let mut path = Path::new(continuous(FIG3), 0.0);
    let mut way = 1.0;
    let mut worst = 0.0f64;
    for r in rows::table("fig3_rbm_prescribed.csv") {
        let (x, v) = (r[1], r[2]);
        if v * way < 0.0 {
            path.to(5.0 * way);
            way = -way;
        }
        path.to(x);
        // What the last printed digit of x is worth with so many bristles.
        let printed = 5e-15 * path.contacts() as f64 * FIG3.kappa / FIG3.h.powi(2);
        worst = worst.max((path.force() - r[3]).abs() - printed);
        assert_eq!(path.contacts() as f64, r[4] + r[5], "bristles at x = {x}");
    }
    assert!(worst < 1e-12, "{worst:e} N");
}

#[test]
fn figure_3_after_the_reversal() {
    let mut path = Path::new(continuous(FIG3), 0.0);
    path.to(5.0);
    // The rows' x was summed up in f64, which shows behind its printed digits: sum likewise.
    let mut x = 5.0 - 0.000137;
    for r in rows::table("fig3_rbm_reversal_at_plus5.csv") {
        assert!((x - r[0]).abs() < 1e-9);
        path.to(x);
        assert!((path.force() - r[1]).abs() < 1e-12, "{x}: {} {}", path.force(), r[1]);
        assert_eq!(path.contacts() as f64, r[2] + r[3], "bristles at x = {x}");
        x -= 0.000731;
    }
}

#[test]
fn numbers_of_figure_3() {
    let released = FIG3.released();
    let mut steady = Path::new(continuous(FIG3), 0.0);
    take(&mut steady, &[5.0, -5.0]);
    let mut half = steady;
    (half.work, half.released) = (0.0, 0.0);
    half.to(5.0);
    let mut cycle = half;
    cycle.to(-5.0);
    for r in rows::of("fig3") {
        match r.quantity.as_str() {
            "bristles released per half cycle (A=5)" => r.is(half.released / released, 1e-9),
            q if q.starts_with("loop area per steady cycle") => r.is(cycle.work, 1e-11),
            q if q.starts_with("loop area by midpoint rule") => r.agrees(&[cycle.work], 5e-5),
            q if q.starts_with("max Ff in steady sliding") => r.agrees(&[FIG3.range()[1]], 1e-12),
            q if q.starts_with("min Ff in steady sliding") => r.agrees(&[FIG3.range()[0]], 1e-12),
            q if q.starts_with("Ff after reversal at x=5") => {
                let mut path = Path::new(continuous(FIG3), 0.0);
                take(&mut path, &[5.0, r.after("left, at x=")]);
                r.agrees(&[path.force()], 1e-12);
            }
            q if q.starts_with("start-up Ff at x=") => {
                let mut path = Path::new(continuous(FIG3), 0.0);
                path.to(r.after("at x="));
                r.agrees(&[path.force()], 1e-12);
            }
            _ => r.unread(),
        }
    }
}

/// The force over a prescribed sine of amplitude 1.
fn follows(friction: Friction, file: &str) {
    let mut path = Path::new(friction, 0.0);
    let mut way = 1.0;
    let mut worst = 0.0f64;
    for r in rows::table(file) {
        if r[2] * way < 0.0 {
            path.to(way);
            way = -way;
        }
        path.to(r[1]);
        worst = worst.max((path.force() - r[3]).abs());
    }
    assert!(worst < 1.2e-12, "{file}: {worst:e} N");
}

/// The work of the second cycle over it.
fn loop_area(friction: Friction) -> f64 {
    let mut path = Path::new(friction, 0.0);
    take(&mut path, &[1.0, -1.0]);
    path.work = 0.0;
    take(&mut path, &[1.0, -1.0]);
    path.work
}

#[test]
fn figures_6_and_10() {
    follows(discontinuous(FIG7), "fig6_drbm_prescribed.csv");
    let saw = Sawtooth { delta: 0.033, ..Sawtooth::start(()) };
    follows(Friction::Sawtooth(saw), "fig10_sawtooth_prescribed.csv");
    for r in rows::of("fig6") {
        // From which side a place is reached does not matter but at ±1, where the body turns.
        let branch = |x: f64, from: f64| {
            let mut path = Path::new(discontinuous(FIG7), from);
            path.to(x);
            path.force()
        };
        match r.quantity.as_str() {
            q if q.starts_with("loop area") => r.agrees(&[loop_area(discontinuous(FIG7))], 1e-10),
            q if q.starts_with("F_r(1-)") => r.agrees(&[branch(1.0 - 1e-13, 0.9)], 1e-11),
            q if q.starts_with("F_l(1-)") => r.agrees(&[branch(1.0 - 1e-13, 1.1)], 1e-11),
            q if q.starts_with("F_r(x=") => r.agrees(&[branch(r.after("x="), -1.0)], 1.5e-13),
            q if q.starts_with("F_l(x=") => r.agrees(&[branch(r.after("x="), 1.5)], 1.5e-13),
            _ => r.unread(),
        }
    }
    for r in rows::of("fig10") {
        match r.quantity.as_str() {
            q if q.starts_with("loop area A=1") => {
                // Mean force 0.75 N over 4 m; ±1 m are no tooth's end, so the exact area differs by
                // the parts of teeth beyond them.
                r.agrees(&[loop_area(Friction::Sawtooth(saw))], 1e-10);
            }
            _ => r.unread(),
        }
    }
}

/// How well the sawtooth of the same extremes follows the bristles, on one tooth.
#[test]
fn the_sawtooth_stands_for_the_bristles() {
    for r in rows::of("sawtooth vs DRBM") {
        let row = Row { l_b: f64::hypot(FIG7.h, 0.01), ..FIG7 };
        let [f_min, f_max] = row.range();
        let force = |s: f64| row.pull(s) + row.pull(s + row.delta);
        let line = |s: f64| f_min + (f_max - f_min) * s / row.delta;
        let gap = |k: i32| {
            let s = row.delta * f64::from(k) / 1e5;
            (force(s) - line(s)).abs()
        };
        assert!(r.model == "fig7,d0=0.01" && r.says("max |F_DRBM - F_saw|"), "{r:?}");
        r.agrees(&[(0..=100_000).map(gap).fold(0.0, f64::max)], 1e-9);
    }
}
