//! TOML tables become things with parameters; what is wrong with them is collected.
use crate::nearest;
use crate::places::Places;
use crate::setting::Setting;
use bristle_kernel::{Fault, Field, Group, Info, Kind, Params};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use toml::{Table, Value};

/// One thing that is wrong with a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// A name that is in no catalogue.
    UnknownModel {
        /// The key that names it.
        key: String,
        /// What was typed.
        name: String,
        /// What there is.
        options: Vec<&'static str>,
    },
    /// A key that the model does not have.
    UnknownKey {
        /// The key.
        key: String,
        /// The model.
        model: &'static str,
        /// The keys it has.
        options: Vec<String>,
    },
    /// A value of the wrong kind.
    WrongKind {
        /// The key.
        key: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A key that must be there and is not.
    Missing {
        /// The key.
        key: String,
        /// What it names.
        what: &'static str,
        /// What there is; empty if it is a number.
        options: Vec<&'static str>,
    },
    /// A name of a state or column that the run does not have.
    UnknownName {
        /// The key under which it stands.
        key: String,
        /// What was typed.
        name: String,
        /// What may be meant.
        near: Option<String>,
        /// What there is.
        options: Vec<String>,
    },
    /// A set-valued model for an observer.
    SetValuedObserver {
        /// Its name.
        model: &'static str,
    },
    /// An observer where none is.
    NoObserver,
    /// A file of another command.
    OtherCommand {
        /// The section that tells.
        section: String,
        /// The command that takes it.
        command: &'static str,
    },
    /// A model that fixed steps cannot take.
    NoFixedStep {
        /// Its name.
        model: &'static str,
    },
    /// A part of a machine that does not fit.
    Part {
        /// The key: `spring[0].between`.
        key: String,
        /// What is wrong with it, and what to do.
        text: String,
    },
    /// A parameter set that cannot be had.
    Set {
        /// The key that names it.
        key: String,
        /// Why.
        error: String,
    },
    /// A number or a relation that the model refuses.
    Fault {
        /// What the model's keys begin with: `friction.`
        prefix: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The text is not TOML.
    Syntax(String),
    /// One of these, and where it stands.
    Located {
        /// Where.
        at: At,
        /// What.
        problem: Box<Problem>,
    },
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The file.
    Line {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
    },
    /// What was set over it, by key.
    Setting(String),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Line { line, column } => write!(f, "line {line}, column {column}"),
            At::Setting(key) => write!(f, "--set {}", cut(key)),
        }
    }
}

impl Problem {
    /// Faults of a model whose keys begin with `prefix`.
    pub(crate) fn fault(prefix: &str) -> impl Fn(Fault) -> Problem {
        let prefix = prefix.to_owned();
        move |fault| Problem::Fault { prefix: prefix.clone(), fault }
    }

