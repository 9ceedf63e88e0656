//! Each part on its own, against closed forms and against small steps by a program written for the purpose: classical
//! Runge-Kutta, every kink landed on by halving.
use bristle_kernel::bristle::{Dry, Frbd, Transmission};
use bristle_kernel::law::{Coulomb, Stribeck};
use bristle_kernel::{AnyLaw, Start};
use bristle_machine::{
    AntiWindup, Body, Buffer, Builder, Control, Damper, End, Estimate, Forces, Input, Integration,
    Load, Machine, Release, Rope, Rotor, Rounding, Sampled, Spring, Stop, Structure,
};
use bristle_simulation::{Run, Simulation};
use bristle_system::mechanism::{Arm, Belt, Joint, Mass, SpringDrag};
use bristle_system::signal::{Constant, Sine, Steps};
use bristle_system::{Friction, Units};
use std::f64::consts::{FRAC_PI_2, PI};

const TOLERANCE: f64 = 1e-11;

/// A run whose energy balances to 1e-9 of what is moved and stored.
fn run(mut parts: Builder, end: f64) -> Run {
    parts.sensor("moving", "kinetic", 0.0);
    let run = Simulation::of(parts.build().unwrap()).tolerance(TOLERANCE).run(end).unwrap();
    let energy = run.balance.as_ref().unwrap();
    let k = run.trace.columns().iter().position(|c| c.name == "moving").unwrap();
    let stored = run.extremes[k].max;
    let turnover =
        energy.parts.iter().fold(energy.friction.abs() + stored, |sum, (_, x)| sum + x.abs());
    assert!(energy.residual.abs() <= 1e-9 * turnover, "{energy:?}");
    run
}

fn last(run: &Run, name: &str) -> f64 {
    let column = run.trace.column(name).unwrap_or_else(|| panic!("no column {name}"));
    *column.values.last().unwrap()
}

fn near(ours: f64, theirs: f64, allowed: f64) {
    assert!((ours - theirs).abs() <= allowed, "{ours}, not {theirs}: {:e}", (ours - theirs).abs());
}

/// Rates at a time and a state in a pattern of kinks.
type Rates<'a> = &'a dyn Fn(f64, &[f64], &[bool]) -> Vec<f64>;
/// On which side of each kink a state is.
type Sides<'a> = &'a dyn Fn(f64, &[f64]) -> Vec<bool>;

/// One step of the classical method; the pattern stays what it was at its start.
fn step(t: f64, y: &[f64], h: f64, sides: &[bool], rates: Rates<'_>) -> Vec<f64> {
    let add = |k: &[f64], part: f64| -> Vec<f64> {
        y.iter().zip(k).map(|(y, k)| y + part * h * k).collect()
    };
    let a = rates(t, y, sides);
    let b = rates(t + 0.5 * h, &add(&a, 0.5), sides);
    let c = rates(t + 0.5 * h, &add(&b, 0.5), sides);
    let d = rates(t + h, &add(&c, 1.0), sides);
    (0..y.len()).map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i])).collect()
}

/// The state at `end`, from steps of `h` that end where the pattern changes.
fn by_small_steps(
    mut y: Vec<f64>,
    [mut t, end]: [f64; 2],
    h: f64,
    rates: Rates<'_>,
    sides: Sides<'_>,
) -> Vec<f64> {
    while t < end {
        let (whole, own) = (h.min(end - t), sides(t, &y));
        let differs = |part: f64| sides(t + part, &step(t, &y, part, &own, rates)) != own;
        let mut part = whole;
        if differs(whole) {
            let mut low = 0.0;
            while part - low > 1e-14 * (1.0 + t) {
                let middle = 0.5 * (low + part);
                *if differs(middle) { &mut part } else { &mut low } = middle;
            }
        }
        y = step(t, &y, part, &own, rates);
        // What is left of the run is no step where it is a rounding.
        t = if end - t - part < 1e-15 { end } else { t + part };
    }
    y
}

fn sine(amplitude: f64, frequency: f64) -> Sine<f64> {
    Sine { amplitude, frequency, ..Sine::start(()) }
}

/// Whether a flank is reached, and whether it pushes.
fn reached(beyond: f64, rate: f64, [k, d]: [f64; 2]) -> [bool; 2] {
    [beyond > 0.0, k * beyond + d * rate > 0.0]
}

/// The force of a flank: nothing before it, and never a pull where it lets go by its force.
fn flank(on: &[bool], beyond: f64, rate: f64, [k, d]: [f64; 2], release: Release) -> f64 {
    if !on[0] || (release == Release::Force && !on[1]) { 0.0 } else { k * beyond + d * rate }
}

