//! The program as its user meets it: standard output, standard error and exit code.
use std::fs;
use std::path::PathBuf;
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

/// What has no paper has no empty source, and a system says what it records, with which signs.
#[test]
fn systems_and_signals_are_explained() {
    let sine = bristle(&["models", "sine"]);
    assert!(!sine.contains("source") && !sine.contains("eq. \n"), "{sine}");
    let entries = bristle_system::AnyMechanism::<f64>::CATALOG.iter().map(|info| info.name);
    for system in entries {
        let shown = bristle(&["models", system]);
        for part in ["v_rel", "columns  t [s], ", "signs    F is positive", "[initial] starts"] {
            assert!(shown.contains(part), "{shown}");
        }
    }
    insta::assert_snapshot!(bristle(&["models", "belt"]));
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

/// A line without what depends on the machine or the solver: cost, and rounding in the ledger.
fn settled(line: &str) -> String {
    let rounding = |x: f64| x.abs() < 1e-9;
    match line.rsplit_once(' ') {
        Some((_, "ms")) => "COST".into(),
        Some((rest, last)) if last.contains('e') && last.parse().is_ok_and(rounding) => {
            format!("{} ~0", rest.trim_end())
        }
        _ => line.into(),
    }
}

/// Runs a scenario into a folder of its own and shows what the program says.
fn run(name: &str, args: &[&str]) -> (String, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .current_dir(project)
        .arg("run")
        .args(args)
        .arg("--out")
        .arg(&folder)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap()).concat();
    let text = text.replace(&folder.display().to_string(), "OUT");
    let shown: String = text.lines().map(|line| settled(line) + "\n").collect();
    (
        format!(
            "$ bristle run {}\n{shown}[exit {}]\n",
            args.join(" "),
            output.status.code().unwrap()
        ),
        folder,
    )
}

#[test]
fn run_reports_what_happened_and_writes_it() {
    let settings = ["--set", "friction.model=bristle2", "--set", "run.end=0.2"];
    let (shown, folder) = run("pulse", &[&["scenarios/pulse.toml"], &settings[..]].concat());
    insta::assert_snapshot!(shown);
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let all = [".made-by.json", "figure.png", "figure.svg", "summary.json", "trace.csv"];
    assert_eq!(files, all);
    let trace = bristle_trace::read_csv(fs::read(folder.join("trace.csv")).unwrap().as_slice());
    let trace = trace.unwrap();
    let summary: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
    let last = |name: &str| *trace.column(name).unwrap().values.last().unwrap();
    assert_eq!(last("t"), 0.2);
    assert_eq!(summary["columns"]["x"]["end"], last("x"));
    assert_eq!(summary["friction"]["parameters"]["law.mu_s"], 0.6);
    assert_eq!(summary["ledger"][0]["creates_energy"], true);
}

/// The run does not depend on the rows that are asked for.
#[test]
fn spacing_changes_rows_and_nothing_else() {
    let json = |name: &str, spacing: &str| -> serde_json::Value {
        let spacing = format!("run.spacing={spacing}");
        let (text, _) = run(name, &["scenarios/belt.toml", "--json", "--set", &spacing]);
        let body = text.split_once('\n').unwrap().1.rsplit_once("[exit").unwrap().0.to_owned();
        serde_json::from_str(&body).unwrap()
    };
    let (dense, coarse) = (json("dense", "0.01"), json("coarse", "1"));
    assert_eq!((&dense["rows"], &coarse["rows"]), (&2001.into(), &21.into()));
    for key in ["solver", "ledger", "columns"] {
        assert_eq!(dense[key], coarse[key], "{key}");
    }
}

