//! Units are made with what the program was built with, and what cannot be exported says why.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bristle(words: &[&str]) -> Output {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_bristle")).args(words).current_dir(project).output().unwrap()
}

fn out(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

#[test]
fn units_are_made() {
    let file = out("belt.fmu");
    let made = bristle(&["export", "fmu", "scenarios/belt.toml", "--fmi", "2", "--out", &file]);
    let text = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(text.contains("FMI 2.0, model exchange and co-simulation"), "{text}");
    assert!(
        text.contains("1 inputs, 3 states") && text.contains("directional derivatives: exact"),
        "{text}"
    );
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(&bytes[..4], b"PK\x03\x04");
    let holds = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
    assert!(holds("modelDescription.xml") && holds("resources/bristle.toml") && holds("binaries/"));
}

#[test]
fn what_cannot_be_exported_says_why() {
    let told = |words: &[&str], code: i32, says: &str| {
        let output = bristle(words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(says), "{text}");
    };
    told(&["export", "fmu", "frbdd"], 2, "did you mean `frbd`?");
    told(&["export", "fmu", "frbd_planar"], 2, "export the patch that it rolls in");
    told(&["export", "fmu", "scenarios/line-step.toml"], 2, "a line contact cannot be exported");
    told(&["export", "fmu", "frbd", "--set", "friction.sigma0=-1"], 2, "sigma0");
    told(
        &["export", "fmu", "frbd", "--library", "none.so"],
        1,
        "cargo build --release -p bristle-fmu",
    );
}

#[test]
fn the_list_names_what_there_is() {
    let text = String::from_utf8_lossy(&bristle(&["export"]).stdout).into_owned();
    for what in ["fmu", "bristle.h", "tools/mujoco"] {
        assert!(text.contains(what), "{text}");
    }
}
