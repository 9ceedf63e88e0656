//! A fit from a file.
//!
//! ```toml
//! [[log]]
//! file = "slide.csv"              # beside this file; the header names columns with units: t [s],x [mm],N [N],F [N]
//! x = "x"                         # its columns, by role; a minus turns the sign: force = "-F"
//! load = "N"                      # or a number of newtons
//! force = "F"
//! from = 0.0                      # optional
//! to = 8.0
//!
//! [system]
//! kind = "element"                # measured motion and force; or axis, joint, patch, machine
//!
//! [friction]
//! model = "lugre"
//!
//! [free]                          # start, min and max are optional
//! sigma0 = {}
//! sigma1 = { min = 0.0, max = 500.0 }
//! offset = {}
//! ```
use crate::guess::guess;
use crate::model::{self, Number};
use crate::search::Generator;
use crate::smooth::smooth;
use crate::{
    Axis, Channel, Driven, Element, Experiment, Free, Machine, Method, Motion, Observed, Options,
    Patch, Servo, Sweep, Wrench, log,
};
use bristle_contact::patch::Rolling;
use bristle_kernel::{AnyBristle, Params};
use bristle_scenario::friction::{Friction, build};
use bristle_scenario::table::Strays;
use bristle_scenario::{Files, Place, Setting, nearest, patch, sets, units};
use std::fmt;
use toml::{Table, Value};

/// A fit as a file states it.
#[derive(Clone, Debug)]
pub struct Job {
    /// What stands over it.
    pub title: String,
    /// The friction model it is made for first.
    pub model: String,
    /// Models to compare, the first one included.
    pub models: Vec<String>,
    /// How the fit is made.
    pub options: Options,
    /// How the logs were prepared, in words.
    pub prepared: Vec<String>,
    kind: Kind,
    system: Table,
    /// The text of a machine's file, and where its logs lie.
    machine: String,
    place: Place,
    friction: Table,
    free: Vec<(String, Wish)>,
    own: Vec<(String, f64)>,
    logs: Vec<Recorded>,
}

/// What the user says of a free parameter.
#[derive(Clone, Copy, Debug, Default)]
struct Wish {
    start: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
}

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Element,
    Axis,
    Joint,
    Patch,
    Machine,
}

/// Every kind by its name, what it is, and the keys of its system.
const KINDS: [(Kind, &str, &str, &[&str]); 5] = [
    (Kind::Element, "element", "a friction element, measured motion and force", &["kind"]),
    (
        Kind::Axis,
        "axis",
        "a body under a measured force",
        &["kind", "load", "mass", "offset", "delay", "gain", "x0", "v0", "back_emf", "lag"],
    ),
    (
        Kind::Joint,
        "joint",
        "a body that turns under a measured torque, voltage or reference",
        &[
            "kind", "load", "inertia", "offset", "delay", "gain", "x0", "v0", "back_emf", "lag",
            "gravity", "tilt",
        ],
    ),
    (
        Kind::Patch,
        "patch",
        "a rolling contact patch under measured slips",
        &["kind", "patch", "rolling", "run"],
    ),
    (
        Kind::Machine,
        "machine",
        "a machine of parts, from a file of its own",
        &["kind", "file", "set"],
    ),
];

/// A log, ready for use.
#[derive(Clone, Debug)]
enum Recorded {
    Element(Motion, Channel),
    Axis(Driven, Channel),
    Patch(Sweep),
    Machine(Observed),
}

/// The experiment of a job with one model.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Subject {
    /// A friction element under measured motion.
    Element(Element),
    /// An axis or a joint under a measured drive.
    Axis(Axis),
    /// A rolling patch under measured slips.
    Patch(Patch),
    /// A machine of parts.
    Machine(Machine),
}

/// Forwards a call to whatever the subject is.
macro_rules! each {
    ($subject:expr, $s:ident => $value:expr) => {
        match $subject {
            Subject::Element($s) => $value,
            Subject::Axis($s) => $value,
            Subject::Patch($s) => $value,
            Subject::Machine($s) => $value,
        }
    };
}

impl Subject {
    /// As something to fit.
    pub fn experiment(&self) -> &dyn Experiment {
        each!(self, s => s)
    }

    /// Moves every start by up to a factor of three, or as many of its sizes; 0 leaves them.
    pub fn scatter(&mut self, seed: u64) {
        let mut generator = Generator(seed);
        for f in each!(self, s => s.free_mut()).iter_mut().filter(|_| seed > 0) {
            let u = f.coordinate(f.start) + (2.0 * generator.next() - 1.0) * 3f64.ln();
            f.start = f.value(u);
        }
    }

    /// The names that can be free.
    fn names(&self) -> Vec<String> {
        each!(self, s => s.names())
    }

    fn release(&mut self, name: &str) -> Option<&mut Free> {
        each!(self, s => s.release(name))
    }

    fn numbers(&self) -> &[Number] {
        match self {
            Subject::Element(e) => e.numbers(),
            Subject::Axis(a) => a.numbers(),
            Subject::Patch(p) => p.numbers(),
            Subject::Machine(_) => &[],
        }
    }

