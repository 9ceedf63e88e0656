//! A scenario file run from Rust: what its friction model is and where everything ends.
//!
//! `cargo run -p bristle-scenario --example simulate -- scenarios/belt.toml`
use bristle_scenario::{OnImbalance, Scenario, simulate};
use std::{env, error::Error, fs, ops::ControlFlow};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("simulate FILE.toml: which scenario?")?;
    let scenario = Scenario::read(&fs::read_to_string(file)?, &[])?;
    let info = scenario.friction.info();
    println!("{}: {}", info.name, info.title);
    for param in info.params {
        println!("  {} in {}: {}, eq. {}", param.name, param.unit, param.meaning, param.equation);
    }
    let outcome = simulate(&scenario, OnImbalance::Stop, &mut |_| ControlFlow::Continue(()))?;
    for column in outcome.trace.columns() {
        let last = column.values.last().copied().unwrap_or_default();
        println!("{} = {last} {}", column.name, column.unit);
    }
    Ok(())
}
