//! 000: first-order friction with bristle dynamics.
use crate::course::{Course, at, force_rate, of, with};
use crate::plot::{histories, loops, same_range};
use crate::reference::{Reference, number};
use crate::row::peak;
use crate::{Experiment, Findings, Found, Row, Setting, friction};
use bristle_analysis::Complex;
use bristle_analysis::linearise::{LinearLine, Point, element};
use bristle_contact::line::{
    self as contact, Along, Before, Bristles, Length, Line, Points, State, Transport, sign_changes,
};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::{AnyBristle, Field, Group, Params};
use std::f64::consts::PI;
use std::sync::LazyLock;

pub static REFERENCE: LazyLock<Reference> =
    LazyLock::new(|| Reference::read(include_str!("../data/frbd/scalars.csv")));

pub const PRESLIDING: &str = include_str!("../scenarios/presliding.toml");
pub const LAG: &str = include_str!("../scenarios/lag.toml");
pub const STICK_SLIP: &str = include_str!("../scenarios/stick-slip.toml");
pub const VALVE_RAMPS: &str = include_str!("../scenarios/valve-ramps.toml");
pub const VALVE_SINE: &str = include_str!("../scenarios/valve-sine.toml");

/// The models compared, as the reference calls them, as we do, and on figures.
const MODELS: [(&str, &str, &str); 2] = [("FrBD1-KV", "frbd", "FrBD"), ("LuGre", "lugre", "LuGre")];

/// The figures and tables of the paper.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        paper: "000",
        place: "Sec. III",
        title: "closed form of a bristle",
        run: section_3,
    },
    Experiment {
        paper: "000",
        place: "Fig. 4",
        title: "steady rolling of a line contact",
        run: figure_4,
    },
    Experiment {
        paper: "000",
        place: "Sec. IV",
        title: "transients of a line contact",
        run: section_4,
    },
    Experiment {
        paper: "000",
        place: "Secs III-D, IV-E",
        title: "frequency response, linearised",
        run: linearised,
    },
    Experiment { paper: "000", place: "Fig. 5", title: "pre-sliding displacement", run: figure_5 },
    Experiment { paper: "000", place: "Fig. 6", title: "frictional lag", run: figure_6 },
    Experiment {
        paper: "000",
        place: "Fig. 8",
        title: "stick-slip of a dragged mass",
        run: figure_8,
    },
    Experiment { paper: "000", place: "Fig. 9", title: "pneumatic valve", run: figure_9 },
    Experiment { paper: "000", place: "Tables I-III", title: "parameters", run: parameters },
    Experiment { paper: "000", place: "Table IV", title: "errors of the valve", run: table_4 },
];

/// (19)-(20): the exact solution under a velocity that changes its sign.
fn section_3(how: Setting) -> Result<Findings, String> {
    let settings = [
        ("system.drive.mean", "0.005"),
        ("system.drive.amplitude", "0.02"),
        ("system.drive.frequency", "5"),
        ("initial.z", "-5e-5"),
        ("run.end", "0.4"),
    ];
    let course = Course::run(&with(LAG, how, &settings)?, &[])?;
    let mut found = Findings::default();
    let experiment = "lumped_closed_form(19)-(20)_v=0.005+0.02sin(10pi t)_z0=-5e-5";
    found.compare(&REFERENCE, experiment, "FrBD1-KV_TableII", how.allowed, |quantity| {
        Some(at(&course, "z", number(quantity, "t=")?))
    });
    found.figures.push(histories(
        &[("", &course)],
        &[("v_rel", "velocity v", "m/s"), ("z", "deflection z", "m"), ("F", "force F_{b}", "N")],
    ));
    Ok(found)
}

/// Pressures over the length of a contact, by the name in a quantity.
fn pressure(name: &str) -> &'static dyn Fn(f64) -> f64 {
    match name {
        n if n.contains("exp") => &|xi: f64| (-0.1 * xi).exp(),
        n if n.contains("parab") => &|xi: f64| xi * (1.0 - xi),
        _ => &|_| 1.0,
    }
}

/// 1/s at which bristles pass through the contact: L V = 20 m/s.
const PASSING: f64 = 200.0;

/// What is asked of a line contact: its transport, pressure, velocity, what that was before t = 0, and t.
struct Asked<'a> {
    transport: Transport<'a>,
    pressure: &'a dyn Fn(f64) -> f64,
    v: &'a dyn Fn(f64) -> f64,
    before: Before<'a, f64>,
}

