//! Analysis as its user meets it: `bristle audit`, `linearize`, `compare` and `map`.
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program says and how it ends, with results in a folder of their own.
fn bristle(name: &str, args: &[&str]) -> (String, PathBuf) {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&out);
    let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .current_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(args)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap()).concat();
    let text = text.replace(&out.display().to_string(), "OUT");
    let code = output.status.code().unwrap();
    (format!("$ bristle {}\n{text}[exit {code}]\n", args.join(" ")), out)
}

fn summary(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn linearize_shows_poles_and_zeros() {
    let (text, folder) = bristle("linearize-frbd", &["linearize", "frbd", "--at", "0.005"]);
    insta::assert_snapshot!(text);
    let found = summary(&folder);
    // Row `lumped` at 0 Hz of the reference is −38.9 s/m with ν = 0.04; here ν = 0.
    assert_eq!(found["poles"].as_array().unwrap().len(), 1);
    assert!(folder.join("figure.svg").exists() && folder.join("bode.csv").exists());
    let (text, _) = bristle("linearize-belt", &["linearize", "scenarios/belt.toml"]);
    insta::assert_snapshot!(text);
}

#[test]
fn audit_gives_a_verdict_with_its_reason() {
    let (text, folder) = bristle("audit-frbd", &["audit", "frbd"]);
    assert!(text.contains("passive          yes: 000 Lemma III.2"), "{text}");
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    assert_eq!(summary(&folder)["passivity"]["verdict"], "passive");
    let lugre = ["audit", "lugre", "--set", "friction.set=frbd-table-2"];
    let (text, folder) = bristle("audit-lugre", &lugre);
    assert!(text.contains("passive          no: gives out"), "{text}");
    assert!(summary(&folder)["passivity"]["work_J"].as_f64().unwrap() < 0.0);
    let line = ["audit", "scenarios/line-step.toml", "--set", "line.pressure=parabolic"];
    let (text, folder) = bristle("audit-line", &line);
    assert!(text.contains("gives out"), "{text}");
    assert_eq!(summary(&folder)["passive"], false);
}

#[test]
fn compare_and_map_report_what_they_found() {
    let (text, folder) = bristle("compare-two", &["compare", "implicit", "dahl", "--quiet"]);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    let models = summary(&folder)["models"].as_array().unwrap().clone();
    assert_eq!(
        (&models[0]["model"], &models[0]["holds_a_stick"]),
        (&"implicit".into(), &"yes".into())
    );
    let (text, folder) = bristle("map", &["map", "scenarios/rotating-hysteresis.toml"]);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    assert!(summary(&folder)["supplied_J"].as_f64().unwrap() > 0.0);
}

#[test]
fn wrong_input_is_refused_with_what_to_do() {
    for (name, args) in [
        ("unknown", &["audit", "lugree"][..]),
        ("stray", &["audit", "frbd", "--set", "friction.sigma_0=1"]),
        ("negative-load", &["audit", "frbd", "--load=-1"]),
        ("no-map", &["map", "scenarios/belt.toml"]),
        ("no-output", &["linearize", "scenarios/belt.toml", "--output", "y"]),
        ("no-model", &["compare", "lugree"]),
    ] {
        insta::assert_snapshot!(name, bristle(&format!("wrong-{name}"), args).0);
    }
}
