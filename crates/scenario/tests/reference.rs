//! Every reference row that a lumped run stands behind, at default and at tight tolerance, through
//! the scenario files.
mod course;
mod rows;
mod trajectories;

use bristle_kernel::{AnyBristle, Bristle};
use bristle_scenario::Scenario;
use course::{Course, scenario};
use rows::{Account, Found, number};
use std::f64::consts::PI;

/// Our name of a model of the reference files.
fn ours(model: &str) -> &str {
    match model {
        "FrBD1-KV" => "frbd",
        "LuGre" => "lugre",
        "static" => "static",
        "impl" => "implicit",
        "bm2" => "bristle2",
        _ => panic!("{model}"),
    }
}

/// The scenario `name` at a tolerance, with settings put over it.
fn with(name: &str, tolerance: f64, settings: &[(&str, &str)]) -> Scenario {
    let tolerance = tolerance.to_string();
    scenario(name, &[settings, &[("run.tolerance", tolerance.as_str())]].concat())
}

/// A value of a column, which may be near zero.
fn of(course: &Course, column: &str, value: f64) -> Found {
    Found { value, amplitude: course.amplitude(column) }
}

/// A column at an instant.
fn at(course: &Course, column: &str, t: f64) -> Found {
    of(course, column, course.value(column, t))
}

#[test]
fn numbers_of_000() {
    let elsewhere = [
        ("dist_", "", "", "a distributed contact"),
        ("frf_dist", "", "", "a distributed contact"),
        ("frf_lumped", "", "", "a linearisation: tested in the kernel"),
        ("lumped_closed_form", "", "", "an integral: tested in the kernel"),
    ];
    let mut account = Account::open("frbd", &elsewhere);
    for frequency in [1.0, 5.0] {
        let period = 1.0 / frequency;
        let run = |model: &str, tolerance| {
            let (hertz, end) = (frequency.to_string(), (20.0 * period).to_string());
            let settings = [
                ("friction.model", ours(model)),
                ("system.drive.frequency", &hertz),
                ("run.end", &end),
            ];
            Course::run(&with("presliding", tolerance, &settings), &[19.0 * period])
        };
        account.check(&format!("presliding_{frequency}Hz"), run, |c, _, quantity| {
            presliding(c, period, quantity)
        });
    }
    for frequency in [25.0, 50.0] {
        let run = |model: &str, tolerance| Lag::run(ours(model), frequency, tolerance);
        account.check(&format!("lag_{frequency}Hz"), run, |lag, _, quantity| lag.read(quantity));
    }
    let run = |model: &str, tolerance| {
        Course::run(&with("stick-slip", tolerance, &[("friction.model", ours(model))]), &[])
    };
    account.check("stickslip_60s", run, |c, _, quantity| stick_slip(c, quantity));
    let run = |model: &str, tolerance| {
        let settings = [("friction.model", ours(model))];
        Course::run(&with("valve-ramps", tolerance, &settings), &[])
    };
    account.check("valve_test1", run, |c, _, quantity| valve(c, quantity));
    let checked = [
        ("presliding_1Hz", 20),
        ("presliding_5Hz", 22),
        ("lag_25Hz", 10),
        ("lag_50Hz", 10),
        ("stickslip_60s", 32),
        ("valve_test1", 52),
    ];
    account.close(&checked);
}

/// 000 Fig. 5. The load is 1 N: μ_b is the force.
fn presliding(c: &Course, period: f64, quantity: &str) -> Option<Found> {
    let cycle = |column: &str| c.extreme(column, 19.0 * period, 20.0 * period);
    let turn = || c.crossings("v", 0.0)[0].0;
    Some(match quantity {
        "x_max_cycle20_m" => of(c, "x", cycle("x").max),
        "x_min_cycle20_m" => of(c, "x", cycle("x").min),
        "mu_b_max_cycle20" => of(c, "F", cycle("F").max),
        "mu_b_min_cycle20" => of(c, "F", cycle("F").min),
        "v_max_cycle20_mps" => of(c, "v", cycle("v").max),
        "loop_area_cycle20_J" => c.account(19.0 * period, 20.0 * period).work.into(),
        "first_cycle_x_at_first_v0" => at(c, "x", turn()),
        "time_first_v0_s" => turn().into(),
        "time_first_|v|=vS_s" => c.crossings("v", 0.01)[0].0.into(),
        "x_end_20T_m" => at(c, "x", c.end()),
        "z_end_20T_m" => at(c, "z", c.end()),
        _ => return None,
    })
}

