//! Whole trajectories of 000 and 003 at the reference's sample times, read off the dense output, at
//! default and at tight tolerance. Those of 002 are tested with the systems.
use crate::course::{Course, with};
use crate::viscoelastic::{lagging, reversal};
use crate::{Setting, frbd, viscoelastic};

/// The lines of a reference file, the column names first.
fn table(file: &str) -> Vec<Vec<String>> {
    bristle_reference::Table::of(file).whole()
}

const SETTINGS: [Setting; 2] = [Setting::USUAL, Setting::TIGHT];

/// Our name of a model of the reference files.
fn ours(model: &str) -> &'static str {
    if model == "LuGre" { "lugre" } else { "frbd" }
}

/// How many significant digits a number is printed with.
fn digits(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len()
}

/// Half a unit of the last of so many digits; 0 where numbers are printed with all they have.
fn rounding(value: f64, digits: usize) -> f64 {
    if digits < 9 || value == 0.0 {
        return 0.0;
    }
    0.5 * 10f64.powi(value.abs().log10().floor() as i32 + 1 - digits as i32)
}

/// Checks every column of a file but those `apart` to `allowed` of its greatest magnitude, beside
/// what printing rounds off: of the number, and of the time at which it is read.
fn check(file: &str, allowed: f64, read: impl Fn(&str, f64) -> f64, apart: &[&str]) {
    let lines = table(file);
    let (names, lines) = (&lines[0], &lines[1..]);
    assert!(lines.len() > 400, "{file}: {} lines", lines.len());
    let column = |k: usize| -> Vec<f64> { lines.iter().map(|l| l[k].parse().unwrap()).collect() };
    let printed = |k: usize| lines.iter().map(|l| digits(&l[k])).max().unwrap();
    let (times, time_digits) = (column(0), printed(0));
    for (k, name) in names.iter().enumerate().skip(1) {
        if apart.contains(&name.as_str()) {
            continue;
        }
        let (values, digits) = (column(k), printed(k));
        let amplitude = values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for (t, value) in times.iter().zip(values) {
            let ours = read(name, *t);
            let blur = match rounding(*t, time_digits) {
                0.0 => 0.0,
                dt => (read(name, t + dt) - read(name, t - dt)).abs(),
            };
            let limit = allowed * amplitude + rounding(value, digits) + blur;
            let error = (ours - value).abs();
            assert!(
                error <= limit,
                "{file} to {allowed:e}: {name}({t}) is {ours}, not {value}: {error:.1e} > {limit:.1e}"
            );
        }
    }
}

fn run(text: &str, how: Setting, settings: &[(&str, &str)]) -> Course {
    Course::run(&with(text, how, settings).unwrap(), &[]).unwrap()
}

/// Checks at both tolerances a file whose columns a run has under the names that `named` gives.
fn check_run(
    file: &str,
    run: impl Fn(Setting) -> Course,
    named: impl Fn(&str) -> String,
    apart: &[&str],
) {
    for how in SETTINGS {
        let course = run(how);
        check(file, how.allowed, |name, t| course.value(&named(name), t), apart);
    }
}

/// The force has many names.
fn column(name: &str) -> String {
    match name {
        "mu_b" | "F_b" | "f" => "F",
        name => name,
    }
    .to_owned()
}

#[test]
fn pre_sliding_follows_the_reference() {
    for (model, frequency) in [("FrBD1-KV", "1"), ("FrBD1-KV", "5"), ("LuGre", "1"), ("LuGre", "5")]
    {
        let settings = [("friction.model", ours(model)), ("system.drive.frequency", frequency)];
        let run = |how| run(frbd::PRESLIDING, how, &settings);
        check_run(&format!("frbd/presliding_{model}_{frequency}Hz.csv"), run, column, &[]);
    }
}

/// Over the last period before 1 s, when the run has become periodic.
fn check_lag(file: &str, frequency: f64, run: impl Fn(Setting) -> Course) {
    for how in SETTINGS {
        let course = run(how);
        let named = |name: &str| if name == "v" { "v_rel".to_owned() } else { column(name) };
        let read = |name: &str, t: f64| course.value(&named(name), 1.0 - 1.0 / frequency + t);
        check(file, how.allowed, read, &[]);
    }
}