#[test]
fn backlash_is_that_of_small_steps() {
    let (j1, j2, ratio, numbers, play) = (2e-4, 0.4, 40.0, [800.0, 0.6], 0.01);
    for release in [Release::Force, Release::Gap] {
        let mut parts = Machine::builder();
        let motor = parts.rotor("motor", Rotor { inertia: j1, ..Rotor::start(()) });
        let arm = parts.rotor("arm", Rotor { inertia: j2, ..Rotor::start(()) });
        let [stiffness, damping] = numbers;
        let gear = Spring { stiffness, damping, play, release, ..Spring::start(()) };
        parts.shaft("gear", [motor.through(1.0 / ratio), arm], gear);
        parts.damper("bearing", [arm, End::GROUND], Damper { damping: 0.3 });
        parts.force("tau", motor, sine(0.12, 2.0));
        let ours = run(parts, 1.0);
        let between = |y: &[f64]| [y[0] / ratio - y[2], y[1] / ratio - y[3]];
        let half = 0.5 * play;
        let rates = |t: f64, y: &[f64], on: &[bool]| {
            let [e, de] = between(y);
            let torque = flank(&on[..2], e - half, de, numbers, release)
                - flank(&on[2..], -e - half, -de, numbers, release);
            let tau = 0.12 * (4.0 * PI * t).sin();
            vec![y[1], (tau - torque / ratio) / j1, y[3], (torque - 0.3 * y[3]) / j2]
        };
        let sides = |_: f64, y: &[f64]| {
            let [e, de] = between(y);
            [reached(e - half, de, numbers), reached(-e - half, -de, numbers)].concat()
        };
        let theirs = by_small_steps(vec![0.0; 4], [0.0, 1.0], 2e-5, &rates, &sides);
        for (name, theirs) in
            ["phi_motor", "omega_motor", "phi_arm", "omega_arm"].iter().zip(&theirs)
        {
            near(last(&ours, name), *theirs, 2e-8 * theirs.abs().max(1.0));
        }
    }
}

/// y″ = −g − ω²y while it is pressed: a fall, half an oscillation about the place of rest, and up again.
#[test]
fn a_body_bounces_off_an_end_stop_like_the_closed_form() {
    let (mass, incline, depth, k) = (2.0, 0.6, 0.05, 3e4);
    let pull = 9.81 * f64::sin(incline);
    let omega = f64::sqrt(k / mass);
    let speed = f64::sqrt(2.0 * pull * depth);
    let pressed = 2.0 / omega * (PI - (speed * omega / pull).atan());
    let period = 2.0 * speed / pull + pressed;
    let mut parts = Machine::builder();
    let block = parts.body("block", Body { mass, incline, ..Body::start(()) });
    let stop = Stop { stiffness: k, lower: -depth, ..Stop::start(()) };
    parts.stop("floor", [block, End::GROUND], stop);
    for bounces in [1.0, 3.0] {
        let run = run(parts.clone(), bounces * period);
        near(last(&run, "x_block"), 0.0, 1e-9);
        near(last(&run, "v_block"), 0.0, 1e-8);
    }
    // The deepest point by the energy, ½k y² = m g (depth + y).
    let run = run(parts, period);
    let deep =
        (pull + f64::sqrt(pull * pull + 2.0 * omega * omega * pull * depth)) / (omega * omega);
    let k = run.trace.columns().iter().position(|c| c.name == "x_block").unwrap();
    near(run.extremes[k].min, -depth - deep, 1e-9);
}

#[test]
fn damped_stops_ropes_and_buffers_are_those_of_small_steps() {
    let (mass, numbers) = (0.7, [500.0, 6.0]);
    let [stiffness, damping] = numbers;
    for release in [Release::Force, Release::Gap] {
        for kind in ["stop", "rope", "buffer"] {
            let mut parts = Machine::builder();
            let start = Body { mass, velocity: 0.4, ..Body::start(()) };
            let ends = [parts.body("block", start), End::GROUND];
            match kind {
                "stop" => {
                    let (lower, upper) = (-0.02, 0.03);
                    parts.stop("part", ends, Stop { stiffness, damping, lower, upper, release });
                }
                "rope" => {
                    parts.rope("part", ends, Rope { stiffness, damping, slack: 0.03, release });
                }
                _ => {
                    parts.buffer("part", ends, Buffer { stiffness, damping, gap: -0.02, release });
                }
            }
            parts.force("f", ends[0], sine(5.0, 1.3));
            let ours = run(parts, 2.0);
            let [above, below] = [kind != "buffer", kind != "rope"];
            let rates = |t: f64, y: &[f64], on: &[bool]| {
                let high = flank(&on[..2], y[0] - 0.03, y[1], numbers, release);
                let low = flank(&on[2..], -y[0] - 0.02, -y[1], numbers, release);
                let high = if above { high } else { 0.0 };
                let low = if below { low } else { 0.0 };
                vec![y[1], (5.0 * (2.6 * PI * t).sin() - high + low) / mass]
            };
            let sides = |_: f64, y: &[f64]| {
                [reached(y[0] - 0.03, y[1], numbers), reached(-y[0] - 0.02, -y[1], numbers)]
                    .concat()
            };
            let theirs = by_small_steps(vec![0.0, 0.4], [0.0, 2.0], 1e-4, &rates, &sides);
            near(last(&ours, "x_block"), theirs[0], 1e-9);
            near(last(&ours, "v_block"), theirs[1], 1e-8);
        }
    }
}

