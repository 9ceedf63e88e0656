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
    // Two files with one model are told apart by the files' names.
    let files = ["scenarios/belt.toml", "scenarios/pulse.toml"];
    let (text, folder) = bristle("compare-files", &["compare", files[0], files[1], "--quiet"]);
    assert!(text.contains("\nlugre (belt) ") && text.contains("\nlugre (pulse) "), "{text}");
    assert_eq!(summary(&folder)["models"][0]["name"], "lugre (belt)");
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

/// Without what differs between machines: rounding, and the cost at the end of a row.
fn settled(text: &str) -> String {
    let word = |word: &str| match word.trim_end_matches([';', ',']).parse::<f64>() {
        Ok(x) if x != 0.0 && x.abs() < 1e-11 => "~0".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| {
        let words: Vec<String> = line.split(' ').map(word).collect();
        let row = words.len() > 20 && words.iter().any(|w| w == "%");
        let kept = if row {
            words.len() - words.iter().rev().position(|w| w == "yes" || w == "no").unwrap()
        } else {
            words.len()
        };
        words[..kept].join(" ") + "\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn audits_and_comparisons_are_reported() {
    for (name, args) in [
        ("audit-frbd", &["audit", "frbd"][..]),
        ("audit-lugre", &["audit", "lugre"]),
        ("audit-belt", &["audit", "scenarios/belt.toml"]),
        ("audit-line", &["audit", "scenarios/line-step.toml"]),
        ("compare", &["compare", "static", "frbd", "implicit"]),
        ("linearize-plane", &["linearize", "frbd_planar"]),
        ("loop", &["loop", "frbd", "--amplitude", "1e-4"]),
    ] {
        insta::assert_snapshot!(name, settled(&bristle(&format!("said-{name}"), args).0));
    }
}

/// LuGre's form has a negative value where σ₁|v| > 4μN; here ν = 0 and μ = 1 at that speed.
#[test]
fn audit_says_up_to_which_speed_lugre_is_passive() {
    let (_, folder) = bristle("audit-edge", &["audit", "lugre", "--load", "2"]);
    let form = summary(&folder)["dissipation"]["form"].clone();
    let edge = form["definite_up_to_mps"].as_f64().unwrap();
    assert!((edge * 64.5 / 4.0 - 1.0).abs() < 1e-9, "{form}");
    let (_, folder) = bristle("audit-no-edge", &["audit", "frbd"]);
    let form = summary(&folder)["dissipation"]["form"].clone();
    assert_eq!((form["b"].as_f64(), form["definite_up_to_mps"].as_f64()), (Some(0.0), None));
}

/// Friction over position takes energy whichever way it goes, unless its bristles only lean to and fro.
#[test]
fn friction_over_position_is_shown_forth_and_back() {
    for model in ["sawtooth", "rotating_discontinuous", "rotating"] {
        let (text, folder) = bristle(&format!("audit-{model}"), &["audit", model]);
        assert!(text.ends_with("[exit 0]\n"), "{text}");
        let table = fs::read(folder.join("loops.csv")).unwrap();
        let table = bristle_trace::read_csv(table.as_slice()).unwrap();
        let column = |name: &str| &table.column(name).unwrap().values;
        let steps = column("x").windows(2).zip(column("F").windows(2));
        let work: f64 = steps.map(|(x, f)| 0.5 * (f[0] + f[1]) * (x[1] - x[0])).sum();
        let most = column("F").iter().fold(0.0f64, |m, f| m.max(f.abs()));
        let way = column("x").iter().fold(0.0f64, |m, x| m.max(*x));
        // A way shorter than the body releases no rotating bristle: all that was stored is given back.
        if model == "rotating" {
            assert!(work.abs() < 1e-9 * most * way, "{model}: {work} J over {way} m");
            continue;
        }
        assert!(work > 0.01 * most * way, "{model}: {work} J over {way} m");
        let both = column("F").iter().zip(column("v"));
        both.for_each(|(f, v)| assert!(f * v >= 0.0, "{model}: {f} N at {v} m/s"));
    }
}

/// The loop of frbd at rest about: its area is the work a damper of the equivalent damping takes, πcωA².
#[test]
fn a_loop_comes_with_its_describing_function() {
    let args = ["loop", "frbd", "--amplitude", "1e-4", "--frequency", "2"];
    let (text, folder) = bristle("loop-frbd", &args);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    let found = summary(&folder);
    let number = |key: &str| found[key].as_f64().unwrap();
    let (area, damping) = (number("area_over_position_J"), number("equivalent_damping_Ns_per_m"));
    let pi = std::f64::consts::PI;
    assert!((area / (2.0 * pi * pi * 2.0 * damping * 1e-8) - 1.0).abs() < 1e-9);
    // By Parseval's identity the area is πA² times the imaginary part of the describing function.
    let imaginary = found["describing_function_N_per_m"][1].as_f64().unwrap();
    assert!((area / (pi * 1e-8 * imaginary) - 1.0).abs() < 1e-6, "{area} {imaginary}");
    assert!(folder.join("loop.csv").exists() && folder.join("figure.png").exists());
}

/// The stick-slip of 000 (60), whose period is known.
#[test]
fn a_cycle_has_the_period_of_the_reference() {
    for (model, expected) in [("frbd", 7.639_267_026_0), ("lugre", 7.630_918_378_0)] {
        let set = format!("friction.model={model}");
        let args = ["cycle", "scenarios/stick-slip.toml", "--set", &set];
        let (text, folder) = bristle(&format!("cycle-{model}"), &args);
        let period = summary(&folder)["period_s"].as_f64().unwrap();
        assert!((period - expected).abs() < 1e-8, "{model}: {period} s\n{text}");
    }
}

/// Stick-slip on a belt, and the speed at which it ends.
#[test]
fn a_cycle_is_found_with_its_multipliers() {
    let (text, folder) = bristle("cycle-belt", &["cycle", "scenarios/belt.toml"]);
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    let found = summary(&folder);
    let period = found["period_s"].as_f64().unwrap();
    assert!(found["gap"].as_f64().unwrap() < 1e-9, "{text}");
    for m in found["multipliers"].as_array().unwrap() {
        assert!(m[0].as_f64().unwrap().hypot(m[1].as_f64().unwrap()) < 1.0, "{text}");
    }
    let there = found["ends"]["there_mps"].as_f64().unwrap();
    // At a speed beyond the end there is none; the program says so and ends with 1.
    let gone = format!("system.drive.value={}", 1.01 * found["ends"]["gone_mps"].as_f64().unwrap());
    let (text, _) = bristle("cycle-gone", &["cycle", "scenarios/belt.toml", "--set", &gone]);
    assert!(text.contains("there is no stick-slip") && text.ends_with("[exit 1]\n"), "{text}");
    assert!(there > 0.1 && period > 5.0, "{there} {period}");
}

/// A joint turns: radians and newton-metres, in the names of the numbers and of the columns too.
#[test]
fn a_cycle_of_a_joint_is_told_in_its_units() {
    let args = ["cycle", "scenarios/arm-uncompensated.toml"];
    let (text, folder) = bristle("cycle-arm", &args);
    assert!(text.ends_with("[exit 0]\n") && !text.contains("m/s"), "{text}");
    let found = summary(&folder);
    assert!(found["amplitude_rad"].is_number() && found["force_Nm"].is_array(), "{found}");
    let table = std::fs::read_to_string(folder.join("cycle.csv")).unwrap();
    let head = table.lines().next().unwrap();
    assert!(head.contains("[rad]") && head.contains("[rad/s]"), "{head}");
    assert!(!head.contains("[m]") && !head.contains("[N]"), "{head}");
}

#[test]
fn wrong_input_is_refused_with_what_to_do() {
    for (name, args) in [
        ("unknown", &["audit", "lugr"][..]),
        ("far-from-any", &["audit", "quite something else"]),
        ("plane", &["audit", "frbd_planar"]),
        ("load-of-a-file", &["audit", "scenarios/belt.toml", "--load", "2"]),
        ("at-of-a-system", &["linearize", "scenarios/belt.toml", "--at", "0.1"]),
        ("output-of-a-model", &["linearize", "frbd", "--output", "x"]),
        ("from-above-to", &["linearize", "frbd", "--from", "10", "--to", "1"]),
        ("amplitude", &["loop", "frbd", "--amplitude", "-1"]),
        ("no-loop", &["loop", "sawtooth"]),
        ("no-system", &["cycle", "frbd"]),
        ("no-cycle", &["cycle", "scenarios/valve-ramps.toml"]),
        ("stray", &["audit", "frbd", "--set", "friction.sigma_0=1"]),
        ("negative-load", &["audit", "frbd", "--load", "-1"]),
        ("no-map", &["map", "scenarios/belt.toml"]),
        ("no-output", &["linearize", "scenarios/belt.toml", "--output", "y"]),
        ("no-model", &["compare", "lugree"]),
    ] {
        insta::assert_snapshot!(name, bristle(&format!("wrong-{name}"), args).0);
    }
}

/// Without load there is nothing to look at; NaN and inf stood in reports.
#[test]
fn a_contact_without_load_is_refused() {
    let system =
        ["audit", "loop", "cycle"].map(|c| [c, "scenarios/belt.toml", "--set", "system.load=0"]);
    let model = ["loop", "linearize", "audit", "compare"].map(|c| [c, "lugre", "--load", "1e-300"]);
    for args in system.iter().chain(&model) {
        let (text, folder) = bristle("no-load", args);
        assert!(text.contains("N is outside [1e-9, 1e12]"), "{text}");
        assert!(text.ends_with("[exit 2]\n") && !folder.exists(), "{text}");
    }
}

#[test]
fn a_response_is_printed_at_the_frequencies_asked_for() {
    let args = ["linearize", "frbd", "--at", "0.005", "--frequencies", "0.5,10,2e3"];
    let (text, folder) = bristle("linearize-at", &args);
    assert!(text.contains("frequency Hz          |F/v|  phase degrees\n"), "{text}");
    let found = summary(&folder);
    let response = found["response"].as_array().unwrap();
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|m| found[m][0][0].as_f64().unwrap());
    for (row, f) in response.iter().zip([0.5, 10.0, 2e3]) {
        assert_eq!(row["frequency_Hz"], f);
        // D + CB/(iω − A)
        let (omega, value) = (std::f64::consts::TAU * f, &row["value"]);
        let size = a * a + omega * omega;
        let expected = [d - c * b * a / size, -c * b * omega / size];
        for (k, x) in expected.iter().enumerate() {
            assert!((value[k].as_f64().unwrap() - x).abs() < 1e-9 * (x.abs() + d.abs()), "{row}");
        }
    }
    let (text, _) = bristle("linearize-none", &["linearize", "frbd", "--frequencies", "1,-2"]);
    assert!(text.contains("--frequencies -2 Hz is outside (0, inf)"), "{text}");
    let (text, _) =
        bristle("linearize-two", &["linearize", "frbd", "--frequencies", "1", "--to", "9"]);
    assert!(text.ends_with("[exit 2]\n"), "{text}");
}