#[test]
fn lag_follows_the_reference() {
    for (model, frequency) in
        [("FrBD1-KV", 25.0), ("FrBD1-KV", 50.0), ("LuGre", 25.0), ("LuGre", 50.0)]
    {
        let hertz = frequency.to_string();
        let settings = [("friction.model", ours(model)), ("system.drive.frequency", &hertz)];
        let run = |how| run(frbd::LAG, how, &settings);
        check_lag(&format!("frbd/lag_{frequency}Hz_{model}.csv"), frequency, run);
    }
    for (reading, frequency) in [("5", 25.0), ("25", 25.0), ("5", 50.0), ("25", 50.0)] {
        let model = format!("FrBD2-GM_k0=1e4;k1=54500_mu({reading})");
        let run = |how| lagging(how, &model, frequency).unwrap();
        check_lag(&format!("viscoelastic/lag_GM1_{frequency}Hz_mu{reading}.csv"), frequency, run);
    }
}

#[test]
fn stick_slip_follows_the_reference() {
    for model in ["FrBD1-KV", "LuGre"] {
        let settings = [("friction.model", ours(model))];
        let run = |how| run(frbd::STICK_SLIP, how, &settings);
        // y is where the end of the spring is, 0.1 t.
        check_run(&format!("frbd/stickslip_{model}.csv"), run, column, &["y"]);
    }
}

#[test]
fn the_valve_follows_the_reference() {
    for model in ["FrBD1-KV", "LuGre"] {
        let (file, settings) =
            (format!("frbd/valve_test1_{model}.csv"), [("friction.model", ours(model))]);
        for how in SETTINGS {
            let c = run(frbd::VALVE_RAMPS, how, &settings);
            let (force, v) = (c.column("F"), c.column("v"));
            // The work up to a time, over what was known of it before.
            let known = std::cell::Cell::new((0.0f64, 0.0f64));
            let work = |t: f64| {
                let (from, work) = known.get();
                let more = c.integral(from.min(t), from.max(t), |_, row| row[force] * row[v]);
                known.set((t, if t < from { work - more } else { work + more }));
                known.get().1
            };
            let read = |name: &str, t: f64| match name {
                "W" => work(t.clamp(0.0, 140.0)),
                name => c.value(&column(name), t),
            };
            check(&file, how.allowed, read, &[]);
        }
    }
}

#[test]
fn viscoelastic_bristles_follow_the_reference() {
    for model in ["FrBD1-GM", "FrBD1-GKV", "FrBD2-GM", "FrBD2-GKV", "FrBD3-GM", "FrBD4-GKV"] {
        for how in SETTINGS {
            let c = Course::run(&reversal(how, model).unwrap(), &[]).unwrap();
            let read = |name: &str, t: f64| match name {
                "V" => c.stored(t),
                "v" => c.value("v_rel", t),
                name => c.value(&column(name), t),
            };
            check(&format!("viscoelastic/visco_reversal_{model}.csv"), how.allowed, read, &[]);
        }
    }
}

#[test]
fn the_arm_follows_the_reference() {
    let joint = |name: &str| match name {
        "q" | "U" => name.to_owned(),
        "qd" => "dq".to_owned(),
        "Fhat" => "F_observer".to_owned(),
        name => match name.strip_suffix('h') {
            Some(name) => format!("{name}_observer"),
            None => format!("{name}_joint"),
        },
    };
    let compensated = |how| run(viscoelastic::ARM, how, &[]);
    check_run("viscoelastic/robot_comp.csv", compensated, joint, &[]);
    let alone = |how| run(viscoelastic::ARM_ALONE, how, &[]);
    // Without an observer its columns are empty.
    let apart = ["zh", "f1h", "f2h", "Fhat"];
    check_run("viscoelastic/robot_nocomp.csv", alone, joint, &apart);
}
