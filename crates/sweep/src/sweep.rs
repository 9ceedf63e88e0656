//! A sweep: what is run, what is varied, what is kept of each run.
//!
//! ```toml
//! title = "Drift under pulses"
//! base = "pulse.toml"             # a scenario, machine, patch or line; what `bristle run` takes
//! # command = "run"               # run, cycle, patch, line, audit; what is usual for the file if absent
//!
//! [set]                           # put over the base
//! friction.model = "lugre"
//!
//! [[vary]]                        # the last one changes fastest
//! key = "friction.sigma1"
//! values = "0:800:35"             # from:to:count, with :log; or a list; or a distribution, as normal(400, 40)
//!
//! [[keep]]
//! name = "drift"
//! unit = "mm"
//! value = "1e3*end(x)"
//!
//! [samples]                       # for distributions
//! count = 1000
//! method = "random"               # random, latin_hypercube, sobol
//! seed = 1
//! sensitivities = false           # Sobol indices
//!
//! # [boundary]                    # in place of [[keep]]: where along a key a property changes
//! # key = "system.drive.value"
//! # between = "1:5.5"             # with :log
//! # holds = "end(x) > 1e-4"
//! # tolerance = 1e-3              # of the way between
//! # parts = 8                     # in which a change is looked for before one is halved
//! ```
use crate::axis::{Axis, Values, number};
use crate::base::{
    AGREEMENT, Base, COMMANDS, Command, EVENTS, Look, Source, Stop, kind_of_number,
    numbers_of_a_run,
};
use crate::boundary::{Boundary, Change};
use crate::expression::{Expression, Kind};
use crate::plan::{Plan, Samples};
use crate::rows::Row;
use crate::sequence::METHODS;
use bristle_scenario::table::{Problem, Problems, located, merge};
use bristle_scenario::{Setting, nearest};
use rayon::prelude::*;
use std::path::Path;
use toml::{Table, Value};

/// Something that is kept of every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// Its name.
    pub name: String,
    /// Its unit; empty if it has none, or is not known.
    pub unit: String,
    /// What it is.
    pub value: Expression,
}

/// Runs of one file at many points.
#[derive(Debug)]
pub struct Sweep {
    /// One line; empty if nothing gives one.
    pub title: String,
    /// The points.
    pub plan: Plan,
    /// What is kept of each.
    pub keeps: Vec<Keep>,
    /// What is searched for at each, in place of that.
    pub boundary: Option<Boundary>,
    /// Whether each run is compared with a coarser one.
    pub twin: bool,
    base: Base,
    table: Table,
}

/// What a file of a sweep may hold.
const KEYS: [&str; 11] = [
    "title", "source", "note", "base", "command", "twin", "set", "vary", "keep", "samples",
    "boundary",
];