/// Dry friction under N = N₀ + c|f|, with a coefficient for each direction: pieces of constant acceleration.
#[test]
fn load_that_follows_a_force_has_the_closed_form() {
    let (mass, mu, base, [along, against]) = (2.0, 0.2, 3.0, [0.3, 0.1]);
    let mut parts = Machine::builder();
    let block = parts.body("block", Body { mass, ..Body::start(()) });
    let t = [0.0, 1.0, 2.0].into_iter().collect();
    let push =
        parts.force("push", block, Steps { t, value: [8.0, -9.0, 1.0].into_iter().collect() });
    let load = Load::from(base).pressed_both_ways(push, along, against);
    parts.contact("rub", [block, End::GROUND], load, Dry::start(Coulomb { mu }));
    let run = run(parts, 4.0);
    // It is driven, then braked until it rests, driven back, and braked by friction against the push.
    let friction = |force: f64, c: f64| mu * (base + c * force.abs());
    let first = (8.0 - friction(8.0, along)) / mass;
    let braking = (9.0 + friction(9.0, against)) / mass;
    let back = (9.0 - friction(9.0, along)) / mass;
    let rest = first / braking;
    let speed = back * (1.0 - rest);
    let last_braking = (1.0 + friction(1.0, against)) / mass;
    let stops = speed / last_braking;
    // A push of 1 N is enough to drive it on.
    let (ahead, left) = ((1.0 - friction(1.0, along)) / mass, 2.0 - stops);
    let x = 0.5 * first + 0.5 * first * rest - 0.5 * speed * (1.0 - rest) - 0.5 * speed * stops
        + 0.5 * ahead * left * left;
    near(last(&run, "x_block"), x, 1e-9);
}

/// The same with a bristle, whose load is the sum of a signal, the torque of a shaft and a difference of torques.
#[test]
fn load_that_follows_transmitted_torques_is_that_of_small_steps() {
    let law = Stribeck {
        mu_s: 0.3,
        mu_d: 0.2,
        v_s: 0.5,
        exponent: 2.0,
        viscous: 0.01,
        ..Stribeck::start(())
    };
    let (sigma0, sigma1) = (30.0, 0.3);
    let mut parts = Machine::builder();
    let motor = parts.rotor("motor", Rotor { inertia: 0.01, ..Rotor::start(()) });
    let load =
        parts.rotor("load", Rotor { inertia: 0.05, weight: 0.4, arm: 0.2, ..Rotor::start(()) });
    let shaft = Spring { stiffness: 40.0, damping: 0.05, ..Spring::start(()) };
    let shaft = parts.shaft("shaft", [motor.through(0.5), load], shaft);
    let tau = parts.force("tau", motor, sine(0.9, 0.7));
    let pressed = Load::from(Input::from(0.2) + sine(0.1, 1.1))
        .pressed_both_ways(shaft, 0.3, 0.1)
        .pressed(Forces::from(tau).and(shaft, -0.5), 0.2);
    let friction = Frbd { sigma0, sigma1, ..Frbd::start(law) };
    parts.contact("rub", [motor, End::GROUND], pressed, friction);
    let ours = run(parts, 2.0);
    let torques = |t: f64, y: &[f64]| {
        let torque = 40.0 * (0.5 * y[0] - y[2]) + 0.05 * (0.5 * y[1] - y[3]);
        [torque, 0.9 * (1.4 * PI * t).sin()]
    };
    let rates = |t: f64, y: &[f64], on: &[bool]| {
        let [torque, tau] = torques(t, y);
        let coefficient = if on[0] == on[1] { 0.3 } else { 0.1 };
        let n = 0.2
            + 0.1 * (2.2 * PI * t).sin()
            + coefficient * torque.abs()
            + 0.2 * (tau - 0.5 * torque).abs();
        let v = y[1];
        let mu = 0.2 + 0.1 * (-(v / 0.5).powi(2)).exp() + 0.01 * v.abs();
        let dz = (mu * v - sigma0 * v.abs() * y[4]) / (sigma1 * v.abs() + mu);
        let force = n * (sigma0 * y[4] + sigma1 * dz);
        let weight = 0.4 * 9.81 * 0.2 * y[2].sin();
        vec![v, (tau - 0.5 * torque - force) / 0.01, y[3], (torque - weight) / 0.05, dz]
    };
    let sides = |t: f64, y: &[f64]| {
        let [torque, tau] = torques(t, y);
        vec![y[1] > 0.0, torque > 0.0, tau - 0.5 * torque > 0.0]
    };
    let theirs = by_small_steps(vec![0.0; 5], [0.0, 2.0], 1e-4, &rates, &sides);
    for (name, theirs) in
        ["phi_motor", "omega_motor", "phi_load", "omega_load", "z_rub"].iter().zip(theirs)
    {
        near(last(&ours, name), theirs, 2e-8);
    }
}

/// Power that arrives over power that goes in, both ways, of a gear and of a rack.
#[test]
fn gears_and_racks_have_their_efficiency() {
    let (driving, back) = (0.8, 0.6);
    for radius in [None, Some(0.02)] {
        for motor_drives in [true, false] {
            let mut parts = Machine::builder();
            let motor = parts.rotor("motor", Rotor { inertia: 1e-3, ..Rotor::start(()) });
            let (other, end, units) = match radius {
                None => {
                    let rotor = Rotor { inertia: 0.1, ..Rotor::start(()) };
                    (parts.rotor("other", rotor), motor.through(0.1), ["omega", "phi"])
                }
                Some(radius) => {
                    let body = Body { mass: 5.0, ..Body::start(()) };
                    (parts.body("other", body), motor.on_rack(radius), ["v", "x"])
                }
            };
            let spring = Spring { stiffness: 2e4, damping: 20.0, ..Spring::start(()) };
            let gear = parts.shaft("gear", [end, other], spring);
            parts.efficiency(gear, driving, back);
            let (pushed, braked, brake) =
                if motor_drives { (motor, other, 4.0) } else { (other, motor, 0.02) };
            parts.force("push", pushed, 0.5);
            parts.damper("brake", [braked, End::GROUND], Damper { damping: brake });
            let run = run(parts, 60.0);
            let other = last(&run, &format!("{}_other", units[0]));
            let [fast, slow] = if motor_drives {
                [last(&run, "omega_motor"), other]
            } else {
                [other, last(&run, "omega_motor")]
            };
            let expected = if motor_drives { driving } else { back };
            near(brake * slow * slow / (0.5 * fast), expected, 1e-7);
        }
    }
}