/// 000 Fig. 6: frictional lag. The run is long enough to be periodic at its end.
struct Lag {
    course: Course,
    frequency: f64,
    /// By what the deflection differs after one period from that of a run which began 1e-4 m apart,
    /// relative to that: at given v the models are linear in z.
    multiplier: f64,
}

impl Lag {
    fn run(model: &str, frequency: f64, tolerance: f64) -> Self {
        let hertz = frequency.to_string();
        let settings = [("friction.model", model), ("system.drive.frequency", &hertz)];
        let period = 1.0 / frequency;
        let course = Course::run(&with("lag", tolerance, &settings), &[period, 1.0 - period]);
        let end = period.to_string();
        let apart = [&settings[..], &[("initial.z", "1e-4"), ("run.end", &end)]].concat();
        let other = Course::run(&with("lag", tolerance, &apart), &[]);
        let multiplier = (other.value("z", period) - course.value("z", period)) / 1e-4;
        Lag { course, frequency, multiplier }
    }

    fn read(&self, quantity: &str) -> Option<Found> {
        let c = &self.course;
        Some(match quantity {
            "z_periodic_at_t0_m" => at(c, "z", 1.0),
            "mu_b_max" => of(c, "F", last_period(c, self.frequency).max),
            "mu_b_min" => of(c, "F", last_period(c, self.frequency).min),
            "loop_area_int_mub_dv" => lag_area(c, self.frequency).into(),
            // What it multiplies is 1.
            "floquet_multiplier" => Found { value: self.multiplier, amplitude: 1.0 },
            _ => return None,
        })
    }
}

/// The extremes of the force over the last period before 1 s.
fn last_period(c: &Course, frequency: f64) -> bristle_trace::Extreme {
    c.extreme("F", 1.0 - 1.0 / frequency, 1.0)
}

/// ∮F dv over that period, v = 0.015 + 0.014 sin 2πft.
fn lag_area(c: &Course, frequency: f64) -> f64 {
    let (force, omega) = (c.column("F"), 2.0 * PI * frequency);
    let slope = |t: f64| 0.014 * omega * (omega * t).cos();
    c.integral(1.0 - 1.0 / frequency, 1.0, |t, row| row[force] * slope(t))
}

/// 000 Fig. 8. A slip lasts from where v rises through 0.05 m/s to where it falls through it.
fn stick_slip(c: &Course, quantity: &str) -> Option<Found> {
    let slips = || -> Vec<f64> {
        c.crossings("v", 0.05).into_iter().filter(|s| s.1).map(|s| s.0).collect()
    };
    let last = |slips: Vec<f64>| [slips[slips.len() - 2], slips[slips.len() - 1]];
    Some(match quantity {
        "breakaway_time_v=vS_s" => c.crossings("v", 0.01)[0].0.into(),
        "breakaway_time_v=0.05_s" => slips()[0].into(),
        "first_peak_force_N" => c.extreme("F", 0.0, slips()[0]).max.into(),
        // The force is flat there: its rate, which passes zero, tells the time.
        "time_first_peak_force_s" => {
            let falls = c.changes(course::force_rate).into_iter().filter(|s| !s.1);
            falls.map(|s| s.0).take_while(|t| *t < slips()[0]).last()?.into()
        }
        "max_force_60s_N" => c.extreme("F", 0.0, 60.0).max.into(),
        // At the start it is zero.
        "min_force_60s_N" => c.extreme("F", slips()[0], 60.0).min.into(),
        "peak_velocity_first_slip_mps" => c.extreme("v", 0.0, slips()[1]).max.into(),
        "peak_velocity_limit_cycle_mps" => {
            let [from, to] = last(slips());
            c.extreme("v", from, to).max.into()
        }
        "n_slip_events_60s" => (slips().len() as f64).into(),
        "period_first_s" => (slips()[1] - slips()[0]).into(),
        "period_last_s" => {
            let [from, to] = last(slips());
            (to - from).into()
        }
        "slip_duration_last(v>0.05)_s" => {
            let passed = c.crossings("v", 0.05);
            let down = passed.iter().rposition(|s| !s.1)?;
            (passed[down].0 - passed[down - 1].0).into()
        }
        "x_60s_m" => at(c, "x", 60.0),
        "z_60s_m" => at(c, "z", 60.0),
        "energy_60s_J" => c.account(0.0, 60.0).work.into(),
        "n_velocity_sign_changes" => (c.crossings("v", 0.0).len() as f64).into(),
        _ => return None,
    })
}

