//! What many runs of one file need: the same scenario with other numbers, without reading the file again, and the units of keys.
use crate::machine::declared;
use crate::scenario::Scenario;
use crate::{line, machine, patch};
use bristle_kernel::{Field, Group, Params, faults};
use bristle_system::{Coupled, Mechanism};
use bristle_trace::Signals;

impl Scenario {
    /// The same scenario with other numbers, by their keys: what [`Scenario::read`] gives for settings of these numbers, bit
    /// for bit, at a part of the cost. Nothing where a key is not a number of the system, its friction, `[initial]` or
    /// `[run]`, or where a number is refused: reading tells why.
    pub fn varied(&self, numbers: &[(&str, f64)]) -> Option<Self> {
        let mut own = self.clone();
        for (key, value) in numbers {
            let (section, name) = key.split_once('.')?;
            let set = match section {
                "system" => put(&mut own.mechanism, name, *value),
                // An observer starts from the friction of the file.
                "friction" => own.observer.is_none() && put(&mut own.friction, name, *value),
                "run" => put(&mut own.run, name, *value),
                "initial" => own.start_at(name, *value),
                _ => false,
            };
            if !set {
                return None;
            }
        }
        let mut sound = true;
        faults(&own.mechanism, &mut |_| sound = false);
        faults(&own.friction, &mut |_| sound = false);
        faults(&own.run, &mut |_| sound = false);
        sound.then_some(own)
    }

    fn start_at(&mut self, name: &str, value: f64) -> bool {
        let known = self.initial.iter_mut().find(|(own, _)| own == name);
        let known = known.map(|(_, own)| *own = value);
        known.is_some() && value.is_finite()
    }

    /// The unit of a number of the file, by its key; nothing where there is no such number.
    pub fn unit(&self, key: &str) -> Option<String> {
        let (section, name) = key.split_once('.')?;
        let declared = |unit: Option<&'static str>| unit.map(str::to_owned);
        match section {
            "system" => match unit(&mut self.mechanism.clone(), name)? {
                // A signal takes the unit of what it drives.
                "drive" => self.mechanism.drives().first().map(|drive| drive.unit.to_owned()),
                unit => Some(unit.to_owned()),
            },
            "friction" => declared(unit(&mut self.friction.clone(), name)),
            "observer" => declared(unit(&mut self.observer.clone()?, name)),
            "run" => declared(unit(&mut self.run.clone(), name)),
            "initial" => {
                let system = Coupled::new(self.mechanism.clone(), self.friction.clone());
                state(&Signals::of(&system), name)
            }
            _ => None,
        }
    }

    /// What its run calls its columns, with their units.
    pub fn columns(&self) -> Vec<(String, String)> {
        columns(&Signals::of(&Coupled::new(self.mechanism.clone(), self.friction.clone())))
    }
}

impl machine::Scenario {
    /// The unit of a number of the file, by its key; nothing where there is no such number.
    pub fn unit(&self, key: &str) -> Option<String> {
        let (section, name) = key.split_once('.')?;
        match section {
            "run" => unit(&mut self.run.clone(), name).map(str::to_owned),
            "initial" => state(&Signals::of(&self.system), name),
            kind => {
                let kind = kind.split('[').next().unwrap_or(kind);
                let field = name.rsplit('.').next().unwrap_or(name);
                declared(kind, field).map(|param| param.unit.to_owned())
            }
        }
    }

    /// What its run calls its columns, with their units.
    pub fn columns(&self) -> Vec<(String, String)> {
        columns(&Signals::of(&self.system))
    }
}

impl patch::Scenario {
    /// The unit of a number of the file, by its key; nothing where there is no such number.
    pub fn unit(&self, key: &str) -> Option<&'static str> {
        let (section, name) = key.split_once('.')?;
        match section {
            "patch" => unit(&mut self.patch.clone(), name),
            "rolling" => unit(&mut self.rolling.clone(), name),
            "friction" => unit(&mut self.bristle.clone(), name),
            "run" => unit(&mut self.run.clone(), name),
            _ => None,
        }
    }
}

