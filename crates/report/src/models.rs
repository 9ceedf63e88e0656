//! What there is to choose from, generated from the models' own declarations.
use crate::{Failure, Report};
use bristle_kernel::{
    AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Bristle, Drive, Info, Kind, Model, PAPERS, Param,
    Range, Slip, Update,
};
use bristle_machine::{Body, Buffer, Control, Damper, Rope, Rotor, Sampled, Spring, Stop};
use bristle_scenario::machine::PARTS;
use bristle_scenario::{nearest, sets};
use bristle_system::{AnyMechanism, AnySignal, Coupled};
use bristle_trace::Signals;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// One entry of a catalogue, ready to be shown or serialised.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    kind: &'static str,
    title: &'static str,
    description: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    rules: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    abilities: Option<Abilities>,
    parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<Nested>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameter_sets: Vec<Set>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Columns>,
}

/// What a run of a system records, with a model of one state.
#[derive(Serialize)]
pub struct Columns {
    /// With their units.
    pub columns: Vec<String>,
    /// Those that `[initial]` may name.
    pub initial: Vec<String>,
}

impl Columns {
    /// Those of a system; nothing if there is none of that name.
    pub fn of(system: &str) -> Option<Self> {
        let drive = AnySignal::named(AnySignal::<f64>::CATALOG.first()?.name, ())?;
        let mechanism = AnyMechanism::<f64>::named(system, drive)?;
        let law = AnyLaw::named(AnyLaw::<f64>::CATALOG.first()?.name, ())?;
        let signals = Signals::of(&Coupled::new(mechanism, AnyBristle::named("frbd", law)?));
        let titled = |(name, unit): &(String, &str)| format!("{name} [{unit}]");
        let name = |place: &usize| signals.columns[*place].0.clone();
        Some(Columns {
            columns: signals.columns.iter().map(titled).collect(),
            initial: signals.states.iter().map(name).collect(),
        })
    }
}

/// What a model can and cannot do.
#[derive(Serialize)]
struct Abilities {
    holds_a_stick: &'static str,
    passive: &'static str,
    passivity_condition: &'static str,
    passivity_is_conditional: bool,
    follows_the_law: &'static str,
    states: Vec<String>,
    any_number_of_branches: bool,
    fixed_step: Vec<&'static str>,
    set_valued_at_rest: bool,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_absolute: Option<&'static str>,
    start: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Limits>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionOf>,
    meaning: &'static str,
    equation: &'static str,
}

/// A range for programs; an end that is absent is no limit.
#[derive(Serialize)]
struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    min_excluded: bool,
    max_excluded: bool,
    #[serde(skip)]
    text: String,
}

impl Limits {
    fn of(range: &Range) -> Self {
        let end = |x: f64| x.is_finite().then_some(x);
        Limits {
            min: end(range.lo),
            max: end(range.hi),
            min_excluded: range.lo_open,
            max_excluded: range.hi_open,
            text: range.to_string(),
        }
    }
}

#[derive(Serialize)]
struct OptionOf {
    name: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Nested {
    key: &'static str,
    options: Vec<&'static str>,
}

#[derive(Serialize)]
struct Set {
    name: &'static str,
    title: &'static str,
    source: &'static str,
}

/// Everything there is to choose from.
pub fn list() -> Report {
    let entries = catalogue();
    Report::bare(listed(&entries), json!(entries))
}

/// One of them: a model, law, matrix, system, drive, part or parameter set.
pub fn explain(name: &str) -> Result<Report, Failure> {
    if let Ok(set) = sets::named(name) {
        return Ok(Report::bare(explain_set(set), set_as_json(set)));
    }
    let entries = catalogue();
    let names = || entries.iter().map(|e| e.name).chain(sets::all().iter().map(|s| s.name));
    if let Some(entry) = entries.iter().find(|e| e.name == name) {
        return Ok(Report::bare(explained(entry), json!(entry)));
    }
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`bristle models` lists them".to_owned(),
    };
    Err(Failure::Asked(format!(
        "there is no model, law, matrix, system, drive, part or parameter set `{name}`; {hint}"
    )))
}

fn set_as_json(set: &sets::ParameterSet) -> serde_json::Value {
    json!({
        "name": set.name,
        "kind": "parameter set",
        "title": set.title,
        "source": set.source,
        "note": set.note,
        "models": set.models,
        "friction": set.friction,
    })
}

