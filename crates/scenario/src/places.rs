//! Where in a file the keys stand, so that what is wrong can be pointed at.
use crate::setting::Setting;
use crate::table::{At, Problem, Problems};
use std::collections::{BTreeMap, BTreeSet};
use toml::de::{DeTable, DeValue};

/// Where each key of a file stands, and which keys were set over it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Line and column of `friction.law.mu_s`, counted from 1.
    keys: BTreeMap<String, (usize, usize)>,
    set: BTreeSet<String>,
}

impl Places {
    /// Those of a text, over which `settings` were put.
    pub fn of(text: &str, settings: &[Setting]) -> Self {
        let set = settings.iter().map(|s| s.key.clone()).collect();
        let mut places = Places { keys: BTreeMap::new(), set };
        if let Ok(table) = DeTable::parse(text) {
            places.enter("", table.get_ref(), text);
        }
        places
    }

    fn enter(&mut self, prefix: &str, table: &DeTable<'_>, text: &str) {
        let place = |start: usize| {
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
            (line, column)
        };
        for (key, value) in table {
            let path = format!("{prefix}{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) => self.enter(&format!("{path}."), inner, text),
                DeValue::Array(items) => {
                    for (k, item) in items.iter().enumerate() {
                        if let DeValue::Table(inner) = item.get_ref() {
                            self.keys.insert(format!("{path}[{k}]"), place(item.span().start));
                            self.enter(&format!("{path}[{k}]."), inner, text);
                        }
                    }
                }
                _ => {}
            }
            self.keys.insert(path, place(key.span().start));
        }
    }

    /// Where a key stands, or else the table that it is missing from.
    fn find(&self, key: &str) -> Option<At> {
        let mut key = key;
        loop {
            if self.set.contains(key) {
                return Some(At::Setting(key.to_owned()));
            }
            if let Some((line, column)) = self.keys.get(key) {
                return Some(At::Line { line: *line, column: *column });
            }
            key = key.rsplit_once('.')?.0;
        }
    }

    /// Whether the file itself says it, and no setting does.
    pub fn in_file(&self, key: &str) -> bool {
        self.keys.contains_key(key) && !self.set.contains(key)
    }

    /// A remark on a key, with the place where it stands.
    pub fn said(&self, key: &str, remark: &str) -> String {
        self.find(key).map_or_else(|| remark.to_owned(), |at| format!("{at}: {remark}"))
    }

    /// The same problems, each with the place that it is about, in the order of the file; then those of settings and
    /// those that stand nowhere.
    pub fn locate(&self, problems: Vec<Problem>) -> Problems {
        let locate = |problem: Problem| match problem.key().and_then(|key| self.find(&key)) {
            Some(at) => Problem::Located { at, problem: Box::new(problem) },
            None => problem,
        };
        let mut located: Vec<Problem> = problems.into_iter().map(locate).collect();
        located.sort_by_key(|problem| match problem {
            Problem::Located { at: At::Line { line, column }, .. } => (0, *line, *column),
            Problem::Located { at: At::Setting(_), .. } => (1, 0, 0),
            _ => (2, 0, 0),
        });
        Problems(located)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_wherever_they_stand() {
        let text =
            "title = \"µ\"\n\n[system]\nmodel = \"belt\"\n  mass = 1\n[friction.law]\nmu_s = 2\n";
        let places = Places::of(text, &[Setting::new("run.end", 1)]);
        let at = |line, column| Some(At::Line { line, column });
        assert_eq!(places.find("system.mass"), at(5, 3));
        assert_eq!(places.find("friction.law.mu_s"), at(7, 1));
        assert_eq!(places.find("friction.law.mu_d"), at(6, 11));
        assert_eq!(places.find("friction.model"), at(6, 2));
        assert_eq!(places.find("run.end"), Some(At::Setting("run.end".into())));
        assert_eq!(places.find("run.step"), None);
        let text = "[[body]]\nname = \"a\"\n[[body]]\nname = \"b\"\n  mass = 2\n";
        let places = Places::of(text, &[]);
        assert_eq!(places.find("body[1].mass"), at(5, 3));
        assert_eq!(places.find("body[0].mass"), at(1, 1));
        assert_eq!(places.find("body[1].inertia"), at(3, 1));
    }
}
