//! `bristle audit`: what a friction model does with its parameters, with reasons.
use crate::run::{parameters, short};
use crate::subject::What;
use crate::{Outcome, Trouble};
use bristle_analysis::audit::{self, Audit, Holds, LineAudit, Verdict};
use bristle_analysis::periodic::{Periodic, hysteresis, lag};
use bristle_figure::{Axis, Figure, Panel, Series};
use bristle_kernel::AnyBristle;
use bristle_scenario::{Outcome as Run, Scenario, Subject, line, simulate};
use bristle_trace::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// The load of a model that stands alone, N
    #[arg(long, default_value_t = 1.0)]
    load: f64,
}

/// Audits and reports.
pub fn run(args: &Args) -> Outcome {
    let positive = args.load.is_finite() && args.load > 0.0;
    if !positive {
        let text = format!("--load {} N must be a positive number", args.load);
        return Err(Trouble::Input(text));
    }
    match args.what.read()? {
        Subject::Line(scenario) => of_line(&args.what, &scenario),
        Subject::Friction(model) => of_model(&args.what, &model, args.load, None),
        Subject::System(scenario) => {
            let (system, y) = scenario.system().map_err(|p| args.what.refused(&p.to_string()))?;
            let load = system.contact(0, 0.0, &y).0.load;
            let ran = simulate(&scenario, &mut |_| ControlFlow::Continue(()));
            let ran = ran.map_err(|stopped| Trouble::Run(stopped.to_string()))?;
            of_model(&args.what, &scenario.friction, load, Some((&scenario, &ran)))
        }
    }
}

/// `yes` or `no`, with what was measured.
fn of_model(
    what: &What,
    model: &AnyBristle<f64>,
    load: f64,
    ran: Option<(&Scenario, &Run)>,
) -> Outcome {
    let found = audit::audit(model, load);
    let loops = loops(model, &found);
    let mut text = String::new();
    let mut line = |label: &str, s: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{label:16} {s}");
    };
    line("model", format!("{} under {} N", found.model, short(load)));
    line("static limit", format!("{} N", short(found.static_limit)));
    let [k, c] = found.presliding;
    line("at rest, 10 Hz", format!("stiffness {} N/m, damping {} N·s/m", short(k), short(c)));
    match &found.passivity {
        Verdict::Passive { why, margin } if margin.is_finite() => {
            line("passive", format!("yes, with a margin of {}: {why}", short(*margin)));
        }
        Verdict::Passive { why, .. } => line("passive", format!("yes: {why}")),
        Verdict::NotPassive(drive) => {
            line("passive", format!("no: gives out {} J, found by search", short(-drive.work)));
            line("", format!("by {}", drive.motion));
        }
        Verdict::Unknown { why, .. } => {
            line("passive", format!("unknown: no drive was found that takes energy out; {why}"));
        }
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
    what.write("audit", text, &summary, ("loops.csv", &table), &figure)
}

fn holds(holds: Holds) -> &'static str {
    match holds {
        Holds::Exactly => "yes, exactly",
        Holds::Nearly => "nearly",
        Holds::Not => "no",
    }
}

fn summary(model: &AnyBristle<f64>, found: &Audit) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
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

/// Loops of force over position at three amplitudes, and over velocity in one direction.
fn loops(model: &AnyBristle<f64>, found: &Audit) -> Vec<(String, Periodic)> {
    let [k, _] = found.presliding;
    let bend = if k > 0.0 { found.static_limit / k } else { 1e-4 };
    let over_position = [0.5, 2.0, 8.0].into_iter().filter_map(|part| {
        let amplitude = part * bend;
        let found = hysteresis(model, found.load, amplitude, 1.0, 1e-8).ok()?;
        Some((format!("A = {amplitude:.1e} m"), found))
    });
    let over_velocity = [1.0, 10.0, 50.0].into_iter().filter_map(|f| {
        let found = lag(model, found.load, 0.015, 0.014, f, 1e-8).ok()?;
        Some((format!("{f} Hz"), found))
    });
    over_position.chain(over_velocity).collect()
}

fn draw(found: &Audit, loops: &[(String, Periodic)]) -> (Trace, Figure) {
    let force = || Axis::new("friction force F", "N");
    let mut position = Panel::new(Axis::new("position x", "m"), force()).titled("1 Hz about rest");
    let mut velocity =
        Panel::new(Axis::new("velocity v", "m/s"), force()).titled("0.015 ± 0.014 m/s");
    let mut table = Trace::new([("loop", "1"), ("t", "s"), ("x", "m"), ("v", "m/s"), ("F", "N")]);
    for (i, (name, periodic)) in loops.iter().enumerate() {
        let samples = &periodic.cycle.samples;
        let column =
            |f: fn(&bristle_analysis::Sample) -> f64| samples.iter().map(f).collect::<Vec<_>>();
        for s in samples {
            table.push(&[i as f64, s.t, s.x, s.v, s.force]);
        }
        let about_rest = periodic.cycle.v.min < 0.0;
        let x = if about_rest { column(|s| s.x) } else { column(|s| s.v) };
        let series = Series::new(name.clone(), x, column(|s| s.force));
        let panel = if about_rest { &mut position } else { &mut velocity };
        panel.series.push(series);
    }
    (table, Figure::grid(2, [position, velocity]).titled(format!("Loops of {}", found.model)))
}

fn of_line(what: &What, scenario: &line::Scenario) -> Outcome {
    let refused = |e: &dyn std::fmt::Display| what.refused(&e.to_string());
    let found = scenario.with(audit::line).map_err(|e| refused(&e))?;
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
    let (table, figure) = response(scenario).map_err(|e| refused(&e))?;
    what.write("audit", text, &line_summary(scenario, &found), ("response.csv", &table), &figure)
}

fn line_summary(scenario: &line::Scenario, found: &LineAudit) -> Value {
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
