//! Prints the step of `frbd` or `lugre` as C.
//!
//! `cargo run -p bristle-codegen --example microcontroller -- frbd > frbd.c`
use bristle_codegen::step;
use bristle_kernel::Start;
use bristle_kernel::bristle::{Frbd, LuGre};
use bristle_kernel::law::Stribeck;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).ok_or("frbd or lugre?")?;
    let law: Stribeck<f64> = Stribeck::start(());
    let function = format!("{name}_step");
    let source = match name.as_str() {
        "frbd" => step(&Frbd::start(law), &function)?,
        "lugre" => step(&LuGre::start(law), &function)?,
        other => return Err(format!("there is no `{other}` here: frbd or lugre").into()),
    };
    print!("{source}");
    Ok(())
}