/// What a file says under a key, or what it must be.
struct Reader<'a> {
    prefix: &'a str,
    table: &'a Table,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn only(&mut self, keys: &[&str]) {
        for key in self.table.keys().filter(|key| !keys.contains(&key.as_str())) {
            let options = keys.iter().map(|key| format!("{}{key}", self.prefix)).collect();
            let key = format!("{}{key}", self.prefix);
            self.problems.push(Problem::UnknownKey { key, model: "sweep", options });
        }
    }

    fn wrong(&mut self, key: &str, expected: impl Into<String>) {
        let found = self.table.get(key).map_or_else(|| "nothing".into(), Value::to_string);
        let (key, expected) = (format!("{}{key}", self.prefix), expected.into());
        self.problems.push(Problem::WrongKind { key, expected, found });
    }

    fn text(&mut self, key: &str, or: Option<&str>) -> String {
        match self.table.get(key) {
            Some(Value::String(text)) => return text.clone(),
            None if or.is_some() => {}
            None => {
                let key = format!("{}{key}", self.prefix);
                self.problems.push(Problem::Missing { key, what: "a text", options: Vec::new() });
            }
            Some(_) => self.wrong(key, "a text"),
        }
        or.unwrap_or_default().to_owned()
    }

    fn number(&mut self, key: &str, or: f64, allowed: impl Fn(f64) -> bool, what: &str) -> f64 {
        match self.table.get(key) {
            None => or,
            Some(value) => match number(value).filter(|x| allowed(*x)) {
                Some(x) => x,
                None => {
                    self.wrong(key, what);
                    or
                }
            },
        }
    }

    fn truth(&mut self, key: &str) -> bool {
        match self.table.get(key) {
            None => false,
            Some(Value::Boolean(is)) => *is,
            Some(_) => {
                self.wrong(key, "true or false");
                false
            }
        }
    }

    fn one_of<T: Copy>(&mut self, key: &str, all: &[(&'static str, T)]) -> Option<T> {
        let text = self.table.get(key)?.as_str().unwrap_or_default().to_owned();
        let found = all.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let hint = match nearest(&text, names.iter().copied()) {
                Some(near) => format!("; did you mean \"{near}\"?"),
                None => String::new(),
            };
            self.wrong(key, format!("one of \"{}\"{hint}", names.join("\", \"")));
        }
        found.map(|(_, value)| *value)
    }

    fn expression(&mut self, key: &str) -> Option<Expression> {
        let text = self.text(key, None);
        if text.is_empty() {
            return None;
        }
        let read = Expression::read(&text);
        read.map_err(|fault| self.wrong(key, format!("an expression: {fault}"))).ok()
    }

    fn tables(&mut self, key: &str) -> Vec<Table> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let list =
            value.as_array().map(|list| list.iter().map(|t| t.as_table().cloned()).collect());
        match list {
            Some(Some(tables)) => tables,
            _ => {
                self.wrong(key, format!("a list of tables: write [[{key}]] before each"));
                Vec::new()
            }
        }
    }

    fn table(&mut self, key: &str) -> Option<Table> {
        match self.table.get(key)? {
            Value::Table(table) => Some(table.clone()),
            _ => {
                self.wrong(key, "a table");
                None
            }
        }
    }
}

impl Sweep {
    /// Reads a file: of a sweep, which names its base, or of any scenario, which is the base itself. `over` has the same keys as
    /// a sweep's file and goes before it; what it varies and keeps comes in place of the file's. `open` reads the base, whose
    /// name is relative to the folder of the file.
    pub fn read(
        file: Source,
        over: &Table,
        open: &dyn Fn(&Path) -> Result<String, String>,
    ) -> Result<Self, Problems> {
        let Source { text, folder, .. } = &file;
        let own: Table = match text.parse() {
            Ok(own) => own,
            Err(error) => {
                let error: toml::de::Error = error;
                return Err(Problems(vec![Problem::Syntax(error.to_string())]));
            }
        };
        if !own.contains_key("base") {
            return Self::new(file, over.clone(), None);
        }
        let base = match own.get("base").and_then(Value::as_str) {
            Some(name) => {
                let path = folder.join(name);
                let opened =
                    open(&path).map_err(|why| Problem::Part { key: "base".into(), text: why });
                opened.map(|text| Source {
                    name: path.to_string_lossy().into_owned(),
                    text,
                    folder: crate::base::folder_of(&path),
                })
            }
            None => Err(Problem::WrongKind {
                key: "base".into(),
                expected: "the name of a scenario file".into(),
                found: own["base"].to_string(),
            }),
        };
        let base = base.map_err(|problem| located(text, vec![problem]))?;
        let mut table = own;
        merge(&mut table, over);
        Self::new(base, table, Some(text))
    }