/// A mass with a damper under a held force, exactly: x and v after a time.
fn coast([x, v]: [f64; 2], force: f64, h: f64, mass: f64, c: f64) -> [f64; 2] {
    let (end, rate) = (force / c, c / mass);
    let decay = (-rate * h).exp();
    [x + end * h + (v - end) * (1.0 - decay) / rate, end + (v - end) * decay]
}

/// A quantised controller with delay, filter, limits and anti-windup, written as its firmware would be.
#[test]
fn a_sampled_controller_is_its_recursion() {
    let (mass, c, period, resolution) = (2.0, 8.0, 2e-3, 1e-4);
    let control = Control {
        kp: 900.0,
        ki: 4000.0,
        kd: 60.0,
        filter: 4e-3,
        limit: 25.0,
        rate: 4000.0,
        tracking: 0.05,
        ..Control::start(())
    };
    for (anti_windup, rounding, velocity, integration, delay, dead_time) in [
        (
            AntiWindup::BackCalculation,
            Rounding::Nearest,
            Estimate::Difference,
            Integration::Now,
            1.0,
            0.0,
        ),
        (AntiWindup::Hold, Rounding::Down, Estimate::Error, Integration::Before, 0.0, 0.7e-3),
        (AntiWindup::None, Rounding::Down, Estimate::Exact, Integration::Now, 2.0, 2.5e-3),
    ] {
        let mut parts = Machine::builder();
        let slide = parts.body("slide", Body { mass, ..Body::start(()) });
        parts.damper("guide", [slide, End::GROUND], Damper { damping: c });
        let reference = Steps {
            t: [0.0, 0.2].into_iter().collect(),
            value: [0.03, -0.02].into_iter().collect(),
        };
        let servo = parts.control("servo", slide, reference, Control { anti_windup, ..control });
        let sampled = Sampled {
            period,
            delay,
            dead_time,
            resolution,
            rounding,
            velocity,
            integration,
            ..Sampled::start(())
        };
        parts.sample(servo, sampled);
        let ours = run(parts, 0.5);
        let (mut at, mut integral, mut filtered, mut before, mut last_output) =
            ([0.0; 2], 0.0, 0.0, None, 0.0f64);
        // What is applied from an instant on.
        let mut row: Vec<(f64, f64)> = Vec::new();
        let (mut applied, mut t) = (0.0, 0.0);
        for k in 0..250 {
            let now = f64::from(k) * period;
            let marks = at[0] / resolution;
            let x =
                resolution * if rounding == Rounding::Down { marks.floor() } else { marks.round() };
            let r = if now < 0.2 - 1e-9 { 0.03 } else { -0.02 };
            let (x_before, e_before) = before.unwrap_or((x, r - x));
            before = Some((x, r - x));
            let slope = match velocity {
                Estimate::Difference => -(x - x_before) / period,
                Estimate::Error => (r - x - e_before) / period,
                Estimate::Exact => -at[1],
            };
            filtered += (slope - filtered) * period / (period + 4e-3);
            let grown = integral + period * 4000.0 * (r - x);
            let inside = if integration == Integration::Now { grown } else { integral };
            let wanted = 900.0 * (r - x) + inside + 60.0 * filtered;
            let output = wanted.clamp(-25.0, 25.0).clamp(last_output - 8.0, last_output + 8.0);
            integral = match anti_windup {
                AntiWindup::Hold if output != wanted => integral,
                AntiWindup::BackCalculation => grown + period / 0.05 * (output - wanted),
                _ => grown,
            };
            last_output = output;
            row.push((now + delay * period + dead_time, output));
            let next = f64::from(k + 1) * period;
            while let Some((from, output)) =
                row.first().copied().filter(|(from, _)| *from < next - 1e-9)
            {
                at = coast(at, applied, from.max(t) - t, mass, c);
                (t, applied) = (from.max(t), output);
                row.remove(0);
            }
            at = coast(at, applied, next - t, mass, c);
            t = next;
        }
        near(last(&ours, "x_slide"), at[0], 1e-9);
        near(last(&ours, "v_slide"), at[1], 1e-8);
    }
}

