//! Named parameter sets: the tables and figures of the papers, one file each in `data/params`.
use crate::friction::{Friction, build};
use crate::nearest;
use crate::table::{Problems, Strays};
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};
use toml::{Table, Value};

/// The name for start values in place of a set.
pub const NONE: &str = "none";

/// One set, as its file states it.
#[derive(Clone, Debug)]
pub struct ParameterSet {
    /// The name of the file, which users type.
    pub name: &'static str,
    /// One line.
    pub title: String,
    /// The paper and where in it.
    pub source: String,
    /// What to know: load, readings, what is ours. May be empty.
    pub note: String,
    /// The models it was made for.
    pub models: Vec<String>,
    /// Their parameters; some may belong to only one of them.
    pub friction: Table,
}

static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sets.rs"));

/// Every set, by name.
pub fn all() -> &'static [ParameterSet] {
    static ALL: LazyLock<Vec<ParameterSet>> =
        LazyLock::new(|| FILES.iter().filter_map(|(name, text)| read(name, text)).collect());
    &ALL
}

/// A file of `data/params`. They are part of the program, and a test reads them all.
fn read(name: &'static str, text: &str) -> Option<ParameterSet> {
    let table: Table = text.parse().ok()?;
    let text = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let models = table.get("models")?.as_array()?;
    Some(ParameterSet {
        name,
        title: text("title"),
        source: text("source"),
        note: text("note"),
        models: models.iter().filter_map(|m| m.as_str().map(str::to_owned)).collect(),
        friction: table.get("friction")?.as_table()?.clone(),
    })
}

/// Why a set cannot be had.
#[derive(Clone, Debug, PartialEq)]
pub enum SetError {
    /// There is no set of that name.
    Unknown {
        /// What was typed.
        name: String,
    },
    /// The set is not for that model.
    OtherModel {
        /// The set.
        set: &'static str,
        /// The model asked for.
        model: String,
        /// The models it is for.
        models: Vec<String>,
    },
    /// The file cannot be read as a set.
    File {
        /// Its path.
        name: String,
        /// Why.
        why: String,
    },
    /// The model refuses its values.
    Refused(Problems),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::Unknown { name } => {
                write!(f, "there is no parameter set `{name}`")?;
                match nearest(name, all().iter().map(|s| s.name)) {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => write!(f, "; `bristle models` lists them"),
                }
            }
            SetError::OtherModel { set, model, models } => {
                write!(f, "the set `{set}` is not for `{model}` but for {}; ", models.join(", "))?;
                let fits = |s: &&ParameterSet| s.models.iter().any(|m| m == model);
                let names: Vec<&str> = all().iter().filter(fits).map(|s| s.name).collect();
                match names.first() {
                    Some(first) => write!(
                        f,
                        "add --set friction.set={first}{}, or --set friction.set={NONE} for start values",
                        names[1..].iter().map(|n| format!(" or {n}")).collect::<String>()
                    ),
                    None => write!(f, "add --set friction.set={NONE} for start values"),
                }
            }
            SetError::File { name, why } => {
                write!(f, "cannot read the parameter set {name}: {why}")
            }
            SetError::Refused(problems) => problems.fmt(f),
        }
    }
}

impl std::error::Error for SetError {}

/// The set of that name, or of that file, which is read once.
pub fn named(name: &str) -> Result<&'static ParameterSet, SetError> {
    /// What was read from files.
    static READ: Mutex<Vec<&'static ParameterSet>> = Mutex::new(Vec::new());
    if name.ends_with(".toml") {
        let mut read_before = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = read_before.iter().find(|s| s.name == name) {
            return Ok(set);
        }
        let bad = |why: String| SetError::File { name: name.to_owned(), why };
        let text = std::fs::read_to_string(name).map_err(|e| bad(e.to_string()))?;
        let what = "it must hold models = [\"…\"] and [friction], as `bristle fit` writes them";
        // Sets live as long as the program, those of files too.
        let set = read(String::leak(name.to_owned()), &text).ok_or_else(|| bad(what.into()))?;
        let set: &'static ParameterSet = Box::leak(Box::new(set));
        read_before.push(set);
        return Ok(set);
    }
    let found = all().iter().find(|s| s.name == name);
    found.ok_or_else(|| SetError::Unknown { name: name.to_owned() })
}

