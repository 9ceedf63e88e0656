//! `modelDescription.xml` of FMI 2.0 and 3.0, from a description.
use crate::block::{Description, Role, Variable};
use crate::units::{BASE, exponents};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 2.0.
    Two,
    /// 3.0.
    Three,
}

/// The licence that units are under.
pub const LICENSE: &str = "MIT OR Apache-2.0";

/// A text inside of quotation marks.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// An attribute, if there is something to say.
fn attribute(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!(" {name}=\"{}\"", escaped(value)) }
}

fn number(name: &str, value: Option<f64>) -> String {
    value.filter(|x| x.is_finite()).map_or_else(String::new, |x| format!(" {name}=\"{x:?}\""))
}

/// The unit of a variable, if it has one.
fn unit(variable: &Variable) -> &str {
    if variable.unit == "1" { "" } else { &variable.unit }
}

fn units(description: &Description) -> String {
    let all: BTreeSet<&str> =
        description.variables.iter().map(unit).chain(["s"]).filter(|u| !u.is_empty()).collect();
    let mut out = String::from("  <UnitDefinitions>\n");
    for unit in all {
        let mut base = String::new();
        if let Some(powers) = exponents(unit) {
            for (name, power) in BASE.iter().zip(powers).filter(|(_, power)| *power != 0) {
                let _ = write!(base, " {name}=\"{power}\"");
            }
            base = format!("<BaseUnit{base}/>");
        }
        let _ = writeln!(out, "    <Unit name=\"{}\">{base}</Unit>", escaped(unit));
    }
    out + "  </UnitDefinitions>\n"
}

/// Causality, variability and how the value at the start comes about.
fn kind(variable: &Variable) -> [&'static str; 3] {
    match variable.role {
        Role::Time => ["independent", "continuous", ""],
        Role::Parameter(_) => ["parameter", "fixed", "exact"],
        Role::Input(_) => ["input", "continuous", ""],
        Role::State(_) => ["output", "continuous", "exact"],
        Role::Output(_) => ["output", "continuous", "calculated"],
        Role::Rate(_) | Role::Indicator(_) => ["local", "continuous", "calculated"],
    }
}

/// What is said of a variable beside its value.
fn said(variable: &Variable, reference: usize) -> String {
    let [causality, variability, initial] = kind(variable);
    format!(
        "name=\"{}\" valueReference=\"{reference}\"{} causality=\"{causality}\" variability=\"{variability}\"{}",
        escaped(&variable.name),
        attribute("description", &variable.meaning),
        attribute("initial", initial),
    )
}

/// What is said of its value; `derivative` is what it is the rate of.
fn value(variable: &Variable, derivative: Option<u32>) -> String {
    let range = variable.range;
    [
        attribute("unit", unit(variable)),
        number("min", range.map(|r| r.lo)),
        number("max", range.map(|r| r.hi)),
        number("nominal", variable.nominal),
        number("start", variable.start),
        derivative.map_or_else(String::new, |n| format!(" derivative=\"{n}\"")),
    ]
    .concat()
}

/// The number of the state that a variable is the rate of.
fn state_of(description: &Description, variable: &Variable) -> Option<u32> {
    match variable.role {
        Role::Rate(k) => description.reference(Role::State(k)),
        _ => None,
    }
}

/// What is in the head of both versions.
fn head(description: &Description) -> String {
    let title = match description.title.as_str() {
        "" => description.name.clone(),
        title => format!("{}: {title}", description.name),
    };
    let said = [
        ("modelName", description.name.as_str()),
        ("description", &title),
        ("version", env!("CARGO_PKG_VERSION")),
        ("license", LICENSE),
        ("generationTool", concat!("Bristle ", env!("CARGO_PKG_VERSION"))),
        ("variableNamingConvention", "structured"),
    ];
    said.iter().map(|(name, value)| format!("\n  {name}=\"{}\"", escaped(value))).collect()
}

fn experiment(description: &Description) -> String {
    format!(
        "  <DefaultExperiment startTime=\"0.0\" stopTime=\"{:?}\" tolerance=\"{:?}\" stepSize=\"{:?}\"/>\n",
        description.end, description.tolerance, description.step
    )
}

/// The numbers of what a variable depends on, in order.
fn dependencies(description: &Description, variable: &Variable, offset: u32) -> String {
    let Some(depends) = &variable.depends else { return String::new() };
    let numbers: BTreeSet<u32> =
        depends.iter().filter_map(|role| description.reference(*role)).collect();
    let all: Vec<String> = numbers.iter().map(|n| (n + offset).to_string()).collect();
    // One dependence of a state on itself is of a fixed factor; all others may be of any kind.
    let kinds = vec!["dependent"; all.len()];
    format!(" dependencies=\"{}\" dependenciesKind=\"{}\"", all.join(" "), kinds.join(" "))
}

