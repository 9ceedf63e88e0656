//! The parts of a machine, from lists of tables.
use super::Reading;
use crate::nearest;
use crate::scenario::on_line;
use crate::table::{Problem, Strays, fill, inner, merge, number, text};
use bristle_kernel::{AnyLaw, Check, Model, Param, Params, Start, faults};
use bristle_machine::{
    Body, Buffer, Control, Damper, End, Forces, Input, Load, Rope, Rotor, Sampled, Source, Spring,
    Stop, Structure,
};
use bristle_system::Units;
use toml::{Table, Value};

/// The lists that a file may have, and what each part is, in the order in which they are read: what a part names comes before it.
pub const PARTS: [(&str, &str); 15] = [
    ("body", "a body along a line (mass) or about an axis (inertia)"),
    ("motion", "something whose velocity or position is prescribed, such as a belt"),
    ("gear", "a rigid gear between two bodies"),
    ("rack", "a rigid rack and pinion between two bodies"),
    ("spring", "a spring, with damping and play if wanted"),
    ("shaft", "a torsion shaft: a spring by another name"),
    ("damper", "a damper"),
    ("rope", "a rope, which pulls only"),
    ("buffer", "a buffer, which pushes only"),
    ("stop", "end stops"),
    ("force", "a force or torque on a body"),
    ("control", "a controller of a body's position"),
    ("contact", "a contact with friction"),
    ("sensor", "a column that shows another one, rounded if wanted"),
    ("measured", "a column of a log, drawn beside what is simulated"),
];

/// The declaration of a number of a part, if it has one.
pub fn declared(kind: &str, field: &str) -> Option<&'static Param> {
    fn of<M: Model>() -> &'static [Param] {
        M::INFO.params
    }
    let all: &[&[Param]] = match kind {
        "body" => &[of::<Body<f64>>(), of::<Rotor<f64>>()],
        "spring" | "shaft" => &[of::<Spring<f64>>()],
        "damper" => &[of::<Damper<f64>>()],
        "rope" => &[of::<Rope<f64>>()],
        "buffer" => &[of::<Buffer<f64>>()],
        "stop" => &[of::<Stop<f64>>()],
        "control" => &[of::<Control<f64>>(), of::<Sampled<f64>>()],
        _ => &[],
    };
    all.iter().copied().flatten().find(|param| param.name == field)
}

/// One table of a list.
pub(super) struct Part<'a> {
    pub(super) kind: &'static str,
    pub(super) key: String,
    pub(super) name: String,
    pub(super) table: &'a Table,
}