/// 000 Fig. 9, Test 1.
fn valve(c: &Course, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    let starts = || {
        let rising = c.changes(|_, _, y| y[1].abs() - 1e-4).into_iter().filter(|s| s.1);
        rising.collect::<Vec<_>>()
    };
    Some(match quantity {
        q if q.starts_with("x_t=") => at(c, "x", t?),
        q if q.starts_with("F_b_t=") => at(c, "F", t?),
        "x0_m" => at(c, "x", 0.0),
        "n_crossings_|v|=1e-4_up" => (starts().len() as f64).into(),
        "time_|v|=1e-4_up_1_s" => starts()[0].0.into(),
        "time_|v|=1e-4_up_2_s" => starts()[1].0.into(),
        "energy_J" => c.account(0.0, 140.0).work.into(),
        "n_velocity_sign_changes" => (c.crossings("v", 0.0).len() as f64).into(),
        _ => return None,
    })
}

#[test]
fn numbers_of_003() {
    let elsewhere = [
        ("relaxation", "", "", "a closed form: tested in the kernel"),
        ("prony", "", "", "a conversion: tested in the kernel"),
    ];
    let mut account = Account::open("viscoelastic", &elsewhere);
    account.check(
        "visco_reversal_5Hz",
        |model, tolerance| Course::run(&reversal(model, tolerance), &[]),
        |c, _, quantity| reversed(c, quantity),
    );
    for frequency in [25.0, 50.0] {
        let run = |model: &str, tolerance| viscoelastic_lag(model, frequency, tolerance);
        account.check(&format!("lag_{frequency}Hz"), run, |c, _, quantity| {
            lagging(c, frequency, quantity)
        });
    }
    // The stiffness is in the quantity's name: every row has a run of its own.
    account.check(
        "KV_limit",
        |_, tolerance| tolerance,
        |tolerance, model, quantity| {
            let scenario = match number(quantity, "k1=") {
                Some(k1) => towards_kelvin_voigt(*tolerance, k1),
                None if model == "FrBD1-KV" => kelvin_voigt(*tolerance),
                None => return None,
            };
            Some(Course::run(&scenario, &[]).value("F", 0.13).into())
        },
    );
    let run = |model: &str, tolerance| {
        let name = if model == "comp" { "arm" } else { "arm-uncompensated" };
        Course::run(&with(name, tolerance, &[]), &[4.0, 16.0])
    };
    account.check("robot_arm_FrBD3-GM", run, arm);
    account.close(&[
        ("visco_reversal_5Hz", 108),
        ("lag_25Hz", 16),
        ("lag_50Hz", 16),
        ("KV_limit", 4),
        ("robot_arm_FrBD3-GM", 43),
    ]);
}

/// `FrBD3-GM` has two branches; `FrBD4-GKV` three, converted from Maxwell's.
fn reversal(model: &str, tolerance: f64) -> Scenario {
    let (order, rheology) = model[4..].split_once('-').unwrap();
    let branches: usize = order.parse::<usize>().unwrap() - 1;
    let list = |all: [f64; 3]| format!("{:?}", &all[..branches]);
    let (k, tau) = (list([1e4, 2e4, 3e4]), list([1.0, 0.1, 0.01]));
    let settings = [("friction.k", k.as_str()), ("friction.tau", &tau)];
    let mut scenario = with("viscoelastic-reversal", tolerance, &settings);
    if let ("GKV", AnyBristle::FrbdGm(gm)) = (rheology, &scenario.friction) {
        scenario.friction = AnyBristle::FrbdGkv(gm.to_gkv().unwrap());
    }
    scenario
}