    /// The sweep that a table describes, over a base. `text` is the file that the table was read from.
    pub fn new(base: Source, table: Table, text: Option<&str>) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let mut reader = Reader { prefix: "", table: &table, problems: &mut problems };
        reader.only(&KEYS);
        let title = reader.text("title", Some(""));
        let command = reader.one_of("command", &COMMANDS);
        let twin = reader.truth("twin");
        let mut settings = Vec::new();
        flatten("", &reader.table("set").unwrap_or_default(), &mut settings);
        let varied = reader.tables("vary");
        let kept = reader.tables("keep");
        let samples = reader.table("samples");
        let searched = reader.table("boundary");
        let command = if table.contains_key("command") { command } else { None };
        let located = |problems: Vec<Problem>| match text {
            Some(text) => located(text, problems),
            None => Problems(problems),
        };
        // What is wrong with the base is told of the base.
        let base = match Base::read(base, command, settings) {
            Ok(base) => base,
            Err(Problems(of_base)) => {
                let Problems(mut all) = located(problems);
                all.extend(of_base);
                return Err(Problems(all));
            }
        };
        let axes = axes(&base, &varied, &mut problems);
        let keeps = keeps(&kept, &mut problems);
        let boundary = searched.and_then(|table| boundary(&base, &table, &mut problems));
        let plan = plan(axes, samples.as_ref(), &mut problems);
        let mut sweep = Sweep { title, plan, keeps, boundary, twin, base, table };
        sweep.check(&mut problems);
        if problems.is_empty() { Ok(sweep) } else { Err(located(problems)) }
    }

    fn check(&mut self, problems: &mut Vec<Problem>) {
        let part = |key: &str, text: String| Problem::Part { key: key.into(), text };
        if !problems.is_empty() {
            return;
        }
        if let Err(why) = self.plan.check() {
            problems.push(part("vary", why));
            return;
        }
        if self.twin && !self.runs() {
            problems.push(part(
                "twin",
                "runs alone are compared with coarser ones: leave it out".into(),
            ));
        }
        let mut point = self.point(0);
        if let Some(boundary) = &self.boundary {
            point.push((boundary.key.clone(), Value::Float(boundary.from)));
            if !self.keeps.is_empty() {
                problems.push(part(
                    "keep",
                    "a search for a boundary keeps what it finds: leave one of them out".into(),
                ));
            }
            if self.twin {
                problems.push(part(
                    "twin",
                    "a search for a boundary compares no runs: leave it out".into(),
                ));
            }
        }
        if let Err(Problems(of_keys)) = self.base.check(&point) {
            problems.extend(of_keys);
            return;
        }
        let columns = self.base.columns();
        if self.boundary.is_none() && self.keeps.is_empty() {
            match &columns {
                Some(columns) => self.keeps = usual(columns),
                None => {
                    let text = "say what is kept of each: [[keep]] with name and value, or --keep NAME=VALUE";
                    problems.push(part("keep", text.into()));
                    return;
                }
            }
        }
        let varied: Vec<String> = point.iter().map(|(key, _)| key.clone()).collect();
        // What the other commands give is known only from what they give.
        let look = Look { events: false, twin: false };
        let trial = match &columns {
            Some(_) => None,
            None => self.base.evaluate(&point, look, &|| true).ok(),
        };
        let names = || -> Vec<String> {
            let own = columns.iter().flatten().map(|(name, _)| name.clone());
            let numbers = numbers_of_a_run().filter(|_| columns.is_some()).map(str::to_owned);
            let summary = trial.iter().flat_map(crate::base::Found::names);
            own.chain(numbers).chain(summary).chain(varied.iter().cloned()).collect()
        };
        let of = |name: &str| match (&columns, &trial) {
            (Some(columns), _) => {
                let is_column = columns.iter().any(|(own, _)| own == name);
                let number = || {
                    kind_of_number(name)
                        .or(varied.iter().any(|v| v == name).then_some(Kind::Number))
                };
                if is_column { Some(Kind::Column) } else { number() }
            }
            (None, Some(found)) => found.kind(name),
            // Nothing is known yet.
            (None, None) => Some(Kind::Number),
        };
        let several_models = self.plan.axes.iter().any(|axis| !axis.values.is_numeric());
        let told = self.keeps.iter().map(|keep| (format!("keep.{}", keep.name), &keep.value));
        let searched = self.boundary.iter().map(|own| ("boundary.holds".to_owned(), &own.holds));
        for (key, value) in told.chain(searched) {
            for name in value.names() {
                // Another model may have it.
                if of(name).is_none() && !several_models {
                    let options = names();
                    let near = nearest(name, options.iter().map(String::as_str)).map(str::to_owned);
                    problems.push(Problem::UnknownName {
                        key: key.clone(),
                        name: name.into(),
                        near,
                        options,
                    });
                }
            }
            if value.names().iter().all(|name| of(name).is_some()) {
                match value.kind(&of) {
                    Ok(Kind::Number) => {}
                    Ok(_) => {
                        let text =
                            format!("`{value}` is no number: take a value of it, as in end(x)");
                        problems.push(part(&key, text));
                    }
                    Err(fault) => problems.push(part(&key, fault.to_string())),
                }
            }
            if value.names().contains(&AGREEMENT) && !self.twin {
                problems
                    .push(part(&key, format!("{AGREEMENT} is known with twin = true, or --twin")));
            }
        }
        let unit = |name: &str| {
            let columns = columns.iter().flatten();
            columns.into_iter().find(|(own, _)| own == name).map(|(_, unit)| unit.clone())
        };
        for keep in self.keeps.iter_mut().filter(|keep| keep.unit.is_empty()) {
            let ledger = |text: &str| text.split('.').next().is_some_and(|t| t.ends_with("_J"));
            keep.unit = match &keep.value {
                value if value.is_time() => "s".into(),
                value if ledger(&value.to_string()) && value.names().len() == 1 => "J".into(),
                value => value.value_of().and_then(unit).unwrap_or_default(),
            };
            if keep.unit == "1" {
                keep.unit.clear();
            }
        }
    }

    /// Whether each point is a run, and no other command.
    pub(crate) fn runs(&self) -> bool {
        self.base.command == Command::Run
    }

    /// How many points there are.
    pub fn len(&self) -> u64 {
        self.plan.len()
    }

    /// Never: there is one point at least.
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty()
    }

    /// The keys of a point and their values.
    pub fn point(&self, index: u64) -> Vec<(String, Value)> {
        let keys = self.plan.axes.iter().map(|axis| axis.key.clone());
        keys.zip(self.plan.point(index)).collect()
    }

    /// Names and units of what is kept of each point.
    pub fn columns(&self) -> Vec<(String, String)> {
        if let Some(boundary) = &self.boundary {
            return Change::columns(&boundary.unit);
        }
        let kept = self.keeps.iter().map(|keep| (keep.name.clone(), keep.unit.clone()));
        let twin = self.twin.then(|| (AGREEMENT.to_owned(), String::new()));
        kept.chain(twin.filter(|(name, _)| self.keeps.iter().all(|keep| keep.name != *name)))
            .collect()
    }

    /// The base and the table that it was made of, which make the same sweep elsewhere.
    pub fn parts(&self) -> (&Source, &Table) {
        (&self.base.source, &self.table)
    }

    /// What tells its rows from those of all other sweeps.
    pub fn description(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let base = format!("{:08x}", self.base.fingerprint());
        let command =
            COMMANDS.iter().find(|(_, own)| *own == self.base.command).map_or("", |c| c.0);
        format!(
            "# Finished rows of a sweep by bristle {version}; `bristle sweep --resume` goes on with it.\n\
             # base: {} ({base}), {command}\n{}",
            self.base.source.name,
            toml::to_string(&self.table).unwrap_or_default()
        )
    }

    /// The row of a point; none where `go_on` says no before it is there.
    pub fn row(&self, index: u64, go_on: &dyn Fn() -> bool) -> Option<Row> {
        let point = self.point(index);
        let width = self.columns().len();
        let row = match &self.boundary {
            Some(boundary) => self.search(boundary, &point, go_on),
            None => self.kept(&point, go_on),
        };
        match row {
            Ok(values) => Some(Row { values, failed: None }),
            Err(Stop::Failed(why)) => Some(Row::failed(width, &why)),
            Err(Stop::Interrupted) => None,
        }
    }

    fn kept(&self, point: &[(String, Value)], go_on: &dyn Fn() -> bool) -> Result<Vec<f64>, Stop> {
        let names = || self.keeps.iter().flat_map(|keep| keep.value.names());
        let events = names().any(|name| EVENTS.contains(&name));
        let found = self.base.evaluate(point, Look { events, twin: self.twin }, go_on)?;
        let values = self.keeps.iter().map(|keep| {
            let why = |fault| Stop::Failed(format!("{}: {fault}", keep.name));
            keep.value.value(&found).map_err(why)
        });
        let mut values: Vec<f64> = values.collect::<Result<_, _>>()?;
        if values.len() < self.columns().len() {
            let agreement = Expression::read(AGREEMENT).and_then(|own| own.value(&found));
            values.push(agreement.unwrap_or(f64::NAN));
        }
        Ok(values)
    }

    fn search(
        &self,
        boundary: &Boundary,
        point: &[(String, Value)],
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<f64>, Stop> {
        let events = boundary.holds.names().iter().any(|name| EVENTS.contains(name));
        let look = Look { events, twin: false };
        let change = boundary.find(|x| {
            let mut point = point.to_vec();
            point.push((boundary.key.clone(), Value::Float(x)));
            let failed = |why: String| Stop::Failed(format!("at {} = {x}: {why}", boundary.key));
            let found = self.base.evaluate(&point, look, go_on).map_err(|stop| match stop {
                Stop::Failed(why) => failed(why),
                Stop::Interrupted => Stop::Interrupted,
            })?;
            match boundary.holds.value(&found) {
                Ok(value) if value.is_nan() => {
                    Err(failed(format!("`{}` has no value", boundary.holds)))
                }
                Ok(value) => Ok(value != 0.0),
                Err(fault) => Err(failed(fault.to_string())),
            }
        })?;
        Ok(change.values())
    }

    /// The rows of some points, in their order, on all cores; none where `go_on` says no before they are there. `done` hears of
    /// every one.
    pub fn rows(
        &self,
        indices: std::ops::Range<u64>,
        go_on: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Option<Vec<Row>> {
        let one = |index: u64| {
            let row = self.row(index, &|| go_on());
            done();
            row
        };
        let all: Vec<u64> = indices.collect();
        all.into_par_iter().map(one).collect()
    }
}

/// What is kept where nothing is said: the last value of every column.
fn usual(columns: &[(String, String)]) -> Vec<Keep> {
    let kept = columns.iter().skip(1).filter_map(|(name, unit)| {
        let value = Expression::read(&format!("end({name})")).ok()?;
        Some(Keep { name: format!("end({name})"), unit: unit.clone(), value })
    });
    kept.collect()
}

/// `{friction: {sigma1: 3}}` as `friction.sigma1 = 3`.
fn flatten(prefix: &str, table: &Table, settings: &mut Vec<Setting>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner, settings),
            value => settings.push(Setting::new(format!("{prefix}{key}"), value.clone())),
        }
    }
}