    /// What is free, each entry of a list by itself. Of a model that the file was not written for, one that has lists of its
    /// own, all that must be positive is free.
    fn wishes(&self, free: &[(String, Wish)], own: bool) -> Vec<(String, Wish)> {
        let numbers = self.numbers();
        let mut all: Vec<(String, Wish)> = Vec::new();
        for (name, wish) in free {
            all.extend(model::named(numbers, name).into_iter().map(|n| (n, *wish)));
        }
        let is_list = |n: &&Number| n.key.contains('[');
        if !own && numbers.iter().filter(is_list).any(|n| !n.key.contains('.')) {
            let open = |n: &&Number| {
                let positive = n.range.lo == 0.0 && n.range.lo_open && n.rest_of.is_none();
                positive && !n.key.contains('.') && !all.iter().any(|(own, _)| *own == n.key)
            };
            let more: Vec<String> = numbers.iter().filter(open).map(|n| n.key.clone()).collect();
            all.extend(more.into_iter().map(|n| (n, Wish::default())));
        }
        all
    }

    /// The friction model with these values of what is free; a machine has a file for all of its own.
    pub fn friction(&self, theta: &[f64]) -> Option<Friction> {
        match self {
            Subject::Element(e) => Some(Friction::Line(e.model(theta))),
            Subject::Axis(a) => Some(Friction::Line(a.model(theta))),
            Subject::Patch(p) => Some(Friction::Plane(p.model(theta))),
            Subject::Machine(_) => None,
        }
    }
}

/// All that is wrong with a file and its logs.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults(pub Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Faults {}

/// Gathers what is wrong.
struct Reading {
    faults: Vec<String>,
}

impl Reading {
    fn say(&mut self, text: String) {
        self.faults.push(text);
    }

    fn keys(&mut self, of: &str, table: &Table, known: &[&str]) {
        for key in table.keys().filter(|k| !known.contains(&k.as_str())) {
            let hint = match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            self.say(format!("{of} has no `{key}`; {hint}"));
        }
    }

    fn number(&mut self, of: &str, table: &Table, key: &str) -> Option<f64> {
        let value = table.get(key)?;
        let number = value
            .as_float()
            .or_else(|| value.as_integer().map(|i| i as f64))
            .filter(|x| x.is_finite());
        if number.is_none() {
            self.say(format!("{of}.{key} = {value} must be a number"));
        }
        number
    }

    fn flag(&mut self, of: &str, table: &Table, key: &str, start: bool) -> bool {
        match table.get(key) {
            None => start,
            Some(Value::Boolean(b)) => *b,
            Some(value) => {
                self.say(format!("{of}.{key} = {value} must be true or false"));
                start
            }
        }
    }

    fn text(&mut self, of: &str, table: &Table, key: &str) -> Option<String> {
        let value = table.get(key)?;
        if !value.is_str() {
            self.say(format!("{of}.{key} = {value} must be a text"));
        }
        value.as_str().map(str::to_owned)
    }
}

/// The largest log that is read, bytes.
const MAX_BYTES: u64 = 256 << 20;

