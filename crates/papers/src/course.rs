//! Runs of scenarios, kept whole: what a run gave can be asked for afterwards.
use crate::{Found, Setting};
use bristle_num::Dual;
use bristle_ode::Dense;
use bristle_scenario::{Scenario, System};
use bristle_system::{Account, AnyMechanism, Ledger, Mode, Step, Watch};
use bristle_trace::{Extreme, Recorder, Signals, Spacing};
use std::cell::{OnceCell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

/// A scenario from its text, with settings put over it.
pub fn scenario(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let typed = |(key, value): &(&str, &str)| bristle_scenario::Setting::typed(*key, value);
    let settings: Vec<_> = settings.iter().map(typed).collect();
    Scenario::read(text, &settings).map_err(|e| e.to_string())
}

/// A scenario at a setting, with values put over it.
pub fn with(text: &str, how: Setting, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let tolerance = how.tolerance.to_string();
    scenario(text, &[settings, &[("run.tolerance", tolerance.as_str())]].concat())
}

/// A value of a column, which may be near zero.
pub fn of(course: &Course, column: &str, value: f64) -> Found {
    Found { values: vec![value], amplitude: course.amplitude(column) }
}

/// A column at an instant.
pub fn at(course: &Course, column: &str, t: f64) -> Found {
    of(course, column, course.value(column, t))
}

/// A step and the mode that it was taken in.
struct Piece {
    mode: Rc<Mode>,
    dense: Box<dyn Dense>,
    states: usize,
}

impl Piece {
    fn span(&self) -> [f64; 2] {
        [self.dense.start(), self.dense.end()]
    }

    fn step(&self) -> Step<'_> {
        Step::new(&self.mode, &self.mode, &*self.dense, &[], self.states)
    }

    fn state(&self, t: f64) -> Vec<f64> {
        self.step().at(t)
    }
}

/// Keeps every step.
struct Keeper(Vec<Piece>);

impl Watch<AnyMechanism<f64>> for Keeper {
    fn step(&mut self, _system: &System, step: &Step<'_>) -> ControlFlow<()> {
        if step.end() > step.start() {
            let last = self.0.last().filter(|p| *p.mode == *step.mode);
            let mode = last.map_or_else(|| Rc::new(step.mode.clone()), |p| p.mode.clone());
            let states = step.at(step.end()).len();
            self.0.push(Piece { mode, dense: step.dense.kept(), states });
        }
        ControlFlow::Continue(())
    }
}

/// A whole run, by its dense output.
pub struct Course {
    system: System,
    signals: Signals,
    pieces: Vec<Piece>,
    /// The greatest magnitude of each column, once it was asked for.
    amplitudes: OnceCell<Vec<f64>>,
    /// The extremes of each column between two times, likewise.
    extremes: RefCell<Vec<([f64; 2], Vec<Extreme>)>>,
    /// Where columns pass levels, likewise.
    crossings: RefCell<Vec<((usize, f64), Changes)>>,
}

/// When something changes its sign, and whether it rises there.
pub type Changes = Vec<(f64, bool)>;

/// In so many parts of a step a crossing is looked for.
const LOOKS: usize = 8;
/// Nodes in [−1, 1] and weights of Gauss's rule of order 8.
const GAUSS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

impl Course {
    /// Runs a scenario. A step ends at each of the times `stops`, which increase.
    pub fn run(scenario: &Scenario, stops: &[f64]) -> Result<Self, String> {
        let simulation = scenario.simulation().map_err(|e| e.to_string())?.stops(stops);
        let mut keeper = Keeper(Vec::new());
        simulation
            .follow(scenario.run.end, &mut keeper)
            .map_err(|e| format!("{}: {e}", scenario.title))?;
        let system = simulation.system().clone();
        Ok(Course {
            signals: Signals::of(&system),
            system,
            pieces: keeper.0,
            amplitudes: OnceCell::new(),
            extremes: RefCell::default(),
            crossings: RefCell::default(),
        })
    }

    /// When the run ended.
    pub fn end(&self) -> f64 {
        self.pieces[self.pieces.len() - 1].span()[1]
    }

    /// The place of a column; beyond the last if there is none of that name.
    pub fn column(&self, name: &str) -> usize {
        let found = self.signals.columns.iter().position(|(column, _)| column == name);
        found.unwrap_or(self.signals.columns.len())
    }

