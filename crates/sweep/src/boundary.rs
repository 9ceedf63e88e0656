//! Where along a key a property changes.
use crate::axis::between;
use crate::expression::Expression;

/// A property that is looked for along a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// The key.
    pub key: String,
    /// Its unit; empty if it has none, or is not known.
    pub unit: String,
    /// Where the search begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Whether logarithms are halved.
    pub log: bool,
    /// What holds where it is not 0.
    pub holds: Expression,
    /// How closely the change is located, as a part of the way from `from` to `to`.
    pub tolerance: f64,
    /// In so many equal parts of the way a change is looked for, before one is halved.
    pub parts: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Where the property changes first, between the two last points; not a number where it does not.
    pub at: f64,
    /// The last point before.
    pub before: f64,
    /// The first one after.
    pub after: f64,
    /// Whether it holds where the search begins: 1 or 0.
    pub first: f64,
    /// How often it changed from one part to the next: where that is more than once, only the first is located.
    pub changes: f64,
    /// How many points were tried.
    pub tried: f64,
}

impl Boundary {
    /// Looks for the first change, by trial.
    pub fn find<E>(&self, mut holds: impl FnMut(f64) -> Result<bool, E>) -> Result<Change, E> {
        let place = |part: f64| between(self.from, self.to, part, self.log);
        let mut tried = 0u64;
        let mut at = |part: f64| {
            tried += 1;
            holds(place(part))
        };
        let first = at(0.0)?;
        let (mut last, mut changes, mut bracket) = (first, 0u64, None);
        for k in 1..=self.parts {
            let [before, part] = [k - 1, k].map(|k| k as f64 / self.parts as f64);
            let now = at(part)?;
            if now != last {
                changes += 1;
                bracket = bracket.or(Some((before, part)));
            }
            last = now;
        }
        let found = match bracket {
            None => [f64::NAN; 3],
            Some((mut before, mut after)) => {
                while after - before > self.tolerance {
                    let middle = 0.5 * (before + after);
                    if at(middle)? == first { before = middle } else { after = middle }
                }
                [0.5 * (before + after), before, after].map(place)
            }
        };
        Ok(Change {
            at: found[0],
            before: found[1],
            after: found[2],
            first: f64::from(u8::from(first)),
            changes: changes as f64,
            tried: tried as f64,
        })
    }
}

impl Change {
    /// Names and units of what is kept of it.
    pub(crate) fn columns(unit: &str) -> Vec<(String, String)> {
        let own = |name: &str, unit: &str| (name.to_owned(), unit.to_owned());
        vec![
            own("boundary", unit),
            own("before", unit),
            own("after", unit),
            own("holds_at_start", ""),
            own("changes", ""),
            own("runs", ""),
        ]
    }

    /// The numbers of these.
    pub(crate) fn values(&self) -> Vec<f64> {
        vec![self.at, self.before, self.after, self.first, self.changes, self.tried]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(log: bool) -> Boundary {
        Boundary {
            key: "k".into(),
            unit: String::new(),
            from: 1.0,
            to: 16.0,
            log,
            holds: Expression::read("1").unwrap(),
            tolerance: 1e-4,
            parts: 4,
        }
    }

    #[test]
    fn the_first_change_is_located() {
        for log in [false, true] {
            let found = boundary(log).find(|x| Ok::<_, ()>(!(3.0..10.5).contains(&x))).unwrap();
            assert!(found.before < 3.0 && found.after >= 3.0 && found.after - found.before < 2e-3);
            assert!(found.before < found.at && found.at < found.after);
            assert_eq!((found.first, found.changes), (1.0, 2.0));
            assert!(found.tried < 20.0);
        }
    }

    #[test]
    fn what_does_not_change_has_no_boundary() {
        let found = boundary(false).find(|_| Ok::<_, ()>(false)).unwrap();
        assert!(
            found.at.is_nan() && found.changes == 0.0 && found.first == 0.0 && found.tried == 5.0
        );
        assert_eq!(boundary(false).find(|x| if x > 2.0 { Err("no") } else { Ok(true) }), Err("no"));
    }
}