impl Job {
    /// From a file's text; logs lie in `files`: a folder, or what was given with the file.
    pub fn read<'f>(text: &str, files: impl Into<Files<'f>>) -> Result<Self, Faults> {
        let files = files.into();
        let table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| Faults(vec![e.to_string().trim_end().into()]))?;
        let mut r = Reading { faults: Vec::new() };
        r.keys(
            "the file",
            &table,
            &["title", "note", "source", "log", "system", "friction", "free", "fit"],
        );
        let title = r.text("the file", &table, "title").unwrap_or_default();
        let none = Table::new();
        let part = |r: &mut Reading, key: &str| -> Table {
            match table.get(key) {
                Some(Value::Table(t)) => t.clone(),
                None => none.clone(),
                Some(_) => {
                    r.say(format!("{key} must be a table: write [{key}]"));
                    none.clone()
                }
            }
        };
        let system = part(&mut r, "system");
        let named = r.text("system", &system, "kind").unwrap_or_else(|| "element".into());
        let found = KINDS.iter().find(|k| k.1 == named);
        if found.is_none() {
            let all: Vec<String> =
                KINDS.iter().map(|(_, name, what, _)| format!("\"{name}\" ({what})")).collect();
            r.say(format!("system.kind = \"{named}\" must be one of {}", all.join(", ")));
        }
        let (kind, _, _, names) = *found.unwrap_or(&KINDS[0]);
        if found.is_some() {
            r.keys("system", &system, names);
        }
        let own: Vec<(String, f64)> = names
            .iter()
            .filter(|k| !matches!(**k, "kind" | "patch" | "rolling" | "run" | "file" | "set"))
            .filter_map(|k| r.number("system", &system, k).map(|x| ((*k).to_owned(), x)))
            .collect();
        for (name, value) in &own {
            if ["mass", "inertia", "gain"].contains(&name.as_str()) && *value <= 0.0 {
                r.say(format!("system.{name} = {value} must be above 0"));
            }
        }

        let fit = part(&mut r, "fit");
        r.keys(
            "fit",
            &fit,
            &["models", "method", "starts", "seed", "robust", "correlated", "profile", "bandwidth"],
        );
        let start = Options::default();
        let whole = |r: &mut Reading, key: &str, start: f64| {
            r.number("fit", &fit, key).unwrap_or(start).max(0.0) as u64
        };
        let (mut method, mut recalibrate) = (Method::Together, false);
        match r.text("fit", &fit, "method").as_deref() {
            None | Some("together") => {}
            Some("two_stage") => method = Method::TwoStage,
            Some("recalibrate") => recalibrate = true,
            Some(other) => r.say(format!(
                "fit.method = \"{other}\" must be \"together\" (all parameters at once), \"two_stage\" (the bristle from small \
                 slips, then the law) or \"recalibrate\" (sigma1 alone, all else from a set)"
            )),
        }
        let options = Options {
            method,
            starts: whole(&mut r, "starts", start.starts as f64).min(10_000) as usize,
            seed: whole(&mut r, "seed", start.seed as f64),
            robust: r.flag("fit", &fit, "robust", start.robust),
            correlated: r.flag("fit", &fit, "correlated", start.correlated),
            profile: r.flag("fit", &fit, "profile", start.profile),
            ..start
        };
        let bandwidth = r.number("fit", &fit, "bandwidth");

        let friction = part(&mut r, "friction");
        let model = match r.text("friction", &friction, "model") {
            Some(model) => model,
            None if kind == Kind::Machine => "machine".into(),
            None => {
                r.say(
                    "friction.model is missing: name a friction model; `bristle models` lists them"
                        .into(),
                );
                String::new()
            }
        };
        let mut models = vec![model.clone()];
        match fit.get("models") {
            None => {}
            Some(Value::Array(list)) if list.iter().all(Value::is_str) => {
                models.extend(
                    list.iter()
                        .filter_map(|m| m.as_str().map(str::to_owned))
                        .filter(|m| *m != model),
                );
            }
            Some(value) => r.say(format!("fit.models = {value} must be a list of names")),
        }
        let mut free = Vec::new();
        for (name, value) in part(&mut r, "free") {
            match value {
                Value::Table(t) if !t.contains_key("model") => {
                    let of = format!("free.{name}");
                    r.keys(&of, &t, &["start", "min", "max"]);
                    let mut get = |key| r.number(&of, &t, key);
                    let wish = Wish { start: get("start"), min: get("min"), max: get("max") };
                    if let (Some(a), Some(b)) = (wish.min, wish.max)
                        && a >= b
                    {
                        r.say(format!("{of}: min = {a} must be less than max = {b}"));
                    }
                    free.push((name, wish));
                }
                Value::Boolean(true) => free.push((name, Wish::default())),
                other => r.say(format!(
                    "free.{name} = {other} must be {{}} or {{ start = …, min = …, max = … }}"
                )),
            }
        }
        if recalibrate {
            match free.iter().find(|(name, _)| name != "sigma1") {
                Some((name, _)) => r.say(format!(
                    "free.{name}: fit.method = \"recalibrate\" frees sigma1 alone; leave the others out, or the method"
                )),
                None if free.is_empty() => free.push(("sigma1".into(), Wish::default())),
                None => {}
            }
        }
        if free.is_empty() && r.faults.is_empty() {
            r.say("nothing is free: name parameters under [free], such as sigma0 = {}".into());
        }
        let mut prepared = Vec::new();
        let mut logs = Vec::new();
        match table.get("log") {
            Some(Value::Array(list)) if !list.is_empty() && list.iter().all(Value::is_table) => {
                for (k, log) in list.iter().filter_map(Value::as_table).enumerate() {
                    let load = own.iter().find(|(n, _)| n == "load").map_or(1.0, |(_, l)| *l);
                    let how = Preparing { kind, files, bandwidth, load };
                    logs.extend(recorded(&mut r, &how, &format!("log[{k}]"), log, &mut prepared));
                }
            }
            _ => r.say("there is no log: write [[log]] with file = \"…\" and its columns".into()),
        }
        if r.faults.is_empty() && logs.iter().all(Recorded::held_out) {
            r.say("all logs are held out: leave at least one to fit".into());
        }
        if !r.faults.is_empty() {
            return Err(Faults(r.faults));
        }
        let mut text = None;
        if kind == Kind::Machine {
            match r.text("system", &system, "file") {
                None => r.say("system.file is missing: name the machine's file".into()),
                Some(name) => match files.read_text(&name, MAX_BYTES) {
                    Ok(own) => text = Some(own),
                    Err(error) => r.say(format!("system.file: {name} cannot be read: {error}")),
                },
            }
        }
        if !r.faults.is_empty() {
            return Err(Faults(r.faults));
        }
        let (machine, place) = (text.unwrap_or_default(), Place::of(files));
        Ok(Job {
            machine,
            place,
            title,
            model,
            models,
            options,
            prepared,
            kind,
            system,
            friction,
            free,
            own,
            logs,
        })
    }

    /// The experiment with that model.
    pub fn subject(&self, model: &str) -> Result<Subject, Faults> {
        let mut faults = Vec::new();
        let (mut subject, absolute) = match self.kind {
            Kind::Patch => (Subject::Patch(self.patch(model)?), false),
            Kind::Machine => (Subject::Machine(self.parts(model)?), false),
            _ => {
                let friction = self.along_line(model)?;
                let absolute = is_absolute(&friction);
                (self.along(friction), absolute)
            }
        };
        let guesses =
            self.logs.iter().find(|l| !l.held_out()).map(|l| l.guess(absolute)).unwrap_or_default();
        let numbers = subject.numbers().to_vec();
        let wishes = subject.wishes(&self.free, model == self.model);
        for (name, wish) in &wishes {
            let names = subject.names();
            let Some(own) = subject.release(name) else {
                // Another model may lack what the first one has.
                if model == self.model {
                    let near = nearest(name, names.iter().map(String::as_str));
                    let hint = near.map_or_else(
                        || format!("there are {}", names.join(", ")),
                        |n| format!("did you mean `{n}`?"),
                    );
                    faults.push(format!("free.{name}: nothing of that name can be free; {hint}"));
                }
                continue;
            };
            let last = name.rsplit('.').next().unwrap_or(name);
            // Entries of a list begin apart: shares alike, others each half of the one before.
            let (last, part) = match last.split_once('[') {
                Some((list, _)) => {
                    let of = |n: &&Number| n.key.split('[').next() == name.split('[').next();
                    let own: Vec<&Number> = numbers.iter().filter(of).collect();
                    let place = own.iter().position(|n| n.key == *name).unwrap_or(0);
                    let weight = |i: usize| match own.iter().any(|n| n.rest_of.is_some()) {
                        true => 1.0,
                        false => 0.5f64.powi(i as i32),
                    };
                    (list, weight(place) / (0..own.len()).map(weight).sum::<f64>())
                }
                None => (last, 1.0),
            };
            let seen = guesses.iter().find(|(n, _)| *n == last).map(|(_, v)| part * *v);
            let mut free = match wish.start.or(seen) {
                Some(start) => own.clone().starting(start),
                None => own.clone(),
            };
            let (lo, hi) = (wish.min.unwrap_or(free.lo), wish.max.unwrap_or(free.hi));
            if lo >= hi || (free.scale == crate::Scale::Log && hi <= 0.0) {
                faults.push(format!(
                    "free.{name}: [{lo}, {hi}] {} is no range it can be searched in",
                    free.unit
                ));
                continue;
            }
            let lo = if free.scale == crate::Scale::Log {
                lo.max(hi.min(free.start) * 1e-6)
            } else {
                lo
            };
            free = free.within(lo, hi);
            *own = Free { name: name.clone(), ..free };
        }
        if faults.is_empty() { Ok(subject) } else { Err(Faults(faults)) }
    }
}

