//! The workspace can be published: what it depends on may be used, and every package has what it needs.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether one of the alternatives of a licence expression is all permitted. Deeper nesting than `(A OR B) AND C` does
/// not occur.
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let known = |name: &str| allowed.iter().any(|a| a == name.trim());
    let either = |part: &str| {
        part.trim().trim_matches(['(', ')']).replace('/', " OR ").split(" OR ").any(known)
    };
    expression.split(" AND ").all(either)
}

/// Those that `deny.toml` permits.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(project().join("deny.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let list = table["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_we_depend_on_may_be_used_and_comes_from_the_registry() {
    let (all, allowed) = (metadata(), allowed());
    let packages = all["packages"].as_array().unwrap();
    assert!(packages.len() > 60, "{}", packages.len());
    for package in packages {
        let (name, source) = (package["name"].as_str().unwrap(), package["source"].as_str());
        let license = package["license"].as_str().unwrap_or_default();
        assert!(permitted(license, &allowed), "{name} is licensed under `{license}`");
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        assert!(source.is_none_or(|source| source == registry), "{name} comes from {source:?}");
    }
    assert!(!permitted("GPL-3.0-only", &allowed) && !permitted("MIT AND GPL-3.0-only", &allowed));
    assert!(permitted("(MIT OR GPL-3.0-only) AND Unicode-3.0", &allowed));
}

#[test]
fn every_crate_of_ours_says_what_a_registry_asks_for() {
    let all = metadata();
    let mut count = 0;
    for package in all["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let publish = package["publish"].as_array().is_none_or(|list| !list.is_empty());
        if !package["source"].is_null() || !publish {
            continue;
        }
        count += 1;
        for key in ["description", "license", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            // Of development dependencies cargo leaves out those that name a folder alone.
            if dependency["kind"] == "dev" && dependency["path"].is_string() {
                continue;
            }
            assert_ne!(dependency["req"], "*", "{name} takes any version of {on}");
        }
    }
    assert!(count >= 16, "{count}");
}

/// Code includes only files of its own package: what stands outside is missing from the registry.
#[test]
fn packages_embed_only_their_own_files() {
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for package in std::fs::read_dir(project().join("crates")).unwrap().map(|e| e.unwrap().path()) {
        sources(&package.join("src"), &mut files);
    }
    assert!(files.len() > 100, "{}", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // A path that leaves `src` twice leaves the package.
        let outside = text.lines().find(|l| l.contains("include_") && l.contains("\"../../"));
        assert!(outside.is_none(), "{}: {outside:?}", file.display());
    }
}
