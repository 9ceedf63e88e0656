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
//! kind = "element"                # measured motion, measured force; or "axis": measured force u, measured x
//!
//! [friction]
//! model = "lugre"
//!
//! [free]                          # start, min and max are optional
//! sigma0 = {}
//! sigma1 = { min = 0.0, max = 500.0 }
//! offset = {}
//! ```
use crate::element::Element;
use crate::guess::guess;
use crate::search::Generator;
use crate::smooth::smooth;
use crate::{Axis, Channel, Driven, Experiment, Free, Motion, Options, log};
use bristle_kernel::{AnyBristle, Params};
use bristle_scenario::friction::{Friction, build};
use bristle_scenario::table::Strays;
use bristle_scenario::{nearest, units};
use std::fmt;
use std::path::Path;
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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Element,
    Axis,
}

/// A log, ready for use.
#[derive(Clone, Debug)]
enum Recorded {
    Element(Motion, Channel),
    Axis(Driven, Channel),
}

/// The experiment of a job with one model.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Subject {
    /// A friction element under measured motion.
    Element(Element),
    /// An axis under a measured force.
    Axis(Axis),
}

impl Subject {
    /// As something to fit.
    pub fn experiment(&self) -> &dyn Experiment {
        match self {
            Subject::Element(e) => e,
            Subject::Axis(a) => a,
        }
    }

    /// Moves every start by up to a factor of three, or as many of its sizes; 0 leaves them.
    pub fn scatter(&mut self, seed: u64) {
        let mut generator = Generator(seed);
        let free = match self {
            Subject::Element(e) => e.free_mut(),
            Subject::Axis(a) => a.free_mut(),
        };
        for f in free.iter_mut().filter(|_| seed > 0) {
            let u = f.coordinate(f.start) + (2.0 * generator.next() - 1.0) * 3f64.ln();
            f.start = f.value(u);
        }
    }