#[test]
fn a_wrong_scenario_is_refused_with_all_its_faults() {
    insta::assert_snapshot!(run("none", &["scenarios/missing.toml"]).0);
    let settings = [
        "friction.model=lugr",
        "system.mas=2",
        "system.drive.model=sinus",
        "run.end=-1",
        "run.tolerance=tight",
        "figure.panels=[[\"x\"],[\"G\"]]",
    ];
    let mut args = vec!["scenarios/belt.toml"];
    settings.iter().for_each(|s| args.extend(["--set", s]));
    insta::assert_snapshot!(run("faults", &args).0);
    let args = ["scenarios/belt.toml", "--set", "initial.y=1", "--set", "figure.panels=[[\"G\"]]"];
    let (shown, folder) = run("names", &args);
    insta::assert_snapshot!(shown);
    assert!(!folder.exists(), "nothing is written");
    insta::assert_snapshot!(run("setting", &["scenarios/belt.toml", "--set", "run.end"]).0);
    let settings = ["friction.model=frbd_gm", "run.method=fixed", "run.update=end"];
    let settings = settings.map(|s| ["--set", s]).concat();
    let args: Vec<&str> = std::iter::once("scenarios/belt.toml").chain(settings).collect();
    insta::assert_snapshot!(run("fixed", &args).0);
    let names =
        ["scenarios/belt.toml", "--set", "run.method=radua", "--set", "friction.set=frbd-table2"];
    insta::assert_snapshot!(run("near", &names).0);
    insta::assert_snapshot!(
        run("set", &["scenarios/belt.toml", "--set", "friction.model=rotating"]).0
    );
    let law = "figure.panels=[{x = \"x\", y = [\"F\"], law = true}]";
    insta::assert_snapshot!(run("law", &["scenarios/belt.toml", "--set", law]).0);
    let args = ["scenarios/belt.toml", "--set", "run.max_steps=10"];
    let (shown, folder) = run("steps", &args);
    for part in
        ["error: 10 steps were not enough: t = 0.00", "set by `z`; raise the limit", "[exit 1]"]
    {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!folder.exists(), "nothing is written");
}

/// Every scenario in the tree runs, and its books balance to ten times its tolerance.
#[test]
fn every_scenario_runs() {
    let scenarios = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut count = 0;
    for entry in fs::read_dir(scenarios).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy();
        // Rolling contact has commands, and a test, of its own.
        let rolling = stem.starts_with("patch-") || stem.starts_with("line-");
        if rolling || path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let name = format!("all-{stem}");
        let (shown, folder) = run(&name, &[path.to_str().unwrap(), "--json"]);
        assert!(shown.ends_with("[exit 0]\n"), "{shown}");
        let summary: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
        for account in summary["ledger"].as_array().unwrap() {
            let (work, residual) =
                (account["work_J"].as_f64().unwrap(), account["residual_J"].as_f64().unwrap());
            assert!(residual.abs() <= 1e-7 * work.abs(), "{name}: {account}");
        }
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

/// Every model in one scenario: what users do first.
#[test]
fn every_model_runs_on_the_belt() {
    let models = bristle_kernel::AnyBristle::<f64>::CATALOG.iter().map(|i| i.name);
    for model in models {
        let text = "[system]\nmodel = \"belt\"\n[system.drive]\nvalue = 0.1\n[run]\nend = 5.0\n";
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("belt-{model}.toml"));
        fs::write(&file, format!("{text}[friction]\nmodel = \"{model}\"\n")).unwrap();
        let (shown, _) = run(&format!("model-{model}"), &[file.to_str().unwrap()]);
        assert!(shown.ends_with("[exit 0]\n") && !shown.contains("NaN"), "{shown}");
    }
}

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn papers_that_do_not_exist_are_refused() {
    insta::assert_snapshot!(bristle(&["papers", "005"]));
    insta::assert_snapshot!(bristle(&["papers", "002-fg-8"]));
    insta::assert_snapshot!(bristle(&["papers", "002", "--threads", "0"]));
    let shown = bristle(&["papers", "002-fig-99"]);
    assert!(shown.contains("002 has 002-fig-4, ") && !shown.contains("000-"), "{shown}");
    let shown = bristle(&["papers", "002", "--tolerance", "1"]);
    assert!(shown.contains("[1e-12, 1e-6]") && shown.ends_with("[exit 2]\n"), "{shown}");
}

#[test]
fn a_file_of_another_command_says_which() {
    let file = "scenarios/patch-step.toml";
    let (shown, _) = run("other-command", &[file]);
    assert!(shown.contains("take `bristle patch transient` for this one"), "{shown}");
    assert_eq!(shown.lines().count(), 4, "{shown}");
}

