//! Machines with several contacts, against independent trajectories: a drive train and blocks on a belt.
use crate::common::{Run, options};
use bristle_kernel::bristle::{Dry, Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Drive, Real, Start};
use bristle_system::signal::{Signal, Steps};
use bristle_system::{Contact, Coupled, Friction, Ledger, Mechanism, Mode, Quantity, Role, Units};

/// Motor, gear, elastic shaft and load.
struct Train {
    torque: Steps<f64>,
}

impl Train {
    fn new() -> Self {
        let t = [0.0, 0.1, 0.8, 1.4, 1.9, 2.4];
        let value = [0.0, 0.15, -0.10, 0.05, 0.20, 0.0];
        let torque = Steps { t: t.into_iter().collect(), value: value.into_iter().collect() };
        Train { torque }
    }

    fn shaft<S: Real>(y: &[S]) -> S {
        (y[0] / 50.0 - y[2]) * 3000.0 + (y[1] / 50.0 - y[3]) * 2.0
    }
}

impl Mechanism for Train {
    fn quantities(&self) -> &[Quantity] {
        const ALL: [Quantity; 4] = [
            Quantity::angle("theta1"),
            Quantity::turning("omega1"),
            Quantity::angle("theta2"),
            Quantity::turning("omega2"),
        ];
        &ALL
    }
    fn contacts(&self) -> &[Contact] {
        &[
            Contact { name: "1", role: Role::Friction, units: Units::SHAFT },
            Contact { name: "2", role: Role::Friction, units: Units::SHAFT },
        ]
    }
    fn drives(&self) -> &[Quantity] {
        const ALL: [Quantity; 1] = [Quantity::new("tau", "N*m", 0.1)];
        &ALL
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        on(2 * i + 1);
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        (2 * i..2 * i + 2).for_each(on);
    }
    fn drive<S: Real>(&self, i: usize, _t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        Drive { x: y[2 * i], ..Drive::new(y[2 * i + 1], S::from(1.0)) }
    }
    fn rates<S: Real>(&self, t: S, phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        let shaft = Train::shaft(y);
        dy[0] = y[1];
        dy[1] = (self.torque.value(t, phase[0]) - shaft / 50.0 - force[0]) / 1.2e-4;
        dy[2] = y[3];
        dy[3] = (shaft - force[1]) / 1.5;
    }
    fn input(&self, _i: usize, t: f64, phase: &[usize]) -> f64 {
        self.torque.value(t, phase[0])
    }
    fn switch(&self, _i: usize, k: usize) -> f64 {
        self.torque.switch(k)
    }
}

/// Three blocks on a belt, each tied to the ground and to its neighbours.
struct Blocks;

const BELT: f64 = 0.04;

impl Mechanism for Blocks {
    fn quantities(&self) -> &[Quantity] {
        const ALL: [Quantity; 6] = [
            Quantity::position("x1"),
            Quantity::velocity("v1"),
            Quantity::position("x2"),
            Quantity::velocity("v2"),
            Quantity::position("x3"),
            Quantity::velocity("v3"),
        ];
        &ALL
    }
    fn contacts(&self) -> &[Contact] {
        &[
            Contact { name: "1", role: Role::Friction, units: Units::LINE },
            Contact { name: "2", role: Role::Friction, units: Units::LINE },
            Contact { name: "3", role: Role::Friction, units: Units::LINE },
        ]
    }
    fn drives(&self) -> &[Quantity] {
        &[]
    }
    fn initial(&self, y: &mut [f64]) {
        y.copy_from_slice(&[0.03, BELT, 0.02, BELT, 0.05, BELT]);
    }
    fn depends(&self, k: usize, on: &mut dyn FnMut(usize)) {
        match k % 2 {
            0 => on(k + 1),
            _ => (0..3usize).filter(|i| i.abs_diff(k / 2) < 2).for_each(|i| on(2 * i)),
        }
    }
    fn moves(&self, i: usize, on: &mut dyn FnMut(usize)) {
        on(2 * i + 1);
    }
    fn sees(&self, i: usize, on: &mut dyn FnMut(usize)) {
        (2 * i..2 * i + 2).for_each(on);
    }
    fn drive<S: Real>(&self, i: usize, t: S, _phase: &[usize], y: &[S]) -> Drive<S> {
        let load = S::from([10.0, 11.0, 12.5][i]);
        Drive { x: y[2 * i] - t * BELT, ..Drive::new(y[2 * i + 1] - BELT, load) }
    }
    fn rates<S: Real>(&self, _t: S, _phase: &[usize], y: &[S], force: &[S], dy: &mut [S]) {
        for i in 0..3 {
            let x = y[2 * i];
            let mut sum = -(x * 30.0) - force[i];
            for j in (0..3usize).filter(|j| j.abs_diff(i) == 1) {
                sum += (y[2 * j] - x) * 45.0;
            }
            dy[2 * i] = y[2 * i + 1];
            dy[2 * i + 1] = sum / [1.0, 1.1, 0.9][i];
        }
    }
    fn input(&self, _i: usize, _t: f64, _phase: &[usize]) -> f64 {
        0.0
    }
    fn switch(&self, _i: usize, _k: usize) -> f64 {
        f64::INFINITY
    }
}