impl Job {
    /// The friction of that model, with what the file says of it.
    fn along_line(&self, model: &str) -> Result<AnyBristle<f64>, Faults> {
        let fault = |text: String| Faults(vec![text]);
        let mut table = self.friction.clone();
        table.remove("model");
        let strays = if model == self.model { Strays::Refuse } else { Strays::Ignore };
        // What the file says goes before what the set says.
        if let Some(set) = table.remove("set") {
            let set = set.as_str().map(str::to_owned).unwrap_or_else(|| set.to_string());
            let found =
                sets::for_model(&set, model).map_err(|e| fault(format!("friction.set: {e}")))?;
            let own = std::mem::replace(&mut table, found.friction.clone());
            bristle_scenario::table::merge(&mut table, &own);
        }
        match build(model, &table, strays).map_err(|p| fault(p.to_string()))? {
            Friction::Line(friction) => Ok(friction),
            Friction::Plane(_) => Err(fault(format!(
                "`{model}` slides in a plane, and this system along a line: take another model, or system.kind = \"patch\""
            ))),
        }
    }

    /// The system of that friction along a line.
    fn along(&self, friction: AnyBristle<f64>) -> Subject {
        if self.kind == Kind::Element {
            let logs = self.logs.iter().filter_map(|l| match l {
                Recorded::Element(m, c) => Some((m.clone(), c.clone())),
                _ => None,
            });
            return Subject::Element(Element::new(friction, logs.collect()));
        }
        let logs = self.logs.iter().filter_map(|l| match l {
            Recorded::Axis(d, c) => Some((d.clone(), c.clone())),
            _ => None,
        });
        let mut axis = Axis::new(1.0, friction, logs.collect());
        if self.kind == Kind::Joint {
            axis = axis.turning();
        }
        for (name, value) in self.own.iter().filter(|(n, _)| n != "load") {
            axis.set(name, *value);
        }
        Subject::Axis(axis)
    }