/// A continuous PID with filter, limit, lag and rate limit.
#[test]
fn a_continuous_controller_is_that_of_small_steps() {
    let (mass, kp, ki, kd, filter, limit, rate, lag, tracking) =
        (2.0, 900.0, 4000.0, 60.0, 5e-3, 20.0, 3000.0, 3e-3, 0.05);
    for anti_windup in [AntiWindup::BackCalculation, AntiWindup::Hold, AntiWindup::None] {
        let mut parts = Machine::builder();
        let slide = parts.body("slide", Body { mass, ..Body::start(()) });
        let control = Control {
            kp,
            ki,
            kd,
            filter,
            limit,
            rate,
            lag,
            tracking,
            anti_windup,
            feed_velocity: 3.0,
            feed_acceleration: 1.5,
            ..Control::start(())
        };
        parts.control("servo", slide, sine(0.1, 1.2), control);
        let ours = run(parts, 1.0);
        let f = 2.4 * PI;
        // x, v, integral, filter, output
        let wanted = |t: f64, y: &[f64]| {
            let e = 0.1 * (f * t).sin() - y[0];
            kp * e + y[2] + kd * (e - y[3]) / filter + 3.0 * 0.1 * f * (f * t).cos()
                - 1.5 * 0.1 * f * f * (f * t).sin()
        };
        let pull = |t: f64, y: &[f64]| (wanted(t, y).clamp(-limit, limit) - y[4]) / lag;
        let rates = |t: f64, y: &[f64], _: &[bool]| {
            let e = 0.1 * (f * t).sin() - y[0];
            let (wanted, limited) = (wanted(t, y), wanted(t, y).clamp(-limit, limit));
            let grows = match anti_windup {
                AntiWindup::Hold if wanted != limited => 0.0,
                AntiWindup::BackCalculation => ki * e + (limited - wanted) / tracking,
                _ => ki * e,
            };
            vec![y[1], y[4] / mass, grows, (e - y[3]) / filter, pull(t, y).clamp(-rate, rate)]
        };
        let sides = |t: f64, y: &[f64]| {
            let (w, p) = (wanted(t, y), pull(t, y));
            vec![w > limit, w < -limit, p > rate, p < -rate]
        };
        let theirs = by_small_steps(vec![0.0; 5], [0.0, 1.0], 2e-5, &rates, &sides);
        near(last(&ours, "x_slide"), theirs[0], 1e-9);
        near(last(&ours, "v_slide"), theirs[1], 1e-8);
    }
}

/// The controller of 003 with its observer, on a rotor that hangs: the mechanism written for it.
#[test]
fn the_passivity_based_controller_is_that_of_the_arm() {
    let friction = Frbd::start(Stribeck::start(()));
    let reference = sine(0.5, 0.4);
    let arm = Arm::start(reference);
    let theirs = Simulation::new(arm.clone(), friction).tolerance(TOLERANCE).run(3.0).unwrap();
    let mut parts = Machine::builder();
    let rotor = Rotor {
        inertia: arm.inertia,
        position: arm.start,
        weight: arm.gravity / (9.81 * 0.5),
        arm: 0.5,
        ..Rotor::start(())
    };
    let joint = parts.rotor("arm", rotor);
    parts.contact("joint", [joint, End::GROUND], arm.load, friction);
    let control = Control {
        structure: Structure::Passivity,
        lambda: arm.lambda,
        k1: arm.k1,
        k2: arm.k2,
        feed_acceleration: arm.inertia,
        ..Control::start(())
    };
    let servo = parts.control("servo", joint, reference, control);
    parts.observe(servo, arm.load, friction);
    let ours = run(parts, 3.0);
    for (a, b) in [("phi_arm", "q"), ("omega_arm", "dq"), ("u_servo", "U")] {
        near(last(&ours, a), last(&theirs, b), 1e-8);
    }
}

#[test]
fn gravity_pulls_down_an_incline_and_turns_a_pendulum() {
    let mut parts = Machine::builder();
    parts.body("block", Body { incline: FRAC_PI_2, ..Body::start(()) });
    let bob = parts.rotor(
        "bob",
        Rotor { inertia: 0.03, weight: 0.3, arm: 0.2, position: 1e-4, ..Rotor::start(()) },
    );
    parts.force("none", bob, 0.0);
    let ours = run(parts, 1.0);
    near(last(&ours, "x_block"), -0.5 * 9.81, 1e-9);
    let omega = f64::sqrt(0.3 * 9.81 * 0.2 / 0.03);
    near(last(&ours, "phi_bob"), 1e-4 * omega.cos(), 1e-12);
}