/// μ_s, μ_d, v_s, s₀, s₁, s₂.
type Set = [f64; 6];

const MOTOR: Set = [0.028, 0.020, 1.0, 4.0, 0.01, 1e-4];
const LOAD: Set = [4.5, 3.0, 0.05, 6000.0, 20.0, 0.8];
const BLOCK: Set = [0.45, 0.30, 0.03, 2e4, 80.0, 0.4];

fn friction(model: &str, [mu_s, mu_d, v_s, sigma0, sigma1, viscous]: Set) -> Friction {
    let law = Stribeck { mu_s, mu_d, v_s, exponent: 2.0, viscous, ..Stribeck::start(()) };
    match model {
        "coulomb" => Dry::start(Stribeck { mu_s: mu_d, ..law }).into(),
        "stribeck" => Dry::start(law).into(),
        "lugre" => LuGre { sigma0, sigma1, ..LuGre::start(law) }.into(),
        "frbd" => Frbd { sigma0, sigma1, ..Frbd::start(law) }.into(),
        _ => panic!("{model}"),
    }
}

/// The lines of a reference file, the column names first.
fn table(file: &str) -> Vec<Vec<String>> {
    bristle_reference::Table::of(&format!("machines/{file}")).whole()
}

/// Of each column's greatest value.
const TOLERANCE: f64 = 1e-7;
const RTOL: f64 = 1e-10;

/// When something was seen, per contact.
struct Times {
    /// Begin and end of each stick.
    stick: Vec<Vec<f64>>,
    slip: Vec<Vec<f64>>,
    /// The sliding velocity falls and rises through −0.02 m/s.
    down: Vec<Vec<f64>>,
    up: Vec<Vec<f64>>,
}

