//! What is wrong with the parts of a machine.
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of part: `spring`.
    pub part: &'static str,
    /// Its number among those of its kind, from 0.
    pub index: usize,
    /// The field that it is about; empty for the part as a whole.
    pub field: &'static str,
    /// Whether it is a number outside its declared range, which a file's reader has told already.
    pub declared: bool,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// All that is wrong with the parts of a machine, one to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<&str> = self.0.iter().map(|fault| fault.text.as_str()).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Faults {}