    /// The friction model with these values of what is free.
    pub fn model(&self, theta: &[f64]) -> AnyBristle<f64> {
        match self {
            Subject::Element(e) => e.model(theta),
            Subject::Axis(a) => a.model(theta),
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
    /// From a file's text; logs lie in `folder`.
    pub fn read(text: &str, folder: &Path) -> Result<Self, Faults> {
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
        let kind = match r.text("system", &system, "kind").as_deref() {
            None | Some("element") => Kind::Element,
            Some("axis") => Kind::Axis,
            Some(other) => {
                r.say(format!(
                    "system.kind = \"{other}\" must be \"element\" (measured motion and force of a friction element) or \
                     \"axis\" (a body under a measured force)"
                ));
                Kind::Element
            }
        };
        let names: &[&str] = match kind {
            Kind::Element => &["kind"],
            Kind::Axis => &["kind", "mass", "load", "offset", "delay", "gain", "x0", "v0"],
        };
        r.keys("system", &system, names);
        let own = names[1..]
            .iter()
            .filter_map(|k| r.number("system", &system, k).map(|x| ((*k).to_owned(), x)))
            .collect();

        let fit = part(&mut r, "fit");
        r.keys(
            "fit",
            &fit,
            &["models", "starts", "seed", "robust", "correlated", "profile", "bandwidth"],
        );
        let start = Options::default();
        let whole = |r: &mut Reading, key: &str, start: f64| {
            r.number("fit", &fit, key).unwrap_or(start).max(0.0) as u64
        };
        let options = Options {
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
        if free.is_empty() && r.faults.is_empty() {
            r.say("nothing is free: name parameters under [free], such as sigma0 = {}".into());
        }
        let mut prepared = Vec::new();
        let mut logs = Vec::new();
        match table.get("log") {
            Some(Value::Array(list)) if !list.is_empty() && list.iter().all(Value::is_table) => {
                for (k, log) in list.iter().filter_map(Value::as_table).enumerate() {
                    let load = system
                        .get("load")
                        .and_then(|l| l.as_float().or_else(|| l.as_integer().map(|i| i as f64)));
                    let read = recorded(
                        &mut r,
                        k,
                        log,
                        kind,
                        folder,
                        bandwidth,
                        load.unwrap_or(1.0),
                        &mut prepared,
                    );
                    logs.extend(read);
                }
            }
            _ => r.say("there is no log: write [[log]] with file = \"…\" and its columns".into()),
        }
        if r.faults.is_empty() && logs.iter().all(|l| l.channel().held_out) {
            r.say("all logs are held out: leave at least one to fit".into());
        }
        if !r.faults.is_empty() {
            return Err(Faults(r.faults));
        }
        Ok(Job { title, model, models, options, prepared, kind, friction, free, own, logs })
    }

    /// The experiment with that model.
    pub fn subject(&self, model: &str) -> Result<Subject, Faults> {
        let fault = |text: String| Faults(vec![text]);
        let mut table = self.friction.clone();
        table.remove("model");
        let strays = if model == self.model { Strays::Refuse } else { Strays::Ignore };
        let friction = build(model, &table, strays).map_err(|p| fault(p.to_string()))?;
        let Friction::Line(friction) = friction else {
            return Err(fault(format!("`{model}` slides in a plane: a fit is along a line")));
        };
        let mut faults = Vec::new();
        let absolute = is_absolute(&friction);
        let mut subject = match self.kind {
            Kind::Element => {
                let logs = self.logs.iter().filter_map(|l| match l {
                    Recorded::Element(m, c) => Some((m.clone(), c.clone())),
                    Recorded::Axis(..) => None,
                });
                Subject::Element(Element::new(friction, logs.collect()))
            }
            Kind::Axis => {
                let logs = self.logs.iter().filter_map(|l| match l {
                    Recorded::Axis(d, c) => Some((d.clone(), c.clone())),
                    Recorded::Element(..) => None,
                });
                let mut axis = Axis::new(1.0, friction, logs.collect());
                for (name, value) in self.own.iter().filter(|(n, _)| n != "load") {
                    axis.set(name, *value);
                }
                Subject::Axis(axis)
            }
        };
        let guesses = self
            .logs
            .iter()
            .find(|l| !l.channel().held_out)
            .map(|l| l.guess(absolute))
            .unwrap_or_default();
        for (name, wish) in &self.free {
            let names = match &subject {
                Subject::Element(e) => e.names(),
                Subject::Axis(a) => a.names(),
            };
            let released = match &mut subject {
                Subject::Element(e) => e.release(name),
                Subject::Axis(a) => a.release(name),
            };
            let Some(own) = released else {
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
            let seen = guesses.iter().find(|(n, _)| *n == last).map(|(_, v)| *v);
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
    fn channel(&self) -> &Channel {
        match self {
            Recorded::Element(_, c) | Recorded::Axis(_, c) => c,
        }
    }

    fn guess(&self, absolute: bool) -> Vec<(&'static str, f64)> {
        match self {
            Recorded::Element(motion, channel) => guess(motion, &channel.measured, absolute),
            Recorded::Axis(driven, channel) => {
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
        }
    }
}

/// One log of a file.
#[allow(clippy::too_many_arguments)]
fn recorded(
    r: &mut Reading,
    k: usize,
    table: &Table,
    kind: Kind,
    folder: &Path,
    bandwidth: Option<f64>,
    constant_load: f64,
    prepared: &mut Vec<String>,
) -> Option<Recorded> {
    let of = format!("log[{k}]");
    let known = ["file", "t", "x", "v", "load", "force", "u", "from", "to", "weight", "hold_out"];
    r.keys(&of, table, &known);
    let Some(file) = r.text(&of, table, "file") else {
        r.say(format!("{of}.file is missing: name a CSV file"));
        return None;
    };
    let path = folder.join(&file);
    let size = std::fs::metadata(&path).map_or(0, |m| m.len());
    if size > MAX_BYTES {
        r.say(format!("{of}.file: {file} has more than 256 MB: cut it"));
        return None;
    }
    let text = match std::fs::read(&path) {
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
    // Which column plays which role, with its sign and its size in SI.
    let column = |r: &mut Reading,
                  role: &str,
                  si: &str,
                  fallback: &[&str]|
     -> Option<(usize, f64)> {
        let said = table.get(role).and_then(Value::as_str).map(str::to_owned);
        let name = said
            .clone()
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
        let Some(factor) = units::factor(if unit.is_empty() { si } else { unit }, si) else {
            let (line, known) = (1, units::known(si));
            r.say(format!(
                "{file}, line {line}, column {}: `{name} [{unit}]` is no unit of {role}: take one of {known}",
                place + 1
            ));
            return None;
        };
        Some((place, sign * factor))
    };
    let t = column(r, "t", "s", &["t", "time", "Time"]);
    let x = column(r, "x", "m", &["x", "position", "Position"]);
    let v = column(r, "v", "m/s", &[]);
    let u = if kind == Kind::Axis { column(r, "u", "N", &["u"]) } else { None };
    let force = if kind == Kind::Element {
        column(r, "force", "N", &["F", "force", "Friction"])
    } else {
        None
    };
    let load_is_number = table.get("load").is_some_and(|l| l.is_float() || l.is_integer());
    let load_value = if load_is_number { r.number(&of, table, "load") } else { None };
    let load = if load_is_number || kind == Kind::Axis {
        None
    } else {
        column(r, "load", "N", &["N", "load", "Normal"])
    };
    let (from, to) = (r.number(&of, table, "from"), r.number(&of, table, "to"));
    let weight = r.number(&of, table, "weight").unwrap_or(1.0);
    if weight < 0.0 {
        r.say(format!("{of}.weight = {weight} must not be negative"));
    }
    let held_out = r.flag(&of, table, "hold_out", false);
    let mut missing = |what: &str, key: &str| {
        r.say(format!("{of}.{key} is missing: name the column of {what} in {file}"))
    };
    let Some(t) = t else {
        missing("time", "t");
        return None;
    };
    if x.is_none() && v.is_none() {
        missing("the position (or v = …, the velocity)", "x");
        return None;
    }
    if kind == Kind::Axis && u.is_none() {
        missing("the driving force", "u");
        return None;
    }
    if kind == Kind::Element && force.is_none() {
        missing("the friction force", "force");
        return None;
    }
    if kind == Kind::Axis && x.is_none() {
        missing("the position", "x");
        return None;
    }
    let time = |row: usize| log.columns[t.0].2[row] * t.1;
    let rows: Vec<usize> = (0..log.lines.len())
        .filter(|row| from.is_none_or(|f| time(*row) >= f) && to.is_none_or(|to| time(*row) <= to))
        .collect();
    let used: Vec<usize> =
        [Some(t), x, v, u, force, load].into_iter().flatten().map(|c| c.0).collect();
    if let Err(faults) = log.check(&used, &rows) {
        faults.iter().for_each(|f| r.say(format!("{file}, {f}")));
        return None;
    }
    let values = |c: (usize, f64)| -> Vec<f64> {
        rows.iter().map(|row| log.columns[c.0].2[*row] * c.1).collect()
    };
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
        log: file.clone(),
        name: name.into(),
        unit: unit.into(),
        at: t.clone(),
        measured,
        weight,
        serial: true,
        held_out,
    };
    match kind {
        Kind::Axis => {
            let measured = values(x?);
            let start = [measured[0], 0.0];
            let driven = Driven {
                t: t.clone(),
                force: values(u?),
                load: load_value.unwrap_or(constant_load),
                start,
            };
            Some(Recorded::Axis(driven, channel("x", "m", measured)))
        }
        Kind::Element => {
            let (x, v) = match (x, v) {
                (Some(x), _) => {
                    let s = smooth(&t, &values(x), bandwidth);
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
                    let s = smooth(&t, &values(v?), bandwidth);
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
                Some(load) => smooth(&t, &values(load), bandwidth).value,
                None => vec![load_value.unwrap_or(constant_load); t.len()],
            };
            let motion = Motion { t: t.clone(), x, v, load, acceleration: Vec::new() };
            Some(Recorded::Element(motion, channel("F", "N", values(force?))))
        }
    }
}