    /// A column over time, at the ends of steps and at places between: enough to draw it.
    pub fn history(&self, column: &str) -> (Vec<f64>, Vec<f64>) {
        let k = self.column(column);
        let mut points = (Vec::new(), Vec::new());
        for piece in &self.pieces {
            for t in places(piece.span()) {
                points.0.push(t);
                points.1.push(pick(&self.columns(&piece.mode, t, &piece.state(t)), k));
            }
        }
        points
    }

    /// The step in which `t` lies; the earlier one of two that meet there.
    fn piece(&self, t: f64) -> &Piece {
        let k = self.pieces.partition_point(|p| p.span()[1] < t);
        &self.pieces[k.min(self.pieces.len() - 1)]
    }

    fn ask<T>(&self, t: f64, f: impl Fn(&System, &Mode, f64, &[f64]) -> T) -> T {
        let piece = self.piece(t);
        f(&self.system, &piece.mode, t, &piece.state(t))
    }

    /// All columns at one instant.
    pub fn row(&self, t: f64) -> Vec<f64> {
        self.ask(t, |_, mode, t, y| self.columns(mode, t, y))
    }

    fn columns(&self, mode: &Mode, t: f64, y: &[f64]) -> Vec<f64> {
        let mut row = Vec::new();
        self.signals.at(&self.system, mode, t, y, &mut row);
        row
    }

    /// What `f` says at a few places in every step.
    pub fn looks<T>(&self, f: impl Fn(&System, &Mode, f64, &[f64]) -> T) -> Vec<T> {
        let all = self.pieces.iter().flat_map(|p| places(p.span()).map(move |t| (p, t)));
        all.map(|(p, t)| f(&self.system, &p.mode, t, &p.state(t))).collect()
    }

    /// A column at one instant; not a number if there is none of that name.
    pub fn value(&self, column: &str, t: f64) -> f64 {
        pick(&self.row(t), self.column(column))
    }

    /// The energy stored in the element of contact 0.
    pub fn stored(&self, t: f64) -> f64 {
        self.ask(t, |system, mode, t, y| {
            let (at, z) = system.contact(mode, 0, t, y);
            system.friction(0).energy(&at, z, &vec![0.0; z.len()]).stored
        })
    }

    /// The steps that lie between two times.
    fn within(&self, from: f64, to: f64) -> impl Iterator<Item = &Piece> {
        let inside = move |p: &&Piece| p.span()[0] >= from && p.span()[1] <= to;
        self.pieces.iter().filter(inside)
    }

    /// The extremes of a column over the steps between two times.
    pub fn extreme(&self, column: &str, from: f64, to: f64) -> Extreme {
        let nothing = Extreme { min: f64::NAN, t_min: f64::NAN, max: f64::NAN, t_max: f64::NAN };
        let mut known = self.extremes.borrow_mut();
        let place = known.iter().position(|(span, _)| *span == [from, to]).unwrap_or_else(|| {
            known.push(([from, to], self.extremes(from, to)));
            known.len() - 1
        });
        known[place].1.get(self.column(column)).copied().unwrap_or(nothing)
    }

    fn extremes(&self, from: f64, to: f64) -> Vec<Extreme> {
        let mut recorder: Option<Recorder> = None;
        for piece in self.within(from, to) {
            let (system, start) = (&self.system, piece.span()[0]);
            let new =
                || Recorder::new(system, &piece.mode, start, &piece.state(start), Spacing::Steps);
            let _ = recorder.get_or_insert_with(new).step(system, &piece.step());
        }
        let last = self.piece(to);
        let end = |r: Recorder| r.finish(&self.system, &last.mode, to, &last.state(to)).1;
        recorder.map(end).unwrap_or_default()
    }

    /// The greatest magnitude of a column at the ends of steps.
    pub fn amplitude(&self, column: &str) -> f64 {
        let amplitudes = self.amplitudes.get_or_init(|| {
            let mut most = self.row(0.0).into_iter().map(f64::abs).collect::<Vec<_>>();
            for piece in &self.pieces {
                let end = piece.span()[1];
                let row = self.columns(&piece.mode, end, &piece.state(end));
                most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
            }
            most
        });
        pick(amplitudes, self.column(column))
    }

