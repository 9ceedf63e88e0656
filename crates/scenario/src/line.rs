//! Line contact from a file.
//!
//! ```toml
//! title = "A step of slip"
//!
//! [line]
//! length = 0.1
//! rate = 200.0                    # V, 1/s: how many contact lengths pass in a second
//! pressure = "falling"            # constant, falling, parabolic
//!
//! [friction]                      # any model that is linear in its state: dahl, lugre, frbd, frbd_gm, frbd_gkv
//! model = "frbd"
//! set = "frbd-table-1"
//!
//! [slip]                          # v(t), m/s: constant, sine, pulses, steps, points
//! model = "constant"
//! value = 1.0
//!
//! [transport]                     # V(t), 1/s, in place of line.rate
//! model = "sine"
//! mean = 200.0
//! amplitude = 100.0
//! frequency = 10.0
//!
//! [run]
//! end = 0.01                      # s
//! ```
use crate::friction::{self, Friction};
use crate::patch::{filled, signal, value, whole};
use crate::places::Places;
use crate::setting::Setting;
use crate::table::{Problem, Problems, inner, sections, text};
use bristle_contact::line::{Line, NotLinear, State, Transport};
use bristle_kernel::{AnyBristle, Params, Report, choice};
use bristle_system::{AnySignal, Signal};
use toml::Table;

choice! {
    /// How the load is spread along the line.
    Profile {
        /// the same everywhere, 000 (44)
        Constant = "constant",
        /// p₀ exp(−αξ), falling from the leading edge, 000 (45)
        Falling = "falling",
        /// 4p₀ξ(1 − ξ), greatest in the middle, which is not passive, 000 Lemma IV.2
        Parabolic = "parabolic",
    }
}

choice! {
    /// What the bristles did before the start.
    Before {
        /// they were undeflected
        Rest = "rest",
        /// they rolled steadily at the slip velocity of the start
        Steady = "steady",
    }
}

/// The contact.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "line", title = "a line of bristles that rolls", source = "000 §IV, Table I")]
pub struct Contact<S> {
    /// length L
    #[param(unit = "m", start = 0.1, range = "(0, inf)", eq = "000 (38)")]
    pub length: S,
    /// transport rate V at the leading edge
    #[param(unit = "1/s", start = 200.0, range = "(0, inf)", eq = "000 (34)")]
    pub rate: S,
    /// slope β of the transport rate V(1 + βξ)
    #[param(unit = "1", start = 0.0, range = "(-1, inf)", eq = "000 (41)")]
    pub rate_slope: S,
    /// how the load is spread
    #[param(choice, start = Profile::Constant, eq = "000 (44), (45)")]
    pub pressure: Profile,
    /// greatest line load p₀, which `parabolic` has in the middle: p = ξ(1 − ξ) has p₀ = 1/4
    #[param(unit = "N/m", start = 1.0, range = "[0, inf)", eq = "000 (38)")]
    pub p0: S,
    /// how fast a falling load falls along the line
    #[param(unit = "1", start = 0.1, range = "[0, inf)", eq = "000 (45)")]
    pub alpha: S,
}

/// How long it rolls.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "run",
    title = "how a line contact is run",
    source = "",
    rules = "a whole number of points",
    check = counted
)]
pub struct Run<S> {
    /// time at which the run ends
    #[param(unit = "s", start = 0.01, range = "(0, inf)", eq = "")]
    pub end: S,
    /// rows of the trace, evenly spaced
    #[param(unit = "1", start = 201.0, range = "[2, 100000]", eq = "")]
    pub points: S,
    /// what was before the start
    #[param(choice, start = Before::Rest, eq = "")]
    pub before: Before,
}

fn counted(run: &Run<f64>, report: &mut Report<'_>) {
    whole(report, "points", run.points);
}

/// A file, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One line; empty if the file gives none.
    pub title: String,
    /// The contact.
    pub contact: Contact<f64>,
    /// Its bristles.
    pub bristle: AnyBristle<f64>,
    /// v(t), m/s.
    pub slip: AnySignal<f64>,
    /// V(t), 1/s, if it changes.
    pub transport: Option<AnySignal<f64>>,
    /// How long it rolls.
    pub run: Run<f64>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Time, s.
    pub t: f64,
    /// Slip velocity, m/s.
    pub v: f64,
    /// What the contact does.
    pub state: State<f64>,
}

impl Scenario {
    /// Reads a file's text. `settings` are put over it: `("line.rate", "100")`.
    pub fn read(text: &str, settings: &[Setting]) -> Result<Self, Problems> {
        const SECTIONS: [&str; 5] = ["line", "friction", "slip", "transport", "run"];
        let mut problems = Vec::new();
        let table = sections(text, settings, "line scenario", &SECTIONS, &mut problems)?;
        match Self::from_table(&table, &mut problems) {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(Places::of(text, settings).locate(problems)),
        }
    }

