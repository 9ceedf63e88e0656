//! Line contacts from files: the heterogeneous example against steps of its own, and what is refused.
use bristle_scenario::Setting;
use bristle_scenario::line::Scenario;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn read(file: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    let settings: Vec<Setting> = settings.iter().map(|(k, v)| Setting::typed(*k, v)).collect();
    Scenario::read(&text, &settings, &folder()).map_err(|e| e.to_string())
}

/// Columns of the example's table, as text.
fn table() -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder().join("line-heterogeneous.csv")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .skip(1)
        .map(|l| l.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    (0..rows[0].len()).map(|k| rows.iter().map(|r| r[k]).collect()).collect()
}

fn between(x: &[f64], y: &[f64], at: f64) -> f64 {
    let k = (1..x.len() - 1).find(|k| at < x[*k]).unwrap_or(x.len() - 1);
    y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1])
}

/// No bristle stays longer than this, s.
const PASSAGE: f64 = 0.0052;

/// Places move by dξ/dt = V(ξ), deflections by 000 (14a) with the numbers of Table I: Runge and Kutta's steps from where
/// a bristle was at t = 0, or from the edge, and the trapezium rule over what is inside at the end.
fn by_steps(end: f64) -> f64 {
    let t = table();
    let along = |k: usize, xi: f64| between(&t[0], &t[k], xi.clamp(0.0, 1.0));
    let slip = |time: f64| if time < 0.006 { 1.0 } else { -0.5 };
    let rate = |y: [f64; 2], v: f64| {
        let [xi, z] = y;
        let (s0, s1, mu_s) = (along(3, xi), along(4, xi), along(5, xi));
        let mu = 0.2 + (mu_s - 0.2) * (-(v / 10.0).powi(2)).exp() + 0.0018 * v.abs();
        let g = s1 * v.abs() + mu;
        [along(1, xi), (mu * v - s0 * v.abs() * z) / g]
    };
    let follow = |start: [f64; 2], from: f64| {
        let mut y = start;
        let mut time = from;
        while time < end - 1e-12 {
            // Steps end where the slip jumps.
            let stop = if time < 0.006 - 1e-12 { end.min(0.006) } else { end };
            let h = (stop - time).min(5e-6);
            let v = slip(time + 0.5 * h);
            let ahead = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
            let k1 = rate(y, v);
            let k2 = rate(ahead(k1, 0.5 * h), v);
            let k3 = rate(ahead(k2, 0.5 * h), v);
            let k4 = rate(ahead(k3, h), v);
            for i in 0..2 {
                y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
            }
            time += h;
        }
        y
    };
    let count = 800;
    // From the oldest bristle to the youngest: those that were there, then those that entered.
    let part = |k: i32| f64::from(k) / f64::from(count);
    let there = (0..=count).rev().map(|k| follow([part(k), along(6, part(k))], 0.0));
    let first = f64::max(end - PASSAGE, 0.0);
    let there = there.take(if first == 0.0 { count as usize + 1 } else { 0 });
    let entered = (0..=count).map(|k| follow([0.0, 0.0], first + (end - first) * part(k)));
    let v = slip(end);
    let load = |y: [f64; 2]| {
        let f = along(3, y[0]) * y[1] + along(4, y[0]) * rate(y, v)[1];
        0.1 * along(2, y[0]) * f
    };
    let mut force = 0.0;
    let all: Vec<[f64; 2]> = there.chain(entered).collect();
    for pair in all.windows(2) {
        let ([mut a, mut z], [b, next]) = (pair[0], pair[1]);
        if b >= 1.0 {
            continue;
        }
        if a > 1.0 {
            (a, z) = (1.0, next + (z - next) * (1.0 - b) / (a - b));
        }
        force += 0.5 * (load([a, z]) + load(pair[1])) * (a - b);
    }
    force
}