/// Small machines, one for each part, in which `sign` mirrors every motion, force and reference.
fn each_part(sign: f64) -> Vec<(&'static str, Builder)> {
    let law = Stribeck { viscous: 0.02, ..Stribeck::start(()) };
    let mirrored = |x: f64| sign * x;
    let push = |amplitude: f64| sine(mirrored(amplitude), 1.1);
    // Where a part acts on one side only, its mirror image acts on the other.
    let one_sided = |parts: &mut Builder, ends: [End; 2], rope: bool| {
        let (stiffness, damping) = (300.0, 2.0);
        if rope {
            let rope = Rope { stiffness, damping, slack: 0.01, ..Rope::start(()) };
            parts.rope("part", ends, rope);
        } else {
            let buffer = Buffer { stiffness, damping, gap: -0.01, ..Buffer::start(()) };
            parts.buffer("part", ends, buffer);
        }
    };
    let mut all = Vec::new();
    for kind in [
        "spring",
        "damper",
        "play",
        "rope",
        "buffer",
        "stop",
        "incline",
        "pendulum",
        "gear",
        "rack",
        "shaft",
        "losses",
        "motion",
        "bristle",
        "dry",
        "pressed",
        "pid",
        "cascade",
        "passivity",
        "sampled",
        "fed",
        "product",
    ] {
        let mut parts = Machine::builder();
        let block = |position: f64, velocity: f64| Body {
            mass: 1.5,
            position: mirrored(position),
            velocity: mirrored(velocity),
            ..Body::start(())
        };
        let rotor = |inertia: f64, position: f64| Rotor {
            inertia,
            position: mirrored(position),
            ..Rotor::start(())
        };
        match kind {
            "incline" => {
                let slope = Body { incline: mirrored(0.3), ..block(0.0, 0.2) };
                let own = parts.body("a", slope);
                let spring = Spring { stiffness: 200.0, ..Spring::start(()) };
                parts.spring("part", [own, End::GROUND], spring);
            }
            "pendulum" => {
                let own = parts.rotor("a", Rotor { weight: 0.7, arm: 0.4, ..rotor(0.2, 1.1) });
                parts.damper("part", [own, End::GROUND], Damper { damping: 0.02 });
            }
            "gear" | "rack" | "shaft" | "losses" => {
                let a = parts.rotor("a", rotor(0.01, 0.0));
                let (b, end) = match kind {
                    "rack" => (parts.body("b", block(0.0, 0.0)), a),
                    _ => (parts.rotor("b", rotor(0.3, 0.0)), a),
                };
                let shaft = Spring { stiffness: 50.0, damping: 0.1, ..Spring::start(()) };
                match kind {
                    "gear" => parts.gear("part", [end, b], 5.0),
                    "rack" => parts.rack("part", [end, b], 0.1),
                    _ => {
                        let shaft = parts.shaft("part", [end.through(0.2), b], shaft);
                        if kind == "losses" {
                            parts.efficiency(shaft, 0.9, 0.8);
                        }
                    }
                }
                parts.force("push", a, push(0.8));
                parts.damper("brake", [b, End::GROUND], Damper { damping: 0.5 });
            }
            "motion" => {
                let a = parts.body("a", block(0.0, 0.0));
                let hand = parts.placed("hand", Units::LINE, push(0.05));
                let spring = Spring { stiffness: 90.0, damping: 1.0, ..Spring::start(()) };
                parts.spring("part", [hand, a], spring);
            }
            _ => {
                let a = parts.body("a", block(0.0, 0.3));
                let ends = [a, End::GROUND];
                let spring = Spring { stiffness: 120.0, damping: 1.5, ..Spring::start(()) };
                let kp =
                    Control { kp: 200.0, ki: 50.0, kd: 10.0, limit: 3.0, ..Control::start(()) };
                match kind {
                    "spring" => drop(parts.spring("part", ends, spring)),
                    "damper" => drop(parts.damper("part", ends, Damper { damping: 2.0 })),
                    "play" => drop(parts.spring("part", ends, Spring { play: 0.02, ..spring })),
                    "rope" => one_sided(&mut parts, ends, sign > 0.0),
                    "buffer" => one_sided(&mut parts, ends, sign < 0.0),
                    "stop" => {
                        let (lower, upper) = if sign > 0.0 { (-0.01, 0.02) } else { (-0.02, 0.01) };
                        let (stiffness, damping) = (800.0, 3.0);
                        let stop = Stop { stiffness, damping, lower, upper, ..Stop::start(()) };
                        parts.stop("part", ends, stop);
                    }
                    "bristle" => parts.contact("part", ends, 3.0, Frbd::start(law)),
                    "dry" => parts.contact("part", ends, 3.0, Dry::start(law)),
                    "pressed" => {
                        let part = parts.spring("part", ends, spring);
                        let load = Load::from(1.0).pressed_both_ways(part, 0.4, 0.2);
                        parts.contact("rub", ends, load, Dry::start(law));
                    }
                    "pid" => drop(parts.control("part", a, push(0.1), kp)),
                    "cascade" => {
                        let structure = Structure::Cascade;
                        let cascade = Control { structure, kx: 8.0, kp: 30.0, ..kp };
                        parts.control("part", a, push(0.1), cascade);
                    }
                    "passivity" => {
                        let structure = Structure::Passivity;
                        let numbers =
                            Control { structure, feed_acceleration: 1.5, ..Control::start(()) };
                        let part = parts.control("part", a, push(0.1), numbers);
                        parts.observe(part, 3.0, Frbd::start(law));
                        parts.contact("rub", ends, 3.0, Frbd::start(law));
                    }
                    "sampled" => {
                        let part = parts.control("part", a, push(0.1), kp);
                        let sampled = Sampled { delay: 1.0, dead_time: 4e-4, ..Sampled::start(()) };
                        parts.sample(part, sampled);
                    }
                    "fed" => {
                        let part = parts.control("part", a, push(0.1), kp);
                        parts.feed_friction(part, AnyLaw::Stribeck(law), 3.0);
                        parts.contact("rub", ends, 3.0, Dry::start(law));
                    }
                    _ => {
                        let product = Input::from(push(2.0)) * (Input::from(1.0) + sine(0.5, 3.0));
                        parts.force("part", a, product);
                    }
                }
                if !["pid", "cascade", "passivity", "sampled", "fed", "product"].contains(&kind) {
                    parts.force("push", a, push(4.0));
                }
            }
        }
        all.push((kind, parts));
    }
    all
}

