//! Hysteresis and equilibria of friction that depends on position: 001.
use crate::{Failure, Report, parameters, short};
use bristle_analysis::maps::{equilibria, hysteresis};
use bristle_figure::{Axis, Figure, Look, Mark, Panel, Series};
use bristle_rotating::{Body, Friction};
use bristle_scenario::Scenario;
use bristle_system::Mechanism;
use bristle_trace::Trace;
use serde_json::json;

/// The equilibria map, which repeats but for the spring, is drawn over so many spacings, at so many positions.
const SPACINGS: f64 = 4.0;
const PLACES: usize = 2001;

/// Computes the hysteresis and equilibria maps of friction that depends on position.
pub fn map(scenario: &Scenario) -> Result<Report, Failure> {
    let Some(friction) = Friction::of(&scenario.friction) else {
        let name = scenario.friction.info().name;
        let text = format!(
            "friction.model = \"{name}\" has no map: its force does not depend on position; take rotating, \
             rotating_discontinuous or sawtooth"
        );
        return Err(Failure::Input(text));
    };
    let values = parameters(&scenario.mechanism);
    let text = "a map is of a mass with a spring under a sine about zero that begins there: system.model = \"mass\" with \
                stiffness, system.drive = { model = \"sine\", mean = 0, angle = 0 }";
    let Some(tied) = scenario.mechanism.tied() else { return Err(Failure::input(text)) };
    let omega = core::f64::consts::TAU * tied.frequency;
    let body = Body::tied(tied.mass, tied.stiffness, tied.amplitude, omega);
    let Some(found) = hysteresis(body, friction) else {
        return Err(Failure::input("system.drive.model must be \"sine\""));
    };
    let map = found.map_err(Failure::run)?;
    let column = |name: &str| map.table.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let (u, x) = (column("u"), column("x"));
    let reach = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let window = [0.0, SPACINGS * friction.delta()];
    let set = equilibria(friction, body.stiffness, window, PLACES);
    let figure = draw(&scenario.title, body.stiffness, [&u, &x], window, &set);
    let text = format!(
        "{}\n{} over one cycle: supplied {} J, friction {} J, {} slips, |x| up to {} m\n",
        scenario.title,
        scenario.friction.info().name,
        short(map.supplied),
        short(map.friction),
        map.slips,
        short(reach)
    );
    let summary = json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "title": scenario.title,
        "system": { "model": scenario.mechanism.info().name, "parameters": values },
        "friction": {
            "model": scenario.friction.info().name, "parameters": parameters(&scenario.friction),
        },
        "supplied_J": map.supplied, "friction_J": map.friction, "slips": map.slips,
        "reach_m": reach,
    });
    Ok(Report::new(text, summary, figure).table("hysteresis.csv", map.table))
}

/// The loop within all forces under which the body can rest, and both close up.
fn draw(title: &str, stiffness: f64, [u, x]: [&[f64]; 2], window: [f64; 2], set: &Trace) -> Figure {
    let bound = |name: &str| set.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let (low, high, places) = (bound("u_low"), bound("u_high"), bound("x"));
    let panel = |title: &str| {
        Panel::new(Axis::new("force u", "N"), Axis::new("position x", "m")).titled(title)
    };
    // Friction alone, without the spring, repeats with the spacing.
    let alone =
        |u: &[f64]| u.iter().zip(&places).map(|(u, x)| u - stiffness * x).collect::<Vec<_>>();
    let least = alone(&low).into_iter().fold(f64::INFINITY, f64::min);
    let most = alone(&high).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let [from, to] = x.iter().fold([0.0f64; 2], |[l, h], x| [l.min(*x), h.max(*x)]);
    let corners = [(least, from), (least, to), (most, to), (most, from)];
    let (ru, rx): (Vec<f64>, Vec<f64>) =
        corners.iter().map(|(f, x)| (f + stiffness * x, *x)).unzip();
    let whole = panel("hysteresis; it can rest where it is grey")
        .mark(Mark::region(ru, rx))
        .with(Series::new("", u, x));
    // The part of the loop that passes the window; it is broken where it leaves.
    let inside = |(u, x): (&f64, &f64)| {
        if (window[0]..=window[1]).contains(x) { (*u, *x) } else { (f64::NAN, f64::NAN) }
    };
    let (near_u, near_x): (Vec<f64>, Vec<f64>) = u.iter().zip(x).map(inside).unzip();
    let close = panel("close up: it rests between least and greatest u")
        .with(Series::new("loop", near_u, near_x))
        .with(Series::new("least", low, places.clone()).look(Look::Solid))
        .with(Series::new("greatest", high, places).look(Look::Solid));
    Figure::grid(2, [whole, close]).titled(title)
}
