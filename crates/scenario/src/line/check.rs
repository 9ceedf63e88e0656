//! What a file of a line contact may not say together, and signals that leave their range.
use super::{Before, Scenario};
use crate::table::Problem;
use bristle_kernel::Bristle;
use toml::Table;

impl Scenario {
    /// All that is wrong with it as a whole; `line` is its section.
    pub(super) fn check(&self, line: &Table, problems: &mut Vec<Problem>) {
        let mut wrong = |key: &str, expected: &str, found: String| {
            problems.push(Problem::WrongKind { key: key.into(), expected: expected.into(), found });
        };
        let c = &self.contact;
        let along = self.along.as_ref();
        let given = |name: &str| line.get(name).map(ToString::to_string);
        let rates = along.is_some_and(|a| a.rate.is_some());
        if (self.transport.is_some() || self.length.is_some()) && c.rate_slope != 0.0 {
            let one = "0 or absent with [transport] or [length]: a rate changes along the line or in time";
            wrong("line.rate_slope", one, c.rate_slope.to_string());
        }
        if rates && (self.transport.is_some() || self.length.is_some() || c.rate_slope != 0.0) {
            let one =
                "absent with line.rate_slope, [transport] or [length]: a rate changes in one way";
            wrong("along.rate", one, "a list".into());
        }
        for (name, present) in [
            ("pressure", along.is_some_and(|a| a.pressure.is_some())),
            ("p0", along.is_some_and(|a| a.pressure.is_some())),
            ("rate", rates),
            ("z0", along.is_some_and(|a| a.deflection.is_some())),
            ("length", self.length.is_some()),
        ] {
            if let Some(found) = given(name).filter(|_| present) {
                let section = if name == "length" { "[length]" } else { "[along]" };
                wrong(&format!("line.{name}"), &format!("absent: {section} says it"), found);
            }
        }
        let deflected = c.z0 != 0.0 || along.is_some_and(|a| a.deflection.is_some());
        if deflected && self.bristle.states() != 1 {
            let one = "a model with one state, such as frbd, with an initial deflection z0";
            wrong("friction.model", one, format!("\"{}\"", self.bristle.info().name));
        }
        if deflected && self.run.before == Before::Steady {
            wrong("run.before", "\"rest\" with an initial deflection z0", "\"steady\"".into());
        }
        let end = self.run.end;
        let rate = self.transport.iter().flat_map(|v| v.samples(end));
        if let Some([rate, _]) = rate.into_iter().find(|[rate, _]| rate.is_nan() || *rate <= 0.0) {
            let one = "positive until run.end, in 1/s: bristles travel one way";
            wrong("transport", one, rate.to_string());
        }
        if let Some(length) = &self.length {
            let least = self.transport.as_ref().map_or(c.rate, |v| {
                v.samples(end).map(|[rate, _]| rate).fold(f64::INFINITY, f64::min)
            });
            let jumps = |t: &&f64| length.until(**t) != length.at(**t);
            if let Some(t) = length.switches.iter().find(jumps) {
                let one = "without jumps: bristles enter one by one; take sine or points";
                wrong("length", one, format!("a jump at {t} s"));
            }
            for [value, slope] in length.samples(end) {
                if value.is_nan() || value <= 0.0 {
                    wrong("length", "positive until run.end, in m", format!("{value} m"));
                    break;
                }
                let fastest = 2.0 * c.length * least;
                if slope.is_nan() || slope.abs() >= fastest {
                    let one = format!(
                        "slower than 2 L(0) V = {fastest} m/s, or bristles would enter behind: change it more slowly"
                    );
                    wrong("length", &one, format!("a change of {slope} m/s"));
                    break;
                }
            }
        }
        let late = |t: &&f64| **t > end;
        if let Some(t) = self.profiles.t.iter().find(late) {
            wrong("profile.t", &format!("at most run.end = {end} s"), format!("{t} s"));
        }
        let way = self.travelled(end);
        if let Some(s) = self.profiles.s.iter().find(|s| **s > way) {
            wrong(
                "profile.s",
                &format!("at most {way} m, the distance until run.end"),
                format!("{s} m"),
            );
        }
        if !self.profiles.s.is_empty() && (rates || c.rate_slope != 0.0) {
            let one = "absent where the rate changes along the line: bristles differ in distance; give profile.t";
            wrong("profile.s", one, "a list".into());
        }
    }
}
