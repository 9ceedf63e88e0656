//! What a fit hands out: text, JSON, a parameter set, figures, a page.
use crate::file::{Job, Subject};
use crate::{Ended, Estimate, Fitted, Standing};
use bristle_figure::{Axis as Scale, Figure, Look, Mark, Panel, Series};
use bristle_kernel::{AnyBristle, Bristle, Drive, Field, Group, Params};
use bristle_scenario::friction::Friction;
use serde_json::{Value, json};
use std::fmt::Write;

/// A fit with one model, of several that are compared.
#[derive(Debug)]
pub struct Outcome {
    /// The name of the model.
    pub model: String,
    /// What was fitted.
    pub subject: Subject,
    /// What came out.
    pub fitted: Fitted,
    /// How long it took, s.
    pub seconds: f64,
}

/// The best of several first: by the error on what was held out where something was, else by Schwarz's criterion.
pub fn rank(outcomes: &mut [Outcome]) {
    let held = outcomes.iter().all(|o| o.fitted.rms(true).is_some());
    let key =
        |o: &Outcome| if held { o.fitted.rms(true).unwrap_or(f64::INFINITY) } else { o.fitted.bic };
    outcomes.sort_by(|a, b| key(a).total_cmp(&key(b)));
}

/// A number with so many digits as matter.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e5).contains(&size) => {
            let digits = (5 - size.log10().floor() as i32 - 1).clamp(0, 9) as usize;
            format!("{x:.digits$}")
        }
        _ => format!("{x:.4e}"),
    }
}

/// What a person reads of one parameter.
fn line(e: &Estimate) -> String {
    let name = format!("{:10}", e.free.name);
    let unit = if e.free.unit == "1" { "" } else { e.free.unit.as_str() };
    match (e.standing, e.interval) {
        (Standing::Undetermined, _) => format!("{name} not determined"),
        (Standing::AtBound(bound), _) => format!("{name} at its bound {} {unit}", short(bound)),
        (standing, Some([a, b])) => {
            let hardly = if standing == Standing::Hardly { ", hardly determined" } else { "" };
            format!("{name} {} {unit}  [{}, {}]{hardly}", short(e.value), short(a), short(b))
        }
        (_, None) => format!("{name} {} {unit}  no interval", short(e.value)),
    }
}

/// What a person reads, the preferred model first.
pub fn text(job: &Job, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    if !job.title.is_empty() {
        text += &format!("{}\n\n", job.title);
    }
    let Some(best) = outcomes.first() else { return text };
    let fitted = &best.fitted;
    text += &format!("{}, values with 95 % intervals\n", best.model);
    for e in &fitted.estimates {
        let _ = writeln!(text, "  {}", line(e));
    }
    text += "\n";
    for (channel, q) in &fitted.channels {
        let held = if channel.held_out { ", held out" } else { "" };
        let _ = writeln!(
            text,
            "residuals   {} of {}{held}: rms {} {}, {:.2} from sample to sample{}",
            channel.name,
            channel.log,
            short(q.rms),
            channel.unit,
            q.lag_one,
            if q.coloured { "" } else { ", white" }
        );
    }
    for said in sentences(job, best) {
        let _ = writeln!(text, "note: {said}");
    }
    if outcomes.len() > 1 {
        text += "\nmodel          rms          held out     BIC above the best\n";
        for o in outcomes {
            let held = o.fitted.rms(true).map_or("-".into(), short);
            let above =
                o.fitted.bic - outcomes.iter().map(|o| o.fitted.bic).fold(f64::INFINITY, f64::min);
            let _ = writeln!(
                text,
                "{:14} {:12} {:12} {:.0}",
                o.model,
                o.fitted.rms(false).map_or("-".into(), short),
                held,
                above
            );
        }
        text += &format!("{}\n", preference(outcomes));
    }
    text
}

/// Which model is preferred, and by how much.
pub fn preference(outcomes: &[Outcome]) -> String {
    let [best, next, ..] = outcomes else { return String::new() };
    match (best.fitted.rms(true), next.fitted.rms(true)) {
        (Some(a), Some(b)) => format!(
            "{} is preferred: its error on what was held out is {:.1} % less than that of {}",
            best.model,
            100.0 * (1.0 - a / b),
            next.model
        ),
        _ => {
            let by = next.fitted.bic - best.fitted.bic;
            // R. E. Kass, A. E. Raftery, J. Am. Stat. Assoc. 90, 1995: 10 is very strong.
            let strong = if by > 10.0 { "is preferred" } else { "is not clearly preferred" };
            format!(
                "{} {strong}: its BIC is {by:.0} below that of {}; nothing was held out",
                best.model, next.model
            )
        }
    }
}

