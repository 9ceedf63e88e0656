//! `bristle`, the friction toolkit on the command line. Translates and prints; decides nothing.
mod models;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The program.
#[derive(Parser)]
#[command(
    name = "bristle",
    version,
    about = "Friction you can trust: models, laws and parameter sets",
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
}

/// What is printed on standard output, or the message of an input that was wrong.
type Outcome = Result<String, String>;

fn main() -> ExitCode {
    let program = Program::parse();
    let outcome: Outcome = match program.command {
        Command::Models { name, json } => models::run(name.as_deref(), json),
    };
    match outcome {
        Ok(text) => print(&text),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Writes to standard output; a reader that has gone, as in `bristle models | head`, is no failure.
fn print(text: &str) -> ExitCode {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the output: {e}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
