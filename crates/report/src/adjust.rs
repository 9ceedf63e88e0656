//! What of a file can be set, for whoever offers it as a slider or a list: key, value, unit, range and meaning of everything,
//! from the models' own declarations.
use crate::run::Plant;
use bristle_kernel::{
    AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Field, Group, Info, Kind, Param, Params, Range, Visit,
};
use bristle_scenario::friction::{self, Friction};
use bristle_scenario::machine::{PARTS, declared};
use bristle_scenario::{Scenario, Subject, line, machine, patch, sets, table};
use bristle_system::{AnyMechanism, AnySignal, Mechanism};
use serde::Serialize;
use toml::{Table, Value};

/// Something that can be set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Adjustable {
    /// What stands before `=` in `--set`.
    pub key: String,
    /// The model that declares it.
    pub model: &'static str,
    /// What it is now.
    pub value: Now,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// Where it may lie; nothing where nothing is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Limits>,
    /// Where a slider may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slider: Option<Slider>,
    /// What may be chosen, each with what it means.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(&'static str, String)>,
    /// What it is.
    pub meaning: &'static str,
    /// Where it stands in the source.
    pub equation: &'static str,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Now {
    /// A number.
    Number(f64),
    /// A list of numbers.
    List(Vec<f64>),
    /// One of several names.
    Name(String),
}

/// A range; an end that is absent is no limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    text: String,
}

impl Limits {
    fn of(range: &Range) -> Self {
        let end = |x: f64| x.is_finite().then_some(x);
        Limits { min: end(range.lo), max: end(range.hi), text: range.to_string() }
    }
}

/// Where a slider runs: part of the range, around the value that the file has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slider {
    /// Its low end.
    pub from: f64,
    /// Its high end.
    pub to: f64,
    /// Whether equal ratios are equally long.
    pub log: bool,
    /// Whether 0 stands below the low end.
    pub zero: bool,
}

/// A slider that spans a ratio goes so far on each side.
const SPAN: f64 = 100.0;
/// Ends this far apart are spanned by ratio.
const FAR: f64 = 300.0;

impl Slider {
    /// For a number that is `value` in the file and `start` by declaration.
    fn new(range: &Range, value: f64, start: f64) -> Self {
        let Range { lo, hi, lo_open, .. } = *range;
        let size = [value, start].into_iter().map(f64::abs).find(|x| *x > 0.0 && x.is_finite());
        let size = size.unwrap_or(1.0);
        if lo >= 0.0 {
            let least = if lo > 0.0 { lo } else { size / SPAN };
            let most = if hi.is_finite() { hi } else { size.max(least) * SPAN };
            let near = lo > 0.0 || hi.is_finite();
            // A whole range that is no longer than that is shown as it is.
            if near && hi.is_finite() && hi / size < FAR && (lo == 0.0 || hi / lo < FAR) {
                return Slider {
                    from: if lo_open { least } else { lo },
                    to: hi,
                    log: false,
                    zero: false,
                };
            }
            let least = if lo > 0.0 { lo } else { least.min(most / SPAN) };
            return Slider { from: least, to: most, log: true, zero: lo == 0.0 && !lo_open };
        }
        let reach = 3.0 * size;
        let (from, to) = (lo.max(value.min(0.0) - reach), hi.min(value.max(0.0) + reach));
        Slider { from, to, log: false, zero: false }
    }
}

/// Collects them.
struct Lister<'a> {
    found: Vec<Adjustable>,
    /// What the file says, for where sliders run.
    file: &'a [Adjustable],
    /// The unit of what drives a system.
    drive: &'static str,
}

