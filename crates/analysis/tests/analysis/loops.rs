//! Loops that show what a model does.
use bristle_analysis::audit::{Course, audit, loops};
use bristle_kernel::{AnyBristle, AnyLaw, Start, law::Coulomb};

fn named(name: &str) -> AnyBristle<f64> {
    AnyBristle::named(name, AnyLaw::Coulomb(Coulomb::start(()))).unwrap()
}

/// The area of a sawtooth's way forth and back is its mean force times the way, both ways.
#[test]
fn a_sawtooth_goes_forth_and_back() {
    let model = named("sawtooth");
    let AnyBristle::Sawtooth(saw) = &model else { panic!() };
    let all = loops(&model, &audit(&model, 1.0));
    let [(Course::ForthAndBack, samples)] = all.as_slice() else { panic!("{all:?}") };
    let way = samples.iter().map(|s| s.x).fold(0.0, f64::max);
    assert!(way > 2.0 * saw.delta, "{way}");
    let area: f64 =
        samples.windows(2).map(|w| 0.5 * (w[0].force + w[1].force) * (w[1].x - w[0].x)).sum();
    let exact = 2.0 * way * 0.5 * (saw.f_min + saw.f_max);
    assert!((area / exact - 1.0).abs() < 0.01, "{area} {exact}");
}

#[test]
fn a_bristle_has_loops_over_position_and_velocity() {
    let model = named("frbd");
    let all = loops(&model, &audit(&model, 1.0));
    assert_eq!(all.iter().filter(|(c, _)| matches!(c, Course::Position(_))).count(), 3);
    assert_eq!(all.iter().filter(|(c, _)| matches!(c, Course::Velocity(_))).count(), 3);
    assert!(all.iter().all(|(_, samples)| samples.len() > 20));
}