#[test]
fn the_heterogeneous_example_is_what_plain_steps_give() {
    for end in [0.002, 0.005, 0.0085, 0.016] {
        let run = format!("{end}");
        let settings = [("run.end", run.as_str()), ("run.points", "2"), ("profile.t", "[]")];
        let scenario = read("line-heterogeneous.toml", &settings).unwrap();
        let moments = scenario.roll().unwrap();
        let (ours, steps) = (moments.last().unwrap().state, by_steps(end));
        assert!((ours.force - steps).abs() < 2e-4 * steps.abs(), "{end} s: {} {steps}", ours.force);
        assert!(ours.error <= 1e-6, "{:e}", ours.error);
    }
}

#[test]
fn jumps_have_two_rows_and_deflections_begin_as_given() {
    let scenario = read("line-heterogeneous.toml", &[]).unwrap();
    let moments = scenario.roll().unwrap();
    let at: Vec<f64> = moments.iter().filter(|m| m.t == 0.006).map(|m| m.v).collect();
    assert_eq!(at, [1.0, -0.5]);
    let profiles = scenario.look().unwrap();
    assert_eq!(profiles.iter().map(|p| p.t).collect::<Vec<_>>(), [0.0, 0.001, 0.004, 0.008, 0.016]);
    let t = table();
    for (xi, p, _, z) in &profiles[0].bristles {
        assert!((z[0] - between(&t[0], &t[6], *xi)).abs() < 1e-15, "z0 at {xi}");
        assert!((p - between(&t[0], &t[2], *xi)).abs() < 1e-14, "p at {xi}");
    }
}

/// The same line by lists, in metres, and a constant deflection.
#[test]
fn lists_in_the_file_are_as_good_as_a_table() {
    let lists = "[along]\nx = [0, 0.05, 0.1]\np = [1, 2, 1]\nsigma0 = [252, 200, 252]\nlaw.mu_s = [0.6, 0.7, 0.6]\n";
    let rest = "[line]\nlength = 0.1\n[friction]\nmodel = \"frbd\"\nset = \"frbd-table-1\"\n\
                [slip]\nvalue = 1\n[run]\nend = 0.004\npoints = 3\n";
    let scenario = Scenario::read(&format!("{lists}{rest}"), &[], Path::new("")).unwrap();
    assert_eq!(scenario.along.as_ref().unwrap().names, ["law.mu_s", "p", "sigma0"]);
    let load = scenario.roll().unwrap()[0].state.load;
    assert!((load - 0.15).abs() < 1e-12, "{load}");
    let setting = Setting::new("line.z0", 1e-4);
    let bent = Scenario::read(&format!("{lists}{rest}"), &[setting], Path::new("")).unwrap();
    let first = bent.roll().unwrap()[0].state.force;
    // ∫σ₀p dξ of 252 … 200 … 252 1/m under 1 … 2 … 1 N/m is 1004/3; σ₁ = 0.
    assert!((first - 0.1 * 1e-4 * 1004.0 / 3.0).abs() < 1e-9, "{first}");
}

/// A distance is a time: at constant rate and length s = L V t.
#[test]
fn profiles_are_found_by_time_and_by_distance() {
    let scenario = read("line-breathing.toml", &[]).unwrap();
    let times: Vec<f64> = scenario.look().unwrap().iter().map(|p| p.t).collect();
    for (t, expected) in times.iter().zip([0.0025, 0.0075, 0.025]) {
        assert!((t - expected).abs() < 1e-12, "{times:?}");
    }
    assert_eq!(times.len(), 3);
}

