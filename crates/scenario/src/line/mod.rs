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
//! [length]                        # L(t), m, in place of line.length: constant, sine, points
//! model = "points"
//! t = [0.0, 0.01]
//! value = [0.1, 0.12]
//!
//! [along]                         # what changes along the line, straight between points; or file = "TABLE.csv"
//! xi = [0.0, 0.4, 1.0]            # or x in m, from 0 to line.length
//! p = [1.0, 3.0, 0.5]             # N/m, in place of line.pressure
//! rate = [200.0, 180.0, 220.0]    # 1/s, in place of line.rate
//! sigma0 = [252.0, 300.0, 200.0]  # any number of the friction model, by its name: sigma1, law.mu_s, …
//! z0 = [0.0, 1e-4, 0.0]           # m, in place of line.z0
//!
//! [profile]                       # deflections along the line at these times, s, and distances travelled, m
//! t = [0.002, 0.01]
//!
//! [run]
//! end = 0.01                      # s
//! accuracy = 1e-6
//! ```
use crate::files::Files;
use crate::friction::{self, Friction};
use crate::patch::{filled, signal, whole};
use crate::places::Places;
use crate::setting::Setting;
use crate::table::{Problem, Problems, inner, sections, text};
pub use along::{Along, COLUMNS};
use bristle_contact::line::{
    Along as Rate, Before as Past, Bristles, Course, Length, Line, NotLinear, Points, State,
    Transport,
};
use bristle_kernel::{AnyBristle, Bristle, List, Params, Report, Variable, choice};
use bristle_system::AnySignal;
use driven::Driven;
use toml::Table;

mod along;
mod check;
mod driven;

choice! {
    /// How the load is spread along the line.
    Spread {
        /// the same everywhere, 000 (44)
        Constant = "constant",
        /// p₀ exp(−αξ), falling from the leading edge, 000 (45)
        Falling = "falling",
        /// 4p₀ξ(1 − ξ), which is not passive, 000 Lemma IV.2
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
    #[param(choice, start = Spread::Constant, eq = "000 (44), (45)")]
    pub pressure: Spread,
    /// greatest line load p₀: a parabolic load is 4p₀ξ(1 − ξ)
    #[param(unit = "N/m", start = 1.0, range = "[0, inf)", eq = "000 (38)")]
    pub p0: S,
    /// how fast a falling load falls along the line
    #[param(unit = "1", start = 0.1, range = "[0, inf)", eq = "000 (45)")]
    pub alpha: S,
    /// deflection z₀ of all bristles at the start
    #[param(unit = "m", start = 0.0, range = "(-inf, inf)", eq = "000 (34)")]
    pub z0: S,
}

/// Where deflections are looked at.
#[derive(Clone, Debug, Params)]
#[params(
    name = "profile",
    title = "moments at which deflections along the line are written down",
    source = "",
    rules = "a whole number of points",
    check = resolved
)]
pub struct Profiles<S: bristle_kernel::Real> {
    /// times
    #[param(list, unit = "s", start = [], range = "[0, inf)", eq = "")]
    pub t: List<S>,
    /// distances travelled
    #[param(list, unit = "m", start = [], range = "[0, inf)", eq = "")]
    pub s: List<S>,
    /// places along the line, evenly spaced
    #[param(unit = "1", start = 201.0, range = "[2, 10000]", eq = "")]
    pub points: S,
}

fn resolved(profiles: &Profiles<f64>, report: &mut Report<'_>) {
    whole(report, "points", profiles.points);
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
    /// largest error of force, stored energy and dissipated power, relative to the integrals of absolute values
    #[param(unit = "1", start = 1.0e-6, range = "(0, 1)", eq = "")]
    pub accuracy: S,
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
    /// What changes along it.
    pub along: Option<Along>,
    /// Where deflections are looked at.
    pub profiles: Profiles<f64>,
    /// How long it rolls.
    pub run: Run<f64>,
    slip: Driven,
    transport: Option<Driven>,
    length: Option<Driven>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Time, s.
    pub t: f64,
    /// Slip velocity, m/s.
    pub v: f64,
    /// Transport rate at the leading edge, 1/s.
    pub rate: f64,
    /// Length, m.
    pub length: f64,
    /// What the contact does.
    pub state: State<f64>,
}

/// The bristles along the line at one moment.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Time, s.
    pub t: f64,
    /// Length, m.
    pub length: f64,
    /// Of each bristle: ξ, p in N/m, force per unit load, and its states.
    pub bristles: Vec<(f64, f64, f64, Vec<f64>)>,
}

