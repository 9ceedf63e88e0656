//! What a unit is made from: the text that stands in its resources.
//!
//! ```toml
//! [bristle]
//! version = "0.1.0"
//! kind = "system"                 # element, system, machine, patch
//! drives = "inputs"               # or "inside"
//!
//! [model.system]                  # the scenario, with what was set over it
//! model = "belt"
//! ```
use crate::block::{Block, Description, Fault, Role, Variable};
use crate::element::Element;
use crate::patch::PatchBlock;
use crate::system::{Input, Origin, Parameter, SystemBlock};
use bristle_kernel::{AnyBristle, Field, Group, Kind, Params};
use bristle_scenario::{Scenario, Setting, Subject, machine, patch};
use bristle_simulation::Simulation;
use bristle_system::{AnyMechanism, Mechanism};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What stands in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A friction element.
    Element,
    /// A mechanism of the catalogue with its friction.
    System,
    /// A machine of parts.
    Machine,
    /// A contact patch.
    Patch,
}

const MATTERS: [(Matter, &str); 4] = [
    (Matter::Element, "element"),
    (Matter::System, "system"),
    (Matter::Machine, "machine"),
    (Matter::Patch, "patch"),
];

/// What a unit is made from.
#[derive(Clone, Debug)]
pub struct Source {
    /// What stands in it.
    pub matter: Matter,
    /// Whether drives come from outside.
    pub drives_are_inputs: bool,
    /// The file, with what was set over it.
    pub model: Table,
    /// Where the logs are that it reads.
    pub folder: PathBuf,
    /// Those logs.
    pub logs: Vec<String>,
}

/// A block and what it is.
pub type Made = (Box<dyn Block>, Description);

impl Source {
    /// From the text of a file of a user's, with settings put over it.
    pub fn of_file(
        text: &str,
        settings: &[Setting],
        folder: &Path,
        inputs: bool,
    ) -> Result<Self, Fault> {
        let file: Table = text.parse().map_err(|e: toml::de::Error| Fault::from(e.message()))?;
        let mut source = Source {
            matter: Matter::Element,
            drives_are_inputs: inputs,
            model: Table::new(),
            folder: folder.to_owned(),
            logs: Vec::new(),
        };
        if file.contains_key("patch") || file.contains_key("rolling") {
            patch::Scenario::read(text, settings)?;
            source.matter = Matter::Patch;
            source.model = bristle_scenario::table::overlaid(text, settings)?;
        } else if machine::Scenario::is_one(text) {
            let scenario = machine::Scenario::read(text, settings, folder)?;
            source.matter = Matter::Machine;
            source.logs = scenario.logs.iter().map(|(name, _)| name.clone()).collect();
            source.model = scenario.table;
        } else {
            match Subject::read(text, settings, folder)? {
                Subject::System(scenario) => {
                    source.matter = Matter::System;
                    source.model = scenario.table;
                }
                Subject::Friction(mut model) => source.model = written(&mut model),
                Subject::Plane(_) => return Err(Fault::from(PLANE)),
                Subject::Line(_) => return Err(Fault::from(LINE)),
            }
        }
        // A parameter set in a file of its own would be missing elsewhere.
        source.resolve()?;
        Ok(source)
    }

    /// A friction model by name.
    pub fn of_model(name: &str, settings: &[Setting]) -> Result<Self, Fault> {
        let text = format!("[friction]\nmodel = {}\n", Value::String(name.to_owned()));
        Source::of_file(&text, settings, Path::new("."), true)
    }

    /// Writes friction out with all its numbers, so that nothing depends on sets by name.
    fn resolve(&mut self) -> Result<(), Fault> {
        if self.matter == Matter::System {
            let mut scenario = Scenario::read(&self.text(), &[])?;
            let Value::Table(friction) = written(&mut scenario.friction)["friction"].clone() else {
                return Ok(());
            };
            self.model.insert("friction".into(), Value::Table(friction));
        }
        Ok(())
    }

    fn text(&self) -> String {
        self.model.to_string()
    }