/// A parameter set: what it is for, where it is from, and its values as they stand in a file.
fn explain_set(set: &sets::ParameterSet) -> String {
    let mut out = format!("{}: {}\n\n", set.name, set.title);
    for (name, text) in [("source", &set.source), ("note", &set.note)] {
        let mut lines = wrap(text, 66).into_iter().filter(|line| !line.is_empty());
        if let Some(first) = lines.next() {
            let _ = writeln!(out, "  {name:<8} {first}");
            lines.for_each(|line| {
                let _ = writeln!(out, "  {:<8} {line}", "");
            });
        }
    }
    let _ = writeln!(out, "  {:<8} {}", "models", set.models.join(", "));
    out.push_str("\nParameters\n\n");
    table(&mut out, "", &set.friction);
    papers(
        &mut out,
        PAPERS.iter().filter(|(number, _)| set.source.contains(&format!("{number} "))),
    );
    out
}

fn table(out: &mut String, group: &str, values: &toml::Table) {
    for (key, value) in values {
        match value {
            toml::Value::Table(inner) => table(out, &format!("{group}{key}."), inner),
            value => {
                let _ = writeln!(out, "  {group}{key} = {value}");
            }
        }
    }
}

fn catalogue() -> Vec<Entry> {
    let names = |catalog: &[&'static Info]| catalog.iter().map(|i| i.name).collect::<Vec<_>>();
    let (laws, matrices) = (AnyLaw::<f64>::CATALOG, AnyMatrix::<f64>::CATALOG);
    let law = || AnyLaw::named(laws[0].name, ());
    let mut all = Vec::new();
    for info in AnyBristle::<f64>::CATALOG {
        let model = law().and_then(|law| AnyBristle::<f64>::named(info.name, law));
        all.push(entry(
            info,
            "model along a line",
            &names(laws),
            model.map(|m| abilities(info, &m)),
        ));
    }
    for info in AnyPlanar::<f64>::CATALOG {
        let matrix = law().and_then(|law| AnyMatrix::named(matrices[0].name, law));
        let model = matrix.and_then(|matrix| AnyPlanar::<f64>::named(info.name, matrix));
        all.push(entry(
            info,
            "model in a plane",
            &names(matrices),
            model.map(|m| abilities(info, &m)),
        ));
    }
    all.extend(laws.iter().map(|info| entry(info, "law", &[], None)));
    all.extend(matrices.iter().map(|info| entry(info, "friction matrix", &names(laws), None)));
    let (systems, drives) = (AnyMechanism::<f64>::CATALOG, AnySignal::<f64>::CATALOG);
    all.extend(systems.iter().map(|info| entry(info, "system", &names(drives), None)));
    all.extend(drives.iter().map(|info| entry(info, "drive", &[], None)));
    all.extend(PARTS_WITH_NUMBERS.map(|info| entry(info, "part", &[], None)));
    let plain = PARTS.iter().filter(|(kind, _)| !all.iter().any(|e| e.name == *kind));
    let plain: Vec<Entry> = plain
        .map(|(kind, title)| Entry {
            name: kind,
            kind: "part",
            title,
            description: "See docs/machines.md for its keys.",
            source: "",
            rules: "",
            abilities: None,
            parameters: Vec::new(),
            nested: None,
            parameter_sets: Vec::new(),
            trace: None,
        })
        .collect();
    all.extend(plain);
    all
}

/// Parts of machines that have numbers of their own.
pub const PARTS_WITH_NUMBERS: [&Info; 9] = [
    Body::<f64>::INFO,
    Rotor::<f64>::INFO,
    Spring::<f64>::INFO,
    Damper::<f64>::INFO,
    Rope::<f64>::INFO,
    Buffer::<f64>::INFO,
    Stop::<f64>::INFO,
    Control::<f64>::INFO,
    Sampled::<f64>::INFO,
];

fn entry(
    info: &'static Info,
    kind: &'static str,
    nested: &[&'static str],
    abilities: Option<Abilities>,
) -> Entry {
    let of_this = |set: &&sets::ParameterSet| set.models.iter().any(|m| m == info.name);
    Entry {
        name: info.name,
        kind,
        title: info.title,
        description: info.doc,
        source: info.source,
        rules: info.rules,
        abilities,
        parameters: info.params.iter().map(parameter).collect(),
        nested: info.nested.map(|key| Nested { key, options: nested.to_vec() }),
        parameter_sets: sets::all()
            .iter()
            .filter(of_this)
            .map(|s| Set { name: s.name, title: &s.title, source: &s.source })
            .collect(),
        trace: Columns::of(info.name),
    }
}

/// What the model itself answers, asked once at start values.
fn abilities<V: Slip<f64>>(info: &Info, model: &impl Bristle<f64, V>) -> Abilities {
    let at = Drive::new(V::from_fn(|_| 0.01), 1.0);
    let mut z = vec![0.0; model.states()];
    let updates = [
        (Update::Midpoint, "midpoint"),
        (Update::Exponential, "exponential"),
        (Update::End, "end"),
    ];
    Abilities {
        holds_a_stick: info.stick,
        passive: info.passive,
        passivity_condition: model.passivity().why,
        passivity_is_conditional: model.passivity().margin.is_finite(),
        follows_the_law: info.law,
        states: (0..model.states())
            .map(|i| format!("{} ({})", model.variable(i), model.variable(i).unit))
            .collect(),
        any_number_of_branches: info.params.iter().any(|p| matches!(p.kind, Kind::List { .. })),
        fixed_step: updates
            .into_iter()
            .filter(|(how, _)| model.step(*how, &at, 1e-3, &mut z).is_some())
            .map(|(_, name)| name)
            .collect(),
        set_valued_at_rest: model.limits(&at).is_some(),
    }
}

fn parameter(p: &'static Param) -> Parameter {
    let (kind, start, range, options) = match &p.kind {
        Kind::Number { start, range } => {
            // JSON has no infinite numbers.
            let start = match start.is_finite() {
                true => json!(start),
                false => json!(start.to_string()),
            };
            ("number", start, Some(Limits::of(range)), vec![])
        }
        Kind::List { start, range, .. } => ("list", json!(start), Some(Limits::of(range)), vec![]),
        Kind::Choice { start, options, meanings } => {
            let pairs = options.iter().zip(*meanings);
            let options = pairs.map(|(name, meaning)| OptionOf { name, meaning: meaning.trim() });
            ("choice", json!(start), None, options.collect())
        }
    };
    Parameter {
        name: p.name,
        kind,
        unit: p.unit,
        unit_absolute: p.absolute,
        start,
        range,
        options,
        meaning: p.meaning,
        equation: p.equation,
    }
}

fn listed(entries: &[Entry]) -> String {
    let mut out = String::new();
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut kind = "";
    for e in entries {
        if e.kind != kind {
            kind = e.kind;
            let heading = match kind {
                "law" => "Laws: the friction coefficient over speed",
                "friction matrix" => "Friction matrices: friction over direction, around a law",
                "system" => "Systems: what `bristle run` puts a friction model into",
                "drive" => "Drives: what moves a system, as a function of time",
                "part" => "Parts of machines, in lists: [[body]], [[spring]], …",
                "model in a plane" => "Models in a plane, over a friction matrix",
                _ => "Models along a line",
            };
            let _ = write!(out, "{}{heading}\n\n", if out.is_empty() { "" } else { "\n" });
        }
        let _ = writeln!(out, "  {:width$}  {}", e.name, e.title);
    }
    let _ = write!(out, "\nParameter sets\n\n");
    let width = sets::all().iter().map(|s| s.name.len()).max().unwrap_or(0);
    for set in sets::all() {
        let _ = writeln!(out, "  {:width$}  {} ({})", set.name, set.title, set.source);
    }
    papers(&mut out, PAPERS.iter());
    let _ = write!(out, "\n`bristle models NAME` explains one, `--json` prints it for programs.\n");
    out
}

fn explained(e: &Entry) -> String {
    let mut out = String::new();
    let _ = write!(out, "{}: {}\n\n", e.name, e.title);
    for line in wrap(e.description, 78) {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
    }
    let mut facts: Vec<(&str, String)> = vec![("kind", e.kind.into())];
    if !e.source.is_empty() {
        facts.push(("source", e.source.into()));
    }
    if let Some(a) = &e.abilities {
        facts.push(("holds a stick", a.holds_a_stick.into()));
        facts.push(("passive", a.passive.into()));
        if a.passivity_is_conditional {
            facts.push(("", format!("condition: {}", a.passivity_condition)));
        }
        facts.push(("follows the law", a.follows_the_law.into()));
        let more = if a.any_number_of_branches { ", …: one for each branch" } else { "" };
        let states = if a.states.is_empty() { "none".into() } else { a.states.join(", ") };
        facts.push(("states", states + more));
        let steps = if a.fixed_step.is_empty() { "none".into() } else { a.fixed_step.join(", ") };
        facts.push(("fixed step", steps));
        let rest = if a.set_valued_at_rest { "an interval" } else { "a single value" };
        facts.push(("force at v = 0", rest.into()));
    }
    out.push('\n');
    for (name, text) in facts {
        let mut lines = wrap(&text, 60).into_iter();
        let _ = writeln!(out, "  {name:<16} {}", lines.next().unwrap_or_default());
        lines.for_each(|line| {
            let _ = writeln!(out, "  {:<16} {line}", "");
        });
    }
    if !e.parameters.is_empty() {
        out.push_str("\nParameters\n\n");
    }
    for p in &e.parameters {
        let start = match &p.start {
            serde_json::Value::String(s) if p.kind == "number" => s.clone(),
            serde_json::Value::String(s) => format!("\"{s}\""),
            serde_json::Value::Array(a) => {
                format!("[{}]", a.iter().map(plain).collect::<Vec<_>>().join(", "))
            }
            other => plain(other),
        };
        let unit = match (p.unit, p.unit_absolute) {
            ("" | "1", _) => String::new(),
            (unit, None) => format!(" {unit}"),
            (unit, Some(absolute)) => format!(" {unit} (absolute: {absolute})"),
        };
        let range = p.range.as_ref().map(|r| format!(", range {}", r.text)).unwrap_or_default();
        let _ = writeln!(out, "  {} = {start}{unit}{range}", p.name);
        let equation = match p.equation {
            "" => String::new(),
            equation => format!(", eq. {equation}"),
        };
        let _ = writeln!(out, "      {}{equation}", p.meaning.replace('\n', " "));
        for o in &p.options {
            let _ = writeln!(out, "      \"{}\": {}", o.name, o.meaning);
        }
    }
    if !e.rules.is_empty() {
        let _ = write!(out, "\n  with {}\n", e.rules);
    }
    if let Some(nested) = &e.nested {
        let _ = write!(out, "\n  {}.model = one of {}\n", nested.key, nested.options.join(", "));
    }
    if let Some(Columns { columns, initial }) = &e.trace {
        let recorded =
            format!("{}; the last states are those of the friction model", columns.join(", "));
        let signs = "F is positive for positive sliding and acts on the body against it; power F·v_rel > 0 is taken from the body";
        let set = format!("{} = … in [initial] starts a state elsewhere", initial.join(", "));
        out.push_str("\nTrace\n\n");
        for (name, text) in [("columns", recorded), ("signs", signs.into()), ("initial", set)] {
            let mut lines = wrap(&text, 66).into_iter();
            let _ = writeln!(out, "  {name:<8} {}", lines.next().unwrap_or_default());
            lines.for_each(|line| {
                let _ = writeln!(out, "  {:<8} {line}", "");
            });
        }
    }
    if !e.parameter_sets.is_empty() {
        out.push_str("\nParameter sets\n\n");
        for set in &e.parameter_sets {
            let _ = writeln!(out, "  {}: {} ({})", set.name, set.title, set.source);
        }
    }
    let cited = PAPERS.iter().filter(|(number, _)| {
        let cites = |text: &str| text.contains(&format!("{number} "));
        cites(e.source) || e.parameters.iter().any(|p| cites(p.equation))
    });
    papers(&mut out, cited);
    out
}

/// What the numbers of papers stand for.
fn papers<'a>(out: &mut String, which: impl Iterator<Item = &'a (&'static str, &'static str)>) {
    let mut heading = "\nPapers\n\n";
    for (number, title) in which {
        let mut lines = wrap(title, 72).into_iter();
        let _ = writeln!(out, "{heading}  {number}  {}", lines.next().unwrap_or_default());
        lines.for_each(|line| {
            let _ = writeln!(out, "       {line}");
        });
        heading = "";
    }
}

/// A number as a person writes it.
fn plain(value: &serde_json::Value) -> String {
    match value.as_f64() {
        Some(x) if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) => format!("{x:e}"),
        Some(x) => x.to_string(),
        None => value.to_string(),
    }
}

/// Breaks text into lines of at most `width` characters; an empty line stays one.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split("\n\n") {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}