    /// The key that it is about.
    pub fn key(&self) -> Option<String> {
        Some(match self {
            Problem::UnknownModel { key, .. }
            | Problem::UnknownKey { key, .. }
            | Problem::WrongKind { key, .. }
            | Problem::Missing { key, .. }
            | Problem::Part { key, .. }
            | Problem::Set { key, .. } => key.clone(),
            Problem::UnknownName { key, name, .. } => format!("{key}.{name}"),
            Problem::NoObserver => "observer".into(),
            Problem::OtherCommand { section, .. } => section.clone(),
            Problem::NoFixedStep { .. } => "run.method".into(),
            Problem::SetValuedObserver { .. } => "friction.model".into(),
            Problem::Fault { prefix, fault } => format!("{prefix}{}{}", fault.group, fault.name),
            Problem::Located { problem, .. } => return problem.key(),
            Problem::Syntax(_) => return None,
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = |f: &mut fmt::Formatter<'_>, typed: &str, options: &[&str]| match nearest(
            typed,
            options.iter().copied(),
        ) {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => write!(f, "; there are {}", options.join(", ")),
        };
        match self {
            Problem::UnknownModel { key, name, options } => {
                let name = &cut(name);
                write!(f, "{key} = \"{name}\" is not a model")?;
                hint(f, name, options)
            }
            Problem::UnknownKey { key, model, options } => {
                let key = &cut(key);
                write!(f, "`{model}` has no parameter `{key}`")?;
                hint(f, key, &options.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Problem::WrongKind { key, expected, found } => {
                write!(f, "{} = {} must be {expected}", cut(key), cut(found))
            }
            Problem::Missing { key, what, options } if options.is_empty() => {
                write!(f, "{key} is missing: give {what}")
            }
            Problem::Missing { key, what, options } => {
                write!(f, "{key} is missing: name {what}; there are {}", options.join(", "))
            }
            Problem::UnknownName { key, name, near, options } => {
                write!(f, "{key}: the run has no `{}`", cut(name))?;
                match near {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => write!(f, "; it has {}", options.join(", ")),
                }
            }
            Problem::SetValuedObserver { model } => write!(
                f,
                "`{model}` is set-valued at rest: what holds a body there no observer can compute; give \
                 [observer] another model, or take compensation = \"none\""
            ),
            Problem::NoObserver => write!(
                f,
                "the system has no observer; leave [observer] out, or take system.model = \"arm\" with \
                 compensation = \"observer\""
            ),
            Problem::OtherCommand { section, command } => write!(
                f,
                "[{section}] is a section of another kind of file: take `{command}` for this one"
            ),
            Problem::NoFixedStep { model } => write!(
                f,
                "run.method = \"fixed\" cannot take `{model}` with this update, which it does not have; take \
                 run.update = \"midpoint\", or run.method = \"radau\""
            ),
            Problem::Set { key, error } => write!(f, "{key}: {error}"),
            Problem::Part { key, text } => write!(f, "{}: {}", cut(key), cut(text)),
            Problem::Syntax(text) => {
                let lines: Vec<String> = text.trim_end().lines().map(cut).collect();
                f.write_str(&lines.join("\n"))
            }
            Problem::Fault { fault, .. } => fault.fmt(f),
            Problem::Located { at, problem } => write!(f, "{at}: {problem}"),
        }
    }
}

/// All that is wrong with a table, one to a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

/// A message shows so many characters of what was typed.
const SHOWN: usize = 200;
/// A title, which stands over a figure, has at most so many characters.
const LONGEST_TITLE: usize = 200;

/// A text as a message shows it: what is long is cut.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What to do with keys that a model does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strays {
    /// They are mistakes.
    Refuse,
    /// They are mistakes, and so is the name of a model: there is nothing to choose.
    RefuseModels,
    /// They are for other models: a parameter set serves several.
    Ignore,
}

/// Problems of a file, each with the place where its key stands.
pub fn located(text: &str, problems: Vec<Problem>) -> Problems {
    Places::of(text, &[]).locate(problems)
}

/// A file's text with settings put over it, unchecked.
pub fn overlaid(text: &str, settings: &[Setting]) -> Result<Table, Problems> {
    let mut table: Table = text.parse().map_err(|_| syntax(text))?;
    for Setting { key, value } in settings {
        put(&mut table, key, value.clone());
    }
    Ok(table)
}

/// The sections of a file, with `settings` put over them. A file may also have a
/// title, a source and a note.
pub(crate) fn sections(
    text: &str,
    settings: &[Setting],
    kind: &'static str,
    names: &[&str],
    problems: &mut Vec<Problem>,
) -> Result<Table, Problems> {
    let mut table: Table = text.parse().map_err(|_| syntax(text))?;
    if let Some(problem) = other_command(&table, kind) {
        return Err(Places::of(text, &[]).locate(vec![problem]));
    }
    let options = || ["title", "source", "note"].iter().chain(names).map(|n| (*n).to_owned());
    for Setting { key, value } in settings {
        if key.split('.').any(str::is_empty) {
            let (key, options) = (key.to_owned(), options().collect());
            problems.push(Problem::UnknownKey { key, model: kind, options });
        } else {
            put(&mut table, key, value.clone());
        }
    }
    for key in table.keys().filter(|k| !options().any(|o| o == **k)) {
        let (key, options) = (key.clone(), options().collect());
        problems.push(Problem::UnknownKey { key, model: kind, options });
    }
    let is_part = |v: &Value| v.as_array().is_some_and(|parts| parts.iter().all(Value::is_table));
    for key in names {
        let parts = kind == MACHINE && !SECTIONS_OF_A_MACHINE.contains(key);
        if let Some(value) = table.get(*key).filter(|v| parts && !is_part(v)) {
            let (key, found) = ((*key).to_owned(), value.to_string());
            let expected = format!("a list of parts: write [[{key}]] before each");
            problems.push(Problem::WrongKind { key, expected, found });
        }
        if let Some(value) = table.get(*key).filter(|v| !parts && !v.is_table()) {
            let (key, found) = ((*key).to_owned(), value.to_string());
            problems.push(Problem::WrongKind { key, expected: "a table".into(), found });
        }
    }
    if let Some(title) = table.get("title").filter(|t| is_too_long(t)) {
        problems.push(Problem::WrongKind {
            key: "title".into(),
            expected: format!("at most {LONGEST_TITLE} characters long"),
            found: title.to_string(),
        });
    }
    Ok(table)
}

/// What files of machines are called, and those of their sections that are no lists of parts.
pub(crate) const MACHINE: &str = "machine";
pub(crate) const SECTIONS_OF_A_MACHINE: [&str; 4] = ["friction", "initial", "run", "figure"];

/// Sections that tell which command a file is for, and what its kind is called.
const TELLING: [(&str, &str, &str); 9] = [
    ("system", "scenario", "bristle run"),
    ("body", "machine", "bristle run"),
    ("transient", "patch scenario", "bristle patch transient"),
    ("surface", "patch scenario", "bristle patch surface"),
    ("patch", "patch scenario", "bristle patch steady"),
    ("rolling", "patch scenario", "bristle patch steady"),
    ("line", "line scenario", "bristle line"),
    ("slip", "line scenario", "bristle line"),
    ("transport", "line scenario", "bristle line"),
];

/// A file that tells of another command, and of its own in no section.
fn other_command(table: &Table, kind: &str) -> Option<Problem> {
    let mut told = TELLING.iter().filter(|(section, ..)| table.contains_key(*section));
    if told.clone().any(|(_, of, _)| *of == kind) {
        return None;
    }
    let (section, _, command) = told.next()?;
    Some(Problem::OtherCommand { section: (*section).to_owned(), command })
}

fn is_too_long(title: &Value) -> bool {
    title.as_str().is_some_and(|text| text.chars().nth(LONGEST_TITLE).is_some())
}

/// Everything that makes a text no TOML.
pub(crate) fn syntax(text: &str) -> Problems {
    let (_, errors) = toml::de::DeTable::parse_recoverable(text);
    Problems(errors.iter().map(|e| Problem::Syntax(e.to_string())).collect())
}

/// Puts `friction.law.mu_s = 0.5` into a table, or `contact[0].load = 2` into that of a part.
fn put(table: &mut Table, key: &str, value: Value) {
    if let Some((part, rest)) = key.split_once("].")
        && let Some((list, index)) = part.split_once('[')
    {
        let item =
            index.parse::<usize>().ok().zip(table.get_mut(list).and_then(Value::as_array_mut));
        if let Some(Value::Table(inner)) = item.and_then(|(k, list)| list.get_mut(k)) {
            return put(inner, rest, value);
        }
    }
    let mut over = Table::new();
    let mut parts = key.rsplit('.');
    over.insert(parts.next().unwrap_or_default().to_owned(), value);
    for part in parts {
        over = Table::from_iter([(part.to_owned(), Value::Table(over))]);
    }
    merge(table, &over);
}

/// A file with settings put over it, unchecked; a part of a machine goes by its name, `contact.rail.load`.
pub fn set_over(text: &str, settings: &[Setting]) -> Result<Table, Problems> {
    let file: Table = text.parse().map_err(|_| syntax(text))?;
    let mut table = file.clone();
    for Setting { key, value } in settings.iter().filter(|s| !s.key.split('.').any(str::is_empty)) {
        put(&mut table, &numbered(&file, key), value.clone());
    }
    Ok(table)
}

/// `contact.rail.load` as `contact[0].load`, where `rail` is the first contact.
pub(crate) fn numbered(table: &Table, key: &str) -> String {
    let mut parts = key.splitn(3, '.');
    let (Some(kind), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return key.to_owned();
    };
    let list = table.get(kind).and_then(Value::as_array);
    let named = |part: &Value| part.get("name").and_then(Value::as_str) == Some(name);
    match list.and_then(|list| list.iter().position(named)) {
        Some(k) => format!("{kind}[{k}].{rest}"),
        None => key.to_owned(),
    }
}

/// The table under `key`.
pub(crate) fn inner<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    table.get(key).and_then(Value::as_table)
}

/// The text under `key`, if there is one; anything else there is a problem.
pub(crate) fn text<'a>(
    prefix: &str,
    table: &'a Table,
    key: &str,
    problems: &mut Vec<Problem>,
) -> Option<&'a str> {
    let value = table.get(key)?;
    let text = value.as_str();
    if text.is_none() {
        let (key, found) = (format!("{prefix}{key}"), value.to_string());
        problems.push(Problem::WrongKind { key, expected: "a text".into(), found });
    }
    text
}

