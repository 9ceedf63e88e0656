//! Rolling contact of a patch from a file.
//!
//! ```toml
//! title = "A tyre in a bend"
//!
//! [patch]                         # what is absent keeps the value of 004 Table 1
//! n = 2.0
//! m = 2.0
//! pressure = "exp"                # const, parab, exp, pexp; or a table of your own:
//! # table = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]   # rows along x from -a to a, the first at y = -b
//!
//! [rolling]
//! model = "3"
//! sigma_x = 0.08
//! phi1 = 1.5
//!
//! [friction]                      # absent: frbd_planar with the set rolling-table-1
//! model = "frbd_planar"
//! set = "rolling-table-1"
//! sigma0_yy = 200.0
//!
//! [run]
//! accuracy = 1e-6
//!
//! [surface]                       # the grid of slips of a surface
//! sigma_x_points = 61
//!
//! [transient]                     # how far, in which steps
//! distance = 0.3
//!
//! [transient.sigma_x]             # a signal over the distance travelled, in place of rolling.sigma_x
//! model = "sine"                  # constant, sine, pulses, steps, points; its t is in m, its frequency in 1/m
//! mean = 0.08
//! amplitude = 0.02
//! frequency = 5.0
//! ```
use crate::friction::{self, Friction};
use crate::places::Places;
use crate::setting::Setting;
use crate::table::{Problem, Problems, Strays, choice, fill, inner, number, sections, text};
use bristle_contact::patch::history::History;
use bristle_contact::patch::transient::Manoeuvre;
use bristle_contact::patch::{BadTable, Table as PressureTable};
use bristle_contact::patch::{Outcome, Patch, Pressure, Refused, Rolling, Steady, energy};
use bristle_kernel::{AnyPlanar, Check, Params, Report, Start, faults};
use bristle_system::{AnySignal, Signal};
use toml::{Table, Value};

/// How well steady rolling is to be known.
#[derive(Clone, Copy, Debug, Params)]
#[params(name = "run", title = "how a rolling contact is evaluated", source = "")]
pub struct Run<S> {
    /// largest error of force and moment, relative
    #[param(unit = "1", start = 1.0e-6, range = "(0, 1)", eq = "")]
    pub accuracy: S,
}

/// The grid of slips of a force-slip surface.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "surface",
    title = "grid of slips of a surface",
    source = "",
    rules = "each slip from less to more, whole numbers of points",
    check = not_empty
)]
pub struct Grid<S> {
    /// least longitudinal slip
    #[param(unit = "1", start = -1.0, range = "(-inf, inf)", eq = "")]
    pub sigma_x_from: S,
    /// greatest longitudinal slip
    #[param(unit = "1", start = 1.0, range = "(-inf, inf)", eq = "")]
    pub sigma_x_to: S,
    /// how many longitudinal slips
    #[param(unit = "1", start = 61.0, range = "[2, 2000]", eq = "")]
    pub sigma_x_points: S,
    /// least lateral slip
    #[param(unit = "1", start = -1.0, range = "(-inf, inf)", eq = "")]
    pub sigma_y_from: S,
    /// greatest lateral slip
    #[param(unit = "1", start = 1.0, range = "(-inf, inf)", eq = "")]
    pub sigma_y_to: S,
    /// how many lateral slips
    #[param(unit = "1", start = 61.0, range = "[2, 2000]", eq = "")]
    pub sigma_y_points: S,
}

fn not_empty(grid: &Grid<f64>, report: &mut Report<'_>) {
    let mut ordered = |from: f64, name: &'static str, to: f64| {
        let reason = "a surface is drawn over a range of slips";
        report.expect(
            from < to,
            (name, None, to),
            "must be greater than where it begins,",
            from,
            reason,
        );
    };
    ordered(grid.sigma_x_from, "sigma_x_to", grid.sigma_x_to);
    ordered(grid.sigma_y_from, "sigma_y_to", grid.sigma_y_to);
    whole(report, "sigma_x_points", grid.sigma_x_points);
    whole(report, "sigma_y_points", grid.sigma_y_points);
}

