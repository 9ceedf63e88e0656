//! Sweeps: what they give does not depend on threads, order or interruptions, and what is wrong is said before they begin.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

fn program() -> Command {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut program = Command::new(env!("CARGO_BIN_EXE_bristle"));
    program.current_dir(project).args(["sweep"]);
    program
}

fn sweep(words: &[&str], out: &Path) -> Output {
    program().args(words).arg("--out").arg(out).output().unwrap()
}

/// A folder for results, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sweeps").join(name);
    let _ = fs::remove_dir_all(&folder);
    let _ = fs::remove_dir_all(unfinished(&folder));
    folder
}

fn unfinished(out: &Path) -> PathBuf {
    PathBuf::from(format!("{}.unfinished", out.display()))
}

fn made(words: &[&str], name: &str) -> PathBuf {
    let out = folder(name);
    let output = sweep(words, &out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn summary(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("summary.json")).unwrap()).unwrap()
}

/// What a folder holds that must not depend on how it was made; the record names options.
fn bytes(folder: &Path) -> Vec<Vec<u8>> {
    let files = ["sweep.csv", "sweep.parquet", "summary.json", "figure.svg"];
    files.iter().map(|file| fs::read(folder.join(file)).unwrap_or_default()).collect()
}

const DRIFT: [&str; 7] = [
    "scenarios/pulse.toml",
    "--vary",
    "friction.sigma1=0:800:6",
    "--vary",
    "system.drive.value=1:5.5:5",
    "--keep",
    "drift [mm]=1e3*end(x)",
];