impl Asked<'_> {
    fn answer<T, E>(
        &self,
        f: impl Fn(&Line<'_, AnyBristle<f64>>) -> Result<T, E>,
    ) -> Result<T, String> {
        let tyre = friction("frbd-table-1", "frbd")?;
        let line = Line {
            length: Length::Constant(0.1),
            transport: self.transport,
            pressure: self.pressure,
            bristles: Bristles::Same(&tyre),
            places: &[],
            accuracy: 1e-12,
        };
        f(&line).map_err(|_| "FrBD bristles are linear".to_owned())
    }

    /// What the contact does at `t`.
    fn at(&self, t: f64) -> Option<State<f64>> {
        let breaks = sign_changes(self.v, 0.0, 0.1, 500);
        let course = contact::Course { v: self.v, breaks: &breaks, before: self.before };
        self.answer(|line| line.at(t, &course)).ok()
    }

    /// The force over the load at `t`.
    fn ratio(&self, t: f64) -> Option<f64> {
        let state = self.at(t)?;
        Some(state.force / state.load)
    }
}

fn one(_: f64) -> f64 {
    1.0
}

/// v = 0.2 + sin 40πt, m/s.
fn sine(t: f64) -> f64 {
    0.2 + (2.0 * PI * 20.0 * t).sin()
}

/// (43)-(45).
fn figure_4(how: Setting) -> Result<Findings, String> {
    let steady = |name: &str, slip: f64| -> Result<f64, String> {
        let asked = Asked {
            transport: Transport::Constant(PASSING),
            pressure: pressure(name),
            v: &one,
            before: Before::Rest,
        };
        let state = asked.answer(|line| line.steady(20.0 * slip))?;
        Ok(state.force / state.load)
    };
    let mut found = Findings {
        remarks: vec![
            "V is not printed: L V = 20 m/s here. The parabola is ours; the paper shows the other two.",
        ],
        ..Findings::default()
    };
    found.compare(&REFERENCE, "dist_steady", "TableI_LV=20", how.allowed, |quantity| {
        if let Some(slip) = number(quantity, "slip=") {
            return Some(steady(quantity, slip).ok()?.into());
        }
        let peak = peak(|slip| steady(quantity, slip).unwrap_or(f64::NAN), [0.0, 1.0]);
        Some(if quantity.starts_with("peak_slip") { peak.0 } else { peak.1 }.into())
    });
    let slips: Vec<f64> = (0..=400).map(|k| f64::from(k) / 400.0).collect();
    let axes = Panel::new(Axis::new("slip v/(LV)", "1"), Axis::new("force F_{b}/F_{z}", "1"));
    let mut panel = axes;
    for (name, label) in [("const", "constant"), ("exp", "exponential"), ("parab", "parabolic")] {
        let forces: Result<Vec<f64>, String> = slips.iter().map(|s| steady(name, *s)).collect();
        panel = panel.with(Series::new(label, slips.clone(), forces?));
    }
    found.figures.push(Figure::grid(1, [panel]));
    Ok(found)
}