/// Points are counted.
pub(crate) fn whole(report: &mut Report<'_>, name: &'static str, points: f64) {
    let near = points.round();
    report.expect(
        points == near,
        (name, None, points),
        "must be whole, such as",
        near,
        "points are counted",
    );
}

impl Grid<f64> {
    /// The slips along both axes.
    pub fn slips(&self) -> [Vec<f64>; 2] {
        let axis = |from: f64, to: f64, points: f64| {
            let last = points.round().max(2.0) as usize - 1;
            (0..=last).map(|k| from + (to - from) * k as f64 / last as f64).collect()
        };
        [
            axis(self.sigma_x_from, self.sigma_x_to, self.sigma_x_points),
            axis(self.sigma_y_from, self.sigma_y_to, self.sigma_y_points),
        ]
    }
}

/// How far a transient rolls.
#[derive(Clone, Copy, Debug, Params)]
#[params(
    name = "transient",
    title = "how a transient is rolled",
    source = "",
    rules = "one step to 100,000",
    check = not_endless
)]
pub struct Transient<S> {
    /// distance travelled
    #[param(unit = "m", start = 0.3, range = "(0, inf)", eq = "")]
    pub distance: S,
    /// distance travelled in a step
    #[param(unit = "m", start = 0.0015, range = "(0, inf)", eq = "")]
    pub step: S,
}

fn not_endless(transient: &Transient<f64>, report: &mut Report<'_>) {
    let step = transient.distance / 1e5;
    report.expect(
        transient.step >= step,
        ("step", None, transient.step),
        "must be at least",
        step,
        "a transient has at most 100,000 steps",
    );
    report.expect(
        transient.step <= transient.distance,
        ("step", None, transient.step),
        "must be at most the distance,",
        transient.distance,
        "a transient is one step long at least",
    );
}

/// The pressures by their whole names, which a line contact has too.
const PRESSURES: [(&str, &str); 3] =
    [("constant", "const"), ("parabolic", "parab"), ("exponential", "exp")];

/// Takes a pressure by its whole name.
fn spell_out(patch: &mut Table) {
    let Some(Value::String(name)) = patch.get_mut("pressure") else { return };
    if let Some((_, short)) = PRESSURES.iter().find(|(whole, _)| whole == name) {
        *name = (*short).to_owned();
    }
}

/// What may be a signal over the distance travelled.
pub const SIGNALS: [&str; 8] = ["sigma_x", "sigma_y", "phi1", "phi2", "v_r", "load", "a", "b"];

/// A file, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// One line; empty if the file gives none.
    pub title: String,
    /// The patch.
    pub patch: Patch<f64>,
    /// Its pressure, if it is tabulated.
    pub table: Option<PressureTable>,
    /// How it rolls.
    pub rolling: Rolling<f64>,
    /// What it is made of.
    pub bristle: AnyPlanar<f64>,
    /// How well it is to be known.
    pub run: Run<f64>,
    /// The slips of a surface.
    pub grid: Grid<f64>,
    /// How far a transient rolls.
    pub transient: Transient<f64>,
    /// What changes on the way: one of [`SIGNALS`] and its course.
    pub signals: Vec<(&'static str, AnySignal<f64>)>,
}

impl Scenario {
    /// Reads a file's text. `settings` are put over it.
    pub fn read(text: &str, settings: &[Setting]) -> Result<Self, Problems> {
        const SECTIONS: [&str; 6] = ["patch", "rolling", "friction", "run", "surface", "transient"];
        let mut problems = Vec::new();
        let table = sections(text, settings, "patch scenario", &SECTIONS, &mut problems)?;
        match Self::from_table(&table, &mut problems) {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(Places::of(text, settings).locate(problems)),
        }
    }

