//! Machines from parts, against independent trajectories and closed balances.
use bristle_kernel::Start;
use bristle_kernel::bristle::{Dry, Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_machine::{Body, Builder, End, Machine};
use bristle_simulation::Simulation;
use bristle_system::signal::{Constant, Steps};
use bristle_system::{AnySignal, Coupled, Friction, Units};

/// μ_s, μ_d, v_s, s₀, s₁, s₂.
type Set = [f64; 6];

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

/// S3: motor, gear, elastic shaft and load.
fn train() -> Machine {
    let mut parts = Machine::builder();
    let motor = parts.body(Body::turning(["theta1", "omega1"], 1.2e-4));
    let load = parts.body(Body::turning(["theta2", "omega2"], 1.5));
    parts.connect("T_shaft", motor.through(1.0 / 50.0), load, 3000.0, 2.0);
    let t = [0.0, 0.1, 0.8, 1.4, 1.9, 2.4].into_iter().collect();
    let value = [0.0, 0.15, -0.10, 0.05, 0.20, 0.0].into_iter().collect();
    parts.force("tau", motor, AnySignal::Steps(Steps { t, value }));
    parts.contact("1", motor, End::GROUND, 1.0);
    parts.contact("2", load, End::GROUND, 1.0);
    parts.build().unwrap()
}

fn blocks(parts: &mut Builder, v: f64) -> [End; 3] {
    let block =
        |parts: &mut Builder, names, mass, x| parts.body(Body::translating(names, mass).at(x, v));
    let one = block(parts, ["x1", "v1"], 1.0, 0.03);
    let two = block(parts, ["x2", "v2"], 1.1, 0.02);
    let three = block(parts, ["x3", "v3"], 0.9, 0.05);
    for (name, end) in [("kp1", one), ("kp2", two), ("kp3", three)] {
        parts.connect(name, end, End::GROUND, 30.0, 0.0);
    }
    parts.connect("kc1", two, one, 45.0, 0.0);
    parts.connect("kc2", three, two, 45.0, 0.0);
    [one, two, three]
}

/// S4: three blocks on a belt.
fn chain() -> Machine {
    let mut parts = Machine::builder();
    let ends = blocks(&mut parts, 0.04);
    let belt = parts.motion("v_b", Units::LINE, AnySignal::Constant(Constant { value: 0.04 }));
    for ((name, end), load) in ["1", "2", "3"].into_iter().zip(ends).zip([10.0, 11.0, 12.5]) {
        parts.contact(name, end, belt, load);
    }
    parts.build().unwrap()
}

/// Positions, velocities, deflections and the shaft's torque at every row, as parts of each column's greatest value.
fn follows(case: &str, model: &str, machine: Machine, sets: &[Set]) {
    let mut lines =
        bristle_reference::Table::of(&format!("machines/{case}_{model}.csv")).whole().into_iter();
    let names = lines.next().unwrap();
    let rows: Vec<Vec<f64>> =
        lines.map(|row| row.iter().map(|x| x.parse().unwrap()).collect()).collect();
    let system = Coupled::each(machine, sets.iter().map(|set| friction(model, *set)).collect());
    let simulation = Simulation::of(system).tolerance(1e-11);
    let mut running = simulation.start().unwrap();
    let mut compared = 0;
    for row in rows.iter().skip(1) {
        running.advance(row[0]).unwrap();
        for (k, name) in names.iter().enumerate() {
            // A force may jump at a row, which holds the value after it.
            if !["x", "v", "theta", "omega", "T_shaft"].iter().any(|of| name.starts_with(of)) {
                continue;
            }
            let size = rows.iter().fold(0.0f64, |size, row| size.max(row[k].abs()));
            let error = (running.value(name).unwrap() - row[k]).abs() / size;
            assert!(error < 1e-7, "{case} {model}: {name} off by {error:e} at {}", row[0]);
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_drive_train_follows_its_reference() {
    let motor = [0.028, 0.020, 1.0, 4.0, 0.01, 1e-4];
    let load = [4.5, 3.0, 0.05, 6000.0, 20.0, 0.8];
    for model in ["lugre", "coulomb", "stribeck"] {
        follows("S3", model, train(), &[motor, load]);
    }
}

#[test]
fn blocks_on_a_belt_follow_their_reference() {
    let block = [0.45, 0.30, 0.03, 2e4, 80.0, 0.4];
    for model in ["lugre", "frbd", "stribeck"] {
        follows("S4", model, chain(), &[block; 3]);
    }
}

/// Nothing is lost in springs.
#[test]
fn bodies_and_springs_keep_their_energy() {
    let mut parts = Machine::builder();
    blocks(&mut parts, 0.04);
    let machine = parts.build().unwrap();
    let simulation = Simulation::of(Coupled::each(machine, Vec::new())).tolerance(1e-11);
    let mut running = simulation.start().unwrap();
    let energy = |y: &[f64]| simulation.system().mechanism.energy(0.0, &[], y);
    let before = energy(running.y());
    running.advance(20.0).unwrap();
    let change = (energy(running.y()) - before).abs() / before;
    assert!(before > 0.05 && change < 1e-9, "{before} {change:e}");
}

#[test]
fn all_faults_of_a_machine_are_reported_together() {
    let mut parts = Machine::builder();
    let block = parts.body(Body::translating(["x", "v"], 0.0));
    parts.connect("x", block, block, -1.0, 0.0);
    parts.contact("belt", End::GROUND, End::GROUND.through(0.0), f64::NAN);
    let text = parts.build().unwrap_err().to_string();
    for said in [
        "mass or inertia 0",
        "already a column `x`",
        "stiffness of `x` is -1",
        "`x` joins a part to itself",
        "load of contact `belt` is NaN",
        "`belt` is joined to no body",
        "an end of `belt` has the ratio 1 or 0",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
