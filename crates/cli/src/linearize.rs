//! `bristle linearize`: poles, zeros and frequency response.
use crate::subject::{Load, What, positive, refuse};
use crate::{Outcome, Trouble};
use bristle_report::linearise::{self, Asked};
use bristle_scenario::Subject;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// The sliding velocity of a model or a line contact, m/s
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    at: Option<f64>,
    #[command(flatten)]
    load: Load,
    /// The output shown, of a system or in a plane [default: the first]
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Print the response at these frequencies, Hz: 1,2.5,10
    #[arg(long, value_name = "HZ,…", value_delimiter = ',', allow_negative_numbers = true, conflicts_with_all = ["from", "to"])]
    frequencies: Vec<f64>,
    /// The lowest frequency, Hz [default: a hundredth of the slowest pole's]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    from: Option<f64>,
    /// The highest frequency, Hz [default: a hundred times the fastest pole's]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    to: Option<f64>,
}

impl Args {
    fn asked(&self) -> Result<Asked, Trouble> {
        let in_hertz =
            |flag: &str, value: Option<f64>| value.map(|f| positive(flag, f, "Hz")).transpose();
        let frequencies = self.frequencies.iter().map(|f| positive("--frequencies", *f, "Hz"));
        Ok(Asked {
            output: self.output.clone(),
            frequencies: frequencies.collect::<Result<_, _>>()?,
            from: in_hertz("--from", self.from)?,
            to: in_hertz("--to", self.to)?,
        })
    }
}

/// Linearises and reports.
pub fn run(args: &Args) -> Outcome {
    let asked = &args.asked()?;
    if let Some(v) = args.at.filter(|v| !v.is_finite()) {
        return Err(Trouble::Input(format!("--at {v} m/s is outside (-inf, inf): give a number")));
    }
    let what = &args.what;
    let one_output = || {
        let instead = "there is one output, the friction force";
        refuse("--output", args.output.is_some(), instead)
    };
    let subject = what.read()?;
    let _progress = what.begin("linearize")?;
    let report = match subject {
        Subject::Line(scenario) => {
            args.load.refuse()?;
            one_output()?;
            linearise::line(&scenario, args.at, asked)
        }
        Subject::Friction(model) => {
            one_output()?;
            linearise::model(&model, args.at, args.load.of_model()?, asked)
        }
        Subject::Plane(model) => linearise::plane(&model, args.at, args.load.of_model()?, asked),
        Subject::System(scenario) => {
            args.load.refuse()?;
            let instead = "a system is linearised at its equilibrium under its drive: take --set system.drive.…";
            refuse("--at", args.at.is_some(), instead)?;
            linearise::system(&scenario, asked)
        }
    };
    what.finish("linearize", report)
}
