//! `bristle map`: hysteresis and equilibria of friction that depends on position.
use crate::run::{parameters, short};
use crate::subject::What;
use crate::{Outcome, Trouble};
use bristle_analysis::maps::{equilibria, hysteresis};
use bristle_figure::{Axis, Figure, Look, Panel, Series};
use bristle_rotating::{Body, Friction};
use bristle_scenario::Subject;
use serde_json::json;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
}

/// The equilibria map, which repeats but for the spring, is drawn over so many spacings, at so many positions.
const SPACINGS: f64 = 4.0;
const PLACES: usize = 2001;

/// Computes the maps and draws them.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let Subject::System(scenario) = what.read()? else {
        return Err(what.refused("a map needs [system]: a mass with a spring, under a sine"));
    };
    let Some(friction) = Friction::of(&scenario.friction) else {
        let name = scenario.friction.info().name;
        let text = format!(
            "friction.model = \"{name}\" has no map: its force does not depend on position; take rotating, \
             rotating_discontinuous or sawtooth"
        );
        return Err(what.refused(&text));
    };
    let values = parameters(&scenario.mechanism);
    let number = |key: &str| values[key].as_f64();
    let body = match (
        number("mass"),
        number("stiffness"),
        number("drive.amplitude"),
        number("drive.frequency"),
    ) {
        (Some(mass), Some(stiffness), Some(amplitude), Some(frequency)) => {
            Body::tied(mass, stiffness, amplitude, core::f64::consts::TAU * frequency)
        }
        _ => {
            let text =
                "system.model must be \"mass\" with a spring, and system.drive.model \"sine\"";
            return Err(what.refused(text));
        }
    };
    let Some(found) = hysteresis(body, friction) else {
        return Err(what.refused("system.drive.model must be \"sine\""));
    };
    let map = found.map_err(|e| Trouble::Run(format!("{e:?}")))?;
    let column = |name: &str| map.table.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let (u, x) = (column("u"), column("x"));
    let reach = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let set = equilibria(friction, body.stiffness, [0.0, SPACINGS * friction.delta()], PLACES);
    let bound = |name: &str| set.column(name).map(|c| c.values.clone()).unwrap_or_default();
    let axes = || (Axis::new("force u", "N"), Axis::new("position x", "m"));
    let (force, position) = axes();
    let hysteresis = Panel::new(force, position).titled("hysteresis").with(Series::new("", u, x));
    let (force, position) = axes();
    let rest = Panel::new(force, position)
        .titled("rests between")
        .with(Series::new("least u", bound("u_low"), bound("x")).look(Look::Solid))
        .with(Series::new("greatest u", bound("u_high"), bound("x")).look(Look::Solid));
    let figure = Figure::grid(2, [hysteresis, rest]).titled(scenario.title.clone());
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
    what.write("map", text, &summary, ("hysteresis.csv", &map.table), &figure)
}
