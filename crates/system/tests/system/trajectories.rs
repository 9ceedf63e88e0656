//! Whole trajectories of 002 at the reference's sample times, read off the dense output.

use crate::common::{Run, options};
use crate::paper002::{model, set1, set2, set3, table};
use bristle_kernel::AnyBristle;
use bristle_ode::System;
use bristle_system::{Coupled, Mechanism, Mode};

/// Runs through the sample times of a file and tells how far each column that `read` knows is off
/// at most, relative to the column's greatest value.
fn errors<M: Mechanism>(
    file: &str,
    system: &Coupled<M>,
    rtol: f64,
    read: impl Fn(&str, &Mode, f64, &[f64]) -> Option<f64>,
) -> Vec<(String, f64)> {
    let mut lines = table(file).into_iter();
    let names = lines.next().unwrap();
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.iter().map(|x| x.parse().unwrap()).collect()).collect();
    let mut worst = vec![0.0f64; names.len()];
    let mut samples = rows.iter().skip(1).peekable();
    let mut run = Run::new(system, &system.initial(), options(system, rtol));
    run.run(rows[rows.len() - 1][0], |step| {
        while let Some(row) = samples.next_if(|row| row[0] <= step.end()) {
            let y = step.at(row[0]);
            for (k, name) in names.iter().enumerate() {
                let ours = read(name, step.mode, row[0], &y);
                let error = ours.map_or(f64::NAN, |ours| (ours - row[k]).abs());
                // A column that is not read stays NaN.
                worst[k] = if error > worst[k] || error.is_nan() { error } else { worst[k] };
            }
        }
    })
    .unwrap();
    assert!(rows.len() == 401 && samples.next().is_none(), "{file}: samples left out");
    let size = |k: usize| rows.iter().fold(0.0f64, |size, row| size.max(row[k].abs()));
    let columns = names.into_iter().enumerate().filter(|(k, _)| !worst[*k].is_nan());
    columns.map(|(k, name)| (name, worst[k] / size(k))).collect()
}

/// The default tolerance and the tight one, and what columns keep at it, relative to their greatest
/// value.
const TOLERANCES: [(f64, f64); 2] = [(1e-9, 1e-6), (1e-11, 1e-9)];

/// What a column may be off by at the tight tolerance where that is more than 1e-9.
fn allowance(file: &str, column: &str) -> f64 {
    match column {
        // The programs behind the reference agree to 1e-9 s in the times of stick and slip on the belt
        // (at 0.1 m/s, 7e-6 of z), to 2e-12 m under pulses (1e-8 of F), to 7e-10 m in the festoon.
        // These errors are the same when the run lands on every sample.
        "z" if file == "belt_impl.csv" => 3e-6,
        "zdot" if file == "belt_impl.csv" => 1e-4,
        "F" if file == "belt_impl.csv" => 5e-9,
        "zdot" if file == "belt_bm2.csv" => 1e-8,
        "F" if file.ends_with("bm2.csv") => 5e-9,
        "z_1" | "z_2" | "FR_1" | "FR_2" => 2e-8,
        // Ours, within steps: where they start, the polynomial takes fast transients less seriously
        // than the step's end does. On the belt F follows v by 2μ_sN/v_r = 3e4 N·s/m.
        "F" if file == "belt_static.csv" => 2e-8,
        "zdot" if file.ends_with("LuGre.csv") => 2e-9,
        _ => 0.0,
    }
}

fn check(file: &str, rtol: f64, columns: usize, errors: Vec<(String, f64)>) {
    assert_eq!(errors.len(), columns, "{file}");
    for (column, error) in errors {
        let (_, kept) = TOLERANCES.into_iter().find(|(tolerance, _)| *tolerance == rtol).unwrap();
        let limit = kept.max(allowance(file, &column));
        assert!(error <= limit, "{file} at {rtol:e}: {column} is off by {error:e} > {limit:e}");
    }
}

fn one_body<M: Mechanism>(file: &str, mechanism: M, friction: AnyBristle<f64>, rtol: f64) {
    let system = Coupled::new(mechanism, friction);
    let states = system.states();
    let read = |name: &str, mode: &Mode, t: f64, y: &[f64]| {
        let mut dy = vec![0.0; states];
        let force = system.flow(mode, t, y, &mut dy);
        match name {
            "x" => Some(y[0]),
            "v" => Some(y[1]),
            "z" if states > 2 => Some(y[2]),
            "F" => Some(force[0]),
            "zdot" if states > 2 => Some(dy[2]),
            _ => None,
        }
    };
    check(file, rtol, if states > 2 { 5 } else { 3 }, errors(file, &system, rtol, read));
}

#[test]
fn mass_on_a_belt() {
    for (rtol, _) in TOLERANCES {
        for name in ["static", "LuGre", "impl", "bm2"] {
            let file = format!("belt_{name}.csv");
            one_body(&file, crate::paper002::belt(), model(name, set2()), rtol);
        }
    }
}

#[test]
fn mass_under_a_pulse_load() {
    let all = ["static", "LuGre", "impl", "bm2"].as_slice();
    for (push, sigma1, names) in
        [(2.0, 395.0, all), (4.5, 395.0, &["LuGre"]), (5.6, 395.0, all), (5.6, 790.0, &["LuGre"])]
    {
        for (name, rtol) in names.iter().flat_map(|name| TOLERANCES.map(|(rtol, _)| (name, rtol))) {
            let file = format!("pulse_F{push}_s1_{sigma1}_{name}.csv");
            one_body(&file, crate::paper002::pulse(push), model(name, set1(sigma1)), rtol);
        }
    }
}

fn cable(name: &str, rtol: f64) {
    let file = format!("festoon_{name}.csv");
    let system = Coupled::new(crate::paper002::festoon(), model(name, set3()));
    let read = |name: &str, mode: &Mode, t: f64, y: &[f64]| {
        let place = |i: usize| system.place(i).start;
        let load = |i: usize| system.contact(mode, i, t, y).0.load;
        let force = |i: usize| system.forces(mode, t, y)[i];
        Some(match name {
            "x_T1" => y[0],
            "v_T1" => y[1],
            "x_T2" => y[2],
            "v_T2" => y[3],
            "x_C1" => y[4],
            "z_C1" => y[5],
            "x_C2" => y[8],
            "z_C2" => y[9],
            "x_C3" => y[12],
            "z_C3" => y[13],
            "z_1" => y[place(0)],
            "z_2" => y[place(1)],
            "FN_1" => load(0),
            "FN_2" => load(1),
            "FR_1" => force(0),
            "FR_2" => force(1),
            _ => return None,
        })
    };
    check(&file, rtol, 16, errors(&file, &system, rtol, read));
}

#[test]
fn festoon_cable() {
    for (rtol, _) in TOLERANCES {
        cable("LuGre", rtol);
        cable("bm2", rtol);
    }
}