/// Another model leaves out what it does not have, and says so.
#[test]
fn what_a_setting_makes_void_is_noted() {
    let args = ["scenarios/arm.toml", "--set", "system.compensation=none", "--set", "run.end=0.01"];
    let (shown, folder) = run("void", &args);
    assert!(shown.contains("note: ") && shown.contains("`F_observer` out"), "{shown}");
    assert!(shown.ends_with("[exit 0]\n"), "{shown}");
    let summary: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["left_out"].as_array().map(Vec::len), Some(1));
    assert!(summary["columns"]["F_joint"].is_object(), "names do not depend on options");
}

/// One figure, and what is written of it.
#[test]
fn a_paper_is_reported() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("paper");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.to_str().unwrap();
    let shown = bristle(&["papers", "002-fig-5", "--json", "--quiet", "--out", out]);
    let body = shown.split_once('\n').unwrap().1.rsplit_once("[exit 0]").unwrap().0;
    let results: serde_json::Value = serde_json::from_str(body).unwrap();
    let rows = results["rows"].as_array().unwrap();
    assert!(rows.len() > 80, "{}", rows.len());
    let drift = rows.iter().find(|r| {
        r["reference_key"] == "pulse_F2_s1_395|LuGre|drift_cycle1_mm" && r["printed"] == "0.02129"
    });
    let drift = drift.unwrap();
    assert_eq!(drift["verdict"], "reproduced");
    let ours = drift["ours"].as_f64().unwrap();
    assert!((ours - drift["reference"].as_f64().unwrap()).abs() < 1e-7 * ours, "{drift}");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("id=\"002-fig-5\"") && !page.contains("NaN"));
    assert!(folder.join("figures/002-fig-5.png").exists());
    assert_eq!(fs::read_to_string(folder.join("results.json")).unwrap(), body);
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let shown = bristle(&["completions", shell]);
        assert!(shown.contains("papers") && shown.ends_with("[exit 0]\n"), "{shell}");
    }
}

/// Every scenario says only what its schema knows. Machines of parts have none.
#[test]
fn schemas_know_every_scenario() {
    let folder = project().join("scenarios");
    let mut models = std::collections::BTreeSet::new();
    let mut count = 0;
    for path in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("[[body]]") {
            continue;
        }
        let schema = text.lines().next().unwrap().strip_prefix("#:schema ").unwrap();
        let schema = fs::read_to_string(folder.join(schema)).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let table: toml::Table = text.parse().unwrap();
        known(&path.display().to_string(), &schema, &table);
        for section in ["system", "friction"] {
            let name = table.get(section).and_then(|s| s.get("model")).and_then(|m| m.as_str());
            models.extend(name.map(str::to_owned));
        }
        count += 1;
    }
    assert!(count > 25);
    let systems = bristle_system::AnyMechanism::<f64>::CATALOG.iter();
    for info in systems.chain(bristle_kernel::AnyBristle::<f64>::CATALOG) {
        assert!(models.contains(info.name), "no scenario has {}", info.name);
    }
}

/// Every key of the table is in the schema, where there are several in the one with its model.
fn known(place: &str, schema: &serde_json::Value, table: &toml::Table) {
    let fits = |one: &&serde_json::Value| {
        let name = one["properties"]["model"]["const"].as_str();
        let keys = table.keys().all(|k| !one["properties"][k].is_null());
        keys && table.get("model").is_none_or(|m| m.as_str() == name)
    };
    let one = match schema["anyOf"].as_array() {
        Some(several) => several.iter().find(fits),
        None => Some(schema),
    };
    let one = one.unwrap_or_else(|| panic!("{place}: no such model with these keys: {table}"));
    for (key, value) in table {
        let inner = &one["properties"][key];
        let free = one["additionalProperties"].is_object();
        assert!(free || !inner.is_null(), "{place}: {key} is not in the schema");
        if let (toml::Value::Table(table), true) = (value, inner.is_object()) {
            known(&format!("{place}: {key}"), inner, table);
        }
    }
}

