//! Machines from parts, against independent trajectories and numbers: S1 to S4.
use bristle_kernel::Start;
use bristle_kernel::bristle::{Dry, Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_machine::{
    AntiWindup, Body, Builder, Control, Damper, End, Machine, Rotor, Sampled, Spring, Structure,
};
use bristle_simulation::{Event, Run, Simulation};
use bristle_system::signal::{MultiSine, Steps};
use bristle_system::{Coupled, FlowKind, Friction, Mechanism, Mode, Step, Units, Watch};
use std::ops::ControlFlow;

/// μ_s, μ_d, v_s, s₀, s₁, s₂.
type Set = [f64; 6];

const AXIS: Set = [0.13, 0.102, 0.005, 1e4, 50.0, 0.0];
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

/// S1 and S2: a servo axis under a controller.
fn axis(model: &str, control: Control<f64>, sampled: Option<Sampled<f64>>) -> Coupled<Machine> {
    let mut parts = Machine::builder();
    let slide = parts.body("axis", Body { mass: 95.1, ..Body::start(()) });
    parts.damper("guide", [slide, End::GROUND], Damper { damping: 203.5 });
    parts.contact("rail", [slide, End::GROUND], 200.0, friction(model, AXIS));
    let reference = MultiSine {
        amplitude: [0.05, 0.006].into_iter().collect(),
        frequency: [0.3, 1.9].into_iter().collect(),
        ..MultiSine::start(())
    };
    let servo = parts.control("servo", slide, reference, control);
    if let Some(sampled) = sampled {
        parts.sample(servo, sampled);
    }
    parts.build().unwrap()
}

fn s1(model: &str) -> Coupled<Machine> {
    let control = Control { kp: 3e4, kd: 2e3, limit: 150.0, ..Control::start(()) };
    axis(model, control, None)
}

fn s2(model: &str) -> Coupled<Machine> {
    let control = Control {
        structure: Structure::Cascade,
        kx: 12.0,
        kp: 6000.0,
        ki: 6e4,
        limit: 150.0,
        anti_windup: AntiWindup::Hold,
        ..Control::start(())
    };
    axis(model, control, Some(Sampled { period: 1e-3, delay: 1.0, ..Sampled::start(()) }))
}

/// S3: motor, gear, elastic shaft and load.
fn s3(model: &str) -> Coupled<Machine> {
    let mut parts = Machine::builder();
    let motor = parts.rotor("motor", Rotor { inertia: 1.2e-4, ..Rotor::start(()) });
    let load = parts.rotor("load", Rotor { inertia: 1.5, ..Rotor::start(()) });
    let shaft = Spring { stiffness: 3000.0, damping: 2.0, ..Spring::start(()) };
    parts.shaft("shaft", [motor.through(1.0 / 50.0), load], shaft);
    let t = [0.0, 0.1, 0.8, 1.4, 1.9, 2.4].into_iter().collect();
    let value = [0.0, 0.15, -0.10, 0.05, 0.20, 0.0].into_iter().collect();
    parts.force("tau", motor, Steps { t, value });
    parts.contact("1", [motor, End::GROUND], 1.0, friction(model, MOTOR));
    parts.contact("2", [load, End::GROUND], 1.0, friction(model, LOAD));
    parts.build().unwrap()
}

fn blocks(parts: &mut Builder, velocity: f64) -> Vec<End> {
    let starts = [(1.0, 0.03), (1.1, 0.02), (0.9, 0.05)];
    let ends: Vec<End> = starts
        .into_iter()
        .enumerate()
        .map(|(i, (mass, position))| {
            let body = Body { mass, position, velocity, ..Body::start(()) };
            parts.body(&(i + 1).to_string(), body)
        })
        .collect();
    let spring = |stiffness: f64| Spring { stiffness, ..Spring::start(()) };
    for (i, end) in ends.iter().enumerate() {
        parts.spring(&format!("wall{}", i + 1), [*end, End::GROUND], spring(30.0));
    }
    for (i, pair) in ends.windows(2).enumerate() {
        parts.spring(&format!("between{}", i + 1), [pair[1], pair[0]], spring(45.0));
    }
    ends
}

/// S4: three blocks on a belt.
fn s4(model: &str) -> Coupled<Machine> {
    let mut parts = Machine::builder();
    let ends = blocks(&mut parts, 0.04);
    let belt = parts.moving("belt", Units::LINE, 0.04);
    for ((i, end), load) in ends.iter().enumerate().zip([10.0, 11.0, 12.5]) {
        parts.contact(&(i + 1).to_string(), [*end, belt], load, friction(model, BLOCK));
    }
    parts.build().unwrap()
}

/// What a run shows of what no trace holds.
struct Seen {
    /// ∫e² dt and greatest |e| from the start, and from a time on.
    from: f64,
    squares: [f64; 2],
    greatest: [f64; 2],
    /// Time at the limit of the controller, and how often it was reached.
    limited: f64,
    limits: usize,
    was_limited: bool,
    /// The last sample of the controller, and how many were at its limit.
    sample: f64,
    saturated: usize,
    /// Times at which each sliding velocity falls and rises through −0.02 m/s.
    down: Vec<Vec<f64>>,
    up: Vec<Vec<f64>>,
}

impl Seen {
    fn new(from: f64, contacts: usize) -> Self {
        let none = vec![Vec::new(); contacts];
        let zero = [0.0; 2];
        let (down, up) = (none.clone(), none);
        Seen {
            from,
            squares: zero,
            greatest: zero,
            limited: 0.0,
            limits: 0,
            was_limited: false,
            sample: -1.0,
            saturated: 0,
            down,
            up,
        }
    }
}

fn output(system: &Coupled<Machine>, mode: &Mode, name: &str, t: f64, y: &[f64]) -> Option<f64> {
    let outputs = system.mechanism.outputs();
    let k = outputs.iter().position(|q| q.name == name)?;
    let mut out = vec![0.0; outputs.len()];
    let bodies = system.mechanism.quantities().len();
    system.mechanism.output(t, &mode.phase, &y[..bodies], &system.forces(mode, t, y), &mut out);
    Some(out[k])
}

/// Gauss-Legendre, five nodes on [0, 1].
const GAUSS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668_004, 0.118_463_442_528_094_54],
    [0.230_765_344_947_158_45, 0.239_314_335_249_683_23],
    [0.5, 0.284_444_444_444_444_44],
    [0.769_234_655_052_841_55, 0.239_314_335_249_683_23],
    [0.953_089_922_969_332, 0.118_463_442_528_094_54],
];

