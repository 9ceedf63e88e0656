//! Every command shown in the documentation runs.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, thread};

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files that users read.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            pages(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "md") {
            found.push(entry);
        }
    }
}

/// The commands of the `sh` blocks of a page, without their comments.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside && language == "sh";
        } else if inside {
            let command = line.split(" #").next().unwrap().trim();
            found.extend((!command.is_empty()).then(|| command.to_owned()));
        }
    }
    found
}

/// What runs as a test of its own: by the continuous integration, or too long for one.
fn runs_elsewhere(command: &str) -> bool {
    let ci = fs::read_to_string(project().join(".ci/run")).unwrap();
    let bench = command.strip_prefix("cargo bench -p bristle-bench --bench ");
    let benchmark = |name: &str| project().join(format!("crates/bench/benches/{name}.rs")).exists();
    command == ".ci/run"
        || command.ends_with(" papers")
        // A release build; what it installs is what all other commands run.
        || command == "cargo install --path crates/cli --locked"
        // The Python package, which the continuous integration installs with all its extras.
        || command.strip_prefix("pip install ").is_some_and(|what| what.trim_matches('\'').starts_with('.'))
        // The page of the lab in a browser, where there is one.
        || command.starts_with("cd crates/lab/browser && npm ci")
        || ci.contains(command)
        || command == "INSTA_UPDATE=always cargo test -p bristle-cli --test program"
        || bench.is_some_and(benchmark)
}

/// A folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|e| e.unwrap()) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &to) } else { fs::copy(&path, &to).map(|_| ()).unwrap() }
    }
}

/// Runs a command of a page in a folder.
fn run(command: &str, page: &Path, here: &Path) {
    // It serves until it is told to end; the test `the_lab_serves` starts it.
    if command == "bristle lab" {
        return;
    }
    let program = ["cargo run --release -- ", "bristle "];
    let args = program.iter().find_map(|p| command.strip_prefix(p));
    // Minutes in a build for tests; the test `rows` of bristle-papers runs every experiment, and other commands here name some.
    let Some(args) = args.filter(|args| *args != "papers") else {
        assert!(runs_elsewhere(command), "{}: `{command}` is never run", page.display());
        return;
    };
    let program = Command::new(env!("CARGO_BIN_EXE_bristle"))
        .args(args.split_whitespace())
        .current_dir(here)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&program.stderr);
    assert!(program.status.success(), "{}: `{command}`: {error}", page.display());
}

#[test]
fn every_command_of_the_documentation_runs() {
    let mut files = vec![project().join("README.md"), project().join("CONTRIBUTING.md")];
    pages(&project().join("docs"), &mut files);
    // Several pages may show the same command; within a page, one may need what another left.
    let mut seen = BTreeSet::new();
    let mut left: Vec<(PathBuf, Vec<String>)> = Vec::new();
    for file in files {
        let shown = commands(&fs::read_to_string(&file).unwrap()).into_iter();
        let commands: Vec<String> = shown.filter(|c| seen.insert(c.clone())).collect();
        left.push((file, commands));
    }
    assert!(seen.len() >= 50, "{} commands found", seen.len());
    let left = Mutex::new(left);
    thread::scope(|scope| {
        for worker in 0..thread::available_parallelism().unwrap().get() {
            let left = &left;
            scope.spawn(move || {
                // A folder of its own, as a new user has one.
                let here =
                    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{worker}"));
                let _ = fs::remove_dir_all(&here);
                for folder in ["scenarios", "data"] {
                    copy(&project().join(folder), &here.join(folder));
                }
                loop {
                    let Some((page, commands)) = left.lock().unwrap().pop() else { break };
                    commands.iter().for_each(|command| run(command, &page, &here));
                }
            });
        }
    });
}
