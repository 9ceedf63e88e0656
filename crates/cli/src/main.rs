//! `bristle`, the friction toolkit on the command line. Translates and prints; decides nothing.
mod audit;
mod compare;
mod cycle;
mod export;
mod fit;
#[cfg(test)]
mod generated;
mod lab;
mod line;
mod linearize;
mod loops;
mod map;
mod models;
mod papers;
mod patch;
mod run;
mod schema;
mod subject;
mod sweep;
mod work;

use bristle_report::Failure;
use bristle_results as files;
use clap::{CommandFactory, Parser, Subcommand};
use std::fmt::Display;
use std::process::ExitCode;

/// The program.
#[derive(Parser)]
#[command(
    name = "bristle",
    version,
    about = "Friction you can trust: models, parameter sets, simulation",
    arg_required_else_help = true
)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the friction models, laws, matrices and parameter sets, or explain one of them
    #[command(after_help = "Examples:\n  bristle models\n  bristle models frbd\n  \
                            bristle models frbd-table-2\n  bristle models stribeck --json")]
    Models {
        /// The model, law, friction matrix or parameter set to explain
        name: Option<String>,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Run a scenario file: trace, summary with energy ledger, figure
    #[command(after_help = "Examples:\n  bristle run scenarios/belt.toml\n  \
                            bristle run scenarios/pulse.toml --set friction.model=implicit \
                            --set system.drive.value=5.6\n  \
                            bristle run scenarios/festoon.toml --out results/festoon --json")]
    Run(run::Args),
    /// Run every figure and table of the five papers again, and compare
    #[command(after_help = "Examples:\n  bristle papers\n  bristle papers 002\n  \
                            bristle papers 002-fig-8 000-fig-5 --out results/two\n  \
                            bristle papers --json --quiet")]
    Papers {
        #[command(flatten)]
        what: papers::What,
    },
    /// Roll a contact patch: steady forces, force-slip surface, transients
    #[command(
        after_help = "Examples:\n  bristle patch steady --sigma-x 0.08 --sigma-y 0.04 --phi1 1.5\n  \
                            bristle patch surface --phi1 1.5\n  bristle patch transient scenarios/patch-step.toml"
    )]
    Patch {
        #[command(subcommand)]
        task: Box<patch::Task>,
    },
    /// Print the JSON schema of scenario files, for editors
    #[command(after_help = "Examples:\n  bristle schema run\n  bristle schema patch")]
    Schema {
        /// Which scenario files
        which: schema::Which,
    },
    /// Print completions for a shell
    #[command(after_help = "Examples:\n  bristle completions bash\n  bristle completions zsh")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Roll a line contact
    #[command(after_help = "Examples:\n  bristle line scenarios/line-step.toml\n  \
                            bristle line scenarios/line-step.toml --set friction.model=dahl --json")]
    Line {
        #[command(flatten)]
        what: line::What,
    },
    /// Audit a model: passive or not, holds a stick or not, follows its law or not, with reasons
    #[command(after_help = "Examples:\n  bristle audit frbd\n  bristle audit lugre --set \
                            friction.set=frbd-table-2\n  bristle audit scenarios/belt.toml\n  \
                            bristle audit scenarios/line-step.toml --set line.pressure=parabolic")]
    Audit(audit::Args),
    /// Linearise a model in steady sliding, a system at its equilibrium, or a line contact
    #[command(after_help = "Examples:\n  bristle linearize frbd --at 0.005\n  \
                            bristle linearize scenarios/belt.toml\n  \
                            bristle linearize scenarios/line-step.toml --json")]
    Linearize(linearize::Args),
    /// Move a model to and fro: loop, describing function, stiffness and damping
    #[command(after_help = "Examples:\n  bristle loop frbd --amplitude 1e-4 --frequency 10\n  \
                            bristle loop scenarios/belt.toml --json")]
    Loop(loops::Args),
    /// Find the motion of a system that repeats: period, multipliers, where stick-slip ends
    #[command(after_help = "Examples:\n  bristle cycle scenarios/belt.toml\n  \
                            bristle cycle scenarios/belt.toml --set friction.model=frbd --set system.drive.value=0.05")]
    Cycle(cycle::Args),
    /// Compare models in the standard tests: creep, break-away, law, energy, cost
    #[command(
        after_help = "Examples:\n  bristle compare\n  bristle compare lugre frbd implicit --set \
                            friction.set=frbd-table-2"
    )]
    Compare(compare::Args),
    /// Find the parameters of friction models in logs, with intervals
    #[command(after_help = "Examples:\n  bristle fit data/logs/slide.toml\n  \
                            bristle fit data/logs/slide.toml --models lugre,frbd,dahl --export mujoco")]
    Fit(fit::Args),
    /// Export friction to other tools: functional mock-up units; without more, list what there is
    #[command(
        after_help = "Examples:\n  bristle export\n  bristle export fmu scenarios/belt.toml\n  \
                            bristle export fmu lugre --set friction.set=lugre-or-not-set-2 --fmi 2"
    )]
    Export {
        #[command(subcommand)]
        task: Option<export::Task>,
    },
    /// Run a scenario thousands of times: grids, samples, boundaries; kept as they finish
    #[command(after_help = "Examples:\n  bristle sweep scenarios/sweeps/drift.toml\n  \
                            bristle sweep scenarios/belt.toml --vary system.drive.value=0.02:0.3:29 --keep max(x) --set \
                            run.end=10\n  \
                            bristle sweep scenarios/pulse.toml --vary friction.law.mu_s=normal(0.6,0.02) --samples 200 --keep \
                            end(x)\n  \
                            bristle sweep scenarios/sweeps/drift.toml --resume")]
    Sweep(sweep::Args),
    /// Open the lab: everything above in a browser, live
    #[command(after_help = "Examples:\n  bristle lab\n  bristle lab --port 8080 --no-open")]
    Lab(lab::Args),
    /// Draw the hysteresis and equilibria maps of friction that depends on position (paper 001)
    #[command(after_help = "Examples:\n  bristle map scenarios/rotating-hysteresis.toml")]
    Map(map::Args),
}

