//! `bristle loop`: what a friction element does under a harmonic motion.
use crate::Outcome;
use crate::subject::{Load, What, in_a_plane, positive};
use bristle_report::{harmonic::harmonic, load_at_start};
use bristle_scenario::Subject;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    load: Load,
    /// The amplitude of the position, m [default: twice what the static limit bends the bristles by]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    amplitude: Option<f64>,
    /// The frequency, Hz
    #[arg(long, value_name = "HZ", default_value_t = 1.0, allow_negative_numbers = true)]
    frequency: f64,
}

/// Finds the loop and reports.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let frequency = positive("--frequency", args.frequency, "Hz")?;
    let amplitude = args.amplitude.map(|a| positive("--amplitude", a, "m")).transpose()?;
    let (model, load) = match what.read()? {
        Subject::Friction(model) => (model, args.load.of_model()?),
        Subject::System(scenario) => {
            args.load.refuse()?;
            let load = load_at_start(&scenario).map_err(|why| what.failed(&why))?;
            (scenario.friction, load)
        }
        Subject::Line(_) => {
            return Err(
                what.refused("a loop is of one bristle: give a model, or a file with [system]")
            );
        }
        Subject::Plane(model) => return Err(in_a_plane("loop", model.info().name)),
    };
    let _progress = what.begin("loop")?;
    what.finish("loop", harmonic(&model, load, amplitude, frequency))
}