    fn from_table(file: &Table, problems: &mut Vec<Problem>) -> Option<Self> {
        let empty = Table::new();
        let section = |key: &str| inner(file, key).unwrap_or(&empty);
        let title = text("", file, "title", problems).unwrap_or_default().to_owned();
        let mut own = section("patch").clone();
        let table = own.remove("table").and_then(|value| pressure(&value, problems));
        spell_out(&mut own);
        let patch = filled("patch.", &own, problems);
        let rolling = filled("rolling.", section("rolling"), problems);
        let run = filled("run.", section("run"), problems);
        let grid = filled("surface.", section("surface"), problems);
        let mut own = section("transient").clone();
        let mut signals = Vec::new();
        for name in SIGNALS {
            let key = format!("transient.{name}");
            match own.remove(name) {
                Some(Value::Table(table)) => {
                    signals.extend(signal(&key, &table, problems).map(|s| (name, s)));
                }
                Some(other) => problems.push(Problem::WrongKind {
                    key,
                    expected: "a table with a signal: model, and its parameters".into(),
                    found: other.to_string(),
                }),
                None => {}
            }
        }
        let transient = filled("transient.", &own, problems);
        let bristle = bristle(inner(file, "friction"), problems);
        Some(Scenario {
            title,
            patch,
            table,
            rolling,
            bristle: bristle?,
            run,
            grid,
            transient,
            signals,
        })
    }

    /// The pressure, which the patch's load scales.
    pub fn pressure(&self) -> Result<Pressure, BadTable> {
        match &self.table {
            Some(table) => Pressure::tabulated(&self.patch.shape(), table.clone(), self.patch.load),
            None => Ok(self.patch.pressure()),
        }
    }

    /// The patch made ready for steady rolling.
    pub fn steady(&self) -> Result<Steady, Failure> {
        let (shape, pressure) = (self.patch.shape(), self.pressure()?);
        let (load, accuracy) = (self.patch.load, self.run.accuracy);
        Ok(Steady::with_pressure(shape, pressure, load, &self.bristle, accuracy)?)
    }

    fn signal(&self, name: &str, s: f64) -> Option<f64> {
        let (_, signal) = self.signals.iter().find(|(n, _)| *n == name)?;
        Some(value(signal, s))
    }

    /// How the patch rolls after the distance `s`.
    pub fn rolling_at(&self, s: f64) -> Rolling<f64> {
        let get = |name: &str, otherwise: f64| self.signal(name, s).unwrap_or(otherwise);
        let r = self.rolling;
        Rolling {
            sigma_x: get("sigma_x", r.sigma_x),
            sigma_y: get("sigma_y", r.sigma_y),
            phi1: get("phi1", r.phi1),
            phi2: get("phi2", r.phi2),
            v_r: get("v_r", r.v_r),
            ..r
        }
    }

    /// The patch after the distance `s`.
    pub fn patch_at(&self, s: f64) -> Patch<f64> {
        let get = |name: &str, otherwise: f64| self.signal(name, s).unwrap_or(otherwise);
        let p = self.patch;
        Patch { load: get("load", p.load), a: get("a", p.a), b: get("b", p.b), ..p }
    }

    /// Whether bristles take other ways as the patch rolls on: its outline changes, or φ₁ does.
    fn ways_change(&self) -> bool {
        let named = |names: &[&str]| self.signals.iter().any(|(n, _)| names.contains(n));
        let turning = self.rolling.model != bristle_contact::patch::Model::Standard;
        named(&["a", "b"]) || (turning && named(&["phi1"]))
    }

