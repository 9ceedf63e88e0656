//! A run to look around in: histories, phase portrait, force over velocity, energy, events.
use super::figure::standard;
use super::{Job, Plant};
use crate::{symbol, typeset};
use bristle_figure::{Axis, Look, Mark, Panel, Series};
use bristle_simulation::{Event, Run};
use bristle_system::{Coupled, Kind, Mechanism};
use bristle_trace::Trace;

/// What a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Columns over time.
    History,
    /// Velocity over position.
    Phase,
    /// Friction over velocity, with the law.
    Law,
    /// What became of the energy over time: a line for what went in, and areas that are to be stacked for where it went.
    Energy,
    /// Columns over others that are not time.
    Other,
}

/// A panel of a run.
pub struct Explored {
    /// What it shows.
    pub view: View,
    /// The panel.
    pub panel: Panel,
    /// The times of the points of each series, s; none where they have none.
    pub clocks: Vec<Vec<f64>>,
    /// The number of the run that each series belongs to.
    pub runs: Vec<usize>,
}

impl Explored {
    fn new(view: View, x: Axis, y: Axis) -> Self {
        Explored { view, panel: Panel::new(x, y), clocks: Vec::new(), runs: Vec::new() }
    }

    fn add(&mut self, run: usize, series: Series, clock: Vec<f64>) {
        self.panel.series.push(series);
        self.clocks.push(clock);
        self.runs.push(run);
    }
}

/// Something that happened in a run.
pub struct Happened {
    /// In which run.
    pub run: usize,
    /// When, s.
    pub t: f64,
    /// What, in words.
    pub what: String,
}

/// More contacts than this have no panel of their own.
const CONTACTS: usize = 6;

/// Panels of one run or several over each other.
pub fn explore(jobs: &[Job], outcomes: &[Run]) -> Vec<Explored> {
    let Some((job, first)) = jobs.first().zip(outcomes.first()) else { return Vec::new() };
    let plant = &job.plant;
    let asked = match plant.panels() {
        [] => standard(&first.trace),
        panels => panels.to_vec(),
    };
    let several = jobs.len() > 1;
    let axis = |name: &str| {
        let unit = outcomes.iter().find_map(|run| run.trace.column(name)).map(|c| &c.unit);
        Axis::new(symbol(name), typeset(unit.map_or("", |unit| unit)))
    };
    let label = |k: usize, name: &str| match (several, jobs[k].label.as_str()) {
        (true, label) => label.to_owned(),
        (false, _) => symbol(name),
    };
    let mut all = Vec::new();
    for panel in &asked {
        // Several runs have a panel for each column: curves of one panel are then told apart by their run.
        let groups: Vec<&[String]> = match several {
            true => panel.y.chunks(1).collect(),
            false => vec![&panel.y],
        };
        for names in groups {
            let own: Vec<&String> = names.iter().filter(|n| !is_measured(plant, n)).collect();
            let Some(head) = own.first() else { continue };
            let labels: Vec<String> = own.iter().map(|n| symbol(n)).collect();
            let y = Axis { label: labels.join(", "), ..axis(head) };
            let (view, x) = match &panel.x {
                Some(x) => (View::Other, axis(x)),
                None => (View::History, Axis::new("time t", "s")),
            };
            let mut drawn = Explored::new(view, x, y);
            for (k, run) in outcomes.iter().enumerate() {
                for name in &own {
                    let over = panel.x.as_deref().unwrap_or("t");
                    if let Some(series) = curve(&run.trace, over, name, label(k, name)) {
                        drawn.add(k, series, clock(&run.trace));
                    }
                }
            }
            for log in plant.measured() {
                let here = names.contains(&log.name)
                    || (several && log.beside.as_ref().is_some_and(|b| names.contains(b)));
                if panel.x.is_none() && here {
                    let series = Series::new(symbol(&log.name), log.t.clone(), log.values.clone());
                    drawn.add(0, series.look(Look::Dashed), log.t.clone());
                }
            }
            if let (true, Some(x)) = (panel.law, &panel.x) {
                laws(&mut drawn, jobs, outcomes, x);
            }
            all.push(drawn);
        }
    }
    for (x, v) in pairs(plant).into_iter().take(1) {
        let mut drawn = Explored::new(View::Phase, axis(x), axis(v));
        for (k, run) in outcomes.iter().enumerate() {
            if let Some(series) = curve(&run.trace, x, v, label(k, v)) {
                drawn.add(k, series, clock(&run.trace));
            }
        }
        all.push(drawn);
    }
    let contacts = first.trace.columns().iter().filter_map(|c| c.name.strip_prefix("v_rel"));
    for contact in contacts.take(CONTACTS) {
        let (v, force) = (format!("v_rel{contact}"), format!("F{contact}"));
        if asked.iter().any(|p| p.x.as_ref() == Some(&v) && p.y.contains(&force)) {
            continue;
        }
        let mut drawn = Explored::new(View::Law, axis(&v), axis(&force));
        for (k, run) in outcomes.iter().enumerate() {
            if let Some(series) = curve(&run.trace, &v, &force, label(k, &force)) {
                drawn.add(k, series, clock(&run.trace));
            }
        }
        laws(&mut drawn, jobs, outcomes, &v);
        all.push(drawn);
    }
    all.extend(outcomes.iter().zip(jobs).enumerate().filter_map(|(k, (run, job))| {
        let title = if several { job.label.clone() } else { String::new() };
        energy(k, run.books.as_ref()?, title)
    }));
    all
}

