//! Makes a unit of a scenario file.
//!
//! ```sh
//! cargo run -p bristle-fmu --example export -- scenarios/belt.toml 3 belt.fmu
//! ```
use bristle_fmu::{Source, Version, library, pack};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, version, out] = &words[..] else { return Err("FILE 2|3 OUT".into()) };
    let path = Path::new(file);
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = match path.extension() {
        Some(_) => Source::of_file(&std::fs::read_to_string(path)?, &[], folder, true),
        None => Source::of_model(file, &[]),
    };
    let version = if version == "2" { Version::Two } else { Version::Three };
    let bytes = made.and_then(|source| pack(&source, version, &library::read(None)?));
    std::fs::write(out, bytes.map_err(|fault| fault.0)?)?;
    Ok(())
}
