//! Energy statements as identities, over random parameters, drives and states.
//!
//! With Ẇ = ∂W/∂z·ż from dual numbers, F·v = Ẇ + D must hold to round-off for every model: this is
//! 000 (26) for `frbd` and `dahl`, 003 (18) and (21) for the viscoelastic bristles, 004 (97)-(98)
//! at one bristle for the planar one, and the balances stated in the headers of all others.
use crate::common::{D, Subject, begun, drive, eval, rng, shaken, state};
use bristle_kernel::{AnyBristle, AnyPlanar, Bristle, Drive, Slip, Sym2, Update};
use proptest::prelude::*;
use rand::RngExt;

/// Ẇ = Σ ∂W/∂zᵢ żᵢ + ∂W/∂x v along the model's own rate, and the sum of magnitudes.
fn stored_rate<M: Subject>(model: &M, at: &Drive<f64, M::V>, z: &[f64], dz: &[f64]) -> (f64, f64) {
    let rate: Vec<f64> = dz.iter().copied().chain((0..M::V::DIM).map(|i| at.v.get(i))).collect();
    let at = Drive {
        x: M::Slip::<D>::from_fn(|i| D::variable(at.x.get(i), dz.len() + i)),
        v: M::Slip::<D>::from_fn(|i| D::from(at.v.get(i))),
        load: D::from(at.load),
        mode: at.mode.map(D::from),
        side: D::from(at.side),
        injection: M::Slip::<D>::from_fn(|i| D::from(at.injection.get(i))),
        torques: at.torques.map(D::from),
    };
    let seeded: Vec<D> = z.iter().enumerate().map(|(i, z)| D::variable(*z, i)).collect();
    let rates: Vec<D> = dz.iter().map(|d| D::from(*d)).collect();
    let slopes = model.in_scalar::<D>().energy(&at, &seeded, &rates).stored.eps;
    let parts = rate.iter().zip(slopes).map(|(rate, slope)| rate * slope);
    parts.fold((0.0, 0.0), |(sum, gross), p| (sum + p, gross + p.abs()))
}

/// A balance `terms[0] = terms[1] + …`, exact but for rounding: the residual may be a part in 10¹² of
/// the terms, or what the terms change by when the inputs change in their last digits, or the
/// rounding of what they are summed from, `gross`.
fn holds(gross: f64, terms: impl Fn(f64, f64) -> [f64; 4]) -> Result<(), String> {
    let here = terms(1.0, 1.0);
    let mut noise = 0.0;
    for nudge in [-6e-16, -3e-16, 3e-16, 6e-16] {
        for there in [terms(1.0 + nudge, 1.0), terms(1.0, 1.0 + nudge)] {
            noise += here.iter().zip(&there).map(|(a, b)| (a - b).abs()).sum::<f64>();
        }
    }
    let residual = here[0] - here[1] - here[2] - here[3];
    let allowed = 1e-12 * here.iter().map(|t| t.abs()).sum::<f64>() + 4.0 * noise + 1e-14 * gross;
    if residual.abs() <= allowed {
        return Ok(());
    }
    Err(format!("{here:?} leave {residual:e}, more than {allowed:e}"))
}

/// Neighbouring entries change in opposite directions, so that differences between them show.
fn bent(z: &[f64], factor: f64) -> Vec<f64> {
    let turn = |i: usize| if i.is_multiple_of(2) { factor } else { 2.0 - factor };
    z.iter().enumerate().map(|(i, z)| z * turn(i)).collect()
}

fn nudged<M: Subject>(at: &Drive<f64, M::V>, factor: f64) -> Drive<f64, M::V> {
    Drive { v: M::V::from_fn(|i| at.v.get(i) * factor), ..*at }
}

fn balance<M: Subject>() {
    let mut rng = rng();
    let (mut proven, mut open) = (0, 0);
    for (name, model) in M::all() {
        for _ in 0..500 {
            let model = shaken(&model, &mut rng);
            let mut at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            at = begun(&model, at, &z);
            if rng.random_bool(0.1) {
                at.load = 0.0;
            }
            let terms = |v: f64, bend: f64| {
                let at = nudged::<M>(&at, v);
                let z = bent(&z, bend);
                let (dz, force) = eval(&model, &at, &z);
                let energy = model.energy(&at, &z, &dz);
                [force.dot(&at.v), stored_rate(&model, &at, &z, &dz).0, energy.dissipated, 0.0]
            };
            let gross = stored_rate(&model, &at, &z, &eval(&model, &at, &z).0).1;
            holds(gross, terms).unwrap_or_else(|e| panic!("{name}: F v = W' + D: {e} at {at:?}"));
            let (dz, force) = eval(&model, &at, &z);
            let energy = model.energy(&at, &z, &dz);
            assert!(energy.stored >= 0.0, "{name}: W = {}", energy.stored);
            if energy.known {
                proven += 1;
                let size = force.dot(&at.v).abs() + energy.dissipated.abs();
                assert!(energy.dissipated >= -1e-12 * size, "{name}: D = {}", energy.dissipated);
            } else {
                open += 1;
            }
            assert!(
                !model.passivity().known || energy.known || at.load == 0.0,
                "{name}: known for every drive, but not here"
            );
        }
    }
    assert!(proven > 1000 && (M::V::DIM == 2 || open > 0));
}

