//! `bristle audit`: what a friction model does with its parameters, with reasons.
use crate::run::watch;
use crate::subject::{Load, What, in_a_plane};
use crate::work::{Progress, Threads};
use crate::{Outcome, Trouble};
use bristle_report::audit;
use bristle_scenario::Subject;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    load: Load,
}

impl Args {
    fn begin(&self) -> Result<Progress, Trouble> {
        self.threads.take();
        self.what.begin("audit")
    }
}

/// Audits and reports.
pub fn run(args: &Args) -> Outcome {
    let what = &args.what;
    let report = match what.read()? {
        Subject::Plane(model) => return Err(in_a_plane("audit", model.info().name)),
        Subject::Friction(model) => {
            let load = args.load.of_model()?;
            let _progress = args.begin()?;
            Ok(audit::model(&model, load))
        }
        Subject::Line(scenario) => {
            args.load.refuse()?;
            let _progress = args.begin()?;
            audit::line(&scenario)
        }
        Subject::System(scenario) => {
            args.load.refuse()?;
            let progress = args.begin()?;
            audit::system(&scenario, &mut watch(&progress, scenario.run.end))
        }
    };
    what.finish("audit", report)
}