#[test]
fn results_that_cannot_be_written_leave_nothing() {
    let file = project().join("scenarios/belt.toml");
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    // Where a file is in the way of the folder.
    let blocked = base.join("blocked");
    let _ = fs::remove_file(&blocked);
    fs::write(&blocked, "a file").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .args(["run", file.to_str().unwrap(), "--out", blocked.join("in").to_str().unwrap()])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && error.contains("--out"), "{error}");
    assert_eq!(fs::read_to_string(&blocked).unwrap(), "a file");
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("full");
    let _ = fs::remove_dir_all(&folder);
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" run \"$1\" --out \"$2\"";
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_bristle")])
        .arg(project().join("scenarios/belt.toml"))
        .arg(&folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && error.contains("cannot write"), "{error}");
    assert!(!folder.exists());
    assert_eq!(left_beside(&folder), Vec::<String>::new());
}

/// What programs have left in the folder that holds another one.
fn left_beside(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder.parent().unwrap()).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    // Others that run at the same time have folders of their own there.
    let own = folder.file_name().unwrap().to_str().unwrap().to_owned();
    names.filter(|n| n.contains(".part") || (n.starts_with('.') && n.contains(&own))).collect()
}

/// The results of another scenario are replaced only when that is asked for; those of the same one with a note.
#[test]
fn results_of_another_scenario_are_not_replaced_by_accident() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("another");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.to_str().unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
            .current_dir(project())
            .arg("run")
            .args(args)
            .args(["--out", out, "--no-figure"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).replace(out, "OUT");
        (output.status.code(), said)
    };
    let belt = ["scenarios/belt.toml"];
    assert_eq!(run(&belt), (Some(0), String::new()));
    assert_eq!(run(&belt), (Some(0), String::new()), "the same again");
    let names = |folder: &PathBuf| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&folder), [".made-by.json", "summary.json", "trace.csv"], "--no-figure");
    let note = "note: replacing the results of `bristle run scenarios/belt.toml` in OUT\n";
    let other = ["./scenarios/belt.toml", "--set", "friction.model=implicit"];
    assert_eq!(run(&other), (Some(0), note.into()));
    let before = fs::read(folder.join("trace.csv")).unwrap();
    let refusal = "error: OUT holds the results of `bristle run scenarios/belt.toml --set friction.model=implicit`; \
                   replace them with --overwrite, or choose another folder with --out\n";
    assert_eq!(run(&["scenarios/pulse.toml"]), (Some(2), refusal.into()));
    assert_eq!(fs::read(folder.join("trace.csv")).unwrap(), before);
    assert_eq!(run(&["scenarios/pulse.toml", "--overwrite", "--quiet"]), (Some(0), String::new()));
    assert_ne!(fs::read(folder.join("trace.csv")).unwrap(), before);
    fs::remove_file(folder.join(".made-by.json")).unwrap();
    let (code, said) = run(&["scenarios/pulse.toml"]);
    assert!(code == Some(2) && said.contains("did not write"), "{said}");
}

/// However early or late a program is killed, the folder has the old results or the new ones, and the next program
/// removes what was left.
#[cfg(unix)]
#[test]
fn a_kill_leaves_the_old_or_the_new_results() {
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("killed");
    let _ = fs::remove_dir_all(&base);
    fs::create_dir(&base).unwrap();
    let folder = base.join("run");
    let begin = |spacing: u32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bristle"));
        let spacing = format!("run.spacing=0.00{spacing}");
        let args = ["run", "scenarios/belt.toml", "--quiet", "--set", &spacing, "--out"];
        command.current_dir(project()).args(args).arg(&folder);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let began = std::time::Instant::now();
    assert!(begin(1).wait().unwrap().success());
    let whole = began.elapsed();
    const KILLS: u32 = 24;
    for k in 1..=KILLS {
        let mut killed = begin(1 + k % 4);
        std::thread::sleep(whole * k * 6 / (5 * KILLS));
        killed.kill().unwrap();
        killed.wait().unwrap();
        let json = |name: &str| -> serde_json::Value {
            serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
        };
        let trace = fs::read(folder.join("trace.csv")).unwrap();
        let rows = bristle_trace::read_csv(trace.as_slice()).unwrap().rows();
        let summary = json("summary.json");
        assert_eq!(summary["rows"], rows);
        let spacing = &summary["run"]["spacing"];
        assert_eq!(json(".made-by.json")["options"][0], format!("--set run.spacing={spacing}"));
    }
    assert!(begin(1).wait().unwrap().success());
    let left: Vec<_> = fs::read_dir(&base).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["run"]);
}