    fn from_table(file: &Table, problems: &mut Vec<Problem>) -> Option<Self> {
        let empty = Table::new();
        let section = |key: &str| inner(file, key).unwrap_or(&empty);
        let title = text("", file, "title", problems).unwrap_or_default().to_owned();
        let contact: Contact<f64> = filled("line.", section("line"), problems);
        let run: Run<f64> = filled("run.", section("run"), problems);
        if inner(file, "slip").is_none() {
            problems.push(Problem::Missing {
                key: "slip.model".into(),
                what: "the slip velocity in m/s as a signal of time",
                options: AnySignal::<f64>::CATALOG.iter().map(|i| i.name).collect(),
            });
        }
        let slip = signal("slip", section("slip"), problems);
        let transport = match inner(file, "transport") {
            Some(table) => Some(signal("transport", table, problems)?),
            None => None,
        };
        if transport.is_some() && contact.rate_slope != 0.0 {
            problems.push(Problem::WrongKind {
                key: "line.rate_slope".into(),
                expected: "0 or absent with [transport]: a rate changes along the line or in time"
                    .into(),
                found: contact.rate_slope.to_string(),
            });
        }
        for rate in transport.iter().flat_map(|v| samples(v, run.end)) {
            if rate.is_nan() || rate <= 0.0 {
                problems.push(Problem::WrongKind {
                    key: "transport".into(),
                    expected: "positive until run.end, in 1/s: bristles travel one way".into(),
                    found: rate.to_string(),
                });
                break;
            }
        }
        let bristle = match friction::read("friction.", section("friction"), problems)? {
            Friction::Line(model) => model,
            Friction::Plane(model) => {
                problems.push(Problem::UnknownModel {
                    key: "friction.model".into(),
                    name: model.info().name.to_owned(),
                    options: AnyBristle::<f64>::CATALOG.iter().map(|i| i.name).collect(),
                });
                return None;
            }
        };
        Some(Scenario { title, contact, bristle, slip: slip?, transport, run })
    }

    /// The contact as a library value, handed to `f`.
    pub fn with<R>(&self, f: impl FnOnce(&Line<'_, AnyBristle<f64>>) -> R) -> R {
        let c = self.contact;
        let pressure = move |xi: f64| {
            c.p0 * match c.pressure {
                Profile::Constant => 1.0,
                Profile::Falling => (-c.alpha * xi).exp(),
                Profile::Parabolic => 4.0 * xi * (1.0 - xi),
            }
        };
        let along = move |xi: f64| c.rate * (1.0 + c.rate_slope * xi);
        let in_time = |t: f64| self.transport.as_ref().map_or(c.rate, |v| value(v, t));
        let transport = match &self.transport {
            Some(_) => Transport::Speed(&in_time),
            None if c.rate_slope != 0.0 => Transport::Profile(&along),
            None => Transport::Constant(c.rate),
        };
        let breaks: Vec<f64> =
            (0..).map(|k| self.slip.switch(k)).take_while(|t| *t < self.run.end).collect();
        f(&Line {
            length: c.length,
            transport,
            pressure: &pressure,
            bristle: &|_| self.bristle.clone(),
            breaks: &breaks,
        })
    }

    /// The run, moment by moment.
    pub fn roll(&self) -> Result<Vec<Moment>, NotLinear> {
        let last = self.run.points.round() as usize - 1;
        let v = |t: f64| value(&self.slip, t);
        let before = (self.run.before == Before::Steady).then(|| v(0.0));
        self.with(|line| {
            let at = |k: usize| {
                let t = self.run.end * k as f64 / last as f64;
                Ok(Moment { t, v: v(t), state: line.at(t, &v, before)? })
            };
            (0..=last).map(at).collect()
        })
    }

    /// Steady rolling at the slip velocity of the end.
    pub fn steady(&self) -> Result<State<f64>, NotLinear> {
        let v = value(&self.slip, self.run.end);
        self.with(|line| {
            let rate = match (&self.transport, line.transport) {
                (Some(signal), _) => Transport::Constant(value(signal, self.run.end)),
                (None, own) => own,
            };
            Line { transport: rate, ..*line }.steady(v)
        })
    }
}

fn samples(signal: &AnySignal<f64>, end: f64) -> impl Iterator<Item = f64> {
    (0..=1000).map(move |k| value(signal, end * f64::from(k) / 1000.0))
}