#[test]
fn what_is_wrong_along_the_line_is_told() {
    for (settings, fault) in [
        (
            &[("along", "{xi=[0, 0.5, 0.4, 1], p=[1, 1, 1, 1]}")][..],
            "along.xi = 0.4 must be greater than the place before, 0.5",
        ),
        (
            &[("along", "{xi=[0, 0.9], p=[1, 1]}")],
            "along.xi = 0 … 0.9 must be places from 0 to 1: cover the whole line",
        ),
        (
            &[("along", "{x=[0, 0.2], p=[1, 1]}")],
            "along.x = 0 … 0.2 m must be places from 0 to 0.1 m",
        ),
        (&[("along", "{p=[1, 1]}")], "along.xi is missing: give places from 0 to 1"),
        (
            &[("along", "{xi=[0, 1], p=[1, -1]}")],
            "along.p = -1 N/m must be in [0, inf) N/m at every point",
        ),
        (&[("along", "{xi=[0, 1], rate=[0, 200]}")], "along.rate = 0 1/s must be in (0, inf) 1/s"),
        (
            &[("along", "{xi=[0, 1], sigma0=[252, -1]}")],
            "along.sigma0 = -1 1/m must be in (0, inf) 1/m",
        ),
        (
            &[("along", "{xi=[0, 1], sigma0=[252]}")],
            "along.sigma0 = 1 numbers must be 2 numbers, one for each place",
        ),
        (
            &[("along", "{xi=[0, 1], sigma=[252, 1]}")],
            "`along` has no parameter `sigma`; did you mean `sigma0`?",
        ),
        (&[("along", "{xi=[0, 1], sigma0=3}")], "along.sigma0 = 3 must be a list of numbers"),
        (&[("along", "{xi=[0, 1], law.mu_s=[0.6, 0.1]}")], "mu_s"),
        (
            &[("along", "{file=\"none.csv\"}")],
            "along.file = \"none.csv\" must be a table that can be read",
        ),
        (
            &[("along", "{xi=[0, 1], p=[1, 2]}"), ("line.p0", "2")],
            "line.p0 = 2 must be absent: [along] says it",
        ),
        (
            &[("along", "{xi=[0, 1], rate=[1, 2]}"), ("line.rate_slope", "2")],
            "a rate changes in one way",
        ),
        (&[("length", "{model=\"steps\", t=[0, 0.001], value=[0.1, 0.2]}")], "without jumps"),
        (
            &[("length", "{model=\"sine\", mean=0.1, amplitude=0.05, frequency=2000}")],
            "slower than 2 L(0) V",
        ),
        (&[("length", "{model=\"points\", t=[0, 0.016], value=[0.1, -0.1]}")], "length = "),
        (&[("profile.t", "[0.5]")], "profile.t = 0.5 s must be at most run.end = 0.016 s"),
        (&[("profile.s", "[50]")], "profile.s = 50 m must be at most 0.32"),
        (
            &[("line.z0", "1e-4"), ("run.before", "steady")],
            "run.before = \"steady\" must be \"rest\"",
        ),
        (&[("line.z0", "1e-4"), ("friction.model", "frbd_gm")], "a model with one state"),
    ] {
        let text = std::fs::read_to_string(folder().join("line-step.toml")).unwrap();
        let mut list: Vec<Setting> = settings.iter().map(|(k, v)| Setting::typed(*k, v)).collect();
        let text = match list.iter().any(|s| s.key == "along" || s.key == "length") {
            true => text.replace("length = 0.1\nrate = 200.0\npressure = \"falling\"\n", ""),
            false => text,
        };
        if settings.iter().any(|(_, v)| *v == "frbd_gm") {
            list.push(Setting::new("friction.set", "none"));
        }
        let error = Scenario::read(&text, &list, &folder()).unwrap_err().to_string();
        assert!(error.contains(fault), "{settings:?}:\n{error}\nhas no\n{fault}");
    }
    // Units of a table.
    let made = std::env::temp_dir().join(format!("bristle-line-{}", std::process::id()));
    std::fs::create_dir_all(&made).unwrap();
    std::fs::write(made.join("t.csv"), "xi,sigma0 [N/m],p\n0,252,1\n1,252,1\n").unwrap();
    let text = std::fs::read_to_string(folder().join("line-heterogeneous.toml")).unwrap();
    let setting = [Setting::new("along.file", "t.csv")];
    let error = Scenario::read(&text, &setting, &made).unwrap_err().to_string();
    std::fs::remove_dir_all(&made).unwrap();
    assert!(
        error.contains("along.sigma0 = [N/m] must be in 1/m: head the column `sigma0 [1/m]`"),
        "{error}"
    );
    assert!(error.contains("along.p = [] must be in N/m"), "{error}");
}