/// Trajectory and numbers of a case; what is wrong with them.
fn check<M: Mechanism>(
    case: &str,
    model: &str,
    system: &Coupled<M>,
    shaft: impl Fn(&[f64]) -> f64,
) -> Vec<String> {
    let file = format!("{case}_{model}.csv");
    let mut lines = table(&file).into_iter();
    let names = lines.next().unwrap();
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.iter().map(|x| x.parse().unwrap()).collect()).collect();
    let size: Vec<f64> = (0..names.len())
        .map(|k| rows.iter().fold(0.0f64, |size, row| size.max(row[k].abs())))
        .collect();
    let body = |name: &str| -> usize {
        let quantities = system.mechanism.quantities();
        quantities.iter().position(|q| q.name == name).unwrap()
    };
    let y = system.initial();
    let mut run = Run::new(system, &y, options(system, RTOL));
    let n = system.contacts();
    let mut ledger = Ledger::new(system, run.mode(), 0.0, &y, RTOL);
    let contacts = 0..n;
    let read = |name: &str, mode: &Mode, t: f64, y: &[f64]| -> Option<f64> {
        let i = name[name.len() - 1..].parse::<usize>().unwrap_or(1) - 1;
        match &name[..name.len() - 1] {
            _ if name == "T_shaft" => Some(shaft(y)),
            "z" => y.get(system.place(i)).and_then(|z| z.first()).copied(),
            "F" => Some(system.forces(mode, t, y)[i]),
            "theta" | "omega" | "x" | "v" => Some(y[body(name)]),
            _ => None,
        }
    };
    let mut worst = vec![(0.0f64, 0.0); names.len()];
    let mut compare = |k: usize, t: f64, ours: Option<f64>, theirs: f64| {
        let Some(ours) = ours else { return };
        let error = (ours - theirs).abs() / size[k].max(f64::MIN_POSITIVE);
        if error > worst[k].0 || error.is_nan() {
            worst[k] = (error, t);
        }
    };
    for (k, name) in names.iter().enumerate() {
        compare(k, 0.0, read(name, run.mode(), 0.0, &y), rows[0][k]);
    }
    let mut samples = rows.iter().skip(1).peekable();
    let mut times = Times {
        stick: vec![Vec::new(); n],
        slip: vec![Vec::new(); n],
        down: vec![Vec::new(); n],
        up: vec![Vec::new(); n],
    };
    let sticks =
        |mode: &Mode, i: usize| system.set_valued(i) && mode.contacts[i].element.way == 0.0;
    for i in contacts.clone().filter(|i| sticks(run.mode(), *i)) {
        times.stick[i].push(0.0);
    }
    let mut before = run.mode().clone();
    run.run(rows[rows.len() - 1][0], |step| {
        ledger.enter(system, step.mode, step.dense);
        let (start, end) = (step.start(), step.end());
        for i in contacts.clone() {
            match (sticks(&before, i), sticks(step.mode, i)) {
                (false, true) => times.stick[i].push(start),
                (true, false) => times.slip[i].push(start),
                _ => {}
            }
            let level = |t: f64| system.contact(step.mode, i, t, &step.at(t)).0.v + 0.02;
            // Eight looks: none is passed twice in one.
            for k in 0..8 {
                let at = |k: i32| start + (end - start) * f64::from(k) / 8.0;
                let (mut a, mut b) = (at(k), at(k + 1));
                let from = level(a);
                if from * level(b) < 0.0 {
                    for _ in 0..60 {
                        let middle = 0.5 * (a + b);
                        *if level(middle) * from > 0.0 { &mut a } else { &mut b } = middle;
                    }
                    if from > 0.0 { &mut times.down[i] } else { &mut times.up[i] }.push(b);
                }
            }
        }
        before.clone_from(step.mode);
        while let Some(row) = samples.next_if(|row| row[0] <= end) {
            let y = step.at(row[0]);
            // A row at an event holds the right limit of what jumps.
            let jumps = row[0] == end;
            for (k, name) in names.iter().enumerate() {
                if !(jumps && name.starts_with('F')) {
                    compare(k, row[0], read(name, step.mode, row[0], &y), row[k]);
                }
            }
        }
    })
    .unwrap();
    assert!(samples.next().is_none(), "{file}: samples left out");
    let mut faults = Vec::new();
    for (name, (error, t)) in names.iter().zip(&worst) {
        if error.is_nan() || *error > TOLERANCE {
            faults.push(format!("{file}: {name} is off by {error:.2e} of its maximum at {t} s"));
        }
    }
    if let Some(imbalance) = ledger.imbalance() {
        faults.push(format!("{file}: {imbalance}"));
    }
    // Numbers.
    let column = |name: &str| names.iter().position(|n| n == name).map(|k| size[k]);
    let mut checked = 0;
    for row in table("scalars.csv").iter().filter(|row| row[0] == case && row[1] == model) {
        let (name, value) = (row[2].as_str(), row[3].parse::<f64>().unwrap());
        let uncertainty: f64 = row[4].parse().unwrap();
        let number = |text: &str| text.parse::<usize>().unwrap() - 1;
        let digit = |from: &str| number(&name[from.len()..from.len() + 1]);
        let nth = |times: &[Vec<f64>], i: usize| {
            let k = number(name.rsplit('_').next().unwrap());
            Some(times[i].get(k).copied().unwrap_or(f64::NAN))
        };
        let total = |i: usize| {
            let ends = times.slip[i].iter().copied().chain([run.t()]);
            times.stick[i].iter().zip(ends).map(|(a, b)| b - a).sum::<f64>()
        };
        let (ours, unit) = match name {
            _ if name.ends_with("_end") => {
                let name = name.trim_end_matches("_end");
                (read(name, run.mode(), run.t(), run.y()), column(name).unwrap())
            }
            _ if name.starts_with("W_friction") => {
                (Some(ledger.account(digit("W_friction")).work), value.abs())
            }
            _ if name.starts_with("t_load_slip_") => (nth(&times.slip, 1), 1.0),
            _ if name.starts_with("t_load_stick_") => (nth(&times.stick, 1), 1.0),
            _ if name.starts_with("stick_time_") => (Some(total(digit("stick_time_"))), 1.0),
            _ if name.starts_with("t_slip") => (nth(&times.down, digit("t_slip")), 1.0),
            _ if name.starts_with("t_stick") => (nth(&times.up, digit("t_stick")), 1.0),
            _ if name.starts_with("slips") => (Some(times.down[digit("slips")].len() as f64), 1.0),
            _ => continue,
        };
        let Some(ours) = ours else { continue };
        let error = (ours - value).abs();
        let limit = (TOLERANCE * unit).max(uncertainty);
        checked += 1;
        if error.is_nan() || error > limit {
            faults.push(format!("{file}: {name} = {ours}, not {value}: {error:.2e} > {limit:.2e}"));
        }
    }
    assert!(checked >= 9, "{file}: {checked} numbers");
    faults
}

fn train(model: &str) {
    let friction = vec![friction(model, MOTOR), friction(model, LOAD)];
    let system = Coupled::each(Train::new(), friction);
    let faults = check("S3", model, &system, Train::shaft);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn blocks(model: &str) {
    let system = Coupled::new(Blocks, friction(model, BLOCK));
    let faults = check("S4", model, &system, |_| 0.0);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Motor and load stick and release separately.
#[test]
fn drive_train_over_coulomb_friction() {
    train("coulomb");
}

#[test]
fn drive_train_over_stribeck_friction() {
    train("stribeck");
}

#[test]
fn drive_train_over_lugre() {
    train("lugre");
}

#[test]
fn blocks_over_stribeck_friction() {
    blocks("stribeck");
}

#[test]
fn blocks_over_lugre() {
    blocks("lugre");
}

#[test]
fn blocks_over_frbd() {
    blocks("frbd");
}
