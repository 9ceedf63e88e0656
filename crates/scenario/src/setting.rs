use std::fmt;
use std::str::FromStr;
use toml::Value;

/// A value put over a file's.
///
/// ```
/// use bristle_scenario::Setting;
///
/// let typed = Setting::new("friction.sigma1", 400.0);
/// assert_eq!("friction.sigma1=400.0".parse(), Ok(typed));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Where: `friction.law.mu_s`.
    pub key: String,
    /// What.
    pub value: Value,
}

impl Setting {
    /// A number, a text or whatever a file may hold there.
    pub fn new(key: impl Into<String>, value: impl Into<Value>) -> Self {
        Setting { key: key.into(), value: value.into() }
    }

    /// A value as a person types it: TOML, or a text where it is none, so that names need no quotation marks.
    pub fn typed(key: impl Into<String>, value: &str) -> Self {
        let text = || Value::String(value.to_owned());
        Setting { key: key.into(), value: value.parse().unwrap_or_else(|_| text()) }
    }
}

/// A text that is no `key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSetting(String);

impl fmt::Display for NoSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must read key=value, as in --set friction.sigma1=400", self.0)
    }
}

impl std::error::Error for NoSetting {}

impl FromStr for Setting {
    type Err = NoSetting;

    fn from_str(text: &str) -> Result<Self, NoSetting> {
        let (key, value) = text.split_once('=').ok_or_else(|| NoSetting(text.to_owned()))?;
        Ok(Setting::typed(key.trim(), value.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_has_a_type() {
        let value = |text: &str| text.parse::<Setting>().unwrap().value;
        assert_eq!(value("run.end=5"), Value::Integer(5));
        assert_eq!(value("run.end = 5e-3"), Value::Float(5e-3));
        assert_eq!(value("friction.model=dahl"), Value::String("dahl".into()));
        assert_eq!(value("friction.model=\"dahl\""), Value::String("dahl".into()));
        assert!(value("figure.panels=[[\"x\"]]").is_array());
        // What follows a value belongs to it and is no other key.
        assert_eq!(value("run.end=5\nx = 1"), Value::String("5\nx = 1".into()));
        assert!("run.end".parse::<Setting>().is_err());
    }
}
