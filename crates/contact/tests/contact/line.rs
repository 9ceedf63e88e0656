//! Line contact against numbers that this project did not compute, and its facts.
use crate::common;
use crate::common::{read, table_1, table_i};
use bristle_contact::line::{
    Along, Before, Bristles, Course, Length, Line, Points, Transport, sign_changes,
};
use bristle_kernel::bristle::{Frbd, FrbdGm, FrbdPlanar, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::{Bristle, List, Start};
use std::f64::consts::PI;

type Model = Frbd<f64, Stribeck<f64>>;

fn frbd(sigma1: f64) -> Model {
    Frbd { sigma0: 252.0, sigma1, ..Frbd::start(table_i()) }
}

fn line<'a, B>(
    transport: Transport<'a>,
    pressure: &'a dyn Fn(f64) -> f64,
    bristle: &'a B,
) -> Line<'a, B> {
    Line {
        length: Length::Constant(0.1),
        transport,
        pressure,
        bristles: Bristles::Same(bristle),
        places: &[],
        accuracy: 1e-12,
    }
}

const CONSTANT: &dyn Fn(f64) -> f64 = &|_| 1.0;
const FALLING: &dyn Fn(f64) -> f64 = &|xi| (-0.1 * xi).exp();
const PARABOLIC: &dyn Fn(f64) -> f64 = &|xi| xi * (1.0 - xi);
const FAST: Transport<'static> = Transport::Constant(200.0);

fn pressure(name: &str) -> &'static dyn Fn(f64) -> f64 {
    if name.contains("exp") {
        FALLING
    } else if name.contains("parab") {
        PARABOLIC
    } else {
        CONSTANT
    }
}

/// V(t) = 200 (1 + ½ sin 20πt) 1/s.
const SWINGING: Transport<'static> = Transport::Speed {
    rate: &|t| 200.0 * (1.0 + 0.5 * (20.0 * PI * t).sin()),
    travelled: &|t| 200.0 * (t + 0.5 * (1.0 - (20.0 * PI * t).cos()) / (20.0 * PI)),
};

fn sine(t: f64) -> f64 {
    0.2 + (2.0 * PI * 20.0 * t).sin()
}

