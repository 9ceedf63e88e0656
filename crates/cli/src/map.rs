//! `bristle map`: hysteresis and equilibria of friction that depends on position.
use crate::Outcome;
use crate::subject::What;
use bristle_report::map::map;
use bristle_scenario::Subject;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
}

/// Computes the maps and draws them.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let Subject::System(scenario) = what.read()? else {
        return Err(what.refused("a map needs [system]: a mass with a spring, under a sine"));
    };
    let _progress = what.begin("map")?;
    what.finish("map", map(&scenario))
}