/// §IV: steps, a sine, V over the contact and over time, supply and storage.
fn section_4(how: Setting) -> Result<Findings, String> {
    let growing = Along::new(Points::new(vec![0.0, 1.0], vec![PASSING, 1.5 * PASSING]));
    let omega = 2.0 * PI * 10.0;
    let swinging = Transport::Speed {
        rate: &|t: f64| PASSING * (1.0 + 0.5 * (omega * t).sin()),
        travelled: &|t: f64| PASSING * (t + 0.5 * (1.0 - (omega * t).cos()) / omega),
    };
    let ask =
        |transport, name: &str, v, before| Asked { transport, pressure: pressure(name), v, before };
    let through = Transport::Constant(PASSING);
    let mut found = Findings::default();
    found.compare(&REFERENCE, "dist_step_0_to_1", "TableI", how.allowed, |q| {
        Some(ask(through, q, &one, Before::Rest).ratio(number(q, "tV=")? / PASSING)?.into())
    });
    found.compare(&REFERENCE, "dist_step_1_to_-0.5", "TableI", how.allowed, |q| {
        Some(
            ask(through, q, &|_| -0.5, Before::Steady(1.0))
                .ratio(number(q, "tV=")? / PASSING)?
                .into(),
        )
    });
    found.compare(&REFERENCE, "dist_sine_20Hz", "TableI", how.allowed, |q| {
        Some(ask(through, q, &sine, Before::Rest).ratio(number(q, "t=")?)?.into())
    });
    found.compare(&REFERENCE, "dist_Vxi_beta=0.5", "TableI", how.allowed, |q| {
        let through = Transport::Along(&growing);
        let ratio = match number(q, "tV0=") {
            Some(travelled) => ask(through, q, &one, Before::Rest).ratio(travelled / PASSING),
            None => ask(through, q, &sine, Before::Rest).ratio(number(q, "t=")?),
        };
        Some(ratio?.into())
    });
    found.compare(&REFERENCE, "dist_Vt", "TableI", how.allowed, |q| {
        let v: &dyn Fn(f64) -> f64 = if q.contains("sine") { &sine } else { &one };
        Some(ask(swinging, q, v, Before::Rest).ratio(number(q, "t=")?)?.into())
    });
    for model in REFERENCE.models("dist_passivity_sine20Hz_p0=1") {
        let asked = ask(through, model, &sine, Before::Rest);
        found.compare(&REFERENCE, "dist_passivity_sine20Hz_p0=1", model, how.allowed, |q| {
            if q.starts_with("storage") {
                return Some(asked.at(0.1)?.stored.into());
            }
            Some(supply(&asked)?.into())
        });
    }
    let times: Vec<f64> = (0..=600).map(|k| f64::from(k) / 6000.0).collect();
    let mut panel = Panel::new(Axis::new("time t", "s"), Axis::new("force F_{b}/F_{z}", "1"));
    for (name, label) in
        [("const", "constant pressure"), ("exp", "exponential"), ("parab", "parabolic")]
    {
        let asked = ask(through, name, &sine, Before::Rest);
        let forces = times.iter().map(|t| asked.ratio(*t).unwrap_or(f64::NAN)).collect::<Vec<_>>();
        panel = panel.with(Series::new(label, times.clone(), forces));
    }
    found.figures.push(Figure::grid(1, [panel]).titled("v = 0.2 + sin 40πt m/s"));
    Ok(found)
}

/// ∫F v dt over the first 0.1 s, panel by panel between the moments at which something bends: v changes
/// sign, and what entered then, or at the start, leaves.
fn supply(asked: &Asked<'_>) -> Option<f64> {
    let turn = 0.2f64.asin() / (40.0 * PI);
    let passage = 1.0 / PASSING;
    let mut cuts = vec![0.0, passage, 0.1];
    for start in [0.0, 0.05] {
        for zero in [start + 0.025 + turn, start + 0.05 - turn] {
            cuts.extend([zero, zero + passage]);
        }
    }
    cuts.retain(|t| *t <= 0.1);
    cuts.sort_by(f64::total_cmp);
    let rule = bristle_contact::quadrature::legendre(12);
    let mut sum = 0.0;
    for cut in cuts.windows(2) {
        let h = cut[1] - cut[0];
        for (x, weight) in rule.iter() {
            let t = cut[0] + x * h;
            let force = asked.at(t)?.force;
            sum += weight * h * force * sine(t);
        }
    }
    Some(sum)
}

/// Something over ω in rad/s.
type Response<'a> = &'a dyn Fn(f64) -> Complex<f64>;