fn axes(base: &Base, varied: &[Table], problems: &mut Vec<Problem>) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for (k, table) in varied.iter().enumerate() {
        let prefix = format!("vary[{k}].");
        let mut reader = Reader { prefix: &prefix, table, problems };
        reader.only(&["key", "values"]);
        let key = reader.text("key", None);
        let values = table.get("values").map(Values::read);
        match values {
            Some(Ok(values)) => {
                if axes.iter().any(|axis| axis.key == key) {
                    reader.wrong("key", "varied once");
                }
                axes.push(Axis { unit: base.unit(&key), key, values });
            }
            Some(Err(expected)) => reader.wrong("values", expected),
            None => reader.wrong("values", "given: from:to:count, a list, or a distribution"),
        }
    }
    axes
}

fn keeps(kept: &[Table], problems: &mut Vec<Problem>) -> Vec<Keep> {
    let mut keeps: Vec<Keep> = Vec::new();
    for (k, table) in kept.iter().enumerate() {
        let prefix = format!("keep[{k}].");
        let mut reader = Reader { prefix: &prefix, table, problems };
        reader.only(&["name", "unit", "value"]);
        let Some(value) = reader.expression("value") else { continue };
        let name = reader.text("name", Some(&value.to_string()));
        if name.is_empty() || keeps.iter().any(|keep| keep.name == name) {
            reader.wrong("name", "a name that nothing else has");
        }
        let unit = reader.text("unit", Some(""));
        keeps.push(Keep { name, unit, value });
    }
    keeps
}

