//! Runs of scenarios, kept whole: what a run gave can be asked for afterwards.
use crate::{Found, Setting};
use bristle_kernel::{Bristle, Memory};
use bristle_num::Dual;
use bristle_scenario::{Scenario, Step, System, walk};
use bristle_system::{Account, Ledger};
use bristle_trace::{Extreme, Recorder, Signals, Spacing};
use std::cell::{OnceCell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

/// A scenario from its text, with settings put over it.
pub fn scenario(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
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

/// A step and the system in the discrete state that it was taken in.
struct Piece {
    system: Rc<System>,
    step: Box<dyn Step>,
}

/// A whole run, by its dense output.
pub struct Course {
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
        let (system, y) = scenario.system().map_err(|e| e.to_string())?;
        let mut pieces: Vec<Piece> = Vec::new();
        walk(scenario, &system, &y, stops, &mut |step| {
            let last = pieces.last().filter(|p| discrete(&p.system) == discrete(&system));
            let system = last.map_or_else(|| Rc::new(system.clone()), |p| p.system.clone());
            pieces.push(Piece { system, step: step.kept() });
            ControlFlow::Continue(())
        })
        .map_err(|e| format!("{}: {e}", scenario.title))?;
        Ok(Course {
            signals: Signals::of(&system),
            pieces,
            amplitudes: OnceCell::new(),
            extremes: RefCell::default(),
            crossings: RefCell::default(),
        })
    }

    /// When the run ended.
    pub fn end(&self) -> f64 {
        self.pieces[self.pieces.len() - 1].step.span()[1]
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
        for Piece { system, step } in &self.pieces {
            for t in places(step.span()) {
                points.0.push(t);
                points.1.push(pick(&self.columns(system, t, &step.state(t)), k));
            }
        }
        points
    }

    /// The step in which `t` lies; the earlier one of two that meet there.
    fn piece(&self, t: f64) -> &Piece {
        let k = self.pieces.partition_point(|p| p.step.span()[1] < t);
        &self.pieces[k.min(self.pieces.len() - 1)]
    }

    fn ask<T>(&self, t: f64, f: impl Fn(&System, f64, &[f64]) -> T) -> T {
        let piece = self.piece(t);
        f(&piece.system, t, &piece.step.state(t))
    }

    /// All columns at one instant.
    pub fn row(&self, t: f64) -> Vec<f64> {
        self.ask(t, |system, t, y| self.columns(system, t, y))
    }

    fn columns(&self, system: &System, t: f64, y: &[f64]) -> Vec<f64> {
        let mut row = Vec::new();
        self.signals.at(system, t, y, &mut row);
        row
    }

    /// What `f` says at a few places in every step.
    pub fn looks<T>(&self, f: impl Fn(&System, f64, &[f64]) -> T) -> Vec<T> {
        let all = self.pieces.iter().flat_map(|p| places(p.step.span()).map(move |t| (p, t)));
        all.map(|(p, t)| f(&p.system, t, &p.step.state(t))).collect()
    }

    /// A column at one instant; not a number if there is none of that name.
    pub fn value(&self, column: &str, t: f64) -> f64 {
        pick(&self.row(t), self.column(column))
    }

    /// The energy stored in the element of contact 0.
    pub fn stored(&self, t: f64) -> f64 {
        self.ask(t, |system, t, y| {
            let (at, z) = system.contact(0, t, y);
            system.friction(0).energy(&at, z, &vec![0.0; z.len()]).stored
        })
    }

    /// The steps that lie between two times.
    fn within(&self, from: f64, to: f64) -> impl Iterator<Item = &Piece> {
        let inside = move |p: &&Piece| p.step.span()[0] >= from && p.step.span()[1] <= to;
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
        for Piece { system, step } in self.within(from, to) {
            let start = step.span()[0];
            let new = || Recorder::new(system, start, &step.state(start), Spacing::Steps);
            step.record(system, recorder.get_or_insert_with(new));
        }
        let last = self.piece(to);
        let end = |r: Recorder| r.finish(&last.system, to, &last.step.state(to)).1;
        recorder.map(end).unwrap_or_default()
    }

    /// The greatest magnitude of a column at the ends of steps.
    pub fn amplitude(&self, column: &str) -> f64 {
        let amplitudes = self.amplitudes.get_or_init(|| {
            let mut most = self.row(0.0).into_iter().map(f64::abs).collect::<Vec<_>>();
            for Piece { system, step } in &self.pieces {
                let end = step.span()[1];
                let row = self.columns(system, end, &step.state(end));
                most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
            }
            most
        });
        pick(amplitudes, self.column(column))
    }

    /// The account of contact 0 over the steps between two times; none if none lies there.
    pub fn account(&self, from: f64, to: f64) -> Option<Account> {
        let mut ledger: Option<Ledger> = None;
        for Piece { system, step } in self.within(from, to) {
            let start = step.span()[0];
            let open = || Ledger::new(system, start, &step.state(start));
            step.enter(system, ledger.get_or_insert_with(open));
        }
        ledger.map(|l| *l.account(0))
    }

    /// ∫f dt, with f of time and all columns, by Gauss's rule in each step.
    pub fn integral(&self, from: f64, to: f64, f: impl Fn(f64, &[f64]) -> f64) -> f64 {
        let first = self.pieces.partition_point(|p| p.step.span()[1] <= from);
        let mut sum = 0.0;
        for piece in self.pieces[first..].iter().take_while(|p| p.step.span()[0] < to) {
            let [start, end] = piece.step.span();
            let (a, b) = (start.max(from), end.min(to));
            for (node, weight) in GAUSS {
                let t = 0.5 * ((1.0 - node) * a + (1.0 + node) * b);
                sum += 0.5 * (b - a) * weight * f(t, &self.row(t));
            }
        }
        sum
    }

    /// When a function of the state changes its sign, and whether it rises there.
    pub fn changes(&self, f: impl Fn(&System, f64, &[f64]) -> f64) -> Changes {
        let mut found = Vec::new();
        let mut last: Option<(f64, bool)> = None;
        for Piece { system, step } in &self.pieces {
            for t in places(step.span()) {
                let value = f(system, t, &step.state(t));
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
        let found = self.changes(|system, t, y| pick(&self.columns(system, t, y), k) - level);
        known.push(((k, level), found.clone()));
        found
    }

    /// When the model in contact 0 committed to something else, and to what.
    pub fn commitments(&self) -> Vec<(f64, f64)> {
        let memory = |p: &Piece| discrete(&p.system).1[0][0];
        let pairs = self.pieces.windows(2).filter(|p| memory(&p[0]) != memory(&p[1]));
        pairs.map(|p| (p[1].step.span()[0], memory(&p[1]))).collect()
    }
}

/// Entry `k`, or not a number.
fn pick(row: &[f64], k: usize) -> f64 {
    row.get(k).copied().unwrap_or(f64::NAN)
}

/// The force in contact `i` and the sliding velocity of its bristle's tip.
pub fn at_the_tip(system: &System, i: usize, t: f64, y: &[f64]) -> (f64, f64) {
    let mut dy = y.to_vec();
    let force = system.forces(t, y, &mut dy)[i];
    let (at, _) = system.contact(i, t, y);
    (force, system.friction(i).tip(&at, &dy[system.place(i)]))
}

/// dF/dt in contact 0.
pub fn force_rate(system: &System, t: f64, y: &[f64]) -> f64 {
    let mut rates = y.to_vec();
    system.flow(t, y, &mut rates);
    let along = |(re, rate): (&f64, f64)| Dual::<f64, 1> { re: *re, eps: [rate] };
    let along: Vec<_> = y.iter().zip(rates).map(along).collect();
    system.forces(Dual { re: t, eps: [1.0] }, &along, &mut along.clone())[0].eps[0]
}

/// Where a step is looked at.
fn places([start, end]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..=LOOKS).map(move |k| start + (end - start) * k as f64 / LOOKS as f64)
}

/// The phase of the drive and what the models have committed to.
fn discrete(system: &System) -> (usize, Vec<Memory<f64>>) {
    let mut y = vec![0.0; system.states()];
    system.initial(&mut y);
    let memory = (0..system.contacts()).map(|i| system.contact(i, 0.0, &y).0.memory);
    (system.phase(), memory.collect())
}
