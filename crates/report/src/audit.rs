//! What a friction model does with its parameters, with reasons: passive or not, holds a stick or not, follows its law or not.
use crate::print::{digits, unit_of_length};
use crate::{Failure, Report, load_at_start, parameters, short};
use bristle_analysis::Sample;
use bristle_analysis::audit::dissipation::{Form, Inequality, Least, SPEED};
use bristle_analysis::audit::{self, Audit, Course, Holds, LineAudit, Motion, Verdict};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::{AnyBristle, Bristle, Field, Group, Model, Params};
use bristle_scenario::{OnImbalance, Scenario, line, simulate};
use bristle_simulation::Run;
use bristle_system::mechanism::Prescribed;
use bristle_system::signal::Steps;
use bristle_trace::Trace;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::ops::ControlFlow;
use toml::{Table, Value};

/// Audits a model under a load, N.
pub fn model(model: &AnyBristle<f64>, load: f64) -> Report {
    of_model(model, load, None)
}

/// Audits the friction of a system under the load at its start, and runs it; `go_on` is told how far the run is and may
/// stop it.
pub fn system(
    scenario: &Scenario,
    go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Report, Failure> {
    let load = load_at_start(scenario)?;
    let ran = simulate(scenario, OnImbalance::Mark, go_on).map_err(Failure::run)?;
    Ok(of_model(&scenario.friction, load, Some((scenario, &ran))))
}

/// `yes` or `no`, with what was measured.
fn of_model(model: &AnyBristle<f64>, load: f64, ran: Option<(&Scenario, &Run)>) -> Report {
    let found = audit::audit(model, load);
    let loops = audit::loops(model, &found);
    let mut text = String::new();
    let mut line = |label: &str, s: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{label:16} {s}");
    };
    line("model", format!("{} under {} N", found.model, short(load)));
    line("static limit", format!("{} N", short(found.static_limit)));
    let [k, c] = found.presliding;
    line("at rest, 10 Hz", format!("stiffness {} N/m, damping {} N·s/m", short(k), short(c)));
    let stated = model.passivity();
    match &found.passivity {
        Verdict::Passive { why, margin } if margin.is_finite() => {
            line("passive", format!("yes, with a margin of {}: {why}", short(*margin)));
        }
        Verdict::Passive { why, .. } => line("passive", format!("yes: {why}")),
        Verdict::NotPassive(drive) => {
            line("passive", format!("no: gives out {} J, found by search", short(-drive.work)));
            line("", format!("by {}", drive.motion));
            line("condition", conditional(stated.why, stated.margin));
        }
        Verdict::Unknown { why, margin } => {
            line("passive", "unknown: no drive was found that takes energy out".into());
            line("condition", conditional(why, *margin));
        }
    }
    line(
        "varying load",
        match found.varying_load {
            Some(cycle) => format!("gives out {} J a cycle: {cycle}", short(-cycle.work)),
            None => "no cycle of the load was found that takes energy out".into(),
        },
    );
    let lost = Inequality::of(model, load);
    for (k, s) in said(&lost).into_iter().enumerate() {
        line(if k == 0 { "F v − Ẇ" } else { "" }, s);
    }
    line(
        "holds a stick",
        match found.stick {
            Some(s) => format!(
                "{}: creeps {} m a pulse of 40 % of the limit",
                holds(s.holds()),
                short(s.creep)
            ),
            None => "unknown: the run under pulses failed".into(),
        },
    );
    line(
        "follows its law",
        match found.departure {
            Some(part) => {
                format!("within {:.2} % of the limit while speed changes at 1 Hz", 100.0 * part)
            }
            None => "has none: its force depends on position".into(),
        },
    );
    let bounded = match found.rates.bounded {
        true => format!("yes: no faster than {} 1/s at any speed", short(found.rates.fastest)),
        false => format!("no: {} 1/s at 1 m/s, and faster with speed", short(found.rates.usual)),
    };
    line("bounded rates", bounded);
    let mut summary = summary(model, &found);
    summary["dissipation"] = inequality(&lost);
    if let Some((scenario, ran)) = ran {
        for (name, account) in &ran.ledger {
            let contact = if name.is_empty() { "in this run" } else { name };
            let verdict = match account.creates_energy() {
                true => format!("negative dissipation: {} J given back", short(-account.returned)),
                false => "dissipation is never negative".into(),
            };
            let books =
                format!("work {} J, residual {:.1e} J", short(account.work), account.residual());
            line(contact, format!("{verdict}; {books}"));
        }
        let books = |(name, a): &(&str, bristle_system::Account)| {
            json!({
                "contact": name, "work_J": a.work, "dissipated_J": a.dissipated,
                "returned_J": a.returned, "residual_J": a.residual(),
                "creates_energy": a.creates_energy(),
            })
        };
        summary["title"] = json!(scenario.title);
        summary["ledger"] = ran.ledger.iter().map(books).collect();
    }
    let (table, figure) = draw(&found, &loops);
    let mut report = Report::new(text, summary, figure).table("loops.csv", table);
    if let Verdict::NotPassive(drive) = &found.passivity {
        report.documents.push(("drive.toml", played(model, load, &drive.motion)));
    }
    report
}