/// (28)-(32) and (55)-(59): a bristle and a line contact about steady sliding.
fn linearised(how: Setting) -> Result<Findings, String> {
    let mut found = Findings::default();
    let bristle = friction("frbd-table-2", "frbd")?;
    let at = |v: f64| Point::steady(&bristle, v, 1.0).map_err(|e| format!("{e:?}"));
    let lumped = element(&bristle, &at(0.02)?);
    // Re_f=10Hz, Im_f=10Hz
    let part = |quantity: &str, response: Response<'_>| {
        let value = response(2.0 * PI * number(quantity, "f=")?);
        let one = if quantity.starts_with("Re") { value.re } else { value.im };
        Some(Found { values: vec![one], amplitude: value.norm() })
    };
    for model in REFERENCE.models("frf_lumped") {
        found.compare(&REFERENCE, "frf_lumped", model, how.allowed, |q| {
            part(q, &|omega| lumped.response(0, 0, omega))
        });
    }
    let frequencies: Vec<f64> = (0..=200).map(|k| 10f64.powf(f64::from(k) / 50.0 - 1.0)).collect();
    let bode = |names: &[(&str, Response<'_>)]| {
        let panel = |label: &str, unit: &str, read: &dyn Fn(Complex<f64>) -> f64| {
            let axes = Panel::new(Axis::new("frequency f", "Hz").log(), Axis::new(label, unit));
            names.iter().fold(axes, |panel, (name, response)| {
                let all = frequencies.iter().map(|f| read(response(2.0 * PI * f)));
                panel.with(Series::new(*name, frequencies.clone(), all.collect::<Vec<_>>()))
            })
        };
        Figure::stacked([
            panel("gain |μ_{b}/v|", "s/m", &|z| z.norm()),
            panel("phase", "°", &|z| z.arg().to_degrees()),
        ])
    };
    let slow = element(&bristle, &at(0.005)?);
    let slowly: Response<'_> = &|omega| slow.response(0, 0, omega);
    let fast: Response<'_> = &|omega| lumped.response(0, 0, omega);
    let drawn = bode(&[("v* = 5 mm/s", slowly), ("v* = 20 mm/s", fast)]);
    found.figures.push(drawn.titled("one bristle, Table II"));
    let mut lines = Vec::new();
    for model in REFERENCE.models("frf_dist") {
        let asked = Asked {
            transport: Transport::Constant(PASSING),
            pressure: pressure(model),
            v: &one,
            before: Before::Rest,
        };
        let linear = asked.answer(|line| LinearLine::new(line, 1.0))?;
        found.compare(&REFERENCE, "frf_dist", model, how.allowed, |q| {
            part(q, &|omega| linear.response(omega) / linear.load)
        });
        lines.push(linear);
    }
    if let [constant, falling] = &lines[..] {
        let even: Response<'_> = &|omega| constant.response(omega) / constant.load;
        let uneven: Response<'_> = &|omega| falling.response(omega) / falling.load;
        let drawn = bode(&[("constant pressure", even), ("exponential", uneven)]);
        found.figures.push(drawn.titled("line contact, Table I, v* = 1 m/s"));
    }
    Ok(found)
}

/// Twenty cycles under 90 % of the static force.
fn figure_5(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![
            "With ω in Hz the mass breaks away at 5 and 10 Hz; with ω in rad/s all three stay \
             pre-sliding, as the figure's name says. Both readings are drawn.",
        ],
        ..Findings::default()
    };
    let run = |model: &str, frequency: f64| {
        let period = 1.0 / frequency;
        let (hertz, end) = (frequency.to_string(), (20.0 * period).to_string());
        let settings = [
            ("friction.model", model),
            ("system.drive.frequency", &hertz),
            ("run.end", end.as_str()),
        ];
        Course::run(&with(PRESLIDING, how, &settings)?, &[19.0 * period])
    };
    for frequency in [1.0, 5.0] {
        for (name, model, _) in MODELS {
            let course = run(model, frequency)?;
            let experiment = format!("presliding_{frequency}Hz");
            found.compare(&REFERENCE, &experiment, name, how.allowed, |q| {
                presliding(&course, 1.0 / frequency, q)
            });
        }
    }
    let mut panels = Vec::new();
    for (scale, title) in [(1.0, "ω in hertz"), (1.0 / (2.0 * PI), "ω in radians per second")] {
        let mut runs = Vec::new();
        for omega in [1.0, 5.0, 10.0] {
            runs.push((format!("ω = {omega}"), omega * scale, run("frbd", omega * scale)?));
        }
        // The second cycle: the first one starts from rest, later ones wander off.
        let panel = runs.iter().fold(
            Panel::new(Axis::new("displacement x", "m"), Axis::new("force μ_{b}", "1"))
                .titled(title),
            |panel, (name, frequency, course)| {
                let cycle = [1.0 / frequency, 2.0 / frequency];
                let drawn = [(name.as_str(), course)];
                let one = loops(&drawn, ("x", "", "m"), ("F", "", "1"), cycle);
                one.series.into_iter().fold(panel, Panel::with)
            },
        );
        panels.push(panel);
    }
    found.figures.push(Figure::grid(2, panels));
    Ok(found)
}