    /// From the text in a unit's resources, which stand in `folder`.
    pub fn of_resources(text: &str, folder: &Path) -> Result<Self, Fault> {
        let mut whole: Table =
            text.parse().map_err(|e: toml::de::Error| Fault::from(e.message()))?;
        let damaged = || Fault::from("the unit's resources are damaged: export it again");
        let head = whole.get("bristle").and_then(Value::as_table).ok_or_else(damaged)?.clone();
        let named = |key: &str| head.get(key).and_then(Value::as_str);
        let matter = MATTERS.iter().find(|(_, name)| Some(*name) == named("kind"));
        let Some(Value::Table(model)) = whole.remove("model") else { return Err(damaged()) };
        Ok(Source {
            matter: matter.ok_or_else(damaged)?.0,
            drives_are_inputs: named("drives") == Some("inputs"),
            model,
            folder: folder.to_owned(),
            logs: Vec::new(),
        })
    }

    /// The text for a unit's resources.
    pub fn to_resources(&self) -> String {
        let kind = MATTERS.iter().find(|(m, _)| *m == self.matter).map_or("", |(_, name)| *name);
        let mut head = Table::new();
        head.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        head.insert("kind".into(), kind.into());
        head.insert(
            "drives".into(),
            if self.drives_are_inputs { "inputs" } else { "inside" }.into(),
        );
        let mut whole = Table::new();
        whole.insert("bristle".into(), Value::Table(head));
        whole.insert("model".into(), Value::Table(self.model.clone()));
        whole.to_string()
    }

    /// The block, and what it is.
    pub fn make(&self) -> Result<Made, Fault> {
        match self.matter {
            Matter::Element => match Subject::read(&self.text(), &[], &self.folder)? {
                Subject::Friction(model) => {
                    let (block, description) = Element::new(model);
                    Ok((Box::new(block), description))
                }
                _ => Err(Fault::from(PLANE)),
            },
            Matter::Patch => {
                let (block, description) =
                    PatchBlock::new(&patch::Scenario::read(&self.text(), &[])?)?;
                Ok((Box::new(block), description))
            }
            Matter::System => {
                let (block, description) = SystemBlock::new(self.system()?)?;
                Ok((Box::new(block), description))
            }
            Matter::Machine => {
                let (block, description) = SystemBlock::new(self.machine()?)?;
                Ok((Box::new(block), description))
            }
        }
    }

    fn system(&self) -> Result<Origin<AnyMechanism<f64>>, Fault> {
        let mut model = self.model.clone();
        let mut scenario = Scenario::read(&self.text(), &[])?;
        let (system, y) = scenario.system()?;
        let mut inputs = Vec::new();
        let drive = system.mechanism.drives().first().copied();
        if let Some(drive) = drive.filter(|d| self.drives_are_inputs && !is_position(d.unit)) {
            let start = system.mechanism.input(0, 0.0, &system.begin(0.0, &y).phase);
            let key = "system.drive".to_owned();
            put(&mut model, &key, ramp(start));
            let name = match system.mechanism.shows_drives() {
                true => format!("{}_in", drive.name),
                false => drive.name.to_owned(),
            };
            inputs.push(Input { key, name, unit: drive.unit.to_owned(), start });
        }
        let mut parameters = Vec::new();
        numbers("system.", &mut scenario.mechanism, &mut parameters);
        parameters.retain(|p| inputs.is_empty() || !p.key.starts_with("system.drive."));
        numbers("friction.", &mut scenario.friction, &mut parameters);
        number_them(&mut parameters);
        let text = model.to_string();
        let (keys, starts) = (parameters.clone(), inputs.clone());
        let make = move |values: &[f64], given: &[f64]| -> Result<Simulation<_>, Fault> {
            let scenario = Scenario::read(&text, &settings(&keys, &starts, values, given))?;
            Ok(scenario.simulation()?)
        };
        Ok(Origin {
            name: scenario.mechanism.info().name.to_owned(),
            title: or(&scenario.title, scenario.mechanism.info().title),
            parameters,
            inputs,
            end: scenario.run.end,
            tolerance: scenario.run.tolerance,
            make: Box::new(make),
        })
    }