/// A scenario that plays a motion: the contact is moved by it.
fn played(model: &AnyBristle<f64>, load: f64, motion: &Motion) -> String {
    let (mut t, mut value, mut now) = (Vec::new(), Vec::new(), 0.0);
    for phase in motion.phases() {
        t.push(Value::Float(now));
        value.push(Value::Float(phase.v));
        now += phase.time;
    }
    let name = |of: &str| Value::String(of.into());
    let drive: [(&str, Value); 3] = [
        ("model", name(<Steps<f64> as Model>::NAME)),
        ("t", Value::Array(t)),
        ("value", Value::Array(value)),
    ];
    let mut friction = Table::new();
    friction.insert("model".into(), name(model.info().name));
    model.clone().visit(Group::default(), &mut |visit| {
        let value = match visit.field {
            Field::Number(x) => Value::Float(*x),
            Field::List(list) => {
                Value::Array(list.as_slice().iter().map(|x| Value::Float(*x)).collect())
            }
            Field::Choice(choice) => name(choice.get()),
        };
        let group = visit.group.to_string();
        let mut inner = &mut friction;
        for part in group.split_terminator('.') {
            let entry = inner.entry(part).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(table) = entry else { return };
            table.insert("model".into(), name(visit.model));
            inner = table;
        }
        inner.insert(visit.param.name.into(), value);
    });
    let table = |pairs: &[(&str, Value)]| -> Table {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    };
    let system = table(&[
        ("model", name(<Prescribed<f64, Steps<f64>> as Model>::NAME)),
        ("load", Value::Float(load)),
        ("drive", Value::Table(table(&drive))),
    ]);
    let title = format!("A motion that takes energy out of {}", model.info().name);
    let all = table(&[
        ("title", Value::String(title)),
        ("system", Value::Table(system)),
        ("friction", Value::Table(friction)),
        ("run", Value::Table(table(&[("end", Value::Float(now))]))),
    ]);
    all.to_string()
}

/// A condition with the margin by which it fails, if it has one.
fn conditional(why: &str, margin: f64) -> String {
    match margin.is_finite() {
        true => format!("{why}; margin {}", short(margin)),
        false => why.to_owned(),
    }
}

