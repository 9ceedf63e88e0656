//! What a file is about: a friction element, a system with friction, or a line contact.
use crate::files::Files;
use crate::friction::{self, Friction};
use crate::places::Places;
use crate::setting::Setting;
use crate::table::{Problems, inner, sections, syntax};
use crate::{Scenario, line};
use bristle_kernel::{AnyBristle, AnyPlanar};
use toml::Table;

/// What is looked at.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Subject {
    /// A friction element alone: the file has no more than `[friction]`.
    Friction(AnyBristle<f64>),
    /// The same in a plane.
    Plane(AnyPlanar<f64>),
    /// A system: the file has `[system]`.
    System(Scenario),
    /// A line contact: the file has `[line]`.
    Line(line::Scenario),
}

impl Subject {
    /// Reads a file's text. `settings` are put over it. Tables that it names stand in `files`.
    pub fn read<'f>(
        text: &str,
        settings: &[Setting],
        files: impl Into<Files<'f>>,
    ) -> Result<Self, Problems> {
        let file: Table = text.parse().map_err(|_| syntax(text))?;
        if file.contains_key("system") {
            return Scenario::read(text, settings).map(Subject::System);
        }
        if file.contains_key("line") {
            return line::Scenario::read(text, settings, files).map(Subject::Line);
        }
        let mut problems = Vec::new();
        let table = sections(text, settings, "file", &["friction"], &mut problems)?;
        let empty = Table::new();
        let section = inner(&table, "friction").unwrap_or(&empty);
        match friction::read("friction.", section, &mut problems) {
            Some(Friction::Line(model)) if problems.is_empty() => Ok(Subject::Friction(model)),
            Some(Friction::Plane(model)) if problems.is_empty() => Ok(Subject::Plane(model)),
            _ => Err(Places::of(text, settings).locate(problems)),
        }
    }

    /// The friction model along a line; nothing in a plane.
    pub fn friction(&self) -> Option<&AnyBristle<f64>> {
        match self {
            Subject::Friction(model) => Some(model),
            Subject::System(scenario) => Some(&scenario.friction),
            Subject::Line(scenario) => Some(&scenario.bristle),
            Subject::Plane(_) => None,
        }
    }
}