/// Nobody need be listening.
#[cfg(target_os = "linux")]
#[test]
fn a_full_or_closed_standard_error_is_no_panic() {
    let program = env!("CARGO_BIN_EXE_bristle");
    for redirected in ["2>/dev/full", "2>&-", ">/dev/full 2>&1"] {
        let line = format!("\"$0\" run nope.toml {redirected}");
        let status = Command::new("sh").args(["-c", &line, program]).status().unwrap();
        assert_eq!(status.code(), Some(2), "{redirected}");
    }
    let line = "\"$0\" models >/dev/full 2>/dev/full";
    let status = Command::new("sh").args(["-c", line, program]).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

/// Threads beyond the cores are not started: 5000 of them panicked, 2000 took 25 s.
#[test]
fn more_threads_than_cores_do_no_harm() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("many-threads");
    let args = ["compare", "dahl", "--threads", "5000", "--overwrite", "--out"];
    let began = std::time::Instant::now();
    let shown = bristle(&[&args[..], &[out.to_str().unwrap()]].concat());
    assert!(shown.ends_with("[exit 0]\n"), "{shown}");
    assert!(began.elapsed() < std::time::Duration::from_secs(20));
}

/// What is typed at length is not echoed at length, and a title stays one.
#[test]
fn long_values_are_cut_in_messages() {
    let long = "x".repeat(300_000);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("long.toml");
    let lines = [
        format!("title = \"{long}\"\n"),
        format!("[friction]\nmodel = \"{long}\"\n"),
        format!("{long} = 1\n"),
        format!("[run]\nend = \"{long}\"\n"),
        format!("{long} = = 1\n"),
    ];
    for text in lines {
        fs::write(&file, text).unwrap();
        let (shown, _) = run("long", &[file.to_str().unwrap()]);
        assert!(shown.ends_with("[exit 2]\n"), "{}", &shown[..400]);
        assert!(shown.lines().all(|l| l.chars().count() < 900), "{}", shown.len());
    }
}

/// Refused within a second or two of a run that would take minutes.
#[test]
fn a_trace_that_would_be_too_long_is_refused_with_a_spacing() {
    let (shown, folder) = run("too-long", &["scenarios/belt.toml", "--set", "run.end=1e9"]);
    assert!(shown.contains("--set run.spacing=1e4") && shown.ends_with("[exit 1]\n"), "{shown}");
    let fixed = ["run.method=fixed", "run.step=1e-5", "run.end=100"].map(|s| ["--set", s]);
    let args = [&["scenarios/belt.toml"], &fixed.concat()[..]].concat();
    let (shown, _) = run("too-long-fixed", &args);
    assert!(shown.contains("spacing = 0") && shown.ends_with("[exit 2]\n"), "{shown}");
    assert!(!folder.exists());
}

/// Work that would take hours, command by command.
const LONG: [&[&str]; 4] = [
    &["run", "scenarios/belt.toml", "--set", "run.end=1e7", "--set", "run.spacing=10"],
    &[
        "line",
        "scenarios/line-step.toml",
        "--set",
        "run.points=100000",
        "--set",
        "run.end=100",
        "--set",
        "transport={model=\"sine\", mean=200, amplitude=100, frequency=10}",
        "--set",
        "along={xi=[0, 0.3, 0.7, 1], sigma0=[252, 100, 300, 252]}",
        "--set",
        "run.accuracy=1e-12",
    ],
    &[
        "patch",
        "surface",
        "--phi1",
        "1.5",
        "--set",
        "surface.sigma_x_points=1000",
        "--set",
        "surface.sigma_y_points=1000",
    ],
    &["audit", "scenarios/belt.toml", "--set", "run.end=1e7", "--set", "run.spacing=10"],
];

/// Whatever tells a command to stop, in the middle of long work.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing() {
    let signals = ["-INT", "-TERM"];
    let each =
        LONG.iter().enumerate().flat_map(|(i, args)| signals.map(|signal| (i, args, signal)));
    let begun: Vec<_> = each
        .map(|(i, args, signal)| {
            let folder =
                PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stop{i}{signal}"));
            let _ = fs::remove_dir_all(&folder);
            let long = Command::new(env!("CARGO_BIN_EXE_bristle"))
                .current_dir(project())
                .args(*args)
                .arg("--out")
                .arg(&folder)
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            (long, folder, signal, args[0])
        })
        .collect();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    // All of them, before anything is asserted: none is left behind.
    for (long, _, signal, _) in &begun {
        let _ = Command::new("kill").args([*signal, &long.id().to_string()]).status();
    }
    for (long, folder, signal, command) in begun {
        let output = long.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command} {signal}: {error}");
        assert!(error.starts_with("error: interrupted"), "{command} {signal}: {error}");
        assert_eq!(error.contains("at t = "), matches!(command, "run" | "audit"), "{error}");
        assert!(!folder.exists());
    }
}

