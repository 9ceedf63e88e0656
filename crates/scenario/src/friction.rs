//! A friction element from a TOML table.
//!
//! ```toml
//! model = "frbd"          # any name of `bristle models`
//! sigma0 = 1.0e4          # its parameters; what is absent keeps its start value
//!
//! [law]                   # the model nested inside, named like any other
//! model = "stribeck"
//! mu_s = 1.5
//! ```
//!
//! Every fault of a table is reported at once.
use crate::nearest;
use bristle_kernel::{
    AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Fault, Field, Group, Info, Kind, Params, faults,
};
use std::collections::BTreeSet;
use std::fmt;
use toml::{Table, Value};

/// A friction element: along a line or in a plane.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Friction {
    /// Slides along a line.
    Line(AnyBristle<f64>),
    /// Slides in a plane.
    Plane(AnyPlanar<f64>),
}

impl Friction {
    /// What the model says of itself.
    pub fn info(&self) -> &'static Info {
        match self {
            Friction::Line(m) => m.info(),
            Friction::Plane(m) => m.info(),
        }
    }

    fn params(&mut self) -> &mut dyn Params<f64> {
        match self {
            Friction::Line(m) => m,
            Friction::Plane(m) => m,
        }
    }

    fn faults(&self, sink: &mut dyn FnMut(Fault)) {
        match self {
            Friction::Line(m) => faults(m, sink),
            Friction::Plane(m) => faults(m, sink),
        }
    }
}

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
    /// A number or a relation that the model refuses.
    Fault(Fault),
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
                write!(f, "{key} = \"{name}\" is not a model")?;
                hint(f, name, options)
            }
            Problem::UnknownKey { key, model, options } => {
                write!(f, "`{model}` has no parameter `{key}`")?;
                hint(f, key, &options.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Problem::WrongKind { key, expected, found } => {
                write!(f, "{key} = {found} must be {expected}")
            }
            Problem::Fault(fault) => fault.fmt(f),
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

/// What to do with keys that a model does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strays {
    /// They are mistakes.
    Refuse,
    /// They are for other models: a parameter set serves several.
    Ignore,
}

/// The model `name` with the parameters of `table`.
pub fn build(name: &str, table: &Table, strays: Strays) -> Result<Friction, Problems> {
    let mut problems = Vec::new();
    let friction = named(name, table, &mut problems);
    let Some(mut friction) = friction else { return Err(Problems(problems)) };
    fill(friction.params(), table, strays, &mut problems);
    friction.faults(&mut |fault| problems.push(Problem::Fault(fault)));
    if problems.is_empty() { Ok(friction) } else { Err(Problems(problems)) }
}

/// The model at start values, around the nested models that the table names.
fn named(name: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<Friction> {
    let (line, plane) = (AnyBristle::<f64>::CATALOG, AnyPlanar::<f64>::CATALOG);
    if line.iter().any(|i| i.name == name) {
        let law = law(table, "law", problems)?;
        AnyBristle::named(name, law).map(Friction::Line)
    } else if plane.iter().any(|i| i.name == name) {
        let (matrices, matrix) = (AnyMatrix::<f64>::CATALOG, inner(table, "matrix"));
        let chosen = choice(matrix, "matrix.model", matrices, "isotropic", problems)?;
        let law = law(matrix.unwrap_or(&Table::new()), "matrix.law", problems)?;
        let matrix = AnyMatrix::named(chosen, law)?;
        AnyPlanar::named(name, matrix).map(Friction::Plane)
    } else {
        let options = line.iter().chain(plane).map(|i| i.name).collect();
        problems.push(Problem::UnknownModel { key: "model".into(), name: name.into(), options });
        None
    }
}

fn inner<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    table.get(key).and_then(Value::as_table)
}

fn law(table: &Table, path: &str, problems: &mut Vec<Problem>) -> Option<AnyLaw<f64>> {
    let key = format!("{path}.model");
    let chosen = choice(inner(table, "law"), &key, AnyLaw::<f64>::CATALOG, "stribeck", problems)?;
    AnyLaw::named(chosen, ())
}

/// The name under `model` in a nested table, or the default where nothing is said.
fn choice(
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

/// Sets every parameter that the table gives.
fn fill(params: &mut dyn Params<f64>, table: &Table, strays: Strays, problems: &mut Vec<Problem>) {
    let mut given = std::collections::BTreeMap::new();
    flatten("", table, &mut given);
    let mut known = BTreeSet::new();
    // Every group that holds parameters may name its model.
    let mut nested = BTreeSet::from([String::new()]);
    let mut model = "";
    params.visit(Group::default(), &mut |visit| {
        let key = format!("{}{}", visit.group, visit.param.name);
        if model.is_empty() {
            model = visit.model;
        }
        known.insert(key.clone());
        nested.insert(visit.group.to_string());
        let Some(value) = given.get(&key) else { return };
        if let Err(expected) = set(visit.field, &visit.param.kind, value) {
            let found = value.to_string();
            problems.push(Problem::WrongKind { key, expected, found });
        }
    });
    if strays == Strays::Refuse {
        known.extend(nested.iter().map(|path| format!("{path}model")));
        for key in given.keys().filter(|k| !known.contains(*k)) {
            let options = known.iter().cloned().collect();
            problems.push(Problem::UnknownKey { key: key.clone(), model, options });
        }
    }
}

/// `{law: {mu_s: 1.5}}` → `law.mu_s: 1.5`.
fn flatten<'a>(
    group: &str,
    table: &'a Table,
    out: &mut std::collections::BTreeMap<String, &'a Value>,
) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flatten(&format!("{group}{key}."), inner, out),
            value => {
                out.insert(format!("{group}{key}"), value);
            }
        }
    }
}

