//! Prescribed motion against independent trajectories: 001 Figs 3, 6, 10.
use crate::rows;
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

#[test]
fn figures_6_and_10() {
    follows(discontinuous(FIG7), "fig6_drbm_prescribed.csv");
    let saw = Sawtooth { delta: 0.033, ..Sawtooth::start(()) };
    follows(Friction::Sawtooth(saw), "fig10_sawtooth_prescribed.csv");
}