/// What to know besides numbers.
fn sentences(job: &Job, outcome: &Outcome) -> Vec<String> {
    let fitted = &outcome.fitted;
    let mut all = job.prepared.clone();
    if let Some(why) = &fitted.refused {
        all.push(format!("no intervals are given: {why}"));
    }
    all.extend(fitted.undetermined.iter().cloned());
    all.extend(fitted.remarks.iter().cloned());
    let passivity = outcome.subject.friction(&fitted.theta()).map(|friction| match friction {
        Friction::Line(model) => model.passivity(),
        Friction::Plane(model) => Bristle::passivity(&model),
    });
    if let Some(passivity) = passivity.filter(|p| !p.known) {
        all.push(format!(
            "{} is not known to be passive with these values: {}",
            outcome.model, passivity.why
        ));
    }
    all
}

/// The same for programs.
pub fn summary(job: &Job, outcomes: &[Outcome]) -> Value {
    let one = |o: &Outcome| {
        let f = &o.fitted;
        let parameters: Vec<Value> = f
            .estimates
            .iter()
            .map(|e| {
                let standing = match e.standing {
                    Standing::Determined => "determined",
                    Standing::Hardly => "hardly determined",
                    Standing::Undetermined => "not determined",
                    Standing::AtBound(_) => "at its bound",
                };
                let known = e.standing != Standing::Undetermined;
                json!({
                    "name": e.free.name, "unit": e.free.unit, "standing": standing,
                    "value": known.then_some(e.value), "standard_error": e.error, "interval_95": e.interval,
                })
            })
            .collect();
        let channels: Vec<Value> = f
            .channels
            .iter()
            .map(|(c, q)| {
                json!({
                    "log": c.log, "name": c.name, "unit": c.unit, "held_out": c.held_out, "rms": q.rms, "mean": q.mean,
                    "lag_one": q.lag_one, "white": !q.coloured, "noise_order": q.noise.recursion.len(),
                    "unseen_force": q.noise.unseen.is_some(),
                })
            })
            .collect();
        let p = f.estimates.len();
        let correlation: Vec<Vec<Option<f64>>> = (0..p)
            .map(|i| {
                (0..p).map(|j| Some(f.correlation[(i, j)]).filter(|c| c.is_finite())).collect()
            })
            .collect();
        json!({
            "model": o.model,
            "ended": match f.ended {
                Ended::Converged => "converged",
                Ended::Exhausted => "out of steps",
                Ended::Interrupted => "interrupted: the best so far",
            },
            "parameters": parameters, "correlation": correlation, "channels": channels,
            "not_determined": f.undetermined, "notes": sentences(job, o), "intervals_refused": f.refused,
            "aic": f.aic, "bic": f.bic, "evaluations": f.evaluations, "seconds": o.seconds,
        })
    };
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": job.title,
        "preferred": outcomes.first().map(|o| &o.model),
        "preference": preference(outcomes),
        "models": outcomes.iter().map(one).collect::<Vec<_>>(),
    })
}

/// A machine's own file with what was fitted, under the name of that file.
pub fn machine(outcome: &Outcome) -> Option<String> {
    match &outcome.subject {
        Subject::Machine(machine) => machine.file(&outcome.fitted.theta()).ok(),
        _ => None,
    }
}

/// A named set, as files of sets are written.
pub fn set(job: &Job, outcome: &Outcome) -> String {
    let fitted = &outcome.fitted;
    let mark = match fitted.ended {
        Ended::Converged => "",
        _ => "The search had not ended: this is the best so far. ",
    };
    let notes = format!("{mark}{}", sentences(job, outcome).join(". "));
    let quoted = |s: &str| Value::from(s).to_string();
    let title = if job.title.is_empty() { "A fit" } else { &job.title };
    let mut text = format!(
        "title = {}\nsource = \"a fit by bristle {}\"\nnote = {}\nmodels = [{}]\n\n[friction]\n",
        quoted(title),
        env!("CARGO_PKG_VERSION"),
        quoted(&notes),
        quoted(&outcome.model)
    );
    // Groups in their order, the model's own numbers first: `law.`, `matrix.`, `matrix.law.`
    let mut groups: Vec<(String, &str, String)> = Vec::new();
    let mut write = |visit: bristle_kernel::Visit<'_, f64>| {
        let group = visit.group.to_string();
        let value = match &visit.field {
            Field::Number(x) => format!("{:?}", **x),
            Field::List(list) => format!("{:?}", list.as_slice()),
            Field::Choice(choice) => format!("{:?}", choice.get()),
        };
        let line = format!("{} = {value}\n", visit.param.name);
        match groups.iter_mut().find(|(name, ..)| *name == group) {
            Some((_, _, lines)) => lines.push_str(&line),
            None => groups.push((group, visit.model, line)),
        }
    };
    match outcome.subject.friction(&fitted.theta()) {
        Some(Friction::Line(mut model)) => model.visit(Group::default(), &mut write),
        Some(Friction::Plane(mut model)) => model.visit(Group::default(), &mut write),
        None => {}
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    for (group, model, lines) in groups {
        match group.strip_suffix('.') {
            None => text += &lines,
            Some(name) => {
                let _ = write!(text, "\n[friction.{name}]\nmodel = {model:?}\n{lines}");
            }
        }
    }
    let others: Vec<&Estimate> = fitted
        .estimates
        .iter()
        .filter(|e| {
            let name = e.free.name.as_str();
            let own = name == crate::axis::INERTIA || crate::axis::OWN.contains(&name);
            own || matches!(outcome.subject, Subject::Machine(_))
        })
        .collect();
    for e in others {
        text += &format!("# {} = {:?} {}\n", e.free.name, e.value, e.free.unit);
    }
    text
}