/// The midpoint update satisfies the same identity in discrete time, F̄·v h = ΔW + h D at the
/// midpoint, for steps from a nanosecond to a quarter of an hour.
fn discrete_balance<M: Subject>() {
    let mut rng = rng();
    let mut checked = 0;
    for (name, model) in M::all() {
        for _ in 0..500 {
            let model = shaken(&model, &mut rng);
            let at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            let at = begun(&model, at, &z);
            let h = 10f64.powf(rng.random_range(-9.0..3.0));
            // Force over position has its mean over the way.
            let placed = z.is_empty() && model.positional();
            if placed || model.step(Update::Midpoint, &at, h, &mut z.clone()).is_none() {
                break;
            }
            // A spring that is not linear has its mean force, and a damper that looks at the deflection that of the start, which
            // no one deflection has; passes take the rate as it is given, a difference of states here. Then what is left is
            // lost.
            let mut end = z.clone();
            let force = model.step(Update::Midpoint, &at, h, &mut end).unwrap();
            let rate: Vec<f64> = z.iter().zip(&end).map(|(a, b)| (b - a) / h).collect();
            let stored = |z: &[f64]| model.energy(&at, z, &rate).stored;
            let curved = ["sigma3", "passes", "damping = deflection", "damping = both"];
            if curved.iter().any(|part| name.contains(part)) {
                let (work, grown) = (force.dot(&at.v) * h, stored(&end) - stored(&z));
                let gross = work.abs() + stored(&end) + stored(&z);
                assert!(work - grown >= -1e-12 * gross, "{name}, h = {h:e}: {work} {grown}");
                continue;
            }
            let terms = |v: f64, bend: f64| {
                let at = nudged::<M>(&at, v);
                let z = bent(&z, bend);
                let mut end = z.clone();
                let force = model.step(Update::Midpoint, &at, h, &mut end).unwrap();
                let middle: Vec<f64> = z.iter().zip(&end).map(|(a, b)| 0.5 * (a + b)).collect();
                let rate: Vec<f64> = z.iter().zip(&end).map(|(a, b)| (b - a) / h).collect();
                let stored = |z: &[f64]| model.energy(&at, z, &rate).stored;
                let lost = model.energy(&at, &middle, &rate).dissipated * h;
                [force.dot(&at.v) * h, stored(&end), -stored(&z), lost]
            };
            holds(0.0, terms).unwrap_or_else(|e| panic!("{name}, h = {h:e}: {e} at {at:?}"));
            checked += 1;
        }
    }
    assert!(checked > 100);
}

#[test]
fn power_in_is_stored_or_dissipated() {
    balance::<AnyBristle<f64>>();
    balance::<AnyPlanar<f64>>();
}

#[test]
fn the_midpoint_update_keeps_the_balance_at_every_step() {
    discrete_balance::<AnyBristle<f64>>();
    discrete_balance::<AnyPlanar<f64>>();
}

proptest! {
    /// Why 004's condition on Q₂ always holds: A(A + B)⁻¹B is symmetric and positive semidefinite.
    #[test]
    fn the_parallel_sum_of_definite_matrices_is_definite(
        a in prop::array::uniform3(-1.0f64..1.0), b in prop::array::uniform3(-1.0f64..1.0),
        v in prop::array::uniform2(-1.0f64..1.0),
    ) {
        let gram = |c: [f64; 3]| Sym2 {
            xx: c[0] * c[0] + 0.01, xy: c[0] * c[1], yy: c[1] * c[1] + c[2] * c[2] + 0.01,
        };
        let (a, b) = (gram(a), gram(b));
        let sum = a.plus(&b).inverse();
        let along = |v| a.times(sum.times(b.times(v)));
        let (x, y) = (along([1.0, 0.0]), along([0.0, 1.0]));
        prop_assert!((x[1] - y[0]).abs() < 1e-12 * (x[0].abs() + y[1].abs()));
        let w = along(v);
        prop_assert!(v[0] * w[0] + v[1] * w[1] >= -1e-14);
    }
}