    /// The machine, with that model in the contacts that share one.
    fn parts(&self, model: &str) -> Result<Machine, Faults> {
        let mut fixed: Vec<Setting> = Vec::new();
        let own = self.system.get("set").and_then(Value::as_table);
        for (key, value) in own.into_iter().flatten() {
            fixed.push(Setting::new(key.clone(), value.clone()));
        }
        if model != "machine" {
            fixed.push(Setting::new("friction.model", model));
        }
        let logs = self.logs.iter().filter_map(|l| match l {
            Recorded::Machine(log) => Some(log.clone()),
            _ => None,
        });
        Machine::new(&self.machine, self.place.files(), fixed, logs.collect())
            .map_err(|e| Faults(vec![e.to_string()]))
    }

    /// The patch of that model.
    fn patch(&self, model: &str) -> Result<Patch, Faults> {
        let mut table = Table::new();
        for part in ["patch", "rolling", "run"] {
            if let Some(own) = self.system.get(part) {
                table.insert(part.into(), own.clone());
            }
        }
        let mut friction = self.friction.clone();
        friction.insert("model".into(), model.into());
        table.insert("friction".into(), friction.into());
        // A part of the largest force: below the noise of what is measured.
        let run = table.entry("run").or_insert_with(|| Table::new().into());
        if let Some(run) = run.as_table_mut() {
            run.entry("accuracy").or_insert(Value::Float(1e-4));
        }
        let scenario = patch::Scenario::read(&table.to_string(), &[])
            .map_err(|e| Faults(vec![e.to_string()]))?;
        let sweeps = self.logs.iter().filter_map(|l| match l {
            Recorded::Patch(sweep) => {
                let own = scenario.rolling;
                let rolling = sweep.rolling.iter().map(|r| Rolling {
                    model: own.model,
                    counterpart: own.counterpart,
                    epsilon_x: own.epsilon_x,
                    v_r: if r.v_r > 0.0 { r.v_r } else { own.v_r },
                    ..*r
                });
                Some(Sweep { rolling: rolling.collect(), ..sweep.clone() })
            }
            _ => None,
        });
        Ok(Patch::new(scenario.clone(), sweeps.collect()))
    }
}

pub(crate) fn is_absolute(model: &AnyBristle<f64>) -> bool {
    let mut absolute = false;
    model.clone().visit(bristle_kernel::Group::default(), &mut |v| {
        if let bristle_kernel::Field::Choice(choice) = v.field {
            absolute |= v.param.name == "scaling" && choice.get() == "absolute";
        }
    });
    absolute
}

impl Recorded {
    fn held_out(&self) -> bool {
        match self {
            Recorded::Element(_, c) | Recorded::Axis(_, c) => c.held_out,
            Recorded::Patch(sweep) => sweep.channels.iter().all(|(_, c)| c.held_out),
            Recorded::Machine(log) => log.channels.iter().all(|(_, c)| c.held_out),
        }
    }

    fn guess(&self, absolute: bool) -> Vec<(&'static str, f64)> {
        match self {
            Recorded::Element(motion, channel) => guess(motion, &channel.measured, absolute),
            // Forces of a servo are not logged, and a voltage is none.
            Recorded::Axis(driven, channel) if driven.servo.is_none() => {
                let s = smooth(&driven.t, &channel.measured, None);
                let load = vec![driven.load; driven.t.len()];
                let motion = Motion {
                    t: driven.t.clone(),
                    x: s.value,
                    v: s.rate,
                    load,
                    acceleration: Vec::new(),
                };
                guess(&motion, &driven.force, absolute)
            }
            Recorded::Axis(..) | Recorded::Patch(_) | Recorded::Machine(_) => Vec::new(),
        }
    }
}

/// How logs are prepared.
struct Preparing<'a> {
    kind: Kind,
    files: Files<'a>,
    bandwidth: Option<f64>,
    load: f64,
}

/// A log's file, and what stands beside it.
struct Opened<'a> {
    of: &'a str,
    file: String,
    table: &'a Table,
    log: log::Log,
}

/// A column: its place, and its sign and size in SI.
type Placed = (usize, f64);