/// The load is 1 N: μ_b is the force.
fn presliding(c: &Course, period: f64, quantity: &str) -> Option<Found> {
    let cycle = |column: &str| c.extreme(column, 19.0 * period, 20.0 * period);
    let turn = || Some(c.crossings("v", 0.0).first()?.0);
    Some(match quantity {
        "x_max_cycle20_m" => of(c, "x", cycle("x").max),
        "x_min_cycle20_m" => of(c, "x", cycle("x").min),
        "mu_b_max_cycle20" => of(c, "F", cycle("F").max),
        "mu_b_min_cycle20" => of(c, "F", cycle("F").min),
        "v_max_cycle20_mps" => of(c, "v", cycle("v").max),
        "loop_area_cycle20_J" => c.account(19.0 * period, 20.0 * period)?.work.into(),
        "first_cycle_x_at_first_v0" => at(c, "x", turn()?),
        "time_first_v0_s" => turn()?.into(),
        "time_first_|v|=vS_s" => c.crossings("v", 0.01).first()?.0.into(),
        "x_end_20T_m" => at(c, "x", c.end()),
        "z_end_20T_m" => at(c, "z", c.end()),
        _ => return None,
    })
}

/// A run at given velocity that is long enough to be periodic at its end.
struct Lag {
    course: Course,
    frequency: f64,
    /// By what the deflection differs after one period from that of a run which began 1e-4 m apart,
    /// relative to that: at given v the models are linear in z.
    multiplier: f64,
}

impl Lag {
    fn run(how: Setting, model: &str, frequency: f64) -> Result<Self, String> {
        let hertz = frequency.to_string();
        let settings = [("friction.model", model), ("system.drive.frequency", &hertz)];
        let period = 1.0 / frequency;
        let course = Course::run(&with(LAG, how, &settings)?, &[period, 1.0 - period])?;
        let end = period.to_string();
        let apart = [&settings[..], &[("initial.z", "1e-4"), ("run.end", &end)]].concat();
        let other = Course::run(&with(LAG, how, &apart)?, &[])?;
        let multiplier = (other.value("z", period) - course.value("z", period)) / 1e-4;
        Ok(Lag { course, frequency, multiplier })
    }

    fn read(&self, quantity: &str) -> Option<Found> {
        let c = &self.course;
        Some(match quantity {
            "z_periodic_at_t0_m" => at(c, "z", 1.0),
            "mu_b_max" => of(c, "F", last_period(c, self.frequency).max),
            "mu_b_min" => of(c, "F", last_period(c, self.frequency).min),
            "loop_area_int_mub_dv" => lag_area(c, self.frequency).into(),
            // What it multiplies is 1.
            "floquet_multiplier" => Found { values: vec![self.multiplier], amplitude: 1.0 },
            _ => return None,
        })
    }
}

/// The extremes of the force over the last period before 1 s.
pub fn last_period(c: &Course, frequency: f64) -> bristle_trace::Extreme {
    c.extreme("F", 1.0 - 1.0 / frequency, 1.0)
}

/// ∮F dv over that period, v = 0.015 + 0.014 sin 2πft.
pub fn lag_area(c: &Course, frequency: f64) -> f64 {
    let (force, omega) = (c.column("F"), 2.0 * PI * frequency);
    let slope = |t: f64| 0.014 * omega * (omega * t).cos();
    c.integral(1.0 - 1.0 / frequency, 1.0, |t, row| row[force] * slope(t))
}

fn figure_6(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec!["The velocity is not printed: v = 0.015 + 0.014 sin 2πft m/s here."],
        ..Findings::default()
    };
    let mut panels = Vec::new();
    for (name, model, label) in MODELS {
        let mut runs = Vec::new();
        for frequency in [25.0, 50.0, 100.0] {
            let lag = Lag::run(how, model, frequency)?;
            let experiment = format!("lag_{frequency}Hz");
            found.compare(&REFERENCE, &experiment, name, how.allowed, |q| lag.read(q));
            runs.push((format!("{frequency} Hz"), lag));
        }
        panels.push(
            lag_loops(runs.iter().map(|(n, l)| (n.as_str(), l.frequency, &l.course))).titled(label),
        );
    }
    found.figures.push(Figure::grid(2, same_range(panels)));
    Ok(found)
}

