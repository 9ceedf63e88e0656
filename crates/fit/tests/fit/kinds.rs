//! Logs of every kind, integrated here by small steps of Runge and Kutta, apart from the program: the truth is found again,
//! or what the log does not tell is named.
use bristle_fit::file::Job;
use bristle_fit::report::{self, Outcome};
use bristle_fit::{Fitted, Standing, fit};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

const TAU: f64 = std::f64::consts::TAU;

/// Normal numbers, by a linear congruence and sums of twelve.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn normal(&mut self, level: f64) -> f64 {
        level * ((0..12).map(|_| self.uniform()).sum::<f64>() - 6.0)
    }
}

/// Carries `y` from 0 to `end`, telling it every `dt`, in steps of `dt/parts`.
fn integrate<const N: usize>(
    end: f64,
    dt: f64,
    parts: usize,
    mut y: [f64; N],
    rate: impl Fn(f64, &[f64; N]) -> [f64; N],
    mut tell: impl FnMut(f64, &[f64; N]),
) {
    let h = dt / parts as f64;
    let moved = |y: &[f64; N], d: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * d[i]);
    for k in 0..=(end / dt).round() as usize {
        tell(k as f64 * dt, &y);
        for i in 0..parts {
            let t = k as f64 * dt + i as f64 * h;
            let a = rate(t, &y);
            let b = rate(t + 0.5 * h, &moved(&y, &a, 0.5 * h));
            let c = rate(t + 0.5 * h, &moved(&y, &b, 0.5 * h));
            let d = rate(t + h, &moved(&y, &c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
    }
}

/// Position and velocity: pre-sliding that grows, then strokes with a fast oscillation over them.
fn motion(t: f64) -> [f64; 2] {
    let parts = [(1.5e-5, 4.0, 0.0, 2.0), (8e-3, 0.7, 2.0, 1.0), (2e-4, 9.0, 2.5, 0.5)];
    let mut sum = [0.0; 2];
    for (a, f, from, over) in parts {
        let s = ((t - from) / over).clamp(0.0, 1.0);
        let (swell, grows) = (s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / over);
        let (sin, cos) = (TAU * f * (t - from)).sin_cos();
        sum[0] += a * swell * sin;
        sum[1] += a * (grows * sin + swell * TAU * f * cos);
    }
    sum
}

const LEVEL: [f64; 3] = [0.25, 0.38, 0.01];

fn level(v: f64) -> f64 {
    let [mu_d, mu_s, v_s] = LEVEL;
    mu_d + (mu_s - mu_d) * (-(v / v_s).powi(2)).exp()
}

const LAW: [(&str, f64); 3] = [("mu_d", LEVEL[0]), ("mu_s", LEVEL[1]), ("v_s", LEVEL[2])];

/// What a log of an element is made of.
struct Made<'a> {
    /// The model, and the truth.
    model: &'a str,
    truth: Vec<(&'a str, f64)>,
    load: fn(f64) -> f64,
    /// Where the body is at a time, and how fast.
    motion: fn(f64) -> [f64; 2],
    /// The force is measured so late, s.
    late: f64,
    /// How many samples of a hundred are far out.
    far: f64,
    /// Further lines of the file.
    more: &'a str,
}

/// z′ and the force over the load.
type Law = fn(z: f64, v: f64) -> [f64; 2];

fn lugre(z: f64, v: f64) -> [f64; 2] {
    let (sigma0, sigma1, viscous) = (2e4, 60.0, 0.5);
    let rate = v - sigma0 * v.abs() / level(v) * z;
    [rate, sigma0 * z + sigma1 * rate + viscous * v]
}

fn frbd(z: f64, v: f64) -> [f64; 2] {
    let (sigma0, sigma1, viscous) = (2e4, 60.0, 0.5);
    let mu = level(v) + viscous * v.abs();
    let rate = (mu * v - sigma0 * v.abs() * z) / (sigma1 * v.abs() + mu);
    [rate, sigma0 * z + sigma1 * rate]
}

const SIX: [(&str, f64); 3] = [("sigma0", 2e4), ("sigma1", 60.0), ("viscous", 0.5)];

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bristle-kinds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn fitted(name: &str, log: &str, text: &str) -> (Job, Outcome) {
    let folder = folder();
    std::fs::write(folder.join(format!("{name}.csv")), log).unwrap();
    let job = Job::read(text, &folder).unwrap();
    let subject = job.subject(&job.model).unwrap();
    let fitted: Fitted =
        fit(subject.experiment(), &job.options, &mut |_| ControlFlow::Continue(())).unwrap();
    let outcome = Outcome { model: job.model.clone(), subject, fitted, seconds: 0.0 };
    (job, outcome)
}

fn element(name: &str, law: Law, made: &Made<'_>) -> (Job, Outcome) {
    let mut noise = Noise(11);
    let mut log = String::from("t [s],x [m],N [N],F [N]\n");
    let mut before = Vec::new();
    let lag = (made.late / 2e-4).round() as usize;
    // Five samples of 0.2 ms to a row.
    let mut row = 0;
    integrate(
        5.0,
        2e-4,
        20,
        [0.0],
        |t, z| [law(z[0], (made.motion)(t)[1])[0]],
        |t, z| {
            let [x, v] = (made.motion)(t);
            before.push((made.load)(t) * law(z[0], v)[1]);
            if row % 10 == 0 {
                let mut f = before[before.len().saturating_sub(1 + lag)] + noise.normal(0.3);
                if noise.uniform() < 0.01 * made.far {
                    f += noise.normal(10.0);
                }
                let x = (x / 1e-7).round() * 1e-7;
                let load = (made.load)(t) + noise.normal(0.1);
                writeln!(log, "{t:.4},{x:.7},{load:.4},{f:.4}").unwrap();
            }
            row += 1;
        },
    );
    let free: String = made.truth.iter().map(|(n, _)| format!("{n} = {{}}\n")).collect();
    let text = format!(
        "[[log]]\nfile = \"{name}.csv\"\n[friction]\nmodel = \"{}\"\n[free]\n{free}{}",
        made.model, made.more
    );
    fitted(name, &log, &text)
}

/// Every interval, half as wide again, holds the truth: that of 95 % misses one of twenty by chance.
fn holds(job: &Job, outcome: &Outcome, truth: &[(&str, f64)]) {
    let said = report::text(job, std::slice::from_ref(outcome));
    for (name, truth) in truth {
        let e = outcome.fitted.estimate(name).unwrap();
        let [a, b] = e.interval.unwrap_or_else(|| panic!("{name} has no interval\n{said}"));
        let more = 0.25 * (b - a);
        assert!(a - more < *truth && *truth < b + more, "{name}: {truth}\n{said}");
    }
}

fn plain<'a>(model: &'a str) -> Made<'a> {
    let truth = SIX.into_iter().chain(LAW).collect();
    Made { model, truth, load: |_| 50.0, motion, late: 0.0, far: 0.0, more: "" }
}