/// At most so many points of a line are drawn; more are not seen.
const DRAWN: usize = 4000;

/// Measured and fitted, residuals, force over velocity, intervals.
pub fn figure(job: &Job, outcome: &Outcome) -> Figure {
    let fitted = &outcome.fitted;
    let mut panels = Vec::new();
    let mut first = 0;
    for (channel, q) in &fitted.channels {
        let n = channel.measured.len();
        let residual = &fitted.residuals[first..first + n];
        first += n;
        let every = n.div_ceil(DRAWN).max(1);
        let pick =
            |of: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..n).step_by(every).map(of).collect() };
        let t = || pick(&|k| channel.at[k]);
        let held = if channel.held_out { ", held out" } else { "" };
        let time = || match channel.serial {
            true => Scale::new("time t", "s"),
            false => Scale::new("row", ""),
        };
        panels.push(
            Panel::new(time(), Scale::new(channel.name.clone(), channel.unit.clone()))
                .titled(format!("{}{held}", channel.log))
                .with(Series::new("measured", t(), pick(&|k| channel.measured[k])).look(Look::Dots))
                .with(Series::new("fitted", t(), pick(&|k| channel.measured[k] - residual[k]))),
        );
        panels.push(
            Panel::new(time(), Scale::new("measured − fitted", channel.unit.clone()))
                .titled(format!("residuals: rms {} {}", short(q.rms), channel.unit))
                .with(Series::new("", t(), pick(&|k| residual[k]))),
        );
    }
    if let Subject::Element(element) = &outcome.subject
        && let (Some(motion), Some((channel, _))) =
            (element.motions().first(), fitted.channels.first())
    {
        let model = element.model(&fitted.theta());
        let n = motion.t.len();
        let every = n.div_ceil(DRAWN).max(1);
        let fastest = motion.v.iter().fold(1e-12f64, |m, v| m.max(v.abs()));
        let load = motion.load.iter().sum::<f64>() / n as f64;
        let speeds: Vec<f64> = (-200..=200)
            .filter(|k| *k != 0)
            .map(|k| fastest * (f64::from(k) / 200.0).powi(3))
            .collect();
        let law = speeds.iter().map(|v| steady(&model, *v, load)).collect::<Vec<_>>();
        let cloud = |of: &[f64]| -> Vec<f64> { of.iter().step_by(every).copied().collect() };
        panels.push(
            Panel::new(Scale::new("velocity v", "m/s"), Scale::new("force F", "N"))
                .titled("force over velocity, and the law")
                .with(
                    Series::new("measured", cloud(&motion.v), cloud(&channel.measured))
                        .look(Look::Dots),
                )
                .with(Series::new("steady sliding", speeds, law)),
        );
    }
    // Intervals relative to their values, one row a parameter.
    let given: Vec<&Estimate> =
        fitted.estimates.iter().filter(|e| e.interval.is_some() && e.value != 0.0).collect();
    if !given.is_empty() {
        let names: Vec<&str> = given.iter().map(|e| e.free.name.as_str()).collect();
        let count = given.len() as f64;
        let mut panel = Panel::new(
            Scale::new("95 % interval over the value, − 1", "%"),
            Scale::new("parameter", "").within(0.0, count + 1.0),
        )
        .titled(format!("from below: {}", names.join(", ")))
        .mark(Mark::vertical(0.0, ""));
        for (k, e) in given.iter().enumerate() {
            let Some(ends) = e.interval else { continue };
            let ends = ends.map(|x| 100.0 * (x - e.value) / e.value.abs());
            panel = panel.with(Series::new("", ends, [k as f64 + 1.0; 2]).rank(0));
        }
        panels.push(panel);
    }
    Figure::grid(2, panels).titled(format!("{} {}", job.title, outcome.model).trim().to_owned())
}