/// The energy of each balances, and the mirror image of each moves as its mirror image.
#[test]
fn every_part_keeps_its_energy_and_its_symmetry() {
    for ((kind, parts), (_, mirrored)) in each_part(1.0).into_iter().zip(each_part(-1.0)) {
        let [ours, theirs] = [parts, mirrored].map(|parts| run(parts, 1.5));
        let motions = ours.trace.columns().iter().filter(|c| {
            ["x_", "v_", "phi_", "omega_", "F_"].iter().any(|of| c.name.starts_with(of))
        });
        for (column, size) in motions.zip(&ours.extremes) {
            let size = size.max.abs().max(size.min.abs()).max(1e-3);
            let (a, b) = (last(&ours, &column.name), last(&theirs, &column.name));
            assert!((a + b).abs() <= 1e-9 * size.max(1.0), "{kind}, {}: {a} and {b}", column.name);
        }
        let moves = ours.trace.column("moving").unwrap().values.iter().any(|e| *e > 0.0);
        assert!(moves, "{kind} does not move");
    }
}

/// Two machines that must move alike, the first one built of a part in the limit in which it becomes a simpler one.
#[test]
fn parts_become_simpler_ones_in_their_limits() {
    let spring = Spring { stiffness: 150.0, damping: 2.0, ..Spring::start(()) };
    let start = |parts: &mut Builder| {
        let a = parts.body("a", Body { mass: 1.2, velocity: 0.3, ..Body::start(()) });
        parts.force("push", a, sine(3.0, 0.9));
        [a, End::GROUND]
    };
    type Make<'a> = &'a dyn Fn(&mut Builder, [End; 2]);
    let alike = |what: &str, special: Make<'_>, plain: Make<'_>, allowed: f64| {
        let [a, b] = [special, plain].map(|make| {
            let mut parts = Machine::builder();
            let ends = start(&mut parts);
            make(&mut parts, ends);
            let run = run(parts, 2.0);
            [last(&run, "x_a"), last(&run, "v_a")]
        });
        for (a, b) in a.into_iter().zip(b) {
            assert!((a - b).abs() <= allowed, "{what}: {a} and {b}");
        }
    };
    let plain = |parts: &mut Builder, ends: [End; 2]| {
        parts.spring("s", ends, spring);
    };
    let undamped = Spring { damping: 0.0, ..spring };
    let bare = |parts: &mut Builder, ends: [End; 2]| {
        parts.spring("s", ends, undamped);
    };
    let nothing = |_: &mut Builder, _: [End; 2]| {};
    alike(
        "spring beside damper",
        &|parts, ends| {
            parts.spring("s", ends, undamped);
            parts.damper("d", ends, Damper { damping: 2.0 });
        },
        &plain,
        1e-10,
    );
    let release = Release::Gap;
    alike(
        "hardly any play",
        &|parts, ends| {
            parts.spring("s", ends, Spring { play: 1e-12, release, ..spring });
        },
        &plain,
        1e-9,
    );
    alike(
        "rope and buffer",
        &|parts, ends| {
            parts.rope("r", ends, Rope { stiffness: 150.0, ..Rope::start(()) });
            parts.buffer("b", ends, Buffer { stiffness: 150.0, ..Buffer::start(()) });
        },
        &bare,
        1e-9,
    );
    alike(
        "stops at one place",
        &|parts, ends| {
            let stop = Stop { stiffness: 150.0, lower: -1e-13, upper: 0.0, ..Stop::start(()) };
            parts.stop("s", ends, stop);
        },
        &bare,
        1e-9,
    );
    let far = Stop { lower: -50.0, upper: 50.0, ..Stop::start(()) };
    let stops = |parts: &mut Builder, ends: [End; 2]| {
        parts.stop("s", ends, far);
    };
    alike("stops far away", &stops, &nothing, 1e-10);
    alike(
        "a ratio of 1",
        &|parts, [a, b]| {
            parts.spring("s", [a.through(1.0), b], spring);
        },
        &plain,
        0.0,
    );
    alike(
        "no losses",
        &|parts, ends| {
            let gear = parts.spring("s", ends, spring);
            parts.efficiency(gear, 1.0, 1.0);
        },
        &plain,
        1e-9,
    );
    alike(
        "a ratio beside the stiffness",
        &|parts, [a, b]| {
            let weak = Spring { stiffness: 37.5, damping: 0.5, ..spring };
            parts.spring("s", [a.through(2.0), b], weak);
        },
        &plain,
        1e-10,
    );
    alike(
        "a body behind a rigid gear",
        &|parts, [a, _]| {
            let b = parts.body("b", Body { mass: 0.4, ..Body::start(()) });
            parts.gear("g", [b, a], 0.5);
            parts.damper("d", [b, End::GROUND], Damper { damping: 4.0 });
        },
        // 0.4 kg at half the velocity are 0.1 kg.
        &|parts, [a, _]| {
            let b = parts.body("b", Body { mass: 0.1, ..Body::start(()) });
            parts.gear("g", [b, a], 1.0);
            parts.damper("d", [a, End::GROUND], Damper { damping: 1.0 });
        },
        1e-10,
    );
    alike(
        "a gentle controller",
        &|parts, [a, _]| {
            let pd = Control { kp: 150.0, kd: 2.0, limit: 1e6, ..Control::start(()) };
            parts.control("c", a, 0.0, pd);
        },
        &plain,
        1e-9,
    );
    alike(
        "a load that presses not",
        &|parts, ends| {
            let s = parts.spring("s", ends, spring);
            let load = Load::from(0.0).pressed(s, 0.0);
            parts.contact("c", ends, load, Dry::start(Coulomb { mu: 0.3 }));
        },
        &plain,
        1e-9,
    );
}

