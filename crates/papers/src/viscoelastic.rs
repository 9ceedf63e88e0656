//! 003: linear viscoelastic rheological FrBD models.
use crate::course::{Course, at, of, with};
use crate::frbd::{lag_area, lag_loops, last_period};
use crate::plot::{histories, time};
use crate::reference::{Reference, number};
use crate::{Experiment, Findings, Found, Setting};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::viscoelastic::Maxwell;
use bristle_kernel::{AnyBristle, Bristle, Drive, Update};
use bristle_scenario::Scenario;
use std::f64::consts::PI;
use std::sync::LazyLock;

pub static REFERENCE: LazyLock<Reference> =
    LazyLock::new(|| Reference::read(include_str!("../data/viscoelastic/scalars.csv")));

pub const LAG: &str = include_str!("../scenarios/viscoelastic-lag.toml");
pub const KELVIN_VOIGT: &str = include_str!("../scenarios/lag.toml");
pub const REVERSAL: &str = include_str!("../scenarios/viscoelastic-reversal.toml");
pub const RELAXATION: &str = include_str!("../scenarios/viscoelastic-relaxation.toml");
pub const ARM: &str = include_str!("../scenarios/arm.toml");
pub const ARM_ALONE: &str = include_str!("../scenarios/arm-uncompensated.toml");

/// The figures of the paper, and what it says of the models.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment { paper: "003", place: "Sec. II", title: "forms of a solid", run: section_2 },
    Experiment {
        paper: "003",
        place: "Sec. III",
        title: "bristles that turn back",
        run: section_3,
    },
    Experiment { paper: "003", place: "Fig. 3", title: "frictional lag", run: figure_3 },
    Experiment { paper: "003", place: "Fig. 4", title: "relaxation", run: figure_4 },
    Experiment {
        paper: "003",
        place: "Sec. IV-B",
        title: "robot arm with a friction observer",
        run: arm,
    },
];

/// (3)-(5): the same solid by Maxwell's branches, Kelvin's elements and a differential equation.
fn section_2(how: Setting) -> Result<Findings, String> {
    let list = |x: [f64; 3]| x.into_iter().collect();
    let maxwell = Maxwell { k0: 1e4, k: list([1e4, 2e4, 3e4]), tau: list([1.0, 0.1, 0.01]) };
    let voigt = maxwell.to_kelvin_voigt().map_err(|e| e.to_string())?;
    let form = maxwell.to_differential().map_err(|e| e.to_string())?;
    let mut found = Findings::default();
    for model in REFERENCE.models("prony_n3") {
        found.compare(&REFERENCE, "prony_n3", model, how.allowed, |quantity| {
            let k: usize =
                quantity.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            let value = match quantity {
                "K0" => Some(&voigt.k0),
                q if q.starts_with("gamma_") => form.gamma.get(k),
                q if q.starts_with("sigma_") => form.sigma.get(k),
                q if q.starts_with('K') => voigt.k.get(k.checked_sub(1)?),
                q if q.starts_with('C') => voigt.c.get(k.checked_sub(1)?),
                _ => None,
            };
            Some((*value?).into())
        });
    }
    Ok(found)
}

/// `FrBD3-GM` has two branches; `FrBD4-GKV` three, converted from Maxwell's.
pub fn reversal(how: Setting, model: &str) -> Result<Scenario, String> {
    let (order, rheology) = model[4..].split_once('-').ok_or("a model has an order")?;
    let branches = order.parse::<usize>().map_err(|e| e.to_string())? - 1;
    let list = |all: [f64; 3]| format!("{:?}", &all[..branches]);
    let (k, tau) = (list([1e4, 2e4, 3e4]), list([1.0, 0.1, 0.01]));
    let mut scenario = with(REVERSAL, how, &[("friction.k", &k), ("friction.tau", &tau)])?;
    if let ("GKV", AnyBristle::FrbdGm(gm)) = (rheology, &scenario.friction) {
        scenario.friction = AnyBristle::FrbdGkv(gm.to_gkv().map_err(|e| e.to_string())?);
    }
    Ok(scenario)
}