/// The description, for a library of that name; `token` is what instances are asked for.
pub fn write(description: &Description, version: Version, library: &str, token: &str) -> String {
    match version {
        Version::Two => two(description, library, token),
        Version::Three => three(description, library, token),
    }
}

fn two(description: &Description, library: &str, token: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<fmiModelDescription\n  fmiVersion=\"2.0\"\n  guid=\"{token}\"{}\n  numberOfEventIndicators=\"{}\">",
        head(description),
        description.indicators
    );
    let derives = description.derives;
    let common = format!(
        "modelIdentifier=\"{library}\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" \
         providesDirectionalDerivative=\"{derives}\" canNotUseMemoryManagementFunctions=\"true\""
    );
    if description.exchanges {
        let _ =
            writeln!(out, "  <ModelExchange {common} completedIntegratorStepNotNeeded=\"true\"/>");
    }
    let _ = writeln!(
        out,
        "  <CoSimulation {common} canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" \
         maxOutputDerivativeOrder=\"0\"/>"
    );
    out += &units(description);
    out += "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"why a call failed\"/>\n  \
            </LogCategories>\n";
    out += &experiment(description);
    out += "  <ModelVariables>\n    <ScalarVariable name=\"time\" valueReference=\"0\" causality=\"independent\" \
            variability=\"continuous\"><Real unit=\"s\"/></ScalarVariable>\n";
    for (k, variable) in description.variables.iter().enumerate() {
        // Places in the list of variables, counted from 1, of which time is the first.
        let derivative = state_of(description, variable).map(|n| n + 1);
        let (said, value) = (said(variable, k + 1), value(variable, derivative));
        let _ = writeln!(out, "    <ScalarVariable {said}><Real{value}/></ScalarVariable>");
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n";
    let list = |name: &str, which: &dyn Fn(Role) -> bool, depends: bool| {
        let mut rows = String::new();
        for (k, variable) in description.variables.iter().enumerate().filter(|(_, v)| which(v.role))
        {
            let on = if depends { dependencies(description, variable, 1) } else { String::new() };
            let _ = writeln!(rows, "      <Unknown index=\"{}\"{on}/>", k + 2);
        }
        if rows.is_empty() { rows } else { format!("    <{name}>\n{rows}    </{name}>\n") }
    };
    out += &list("Outputs", &|r| matches!(r, Role::State(_) | Role::Output(_)), true);
    out += &list("Derivatives", &|r| matches!(r, Role::Rate(_)), true);
    out += &list("InitialUnknowns", &|r| matches!(r, Role::Output(_) | Role::Rate(_)), false);
    out + "  </ModelStructure>\n</fmiModelDescription>\n"
}

fn three(description: &Description, library: &str, token: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<fmiModelDescription\n  fmiVersion=\"3.0\"\n  instantiationToken=\"{token}\"{}>",
        head(description)
    );
    let derives = description.derives;
    let common = format!(
        "modelIdentifier=\"{library}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" \
         providesDirectionalDerivatives=\"{derives}\" providesAdjointDerivatives=\"{derives}\""
    );
    if description.exchanges {
        let _ = writeln!(out, "  <ModelExchange {common} needsCompletedIntegratorStep=\"false\"/>");
    }
    let _ = writeln!(
        out,
        "  <CoSimulation {common} canHandleVariableCommunicationStepSize=\"true\" maxOutputDerivativeOrder=\"0\" \
         providesIntermediateUpdate=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"/>"
    );
    out += &units(description);
    out += "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"why a call failed\"/>\n  \
            </LogCategories>\n";
    out += &experiment(description);
    out += "  <ModelVariables>\n    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" \
            variability=\"continuous\" unit=\"s\"/>\n";
    for (k, variable) in description.variables.iter().enumerate() {
        let derivative = state_of(description, variable);
        let _ = writeln!(
            out,
            "    <Float64 {}{}/>",
            said(variable, k + 1),
            value(variable, derivative)
        );
    }
    out += "  </ModelVariables>\n  <ModelStructure>\n";
    let mut list = |name: &str, which: &dyn Fn(Role) -> bool, depends: bool| {
        for (k, variable) in description.variables.iter().enumerate().filter(|(_, v)| which(v.role))
        {
            let on = if depends { dependencies(description, variable, 0) } else { String::new() };
            let _ = writeln!(out, "    <{name} valueReference=\"{}\"{on}/>", k + 1);
        }
    };
    list("Output", &|r| matches!(r, Role::State(_) | Role::Output(_)), true);
    list("ContinuousStateDerivative", &|r| matches!(r, Role::Rate(_)), true);
    list("InitialUnknown", &|r| matches!(r, Role::Output(_) | Role::Rate(_)), false);
    list("EventIndicator", &|r| matches!(r, Role::Indicator(_)), false);
    out + "  </ModelStructure>\n</fmiModelDescription>\n"
}