impl Opened<'_> {
    /// Which column plays a role: the one that the file names, or one of these that the log has.
    fn column(
        &self,
        r: &mut Reading,
        role: &str,
        si: &[&str],
        fallback: &[&str],
    ) -> Option<Placed> {
        let Opened { of, file, table, log } = self;
        let said = table.get(role).and_then(Value::as_str).map(str::to_owned);
        let name = said
            .or_else(|| fallback.iter().find(|n| log.find(n).is_some()).map(|n| (*n).to_owned()))?;
        let (name, sign) = name.strip_prefix('-').map_or((name.as_str(), 1.0), |n| (n, -1.0));
        let Some(place) = log.find(name) else {
            let names: Vec<&str> = log.columns.iter().map(|c| c.0.as_str()).collect();
            r.say(format!(
                "{of}.{role}: {file} has no column `{name}`; it has {}",
                names.join(", ")
            ));
            return None;
        };
        let unit = &log.columns[place].1;
        let own = |si: &&str| units::factor(if unit.is_empty() { si } else { unit }, si);
        let Some(factor) = si.iter().find_map(own) else {
            let known: Vec<String> = si.iter().map(|si| units::known(si)).collect();
            r.say(format!(
                "{file}, line 1, column {}: `{name} [{unit}]` is no unit of {role}: take one of {}",
                place + 1,
                known.join(", ")
            ));
            return None;
        };
        Some((place, sign * factor))
    }

    fn missing(&self, r: &mut Reading, what: &str, key: &str) {
        r.say(format!("{}.{key} is missing: name the column of {what} in {}", self.of, self.file));
    }

    /// Values of a column in these rows.
    fn values(&self, rows: &[usize], column: Placed) -> Vec<f64> {
        rows.iter().map(|row| self.log.columns[column.0].2[*row] * column.1).collect()
    }

    /// Says what is wrong with the rows of these columns, the first of which is time or nothing; false if something is.
    fn check(&self, r: &mut Reading, time: bool, used: &[Placed], rows: &[usize]) -> bool {
        let used: Vec<usize> = used.iter().map(|c| c.0).collect();
        match self.log.check(time, &used, rows) {
            Ok(()) => true,
            Err(faults) => {
                faults.iter().for_each(|f| r.say(format!("{}, {f}", self.file)));
                false
            }
        }
    }
}

/// The keys of a log that all systems know.
const KEYS: [&str; 3] = ["file", "weight", "hold_out"];

/// One log of a file.
fn recorded(
    r: &mut Reading,
    how: &Preparing<'_>,
    of: &str,
    table: &Table,
    prepared: &mut Vec<String>,
) -> Option<Recorded> {
    let own: &[&str] = match how.kind {
        Kind::Element => &["t", "x", "v", "load", "force", "from", "to"],
        Kind::Axis | Kind::Joint => {
            &["t", "x", "u", "load", "from", "to", "reference", "kp", "kd", "limit", "powered"]
        }
        Kind::Machine => &["t", "columns", "set", "from", "to"],
        Kind::Patch => &["sigma_x", "sigma_y", "phi1", "phi2", "v_r", "load", "Fx", "Fy", "Mz"],
    };
    r.keys(of, table, &[&KEYS, own].concat());
    let Some(file) = r.text(of, table, "file") else {
        r.say(format!("{of}.file is missing: name a CSV file"));
        return None;
    };
    let text = match how.files.read(&file, MAX_BYTES) {
        Ok(bytes) if bytes.len() as u64 > MAX_BYTES => {
            r.say(format!("{of}.file: {file} has more than 256 MB: cut it"));
            return None;
        }
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            r.say(format!("{of}.file: {file} cannot be read: {error}; its path is taken from the file's folder"));
            return None;
        }
    };
    let log = match log::read(&text) {
        Ok(log) => log,
        Err(faults) => {
            faults.iter().for_each(|f| r.say(format!("{file}, {f}")));
            return None;
        }
    };
    let weight = r.number(of, table, "weight").unwrap_or(1.0);
    if weight < 0.0 {
        r.say(format!("{of}.weight = {weight} must not be negative"));
    }
    let held_out = r.flag(of, table, "hold_out", false);
    let channel = Channel {
        log: file.clone(),
        name: String::new(),
        unit: String::new(),
        at: Vec::new(),
        measured: Vec::new(),
        weight,
        serial: true,
        held_out,
    };
    let opened = Opened { of, file, table, log };
    match how.kind {
        Kind::Patch => rolled(r, &opened, channel),
        Kind::Machine => observed(r, &opened, channel),
        _ => followed(r, how, &opened, channel, prepared),
    }
}