/// v = 0.02 sin 10πt: both rheologies, one to four orders, and the way to Kelvin and Voigt's bristle.
fn section_3(how: Setting) -> Result<Findings, String> {
    let mut found = Findings::default();
    let mut runs = Vec::new();
    for model in REFERENCE.models("visco_reversal_5Hz") {
        let course = Course::run(&reversal(how, model)?, &[])?;
        found.compare(&REFERENCE, "visco_reversal_5Hz", model, how.allowed, |q| {
            reversed(&course, q)
        });
        runs.push((model, course));
    }
    for model in REFERENCE.models("KV_limit") {
        found.compare(&REFERENCE, "KV_limit", model, how.allowed, |quantity| {
            let scenario = match number(quantity, "k1=") {
                Some(k1) => towards_kelvin_voigt(how, k1),
                None => kelvin_voigt(how),
            };
            Some(Course::run(&scenario.ok()?, &[]).ok()?.value("F", 0.13).into())
        });
    }
    let drawn: Vec<_> = runs.iter().filter(|r| r.0.ends_with("GM")).map(|(n, c)| (*n, c)).collect();
    found
        .figures
        .push(histories(&drawn, &[("v_rel", "velocity v", "m/s"), ("F", "force p f", "N")]));
    Ok(found)
}

fn reversed(c: &Course, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    Some(match quantity {
        q if q.starts_with("f_t=") => at(c, "F", t?),
        q if q.starts_with("z_t=") => at(c, "z", t?),
        "int_f_v_dt_1s" => c.account(0.0, 1.0)?.work.into(),
        "dissipation_1s" => c.account(0.0, 1.0)?.dissipated.into(),
        "storage_V(1s)" => c.stored(1.0).into(),
        "min_f*v_on_2ms_grid" => {
            let power = |k: i32| {
                let t = 0.002 * f64::from(k);
                c.value("F", t) * c.value("v_rel", t)
            };
            (0..=500).map(power).fold(f64::INFINITY, f64::min).into()
        }
        _ => return None,
    })
}

/// The Kelvin-Voigt bristle with σ₀ = 1e4 and σ₁ = 64.5, v = 0.02 sin 10πt.
fn kelvin_voigt(how: Setting) -> Result<Scenario, String> {
    let settings = [
        ("friction.law.viscous", "0"),
        ("system.drive.mean", "0"),
        ("system.drive.amplitude", "0.02"),
        ("system.drive.frequency", "5"),
        ("run.end", "0.13"),
    ];
    with(KELVIN_VOIGT, how, &settings)
}

/// A Maxwell branch that becomes its dashpot: τ₁(k₀ + k₁) = σ₁, k₁ → ∞.
fn towards_kelvin_voigt(how: Setting, k1: f64) -> Result<Scenario, String> {
    let (k, tau) = (format!("[{k1:e}]"), format!("[{:e}]", 64.5 / (1e4 + k1)));
    with(REVERSAL, how, &[("friction.k", &k), ("friction.tau", &tau), ("run.end", "0.13")])
}

/// `FrBD2-GM_swapped(k0=54500;k1=1e4)_mu(25)`: the stiffnesses, and how the law is read.
pub fn lagging(how: Setting, model: &str, frequency: f64) -> Result<Course, String> {
    let (k0, k) = if model.contains("swapped") { ("54500", "[1e4]") } else { ("1e4", "[54500]") };
    let reading = if model.ends_with("mu(25)") { "factor" } else { "power" };
    let hertz = frequency.to_string();
    let settings = [
        ("friction.k0", k0),
        ("friction.k", k),
        ("friction.law.reading", reading),
        ("system.drive.frequency", &hertz),
    ];
    Course::run(&with(LAG, how, &settings)?, &[1.0 - 1.0 / frequency])
}