fn boundary(base: &Base, table: &Table, problems: &mut Vec<Problem>) -> Option<Boundary> {
    let mut reader = Reader { prefix: "boundary.", table, problems };
    reader.only(&["key", "between", "holds", "tolerance", "parts"]);
    let key = reader.text("key", None);
    let between = reader.text("between", None);
    let holds = reader.expression("holds")?;
    let tolerance =
        reader.number("tolerance", 1e-3, |x| (1e-12..=0.5).contains(&x), "in [1e-12, 0.5]");
    let whole = |x: f64| (1.0..=1e6).contains(&x) && x.fract() == 0.0;
    let parts = reader.number("parts", 8.0, whole, "a whole number from 1 to 1,000,000") as u64;
    let ends: Vec<&str> = between.split(':').map(str::trim).collect();
    let (log, ends) = match ends.as_slice() {
        [ends @ .., "log"] => (true, ends),
        ends => (false, ends),
    };
    let numbers: Vec<f64> = ends.iter().filter_map(|x| x.parse().ok()).collect();
    let sound = |x: &f64| x.is_finite() && (!log || *x > 0.0);
    match numbers.as_slice() {
        [from, to] if ends.len() == 2 && from != to && sound(from) && sound(to) => {
            let unit = base.unit(&key);
            Some(Boundary { key, unit, from: *from, to: *to, log, holds, tolerance, parts })
        }
        _ => {
            reader.wrong("between", "from:to, or from:to:log with positive ends");
            None
        }
    }
}

