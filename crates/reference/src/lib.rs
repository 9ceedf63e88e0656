//! Reference numbers, made by programs independent of this project, and how they are read.
//!
//! The files are comma-separated, with lines that begin with `#` to say where they come from, then the names of the
//! columns. Fields may stand in quotation marks.
#![forbid(unsafe_code)]

use std::path::Path;

/// A file by the names of its columns.
#[derive(Clone, Debug)]
pub struct Table {
    names: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// From the text of a file.
    ///
    /// ```
    /// let table = bristle_reference::Table::read("# by hand\nt,F\n0,1.5\n1,2\n");
    /// assert_eq!(table.column("F"), [1.5, 2.0]);
    /// ```
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(split);
        let names = lines.next().unwrap_or_default();
        Table { names, lines: lines.collect() }
    }

    /// A file of `data/reference`, such as `frbd/frf.csv`. For tests: it panics where there is none.
    pub fn of(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
        let text = std::fs::read_to_string(&path);
        Table::read(&text.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    /// The names of the columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The lines.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        self.lines.iter().map(|fields| Line { names: &self.names, fields })
    }

    /// The lines as texts, field by field.
    pub fn texts(&self) -> &[Vec<String>] {
        &self.lines
    }

    /// The names of the columns and then the lines, as texts.
    pub fn whole(self) -> Vec<Vec<String>> {
        std::iter::once(self.names).chain(self.lines).collect()
    }

    /// The lines as numbers; what is none is NaN.
    pub fn numbers(&self) -> Vec<Vec<f64>> {
        let number = |field: &String| field.trim().parse().unwrap_or(f64::NAN);
        self.lines.iter().map(|line| line.iter().map(number).collect()).collect()
    }

    /// The numbers of a column; none if there is no such column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        match self.names.iter().any(|n| n == name) {
            true => self.lines().map(|line| line.number(name)).collect(),
            false => Vec::new(),
        }
    }
}

/// One line of a file.
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

    /// The number there; NaN if there is none.
    pub fn number(&self, column: &str) -> f64 {
        self.text(column).trim().parse().unwrap_or(f64::NAN)
    }
}

/// The fields of a line, some of them in quotation marks, in which a doubled one stands for itself.
pub fn split(line: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut quoted, mut closed) = (false, false);
    for c in line.chars() {
        let doubled = c == '"' && closed;
        closed = false;
        match c {
            '"' if doubled => {
                field.push('"');
                quoted = true;
            }
            '"' => {
                closed = quoted;
                quoted = !quoted;
            }
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_hold_commas_and_quotation_marks() {
        assert_eq!(split(r#"a,"b,c","say ""no""",d"#), ["a", "b,c", r#"say "no""#, "d"]);
    }

    /// Every file has names and as many fields in each line.
    #[test]
    fn every_file_is_a_table() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut count = 0;
        for folder in std::fs::read_dir(&data).unwrap().map(|e| e.unwrap().path()) {
            for file in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
                let table = Table::of(file.strip_prefix(&data).unwrap().to_str().unwrap());
                assert!(table.names().len() > 1 && table.lines().len() > 0, "{}", file.display());
                let short = table.texts().iter().find(|line| line.len() < 2);
                assert!(short.is_none(), "{}: {short:?}", file.display());
                count += 1;
            }
        }
        assert!(count > 60, "{count}");
    }
}
