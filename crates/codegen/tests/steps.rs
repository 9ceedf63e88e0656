//! The C of a model does what the model does.
use bristle_codegen::{Refused, Traced, step};
use bristle_kernel::bristle::{Frbd, Implicit, LuGre};
use bristle_kernel::law::{Coulomb, Stribeck};
use bristle_kernel::{Bristle, Cast, Drive, Start, Update};
use std::path::Path;
use std::process::Command;

/// Velocities and loads, lift-off among them.
fn drives() -> Vec<(f64, f64)> {
    (0..300)
        .map(|k| {
            let t = 0.01 * f64::from(k);
            (0.02 * (3.0 * t).sin(), if k % 97 == 5 { 0.0 } else { 5.0 + t })
        })
        .collect()
}

fn agree<M>(model: &M, name: &str)
where
    M: Bristle<f64> + Cast<f64>,
    M::Over<Traced>: Bristle<Traced>,
{
    let source = step(model, "model_step").unwrap();
    let cases: Vec<String> = drives().iter().map(|(v, n)| format!("{{{v:?}, {n:?}}}")).collect();
    let program = format!(
        "{source}#include <stdio.h>\nstatic const double drives[][2] = {{{}}};\nint main(void) {{\n  double z[8] = {{0}};\n  \
         for (int k = 0; k < {}; ++k) printf(\"%.17g\\n\", model_step(z, drives[k][0], drives[k][1], 1e-3));\n}}\n",
        cases.join(", "),
        cases.len()
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, out) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, program).unwrap();
    let flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
    let compiled =
        Command::new("gcc").args(flags).arg(&file).arg("-o").arg(&out).arg("-lm").output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = String::from_utf8(Command::new(&out).output().unwrap().stdout).unwrap();
    let forces: Vec<f64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(forces.len(), cases.len());
    let mut z = vec![0.0; model.states()];
    for ((v, load), force) in drives().into_iter().zip(forces) {
        let own = model.step(Update::Midpoint, &Drive::new(v, load), 1e-3, &mut z).unwrap();
        assert!(
            (own - force).abs() <= 1e-12 * own.abs().max(1.0),
            "{name} at {v} m/s: {force}, not {own}"
        );
    }
}

#[test]
fn the_c_of_a_model_gives_its_forces() {
    agree(&Frbd::<f64, Stribeck<f64>>::start(Stribeck::start(())), "frbd");
    agree(&LuGre::<f64, Stribeck<f64>>::start(Stribeck::start(())), "lugre");
}

#[test]
fn a_search_is_refused() {
    let implicit: Implicit<f64, Coulomb<f64>> = Implicit::start(Coulomb::start(()));
    assert_eq!(step(&implicit, "step"), Err(Refused::Search));
}
