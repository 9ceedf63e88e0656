//! Rolling contact as its user meets it: `bristle patch` and `bristle line`.
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of its own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// What the program says and how it ends, with results in a folder of their own.
fn bristle(name: &str, args: &[&str]) -> (String, PathBuf) {
    let out = folder(name);
    let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .current_dir(project())
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

fn json(name: &str, args: &[&str]) -> Value {
    let (text, _) = bristle(name, &[args, &["--json"]].concat());
    let body = text.split_once('\n').unwrap().1.rsplit_once("[exit 0]").unwrap().0.to_owned();
    serde_json::from_str(&body).unwrap()
}

fn files(folder: &PathBuf) -> Vec<String> {
    let names =
        fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// 004 Table 1 at σ = (0.08, 0.08), φ₁ = 3: the row of the reference.
#[test]
fn flags_alone_give_the_numbers_of_the_paper() {
    let flags = [
        "patch",
        "steady",
        "--model",
        "3",
        "--sigma-x",
        "0.08",
        "--sigma-y",
        "0.08",
        "--phi1",
        "3",
    ];
    let summary = json("steady", &flags);
    let force = summary["steady"]["Fx_N"].as_f64().unwrap();
    assert!((force - 1232.458).abs() < 2e-3, "{force}");
    assert!(summary["steady"]["est_error"].as_f64().unwrap() <= 1e-6);
    assert_eq!(summary["passivity"]["holds"], false);
    assert!(summary["energy_per_metre"]["residual"].as_f64().unwrap().abs() < 1e-6);
    assert_eq!(summary["friction"]["parameters"]["matrix.law.mu_d"], 0.7);
}

/// A scenario's rolling, slip by slip and as a whole, says the same.
#[test]
fn surfaces_hold_the_points_that_steady_rolling_has() {
    let file = "scenarios/patch-bend.toml";
    let small = ["--set", "surface.sigma_x_points=5", "--set", "surface.sigma_y_points=3"];
    let (text, out) = bristle("surface", &[&["patch", "surface", file], &small[..]].concat());
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    let all = [".made-by.json", "figure.png", "figure.svg", "summary.json", "surface.csv"];
    assert_eq!(files(&out), all);
    let table = fs::read(out.join("surface.csv")).unwrap();
    let table = bristle_trace::read_csv(table.as_slice()).unwrap();
    assert_eq!(table.rows(), 15);
    let at = |name: &str, row: usize| table.column(name).unwrap().values[row];
    let (x, y) = (at("sigma_x", 4).to_string(), at("sigma_y", 4).to_string());
    let one = json("one", &["patch", "steady", file, "--sigma-x", &x, "--sigma-y", &y]);
    let (surface, point) = (at("Fx", 4), one["steady"]["Fx_N"].as_f64().unwrap());
    assert!((surface - point).abs() < 2e-6 * 4000.0, "{surface} and {point}");
}

/// Fig. 12: settled after 2a = 0.15 m in the steady state.
#[test]
fn transients_end_in_the_steady_state() {
    let file = "scenarios/patch-step.toml";
    let (run, rest) =
        (json("step", &["patch", "transient", file]), json("rest", &["patch", "steady", file]));
    let end = run["columns"]["Fx"]["end"].as_f64().unwrap();
    let steady = rest["steady"]["Fx_N"].as_f64().unwrap();
    assert!((end / steady - 1.0).abs() < 1e-5, "{end} and {steady}");
    assert!(run["columns"]["Fx"]["relaxation_length_m"].as_f64().unwrap() < 0.15);
    assert!(run["energy"]["residual"].as_f64().unwrap().abs() < 1e-3);
    assert!((rest["settling_distance_m"].as_f64().unwrap() - 0.15).abs() < 1e-9);
    // With a patch that changes: the same contact, followed back along its paths.
    let coarse = ["--set", "transient.distance=0.06", "--set", "transient.step=0.03"];
    let grown = ["--set", "transient.a={model=\"points\", t=[0, 0.06], value=[0.06, 0.075]}"];
    let round = ["--set", "patch.n=2", "--set", "patch.m=2", "--accuracy", "1e-3"];
    let args = [&["patch", "transient", file], &coarse[..], &grown[..], &round[..]].concat();
    let end = json("grown", &args)["columns"]["Fx"]["end"].as_f64().unwrap();
    assert!(end > 0.5 * steady && end < steady, "{end}");
}

#[test]
fn lines_roll_with_any_linear_model() {
    let file = "scenarios/line-step.toml";
    let summary = json("line", &["line", file]);
    let (end, steady) = (
        summary["columns"]["F"]["end"].as_f64().unwrap(),
        summary["steady_at_the_end"]["F_N"].as_f64().unwrap(),
    );
    assert!((end - steady).abs() < 1e-12, "{end} and {steady}");
    assert!(
        summary["accuracy_reached"] == true && summary["worst_est_error"].as_f64().unwrap() <= 1e-6
    );
    // Both sides of the jump are rows: the step is drawn upright.
    let (_, out) = bristle("line-rows", &["line", file, "--no-figure"]);
    let trace = fs::read_to_string(out.join("trace.csv")).unwrap();
    let jump: Vec<&str> = trace.lines().filter(|l| l.starts_with("0.008,")).collect();
    assert!(
        jump.len() == 2 && jump[0].starts_with("0.008,1,") && jump[1].starts_with("0.008,-0.5,")
    );
    let dahl = json("dahl", &["line", file, "--set", "friction.model=dahl"]);
    assert!(dahl["columns"]["F"]["end"].as_f64().unwrap() < 0.0);
    let (refused, _) = bristle(
        "implicit",
        &[
            "line",
            file,
            "--set",
            "friction.model=implicit",
            "--set",
            "friction.set=lugre-or-not-set-1",
        ],
    );
    assert!(
        refused.contains("not linear in its state") && refused.ends_with("[exit 2]\n"),
        "{refused}"
    );
}

#[test]
fn a_table_of_cases_comes_back_with_its_results() {
    let out = folder("cases");
    fs::create_dir_all(&out).unwrap();
    let (input, output) = (out.join("in.csv"), out.join("out.csv"));
    let reference = project().join("data/reference/rolling/steady_random.csv");
    let text = fs::read_to_string(reference).unwrap();
    let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).take(6).collect();
    let cut = |line: &&str| line.split(',').take(10).collect::<Vec<_>>().join(",") + "\n";
    fs::write(&input, rows.iter().map(cut).collect::<String>()).unwrap();
    let run = |accuracy: &str| {
        Command::new(env!("CARGO_BIN_EXE_bristle"))
            .args(["patch", "steady", "--accuracy", accuracy, "--cases"])
            .arg(&input)
            .arg("--out")
            .arg(&output)
            .output()
            .unwrap()
    };
    assert!(run("1e-6").status.success());
    let solved = fs::read_to_string(&output).unwrap();
    assert!(
        solved.lines().next().unwrap().ends_with("V_r,Fx_N,Fy_N,Mz_Nm,Mz_deformed_Nm,est_error")
    );
    for (ours, row) in solved.lines().zip(&rows).skip(1) {
        let number = |line: &str| -> f64 { line.split(',').nth(10).unwrap().parse().unwrap() };
        let (a, b) = (number(ours), number(row));
        assert!((a - b).abs() < 1e-6 * b.abs().max(100.0), "{a}, not {b}");
    }
    let wrong = run("-1");
    assert_eq!(wrong.status.code(), Some(2));
    fs::write(&input, "sigma_x,model\n0.1,4\n").unwrap();
    let wrong = String::from_utf8(run("1e-6").stderr).unwrap();
    assert!(wrong.contains("line 2: model = 4 must be one of 1, 2, 3"), "{wrong}");
}

/// Without what rounding leaves and error estimates say, which differ between machines.
fn settled(text: &str) -> String {
    let word = |word: &str| match word.trim_end_matches([';', ',', '\n']).parse::<f64>() {
        Ok(x) if x != 0.0 && x.abs() < 1e-5 => "~0".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

/// A table beside the file, deflections beside the trace; what is not reached is not claimed.
#[test]
fn lines_change_along_their_length_and_in_time() {
    let (text, out) = bristle("heterogeneous", &["line", "scenarios/line-heterogeneous.toml"]);
    assert!(text.contains("5 points along the line: ") && text.ends_with("[exit 0]\n"), "{text}");
    let all =
        [".made-by.json", "figure.png", "figure.svg", "profiles.csv", "summary.json", "trace.csv"];
    assert_eq!(files(&out), all);
    let profiles = fs::read_to_string(out.join("profiles.csv")).unwrap();
    assert!(
        profiles.starts_with("t [s],xi [1],x [m],p [N/m],f [1],z [m]\n0,0,0,0.2,"),
        "{profiles:.80}"
    );
    let breathing = json("breathing", &["line", "scenarios/line-breathing.toml"]);
    let length = &breathing["columns"]["L"];
    let [least, most] = ["min", "max"].map(|name| length[name].as_f64().unwrap());
    assert!((least - 0.08).abs() < 1e-4 && (most - 0.12).abs() < 1e-4, "{length}");
    let asked = ["line", "scenarios/line-breathing.toml", "--set", "run.accuracy=1e-18"];
    let summary = json("unreached", &[&asked[..], &["--set", "run.points=3"]].concat());
    assert_eq!(summary["accuracy_reached"], false);
    let (text, _) = bristle("unreached-text", &[&asked[..], &["--set", "run.points=3"]].concat());
    assert!(text.contains("more than was asked for"), "{text}");
}

#[test]
fn rolling_is_reported() {
    let steady = ["patch", "steady", "--sigma-x", "0.08", "--sigma-y", "0.04", "--phi1", "1.5"];
    let small = ["--set", "surface.sigma_x_points=5", "--set", "surface.sigma_y_points=3"];
    let surface = [&["patch", "surface"], &small[..]].concat();
    for (name, args) in [
        ("steady", &steady[..]),
        ("surface", &surface),
        ("transient", &["patch", "transient", "scenarios/patch-step.toml"]),
        ("line", &["line", "scenarios/line-step.toml"]),
        ("wrong-patch", &["patch", "surface", "--pressure", "flat", "--load", "-1"]),
        ("wrong-line", &["line", "scenarios/line-step.toml", "--set", "friction.model=frdb"]),
        ("no-line", &["line", "scenarios/belt.toml"]),
        ("no-threads", &["patch", "surface", "--threads", "0"]),
    ] {
        insta::assert_snapshot!(name, settled(&bristle(&format!("said-{name}"), args).0));
    }
}

#[test]
fn wrong_input_is_refused_with_all_its_faults() {
    let (text, out) = bristle(
        "wrong",
        &["patch", "steady", "--set", "rolling.sigmax=1", "--pressure", "flat", "--v-r", "-1"],
    );
    for fault in [
        "patch.pressure = \"flat\" must be one of \"const\", \"parab\", \"exp\", \"pexp\"",
        "`rolling` has no parameter `rolling.sigmax`; did you mean `rolling.sigma_x`?",
        "v_r = -1 m/s is outside [1e-9, 1e6]",
        "[exit 2]",
    ] {
        assert!(text.contains(fault), "{fault} is not in {text}");
    }
    assert!(!out.exists(), "nothing is written");
    // What would not be heard is not taken.
    for (args, fault) in [
        (
            &["patch", "steady", "--cases", "IN.csv", "--sigma-x", "0.1"][..],
            "'--cases <IN.csv>' cannot be used with '--sigma-x <NUMBER>'",
        ),
        (&["patch", "steady", "--set", "patch.model=3"], "`patch` has no parameter `patch.model`"),
        (
            &["patch", "surface", "--set", "surface.sigma_x_from=1"],
            "sigma_x_to = 1 must be greater than where it begins, 1",
        ),
        (
            &["patch", "surface", "--set", "surface.sigma_y_points=2.5"],
            "sigma_y_points = 2.5 must be whole, such as 3",
        ),
        (
            &["line", "scenarios/line-step.toml", "--set", "run.points=20.5"],
            "points = 20.5 must be whole, such as 21",
        ),
        (&["patch", "steady", "--model", "4"], "must be one of \"1\", \"2\", \"3\"\n"),
        (&["patch", "steady", "--cases", "no.csv"], "name a table of cases, as in docs/rolling.md"),
        (
            &["patch", "transient", "--set", "transient.step=0.5"],
            "step = 0.5 m must be at most the distance, 0.3",
        ),
        (
            &[
                "line",
                "scenarios/line-step.toml",
                "--set",
                "line.rate_slope=0.5",
                "--set",
                "transport.model=constant",
            ],
            "line.rate_slope = 0.5 must be 0 or absent with [transport] or [length]",
        ),
    ] {
        let (text, _) = bristle("unheard", args);
        assert!(text.contains(fault) && text.ends_with("[exit 2]\n"), "{fault} is not in {text}");
    }
    let (text, _) = bristle("centre", &["patch", "steady", "--phi1", "40"]);
    assert!(text.contains("tilting centre") && text.ends_with("[exit 2]\n"), "{text}");
}
