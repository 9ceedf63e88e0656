//! Reference files with a case to a line.
use crate::reference::split;

/// A file by the names of its columns.
#[derive(Clone, Debug)]
pub struct Table {
    names: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// From the text of the file, without its lines that begin with `#`.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(split);
        let names = lines.next().unwrap_or_default();
        Table { names, lines: lines.collect() }
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines.iter().map(|fields| Line { names: &self.names, fields })
    }
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    names: &'a [String],
    fields: &'a [String],
}

impl<'a> Line<'a> {
    /// What stands in a column; nothing if there is none of that name.
    pub fn text(&self, column: &str) -> &'a str {
        let place = self.names.iter().position(|name| name == column);
        place.and_then(|k| self.fields.get(k)).map_or("", String::as_str)
    }

    /// The number there; not a number if there is none.
    pub fn number(&self, column: &str) -> f64 {
        self.text(column).trim().parse().unwrap_or(f64::NAN)
    }
}
