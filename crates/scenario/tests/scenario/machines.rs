//! Machines from files: they are what the builder makes, they run, and what is wrong with them is told at once.
use bristle_kernel::Start;
use bristle_kernel::bristle::Dry;
use bristle_kernel::law::Stribeck;
use bristle_machine::{AntiWindup, Body, Control, Damper, End, Machine, Sampled, Structure};
use bristle_scenario::machine::Scenario;
use bristle_scenario::{OnImbalance, Setting};
use bristle_simulation::{Run, Simulation};
use bristle_system::signal::MultiSine;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

fn read(text: &str, settings: &[Setting]) -> Scenario {
    Scenario::read(text, settings, &folder()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn run(scenario: &Scenario) -> Run {
    scenario.simulate(OnImbalance::Stop, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn refused(text: &str) -> String {
    Scenario::read(text, &[], &folder()).unwrap_err().to_string()
}

#[test]
fn a_machine_from_a_file_has_the_bits_of_the_builder() {
    let settings = [Setting::new("run.end", 0.5), Setting::new("run.spacing", 0)];
    let theirs = run(&read(&text("servo-sampled.toml"), &settings));
    let mut parts = Machine::builder();
    let slide = parts.body("slide", Body { mass: 95.1, ..Body::start(()) });
    parts.damper("guide", [slide, End::GROUND], Damper { damping: 203.5 });
    let law = Stribeck {
        mu_s: 0.13,
        mu_d: 0.102,
        v_s: 0.005,
        exponent: 2.0,
        viscous: 0.0,
        ..Stribeck::start(())
    };
    parts.contact("rail", [slide, End::GROUND], 200.0, Dry::start(law));
    let reference = MultiSine {
        amplitude: [0.05, 0.006].into_iter().collect(),
        frequency: [0.3, 1.9].into_iter().collect(),
        ..MultiSine::start(())
    };
    let control = Control {
        structure: Structure::Cascade,
        kx: 12.0,
        kp: 6000.0,
        ki: 6e4,
        limit: 150.0,
        anti_windup: AntiWindup::Hold,
        ..Control::start(())
    };
    let servo = parts.control("servo", slide, reference, control);
    parts.sample(servo, Sampled { period: 1e-3, delay: 1.0, ..Sampled::start(()) });
    let ours = Simulation::of(parts.build().unwrap()).run(0.5).unwrap();
    assert_eq!(ours.trace, theirs.trace);
    assert!(ours.trace.rows() > 500);
}

/// Every file of parts runs to its end, its books balance, and tolerances agree.
#[test]
fn every_machine_of_the_scenarios_runs() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml") && Scenario::is_one(&text(name)))
        .collect();
    names.sort();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let run = run(&read(&text(&name), &[]));
        let agreed = run.agreement.as_ref().unwrap();
        assert!(run.imbalance.is_none() && agreed.by.part < 1e-5, "{name}: {agreed:?}");
    }
}

/// Any model in any contact; parameters that it does not have are left out with a note.
#[test]
fn another_friction_model_leaves_out_what_it_does_not_have() {
    let file = text("servo.toml");
    assert!(file.contains("sigma0"));
    for model in ["lugre", "frbd", "implicit", "dry", "dahl", "static"] {
        let settings = [Setting::new("friction.model", model), Setting::new("run.end", 0.2)];
        let scenario = read(&file, &settings);
        let fits = ["lugre", "frbd", "implicit"].contains(&model);
        assert_eq!(scenario.left_out.is_empty(), fits, "{model}");
        run(&scenario);
    }
    let settings = [Setting::new("friction.model", "dry")];
    let panels = file.replace("[\"F_rail\"]", "[\"F_rail\", \"z_rail\"]");
    let left_out = read(&panels, &settings).left_out.join("\n");
    assert!(left_out.contains("sigma0") && left_out.contains("z_rail"), "{left_out}");
}

const AXIS: &str = "
[[body]]
name = \"slide\"
mass = 2.0
[[contact]]
name = \"rail\"
between = [\"slide\", \"ground\"]
load = 4.0
[friction]
model = \"dry\"
law = { mu_s = 0.3, mu_d = 0.2, v_s = 0.01 }
[run]
end = 1.0
";

/// A log in its own unit, replayed as a force; the position that it holds is compared with.
#[test]
fn a_log_is_replayed_and_compared_with() {
    let folder = std::env::temp_dir().join(format!("bristle-log-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // 6 N forward against 0.8 N of sliding friction: x = 1.3 t² m.
    let log: String = (0..=20)
        .map(|k| 0.05 * f64::from(k))
        .map(|t| format!("{},0.006,{}\n", 1e3 * t, 1300.0 * t * t))
        .collect();
    std::fs::write(folder.join("log.csv"), format!("time [ms],push [kN],x [mm]\n{log}")).unwrap();
    let parts = "
[[force]]
name = \"push\"
on = \"slide\"
force = { file = \"log.csv\", column = \"push\", time = \"time\", interpolation = \"cubic\" }
[[measured]]
name = \"x_log\"
file = \"log.csv\"
column = \"x\"
time = \"time\"
beside = \"x_slide\"
[figure]
panels = [[\"x_slide\", \"x_log\"]]
";
    let file = AXIS.replace("viscous", "") + parts;
    let file = file.replace("v_s = 0.01 }", "v_s = 0.01, exponent = 2.0, viscous = 0.0 }");
    let scenario = Scenario::read(&file, &[], &folder).unwrap_or_else(|e| panic!("{e}"));
    let run = run(&scenario);
    let x = *run.trace.column("x_slide").unwrap().values.last().unwrap();
    assert!((x - 1.3).abs() < 1e-3, "{x}");
    let own = scenario.measured[0].deviation(&run.trace).unwrap();
    assert_eq!((own.samples, scenario.measured[0].unit.as_str()), (21, "m"));
    assert!(own.rms < 1e-3 && own.greatest < 1.2e-3, "{own:?}");
    let wrong = file
        .replace("column = \"x\"", "column = \"y\"")
        .replace("beside = \"x_slide\"", "beside = \"F_rail\"");
    let told = Scenario::read(&wrong, &[], &folder).unwrap_err().to_string();
    assert!(told.contains("measured[0].column: there is no `y` in log.csv"), "{told}");
    let wrong = file.replace("beside = \"x_slide\"", "beside = \"F_rail\"");
    let told = Scenario::read(&wrong, &[], &folder).unwrap_err().to_string();
    assert!(told.contains("is in mm, and N is wanted"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// All that is wrong with a machine stands in one answer: line, column, what and what to do.
#[test]
fn bad_machines_are_refused_with_all_their_faults() {
    let file = "
[[body]]
name = \"a\"
mass = 0.0
[[body]]
name = \"loose\"
mass = 1.0
[[body]]
name = \"wheel\"
inertia = 1.0
[[body]]
name = \"disc\"
inertia = 1.0
[[gear]]
name = \"one\"
between = [\"wheel\", \"disc\"]
ratio = 2.0
[[gear]]
name = \"two\"
between = [\"disc\", \"wheel\"]
ratio = 3.0
[[spring]]
name = \"s\"
between = [\"a\", \"wheel\"]
stiffness = 10.0
[[damper]]
name = \"d\"
between = [\"a\", \"whel\"]
damping = -1.0
[[contact]]
name = \"rub\"
between = [\"a\", \"ground\"]
load = { base = 1.0, of = \"motor\", coefficient = 0.1 }
[[force]]
name = \"f\"
on = \"wheel\"
force = 1.0
[[sensor]]
name = \"seen\"
of = \"x_b\"
[friction]
model = \"dri\"
[run]
end = 1.0
";
    let told = refused(file);
    for expected in [
        "line 4, column 1: body: mass = 0 kg is outside (0, inf)",
        "line 6, column 1: body[1].name: `loose` is loose",
        "closes a loop of rigid gears",
        "line 24, column 1: spring[0].between: `s` joins m to rad: give the radius of the pinion",
        "there is no body or motion `whel`; did you mean `wheel`?",
        "damping = -1 N*s/m or N*m*s/rad is outside [0, inf)",
        "there is no connection, force or controller `motor`",
        "write torque = …",
        "`seen` shows `x_b`, which is no column of the machine",
        "friction.model = \"dri\" is not a model; did you mean `dry`?",
    ] {
        assert!(told.contains(expected), "{expected} is missing from:\n{told}");
    }
    let loop_of_its_own = "
[[control]]
name = \"servo\"
on = \"slide\"
structure = \"passivity\"
observer_load = { base = 1.0, of = \"servo\", coefficient = 0.1 }
observer = { model = \"frbd\" }
";
    let told = refused(&(AXIS.to_owned() + loop_of_its_own));
    assert!(told.contains("an algebraic loop; take the force of a connection"), "{told}");
    let own = AXIS.replace("load = 4.0", "load = 4.0\nfriction = { model = \"dry\" }");
    assert!(refused(&own).contains("friction: no contact takes it"), "{}", refused(&own));
}

/// A load may follow any force, wherever it stands in the file: here 0.1 of a push and of what it differs from a spring's.
#[test]
fn loads_follow_forces_of_any_part() {
    let parts = "
[[force]]
name = \"push\"
on = \"slide\"
force = 6.0
[[spring]]
name = \"wall\"
between = [\"slide\", \"ground\"]
stiffness = 50.0
";
    let load = "load = { base = 4.0, pressed = [{ of = \"push\", driving = 0.1, driven = 0.3 }, \
                { of = [\"push\", \"wall\"], weights = [1.0, -2.0], coefficient = 0.2 }] }";
    let law = "v_s = 0.01, exponent = 2.0, viscous = 0.0 }";
    let file = AXIS.replace("load = 4.0", load).replace("v_s = 0.01 }", law) + parts;
    let run = run(&read(&file, &[]));
    let n = &run.trace.column("N_rail").unwrap().values;
    let v = &run.trace.column("v_slide").unwrap().values;
    let spring = &run.trace.column("F_wall").unwrap().values;
    assert!((n[0] - (4.0 + 0.6 + 1.2)).abs() < 1e-12, "{}", n[0]);
    for k in (0..n.len()).filter(|k| v[*k].abs() > 1e-6) {
        let own = if v[k] > 0.0 { 0.6 } else { 1.8 };
        let expected = 4.0 + own + 0.2 * (6.0 - 2.0 * spring[k]).abs();
        assert!((n[k] - expected).abs() < 1e-9, "{} and {expected}", n[k]);
    }
}