impl Lister<'_> {
    fn in_file(&self, key: &str) -> Option<f64> {
        let own = self.file.iter().find(|a| a.key == key)?;
        if let Now::Number(x) = own.value { Some(x) } else { None }
    }

    /// One of several models.
    fn chooser(&mut self, key: String, name: &'static str, catalog: &[&'static Info]) {
        self.found.push(Adjustable {
            key,
            model: name,
            value: Now::Name(name.into()),
            unit: "",
            range: None,
            slider: None,
            options: catalog.iter().map(|i| (i.name, i.title.to_owned())).collect(),
            meaning: catalog.iter().find(|i| i.name == name).map_or("", |i| i.title),
            equation: "",
        });
    }

    /// A parameter with the value that it has.
    fn parameter(
        &mut self,
        key: String,
        model: &'static str,
        param: &'static Param,
        unit: &'static str,
        value: Now,
    ) {
        let (range, slider, options) = match (&param.kind, &value) {
            (Kind::Number { start, range }, Now::Number(x)) => {
                let slider = Slider::new(range, self.in_file(&key).unwrap_or(*x), *start);
                (Some(Limits::of(range)), Some(slider), Vec::new())
            }
            (Kind::Choice { options, meanings, .. }, _) => {
                let pairs = options.iter().zip(*meanings);
                (
                    None,
                    None,
                    pairs.map(|(name, meaning)| (*name, meaning.trim().to_owned())).collect(),
                )
            }
            (Kind::List { range, .. } | Kind::Number { range, .. }, _) => {
                (Some(Limits::of(range)), None, Vec::new())
            }
        };
        let unit = match unit {
            "1" => "",
            // As declared by signals, which do not know what they drive.
            "drive" => self.drive,
            unit => unit,
        };
        let (meaning, equation) = (param.meaning, param.equation);
        self.found.push(Adjustable {
            key,
            model,
            value,
            unit,
            range,
            slider,
            options,
            meaning,
            equation,
        });
    }

    /// All parameters of a thing, under a prefix, with the models nested in it.
    fn all(&mut self, prefix: &str, of: &(impl Params<f64> + Clone)) {
        let mut groups: Vec<String> = vec![prefix.to_owned()];
        of.clone().visit(Group::default(), &mut |visit| {
            let Visit { model, group, param, unit, field } = visit;
            let group = format!("{prefix}{group}");
            if !groups.contains(&group) {
                if let Some(catalog) = catalog_of(model) {
                    self.chooser(format!("{group}model"), model, catalog);
                }
                groups.push(group.clone());
            }
            let value = match field {
                Field::Number(x) => Now::Number(*x),
                Field::List(list) => Now::List(list.as_slice().to_vec()),
                Field::Choice(choice) => Now::Name(choice.get().into()),
            };
            self.parameter(format!("{group}{}", param.name), model, param, unit, value);
        });
    }

    /// A friction element with its model and its parameter set.
    fn friction(&mut self, prefix: &str, model: &Friction, table: Option<&Table>) {
        let info = model.info();
        let catalog = catalog_of(info.name).unwrap_or_default();
        self.chooser(format!("{prefix}model"), info.name, catalog);
        let of_model = sets::all().iter().filter(|s| s.models.iter().any(|m| m == info.name));
        let mut options: Vec<_> = of_model.map(|s| (s.name, s.title.clone())).collect();
        if !options.is_empty() {
            options.insert(0, (sets::NONE, "start values".into()));
            let now =
                table.and_then(|t| t.get("set")).and_then(Value::as_str).unwrap_or(sets::NONE);
            self.found.push(Adjustable {
                key: format!("{prefix}set"),
                model: info.name,
                value: Now::Name(now.into()),
                unit: "",
                range: None,
                slider: None,
                options,
                meaning: "parameter set to start from",
                equation: "",
            });
        }
        match model {
            Friction::Line(model) => self.all(prefix, model),
            Friction::Plane(model) => self.all(prefix, model),
        }
    }

    fn signal(&mut self, prefix: &str, signal: &AnySignal<f64>) {
        self.chooser(format!("{prefix}model"), signal.info().name, AnySignal::<f64>::CATALOG);
        self.all(prefix, signal);
    }

    fn system(&mut self, scenario: &Scenario) {
        let inner = |key: &str| scenario.table.get(key).and_then(Value::as_table);
        let mechanism = &scenario.mechanism;
        self.drive = mechanism.drives().first().map_or("", |quantity| quantity.unit);
        self.chooser("system.model".into(), mechanism.info().name, AnyMechanism::<f64>::CATALOG);
        self.all("system.", mechanism);
        self.friction("friction.", &Friction::Line(scenario.friction.clone()), inner("friction"));
        if let Some(observer) = &scenario.observer {
            self.friction("observer.", &Friction::Line(observer.clone()), inner("observer"));
        }
        self.all("run.", &scenario.run);
    }

    /// The parts of a machine, by their names.
    fn machine(&mut self, scenario: &machine::Scenario) {
        let file = &scenario.table;
        let shared = file.get("friction").and_then(Value::as_table);
        for (kind, _) in PARTS {
            let parts = file.get(kind).and_then(Value::as_array).into_iter().flatten();
            for part in parts.filter_map(Value::as_table) {
                let Some(name) = part.get("name").and_then(Value::as_str) else { continue };
                // A name with a point in it cannot be a part of a key.
                if !name.contains('.') {
                    self.part(kind, &format!("{kind}.{name}."), part, shared);
                }
            }
        }
        if let Some(Ok(model)) = shared.map(friction::element) {
            self.friction("friction.", &model, shared);
        }
        self.all("run.", &scenario.run);
    }

    fn part(&mut self, kind: &'static str, prefix: &str, part: &Table, shared: Option<&Table>) {
        for (field, value) in part {
            let key = format!("{prefix}{field}");
            let number = value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
            match (number, declared(kind, field), value) {
                (Some(x), Some(param), _) => {
                    self.parameter(key, kind, param, param.unit, Now::Number(x));
                }
                (Some(x), None, _) => {
                    let all = Range { lo: 0.0, hi: f64::INFINITY, lo_open: false, hi_open: true };
                    let own = self.in_file(&key).unwrap_or(x);
                    let slider = (x > 0.0).then(|| Slider::new(&all, own, own));
                    self.found.push(Adjustable {
                        key,
                        model: kind,
                        value: Now::Number(x),
                        unit: "",
                        range: None,
                        slider,
                        options: Vec::new(),
                        meaning: "",
                        equation: "",
                    });
                }
                (None, _, Value::Table(own)) if field == "friction" => {
                    let mut whole = shared.cloned().unwrap_or_default();
                    table::merge(&mut whole, own);
                    if let Ok(model) = friction::element(&whole) {
                        self.friction(&format!("{key}."), &model, Some(&whole));
                    }
                }
                (None, _, Value::Table(own)) => {
                    if let Some(signal) = signal_of(own) {
                        self.signal(&format!("{key}."), &signal);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The signal that a table describes, if it is one.
fn signal_of(own: &Table) -> Option<AnySignal<f64>> {
    let mut signal = AnySignal::<f64>::named(own.get("model")?.as_str()?, ())?;
    signal.visit(Group::default(), &mut |visit| {
        let value = own.get(visit.param.name);
        let float = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|i| i as f64));
        match (visit.field, value) {
            (Field::Number(x), Some(value)) => *x = float(value).unwrap_or(*x),
            (Field::List(list), Some(Value::Array(given))) => {
                *list = given.iter().filter_map(float).collect();
            }
            (Field::Choice(choice), Some(Value::String(name))) => {
                choice.set(name);
            }
            _ => {}
        }
    });
    Some(signal)
}

/// The catalogue that has a model of that name.
fn catalog_of(model: &str) -> Option<&'static [&'static Info]> {
    let all = [
        AnyBristle::<f64>::CATALOG,
        AnyPlanar::<f64>::CATALOG,
        AnyLaw::<f64>::CATALOG,
        AnyMatrix::<f64>::CATALOG,
        AnySignal::<f64>::CATALOG,
    ];
    all.into_iter().find(|catalog| catalog.iter().any(|info| info.name == model))
}

fn listed(file: &[Adjustable], list: impl FnOnce(&mut Lister<'_>)) -> Vec<Adjustable> {
    let mut lister = Lister { found: Vec::new(), file, drive: "" };
    list(&mut lister);
    lister.found
}

/// What of a run can be set. `file` is what its file alone gives, around which sliders run; empty for the run itself.
pub fn of_run(plant: &Plant, file: &[Adjustable]) -> Vec<Adjustable> {
    listed(file, |lister| match plant {
        Plant::System(scenario) => lister.system(scenario),
        Plant::Machine(scenario) => lister.machine(scenario),
    })
}

/// The same of a patch.
pub fn of_patch(scenario: &patch::Scenario, file: &[Adjustable]) -> Vec<Adjustable> {
    listed(file, |lister| {
        lister.all("rolling.", &scenario.rolling);
        lister.all("patch.", &scenario.patch);
        lister.friction("friction.", &Friction::Plane(scenario.bristle.clone()), None);
        lister.all("run.", &scenario.run);
        lister.all("surface.", &scenario.grid);
        lister.all("transient.", &scenario.transient);
        for (name, signal) in &scenario.signals {
            lister.signal(&format!("transient.{name}."), signal);
        }
    })
}

/// The same of what is audited or compared.
pub fn of_subject(subject: &Subject, file: &[Adjustable]) -> Vec<Adjustable> {
    listed(file, |lister| match subject {
        Subject::Friction(model) => {
            lister.friction("friction.", &Friction::Line(model.clone()), None)
        }
        Subject::Plane(model) => {
            lister.friction("friction.", &Friction::Plane(model.clone()), None)
        }
        Subject::System(scenario) => lister.system(scenario),
        Subject::Line(scenario) => lister.line(scenario),
    })
}

impl Lister<'_> {
    fn line(&mut self, scenario: &line::Scenario) {
        self.all("line.", &scenario.contact);
        self.friction("friction.", &Friction::Line(scenario.bristle.clone()), None);
        self.all("run.", &scenario.run);
    }
}