impl Scenario {
    /// Reads a file's text. `settings` are put over it. Tables stand in `files`.
    pub fn read<'f>(
        text: &str,
        settings: &[Setting],
        files: impl Into<Files<'f>>,
    ) -> Result<Self, Problems> {
        const SECTIONS: [&str; 8] =
            ["line", "along", "friction", "slip", "transport", "length", "profile", "run"];
        let mut problems = Vec::new();
        let table = sections(text, settings, "line scenario", &SECTIONS, &mut problems)?;
        match Self::from_table(&table, files.into(), &mut problems) {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(Places::of(text, settings).locate(problems)),
        }
    }

    fn from_table(file: &Table, files: Files<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        let empty = Table::new();
        let section = |key: &str| inner(file, key).unwrap_or(&empty);
        let title = text("", file, "title", problems).unwrap_or_default().to_owned();
        let mut contact: Contact<f64> = filled("line.", section("line"), problems);
        let run: Run<f64> = filled("run.", section("run"), problems);
        let profiles: Profiles<f64> = filled("profile.", section("profile"), problems);
        if inner(file, "slip").is_none() {
            problems.push(Problem::Missing {
                key: "slip.model".into(),
                what: "the slip velocity in m/s as a signal of time",
                options: AnySignal::<f64>::CATALOG.iter().map(|i| i.name).collect(),
            });
        }
        let mut driven = |name: &str| {
            inner(file, name).map(|table| {
                signal(name, table, problems).map(|signal| Driven::new(signal, run.end))
            })
        };
        let (slip, transport, length) = (driven("slip"), driven("transport"), driven("length"));
        let (transport, length) = (transport.map_or(Some(None), |d| d.map(Some))?, length);
        let length = length.map_or(Some(None), |d| d.map(Some))?;
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
        if let Some(length) = &length {
            contact.length = length.at(0.0);
        }
        let along = match inner(file, "along") {
            Some(own) => Some(Along::read(own, contact.length, &bristle, files, problems)?),
            None => None,
        };
        // The contact says what is at its leading edge at the start.
        if let Some(rate) = along.as_ref().and_then(|a| a.rate.as_ref()) {
            contact.rate = rate.rate(0.0);
        }
        let scenario = Scenario {
            title,
            contact,
            bristle,
            along,
            profiles,
            run,
            slip: slip??,
            transport,
            length,
        };
        scenario.check(section("line"), problems);
        Some(scenario)
    }

    /// The distance travelled, m.
    fn travelled(&self, t: f64) -> f64 {
        let passed = self.transport.as_ref().map_or(self.contact.rate * t, |v| v.integral(t));
        self.contact.length * passed
    }

    /// The contact as a library value, handed to `f`.
    pub fn with<R>(&self, f: impl FnOnce(&Line<'_, AnyBristle<f64>>) -> R) -> R {
        let c = self.contact;
        let along = self.along.as_ref();
        let given = |xi: f64| match c.pressure {
            Spread::Constant => c.p0,
            Spread::Falling => c.p0 * (-c.alpha * xi).exp(),
            Spread::Parabolic => 4.0 * c.p0 * xi * (1.0 - xi),
        };
        let pressure = |xi: f64| match along.and_then(|a| a.pressure.as_ref()) {
            Some(points) => points.at(xi),
            None => given(xi),
        };
        let sloped =
            Rate::new(Points::new(vec![0.0, 1.0], vec![c.rate, c.rate * (1.0 + c.rate_slope)]));
        let rate = |t: f64| self.transport.as_ref().map_or(c.rate, |v| v.at(t));
        let travelled = |t: f64| self.transport.as_ref().map_or(0.0, |v| v.integral(t));
        let transport = match (&self.transport, along.and_then(|a| a.rate.as_ref())) {
            (Some(_), _) => Transport::Speed { rate: &rate, travelled: &travelled },
            (None, Some(rate)) => Transport::Along(rate),
            (None, None) if c.rate_slope != 0.0 => Transport::Along(&sloped),
            (None, None) => Transport::Constant(c.rate),
        };
        let changing = |t: f64| self.length.as_ref().map_or(c.length, |l| l.at(t));
        let varying = along.filter(|a| a.varies());
        let bristle = |xi: f64| match varying {
            Some(along) => along.bristle(&self.bristle, xi),
            None => self.bristle.clone(),
        };
        let bristles = match varying {
            Some(_) => Bristles::Along(&bristle),
            None => Bristles::Same(&self.bristle),
        };
        f(&Line {
            length: match self.length {
                Some(_) => Length::Changing(&changing),
                None => Length::Constant(c.length),
            },
            transport,
            pressure: &pressure,
            bristles,
            places: along.map_or(&[], |a| a.xi.as_slice()),
            accuracy: self.run.accuracy,
        })
    }

    /// Times at which anything switches, increasing.
    fn switches(&self) -> Vec<f64> {
        let all = [Some(&self.slip), self.transport.as_ref(), self.length.as_ref()];
        let mut times: Vec<f64> =
            all.into_iter().flatten().flat_map(|d| d.switches.iter().copied()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// What the bristles go through and what they did before; at `until` the velocity is the one before a jump.
    fn course<R>(
        &self,
        breaks: &[f64],
        until: Option<f64>,
        f: impl FnOnce(&Course<'_, f64>) -> R,
    ) -> R {
        let v = |t: f64| match until {
            Some(end) if t >= end => self.slip.until(end),
            _ => self.slip.at(t),
        };
        let points = self.along.as_ref().and_then(|a| a.deflection.as_ref());
        let deflected = |xi: f64, z: &mut [f64]| {
            z[0] = points.map_or(self.contact.z0, |points| points.at(xi));
        };
        let before = match self.run.before {
            Before::Steady => Past::Steady(self.slip.at(0.0)),
            Before::Rest if points.is_some() || self.contact.z0 != 0.0 => {
                Past::Deflected(&deflected)
            }
            Before::Rest => Past::Rest,
        };
        f(&Course { v: &v, breaks, before })
    }

    /// Times at which the course of a bristle bends.
    fn breaks(&self) -> Vec<f64> {
        let mut breaks = self.switches();
        breaks.extend(self.slip.sign_changes(self.run.end));
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        breaks
    }

    /// The run, moment by moment: evenly, and on both sides of everything that jumps.
    pub fn roll(&self) -> Result<Vec<Moment>, NotLinear> {
        let last = self.run.points.round() as usize - 1;
        let even = (0..=last).map(|k| self.run.end * k as f64 / last as f64);
        let switches = self.switches();
        let mut times: Vec<f64> = even.chain(switches.iter().copied()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let breaks = self.breaks();
        let at = |t: f64, until: Option<f64>| {
            let state =
                self.with(|line| self.course(&breaks, until, |course| line.at(t, course)))?;
            let side = |d: &Driven| if until.is_some() { d.until(t) } else { d.at(t) };
            let (v, length) =
                (side(&self.slip), self.length.as_ref().map_or(self.contact.length, side));
            let rate = self.transport.as_ref().map_or(self.contact.rate, side);
            Ok(Moment { t, v, rate, length, state })
        };
        let mut moments = Vec::with_capacity(times.len());
        for t in times {
            if switches.binary_search_by(|s| s.total_cmp(&t)).is_ok() {
                let before = at(t, Some(t))?;
                let jumps = |d: &Driven| d.until(t) != d.at(t);
                if jumps(&self.slip) || self.transport.as_ref().is_some_and(jumps) {
                    moments.push(before);
                }
            }
            moments.push(at(t, None)?);
        }
        Ok(moments)
    }

    /// The bristles along the line, at each moment at which they are looked at, in order.
    pub fn look(&self) -> Result<Vec<Profile>, NotLinear> {
        let time = |s: &f64| {
            let (mut lo, mut hi) = (0.0, self.run.end);
            for _ in 0..80 {
                let middle = 0.5 * (lo + hi);
                *(if self.travelled(middle) < *s { &mut lo } else { &mut hi }) = middle;
            }
            hi
        };
        let mut times: Vec<f64> =
            self.profiles.t.iter().copied().chain(self.profiles.s.iter().map(time)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let (breaks, points) = (self.breaks(), self.profiles.points.round() as usize);
        let mut found = Vec::new();
        for t in times {
            let mut bristles = Vec::new();
            self.with(|line| {
                let sink = |b: &bristle_contact::line::Sample<'_, f64>| {
                    bristles.push((b.xi, (line.pressure)(b.xi), b.force, b.z.to_vec()));
                };
                self.course(&breaks, None, |course| line.profile(t, course, points, sink))
            })?;
            let length = self.length.as_ref().map_or(self.contact.length, |l| l.at(t));
            found.push(Profile { t, length, bristles });
        }
        Ok(found)
    }

    /// Names and units of a bristle's states.
    pub fn variables(&self) -> Vec<Variable> {
        (0..self.bristle.states()).map(|i| self.bristle.variable(i)).collect()
    }

    /// Whether the rate changes in time.
    pub fn rate_changes(&self) -> bool {
        self.transport.is_some()
    }

    /// Whether the length does.
    pub fn length_changes(&self) -> bool {
        self.length.is_some()
    }

    /// The slip velocity at the start, m/s.
    pub fn first_slip(&self) -> f64 {
        self.slip.at(0.0)
    }

    /// Steady rolling at the slip velocity, rate and length of the end.
    pub fn steady(&self) -> Result<State<f64>, NotLinear> {
        let (end, c) = (self.run.end, &self.contact);
        let length = self.length.as_ref().map_or(c.length, |l| l.at(end));
        let rate = self.transport.as_ref().map_or(c.rate, |v| v.at(end)) * c.length / length;
        self.with(|line| {
            let transport = match line.transport {
                Transport::Along(_) => line.transport,
                _ => Transport::Constant(rate),
            };
            Line { transport, length: Length::Constant(length), ..*line }.steady(self.slip.at(end))
        })
    }
}