/// Dry contacts side by side: their sum is known, what each carries is not, and the run names them.
#[test]
fn contacts_that_share_a_force_are_named() {
    let mut parts = Machine::builder();
    let block = parts.body("block", Body::start(()));
    for name in ["left", "right"] {
        parts.contact(name, [block, End::GROUND], 4.0, Dry::start(Coulomb { mu: 0.5 }));
    }
    parts.force("push", block, sine(3.0, 0.5));
    let run = run(parts, 1.0);
    assert_eq!(run.shared, ["left", "right"]);
    near(last(&run, "x_block"), 0.0, 1e-15);
}

/// A jump of a force and what it does to friction have two rows, one on each side.
#[test]
fn both_sides_of_a_jump_are_recorded() {
    let mut parts = Machine::builder();
    let block = parts.body("block", Body::start(()));
    let (t, value) = ([0.0, 0.3].into_iter().collect(), [1.0, -2.0].into_iter().collect());
    parts.force("push", block, Steps { t, value });
    let run = run(parts, 1.0);
    let column = |name: &str| &run.trace.column(name).unwrap().values;
    let at: Vec<f64> = column("t")
        .iter()
        .zip(column("push"))
        .filter(|(t, _)| **t == 0.3)
        .map(|(_, push)| *push)
        .collect();
    assert_eq!(at, [1.0, -2.0]);
}

/// The mechanisms of the catalogue that parts can make, as parts: the same numbers.
#[test]
fn mechanisms_of_the_catalogue_are_machines() {
    let law = Stribeck::start(());
    let frictions: [Friction; 2] = [Frbd::start(law).into(), Dry::start(law).into()];
    for friction in frictions {
        let tied = |stiffness: f64| Spring { stiffness, ..Spring::start(()) };
        let steady = Constant { value: 0.1 };
        let belt = Belt::start(steady);
        let drag = SpringDrag::start(steady);
        let push = Sine { amplitude: 4.0, frequency: 0.3, ..Sine::start(()) };
        let mass = Mass { stiffness: 3.0, ..Mass::start(push) };
        let theirs = [
            Simulation::new(belt.clone(), friction.clone()).tolerance(TOLERANCE).run(10.0),
            Simulation::new(drag.clone(), friction.clone()).tolerance(TOLERANCE).run(10.0),
            Simulation::new(mass.clone(), friction.clone()).tolerance(TOLERANCE).run(10.0),
        ];
        let block = |parts: &mut Builder, mass: f64, velocity: f64| {
            parts.body("block", Body { mass, velocity, ..Body::start(()) })
        };
        let mut on_belt = Machine::builder();
        let own = block(&mut on_belt, belt.mass, 0.1);
        let moving = on_belt.moving("belt", Units::LINE, steady);
        on_belt.spring("wall", [own, End::GROUND], tied(belt.stiffness));
        on_belt.contact("rub", [own, moving], belt.load, friction.clone());
        let mut dragged = Machine::builder();
        let own = block(&mut dragged, drag.mass, 0.0);
        let hand = dragged.moving("hand", Units::LINE, steady);
        dragged.spring("spring", [hand, own], tied(drag.stiffness));
        dragged.contact("rub", [own, End::GROUND], drag.load, friction.clone());
        let mut pushed = Machine::builder();
        let own = block(&mut pushed, mass.mass, 0.0);
        pushed.force("push", own, push);
        pushed.spring("wall", [own, End::GROUND], tied(mass.stiffness));
        pushed.contact("rub", [own, End::GROUND], mass.load, friction.clone());
        for (parts, theirs) in [on_belt, dragged, pushed].into_iter().zip(theirs) {
            let (ours, theirs) = (run(parts, 10.0), theirs.unwrap());
            for (a, b) in [("x_block", "x"), ("v_block", "v"), ("F_rub", "F")] {
                near(last(&ours, a), last(&theirs, b), 1e-9 * last(&theirs, b).abs().max(1.0));
            }
        }
    }
}

/// Friction that looks at what is transmitted is given it: the mechanism written for it. Without it is refused.
#[test]
fn transmission_friction_sees_the_torques() {
    let friction = Transmission {
        base: 0.02,
        base_motor: 0.1,
        base_external: 0.1,
        sigma0: 20.0,
        sigma1: 0.02,
        ..Transmission::start(())
    };
    let push = Sine { mean: 0.05, amplitude: 0.1, frequency: 0.5, ..Sine::start(()) };
    let joint = Joint { inertia: 0.005, gravity: 0.1, ..Joint::start(push) };
    let theirs = Simulation::new(joint, friction).tolerance(TOLERANCE).run(2.0).unwrap();
    let mut parts = Machine::builder();
    let rotor = Rotor { inertia: 0.005, weight: 0.1, arm: 1.0, gravity: 1.0, ..Rotor::start(()) };
    let link = parts.rotor("link", rotor);
    parts.contact("gear", [link, End::GROUND], 1.0, friction);
    let tau = parts.force("tau", link, push);
    let refused = parts.clone().build().unwrap_err().to_string();
    assert!(refused.contains("depends on torques that are transmitted"), "{refused}");
    let weight = parts.weight(link).unwrap();
    parts.transmits("gear", tau, weight);
    let ours = run(parts, 2.0);
    for (a, b) in [("phi_link", "q"), ("omega_link", "dq"), ("F_gear", "F")] {
        near(last(&ours, a), last(&theirs, b), 1e-9);
    }
}
