//! Makes a unit of a scenario file or a model; with a file for it, also our own run of a scenario.
//!
//! ```sh
//! cargo run -p bristle-fmu --example export -- scenarios/belt.toml 3 belt.fmu inputs belt.csv
//! ```
use bristle_fmu::{Source, Version, library, pack};
use bristle_scenario::{OnImbalance, Scenario, Setting, machine, simulate};
use std::ops::ControlFlow;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, version, out, rest @ ..] = &words[..] else {
        return Err("FILE 2|3 OUT [inputs|inside [CSV]]".into());
    };
    let path = Path::new(file);
    let folder = path.parent().unwrap_or(Path::new("."));
    let inputs = rest.first().is_none_or(|word| word == "inputs");
    let made = match path.extension() {
        Some(_) => Source::of_file(&std::fs::read_to_string(path)?, &[], folder, inputs),
        None => Source::of_model(file, &[]),
    };
    let version = if version == "2" { Version::Two } else { Version::Three };
    let bytes = made.and_then(|source| pack(&source, version, &library::read(None)?));
    std::fs::write(out, bytes.map_err(|fault| fault.0)?)?;
    if let Some(table) = rest.get(1) {
        // What units do: error control; with rows where units are asked.
        const ROWS: f64 = 5000.0;
        let text = std::fs::read_to_string(path)?;
        let end = match machine::Scenario::is_one(&text) {
            true => machine::Scenario::read(&text, &[], folder)?.run.end,
            false => Scenario::read(&text, &[])?.run.end,
        };
        let set = [Setting::new("run.method", "radau"), Setting::new("run.spacing", end / ROWS)];
        let mut go_on = |_| ControlFlow::Continue(());
        let run = match machine::Scenario::is_one(&text) {
            true => machine::Scenario::read(&text, &set, folder)?
                .simulate(OnImbalance::Mark, &mut go_on)?,
            false => simulate(&Scenario::read(&text, &set)?, OnImbalance::Mark, &mut go_on)?,
        };
        let mut csv = Vec::new();
        bristle_trace::write_csv(&run.trace, &mut csv)?;
        std::fs::write(table, csv)?;
    }
    Ok(())
}