#[test]
fn of_frbd() {
    let made = plain("frbd");
    let (job, outcome) = element("frbd", frbd, &made);
    holds(&job, &outcome, &made.truth);
}

#[test]
fn under_a_load_that_varies() {
    let made = Made { load: |t| 50.0 + 20.0 * (TAU * 1.3 * t).sin(), ..plain("lugre") };
    let (job, outcome) = element("varying", lugre, &made);
    holds(&job, &outcome, &made.truth);
}

#[test]
fn with_samples_far_out() {
    let made = Made { far: 2.0, ..plain("lugre") };
    let (job, outcome) = element("outliers", lugre, &made);
    holds(&job, &outcome, &made.truth);
    assert!(outcome.fitted.remarks.iter().any(|r| r.contains("far out")));
}

#[test]
fn with_a_force_that_comes_late() {
    let mut made = Made { late: 1.4e-3, ..plain("lugre") };
    made.truth.push(("delay", 1.4e-3));
    let (job, outcome) = element("late", lugre, &made);
    holds(&job, &outcome, &made.truth);
}

/// Slow loops and slow strokes: σ₁ ż is far below the noise.
#[test]
fn without_a_motion_that_shows_sigma1() {
    fn slow(t: f64) -> [f64; 2] {
        let (a, w) = (1.5e-3, TAU * 0.4);
        let (b, u) = (1.2e-5, TAU * 0.9);
        let s = (0.5 * t).min(1.0);
        let (swell, grows) = (s * s, if t < 2.0 { s } else { 0.0 });
        [
            swell * (a * (w * t).sin() + b * (u * t).sin()),
            grows * (a * (w * t).sin() + b * (u * t).sin())
                + swell * (a * w * (w * t).cos() + b * u * (u * t).cos()),
        ]
    }
    fn soft(z: f64, v: f64) -> [f64; 2] {
        let (sigma0, sigma1) = (2e4, 0.05);
        let rate = v - sigma0 * v.abs() / level(v) * z;
        [rate, sigma0 * z + sigma1 * rate]
    }
    let truth = vec![("sigma0", 2e4), ("sigma1", 0.05), ("mu_d", 0.25), ("mu_s", 0.38)];
    let more = "[friction.law]\nv_s = 0.01\nviscous = 0.0\n";
    let made = Made { motion: slow, truth, more, ..plain("lugre") };
    let (job, outcome) = element("slow", soft, &made);
    let said = report::text(&job, std::slice::from_ref(&outcome));
    let sigma1 = outcome.fitted.estimate("sigma1").unwrap();
    assert!(sigma1.interval.is_none(), "{said}");
    assert!(matches!(sigma1.standing, Standing::Undetermined | Standing::AtBound(_)), "{said}");
    assert!(
        said.contains("sigma1 is not determined") || said.contains("sigma1 ended at"),
        "{said}"
    );
    holds(&job, &outcome, &[("sigma0", 2e4)]);
}