/// The last period of each run, force over velocity.
pub fn lag_loops<'a>(runs: impl Iterator<Item = (&'a str, f64, &'a Course)>) -> Panel {
    let axes = Panel::new(Axis::new("velocity v", "m/s"), Axis::new("force μ_{b}", "1"));
    runs.fold(axes, |panel, (name, frequency, course)| {
        let last = [1.0 - 1.0 / frequency, 1.0];
        let drawn = loops(&[(name, course)], ("v_rel", "", "m/s"), ("F", "", "1"), last);
        drawn.series.into_iter().fold(panel, Panel::with)
    })
}

fn figure_8(how: Setting) -> Result<Findings, String> {
    let mut found = Findings::default();
    let mut runs = Vec::new();
    for (name, model, label) in MODELS {
        let course = Course::run(&with(STICK_SLIP, how, &[("friction.model", model)])?, &[])?;
        found.compare(&REFERENCE, "stickslip_60s", name, how.allowed, |q| stick_slip(&course, q));
        runs.push((label, course));
    }
    let drawn: Vec<_> = runs.iter().map(|(name, course)| (*name, course)).collect();
    found.figures.push(histories(
        &drawn,
        &[
            ("x", "position x", "m"),
            ("v", "velocity v", "m/s"),
            ("z", "deflection z", "m"),
            ("F", "force F_{b}", "N"),
        ],
    ));
    Ok(found)
}

/// A slip lasts from where v rises through 0.05 m/s to where it falls through it.
fn stick_slip(c: &Course, quantity: &str) -> Option<Found> {
    let rising = c.crossings("v", 0.05).into_iter().filter(|s| s.1);
    let slips: Vec<f64> = rising.map(|s| s.0).collect();
    let ([first, second, ..], [.., from, to]) = (&slips[..], &slips[..]) else { return None };
    Some(match quantity {
        "breakaway_time_v=vS_s" => c.crossings("v", 0.01).first()?.0.into(),
        "breakaway_time_v=0.05_s" => (*first).into(),
        "first_peak_force_N" => c.extreme("F", 0.0, *first).max.into(),
        // The force is flat there: its rate, which passes zero, tells the time.
        "time_first_peak_force_s" => {
            let falls = c.changes(force_rate).into_iter().filter(|s| !s.1);
            falls.map(|s| s.0).take_while(|t| t < first).last()?.into()
        }
        "max_force_60s_N" => c.extreme("F", 0.0, 60.0).max.into(),
        // At the start it is zero.
        "min_force_60s_N" => c.extreme("F", *first, 60.0).min.into(),
        "peak_velocity_first_slip_mps" => c.extreme("v", 0.0, *second).max.into(),
        "peak_velocity_limit_cycle_mps" => c.extreme("v", *from, *to).max.into(),
        "n_slip_events_60s" => (slips.len() as f64).into(),
        "period_first_s" => (second - first).into(),
        "period_last_s" => (to - from).into(),
        "slip_duration_last(v>0.05)_s" => {
            let passed = c.crossings("v", 0.05);
            let down = passed.iter().rposition(|s| !s.1)?;
            (passed[down].0 - passed.get(down.checked_sub(1)?)?.0).into()
        }
        "x_60s_m" => at(c, "x", 60.0),
        "z_60s_m" => at(c, "z", 60.0),
        "energy_60s_J" => c.account(0.0, 60.0)?.work.into(),
        "n_velocity_sign_changes" => (c.crossings("v", 0.0).len() as f64).into(),
        _ => return None,
    })
}

fn figure_9(how: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![
            "The inputs OP(t) are not printed: ours stand in the scenario files. The measurements are \
             not available.",
        ],
        ..Findings::default()
    };
    for (text, title) in [(VALVE_RAMPS, "Test 1"), (VALVE_SINE, "Test 2")] {
        let mut runs = Vec::new();
        for (name, model, label) in MODELS {
            let course = Course::run(&with(text, how, &[("friction.model", model)])?, &[])?;
            if title == "Test 1" {
                found.compare(&REFERENCE, "valve_test1", name, how.allowed, |q| valve(&course, q));
            }
            runs.push((label, course));
        }
        let drawn: Vec<_> = runs.iter().map(|(name, course)| (*name, course)).collect();
        let figure = histories(
            &drawn,
            &[
                ("OP", "input OP", "%"),
                ("x", "position x", "m"),
                ("v", "velocity v", "m/s"),
                ("z", "deflection z", "m"),
                ("F", "force F_{b}", "N"),
            ],
        );
        found.figures.push(figure.titled(title));
    }
    Ok(found)
}