impl line::Scenario {
    /// The unit of a number of the file, by its key; nothing where there is no such number.
    pub fn unit(&self, key: &str) -> Option<&'static str> {
        let (section, name) = key.split_once('.')?;
        match section {
            "line" => unit(&mut self.contact.clone(), name),
            "friction" => unit(&mut self.bristle.clone(), name),
            "run" => unit(&mut self.run.clone(), name),
            _ => None,
        }
    }
}

/// The unit of the parameter of that name, groups before it: `law.mu_s`.
pub fn unit(params: &mut dyn Params<f64>, name: &str) -> Option<&'static str> {
    let mut found = None;
    params.visit(Group::default(), &mut |visit| {
        if is(name, visit.group, visit.param.name) {
            found = Some(visit.unit);
        }
    });
    found
}

/// Gives the parameter of that name another number; whether there is one.
fn put(params: &mut dyn Params<f64>, name: &str, value: f64) -> bool {
    let mut done = false;
    params.visit(Group::default(), &mut |visit| {
        if let Field::Number(own) = visit.field
            && is(name, visit.group, visit.param.name)
        {
            (*own, done) = (value, true);
        }
    });
    done
}

/// Whether `law.mu_s` is the parameter `mu_s` of the group `law.`.
fn is(name: &str, group: Group, own: &str) -> bool {
    name.strip_suffix(own).is_some_and(|before| before == group.to_string())
}

fn state(signals: &Signals, name: &str) -> Option<String> {
    let states = signals.states.iter().map(|column| &signals.columns[*column]);
    states.into_iter().find(|(own, _)| own == name).map(|(_, unit)| (*unit).to_owned())
}

fn columns(signals: &Signals) -> Vec<(String, String)> {
    signals.columns.iter().map(|(name, unit)| (name.clone(), (*unit).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setting;

    const BELT: &str = "[system]\nmodel = \"belt\"\n[friction]\nmodel = \"lugre\"\nset = \"lugre-or-not-set-2\"\n\
                        [initial]\nx = 0.0\n[run]\nend = 1\n";

    #[test]
    fn other_numbers_are_those_of_a_file_that_is_read_anew() {
        let file = Scenario::read(BELT, &[]).unwrap();
        let numbers = [
            ("friction.sigma1", 40.0),
            ("friction.law.mu_s", 0.7),
            ("system.drive.value", 0.2),
            ("initial.x", -0.1),
            ("run.tolerance", 1e-7),
        ];
        let settings: Vec<_> = numbers.iter().map(|(key, x)| Setting::new(*key, *x)).collect();
        let anew = Scenario::read(BELT, &settings).unwrap();
        let varied = file.varied(&numbers).unwrap();
        let plain = |s: &Scenario| {
            format!("{:?} {:?} {:?} {:?}", s.mechanism, s.friction, s.initial, s.run)
        };
        assert_eq!(plain(&varied), plain(&anew));
        assert_ne!(plain(&varied), plain(&file));
    }

    #[test]
    fn what_is_no_number_or_out_of_range_is_left_to_reading() {
        let file = Scenario::read(BELT, &[]).unwrap();
        for (key, value) in [
            ("friction.model", 1.0),
            ("friction.sigma", 1.0),
            ("system.mass", -1.0),
            ("friction.law.mu_s", 0.0),
            ("initial.y", 1.0),
            ("initial.x", f64::NAN),
            ("mass", 1.0),
        ] {
            assert!(file.varied(&[(key, value)]).is_none(), "{key} = {value}");
        }
    }

    #[test]
    fn units_are_those_that_are_declared() {
        let file = Scenario::read(BELT, &[]).unwrap();
        let unit = |key: &str| file.unit(key);
        assert_eq!(unit("system.drive.value").as_deref(), Some("m/s"));
        assert_eq!(unit("friction.law.v_s").as_deref(), Some("m/s"));
        assert_eq!(unit("initial.x").as_deref(), Some("m"));
        assert_eq!(unit("run.end").as_deref(), Some("s"));
        assert_eq!(unit("friction.model"), None);
    }
}