/// The inequality F v − Ẇ ≥ 0 with numbers put in, line by line.
fn said(lost: &Inequality) -> Vec<String> {
    let mut said = Vec::new();
    if let Some((Form { a, b, c }, up_to)) = lost.form {
        let sign = if b < 0.0 { '−' } else { '+' };
        said.push(format!(
            "{} z² {sign} {} z v + {} v² at {SPEED} m/s",
            short(a),
            short(b.abs()),
            short(c)
        ));
        said.push(match up_to.is_finite() {
                true => format!(
                    "never negative, b² ≤ 4ac, up to |v| = {} m/s; 1 − |b|/(2√(ac)) = {:.3} at {SPEED} m/s",
                    short(up_to),
                    lost.form.map_or(f64::NAN, |(f, _)| f.margin())
                ),
                false => "never negative at any speed".into(),
            });
    }
    let Least { part, v, z } = &lost.least;
    let at: Vec<String> = z.iter().map(|z| short(*z)).collect();
    let state = if at.is_empty() { String::new() } else { format!(", z = {}", at.join(", ")) };
    said.push(format!("at least {part:.2e} F_s|v|, at v = {} m/s{state}", short(*v)));
    said
}

fn inequality(lost: &Inequality) -> Json {
    json!({
        "least_over_limit": lost.least.part, "v_mps": lost.least.v, "z": lost.least.z,
        "form": lost.form.map(|(f, up_to)| json!({
            "v_mps": SPEED, "a": f.a, "b": f.b, "c": f.c, "margin": f.margin(),
            "definite_up_to_mps": up_to.is_finite().then_some(up_to),
        })),
    })
}

fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Exactly => "yes, exactly",
        Holds::Nearly => "nearly",
        Holds::Not => "no",
    }
}

fn summary(model: &AnyBristle<f64>, found: &Audit) -> Json {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Json::Null };
    let passivity = match &found.passivity {
        Verdict::Passive { why, margin } => {
            json!({ "verdict": "passive", "why": why, "margin": finite(*margin) })
        }
        Verdict::NotPassive(drive) => {
            let phases = drive.motion.phases();
            let phase = |p: &audit::Phase| json!({ "v_mps": p.v, "time_s": p.time });
            json!({
                "verdict": "not passive", "work_J": drive.work, "lent_J": drive.lent,
                "drive": phases.iter().map(phase).collect::<Vec<_>>(),
            })
        }
        Verdict::Unknown { why, margin } => {
            json!({ "verdict": "unknown", "why": why, "margin": finite(*margin) })
        }
    };
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "friction": { "model": found.model, "parameters": parameters(model) },
        "load_N": found.load,
        "static_limit_N": found.static_limit,
        "presliding": { "stiffness_N_per_m": found.presliding[0], "damping_Ns_per_m": found.presliding[1] },
        "passivity": passivity,
        "varying_load": found.varying_load.map(|cycle| json!({
            "work_J": cycle.work, "stroke_m": cycle.stroke, "speed_mps": cycle.speed,
            "loads_N": cycle.loads,
        })),
        "stick": found.stick.map(|s| json!({
            "holds": holds(s.holds()), "creep_m": s.creep, "bend_m": s.bend,
        })),
        "departure_from_law": found.departure,
        "rates": {
            "bounded": found.rates.bounded, "at_1_mps_per_s": found.rates.usual,
            "fastest_per_s": found.rates.fastest,
        },
    })
}

fn draw(found: &Audit, loops: &[(Course, Vec<Sample>)]) -> (Trace, Figure) {
    let force = || Axis::new("friction force F", "N");
    let slow = loops.iter().any(|(course, _)| *course == Course::ForthAndBack);
    let position_of = |(course, _): &(Course, Vec<Sample>)| match course {
        Course::Position(a) => *a,
        _ => 0.0,
    };
    let (unit, many) = unit_of_length(loops.iter().map(position_of).fold(0.0, f64::max));
    let title = match slow {
        true => "slowly forth and back".to_owned(),
        false => format!("1 Hz about rest, amplitude in {unit}"),
    };
    let mut position = Panel::new(Axis::new("position x", "m"), force()).titled(title);
    let mut velocity = Panel::new(Axis::new("velocity v", "m/s"), force())
        .titled("at 0.015 ± 0.014 m/s, by frequency");
    let mut table = Trace::new([("loop", "1"), ("t", "s"), ("x", "m"), ("v", "m/s"), ("F", "N")]);
    for (i, (course, samples)) in loops.iter().enumerate() {
        for s in samples {
            table.push(&[i as f64, s.t, s.x, s.v, s.force]);
        }
        let column = |f: fn(&Sample) -> f64| samples.iter().map(f).collect::<Vec<_>>();
        let (panel, name, x) = match course {
            Course::ForthAndBack => (&mut position, String::new(), column(|s| s.x)),
            Course::Position(a) => (&mut position, digits(many * a), column(|s| s.x)),
            Course::Velocity(f) => (&mut velocity, format!("{f} Hz"), column(|s| s.v)),
        };
        panel.series.push(Series::new(name, x, column(|s| s.force)));
    }
    // Friction that depends on position has no loops over velocity.
    let panels = [position, velocity].into_iter().filter(|panel| !panel.series.is_empty());
    let panels: Vec<Panel> = panels.collect();
    (table, Figure::grid(panels.len().max(1), panels).titled(format!("Loops of {}", found.model)))
}

