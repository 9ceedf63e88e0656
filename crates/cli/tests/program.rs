//! The program as its user meets it: standard output, standard error and exit code.
use std::process::Command;

/// Runs `bristle` and shows all three.
fn bristle(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bristle")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!(
        "$ bristle {}\n{}{}[exit {}]\n",
        args.join(" "),
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap()
    )
}

#[test]
fn models_lists_everything() {
    insta::assert_snapshot!(bristle(&["models"]));
}

#[test]
fn models_explains_one() {
    insta::assert_snapshot!(bristle(&["models", "frbd"]));
    insta::assert_snapshot!(bristle(&["models", "tabulated"]));
    insta::assert_snapshot!(bristle(&["models", "frbd_planar"]));
    insta::assert_snapshot!(bristle(&["models", "lugre"]));
    insta::assert_snapshot!(bristle(&["models", "viscoelastic-table-1"]));
}

#[test]
fn models_speaks_json() {
    insta::assert_snapshot!(bristle(&["models", "sawtooth", "--json"]));
    let output = Command::new(env!("CARGO_BIN_EXE_bristle")).args(["models", "--json"]).output();
    let all: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    for entry in all.as_array().unwrap() {
        for key in ["name", "kind", "title", "description", "source", "parameters"] {
            assert!(!entry[key].is_null(), "{key} of {}", entry["name"]);
        }
        for p in entry["parameters"].as_array().unwrap() {
            for key in ["name", "kind", "unit", "start", "meaning", "equation"] {
                assert!(!p[key].is_null(), "{key} of {} of {}", p["name"], entry["name"]);
            }
        }
    }
}

#[test]
fn wrong_input_is_refused_with_what_to_do() {
    insta::assert_snapshot!(bristle(&["models", "frdb"]));
    insta::assert_snapshot!(bristle(&["models", "quite something else"]));
    insta::assert_snapshot!(bristle(&["modles"]));
}
