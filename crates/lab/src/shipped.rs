//! The scenario files and logs of the project, which the page offers to begin with.
use bristle_scenario::{Given, machine};
use serde_json::{Value, json};
use toml::Table;

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A system or a machine that is run.
    Run,
    /// A patch.
    Patch,
    /// A line.
    Line,
    /// A fit.
    Fit,
    /// Friction alone.
    Friction,
}

impl Kind {
    /// By the sections of a text; a text that cannot be read is one that is run, which says what is wrong with it.
    pub fn of(text: &str) -> Self {
        let table: Table = text.parse().unwrap_or_default();
        let has = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
        match () {
            () if has(&["log", "free", "fit"]) => Kind::Fit,
            () if has(&["system"]) || machine::Scenario::is_one(text) => Kind::Run,
            () if has(&["line", "slip"]) => Kind::Line,
            () if has(&["patch", "rolling", "surface", "transient"]) => Kind::Patch,
            () if has(&["friction"]) && !has(&["run"]) => Kind::Friction,
            () => Kind::Run,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Patch => "patch",
            Kind::Line => "line",
            Kind::Fit => "fit",
            Kind::Friction => "audit",
        }
    }
}

/// The text of a file by its path in the project.
pub fn text(path: &str) -> Option<&'static str> {
    let (files, name) = match path.split_once('/')? {
        ("scenarios", name) => (SCENARIOS, name),
        ("data", rest) => (LOGS, rest.strip_prefix("logs/")?),
        _ => return None,
    };
    files.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// The tables and logs that shipped files name.
pub fn given() -> Given {
    let tables = SCENARIOS.iter().chain(LOGS).filter(|(name, _)| name.ends_with(".csv"));
    tables.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// What a text is for, and what it is called.
pub fn described(name: &str, text: &str) -> Value {
    let table: Table = text.parse().unwrap_or_default();
    let said = |key: &str| table.get(key).and_then(toml::Value::as_str).unwrap_or_default();
    json!({
        "name": name, "kind": Kind::of(text).name(), "title": said("title"),
        "source": said("source"), "note": said("note"),
    })
}

/// Every file that something can be done with.
pub fn all() -> Vec<Value> {
    let scenarios = SCENARIOS.iter().map(|(name, text)| (format!("scenarios/{name}"), text));
    let logs = LOGS.iter().map(|(name, text)| (format!("data/logs/{name}"), text));
    let files = scenarios.chain(logs).filter(|(name, _)| name.ends_with(".toml"));
    files.map(|(name, text)| described(&name, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_file_is_known_for_what_it_is() {
        let all = all();
        let kind = |name: &str| {
            let own = all.iter().find(|file| file["name"] == name).unwrap();
            own["kind"].as_str().unwrap().to_owned()
        };
        assert_eq!(kind("scenarios/belt.toml"), "run");
        assert_eq!(kind("scenarios/servo-log.toml"), "run");
        assert_eq!(kind("scenarios/patch-step.toml"), "patch");
        assert_eq!(kind("scenarios/line-step.toml"), "line");
        assert_eq!(kind("data/logs/slide.toml"), "fit");
        assert!(all.iter().all(|file| file["kind"] != "audit" && file["title"] != ""), "{all:?}");
    }
}