/// v and what it was before, with its changes of sign up to 0.1 s.
fn with_breaks<R>(
    v: &dyn Fn(f64) -> f64,
    before: Before<'_, f64>,
    f: impl FnOnce(&Course<'_, f64>) -> R,
) -> R {
    let breaks = sign_changes(v, 0.0, 0.1, 500);
    f(&Course { v, breaks: &breaks, before })
}

/// F/F_z; the estimate is within what was asked for.
fn ratio(l: &Line<'_, Model>, t: f64, v: &dyn Fn(f64) -> f64, before: Before<'_, f64>) -> f64 {
    let s = with_breaks(v, before, |course| l.at(t, course)).unwrap();
    // Rounding alone may leave some parts in 1e12.
    assert!(s.error <= 3.0 * l.accuracy, "estimate {:e}", s.error);
    s.force / s.load
}

fn close(ours: f64, reference: f64, tolerance: f64, what: &str) {
    assert!((ours - reference).abs() <= tolerance, "{what}: {ours}, not {reference}");
}

#[test]
fn steady_rolling_is_the_closed_form_over_the_whole_range_of_slip() {
    for row in read("frbd/dist_steady_LV20.csv").iter() {
        let v = row.number("v");
        for (column, p, sigma1) in [
            ("Fb_Fz_const", CONSTANT, 0.0),
            ("Fb_Fz_exp", FALLING, 0.0),
            ("Fb_Fz_const_sigma1_0.1", CONSTANT, 0.1),
            ("Fb_Fz_exp_sigma1_0.1", FALLING, 0.1),
        ] {
            let bristle = frbd(sigma1);
            let s = line(FAST, p, &bristle).steady(v).unwrap();
            close(s.force / s.load, row.number(column), 1e-13, &format!("{column} at v = {v} m/s"));
        }
    }
}

/// (44) and (45) of 000, in the paper's own letters.
#[test]
fn steady_rolling_has_the_printed_closed_forms() {
    let (l, p0, a, big_v) = (0.1, 1.0, 0.1, 200.0);
    for v in [0.3f64, -2.0, 15.0] {
        let m = frbd(0.1);
        let mu = bristle_kernel::Law::level(&m.law, v);
        let g = m.sigma1 * v.abs() + mu;
        let (s0, s2) = (m.sigma0 * (1.0 - m.sigma1 * v.abs() / g), m.sigma1 * mu / g);
        let k = m.sigma0 * v.abs() / (big_v * g);
        let (sign, e) = (v.signum(), a + k);
        let constant = v * l * p0 * big_v * s0 * mu * g / (m.sigma0 * v).powi(2)
            * (k + (-k).exp() - 1.0)
            + l * p0 * s2 * v;
        let falling = sign * l * p0 * s0 * mu / m.sigma0 / e * ((-e).exp() - 1.0)
            + l * p0 * (1.0 - (-a).exp()) / a * (sign * s0 * mu / m.sigma0 + s2 * v);
        let bristle = frbd(0.1);
        for (p, closed) in [(CONSTANT, constant), (FALLING, falling)] {
            close(line(FAST, p, &bristle).steady(v).unwrap().force, closed, 1e-14, "closed form");
        }
    }
}

#[test]
fn every_distributed_number_of_paper_000_is_met() {
    let bristle = frbd(0.0);
    let mut seen = 0;
    for row in read("frbd/scalars.csv").iter() {
        let (experiment, quantity) = (row.text("experiment"), row.text("quantity"));
        if !experiment.starts_with("dist_") || quantity.starts_with("peak") {
            continue;
        }
        let (value, uncertainty) = (row.number("value"), row.number("uncertainty"));
        let what = format!("{experiment} {quantity}");
        let after = |key: &str| -> f64 { quantity.split(key).nth(1).unwrap().parse().unwrap() };
        let p = pressure(quantity);
        let l = line(FAST, p, &bristle);
        let beta = Along::new(Points::new(vec![0.0, 1.0], vec![200.0, 300.0]));
        let ours = if experiment == "dist_steady" {
            let s = l.steady(20.0 * after("slip=")).unwrap();
            s.force / s.load
        } else if experiment == "dist_step_0_to_1" {
            ratio(&l, after("tV=") / 200.0, &|_| 1.0, Before::Rest)
        } else if experiment == "dist_step_1_to_-0.5" {
            ratio(&l, after("tV=") / 200.0, &|_| -0.5, Before::Steady(1.0))
        } else if experiment == "dist_sine_20Hz" {
            ratio(&l, after("t="), &sine, Before::Rest)
        } else if experiment.starts_with("dist_Vxi") {
            let l = line(Transport::Along(&beta), p, &bristle);
            if quantity.contains("sine") {
                ratio(&l, after("t="), &sine, Before::Rest)
            } else {
                ratio(&l, after("tV0=") / 200.0, &|_| 1.0, Before::Rest)
            }
        } else if experiment == "dist_Vt" {
            let l = line(SWINGING, p, &bristle);
            let v: &dyn Fn(f64) -> f64 = if quantity.contains("sine") { &sine } else { &|_| 1.0 };
            ratio(&l, after("t="), v, Before::Rest)
        } else {
            // Passivity: supply and storage after 0.1 s, in joules, p0 = 1 N/m.
            let l = line(FAST, pressure(row.text("model")), &bristle);
            if quantity.starts_with("storage") {
                with_breaks(&sine, Before::Rest, |c| l.at(0.1, c)).unwrap().stored
            } else {
                supply(&l)
            }
        };
        // The reference was computed in long double; double loses some last digits of an integral.
        close(ours, value, uncertainty + 3e-13, &what);
        seen += 1;
    }
    assert_eq!(seen, 108, "distributed rows");
}

/// ∫F v dt over the first 0.1 s, panel by panel between the moments at which something bends: v changes
/// sign, and what entered then, or at the start, leaves.
fn supply(l: &Line<'_, Model>) -> f64 {
    let turn = (0.2f64).asin() / (40.0 * PI);
    let mut cuts = vec![0.0, 0.1];
    for cycle in 0..2 {
        let start = 0.05 * f64::from(cycle);
        for zero in [start + 0.025 + turn, start + 0.05 - turn] {
            cuts.extend([zero, zero + 0.005]);
        }
    }
    cuts.push(0.005);
    cuts.retain(|t| *t <= 0.1);
    cuts.sort_by(f64::total_cmp);
    let rule = bristle_contact::quadrature::legendre(12);
    let mut sum = 0.0;
    for c in cuts.windows(2) {
        let h = c[1] - c[0];
        sum += rule
            .iter()
            .map(|(x, w)| {
                let t = c[0] + x * h;
                w * h * with_breaks(&sine, Before::Rest, |c| l.at(t, c)).unwrap().force * sine(t)
            })
            .sum::<f64>();
    }
    sum
}

#[test]
fn transients_follow_the_reference_trajectories() {
    let bristle = frbd(0.0);
    let every = |file: &str, n: usize, check: &dyn Fn(&common::Row<'_>)| {
        read(file).iter().step_by(n).for_each(|row| check(&row));
    };
    every("frbd/dist_step_TableI.csv", 3, &|row| {
        let t = row.number("t");
        for (name, p) in [("const", CONSTANT), ("exp", FALLING)] {
            let l = line(FAST, p, &bristle);
            close(
                ratio(&l, t, &|_| 1.0, Before::Rest),
                row.number(&format!("F01_{name}")),
                1e-13,
                "step",
            );
            let back = ratio(&l, t, &|_| -0.5, Before::Steady(1.0));
            close(back, row.number(&format!("F1m05_{name}")), 1e-13, "step back");
        }
    });
    every("frbd/dist_sine_TableI.csv", 9, &|row| {
        let t = row.number("t");
        for (name, p) in [("F_const", CONSTANT), ("F_exp", FALLING)] {
            close(
                ratio(&line(FAST, p, &bristle), t, &sine, Before::Rest),
                row.number(name),
                1e-12,
                name,
            );
        }
    });
    every("frbd/dist_Vt.csv", 9, &|row| {
        let (t, through) = (row.number("t"), SWINGING);
        for (name, p) in [("F_const_v1", CONSTANT), ("F_exp_v1", FALLING)] {
            close(
                ratio(&line(through, p, &bristle), t, &|_| 1.0, Before::Rest),
                row.number(name),
                1e-12,
                name,
            );
        }
        let l = line(through, CONSTANT, &bristle);
        close(ratio(&l, t, &sine, Before::Rest), row.number("F_const_sine"), 1e-12, "sine");
    });
}

#[test]
fn a_strip_of_oscillating_length_and_load_follows_the_reference() {
    let bristle = FrbdPlanar {
        sigma0_xx: 240.0,
        sigma0_yy: 240.0,
        epsilon: 1e-12,
        ..FrbdPlanar::start(Isotropic { m: 1.0, law: table_1() })
    };
    for row in read("rolling/linecontact_reference.csv").iter().step_by(7) {
        let (omega, sx, sy) =
            (row.number("omega_s"), row.number("sigma_x0"), row.number("sigma_y"));
        let wave = |s: f64| 1.0 + 0.1 * (omega * s).sin();
        let (speed, s) = (16.67, row.number("s_m"));
        let length = |t: f64| 0.15 * wave(speed * t);
        let strip = Line {
            length: Length::Changing(&length),
            places: &[],
            accuracy: 1e-9,
            ..line(Transport::Constant(speed / 0.15), CONSTANT, &bristle)
        };
        let velocity = |t: f64| [speed * sx * wave(speed * t), speed * sy];
        let half = 0.5 * length(s / speed);
        // (81b) and (38), which has the term −z_y f_x that (82) lacks; the load is 4000 N times the wave.
        let found = strip
            .integral(s / speed, &Course::smooth(&velocity), |b| {
                let (x, f) = (half * (1.0 - 2.0 * b.xi), b.force);
                [f[0], f[1], x * f[1], (x + b.z[0]) * f[1] - b.z[1] * f[0], 1.0]
            })
            .unwrap();
        let [fx, fy, undeformed, deformed, load] = found.value;
        let ours = [fx, fy, undeformed, deformed].map(|sum| sum * 4000.0 * wave(s) / load);
        let columns = ["Fx_N", "Fy_N", "Mz81b_Nm", "Mz38_correct_Nm"];
        for (ours, column) in ours.into_iter().zip(columns) {
            close(
                ours,
                row.number(column),
                2e-7,
                &format!("{column} at s = {} m", row.text("s_m")),
            );
        }
    }
}

/// Stiffness, friction and transport that vary along the line, against a plain Runge-Kutta integration.
#[test]
fn bristles_may_change_along_the_line() {
    let model = |xi: f64| Frbd {
        sigma0: 100.0 + 300.0 * xi,
        sigma1: 0.02 * (1.0 - xi),
        ..Frbd::start(Stribeck { mu_s: 0.6 + 0.3 * xi, ..table_i() })
    };
    let (points, unused) = (Points::new(vec![0.0, 0.4, 1.0], vec![200.0, 150.0, 190.0]), frbd(0.0));
    let along = Along::new(points.clone());
    let through = |xi: f64| points.at(xi);
    let l = Line {
        bristles: Bristles::Along(&model),
        places: &[0.4],
        ..line(Transport::Along(&along), FALLING, &unused)
    };
    let v = 1.0;
    let eval = |xi: f64, z: f64| {
        let mut rate = [0.0];
        let f = model(xi).eval(&bristle_kernel::Drive::new(v, 1.0), &[z], &mut rate);
        (rate[0] / through(xi), f * FALLING(xi))
    };
    let (mut z, mut force, n) = (0.0, 0.0, 2000);
    for i in 0..n {
        let (xi, h) = (f64::from(i) / f64::from(n), 1.0 / f64::from(n));
        let k1 = eval(xi, z);
        let k2 = eval(xi + 0.5 * h, z + 0.5 * h * k1.0);
        let k3 = eval(xi + 0.5 * h, z + 0.5 * h * k2.0);
        let k4 = eval(xi + h, z + h * k3.0);
        z += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        force += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    close(l.steady(v).unwrap().force, 0.1 * force, 1e-11, "varying along the line");
}

#[test]
fn any_model_that_is_linear_in_its_state_may_stand_in_the_line() {
    let gm = FrbdGm::<f64, _> {
        k0: 252.0,
        k: List::from_iter([100.0, 50.0]),
        tau: List::from_iter([0.002, 0.01]),
        ..FrbdGm::start(table_i())
    };
    let l = line(FAST, CONSTANT, &gm);
    // Sliding for ever the law is met; a bristle that passes in 5 ms is glassy in between.
    let (fast, slow) = (l.steady(20.0).unwrap(), l.steady(0.2).unwrap());
    assert!(fast.force / fast.load > 0.9 * bristle_kernel::Law::level(&table_i(), 20.0));
    let elastic = |k: f64| k * 0.2 * 0.005 / 2.0;
    let glassy = slow.force / slow.load;
    assert!(glassy > 0.9 * elastic(252.0) && glassy < elastic(402.0), "{glassy}");
    let lugre = LuGre { sigma0: 252.0, sigma1: 0.0, ..LuGre::start(table_i()) };
    let viscous_outside = line(FAST, CONSTANT, &lugre).steady(1.0).unwrap();
    assert!(viscous_outside.force > 0.0);
    let implicit = bristle_kernel::bristle::Implicit::<f64, _>::start(table_i());
    let refused = line(FAST, CONSTANT, &implicit).steady(1.0).unwrap_err();
    assert!(refused.to_string().contains("not linear"));
    assert_eq!(gm.states(), 3);
}

/// 000 Lemma IV.2 and its failure: v = 0.01 sin 1500t over a parabolic pressure returns energy.
#[test]
fn a_parabolic_pressure_is_active_and_a_falling_one_is_not() {
    let bristle = frbd(0.0);
    let v = |t: f64| 0.01 * (1500.0 * t).sin();
    let cycle = 2.0 * PI / 1500.0;
    let rule = bristle_contact::quadrature::legendre(10);
    let work = |p: &'static dyn Fn(f64) -> f64| -> f64 {
        let l = line(FAST, p, &bristle);
        let mut sum = 0.0;
        for part in 0..4 {
            for (x, w) in rule {
                let t = cycle * (3.0 + (f64::from(part) + x) / 4.0);
                sum += w * cycle / 4.0
                    * with_breaks(&v, Before::Rest, |c| l.at(t, c)).unwrap().force
                    * v(t);
            }
        }
        sum
    };
    assert!(work(PARABOLIC) < 0.0, "parabolic pressure");
    assert!(work(FALLING) > 0.0 && work(CONSTANT) > 0.0);
}

/// A bristle that does not slide keeps its deflection: z(ξ, t) = z₀(ξ − Vt), and nothing behind the leading edge.
#[test]
fn an_initial_deflection_travels_out() {
    let z0 = Points::new(vec![0.0, 0.25, 1.0], vec![1e-3, 2e-3, 0.0]);
    let (deflection, still) = (|xi: f64, z: &mut [f64]| z[0] = z0.at(xi), |_: f64| 0.0);
    let course = Course { v: &still, breaks: &[], before: Before::Deflected(&deflection) };
    let bristle = frbd(0.0);
    let same = Line { places: z0.places(), ..line(FAST, CONSTANT, &bristle) };
    let along = Line { bristles: Bristles::Along(&|_| frbd(0.0)), ..same };
    for l in [same, along] {
        for t in [0.0, 0.001, 0.002, 0.0049] {
            let left = 1.0 - 200.0 * t;
            // ∫z₀ from 0 to what is still inside.
            let inside = |x: f64| match x {
                x if x < 0.25 => 1e-3 * x + 2e-3 * x * x,
                x => 0.375e-3 + 2e-3 * (x - 0.25) - 2e-3 / 1.5 * (x - 0.25) * (x - 0.25),
            };
            let s = l.at(t, &course).unwrap();
            close(s.force, 0.1 * 252.0 * inside(left), 1e-14, "force");
            let mut seen = Vec::new();
            l.profile(t, &course, 11, |s| seen.push((s.xi, s.z[0]))).unwrap();
            for (xi, z) in &seen {
                let from = xi - 200.0 * t;
                if from.abs() > 1e-9 {
                    close(*z, if from < 0.0 { 0.0 } else { z0.at(from) }, 1e-14, "profile");
                }
            }
            // The jump behind the bristles that were there at the start is on both sides of one place.
            let jumps = seen.windows(2).filter(|w| w[0].0 == w[1].0 && (w[1].1 - w[0].1) > 0.9e-3);
            assert_eq!(jumps.count(), usize::from(t > 0.0), "at {t} s: {seen:?}");
        }
    }
}

/// A contact that breathes, in metres from its middle: who is at x entered at x = L/2 and came at L₀V. The deflection
/// of each bristle is the closed form (21); the sum over 20,000 of them is the force.
#[test]
fn a_length_that_changes_lets_bristles_enter_and_leave() {
    let (rate, v, middle) = (200.0, 0.7, 0.1);
    let length = |t: f64| middle + 0.03 * (900.0 * t).sin();
    let bristle = frbd(0.0);
    let l = Line {
        length: Length::Changing(&length),
        ..line(Transport::Constant(rate), FALLING, &bristle)
    };
    let level = bristle_kernel::Law::level(&bristle.law, v);
    for t in [0.0007, 0.0031, 0.012] {
        let s = l.at(t, &Course::smooth(&|_| v)).unwrap();
        let (now, count) = (length(t), 20_000);
        let mut force = 0.0;
        for k in 0..count {
            let xi = (f64::from(k) + 0.5) / f64::from(count);
            let x = now * (0.5 - xi);
            // ½L(τ) − L₀V(t − τ) = x; who was there at t = 0 has slid since then.
            let ahead = |entry: f64| 0.5 * length(entry) - middle * rate * (t - entry) - x;
            let (mut lo, mut hi) = (0.0, t);
            for _ in 0..60 {
                let half = 0.5 * (lo + hi);
                *(if ahead(half) < 0.0 { &mut lo } else { &mut hi }) = half;
            }
            let age = if ahead(0.0) > 0.0 { t } else { t - hi };
            let f = level * (1.0 - (-252.0 * v / level * age).exp());
            force += now / f64::from(count) * FALLING(xi) * f;
        }
        close(s.force, force, 2e-10, "force of a breathing contact");
        assert!(s.error <= 1e-12, "{:e}", s.error);
    }
}

/// What bristles that are all the same went through is shared: ten times the frequency costs ten times as much.
#[test]
fn the_cost_grows_with_the_frequency_and_not_with_its_square() {
    let bristle = frbd(0.0);
    let l = Line { accuracy: 1e-6, ..line(FAST, CONSTANT, &bristle) };
    let cost = |frequency: f64| {
        let calls = std::cell::Cell::new(0);
        let v = |t: f64| {
            calls.set(calls.get() + 1);
            (2.0 * PI * frequency * t).sin()
        };
        let breaks: Vec<f64> =
            (1..).map(|k| f64::from(k) / (2.0 * frequency)).take_while(|b| *b < 0.01).collect();
        l.at(0.01, &Course { v: &v, breaks: &breaks, before: Before::Rest }).unwrap();
        calls.get()
    };
    let (slow, fast) = (cost(2_000.0), cost(20_000.0));
    assert!(fast < 12 * slow, "{slow} evaluations of v, then {fast}");
}

/// Random contacts at 1e-3, 1e-6 and 1e-9: what is stated covers the error, and is what was asked for.
#[test]
fn the_stated_error_covers_the_true_one() {
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    let mut random = StdRng::seed_from_u64(41);
    let mut missed = Vec::new();
    for case in 0..150 {
        let ten =
            |random: &mut StdRng, from: f64, to: f64| 10f64.powf(random.random_range(from..to));
        let stiffness = ten(&mut random, 1.0, 5.0);
        let slope: f64 = random.random_range(-0.9..3.0);
        let (frequency, mean) = (ten(&mut random, 0.5, 3.0), random.random_range(-1.0..1.0));
        let (size, t) = (ten(&mut random, -2.0, 1.0), ten(&mut random, -4.0, -1.5));
        let v = |t: f64| size * (mean + (2.0 * PI * frequency * t).sin());
        let breaks = sign_changes(&v, 0.0, t, 2000);
        let course = Course { v: &v, breaks: &breaks, before: Before::Rest };
        let along = |xi: f64| Frbd { sigma0: stiffness * (1.0 + slope * xi), ..frbd(0.01) };
        let bristle = frbd(0.01);
        let same = Frbd { sigma0: stiffness, ..bristle };
        let mut l = line(FAST, FALLING, &same);
        if case % 4 == 0 {
            l.bristles = Bristles::Along(&along);
        }
        let force = |accuracy: f64| {
            let l = Line { accuracy, ..l };
            let found = l.integral(t, &course, |b| [b.force]).unwrap();
            // What is compared with may miss 1e-12 by rounding or for want of panels; its error is allowed for.
            assert!(found.relative() <= accuracy.max(1e-10), "{case}: {:e}", found.relative());
            (found.value[0], found.error[0], found.size[0])
        };
        let (exact, slack, size) = force(1e-12);
        for accuracy in [1e-3, 1e-6, 1e-9] {
            let (value, error, _) = force(accuracy);
            let off = (value - exact).abs();
            if off > error + slack + 1e-15 * size {
                missed.push(format!("{case} at {accuracy:e}: {off:e}, stated {error:e}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What rounding forbids is not claimed.
#[test]
fn an_accuracy_that_is_not_reached_is_not_stated() {
    let bristle = frbd(0.0);
    let l = Line { accuracy: 1e-19, ..line(FAST, FALLING, &bristle) };
    let found = with_breaks(&sine, Before::Rest, |c| l.at(0.03, c)).unwrap();
    assert!(found.error > 1e-19 && found.error < 1e-12, "{:e}", found.error);
}