    /// The account of contact 0 over the steps between two times; none if none lies there.
    pub fn account(&self, from: f64, to: f64) -> Option<Account> {
        let mut ledger: Option<Ledger> = None;
        for piece in self.within(from, to) {
            let (system, start) = (&self.system, piece.span()[0]);
            // Asked for its books, not for whether they balance.
            let open =
                || Ledger::new(system, &piece.mode, start, &piece.state(start), f64::INFINITY);
            ledger.get_or_insert_with(open).enter(system, &piece.mode, &*piece.dense);
        }
        ledger.map(|l| *l.account(0))
    }

    /// ∫f dt, with f of time and all columns, by Gauss's rule in each step.
    pub fn integral(&self, from: f64, to: f64, f: impl Fn(f64, &[f64]) -> f64) -> f64 {
        let first = self.pieces.partition_point(|p| p.span()[1] <= from);
        let mut sum = 0.0;
        for piece in self.pieces[first..].iter().take_while(|p| p.span()[0] < to) {
            let [start, end] = piece.span();
            let (a, b) = (start.max(from), end.min(to));
            for (node, weight) in GAUSS {
                let t = 0.5 * ((1.0 - node) * a + (1.0 + node) * b);
                sum += 0.5 * (b - a) * weight * f(t, &self.row(t));
            }
        }
        sum
    }

    /// When a function of the state changes its sign, and whether it rises there.
    pub fn changes(&self, f: impl Fn(&System, &Mode, f64, &[f64]) -> f64) -> Changes {
        let mut found = Vec::new();
        let mut last: Option<(f64, bool)> = None;
        for piece in &self.pieces {
            for t in places(piece.span()) {
                let value = f(&self.system, &piece.mode, t, &piece.state(t));
                if value == 0.0 {
                    continue;
                }
                if let Some((before, _)) = last.filter(|(_, above)| *above != (value > 0.0)) {
                    let (mut lo, mut hi) = (before, t);
                    for _ in 0..60 {
                        let middle = 0.5 * (lo + hi);
                        let above = self.ask(middle, &f) > 0.0;
                        *if above == (value > 0.0) { &mut hi } else { &mut lo } = middle;
                    }
                    found.push((hi, value > 0.0));
                }
                last = Some((t, value > 0.0));
            }
        }
        found
    }

    /// When a column passes a level, and whether it rises there.
    pub fn crossings(&self, column: &str, level: f64) -> Changes {
        let k = self.column(column);
        let mut known = self.crossings.borrow_mut();
        if let Some((_, found)) = known.iter().find(|(what, _)| *what == (k, level)) {
            return found.clone();
        }
        let found = self.changes(|_, mode, t, y| pick(&self.columns(mode, t, y), k) - level);
        known.push(((k, level), found.clone()));
        found
    }

    /// When index `k` of the model in contact 0 changed, and to what.
    pub fn indices(&self, k: usize) -> Vec<(f64, f64)> {
        let index = |p: &Piece| p.mode.contacts[0].element.index[k];
        let pairs = self.pieces.windows(2).filter(|p| index(&p[0]) != index(&p[1]));
        pairs.map(|p| (p[1].span()[0], index(&p[1]))).collect()
    }
}

/// Entry `k`, or not a number.
fn pick(row: &[f64], k: usize) -> f64 {
    row.get(k).copied().unwrap_or(f64::NAN)
}

/// The force in contact `i` and the sliding velocity of its bristle's tip.
pub fn at_the_tip(system: &System, mode: &Mode, i: usize, t: f64, y: &[f64]) -> (f64, f64) {
    let mut dy = y.to_vec();
    let force = system.flow(mode, t, y, &mut dy)[i];
    let (at, _) = system.contact(mode, i, t, y);
    (force, system.friction(i).tip(&at, &dy[system.place(i)]))
}

/// dF/dt in contact 0.
pub fn force_rate(system: &System, mode: &Mode, t: f64, y: &[f64]) -> f64 {
    let mut rates = y.to_vec();
    system.flow(mode, t, y, &mut rates);
    let slope = |re: f64, rate: f64| Dual { re, eps: [rate, 0.0, 0.0, 0.0] };
    let along: Vec<_> = y.iter().zip(rates).map(|(y, rate)| slope(*y, rate)).collect();
    system.forces(mode, slope(t, 1.0), &along)[0].eps[0]
}

/// Where a step is looked at.
fn places([start, end]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..=LOOKS).map(move |k| start + (end - start) * k as f64 / LOOKS as f64)
}
