//! A folder of results: the old one or the new one, and what else is in it stays.
#![cfg(unix)]
use bristle_results::{Destination, Holds, Origin};
use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

/// A folder of its own for each test, and a destination in it.
fn place(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("results-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    folder.join("run")
}

fn origin(command: &str) -> Origin {
    Origin { command: command.into(), options: vec!["--set run.end=1".into()] }
}

/// Writes files with their own names in them.
fn results(place: &Path, names: &[&str]) -> Result<(), bristle_results::Error> {
    let mut staging = Destination::new(place)?.stage(origin("run belt.toml"))?;
    for name in names {
        staging.write(name, |out| out.write_all(name.as_bytes()))?;
    }
    staging.commit()
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn results_know_what_made_them() {
    let place = place("origin");
    assert_eq!(Destination::new(&place).unwrap().holds(), Holds::Nothing);
    results(&place, &["trace.csv"]).unwrap();
    let holds = Destination::new(&place).unwrap().holds();
    assert_eq!(holds, Holds::Results(origin("run belt.toml")));
    fs::remove_file(place.join(".made-by.json")).unwrap();
    assert_eq!(Destination::new(&place).unwrap().holds(), Holds::Others);
}

/// What was a result goes with the results; notes and folders of the user stay.
#[test]
fn a_folder_is_replaced_and_keeps_what_is_not_a_result() {
    let place = place("kept");
    results(&place, &["trace.csv", "figure.svg", "figures/a.png"]).unwrap();
    fs::create_dir_all(place.join("mine/deep")).unwrap();
    fs::write(place.join("mine/deep/notes.txt"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", place.join("link")).unwrap();
    results(&place, &["trace.csv"]).unwrap();
    assert_eq!(names(&place), [".made-by.json", "link", "mine", "trace.csv"]);
    assert_eq!(fs::read_to_string(place.join("mine/deep/notes.txt")).unwrap(), "mine");
    assert_eq!(names(place.parent().unwrap()), ["run"]);
}

#[test]
fn a_write_that_fails_leaves_the_old_results_and_nothing_else() {
    let place = place("failed");
    let deep = place.join("a/b");
    let mut staging = Destination::new(&deep).unwrap().stage(Origin::default()).unwrap();
    assert!(staging.write("x", |_| Err(Error::other("disk full"))).is_err());
    drop(staging);
    assert!(!place.exists(), "folders that had to be made are gone");
    results(&place, &["trace.csv"]).unwrap();
    let mut staging = Destination::new(&place).unwrap().stage(Origin::default()).unwrap();
    staging.write("trace.csv", |out| out.write_all(b"new")).unwrap();
    let error = staging.write("y", |_| Err(Error::other("disk full"))).unwrap_err().to_string();
    assert!(error.contains("run/y: disk full") && error.contains("--out"), "{error}");
    drop(staging);
    assert_eq!(fs::read_to_string(place.join("trace.csv")).unwrap(), "trace.csv");
    assert_eq!(names(place.parent().unwrap()), ["run"]);
}

/// Finding: a folder named like a result made three of four files new before the failure.
#[test]
fn a_folder_in_the_way_of_a_file_leaves_the_old_results() {
    let place = place("in-the-way");
    results(&place, &["trace.csv"]).unwrap();
    fs::create_dir(place.join("figure.png")).unwrap();
    fs::write(place.join("trace.csv"), "old").unwrap();
    let error = results(&place, &["trace.csv", "figure.png"]).unwrap_err().to_string();
    assert!(error.contains("figure.png: a folder is in its place"), "{error}");
    assert_eq!(fs::read_to_string(place.join("trace.csv")).unwrap(), "old");
}

/// What a killed program leaves is not locked; what a running one has is.
#[test]
fn forgotten_staging_folders_are_removed() {
    let place = place("forgotten");
    let beside = place.with_file_name(".bristle-staging-1");
    fs::create_dir(&beside).unwrap();
    fs::write(beside.join("trace.csv"), "half").unwrap();
    let running = place.with_file_name(".bristle-staging-2");
    fs::create_dir(&running).unwrap();
    let lock = fs::File::open(&running).unwrap();
    lock.try_lock().unwrap();
    Destination::new(&place).unwrap();
    assert_eq!(names(place.parent().unwrap()), [".bristle-staging-2"]);
    drop(lock);
    Destination::new(&place).unwrap();
    assert!(names(place.parent().unwrap()).is_empty());
}

#[test]
fn what_cannot_be_replaced_is_refused_before_the_work() {
    let place = place("refused");
    fs::write(&place, "a file").unwrap();
    let refused = |folder: PathBuf| Destination::new(&folder).unwrap_err().to_string();
    assert!(refused(place.clone()).contains("a file is in its place"));
    assert!(refused(place.join("in")).contains("--out"));
    let here = std::env::current_dir().unwrap();
    assert!(refused(here).contains("the working directory lies in it"));
    assert!(refused(PathBuf::from("/proc")).contains("mounted"));
    assert!(refused(PathBuf::from("/")).contains("name a folder inside it"));
}

#[test]
fn a_file_appears_when_it_is_complete() {
    let place = place("file");
    let folder = place.parent().unwrap();
    bristle_results::check(folder).unwrap();
    bristle_results::write(folder, &[("table.csv", b"a,b".to_vec())]).unwrap();
    assert_eq!(names(folder), ["table.csv"]);
}
