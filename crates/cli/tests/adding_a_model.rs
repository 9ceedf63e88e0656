//! Adding a model is one file and one line.
//!
//! A copy of the project gets a toy model that way, and nothing else; the toy then passes the
//! contract and energy tests, which know no names, and a scenario names and runs it.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const TOY: &str = r#"
//! Toy: a bristle that forgets at a fixed rate, wherever it slides.
use super::{Drive, Energy, Passivity, Relaxation, Relaxing};
use crate::{Law, Params, relaxing};
use bristle_num::{Logic, Real};

/// A toy.
///
/// Choose it to see what a model must state.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "toy", title = "a bristle that forgets", source = "this test",
    stick = "no", passive = "yes: W = sigma0 z^2/2", law = "no: it has its own")]
pub struct Toy<S, L> {
    /// bristle stiffness
    #[param(unit = "N/m", start = 100.0, range = "(0, inf)", eq = "(1)")]
    pub sigma0: S,
    /// forgetting time
    #[param(unit = "s", start = 0.1, range = "(0, inf)", eq = "(1)")]
    pub tau: S,
    /// a law that it ignores
    #[param(nested)]
    pub law: L,
}

relaxing!(Toy<S, L: Law>);

impl<S: Real, L: Law<S>> Relaxing<S> for Toy<S, L> {
    fn relaxation(&self, at: &Drive<S>) -> Relaxation<S> {
        let b = S::select(at.pressed(), at.v, S::from(0.0));
        Relaxation { a: S::from(1.0) / self.tau, b }
    }
    fn force_of(&self, at: &Drive<S>, z: S, _dz: S) -> S {
        S::select(at.pressed(), self.sigma0 * z, S::from(0.0))
    }
    fn settled(&self, at: &Drive<S>) -> S {
        S::select(at.pressed(), at.v * self.tau, S::from(0.0))
    }
    fn energy_of(&self, _at: &Drive<S>, z: S, _dz: S) -> Energy<S> {
        let stored = self.sigma0 * z * z * 0.5;
        Energy { stored, dissipated: stored * 2.0 / self.tau, known: S::Mask::splat(true) }
    }
    fn passivity_of(&self) -> Passivity<S> {
        Passivity::always("W = sigma0 z^2/2")
    }
    fn reach(&self, v_max: S, _load_max: S) -> S {
        v_max * self.tau
    }
}
"#;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    // What an earlier run copied and the project no longer has.
    for stale in fs::read_dir(to).unwrap().map(Result::unwrap) {
        let (path, name) = (stale.path(), stale.file_name());
        if name == "target" || from.join(&name).exists() {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            if entry.file_name() != "target" {
                copy(&path, &target);
            }
        } else if fs::read(&path).ok() != fs::read(&target).ok() {
            // Unchanged files keep their time, so that a second run builds only what is new.
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Runs cargo in the copy and gives what it printed.
fn cargo(root: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .current_dir(root)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
    assert!(output.status.success(), "cargo {}:\n{}\n{}", args.join(" "), text[0], text[1]);
    text[0].clone()
}

#[test]
fn a_toy_model_is_one_file_and_one_line() {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("toy");
    let list = "crates/kernel/src/bristle/mod.rs";
    for part in ["crates", "data", "scenarios"] {
        copy(&project.join(part), &root.join(part));
    }
    for file in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
        fs::copy(project.join(file), root.join(file)).unwrap();
    }
    fs::write(root.join("crates/kernel/src/bristle/toy.rs"), TOY).unwrap();
    let text = fs::read_to_string(project.join(list)).unwrap();
    let line = "    dahl::Dahl<AnyLaw>,\n";
    assert_eq!(text.matches(line).count(), 1);
    fs::write(root.join(list), text.replace(line, &format!("{line}    toy::Toy<AnyLaw>,\n")))
        .unwrap();

    let run =
        ["test", "--offline", "-p", "bristle-kernel", "--test", "contract", "--test", "energy"];
    cargo(&root, &run);
    let scenario = "[system]\nmodel = \"belt\"\n[system.drive]\nvalue = 0.1\n\
                    [friction]\nmodel = \"toy\"\n[run]\nend = 1.0\n";
    fs::write(root.join("toy.toml"), scenario).unwrap();
    let run =
        ["run", "--offline", "-q", "-p", "bristle-scenario", "--example", "simulate", "toy.toml"];
    let shown = cargo(&root, &run);
    assert!(shown.starts_with("toy: a bristle that forgets"), "{shown}");
    assert!(shown.contains("tau in s: forgetting time, eq. (1)"), "{shown}");
    assert!(shown.contains("t = 1 s"), "{shown}");
}