fn is_measured(plant: &Plant, name: &str) -> bool {
    plant.measured().iter().any(|own| own.name == name)
}

fn clock(trace: &Trace) -> Vec<f64> {
    trace.column("t").map(|c| c.values.clone()).unwrap_or_default()
}

fn curve(trace: &Trace, x: &str, y: &str, name: String) -> Option<Series> {
    let (x, y) = (trace.column(x)?, trace.column(y)?);
    Some(Series::new(name, x.values.clone(), y.values.clone()))
}

/// Adds the force of steady sliding of each run, without those that are the same as one before.
fn laws(drawn: &mut Explored, jobs: &[Job], outcomes: &[Run], column: &str) {
    let mut seen: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for (k, (job, run)) in jobs.iter().zip(outcomes).enumerate() {
        let Some(v) = run.trace.column(column) else { continue };
        let law = super::figure::law(&job.plant, column, &v.values);
        let same = |(x, y): &(Vec<f64>, Vec<f64>)| alike(x, &law.x) && alike(y, &law.y);
        if !seen.iter().any(same) {
            seen.push((law.x.clone(), law.y.clone()));
            let law = match job.label.as_str() {
                "" => law,
                label => Series { name: format!("{label}, steady sliding"), ..law },
            };
            drawn.add(k, law, Vec::new());
        }
    }
}

fn alike(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// What went in, and where it went.
fn energy(run: usize, books: &Trace, title: String) -> Option<Explored> {
    let column = |name: &str| books.column(name).map(|c| c.values.clone());
    let t = column("t")?;
    let (work, by_load, slip) = (column("work")?, column("by_load")?, column("slip")?);
    let (stored, dissipated) = (column("stored")?, column("dissipated")?);
    let sum = |a: &[f64], b: &[f64], sign: f64| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + sign * b).collect()
    };
    let mut drawn =
        Explored::new(View::Energy, Axis::new("time t", "s"), Axis::new("energy of friction", "J"));
    drawn.panel.title = title;
    let areas = [
        ("slid away", slip.clone()),
        ("lost in bristles", sum(&dissipated, &slip, -1.0)),
        ("stored", stored),
    ];
    for (name, values) in areas {
        drawn.add(run, Series::new(name, t.clone(), values), t.clone());
    }
    let put_in = Series::new("work in", t.clone(), sum(&work, &by_load, 1.0)).look(Look::Dashed);
    drawn.add(run, put_in, t.clone());
    drawn.panel.marks.push(Mark::horizontal(0.0, ""));
    Some(drawn)
}

/// Positions and the velocities that belong to them, by their columns.
fn pairs(plant: &Plant) -> Vec<(&'static str, &'static str)> {
    fn of<M: Mechanism>(system: &Coupled<M>) -> Vec<(&'static str, &'static str)> {
        let own = system.mechanism.quantities().windows(2);
        let moving = own.filter(|q| q[0].kind == Kind::Position && q[1].kind == Kind::Velocity);
        moving.map(|q| (q[0].name, q[1].name)).collect()
    }
    match plant {
        Plant::System(scenario) => scenario.system().map(|(s, _)| of(&s)).unwrap_or_default(),
        Plant::Machine(scenario) => of(&scenario.system),
    }
}

/// Everything discrete that happened, in words.
pub fn events(jobs: &[Job], outcomes: &[Run]) -> Vec<Happened> {
    let mut all = Vec::new();
    for (k, (job, run)) in jobs.iter().zip(outcomes).enumerate() {
        let names = contacts(&job.plant);
        let of = |contact: usize| match names.get(contact).copied().unwrap_or_default() {
            "" => String::new(),
            name => format!("{name} "),
        };
        let way = |way: f64| if way < 0.0 { "backwards" } else { "forwards" };
        for (t, event) in &run.events {
            let what = match *event {
                Event::Stick { contact } => format!("{}sticks", of(contact)),
                Event::Slip { contact, way: w } => format!("{}slips {}", of(contact), way(w)),
                Event::Reversal { contact, way: w } => format!("{}turns {}", of(contact), way(w)),
                Event::Element { contact } => format!("{}friction changes its branch", of(contact)),
                Event::Drive(_) => "the drive switches".into(),
                Event::Mechanism => "the mechanism switches".into(),
            };
            all.push(Happened { run: k, t: *t, what });
        }
    }
    all
}

fn contacts(plant: &Plant) -> Vec<&'static str> {
    match plant {
        Plant::System(scenario) => {
            scenario.mechanism.contacts().iter().map(|contact| contact.name).collect()
        }
        Plant::Machine(scenario) => {
            scenario.machine().contacts().iter().map(|contact| contact.name).collect()
        }
    }
}
