//! Numbers, names and units as people read them.
use bristle_kernel::{Field, Group, Params};
use serde_json::{Map, Value, json};

/// Seven digits, as engineers read them.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&size) {
        let digits = (6 - size.log10().floor() as i32).clamp(0, 9) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.5e}")
    }
}

/// Every parameter with its value.
pub fn parameters(of: &(impl Params<f64> + Clone)) -> Value {
    let mut all = Map::new();
    of.clone().visit(Group::default(), &mut |visit| {
        let value = match visit.field {
            Field::Number(x) => json!(*x),
            Field::List(list) => json!(list.as_slice()),
            Field::Choice(choice) => json!(choice.get()),
        };
        all.insert(format!("{}{}", visit.group, visit.param.name), value);
    });
    Value::Object(all)
}

/// A column's name as it is printed: `q_err` with its index set below.
pub fn symbol(name: &str) -> String {
    match name.split_once('_') {
        Some((letter, index)) => format!("{}_{{{}}}", greek(letter), index.replace('_', ",")),
        None => greek(name).to_owned(),
    }
}

/// A letter by its name as it is printed.
fn greek(letter: &str) -> &str {
    match letter {
        "omega" => "ω",
        "phi" => "φ",
        "tau" => "τ",
        "theta" => "θ",
        other => other,
    }
}

/// `N*s/m^2` as it is printed.
pub fn typeset(unit: &str) -> String {
    unit.replace('*', "·").replace("^2", "²")
}

/// The unit that an axis has for lengths up to this one, m, and how many of it are a metre.
pub(crate) fn unit_of_length(longest: f64) -> (&'static str, f64) {
    match longest {
        l if l >= 0.1 => ("m", 1.0),
        l if l >= 1e-3 => ("mm", 1e3),
        l if l >= 1e-6 => ("µm", 1e6),
        _ => ("nm", 1e9),
    }
}

/// Three digits.
pub(crate) fn digits(x: f64) -> String {
    format!("{x:.2e}").parse::<f64>().unwrap_or(x).to_string()
}
