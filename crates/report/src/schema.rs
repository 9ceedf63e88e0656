//! What scenario files may say, as a JSON schema for editors. It is made from the models' own declarations.
use bristle_contact::patch::{Patch, Rolling};
use bristle_kernel::{AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Info, Kind, Model, Param, Range};
use bristle_scenario::{line, patch, sets};
use bristle_system::{AnyMechanism, AnySignal};
use serde_json::{Map, Value, json};

/// Which files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Of `bristle run`.
    Run,
    /// Of `bristle patch`.
    Patch,
    /// Of `bristle line`.
    Line,
}

/// The schema of one kind of file.
pub fn schema(which: Which) -> Value {
    let sections = match which {
        Which::Run => json!({
            "system": any(AnyMechanism::<f64>::CATALOG, &[("drive", signal())], true),
            "friction": on_line(true),
            "observer": on_line(false),
            "initial": {
                "description": "states that do not start where the system says, by their names in the trace",
                "type": "object",
                "additionalProperties": { "type": "number" },
            },
            "run": object(bristle_scenario::Run::<f64>::INFO, &[]),
            "figure": {
                "type": "object",
                "additionalProperties": false,
                "properties": { "panels": {
                    "description": "each panel: columns over time, or over another column",
                    "type": "array",
                    "items": { "anyOf": [columns("the columns shown over time"), {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["x", "y"],
                        "properties": {
                            "x": { "description": "the column to the right", "type": "string" },
                            "y": columns("the columns shown over it"),
                            "law": {
                                "description": "the force of steady sliding as well, over a velocity",
                                "type": "boolean", "default": false,
                            },
                        },
                    }] },
                } },
            },
        }),
        Which::Patch => json!({
            "patch": object(Patch::<f64>::INFO, &[("table", json!({
                "description": "pressures of your own: rows along x from -a to a, the first at y = -b",
                "type": "array",
                "items": { "type": "array", "items": { "type": "number" } },
            }))]),
            "rolling": object(Rolling::<f64>::INFO, &[]),
            "friction": in_plane(),
            "run": object(patch::Run::<f64>::INFO, &[]),
            "surface": object(patch::Grid::<f64>::INFO, &[]),
            "transient": object(patch::Transient::<f64>::INFO, &patch::SIGNALS.map(|name| (name, signal()))),
        }),
        Which::Line => json!({
            "line": object(line::Contact::<f64>::INFO, &[]),
            "along": along(),
            "friction": on_line(true),
            "slip": signal(),
            "transport": signal(),
            "length": signal(),
            "profile": object(line::Profiles::<f64>::INFO, &[]),
            "run": object(line::Run::<f64>::INFO, &[]),
        }),
    };
    let mut properties = Map::new();
    for (name, meaning) in [
        ("title", "one line, on top of the figure"),
        ("source", "where it is from"),
        ("note", "what to know of it"),
    ] {
        properties.insert(name.into(), json!({ "description": meaning, "type": "string" }));
    }
    if let Value::Object(sections) = sections {
        properties.extend(sections);
    }
    let required = match which {
        Which::Run => json!(["system", "friction", "run"]),
        Which::Patch => json!([]),
        Which::Line => json!(["friction"]),
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bristle scenario",
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

/// What changes along a line: lists by name, numbers of a friction model among them, or a table beside the file.
fn along() -> Value {
    let list = |meaning: String| json!({ "description": meaning, "type": "array", "items": { "type": "number" } });
    let mut properties: Map<String, Value> = line::COLUMNS
        .iter()
        .map(|(name, unit, _, meaning)| ((*name).to_owned(), list(format!("{meaning}, {unit}"))))
        .collect();
    properties.insert(
        "file".into(),
        json!({ "description": "a table beside the file, columns headed like `sigma0 [1/m]`", "type": "string" }),
    );
    json!({
        "description": "what changes along the line, straight between points; any number of the friction model by its name",
        "type": "object",
        "properties": properties,
        "additionalProperties": { "anyOf": [list("a number of the friction model".into()), { "type": "object" }] },
    })
}

fn columns(meaning: &str) -> Value {
    json!({ "description": meaning, "type": "array", "items": { "type": "string" } })
}

/// A friction element along a line; an observer names only what it has otherwise.
fn on_line(whole: bool) -> Value {
    any(AnyBristle::<f64>::CATALOG, &[("law", law()), ("set", set())], whole)
}

fn in_plane() -> Value {
    let matrix = any(AnyMatrix::<f64>::CATALOG, &[("law", law())], false);
    any(AnyPlanar::<f64>::CATALOG, &[("matrix", matrix), ("set", set())], true)
}

fn law() -> Value {
    any(AnyLaw::<f64>::CATALOG, &[], false)
}

fn signal() -> Value {
    any(AnySignal::<f64>::CATALOG, &[], false)
}

fn set() -> Value {
    let names: Vec<&str> = sets::all().iter().map(|s| s.name).chain([sets::NONE]).collect();
    json!({ "description": "a parameter set to start from; none for start values", "enum": names })
}

/// One of a catalogue, by its `model`, which may be left out where something else says it.
fn any(catalog: &[&'static Info], more: &[(&'static str, Value)], named: bool) -> Value {
    let one = |info: &&'static Info| {
        let nested = |(name, _): &&(&str, Value)| match *name {
            "law" | "matrix" => info.nested == Some(*name),
            _ => true,
        };
        let more: Vec<_> = more.iter().filter(nested).cloned().collect();
        let mut one = object(info, &more);
        one["properties"]["model"] = json!({ "const": info.name, "description": info.title });
        if named {
            one["required"] = json!(["model"]);
        }
        one
    };
    json!({ "anyOf": catalog.iter().map(one).collect::<Vec<_>>() })
}

/// A table with these parameters.
fn object(info: &'static Info, more: &[(&'static str, Value)]) -> Value {
    let mut properties: Map<String, Value> =
        info.params.iter().map(|p| (p.name.to_owned(), parameter(p))).collect();
    properties.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    json!({
        "description": info.title,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn parameter(p: &Param) -> Value {
    let mut meaning = p.meaning.to_owned();
    if !matches!(p.unit, "" | "1") {
        meaning += &format!(", {}", p.unit);
    }
    if !p.equation.is_empty() {
        meaning += &format!(" ({})", p.equation);
    }
    match p.kind {
        Kind::Number { start, range } => {
            let mut number = within(range);
            number["description"] = json!(meaning);
            number["default"] = json!(start);
            number
        }
        Kind::List { start, range, .. } => json!({
            "description": meaning, "type": "array", "items": within(range), "default": start,
        }),
        // The models of rolling contact are numbered: a number will do as well as a text.
        Kind::Choice { start, options, .. } => {
            let numbers = options.iter().filter_map(|o| o.parse::<i64>().ok()).map(Value::from);
            let all: Vec<Value> = options.iter().map(|o| json!(o)).chain(numbers).collect();
            json!({ "description": meaning, "enum": all, "default": start })
        }
    }
}

fn within(range: Range) -> Value {
    let mut number = json!({ "type": "number" });
    if range.lo.is_finite() {
        number[if range.lo_open { "exclusiveMinimum" } else { "minimum" }] = json!(range.lo);
    }
    if range.hi.is_finite() {
        number[if range.hi_open { "exclusiveMaximum" } else { "maximum" }] = json!(range.hi);
    }
    number
}