/// The set of that name, if it is for that model.
pub fn for_model(set: &str, model: &str) -> Result<&'static ParameterSet, SetError> {
    let set = named(set)?;
    if !set.models.iter().any(|m| m == model) {
        let (model, models) = (model.to_owned(), set.models.clone());
        return Err(SetError::OtherModel { set: set.name, model, models });
    }
    Ok(set)
}

/// The model with the parameters of a set.
pub fn load(set: &str, model: &str) -> Result<Friction, SetError> {
    build(model, &for_model(set, model)?.friction, Strays::Ignore).map_err(SetError::Refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bristle_kernel::{AnyBristle, AnyLaw, Bristle, Drive, Law, Scaling};
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_a_set_that_all_its_models_take() {
        assert_eq!(all().len(), FILES.len());
        for set in all() {
            assert!(!set.title.is_empty() && !set.source.is_empty(), "{}", set.name);
            let mut strays: Option<BTreeSet<String>> = None;
            for model in &set.models {
                load(set.name, model).unwrap_or_else(|e| panic!("{} for {model}: {e}", set.name));
                // A key may be for one model only, but never for none.
                let refused = match build(model, &set.friction, Strays::Refuse) {
                    Ok(_) => BTreeSet::new(),
                    Err(problems) => problems.0.iter().map(|p| format!("{p:?}")).collect(),
                };
                let keys: BTreeSet<String> = refused
                    .iter()
                    .filter_map(|p| p.split("key: ").nth(1)?.split(',').next().map(str::to_owned))
                    .collect();
                strays =
                    Some(strays.map_or(keys.clone(), |s| s.intersection(&keys).cloned().collect()));
            }
            assert_eq!(strays, Some(BTreeSet::new()), "{}: keys that no model has", set.name);
        }
    }

    /// Numbers that the papers print beside their tables.
    #[test]
    fn sets_give_the_numbers_printed_beside_them() {
        let Friction::Line(AnyBristle::LuGre(m)) = load("lugre-or-not-set-1", "lugre").unwrap()
        else {
            panic!("a lugre")
        };
        assert_eq!(m.scaling, Scaling::Absolute);
        let AnyLaw::Stribeck(law) = &m.law else { panic!("a stribeck law") };
        // 002 §4.3: F_d = 2.943 N, F_s = 5.886 N under 9.81 N; z_st = 0.0513 mm at 2 N.
        assert!(
            (law.mu_d * 9.81 - 2.943).abs() < 1e-12 && (law.rest() * 9.81 - 5.886).abs() < 1e-12
        );
        assert!((2.0 / m.sigma0 - 0.0513e-3).abs() < 5e-8);
        // 003 Table I: σ₁ = τ₁(k₀ + k₁) = 64.5 s/m.
        let Friction::Line(AnyBristle::FrbdGm(gm)) =
            load("viscoelastic-table-1", "frbd_gm").unwrap()
        else {
            panic!("a frbd_gm")
        };
        assert!((gm.tau[0] * (gm.k0 + gm.k[0]) - 64.5).abs() < 1e-12);
        // 002 §4.4: the belt breaks away at t = μ_s F_N/(k v_b) = 7.3575 s with k = 2 N/m, 0.1 m/s.
        let Friction::Line(m) = load("lugre-or-not-set-2", "frbd").unwrap() else {
            panic!("a frbd")
        };
        let force = m.steady(&Drive::new(1e-12, 9.81), &mut [0.0]);
        assert!((force / (2.0 * 0.1) - 7.3575).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_set_or_model_says_what_there_is() {
        assert_eq!(
            load("frbd-table2", "frbd").unwrap_err().to_string(),
            "there is no parameter set `frbd-table2`; did you mean `frbd-table-2`?"
        );
        assert_eq!(
            load("viscoelastic-table-1", "sawtooth").unwrap_err().to_string(),
            "the set `viscoelastic-table-1` is not for `sawtooth` but for frbd_gm; add --set \
             friction.set=rotating-fig-10 or rotating-fig-11 or rotating-fig-12, or --set friction.set=none for \
             start values"
        );
    }
}