/// A law over four elements in parallel, each of which sticks or slips.
#[test]
fn of_elements_in_parallel() {
    let (k, alpha, attraction) = ([6e5, 2.5e5, 1e5, 5e4], [0.2, 0.25, 0.3, 0.25], 4000.0);
    let mut noise = Noise(5);
    let mut log = String::from("t [s],x [m],N [N],F [N]\n");
    let (h, load) = (4e-6, 50.0);
    let (mut f, mut slips, mut way) = ([0.0f64; 4], [false; 4], 1.0);
    for row in 0..=2500 {
        for i in 0..500 {
            let t = 2e-3 * f64::from(row) + h * f64::from(i);
            if i == 0 {
                let [x, v] = motion(t);
                let force = f.iter().sum::<f64>() + 0.5 * load * v + noise.normal(0.3);
                let x = (x / 1e-7).round() * 1e-7;
                writeln!(log, "{t:.4},{x:.7},{:.4},{force:.4}", load + noise.normal(0.1)).unwrap();
            }
            let v = motion(t + 0.5 * h)[1];
            let s = load * level(v);
            if v * way < 0.0 {
                (slips, way) = ([false; 4], v.signum());
            }
            for e in 0..4 {
                let top = alpha[e] * s;
                if !slips[e] {
                    f[e] += k[e] * v * h;
                    slips[e] = way * f[e] >= top;
                }
                if slips[e] {
                    let free = attraction * (alpha[e] - way * f[e] / s);
                    f[e] += way * free.min(k[e] * v.abs()) * h;
                }
            }
        }
    }
    let text = "[[log]]\nfile = \"gms.csv\"\n[friction]\nmodel = \"gms\"\n[free]\nk = {}\nalpha = {}\n\
                attraction = {}\nmu_d = {}\nmu_s = {}\nv_s = {}\nviscous = {}";
    let (job, outcome) = fitted("gms", &log, text);
    let mut truth = LAW.to_vec();
    truth.extend([("viscous", 0.5)]);
    for (i, name) in ["k[0]", "k[1]", "k[2]", "k[3]"].into_iter().enumerate() {
        truth.push((name, k[i]));
    }
    truth.extend([("alpha[0]", alpha[0]), ("alpha[1]", alpha[1]), ("alpha[2]", alpha[2])]);
    holds(&job, &outcome, &truth);
    // Shares sum to 1: the last one follows.
    assert!(outcome.fitted.estimate("alpha[3]").is_none());
    let set: toml::Table = report::set(&job, &outcome).parse().unwrap();
    let shares = set["friction"]["alpha"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|x| x.as_float().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12);
}

/// A geared pendulum under a voltage: friction grows with what the gear carries.
#[test]
fn of_a_pendulum_with_a_gear() {
    let (inertia, gravity, gain, back_emf) = (6e-3, 0.5, 0.2, 0.05);
    let (sigma0, sigma1, base, base_motor, base_external, viscous) =
        (30.0, 0.05, 0.03, 0.1, 0.15, 0.01);
    let volts = |t: f64| {
        let t = (t / 5e-3 + 1e-9).floor() * 5e-3;
        2.5 * (TAU * 0.4 * t).sin() + 1.5 * (TAU * 1.3 * t).sin() * (t / 2.0).min(1.0)
    };
    let rates = |t: f64, [q, v, z]: &[f64; 3]| {
        let (motor, external) = (gain * volts(t) - back_emf * v, -gravity * q.sin());
        let mu = base + (base_motor * motor - base_external * external).abs() + viscous * v.abs();
        let rate = (mu * v - sigma0 * v.abs() * z) / (sigma1 * v.abs() + mu);
        [*v, (motor + external - sigma0 * z - sigma1 * rate) / inertia, rate]
    };
    let mut noise = Noise(3);
    let mut log = String::from("t [s],u [V],q [rad]\n");
    integrate(6.0, 5e-3, 1000, [0.0; 3], rates, |t, [q, ..]| {
        let q = q + noise.normal(5e-4);
        writeln!(log, "{t:.4},{:.9},{q:.6}", volts(t)).unwrap();
    });
    let text = format!(
        "[[log]]\nfile = \"pendulum.csv\"\n[system]\nkind = \"joint\"\ngravity = {gravity}\ninertia = 0.004\n\
         gain = 0.3\n[friction]\nmodel = \"transmission\"\nsigma0 = {sigma0}\nsigma1 = {sigma1}\nstribeck = 0.0\n\
         [free]\ninertia = {{}}\ngain = {{}}\nback_emf = {{}}\nbase = {{}}\nbase_motor = {{}}\nbase_external = {{}}"
    );
    let text = text.replace("stribeck = 0.0", &format!("stribeck = 0.0\nviscous = {viscous}"));
    let (job, outcome) = fitted("pendulum", &log, &text);
    let truth = [
        ("inertia", inertia),
        ("gain", gain),
        ("back_emf", back_emf),
        ("base", base),
        ("base_motor", base_motor),
        ("base_external", base_external),
    ];
    holds(&job, &outcome, &truth);
}