    /// Where signals jump or bend, m.
    fn switches(&self) -> Vec<f64> {
        let end = self.transient.distance;
        let of = |signal: &AnySignal<f64>| -> Vec<f64> {
            let all = (0..).map(|k| signal.switch(k));
            all.take_while(|s| *s < end).filter(|s| *s > 0.0).collect()
        };
        let mut all: Vec<f64> = self.signals.iter().flat_map(|(_, signal)| of(signal)).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// Rolls from undeflected bristles, row by row into `sink`.
    pub fn roll(&self, sink: &mut dyn FnMut(Moment)) -> Result<energy::Books, Failure> {
        let (step, distance) = (self.transient.step, self.transient.distance);
        let steps = (distance / step).round().max(1.0) as usize;
        let at: Vec<f64> = (0..=steps).map(|k| k as f64 * step).collect();
        for s in &at {
            bristle_kernel::validate(&self.patch_at(*s)).map_err(Refused::from)?;
            bristle_kernel::validate(&self.rolling_at(*s)).map_err(Refused::from)?;
        }
        let mut books = energy::Books::default();
        let mut moment = |s: f64, wrench: [f64; 4], error: f64| {
            let (rolling, load) = (self.rolling_at(s), self.patch_at(s).load);
            sink(Moment { s, rolling, load, wrench, error });
        };
        if self.ways_change() {
            if self.table.is_some() {
                return Err(Failure::TableChanges);
            }
            let (patch, rolling) = (|s: f64| self.patch_at(s), |s: f64| self.rolling_at(s));
            let history =
                History { bristle: &self.bristle, patch: &patch, rolling: &rolling, from: 0.0 };
            moment(0.0, [0.0; 4], 0.0);
            for s in &at[1..] {
                let outcome: Outcome = history.at(*s, self.run.accuracy)?;
                moment(*s, outcome.wrench(), outcome.error);
            }
            return Ok(books);
        }
        let factor = |s: f64| match self.patch.load {
            0.0 => 0.0,
            load => self.patch_at(s).load / load,
        };
        let course = Manoeuvre {
            rolling: &|s| self.rolling_at(s),
            jumps: &self.switches(),
            at: &at,
            start: &|_, _| [0.0; 2],
        };
        let (outcomes, balances) = self.steady()?.roll_with_balances(&course)?;
        for ((s, outcome), balance) in at.iter().zip(outcomes).zip(balances) {
            moment(*s, outcome.wrench().map(|w| w * factor(*s)), outcome.error);
            books.enter(*s, factor(*s), balance.times(factor(*s)));
        }
        Ok(books)
    }
}

/// What a rolling patch does after a distance.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The distance travelled, m.
    pub s: f64,
    /// How it rolls.
    pub rolling: Rolling<f64>,
    /// The vertical force, N.
    pub load: f64,
    /// F_x, F_y, and M_z by 004 (37b) and (38).
    pub wrench: [f64; 4],
    /// An estimate of their error, beside the greatest force and moment of the run.
    pub error: f64,
}

/// Why a contact could not be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The contact refuses its numbers.
    Refused(Refused),
    /// The table of pressures is none.
    Table(BadTable),
    /// A tabulated pressure over an outline or paths that change.
    TableChanges,
}

impl From<Refused> for Failure {
    fn from(why: Refused) -> Self {
        Failure::Refused(why)
    }
}