    fn machine(&self) -> Result<Origin<bristle_machine::Machine>, Fault> {
        let mut model = self.model.clone();
        let mut inputs = Vec::new();
        if self.drives_are_inputs {
            for (kind, field, unit, turned) in DRIVES {
                let parts = self.model.get(kind).and_then(Value::as_array);
                for (k, part) in parts.into_iter().flatten().enumerate() {
                    let Some(value) = part.get(field) else { continue };
                    let turns = part.get("turning").and_then(Value::as_bool).unwrap_or(false);
                    let Some(start) = at_start(value) else { continue };
                    let name = part.get("name").and_then(Value::as_str).unwrap_or_default();
                    let key = format!("{kind}.{name}.{field}");
                    let unit = if turns { turned } else { unit };
                    if let Some(Value::Array(list)) = model.get_mut(kind)
                        && let Some(Value::Table(own)) = list.get_mut(k)
                    {
                        own.insert(field.into(), ramp(start));
                    }
                    let name = format!("{field}_{name}");
                    inputs.push(Input { key, name, unit: unit.to_owned(), start });
                }
            }
        }
        let text = model.to_string();
        let scenario = machine::Scenario::read(&text, &[], &self.folder)?;
        let mut parameters = Vec::new();
        for (kind, _) in machine::PARTS {
            let parts = model.get(kind).and_then(Value::as_array);
            for part in parts.into_iter().flatten().filter_map(Value::as_table) {
                let Some(name) = part.get("name").and_then(Value::as_str) else { continue };
                let is_input = |key: &str| inputs.iter().any(|i| key.starts_with(&i.key));
                leaves(&format!("{kind}.{name}."), part, &mut |key, x| {
                    if !is_input(&key) && kind != "measured" {
                        let field = key.rsplit('.').next().unwrap_or_default();
                        parameters.push(leaf(key.clone(), x, machine::declared(kind, field)));
                    }
                });
            }
        }
        if let Some(friction) = model.get("friction").and_then(Value::as_table) {
            leaves("friction.", friction, &mut |key, x| parameters.push(leaf(key, x, None)));
        }
        number_them(&mut parameters);
        let (keys, starts, folder) = (parameters.clone(), inputs.clone(), self.folder.clone());
        let make = move |values: &[f64], given: &[f64]| -> Result<Simulation<_>, Fault> {
            let settings = settings(&keys, &starts, values, given);
            Ok(machine::Scenario::read(&text, &settings, &folder)?.simulation()?)
        };
        Ok(Origin {
            name: "machine".to_owned(),
            title: or(&scenario.title, "machine of parts"),
            parameters,
            inputs,
            end: scenario.run.end,
            tolerance: scenario.run.tolerance,
            make: Box::new(make),
        })
    }
}

const PLANE: &str =
    "a friction element in a plane cannot be exported alone: export the patch that it rolls in";
const LINE: &str =
    "a line contact cannot be exported: export a patch, or the element that it is made of";

/// What drives a machine: part, field, and units along a line and about an axis. Positions stay inside: what follows them needs
/// their velocity, which an input does not tell.
const DRIVES: [(&str, &str, &str, &str); 3] = [
    ("motion", "velocity", "m/s", "rad/s"),
    ("force", "force", "N", "N"),
    ("force", "torque", "N*m", "N*m"),
];

fn is_position(unit: &str) -> bool {
    matches!(unit, "m" | "rad")
}

fn or(text: &str, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
}

fn ramp(value: f64) -> Value {
    let mut table = Table::new();
    table.insert("model".into(), "ramp".into());
    table.insert("value".into(), Value::Float(value));
    Value::Table(table)
}

/// The value of an input at the start, if it is a number or one signal.
fn at_start(value: &Value) -> Option<f64> {
    // A signal is read as the drive of any system.
    if let Some(x) = value.as_float().or_else(|| value.as_integer().map(|i| i as f64)) {
        return Some(x);
    }
    let table = value.as_table().filter(|table| table.contains_key("model"))?;
    let text = "[system]\nmodel = \"mass\"\n[friction]\nmodel = \"dahl\"\n[run]\nend = 1.0\n";
    let mut whole: Table = text.parse().ok()?;
    put(&mut whole, "system.drive", Value::Table(table.clone()));
    let scenario = Scenario::read(&whole.to_string(), &[]).ok()?;
    let phase: Vec<usize> = vec![passed(&scenario.mechanism)];
    Some(scenario.mechanism.input(0, 0.0, &phase)).filter(|x: &f64| x.is_finite())
}