/// A log of steady rolling: each row by itself.
fn rolled(r: &mut Reading, opened: &Opened<'_>, channel: Channel) -> Option<Recorded> {
    let slips = [("sigma_x", "1"), ("sigma_y", "1"), ("phi1", "1/m"), ("phi2", "1/m")];
    let slips = slips.map(|(role, si)| opened.column(r, role, &[si], &[role]));
    let speed = opened.column(r, "v_r", &["m/s"], &["v_r", "V_r"]);
    let load = opened.column(r, "load", &["N"], &["Fz", "F_z"]);
    let found = Wrench::ALL.map(|(of, name, si)| {
        opened.column(r, name, &[si], &[name]).map(|column| (of, name, si, column))
    });
    if slips[..2].iter().all(Option::is_none) {
        opened.missing(r, "the slip (or sigma_y = …, the lateral one)", "sigma_x");
        return None;
    }
    if found.iter().all(Option::is_none) {
        opened.missing(r, "a force (or Fy = …, Mz = …)", "Fx");
        return None;
    }
    let rows: Vec<usize> = (0..opened.log.lines.len()).collect();
    let used: Vec<Placed> = slips
        .into_iter()
        .chain([speed, load])
        .chain(found.map(|f| f.map(|f| f.3)))
        .flatten()
        .collect();
    if !opened.check(r, false, &used, &rows) {
        return None;
    }
    let column = |c: Option<Placed>| c.map(|c| opened.values(&rows, c));
    let [x, y, phi1, phi2] = slips.map(column);
    let speed = column(speed);
    let at = |of: &Option<Vec<f64>>, k: usize| of.as_ref().map_or(0.0, |v| v[k]);
    let rolling = (0..rows.len())
        .map(|k| Rolling {
            sigma_x: at(&x, k),
            sigma_y: at(&y, k),
            phi1: at(&phi1, k),
            phi2: at(&phi2, k),
            v_r: at(&speed, k),
            ..bristle_kernel::Start::start(())
        })
        .collect();
    let channels = found.into_iter().flatten().map(|(of, name, si, c)| {
        let own = Channel {
            name: name.into(),
            unit: si.into(),
            at: (1..=rows.len()).map(|k| k as f64).collect(),
            measured: opened.values(&rows, c),
            serial: false,
            ..channel.clone()
        };
        (of, own)
    });
    let channels = channels.collect();
    Some(Recorded::Patch(Sweep { rolling, load: column(load).unwrap_or_default(), channels }))
}

/// A log of a machine: columns of its run that were measured.
fn observed(r: &mut Reading, opened: &Opened<'_>, channel: Channel) -> Option<Recorded> {
    let Opened { of, file, table, log } = opened;
    let t = opened.column(r, "t", &["s"], &["t", "time", "Time"]);
    let none = Table::new();
    let part = |key: &str| table.get(key).and_then(Value::as_table).unwrap_or(&none);
    let mut found = Vec::new();
    for (name, value) in part("columns") {
        let own = value.as_str().unwrap_or_default();
        let (own, sign) = own.strip_prefix('-').map_or((own, 1.0), |n| (n, -1.0));
        let Some(place) = log.find(own) else {
            let names: Vec<&str> = log.columns.iter().map(|c| c.0.as_str()).collect();
            r.say(format!(
                "{of}.columns.{name}: {file} has no column `{own}`; it has {}",
                names.join(", ")
            ));
            continue;
        };
        // What a run shows is in SI.
        let unit = log.columns[place].1.clone();
        let si = ["1", "m", "rad", "m/s", "rad/s", "N", "N*m"];
        let own = |si: &&str| units::factor(&unit, si).map(|f| (f, (*si).to_owned()));
        let (factor, unit) = si.iter().find_map(own).unwrap_or((1.0, unit.clone()));
        found.push((name.clone(), unit, (place, sign * factor)));
    }
    if found.is_empty() {
        r.say(format!(
            "{of}.columns is missing: say which columns of {file} show which of the run, as in columns = {{ x_slide = \"x\" }}"
        ));
    }
    let (from, to) = (r.number(of, table, "from"), r.number(of, table, "to"));
    let Some(t) = t else {
        opened.missing(r, "time", "t");
        return None;
    };
    let time = |row: usize| log.columns[t.0].2[row] * t.1;
    let rows: Vec<usize> = (0..log.lines.len())
        .filter(|row| from.is_none_or(|f| time(*row) >= f) && to.is_none_or(|to| time(*row) <= to))
        .collect();
    let used: Vec<Placed> = std::iter::once(t).chain(found.iter().map(|f| f.2)).collect();
    if !opened.check(r, true, &used, &rows) {
        return None;
    }
    let at = opened.values(&rows, t);
    let channels = found.into_iter().map(|(name, unit, column)| {
        let measured = opened.values(&rows, column);
        (name.clone(), Channel { name, unit, at: at.clone(), measured, ..channel.clone() })
    });
    let settings = part("set").iter().map(|(k, v)| Setting::new(k.clone(), v.clone()));
    Some(Recorded::Machine(Observed { settings: settings.collect(), channels: channels.collect() }))
}