fn figure_3(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![
            "The velocity is not printed: v = 0.015 + 0.014 sin 2πft m/s here. σ₀ = k̄₁ in the text is k̄₀; \
             both are compared. Exponents are read as in (5) of 000 and as printed in (25).",
            "That loops become broader with frequency is not reproduced with the right k₀ on this velocity: \
             trends depend on it.",
        ],
        ..Findings::default()
    };
    let mut runs = Vec::new();
    for frequency in [25.0, 50.0] {
        let experiment = format!("lag_{frequency}Hz");
        for model in REFERENCE.models(&experiment) {
            let course = lagging(how, model, frequency)?;
            found.compare(&REFERENCE, &experiment, model, how.allowed, |q| {
                lag(&course, frequency, q)
            });
            if model == SHOWN {
                runs.push((format!("{frequency} Hz"), frequency, course));
            }
        }
    }
    runs.push(("100 Hz".into(), 100.0, lagging(how, SHOWN, 100.0)?));
    let panel = lag_loops(runs.iter().map(|(name, f, course)| (name.as_str(), *f, course)));
    found.figures.push(Figure::grid(1, [panel]));
    Ok(found)
}

/// The model that is drawn: σ₀ = k₀, and (5) of 000.
const SHOWN: &str = "FrBD2-GM_k0=1e4;k1=54500_mu(5)";

fn lag(c: &Course, frequency: f64, quantity: &str) -> Option<Found> {
    Some(match quantity {
        "f_max" => of(c, "F", last_period(c, frequency).max),
        "f_min" => of(c, "F", last_period(c, frequency).min),
        "loop_area_int_f_dv" => lag_area(c, frequency).into(),
        "loop_width_f_up-f_down_at_v=0.02" => {
            // 0.015 + 0.014 sin 2πft = 0.02
            let up = (5.0 / 14.0f64).asin() / (2.0 * PI * frequency);
            let (from, down) = (1.0 - 1.0 / frequency, 0.5 / frequency - up);
            of(c, "F", c.value("F", from + up) - c.value("F", from + down))
        }
        _ => return None,
    })
}

/// The bristle of a row such as `FrBD3-GM_A:k_i=k0=1e4_mu(5)` or `FrBD4-GM_k=(1e4;2e4;3e4)_mu(5)`.
fn relaxing(how: Setting, model: &str) -> Result<AnyBristle<f64>, String> {
    let order =
        model.get(4..5).and_then(|n| n.parse::<usize>().ok()).ok_or("a model has an order")?;
    let k = if model.contains("2e4") { [1e4, 2e4, 3e4] } else { [1e4; 3] };
    let list = |all: [f64; 3]| format!("{:?}", &all[..order - 1]);
    let (k, tau) = (list(k), list([1.0, 0.1, 0.01]));
    let settings = [("friction.k", k.as_str()), ("friction.tau", &tau), ("figure.panels", "[]")];
    Ok(with(RELAXATION, how, &settings)?.friction)
}

/// The force per unit load after `t` seconds at 0.01 m/s from rest: one exact step.
fn relaxed(m: &AnyBristle<f64>, t: f64) -> f64 {
    let at = Drive::new(0.01, 1.0);
    let mut z = vec![0.0; m.states()];
    m.step(Update::Exponential, &at, t, &mut z);
    let mut dz = z.clone();
    m.eval(&at, &z, &mut dz)
}