impl Watch<Machine> for Seen {
    fn step(&mut self, system: &Coupled<Machine>, step: &Step<'_>) -> ControlFlow<()> {
        let (start, h) = (step.start(), step.end() - step.start());
        if h <= 0.0 {
            return ControlFlow::Continue(());
        }
        let error = |t: f64| output(system, step.mode, "e_servo", t, &step.at(t));
        if error(start).is_some() {
            let error = |t: f64| error(t).unwrap();
            let later = start >= self.from;
            for k in 0..4 {
                for [node, weight] in GAUSS {
                    let square = error(start + h * 0.25 * (f64::from(k) + node)).powi(2);
                    self.squares[0] += 0.25 * h * weight * square;
                    self.squares[1] += if later { 0.25 * h * weight * square } else { 0.0 };
                }
            }
            // The greatest of nine looks, and what a parabola makes of its neighbours.
            let looks: Vec<f64> =
                (0..=8).map(|k| error(start + h * f64::from(k) / 8.0).abs()).collect();
            let k = (0..9).max_by(|a, b| looks[*a].total_cmp(&looks[*b])).unwrap();
            let mut best = looks[k];
            if k > 0 && k < 8 {
                let (mut a, mut b) =
                    (start + h * (k as f64 - 1.0) / 8.0, start + h * (k as f64 + 1.0) / 8.0);
                while b - a > 1e-9 {
                    let (c, d) = (a + 0.382 * (b - a), a + 0.618 * (b - a));
                    if error(c).abs() > error(d).abs() { b = d } else { a = c }
                }
                best = best.max(error(0.5 * (a + b)).abs());
            }
            self.greatest[0] = self.greatest[0].max(best);
            self.greatest[1] = self.greatest[1].max(if later { best } else { 0.0 });
            let middle = start + 0.5 * h;
            let force = output(system, step.mode, "u_servo", middle, &step.at(middle)).unwrap();
            let limited = force.abs() == 150.0;
            self.limited += if limited { h } else { 0.0 };
            self.limits += usize::from(limited && !self.was_limited);
            self.was_limited = limited;
        }
        for i in 0..system.contacts() {
            let level = |t: f64| system.contact(step.mode, i, t, &step.at(t)).0.v + 0.02;
            for k in 0..8 {
                let at = |k: i32| start + h * f64::from(k) / 8.0;
                let (mut a, mut b) = (at(k), at(k + 1));
                let from = level(a);
                if from * level(b) < 0.0 {
                    for _ in 0..60 {
                        let middle = 0.5 * (a + b);
                        *if level(middle) * from > 0.0 { &mut a } else { &mut b } = middle;
                    }
                    if from > 0.0 { &mut self.down[i] } else { &mut self.up[i] }.push(b);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn arrived(&mut self, system: &Coupled<Machine>, _mode: &Mode, t: f64, y: &[f64]) {
        let quantities = system.mechanism.quantities();
        let Some(k) = quantities.iter().position(|q| q.name == "next1_servo") else { return };
        // Once a sample, and at its time only: other events change nothing about it.
        let sample = (t * 1e3).round();
        if (t * 1e3 - sample).abs() < 1e-9 && sample > self.sample {
            self.sample = sample;
            self.saturated += usize::from(y[k].abs() == 150.0);
        }
    }
}

/// Times at which contacts stick and slip, and how often each one came to rest or turned.
struct Sticks {
    stick: Vec<Vec<f64>>,
    slip: Vec<Vec<f64>>,
    zeros: Vec<Vec<f64>>,
}

impl Sticks {
    fn of(contacts: usize, at_first: &[bool], run: &Run) -> Self {
        let none = vec![Vec::new(); contacts];
        let mut all = Sticks { stick: none.clone(), slip: none.clone(), zeros: none };
        let mut rests = at_first.to_vec();
        for i in (0..contacts).filter(|i| at_first[*i]) {
            all.stick[i].push(0.0);
            all.zeros[i].push(0.0);
        }
        for (t, event) in &run.events {
            match *event {
                Event::Stick { contact } => {
                    rests[contact] = true;
                    all.stick[contact].push(*t);
                    all.zeros[contact].push(*t);
                }
                Event::Slip { contact, .. } if rests[contact] => {
                    rests[contact] = false;
                    all.slip[contact].push(*t);
                }
                Event::Slip { contact, .. } | Event::Reversal { contact, .. } => {
                    all.zeros[contact].push(*t);
                }
                _ => {}
            }
        }
        all
    }

    fn total(&self, i: usize, end: f64) -> f64 {
        let ends = self.slip[i].iter().copied().chain([end]);
        self.stick[i].iter().zip(ends).map(|(a, b)| b - a).sum()
    }
}

/// The column of ours that a name of theirs is, in a case.
fn column(case: &str, name: &str) -> String {
    let last = &name[name.len() - 1..];
    match (case, &name[..name.len() - 1]) {
        ("S1" | "S2", _) => match name {
            "x" | "v" => format!("{name}_axis"),
            "F" | "z" => format!("{name}_rail"),
            _ => format!("{name}_servo"),
        },
        ("S3", "theta") => format!("phi_{}", if last == "1" { "motor" } else { "load" }),
        ("S3", "omega") => format!("omega_{}", if last == "1" { "motor" } else { "load" }),
        (_, of @ ("x" | "v" | "z" | "F")) => format!("{of}_{last}"),
        _ if name == "T_shaft" => "F_shaft".into(),
        _ => name.into(),
    }
}

/// All numbers and the trajectory of a case at a tolerance, within `allowed` of their size, or their uncertainty.
fn check(case: &str, model: &str, system: &Coupled<Machine>, tolerance: f64, allowed: f64) {
    let end: f64 = match case {
        "S1" => 10.0,
        "S2" => 4.0,
        "S3" => 3.0,
        _ => 20.0,
    };
    let table = bristle_reference::Table::of("machines/scalars.csv");
    let rows: Vec<_> = table
        .lines()
        .filter(|row| row.text("case") == case && row.text("model") == model)
        .collect();
    let reference = bristle_reference::Table::of(&format!("machines/{case}_{model}.csv"));
    let from = if case == "S1" { 2.0 } else { 1.0 };
    let mut stops: Vec<f64> = reference.column("t");
    let at = |name: &str| name.split_once("_at_").map(|(_, t)| t.parse::<f64>().unwrap());
    stops.extend(rows.iter().filter_map(|row| at(row.text("quantity"))));
    stops.push(from);
    stops.sort_by(f64::total_cmp);
    let simulation = Simulation::of(system.clone()).tolerance(tolerance).stops(&stops);
    let mut running = simulation.start().unwrap();
    let contacts = system.contacts();
    let rests = |i: usize| system.set_valued(i) && running.mode().contacts[i].element.way == 0.0;
    let at_first: Vec<bool> = (0..contacts).map(rests).collect();
    let mut seen = Seen::new(from, contacts);
    running.watched(end, &mut seen).unwrap();
    let run = running.finish().unwrap();
    let sticks = Sticks::of(contacts, &at_first, &run);
    let t = &run.trace.column("t").unwrap().values;
    // The right limit is the last row of a time.
    let value = |name: &str, time: f64| -> f64 {
        let row = t.iter().rposition(|t| *t <= time + 1e-12).unwrap();
        assert!((t[row] - time).abs() < 1e-9, "{case} {model}: no row at {time}");
        let ours = column(case, name);
        let found =
            run.trace.column(&ours).unwrap_or_else(|| panic!("{case} {model}: no column {ours}"));
        found.values[row]
    };
    let size = |name: &str| {
        reference.column(name).iter().fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()))
    };
    let balance = run.balance.as_ref().unwrap();
    let part = |name: &str, kind: FlowKind| {
        let found = balance.parts.iter().find(|(flow, _)| flow.name == name && flow.kind == kind);
        found.map_or(f64::NAN, |(_, total)| *total)
    };
    let mut faults = Vec::new();
    let mut compare = |name: &str, ours: f64, theirs: f64, size: f64, uncertainty: f64| {
        let (error, limit) = ((ours - theirs).abs(), (allowed * size).max(uncertainty));
        if error.is_nan() || error > limit {
            faults.push(format!("{name} = {ours}, not {theirs}: {error:.2e} > {limit:.2e}"));
        }
    };
    for row in &rows {
        let name = row.text("quantity");
        let (theirs, uncertainty) = (row.number("value"), row.number("uncertainty"));
        let nth = |times: &[f64]| {
            let k: usize = name.rsplit('_').next().unwrap().parse().unwrap();
            times.get(k - 1).copied().unwrap_or(f64::NAN)
        };
        let digit = |before: &str| {
            name[before.len()..]
                .chars()
                .next()
                .and_then(|c| c.to_digit(10))
                .map_or(0, |d| d as usize - 1)
        };
        let extreme = |name: &str| {
            let k = run.trace.columns().iter().position(|c| c.name == column(case, name)).unwrap();
            &run.extremes[k]
        };
        let (ours, size) = match name {
            "margin_saturation" => continue,
            _ if at(name).is_some() => {
                let of = name.split_once("_at_").unwrap().0;
                (value(of, at(name).unwrap()), size(of))
            }
            "integral_end" => {
                (*run.trace.column("I_servo").unwrap().values.last().unwrap(), theirs.abs())
            }
            "E_bristle_end" => (run.ledger[0].1.stored, theirs.abs()),
            _ if name.ends_with("_end") => {
                let of = name.trim_end_matches("_end");
                (value(of, end), size(of))
            }
            "W_viscous" => (part("guide", FlowKind::Loss), theirs.abs()),
            "W_shaft_damper" => (part("shaft", FlowKind::Loss), theirs.abs()),
            "W_drive" => {
                (part(if case == "S3" { "tau" } else { "servo" }, FlowKind::Work), theirs.abs())
            }
            _ if name.starts_with("W_friction") => {
                (run.ledger[digit("W_friction")].1.work, theirs.abs())
            }
            "e_rms" => ((seen.squares[0] / end).sqrt(), theirs),
            _ if name.starts_with("e_rms_from") => {
                ((seen.squares[1] / (end - from)).sqrt(), theirs)
            }
            "e_max" => (seen.greatest[0], theirs),
            _ if name.starts_with("e_max_from") => (seen.greatest[1], theirs),
            "T_shaft_max" => (extreme("T_shaft").max, theirs.abs()),
            "T_shaft_min" => (extreme("T_shaft").min, theirs.abs()),
            "saturation_time" => (seen.limited, theirs),
            "saturation_count" => (seen.limits as f64, 0.0),
            "saturated_samples" => (seen.saturated as f64, 0.0),
            "stick_count" => (sticks.stick[0].len() as f64, 0.0),
            "stick_time_total" => (sticks.total(0, end), 1.0),
            "zero_velocity_count" => (sticks.zeros[0].len() as f64, 0.0),
            "t_first_reversal" => {
                (sticks.zeros[0].iter().copied().find(|t| *t > 0.0).unwrap(), 1.0)
            }
            _ if name.starts_with("zero_velocity_") => {
                (sticks.zeros[digit("zero_velocity_")].len() as f64, 0.0)
            }
            _ if name.starts_with("t_load_slip_") => (nth(&sticks.slip[1]), 1.0),
            _ if name.starts_with("t_load_stick_") => (nth(&sticks.stick[1]), 1.0),
            _ if name.starts_with("stick_time_") => (sticks.total(digit("stick_time_"), end), 1.0),
            _ if name.starts_with("slips") => (seen.down[digit("slips")].len() as f64, 0.0),
            _ if case == "S4" && name.starts_with("t_slip") => {
                (nth(&seen.down[digit("t_slip")]), 1.0)
            }
            _ if case == "S4" && name.starts_with("t_stick") => {
                (nth(&seen.up[digit("t_stick")]), 1.0)
            }
            _ if name.starts_with("t_slip_") => (nth(&sticks.slip[0]), 1.0),
            _ if name.starts_with("t_stick_") => (nth(&sticks.stick[0]), 1.0),
            _ => panic!("{case} {model}: {name} is not known"),
        };
        compare(name, ours, theirs, size, uncertainty);
    }
    // Set-valued friction has no bristle.
    let is_set_valued = system.set_valued(0);
    for name in
        reference.names().filter(|name| *name != "t" && !(is_set_valued && name.starts_with('z')))
    {
        let all = reference.column(name);
        for (time, theirs) in reference.column("t").into_iter().zip(all) {
            compare(
                &format!("{name} at {time}"),
                value(name, time),
                theirs,
                size(name),
                1e-8 * size(name),
            );
        }
    }
    assert!(rows.len() > 20, "{case} {model}: {} numbers", rows.len());
    assert!(faults.is_empty(), "{case} {model} at {tolerance:e}:\n{}", faults.join("\n"));
}

/// 1e-6 at the default tolerance, and 1e-9 at a tight one.
fn meets(case: &str, models: &[&str], machine: fn(&str) -> Coupled<Machine>) {
    for model in models {
        check(case, model, &machine(model), 1e-9, 1e-6);
        check(case, model, &machine(model), 1e-11, 1e-9);
    }
}

#[test]
fn a_servo_axis_under_a_continuous_controller() {
    meets("S1", &["lugre", "frbd", "coulomb", "stribeck"], s1);
}

#[test]
fn a_servo_axis_under_a_sampled_cascade() {
    meets("S2", &["lugre", "frbd", "coulomb", "stribeck"], s2);
}

#[test]
fn a_drive_train_with_a_gear_and_an_elastic_shaft() {
    meets("S3", &["lugre", "frbd", "coulomb", "stribeck"], s3);
}

#[test]
fn three_blocks_on_a_belt() {
    meets("S4", &["lugre", "frbd", "stribeck"], s4);
}
