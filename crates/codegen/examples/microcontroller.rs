//! Prints the step of `frbd`, `lugre` or `implicit` as C.
//!
//! `cargo run -p bristle-codegen --example microcontroller -- frbd > frbd.c`
use bristle_codegen::step;
use bristle_kernel::bristle::{Frbd, Implicit, LuGre};
use bristle_kernel::law::{Coulomb, Stribeck};
use bristle_kernel::Start;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("frbd, lugre or implicit?")?;
    let law: Stribeck<f64> = Stribeck::start(());
    let function = format!("{name}_step");
    let source = match name.as_str() {
        "frbd" => step(&Frbd::start(law), &function)?,
        "lugre" => step(&LuGre::start(law), &function)?,
        // Over a law that falls its root is a search.
        "implicit" => step(&Implicit::start(Coulomb::start(())), &function)?,
        other => return Err(format!("there is no `{other}` here: frbd, lugre or implicit").into()),
    };
    print!("{source}");
    Ok(())
}
