//! Numbers from programs independent of this project.
use bristle_reference::Table;

/// One number, or a few that belong together.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was done.
    pub experiment: String,
    /// With which model.
    pub model: String,
    /// What was measured, with its unit.
    pub quantity: String,
    /// As the file has it: `1; 2`, `1..2` and `1 (2..3)` are several.
    pub value: String,
    /// How well it is known; 0 if it is exact or the file says so in words.
    pub uncertainty: f64,
    /// What the paper prints, in its words.
    pub printed: Option<String>,
}

impl Entry {
    /// The numbers in the value.
    pub fn numbers(&self) -> Vec<f64> {
        let text = self.value.replace("..", " ").replace([';', '(', ')', '[', ']', ',', '/'], " ");
        text.split_whitespace().filter_map(|x| x.parse().ok()).collect()
    }

    /// `experiment|model|quantity`.
    pub fn key(&self) -> String {
        format!("{}|{}|{}", self.experiment, self.model, self.quantity)
    }
}

/// The number after `key` in a quantity's name: `x_t=30s_m` has 30 after `t=`.
pub fn number(quantity: &str, key: &str) -> Option<f64> {
    let rest = quantity.split_once(key)?.1;
    (1..=rest.len()).rev().find_map(|end| rest.get(..end)?.parse().ok())
}

/// A file `scalars.csv`.
#[derive(Clone, Debug)]
pub struct Reference {
    entries: Vec<Entry>,
}

impl Reference {
    /// From the text of the file. A line that lacks a field is passed over; a test counts them.
    pub fn read(text: &str) -> Self {
        let table = Table::read(text);
        // Some files begin with the paper's number.
        let from =
            table.names().position(|name| name == "model").map_or(0, |k| k.saturating_sub(1));
        let entry = |line: &Vec<String>| {
            let field = |k: usize| line.get(from + k).cloned();
            Some(Entry {
                experiment: field(0)?,
                model: field(1)?,
                quantity: field(2)?,
                value: field(3)?,
                uncertainty: field(4)?.parse().unwrap_or(0.0),
                printed: field(5).filter(|p| !p.is_empty()),
            })
        };
        Reference { entries: table.texts().iter().filter_map(entry).collect() }
    }

    /// All of them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Those of an experiment with a model.
    pub fn of(&self, experiment: &str, model: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |e| e.experiment == experiment && e.model == model)
    }

    /// The models of an experiment.
    pub fn models(&self, experiment: &str) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        for entry in self.entries.iter().filter(|e| e.experiment == experiment) {
            if !models.contains(&entry.model.as_str()) {
                models.push(&entry.model);
            }
        }
        models
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_be_several_numbers() {
        let entry = |value: &str| Entry {
            experiment: String::new(),
            model: String::new(),
            quantity: String::new(),
            value: value.into(),
            uncertainty: 0.0,
            printed: None,
        };
        assert_eq!(entry("0.178..0.818").numbers(), [0.178, 0.818]);
        assert_eq!(entry("0.011 (0.010..0.012)").numbers(), [0.011, 0.010, 0.012]);
        assert_eq!(entry("0.1; -2e-3").numbers(), [0.1, -2e-3]);
        assert_eq!(number("x_t=30s_m", "t="), Some(30.0));
    }
}