/// How many switches the drive has passed at t = 0.
fn passed(mechanism: &AnyMechanism<f64>) -> usize {
    (0..).take_while(|k| mechanism.switch(0, *k) <= 0.0).count()
}

/// Puts a value at a dotted key.
fn put(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.into(), value);
        }
        Some((group, rest)) => {
            let inner = table.entry(group).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// Calls `each` with every number of a table and its key.
fn leaves(group: &str, table: &Table, each: &mut impl FnMut(String, f64)) {
    for (key, value) in table {
        match value {
            Value::Float(x) => each(format!("{group}{key}"), *x),
            Value::Integer(i) => each(format!("{group}{key}"), *i as f64),
            Value::Table(inner) if !inner.contains_key("file") => {
                leaves(&format!("{group}{key}."), inner, each);
            }
            _ => {}
        }
    }
}

fn leaf(key: String, x: f64, declared: Option<&'static bristle_kernel::Param>) -> Parameter {
    let mut variable = Variable::new(&key, "", Role::Parameter(0));
    variable.start = Some(x);
    if let Some(param) = declared {
        variable.unit = param.unit.to_owned();
        variable.meaning = param.meaning.to_owned();
        if let Kind::Number { range, .. } = param.kind {
            variable.range = Some(range);
        }
    }
    Parameter { key, index: None, variable }
}

/// Every number that a thing declares.
fn numbers(prefix: &str, params: &mut dyn Params<f64>, out: &mut Vec<Parameter>) {
    params.visit(Group::default(), &mut |visit| {
        let key = format!("{prefix}{}{}", visit.group, visit.param.name);
        let range = match visit.param.kind {
            Kind::Number { range, .. } | Kind::List { range, .. } => Some(range),
            Kind::Choice { .. } => None,
        };
        let unit = if visit.unit == "drive" { "" } else { visit.unit };
        let mut enter = |index: Option<usize>, x: f64| {
            let name = index.map_or_else(|| key.clone(), |k| format!("{key}[{k}]"));
            let variable = Variable {
                meaning: visit.param.meaning.to_owned(),
                start: Some(x),
                range,
                ..Variable::new(name, unit, Role::Parameter(0))
            };
            out.push(Parameter { key: key.clone(), index, variable });
        };
        match &visit.field {
            Field::Number(x) => enter(None, **x),
            Field::List(list) => list.iter().enumerate().for_each(|(k, x)| enter(Some(k), *x)),
            Field::Choice(_) => {}
        }
    });
}

fn number_them(parameters: &mut [Parameter]) {
    for (k, parameter) in parameters.iter_mut().enumerate() {
        parameter.variable.role = Role::Parameter(k);
    }
}

/// What differs from the file, as settings.
fn settings(keys: &[Parameter], inputs: &[Input], values: &[f64], given: &[f64]) -> Vec<Setting> {
    let mut all: Vec<Setting> = Vec::new();
    for (parameter, value) in keys.iter().zip(values) {
        let Some(index) = parameter.index else {
            if parameter.variable.start != Some(*value) {
                all.push(Setting::new(&parameter.key, *value));
            }
            continue;
        };
        // A list is set as a whole.
        if index == 0 {
            all.push(Setting::new(&parameter.key, Value::Array(Vec::new())));
        }
        if let Some(Setting { value: Value::Array(list), .. }) = all.last_mut() {
            list.push(Value::Float(*value));
        }
    }
    for (input, value) in inputs.iter().zip(given) {
        all.push(Setting::new(format!("{}.value", input.key), *value));
    }
    all
}

/// A friction element as a table `[friction]`, with all its numbers.
fn written(model: &mut AnyBristle<f64>) -> Table {
    let mut table = Table::new();
    put(&mut table, "friction.model", model.info().name.into());
    model.visit(Group::default(), &mut |visit| {
        let group = format!("friction.{}", visit.group);
        if group != "friction." {
            put(&mut table, &format!("{group}model"), visit.model.into());
        }
        let value = match visit.field {
            Field::Number(x) => Value::Float(*x),
            Field::List(list) => Value::Array(list.iter().map(|x| Value::Float(*x)).collect()),
            Field::Choice(choice) => choice.get().into(),
        };
        put(&mut table, &format!("{group}{}", visit.param.name), value);
    });
    table
}
