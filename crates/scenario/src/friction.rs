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
//! In a scenario, `set` names a parameter set to start from instead of the start values, which `set = "none"` goes
//! back to. Every fault of a table is reported at once.
use crate::sets;
use crate::table::{self, Problem, Problems, Strays, choice, fill, inner};
use bristle_kernel::{AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Fault, Info, Params, faults};
use toml::Table;

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

/// The model `name` with the parameters of `table`.
pub fn build(name: &str, table: &Table, strays: Strays) -> Result<Friction, Problems> {
    let mut problems = Vec::new();
    let friction = named(name, "", table, &mut problems);
    let Some(mut friction) = friction else { return Err(Problems(problems)) };
    fill(friction.params(), "", table, strays, &mut problems);
    let fault = Problem::fault("");
    friction.faults(&mut |f| problems.push(fault(f)));
    if problems.is_empty() { Ok(friction) } else { Err(Problems(problems)) }
}

/// The friction element that a table describes as `[friction]` of a scenario does: `model`, perhaps a `set` to start from, and
/// parameters.
pub fn element(table: &Table) -> Result<Friction, Problems> {
    let mut problems = Vec::new();
    match read("", table, &mut problems) {
        Some(friction) if problems.is_empty() => Ok(friction),
        _ => Err(Problems(problems)),
    }
}

/// The friction element of a scenario's table, which stands under `prefix`: `model`, perhaps a `set`
/// to start from, and parameters of its own.
pub(crate) fn read(prefix: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<Friction> {
    let key = format!("{prefix}model");
    let options = || AnyBristle::<f64>::CATALOG.iter().map(|i| i.name).collect();
    let Some(name) = table::text(prefix, table, "model", problems) else {
        if !table.contains_key("model") {
            problems.push(Problem::Missing { key, what: "a friction model", options: options() });
        }
        return None;
    };
    if !known(name) {
        let (name, options) = (name.to_owned(), options());
        problems.push(Problem::UnknownModel { key, name, options });
        return None;
    }
    let named_set = table::text(prefix, table, "set", problems).filter(|set| *set != sets::NONE);
    let set = match named_set.map(|set| sets::for_model(set, name)) {
        None => Table::new(),
        Some(Ok(set)) => set.friction.clone(),
        Some(Err(error)) => {
            problems.push(Problem::Set { key: format!("{prefix}set"), error: error.to_string() });
            return None;
        }
    };
    // What the scenario says goes before what the set says.
    let mut merged = set.clone();
    table::merge(&mut merged, table);
    let mut friction = named(name, prefix, &merged, problems)?;
    fill(friction.params(), prefix, &set, Strays::Ignore, problems);
    let mut own = table.clone();
    own.remove("set");
    fill(friction.params(), prefix, &own, Strays::Refuse, problems);
    let fault = Problem::fault(prefix);
    friction.faults(&mut |f| problems.push(fault(f)));
    Some(friction)
}

fn known(name: &str) -> bool {
    let (line, plane) = (AnyBristle::<f64>::CATALOG, AnyPlanar::<f64>::CATALOG);
    line.iter().chain(plane).any(|i| i.name == name)
}

/// The model at start values, around the nested models that the table names.
fn named(name: &str, prefix: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<Friction> {
    let (line, plane) = (AnyBristle::<f64>::CATALOG, AnyPlanar::<f64>::CATALOG);
    if line.iter().any(|i| i.name == name) {
        let law = law(table, &format!("{prefix}law"), problems)?;
        AnyBristle::named(name, law).map(Friction::Line)
    } else if plane.iter().any(|i| i.name == name) {
        let (matrices, matrix) = (AnyMatrix::<f64>::CATALOG, inner(table, "matrix"));
        let chosen =
            choice(matrix, &format!("{prefix}matrix.model"), matrices, "isotropic", problems)?;
        let law = law(matrix.unwrap_or(&Table::new()), &format!("{prefix}matrix.law"), problems)?;
        let matrix = AnyMatrix::named(chosen, law)?;
        AnyPlanar::named(name, matrix).map(Friction::Plane)
    } else {
        let options = line.iter().chain(plane).map(|i| i.name).collect();
        problems.push(Problem::UnknownModel {
            key: format!("{prefix}model"),
            name: name.into(),
            options,
        });
        None
    }
}

fn law(table: &Table, path: &str, problems: &mut Vec<Problem>) -> Option<AnyLaw<f64>> {
    let key = format!("{path}.model");
    let chosen = choice(inner(table, "law"), &key, AnyLaw::<f64>::CATALOG, "stribeck", problems)?;
    AnyLaw::named(chosen, ())
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
            "scaling = \"absolut\" must be one of \"per_load\", \"absolute\"; did you mean \"absolute\"?",
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