fn reversed(c: &Course, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    Some(match quantity {
        q if q.starts_with("f_t=") => at(c, "F", t?),
        q if q.starts_with("z_t=") => at(c, "z", t?),
        "int_f_v_dt_1s" => c.account(0.0, 1.0).work.into(),
        "dissipation_1s" => c.account(0.0, 1.0).dissipated.into(),
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

/// `FrBD2-GM_swapped(k0=54500;k1=1e4)_mu(25)`: the stiffnesses, and how the law is read.
fn viscoelastic_lag(model: &str, frequency: f64, tolerance: f64) -> Course {
    let (k0, k) = if model.contains("swapped") { ("54500", "[1e4]") } else { ("1e4", "[54500]") };
    let reading = if model.ends_with("mu(25)") { "factor" } else { "power" };
    let hertz = frequency.to_string();
    let settings = [
        ("friction.k0", k0),
        ("friction.k", k),
        ("friction.law.reading", reading),
        ("system.drive.frequency", &hertz),
    ];
    let scenario = with("viscoelastic-lag", tolerance, &settings);
    Course::run(&scenario, &[1.0 - 1.0 / frequency])
}

fn lagging(c: &Course, frequency: f64, quantity: &str) -> Option<Found> {
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

/// The Kelvin-Voigt bristle with σ₀ = 1e4 and σ₁ = 64.5, v = 0.02 sin 10πt.
fn kelvin_voigt(tolerance: f64) -> Scenario {
    let settings = [
        ("friction.law.viscous", "0"),
        ("system.drive.mean", "0"),
        ("system.drive.amplitude", "0.02"),
        ("system.drive.frequency", "5"),
        ("run.end", "0.13"),
    ];
    with("lag", tolerance, &settings)
}

/// A Maxwell branch that becomes its dashpot: τ₁(k₀ + k₁) = σ₁, k₁ → ∞.
fn towards_kelvin_voigt(tolerance: f64, k1: f64) -> Scenario {
    let (k, tau) = (format!("[{k1:e}]"), format!("[{:e}]", 64.5 / (1e4 + k1)));
    let settings = [("friction.k", k.as_str()), ("friction.tau", &tau), ("run.end", "0.13")];
    with("viscoelastic-reversal", tolerance, &settings)
}

/// 003 §IV-B; `comp` with and `nocomp` without compensation.
fn arm(c: &Course, model: &str, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    let force = if model == "comp" { "F_joint" } else { "F" };
    let rms = |column: &str, from: f64| {
        let k = c.column(column);
        let mean = c.integral(from, from + 4.0, |_, row| row[k] * row[k]) / 4.0;
        of(c, column, mean.sqrt())
    };
    Some(match quantity {
        q if q.starts_with("q_err_t=") => at(c, "q_err", t?),
        q if q.starts_with("F_friction_t=") => at(c, force, t?),
        q if q.starts_with("lyapunov_W_t=") => {
            Found { value: lyapunov(c, t?), amplitude: lyapunov(c, 0.0) }
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

/// What falls along every run of (29) of 003: ½ J s² + (rp/k₂) V(z̃, f̃), with V of (16) and the
/// observer's errors z̃ = z − ẑ, f̃ = f − f̂.
fn lyapunov(c: &Course, t: f64) -> f64 {
    let (inertia, load, k2) = (0.5, 2.0, 0.01);
    let error =
        |name: &str| c.value(&format!("{name}_joint"), t) - c.value(&format!("{name}_observer"), t);
    let branch = |name: &str, k: f64| 0.5 * error(name).powi(2) / k;
    let stored = 0.5 * 1e4 * error("z").powi(2) + branch("f1", 1e4) + branch("f2", 2e4);
    0.5 * inertia * c.value("s", t).powi(2) + load / k2 * stored
}

#[test]
fn numbers_of_002() {
    let formula = "a formula in the parameters";
    let elsewhere = [
        ("pulse", "static", "z(", "the static model has no bristle"),
        ("pulse", "static", "v_s0", formula),
        ("pulse", "dynamic", "z_st", formula),
        ("belt", "all", "t_ba", formula),
        ("belt", "impl", "fold_", "a property of the law: tested in the kernel"),
        ("festoon", "", "wall_", "the time that other programs take"),
    ];
    let mut account = Account::open("lugre-or-not", &elsewhere);
    for (push, sigma1) in [("2", "395"), ("4.5", "395"), ("5.6", "395"), ("5.6", "790")] {
        let run = |model: &str, tolerance| {
            let mut settings = vec![("friction.model", ours(model)), ("system.drive.value", push)];
            // The static model has no bristle, to damp or to show.
            settings.push(match model {
                "static" => ("figure.panels", "[]"),
                _ => ("friction.sigma1", sigma1),
            });
            Course::run(&with("pulse", tolerance, &settings), &[0.1, 0.2])
        };
        account
            .check(&format!("pulse_F{push}_s1_{sigma1}"), run, |c, _, quantity| pulse(c, quantity));
    }
    let run = |model: &str, tolerance| {
        let settings = [("friction.model", ours(model))];
        Course::run(&with("belt", tolerance, &settings), &[16.5, 17.5])
    };
    account.check("belt", run, |c, _, quantity| belt(c, quantity));
    let run = |model: &str, tolerance| {
        // What is the same for all models is asked of one.
        let model = if model == "all" { "static" } else { model };
        let settings = [("friction.model", ours(model))];
        Course::run(&with("festoon", tolerance, &settings), &[14.0])
    };
    account.check("festoon", run, |c, _, quantity| festoon(c, quantity));
    account.close(&[
        ("pulse_F2_s1_395", 86),
        ("pulse_F4.5_s1_395", 22),
        ("pulse_F5.6_s1_395", 81),
        ("pulse_F5.6_s1_790", 22),
        ("belt", 50),
        ("festoon", 17),
    ]);
}

/// 002 Figs 5-8.
fn pulse(c: &Course, quantity: &str) -> Option<Found> {
    let column = &quantity.trim_start_matches("closed_form_").trim_start_matches("t_")[..1];
    let until = if quantity.contains("first_pulse") { 0.1 } else { 0.4 };
    let extreme = || c.extreme(column, 0.0, until);
    Some(match quantity {
        "drift_cycle1_mm" => at(c, "x", 0.2),
        "drift_cycle2_mm" => of(c, "x", c.value("x", 0.4) - c.value("x", 0.2)),
        "net_slip_work_cycle1_uJ" => c.account(0.0, 0.2).slip.into(),
        q if q.contains("(0.") => at(c, column, number(q, "(")?),
        q if q.starts_with("t_") => extreme().t_max.into(),
        q if q[1..].starts_with("max") => of(c, column, extreme().max),
        q if q[1..].starts_with("min") => of(c, column, extreme().min),
        _ => return None,
    })
}

/// 002 Figs 10, 11. The mass slides back on the belt: F is negative. It slips while v_rel is
/// below −v_A = −1 mm/s.
fn belt(c: &Course, quantity: &str) -> Option<Found> {
    let passed = |falls: bool, n: usize| {
        c.crossings("v_rel", -1e-3).into_iter().filter(|s| s.1 != falls).nth(n).map(|s| s.0)
    };
    let first = || c.extreme("F", 0.0, passed(true, 0).unwrap());
    // The trial force of the implicit bristle passes the static limit.
    let limit = |rises: bool, after: f64| {
        let guard = c.changes(|system, t, y| {
            let (at, z) = system.contact(0, t, y);
            system.friction(0).guards(&at, z)[0]
        });
        guard.into_iter().find(|s| s.1 == rises && s.0 >= after).map(|s| s.0)
    };
    // The first time onto the outer branch and back.
    let committed = |n: usize| c.commitments()[n].0;
    Some(match quantity {
        "t_slip1_s" => passed(true, 0)?.into(),
        "t_stick1_s" => passed(false, 0)?.into(),
        "t_slip2_s" => passed(true, 1)?.into(),
        "t_stick2_s" => passed(false, 1)?.into(),
        "Fpeak1_N" => (-first().min).into(),
        "t_Fpeak1_s" => first().t_min.into(),
        "Fpeak_16.5_17.5_N" => {
            let found = c.extreme("F", 16.5, 17.5);
            found.max.max(-found.min).into()
        }
        "vmin_m/s" => c.extreme("v", 0.0, 20.0).min.into(),
        "xmax_m" => c.extreme("x", 0.0, 20.0).max.into(),
        "x(20)_m" => at(c, "x", 20.0),
        "v(20)_m/s" => at(c, "v", 20.0),
        "z(20)_mm" => at(c, "z", 20.0),
        "t_stick_to_innerslip_1_s" => limit(true, 0.0)?.into(),
        "t_fold_jump_1_s" => committed(0).into(),
        "t_outer_to_inner_1_s" => committed(1).into(),
        "t_inner_to_stick_1_s" => limit(false, committed(1))?.into(),
        "min|F|_while_|vs|>vA/2_N" => {
            let sliding = c.looks(|system, t, y| {
                let (force, tip) = course::at_the_tip(system, 0, t, y);
                (tip.abs() > 5e-4).then_some(force.abs())
            });
            sliding.into_iter().flatten().fold(f64::INFINITY, f64::min).into()
        }
        _ => return None,
    })
}

/// 002 §5.
fn festoon(c: &Course, quantity: &str) -> Option<Found> {
    let moved = |column: &str, x: f64| Found::from(x - c.value(column, 0.0));
    Some(match quantity {
        "dT1(14)_mm" => moved("x_T1", c.value("x_T1", 14.0)),
        "dT2(14)_mm" => moved("x_T2", c.value("x_T2", 14.0)),
        "dT2max_0_14_mm" => moved("x_T2", c.extreme("x_T2", 0.0, 14.0).max),
        "t_T1_breakaway_s" => c.crossings("x_T1", c.value("x_T1", 0.0) + 2e-3)[0].0.into(),
        "x_T1(24)_m" => at(c, "x_T1", 24.0),
        "x_T2(24)_m" => at(c, "x_T2", 24.0),
        "FN1(0)_N" | "FN_steady=(mT+mC)g_N" => at(c, "N_T1", 0.0),
        "u_TT(24)_m" => at(c, "x_TT", 24.0),
        "sag0_m" => at(c, "z_C1", 0.0),
        "x_T1(0)_m" => at(c, "x_T1", 0.0),
        _ => return None,
    })
}
