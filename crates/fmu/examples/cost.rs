//! What a step of a unit costs beside the same step of the library, in one run.
//!
//! `cargo run --release -p bristle-fmu --example cost`
use bristle_fmu::Source;
use bristle_fmu::archive::{RESOURCE, token};
use bristle_fmu::fmi3::*;
use bristle_kernel::{AnyBristle, AnyLaw, Bristle, Drive, Free, Update};
use std::ffi::{CString, c_void};
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::Instant;

type Failed = Box<dyn std::error::Error>;

/// An instance of the unit, ready to step.
fn instance(source: &Source) -> Result<*mut c_void, Failed> {
    let folder = std::env::temp_dir().join(format!("bristle-cost-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let text = source.to_resources();
    std::fs::write(folder.join(RESOURCE), &text)?;
    let (token, path) =
        (CString::new(token(&text))?, CString::new(folder.to_string_lossy().as_bytes())?);
    let unit = unsafe {
        fmi3InstantiateCoSimulation(
            c"cost".as_ptr(),
            token.as_ptr(),
            path.as_ptr(),
            false,
            false,
            false,
            false,
            null(),
            0,
            null_mut(),
            None,
            None,
        )
    };
    std::fs::remove_dir_all(&folder)?;
    let status = unsafe {
        fmi3EnterInitializationMode(unit, false, 0.0, 0.0, false, 0.0)
            + fmi3ExitInitializationMode(unit)
    };
    if unit.is_null() || status != 0 { Err("the unit does not start".into()) } else { Ok(unit) }
}

fn reference(source: &Source, name: &str) -> Result<u32, Failed> {
    let (_, description) = source.make().map_err(|fault| fault.0)?;
    let at = description.variables.iter().position(|v| v.name == name).ok_or("no such variable")?;
    Ok(at as u32 + 1)
}

/// Nanoseconds a step of the unit: inputs in, a step, the output out.
fn unit(
    source: &Source,
    inputs: &[&str],
    output: &str,
    steps: usize,
    h: f64,
) -> Result<f64, Failed> {
    let unit = instance(source)?;
    let of: Vec<u32> =
        inputs.iter().map(|name| reference(source, name)).collect::<Result<_, _>>()?;
    let out = reference(source, output)?;
    let (mut a, mut b, mut c, mut last, mut force) = (false, false, false, 0.0, 0.0);
    let begin = Instant::now();
    for k in 0..steps {
        let t = h * k as f64;
        let values = [0.02 * (3.0 * t).sin(), 10.0];
        let status = unsafe {
            fmi3SetFloat64(unit, of.as_ptr(), of.len(), values.as_ptr(), of.len())
                + fmi3DoStep(unit, t, h, true, &mut a, &mut b, &mut c, &mut last)
                + fmi3GetFloat64(unit, &out, 1, &mut force, 1)
        };
        if status != 0 {
            return Err("a step failed".into());
        }
        black_box(force);
    }
    let passed = begin.elapsed();
    unsafe { fmi3FreeInstance(unit) };
    Ok(passed.as_nanos() as f64 / steps as f64)
}

fn main() -> Result<(), Failed> {
    println!("| step | unit, ns | library, ns | ratio |\n|---|---|---|---|");
    const STEPS: usize = 200_000;
    for name in ["frbd", "lugre", "implicit"] {
        let source = Source::of_model(name, &[]).map_err(|fault| fault.0)?;
        let law = AnyLaw::named("stribeck", ()).ok_or("no law")?;
        let model: AnyBristle<f64> = AnyBristle::named(name, law).ok_or("no model")?;
        let (mut at, mut z) = (Drive::new(0.0, 10.0), [0.0]);
        let begin = Instant::now();
        for k in 0..STEPS {
            at.v = 0.02 * (3e-3 * k as f64).sin();
            let free = Free::prescribed(at.v);
            black_box(model.advance(Update::Midpoint, &mut at, &free, 1e-3, &mut z));
        }
        let own = begin.elapsed().as_nanos() as f64 / STEPS as f64;
        let unit = unit(&source, &["v", "N"], "F", STEPS, 1e-3)?;
        println!("| `{name}`, 1 ms | {unit:.0} | {own:.0} | {:.1} |", unit / own);
    }
    Ok(())
}
