//! Models against numbers that this project did not compute. Rows are read from `data/reference`;
//! those that need an integrator are tested where the integrator is.
use bristle_kernel::bristle::{Frbd, FrbdGm, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Bristle, Cast, Drive, Law, Start, Update};
use bristle_num::Dual;
use bristle_reference::Table;
use std::f64::consts::PI;

/// The names of the columns of a reference file, and its rows.
fn rows(file: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut lines = Table::of(file).whole();
    (lines.remove(0), lines)
}

/// quantity → (value, uncertainty) of one experiment and model.
fn scalars(file: &str, experiment: &str, model: &str) -> Vec<(String, f64, f64)> {
    let (_, rows) = rows(file);
    let rows: Vec<_> = rows
        .iter()
        .filter(|r| r[1].starts_with(experiment) && r[2] == model)
        .map(|r| (r[3].clone(), r[4].parse().unwrap(), r[5].parse().unwrap()))
        .collect();
    assert!(!rows.is_empty(), "{file} has no rows for {experiment}, {model}");
    rows
}

/// `t=0.05s…` → 0.05.
fn time_in(quantity: &str) -> f64 {
    let rest = quantity.split_once("t=").unwrap().1;
    rest[..rest.find('s').unwrap()].parse().unwrap()
}

/// Table II of 000.
fn table2() -> Frbd<f64, Stribeck<f64>> {
    Frbd::start(Stribeck { viscous: 0.04, ..Stribeck::start(()) })
}

/// z after the time from `from` to `to`, on which v has no zero.
///
/// The exact step at frozen midpoint velocity is a symmetric method whose error has even powers of
/// h only, so Romberg's extrapolation turns it into the integral (19)-(20) of 000 itself.
fn romberg(m: &impl Bristle<f64>, v: impl Fn(f64) -> f64, from: f64, to: f64, z0: f64) -> f64 {
    let run = |steps: usize| {
        let h = (to - from) / steps as f64;
        let mut z = [z0];
        for i in 0..steps {
            let at = Drive::new(v(from + (i as f64 + 0.5) * h), 1.0);
            m.step(Update::Exponential, &at, h, &mut z);
        }
        z[0]
    };
    let mut table: Vec<f64> = (0..8).map(|k| run(64 << k)).collect();
    for level in 1..table.len() {
        let factor = 4f64.powi(level as i32);
        for k in (level..table.len()).rev() {
            table[k] += (table[k] - table[k - 1]) / (factor - 1.0);
        }
    }
    table[table.len() - 1]
}

/// (19)-(20) of 000 for v = 0.005 + 0.02 sin 10πt, z(0) = −5e-5 m, panel by panel between the zeros
/// of v.
#[test]
fn frbd_has_the_closed_form_of_its_paper() {
    let m = table2();
    let v = |t: f64| 0.005 + 0.02 * (10.0 * PI * t).sin();
    // v = 0 where sin 10πt = −1/4.
    let first = (PI + 0.25f64.asin()) / (10.0 * PI);
    let second = 0.2 - 0.25f64.asin() / (10.0 * PI);
    let panel = |from: f64, to: f64, z0: f64| romberg(&m, v, from, to, z0);
    for (quantity, value, uncertainty) in
        scalars("frbd/scalars.csv", "lumped_closed_form", "FrBD1-KV_TableII")
    {
        let end = time_in(&quantity);
        let zeros = [first, second, first + 0.2, second + 0.2];
        let mut cuts: Vec<f64> = zeros.into_iter().filter(|t| *t < end).collect();
        cuts.push(end);
        let (mut t, mut z) = (0.0, -5e-5);
        for cut in cuts {
            z = panel(t, cut, z);
            t = cut;
        }
        let error = (z - value).abs();
        assert!(error <= uncertainty.max(1e-12 * value.abs()), "{quantity}: {z:e}, not {value:e}");
    }
}

/// Frictional lag, v = 0.015 + 0.014 sin 2πft: over one period z is mapped affinely, so the
/// periodic solution and its multiplier follow from two runs.
#[test]
fn lag_loops_have_the_multiplier_and_the_periodic_state_of_the_reference() {
    let lugre = LuGre::start(table2().law);
    for frequency in [25.0, 50.0] {
        let v = |t: f64| 0.015 + 0.014 * (2.0 * PI * frequency * t).sin();
        let period = |m: &dyn Fn(f64) -> f64| {
            let (from_zero, from_one) = (m(0.0), m(1e-4));
            let multiplier = (from_one - from_zero) / 1e-4;
            (multiplier, from_zero / (1.0 - multiplier))
        };
        let end = 1.0 / frequency;
        let frbd = period(&|z0| romberg(&table2(), v, 0.0, end, z0));
        let other = period(&|z0| romberg(&lugre, v, 0.0, end, z0));
        for (name, (multiplier, z)) in [("FrBD1-KV", frbd), ("LuGre", other)] {
            let experiment = format!("lag_{frequency}Hz");
            for (quantity, value, uncertainty) in scalars("frbd/scalars.csv", &experiment, name) {
                let ours = match quantity.as_str() {
                    "floquet_multiplier" => multiplier,
                    "z_periodic_at_t0_m" => z,
                    _ => continue,
                };
                let allowed = uncertainty.max(1e-11 * value.abs());
                assert!((ours - value).abs() <= allowed, "{name}, {quantity}: {ours} not {value}");
            }
        }
    }
}