impl Reading<'_> {
    /// Enters all parts of a file into the builder.
    pub(super) fn parts(&mut self, file: &Table) {
        for (kind, _) in PARTS {
            let list = file.get(kind).and_then(Value::as_array);
            for (k, value) in list.into_iter().flatten().enumerate() {
                let Some(table) = value.as_table() else { continue };
                let key = format!("{kind}[{k}]");
                let name = text(&format!("{key}."), table, "name", self.problems);
                if name.is_none() && !table.contains_key("name") {
                    let what = "a name for the part, by which columns and other parts know it";
                    self.problems.push(Problem::Missing {
                        key: format!("{key}.name"),
                        what,
                        options: vec![],
                    });
                }
                let name = name.unwrap_or_default().to_owned();
                self.part(&Part { kind, key, name, table }, file);
            }
        }
    }

    fn part(&mut self, part: &Part<'_>, file: &Table) {
        match part.kind {
            "body" => self.body(part),
            "motion" => self.motion(part),
            "gear" | "rack" => self.gear(part),
            "spring" | "shaft" => {
                let losses = ["efficiency", "efficiency_back"];
                let spring = self.numbers::<Spring<f64>>(part, &[&ENDS[..], &losses].concat());
                let Some(ends) = self.ends(part) else { return };
                let source = match part.kind {
                    "spring" => self.builder.spring(&part.name, ends, spring),
                    _ => self.builder.shaft(&part.name, ends, spring),
                };
                self.sources.push((part.name.clone(), source));
                let given = losses.map(|key| self.plain(part, key));
                if let [driving, back] = given
                    && (driving.is_some() || back.is_some())
                {
                    let driving = driving.unwrap_or(1.0);
                    // The loss in a gear is much the same both ways, unless it is said otherwise.
                    self.builder.efficiency(source, driving, back.unwrap_or(2.0 - 1.0 / driving));
                }
            }
            "damper" => self.connect(part, |b, name, ends, p: Damper<f64>| b.damper(name, ends, p)),
            "rope" => self.connect(part, |b, name, ends, p: Rope<f64>| b.rope(name, ends, p)),
            "buffer" => self.connect(part, |b, name, ends, p: Buffer<f64>| b.buffer(name, ends, p)),
            "stop" => self.connect(part, |b, name, ends, p: Stop<f64>| b.stop(name, ends, p)),
            "contact" => self.contact(part, file),
            "force" => self.force(part),
            "control" => self.control(part, file),
            "sensor" => self.sensor(part),
            _ => self.measured(part),
        }
    }

    fn body(&mut self, part: &Part<'_>) {
        let keys = ["mass", "inertia"].map(|key| part.table.contains_key(key));
        let end = match keys {
            [true, false] => {
                let body = self.numbers::<Body<f64>>(part, &["name"]);
                (self.builder.body(&part.name, body), Units::LINE)
            }
            [false, true] => {
                let rotor = self.numbers::<Rotor<f64>>(part, &["name"]);
                (self.builder.rotor(&part.name, rotor), Units::SHAFT)
            }
            _ => {
                let text = "must have either a mass, kg, or an inertia, kg m², above 0: what has none is no body";
                return self.told(&part.key, text.into());
            }
        };
        self.ends.push((part.name.clone(), end.0, end.1));
    }

    fn motion(&mut self, part: &Part<'_>) {
        self.only(part, &["name", "velocity", "position", "turning"]);
        let turns = part.table.get("turning").map_or(Some(false), Value::as_bool);
        let Some(turns) = turns else {
            let expected = "true for a motion about an axis, false along a line".into();
            let key = format!("{}.turning", part.key);
            self.wrong::<()>(&key, expected, &part.table["turning"]);
            return;
        };
        let units = if turns { Units::SHAFT } else { Units::LINE };
        let given = ["velocity", "position"].map(|key| part.table.get(key));
        let end = match given {
            [Some(value), None] => {
                let key = format!("{}.velocity", part.key);
                let Some(input) = self.input(&key, value, units.velocity) else { return };
                self.builder.moving(&part.name, units, input)
            }
            [None, Some(value)] => {
                let key = format!("{}.position", part.key);
                let Some(input) = self.input(&key, value, units.position) else { return };
                self.builder.placed(&part.name, units, input)
            }
            _ => {
                let text = "must have either a velocity or a position, each a number or a signal";
                return self.told(&part.key, text.into());
            }
        };
        self.ends.push((part.name.clone(), end, units));
    }

    fn gear(&mut self, part: &Part<'_>) {
        let number = if part.kind == "gear" { "ratio" } else { "radius" };
        if part.table.contains_key("efficiency") {
            let text = "a rigid gear has no efficiency, since the torque in it is not determined by where its bodies are: \
                        make it an elastic [[shaft]] with a ratio and an efficiency";
            self.told(&format!("{}.efficiency", part.key), text.into());
            return;
        }
        self.only(part, &["name", "between", number]);
        let Some(ends) = self.between(part) else { return };
        let Some(value) = self.plain(part, number) else {
            let what = "a number other than 0";
            let key = format!("{}.{number}", part.key);
            self.problems.push(Problem::Missing { key, what, options: vec![] });
            return;
        };
        match part.kind {
            "gear" => self.builder.gear(&part.name, ends, value),
            _ => self.builder.rack(&part.name, ends, value),
        }
    }

    fn connect<P: Params<f64> + Start<()> + Check + Clone>(
        &mut self,
        part: &Part<'_>,
        add: impl FnOnce(&mut bristle_machine::Builder, &str, [End; 2], P) -> Source,
    ) {
        let numbers = self.numbers::<P>(part, &ENDS);
        let Some(ends) = self.ends(part) else { return };
        let source = add(&mut self.builder, &part.name, ends, numbers);
        self.sources.push((part.name.clone(), source));
    }

    fn contact(&mut self, part: &Part<'_>, file: &Table) {
        self.only(part, &[&ENDS[..], &["load", "friction", "torques"]].concat());
        let friction =
            self.friction(&format!("{}.friction.", part.key), part.table.get("friction"), file);
        let ends = self.ends(part);
        let units = self.units(part);
        let load = match part.table.get("load") {
            Some(value) => self.load(&format!("{}.load", part.key), value, units),
            None => {
                let what = "a number of N or N*m, a signal, or { base = 5.0, of = \"shaft\", coefficient = 0.1 }";
                let key = format!("{}.load", part.key);
                self.problems.push(Problem::Missing { key, what, options: vec![] });
                None
            }
        };
        if let (Some(ends), Some(load), Some(friction)) = (ends, load, friction) {
            self.builder.contact(&part.name, ends, load, friction);
        }
        if let Some(value) = part.table.get("torques") {
            let key = format!("{}.torques", part.key);
            let Some(table) = value.as_table() else {
                let expected = "a table such as { motor = \"tau\", external = \"shaft\", weights = [1.0, -0.02] }";
                return self.wrong::<()>(&key, expected.into(), value).unwrap_or(());
            };
            self.only_in(&key, table, &["motor", "external", "weights"], "torques");
            let mut named = |field: &str| {
                let key = format!("{key}.{field}");
                match table.get(field).and_then(Value::as_str).map(str::to_owned) {
                    Some(name) => self.source(&key, &name),
                    None => {
                        self.told(&key, "names a force, a controller or a connection".into());
                        None
                    }
                }
            };
            let both = (named("motor"), named("external"));
            let weights: Option<Vec<f64>> = match table.get("weights") {
                None => Some(vec![1.0; 2]),
                Some(list) => list.as_array().and_then(|list| list.iter().map(number).collect()),
            };
            match (both, weights.as_deref()) {
                ((Some(motor), Some(external)), Some([a, b])) => {
                    let [motor, external] =
                        [(motor, *a), (external, *b)].map(|term| Forces::from_iter([term]));
                    self.builder.transmits(&part.name, motor, external);
                }
                (_, Some([_, _])) => {}
                _ => {
                    let expected = "two numbers, of the motor's torque and of the external one";
                    let key = format!("{key}.weights");
                    self.wrong::<()>(&key, expected.into(), &table["weights"]).unwrap_or(());
                }
            }
        }
    }

    /// The friction of a part: its own table over the file's, or alone where it names a model.
    fn friction(
        &mut self,
        prefix: &str,
        own: Option<&Value>,
        file: &Table,
    ) -> Option<bristle_kernel::AnyBristle<f64>> {
        let shared = inner(file, "friction");
        let alone = matches!(own, Some(Value::Table(own)) if own.contains_key("model"));
        self.shares_friction |= !alone;
        match own {
            None => match shared {
                Some(table) => on_line("friction.", table, self.problems),
                None => {
                    let text = "has no friction: write [contact.friction] below it, or [friction] for all contacts";
                    self.told(prefix.trim_end_matches('.'), text.into());
                    None
                }
            },
            Some(Value::Table(own)) => {
                let mut whole = match own.contains_key("model") {
                    true => Table::new(),
                    false => shared.cloned().unwrap_or_default(),
                };
                merge(&mut whole, own);
                on_line(prefix, &whole, self.problems)
            }
            Some(other) => {
                self.wrong(prefix.trim_end_matches('.'), "a table like [friction]".into(), other)
            }
        }
    }

    /// `200.0`, a signal, `{ base = 5.0, of = "shaft", coefficient = 0.1 }`, or a list of such under `pressed`.
    fn load(&mut self, key: &str, value: &Value, units: Units) -> Option<Load> {
        let depends = |table: &&Table| table.contains_key("of") || table.contains_key("pressed");
        let pressed = value.as_table().filter(depends);
        let Some(table) = pressed else {
            if number(value).is_some_and(|x| x < 0.0) {
                return self.wrong(
                    key,
                    format!("at least 0 {}: contacts press", units.force),
                    value,
                );
            }
            return self.input(key, value, units.force).map(Load::from);
        };
        let terms = table.get("pressed").and_then(Value::as_array);
        let expected: &[&str] = if terms.is_some() { &["base", "pressed"] } else { &PRESSED };
        self.only_in(key, table, expected, "load");
        let base = match table.get("base") {
            Some(base) => self.input(&format!("{key}.base"), base, units.force)?,
            None => Input::from(0.0),
        };
        let Some(terms) = terms else { return self.pressed(key, table, base.into()) };
        let mut load = Load::from(base);
        for (k, term) in terms.iter().enumerate() {
            let key = format!("{key}.pressed[{k}]");
            let Some(term) = term.as_table().filter(|term| term.contains_key("of")) else {
                let expected = "a table such as { of = \"shaft\", coefficient = 0.1 }".into();
                return self.wrong(&key, expected, term);
            };
            self.only_in(&key, term, &PRESSED[1..], "load");
            load = self.pressed(&key, term, load)?;
        }
        Some(load)
    }

    /// The load with what `of`, perhaps `weights`, and the coefficients of a table add to it.
    fn pressed(&mut self, key: &str, table: &Table, load: Load) -> Option<Load> {
        let of = &table["of"];
        let names: Option<Vec<&str>> = match of {
            Value::String(name) => Some(vec![name.as_str()]),
            Value::Array(list) => list.iter().map(Value::as_str).collect(),
            _ => None,
        };
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            let expected = "the name of a connection, force or controller, or a list of such";
            return self.wrong(&format!("{key}.of"), expected.into(), of);
        };
        let weights: Option<Vec<f64>> = match table.get("weights") {
            None => Some(vec![1.0; names.len()]),
            Some(list) => list.as_array().and_then(|list| list.iter().map(number).collect()),
        };
        let weights = weights.filter(|w| w.len() == names.len() && w.iter().all(|w| w.is_finite()));
        let Some(weights) = weights else {
            let expected = format!("{} numbers, one for each name in of", names.len());
            return self.wrong(&format!("{key}.weights"), expected, &table["weights"]);
        };
        let mut sources = Vec::new();
        for name in names {
            sources.push(self.source(&format!("{key}.of"), name)?);
        }
        let forces: Forces = sources.into_iter().zip(weights).collect();
        let mut read = |name: &str| -> Option<Option<f64>> {
            let Some(value) = table.get(name) else { return Some(None) };
            match number(value).filter(|x| x.is_finite()) {
                Some(x) => Some(Some(x)),
                None => self.wrong(&format!("{key}.{name}"), "a finite number".into(), value),
            }
        };
        let coefficients = (read("coefficient")?, read("driving")?, read("driven")?);
        Some(match coefficients {
            (Some(both), None, None) => load.pressed(forces, both),
            (None, Some(driving), Some(driven)) => load.pressed_both_ways(forces, driving, driven),
            _ => {
                let text =
                    "needs either a coefficient, or driving and driven, one for each direction";
                self.told(key, text.into());
                return None;
            }
        })
    }

    fn force(&mut self, part: &Part<'_>) {
        self.only(part, &["name", "on", "ratio", "radius", "force", "torque"]);
        let on = self.on(part, "on");
        let given = ["force", "torque"].map(|key| part.table.get(key).map(|value| (key, value)));
        let (key, value) = match given {
            [Some(given), None] | [None, Some(given)] => given,
            _ => {
                let text = "must have either a force, N, or a torque, N m: a number or a signal";
                return self.told(&part.key, text.into());
            }
        };
        let Some((on, units)) = on else { return };
        let expected = if units == Units::SHAFT { "torque" } else { "force" };
        let key = format!("{}.{key}", part.key);
        if !key.ends_with(expected) {
            let text = format!("acts on a body that takes a {expected}: write {expected} = …");
            return self.told(&key, text);
        }
        let Some(input) = self.input(&key, value, units.force) else { return };
        let source = self.builder.force(&part.name, on, input);
        self.sources.push((part.name.clone(), source));
    }

    fn control(&mut self, part: &Part<'_>, file: &Table) {
        const OWN: [&str; 10] = [
            "name",
            "on",
            "ratio",
            "radius",
            "measure",
            "reference",
            "sampled",
            "feed_friction",
            "observer",
            "observer_load",
        ];
        let numbers = self.numbers::<Control<f64>>(part, &OWN);
        let on = self.on(part, "on");
        let measured = match part.table.contains_key("measure") {
            true => self.on(part, "measure").map(Some),
            false => Some(None),
        };
        let (Some((on, units)), Some(measured)) = (on, measured) else { return };
        let reference = match part.table.get("reference") {
            Some(value) => self.input(&format!("{}.reference", part.key), value, units.position),
            None => Some(Input::from(0.0)),
        };
        let Some(reference) = reference else { return };
        let source = self.builder.control(&part.name, on, reference, numbers);
        self.sources.push((part.name.clone(), source));
        if let Some((end, _)) = measured {
            self.builder.measure(source, end);
        }
        if let Some(value) = part.table.get("sampled") {
            let key = format!("{}.sampled", part.key);
            match value.as_table() {
                Some(table) => {
                    let mut sampled: Sampled<f64> = Sampled::start(());
                    self.fill(&mut sampled, &format!("{key}."), table);
                    self.builder.sample(source, sampled);
                }
                None => self
                    .wrong::<()>(&key, "a table such as { period = 1.0e-3 }".into(), value)
                    .unwrap_or(()),
            }
        }
        if let Some(value) = part.table.get("feed_friction") {
            self.feed_friction(part, value, source);
        }
        if numbers.structure == Structure::Passivity && part.table.contains_key("observer_load") {
            let prefix = format!("{}.observer.", part.key);
            let friction = self.friction(&prefix, part.table.get("observer"), file);
            let value = &part.table["observer_load"];
            let load = self.load(&format!("{}.observer_load", part.key), value, units);
            if let (Some(friction), Some(load)) = (friction, load) {
                self.builder.observe(source, load, friction);
            }
        } else if part.table.contains_key("observer") {
            let text = "needs structure = \"passivity\" and an observer_load, N or N m";
            self.told(&format!("{}.observer", part.key), text.into());
        }
    }

    /// `{ load = 200.0, law = { model = "stribeck", … } }`.
    fn feed_friction(&mut self, part: &Part<'_>, value: &Value, source: Source) {
        let key = format!("{}.feed_friction", part.key);
        let table = value.as_table();
        let load = table.and_then(|t| t.get("load")).and_then(number).filter(|x| x.is_finite());
        let law = table.and_then(|t| inner(t, "law"));
        let (Some(table), Some(load), Some(law)) = (table, load, law) else {
            let expected =
                "a table { load = 200.0, law = { model = \"stribeck\", mu_s = 0.13 } }".into();
            self.wrong::<()>(&key, expected, value);
            return;
        };
        for stray in table.keys().filter(|k| !["load", "law"].contains(&k.as_str())) {
            let options = vec![format!("{key}.load"), format!("{key}.law")];
            let key = format!("{key}.{stray}");
            self.problems.push(Problem::UnknownKey { key, model: "feed_friction", options });
        }
        let model = format!("{key}.law.model");
        let catalog = AnyLaw::<f64>::CATALOG;
        let name = crate::table::choice(Some(law), &model, catalog, "stribeck", self.problems);
        let Some(mut own) = name.and_then(|name| AnyLaw::named(name, ())) else { return };
        let prefix = format!("{key}.law.");
        fill(&mut own, &prefix, law, Strays::Refuse, self.problems);
        let fault = Problem::fault(&prefix);
        faults(&own, &mut |f| self.problems.push(fault(f)));
        self.builder.feed_friction(source, own, load);
    }

    fn sensor(&mut self, part: &Part<'_>) {
        self.only(part, &["name", "of", "resolution"]);
        let of = text(&format!("{}.", part.key), part.table, "of", self.problems);
        let Some(of) = of else {
            if !part.table.contains_key("of") {
                let what = "a column to show, such as \"x_slide\"";
                let key = format!("{}.of", part.key);
                self.problems.push(Problem::Missing { key, what, options: vec![] });
            }
            return;
        };
        let of = of.to_owned();
        let resolution = self.plain(part, "resolution").unwrap_or(0.0);
        self.builder.sensor(&part.name, &of, resolution);
    }

    /// The numbers of a part, the others of its keys left out.
    fn numbers<P: Params<f64> + Start<()> + Check + Clone>(
        &mut self,
        part: &Part<'_>,
        others: &[&str],
    ) -> P {
        let mut numbers = P::start(());
        let mut own = part.table.clone();
        own.retain(|key, _| !others.contains(&key));
        self.fill(&mut numbers, &format!("{}.", part.key), &own);
        numbers
    }

    fn fill<P: Params<f64> + Check + Clone>(
        &mut self,
        numbers: &mut P,
        prefix: &str,
        table: &Table,
    ) {
        fill(numbers, prefix, table, Strays::RefuseModels, self.problems);
        let fault = Problem::fault(prefix);
        faults(numbers, &mut |f| self.problems.push(fault(f)));
    }

    /// Refuses keys that a part does not have.
    pub(super) fn only(&mut self, part: &Part<'_>, keys: &[&str]) {
        self.only_in(&part.key, part.table, keys, part.kind);
    }

    pub(super) fn only_in(&mut self, key: &str, table: &Table, keys: &[&str], model: &'static str) {
        for stray in table.keys().filter(|k| !keys.contains(&k.as_str())) {
            let options = keys.iter().map(|k| format!("{key}.{k}")).collect();
            let key = format!("{key}.{stray}");
            self.problems.push(Problem::UnknownKey { key, model, options });
        }
    }

    /// A plain number of a part, if it is there.
    fn plain(&mut self, part: &Part<'_>, key: &str) -> Option<f64> {
        let value = part.table.get(key)?;
        match number(value).filter(|x| x.is_finite()) {
            Some(x) => Some(x),
            None => self.wrong(&format!("{}.{key}", part.key), "a finite number".into(), value),
        }
    }

    /// The two ends of a part.
    fn between(&mut self, part: &Part<'_>) -> Option<[End; 2]> {
        let key = format!("{}.between", part.key);
        let Some(value) = part.table.get("between") else {
            let what = "the two ends, such as [\"slide\", \"ground\"]";
            self.problems.push(Problem::Missing { key, what, options: vec![] });
            return None;
        };
        let names: Option<Vec<&str>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        let Some([a, b]) = names.as_deref() else {
            return self.wrong(&key, "two names, such as [\"slide\", \"ground\"]".into(), value);
        };
        let ends = [self.end(&key, a), self.end(&key, b)];
        let [Some((a, _)), Some((b, _))] = ends else { return None };
        Some([a, b])
    }

    /// The same, the first one through a gear or on a rack.
    fn ends(&mut self, part: &Part<'_>) -> Option<[End; 2]> {
        let [a, b] = self.between(part)?;
        Some([self.through(part, a)?, b])
    }

    fn through(&mut self, part: &Part<'_>, end: End) -> Option<End> {
        match (self.plain(part, "ratio"), self.plain(part, "radius")) {
            (None, None) => Some(end),
            (Some(ratio), None) if ratio != 0.0 => Some(end.through(1.0 / ratio)),
            (None, Some(radius)) if radius != 0.0 => Some(end.on_rack(radius)),
            _ => {
                let text = "needs a ratio or a radius other than 0, and not both";
                self.told(&part.key, text.into());
                None
            }
        }
    }

    /// The units in which a part between two ends works.
    fn units(&self, part: &Part<'_>) -> Units {
        let names = part.table.get("between").and_then(Value::as_array);
        let of = |value: &Value| {
            let name = value.as_str()?;
            self.ends.iter().find(|(own, ..)| own == name).map(|(.., units)| *units)
        };
        match part.table.contains_key("radius") {
            true => Units::LINE,
            false => names.into_iter().flatten().find_map(of).unwrap_or(Units::LINE),
        }
    }

    /// The body that a part acts on or measures.
    fn on(&mut self, part: &Part<'_>, field: &'static str) -> Option<(End, Units)> {
        let prefix = format!("{}.", part.key);
        let Some(name) = text(&prefix, part.table, field, self.problems) else {
            if !part.table.contains_key(field) {
                let what = "the body that it acts on";
                self.problems.push(Problem::Missing {
                    key: format!("{prefix}{field}"),
                    what,
                    options: vec![],
                });
            }
            return None;
        };
        let name = name.to_owned();
        let (end, units) = self.end(&format!("{prefix}{field}"), &name)?;
        if field != "on" {
            return Some((end, units));
        }
        let end = self.through(part, end)?;
        Some((end, if part.table.contains_key("radius") { Units::LINE } else { units }))
    }

    fn end(&mut self, key: &str, name: &str) -> Option<(End, Units)> {
        if name == "ground" {
            return Some((End::GROUND, Units::LINE));
        }
        let found = self.ends.iter().find(|(own, ..)| own == name);
        let found = found.map(|(_, end, units)| (*end, *units));
        if found.is_none() {
            let names: Vec<&str> =
                self.ends.iter().map(|(own, ..)| own.as_str()).chain(["ground"]).collect();
            let near = nearest(name, names.iter().copied());
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            self.told(key, format!("there is no body or motion `{name}`; {hint}"));
        }
        found
    }

    fn source(&mut self, key: &str, name: &str) -> Option<Source> {
        let found = self.sources.iter().find(|(own, _)| own == name).map(|(_, source)| *source);
        // A body stands for its weight.
        let body = || self.ends.iter().find(|(own, ..)| own == name);
        let found = found.or_else(|| self.builder.weight(body()?.1));
        if found.is_none() {
            let names: Vec<&str> = self.sources.iter().map(|(own, _)| own.as_str()).collect();
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            self.told(
                key,
                format!("there is no connection, force or controller `{name}`; there are {known}"),
            );
        }
        found
    }

    pub(super) fn told(&mut self, key: &str, text: String) {
        self.problems.push(Problem::Part { key: key.into(), text });
    }
}

/// Keys of parts between two ends.
const ENDS: [&str; 4] = ["name", "between", "ratio", "radius"];

/// Keys of a load that follows a force.
const PRESSED: [&str; 6] = ["base", "of", "weights", "coefficient", "driving", "driven"];
