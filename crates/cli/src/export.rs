//! `bristle export`: friction for other tools.
use crate::run::{in_file, settings, text_of};
use crate::{Outcome, Trouble};
use bristle_fmu::{Fault, Source, Version, library, pack};
use std::path::{Path, PathBuf};

/// What is exported.
#[derive(clap::Subcommand)]
pub enum Task {
    /// Make a functional mock-up unit, for model exchange and co-simulation
    #[command(after_help = "Examples:\n  bristle export fmu scenarios/belt.toml\n  \
                            bristle export fmu lugre --set friction.set=lugre-or-not-set-2 --fmi 2\n  \
                            bristle export fmu scenarios/patch-step.toml --out tyre.fmu")]
    Fmu(Fmu),
}

/// A unit.
#[derive(clap::Args)]
pub struct Fmu {
    /// A scenario of a system, machine or patch, or the name of a friction model
    what: String,
    /// Put a value over the file's: friction.sigma1=400 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Version of the standard
    #[arg(long, value_parser = ["2", "3"], default_value = "3")]
    fmi: String,
    /// Leave drives as the file has them, instead of making them inputs
    #[arg(long)]
    keep_drives: bool,
    /// The file to write [default: the name of what is exported]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The shared library to put into the unit [default: the one built with this program]
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

const LIST: &str = "\
bristle export fmu WHAT     functional mock-up unit, FMI 2.0 or 3.0: model exchange and co-simulation
                            WHAT: a friction model (velocity and load in, force out), a scenario or
                            machine (drives in, columns out), a patch (slips in, forces out)
bristle fit FILE --export mujoco
                            a joint for MuJoCo from a log

For C and C++ there is a library: crates/c/include/bristle.h, `cargo build --release -p bristle-c`.
For microcontrollers, the step of a model as C source: crates/codegen.
For MuJoCo 4 there is a plugin: tools/mujoco.
";

/// Exports, or lists what can be exported.
pub fn run(task: Option<&Task>) -> Outcome {
    match task {
        None => Ok(LIST.to_owned()),
        Some(Task::Fmu(args)) => unit(args),
    }
}

fn unit(args: &Fmu) -> Outcome {
    let path = Path::new(&args.what);
    let set = settings(&args.set)?;
    let refused = |Fault(why): Fault| {
        Trouble::Input(in_file(path, &why).replace("cannot be run", "cannot be exported"))
    };
    let source = match path.extension().is_some() || path.exists() {
        true => {
            let folder = path.parent().unwrap_or(Path::new(""));
            Source::of_file(&text_of(path)?, &set, folder, !args.keep_drives)
        }
        false => {
            // Says what there is, if it is no model.
            crate::subject::read(&args.what, &args.set)?;
            Source::of_model(&args.what, &set)
        }
    };
    let source = source.map_err(refused)?;
    let (_, description) = source.make().map_err(refused)?;
    let library = library::read(args.library.as_deref()).map_err(|Fault(why)| Trouble::Run(why))?;
    let version = if args.fmi == "2" { Version::Two } else { Version::Three };
    let bytes = pack(&source, version, &library).map_err(refused)?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.fmu")));
    let (folder, Some(name)) = (out.parent().unwrap_or(Path::new("")), out.file_name()) else {
        return Err(Trouble::Input(format!("--out {} names no file", out.display())));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let megabytes = bytes.len() as f64 / 1e6;
    crate::files::write(folder, &[(name, bytes)]).map_err(Trouble::Run)?;
    Ok(format!(
        "{}: FMI {}.0, {}, {megabytes:.1} MB\n  {} parameters, {} inputs, {} states, {} further outputs, {} event indicators\n  \
         directional derivatives: {}\n",
        out.display(),
        args.fmi,
        if description.exchanges { "model exchange and co-simulation" } else { "co-simulation" },
        description.parameters(),
        description.inputs,
        description.states,
        description.outputs,
        description.indicators,
        if description.derives { "exact" } else { "none" },
    ))
}
