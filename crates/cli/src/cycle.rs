//! `bristle cycle`: motions that repeat, found directly, and where stick-slip ends.
use crate::Outcome;
use crate::subject::What;
use bristle_report::cycle::cycle;
use bristle_scenario::Subject;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
}

/// Finds the motion and reports.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let Subject::System(scenario) = what.read()? else {
        return Err(what.refused(
            "a cycle needs [system]: a belt, a dragged spring, or any under a sine or pulses",
        ));
    };
    let _progress = what.begin("cycle")?;
    what.finish("cycle", cycle(&scenario))
}
