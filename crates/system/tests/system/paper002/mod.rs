//! Experiments, models and reference files of 002, shared by the tests.
#![allow(dead_code)] // each test takes a part
use bristle_kernel::bristle::{Bristle2, Implicit, LuGre, Static};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Scaling, Start};
use bristle_system::mechanism::{Belt, Festoon, Mass};
use bristle_system::signal::{Constant, Points, Pulses};

/// (σ₀, σ₁, v_r, law)
pub type Set = (f64, f64, f64, Stribeck<f64>);

fn law(mu_s: f64, mu_d: f64, v_s: f64, exponent: f64, viscous: f64) -> Stribeck<f64> {
    Stribeck { mu_s, mu_d, v_s, exponent, viscous, ..Stribeck::start(()) }
}

/// Fig. 4, set 1: the pulse load, with its σ₁ varied.
pub fn set1(sigma1: f64) -> Set {
    (3.9e4, sigma1, 1e-3, law(0.6, 0.3, 0.01, 1.0, 0.0))
}

/// Fig. 4, set 2: the belt.
pub fn set2() -> Set {
    (1e5, 1e5f64.sqrt(), 1e-4, law(0.15, 0.1, 1e-3, 2.0, 0.1 / 9.81))
}

/// §5: the festoon, with the reconstruction's v_A and v_r.
pub fn set3() -> Set {
    (4e4, 180.0, 0.15e-3, law(0.08, 0.05, 1.5e-3, 2.0, 0.0))
}

/// (26), model 1.
pub fn pulse(push: f64) -> Mass<f64, Pulses<f64>> {
    let drive = Pulses { value: push, on: 0.1, period: 0.2 };
    Mass { mass: 1.0, stiffness: 0.0, load: 9.81, drive }
}

/// (26), model 2.
pub fn belt() -> Belt<f64, Constant<f64>> {
    Belt { mass: 1.0, stiffness: 2.0, load: 9.81, drive: Constant { value: 0.1 } }
}

/// §5: the tow goes to and fro by 0.5 m, then out.
pub fn festoon() -> Festoon<f64, Points<f64>> {
    let course = [
        (0.0, 0.0),
        (3.0, 0.0),
        (3.5, 0.5 / 2.88),
        (5.88, 0.5 / 2.88),
        (6.38, 0.0),
        (7.6, 0.0),
        (8.1, -0.5 / 3.435),
        (11.035, -0.5 / 3.435),
        (11.535, 0.0),
        (14.0, 0.0),
        (15.0, 0.7),
        (18.8, 0.7),
        (19.0, 0.0),
        (24.0, 0.0),
    ];
    let (t, value) = course.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    Festoon::start(Points { t: t.into_iter().collect(), value: value.into_iter().collect() })
}

/// A model by the name it has in the reference files.
pub fn model(name: &str, (sigma0, sigma1, v_r, law): Set) -> AnyBristle<f64> {
    let law = AnyLaw::Stribeck(law);
    let scaling = Scaling::Absolute;
    match name {
        "static" => AnyBristle::Static(Static { v_r, law }),
        "LuGre" => AnyBristle::LuGre(LuGre { scaling, sigma0, sigma1, ..LuGre::start(law) }),
        "impl" => AnyBristle::Implicit(Implicit { scaling, sigma0, sigma1, law }),
        "bm2" => AnyBristle::Bristle2(Bristle2 { scaling, sigma0, sigma1, v_r, law }),
        _ => panic!("{name}"),
    }
}

/// The lines of a reference file, the column names first.
pub fn table(file: &str) -> Vec<Vec<String>> {
    bristle_reference::Table::of(&format!("lugre-or-not/{file}")).whole()
}

/// A number of the paper, from independent programs.
pub struct Row {
    pub case: String,
    pub model: String,
    pub quantity: String,
    pub value: f64,
    pub uncertainty: f64,
}

/// The numbers of the cases whose names begin so, for the models of [`model`].
pub fn rows(case: &str) -> Vec<Row> {
    let lines = table("scalars.csv").into_iter().skip(1);
    lines
        .filter(|r| r[0].starts_with(case))
        .filter(|r| ["static", "LuGre", "impl", "bm2"].contains(&r[1].as_str()))
        .map(|r| Row {
            case: r[0].clone(),
            model: r[1].clone(),
            quantity: r[2].clone(),
            value: r[3].parse().unwrap(),
            uncertainty: r[4].parse().unwrap(),
        })
        .collect()
}
