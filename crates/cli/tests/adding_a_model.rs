//! Adding a model, a law, a mechanism or a signal is one file and one line.
//!
//! A copy of the project gets one of each that way, and nothing else. They pass the contract and energy tests, which know
//! no names; the program lists them and has them in its schema, and a scenario that names all four is run, recorded,
//! drawn, linearised and audited.
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

const LAW: &str = r#"
//! A law that falls with speed.
use crate::{Law, Params};
use bristle_num::Real;

/// Friction that falls with the square of speed.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "falling", title = "falls with the square of speed", source = "this test")]
pub struct Falling<S> {
    /// friction coefficient at rest
    #[param(unit = "1", start = 1.0, range = "(0, inf)", eq = "(1)")]
    pub mu: S,
}

impl<S: Real> Law<S> for Falling<S> {
    fn dry(&self, v: S) -> S {
        self.mu * 0.5 * (S::from(1.0) + S::from(1.0) / (S::from(1.0) + v * v))
    }
    fn dry_slope(&self, v: S) -> S {
        let square = S::from(1.0) + v * v;
        -(self.mu * v.abs() / (square * square))
    }
    fn bounds(&self) -> [S; 2] {
        [self.mu * 0.5, self.mu]
    }
    fn pieces(&self) -> usize {
        2
    }
    fn piece(&self, i: usize) -> S {
        S::from([0.0, 1.0 / 3f64.sqrt()][i])
    }
}
"#;

const MECHANISM: &str = r#"
//! A cart behind a spring and a damper whose end moves.
use super::{Mechanism, driven_by, on_ground, one_body};
use crate::signal::Signal;
use bristle_kernel::{Drive, Params, Real};

/// A cart behind a spring and a damper.
#[derive(Clone, Debug, Params)]
#[params(name = "cart", title = "cart behind a spring and a damper", source = "this test")]
pub struct Cart<S, L> {
    /// mass
    #[param(unit = "kg", start = 1.0, range = "(0, inf)", eq = "(1)")]
    pub mass: S,
    /// damping
    #[param(unit = "N*s/m", start = 3.0, range = "[0, inf)", eq = "(1)")]
    pub damping: S,
    /// velocity of the end, m/s
    #[param(nested)]
    pub drive: L,
}

impl<L: Signal> Mechanism for Cart<f64, L> {
    driven_by!("v_end", "m/s");
    one_body!();

    fn drive<S: Real>(&self, _i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        on_ground(y, 2.0)
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let u = self.drive.value(t, phase[0]);
        dy[0] = y[1];
        dy[1] = (-(y[0] * 50.0) - (y[1] - u) * self.damping - force[0]) / self.mass;
    }
}
"#;

const SIGNAL: &str = r#"
//! A course that settles.
use super::Signal;
use bristle_kernel::{Params, Real};

/// Rises from zero and settles.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "settling", title = "rises from zero and settles", source = "this test")]
pub struct Settling<S> {
    /// last value, in the unit of the drive
    #[param(unit = "drive", start = 1.0, range = "(-inf, inf)", eq = "(1)")]
    pub last: S,
}

impl Signal for Settling<f64> {
    fn value<S: Real>(&self, t: S, _phase: usize) -> S {
        (S::from(1.0) - (-t).exp()) * self.last
    }
    fn integral<S: Real>(&self, t: S, _phase: usize) -> S {
        (t + (-t).exp() - 1.0) * self.last
    }
    fn smooth_for(&self) -> f64 {
        1.0
    }
}
"#;