/// A log over time.
fn followed(
    r: &mut Reading,
    how: &Preparing<'_>,
    opened: &Opened<'_>,
    channel: Channel,
    prepared: &mut Vec<String>,
) -> Option<Recorded> {
    let Opened { of, file, table, log } = opened;
    let driven = how.kind != Kind::Element;
    let [way, speed] = if how.kind == Kind::Joint { ["rad", "rad/s"] } else { ["m", "m/s"] };
    let names: &[&str] = match how.kind {
        Kind::Joint => &["q", "phi", "x", "position", "Position"],
        _ => &["x", "position", "Position"],
    };
    let drives: &[&str] = match how.kind {
        Kind::Joint => &["N*m", "V", "A", "1"],
        _ => &["N", "V", "A", "1"],
    };
    let t = opened.column(r, "t", &["s"], &["t", "time", "Time"]);
    let x = opened.column(r, "x", &[way], names);
    let v = opened.column(r, "v", &[speed], &[]);
    let servo = driven && ["reference", "kp"].iter().any(|k| table.contains_key(*k));
    let u = match (driven, servo) {
        (false, _) => None,
        (true, true) => opened.column(r, "reference", &[way], &["reference", "r", "goal"]),
        (true, false) => opened.column(r, "u", drives, &["u", "tau"]),
    };
    let powered = if driven { opened.column(r, "powered", &["1"], &[]) } else { None };
    let force = match driven {
        false => opened.column(r, "force", &["N"], &["F", "force", "Friction"]),
        true => None,
    };
    let load_is_number = table.get("load").is_some_and(|l| l.is_float() || l.is_integer());
    let load_value = if load_is_number { r.number(of, table, "load") } else { None };
    let load = if load_is_number || driven {
        None
    } else {
        opened.column(r, "load", &["N"], &["N", "load", "Normal"])
    };
    let (from, to) = (r.number(of, table, "from"), r.number(of, table, "to"));
    let numbers = ["kp", "kd", "limit"].map(|key| r.number(of, table, key));
    if servo && numbers[0].is_none() {
        r.say(format!("{of}.kp is missing: what the servo gives for a unit of its error"));
    }
    let Some(t) = t else {
        opened.missing(r, "time", "t");
        return None;
    };
    if x.is_none() && (v.is_none() || driven) {
        let what = if driven { "the position" } else { "the position (or v = …, the velocity)" };
        opened.missing(r, what, "x");
        return None;
    }
    if driven && u.is_none() {
        let (what, key) = match servo {
            true => ("the servo's reference", "reference"),
            false => ("the driving force, torque or voltage", "u"),
        };
        opened.missing(r, what, key);
        return None;
    }
    if !driven && force.is_none() {
        opened.missing(r, "the friction force", "force");
        return None;
    }
    let time = |row: usize| log.columns[t.0].2[row] * t.1;
    let rows: Vec<usize> = (0..log.lines.len())
        .filter(|row| from.is_none_or(|f| time(*row) >= f) && to.is_none_or(|to| time(*row) <= to))
        .collect();
    let used: Vec<Placed> =
        [Some(t), x, v, u, powered, force, load].into_iter().flatten().collect();
    if !opened.check(r, true, &used, &rows) {
        return None;
    }
    let values = |c: Placed| opened.values(&rows, c);
    let t = values(t);
    let steps: Vec<f64> = t.windows(2).map(|p| p[1] - p[0]).collect();
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    let typical = sorted[sorted.len() / 2];
    let gaps: Vec<usize> = (0..steps.len()).filter(|k| steps[*k] > 1.5 * typical).collect();
    if let Some(first) = gaps.first() {
        prepared.push(format!(
            "{file}: {} gaps; the first after line {}, of {:.4} s where samples are {:.4} s apart",
            gaps.len(),
            log.lines[rows[*first]],
            steps[*first],
            typical
        ));
    }
    let channel = |name: &str, unit: &str, measured: Vec<f64>| Channel {
        name: name.into(),
        unit: unit.into(),
        at: t.clone(),
        measured,
        ..channel
    };
    let load_value = load_value.unwrap_or(how.load);
    if driven {
        let measured = values(x?);
        let [kp, kd, limit] = numbers;
        let servo = kp.filter(|_| servo).map(|kp| Servo {
            kp,
            kd: kd.unwrap_or(0.0),
            limit: limit.unwrap_or(f64::INFINITY),
        });
        let driven = Driven {
            t: t.clone(),
            force: values(u?),
            servo,
            powered: powered.map(values).unwrap_or_default(),
            load: load_value,
            start: [measured[0], 0.0],
        };
        let name = if how.kind == Kind::Joint { "q" } else { "x" };
        return Some(Recorded::Axis(driven, channel(name, way, measured)));
    }
    let (x, v) = match (x, v) {
        (Some(x), _) => {
            let s = smooth(&t, &values(x), how.bandwidth);
            prepared.push(format!(
                "{file}: velocity from position by local cubics over {} samples, zero phase, {:.0} Hz; noise of the \
                 position {:.2e} m",
                2 * s.half + 1,
                s.bandwidth,
                s.noise
            ));
            (s.value, s.rate)
        }
        (None, v) => {
            let s = smooth(&t, &values(v?), how.bandwidth);
            prepared.push(format!(
                "{file}: no position: its velocity, smoothed to {:.0} Hz, is integrated; noise in it ({:.2e} m/s) \
                 deflects bristles that are not, and biases stiffnesses",
                s.bandwidth, s.noise
            ));
            let mut x = vec![0.0];
            for k in 1..t.len() {
                x.push(x[k - 1] + 0.5 * (s.value[k] + s.value[k - 1]) * (t[k] - t[k - 1]));
            }
            (x, s.value)
        }
    };
    let load = match load {
        Some(load) => smooth(&t, &values(load), how.bandwidth).value,
        None => vec![load_value; t.len()],
    };
    let motion = Motion { t: t.clone(), x, v, load, acceleration: Vec::new() };
    Some(Recorded::Element(motion, channel("F", "N", values(force?))))
}