fn figure_4(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![
            "The k_i are not printed; ours are k_i = k₀ = 1e4. τ₁ = 1 with Table I's σ₁ would need a \
             negative stiffness.",
        ],
        ..Findings::default()
    };
    let times: Vec<f64> =
        (0..=300).map(|k| 10f64.powf(-4.0 + 5.0 * f64::from(k) / 300.0)).collect();
    let axes = Panel::new(time().log(), Axis::new("force f", "1"));
    let mut panel = axes;
    for model in REFERENCE.models("relaxation_v=0.01") {
        let m = relaxing(how, model)?;
        let settled = m.steady(&Drive::new(0.01, 1.0), &mut vec![0.0; m.states()]);
        found.compare(&REFERENCE, "relaxation_v=0.01", model, how.allowed, |quantity| {
            if quantity.starts_with("f_t=") {
                return Some(relaxed(&m, number(quantity, "t=")?).into());
            }
            if let Some(share) = number(quantity, "t_reach_") {
                return Some(reach(|t| relaxed(&m, t) - share * settled).into());
            }
            // The slowest mode: what is left of the transient when all others have died out, while
            // rounding does not tell.
            let (a, b) = if m.states() == 1 { (0.1, 0.2) } else { (10.0, 20.0) };
            let left = |t| (settled - relaxed(&m, t)).abs().ln();
            Some(((left(b) - left(a)) / (b - a)).into())
        });
        if model.contains("_A:") {
            let forces: Vec<f64> = times.iter().map(|t| relaxed(&m, *t)).collect();
            panel = panel.with(Series::new(&model[..8], times.clone(), forces));
        }
    }
    found.figures.push(Figure::grid(1, [panel]));
    Ok(found)
}

/// Where a function that is negative at first passes zero.
fn reach(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        *if f(middle) < 0.0 { &mut low } else { &mut high } = middle;
    }
    high
}

fn arm(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec!["The paper prints no numbers: inertia, gains and the course are ours."],
        ..Findings::default()
    };
    let mut runs = Vec::new();
    for (model, text, name) in
        [("comp", ARM, "compensated"), ("nocomp", ARM_ALONE, "not compensated")]
    {
        let course = Course::run(&with(text, how, &[])?, &[4.0, 16.0])?;
        found
            .compare(&REFERENCE, "robot_arm_FrBD3-GM", model, how.allowed, |q| arm_row(&course, q));
        runs.push((name, course));
    }
    let drawn: Vec<_> = runs.iter().map(|(name, course)| (*name, course)).collect();
    found.figures.push(histories(
        &drawn,
        &[("q", "angle q", "rad"), ("q_err", "error q − q_{ref}", "rad"), ("U", "torque U", "N·m")],
    ));
    Ok(found)
}

fn arm_row(c: &Course, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    let force = "F_joint";
    let rms = |column: &str, from: f64| {
        let k = c.column(column);
        let mean = c.integral(from, from + 4.0, |_, row| row[k] * row[k]) / 4.0;
        of(c, column, mean.sqrt())
    };
    Some(match quantity {
        q if q.starts_with("q_err_t=") => at(c, "q_err", t?),
        q if q.starts_with("F_friction_t=") => at(c, force, t?),
        q if q.starts_with("lyapunov_W_t=") => {
            Found { values: vec![lyapunov(c, t?)], amplitude: lyapunov(c, 0.0) }
        }
        "rms_err_first_period_rad" => rms("q_err", 0.0),
        "rms_err_last_period_rad" => rms("q_err", 16.0),
        "rms_U_last_period_Nm" => rms("U", 16.0),
        "int_s2_0_20s" => {
            let s = c.column("s");
            c.integral(0.0, 20.0, |_, row| row[s] * row[s]).into()
        }
        "max_abs_err_last_period_rad" => {
            let found = c.extreme("q_err", 16.0, 20.0);
            of(c, "q_err", found.max.max(-found.min))
        }
        "n_velocity_sign_changes" => (c.crossings("dq", 0.0).len() as f64).into(),
        _ => return None,
    })
}

/// What falls along every run of (29): ½ J s² + (rp/k₂) V(z̃, f̃), with V of (16) and the observer's errors
/// z̃ = z − ẑ, f̃ = f − f̂.
fn lyapunov(c: &Course, t: f64) -> f64 {
    let (inertia, load, k2) = (0.5, 2.0, 0.01);
    let error =
        |name: &str| c.value(&format!("{name}_joint"), t) - c.value(&format!("{name}_observer"), t);
    let branch = |name: &str, k: f64| 0.5 * error(name).powi(2) / k;
    let stored = 0.5 * 1e4 * error("z").powi(2) + branch("f1", 1e4) + branch("f2", 2e4);
    0.5 * inertia * c.value("s", t).powi(2) + load / k2 * stored
}