/// Linearised at steady sliding, μ_b/v = C B/(iω − A) + D with all four from dual numbers: 000
/// (28)-(32).
#[test]
fn the_frequency_response_of_frbd_is_that_of_the_reference() {
    type D = Dual<f64, 2>;
    let (_, rows) = rows("frbd/scalars.csv");
    let mut checked = 0;
    for row in rows.iter().filter(|r| r[1] == "frf_lumped") {
        let v: f64 = row[2].split_once("v*=").unwrap().1.parse().unwrap();
        let (part, rest) = row[3].split_once("_f=").unwrap();
        let omega = 2.0 * PI * rest.trim_end_matches("Hz").parse::<f64>().unwrap();
        let m = table2();
        let mut z = [0.0];
        m.steady(&Drive::new(v, 1.0), &mut z);
        let dual: Frbd<D, Stribeck<D>> = m.cast(&mut |x| D::from(x));
        let mut dz = [D::from(0.0)];
        let at = Drive::new(D::variable(v, 1), D::from(1.0));
        let force = dual.eval(&at, &[D::variable(z[0], 0)], &mut dz);
        let ([a, b], [c, d]) = (dz[0].eps, force.eps);
        let size = a * a + omega * omega;
        let ours = if part == "Re" { d - c * b * a / size } else { -c * b * omega / size };
        let value: f64 = row[4].parse().unwrap();
        assert!((ours - value).abs() <= 1e-12 * (1.0 + value.abs()), "{row:?}: {ours}");
        checked += 1;
    }
    assert!(checked >= 10, "{checked}");
}

/// The GM model of a row such as `FrBD3-GM_A:k_i=k0=1e4_mu(5)`.
fn gm(branches: usize, k: [f64; 3], reading: &str) -> FrbdGm<f64, Stribeck<f64>> {
    let mut law: Stribeck<f64> = Stribeck::start(());
    if reading == "mu(25)" {
        law.reading = bristle_kernel::law::stribeck::Reading::Factor;
    }
    FrbdGm {
        k0: 1e4,
        k: k[..branches].iter().copied().collect(),
        tau: [1.0, 0.1, 0.01][..branches].iter().copied().collect(),
        ..FrbdGm::start(law)
    }
}

/// The force per unit load after `t` seconds at 0.01 m/s from rest: one exact step.
fn relaxed(m: &FrbdGm<f64, Stribeck<f64>>, t: f64) -> f64 {
    let at = Drive::new(0.01, 1.0);
    let mut z = vec![0.0; m.states()];
    m.step(Update::Exponential, &at, t, &mut z);
    let mut dz = z.clone();
    m.eval(&at, &z, &mut dz)
}

#[test]
fn viscoelastic_bristles_relax_as_in_003_figure_4() {
    let mut checked = 0;
    for (model, branches, k) in [
        ("FrBD1-GM_A:k_i=k0=1e4_mu(5)", 0, [1e4; 3]),
        ("FrBD2-GM_A:k_i=k0=1e4_mu(5)", 1, [1e4; 3]),
        ("FrBD3-GM_A:k_i=k0=1e4_mu(5)", 2, [1e4; 3]),
        ("FrBD4-GM_A:k_i=k0=1e4_mu(5)", 3, [1e4; 3]),
        ("FrBD4-GM_k=(1e4;2e4;3e4)_mu(5)", 3, [1e4, 2e4, 3e4]),
    ] {
        let m = gm(branches, k, "mu(5)");
        let settled = m.law.level(0.01);
        for (quantity, value, uncertainty) in
            scalars("viscoelastic/scalars.csv", "relaxation_v=0.01", model)
        {
            let ours = if quantity.starts_with("f_t=") {
                relaxed(&m, time_in(&quantity))
            } else if let Some(rest) = quantity.strip_prefix("t_reach_") {
                let share: f64 = rest.split('_').next().unwrap().parse().unwrap();
                // At the reference's own time: how well the time is determined depends on the slope.
                let error = (relaxed(&m, value) - share * settled).abs();
                assert!(error <= 4e-15, "{model}, {quantity}: {error:e}");
                checked += 1;
                continue;
            } else {
                // The slowest mode: what is left of the transient between 20 and 24 s, when all
                // others have died out, or between 0.1 and 0.2 s for the single bristle.
                let (a, b) = if branches == 0 { (0.1, 0.2) } else { (20.0, 24.0) };
                let left = |t| (settled - relaxed(&m, t)).abs().ln();
                let rate = (left(b) - left(a)) / (b - a);
                assert!((rate / value - 1.0).abs() < 1e-6, "{model}, {quantity}: {rate}");
                continue;
            };
            let error = (ours - value).abs();
            let allowed = uncertainty.max(4e-15 * value.abs());
            assert!(error <= 2.0 * allowed, "{model}, {quantity}: {ours}, not {value}");
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

/// Both readings of the exponent, over the whole trajectory of the file.
#[test]
fn relaxation_follows_the_reference_trajectories() {
    let (header, rows) = rows("viscoelastic/relaxation.csv");
    let mut worst = 0.0f64;
    let mut columns = std::collections::BTreeSet::new();
    for (column, name) in header.iter().enumerate() {
        let parts: Vec<&str> = name.split('_').collect();
        let k = match parts.get(2) {
            Some(&"A") => 1e4,
            Some(&"B") => 54_500.0,
            _ => continue,
        };
        let m = gm(parts[1][1..].parse().unwrap(), [k; 3], parts[3]);
        for row in &rows {
            let (t, value): (f64, f64) = (row[0].parse().unwrap(), row[column].parse().unwrap());
            // The file prints times to eight digits.
            let blur = (relaxed(&m, t * (1.0 + 5e-8)) - relaxed(&m, t * (1.0 - 5e-8))).abs();
            worst = worst.max((relaxed(&m, t) - value).abs() - blur);
            columns.insert(column);
        }
    }
    assert!(columns.len() == 16 && worst < 1e-13, "{worst:e}");
}