impl From<BadTable> for Failure {
    fn from(why: BadTable) -> Self {
        Failure::Table(why)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(why) => why.fmt(f),
            Failure::Table(why) => why.fmt(f),
            Failure::TableChanges => write!(
                f,
                "patch.table belongs to one outline; leave out transient.a, transient.b and, in models 2 and 3, \
                 transient.phi1, or take one of the pressures const, parab, exp, pexp"
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// Parameters from a section, or all that is wrong with them.
pub(crate) fn filled<P: Params<f64> + Start<()> + Check + Clone>(
    prefix: &str,
    table: &Table,
    problems: &mut Vec<Problem>,
) -> P {
    let mut params = P::start(());
    let mut own = table.clone();
    // `model` of [rolling] is a parameter of its own, given as a text or as a number.
    if let Some(Value::Integer(i)) = own.get("model") {
        let text = i.to_string();
        own.insert("model".into(), Value::String(text));
    }
    fill(&mut params, prefix, &own, Strays::RefuseModels, problems);
    let fault = Problem::fault(prefix);
    faults(&params, &mut |f| problems.push(fault(f)));
    params
}

/// The signal of a section named `name`.
pub(crate) fn signal(
    name: &str,
    table: &Table,
    problems: &mut Vec<Problem>,
) -> Option<AnySignal<f64>> {
    let prefix = format!("{name}.");
    let catalog = AnySignal::<f64>::CATALOG;
    let model = choice(Some(table), &format!("{prefix}model"), catalog, "constant", problems)?;
    let mut signal = AnySignal::named(model, ())?;
    fill(&mut signal, &prefix, table, Strays::Refuse, problems);
    let fault = Problem::fault(&prefix);
    faults(&signal, &mut |f| problems.push(fault(f)));
    Some(signal)
}

/// The signal at `t`; before the start it is what it is at the start.
pub(crate) fn value(signal: &AnySignal<f64>, t: f64) -> f64 {
    let t = t.max(0.0);
    let phase = (0..).take_while(|k| signal.switch(*k) <= t).count();
    signal.value(t, phase)
}

/// The planar friction of a file; what 004 takes if it says nothing.
fn bristle(table: Option<&Table>, problems: &mut Vec<Problem>) -> Option<AnyPlanar<f64>> {
    let mut own = Table::new();
    let start = [("model", "frbd_planar"), ("set", "rolling-table-1")];
    for (key, value) in start {
        own.insert(key.into(), Value::String(value.into()));
    }
    if let Some(table) = table {
        crate::table::merge(&mut own, table);
    }
    // A set is for one model; another model starts from its own values.
    if own.get("model").and_then(Value::as_str) != Some("frbd_planar")
        && own.get("set") == Some(&Value::String("rolling-table-1".into()))
    {
        own.remove("set");
    }
    match friction::read("friction.", &own, problems)? {
        Friction::Plane(model) => Some(model),
        Friction::Line(model) => {
            problems.push(Problem::UnknownModel {
                key: "friction.model".into(),
                name: model.info().name.to_owned(),
                options: AnyPlanar::<f64>::CATALOG.iter().map(|i| i.name).collect(),
            });
            None
        }
    }
}

/// A pressure given row by row.
fn pressure(value: &Value, problems: &mut Vec<Problem>) -> Option<PressureTable> {
    let row = |row: &Value| -> Option<Vec<f64>> { row.as_array()?.iter().map(number).collect() };
    let rows: Option<Vec<Vec<f64>>> =
        value.as_array().and_then(|rows| rows.iter().map(row).collect());
    let wrong = |expected: String| Problem::WrongKind {
        key: "patch.table".into(),
        expected,
        found: value.to_string(),
    };
    let Some(rows) = rows else {
        problems.push(wrong("a list of rows of numbers: [[0, 1, 0], [0, 1, 0]]".into()));
        return None;
    };
    let columns = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|r| r.len() != columns) {
        problems.push(wrong("a list of rows of equal length".into()));
        return None;
    }
    match PressureTable::new(columns, rows.concat()) {
        Ok(table) => Some(table),
        Err(error) => {
            problems.push(Problem::Set { key: "patch.table".into(), error: error.to_string() });
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rolled(slip: &str) -> Result<(Scenario, [f64; 4]), Failure> {
        let text = "patch = { n = 2, m = 2 }\nrolling = { model = 1, sigma_y = 0.1 }\n\
                    run = { accuracy = 1e-3 }\ntransient = { distance = 0.16 }";
        let slip = Setting::typed("rolling.sigma_x", slip);
        let scenario = Scenario::read(text, &[slip]).unwrap();
        let mut last = [0.0; 4];
        scenario.roll(&mut |m| last = m.wrench)?;
        Ok((scenario, last))
    }

    #[test]
    fn pressures_have_their_whole_names_too() {
        for (whole, short) in PRESSURES {
            let read = |name: &str| {
                let pressure = Setting::new("patch.pressure", name);
                Scenario::read("", &[pressure]).unwrap().patch.pressure
            };
            assert_eq!(read(whole), read(short));
        }
    }

    #[test]
    fn transients_end_in_the_steady_state_however_stiff() {
        for slip in ["0.1", "5", "50", "1e3"] {
            let (scenario, last) = rolled(slip).unwrap();
            let steady = scenario.steady().unwrap().solve(&scenario.rolling).unwrap();
            let off = (last[0] - steady.force[0]).hypot(last[1] - steady.force[1]);
            let whole = steady.force[0].hypot(steady.force[1]);
            assert!(off < 1e-3 * whole, "slip {slip}: {last:?} is not {:?}", steady.force);
        }
    }
}