fn valve(c: &Course, quantity: &str) -> Option<Found> {
    let t = number(quantity, "t=");
    let starts = || -> Vec<f64> {
        let rising = c.changes(|_, _, _, y| y[1].abs() - 1e-4).into_iter().filter(|s| s.1);
        rising.map(|s| s.0).collect()
    };
    Some(match quantity {
        q if q.starts_with("x_t=") => at(c, "x", t?),
        q if q.starts_with("F_b_t=") => at(c, "F", t?),
        "x0_m" => at(c, "x", 0.0),
        "n_crossings_|v|=1e-4_up" => (starts().len() as f64).into(),
        "time_|v|=1e-4_up_1_s" => (*starts().first()?).into(),
        "time_|v|=1e-4_up_2_s" => (*starts().get(1)?).into(),
        "energy_J" => c.account(0.0, 140.0)?.work.into(),
        "n_velocity_sign_changes" => (c.crossings("v", 0.0).len() as f64).into(),
        _ => return None,
    })
}

/// Parameters and what is printed for them.
type Printed<'a> = &'a [(&'a str, &'a str)];

/// What the named parameter sets have, beside what is printed.
fn parameters(_: Setting) -> Result<Findings, String> {
    let tables: [(&str, &str, Printed<'_>); 3] = [
        (
            "Table I",
            "frbd-table-1",
            &[
                ("sigma0", "252"),
                ("sigma1", "0"),
                ("law.viscous", "0.0018"),
                ("law.mu_d", "0.2"),
                ("law.mu_s", "0.6"),
                ("law.v_s", "10"),
                ("law.exponent", "2"),
            ],
        ),
        (
            "Table II",
            "frbd-table-2",
            &[
                ("sigma0", "1e4"),
                ("sigma1", "64.5"),
                ("law.viscous", "0.04"),
                ("law.mu_d", "1"),
                ("law.mu_s", "1.5"),
                ("law.v_s", "0.01"),
                ("law.exponent", "2"),
            ],
        ),
        (
            "Table III",
            "frbd-table-3",
            &[
                ("sigma0", "6.82e7"),
                ("sigma1", "701.97"),
                ("law.viscous", "2.97e3"),
                ("law.mu_d", "39.73"),
                ("law.mu_s", "59.86"),
                ("law.v_s", "6.42e-3"),
                ("law.exponent", "2"),
            ],
        ),
    ];
    let mut found = Findings::default();
    for (table, set, printed) in tables {
        let mut values = Vec::new();
        friction(set, "frbd")?.visit(Group::default(), &mut |visit| {
            if let Field::Number(x) = visit.field {
                values.push((format!("{}{}", visit.group, visit.param.name), *x));
            }
        });
        for (name, text) in printed {
            let ours = values.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, x)| *x);
            found.rows.push(Row::printed(table, "frbd", name, ours, text));
        }
    }
    Ok(found)
}

fn table_4(_: Setting) -> Result<Findings, String> {
    let why = "the measurements of the valve and its inputs are not available, and on our inputs the two \
               models differ by at most 8e-7 m: Table III does not explain differences of 2e-4 m";
    let mut found = Findings::default();
    for (model, rows) in [
        (
            "FrBD",
            [
                ("RMSE", "4.45e-4", "7.06e-4"),
                ("Mean", "2.04e-5", "-6.72e-5"),
                ("Std", "4.45e-4", "7.03e-4"),
                ("Max", "0.0026", "0.0021"),
            ],
        ),
        (
            "LuGre",
            [
                ("RMSE", "4.77e-4", "4.69e-4"),
                ("Mean", "2.94e-5", "1.27e-4"),
                ("Std", "4.76e-4", "4.51e-4"),
                ("Max", "0.0026", "0.0021"),
            ],
        ),
    ] {
        for (indicator, one, two) in rows {
            for (test, printed) in [("Test 1", one), ("Test 2", two)] {
                let quantity = format!("{indicator} of the position, {test} [m]");
                found.rows.push(Row::lost("Table IV", model, &quantity, printed, why));
            }
        }
    }
    Ok(found)
}