fn number(value: &Value) -> Option<f64> {
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
            known.then_some(()).ok_or_else(|| format!("one of \"{}\"", options.join("\", \"")))?;
        }
        (Field::Choice(_), _) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(model: &str, text: &str) -> String {
        let table: Table = text.parse().unwrap();
        build(model, &table, Strays::Refuse).unwrap_err().to_string()
    }

    #[test]
    fn a_table_becomes_a_model() {
        let table: Table = "sigma0 = 1000\n[law]\nmodel = \"coulomb\"\nmu = 0.4".parse().unwrap();
        let built = build("dahl", &table, Strays::Refuse).unwrap();
        let Friction::Line(AnyBristle::Dahl(dahl)) = built else { panic!("{built:?}") };
        assert_eq!(dahl.sigma0, 1000.0);
        assert!(matches!(dahl.law, AnyLaw::Coulomb(law) if law.mu == 0.4));
    }

    #[test]
    fn all_faults_are_reported_at_once_with_what_to_do() {
        let text = problems(
            "lugre",
            "sigma_0 = 1\nsigma1 = -2\nscaling = \"absolut\"\nepsilon = \"no\"\n[law]\nmu_s = 0.5",
        );
        let expected = [
            "scaling = \"absolut\" must be one of \"per_load\", \"absolute\"",
            "epsilon = \"no\" must be a number",
            "`lugre` has no parameter `sigma_0`; did you mean `sigma0`?",
            "lugre: sigma1 = -2 s/m is outside [0, inf) (bristle damping σ₁, eq. 002 (15))",
            "stribeck: law.mu_s = 0.5 must be at least mu_d = 1: friction at rest is not below \
             sliding friction; raise mu_s or lower mu_d (static friction coefficient μ_s, eq. 000 \
             (5))",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    /// A law where none is nested, or under a mistyped key, is a mistake and not ignored.
    #[test]
    fn a_law_in_the_wrong_place_is_refused() {
        let text = problems("dahl", "[lwa]\nmodel = \"coulomb\"");
        assert_eq!(text, "`dahl` has no parameter `lwa.model`; did you mean `law.model`?");
        let text = problems("sawtooth", "[law]\nmodel = \"coulomb\"");
        assert!(text.starts_with("`sawtooth` has no parameter `law.model`"), "{text}");
        let text = problems("frbd_planar", "[law]\nmodel = \"coulomb\"");
        assert!(text.starts_with("`frbd_planar` has no parameter `law.model`"), "{text}");
    }

    #[test]
    fn unknown_models_are_refused_with_the_nearest_name() {
        assert_eq!(problems("frdb", ""), "model = \"frdb\" is not a model; did you mean `frbd`?");
        let text = problems("frbd", "[law]\nmodel = \"stribek\"");
        assert_eq!(text, "law.model = \"stribek\" is not a model; did you mean `stribeck`?");
    }
}