/// Audits a line contact: 000 Lemma IV.2, or a motion that takes energy out.
pub fn line(scenario: &line::Scenario) -> Result<Report, Failure> {
    let found = scenario.with(audit::line).map_err(Failure::input)?;
    let mut text = String::new();
    let mut line = |label: &str, s: String| {
        let _ = writeln!(text, "{label:16} {s}");
    };
    line("line contact", format!("bristles of {}", scenario.bristle.info().name));
    let condition = "−d(σ₀pV)/dξ ≥ 0, 000 (50)";
    let margin =
        format!("{condition}: {} N/(m²·s) at ξ = {}", short(found.margin), short(found.at));
    line("condition", margin);
    line(
        "passive",
        match (&found.extraction, found.is_passive()) {
            (_, true) => "yes: 000 Lemma IV.2".into(),
            (Some(e), _) => format!(
                "no: v = {:.3e} sin({:.1} t) m/s gives out {} J in every cycle",
                e.amplitude,
                e.omega,
                short(-e.work)
            ),
            (None, _) => {
                "unknown: the condition fails and no motion was found that takes energy out".into()
            }
        },
    );
    let (table, figure) = response(scenario).map_err(Failure::input)?;
    Ok(Report::new(text, line_summary(scenario, &found), figure).table("response.csv", table))
}

fn line_summary(scenario: &line::Scenario, found: &LineAudit) -> Json {
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "line": parameters(&scenario.contact),
        "friction": {
            "model": scenario.bristle.info().name, "parameters": parameters(&scenario.bristle),
        },
        "condition_50_margin": found.margin,
        "condition_50_at": found.at,
        "passive": found.is_passive(),
        "extraction": found.extraction.map(|e| json!({
            "amplitude_mps": e.amplitude, "omega_rad_per_s": e.omega, "work_J": e.work,
            "response_Ns_per_m": e.response,
        })),
    })
}

/// The real part of the frequency response at rest: where it is negative, small motions take energy out.
fn response(
    scenario: &line::Scenario,
) -> Result<(Trace, Figure), bristle_analysis::linearise::NotLinear> {
    let linear = scenario.with(|line| bristle_analysis::linearise::LinearLine::new(line, 0.0))?;
    let rate = scenario.contact.rate;
    let mut table = Trace::new([("omega", "rad/s"), ("re", "N*s/m"), ("im", "N*s/m")]);
    let omegas: Vec<f64> = (1..=300).map(|k| rate * 0.1 * f64::from(k)).collect();
    let values: Vec<_> = omegas.iter().map(|w| linear.response(*w)).collect();
    for (omega, h) in omegas.iter().zip(&values) {
        table.push(&[*omega, h.re, h.im]);
    }
    let real: Vec<f64> = values.iter().map(|h| h.re).collect();
    let panel = Panel::new(Axis::new("ω", "rad/s"), Axis::new("Re F/v at rest", "N·s/m"))
        .with(Series::new("", omegas, real))
        .mark(bristle_figure::Mark::horizontal(0.0, ""));
    Ok((table, Figure::grid(1, [panel]).titled(scenario.title.clone())))
}