/// The file of each, its list, the line in it after which its own comes, and that line.
const ADDED: [(&str, &str, &str, &str, &str); 4] = [
    (
        "crates/kernel/src/bristle/toy.rs",
        TOY,
        "crates/kernel/src/bristle/mod.rs",
        "    dahl::Dahl<AnyLaw>,\n",
        "    toy::Toy<AnyLaw>,\n",
    ),
    (
        "crates/kernel/src/law/falling.rs",
        LAW,
        "crates/kernel/src/law/mod.rs",
        "    coulomb::Coulomb<>,\n",
        "    falling::Falling<>,\n",
    ),
    (
        "crates/system/src/mechanism/cart.rs",
        MECHANISM,
        "crates/system/src/mechanism/mod.rs",
        "    belt::Belt<AnySignal>,\n",
        "    cart::Cart<AnySignal>,\n",
    ),
    (
        "crates/system/src/signal/settling.rs",
        SIGNAL,
        "crates/system/src/signal/mod.rs",
        "    sine::Sine<>,\n",
        "    settling::Settling<>,\n",
    ),
];

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
        // What is compiled here runs once and briefly.
        .env("BRISTLE_ONLY", "toy,falling")
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
    assert!(output.status.success(), "cargo {}:\n{}\n{}", args.join(" "), text[0], text[1]);
    text[0].clone()
}

/// Runs the copy's program and gives what it printed.
fn bristle(root: &Path, args: &[&str]) -> String {
    let program = root.join("target/debug/bristle");
    let output = Command::new(program).args(args).current_dir(root).output().unwrap();
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
    assert!(output.status.success(), "{}:\n{}\n{}", args.join(" "), text[0], text[1]);
    text[0].clone()
}

#[test]
fn one_of_each_is_one_file_and_one_line() {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("toy");
    for part in ["crates", "data", "python", "scenarios"] {
        copy(&project.join(part), &root.join(part));
    }
    for file in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
        fs::copy(project.join(file), root.join(file)).unwrap();
    }
    for (file, code, list, after, line) in ADDED {
        fs::write(root.join(file), code).unwrap();
        let text = fs::read_to_string(project.join(list)).unwrap();
        assert_eq!(text.matches(after).count(), 1, "{list}");
        fs::write(root.join(list), text.replace(after, &format!("{after}{line}"))).unwrap();
    }

    cargo(
        &root,
        &[
            "test",
            "--offline",
            "-p",
            "bristle-contract",
            "--test",
            "contract",
            "--",
            "contract::",
            "energy::",
        ],
    );
    cargo(&root, &["build", "--offline", "-p", "bristle-cli"]);
    let names = ["toy", "falling", "cart", "settling"];
    let schema = bristle(&root, &["schema", "run"]);
    for name in names {
        let explained = bristle(&root, &["models", name]);
        assert!(explained.starts_with(&format!("{name}: ")), "{explained}");
        assert!(schema.contains(&format!("\"const\": \"{name}\"")), "{name} is not in the schema");
    }
    let scenario = "[system]\nmodel = \"cart\"\n[system.drive]\nmodel = \"settling\"\nlast = 0.1\n\
                    [friction]\nmodel = \"toy\"\n[friction.law]\nmodel = \"falling\"\nmu = 0.3\n\
                    [run]\nend = 1.0\n";
    fs::write(root.join("toy.toml"), scenario).unwrap();
    let _ = fs::remove_dir_all(root.join("results"));
    let shown = bristle(&root, &["run", "toy.toml"]);
    assert!(shown.starts_with("cart with toy, 1 s"), "{shown}");
    let trace = fs::read_to_string(root.join("results/toy/trace.csv")).unwrap();
    assert!(
        trace.starts_with("t [s],v_end [m/s],x [m],v [m/s],v_rel [m/s],N [N],F [N],z [m]\n"),
        "{trace}"
    );
    assert!(fs::read_to_string(root.join("results/toy/figure.svg")).unwrap().contains("<svg"));
    let steady = [
        "linearize",
        "toy.toml",
        "--set",
        "system.drive.model=constant",
        "--set",
        "system.drive.value=0",
    ];
    let linear = bristle(&root, &steady);
    assert!(linear.contains("cart with toy, in equilibrium"), "{linear}");
    let audit = bristle(&root, &["audit", "toy.toml"]);
    assert!(audit.contains("passive          yes: W = sigma0 z^2/2"), "{audit}");
}