fn plan(axes: Vec<Axis>, samples: Option<&Table>, problems: &mut Vec<Problem>) -> Plan {
    let mut plan = Plan { axes, samples: None };
    let spread = plan.spread() > 0;
    let empty = Table::new();
    let mut reader = Reader { prefix: "samples.", table: samples.unwrap_or(&empty), problems };
    match (samples, spread) {
        (None, false) => {}
        (Some(_), false) => {
            let text =
                "nothing is sampled: give a key a distribution, as in normal(0.6, 0.05)".into();
            problems.push(Problem::Part { key: "samples".into(), text });
        }
        (_, true) => {
            reader.only(&["count", "method", "seed", "sensitivities"]);
            let method = reader.one_of("method", &METHODS).unwrap_or_default();
            let whole = |x: f64| (1.0..=1e12).contains(&x) && x.fract() == 0.0;
            let count = reader.number("count", 1000.0, whole, "a whole number, at least 1") as u64;
            let seed = |x: f64| (0.0..=9e15).contains(&x) && x.fract() == 0.0;
            let seed = reader.number("seed", 1.0, seed, "a whole number from 0 to 9e15") as u64;
            let sensitivities = reader.truth("sensitivities");
            if sensitivities && count < 40 {
                reader.wrong("count", "at least 40 for Sobol indices");
            }
            plan.samples = Some(Samples { method, count, seed, sensitivities });
        }
    }
    plan
}
