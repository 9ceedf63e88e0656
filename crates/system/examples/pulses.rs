//! Two pulses on a resting mass, 002 §4.3: how far it has moved in the end, for every bristle of the catalogue at set 1,
//! with error control and at fixed steps. Prints the table of the README.
//!
//! ```sh
//! cargo run --release -p bristle-system --example pulses
//! ```
use bristle_kernel::bristle::{
    Bristle2, Dahl, Dry, ElastoPlastic, Frbd, Gms, Implicit, LuGre, Scaling, Static,
};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Start, Update};
use bristle_ode::{Heap, Options, Radau, Solver};
use bristle_system::mechanism::Mass;
use bristle_system::signal::Pulses;
use bristle_system::{Coupled, FixedStep, Friction, Step, Watch};

/// Looks at nothing.
struct Blind;

impl<M> Watch<M> for Blind {
    fn step(&mut self, _: &Coupled<M>, _: &Step<'_>) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

const END: f64 = 0.4;

/// x at the end of both pulses, mm.
fn drift(friction: &Friction, force: f64, step: Option<f64>) -> Option<f64> {
    let drive = Pulses { value: force, on: 0.1, period: 0.2 };
    let mass = Mass { mass: 1.0, stiffness: 0.0, load: 9.81, drive };
    let system = Coupled::new(mass, friction.clone());
    let y = system.initial();
    if let Some(h) = step {
        let mut run = FixedStep::new(&system, Update::Midpoint, h, &y)?;
        run.run(END, |_| {}).ok()?;
        return Some(1e3 * run.y()[0]);
    }
    let options: Options<Heap> = Options::new(1e-11, &system.tolerances(1e-11));
    let mode = system.begin(0.0, &y);
    let mut solver = Solver::new(&system, Radau::new(&system), 0.0, &y, mode, options);
    let _ = bristle_system::run(&system, &mut solver, END, &mut Blind).ok()?;
    Some(1e3 * solver.y()[0])
}

fn main() {
    let law = Stribeck { mu_s: 0.6, mu_d: 0.3, exponent: 1.0, ..Stribeck::start(()) };
    let (scaling, sigma0, sigma1) = (Scaling::Absolute, 3.9e4, 395.0);
    let frbd = |passes: f64| Frbd { scaling, sigma0, sigma1, passes, ..Frbd::start(law) };
    let mut gms = Gms::start(law);
    gms.k.iter_mut().for_each(|k| *k *= 3.9);
    gms.attraction = 500.0;
    let models: [(&str, Friction); 12] = [
        ("`static`", Static::start(law).into()),
        ("`dry`", Dry::start(law).into()),
        ("`dahl`", Dahl { scaling, sigma0, ..Dahl::start(law) }.into()),
        ("`lugre`", LuGre { scaling, sigma0, sigma1, ..LuGre::start(law) }.into()),
        ("`frbd`", frbd(1.0).into()),
        ("`frbd`, 2 passes", frbd(2.0).into()),
        ("`frbd`, 4 passes", frbd(4.0).into()),
        ("`frbd`, 16 passes", frbd(16.0).into()),
        (
            "`elasto_plastic`",
            ElastoPlastic { scaling, sigma0, sigma1, ..ElastoPlastic::start(law) }.into(),
        ),
        ("`gms`", gms.into()),
        ("`implicit`", Implicit { scaling, sigma0, sigma1, ..Implicit::start(law) }.into()),
        ("`bristle2`", Bristle2 { scaling, sigma0, sigma1, ..Bristle2::start(law) }.into()),
    ];
    println!("| model | pulses of | adaptive | 0.1 ms | 1 ms | 10 ms |");
    println!("|---|---|---|---|---|---|");
    for (name, model) in &models {
        for force in [2.0, 4.5, 5.6] {
            let cells: Vec<String> = [None, Some(1e-4), Some(1e-3), Some(1e-2)]
                .into_iter()
                .map(|step| drift(model, force, step))
                .map(|x| x.map_or("–".into(), |x| format!("{x:.3e}")))
                .collect();
            println!("| {name} | {force} N | {} |", cells.join(" | "));
        }
    }
}
