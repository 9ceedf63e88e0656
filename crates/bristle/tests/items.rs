//! Every item that the crate exports stands in docs/api.md, with an example that uses it.
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The names after `pub use`, which are all that the crate exports.
fn exported() -> Vec<String> {
    let source = read(&package().join("src/lib.rs"));
    let code: String = source.lines().filter(|l| !l.trim().starts_with("//")).collect();
    let uses = code.split("pub use ").skip(1).map(|rest| rest.split(';').next().unwrap());
    let mut names = Vec::new();
    for one in uses {
        for item in one.split(['{', '}', ',']) {
            let item = item.trim();
            // `a::{` only opens a list.
            if item.is_empty() || item.ends_with("::") {
                continue;
            }
            let name = item.rsplit(" as ").next().unwrap();
            names.push(name.rsplit("::").next().unwrap().trim().to_owned());
        }
    }
    names.sort();
    names
}

/// The rows of the list: item, and the page and the heading of its example.
fn listed(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let link = cells[3].split(['(', ')']).nth(1).unwrap();
        (cells[1].trim_matches('`').to_owned(), link.to_owned())
    };
    rows.map(row).collect()
}

/// The Rust code under a heading, or of the whole page.
fn code(page: &str, anchor: Option<&str>) -> String {
    let slug = |line: &str| line.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-");
    let (mut here, mut rust, mut code) = (anchor.is_none(), false, String::new());
    for line in page.lines() {
        if line.starts_with("```") {
            rust = line == "```rust";
        } else if !rust && line.starts_with("## ") {
            here = anchor.is_none_or(|anchor| slug(line) == anchor);
        } else if rust && here {
            code += line;
            code.push('\n');
        }
    }
    code
}

#[test]
fn every_item_has_an_example() {
    let page = read(&package().join("docs/api.md"));
    let rows = listed(&page);
    let mut names: Vec<String> = rows.iter().map(|(name, _)| name.clone()).collect();
    names.sort();
    assert_eq!(names, exported());
    let readme = read(&package().join("README.md"));
    for (name, link) in &rows {
        let shown = match link.strip_prefix('#') {
            Some(anchor) => code(&page, Some(anchor)),
            None => code(&readme, None),
        };
        let words = || shown.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert!(words().any(|word| word == name), "{name} is not used in {link}");
    }
}