/// Before the work and not after it.
#[test]
fn a_folder_that_cannot_be_written_into_is_refused_at_once() {
    let blocked = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("in-the-way");
    let _ = fs::remove_file(&blocked);
    fs::write(&blocked, "a file").unwrap();
    let others: [&[&str]; 4] = [
        &["linearize", "frbd"],
        &["map", "scenarios/rotating-hysteresis.toml"],
        &["compare"],
        &["papers"],
    ];
    for args in LONG.iter().chain(&others) {
        let output = Command::new(env!("CARGO_BIN_EXE_bristle"))
            .current_dir(project())
            .args(*args)
            .arg("--out")
            .arg(blocked.join("in"))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1), "{args:?}: {error}");
        assert!(error.contains("cannot write") && error.contains("--out"), "{args:?}: {error}");
    }
    assert_eq!(fs::read_to_string(&blocked).unwrap(), "a file");
}

/// A surface is the same on one thread as on two.
#[test]
fn threads_change_nothing_but_time() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let small = ["--set", "surface.sigma_x_points=12", "--set", "surface.sigma_y_points=9"];
    let [one, two] = ["1", "2"].map(|threads| {
        let out = folder.join(format!("threads{threads}"));
        let _ = fs::remove_dir_all(&out);
        let args = ["patch", "surface", "--threads", threads, "--quiet", "--out"];
        let shown = bristle(&[&args[..], &[out.to_str().unwrap()], &small].concat());
        assert!(shown.ends_with("[exit 0]\n"), "{shown}");
        fs::read(out.join("surface.csv")).unwrap()
    });
    assert!(one == two);
}

/// A device without end stands for a file that is far too long.
#[cfg(unix)]
#[test]
fn a_file_without_end_is_refused() {
    insta::assert_snapshot!(bristle(&["run", "/dev/zero"]));
}

/// The belt moves by 0.1 m/s and bristles follow within a millisecond: a step of a second sees nothing of it.
#[test]
fn a_step_that_is_too_long_is_named_with_one_that_would_do() {
    let long = ["--set", "run.method=fixed", "--set", "run.step=1"];
    let (shown, _) = run("long-step", &[&["scenarios/belt.toml"], &long[..]].concat());
    let line = shown.lines().find(|line| line.starts_with("TOO LONG A STEP")).expect(&shown);
    let step = line.split("run.step = ").nth(1).unwrap().trim_end_matches(" s");
    assert!(step.parse::<f64>().unwrap() < 0.1, "{line}");
    let step = format!("run.step={step}");
    let shorter = ["--set", "run.method=fixed", "--set", &step];
    let (shown, _) = run("shorter-step", &[&["scenarios/belt.toml"], &shorter[..]].concat());
    assert!(shown.contains("with half the step the run differs by"), "{shown}");
    assert!(!shown.contains("TOO LONG"), "{shown}");
}

/// It says where it is, answers there, and ends when it is told to.
#[test]
fn the_lab_serves() {
    use std::io::{BufRead, BufReader, Read, Write};
    let mut lab = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .args(["lab", "--no-open", "--port", "0"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    BufReader::new(lab.stdout.take().unwrap()).read_line(&mut told).unwrap();
    let place =
        told.trim().trim_start_matches("The lab is at http://").trim_end_matches('/').to_owned();
    let mut stream = std::net::TcpStream::connect(&place).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("<title>Bristle lab</title>"),
        "{page}"
    );
    // Its port is taken.
    let port = place.rsplit(':').next().unwrap();
    let second = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .args(["lab", "--no-open", "--port", port])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(told.contains(&format!("cannot listen on port {port}")), "{told}");
    lab.kill().unwrap();
    lab.wait().unwrap();
}