/// Puts everything of `over` into `table`, tables inside tables.
pub fn merge(table: &mut Table, over: &Table) {
    for (key, value) in over {
        match (table.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => merge(inner, over),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The name under `model` in a nested table, or the default where nothing is said.
pub(crate) fn choice(
    table: Option<&Table>,
    key: &str,
    catalog: &[&'static Info],
    default: &'static str,
    problems: &mut Vec<Problem>,
) -> Option<&'static str> {
    let Some(value) = table.and_then(|t| t.get("model")) else { return Some(default) };
    let found = value.as_str().and_then(|name| catalog.iter().find(|i| i.name == name));
    if found.is_none() {
        problems.push(Problem::UnknownModel {
            key: key.into(),
            name: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            options: catalog.iter().map(|i| i.name).collect(),
        });
    }
    found.map(|i| i.name)
}

/// Sets every parameter that the table, which stands under `prefix`, gives.
pub(crate) fn fill(
    params: &mut dyn Params<f64>,
    prefix: &str,
    table: &Table,
    strays: Strays,
    problems: &mut Vec<Problem>,
) {
    let mut given = BTreeMap::new();
    flatten(prefix, table, &mut given);
    let mut known = BTreeSet::new();
    // Every group that holds parameters may name its model.
    let mut nested = BTreeSet::from([prefix.to_owned()]);
    let mut model = "";
    params.visit(Group::default(), &mut |visit| {
        let key = format!("{prefix}{}{}", visit.group, visit.param.name);
        if model.is_empty() {
            model = visit.model;
        }
        known.insert(key.clone());
        nested.insert(format!("{prefix}{}", visit.group));
        let Some(value) = given.get(&key) else { return };
        if let Err(expected) = set(visit.field, &visit.param.kind, value) {
            let found = value.to_string();
            problems.push(Problem::WrongKind { key, expected, found });
        }
    });
    if strays == Strays::Refuse {
        known.extend(nested.iter().map(|path| format!("{path}model")));
    }
    if strays != Strays::Ignore {
        // A group of parameters may be there and say nothing.
        let idle =
            |key: &str, value: &Value| value.is_table() && nested.contains(&format!("{key}."));
        for (key, _) in given.iter().filter(|(k, v)| !known.contains(*k) && !idle(k, v)) {
            let options = known.iter().cloned().collect();
            problems.push(Problem::UnknownKey { key: key.clone(), model, options });
        }
    }
}

/// `{law: {mu_s: 1.5}}` → `law.mu_s: 1.5`. An empty table is a value of its own, and seldom a right one.
fn flatten<'a>(group: &str, table: &'a Table, out: &mut BTreeMap<String, &'a Value>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) if !inner.is_empty() => {
                flatten(&format!("{group}{key}."), inner, out);
            }
            value => {
                out.insert(format!("{group}{key}"), value);
            }
        }
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}

/// Stores a value, or says what it must be.
fn set(field: Field<'_, f64>, kind: &Kind, value: &Value) -> Result<(), String> {
    match (field, kind) {
        (Field::Number(x), _) => *x = number(value).ok_or("a number")?,
        (Field::List(list), _) => {
            let array = value.as_array().ok_or("a list of numbers")?;
            *list = array.iter().map(number).collect::<Option<_>>().ok_or("a list of numbers")?;
        }
        (Field::Choice(choice), Kind::Choice { options, .. }) => {
            let known = value.as_str().is_some_and(|name| choice.set(name));
            let near = value.as_str().and_then(|name| nearest(name, options.iter().copied()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
            let all = || format!("one of \"{}\"{hint}", options.join("\", \""));
            known.then_some(()).ok_or_else(all)?;
        }
        (Field::Choice(_), _) => {}
    }
    Ok(())
}