/// What went wrong.
enum Trouble {
    /// The input: exit code 2.
    Input(String),
    /// The run: exit code 1.
    Run(String),
}

impl Trouble {
    /// Why a file, or what is named like one, gives no report.
    fn of(file: &std::path::Path, why: &Failure) -> Self {
        match why {
            Failure::Input(problems) => Trouble::Input(run::in_file(file, problems)),
            Failure::Asked(why) => Trouble::Input(why.clone()),
            Failure::Run(why) => Trouble::Run(why.clone()),
        }
    }
}

/// What is printed on standard output, or what went wrong.
type Outcome = Result<String, Trouble>;

fn main() -> ExitCode {
    let program = Program::parse();
    let outcome: Outcome = match program.command {
        Command::Models { name, json } => models::run(name.as_deref(), json),
        Command::Run(args) => run::run(&args),
        Command::Papers { what } => papers::papers(&what),
        Command::Patch { task } => patch::run(&task),
        Command::Schema { which } => schema::run(which),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Program::command(), "bristle", &mut text);
            String::from_utf8(text).map_err(|e| Trouble::Run(format!("cannot print them: {e}")))
        }
        Command::Line { what } => line::run(&what),
        Command::Audit(args) => audit::run(&args),
        Command::Linearize(args) => linearize::run(&args),
        Command::Loop(args) => loops::run(&args),
        Command::Cycle(args) => cycle::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Export { task } => export::run(task.as_ref()),
        Command::Fit(args) => fit::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Map(args) => map::run(&args),
        Command::Sweep(args) => sweep::run(&args),
    };
    match outcome {
        Ok(text) => print(&text),
        Err(Trouble::Input(message)) => {
            complain("error", message);
            ExitCode::from(2)
        }
        Err(Trouble::Run(message)) => {
            complain("error", message);
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output; a reader that has gone, as in `bristle models | head`, is no failure.
fn print(text: &str) -> ExitCode {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            complain("error", format_args!("cannot write the output: {e}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// What a file says and has no meaning with what was set over it.
fn note_left_out(left_out: &[String], quiet: bool) {
    for said in left_out.iter().filter(|_| !quiet) {
        complain("note", said);
    }
}

/// Writes to standard error, where nobody may be listening.
fn complain(kind: &str, message: impl Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{kind}: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command shows how it is called, with subjects that are there.
    #[test]
    fn every_command_has_examples() {
        let mut count = 0;
        for command in Program::command().get_subcommands() {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = help.lines().skip(1).map(str::trim).collect();
            assert!(!lines.is_empty(), "{name} has no examples");
            for line in lines {
                let words: Vec<&str> = line.split_whitespace().collect();
                assert_eq!(words[..2], ["bristle", name], "{line}");
                let parsed = Program::command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                for file in words.iter().filter(|w| w.ends_with(".toml")) {
                    let path =
                        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
                    assert!(path.exists(), "{line}");
                }
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }
}