/// A row is the run of its point: the same numbers as `bristle run`, in a table with units.
#[test]
fn a_row_is_the_run_of_its_point() {
    let out = made(&DRIFT, "rows");
    let csv = fs::read_to_string(out.join("sweep.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "index,friction.sigma1 [N*s/m],system.drive.value [N],drift [mm],failed");
    assert_eq!(lines.len(), 31);
    let fields: Vec<f64> = lines[13].split(',').take(4).map(|x| x.parse().unwrap()).collect();
    assert_eq!(fields[..3], [12.0, 320.0, 3.25]);
    let alone = folder("row");
    let run = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .args([
            "run",
            "scenarios/pulse.toml",
            "--set",
            "friction.sigma1=320",
            "--set",
            "system.drive.value=3.25",
        ])
        .args(["--no-figure", "--out"])
        .arg(&alone)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .unwrap();
    assert!(run.status.success());
    assert_eq!(1e3 * summary(&alone)["columns"]["x"]["end"].as_f64().unwrap(), fields[3]);
    assert_eq!(&fs::read(out.join("sweep.parquet")).unwrap()[..4], b"PAR1");
    assert!(out.join("figure.png").exists() && !unfinished(&out).exists());
}

#[test]
fn threads_leave_no_trace() {
    let one = made(&[&DRIFT[..], &["--threads", "1"]].concat(), "one-thread");
    let two = made(&[&DRIFT[..], &["--threads", "2"]].concat(), "two-threads");
    assert_eq!(bytes(&one), bytes(&two));
}

/// Enough runs that it can be interrupted in the middle.
const LONG: [&str; 9] = [
    "scenarios/belt.toml",
    "--set",
    "run.end=5",
    "--vary",
    "system.drive.value=uniform(0.05,0.2)",
    "--samples",
    "2000",
    "--keep",
    "max(x)",
];

fn finished_rows(out: &Path) -> usize {
    // Two numbers of eight bytes a row; those that are not there are zeros.
    let rows = fs::read(unfinished(out).join("rows.bin")).unwrap_or_default();
    rows.chunks_exact(16).filter(|row| row.iter().any(|byte| *byte != 0)).count()
}

/// Waits until so many rows are there, or until it ends.
fn wait_for(child: &mut Child, out: &Path, rows: usize) {
    let began = Instant::now();
    while finished_rows(out) < rows && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(300), "it does not get on");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Killed at ten places, which the seed of the numbers chooses: what is finished stays, and the end has the same bytes as if it had
/// been left alone.
#[test]
fn a_kill_loses_nothing_that_is_finished() {
    let whole = made(&LONG, "whole");
    let out = folder("killed");
    let (mut chance, mut kills, mut before) = (7u64, 0, 0);
    while kills < 10 {
        let mut child = program()
            .args(LONG)
            .args(["--resume", "--out"])
            .arg(&out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        wait_for(&mut child, &out, before + 1 + (chance >> 33) as usize % 40);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = finished_rows(&out);
        assert!(now >= before, "{before} rows were there, now {now}");
        assert!(now < 2000, "it came to an end before it was killed for the {kills}th time");
        (before, kills) = (now, kills + 1);
    }
    let refused = sweep(&LONG, &out);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && told.contains("go on with it with --resume"),
        "{told}"
    );
    let other = sweep(&[&LONG[..], &["--seed", "2", "--resume"]].concat(), &out);
    let told = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.code() == Some(2) && told.contains("of another sweep"), "{told}");
    let resumed = sweep(&[&LONG[..], &["--resume"]].concat(), &out);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(bytes(&whole), bytes(&out));
    assert!(!unfinished(&out).exists());
}

/// Runs that fail are rows with their reasons; where all fail, so does the sweep.
#[test]
fn failed_runs_are_rows() {
    let steps = ["scenarios/pulse.toml", "--vary", "run.max_steps=3,100000", "--keep", "end(x)"];
    let out = made(&steps, "failed");
    let csv = fs::read_to_string(out.join("sweep.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows[0].starts_with("0,3,,") && rows[0].contains("step"), "{}", rows[0]);
    assert!(rows[1].starts_with("1,100000,0.") && rows[1].ends_with(','), "{}", rows[1]);
    assert_eq!(summary(&out)["failed"], 1);
    let output =
        sweep(&["scenarios/pulse.toml", "--vary", "run.max_steps=3,4"], &folder("all-failed"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("all runs failed"));
    // Out of its range at one point only.
    let out = made(&["scenarios/pulse.toml", "--vary", "system.mass=-1,1"], "range");
    assert!(fs::read_to_string(out.join("sweep.csv")).unwrap().contains("mass = -1 kg is outside"));
}

#[test]
fn what_makes_no_sense_is_refused_before_it_begins() {
    let told = |words: &[&str], says: &[&str]| {
        let out = folder("refused");
        let output = sweep(words, &out);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {text}");
        says.iter().for_each(|says| assert!(text.contains(says), "{words:?}: {text}"));
        assert!(!out.exists() && !unfinished(&out).exists());
    };
    let belt = "scenarios/belt.toml";
    told(&[belt, "--vary", "friction.sgma1=0:1:3"], &["did you mean `friction.sigma1`?"]);
    told(&[belt, "--vary", "friction.sigma1=0:1"], &["from:to:count"]);
    told(&[belt, "--vary", "friction.sigma1=normal(1,-1)"], &["the deviation must be positive"]);
    told(&[belt, "--keep", "end(xx)"], &["keep.end(xx)", "`xx`"]);
    told(&[belt, "--keep", "x"], &["take a value of it, as in end(x)"]);
    told(&[belt, "--keep", "edn(x)"], &["did you mean `end`?"]);
    told(&[belt, "--samples", "10"], &["nothing is sampled"]);
    told(&[belt, "--command", "patch"], &["one of run, cycle, audit"]);
    told(&[belt, "--keep", "agreement"], &["--twin"]);
    told(&[belt, "--command", "cycle", "--keep", "p=period_s", "--twin"], &["leave it out"]);
    told(&["scenarios/patch-bend.toml"], &["say what is kept of each"]);
    told(
        &[belt, "--boundary", "system.drive.value=0:1:log", "--holds", "end(x) > 0"],
        &["boundary.between", "positive ends"],
    );
    told(
        &[
            "scenarios/sweeps/drift.toml",
            "--vary",
            "friction.sigma1=0:1:2",
            "--vary",
            "friction.sigma1=0:1:2",
        ],
        &["varied once"],
    );
}

/// The other commands, over the numbers that their summaries hold.
#[test]
fn every_command_can_be_swept() {
    for (name, words, column, rows) in [
        (
            "cycle",
            &[
                "scenarios/belt.toml",
                "--command",
                "cycle",
                "--vary",
                "system.drive.value=0.05,0.1",
                "--keep",
                "period [s]=period_s",
            ][..],
            "period",
            2,
        ),
        (
            "patch",
            &[
                "scenarios/patch-bend.toml",
                "--vary",
                "rolling.sigma_x=0:0.2:3",
                "--keep",
                "Fx [N]=steady.Fx_N",
            ],
            "Fx",
            3,
        ),
        (
            "line",
            &[
                "scenarios/line-step.toml",
                "--vary",
                "line.rate=100,200",
                "--keep",
                "F [N]=steady_at_the_end.F_N",
            ],
            "F",
            2,
        ),
        (
            "audit",
            &[
                "scenarios/belt.toml",
                "--command",
                "audit",
                "--vary",
                "friction.model=lugre,frbd",
                "--keep",
                "passive=passivity.verdict == \"passive\"",
            ],
            "passive",
            2,
        ),
    ] {
        let out = made(words, name);
        let summary = summary(&out);
        assert_eq!(summary["columns"][column]["count"], rows, "{name}: {summary}");
        assert_eq!(summary["failed"], 0);
    }
    let audited = summary(&PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sweeps/audit"));
    assert_eq!(
        (&audited["columns"]["passive"]["min"], &audited["columns"]["passive"]["max"]),
        (&0.0.into(), &1.0.into())
    );
}

/// The belt sticks below a speed and not above: what is found lies where trials say.
#[test]
fn a_boundary_is_where_the_property_changes() {
    let words = [
        "scenarios/sweeps/belt-boundary.toml",
        "--vary",
        "system.stiffness=2,8",
        "--set",
        "run.end=40",
    ];
    let out = made(&words, "boundary");
    let csv = fs::read_to_string(out.join("sweep.csv")).unwrap();
    let head = "index,system.stiffness [N/m],boundary [m/s],before [m/s],after [m/s],holds_at_start,changes,runs,failed";
    assert_eq!(csv.lines().next().unwrap(), head);
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[5], fields[6]), ("1", "1"), "{line}");
        for (speed, sticks) in [(fields[3], 1.0), (fields[4], 0.0)] {
            let stiffness = format!("system.stiffness={}", fields[1]);
            let speed = format!("system.drive.value={speed}");
            let holds = "holds=min(after(30, abs(v_rel))) < 0.05*system.drive.value";
            let trial = [
                "scenarios/belt.toml",
                "--set",
                "run.end=40",
                "--set",
                &stiffness,
                "--vary",
                &speed,
                "--keep",
                holds,
            ];
            let found = summary(&made(&trial, "boundary-trial"));
            assert_eq!(found["columns"]["holds"]["min"], sticks, "{line}");
        }
    }
}

#[test]
fn samples_have_quantiles_and_sensitivities() {
    let out = made(&["scenarios/sweeps/tolerances.toml", "--samples", "64"], "samples");
    let summary = summary(&out);
    assert_eq!(summary["points"], 64 * 5);
    let drift = &summary["columns"]["drift"];
    let [low, middle, high] = ["p05", "median", "p95"].map(|part| drift[part].as_f64().unwrap());
    assert!(low < middle && middle < high);
    let indices = summary["sensitivities"].as_array().unwrap();
    assert_eq!(indices.len(), 3);
    for own in indices {
        let [first, total] = ["first", "total"].map(|kind| own[kind].as_f64().unwrap());
        assert!((-0.3..1.3).contains(&first) && (-0.3..1.5).contains(&total), "{own}");
    }
    assert!(out.join("scatter.png").exists());
    let again = made(&["scenarios/sweeps/tolerances.toml", "--samples", "64"], "samples-again");
    assert_eq!(bytes(&out), bytes(&again));
    let other = made(
        &["scenarios/sweeps/tolerances.toml", "--samples", "64", "--seed", "2"],
        "samples-other",
    );
    assert_ne!(bytes(&out), bytes(&other));
}

/// A second run beside each tells how well it agrees.
#[test]
fn twins_are_a_choice_that_rows_report() {
    let words =
        ["scenarios/pulse.toml", "--vary", "friction.sigma1=100,400", "--keep", "end(x)", "--twin"];
    let out = made(&words, "twin");
    let summary = summary(&out);
    let agreement = summary["columns"]["agreement"]["max"].as_f64().unwrap();
    assert!(agreement > 0.0 && agreement < 1e-3, "{agreement}");
    assert_eq!(summary["checked_by"], "ledger, coarser run");
}