fn steady(model: &AnyBristle<f64>, v: f64, load: f64) -> f64 {
    let mut z = vec![0.0; model.states()];
    model.steady(&Drive::new(v, load), &mut z)
}

/// One page with everything.
pub fn page(job: &Job, outcomes: &[Outcome], svg: &str) -> String {
    let escaped = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let title = if job.title.is_empty() { "A fit" } else { &job.title };
    let mut rows = String::new();
    let mut matrix = String::new();
    if let Some(best) = outcomes.first() {
        let p = best.fitted.estimates.len();
        matrix += "<table><tr><th></th>";
        for e in &best.fitted.estimates {
            rows += &format!("<li><code>{}</code></li>", escaped(&line(e)));
            matrix += &format!("<th>{}</th>", escaped(&e.free.name));
        }
        matrix += "</tr>";
        for i in 0..p {
            matrix += &format!("<tr><th>{}</th>", escaped(&best.fitted.estimates[i].free.name));
            for j in 0..p {
                let c = best.fitted.correlation[(i, j)];
                let cell = if c.is_finite() { format!("{c:.2}") } else { "–".into() };
                matrix += &format!("<td>{cell}</td>");
            }
            matrix += "</tr>";
        }
        matrix += "</table>";
    }
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>body{{font:15px/1.5 \
         sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}td,th{{padding:.1em .6em;text-align:right}}\
         pre{{overflow:auto;background:#f4f4f4;padding:1em}}svg{{max-width:100%;height:auto}}</style>\
         <h1>{0}</h1><pre>{1}</pre><h2>Correlation of the estimates</h2>{2}<h2>Figures</h2>{3}</html>\n",
        escaped(title),
        escaped(&text(job, outcomes)),
        matrix,
        svg
    )
}

/// The joint of a MuJoCo model, with what it cannot say. Under a load of one, or N times what is per load.
pub fn mujoco(outcome: &Outcome) -> Result<String, String> {
    let theta = outcome.fitted.theta();
    let Some(Friction::Line(model)) = outcome.subject.friction(&theta) else {
        return Err("a MuJoCo joint has one friction along one direction: fit an element, an axis or a joint".into());
    };
    let load = match &outcome.subject {
        Subject::Element(e) => {
            e.motions().first().map_or(1.0, |m| m.load.iter().sum::<f64>() / m.load.len() as f64)
        }
        _ => 1.0,
    };
    let number = |name: &str| {
        let mut found = None;
        model.clone().visit(Group::default(), &mut |visit| {
            if let Field::Number(x) = &visit.field
                && visit.param.name == name
            {
                found = Some(**x);
            }
        });
        found
    };
    let Some(dry) = number("mu_d").or_else(|| number("mu")) else {
        return Err(format!(
            "{} has no law with a friction level: a MuJoCo joint needs one",
            outcome.model
        ));
    };
    let viscous = number("viscous").unwrap_or(0.0);
    let mass = ["mass", crate::axis::INERTIA];
    let mass = mass.into_iter().find_map(|n| outcome.fitted.estimate(n)).map(|e| e.value);
    let mut text = String::from(
        "<!-- SI units. What is lost: the bristle, so that a joint creeps under loads below its friction;\n",
    );
    text += "     the fall from the static to the dynamic level (a LuGre actuator keeps both: its constants are below);\n";
    text += "     loads that change. -->\n";
    let armature = mass.map_or(String::new(), |m| format!(" armature=\"{m}\""));
    let _ = writeln!(
        text,
        "<joint frictionloss=\"{}\" damping=\"{}\"{armature}/>",
        dry * load,
        viscous * load
    );
    if let (Some(s0), Some(s1)) = (number("sigma0"), number("sigma1")) {
        let scale = if crate::file::is_absolute(&model) { 1.0 } else { load };
        let _ = writeln!(
            text,
            "<!-- LuGre of a dcmotor: stiffness {} N/m, damping {} N*s/m, Coulomb {} N, static {} N, Stribeck {} m/s, viscous {} N*s/m -->",
            s0 * scale,
            s1 * scale,
            dry * load,
            number("mu_s").unwrap_or(dry) * load,
            number("v_s").unwrap_or(0.0),
            viscous * load
        );
    }
    Ok(text)
}
