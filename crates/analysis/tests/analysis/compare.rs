//! Models side by side, and maps as tables.
use crate::common;
use bristle_analysis::audit::{Holds, Verdict};
use bristle_analysis::compare::{Candidate, RATES, TESTS, compare};
use bristle_analysis::maps::{equilibria, hysteresis, rests};
use bristle_kernel::bristle::RotatingDiscontinuous;
use bristle_kernel::{AnyBristle, AnyLaw, Start};
use bristle_rotating::{Body, Friction};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What 002 says of LuGre and of the implicit bristle, side by side.
#[test]
fn lugre_and_the_implicit_bristle_differ_as_002_says() {
    let named = |name: &str| {
        let model = AnyBristle::named(name, AnyLaw::Stribeck(common::table_2())).unwrap();
        Candidate { name: format!("{name}, Table 2"), model }
    };
    let done = AtomicUsize::new(0);
    let count = || {
        done.fetch_add(1, Ordering::Relaxed);
    };
    let rows = compare(&[named("lugre"), named("implicit")], 1.0, &count);
    assert_eq!(done.load(Ordering::Relaxed), 2 * TESTS);
    let [lugre, implicit] = &rows[..] else { panic!("two rows") };
    assert_eq!((lugre.name.as_str(), lugre.model), ("lugre, Table 2", "lugre"));
    assert_eq!(lugre.stick.unwrap().holds(), Holds::Not);
    assert_eq!(implicit.stick.unwrap().holds(), Holds::Exactly);
    for k in 0..RATES.len() {
        let at_limit = implicit.break_away[k].unwrap();
        assert!((at_limit - 1.0).abs() < 1e-5, "{at_limit}");
    }
    assert!(lugre.break_away[6].unwrap() < 0.9 * lugre.break_away[0].unwrap());
    assert!(implicit.departure.unwrap() < lugre.departure.unwrap());
    assert!(matches!(lugre.passivity, Verdict::NotPassive(_)) && !lugre.bounded);
    assert!(matches!(implicit.passivity, Verdict::Passive { .. }) && implicit.bounded);
}

/// Equilibria: a force between the bounds at x is one under which x is a place of rest, and no other.
#[test]
fn equilibria_by_position_and_by_force_are_the_same_set() {
    let friction = Friction::Discontinuous(RotatingDiscontinuous::start(()));
    // Places on no edge of the row, and inside the range that is searched.
    let table = equilibria(friction, 1.0, [0.001_1, 0.199_3], 97);
    let column = |name: &str| table.column(name).unwrap().values.clone();
    let (x, low, high) = (column("x"), column("u_low"), column("u_high"));
    let mut seen = [0, 0];
    for u in [0.02, 0.05, 0.1] {
        let intervals = rests(friction, 1.0, u, [0.0, 0.2]);
        let (from, to) = (&intervals.columns()[0].values, &intervals.columns()[1].values);
        for k in 0..x.len() {
            let inside = (0..from.len()).any(|i| from[i] < x[k] && x[k] < to[i]);
            let near = (u - low[k]).abs().min((u - high[k]).abs()) < 1e-6;
            let holds = low[k] < u && u < high[k];
            assert!(near || inside == holds, "u = {u} N, x = {} m", x[k]);
            seen[usize::from(holds)] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

/// A cycle of the hysteresis map ends where it began but for less than a spacing: what was supplied went into friction.
#[test]
fn a_cycle_of_hysteresis_is_lost_in_friction() {
    let friction = Friction::Discontinuous(RotatingDiscontinuous::start(()));
    let map = hysteresis(Body::tied(1.0, 1.0, 1.0, 0.05), friction).unwrap().unwrap();
    assert!(map.supplied > 0.0 && map.slips > 0);
    assert!((map.supplied / map.friction - 1.0).abs() < 0.05, "{} {}", map.supplied, map.friction);
    assert!(hysteresis(Body::dragged(1.0, 1.0, 0.002), friction).is_none());
}
