//! The parts of files that are made from the models' own declarations: schemas, and tables in README and docs between
//! `<!-- generated: NAME -->` and `<!-- end -->`.
//!
//! The test below fails where one is out of date. `BRISTLE_GENERATE=1 cargo test -p bristle-cli --bin bristle generated`
//! writes them anew.
use crate::{Program, schema};
use bristle_kernel::{AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Bristle, Info, Kind, Param, Slip};
use bristle_report::models::{Columns, PARTS_WITH_NUMBERS};
use bristle_system::{AnyMechanism, AnySignal, Mechanism};
use clap::{CommandFactory, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rows of a Markdown table under its heads.
fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    let heads: Vec<String> = heads.iter().map(|h| (*h).to_owned()).collect();
    let mut text = line(&heads) + &"|---".repeat(heads.len()) + "|\n";
    rows.into_iter().for_each(|row| text += &line(&row.map_bars()));
    text
}

trait Bars {
    /// A bar would end a cell.
    fn map_bars(self) -> Self;
}

impl Bars for Vec<String> {
    fn map_bars(self) -> Self {
        self.into_iter().map(|cell| cell.replace('|', "\\|")).collect()
    }
}

/// What a statement says before its reason.
fn brief(text: &str) -> String {
    let end = text.find([':', ';', '(']).unwrap_or(text.len());
    // A paper's key that stands before an equation goes with it.
    let text = text[..end].trim();
    text.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches([',', ' ']).to_owned()
}

fn ability<V: Slip<f64>>(info: &Info, model: &impl Bristle<f64, V>) -> Vec<String> {
    let lists = info.params.iter().any(|p| matches!(p.kind, bristle_kernel::Kind::List { .. }));
    let states = match model.states() {
        _ if lists && model.variable(0).index.is_some() => "one an element".to_owned(),
        _ if lists => "1 and one a branch".to_owned(),
        n => n.to_string(),
    };
    let [stick, passive, law] = [info.stick, info.passive, info.law].map(brief);
    vec![format!("`{}`", info.name), info.title.to_owned(), stick, passive, law, states]
}

fn models() -> String {
    let law = || AnyLaw::named(AnyLaw::<f64>::CATALOG[0].name, ()).unwrap();
    let line = AnyBristle::<f64>::CATALOG
        .iter()
        .map(|info| ability(info, &AnyBristle::<f64>::named(info.name, law()).unwrap()));
    let plane = AnyPlanar::<f64>::CATALOG.iter().map(|info| {
        let matrix = AnyMatrix::named(AnyMatrix::<f64>::CATALOG[0].name, law()).unwrap();
        ability(info, &AnyPlanar::<f64>::named(info.name, matrix).unwrap())
    });
    table(
        &["model", "what it is", "holds a stick", "passive", "follows its law", "states"],
        line.chain(plane),
    )
}

fn commands() -> String {
    let row = |command: &clap::Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        vec![format!("`bristle {}`", command.get_name()), about]
    };
    table(&["command", "what it does"], Program::command().get_subcommands().map(row))
}

fn mechanism(name: &str) -> AnyMechanism<f64> {
    let drive = AnySignal::named(AnySignal::<f64>::CATALOG[0].name, ()).unwrap();
    AnyMechanism::named(name, drive).unwrap()
}

fn systems() -> String {
    let row = |info: &&'static Info| {
        let system = mechanism(info.name);
        let drives: Vec<String> =
            system.drives().iter().map(|d| format!("{}, {}", d.name, d.unit)).collect();
        vec![format!("`{}`", info.name), info.title.to_owned(), drives.join("; ")]
    };
    table(&["model", "what it is", "drive"], AnyMechanism::<f64>::CATALOG.iter().map(row))
}

fn drives() -> String {
    let row = |info: &&'static Info| {
        let params: Vec<String> = info
            .params
            .iter()
            .map(|p| match p.unit {
                "" | "1" | "drive" => format!("`{}`: {}", p.name, p.meaning),
                unit => format!("`{}` ({unit}): {}", p.name, p.meaning),
            })
            .collect();
        vec![format!("`{}`", info.name), info.title.to_owned(), params.join("; ")]
    };
    table(&["model", "what it is", "parameters"], AnySignal::<f64>::CATALOG.iter().map(row))
}

/// What a number of a part is called, its unit, what it starts with and what it means.
fn part(name: &str) -> String {
    let info = PARTS_WITH_NUMBERS.into_iter().find(|info| info.name == name);
    let row = |p: &Param| {
        let start = match &p.kind {
            Kind::Number { start, .. } => start.to_string(),
            Kind::List { start, .. } => format!("{start:?}"),
            Kind::Choice { start, .. } => format!("`{start}`"),
        };
        let options = match &p.kind {
            Kind::Choice { options, meanings, .. } => {
                let pairs = options.iter().zip(*meanings);
                let all: Vec<String> =
                    pairs.map(|(name, what)| format!("`{name}` {}", what.trim())).collect();
                format!(": {}", all.join("; "))
            }
            _ => String::new(),
        };
        let unit = if p.unit == "1" { "" } else { p.unit };
        vec![format!("`{}`", p.name), unit.into(), start, format!("{}{options}", p.meaning)]
    };
    table(&["key", "unit", "start", "what it is"], info.unwrap().params.iter().map(row))
}

fn parts() -> String {
    let row = |(kind, what): &(&str, &str)| vec![format!("`[[{kind}]]`"), (*what).to_owned()];
    table(&["list", "what it is"], bristle_scenario::machine::PARTS.iter().map(row))
}

fn columns() -> String {
    let row = |info: &&'static Info| {
        let Columns { columns, initial } = Columns::of(info.name).unwrap();
        let marked: Vec<String> = initial.iter().map(|name| format!("`{name}`")).collect();
        vec![format!("`{}`", info.name), columns.join(", "), marked.join(", ")]
    };
    table(&["system", "columns", "in `[initial]`"], AnyMechanism::<f64>::CATALOG.iter().map(row))
}

/// A page with its generated parts made anew.
fn renewed(page: &str, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- generated: ") {
        let (name, after) = after.split_once(" -->\n").unwrap();
        let (_, after) =
            after.split_once("<!-- end -->").unwrap_or_else(|| panic!("{page}: {name} has no end"));
        let made = match name {
            "models" => models(),
            "commands" => commands(),
            "systems" => systems(),
            "drives" => drives(),
            "columns" => columns(),
            "parts" => parts(),
            part_name if part_name.starts_with("part ") => part(&part_name[5..]),
            other => panic!("{page}: nothing is called {other}"),
        };
        let _ = write!(out, "{before}<!-- generated: {name} -->\n{made}<!-- end -->");
        rest = after;
    }
    out + rest
}

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

#[test]
fn generated_parts_are_fresh() {
    let mut pages = vec![project().join("README.md")];
    markdown(&project().join("docs"), &mut pages);
    let mut files: Vec<(PathBuf, String)> = pages
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let made = renewed(&path.display().to_string(), &text);
            (path, made)
        })
        .collect();
    for which in schema::Which::value_variants() {
        let name = which.to_possible_value().unwrap().get_name().to_owned();
        let made = schema::run(*which).unwrap_or_else(|_| panic!("{name}"));
        files.push((project().join(format!("scenarios/{name}.schema.json")), made));
    }
    for (path, made) in files {
        if env::var_os("BRISTLE_GENERATE").is_some() {
            fs::write(&path, made).unwrap();
        } else {
            let there = fs::read_to_string(&path).unwrap();
            assert!(there == made, "{} is out of date: see generated.rs", path.display());
        }
    }
}
